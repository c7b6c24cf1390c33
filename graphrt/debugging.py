"""`tf.debugging`: assertions about tensors."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import Any as _Any

from graphrt.function.probe import disable_check_numerics, enable_check_numerics
from graphrt.ops.assertions import (
    assert_all_finite,
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_integer,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
    assert_proper_iterable,
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
    assert_same_float_dtype,
    assert_scalar,
    assert_shapes,
    assert_type,
    check_numerics,
    is_numeric_tensor,
)
from graphrt.ops.text_io import Assert


def __getattr__(name: str) -> _Any:
    if name != "experimental":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = _import_module("graphrt.debugging_experimental")
    globals()[name] = value
    return value


_filtering = {"on": True, "placement": False}


def is_traceback_filtering_enabled() -> bool:
    """Whether frames of the runtime are hidden from tracebacks.

    >>> import graphrt as tf
    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    return _filtering["on"]


def enable_traceback_filtering() -> None:
    """Sets what `is_traceback_filtering_enabled` gives.

    >>> import graphrt as tf
    >>> tf.debugging.enable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    _filtering["on"] = True


def disable_traceback_filtering() -> None:
    """Sets what `is_traceback_filtering_enabled` gives; notes in errors name the user's lines either way.

    >>> import graphrt as tf
    >>> tf.debugging.disable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    False
    >>> tf.debugging.enable_traceback_filtering()
    """
    _filtering["on"] = False


def get_log_device_placement() -> bool:
    """Whether it is logged where ops run: all run on the CPU.

    >>> import graphrt as tf
    >>> tf.debugging.get_log_device_placement()
    False
    """
    return _filtering["placement"]


def set_log_device_placement(enabled: bool) -> None:
    """Sets what `get_log_device_placement` gives.

    >>> import graphrt as tf
    >>> tf.debugging.set_log_device_placement(False)
    >>> tf.debugging.get_log_device_placement()
    False
    """
    _filtering["placement"] = bool(enabled)


__all__ = [
    "Assert", "assert_all_finite", "assert_equal", "assert_greater", "assert_greater_equal", "assert_integer",
    "assert_less", "assert_less_equal", "assert_near", "assert_negative", "assert_non_negative", "assert_non_positive",
    "assert_none_equal", "assert_positive", "assert_proper_iterable", "assert_rank", "assert_rank_at_least",
    "assert_rank_in", "assert_same_float_dtype", "assert_scalar", "assert_shapes", "assert_type", "check_numerics",
    "disable_check_numerics", "disable_traceback_filtering", "enable_check_numerics", "enable_traceback_filtering",
    "get_log_device_placement", "is_numeric_tensor", "is_traceback_filtering_enabled", "set_log_device_placement",
]  # fmt: skip
