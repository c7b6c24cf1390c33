# Written by tests/stubs.py from graphrt/api/exports.py.
"""Random tensors."""
from graphrt.ops.nn.candidate_sampling import (
    all_candidate_sampler as all_candidate_sampler,
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
    uniform_candidate_sampler as uniform_candidate_sampler
)
from graphrt.ops.random.distributions import (
    Algorithm as Algorithm, categorical as categorical, fold_in as fold_in, gamma as gamma, normal as normal,
    poisson as poisson, set_seed as set_seed, shuffle as shuffle, split as split,
    stateless_binomial as stateless_binomial, stateless_categorical as stateless_categorical,
    stateless_gamma as stateless_gamma, stateless_normal as stateless_normal,
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
    stateless_poisson as stateless_poisson, stateless_truncated_normal as stateless_truncated_normal,
    stateless_uniform as stateless_uniform, truncated_normal as truncated_normal, uniform as uniform
)
from graphrt.state.generator import (
    Generator as Generator, create_rng_state as create_rng_state, get_global_generator as get_global_generator,
    set_global_generator as set_global_generator
)
from graphrt.api import random_experimental as random_experimental
experimental = random_experimental
