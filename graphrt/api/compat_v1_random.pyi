# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt.nn import (
    all_candidate_sampler as all_candidate_sampler,
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
)
from graphrt.random import (
    Algorithm as Algorithm, Generator as Generator, categorical as categorical, create_rng_state as create_rng_state,
    fold_in as fold_in, gamma as gamma, get_global_generator as get_global_generator,
    log_uniform_candidate_sampler as log_uniform_candidate_sampler, normal as normal,
    set_global_generator as set_global_generator, shuffle as shuffle, split as split,
    stateless_binomial as stateless_binomial, stateless_categorical as stateless_categorical,
    stateless_gamma as stateless_gamma, stateless_normal as stateless_normal,
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
    stateless_poisson as stateless_poisson, stateless_truncated_normal as stateless_truncated_normal,
    stateless_uniform as stateless_uniform, truncated_normal as truncated_normal, uniform as uniform,
    uniform_candidate_sampler as uniform_candidate_sampler
)
