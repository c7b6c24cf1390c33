"""NumPy's reductions on tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.ir.op import ops
from graphrt.numpy_api.ufuncs import (
    as_booleans,
    dtype_of,
    implements,
    rank_of,
    reduced,
    tensor_of_any,
    together,
    typed,
)
from graphrt.ops.array.shape import ExpandDims, Reshape, Shape, Size, broadcast_to
from graphrt.ops.math.arithmetic import Maximum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.cumulative import cumprod, cumsum
from graphrt.ops.math.elementwise import Sqrt
from graphrt.ops.math.reduction import count_nonzero, reduce_mean, reduce_variance
from graphrt.types import dtype as dtypes

__all__: list[str] = []


def _countable(x: Any) -> Any:
    return cast(x, dtypes.int64) if x.dtype.is_bool else x


# --- reductions ------------------------------------------------------------------------------------------------------
@implements(np.sum)
def np_sum(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Any:  # fmt: skip
    x = typed(_countable(tensor_of_any(a)), dtype)
    return reduced("reduce_sum", np.add, x, axis, keepdims, initial, where)


@implements(np.prod)
def _prod(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Any:  # fmt: skip
    x = typed(_countable(tensor_of_any(a)), dtype)
    return reduced("reduce_prod", np.multiply, x, axis, keepdims, initial, where)


@implements(np.mean)
def _mean(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False, where: Any = True) -> Any:
    x = in_floats(tensor_of_any(a), dtype)
    if where is True:
        return reduce_mean(x, axis, keepdims)
    chosen = broadcast_to(tensor_of_any(where), Shape(x))
    return np_sum(x, axis, keepdims=keepdims, where=chosen) / np_sum(cast(chosen, x.dtype), axis, keepdims=keepdims)


@implements(np.average)
def _average(a: Any, axis: Any = None, weights: Any = None, *, keepdims: bool = False) -> Any:
    x = in_floats(tensor_of_any(a))
    if weights is None:
        return reduce_mean(x, axis, keepdims)
    x, w = together([x, weights])
    if axis is not None and rank_of(w) == 1 and rank_of(x) > 1:
        w = Reshape(w, [-1 if i == axis % rank_of(x) else 1 for i in range(rank_of(x))])
    w = broadcast_to(w, Shape(x))
    return np_sum(x * w, axis, keepdims=keepdims) / np_sum(w, axis, keepdims=keepdims)


def in_floats(x: Any, dtype: Any = None) -> Any:
    """As NumPy's statistics compute: integers in float64."""
    if dtype is not None:
        return cast(x, dtype_of(dtype))
    return x if x.dtype.kind in "fc" else cast(x, dtypes.float64)


@implements(np.var)
def _var(a: Any, axis: Any = None, dtype: Any = None, *, ddof: int = 0, keepdims: bool = False) -> Any:
    x = in_floats(tensor_of_any(a), dtype)
    found = reduce_variance(x, axis, keepdims)
    if ddof == 0:
        return found
    count = cast(Size(x), found.dtype) / cast(Maximum(Size(found), 1), found.dtype)
    return found * (count / (count - float(ddof)))


@implements(np.std)
def _std(a: Any, axis: Any = None, dtype: Any = None, *, ddof: int = 0, keepdims: bool = False) -> Any:
    return Sqrt(_var(a, axis, dtype, ddof=ddof, keepdims=keepdims))


@implements(np.max, np.amax)
def _max(a: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:
    if tensor_of_any(a).dtype.is_bool:
        return _any(a, axis, keepdims=keepdims, where=where)
    return reduced("reduce_max", np.maximum, tensor_of_any(a), axis, keepdims, initial, where)


@implements(np.min, np.amin)
def _min(a: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:
    if tensor_of_any(a).dtype.is_bool:
        return _all(a, axis, keepdims=keepdims, where=where)
    return reduced("reduce_min", np.minimum, tensor_of_any(a), axis, keepdims, initial, where)


@implements(np.ptp)
def _ptp(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _max(a, axis, keepdims=keepdims) - _min(a, axis, keepdims=keepdims)


@implements(np.any)
def _any(a: Any, axis: Any = None, *, keepdims: bool = False, where: Any = True) -> Any:
    return reduced("reduce_any", np.logical_or, as_booleans(tensor_of_any(a)), axis, keepdims, None, where)


@implements(np.all)
def _all(a: Any, axis: Any = None, *, keepdims: bool = False, where: Any = True) -> Any:
    return reduced("reduce_all", np.logical_and, as_booleans(tensor_of_any(a)), axis, keepdims, None, where)


@implements(np.count_nonzero)
def _count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return count_nonzero(tensor_of_any(a), axis, keepdims)


@implements(np.argmax)
def _argmax(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _position("argmax", a, axis, keepdims)


@implements(np.argmin)
def _argmin(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _position("argmin", a, axis, keepdims)


def _position(name: str, a: Any, axis: Any, keepdims: bool) -> Any:
    x = tensor_of_any(a)
    if axis is None:
        found = getattr(ops, name)(orderable(Reshape(x, [-1])), 0)
        return Reshape(found, [1] * rank_of(x)) if keepdims else found
    found = getattr(ops, name)(orderable(x), axis)
    return ExpandDims(found, axis) if keepdims else found


def orderable(x: Any) -> Any:
    return cast(x, dtypes.uint8) if x.dtype.is_bool else x


@implements(np.cumsum)
def np_cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    x = typed(_countable(tensor_of_any(a)), dtype)
    return cumsum(Reshape(x, [-1]) if axis is None else x, 0 if axis is None else axis)


@implements(np.cumprod)
def _cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    x = typed(_countable(tensor_of_any(a)), dtype)
    return cumprod(Reshape(x, [-1]) if axis is None else x, 0 if axis is None else axis)
