"""What a program from a file may spend: the iterations of its loops, its calls, and its time.

One call from outside has one meter, whatever it calls in turn.
"""

from __future__ import annotations

import time
from contextvars import ContextVar

from graphrt.errors import DeadlineExceededError
from graphrt.types.limits import current, exhausted, remedy

_STRIDE = 256  # steps from one look at the clock to the next


class _Meter:
    __slots__ = ("began", "steps")

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.steps = 0


_meter: ContextVar[_Meter | None] = ContextVar("graphrt_meter", default=None)
running = _meter.get
restore = _meter.set


def begin() -> None:
    """Starts the meter, unless a caller has; whoever calls this restores, in a `finally`, what was `running` before."""
    if _meter.get() is None:
        _meter.set(_Meter())


def step() -> None:
    """Counts an iteration or a call.

    Raises:
      ResourceExhaustedError: there have been more than the limit.
      DeadlineExceededError: they have taken longer than the limit.
    """
    meter = _meter.get()
    if meter is None:  # the gradient of a loop, say, that runs outside of the program
        return
    meter.steps += 1
    limits = current()
    if meter.steps > limits.iterations:
        what = f"the loops and calls of this graph, which comes from a file, have come to {meter.steps} iterations"
        exhausted("iterations", what, meter.steps * 10)
    if meter.steps % _STRIDE == 1:
        passed = time.monotonic() - meter.began
        if passed > limits.seconds:
            raise DeadlineExceededError(
                None, None,
                f"this graph, which comes from a file, has run for {passed:.1f} seconds, "
                f"{remedy('seconds', round(10 * passed) + 1)}",
            )  # fmt: skip
