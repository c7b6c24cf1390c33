"""What converted code writes to objects while a part of a staged statement runs, and what was there before.

    with recording() as journal:
        branch()                  self.v = 1         told at the place of the write: attribute `v`, and its value
                                  xs.append(x)       the contents of `xs`
    journal.changes()             what is not as it was, place by place
    journal.undo()                has all of it as it was

Objects change in place. What is written for the first time is noted in every journal that is open in this thread or
task; nothing else is looked at: it does not matter where an object is kept, nor how much is in reach.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from contextvars import ContextVar
from types import CodeType, FrameType
from typing import Any, NamedTuple

from autograph.backends.blocks import block
from autograph.backends.own_builtins import OWN
from autograph.backends.places import ABSENT, Contents, Item, KeyOrder, Place, attribute, kind_of, moved_keys
from autograph.backends.threads import of_its_thread
from autograph.backends.trace import Trace, around_traces, current_trace

globals()["__builtins__"] = OWN

_ROOMS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Where(NamedTuple):
    """The instruction of the program that wrote; `called` is the function without conversion that did it for it."""

    code: CodeType
    instruction: int
    called: str | None = None


class Change(NamedTuple):
    """A place that is not what it was."""

    place: Place
    old: Any
    new: Any
    where: Where


class _Items:
    """What was in a list or dictionary of which some items, or all of them, are written."""

    __slots__ = ("holder", "olds", "owner", "size", "where", "whole")

    def __init__(self, holder: Any, owner: object, where: Where) -> None:
        self.holder = holder
        self.owner = owner
        self.where = where
        self.olds: dict[Any, tuple[Any, Where]] = {}
        self.size = len(holder)
        self.whole: Any = None

    def keep(self, indices: tuple[Any, ...] | None) -> bool:
        """Keeps the items at `indices`, or all; tells whether any were not kept yet."""
        if self.whole is not None:
            return False
        if indices is None:
            self.whole = self.before()
            return True
        found = {i: (Item(self.holder, i).read(), _here()) for i in indices if i not in self.olds}
        self.olds.update(found)
        return bool(found)

    def before(self) -> object:
        """A copy of what was in the container."""
        if self.whole is not None:
            return self.whole
        if issubclass(type(self.holder), list):
            found: Any = list.__getitem__(self.holder, slice(self.size))
        else:
            found = Contents(self.holder).read()
        for index, (old, _) in self.olds.items():
            if old is ABSENT:
                found.pop(index, None)
            else:
                found[index] = old
        return found

    def changes(self) -> Iterator[Change]:
        if self.whole is None:
            for index, (old, where) in self.olds.items():
                place = Item(self.holder, index, self.owner)
                if place.read() is not old:
                    yield Change(place, old, place.read(), where)
            return
        now, old = Contents(self.holder).read(), self.whole
        if type(now) is not type(old) or (type(now) is list and len(now) != len(old)):
            yield Change(Contents(self.holder, self.owner), old, now, self.where)
            return
        indices: Iterable[Any] = range(len(now)) if type(now) is list else {**old, **now}
        for index in indices:
            before, after = (v[index] if type(v) is list else v.get(index, ABSENT) for v in (old, now))
            if before is not after:
                _, where = self.olds.get(index, (None, self.where))
                yield Change(Item(self.holder, index, self.owner), before, after, where)
        if type(now) is dict and (self.owner is None or self.owner is self.holder) and moved_keys(old, now):
            yield Change(KeyOrder(self.holder), (*old,), (*now,), self.where)

    def undo(self) -> None:
        if self.whole is not None:
            Contents(self.holder).write(self.whole)
            return
        for index, (old, _) in self.olds.items():
            Item(self.holder, index).write(old)


class Journal:
    """What has been written since it was opened.

    Attributes:
      outer: the journal that was open before it.
    """

    __slots__ = ("_begun", "_items", "_places", "outer")

    def __init__(self, outer: Journal | None) -> None:
        self.outer = outer
        trace = current_trace()
        self._begun = 0 if trace is None else trace.clock
        self._items: dict[int, _Items] = {}
        self._places: dict[object, tuple[Place, Any, Where]] = {}

    def _kept_items(self, holder: object, owner: object, called: str | None) -> _Items:
        found = self._items.get(id(holder))
        if found is None:
            found = self._items[id(holder)] = _Items(holder, owner, _here(called))
        elif owner is not None and found.owner is None:
            found.owner = owner
        return found

    def changes(self) -> list[Change]:
        """The places that are not what they were, but for those in objects that have been made since."""
        noted = [
            items
            for items in self._items.values()
            if not self._is_new(items.holder if items.owner is None else items.owner)
        ]
        found = [change for items in noted for change in items.changes()]
        for place, old, where in self._places.values():
            if id(place.holder) in self._items or self._is_new(place.owner):
                continue
            now = place.read()
            if now is not old and not _is_same(place, old, now):
                found.append(Change(place, old, now, where))
        return found

    def _is_new(self, owner: object) -> bool:
        trace = current_trace()
        return trace is not None and trace.is_own(owner, self._begun)

    def undo(self, but: Iterable[Change] = ()) -> None:
        """Has everything as it was, `but` for some changes, and for objects that have been made since."""
        kept: dict[int, set[object]] = {}
        for change in but:
            kept.setdefault(id(change.place.holder), set()).add(change.place.key)
        for place, old, _ in self._places.values():
            if place.key not in kept.get(id(place.holder), ()) and not self._is_new(place.owner):
                place.write(old)
        for items in self._items.values():
            keys = kept.get(id(items.holder))
            if keys is None:
                if not self._is_new(items.holder if items.owner is None else items.owner):
                    items.undo()
                continue
            for change in [*items.changes()]:
                if change.place.key not in keys:
                    change.place.write(change.old)


def _is_same(place: Place, old: object, now: object) -> bool:
    kind = kind_of(place.holder) if isinstance(place, Contents) else None
    if kind is None:
        return False
    if not issubclass(type(old), kind.copied) or not issubclass(type(now), kind.copied):
        kind = kind_of(old)
    return kind is not None and type(old) is type(now) and kind.same(old, now)


_journal: ContextVar[Journal | None] = ContextVar("autograph_journal", default=None)
current_journal: Callable[[], Journal | None] = of_its_thread(_journal, None)
"""The innermost journal that is open in this thread or task, or None."""

# The journals that are open anywhere, and traces that check writes: while there are none, nobody needs to tell of anything.
open_journals: dict[int, Journal | Trace] = {}


@block
def recording() -> Generator[Journal, None, None]:
    """Around what may write: what it writes is noted."""
    outer = current_journal()
    try:
        journal = begin_journal()
        yield from (journal,)
    finally:
        try:
            _close_within(outer)
        except KeyboardInterrupt:  # where it begins
            _close_within(outer)
            raise


def begin_journal() -> Journal:
    """Opens a journal; `end_journal` closes it."""
    journal = Journal(current_journal())
    open_journals[id(journal)] = journal
    _journal.set(journal)
    return journal


def end_journal(journal: Journal) -> None:
    """Closes a journal, and those that were opened after it."""
    if open_journals.get(id(journal)) is not journal:
        return  # closed with one around it: an interrupt kept its own end from coming before
    inner = current_journal()
    while inner is not None and inner is not journal:
        open_journals.pop(id(inner), None)
        inner = inner.outer
    _journal.set(journal.outer)
    open_journals.pop(id(journal), None)


@around_traces
def _close_at_end() -> Callable[[], None]:
    """A test of a loop that fails leaves its journal open: none outlives its trace."""
    outer = current_journal()

    def close() -> None:
        open_journals.pop(id(current_trace()), None)
        _close_within(outer)

    return close


def _close_within(outer: Journal | None) -> None:
    """Closes the journals that were opened since `outer` was the innermost one."""
    inner = current_journal()
    while inner is not None and inner is not outer:
        end_journal(inner)
        inner = current_journal()


def _here(called: str | None = None) -> Where:
    frame: FrameType = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_ROOMS):
        frame = frame.f_back
    return Where(frame.f_code, frame.f_lasti, called)


def _note(place: Place, called: str | None = None) -> None:
    journal = current_journal()
    if journal is None or place.key in journal._places:
        return
    noted = place, place.read(), _here(called)
    while journal is not None and place.key not in journal._places:
        journal._places[place.key] = noted
        journal = journal.outer


def _check(holder: object) -> None:
    trace = current_trace()
    if trace is not None and trace.has_guards:
        trace.check(holder)


def note_items(holder: object, indices: tuple[Any, ...], owner: object = None) -> None:
    """Told before items of a list or dictionary are set, or new ones added: those at `indices`."""
    _check(holder)
    journal = current_journal()
    try:
        while journal is not None and journal._kept_items(holder, owner, None).keep(indices):
            journal = journal.outer
    except TypeError:  # it cannot be a key, as Python is about to say
        return


def note_contents(holder: object, owner: object = None, called: str | None = None) -> None:
    """Told before a container is changed in other ways; `called` is the function without conversion that may do so."""
    journal, trace = current_journal(), current_trace()
    stood_for = None if trace is None else trace.stood_for(holder)
    holder = holder if stood_for is None else stood_for
    if called is None:
        _check(holder)
    if journal is None:
        return
    stands_in = trace is not None and trace.stand_in(holder) is not None
    if not stands_in and kind_of(holder) is None:
        return  # those that it stands for are told of
    if stands_in or not issubclass(type(holder), (list, dict)):
        _note(Contents(holder, owner), called)
        return
    while journal is not None and journal._kept_items(holder, owner, called).keep(None):
        journal = journal.outer


def note_place(place: Place) -> None:
    """Told before something is put into a place."""
    if isinstance(place, Item):
        note_items(place.holder, (place.index,), place.owner)
    elif isinstance(place, (Contents, KeyOrder)):
        note_contents(place.holder, place.owner)
    else:
        _note(place)


def write_place(place: Place, value: object) -> None:
    """Puts a value into a place, and tells the journals that are open."""
    note_place(place)
    place.write(value)


def check_writes(trace: Trace) -> None:
    """Has all writes told until the end of a trace, which has objects to guard."""
    open_journals[id(trace)] = trace


def is_told() -> bool:
    """Whether this thread or task has to tell of writes."""
    trace = current_trace()
    return current_journal() is not None or (trace is not None and trace.has_guards)


def note_attribute(holder: object, name: str, computed: bool = False) -> None:
    """Told before an attribute is set or deleted by no code of the program's; `computed`: a property keeps its value so."""
    if not computed:
        _check(holder)
    if current_journal() is not None:
        note_place(attribute(holder, name))
