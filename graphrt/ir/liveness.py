"""Which nodes of a graph have to run: those that outputs need, and those whose running somebody can tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.op import DRAWS, READS


def observable(node: Node) -> bool:
    """Whether somebody can tell that `node` ran, even when its outputs are not used."""
    return node.stateful and READS not in node.op.traits


def live_nodes(graph: Graph, outputs: Sequence[Value] | None = None) -> list[Node]:
    """The nodes of `graph` that `outputs` (all by default), effects or control edges need, in order."""
    return live_among(graph.nodes, {v.node for v in (graph.outputs if outputs is None else outputs)})


def live_among(nodes: Sequence[Node], wanted: set[Node]) -> list[Node]:
    """Those of `nodes`, in order, that `wanted` ones, which are added to, effects or control edges need."""
    kept: list[Node] = []
    for node in reversed(nodes):
        if node in wanted or observable(node):
            kept.append(node)
            for value in node.taken():
                wanted.add(value.node)
            if node.controls:
                wanted.update(node.controls)
    kept.reverse()
    return kept


def nested(graph: Graph) -> Iterator[Graph]:
    """The graphs that nodes of `graph` run in place, innermost first, and `graph` itself last."""
    for node in graph.nodes:
        if node.op.in_place:
            for _, inner in node.subgraphs():
                yield from nested(inner)
    yield graph


def draws(graph: Graph) -> bool:
    """Whether a node of the graph, or of one that nodes of it hold, draws from a stream of random numbers."""
    return any(node.op.has(DRAWS) for part in (graph, *graph.functions().values()) for node in part.nodes)


def pinned(graph: Graph) -> set[Node]:
    """The nodes of `graph` at either end of a control edge: passes leave them where and what they are."""
    found: set[Node] = set()
    for node in graph.nodes:
        if node.controls:
            found.add(node)
            found.update(node.controls)
    return found
