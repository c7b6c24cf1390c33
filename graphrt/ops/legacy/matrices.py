"""Earlier versions of diagonals, products and least squares."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.legacy.replacements import forwarded
from graphrt.ops.linalg.diagonals import MatrixDiagPartV3, MatrixDiagV3, MatrixSetDiagV3
from graphrt.ops.linalg.matmul import BatchMatMulV2
from graphrt.ops.math.casting import cast
from graphrt.ops.support.kernel_helpers import bad, of_finite, text_of
from graphrt.types.dtype import (
    COMPLEX,
    FLOATING,
    as_dtype,
    float16,
    float32,
    float64,
    int32,
    int64,
)
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, merge

__all__: list[str] = []


# --- matrices --------------------------------------------------------------------------------------------------------
def _plain_diag_dims(c: InferContext) -> Dims:
    dims = c.dims(0)
    if dims is not None and not dims:
        raise ShapeError("Shape must be at least rank 1 but is rank 0")
    return None if dims is None else (*dims, dims[-1])


def _plain_diag(x: Array) -> Array:
    fill = np.zeros((), x.dtype)[()]
    return MatrixDiagV3.compute(x, np.int32(0), np.int32(-1), np.int32(-1), fill, align="RIGHT_LEFT")


def _plain_part_dims(c: InferContext) -> Dims:
    dims = c.dims(0)
    if dims is None:
        return None
    if len(dims) < 2:
        raise ShapeError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    low = None if None in dims[-2:] else min(d for d in dims[-2:] if d is not None)
    return (*dims[:-2], low)


def _plain_part(x: Array) -> Array:
    return MatrixDiagPartV3.compute(x, np.int32(0), np.zeros((), x.dtype)[()], align="RIGHT_LEFT")


def _plain_set(x: Array, diagonal: Array) -> Array:
    return MatrixSetDiagV3.compute(x, diagonal, np.int32(0), align="RIGHT_LEFT")


def _plain_set_dims(c: InferContext) -> Dims:
    merge(_plain_part_dims(c), c.dims(1))
    return c.dims(0)


MatrixDiag = define(
    "MatrixDiag", "diagonal: T -> output: T", infer=_plain_diag_dims, kernel=_plain_diag,
    vjp=lambda call, g: [MatrixDiagPart(g)],
)  # fmt: skip
MatrixDiagPart: OpDef = define(
    "MatrixDiagPart", "input: T -> diagonal: T", infer=_plain_part_dims, kernel=_plain_part,
    vjp=lambda call, g: [MatrixSetDiag(zeros_like(call.inputs[0]), g)],
)  # fmt: skip
MatrixSetDiag: OpDef = define(
    "MatrixSetDiag", "input: T, diagonal: T[1+] -> output: T", infer=_plain_set_dims, kernel=_plain_set,
    vjp=lambda call, g: [MatrixSetDiag(g, zeros_like(call.inputs[1])), MatrixDiagPart(g)],
)  # fmt: skip

# diagonals that are too short begin at the left
_LEFT = {"align": "LEFT_LEFT"}


def _aligned(newer: OpDef, c: InferContext) -> InferContext:
    """What the shape rule of `newer`, which has the attribute `align`, asks of."""
    return InferContext(newer, c.inputs, {**c.attrs, **_LEFT})


MatrixDiagV2 = define(
    "MatrixDiagV2",
    "diagonal: T[1+], k: int32[0..1], num_rows: int32[0], num_cols: int32[0], padding_value: T[0] -> output: T",
    infer=lambda c: MatrixDiagV3.infer(_aligned(MatrixDiagV3, c)),
    kernel=lambda x, k, rows, columns, fill: MatrixDiagV3.compute(x, k, rows, columns, fill, align="LEFT_LEFT"),
    vjp=forwarded(MatrixDiagV3, lambda x, a: (x, _LEFT)),
)  # fmt: skip
MatrixDiagPartV2 = define(
    "MatrixDiagPartV2", "input: T, k: int32[0..1], padding_value: T[0] -> diagonal: T",
    infer=lambda c: MatrixDiagPartV3.infer(_aligned(MatrixDiagPartV3, c)),
    kernel=lambda x, k, fill: MatrixDiagPartV3.compute(x, k, fill, align="LEFT_LEFT"),
    vjp=forwarded(MatrixDiagPartV3, lambda x, a: (x, _LEFT)),
)  # fmt: skip
MatrixSetDiagV2 = define(
    "MatrixSetDiagV2", "input: T[2+], diagonal: T[1+], k: int32[0..1] -> output: T", infer=lambda c: c.dims(0),
    kernel=lambda x, d, k: MatrixSetDiagV3.compute(x, d, k, align="LEFT_LEFT"),
    vjp=forwarded(MatrixSetDiagV3, lambda x, a: (x, _LEFT)),
)  # fmt: skip


def _batch_product_dims(c: InferContext) -> Dims:
    return BatchMatMulV2.infer(c)


def _equal_product_dims(c: InferContext) -> Dims:
    a, b = c.dims(0), c.dims(1)
    if a is not None and b is not None:
        merge(a[:-2], b[:-2])
    return _batch_product_dims(c)


_ADJ = "adj_x: bool = False; adj_y: bool = False; grad_x: bool = False; grad_y: bool = False"
BatchMatMul = define(
    "BatchMatMul", "x: T, y: T -> output: T", attrs="T: type; " + _ADJ,
    allowed={"T": (*FLOATING, int32, int64, *COMPLEX)}, infer=_equal_product_dims,
    kernel=lambda x, y, *, adj_x, adj_y: _equal_batches(x, y, adj_x, adj_y),
    vjp=forwarded(BatchMatMulV2, lambda x, a: (x, a)),
)  # fmt: skip


def _equal_batches(x: Array, y: Array, adj_x: bool, adj_y: bool) -> Array:
    if np.shape(x)[:-2] != np.shape(y)[:-2]:
        raise bad(f"In[0] and In[1] must have compatible batch dimensions: {text_of(x.shape)} vs. {text_of(y.shape)}")
    return BatchMatMulV2.compute(x, y, adj_x=adj_x, adj_y=adj_y)


_WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_PRODUCTS = (*FLOATING, *COMPLEX, *(as_dtype(n) for n in _WHOLE))


def _batch_product_vjp(call: Any, g: Any) -> list[Any]:
    rule = BatchMatMulV2.vjp
    assert rule is not None
    newer = SimpleNamespace(inputs=[cast(x, g.dtype) for x in call.inputs], attrs=call.attrs, outputs=[])
    return [cast(v, x.dtype) for v, x in zip(rule(newer, g), call.inputs)]


BatchMatMulV3 = define(
    "BatchMatMulV3", "x: Ta, y: Tb -> output: Tout", attrs="Ta: type; Tb: type; Tout: type; " + _ADJ,
    allowed={"Ta": _PRODUCTS, "Tb": _PRODUCTS, "Tout": _PRODUCTS}, infer=_batch_product_dims,
    kernel=lambda x, y, *, Tout, adj_x, adj_y: BatchMatMulV2.compute(
        x.astype(Tout.as_numpy_dtype), y.astype(Tout.as_numpy_dtype), adj_x=adj_x, adj_y=adj_y
    ),
    vjp=_batch_product_vjp,
)  # fmt: skip


def _least_squares(matrix: Array, rhs: Array, ridge: Array, *, fast: bool) -> Array:
    if np.ndim(matrix) < 2 or np.ndim(rhs) != np.ndim(matrix) or matrix.shape[:-1] != rhs.shape[:-1]:
        raise bad(f"Input matrix and rhs must have the same number of rows, got {text_of(np.shape(matrix))} and "
                  f"{text_of(np.shape(rhs))}")  # fmt: skip
    turned = np.conj(np.swapaxes(matrix, -1, -2))
    wide = np.result_type(matrix.dtype, np.float64)
    a, t, b = (v.astype(wide) for v in (matrix, turned, rhs))
    m, n = matrix.shape[-2:]
    if not fast:
        found = of_finite(np.linalg.pinv, a) @ b
    elif m >= n and float(ridge):
        found = np.linalg.solve(t @ a + float(ridge) * np.eye(n), t @ b)
    elif float(ridge):
        found = t @ np.linalg.solve(a @ t + float(ridge) * np.eye(m), b)
    else:
        found = of_finite(np.linalg.pinv, a) @ b
    return found.astype(matrix.dtype)


def _least_squares_dims(c: InferContext) -> Dims:
    a, b = c.dims(0), c.dims(1)
    if any(dims is not None and len(dims) < 2 for dims in (a, b)):
        raise ShapeError("Shape must be at least rank 2")
    if a is None:
        return None
    if b is None:
        return (*a[:-2], a[-1], None)
    return (*(merge(a[:-2], b[:-2]) or ()), a[-1], b[-1])


MatrixSolveLs = define(
    "MatrixSolveLs", "matrix: T, rhs: T, l2_regularizer: float64[0] -> output: T", attrs="T: type; fast: bool = True",
    allowed={"T": (float64, float32, float16, *COMPLEX)}, infer=_least_squares_dims, kernel=_least_squares,
)  # fmt: skip
