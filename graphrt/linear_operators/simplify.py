"""Products and quotients of operators that are operators of a simpler class than a composition."""

from __future__ import annotations

from typing import Any

from graphrt.linear_operators import hints
from graphrt.linear_operators.base import LinearOperator
from graphrt.linear_operators.circulant import LinearOperatorCirculant
from graphrt.linear_operators.dense import LinearOperatorLowerTriangular
from graphrt.linear_operators.diagonal import (
    LinearOperatorDiag,
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
    LinearOperatorZeros,
)
from graphrt.linear_operators.kinds import multiplied, product_rule, quotient_rule
from graphrt.ops.array.shape import broadcast_dynamic_shape, expand_dims
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor

__all__: list[str] = []

_SCALED = "LinearOperatorScaledIdentity"
_DIAG = "LinearOperatorDiag"


# --- products --------------------------------------------------------------------------------------------------------
def _zeros(a: LinearOperator, b: LinearOperator) -> LinearOperatorZeros:
    square = hints.square(a, b)
    lead: Any = None
    if a.batch_shape.is_fully_defined() and b.batch_shape.is_fully_defined():
        lead = broadcast_dynamic_shape(a.batch_shape_tensor(), b.batch_shape_tensor())
        lead = lead if a.batch_shape.rank or b.batch_shape.rank else None
    else:
        lead = broadcast_dynamic_shape(a.batch_shape_tensor(), b.batch_shape_tensor())
    rows = a.range_dimension if a.range_dimension is not None else a.range_dimension_tensor()
    columns = b.domain_dimension if b.domain_dimension is not None else b.domain_dimension_tensor()
    same = square is not False
    return LinearOperatorZeros(
        rows, columns, batch_shape=lead, dtype=a.dtype, is_square=same, is_self_adjoint=same,
    )  # fmt: skip


product_rule("LinearOperatorZeros", "LinearOperator")(_zeros)
product_rule("LinearOperator", "LinearOperatorZeros")(_zeros)
product_rule("LinearOperatorIdentity", "LinearOperator")(lambda a, b: _widened(a, b))
product_rule("LinearOperator", "LinearOperatorIdentity")(lambda a, b: _widened(b, a))


def _widened(one: LinearOperatorIdentity, other: LinearOperator) -> Any:
    """`other`, where its batch shape is not made larger by that of the identity."""
    plain = one.batch_shape.rank == 0 or (
        one.batch_shape.is_fully_defined() and one.batch_shape.as_list() == (
            other.batch_shape.as_list() if other.batch_shape.rank is not None else None)
    )  # fmt: skip
    return other if plain else None


def _diagonal(operator: LinearOperator) -> Tensor:
    return operator.diag_part()


@product_rule(_DIAG, _DIAG)
@product_rule(_DIAG, _SCALED)
@product_rule(_SCALED, _DIAG)
def _diag_diag(a: LinearOperator, b: LinearOperator) -> LinearOperatorDiag:
    return LinearOperatorDiag(_diagonal(a) * _diagonal(b), **hints.of_product(a, b))


@product_rule(_SCALED, _SCALED)
def _scaled_scaled(a: LinearOperatorScaledIdentity, b: LinearOperatorScaledIdentity) -> LinearOperatorScaledIdentity:
    rows = a.domain_dimension if a.domain_dimension is not None else a.domain_dimension_tensor()
    return LinearOperatorScaledIdentity(rows, as_tensor(a.multiplier) * b.multiplier, **hints.of_product(a, b))


@product_rule(_DIAG, "LinearOperatorLowerTriangular")
def _diag_lower(a: LinearOperatorDiag, b: LinearOperatorLowerTriangular) -> LinearOperatorLowerTriangular:
    return LinearOperatorLowerTriangular(
        expand_dims(a.diag, -1) * b.to_dense(), is_non_singular=hints.non_singular(a, b), is_square=True
    )


@product_rule("LinearOperatorLowerTriangular", _DIAG)
def _lower_diag(a: LinearOperatorLowerTriangular, b: LinearOperatorDiag) -> LinearOperatorLowerTriangular:
    return LinearOperatorLowerTriangular(
        a.to_dense() * expand_dims(b.diag, -2), is_non_singular=hints.non_singular(a, b), is_square=True
    )


@product_rule("LinearOperatorCirculant", "LinearOperatorCirculant")
def _circulants(a: LinearOperatorCirculant, b: LinearOperatorCirculant) -> LinearOperatorCirculant:
    return LinearOperatorCirculant(as_tensor(a.spectrum) * b.spectrum, a.dtype, **hints.of_product(a, b))


# --- quotients -------------------------------------------------------------------------------------------------------
quotient_rule("LinearOperatorIdentity", "LinearOperator")(lambda a, b: _widened(a, b))
quotient_rule("LinearOperator", "LinearOperatorIdentity")(lambda a, b: _widened(b, a.inverse()))
quotient_rule("LinearOperatorInversion", "LinearOperator")(lambda a, b: multiplied(a.operator, b))


@quotient_rule(_DIAG, _DIAG)
@quotient_rule(_DIAG, _SCALED)
@quotient_rule(_SCALED, _DIAG)
def _diag_by_diag(a: LinearOperator, b: LinearOperator) -> LinearOperatorDiag:
    return LinearOperatorDiag(_diagonal(b) / _diagonal(a), **hints.of_product(a, b))


@quotient_rule(_SCALED, _SCALED)
def _scaled_by_scaled(a: LinearOperatorScaledIdentity, b: LinearOperatorScaledIdentity) -> LinearOperatorScaledIdentity:
    rows = a.domain_dimension if a.domain_dimension is not None else a.domain_dimension_tensor()
    return LinearOperatorScaledIdentity(rows, as_tensor(b.multiplier) / a.multiplier, **hints.of_product(a, b))


@quotient_rule(_DIAG, "LinearOperatorLowerTriangular")
def _lower_by_diag(a: LinearOperatorDiag, b: LinearOperatorLowerTriangular) -> LinearOperatorLowerTriangular:
    return LinearOperatorLowerTriangular(
        b.to_dense() / expand_dims(a.diag, -1), is_non_singular=hints.non_singular(a, b), is_square=True
    )


@quotient_rule("LinearOperatorCirculant", "LinearOperatorCirculant")
def _circulant_by_circulant(a: LinearOperatorCirculant, b: LinearOperatorCirculant) -> LinearOperatorCirculant:
    return LinearOperatorCirculant(as_tensor(b.spectrum) / a.spectrum, a.dtype, **hints.of_product(a, b))
