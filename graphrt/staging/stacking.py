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

from graphrt import errors
from graphrt.ir.op import ops  # late: start-up, the backend is registered by `import graphrt`
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, static_array
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


def in_a_row(handle: TensorLike, dtype: DType, dims: Dims) -> tuple[Tensor, Tensor]:
    """The elements one behind the other along their first dimension, and their sizes in it."""
    shape = shape_argument(dims and (None, *dims[1:]))
    found, sizes = ops.TensorListConcatV2(handle, shape, np.zeros(0, np.int64), element_dtype=dtype)
    if dims is not None:
        found.set_shape(TensorShape((None, *dims[1:])))
    return like(found, handle), sizes


def joined_rows(handle: TensorLike, dtype: DType, dims: Dims, axis: Any) -> Tensor:
    """The elements one behind the other along their dimension `axis`; they may differ in the first, if it is that.

    Raises:
      ValueError: they have no such dimension, or only the graph knows which it is.
    """
    at = axis if isinstance(axis, int) else static_array(convert_to_tensor(axis))
    rank = None if dims is None else len(dims)
    if at is None or (rank is None and at < 0) or (rank is not None and not -rank <= at < rank):
        known = f"is {int(at)}, of elements of shape {TensorShape(dims)}" if at is not None else "only the graph knows"
        text = (
            f"the tensors of a list that grew in staged code are joined along an axis that they have: this one {known}"
        )
        raise ValueError(errors.at_user_line(text))
    place = int(at) % rank if rank else int(at)
    if place == 0:
        found = in_a_row(handle, dtype, dims)[0]
    else:
        rows = stacked(handle, dtype, dims)
        order = [*range(1, place + 1), 0, *range(place + 1, (rank or 0) + 1)]
        moved = ops.transpose(rows, order)
        sizes = ops.Shape(moved)
        found = ops.Reshape(moved, ops.concat([sizes[:place], [-1], sizes[place + 2 :]], 0))
    if dims is not None:
        found.set_shape(TensorShape((*dims[:place], None, *dims[place + 1 :])))
    result: Tensor = like(found, handle)
    return result


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
