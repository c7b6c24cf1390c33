"""`x[rows, columns]`: NumPy's indexing by arrays of positions and by masks beside slices, as gathers.

x[i]            i: integers of any shape       ->  GatherV2
x[i, :, j]      several arrays                 ->  the dimensions of i and j together come first
x[:, i, j]      arrays side by side            ->  they stand where the arrays stood
x[[0, 1]]       where `tnp.experimental_enable_numpy_behavior` asks for it, else `x[0, 1]`
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import provide
from graphrt.ops.array.concat_split import stack, unstack
from graphrt.ops.array.gather_scatter import gather, gather_nd
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import BroadcastTo, Shape, broadcast_dynamic_shape, transpose
from graphrt.ops.array.slicing import getitem
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Less
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.promotion import conversion
from graphrt.tensor.tensor import Tensor, static_array
from graphrt.types.dtype import int32, int64

__all__: list[str] = []


@provide
def is_array(item: Any) -> bool:
    """Whether an index is an array of positions or a mask, rather than one position, a slice, `...` or None."""
    if isinstance(item, tuple) and not (item and all(isinstance(i, (bool, np.bool_)) for i in item)):
        return conversion() is not None and _is_array_like(item)  # else positions within a tuple are no array
    if isinstance(item, range):
        return conversion() is not None
    if isinstance(item, (list, tuple, np.ndarray)):
        return _is_array_like(item)
    if isinstance(item, Tensor) or hasattr(item, "__tf_tensor__"):
        tensor = convert_to_tensor(item)
        return bool(tensor.dims) and tensor.dtype.kind in "iub"
    return False


def _is_array_like(item: Any) -> bool:
    if isinstance(item, (list, tuple)) and _has_tensor(item):
        return True
    try:
        found = np.asarray(item)
    except ValueError:
        return False  # lists of different lengths
    return (found.ndim > 0 and found.dtype.kind in "iub") or found.size == 0


def _has_tensor(items: Any) -> bool:
    return any(_has_tensor(i) if isinstance(i, (list, tuple)) else isinstance(i, Tensor) for i in items)


def _positions(item: Any) -> list[Any]:
    """An index as integer tensors, one for each dimension that it picks from."""
    if not isinstance(item, Tensor):
        item = (
            convert_to_tensor(item, int32) if isinstance(item, (list, tuple)) and not item else convert_to_tensor(item)
        )
    if item.dtype.is_bool:
        return list(unstack(where(item), num=len(item.dims), axis=1))
    return [item if item.dtype in (int32, int64) else cast(item, int64)]


@provide
def gather_items(tensor: Any, items: tuple[Any, ...]) -> Tensor:
    """`tensor[items]`, where at least one item is an array of positions or a mask.

    Raises:
      TypeError: the rank of the tensor is not known.
      InvalidArgumentError: a position is out of range.
    """
    if tensor.dims is None:
        raise TypeError(errors.at_user_line("indexing by arrays needs a tensor of known rank; set_shape can tell it"))
    expanded: list[Any] = []
    for item in items:
        if is_array(item):
            expanded += _positions(item)
        else:
            expanded.append(item)
    used = sum(1 for i in expanded if i is not None and i is not Ellipsis)
    if Ellipsis in [i for i in expanded if i is Ellipsis]:
        at = next(n for n, i in enumerate(expanded) if i is Ellipsis)
        expanded[at : at + 1] = [slice(None)] * (len(tensor.dims) - used)
    else:
        expanded += [slice(None)] * (len(tensor.dims) - used)
    if used > len(tensor.dims):
        raise IndexError(
            errors.at_user_line(
                f"too many indices for tensor: tensor is {len(tensor.dims)}-dimensional, but {used} were indexed"
            )
        )
    places = [n for n, i in enumerate(expanded) if i is not None and type(i) is not slice]
    arrays = [expanded[n] if isinstance(expanded[n], Tensor) else convert_to_tensor(expanded[n]) for n in places]
    basic = tuple(slice(None) if n in places else i for n, i in enumerate(expanded))
    if any(i is None or (type(i) is slice and i != slice(None)) for i in basic):
        tensor = getitem(tensor, basic)
    return _gathered(tensor, places, arrays)


def _gathered(tensor: Any, places: list[int], arrays: list[Any]) -> Tensor:
    if len(arrays) == 1:
        return gather(tensor, _counted_from_0(tensor, places[0], arrays[0]), axis=places[0])
    kind = int64 if any(a.dtype is int64 for a in arrays) else int32
    arrays = [cast(_counted_from_0(tensor, n, a), kind) for n, a in zip(places, arrays)]
    shape, dims = Shape(arrays[0]), arrays[0].dims
    for array in arrays[1:]:
        shape = broadcast_dynamic_shape(shape, Shape(array))
        dims = _broadcast(dims, array.dims)
    rest = [n for n in range(len(tensor.dims)) if n not in places]
    order = places + rest
    turned = transpose(tensor, order) if order != sorted(order) else tensor
    spread = [BroadcastTo(a, shape) for a in arrays]
    for array in spread:
        array.set_shape(dims)
    found = gather_nd(turned, stack(spread, -1))
    together = places == list(range(places[0], places[0] + len(places)))
    if not together or places[0] == 0 or dims is None:
        return found
    new, before, total = len(dims), places[0], len(found.shape)
    return transpose(found, [*range(new, new + before), *range(new), *range(new + before, total)])


def _broadcast(a: tuple[int | None, ...], b: tuple[int | None, ...]) -> tuple[int | None, ...]:
    if a is None or b is None:
        return None
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    shorter = (1,) * (len(longer) - len(shorter)) + tuple(shorter)
    return tuple(y if x == 1 else x if y == 1 or x == y else x if y is None else y for x, y in zip(longer, shorter))


def _counted_from_0(tensor: Tensor, axis: int, positions: Tensor) -> Tensor:
    """Positions with those that count from the end replaced."""
    known = static_array(positions)
    if known is not None and (not np.size(known) or np.min(known) >= 0):
        return positions
    size = cast(Shape(tensor)[axis], positions.dtype)
    return where(Less(positions, convert_to_tensor(0, positions.dtype)), positions + size, positions)
