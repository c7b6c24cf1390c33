"""NumPy's functions that pick parts of arrays, on tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from graphrt import errors
from graphrt.numpy_api.arguments import flattened, leading_slices
from graphrt.numpy_api.operands import (
    as_booleans,
    as_places,
    held_in,
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
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import BroadcastTo, ExpandDims, Reshape, Shape, broadcast_dynamic_shape, broadcast_to
from graphrt.ops.array.slicing import boolean_mask
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, GreaterEqual, Less, LessEqual
from graphrt.ops.math.division import FloorMod
from graphrt.ops.math.logical import LogicalAnd
from graphrt.ops.math.reduction import reduce_all
from graphrt.ops.support.kernel_helpers import place_in
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike

__all__: list[str] = []

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


# --- parts -----------------------------------------------------------------------------------------------------------
@implements(np.take_along_axis)
def _take_along_axis(arr: TensorLike, indices: TensorLike, axis: int = -1) -> Tensor:
    x, places = tensor_of_any(arr), tensor_of_any(indices)
    if axis is None:
        x, axis = Reshape(x, [-1]), 0
    rank = rank_of(x)
    axis = place_in(axis, rank)
    if rank_of(places) != rank:
        raise ValueError(
            errors.at_user_line(f"indices must have the rank of the array, {rank}, found {rank_of(places)}")
        )
    shape = Shape(places)
    key = []
    for i in range(rank):
        if i == axis:
            key.append(places)
        else:
            along = range_(shape[i] if places.dims[i] != 1 or x.dims[i] == 1 else Shape(x)[i])
            key.append(Reshape(along, [-1 if j == i else 1 for j in range(rank)]))
    return x[tuple(key)]


@implements(np.compress)
def _compress(condition: TensorLike, a: TensorLike, axis: int | None = None) -> Tensor:
    x = flattened(a) if axis is None else tensor_of_any(a)
    mask = as_booleans(tensor_of_any(condition))
    if rank_of(mask) != 1:
        refuse("condition must be a 1-d array")
    kept = np.nonzero(mask)[0]
    return gather(x, kept, axis=0 if axis is None else axis)


@implements(np.extract)
def _extract(condition: TensorLike, arr: TensorLike) -> Tensor:
    return boolean_mask(flattened(arr), flattened(as_booleans(tensor_of_any(condition))))


@implements(np.flatnonzero)
def _flatnonzero(a: TensorLike) -> Tensor:
    return np.nonzero(flattened(a))[0]


@implements(np.select)
def _select(condlist: Any, choicelist: Any, default: float = 0) -> Tensor:
    if len(condlist) != len(choicelist):
        refuse("list of cases must be same length as list of conditions")
    *choices, found = together([*choicelist, default])
    for condition, choice in reversed(list(zip(condlist, choices))):
        mask = tensor_of_any(condition)
        if not mask.dtype.is_bool:
            raise TypeError(errors.at_user_line(f"a condition must be of booleans, found {mask.dtype.name}"))
        found = where(mask, choice, found)
    return found


@implements(np.choose)
def _choose(a: TensorLike, choices: TensorLike, *, mode: str = "raise") -> Tensor:
    places = tensor_of_any(a)
    parts = together(unstack(tensor_of_any(choices)) if is_tensor_like(choices) else choices)
    if mode not in ("raise", "wrap", "clip"):
        refuse(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    places = as_places(places)
    if mode == "wrap":
        places = FloorMod(places, convert_to_tensor(len(parts), places.dtype))
    elif mode == "clip":
        places = np.clip(places, 0, len(parts) - 1)
    else:
        inside = LogicalAnd(GreaterEqual(places, 0), Less(places, len(parts)))
        require(reduce_all(inside), ValueError("invalid entry in choice array"))
    found = parts[0]
    for i, part in enumerate(parts[1:], 1):
        found = where(Equal(places, convert_to_tensor(i, places.dtype)), part, found)
    return broadcast_to(found, broadcast_dynamic_shape(Shape(found), Shape(places)))


@implements(np.piecewise)
def _piecewise(
    x: TensorLike, condlist: Any, funclist: list[Callable[..., Any] | float], *args: Any, **kw: Any
) -> Tensor:
    t = tensor_of_any(x)
    conditions = [as_booleans(tensor_of_any(c)) for c in condlist]
    if len(funclist) not in (len(conditions), len(conditions) + 1):
        refuse(f"{len(conditions)} conditions need as many functions, or one more, found {len(funclist)}")
    if not all(c.shape.is_compatible_with(conditions[0].shape) for c in conditions):
        refuse("the conditions must have one shape")
    results = [f(t, *args, **kw) if callable(f) else f for f in funclist]
    otherwise = results[len(conditions)] if len(results) > len(conditions) else 0
    found = zeros_like(t) + cast(otherwise, t.dtype)
    for condition, result in zip(conditions, results):
        found = where(condition, cast(result, t.dtype), found)
    return found


@implements(np.delete)
def _delete(arr: TensorLike, obj: TensorLike, axis: Any = None) -> Tensor:
    x = flattened(arr) if axis is None else tensor_of_any(arr)
    axis = 0 if axis is None else axis
    size = x.dims[axis]
    if size is None or is_tensor_like(obj):
        return NotImplemented
    return gather(x, np.delete(np.arange(size), obj), axis=axis)


@implements(np.insert)
def _insert(arr: TensorLike, obj: TensorLike, values: TensorLike, axis: int | None = None) -> Tensor:
    x = flattened(arr) if axis is None else tensor_of_any(arr)
    axis = 0 if axis is None else axis
    if not isinstance(obj, (int, np.integer)) or (rank_of(x) > 1 and np.ndim(values) != 0):
        return NotImplemented
    lead = leading_slices(x, axis)
    size = x.dims[axis]
    if size is not None and not -size <= obj <= size:
        raise IndexError(errors.at_user_line(f"index {obj} is out of bounds for axis {axis} with size {size}"))
    if size is None:
        if obj < 0:
            return NotImplemented
        require(LessEqual(int(obj), Shape(x)[axis]), IndexError(f"index {obj} is out of bounds for axis {axis}"))
    new = cast(held_in(values, x.dtype), x.dtype)
    before, after = x[(*lead, slice(None, int(obj)))], x[(*lead, slice(int(obj), None))]
    if rank_of(x) > 1:
        new = BroadcastTo(new, Shape(x[(*lead, slice(0, 1))]))
    return concat([before, Reshape(new, [-1]) if rank_of(x) == 1 else new, after], axis)


def _split_along(name: str, axis: int, least: int) -> Callable[..., Any]:
    def rule(ary: TensorLike, indices_or_sections: TensorLike) -> Any:
        x = tensor_of_any(ary)
        if rank_of(x) < least and strictly():
            refuse(f"{name} only works on arrays of {least} or more dimensions")
        return np.split(x, indices_or_sections, 0 if axis == 1 and rank_of(x) == 1 else axis)

    return rule


implements(np.vsplit)(_split_along("vsplit", 0, 2))
implements(np.hsplit)(_split_along("hsplit", 1, 1))
implements(np.dsplit)(_split_along("dsplit", 2, 3))


@implements(np.array_split)
def _array_split(ary: TensorLike, indices_or_sections: TensorLike, axis: int = 0) -> list[Tensor]:
    x = tensor_of_any(ary)
    if not isinstance(indices_or_sections, (int, np.integer)):
        return np.split(x, indices_or_sections, axis)
    if indices_or_sections < 1:
        refuse("number sections must be larger than 0.")
    size = x.dims[axis]
    if size is None:
        return NotImplemented
    each, extra = divmod(size, int(indices_or_sections))
    sizes = [each + 1] * extra + [each] * (int(indices_or_sections) - extra)
    return np.split(x, np.cumsum(sizes)[:-1], axis)


@implements("unstack")
def _unstack(x: TensorLike, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    return tuple(unstack(tensor_of_any(x), axis=axis))


@implements(np.dstack)
def _dstack(tup: Any) -> Tensor:
    return np.concatenate([np.atleast_3d(tensor_of_any(x)) for x in tup], 2)


@implements(np.atleast_3d)
def _atleast_3d(*arys: TensorLike) -> Any:
    found = []
    for x in map(tensor_of_any, arys):
        rank = rank_of(x)
        shape = {0: [1, 1, 1], 1: [1, -1, 1]}.get(rank)
        found.append(Reshape(x, shape) if shape else ExpandDims(x, -1) if rank == 2 else x)
    return found[0] if len(found) == 1 else tuple(found)


@implements(np.block)
def _block(arrays: TensorLike) -> Tensor:
    def depth_of(part: TensorLike) -> int:
        return 1 + depth_of(part[0]) if isinstance(part, list) else 0

    depth = depth_of(arrays)

    def joined(part: TensorLike, level: int) -> Tensor:
        if not isinstance(part, list):
            x = tensor_of_any(part)
            for _ in range(max(0, depth - rank_of(x))):
                x = ExpandDims(x, 0)
            return x
        return np.concatenate([joined(p, level + 1) for p in part], axis=-(depth - level))

    return joined(arrays, 0)


@implements(np.rot90)
def _rot90(m: TensorLike, k: int = 1, axes: Any = (0, 1)) -> Any:
    first, second = axes
    rank = rank_of(tensor_of_any(m))
    if strictly() and not {first, second} <= set(range(-rank, rank)):
        refuse(f"Axes={tuple(axes)} out of range for array of ndim={rank}.")
    if strictly() and (first - second) % rank == 0:
        refuse("Axes must be different.")
    for _ in range(k % 4):
        m = np.flip(np.swapaxes(m, first, second), first)
    return m


@implements(np.rollaxis)
def _rollaxis(a: TensorLike, axis: int, start: int = 0) -> Tensor:
    rank = rank_of(tensor_of_any(a))
    axis, start = place_in(axis, rank), start + rank if start < 0 else start
    if not 0 <= start <= rank:
        raise np.exceptions.AxisError(f"'start' arg requires {-rank} <= start < {rank + 1}, but {start} was passed in")
    return np.moveaxis(a, axis, start - 1 if axis < start else start)


@implements(np.broadcast_arrays)
def _broadcast_arrays(*args: TensorLike) -> tuple[Tensor, ...]:
    found = [tensor_of_any(a) for a in args]
    shape = Shape(found[0])
    for x in found[1:]:
        shape = broadcast_dynamic_shape(shape, Shape(x))
    return tuple(broadcast_to(x, shape) for x in found)


@implements(np.ix_)
def _ix(*args: Any) -> Any:
    found = [tensor_of_any(a) for a in args]
    if any(rank_of(x) != 1 for x in found):
        refuse("Cross index must be 1 dimensional")
    found = [np.nonzero(x)[0] if x.dtype.is_bool else x for x in found]
    count = len(found)
    return tuple(Reshape(x, [-1 if i == j else 1 for j in range(count)]) for i, x in enumerate(found))
