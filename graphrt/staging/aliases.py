"""Lists, dictionaries and deques that a statement joins of two: one under all their names, and no more than one.

if x > 0:                  ys = a       after the statement `a` and `ys` are one list again, of what the conditional gives;
    a = ys = [x]
b = a                      `b` is one of two lists, nobody knows which, where it has another name: neither may change then
if x > 0:
    b = [x]
"""

from __future__ import annotations

import collections
from functools import partial
from typing import Any

from autograph.backends.state import IS_ONE_OF_TWO, attributes_of, check_writes, current_trace, made
from graphrt import errors
from graphrt.staging.lists import StagedList
from graphrt.types import structure

_CONTAINERS = (list, dict, collections.deque, StagedList)


class Joined:
    """The containers that one statement leaves."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[tuple[int, int], tuple[str, Any, Any, Any]] = {}

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
        """Has changes of the containers refused, and of those that they may be, where the program has names for both."""
        trace = current_trace()
        for name, found, *sources in self._found.values():
            if trace is None:
                return
            every = trace.is_one_of(found, tuple(s for s in sources if isinstance(s, _CONTAINERS) and s is not found))
            others = [other for other in every if is_named(other)]
            if not others:
                continue
            check_writes(trace)
            for other in others:
                for value, stale in ((found, other), (other, found)):
                    trace.guard(partial(_itself, value), (partial(_if_named, stale),), partial(_one_of_two, name))


def _itself(value: object) -> object:
    return value


def _if_named(value: object) -> object:
    return value if is_named(value) else None


def _one_of_two(name: str) -> Exception:
    return errors.SideEffectError(errors.at_user_line(f"{name!r} {IS_ONE_OF_TWO}"))


def is_named(value: object) -> bool:
    """Whether a variable of a function that runs now has `value`, or what has it in an attribute or item."""
    frame = errors.user_frame(2)
    while frame is not None:
        if not errors.is_own_frame(frame):
            for name, held in frame.f_locals.items():
                if name.isidentifier() and (held is value or any(v is value for v in _held_by(held))):
                    return True
        frame = frame.f_back
    return False


def _held_by(held: Any) -> Any:
    if isinstance(held, dict):
        return dict.values(held)
    if isinstance(held, (list, tuple, collections.deque)):
        return held
    return (attributes_of(held) or {}).values()
