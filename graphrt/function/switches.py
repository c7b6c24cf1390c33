"""Switches that calls of functions look at; `tf.config` shows them."""

from __future__ import annotations

from graphrt.tensor.changes import SWITCH
from graphrt.types.nesting import shown


def run_functions_eagerly(run_eagerly: bool) -> None:
    """With True, calls of `tf.function`s run their Python code as it is: breakpoints and prints work at each call.

    >>> import graphrt as tf
    >>> tf.config.run_functions_eagerly(True)
    >>> tf.config.functions_run_eagerly()
    True
    >>> tf.config.run_functions_eagerly(False)

    Raises:
      TypeError: the argument is no bool.
    """
    if not isinstance(run_eagerly, bool):
        raise TypeError(
            f"run_functions_eagerly expects a bool, found {shown(run_eagerly)} of type {type(run_eagerly).__name__}"
        )
    SWITCH.set(run_eagerly=run_eagerly)


def functions_run_eagerly() -> bool:
    """Whether `run_functions_eagerly(True)` is in force.

    >>> import graphrt as tf
    >>> tf.config.functions_run_eagerly()
    False
    """
    return SWITCH.run_eagerly


def warn_on_stale_capture(enabled: bool = True) -> None:
    """With True, a call warns when a global or closure variable is not what it was when the trace read it.

    A trace keeps the Python values that it read. Only traces made while this is on know what they read; it is off by
    default, and costs nothing then. The warning is an `errors.StaleCaptureWarning`.

    >>> import graphrt as tf
    >>> tf.config.warn_on_stale_capture(True)
    >>> tf.config.warn_on_stale_capture(False)

    Raises:
      TypeError: the argument is no bool.
    """
    if not isinstance(enabled, bool):
        raise TypeError(f"warn_on_stale_capture expects a bool, found {enabled!r} of type {type(enabled).__name__}")
    SWITCH.set(stale=enabled)


def stale_captures_are_reported() -> bool:
    """Whether `warn_on_stale_capture(True)` is in force.

    >>> import graphrt as tf
    >>> tf.config.stale_captures_are_reported()
    False
    """
    return SWITCH.stale
