"""What searches a list in C, where a list, or what is looked for in it, is staged: `bisect`, `insort`, `insert`.

bisect(rows, x)         `bisect_right`, converted
insort(rows, x)         rows.insert(bisect_right(rows, x), x)
rows.insert(i, x)       rows[i:i] = [x]            which a backend sets, at an index of its own
"""

from __future__ import annotations

import _bisect
from collections.abc import Callable
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.registry import backend_of, first_backend
from autograph.backends.trace import seen
from autograph.operators.calls import Args, callback, converted_call
from autograph.operators.decisions import Scope, library_twin
from autograph.operators.effects import note_changed

globals()["__builtins__"] = OWN

Key = Callable[[float], float] | None


def bisect_right(a: list[float], x: float, lo: int = 0, hi: int | None = None, *, key: Key = None) -> int:
    """The place behind all elements that are not greater than `x`, compared as Python compares them."""
    end = len(a) if hi is None else hi
    while lo < end:
        middle = (lo + end) // 2
        element = a[middle]
        if x < (element if key is None else key(element)):
            end = middle
        else:
            lo = middle + 1
    return lo


def bisect_left(a: list[float], x: float, lo: int = 0, hi: int | None = None, *, key: Key = None) -> int:
    """The place ahead of all elements that are not less than `x`, compared as Python compares them."""
    end = len(a) if hi is None else hi
    while lo < end:
        middle = (lo + end) // 2
        element = a[middle]
        if (element if key is None else key(element)) < x:
            lo = middle + 1
        else:
            end = middle
    return lo


IN_PYTHON: dict[object, Any] = {
    _bisect.bisect_right: bisect_right, _bisect.bisect_left: bisect_left,
    _bisect.insort_right: bisect_right, _bisect.insort_left: bisect_left,
}  # fmt: skip


class Result:
    """What the call of a function in C gives, where no other is needed."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


Work = Callable[[Callable[..., object], Args, dict[str, object], Scope], object]


def searched(search: Work, otherwise: Work) -> Work:
    """What `search` gives as the result; where that is NotImplemented, the arguments that `otherwise` gives."""

    def work(f: Callable[..., object], args: Args, kwargs: dict[str, object], scope: Scope) -> object:
        found = search(f, args, kwargs, scope)
        return otherwise(f, args, kwargs, scope) if found is NotImplemented else Result(found)

    return work


def bisected(f: Callable[..., object], args: Args, kwargs: dict[str, object], scope: Scope) -> object:
    """What a function of `bisect` gives."""
    items = seen(args[0]) if len(args) > 1 and f in IN_PYTHON else None
    staged = backend_of(items) or first_backend(args[1:]) or (first_backend(items) if type(items) is list else None)
    twin = None if items is None or staged is None else library_twin(IN_PYTHON[f], scope)
    if twin is None:
        return NotImplemented
    key = callback(kwargs.get("key"), scope)
    inserts = f.__name__.startswith("insort")
    x = key(args[1]) if inserts and key is not None else args[1]
    place = twin(args[0], x, *args[2:], **{**kwargs, "key": key})
    return converted_call(args[0].insert, (place, args[1]), None, scope) if inserts else place


def inserted(f: Callable[..., object], args: Args, kwargs: dict[str, object], scope: Scope) -> object:
    """What `items.insert(...)` gives."""
    items = getattr(f, "__self__", None)
    backend = backend_of(args[0]) if len(args) == 2 and seen(items) is items else None
    if backend is None:
        return NotImplemented
    note_changed(items)
    backend.set_item(items, slice(args[0], args[0]), [args[1]])
    return None
