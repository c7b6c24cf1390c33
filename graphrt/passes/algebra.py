"""Removes arithmetic that changes nothing, where that is exact to the last bit.

    %one = Const(value=1.0)
    %y = Mul(%x, %one)              (gone)
    %z = Neg(%y)              ->    %z = Neg(%x)

`x + 0.0` stays, as it turns -0.0 into 0.0 (`x + -0.0` and `x - 0.0` do not), and `x * 0.0` stays, as it keeps NaN and
infinities. The shape must not change: the constant is a scalar, or the static shapes prove it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.ir.copy import substitute
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import nested, pinned
from graphrt.passes.rewrite import constant_of, refine
from graphrt.types.shape import is_static


def simplify_algebra(graph: Graph) -> bool:
    """Replaces what `RULES` can replace by a value that is there already."""
    changed = False
    for inner in nested(graph):
        replaced: dict[Value, Value] = {}
        kept = pinned(inner)
        for node in inner.nodes:
            rule = RULES.get(node.type)
            if rule is None or node in kept:
                continue
            if replaced and any(v in replaced for v in node.inputs):
                node.inputs = [_final(v, replaced) for v in node.inputs]
            found = rule(node)
            if found is not None and found.dtype is node.outputs[0].dtype:
                replaced[node.outputs[0]] = found
                refine(found, node.outputs[0])
        if replaced:
            inner.nodes = [n for n in inner.nodes if not n.outputs or n.outputs[0] not in replaced]
            substitute(inner, replaced)
            changed = True
    return changed


def _final(value: Value, replaced: dict[Value, Value]) -> Value:
    while value in replaced:
        value = replaced[value]
    return value


# --- questions -------------------------------------------------------------------------------------------------------
def _all_are(value: Value, number: float, negative_zero: bool | None = None) -> bool:
    """Whether `value` is a constant whose elements all equal `number` (with this sign, when it is a zero)."""
    array = constant_of(value)
    if array is None or value.dtype.kind not in "fiuc" or np.size(array) == 0 or np.size(array) > 1024:
        return False
    if not bool(np.all(np.equal(array, number))):
        return False
    if negative_zero is None or value.dtype.kind in "iu":
        return True
    return value.dtype.kind == "f" and bool(np.all(np.signbit(array) == negative_zero))


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
def _add(node: Node) -> Value | None:
    x, y = node.inputs
    if _all_are(y, 0, negative_zero=True) and _keeps_shape(x, y):
        return x
    return y if _all_are(x, 0, negative_zero=True) and _keeps_shape(y, x) else None


def _subtract(node: Node) -> Value | None:
    x, y = node.inputs
    return x if _all_are(y, 0, negative_zero=False) and _keeps_shape(x, y) else None


def _multiply(node: Node) -> Value | None:
    x, y = node.inputs
    if x.dtype.kind == "c":  # the product with 1+0j turns infinities into NaN
        return None
    if _all_are(y, 1) and _keeps_shape(x, y):
        return x
    return y if _all_are(x, 1) and _keeps_shape(y, x) else None


def _divide(node: Node) -> Value | None:
    x, y = node.inputs
    return x if x.dtype.kind in "fiu" and _all_are(y, 1) and _keeps_shape(x, y) else None


def _floor_divide(node: Node) -> Value | None:
    return _divide(node) if node.inputs[0].dtype.is_integer else None


def _without(certain: bool) -> Callable[[Node], Value | None]:
    """The other operand, where one is certainly `certain`: `x and True`, `x or False`."""

    def rule(node: Node) -> Value | None:
        x, y = node.inputs
        if _is_flag(y, certain):
            return x
        return y if _is_flag(x, certain) else None

    return rule


def _is_flag(value: Value, certain: bool) -> bool:
    array = constant_of(value)
    return array is not None and value.dims == () and bool(array) is certain


def _twice(node: Node) -> Value | None:
    inner = node.inputs[0].node
    return inner.inputs[0] if inner.type == node.type else None


def _repeated(node: Node) -> Value | None:
    return node.inputs[0] if node.inputs[0].node.type == node.type else None


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


RULES: dict[str, Callable[[Node], Any]] = {
    "Add": _add,
    "AddV2": _add,
    "Sub": _subtract,
    "Mul": _multiply,
    "Div": _divide,
    "RealDiv": _divide,
    "FloorDiv": _floor_divide,
    "TruncateDiv": _floor_divide,
    "Neg": _twice,
    "LogicalNot": _twice,
    "LogicalAnd": _without(True),
    "LogicalOr": _without(False),
    "Invert": _twice,
    "Conj": _twice,
    "Abs": _repeated,
    "Relu": _repeated,
    "Reshape": _same_static_shape,
    "BroadcastTo": _same_static_shape,
    "Transpose": _transpose,
    "SelectV2": _select,
}
