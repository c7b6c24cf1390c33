"""The end of a `with` block that Ctrl-C cannot prevent.

Python raises KeyboardInterrupt where a function of Python's begins: an `__exit__` may end before its first line. So `with`
is given an object of its own to call, which only it holds. When the call does not come about, the object is dropped with
the error, and leaves the block then.

    with scope:          looks up scope.__exit__     a `_Leave`: what has been entered by now is the caller's
        ...              calls scope.__enter__
                         calls the `_Leave`          or drops it
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol


class Entered(Protocol):
    """What can be entered: blocks within blocks, of one manager."""

    def entered(self) -> int:
        """How many blocks are open."""

    def leave(self) -> None:
        """Leaves the innermost block: sets what was before, and only then counts one less."""


class _Leave:
    """`__exit__` of a manager, for one `with` block."""

    _depth = float("inf")  # where an interrupt comes before the depth is known nothing is left

    def __init__(self, manager: Entered) -> None:
        self._manager = manager
        self._depth = manager.entered()

    def __call__(self, *error: object) -> None:
        if self._manager.entered():
            self._manager.leave()

    def __del__(self) -> None:
        if self._depth != float("inf") and self._depth < self._manager.entered():
            self._manager.leave()


class Leaving:
    """`__exit__ = Leaving()` in the class of a context manager that is `Entered`.

    >>> class Loud:
    ...     depth = 0
    ...     def entered(self): return self.depth
    ...     def __enter__(self): self.depth += 1
    ...     def leave(self):
    ...         print("left")
    ...         self.depth -= 1
    ...     __exit__ = Leaving()
    >>> with Loud():
    ...     print("inside")
    inside
    left
    """

    def __get__(self, manager: Any, owner: type | None = None) -> Callable[..., None]:
        return _leave_block if manager is None else _Leave(manager)


def _leave_block(manager: Entered, *error: object) -> None:
    if manager.entered():
        manager.leave()


_innermost: ContextVar[object] = ContextVar("graphrt_innermost", default=None)


@contextmanager
def setting(variable: ContextVar[Any], value: object) -> Iterator[None]:
    """`variable` is `value` in the `with` block.

    An interrupt where `__exit__` begins keeps a block from being left. It is dropped with the error, when blocks around it
    may have been left already: then what they have set stays.

    >>> from contextvars import ContextVar
    >>> number = ContextVar("number", default=0)
    >>> with setting(number, 1):
    ...     number.get()
    1
    >>> number.get()
    0
    """
    block = object()
    outer, before = _innermost.set(block), variable.set(value)
    dropped = False
    try:
        yield
    except GeneratorExit:
        dropped = True
        raise
    finally:
        if not dropped or _innermost.get() is block:
            variable.reset(before)
            _innermost.reset(outer)
