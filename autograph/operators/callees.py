"""Calls of native code: what to call in place of a callable, so that Python itself makes the call.

    f(x, k=1)    ->   ag__.callee(f, fscope)(x, k=1)         like `ag__.converted_call(f, (x,), dict(k=1), fscope)`

There is no frame in between, unless the arguments have a say in how `f` is called. See `conversion/fast/`.
"""

from __future__ import annotations

import builtins
import sys
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

# By value, as in `calls.py`.
from builtins import getattr, id, len, str, type  # noqa: UP029  # isort: skip

from autograph.operators.builtins import OPERATORS
from autograph.operators.calls import AS_IS, CONVERT, MACHINERY, Entry, is_made_as_it_is, runs_as_it_is, special_callables, star_call

_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_ABSTRACT = 1 << 20  # Py_TPFLAGS_IS_ABSTRACT
# Their handlers look for `key`, which a call by `callee` does not have.
_WITHOUT_KEY = {f: OPERATORS[f] for f in (builtins.any, builtins.all, builtins.max, builtins.min, builtins.sorted)}
_object_new = object.__new__


# Kinds of functions that are called with no frame in between.
_IN_PERSON = (AS_IS, MACHINERY)


def is_static(kind: type) -> bool:
    """Whether a type is written in C."""
    return not kind.__flags__ & _HEAP_TYPE


def callee(f: Any, scope: Any) -> Any:
    """What to call in place of `f`, with the same arguments, none of them called `key`, `func` or `function`.

    >>> from autograph.generated import STD, FunctionScope
    >>> callee(divmod, FunctionScope("f", "fscope", STD)) is divmod
    True
    """
    kind = type(f)
    if kind is FunctionType:
        kept = scope.kept.get(f)
        if kept is not None and f.__code__ is kept[0] and f.__defaults__ is None:
            return kept[1]
        entry = scope.entries.get(id(f.__code__))
        if entry is not None:
            if entry.kind == CONVERT:
                return _bound(entry, f, scope)
            if entry.kind in _IN_PERSON:
                return f
        elif runs_as_it_is(f, scope):
            return f
    elif kind is MethodType:
        function = f.__func__
        if type(function) is FunctionType:
            kept = scope.kept.get(function)
            if kept is not None and function.__code__ is kept[0] and function.__defaults__ is None:
                return MethodType(kept[1], f.__self__)
            entry = scope.entries.get(id(function.__code__))
            if entry is not None:
                if entry.kind == CONVERT:
                    return MethodType(_bound(entry, function, scope), f.__self__)
                if entry.kind in _IN_PERSON:
                    return f
            elif runs_as_it_is(function, scope):
                return f
    elif kind is BuiltinFunctionType:
        special = special_callables.get(f)
        if special is None:
            return f
        if special[1] is None:
            return special[0]
        if f in _WITHOUT_KEY:
            return _WITHOUT_KEY[f]
    elif kind is type:
        special = special_callables.get(f)
        if special is not None:
            if special[1] is None:
                return special[0]
        elif not f.__flags__ & _HEAP_TYPE:
            return f
        else:
            new, init = f.__new__, f.__init__
            if is_made_as_it_is(f, new, init, scope):
                return f
            if new is _object_new and not f.__flags__ & _ABSTRACT:
                return _Maker(f, callee(init, scope))
    return star_call(f, scope)


def star_callee(f: Any, scope: Any) -> Any:
    """The same where arguments come with stars: errors in these name `f`."""
    return callee(f, scope) if type(f) is FunctionType or type(f) is MethodType else star_call(f, scope)


_MOST_KEPT = 500


def _bound(entry: Entry, f: FunctionType, scope: Any) -> FunctionType:
    """The converted function for `f`; kept for the next call where all it holds lives as long as a module."""
    twin = entry.bind(f)
    if (
        f.__closure__ is None and f.__defaults__ is None and f.__kwdefaults__ is None and "<" not in f.__qualname__
        and getattr(sys.modules.get(str(f.__module__)), "__dict__", None) is f.__globals__
    ):
        if len(scope.kept) >= _MOST_KEPT:
            scope.kept.clear()
        scope.kept[f] = f.__code__, twin
    return twin


def if_function(f: Any, target: Any) -> Any:
    """`f` if `target`, to be called in its place, will be the same next time; else None."""
    return f if type(target) is FunctionType else None


def learned_method(f: Any, scope: Any) -> tuple[Any, Any, Any]:
    """What to call in place of a method, its function, and what to call in place of that: `None` twice if not known."""
    target = callee(f, scope)
    return (target, f.__func__, target.__func__) if type(target) is MethodType else (target, None, None)


class _Maker:
    """Makes instances of a class whose `__init__` is converted."""

    __slots__ = ("_class", "_init")

    def __init__(self, made: type, init: Any) -> None:
        self._class = made
        self._init = init

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        instance: Any = _object_new(self._class)
        result = self._init(instance, *args, **kwargs)
        if result is not None:
            raise TypeError(f"__init__() should return None, not '{type(result).__name__}'")
        return instance
