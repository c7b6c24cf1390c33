"""What is known of a product from what is known of its factors."""

from __future__ import annotations

from typing import Any

__all__ = ["commuting_positive", "commuting_self_adjoint", "non_singular", "of", "of_product", "square"]


def non_singular(a: Any, b: Any) -> bool | None:
    """A product of square operators has an inverse when both have."""
    if a.is_non_singular is False or b.is_non_singular is False:
        return False
    return True if a.is_non_singular and b.is_non_singular else None


def commuting_self_adjoint(a: Any, b: Any) -> bool | None:
    """A product of commuting self-adjoint operators is self-adjoint."""
    if a.is_self_adjoint and b.is_self_adjoint:
        return True
    if (a.is_self_adjoint is True and b.is_self_adjoint is False) or (
        a.is_self_adjoint is False and b.is_self_adjoint is True
    ):
        return False
    return None


def commuting_positive(a: Any, b: Any) -> bool | None:
    """A product of commuting, self-adjoint, positive definite operators is positive definite."""
    both = a.is_positive_definite is True and b.is_positive_definite is True
    return True if both and a.is_self_adjoint is True and b.is_self_adjoint is True else None


def square(a: Any, b: Any) -> bool | None:
    """Whether a product is square."""
    if a.shape.rank is not None and b.shape.rank is not None:
        rows, columns = a.range_dimension, b.domain_dimension
        if rows is not None and columns is not None:
            return bool(rows == columns)
    return True if a.is_square and b.is_square else None


def of_product(a: object, b: object) -> dict[str, Any]:
    """The hints of the product of two operators that commute."""
    return {
        "is_non_singular": non_singular(a, b),
        "is_self_adjoint": commuting_self_adjoint(a, b),
        "is_positive_definite": commuting_positive(a, b),
        "is_square": True,
    }


def of(operator: Any) -> dict[str, Any]:
    """The hints of an operator, as arguments of a constructor."""
    return {
        "is_non_singular": operator.is_non_singular,
        "is_self_adjoint": operator.is_self_adjoint,
        "is_positive_definite": operator.is_positive_definite,
        "is_square": operator.is_square,
    }
