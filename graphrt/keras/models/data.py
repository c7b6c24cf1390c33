"""Batches for `fit`, `evaluate` and `predict`: of arrays, datasets, generators, and `PyDataset`s."""

from __future__ import annotations

import abc
import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

import graphrt as tf
from graphrt import errors
from graphrt.keras.config import floatx
from graphrt.keras.models.sparse_rows import SparseRows, is_sparse, rows_of
from graphrt.types import structure
from graphrt.types.likes import Array, TensorLike
from graphrt.types.nesting import shown


def pack_x_y_sample_weight(x: TensorLike, y: TensorLike | None = None, sample_weight: Any = None) -> Any:
    """The element that stands for the three: `x`, `(x, y)` or `(x, y, sample_weight)`.

    >>> import graphrt as tf
    >>> tf.keras.utils.pack_x_y_sample_weight(1, 2)
    (1, 2)
    """
    if y is None:
        return x if not isinstance(x, (tuple, list)) else (x,)
    return (x, y) if sample_weight is None else (x, y, sample_weight)


def unpack_x_y_sample_weight(data: object) -> tuple[Any, Any, Any]:
    """The three of an element, None for what it lacks.

    >>> import graphrt as tf
    >>> tf.keras.utils.unpack_x_y_sample_weight((1, 2))
    (1, 2, None)

    Raises:
      ValueError: a tuple has more than three parts.
    """
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        return data, None, None
    if not 1 <= len(data) <= 3:
        raise ValueError(
            f"Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`, found: {data}"
        )
    return (*data, None, None)[:3]


class PyDataset:
    """Base of datasets of one's own: `__getitem__(i)` gives batch i, `__len__` says how many there are.

    >>> import numpy as np
    >>> import graphrt as tf
    >>> class Ones(tf.keras.utils.PyDataset):
    ...     def __len__(self):
    ...         return 2
    ...     def __getitem__(self, index):
    ...         return np.ones((4, 3)), np.ones((4, 1))
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    >>> model.compile(loss="mse")
    >>> len(model.fit(Ones(), verbose=0).history["loss"])
    1
    """

    def __init__(self, workers: int = 1, use_multiprocessing: bool = False, max_queue_size: int = 10) -> None:
        self.workers, self.use_multiprocessing, self.max_queue_size = workers, use_multiprocessing, max_queue_size

    def __getitem__(self, index: int) -> Any:
        """Batch `index`."""
        raise NotImplementedError(f"{type(self).__name__} must define `__getitem__`")

    def __len__(self) -> int:
        """The number of batches."""
        raise NotImplementedError(f"{type(self).__name__} must define `__len__`")

    @property
    def num_batches(self) -> int | None:
        """The number of batches; None if they go on for ever, which is for subclasses to say."""
        return len(self)

    def on_epoch_begin(self) -> None:
        """Called before each epoch."""

    def on_epoch_end(self) -> None:
        """Called after each epoch."""


# --- arrays ----------------------------------------------------------------------------------------------------------
def _is_array(value: Any) -> bool:
    return (
        isinstance(value, (np.ndarray, tf.Tensor, tf.Variable, SparseRows))
        or hasattr(value, "__array__")
        or is_sparse(value)
    )


def as_arrays(value: Any) -> Any:
    """The structure with arrays, or `SparseRows`, as leaves: floats in the default precision; lists of numbers are one."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        return {k: as_arrays(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        if value and any(_is_array(v) or isinstance(v, (Mapping, tuple)) for v in value):
            return type(value)(as_arrays(v) for v in value) if type(value) in (list, tuple) else value
        return _standard(np.asarray(value))
    if isinstance(value, SparseRows):
        return value
    if is_sparse(value):
        return rows_of(value)
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return _standard(np.asarray(value))
    if hasattr(value, "to_numpy"):
        found = np.asarray(value.to_numpy())
        if found.dtype == object and getattr(value, "ndim", 1) == 2:  # columns of several dtypes
            found = found.astype(floatx())
        return _standard(found[:, None] if found.ndim == 1 else found)
    return _standard(np.asarray(value))


def as_dense_arrays(value: Any) -> Any:
    """As `as_arrays`, of targets and weights, which losses take as arrays."""
    return structure.map_structure(
        lambda v: np.asarray(tf.sparse.to_dense(v.tensor())) if isinstance(v, SparseRows) else v, as_arrays(value)
    )


def as_batch(rows: Any) -> Any:
    """Rows as a tensor, dense or sparse; None for None."""
    return rows.tensor() if isinstance(rows, SparseRows) else None if rows is None else tf.convert_to_tensor(rows)


def _standard(array: Array) -> Array:
    if array.dtype.kind == "f" and array.dtype.name != floatx():
        return array.astype(floatx())
    return array


def sample_count(parts: dict[str, Any]) -> int:
    """The number of samples, the same in all arrays.

    Raises:
      ValueError: the arrays differ in it, or there is none.
    """
    for name, value in parts.items():
        if any(np.ndim(a) == 0 for a in structure.flatten(value) if isinstance(a, np.ndarray)):
            raise ValueError(
                errors.at_user_line(f"`{name}` must hold arrays with an axis of samples, found {shown(value)}")
            )
    sizes = {
        name: [len(a) for a in structure.flatten(value) if a is not None]
        for name, value in parts.items()
        if value is not None
    }
    found = {n for counts in sizes.values() for n in counts}
    if len(found) > 1:
        told = "\n".join(f"'{name}' sizes: {', '.join(map(str, counts))}" for name, counts in sizes.items())
        raise ValueError(
            f"Data cardinality is ambiguous. Make sure all arrays contain the same number of samples.\n{told}"
        )
    if not found:
        raise ValueError(f"`x` must hold at least one array, found {shown(parts.get('x'))}")
    return found.pop()


def split_arrays(arrays: Any, validation_split: float) -> tuple[Any, Any]:
    """The arrays without their last share, and that share.

    Raises:
      ValueError: one of the parts would be empty.
    """
    flat = [a for a in structure.flatten(arrays) if a is not None]
    if not flat or not 0 < validation_split < 1:
        raise ValueError(
            f"`validation_split` must be between 0 and 1, and `x` hold arrays to split: found {validation_split!r} and "
            f"{len(flat)} arrays"
        )
    count = len(flat[0])
    at = math.floor(count * (1.0 - validation_split))
    if at == 0 or at == count:
        raise ValueError(
            f"Training data contains {count} samples, which is not sufficient to split it into a validation and "
            f"training set as specified by `validation_split={validation_split}`. Either provide more data, or a "
            "different value for the `validation_split` argument."
        )
    return (
        structure.map_structure(lambda a: None if a is None else a[:at], arrays),
        structure.map_structure(lambda a: None if a is None else a[at:], arrays),
    )


# --- batches ---------------------------------------------------------------------------------------------------------
class Batches(abc.ABC):
    """The batches of each epoch, as tuples of tensors `(x, y, sample_weight)` cut to what there is.

    `steps` is how many there are in an epoch, or None while nobody knows.
    """

    steps: int | None = None
    begun = False  # whether an epoch had batches
    ended = False  # whether there are none any more, nor will be

    def restart(self) -> None:
        """Lets the next epoch begin with the first batch, if that can be had again."""
        self.ended = False

    def executions(self, count: int) -> Iterator[tuple[int, int, list[Any]]]:
        """The batches of the next epoch in groups of `count`, with the numbers of the first and the last."""
        batches = self.epoch()
        for first in itertools.count(0, count):
            group = list(itertools.islice(batches, count))
            if not group:
                return
            yield first, first + count - 1, group

    @abc.abstractmethod
    def epoch(self) -> Iterator[Any]:
        """The batches of the next epoch."""


class ArrayBatches(Batches):
    """Batches cut out of arrays, in an order that is new in each epoch if wanted."""

    def __init__(
        self, x: Any, y: TensorLike | None, sample_weight: Any, batch_size: int | None, shuffle: bool, class_weight: Any
    ) -> None:
        x, y, sample_weight = as_arrays(x), as_dense_arrays(y), as_dense_arrays(sample_weight)
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError("You cannot `class_weight` and `sample_weight` at the same time.")
            sample_weight = weights_of_classes(y, class_weight)
        self._arrays = pack_x_y_sample_weight(x, y, sample_weight)
        self._count = sample_count({"x": x, "y": y, "sample_weight": sample_weight})
        self._size = batch_size or 32
        self._shuffle = shuffle
        self.steps = math.ceil(self._count / self._size)

    def __iter__(self) -> Iterator[Any]:
        return self.epoch()

    def epoch(self) -> Iterator[Any]:
        """The batches of the next epoch."""
        order: Any = None
        if self._shuffle == "batch":
            order = np.concatenate([
                np.arange(at, min(at + self._size, self._count))
                for at in tf.random.shuffle(range(0, self._count, self._size)).numpy()
            ])  # fmt: skip
        elif self._shuffle:
            order = self._order()
        for at in range(0, self._count, self._size):
            rows = slice(at, at + self._size) if order is None else order[at : at + self._size]
            yield structure.map_structure(lambda a: None if a is None else as_batch(a[rows]), self._arrays)

    def _order(self) -> Array:
        """The samples in another order; under a global seed always the same one, which is TensorFlow's."""
        count = self._count
        orders = tf.data.Dataset.range(1).map(lambda _: tf.random.shuffle(tf.range(count, dtype=tf.int64)))
        return next(iter(orders)).numpy()


class IteratedBatches(Batches):
    """Batches that something gives one by one: a dataset, a generator, a `PyDataset`."""

    def __init__(
        self, source: Any, class_weight: Any, steps: int | None, shuffle: bool = False, per_execution: int = 1
    ) -> None:
        self._source, self._class_weight, self._shuffle = source, class_weight, shuffle
        self._limit = (
            None if steps is None else math.ceil(steps / per_execution) * per_execution
        )  # all executions whole
        self._open: Iterator[Any] | None = None
        self.steps = steps if steps is not None else _length(source)

    def epoch(self) -> Iterator[Any]:
        """The batches of the next epoch; with a number of steps, it goes on where the last one ended."""
        if self._open is None or self._limit is None:
            self._open = iter(self._begin())
        given = 0
        while self._limit is None or given < self._limit:
            try:
                assert self._open is not None
                element = next(self._open)
            except StopIteration:
                self._open = None
                if given == 0 and self._limit is not None and self._again():
                    continue
                self.ended = given == 0 and hasattr(self._source, "__next__")
                if self.ended or (self.steps is not None and self._limit is not None and given < self.steps):
                    errors.warn(
                        "Your input ran out of data; interrupting training. Make sure that your dataset or generator "
                        "can generate at least `steps_per_epoch * epochs` batches. You may need to use the "
                        "`.repeat()` function when building your dataset."
                    )
                break
            given += 1
            yield self._tensors(element)
        if self.steps is None:
            self.steps = given
        if hasattr(self._source, "on_epoch_end"):
            self._source.on_epoch_end()

    def restart(self) -> None:
        """Lets the next epoch begin with the first batch, but of generators."""
        if not hasattr(self._source, "__next__"):
            self._open = None

    def _again(self) -> bool:
        if hasattr(self._source, "__next__"):
            return False
        self._open = iter(self._begin())
        return True

    def _begin(self) -> Any:
        if not _is_indexed(self._source):
            return self._source
        if hasattr(self._source, "on_epoch_begin"):
            self._source.on_epoch_begin()
        count = _length(self._source)
        if count is None:
            return map(self._source.__getitem__, itertools.count())
        order = range(count)
        if self._shuffle:
            order = tf.random.shuffle(list(order)).numpy().tolist()
        return (self._source[i] for i in order)

    def _tensors(self, element: Any) -> Any:
        if not _is_dataset(self._source) and not isinstance(self._source, ArrayBatches):
            if isinstance(element, list):
                element = tuple(element)
            element = structure.map_structure(lambda v: v, element)
            element = _converted(element)
        if self._class_weight is not None:
            x, y, weight = unpack_x_y_sample_weight(element)
            if weight is not None:
                raise ValueError("You cannot `class_weight` and `sample_weight` at the same time.")
            element = (x, y, tf.constant(weights_of_classes(as_arrays(y), self._class_weight)))
        return element


def _converted(element: Array | tuple[Array, Array]) -> Any:
    if element is None or isinstance(element, (tf.Tensor, tf.Variable, tf.SparseTensor, tf.RaggedTensor)):
        return element
    if is_sparse(element):
        return rows_of(element).tensor()
    if isinstance(element, tuple):
        return tuple(_converted(v) for v in element)
    if isinstance(element, Mapping):
        return {k: _converted(v) for k, v in element.items()}
    if isinstance(element, list) and any(_is_array(v) for v in element):
        return [_converted(v) for v in element]
    return tf.convert_to_tensor(_standard(np.asarray(element)))


def _is_dataset(value: object) -> bool:
    return isinstance(value, tf.data.Dataset)


def _length(source: Any) -> int | None:
    if _is_dataset(source):
        count = int(source.cardinality())
        return count if count >= 0 else None
    if isinstance(source, PyDataset):
        return source.num_batches
    return len(source) if _is_indexed(source) else None


def _is_indexed(source: object) -> bool:
    return not _is_dataset(source) and hasattr(source, "__getitem__") and hasattr(source, "__len__")


def weights_of_classes(y: Any, class_weight: Mapping[int, float]) -> Any:
    """The weight of each sample, from that of its class."""
    if isinstance(y, (list, tuple, dict)):
        raise ValueError("`class_weight` is only supported for models with a single output.")
    errors.expect(class_weight, Mapping, "class_weight", "a dictionary from classes to weights")
    labels = np.asarray(y)
    if labels.ndim > 1 and labels.shape[-1] > 1:
        labels = labels.argmax(axis=-1)
    elif labels.ndim > 1:
        labels = labels[..., 0]
    table = {int(k): float(v) for k, v in class_weight.items()}
    return np.array([table.get(int(c), 1.0) for c in labels.ravel()], np.float32).reshape(labels.shape)


def batches_of(
    x: object, y: TensorLike | None = None, sample_weight: Any = None, batch_size: int | None = None,
    shuffle: bool = False, class_weight: Any = None, steps: int | None = None, per_execution: int = 1
) -> Batches:  # fmt: skip
    """The batches of whatever `fit` was given.

    Raises:
      ValueError: targets or weights are given beside something that gives them itself, or the data has an odd type.
    """
    if isinstance(x, Batches):
        return x
    iterated = _is_dataset(x) or isinstance(x, PyDataset) or hasattr(x, "__next__") or (
        hasattr(x, "__iter__") and not _is_array(x) and not isinstance(x, (list, tuple, Mapping, str))
    )  # fmt: skip
    if not iterated:
        if x is None and y is None:
            raise ValueError("there is no data: `x` is None")
        arrays = ArrayBatches(x, y, sample_weight, batch_size, shuffle, class_weight)
        return arrays if steps is None else IteratedBatches(arrays, None, steps, per_execution=per_execution)
    kind = "a tf.data.Dataset" if _is_dataset(x) else "a generator or PyDataset"
    if y is not None:
        raise ValueError(f"When providing `x` as {kind}, `y` should not be passed. The targets should be included as "
                         "part of it.")  # fmt: skip
    if sample_weight is not None:
        raise ValueError(f"When providing `x` as {kind}, `sample_weight` should not be passed. It should be included "
                         "as part of it.")  # fmt: skip
    return IteratedBatches(x, class_weight, steps, shuffle and isinstance(x, PyDataset), per_execution)
