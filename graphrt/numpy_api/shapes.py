"""NumPy's functions of shapes on tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graphrt.numpy_api.operands import axes_in, dtype_of, held_in, implements, rank_of, refuse, strictly, tensor_of_any
from graphrt.ops.array.concat_split import unstack
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.padding import ReverseV2, roll
from graphrt.ops.array.shape import (
    BroadcastTo,
    ExpandDims,
    Reshape,
    Shape,
    Size,
    broadcast_to,
    reshape,
    squeeze,
    transpose,
)
from graphrt.ops.math.casting import cast
from graphrt.ops.support.kernel_helpers import place_in
from graphrt.ops.support.shape_rules import size_list
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import AxisLike, DTypeLike, ShapeLike, TensorLike

__all__: list[str] = []


# --- shapes ----------------------------------------------------------------------------------------------------------
@implements(np.shape)
def np_shape(a: TensorLike) -> tuple[int, ...]:
    x = tensor_of_any(a)
    if x.dims is not None and None not in x.dims:
        return tuple(x.dims)
    sizes: Any = unstack(Shape(x)) if x.dims is not None else None  # tensors stand for sizes that are not known
    return NotImplemented if sizes is None else tuple(sizes)


@implements(np.ndim)
def _ndim(a: Any) -> Any:
    return rank_of(tensor_of_any(a))


@implements(np.size)
def _size(a: TensorLike, axis: Any = None) -> Any:
    x = tensor_of_any(a)
    if axis is None:
        return math.prod(x.dims) if x.dims is not None and None not in x.dims else Size(x)
    return x.dims[axis] if x.dims is not None and x.dims[axis] is not None else Shape(x)[axis]


@implements(np.reshape)
def _reshape(a: TensorLike, shape: ShapeLike, order: str = "C") -> Tensor:
    if order != "C":
        return NotImplemented
    return reshape(tensor_of_any(a), size_list(shape))


@implements(np.ravel)
def np_ravel(a: TensorLike) -> Tensor:
    return Reshape(tensor_of_any(a), [-1])


@implements(np.transpose, np.permute_dims)
def _transpose(a: TensorLike, axes: Any = None) -> Tensor:
    x = tensor_of_any(a)
    return transpose(x, None if axes is None else [place_in(i, rank_of(x)) for i in axes])


@implements(np.matrix_transpose)
def _matrix_transpose(x: Any) -> Any:
    return _swapaxes(x, -1, -2)


@implements(np.swapaxes)
def _swapaxes(a: TensorLike, axis1: int, axis2: int) -> Tensor:
    x = tensor_of_any(a)
    order = list(range(rank_of(x)))
    first, second = (place_in(axis, rank_of(x)) for axis in (axis1, axis2))
    order[first], order[second] = second, first
    return transpose(x, order)


@implements(np.moveaxis)
def np_moveaxis(a: TensorLike, source: int | tuple[int, ...], destination: int | tuple[int, ...]) -> Any:
    x = tensor_of_any(a)
    rank = rank_of(x)
    sources, places = axes_in(source, rank, "source"), axes_in(destination, rank, "destination")
    if len(sources) != len(places):
        refuse("`source` and `destination` arguments must have the same number of elements")
    order = [i for i in range(rank) if i not in sources]
    for place, origin in sorted(zip(places, sources)):
        order.insert(place, origin)
    return transpose(x, order)


@implements(np.expand_dims)
def _expand_dims(a: TensorLike, axis: Any) -> Tensor:
    x = tensor_of_any(a)
    if isinstance(axis, (int, np.integer)):
        return ExpandDims(x, int(axis))
    for place in sorted(axes_in(axis, rank_of(x) + len(axis))):
        x = ExpandDims(x, place)
    return x


@implements(np.squeeze)
def _squeeze(a: TensorLike, axis: int | None = None) -> Tensor:
    x = tensor_of_any(a)
    if isinstance(axis, tuple) and not axis:
        return x  # no axis, which the op takes for all
    return squeeze(x, None if axis is None else axes_in(axis, rank_of(x)))


@implements(np.atleast_1d)
def np_atleast_1d(*arys: TensorLike) -> Any:
    found = [x if rank_of(x) else Reshape(x, [1]) for x in map(tensor_of_any, arys)]
    return found[0] if len(found) == 1 else tuple(found)


@implements(np.atleast_2d)
def np_atleast_2d(*arys: TensorLike) -> Any:
    found = [x if rank_of(x) > 1 else ExpandDims(np_atleast_1d(x), 0) for x in map(tensor_of_any, arys)]
    return found[0] if len(found) == 1 else tuple(found)


@implements(np.broadcast_to)
def _broadcast_to(array: TensorLike, shape: ShapeLike) -> Tensor:
    return broadcast_to(tensor_of_any(array), size_list(shape))


@implements(np.flip)
def _flip(m: TensorLike, axis: int | None = None) -> Tensor:
    x = tensor_of_any(m)
    if axis is None:
        axes = list(range(rank_of(x)))
    else:
        axes = axes_in(axis, rank_of(x)) if strictly() else np.atleast_1d(axis).tolist()
    return ReverseV2(x, axes) if axes and x.dims != () else x


@implements(np.flipud)
def _flipud(m: TensorLike) -> Tensor:
    if strictly() and rank_of(tensor_of_any(m)) < 1:
        refuse("Input must be >= 1-d.")
    return _flip(m, 0)


@implements(np.fliplr)
def _fliplr(m: TensorLike) -> Tensor:
    if strictly() and rank_of(tensor_of_any(m)) < 2:
        refuse("Input must be >= 2-d.")
    return _flip(m, 1)


@implements(np.roll)
def _roll(a: TensorLike, shift: TensorLike, axis: AxisLike = None) -> Tensor:
    x = tensor_of_any(a)
    if axis is None:
        return Reshape(roll(Reshape(x, [-1]), shift, 0), Shape(x))
    return roll(x, shift, axis)


@implements(np.copy)
def _copy(a: TensorLike) -> Tensor:
    return tensor_of_any(a)


@implements(np.zeros_like)
def _zeros_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    return zeros_like(tensor_of_any(a), None if dtype is None else dtype_of(dtype))


@implements(np.empty_like)
def _empty_like(prototype: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    return _zeros_like(prototype, dtype)


@implements(np.ones_like)
def _ones_like(a: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    return ones_like(tensor_of_any(a), None if dtype is None else dtype_of(dtype))


@implements(np.full_like)
def _full_like(a: TensorLike, fill_value: TensorLike, dtype: DTypeLike | None = None) -> Tensor:
    x = tensor_of_any(a)
    kind = x.dtype if dtype is None else dtype_of(dtype)
    value = cast(held_in(fill_value, kind), kind)
    return BroadcastTo(value, Shape(x))
