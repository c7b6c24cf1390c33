"""A staged `if`: both branches are traced with the same state before, and become one conditional."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.backends import Undefined
from autograph.backends.state import Contents, State, recording
from graphrt import errors
from graphrt.control_flow.branches import If, StatelessIf, body_graph, build_branches, staged_cond
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.staging import journal
from graphrt.staging.aliases import Joined, now, now_lost
from graphrt.staging.branch_outputs import Branch, Names, Planner
from graphrt.staging.closing import has_objects, is_of_python
from graphrt.staging.known import known_flag, known_here, note_certain_flags
from graphrt.staging.loop_state import is_too_early
from graphrt.staging.maybe_none import MaybeNone
from graphrt.staging.raising import all_or_nothing, is_raised, never
from graphrt.staging.truths import condition
from graphrt.staging.values import has_mutable
from graphrt.tensor.context import building, current_graph
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import Tensor
from graphrt.tensor.trace import identity
from graphrt.tensor.weak import weak_tensor
from graphrt.types.likes import TensorLike


@all_or_nothing
def if_stmt(
    cond: TensorLike,
    body: Callable[[], Any],
    orelse: Callable[[], Any],
    get_state: Callable[..., Any],
    set_state: Callable[..., Any],
    names: Names,
    nouts: int,
) -> None:
    """Records the statement; afterwards the state holds the outputs of the conditional."""
    pred = condition(cond, "if statement")
    known = known_here(pred) if known_flag(pred) is None else None  # what is constant is staged nevertheless
    if known is not None:  # by what is around it
        (body if known else orelse)()
        return
    _Conditional(pred, body, orelse, State(get_state, set_state, names, nouts)).record()


class _Conditional:
    """One statement while it is traced.

    Attributes:
      forced: keys of the places that are to be carried whatever one of the branches does there.
      settled: what the branches did that is Python's own business, and stays.
      since: what the trace's clock showed before the statement.
    """

    def __init__(self, pred: Tensor, body: Callable[[], Any], orelse: Callable[[], Any], state: State) -> None:
        self.pred, self.body, self.orelse, self.state = pred, body, orelse, state
        self.scope = current_graph().unique_name("cond")
        self.forced: set[object] = set()
        self.settled: list[Any] = []
        self.since = now()

    def record(self) -> None:
        """Traces both branches; a branch that cannot be traced yet is left out, as the other one tells the types."""
        mark = current_graph().checkpoint()
        known = known_flag(self.pred)
        for kind, branch, other, reached in (
            ("true", self.body, self.orelse, lambda: self.pred),
            ("false", self.orelse, self.body, lambda: ops.LogicalNot(self.pred)),
        ):
            try:
                traced = self._trace(kind, branch)
            except errors.UnknownResultError:
                self._undo()
                return other()
            except Exception as error:
                self._undo()
                if known is (kind == "false"):
                    current_graph().rollback(mark)  # it never runs: what is wrong with it here is nobody's concern
                    return other()
                if not is_raised(error):
                    if is_too_early(error):
                        return other()
                    raise
                current_graph().rollback(mark)
                never(reached(), error)
                return other()
            except BaseException:
                self._undo()
                raise
            if kind == "true":
                then = traced
        clash = {c.place.key for c in then.settled} & {c.place.key for c in traced.changed}
        if clash:  # Python did once, in the first branch, what has to depend on the condition
            self._undo()
            current_graph().rollback(mark)
            self.forced |= clash
            return self.record()
        return self._join(then, traced)

    def _undo(self) -> None:
        journal.undo(reversed(self.settled))
        self.settled.clear()

    def _trace(self, kind: str, branch: Callable[[], Any]) -> Branch:
        graph = body_graph(kind, self.scope, self.pred)
        with building(graph):
            run = self.state.run(branch, settled=lambda changes: journal.sort(changes, self.forced).python)
        changes = journal.dropped(run.changes)
        self.settled += run.settled
        return Branch(graph, run.values, changes, run.settled, run.lost)

    def _join(self, then: Branch, other: Branch) -> None:
        state = self.state
        planner = Planner(state.names, state.get(), then, other, self.since)
        plans = planner.plans(state.outputs)
        for branch, side in ((then, "then_leaves"), (other, "else_leaves")):
            with building(branch.graph):
                _fill_outputs(branch.graph, [(planner.names[i], getattr(p, side)) for i, p in plans.items()])
        outputs = build_branches(
            (StatelessIf, If), lambda g: {"then_branch": g[0], "else_branch": g[1]}, self.pred, [then.graph, other.graph],
            self.scope,
        )  # fmt: skip
        note_certain_flags(self.pred, then.graph, other.graph, outputs)
        at = 0
        results = list(planner.before)
        joined = Joined(planner.ends)
        count = len(state.names)
        for i, plan in plans.items():
            leaves = outputs[at : at + len(plan.then_leaves)]
            whole = i < count or not isinstance(planner.places[i - count], Contents)
            results[i] = joined.settled(planner.names[i], plan.result(leaves), *planner.left[i], whole)
            at += len(leaves)
        for i in sorted(plans):
            if i >= count:
                journal.settle(planner.places[i - count], results[i])
        now_lost(planner.ends[0].losses | planner.ends[1].losses)
        state.set(tuple(results[:count]))
        joined.guard()
        journal.warn(self.settled, "branch")


@all_or_nothing
def choice(pred: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], labels: tuple[str, str]) -> Any:
    """Records an expression that evaluates one of two: `x if c else y`, `a and b`; messages call them by `labels`."""
    graph = current_graph()
    mark = graph.checkpoint()
    try:
        results: list[Any] = []
        known = known_flag(pred)
        then, other = _told(if_true, results, known is False), _told(if_false, results, known is True)
        return staged_cond(pred, then, other, None, labels)
    except _LeftOut as left:
        graph.rollback(mark)
        return (if_false if left.function is if_true else if_true)()
    except _Writes:  # they do more than give a value: then this is a statement
        graph.rollback(mark)
    result: list[Any] = [Undefined("the value")]

    def take(function: Callable[[], Any]) -> Callable[[], None]:
        def run() -> None:
            result[0] = function()

        return run

    def set_state(values: tuple[Any, ...]) -> None:
        result[:] = values

    if_stmt(pred, take(if_true), take(if_false), lambda: tuple(result), set_state, ("the value",), 1)
    return result[0]


class _Writes(Exception):
    """An operand changes objects, or gives one, such as a list, which may have other names; or one of two gives None."""


class _LeftOut(Exception):
    """An operand, `function`, fails that is never evaluated, or not before the loop around is traced again."""

    def __init__(self, function: Callable[[], Any]) -> None:
        super().__init__()
        self.function = function


def _told(function: Callable[[], Any], results: list[Any], never: bool) -> Callable[[], Any]:
    """`function`, which raises `_Writes` when it changes anything or gives an object; nothing is changed then.

    Nor is it when it fails; `never` says that it is not called when the graph runs.
    """

    def call() -> Any:
        with recording() as book:
            try:
                result = function()
            except BaseException as error:
                book.undo()
                if isinstance(error, Exception) and (never or (not is_raised(error) and is_too_early(error))):
                    raise _LeftOut(function) from None
                raise
            if book.changes():
                book.undo()
                raise _Writes
            if has_objects(result) or is_of_python(result) or has_mutable(result) or isinstance(result, MaybeNone):
                raise _Writes
            if any((result is None) != (other is None) for other in results):
                raise _Writes
            results.append(result)
        return result

    return call


def _fill_outputs(graph: FuncGraph, variables: list[tuple[str, list[Any]]]) -> None:
    graph.outputs = [identity(graph, weak_tensor(leaf, name)).value for name, leaves in variables for leaf in leaves]
    graph.finish()
