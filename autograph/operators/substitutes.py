"""Sites that give what Python looks into in place of an object: for loops, `with`, `match` and f-strings."""

from __future__ import annotations

import contextlib
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.registry import backend_of, if_there, there
from autograph.backends.trace import current_trace, open_traces, seen, with_stand_ins
from autograph.operators import dispatch
from autograph.operators.attributes import Site
from autograph.operators.list_loops import GoneThrough, ListIterator, gone_through, watched
from autograph.operators.tracebacks import Passing

globals()["__builtins__"] = OWN


class Iteration(Site):
    """`for`, unpacking and stars: gives what is iterated over in place of `o`."""

    __slots__ = ()

    def __call__(self, o: object) -> Any:
        if type(o) is self.also or type(o) is GoneThrough:
            return o
        o = there(o)
        if with_stand_ins:
            o = seen(o)
        if dispatch.has_twins(type(o), dispatch.ITERATES, self.scope):
            return dispatch.iterable(o, self.scope)
        self.learn(type(o))
        return o


class Looping(Iteration):
    """A staged `for`, which sees what becomes of a list."""

    __slots__ = ()

    def __call__(self, o: object) -> Any:
        found = super().__call__(o)
        return gone_through(found) if open_traces else found

    def learn(self, kind: type) -> None:
        if kind not in (list, ListIterator):
            super().learn(kind)


class Watching(Iteration):
    """What stays Python's and goes through something: not through a list that becomes staged meanwhile."""

    __slots__ = ()

    def __call__(self, o: object) -> Any:
        found = super().__call__(o)
        return watched(found) if open_traces else found


class Unpacking(Site):
    """Two stars: gives what the items are taken from in place of `o`."""

    __slots__ = ()

    def __call__(self, o: object) -> Any:
        found = o if type(o) is self.also else dispatch.mapping(seen(o) if with_stand_ins else o, self.scope)
        if found is o and type(o) is not self.also:
            self.learn(type(o))
        return found


class AsyncIteration(Site):
    """`async for`."""

    __slots__ = ()

    def __call__(self, o: object) -> Any:
        return dispatch.async_iterable(o, self.scope)


class Entering(Site):
    """`with`: gives the manager that is entered in place of `o`."""

    __slots__ = ()

    def __call__(self, o: object) -> Any:
        found = dispatch.manager(o, self.scope)
        if found is o and issubclass(type(o), (contextlib.suppress, contextlib.ExitStack)):
            return Passing(o) if open_traces else o
        if found is o:
            self.learn(type(o))
        return found


class AsyncEntering(Site):
    """`async with`."""

    __slots__ = ()

    def __call__(self, o: object) -> Any:
        return dispatch.manager(o, self.scope, dispatch.ENTERS_ASYNC)


class Matching(Site):
    """`match` whose patterns are of classes: gives what they take apart in place of `o`."""

    __slots__ = ("names",)

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__()
        self.names = names

    def __call__(self, o: object) -> Any:
        return dispatch.matched(if_there(o), self.names, self.scope)


class Taking(Site):
    """`match` whose patterns are of other kinds, too: gives what they take apart in place of `o`."""

    __slots__ = ()

    def __call__(self, o: object) -> Any:
        o = if_there(o)
        if with_stand_ins:
            o = seen(o)
        self.learn(type(o))
        return o


class Holding(Site):
    """A pattern that takes `o` apart, and holds: gives True, or what is staged where `o` may be None."""

    __slots__ = ()

    def __call__(self, o: object) -> Any:
        trace = current_trace()
        backend = None if trace is None or not trace.may_be_none else backend_of(o)
        return True if backend is None else dispatch.negated(backend.is_none(o))


class Formatting(Site):
    """A value in an f-string: gives what is formatted in place of `o`."""

    __slots__ = ()

    def __call__(self, o: object) -> Any:
        if with_stand_ins:
            o = seen(o)
        found = dispatch.formatted(o, self.scope)
        if found is o:
            self.learn(type(o))
        return found
