"""NumPy's reductions on tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.numpy_api.operands import (
    as_booleans,
    dtype_of,
    implements,
    numeric,
    rank_of,
    require,
    tensor_of_any,
    together,
    typed,
)
from graphrt.numpy_api.ufuncs import in_wide_integers, reduced
from graphrt.ops.array.shape import ExpandDims, Reshape, Shape, Size, broadcast_to
from graphrt.ops.math.arg_extrema import argmax, argmin
from graphrt.ops.math.arithmetic import Maximum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import NotEqual
from graphrt.ops.math.cumulative import cumprod, cumsum
from graphrt.ops.math.elementwise import Sqrt, Square
from graphrt.ops.math.elementwise import abs as abs_
from graphrt.ops.math.reduction import (
    count_nonzero,
    reduce_all,
    reduce_any,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
    reduce_variance,
)
from graphrt.ops.support.kernel_helpers import place_in
from graphrt.tensor.tensor import Tensor
from graphrt.types import dtype as dtypes
from graphrt.types.likes import AxisLike, DTypeLike, TensorLike

__all__: list[str] = []


def _summable(a: TensorLike, dtype: DTypeLike | None) -> Any:
    x = tensor_of_any(a)
    return in_wide_integers(x) if dtype is None else typed(x, dtype)


# --- reductions ------------------------------------------------------------------------------------------------------
@implements(np.sum)
def np_sum(
    a: TensorLike, axis: AxisLike = None, dtype: DTypeLike | None = None, *, keepdims: bool = False,
    initial: TensorLike | None = None, where: TensorLike = True
) -> Tensor:  # fmt: skip
    x = _summable(a, dtype)
    return reduced(reduce_sum, np.add, x, axis, keepdims, initial, where)


@implements(np.prod)
def _prod(
    a: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None, *, keepdims: bool = False,
    initial: TensorLike | None = None, where: bool = True
) -> Tensor:  # fmt: skip
    x = _summable(a, dtype)
    return reduced(reduce_prod, np.multiply, x, axis, keepdims, initial, where)


@implements(np.mean)
def _mean(
    a: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None, *, keepdims: bool = False,
    where: TensorLike = True
) -> Tensor:  # fmt: skip
    x = in_floats(tensor_of_any(a), dtype)
    if where is True:
        return reduce_mean(x, axis, keepdims)
    chosen = broadcast_to(tensor_of_any(where), Shape(x))
    return np_sum(x, axis, keepdims=keepdims, where=chosen) / np_sum(cast(chosen, x.dtype), axis, keepdims=keepdims)


@implements(np.average)
def _average(
    a: TensorLike, axis: int | None = None, weights: TensorLike | None = None, *, keepdims: bool = False
) -> Tensor:
    x = in_floats(tensor_of_any(a))
    if weights is None:
        return reduce_mean(x, axis, keepdims)
    x, w = together([x, weights])
    if not w.shape.is_compatible_with(x.shape):
        w = _along(w, x, axis)
    total = np_sum(broadcast_to(w, Shape(x)), axis, keepdims=keepdims)
    require(reduce_all(NotEqual(total, 0)), ZeroDivisionError("Weights sum to zero, can't be normalized"))
    return np_sum(x * w, axis, keepdims=keepdims) / total


def _along(w: Tensor, x: Tensor, axis: int | None) -> Tensor:
    """Weights that have not the shape of `x` are those of an axis: all else would broadcast, which nobody meant."""
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    place = place_in(axis, rank_of(x))
    if not w.shape.is_compatible_with([x.shape[place]]):
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    return Reshape(w, [-1 if i == place else 1 for i in range(rank_of(x))])


def in_floats(x: Tensor, dtype: DTypeLike | None = None) -> Tensor:
    """As NumPy's statistics compute: integers in float64."""
    if dtype is not None:
        return cast(x, dtype_of(dtype))
    return x if x.dtype.kind in "fc" else cast(numeric(x), dtypes.float64)


@implements(np.var)
def _var(
    a: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None, *, ddof: int = 0, keepdims: bool = False
) -> Tensor:
    x = in_floats(tensor_of_any(a), dtype)
    if ddof == 0:
        return typed(reduce_variance(x, axis, keepdims), dtype)
    total = reduce_sum(Square(abs_(x - reduce_mean(x, axis, True))), axis, keepdims)
    count = cast(Size(x), total.dtype) / cast(Maximum(Size(total), 1), total.dtype)
    return typed(total / Maximum(count - float(ddof), 0), dtype)


@implements(np.std)
def _std(
    a: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None, *, ddof: int = 0, keepdims: bool = False
) -> Tensor:
    return Sqrt(_var(a, axis, dtype, ddof=ddof, keepdims=keepdims))


@implements(np.max, np.amax)
def _max(
    a: TensorLike, axis: AxisLike = None, *, keepdims: bool = False, initial: TensorLike | None = None,
    where: bool = True
) -> Tensor:  # fmt: skip
    return reduced(reduce_max, np.maximum, tensor_of_any(a), axis, keepdims, initial, where)


@implements(np.min, np.amin)
def _min(
    a: TensorLike, axis: int | None = None, *, keepdims: bool = False, initial: TensorLike | None = None,
    where: TensorLike = True
) -> Tensor:  # fmt: skip
    return reduced(reduce_min, np.minimum, tensor_of_any(a), axis, keepdims, initial, where)


@implements(np.ptp)
def _ptp(a: TensorLike, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
    return _max(a, axis, keepdims=keepdims) - _min(a, axis, keepdims=keepdims)


@implements(np.any)
def _any(a: TensorLike, axis: AxisLike = None, *, keepdims: bool = False, where: TensorLike = True) -> Tensor:
    return reduced(reduce_any, np.logical_or, as_booleans(tensor_of_any(a)), axis, keepdims, None, where)


@implements(np.all)
def _all(a: TensorLike, axis: int | None = None, *, keepdims: bool = False, where: Any = True) -> Tensor:
    return reduced(reduce_all, np.logical_and, as_booleans(tensor_of_any(a)), axis, keepdims, None, where)


@implements(np.count_nonzero)
def _count_nonzero(a: TensorLike, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
    return count_nonzero(tensor_of_any(a), axis, keepdims)


@implements(np.argmax)
def _argmax(a: TensorLike, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
    return _position(argmax, a, axis, keepdims)


@implements(np.argmin)
def _argmin(a: TensorLike, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
    return _position(argmin, a, axis, keepdims)


def _position(position: Callable[..., Any], a: Any, axis: int | None, keepdims: bool) -> Tensor:
    x = tensor_of_any(a)
    if axis is None:
        found = position(orderable(Reshape(x, [-1])), 0)
        return Reshape(found, [1] * rank_of(x)) if keepdims else found
    found = position(orderable(x), axis)
    return ExpandDims(found, axis) if keepdims else found


def orderable(x: Tensor) -> Tensor:
    return cast(x, dtypes.uint8) if x.dtype.is_bool else x


@implements(np.cumsum)
def np_cumsum(a: TensorLike, axis: AxisLike = None, dtype: DTypeLike | None = None) -> Tensor:
    x = _summable(a, dtype)
    return cumsum(Reshape(x, [-1]) if axis is None else x, 0 if axis is None else axis)


@implements(np.cumprod)
def _cumprod(a: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    x = _summable(a, dtype)
    return cumprod(Reshape(x, [-1]) if axis is None else x, 0 if axis is None else axis)
