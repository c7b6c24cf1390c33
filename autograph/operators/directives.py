"""What a program may say to the converter: without meaning in Python, read when the loop around it is converted."""

from __future__ import annotations

import sys
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.registry import idle
from autograph.errors import UsageError
from autograph.operators.frames import is_generated, is_own

globals()["__builtins__"] = OWN

_UNSPECIFIED: Any = object()


def set_loop_options(
    parallel_iterations: object = _UNSPECIFIED,
    swap_memory: object = _UNSPECIFIED,
    maximum_iterations: object = _UNSPECIFIED,
    shape_invariants: object = _UNSPECIFIED,
    checkpoint: object = _UNSPECIFIED,
) -> None:
    """At the start of a loop body: options for the loop if it is staged; in Python nothing happens.

    What they mean is the backend's affair; `checkpoint` asks it to save memory by running iterations a second time
    when gradients are taken.

    >>> import autograph
    >>> for i in range(3):
    ...     autograph.set_loop_options(maximum_iterations=10)

    Raises:
      UsageError: converted code calls it by a name that the converter could not know it by.
    """
    frame = sys._getframe(1)
    while is_own(frame) and frame.f_back is not None:
        frame = frame.f_back
    if is_generated(frame.f_code) and not idle():
        raise UsageError(
            "set_loop_options is called by a name that is not known when the loop is converted, so its options are lost; "
            "call it by its own name, autograph.set_loop_options(...), as the first statement of the loop's body",
            filename=frame.f_code.co_filename,
            lineno=frame.f_lineno,
        )
