"""NumPy's functions of sets on tensors."""

from __future__ import annotations

from typing import Any

import numpy

from graphrt.numpy_api.arguments import flattened
from graphrt.numpy_api.operands import implements, tensor_of_any, together
from graphrt.numpy_api.order import np_bincount
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import ones_like
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.array.shape import ExpandDims, Reshape, Shape
from graphrt.ops.array.slicing import boolean_mask
from graphrt.ops.array.sorting import argsort
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, NotEqual
from graphrt.ops.math.cumulative import cumsum
from graphrt.ops.math.elementwise import IsNan
from graphrt.ops.math.logical import LogicalAnd, LogicalNot
from graphrt.ops.math.reduction import reduce_any
from graphrt.tensor.tensor import Tensor
from graphrt.types import dtype as dtypes
from graphrt.types.likes import AxisLike, TensorLike

__all__: list[str] = []

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


# --- sets ------------------------------------------------------------------------------------------------------------
def _distinct(ar: Any, equal_nan: bool = True) -> tuple[Any, Any, Any, Any]:
    """The values in order; for each where it is first, the number of its group for each element, and the counts."""
    x = flattened(ar)
    boolean = x.dtype.is_bool
    key = cast(x, dtypes.uint8) if boolean else x
    order = cast(argsort(key, axis=0, stable=True), dtypes.int64)
    values = gather(x, order)
    fresh = NotEqual(values[1:], values[:-1])
    if equal_nan and x.dtype.kind == "f":
        fresh = LogicalAnd(fresh, LogicalNot(IsNan(values[:-1])))
    first = concat([ones_like(values[:1], dtypes.bool_), fresh], 0)
    group = cumsum(cast(first, dtypes.int64)) - 1
    inverse = gather(group, argsort(order, axis=0))
    counts = np_bincount(group)
    return boolean_mask(values, first), boolean_mask(order, first), inverse, counts


@implements(np.unique)
def _unique(
    ar: TensorLike, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
    axis: AxisLike = None, *, equal_nan: bool = True, sorted: bool = True
) -> Tensor | tuple[Tensor, Tensor]:  # fmt: skip
    x = tensor_of_any(ar)
    if axis is not None or x.dtype.is_complex or x.dtype.kind == "S":
        return NotImplemented
    values, index, inverse, counts = _distinct(x, equal_nan)
    wanted = ((index, return_index), (Reshape(inverse, Shape(x)), return_inverse), (counts, return_counts))
    extra = [part for part, asked in wanted if asked]
    return (values, *extra) if extra else values


@implements(np.unique_all)
def _unique_all(x: TensorLike, /) -> Any:
    values, index, inverse, counts = _distinct(x, False)
    return type(np.unique_all(np.zeros(1)))(values, index, Reshape(inverse, Shape(tensor_of_any(x))), counts)


@implements(np.unique_counts)
def _unique_counts(x: TensorLike, /) -> Any:
    found = _distinct(x, False)
    return type(np.unique_counts(np.zeros(1)))(found[0], found[3])


@implements(np.unique_inverse)
def _unique_inverse(x: TensorLike, /) -> Any:
    found = _distinct(x, False)
    inverse = Reshape(found[2], Shape(tensor_of_any(x)))
    return type(np.unique_inverse(np.zeros(1)))(found[0], inverse)


@implements(np.unique_values)
def _unique_values(x: TensorLike, /) -> Tensor:
    return _distinct(x, False)[0]


@implements(np.isin)
def _isin(
    element: TensorLike, test_elements: TensorLike, assume_unique: bool = False, invert: bool = False, *,
    kind: Any = None
) -> Tensor:  # fmt: skip
    x, chosen = together([element, test_elements])
    found = reduce_any(Equal(ExpandDims(x, -1), Reshape(chosen, [-1])), -1)
    return LogicalNot(found) if invert else found


@implements(np.intersect1d)
def _intersect(ar1: TensorLike, ar2: TensorLike, assume_unique: bool = False, return_indices: bool = False) -> Tensor:
    if return_indices:
        return NotImplemented
    x, y = together([ar1, ar2])
    x = _unique(x)
    return boolean_mask(x, _isin(x, y))


@implements(np.union1d)
def _union(ar1: TensorLike, ar2: TensorLike) -> Any:
    return _unique(concat([flattened(v) for v in together([ar1, ar2])], 0))


@implements(np.setdiff1d)
def _difference(ar1: TensorLike, ar2: TensorLike, assume_unique: bool = False) -> Tensor:
    x = flattened(ar1) if assume_unique else _unique(ar1)
    return boolean_mask(x, _isin(x, ar2, invert=True))


@implements(np.setxor1d)
def _symmetric_difference(ar1: TensorLike, ar2: TensorLike, assume_unique: bool = False) -> Any:
    x, y = together([ar1, ar2])
    return _unique(concat([_difference(x, y), _difference(y, x)], 0))
