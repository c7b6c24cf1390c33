"""A graph for many elements at once: what it takes and gives has one dimension more, in front.

It is made for graphs that work element by element, cannot fail and leave nothing behind; then nobody can tell whether
they ran once for each element or once for all.
"""

from __future__ import annotations

from graphrt.ir.copy import copy_attrs
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import live_nodes
from graphrt.ir.op import ELEMENTWISE, FORWARDS
from graphrt.ops.support.never_fails import cannot_fail
from graphrt.types.shape import Dims


def stacked(graph: Graph, elements: int) -> Graph | None:
    """`graph` with its first `elements` inputs and all outputs stacked along a new first dimension.

    The other inputs are the same for all elements. None where the graph cannot be run so.
    """
    if graph.is_foreign or graph.is_atomic:  # what an imported graph spends is counted
        return None
    into = Graph(graph.name)
    values: dict[Value, Value] = {}
    rows: set[Value] = set()  # of `graph`: those that are stacked
    for position, value in enumerate(graph.inputs):
        dims: Dims = value.dims
        if position < elements:
            if dims is None or value.dtype.kind == "O":
                return None
            dims = (None, *dims)
            rows.add(value)
        attrs = {**value.node.attrs, "shape": dims}
        values[value] = into.add(value.node.op, [], attrs, value.node.name).outputs[0]
        into.inputs.append(values[value])
    for node in live_nodes(graph):
        if node.is_parameter:
            continue
        if not _runs_for_many(node, rows):
            return None
        copy = into.add(node.op, [values[v] for v in node.inputs], copy_attrs(node), node.name)
        copy.location = node.location
        values.update(zip(node.outputs, copy.outputs))
        if any(v in rows for v in node.inputs):
            rows.update(node.outputs)
    if not all(v in rows for v in graph.outputs):
        return None
    into.outputs = [values[v] for v in graph.outputs]
    return into


def _runs_for_many(node: Node, rows: set[Value]) -> bool:
    """Whether `node` gives for stacked inputs what it gives for each element, stacked, and leaves nothing behind."""
    if node.stateful or node.op.in_place or node.controls:
        return False
    given = [v for v in node.inputs if v in rows]
    if not given:
        return node.is_constant or cannot_fail(node)
    if not (node.op.traits & {ELEMENTWISE, FORWARDS}) or len(node.outputs) != 1 or not cannot_fail(node):
        return False
    ranks = {None if v.dims is None else len(v.dims) for v in given}
    if len(ranks) != 1 or None in ranks:  # they would have to be aligned behind the first dimension
        return False
    (rank,) = ranks
    return all(v.dims is not None and len(v.dims) <= (rank or 0) for v in node.inputs)
