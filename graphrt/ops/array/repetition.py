"""Tensors repeated along their dimensions, and grids of coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import ALIASES, define, provide
from graphrt.ops.array.concat_split import Pack, concat, stack
from graphrt.ops.array.creation import ones as ones_
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.gather_scatter import GatherV2, whole
from graphrt.ops.array.shape import Reshape, Transpose, broadcast_to, expand_dims, reshape
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.shape import size as size_
from graphrt.ops.array.slicing import getitem
from graphrt.ops.array.sorting import searchsorted
from graphrt.ops.math.casting import cast
from graphrt.ops.math.cumulative import cumsum
from graphrt.ops.math.reduction import Sum
from graphrt.ops.support.kernel_helpers import axis_in, bad, entries, ints, text_of
from graphrt.ops.support.shape_rules import as_tensor, require_rank
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike, static_array
from graphrt.types.dtype import INDEX, as_dtype, int32
from graphrt.types.likes import Array
from graphrt.types.shape import Dims

__all__ = ["meshgrid", "repeat", "tile"]


# --- Tile, repeat ----------------------------------------------------------------------------------------------------
def _tiled_dims(c: InferContext) -> Dims:
    require_rank(c, 1, 1)
    dims, times = c.dims(0), entries(c.inputs[1])
    if dims is None:
        return None if times is None else tuple(0 if n == 0 else None for n in times)
    if times is None:
        return (None,) * len(dims)
    if len(times) != len(dims):
        raise ShapeError(
            f"Expected multiples argument to be a vector of length {len(dims)} but got length {len(times)}"
        )
    return tuple(0 if n == 0 else None if d is None or n is None else d * n for d, n in zip(dims, times))


def _tile_kernel(x: Array, multiples: Array) -> Array:
    if np.ndim(multiples) != 1:
        raise bad(f"Expected multiples to be 1-D, but got shape {text_of(np.shape(multiples))}")
    times = ints(multiples)
    if len(times) != np.ndim(x):
        raise bad(f"Expected multiples argument to be a vector of length {np.ndim(x)} but got length {len(times)}")
    for i, n in enumerate(times):
        if n < 0:
            raise bad(f"Expected multiples[{i}] >= 0, but got {n}")
    return np.tile(x, times) if times else x


def _tile_vjp(call: Any, g: object) -> list[Any]:
    x, multiples = call.inputs
    shape = shape_(x, out_type=multiples.dtype)
    pairs = Reshape(Transpose(Pack([multiples, shape]), [1, 0]), [-1])
    axes = range_(0, size_(pairs), 2)
    total = Sum(Reshape(g, pairs), axes)
    if total.dims is None or total.dims != x.dims:
        total = Reshape(total, shape)
    return [total, None]


Tile = define(
    "Tile", "input: T, multiples: Tmultiples -> output: T", attrs="T: type; Tmultiples: type = int32",
    allowed={"Tmultiples": INDEX}, infer=_tiled_dims, kernel=_tile_kernel, vjp=_tile_vjp, traits=(ALIASES,),
)  # fmt: skip


@provide
def tile(input: TensorLike, multiples: object, name: str | None = None) -> Tensor:
    """`input` put side by side `multiples[i]` times along each dimension i.

    >>> import graphrt as tf
    >>> tf.tile([1, 2], [2]).numpy().tolist()
    [1, 2, 1, 2]

    Raises:
      InvalidArgumentError: there is not one non-negative multiple for each dimension.
    """
    return Tile(input, multiples, name=name)


@provide
def repeat(input: TensorLike, repeats: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each element (each slice along `axis`) of `input`, repeated `repeats` times (a number, or one per slice).

    >>> import graphrt as tf
    >>> tf.repeat([1, 2], [3, 1]).numpy().tolist()
    [1, 1, 1, 2]

    Raises:
      InvalidArgumentError: there is not one non-negative count for each slice.
    """
    if axis is None:
        input = reshape(input, [-1])
        axis = 0
    with scope(name, "Repeat"):
        data = as_tensor(input, name="input")
        counts = as_tensor(repeats, name="repeats")
        if counts.dtype not in INDEX:
            counts = cast(counts, int32)
        if data.dims == ():
            data = reshape(data, [1])
        if data.dims is not None and not -len(data.dims) <= axis < len(data.dims):
            rank = len(data.dims)
            raise ShapeError(errors.at_user_line(f"axis={axis} out of bounds: expected -{rank}<=axis<{rank}"))
        at = axis if data.dims is None else axis_in(axis, len(data.dims))
        if data.dims is not None and counts.dims in ((), (1,)):
            return _repeat_each(data, reshape(counts, []), at)
        rows = None if data.dims is None else data.dims[at]
        if counts.dims is not None and len(counts.dims) == 1 and None not in (rows, *counts.dims):
            if counts.dims != (rows,):
                raise ShapeError(errors.at_user_line(f"{counts.dims[0]} counts do not fit {rows} slices"))
        size = getitem(shape_(data, out_type=counts.dtype), at)
        counts = broadcast_to(counts, stack([size]))
        ends = cumsum(counts)
        total = getitem(concat([np.zeros(1, counts.dtype.as_numpy_dtype), ends], 0), -1)
        index = searchsorted(ends, range_(total), side="right")
        return GatherV2(whole(data), index, at)


def _repeat_each(data: Any, count: Any, at: int) -> Tensor:
    shape = shape_(data, out_type=count.dtype)
    rank = len(data.dims)
    times = [1] * (rank + 1)
    times[at + 1] = count
    tiled = Tile(expand_dims(data, at + 1), stack(times))
    parts = [getitem(shape, slice(None, at)), stack([count * getitem(shape, at)])]
    found = Reshape(tiled, concat([*parts, getitem(shape, slice(at + 1, None))], 0))
    if hasattr(found, "value"):
        known = static_array(count)
        size = data.dims[at]
        middle = None if known is None or size is None else int(known) * size
        found.set_shape(data.dims[:at] + (middle,) + data.dims[at + 1 :])
    return found


# --- coordinates -----------------------------------------------------------------------------------------------------
def meshgrid(*args: TensorLike, indexing: str = "xy", name: str = "meshgrid") -> list[Tensor]:
    """Coordinate matrices from coordinate vectors; `indexing` is "xy" (the first varies along columns) or "ij".

    >>> import graphrt as tf
    >>> [t.numpy().tolist() for t in tf.meshgrid([1, 2], [3, 4])]
    [[[1, 2], [1, 2]], [[3, 3], [4, 4]]]

    Raises:
      ValueError: `indexing` is neither.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    with scope(name, "meshgrid"):
        values = [as_tensor(v) for v in args]
        rank = len(values)
        grids = [reshape(v, [1] * i + [-1] + [1] * (rank - i - 1)) for i, v in enumerate(values)]
        sizes = [size_(v) for v in values]
        dtype = values[0].dtype if values else as_dtype("float32")
        if indexing == "xy" and rank > 1:
            grids[0] = reshape(grids[0], [1, -1] + [1] * (rank - 2))
            grids[1] = reshape(grids[1], [-1, 1] + [1] * (rank - 2))
            sizes[0], sizes[1] = sizes[1], sizes[0]
        if not values:
            return []
        shape: Any = sizes
        if dtype.kind not in "fiuc":
            return [broadcast_to(g, stack(sizes)) for g in grids]
        ones = ones_(shape, dtype)
        return [g * ones if g.dtype is dtype else broadcast_to(g, stack(sizes)) for g in grids]
