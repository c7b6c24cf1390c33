"""Transformations by functions of the user's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.data import declarations as d
from graphrt.data import padding
from graphrt.data import structure as st
from graphrt.data.base import (
    AUTOTUNE,
    DatasetBase,
    DatasetSpec,
    as_long,
    checked_dataset,
    order_attr,
    trace_state,
)
from graphrt.data.traced import Traced, trace
from graphrt.ir.op import ops
from graphrt.tensor.convert import convert_to_tensor
from graphrt.types.dtype import bool_, int64
from graphrt.types.shape import TensorShape, compatible, dims_of
from graphrt.types.spec import TensorSpec

if TYPE_CHECKING:
    from graphrt.data.dataset import Dataset


class Functions(DatasetBase):
    """The methods that apply functions to elements."""

    __slots__ = ()

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: Any = None, deterministic: bool | None = None,
        synchronous: bool | None = None, use_unbounded_threadpool: bool = False, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Each element through `map_func`, which is traced once; on `num_parallel_calls` threads if given.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.range(3).map(lambda x: x * 10).as_numpy_iterator())
        [np.int64(0), np.int64(10), np.int64(20)]

        Raises:
          ValueError: `map_func` is not callable.
          TypeError: it returns what cannot be part of an element.
        """
        traced = trace(map_func, "map", [self._element_spec])
        described = st.output_attrs(traced.spec)
        if num_parallel_calls is None:
            handle = d.MapDataset(
                self._variant_tensor, traced.captured, f=traced.graph, preserve_cardinality=True,
                force_synchronous=bool(synchronous), name=name, **described,
            )  # fmt: skip
            return self._made(handle, traced.spec, "_MapDataset")
        handle = d.ParallelMapDatasetV2(
            self._variant_tensor, traced.captured, as_long(num_parallel_calls, "num_parallel_calls"), f=traced.graph,
            deterministic=order_attr(deterministic), preserve_cardinality=True, name=name,
            use_unbounded_threadpool=use_unbounded_threadpool, **described,
        )  # fmt: skip
        return self._made(handle, traced.spec, "_ParallelMapDataset")

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements for which `predicate` gives True.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.range(5).filter(lambda x: x > 2).as_numpy_iterator())
        [np.int64(3), np.int64(4)]

        Raises:
          ValueError: the predicate does not give a bool scalar.
        """
        traced = trace(predicate, "filter", [self._element_spec])
        _check_predicate(traced)
        return self._same(d.FilterDataset, "_FilterDataset", traced.captured, predicate=traced.graph, name=name)

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements before the first one for which `predicate` gives False.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.range(9).take_while(lambda x: x < 2).as_numpy_iterator())
        [np.int64(0), np.int64(1)]

        Raises:
          ValueError: the predicate does not give a bool scalar.
        """
        traced = trace(predicate, "take_while", [self._element_spec])
        _check_predicate(traced)
        return self._same(d.TakeWhileDataset, "_TakeWhileDataset", traced.captured, predicate=traced.graph, name=name)

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The elements of the datasets that `map_func` gives, one dataset after the other.

        >>> import graphrt as tf
        >>> nested = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
        >>> list(nested.flat_map(tf.data.Dataset.from_tensor_slices).as_numpy_iterator())
        [np.int32(1), np.int32(2), np.int32(3), np.int32(4)]

        Raises:
          TypeError: the function does not give a dataset.
        """
        traced = trace(map_func, "flat_map", [self._element_spec])
        spec = _inner_spec(traced, "flat_map")
        handle = d.FlatMapDataset(
            self._variant_tensor, traced.captured, f=traced.graph, name=name, **st.output_attrs(spec)
        )
        return self._made(handle, spec, "_FlatMapDataset")

    def interleave(
        self, map_func: Callable[..., Any], cycle_length: Any = None, block_length: Any = None,
        num_parallel_calls: Any = None, deterministic: bool | None = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """The elements of the datasets that `map_func` gives: `block_length` of each, `cycle_length` at a time.

        >>> import graphrt as tf
        >>> dataset = tf.data.Dataset.range(1, 4).interleave(
        ...     lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2)
        >>> [x.item() for x in dataset.as_numpy_iterator()]
        [1, 1, 2, 2, 1, 2, 3, 3, 3]

        Raises:
          TypeError: the function does not give a dataset.
        """
        traced = trace(map_func, "interleave", [self._element_spec])
        spec = _inner_spec(traced, "interleave")
        cycle = AUTOTUNE if cycle_length is None else cycle_length
        block = 1 if block_length is None else block_length
        shared = (self._variant_tensor, traced.captured, as_long(cycle, "cycle_length"), as_long(block, "block_length"))
        if num_parallel_calls is None:
            handle = d.InterleaveDataset(*shared, f=traced.graph, name=name, **st.output_attrs(spec))
            return self._made(handle, spec, "_InterleaveDataset")
        auto = as_long(AUTOTUNE, "buffer_output_elements")
        handle = d.ParallelInterleaveDatasetV4(
            *shared, auto, auto, as_long(num_parallel_calls, "num_parallel_calls"), f=traced.graph,
            deterministic=order_attr(deterministic), name=name, **st.output_attrs(spec),
        )  # fmt: skip
        return self._made(handle, spec, "_ParallelInterleaveDataset")

    def scan(self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """The outputs of `state, output = scan_func(state, element)`, from `initial_state` on.

        >>> import graphrt as tf
        >>> sums = tf.data.Dataset.range(4).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))
        >>> list(sums.as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(3), np.int64(6)]

        Raises:
          TypeError: the function does not give a pair, or a state of another type than the initial one.
        """
        spec, initial = st.to_element(initial_state)

        def pair(result: Any) -> Any:
            if not isinstance(result, (tuple, list)) or len(result) != 2:
                raise TypeError(
                    errors.at_user_line(
                        "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output "
                        f"value but its return type is {type(result).__name__}: {result!r}"
                    )
                )
            return tuple(result)

        traced, _ = trace_state(scan_func, "scan", spec, self._element_spec, pair, True)
        output = traced.spec[1]
        handle = d.ScanDataset(
            self._variant_tensor, initial, traced.captured, f=traced.graph, preserve_cardinality=True, name=name,
            **st.output_attrs(output),
        )  # fmt: skip
        return self._made(handle, output, "_ScanDataset")

    def group_by_window(
        self, key_func: Callable[..., Any], reduce_func: Callable[..., Any], window_size: Any = None,
        window_size_func: Callable[..., Any] | None = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Collects elements of the same key (an int64 scalar); each window goes through `reduce_func(key, dataset)`.

        >>> import graphrt as tf
        >>> odd_even = tf.data.Dataset.range(6).group_by_window(
        ...     lambda x: x % 2, lambda key, window: window.batch(3), window_size=3)
        >>> [x.tolist() for x in odd_even.as_numpy_iterator()]
        [[0, 2, 4], [1, 3, 5]]

        Raises:
          ValueError: not exactly one of `window_size` and `window_size_func` is given, or the key is no int64 scalar.
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                errors.at_user_line(
                    "Either the `window_size` argument or the `window_size_func` argument must be specified."
                )
            )
        key_spec = TensorSpec([], int64)
        key = trace(key_func, "group_by_window", [self._element_spec])
        _check_key(key, "key_func")
        reduce = trace(reduce_func, "group_by_window", [key_spec, DatasetSpec(self._element_spec)])
        spec = _inner_spec(reduce, "group_by_window")
        size_func = window_size_func or (lambda _: as_long(window_size, "window_size"))
        size = trace(size_func, "group_by_window", [key_spec], finish=lambda v: as_long(v, "window_size"))
        handle = d.GroupByWindowDataset(
            self._variant_tensor, key.captured, reduce.captured, size.captured, key_func=key.graph,
            reduce_func=reduce.graph, window_size_func=size.graph, name=name, **st.output_attrs(spec),
        )  # fmt: skip
        return self._made(handle, spec, "_GroupByWindowDataset")

    def bucket_by_sequence_length(
        self, element_length_func: Callable[..., Any], bucket_boundaries: Any, bucket_batch_sizes: Any,
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
        shapes = (
            padded_shapes
            if padded_shapes is not None
            else st.map_leaves(lambda s: TensorShape(s.dims), self._element_spec)
        )
        bounds = list(bucket_boundaries)

        def bucket(*element: Any) -> Any:
            length = ops.cast(element_length_func(*element), int64)
            if not bounds:
                return ops.zeros_like(length)
            below = ops.LessEqual(convert_to_tensor(bounds, dtype=int64), length)
            return ops.reduce_sum(ops.cast(below, int64), None)

        def size_of(key: Any) -> Any:
            return ops.gather(convert_to_tensor(list(bucket_batch_sizes), dtype=int64), key)

        def batches(key: Any, window: Dataset) -> Dataset:
            size = size_of(key)
            if no_padding:
                return window.batch(size, drop_remainder=drop_remainder)
            if not pad_to_bucket_boundary:
                return window.padded_batch(size, shapes, padding_values, drop_remainder)
            message = "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
            ops.Assert(ops.Less(key, np.int64(len(bounds))), [convert_to_tensor(message)])
            room = ops.gather(convert_to_tensor([b - 1 for b in bounds] + [0], dtype=int64), key)
            targets = st.map_leaves(
                lambda s: padding.filled_shape(dims_of(s), room), padding.as_shapes(shapes, self._element_spec)
            )
            return window.padded_batch(size, targets, padding_values, drop_remainder)

        return self.group_by_window(bucket, batches, window_size_func=size_of, name=name)

    def apply(self, transformation_func: Callable[[Any], Any]) -> Dataset:
        """`transformation_func(self)`, which must give a dataset.

        >>> import graphrt as tf
        >>> tf.data.Dataset.range(9).apply(lambda dataset: dataset.take(2)).cardinality().numpy()
        np.int64(2)

        Raises:
          TypeError: it gives something else.
        """
        result = transformation_func(self)
        if not isinstance(result, DatasetBase):
            raise TypeError(
                errors.at_user_line(
                    f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(result)}."
                )
            )
        return checked_dataset(result)


def _inner_spec(traced: Traced, method: str) -> Any:
    if not isinstance(traced.spec, DatasetSpec):
        raise TypeError(
            errors.at_user_line(
                f"The `map_func` argument of {method} must return a `Dataset` object. Got {traced.spec!r}."
            )
        )
    return traced.spec.element_spec


def _check_predicate(traced: Traced) -> None:
    if not (isinstance(traced.spec, TensorSpec) and traced.spec.dtype is bool_ and compatible(traced.spec.dims, ())):
        raise ValueError(
            errors.at_user_line(
                "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is "
                f"{traced.spec!r}."
            )
        )


def _check_key(traced: Traced, name: str) -> None:
    if not (isinstance(traced.spec, TensorSpec) and traced.spec.dtype is int64 and compatible(traced.spec.dims, ())):
        raise ValueError(
            errors.at_user_line(
                f"Invalid `{name}`. `{name}` must return a single `tf.int64` scalar tensor, but its return type is "
                f"{traced.spec!r}."
            )
        )
