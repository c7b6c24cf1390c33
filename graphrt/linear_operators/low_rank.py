"""Operators with a few dimensions changed: `LowRankUpdate`."""

from __future__ import annotations

from typing import Any

from graphrt import errors
from graphrt.linear_operators.base import (
    LinearOperator,
    conjugate_transpose,
    solve_broadcast,
    tensor_or_variable,
)
from graphrt.linear_operators.diagonal import LinearOperatorDiag, LinearOperatorIdentity
from graphrt.linear_operators.joint import sum_of_logs, to_batch
from graphrt.linear_operators.kinds import register
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.shape import broadcast_dynamic_shape, expand_dims, shape
from graphrt.ops.linalg.decompositions import cholesky, cholesky_solve, det, slogdet
from graphrt.ops.linalg.diagonals import diag_part
from graphrt.ops.linalg.matmul import matmul
from graphrt.ops.math.elementwise import conj, log
from graphrt.ops.math.reduction import reduce_sum
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike
from graphrt.types.shape import TensorShape, broadcast

__all__ = ["LinearOperatorLowRankUpdate"]


@register
class LinearOperatorLowRankUpdate(LinearOperator):
    """An operator plus a product of thin matrices: `L + U D V^H`, with `D` diagonal (1 where none is given).

    >>> import graphrt as tf
    >>> a = tf.linalg.LinearOperatorLowRankUpdate(tf.linalg.LinearOperatorIdentity(2), u=[[1.], [2.]])
    >>> a.to_dense().numpy().tolist()
    [[2.0, 2.0], [2.0, 5.0]]

    Raises:
      TypeError: the dtypes differ.
      ValueError: the shapes do not fit, or a hint cannot be.
    """

    def __init__(
        self, base_operator: LinearOperator, u: TensorLike, diag_update: TensorLike | None = None,
        v: TensorLike | None = None, is_diag_update_positive: bool | None = None, is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None, is_positive_definite: bool | None = None, is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate"
    ) -> None:  # fmt: skip
        errors.expect(base_operator, LinearOperator, "base_operator", "a tf.linalg.LinearOperator")
        kind = base_operator.dtype
        self._base_operator = base_operator
        self._u = tensor_or_variable(u, kind, "u")
        self._v = self._u if v is None else tensor_or_variable(v, kind, "v")
        self._diag_update = None if diag_update is None else tensor_or_variable(diag_update, kind, "diag_update")
        positive = True if diag_update is None else is_diag_update_positive
        if diag_update is None and is_diag_update_positive is False:
            raise ValueError(
                errors.at_user_line(
                    "The diagonal between u and v is the identity, which is positive, but is_diag_update_positive is False."
                )
            )
        self._is_diag_update_positive = positive
        if v is None:  # U D U^H keeps what the base has
            if positive and base_operator.is_positive_definite and base_operator.is_self_adjoint:
                if is_positive_definite is False or is_self_adjoint is False:
                    raise ValueError(
                        errors.at_user_line("The update of a positive definite operator is positive definite here.")
                    )
                is_positive_definite = is_self_adjoint = is_non_singular = True
            elif base_operator.is_self_adjoint and not kind.is_complex:
                is_self_adjoint = True if is_self_adjoint is None else is_self_adjoint
        self._check_shapes()
        self._diag_operator = self._made_diag_operator()
        super().__init__(
            kind, None, is_non_singular, is_self_adjoint, is_positive_definite,
            base_operator.is_square if is_square is None else is_square, name,
            {"base_operator": base_operator, "u": self._u, "diag_update": self._diag_update,
             "v": None if v is None else self._v, "is_diag_update_positive": is_diag_update_positive,
             "is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
             "is_positive_definite": is_positive_definite, "is_square": is_square, "name": name},
        )  # fmt: skip

    def _check_shapes(self) -> None:
        base = self._base_operator
        for label, matrix, size in (("u", self._u, base.range_dimension), ("v", self._v, base.domain_dimension)):
            rank = matrix.shape.rank
            if rank is None:
                continue
            if rank < 2 or (None not in (size, matrix.shape[-2]) and matrix.shape[-2] != size):
                raise ValueError(
                    errors.at_user_line(
                        f"`{label}` has shape {matrix.shape}, which does not fit {base.name} of shape {base.shape}"
                    )
                )

    @property
    def base_operator(self) -> LinearOperator:
        """The operator that is updated."""
        return self._base_operator

    @property
    def u(self) -> Tensor:
        """The left thin matrix."""
        return self._u

    @property
    def v(self) -> Tensor:
        """The right thin matrix."""
        return self._v

    @property
    def diag_update(self) -> Tensor | None:
        """The diagonal between them, or None."""
        return self._diag_update

    @property
    def is_diag_update_positive(self) -> bool | None:
        """Whether the diagonal is positive, as far as is known."""
        return self._is_diag_update_positive

    @property
    def diag_operator(self) -> LinearOperator:
        """The diagonal between them, as an operator."""
        return self._diag_operator

    def _made_diag_operator(self) -> LinearOperator:
        if self._diag_update is None:
            rank = self._u.shape[-1] if self._u.shape.rank is not None else None
            return LinearOperatorIdentity(rank if rank is not None else shape(self._u)[-1], dtype=self._u.dtype)
        return LinearOperatorDiag(self._diag_update, is_positive_definite=self._is_diag_update_positive)

    def _batch_parts(self) -> list[Any]:
        found = [self._u.shape[:-2], self._v.shape[:-2]]
        return found if self._diag_update is None else [*found, self._diag_update.shape[:-1]]

    def _shape(self) -> TensorShape:
        dims: Any = self._base_operator.batch_shape.as_list() if self._base_operator.shape.rank is not None else None
        for other in self._batch_parts():
            dims = broadcast(
                None if dims is None else tuple(dims), None if other.rank is None else tuple(other.as_list())
            )
        tail = (self._base_operator.range_dimension, self._base_operator.domain_dimension)
        return TensorShape(None if dims is None else (*dims, *tail))

    def _shape_tensor(self) -> Any:
        lead = self._base_operator.batch_shape_tensor()
        for one, tail in ((self._u, 2), (self._v, 2), (self._diag_update, 1)):
            lead = lead if one is None else broadcast_dynamic_shape(lead, shape(one)[:-tail])
        return concat([lead, self._base_operator.shape_tensor()[-2:]], 0)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = conjugate_transpose(x) if adjoint_arg else x
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        thin = matmul(right, x, adjoint_a=True)
        return self._base_operator.matmul(x, adjoint=adjoint) + matmul(
            left, self.diag_operator.matmul(thin, adjoint=adjoint)
        )

    def _capacitance(self) -> Tensor:
        """`D^-1 + V^H L^-1 U`, the small matrix behind solutions and determinants."""
        inner = matmul(self._v, self._base_operator.solve(as_tensor(self._u)), adjoint_a=True)
        return self.diag_operator.inverse().add_to_tensor(inner)

    def _symmetric(self) -> bool:
        return bool(self._base_operator.is_positive_definite and self._is_diag_update_positive and self._v is self._u)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = conjugate_transpose(rhs) if adjoint_arg else rhs
        if self._base_operator.is_non_singular is False:
            return super()._solve(rhs, adjoint)
        left, right = (self._v, self._u) if adjoint else (self._u, self._v)
        solved = self._base_operator.solve(rhs, adjoint=adjoint)
        thin = matmul(right, solved, adjoint_a=True)
        small = self._capacitance()
        lead = broadcast_dynamic_shape(shape(small)[:-2], shape(thin)[:-2])
        if self._symmetric():
            inner = cholesky_solve(to_batch(cholesky(small), lead, 2), to_batch(thin, lead, 2))
        else:
            inner = solve_broadcast(small, thin, adjoint)
        return solved - self._base_operator.solve(matmul(left, inner), adjoint=adjoint)

    def _determinant(self) -> Tensor:
        if self._base_operator.is_non_singular is False:
            return super()._determinant()
        return det(self._capacitance()) * self.diag_operator.determinant() * self._base_operator.determinant()

    def _log_abs_determinant(self) -> Tensor:
        if self._base_operator.is_non_singular is False:
            return super()._log_abs_determinant()
        small = self._capacitance()
        if self._symmetric():
            inner = 2 * reduce_sum(log(diag_part(cholesky(small))), -1)
        else:
            inner = slogdet(small)[1]
        parts = (inner, self.diag_operator.log_abs_determinant(), self._base_operator.log_abs_determinant())
        return sum_of_logs(parts)

    def _diag_part(self) -> Tensor:
        left = (
            as_tensor(self._u) if self._diag_update is None else as_tensor(self._u) * expand_dims(self._diag_update, -2)
        )
        return self._base_operator.diag_part() + reduce_sum(left * conj(as_tensor(self._v)), -1)
