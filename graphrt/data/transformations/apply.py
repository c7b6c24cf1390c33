"""`Dataset.apply`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.data.dataset import Dataset, checked_dataset
from graphrt.data.methods import transformation


@transformation
def apply(self: Dataset, transformation_func: Callable[[Any], Any]) -> Dataset:
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
            errors.at_user_line(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(result)}.")
        )
    return checked_dataset(result)
