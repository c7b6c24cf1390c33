"""Containers and objects that a statement joins of two: one under all their names, and no more than one.

if x > 0:                  ys = a       after the statement `a` and `ys` are one list again, of what the conditional gives;
    a = ys = [x]
b = a                      `b` is one of two lists, nobody knows which: where one of the three changes the others are lost,
if x > 0:                  and who looks into them is told so
    b = [x]
"""

from __future__ import annotations

import collections
import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from autograph.backends.state import (
    IS_ONE_OF_TWO,
    Losses,
    current_trace,
    fill_instance,
    freeze,
    is_one_of,
    made,
)
from graphrt import errors
from graphrt.staging.chosen_functions import is_function
from graphrt.staging.closing import is_object
from graphrt.staging.ends import NOTHING, End
from graphrt.staging.lists import StagedList, as_python
from graphrt.staging.maybe_none import MaybeNone
from graphrt.staging.unset import SometimesSet
from graphrt.types import structure

Shared = Mapping[tuple[str, str | int], Any]
_CONTAINERS = (list, dict, collections.deque, StagedList)


class Joined:
    """The containers and objects that one statement leaves, each joined of one on either of its two sides.

    `apart`: what is one on a side need not be one in what is found, as where a loop begins an iteration.
    """

    __slots__ = ("_again", "_ends", "_found", "_is_apart")

    def __init__(self, ends: tuple[End, End] = (NOTHING, NOTHING), apart: bool = False) -> None:
        self._ends = ends
        self._is_apart = apart
        self._found: dict[int, tuple[str, Any, tuple[list[Any], list[Any]]]] = {}
        self._again: dict[tuple[int, int], Any] = {}

    def settled(self, name: str, found: Any, a: Any, b: Any = None, whole: bool = True) -> Any:
        """`found`, which is joined of `a` and `b`: what is one in both is one in it, and what was found before, again.

        Not `whole`: `a` and `b` are copies of what is in a container, which stays itself.
        """
        if isinstance(found, SometimesSet):
            found.opened = self.settled(name, found.opened, within(a), within(b), whole)
            return found
        if isinstance(found, MaybeNone):
            if found is not a and found is not b:
                found.value = self.settled(name, found.value, within(a), within(b), whole)
            return found
        if found is a is b or not (_holds(found) or isinstance(found, tuple)):
            return found
        if whole and _holds(found):
            if a is b and _holds(a):
                return a
            if id(found) in self._found:  # it has itself inside
                return found
            key = (id(a) if _is_one(a) else 0, id(b) if _is_one(b) else 0)
            if not self._is_apart and key in self._again:
                return self._again[key]
            if not self._is_apart and found is not a and found is not b:
                found = as_python(found)
            if any(key):
                self._again[key] = found
            self.note(name, found, a, b)
        if found is a or found is b:
            return found
        parts = [end.parts(v) if _holds(v) or isinstance(v, tuple) else {} for end, v in zip(self._ends, (a, b))]
        return self._with_parts(name, found, parts)

    def _with_parts(self, name: str, found: Any, parts: list[dict[Any, Any]]) -> Any:
        """`found`, whose parts are joined of `parts` of either side."""
        new: dict[Any, Any] = {}
        for key, part in NOTHING.parts(found).items():
            label = f"{name}.{key}" if is_object(found) else f"{name}[{key!r}]"
            settled = self.settled(label, part, parts[0].get(key), parts[1].get(key))
            if settled is not part:
                new[key] = settled
        if isinstance(found, tuple):
            return structure.rebuild(found, [new.get(i, v) for i, v in enumerate(found)]) if new else found
        if new and is_object(found):
            fill_instance(found, new)
        for key in () if is_object(found) else new:
            found[key] = new[key]
        return found

    def note(self, name: str, found: Any, a: Any, b: Any = None) -> None:
        """Takes down what `found` may be, on either side."""
        if not _holds(found):
            return
        if found is not a and found is not b:
            made(found)  # not older than what is around the statement
        _, _, sides = self._found.setdefault(id(found), (name, found, ([], [])))
        for side, value in zip(sides, (a, b)):
            if _is_one(value) and value is not found:
                side += value.may_be if isinstance(value, StagedList) else [value]

    def guard(self) -> None:
        """Tells the trace of them."""
        trace, statement = current_trace(), object()
        for name, found, sides in self._found.values():
            if trace is None or is_returned(name) or not any(sides):
                continue
            for value in (v for side in sides for v in side if isinstance(v, StagedList)):
                trace.owns(value)  # none is older
            is_one_of(found, sides, statement, partial(_written, name))
            for end, side in zip(self._ends, sides):
                for value in side:
                    if id(value) in end.losses.frozen:
                        freeze(found, end.losses.frozen[id(value)][1])


def _holds(value: object) -> bool:
    """Whether `value` is a container or an object, which may have several names."""
    return isinstance(value, _CONTAINERS) or is_object(value)


def _is_one(value: object) -> bool:
    """Whether `value` is an object of which one may be chosen: a function is, too."""
    return _holds(value) or is_function(value)


def within(value: object) -> Any:
    """What a variable holds where it is set, and not None."""
    if isinstance(value, MaybeNone):
        return value.value
    return value.opened if isinstance(value, SometimesSet) else value


def begun_with(rows: Any, copy: StagedList, name: str) -> StagedList:
    """`copy`, which a loop begins with for the variable `name`: that is `rows` until an iteration sets it anew."""
    joined = Joined()
    joined.note(name, copy, rows)
    joined.guard()
    return copy


def is_returned(name: str) -> bool:
    """Whether this is, or is in, what the function returns: nothing that runs after a `return` writes to it."""
    return name.startswith("retval_")


def _written(name: str) -> Callable[[], Exception]:
    where = errors.user_location(2)
    return lambda: _one_of_two(name, where)


def _one_of_two(name: str, where: tuple[str, int] | None) -> Exception:
    at = "" if where is None else f" It is written at {where[0]}:{where[1]}."
    return errors.SideEffectError(errors.at_user_line(f"{name!r} {IS_ONE_OF_TWO}.{at}"))


def lost_so_far() -> Losses:
    """What may not be used."""
    return NOTHING.losses


def now_lost(lost: Losses) -> None:
    """Says what that is, where a branch or an iteration begins or ends."""
    trace = current_trace()
    if trace is not None:
        trace.lost = lost


def now() -> int:
    """The trace's clock."""
    trace = current_trace()
    return 0 if trace is None else trace.clock


def is_newer(value: object, since: int) -> bool:
    """Whether `value` was made after the clock showed `since`; staged lists are, as each iteration has its own."""
    trace = current_trace()
    return isinstance(value, StagedList) or (trace is not None and trace.is_own(value, since))


def holders(name: str, value: Any, _outer: tuple[int, ...] = ()) -> Iterator[tuple[str, Any]]:
    """The containers and objects in the value of a variable, with what they are called."""
    value = within(value)
    if id(value) in _outer:
        return
    if _holds(value):
        yield name, value
    if _holds(value) or isinstance(value, tuple):
        for key, part in NOTHING.parts(value).items():
            label = f"{name}.{key}" if is_object(value) else f"{name}[{key!r}]"
            yield from holders(label, part, (*_outer, id(value)))


def shared(values: dict[str, Any], before: dict[str, Any], clock: int) -> Shared:
    """Those that may be one: each other, or one that is older than the loop, and is not what it was `before`."""
    trace, found = current_trace(), dict[tuple[str, str | int], Any]()
    if trace is None:
        return found
    may_be, may_be_one = trace.aliases.may_be, trace.aliases.may_be_one
    for name, value in values.items():
        known = {*map(id, may_be(before[name]))} if name in before else ()
        for other in may_be(value):
            if id(other) not in known and not is_newer(other, clock):
                found[name, id(other)] = other
    for (a, x), (b, y) in itertools.combinations(values.items(), 2):
        if may_be_one(x, y):
            found[a, b] = None
    return found
