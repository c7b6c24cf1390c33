"""What a traced branch left in objects, whose changes have been undone since.

o.c[1] = x        End(changes).value(o.c)     [1, x], where `o.c` is [1, 2] again
o.v = x           End(changes).fields(o)      {'c': [1, 2], 'v': x}
"""

from __future__ import annotations

import collections
from collections.abc import Iterable
from typing import Any

from autograph.backends.state import ABSENT, Change, Contents, Item, fields_of, shown

_CONTAINERS = frozenset(map(id, (list, dict, collections.deque)))


class End:
    """The objects of the program as a branch left them."""

    __slots__ = ("_changes",)

    def __init__(self, changes: Iterable[Change] = ()) -> None:
        self._changes: dict[int, list[Change]] = {}
        for change in changes:
            self._changes.setdefault(id(change.place.owner), []).append(change)

    def value(self, value: Any, _outer: tuple[int, ...] = ()) -> Any:
        """`value`, or a copy of it where the branch changed what is in it: containers and tuples of such, in all layers."""
        value = shown(value)
        kind = type(value)
        if (kind is not tuple and id(kind) not in _CONTAINERS) or id(value) in _outer:
            return value
        found: Any = value
        for change in () if kind is tuple else self._changes.get(id(value), ()):
            found = _changed(found, found is value, change)
        if type(found) is not kind:  # a staged one
            return found
        keys = list(found) if kind is dict else range(len(found))
        for key in keys:
            part = found[key]
            end = self.value(part, (*_outer, id(value)))
            if end is not part:
                if kind is tuple:
                    found = (*found[:key], end, *found[key + 1 :])
                    continue
                found = found.copy() if found is value else found
                found[key] = end
        return found

    def fields(self, value: object) -> dict[str, Any]:
        """The attributes of an object."""
        found: dict[Any, Any] | None = fields_of(value)
        assert found is not None
        for change in self._changes.get(id(value), ()):
            name = change.place.index if isinstance(change.place, Item) else getattr(change.place, "name", None)
            if change.new is ABSENT:
                found.pop(name, None)
            elif name is not None:
                found[name] = change.new
        return found


NOTHING = End()
"""Of a branch that changed nothing."""


def _changed(value: Any, is_first: bool, change: Change) -> Any:
    """A container after a change, in a copy made by the first of them."""
    if isinstance(change.place, Contents):
        whole = isinstance(change.new, list) and isinstance(value, collections.deque)
        return collections.deque(change.new, value.maxlen) if whole else change.new
    if not isinstance(change.place, Item):
        return value
    value = value.copy() if is_first else value
    if change.new is ABSENT:
        value.pop(change.place.index, None)
    else:
        value[change.place.index] = change.new
    return value
