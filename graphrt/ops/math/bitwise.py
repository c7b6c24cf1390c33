"""Integers as patterns of bits."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.ir.op import COMMUTATIVE, ELEMENTWISE, INVOLUTION, OpDef, define, infix, provide
from graphrt.ops.support.shape_rules import broadcast_two, elementwise_partial, same_shape
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import INTEGER
from graphrt.types.likes import Array

__all__ = [
    "bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "population_count", "right_shift",
]  # fmt: skip


def _binary(
    type_: str, kernel: Callable[..., Any] | np.ufunc, function: Callable[..., Any], symbol: str | None, *traits: str
) -> OpDef:
    return define(
        type_, "x: T, y: T -> z: T", allowed={"T": INTEGER}, infer=broadcast_two, kernel=kernel,
        vjp=lambda c, g: [None, None], partial=elementwise_partial(function),
        emit=infix(symbol) if symbol else None, traits=(ELEMENTWISE, *traits),
    )  # fmt: skip


BitwiseAnd = _binary("BitwiseAnd", np.bitwise_and, operator.and_, "&", COMMUTATIVE)
BitwiseOr = _binary("BitwiseOr", np.bitwise_or, operator.or_, "|", COMMUTATIVE)
BitwiseXor = _binary("BitwiseXor", np.bitwise_xor, operator.xor, "^", COMMUTATIVE)


def _distance(x: Array, y: Array) -> Array:
    """How far to shift: a distance out of range has no meaning of its own, the nearest one in range is taken."""
    top = 8 * x.dtype.itemsize - 1
    return np.minimum(np.maximum(y, y.dtype.type(0)), y.dtype.type(top))


LeftShift = _binary("LeftShift", lambda x, y: np.left_shift(x, _distance(x, y)), operator.lshift, None)
RightShift = _binary("RightShift", lambda x, y: np.right_shift(x, _distance(x, y)), operator.rshift, None)
Invert = define(
    "Invert", "x: T -> y: T", allowed={"T": INTEGER}, infer=same_shape, kernel=np.invert,
    vjp=lambda c, g: [None], emit=infix("~"), traits=(ELEMENTWISE, INVOLUTION),
)  # fmt: skip


def _population(x: Array) -> Array:
    bits = x.view(f"u{x.dtype.itemsize}") if x.dtype.kind == "i" else x
    return np.bitwise_count(bits).astype(np.uint8)


PopulationCount = define(
    "PopulationCount", "x: T -> y: uint8", allowed={"T": INTEGER}, infer=same_shape, kernel=_population,
    vjp=lambda c, g: [None], traits=(ELEMENTWISE,),
)  # fmt: skip


@provide
def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits that are set in both `x` and `y`.

    >>> import graphrt as tf
    >>> tf.bitwise.bitwise_and(12, 10).numpy().item()
    8
    """
    return BitwiseAnd(x, y, name=name)


@provide
def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits that are set in `x` or `y`.

    >>> import graphrt as tf
    >>> tf.bitwise.bitwise_or(12, 10).numpy().item()
    14
    """
    return BitwiseOr(x, y, name=name)


@provide
def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits in which `x` and `y` differ.

    >>> import graphrt as tf
    >>> tf.bitwise.bitwise_xor(12, 10).numpy().item()
    6
    """
    return BitwiseXor(x, y, name=name)


@provide
def invert(x: TensorLike, name: str | None = None) -> Tensor:
    """Every bit flipped.

    >>> import graphrt as tf
    >>> tf.bitwise.invert([0, 5]).numpy().tolist()
    [-1, -6]
    """
    return Invert(x, name=name)


@provide
def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x` shifted left by `y` bits; a `y` below 0 counts as 0, one too large as the number of bits less one.

    >>> import graphrt as tf
    >>> tf.bitwise.left_shift([1, 3], 2).numpy().tolist()
    [4, 12]
    """
    return LeftShift(x, y, name=name)


@provide
def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x` shifted right by `y` bits (keeping its sign); a `y` out of range counts as the nearest one within.

    >>> import graphrt as tf
    >>> tf.bitwise.right_shift([16, -16], 2).numpy().tolist()
    [4, -4]
    """
    return RightShift(x, y, name=name)


@provide
def population_count(x: TensorLike, name: str | None = None) -> Tensor:
    """How many bits are set, as uint8.

    >>> import graphrt as tf
    >>> from graphrt.ops.math.bitwise import population_count
    >>> population_count([7, -1]).numpy().tolist()
    [3, 32]
    """
    return PopulationCount(x, name=name)
