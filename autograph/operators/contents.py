"""Comparisons of what is in lists, tuples and dictionaries, where elements are staged or have comparisons of the user's.

[x, 1] == [y, 1]        x == y          for staged `x` and `y`
(x, 1) < (y, 2)         x == y and 1 < 2 or x < y
xs.count(x)             as many as there are
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FunctionType
from typing import Any

from autograph.backends.handing import shown
from autograph.backends.own_builtins import OWN
from autograph.backends.registry import backend_of, first_backend
from autograph.backends.trace import current_trace, seen
from autograph.operators import dispatch
from autograph.operators.builtins import any_, truth_of
from autograph.operators.control_flow import lose_iterator
from autograph.operators.decisions import DEFAULT_SCOPE, Scope, twins_of_dataclasses

globals()["__builtins__"] = OWN

_FAMILIES = (list, tuple, dict)
_MISSING: Any = object()


def family(kind: type) -> type | None:
    """Which of the built-in containers says how objects of a type are compared; a named tuple is a tuple."""
    for base in _FAMILIES:
        if kind is base:
            return base
        if issubclass(kind, base):
            own = kind.__eq__ is base.__eq__ and kind.__ne__ is base.__ne__ and kind.__lt__ is base.__lt__  # type: ignore[operator]
            return base if own else None
    return None


_DEEPEST = 8  # what holds itself has no end


def asks_more(values: Iterable[object], symbol: str, scope: Scope, depth: int = 0) -> bool:
    """Whether any of these values is staged or has such a comparison of the user's, or holds what is or has it."""
    values = values if type(values) is list or type(values) is tuple else list(values)
    if first_backend(values) is not None:
        return True
    names = dispatch.COMPARISONS[symbol][:2]
    for kind in {id(type(value)): type(value) for value in values}.values():
        if (base := family(kind)) is not None:
            if depth == _DEEPEST:
                return False
            parts: list[Any] = [value for value in values if type(value) is kind]
            if any(asks_more(part.values() if base is dict else part, symbol, scope, depth + 1) for part in parts):
                return True
        elif dispatch.has_twins(kind, names, scope):
            return True
    return False


def compared(a: object, b: object, symbol: str, scope: Scope) -> object:
    """`a <symbol> b`, element by element where these are lists, tuples or dictionaries."""
    a, b = seen(a), seen(b)
    base = family(type(a))
    if base is None or base is not family(type(b)) or not asks_more((a, b), symbol, scope):
        return dispatch.compared(a, b, symbol, scope)
    if symbol in ("==", "!="):
        same = _same(a, b, scope)
        return same if symbol == "==" else _not(same)
    if isinstance(a, dict) or not isinstance(a, (list, tuple)) or not isinstance(b, (list, tuple)):
        return dispatch.compared(a, b, symbol, scope)  # which says that dictionaries have no order
    result: object = dispatch.NATIVE[symbol](len(a), len(b))
    for x, y in reversed([*zip(a, b)]):
        if x is y:
            continue
        same = truth_of(compared(x, y, "==", scope))
        if same is not True:
            here = truth_of(compared(x, y, symbol, scope))
            result = here if same is False else _or(_and(_not(same), here), _and(same, result))
    return result


def equal(a: object, b: object) -> object:
    """`a == b` as converted code compares: what is in containers, and what an `__eq__` of the user's says, may be staged.

    >>> equal([1, 2], [1, 2])
    True
    """
    return compared(a, b, "==", DEFAULT_SCOPE)


def positions(x: object, items: Sequence[object], scope: Scope, places: range) -> Iterator[tuple[int, object]]:
    """Each of `places` where `items` may have what is equal to `x`, and whether it does: True, or what is staged."""
    for i, item in enumerate(items) if type(items) is deque else _placed(items, places):  # a deque must not change
        if i in places:
            same = item is x or truth_of(compared(item, x, "==", scope))
            if same is not False:
                yield i, same


def _placed(items: Sequence[object], places: range) -> Iterator[tuple[int, object]]:
    for i in places:
        if i < len(items):  # a comparison may take elements away
            yield i, items[i]


def count(x: object, items: Sequence[object], scope: Scope) -> object:
    """How often `items` has what is equal to `x`."""
    found: Any = 0
    for _, same in positions(x, items, scope, range(len(items))):
        found = found + (1 if same is True else _choice(same, lambda: 1, lambda: 0))
    return found


def index(x: object, items: Sequence[object], scope: Scope, places: range, missing: Callable[[], object]) -> object:
    """The first of `places` where `items` has what is equal to `x`; `missing` raises Python's error where there is none."""
    found: list[tuple[int, object]] = []
    for at in positions(x, items, scope, places):
        found.append(at)
        if at[1] is True:
            break
    if not found:
        return missing()
    last, certain = found.pop()
    if certain is not True:
        anywhere = functools.reduce(_or, [same for _, same in found], certain)
        _backend(anywhere).assert_stmt(anywhere, lambda: "what is looked for is not in the list")
    result: object = last
    for place, same in reversed(found):
        result = _choice(same, lambda: place, lambda: result)
    return result


def without(at: Any, items: Sequence[object]) -> list[object]:
    """`items` but for the one at a staged place: what stands behind that moves up."""
    pairs = zip(items, [*items][1:])
    return [_choice(at > k, lambda: a, lambda: b) for k, (a, b) in enumerate(pairs)]


def contains(x: object, items: Iterable[object], scope: Scope) -> object:
    """Whether any of `items` is equal to `x`; an iterator has given the elements up to the first one that is."""
    found = any_(x is item or compared(item, x, "==", scope) for item in items)
    if found is not True and found is not False and isinstance(items, Iterator):
        lose_iterator(items)
    return found


def is_gone_through(kind: type) -> bool:
    """Whether Python's `in` compares the elements of such a container, without asking it."""
    return kind in _KEEPING or (hasattr(kind, "__next__") and kind.__module__ in ("builtins", "itertools"))


def compared_by_python(x: object, container: Any) -> Any:
    """`container`, as `contains` goes through it for `x in container`, where Python compares the elements.

    A list for what keeps its elements, an iterator as it is; None for all others, and where nothing is being staged.
    """
    kind = type(container)
    if kind is list or kind is tuple:
        return container
    if current_trace() is None or not is_gone_through(kind) or (kind is _KEYS and backend_of(x) is None):
        return None
    return [*container] if kind in _KEEPING else container


_KEYS: type = type({}.keys())
_KEEPING = frozenset((deque, _KEYS, type({}.values()), type({}.items())))


def _same(a: Any, b: Any, scope: Scope) -> object:
    if len(a) != len(b):
        return False
    result: object = True
    if isinstance(a, dict):
        for key, value in [*a.items()]:
            if key in a:  # a comparison may have taken it away
                other = dict.get(b, key, _MISSING)
                result = False if other is _MISSING else _and(result, _same_elements(value, other, scope))
            if result is False:
                break
        return result
    i = 0
    while i < len(a) and i < len(b):
        result = _and(result, _same_elements(a[i], b[i], scope))
        if result is False:  # a comparison may have taken elements away
            return len(a) == len(b) and i >= len(a)
        i += 1
    return result if len(a) == len(b) else False


def _same_elements(x: object, y: object, scope: Scope) -> object:
    return x is y or truth_of(compared(x, y, "==", scope))


# --- what `dataclass` writes ---
def _by_fields(symbol: str) -> Callable[[FunctionType, Scope], Any]:
    """Makes twins of the comparisons that `dataclass` writes, of which there is no text: they compare tuples of fields."""

    def make(f: FunctionType, scope: Scope) -> Any:
        def compare(self: Any, other: Any) -> object:
            if other.__class__ is not self.__class__:
                return NotImplemented
            names = [name for name in f.__code__.co_names if name in self.__dataclass_fields__]
            ours, theirs = (shown(tuple([getattr(value, name) for name in names])) for value in (self, other))
            return compared(ours, theirs, symbol, scope) if asks_more((ours, theirs), symbol, scope) else f(self, other)

        return compare

    return make


twins_of_dataclasses.update(
    (forward, _by_fields(symbol)) for symbol, (forward, _, _) in dispatch.COMPARISONS.items() if symbol != "!="
)


# --- truths, which may be staged ---
def _backend(value: object) -> Any:
    return backend_of(value)


def _and(a: object, b: object) -> object:
    if a is False or b is False:
        return False
    if a is True or b is True:
        return b if a is True else a
    return _backend(a).and_(a, lambda: b)


def _or(a: object, b: object) -> object:
    if a is True or b is True:
        return True
    if a is False or b is False:
        return b if a is False else a
    return _backend(a).or_(a, lambda: b)


def _not(a: object) -> object:
    return not a if isinstance(a, bool) else _backend(a).not_(a)


def _choice(test: object, then: Callable[[], object], other: Callable[[], object]) -> object:
    return _backend(test).if_exp(test, then, other, "an element")
