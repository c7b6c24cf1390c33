"""Subscripts of converted code (with `Feature.LISTS`).

x = l[i]      ->   x = ag__.get_item(l, i, opts=ag__.GetItemOpts(element_dtype=None))
l[i] = x      ->   l = ag__.set_item(l, i, x)
l[i] += x     ->   l = ag__.update_item(ag__.taken_item(l, i), '+=', x)
l[i][j] = x   ->   l = ag__.store_inside(x, ag__.taken_item(l, i), j)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NamedTuple

from autograph.backends.journal import open_journals
from autograph.backends.registry import backend_of
from autograph.operators.effects import note_changed, note_item, note_missing


class GetItemOpts(NamedTuple):
    """What is known about the element: its dtype, or None."""

    element_dtype: Any = None


def get_item(target: Any, i: Any, opts: GetItemOpts | None = None) -> Any:
    """`target[i]`."""
    if open_journals:
        note_missing(target, i)
    backend = backend_of(target) or backend_of(i)
    return target[i] if backend is None else backend.get_item(target, i)


def set_item(target: Any, i: Any, x: Any) -> Any:
    """`target[i] = x`; returns `target`, or what a backend made of it."""
    if open_journals:
        note_item(target, i)
    backend = backend_of(target) or backend_of(i) or backend_of(x)
    if backend is not None:
        return backend.set_item(target, i, x)
    target[i] = x
    return target


def store_item(x: Any, target: Any, i: Any) -> Any:
    """`target[i] = x` with the arguments in the order in which Python evaluates them; returns what `set_item` does."""
    if open_journals:
        note_item(target, i)
    backend = backend_of(target) or backend_of(i) or backend_of(x)
    if backend is not None:
        return backend.set_item(target, i, x)
    target[i] = x
    return target


class TakenItem(NamedTuple):
    """An item on its way to being updated."""

    target: Any
    key: Any
    item: Any


def taken_item(target: Any, i: Any) -> TakenItem:
    """The first half of `target[i] += x`: reads the item; that of an item when `target` is one taken before."""
    return TakenItem(target, i, get_item(target.item if type(target) is TakenItem else target, i))


def store_inside(x: Any, taken: TakenItem, i: Any) -> Any:
    """`target[k][i] = x`, where `target[k]` is what was taken; returns `target`, or what a backend made of it."""
    return _put_back(taken, set_item(taken.item, i, x))


def _put_back(taken: TakenItem, item: Any) -> Any:
    """Puts what became of an item where it was taken from, if it is not what it was; returns the outermost target."""
    target = taken.target.item if type(taken.target) is TakenItem else taken.target
    if item is not taken.item:
        target = set_item(target, taken.key, item)
    return _put_back(taken.target, target) if type(taken.target) is TakenItem else target


def update_item(taken: TakenItem, symbol: str, x: Any) -> Any:
    """The second half of `target[i] += x`: updates the item and puts it back; returns what `set_item` does."""
    target, key, item = taken
    if type(target) is TakenItem:
        return _put_back(target, update_item(TakenItem(target.item, key, item), symbol, x))
    if type(item) is not list and backend_of(item) is None and backend_of(x) is not None:
        return set_item(target, key, _BINARY[symbol](item, x))  # a buffer cannot take what has no value yet
    if open_journals:
        note_changed(item)
    return set_item(target, key, _IN_PLACE[symbol](item, x))


_IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
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
}


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+=": operator.add,
    "-=": operator.sub,
    "*=": operator.mul,
    "/=": operator.truediv,
    "//=": operator.floordiv,
    "%=": operator.mod,
    "**=": operator.pow,
    "@=": operator.matmul,
    "<<=": operator.lshift,
    ">>=": operator.rshift,
    "&=": operator.and_,
    "|=": operator.or_,
    "^=": operator.xor,
}


class _Index:
    """What stands between brackets, as a value: `index[1:2, 3]` is `(slice(1, 2), 3)`."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return key


index = _Index()
