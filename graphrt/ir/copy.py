"""Copies of graphs, for rewriting: what the user traced stays what it was.

The graphs that a node runs in place (the branches of an `If`, condition and body of a `While`) are copied with it.
Graphs it calls are not: each of them is a program of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphrt.ir.graph import Graph, Node, Value, copy_static, take_names
from graphrt.ir.liveness import observable
from graphrt.ir.op import CONSTANT


def copy_graph(graph: Graph) -> Graph:
    """A copy of `graph` with the same names, types and locations; the nodes still show the same operations to users."""
    copy = Graph(graph.name)
    take_names(copy, graph)
    copy.is_foreign = graph.is_foreign
    copy.is_atomic = graph.is_atomic
    values: dict[Value, Value] = {}
    copy_nodes(graph.nodes, copy, values)
    copy.inputs = [values[v] for v in graph.inputs]
    copy.outputs = [values[v] for v in graph.outputs]
    return copy


def copy_nodes(nodes: list[Node], into: Graph, values: dict[Value, Value], prefix: str | None = None) -> list[Node]:
    """Copies `nodes` to the end of `into`; `values` says what stands for the values they take, and learns theirs.

    With a `prefix` (it may be empty) the copies get names of their own in `into`.
    """
    copied: dict[Node, Node] = {}
    if nodes and nodes[0].graph.is_foreign:
        into.is_foreign = True
    for node in nodes:
        name = node.name if prefix is None else into.unique_name(prefix + node.name)
        copy = Node(into, node.op, name, [values[v] for v in node.inputs], copy_attrs(node))
        for value in node.outputs:
            values[value] = made = copy_value(value, copy)
            copy.outputs.append(made)
        copy.location = node.location
        copy.handle = node.handle
        if node.controls:  # what has effects runs anyway, and nothing changes the order
            copy.controls = [copied[c] for c in node.controls if c in copied and not observable(c)]
        copied[node] = copy
        into.nodes.append(copy)
    return list(copied.values())


def copy_attrs(node: Node) -> dict[str, Any]:
    """The attributes of a copy of `node`: graphs run in place are copied, lists are new lists."""
    if node.op.only_type is not None or CONSTANT in node.op.traits:
        return node.attrs  # nobody changes them, and they are those of most nodes of a large graph
    if not node.op.in_place:
        return dict(node.attrs)
    attrs: dict[str, Any] = {}
    for key, value in node.attrs.items():
        if isinstance(value, Graph):
            attrs[key] = copy_graph(value)
        elif isinstance(value, list):
            attrs[key] = [copy_graph(v) if isinstance(v, Graph) else v for v in value]
        else:
            attrs[key] = value
    return attrs


def copy_value(value: Value, node: Node) -> Value:
    """A copy of `value` as an output of `node`."""
    copy = Value(node, value.index, value.dims, value.dtype)
    copy.info = value.info
    copy_static(value, copy)
    return copy


def substitute(graph: Graph, replaced: Mapping[Value, Value]) -> None:
    """Lets every use of a key of `replaced` use its value instead (chains are followed)."""

    def final(value: Value) -> Value:
        while value in replaced:
            value = replaced[value]
        return value

    if not replaced:
        return
    for node in graph.nodes:
        if any(v in replaced for v in node.inputs):
            node.inputs = [final(v) for v in node.inputs]
    graph.outputs = [final(v) for v in graph.outputs]
    graph.version += 1
