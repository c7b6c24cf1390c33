"""What operators made of several operators have in common: dtypes, hints, batch shapes."""

from __future__ import annotations

import functools
import operator as python_operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.linear_operators.base import (
    LinearOperator,
)
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.shape import broadcast_dynamic_shape, broadcast_to, shape
from graphrt.ops.math.casting import cast
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import shown
from graphrt.types.shape import broadcast

if TYPE_CHECKING:
    from graphrt.linear_operators.dense import LinearOperatorFullMatrix
    from graphrt.linear_operators.diagonal import LinearOperatorDiag, LinearOperatorIdentity

__all__ = ["hint_of_all", "joint_batch", "joint_batch_tensor", "several", "sum_of_logs", "to_batch"]


def several(operators: Sequence[Any], what: str) -> list[Any]:
    """The operators as a list; they have one dtype."""
    found = list(operators)
    if not found:
        raise ValueError(errors.at_user_line(f"{what}: expected a non-empty list of operators, found {operators!r}"))
    for one in found:
        if not isinstance(one, LinearOperator):
            raise TypeError(errors.at_user_line(f"{what}: expected LinearOperators, found {shown(one)}"))
    if len({o.dtype for o in found}) > 1:
        raise TypeError(
            errors.at_user_line(
                f"{what}: expected all operators to have the same dtype, found "
                + ", ".join(f"{o.name} of {o.dtype.name}" for o in found)
            )
        )
    return found


def hint_of_all(operators: list[Any], name: str, given: bool | None, what: str) -> bool | None:
    """A hint that holds for the whole when it holds for every part."""
    if all(getattr(o, name) for o in operators):
        if given is False:
            raise ValueError(errors.at_user_line(f"{what}: all operators have {name}=True, so has the whole"))
        return True
    return given


def joint_batch(
    operators: list[LinearOperatorDiag | LinearOperatorFullMatrix | LinearOperatorIdentity],
) -> tuple[int, ...]:
    dims: Any = ()
    for one in operators:
        dims = broadcast(dims, tuple(one.batch_shape.as_list()) if one.batch_shape.rank is not None else None)
    return dims


def joint_batch_tensor(operators: list[Any]) -> Tensor:
    return functools.reduce(broadcast_dynamic_shape, [o.batch_shape_tensor() for o in operators])


def sum_of_logs(values: Any) -> Any:
    """The sum of log-determinants, which some operators give as complex numbers and others as real ones."""
    complex_kind = next((v.dtype for v in values if v.dtype.is_complex), None)
    same = values if complex_kind is None else [cast(v, complex_kind) for v in values]
    return functools.reduce(python_operator.add, same)


def to_batch(x: TensorLike, lead: TensorLike, tail: int) -> Tensor:
    """`x` with the batch shape `lead`; its last `tail` dimensions stay."""
    return broadcast_to(x, concat([lead, shape(x)[-tail:]], 0))
