"""What NumPy's functions on tensors do with their arguments."""

from __future__ import annotations

from typing import Any

from graphrt.numpy_api.operands import numeric, rank_of, tensor_of_any
from graphrt.ops.array.shape import Reshape, Shape
from graphrt.ops.math.casting import cast
from graphrt.ops.support.kernel_helpers import place_in
from graphrt.tensor.tensor import Tensor
from graphrt.types import dtype as dtypes
from graphrt.types.likes import TensorLike

__all__: list[str] = []


def flattened(a: TensorLike) -> Any:
    return Reshape(tensor_of_any(a), [-1])


def size_along(x: Any, axis: int = 0) -> Any:
    size = x.dims[axis]
    return size if size is not None else Shape(x)[axis]


def in_floats(a: TensorLike) -> Tensor:
    x = tensor_of_any(a)
    return x if x.dtype.kind in "fc" else cast(numeric(x), dtypes.float64)


def leading_slices(x: TensorLike, axis: int) -> tuple[slice, ...]:
    return (slice(None),) * (place_in(axis, rank_of(x)))
