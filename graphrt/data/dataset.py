"""`Dataset`: a pipeline that makes elements one by one.

>>> import graphrt as tf
>>> dataset = tf.data.Dataset.range(6).filter(lambda x: x % 2 == 0).map(lambda x: x * x).batch(2)
>>> [batch.tolist() for batch in dataset.as_numpy_iterator()]
[[0, 4], [16]]
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data import declarations as d
from graphrt.data import padding
from graphrt.data import structure as st
from graphrt.data.files import matching, names_of
from graphrt.data.gradients import tell_of_variables
from graphrt.data.iterator import Iterator, NumpyIterator, make_iterator
from graphrt.data.options import Options
from graphrt.data.traced import Traced, trace
from graphrt.ir.op import ops
from graphrt.ops.random_ops import get_seed
from graphrt.tensor.context import current_graph, recorders
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor, static_array
from graphrt.types import dtype as dtypes
from graphrt.types import structure
from graphrt.types.dtype import as_dtype, bool_, int64, string
from graphrt.types.shape import TensorShape, compatible, dims_of
from graphrt.types.spec import CompositeSpec, TensorSpec, TypeSpec
from graphrt.types.structure import Stream

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


class DatasetSpec(st.HandleSpec):
    """The static type of a dataset whose elements are of `element_spec`.

    >>> import graphrt as tf
    >>> tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3))
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    __slots__ = ()

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        super().__init__(element_spec)

    @property
    def value_type(self) -> type:
        """Dataset."""
        return Dataset

    def from_components(self, components: list[Any]) -> Dataset:
        """The dataset behind a handle."""
        return Dataset(components[0], self._element_spec, "_VariantDataset")


def _long(value: Any, name: str) -> Any:
    """A count as an int64 scalar tensor."""
    if isinstance(value, Tensor) and value.dtype is not int64:
        return ops.cast(value, int64)
    try:
        return convert_to_tensor(value, dtype=int64, name=name)
    except (TypeError, ValueError) as error:
        raise TypeError(errors.at_user_line(f"{name} must be an integer, found {value!r}: {error}")) from None


def _flag(value: Any, name: str) -> Any:
    return convert_to_tensor(value, dtype=bool_, name=name)


def _text(value: Any, name: str) -> Any:
    return convert_to_tensor("" if value is None else value, dtype=string, name=name)


def _known(tensor: Any) -> Any:
    """The value of a scalar tensor as a Python number, if it is known now."""
    array = static_array(tensor)
    return None if array is None else np.asarray(array).item()


def _order(deterministic: bool | None) -> str:
    return "default" if deterministic is None else "true" if deterministic else "false"


class Dataset(Stream):
    """A sequence of elements of one spec, made when somebody iterates.

    Made by the static methods (`range`, `from_tensor_slices`, ...), changed by the others, each of which gives a new
    dataset. Iterate with `for`, or inside a traced function, where the loop becomes one node whatever the number of
    elements.
    """

    __slots__ = ("__weakref__", "_element_spec", "_label", "_options_attr", "_variant_tensor")

    def __init__(self, variant_tensor: Any, element_spec: Any = None, label: str = "_VariantDataset") -> None:
        self._variant_tensor = variant_tensor
        self._element_spec = element_spec
        self._label = label
        self._options_attr = Options()

    # --- what it is ---
    @property
    def element_spec(self) -> Any:
        """The spec of the elements: a structure of `TensorSpec`s (and `DatasetSpec`s, ...)."""
        return self._element_spec

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self._element_spec)

    def components(self) -> list[Any]:
        """The handle."""
        return [self._variant_tensor]

    def with_components(self, components: list[Any]) -> Dataset:
        """The dataset behind another handle."""
        made = Dataset(components[0], self._element_spec, "_VariantDataset")
        made._options_attr = self._options_attr
        return made

    def _made(self, handle: Any, spec: Any, label: str) -> Dataset:
        made = Dataset(handle, spec, label)
        made._options_attr = self._options_attr
        return made

    def _same(self, op: Any, label: str, *inputs: Any, name: str | None = None, **attrs: Any) -> Dataset:
        """The dataset of an op that keeps the type of the elements."""
        handle = op(self._variant_tensor, *inputs, name=name, **attrs, **st.output_attrs(self._element_spec))
        return self._made(handle, self._element_spec, label)

    def __repr__(self) -> str:
        return f"<{self._label} element_spec={self._element_spec!r}>"

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        if not isinstance(self._variant_tensor, EagerTensor):
            raise TypeError(
                errors.at_user_line("`tf.data.Dataset` only supports `len` in eager mode: use `cardinality()` instead.")
            )
        count: int = self._variant_tensor._value.count()
        if count == INFINITE_CARDINALITY:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN_CARDINALITY:
            raise TypeError("The dataset length is unknown.")
        return count

    def cardinality(self) -> Any:
        """The number of elements as an int64 scalar: INFINITE_CARDINALITY and UNKNOWN_CARDINALITY are negative.

        >>> import graphrt as tf
        >>> tf.data.Dataset.range(10).batch(3).cardinality().numpy()
        np.int64(4)
        """
        return d.DatasetCardinality(self._variant_tensor)

    # --- iterating ---
    def __iter__(self) -> Iterator:
        return make_iterator(self._variant_tensor, self._element_spec)

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator over the elements as NumPy values.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.from_tensor_slices([1, 2]).as_numpy_iterator())
        [np.int32(1), np.int32(2)]

        Raises:
          TypeError: an element holds something else than tensors.
          RuntimeError: a graph is being traced.
        """
        if current_graph() is not None:
            raise RuntimeError(
                errors.at_user_line(
                    "as_numpy_iterator() is not supported while tracing tf.functions: loop over the dataset."
                )
            )
        return NumpyIterator(self)

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element.

        >>> import graphrt as tf
        >>> tf.data.Dataset.range(4).batch(4).get_single_element().numpy().tolist()
        [0, 1, 2, 3]

        Raises:
          InvalidArgumentError: there is none, or more than one.
        """
        found = d.DatasetToSingleElement(self._variant_tensor, name=name, **st.output_attrs(self._element_spec))
        return st.from_components(self._element_spec, found)

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None) -> Any:
        """The last state of `state = reduce_func(state, element)`, from `initial_state` on.

        >>> import graphrt as tf
        >>> tf.data.Dataset.range(5).reduce(tf.constant(0, tf.int64), lambda total, x: total + x).numpy()
        np.int64(10)

        Raises:
          TypeError: the function gives another structure or other dtypes than those of the initial state.
        """
        spec, initial = st.to_element(initial_state)
        traced, spec = _trace_state(reduce_func, "reduce", spec, self._element_spec, lambda s: s)
        tell_of_variables(traced.graph)
        attrs = {"f": traced.graph, "name": name, **st.output_attrs(spec)}
        if current_graph() is not None or not recorders():
            found = d.ReduceDataset(self._variant_tensor, initial, traced.captured, **attrs)
            return st.from_components(spec, found)
        many = len(initial)

        def compute(tensors: list[Any]) -> list[Any]:
            return list(d.ReduceDataset(tensors[0], tensors[1 : 1 + many], tensors[1 + many :], **attrs))

        found = ops.run_traced(compute, [self._variant_tensor, *initial, *traced.captured], "reduce")
        return st.from_components(spec, found)

    # --- making ---
    @staticmethod
    def range(*args: Any, **kwargs: Any) -> Dataset:
        """The numbers of `range(stop)`, `range(start, stop)` or `range(start, stop, step)`, as `output_type` (int64).

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.range(1, 6, 2).as_numpy_iterator())
        [np.int64(1), np.int64(3), np.int64(5)]

        Raises:
          ValueError: there are not one to three numbers.
          InvalidArgumentError: the step is 0.
        """
        name = kwargs.pop("name", None)
        dtype = as_dtype(kwargs.pop("output_type", int64))
        if kwargs:
            raise TypeError(errors.at_user_line(f"range() got unexpected keyword arguments {', '.join(kwargs)}"))
        if not 1 <= len(args) <= 3:
            raise ValueError(
                errors.at_user_line(
                    f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}."
                )
            )
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1) if len(args) == 2 else args
        spec = TensorSpec([], dtype)
        handle = d.RangeDataset(
            _long(start, "start"), _long(stop, "stop"), _long(step, "step"), name=name, **st.output_attrs(spec)
        )
        return Dataset(handle, spec, "_RangeDataset")

    @staticmethod
    def counter(start: Any = 0, step: Any = 1, dtype: Any = int64, name: str | None = None) -> Dataset:
        """`start, start + step, ...` without end.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.counter(5, 10).take(3).as_numpy_iterator())
        [np.int64(5), np.int64(15), np.int64(25)]
        """
        step = np.asarray(step).item() if not isinstance(step, Tensor) else _known(step)
        last = 2**63 - 1 if step is None or step >= 0 else -(2**63)
        numbers = Dataset.range(start, last, step, name=name)
        wanted = as_dtype(dtype)
        if wanted is int64:
            return numbers
        return numbers.map(lambda x: ops.cast(x, wanted))

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """A dataset of one element.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
        [array([1, 2], dtype=int32)]
        """
        spec, found = _element(tensors)
        handle = d.TensorDataset(found, output_shapes=[t.dims for t in found], name=name)
        return Dataset(handle, spec, "_TensorDataset")

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """The slices of tensors along their first dimension, side by side.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"])).as_numpy_iterator())
        [(np.int32(1), b'a'), (np.int32(2), b'b')]

        Raises:
          ValueError: a tensor is a scalar, or the first dimensions differ.
        """
        spec, found = _element(tensors)
        if not found:
            raise ValueError(errors.at_user_line("Invalid `element`. `element` should not be empty."))
        size: int | None = None
        for tensor in found:
            if tensor.dims == ():
                raise ValueError(errors.at_user_line("Unbatching a tensor is only supported for rank >= 1"))
            rows = None if tensor.dims is None else tensor.dims[0]
            if rows is not None and size is not None and rows != size:
                raise ValueError(errors.at_user_line(f"Dimensions {size} and {rows} are not compatible"))
            size = size if rows is None else rows
        spec = st.map_leaves(_row_spec, spec)
        handle = d.TensorSliceDataset(found, output_shapes=[s.dims for s in st.component_specs(spec)], name=name)
        return Dataset(handle, spec, "_TensorSliceDataset")

    @staticmethod
    def from_generator(
        generator: Callable[..., Any], output_types: Any = None, output_shapes: Any = None, args: Any = None,
        output_signature: Any = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """What `generator(*args)` yields, an iterable that is made anew for each iteration.

        `output_signature` is a structure of specs; `output_types` and `output_shapes` are an older way to say it.

        >>> import graphrt as tf
        >>> def count():
        ...     yield from (1, 2, 3)
        >>> dataset = tf.data.Dataset.from_generator(count, output_signature=tf.TensorSpec([], tf.int32))
        >>> list(dataset.as_numpy_iterator())
        [np.int32(1), np.int32(2), np.int32(3)]

        Raises:
          TypeError: the generator is not callable, or what it gives is not described.
          InvalidArgumentError: while iterating, it yields what does not fit the signature.
        """
        if not callable(generator):
            raise TypeError(errors.at_user_line("`generator` must be a Python callable."))
        spec = _signature(output_types, output_shapes, output_signature)
        extra = [convert_to_tensor(a, name=f"args_{i}") for i, a in enumerate(args or ())]
        handle = d.GeneratorDataset(extra, _generator=(generator, spec), name=name, **st.output_attrs(spec))
        return Dataset(handle, spec, "_FlatMapDataset")  # as TensorFlow shows it

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> Dataset:
        """The names of the files that match a pattern (or several), shuffled unless `shuffle` is False.

        >>> import graphrt as tf
        >>> tf.data.Dataset.list_files("/", shuffle=False).element_spec
        TensorSpec(shape=(), dtype=tf.string, name=None)

        Raises:
          InvalidArgumentError: no file matches.
        """
        patterns = convert_to_tensor(file_pattern, dtype=string, name="file_pattern")
        size = 10000  # of the buffer to shuffle in, where the number of files is known when the function runs
        if isinstance(patterns, EagerTensor):
            wanted = names_of(patterns._value)
            names = matching(wanted)
            if not names:
                raise errors.InvalidArgumentError(
                    None, None, errors.at_user_line(f"No files matched pattern: {', '.join(wanted)}")
                )
            size = len(names)
            found = Dataset.from_tensor_slices(names, name=name)
        else:
            found = Dataset(
                d.MatchingFilesDataset(patterns, name=name), TensorSpec([], string), "_MatchingFilesDataset"
            )
        return found.shuffle(size, seed) if shuffle is None or shuffle else found

    @staticmethod
    def random(seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None) -> Dataset:
        """Random numbers from 0 to 2**32 - 1, as int64 scalars, without end.

        >>> import graphrt as tf
        >>> a, b = (list(tf.data.Dataset.random(seed=4).take(3).as_numpy_iterator()) for _ in range(2))
        >>> a == b
        True
        """
        again = bool(rerandomize_each_iteration)
        seeds, generator = _seeds(seed, again)
        spec = TensorSpec([], int64)
        handle = d.RandomDatasetV2(
            *seeds, generator, rerandomize_each_iteration=again, name=name, **st.output_attrs(spec)
        )
        return Dataset(handle, spec, "_RandomDataset")

    # --- functions on elements ---
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
            self._variant_tensor, traced.captured, _long(num_parallel_calls, "num_parallel_calls"), f=traced.graph,
            deterministic=_order(deterministic), preserve_cardinality=True, name=name,
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
        shared = (self._variant_tensor, traced.captured, _long(cycle, "cycle_length"), _long(block, "block_length"))
        if num_parallel_calls is None:
            handle = d.InterleaveDataset(*shared, f=traced.graph, name=name, **st.output_attrs(spec))
            return self._made(handle, spec, "_InterleaveDataset")
        auto = _long(AUTOTUNE, "buffer_output_elements")
        handle = d.ParallelInterleaveDatasetV4(
            *shared, auto, auto, _long(num_parallel_calls, "num_parallel_calls"), f=traced.graph,
            deterministic=_order(deterministic), name=name, **st.output_attrs(spec),
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

        traced, _ = _trace_state(scan_func, "scan", spec, self._element_spec, pair, True)
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
        size_func = window_size_func or (lambda _: _long(window_size, "window_size"))
        size = trace(size_func, "group_by_window", [key_spec], finish=lambda v: _long(v, "window_size"))
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

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """`transformation_func(self)`, which must give a dataset.

        >>> import graphrt as tf
        >>> tf.data.Dataset.range(9).apply(lambda dataset: dataset.take(2)).cardinality().numpy()
        np.int64(2)

        Raises:
          TypeError: it gives something else.
        """
        result = transformation_func(self)
        if not isinstance(result, Dataset):
            raise TypeError(
                errors.at_user_line(
                    f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(result)}."
                )
            )
        return result

    # --- batches and windows ---
    def batch(
        self, batch_size: Any, drop_remainder: Any = False, num_parallel_calls: Any = None,
        deterministic: bool | None = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """`batch_size` elements each, stacked along a new first dimension; the last batch may be smaller.

        >>> import graphrt as tf
        >>> [x.tolist() for x in tf.data.Dataset.range(5).batch(2).as_numpy_iterator()]
        [[0, 1], [2, 3], [4]]

        Raises:
          InvalidArgumentError: the size is not positive; while iterating, the elements differ in shape.
        """
        size, drop = _long(batch_size, "batch_size"), _flag(drop_remainder, "drop_remainder")
        known = _known(size) if _known(drop) else None
        spec = st.map_leaves(lambda s: _batched_spec(s, known), self._element_spec)
        described = st.output_attrs(spec)
        if num_parallel_calls is None:
            handle = d.BatchDatasetV2(self._variant_tensor, size, drop, parallel_copy=True, name=name, **described)
            return self._made(handle, spec, "_BatchDataset")
        calls = _long(num_parallel_calls, "num_parallel_calls")
        handle = d.ParallelBatchDataset(
            self._variant_tensor, size, calls, drop, parallel_copy=True, deterministic=_order(deterministic), name=name,
            **described,
        )  # fmt: skip
        return self._made(handle, spec, "_ParallelBatchDataset")

    def padded_batch(
        self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None, drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Batches of elements of different sizes, filled up to the longest, or to `padded_shapes` (None: longest).

        `padding_values` is a scalar, or one for each component; zeros and empty strings by default.

        >>> import graphrt as tf
        >>> dataset = tf.data.Dataset.range(1, 4).map(lambda x: tf.fill([x], x))
        >>> [x.tolist() for x in dataset.padded_batch(3).as_numpy_iterator()]
        [[[1, 0, 0], [2, 2, 0], [3, 3, 3]]]

        Raises:
          ValueError: a shape does not fit its component, or the rank of a component is unknown.
          DataLossError: while iterating, an element is larger than the padded shape.
        """
        shapes = padding.padded_shapes(padded_shapes, self._element_spec)
        values = padding.padding_values(padding_values, self._element_spec)
        size, drop = _long(batch_size, "batch_size"), _flag(drop_remainder, "drop_remainder")
        known = _known(size) if _known(drop) else None
        specs = iter([TensorSpec((known, *dims), s.dtype) for (_, dims), s in zip(shapes, st.walk(self._element_spec))])
        spec = st.map_leaves(lambda _: next(specs), self._element_spec)
        handle = d.PaddedBatchDatasetV2(
            self._variant_tensor, size, [s for s, _ in shapes], values, drop, parallel_copy=False, name=name,
            output_shapes=[s.dims for s in st.component_specs(spec)],
        )  # fmt: skip
        return self._made(handle, spec, "_PaddedBatchDataset")

    def unbatch(self, name: str | None = None) -> Dataset:
        """The slices of each element along its first dimension.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.from_tensors([1, 2]).unbatch().as_numpy_iterator())
        [np.int32(1), np.int32(2)]

        Raises:
          ValueError: an element is a scalar.
        """
        known = {s.dims[0] for s in st.component_specs(self._element_spec) if s.dims}
        spec = st.map_leaves(_row_spec, self._element_spec)
        rows = known.pop() if len(known) == 1 else None
        handle = d.UnbatchDataset(
            self._variant_tensor, _rows=-1 if rows is None else rows, name=name, **st.output_attrs(spec)
        )
        return self._made(handle, spec, "_UnbatchDataset")

    def rebatch(self, batch_size: Any, drop_remainder: Any = False, name: str | None = None) -> Dataset:
        """Batches cut anew into `batch_size` elements, or into sizes that go round.

        >>> import graphrt as tf
        >>> [x.tolist() for x in tf.data.Dataset.range(5).batch(2).rebatch(3).as_numpy_iterator()]
        [[0, 1, 2], [3, 4]]
        """
        sizes, drop = _long(batch_size, "batch_size"), _flag(drop_remainder, "drop_remainder")
        known = _known(sizes) if sizes.dims == () and _known(drop) else None
        spec = st.map_leaves(lambda s: _batched_spec(_row_spec(s), known), self._element_spec)
        handle = d.RebatchDatasetV2(self._variant_tensor, sizes, drop, name=name, **st.output_attrs(spec))
        return self._made(handle, spec, "_RebatchDataset")

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False, name: str | None = None
    ) -> Dataset:
        """Windows of `size` elements as datasets, which begin `shift` (`size`) apart and take every `stride`-th one.

        >>> import graphrt as tf
        >>> windows = tf.data.Dataset.range(5).window(3, shift=2)
        >>> [[x.item() for x in w.as_numpy_iterator()] for w in windows]
        [[0, 1, 2], [2, 3, 4], [4]]

        Raises:
          InvalidArgumentError: a number is not positive.
        """
        numbers = [_long(size, "size"), _long(size if shift is None else shift, "shift"), _long(stride, "stride")]
        spec = st.map_leaves(DatasetSpec, self._element_spec)
        handle = d.WindowDataset(
            self._variant_tensor, *numbers, _flag(drop_remainder, "drop_remainder"), name=name, **st.output_attrs(spec)
        )
        return self._made(handle, spec, "_WindowDataset")

    # --- order and number ---
    def shuffle(
        self, buffer_size: Any, seed: Any = None, reshuffle_each_iteration: bool | None = True, name: str | None = None
    ) -> Dataset:
        """The elements in random order: each time one of `buffer_size` that wait.

        With a `seed` the order is always the same, iteration by iteration; each iteration has another one unless
        `reshuffle_each_iteration` is False.

        >>> import graphrt as tf
        >>> a, b = (list(tf.data.Dataset.range(9).shuffle(9, seed=1).as_numpy_iterator()) for _ in range(2))
        >>> a == b, sorted(a) == list(range(9))
        (True, True)

        Raises:
          InvalidArgumentError: the size is not positive.
        """
        again = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
        seeds, generator = _seeds(seed, again)
        return self._same(
            d.ShuffleDatasetV3, "_ShuffleDataset", _long(buffer_size, "buffer_size"), *seeds, generator,
            reshuffle_each_iteration=again, name=name,
        )  # fmt: skip

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """The elements `count` times over; without end when it is None or -1.

        >>> import graphrt as tf
        >>> [x.item() for x in tf.data.Dataset.range(2).repeat(2).as_numpy_iterator()]
        [0, 1, 0, 1]
        """
        return self._same(d.RepeatDataset, "_RepeatDataset", _long(-1 if count is None else count, "count"), name=name)

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """The first `count` elements; all, when it is -1.

        >>> import graphrt as tf
        >>> [x.item() for x in tf.data.Dataset.range(9).take(2).as_numpy_iterator()]
        [0, 1]
        """
        return self._same(d.TakeDataset, "_TakeDataset", _long(count, "count"), name=name)

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """The elements after the first `count`; none, when it is -1.

        >>> import graphrt as tf
        >>> [x.item() for x in tf.data.Dataset.range(4).skip(2).as_numpy_iterator()]
        [2, 3]
        """
        return self._same(d.SkipDataset, "_SkipDataset", _long(count, "count"), name=name)

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """Every `num_shards`-th element, beginning with number `index`.

        >>> import graphrt as tf
        >>> [x.item() for x in tf.data.Dataset.range(7).shard(3, 1).as_numpy_iterator()]
        [1, 4]

        Raises:
          InvalidArgumentError: the index is not below the number of shards.
        """
        numbers = [_long(num_shards, "num_shards"), _long(index, "index")]
        return self._same(d.ShardDataset, "_ShardDataset", *numbers, name=name)

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """Pairs of a number, from `start` on, and an element.

        >>> import graphrt as tf
        >>> [(i.item(), s) for i, s in tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(5).as_numpy_iterator()]
        [(5, b'a'), (6, b'b')]
        """
        return Dataset.zip(Dataset.range(start, 2**63 - 1, name=name), self, name=name)

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """The elements of this dataset, then those of another.

        >>> import graphrt as tf
        >>> [x.item() for x in tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(3)).as_numpy_iterator()]
        [0, 1, 0, 1, 2]

        Raises:
          TypeError: the elements differ in structure or dtype.
        """
        spec = st.common_spec(self._element_spec, dataset._element_spec)
        if spec is None:
            raise TypeError(
                errors.at_user_line(
                    f"Incompatible dataset elements:\n  {self._element_spec!r} vs.   {dataset._element_spec!r}"
                )
            )
        handle = d.ConcatenateDataset(self._variant_tensor, dataset._variant_tensor, name=name, **st.output_attrs(spec))
        return self._made(handle, spec, "_ConcatenateDataset")

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Elements of several datasets side by side, as long as the shortest: `zip(a, b)`, or `zip({"x": a, "y": b})`.

        >>> import graphrt as tf
        >>> a, b = tf.data.Dataset.range(2), tf.data.Dataset.range(5, 9)
        >>> [(x.item(), y.item()) for x, y in tf.data.Dataset.zip(a, b).as_numpy_iterator()]
        [(0, 5), (1, 6)]

        Raises:
          TypeError: something is no dataset.
        """
        if not args and datasets is None:
            raise TypeError(errors.at_user_line("Must pass at least one dataset to `zip`."))
        if args and datasets is not None:
            raise TypeError(errors.at_user_line("Both `*args` and `datasets` cannot be set."))
        given = datasets if datasets is not None else args[0] if len(args) == 1 else args
        parts = list(st.walk(given))
        for part in parts:
            if not isinstance(part, Dataset):
                listed = " Nested lists are not supported. Try using a tuple instead." if isinstance(part, list) else ""
                raise TypeError(
                    errors.at_user_line(
                        "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` "
                        f"objects but encountered object of type {type(part)}.{listed}"
                    )
                )
        spec = st.map_leaves(lambda part: part._element_spec, given)
        handle = d.ZipDataset([p._variant_tensor for p in parts], name=name, **st.output_attrs(spec))
        made = Dataset(handle, spec, "_ZipDataset")
        made._options_attr = _merged(parts)
        return made

    @staticmethod
    def choose_from_datasets(datasets: Any, choice_dataset: Dataset, stop_on_empty_dataset: bool = True) -> Dataset:
        """Elements of several datasets, each time of the one that `choice_dataset` (int64 scalars) names.

        >>> import graphrt as tf
        >>> parts = [tf.data.Dataset.from_tensors(s).repeat() for s in ("a", "b")]
        >>> choice = tf.data.Dataset.from_tensor_slices(tf.constant([0, 1, 1], tf.int64))
        >>> list(tf.data.Dataset.choose_from_datasets(parts, choice).as_numpy_iterator())
        [b'a', b'b', b'b']

        Raises:
          ValueError: there is no dataset.
          TypeError: the choice is no int64 scalar, or the datasets differ in their elements.
        """
        parts = list(datasets)
        if not parts:
            raise ValueError(errors.at_user_line("Invalid `datasets`. `datasets` should not be empty."))
        if not isinstance(choice_dataset, Dataset):
            raise TypeError(
                errors.at_user_line(
                    f"Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
                    f"{type(choice_dataset)}."
                )
            )
        if not st.compatible_spec(choice_dataset._element_spec, TensorSpec([], int64)):
            raise TypeError(
                errors.at_user_line(
                    "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
                    f"{choice_dataset._element_spec!r}."
                )
            )
        return _directed(choice_dataset, parts, stop_on_empty_dataset)

    @staticmethod
    def sample_from_datasets(
        datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:  # fmt: skip
        """Elements of several datasets, each time of one chosen at random with probabilities `weights`.

        >>> import graphrt as tf
        >>> parts = [tf.data.Dataset.from_tensors(i).repeat(50) for i in range(2)]
        >>> mixed = tf.data.Dataset.sample_from_datasets(parts, weights=[0.5, 0.5], seed=3)
        >>> len(list(mixed))
        100

        Raises:
          ValueError: there is no dataset, or the number of weights does not fit.
          TypeError: the datasets differ in their elements.
        """
        parts = list(datasets)
        if not parts:
            raise ValueError(errors.at_user_line("Invalid `datasets`. `datasets` should not be empty."))
        if len(parts) == 1:
            return _checked_dataset(parts[0])
        if isinstance(weights, Dataset):
            chances = weights
        else:
            values = [1.0 / len(parts)] * len(parts) if weights is None else weights
            tensor = values if isinstance(values, Tensor) else convert_to_tensor(values, dtype_hint=dtypes.float32)
            if tensor.dims is not None and tensor.dims != (len(parts),):
                raise ValueError(
                    errors.at_user_line(
                        f"Invalid `weights`. The shape of `weights` should be compatible with `[len(datasets)]` but is "
                        f"{tensor.shape}."
                    )
                )
            known = static_array(tensor)
            if known is not None:  # what is never chosen never ends either
                parts = [p for p, w in zip(parts, known.tolist()) if w > 0]
                if len(parts) == 1:
                    return _checked_dataset(parts[0])
                tensor = convert_to_tensor([w for w in known.tolist() if w > 0], dtype=tensor.dtype)
            chances = Dataset.from_tensors(tensor).repeat()
        draws = Dataset.random(seed, rerandomize_each_iteration).batch(2)

        def choose(chance: Any, words: Any) -> Any:
            drawn = ops.stateless_categorical(ops.expand_dims(ops.Log(chance), 0), 1, words)
            return ops.reshape(drawn, [])

        return _directed(Dataset.zip(chances, draws).map(choose), parts, stop_on_empty_dataset)

    def unique(self, name: str | None = None) -> Dataset:
        """The elements, each the first time it comes.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.from_tensor_slices([1, 2, 1]).unique().as_numpy_iterator())
        [np.int32(1), np.int32(2)]
        """
        return self._same(d.UniqueDataset, "_UniqueDataset", name=name)

    # --- running ---
    def cache(self, filename: Any = "", name: str | None = None) -> Dataset:
        """The elements, kept in memory (or in files that begin with `filename`) once they have all been read.

        >>> import graphrt as tf
        >>> dataset = tf.data.Dataset.random(seed=1, rerandomize_each_iteration=True).take(3).cache()
        >>> list(dataset.as_numpy_iterator()) == list(dataset.as_numpy_iterator())
        True
        """
        handle, _ = d.AnonymousMemoryCache()
        return self._same(d.CacheDatasetV2, "CacheDataset", _text(filename, "filename"), handle, name=name)

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """The elements, up to `buffer_size` (AUTOTUNE: a few) of which are made ahead, on a thread.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.range(2).prefetch(tf.data.AUTOTUNE).as_numpy_iterator())
        [np.int64(0), np.int64(1)]

        Raises:
          InvalidArgumentError: the size is negative.
        """
        size = _long(AUTOTUNE if buffer_size is None else buffer_size, "buffer_size")
        return self._same(d.PrefetchDataset, "_PrefetchDataset", size, name=name)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """The elements that can be made without an error.

        >>> import graphrt as tf
        >>> dataset = tf.data.Dataset.from_tensor_slices(["1", "x", "3"]).map(lambda s: tf.strings.to_number(s))
        >>> list(dataset.ignore_errors().as_numpy_iterator())
        [np.float32(1.0), np.float32(3.0)]
        """
        return self._same(d.IgnoreErrorsDataset, "_IgnoreErrorsDataset", log_warning=log_warning, name=name)

    def options(self) -> Options:
        """The options of this dataset and of those it is made of."""
        return self._options_attr

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """The same elements, made under `options`.

        Raises:
          TypeError: it is no `tf.data.Options`.
        """
        if not isinstance(options, Options):
            raise TypeError(errors.at_user_line(f"with_options needs a tf.data.Options, found {options!r}"))
        made = self._same(d.OptionsDataset, "_OptionsDataset", _options=json.dumps(options.for_run()), name=name)
        made._options_attr = self._options_attr.merge(options)
        return made


# --- elements and specs ----------------------------------------------------------------------------------------------
def _element(value: Any) -> tuple[Any, list[Any]]:
    try:
        return st.to_element(value)
    except (TypeError, ValueError) as error:
        if isinstance(error, errors.ConversionError):
            raise
        raise type(error)(errors.at_user_line(str(error))) from None


def _row_spec(spec: Any) -> Any:
    if isinstance(spec, CompositeSpec):
        return spec._row()
    if not isinstance(spec, TensorSpec):
        raise TypeError(errors.at_user_line(f"{spec!r} has no slices"))
    if spec.dims == ():
        raise ValueError(errors.at_user_line("Unbatching a tensor is only supported for rank >= 1"))
    return TensorSpec(None if spec.dims is None else spec.dims[1:], spec.dtype)


def _batched_spec(spec: Any, size: int | None) -> Any:
    if isinstance(spec, st.NoneTensorSpec):
        return spec
    if isinstance(spec, CompositeSpec):
        return spec._batched(size)
    if not isinstance(spec, TensorSpec):
        raise TypeError(errors.at_user_line(f"a {spec.value_type.__name__} cannot be batched: use flat_map"))
    return TensorSpec(None if spec.dims is None else (size, *spec.dims), spec.dtype)


def _signature(output_types: Any, output_shapes: Any, output_signature: Any) -> Any:
    if output_signature is not None:
        if output_types is not None or output_shapes is not None:
            raise TypeError(
                errors.at_user_line(
                    "The `output_types` and `output_shapes` arguments are not allowed with `output_signature`: use the "
                    "latter alone."
                )
            )
        if isinstance(output_signature, list):
            output_signature = tuple(output_signature)
        for leaf in st.walk(output_signature):
            if not isinstance(leaf, TypeSpec):
                raise TypeError(
                    errors.at_user_line(
                        f"`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found "
                        f"{type(leaf)} which is not."
                    )
                )
        return output_signature
    if output_types is None:
        raise TypeError(errors.at_user_line("Either `output_signature` or `output_types` must be specified."))
    types = tuple(output_types) if isinstance(output_types, list) else output_types
    if output_shapes is None:
        return st.map_leaves(lambda t: TensorSpec(None, as_dtype(t)), types)
    return _paired(types, output_shapes)


def _paired(types: Any, shapes: Any) -> Any:
    """Specs from a structure of dtypes and one of shapes (where lists and tuples of numbers are shapes)."""
    if not st.is_structure(types):
        return TensorSpec(shapes, as_dtype(types))
    parts, others = structure.children(types), structure.children(shapes)
    if len(parts) != len(others):
        raise ValueError(
            errors.at_user_line(
                f"`output_types` and `output_shapes` do not have the same structure: {types!r}, {shapes!r}"
            )
        )
    return structure.rebuild(types, [_paired(t, s) for (_, t), (_, s) in zip(parts, others)])


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


def _trace_state(
    function: Callable[..., Any],
    method: str,
    state: Any,
    element: Any,
    finish: Callable[[Any], Any],
    paired: bool = False,
) -> tuple[Traced, Any]:
    """Traces `function(state, element)`, again with more general shapes until the state keeps its type."""
    while True:
        traced = trace(function, method, [state, element], unpack=False, finish=finish)
        found = traced.spec[0] if paired else traced.spec
        if not st.same_structure(state, found):
            raise TypeError(
                errors.at_user_line(
                    "The element structure for the new state must match the initial state. Expected "
                    f"{state!r}; got {found!r}."
                )
            )
        general = st.common_spec(state, found)
        if general is None:
            raise TypeError(
                errors.at_user_line(
                    f"The element types for the new state must match the initial state. Expected "
                    f"{[getattr(s, 'dtype', s) for s in st.walk(state)]}; got "
                    f"{[getattr(s, 'dtype', s) for s in st.walk(found)]}."
                )
            )
        if st.is_subtype(found, state):
            return traced, state
        state = general


def _seeds(seed: Any, again: bool) -> tuple[list[Any], Any]:
    """The two seeds of a random transformation as tensors, and the generator of the seeds of its iterations."""
    if isinstance(seed, Tensor):
        known = _known(seed)
        if known is None:
            pair: list[Any] = [_long(0, "seed"), ops.cast(seed, int64)]
            return pair, d.AnonymousSeedGenerator(*pair, _flag(again, "reshuffle"))[0]
        seed = known
    first, second = get_seed(None if seed is None else int(seed))
    pair = [_long(first, "seed"), _long(second, "seed2")]
    return pair, d.AnonymousSeedGenerator(*pair, _flag(again, "reshuffle"))[0]


def _directed(choice: Dataset, parts: list[Any], stop: bool) -> Dataset:
    spec = parts[0]._element_spec
    for i, part in enumerate(parts):
        found = st.common_spec(spec, part._element_spec)
        if found is None:
            raise TypeError(
                errors.at_user_line(
                    f"Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 element_spec="
                    f"{parts[0]._element_spec!r}.\n Dataset {i} element_spec={part._element_spec!r}"
                )
            )
        spec = found
    handle = d.DirectedInterleaveDataset(
        choice._variant_tensor, [p._variant_tensor for p in parts], stop_on_empty_dataset=bool(stop),
        **st.output_attrs(spec),
    )  # fmt: skip
    made = Dataset(handle, spec, "_DirectedInterleaveDataset")
    made._options_attr = _merged(parts)
    return made


def _checked_dataset(value: Any) -> Dataset:
    if not isinstance(value, Dataset):
        raise TypeError(errors.at_user_line(f"expected a tf.data.Dataset, found {value!r}"))
    return value


def _merged(parts: list[Any]) -> Options:
    options = Options()
    for part in parts:
        options = options.merge(part._options_attr)
    return options
