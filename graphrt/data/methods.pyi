# Written by tests/stubs.py from graphrt/data/readers and graphrt/data/transformations.
from collections.abc import Callable, Iterable, Mapping, Sequence
from graphrt.data.arguments import Sliced
from graphrt.data.dataset import Dataset
from graphrt.data.options import Options
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import int64
from graphrt.types.likes import DTypeLike, PathLike, PerAxis, ShapeLike, TensorLike
from typing import Any, Generic, overload
from typing_extensions import TypeVar

T = TypeVar("T", covariant=True, default=Any)
_F = TypeVar("_F", bound=Callable[..., Any])

def transformation(function: _F) -> _F: ...
def source(function: _F) -> _F: ...
def import_all(package: str, path: Iterable[str]) -> None: ...

class Methods(Generic[T]):
    def apply(self, transformation_func: Callable[[Any], Any]) -> Dataset:
        """`transformation_func(self)`, which must give a dataset.

        >>> import graphrt as tf
        >>> tf.data.Dataset.range(9).apply(lambda dataset: dataset.take(2)).cardinality().numpy()
        np.int64(2)

        Raises:
          TypeError: it gives something else.
        """
    def batch(self, batch_size: TensorLike, drop_remainder: bool=False, num_parallel_calls: Any=None, deterministic: bool | None=None, name: str | None=None) -> Dataset[T]:
        """`batch_size` elements each, stacked along a new first dimension; the last batch may be smaller.

        >>> import graphrt as tf
        >>> [x.tolist() for x in tf.data.Dataset.range(5).batch(2).as_numpy_iterator()]
        [[0, 1], [2, 3], [4]]

        Raises:
          InvalidArgumentError: the size is not positive; while iterating, the elements differ in shape.
        """
    def bucket_by_sequence_length(self, element_length_func: Callable[..., Any], bucket_boundaries: Any, bucket_batch_sizes: Any, padded_shapes: Any=None, padding_values: Any=None, pad_to_bucket_boundary: bool=False, no_padding: bool=False, drop_remainder: bool=False, name: str | None=None) -> Dataset:
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
    def cache(self, filename: PathLike='', name: str | None=None) -> Dataset[T]:
        """The elements, kept in memory (or in files that begin with `filename`) once they have all been read.

        >>> import graphrt as tf
        >>> dataset = tf.data.Dataset.random(seed=1, rerandomize_each_iteration=True).take(3).cache()
        >>> list(dataset.as_numpy_iterator()) == list(dataset.as_numpy_iterator())
        True
        """
    def cardinality(self) -> Tensor:
        """The number of elements as an int64 scalar: INFINITE_CARDINALITY and UNKNOWN_CARDINALITY are negative.

        >>> import graphrt as tf
        >>> tf.data.Dataset.range(10).batch(3).cardinality().numpy()
        np.int64(4)
        """
    @staticmethod
    def choose_from_datasets(datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool=True) -> Dataset:
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
    def concatenate(self, dataset: Dataset[T], name: str | None=None) -> Dataset[T]:
        """The elements of this dataset, then those of another.

        >>> import graphrt as tf
        >>> [x.item() for x in tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(3)).as_numpy_iterator()]
        [0, 1, 0, 1, 2]

        Raises:
          TypeError: the elements differ in structure or dtype.
        """
    @staticmethod
    def counter(start: Any=0, step: Any=1, dtype: Any=int64, name: str | None=None) -> Dataset[Tensor]:
        """`start, start + step, ...` without end.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.counter(5, 10).take(3).as_numpy_iterator())
        [np.int64(5), np.int64(15), np.int64(25)]
        """
    def enumerate(self, start: TensorLike=0, name: str | None=None) -> Dataset:
        """Pairs of a number, from `start` on, and an element.

        >>> import graphrt as tf
        >>> [(i.item(), s) for i, s in tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(5).as_numpy_iterator()]
        [(5, b'a'), (6, b'b')]
        """
    def filter(self, predicate: Callable[..., Any], name: str | None=None) -> Dataset[T]:
        """The elements for which `predicate` gives True.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.range(5).filter(lambda x: x > 2).as_numpy_iterator())
        [np.int64(3), np.int64(4)]

        Raises:
          ValueError: the predicate does not give a bool scalar.
        """
    def flat_map(self, map_func: Callable[..., Any], name: str | None=None) -> Dataset:
        """The elements of the datasets that `map_func` gives, one dataset after the other.

        >>> import graphrt as tf
        >>> nested = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
        >>> list(nested.flat_map(tf.data.Dataset.from_tensor_slices).as_numpy_iterator())
        [np.int32(1), np.int32(2), np.int32(3), np.int32(4)]

        Raises:
          TypeError: the function does not give a dataset.
        """
    @staticmethod
    def from_generator(generator: Callable[..., Any], output_types: Any=None, output_shapes: Any=None, args: Any=None, output_signature: object=None, name: str | None=None) -> Dataset:
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
    @overload
    @staticmethod
    def from_tensor_slices(tensors: tuple[Sliced, Sliced], name: str | None=None) -> Dataset[tuple[Tensor, Tensor]]: ...
    @overload
    @staticmethod
    def from_tensor_slices(tensors: tuple[Sliced, Sliced, Sliced], name: str | None=None) -> Dataset[tuple[Tensor, Tensor, Tensor]]: ...
    @overload
    @staticmethod
    def from_tensor_slices(tensors: Mapping[str, Sliced], name: str | None=None) -> Dataset[dict[str, Tensor]]: ...
    @overload
    @staticmethod
    def from_tensor_slices(tensors: Sliced, name: str | None=None) -> Dataset[Tensor]: ...
    @overload
    @staticmethod
    def from_tensor_slices(tensors: object, name: str | None=None) -> Dataset:
        """The slices of tensors along their first dimension, side by side.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"])).as_numpy_iterator())
        [(np.int32(1), b'a'), (np.int32(2), b'b')]

        Raises:
          ValueError: a tensor is a scalar, or the first dimensions differ.
        """
    @staticmethod
    def from_tensors(tensors: object, name: str | None=None) -> Dataset:
        """A dataset of one element.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
        [array([1, 2], dtype=int32)]
        """
    def get_single_element(self, name: str | None=None) -> Tensor:
        """The only element.

        >>> import graphrt as tf
        >>> tf.data.Dataset.range(4).batch(4).get_single_element().numpy().tolist()
        [0, 1, 2, 3]

        Raises:
          InvalidArgumentError: there is none, or more than one.
        """
    def group_by_window(self, key_func: Callable[..., Any], reduce_func: Callable[..., Any], window_size: TensorLike | None=None, window_size_func: Callable[..., Any] | None=None, name: str | None=None) -> Dataset:
        """Collects elements of the same key (an int64 scalar); each window goes through `reduce_func(key, dataset)`.

        >>> import graphrt as tf
        >>> odd_even = tf.data.Dataset.range(6).group_by_window(
        ...     lambda x: x % 2, lambda key, window: window.batch(3), window_size=3)
        >>> [x.tolist() for x in odd_even.as_numpy_iterator()]
        [[0, 2, 4], [1, 3, 5]]

        Raises:
          ValueError: not exactly one of `window_size` and `window_size_func` is given, or the key is no int64 scalar.
        """
    def ignore_errors(self, log_warning: bool=False, name: str | None=None) -> Dataset[T]:
        """The elements that can be made without an error.

        >>> import graphrt as tf
        >>> dataset = tf.data.Dataset.from_tensor_slices(["1", "x", "3"]).map(lambda s: tf.strings.to_number(s))
        >>> list(dataset.ignore_errors().as_numpy_iterator())
        [np.float32(1.0), np.float32(3.0)]
        """
    def interleave(self, map_func: Callable[..., Any], cycle_length: TensorLike | None=None, block_length: TensorLike | None=None, num_parallel_calls: TensorLike | None=None, deterministic: bool | None=None, name: str | None=None) -> Dataset:
        """The elements of the datasets that `map_func` gives: `block_length` of each, `cycle_length` at a time.

        >>> import graphrt as tf
        >>> dataset = tf.data.Dataset.range(1, 4).interleave(
        ...     lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2)
        >>> [x.item() for x in dataset.as_numpy_iterator()]
        [1, 1, 2, 2, 1, 2, 3, 3, 3]

        Raises:
          TypeError: the function does not give a dataset.
        """
    @staticmethod
    def list_files(file_pattern: TensorLike, shuffle: bool | None=None, seed: int | None=None, name: str | None=None) -> Dataset[Tensor]:
        """The names of the files that match a pattern (or several), shuffled unless `shuffle` is False.

        >>> import graphrt as tf
        >>> tf.data.Dataset.list_files("/", shuffle=False).element_spec
        TensorSpec(shape=(), dtype=tf.string, name=None)

        Raises:
          InvalidArgumentError: no file matches.
        """
    @staticmethod
    def load(path: Any, element_spec: Any=None, compression: str | None=None, reader_func: Callable[[Any], Any] | None=None, wait: bool=False) -> Dataset:
        """The dataset that was saved at `path`.

        `reader_func` makes it of a dataset of datasets, one for each file; by default they are read in turn. What TensorFlow
        saved is read, too; its compression is told by the files.

        Raises:
          NotFoundError: there is no saved dataset.
          TypeError: its elements are not of `element_spec`.
        """
    def map(self, map_func: Callable[..., Any], num_parallel_calls: Any=None, deterministic: bool | None=None, synchronous: bool | None=None, use_unbounded_threadpool: bool=False, name: str | None=None) -> Dataset:
        """Each element through `map_func`, which is traced once; on `num_parallel_calls` threads if given.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.range(3).map(lambda x: x * 10).as_numpy_iterator())
        [np.int64(0), np.int64(10), np.int64(20)]

        Raises:
          ValueError: `map_func` is not callable.
          TypeError: it returns what cannot be part of an element.
        """
    def padded_batch(self, batch_size: TensorLike, padded_shapes: object=None, padding_values: Any=None, drop_remainder: bool=False, name: str | None=None) -> Dataset[T]:
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
    def prefetch(self, buffer_size: TensorLike, name: str | None=None) -> Dataset[T]:
        """The elements, up to `buffer_size` (AUTOTUNE: a few) of which are made ahead, on a thread.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.range(2).prefetch(tf.data.AUTOTUNE).as_numpy_iterator())
        [np.int64(0), np.int64(1)]

        Raises:
          InvalidArgumentError: the size is negative.
        """
    def ragged_batch(self, batch_size: TensorLike, drop_remainder: bool=False, row_splits_dtype: DTypeLike=int64, name: str | None=None) -> Dataset:
        """Batches in which dimensions whose size is not known are ragged.

        >>> import graphrt as tf
        >>> dataset = tf.data.Dataset.range(4).map(lambda n: tf.range(n))
        >>> [batch.to_list() for batch in dataset.ragged_batch(2)]
        [[[], [0]], [[0, 1], [0, 1, 2]]]

        Raises:
          ValueError: the rank of the elements is not known.
          TypeError: an element is of a type that says itself how it is batched.
        """
    @staticmethod
    def random(seed: int | None=None, rerandomize_each_iteration: bool | None=None, name: str | None=None) -> Dataset[Tensor]:
        """Random numbers from 0 to 2**32 - 1, as int64 scalars, without end.

        >>> import graphrt as tf
        >>> a, b = (list(tf.data.Dataset.random(seed=4).take(3).as_numpy_iterator()) for _ in range(2))
        >>> a == b
        True
        """
    @staticmethod
    def range(*args: TensorLike, **kwargs: Any) -> Dataset[Tensor]:
        """The numbers of `range(stop)`, `range(start, stop)` or `range(start, stop, step)`, as `output_type` (int64).

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.range(1, 6, 2).as_numpy_iterator())
        [np.int64(1), np.int64(3), np.int64(5)]

        Raises:
          ValueError: there are not one to three numbers.
          InvalidArgumentError: the step is 0.
        """
    def rebatch(self, batch_size: TensorLike, drop_remainder: bool=False, name: str | None=None) -> Dataset[T]:
        """Batches cut anew into `batch_size` elements, or into sizes that go round.

        >>> import graphrt as tf
        >>> [x.tolist() for x in tf.data.Dataset.range(5).batch(2).rebatch(3).as_numpy_iterator()]
        [[0, 1, 2], [3, 4]]

        Raises:
          InvalidArgumentError: a size is not positive, or `batch_size` has more than one dimension.
        """
    def reduce(self, initial_state: TensorLike, reduce_func: Callable[..., Any], name: str | None=None) -> Tensor:
        """The last state of `state = reduce_func(state, element)`, from `initial_state` on.

        >>> import graphrt as tf
        >>> tf.data.Dataset.range(5).reduce(tf.constant(0, tf.int64), lambda total, x: total + x).numpy()
        np.int64(10)

        Raises:
          TypeError: the function gives another structure or other dtypes than those of the initial state.
        """
    def rejection_resample(self, class_func: Callable[..., Any], target_dist: TensorLike, initial_dist: TensorLike | None=None, seed: int | None=None, name: str | None=None) -> Dataset:
        """`(class, element)` pairs whose classes are distributed as `target_dist` says: elements are left out.

        `class_func` gives the class of an element, a number from 0 on. `initial_dist` is how the classes are
        distributed in this dataset; it is estimated while reading if it is not given.

        >>> import graphrt as tf
        >>> dataset = tf.data.Dataset.range(1000).map(lambda x: x % 2)
        >>> only_ones = dataset.rejection_resample(lambda x: x, target_dist=[0.0, 1.0], initial_dist=[0.5, 0.5])
        >>> {int(c) for c, _ in only_ones}
        {1}
        """
    def repeat(self, count: TensorLike | None=None, name: str | None=None) -> Dataset[T]:
        """The elements `count` times over; without end when it is None or -1.

        >>> import graphrt as tf
        >>> [x.item() for x in tf.data.Dataset.range(2).repeat(2).as_numpy_iterator()]
        [0, 1, 0, 1]
        """
    @staticmethod
    def sample_from_datasets(datasets: Sequence[Dataset], weights: TensorLike | None=None, seed: int | None=None, stop_on_empty_dataset: bool=False, rerandomize_each_iteration: bool | None=None) -> Dataset:
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
    def save(self, path: PathLike, compression: str | None=None, shard_func: Callable[..., Any] | None=None, checkpoint_args: Any=None) -> None:
        """Writes the elements into files below the directory `path`, which may hold an older version.

        `shard_func` gives each element the number of the file it goes to; `compression` is None, "GZIP", "ZLIB" or
        "SNAPPY". The files are TensorFlow's: its `Dataset.load` reads them.

        >>> import graphrt as tf, tempfile
        >>> with tempfile.TemporaryDirectory() as path:
        ...     tf.data.Dataset.range(3).save(path)
        ...     list(tf.data.Dataset.load(path).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(2)]

        Raises:
          ResourceExhaustedError: the disk is full.
          TypeError: the elements are more than tensors and structures of them.
          ValueError: checkpoints are asked for, which do not exist here.
        """
    def scan(self, initial_state: Any, scan_func: Callable[..., Any], name: str | None=None) -> Dataset:
        """The outputs of `state, output = scan_func(state, element)`, from `initial_state` on.

        >>> import graphrt as tf
        >>> sums = tf.data.Dataset.range(4).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))
        >>> list(sums.as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(3), np.int64(6)]

        Raises:
          TypeError: the function does not give a pair, or a state of another type than the initial one.
        """
    def shard(self, num_shards: TensorLike, index: TensorLike, name: str | None=None) -> Dataset[T]:
        """Every `num_shards`-th element, beginning with number `index`.

        >>> import graphrt as tf
        >>> [x.item() for x in tf.data.Dataset.range(7).shard(3, 1).as_numpy_iterator()]
        [1, 4]

        Raises:
          InvalidArgumentError: the index is not below the number of shards.
        """
    def shuffle(self, buffer_size: TensorLike, seed: int | None=None, reshuffle_each_iteration: bool | None=True, name: str | None=None) -> Dataset[T]:
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
    def skip(self, count: TensorLike, name: str | None=None) -> Dataset[T]:
        """The elements after the first `count`; none, when it is -1.

        >>> import graphrt as tf
        >>> [x.item() for x in tf.data.Dataset.range(4).skip(2).as_numpy_iterator()]
        [2, 3]
        """
    def snapshot(self, path: PathLike, compression: str | None='AUTO', reader_func: Callable[[Any], Any] | None=None, shard_func: Callable[..., Any] | None=None, name: str | None=None) -> Dataset[T]:
        """The elements, written below the directory `path` when they are first read to the end, and read from there later.

        Snapshots of different pipelines do not get in each other's way. `shard_func` and `reader_func` are those of
        `save` and `load`.

        >>> import graphrt as tf, tempfile
        >>> with tempfile.TemporaryDirectory() as path:
        ...     dataset = tf.data.Dataset.random(rerandomize_each_iteration=True).take(3).snapshot(path)
        ...     list(dataset.as_numpy_iterator()) == list(dataset.as_numpy_iterator())
        True
        """
    def sparse_batch(self, batch_size: TensorLike, row_shape: ShapeLike, name: str | None=None) -> Dataset:
        """Batches of tensors of different sizes as sparse tensors of shape [batch, *row_shape] (None: the largest).

        >>> import graphrt as tf
        >>> dataset = tf.data.Dataset.range(1, 3).map(lambda n: tf.range(n))
        >>> [tf.sparse.to_dense(x).numpy().tolist() for x in dataset.sparse_batch(2, [3])]
        [[[0, 0, 0], [0, 1, 0]]]

        Raises:
          TypeError: elements are not single tensors.
          DataLossError: while iterating, an element is larger than the row shape.
        """
    def take(self, count: TensorLike, name: str | None=None) -> Dataset[T]:
        """The first `count` elements; all, when it is -1.

        >>> import graphrt as tf
        >>> [x.item() for x in tf.data.Dataset.range(9).take(2).as_numpy_iterator()]
        [0, 1]
        """
    def take_while(self, predicate: Callable[..., Any], name: str | None=None) -> Dataset[T]:
        """The elements before the first one for which `predicate` gives False.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.range(9).take_while(lambda x: x < 2).as_numpy_iterator())
        [np.int64(0), np.int64(1)]

        Raises:
          ValueError: the predicate does not give a bool scalar.
        """
    def unbatch(self, name: str | None=None) -> Dataset:
        """The slices of each element along its first dimension.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.from_tensors([1, 2]).unbatch().as_numpy_iterator())
        [np.int32(1), np.int32(2)]

        Raises:
          ValueError: an element is a scalar, or its components have different numbers of rows.
        """
    def unique(self, name: str | None=None) -> Dataset[T]:
        """The elements, each the first time it comes.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.from_tensor_slices([1, 2, 1]).unique().as_numpy_iterator())
        [np.int32(1), np.int32(2)]
        """
    def window(self, size: TensorLike, shift: TensorLike | None=None, stride: PerAxis=1, drop_remainder: bool=False, name: str | None=None) -> Dataset:
        """Windows of `size` elements as datasets, which begin `shift` (`size`) apart and take every `stride`-th one.

        >>> import graphrt as tf
        >>> windows = tf.data.Dataset.range(5).window(3, shift=2)
        >>> [[x.item() for x in w.as_numpy_iterator()] for w in windows]
        [[0, 1, 2], [2, 3, 4], [4]]

        Raises:
          InvalidArgumentError: a number is not positive.
        """
    def with_options(self, options: Options, name: str | None=None) -> Dataset[T]:
        """The same elements, made under `options`.

        Raises:
          TypeError: it is no `tf.data.Options`.
        """
    @staticmethod
    def zip(*args: Any, datasets: Any=None, name: str | None=None) -> Dataset:
        """Elements of several datasets side by side, as long as the shortest: `zip(a, b)`, or `zip({"x": a, "y": b})`.

        >>> import graphrt as tf
        >>> a, b = tf.data.Dataset.range(2), tf.data.Dataset.range(5, 9)
        >>> [(x.item(), y.item()) for x, y in tf.data.Dataset.zip(a, b).as_numpy_iterator()]
        [(0, 5), (1, 6)]

        Raises:
          TypeError: something is no dataset.
        """
