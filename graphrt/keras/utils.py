"""`keras.utils`: seeds, one-hot labels, padding of sequences, splitting of data, the progress bar."""

from __future__ import annotations

import math
import random as _python_random
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

import graphrt as tf
from graphrt import errors
from graphrt.keras.config import standardize_dtype
from graphrt.keras.configurable import (
    custom_object_scope,
    get_custom_objects,
    get_registered_name,
    get_registered_object,
    register_keras_serializable,
)
from graphrt.keras.models.data import PyDataset, pack_x_y_sample_weight, unpack_x_y_sample_weight
from graphrt.keras.progress import Progbar
from graphrt.keras.random import clear_session, forget_global_seeds
from graphrt.keras.saving import deserialize_keras_object, serialize_keras_object
from graphrt.keras.symbolic import is_keras_tensor
from graphrt.types.likes import Array, TensorLike
from graphrt.types.limits import check_bytes, made
from graphrt.types.missing import missing_names
from graphrt.types.nesting import shown

if not TYPE_CHECKING:  # checkers of types know what is there
    __getattr__ = missing_names(__name__)

Sequence = PyDataset
CustomObjectScope = custom_object_scope

__all__ = [
    "CustomObjectScope", "Progbar", "PyDataset", "Sequence", "clear_session", "custom_object_scope",
    "deserialize_keras_object", "get_custom_objects", "get_registered_name", "get_registered_object",
    "is_keras_tensor", "normalize", "pack_x_y_sample_weight", "pad_sequences", "register_keras_serializable",
    "serialize_keras_object", "set_random_seed", "split_dataset", "standardize_dtype",
    "timeseries_dataset_from_array", "to_categorical", "unpack_x_y_sample_weight",
]  # fmt: skip


def set_random_seed(seed: int) -> None:
    """Sets the seeds of Python, NumPy and graphrt: weights, shuffling and dropout become repeatable.

    >>> import graphrt as tf
    >>> tf.keras.utils.set_random_seed(7)
    >>> first = tf.random.normal([3])
    >>> tf.keras.utils.set_random_seed(7)
    >>> bool((first == tf.random.normal([3])).numpy().all())
    True

    Raises:
      ValueError: `seed` is no integer.
    """
    if not isinstance(seed, int):
        raise ValueError(f"Expected `seed` argument to be an integer. Received: seed={seed} (of type {type(seed)})")
    _python_random.seed(seed)
    np.random.seed(seed)
    tf.random.set_seed(seed)
    forget_global_seeds()


def to_categorical(x: TensorLike, num_classes: int | None = None) -> Array:
    """Integers as one-hot vectors.

    >>> import graphrt as tf
    >>> tf.keras.utils.to_categorical([0, 2], 3).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    if isinstance(x, tf.Tensor):
        count = num_classes or int(tf.reduce_max(x)) + 1
        found: Any = tf.one_hot(tf.squeeze(x, -1) if len(x.shape) > 1 and x.shape[-1] == 1 else x, count)
        return found
    labels = np.asarray(x, dtype=np.int64)
    if labels.size and not 0 <= labels.min() <= labels.max() < (num_classes or labels.max() + 1):
        raise ValueError(
            f"labels must be in [0, num_classes), found {labels.min()} to {labels.max()} with num_classes={num_classes}"
        )
    shape = labels.shape[:-1] if labels.ndim > 1 and labels.shape[-1] == 1 else labels.shape
    flat = labels.ravel()
    count = num_classes or int(flat.max()) + 1
    check_bytes(len(flat) * count * 8, "the vectors")
    found = made("the vectors", np.zeros, (len(flat), count))
    found[np.arange(len(flat)), flat] = 1
    return found.reshape((*shape, count))


def normalize(x: TensorLike, axis: int = -1, order: int = 2) -> Array:
    """Vectors along `axis` divided by their norms.

    >>> import graphrt as tf
    >>> tf.keras.utils.normalize([[3.0, 4.0]]).round(2).tolist()
    [[0.6, 0.8]]
    """
    array = np.asarray(x)
    size = np.atleast_1d(np.linalg.norm(array, order, axis))
    size[size == 0] = 1
    return array / np.expand_dims(size, axis)


def pad_sequences(
    sequences: Any, maxlen: int | None = None, dtype: str | type | np.dtype[Any] = "int32",
    padding: str = "pre", truncating: str = "pre",
    value: float = 0.0,
) -> Any:  # fmt: skip
    """Sequences of several lengths as one array: padded, or cut, at the front ('pre') or the end ('post').

    >>> import graphrt as tf
    >>> tf.keras.utils.pad_sequences([[1], [2, 3]]).tolist()
    [[0, 1], [2, 3]]

    Raises:
      ValueError: something is no sequence, or an option is not known.
    """
    if padding not in ("pre", "post") or truncating not in ("pre", "post"):
        raise ValueError(f"padding and truncating are 'pre' or 'post'; received {shown(padding)} and {truncating!r}")
    rows = []
    for row in sequences:
        if not isinstance(row, Iterable):
            raise ValueError(f"`sequences` must be a list of iterables. Found non-iterable: {row}")
        rows.append(np.asarray(list(row)))
    errors.expect(maxlen, (int, np.integer, type(None)), "maxlen", "a whole number, or None")
    length = max((len(r) for r in rows), default=0) if maxlen is None else maxlen
    rest = next((r.shape[1:] for r in rows if len(r)), ())
    check_bytes(
        len(rows) * length * math.prod(rest) * np.dtype(object if dtype is str else dtype).itemsize,
        "the padded sequences",
    )
    shape = (len(rows), length, *rest)
    found: Any = made("the padded sequences", np.full, shape, value, dtype=object if dtype is str else dtype)
    for i, row in enumerate(rows):
        if not len(row):
            continue
        kept = row[len(row) - min(length, len(row)) :] if truncating == "pre" else row[:length]
        if kept.shape[1:] != rest:
            raise ValueError(f"Shape of sample {kept.shape[1:]} of sequence at position {i} is different from expected "
                             f"shape {rest}")  # fmt: skip
        if len(kept):
            found[i, -len(kept) :] = kept if padding == "pre" else found[i, -len(kept) :]
            if padding == "post":
                found[i, : len(kept)] = kept
    return found


def split_dataset(
    dataset: Any, left_size: float | None = None, right_size: Any = None, shuffle: bool = False, seed: Any = None
) -> tuple[Any, Any]:
    """Two datasets of arrays or of a dataset: sizes are numbers of samples or shares.

    >>> import graphrt as tf
    >>> left, right = tf.keras.utils.split_dataset(tf.data.Dataset.range(10), left_size=0.8)
    >>> int(left.cardinality()), int(right.cardinality())
    (8, 2)

    Raises:
      ValueError: no size is given, or it is larger than the data.
    """
    if left_size is None and right_size is None:
        raise ValueError("At least one of the `left_size` or `right_size` must be specified.")
    data = dataset if isinstance(dataset, tf.data.Dataset) else tf.data.Dataset.from_tensor_slices(dataset)
    elements = list(data)
    count = len(elements)
    if shuffle:
        order = np.random.default_rng(seed).permutation(count)
        elements = [elements[i] for i in order]

    def as_count(size: Any) -> int | None:
        return None if size is None else round(size * count) if isinstance(size, float) else int(size)

    left, right = as_count(left_size), as_count(right_size)
    left = count - right if left is None and right is not None else left
    right = count - left if right is None and left is not None else right
    assert left is not None and right is not None
    if left + right > count or left < 0 or right < 0:
        raise ValueError(f"The sum of `left_size` and `right_size` should be at most {count}, the number of samples; "
                         f"received left_size={left_size}, right_size={right_size}")  # fmt: skip

    def again(part: list[Any]) -> Any:
        return tf.data.Dataset.from_tensor_slices(tf.nest.map_structure(lambda *v: tf.stack(v), *part)) if part else (
            data.take(0)
        )  # fmt: skip

    return again(elements[:left]), again(elements[count - right :])


def timeseries_dataset_from_array(
    data: TensorLike, targets: Any, sequence_length: int, sequence_stride: int = 1, sampling_rate: int = 1,
    batch_size: int | None = 128, shuffle: bool = False, seed: int | None = None, start_index: int | None = None,
    end_index: int | None = None,
) -> Any:  # fmt: skip
    """A dataset of windows of a series, with the target of each if `targets` is not None.

    >>> import graphrt as tf
    >>> windows = tf.keras.utils.timeseries_dataset_from_array([0, 1, 2, 3], None, sequence_length=3)
    >>> next(iter(windows)).numpy().tolist()
    [[0, 1, 2], [1, 2, 3]]

    Raises:
      ValueError: a size is not positive.
    """
    for name, value in (("sequence_length", sequence_length), ("sequence_stride", sequence_stride),
                        ("sampling_rate", sampling_rate)):  # fmt: skip
        if not isinstance(value, (int, np.integer)):
            raise TypeError(f"`{name}` must be a whole number, found {shown(value)}")
        if value <= 0:
            raise ValueError(f"`{name}` must be higher than 0. Received: {value}")
    for name, place in (("start_index", start_index), ("end_index", end_index)):
        errors.expect(place, (int, np.integer, type(None)), name, "a whole number, or None")
    array = np.asarray(data)
    first, last = start_index or 0, len(array) if end_index is None else end_index
    span = (sequence_length - 1) * sampling_rate
    starts = np.arange(first, last - span, sequence_stride)
    wanted = None if targets is None else np.asarray(targets)
    if wanted is not None:
        starts = starts[starts < first + len(wanted)]
    if shuffle:
        starts = np.random.default_rng(seed).permutation(starts)
    rows = array[starts[:, None] + np.arange(sequence_length) * sampling_rate]
    parts = rows if wanted is None else (rows, wanted[starts - first] if start_index is None else wanted[starts])
    made = tf.data.Dataset.from_tensor_slices(parts)
    return made if batch_size is None else made.batch(batch_size)
