"""Positions, order, sets, and parts by position."""

from __future__ import annotations

from typing import Any

import numpy

from graphrt.numpy_api.array_api.data_types import array_of
from graphrt.ops.array.shape import Shape
from graphrt.ops.math.casting import cast
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import AxisLike, TensorLike
from graphrt.types.nesting import bounded

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


def argmax(x: TensorLike, /, *, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """Position of the first maximum along `axis`; in the flat array when None."""
    return np.argmax(array_of(x), axis=axis, keepdims=keepdims)


def argmin(x: TensorLike, /, *, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """Position of the first minimum along `axis`; in the flat array when None."""
    return np.argmin(array_of(x), axis=axis, keepdims=keepdims)


def argsort(x: TensorLike, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The positions that sort along `axis`; equal elements keep their order.

    >>> import graphrt as tf
    >>> tf.array_api.argsort(tf.constant([1, 2, 1]), descending=True).numpy().tolist()
    [1, 0, 2]
    """
    x = array_of(x)
    if not descending:
        return np.argsort(x, axis=axis)
    backwards = np.flip(np.argsort(np.flip(x, axis), axis=axis), axis)
    return cast(Shape(x)[axis] - 1, backwards.dtype) - backwards


def count_nonzero(x: TensorLike, /, *, axis: AxisLike = None, keepdims: bool = False) -> Tensor:
    """How many elements are not zero, int64."""
    return cast(np.count_nonzero(array_of(x), axis=axis, keepdims=keepdims), "int64")


@bounded
def isin(x1: TensorLike, x2: TensorLike, /, *, invert: bool = False) -> Tensor:
    """Whether each element of `x1` is an element of `x2` (2025.12)."""
    return np.isin(x1 if not hasattr(x1, "dtype") else array_of(x1), x2, invert=invert)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """Where elements are not zero: positions, an array for each dimension.

    Raises:
      ValueError: `x` has no dimensions.
    """
    x = array_of(x)
    if x.ndim == 0:
        raise ValueError("nonzero is not defined for arrays without dimensions")
    return tuple(np.nonzero(x))


def searchsorted(x1: TensorLike, x2: TensorLike, /, *, side: str = "left", sorter: TensorLike | None = None) -> Tensor:
    """Where the elements of `x2` would be put into the sorted `x1`."""
    return np.searchsorted(array_of(x1), array_of(x2), side, sorter)


def sort(x: TensorLike, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    """The elements in order along `axis`."""
    found = np.sort(array_of(x), axis=axis)
    return np.flip(found, axis) if descending else found


def take(x: Tensor, indices: TensorLike, /, *, axis: AxisLike = None) -> Tensor:
    """The elements at the positions `indices` along `axis`, which only arrays of one dimension may leave out.

    Raises:
      ValueError: `axis` is missing.
    """
    x = array_of(x)
    if axis is None:
        if x.ndim != 1:
            raise ValueError("axis must be given for an array of more than one dimension")
        axis = 0
    return np.take(x, array_of(indices), axis)


def take_along_axis(x: TensorLike, indices: TensorLike, /, *, axis: int = -1) -> Tensor:
    """The elements at positions that differ from row to row."""
    return np.take_along_axis(array_of(x), array_of(indices), axis)


def unique_all(x: TensorLike, /) -> Any:
    """The distinct values, where each is first, which of them each element is, and how often each occurs."""
    return np.unique_all(array_of(x))


def unique_counts(x: TensorLike, /) -> Any:
    """The distinct values, and how often each occurs."""
    return np.unique_counts(array_of(x))


def unique_inverse(x: TensorLike, /) -> Any:
    """The distinct values, and which of them each element is."""
    return np.unique_inverse(array_of(x))


def unique_values(x: TensorLike, /) -> Tensor:
    """The distinct values."""
    return np.unique_values(array_of(x))


def where(condition: TensorLike, x1: TensorLike, x2: TensorLike, /) -> Tensor:
    """`x1` where the condition holds, `x2` elsewhere."""
    return np.where(array_of(condition), x1, x2)
