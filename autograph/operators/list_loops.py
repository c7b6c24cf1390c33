"""Loops of Python's over lists, while something is traced: a list may become staged under way.

rows = [x]
for v in rows:            Python's loop, until a backend has something in the stead of `rows`; then it ends, and
    if v > 0:             what is left of it is the backend's
        rows.append(v - 1)
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from operator import length_hint
from typing import Any, NamedTuple

from autograph.backends.own_builtins import OWN
from autograph.backends.registry import backend_of
from autograph.backends.trace import current_trace, made, seen
from autograph.errors import PythonOnlyConstructError

globals()["__builtins__"] = OWN


class GoneThrough:
    """A list that a `for` of Python's goes through while something is traced: by an index, as Python does it."""

    __slots__ = ("_at", "_of")

    def __init__(self, of: list[object]) -> None:
        self._at, self._of = 0, of

    def __iter__(self) -> GoneThrough:
        return self

    def __next__(self) -> object:
        at, rows, trace = self._at, self._of, current_trace()
        instead = None if trace is None else trace.stand_in(rows)
        if instead is None and at < len(rows):
            self._at += 1
            return rows[at]
        if trace is not None and instead is not None:
            backend = backend_of(instead)
            assert backend is not None
            trace.rest = backend.rest_of_list(rows, at)
        self._at, self._of = 0, []
        raise StopIteration


def gone_through(iterated: Iterable[Any]) -> Iterable[Any]:
    """What a `for` of Python's goes through in place of `iterated` while something is traced."""
    return GoneThrough(iterated) if type(iterated) is list and current_trace() is not None else watched(iterated)


class Watched:
    """A Python iterator over a list, which must not become staged while something goes through it."""

    __slots__ = ("_of", "iterator")

    def __init__(self, iterator: Iterator[object], of: list[object]) -> None:
        self.iterator, self._of = iterator, of

    def __iter__(self) -> Watched:
        return self

    def __next__(self) -> object:
        check_iterated(self._of)
        return next(self.iterator)

    def __length_hint__(self) -> int:
        return length_hint(self.iterator)

    def __copy__(self) -> Watched:
        check_iterated(self._of)
        return Watched(copy.copy(self.iterator), self._of)


ListIterator: Any = type(iter([]))


def watched(iterated: Iterable[Any]) -> Iterable[Any]:
    """What goes through `iterated` in its place while something is traced, an iterator of Python's."""
    of = iterated_by(iterated)
    if of is None or current_trace() is None or (of is iterated and seen(of) is not of):
        return iterated
    return Watched(iter(iterated), of)


def iterated_by(value: Any) -> list[object] | None:
    """The list that goes through itself, or that an iterator of Python's goes through."""
    if type(value) is ListIterator:
        found: list[object] = value.__reduce__()[1][0]
        return found
    return value if type(value) is list else None


def check_iterated(of: list[object]) -> None:
    """Called where an iterator of Python's is to give the next element of a list.

    Raises:
      PythonOnlyConstructError: there is something in the stead of the list.
    """
    if seen(of) is not of:
        raise PythonOnlyConstructError(
            "a list is changed in a staged statement while an iterator of Python's goes through it, which sees nothing of "
            "that: loop over the list itself, over its indices, or over a copy, `list(...)`"
        )


class RestOfList(NamedTuple):
    """What a `for` that has gone through the first elements of a list has yet to run over, which is staged."""

    left: Iterable[Any]


def rest_of_list() -> RestOfList | None:
    """Right after a native loop: what is left of it for `for_stmt`; None if it has come to its end."""
    trace = current_trace()
    if trace is None or trace.rest is None:
        return None
    rest, trace.rest = trace.rest, None
    return RestOfList(rest)


def spread(stars: tuple[bool, ...], parts: tuple[Any, ...]) -> Any:
    """`[*a, b]` of parts, some of which have a star; what is staged where one of these is.

    >>> spread((True, False), ([1, 2], 3))
    [1, 2, 3]
    """
    found: Any = made([])
    for star, part in zip(stars, parts):
        backend = backend_of(part) if star else None
        longer = NotImplemented if backend is None else backend.list_spread(found, part)
        if longer is not NotImplemented:
            found = longer
        elif type(found) is list:
            found.extend(part) if star else found.append(part)
        else:
            found = found + ([*part] if star else [part])
    return found
