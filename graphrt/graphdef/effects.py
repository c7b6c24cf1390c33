"""The order of effects: which nodes of an exported graph run after which, by control edges."""

from __future__ import annotations

from typing import Any

from graphrt.ir.graph import Graph, Node
from graphrt.ir.op import BRANCH, READS, STATEFUL, UNORDERED, OpDef
from graphrt.ops.array.identity import Identity
from graphrt.ops.io.printing import AssertOp
from graphrt.tensor.scopes import NoOp

_Key = Any  # a Value of a resource, or WORLD
WORLD = "world"


# --- effects ---------------------------------------------------------------------------------------------------------
class Effects:
    """What nodes and graphs read and write; remembered per graph."""

    def __init__(self) -> None:
        self.labels: dict[int, str] = {}  # names of functions in the library, by id of the graph
        self._graphs: dict[int, tuple[dict[_Key, bool], bool]] = {}
        self._plans: dict[int, _Plan] = {}
        self._busy: set[int] = set()

    def of(self, node: Node) -> tuple[dict[_Key, bool], bool]:
        """`({what: whether it is written}, whether the node may refuse to go on)`; what = resource value or WORLD."""
        graphs = [g for _, g in node.subgraphs()]
        found: dict[_Key, bool] = {}
        if graphs:
            return self._of_caller(node, graphs)
        if not op_is_stateful(node.op) or UNORDERED in node.op.traits:
            return found, False
        writes = READS not in node.op.traits
        for value in node.inputs:
            if value.dtype.name == "resource":
                found[value] = writes or found.get(value, False)
        if not found:
            found[WORLD] = True
        return found, node.op is AssertOp

    def _of_caller(self, node: Node, graphs: list[Graph]) -> tuple[dict[_Key, bool], bool]:
        found: dict[_Key, bool] = {}
        barrier = False
        arguments = node.inputs[1:] if node.op.structure == BRANCH else node.inputs
        for graph in graphs:
            inner, stops = self.of_graph(graph)
            barrier = barrier or stops
            for key, written in inner.items():
                outer = key
                if key is not WORLD:
                    position = next((i for i, v in enumerate(graph.inputs) if v is key), None)
                    if position is None or position >= len(arguments):
                        continue  # a resource that the graph makes itself
                    outer = arguments[position]
                found[outer] = written or found.get(outer, False)
        return found, barrier

    def of_graph(self, graph: Graph) -> tuple[dict[_Key, bool], bool]:
        """The effects of all nodes of `graph` together."""
        known = self._graphs.get(id(graph))
        if known is not None:
            return known
        if id(graph) in self._busy:  # a recursive function: what it does is found at the outer call
            return {WORLD: True}, True
        self._busy.add(id(graph))
        total: dict[_Key, bool] = {}
        barrier = False
        for node in graph.nodes:
            found, stops = self.of(node)
            barrier = barrier or stops
            for key, written in found.items():
                total[key] = written or total.get(key, False)
        self._busy.discard(id(graph))
        self._graphs[id(graph)] = (total, barrier)
        return total, barrier

    def plan(self, graph: Graph) -> _Plan:
        """The control edges of `graph`."""
        found = self._plans.get(id(graph))
        if found is None:
            found = self._plans[id(graph)] = _Plan(graph, self)
        return found


class _Plan:
    """The control edges of one graph."""

    def __init__(self, graph: Graph, effects: Effects) -> None:
        self.awaited = {c for n in graph.nodes for c in n.controls}  # by the user's own control dependencies
        self._after: dict[Node, list[Node]] = {}
        self.effectful: list[Node] = []
        self._derive(graph, effects)
        self.names = sorted(n.name for n in self.effectful)
        self.final = _final_identities(graph) if self.effectful else set()
        self.noop = _noop_name(graph) if self.final else None

    def _derive(self, graph: Graph, effects: Effects) -> None:
        last_write: dict[_Key, Node] = {}
        reads: dict[_Key, list[Node]] = {}
        barrier: Node | None = None
        behind: set[Node] = set()  # nodes that wait for the barrier already
        for node in graph.nodes:
            found, stops = effects.of(node)
            if not found:
                continue
            after: list[Node] = []
            for key, written in found.items():
                if key in last_write:
                    after.append(last_write[key])
                if written:
                    after += reads.pop(key, [])
            if any(found.values()):
                if stops:
                    after += last_write.values()
                if barrier is not None and barrier not in after and not any(n in behind for n in after):
                    after.append(barrier)
                behind.add(node)
            for key, written in found.items():
                if written:
                    last_write[key] = node
                else:
                    reads.setdefault(key, []).append(node)
            if stops:
                barrier, behind = node, set()
            self._after[node] = after
            self.effectful.append(node)

    def controls(self, node: Node) -> list[str]:
        """Names of the nodes that must run before `node`, sorted."""
        names = {n.name for n in (*self._after.get(node, ()), *node.controls) if n is not node}
        if node in self.final and self.noop is not None:
            names.add(self.noop)
        return sorted(names)


def _final_identities(graph: Graph) -> set[Node]:
    # the nodes that can wait for all effects: outputs that nothing else in the graph needs
    used = {v.node for n in graph.nodes for v in n.inputs} | {c for n in graph.nodes for c in n.controls}
    return {v.node for v in graph.outputs if v.node.op is Identity and v.node not in used}


def _noop_name(graph: Graph) -> str:
    first = next(v.node for v in graph.outputs if v.node.op is Identity)
    scope, slash, _ = first.name.rpartition("/")
    taken = {n.name.lower() for n in graph.nodes}
    name, count = f"{scope}{slash}NoOp", 0
    while name.lower() in taken:
        count += 1
        name = f"{scope}{slash}NoOp_{count}"
    return name


def op_is_stateful(op: OpDef) -> bool:
    return (STATEFUL in op.traits or READS in op.traits) and op is not NoOp
