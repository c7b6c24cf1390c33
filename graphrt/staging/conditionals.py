"""A staged `if`: both branches are traced with the same state before, and become one conditional."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.backends import Undefined
from graphrt import errors
from graphrt.control_flow.branches import If, StatelessIf, body_graph, build_branches, staged_cond
from graphrt.ir.op import ops
from graphrt.staging.aliases import stands_for, statement, watching
from graphrt.staging.conditions import condition, note_certain_flags
from graphrt.staging.containers import Copies, put_back
from graphrt.staging.lists import StagedList
from graphrt.staging.loop_state import is_too_early
from graphrt.staging.plans import Branch, Names, Planner
from graphrt.staging.raising import is_raised, never
from graphrt.staging.side_effects import Discovered, Ledger, copy_of, refill, side_effect, undone_on_error, watched
from graphrt.tensor.context import building, current_graph
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.trace import identity
from graphrt.tensor.weak import weak_tensor


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
    with statement(get_state):
        _if_stmt(cond, body, orelse, get_state, set_state, names, nouts)


def _if_stmt(
    cond: Any, body: Callable[[], Any], orelse: Callable[[], Any], get_state: Any, set_state: Any, names: Names, nouts: int
) -> Any:  # fmt: skip
    pred = condition(cond, "if statement")
    scope = current_graph().unique_name("cond")
    before = get_state()
    ledger = watching(Ledger((body, orelse)))
    mark = current_graph().checkpoint()
    # A branch that cannot be traced yet is left out: this trace only asks for types, which the other branch knows.
    try:
        then = _trace_branch("true", scope, body, before, get_state, set_state, ledger)
    except errors.UnknownResultError:
        return orelse()
    except Exception as error:
        if is_too_early(error):
            return orelse()
        if not is_raised(error):
            raise
        current_graph().rollback(mark)
        never(pred, error)
        return orelse()
    try:
        other = _trace_branch("false", scope, orelse, before, get_state, set_state, ledger)
    except errors.UnknownResultError:
        return body()
    except Exception as error:
        if is_too_early(error):
            return body()
        if not is_raised(error):
            raise
        current_graph().rollback(mark)
        never(ops.LogicalNot(pred), error)
        return body()
    _settle_bags(then, other)
    planner = Planner(names, before, then, other)
    plans = planner.plans(nouts)
    with building(then.graph):
        _fill_outputs(then.graph, [(planner.names[i], p.then_leaves) for i, p in plans.items()])
    with building(other.graph):
        _fill_outputs(other.graph, [(planner.names[i], p.else_leaves) for i, p in plans.items()])
    outputs = build_branches(
        (StatelessIf, If), lambda g: {"then_branch": g[0], "else_branch": g[1]}, pred, [then.graph, other.graph], scope
    )
    note_certain_flags(pred, then.graph, other.graph, outputs)
    at = 0
    results = list(before)
    for i, plan in plans.items():
        count = len(plan.then_leaves)
        result = plan.result(outputs[at : at + count])
        at += count
        if i >= len(results):
            planner.set_place(i - len(results), result)
        elif planner.in_place[i] and isinstance(result, StagedList):
            first = next(j for j in range(i + 1) if before[j] is before[i] and planner.in_place[j])
            results[i] = _list_after(before[i], result) if first == i else results[first]
        else:
            results[i] = result
    set_state(tuple(results))


def _list_after(old: Any, new: StagedList) -> StagedList:
    """What stands for a list that both branches kept, and perhaps changed: the very list where that can be."""
    found: StagedList = put_back(old, new) if isinstance(old, StagedList) else stands_for(old, new)
    return found


def choice(pred: Any, if_true: Callable[[], Any], if_false: Callable[[], Any], labels: tuple[str, str]) -> Any:
    """Records an expression that evaluates one of two: `x if c else y`, `a and b`; messages call them by `labels`."""
    graph = current_graph()
    mark = graph.checkpoint()
    ledger = Ledger((if_true, if_false))
    try:
        with statement(tuple):
            watching(ledger)
            return staged_cond(pred, watched(if_true, ledger), watched(if_false, ledger), None, labels)
    except Discovered:  # they do more than give a value: then this is a statement
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


def _trace_branch(
    kind: str, scope: str, branch: Callable[[], Any], before: tuple[Any, ...], get_state: Any, set_state: Any,
    ledger: Ledger,
) -> Branch:  # fmt: skip
    graph = body_graph(kind, scope)
    copies = Copies(before)
    with building(graph), undone_on_error(ledger):
        try:
            set_state(copies.state)  # a branch that does not run must not have changed them
            branch()
            after = get_state()
        finally:
            set_state(before)
    changed = [(place, copy_of(place.get())) for place in ledger.changes()]
    ledger.restore([place for place, _ in changed])
    bags = ledger.refused()
    kept = [(bag, before, label, None if before is None else type(bag)(bag)) for bag, before, label in bags]
    for bag, before, _, _ in kept:
        if before is not None:
            refill(bag, before)
    return Branch(graph, after, copies, changed, kept)


def _settle_bags(then: Branch, other: Branch) -> None:
    """What both branches change in the same way is changed; a graph cannot carry more.

    Raises:
      SideEffectError: the branches differ.
    """
    for bag, before, label, made in [*then.bags, *other.bags]:
        elsewhere = [b for b in (other if any(b[0] is bag for b in then.bags) else then).bags if b[0] is bag]
        if before is None or not elsewhere or elsewhere[0][3] != made:
            raise side_effect(bag, label, "branch")
        refill(bag, made)


def _fill_outputs(graph: FuncGraph, variables: list[tuple[str, list[Any]]]) -> None:
    graph.outputs = [identity(graph, weak_tensor(leaf, name)).value for name, leaves in variables for leaf in leaves]
    graph.finished = True
