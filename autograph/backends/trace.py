"""What one trace knows of the objects that it works on: which are its own, and which have something in their stead.

A trace begins where a backend starts to record, and ends with it; what is nested in it belongs to it. Objects that were
there before are the program's: `is_own` tells them from those that were made since. A list that has come to hold what
only a graph knows stays the very list, under all its names; the trace keeps a *stand-in* for it, a value of a backend's,
which converted code is given whenever it looks into the list.
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable, Generator
from contextvars import ContextVar
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from autograph.backends.blocks import block, setting
from autograph.backends.own_builtins import OWN
from autograph.backends.threads import of_its_thread

globals()["__builtins__"] = OWN

Reference = Callable[[], Any]
Lost = dict[int, tuple[Any, Callable[[], Exception]]]
"""Containers of which nobody knows any more what is in them, by identity: each with the error for who looks."""


class _Guard(NamedTuple):
    """Of an object that may not be written while there are others."""

    value: Reference
    others: tuple[Reference, ...]
    error: Callable[[], Exception]


class _OneOf(NamedTuple):
    """A container that is one of `others`, nobody knows which."""

    value: Any
    others: tuple[Any, ...]
    written: Callable[[], Callable[[], Exception]]

    def every(self) -> dict[int, Any]:
        """All that it may be, by identity."""
        return {id(v): v for v in (self.value, *self.others)}


class Trace:
    """What a trace knows of objects.

    It keeps identities of what is made, and nothing alive: where an object of the trace's own has been, there can only
    be another one.

    Attributes:
      clock: counts what is made.
      rest: what is left of a list where a loop over it has just ended; whoever takes it sets None.
    """

    __slots__ = ("_guards", "_lost", "_made", "_one_of", "_sources", "_stand_ins", "clock", "rest")

    def __init__(self) -> None:
        self.clock = 1
        self.rest: Any = None
        self._guards: dict[int, list[_Guard]] = {}
        self._made: dict[int, int] = {}
        self._one_of: dict[int, _OneOf] = {}
        self._lost: Lost = {}
        self._sources: dict[int, tuple[Reference, tuple[Reference, ...], object]] = {}
        self._stand_ins: dict[int, tuple[Any, Any]] = {}

    def made(self, value: object) -> None:
        """Tells of an object that has just been made."""
        self.clock += 1
        self._made[id(value)] = self.clock

    def owns(self, value: object, holder: object = None) -> None:
        """Tells of an object that was made in the trace, if it is not known when: as old as its only `holder`, if any."""
        self._made.setdefault(id(value), self._made.get(id(holder), 1))

    def is_part(self, value: object, holder: object) -> None:
        """Tells of what is as old as its `holder`, whatever was there before."""
        clock = self._made.get(id(holder))
        if clock is None:
            self._made.pop(id(value), None)
        else:
            self._made[id(value)] = clock

    def is_own(self, value: object, since: int = 0) -> bool:
        """Whether `value` was made in the trace, as far as is known, after the `clock` showed `since`."""
        return self._made.get(id(value), 0) > since

    def stand_in(self, value: object) -> Any:
        """What is used in place of `value`, or None; raises where that is lost."""
        if id(value) in self._lost:
            raise self._lost[id(value)][1]()
        return self.substitute(value)

    def substitute(self, value: object) -> Any:
        """The same for those that keep books: also of what is lost."""
        found = self._stand_ins.get(id(value))
        return None if found is None else found[1]

    def stood_for(self, stand_in: object, otherwise: object = None) -> Any:
        """What a stand-in stands for, or `otherwise`."""
        return next((value for value, found in self._stand_ins.values() if found is stand_in), otherwise)

    def set_stand_in(self, value: object, stand_in: object) -> None:
        """Has `stand_in` used in place of `value` from now on; None: `value` itself."""
        with _lock:
            if stand_in is None:
                if self._stand_ins.pop(id(value), None) is None:
                    return
            else:
                self._stand_ins[id(value)] = value, stand_in
            self._count()

    def _count(self) -> None:
        if self.has_stand_ins:
            with_stand_ins[id(self)] = self
        else:
            with_stand_ins.pop(id(self), None)
        _tell()

    def guard(self, value: Reference, others: tuple[Reference, ...], error: Callable[[], Exception]) -> None:
        """Has writes to the attributes of what `value` gives refused as long as one of `others` gives an object."""
        key = id(value())
        kept = [guard for guard in self._guards.get(key, ()) if guard.value() is value()]
        self._guards[key] = [*kept, _Guard(value, others, error)]

    def sources(self, value: Reference) -> tuple[Reference, ...]:
        """The objects that an object may be, if it stands for some."""
        found = self._sources.get(id(value()))
        return found[1] if found is not None and found[0]() is value() else ()

    def of_the_same(self, value: Reference, sources: tuple[Reference, ...], statement: object) -> list[Reference]:
        """Says that an object may be any of `sources`; gives those of which other statements have said the same."""
        wanted = {_identity(source) for source in sources}
        found = [
            other
            for other, known, origin in self._sources.values()
            if other() is not None and origin is not statement and not wanted.isdisjoint(map(_identity, known))
        ]
        self._sources[id(value())] = value, sources, statement
        return found

    def is_one_of(
        self, value: Any, others: tuple[Any, ...], written: Callable[[], Callable[[], Exception]]
    ) -> tuple[Any, ...]:
        """Tells that a container is one of `others`, which may be so themselves; gives all that it may be.

        What is in the others is lost where one of them is written: `written` is called then, and gives what makes the
        error for who looks into another.
        """
        every = [value, *others]
        for each in (value, *others):
            every += self.may_be(each).values()
        found = tuple({id(other): other for other in every}.values())[1:]
        self._one_of[id(value)] = _OneOf(value, found, written)
        return found

    def may_be(self, value: Any) -> dict[int, Any]:
        """All that a container may be, itself among them, by identity."""
        found = self._one_of.get(id(value))
        return {id(value): value} if found is None else found.every()

    def freeze(self, value: object, error: Callable[[], Exception]) -> None:
        """Has writes to `value` refused by what runs from now on: others hold a copy of what is in it."""
        self.lost = {**self._lost, -id(value): (value, error)}

    @property
    def has_guards(self) -> bool:
        """Whether there is anything to check before a write."""
        return bool(self._guards or self._one_of or self._lost)

    def check(self, value: object) -> None:
        """Called before `value` is written: raises what `guard` or `freeze` was given; what may be `value` is lost."""
        if -id(value) in self._lost:
            raise self._lost[-id(value)][1]()
        for guard in self._guards.get(id(value), ()):
            if guard.value() is value and any(other() is not None for other in guard.others):
                raise guard.error()
        if not self._one_of:
            return
        self.stand_in(value)
        may_be = self.may_be(value)
        lost: Lost = {}
        for each in self._one_of.values():
            every = each.every()
            if may_be.keys().isdisjoint(every):
                continue
            error = each.written()
            lost[id(each.value)] = each.value, error
            lost |= {key: (other, error) for key, other in every.items() if key in may_be}
        lost.pop(id(value), None)
        if lost:
            self.lost = {**self._lost, **lost}

    @property
    def lost(self) -> Lost:
        """The containers of which nobody knows any more what is in them; set where a branch begins, and ends."""
        return self._lost

    @lost.setter
    def lost(self, lost: Lost) -> None:
        if lost is not self._lost:
            with _lock:
                self._lost = lost
                self._count()

    @property
    def has_stand_ins(self) -> bool:
        """Whether there are any, or containers that are lost."""
        return bool(self._stand_ins or self._lost)

    def stand_ins(self) -> list[tuple[Any, Any]]:
        """All objects that have a stand-in, each with it."""
        return list(self._stand_ins.values())


def _identity(reference: Reference) -> int:
    """Of what a reference gives, which may be gone: there is but one weak reference to an object."""
    return id(reference if isinstance(reference, weakref.ref) else reference())


_trace: ContextVar[Trace | None] = ContextVar("autograph_trace", default=None)
current_trace: Callable[[], Trace | None] = of_its_thread(_trace, None)
"""The trace that this thread or task is in, or None."""

# All traces, and those with stand-ins, in all threads: while there are none nobody needs to look for any.
open_traces: dict[int, Trace] = {}
with_stand_ins: dict[int, Trace] = {}
_listeners: list[Callable[[frozenset[int]], None]] = []
_told: frozenset[int] = frozenset()
_lock = threading.RLock()


@block
def tracing(settle: Callable[[Any, Any], None]) -> Generator[Trace, None, None]:
    """Around a trace, from its begin to its end; at the end `settle(value, stand_in)` is called for each stand-in."""
    trace = Trace()
    ends = [begin() for begin in _around]
    current_trace()  # what another thread left here goes before it is set
    with setting(_trace, trace):
        try:
            open_traces[id(trace)] = trace
            yield from (trace,)
        finally:
            try:
                _end(trace, ends, settle)
            except KeyboardInterrupt:  # all of it may be done again
                _end(trace, ends, settle)
                raise


def _end(trace: Trace, ends: list[Callable[[], None]], settle: Callable[[Any, Any], None]) -> None:
    for end in ends:
        end()
    for value, stand_in in trace.stand_ins():
        settle(value, stand_in)
    with _lock:
        open_traces.pop(id(trace), None)
        with_stand_ins.pop(id(trace), None)
        _tell()


# What is called where a trace begins; what it gives is called where that ends.
_around: list[Callable[[], Callable[[], None]]] = []  # state: registry


def around_traces(begin: Callable[[], Callable[[], None]]) -> Callable[[], Callable[[], None]]:
    """Has `begin` called where a trace begins, and what it returns where that ends, however it does; twice after Ctrl-C."""
    _around.append(begin)
    return begin


def on_stand_ins(listener: Callable[[frozenset[int]], None]) -> Callable[[frozenset[int]], None]:
    """Has `listener` called with the identities of the types of all that has a stand-in, whenever these change."""
    _listeners.append(listener)
    return listener


def _tell() -> None:
    global _told
    traces = list(with_stand_ins.values())
    types = frozenset(id(type(value)) for trace in traces for value, _ in (*trace.stand_ins(), *trace.lost.values()))
    if types != _told:
        _told = types
        for listener in _listeners:
            listener(types)


def seen(value: object) -> Any:
    """What converted code is given when it looks into `value`: its stand-in, or `value` itself."""
    trace = current_trace()
    found = None if trace is None else trace.stand_in(value)
    return value if found is None else found


def lasting(value: Any) -> Any:
    """What `value` stands in for, which is one object whatever becomes of it; or `value` itself."""
    trace = current_trace()
    return value if trace is None else trace.stood_for(value, value)


def shown(value: object) -> Any:
    """`value` as those are given it that converted code hands it to: with the stand-ins of the lists in it."""
    trace = current_trace()
    return value if trace is None or not trace.has_stand_ins else _with_stand_ins_of(trace, value, [])


_Copy = tuple[Any, Any, Any]  # what was copied, the copy, and one more of that


def _with_stand_ins_of(trace: Trace, value: Any, copies: list[_Copy]) -> Any:
    found = trace.stand_in(value)
    if found is not None:
        return found
    kind = type(value)
    if kind is dict:
        parts = {key: _with_stand_ins_of(trace, part, copies) for key, part in value.items()}
        if all(parts[key] is part for key, part in value.items()):
            return value
        copies.append((value, parts, dict(parts)))
        return parts
    if kind is not list and not issubclass(type(value), tuple):
        return value
    items = [_with_stand_ins_of(trace, part, copies) for part in value]
    if all(a is b for a, b in zip(items, value)):
        return value
    if kind is list:
        copies.append((value, items, [*items]))
        return items
    return kind._make(items) if hasattr(kind, "_make") else kind(items)


def handed(
    call: Callable[[Any, Any], Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None, holder: object = None
) -> Any:
    """`call(args, kwargs)`, which looks into lists without asking: with what stands in for those among the arguments.

    The program finds its own lists afterwards: in what comes back, in `holder` and the arguments, if they were put there.
    What was written to a container that was copied for the call is written to the container itself.
    """
    trace = current_trace()
    if trace is None or not trace.has_stand_ins:
        return call(args, kwargs)
    copies: list[_Copy] = []
    try:
        result = call(_with_stand_ins_of(trace, args, copies), _with_stand_ins_of(trace, kwargs, copies))
    finally:
        originals = {id(stand_in): value for value, stand_in in trace.stand_ins()}
        originals |= {id(copy): value for value, copy, _ in copies}
        for value, copy, before in copies:
            if type(value) is list:
                if len(copy) != len(before) or any(a is not b for a, b in zip(copy, before)):
                    value[:] = copy
            elif copy.keys() != before.keys() or any(copy[key] is not before[key] for key in copy):
                value.clear()
                value.update(copy)
        for given in (holder, *args, *(kwargs or {}).values()):
            _put_back(given, originals)
    return _put_back(result, originals)


_DEPTH = 3  # of containers that others have just made
_NO_OBJECTS = (type, ModuleType, FunctionType)


def _put_back(value: Any, originals: dict[int, Any], depth: int = _DEPTH) -> Any:
    """`value` with the program's own objects in place of what stood in for them."""
    if id(value) in originals:
        return originals[id(value)]
    if depth == 0:
        return value
    if type(value) is tuple or (issubclass(type(value), tuple) and hasattr(value, "_make")):
        items = [_put_back(item, originals, depth - 1) for item in value]
        if any(a is not b for a, b in zip(items, value)):
            return value._make(items) if hasattr(value, "_make") else tuple(items)
    elif issubclass(type(value), (list, deque)):
        kind: Any = list if issubclass(type(value), list) else deque
        for index, item in enumerate([*kind.__iter__(value)]):
            original = _put_back(item, originals, depth - 1)
            if original is not item:
                kind.__setitem__(value, index, original)
    else:
        parts = value
        if not issubclass(type(value), dict) and depth == _DEPTH and not issubclass(type(value), _NO_OBJECTS):
            parts = getattr(value, "__dict__", None)
        if issubclass(type(parts), dict):
            for key, item in [*dict.items(parts)]:
                original = _put_back(item, originals, depth - 1)
                if original is not item:
                    dict.__setitem__(parts, key, original)
    return value


def lose(value: object, error: Callable[[], Exception]) -> None:
    """Has whoever looks into `value` from now on told by `error` that nobody knows what is in it."""
    trace = current_trace()
    if trace is not None:
        trace.lost = {**trace.lost, id(value): (value, error)}


def made(value: object) -> Any:
    """Tells the trace of an object that has just been made; returns it."""
    trace = current_trace()
    if trace is not None:
        trace.made(value)
    return value
