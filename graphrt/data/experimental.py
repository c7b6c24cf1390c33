"""`tf.data.experimental`: methods of `Dataset` as functions, and what stands there alone."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.dataset import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Dataset, Transformation, handle_of
from graphrt.data.iterator import Iterator, get_next_as_optional
from graphrt.data.optional import Optional
from graphrt.data.options import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    AutotuneOptions,
    DistributeOptions,
    ExternalStatePolicy,
    OptimizationOptions,
    ThreadingOptions,
)
from graphrt.data.readers.csv_files import CsvDataset, make_csv_dataset
from graphrt.data.readers.element_list import from_list
from graphrt.data.readers.tfrecords import framed
from graphrt.data.tables import DatasetInitializer, index_table_from_dataset, table_from_dataset
from graphrt.data.transformations.assert_cardinality import assert_cardinality
from graphrt.data.transformations.at import at
from graphrt.data.transformations.group_by_reducer import Reducer, group_by_reducer
from graphrt.data.transformations.pad_to_cardinality import pad_to_cardinality
from graphrt.ops.io.files import local_path, telling
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import as_dtype, int64
from graphrt.types.likes import DTypeLike, PathLike, ShapeLike, TensorLike
from graphrt.types.missing import missing_names
from graphrt.types.nesting import shown
from graphrt.types.spec import TensorSpec

if not TYPE_CHECKING:  # checkers of types know what is there
    __getattr__ = missing_names(__name__)

SHARD_HINT = -1


def cardinality(dataset: Dataset) -> Tensor:
    """The number of elements, as `Dataset.cardinality`.

    >>> import graphrt as tf
    >>> tf.data.experimental.cardinality(tf.data.Dataset.range(3)).numpy()
    np.int64(3)
    """
    errors.expect(dataset, Dataset, "dataset", "a tf.data.Dataset")
    return dataset.cardinality()


def get_single_element(dataset: Dataset) -> Tensor:
    """The only element, as `Dataset.get_single_element`.

    >>> import graphrt as tf
    >>> tf.data.experimental.get_single_element(tf.data.Dataset.from_tensors([1, 2])).numpy().tolist()
    [1, 2]
    """
    errors.expect(dataset, Dataset, "dataset", "a tf.data.Dataset")
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: Dataset | Iterator) -> TensorSpec:
    """The spec of the elements of a dataset or an iterator.

    >>> import graphrt as tf
    >>> tf.data.experimental.get_structure(tf.data.Dataset.range(3))
    TensorSpec(shape=(), dtype=tf.int64, name=None)

    Raises:
      TypeError: it is neither.
    """
    if not isinstance(dataset_or_iterator, (Dataset, Iterator)):
        raise TypeError(
            errors.at_user_line(
                f"Invalid `dataset_or_iterator`. It must be a `tf.data.Dataset` or tf.data.Iterator, found "
                f"{shown(dataset_or_iterator)}"
            )
        )
    return dataset_or_iterator.element_spec


def counter(start: TensorLike = 0, step: TensorLike = 1, dtype: DTypeLike = int64) -> Dataset:
    """`start, start + step, ...` without end, as `Dataset.counter`.

    >>> import graphrt as tf
    >>> list(tf.data.experimental.Counter(start=1, step=2).take(3).as_numpy_iterator())
    [np.int64(1), np.int64(3), np.int64(5)]
    """
    return Dataset.counter(start, step, dtype)


def random_dataset(
    seed: int | None = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
) -> Dataset:
    """Random numbers without end, as `Dataset.random`.

    >>> import graphrt as tf
    >>> ds = tf.data.experimental.RandomDataset(seed=7).take(2)
    >>> ds.element_spec, len(list(ds))
    (TensorSpec(shape=(), dtype=tf.int64, name=None), 2)
    """
    return Dataset.random(seed, rerandomize_each_iteration, name)


def choose_from_datasets(
    datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = False
) -> Dataset:
    """`Dataset.choose_from_datasets`, which goes on when a dataset is empty unless told to stop.

    >>> import graphrt as tf
    >>> a, b = tf.data.Dataset.from_tensors("a").repeat(), tf.data.Dataset.from_tensors("b").repeat()
    >>> choice = tf.data.Dataset.from_tensor_slices(tf.constant([0, 1, 1], tf.int64))
    >>> list(tf.data.experimental.choose_from_datasets([a, b], choice).as_numpy_iterator())
    [b'a', b'b', b'b']
    """
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def sample_from_datasets(
    datasets: Sequence[Dataset], weights: TensorLike | None = None, seed: int | None = None,
    stop_on_empty_dataset: bool = False
) -> Dataset:  # fmt: skip
    """`Dataset.sample_from_datasets`.

    >>> import graphrt as tf
    >>> ones, twos = tf.data.Dataset.from_tensors(1).repeat(), tf.data.Dataset.from_tensors(2).repeat()
    >>> list(tf.data.experimental.sample_from_datasets([ones, twos], [1.0, 0.0], seed=3).take(3).as_numpy_iterator())
    [np.int32(1), np.int32(1), np.int32(1)]
    """
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def enumerate_dataset(start: TensorLike = 0) -> Transformation:
    """`Dataset.enumerate` for `Dataset.apply`.

    >>> import graphrt as tf
    >>> ds = tf.data.Dataset.from_tensor_slices(["a", "b"]).apply(tf.data.experimental.enumerate_dataset(start=5))
    >>> list(ds.as_numpy_iterator())
    [(np.int64(5), b'a'), (np.int64(6), b'b')]
    """
    return lambda dataset: dataset.enumerate(start)


def ignore_errors(log_warning: bool = False) -> Transformation:
    """`Dataset.ignore_errors` for `Dataset.apply`.

    >>> import graphrt as tf
    >>> ds = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0]).map(lambda x: tf.debugging.check_numerics(1.0 / x, "1/0"))
    >>> list(ds.apply(tf.data.experimental.ignore_errors()).as_numpy_iterator())
    [np.float32(1.0), np.float32(0.5)]
    """
    return lambda dataset: dataset.ignore_errors(log_warning)


def dense_to_ragged_batch(
    batch_size: TensorLike, drop_remainder: bool = False, row_splits_dtype: DTypeLike = int64
) -> Transformation:
    """`Dataset.ragged_batch` for `Dataset.apply`.

    >>> import graphrt as tf
    >>> ds = tf.data.Dataset.range(3).map(tf.range).apply(tf.data.experimental.dense_to_ragged_batch(3))
    >>> next(iter(ds)).to_list()
    [[], [0], [0, 1]]
    """
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def dense_to_sparse_batch(batch_size: TensorLike, row_shape: ShapeLike) -> Transformation:
    """`Dataset.sparse_batch` for `Dataset.apply`.

    >>> import graphrt as tf
    >>> ds = tf.data.Dataset.range(1, 3).map(tf.range).apply(tf.data.experimental.dense_to_sparse_batch(2, [4]))
    >>> tf.sparse.to_dense(next(iter(ds))).numpy().tolist()
    [[0, 0, 0, 0], [0, 1, 0, 0]]
    """
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


def rejection_resample(
    class_func: Callable[..., Any], target_dist: TensorLike, initial_dist: TensorLike | None = None,
    seed: int | None = None
) -> Transformation:  # fmt: skip
    """`Dataset.rejection_resample` for `Dataset.apply`.

    >>> import graphrt as tf
    >>> even = tf.data.experimental.rejection_resample(
    ...     lambda x: tf.cast(x % 4 == 0, tf.int32), [0.0, 1.0], [0.75, 0.25], seed=1)
    >>> [int(x) % 4 for _, x in tf.data.Dataset.range(16).apply(even)]
    [0, 0, 0, 0]
    """
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


def save(
    dataset: Dataset, path: PathLike, compression: str | None = None, shard_func: Callable[..., Any] | None = None,
    checkpoint_args: Any = None,
) -> None:  # fmt: skip
    """`Dataset.save`.

    >>> import graphrt as tf
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.data.experimental.save(tf.data.Dataset.range(3), folder)
    >>> list(tf.data.experimental.load(folder).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2)]
    """
    errors.expect(dataset, Dataset, "dataset", "a tf.data.Dataset")
    dataset.save(path, compression, shard_func, checkpoint_args)


def load(
    path: Any, element_spec: Any = None, compression: str | None = None,
    reader_func: Callable[[Any], Any] | None = None,
) -> Dataset:  # fmt: skip
    """`Dataset.load`.

    >>> import graphrt as tf
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.data.Dataset.range(3).save(folder)
    >>> list(tf.data.experimental.load(folder).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2)]
    """
    return Dataset.load(path, element_spec, compression, reader_func)


def snapshot(
    path: PathLike, compression: str | None = "AUTO", reader_func: Callable[[Any], Any] | None = None,
    shard_func: Callable[..., Any] | None = None,
) -> Transformation:  # fmt: skip
    """`Dataset.snapshot` for `Dataset.apply`.

    >>> import graphrt as tf
    >>> import tempfile
    >>> ds = tf.data.Dataset.range(3).apply(tf.data.experimental.snapshot(tempfile.mkdtemp()))
    >>> list(ds.as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2)]
    """
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)


def unbatch() -> Transformation:
    """`Dataset.unbatch` for `Dataset.apply`.

    >>> import graphrt as tf
    >>> ds = tf.data.Dataset.from_tensors([1, 2]).apply(tf.data.experimental.unbatch())
    >>> list(ds.as_numpy_iterator())
    [np.int32(1), np.int32(2)]
    """
    return lambda dataset: dataset.unbatch()


def unique() -> Transformation:
    """`Dataset.unique` for `Dataset.apply`.

    >>> import graphrt as tf
    >>> ds = tf.data.Dataset.from_tensor_slices([1, 2, 1]).apply(tf.data.experimental.unique())
    >>> list(ds.as_numpy_iterator())
    [np.int32(1), np.int32(2)]
    """
    return lambda dataset: dataset.unique()


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """`Dataset.take_while` for `Dataset.apply`.

    >>> import graphrt as tf
    >>> ds = tf.data.Dataset.range(9).apply(tf.data.experimental.take_while(lambda x: x < 3))
    >>> list(ds.as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2)]
    """
    return lambda dataset: dataset.take_while(predicate)


def scan(initial_state: TensorLike, scan_func: Callable[..., Any]) -> Transformation:
    """`Dataset.scan` for `Dataset.apply`.

    >>> import graphrt as tf
    >>> sums = tf.data.experimental.scan(tf.constant(0, tf.int64), lambda total, x: (total + x, total + x))
    >>> list(tf.data.Dataset.range(4).apply(sums).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(3), np.int64(6)]
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)


def group_by_window(
    key_func: Callable[..., Any], reduce_func: Callable[..., Any], window_size: TensorLike | None = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:  # fmt: skip
    """`Dataset.group_by_window` for `Dataset.apply`.

    >>> import graphrt as tf
    >>> group = tf.data.experimental.group_by_window(lambda x: x % 2, lambda key, ds: ds.batch(2), window_size=2)
    >>> [b.tolist() for b in tf.data.Dataset.range(6).apply(group).as_numpy_iterator()]
    [[0, 2], [1, 3], [4], [5]]
    """
    return lambda dataset: dataset.group_by_window(key_func, reduce_func, window_size, window_size_func)


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any], bucket_boundaries: TensorLike, bucket_batch_sizes: TensorLike,
    padded_shapes: Any = None, padding_values: Any = None, pad_to_bucket_boundary: bool = False,
    no_padding: bool = False, drop_remainder: bool = False,
) -> Transformation:  # fmt: skip
    """`Dataset.bucket_by_sequence_length` for `Dataset.apply`.

    >>> import graphrt as tf
    >>> words = tf.data.Dataset.from_generator(
    ...     lambda: iter([[1], [2, 3, 4], [5, 6]]), output_signature=tf.TensorSpec([None], tf.int32))
    >>> ds = words.apply(tf.data.experimental.bucket_by_sequence_length(tf.size, [3], [2, 1]))
    >>> [batch.tolist() for batch in ds.as_numpy_iterator()]
    [[[2, 3, 4]], [[1, 0], [5, 6]]]
    """
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes, padding_values,
        pad_to_bucket_boundary, no_padding, drop_remainder,
    )  # fmt: skip


def map_and_batch(
    map_func: Callable[..., Any], batch_size: TensorLike, num_parallel_batches: Any = None,
    drop_remainder: bool = False, num_parallel_calls: Any = None
) -> Transformation:  # fmt: skip
    """`Dataset.map`, then `Dataset.batch`.

    >>> import graphrt as tf
    >>> twice = tf.data.experimental.map_and_batch(lambda x: x * 2, 2)
    >>> [x.tolist() for x in tf.data.Dataset.range(3).apply(twice).as_numpy_iterator()]
    [[0, 2], [4]]
    """
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


def shuffle_and_repeat(
    buffer_size: TensorLike, count: TensorLike | None = None, seed: int | None = None
) -> Transformation:
    """`Dataset.shuffle`, then `Dataset.repeat`.

    >>> import graphrt as tf
    >>> ds = tf.data.Dataset.range(3).apply(tf.data.experimental.shuffle_and_repeat(3, count=2, seed=1))
    >>> sorted(ds.as_numpy_iterator())
    [np.int64(0), np.int64(0), np.int64(1), np.int64(1), np.int64(2), np.int64(2)]
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def parallel_interleave(
    map_func: Callable[..., Any], cycle_length: TensorLike, block_length: TensorLike = 1, sloppy: bool = False,
    buffer_output_elements: Any = None, prefetch_input_elements: Any = None,
) -> Transformation:  # fmt: skip
    """`Dataset.interleave` on threads, for `Dataset.apply`.

    >>> import graphrt as tf
    >>> twice = lambda x: tf.data.Dataset.from_tensors(x).repeat(2)
    >>> pairs = tf.data.experimental.parallel_interleave(twice, cycle_length=2)
    >>> list(tf.data.Dataset.range(2).apply(pairs).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(0), np.int64(1)]
    """
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, cycle_length, not sloppy)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """The dataset itself: there is one device.

    >>> import graphrt as tf
    >>> ds = tf.data.Dataset.range(3).apply(tf.data.experimental.copy_to_device("/cpu:0"))
    >>> list(ds.as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2)]
    """
    return lambda dataset: dataset


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """`Dataset.prefetch`: there is one device.

    >>> import graphrt as tf
    >>> ds = tf.data.Dataset.range(3).apply(tf.data.experimental.prefetch_to_device("/cpu:0"))
    >>> list(ds.as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2)]
    """
    return lambda dataset: dataset.prefetch(AUTOTUNE if buffer_size is None else buffer_size)


def to_variant(dataset: Dataset) -> Tensor:
    """The handle of a dataset: a variant scalar.

    >>> import graphrt as tf
    >>> variant = tf.data.experimental.to_variant(tf.data.Dataset.range(2))
    >>> list(tf.data.experimental.from_variant(variant, tf.TensorSpec([], tf.int64)).as_numpy_iterator())
    [np.int64(0), np.int64(1)]
    """
    return handle_of(dataset)


def from_variant(variant: TensorLike, structure: object) -> Dataset:
    """The dataset behind a handle, whose elements are of spec `structure`.

    >>> import graphrt as tf
    >>> e = tf.data.experimental
    >>> len(e.from_variant(e.to_variant(tf.data.Dataset.range(4)), tf.TensorSpec([], tf.int64)))
    4
    """
    return Dataset(variant, structure, "_VariantDataset")


class TFRecordWriter:
    """Writes a dataset of string scalars into a TFRecord file.

    >>> import graphrt as tf, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "records")
    >>> tf.data.experimental.TFRecordWriter(path).write(tf.data.Dataset.from_tensor_slices(["a", "b"]))
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'a', b'b']

    Raises:
      TypeError: the dataset does not give strings.
    """

    def __init__(self, filename: PathLike, compression_type: str | None = None) -> None:
        self._filename = filename.decode() if isinstance(filename, bytes) else str(filename)
        self._compression = compression_type or ""

    def write(self, dataset: Dataset) -> None:
        """Writes all elements of `dataset`."""
        if not isinstance(dataset, Dataset):
            raise TypeError(errors.at_user_line("Invalid `dataset.` Expected a `tf.data.Dataset` object."))
        if not st.compatible_spec(dataset.element_spec, TensorSpec([], as_dtype("string"))):
            raise TypeError(
                errors.at_user_line(
                    f"Invalid `dataset`. Expected it to produce a scalar `tf.string` but got {shown(dataset.element_spec)}"
                )
            )
        data = b"".join(framed(bytes(element)) for element in dataset.as_numpy_iterator())
        if self._compression == "ZLIB":
            data = zlib.compress(data)
        elif self._compression == "GZIP":
            packer = zlib.compressobj(wbits=31)
            data = packer.compress(data) + packer.flush()
        elif self._compression:
            raise errors.InvalidArgumentError(None, None, f"Unsupported compression_type: {self._compression}.")
        path = local_path(self._filename)
        with telling(path, lambda: open(path, "wb")) as file:
            telling(path, lambda: file.write(data))


Counter = counter
RandomDataset = random_dataset


__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "SHARD_HINT",
    "UNKNOWN_CARDINALITY",
    "AutoShardPolicy",
    "AutotuneAlgorithm",
    "AutotuneOptions",
    "Counter",
    "CsvDataset",
    "DatasetInitializer",
    "DistributeOptions",
    "ExternalStatePolicy",
    "OptimizationOptions",
    "Optional",
    "RandomDataset",
    "Reducer",
    "TFRecordWriter",
    "ThreadingOptions",
    "assert_cardinality",
    "at",
    "bucket_by_sequence_length",
    "cardinality",
    "choose_from_datasets",
    "copy_to_device",
    "dense_to_ragged_batch",
    "dense_to_sparse_batch",
    "enumerate_dataset",
    "from_list",
    "from_variant",
    "get_next_as_optional",
    "get_single_element",
    "get_structure",
    "group_by_reducer",
    "group_by_window",
    "ignore_errors",
    "index_table_from_dataset",
    "load",
    "make_csv_dataset",
    "map_and_batch",
    "pad_to_cardinality",
    "parallel_interleave",
    "prefetch_to_device",
    "rejection_resample",
    "sample_from_datasets",
    "save",
    "scan",
    "shuffle_and_repeat",
    "snapshot",
    "table_from_dataset",
    "take_while",
    "to_variant",
    "unbatch",
    "unique",
]  # fmt: skip
