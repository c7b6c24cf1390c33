"""Tensors repeated along their dimensions, and grids of coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.op import ALIASES, define, ops, provide
from graphrt.ops.support.kernel_helpers import axis_in, bad, entries, ints, text_of
from graphrt.ops.support.shape_rules import as_tensor, require_rank
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import TensorLike, static_array
from graphrt.types.dtype import INDEX, as_dtype, int32
from graphrt.types.shape import Dims

__all__ = ["meshgrid", "repeat", "tile"]


# --- Tile, repeat ----------------------------------------------------------------------------------------------------
def _tiled_dims(c: Any) -> Dims:
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


def _tile_kernel(x: Any, multiples: Any) -> Any:
    if np.ndim(multiples) != 1:
        raise bad(f"Expected multiples to be 1-D, but got shape {text_of(np.shape(multiples))}")
    times = ints(multiples)
    if len(times) != np.ndim(x):
        raise bad(f"Expected multiples argument to be a vector of length {np.ndim(x)} but got length {len(times)}")
    for i, n in enumerate(times):
        if n < 0:
            raise bad(f"Expected multiples[{i}] >= 0, but got {n}")
    return np.tile(x, times) if times else x


def _tile_vjp(call: Any, g: Any) -> list[Any]:
    x, multiples = call.inputs
    shape = ops.shape(x, out_type=multiples.dtype)
    pairs = ops.Reshape(ops.Transpose(ops.Pack([multiples, shape]), [1, 0]), [-1])
    axes = ops.range(0, ops.size(pairs), 2)
    total = ops.Sum(ops.Reshape(g, pairs), axes)
    if total.dims is None or total.dims != x.dims:
        total = ops.Reshape(total, shape)
    return [total, None]


Tile = define(
    "Tile", "input: T, multiples: Tmultiples -> output: T", attrs="T: type; Tmultiples: type = int32",
    allowed={"Tmultiples": INDEX}, infer=_tiled_dims, kernel=_tile_kernel, vjp=_tile_vjp, traits=(ALIASES,),
)  # fmt: skip


@provide
def tile(input: TensorLike, multiples: Any, name: str | None = None) -> Any:
    """`input` put side by side `multiples[i]` times along each dimension i.

    >>> import graphrt as tf
    >>> tf.tile([1, 2], [2]).numpy().tolist()
    [1, 2, 1, 2]

    Raises:
      InvalidArgumentError: there is not one non-negative multiple for each dimension.
    """
    return Tile(input, multiples, name=name)


@provide
def repeat(input: TensorLike, repeats: Any, axis: int | None = None, name: str | None = None) -> Any:
    """Each element (each slice along `axis`) of `input`, repeated `repeats` times (a number, or one per slice).

    >>> import graphrt as tf
    >>> tf.repeat([1, 2], [3, 1]).numpy().tolist()
    [1, 1, 1, 2]

    Raises:
      InvalidArgumentError: there is not one non-negative count for each slice.
    """
    if axis is None:
        input = ops.reshape(input, [-1])
        axis = 0
    with scope(name, "Repeat"):
        data = as_tensor(input, name="input")
        counts = as_tensor(repeats, name="repeats")
        if counts.dtype not in INDEX:
            counts = ops.cast(counts, int32)
        if data.dims == ():
            data = ops.reshape(data, [1])
        if data.dims is not None and not -len(data.dims) <= axis < len(data.dims):
            rank = len(data.dims)
            raise ShapeError(errors.at_user_line(f"axis={axis} out of bounds: expected -{rank}<=axis<{rank}"))
        at = axis if data.dims is None else axis_in(axis, len(data.dims))
        if data.dims is not None and counts.dims in ((), (1,)):
            return _repeat_each(data, ops.reshape(counts, []), at)
        size = ops.getitem(ops.shape(data, out_type=counts.dtype), at)
        counts = ops.broadcast_to(counts, ops.stack([size]))
        ends = ops.cumsum(counts)
        total = ops.getitem(ops.concat([np.zeros(1, counts.dtype.as_numpy_dtype), ends], 0), -1)
        index = ops.searchsorted(ends, ops.range(total), side="right")
        return ops.GatherV2(data, index, at)


def _repeat_each(data: Any, count: Any, at: int) -> Any:
    shape = ops.shape(data, out_type=count.dtype)
    rank = len(data.dims)
    times = [1] * (rank + 1)
    times[at + 1] = count
    tiled = ops.Tile(ops.expand_dims(data, at + 1), ops.stack(times))
    parts = [ops.getitem(shape, slice(None, at)), ops.stack([count * ops.getitem(shape, at)])]
    found = ops.Reshape(tiled, ops.concat([*parts, ops.getitem(shape, slice(at + 1, None))], 0))
    if hasattr(found, "value"):
        known = static_array(count)
        size = data.dims[at]
        middle = None if known is None or size is None else int(known) * size
        found.set_shape(data.dims[:at] + (middle,) + data.dims[at + 1 :])
    return found


# --- coordinates -----------------------------------------------------------------------------------------------------
def meshgrid(*args: Any, indexing: str = "xy", name: str = "meshgrid") -> list[Any]:
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
        grids = [ops.reshape(v, [1] * i + [-1] + [1] * (rank - i - 1)) for i, v in enumerate(values)]
        sizes = [ops.size(v) for v in values]
        dtype = values[0].dtype if values else as_dtype("float32")
        if indexing == "xy" and rank > 1:
            grids[0] = ops.reshape(grids[0], [1, -1] + [1] * (rank - 2))
            grids[1] = ops.reshape(grids[1], [-1, 1] + [1] * (rank - 2))
            sizes[0], sizes[1] = sizes[1], sizes[0]
        if not values:
            return []
        shape: Any = sizes
        if dtype.kind not in "fiuc":
            return [ops.broadcast_to(g, ops.stack(sizes)) for g in grids]
        ones = ops.ones(shape, dtype)
        return [g * ones if g.dtype is dtype else ops.broadcast_to(g, ops.stack(sizes)) for g in grids]
