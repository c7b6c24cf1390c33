"""NumPy's functions that leave NaN out, on tensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from graphrt.numpy_api.arguments import in_floats
from graphrt.numpy_api.operands import implements, tensor_of_any
from graphrt.numpy_api.ufuncs import check_not_empty
from graphrt.ops.array.selection import where
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Greater
from graphrt.ops.math.elementwise import IsNan, Sqrt, Square, imag, real
from graphrt.ops.math.elementwise import abs as abs_
from graphrt.ops.math.logical import LogicalNot, LogicalOr
from graphrt.ops.math.reduction import reduce_all, reduce_sum
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import AxisLike, DTypeLike, TensorLike

__all__: list[str] = []

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


# --- without NaN -----------------------------------------------------------------------------------------------------
def _without_nan(a: Any, fill: float) -> tuple[Any, Any]:
    x = tensor_of_any(a)
    if x.dtype.kind not in "fc":
        return x, None
    bad = IsNan(x) if x.dtype.kind == "f" else LogicalOr(IsNan(real(x)), IsNan(imag(x)))
    return where(bad, convert_to_tensor(fill, x.dtype), x), bad


@implements(np.nansum)
def _nansum(
    a: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None, *, keepdims: bool = False
) -> Tensor:
    return np.sum(_without_nan(a, 0)[0], axis=axis, dtype=dtype, keepdims=keepdims)


@implements(np.nanprod)
def _nanprod(
    a: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None, *, keepdims: bool = False
) -> Tensor:
    return np.prod(_without_nan(a, 1)[0], axis=axis, dtype=dtype, keepdims=keepdims)


@implements(np.nancumsum)
def _nancumsum(a: TensorLike, axis: int | None = None, dtype: DTypeLike | None = None) -> Tensor:
    return np.cumsum(_without_nan(a, 0)[0], axis=axis, dtype=dtype)


@implements(np.nancumprod)
def _nancumprod(a: TensorLike, axis: AxisLike = None, dtype: DTypeLike | None = None) -> Tensor:
    return np.cumprod(_without_nan(a, 1)[0], axis=axis, dtype=dtype)


@implements(np.nanmean)
def _nanmean(a: TensorLike, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
    x, bad = _without_nan(in_floats(a), 0)
    count = reduce_sum(cast(LogicalNot(bad), x.dtype), axis, keepdims)
    return reduce_sum(x, axis, keepdims) / count


@implements(np.nanvar)
def _nanvar(a: TensorLike, axis: AxisLike = None, *, ddof: float = 0, keepdims: bool = False) -> Tensor:
    if tensor_of_any(a).dtype.kind not in "fc":
        return np.var(a, axis=axis, ddof=ddof, keepdims=keepdims)
    x, bad = _without_nan(in_floats(a), 0)
    good = cast(LogicalNot(bad), x.dtype)
    count = reduce_sum(good, axis, True)
    off = abs_((x - reduce_sum(x, axis, True) / count) * good)
    total = reduce_sum(Square(off), axis, keepdims)
    degrees = real(reduce_sum(good, axis, keepdims)) - float(ddof)
    return where(Greater(degrees, 0), total / degrees, convert_to_tensor(math.nan, total.dtype))


@implements(np.nanstd)
def _nanstd(a: TensorLike, axis: AxisLike = None, *, ddof: float = 0, keepdims: bool = False) -> Tensor:
    return Sqrt(_nanvar(a, axis, ddof=ddof, keepdims=keepdims))


def _nan_extreme(name: str, reduce: Callable[..., Any], fill: float) -> Callable[..., Any]:
    def rule(a: Tensor, axis: int | None = None, *, keepdims: bool = False) -> Tensor:
        check_not_empty(name, tensor_of_any(a), axis)
        x, bad = _without_nan(a, fill)
        found = reduce(x, axis=axis, keepdims=keepdims)
        if bad is None:
            return found
        empty = reduce_all(bad, axis, keepdims)
        return where(empty, convert_to_tensor(math.nan, x.dtype), found)

    return rule


_nanmax = implements(np.nanmax)(_nan_extreme("fmax", np.max, -math.inf))
_nanmin = implements(np.nanmin)(_nan_extreme("fmin", np.min, math.inf))
