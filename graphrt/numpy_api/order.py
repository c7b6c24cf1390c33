"""NumPy's functions of order on tensors: quantiles, partitions, bins."""

from __future__ import annotations

import math
from typing import Any

import numpy

from graphrt.numpy_api.arguments import flattened, in_floats, size_along
from graphrt.numpy_api.creation import np_linspace
from graphrt.numpy_api.operands import (
    as_places,
    implements,
    is_tensor_like,
    rank_of,
    refuse,
    require,
    strictly,
    tensor_of_any,
    together,
)
from graphrt.ops.array.concat_split import concat, unstack
from graphrt.ops.array.creation import Fill, ones_like
from graphrt.ops.array.gather_scatter import TensorScatterAdd, gather
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import ExpandDims, Reshape, Shape, transpose
from graphrt.ops.array.slicing import boolean_mask
from graphrt.ops.array.sorting import searchsorted, sort
from graphrt.ops.math.arithmetic import Maximum, Minimum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, GreaterEqual, Less, LessEqual
from graphrt.ops.math.elementwise import Ceil, Floor, IsFinite, IsNan, Rint
from graphrt.ops.math.logical import LogicalAnd
from graphrt.ops.math.reduction import reduce_all, reduce_any, reduce_max, reduce_min, reduce_sum
from graphrt.ops.support.kernel_helpers import place_in
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types import dtype as dtypes
from graphrt.types.likes import AxisLike, TensorLike

__all__: list[str] = []

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


# --- order -----------------------------------------------------------------------------------------------------------
def _one_axis(x: Tensor, axis: int | tuple[int, ...] | None) -> tuple[Any, list[int]]:
    """`x` with the axes to reduce joined at the end, and which they were."""
    rank = rank_of(x)
    gone = list(range(rank)) if axis is None else [place_in(i, rank) for i in np.atleast_1d(axis).tolist()]
    kept = [i for i in range(rank) if i not in gone]
    turned = transpose(x, kept + gone) if gone != list(range(rank - len(gone), rank)) else x
    if len(gone) == 1:
        return turned, gone
    lead = Shape(turned)[: len(kept)]
    return Reshape(turned, concat([lead, [-1]], 0)), gone


def _quantiles(a: Any, q: Any, axis: Any, keepdims: bool, method: str) -> Tensor:
    x = in_floats(a)
    if x.dtype.is_complex:
        raise TypeError("a must be an array of real numbers")
    x, gone = _one_axis(x, axis)
    rank = rank_of(x) - 1 + len(gone)
    if strictly():
        inside = LogicalAnd(GreaterEqual(tensor_of_any(q), 0), LessEqual(tensor_of_any(q), 1))
        require(reduce_all(inside), ValueError("Quantiles must be in the range [0, 1]"))
    part = cast(q, x.dtype) if is_tensor_like(q) else convert_to_tensor(np.asarray(q, x.dtype.as_numpy_dtype))
    values = sort(x, axis=-1)
    last = cast(size_along(x, -1), x.dtype) - convert_to_tensor(1, x.dtype)
    at = part * last
    below, above = Floor(at), Ceil(at)

    def pick(places: Tensor) -> Tensor:
        return gather(values, cast(Reshape(places, [-1]), dtypes.int32), axis=-1)

    if method == "linear":
        low, high = pick(below), pick(above)
        weight = Reshape(at - below, [-1])
        found = where(
            Less(weight, convert_to_tensor(0.5, x.dtype)),
            low + (high - low) * weight,
            high - (high - low) * (1 - weight),
        )
    elif method in ("lower", "higher", "nearest"):
        found = pick({"lower": below, "higher": above, "nearest": Rint(at)}[method])
    else:
        found = (pick(below) + pick(above)) / 2
    any_nan = reduce_any(IsNan(x), -1, True)
    found = where(any_nan, convert_to_tensor(math.nan, x.dtype), found)
    order = [rank_of(found) - 1, *range(rank_of(found) - 1)]
    found = transpose(found, order)
    rest = Shape(found)[1:]
    if keepdims:
        for place in sorted(gone):
            rest = concat([rest[:place], [1], rest[place:]], 0)
    found = Reshape(found, concat([Shape(part), rest], 0))
    lead = () if part.dims is None else part.dims
    kept = [d for i, d in enumerate(tensor_of_any(a).dims) if keepdims or i not in gone]
    found.set_shape([*lead, *(1 if keepdims and i in gone else d for i, d in enumerate(kept))])
    assert rank >= 0
    return found


_METHODS = ("linear", "lower", "higher", "nearest", "midpoint")


@implements(np.quantile)
def _quantile(
    a: TensorLike, q: TensorLike, axis: int | None = None, *, method: str = "linear", keepdims: bool = False
) -> Tensor:
    return _quantiles(a, q, axis, keepdims, method) if method in _METHODS else NotImplemented


@implements(np.percentile)
def _percentile(
    a: TensorLike, q: Any, axis: AxisLike = None, *, method: str = "linear", keepdims: bool = False
) -> Tensor:
    if method not in _METHODS:
        return NotImplemented
    q = q / 100 if is_tensor_like(q) else np.true_divide(q, 100)
    return _quantiles(a, q, axis, keepdims, method)


@implements(np.median)
def _median(a: TensorLike, axis: AxisLike = None, *, keepdims: bool = False) -> Tensor:
    return _quantiles(a, 0.5, axis, keepdims, "midpoint")


@implements(np.partition)
def _partition(a: Any, kth: Any, axis: AxisLike = -1) -> Any:
    _check_places(a, kth, axis)
    return np.sort(a, axis=axis)


def _check_places(a: Any, kth: Any, axis: Any) -> None:
    x = flattened(a) if axis is None else tensor_of_any(a)
    if not x.dims:
        return
    size = x.dims[-1 if axis is None else axis]
    for place in [] if is_tensor_like(kth) or size is None or not strictly() else np.ravel(kth).tolist():
        if not -size <= place < size:
            refuse(f"kth(={place}) out of bounds ({size})")


@implements(np.argpartition)
def _argpartition(a: TensorLike, kth: TensorLike, axis: int = -1) -> Tensor:
    _check_places(a, kth, axis)
    return np.argsort(a, axis=axis)


@implements(np.lexsort)
def _lexsort(keys: Any, axis: int = -1) -> Tensor:
    if axis != -1:
        return NotImplemented
    rows = [tensor_of_any(k) for k in (unstack(tensor_of_any(keys)) if is_tensor_like(keys) else keys)]
    if any(rank_of(r) != 1 for r in rows):
        return NotImplemented
    if not all(r.shape.is_compatible_with(rows[0].shape) for r in rows):
        refuse("all keys need to be the same shape")
    order = np.argsort(rows[0])
    for row in rows[1:]:
        order = gather(order, np.argsort(gather(row, order)))
    return order


@implements(np.searchsorted)
def _searchsorted(a: TensorLike, v: TensorLike, side: str = "left", sorter: TensorLike | None = None) -> Tensor:
    rows, values = together([a, v])
    if rank_of(rows) != 1:
        refuse("object too deep for desired array: a vector is searched")
    if side not in ("left", "right"):
        refuse(f"search side must be 'left' or 'right' (got {side!r})")
    if sorter is not None:
        rows = gather(rows, tensor_of_any(sorter))
    found = searchsorted(rows, Reshape(values, [-1]), side=side, out_type=dtypes.int64)
    return Reshape(found, Shape(values))


@implements(np.digitize)
def _digitize(x: TensorLike, bins: TensorLike, right: bool = False) -> Tensor:
    edges = np.asarray(bins) if not is_tensor_like(bins) else None
    if edges is None or (edges.size > 1 and edges[0] > edges[-1]):
        return NotImplemented
    return _searchsorted(bins, x, side="left" if right else "right")


@implements(np.bincount)
def np_bincount(x: TensorLike, /, weights: TensorLike | None = None, minlength: int = 0) -> Tensor:
    places = as_places(tensor_of_any(x))
    if not is_tensor_like(minlength) and minlength < 0:
        refuse("'minlength' must not be negative")
    length = Maximum(cast(minlength, dtypes.int64), _above(places))
    if weights is None:
        counted, kind = ones_like(places, dtypes.int64), dtypes.int64
    else:
        counted, kind = cast(weights, dtypes.float64), dtypes.float64
    zero = convert_to_tensor(0, kind)
    start = Fill(Reshape(length, [1]), zero)
    return TensorScatterAdd(start, ExpandDims(cast(places, dtypes.int64), 1), counted)


def _above(places: Tensor) -> Tensor:
    """One more than the greatest element, 0 for none."""
    padded = concat([cast(places, dtypes.int64), convert_to_tensor([-1], dtypes.int64)], 0)
    return reduce_max(padded) + 1


@implements(np.histogram)
def _histogram(
    a: TensorLike, bins: TensorLike = 10, range: Any = None, density: bool | None = None,
    weights: TensorLike | None = None
) -> tuple[Tensor, Tensor]:  # fmt: skip
    x = flattened(in_floats(a))
    if x.dtype.is_complex:
        return NotImplemented
    edges: Any
    if isinstance(bins, (int, np.integer)):
        if bins < 1:
            refuse("`bins` must be positive, when an integer")
        if range is None:
            low, high = (0.0, 1.0) if x.dims == (0,) else (reduce_min(x), reduce_max(x))
        else:
            low, high = range
            require(tensor_of_any(low <= high), ValueError("max must be larger than min in range parameter."))
        low, high = cast(low, x.dtype), cast(high, x.dtype)
        require(IsFinite(high - low), ValueError("the range is not finite"))
        same = Equal(low, high)
        half = convert_to_tensor(0.5, x.dtype)
        low, high = where(same, low - half, low), where(same, high + half, high)
        edges = np_linspace(low, high, int(bins) + 1)
    elif isinstance(bins, str):
        return NotImplemented
    else:
        given = tensor_of_any(bins)
        if rank_of(given) != 1:
            refuse("`bins` must be 1d, when an array")
        require(
            reduce_all(LessEqual(given[:-1], given[1:])),
            ValueError("`bins` must increase monotonically, when an array"),
        )
        edges = cast(given, x.dtype)
        low, high = edges[0], edges[-1]
    inside = LogicalAnd(GreaterEqual(x, low), LessEqual(x, high))
    kept = boolean_mask(x, inside)
    last = size_along(edges) - 2
    place = Minimum(searchsorted(edges, kept, side="right", out_type=dtypes.int64) - 1, cast(last, "int64"))
    if weights is not None and not tensor_of_any(weights).shape.is_compatible_with(tensor_of_any(a).shape):
        refuse("weights should have the same shape as a.")
    chosen = None if weights is None else boolean_mask(flattened(weights), inside)
    size = size_along(edges) - 1
    if not isinstance(size, int):
        return NotImplemented
    counts = np_bincount(place, chosen, size)
    counts.set_shape([size])
    if density:
        counts = cast(counts, x.dtype)
        counts = counts / (edges[1:] - edges[:-1]) / reduce_sum(counts)
    return counts, edges if isinstance(bins, (int, np.integer)) else given
