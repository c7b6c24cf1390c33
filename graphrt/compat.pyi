# Written by tests/stubs.py from graphrt/api/exports.py.
"""Text, bytes and dimensions whatever they come as."""
from graphrt.api.compat import (
    as_bytes as as_bytes, as_str as as_str, as_str_any as as_str_any, as_text as as_text,
    bytes_or_text_types as bytes_or_text_types, complex_types as complex_types,
    dimension_at_index as dimension_at_index, dimension_value as dimension_value,
    forward_compatibility_horizon as forward_compatibility_horizon, forward_compatible as forward_compatible,
    integral_types as integral_types, path_to_str as path_to_str, real_types as real_types
)
from graphrt.api import compat_v1 as compat_v1
v1 = compat_v1
