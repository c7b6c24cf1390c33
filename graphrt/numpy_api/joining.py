"""NumPy's functions that join, cut and sort, on tensors."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.numpy_api.operands import (
    as_booleans,
    implements,
    is_tensor_like,
    rank_of,
    refuse,
    require,
    tensor_of_any,
    together,
    typed,
)
from graphrt.numpy_api.reductions import orderable
from graphrt.numpy_api.shapes import np_atleast_1d, np_atleast_2d, np_ravel
from graphrt.ops.array.concat_split import Pack, concat, split, stack, unstack
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.array.padding import pad
from graphrt.ops.array.repetition import repeat, tile
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import BroadcastTo, ExpandDims, Reshape, Shape, Size
from graphrt.ops.array.sorting import argsort, sort
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import GreaterEqual, Less, NotEqual
from graphrt.ops.math.reduction import reduce_all
from graphrt.ops.support.kernel_helpers import place_in
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, static_array
from graphrt.types.likes import Array, AxisLike, DTypeLike, TensorLike

__all__: list[str] = []


# --- joining and cutting ---------------------------------------------------------------------------------------------
@implements(np.concatenate)
def np_concatenate(arrays: TensorLike, axis: AxisLike = 0, *, dtype: DTypeLike | None = None) -> Tensor:
    parts = [typed(x, dtype) for x in together(items_of(arrays))]
    if axis is None:
        parts, axis = [Reshape(x, [-1]) for x in parts], 0
    if any(x.dims == () for x in parts):
        refuse("zero-dimensional arrays cannot be concatenated")
    return concat(parts, axis)


def items_of(arrays: Any) -> list[Array | Tensor]:
    return list(unstack(tensor_of_any(arrays)) if is_tensor_like(arrays) else arrays)


@implements(np.stack)
def _stack(arrays: TensorLike, axis: int = 0, *, dtype: DTypeLike | None = None) -> Tensor:
    return stack([typed(x, dtype) for x in together(items_of(arrays))], axis)


@implements(np.vstack)
def _vstack(tup: TensorLike) -> Tensor:
    return concat([np_atleast_2d(x) for x in together(items_of(tup))], 0)


@implements(np.hstack)
def _hstack(tup: TensorLike) -> Tensor:
    parts = [np_atleast_1d(x) for x in together(items_of(tup))]
    return concat(parts, 0 if rank_of(parts[0]) == 1 else 1)


@implements(np.column_stack)
def _column_stack(tup: Any) -> Any:
    return concat([ExpandDims(x, 1) if rank_of(x) == 1 else x for x in together(items_of(tup))], 1)


@implements(np.append)
def _append(arr: TensorLike, values: TensorLike, axis: int | None = None) -> Tensor:
    return np_concatenate([arr, values], axis)


@implements(np.split)
def _split(ary: TensorLike, indices_or_sections: TensorLike, axis: int = 0) -> list[Tensor]:
    x = tensor_of_any(ary)
    if isinstance(indices_or_sections, (int, np.integer)):
        return split(x, int(indices_or_sections), axis)
    lead = (slice(None),) * (place_in(axis, rank_of(x)))
    edges = [None, *np.asarray(indices_or_sections).tolist(), None]
    return [x[(*lead, slice(a, b))] for a, b in itertools.pairwise(edges)]


@implements(np.tile)
def _tile(A: TensorLike, reps: Sequence[int] | int) -> Tensor:
    x = tensor_of_any(A)
    times = np.atleast_1d(reps).tolist()
    for _ in range(len(times) - rank_of(x)):
        x = ExpandDims(x, 0)
    return tile(x, [1] * (rank_of(x) - len(times)) + times)


@implements(np.repeat)
def _repeat(a: TensorLike, repeats: TensorLike, axis: int | None = None) -> Tensor:
    known = (
        reduce_all(GreaterEqual(repeats, 0)) if is_tensor_like(repeats) else np.min(np.asarray(repeats), initial=0) >= 0
    )
    require(known, ShapeError("repeats may not contain negative values."))
    return repeat(tensor_of_any(a), repeats, axis)


@implements(np.pad)
def _pad(
    array: TensorLike, pad_width: TensorLike, mode: str = "constant", *, constant_values: TensorLike = 0
) -> Tensor:
    x = tensor_of_any(array)
    if mode not in ("constant", "reflect", "symmetric") or not isinstance(constant_values, (int, float)):
        return NotImplemented
    if np.less(np.asarray(pad_width), 0).any():
        refuse("index can't contain negative values")
    widths = np.broadcast_to(np.asarray(pad_width), (rank_of(x), 2)).astype(np.int32)
    return pad(x, widths, mode=mode.upper(), constant_values=constant_values)


@implements(np.take)
def _take(a: TensorLike, indices: Any, axis: int | None = None) -> Tensor:
    x = tensor_of_any(a)
    indices = tensor_of_any(indices)
    if axis is None:
        x, axis = Reshape(x, [-1]), 0
    known = static_array(indices)
    if known is not None and (not np.size(known) or np.min(known) >= 0):
        return gather(x, indices, axis=axis)
    size = cast(Shape(x)[axis], indices.dtype)
    zero = convert_to_tensor(0, indices.dtype)
    return gather(x, where(Less(indices, zero), indices + size, indices), axis=axis)


@implements(np.diff)
def _diff(a: TensorLike, n: int = 1, axis: int = -1) -> Tensor:
    x = tensor_of_any(a)
    if n < 0:
        refuse(f"order must be non-negative but got {n}")
    if not n:
        return x
    place = place_in(axis, rank_of(x))
    lead = (slice(None),) * place
    for _ in range(n):
        after, before = x[(*lead, slice(1, None))], x[(*lead, slice(None, -1))]
        x = NotEqual(after, before) if x.dtype.is_bool else after - before
    return x


@implements(np.sort)
def _sort(a: TensorLike, axis: int = -1, kind: Any = None, *, stable: Any = None) -> Tensor:
    x = np_ravel(a) if axis is None else tensor_of_any(a)
    found = sort(orderable(x), axis=-1 if axis is None else axis)
    return cast(found, x.dtype) if x.dtype.is_bool else found


@implements(np.argsort)
def _argsort(a: TensorLike, axis: int | None = -1, kind: Any = None, *, stable: Any = None) -> Tensor:
    x = orderable(np_ravel(a) if axis is None else tensor_of_any(a))
    return cast(argsort(x, axis=-1 if axis is None else axis, stable=True), "int64")


@implements(np.nonzero)
def np_nonzero(a: TensorLike) -> tuple[Tensor, ...]:
    x = tensor_of_any(a)
    if not rank_of(x):
        refuse("Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead.")
    return tuple(unstack(where(as_booleans(x)), num=rank_of(x), axis=1))


@implements(np.argwhere)
def _argwhere(a: Any) -> Any:
    return where(as_booleans(tensor_of_any(a)))


@implements(np.meshgrid)
def _meshgrid(*xi: TensorLike, indexing: str = "xy") -> tuple[Tensor, ...]:
    if indexing not in ("xy", "ij"):
        refuse("Valid values for `indexing` are 'xy' and 'ij'.")
    vectors = [Reshape(tensor_of_any(x), [-1]) for x in xi]
    places = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        places[:2] = [1, 0]
    full = [Size(vectors[i]) for i in sorted(range(len(vectors)), key=places.__getitem__)]
    shapes = [[-1 if i == place else 1 for i in range(len(vectors))] for place in places]
    return tuple(BroadcastTo(Reshape(x, s), Pack(full)) for x, s in zip(vectors, shapes))
