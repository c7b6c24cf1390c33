"""NumPy's functions for order statistics, sets, sums over windows, and other compositions, on tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy

from graphrt.ir.op import ops
from graphrt.numpy_api.ufuncs import (
    _boolean,
    _dtype,
    _floating,
    _rank,
    _typed,
    implements,
    is_tensor_like,
    matmul,
    tensor_of_any,
    together,
)
from graphrt.tensor.convert import convert_to_tensor
from graphrt.types import dtype as dtypes

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know

__all__: list[str] = []


def _flat(a: Any) -> Any:
    return ops.Reshape(tensor_of_any(a), [-1])


def _count(x: Any, axis: int = 0) -> Any:
    size = x.dims[axis]
    return size if size is not None else ops.Shape(x)[axis]


def _measured(a: Any) -> Any:
    x = tensor_of_any(a)
    return x if x.dtype.kind in "fc" else ops.cast(x, dtypes.float64)


def _lead(x: Any, axis: int) -> tuple[slice, ...]:
    return (slice(None),) * (axis % _rank(x))


# --- without NaN -----------------------------------------------------------------------------------------------------
def _without_nan(a: Any, fill: float) -> tuple[Any, Any]:
    x = tensor_of_any(a)
    if x.dtype.kind not in "fc":
        return x, None
    bad = ops.IsNan(x) if x.dtype.kind == "f" else ops.LogicalOr(ops.IsNan(ops.real(x)), ops.IsNan(ops.imag(x)))
    return ops.where(bad, convert_to_tensor(fill, x.dtype), x), bad


@implements(np.nansum)
def _nansum(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Any:
    return np.sum(_without_nan(a, 0)[0], axis=axis, dtype=dtype, keepdims=keepdims)


@implements(np.nanprod)
def _nanprod(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False) -> Any:
    return np.prod(_without_nan(a, 1)[0], axis=axis, dtype=dtype, keepdims=keepdims)


@implements(np.nancumsum)
def _nancumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return np.cumsum(_without_nan(a, 0)[0], axis=axis, dtype=dtype)


@implements(np.nancumprod)
def _nancumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return np.cumprod(_without_nan(a, 1)[0], axis=axis, dtype=dtype)


@implements(np.nanmean)
def _nanmean(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    x, bad = _without_nan(_measured(a), 0)
    count = ops.reduce_sum(ops.cast(ops.LogicalNot(bad), x.dtype), axis, keepdims)
    return ops.reduce_sum(x, axis, keepdims) / count


@implements(np.nanvar)
def _nanvar(a: Any, axis: Any = None, *, ddof: float = 0, keepdims: bool = False) -> Any:
    x, bad = _without_nan(_measured(a), 0)
    good = ops.cast(ops.LogicalNot(bad), x.dtype)
    count = ops.reduce_sum(good, axis, True)
    off = ops.abs((x - ops.reduce_sum(x, axis, True) / count) * good)
    total = ops.reduce_sum(ops.Square(off), axis, keepdims)
    degrees = ops.real(ops.reduce_sum(good, axis, keepdims)) - float(ddof)
    return total / degrees


@implements(np.nanstd)
def _nanstd(a: Any, axis: Any = None, *, ddof: float = 0, keepdims: bool = False) -> Any:
    return ops.Sqrt(_nanvar(a, axis, ddof=ddof, keepdims=keepdims))


def _nan_extreme(op: str, fill: float) -> Any:
    def rule(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        x, bad = _without_nan(a, fill)
        found = getattr(ops, op)(x, axis, keepdims)
        if bad is None:
            return found
        empty = ops.reduce_all(bad, axis, keepdims)
        return ops.where(empty, convert_to_tensor(math.nan, x.dtype), found)

    return rule


_nanmax = implements(np.nanmax)(_nan_extreme("reduce_max", -math.inf))
_nanmin = implements(np.nanmin)(_nan_extreme("reduce_min", math.inf))


# --- order -----------------------------------------------------------------------------------------------------------
def _one_axis(x: Any, axis: Any) -> tuple[Any, list[int]]:
    """`x` with the axes to reduce joined at the end, and which they were."""
    rank = _rank(x)
    gone = list(range(rank)) if axis is None else [i % rank for i in np.atleast_1d(axis).tolist()]
    kept = [i for i in range(rank) if i not in gone]
    turned = ops.transpose(x, kept + gone) if gone != list(range(rank - len(gone), rank)) else x
    if len(gone) == 1:
        return turned, gone
    lead = ops.Shape(turned)[: len(kept)]
    return ops.Reshape(turned, ops.concat([lead, [-1]], 0)), gone


def _quantiles(a: Any, q: Any, axis: Any, keepdims: bool, method: str) -> Any:
    x = _measured(a)
    if x.dtype.is_complex:
        raise TypeError("a must be an array of real numbers")
    x, gone = _one_axis(x, axis)
    rank = _rank(x) - 1 + len(gone)
    part = ops.cast(q, x.dtype) if is_tensor_like(q) else convert_to_tensor(np.asarray(q, x.dtype.as_numpy_dtype))
    values = ops.sort(x, axis=-1)
    last = ops.cast(_count(x, -1), x.dtype) - convert_to_tensor(1, x.dtype)
    at = part * last
    below, above = ops.Floor(at), ops.Ceil(at)

    def pick(places: Any) -> Any:
        return ops.gather(values, ops.cast(ops.Reshape(places, [-1]), dtypes.int32), axis=-1)

    if method == "linear":
        low, high = pick(below), pick(above)
        weight = ops.Reshape(at - below, [-1])
        found = ops.where(
            ops.Less(weight, convert_to_tensor(0.5, x.dtype)),
            low + (high - low) * weight,
            high - (high - low) * (1 - weight),
        )
    elif method in ("lower", "higher", "nearest"):
        found = pick({"lower": below, "higher": above, "nearest": ops.Rint(at)}[method])
    else:
        found = (pick(below) + pick(above)) / 2
    any_nan = ops.reduce_any(ops.IsNan(x), -1, True)
    found = ops.where(any_nan, convert_to_tensor(math.nan, x.dtype), found)
    order = [_rank(found) - 1, *range(_rank(found) - 1)]
    found = ops.transpose(found, order)
    rest = ops.Shape(found)[1:]
    if keepdims:
        for place in sorted(gone):
            rest = ops.concat([rest[:place], [1], rest[place:]], 0)
    found = ops.Reshape(found, ops.concat([ops.Shape(part), rest], 0))
    lead = () if part.dims is None else part.dims
    kept = [d for i, d in enumerate(tensor_of_any(a).dims) if keepdims or i not in gone]
    found.set_shape([*lead, *(1 if keepdims and i in gone else d for i, d in enumerate(kept))])
    assert rank >= 0
    return found


_METHODS = ("linear", "lower", "higher", "nearest", "midpoint")


@implements(np.quantile)
def _quantile(a: Any, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False) -> Any:
    return _quantiles(a, q, axis, keepdims, method) if method in _METHODS else NotImplemented


@implements(np.percentile)
def _percentile(a: Any, q: Any, axis: Any = None, *, method: str = "linear", keepdims: bool = False) -> Any:
    if method not in _METHODS:
        return NotImplemented
    q = q / 100 if is_tensor_like(q) else np.true_divide(q, 100)
    return _quantiles(a, q, axis, keepdims, method)


@implements(np.median)
def _median(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _quantiles(a, 0.5, axis, keepdims, "midpoint")


@implements(np.partition)
def _partition(a: Any, kth: Any, axis: Any = -1) -> Any:
    return np.sort(a, axis=axis)


@implements(np.argpartition)
def _argpartition(a: Any, kth: Any, axis: Any = -1) -> Any:
    return np.argsort(a, axis=axis)


@implements(np.lexsort)
def _lexsort(keys: Any, axis: int = -1) -> Any:
    if axis != -1:
        return NotImplemented
    rows = [tensor_of_any(k) for k in (ops.unstack(tensor_of_any(keys)) if is_tensor_like(keys) else keys)]
    if any(_rank(r) != 1 for r in rows):
        return NotImplemented
    order = np.argsort(rows[0])
    for row in rows[1:]:
        order = ops.gather(order, np.argsort(ops.gather(row, order)))
    return order


@implements(np.searchsorted)
def _searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    rows, values = together([a, v])
    if sorter is not None:
        rows = ops.gather(rows, tensor_of_any(sorter))
    found = ops.searchsorted(rows, ops.Reshape(values, [-1]), side=side, out_type=dtypes.int64)
    return ops.Reshape(found, ops.Shape(values))


@implements(np.digitize)
def _digitize(x: Any, bins: Any, right: bool = False) -> Any:
    edges = np.asarray(bins) if not is_tensor_like(bins) else None
    if edges is None or (edges.size > 1 and edges[0] > edges[-1]):
        return NotImplemented
    return _searchsorted(bins, x, side="left" if right else "right")


@implements(np.bincount)
def _bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    places = tensor_of_any(x)
    length = ops.Maximum(ops.cast(minlength, dtypes.int64), _above(places))
    if weights is None:
        counted, kind = ops.ones_like(places, dtypes.int64), dtypes.int64
    else:
        counted, kind = ops.cast(weights, dtypes.float64), dtypes.float64
    zero = convert_to_tensor(0, kind)
    start = ops.Fill(ops.Reshape(length, [1]), zero)
    return ops.TensorScatterAdd(start, ops.ExpandDims(ops.cast(places, dtypes.int64), 1), counted)


def _above(places: Any) -> Any:
    """One more than the greatest element, 0 for none."""
    padded = ops.concat([ops.cast(places, dtypes.int64), convert_to_tensor([-1], dtypes.int64)], 0)
    return ops.reduce_max(padded) + 1


@implements(np.histogram)
def _histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> Any:
    x = _flat(_measured(a))
    if isinstance(bins, (int, np.integer)):
        low, high = (ops.reduce_min(x), ops.reduce_max(x)) if range is None else range
        low, high = ops.cast(low, x.dtype), ops.cast(high, x.dtype)
        same = ops.Equal(low, high)
        half = convert_to_tensor(0.5, x.dtype)
        low, high = ops.where(same, low - half, low), ops.where(same, high + half, high)
        edges = _linspace(low, high, int(bins) + 1)
    elif isinstance(bins, str):
        return NotImplemented
    else:
        edges = ops.cast(tensor_of_any(bins), x.dtype)
        low, high = edges[0], edges[-1]
    inside = ops.LogicalAnd(ops.GreaterEqual(x, low), ops.LessEqual(x, high))
    kept = ops.boolean_mask(x, inside)
    last = _count(edges) - 2
    place = ops.Minimum(ops.searchsorted(edges, kept, side="right", out_type=dtypes.int64) - 1, ops.cast(last, "int64"))
    chosen = None if weights is None else ops.boolean_mask(_flat(weights), inside)
    size = _count(edges) - 1
    if not isinstance(size, int):
        return NotImplemented
    counts = _bincount(place, chosen, size)
    counts.set_shape([size])
    if density:
        counts = ops.cast(counts, x.dtype)
        counts = counts / (edges[1:] - edges[:-1]) / ops.reduce_sum(counts)
    return counts, edges


# --- sets ------------------------------------------------------------------------------------------------------------
def _distinct(ar: Any, equal_nan: bool = True) -> tuple[Any, Any, Any, Any]:
    """The values in order; for each where it is first, the number of its group for each element, and the counts."""
    x = _flat(ar)
    boolean = x.dtype.is_bool
    key = ops.cast(x, dtypes.uint8) if boolean else x
    order = ops.cast(ops.argsort(key, axis=0, stable=True), dtypes.int64)
    values = ops.gather(x, order)
    fresh = ops.NotEqual(values[1:], values[:-1])
    if equal_nan and x.dtype.kind == "f":
        fresh = ops.LogicalAnd(fresh, ops.LogicalNot(ops.IsNan(values[:-1])))
    first = ops.concat([ops.ones_like(values[:1], dtypes.bool_), fresh], 0)
    group = ops.cumsum(ops.cast(first, dtypes.int64)) - 1
    inverse = ops.gather(group, ops.argsort(order, axis=0))
    counts = _bincount(group)
    return ops.boolean_mask(values, first), ops.boolean_mask(order, first), inverse, counts


@implements(np.unique)
def _unique(
    ar: Any, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False, axis: Any = None,
    *, equal_nan: bool = True, sorted: bool = True,
) -> Any:  # fmt: skip
    x = tensor_of_any(ar)
    if axis is not None or x.dtype.is_complex or x.dtype.kind == "S":
        return NotImplemented
    values, index, inverse, counts = _distinct(x, equal_nan)
    wanted = ((index, return_index), (ops.Reshape(inverse, ops.Shape(x)), return_inverse), (counts, return_counts))
    extra = [part for part, asked in wanted if asked]
    return (values, *extra) if extra else values


@implements(np.unique_all)
def _unique_all(x: Any, /) -> Any:
    values, index, inverse, counts = _distinct(x, False)
    return type(np.unique_all(np.zeros(1)))(values, index, ops.Reshape(inverse, ops.Shape(tensor_of_any(x))), counts)


@implements(np.unique_counts)
def _unique_counts(x: Any, /) -> Any:
    found = _distinct(x, False)
    return type(np.unique_counts(np.zeros(1)))(found[0], found[3])


@implements(np.unique_inverse)
def _unique_inverse(x: Any, /) -> Any:
    found = _distinct(x, False)
    inverse = ops.Reshape(found[2], ops.Shape(tensor_of_any(x)))
    return type(np.unique_inverse(np.zeros(1)))(found[0], inverse)


@implements(np.unique_values)
def _unique_values(x: Any, /) -> Any:
    return _distinct(x, False)[0]


@implements(np.isin)
def _isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None
) -> Any:  # fmt: skip
    x, chosen = together([element, test_elements])
    found = ops.reduce_any(ops.Equal(ops.ExpandDims(x, -1), ops.Reshape(chosen, [-1])), -1)
    return ops.LogicalNot(found) if invert else found


@implements(np.intersect1d)
def _intersect(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    if return_indices:
        return NotImplemented
    x = _unique(ar1)
    return ops.boolean_mask(x, _isin(x, ar2))


@implements(np.union1d)
def _union(ar1: Any, ar2: Any) -> Any:
    return _unique(ops.concat([_flat(v) for v in together([ar1, ar2])], 0))


@implements(np.setdiff1d)
def _difference(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    x = _flat(ar1) if assume_unique else _unique(ar1)
    return ops.boolean_mask(x, _isin(x, ar2, invert=True))


@implements(np.setxor1d)
def _symmetric_difference(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    x, y = together([ar1, ar2])
    return _unique(ops.concat([_difference(x, y), _difference(y, x)], 0))


# --- parts -----------------------------------------------------------------------------------------------------------
@implements(np.take_along_axis)
def _take_along_axis(arr: Any, indices: Any, axis: Any = -1) -> Any:
    x, places = tensor_of_any(arr), tensor_of_any(indices)
    if axis is None:
        x, axis = ops.Reshape(x, [-1]), 0
    rank = _rank(x)
    axis = axis % rank
    shape = ops.Shape(places)
    key = []
    for i in range(rank):
        if i == axis:
            key.append(places)
        else:
            along = ops.range(shape[i] if places.dims[i] != 1 or x.dims[i] == 1 else ops.Shape(x)[i])
            key.append(ops.Reshape(along, [-1 if j == i else 1 for j in range(rank)]))
    return x[tuple(key)]


@implements(np.compress)
def _compress(condition: Any, a: Any, axis: Any = None) -> Any:
    x = _flat(a) if axis is None else tensor_of_any(a)
    kept = np.nonzero(_boolean(tensor_of_any(condition)))[0]
    return ops.gather(x, kept, axis=0 if axis is None else axis)


@implements(np.extract)
def _extract(condition: Any, arr: Any) -> Any:
    return ops.boolean_mask(_flat(arr), _flat(_boolean(tensor_of_any(condition))))


@implements(np.flatnonzero)
def _flatnonzero(a: Any) -> Any:
    return np.nonzero(_flat(a))[0]


@implements(np.select)
def _select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    *choices, found = together([*choicelist, default])
    for condition, choice in reversed(list(zip(condlist, choices))):
        found = ops.where(tensor_of_any(condition), choice, found)
    return found


@implements(np.choose)
def _choose(a: Any, choices: Any, *, mode: str = "raise") -> Any:
    places = tensor_of_any(a)
    parts = together(ops.unstack(tensor_of_any(choices)) if is_tensor_like(choices) else choices)
    if mode == "wrap":
        places = ops.FloorMod(places, convert_to_tensor(len(parts), places.dtype))
    elif mode == "clip":
        places = np.clip(places, 0, len(parts) - 1)
    found = parts[0]
    for i, part in enumerate(parts[1:], 1):
        found = ops.where(ops.Equal(places, convert_to_tensor(i, places.dtype)), part, found)
    return ops.broadcast_to(found, ops.broadcast_dynamic_shape(ops.Shape(found), ops.Shape(places)))


@implements(np.piecewise)
def _piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    t = tensor_of_any(x)
    conditions = [_boolean(tensor_of_any(c)) for c in condlist]
    results = [f(t, *args, **kw) if callable(f) else f for f in funclist]
    otherwise = results[len(conditions)] if len(results) > len(conditions) else 0
    found = ops.zeros_like(t) + ops.cast(otherwise, t.dtype)
    for condition, result in zip(conditions, results):
        found = ops.where(condition, ops.cast(result, t.dtype), found)
    return found


@implements(np.delete)
def _delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    x = _flat(arr) if axis is None else tensor_of_any(arr)
    axis = 0 if axis is None else axis
    size = x.dims[axis]
    if size is None or is_tensor_like(obj):
        return NotImplemented
    return ops.gather(x, np.delete(np.arange(size), obj), axis=axis)


@implements(np.insert)
def _insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    x = _flat(arr) if axis is None else tensor_of_any(arr)
    axis = 0 if axis is None else axis
    if not isinstance(obj, (int, np.integer)) or (_rank(x) > 1 and np.ndim(values) != 0):
        return NotImplemented
    lead = _lead(x, axis)
    new = ops.cast(values, x.dtype)
    before, after = x[(*lead, slice(None, int(obj)))], x[(*lead, slice(int(obj), None))]
    if _rank(x) > 1:
        new = ops.BroadcastTo(new, ops.Shape(x[(*lead, slice(0, 1))]))
    return ops.concat([before, ops.Reshape(new, [-1]) if _rank(x) == 1 else new, after], axis)


def _split_along(axis: int) -> Any:
    return lambda ary, indices_or_sections: np.split(
        tensor_of_any(ary), indices_or_sections, 0 if axis == 1 and _rank(tensor_of_any(ary)) == 1 else axis
    )


implements(np.vsplit)(_split_along(0))
implements(np.hsplit)(_split_along(1))
implements(np.dsplit)(_split_along(2))


@implements(np.array_split)
def _array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    x = tensor_of_any(ary)
    if not isinstance(indices_or_sections, (int, np.integer)):
        return np.split(x, indices_or_sections, axis)
    size = x.dims[axis]
    if size is None:
        return NotImplemented
    each, extra = divmod(size, int(indices_or_sections))
    sizes = [each + 1] * extra + [each] * (int(indices_or_sections) - extra)
    return np.split(x, np.cumsum(sizes)[:-1], axis)


@implements(np.unstack)
def _unstack(x: Any, /, *, axis: int = 0) -> Any:
    return tuple(ops.unstack(tensor_of_any(x), axis=axis))


@implements(np.dstack)
def _dstack(tup: Any) -> Any:
    return np.concatenate([np.atleast_3d(tensor_of_any(x)) for x in tup], 2)


@implements(np.atleast_3d)
def _atleast_3d(*arys: Any) -> Any:
    found = []
    for x in map(tensor_of_any, arys):
        rank = _rank(x)
        shape = {0: [1, 1, 1], 1: [1, -1, 1]}.get(rank)
        found.append(ops.Reshape(x, shape) if shape else ops.ExpandDims(x, -1) if rank == 2 else x)
    return found[0] if len(found) == 1 else tuple(found)


@implements(np.block)
def _block(arrays: Any) -> Any:
    def depth_of(part: Any) -> int:
        return 1 + depth_of(part[0]) if isinstance(part, list) else 0

    depth = depth_of(arrays)

    def joined(part: Any, level: int) -> Any:
        if not isinstance(part, list):
            x = tensor_of_any(part)
            for _ in range(max(0, depth - _rank(x))):
                x = ops.ExpandDims(x, 0)
            return x
        return np.concatenate([joined(p, level + 1) for p in part], axis=-(depth - level))

    return joined(arrays, 0)


@implements(np.rot90)
def _rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    first, second = axes
    for _ in range(k % 4):
        m = np.flip(np.swapaxes(m, first, second), first)
    return m


@implements(np.rollaxis)
def _rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    rank = _rank(tensor_of_any(a))
    axis, start = axis % rank, start + rank if start < 0 else start
    return np.moveaxis(a, axis, start - 1 if axis < start else start)


@implements(np.broadcast_arrays)
def _broadcast_arrays(*args: Any) -> Any:
    found = [tensor_of_any(a) for a in args]
    shape = ops.Shape(found[0])
    for x in found[1:]:
        shape = ops.broadcast_dynamic_shape(shape, ops.Shape(x))
    return tuple(ops.broadcast_to(x, shape) for x in found)


@implements(np.ix_)
def _ix(*args: Any) -> Any:
    found = [tensor_of_any(a) for a in args]
    found = [np.nonzero(x)[0] if x.dtype.is_bool else x for x in found]
    count = len(found)
    return tuple(ops.Reshape(x, [-1 if i == j else 1 for j in range(count)]) for i, x in enumerate(found))


# --- products and sums over windows ----------------------------------------------------------------------------------
@implements(np.kron)
def _kron(a: Any, b: Any) -> Any:
    x, y = together([a, b])
    rank = max(_rank(x), _rank(y))
    x, y = (ops.Reshape(v, ops.concat([[1] * (rank - _rank(v)), ops.Shape(v)], 0)) for v in (x, y))
    size = ops.Shape(x) * ops.Shape(y)
    for i in range(rank):
        x, y = ops.ExpandDims(x, 2 * i + 1), ops.ExpandDims(y, 2 * i)
    return ops.Reshape(ops.times(x, y), size)


@implements(np.cross, np.linalg.cross)
def _cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:  # fmt: skip
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = together([a, b])
    x, y = np.moveaxis(x, axisa, -1), np.moveaxis(y, axisb, -1)
    if x.dims[-1] not in (3, None) or y.dims[-1] not in (3, None):
        return NotImplemented  # vectors of two elements
    parts = [
        x[..., i] * y[..., j] - x[..., j] * y[..., i] for i, j in ((1, 2), (2, 0), (0, 1))
    ]  # fmt: skip
    return ops.stack(parts, axisc if _rank(parts[0]) else 0)


implements(np.linalg.outer)(lambda x, y, /: np.outer(x, y))
implements(np.linalg.matmul)(lambda x1, x2, /: matmul(*together([x1, x2])))
implements(np.linalg.matrix_transpose)(lambda x, /: np.swapaxes(x, -1, -2))
implements(np.linalg.vecdot)(lambda x1, x2, /, *, axis=-1: _vecdot(x1, x2, axis))
implements(np.linalg.tensordot)(lambda x1, x2, /, *, axes=2: np.tensordot(x1, x2, axes))
implements(np.linalg.diagonal)(lambda x, /, *, offset=0: np.diagonal(x, offset, -2, -1))
implements(np.linalg.trace)(lambda x, /, *, offset=0, dtype=None: np.trace(x, offset, -2, -1, dtype))


def _vecdot(a: Any, b: Any, axis: int) -> Any:
    x, y = together([a, b])
    return ops.reduce_sum(ops.times(ops.conj(np.moveaxis(x, axis, -1)), np.moveaxis(y, axis, -1)), -1)


def _correlated(a: Any, v: Any, mode: str) -> Any:
    """The sum of a[k + i] v[i] over i, for each place k where at least one term exists."""
    x, y = together([a, v])
    n, m = x.dims[0], y.dims[0]
    if n is None or m is None or _rank(x) != 1 or _rank(y) != 1 or x.dtype.is_bool:
        return NotImplemented
    padded = ops.PadV2(x, [[m - 1, m - 1]], convert_to_tensor(0, x.dtype))
    windows = ops.gather(padded, np.arange(n + m - 1)[:, None] + np.arange(m))
    full = ops.reduce_sum(windows * y, 1)
    if mode == "full":
        return full
    size, short = max(n, m), min(n, m)
    if mode == "valid":
        return full[short - 1 : size]
    start = (short - 1) // 2 if n >= m else short // 2
    return full[start : start + size]


@implements(np.convolve)
def _convolve(a: Any, v: Any, mode: str = "full") -> Any:
    x, y = together([a, v])
    if x.dims[0] is not None and y.dims[0] is not None and y.dims[0] > x.dims[0]:
        x, y = y, x
    return _correlated(x, ops.ReverseV2(y, [0]), mode)


@implements(np.correlate)
def _correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    x, y = together([a, v])
    return _correlated(x, ops.conj(y), mode)


@implements(np.trapezoid)
def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    t = _measured(y)
    lead = _lead(t, axis)
    if x is None:
        width = dx
    else:
        points = np.diff(_measured(x), axis=-1 if _rank(tensor_of_any(x)) == 1 else axis)
        if _rank(points) == 1:
            points = ops.Reshape(points, [-1 if i == axis % _rank(t) else 1 for i in range(_rank(t))])
        width = points
    after, before = t[(*lead, slice(1, None))], t[(*lead, slice(None, -1))]
    return ops.reduce_sum(np.multiply(width, after + before) / 2.0, axis)


@implements(np.gradient)
def _gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    t = _measured(f)
    axes = list(range(_rank(t))) if axis is None else np.atleast_1d(axis).tolist()
    steps = list(varargs) or [1.0]
    steps = steps * len(axes) if len(steps) == 1 else steps
    if edge_order != 1 or any(_rank(tensor_of_any(h)) for h in steps) or len(steps) != len(axes):
        return NotImplemented
    found = []
    for place, h in zip(axes, steps):
        lead = _lead(t, place)
        h = ops.cast(h, t.dtype)
        inner = (t[(*lead, slice(2, None))] - t[(*lead, slice(None, -2))]) / (h * 2.0)
        first = (t[(*lead, slice(1, 2))] - t[(*lead, slice(0, 1))]) / h
        last = (t[(*lead, slice(-1, None))] - t[(*lead, slice(-2, -1))]) / h
        found.append(ops.concat([first, inner, last], place))
    return found[0] if len(found) == 1 else tuple(found)


@implements(np.ediff1d)
def _ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    x = _flat(ary)
    parts = [p for p in (to_begin, x[1:] - x[:-1], to_end) if p is not None]
    return ops.concat([_flat(ops.cast(p, x.dtype)) for p in parts], 0)


@implements(np.cumulative_sum)
def _cumulative_sum(
    x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: bool = False
) -> Any:  # fmt: skip
    return _cumulative(np.cumsum, 0, x, axis, dtype, include_initial)


@implements(np.cumulative_prod)
def _cumulative_prod(
    x: Any, /, *, axis: Any = None, dtype: Any = None, include_initial: bool = False
) -> Any:  # fmt: skip
    return _cumulative(np.cumprod, 1, x, axis, dtype, include_initial)


def _cumulative(function: Any, neutral: int, x: Any, axis: Any, dtype: Any, include_initial: bool) -> Any:
    t = tensor_of_any(x)
    if axis is None:
        if _rank(t) != 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    found = function(t, axis=axis, dtype=dtype)
    if not include_initial:
        return found
    shape = [1 if i == axis % _rank(found) else ops.Shape(found)[i] for i in range(_rank(found))]
    start = ops.Fill(convert_to_tensor(shape), convert_to_tensor(neutral, found.dtype))
    return ops.concat([start, found], axis)


@implements(np.interp)
def _interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    if period is not None:
        return NotImplemented
    t, points, values = (_floating(v) for v in together([x, xp, fp]))
    flat = ops.Reshape(t, [-1])
    last = ops.Shape(points)[0] - 1
    high = ops.clip_by_value(ops.searchsorted(points, flat, side="right"), ops.Minimum(1, last), last)
    low = ops.Maximum(high - 1, 0)
    x0, x1, y0, y1 = (ops.gather(v, i) for v, i in ((points, low), (points, high), (values, low), (values, high)))
    width = ops.where(ops.Equal(x0, x1), ops.ones_like(x0), x1 - x0)
    found = y0 + (y1 - y0) / width * (flat - x0)
    found = ops.where(ops.LessEqual(flat, points[0]), values[0], found)
    found = ops.where(ops.GreaterEqual(flat, points[-1]), values[-1], found)
    if left is not None:
        found = ops.where(ops.Less(flat, points[0]), ops.cast(left, t.dtype), found)
    if right is not None:
        found = ops.where(ops.Greater(flat, points[-1]), ops.cast(right, t.dtype), found)
    return ops.Reshape(found, ops.Shape(t))


@implements(np.polyval)
def _polyval(p: Any, x: Any) -> Any:
    coefficients, t = together([p, x])
    found = ops.zeros_like(t)
    if coefficients.dims is None or coefficients.dims[0] is None:
        return NotImplemented
    for c in ops.unstack(coefficients):
        found = found * t + c
    return found


@implements(np.vander)
def _vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    t = tensor_of_any(x)
    count = N if N is not None else t.dims[0]
    if count is None:
        return NotImplemented
    columns = [ops.ones_like(t)]
    for _ in range(count - 1):
        columns.append(columns[-1] * t)
    columns = columns[:count]
    return ops.stack(columns if increasing else columns[::-1], 1)


@implements(np.cov)
def _cov(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Any = None) -> Any:
    x = np.atleast_2d(_measured(m))
    if not rowvar and _rank(tensor_of_any(m)) == 2:
        x = ops.transpose(x)
    if y is not None:
        other = np.atleast_2d(_measured(y))
        if not rowvar and _rank(tensor_of_any(y)) == 2:
            other = ops.transpose(other)
        x = ops.concat(together([x, other]), 0)
    off = x - ops.reduce_mean(x, 1, True)
    degrees = ops.cast(ops.Shape(x)[1], x.dtype) - float((0 if bias else 1) if ddof is None else ddof)
    found = ops.matmul(off, ops.transpose(ops.conj(off))) / degrees
    return ops.Reshape(found, []) if found.dims == (1, 1) else found


@implements(np.corrcoef)
def _corrcoef(x: Any, y: Any = None, rowvar: bool = True) -> Any:
    c = _cov(x, y, rowvar)
    if _rank(c) == 0:
        return c / c
    deviation = ops.Sqrt(ops.real(ops.diag_part(c)))
    if c.dtype.is_complex:
        return NotImplemented
    found = c / ops.ExpandDims(deviation, 1) / ops.ExpandDims(deviation, 0)
    return np.clip(found, -1, 1)


# --- making ----------------------------------------------------------------------------------------------------------
@implements(np.linspace)
def _linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, axis: int = 0
) -> Any:  # fmt: skip
    low, high = (_floating(v) for v in together([start, stop]))
    low, high = np.broadcast_arrays(low, high) if low.dims != high.dims else (low, high)
    if is_tensor_like(num) or axis != 0:
        return NotImplemented
    pieces = num - 1 if endpoint else num
    step = (high - low) / float(max(pieces, 1))
    places = convert_to_tensor(np.arange(num).reshape(-1, *[1] * _rank(low)), low.dtype)
    found = low + places * step
    if endpoint and num > 1:
        found = ops.concat([found[:-1], ops.ExpandDims(high, 0)], 0)
    if dtype is not None:
        found = ops.cast(ops.Floor(found) if _dtype(dtype).is_integer else found, _dtype(dtype))
    return (found, step) if retstep else found


@implements(np.logspace)
def _logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None, axis: int = 0
) -> Any:  # fmt: skip
    found = _linspace(start, stop, num, endpoint, axis=axis)
    return found if found is NotImplemented else _typed(ops.Pow(ops.cast(base, found.dtype), found), dtype)


@implements(np.i0)
def _i0(x: Any) -> Any:
    return ops.BesselI0(_floating(tensor_of_any(x)))


@implements(np.fix)
def _fix(x: Any) -> Any:
    return np.trunc(x)


@implements(np.isposinf)
def _isposinf(x: Any) -> Any:
    t = _floating(tensor_of_any(x))
    return ops.Equal(t, convert_to_tensor(math.inf, t.dtype))


@implements(np.isneginf)
def _isneginf(x: Any) -> Any:
    t = _floating(tensor_of_any(x))
    return ops.Equal(t, convert_to_tensor(-math.inf, t.dtype))


@implements(np.iscomplex)
def _iscomplex(x: Any) -> Any:
    return ops.NotEqual(ops.imag(tensor_of_any(x)), ops.zeros_like(ops.imag(tensor_of_any(x))))


@implements(np.isreal)
def _isreal(x: Any) -> Any:
    return ops.LogicalNot(_iscomplex(x))


@implements(np.astype)
def _astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    return ops.cast(tensor_of_any(x), _dtype(dtype))


@implements(np.apply_along_axis)
def _apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    x = np.moveaxis(tensor_of_any(arr), axis, -1)
    lead = x.dims[:-1]
    if None in lead:
        return NotImplemented
    rows = [func1d(row, *args, **kwargs) for row in ops.unstack(ops.Reshape(x, [-1, ops.Shape(x)[-1]]))]
    found = ops.stack([tensor_of_any(r) for r in rows])
    rest = list(found.dims[1:])
    shaped = ops.Reshape(found, [*lead, *rest])
    return np.moveaxis(shaped, -1, axis) if len(rest) == 1 else shaped


@implements(np.unravel_index)
def _unravel_index(indices: Any, shape: Any, order: str = "C") -> Any:
    if order != "C":
        return NotImplemented
    places = tensor_of_any(indices)
    rest, found = places, []
    for size in reversed(list(shape) if hasattr(shape, "__iter__") else [shape]):
        size = ops.cast(size, places.dtype)
        found.append(ops.FloorMod(rest, size))
        rest = ops.FloorDiv(rest, size)
    return tuple(ops.cast(p, dtypes.int64) for p in reversed(found))


@implements(np.ravel_multi_index)
def _ravel_multi_index(multi_index: Any, dims: Any, mode: str = "raise", order: str = "C") -> Any:
    if order != "C" or mode != "raise":
        return NotImplemented
    found = None
    for places, size in zip(multi_index, dims):
        places = ops.cast(tensor_of_any(places), dtypes.int64)
        found = places if found is None else found * ops.cast(size, dtypes.int64) + places
    return found


@implements(np.polyfit)
def _polyfit(x: Any, y: Any, deg: int) -> Any:
    points, values = (_floating(v) for v in together([x, y]))
    if _rank(values) != 1:
        return NotImplemented
    powers = _vander(points, int(deg) + 1)
    scale = ops.Sqrt(ops.reduce_sum(powers * powers, 0))
    found = np.linalg.lstsq(powers / scale, values)[0]
    return found / scale
