"""Puts the body of a small called function where the call was.

    %y = PartitionedCall(%x, f=double)          %y/add = AddV2(%x, %x)
    %z = Neg(%y)                          ->    %z = Neg(%y/add)

A call costs about as much as an op, and hides constants and common work from the other passes. Functions that may
call themselves, and big ones, stay calls: they are compiled once, when first called.
"""

from __future__ import annotations

from graphrt.ir.copy import copy_nodes, substitute
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import nested, pinned
from graphrt.ir.op import CALL
from graphrt.passes.rewrite import refine

SMALL = 100  # nodes of a function, with all it runs in place
GROWTH = 2_000  # nodes that one graph may gain


def inline_calls(graph: Graph) -> bool:
    """Replaces calls in `graph`, and in the graphs it runs in place, by what they call."""
    budget = whole = GROWTH + sum(len(inner.nodes) for inner in nested(graph))
    straight: set[Graph] = set()
    while True:  # an inlined body may hold calls, and graphs that hold calls
        before = budget
        for inner in list(nested(graph)):
            budget -= _inline(inner, budget, straight)
        if budget == before:
            return budget < whole


def _inline(graph: Graph, budget: int, straight: set[Graph]) -> int:
    chosen = [n for n in graph.nodes if n.op.structure == CALL and _worth_inlining(n, straight)]
    if not chosen:
        return 0
    kept = pinned(graph)
    replaced: dict[Value, Value] = {}
    wanted = set(chosen) - kept
    nodes, graph.nodes = graph.nodes, []
    gained = 0
    for node in nodes:
        callee: Graph = node.attrs["f"] if node in wanted else graph
        if node not in wanted or gained + _size(callee, SMALL) > budget:
            graph.nodes.append(node)
            continue
        values = dict(zip(callee.inputs, node.inputs, strict=True))
        parameters = {v.node for v in callee.inputs}
        body = [n for n in callee.nodes if n not in parameters]
        copy_nodes(body, graph, values, prefix=f"{node.name}/")
        gained += _size(callee, SMALL)
        for value, inner in zip(node.outputs, callee.outputs, strict=True):
            replaced[value] = values[inner]
            refine(values[inner], value)
    substitute(graph, replaced)
    return gained


def _worth_inlining(node: Node, straight: set[Graph]) -> bool:
    callee = node.attrs.get("f")
    if not isinstance(callee, Graph) or not getattr(callee, "finished", True) or callee.is_atomic:
        return False
    return _size(callee, SMALL) <= SMALL and not is_recursive(callee, straight)


def _size(graph: Graph, limit: int) -> int:
    size = 0
    for inner in nested(graph):
        size += len(inner.nodes)
        if size > limit:
            break
    return size


def is_recursive(graph: Graph, straight: set[Graph] | None = None) -> bool:
    """Whether running `graph` may come back to itself, or to another function that does.

    `straight` are graphs that do not; it learns more of them.
    """
    active: set[Graph] = set()
    done = set() if straight is None else straight

    def visit(at: Graph) -> bool:
        if at in done:
            return False
        active.add(at)
        for node in at.nodes:
            for _, inner in node.subgraphs():
                if inner in active or visit(inner):
                    return True
        active.discard(at)
        done.add(at)
        return False

    return visit(graph)
