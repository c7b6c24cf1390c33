"""NumPy's functions that make arrays, or tell of their elements, on tensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from graphrt import errors
from graphrt.numpy_api.operands import (
    as_floats,
    as_places,
    dtype_of,
    implements,
    is_tensor_like,
    rank_of,
    refuse,
    require,
    strictly,
    tensor_of_any,
    together,
    typed,
)
from graphrt.ops.array.concat_split import concat, stack, unstack
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.shape import ExpandDims, Reshape, Shape
from graphrt.ops.math.arithmetic import Pow
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, GreaterEqual, Less, NotEqual
from graphrt.ops.math.division import FloorDiv, FloorMod
from graphrt.ops.math.elementwise import Floor, imag
from graphrt.ops.math.logical import LogicalAnd, LogicalNot
from graphrt.ops.math.reduction import reduce_all
from graphrt.ops.math.special.bessel import BesselI0
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types import dtype as dtypes
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.nesting import shown
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
    if is_tensor_like(num):
        return NotImplemented
    if num < 0 and strictly():
        refuse(f"Number of samples, {num}, must be non-negative.")
    pieces = num - 1 if endpoint else num
    step = (high - low) / float(max(pieces, 1))
    places = convert_to_tensor(np.arange(num).reshape(-1, *[1] * rank_of(low)), low.dtype)
    found = low + places * step
    if endpoint and num > 1:
        found = concat([found[:-1], ExpandDims(high, 0)], 0)
    if dtype is not None:
        found = cast(Floor(found) if dtype_of(dtype).is_integer else found, dtype_of(dtype))
    if axis != 0:
        found = np.moveaxis(found, 0, axis)
    if not retstep:
        return found
    return found, step if pieces > 0 else convert_to_tensor(math.nan, step.dtype)


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
    t = _in_order(x)
    return Equal(t, convert_to_tensor(math.inf, t.dtype))


@implements(np.isneginf)
def _isneginf(x: TensorLike) -> Tensor:
    t = _in_order(x)
    return Equal(t, convert_to_tensor(-math.inf, t.dtype))


def _in_order(x: TensorLike) -> Any:
    t = as_floats(tensor_of_any(x))
    if t.dtype.is_complex:
        raise TypeError(errors.at_user_line(f"not supported for {t.dtype.name} values, because it would be ambiguous"))
    return t


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
    if 0 in lead:
        refuse("Cannot apply_along_axis when any iteration dimensions are 0")
    if None in lead:
        return NotImplemented
    rows = [func1d(row, *args, **kwargs) for row in unstack(Reshape(x, [-1, Shape(x)[-1]]))]
    found: Any = stack([tensor_of_any(r) for r in rows])
    rest = list(found.dims[1:])
    shaped = Reshape(found, [*lead, *rest])
    return np.moveaxis(shaped, -1, axis) if len(rest) == 1 else shaped


def _require_inside(places: Any, size: Any, message: str) -> None:
    inside = LogicalAnd(GreaterEqual(places, convert_to_tensor(0, places.dtype)), Less(places, size))
    require(reduce_all(inside), ValueError(message))


@implements(np.unravel_index)
def _unravel_index(indices: TensorLike, shape: Any, order: str = "C") -> tuple[Tensor, ...]:
    if order != "C":
        return NotImplemented
    places = as_places(tensor_of_any(indices))
    sizes = list(shape) if hasattr(shape, "__iter__") or is_tensor_like(shape) else [shape]
    count = cast(1, places.dtype)
    for size in sizes:
        count = count * cast(size, places.dtype)
    _require_inside(places, count, f"index is out of bounds for array of shape {shown(shape)}")
    rest, found = places, []
    for size in reversed(sizes):
        size = cast(size, places.dtype)
        found.append(FloorMod(rest, size))
        rest = FloorDiv(rest, size)
    return tuple(cast(p, dtypes.int64) for p in reversed(found))


@implements(np.ravel_multi_index)
def _ravel_multi_index(multi_index: Any, dims: Any, mode: str = "raise", order: str = "C") -> Any:
    if order != "C" or mode != "raise":
        return NotImplemented
    found = None
    parts = list(unstack(tensor_of_any(multi_index)) if is_tensor_like(multi_index) else multi_index)
    sizes = list(dims) if hasattr(dims, "__iter__") or is_tensor_like(dims) else [dims]
    if len(parts) != len(sizes):
        refuse(f"parameter multi_index must be a sequence of length {len(sizes)}")
    for given, size in zip(parts, sizes):
        places = as_places(tensor_of_any(given))
        _require_inside(places, cast(size, dtypes.int64), "invalid entry in coordinates array")
        found = places if found is None else found * cast(size, dtypes.int64) + places
    return found
