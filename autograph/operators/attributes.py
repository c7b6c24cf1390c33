"""Read sites: where Python runs code of the user's with no call in the text. `emit/sites.py` says what is compiled."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from autograph.backends.registry import BUILTIN_TYPES, backend_of, known_types

_OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "@=": operator.imatmul,
    "<<=": operator.ilshift,
    ">>=": operator.irshift,
    "&=": operator.iand,
    "|=": operator.ior,
    "^=": operator.ixor,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "in": lambda x, container: x in container,
    "not in": lambda x, container: x not in container,
    "+_": operator.pos,
    "-_": operator.neg,
    "~_": operator.invert,
}


class Site:
    """A place that knows types of its operands for which Python runs none of the user's code."""

    __slots__ = ("kind", "left", "right")

    def __init__(self) -> None:
        self.kind: type | None = None
        self.left: type | None = None
        self.right: type | None = None


class AttributeRead(Site):
    """`o.name`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def __call__(self, o: Any) -> Any:
        return getattr(o, self.name)


class ItemRead(Site):
    """`o[key]`."""

    __slots__ = ()

    def __call__(self, o: Any, key: Any) -> Any:
        return o[key]


class Operation(Site):
    """An operator or a comparison, by its symbol; `+=` is the one in place, `-_` the one of one operand."""

    __slots__ = ("apply", "symbol")

    def __init__(self, symbol: str) -> None:
        super().__init__()
        self.symbol = symbol
        self.apply = _OPERATIONS[symbol]

    def __call__(self, *operands: Any) -> Any:
        return self.apply(*operands)


class Truth(Site):
    """What `if`, `while`, `and`, `or`, `not` ask: True, None where a plain value is false, or the value if it is staged."""

    __slots__ = ()

    def __call__(self, o: Any) -> Any:
        kind = type(o)
        if known_types.get(id(kind), 0) is not None and backend_of(o) is not None:
            return o
        if kind in BUILTIN_TYPES and kind is not list:  # something may stand in for a list
            self.kind = kind
        return True if o else None


class Iteration(Site):
    """`for`, unpacking and stars: gives what is iterated over in place of `o`."""

    __slots__ = ()

    def __call__(self, o: Any) -> Any:
        return o


class AsyncIteration(Iteration):
    """`async for`."""

    __slots__ = ()


class Entering(Iteration):
    """`with`: gives the manager that is entered in place of `o`."""

    __slots__ = ()


class AsyncEntering(Iteration):
    """`async with`."""

    __slots__ = ()


class Formatting(Iteration):
    """A value in an f-string: gives what is formatted in place of `o`."""

    __slots__ = ()
