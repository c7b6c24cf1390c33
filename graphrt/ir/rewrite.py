"""Helpers for passes: who uses a value, replacing values, dropping nodes, putting nodes in order.

    uses = users(graph)
    for node in matching(graph, "Identity"):
        replace(graph, node.outputs[0], node.inputs[0])
    remove(graph, dead)
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping

from graphrt.errors import InternalError
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.op import READS, STATEFUL


def users(graph: Graph) -> dict[Value, list[Node]]:
    """For each value that some node takes, those nodes, in order (a node twice when it takes the value twice)."""
    found: dict[Value, list[Node]] = {}
    for node in graph.nodes:
        for value in node.inputs:
            found.setdefault(value, []).append(node)
    return found


def matching(graph: Graph, *types: str) -> Iterator[Node]:
    """The nodes of these op types; the list may be changed while it is walked."""
    return iter([n for n in graph.nodes if n.type in types])


def replace_all(graph: Graph, mapping: Mapping[Value, Value]) -> bool:
    """Puts `mapping[v]` (followed to its end) in the place of each `v`, as input and as output; whether any was used."""
    if not mapping:
        return False

    def end(value: Value) -> Value:
        seen = set()
        while value in mapping:
            if value in seen:
                raise InternalError(None, None, f"{value.name} is to be replaced by itself")
            seen.add(value)
            value = mapping[value]
        return value

    changed = False
    for node in graph.nodes:
        if any(v in mapping for v in node.inputs):
            node.inputs = [end(v) for v in node.inputs]
            changed = True
    if any(v in mapping for v in graph.outputs):
        graph.outputs = [end(v) for v in graph.outputs]
        changed = True
    graph.version += changed
    return changed


def replace(graph: Graph, old: Value, new: Value) -> bool:
    """Puts `new` in the place of `old` everywhere; whether it was used."""
    return replace_all(graph, {old: new})


def remove(graph: Graph, nodes: Iterable[Node]) -> bool:
    """Drops nodes that nobody uses; whether there was any.

    Raises:
      InternalError: an output of one is still used.
    """
    gone = set(nodes)
    if not gone:
        return False
    for node in graph.nodes:
        if node not in gone:
            for value in node.inputs:
                if value.node in gone:
                    raise InternalError(None, None, f"{value.name} is removed, but {node.name!r} takes it")
            if any(c in gone for c in node.controls):
                node.controls = [c for c in node.controls if c not in gone]
    for value in (*graph.outputs, *graph.inputs):
        if value.node in gone:
            raise InternalError(None, None, f"{value.name} is removed, but the graph takes or returns it")
    graph.nodes = [n for n in graph.nodes if n not in gone]
    graph.version += 1
    return True


def needed(graph: Graph) -> set[Node]:
    """The nodes that outputs and effects need (inputs, too: they are the signature)."""
    found: set[Node] = set()
    waiting = [v.node for v in (*graph.outputs, *graph.inputs)]
    waiting += [n for n in graph.nodes if STATEFUL in n.op.traits and READS not in n.op.traits]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += [v.node for v in node.inputs]
            waiting += node.controls
    return found


def topological(nodes: Iterable[Node]) -> list[Node]:
    """`nodes` ordered so that each stands after those it takes values from; otherwise as they stood.

    Raises:
      InternalError: there is a cycle.
    """
    given = list(nodes)
    position = {n: i for i, n in enumerate(given)}
    before: dict[Node, set[Node]] = {
        n: {p for p in (*(v.node for v in n.inputs), *n.controls) if p in position} for n in given
    }
    after: dict[Node, list[Node]] = {}
    for node, waits in before.items():
        for other in waits:
            after.setdefault(other, []).append(node)
    ready = [i for i, n in enumerate(given) if not before[n]]
    heapq.heapify(ready)
    done: list[Node] = []
    while ready:
        node = given[heapq.heappop(ready)]
        done.append(node)
        for follower in after.get(node, ()):
            before[follower].discard(node)
            if not before[follower]:
                heapq.heappush(ready, position[follower])
    if len(done) != len(given):
        stuck = min((n.name for n in given if before[n]), default="?")
        raise InternalError(None, None, f"the nodes depend on each other in a circle, through {stuck!r}")
    return done
