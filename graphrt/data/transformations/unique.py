"""`Dataset.unique`: each element the first time it comes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt.data.dataset import Dataset, same_elements
from graphrt.data.declaration import dataset_op
from graphrt.data.failures import each, guarded, surviving
from graphrt.data.methods import T, transformation
from graphrt.data.pipeline import UNKNOWN, Element, Run, Wrapping
from graphrt.types.likes import Array


def _key(value: Array) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return tuple(value.ravel().tolist()), value.shape
        return value.tobytes(), value.shape
    return value.tobytes() if isinstance(value, np.generic) else value


class Unique(Wrapping):
    """The elements that have not been seen before."""

    __slots__ = ()

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        seen = set()

        def first(element: Element) -> Iterator[Element]:
            key = tuple(map(_key, element))
            if key not in seen:
                seen.add(key)
                yield element

        return each(guarded(self.input.open(run)), first)

    def count(self) -> int:
        return UNKNOWN


UniqueDataset = dataset_op("UniqueDataset", "input_dataset: variant", Unique)


@transformation
def unique(self: Dataset[T], name: str | None = None) -> Dataset[T]:
    """The elements, each the first time it comes.

    >>> import graphrt as tf
    >>> list(tf.data.Dataset.from_tensor_slices([1, 2, 1]).unique().as_numpy_iterator())
    [np.int32(1), np.int32(2)]
    """
    return same_elements(self, UniqueDataset, "_UniqueDataset", name=name)
