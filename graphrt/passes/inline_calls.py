"""Puts the body of a small called function where the call was.

    %y = PartitionedCall(%x, f=double)          %y/add = AddV2(%x, %x)
    %z = Neg(%y)                          ->    %z = Neg(%y/add)

A call costs about as much as an op, and hides constants and common work from the other passes. Functions that may
call themselves, and big ones, stay calls: they are compiled once, when first called.
"""

from __future__ import annotations

from graphrt.ir.copy import copy_nodes, substitute
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import CALLS, nested, pinned
from graphrt.passes.rewrite import refine

SMALL = 100  # nodes of a function, with all it runs in place
GROWTH = 2_000  # nodes that one graph may gain


def inline_calls(graph: Graph) -> bool:
    """Replaces calls in `graph`, and in the graphs it runs in place, by what they call."""
    changed = False
    budget = GROWTH
    while True:  # an inlined body may hold calls, and graphs that hold calls
        gained = sum(_inline(inner, budget) for inner in list(nested(graph)))
        if not gained:
            return changed
        changed = True
        budget -= gained


def _inline(graph: Graph, budget: int) -> int:
    chosen = [n for n in graph.nodes if n.type in CALLS and _worth_inlining(n)]
    if not chosen:
        return 0
    kept = pinned(graph)
    replaced: dict[Value, Value] = {}
    wanted = set(chosen) - kept
    nodes, graph.nodes = graph.nodes, []
    gained = 0
    for node in nodes:
        if node not in wanted or gained > budget:
            graph.nodes.append(node)
            continue
        callee: Graph = node.attrs["f"]
        values = dict(zip(callee.inputs, node.inputs, strict=True))
        parameters = {v.node for v in callee.inputs}
        body = [n for n in callee.nodes if n not in parameters]
        copy_nodes(body, graph, values, prefix=f"{node.name}/")
        gained += len(body) + 1
        for value, inner in zip(node.outputs, callee.outputs, strict=True):
            replaced[value] = values[inner]
            refine(values[inner], value)
    substitute(graph, replaced)
    return gained


def _worth_inlining(node: Node) -> bool:
    callee = node.attrs.get("f")
    if not isinstance(callee, Graph) or not getattr(callee, "finished", True):
        return False
    return _size(callee, SMALL) <= SMALL and not is_recursive(callee)


def _size(graph: Graph, limit: int) -> int:
    size = 0
    for inner in nested(graph):
        size += len(inner.nodes)
        if size > limit:
            break
    return size


def is_recursive(graph: Graph) -> bool:
    """Whether running `graph` may come back to itself, or to another function that does."""
    active: set[Graph] = set()
    done: set[Graph] = set()

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
