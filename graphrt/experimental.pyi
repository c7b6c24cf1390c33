# Written by tests/stubs.py from graphrt/api/exports.py.
"""What TensorFlow may still change."""
from graphrt.api.executors import (
    async_clear_error as async_clear_error, async_scope as async_scope, enable_strict_mode as enable_strict_mode,
    function_executor_type as function_executor_type
)
from graphrt.data.optional import (
    Optional as Optional
)
from graphrt.function.api_dispatch import (
    dispatch_for_api as dispatch_for_api,
    dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
    dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
    unregister_dispatch_for as unregister_dispatch_for
)
from graphrt.function.batchable_type import (
    BatchableExtensionType as BatchableExtensionType, ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder
)
from graphrt.function.extension_type import (
    ExtensionType as ExtensionType, ExtensionTypeSpec as ExtensionTypeSpec
)
from graphrt.ops.ragged.shapes import (
    DynamicRaggedShape as DynamicRaggedShape, RowPartition as RowPartition
)
from graphrt.api import experimental_dlpack as experimental_dlpack
dlpack = experimental_dlpack
from graphrt.api import experimental_numpy as experimental_numpy
numpy = experimental_numpy
