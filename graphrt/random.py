"""`tf.random`: random tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from graphrt import random_experimental as experimental
from graphrt.lazy_names import lazy_names as _lazy_names
from graphrt.ops.random import (
    Algorithm,
    categorical,
    fold_in,
    gamma,
    normal,
    poisson,
    set_seed,
    shuffle,
    split,
    stateless_binomial,
    stateless_categorical,
    stateless_gamma,
    stateless_normal,
    stateless_parameterized_truncated_normal,
    stateless_poisson,
    stateless_truncated_normal,
    stateless_uniform,
    truncated_normal,
    uniform,
)
from graphrt.state.generator import Generator, create_rng_state, get_global_generator, set_global_generator

if _TYPE_CHECKING:
    from graphrt.ops.candidates import (  # noqa: F401
        all_candidate_sampler,
        fixed_unigram_candidate_sampler,
        learned_unigram_candidate_sampler,
        log_uniform_candidate_sampler,
        uniform_candidate_sampler,
    )

# imported when they are asked for
_ELSEWHERE = {
    "graphrt.ops.candidates": (
        "all_candidate_sampler fixed_unigram_candidate_sampler learned_unigram_candidate_sampler "
        "log_uniform_candidate_sampler uniform_candidate_sampler"
    ),
}
__getattr__, __dir__ = _lazy_names(__name__, _ELSEWHERE)


__all__ = [
    "Algorithm", "Generator", "categorical", "create_rng_state", "experimental", "fold_in", "gamma",
    "get_global_generator", "normal", "poisson", "set_global_generator", "set_seed", "shuffle", "split",
    "stateless_binomial", "stateless_categorical", "stateless_gamma", "stateless_normal",
    "stateless_parameterized_truncated_normal", "stateless_poisson", "stateless_truncated_normal", "stateless_uniform",
    "truncated_normal", "uniform",
]  # fmt: skip
