"""Calls of native code: what to call in place of a callable, so that Python itself makes the call.

    f(x, k=1)    ->   ag__.callee(f, fscope)(x, k=1)         like `ag__.converted_call(f, (x,), dict(k=1), fscope)`

There is no frame in between, unless the arguments have a say in how `f` is called. See `emit/calls.py`.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

# By value, as in `calls.py`.
from builtins import getattr, id, issubclass, len, str, type  # noqa: UP029  # isort: skip

from autograph.backends.journal import open_journals
from autograph.backends.trace import made as own
from autograph.backends.trace import with_stand_ins
from autograph.operators import effects
from autograph.operators.calls import (
    AS_IS,
    CONVERT,
    MACHINERY,
    Entry,
    is_made_as_it_is,
    making,
    on_forgotten,
    runs_as_it_is,
    special_callables,
    star_call,
)
from autograph.operators.frames import CALL

_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_ABSTRACT = 1 << 20  # Py_TPFLAGS_IS_ABSTRACT
_object_new = object.__new__


# Kinds of functions that are called with no frame in between.
_IN_PERSON = (AS_IS, MACHINERY)


def is_static(kind: type) -> bool:
    """Whether a type is written in C."""
    return not kind.__flags__ & _HEAP_TYPE


def callee(f: Any, scope: Any) -> Any:
    """What to call in place of `f`, with the same arguments, none of them called `key`, `func` or `function`.

    >>> from autograph.generated import STD, FunctionScope
    >>> callee(ord, FunctionScope("f", "fscope", STD)) is ord
    True
    """
    kind = type(f)
    if kind is FunctionType:
        kept = scope.kept.get(f)
        if kept is not None and f.__code__ is kept[0] and f.__defaults__ is kept[2]:
            return kept[1]
        entry = scope.entries.get(id(f.__code__))
        if entry is not None:
            if entry.kind == CONVERT:
                return _bound(entry, f, scope)
            if entry.kind in _IN_PERSON:
                return star_call(f, scope) if open_journals or with_stand_ins else f
        elif runs_as_it_is(f, scope):
            return star_call(f, scope) if open_journals or with_stand_ins else f
    elif kind is MethodType:
        function = f.__func__
        if type(function) is FunctionType:
            kept = scope.kept.get(function)
            if kept is not None and function.__code__ is kept[0] and function.__defaults__ is kept[2]:
                return MethodType(kept[1], f.__self__)
            entry = scope.entries.get(id(function.__code__))
            if entry is not None:
                if entry.kind == CONVERT:
                    return MethodType(_bound(entry, function, scope), f.__self__)
                if entry.kind in _IN_PERSON:
                    return star_call(f, scope) if open_journals or with_stand_ins else f
            elif runs_as_it_is(function, scope):
                return star_call(f, scope) if open_journals or with_stand_ins else f
    elif kind is BuiltinFunctionType:
        if open_journals or with_stand_ins:
            return star_call(f, scope)
        special = special_callables.get(f)
        if special is None:
            return making(f) if f.__name__ == "__new__" else f
        if special[1] is None:
            return special[0]
    elif kind is type:
        maker = scope.makers.get(f)
        if maker is not None:
            return maker
        special = special_callables.get(f)
        if special is not None:
            if special[1] is None:
                return star_call(f, scope) if open_journals and id(f) in effects.container_types else special[0]
        elif not f.__flags__ & _HEAP_TYPE:
            if open_journals or with_stand_ins:
                return star_call(f, scope)
            effects.may_change(f)
            return f
        else:
            new, init = f.__new__, f.__init__
            if is_made_as_it_is(f, new, init, scope):
                if open_journals or with_stand_ins:
                    return star_call(f, scope)
                if str(f.__module__).partition(".")[0] in sys.stdlib_module_names:  # it may look at its caller
                    effects.may_change(f)
                    return f
                return making(f)
            if new is _object_new and not f.__flags__ & _ABSTRACT:
                return _maker(f, init, scope)
    elif kind is functools.partial:
        if _CALLBACKS.isdisjoint(f.keywords):
            target = callee(f.func, scope)
            if type(target) is not star_call:
                return functools.partial(target, *f.args, **f.keywords)
    elif kind.__flags__ & _HEAP_TYPE and not issubclass(kind, type):
        call = getattr(kind, CALL, None)
        if type(call) is FunctionType:
            target = callee(call, scope)
            if type(target) is FunctionType:
                return MethodType(target, f)
    return star_call(f, scope)


def star_callee(f: Any, scope: Any) -> Any:
    """The same where arguments come with stars, or are called as callbacks are: errors in these name `f`."""
    return callee(f, scope) if type(f) is FunctionType or type(f) is MethodType else star_call(f, scope)


_MOST_KEPT = 500
_MOST_FILLED = 2000
_SAME_NEXT_TIME = frozenset({FunctionType, BuiltinFunctionType, type})
_CALLBACKS = frozenset({"key", "func", "function"})


def _bound(entry: Entry, f: FunctionType, scope: Any) -> FunctionType:
    """The converted function for `f`; kept for the next call where all it holds lives as long as a module."""
    twin = entry.bind(f)
    if f.__closure__ is None and f.__kwdefaults__ is None and _lives_on(f):
        if len(scope.kept) >= _MOST_KEPT:
            scope.kept.clear()
        scope.kept[f] = f.__code__, twin, f.__defaults__
    return twin


def _lives_on(f: FunctionType) -> bool:
    """Whether a function is one of a module."""
    module = f.__module__
    return (
        "<" not in f.__qualname__
        and type(module) is str
        and (getattr(sys.modules.get(module), "__dict__", None) is f.__globals__)
    )


def _maker(made: type, init: FunctionType, scope: Any) -> Callable[..., Any]:
    """What makes instances of a class whose `__init__` is converted, as `type.__call__` does."""
    target, code, defaults = callee(init, scope), init.__code__, init.__defaults__

    def make(*args: Any, **kwargs: Any) -> Any:
        if (
            made.__init__ is not init  # type: ignore[misc]
            or init.__code__ is not code
            or init.__defaults__ is not defaults
            or made.__new__ is not _object_new
        ):
            return star_call(made, scope)(*args, **kwargs)
        instance: Any = own(_object_new(made))
        result = target(instance, *args, **kwargs) if kwargs else target(instance, *args)
        if result is not None:
            raise TypeError(f"__init__() should return None, not '{type(result).__name__}'")
        return instance

    module = made.__module__
    if type(module) is str and "<" not in made.__qualname__:
        if getattr(sys.modules.get(module), "__dict__", {}).get(made.__name__) is made:
            if len(scope.makers) >= _MOST_KEPT:
                scope.makers.clear()
            scope.makers[made] = make
    return make


# What a place in compiled code remembers of what it called last


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
            if f in self.scope.kept and _lives_on(f):  # others are asked for again: a statement may be told of them
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
            if type(function) is FunctionType and function in self.scope.kept and _lives_on(function):
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
