"""Objects of the user's classes as what is in their attributes, and back.

Point(1, 2)    closed    Instance(Point, x=1, y=2)    opened    another point

A deque is what is in it. What no graph carries is kept as it is.
"""

from __future__ import annotations

import collections
from typing import Any, NamedTuple

from autograph.backends.state import current_trace, fields_of, fill_instance, instance
from graphrt.staging import values as st
from graphrt.staging.ends import NOTHING, End
from graphrt.tensor.tensor import Tensor
from graphrt.types import structure
from graphrt.types.structure import Composite, Nullable

Key = Any  # the identity of an object, or a pair of keys


class DequeKind(NamedTuple):
    """What a deque is besides what is in it: where two of them differ in this they are of two kinds."""

    maxlen: int | None

    @property
    def __name__(self) -> str:
        return "deque"

    def new(self) -> collections.deque[Any]:
        """One of the trace's own, with nothing in it."""
        found: collections.deque[Any] = collections.deque(maxlen=self.maxlen)
        trace = current_trace()
        if trace is not None:
            trace.made(found)
        return found


class Instance(Composite):
    """An object as its attributes.

    Attributes:
      kind: its class.
      parts: what is in its attributes, as far as a graph carries it; `Kept` for what it does not.
      key: tells those of one statement apart.
    """

    __slots__ = ("key", "kind", "parts")

    def __init__(self, kind: type | DequeKind, key: Key) -> None:
        self.kind = kind
        self.key = key
        self.parts: dict[str, Any] = {}

    def components(self) -> list[Any]:
        """The tensors and numbers in it."""
        return structure.flatten(list(self.parts.values()), expand_composites=True)

    def with_components(self, components: list[Any]) -> Instance:
        """The same with others."""
        found = Instance(self.kind, self.key)
        values = structure.pack_like(list(self.parts.values()), components, expand_composites=True)
        found.parts = dict(zip(self.parts, values))
        return found

    def __repr__(self) -> str:
        return f"<a {self.kind.__name__}>"


class Kept(Composite):
    """What is no data, and stays."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def components(self) -> list[Any]:
        """None."""
        return []

    def with_components(self, components: list[Any]) -> Kept:
        """Itself."""
        return self


class Again(Kept):
    """An object within itself: `value` is its key."""

    __slots__ = ()


def is_object(value: object) -> bool:
    """Whether `value` is an object of the user's that may be taken apart."""
    if isinstance(value, Instance) or type(value) is collections.deque:
        return True
    return is_of_python(value) and fields_of(value) is not None


def is_of_python(value: object) -> bool:
    """Whether `value` is an object of Python's: no number or text, no container, nothing of a graph."""
    if value is None or isinstance(value, (Tensor, Composite)) or st.lacks_value(value) or st.is_leaf(value):
        return False
    return not st.is_variable(value) and not structure.is_nested(value)


def fields_at(value: object, end: End = NOTHING) -> dict[str, Any]:
    """The attributes of an object, closed or not, at an `end`; the elements of a deque."""
    if isinstance(value, Instance):
        return value.parts
    if type(value) is collections.deque:
        return {str(i): part for i, part in enumerate(value)}
    return end.fields(value)


def has_objects(value: object) -> bool:
    """Whether `value` is, or holds, an object of the user's, or holds None, or what may be None."""
    if isinstance(value, (list, tuple, dict)):
        parts = value.values() if isinstance(value, dict) else value
        return any(v is None or isinstance(v, Nullable) or has_objects(v) for v in parts)
    return is_object(value)


def closed(value: object, name: str, end: End = NOTHING, _outer: tuple[int, ...] = ()) -> Any:
    """`value` with its objects as their attributes, as they are at an `end`; what no graph carries is kept."""
    value = end.value(value)
    if isinstance(value, (Instance, Kept)):
        return value
    if isinstance(value, Nullable):
        return value.closed(end)
    if isinstance(value, (list, tuple, dict)):
        if not has_objects(value):
            return value
        parts = [(f"{name}[{k!r}]", v) for k, v in structure.children(value)]
        return structure.rebuild(value, [Kept(v) if v is None else closed(v, n, end, _outer) for n, v in parts])
    if not is_object(value):
        return value
    found = Instance(kind_of(value), id(value))
    if id(value) in _outer:
        return Again(found.key)
    for key, part in fields_at(value, end).items():
        part = closed(part, f"{name}.{key}", end, (*_outer, id(value)))
        found.parts[key] = part if is_data(part) else Kept(part)
    return found


def is_data(part: object) -> bool:
    """Whether a graph carries this part of an object."""
    return st.is_stageable(part) and not isinstance(part, (str, bytes))


def kind_of(value: Any) -> type | DequeKind:
    """The class of an object, closed or not."""
    if isinstance(value, Instance):
        return value.kind
    return DequeKind(value.maxlen) if type(value) is collections.deque else type(value)


# --- and back --------------------------------------------------------------------------------------------------------
def opened(value: object, _outer: dict[Key, Any] | None = None) -> Any:
    """`value` with new objects for their attributes."""
    if isinstance(value, Instance):
        return _opened(value, _outer or {})
    if isinstance(value, Again):
        assert _outer is not None
        return _outer[value.value]
    if isinstance(value, Kept):
        return value.value
    if isinstance(value, Nullable):
        return value.settled()
    if not isinstance(value, (list, tuple, dict)) or not has_closed(value):
        return value
    return structure.rebuild(value, [opened(part, _outer) for _, part in structure.children(value)])


def has_closed(value: object) -> bool:
    """Whether `opened` makes something else of `value`."""
    if isinstance(value, (list, tuple, dict)):
        return any(has_closed(v) for v in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, (Instance, Kept, Nullable))


def _opened(value: Instance, outer: dict[Key, Any]) -> Any:
    found: Any = value.kind.new() if isinstance(value.kind, DequeKind) else instance(value.kind, {})
    parts = {key: opened(part, {**outer, value.key: found}) for key, part in value.parts.items()}
    if isinstance(value.kind, DequeKind):
        found.extend(parts.values())
    else:
        fill_instance(found, parts)
    return found
