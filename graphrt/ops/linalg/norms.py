"""Norms of vectors and matrices, and the cross product."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define, provide
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import expand_dims, squeeze, transpose
from graphrt.ops.linalg.decompositions import svd
from graphrt.ops.math.arithmetic import pow as pow_
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal
from graphrt.ops.math.elementwise import abs as abs_
from graphrt.ops.math.elementwise import conj, real, sqrt
from graphrt.ops.math.reduction import reduce_max, reduce_sum
from graphrt.ops.support.kernel_helpers import bad, place_in, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import REAL
from graphrt.types.likes import Array, AxisLike
from graphrt.types.shape import Dims, merge

__all__ = ["cross", "norm", "normalize"]


# --- Cross, norm -----------------------------------------------------------------------------------------------------
def _cross_kernel(a: Array, b: Array) -> Array:
    x, y = np.asarray(a), np.asarray(b)
    if x.shape != y.shape:
        raise bad(f"Both inputs must be of same shape: {text_of(x.shape)} vs. {text_of(y.shape)}")
    if not x.ndim or x.shape[-1] != 3:
        raise errors.FailedPreconditionError(
            None, None, f"Cross-products are only defined for 3-element vectors: {text_of(x.shape)}"
        )
    out = np.empty_like(x)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[..., i] = x[..., j] * y[..., k] - x[..., k] * y[..., j]
    return out


def _cross_dims(c: InferContext) -> Dims:
    dims = merge(c.dims(0), c.dims(1))
    if dims is not None and (not dims or dims[-1] not in (3, None)):
        raise ShapeError(f"Cross-products are only defined for 3-element vectors: {text_of(dims)}")
    return dims


Cross: OpDef = define(
    "Cross", "a: T, b: T -> product: T", allowed={"T": REAL}, infer=_cross_dims, kernel=_cross_kernel,
    vjp=lambda call, g: [Cross(call.inputs[1], g), Cross(g, call.inputs[0])],
)  # fmt: skip


def cross(a: TensorLike, b: TensorLike, name: str | None = None) -> Tensor:
    """The cross product of 3-element vectors.

    >>> import graphrt as tf
    >>> tf.linalg.cross([1, 0, 0], [0, 1, 0]).numpy().tolist()
    [0, 0, 1]

    Raises:
      InvalidArgumentError: the shapes differ.
      FailedPreconditionError: the last dimension is not 3.
    """
    return Cross(a, b, name=name)


@provide
def norm(tensor: TensorLike, ord: float | str = "euclidean", axis: Any = None, keepdims: bool | None = None,
         name: str | None = None) -> Tensor:  # fmt: skip
    """The norm of vectors, matrices (two axes), or of the whole tensor as one vector (axis None).

    >>> import graphrt as tf
    >>> tf.norm([3., 4.]).numpy().item(), tf.norm([3., -4.], ord=1).numpy().item()
    (5.0, 7.0)

    Raises:
      ValueError: there is no such norm.
    """
    pair = isinstance(axis, (tuple, list))
    if pair:
        axis = tuple(axis)
        if len(axis) == 1:
            axis, pair = axis[0], False
        elif len(axis) != 2 or axis[0] == axis[1]:
            raise ValueError(
                errors.at_user_line(
                    "Argument `axis` must be None, an integer, or a tuple of 2 unique integers. "
                    f"Received: axis = {axis}"
                )
            )
    known = ("euclidean", "fro", 1, 2, np.inf) if pair else ("euclidean", 1, 2, np.inf)
    if ord not in known and (isinstance(ord, str) or pair or not ord > 0):
        raise ValueError(
            errors.at_user_line(
                f"'ord' must be a supported {'matrix' if pair else 'vector'} norm in {list(known)}, got {ord}."
            )
        )
    with scope(name, "norm"):
        x = as_tensor(tensor)
        if ord in ("fro", "euclidean", 2) and not (pair and ord == 2):
            squares = reduce_sum(x * conj(x), axis, keepdims=True)
            if x.dtype.is_complex:
                found = cast(real(sqrt(squares)), x.dtype)
            else:  # the root of 0 has no slope: asked for that of 1, the gradient of a norm is 0 there
                none = Equal(squares, zeros_like(squares))
                found = where(none, squares, sqrt(where(none, ones_like(squares), squares)))
        elif pair and ord == 2:
            found = _spectral(x, axis)
        else:
            found = _other_norm(abs_(x), ord, axis, pair)
        return found if keepdims else squeeze(found, axis)


def _other_norm(x: Tensor, ord: Any, axis: Any, pair: bool) -> Tensor:
    if ord == 1:
        sums = reduce_sum(x, axis[0] if pair else axis, keepdims=True)
        return reduce_max(sums, axis[-1], keepdims=True) if pair else sums
    if ord == np.inf:
        if pair:
            return reduce_max(reduce_sum(x, axis[1], keepdims=True), axis[0], keepdims=True)
        return reduce_max(x, axis, keepdims=True)
    return pow_(reduce_sum(pow_(x, ord), axis, keepdims=True), 1.0 / ord)


def _spectral(x: Any, axis: Any) -> Tensor:
    rank = len(x.dims)
    at = [place_in(a, rank) for a in axis]
    rest = [i for i in range(rank) if i not in at]
    order = rest + at
    top = reduce_max(svd(transpose(x, order), compute_uv=False), -1, keepdims=True)
    top = expand_dims(top, -1)
    back = [order.index(i) for i in range(rank)]
    return transpose(top, back)


def normalize(
    tensor: TensorLike, ord: float | str = "euclidean", axis: AxisLike = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """`tensor` divided by its norm, and the norm.

    >>> import graphrt as tf
    >>> tf.linalg.normalize([3., 4.])[1].numpy().tolist()
    [5.0]
    """
    with scope(name, "normalize"):
        x = as_tensor(tensor)
        size = cast(norm(x, ord, axis, keepdims=True), x.dtype)
        return x / size, size
