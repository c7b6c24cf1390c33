"""Computes equal things once.

    %a = AddV2(%x, %y)              %a = AddV2(%x, %y)
    %b = AddV2(%y, %x)        ->    %c = Mul(%a, %a)
    %c = Mul(%a, %b)

Equal are nodes of one op with equal attributes and inputs (in any order, when the op is commutative). Nodes with
state are never merged.
"""

from __future__ import annotations

from typing import Any

from graphrt.ir.copy import substitute
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import nested, pinned
from graphrt.ir.op import COMMUTATIVE
from graphrt.passes.rewrite import frozen, is_pure, refine


def merge_common_subexpressions(graph: Graph) -> bool:
    """Lets nodes that repeat an earlier node of the same graph give way to it."""
    changed = False
    for inner in nested(graph):
        changed |= _merge(inner)
    return changed


def _merge(graph: Graph) -> bool:
    seen: dict[Any, Node] = {}
    replaced: dict[Value, Value] = {}
    order: dict[Value, int] = {}
    kept: list[Node] = []
    fixed = pinned(graph)
    for node in graph.nodes:
        if replaced and any(v in replaced for v in node.inputs):
            node.inputs = [replaced.get(v, v) for v in node.inputs]
        if node.outputs and is_pure(node) and node not in fixed:
            first = seen.setdefault(_key(node, order), node)
            if first is not node:
                for value, other in zip(node.outputs, first.outputs):
                    replaced[value] = other
                    refine(other, value)
                continue
        for value in node.outputs:
            order[value] = len(order)
        kept.append(node)
    if not replaced:
        return False
    graph.nodes = kept
    substitute(graph, replaced)
    return True


def _key(node: Node, order: dict[Value, int]) -> Any:
    inputs = [order[v] for v in node.inputs]
    if COMMUTATIVE in node.op.traits:
        inputs.sort()
    return node.type, *inputs, *(frozen(v) for v in node.attrs.values())
