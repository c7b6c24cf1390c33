"""`tf.experimental`."""

from graphrt.data.iterator import Optional
from graphrt.function.api_dispatch import (
    dispatch_for_api,
    dispatch_for_binary_elementwise_apis,
    dispatch_for_binary_elementwise_assert_apis,
    dispatch_for_unary_elementwise_apis,
    unregister_dispatch_for,
)
from graphrt.function.extension_type import BatchableExtensionType, ExtensionType, ExtensionTypeSpec

__all__ = [
    "BatchableExtensionType", "ExtensionType", "ExtensionTypeSpec", "Optional", "dispatch_for_api",
    "dispatch_for_binary_elementwise_apis", "dispatch_for_binary_elementwise_assert_apis",
    "dispatch_for_unary_elementwise_apis", "unregister_dispatch_for",
]  # fmt: skip
