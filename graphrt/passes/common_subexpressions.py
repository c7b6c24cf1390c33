"""Computes equal things once.

    %a = AddV2(%x, %y)              %a = AddV2(%x, %y)
    %b = AddV2(%y, %x)        ->    %c = Mul(%a, %a)
    %c = Mul(%a, %b)

Equal are nodes of one op with equal attributes and inputs (in any order, when the op is commutative). Nodes with
state are never merged.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.ir.copy import replace_inputs, substitute
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import nested, pinned
from graphrt.ir.op import COMMUTATIVE
from graphrt.passes.rewrite import frozen, is_pure, refine
from graphrt.tensor.func_graph import Const


def merge_common_subexpressions(graph: Graph) -> bool:
    """Lets nodes that repeat an earlier node of the same graph give way to it."""
    changed = False
    for inner in nested(graph):
        changed |= _merge(inner)
    return changed


def _merge(graph: Graph) -> bool:
    seen: dict[Any, Node] = {}
    replaced: dict[Value, Value] = {}
    kept: list[Node] = []
    fixed = pinned(graph)
    for node in graph.nodes:
        if replaced:
            replace_inputs(node, replaced)
        if node.outputs and is_pure(node) and node not in fixed:
            first = seen.setdefault(_key(node), node)
            if first is not node:
                for value, other in zip(node.outputs, first.outputs):
                    replaced[value] = other
                    refine(other, value)
                continue
        kept.append(node)
    if not replaced:
        return False
    graph.nodes = kept
    substitute(graph, replaced)
    return True


def _key(node: Node) -> Any:
    """Equal for equal nodes; of numbers and texts only, which are no work for the garbage collector."""
    op = node.op
    inputs = list(map(id, node.inputs))  # values of this graph, which keeps them
    if len(inputs) > 1 and COMMUTATIVE in op.traits:
        inputs.sort()
    if op is Const:
        array = node.attrs["value"]
        if isinstance(array, np.generic):
            return op.type, node.outputs[0].dtype.as_datatype_enum, array.tobytes()
    elif op.only_type is not None and len(node.attrs) == 1:
        return op.type, *inputs  # of which the type is that of the inputs
    return op.type, *inputs, *map(frozen, node.attrs.values())
