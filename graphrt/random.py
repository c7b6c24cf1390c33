"""`tf.random`: random tensors."""

from graphrt import random_experimental as experimental
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

__all__ = [
    "Algorithm", "categorical", "experimental", "fold_in", "gamma", "normal", "poisson", "set_seed", "shuffle", "split",
    "stateless_binomial", "stateless_categorical", "stateless_gamma", "stateless_normal",
    "stateless_parameterized_truncated_normal", "stateless_poisson", "stateless_truncated_normal", "stateless_uniform",
    "truncated_normal", "uniform",
]  # fmt: skip
