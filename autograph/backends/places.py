"""Where values are kept, read and written by no code of the program's.

self.v      Item(vars(self), "v", self)       xs      Contents(xs)        C.v     Attribute(C, "v")
d["k"]      Item(d, "k")                      n       Cell(cell, "n")     G       Item(globals, "G")
"""

from __future__ import annotations

import array
import collections
import contextlib
import sys
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import Token
from types import CellType, GetSetDescriptorType, MemberDescriptorType, WrapperDescriptorType
from typing import Any, NamedTuple, cast

from autograph.backends.own_builtins import OWN
from autograph.backends.trace import current_trace

globals()["__builtins__"] = OWN


class Absent:
    """What is in a place that holds nothing."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<nothing>"


ABSENT = Absent()


# --- containers ------------------------------------------------------------------------------------------------------
class Kind(NamedTuple):
    """How to keep what is in a container of some type.

    `copy` gives a `copied`; `refill(holder, copy)` puts it back, where that can be; `same(copy, copy)` tells whether
    nothing has changed.
    """

    copied: type
    copy: Callable[[Any], Any]
    refill: Callable[[Any, Any], None] | None
    same: Callable[[Any, Any], bool]


def _fill_dict(holder: dict[Any, Any], value: Mapping[Any, Any]) -> None:
    kind = _dict_type(holder)
    kind.clear(holder)
    for key, item in value.items():
        kind.__setitem__(holder, key, item)


def _fill_set(holder: set[Any], value: Iterable[Any]) -> None:
    set.clear(holder)
    set.update(holder, value)


def _fill_deque(holder: collections.deque[Any], value: Iterable[Any]) -> None:
    collections.deque.clear(holder)
    collections.deque.extend(holder, value)


def _fill_slice(holder: Any, value: object) -> None:
    type(holder).__setitem__(holder, slice(None), value)


def _dict_type(holder: object) -> type[dict[Any, Any]]:
    return collections.OrderedDict if issubclass(type(holder), collections.OrderedDict) else dict


def _same_items(a: Sequence[Any], b: Sequence[Any]) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b))


def _same_keys(a: Mapping[Any, Any], b: Mapping[Any, Any]) -> bool:
    return _same_items([*a, *a.values()], [*b, *b.values()])


_containers: dict[type, Kind] = {
    list: Kind(list, lambda v: list(list.__iter__(v)), lambda h, v: list.__setitem__(h, slice(None), v), _same_items),
    dict: Kind(dict, lambda v: dict(_dict_type(v).items(v)), _fill_dict, _same_keys),
    set: Kind(set, lambda v: set(set.__iter__(v)), _fill_set, lambda a, b: bool(a == b)),
    collections.deque: Kind(list, lambda v: list(collections.deque.__iter__(v)), _fill_deque, _same_items),
    bytearray: Kind(bytes, bytes, _fill_slice, lambda a, b: bool(a == b)),
    array.array: Kind(array.array, lambda v: v[:], _fill_slice, lambda a, b: a.tobytes() == b.tobytes()),
}
# By identity: a metaclass may make its classes unhashable.
_kinds: dict[int, tuple[type, Kind | None]] = {id(kind): (kind, how) for kind, how in _containers.items()}


def register_container(kind: type, how: Kind | None) -> None:
    """Tells how what is in containers of a type is kept; None: they are none, but stand for others."""
    _kinds[id(kind)] = kind, how


def kind_of(holder: object) -> Kind | None:
    """How what is in `holder` is kept; None if it is no container.

    >>> kind_of(collections.Counter()) is kind_of({}), kind_of(3)
    (True, None)
    """
    for base in type(holder).__mro__:
        found = _kinds.get(id(base))
        if found is not None:
            return found[1]
    return None


# --- places ----------------------------------------------------------------------------------------------------------
class Place(ABC):
    """Where a value is kept.

    Attributes:
      holder: the object that is written to.
      owner: the object that the program knows: the one whose attributes are in the dictionary `holder`, say.
    """

    __slots__ = ("holder", "owner")

    def __init__(self, holder: Any, owner: object = None) -> None:
        self.holder = holder
        self.owner = holder if owner is None else owner

    @property
    def key(self) -> object:
        """Tells places apart, as long as their holders live."""
        return id(self.holder)

    @property
    def label(self) -> str:
        """What messages call the place where its text in the program is not known."""
        return f"a {type(self.holder).__name__}"

    @abstractmethod
    def read(self) -> Any:
        """What is there, by no code of the program's; `ABSENT` for nothing."""

    @abstractmethod
    def write(self, value: object) -> None:
        """Puts `value` there, by no code of the program's, and tells no journal; for `ABSENT`, removes what is there."""


class Attribute(Place):
    """An attribute that is in no dictionary: of a class, in a slot, or kept by C code."""

    __slots__ = ("name",)

    def __init__(self, holder: object, name: str) -> None:
        super().__init__(holder)
        self.name = name

    @property
    def key(self) -> object:
        return id(self.holder), self.name

    @property
    def label(self) -> str:
        return f"{_name_of(self.holder)}.{self.name}"

    def read(self) -> object:
        if issubclass(type(self.holder), type):
            return type.__getattribute__(self.holder, "__dict__").get(self.name, ABSENT)
        try:
            return object.__getattribute__(self.holder, self.name)
        except AttributeError:
            return ABSENT

    def write(self, value: object) -> None:
        base: Any = type if issubclass(type(self.holder), type) else object
        if value is not ABSENT:
            base.__setattr__(self.holder, self.name, value)
        elif self.read() is not ABSENT:
            base.__delattr__(self.holder, self.name)


class Item(Place):
    """A key of a dictionary, or an index of a list. Most attributes are items of the dictionary of their object."""

    __slots__ = ("index",)

    def __init__(self, holder: Any, index: Any, owner: object = None) -> None:
        super().__init__(holder, owner)
        self.index = index

    @property
    def key(self) -> object:
        return id(self.holder), self.index

    @property
    def label(self) -> str:
        if self.owner is self.holder:
            return f"{type(self.holder).__name__}[{self.index!r}]"
        return f"{_name_of(self.owner)}.{self.index}"

    def read(self) -> Any:
        if issubclass(type(self.holder), list):
            return list.__getitem__(self.holder, self.index)
        return dict.get(self.holder, self.index, ABSENT)

    def write(self, value: object) -> None:
        if issubclass(type(self.holder), list):
            list.__setitem__(self.holder, self.index, value)
        elif value is not ABSENT:
            _dict_type(self.holder).__setitem__(self.holder, self.index, value)
        elif dict.__contains__(self.holder, self.index):
            _dict_type(self.holder).__delitem__(self.holder, self.index)


class Cell(Place):
    """A variable that functions share."""

    __slots__ = ("name",)

    def __init__(self, holder: CellType, name: str) -> None:
        super().__init__(holder)
        self.name = name

    @property
    def label(self) -> str:
        return self.name

    def read(self) -> object:
        try:
            return self.holder.cell_contents
        except ValueError:
            return ABSENT

    def write(self, value: object) -> None:
        if value is not ABSENT:
            self.holder.cell_contents = value
        elif self.read() is not ABSENT:
            del self.holder.cell_contents


class ContextValue(Place):
    """What a `ContextVar` gives, be it set or not."""

    __slots__ = ()

    @property
    def label(self) -> str:
        return f"{self.holder.name}.get()"

    def read(self) -> object:
        try:
            return self.holder.get()
        except LookupError:
            return ABSENT

    def write(self, value: object) -> None:
        if value is ABSENT or self.read() is not value:
            trace = current_trace()
            token = None if trace is None else trace.notes.pop((ContextValue, id(self.holder)), None)
            if token is not None:
                with contextlib.suppress(RuntimeError, ValueError):  # it has been used, or belongs to another task
                    self.holder.reset(token)
        if value is not ABSENT and self.read() is not value:  # nor is it what there is where nothing is set
            self.was_set(self.holder.set(value))

    def was_set(self, token: Token[Any], again: bool = True) -> None:
        """Keeps what leads back to where the variable was not set: the latest one that was set `again`, if any."""
        trace, key = current_trace(), (ContextValue, id(self.holder))
        if trace is not None and token.old_value is Token.MISSING and (again or key not in trace.notes):
            trace.notes[key] = token


class Contents(Place):
    """All that is in a container: a copy of it, or of what stands in for it."""

    __slots__ = ()

    def read(self) -> Any:
        trace = current_trace()
        stand_in = None if trace is None else trace.substitute(self.holder)
        found = self.holder if stand_in is None else stand_in
        kind = kind_of(found)
        return found if kind is None else kind.copy(found)

    def write(self, value: object) -> None:
        trace, kind = current_trace(), kind_of(self.holder)
        if kind is not None and issubclass(type(value), kind.copied):
            if trace is not None:
                trace.set_stand_in(self.holder, None)
            if kind.refill is not None:
                kind.refill(self.holder, value)
        elif trace is not None:
            own = kind_of(value)  # what it is given stays as it is, whatever becomes of the stand-in
            trace.set_stand_in(self.holder, value if own is None else own.copy(value))


class KeyOrder(Place):
    """The order of the keys in a dictionary."""

    __slots__ = ()

    @property
    def key(self) -> object:
        return id(self.holder), KeyOrder

    @property
    def counts(self) -> bool:
        """Whether it is part of what the dictionary is, to Python."""
        return issubclass(type(self.holder), collections.OrderedDict)

    def read(self) -> tuple[Any, ...]:
        return tuple(_dict_type(self.holder).__iter__(self.holder))

    def write(self, value: object) -> None:
        kind, first = _dict_type(self.holder), dict.fromkeys(cast("tuple[Any, ...]", value))
        for key in [*first, *(key for key in self.read() if key not in first)]:
            item = dict.get(self.holder, key, ABSENT)
            if item is not ABSENT:
                kind.__delitem__(self.holder, key)
                kind.__setitem__(self.holder, key, item)


def moved_keys(old: Mapping[Any, Any], new: Mapping[Any, Any]) -> bool:
    """Whether keys that two dictionaries share are in different orders."""
    places = {key: i for i, key in enumerate(old)}
    found = [places[key] for key in new if key in places]
    return found != sorted(found)


def _name_of(value: object) -> str:
    name = getattr(value, "__name__", None) if callable(value) or issubclass(type(value), type(sys)) else None
    return name if isinstance(name, str) else type(value).__name__


def attributes_of(value: object) -> dict[str, Any] | None:
    """The dictionary of the attributes of an object, if it has one."""
    try:
        found = _reader_in_c(type(value))(value, "__dict__")
    except (AttributeError, TypeError, ReferenceError):
        return None
    return found if isinstance(found, dict) else None


def _reader_in_c(kind: type) -> Callable[[Any, str], Any]:
    """How objects of a class read attributes where no code of the program's does: `threading.local` by the thread."""
    found: Any = type.__getattribute__(kind, "__getattribute__")
    if found is _reads:
        return _reads
    for base in type.__getattribute__(kind, "__mro__"):
        found = type.__getattribute__(base, "__dict__").get("__getattribute__")
        if type(found) is WrapperDescriptorType:
            return found
    return _reads


_reads = object.__getattribute__


def _referred(value: Any) -> object:
    """What a weak proxy stands for, if that is alive; any other value itself."""
    if type(value) not in weakref.ProxyTypes:
        return value
    try:
        return value.__reduce_ex__.__self__
    except (AttributeError, ReferenceError):
        return value


def attribute(holder: object, name: str) -> Place:
    """The place of an attribute that is set by no code of the program's."""
    holder = _referred(holder)
    if not issubclass(type(holder), type):
        attributes = attributes_of(holder)
        if attributes is not None and not _is_in_slot(type(holder), name):
            return Item(attributes, name, holder)
    return Attribute(holder, name)


def _is_in_slot(kind: type, name: str) -> bool:
    for base in kind.__mro__:
        found = type.__getattribute__(base, "__dict__").get(name)
        if found is not None:
            return type(found) is MemberDescriptorType or type(found) is GetSetDescriptorType
    return False
