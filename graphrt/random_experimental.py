"""`tf.random.experimental`."""

from graphrt.ops.random import Algorithm, index_shuffle, stateless_fold_in, stateless_shuffle, stateless_split
from graphrt.state.generator import Generator, create_rng_state, get_global_generator, set_global_generator

__all__ = [
    "Algorithm", "Generator", "create_rng_state", "get_global_generator", "index_shuffle", "set_global_generator",
    "stateless_fold_in", "stateless_shuffle", "stateless_split",
]  # fmt: skip
