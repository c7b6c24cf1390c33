"""The zero frequency of a spectrum in the middle, and back at its place."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.array.padding import roll
from graphrt.ops.array.shape import Rank, Shape
from graphrt.ops.math.division import FloorMod
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.likes import AxisLike

__all__ = ["fftshift", "ifftshift"]


def _shifted(x: TensorLike, axes: Any, up: bool, name: str | None) -> Tensor:
    with scope(name, "fftshift" if up else "ifftshift"):
        x = as_tensor(x)
        if axes is None:
            if x.dims is None:
                raise ValueError(errors.at_user_line("a tensor of unknown rank needs axes"))
            axes = list(range(len(x.dims)))
        found = [int(a) for a in np.ravel(np.asarray(axes))]
        if x.dims == () and found:
            raise errors.ShapeError(errors.at_user_line("Shape must be at least rank 1 but is rank 0"))
        if not found:
            return x
        sizes = gather(Shape(x), [a % len(x.dims) for a in found] if x.dims is not None else FloorMod(found, Rank(x)))
        half = sizes // 2
        return roll(x, half if up else 0 - half, found)


def fftshift(x: TensorLike, axes: AxisLike = None, name: str | None = None) -> Tensor:
    """`x` with the zero frequency moved to the middle of each of `axes` (default: all).

    >>> import graphrt as tf
    >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy().tolist()
    [-2, -1, 0, 1, 2]
    """
    return _shifted(x, axes, True, name)


def ifftshift(x: TensorLike, axes: AxisLike = None, name: str | None = None) -> Tensor:
    """What `fftshift` moved, moved back.

    >>> import graphrt as tf
    >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy().tolist()
    [0, 1, 2, -2, -1]
    """
    return _shifted(x, axes, False, name)
