"""What of a graph has to run, in which order, and how long each value lives.

Nodes run in the order in which they were recorded. A node runs when somebody can tell: an output needs it, it has an
effect (or it must, by control edges, precede such a node). A node that only reads state runs when its value is used.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphrt.executor.side_by_side import gathered
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import live_nodes
from graphrt.ir.op import CALLS_PYTHON
from graphrt.types.shape import num_elements

LARGE = 2048  # elements: a value that certainly has fewer is not worth a `del`


class Plan:
    """The nodes of a graph that run.

    Attributes:
      nodes: in order.
      dying: for each position in `nodes`, the values that are not used after it, in order of first mention. Outputs
        of the graph never die; a value that nobody uses dies where it is made. Nothing where no value may be large.
      may_be_large: whether a value may be worth a `del`.
      may_wait: whether there are nodes that may run at the same time.
    """

    __slots__ = ("_results", "_uses", "dying", "may_be_large", "may_wait", "nodes")

    def __init__(self, nodes: list[Node], results: Sequence[Value], may_wait: bool) -> None:
        self.nodes = nodes
        self.may_wait = may_wait
        self.may_be_large = _has_large(nodes)
        self._results = results
        self._uses: dict[Value, int] | None = None
        self.dying: list[Sequence[Value]] = _dying(nodes, results) if self.may_be_large else [()] * len(nodes)

    @property
    def uses(self) -> dict[Value, int]:
        """How often a value is used, as an output of the graph too."""
        if self._uses is None:
            self._uses = {v: 0 for n in self.nodes for v in n.outputs}
            for value in (*(v for n in self.nodes for v in n.inputs), *self._results):
                self._uses[value] = self._uses.get(value, 0) + 1
        return self._uses


def make_plan(graph: Graph, outputs: Sequence[Value] | None = None) -> Plan:
    """The plan for `outputs` of `graph` (all by default), in time linear in its size."""
    results = graph.outputs if outputs is None else outputs
    nodes = live_nodes(graph, results)
    may_wait = not graph.is_atomic and any(CALLS_PYTHON in n.op.traits for n in nodes)
    return Plan(gathered(nodes) if may_wait else nodes, results, may_wait)


def _dying(nodes: list[Node], results: Sequence[Value]) -> list[Sequence[Value]]:
    last: dict[Value, int] = {}
    for at, node in enumerate(nodes):
        for value in node.outputs:
            last[value] = at
        for value in node.inputs:
            last[value] = at
    for value in results:
        last.pop(value, None)
    dying: list[list[Value]] = [[] for _ in nodes]
    for value, at in last.items():
        dying[at].append(value)
    return list(dying)


def _has_large(nodes: list[Node]) -> bool:
    for node in nodes:
        for value in node.outputs:
            if (value.dims != () or value.dtype.kind == "O") and may_be_large(value):
                return True
    return False


def may_be_large(value: Value) -> bool:
    """Whether keeping `value` longer than needed may waste memory."""
    if value.dtype.kind == "O":
        return value.dtype.name == "variant"
    if value.dims == ():
        return False
    size = num_elements(value.dims)
    return size is None or size >= LARGE
