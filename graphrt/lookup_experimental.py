"""`tf.lookup.experimental`."""

from graphrt.state.tables import DenseHashTable, MutableHashTable

__all__ = ["DenseHashTable", "MutableHashTable"]
