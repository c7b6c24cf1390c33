"""`tf.experimental`."""

from graphrt.data.iterator import Optional

__all__ = ["Optional"]
