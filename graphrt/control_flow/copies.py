"""Copies of nodes that gradients can still be taken of: the graphs they hold are copied as graphs under construction."""

from __future__ import annotations

from typing import Any

from graphrt.ir.copy import copy_value
from graphrt.ir.graph import Graph, Node, Value, take_names
from graphrt.ir.liveness import observable
from graphrt.tensor.func_graph import FuncGraph, Placeholder
from graphrt.tensor.tensor import SymbolicTensor, tensor_of


def copy_function_nodes(nodes: list[Node], into: FuncGraph, values: dict[Value, Value]) -> None:
    """Copies those of `nodes` to the end of `into` whose inputs are all known in `values`, which learns their outputs."""
    known = set(values)
    for node in nodes:
        if node.op is Placeholder or any(v not in values for v in node.inputs) or known.issuperset(node.outputs):
            continue
        _copy_node(node, into, values, into.unique_name(node.name.rsplit("/", 1)[-1]))
    into.version += 1


def build_on(nodes: list[Node], outer: FuncGraph) -> None:
    """Makes the graphs that `nodes`, of `outer`, run in place to graphs under construction, which gradients extend."""
    for node in nodes:
        if node.op.in_place:
            _copy_bodies(node, outer, node)


def remember_copies(graph: Any, made: FuncGraph, values: dict[Value, Value]) -> None:
    """Lets gradient rules, which may hold values of `graph`, find what `values` says is in their place in `made`."""
    copies = dict(values)
    for original, copy in getattr(graph, "collections", {}).get("copies", {}).items():
        if copy in values:  # `graph` is a copy itself
            copies[original] = values[copy]
    for outer, inner in getattr(graph, "_captures", {}).values():  # rules may hold what was captured, too
        if isinstance(outer, SymbolicTensor) and inner.value in values:
            copies[outer.value] = values[inner.value]
    made.collections["copies"] = copies
    made.collections["custom_gradients"] = getattr(graph, "collections", {}).get("custom_gradients", [])


def _copy_node(node: Node, into: FuncGraph, values: dict[Value, Value], name: str) -> Node:
    copy = Node(into, node.op, name, [values[v] for v in node.inputs], dict(node.attrs))
    copy.location = node.location
    copy.handle = node.handle
    if node.op.in_place:
        _copy_bodies(node, into, copy)
    copy.outputs = []
    for value in node.outputs:
        known = values.get(value)
        made = copy_value(value, copy)
        copy.outputs.append(made)
        if known is None:  # what was given stays as it was given
            values[value] = made
    into.nodes.append(copy)
    return copy


def _copy_bodies(node: Node, outer: FuncGraph, copy: Node) -> None:
    for key, attr in node.attrs.items():
        if isinstance(attr, Graph):
            copy.attrs[key] = _copy_body(attr, outer, copy)
        elif isinstance(attr, list):
            copy.attrs[key] = [_copy_body(g, outer, copy) if isinstance(g, Graph) else g for g in attr]


def _copy_body(graph: Any, outer: FuncGraph, parent: Node) -> FuncGraph:
    made = FuncGraph(graph.name, outer=outer)
    take_names(made, graph)
    made.is_foreign = graph.is_foreign
    made.parent_node = parent
    values: dict[Value, Value] = {}
    copies = dict(zip(graph.nodes, [_copy_node(n, made, values, n.name) for n in graph.nodes]))
    for node, copy in copies.items():
        if node.controls:
            copy.controls = [copies[c] for c in node.controls if c in copies and not observable(c)]
    made.inputs = [values[v] for v in graph.inputs]
    made.outputs = [values[v] for v in graph.outputs]
    remember_copies(graph, made, values)
    for key, (given, inner) in getattr(graph, "_captures", {}).items():
        made._captures[key] = given, tensor_of(values[inner.value])
    made.variables_used = list(getattr(graph, "variables_used", []))
    made.finished = True
    return made
