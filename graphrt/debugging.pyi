# Written by tests/stubs.py from graphrt/api/exports.py.
"""Assertions about tensors."""
from graphrt.api.debugging import (
    disable_traceback_filtering as disable_traceback_filtering,
    enable_traceback_filtering as enable_traceback_filtering, get_log_device_placement as get_log_device_placement,
    is_traceback_filtering_enabled as is_traceback_filtering_enabled,
    set_log_device_placement as set_log_device_placement
)
from graphrt.function.numeric_probe import (
    disable_check_numerics as disable_check_numerics, enable_check_numerics as enable_check_numerics
)
from graphrt.ops.assertions import (
    assert_all_finite as assert_all_finite, assert_equal as assert_equal, assert_greater as assert_greater,
    assert_greater_equal as assert_greater_equal, assert_integer as assert_integer, assert_less as assert_less,
    assert_less_equal as assert_less_equal, assert_near as assert_near, assert_negative as assert_negative,
    assert_non_negative as assert_non_negative, assert_non_positive as assert_non_positive,
    assert_none_equal as assert_none_equal, assert_positive as assert_positive,
    assert_proper_iterable as assert_proper_iterable, assert_rank as assert_rank,
    assert_rank_at_least as assert_rank_at_least, assert_rank_in as assert_rank_in,
    assert_same_float_dtype as assert_same_float_dtype, assert_scalar as assert_scalar,
    assert_shapes as assert_shapes, assert_type as assert_type, check_numerics as check_numerics,
    is_numeric_tensor as is_numeric_tensor
)
from graphrt.ops.io.printing import (
    Assert as Assert
)
from graphrt.api import debugging_experimental as debugging_experimental
experimental = debugging_experimental
