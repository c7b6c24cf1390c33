"""`Dataset.skip`: the elements after the first."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from graphrt.data.arguments import as_long
from graphrt.data.dataset import Dataset, same_elements
from graphrt.data.declaration import dataset_op
from graphrt.data.methods import transformation
from graphrt.data.pipeline import Element, Run
from graphrt.data.stretches import behind
from graphrt.data.transformations.take import Take
from graphrt.types.likes import TensorLike


class Skip(Take):
    """The elements after the first `size` (none, when negative)."""

    __slots__ = ()

    def stretches(self) -> Iterator[Element] | None:
        stretches = None if self.size < 0 else self.input.stretches()
        return None if stretches is None else behind(stretches, self.size)

    def open(self, run: Run) -> Iterator[Element]:
        if self.size < 0:
            return iter(())
        return itertools.islice(self.input.open(run), self.size, None)

    def count(self) -> int:
        n = self.input.count()
        if n < 0:
            return n
        return 0 if self.size < 0 else max(0, n - self.size)


SkipDataset = dataset_op("SkipDataset", "input_dataset: variant, count: int64", lambda x, n: Skip(x, int(n)))


@transformation
def skip(self: Dataset, count: TensorLike, name: str | None = None) -> Dataset:
    """The elements after the first `count`; none, when it is -1.

    >>> import graphrt as tf
    >>> [x.item() for x in tf.data.Dataset.range(4).skip(2).as_numpy_iterator()]
    [2, 3]
    """
    return same_elements(self, SkipDataset, "_SkipDataset", as_long(count, "count"), name=name)
