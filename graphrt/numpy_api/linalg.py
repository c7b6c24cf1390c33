"""NumPy's `linalg` and `fft` on tensors, as ops."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy

from graphrt.ir.op import OpDef
from graphrt.numpy_api.operands import as_floats, implements, rank_of, tensor_of_any, together
from graphrt.numpy_api.ufuncs import matmul
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.padding import PadV2, roll
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import BroadcastTo, ExpandDims, Reshape, Shape, Squeeze, broadcast_dynamic_shape, transpose
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
from graphrt.ops.math.elementwise import Sqrt, Square, conj, real
from graphrt.ops.math.elementwise import abs as abs_
from graphrt.ops.math.reduction import count_nonzero, reduce_euclidean_norm, reduce_max, reduce_min, reduce_sum
from graphrt.ops.signal.fft import FFT, IFFT, IRFFT, RFFT
from graphrt.ops.support.kernel_helpers import place_in
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types import dtype as dtypes
from graphrt.types.likes import AxisLike, ShapeLike, TensorLike
from graphrt.types.nesting import bounded, shown

if TYPE_CHECKING:
    from graphrt.ir.op import OpDef

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


@implements(np.linalg.matrix_power)
@bounded
def _matrix_power(a: TensorLike, n: int) -> Tensor:
    x = tensor_of_any(a)
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
    for x in rest:
        found = matmul(found, x)
    return found


@implements(np.linalg.cond)
def _cond(x: TensorLike, p: TensorLike | None = None) -> Tensor:
    m = _matrix(x)
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
        return reduce_max(size, axis, keepdims)
    if ord == -math.inf:
        return reduce_min(size, axis, keepdims)
    if ord == 0:
        return reduce_sum(cast(NotEqual(size, 0), size.dtype), axis, keepdims)
    if ord == 1:
        return reduce_sum(size, axis, keepdims)
    exponent = convert_to_tensor(ord, size.dtype)
    return Pow(reduce_sum(Pow(size, exponent), axis, keepdims), 1 / exponent)


def _matrix_norm_of(x: Tensor, ord: Any, axis: tuple[int, int], keepdims: bool) -> Tensor:
    row, column = (place_in(i, rank_of(x)) for i in axis)
    if ord in (None, "fro"):
        return _vector_norm_of(x, 2, [row, column], keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        summed, best = (row, column) if abs(ord) == 1 else (column, row)
        sums = reduce_sum(abs_(x), summed, True)
        found = (reduce_max if ord > 0 else reduce_min)(sums, best, True)
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


# --- Fourier ---------------------------------------------------------------------------------------------------------
def _complex(x: Any) -> Tensor:
    x = as_floats(tensor_of_any(x))
    if x.dtype.is_complex:
        return x
    return cast(x, dtypes.complex64 if x.dtype is dtypes.float32 else dtypes.complex128)


def _real(x: Any) -> Tensor:
    x = as_floats(tensor_of_any(x))
    if x.dtype.is_complex:
        raise TypeError("the input of a real Fourier transform must be real")
    return x


def _resized(x: Any, n: int | None, axis: int) -> Tensor:
    """`x` cut, or filled with zeros, to `n` elements along `axis`."""
    if n is None:
        return x
    size = Shape(x)[axis]
    place = place_in(axis, rank_of(x))
    x = x[(*(slice(None),) * place, slice(None, n))]
    extra = Maximum(n - size, 0)
    widths = [[0, extra if i == place else 0] for i in range(rank_of(x))]
    found = PadV2(x, convert_to_tensor(widths), convert_to_tensor(0, x.dtype))
    found.set_shape([n if i == place else d for i, d in enumerate(x.dims)])
    return found


def _last(x: Tensor, axis: int, function: Callable[..., Any] | OpDef) -> Tensor:
    """`function` along `axis`, which it expects to be the last one."""
    rank = rank_of(x)
    place = place_in(axis, rank)
    if place == rank - 1:
        return function(x)
    order = [i for i in range(rank) if i != place] + [place]
    back = [order.index(i) for i in range(rank)]
    return transpose(function(transpose(x, order)), back)


def _last_size(x: Any) -> Tensor | list[int]:
    size = x.dims[-1]
    return [size] if size is not None else Shape(x)[-1:]


def _scaled(found: Tensor, n: Callable[..., Any] | Tensor | int, norm: str | None, inverse: bool) -> Tensor:
    """From the ops' scaling (1 forwards, 1/n backwards) to that of `norm`."""
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f"Invalid norm value {norm}; should be 'backward', 'ortho' or 'forward'.")
    if norm in (None, "backward"):
        return found
    size = cast(cast(n() if callable(n) else n, dtypes.float64), found.dtype)
    factor = Sqrt(size) if norm == "ortho" else size
    return found * factor if inverse else found / factor


def _one(op: OpDef, inverse: bool) -> Callable[..., Any]:
    def transform(a: Tensor, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
        x = _resized(_complex(a), n, axis)
        return _scaled(_last(x, axis, op), lambda: Shape(x)[axis], norm, inverse)

    return transform


_fft = implements(np.fft.fft)(_one(FFT, False))
_ifft = implements(np.fft.ifft)(_one(IFFT, True))


@implements(np.fft.rfft)
def _rfft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    x = _resized(_real(a), n, axis)
    result = dtypes.complex64 if x.dtype is dtypes.float32 else dtypes.complex128
    found = _last(x, axis, lambda t: RFFT(t, _last_size(t), Tcomplex=result))
    return _scaled(found, lambda: Shape(x)[axis], norm, False)


@implements(np.fft.irfft)
def _irfft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    x = _complex(a)
    size = (Shape(x)[axis] - 1) * 2 if n is None else n
    x = x if n is None else _resized(x, n // 2 + 1, axis)
    result = dtypes.float32 if x.dtype is dtypes.complex64 else dtypes.float64
    found = _last(x, axis, lambda t: IRFFT(t, Reshape(size, [1]), Treal=result))
    return _scaled(found, size, norm, True)


_TURNED = MappingProxyType({None: "forward", "backward": "forward", "forward": "backward"})  # norms, other way round


@implements(np.fft.hfft)
def _hfft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    return _irfft(conj(_complex(a)), n, axis, _TURNED.get(norm, norm))


@implements(np.fft.ihfft)
def _ihfft(a: TensorLike, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    return conj(_rfft(a, n, axis, _TURNED.get(norm, norm)))


def _axes(x: Any, s: Any, axes: Any) -> list[tuple[int, int | None]]:
    if axes is None:
        axes = range(rank_of(x)) if s is None else range(-len(s), 0)
    sizes = [None if n in (None, -1) else int(n) for n in s] if s is not None else [None] * len(axes)
    return list(zip(axes, sizes))


def _many(one: Callable[..., Any]) -> Callable[..., Any]:
    def transform(
        a: Tensor, s: tuple[int, ...] | None = None, axes: tuple[int, ...] | None = None, norm: str | None = None
    ) -> Tensor:
        x = tensor_of_any(a)
        for axis, n in reversed(_axes(x, s, axes)):
            x = one(x, n, axis, norm)
        return x

    return transform


_fftn = implements(np.fft.fftn)(_many(_fft))
_ifftn = implements(np.fft.ifftn)(_many(_ifft))


@implements(np.fft.fft2)
def _fft2(a: TensorLike, s: ShapeLike = None, axes: AxisLike = (-2, -1), norm: str | None = None) -> Tensor:
    return _fftn(a, s, axes, norm)


@implements(np.fft.ifft2)
def _ifft2(a: TensorLike, s: ShapeLike = None, axes: AxisLike = (-2, -1), norm: str | None = None) -> Tensor:
    return _ifftn(a, s, axes, norm)


@implements(np.fft.rfftn)
def _rfftn(a: TensorLike, s: ShapeLike = None, axes: AxisLike = None, norm: str | None = None) -> Tensor:
    x = tensor_of_any(a)
    *rest, (last, n) = _axes(x, s, axes)
    x = _rfft(x, n, last, norm)
    for axis, n in reversed(rest):
        x = _fft(x, n, axis, norm)
    return x


@implements(np.fft.irfftn)
def _irfftn(a: TensorLike, s: ShapeLike = None, axes: AxisLike = None, norm: str | None = None) -> Tensor:
    x = tensor_of_any(a)
    *rest, (last, n) = _axes(x, s, axes)
    for axis, size in rest:
        x = _ifft(x, size, axis, norm)
    return _irfft(x, n, last, norm)


@implements(np.fft.rfft2)
def _rfft2(a: TensorLike, s: ShapeLike = None, axes: AxisLike = (-2, -1), norm: str | None = None) -> Tensor:
    return _rfftn(a, s, axes, norm)


@implements(np.fft.irfft2)
def _irfft2(a: TensorLike, s: ShapeLike = None, axes: AxisLike = (-2, -1), norm: str | None = None) -> Tensor:
    return _irfftn(a, s, axes, norm)


def _shift(a: Any, axes: Any, half: Callable[..., Any]) -> Tensor:
    x = tensor_of_any(a)
    places = list(range(rank_of(x))) if axes is None else np.atleast_1d(axes).tolist()
    return roll(x, [half(Shape(x)[i]) for i in places], places)


@implements(np.fft.fftshift)
def _fftshift(x: TensorLike, axes: AxisLike = None) -> Tensor:
    return _shift(x, axes, lambda n: n // 2)


@implements(np.fft.ifftshift)
def _ifftshift(x: TensorLike, axes: int | None = None) -> Tensor:
    return _shift(x, axes, lambda n: -(n // 2))
