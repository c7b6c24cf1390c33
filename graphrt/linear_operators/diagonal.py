"""Operators with nothing beside the diagonal: `Diag`, `Identity`, `ScaledIdentity`, `Zeros`."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.linear_operators import hints
from graphrt.linear_operators.base import LinearOperator, conjugate_transpose, real_dtype, tensor_or_variable
from graphrt.linear_operators.kinds import register
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import eye, ones, ones_like, zeros, zeros_like
from graphrt.ops.array.shape import broadcast_dynamic_shape, broadcast_to, expand_dims, shape
from graphrt.ops.assertions import assert_equal, assert_less, assert_positive
from graphrt.ops.linalg.diagonals import diag, diag_part, set_diag
from graphrt.ops.math.arithmetic import pow as power
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import abs as magnitude
from graphrt.ops.math.elementwise import conj, imag, log, real, sqrt
from graphrt.ops.math.reduction import reduce_max, reduce_min, reduce_prod, reduce_sum
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor, static_array
from graphrt.types.dtype import as_dtype, float32
from graphrt.types.likes import DTypeLike, ShapeLike, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims, TensorShape, broadcast

__all__ = ["LinearOperatorDiag", "LinearOperatorIdentity", "LinearOperatorScaledIdentity", "LinearOperatorZeros"]


@register
class LinearOperatorDiag(LinearOperator):
    """A diagonal matrix, given by its diagonal `[..., n]`.

    >>> import graphrt as tf
    >>> tf.linalg.LinearOperatorDiag([1., 2.]).matvec([3., 4.]).numpy().tolist()
    [3.0, 8.0]

    Raises:
      TypeError: the diagonal is no floating point or complex tensor.
      ValueError: it is 0-d, or a hint cannot be.
    """

    def __init__(
        self, diag: TensorLike, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None, is_square: bool | None = None, name: str = "LinearOperatorDiag",
    ) -> None:  # fmt: skip
        self._diag = tensor_or_variable(diag, name="diag")
        if self._diag.shape.rank is not None and self._diag.shape.rank < 1:
            raise ValueError(errors.at_user_line(f"Argument `diag` must have at least 1 dimension. Found: {diag!s}"))
        if not (self._diag.dtype.is_floating or self._diag.dtype.is_complex):
            raise TypeError(
                errors.at_user_line(
                    f"Argument `diag` must have a floating or complex dtype, found {self._diag.dtype.name}"
                )
            )
        if not self._diag.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(errors.at_user_line("A real diagonal operator is always self adjoint."))
            is_self_adjoint = True
        if is_square is False:
            raise ValueError(errors.at_user_line("Only square diagonal operators currently supported."))
        super().__init__(
            self._diag.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name,
            {"diag": self._diag, "is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
             "is_positive_definite": is_positive_definite, "is_square": is_square, "name": name},
        )  # fmt: skip

    @property
    def diag(self) -> Tensor:
        """The diagonal."""
        return self._diag

    def _shape(self) -> TensorShape:
        found = self._diag.shape
        return TensorShape(None) if found.rank is None else found.concatenate(found[-1:])

    def _shape_tensor(self) -> Any:
        found = shape(self._diag)
        return concat([found, found[-1:]], 0)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        factor = conj(self._diag) if adjoint else self._diag
        return expand_dims(factor, -1) * (conjugate_transpose(x) if adjoint_arg else x)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return (conj(self._diag) if adjoint else self._diag) * x

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        factor = conj(self._diag) if adjoint else self._diag
        return (conjugate_transpose(rhs) if adjoint_arg else rhs) / expand_dims(factor, -1)

    def _to_dense(self) -> Tensor:
        return diag(self._diag)

    def _diag_part(self) -> Tensor:
        return as_tensor(self._diag)

    def _determinant(self) -> Tensor:
        return reduce_prod(self._diag, -1)

    def _log_abs_determinant(self) -> Tensor:
        return cast(reduce_sum(log(magnitude(self._diag)), -1), self.dtype)

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return _with_diagonal_added(x, self._diag)

    def _eigvals(self) -> Tensor:
        return as_tensor(self._diag)

    def _cond(self) -> Tensor:
        sizes = magnitude(self._diag)
        return reduce_max(sizes, -1) / reduce_min(sizes, -1)

    def _assert_non_singular(self) -> Any:
        smallest = reduce_min(magnitude(self._diag))
        return assert_less(
            cast(0, smallest.dtype), smallest, message="Singular operator:  Diagonal contained zero values."
        )

    def _assert_positive_definite(self) -> Any:
        return assert_positive(
            real(self._diag),
            message="Diagonal operator had diagonal entries with non-positive real part, thus was not positive definite.",
        )

    def _assert_self_adjoint(self) -> Any:
        found = imag(as_tensor(self._diag)) if self.dtype.is_complex else zeros_like(self._diag)
        return assert_equal(
            found, zeros_like(found), message="This diagonal operator contained non-zero imaginary values."
        )

    def _linop_adjoint(self) -> LinearOperator:
        return LinearOperatorDiag(conj(as_tensor(self._diag)), **hints.of(self)) if self.dtype.is_complex else self

    def _linop_inverse(self) -> LinearOperator:
        return LinearOperatorDiag(1.0 / as_tensor(self._diag), **hints.of(self))

    def _linop_cholesky(self) -> LinearOperator:
        return LinearOperatorDiag(
            sqrt(as_tensor(self._diag)),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=True,
        )


def _with_diagonal_added(x: Tensor, diagonal: Tensor) -> Tensor:
    """`x` with `diagonal` added to its main diagonal; the batch shapes broadcast."""
    lead = broadcast_dynamic_shape(shape(x)[:-2], shape(diagonal)[:-1])
    known: Dims = broadcast(x.dims, (*diagonal.shape.as_list(), diagonal.shape[-1]) if diagonal.shape.rank else None)
    full = broadcast_to(x, list(known) if known is not None and None not in known else concat([lead, shape(x)[-2:]], 0))
    return set_diag(full, diag_part(full) + diagonal)


# --- multiples of the identity ---------------------------------------------------------------------------------------
def _rows(value: Any, what: str) -> Any:
    """A number of rows or columns: an int, or an integer tensor where it is only known later."""
    tensor = as_tensor(value)
    if not tensor.dtype.is_integer:
        raise TypeError(errors.at_user_line(f"Argument `{what}` must be integer type. Found: {shown(value)}"))
    if tensor.dims is not None and tensor.dims != ():
        raise ValueError(errors.at_user_line(f"Argument `{what}` must be a 0-D Tensor. Found: {shown(value)}"))
    known = static_array(tensor)
    if known is None:
        return tensor
    if known < 0:
        raise ValueError(errors.at_user_line(f"Argument `{what}` must be non-negative. Found: {shown(value)}"))
    return int(known)


def _batch(value: Any) -> Any:
    """A batch shape: a tuple of ints, or an integer tensor where it is only known later; None where none is given."""
    if value is None:
        return None
    listed = isinstance(value, (list, tuple, TensorShape)) and not any(isinstance(v, Tensor) for v in value)
    tensor = as_tensor(np.array([*value], None if [*value] else np.int32) if listed else value)
    if not tensor.dtype.is_integer:
        raise TypeError(errors.at_user_line(f"Argument `batch_shape` must be integer type. Found: {shown(value)}"))
    if tensor.dims is not None and len(tensor.dims) != 1:
        raise ValueError(errors.at_user_line(f"Argument `batch_shape` must be a 1-D Tensor. Found: {shown(value)}"))
    known = static_array(tensor)
    if known is None:
        return tensor
    if (known < 0).any():
        raise ValueError(errors.at_user_line(f"Argument `batch_shape` must be non-negative. Found: {shown(value)}"))
    return tuple(int(v) for v in known)


def _size(rows: int) -> int | None:
    return rows if isinstance(rows, int) else None


def _lead(batch: tuple[int, ...] | None) -> Dims:
    if batch is None or isinstance(batch, tuple):
        return batch or ()
    return None if batch.dims is None or batch.dims[0] is None else (None,) * batch.dims[0]


def _batch_tensor(batch: Any) -> Tensor:
    return (
        as_tensor(np.array(batch or (), np.int32))
        if batch is None or isinstance(batch, tuple)
        else cast(batch, "int32")
    )


class _IdentityLike(LinearOperator):
    """What `Identity` and `ScaledIdentity` share."""

    _num_rows: Any

    def _size_tensor(self) -> Tensor:
        return as_tensor(self._num_rows, None)

    def _sized(self, x: Tensor, adjoint_arg: bool) -> Tensor:
        return conjugate_transpose(x) if adjoint_arg else x


@register
class LinearOperatorIdentity(_IdentityLike):
    """The identity of `num_rows` rows, or a batch of it.

    >>> import graphrt as tf
    >>> tf.linalg.LinearOperatorIdentity(2).to_dense().numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]

    Raises:
      TypeError: `num_rows` or `batch_shape` hold no integers.
      ValueError: they are negative or of another rank, or a hint says that this were no identity.
    """

    def __init__(
        self, num_rows: TensorLike, batch_shape: ShapeLike = None, dtype: DTypeLike | None = None,
        is_non_singular: bool | None = True, is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True, is_square: bool | None = True, assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity"
    ) -> None:  # fmt: skip
        kind = float32 if dtype is None else as_dtype(dtype)
        for label, hint in (
            ("self-adjoint", is_self_adjoint), ("non-singular", is_non_singular),
            ("positive-definite", is_positive_definite),
            ("square", is_square),
        ):  # fmt: skip
            if not hint:
                raise ValueError(errors.at_user_line(f"An identity operator is always {label}."))
        self._num_rows = _rows(num_rows, "num_rows")
        self._batch = _batch(batch_shape)
        super().__init__(
            kind, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name,
            {"num_rows": self._num_rows, "batch_shape": self._batch, "dtype": kind, "is_non_singular": is_non_singular,
             "is_self_adjoint": is_self_adjoint, "is_positive_definite": is_positive_definite, "is_square": is_square,
             "assert_proper_shapes": assert_proper_shapes, "name": name},
        )  # fmt: skip

    def _shape(self) -> TensorShape:
        lead = _lead(self._batch)
        return TensorShape(None if lead is None else (*lead, _size(self._num_rows), _size(self._num_rows)))

    def _shape_tensor(self) -> Any:
        rows = cast(self._size_tensor(), "int32")
        return concat([_batch_tensor(self._batch), [rows, rows]], 0)

    def _spread(self, x: Any) -> Tensor:
        """`x` with the batch shape of this operator."""
        lead = _lead(self._batch)
        if lead == () or (
            lead is not None and x.dims is not None and None not in lead and x.dims[: len(x.dims) - 2] == lead
        ):
            return x
        return x + zeros(concat([_batch_tensor(self._batch), [1, 1]], 0), x.dtype)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._spread(self._sized(x, adjoint_arg))

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._spread(self._sized(rhs, adjoint_arg))

    def _to_dense(self) -> Tensor:
        return eye(self._num_rows, batch_shape=None if self._batch is None else list(self._batch) if isinstance(
            self._batch, tuple) else self._batch, dtype=self.dtype)  # fmt: skip

    def _diag_part(self) -> Tensor:
        return ones(self.shape_tensor()[:-1], self.dtype)

    def _ones(self) -> Tensor:
        return ones(self.batch_shape_tensor(), self.dtype)

    def _trace(self) -> Tensor:
        return self._ones() * cast(self._size_tensor(), self.dtype)

    def _determinant(self) -> Tensor:
        return self._ones()

    def _log_abs_determinant(self) -> Tensor:
        return zeros(self.batch_shape_tensor(), self.dtype)

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return _with_diagonal_added(x, self._diag_part())

    def _eigvals(self) -> Tensor:
        return self._diag_part()

    def _cond(self) -> Tensor:
        return self._ones()

    def _assert_non_singular(self) -> None:
        return None

    _assert_positive_definite = _assert_self_adjoint = _assert_non_singular

    def _linop_inverse(self) -> LinearOperator:
        return self

    def _linop_cholesky(self) -> LinearOperator:
        return self


@register
class LinearOperatorScaledIdentity(_IdentityLike):
    """A multiple of the identity; `multiplier` has the batch shape.

    >>> import graphrt as tf
    >>> tf.linalg.LinearOperatorScaledIdentity(2, multiplier=3.).determinant().numpy()
    np.float32(9.0)

    Raises:
      TypeError: `num_rows` is no integer.
      ValueError: `num_rows` is negative or no scalar, or a hint cannot be.
    """

    def __init__(
        self, num_rows: TensorLike, multiplier: TensorLike, is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None, is_square: bool | None = True,
        assert_proper_shapes: bool = False, name: str = "LinearOperatorScaledIdentity"
    ) -> None:  # fmt: skip
        self._multiplier = tensor_or_variable(multiplier, name="multiplier")
        if not self._multiplier.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError(errors.at_user_line("A real diagonal operator is always self adjoint."))
            is_self_adjoint = True
        if not is_square:
            raise ValueError(errors.at_user_line("A ScaledIdentity operator is always square."))
        self._num_rows = _rows(num_rows, "num_rows")
        super().__init__(
            self._multiplier.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name,
            {"num_rows": self._num_rows, "multiplier": self._multiplier, "is_non_singular": is_non_singular,
             "is_self_adjoint": is_self_adjoint, "is_positive_definite": is_positive_definite, "is_square": is_square,
             "assert_proper_shapes": assert_proper_shapes, "name": name},
        )  # fmt: skip

    @property
    def multiplier(self) -> Tensor:
        """What the identity is multiplied by."""
        return self._multiplier

    def _shape(self) -> TensorShape:
        size = _size(self._num_rows)
        return self._multiplier.shape.concatenate([size, size])

    def _shape_tensor(self) -> Any:
        rows = cast(self._size_tensor(), "int32")
        return concat([shape(self._multiplier), [rows, rows]], 0)

    def _factor(self, adjoint: bool = False) -> Tensor:
        found = expand_dims(expand_dims(self._multiplier, -1), -1)
        return conj(found) if adjoint else found

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._sized(x, adjoint_arg) * self._factor(adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._sized(rhs, adjoint_arg) / self._factor(adjoint)

    def _diag_part(self) -> Tensor:
        return expand_dims(self._multiplier, -1) * ones([self._num_rows], self.dtype)

    def _to_dense(self) -> Tensor:
        return diag(self._diag_part())

    def _power(self) -> Tensor:
        return cast(self._size_tensor(), self.dtype)

    def _trace(self) -> Tensor:
        return self._multiplier * self._power()

    def _determinant(self) -> Tensor:
        return power(as_tensor(self._multiplier), self._power())

    def _log_abs_determinant(self) -> Tensor:
        return cast(self._size_tensor(), real_dtype(self.dtype)) * log(magnitude(self._multiplier))

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return _with_diagonal_added(x, self._diag_part())

    def _eigvals(self) -> Tensor:
        return self._diag_part()

    def _cond(self) -> Tensor:
        return ones_like(self._multiplier)

    def _assert_non_singular(self) -> Any:
        smallest = reduce_min(magnitude(self._multiplier))
        return assert_less(cast(0, smallest.dtype), smallest, message="LinearOperator was singular")

    def _assert_positive_definite(self) -> Any:
        return assert_positive(real(as_tensor(self._multiplier)), message="LinearOperator was not positive definite.")

    def _assert_self_adjoint(self) -> Any:
        found = imag(as_tensor(self._multiplier)) if self.dtype.is_complex else zeros_like(self._multiplier)
        return assert_equal(found, zeros_like(found), message="LinearOperator was not self-adjoint")

    def _linop_adjoint(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._num_rows, conj(as_tensor(self._multiplier)), **hints.of(self))

    def _linop_inverse(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(self._num_rows, 1.0 / as_tensor(self._multiplier), **hints.of(self))

    def _linop_cholesky(self) -> LinearOperator:
        return LinearOperatorScaledIdentity(
            self._num_rows, sqrt(as_tensor(self._multiplier)), is_non_singular=True, is_self_adjoint=True,
            is_positive_definite=True, is_square=True,
        )  # fmt: skip


@register
class LinearOperatorZeros(LinearOperator):
    """The matrix of zeros.

    >>> import graphrt as tf
    >>> tf.linalg.LinearOperatorZeros(2).matvec([1., 2.]).numpy().tolist()
    [0.0, 0.0]

    Raises:
      TypeError: a size is no integer.
      ValueError: a size is negative, or a hint cannot be.
    """

    def __init__(
        self, num_rows: TensorLike, num_columns: TensorLike | None = None, batch_shape: ShapeLike = None,
        dtype: DTypeLike | None = None, is_non_singular: bool | None = False, is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False, is_square: bool | None = True, assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros"
    ) -> None:  # fmt: skip
        kind = float32 if dtype is None else as_dtype(dtype)
        if not is_self_adjoint and is_square:
            raise ValueError(errors.at_user_line("A zero operator is always self adjoint."))
        if is_non_singular:
            raise ValueError(errors.at_user_line("A zero operator is always singular."))
        if is_positive_definite:
            raise ValueError(errors.at_user_line("A zero operator is always not positive-definite."))
        self._num_rows = _rows(num_rows, "num_rows")
        self._num_columns = self._num_rows if num_columns is None else _rows(num_columns, "num_columns")
        same = (
            isinstance(self._num_rows, int)
            and isinstance(self._num_columns, int)
            and self._num_rows != self._num_columns
        )
        if is_square and same:
            raise ValueError(
                errors.at_user_line(
                    f"LinearOperatorZeros initialized as is_square=True, but got num_rows({self._num_rows}) != "
                    f"num_columns({self._num_columns})"
                )
            )
        self._batch = _batch(batch_shape)
        super().__init__(
            kind, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name,
            {"num_rows": self._num_rows, "num_columns": self._num_columns, "batch_shape": self._batch, "dtype": kind,
             "is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
             "is_positive_definite": is_positive_definite, "is_square": is_square,
             "assert_proper_shapes": assert_proper_shapes, "name": name},
        )  # fmt: skip

    def _shape(self) -> TensorShape:
        lead = _lead(self._batch)
        return TensorShape(None if lead is None else (*lead, _size(self._num_rows), _size(self._num_columns)))

    def _shape_tensor(self) -> Any:
        rows, columns = cast(as_tensor(self._num_rows), "int32"), cast(as_tensor(self._num_columns), "int32")
        return concat([_batch_tensor(self._batch), [rows, columns]], 0)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = conjugate_transpose(x) if adjoint_arg else x
        rows = self.domain_dimension_tensor() if adjoint else self.range_dimension_tensor()
        lead = broadcast_dynamic_shape(shape(x)[:-2], self.batch_shape_tensor())
        return zeros(concat([lead, [rows, shape(x)[-1]]], 0), self.dtype)

    def _to_dense(self) -> Tensor:
        return zeros(self.shape_tensor(), self.dtype)

    def _diag_part(self) -> Tensor:
        return diag_part(self._to_dense())

    def _zero(self) -> Tensor:
        return zeros(self.batch_shape_tensor(), self.dtype)

    def _trace(self) -> Tensor:
        return self._zero()

    def _determinant(self) -> Tensor:
        return self._zero()

    def _log_abs_determinant(self) -> Tensor:
        return self._zero() - cast(np.inf, self.dtype)

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return x + zeros(concat([self.batch_shape_tensor(), [1, 1]], 0), x.dtype)

    def _eigvals(self) -> Tensor:
        return self._diag_part()

    def _assert_self_adjoint(self) -> None:
        return None
