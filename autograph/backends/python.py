"""The plain meaning of every construct, written as a backend: the reference for the conformance suite.

Converted code never asks it (the operators have the plain meaning inline); a backend may inherit from it, to stage some
constructs and leave the others to Python.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from typing import Any

from autograph.backends.protocol import GetState, SetState, StagingBackend, Thunk


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
        iter_: Any,
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

    def if_exp(self, cond: object, if_true: Thunk, if_false: Thunk, expr_repr: str) -> Any:
        return if_true() if cond else if_false()

    def and_(self, a_value: object, b_thunk: Thunk) -> Any:
        return a_value and b_thunk()

    def or_(self, a_value: object, b_thunk: Thunk) -> Any:
        return a_value or b_thunk()

    def not_(self, a: object) -> Any:
        return not a

    def eq(self, a: object, b: object) -> Any:
        return a == b

    def not_eq(self, a: object, b: object) -> Any:
        return a != b

    def contains(self, x: Any, container: Any) -> Any:
        return x in container

    def abs_(self, x: Any) -> Any:
        return builtins.abs(x)

    def all_(self, iterable: Any) -> Any:
        return builtins.all(iterable)

    def any_(self, iterable: Any) -> Any:
        return builtins.any(iterable)

    def bool_(self, x: object) -> Any:
        return builtins.bool(x)

    def enumerate_(self, iterable: Any, start: Any = 0) -> Any:
        return builtins.enumerate(iterable, start)

    def filter_(self, function: Any, iterable: Any) -> Any:
        return builtins.filter(function, iterable)

    def float_(self, x: Any = 0.0) -> Any:
        return builtins.float(x)

    def int_(self, x: Any = 0, *base: Any) -> Any:
        return builtins.int(x, *base)

    def iter_(self, iterable: Any, *sentinel: Any) -> Any:
        return builtins.iter(iterable, *sentinel)

    def len_(self, x: Any) -> Any:
        return builtins.len(x)

    def map_(self, function: Any, *iterables: Any) -> Any:
        return builtins.map(function, *iterables)

    def max_(self, *args: Any, **kwargs: Any) -> Any:
        return builtins.max(*args, **kwargs)

    def min_(self, *args: Any, **kwargs: Any) -> Any:
        return builtins.min(*args, **kwargs)

    def next_(self, iterator: Any, *default: Any) -> Any:
        return builtins.next(iterator, *default)

    def print_(self, *objects: Any, **kwargs: Any) -> Any:
        return builtins.print(*objects, **kwargs)

    def range_(self, *args: Any) -> Any:
        return builtins.range(*args)

    def reversed_(self, sequence: Any) -> Any:
        return builtins.reversed(sequence)

    def round_(self, x: Any, *ndigits: Any) -> Any:
        return builtins.round(x, *ndigits)

    def sorted_(self, iterable: Any, *, key: Any = None, reverse: Any = False) -> Any:
        return builtins.sorted(iterable, key=key, reverse=reverse)

    def sum_(self, iterable: Any, start: Any = 0) -> Any:
        return builtins.sum(iterable, start)

    def zip_(self, *iterables: object, strict: bool = False) -> Any:
        return builtins.zip(*iterables, strict=strict)

    def get_item(self, target: Any, key: Any) -> Any:
        return target[key]

    def set_item(self, target: Any, key: Any, value: Any) -> Any:
        target[key] = value
        return target

    def new_list(self, elements: Any) -> Any:
        return list(elements)

    def list_append(self, list_: Any, x: Any) -> Any:
        list_.append(x)
        return list_

    def list_pop(self, list_: Any, i: Any, *, element_dtype: Any = None, element_shape: Any = None) -> tuple[Any, Any]:
        return list_, (list_.pop() if i is None else list_.pop(i))

    def list_stack(self, list_: object, *, element_dtype: object = None, strict: bool = True) -> Any:
        return list_


PYTHON = PythonBackend()
