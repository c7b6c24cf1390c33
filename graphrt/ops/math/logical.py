"""Boolean algebra, element by element, and the operators `&`, `|`, `^`, `~` over booleans and integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt.ir.code import Code, Template
from graphrt.ir.graph import Node
from graphrt.ir.op import COMMUTATIVE, ELEMENTWISE, INVOLUTION, QUIET, Neutral, define, infix, provide
from graphrt.ops.math.bitwise import BitwiseAnd, BitwiseOr, BitwiseXor, Invert
from graphrt.ops.support.shape_rules import as_tensor, broadcast_two, same_shape
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike

if TYPE_CHECKING:
    from graphrt.ops.ragged.tensor import RaggedTensor

__all__ = ["logical_and", "logical_not", "logical_or", "logical_xor"]

_CHOICE = Template("{} if {} else {}")


_INVERTED = infix("~")


def _emit_not(emitter: Any, node: Node, inputs: list[Code]) -> list[Code] | None:
    if node.inputs[0].dims != ():
        return _INVERTED(emitter, node, inputs)
    yes, no = emitter.bind(np.True_, "v_True"), emitter.bind(np.False_, "v_False")
    return [_CHOICE(no, inputs[0], yes)]


LogicalAnd = define(
    "LogicalAnd", "x: bool, y: bool -> z: bool", infer=broadcast_two, kernel=np.logical_and,
    vjp=lambda c, g: [None, None], emit=infix("&"), traits=(ELEMENTWISE, COMMUTATIVE, QUIET), neutral=Neutral(True, "b"),
)  # fmt: skip
LogicalOr = define(
    "LogicalOr", "x: bool, y: bool -> z: bool", infer=broadcast_two, kernel=np.logical_or,
    vjp=lambda c, g: [None, None], emit=infix("|"), traits=(ELEMENTWISE, COMMUTATIVE, QUIET), neutral=Neutral(False, "b"),
)  # fmt: skip
LogicalNot = define(
    "LogicalNot", "x: bool -> y: bool", infer=same_shape, kernel=np.logical_not,
    vjp=lambda c, g: [None], emit=_emit_not, traits=(ELEMENTWISE, QUIET, INVOLUTION),
)  # fmt: skip


@provide
def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Where both `x` and `y` are True.

    >>> import graphrt as tf
    >>> tf.logical_and([True, True], [True, False]).numpy().tolist()
    [True, False]
    """
    return LogicalAnd(x, y, name=name)


@provide
def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Where `x` or `y` is True.

    >>> import graphrt as tf
    >>> tf.logical_or([True, False], [False, False]).numpy().tolist()
    [True, False]
    """
    return LogicalOr(x, y, name=name)


@provide
def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """Where `x` is False.

    >>> import graphrt as tf
    >>> tf.logical_not([True, False]).numpy().tolist()
    [False, True]
    """
    return LogicalNot(x, name=name)


@provide
def logical_xor(x: TensorLike, y: TensorLike, name: str = "LogicalXor") -> Tensor:
    """Where exactly one of `x` and `y` is True.

    >>> import graphrt as tf
    >>> tf.math.logical_xor([True, True], [True, False]).numpy().tolist()
    [False, True]
    """
    return LogicalAnd(LogicalOr(x, y), LogicalNot(LogicalAnd(x, y)), name=name)


# --- what Python's &, |, ^ and ~ call --------------------------------------------------------------------------------
def _is_bool(x: Any, y: Any) -> bool:
    tensor = x if isinstance(x, Tensor) else y
    if isinstance(tensor, Tensor) or hasattr(tensor, "__tf_tensor__"):
        return bool(tensor.dtype.is_bool)
    return as_tensor(tensor).dtype.is_bool


@provide
def bit_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Any:
    """`x & y`: logical for booleans, bit by bit for integers."""
    if _is_bool(x, y):
        return LogicalAnd(x, y, name=name)
    with scope(name, "and"):
        return BitwiseAnd(x, y)


@provide
def bit_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x | y`: logical for booleans, bit by bit for integers."""
    if _is_bool(x, y):
        return LogicalOr(x, y, name=name)
    with scope(name, "or"):
        return BitwiseOr(x, y)


@provide
def bit_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x ^ y`: logical for booleans, bit by bit for integers."""
    with scope(name, "xor") as full:
        if _is_bool(x, y):
            return logical_xor(x, y, name=full)  # type: ignore[arg-type]
        return BitwiseXor(x, y)


@provide
def bit_not(x: RaggedTensor | Tensor, name: str | None = None) -> Any:
    """`~x`: logical for booleans, bit by bit for integers."""
    return LogicalNot(x, name=name) if x.dtype.is_bool else Invert(x, name=name)
