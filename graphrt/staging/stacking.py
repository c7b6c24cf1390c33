"""The elements of a list whose length only the graph knows as one tensor, also where there are none in it.

rows = []
for v in x:                 the shape of `v` is known only when the graph runs: that of no elements never is
    if keep(v):
        rows.append(v)
rows.extend(others)         joins none with those of any shape
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.ir.op import ops  # late: start-up, the backend is registered by `import graphrt`
from graphrt.tensor.tensor import Tensor
from graphrt.tensor.weak import like, united, weak_type
from graphrt.types.dtype import DType
from graphrt.types.likes import TensorLike
from graphrt.types.shape import Dims, TensorShape


def shape_argument(dims: Dims) -> Any:
    """What is known of a shape, as list ops take it."""
    return np.int32(-1) if dims is None else np.array([-1 if d is None else d for d in dims], np.int32)


def stacked(handle: TensorLike, dtype: DType, dims: Dims, none: bool = False) -> Tensor:
    """The elements along a new first dimension; with `none`, sizes that nobody knows are 0 where there are no elements."""
    shape = shape_argument(dims)
    if none and dims and None in dims:
        shape = ops.SelectV2(ops.Equal(ops.TensorListLength(handle), 0), np.maximum(shape, 0), shape)
    found: Tensor = ops.TensorListStack(handle, shape, element_dtype=dtype)
    if dims is not None:
        found.set_shape(TensorShape((None, *dims)))
    return found


def concatenated(a: Tensor, b: Tensor) -> Tensor:
    """The rows of two lists one behind the other: of those of one dtype, where they are numbers of Python."""
    both = [a, b]
    if all(weak_type(v) is not None for v in both):
        both = united(both)
    if not all(v.shape[1:].is_fully_defined() for v in both):
        both = [_as_wide(*both), _as_wide(*reversed(both))]
    found: Tensor = like(ops.concat(both, 0), both[0])
    return found


def _as_wide(rows: Tensor, others: Tensor) -> Tensor:
    """`rows`, which have the shape of `others` where there are none."""
    own, other = ops.Shape(rows), ops.Shape(others)
    shape = ops.SelectV2(ops.Equal(own[0], 0), ops.concat([own[:1], other[1:]], 0), own)
    found: Tensor = like(ops.Reshape(rows, shape), rows)
    return found
