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
from autograph.backends.own_builtins import OWN
from autograph.backends.registry import backend_of, there
from autograph.backends.trace import seen
from autograph.errors import PythonOnlyConstructError
from autograph.operators import dispatch
from autograph.operators.decisions import Scope
from autograph.operators.effects import note_changed, note_found, note_item, note_missing

globals()["__builtins__"] = OWN

Setter = Callable[[Any, Any, Any], Any]


class GetItemOpts(NamedTuple):
    """What is known about the element: its dtype, or None."""

    element_dtype: Any = None


def get_item(
    target: object, i: object, opts: GetItemOpts | None = None, plain: Callable[[Any, Any], Any] = operator.getitem
) -> object:
    """`target[i]`."""
    target = there(target)
    if open_journals:
        note_missing(target, i)
    backend = backend_of(target) or (
        None if dispatch.has_say(target, ("__getitem__",), plain) else dispatch.backend_of_key(i)
    )
    found = plain(target, i) if backend is None else backend.get_item(target, i)
    if open_journals:
        note_found(target, found)
    return found


def set_item(target: Any, i: Any, x: Any, plain: Setter = operator.setitem) -> Any:
    """`target[i] = x`; returns `target`, or what a backend made of it."""
    target = there(target)
    if open_journals:
        note_item(target, i)
    if type(i) is slice:  # what the elements come from is looked into
        x = seen(x)
    backend = backend_of(target)
    if backend is None and not dispatch.has_say(target, ("__setitem__",), plain):
        backend = dispatch.backend_of_key(i) or backend_of(x)
    if backend is not None:
        return backend.set_item(target, i, x)
    plain(target, i, x)
    return target


def store_item(x: object, target: object, i: object, plain: Setter = operator.setitem) -> object:
    """`target[i] = x` with the arguments in the order in which Python evaluates them; returns what `set_item` does."""
    return set_item(target, i, x, plain)


class TakenItem(NamedTuple):
    """An item on its way to being updated."""

    target: Any
    key: Any
    item: Any


def taken_item(target: object, i: object, plain: Callable[[Any, Any], Any] = operator.getitem) -> TakenItem:
    """The first half of `target[i] += x`: reads the item; that of an item when `target` is one taken before."""
    return TakenItem(target, i, get_item(target.item if type(target) is TakenItem else target, i, plain=plain))


def store_inside(x: object, taken: TakenItem, i: object, plain: Setter = operator.setitem) -> object:
    """`target[k][i] = x`, where `target[k]` is what was taken; returns `target`, or what a backend made of it."""
    return _put_back(taken, set_item(taken.item, i, x, plain), plain)


def _put_back(taken: TakenItem, item: object, plain: Setter) -> object:
    """Puts what became of an item where it was taken from, if it is not what it was; returns the outermost target."""
    target = taken.target.item if type(taken.target) is TakenItem else taken.target
    if item is not taken.item:
        target = set_item(target, taken.key, item, plain)
    return _put_back(taken.target, target, plain) if type(taken.target) is TakenItem else target


def update_item(taken: TakenItem, symbol: str, x: Any, plain: Any = None) -> Any:
    """The second half of `target[i] += x`: updates the item and puts it back; returns what `set_item` does.

    `plain` is the site of the operation.
    """
    target, key, item = taken
    write: Setter = operator.setitem if plain is None else _Write(plain.scope)
    if type(target) is TakenItem:
        return _put_back(target, update_item(TakenItem(target.item, key, item), symbol, x, plain), write)
    forward, _, binary = dispatch.BINARY[symbol[:-1]]
    in_person = type(item) is list or dispatch.has_say(item, ("__i" + forward[2:], forward), write)
    if not in_person and backend_of(item) is None and backend_of(x) is not None:
        return set_item(target, key, binary(item, x), write)  # a buffer cannot take what has no value yet
    if symbol == "+=" and type(item) is not list and type(target) is list and type(seen(x)) is not type(item):
        item = _item_to_change(target, key, item)
    if open_journals:
        note_changed(item)
    found = (plain or dispatch.IN_PLACE[symbol])(item, x)
    if found is item and backend_of(item) is not None and backend_of(key) is not None:
        return target  # where it is, only the backend knows
    return set_item(target, key, found, write)


def _item_to_change(target: list[Any], key: Any, item: Any) -> Any:
    """An item of a list of lists that only a backend can tell, for `+=`: the list itself, as Python's stays that list."""
    backend = backend_of(key)
    if backend is None or not target or not all(type(rows) is list for rows in target):
        return item
    found = backend.list_item(target, key)
    if found is NotImplemented:
        raise PythonOnlyConstructError(
            "`rows[i] += [...]` of a list of lists, at an index that is not known while staging, makes one of them longer: "
            "go through them, `for k in range(len(rows)):`, and compare `k` with the index"
        )
    return found


class _Write:
    """`target[key] = value` with the user's `__setitem__` converted."""

    __slots__ = ("scope",)

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def __call__(self, target: Any, key: Any, value: Any) -> None:
        dispatch.set_item(target, key, value, self.scope)


class _Index:
    """What stands between brackets, as a value: `index[1:2, 3]` is `(slice(1, 2), 3)`."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        return key


index = _Index()
