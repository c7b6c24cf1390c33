"""`if`, `while` and `for` of converted code on symbolic tensors.

`if_stmt` traces both branches with the same state before; `while_stmt` and `for_stmt` trace test and body once (twice
when a variable gets its first value inside, to learn its type) and record a loop that carries the variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from graphrt import errors
from graphrt.control_flow.branches import If, StatelessIf, body_graph, build_branches
from graphrt.control_flow.while_loop import build_while
from graphrt.ir.graph import static_value
from graphrt.ir.op import ops
from graphrt.staging import containers
from graphrt.staging import state as st
from graphrt.staging.containers import Copies
from graphrt.staging.iterables import staged_iterable
from graphrt.staging.lists import StagedList, learned_list
from graphrt.tensor.context import building, current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.tensor.trace import identity
from graphrt.types import structure
from graphrt.types.dtype import bool_
from graphrt.types.shape import Dims, TensorShape, dims_of

Names = tuple[str, ...]


def condition(value: Any, statement: str) -> Any:
    """`value` as the bool scalar that a statement tests.

    Raises:
      ValueError: it is no bool, or no scalar.
    """
    tensor = convert_to_tensor(value)
    if tensor.dtype is not bool_ or (tensor.dims is not None and tensor.dims != ()):
        raise ValueError(
            errors.at_user_line(
                f"condition of {statement} expected to be `tf.bool` scalar, got {tensor}; to use as boolean Tensor, use "
                "`tf.cast` or compare it with a value (tf.reduce_any or tf.reduce_all for a whole tensor); to check "
                "for None, use `is not None`"
            )
        )
    return tensor


# --- if --------------------------------------------------------------------------------------------------------------
def if_stmt(
    cond: Any,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    get_state: Any,
    set_state: Any,
    names: Names,
    nouts: int,
) -> Any:
    """Records the statement; afterwards the state holds the outputs of the conditional."""
    pred = condition(cond, "if statement")
    graph = current_graph()
    before = get_state()
    scope = graph.unique_name("cond")
    try:
        then, after_then, then_copies = _trace_branch("true", scope, body, before, get_state, set_state)
    except errors.UnknownResultError:  # this trace only asks for types: the other branch knows
        return orelse()
    try:
        other, after_else, else_copies = _trace_branch("false", scope, orelse, before, get_state, set_state)
    except errors.UnknownResultError:
        return body()
    in_place = _InPlace(then_copies, else_copies)
    after_then, after_else = _settle_lists(before, after_then, after_else, then, other, in_place)
    plans = _plan_outputs(names, nouts, before, after_then, after_else, then, other, in_place)
    hidden = _plan_hidden(names, nouts, before, after_then, after_else, then, other, in_place)
    plans += hidden.values()
    with building(then):
        _fill_outputs(then, [p.then_leaves for p in plans])
    with building(other):
        _fill_outputs(other, [p.else_leaves for p in plans])
    outputs = build_branches(
        (StatelessIf, If), lambda g: {"then_branch": g[0], "else_branch": g[1]}, pred, [then, other], scope
    )
    _note_certain_flags(pred, then, other, outputs)
    at = 0
    results = list(before)
    for i, plan in zip((*range(nouts), *hidden), plans):
        count = len(plan.then_leaves)
        results[i] = plan.result(outputs[at : at + count])
        at += count
    set_state(tuple(results))


def _trace_branch(
    kind: str, scope: str, branch: Callable[[], Any], before: tuple[Any, ...], get_state: Any, set_state: Any
) -> tuple[FuncGraph, tuple[Any, ...], Copies]:
    graph = body_graph(kind, scope)
    copies = Copies(before)
    with building(graph):
        try:
            set_state(copies.state)  # a branch that does not run must not have changed them
            branch()
            after = get_state()
        finally:
            set_state(before)
    return graph, after, copies


class _InPlace:
    """Tells lists and dictionaries that both branches kept, whatever they put into them, from new ones."""

    def __init__(self, then_copies: Copies, else_copies: Copies) -> None:
        self.then_copies = then_copies
        self.else_copies = else_copies

    def kept(self, old: Any, a: Any, b: Any) -> bool:
        """Whether `a` and `b` are what the branches made of `old`, and hold the same keys."""
        return (
            self.then_copies.stands_for(a, old) and self.else_copies.stands_for(b, old) and containers.same_keys(a, b)
        )


def copied_lists(state: tuple[Any, ...]) -> tuple[Any, ...]:
    """The state with a copy of each Python list in it."""
    return tuple(list(v) if type(v) is list else v for v in state)


def _settle_lists(
    before: tuple[Any, ...],
    after_then: tuple[Any, ...],
    after_else: tuple[Any, ...],
    then: FuncGraph,
    other: FuncGraph,
    in_place: _InPlace,
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Lists that no branch touched are what they were; those that differ in length become staged lists."""
    a, b = list(after_then), list(after_else)
    for i, (old, x, y) in enumerate(zip(before, after_then, after_else)):
        if isinstance(x, StagedList) and type(y) is list:
            with building(other):
                b[i] = StagedList.of(y, x.dtype, x.dims)
        elif isinstance(y, StagedList) and type(x) is list:
            with building(then):
                a[i] = StagedList.of(x, y.dtype, y.dims)
        if type(x) is not list or type(y) is not list or in_place.kept(old, x, y):
            continue
        if type(old) is list and _same_elements(old, x) and _same_elements(old, y):
            a[i] = b[i] = old
        elif len(x) != len(y):
            pattern = learned_list(x, y)
            if pattern is not None:
                with building(then):
                    a[i] = StagedList.of(x, pattern.dtype, pattern.dims)
                with building(other):
                    b[i] = StagedList.of(y, pattern.dtype, pattern.dims)
    return tuple(a), tuple(b)


def _same_elements(a: list[Any], b: list[Any]) -> bool:
    return len(a) == len(b) and all(x is y for x, y in zip(a, b))


class _Plan:
    """What a conditional makes of one variable: leaves to output on either side, and how to put the outputs together."""

    __slots__ = ("else_leaves", "like", "missing", "then_leaves")

    def __init__(self, then_leaves: list[Any], else_leaves: list[Any], like: Any, missing: Any = None) -> None:
        self.then_leaves = then_leaves
        self.else_leaves = else_leaves
        self.like = like
        self.missing = missing  # where a return value was filled in: what to say if it is needed after all

    def result(self, outputs: list[SymbolicTensor]) -> Any:
        if not self.then_leaves:
            return self.like
        if self.missing is not None:
            for tensor in outputs:
                tensor.value.info = self.missing
        return st.rebuilt(self.like, list(outputs))


def _plan_hidden(
    names: Names,
    nouts: int,
    before: tuple[Any, ...],
    after_then: tuple[Any, ...],
    after_else: tuple[Any, ...],
    then: FuncGraph,
    other: FuncGraph,
    in_place: _InPlace,
) -> dict[int, _Plan | _ContainerPlan]:
    """Plans for lists and dictionaries that nobody reads afterwards by these names, but perhaps by others."""
    found: dict[int, _Plan | _ContainerPlan] = {}
    for i in range(nouts, len(names)):
        if in_place.kept(before[i], after_then[i], after_else[i]):
            try:
                plan = _plan_container(names[i], before[i], after_then[i], after_else[i], then, other, in_place)
            except (errors.BranchMismatchError, TypeError, ValueError):
                continue
            if plan.then_leaves:
                found[i] = plan
    return found


class MissingReturn:
    """Marks a return value that one branch did not give."""

    __slots__ = ("branch", "location")

    def __init__(self, branch: str) -> None:
        self.branch = branch
        self.location = errors.user_location(2)


class _ContainerPlan:
    """What a conditional makes of a list or dictionary that both branches kept: outputs for the items they set."""

    __slots__ = ("old", "parts")

    def __init__(self, old: Any, parts: list[tuple[Any, _Plan | _ContainerPlan]]) -> None:
        self.old = old
        self.parts = parts

    @property
    def then_leaves(self) -> list[Any]:
        return [leaf for _, part in self.parts for leaf in part.then_leaves]

    @property
    def else_leaves(self) -> list[Any]:
        return [leaf for _, part in self.parts for leaf in part.else_leaves]

    def result(self, outputs: list[SymbolicTensor]) -> Any:
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


_NONE: Any = object()


def _plan_container(
    name: str, old: Any, a: Any, b: Any, then: FuncGraph, other: FuncGraph, in_place: _InPlace
) -> _Plan | _ContainerPlan:
    if in_place.kept(old, a, b):
        olds, others = dict(containers.items(old)), dict(containers.items(b))
        return _ContainerPlan(
            old,
            [
                (
                    key,
                    _plan_container(
                        f"{name}[{key!r}]", olds.get(key, _NONE), value, others[key], then, other, in_place
                    ),
                )
                for key, value in containers.items(a)
            ],
        )
    if a is old and b is old:
        return _Plan([], [], old)
    return _plan_one(name, a, b, then, other)


def _plan_outputs(
    names: Names,
    nouts: int,
    before: tuple[Any, ...],
    after_then: tuple[Any, ...],
    after_else: tuple[Any, ...],
    then: FuncGraph,
    other: FuncGraph,
    in_place: _InPlace,
) -> list[_Plan | _ContainerPlan]:
    kept = [in_place.kept(*values) for values in zip(before, after_then, after_else)]
    with building(other):
        for i in range(nouts):
            if kept[i]:
                continue
            # TensorFlow leaves these constants behind when it compares the branches; graphs are compared node by node
            if st.is_stageable(after_then[i]) and st.is_stageable(after_else[i]):
                for a, b in zip(st.leaves_of(after_then[i]), st.leaves_of(after_else[i])):
                    for leaf in (a, b):
                        if not isinstance(leaf, Tensor):
                            convert_to_tensor(leaf)
    return [
        _plan_container(names[i], before[i], after_then[i], after_else[i], then, other, in_place)
        if kept[i]
        else _plan_one(names[i], after_then[i], after_else[i], then, other)
        for i in range(nouts)
    ]


def _plan_one(name: str, a: Any, b: Any, then: FuncGraph, other: FuncGraph) -> _Plan:
    if a is not b:
        with building(then):
            a = st.variable_as_tensor(a)
        with building(other):
            b = st.variable_as_tensor(b)
    if st.lacks_value(a) and st.lacks_value(b):
        return _Plan([], [], a)
    for value, opposite, graph, branch in ((a, b, then, "main"), (b, a, other, "else")):
        if st.is_undefined(value):
            raise st.mismatch(
                name,
                f"must also be initialized in the {branch} branch: it is {st.type_text(opposite)} at the end of the "
                f"other one. Set it before the `if`, or in both branches.",
            )
        if st.is_undefined_return(value):
            if not st.is_stageable(opposite):
                if opposite is None:
                    return _Plan([], [], value)
                raise st.mismatch("the return value", f"is {st.type_text(opposite)}, which a graph cannot return")
            with building(graph):
                filled = [st.zeros_for(leaf) for leaf in st.leaves_of(opposite)]
            missing = MissingReturn(branch)
            if value is a:
                return _Plan(filled, st.leaves_of(b), b, missing)
            return _Plan(st.leaves_of(a), filled, a, missing)
    if a is None and b is None:
        return _Plan([], [], None)
    for value, opposite, branch in ((a, b, "main"), (b, a, "else")):
        if value is None:
            raise st.mismatch(
                name,
                f"is None at the end of the {branch} branch, but {st.type_text(opposite)} at the end of the other one. "
                "A graph cannot carry None: give it a tensor of the same dtype in both branches.",
            )
    if not st.is_stageable(a) or not st.is_stageable(b):
        if st.same_object(a, b):
            return _Plan([], [], a)
        raise st.mismatch(
            name,
            f"must be a tensor, a number, or the same Python object in both branches: it is {st.type_text(a)} in the "
            f"main branch, but {st.type_text(b)} in the else branch",
        )
    return _agreeing(name, a, b)


def _agreeing(name: str, a: Any, b: Any) -> _Plan:
    label = "the return value" if name.startswith("retval_") else repr(name)
    try:
        structure.assert_same_structure(a, b, expand_composites=True)
    except errors.StructureMismatchError as error:
        raise errors.BranchMismatchError(
            errors.at_user_line(f"{label} must have the same nested structure in the main and else branches: {error}")
        ) from None
    leaves_a, leaves_b = st.leaves_of(a), st.leaves_of(b)
    for where, x, y in zip(
        structure.paths(a) if len(structure.paths(a)) == len(leaves_a) else [""] * len(leaves_a), leaves_a, leaves_b
    ):
        dtype_x, dtype_y = _dtype(x), _dtype(y)
        if dtype_x is not dtype_y:
            raise errors.BranchMismatchError(
                errors.at_user_line(
                    f"{label}{where} has dtype {dtype_x.name} in the main branch, but dtype {dtype_y.name} in the else "
                    f"branch: {st.type_text(x)} against {st.type_text(y)}. Use tf.cast, or a constant of the right "
                    "dtype, in one of them."
                )
            )
    return _Plan(leaves_a, leaves_b, a)


def _dtype(leaf: Any) -> Any:
    if isinstance(leaf, Tensor):
        return leaf.dtype
    with building(None):
        return convert_to_tensor(leaf).dtype


def _fill_outputs(graph: FuncGraph, leaves: list[list[Any]]) -> None:
    graph.outputs = [identity(graph, convert_to_tensor(leaf)).value for group in leaves for leaf in group]
    graph.finished = True


def _note_certain_flags(pred: Tensor, then: FuncGraph, other: FuncGraph, outputs: list[SymbolicTensor]) -> None:
    """Finds outputs that are True whichever branch runs, such as `do_return` when all branches return.

    `if not do_return: ...; do_return = True` leaves do_return True in the branch that does not run, too: there
    `do_return` is the negated condition itself.
    """
    for i, output in enumerate(outputs):
        if output.dtype is not bool_:
            continue
        a = _implied(then.outputs[i], then, pred, True)
        b = _implied(other.outputs[i], other, pred, False)
        if a is not None and a == b:
            output.value._static = _BOOLS[a]
            output.value.node.inputs[0]._static = _BOOLS[a]


def _bools() -> dict[bool, Any]:
    import numpy as np

    return {True: np.asarray(True), False: np.asarray(False)}


_BOOLS = _bools()


def _implied(value: Any, graph: FuncGraph, pred: Tensor, holds: bool) -> bool | None:
    """What a bool output of a branch must be, knowing that the condition is `holds` there."""
    known = static_value(value)
    if known is not None:
        return bool(known)
    while value.node.type == "Identity":
        value = value.node.inputs[0]
    outer = next((o for o, i in graph.captures if i.value is value), None)
    if not isinstance(outer, SymbolicTensor) or not isinstance(pred, SymbolicTensor):
        return None
    test, wanted = pred.value, holds
    while True:
        if _root(test) is _root(outer.value):
            return wanted
        if test.node.type == "LogicalNot":
            test, wanted = test.node.inputs[0], not wanted
        elif test.node.type == "Identity":
            test = test.node.inputs[0]
        else:
            return None


def _root(value: Any) -> Any:
    while value.node.type == "Identity":
        value = value.node.inputs[0]
    return value


# --- loops -----------------------------------------------------------------------------------------------------------
_ADVICE = (
    "Use tf.autograph.experimental.set_loop_options to set shape invariants, for instance "
    "set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))]) as the first line of the body, or keep the shape."
)


class _Grown(Exception):
    """An iteration changed the length of a list, or put a tensor where a variable was.

    The loop is traced again, with a staged list, or the variable's value, in its place.
    """

    def __init__(self, index: int, after: Any) -> None:
        super().__init__(index)
        self.index = index
        self.after = after


class _LoopState:
    """The variables of a loop, split into those that the graph carries and those that stay Python objects."""

    def __init__(self, names: Names, values: tuple[Any, ...], learned: dict[int, Any]) -> None:
        self.names = names
        self.values = values
        self.likes = [learned.get(i, v) for i, v in enumerate(values)]
        self.carried = [i for i, v in enumerate(self.likes) if st.is_stageable(v)]
        self.filled = [i for i in self.carried if i in learned]

    def init(self) -> tuple[list[Any], list[str]]:
        """The flat tensors to enter the loop with, and the user's name of each."""
        flat: list[Any] = []
        labels: list[str] = []
        for i in self.carried:
            leaves = st.leaves_of(self.likes[i])
            flat += [convert_to_tensor(v) for v in leaves]
            labels += [f"{self.names[i]}{p}" for p in _leaf_paths(self.likes[i], len(leaves))]
        return flat, labels

    def with_tensors(self, tensors: list[Any]) -> tuple[Any, ...]:
        """The state with the carried variables set to `tensors`."""
        out = list(copied_lists(self.values))
        at = 0
        for i in self.carried:
            count = len(st.leaves_of(self.likes[i]))
            out[i] = st.rebuilt(self.likes[i], list(tensors[at : at + count]))
            at += count
        return tuple(out)

    def tensors_after(self, after: tuple[Any, ...]) -> list[Any]:
        """The flat tensors at the end of an iteration; checks that everything else is as it was."""
        flat: list[Any] = []
        for i, value in enumerate(after):
            if i in self.carried:
                flat += self._leaves_after(i, value)
            elif (
                type(self.values[i]) is list
                and isinstance(value, (list, StagedList))
                and not (type(value) is list and len(value) == len(self.values[i]))
            ) or (st.is_variable(self.values[i]) and value is not self.values[i]):
                raise _Grown(i, value)
            elif not st.same_object(value, self.values[i]) and not (
                st.lacks_value(value) and st.lacks_value(self.values[i])
            ):
                self._refuse(i, value)
        return flat

    def _leaves_after(self, i: int, value: Any) -> list[Any]:
        name, like = self.names[i], self.likes[i]
        if not st.is_stageable(value):
            if st.lacks_value(value) and i in self.filled:
                return [st.zeros_for(v) for v in st.leaves_of(like)]
            raise errors.LoopVariableError(
                errors.at_user_line(
                    f"{name!r} is {st.type_text(like)} before the loop, but {st.type_text(value)} after one iteration: "
                    "the loop is traced into a graph, where a variable keeps its type"
                )
            )
        try:
            structure.assert_same_structure(like, value, expand_composites=True)
        except errors.StructureMismatchError as error:
            if type(like) is list and isinstance(value, (list, StagedList)):
                raise _Grown(i, value) from None
            raise errors.LoopVariableError(
                errors.at_user_line(
                    f"{name!r} does not have the same nested structure before and after one iteration: {error} "
                    "To collect values in a loop use a tf.TensorArray."
                )
            ) from None
        return [convert_to_tensor(v) for v in st.leaves_of(value)]

    def _refuse(self, i: int, value: Any) -> None:
        raise errors.LoopVariableError(
            errors.at_user_line(
                f"{self.names[i]!r} is {st.type_text(self.values[i])} before the loop, but {st.type_text(value)} after "
                "one iteration. The loop is traced once into a graph: only tensors, numbers and structures of them can "
                "change in it. Make it a tensor before the loop, or a tf.TensorArray to collect values."
            )
        )


def _leaf_paths(value: Any, count: int) -> list[str]:
    found = structure.paths(value)
    return found if len(found) == count else [""] * count


def learn(
    run_once: Callable[[], None], names: Names, before: tuple[Any, ...], get_state: Any, set_state: Any
) -> dict[int, Any]:
    """Learns the types of variables that have no value (or None) before a loop, by tracing one iteration for nothing.

    Returns index -> a value with the right structure, dtypes and shapes, for those that get a tensor.
    """
    unknown = [i for i, v in enumerate(before) if st.lacks_value(v) or v is None]
    if not unknown:
        return {}
    scratch = FuncGraph("scratch")
    with building(scratch):
        entered = list(before)
        for i, value in enumerate(before):
            if st.is_stageable(value):
                entered[i] = st.rebuilt(value, [_stand_in(scratch, leaf) for leaf in st.leaves_of(value)])
        try:
            set_state(tuple(entered))
            run_once()
            after = get_state()
        finally:
            set_state(before)
    return {i: after[i] for i in unknown if st.is_stageable(after[i])}


def _stand_in(graph: FuncGraph, leaf: Any) -> SymbolicTensor:
    tensor = convert_to_tensor(leaf)
    stand_in = graph.placeholder(tensor.dtype, tensor.dims, "Placeholder")
    if isinstance(tensor, SymbolicTensor):
        stand_in.value.info = tensor.value.info
    return stand_in


def _like(value: Any) -> Any:
    """A copy of a learned value outside of the graph that it was learned in: zeros of the same types."""
    return st.rebuilt(value, [st.zeros_for(leaf) for leaf in st.leaves_of(value)])


def while_stmt(
    test: Callable[[], Any],
    body: Callable[[], Any],
    get_state: Any,
    set_state: Any,
    names: Names,
    opts: Mapping[str, Any],
) -> None:
    """Records the loop; afterwards the state holds the values after it."""
    if opts.get("test_assigns"):
        _rotated(test, body, get_state, set_state, names, opts)
        return
    before = get_state()
    learned = learn(body, names, before, get_state, set_state)
    none_first = [i for i in learned if before[i] is None]
    if none_first:
        _peeled(test, body, get_state, set_state, names, opts, [names[i] for i in none_first])
        return

    def run_test(_: Any) -> Any:
        return condition(test(), "while loop")

    _run_loop(run_test, lambda _: body(), [], [], get_state, set_state, names, opts, learned)


@contextmanager
def skipped_if_unknown(get_state: Any, set_state: Any) -> Iterator[None]:
    """Takes a loop for one of no iterations, when its body calls a function of which only the types are asked yet."""
    before = get_state()
    try:
        yield
    except errors.UnknownResultError:
        set_state(before)


def _rotated(
    test: Callable[[], Any],
    body: Callable[[], Any],
    get_state: Any,
    set_state: Any,
    names: Names,
    opts: Mapping[str, Any],
) -> None:
    """A loop whose test sets variables: the test moves to the end of the body, so that the body sees what it set."""
    holds = condition(test(), "while loop")
    before = get_state()
    following: list[Any] = []

    def once() -> None:
        body()
        following[:] = [condition(test(), "while loop")]

    learned = learn(once, names, before, get_state, set_state)
    _run_loop(
        lambda own: own[0],
        lambda _: once(),
        [holds],
        ["the loop's test"],
        get_state,
        set_state,
        names,
        opts,
        learned,
        lambda _: list(following),
    )


def _peeled(
    test: Callable[[], Any],
    body: Callable[[], Any],
    get_state: Any,
    set_state: Any,
    names: Names,
    opts: Mapping[str, Any],
    starters: list[str],
) -> None:
    """A loop over variables that are None before it: its first iteration is traced by itself, as only that sees None."""
    first = condition(test(), "while loop")
    _must_run(first, starters)
    body()
    while_stmt(test, body, get_state, set_state, names, opts)


def _must_run(ran: Any, starters: list[str]) -> None:
    text = f"loop must iterate at least once to initialize {', '.join(repr(s) for s in starters)}"
    ops.Assert(ran, [convert_to_tensor(text)])


def _run_loop(
    test: Callable[[list[Any]], Any],
    body: Callable[[list[Any]], None],
    extra: list[Any],
    extra_names: list[str],
    get_state: Any,
    set_state: Any,
    names: Names,
    opts: Mapping[str, Any],
    learned: dict[int, Any],
    step: Callable[[list[Any]], list[Any]] | None = None,
) -> list[Any]:
    """Records a loop over the state plus the `extra` tensors that the loop itself needs (an index, say).

    `step` gives the extra tensors of the next iteration. Returns the extra tensors after the loop.
    """
    mark = current_graph().checkpoint()
    before = get_state()
    kinds = {i: _like(v) for i, v in learned.items()}
    loop = _LoopState(names, before, kinds)
    initial, labels = loop.init()
    starters = [names[i] for i in loop.filled if st.is_undefined(before[i])]
    flags = [convert_to_tensor(False)] if starters else []
    prefix = [*flags, *extra]
    count = len(prefix)
    invariants = _invariants(opts, loop, names, before, learned, count)

    def traced_test(leaves: list[Any]) -> Any:
        set_state(loop.with_tensors(leaves[count:]))
        return test(leaves[len(flags) : count])

    kept: list[bool] = []

    def traced_body(leaves: list[Any]) -> list[Any]:
        own = leaves[len(flags) : count]
        entered = loop.with_tensors(leaves[count:])
        set_state(entered)
        body(own)
        left = get_state()
        kept[:] = [a is b for a, b in zip(entered, left)]
        after = loop.tensors_after(left)
        following = step(own) if step is not None else []
        return [*([convert_to_tensor(True)] if flags else []), *following, *after]

    try:
        outputs = build_while(
            traced_test,
            traced_body,
            [*prefix, *initial],
            names=["the loop's flag"] * len(flags) + extra_names + labels,
            invariants=invariants,
            maximum_iterations=opts.get("maximum_iterations"),
            parallel_iterations=opts.get("parallel_iterations", 10),
            advice=_ADVICE,
        )
    except _Grown as grown:
        current_graph().rollback(mark)
        set_state(_with_staged_list(before, grown, names))
        return _run_loop(test, body, extra, extra_names, get_state, set_state, names, opts, learned, step)
    except BaseException:
        set_state(before)
        raise
    _note_exit(outputs)
    if starters:
        _must_run(outputs[0], starters)
    for i in loop.filled:
        if st.is_undefined_return(before[i]):
            missing = MissingReturn("loop")
            at = count + sum(len(st.leaves_of(loop.likes[j])) for j in loop.carried if j < i)
            for tensor in outputs[at : at + len(st.leaves_of(loop.likes[i]))]:
                tensor.value.info = missing
    results = loop.with_tensors(list(outputs[count:]))
    set_state(
        tuple(
            containers.put_back(old, new) if same else new
            for old, new, same in zip(before, results, kept or [False] * len(before))
        )
    )
    return list(outputs[len(flags) : count])


def _note_exit(outputs: list[SymbolicTensor]) -> None:
    """A loop that only stops when a flag is set leaves it set: `while True` with a `return` inside always returns."""
    if not outputs:
        return
    cond_graph = outputs[0].value.node.attrs["cond"]
    test = _root(cond_graph.outputs[0])
    if test.node.type == "LogicalNot":
        flag = _root(test.node.inputs[0])
        for i, value in enumerate(cond_graph.inputs[2 : 2 + len(outputs)]):
            if value is flag:
                outputs[i].value._static = _BOOLS[True]


def _with_staged_list(before: tuple[Any, ...], grown: _Grown, names: Names) -> tuple[Any, ...]:
    old = before[grown.index]
    if st.is_variable(old):
        return (*before[: grown.index], convert_to_tensor(old), *before[grown.index + 1 :])
    pattern = grown.after if isinstance(grown.after, StagedList) else learned_list(old, grown.after)
    if pattern is None:
        raise errors.LoopVariableError(
            errors.at_user_line(
                f"{names[grown.index]!r} is a list of {len(old)} elements before the loop, and of another length after one "
                "iteration. A list that grows in a staged loop holds tensors of one dtype; its elements are "
                + ", ".join(dict.fromkeys(st.type_text(v) for v in [*old, *grown.after]))
            )
        )
    out = list(before)
    out[grown.index] = StagedList.of(old, pattern.dtype, pattern.dims)
    return tuple(out)


def _invariants(
    opts: Mapping[str, Any],
    loop: _LoopState,
    names: Names,
    before: tuple[Any, ...],
    learned: dict[int, Any],
    prefix: int,
) -> list[Any]:
    given: dict[int, Any] = {}
    for variable, shape in opts.get("shape_invariants", ()):
        for i, value in enumerate(before):
            if value is variable or (
                isinstance(value, structure.Composite)
                and isinstance(variable, structure.Composite)
                and value is variable
            ):
                given[i] = shape
    out: list[Any] = [None] * prefix
    for i in loop.carried:
        leaves = st.leaves_of(loop.likes[i])
        if i in given:
            out += _given_dims(given[i], len(leaves))
        elif i in learned:
            out += [TensorShape(_learned_dims(v)) for v in st.leaves_of(learned[i])]
        else:
            out += [None] * len(leaves)
    return out


def _given_dims(shape: Any, count: int) -> list[Any]:
    shapes = structure.flatten(shape) if isinstance(shape, (list, tuple)) and count > 1 else [shape]
    return [TensorShape(getattr(s, "shape", s)) for s in shapes]


def _learned_dims(leaf: Any) -> Dims:
    return leaf.dims if isinstance(leaf, Tensor) else dims_of(getattr(leaf, "shape", ()))


def for_stmt(
    iter_: Any,
    extra_test: Callable[[], Any] | None,
    body: Callable[[Any], Any],
    get_state: Any,
    set_state: Any,
    names: Names,
    opts: Mapping[str, Any],
) -> None:
    """Records the loop over a symbolic tensor, a range, or another staged iterable."""
    iterable = staged_iterable(iter_)
    before = get_state()

    def once() -> None:
        with_index = [_stand_in(current_graph(), t) for t in iterable.begin()]
        body(iterable.item(with_index))

    learned = learn(once, names, before, get_state, set_state)
    none_first = [i for i in learned if before[i] is None]
    if none_first:
        start = iterable.begin()
        _must_run(iterable.more(start), [names[i] for i in none_first])
        body(iterable.item(start))
        iterable = iterable.after(iterable.following(start))
        if extra_test is not None:
            first_extra = condition(extra_test(), "for loop")
            iterable = iterable.only_if(first_extra)

    def test(own: list[Any]) -> Any:
        more = iterable.more(own)
        if extra_test is None:
            return more
        return ops.cond(more, lambda: condition_of(extra_test), lambda: convert_to_tensor(False))

    if none_first:
        learned = learn(once, names, get_state(), get_state, set_state)
    _run_loop(
        test,
        lambda own: body(iterable.item(own)),
        iterable.begin(),
        iterable.labels,
        get_state,
        set_state,
        names,
        opts,
        learned,
        iterable.following,
    )


def condition_of(extra_test: Callable[[], Any]) -> Any:
    """The value of a loop's extra test as a bool tensor."""
    return condition(extra_test(), "for loop")


def return_value(value: Any, did_return: Any) -> Any:
    """What a converted function returns when whether it did so is symbolic.

    Raises:
      BranchMismatchError: on some path the function ends without a `return`.
    """
    if st.is_undefined_return(value):
        return None
    known = static_value(did_return.value) if isinstance(did_return, SymbolicTensor) else None
    if known is not None and bool(known):
        return value
    missing = None
    for leaf in st.leaves_of(value) if st.is_stageable(value) else []:
        if isinstance(leaf, SymbolicTensor) and isinstance(_root_info(leaf.value), MissingReturn):
            missing = _root_info(leaf.value)
    if missing is None:
        return value
    where = "" if missing.location is None else "\n  at {}:{}".format(*missing.location)
    raise errors.BranchMismatchError(
        f"the {missing.branch} branch must also have a return statement: the function returns {st.type_text(value)} on "
        "one path, and reaches its end without `return` on another, where Python returns None, which a graph cannot "
        f"carry. Add a `return` of the same type at the end of the function.{where}"
    )


def _root_info(value: Any) -> Any:
    while value.info is None and value.node.type == "Identity":
        value = value.node.inputs[0]
    return value.info
