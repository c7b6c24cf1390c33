"""Lets activations, and their gradients, work on what max-pools leave instead of on what they take: a fraction of it.

    %r = Relu(%x)                             %m = MaxPool(%x)
    %y = MaxPool(%r)                   ->     %y = Relu(%m)

    %b = MaxPoolGrad(%r, %y, %g)              %b = ReluGrad(%g, %y)
    %z = ReluGrad(%b, %r)              ->     %z = MaxPoolGrad(%r, %y, %b)

What is greatest stays so where an activation never falls, and no other element has a gradient. Gradients are swapped where
no element is in two windows: those of several would be added first. What sign a zero has is left to activations.
"""

from __future__ import annotations

from collections import Counter

from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import nested, pinned
from graphrt.ir.op import GIVES_TO_MAXIMA, MASKS, RISING, TAKES_MAXIMA
from graphrt.types.shape import Dims, is_static


def pool_first(graph: Graph) -> bool:
    """Swaps max-pools with the activations before them, and gradients of activations with those of max-pools."""
    changed = False
    for inner in nested(graph):
        if any(TAKES_MAXIMA in n.op.traits for n in inner.nodes):
            changed |= _swap_all(inner)
    return changed


def _swap_all(graph: Graph) -> bool:
    uses = Counter(graph.outputs)
    for node in graph.nodes:
        uses.update(node.inputs)
    kept, nodes, changed = pinned(graph), list[Node](), False
    for node in graph.nodes:
        nodes.append(node)
        before = node.inputs[0].node if node.inputs else node
        if before is node or uses[node.inputs[0]] != 1 or kept & {node, before}:
            continue
        if _pools_activation(node, before):
            between = _give_up_result(node, before, node.outputs[0].dims)
            node.inputs, before.inputs = before.inputs, [between]
        elif _masks_gradient(node, before):
            image, pooled, back = before.inputs
            between = _give_up_result(node, before, back.dims)
            node.inputs, before.inputs = [back, pooled], [image, pooled, between]
        else:
            continue
        nodes.remove(before)
        nodes.append(before)
        uses[between] = 1
        changed = True
    if changed:
        graph.nodes = nodes
        graph.version += 1
    return changed


def _give_up_result(node: Node, before: Node, dims: Dims) -> Value:
    """Makes what `node` gives the result of `before`; what `node` gives instead has the shape `dims`."""
    before.outputs = node.outputs
    before.outputs[0].node = before
    node.outputs = [Value(node, 0, dims, before.outputs[0].dtype)]
    return node.outputs[0]


def _pools_activation(node: Node, before: Node) -> bool:
    if TAKES_MAXIMA not in node.op.traits or RISING not in before.op.traits:
        return False
    return (
        node.attrs["padding"] != "EXPLICIT"
    )  # else a window may hold nothing, whose maximum is less than any activation


def _masks_gradient(node: Node, before: Node) -> bool:
    if MASKS not in node.op.traits or GIVES_TO_MAXIMA not in before.op.traits:
        return False
    image, pooled, back = before.inputs
    pool = pooled.node
    if node.inputs[1] is not image or TAKES_MAXIMA not in pool.op.traits or pool.inputs[0] is not image:
        return False
    alike = all(pool.attrs[k] == v for k, v in before.attrs.items())
    alone = all(w <= s for w, s in zip(before.attrs["ksize"], before.attrs["strides"]))
    return alike and alone and is_static(back.dims) and back.dims == pooled.dims  # else the mask could broadcast
