"""The operators `and`, `or`, `not`, `==`, `!=`, `in` of converted code.

a and b      ->   ag__.and_(lambda: a, lambda: b)      `b` is evaluated only if Python would
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterator
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.protocol import Thunk
from autograph.backends.registry import backend_of, first_backend, settled, there
from autograph.operators import contents, dispatch
from autograph.operators.decisions import DEFAULT_SCOPE

globals()["__builtins__"] = OWN


def and_(a: Thunk, b: Thunk, *more: Thunk) -> object:
    """`a() and b()`, and so on."""
    value = a()
    if more:
        rest = (b, *more)
        for position, thunk in enumerate(rest):
            if value is not True:
                backend = backend_of(value)
                if backend is not None:
                    return backend.and_(value, _from(and_, rest[position:]))
                if not value:
                    return value
            value = thunk()
        return value
    if value is True:
        return b()
    if value is False:
        return value
    backend = backend_of(value)
    if backend is not None:
        return backend.and_(value, b)
    if not value:
        return value
    del value  # it lives no longer than in Python
    return b()


def or_(a: Thunk, b: Thunk, *more: Thunk) -> object:
    """`a() or b()`, and so on."""
    value = a()
    if more:
        rest = (b, *more)
        for position, thunk in enumerate(rest):
            if value is not False:
                backend = backend_of(value)
                if backend is not None:
                    return backend.or_(value, _from(or_, rest[position:]))
                if value:
                    return value
            value = thunk()
        return value
    if value is False:
        return b()
    if value is True:
        return value
    backend = backend_of(value)
    if backend is not None:
        return backend.or_(value, b)
    if value:
        return value
    del value
    return b()


def _from(operator: Callable[..., Any], thunks: tuple[Thunk, ...]) -> Thunk:
    return thunks[0] if len(thunks) == 1 else functools.partial(operator, *thunks)


def not_(a: object) -> object:
    """`not a`."""
    if a is False:
        return True
    if a is True:
        return False
    backend = backend_of(a)
    if backend is not None:
        return backend.not_(a)
    return not a


def with_operands(thunk: Callable[[Any, Any], Any], left: object, right: object) -> object:
    """`thunk(left, right)`: the operands of a chained comparison that must be computed only once."""
    return thunk(left, right)


def eq(a: object, b: object, plain: Callable[[Any, Any], Any] = operator.eq) -> object:
    """`a == b`; lists and tuples with staged elements are compared element by element."""
    return _equality(a, b, "==", plain)


def _compared_by_user(a: object, b: object, symbol: str, site: Any) -> object:
    """What a comparison of the user's says of a staged value; NotImplemented where there is none."""
    for one, other in ((a, b), (b, a)):
        if dispatch.has_say(one, ("__eq__", dispatch.COMPARISONS[symbol][0]), site):
            return dispatch.compared(one, other, symbol, site.scope)
    return NotImplemented


def not_eq(a: object, b: object, plain: Callable[[Any, Any], Any] = operator.ne) -> object:
    """`a != b`; lists and tuples with staged elements are compared element by element."""
    return _equality(a, b, "!=", plain)


def _equality(a: object, b: object, symbol: str, plain: Callable[[Any, Any], Any]) -> object:
    backend = backend_of(a) or backend_of(b)
    if backend is not None:
        one, other = settled(a), settled(b)
        if one is not a or other is not b:
            return _equality(one, other, symbol, plain)
        by_user = _compared_by_user(a, b, symbol, plain)
        if by_user is not NotImplemented:
            return by_user
        return backend.eq(a, b) if symbol == "==" else backend.not_eq(a, b)
    if type(a) is type(b) and contents.family(type(a)) is not None:
        scope = getattr(plain, "scope", DEFAULT_SCOPE)
        if contents.asks_more((a, b), symbol, scope):
            return contents.compared(a, b, symbol, scope)
    return plain(a, b)


def in_(x: Any, container: Any, plain: Callable[[Any, Any], Any] | None = None) -> Any:
    """`x in container`; what Python goes through may hold the staged values."""
    container = there(container)
    found = _contained(x, container, plain)
    if found is not NotImplemented:
        return found
    return x in container if plain is None else plain(x, container)


def not_in_(x: Any, container: Any, plain: Callable[[Any, Any], Any] | None = None) -> Any:
    """`x not in container`, likewise."""
    container = there(container)
    found = _contained(x, container, plain)
    if found is not NotImplemented:
        return dispatch.negated(found)
    return x not in container if plain is None else plain(x, container)


def _contained(x: Any, container: Any, plain: Any) -> Any:
    backend = backend_of(container)
    items = contents.compared_by_python(x, container) if backend is None else None
    if items is not None and (issubclass(type(items), Iterator) or dispatch.has_say(x, ("__eq__",), plain)):
        return contents.contains(x, items, getattr(plain, "scope", DEFAULT_SCOPE))
    backend = backend or backend_of(x)
    if backend is None and (type(items) is list or type(items) is tuple):
        backend = first_backend(items)
    if backend is None or dispatch.has_say(container, dispatch.CONTAINS, plain):
        return NotImplemented
    return backend.contains(x, container if items is None else items)


# Of compiled code, see `emit/code.py`


class Settled:
    """The value of a row inside of rows, of which it is known that it is that of the outermost one, too."""

    __slots__ = ("value",)

    def __init__(self, value: object, _: bool) -> None:
        self.value = value


def _rows(decided: Callable[[Any, bool], object], later: Callable[..., Thunk]) -> tuple[Callable[..., Any], ...]:
    """`a() and b()`, and `a() or b()`; `decided` makes the value of what Python decides before the last."""

    def made(is_or: bool) -> Callable[..., Any]:
        def row(*operands: Thunk) -> Any:
            return _row(operands, is_or, decided, functools.partial(later, row))

        return row

    return made(False), made(True)


def and_around(*operands: Thunk) -> object:
    """`a() and b()` of which operands may be rows that have settled it."""
    return value_of(functools.partial(and_inside, *operands))()


def or_around(*operands: Thunk) -> object:
    """`a() or b()` likewise."""
    return value_of(functools.partial(or_inside, *operands))()


def _row(
    operands: tuple[Thunk, ...],
    is_or: bool,
    decided: Callable[[Any, bool], object],
    rest_of: Callable[[tuple[Thunk, ...]], Thunk],
) -> object:
    *first, last = operands
    for position, operand in enumerate(first, 1):
        value = operand()
        if type(value) is Settled:
            return value
        backend = backend_of(value)
        if backend is not None:
            return (backend.or_ if is_or else backend.and_)(value, rest_of(operands[position:]))
        if bool(value) is is_or:
            return decided(value, is_or)
        del value  # it lives no longer than in Python
    return last()


def _truth(value: object, truth: bool) -> bool:
    return truth


def _later(operator: Callable[..., Any], operands: tuple[Thunk, ...]) -> Thunk:
    return value_of(_from(operator, operands))


# Where only the truth of all but the last matters: False for a plain value that is false, True for one that is true.
and_test, or_test = _rows(_truth, _from)
# The same, of which the last may settle the row around this one.
and_before, or_before = _rows(_truth, _later)
# As the last operand of an `or` that is an operand of an `and`, or the other way round: what decides here settles that.
and_inside, or_inside = _rows(Settled, _later)


def value_of(thunk: Thunk) -> Thunk:
    """What gives the value of `thunk()`, whatever else is known of it."""

    def value() -> object:
        found = thunk()
        return found.value if type(found) is Settled else found

    return value


def and_staged(value: object, b: Thunk) -> object:
    """`value and b()` of a staged value."""
    backend = backend_of(value)
    return value and b() if backend is None else backend.and_(value, b)


def or_staged(value: object, b: Thunk) -> object:
    """`value or b()` of a staged value."""
    backend = backend_of(value)
    return value or b() if backend is None else backend.or_(value, b)
