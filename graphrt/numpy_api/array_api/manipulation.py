"""Functions of shapes."""

from __future__ import annotations

import operator
from typing import Any

import numpy

from graphrt.numpy_api.array_api.data_types import array_of, result_type
from graphrt.ops.array.concat_split import unstack as unstack_
from graphrt.ops.array.shape import Squeeze
from graphrt.ops.array.shape import broadcast_to as broadcast_to_
from graphrt.ops.array.shape import reshape as reshape_
from graphrt.ops.math.casting import cast
from graphrt.ops.support.shape_rules import size_list
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import AxisLike, ShapeLike, TensorLike
from graphrt.types.nesting import bounded

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


def _places(axis: Any) -> tuple[int, ...]:
    """One dimension or several as numbers of Python's: what is none is refused before NumPy compares it."""
    try:
        return (operator.index(axis),)
    except TypeError:
        return tuple(map(operator.index, axis))


def broadcast_arrays(*arrays: TensorLike) -> list[Tensor]:
    """The arrays in their common shape."""
    return list(np.broadcast_arrays(*map(array_of, arrays)))


def broadcast_to(x: TensorLike, /, shape: ShapeLike) -> Tensor:
    """`x` repeated to fill `shape`."""
    return broadcast_to_(array_of(x), size_list(shape))


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that arrays of these shapes have together (2025.12).

    Raises:
      ValueError: they do not fit.
    """
    return tuple(np.broadcast_shapes(*(tuple(s) for s in shapes)))


def concat(arrays: Any, /, *, axis: AxisLike = 0) -> Tensor:
    """The arrays one after the other along `axis`; all flattened when it is None."""
    found = [array_of(x) for x in arrays]
    dtype = result_type(*found)
    return np.concatenate([cast(x, dtype) for x in found], axis=axis)


def expand_dims(x: Tensor, /, axis: int = 0) -> Tensor:
    """A dimension of size 1 at `axis` (or at each of several).

    Raises:
      IndexError: there is no such place.
    """
    x = array_of(x)
    axes = _places(axis)
    rank = None if x.ndim is None else x.ndim + len(axes)
    for place in axes:
        if rank is not None and not -rank <= place < rank:
            raise IndexError(f"axis {place} is out of bounds for an array of {rank} dimensions")
    return np.expand_dims(x, axis)


def flip(x: TensorLike, /, *, axis: AxisLike = None) -> Tensor:
    """The elements in reverse order along `axis` (all when None)."""
    return np.flip(array_of(x), axis)


@bounded
def moveaxis(x: TensorLike, source: TensorLike, destination: TensorLike, /) -> Tensor:
    """Dimensions moved to other places."""
    return np.moveaxis(array_of(x), source, destination)


@bounded
def permute_dims(x: TensorLike, /, axes: AxisLike) -> Tensor:
    """The dimensions in the order of `axes`."""
    return np.permute_dims(array_of(x), axes)


def repeat(x: TensorLike, repeats: TensorLike, /, *, axis: AxisLike = None) -> Tensor:
    """Each element several times along `axis` (flattened when None)."""
    return np.repeat(array_of(x), repeats, axis)


def reshape(x: TensorLike, /, shape: ShapeLike, *, copy: bool | None = None) -> Tensor:
    """The same elements in another shape."""
    return reshape_(array_of(x), size_list(shape))


def roll(x: TensorLike, /, shift: TensorLike, *, axis: AxisLike = None) -> Tensor:
    """The elements moved along `axis`; those that leave come in at the other end."""
    return np.roll(array_of(x), shift, axis)


@bounded
def squeeze(x: Tensor, /, axis: int | tuple[int, ...]) -> Tensor:
    """Without the dimensions `axis`, which have size 1.

    Raises:
      ValueError: one has another size.
    """
    x = array_of(x)
    places = _places(axis)
    if x.dims is not None:
        for place in places:
            if not -len(x.dims) <= place < len(x.dims):
                raise ValueError(f"axis {place} is out of bounds for an array of {len(x.dims)} dimensions")
            if x.dims[place] not in (1, None):
                raise ValueError(f"cannot squeeze out axis {place}, which has size {x.dims[place]}")
    return Squeeze(x, squeeze_dims=list(places)) if places else x


def stack(arrays: Any, /, *, axis: int = 0) -> Tensor:
    """The arrays along a new dimension."""
    found = [array_of(x) for x in arrays]
    dtype = result_type(*found)
    return np.stack([cast(x, dtype) for x in found], axis)


def tile(x: TensorLike, repetitions: TensorLike, /) -> Tensor:
    """`x` several times beside itself."""
    return np.tile(array_of(x), repetitions)


def unstack(x: TensorLike, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The parts along `axis`."""
    return tuple(unstack_(array_of(x), axis=axis))
