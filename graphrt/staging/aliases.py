"""Lists, dictionaries and deques that a statement joins of two: one under all their names, and no more than one.

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

from autograph.backends.state import IS_ONE_OF_TWO, Lost, check_writes, current_trace, made
from graphrt import errors
from graphrt.staging.lists import StagedList
from graphrt.types import structure

Shared = Mapping[tuple[str, str | int], Any]
_CONTAINERS = (list, dict, collections.deque, StagedList)


class Joined:
    """The containers that one statement leaves."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[tuple[int, int], tuple[Any, ...]] = {}

    def settled(self, name: str, found: Any, a: Any, b: Any, whole: bool = True) -> Any:
        """`found`, which is joined of `a` and `b`: what is the same in both is so in it, and what was found before, again.

        Not `whole`: `a` and `b` are copies of what is in a container, which stays itself.
        """
        is_container = isinstance(found, _CONTAINERS) and all(isinstance(v, _CONTAINERS) for v in (a, b))
        if is_container and a is b:
            return a
        if is_container and whole and (id(a), id(b)) in self._found:
            return self._found[id(a), id(b)][1]
        if type(found) is type(a) is type(b) and isinstance(found, (list, tuple, dict)):
            found = self._parts(name, found, a, b)
        if is_container and whole:
            self.note(name, found, a, b)
        return found

    def note(self, name: str, found: Any, a: Any, b: Any = None) -> None:
        """Takes down what `found` may be."""
        if isinstance(found, _CONTAINERS):
            self._found[id(a), id(b)] = name, found, a, b
            if found is not a and found is not b:
                made(found)  # not older than what is around the statement

    def inside(self, name: str, found: Any, sources: list[Any]) -> None:
        """Takes down what is in an object that a statement has made: it may be what is in those that this may be."""
        if not isinstance(found, _CONTAINERS):
            return
        made(found)
        self._found[id(found), 0] = name, found, *sources
        if isinstance(found, (list, dict)):
            for key, part in structure.children(found):
                self.inside(f"{name}[{key!r}]", part, [])

    def _parts(self, name: str, found: Any, a: Any, b: Any) -> Any:
        values = [v.values() if isinstance(v, dict) else v for v in (found, a, b)]
        if not any(isinstance(v, (*_CONTAINERS, tuple)) for v in values[0]):
            return found
        three = [structure.children(v) for v in (found, a, b)]
        if not [k for k, _ in three[0]] == [k for k, _ in three[1]] == [k for k, _ in three[2]]:
            return found
        parts = [self.settled(f"{name}[{k!r}]", x, y, z) for (k, x), (_, y), (_, z) in zip(*three)]
        return found if all(p is x for p, (_, x) in zip(parts, three[0])) else structure.rebuild(found, parts)

    def guard(self) -> None:
        """Tells the trace of them: what may be one of two is lost where the other is written, or refused if it is older."""
        trace = current_trace()
        for name, found, *sources in self._found.values():
            if trace is None:
                return
            if is_returned(name):
                continue
            others = tuple(s for s in sources if isinstance(s, _CONTAINERS) and s is not found)
            if not others:
                continue
            every = trace.is_one_of(found, others, partial(_written, name))
            check_writes(trace)
            if not all(isinstance(v, StagedList) or trace.is_own(v) for v in every):  # who has it is not for us to know
                itself = partial(_itself, found)
                trace.guard(itself, (itself,), _written(name))


def begun_with(rows: Any, copy: StagedList, name: str) -> StagedList:
    """`copy`, which a loop begins with for the variable `name`: that is `rows` until an iteration sets it anew."""
    trace = current_trace()
    if trace is not None and not is_returned(name):
        trace.is_one_of(copy, (rows,), partial(_written, name))
        check_writes(trace)
    return copy


def is_returned(name: str) -> bool:
    """Whether this is, or is in, what the function returns: nothing that runs after a `return` writes to it."""
    return name.startswith("retval_")


def _itself(value: object) -> object:
    return value


def _written(name: str) -> Callable[[], Exception]:
    where = errors.user_location(2)
    return lambda: _one_of_two(name, where)


def _one_of_two(name: str, where: tuple[str, int] | None) -> Exception:
    at = "" if where is None else f" It is written at {where[0]}:{where[1]}."
    return errors.SideEffectError(errors.at_user_line(f"{name!r} {IS_ONE_OF_TWO}.{at}"))


def lost_so_far() -> Lost:
    """The containers of which nobody knows what is in them."""
    trace = current_trace()
    return {} if trace is None else trace.lost


def now_lost(lost: Lost) -> None:
    """Says which these are, where a branch or an iteration begins or ends."""
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


def containers(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """The containers in the value of a variable, with what they are called."""
    if isinstance(value, _CONTAINERS):
        yield name, value
    if isinstance(value, (list, tuple, dict)):
        for key, part in structure.children(value):
            yield from containers(f"{name}[{key!r}]", part)


def shared(values: dict[str, Any], before: dict[str, Any], clock: int) -> Shared:
    """Those that may be one: each other, or one that is older than the loop, and is not what it was `before`."""
    trace, found = current_trace(), dict[tuple[str, str | int], Any]()
    if trace is None:
        return found
    for name, value in values.items():
        known = trace.may_be(before.get(name))
        for other in trace.may_be(value).values():
            if id(other) not in known and not is_newer(other, clock):
                found[name, id(other)] = other
    for (a, x), (b, y) in itertools.combinations(values.items(), 2):
        if not trace.may_be(x).keys().isdisjoint(trace.may_be(y)):
            found[a, b] = None
    return found
