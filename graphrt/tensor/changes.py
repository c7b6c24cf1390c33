"""What a call has changed so far, so that it can be undone: all assignments of a call take place, or none of them.

What can be undone has two methods: `saved()` gives its state, which never changes in place, and `restore(state)` sets it.

A change is kept in a context variable, and left by setting back what was there before: an interrupt may come whenever a
function returns, and nothing is lost then.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from graphrt.types.leaving import of_its_thread

if TYPE_CHECKING:
    from graphrt.tensor.tensor import Tensor
    from graphrt.types.likes import DTypeLike, ShapeLike, TensorLike

_Result = TypeVar("_Result")


class Undoable(ABC):
    """State behind a handle: a variable's value, the items of a table."""

    __slots__ = ()

    @abstractmethod
    def saved(self) -> Any:
        """The state now."""

    @abstractmethod
    def restore(self, state: Any) -> None:
        """Sets a state that `saved` gave."""


class _Change:
    __slots__ = ("_kept", "_outer")

    def __init__(self, outer: _Change | None) -> None:
        self._outer = outer
        self._kept: dict[int, tuple[Undoable, object]] = {}

    def keep(self, thing: object) -> None:
        """Remembers the state of `thing`, the first time."""
        if isinstance(thing, Undoable) and id(thing) not in self._kept:
            if self._outer is not None:
                self._outer.keep(thing)
            self._kept[id(thing)] = thing, thing.saved()

    def undo(self) -> None:
        for thing, state in list(self._kept.values()):
            thing.restore(state)


_change: ContextVar[_Change | None] = ContextVar("graphrt_change", default=None)
running = of_its_thread(_change, None)
leave = _change.set


def begin(*things: object) -> None:
    """Begins a change, and keeps the states of `things`. Whoever calls this calls `leave(before)` in a `finally`."""
    change = _Change(running())
    for thing in things:
        change.keep(thing)
    _change.set(change)


def undo(before: _Change | None) -> None:
    """Undoes the change that runs now, if that is not `before`."""
    change = running()
    if change is not None and change is not before:
        change.undo()


def keep(things: Iterable[object]) -> None:
    """Says that `things` may be written to now."""
    change = running()
    if change is not None:
        for thing in things:
            change.keep(thing)


def atomically(things: Iterable[object], call: Callable[[], _Result]) -> _Result:
    """`call()`; if it fails, `things`, and all that it wrote to, are as they were."""
    before = running()
    try:
        begin(*things)
        return call()
    except BaseException:
        undo(before)
        raise
    finally:
        leave(before)


# --- what calls of functions look at before they take the short way ----------------------------------------------------
switching = threading.RLock()  # it may be asked for by what is collected while it is held


class Promoting(Protocol):
    """What `tensor/promotion.py` does below it, where the context asks for it."""

    def operands(self, x: TensorLike, y: TensorLike) -> tuple[TensorLike, TensorLike]:
        """Two operands as an operator takes them."""

    def constant(self, value: TensorLike, dtype: DTypeLike | None, shape: ShapeLike, name: str) -> Tensor | None:
        """`tf.constant`; None where that is as ever."""


class _Switch:
    """`on` says whether there is anything to look at, so that a call asks once."""

    __slots__ = ("changing", "on", "promoting", "run_eagerly", "stale")

    def __init__(self) -> None:
        self.on = self.run_eagerly = self.stale = False
        self.promoting: Promoting | None = None  # once a context has asked for conversions of dtypes
        self.changing = 0  # Python functions that run now as part of a call that may have to be undone

    def set(self, **switches: bool | Promoting | None) -> None:
        """Sets `run_eagerly`, `stale` or `promoting`."""
        with switching:
            for name, value in switches.items():
                setattr(self, name, value)
            self._settle()

    def _settle(self) -> None:
        self.on = self.run_eagerly or self.stale or self.promoting is not None or self.changing > 0

    def while_changing(self, call: Callable[[], Any]) -> Any:
        """`call()`, in which calls of functions say what they may write to."""
        with switching:
            self.changing += 1
            self._settle()
        try:
            return call()
        finally:
            with switching:
                self.changing -= 1
                self._settle()


SWITCH = _Switch()
