"""Operators given by their elements: `FullMatrix`, `LowerTriangular`, `Tridiag`, `Toeplitz`, and two isometries."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.linear_operators.base import (
    LinearOperator,
    broadcast_batches,
    conjugate_transpose,
    solve_broadcast,
    tensor_or_variable,
)
from graphrt.linear_operators.checks import has_cholesky
from graphrt.linear_operators.kinds import register
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import eye, ones, zeros
from graphrt.ops.array.creation import range as counted
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.array.padding import reverse, roll
from graphrt.ops.array.shape import broadcast_dynamic_shape, broadcast_to, expand_dims, shape
from graphrt.ops.array.sorting import argsort
from graphrt.ops.assertions import assert_less
from graphrt.ops.linalg.banded import tridiagonal_solve
from graphrt.ops.linalg.decompositions import cholesky, cholesky_solve, det, triangular_solve
from graphrt.ops.linalg.diagonals import band_part, diag, diag_part
from graphrt.ops.linalg.matmul import matmul
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import abs as magnitude
from graphrt.ops.math.elementwise import conj, log
from graphrt.ops.math.reduction import reduce_min, reduce_prod, reduce_sum
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import as_dtype
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.shape import TensorShape, broadcast

__all__ = [
    "LinearOperatorFullMatrix", "LinearOperatorHouseholder", "LinearOperatorLowerTriangular", "LinearOperatorPermutation",
    "LinearOperatorToeplitz", "LinearOperatorTridiag",
]  # fmt: skip


def _checked(value: TensorLike, name: str, rank: int) -> Tensor:
    """`value` as a floating point or complex tensor of at least `rank` dimensions."""
    found = tensor_or_variable(value, name=name)
    if not (found.dtype.is_floating or found.dtype.is_complex):
        raise TypeError(
            errors.at_user_line(f"Argument `{name}` must have a floating or complex dtype, found {found.dtype.name}")
        )
    if found.shape.rank is not None and found.shape.rank < rank:
        raise ValueError(
            errors.at_user_line(f"Argument `{name}` must have at least {rank} dimensions. Received: {shown(value)}")
        )
    return found


@register
class LinearOperatorFullMatrix(LinearOperator):
    """A matrix without structure, `[..., rows, columns]`.

    >>> import graphrt as tf
    >>> tf.linalg.LinearOperatorFullMatrix([[2., 0.], [1., 1.]]).solvevec([2., 3.]).numpy().tolist()
    [1.0, 2.0]

    Raises:
      TypeError: the elements are no floating point or complex numbers.
      ValueError: there are fewer than two dimensions, or the hints contradict each other.
    """

    def __init__(
        self, matrix: TensorLike, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None, is_square: bool | None = None, name: str = "LinearOperatorFullMatrix",
    ) -> None:  # fmt: skip
        self._matrix = _checked(matrix, "matrix", 2)
        super().__init__(
            self._matrix.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name,
            {"matrix": self._matrix, "is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
             "is_positive_definite": is_positive_definite, "is_square": is_square, "name": name},
        )  # fmt: skip

    @property
    def matrix(self) -> Tensor:
        """The matrix."""
        return self._matrix

    def _shape(self) -> TensorShape:
        return self._matrix.shape

    def _shape_tensor(self) -> Tensor:
        return shape(self._matrix)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = conjugate_transpose(rhs) if adjoint_arg else rhs
        if has_cholesky(self):
            return cholesky_solve(*broadcast_batches(cholesky(self._matrix), rhs))
        return solve_broadcast(as_tensor(self._matrix), rhs, adjoint)

    def _to_dense(self) -> Tensor:
        return as_tensor(self._matrix)


@register
class LinearOperatorLowerTriangular(LinearOperator):
    """A lower triangular matrix; what `tril` holds above the diagonal is not read.

    >>> import graphrt as tf
    >>> tf.linalg.LinearOperatorLowerTriangular([[2., 9.], [1., 3.]]).determinant().numpy()
    np.float32(6.0)

    Raises:
      TypeError: the elements are no floating point or complex numbers.
      ValueError: there are fewer than two dimensions, or a hint cannot be.
    """

    def __init__(
        self, tril: TensorLike, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None, is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:  # fmt: skip
        if is_square is False:
            raise ValueError(errors.at_user_line("Only square lower triangular operators supported at this time."))
        self._tril = _checked(tril, "tril", 2)
        super().__init__(
            self._tril.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name,
            {"tril": self._tril, "is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
             "is_positive_definite": is_positive_definite, "is_square": is_square, "name": name},
        )  # fmt: skip

    @property
    def tril(self) -> Tensor:
        """The matrix as it was given."""
        return self._tril

    def _shape(self) -> TensorShape:
        return self._tril.shape

    def _shape_tensor(self) -> Any:
        return shape(self._tril)

    def _lower(self) -> Tensor:
        return band_part(as_tensor(self._tril), -1, 0)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return matmul(self._lower(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = conjugate_transpose(rhs) if adjoint_arg else rhs
        matrix, rhs = broadcast_batches(self._lower(), rhs)
        return triangular_solve(matrix, rhs, lower=True, adjoint=adjoint)

    def _to_dense(self) -> Tensor:
        return self._lower()

    def _diag_part(self) -> Tensor:
        return diag_part(as_tensor(self._tril))

    def _determinant(self) -> Tensor:
        return reduce_prod(self._diag_part(), -1)

    def _log_abs_determinant(self) -> Tensor:
        return reduce_sum(log(magnitude(self._diag_part())), -1)

    def _eigvals(self) -> Any:
        return self._diag_part()

    def _assert_non_singular(self) -> Any:
        smallest = reduce_min(magnitude(self._diag_part()))
        return assert_less(
            cast(0, smallest.dtype), smallest, message="Singular operator:  Diagonal contained zero values."
        )


@register
class LinearOperatorTridiag(LinearOperator):
    """A matrix with three diagonals, given as `[..., 3, n]` (above, main, below), as a list of three, or whole.

    >>> import graphrt as tf
    >>> tf.linalg.LinearOperatorTridiag([[1., 0.], [4., 5.], [0., 2.]]).to_dense().numpy().tolist()
    [[4.0, 1.0], [2.0, 5.0]]

    Raises:
      ValueError: `diagonals_format` is none of 'compact', 'sequence' and 'matrix', or the shapes do not fit it.
    """

    def __init__(
        self, diagonals: TensorLike, diagonals_format: str = "compact", is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None, is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:  # fmt: skip
        if diagonals_format not in ("compact", "sequence", "matrix"):
            raise ValueError(
                errors.at_user_line(
                    f"Argument `diagonals_format` must be one of compact, matrix, or sequence. Found: {diagonals_format}"
                )
            )
        if is_square is False:
            raise ValueError(errors.at_user_line("Only square operators are currently supported."))
        self._format = diagonals_format
        if diagonals_format == "sequence":
            if not isinstance(diagonals, (list, tuple)) or len(diagonals) != 3:
                raise ValueError(errors.at_user_line("Expected a list of three diagonals (above, main, below)."))
            self._diagonals: Any = [_checked(d, "diagonals", 1) for d in diagonals]
            kind = self._diagonals[0].dtype
        else:
            self._diagonals = _checked(diagonals, "diagonals", 2)
            kind = self._diagonals.dtype
            rows, columns = self._diagonals.shape[-2:] if self._diagonals.shape.rank is not None else (None, None)
            if diagonals_format == "compact" and rows not in (None, 3):
                raise ValueError(errors.at_user_line(f"Expected 3 diagonals, got {rows}."))
            if diagonals_format == "matrix" and None not in (rows, columns) and rows != columns:
                raise ValueError(errors.at_user_line(f"Expected a square matrix, got shape {self._diagonals.shape}."))
        super().__init__(
            kind, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name,
            {"diagonals": self._diagonals, "diagonals_format": diagonals_format, "is_non_singular": is_non_singular,
             "is_self_adjoint": is_self_adjoint, "is_positive_definite": is_positive_definite, "is_square": is_square,
             "name": name},
        )  # fmt: skip

    @property
    def diagonals(self) -> Tensor:
        """The diagonals as they were given."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """How they were given."""
        return self._format

    def _three(self) -> list[Any]:
        """Above, main, below, each `[..., n]`; what lies outside of the matrix is not read."""
        if self._format == "sequence":
            return [as_tensor(d) for d in self._diagonals]
        given = as_tensor(self._diagonals)
        if self._format == "compact":
            return [given[..., i, :] for i in range(3)]
        if given.dims is not None and given.dims[-1] == 0:
            return 3 * [diag_part(given)]
        edge = zeros(concat([shape(given)[:-2], [1]], 0), given.dtype)
        above, below = diag_part(given, k=1), diag_part(given, k=-1)
        return [concat([above, edge], -1), diag_part(given), concat([edge, below], -1)]

    def _shape(self) -> TensorShape:
        if self._format == "matrix":
            return self._diagonals.shape
        if self._format == "sequence":
            dims: Any = ()
            for one in self._diagonals:
                dims = broadcast(dims, one.shape.as_list() if one.shape.rank is not None else None)
            return TensorShape(None if dims is None else (*dims, dims[-1]))
        found = self._diagonals.shape
        return TensorShape(None if found.rank is None else (*found[:-2], found[-1], found[-1]))

    def _shape_tensor(self) -> Any:
        found = shape(self._three()[1])
        for other in (0, 2):
            found = broadcast_dynamic_shape(found, shape(self._three()[other]))
        return concat([found, found[-1:]], 0)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = conjugate_transpose(x) if adjoint_arg else x
        above, main, below = self._three()
        if adjoint:
            above, main, below = conj(roll(below, -1, -1)), conj(main), conj(roll(above, 1, -1))
        zero = x[..., :1, :] * cast(0, x.dtype)
        after, before = concat([x[..., 1:, :], zero], -2), concat([zero, x[..., :-1, :]], -2)
        return expand_dims(main, -1) * x + expand_dims(above, -1) * after + expand_dims(below, -1) * before

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = conjugate_transpose(rhs) if adjoint_arg else rhs
        above, main, below = self._three()
        if adjoint:
            above, main, below = conj(roll(below, -1, -1)), conj(main), conj(roll(above, 1, -1))
        rows = [expand_dims(v, -2) for v in broadcast_vectors(above, main, below)]
        stacked = concat(rows, -2)
        lead = broadcast_dynamic_shape(shape(stacked)[:-2], shape(rhs)[:-2])
        stacked = broadcast_to(stacked, concat([lead, shape(stacked)[-2:]], 0))
        rhs = broadcast_to(rhs, concat([lead, shape(rhs)[-2:]], 0))
        return tridiagonal_solve(stacked, rhs, diagonals_format="compact")

    def _to_dense(self) -> Tensor:
        if self._format == "matrix":
            return as_tensor(self._diagonals)
        above, main, below = broadcast_vectors(*self._three())
        return diag(main) + diag(above[..., :-1], k=1) + diag(below[..., 1:], k=-1)

    def _diag_part(self) -> Tensor:
        return broadcast_vectors(*self._three())[1]


def broadcast_vectors(*vectors: Tensor) -> list[Any]:
    """The vectors with one shape."""
    total: Any = shape(vectors[0])
    for other in vectors[1:]:
        total = broadcast_dynamic_shape(total, shape(other))
    return [v if v.dims == vectors[0].dims == vectors[-1].dims else broadcast_to(v, total) for v in vectors]


@register
class LinearOperatorToeplitz(LinearOperator):
    """A matrix that is constant along its diagonals, given by its first column and row (which share an element).

    >>> import graphrt as tf
    >>> tf.linalg.LinearOperatorToeplitz([1., 2.], [1., 3.]).to_dense().numpy().tolist()
    [[1.0, 3.0], [2.0, 1.0]]

    Raises:
      TypeError: the elements are no floating point or complex numbers.
      ValueError: `col` and `row` differ in length.
    """

    def __init__(
        self, col: TensorLike, row: TensorLike, is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None, is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz"
    ) -> None:  # fmt: skip
        self._col, self._row = _checked(col, "col", 1), _checked(row, "row", 1)
        if self._col.dtype is not self._row.dtype:
            raise TypeError(errors.at_user_line(f"`col` is {self._col.dtype.name}, `row` {self._row.dtype.name}"))
        if is_square is False:
            raise ValueError(errors.at_user_line("Only square Toeplitz operators currently supported."))
        if self._col.shape.rank is not None and self._row.shape.rank is not None:
            sizes = (self._col.shape[-1], self._row.shape[-1])
            if None not in sizes and sizes[0] != sizes[1]:
                raise ValueError(
                    errors.at_user_line(f"`col` and `row` must have one length, found {sizes[0]} and {sizes[1]}")
                )
        super().__init__(
            self._col.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name,
            {"col": self._col, "row": self._row, "is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
             "is_positive_definite": is_positive_definite, "is_square": is_square, "name": name},
        )  # fmt: skip

    @property
    def col(self) -> Tensor:
        """The first column."""
        return self._col

    @property
    def row(self) -> Tensor:
        """The first row."""
        return self._row

    def _shape(self) -> TensorShape:
        dims = broadcast(_dims(self._col), _dims(self._row))
        return TensorShape(None if dims is None else (*dims, dims[-1]))

    def _shape_tensor(self) -> Any:
        found = broadcast_dynamic_shape(shape(self._col), shape(self._row))
        return concat([found, found[-1:]], 0)

    def _to_dense(self) -> Tensor:
        col, row = broadcast_vectors(as_tensor(self._col), as_tensor(self._row))
        n = shape(col)[-1]
        # the elements from the upper right corner to the lower left one; element (i, j) is number n - 1 + i - j
        elements = concat([reverse(row, [-1])[..., :-1], col], -1)
        at = counted(n)
        return gather(elements, expand_dims(at, -1) - expand_dims(at, 0) + n - 1, axis=-1)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return matmul(self._to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _diag_part(self) -> Tensor:
        col, _ = broadcast_vectors(as_tensor(self._col), as_tensor(self._row))
        return broadcast_to(col[..., :1], shape(col))

    def _trace(self) -> Tensor:
        col, _ = broadcast_vectors(as_tensor(self._col), as_tensor(self._row))
        return col[..., 0] * cast(shape(col)[-1], self.dtype)


def _dims(x: Any) -> Any:
    return None if x.shape.rank is None else tuple(x.shape.as_list())


# --- isometries ------------------------------------------------------------------------------------------------------
@register
class LinearOperatorHouseholder(LinearOperator):
    """The reflection `I - 2 v v^H / |v|^2`.

    >>> import graphrt as tf
    >>> tf.linalg.LinearOperatorHouseholder([1., 0.]).matvec([3., 4.]).numpy().tolist()
    [-3.0, 4.0]

    Raises:
      ValueError: the axis is 0-d, or a hint says that this were no reflection.
    """

    def __init__(
        self, reflection_axis: TensorLike, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None, is_square: bool | None = None, name: str = "LinearOperatorHouseholder"
    ) -> None:  # fmt: skip
        self._axis = _checked(reflection_axis, "reflection_axis", 1)
        for wrong, words in (
            (is_self_adjoint is False, "always self adjoint"),
            (is_positive_definite is True, "always non-positive definite"),
            (is_square is False, "always square"),
        ):  # fmt: skip
            if wrong:
                raise ValueError(errors.at_user_line(f"A Householder operator is {words}."))
        super().__init__(
            self._axis.dtype, None, is_non_singular, True, False, True, name,
            {"reflection_axis": self._axis, "is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
             "is_positive_definite": is_positive_definite, "is_square": is_square, "name": name},
        )  # fmt: skip

    @property
    def reflection_axis(self) -> Tensor:
        """The axis that is turned round."""
        return self._axis

    def _shape(self) -> TensorShape:
        dims = _dims(self._axis)
        return TensorShape(None if dims is None else (*dims, dims[-1]))

    def _shape_tensor(self) -> Any:
        found = shape(self._axis)
        return concat([found, found[-1:]], 0)

    def _unit(self) -> Tensor:
        axis = as_tensor(self._axis)
        length = reduce_sum(axis * conj(axis), -1, keepdims=True)
        return axis / length**0.5

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = conjugate_transpose(x) if adjoint_arg else x
        unit = expand_dims(self._unit(), -1)
        return x - 2 * unit * matmul(unit, x, adjoint_a=True)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _to_dense(self) -> Tensor:
        unit = expand_dims(self._unit(), -1)
        return eye(self.domain_dimension_tensor(), dtype=self.dtype) - 2 * matmul(unit, unit, adjoint_b=True)

    def _diag_part(self) -> Tensor:
        unit = self._unit()
        return 1 - 2 * unit * conj(unit)

    def _per_matrix(self, value: TensorLike) -> Tensor:
        return cast(value, self.dtype) * ones(self.batch_shape_tensor(), self.dtype)

    def _trace(self) -> Tensor:
        return self._per_matrix(self.domain_dimension_tensor() - 2)

    def _determinant(self) -> Tensor:
        return self._per_matrix(-1)

    def _log_abs_determinant(self) -> Tensor:
        return self._per_matrix(0)

    def _cond(self) -> Tensor:
        return self._per_matrix(1)

    def _eigvals(self) -> Tensor:
        all_ones = ones(shape(self._axis), self.dtype)
        return concat([-all_ones[..., :1], all_ones[..., 1:]], -1)

    def _assert_non_singular(self) -> None:
        return None

    _assert_self_adjoint = _assert_non_singular

    def _linop_inverse(self) -> LinearOperator:
        return self


@register
class LinearOperatorPermutation(LinearOperator):
    """A matrix that exchanges rows: row `i` of `A x` is row `perm[i]` of `x`.

    >>> import graphrt as tf
    >>> tf.linalg.LinearOperatorPermutation([2, 0, 1]).matvec([5., 6., 7.]).numpy().tolist()
    [7.0, 5.0, 6.0]

    Raises:
      TypeError: `perm` holds no integers.
      ValueError: `perm` is 0-d, not a permutation, or a hint cannot be.
    """

    def __init__(
        self, perm: TensorLike, dtype: DTypeLike = "float32", is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None, is_square: bool | None = None,
        name: str = "LinearOperatorPermutation"
    ) -> None:  # fmt: skip
        self._perm = tensor_or_variable(perm, name="perm")
        if not self._perm.dtype.is_integer:
            raise TypeError(
                errors.at_user_line(f"Argument `perm` must be integer dtype. Found: {self._perm.dtype.name}")
            )
        if self._perm.shape.rank is not None and self._perm.shape.rank < 1:
            raise ValueError(errors.at_user_line(f"Argument `perm` must have at least 1 dimension. Found: {perm!r}"))
        known = getattr(self._perm, "_value", None)
        if isinstance(known, np.ndarray) and not (np.sort(known, -1) == np.arange(known.shape[-1])).all():
            raise ValueError(
                errors.at_user_line(
                    f"Argument `perm` must be a vector of unique integers from 0 to {known.shape[-1] - 1}."
                )
            )
        for hint, words in ((is_non_singular, "non-singular"), (is_square, "square")):
            if hint is False:
                raise ValueError(errors.at_user_line(f"A Permutation operator is always {words}."))
        kind = as_dtype(dtype)
        super().__init__(
            kind, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name,
            {"perm": self._perm, "dtype": kind, "is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
             "is_positive_definite": is_positive_definite, "is_square": is_square, "name": name},
        )  # fmt: skip

    @property
    def perm(self) -> Tensor:
        """The permutation."""
        return self._perm

    def _shape(self) -> TensorShape:
        dims = _dims(self._perm)
        return TensorShape(None if dims is None else (*dims, dims[-1]))

    def _shape_tensor(self) -> Any:
        found = shape(self._perm)
        return concat([found, found[-1:]], 0)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = conjugate_transpose(x) if adjoint_arg else x
        perm = argsort(self._perm, axis=-1) if adjoint else as_tensor(self._perm)
        lead = broadcast_dynamic_shape(shape(x)[:-2], shape(perm)[:-1])
        x = broadcast_to(x, concat([lead, shape(x)[-2:]], 0))
        perm = broadcast_to(perm, concat([lead, shape(perm)[-1:]], 0))
        depth = None if perm.dims is None else len(perm.dims) - 1
        if depth is None:  # of unknown rank: through the dense matrix
            return matmul(self._to_dense(), x, transpose_a=adjoint)
        return gather(x, perm, axis=-2, batch_dims=depth)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, not adjoint, adjoint_arg)

    def _to_dense(self) -> Tensor:
        n = shape(self._perm)[-1]
        where = expand_dims(as_tensor(self._perm), -1)
        return cast(where == cast(counted(n), where.dtype), self.dtype)

    def _determinant(self) -> Tensor:
        real = self._to_dense() if self.dtype.name in ("float64", "complex128") else cast(self._to_dense(), "float64")
        return cast(det(real), self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return zeros(self.batch_shape_tensor(), self.dtype)

    def _cond(self) -> Tensor:
        return ones(self.batch_shape_tensor(), self.dtype)

    def _assert_non_singular(self) -> None:
        return None
