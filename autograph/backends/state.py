"""A view of a staged statement's variables, for backends.

    state = State(get_state, set_state, symbol_names, nouts)
    then, other = state.run(body), state.run(orelse)          each from the same state; objects are as they were afterwards
    state.join(then, other, join)                             `join(name, a, b)` for each that differs

What the statement's code writes to objects (attributes, items, lists that grow, variables of other functions) is told by
the code itself, see `journal.py`; so it may be kept anywhere, and in methods that the statement calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from autograph.backends.aliases import Losses
from autograph.backends.handing import shown
from autograph.backends.instances import (
    IS_ONE_OF_TWO,
    OneOfSeveral,
    fields_of,
    fill_instance,
    freeze,
    instance,
    is_one_of,
)
from autograph.backends.journal import (
    Change,
    Journal,
    Where,
    begin_journal,
    end_journal,
    note_contents,
    note_place,
    recording,
    write_place,
)
from autograph.backends.own_builtins import OWN
from autograph.backends.places import (
    ABSENT,
    Attribute,
    Cell,
    Contents,
    ContextValue,
    Item,
    KeyOrder,
    Kind,
    Place,
    attributes_of,
    kind_of,
    register_container,
)
from autograph.backends.protocol import GetState, NoValue, SetState
from autograph.backends.trace import current_trace, lasting, made, seen, tracing
from autograph.errors import BackendError, BranchMismatchError

globals()["__builtins__"] = OWN

# What a backend needs for what code writes to objects.
__all__ = [
    "ABSENT",
    "IS_ONE_OF_TWO",
    "Attribute",
    "Cell",
    "Change",
    "Contents",
    "ContextValue",
    "Item",
    "Journal",
    "KeyOrder",
    "Kind",
    "Losses",
    "OneOfSeveral",
    "Place",
    "State",
    "Where",
    "attributes_of",
    "begin_journal",
    "current_trace",
    "end_journal",
    "fields_of",
    "fill_instance",
    "freeze",
    "instance",
    "is_one_of",
    "lasting",
    "made",
    "note_contents",
    "note_place",
    "recording",
    "register_container",
    "seen",
    "shown",
    "tracing",
    "write_place",
]


class Keep:
    """What `set_state` is given for a symbol that it is to leave alone."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<as it is>"


KEEP = Keep()


class Run(NamedTuple):
    """What a part of a statement did.

    Attributes:
      result: what it returned.
      values: the variables at its end.
      changes: what it wrote to objects, and has been undone.
      settled: what it wrote, and is so still.
      lost: what may not be used after it.
    """

    result: Any
    values: tuple[Any, ...]
    changes: list[Change]
    settled: list[Change]
    lost: Losses


def _none(changes: list[Change]) -> list[Change]:
    return []


def _is_none(value: object) -> bool:
    return False


def _leave(value: object, stand_in: object) -> None:
    """What becomes of stand-ins at the end of a trace: they are the backend's, and it has made none."""


class State:
    """The variables of one staged statement: those that belong to running functions.

    Attributes:
      names: what the program calls them.
      outputs: how many of them, the first ones, are used after the statement.
    """

    def __init__(
        self, get_state: GetState, set_state: SetState, symbol_names: Iterable[str], nouts: int | None = None
    ) -> None:
        self._get, self._set = get_state, set_state
        symbols = tuple(symbol_names)
        defaults = getattr(set_state, "__defaults__", None)
        left = frozenset(defaults[0]) if defaults else frozenset()
        self._all = len(symbols)
        self._places = [i for i, name in enumerate(symbols) if name not in left]
        self.names = tuple(symbols[i] for i in self._places)
        self.outputs = len(self.names) if nouts is None else sum(i < nouts for i in self._places)
        self._cells = {id(cell) for cell in getattr(set_state, "__closure__", None) or ()}

    def get(self) -> tuple[Any, ...]:
        """The values of the variables; an `Undefined` for one without."""
        values = self._get()
        return values if len(self._places) == self._all else tuple(values[i] for i in self._places)

    def set(self, values: tuple[Any, ...]) -> None:
        """Sets the variables.

        Raises:
          BackendError: there are not as many values.
        """
        if len(values) != len(self._places):
            raise BackendError(f"{len(values)} values were given for the variables {', '.join(self.names) or '()'}")
        if len(self._places) < self._all:
            every: list[Any] = [KEEP] * self._all
            for i, value in zip(self._places, values):
                every[i] = value
            values = tuple(every)
        self._set(values)

    def is_variable(self, change: Change) -> bool:
        """Whether a place that was written is one of the variables themselves."""
        return isinstance(change.place, Cell) and id(change.place.holder) in self._cells

    def run(
        self,
        part: Callable[[], Any],
        values: tuple[Any, ...] | None = None,
        settled: Callable[[list[Change]], list[Change]] = _none,
    ) -> Run:
        """Runs a part of the statement on the variables, or on `values` for them; afterwards all is as it was before.

        But for those of the changes that `settled` gives: they stay. What is written to objects that the part has made
        itself is not undone; a backend that records nothing needs no trace for that.
        """
        if current_trace() is None:
            with tracing(_leave):
                return self._run(part, values, settled)
        return self._run(part, values, settled)

    def _run(
        self,
        part: Callable[[], Any],
        values: tuple[Any, ...] | None,
        settled: Callable[[list[Change]], list[Change]],
    ) -> Run:
        trace = current_trace()
        assert trace is not None
        before, lost = self.get(), trace.lost
        book = begin_journal()
        kept: list[Change] = []
        try:
            if values is not None:
                self.set(values)
            result, after = part(), self.get()
            changes = [c for c in book.changes() if not self.is_variable(c)]
            kept, left = settled(changes), trace.lost
        finally:
            try:
                self._end(book, kept, before)
            except KeyboardInterrupt:  # all of it may be done again
                self._end(book, kept, before)
                raise
            finally:
                trace.lost = lost
        return Run(result, after, [c for c in changes if not any(c is k for k in kept)], kept, left)

    def _end(self, book: Journal, kept: list[Change], before: tuple[Any, ...]) -> None:
        end_journal(book)
        book.undo(but=kept)
        self.set(before)

    def join(
        self,
        then: Run,
        other: Run,
        join: Callable[[str, Any, Any], Any],
        by_attributes: Callable[[Any], bool] = _is_none,
    ) -> None:
        """Leaves the statement with what both ways have left: `join(name, a, b)` for each variable and place that differs.

        Variables that nobody uses afterwards are what they were. Two objects of one class, for which `by_attributes`
        holds, become one whose attributes are joined; nothing may be written to it while others have one of them. Raises
        `BranchMismatchError`, which names what differs, where only one of the ways gives a value to what is used
        afterwards, or lets a container grow. Lists of one length, and dictionaries of the same keys, are joined part
        by part.
        """
        before = self.get()
        one = _Join(join, by_attributes)
        both = list(zip(self.names, then.values, other.values, strict=True))
        joined = [one.joined(name, a, b) for name, a, b in both[: self.outputs]]
        written: dict[object, tuple[Place, list[Any]]] = {}
        for side, run in enumerate((then, other)):
            for change in run.changes:
                place, values = written.setdefault(change.place.key, (change.place, [change.old, change.old]))
                values[side] = change.new
        orders = [(place, a, b) for place, (a, b) in written.values() if isinstance(place, KeyOrder)]
        others = [(place, a, b) for place, (a, b) in written.values() if not isinstance(place, KeyOrder)]
        places = [(place, one.joined(place.label, a, b)) for place, a, b in others]
        places += [
            (place, a if a == b else one.joined(place.label, a, b)) for place, a, b in orders if a == b or place.counts
        ]
        self.set((*joined, *before[self.outputs :]))
        for place, value in places:
            write_place(place, value)
        trace = current_trace()
        if trace is not None:
            trace.lost |= then.lost | other.lost


class _Join:
    """Joins the values of one statement; what is one object in both branches is one afterwards."""

    def __init__(self, join: Callable[[str, Any, Any], Any], by_attributes: Callable[[Any], bool]) -> None:
        self._join = join
        self._by_attributes = by_attributes
        self._made: dict[tuple[int, int], Any] = {}
        self._statement = object()

    def joined(self, name: str, a: object, b: object) -> object:
        if a is b:
            return a
        if any(value is ABSENT or isinstance(value, NoValue) for value in (a, b)):
            raise BranchMismatchError(f"{name!r} has a value in one branch only; set it in both, or ahead of them")
        if kind_of(a) is not None or kind_of(b) is not None:
            return self._contents(name, a, b)
        if type(a) is type(b) and self._by_attributes(a) and self._by_attributes(b):
            fields, others = fields_of(a), fields_of(b)
            if fields is not None and others is not None and fields.keys() == others.keys():
                return self._object(name, a, b, fields, others)
        return self._join(name, a, b)

    def _contents(self, name: str, a: Any, b: Any) -> object:
        found = self._made.get((id(a), id(b)))
        if found is None and type(a) is type(b) is list and len(a) == len(b):
            found = made([self.joined(f"{name}[{i}]", x, y) for i, (x, y) in enumerate(zip(a, b))])
        elif found is None and type(a) is type(b) is dict and a.keys() == b.keys():
            found = made({key: self.joined(f"{name}[{key!r}]", value, b[key]) for key, value in a.items()})
        if found is None:
            raise BranchMismatchError(
                f"{name!r} differs: only lists of one length, and dictionaries of the same keys, are joined. Make it one "
                "in both branches, or change it ahead of them"
            )
        self._made[id(a), id(b)] = found
        return found

    def _object(self, name: str, a: object, b: object, fields: dict[str, Any], others: dict[str, Any]) -> object:
        found = self._made.get((id(a), id(b)))
        if found is None:
            found = self._made[id(a), id(b)] = instance(type(a), {})
            fill_instance(found, {key: self.joined(f"{name}.{key}", fields[key], others[key]) for key in fields})
            error = lambda: BranchMismatchError(f"{name!r} {IS_ONE_OF_TWO}")
            is_one_of(found, ((a,), (b,)), self._statement, lambda: error)
        return found
