"""Room for recursion over trees that are nested more deeply than a stack is.

Where work runs out of stack it is done again in a thread of its own, and goes on in another one after each further
stretch of levels. Each thread has a stack, and a count of frames, for itself: no limit of the process is changed.

    with_deep_stack(work)      ->    work()
                                     RecursionError: a thread: work() -> visit() -> ... -> visit()
                                                     a thread:                                -> visit() -> ...
"""

from __future__ import annotations

import _thread
import contextvars
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")

_FRAMES_PER_LEVEL = 12  # at most, for one level of a tree that a visitor descends
_MOST_LEVELS = 100


class _Here(threading.local):
    """What this thread knows."""

    is_deep = False  # whether it is one of ours
    levels = 0  # how many levels of a tree lie on its stack


_here = _Here()


def with_deep_stack(work: Callable[[], Result]) -> Result:
    """`work()`; should it run out of stack, again where there is more.

    Also helps a function that is called, and so converted, for the first time near the recursion limit. Raises what
    `work` raises; `RecursionError` if the trees are too deep for Python itself.
    """
    if _here.is_deep:
        return work()
    try:
        return work()
    except RecursionError:
        pass
    return _in_thread(work)


def is_deep() -> bool:
    """Whether this is a thread for trees that are nested deeply."""
    return _here.is_deep


def in_stretches(visit: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`visit`, which calls itself for the parts of a node by the name that the result will have."""
    most = min(_MOST_LEVELS, sys.getrecursionlimit() // _FRAMES_PER_LEVEL)

    def visit_deep(node: Any) -> Any:
        if _here.levels >= most:
            return _in_thread(lambda: visit_deep(node))
        _here.levels += 1
        try:
            return visit(node)
        finally:
            _here.levels -= 1

    return visit_deep


def _in_thread(work: Callable[[], Result]) -> Result:
    results: list[Result] = []
    errors: list[BaseException] = []
    finished = _thread.allocate_lock()
    finished.acquire()

    def run() -> None:
        _here.is_deep = True
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            finished.release()

    # Not by `threading`, which would run the hooks of tracers and profilers in it.
    try:
        _thread.start_new_thread(contextvars.copy_context().run, (run,))
    except RuntimeError:
        raise RecursionError("maximum recursion depth exceeded, and no thread can be started") from None
    finished.acquire()
    if errors:
        try:
            raise errors[0]
        finally:
            errors.clear()  # the error holds this frame
    return results[0]
