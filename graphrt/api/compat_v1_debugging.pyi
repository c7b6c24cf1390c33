# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt import (
    Assert as Assert
)
from graphrt.debugging import (
    assert_integer as assert_integer, assert_proper_iterable as assert_proper_iterable,
    assert_same_float_dtype as assert_same_float_dtype, assert_shapes as assert_shapes, assert_type as assert_type,
    check_numerics as check_numerics, disable_check_numerics as disable_check_numerics,
    disable_traceback_filtering as disable_traceback_filtering, enable_check_numerics as enable_check_numerics,
    enable_traceback_filtering as enable_traceback_filtering, get_log_device_placement as get_log_device_placement,
    is_numeric_tensor as is_numeric_tensor, is_traceback_filtering_enabled as is_traceback_filtering_enabled,
    set_log_device_placement as set_log_device_placement
)
from graphrt.math import (
    is_finite as is_finite, is_inf as is_inf, is_nan as is_nan, is_non_decreasing as is_non_decreasing,
    is_strictly_increasing as is_strictly_increasing
)
