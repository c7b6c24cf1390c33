"""The operators `and`, `or`, `not`, `==`, `!=`, `in` of converted code.

    a and b      ->   ag__.and_(lambda: a, lambda: b)      `b` is evaluated only if Python would
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.backends.protocol import Thunk
from autograph.backends.registry import backend_of


def and_(a: Thunk, b: Thunk) -> Any:
    """`a() and b()`."""
    value = a()
    if value is True:
        return b()
    if value is False:
        return value
    backend = backend_of(value)
    if backend is not None:
        return backend.and_(value, b)
    return value and b()


def or_(a: Thunk, b: Thunk) -> Any:
    """`a() or b()`."""
    value = a()
    if value is False:
        return b()
    if value is True:
        return value
    backend = backend_of(value)
    if backend is not None:
        return backend.or_(value, b)
    return value or b()


def not_(a: Any) -> Any:
    """`not a`."""
    if a is False:
        return True
    if a is True:
        return False
    backend = backend_of(a)
    if backend is not None:
        return backend.not_(a)
    return not a


def with_operands(thunk: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """`thunk(left, right)`: the operands of a chained comparison that must be computed only once."""
    return thunk(left, right)


def eq(a: Any, b: Any) -> Any:
    """`a == b`."""
    backend = backend_of(a) or backend_of(b)
    return a == b if backend is None else backend.eq(a, b)


def not_eq(a: Any, b: Any) -> Any:
    """`a != b`."""
    backend = backend_of(a) or backend_of(b)
    return a != b if backend is None else backend.not_eq(a, b)


def in_(x: Any, container: Any) -> Any:
    """`x in container`."""
    backend = backend_of(container) or backend_of(x)
    return x in container if backend is None else backend.contains(x, container)


def not_in_(x: Any, container: Any) -> Any:
    """`x not in container`."""
    backend = backend_of(container) or backend_of(x)
    return x not in container if backend is None else backend.not_(backend.contains(x, container))
