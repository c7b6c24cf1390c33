"""Sums, extremes, and whether all or any."""

from __future__ import annotations

import builtins
from typing import Any

import numpy

from graphrt.numpy_api import windows
from graphrt.numpy_api.array_api.data_types import array_of, dtype_of, int32, uint32
from graphrt.ops.math.casting import cast
from graphrt.ops.math.reduction import reduce_prod, reduce_sum
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import AxisLike, DTypeLike, TensorLike

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


def summed(array: TensorLike, dtype: DTypeLike | None) -> Tensor:
    """`array` in the dtype that its sum has: small integers are added up in the default integer dtype."""
    x = array_of(array)
    if dtype is not None:
        return cast(x, dtype_of(dtype))
    if x.dtype.kind == "b":
        return cast(x, int32)
    if x.dtype.is_integer and x.dtype.size < int32.size:
        return cast(x, uint32 if x.dtype.is_unsigned else int32)
    return x


def _axis(axis: Any) -> int | list[int] | None:
    return list(axis) if isinstance(axis, tuple) else axis


def all(x: TensorLike, /, *, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """Whether all elements are true, or not zero."""
    return np.all(array_of(x), axis=_axis(axis), keepdims=keepdims)


def any(x: TensorLike, /, *, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """Whether an element is true, or not zero."""
    return np.any(array_of(x), axis=_axis(axis), keepdims=keepdims)


def _running(function: Any, x: Tensor, axis: AxisLike, include_initial: bool) -> Tensor:
    return function(x, axis=axis, dtype=x.dtype, include_initial=include_initial)


def cumulative_prod(
    x: TensorLike, /, *, axis: AxisLike = None, dtype: DTypeLike | None = None, include_initial: bool = False
) -> Tensor:
    """Running product, from 1 if `include_initial`."""
    return _running(windows.cumulative_prod, summed(x, dtype), axis, include_initial)


def cumulative_sum(
    x: TensorLike, /, *, axis: AxisLike = None, dtype: DTypeLike | None = None, include_initial: bool = False
) -> Tensor:
    """Running sum, from 0 if `include_initial`."""
    return _running(windows.cumulative_sum, summed(x, dtype), axis, include_initial)


def diff(
    x: TensorLike, /, *, axis: int = -1, n: int = 1, prepend: TensorLike | None = None, append: TensorLike | None = None
) -> Tensor:
    """The `n`-th differences of neighbours, with elements put before and after."""
    parts = [array_of(p) for p in (prepend, x, append) if p is not None or p is x]
    joined = np.concatenate(parts, axis) if len(parts) > 1 else parts[0]
    return np.diff(joined, builtins.min(n, joined.shape[axis]), axis)  # of which nothing is left then


def max(x: TensorLike, /, *, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """Maximum."""
    return np.max(array_of(x), axis=_axis(axis), keepdims=keepdims)


def mean(x: TensorLike, /, *, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """Mean."""
    return np.mean(array_of(x), axis=_axis(axis), keepdims=keepdims)


def min(x: TensorLike, /, *, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """Minimum."""
    return np.min(array_of(x), axis=_axis(axis), keepdims=keepdims)


def prod(x: Tensor, /, *, axis: AxisLike = None, dtype: DTypeLike | None = None, keepdims: bool = False) -> Tensor:
    """Product."""
    return reduce_prod(summed(x, dtype), _axis(axis), keepdims)


def std(x: TensorLike, /, *, axis: AxisLike = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Standard deviation, of the number of elements less `correction`."""
    return np.std(array_of(x), axis=_axis(axis), ddof=correction, keepdims=keepdims)


def sum(x: TensorLike, /, *, axis: AxisLike = None, dtype: DTypeLike | None = None, keepdims: bool = False) -> Tensor:
    """Sum."""
    return reduce_sum(summed(x, dtype), _axis(axis), keepdims)


def var(x: TensorLike, /, *, axis: AxisLike = None, correction: float = 0.0, keepdims: bool = False) -> Tensor:
    """Variance, of the number of elements less `correction`."""
    return np.var(array_of(x), axis=_axis(axis), ddof=correction, keepdims=keepdims)
