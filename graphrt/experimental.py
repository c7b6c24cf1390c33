"""`tf.experimental`."""

from graphrt.data.iterator import Optional
from graphrt.function.extension_type import BatchableExtensionType, ExtensionType, ExtensionTypeSpec

__all__ = ["BatchableExtensionType", "ExtensionType", "ExtensionTypeSpec", "Optional"]
