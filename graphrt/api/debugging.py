"""Switches of `tf.debugging`."""

from __future__ import annotations

# state: registry of what the user switched, one value a switch
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
    "disable_traceback_filtering", "enable_traceback_filtering", "get_log_device_placement",
    "is_traceback_filtering_enabled", "set_log_device_placement",
]  # fmt: skip
