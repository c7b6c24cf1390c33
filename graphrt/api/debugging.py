"""Switches of `tf.debugging`."""

from __future__ import annotations

from graphrt.ir import tracebacks

# state: registry of what the user switched, one value a switch
_placement = {"on": False}


def is_traceback_filtering_enabled() -> bool:
    """Whether frames of the runtime are hidden from tracebacks.

    >>> import graphrt as tf
    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    return tracebacks.switch()


def enable_traceback_filtering() -> None:
    """Leaves frames of the runtime out of the tracebacks of errors, as it is from the beginning.

    >>> import graphrt as tf
    >>> tf.debugging.enable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    tracebacks.switch(True)


def disable_traceback_filtering() -> None:
    """Leaves the runtime's own frames in tracebacks; notes in errors name the user's lines either way.

    >>> import graphrt as tf
    >>> tf.debugging.disable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    False
    >>> tf.debugging.enable_traceback_filtering()
    """
    tracebacks.switch(False)


def get_log_device_placement() -> bool:
    """Whether it is logged where ops run: all run on the CPU.

    >>> import graphrt as tf
    >>> tf.debugging.get_log_device_placement()
    False
    """
    return _placement["on"]


def set_log_device_placement(enabled: bool) -> None:
    """Sets what `get_log_device_placement` gives.

    >>> import graphrt as tf
    >>> tf.debugging.set_log_device_placement(False)
    >>> tf.debugging.get_log_device_placement()
    False
    """
    _placement["on"] = bool(enabled)


__all__ = [
    "disable_traceback_filtering", "enable_traceback_filtering", "get_log_device_placement",
    "is_traceback_filtering_enabled", "set_log_device_placement",
]  # fmt: skip
