"""Whether functions run as plain Python instead of being traced: a switch for debugging."""

from __future__ import annotations


class _Switch:
    __slots__ = ("on",)

    def __init__(self) -> None:
        self.on = False


SWITCH = _Switch()


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
            f"run_functions_eagerly expects a bool, found {run_eagerly!r} of type {type(run_eagerly).__name__}"
        )
    SWITCH.on = run_eagerly


def functions_run_eagerly() -> bool:
    """Whether `run_functions_eagerly(True)` is in force."""
    return SWITCH.on
