"""Removes arithmetic that changes nothing, where that is exact to the last bit.

    %one = Const(value=1.0)
    %y = Mul(%x, %one)              (gone)
    %z = Neg(%y)              ->    %z = Neg(%x)

`x + 0.0` stays, as it turns -0.0 into 0.0 (`x + -0.0` and `x - 0.0` do not), and `x * 0.0` stays, as it keeps NaN and
infinities. The shape must not change: the constant is a scalar, or the static shapes prove it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from graphrt.ir.copy import replace_inputs, substitute
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import nested, pinned
from graphrt.ir.op import IDEMPOTENT, INVOLUTION, Neutral, OpDef
from graphrt.ops.array.selection import SelectV2
from graphrt.ops.array.shape import BroadcastTo, Reshape, Transpose
from graphrt.passes.rewrite import constant_of, refine
from graphrt.types.shape import is_static


def simplify_algebra(graph: Graph) -> bool:
    """Replaces what the facts of its op, or one of `RULES`, say is a value that is there already."""
    changed = False
    for inner in nested(graph):
        replaced: dict[Value, Value] = {}
        kept = pinned(inner)
        for node in inner.nodes:
            if node in kept:
                continue
            if replaced:
                replace_inputs(node, replaced)
            found = _rule(node)
            if found is not None and found.dtype is node.outputs[0].dtype:
                replaced[node.outputs[0]] = found
                refine(found, node.outputs[0])
        if replaced:
            inner.nodes = [n for n in inner.nodes if not n.outputs or n.outputs[0] not in replaced]
            substitute(inner, replaced)
            changed = True
    return changed


# --- questions -------------------------------------------------------------------------------------------------------
def _all_are(value: Value, number: float) -> bool:
    """Whether `value` is a constant whose elements all equal `number` (with its sign, when it is a zero)."""
    array = constant_of(value)
    if array is None or (isinstance(array, np.generic) and array != number):
        return False
    if np.size(array) == 0 or np.size(array) > 1024 or not bool(np.all(np.equal(array, number))):
        return False
    signed = number == 0 and value.dtype.kind == "f"
    return not signed or bool(np.all(np.signbit(array) == np.signbit(number)))


def _keeps_shape(value: Value, constant: Value) -> bool:
    """Whether broadcasting `value` with `constant` certainly gives the shape of `value`."""
    if constant.dims == ():
        return True
    if not is_static(value.dims) or not is_static(constant.dims):
        return False
    assert value.dims is not None and constant.dims is not None
    if len(constant.dims) > len(value.dims):
        return False
    return all(c in (1, d) for c, d in zip(reversed(constant.dims), reversed(value.dims)))


# --- rules: the value that a node may be replaced by, or None ---------------------------------------------------------
def _rule(node: Node) -> Value | None:
    op = node.op
    if op.neutral is not None:
        return _without_neutral(node, op.neutral)
    if INVOLUTION in op.traits:
        inner = node.inputs[0].node
        return inner.inputs[0] if inner.op is op else None
    if IDEMPOTENT in op.traits:
        return node.inputs[0] if node.inputs[0].node.op is op else None
    rule = RULES.get(op)
    return None if rule is None else rule(node)


def _without_neutral(node: Node, neutral: Neutral) -> Value | None:
    x, y = node.inputs
    if x.dtype.kind not in neutral.kinds:
        return None
    if _all_are(y, neutral.value) and _keeps_shape(x, y):
        return x
    return y if neutral.left and _all_are(x, neutral.value) and _keeps_shape(y, x) else None


def _same_static_shape(node: Node) -> Value | None:
    x, y = node.inputs[0], node.outputs[0]
    return x if is_static(x.dims) and x.dims == y.dims else None


def _transpose(node: Node) -> Value | None:
    order = constant_of(node.inputs[1])
    known = order is not None and node.inputs[0].dims is not None
    return node.inputs[0] if known and np.array_equal(order, np.arange(np.size(order))) else None


def _select(node: Node) -> Value | None:
    condition, x, y = node.inputs
    if x is y and (condition.dims == () or (is_static(x.dims) and node.outputs[0].dims == x.dims)):
        return x
    return None


RULES: dict[OpDef, Callable[[Node], Value | None]] = {
    Reshape: _same_static_shape,
    BroadcastTo: _same_static_shape,
    Transpose: _transpose,
    SelectV2: _select,
}
