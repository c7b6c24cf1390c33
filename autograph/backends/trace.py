"""What one trace knows of the objects that it works on: which are its own, and which have something in their stead.

A trace begins where a backend starts to record, and ends with it; what is nested in it belongs to it. Objects that were
there before are the program's: `is_own` tells them from those that were made since. A list that has come to hold what
only a graph knows stays the very list, under all its names; the trace keeps a *stand-in* for it, a value of a backend's,
which converted code is given whenever it looks into the list.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator
from contextvars import ContextVar
from typing import Any

from autograph.backends.aliases import Aliases, Losses
from autograph.backends.blocks import block, setting
from autograph.backends.own_builtins import OWN
from autograph.backends.threads import of_its_thread

globals()["__builtins__"] = OWN


class Trace:
    """What a trace knows of objects.

    It keeps identities of what is made, and nothing alive: where an object of the trace's own has been, there can only
    be another one.

    Attributes:
      clock: counts what is made.
      aliases: which objects may be one.
      rest: what is left of a list where a loop over it has just ended; whoever takes it sets None.
      printed: whether code in its printed form has run, where `x is None` is Python's.
      peeks: whether the state of a statement is being read, of which nobody knows yet whether it is needed.
      may_be_none: whether a backend has made a value that is None in some runs of the graph.
      notes: what a backend takes down for as long as the trace goes on.
    """

    __slots__ = ("_lost", "_made", "_stand_ins", "aliases", "clock", "may_be_none", "notes", "peeks", "printed", "rest")

    def __init__(self) -> None:
        self.clock = 1
        self.notes: dict[Any, Any] = {}
        self.rest: Any = None
        self.printed = self.may_be_none = self.peeks = False
        self._made: dict[int, int] = {}
        self._lost = Losses()
        self._stand_ins: dict[int, tuple[Any, Any]] = {}
        self.aliases = Aliases(self._made)

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
        if id(value) in self._lost.lost:
            raise self._lost.lost[id(value)][1]()
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

    def freeze(self, value: object, error: Callable[[], Exception]) -> None:
        """Has writes to `value`, and to what may be `value`, refused by what runs from now on."""
        frozen = {id(other): (other, error) for other in (value, *self.aliases.others(value))}
        self.lost |= Losses(frozen=frozen)

    @property
    def has_guards(self) -> bool:
        """Whether there is anything to check before a write."""
        return bool(self.aliases or self._lost)

    def check(self, value: object) -> None:
        """Called before `value` is written: raises where that is refused; what may be `value` is lost."""
        if id(value) in self._lost.frozen:
            raise self._lost.frozen[id(value)][1]()
        if self.aliases:
            self.stand_in(value)
            lost = self.aliases.lost_by(value)
            if lost:
                self.lost |= Losses(lost)

    @property
    def lost(self) -> Losses:
        """What may not be used; set where a branch begins, and ends."""
        return self._lost

    @lost.setter
    def lost(self, lost: Losses) -> None:
        if lost is not self._lost:
            with _lock:
                self._lost = lost
                self._count()

    @property
    def has_stand_ins(self) -> bool:
        """Whether there are any, or what is lost."""
        return bool(self._stand_ins or self._lost.lost)

    def stand_ins(self) -> list[tuple[Any, Any]]:
        """All objects that have a stand-in, each with it."""
        return list(self._stand_ins.values())


_trace: ContextVar[Trace | None] = ContextVar("autograph_trace", default=None)
current_trace: Callable[[], Trace | None] = of_its_thread(_trace, None)
"""The trace that this thread or task is in, or None."""

# All traces, and those with stand-ins, in all threads: while there are none nobody needs to look for any.
open_traces: dict[int, Trace] = {}
with_stand_ins: dict[int, Trace] = {}
_listeners: list[Callable[[frozenset[int]], None]] = []
_told: tuple[frozenset[int], frozenset[int]] = frozenset(), frozenset()
_CONTAINERS = (list, dict, deque)  # which are asked for as what has a stand-in is; other objects have attributes
_lock = threading.RLock()


@block
def tracing(settle: Callable[[Any, Any], None]) -> Generator[Trace, None, None]:
    """Around a trace, from its begin to its end; at the end `settle(value, stand_in)` is called for each stand-in,
    and `settle(value, None)` for what is lost."""
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
    for value, _ in trace.lost.lost.values():
        settle(value, None)
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
    """Has `listener` called with the identities of types that have stand-ins, whenever these change."""
    _listeners.append(listener)
    return listener


def _tell() -> None:
    global _told
    traces = list(with_stand_ins.values())
    lost = [type(value) for trace in traces for value, _ in trace.lost.lost.values()]
    kinds = [type(value) for trace in traces for value, _ in trace.stand_ins()]
    kinds += [kind for kind in lost if issubclass(kind, _CONTAINERS)]
    types = frozenset(map(id, kinds)), frozenset(map(id, lost))
    if types != _told:
        _told = types
        for listener in _listeners:
            listener(types[0])


def seen(value: object) -> Any:
    """What converted code is given when it looks into `value`: its stand-in, or `value` itself."""
    trace = current_trace()
    found = None if trace is None else trace.stand_in(value)
    return value if found is None else found


def lasting(value: Any) -> Any:
    """What `value` stands in for, which is one object whatever becomes of it; or `value` itself."""
    trace = current_trace()
    return value if trace is None else trace.stood_for(value, value)


def lose(value: object, error: Callable[[], Exception]) -> None:
    """Has whoever looks into `value` from now on told by `error` that nobody knows what is in it."""
    trace = current_trace()
    if trace is not None:
        trace.lost |= Losses({id(value): (value, error)})


def made(value: object) -> Any:
    """Tells the trace of an object that has just been made; returns it."""
    trace = current_trace()
    if trace is not None:
        trace.made(value)
    return value
