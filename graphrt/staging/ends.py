"""What a traced branch left in objects, whose changes have been undone since.

o.c[1] = x        End(changes).value(o.c)     [1, x], where `o.c` is [1, 2] again
o.v = x           End(changes).fields(o)      {'c': [1, 2], 'v': x}
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from autograph.backends.state import ABSENT, Change, Contents, Item, KeyOrder, Losses, current_trace, fields_of, shown
from graphrt.ir.graph import Graph
from graphrt.staging.lists import StagedList
from graphrt.tensor.context import building

Made = TypeVar("Made")
# What may be changed in place, and tuples, which hold such; each ahead of what it is a kind of.
_BASES = (tuple, list, collections.deque, collections.OrderedDict, collections.defaultdict, dict)


class End:
    """The objects of the program as a branch left them; without `losses` what may not be used is what the trace says.

    `graph` is that of the branch.
    """

    __slots__ = ("_changes", "_graph", "_losses")

    def __init__(
        self, changes: Iterable[Change] = (), losses: Losses | None = None, graph: Graph | None = None
    ) -> None:
        self._losses, self._graph = losses, graph
        self._changes: dict[int, list[Change]] = {}
        for change in changes:
            self._changes.setdefault(id(change.place.owner), []).append(change)

    @property
    def losses(self) -> Losses:
        """What may not be used there."""
        if self._losses is not None:
            return self._losses
        trace = current_trace()
        return Losses() if trace is None else trace.lost

    def also(self, make: Callable[[], Made]) -> Made:
        """What `make` gives, which is made there: what may not be used for it is so there alone."""
        trace = current_trace()
        if trace is None or self._losses is None:
            return make()
        before, trace.lost = trace.lost, self._losses
        try:
            return make()
        finally:
            self._losses, trace.lost = trace.lost, before

    def _in_graph(self, make: Callable[[], Made]) -> Made:
        if self._graph is None:
            return make()
        with building(self._graph):
            return self.also(make)

    def value(self, value: Any, _outer: tuple[int, ...] = ()) -> Any:
        """`value`, or a copy of it where the branch changed what is in it: containers and tuples of such, in all layers."""
        if id(value) in self.losses.lost:
            raise self.losses.lost[id(value)][1]()
        own = self._changes.get(id(value), ())  # told of the list itself, also where another stands in for it
        value = shown(value)
        changes = own or self._changes.get(id(value), ())
        if isinstance(value, StagedList):
            left = next((c.new for c in reversed(changes) if isinstance(c.place, Contents)), value)
            return self._in_graph(lambda: left.at_end(self.value))
        if not isinstance(value, _BASES) or id(value) in _outer:
            return value
        parts = _changed(value, changes)
        if isinstance(parts, StagedList):
            return parts
        changed = bool(changes)
        for key, part in _items(parts):
            end = self.value(part, (*_outer, id(value)))
            if end is not part:
                parts[key], changed = end, True
        return _like(value, parts) if changed else value

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

    def parts(self, value: Any) -> dict[Any, Any]:
        """The very objects in a container, by keys and indices, or in the attributes of an object."""
        if isinstance(value, _BASES):
            return dict(_items(_changed(value, self._changes.get(id(value), ()))))
        return {} if isinstance(value, StagedList) or fields_of(value) is None else self.fields(value)


NOTHING = End()
"""Of a branch that changed nothing."""


def _changed(value: Any, changes: Iterable[Change]) -> Any:
    """What is in a container, as a list or dictionary, after its changes."""
    parts: Any = dict(_base_of(value).items(value)) if isinstance(value, dict) else [*_base_of(value).__iter__(value)]
    for change in changes:
        if isinstance(change.place, Contents):
            parts = change.new if isinstance(change.new, StagedList) else change.new.copy()
        elif isinstance(change.place, Item) and change.new is ABSENT:
            parts.pop(change.place.index, None)
        elif isinstance(change.place, Item):
            parts[change.place.index] = change.new
        elif isinstance(change.place, KeyOrder):
            parts = {key: parts[key] for key in change.new}
    return parts


def _items(parts: Any) -> list[tuple[Any, Any]]:
    if isinstance(parts, StagedList):
        return []
    return [*parts.items()] if isinstance(parts, dict) else [*enumerate(parts)]


def _base_of(value: object) -> Any:
    return next(base for base in _BASES if isinstance(value, base))


def _like(value: Any, parts: Any) -> Any:
    """A container of the type of `value` with these parts, made by no code of the user's."""
    kind, base = type(value), _base_of(value)
    if base is tuple:
        return tuple.__new__(kind, parts)
    found = base.__new__(kind)
    if base is list:
        list.extend(found, parts)
    elif base is collections.deque:
        collections.deque.__init__(found, parts, value.maxlen)
    else:
        if base is collections.defaultdict:
            collections.defaultdict.__init__(found, value.default_factory)
        for key, part in parts.items():
            base.__setitem__(found, key, part)
    attributes = getattr(value, "__dict__", None)
    if attributes:
        found.__dict__.update(attributes)
    return found
