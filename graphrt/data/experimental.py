"""`tf.data.experimental`."""

from graphrt.data.dataset import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from graphrt.data.iterator import Optional, get_next_as_optional

__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Optional", "get_next_as_optional"]
