"""Static types: dtypes, shapes, specs, structures; `experimental` is the namespace `tf.types.experimental`."""

from graphrt.types import experimental

__all__ = ["experimental"]
