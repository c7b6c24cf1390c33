"""Structures that are nested deeper than Python's stack, or hold themselves: one error for them.

Nothing is measured before: Python's own RecursionError is looked at, and told as what it comes of.
"""

from __future__ import annotations

import enum
import functools
import reprlib
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np

from graphrt import errors

_P = ParamSpec("_P")
_Result = TypeVar("_Result")
_BLAMED = 8  # a structure that is nested less than this part of Python's limit is not what was too deep
_MOST = 1 << 20  # parts that are looked at


def depth_of(value: object) -> tuple[int, bool]:
    """How deep lists, tuples, mappings and arrays of objects are nested in `value`, and whether one holds itself.

    >>> depth_of([1, {"a": (2,)}]), depth_of(3)
    ((3, False), (0, False))
    """
    deepest, seen = 0, 0
    open_: set[int] = set()
    waiting: list[tuple[Any, int]] = [(value, 0)]  # a depth of -1: all of its parts have been looked at
    while waiting and seen < _MOST:
        part, depth = waiting.pop()
        if depth < 0:
            open_.discard(id(part))
            continue
        parts = _parts(part)
        if parts is None:
            continue
        if id(part) in open_:
            return depth, True
        open_.add(id(part))
        seen += 1
        deepest = max(deepest, depth + 1)
        waiting.append((part, -1))
        waiting.extend((inner, depth + 1) for inner in parts)
    return deepest, False


def _parts(value: Any) -> Iterable[Any] | None:
    if isinstance(value, (list, tuple)):
        return value
    if isinstance(value, Mapping):
        return list(value.values())
    if isinstance(value, np.ndarray) and value.dtype == object:
        return list(value.flat)
    return None


def shown(value: object) -> str:
    """`repr(value)`, shortened where it is too deep for that: what errors show values with."""
    try:
        return repr(value)
    except RecursionError:
        return reprlib.repr(value)


def said(value: object) -> str:
    """`str(value)`, shortened where it is too deep for that: what errors show values with as Keras does."""
    return value if isinstance(value, str) else shown(value) if isinstance(value, (list, tuple, dict)) else str(value)


def told(values: Iterable[object], error: RecursionError) -> Exception:
    """What to raise for a RecursionError that came while `values` were walked: a ValueError if one of them is too deep."""
    limit = sys.getrecursionlimit()
    for value in values:
        depth, holds_itself = depth_of(value)
        if holds_itself or depth > limit // _BLAMED:
            how = "holds itself" if holds_itself else f"is nested {depth} levels deep"
            text = f"a {type(value).__name__} {how}: Python's limit of recursion, {limit}, does not let it be walked"
            return ValueError(errors.at_user_line(text))
    return error


def walkable(value: Any) -> Any:
    """`value`, which is no array of objects that holds itself: NumPy's own functions of such a one end the process.

    Raises:
      ValueError: it is.
    """
    if isinstance(value, np.ndarray) and value.dtype == object and depth_of(value)[1]:
        raise told((value,), RecursionError())
    return value


def bounded(function: Callable[_P, _Result]) -> Callable[_P, _Result]:
    """Decorates a function of structures, so that it tells of those that are too deep."""

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _Result:
        try:
            return function(*args, **kwargs)
        except RecursionError as error:
            raise told((*args, *kwargs.values()), error) from None

    return call


def tell_of_depth(cls: type) -> None:
    """Lets the constructor of a class of this package tell of arguments that are too deep to be compared or shown."""
    if "__init__" in vars(cls) and cls.__module__.startswith("graphrt."):
        cls.__init__ = bounded(cls.__init__)  # type: ignore[misc]


class Choices(enum.EnumMeta):
    """Of enumerations that tell of values that cannot be compared or shown."""

    @bounded
    def __call__(cls, value: Any, *args: Any, **kwargs: Any) -> Any:
        if (args or kwargs) and cls.__members__:  # where Python would make another enumeration
            raise TypeError(errors.at_user_line(f"{cls.__name__} takes one value, found {1 + len(args) + len(kwargs)}"))
        return super().__call__(value, *args, **kwargs)
