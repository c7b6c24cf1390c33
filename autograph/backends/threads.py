"""What a thread does not take over from the one that started it, where Python hands contexts on.

A free-threaded build starts a thread with the context of the thread that starts it (`sys.flags.thread_inherit_context`,
see https://docs.python.org/3/library/threading.html#threading.Thread). Settings may go along; what is being traced must
not: two threads would write into one graph.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

from autograph.backends.own_builtins import OWN

globals()["__builtins__"] = OWN

_T = TypeVar("_T")

INHERITED = bool(getattr(sys.flags, "thread_inherit_context", False))
"""Whether a thread begins with the context of the one that started it."""


class _Local(threading.local):
    def __init__(self) -> None:
        self.token = object()


_local = _Local()
_thread: ContextVar[object] = ContextVar("autograph_thread", default=None)
_owned: list[tuple[ContextVar[Any], object]] = []  # state: registry, filled by imports


def _arrive() -> None:
    for variable, default in _owned:
        variable.set(default)
    _thread.set(_local.token)


def of_its_thread(variable: ContextVar[_T], default: _T) -> Callable[[], _T]:
    """`variable.get`; in a thread that began with another's context the variable is `default`, until it is set there.

    Ask it before the variable is set.

    >>> number = ContextVar("number", default=0)
    >>> get = of_its_thread(number, 0)
    >>> token = number.set(1) if get() == 0 else None
    >>> seen = []
    >>> thread = threading.Thread(target=lambda: seen.append(get()))
    >>> thread.start(); thread.join()
    >>> get(), seen
    (1, [0])
    """
    if not INHERITED:
        return variable.get
    _owned.append((variable, default))

    def get() -> _T:
        if _thread.get() is not _local.token:
            _arrive()
        return variable.get()

    return get
