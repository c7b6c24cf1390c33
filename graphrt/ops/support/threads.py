"""How many threads programs use, and the threads.

There is one pool for the process, made when there is work for it; it never has more threads than the machine has
processors. A program waits for what it has given to the pool, and does a part of the work itself.
"""

from __future__ import annotations

import contextvars
import itertools
import os
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor


class Setting:
    """A number of threads that the user may set; 0 leaves it to the machine."""

    __slots__ = ("chosen",)

    def __init__(self) -> None:
        self.chosen = 0

    def number(self) -> int:
        """How many threads that is."""
        return self.chosen or processors()


def processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0)) or 1
    except AttributeError:  # only Linux tells
        return os.cpu_count() or 1


INTER = Setting()  # nodes of a program, side by side
INTRA = Setting()  # parts of one node's work

_lock = threading.Lock()
# state: locked by _lock
_pools: dict[int, ThreadPoolExecutor] = {}  # by process: threads do not outlive a fork


def _pool() -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor  # lazy: most programs have one thread, and it takes 4 ms

    with _lock:
        found = _pools.get(os.getpid())
        if found is None:
            _pools.clear()
            found = ThreadPoolExecutor(max(processors(), 2), thread_name_prefix="graphrt work")
            _pools[os.getpid()] = found
        return found


_working: contextvars.ContextVar[bool] = contextvars.ContextVar("graphrt_working", default=False)


def is_worker() -> bool:
    """Whether this is work that was given to the pool: it gives nothing to it, or the pool could wait for itself."""
    return _working.get()


def _work(call: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    _working.set(True)
    return call(*args)


def side_by_side(call: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
    """`call(*a)` for each of `arguments`, the last one here and the others in the pool; in the caller's context.

    Raises:
      Exception: the first in order that a call raised, after all of them have ended.
    """
    pool = _pool()
    futures: list[Future[Any]] = [pool.submit(contextvars.copy_context().run, _work, call, a) for a in arguments[:-1]]
    failed: BaseException | None = None
    last = None
    try:
        last = call(*arguments[-1])
    except BaseException as raised:
        failed = raised
    failures = [*[future.exception() for future in futures], failed]  # asking waits for all of them
    failure = next((f for f in failures if f is not None), None)
    if failure is not None:
        try:
            raise failure
        finally:
            del failures, failed, failure  # its traceback holds this frame
    return [*[future.result() for future in futures], last]


def useful(most: int) -> int:
    """How many threads one node may use that has work for `most`; always one."""
    return 1 if most < 2 or is_worker() else min(INTRA.number(), most)


def in_parts(call: Callable[[int, int], Any], count: int, most: int) -> list[Any]:
    """`call(start, end)` for parts that together are `range(count)`, on as many threads as one node may use.

    There are no more than `most` parts, and always one. The last is larger by a `most`-th: it begins at once, while the
    others are handed to their threads, which takes about as long.
    """
    number = useful(min(count, most))
    if number < 2:
        return [call(0, count)]
    ends = [count * (most - 1) * i // (most * number) for i in range(number)]
    return side_by_side(call, list(itertools.pairwise([*ends, count])))


def in_shares(call: Callable[[int, int], Any], count: int, most: int) -> list[Any]:
    """As `in_parts`, where each part is much work, none of which is divided further."""

    def share(start: int, end: int) -> Any:
        token = _working.set(True)
        try:
            return call(start, end)
        finally:
            _working.reset(token)

    return in_parts(share, count, most)
