"""What the two sides of a staged statement must agree on, found from the facts that conversion itself uses.

if x > 0:
    y = 1        AG421: 'y' is used afterwards, but one side does not set it
return y
"""

from __future__ import annotations

from typing import Any

import gast

from autograph import errors
from autograph.backends.protocol import Handles
from autograph.checking.function import FunctionCheck, breaks, text_of
from autograph.converters.stays import frame_nodes
from autograph.pyct.analysis.cfg import ControlFlow
from autograph.pyct.analysis.liveness import Liveness
from autograph.pyct.analysis.reaching_defs import MayBeSet, must_be_set
from autograph.pyct.nodes import DEF_NODES, Node

_NUMBERS = {"bool", "int", "float", "complex"}
_CHOICES = ("conditional expression", "and", "or")


def check_agreement(check: FunctionCheck) -> None:
    """Adds the findings about variables, results and recursion of a function that has been walked."""
    if not isinstance(check.node, DEF_NODES):
        return
    _recursion(check)
    if not (check.branches or check.loops):
        return
    _variables(check)
    for node in check.branches:
        _two_sides(check, node)
    for node in check.loops:
        _from_turn_to_turn(check, node)
    _results(check)


def _variables(check: FunctionCheck) -> None:
    """Variables that are used after a branch, were not set before it, and are not surely set by it."""
    if not check.branches:
        return
    facts = check.facts
    graph = facts.get(ControlFlow, check.node)
    live, may = facts.get(Liveness, check.node), facts.get(MayBeSet, check.node)
    must = must_be_set(graph, {}, {})
    inner: int = 0
    for node in reversed(check.branches):  # inner ones first: the innermost that is at fault is the one to mend
        block = graph.blocks.get(node)
        if block is None:
            continue
        unset = block.modified & graph.locals & live[block.after] & ~may[block.entry] & ~must[block.after] & ~inner
        for symbol in graph.symbols.listed(unset):
            if Handles.UNSET_VARIABLES in check.backend.handles and not _is_read_beside(check, node, symbol.text):
                continue
            check.found(
                errors.OneBranchVariableFinding,
                node,
                f"'{symbol.text}' is used after the `if` on `{text_of(node.test)}`, but one side of it does not set it",
                f"set '{symbol.text}' before the `if`, or on both sides",
            )
        inner |= unset


def _is_read_beside(check: FunctionCheck, node: Node, name: str) -> bool:
    """Whether a variable is read after a branch where that stands, rather than in further staged statements."""
    around = check.places[node]
    return any(n == name and line > node.end_lineno and around[: len(at)] == at for n, line, at in check.reads)


# None and numbers of two types


def _value_set(body: list[Any], name: str) -> Any:
    """The value that the last statement of a block to set `name` gives it; None if that is not to be seen."""
    for statement in reversed(body):
        if isinstance(statement, gast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, gast.Name) and target.id == name:
                return statement.value
        if name in _bound_in([statement]):
            return None
    return None


def _bound_in(body: list[Any]) -> set[str]:
    return {n.id for n in frame_nodes(body) if isinstance(n, gast.Name) and isinstance(n.ctx, (gast.Store, gast.Del))}


def _kind(value: Any, known: dict[str, str | None] | None = None) -> str | None:
    """What a value is, where its text shows it: a type of numbers, None, or None for anything else.

    `known`: what names are.
    """
    if isinstance(value, gast.UnaryOp) and isinstance(value.op, (gast.USub, gast.UAdd)):
        return _kind(value.operand, known)
    if isinstance(value, gast.Name):
        return (known or {}).get(value.id)
    if isinstance(value, gast.BinOp) and isinstance(value.op, (gast.Add, gast.Sub, gast.Mult, gast.Div)):
        sides = {_kind(value.left, known), _kind(value.right, known)}
        if not sides <= {"int", "float", "complex"}:
            return None
        if "complex" in sides:
            return "complex"
        return "float" if "float" in sides or isinstance(value.op, gast.Div) else "int"
    if not isinstance(value, gast.Constant):
        return None
    return type(value.value).__name__ if isinstance(value.value, (bool, int, float, complex, str, type(None))) else None


def _before(check: FunctionCheck, node: Node, name: str) -> Node:
    siblings = check.siblings.get(node, [])
    return _value_set(siblings[: siblings.index(node)], name) if node in siblings else None


def _live_after(check: FunctionCheck, node: Node) -> set[str]:
    graph = check.facts.get(ControlFlow, check.node)
    block = graph.blocks.get(node)
    if block is None:
        return set()
    return {s.text for s in graph.symbols.listed(check.facts.get(Liveness, check.node)[block.after])}


def _two_sides(check: FunctionCheck, node: Node) -> None:
    sides = _bound_in(node.body), _bound_in(node.orelse)
    used = _live_after(check, node)
    for name in sorted((sides[0] | sides[1]) & used):
        first = _value_set(node.body, name) if name in sides[0] else _before(check, node, name)
        second = _value_set(node.orelse, name) if name in sides[1] else _before(check, node, name)
        if first is not None and second is not None and not _leaves(node.body) and not _leaves(node.orelse):
            where = f"the `if` on `{text_of(node.test)}`"
            _compare(check, node, name, first, second, f"on one side of {where}", "on the other")


def _from_turn_to_turn(check: FunctionCheck, node: Node) -> None:
    word = "while" if isinstance(node, gast.While) else "for"
    for name in sorted(_bound_in(node.body)):
        start = _before(check, node, name)
        if start is None:
            continue
        end = _value_set(node.body, name)
        for inner in frame_nodes(node.body):
            if (
                end is None
                and isinstance(inner, gast.Assign)
                and any(isinstance(t, gast.Name) and t.id == name for t in inner.targets)
            ):
                end = inner.value
            elif isinstance(inner, gast.AugAssign) and isinstance(inner.target, gast.Name) and inner.target.id == name:
                if isinstance(inner.op, gast.Div):
                    end = gast.Constant(0.0, None)
                elif _kind(inner.value) in ("float", "complex"):
                    end = inner.value
        if isinstance(end, gast.BinOp) and _kind(end, {name: _kind(start)}) in ("float", "complex"):  # x = x + 0.5
            end = gast.Constant(0.0 if _kind(end, {name: _kind(start)}) == "float" else 0j, None)
        if _kind(start) == "NoneType" and Handles.NONE_BEFORE_LOOPS in check.backend.handles:
            continue
        if end is not None:
            _compare(check, node, name, start, end, f"before the `{word}`", "in its body")


def _compare(check: FunctionCheck, node: Node, name: str, first: Node, second: Node, here: str, there: str) -> None:
    kinds = _kind(first), _kind(second)
    if (kinds[0] == "NoneType") != (kinds[1] == "NoneType"):
        if Handles.NONE in check.backend.handles:
            return
        if kinds[0] != "NoneType" and not there.startswith("on the other"):
            here, there = there, here
        check.found(
            errors.NoneInStateFinding,
            node,
            f"'{name}' is None {here} and has a value {there}",
            f"give '{name}' a value of the same type in both places",
        )
    elif Handles.NUMBERS in check.backend.handles and {*kinds} <= _NUMBERS:
        return
    elif None not in kinds and kinds[0] != kinds[1]:
        check.found(
            errors.TypeChangeFinding,
            node,
            f"'{name}' is of type {kinds[0]} {here} and of type {kinds[1]} {there}",
            f"give '{name}' one type, such as by writing {_same_type(first, second)}",
        )


def _same_type(first: Node, second: Node) -> str:
    for value in (first, second):
        if _kind(value) == "int" and "float" in (_kind(first), _kind(second)):
            return f"`{text_of(value)}.0`"
    return "a constant of the other type"


# Results


def _leaves(body: list[Any]) -> bool:
    """Whether a block surely does not reach its end."""
    return any(_jumps_away(statement) for statement in body)


def _jumps_away(node: Node) -> bool:
    if isinstance(node, (gast.Return, gast.Raise, gast.Break, gast.Continue)):
        return True
    if isinstance(node, gast.If):
        return _leaves(node.body) and _leaves(node.orelse)
    if isinstance(node, (gast.With, gast.AsyncWith)):
        return _leaves(node.body)
    if isinstance(node, (gast.Try, gast.TryStar)):
        if _leaves(node.finalbody):
            return True
        return (_leaves(node.body) or _leaves(node.orelse)) and all(_leaves(h.body) for h in node.handlers)
    if isinstance(node, gast.While) and isinstance(node.test, gast.Constant) and node.test.value:
        return not breaks(node.body)
    if isinstance(node, gast.Match):
        last = node.cases[-1]
        whole = isinstance(last.pattern, gast.MatchAs) and last.pattern.pattern is None and last.guard is None
        return whole and all(_leaves(case.body) for case in node.cases)
    return False


def _is_none(node: Node) -> bool:
    return node.value is None or (isinstance(node.value, gast.Constant) and node.value.value is None)


def _results(check: FunctionCheck) -> None:
    """A value on one path and None on another."""
    nodes = frame_nodes(check.node.body)
    if any(isinstance(n, (gast.Yield, gast.YieldFrom)) for n in nodes):
        return
    staged = (*check.branches, *check.loops)
    within = {n for block in staged for n in frame_nodes([*block.body, *block.orelse]) if isinstance(n, gast.Return)}
    returns = [n for n in nodes if isinstance(n, gast.Return)]
    values = [n for n in returns if not _is_none(n)]
    nones = [n for n in returns if _is_none(n)]
    if not values or (nones and Handles.NONE in check.backend.handles):
        return
    for node in sorted((n for n in nones if n in within), key=lambda n: n.lineno):
        check.found(
            errors.OneBranchReturnFinding,
            node,
            "the function returns None here, under a condition that may be staged, and a value elsewhere",
            "return a value on every path",
        )
    inside = sorted((n for n in values if n in within), key=lambda n: n.lineno)
    if inside and (not _leaves(check.node.body) or any(n not in within for n in nones)):
        check.found(
            errors.OneBranchReturnFinding,
            inside[0],
            "the function returns a value here, under a condition that may be staged, and None where it "
            "reaches its end or a bare `return`",
            "return a value on every path",
        )


def _recursion(check: FunctionCheck) -> None:
    """A function that calls itself."""
    if not check.branches and not any(c.what in _CHOICES and c.meaning == "staged" for c in check.report.constructs):
        return
    if check.is_recursive or Handles.RECURSION in check.backend.handles:
        return
    name = check.node.name
    args = check.node.args
    first = next((a.id for a in (*args.posonlyargs, *args.args)), None)
    for node in sorted((n for n in frame_nodes(check.node.body) if isinstance(n, gast.Call)), key=lambda n: n.lineno):
        own = isinstance(node.func, gast.Name) and node.func.id == name and check.owner is None
        if check.owner is not None and isinstance(node.func, gast.Attribute) and node.func.attr == name:
            own = isinstance(node.func.value, gast.Name) and node.func.value.id in (first, check.owner)
        arguments = (*node.args, *(k.value for k in node.keywords))
        if own and name not in check.plain.local and not all(map(check.plain.is_plain, arguments)):
            check.found(
                errors.RecursionFinding,
                node,
                f"'{name}' calls itself until a condition holds that may be staged: staging it never ends",
                "write a loop",
            )
            return
