"""What goes through iterables in C, and combines what is in them, where a backend has one: `itertools`, `math.prod`.

Each is then what Python's documentation says it is equivalent to, converted: of lists, as a graph has all elements at
once. Otherwise it is what it was. https://docs.python.org/3/library/itertools.html
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.registry import backend_of
from autograph.backends.trace import current_trace, seen
from autograph.operators.calls import Args, callback
from autograph.operators.comprehensions import generated
from autograph.operators.decisions import Scope, library_twin

globals()["__builtins__"] = OWN


def _accumulate(iterable: Iterable[Any], func: Any = None, *, initial: Any = None) -> list[Any]:
    function = operator.add if func is None else func
    found = [] if initial is None else [initial]
    for item in iterable:
        found.append(function(found[-1], item) if len(found) > 0 else item)
    return found


def _chain(*parts: Iterable[Any]) -> list[Any]:
    found = []
    for part in parts:
        for item in part:
            found.append(item)
    return found


def _compress(data: Iterable[Any], selectors: Iterable[Any]) -> list[Any]:
    return [item for item, flag in zip(data, selectors) if flag]


def _islice(items: Iterable[Any], *bounds: int | None) -> list[Any]:
    found = list(items)
    return found[: bounds[0]] if len(bounds) == 1 else found[slice(*bounds)]


def _pairwise(items: Iterable[Any]) -> list[Any]:
    found = list(items)
    return [(found[k], found[k + 1]) for k in range(len(found) - 1)]


def _product(*parts: Iterable[Any], repeat: int = 1) -> list[Any]:
    found: list[Any] = [()]
    for part in parts * repeat:
        items = list(part)
        found = [(*row, item) for row in found for item in items]
    return found


def _repeat(object: Any, times: int) -> list[Any]:
    return [object for _ in range(times)]


def _starmap(function: Callable[..., Any], items: Iterable[Any]) -> list[Any]:
    return [function(*item) for item in items]


def _prod(items: Iterable[Any], *, start: Any = 1) -> Any:
    found = start
    for item in items:
        found = found * item
    return found


IN_PYTHON: dict[object, Any] = {
    itertools.accumulate: _accumulate, itertools.chain: _chain, itertools.compress: _compress, itertools.islice: _islice,
    itertools.pairwise: _pairwise, itertools.product: _product, itertools.repeat: _repeat, itertools.starmap: _starmap,
    math.prod: _prod,
}  # fmt: skip


def combined(f: Any, args: Args, kwargs: dict[str, Any], scope: Scope) -> object:
    """What such a function gives; NotImplemented where Python can go through what it is given."""
    if current_trace() is None:
        return NotImplemented
    given = [*map(seen, args if f is not itertools.repeat else args[1:])]
    staged = next((value for value in given if backend_of(value) is not None), None)
    twin = None if staged is None else library_twin(IN_PYTHON[f], scope)
    if twin is None:
        return NotImplemented
    found = twin(*[callback(value, scope) for value in args], **{k: callback(v, scope) for k, v in kwargs.items()})
    return found if f is math.prod else generated(found, staged, f"{f.__name__}(...)")
