"""Loops whose code writes to objects: what is written becomes variables of the loop.

for x in xs:
    account.deposit(x)         traced once to see what is written, `account.balance`, and again with that as a variable
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from autograph.backends.state import (
    Change,
    Contents,
    Journal,
    Place,
    State,
    Where,
    begin_journal,
    current_trace,
    end_journal,
    fields_of,
    note_place,
    recording,
    shown,
    write_place,
)
from graphrt import errors
from graphrt.staging import journal
from graphrt.staging import values as st
from graphrt.staging.aliases import lost_so_far, now_lost, within
from graphrt.staging.closing import is_of_python
from graphrt.staging.deques import as_place
from graphrt.staging.lists import StagedList
from graphrt.staging.rows import learned_list
from graphrt.tensor.context import current_graph
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike

if TYPE_CHECKING:
    from graphrt.ops.lists.tensor_array import TensorArray

# Records a loop: test, body, how to get and set its state, the names of that, and more loop options.
Record = Callable[[Any, Any, Any, Any, tuple[str, ...], dict[str, Any]], None]
MOST_HOLDERS = 16  # that one instruction may change, each found when the loop was traced with those before it


class Discovered(Exception):
    """An iteration, or the test, changed places that the loop does not carry."""

    def __init__(self, changes: list[Change], by_test: bool) -> None:
        super().__init__()
        self.changes = changes
        self.by_test = by_test


class LoopPlaces:
    """One loop while it is traced, as often as that takes.

    Attributes:
      places, labels: what it carries besides its variables, and what messages call each.
      of_python: keys of places that are older than the trace and hold what no graph carries: Python's own business.
      settled: what test and body did that is Python's own business, and stays if this is the last time they are traced.
    """

    def __init__(self, state: State, body: Callable[..., Any], test: Callable[[], Any] | None) -> None:
        self.state, self.body, self.test = state, body, test
        self.places: list[Place] = []
        self.labels: list[str] = []
        self.of_python: set[object] = set()
        self.settled: dict[bool, list[Change]] = {True: [], False: []}  # by whether the test did it
        self.times: collections.Counter[Where] = collections.Counter()  # how often each instruction brought more places
        self.test_assigns = False
        self.before: tuple[Any, ...] = ()

    def get(self) -> tuple[Any, ...]:
        """The variables, and what is in the places."""
        return (*self.state.get(), *map(journal.read, self.places))

    def set(self, values: tuple[Any, ...]) -> None:
        """Sets both."""
        count = len(self.state.names)
        for place, value in zip(self.places, values[count:]):
            journal.fill(place, value)
        self.state.set(values[:count])

    def record(self, record: Record) -> None:
        """Calls `record` until it carries all that it has to."""
        lost = lost_so_far()
        while True:
            now_lost(lost)
            mark = current_graph().checkpoint()
            before = self.before = self.get()
            count = len(self.state.names)
            contents = [count + i for i, place in enumerate(self.places) if isinstance(place, Contents)]
            older = [count + i for i, place in enumerate(self.places) if not journal.is_own(place)]
            options: dict[str, Any] = {"variables": count, "contents": contents, "older": older}
            options |= {"places": self.places, "rest": self._rest}
            if self.test_assigns:
                options["test_assigns"] = True
            test = None if self.test is None else self._traced_test
            try:
                with recording() as book:
                    record(test, self._traced_body, self.get, self.set, (*self.state.names, *self.labels), options)
                break
            except Discovered as found:
                self._undo()
                book.undo()  # lists that the loop was to begin with in another form
                current_graph().rollback(mark)
                self.set(before)
                now_lost(lost)
                self._add(found)
                lost = lost_so_far()
            except Exception as error:
                self._undo()
                of_python = [p for p in self.places if not journal.is_own(p) and not _is_known(p.read())]
                if isinstance(error, errors.SideEffectError) or not of_python:
                    raise
                book.undo()
                current_graph().rollback(mark)  # what is there cannot be carried
                self.set(before)
                for place in of_python:
                    self.of_python.add(place.key)
                    self._keep([p for p in self.places if p is not place])
            except BaseException:
                self._undo()
                raise
        journal.warn([*self.settled[True], *self.settled[False]], "loop")

    def _rest(self, record: Record) -> None:
        """Records the iterations that follow a first one, which has been traced by itself."""
        LoopPlaces(self.state, self.body, self.test).record(record)

    def _undo(self) -> None:
        for by_test in (False, True):
            journal.undo(reversed(self.settled[by_test]))
            self.settled[by_test] = []

    def _add(self, found: Discovered) -> None:
        self.times.update({change.where for change in found.changes})
        # A list of empty lists does not tell what they will hold: where one of these grows it does next time.
        known = [c for c in found.changes if not (isinstance(c.new, StagedList) and c.new.void)]
        for change in known or found.changes:
            if self.times[change.where] > MOST_HOLDERS:
                raise journal.another_each_time(change, "loop")
            place, label = change.place, journal.label_of(change)
            if isinstance(place, Contents) and isinstance(place.holder, (list, collections.deque)):
                self._keep([p for p in self.places if p.holder is not place.holder])
                staged = _staged_list(place.read(), change.new, label)
                staged = None if staged is None else as_place(staged, place)
                if staged is None and (isinstance(place.holder, collections.deque) or journal.is_own(place)):
                    raise journal.side_effect(change, "loop")
                if staged is None:
                    self.of_python.add(place.key)
                    continue
                write_place(place, staged)
            else:
                note_place(place)
            self.places.append(place)
            self.labels.append(label)
        self.test_assigns = self.test_assigns or found.by_test

    def _keep(self, places: list[Place]) -> None:
        labels = dict(zip(map(id, self.places), self.labels))
        self.places, self.labels = places, [labels[id(place)] for place in places]

    def _traced_body(self, *args: TensorLike) -> None:
        self._watched(False, lambda: self.body(*args))

    def _traced_test(self) -> Any:
        return self._watched(True, self.test)

    def _watched(self, by_test: bool, part: Any) -> Tensor | None:
        """What `part` returns; raises `Discovered` when it changes what the loop does not carry yet."""
        journal.undo(reversed(self.settled[by_test]))
        self.settled[by_test] = []
        entry = self.get()
        notes = begin_journal()
        for value, before in zip(entry, self.before):
            if value is not before:  # of this iteration alone, which is to give what becomes of it
                _tell_made(value)
        try:
            result = part()
            self.settled[by_test] = self._sorted(notes, entry, by_test)
        except BaseException:
            end_journal(notes)
            notes.undo()
            raise
        end_journal(notes)
        return result

    def _sorted(self, notes: Journal, entry: tuple[Any, ...], by_test: bool) -> list[Change]:
        """What was changed and is Python's own business."""
        known = {place.key for place in self.places}
        changes = [c for c in notes.changes() if not self.state.is_variable(c) and c.place.key not in known]
        changes = journal.dropped(changes, loop=True)
        found = journal.sort(changes, loop=True)
        journal.refuse(found.carried, "loop")
        for change in found.carried:
            if change.where.called:
                raise journal.refuse_called(change, "loop")
        if carried := [c for c in found.carried if c.place.key not in self.of_python]:
            raise Discovered([_with_grown_elements(c) for c in carried], by_test)
        if by_test and not self.test_assigns and not all(map(_is_same, entry, self.get())):
            raise Discovered([], by_test)
        return changes


def _with_grown_elements(change: Change) -> Change:
    """`change`, with a pattern for a list of lists that have grown themselves, which nobody knows when it is undone."""
    new = change.new
    if not isinstance(change.place, Contents) or type(new) is not list or type(change.old) is not list:
        return change
    inside = shown(new)
    if inside is new or not any(isinstance(e, StagedList) for e in inside):
        return change
    pattern = learned_list(shown(change.old), inside)
    return change if pattern is None else change._replace(new=pattern)


def _tell_made(value: Any, outer: tuple[int, ...] = ()) -> None:
    """Tells the trace of the containers and objects that a variable has for one iteration."""
    trace, value = current_trace(), within(value)
    if trace is None or id(value) in outer:
        return
    fields = fields_of(value) if is_of_python(value) else value if type(value) is dict else None
    if fields is None and not isinstance(value, (list, tuple, collections.deque, StagedList)):
        return
    trace.made(value)
    if not isinstance(value, StagedList):
        for part in value if fields is None else fields.values():
            _tell_made(part, (*outer, id(value)))


def _is_known(value: Any) -> bool:
    return journal.is_data(value) or journal.is_symbolic_object(value)


def _is_same(a: Tensor | TensorArray | tuple[Tensor, Tensor], b: Tensor | TensorArray | tuple[Tensor, Tensor]) -> bool:
    if isinstance(a, StagedList) and isinstance(b, StagedList):
        return all(x is y for x, y in zip(a.handles, b.handles))
    return a is b or journal.is_same_array(a, b) or (st.lacks_value(a) and st.lacks_value(b))


def _staged_list(old: list[Tensor], new: StagedList | list[Tensor], label: str) -> StagedList | None:
    """What is carried for a list that an iteration has changed in length; None if it is Python's own business.

    Raises:
      LoopVariableError: its elements are data, but not of one dtype.
    """
    pattern = new if isinstance(new, StagedList) else learned_list(old, new)
    if pattern is not None:
        return pattern.filled(old) if isinstance(old, list) else old.told_by(pattern)
    if not all(map(journal.is_data, (*old, *new))):
        return None
    raise errors.LoopVariableError(
        errors.at_user_line(
            f"{label!r} is a list of {len(old)} elements before the loop, and of another length after one iteration. A "
            "list that grows in a staged loop holds tensors of one dtype; its elements are "
            + ", ".join(dict.fromkeys(st.type_text(v) for v in [*old, *new]))
        )
    )
