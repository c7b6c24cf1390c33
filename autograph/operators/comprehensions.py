"""List comprehensions and generator expressions of converted code (with `Feature.LISTS`).

    [-x for x in xs if x > 0]    ->    ag__.list_comp(xs, lambda items: [-x for x in items if ag__.plain_test(x > 0)],
                                                      lambda x: -x, lambda x: x > 0)

The first function is the comprehension as it was. Where it comes upon a staged condition, or a staged iterable of an inner
loop, the comprehension is begun again, as the staged `for` and `if` statements that it stands for:

    [y for x in xs for y in x]    ->    ag__.list_comp(xs, lambda items: ...,
                                                       lambda x: ag__.inner_loop(x, lambda y: y, None), None)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from autograph.backends.journal import Journal, recording
from autograph.backends.own_builtins import OWN
from autograph.backends.registry import backend_of, registered_backends
from autograph.backends.trace import current_trace, lasting, seen
from autograph.backends.trace import made as own
from autograph.errors import AutoGraphError, PythonOnlyConstructError
from autograph.operators.control_flow import for_stmt, if_stmt, lose_iterator
from autograph.operators.iterators import forked, is_lasting
from autograph.operators.lists import list_append

globals()["__builtins__"] = OWN

Function = Callable[..., Any]


class InnerLoop(NamedTuple):
    """What an outer loop of a comprehension has for an element: an inner one."""

    iterable: Any
    element: Function
    condition: Function | None


inner_loop = InnerLoop


class _Staged(BaseException):
    """A comprehension that runs as Python has come upon a staged value."""


def plain_test(condition: object) -> object:
    """The condition of a comprehension that runs as Python; a staged one ends that."""
    if condition is not True and condition is not False and backend_of(condition) is not None:
        raise _Staged
    return condition


def plain_items(iterable: Any) -> Any:
    """What an inner loop of a comprehension that runs as Python runs over; what only a backend can iterate ends that."""
    iterable = seen(iterable)
    if backend_of(iterable) is None:
        return iterable
    try:
        return iter(iterable)
    except (AutoGraphError, TypeError):
        raise _Staged from None


def list_comp(iterable: Any, plain: Function, element: Function, condition: Function | None) -> Any:
    """The list of `element(item)` for each item for which `condition(item)` holds."""
    iterable = seen(iterable)
    again = lasting(iterable)
    backend = backend_of(iterable)
    if backend is None:
        iterable, again = _twice(iterable)
    elif not _is_nested(element):
        made = backend.list_comp(iterable, plain, element, condition)
        return _collected(again, element, condition) if made is NotImplemented else made
    trial = _Trial()
    with recording() as journal:
        try:
            return own(plain(iterable if backend is None else plain_items(iterable)))
        except _Staged:
            trial.undo(journal)
    return _collected(again, element, condition)


def asks_backend(items: Any, condition: Function) -> bool:
    """Whether only a backend can tell for which of the items `condition(item)` holds."""
    trial, is_staged = _Trial(), False
    with recording() as journal:
        try:
            for item in items:
                plain_test(condition(item))
        except _Staged:
            is_staged = True
        except Exception:  # which comes again where it is asked for
            pass
        trial.undo(journal)
    return is_staged


class _Trial:
    """What is staged before something is tried, so that it can be undone."""

    def __init__(self) -> None:
        self._marks = [(b, m) for b in registered_backends() if (m := b.checkpoint()) is not None]

    def undo(self, journal: Journal) -> None:
        """Has all as it was; `journal` has what was written since."""
        journal.undo()
        for backend, mark in self._marks:
            backend.rollback(mark)


def _twice(iterable: Any) -> tuple[Any, Any]:
    """What is read first in place of `iterable`, to its end, and what is read then, from its begin."""
    if is_lasting(iterable):
        return iterable, iterable
    taken: list[Any] = []
    iterator = iter(iterable)
    return _noted(iterator, taken), itertools.chain(taken, iterator)


def _noted(iterator: Iterator[Any], taken: list[Any]) -> Iterator[Any]:
    for item in iterator:
        taken.append(item)
        yield item


def _is_nested(element: Function) -> bool:
    code = getattr(element, "__code__", None)
    return code is not None and ("inner_loop" in code.co_names or any(c is inner_loop for c in code.co_consts))


def _collected(iterable: Any, element: Function, condition: Function | None) -> Any:
    """The list as staged statements make it."""
    made: Any = own([])

    def get_state() -> tuple[Any, ...]:
        return (made,)

    def set_state(values: tuple[Any, ...]) -> None:
        nonlocal made
        (made,) = values

    def run(iterable: Any, element: Function, condition: Function | None) -> None:
        count = element.__code__.co_argcount

        def iteration(item: Any) -> None:
            parts = (item,) if count == 1 else tuple(item)

            def take() -> None:
                nonlocal made
                found = element(*parts)
                if type(found) is InnerLoop:
                    run(*found)
                else:
                    made = list_append(made, found)

            if condition is None:
                take()
            else:
                if_stmt(condition(*parts), take, _nothing, get_state, set_state, ("the list",), 1)

        for_stmt(seen(iterable), None, iteration, get_state, set_state, ("the list",), {})

    run(iterable, element, condition)
    return made


def _nothing() -> None:
    pass


def gen_exp(iterable: Any, plain: Function, element: Function, condition: Function | None) -> object:
    """The same as a generator; what a staged one is, its backend says."""
    iterable = seen(iterable)
    backend = backend_of(iterable)
    if backend is not None:
        if not _is_nested(element):
            made = backend.list_comp(iterable, plain, element, condition)
            if made is not NotImplemented:
                return generated(made, iterable)
            raise PythonOnlyConstructError(
                "a generator expression over staged values changes something at each element, and when that is not "
                "known while staging: write a list comprehension, [...], or a loop"
            )
        return generated(list_comp(iterable, lambda items: list(plain(items)), element, condition), iterable)
    if condition is None and not _is_nested(element):
        return plain(iterable)
    ahead = forked(iterable) if current_trace() is not None else None
    if ahead is not None:
        trial = _Trial()
        with recording() as journal:
            is_staged = _has_staged_condition(itertools.islice(ahead, MOST_TRIED), element, condition)
            trial.undo(journal)
        if is_staged:
            items = taken_over(iterable)
            return generated(_collected(items, element, condition), items)
    return _told(plain(iterable))


def generated(elements: Any, iterable: object, *text: str) -> Any:
    """An iterator over `elements`, which `text`, or else a generator expression, has made of `iterable`."""
    elements = seen(elements)
    if type(elements) is list:
        return iter(elements)
    backend = backend_of(elements)
    return elements if backend is None else backend.generated(elements, iterable, *text)


MOST_TRIED = 1000


def taken_over(iterable: Any) -> Any:
    """What a graph goes through in place of `iterable`: how far, only the graph knows, so an iterator is nobody else's."""
    if is_lasting(iterable):
        return iterable
    items = list(iterable)
    lose_iterator(iterable)
    return items


def _has_staged_condition(iterable: Iterable[Any], element: Function, condition: Function | None) -> bool:
    """Whether a generator expression over Python values comes upon a staged condition, or upon a staged iterable.

    Conditions are asked ahead of time, elements are not.
    """
    count = element.__code__.co_argcount
    try:
        for item in iterable:
            parts = (item,) if count == 1 else tuple(item)
            if condition is not None:
                holds = condition(*parts)
                if backend_of(holds) is not None:
                    return True
                if not holds:
                    continue
            if not _is_nested(element):
                continue
            inner = element(*parts)
            items = seen(inner.iterable)
            if backend_of(items) is not None:
                return True
            if not is_lasting(items):
                return False
            if _has_staged_condition(items, inner.element, inner.condition):
                return True
    except Exception:  # it is raised again where Python would come so far
        return False
    return False


def _told(generator: Iterable[Any]) -> Iterator[Any]:
    try:
        yield from generator
    except _Staged:
        raise PythonOnlyConstructError(
            "a generator expression over Python values has a staged condition: how many elements there are is not known "
            "while staging; write a list comprehension, [...], or a loop"
        ) from None
