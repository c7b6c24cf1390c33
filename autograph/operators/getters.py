"""What the functions of `operator` and `copy` make of names calls what a class of the user's has, converted.

attrgetter("v")(p)          the getter of a property
methodcaller("m", 1)(p)     `P.m`
copy(p), replace(p, v=1)    `P.__copy__`, the `__post_init__` of a dataclass
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.operators import dispatch
from autograph.operators.calls import converted_call
from autograph.operators.decisions import DEFAULT_SCOPE, Handler, Scope, handlers_of_functions, library_twin
from autograph.operators.introspection import special_kinds
from autograph.operators.protocols import reads_plainly

globals()["__builtins__"] = OWN


def _of_one(get: Callable[[Any, Any, Scope], Any]) -> Handler:
    """For what `operator` makes of names: called with one object, it does with that what `get` does."""

    def handler(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
        if len(args) != 1 or kwargs or reads_plainly(args[0]):
            return f(*args, **(kwargs or {}))
        return get(f.__reduce__(), args[0], scope or DEFAULT_SCOPE)

    return handler


def _each(get: Callable[[Any, Any, Scope], Any]) -> Handler:
    def found(made: Any, o: object, scope: Scope) -> Any:
        values = tuple([get(o, name, scope) for name in made[1]])
        return values[0] if len(values) == 1 else values

    return _of_one(found)


def _attribute_of(o: Any, name: str, scope: Scope) -> Any:
    for part in name.split("."):
        o = dispatch.attribute(o, part, scope)[0]
    return o


def _method_of(made: Any, o: object, scope: Scope) -> Any:
    maker, args, *_ = made
    named = {}
    if issubclass(type(maker), functools.partial):
        args, named = (*maker.args, *args), maker.keywords
    return converted_call(dispatch.attribute(o, args[0], scope)[0], args[1:], named, scope)


special_kinds |= {
    id(operator.attrgetter): _each(_attribute_of),
    id(operator.itemgetter): _each(lambda o, key, scope: dispatch.item(o, key, scope)[0]),
    id(operator.methodcaller): _of_one(_method_of),
}


def _copied_by(name: str, *more: Callable[[], Any]) -> Handler:
    """For functions of `copy`: what a class has by a name makes the copy."""

    def handler(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
        method = dispatch.found_on(type(args[0]), name) if len(args) == 1 else None
        if type(method) is not FunctionType or (more and kwargs):
            return f(*args, **(kwargs or {}))
        return converted_call(method, (*args, *[make() for make in more]), kwargs, scope)

    return handler


def _replaced(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    return (library_twin(f, scope) or f)(*args, **(kwargs or {}))


handlers_of_functions |= {
    ("copy", "copy"): _copied_by("__copy__"),
    ("copy", "deepcopy"): _copied_by("__deepcopy__", dict),
    ("copy", "replace"): _copied_by("__replace__"),
    ("dataclasses", "replace"): _replaced,
    ("dataclasses", "_replace"): _replaced,
}
