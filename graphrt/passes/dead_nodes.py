"""Drops what nobody can tell the absence of.

    %y = Neg(%x)                (gone)
    %z = Abs(%x)          ->    %z = Abs(%x)
    return %z                   return %z

Outputs of an `If` or a loop that are not used go too, then the inputs that only they needed, and so on outwards.
"""

from __future__ import annotations

from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import live_nodes, observable
from graphrt.ir.op import LOOP


def drop_dead_nodes(graph: Graph) -> bool:
    """Removes dead nodes of `graph` and of the graphs it runs in place, outer graphs first."""
    changed = False
    parameters = {v.node for v in graph.inputs}
    wanted = {v.node for v in graph.outputs}
    used: set[Value] = set(graph.outputs)
    asks = any(n.op.in_place for n in graph.nodes)  # which values are used
    kept: list[Node] = []
    for node in reversed(graph.nodes):
        if node not in wanted and node not in parameters and not observable(node):
            changed = True
            continue
        if node.op.in_place:
            changed |= _prune(node, used)
            for _, inner in node.subgraphs():
                changed |= drop_dead_nodes(inner)
        kept.append(node)
        if asks:
            used.update(node.inputs)
        for value in node.inputs:
            wanted.add(value.node)
        if node.controls:
            wanted.update(node.controls)
    kept.reverse()
    graph.nodes = kept
    if changed:
        graph.version += 1
    return changed


def _prune(node: Node, used: set[Value]) -> bool:
    return _prune_loop(node, used) if node.op.structure == LOOP else _prune_branches(node, used)


# --- branches --------------------------------------------------------------------------------------------------------
def _prune_branches(node: Node, used: set[Value]) -> bool:
    graphs = [g for _, g in node.subgraphs()]
    outputs = [i for i, v in enumerate(node.outputs) if v in used]
    changed = len(outputs) < len(node.outputs)
    if changed:
        node.outputs = [node.outputs[i] for i in outputs]
        _renumber(node)
        _keep(node, outputs, "Tout", "output_shapes")
        for graph in graphs:
            graph.outputs = [graph.outputs[i] for i in outputs]
    reads = [_inputs_read(g, g.outputs) for g in graphs]
    inputs = [i for i in range(len(node.inputs) - 1) if any(i in r for r in reads)]
    if len(inputs) < len(node.inputs) - 1:
        changed = True
        node.inputs = [node.inputs[0], *(node.inputs[i + 1] for i in inputs)]
        _keep(node, inputs, "Tin")
        for graph in graphs:
            _keep_inputs(graph, inputs)
    return changed


# --- loops -----------------------------------------------------------------------------------------------------------
def _prune_loop(node: Node, used: set[Value]) -> bool:
    cond, body = node.attrs["cond"], node.attrs["body"]
    needed = {i for i, v in enumerate(node.outputs) if v in used}
    needed |= _inputs_read(cond, cond.outputs) | _inputs_read(body, [])
    reads: dict[int, set[int]] = {}
    waiting = list(needed)
    while waiting:
        i = waiting.pop()
        if i not in reads:
            reads[i] = _inputs_read(body, [body.outputs[i]])
            waiting += reads[i] - needed
            needed |= reads[i]
    if len(needed) == len(node.inputs):
        return False
    kept = sorted(needed)
    node.inputs = [node.inputs[i] for i in kept]
    node.outputs = [node.outputs[i] for i in kept]
    _renumber(node)
    _keep(node, kept, "T", "output_shapes")
    body.outputs = [body.outputs[i] for i in kept]
    for graph in (cond, body):
        _keep_inputs(graph, kept)
    return True


# --- both ------------------------------------------------------------------------------------------------------------
def _inputs_read(graph: Graph, outputs: list[Value]) -> set[int]:
    """The positions of the inputs that `outputs`, and the effects of `graph`, are computed from."""
    positions = {v: i for i, v in enumerate(graph.inputs)}
    read = {v for n in live_nodes(graph, outputs) for v in n.inputs} | set(outputs)
    return {positions[v] for v in read if v in positions}


def _renumber(node: Node) -> None:
    for i, value in enumerate(node.outputs):
        value.index = i


def _keep(node: Node, positions: list[int], *attributes: str) -> None:
    for name in attributes:
        if node.attrs.get(name):
            node.attrs[name] = [node.attrs[name][i] for i in positions]


def _keep_inputs(graph: Graph, positions: list[int]) -> None:
    kept = [graph.inputs[i] for i in positions]
    gone = {v.node for v in graph.inputs} - {v.node for v in kept}
    graph.inputs = kept
    graph.nodes = [n for n in graph.nodes if n not in gone]
