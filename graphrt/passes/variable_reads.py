"""Reads a variable once, where nothing may have set it since, and takes what was assigned for what is read.

    %a = ReadVariableOp(%v)                 %a = ReadVariableOp(%v)
    %b = ReadVariableOp(%v)                 %c = AddV2(%a, %a)
    %c = AddV2(%a, %b)              ->      AssignVariableOp(%v, %c)
    AssignVariableOp(%v, %c)                %e = Neg(%c)
    %d = ReadVariableOp(%v)
    %e = Neg(%d)

What other threads assign in between is as if it were assigned later. Handles are of one variable when they are one value,
and of two only when both were captured: an argument may be any variable.
"""

from __future__ import annotations

from graphrt.ir.copy import replace_inputs, substitute
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import nested, observable, pinned
from graphrt.ir.op import CALLS_PYTHON, UNORDERED
from graphrt.passes.rewrite import refine
from graphrt.state.resource_ops import AssignVariableOp, ReadVariableOp, storage_of


def read_variables_once(graph: Graph) -> bool:
    """Lets reads give way to earlier reads, or to what was assigned."""
    changed = False
    for inner in nested(graph):
        changed |= _read_once(inner)
    return changed


def _read_once(graph: Graph) -> bool:
    known: dict[Value, Value] = {}  # handle -> what its variable holds
    replaced: dict[Value, Value] = {}
    kept: list[Node] = []
    stay: set[Node] | None = None
    captured = graph.fixed_inputs()
    for node in graph.nodes:
        if replaced:
            replace_inputs(node, replaced)
        if node.op is ReadVariableOp:
            handle, value = node.inputs[0].source, node.outputs[0]
            found = known.get(handle)
            if found is None or found.dtype is not value.dtype:
                known[handle] = value
            else:
                if stay is None:
                    stay = pinned(graph)
                if node not in stay:
                    replaced[value] = found
                    refine(found, value)
                    continue
        elif observable(node):
            if known:
                _forget(known, node, captured)
            if node.op is AssignVariableOp:
                known[node.inputs[0].source] = node.inputs[1]
        kept.append(node)
    if not replaced:
        return False
    graph.nodes = kept
    substitute(graph, replaced)
    return True


def _forget(known: dict[Value, Value], node: Node, captured: frozenset[Value]) -> None:
    """Drops what `node` may change."""
    op = node.op
    if UNORDERED in op.traits:
        return
    handles = [v.source for v in node.inputs if v.dtype.kind == "O"]
    is_plain = op.structure is None and CALLS_PYTHON not in op.traits
    if not (is_plain and captured.issuperset(handles) and all(storage_of(h) is not None for h in handles)):
        known.clear()
        return
    for handle in [h for h in known if h in handles or h not in captured]:
        del known[handle]
