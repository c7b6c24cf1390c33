"""Room for recursion: trees may be nested more deeply than the interpreter's stack is set up for."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")

_DEPTH = 40_000
_STACK = 512 * 1024 * 1024  # only touched as far as it is used
_lock = threading.Lock()


def with_deep_stack(work: Callable[[], Result]) -> Result:
    """`work()`; should it run out of stack, again in a thread of its own that has more.

    Also helps a function that is called, and so converted, for the first time near the recursion limit. Raises what
    `work` raises; `RecursionError` if even the larger stack is too small.
    """
    try:
        return work()
    except RecursionError:
        pass
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    with _lock:
        limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK)
        sys.setrecursionlimit(max(limit, _DEPTH))
        try:
            thread = threading.Thread(target=run, name="autograph-conversion")
            thread.start()
            thread.join()
        finally:
            sys.setrecursionlimit(limit)
            threading.stack_size(size)
    if errors:
        raise errors[0]
    return results[0]
