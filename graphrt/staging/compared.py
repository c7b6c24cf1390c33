"""Lists that grew in staged code beside values of Python's and beside each other: what may be equal, and which is less.

5 in rows, where these are pairs     ->   False, as in Python: nothing that is no pair of numbers is in it
a < b                                ->   what the first elements that differ say, or the lengths where none do
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.ir.op import ops  # late: start-up, the backend is registered by `import graphrt`
from graphrt.tensor.tensor import Tensor
from graphrt.tensor.weak import weak_tensor
from graphrt.types.dtype import DType, int32
from graphrt.types.shape import Dims, TensorShape


class Never:
    """Stands for a value that no element of a list can be equal to."""


def as_element(value: Any, dtype: DType, dims: Dims) -> Any:
    """`value` as what an element of such a dtype and shape is compared with, or `Never`."""
    if isinstance(value, (bool, int, float, complex)):
        value = _of_kind(value, dtype)
        return value if TensorShape(()).is_compatible_with(TensorShape(dims)) else Never
    try:
        found = weak_tensor(value)
    except (TypeError, ValueError):
        return Never
    if not isinstance(value, Tensor) and (found.dtype.kind in "SO") is not (dtype.kind in "SO"):
        return Never
    return value if TensorShape(found.dims).is_compatible_with(TensorShape(dims)) else Never


def _of_kind(value: Any, dtype: DType) -> Any:
    """A number of Python as one of a dtype that is equal to it, or `Never`."""
    kind = dtype.kind
    if kind in "SO":
        return Never
    if kind == "c" or (kind == "f" and not isinstance(value, complex)):
        return value
    if value.imag != 0 or (isinstance(value.real, float) and not value.real.is_integer()):
        return Never
    whole = int(value.real)
    if kind == "b":
        return bool(whole) if whole in (0, 1) else Never
    limits = np.iinfo(dtype.as_numpy_dtype)
    return whole if limits.min <= whole <= limits.max else Never


def _first(column: Tensor, count: Tensor) -> Tensor:
    found: Tensor = column[:count]
    return found


def _scalars(columns: list[Tensor]) -> None:
    for column in columns:
        if column.dims is None or len(column.dims) != 1:
            shape = TensorShape(column.dims and column.dims[1:])
            text = f"lists are in order by their elements, which are tensors of shape {shape} here, expected scalars"
            raise errors.OperatorNotAllowedInGraphError(errors.at_user_line(text))


def in_order(
    left: list[Tensor], right: list[Tensor], sizes: tuple[Tensor, Tensor], compare: Callable[[Any, Any], Any]
) -> Tensor:
    """`compare` of two lists, such as `operator.lt`: of their columns, one for each leaf of an element.

    Raises:
      OperatorNotAllowedInGraphError: the elements are no scalars.
    """
    _scalars(left + right)
    count = ops.Minimum(*sizes)
    pairs = [(_first(a, count), _first(b, count)) for a, b in zip(left, right)]
    differ = ops.reduce_any(ops.Pack([ops.NotEqual(a, b) for a, b in pairs]), 0)

    def by_elements() -> Tensor:
        place = ops.ArgMax(ops.Cast(differ, DstT=int32), 0, output_type="int32")
        *rest, (a, b) = [(a[place], b[place]) for a, b in pairs]
        found: Tensor = compare(a, b)
        strict = operator.lt if compare in (operator.lt, operator.le) else operator.gt
        for a, b in reversed(rest):
            found = ops.LogicalOr(strict(a, b), ops.LogicalAnd(ops.Equal(a, b), found))
        return found

    found: Tensor = cond(ops.reduce_any(differ, None), by_elements, lambda: compare(*sizes))
    return found
