"""`tf.experimental`."""

from graphrt.data.iterator import Optional
from graphrt.function.extension_type import ExtensionType

__all__ = ["ExtensionType", "Optional"]
