"""What functions take in place of a tensor, a dtype, a shape or an axis, and what kernels work on: names for annotations.

A parameter of type `TensorLike` takes whatever `tf.convert_to_tensor` does; what a function gives is a `Tensor`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import EllipsisType
from typing import Any, Protocol, SupportsIndex, TypeAlias

import numpy as np

from graphrt.types.dtype import DType
from graphrt.types.shape import TensorShape

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
"""The elements that a kernel takes and gives. Of rank 0 it is a NumPy scalar, which has the methods of an array."""

Scalar: TypeAlias = int | float | complex | str | bytes


class HasDType(Protocol):
    """A tensor of any kind: dense, a variable, ragged, sparse, one of a keras model that is being described."""

    @property
    def dtype(self) -> DType:
        """The type of its elements."""

    @property
    def shape(self) -> TensorShape:
        """What is known of its shape."""


class HasArray(Protocol):
    """What NumPy can make an array of: an array, a NumPy scalar, a column of a table, an array of another library."""

    def __array__(self) -> Array:
        """The elements."""


TensorLike: TypeAlias = HasDType | HasArray | Scalar | Sequence["TensorLike"]
"""A tensor, or what becomes one: numbers, texts, arrays, nested sequences of all these."""

DTypeLike: TypeAlias = DType | str | int | type | np.dtype[Any] | HasDType
"""A dtype, its name or its number in GraphDef, NumPy's dtype, or the type of Python or NumPy that stands for it."""

ShapeLike: TypeAlias = TensorShape | HasDType | Array | SupportsIndex | Sequence[Any] | None
"""A static shape, or the elements of one: sizes, None where one is unknown; None where even the rank is."""

AxisLike: TypeAlias = int | Sequence[int] | HasDType | Array | np.integer[Any] | None
"""An axis or several, counted from the end when negative; None stands for all."""

Index: TypeAlias = SupportsIndex | slice | EllipsisType | HasDType | Array | Sequence["Index"] | None
"""What stands in brackets behind a tensor."""

PerAxis: TypeAlias = int | Sequence[int]
"""A size for all axes, or one for each: strides, windows, dilations."""

Padding: TypeAlias = str | Sequence[Sequence[int]]
"""How a window goes over an edge: "SAME", "VALID", or how many elements are added before and after each axis."""

PathLike: TypeAlias = str | bytes | os.PathLike[str]
"""The place of a file."""

Filenames: TypeAlias = PathLike | Sequence[PathLike] | HasDType
"""The places of several files, or of one: text, or a tensor or a dataset of texts."""
