"""`tf.random.experimental`."""

from graphrt.ops.random import Algorithm, index_shuffle, stateless_fold_in, stateless_shuffle, stateless_split

__all__ = ["Algorithm", "index_shuffle", "stateless_fold_in", "stateless_shuffle", "stateless_split"]
