"""Operators made of operators: adjoints, inverses, products, Kronecker products."""

from __future__ import annotations

import functools
import operator as python_operator
from collections.abc import Sequence
from typing import Any

from graphrt import errors
from graphrt.linear_operators import hints
from graphrt.linear_operators.base import (
    LinearOperator,
    conjugate_transpose,
)
from graphrt.linear_operators.joint import hint_of_all, joint_batch, joint_batch_tensor, several, sum_of_logs, to_batch
from graphrt.linear_operators.kinds import register
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.shape import broadcast_dynamic_shape, expand_dims, reshape, shape
from graphrt.ops.linalg.decompositions import matrix_transpose
from graphrt.ops.math.arithmetic import pow as power
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import abs as magnitude
from graphrt.ops.math.elementwise import conj
from graphrt.ops.math.reduction import reduce_prod
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import DType
from graphrt.types.shape import TensorShape, broadcast

__all__ = ["LinearOperatorAdjoint", "LinearOperatorComposition", "LinearOperatorInversion", "LinearOperatorKronecker"]


# --- of one operator -------------------------------------------------------------------------------------------------
def _agreed(operator: LinearOperator, name: str, value: bool | None, what: str) -> bool | None:
    """The hint that is given or that of `operator`; ValueError when they contradict each other."""
    errors.expect(operator, LinearOperator, "operator", "a tf.linalg.LinearOperator")
    known = getattr(operator, name)
    if value is None:
        return known
    if known is not None and known != value:
        raise ValueError(
            errors.at_user_line(f"{what} has {name}={value}, but its operator {operator.name} has {known}")
        )
    return value


class _OfOne(LinearOperator):
    """What is worked out of another operator when it is asked for: hints, condition and assertions are that one's."""

    _suffix = ""  # of the name of the operator, for the one of this

    def __init__(
        self, operator: LinearOperator, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None, is_square: bool | None = None, name: str | None = None,
    ) -> None:  # fmt: skip
        self._operator = operator
        given = {"is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
                 "is_positive_definite": is_positive_definite, "is_square": is_square}  # fmt: skip
        known: dict[str, Any] = {k: _agreed(operator, k, v, type(self).__name__) for k, v in given.items()}
        label = name or f"{operator.name}_{self._suffix}"
        super().__init__(operator.dtype, name=label, parameters={"operator": operator, **known, "name": label}, **known)

    @property
    def operator(self) -> LinearOperator:
        """The operator that this one is made of."""
        return self._operator

    def _cond(self) -> Tensor:
        return self._operator.cond()

    def _assert_non_singular(self) -> None:
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self) -> None:
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> None:
        return self._operator.assert_self_adjoint()


@register
class LinearOperatorAdjoint(_OfOne):
    """The conjugate transpose of an operator.

    >>> import graphrt as tf
    >>> a = tf.linalg.LinearOperatorFullMatrix([[1., 2.], [0., 1.]])
    >>> tf.linalg.LinearOperatorAdjoint(a).to_dense().numpy().tolist()
    [[1.0, 0.0], [2.0, 1.0]]

    Raises:
      ValueError: a hint contradicts that of the operator.
    """

    _suffix = "adjoint"

    def _shape(self) -> TensorShape:
        found = self._operator.shape
        return TensorShape(None) if found.rank is None else TensorShape([*found[:-2], found[-1], found[-2]])

    def _shape_tensor(self) -> Tensor:
        found = self._operator.shape_tensor()
        return concat([found[:-2], found[-1:], found[-2:-1]], 0)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator.matvec(x, adjoint=not adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator.solvevec(rhs, adjoint=not adjoint)

    def _to_dense(self) -> Tensor:
        return conjugate_transpose(self._operator.to_dense())

    def _conjugate(self, x: Tensor) -> Tensor:
        return conj(x) if x.dtype.is_complex else x

    def _diag_part(self) -> Tensor:
        return self._conjugate(self._operator.diag_part())

    def _trace(self) -> Tensor:
        return self._conjugate(self._operator.trace())

    def _determinant(self) -> Tensor:
        return self._conjugate(self._operator.determinant())

    def _log_abs_determinant(self) -> Tensor:
        return self._operator.log_abs_determinant()

    def _eigvals(self) -> Any:
        return self._conjugate(self._operator.eigvals())

    def _linop_adjoint(self) -> LinearOperator:
        return self._operator


@register
class LinearOperatorInversion(_OfOne):
    """The inverse of an operator; nothing is computed until something is asked of it.

    >>> import graphrt as tf
    >>> a = tf.linalg.LinearOperatorFullMatrix([[2., 0.], [0., 4.]])
    >>> tf.linalg.LinearOperatorInversion(a).matvec([2., 4.]).numpy().tolist()
    [1.0, 1.0]

    Raises:
      ValueError: the operator is not square, singular by its hint, or a hint contradicts its hints.
    """

    _suffix = "inv"

    def __init__(
        self, operator: LinearOperator, is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None, is_square: bool | None = None, name: str | None = None,
    ) -> None:  # fmt: skip
        errors.expect(operator, LinearOperator, "operator", "a tf.linalg.LinearOperator")
        if operator.is_square is False or is_square is False:
            raise ValueError(errors.at_user_line(f"The operator {operator.name} was not square: it has no inverse."))
        if operator.is_non_singular is False or is_non_singular is False:
            raise ValueError(errors.at_user_line(f"The operator {operator.name} was singular: it has no inverse."))
        super().__init__(operator, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name)

    def _shape(self) -> TensorShape:
        return self._operator.shape

    def _shape_tensor(self) -> Any:
        return self._operator.shape_tensor()

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator.solvevec(x, adjoint=adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator.matvec(rhs, adjoint=adjoint)

    def _determinant(self) -> Tensor:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Tensor:
        return -self._operator.log_abs_determinant()

    def _eigvals(self) -> Tensor:
        return 1.0 / self._operator.eigvals()

    def _linop_inverse(self) -> LinearOperator:
        return self._operator


# --- of several ------------------------------------------------------------------------------------------------------
@register
class LinearOperatorComposition(LinearOperator):
    """The product of operators, applied from the last to the first.

    >>> import graphrt as tf
    >>> a = tf.linalg.LinearOperatorDiag([1., 2.])
    >>> tf.linalg.LinearOperatorComposition([a, a, a]).matvec([1., 1.]).numpy().tolist()
    [1.0, 8.0]

    Raises:
      TypeError: the operators differ in dtype.
      ValueError: there is none, their dimensions do not fit, or a hint cannot be.
    """

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None, is_square: bool | None = None, name: str | None = None,
    ) -> None:  # fmt: skip
        self._operators = several(operators, "LinearOperatorComposition")
        for left, right in zip(self._operators, self._operators[1:]):
            n, m = left.domain_dimension, right.range_dimension
            if None not in (n, m) and n != m:
                raise ValueError(
                    errors.at_user_line(
                        f"{left.name} of shape {left.shape} and {right.name} of shape {right.shape} cannot be multiplied"
                    )
                )
        squares = all(o.is_square for o in self._operators)
        if squares:
            is_non_singular = hint_of_all(
                self._operators, "is_non_singular", is_non_singular, "LinearOperatorComposition"
            )
        label = name or "_o_".join(o.name for o in self._operators)
        super().__init__(
            self._operators[0].dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, label,
            {"operators": self._operators, "is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
             "is_positive_definite": is_positive_definite, "is_square": is_square, "name": label},
        )  # fmt: skip

    @property
    def operators(self) -> list[Any]:
        """The factors."""
        return self._operators

    def _shape(self) -> TensorShape:
        lead = joint_batch(self._operators)
        rows, columns = self._operators[0].range_dimension, self._operators[-1].domain_dimension
        return TensorShape(None if lead is None else (*lead, rows, columns))

    def _shape_tensor(self) -> Any:
        rows, columns = self._operators[0].range_dimension_tensor(), self._operators[-1].domain_dimension_tensor()
        return concat([joint_batch_tensor(self._operators), [rows, columns]], 0)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        order = self._operators if adjoint else self._operators[::-1]
        x = order[0].matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for one in order[1:]:
            x = one.matmul(x, adjoint=adjoint)
        return x

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        order = self._operators[::-1] if adjoint else self._operators
        if any(o.is_square is False for o in order):  # the factors have no inverses, but the product may have one
            return super()._solve(rhs, adjoint, adjoint_arg)
        x = order[0].solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        for one in order[1:]:
            x = one.solve(x, adjoint=adjoint)
        return x

    def _determinant(self) -> Tensor:
        if any(o.is_square is False for o in self._operators):
            return super()._determinant()
        return functools.reduce(python_operator.mul, [o.determinant() for o in self._operators])

    def _log_abs_determinant(self) -> Tensor:
        if any(o.is_square is False for o in self._operators):
            return super()._log_abs_determinant()
        return sum_of_logs([o.log_abs_determinant() for o in self._operators])

    def _assert_non_singular(self) -> None:
        if any(o.is_square is False for o in self._operators):
            return super()._assert_non_singular()
        for one in self._operators:
            one.assert_non_singular()
        return None


@register
class LinearOperatorKronecker(LinearOperator):
    """The Kronecker product of operators.

    >>> import graphrt as tf
    >>> a = tf.linalg.LinearOperatorFullMatrix([[1., 2.]])
    >>> tf.linalg.LinearOperatorKronecker([a, a]).to_dense().numpy().tolist()
    [[1.0, 2.0, 2.0, 4.0]]

    Raises:
      TypeError: the operators differ in dtype.
      ValueError: there is none, or a hint cannot be.
    """

    def __init__(
        self, operators: Sequence[LinearOperator], is_non_singular: bool | None = None, is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None, is_square: bool | None = None, name: str | None = None,
    ) -> None:  # fmt: skip
        self._operators = several(operators, "LinearOperatorKronecker")
        squares = all(o.is_square for o in self._operators)
        known: dict[str, Any] = {"is_non_singular": is_non_singular, "is_self_adjoint": is_self_adjoint,
                                 "is_positive_definite": is_positive_definite}  # fmt: skip
        if squares:
            known = {k: hint_of_all(self._operators, k, v, "LinearOperatorKronecker") for k, v in known.items()}
        known["is_square"] = is_square
        label = name or "_x_".join(o.name for o in self._operators)
        kept = {"operators": self._operators, **known, "name": label}
        super().__init__(self._operators[0].dtype, name=label, parameters=kept, **known)

    @property
    def operators(self) -> list[Any]:
        """The factors."""
        return self._operators

    def _shape(self) -> TensorShape:
        lead = joint_batch(self._operators)
        rows, columns = [o.range_dimension for o in self._operators], [o.domain_dimension for o in self._operators]
        total = [None if None in s else functools.reduce(python_operator.mul, s) for s in (rows, columns)]
        return TensorShape(None if lead is None else (*lead, *total))

    def _shape_tensor(self) -> Tensor:
        rows = functools.reduce(python_operator.mul, [o.range_dimension_tensor() for o in self._operators])
        columns = functools.reduce(python_operator.mul, [o.domain_dimension_tensor() for o in self._operators])
        return concat([joint_batch_tensor(self._operators), [rows, columns]], 0)

    def _each(self, x: Tensor, adjoint: bool, solve: bool) -> Tensor:
        """Every factor applied to its own dimension of `x`, which goes to the end meanwhile."""
        flip = adjoint != solve
        columns = [o.range_dimension_tensor() if flip else o.domain_dimension_tensor() for o in self._operators]
        batch = functools.reduce(
            broadcast_dynamic_shape, [shape(x)[:-2], *[o.batch_shape_tensor() for o in self._operators]]
        )
        width = shape(x)[-1]
        x = to_batch(x, batch, 2)
        # [..., n1 n2 ... k]: the first dimension is taken by an operator, and put at the end before the next one comes
        sizes = [*columns, width]
        for one in self._operators:
            matrix = reshape(x, concat([batch, [sizes[0], reduce_prod(as_tensor(sizes[1:]))]], 0))
            made = one.solve(matrix, adjoint=adjoint) if solve else one.matmul(matrix, adjoint=adjoint)
            x = matrix_transpose(made)
            sizes = [*sizes[1:], shape(made)[-2]]
        # now [..., k, m1, m2, ...]: the columns come first
        return matrix_transpose(reshape(x, concat([batch, [width, reduce_prod(as_tensor(sizes[1:]))]], 0)))

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = conjugate_transpose(x) if adjoint_arg else x
        found = self._each(x, adjoint, False)
        return self._with_static(found, x, adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = conjugate_transpose(rhs) if adjoint_arg else rhs
        if any(o.is_square is False for o in self._operators):
            return super()._solve(rhs, adjoint)
        return self._with_static(self._each(rhs, adjoint, True), rhs, not adjoint)

    def _with_static(self, found: Tensor, x: Tensor, adjoint: bool) -> Tensor:
        if found.dims is None or None in found.dims:
            lead = broadcast(joint_batch(self._operators), None if x.dims is None else x.dims[:-2])
            if lead is not None:
                found.set_shape(
                    [*lead, self.domain_dimension if adjoint else self.range_dimension, x.dims[-1] if x.dims else None]
                )
        return found

    def _outer(self, values: list[Any]) -> Tensor:
        found = values[0]
        for other in values[1:]:
            wide = expand_dims(found, -1) * expand_dims(other, -2)
            found = reshape(wide, concat([shape(wide)[:-2], [shape(found)[-1] * shape(other)[-1]]], 0))
        return found

    def _diag_part(self) -> Tensor:
        if not all(o.is_square for o in self._operators):
            return super()._diag_part()
        return self._outer([o.diag_part() for o in self._operators])

    def _trace(self) -> Tensor:
        if not all(o.is_square for o in self._operators):
            return super()._trace()
        return functools.reduce(python_operator.mul, [o.trace() for o in self._operators])

    def _exponents(self, kind: DType | str) -> list[Any]:
        total = self.domain_dimension_tensor()
        return [cast(total // o.domain_dimension_tensor(), kind) for o in self._operators]

    def _determinant(self) -> Tensor:
        if any(o.is_square is False for o in self._operators):
            return super()._determinant()
        powers = [power(o.determinant(), e) for o, e in zip(self._operators, self._exponents(self.dtype))]
        return functools.reduce(python_operator.mul, powers)

    def _log_abs_determinant(self) -> Tensor:
        if any(o.is_square is False for o in self._operators):
            return super()._log_abs_determinant()
        values = [o.log_abs_determinant() for o in self._operators]
        return sum_of_logs(
            [v * e for v, e in zip(values, [cast(e, v.dtype) for v, e in zip(values, self._exponents("float64"))])]
        )

    def _eigvals(self) -> Tensor:
        return self._outer([o.eigvals() for o in self._operators])

    def _cond(self) -> Tensor:
        return functools.reduce(python_operator.mul, [magnitude(o.cond()) for o in self._operators])

    def _assert_non_singular(self) -> None:
        if any(o.is_square is False for o in self._operators):
            return super()._assert_non_singular()
        for one in self._operators:
            one.assert_non_singular()
        return None

    def _linop_adjoint(self) -> LinearOperator:
        return LinearOperatorKronecker([o.adjoint() for o in self._operators], **hints.of(self))

    def _linop_inverse(self) -> LinearOperator:
        return LinearOperatorKronecker([o.inverse() for o in self._operators], **hints.of(self))

    def _linop_cholesky(self) -> LinearOperator:
        return LinearOperatorKronecker([o.cholesky() for o in self._operators], is_non_singular=True, is_square=True)
