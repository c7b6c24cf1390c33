"""What may be what: the register of the objects and containers that the statements of a trace join of two.

if c: m = other        `m` is one of two from here on, nobody knows which, and has what is in it for itself
m.v += 1               so `other` is lost: who looks into it afterwards is told so
other.w = 2            and here, had it come first, `m` would be

What is older than the trace, and one of two, may not be written: others may have it. What is *frozen* may be read, but not
be written: others hold a copy of what is in it.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Container, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from autograph.backends.own_builtins import OWN

globals()["__builtins__"] = OWN

Reference = Callable[[], Any]
Written = Callable[[], Callable[[], Exception]]
"""Called where something is written; gives what makes the error for who looks into what that may have changed."""
Loss = tuple[Any, Callable[[], Exception]]
_NONE: Mapping[int, Loss] = MappingProxyType({})


class Losses:
    """What may not be used at a point of the program, by identity: each with the error for who does.

    Attributes:
      lost: of which nobody knows any more what is in it.
      frozen: what may not be written.
    """

    __slots__ = ("frozen", "lost")

    def __init__(self, lost: Mapping[int, Loss] = _NONE, frozen: Mapping[int, Loss] = _NONE) -> None:
        self.lost, self.frozen = lost, frozen

    def __or__(self, other: Losses) -> Losses:
        return Losses({**self.lost, **other.lost}, {**self.frozen, **other.frozen})

    def __len__(self) -> int:
        return len(self.lost) + len(self.frozen)

    def since(self, before: Losses, is_older: Callable[[Any], bool]) -> Losses:
        """What has come to these since `before`, of what `is_older`."""
        new = lambda now, then: {k: found for k, found in now.items() if k not in then and is_older(found[0])}
        return Losses(new(self.lost, before.lost), new(self.frozen, before.frozen))


class _OneOf(NamedTuple):
    """What is one of several.

    `sides`: which, for either way through the `statement` that has made it; `every`: and all that those may be.
    """

    value: Reference
    sides: tuple[dict[int, Reference], ...]
    every: dict[int, Reference]
    statement: object
    written: Written
    number: int


class Aliases:
    """The register of one trace."""

    __slots__ = ("_entries", "_having", "_numbers", "_own")

    def __init__(self, own: Container[int]) -> None:
        self._own = own  # identities of what the trace has made
        self._numbers = itertools.count()
        self._entries: dict[int, _OneOf] = {}
        self._having: dict[int, dict[int, None]] = {}  # of what may be one: the entries

    def __len__(self) -> int:
        return len(self._entries)

    def _member(self, value: object) -> tuple[int, Reference]:
        """The identity of an object, and what gives it: as long as it lives elsewhere, if it is older than the trace."""
        try:
            reference = weakref.ref(value)  # there is but one
        except TypeError:
            return id(value), lambda: value
        return id(reference), (lambda: reference and value) if id(value) in self._own else reference

    def joined(self, value: object, sides: Sequence[Sequence[Any]], statement: object, written: Written) -> None:
        """Tells that `value`, which `statement` has made, is one of those on either of the `sides`."""
        key, get = self._member(value)
        found = [dict(map(self._member, side)) for side in sides]
        every = {k: get for side in sides for other in side for k, get in self._may_be(other).items()}
        before = self._entries.get(key)
        if before is not None:
            nothing: dict[int, Reference] = {}
            found = [{**a, **b} for a, b in itertools.zip_longest(before.sides, found, fillvalue=nothing)]
            every = {**before.every, **every}
            statement = statement if before.statement is statement else object()
        for members in (*found, every):
            members.pop(key, None)
        self._entries[key] = _OneOf(get, tuple(found), every, statement, written, next(self._numbers))
        for other in (key, *every):
            self._having.setdefault(other, {})[key] = None

    def _may_be(self, value: object) -> dict[int, Reference]:
        key, get = self._member(value)
        entry = self._entries.get(key)
        return {key: get} if entry is None else {key: get, **entry.every}

    def may_be(self, value: object) -> list[Any]:
        """All that `value` may be, itself among them."""
        return [found for get in self._may_be(value).values() if (found := get()) is not None]

    def may_be_one(self, a: object, b: object) -> bool:
        """Whether two may be one object: after one statement, where they may have been on the same side of it."""
        mine, others = self._may_be(a), self._may_be(b)
        return not mine.keys().isdisjoint(others) and self._are_one(self._member(a)[0], self._member(b)[0], set())

    def _are_one(self, a: int, b: int, asked: set[tuple[int, int]]) -> bool:
        x, y = self._entries.get(a), self._entries.get(b)
        if a == b or (a, b) in asked:
            return a == b
        asked |= {(a, b), (b, a)}
        if x is not None and y is not None and x.statement is y.statement:
            pairs = ((s, t) for one, other in zip(x.sides, y.sides) for s in one for t in other)
            direct = any(a in side for side in y.sides) or any(b in side for side in x.sides)
            return direct or any(self._are_one(s, t, asked) for s, t in pairs)
        if x is None or (y is not None and y.number > x.number):
            x, b = y, a
        return x is not None and any(self._are_one(member, b, asked) for side in x.sides for member in side)

    def others(self, value: object) -> list[Any]:
        """All that may be `value`, but for itself."""
        keys = dict.fromkeys(key for member in self._may_be(value) for key in self._having.get(member, ()))
        near = [found for key in keys if (found := self._entries[key].value()) is not None]
        found = {id(other): other for other in (*self.may_be(value), *near) if self.may_be_one(other, value)}
        found.pop(id(value), None)
        return [*found.values()]

    def lost_by(self, value: object) -> dict[int, Loss]:
        """What is lost where `value` is written.

        Raises what `written` of `value` says if that may be something older than the trace.
        """
        entry = self._entries.get(self._member(value)[0])
        if entry is not None and not all(other is value or id(other) in self._own for other in self.may_be(value)):
            raise entry.written()()
        lost: dict[int, Loss] = {}
        for other in self.others(value):
            found = self._entries.get(self._member(other)[0], entry)
            assert found is not None
            lost[id(other)] = other, found.written()
        return lost
