"""Factorizations of matrices, and what they solve: Cholesky, QR, eigenvalues, singular values, inverses."""

# long: one subject, each op with its kernel, shape rule and gradient
from __future__ import annotations

from typing import Any, Literal, NamedTuple, overload

import numpy as np

from graphrt import errors
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define, provide
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import eye, zeros_like
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import expand_dims, rank, transpose
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.slicing import getitem
from graphrt.ops.linalg.diagonals import band_part, diag, diag_part, set_diag
from graphrt.ops.linalg.matmul import finite_or_nan, matmul, substituted, without_nan
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import conj, real, square
from graphrt.ops.math.reduction import reduce_max, reduce_sum
from graphrt.ops.support.kernel_helpers import bad, of_finite, text_of, unwrapped
from graphrt.ops.support.shape_rules import as_tensor, unbroadcast_to
from graphrt.tensor.context import scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import COMPLEX, float16, float32, float64
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, broadcast, merge

__all__ = [
    "adjoint", "cholesky", "cholesky_solve", "det", "eigh", "eigvalsh", "inv", "lstsq", "matrix_rank",
    "matrix_transpose", "pinv", "qr", "slogdet", "solve", "svd", "triangular_solve",
]  # fmt: skip

_TYPES = (float16, float32, float64, *COMPLEX)


# --- what the rules share --------------------------------------------------------------------------------------------
def _square(c: InferContext, index: int = 0) -> Dims:
    dims = c.dims(index)
    if dims is None:
        return None
    if len(dims) < 2:
        raise errors.ShapeError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    size = merge(dims[-1:], dims[-2:-1])
    return (*dims[:-2], size[0], size[0])  # type: ignore[index]


def _check_square(x: Array) -> Array:
    array = np.asarray(x)
    if array.ndim < 2:
        raise bad(f"Input tensor 0 must have rank >= 2, got {array.ndim}")
    if array.shape[-1] != array.shape[-2]:
        raise bad(f"Input matrix must be square: {text_of(array.shape)}")
    return array


def _wide(array: Array) -> Array:
    return array.astype(np.float32) if array.dtype == np.float16 else array


def _like(result: Array, array: Array) -> Array:
    return unwrapped(np.asarray(result).astype(array.dtype, copy=False))


def _adj(x: Array) -> Array:
    return np.conj(np.swapaxes(x, -1, -2))


@provide
def matrix_transpose(a: TensorLike, name: str | None = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """Each matrix transposed (conjugated on request): the last two dimensions exchanged.

    >>> import graphrt as tf
    >>> tf.linalg.matrix_transpose([[1, 2]]).numpy().tolist()
    [[1], [2]]

    Raises:
      ValueError: the tensor has rank below 2.
    """
    with scope(name, "matrix_transpose") as own:
        x = as_tensor(a)
        if x.dims is None:
            axes = rank(x)
            perm = concat([range_(axes - 2), stack([axes - 1, axes - 2])], 0)
            return transpose(x, perm, conjugate=conjugate, name=own)
        if len(x.dims) < 2:
            raise ValueError(
                errors.at_user_line(f"Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {x!r}")
            )
        order = [*range(len(x.dims) - 2), len(x.dims) - 1, len(x.dims) - 2]
        return transpose(x, order, conjugate=conjugate, name=own)


def adjoint(matrix: TensorLike, name: str | None = None) -> Tensor:
    """Each matrix transposed and conjugated.

    >>> import graphrt as tf
    >>> tf.linalg.adjoint([[1, 2]]).numpy().tolist()
    [[1], [2]]
    """
    with scope(name, "adjoint"):
        return matrix_transpose(matrix, conjugate=True)


def _product(*factors: Any) -> Tensor:
    out = factors[0]
    for f in factors[1:]:
        out = matmul(out, f)
    return out


def _t(x: Any) -> Tensor:
    return matrix_transpose(x, conjugate=True)


# --- Cholesky --------------------------------------------------------------------------------------------------------
def _cholesky_kernel(x: Array) -> Array:
    array = _check_square(x)
    why = "The input might not be valid: it must be Hermitian and positive definite."
    return _like(
        finite_or_nan(np.linalg.cholesky, _wide(array), f"Cholesky decomposition was not successful. {why}"), array
    )


def _cholesky_vjp(call: Any, g: Any) -> list[Any]:
    lower = call.outputs[0]
    inverse = triangular_solve(lower, eye(getitem(shape_(lower), -1), dtype=lower.dtype)
                               if len(lower.dims or (1, 1)) == 2 else _eye_like(lower))  # fmt: skip
    middle = matmul(lower, g, adjoint_a=True)
    middle = set_diag(middle, diag_part(middle) * cast(0.5, middle.dtype))
    middle = band_part(middle, -1, 0)
    found = _product(_t(inverse), middle, inverse)
    return [(found + _t(found)) * cast(0.5, found.dtype)]


def _eye_like(x: Tensor) -> Tensor:
    shape = shape_(x)
    return eye(getitem(shape, -1), batch_shape=getitem(shape, slice(None, -2)), dtype=x.dtype)


Cholesky = define(
    "Cholesky", "input: T -> output: T", allowed={"T": _TYPES}, infer=_square, kernel=_cholesky_kernel,
    vjp=_cholesky_vjp,
)  # fmt: skip


def cholesky(input: TensorLike, name: str | None = None) -> Tensor:
    """The lower triangular factor L of each Hermitian positive definite matrix: L times its adjoint gives it back.

    >>> import graphrt as tf
    >>> tf.linalg.cholesky([[4., 2.], [2., 5.]]).numpy().tolist()
    [[2.0, 0.0], [1.0, 2.0]]

    Raises:
      InvalidArgumentError: a matrix is not positive definite.
    """
    return Cholesky(input, name=name)


def cholesky_solve(chol: TensorLike, rhs: TensorLike, name: str | None = None) -> Tensor:
    """The X that solves A X = rhs, given the Cholesky factor of A.

    >>> import graphrt as tf
    >>> tf.linalg.cholesky_solve([[2., 0.], [0., 1.]], [[4.], [3.]]).numpy().tolist()
    [[1.0], [3.0]]
    """
    with scope(name, "cholesky_solve"):
        half = triangular_solve(chol, rhs, lower=True)
        return triangular_solve(chol, half, lower=True, adjoint=True)


# --- inverse, determinant --------------------------------------------------------------------------------------------
def _inverse_kernel(x: Array, *, adjoint: bool) -> Array:
    array = _check_square(x)
    try:
        found = np.linalg.inv(_wide(without_nan(array)))
    except np.linalg.LinAlgError:
        raise bad("Input is not invertible.") from None
    return _like(_adj(found) if adjoint else found, array)


def _inverse_vjp(call: Any, g: object) -> list[Any]:
    inverse = call.outputs[0]
    if call.attrs["adjoint"]:
        return [-_product(inverse, _t(g), inverse)]
    return [-_product(_t(inverse), g, _t(inverse))]


MatrixInverse = define(
    "MatrixInverse", "input: T -> output: T", attrs="adjoint: bool = False; T: type", allowed={"T": _TYPES},
    infer=_square, kernel=_inverse_kernel, vjp=_inverse_vjp,
)  # fmt: skip


@provide
def inv(input: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverse of each matrix (its adjoint on request).

    >>> import graphrt as tf
    >>> tf.linalg.inv([[2., 0.], [0., 4.]]).numpy().tolist()
    [[0.5, 0.0], [0.0, 0.25]]

    Raises:
      InvalidArgumentError: a matrix is singular or not square.
    """
    return MatrixInverse(input, adjoint=adjoint, name=name)


def _lead_dims(c: InferContext) -> Dims:
    dims = _square(c)
    return None if dims is None else dims[:-2]


def _det_kernel(x: Array) -> Array:
    array = _check_square(x)
    return _like(np.linalg.det(_wide(array)), array)


MatrixDeterminant = define(
    "MatrixDeterminant", "input: T -> output: T", allowed={"T": _TYPES}, infer=_lead_dims, kernel=_det_kernel,
    vjp=lambda call, g: [_expand2(g * conj(call.outputs[0])) * inv(call.inputs[0], adjoint=True)],
)  # fmt: skip


def _expand2(x: Any) -> Tensor:
    return expand_dims(expand_dims(x, -1), -1)


def det(input: TensorLike, name: str | None = None) -> Tensor:
    """The determinant of each matrix.

    >>> import graphrt as tf
    >>> round(tf.linalg.det([[1., 2.], [3., 4.]]).numpy().item(), 4)
    -2.0

    Raises:
      InvalidArgumentError: a matrix is not square.
    """
    return MatrixDeterminant(input, name=name)


def _slogdet_kernel(x: Array) -> tuple[Array, Array]:
    array = _check_square(x)
    sign, log = np.linalg.slogdet(_wide(array))
    lost = np.isnan(array).any((-2, -1))
    sign = np.where(lost, sign.dtype.type(complex(np.nan, np.nan) if sign.dtype.kind == "c" else np.nan), sign)
    log = np.where(lost, log.dtype.type(np.nan), log)
    return _like(sign, array), _like(log, array)


LogMatrixDeterminant = define(
    "LogMatrixDeterminant", "input: T -> sign: T, log_abs_determinant: T", allowed={"T": _TYPES},
    infer=lambda c: [_lead_dims(c)] * 2, kernel=_slogdet_kernel,
    vjp=lambda call, _, g: [None if g is None else _expand2(g) * inv(call.inputs[0], adjoint=True)],
)  # fmt: skip


class LogDeterminant(NamedTuple):
    """The result of `slogdet`, named as in TensorFlow."""

    sign: Any
    log_abs_determinant: Any


LogDeterminant.__name__ = LogMatrixDeterminant.type


def slogdet(input: TensorLike, name: str | None = None) -> LogDeterminant:
    """Sign and logarithm of the absolute value of each determinant.

    >>> import graphrt as tf
    >>> tf.linalg.slogdet([[1., 0.], [0., -1.]])[0].numpy().item()
    -1.0
    """
    return LogDeterminant(*LogMatrixDeterminant(input, name=name))


# --- solving ---------------------------------------------------------------------------------------------------------
def _solved_dims(c: InferContext) -> Dims:
    matrix, rhs = _square(c), c.dims(1)
    if rhs is not None and len(rhs) < 2:
        raise errors.ShapeError(f"Shape must be at least rank 2 but is rank {len(rhs)}")
    if matrix is None or rhs is None:
        return None
    rows = merge(matrix[-2:-1], rhs[-2:-1])
    lead = broadcast(matrix[:-2], rhs[:-2]) if c.op is MatrixTriangularSolve else merge(matrix[:-2], rhs[:-2])
    return None if lead is None else (*lead, *rows, rhs[-1])  # type: ignore[misc]


def _check_rhs(matrix: Array, rhs: Array) -> Array:
    b = np.asarray(rhs)
    if b.ndim < 2 or b.shape[-2] != matrix.shape[-2]:
        raise bad(f"Input matrix and rhs are incompatible: {text_of(matrix.shape)} and {text_of(b.shape)}")
    return b


def _solve_kernel(matrix: Array, rhs: Array, *, adjoint: bool) -> Array:
    a = _check_square(matrix)
    b = _check_rhs(a, rhs)
    if a.shape[:-2] != b.shape[:-2]:
        raise bad(f"All input tensors must have the same outer dimensions: {text_of(a.shape)} and {text_of(b.shape)}")
    try:
        return _like(np.linalg.solve(_wide(_adj(without_nan(a)) if adjoint else without_nan(a)), _wide(b)), b)
    except np.linalg.LinAlgError:
        raise bad("Input matrix is not invertible.") from None


def _solve_vjp(call: Any, g: object) -> list[Any]:
    a, x, flipped = call.inputs[0], call.outputs[0], call.attrs["adjoint"]
    gb = MatrixSolve(a, g, adjoint=not flipped)
    ga = matmul(x, gb, adjoint_b=True) if flipped else matmul(gb, x, adjoint_b=True)
    return [unbroadcast_to(-ga, a), unbroadcast_to(gb, call.inputs[1])]


MatrixSolve = define(
    "MatrixSolve", "matrix: T, rhs: T -> output: T", attrs="adjoint: bool = False; T: type", allowed={"T": _TYPES},
    infer=_solved_dims, kernel=_solve_kernel, vjp=_solve_vjp,
)  # fmt: skip


@provide
def solve(matrix: TensorLike, rhs: TensorLike, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The X that solves matrix X = rhs.

    >>> import graphrt as tf
    >>> tf.linalg.solve([[2., 0.], [0., 4.]], [[2.], [4.]]).numpy().tolist()
    [[1.0], [1.0]]

    Raises:
      InvalidArgumentError: the matrix is singular, or the shapes do not fit.
    """
    return MatrixSolve(matrix, rhs, adjoint=adjoint, name=name)


def _triangular_kernel(matrix: Array, rhs: Array, *, lower: bool, adjoint: bool) -> Array:
    a = _check_square(matrix)
    b = _check_rhs(a, rhs)
    return _like(substituted(_wide(_adj(a) if adjoint else a), _wide(b), lower != adjoint), b)


def _triangular_vjp(call: Any, g: object) -> list[Any]:
    a, x = call.inputs[0], call.outputs[0]
    lower, flipped = call.attrs["lower"], call.attrs["adjoint"]
    gb = MatrixTriangularSolve(a, g, lower=lower, adjoint=not flipped)
    ga = -(matmul(x, gb, adjoint_b=True) if flipped else matmul(gb, x, adjoint_b=True))
    ga = band_part(ga, -1, 0) if lower else band_part(ga, 0, -1)
    return [unbroadcast_to(ga, a), unbroadcast_to(gb, call.inputs[1])]


MatrixTriangularSolve = define(
    "MatrixTriangularSolve", "matrix: T, rhs: T -> output: T",
    attrs="lower: bool = True; adjoint: bool = False; T: type", allowed={"T": _TYPES},
    infer=_solved_dims, kernel=_triangular_kernel, vjp=_triangular_vjp,
)  # fmt: skip


@provide
def triangular_solve(
    matrix: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The X that solves matrix X = rhs, for a lower (or upper) triangular matrix.

    >>> import graphrt as tf
    >>> tf.linalg.triangular_solve([[2., 0.], [1., 1.]], [[2.], [3.]]).numpy().tolist()
    [[1.0], [2.0]]

    Raises:
      InvalidArgumentError: the matrix is singular, or the shapes do not fit.
    """
    return MatrixTriangularSolve(matrix, rhs, lower=lower, adjoint=adjoint, name=name)


def lstsq(
    matrix: TensorLike, rhs: TensorLike, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """The X that brings matrix X closest to rhs, in the sense of least squares.

    >>> import graphrt as tf
    >>> tf.linalg.lstsq([[1.], [1.]], [[1.], [3.]]).numpy().tolist()
    [[2.0]]

    Raises:
      InvalidArgumentError: the shapes do not fit.
    """
    with scope(name, "matrix_solve_ls"):
        a = as_tensor(matrix)
        b = as_tensor(rhs, a.dtype)
        for x in (a, b):
            if x.dims is not None and len(x.dims) < 2:
                text = f"matrix and rhs must have two dimensions or more, found shape {x.shape}"
                raise errors.ShapeError(errors.at_user_line(text))
        if not fast and l2_regularizer == 0.0:
            return matmul(pinv(a), b)
        rows, columns = (a.dims or (None, None))[-2:]
        if rows is None or columns is None or rows >= columns:
            gram = matmul(a, a, adjoint_a=True)
            gram = gram + _eye_like(gram) * cast(l2_regularizer, gram.dtype)
            return cholesky_solve(cholesky(gram), matmul(a, b, adjoint_a=True))
        gram = matmul(a, a, adjoint_b=True)
        gram = gram + _eye_like(gram) * cast(l2_regularizer, gram.dtype)
        return matmul(a, cholesky_solve(cholesky(gram), b), adjoint_a=True)


# --- QR --------------------------------------------------------------------------------------------------------------
def _qr_dims(c: InferContext) -> list[Dims]:
    dims = c.dims(0)
    if dims is None:
        return [None, None]
    if len(dims) < 2:
        raise errors.ShapeError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    lead, (m, n) = dims[:-2], dims[-2:]
    if c.attrs["full_matrices"]:
        return [(*lead, m, m), (*lead, m, n)]
    p = None if m is None or n is None else min(m, n)
    return [(*lead, m, p), (*lead, p, n)]


def _qr_kernel(x: Array, *, full_matrices: bool) -> tuple[Array, Array]:
    array = np.asarray(x)
    if array.ndim < 2:
        raise bad(f"Input tensor 0 must have rank >= 2, got {array.ndim}")
    q, r = np.linalg.qr(_wide(array), "complete" if full_matrices else "reduced")
    return _like(q, array), _like(r, array)


def _qr_vjp(call: Any, dq: Any, dr: Any) -> list[Any]:
    q, r = call.outputs
    if dq is None:
        dq = zeros_like(q)
    if dr is None:
        dr = zeros_like(r)
    if r.dims is None or r.dims[-1] != r.dims[-2]:
        raise LookupError("the gradient of qr needs a matrix with at least as many rows as columns, reduced")
    qdq = matmul(q, dq, adjoint_a=True)
    rdr = matmul(r, dr, adjoint_b=True)
    lower_q, lower_r = qdq - _t(qdq), rdr - _t(rdr)
    tril = band_part(lower_q + lower_r, -1, 0)
    tril = set_diag(tril, zeros_like(diag_part(tril)))
    inner = matmul(q, dr + _solve_upper(tril, r))
    return [inner + _solve_upper(dq - matmul(q, qdq), r)]


def _solve_upper(x: Tensor, r: Tensor) -> Tensor:
    """x times the inverse of the adjoint of the upper triangular `r`."""
    return _t(triangular_solve(r, _t(x), lower=False, adjoint=False))


Qr = define(
    "Qr", "input: T -> q: T, r: T", attrs="full_matrices: bool = False; T: type", allowed={"T": _TYPES},
    infer=_qr_dims, kernel=_qr_kernel, vjp=_qr_vjp,
)  # fmt: skip


class Factors(NamedTuple):
    """The result of `qr`, named as in TensorFlow."""

    q: Any
    r: Any


Factors.__name__ = Qr.type


def qr(input: TensorLike, full_matrices: bool = False, name: str | None = None) -> Factors:
    """Each matrix as a product of an orthogonal and an upper triangular one.

    >>> import graphrt as tf
    >>> q, r = tf.linalg.qr([[2., 0.], [0., 3.]])
    >>> tf.abs(r).numpy().tolist()
    [[2.0, 0.0], [0.0, 3.0]]
    """
    return Factors(*Qr(input, full_matrices=full_matrices, name=name))


# --- eigenvalues -----------------------------------------------------------------------------------------------------
def _eigh_kernel(x: Array, *, compute_v: bool) -> tuple[Array, Array]:
    array = _check_square(x)
    wide = np.tril(_wide(array))  # only that is looked at
    if not compute_v:
        return _like(of_finite(np.linalg.eigvalsh, wide), array), np.zeros(0, array.dtype)
    e, v = of_finite(np.linalg.eigh, wide)
    return _like(e, array), _like(v, array)


def _eigh_dims(c: InferContext) -> list[Dims]:
    dims = _square(c)
    e = None if dims is None else dims[:-1]
    return [e, dims if c.attrs["compute_v"] else (0,)]


def _safe_reciprocal(x: Tensor) -> Tensor:
    """`1 / x`, and 0 where `x` is 0: equal values have no gap, along which their vectors would turn."""
    return x / (square(x) + cast(1e-20, x.dtype))


def _eigh_vjp(call: Any, de: Any, dv: Any) -> list[Any]:
    if not call.attrs["compute_v"]:
        e, v = SelfAdjointEigV2(call.inputs[0], compute_v=True)
        dv = None
    else:
        e, v = call.outputs
    parts = None
    if dv is not None:
        f = set_diag(_safe_reciprocal(expand_dims(e, -2) - expand_dims(e, -1)), zeros_like(e))
        parts = f * matmul(v, dv, adjoint_a=True)
    if de is not None:
        parts = diag(de) if parts is None else parts + diag(de)
    if parts is None:
        return [None]
    found = _product(v, parts, _t(v))
    # only the lower triangle is read: what belongs to the upper one is moved there
    lower = band_part(found + _t(found), -1, 0)
    return [set_diag(lower, diag_part(found))]


SelfAdjointEigV2 = define(
    "SelfAdjointEigV2", "input: T -> e: T, v: T", attrs="compute_v: bool = True; T: type", allowed={"T": _TYPES},
    infer=_eigh_dims, kernel=_eigh_kernel, vjp=_eigh_vjp,
)  # fmt: skip


def eigh(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues, ascending, and eigenvectors (as columns) of each Hermitian matrix.

    >>> import graphrt as tf
    >>> tf.linalg.eigh([[2., 0.], [0., 1.]])[0].numpy().tolist()
    [1.0, 2.0]
    """
    return tuple(SelfAdjointEigV2(tensor, compute_v=True, name=name))


def eigvalsh(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Eigenvalues, ascending, of each Hermitian matrix.

    >>> import graphrt as tf
    >>> tf.linalg.eigvalsh([[2., 0.], [0., 1.]]).numpy().tolist()
    [1.0, 2.0]
    """
    return SelfAdjointEigV2(tensor, compute_v=False, name=name)[0]


# --- singular values -------------------------------------------------------------------------------------------------
def _svd_dims(c: InferContext) -> list[Dims]:
    dims = c.dims(0)
    if dims is None:
        return [None, None, None]
    if len(dims) < 2:
        raise errors.ShapeError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    lead, (m, n) = dims[:-2], dims[-2:]
    p = None if m is None or n is None else min(m, n)
    if not c.attrs["compute_uv"]:
        return [(*lead, p), (0,), (0,)]
    if c.attrs["full_matrices"]:
        return [(*lead, p), (*lead, m, m), (*lead, n, n)]
    return [(*lead, p), (*lead, m, p), (*lead, n, p)]


def _svd_kernel(x: Array, *, compute_uv: bool, full_matrices: bool) -> tuple[Array, Array, Array]:
    array = np.asarray(x)
    if array.ndim < 2:
        raise bad(f"Input tensor 0 must have rank >= 2, got {array.ndim}")
    if not compute_uv:
        none = np.zeros(0, array.dtype)
        return _like(of_finite(np.linalg.svd, _wide(array), False, False), array), none, none
    u, s, vh = of_finite(np.linalg.svd, _wide(array), full_matrices)
    return _like(s, array), _like(u, array), _like(_adj(vh), array)


def _svd_vjp(call: Any, ds: Any, du: Any, dv: Any) -> list[Any]:
    x = call.inputs[0]
    if not call.attrs["compute_uv"]:
        s, u, v = Svd(x, compute_uv=True, full_matrices=False)
        return [_product(u, diag(ds), _t(v))]
    if call.attrs["full_matrices"]:
        raise LookupError("the gradient of svd is not defined with full_matrices=True")
    s, u, v = call.outputs
    zero = zeros_like
    ds, du, dv = (zero(o) if d is None else d for o, d in ((s, ds), (u, du), (v, dv)))
    squares = square(s)
    f = set_diag(_safe_reciprocal(expand_dims(squares, -2) - expand_dims(squares, -1)), zero(s))
    sigma = diag(s)
    inverse = diag(_safe_reciprocal(s))
    udu, vdv = matmul(u, du, adjoint_a=True), matmul(v, dv, adjoint_a=True)
    core = matmul(f * (udu - _t(udu)), sigma) + matmul(sigma, f * (vdv - _t(vdv))) + diag(ds)
    found = _product(u, core, _t(v))
    found += _product(du - matmul(u, udu), inverse, _t(v))  # nothing unless there are more rows than columns
    found += _product(u, inverse, _t(dv - matmul(v, vdv)))
    return [found]


Svd = define(
    "Svd", "input: T -> s: T, u: T, v: T", attrs="compute_uv: bool = True; full_matrices: bool = False; T: type",
    allowed={"T": _TYPES}, infer=_svd_dims, kernel=_svd_kernel, vjp=_svd_vjp,
)  # fmt: skip


@overload
def svd(
    tensor: TensorLike, full_matrices: bool = ..., compute_uv: Literal[True] = ..., name: str | None = ...
) -> tuple[Tensor, Tensor, Tensor]: ...
@overload
def svd(
    tensor: TensorLike, full_matrices: bool = ..., *, compute_uv: Literal[False], name: str | None = ...
) -> Tensor: ...


@provide
def svd(tensor: TensorLike, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """Singular values (descending), left and right singular vectors (as columns) of each matrix.

    >>> import graphrt as tf
    >>> tf.linalg.svd([[3., 0.], [0., 2.]], compute_uv=False).numpy().tolist()
    [3.0, 2.0]
    """
    s, u, v = Svd(tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name)
    if s.dtype.is_complex:  # the op has one dtype for all
        s = real(s)
    return (s, u, v) if compute_uv else s


def pinv(
    a: TensorLike, rcond: TensorLike | None = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The Moore-Penrose pseudo-inverse of each matrix.

    >>> import graphrt as tf
    >>> tf.round(tf.linalg.pinv([[2., 0.], [0., 0.]])).numpy().tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    with scope(name, "pinv"):
        x = as_tensor(a)
        if x.dtype.kind not in "fc":
            raise TypeError(errors.at_user_line(f"`a` must be a matrix of floats, found {x.dtype.name}"))
        if rcond is None:
            size = max((d or 1) for d in (x.dims or (1, 1))[-2:])
            rcond = 10.0 * size * float(np.finfo(x.dtype.as_numpy_dtype).eps)
        s, u, v = svd(x)
        cutoff = cast(rcond, s.dtype) * reduce_max(s, -1, True)
        kept = where(s > cutoff, s, cast(np.inf, s.dtype))  # what is left out has neither an inverse nor a gradient
        inverse = cast(cast(1, s.dtype) / kept, v.dtype)
        return matmul(v * expand_dims(inverse, -2), u, adjoint_b=True)


def matrix_rank(
    a: TensorLike, tol: TensorLike | None = None, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """How many singular values of each matrix are not negligible.

    >>> import graphrt as tf
    >>> tf.linalg.matrix_rank([[1., 2.], [2., 4.]]).numpy().item()
    1
    """
    with scope(name, "matrix_rank"):
        x = convert_to_tensor(a, dtype_hint="float32")
        s = svd(x, compute_uv=False)
        if tol is None:
            size = max((d or 1) for d in (x.dims or (1, 1))[-2:])
            tol = reduce_max(s, -1, True) * cast(size * float(np.finfo(x.dtype.as_numpy_dtype).eps), s.dtype)
        return reduce_sum(cast(s > tol, "int32"), -1)
