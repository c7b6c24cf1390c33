"""What linear operators ask of their arguments and of their hints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor

if TYPE_CHECKING:
    from graphrt.linear_operators.base import LinearOperator


def argument_of(operator: LinearOperator, x: Any, axis: int, size: int | None, what: str) -> Tensor:
    """`x` as a tensor of this dtype whose `axis` has `size` elements."""
    x = x if isinstance(x, Tensor) else as_tensor(x, operator.dtype)
    if operator.dtype is not None and x.dtype is not operator.dtype:
        raise TypeError(
            errors.at_user_line(
                f"{operator.name}.{what}: expected an argument of dtype {operator.dtype.name}, found {x.dtype.name}"
            )
        )
    if x.dims is not None and (len(x.dims) < -axis or (
        size is not None and x.dims[axis] is not None and x.dims[axis] != size)):  # fmt: skip
        raise ValueError(
            errors.at_user_line(
                f"{operator.name}.{what}: dimensions are not compatible: the operator has shape {operator.shape} and "
                f"needs {size} elements along axis {axis} of its argument, which has shape {x.shape}"
            )
        )
    return x


def check_solvable(operator: LinearOperator) -> None:
    """Raises NotImplementedError for an operator that is not square, or singular by its hint."""
    if operator.is_non_singular is False:
        raise NotImplementedError(
            errors.at_user_line(f"{operator.name} is singular by its hint: nothing can be solved with it")
        )
    if operator.is_square is False:
        raise NotImplementedError(
            errors.at_user_line(f"{operator.name}.solve needs a square operator, its shape is {operator.shape}")
        )


def has_cholesky(operator: LinearOperator) -> bool:
    """Whether the hints promise a Cholesky factor."""
    return bool(operator.is_self_adjoint and operator.is_positive_definite)
