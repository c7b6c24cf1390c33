"""What a program may say to the converter: without meaning in Python, read when the loop around it is converted."""

from __future__ import annotations

from typing import Any

_UNSPECIFIED: Any = object()


def set_loop_options(
    parallel_iterations: Any = _UNSPECIFIED,
    swap_memory: Any = _UNSPECIFIED,
    maximum_iterations: Any = _UNSPECIFIED,
    shape_invariants: Any = _UNSPECIFIED,
    checkpoint: Any = _UNSPECIFIED,
) -> None:
    """At the start of a loop body: options for the loop if it is staged; in Python nothing happens.

    What they mean is the backend's affair; `checkpoint` asks it to save memory by running iterations a second time
    when gradients are taken.

    >>> for i in range(3):
    ...     set_loop_options(maximum_iterations=10)
    """
