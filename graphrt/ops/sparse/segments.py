"""Segments and counts of rows that indices choose."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import ones, ones_like
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.gather_scatter import gather, whole
from graphrt.ops.array.repetition import repeat
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import reshape
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.math.arithmetic import Maximum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import GreaterEqual, Less, LessEqual
from graphrt.ops.math.elementwise import Sqrt
from graphrt.ops.math.logical import LogicalAnd
from graphrt.ops.math.reduction import Max, reduce_all
from graphrt.ops.math.segments import UnsortedSegmentSum
from graphrt.ops.sparse.elements import groups
from graphrt.ops.sparse.functions import assert_holds
from graphrt.ops.sparse.tensor import SparseTensor
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import INDEX, int32, int64
from graphrt.types.likes import AxisLike, TensorLike

__all__ = ["bincount", "segment_mean", "segment_sqrt_n", "segment_sum"]


# --- segments --------------------------------------------------------------------------------------------------------
def _segments(
    data: TensorLike, indices: Any, segment_ids: Any, num_segments: Any, sparse_gradient: bool, op: str
) -> Tensor:
    x: Any = as_tensor(data)
    none = np.zeros(0, np.int32)  # an empty list has no dtype
    at, ids = (as_tensor(none if isinstance(v, list) and not v else v) for v in (indices, segment_ids))
    rows = shape_(x, out_type=at.dtype)[0]
    inside = LogicalAnd(GreaterEqual(at, as_tensor(0, at.dtype)), Less(at, rows))
    assert_holds(reduce_all(inside), "Bad: an index is out of range of the rows of data")
    assert_holds(reduce_all(LessEqual(ids[:-1], ids[1:])), "segment ids are not increasing")
    assert_holds(reduce_all(GreaterEqual(ids[:1], as_tensor(0, ids.dtype))), "segment ids must be >= 0")
    if num_segments is None:
        count: Any = concat([as_tensor([-1], ids.dtype), ids], 0)[-1] + as_tensor(1, ids.dtype)
    else:
        count = cast(as_tensor(num_segments), ids.dtype)
        assert_holds(reduce_all(Less(ids, count)), "segment ids must be < num_segments")
    total = UnsortedSegmentSum(gather(x if sparse_gradient else whole(x), at), ids, count)
    if op == "sum":
        return total
    sizes = UnsortedSegmentSum(ones_like(cast(ids, x.dtype)), ids, count)
    sizes = Maximum(sizes, as_tensor(1, x.dtype))
    if op == "sqrt":
        sizes = Sqrt(sizes)
    if x.dims is None:
        return total / reshape(sizes, concat([[-1], ones_like(shape_(x)[1:])], 0))
    return total / reshape(sizes, [-1, *[1] * (len(x.dims) - 1)])


def segment_sum(
    data: TensorLike, indices: TensorLike, segment_ids: TensorLike, num_segments: TensorLike | None = None,
    name: str | None = None, sparse_gradient: bool = False
) -> Tensor:  # fmt: skip
    """The sum of the rows `indices` of `data`, for each segment.

    >>> import graphrt as tf
    >>> tf.sparse.segment_sum([[1.], [2.], [3.]], [0, 2, 1], [0, 0, 1]).numpy().tolist()
    [[4.0], [2.0]]

    Raises:
      InvalidArgumentError: an index is out of range, or the segments are out of order.
    """
    return _segments(data, indices, segment_ids, num_segments, sparse_gradient, "sum")


def segment_mean(
    data: TensorLike, indices: TensorLike, segment_ids: TensorLike, num_segments: Any = None, name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:  # fmt: skip
    """The mean of the rows `indices` of `data`, for each segment.

    >>> import graphrt as tf
    >>> tf.sparse.segment_mean([[1.], [2.], [3.]], [0, 2, 1], [0, 0, 1]).numpy().tolist()
    [[2.0], [2.0]]
    """
    return _segments(data, indices, segment_ids, num_segments, sparse_gradient, "mean")


def segment_sqrt_n(
    data: TensorLike, indices: TensorLike, segment_ids: TensorLike, num_segments: Any = None, name: str | None = None,
    sparse_gradient: bool = False,
) -> Tensor:  # fmt: skip
    """The sum of the rows `indices` of `data` over the square root of their number, for each segment.

    >>> import graphrt as tf
    >>> tf.sparse.segment_sqrt_n([[1.], [2.], [4.]], [0, 2, 1], [0, 1, 2]).numpy().tolist()
    [[1.0], [4.0], [2.0]]
    """
    return _segments(data, indices, segment_ids, num_segments, sparse_gradient, "sqrt")


def bincount(
    values: Any, weights: TensorLike | None = None, axis: AxisLike = 0, minlength: int | None = None,
    maxlength: int | None = None, binary_output: bool = False, name: str | None = None
) -> SparseTensor:  # fmt: skip
    """How often each integer occurs: in all of `values`, or (axis -1) in each row.

    >>> import graphrt as tf
    >>> tf.sparse.bincount([1, 1, 5]).values.numpy().tolist()
    [2, 1]

    Raises:
      ValueError: `axis` is neither 0 nor -1.
    """
    if axis not in (0, -1, None):
        raise ValueError(errors.at_user_line(f"Unsupported axis value {axis}. Only 0 and -1 are currently supported."))
    if isinstance(values, SparseTensor):
        flat: Tensor = values.values
        rows: Any = values.indices[:, 0]
        height: Any = values.dense_shape[0]
        by_row = axis == -1
    elif hasattr(values, "value_rowids"):
        flat, rows, height = values.flat_values, values.value_rowids(), values.nrows()
        by_row = axis == -1
    else:
        x: Any = as_tensor(values)
        x = x[None] if x.dims == () else x
        by_row = axis == -1 and len(x.dims) == 2
        flat = reshape(x, [-1])
        height = shape_(x, out_type=int64)[0]
        rows = repeat(range_(height, dtype=int64), shape_(x)[1]) if by_row else None
    counted = flat.dtype if flat.dtype in INDEX else int32 if flat.dtype.size < 4 else int64
    flat = cast(flat, int64)
    if weights is None:
        count: Any = ones(shape_(flat), dtype=counted)
    else:
        given = getattr(weights, "flat_values", None)
        given = getattr(weights, "values", None) if given is None and not isinstance(weights, Tensor) else given
        count = reshape(as_tensor(weights if given is None else given), [-1])
    if maxlength is not None:
        kept = reshape(where(Less(flat, as_tensor(maxlength, int64))), [-1])
        flat, count = gather(flat, kept), gather(count, kept)
        rows = None if rows is None else gather(rows, kept)
    if maxlength is None:
        least = 0 if isinstance(values, SparseTensor) else -1  # what is not there counts as 0
        width = Max(concat([as_tensor([least], int64), flat], 0), np.int32(0)) + np.int64(1)
        width = width if minlength is None else Maximum(width, as_tensor(minlength, int64))
    else:
        width = as_tensor(maxlength, int64)
    at = flat[:, None] if not by_row else stack([cast(rows, int64), flat], axis=1)
    shape = width[None] if not by_row else stack([cast(height, int64), width])
    places, ids = groups(at, shape)
    total = UnsortedSegmentSum(count, ids, shape_(places, out_type=int64)[0])
    return SparseTensor(places, ones_like(total) if binary_output else total, shape)
