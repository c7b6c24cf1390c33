"""Matrices: products, contractions, factorizations, solving, diagonals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.code import Code, Template
from graphrt.ir.graph import InferContext, Node
from graphrt.ir.op import MATRIX_PRODUCT, define, ops, provide  # late: legacy imports this file
from graphrt.ops.math.elementwise import conj
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.ops.support.never_fails import static_shapes
from graphrt.ops.support.shape_rules import as_tensor, runs_now, unbroadcast_to
from graphrt.tensor.changes import SWITCH
from graphrt.tensor.promotion import promoted
from graphrt.tensor.tensor import EagerTensor, Tensor, TensorLike, raw_of
from graphrt.types.dtype import COMPLEX, FLOATING, DType, as_dtype, int32, int64
from graphrt.types.float_warnings import silently
from graphrt.types.likes import Array, DTypeLike
from graphrt.types.shape import Dims, broadcast

__all__ = ["matmul"]

_MATMUL = (*FLOATING, int32, int64, as_dtype("uint8"), as_dtype("uint16"), as_dtype("uint32"), as_dtype("uint64"),
           *COMPLEX)  # fmt: skip
_BATCH_MATMUL = (*_MATMUL, as_dtype("int16"), as_dtype("int8"))


# --- products --------------------------------------------------------------------------------------------------------
def _product_dims(c: InferContext) -> Dims:
    a, b = c.dims(0), c.dims(1)
    for dims in (a, b):
        if dims is not None and len(dims) != 2:
            raise ShapeError(f"Shape must be rank 2 but is rank {len(dims)}")
    a, b = a or (None, None), b or (None, None)
    a = a[::-1] if c.attrs["transpose_a"] else a
    b = b[::-1] if c.attrs["transpose_b"] else b
    if a[1] is not None and b[0] is not None and a[1] != b[0]:
        raise ShapeError(f"Dimensions must be equal, but are {a[1]} and {b[0]}")
    return (a[0], b[1])


def _product(a: Any, b: Any) -> Array:
    """The product in the dtype of its operands. Of floats of two bytes it is summed in float32, as NumPy does it slowly."""
    dtype = a.dtype
    if dtype.itemsize != 2 or dtype.kind in "iu":
        return np.matmul(a, b)
    return np.matmul(a.astype(np.float32), b.astype(np.float32)).astype(dtype)


def _matmul_kernel(a: Array, b: Array, *, transpose_a: bool, transpose_b: bool) -> Array:
    if np.ndim(a) != 2 or np.ndim(b) != 2:
        which = 0 if np.ndim(a) != 2 else 1
        raise bad(f"In[{which}] is not a matrix. Instead it has shape {text_of(np.shape((a, b)[which]))}")
    left = a.T if transpose_a else a
    right = b.T if transpose_b else b
    if left.shape[1] != right.shape[0]:
        raise bad(f"Matrix size-incompatible: In[0]: {text_of(a.shape)}, In[1]: {text_of(b.shape)}")
    return _product(left, right)


_CALL = Template("{}({}, {})")
_TRANSPOSED = Template("{}.T")


def _emit_matmul(emitter: Any, node: Node, inputs: list[Code]) -> list[Code] | None:
    """The product itself, where the kernel would find nothing to ask: that takes longer than a small product."""
    dtype = node.inputs[0].dtype
    is_half = dtype.kind == "f" and dtype.size == 2
    if dtype.kind not in "fiuc" or is_half or any(v.dims is None or len(v.dims) != 2 for v in node.inputs):
        return None
    turned = node.attrs["transpose_a"], node.attrs["transpose_b"]
    return [_CALL(emitter.bind(np.matmul, "np_matmul"), *(_TRANSPOSED(i) if t else i for i, t in zip(inputs, turned)))]


def _matmul_vjp(call: Any, g: object) -> list[Any]:
    a, b = call.inputs
    ta, tb = call.attrs["transpose_a"], call.attrs["transpose_b"]
    a, b = conj(a), conj(b)
    if not ta and not tb:
        return [MatMul(g, b, transpose_b=True), MatMul(a, g, transpose_a=True)]
    if not ta and tb:
        return [MatMul(g, b), MatMul(g, a, transpose_a=True)]
    if ta and not tb:
        return [MatMul(b, g, transpose_b=True), MatMul(a, g)]
    return [
        MatMul(b, g, transpose_a=True, transpose_b=True),
        MatMul(g, a, transpose_a=True, transpose_b=True),
    ]


MatMul = define(
    "MatMul", "a: T, b: T -> product: T",
    attrs="transpose_a: bool = False; transpose_b: bool = False; T: type; grad_a: bool = False; grad_b: bool = False",
    allowed={"T": _MATMUL}, infer=_product_dims, kernel=_matmul_kernel, vjp=_matmul_vjp, emit=_emit_matmul,
    never_fails=static_shapes, traits=(MATRIX_PRODUCT,),
)  # fmt: skip


def _batch_dims(c: InferContext) -> Dims:
    a, b = c.dims(0), c.dims(1)
    for dims in (a, b):
        if dims is not None and len(dims) < 2:
            raise ShapeError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    if a is None or b is None:
        return None
    rows, inner_a = a[-2:][::-1] if c.attrs["adj_x"] else a[-2:]
    inner_b, columns = b[-2:][::-1] if c.attrs["adj_y"] else b[-2:]
    if inner_a is not None and inner_b is not None and inner_a != inner_b:
        raise ShapeError(f"Dimensions must be equal, but are {inner_a} and {inner_b}")
    lead = broadcast(a[:-2], b[:-2])
    return None if lead is None else lead + (rows, columns)


def _adjoint(x: Array) -> Array:
    return np.conj(np.swapaxes(x, -1, -2)) if x.dtype.kind == "c" else np.swapaxes(x, -1, -2)


def _batch_kernel(x: Array, y: Array, *, adj_x: bool, adj_y: bool) -> Array:
    for i, v in enumerate((x, y)):
        if np.ndim(v) < 2:
            raise bad(f"In[{i}] ndims must be >= 2: {np.ndim(v)}")
    left = _adjoint(x) if adj_x else x
    right = _adjoint(y) if adj_y else y
    if left.shape[-1] != right.shape[-2]:
        raise bad(f"Matrix size-incompatible: In[0]: {text_of(x.shape)}, In[1]: {text_of(y.shape)}")
    try:
        return _product(left, right)
    except ValueError:
        raise bad(
            f"In[0] and In[1] must have compatible batch dimensions: {text_of(x.shape)} vs. {text_of(y.shape)}"
        ) from None


def _batch_vjp(call: Any, g: object) -> list[Any]:
    x, y = call.inputs
    ax, ay = call.attrs["adj_x"], call.attrs["adj_y"]
    if not ax and not ay:
        gx, gy = BatchMatMulV2(g, y, adj_y=True), BatchMatMulV2(x, g, adj_x=True)
    elif not ax:
        gx, gy = BatchMatMulV2(g, y), BatchMatMulV2(g, x, adj_x=True)
    elif not ay:
        gx, gy = BatchMatMulV2(y, g, adj_y=True), BatchMatMulV2(x, g)
    else:
        gx, gy = BatchMatMulV2(y, g, adj_x=True, adj_y=True), BatchMatMulV2(g, x, adj_x=True, adj_y=True)
    return [_sum_batch(gx, x), _sum_batch(gy, y)]


def _sum_batch(g: Tensor, x: Tensor) -> Tensor:
    return unbroadcast_to(g, x)


BatchMatMulV2 = define(
    "BatchMatMulV2", "x: T, y: T -> output: T",
    attrs="T: type; adj_x: bool = False; adj_y: bool = False; grad_x: bool = False; grad_y: bool = False",
    allowed={"T": _BATCH_MATMUL}, infer=_batch_dims, kernel=_batch_kernel, vjp=_batch_vjp,
    never_fails=static_shapes, traits=(MATRIX_PRODUCT,),
)  # fmt: skip


@provide
def matmul(
    a: TensorLike, b: TensorLike, transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False,
    adjoint_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False, output_type: DTypeLike | None = None,
    grad_a: bool = False, grad_b: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The matrix product of `a` and `b`, over the last two dimensions; the others are a batch, and broadcast.

    >>> import graphrt as tf
    >>> tf.matmul([[1, 2], [3, 4]], [[5], [6]]).numpy().tolist()
    [[17], [39]]

    With an `output_type` that is not their own the operands may have two dtypes; what is computed has that type.

    Raises:
      InvalidArgumentError: the inner dimensions differ (ValueError too, where they are known while tracing).
      ValueError: an operand is to be both transposed and adjoined.
    """
    if SWITCH.promoting:
        options = (
            transpose_a,
            transpose_b,
            adjoint_a,
            adjoint_b,
            a_is_sparse,
            b_is_sparse,
            output_type,
            grad_a,
            grad_b,
        )
        if (found := promoted(matmul, a, b, *options, name)) is not None:
            return found
    if type(a) is EagerTensor and type(b) is EagerTensor and runs_now():
        flags = transpose_a or transpose_b or adjoint_a or adjoint_b or output_type
        if not flags and a.dtype is b.dtype and a.dtype in _MATMUL:
            x, y = raw_of(a), raw_of(b)
            if x.ndim > 1 and y.ndim > 1:
                try:
                    return EagerTensor(silently(_product, x, y))
                except ValueError:
                    pass  # the long way finds the message
    for transposed, adjoint, which in ((transpose_a, adjoint_a, "a"), (transpose_b, adjoint_b, "b")):
        if transposed and adjoint:
            raise ValueError(errors.at_user_line(f"Only one of `transpose_{which}` and `adjoint_{which}` can be True."))
    node = name or "MatMul"
    arrays = isinstance(a, _ARRAYS) and isinstance(b, _ARRAYS)
    left = _factor(a, None if arrays else getattr(b, "dtype", None), f"{node}/a")
    right = _factor(b, left.dtype, f"{node}/b")
    flip_a, flip_b = transpose_a or adjoint_a, transpose_b or adjoint_b
    wanted = None if output_type is None else as_dtype(output_type)
    wider = wanted is not None and (wanted is not left.dtype or wanted is not right.dtype)
    rank_a = None if left.dims is None else len(left.dims)
    rank_b = None if right.dims is None else len(right.dims)
    if wider or rank_a is None or rank_a > 2 or rank_b is None or rank_b > 2:
        if transpose_a:
            left = conj(left)
        if transpose_b:
            right = conj(right)
        how: dict[str, Any] = {"adj_x": flip_a, "adj_y": flip_b, "grad_x": grad_a, "grad_y": grad_b, "name": node}
        if wider:  # products and sums are of that type, so that small integers do not overflow
            return ops.BatchMatMulV3(left, right, Tout=wanted, **how)
        product = BatchMatMulV2(left, right, **how)
    else:
        if adjoint_a:
            left = conj(left)
        if adjoint_b:
            right = conj(right)
        product = MatMul(left, right, transpose_a=flip_a, transpose_b=flip_b, grad_a=grad_a, grad_b=grad_b, name=node)
    return product


_ARRAYS = (np.ndarray, np.generic)


def _factor(x: Any, beside: DType | None, name: str) -> Tensor:
    """A factor as a tensor: an array or a list takes the dtype of what stands beside it, where it fits that."""
    if beside is not None and isinstance(x, _ARRAYS):
        try:
            return as_tensor(x, beside, name=name)
        except (TypeError, ValueError):
            return as_tensor(x, name=name)
    return as_tensor(x, None if hasattr(x, "dtype") else beside, name=name)


def substituted(a: Any, b: Any, lower: bool) -> Any:
    """The solution of triangular systems, row by row: what stands in the other half is not read.

    A 0 on the diagonal makes infinities and NaN, as in TensorFlow.
    """
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = np.array(np.broadcast_to(b, (*lead, *b.shape[-2:])), np.result_type(a, b))
    count = a.shape[-1]
    for i in range(count) if lower else range(count - 1, -1, -1):
        known = slice(0, i) if lower else slice(i + 1, count)
        rest = np.matmul(a[..., i : i + 1, known], x[..., known, :])[..., 0, :]
        x[..., i, :] = (x[..., i, :] - rest) / a[..., i, i, None]
    return x


def without_nan(a: Any) -> Any:
    """A matrix that may have an inverse.

    Raises:
      LinAlgError: it holds NaN.
    """
    if np.isnan(a).any():
        raise np.linalg.LinAlgError("NaN")
    return a


def finite_or_nan(run: Callable[[Any], Any], matrices: Any, why: str) -> Any:
    """`run(matrices)`; what comes of those that hold infinities or NaN, and that LAPACK refuses, is NaN.

    Raises:
      InvalidArgumentError: LAPACK refuses others; it says `why`.
    """
    try:
        return run(matrices)
    except np.linalg.LinAlgError:
        odd = ~np.isfinite(matrices).all(axis=(-2, -1))
        unit = np.eye(matrices.shape[-1], dtype=matrices.dtype)
        try:
            found = np.array(run(np.where(odd[..., None, None], unit, matrices)))
        except np.linalg.LinAlgError:
            raise bad(why) from None
        found[np.broadcast_to(odd, found.shape[:-2])] = np.nan
        return found
