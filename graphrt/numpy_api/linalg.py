"""NumPy's `linalg` on tensors, as ops."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy

from graphrt.numpy_api.operands import as_floats, axes_in, implements, rank_of, refuse, tensor_of_any, together
from graphrt.numpy_api.ufunc_rules import matmul
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import BroadcastTo, ExpandDims, Shape, Squeeze, broadcast_dynamic_shape, transpose
from graphrt.ops.linalg.decompositions import (
    Cholesky,
    LogMatrixDeterminant,
    MatrixDeterminant,
    MatrixInverse,
    MatrixSolve,
    Qr,
    SelfAdjointEigV2,
    Svd,
    matrix_transpose,
)
from graphrt.ops.linalg.diagonals import diag
from graphrt.ops.linalg.matmul import matmul as matmul_
from graphrt.ops.linalg.matrix_functions import Eig
from graphrt.ops.linalg.norms import norm as norm_
from graphrt.ops.math.arithmetic import Maximum, Pow
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Greater, NotEqual
from graphrt.ops.math.elementwise import Square, real
from graphrt.ops.math.elementwise import abs as abs_
from graphrt.ops.math.reduction import count_nonzero, reduce_euclidean_norm, reduce_max, reduce_sum
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types import dtype as dtypes
from graphrt.types.likes import AxisLike, TensorLike
from graphrt.types.nesting import bounded, shown

if TYPE_CHECKING:
    pass

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know

__all__: list[str] = []


# --- matrices --------------------------------------------------------------------------------------------------------
def _matrix(a: Any) -> Tensor:
    return as_floats(tensor_of_any(a))


def _adjoint(x: Tensor) -> Tensor:
    return matrix_transpose(x, conjugate=x.dtype.is_complex)


@implements(np.linalg.inv)
def _inv(a: TensorLike) -> Tensor:
    return MatrixInverse(_matrix(a))


@implements(np.linalg.det)
def _det(a: TensorLike) -> Tensor:
    return MatrixDeterminant(_matrix(a))


@implements(np.linalg.slogdet)
def _slogdet(a: TensorLike) -> Any:
    sign, log = LogMatrixDeterminant(_matrix(a))
    return type(np.linalg.slogdet(np.eye(1)))(sign, real(log))


@implements(np.linalg.solve)
def _solve(a: TensorLike, b: TensorLike) -> Tensor:
    x, y = (as_floats(v) for v in together([a, b]))
    if rank_of(y) == 1:
        return Squeeze(_solved(x, ExpandDims(y, -1)), squeeze_dims=[-1])
    return _solved(x, y)


def _solved(x: Any, y: Any) -> Tensor:
    if rank_of(x) != rank_of(y) or x.dims[:-2] != y.dims[:-2]:  # MatrixSolve does not broadcast
        lead = broadcast_dynamic_shape(Shape(x)[:-2], Shape(y)[:-2])
        x, y = (BroadcastTo(v, concat([lead, Shape(v)[-2:]], 0)) for v in (x, y))
    return MatrixSolve(x, y)


@implements(np.linalg.cholesky)
def _cholesky(a: TensorLike, /, *, upper: bool = False) -> Tensor:
    found = Cholesky(_matrix(a) if not upper else _adjoint(_matrix(a)))
    return _adjoint(found) if upper else found


@implements(np.linalg.qr)
def _qr(a: TensorLike, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "complete", "r"):
        return NotImplemented
    q, r = Qr(_matrix(a), full_matrices=mode == "complete")
    return r if mode == "r" else type(np.linalg.qr(np.eye(1)))(q, r)


@implements(np.linalg.svd)
def _svd(a: TensorLike, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    s, u, v = Svd(_matrix(a), compute_uv=compute_uv, full_matrices=full_matrices)
    s = real(s)
    return type(np.linalg.svd(np.eye(1)))(u, s, _adjoint(v)) if compute_uv else s


@implements(np.linalg.svdvals)
def _svdvals(x: TensorLike, /) -> Tensor:
    return _svd(x, compute_uv=False)


@implements(np.linalg.eigh)
def _eigh(a: TensorLike, UPLO: str = "L") -> Any:
    x = _matrix(a)
    if UPLO.upper() not in ("L", "U"):
        refuse("UPLO argument must be 'L' or 'U'")
    values, vectors = SelfAdjointEigV2(_adjoint(x) if UPLO.upper() == "U" else x, compute_v=True)
    return type(np.linalg.eigh(np.eye(1)))(real(values), vectors)


@implements(np.linalg.eigvalsh)
def _eigvalsh(a: TensorLike, UPLO: str = "L") -> Tensor:
    return _eigh(a, UPLO)[0]


@implements(np.linalg.matrix_rank)
def _matrix_rank(
    A: TensorLike, tol: TensorLike | None = None, hermitian: bool = False, *, rtol: TensorLike | None = None
) -> Tensor:
    x = _matrix(A)
    s = _svd(x, compute_uv=False)
    largest = reduce_max(s, -1, True)
    if tol is None:
        sizes = cast(reduce_max(Shape(x)[-2:]), s.dtype)
        relative = sizes * np.finfo(s.dtype.as_numpy_dtype).eps if rtol is None else _per_matrix(rtol, s)
        tol = largest * relative
    else:
        tol = _per_matrix(tol, s)
    return count_nonzero(Greater(s, tol), -1)


def _per_matrix(value: TensorLike, like: Tensor) -> Tensor:
    found = cast(value, like.dtype)
    return ExpandDims(found, -1) if found.dims != () else found


@implements(np.linalg.pinv)
def _pinv(
    a: TensorLike, rcond: TensorLike | None = None, hermitian: bool = False, *, rtol: TensorLike | None = None
) -> Tensor:
    x = _matrix(a)
    u, s, vh = _svd(x, full_matrices=False)
    relative = rcond if rtol is None else rtol
    if relative is None:
        relative = 1e-15
    kept = Greater(s, reduce_max(s, -1, True) * _per_matrix(relative, s))
    inverse = where(kept, 1 / where(kept, s, ones_like(s)), zeros_like(s))
    return matmul_(_adjoint(vh), ExpandDims(cast(inverse, x.dtype), -1) * _adjoint(u))


def _check_square(x: Any) -> None:
    if rank_of(x) < 2 or (None not in x.dims[-2:] and x.dims[-1] != x.dims[-2]):
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")


@implements(np.linalg.matrix_power)
@bounded
def _matrix_power(a: TensorLike, n: int) -> Tensor:
    x = tensor_of_any(a)
    _check_square(x)
    if n < 0:
        x, n = _inv(x), -n
    found = None
    while n:
        if n & 1:
            found = x if found is None else matmul_(found, x)
        n >>= 1
        if n:
            x = matmul_(x, x)
    if found is None:
        return diag(ones_like(x[..., 0]))
    return found


@implements(np.linalg.multi_dot)
def _multi_dot(arrays: TensorLike) -> Tensor:
    found, *rest = together(arrays)
    if any(rank_of(x) != 2 for x in rest[:-1]) or any(rank_of(x) not in (1, 2) for x in (found, *rest[-1:])):
        raise np.linalg.LinAlgError("arrays must be two-dimensional, the first and the last one may be vectors")
    for x in rest:
        found = matmul(found, x)
    return found


@implements(np.linalg.cond)
def _cond(x: TensorLike, p: TensorLike | None = None) -> Tensor:
    m = _matrix(x)
    if m.dims is not None and 0 in m.dims:
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    if p is None or p == 2:
        s = _svd(m, compute_uv=False)
        return s[..., 0] / s[..., -1]
    if p == -2:
        s = _svd(m, compute_uv=False)
        return s[..., -1] / s[..., 0]
    return _norm(m, p, (-2, -1)) * _norm(_inv(m), p, (-2, -1))


@implements(np.linalg.lstsq)
def _lstsq(a: TensorLike, b: TensorLike, rcond: TensorLike | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    x, y = (as_floats(v) for v in together([a, b]))
    rows, columns = x.dims
    if rows is None or columns is None:
        return NotImplemented
    s = _svd(x, compute_uv=False)
    relative = np.finfo(s.dtype.as_numpy_dtype).eps * max(rows, columns) if rcond in (None, -1) else rcond
    column = ExpandDims(y, -1) if rank_of(y) == 1 else y
    found = matmul_(_pinv(x, relative), column)
    left = reduce_sum(Square(abs_(column - matmul_(x, found))), 0)
    rank = cast(_matrix_rank(x, rtol=relative), dtypes.int32)
    missing = left[:0] if rows <= columns else left
    if rank_of(y) == 1:
        found = Squeeze(found, squeeze_dims=[-1])
    return found, missing, rank, s


@implements(np.linalg.eig)
def _eig(a: Any) -> Any:
    x = _matrix(a)
    if not x.dtype.is_complex:
        return NotImplemented  # NumPy gives real numbers or complex ones, as the values happen to be
    values, vectors = Eig(x, compute_v=True, Tout=x.dtype)
    return type(np.linalg.eig(np.eye(1)))(values, vectors)


@implements(np.linalg.eigvals)
def _eigvals(a: Any) -> Any:
    found = _eig(a)
    return found if found is NotImplemented else found[0]


# --- norms -----------------------------------------------------------------------------------------------------------
def _vector_norm_of(x: Tensor, ord: Any, axis: Any, keepdims: bool) -> Tensor:
    if ord is None or ord == 2:
        several = isinstance(axis, (list, tuple))
        if not several or len(axis) in (1, 2):
            place = axis[0] if several and len(axis) == 1 else tuple(axis) if several else axis
            return real(norm_(x, axis=place, keepdims=keepdims))
        return real(reduce_euclidean_norm(abs_(x), axis, keepdims))
    size = abs_(x)
    if ord == math.inf:
        return Maximum(reduce_max(size, axis, keepdims), 0)  # which is that of nothing
    if ord == -math.inf:
        return np.min(size, axis=axis, keepdims=keepdims)
    if ord == 0:
        return reduce_sum(cast(NotEqual(size, 0), size.dtype), axis, keepdims)
    if ord == 1:
        return reduce_sum(size, axis, keepdims)
    exponent = convert_to_tensor(ord, size.dtype)
    return Pow(reduce_sum(Pow(size, exponent), axis, keepdims), 1 / exponent)


def _matrix_norm_of(x: Tensor, ord: Any, axis: tuple[int, int], keepdims: bool) -> Tensor:
    row, column = axes_in(axis, rank_of(x), "axis")
    if ord in (None, "fro"):
        return _vector_norm_of(x, 2, [row, column], keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        summed, best = (row, column) if abs(ord) == 1 else (column, row)
        sums = reduce_sum(abs_(x), summed, True)
        found = Maximum(reduce_max(sums, best, True), 0) if ord > 0 else np.min(sums, axis=best, keepdims=True)
    elif ord in (2, -2, "nuc"):
        order = [i for i in range(rank_of(x)) if i not in (row, column)] + [row, column]
        s = _svd(transpose(x, order), compute_uv=False)
        found = reduce_sum(s, -1) if ord == "nuc" else s[..., 0] if ord == 2 else s[..., -1]
        if not keepdims:
            return found
        for place in sorted((row, column)):
            found = ExpandDims(found, place)
        return found
    else:
        raise ValueError(f"Invalid norm order {shown(ord)} for matrices.")
    return found if keepdims else Squeeze(found, squeeze_dims=[row, column])


@implements(np.linalg.norm)
def _norm(x: TensorLike, ord: TensorLike | None = None, axis: Any = None, keepdims: bool = False) -> Tensor:
    t = _matrix(x)
    if axis is None:
        if ord is None:
            return _vector_norm_of(t, 2, None, keepdims)
        axis = tuple(range(rank_of(t)))
        if len(axis) not in (1, 2):
            raise ValueError("Improper number of dimensions to norm.")
    axes = (axis,) if isinstance(axis, (int, np.integer)) else tuple(axis)
    if len(axes) == 1:
        return _vector_norm_of(t, ord, axes[0], keepdims)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    return _matrix_norm_of(t, ord, axes, keepdims)


@implements(np.linalg.vector_norm)
def _vector_norm(x: TensorLike, /, *, axis: AxisLike = None, keepdims: bool = False, ord: TensorLike = 2) -> Tensor:
    return _vector_norm_of(_matrix(x), ord, None if axis is None else np.atleast_1d(axis).tolist(), keepdims)


@implements(np.linalg.matrix_norm)
def _matrix_norm(x: TensorLike, /, *, keepdims: bool = False, ord: TensorLike = "fro") -> Tensor:
    return _matrix_norm_of(_matrix(x), ord, (-2, -1), keepdims)
