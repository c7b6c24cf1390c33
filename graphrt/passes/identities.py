"""Removes nodes that only pass their input on.

    %y = Identity(%x)                    (gone)
    %z = Neg(%y)                   ->    %z = Neg(%x)

Gradient marks (`StopGradient`) have done their work when a graph is compiled; an `EnsureShape` that the static shape
already proves is gone too, and so is a `Cast` to the dtype at hand.
"""

from __future__ import annotations

from graphrt.ir.copy import substitute
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import nested, pinned
from graphrt.ir.op import FORWARDS
from graphrt.ops.array.identity import EnsureShape
from graphrt.ops.math.casting import Cast
from graphrt.passes.rewrite import proves, refine


def remove_identities(graph: Graph) -> bool:
    """Lets the users of pass-through nodes use what these pass on."""
    changed = False
    for inner in nested(graph):
        replaced: dict[Value, Value] = {}
        kept = pinned(inner)
        for node in inner.nodes:
            if _passes_on(node) and node not in kept:
                for value, given in zip(node.outputs, node.inputs):
                    replaced[value] = given
                    if node.op is not Cast:
                        refine(given, value)
        if replaced:
            inner.nodes = [n for n in inner.nodes if not n.outputs or n.outputs[0] not in replaced]
            substitute(inner, replaced)
            changed = True
    return changed


def _passes_on(node: Node) -> bool:
    if FORWARDS in node.op.traits:
        return True
    if node.op is Cast:
        return node.inputs[0].dtype is node.outputs[0].dtype
    return node.op is EnsureShape and proves(node.inputs[0].dims, node.attrs["shape"])
