"""What a place in compiled code remembers of what it called last: what to call in place of that need not be asked again."""

from __future__ import annotations

import threading
from types import FunctionType, MethodType
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.operators.calls import callee, lives_on
from autograph.operators.decisions import on_forgotten

globals()["__builtins__"] = OWN

_MOST_FILLED = 2000


class Site:
    """A place of compiled code that calls something by its name.

    `kept` is what it called last, and what was called in place of that, as long as it is of a module.
    """

    __slots__ = ("kept", "scope")

    def __init__(self, scope: Any) -> None:
        self.scope = scope
        self.kept = _NOTHING_KEPT

    def find(self, f: Any) -> Any:
        """What to call in place of `f`."""
        target = callee(f, self.scope)
        kind = type(f)
        if kind is FunctionType:
            if f in self.scope.kept and lives_on(f):  # others are asked for again: a statement may be told of them
                self.keep((f, target))
        return target

    def keep(self, kept: tuple[Any, ...]) -> None:
        """Remembers, until decisions are dropped or converted code is entered anew."""
        if len(_filled) >= _MOST_FILLED:  # code that calls itself holds itself
            forget_sites()
        with _lock:
            self.kept = kept
            _filled.append(self)


class MethodSite(Site):
    """The same for methods: `kept` are functions."""

    __slots__ = ()

    def find(self, f: Any) -> Any:
        """What to call in place of `f`."""
        target = callee(f, self.scope)
        if type(f) is MethodType and type(target) is MethodType:
            function = f.__func__
            if type(function) is FunctionType and function in self.scope.kept and lives_on(function):
                self.keep((function, target.__func__))
        return target


class ClassSite(Site):
    """The same for classes: `kept` is a class with its `__init__` and `__new__`, and what makes instances."""

    __slots__ = ()

    def find(self, f: Any) -> Any:
        """What to call in place of `f`."""
        target = callee(f, self.scope)
        if type(f) is type and f in self.scope.makers:
            self.keep((f, f.__init__, f.__new__, target))  # type: ignore[misc]
        return target


_NOTHING_KEPT: tuple[Any, ...] = (Site, None, None, None)
_filled: list[Site] = []
_lock = threading.Lock()


@on_forgotten
def forget_sites() -> None:
    """Has all places ask anew: functions and classes may have been given other code."""
    if not _filled:
        return
    with _lock:
        for site in _filled:
            site.kept = _NOTHING_KEPT
        _filled.clear()
