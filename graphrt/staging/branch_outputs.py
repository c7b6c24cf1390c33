"""What a staged `if` makes of its variables, planned before the conditional is recorded.

if x > 0:            a: outputs of both branches, of one dtype and structure
    a, r = x, 1      r: also a flag, whether it was set (see `unset`)
    d['k'] = x       d['k']: an output that is put into the very dictionary; so are attributes, and lists that change
else:
    a = -x
    d['k'] = 0
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from autograph.backends.state import Change, Contents, ContextValue, Item, KeyOrder, Losses, Place
from graphrt import errors
from graphrt.staging import chosen_functions, journal
from graphrt.staging import values as st
from graphrt.staging.aliases import is_returned
from graphrt.staging.closing import Kept, closed, opened
from graphrt.staging.deques import as_deque, as_place
from graphrt.staging.ends import End
from graphrt.staging.lists import StagedList
from graphrt.staging.maybe_none import MaybeNone, both_maybe_none
from graphrt.staging.nested_lists import order_of
from graphrt.staging.objects import Pairs
from graphrt.staging.rows import learned_list
from graphrt.staging.unset import SometimesSet, mark_missing
from graphrt.tensor.context import building
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph, is_lost
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.tensor.weak import is_flexible, matched, natural_dtype
from graphrt.types import structure
from graphrt.types.advice import conversion
from graphrt.types.likes import TensorLike

Names = tuple[str, ...]


class Branch(NamedTuple):
    """A traced branch: its graph, and the variables at its end, and what may not be used there.

    `changed`: what it wrote to objects, and has been undone; `settled`: what it wrote, and is Python's own business.
    """

    graph: FuncGraph
    after: tuple[Any, ...]
    changed: list[Change]
    settled: list[Change]
    lost: Losses


class Plan:
    """What a conditional makes of one variable: leaves to output on either side, and how to put the outputs together."""

    __slots__ = ("else_leaves", "like", "missing", "order", "then_leaves")

    def __init__(
        self, then_leaves: list[Any], else_leaves: list[Any], like: object, missing: str = "", order: Any = None
    ) -> None:
        self.then_leaves = then_leaves
        self.else_leaves = else_leaves
        self.like = like
        self.missing = missing  # the branch for which a return value was filled in
        self.order = order  # which elements of a list of lists are where, if both sides leave them there

    def result(self, outputs: list[SymbolicTensor]) -> Any:
        """The value of the variable after the conditional."""
        if not self.then_leaves:
            return opened(self.like)
        if self.missing:
            mark_missing(outputs, self.missing)
        found = st.rebuilt(self.like, list(outputs))
        if self.order is not None:
            found.order = self.order
        return found.settled() if isinstance(found, SometimesSet) else opened(found)


class Planner:
    """Plans the outputs of one conditional.

    Attributes:
      names, before, after: of the variables, and of the `places` behind them.
      ends: the objects of the program as either branch left them.
    """

    def __init__(self, names: Names, before: tuple[Any, ...], then: Branch, other: Branch, since: int) -> None:
        self.names = names
        self.before = before
        self.then, self.other = then.graph, other.graph
        ends = self.ends = (
            End(then.changed, then.lost, then.graph), End(other.changed, other.lost, other.graph),
        )  # fmt: skip
        self.after = [
            (a, b) if a is b else (ends[0].value(a), ends[1].value(b)) for a, b in zip(then.after, other.after)
        ]
        self.places: list[Place] = []
        self.left = [*zip(then.after, other.after)]  # the very objects
        lists = functools.partial(
            _both_staged, (then.graph, other.graph), ends
        )  # no method, which would keep all alive
        nones = functools.partial(both_maybe_none, graphs=(then.graph, other.graph), ends=ends, since=since)
        self._pairs = Pairs(st.mismatch, ("in the main branch", "in the else branch"), lists, ends, nones)
        self._nones = nones
        self._first: list[Change] = []  # one for each place
        for first, sides in _joined(then.changed, other.changed):
            for side, missing in zip(sides, reversed(sides)):
                if side is not None and side.where.called and missing is None and journal.is_symbolic(side.new):
                    raise journal.refuse_called(side, "branch")
            self._first.append(first)
            self.places.append(first.place)
            label, old = journal.label_of(first), journal.read(first.place)
            self.names = (*self.names, label)
            self.before = (*self.before, old)
            a, b = [old if side is None else journal.as_value(side.new, label) for side in sides]
            self.left.append((a, b))
            self.after.append((a, b) if a is b else (ends[0].value(a), ends[1].value(b)))
        for i in range(len(self.before)):
            self._settle_list(i)

    def plans(self, nouts: int) -> dict[int, Plan]:
        """Index of a variable, or of a place behind these -> its plan; of the variables, the `nouts` used afterwards."""
        for i in (*range(nouts), *range(len(self.names) - len(self.places), len(self.names))):
            self._pair(i)
        with building(self.other):
            for i in range(nouts):
                # TensorFlow leaves these constants behind when it compares the branches; graphs are compared node by node
                if all(map(st.is_stageable, self.after[i])) and not self._is_same(i):
                    for pair in zip(*map(st.leaves_of, self.after[i])):
                        for leaf in pair:
                            if not isinstance(leaf, Tensor):
                                convert_to_tensor(leaf)
        found = {i: self._one(self.names[i], *self.after[i]) for i in range(nouts)}
        count = len(self.names) - len(self.places)
        for i in range(count, len(self.names)):
            plan = self._of_place(i, self.places[i - count])
            if plan is not None:
                found[i] = plan
        return found

    def _is_same(self, i: int) -> bool:
        """Whether both branches leave the very list or dictionary in a variable."""
        a, b = self.after[i]
        return a is b and a is self.before[i] and isinstance(a, (list, dict, StagedList, np.ndarray))

    def _of_place(self, i: int, place: Place) -> Plan | None:
        """The plan for a place; None where nothing is left to do, as both branches do the same."""
        a, b = self.after[i]
        if isinstance(place, KeyOrder):
            if a == b:
                journal.settle(place, a)
            elif place.counts:
                raise journal.side_effect(self._first[i - len(self.before)], "branch")
            return None
        if isinstance(place, Contents) and not isinstance(
            place.holder, (list, collections.deque, StagedList, np.ndarray)
        ):
            same = st.same_object(a, b)
            if not same or hasattr(place.holder, "__next__"):
                raise journal.side_effect(self._first[i - len(self.before)], "branch")
            journal.settle(place, a)
            return None
        if journal.is_same_data(a, b) or journal.is_same_array(a, b):
            journal.settle(place, a)
            return None
        try:
            return self._one(self.names[i], a, b)
        except (errors.BranchMismatchError, TypeError, ValueError):
            attribute = not isinstance(place, (Contents, ContextValue, Item)) or place.owner is not place.holder
            own = journal.is_own(place)
            unset = attribute and any(map(st.is_undefined, (a, b)))
            known = [journal.is_data(v) or st.is_undefined(v) for v in (a, b)]
            if own or (not unset and (all(known) or any(map(journal.is_symbolic_object, (a, b))))):
                raise  # what was made in the trace is no business of Python's
        journal.settle(place, self.after[i][a is self.before[i]])  # no graph can carry it: Python's own business
        return None

    # --- objects ---
    def _pair(self, i: int) -> None:
        """Two objects of one class are joined by their attributes."""
        count = len(self.names) - len(self.places)
        is_own = i < count or journal.is_own(self.places[i - count])
        if is_own:
            self.after[i] = chosen_functions.paired(*self.after[i], (self.then, self.other))
        self._pairs.nones = (
            self._nones if is_own else lambda _, a, b, __: (a, b)
        )  # which others would find after the trace
        try:
            if self.after[i][0] is not self.after[i][1]:
                self.after[i] = self._pairs.paired(self.names[i], *self.after[i])
        except errors.BranchMismatchError:
            if i < len(self.names) - len(self.places):
                raise  # what is in a place may be Python's own business

    # --- lists ---
    def _settle_list(self, i: int) -> None:
        """Lists that differ in length become staged lists."""
        a, b = self.after[i]
        if a is b and isinstance(a, StagedList):
            return
        if isinstance(a, StagedList) and type(b) is list:
            b = _staged(self.other, self.ends[1], b, a)
        elif isinstance(b, StagedList) and type(a) is list:
            a = _staged(self.then, self.ends[0], a, b)
        if isinstance(a, StagedList) and isinstance(b, StagedList):
            with building(self.then):
                left = a.beside(b)
            with building(self.other):
                right = b.beside(a)
            left.meet(right)
            right.meet(left)
            self._check_elements(self.names[i], left, right)
            self.after[i] = left, right
        elif type(a) is list and type(b) is list and a is not b and (len(a) != len(b) or any(map(is_lost, (*a, *b)))):
            pattern = learned_list(a, b)
            if pattern is not None and i >= len(self.names) - len(self.places):
                pattern = as_place(pattern, self.places[i - len(self.names)])
            if pattern is not None:
                self.after[i] = (
                    _staged(self.then, self.ends[0], a, pattern),
                    _staged(self.other, self.ends[1], b, pattern),
                )
        a, b = self.after[i]
        if isinstance(a, StagedList) and isinstance(b, StagedList):
            a.share_behind(b)

    def _check_elements(self, name: str, a: StagedList, b: StagedList) -> None:
        for x, y in zip(a.parts(), b.parts()):
            if x.dtype is not y.dtype and not (x.is_weak and y.is_weak):
                raise st.mismatch(
                    name,
                    f"holds elements of dtype {x.dtype.name} at the end of the main branch, but of dtype {y.dtype.name} at "
                    "the end of the other one. Use tf.cast, or constants of the right dtype, for the elements of one.",
                )

    # --- one variable ---
    def _one(self, name: str, a: object, b: object) -> Plan:
        if a is b and (
            isinstance(a, (list, dict, StagedList, np.ndarray)) or (isinstance(a, MaybeNone) and a.is_mutable)
        ):
            return Plan([], [], Kept(a))  # what is in it has a place of its own
        if a is not b:
            with building(self.then):
                a = st.variable_as_tensor(a)
            with building(self.other):
                b = st.variable_as_tensor(b)
        if st.lacks_value(a) and st.lacks_value(b):
            return Plan([], [], a)
        for value, opposite, graph, branch in ((a, b, self.then, "main"), (b, a, self.other, "else")):
            if st.is_undefined(value):
                return self._unset(name, a, b, opposite, branch)
            if st.is_undefined_return(value):
                return self._unreturned(a, b, opposite, graph, branch)
        if isinstance(a, SometimesSet) or isinstance(b, SometimesSet):
            return self._sometimes(name, a, b)
        if a is None and b is None:
            return Plan([], [], None)
        for value, opposite, branch in ((a, b, "main"), (b, a, "else")):
            if value is None:
                raise st.mismatch(
                    name,
                    f"is None at the end of the {branch} branch, but {st.type_text(opposite)} at the end of the other "
                    "one. A graph carries None beside tensors, numbers, functions, and lists, dictionaries and objects "
                    "of them: give it a value of the same type in both branches.",
                )
        if not st.is_stageable(a) or not st.is_stageable(b):
            if st.same_object(a, b):
                return Plan([], [], a)
            raise st.mismatch(
                name,
                f"must be a tensor, a number, or the same Python object in both branches: it is {st.type_text(a)} in "
                f"the main branch, but {st.type_text(b)} in the else branch. {st.instead_of(a, b)}",
            )
        return self._agreeing(name, a, b)

    def _unset(self, name: str, a: Any, b: object, opposite: Any, branch: str) -> Plan:
        """A variable that `branch` does not set, while the other one makes it `opposite`."""
        refusal = st.mismatch(
            name,
            f"must also be initialized in the {branch} branch: it is {st.type_text(opposite)} at the end of the "
            "other one. Set it before the `if`, or in both branches.",
        )
        opposite = closed(chosen_functions.lone(opposite), name, self.ends[branch == "main"])
        if not st.is_stageable(opposite) or not name.isidentifier():  # items and attributes have other names, too
            try:
                raise refusal
            finally:
                del refusal  # its traceback holds this frame
        like = opposite if isinstance(opposite, SometimesSet) else SometimesSet(name, opposite, True, "", refusal)
        with building(self.then if branch == "main" else self.other):
            filled = [st.zeros_for(leaf) for leaf in st.leaves_of(like)]
        leaves = st.leaves_of(like)
        like = self._without_refusal(like)
        return Plan(filled, leaves, like) if branch == "main" else Plan(leaves, filled, like)

    def _sometimes(self, name: str, a: object, b: object) -> Plan:
        """A variable that had a value on some paths before the conditional, or inside it."""
        like: Any = None
        sides = []
        a_value, b_value = (v.value if isinstance(v, SometimesSet) else v for v in (a, b))
        values = chosen_functions.paired(a_value, b_value, (self.then, self.other))
        x, y = self._pairs.paired(name, *values)
        for value, inner in ((a, x), (b, y)):
            if isinstance(value, SometimesSet):
                value = SometimesSet(name, inner, value.flag, value.text, value.refusal)
            else:
                value = inner
            if not isinstance(value, SometimesSet):
                if not st.is_stageable(value):
                    raise st.mismatch(
                        name, f"is {st.type_text(a)} in the main branch, but {st.type_text(b)} in the else branch"
                    )
                value = SometimesSet(name, value, True)
            elif like is None:
                like = value
            sides.append(value)
        inner = self._agreeing(name, sides[0].value, sides[1].value)
        flags = [side.flag for side in sides]
        like = self._without_refusal(SometimesSet(name, inner.like, like.flag, like.text, like.refusal), *flags)
        return Plan([*inner.then_leaves, flags[0]], [*inner.else_leaves, flags[1]], like)

    def _without_refusal(self, like: SometimesSet, *flags: TensorLike) -> SometimesSet:
        """Where what happened before the conditional counts, too, only running it tells whether there is a value."""
        inside = (self.then, self.other)
        for flag in flags or (like.flag,):
            if isinstance(flag, Tensor) and getattr(flag, "graph", None) not in inside:
                return SometimesSet(like.symbol_name, like.value, like.flag, like.text)
        return like

    def _unreturned(self, a: object, b: object, opposite: object, graph: FuncGraph, branch: str) -> Plan:
        """A return value that `branch` does not give, while the other one makes it `opposite`."""
        opposite = closed(chosen_functions.lone(opposite), "the return value", self.ends[branch == "main"])
        if not st.is_stageable(opposite):
            if opposite is None:
                return Plan([], [], None)
            if st.is_empty(opposite):  # if a list in it grows in a loop, that is traced again
                return Plan([], [], opposite, branch)
            raise st.mismatch("the return value", f"is {st.type_text(opposite)}, which a graph cannot return")
        with building(graph):
            filled = [st.zeros_for(leaf) for leaf in st.leaves_of(opposite)]
        leaves = st.leaves_of(opposite)
        return Plan(filled, leaves, opposite, branch) if branch == "main" else Plan(leaves, filled, opposite, branch)

    def _agreeing(self, name: str, a: object, b: object) -> Plan:
        label = "the return value" if is_returned(name) else repr(name)
        try:
            structure.assert_same_structure(a, b, expand_composites=True)
        except errors.StructureMismatchError as error:
            raise errors.BranchMismatchError(
                errors.at_user_line(
                    f"{label} must have the same nested structure in the main and else branches: {error}"
                )
            ) from None
        leaves_a, leaves_b = st.leaves_of(a), st.leaves_of(b)
        paths = structure.paths(a)
        for i, where in enumerate(paths if len(paths) == len(leaves_a) else [""] * len(leaves_a)):
            x, y = leaves_a[i], leaves_b[i]
            try:
                leaves_a[i], leaves_b[i] = matched((x, y), (self.then, self.other))
            except (errors.ConversionError, errors.DTypeMismatchError) as error:
                raise errors.BranchMismatchError(
                    errors.at_user_line(
                        f"{label}{where} is {st.type_text(x)} in the main branch, but {st.type_text(y)} in "
                        f"the else branch: {error}"
                    )
                ) from None
            if is_flexible(leaves_a[i]) and is_flexible(leaves_b[i]):
                continue
            dtype_x, dtype_y = natural_dtype(leaves_a[i]), natural_dtype(leaves_b[i])
            if dtype_x is not dtype_y:
                call = conversion(dtype_x, dtype_y, "...")
                raise errors.BranchMismatchError(
                    errors.at_user_line(
                        f"{label}{where} has dtype {dtype_x.name} in the main branch, but dtype {dtype_y.name} in the else "
                        f"branch: {st.type_text(x)} against {st.type_text(y)}. Use {call and f'{call}, or '}a constant of "
                        "the right dtype, in one of them."
                    )
                )
        return Plan(leaves_a, leaves_b, a, order=order_of(a) if order_of(a) is order_of(b) else None)


def _staged(graph: FuncGraph, end: End, elements: list[Any], pattern: StagedList) -> StagedList:
    with building(graph):
        return end.also(lambda: pattern.filled(elements))


def _both_staged(
    graphs: tuple[FuncGraph, FuncGraph], ends: tuple[End, End], a: Sequence[Any], b: Sequence[Any]
) -> tuple[object, object]:
    if isinstance(a, StagedList) or isinstance(b, StagedList):
        left = a if isinstance(a, StagedList) else _staged(graphs[0], ends[0], [*a], b)
        right = b if isinstance(b, StagedList) else _staged(graphs[1], ends[1], [*b], left)
        with building(graphs[0]):
            told = left.told_by(right)
        with building(graphs[1]):
            return told, right.told_by(left)
    if len(a) == len(b):
        return a, b
    pattern = learned_list([*a], [*b])
    if pattern is not None and isinstance(a, collections.deque):
        pattern = as_deque(pattern, a.maxlen)
    return (
        (a, b)
        if pattern is None
        else (_staged(graphs[0], ends[0], [*a], pattern), _staged(graphs[1], ends[1], [*b], pattern))
    )


def _joined(then: list[Change], other: list[Change]) -> list[tuple[Change, tuple[Change | None, Change | None]]]:
    """The places that one of two branches has changed: a change of each, and how either branch has changed it.

    Where one changes some items of a list, and the other its length, both have changed its contents.
    """
    whole = {id(c.place.holder) for c in (*then, *other) if isinstance(c.place, Contents)}
    found: dict[object, list[Change | None]] = {}
    for number, side in enumerate((then, other)):
        for change in _with_whole_lists(side, whole):
            found.setdefault(change.place.key, [None, None])[number] = change
    return [(a or b, (a, b)) for a, b in found.values()]  # type: ignore[misc]


def _with_whole_lists(changes: list[Change], whole: set[int]) -> list[Change]:
    result: dict[object, Change] = {}
    for change in changes:
        place = change.place
        if not isinstance(place, Item) or not isinstance(place.holder, list) or id(place.holder) not in whole:
            result[place.key] = change
            continue
        contents = Contents(place.holder)
        before = result.get(contents.key)
        new = list(contents.read() if before is None else before.new)
        new[place.index] = change.new
        result[contents.key] = Change(contents, contents.read(), new, change.where)
    return list(result.values())
