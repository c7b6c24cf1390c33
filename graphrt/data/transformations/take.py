"""`Dataset.take`: the first elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphrt.data.arguments import as_long
from graphrt.data.dataset import Dataset, same_elements
from graphrt.data.declaration import dataset_op
from graphrt.data.failures import Failed, guarded, surviving
from graphrt.data.methods import T, transformation
from graphrt.data.pipeline import INFINITE, UNKNOWN, Element, Run, Source, Wrapping
from graphrt.data.stretches import first
from graphrt.types.likes import TensorLike


class Take(Wrapping):
    """The first `size` elements (all, when negative)."""

    __slots__ = ("size",)

    def __init__(self, input: Source, size: int) -> None:
        super().__init__(input)
        self.size = size

    def stretches(self) -> Iterator[Element] | None:
        stretches = self.input.stretches()
        return stretches if self.size < 0 or stretches is None else first(stretches, self.size)

    def open(self, run: Run) -> Iterator[Element]:
        if self.size < 0:
            return self.input.open(run)
        if self.size == 0:
            return iter(())
        return self._first(run)

    @surviving
    def _first(self, run: Run) -> Iterator[Any]:
        left = self.size
        for element in guarded(self.input.open(run)):
            yield element
            left -= type(element) is not Failed
            if not left:
                return

    def count(self) -> int:
        n = self.input.count()
        if self.size < 0 or n == UNKNOWN:
            return n
        return self.size if n == INFINITE else min(n, self.size)


TakeDataset = dataset_op("TakeDataset", "input_dataset: variant, count: int64", lambda x, n: Take(x, int(n)))


@transformation
def take(self: Dataset[T], count: TensorLike, name: str | None = None) -> Dataset[T]:
    """The first `count` elements; all, when it is -1.

    >>> import graphrt as tf
    >>> [x.item() for x in tf.data.Dataset.range(9).take(2).as_numpy_iterator()]
    [0, 1]
    """
    return same_elements(self, TakeDataset, "_TakeDataset", as_long(count, "count"), name=name)
