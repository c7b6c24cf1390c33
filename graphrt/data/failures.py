"""Errors in the middle of a dataset: the element that could not be made is told, and the next one goes on behind it.

A generator is over once an exception has left it. So a transformation that is written as one takes its input through
`guarded`, which gives an error as a `Failed` element, hands that on in its place, and is wrapped by `surviving`, which
raises it. https://www.tensorflow.org/api_docs/python/tf/data/Dataset#ignore_errors counts on it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from graphrt import errors
from graphrt.data.pipeline import Element, Run

_Source = TypeVar("_Source")


class Failed:
    """Stands for an element that could not be made."""

    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error


class _Guarded:
    __slots__ = ("_following",)

    def __init__(self, elements: Iterator[Element]) -> None:
        self._following = elements.__next__

    def __iter__(self) -> _Guarded:
        return self

    def __next__(self) -> Any:
        try:
            return self._following()
        except StopIteration:
            raise
        except Exception as error:
            return Failed(error)


class _Raising:
    __slots__ = ("_following",)

    def __init__(self, elements: Iterator[Any]) -> None:
        self._following = elements.__next__

    def __iter__(self) -> _Raising:
        return self

    def __next__(self) -> Element:
        found = self._following()
        if type(found) is Failed:
            raise found.error
        return found


def guarded(elements: Iterator[Element]) -> Iterator[Any]:
    """The elements, and a `Failed` in place of each that raises."""
    return _Guarded(elements)


def answered(elements: Iterator[Element], call: Callable[..., Any]) -> Iterator[Any]:
    """For each element `(index, element, call(index, *element))`; a `Failed` where there is none, or the call fails."""
    index = -1
    for element in guarded(elements):
        if type(element) is Failed:
            yield element
            continue
        index += 1
        try:
            found = call(index, *element)
        except errors.OpError as error:
            yield Failed(error)
            continue
        yield index, element, found


def each(elements: Iterator[Any], makes: Callable[..., Iterable[Any]]) -> Iterator[Any]:
    """What `makes` gives for each element, one after the other; a `Failed` goes on in its place."""
    for element in elements:
        if type(element) is Failed:
            yield element
        else:
            yield from makes(element)


def surviving(open_: Callable[[_Source, Run], Iterator[Any]]) -> Callable[[_Source, Run], Iterator[Element]]:
    """Raises the errors that a generator yields as `Failed`; it goes on when it is asked again."""

    @functools.wraps(open_)
    def opened(self: _Source, run: Run) -> Iterator[Element]:
        return _Raising(open_(self, run))

    return opened
