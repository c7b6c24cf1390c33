"""Linear algebra: the extension `linalg`, with the products that stand in the main namespace, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from graphrt import errors
from graphrt.numpy_api.array_api.data_types import array_of, result_type
from graphrt.numpy_api.array_api.statistics import summed
from graphrt.ops.array.shape import Shape
from graphrt.ops.math.casting import cast
from graphrt.ops.math.reduction import reduce_max
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import AxisLike, DTypeLike, TensorLike

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


def _both(x1: Any, x2: Any) -> tuple[Any, Any]:
    x1, x2 = array_of(x1), array_of(x2)
    dtype = result_type(x1, x2)
    return cast(x1, dtype), cast(x2, dtype)


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The matrix product; vectors are rows on the left and columns on the right.

    Raises:
      ValueError: one has no dimensions, or the shapes do not fit.
    """
    x1, x2 = _both(x1, x2)
    if x1.ndim == 0 or x2.ndim == 0:
        raise ValueError("matmul is not defined for arrays without dimensions")
    return np.matmul(x1, x2)


def matrix_transpose(x: TensorLike, /) -> Tensor:
    """The transpose of each matrix."""
    return array_of(x).mT


def tensordot(x1: TensorLike, x2: TensorLike, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """The sum of products over `axes` of both."""
    return np.tensordot(*_both(x1, x2), axes=axes)


def _vectors(x1: Any, x2: Any, axis: int) -> tuple[Any, Any]:
    """Two tensors that have an `axis`."""
    x1, x2 = _both(x1, x2)
    for x in (x1, x2):
        if x.dims is not None and not -len(x.dims) <= axis < len(x.dims):
            raise ValueError(
                errors.at_user_line(f"axis {axis} is out of bounds for an array of {len(x.dims)} dimensions")
            )
    return x1, x2


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """The inner product of vectors along `axis`, of the conjugate of the first.

    Raises:
      ValueError: the vectors have different lengths.
    """
    x1, x2 = _vectors(x1, x2, axis)
    if x1.dims is not None and x2.dims is not None and x1.dims[axis] != x2.dims[axis] and None not in (
        x1.dims[axis], x2.dims[axis]
    ):  # fmt: skip
        raise ValueError(f"vecdot of vectors of {x1.dims[axis]} and {x2.dims[axis]} elements")
    return np.linalg.vecdot(x1, x2, axis=axis)


def cholesky(x: TensorLike, /, *, upper: bool = False) -> Tensor:
    """The triangular factor of each Hermitian positive-definite matrix."""
    return np.linalg.cholesky(array_of(x), upper=upper)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Tensor:
    """The cross product of vectors of 3 elements.

    Raises:
      ValueError: vectors of another length.
    """
    x1, x2 = _vectors(x1, x2, axis)
    if x1.dims[axis] not in (3, None) or x2.dims[axis] not in (3, None):
        raise ValueError("cross products are of vectors of 3 elements")
    return np.cross(x1, x2, axis=axis)


def det(x: TensorLike, /) -> Tensor:
    """The determinant of each matrix."""
    return np.linalg.det(array_of(x))


def diagonal(x: TensorLike, /, *, offset: int = 0) -> Tensor:
    """A diagonal of each matrix."""
    return np.linalg.diagonal(array_of(x), offset=offset)


def eigh(x: TensorLike, /) -> Any:
    """Eigenvalues and eigenvectors of each Hermitian matrix."""
    return np.linalg.eigh(array_of(x))


def eigvalsh(x: TensorLike, /) -> Tensor:
    """Eigenvalues of each Hermitian matrix."""
    return np.linalg.eigvalsh(array_of(x))


def inv(x: TensorLike, /) -> Tensor:
    """The inverse of each matrix."""
    return np.linalg.inv(array_of(x))


def matrix_norm(x: TensorLike, /, *, keepdims: bool = False, ord: float | str | None = "fro") -> Tensor:
    """The norm of each matrix."""
    return np.linalg.matrix_norm(array_of(x), keepdims=keepdims, ord=ord)


def matrix_power(x: TensorLike, n: int, /) -> Tensor:
    """Each matrix to the power of an integer."""
    return np.linalg.matrix_power(array_of(x), n)


def matrix_rank(x: TensorLike, /, *, rtol: TensorLike | None = None) -> Tensor:
    """The rank of each matrix: singular values below `rtol` times the greatest count as 0."""
    return np.linalg.matrix_rank(array_of(x), rtol=rtol)


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """The products of all pairs of elements of two vectors.

    Raises:
      ValueError: one is no vector.
    """
    x1, x2 = _both(x1, x2)
    if x1.ndim not in (1, None) or x2.ndim not in (1, None):
        raise ValueError("outer products are of vectors")
    return np.outer(x1, x2)


def pinv(x: Tensor, /, *, rtol: TensorLike | None = None) -> Tensor:
    """The pseudo-inverse of each matrix: singular values below `rtol` times the greatest count as 0."""
    x = array_of(x)
    if rtol is None:
        size = cast(reduce_max(Shape(x)[-2:]), x.dtype.real_dtype)
        rtol = size * np.finfo(x.dtype.as_numpy_dtype).eps
    return np.linalg.pinv(x, rtol=rtol)


def qr(x: TensorLike, /, *, mode: str = "reduced") -> Any:
    """Each matrix as an orthogonal and an upper triangular factor.

    Raises:
      ValueError: `mode` is neither "reduced" nor "complete".
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode must be 'reduced' or 'complete', found {mode!r}")
    return np.linalg.qr(array_of(x), mode)


def slogdet(x: TensorLike, /) -> Any:
    """Sign and logarithm of the absolute value of each determinant."""
    return np.linalg.slogdet(array_of(x))


def solve(x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """The solutions of x1 @ x = x2."""
    return np.linalg.solve(*_both(x1, x2))


def svd(x: TensorLike, /, *, full_matrices: bool = True) -> Any:
    """The singular value decomposition of each matrix."""
    return np.linalg.svd(array_of(x), full_matrices=full_matrices)


def svdvals(x: TensorLike, /) -> Tensor:
    """The singular values of each matrix, descending."""
    return np.linalg.svdvals(array_of(x))


def trace(x: TensorLike, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Tensor:
    """The sum of a diagonal of each matrix."""
    summands = summed(x, dtype)
    return np.linalg.trace(summands, offset=offset, dtype=summands.dtype)


def vector_norm(x: TensorLike, /, *, axis: AxisLike = None, keepdims: bool = False, ord: TensorLike = 2) -> Tensor:
    """The norm of vectors along `axis`, or of all elements."""
    return np.linalg.vector_norm(array_of(x), axis=axis, keepdims=keepdims, ord=ord)


__all__ = [
    "cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm", "matrix_power",
    "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot",
    "trace", "vecdot", "vector_norm",
]  # fmt: skip
