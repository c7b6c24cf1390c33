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
from autograph.backends.places import ABSENT, Attribute, Cell, Contents, Item, Kind, Place, register_container
from autograph.backends.protocol import GetState, SetState
from autograph.backends.trace import current_trace, seen, shown, tracing

# What a backend needs for what code writes to objects.
__all__ = [
    "ABSENT",
    "Attribute",
    "Cell",
    "Change",
    "Contents",
    "Item",
    "Journal",
    "Kind",
    "Place",
    "State",
    "Where",
    "begin_journal",
    "current_trace",
    "end_journal",
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
    """

    result: Any
    values: tuple[Any, ...]
    changes: list[Change]
    settled: list[Change]


def _none(changes: list[Change]) -> list[Change]:
    return []


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
        """Sets the variables."""
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

        But for those of the changes that `settled` gives: they stay.
        """
        before = self.get()
        book = begin_journal()
        kept: list[Change] = []
        try:
            if values is not None:
                self.set(values)
            result, after = part(), self.get()
            changes = [c for c in book.changes() if not self.is_variable(c)]
            kept = settled(changes)
        finally:
            end_journal(book)
            book.undo(but=kept)
            self.set(before)
        return Run(result, after, [c for c in changes if not any(c is k for k in kept)], kept)
