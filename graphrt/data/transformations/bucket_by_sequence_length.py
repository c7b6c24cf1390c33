"""`Dataset.bucket_by_sequence_length`: padded batches of elements of about the same length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.dataset import Dataset
from graphrt.data.methods import transformation
from graphrt.data.transformations.padded_batch import as_shapes
from graphrt.ops.array.concat_split import Pack
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.io.printing import AssertOp
from graphrt.ops.math.arg_extrema import ArgMax
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Less, LessEqual
from graphrt.ops.math.logical import LogicalAnd
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import int32, int64
from graphrt.types.shape import Dims, dims_of


@transformation
def bucket_by_sequence_length(
    self: Dataset, element_length_func: Callable[..., Any], bucket_boundaries: Any, bucket_batch_sizes: Any,
    padded_shapes: Any = None, padding_values: Any = None, pad_to_bucket_boundary: bool = False,
    no_padding: bool = False, drop_remainder: bool = False, name: str | None = None,
) -> Dataset:  # fmt: skip
    """Padded batches of elements of about the same length.

    Elements are sorted by `element_length_func` into the buckets between `bucket_boundaries`; `bucket_batch_sizes`
    has one size more than there are boundaries.

    >>> import graphrt as tf
    >>> words = tf.data.Dataset.from_generator(
    ...     lambda: iter([[1], [1, 2, 3], [4], [4, 5]]), output_signature=tf.TensorSpec([None], tf.int32))
    >>> buckets = words.bucket_by_sequence_length(lambda w: tf.shape(w)[0], [2], [2, 2])
    >>> [x.tolist() for x in buckets.as_numpy_iterator()]
    [[[1], [4]], [[1, 2, 3], [4, 5, 0]]]

    Raises:
      ValueError: the number of sizes does not fit.
    """
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError(
            errors.at_user_line(
                f"`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1`, found "
                f"{len(bucket_batch_sizes)} and {len(bucket_boundaries)}"
            )
        )
    bounds = list(bucket_boundaries)

    def bucket(*element: Tensor) -> Tensor:
        length = cast(element_length_func(*element), int64)
        if not bounds:
            return zeros_like(length)
        ends = np.array([int64.min, *bounds, int64.max], np.int64)  # boundaries need not be sorted: the first that fits
        inside = LogicalAnd(LessEqual(ends[:-1], length), Less(length, ends[1:]))
        return ArgMax(cast(inside, int32), 0)

    def size_of(key: Tensor) -> Tensor:
        return gather(convert_to_tensor(list(bucket_batch_sizes), dtype=int64), key)

    def batches(key: Tensor, window: Dataset) -> Dataset:
        size = size_of(key)
        if no_padding:
            return window.batch(size, drop_remainder=drop_remainder)
        if not pad_to_bucket_boundary:
            return window.padded_batch(size, padded_shapes, padding_values, drop_remainder)
        message = "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
        AssertOp(Less(key, np.int64(len(bounds))), [convert_to_tensor(message)])
        room = gather(convert_to_tensor([b - 1 for b in bounds] + [0], dtype=int64), key)
        shapes = self.element_spec if padded_shapes is None else as_shapes(padded_shapes, self.element_spec)
        targets = st.map_leaves(lambda s: filled_shape(dims_of(getattr(s, "shape", s)), room), shapes)
        return window.padded_batch(size, targets, padding_values, drop_remainder)

    return self.group_by_window(bucket, batches, window_size_func=size_of, name=name)


def filled_shape(dims: Dims, room: Any) -> Any:
    """`dims` as an int64 tensor, with `room` for what is unknown."""
    parts = [room if n is None else convert_to_tensor(n, dtype=int64) for n in dims or ()]
    return Pack(parts) if parts else convert_to_tensor([], dtype=int64)
