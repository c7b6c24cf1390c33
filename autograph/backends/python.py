"""The plain meaning of every construct, written as a backend: the reference for the conformance suite.

Converted code never asks it (the operators have the plain meaning inline); a backend may inherit from it, to stage some
constructs and leave the others to Python.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Reversible, Sized
from typing import Any, SupportsAbs, SupportsIndex

from autograph.backends.own_builtins import OWN
from autograph.backends.protocol import GetState, SetState, StagingBackend, Thunk, Thunk1

globals()["__builtins__"] = OWN


class PythonBackend(StagingBackend):
    """Runs each construct on the spot; it stages no type."""

    name = "python"

    def if_stmt(
        self,
        cond: object,
        body: Thunk,
        orelse: Thunk,
        get_state: GetState,
        set_state: SetState,
        symbol_names: tuple[str, ...],
        nouts: int,
    ) -> None:
        if cond:
            body()
        else:
            orelse()

    def while_stmt(
        self,
        test: Thunk,
        body: Thunk,
        get_state: GetState,
        set_state: SetState,
        symbol_names: tuple[str, ...],
        opts: Mapping[str, Any],
    ) -> None:
        while test():
            body()

    def for_stmt(
        self,
        iter_: Iterable[Any],
        extra_test: Thunk | None,
        body: Callable[[Any], None],
        get_state: GetState,
        set_state: SetState,
        symbol_names: tuple[str, ...],
        opts: Mapping[str, Any],
    ) -> None:
        for target in iter_:
            body(target)
            if extra_test is not None and not extra_test():
                break

    def assert_stmt(self, test: object, message_thunk: Thunk) -> None:
        if not test:
            raise AssertionError(message_thunk())

    def if_exp(self, cond: object, if_true: Thunk, if_false: Thunk, expr_repr: str) -> object:
        return if_true() if cond else if_false()

    def and_(self, a_value: object, b_thunk: Thunk) -> object:
        return a_value and b_thunk()

    def or_(self, a_value: object, b_thunk: Thunk) -> object:
        return a_value or b_thunk()

    def not_(self, a: object) -> bool:
        return not a

    def eq(self, a: object, b: object) -> object:
        return a == b

    def not_eq(self, a: object, b: object) -> object:
        return a != b

    def contains(self, x: object, container: Container[Any]) -> bool:
        return x in container

    def abs_(self, x: SupportsAbs[object]) -> object:
        return builtins.abs(x)

    def all_(self, iterable: Iterable[object]) -> bool:
        return builtins.all(iterable)

    def any_(self, iterable: Iterable[object]) -> bool:
        return builtins.any(iterable)

    def bool_(self, x: object) -> bool:
        return builtins.bool(x)

    def enumerate_(self, iterable: Iterable[object], start: int = 0) -> Iterator[tuple[int, object]]:
        return builtins.enumerate(iterable, start)

    def filter_(self, function: Thunk1 | None, iterable: Iterable[object]) -> Iterator[object]:
        return builtins.filter(function, iterable)

    def float_(self, x: Any = 0.0) -> float:
        return builtins.float(x)

    def int_(self, x: Any = 0, *base: SupportsIndex) -> int:
        return builtins.int(x, *base)

    def iter_(self, iterable: Any, *sentinel: object) -> Iterator[object]:
        return builtins.iter(iterable, *sentinel)

    def len_(self, x: Sized) -> int:
        return builtins.len(x)

    def map_(self, function: Callable[..., object], *iterables: Iterable[Any]) -> Iterator[object]:
        return builtins.map(function, *iterables)

    def max_(self, *args: Any, **kwargs: Any) -> object:
        return builtins.max(*args, **kwargs)

    def min_(self, *args: Any, **kwargs: Any) -> object:
        return builtins.min(*args, **kwargs)

    def next_(self, iterator: Iterator[object], *default: object) -> object:
        return builtins.next(iterator, *default)

    def print_(self, *objects: object, **kwargs: Any) -> None:
        return builtins.print(*objects, **kwargs)

    def range_(self, *args: SupportsIndex) -> range:
        return builtins.range(*args)

    def reversed_(self, sequence: Reversible[object]) -> Iterator[object]:
        return builtins.reversed(sequence)

    def round_(self, x: Any, *ndigits: Any) -> object:
        return builtins.round(x, *ndigits)

    def sorted_(self, iterable: Iterable[Any], *, key: Thunk1 | None = None, reverse: bool = False) -> list[Any]:
        return builtins.sorted(iterable, key=key, reverse=reverse)

    def sum_(self, iterable: Iterable[Any], start: Any = 0) -> object:
        return builtins.sum(iterable, start)

    def zip_(self, *iterables: Iterable[object], strict: bool = False) -> Iterator[object]:
        return builtins.zip(*iterables, strict=strict)

    def get_item(self, target: Any, key: object) -> object:
        return target[key]

    def set_item(self, target: Any, key: object, value: object) -> object:
        target[key] = value
        return target

    def new_list(self, elements: Iterable[Any]) -> list[Any]:
        return list(elements)

    def list_append(self, list_: list[Any], x: object) -> list[Any]:
        list_.append(x)
        return list_

    def list_pop(
        self, list_: list[Any], i: int | None, *, element_dtype: object = None, element_shape: object = None
    ) -> tuple[Any, Any]:
        return list_, (list_.pop() if i is None else list_.pop(i))

    def list_stack(self, list_: object, *, element_dtype: object = None, strict: bool = True) -> object:
        return list_


PYTHON = PythonBackend()
