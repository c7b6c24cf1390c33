"""Functions of square matrices: exponential, square root, general eigenvalues, triangular factors."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import eye, ones_like, zeros
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import expand_dims, reshape
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.slicing import getitem
from graphrt.ops.linalg.decompositions import Cholesky, solve
from graphrt.ops.linalg.diagonals import diag, diag_part, set_diag
from graphrt.ops.linalg.einsum import einsum
from graphrt.ops.linalg.matmul import matmul
from graphrt.ops.math.arithmetic import maximum
from graphrt.ops.math.arithmetic import pow as pow_
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import Conj, ceil, is_finite, log, real
from graphrt.ops.math.elementwise import abs as abs_
from graphrt.ops.math.reduction import reduce_all, reduce_max, reduce_sum
from graphrt.ops.support.kernel_helpers import bad, of_finite, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike, static_array
from graphrt.types.dtype import COMPLEX, DType, complex64, complex128, float32, float64
from graphrt.types.likes import Array, DTypeLike
from graphrt.types.shape import Dims, merge

__all__ = ["eig", "eigvals", "expm", "logdet", "lu", "sqrtm"]


def _square(dims: Dims) -> Dims:
    if dims is None:
        return None
    if len(dims) < 2:
        raise ShapeError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    size = merge(dims[-1:], dims[-2:-1])
    return (*dims[:-2], *(size or ()), *(size or ()))


def _checked(x: Array) -> Array:
    array = np.asarray(x)
    if array.ndim < 2 or array.shape[-1] != array.shape[-2]:
        raise bad(f"Input matrix must be square: {text_of(array.shape)}")
    return array


# --- eigenvalues -----------------------------------------------------------------------------------------------------
def _eig_kernel(x: Array, *, compute_v: bool, Tout: DType) -> tuple[Array, Array]:
    array = _checked(x)
    kind = Tout.as_numpy_dtype
    if not compute_v:
        return np.linalg.eigvals(array).astype(kind), np.zeros(0, kind)
    e, v = np.linalg.eig(array)
    return e.astype(kind), v.astype(kind)


def _eig_dims(c: InferContext) -> list[Dims]:
    dims = _square(c.dims(0))
    return [None if dims is None else dims[:-1], dims if c.attrs["compute_v"] else (0,)]


def _eig_vjp(call: Any, grad_e: Any, grad_v: Any) -> list[Any]:
    tensor = call.inputs[0]
    e, v = call.outputs if call.attrs["compute_v"] else Eig(tensor, Tout=call.attrs["Tout"])
    middle = diag(grad_e)
    if call.attrs["compute_v"]:
        turned = matmul(v, grad_v, adjoint_a=True)
        length = cast(real(diag_part(turned)), v.dtype)  # eigenvectors have unit length, which takes away
        turned = turned - matmul(v, v, adjoint_a=True) * expand_dims(length, -2)
        gaps = expand_dims(e, -2) - expand_dims(e, -1)
        gaps = Conj(set_diag(gaps, ones_like(e)))
        middle = set_diag(turned / gaps, grad_e)
    grad = solve(v, matmul(middle, v, adjoint_b=True), adjoint=True)
    return [grad if tensor.dtype.is_complex else cast(real(grad), tensor.dtype)]


Eig = define(
    "Eig", "input: T -> e: Tout, v: Tout", attrs="compute_v: bool = True; T: type; Tout: type",
    allowed={"T": (float32, float64, *COMPLEX), "Tout": COMPLEX}, infer=_eig_dims, kernel=_eig_kernel,
    vjp=_eig_vjp,
)  # fmt: skip


def _complex_of(x: Tensor) -> DType:
    return complex64 if x.dtype in (float32, complex64) else complex128


def eig(tensor: TensorLike, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Eigenvalues and eigenvectors (as columns) of each matrix, as complex numbers.

    >>> import graphrt as tf
    >>> tf.linalg.eig([[2., 0.], [0., 1.]])[0].numpy().real.tolist()
    [2.0, 1.0]
    """
    x = as_tensor(tensor)
    return tuple(Eig(x, compute_v=True, Tout=_complex_of(x), name=name))


def eigvals(tensor: TensorLike, name: str | None = None) -> Tensor:
    """Eigenvalues of each matrix, as complex numbers.

    >>> import graphrt as tf
    >>> tf.linalg.eigvals([[2., 0.], [0., 1.]]).numpy().real.tolist()
    [2.0, 1.0]
    """
    x = as_tensor(tensor)
    return Eig(x, compute_v=False, Tout=_complex_of(x), name=name)[0]


# --- exponential, square root ----------------------------------------------------------------------------------------
_PADE = (1.0, 0.5, 0.11666666666666667, 0.016666666666666666, 0.0016025641025641026, 0.00010683760683760684,
         4.856254856254856e-06, 1.3875013875013875e-07, 1.9270852604185938e-09)  # fmt: skip


def expm(input: TensorLike, name: str | None = None) -> Tensor:
    """The exponential of each matrix, by scaling and squaring a rational approximation.

    >>> import graphrt as tf
    >>> tf.linalg.expm([[0., 1.], [0., 0.]]).numpy().round(4).tolist()
    [[1.0, 1.0], [0.0, 1.0]]

    Raises:
      InvalidArgumentError: a matrix is not square.
    """
    with scope(name, "matrix_exponential"):
        given = as_tensor(input)
        finite = reduce_all(is_finite(abs_(given)), [-2, -1], keepdims=True)
        x = where(finite, given, zeros([], given.dtype))
        size = reduce_max(reduce_sum(abs_(x), -2), -1)
        halvings = maximum(ceil(log(maximum(cast(size, float64), 1e-300)) / np.log(2.0)) + 2.0, 0.0)
        scale = cast(pow_(cast(2.0, float64), halvings), x.dtype)
        small = x / expand_dims(expand_dims(scale, -1), -1)
        shape = shape_(x)
        unit = eye(getitem(shape, -1), batch_shape=getitem(shape, slice(None, -2)), dtype=x.dtype)
        top = bottom = unit
        power = unit
        for k, weight in enumerate(_PADE[1:], 1):
            power = matmul(power, small)
            term = power * cast(weight, x.dtype)
            top = top + term
            bottom = bottom + term if k % 2 == 0 else bottom - term
        out = solve(bottom, top)
        return where(finite, _squared(out, halvings), cast(np.nan, given.dtype))


def _squared(x: Tensor, times: Tensor) -> Tensor:
    """`x` squared `times` times, each matrix of a batch as often as it needs."""
    for k in range(16):
        wanted = expand_dims(expand_dims(times > float(k), -1), -1)
        known = static_array(wanted)
        if known is not None and not known.any():
            break
        x = where(wanted, matmul(x, x), x)
    return x


def _sqrt_kernel(x: Array) -> Array:
    array = _checked(x)
    e, v = of_finite(np.linalg.eig, array)
    root = np.matmul(v * np.sqrt(e.astype(np.complex128))[..., None, :], np.linalg.inv(v))
    if array.dtype.kind == "c":
        return root.astype(array.dtype)
    size = np.abs(root).max(axis=(-2, -1), initial=0, keepdims=True)
    is_real = np.abs(root.imag) <= 1e-6 * size  # else no real matrix has this square
    return np.where(is_real.all(axis=(-2, -1), keepdims=True), root.real, np.nan).astype(array.dtype)


def _sqrt_vjp(call: Any, grad: Any) -> list[Any]:
    """Solves `g s* + s* g = grad` for g, as one linear system."""
    root = call.outputs[0]
    shape = shape_(root)
    n = shape[-1]
    unit = eye(n, dtype=root.dtype)
    conjugate = Conj(root) if root.dtype.is_complex else root
    system = einsum("...ji,kl->...ikjl", conjugate, unit) + einsum("ij,...kl->...ikjl", unit, conjugate)
    batch = shape[:-2]
    system = reshape(system, concat([batch, stack([n * n, n * n])], 0))
    column = reshape(grad, concat([batch, stack([n * n, 1])], 0))
    return [reshape(solve(system, column), shape)]


MatrixSquareRoot = define(
    "MatrixSquareRoot", "input: T -> output: T", allowed={"T": (float32, float64, *COMPLEX)},
    infer=lambda c: _square(c.dims(0)), kernel=_sqrt_kernel, vjp=_sqrt_vjp,
)  # fmt: skip


def sqrtm(input: TensorLike, name: str | None = None) -> Tensor:
    """The matrix whose square is the given one, for matrices with a full set of eigenvectors.

    >>> import graphrt as tf
    >>> tf.linalg.sqrtm([[4., 0.], [0., 9.]]).numpy().tolist()
    [[2.0, 0.0], [0.0, 3.0]]

    Raises:
      InvalidArgumentError: a matrix is not square.
    """
    return MatrixSquareRoot(input, name=name)


def logdet(matrix: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of each Hermitian positive definite matrix.

    >>> import graphrt as tf
    >>> tf.linalg.logdet([[1., 0.], [0., 1.]]).numpy().item()
    0.0
    """
    with scope(name, "logdet"):
        factor = Cholesky(as_tensor(matrix))
        return 2.0 * reduce_sum(log(real(diag_part(factor))), -1)  # a factor has a real diagonal


# --- LU --------------------------------------------------------------------------------------------------------------
def _lu_kernel(x: Array, *, output_idx_type: DType) -> tuple[Array, Array]:
    array = _checked(x)
    n = array.shape[-1]
    packed = np.array(array).reshape(math.prod(array.shape[:-2]), n, n)
    order = np.tile(np.arange(n, dtype=output_idx_type.as_numpy_dtype), (len(packed), 1))
    each = np.arange(len(packed))
    for k in range(n):  # of all matrices at once
        best = k + np.argmax(np.abs(packed[:, k:, k]), axis=1)
        if (packed[each, best, k] == 0).any():
            raise bad("Input is not invertible.")
        for rows in (packed, order):
            upper = rows[:, k].copy()
            rows[:, k], rows[each, best] = rows[each, best], upper
        packed[:, k + 1 :, k] /= packed[:, k, k, None]
        packed[:, k + 1 :, k + 1 :] -= packed[:, k + 1 :, k, None] * packed[:, k, None, k + 1 :]
    return packed.reshape(array.shape), order.reshape(array.shape[:-1])


def _lu_dims(c: InferContext) -> list[Dims]:
    dims = _square(c.dims(0))
    return [dims, None if dims is None else dims[:-1]]


Lu = define(
    "Lu", "input: T -> lu: T, p: output_idx_type", attrs="T: type; output_idx_type: type = int32",
    allowed={"T": (float32, float64, *COMPLEX)}, infer=_lu_dims, kernel=_lu_kernel,
)  # fmt: skip


class Packed(NamedTuple):
    """The result of `lu`, named as in TensorFlow."""

    lu: Any
    p: Any


Packed.__name__ = Lu.type


def lu(input: TensorLike, output_idx_type: DTypeLike = "int32", name: str | None = None) -> Packed:
    """Lower and upper triangular factors of each matrix, packed into one, and the permutation of its rows.

    >>> import graphrt as tf
    >>> packed, p = tf.linalg.lu([[0., 2.], [4., 2.]])
    >>> packed.numpy().tolist(), p.numpy().tolist()
    ([[4.0, 2.0], [0.0, 2.0]], [1, 0])

    Raises:
      InvalidArgumentError: a matrix is singular or not square.
    """
    return Packed(*Lu(input, output_idx_type=output_idx_type, name=name))
