"""Where the least, or the greatest, elements stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define, provide
from graphrt.ops.support.kernel_helpers import is_whole
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import INDEX, REAL, DType, as_dtype
from graphrt.types.likes import Array, AxisLike, DTypeLike
from graphrt.types.shape import Dims

__all__ = ["argmax", "argmin"]


# --- positions of extrema --------------------------------------------------------------------------------------------
def _position_dims(c: InferContext) -> Dims:
    dims, axis_dims = c.dims(0), c.dims(1)
    if axis_dims is not None and len(axis_dims) != 0:
        raise ShapeError(f"Shape must be rank 0 but is rank {len(axis_dims)}")
    if dims is None:
        return None
    axis = c.const(1)
    if axis is None and len(dims) == 1:
        return ()
    if axis is None:
        return (None,) * (len(dims) - 1)
    place = int(axis.reshape(-1)[0])
    if not -len(dims) <= place < len(dims):
        raise ShapeError(
            f"Dimension ({place}) must be in the range [-{len(dims)}, {len(dims)}), "
            f"where {len(dims)} is the number of dimensions in the input."
        )
    place %= len(dims)
    return tuple(d for i, d in enumerate(dims) if i != place)


def _position(function: Any, worst: float) -> Callable[..., Any]:
    def kernel(input: Any, dimension: Array, *, output_type: DType) -> Array:
        if np.ndim(dimension):
            raise errors.InvalidArgumentError(
                None, None, f"dim must be a scalar, but received tensor of shape: {list(np.shape(dimension))}"
            )
        axis = int(dimension)
        rank = input.ndim
        if not -rank <= axis < rank:
            raise errors.InvalidArgumentError(
                None, None, f"Expected dimension in the range [{-rank}, {rank}), but got {axis}"
            )
        if input.shape[axis] == 0:
            raise errors.InvalidArgumentError(
                None, None, f"Reduction axis {axis % rank} is empty in shape {list(input.shape)}".replace(", ", ",")
            )
        if not is_whole(input.dtype):
            input = np.where(np.isnan(input), input.dtype.type(worst), input)  # NaN is never the best
        return function(input, axis).astype(output_type.as_numpy_dtype)

    return kernel


def _positions(type_: str, function: object, worst: float, results: tuple[DType, ...]) -> OpDef:
    return define(
        type_, "input: T, dimension: Tidx -> output: output_type",
        attrs="Tidx: type = int32; output_type: type = int64",
        allowed={"T": (*REAL, dtypes.bool_), "Tidx": (dtypes.int16, *INDEX), "output_type": results},
        infer=_position_dims, kernel=_position(function, worst), vjp=lambda c, g: [None, None],
    )  # fmt: skip


ArgMax = _positions("ArgMax", np.argmax, -np.inf, (dtypes.int16, dtypes.uint16, dtypes.int32, dtypes.int64))
ArgMin = _positions("ArgMin", np.argmin, np.inf, (dtypes.int32, dtypes.int64))


@provide
def argmax(
    input: TensorLike, axis: AxisLike = None, output_type: DTypeLike = dtypes.int64, name: str | None = None
) -> Tensor:
    """The index of the greatest element along `axis` (0 when None), of the first one where there are several.

    >>> import graphrt as tf
    >>> tf.argmax([[1, 9], [7, 2]], axis=1).numpy().tolist()
    [1, 0]

    Raises:
      InvalidArgumentError: there is no such axis, or it is empty.
    """
    return ArgMax(input, 0 if axis is None else axis, output_type=as_dtype(output_type or dtypes.int64), name=name)


@provide
def argmin(
    input: TensorLike, axis: AxisLike = None, output_type: DTypeLike = dtypes.int64, name: str | None = None
) -> Tensor:
    """The index of the least element along `axis` (0 when None), of the first one where there are several.

    >>> import graphrt as tf
    >>> tf.argmin([[1, 9], [7, 2]], axis=1).numpy().tolist()
    [0, 1]

    Raises:
      InvalidArgumentError: there is no such axis, or it is empty.
    """
    return ArgMin(input, 0 if axis is None else axis, output_type=as_dtype(output_type or dtypes.int64), name=name)
