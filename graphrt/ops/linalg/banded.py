"""Systems with few diagonals, systems factored before, logarithms of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define
from graphrt.ops.array.concat_split import Pack, concat, stack
from graphrt.ops.array.creation import eye as eye_
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.array.padding import roll
from graphrt.ops.array.shape import ExpandDims, Shape, Squeeze, broadcast_to, reshape
from graphrt.ops.array.slicing import boolean_mask
from graphrt.ops.array.sorting import argsort
from graphrt.ops.linalg.decompositions import SelfAdjointEigV2, matrix_transpose, triangular_solve
from graphrt.ops.linalg.diagonals import MatrixDiagPartV3, band_part, diag, diag_part, set_diag
from graphrt.ops.linalg.matmul import finite_or_nan, matmul
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Greater, LessEqual
from graphrt.ops.math.elementwise import conj, real
from graphrt.ops.math.logical import LogicalAnd
from graphrt.ops.math.reduction import reduce_sum
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import COMPLEX, float16, float32, float64
from graphrt.types.likes import Array
from graphrt.types.shape import Dims

__all__ = [
    "banded_triangular_solve", "eigh_tridiagonal", "logm", "lu_matrix_inverse", "lu_reconstruct", "lu_solve",
    "tridiagonal_matmul", "tridiagonal_solve",
]  # fmt: skip

_EXACT = (float64, float32, *COMPLEX)


def _adjoint(x: Any) -> Tensor:
    turned = matrix_transpose(x)
    return conj(turned) if x.dtype.is_complex else turned


# --- three diagonals -------------------------------------------------------------------------------------------------
_SMALL = 128  # rows up to which the whole matrix is solved, for all of a batch at once
_FEW = 16  # columns of real numbers up to which each is solved by itself


def _whole(diagonals: Any) -> Array:
    """The matrices whose three diagonals (above, main, below) are given."""
    above, main, below = (diagonals[..., i, :] for i in range(3))
    n = main.shape[-1]
    out = np.zeros((*main.shape, n), main.dtype)
    at = np.arange(n)
    out[..., at, at] = main
    out[..., at[:-1], at[1:]] = above[..., :-1]
    out[..., at[1:], at[:-1]] = below[..., 1:]
    return out


def _solve_columns(diagonals: Array, rhs: Array, pivoting: bool, why: str) -> Array:
    out = np.empty_like(rhs)
    for at in np.ndindex(*rhs.shape[:-2]):
        for column in range(rhs.shape[-1]):
            above, main, below = diagonals[at].tolist()
            try:
                out[at][:, column] = _eliminated(above, main, below, rhs[at][:, column].tolist(), pivoting)
            except ZeroDivisionError:
                raise bad(why) from None
    return out


def _eliminated(
    above: list[float], main: list[float], below: list[float], out: list[float], pivoting: bool
) -> list[float]:
    """The solution of one system, in numbers of Python: a row costs less than one call of NumPy; see `_solve_three`."""
    last = len(main) - 1
    third = [0.0] * (last + 2)
    for i in range(last):
        low = below[i + 1]
        if pivoting and abs(low) > abs(main[i]):
            main[i], low = low, main[i]
            above[i], main[i + 1] = main[i + 1], above[i]
            third[i], above[i + 1] = above[i + 1], 0.0
            out[i], out[i + 1] = out[i + 1], out[i]
        factor = low / main[i]
        main[i + 1] -= factor * above[i]
        above[i + 1] -= factor * third[i]
        out[i + 1] -= factor * out[i]
    out[last] /= main[last]
    for i in range(last - 1, -1, -1):
        more = third[i] * out[i + 2] if i < last - 1 else 0.0
        out[i] = (out[i] - above[i] * out[i + 1] - more) / main[i]
    return out


def _solve_three(diagonals: Array, rhs: Array, *, partial_pivoting: bool, perturb_singular: bool) -> Array:
    if np.ndim(diagonals) < 2 or diagonals.shape[-2] != 3:
        raise bad(f"Expected diagonals to have 3 rows, got shape {text_of(np.shape(diagonals))}")
    if np.ndim(rhs) < 2 or rhs.shape[:-1] != (*diagonals.shape[:-2], diagonals.shape[-1]):
        raise bad(f"Shapes do not fit: {text_of(np.shape(diagonals))} and {text_of(np.shape(rhs))}")
    why = "The first element of diagonal is zero, or the matrix is not invertible."
    if partial_pivoting and diagonals.shape[-1] <= _SMALL:
        return finite_or_nan(lambda m: np.linalg.solve(m, rhs), _whole(diagonals), why)
    if rhs.dtype.kind == "f" and 0 < rhs.size <= _FEW * rhs.shape[-2]:
        return _solve_columns(diagonals, rhs, partial_pivoting, why)
    # Elimination from the top: of the rows that are done, `first` is on the diagonal, `second` and `third` beside it.
    above, main, below = (np.moveaxis(diagonals[..., i, :, None], -2, 0).copy() for i in range(3))
    out = np.moveaxis(rhs, -2, 0).copy()
    first, second, third = main, above, np.zeros_like(main)
    for i in range(len(main) - 1):
        low = below[i + 1]
        swapped = np.abs(low) > np.abs(first[i]) if partial_pivoting else np.False_
        if swapped.any():
            up = np.where(swapped, low, first[i]), np.where(swapped, main[i + 1], second[i])
            down = np.where(swapped, first[i], low), np.where(swapped, second[i], main[i + 1])
            (first[i], second[i]), (low, main[i + 1]) = up, down
            third[i] = np.where(swapped, above[i + 1], 0)
            above[i + 1] = np.where(swapped, 0, above[i + 1])
            out[i], out[i + 1] = np.where(swapped, out[i + 1], out[i]), np.where(swapped, out[i], out[i + 1])
        factor = low / first[i]
        main[i + 1] -= factor * second[i]
        above[i + 1] -= factor * third[i]
        out[i + 1] -= factor * out[i]
    if not first.all():
        raise bad(why)
    for i in range(len(main) - 1, -1, -1):
        if i < len(main) - 1:
            out[i] -= second[i] * out[i + 1]
        if i < len(main) - 2:
            out[i] -= third[i] * out[i + 2]
        out[i] /= first[i]
    return np.ascontiguousarray(np.moveaxis(out, 0, -2))


def _three_vjp(call: Any, g: object) -> list[Any]:
    diagonals, x = call.inputs[0], call.outputs[0]
    above, main, below = (diagonals[..., i, :] for i in range(3))
    turned = Pack([roll(below, -1, -1), main, roll(above, 1, -1)], axis=-2)
    if diagonals.dtype.is_complex:
        turned, x = conj(turned), conj(x)
    attrs = {k: call.attrs[k] for k in ("partial_pivoting", "perturb_singular")}
    back = TridiagonalSolve(turned, g, **attrs)
    zero = zeros_like(x[..., :1, :])
    after, before = concat([x[..., 1:, :], zero], -2), concat([zero, x[..., :-1, :]], -2)
    grads = [-reduce_sum(back * v, -1) for v in (after, x, before)]
    return [Pack(grads, axis=-2), back]


TridiagonalSolve = define(
    "TridiagonalSolve", "diagonals: T[2+], rhs: T[2+] -> output: T",
    attrs="partial_pivoting: bool = True; perturb_singular: bool = False; T: type", allowed={"T": _EXACT},
    infer=lambda c: c.dims(1), kernel=_solve_three, vjp=_three_vjp,
)  # fmt: skip


def _times_three(above: Array, main: Array, below: Array, rhs: Array) -> Array:
    out = np.swapaxes(main, -1, -2) * rhs
    out[..., :-1, :] += np.swapaxes(above, -1, -2)[..., :-1, :] * rhs[..., 1:, :]
    out[..., 1:, :] += np.swapaxes(below, -1, -2)[..., 1:, :] * rhs[..., :-1, :]
    return out


def _times_vjp(call: Any, g: Any) -> list[Any]:
    above, main, below, rhs = (conj(v) if v.dtype.is_complex else v for v in call.inputs)
    zero = zeros_like(rhs[..., :1, :])
    after, before = concat([rhs[..., 1:, :], zero], -2), concat([zero, rhs[..., :-1, :]], -2)
    grads = [ExpandDims(reduce_sum(g * v, -1), -2) for v in (after, rhs, before)]
    turned = (roll(below, -1, -1), main, roll(above, 1, -1))
    return [*grads, TridiagonalMatMul(*turned, g)]


TridiagonalMatMul = define(
    "TridiagonalMatMul",
    "superdiag: T[2+], maindiag: T[2+], subdiag: T[2+], rhs: T[2+] -> output: T", allowed={"T": _EXACT},
    infer=lambda c: c.dims(3), kernel=_times_three, vjp=_times_vjp,
)  # fmt: skip


def _diagonals(diagonals: Any, form: str) -> Any:
    """Above, main and below, each [..., n]."""
    if form == "compact":
        x = as_tensor(diagonals)
        return tuple(x[..., i, :] for i in range(3))
    if form == "sequence":
        if len(diagonals) != 3:
            raise ValueError(errors.at_user_line("Expected diagonals to be a sequence of length 3."))
        above, main, below = (as_tensor(d) for d in diagonals)
        n = main.dims[-1] if main.dims else None
        if above.dims and n is not None and above.dims[-1] == n - 1:
            pad = zeros_like(main[..., :1])
            above, below = concat([above, pad], -1), concat([pad, below], -1)
        return above, main, below
    if form == "matrix":
        x = as_tensor(diagonals)
        pad = zeros_like(diag_part(x)[..., :1])
        return (concat([diag_part(x, k=1), pad], -1), diag_part(x),
                concat([pad, diag_part(x, k=-1)], -1))  # fmt: skip
    raise ValueError(errors.at_user_line(f"Unrecognized diagonals_format: {form}"))


def tridiagonal_solve(
    diagonals: TensorLike, rhs: TensorLike, diagonals_format: str = "compact", transpose_rhs: bool = False,
    conjugate_rhs: bool = False, name: str | None = None, partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:  # fmt: skip
    """The solution of systems with three diagonals: [above, main, below] as rows, a sequence, or a matrix.

    With `transpose_rhs` the right sides stand in rows; the solutions stand in columns all the same.

    >>> import graphrt as tf
    >>> tf.linalg.tridiagonal_solve([[0., 0.], [2., 4.], [0., 0.]], [2., 4.]).numpy().tolist()
    [1.0, 1.0]

    Raises:
      ValueError: `diagonals_format` is unknown.
      InvalidArgumentError: the matrix cannot be inverted, or the shapes do not fit.
    """
    with scope(name, "tridiagonal_solve"):
        parts = _diagonals(diagonals, diagonals_format)
        stacked = Pack(list(parts), axis=-2)
        right = as_tensor(rhs, stacked.dtype)
        if conjugate_rhs:
            right = conj(right)
        vector = right.dims is not None and stacked.dims is not None and len(right.dims) == len(stacked.dims) - 1
        if vector:
            right = ExpandDims(right, -1)
        elif transpose_rhs:
            right = matrix_transpose(right)
        found = TridiagonalSolve(stacked, right, partial_pivoting=partial_pivoting, perturb_singular=perturb_singular)
        if vector:
            return Squeeze(found, squeeze_dims=[-1])
        return found


def tridiagonal_matmul(
    diagonals: TensorLike, rhs: TensorLike, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """The product of a matrix with three diagonals and another one.

    >>> import graphrt as tf
    >>> tf.linalg.tridiagonal_matmul([[0., 0.], [2., 4.], [0., 0.]], [[1.], [1.]]).numpy().ravel().tolist()
    [2.0, 4.0]

    Raises:
      ValueError: `diagonals_format` is unknown.
    """
    with scope(name, "tridiagonal_matmul"):
        above, main, below = _diagonals(diagonals, diagonals_format)
        wide = [ExpandDims(v, -2) for v in (above, main, below)]
        return TridiagonalMatMul(*wide, as_tensor(rhs, main.dtype))


def eigh_tridiagonal(
    alpha: TensorLike, beta: TensorLike, eigvals_only: bool = True, select: str = "a", select_range: Any = None,
    tol: TensorLike | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The eigenvalues (and eigenvectors) of a Hermitian matrix with the main diagonal `alpha`, and `beta` beside it.

    `select` "i" takes the eigenvalues of the indices `select_range`, "v" those within it.

    >>> import graphrt as tf
    >>> tf.linalg.eigh_tridiagonal([1., 3.], [0.]).numpy().tolist()
    [1.0, 3.0]

    Raises:
      ValueError: `select` is unknown, or there is no range.
    """
    with scope(name, "eigh_tridiagonal"):
        a, b = as_tensor(alpha), as_tensor(beta)
        if select not in ("a", "i", "v"):
            raise ValueError(errors.at_user_line("'select must have a value in {'a', 'i', 'v'}."))
        if select != "a" and select_range is None:
            raise ValueError(errors.at_user_line("select_range is needed"))
        sizes = [x.dims[-1] if x.dims else None for x in (a, b)]
        if None not in sizes and sizes[0] != sizes[1] + 1 and sizes != [0, 0]:  # type: ignore[operator]
            text = f"`beta` must have one element less than `alpha`, found {sizes[1]} and {sizes[0]}"
            raise errors.ShapeError(errors.at_user_line(text))
        low = diag(b, k=-1)
        matrix = diag(a) + low + _adjoint(low)
        values, vectors = SelfAdjointEigV2(matrix)
        values = real(values)
        if select == "i":
            part = slice(int(select_range[0]), int(select_range[1]) + 1)
            values, vectors = values[part], vectors[:, part]
        elif select == "v":
            keep = LogicalAnd(Greater(values, select_range[0]), LessEqual(values, select_range[1]))
            values, vectors = boolean_mask(values, keep), boolean_mask(vectors, keep, axis=1)
        return values if eigvals_only else (values, vectors)


# --- bands -----------------------------------------------------------------------------------------------------------
def _from_bands(bands: Array, lower: bool) -> Array:
    k, n = bands.shape[-2:]
    out = np.zeros((*bands.shape[:-2], n, n), bands.dtype)
    for i in range(k):
        if lower:  # the main diagonal comes first, and row i stands i below it
            at = np.arange(i, n)
            out[..., at, at - i] = bands[..., i, i:]
        else:  # the main diagonal comes last
            off = k - 1 - i
            at = np.arange(n - off)
            out[..., at, at + off] = bands[..., i, : n - off]
    return out


def _banded(bands: Array, rhs: Array, *, lower: bool, adjoint: bool) -> Array:
    if np.ndim(bands) < 2 or np.ndim(rhs) < 2 or bands.shape[-1] != rhs.shape[-2]:
        raise bad(f"Shapes do not fit: {text_of(np.shape(bands))} and {text_of(np.shape(rhs))}")
    if bands.shape[-2] > bands.shape[-1]:
        raise bad("The number of bands must not exceed the number of columns")
    matrix = _from_bands(bands, lower)
    if adjoint:
        matrix = np.conj(np.swapaxes(matrix, -1, -2))
    lead = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    kind = np.float32 if bands.dtype.itemsize == 2 else bands.dtype
    try:
        found = np.linalg.solve(
            np.broadcast_to(matrix, (*lead, *matrix.shape[-2:])).astype(kind),
            np.broadcast_to(rhs, (*lead, *rhs.shape[-2:])).astype(kind),
        )
    except np.linalg.LinAlgError:
        raise bad("Input matrix is not invertible.") from None
    return found.astype(bands.dtype, copy=False)


def _banded_dims(c: InferContext) -> Dims:
    left, right = c.dims(0), c.dims(1)
    for dims in (left, right):
        if dims is not None and len(dims) < 2:
            raise ShapeError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    if left is None or right is None or len(left) != len(right):
        return None if left is None or right is None else (*right[:-2], left[-1], right[-1])
    return right


def _banded_vjp(call: Any, g: object) -> list[Any]:
    bands, _ = call.inputs
    x = call.outputs[0]
    lower, adjoint = call.attrs["lower"], call.attrs["adjoint"]
    back = BandedTriangularSolve(bands, g, lower=lower, adjoint=not adjoint)
    outer = matmul(x, back, adjoint_b=True) if adjoint else matmul(back, x, adjoint_b=True)
    more = Shape(bands)[-2] - np.int32(1)  # diagonals beside the main one
    low = stack([-more, np.int32(0)]) if lower else stack([np.int32(0), more])
    # the diagonals from the highest to the lowest, those above aligned left, those below right: so are the bands
    rows = MatrixDiagPartV3(outer, low, cast(0, outer.dtype), align="LEFT_RIGHT")
    return [reshape(-rows, Shape(bands)), back]


BandedTriangularSolve = define(
    "BandedTriangularSolve", "matrix: T, rhs: T -> output: T",
    attrs="lower: bool = True; adjoint: bool = False; T: type", allowed={"T": (*_EXACT, float16)},
    infer=_banded_dims, kernel=_banded, vjp=_banded_vjp,
)  # fmt: skip


def banded_triangular_solve(
    bands: TensorLike, rhs: TensorLike, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """The solution of triangular systems given by their diagonals, one a row.

    >>> import graphrt as tf
    >>> tf.linalg.banded_triangular_solve([[2., 4.], [0., 2.]], [[2.], [6.]]).numpy().ravel().tolist()
    [1.0, 1.0]

    Raises:
      InvalidArgumentError: the matrix cannot be inverted, or the shapes do not fit.
    """
    return BandedTriangularSolve(bands, rhs, lower=lower, adjoint=adjoint, name=name or "banded_triangular_solve")


# --- logarithm -------------------------------------------------------------------------------------------------------
def _sqrt_upper(t: Array) -> Array:
    """The square roots of upper triangular matrices."""
    n = t.shape[-1]
    out = np.zeros_like(t)
    for j in range(n):
        out[:, j, j] = np.sqrt(t[:, j, j])
        for i in range(j - 1, -1, -1):
            inner = (out[:, i, i + 1 : j] * out[:, i + 1 : j, j]).sum(1)
            total = out[:, i, i] + out[:, j, j]
            out[:, i, j] = np.divide(t[:, i, j] - inner, total, out=np.zeros_like(total), where=total != 0)
    return out


def _schur(a: Array) -> tuple[Array, Array]:
    """The complex Schur forms of matrices: of eigenvectors where these are far enough apart, else by shifted QR steps."""
    a = a.astype(np.complex128)
    q = np.linalg.qr(np.linalg.eig(a)[1])[0]
    t = _adjoint_of(q) @ a @ q
    below = np.abs(np.tril(t, -1)).sum((1, 2)) > 1e-14 * np.abs(t).sum((1, 2))
    if below.any():
        t[below], q[below] = _by_steps(a[below])
    return np.triu(t) + 0, q  # no negative zeros, at which roots and logarithms jump


def _adjoint_of(a: Array) -> Array:
    return a.conj().swapaxes(-1, -2)


def _by_steps(a: Array) -> tuple[Array, Array]:
    """The complex Schur forms by shifted QR steps, in which those that are not done take part."""
    n = a.shape[-1]
    done_t, done_q = a.copy(), np.broadcast_to(np.eye(n, dtype=a.dtype), a.shape).copy()
    for m in range(n - 1, 0, -1):
        for _ in range(300):
            small = 1e-15 * (np.abs(done_t[:, m, m]) + np.abs(done_t[:, m - 1, m - 1]))
            left = np.flatnonzero(np.abs(done_t[:, m, :m]).sum(1) > small)
            if not left.size:
                break
            t, q = done_t[left], done_q[left]
            half = (t[:, m - 1, m - 1] - t[:, m, m]) / 2
            root = np.sqrt(half * half + t[:, m - 1, m] * t[:, m, m - 1])
            shift = t[:, m, m] + np.where(np.abs(half - root) < np.abs(half + root), half - root, half + root)
            part = np.broadcast_to(np.eye(n, dtype=a.dtype), t.shape).copy()
            inner = t[:, : m + 1, : m + 1] - shift[:, None, None] * np.eye(m + 1)
            part[:, : m + 1, : m + 1] = np.linalg.qr(inner)[0]
            done_t[left], done_q[left] = _adjoint_of(part) @ t @ part, q @ part
    return done_t, done_q


def _logs(a: Array) -> Array:
    """The logarithms of matrices."""
    t, q = _schur(a)
    steps, eye = np.zeros(len(t)), np.eye(t.shape[-1])
    for _ in range(60):
        far = np.flatnonzero(np.abs(t - eye).sum(1).max(1) > 0.25)
        if not far.size:
            break
        t[far] = _sqrt_upper(t[far])
        steps[far] += 1
    nodes, weights = np.polynomial.legendre.leggauss(10)
    x = t - eye
    total = np.zeros_like(t)
    for node, weight in zip((nodes + 1) / 2, weights / 2):  # the integral of x (1 + s x)^-1 over s in 0..1
        total += weight * np.linalg.solve(eye + node * x, x)
    return q @ (total * 2.0 ** steps[:, None, None]) @ _adjoint_of(q)


_TOGETHER = 1 << 16  # elements of matrices that are worked on at once


def _log_kernel(x: Array) -> Array:
    if np.ndim(x) < 2 or x.shape[-1] != x.shape[-2]:
        raise bad(f"Input must be square matrices: {text_of(np.shape(x))}")
    if not x.size:
        return np.empty_like(x)
    matrices = x.reshape(-1, *x.shape[-2:])
    out, step = np.full_like(matrices, complex(np.nan, np.nan)), max(1, _TOGETHER // matrices[0].size)
    finite = np.flatnonzero(np.isfinite(matrices).all((1, 2)))  # of others LAPACK's iterations may never end
    for at in (finite[i : i + step] for i in range(0, len(finite), step)):
        out[at] = _logs(matrices[at])
    return out.reshape(x.shape)


def _square_dims(c: InferContext) -> Dims:
    dims = c.dims(0)
    if dims is not None and len(dims) < 2:
        raise ShapeError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    if dims is not None and None not in dims[-2:] and dims[-1] != dims[-2]:
        raise ShapeError(f"Dimensions must be equal, but are {dims[-2]} and {dims[-1]}")
    return dims


def _log_vjp(call: Any, g: Any) -> list[Any]:
    """The logarithm of a block matrix holds the derivative in a given direction."""
    x = _adjoint(call.inputs[0])
    n = Shape(x)[-1]
    zero = zeros_like(x)
    block = concat([concat([x, g], -1), concat([zero, x], -1)], -2)
    return [MatrixLogarithm(block)[..., :n, n:]]


MatrixLogarithm = define(
    "MatrixLogarithm", "input: T -> output: T", allowed={"T": COMPLEX}, infer=_square_dims, kernel=_log_kernel,
    vjp=_log_vjp,
)  # fmt: skip


def logm(input: TensorLike, name: str | None = None) -> Tensor:
    """The principal logarithm of complex matrices.

    >>> import graphrt as tf
    >>> abs(tf.linalg.logm(tf.eye(2, dtype=tf.complex64))).numpy().tolist()
    [[0.0, 0.0], [0.0, 0.0]]

    Raises:
      InvalidArgumentError: the matrices are not square.
    """
    return MatrixLogarithm(input, name=name)


# --- factored before -------------------------------------------------------------------------------------------------
def lu_reconstruct(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrices whose `lu` factors are given.

    >>> import graphrt as tf
    >>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[1., 2.], [3., 4.]])).numpy().tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    with scope(name, "lu_reconstruct"):
        both, order = convert_to_tensor(lower_upper, dtype_hint="float32"), as_tensor(perm)
        upper = band_part(both, 0, -1)
        lower = set_diag(band_part(both, -1, 0), ones_like(diag_part(both)))
        product = matmul(lower, upper)
        back = argsort(order, axis=-1)
        return _permuted(product, back)


def _permuted(matrices: Any, order: Any) -> Tensor:
    """The rows of each matrix in the order of its permutation."""
    batch, axis = (-1, -2) if matrices.dims is None else [len(matrices.dims) - 2] * 2
    return gather(matrices, order, batch_dims=batch, axis=axis)


def lu_solve(
    lower_upper: TensorLike, perm: TensorLike, rhs: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The solution of systems whose matrices were factored by `lu`.

    >>> import graphrt as tf
    >>> tf.linalg.lu_solve(*tf.linalg.lu([[2., 0.], [0., 4.]]), [[2.], [4.]]).numpy().ravel().tolist()
    [1.0, 1.0]
    """
    with scope(name, "lu_solve"):
        both, order = convert_to_tensor(lower_upper, dtype_hint="float32"), as_tensor(perm)
        right = as_tensor(rhs, both.dtype)
        lead = Shape(both)[:-2]
        wide = broadcast_to(right, concat([lead, Shape(right)[-2:]], 0))
        turned = _permuted(wide, order)
        lower = set_diag(band_part(both, -1, 0), ones_like(diag_part(both)))
        middle = triangular_solve(lower, turned)
        return triangular_solve(band_part(both, 0, -1), middle, lower=False)


def lu_matrix_inverse(
    lower_upper: TensorLike, perm: TensorLike, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverses of matrices that were factored by `lu`.

    >>> import graphrt as tf
    >>> tf.linalg.lu_matrix_inverse(*tf.linalg.lu([[2., 0.], [0., 4.]])).numpy().tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    both = convert_to_tensor(lower_upper, dtype_hint="float32")
    return lu_solve(both, perm, eye_(Shape(both)[-1], dtype=both.dtype), validate_args, name)
