"""What a staged `if` makes of its variables, planned before the conditional is recorded.

if x > 0:            a: outputs of both branches, of one dtype and structure
    a, r = x, 1      r: also a flag, whether it was set (see `unset`)
    d['k'] = x       d: outputs for the items that were set, to be put into the very dictionary that `d` means
else:
    a = -x
    d['k'] = 0
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphrt import errors
from graphrt.staging import containers
from graphrt.staging import state as st
from graphrt.staging.aliases import leave_behind, stands_for
from graphrt.staging.containers import Copies
from graphrt.staging.lists import StagedList, learned_list
from graphrt.staging.side_effects import Place, is_same_array, is_same_data
from graphrt.staging.unset import SometimesSet, mark_missing
from graphrt.tensor.context import building
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.tensor.weak import is_flexible, matched, natural_dtype
from graphrt.types import structure

Names = tuple[str, ...]
_NONE: Any = object()


class Branch(NamedTuple):
    """A traced branch: its graph, the state at its end, the copies of lists and dictionaries that it worked on.

    `changed`: places that are no variables, and what the branch put there.
    `bags`: what no graph can carry, but has changed: object, what was in it, what it is called, what is in it now.
    """

    graph: FuncGraph
    after: tuple[Any, ...]
    copies: Copies
    changed: list[tuple[Place, Any]]
    bags: list[tuple[Any, Any, str, Any]]


class Plan:
    """What a conditional makes of one variable: leaves to output on either side, and how to put the outputs together."""

    __slots__ = ("else_leaves", "like", "missing", "then_leaves")

    def __init__(self, then_leaves: list[Any], else_leaves: list[Any], like: Any, missing: str = "") -> None:
        self.then_leaves = then_leaves
        self.else_leaves = else_leaves
        self.like = like
        self.missing = missing  # the branch for which a return value was filled in

    def result(self, outputs: list[SymbolicTensor]) -> Any:
        """The value of the variable after the conditional."""
        if not self.then_leaves:
            return self.like
        if self.missing:
            mark_missing(outputs, self.missing)
        found = st.rebuilt(self.like, list(outputs))
        return found.settled() if isinstance(found, SometimesSet) else found


class ContainerPlan:
    """What a conditional makes of a list or dictionary that both branches kept: outputs for the items they set."""

    __slots__ = ("old", "parts")

    def __init__(self, old: Any, parts: list[tuple[Any, Plan | ContainerPlan]]) -> None:
        self.old = old
        self.parts = parts

    @property
    def then_leaves(self) -> list[Any]:
        """The leaves that the first branch outputs."""
        return [leaf for _, part in self.parts for leaf in part.then_leaves]

    @property
    def else_leaves(self) -> list[Any]:
        """The leaves that the second branch outputs."""
        return [leaf for _, part in self.parts for leaf in part.else_leaves]

    def result(self, outputs: list[SymbolicTensor]) -> Any:
        """The very container, filled."""
        found = {}
        at = 0
        for key, part in self.parts:
            count = len(part.then_leaves)
            found[key] = part.result(outputs[at : at + count])
            at += count
        if type(self.old) is list:
            self.old[:] = found.values()
        else:
            self.old.clear()
            self.old.update(found)
        return self.old


class Planner:
    """Plans the outputs of one conditional."""

    def __init__(self, names: Names, before: tuple[Any, ...], then: Branch, other: Branch) -> None:
        self.names = names
        self.before = before
        self.then, self.other = then.graph, other.graph
        self.copies = then.copies, other.copies
        self.after = list(zip(then.after, other.after))
        self.places: list[Place] = []
        for place, _ in [*then.changed, *other.changed]:
            if not any(place.is_same(p) for p in self.places):
                self._add_place(place, then, other)
        self.in_place = [
            self.copies[0].stands_for_list(a, old) and self.copies[1].stands_for_list(b, old)
            for old, (a, b) in zip(self.before, self.after)
        ]
        for i in range(len(self.before)):
            self._settle_list(i)

    def _add_place(self, place: Place, then: Branch, other: Branch) -> None:
        """Makes a place that a branch changed one more variable."""
        old = place.get()
        sides = [next((v for p, v in side.changed if p.is_same(place)), old) for side in (then, other)]
        self.places.append(place)
        self.names = (*self.names, place.label)
        self.before = (*self.before, old)
        self.after.append((sides[0], sides[1]))

    def set_place(self, number: int, value: Any) -> None:
        """Puts what became of a place there."""
        place = self.places[number]
        old = place.get()
        if type(old) is list and isinstance(value, StagedList):
            leave_behind((stands_for(old, value),))
        place.set(containers.put_back(old, value))

    def plans(self, nouts: int) -> dict[int, Plan | ContainerPlan]:
        """Index of a variable -> its plan: the `nouts` that are used afterwards, and containers known by other names."""
        kept = [self._kept(old, a, b) for old, (a, b) in zip(self.before, self.after)]
        with building(self.other):
            for i in range(nouts):
                # TensorFlow leaves these constants behind when it compares the branches; graphs are compared node by node
                if not kept[i] and all(map(st.is_stageable, self.after[i])):
                    for pair in zip(*map(st.leaves_of, self.after[i])):
                        for leaf in pair:
                            if not isinstance(leaf, Tensor):
                                convert_to_tensor(leaf)
        found = {
            i: self._container(self.names[i], self.before[i], *self.after[i])
            if kept[i]
            else self._one(self.names[i], *self.after[i])
            for i in range(nouts)
        }
        count = len(self.names) - len(self.places)
        for i in range(count, len(self.names)):
            place, (a, b) = self.places[i - count], self.after[i]
            if is_same_data(a, b):
                place.set(a)
                continue
            try:
                found[i] = self._one(self.names[i], a, b)
            except (errors.BranchMismatchError, TypeError, ValueError):
                if place.is_data(a, b):
                    raise
                place.set(self.after[i][a is self.before[i]])  # no graph can carry it: Python's own business
        for i in range(nouts, count):
            if kept[i]:
                try:
                    plan = self._container(self.names[i], self.before[i], *self.after[i])
                except (errors.BranchMismatchError, TypeError, ValueError):
                    continue  # nobody reads it by this name, and what others read cannot be carried
                if plan.then_leaves:
                    found[i] = plan
            elif self.in_place[i] and self._has_changed(i):
                try:
                    found[i] = self._one(self.names[i], *self.after[i])
                except (errors.BranchMismatchError, TypeError, ValueError):
                    continue
        return found

    def _has_changed(self, i: int) -> bool:
        """Whether a branch has changed a list or an array in place."""
        old, (a, b) = self.before[i], self.after[i]
        if isinstance(old, StagedList):
            return any(x is not z or y is not z for x, y, z in zip(a.handles, b.handles, old.handles))
        return isinstance(a, StagedList) or (isinstance(old, np.ndarray) and a is not old)

    def _kept(self, old: Any, a: Any, b: Any) -> bool:
        """Whether `a` and `b` are what the branches made of `old`, and hold the same keys."""
        then_copies, else_copies = self.copies
        return then_copies.stands_for(a, old) and else_copies.stands_for(b, old) and containers.same_keys(a, b)

    # --- lists ---
    def _settle_list(self, i: int) -> None:
        """A list that no branch touched is what it was; those that differ in length become staged lists."""
        old, (a, b) = self.before[i], self.after[i]
        if isinstance(old, np.ndarray):
            if self.in_place[i] and is_same_array(old, a) and is_same_array(old, b):
                self.after[i] = old, old
        elif isinstance(a, StagedList) and type(b) is list:
            self.after[i] = a, self._staged(self.other, b, a)
        elif isinstance(b, StagedList) and type(a) is list:
            self.after[i] = self._staged(self.then, a, b), b
        elif type(a) is not list or type(b) is not list or self._kept(old, a, b):
            return
        elif type(old) is list and _same_elements(old, a) and _same_elements(old, b):
            self.after[i] = old, old
        elif len(a) != len(b):
            pattern = learned_list(a, b)
            if pattern is not None:
                self.after[i] = self._staged(self.then, a, pattern), self._staged(self.other, b, pattern)

    def _staged(self, graph: FuncGraph, elements: list[Any], pattern: StagedList) -> StagedList:
        with building(graph):
            return pattern.filled(elements)

    def _container(self, name: str, old: Any, a: Any, b: Any) -> Plan | ContainerPlan:
        if self._kept(old, a, b):
            olds, others = dict(containers.items(old)), dict(containers.items(b))
            return ContainerPlan(
                old,
                [
                    (key, self._container(f"{name}[{key!r}]", olds.get(key, _NONE), value, others[key]))
                    for key, value in containers.items(a)
                ],
            )
        if a is old and b is old:
            return Plan([], [], old)
        return self._one(name, a, b)

    # --- one variable ---
    def _one(self, name: str, a: Any, b: Any) -> Plan:
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
                    "one. A graph cannot carry None: give it a tensor of the same dtype in both branches.",
                )
        if not st.is_stageable(a) or not st.is_stageable(b):
            if st.same_object(a, b):
                return Plan([], [], a)
            raise st.mismatch(
                name,
                f"must be a tensor, a number, or the same Python object in both branches: it is {st.type_text(a)} in "
                f"the main branch, but {st.type_text(b)} in the else branch",
            )
        return self._agreeing(name, a, b)

    def _unset(self, name: str, a: Any, b: Any, opposite: Any, branch: str) -> Plan:
        """A variable that `branch` does not set, while the other one makes it `opposite`."""
        refusal = st.mismatch(
            name,
            f"must also be initialized in the {branch} branch: it is {st.type_text(opposite)} at the end of the "
            "other one. Set it before the `if`, or in both branches.",
        )
        if (
            not st.is_stageable(opposite) or not name.isidentifier()
        ):  # items and attributes are read by other names, too
            raise refusal
        like = opposite if isinstance(opposite, SometimesSet) else SometimesSet(name, opposite, True, "", refusal)
        with building(self.then if branch == "main" else self.other):
            filled = [st.zeros_for(leaf) for leaf in st.leaves_of(like)]
        leaves = st.leaves_of(like)
        like = self._without_refusal(like)
        return Plan(filled, leaves, like) if branch == "main" else Plan(leaves, filled, like)

    def _sometimes(self, name: str, a: Any, b: Any) -> Plan:
        """A variable that had a value on some paths before the conditional, or inside it."""
        like: Any = None
        sides = []
        for value in (a, b):
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

    def _without_refusal(self, like: SometimesSet, *flags: Any) -> SometimesSet:
        """Where what happened before the conditional counts, too, only running it tells whether there is a value."""
        inside = (self.then, self.other)
        for flag in flags or (like.flag,):
            if isinstance(flag, Tensor) and getattr(flag, "graph", None) not in inside:
                return SometimesSet(like.symbol_name, like.value, like.flag, like.text)
        return like

    def _unreturned(self, a: Any, b: Any, opposite: Any, graph: FuncGraph, branch: str) -> Plan:
        """A return value that `branch` does not give, while the other one makes it `opposite`."""
        if not st.is_stageable(opposite):
            if opposite is None:
                return Plan([], [], a if branch == "main" else b)
            raise st.mismatch("the return value", f"is {st.type_text(opposite)}, which a graph cannot return")
        with building(graph):
            filled = [st.zeros_for(leaf) for leaf in st.leaves_of(opposite)]
        if branch == "main":
            return Plan(filled, st.leaves_of(b), b, branch)
        return Plan(st.leaves_of(a), filled, a, branch)

    def _agreeing(self, name: str, a: Any, b: Any) -> Plan:
        label = "the return value" if name.startswith("retval_") else repr(name)
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
                raise errors.BranchMismatchError(
                    errors.at_user_line(
                        f"{label}{where} has dtype {dtype_x.name} in the main branch, but dtype {dtype_y.name} in the else "
                        f"branch: {st.type_text(x)} against {st.type_text(y)}. Use tf.cast, or a constant of the right "
                        "dtype, in one of them."
                    )
                )
        return Plan(leaves_a, leaves_b, a)


def _same_elements(a: list[Any], b: list[Any]) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b))
