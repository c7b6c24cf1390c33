"""Copies of graphs, for rewriting: what the user traced stays what it was.

The graphs that a node runs in place (the branches of an `If`, condition and body of a `While`) are copied with it.
Graphs it calls are not: each of them is a program of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphrt.ir.graph import Graph, Node, Value, copy_static, take_names
from graphrt.ir.liveness import observable, pinned
from graphrt.ir.op import CONSTANT


def copy_graph(graph: Graph, merge_numbers: bool = False) -> Graph:
    """A copy of `graph` with the same names, types and locations; the nodes still show the same operations to users.

    With `merge_numbers` constants that hold the same number are one, the first of them: most of a large graph's are.
    """
    copy = Graph(graph.name)
    take_names(copy, graph)
    copy.is_foreign = graph.is_foreign
    copy.is_atomic = graph.is_atomic
    values: dict[Value, Value] = {}
    copy_nodes(graph.nodes, copy, values, numbers=Numbers(graph) if merge_numbers else None)
    copy.inputs = [values[v] for v in graph.inputs]
    fixed = graph.fixed_inputs()
    copy.fix_inputs(frozenset(values[v] for v in graph.inputs if v in fixed))  # a capture may be an input no more
    copy.outputs = [values[v] for v in graph.outputs]
    return copy


class Numbers:
    """Which numbers a copy of a graph has as constants already."""

    __slots__ = ("_fixed", "_known")

    def __init__(self, graph: Graph) -> None:
        self._known: dict[tuple[int, bytes], Value] = {}
        self._fixed = pinned(graph)

    def known(self, node: Node, values: dict[Value, Value]) -> bool:
        """Whether a constant is there already: then `values` learns which."""
        array = node.attrs["value"]
        if not isinstance(array, np.generic) or node in self._fixed:
            return False
        value = node.outputs[0]
        key = value.dtype.as_datatype_enum, array.tobytes()
        found = self._known.get(key)
        if found is None:
            self._known[key] = value
            return False
        values[value] = values[found]
        return True


def copy_nodes(
    nodes: list[Node], into: Graph, values: dict[Value, Value], prefix: str | None = None,
    numbers: Numbers | None = None,
) -> list[Node]:  # fmt: skip
    """Copies `nodes` to the end of `into`; `values` says what stands for the values they take, and learns theirs.

    With a `prefix` (it may be empty) the copies get names of their own in `into`; with `numbers` those are left out
    which these know.
    """
    if nodes and nodes[0].graph.is_foreign:
        into.is_foreign = True
    made: list[Node] = []
    copied: dict[Node, Node] = {}
    is_controlled = any(n.controls for n in nodes)
    known = values.__getitem__
    for node in nodes:
        op = node.op
        is_constant = CONSTANT in op.traits
        if is_constant and numbers is not None and numbers.known(node, values):
            continue
        name = node.name if prefix is None else into.unique_name(prefix + node.name)
        inputs = into.no_inputs if is_constant else list(map(known, node.inputs))
        plain = is_constant or op.only_type is not None  # nobody changes attributes of such nodes
        copy = Node(into, op, name, inputs, node.attrs if plain else copy_attrs(node, numbers is not None))
        for value in node.outputs:
            values[value] = found = copy_value(value, copy)
            copy.outputs.append(found)
        copy.location = node.location
        copy.handle = node.handle
        if node.controls:  # what has effects runs anyway, and nothing changes the order
            copy.controls = [copied[c] for c in node.controls if c in copied and not observable(c)]
        if is_controlled:
            copied[node] = copy
        made.append(copy)
    into.nodes += made
    return made


def copy_attrs(node: Node, merge_numbers: bool = False) -> dict[str, Any]:
    """The attributes of a copy of `node`: graphs run in place are copied (see `copy_graph`), lists are new lists."""
    if node.op.only_type is not None or CONSTANT in node.op.traits:
        return node.attrs  # nobody changes them, and they are those of most nodes of a large graph
    if not node.op.in_place:
        return dict(node.attrs)
    attrs: dict[str, Any] = {}
    for key, value in node.attrs.items():
        if isinstance(value, Graph):
            attrs[key] = copy_graph(value, merge_numbers)
        elif isinstance(value, list):
            attrs[key] = [copy_graph(v, merge_numbers) if isinstance(v, Graph) else v for v in value]
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
    if not replaced:
        return
    for node in graph.nodes:
        replace_inputs(node, replaced)
    graph.outputs = [_final(v, replaced) for v in graph.outputs]
    graph.version += 1


def replace_inputs(node: Node, replaced: Mapping[Value, Value]) -> None:
    """Lets one node use what `replaced` says, as `substitute` does."""
    for value in node.inputs:
        if value in replaced:
            node.inputs = [_final(v, replaced) for v in node.inputs]
            return


def _final(value: Value, replaced: Mapping[Value, Value]) -> Value:
    while value in replaced:
        value = replaced[value]
    return value
