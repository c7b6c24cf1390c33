"""The variables of a staged loop: what the graph carries from one iteration to the next, and what stays Python.

`learn` finds the types of variables that have no value before the loop; `LoopState` takes the state apart into flat
tensors and puts it together again; `Frame` keeps book of one loop while it is recorded, whatever kind of node it becomes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

from autograph.backends.state import Losses, freeze, shown
from graphrt import errors
from graphrt.control_flow.invariants import flat_invariants
from graphrt.staging import aliases
from graphrt.staging import values as st
from graphrt.staging.aliases import Joined
from graphrt.staging.chosen_functions import among, carries, is_function, is_one_more, lone
from graphrt.staging.chosen_lists import EmptyAsYetError
from graphrt.staging.closing import closed, has_objects, opened
from graphrt.staging.ends import NOTHING, End
from graphrt.staging.lists import StagedList
from graphrt.staging.loops_again import MOST_ROUNDS, Begin, GetState, Grown, Losing, Names, Options, Rebound, SetState
from graphrt.staging.maybe_none import MaybeNone, outgrows
from graphrt.staging.nested_lists import Order, order_of
from graphrt.staging.objects import Pairs, fitted, growing, none_apart
from graphrt.staging.rows import are_lists, with_staged_lists
from graphrt.staging.unset import SometimesSet, mark_missing, outside
from graphrt.tensor.context import building, current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import Tensor
from graphrt.tensor.weak import weak_tensor
from graphrt.types import structure
from graphrt.types.leaving import block
from graphrt.types.shape import Dims, TensorShape, dims_of

FLAG = "the loop's flag"
ADVICE = (  # `check_variables` fills it in
    "Keep the shape, start with one that stays, or let it vary: "
    "tf.autograph.experimental.set_loop_options(shape_invariants=[({name}, tf.{shape!r})]) as the first line of the body."
)


# --- one iteration --------------------------------------------------------------------------------------------------
class _Iteration(threading.local):
    """What has been met in the iteration of a loop that this thread is tracing.

    Attributes:
      pops: errors of branches which may take from a list that is empty as yet; None outside of loops.
      reads: errors of branches that read a variable which the loop itself may set; None when types are known.
    """

    pops: list[Exception] | None = None
    reads: list[Exception] | None = None


_iteration = _Iteration()


@block
def _one_iteration(learning: bool) -> Generator[tuple[list[Exception], list[Exception]], None, None]:
    """Lets branches of the iteration being traced fail, as long as the loop is traced again; gives what failed."""
    outer = _iteration.pops, _iteration.reads
    pops: list[Exception] = []
    reads: list[Exception] = []
    try:
        _iteration.pops, _iteration.reads = pops, reads if learning else outer[1]
        yield from ((pops, reads),)
    finally:
        _iteration.pops, _iteration.reads = outer


_OF_NOTHING = (IndexError, ValueError, TypeError)  # what Python says of `rows[-1]`, `min(rows)`, `reduce(f, rows)`


def is_too_early(error: Exception) -> bool:
    """Whether a branch cannot be traced yet, but might be when the loop around it is traced again.

    It takes something from a list that is empty as yet, or reads a variable that another iteration may set. Where the
    loop is not traced again the error is raised.
    """
    if isinstance(error, UnboundLocalError):
        noted = _iteration.reads
    else:
        noted = _iteration.pops if isinstance(error, EmptyAsYetError) or type(error) in _OF_NOTHING else None
    if noted is None:
        return False
    noted.append(error)
    return True


# --- variables without a value before the loop -----------------------------------------------------------------------
def learn(
    run_once: Callable[[], None], before: tuple[Any, ...], get_state: GetState, set_state: SetState
) -> dict[int, Any]:
    """Learns the types of variables that have no value (or None) before a loop, by tracing one iteration for nothing.

    Returns index -> a value with the right structure, dtypes and shapes, for those that get a tensor.
    """
    unknown = [i for i, v in enumerate(before) if st.lacks_value(v) or v is None]
    if not unknown:
        return {}
    scratch = FuncGraph("scratch", is_part=True)
    lost = aliases.lost_so_far()
    with building(scratch):
        entered = [v.kept() if isinstance(v, StagedList) else v for v in before]  # nothing that is done here stays
        for i, value in enumerate(before):
            inner = value.closed() if isinstance(value, MaybeNone) else value  # another list or object
            if st.is_stageable(inner) and (inner is not value or not st.has_mutable(value)):
                entered[i] = st.rebuilt(inner, [st.stand_in(scratch, leaf) for leaf in st.leaves_of(inner)])
        try:
            set_state(tuple(entered))
            with _one_iteration(learning=True) as (_, reads):
                run_once()
            after = get_state()
        finally:
            set_state(before)
            aliases.now_lost(lost)
    after = tuple(
        closed(lone(v) if before[i] is None else v, "a variable") if i in unknown else v for i, v in enumerate(after)
    )
    found = {
        i: after[i]
        for i in unknown
        if st.is_stageable(after[i]) or (not st.is_undefined(before[i]) and st.is_empty(after[i]))
    }
    if reads:  # before it is set: what the loop carries has to say whether it was
        for i, value in found.items():
            if st.is_undefined(before[i]) and not isinstance(value, SometimesSet):
                found[i] = SometimesSet(before[i].symbol_name, value, True)
    return found


# --- the state as flat tensors ---------------------------------------------------------------------------------------
class LoopState:
    """The variables of a loop, split into those that the graph carries and those that stay Python objects."""

    def __init__(
        self,
        names: Names,
        values: tuple[Any, ...],
        learned: dict[int, Any],
        rebound: frozenset[int] = frozenset(),
        older: frozenset[int] = frozenset(),
    ) -> None:
        self.names = names
        self.values = values
        self.likes = [learned.get(i, closed(shown(v), names[i]) if i in rebound else v) for i, v in enumerate(values)]
        self._rebound = rebound
        self._older = older
        self._pairs = Pairs(_loop_mismatch, ("before the loop", "after one iteration"))
        self.carried = [
            i
            for i, v in enumerate(self.likes)
            if i in learned
            or (st.is_stageable(v) and (i in rebound or not st.has_mutable(v)))
            or (i in rebound and st.is_empty(v))
        ]  # what is in lists and dictionaries has places of its own
        self.filled = [i for i in self.carried if i in learned]

    def init(self) -> tuple[list[Any], list[str]]:
        """The flat tensors to enter the loop with, and the user's name of each."""
        flat: list[Any] = []
        labels: list[str] = []
        for i in self.carried:
            leaves = st.leaves_of(self.likes[i])
            names = [f"{self.names[i]}{p}" for p in _leaf_paths(self.likes[i], len(leaves))]
            flat += [weak_tensor(v, name) for v, name in zip(leaves, names)]
            labels += names
        return flat, labels

    def with_tensors(self, tensors: list[Any]) -> tuple[Any, ...]:
        """The state with the carried variables set to `tensors`."""
        found = self.closed_with(tensors)
        for i in self.carried:
            found[i] = opened(found[i])
        return tuple(found)

    def closed_with(self, tensors: list[Any]) -> list[Any]:
        """The same, with objects as their attributes."""
        out = list(self.values)
        for i, group in self.groups(tensors):
            out[i] = st.rebuilt(self.likes[i], group)
        return out

    def groups(self, tensors: list[Any]) -> Iterator[tuple[int, list[Any]]]:
        """The index of each carried variable, and which of `tensors` are its own."""
        at = 0
        for i in self.carried:
            count = len(st.leaves_of(self.likes[i]))
            yield i, list(tensors[at : at + count])
            at += count

    def tensors_after(self, after: tuple[Any, ...]) -> list[Any]:
        """The flat tensors at the end of an iteration; checks that everything else is as it was."""
        flat: list[Any] = []
        for i, value in enumerate(after):
            value = self._function_after(i, value)
            if i in self.carried:
                flat += self._leaves_after(i, value)
            elif value is self.values[i]:
                continue
            elif st.is_variable(self.values[i]) or self._has_none_apart(i, value):
                raise Grown(i, value)
            elif isinstance(self.values[i], MaybeNone):
                raise Rebound(i)
            elif st.has_mutable(self.values[i]) and (st.is_stageable(value) or are_lists(value, self.values[i])):
                old = self.values[i]
                if type(old) is list and not isinstance(value, (list, StagedList)):
                    self._refuse(i, value)
                grown = type(old) is list and not (type(value) is list and len(value) == len(old))
                if not grown and i in self._rebound:  # what is in it cannot be carried
                    self._refuse(i, value)
                raise Grown(i, value) if grown else Rebound(i)
            elif type(value) is type(self.values[i]) and has_objects(value) and has_objects(self.values[i]):
                raise Rebound(i)
            elif not st.same_object(value, self.values[i]) and not (
                st.lacks_value(value) and st.lacks_value(self.values[i])
            ):
                self._refuse(i, value)
        return flat

    def _leaves_after(self, i: int, value: Any) -> list[Any]:
        name, like = self.names[i], self.likes[i]
        if i in self._rebound and growing(self.values[i], value):
            raise Grown(i, value)
        if isinstance(like, MaybeNone) and outgrows(like, value):
            raise Grown(i, value)
        if i not in self.filled and self._has_none_apart(i, shown(value)):
            raise Grown(i, value)
        value = with_staged_lists(like, self._fitting(name, like, shown(value)))
        if not st.is_stageable(value) and not (st.is_empty(like) and st.is_empty(value)):
            if st.lacks_value(value) and (i in self.filled or isinstance(like, SometimesSet)):
                return [st.zeros_for(v) for v in st.leaves_of(like)]
            if type(like) is list and type(value) is list:
                raise Grown(i, value)
            raise errors.LoopVariableError(
                errors.at_user_line(
                    f"{name!r} is {st.type_text(like)} before the loop, but {st.type_text(value)} after one iteration: "
                    "the loop is traced into a graph, where a variable keeps its type"
                )
            )
        if isinstance(like, SometimesSet):
            if not isinstance(value, SometimesSet):
                value = SometimesSet(name, value, True)
            self._check_structure(i, like.value, value.value)
        else:
            if isinstance(value, SometimesSet):
                value = value.read()
            self._check_structure(i, like, value)
            if isinstance(like, StagedList) and not like.covers(value):
                raise Grown(i, value)
        return [weak_tensor(v, name) for v in st.leaves_of(value)]

    def _function_after(self, i: int, value: Any) -> Any:
        """A function as one of those that the variable may be."""
        old, there, like = aliases.within(self.values[i]), aliases.within(value), self.likes[i]
        if not is_function(there) or isinstance(value, SometimesSet):
            return value
        functions = carries(like.inner if isinstance(like, MaybeNone) else like)
        if functions is None:
            if is_function(old) and not st.same_object(old, there):
                raise Grown(i, value)
            return value
        if is_one_more(functions, lone(there)):
            raise Grown(i, value)
        found = among(functions, lone(there))
        return MaybeNone(self.names[i], found, value.flag) if isinstance(value, MaybeNone) else found

    def _has_none_apart(self, i: int, value: object) -> bool:
        return i not in self._older and any(none_apart(self.names[i], self.values[i], value))

    def _fitting(self, name: str, like: Any, value: Any) -> Any:
        """`value` with its objects as their attributes, kept as they are in `like`."""
        if isinstance(like, SometimesSet):
            if not isinstance(value, SometimesSet):
                return self._fitting(name, like.value, value)
            inner = self._fitting(name, like.value, value.value)
            return SometimesSet(name, inner, value.flag, value.text, value.refusal)
        return fitted(self._pairs, name, like, value)

    def _check_structure(self, i: int, like: object, value: object) -> None:
        try:
            structure.assert_same_structure(like, value, expand_composites=True)
        except errors.StructureMismatchError as error:
            if type(like) is list and isinstance(value, (list, StagedList)):
                raise Grown(i, value) from None
            raise errors.LoopVariableError(
                errors.at_user_line(
                    f"{self.names[i]!r} does not have the same nested structure before and after one iteration: {error} "
                    "To collect values in a loop use a tf.TensorArray."
                )
            ) from None

    def _refuse(self, i: int, value: Any) -> None:
        raise errors.LoopVariableError(
            errors.at_user_line(
                f"{self.names[i]!r} is {st.type_text(self.values[i])} before the loop, but {st.type_text(value)} after "
                "one iteration. The loop is traced once into a graph: only tensors, numbers and structures of them can "
                "change in it. Make it a tensor before the loop, or a tf.TensorArray to collect values."
            )
        )


def _loop_mismatch(name: str, what: str) -> Exception:
    return errors.LoopVariableError(
        errors.at_user_line(f"{name!r} {what}: the loop is traced into a graph, where a variable keeps its type")
    )


def _leaf_paths(value: object, count: int) -> list[str]:
    found = structure.paths(value)
    return found if len(found) == count else [""] * count


# --- one loop --------------------------------------------------------------------------------------------------------
class Frame:
    """Book of one loop while it is recorded.

    Attributes:
      initial: the flat tensors to enter the loop with: a flag that tells whether it ran if anybody asks, then the state.
      labels: what each is called in messages.
      invariants: the shape of each that the user gave, or that was learned; None for the others.
    """

    def __init__(
        self,
        names: Names,
        get_state: GetState,
        set_state: SetState,
        opts: Options,
        learned: dict[int, Any],
        rebound: frozenset[int] = frozenset(),
        begin: Begin | None = None,
        at_least_one: bool = False,
    ) -> None:
        self.names = names
        self.get_state, self.set_state = get_state, set_state
        self.before = self.left = get_state()
        self.begin = begin or Begin(Losses(), aliases.now())
        self.start = End(losses=aliases.lost_so_far())
        self.variables = opts.get("variables", len(names))
        self.contents = frozenset(opts.get("contents", ()))  # what is in containers, which stay themselves
        older = frozenset(opts.get("older", ()))
        self.state = LoopState(names, self.before, {i: outside(v) for i, v in learned.items()}, rebound, older)
        initial, labels = self.state.init()
        self.starters = [
            i for i in self.state.filled
            if st.is_undefined(self.before[i]) and not isinstance(self.state.likes[i], SometimesSet)
        ]  # fmt: skip
        flags = [convert_to_tensor(False)] if self.starters or (at_least_one and not initial) else []
        self._orders: dict[int, tuple[Order, bool]] = {}  # of lists, and whether elements have been taken out ahead
        self.flags = len(flags)
        self.initial = [*flags, *initial]
        self.labels = [FLAG] * self.flags + labels
        self.invariants = [None] * self.flags + self._invariants(opts, learned)

    def _invariants(self, opts: Options, learned: dict[int, Any]) -> list[Any]:
        given = {
            i: shape
            for variable, shape in opts.get("shape_invariants", ())
            for i, value in enumerate(self.before)
            if value is variable
        }
        out: list[Any] = []
        for i in self.state.carried:
            leaves = st.leaves_of(self.state.likes[i])
            if i in given:
                out += flat_invariants(given[i], self.state.likes[i])
            elif i in learned:
                out += [TensorShape(_learned_dims(v)) for v in st.leaves_of(learned[i])]
            else:
                out += [None] * len(leaves)
        return out

    def enter(self, tensors: list[Any]) -> None:
        """Makes `tensors`, one for each of `initial`, the state."""
        aliases.now_lost(self.begin.lost)
        values = self.state.with_tensors(tensors[self.flags :])
        for i in self.state.carried:
            order = order_of(self.before[i])
            if order is not None and order_of(values[i]) is not None:
                self._orders[i] = order, order.taken
                values[i].order = Order() if i in self.begin.moved else order
        self.set_state(values)
        joined = Joined((self.start, NOTHING), apart=True)
        for i in self.state.carried:
            joined.settled(self.names[i], values[i], self.before[i], whole=i not in self.contents)
        entered = self._holders(values)
        for (a, b), older in self.begin.shared.items():
            joined.note(a, entered.get(a), None, older if isinstance(b, int) else entered.get(b))
        joined.guard()
        for place, error in self.begin.frozen.items():
            if place in entered:
                freeze(entered[place], error)

    def _holders(self, values: Sequence[Any]) -> dict[str, Any]:
        """The containers and objects in the variables that are carried, by their places."""
        return {p: v for i in self.state.carried for p, v in aliases.holders(self.names[i], values[i])}

    def _look_ahead(self) -> None:
        """Has the iteration traced again where the next one begins with more than is known."""
        lost, clock, shared, frozen, spent, rounds, moved = self.begin
        now = aliases.lost_so_far()
        fresh = now.since(lost, lambda value: not aliases.is_newer(value, clock))
        # Nobody tells when an iterator is made: an older one is lost in the first iteration that is traced.
        iterators = {key for key, (value, _) in fresh.lost.items() if hasattr(type(value), "__next__")}
        kept = {key: found for key, found in fresh.lost.items() if not (spent and key in iterators)}
        # Nor when code that is not converted makes a list, of which there is another one each time.
        lost |= Losses(kept, fresh.frozen if rounds < MOST_ROUNDS else {})
        # A value that was returned is no one's concern in the iterations that follow: there are none.
        left = self._holders([None if aliases.is_returned(name) else v for name, v in zip(self.names, self.left)])
        found = aliases.shared(left, self._holders(self.before), clock)
        # Where there is another one each time, that is made in the iteration, and none is older.
        another = {p for p, other in shared.keys() - found.keys() if isinstance(other, int)}
        shared = {**shared, **{key: value for key, value in found.items() if key[0] not in another or value is None}}
        frozen = {**frozen, **{p: now.frozen[id(v)][1] for p, v in left.items() if id(v) in now.frozen}}
        moved |= {i for i, (order, taken) in self._orders.items() if taken and order_of(self.left[i]) is not order}
        known = Begin(lost, clock, shared, frozen, spent or bool(iterators), rounds + bool(fresh.frozen), moved)
        if known.size() > self.begin.size():
            raise Losing(known)

    def check_unset(self, tensors: list[Any]) -> None:
        """Called at the end of an iteration: what has no value before the loop must not have been looked at in it.

        Raises:
          LoopVariableError: an item or attribute is there in all iterations but the first, which cannot be told apart.
        """
        for i, group in self.state.groups(tensors[self.flags :]):
            if i < self.variables or i not in self.state.filled or not st.is_undefined(self.before[i]):
                continue
            leaves = {id(leaf.value) for leaf in group}
            if any(id(value) in leaves for node in current_graph().nodes for value in node.inputs):
                raise errors.LoopVariableError(
                    errors.at_user_line(
                        f"{self.names[i]!r} has no value before the loop, and an iteration that gives it one asks for it, "
                        "too: the first iteration is not as the others. Set it ahead of the loop"
                    )
                )

    def iteration(self, body: Callable[[], None]) -> list[Any]:
        """Runs `body` on the state; the flat tensors at its end, one for each of `initial`."""
        with _one_iteration(learning=False) as (pops, _):
            body()
            self.left = self.get_state()
            after = self.state.tensors_after(self.left)
        self._look_ahead()
        if pops:
            if _iteration.pops is None:
                raise pops[0]
            _iteration.pops.extend(pops)  # a loop further out may fill the list
        return [*([convert_to_tensor(True)] if self.flags else []), *after]

    def leave(self, outputs: list[Any]) -> None:
        """Makes the outputs of the recorded loop the state."""
        results = self.state.closed_with(outputs[self.flags :])
        for i, tensors in self.state.groups(outputs[self.flags :]):
            if i in self.state.filled and st.is_undefined_return(self.before[i]):
                mark_missing(tensors, "loop")
            elif i in self.starters:
                text = f"loop must iterate at least once to initialize {self.names[i]!r}"
                results[i] = SometimesSet(self.names[i], results[i], outputs[0], text)
                if not self.names[i].isidentifier():  # an item or attribute, which is read by other names, too
                    results[i] = results[i].read()
            if isinstance(results[i], SometimesSet):
                results[i] = results[i].settled()
        joined = Joined((self.start, NOTHING))
        values = [*results]
        for i in self.state.carried:
            whole, found = i not in self.contents, opened(results[i])
            if i in self._orders and order_of(found) and order_of(self.left[i]) is order_of(self.before[i]):
                found.order = order_of(self.before[i])
            values[i] = joined.settled(self.names[i], found, self.before[i], self.left[i], whole)
        self.set_state(tuple(values))
        joined.guard()


def _learned_dims(leaf: Tensor) -> Dims:
    return leaf.dims if isinstance(leaf, Tensor) else dims_of(getattr(leaf, "shape", ()))
