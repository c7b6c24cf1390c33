"""NumPy's functions that make arrays, or tell of their elements, on tensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from graphrt.numpy_api.operands import (
    as_floats,
    dtype_of,
    implements,
    is_tensor_like,
    rank_of,
    tensor_of_any,
    together,
    typed,
)
from graphrt.ops.array.concat_split import concat, stack, unstack
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.shape import ExpandDims, Reshape, Shape
from graphrt.ops.math.arithmetic import Pow
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, NotEqual
from graphrt.ops.math.division import FloorDiv, FloorMod
from graphrt.ops.math.elementwise import Floor, imag
from graphrt.ops.math.logical import LogicalNot
from graphrt.ops.math.special.bessel import BesselI0
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types import dtype as dtypes
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.shape import is_static

__all__: list[str] = []

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


# --- making ----------------------------------------------------------------------------------------------------------
@implements(np.linspace)
def np_linspace(
    start: TensorLike, stop: TensorLike, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: DTypeLike | None = None, axis: int = 0
) -> Any:  # fmt: skip
    low, high = (as_floats(v) for v in together([start, stop]))
    if low.dims != high.dims or not is_static(low.dims):
        low, high = np.broadcast_arrays(low, high)
    if is_tensor_like(num) or axis != 0:
        return NotImplemented
    pieces = num - 1 if endpoint else num
    step = (high - low) / float(max(pieces, 1))
    places = convert_to_tensor(np.arange(num).reshape(-1, *[1] * rank_of(low)), low.dtype)
    found = low + places * step
    if endpoint and num > 1:
        found = concat([found[:-1], ExpandDims(high, 0)], 0)
    if dtype is not None:
        found = cast(Floor(found) if dtype_of(dtype).is_integer else found, dtype_of(dtype))
    return (found, step) if retstep else found


@implements(np.logspace)
def _logspace(
    start: TensorLike, stop: TensorLike, num: int = 50, endpoint: bool = True, base: TensorLike = 10.0,
    dtype: DTypeLike | None = None, axis: int = 0
) -> Tensor:  # fmt: skip
    found = np_linspace(start, stop, num, endpoint, axis=axis)
    return found if found is NotImplemented else typed(Pow(cast(base, found.dtype), found), dtype)


@implements(np.i0)
def _i0(x: TensorLike) -> Tensor:
    return BesselI0(as_floats(tensor_of_any(x)))


@implements(np.fix)
def _fix(x: TensorLike) -> Tensor:
    return np.trunc(x)


@implements(np.isposinf)
def _isposinf(x: TensorLike) -> Tensor:
    t = as_floats(tensor_of_any(x))
    return Equal(t, convert_to_tensor(math.inf, t.dtype))


@implements(np.isneginf)
def _isneginf(x: TensorLike) -> Tensor:
    t = as_floats(tensor_of_any(x))
    return Equal(t, convert_to_tensor(-math.inf, t.dtype))


@implements(np.iscomplex)
def _iscomplex(x: TensorLike) -> Tensor:
    return NotEqual(imag(tensor_of_any(x)), zeros_like(imag(tensor_of_any(x))))


@implements(np.isreal)
def _isreal(x: TensorLike) -> Tensor:
    return LogicalNot(_iscomplex(x))


@implements(np.astype)
def _astype(x: TensorLike, dtype: DTypeLike, /, *, copy: bool = True, device: str | None = None) -> Tensor:
    return cast(tensor_of_any(x), dtype_of(dtype))


@implements(np.apply_along_axis)
def _apply_along_axis(func1d: Callable[..., Any], axis: int, arr: TensorLike, *args: Any, **kwargs: Any) -> Tensor:
    x = np.moveaxis(tensor_of_any(arr), axis, -1)
    lead = x.dims[:-1]
    if None in lead:
        return NotImplemented
    rows = [func1d(row, *args, **kwargs) for row in unstack(Reshape(x, [-1, Shape(x)[-1]]))]
    found: Any = stack([tensor_of_any(r) for r in rows])
    rest = list(found.dims[1:])
    shaped = Reshape(found, [*lead, *rest])
    return np.moveaxis(shaped, -1, axis) if len(rest) == 1 else shaped


@implements(np.unravel_index)
def _unravel_index(indices: TensorLike, shape: Any, order: str = "C") -> tuple[Tensor, ...]:
    if order != "C":
        return NotImplemented
    places = tensor_of_any(indices)
    rest, found = places, []
    for size in reversed(list(shape) if hasattr(shape, "__iter__") else [shape]):
        size = cast(size, places.dtype)
        found.append(FloorMod(rest, size))
        rest = FloorDiv(rest, size)
    return tuple(cast(p, dtypes.int64) for p in reversed(found))


@implements(np.ravel_multi_index)
def _ravel_multi_index(multi_index: Any, dims: Any, mode: str = "raise", order: str = "C") -> Any:
    if order != "C" or mode != "raise":
        return NotImplemented
    found = None
    for places, size in zip(multi_index, dims):
        places = cast(tensor_of_any(places), dtypes.int64)
        found = places if found is None else found * cast(size, dtypes.int64) + places
    return found
