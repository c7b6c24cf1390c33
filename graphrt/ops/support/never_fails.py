"""When the kernel of a node accepts every value of its inputs' static types: what ops declare as `never_fails`."""

from __future__ import annotations

from graphrt.ir.graph import Node, static_value
from graphrt.ir.op import ELEMENTWISE
from graphrt.tensor.func_graph import Const
from graphrt.types.shape import is_static


def cannot_fail(node: Node) -> bool:
    """Whether the kernel of `node` accepts every value of its inputs' static types."""
    rule = node.op.never_fails
    if rule is not None:
        return rule(node)
    return ELEMENTWISE in node.op.traits and all(v.dtype.kind != "S" for v in node.inputs) and broadcasts(node)


# --- rules that ops declare ------------------------------------------------------------------------------------------
def always(node: Node) -> bool:
    """Nothing that the types allow is refused."""
    return True


def broadcasts(node: Node) -> bool:
    """The static shapes prove that the inputs broadcast."""
    ranked = [v for v in node.inputs if v.dims != ()]
    return len(ranked) <= 1 or all(is_static(v.dims) for v in ranked)


def no_strings(node: Node) -> bool:
    """Neither inputs nor outputs are strings."""
    return all(v.dtype.kind != "S" for v in (*node.inputs, *node.outputs))


def floats_only(node: Node) -> bool:
    """Floats broadcast; some integers are refused (a zero divisor, a negative exponent)."""
    return node.inputs[0].dtype.is_floating and broadcasts(node)


def divides(node: Node) -> bool:
    """Floats broadcast; integers are divided by anything but 0."""
    if node.inputs[0].dtype.is_floating:
        return broadcasts(node)
    divisor = node.inputs[1]
    known = static_value(divisor) if divisor.node.op is Const else None
    return known is not None and bool(known.all()) and broadcasts(node)


def constant_tail(node: Node) -> bool:
    """The first input is of static shape, and the others, checked while tracing, are constants."""
    return all(v.node.op is Const for v in node.inputs[1:]) and is_static(node.inputs[0].dims)


def static_shapes(node: Node) -> bool:
    """All shapes are static, and the shape rule has compared them."""
    return all(is_static(v.dims) for v in node.inputs)
