"""Functions that call themselves under staged conditions: a backend may have their calls made in a way of its own.

    def fact(n):                      with calls_of([fact.__code__], as_node):
        if n <= 1:                        fact(n), called by converted code, is as_node(fact)(n)
            return 1
        return n * fact(n - 1)        and is as it was in other threads, and afterwards

Staging both branches of such a condition calls the function again, without end. That this happens is learned from staging
that failed, see `conversion/diagnosis.py`: only then are calls of the function looked at.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable
from contextvars import ContextVar
from types import CodeType, FunctionType
from typing import Any, TypeAlias

from autograph.backends.blocks import block
from autograph.backends.own_builtins import OWN
from autograph.backends.registry import decisions_changed
from autograph.backends.threads import of_its_thread

globals()["__builtins__"] = OWN

How: TypeAlias = Callable[[FunctionType], Callable[..., Any]]
_Key: TypeAlias = tuple[str, int, str]

_MOST = 1000
_lock = threading.Lock()
_known: dict[_Key, None] = {}  # state: locked, bounded: functions whose calls are looked at
_ways: ContextVar[dict[_Key, How] | None] = ContextVar("autograph_ways_of_recursion", default=None)
_current = of_its_thread(_ways, None)


def _key(code: CodeType) -> _Key:
    """What the code of a function has in common with that of its converted form."""
    return code.co_filename, code.co_firstlineno, code.co_qualname


def is_looked_at(f: FunctionType) -> bool:
    """Whether somebody has, or had, a say in how a function is called."""
    return bool(_known) and _key(f.__code__) in _known


def called_instead(f: FunctionType) -> Callable[..., Any] | None:
    """What is to be called in place of a function here and now; None for the function itself."""
    how = (_current() or {}).get(_key(f.__code__))
    return None if how is None else how(f)


def is_called_otherwise(code: CodeType) -> bool:
    """Whether converted code calls something else here and now in place of functions with this code.

    >>> is_called_otherwise((lambda: 1).__code__)
    False
    """
    return _key(code) in (_current() or {})


@block
def calls_of(codes: Iterable[CodeType], how: How) -> Generator[None, None, None]:
    """While this is open, converted code calls `how(f)` for functions `f` with these codes, if arguments are staged.

    A code may be that of the converted form. Other threads are not concerned.

    >>> def f(x):
    ...     return x
    >>> with calls_of([f.__code__], lambda f: print):
    ...     is_called_otherwise(f.__code__)
    True
    """
    keys = [_key(code) for code in codes]
    with _lock:
        new = [key for key in keys if key not in _known]
        if len(_known) + len(new) > _MOST:
            _known.clear()
            new = keys
        _known.update(dict.fromkeys(new))
    if new:
        decisions_changed()
    token = _ways.set({**(_current() or {}), **dict.fromkeys(keys, how)})
    try:
        yield from (None,)
    finally:
        _ways.reset(token)
