"""Room for the frames that operators add: converted recursion goes as deep as the original.

    f(n - 1)     one frame of the original; `f`, `if_stmt`, its body and `converted_call` when converted

While converted functions call each other, the recursion limit is raised by that factor, within reason: the C stack does
not grow with it. Converted code sees the limit that was set.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

_FACTOR = 5
_HIGHEST = 5000

# How many converted functions run now. Threads may miscount it by racing; all that can follow is that the limit goes
# back early or late.
active = 0
# Ours, while it holds; 0 otherwise.
raised = 0
_limit = 0


def raise_limit() -> None:
    """Called when converted code calls converted code."""
    global _limit, raised
    _limit = sys.getrecursionlimit()
    raised = max(_limit, min(_limit * _FACTOR, _HIGHEST))
    if raised != _limit:
        sys.setrecursionlimit(raised)


def restore_limit() -> None:
    """Called when no converted code runs any more."""
    global active, raised
    active = 0
    if raised != _limit and sys.getrecursionlimit() == raised:  # else the program has set its own meanwhile
        try:
            sys.setrecursionlimit(_limit)
        except RecursionError:
            return  # too deep for it right now: another call will restore it
    raised = 0


def get_limit() -> int:
    """`sys.getrecursionlimit()` as the original program sees it."""
    current = sys.getrecursionlimit()
    return _limit if raised and current == raised else current


@contextlib.contextmanager
def room_for_compiler(frames: int = 3000) -> Iterator[None]:
    """Lets the compiler, which recurses over syntax trees, run wherever the program happens to be."""
    before = sys.getrecursionlimit()
    if before >= _HIGHEST + frames:
        yield
        return
    sys.setrecursionlimit(before + frames)
    try:
        yield
    finally:
        if sys.getrecursionlimit() == before + frames:
            with contextlib.suppress(RecursionError):
                sys.setrecursionlimit(before)
