"""What of a graph has to run, in which order, and how long each value lives.

Nodes run in the order in which they were recorded. A node runs when somebody can tell: an output needs it, it has an
effect (or it must, by control edges, precede such a node). A node that only reads state runs when its value is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphrt.executor.side_by_side import gathered
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import live_nodes
from graphrt.types.shape import num_elements

LARGE = 2048  # elements: a value that certainly has fewer is not worth a `del`


@dataclass(slots=True)
class Plan:
    """The nodes of a graph that run.

    Attributes:
      nodes: in order.
      dying: for each position in `nodes`, the values that are not used after it, in order of first mention. Outputs
        of the graph never die; a value that nobody uses dies where it is made.
      uses: how often a value is used, as an output of the graph too.
    """

    nodes: list[Node]
    dying: list[list[Value]]
    uses: dict[Value, int]


def make_plan(graph: Graph, outputs: Sequence[Value] | None = None) -> Plan:
    """The plan for `outputs` of `graph` (all by default), in time linear in its size."""
    results = graph.outputs if outputs is None else outputs
    nodes = live_nodes(graph, results)
    if not graph.is_atomic:
        nodes = gathered(nodes)
    last: dict[Value, int] = {}
    uses: dict[Value, int] = {}
    for at, node in enumerate(nodes):
        for value in node.outputs:
            last[value] = at
            uses[value] = 0
        for value in node.inputs:
            last[value] = at
            uses[value] = uses.get(value, 0) + 1
    for value in results:
        last.pop(value, None)
        uses[value] = uses.get(value, 0) + 1
    dying: list[list[Value]] = [[] for _ in nodes]
    for value, at in last.items():
        dying[at].append(value)
    return Plan(nodes, dying, uses)


def may_be_large(value: Value) -> bool:
    """Whether keeping `value` longer than needed may waste memory."""
    if value.dtype.kind == "O":
        return value.dtype.name == "variant"
    if value.dims == ():
        return False
    size = num_elements(value.dims)
    return size is None or size >= LARGE
