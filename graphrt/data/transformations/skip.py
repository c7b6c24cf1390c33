"""`Dataset.skip`: the elements after the first."""

from __future__ import annotations

from collections.abc import Iterator

from graphrt.data.arguments import as_long
from graphrt.data.dataset import Dataset, same_elements
from graphrt.data.declaration import dataset_op
from graphrt.data.methods import T, transformation
from graphrt.data.pipeline import Element, Run
from graphrt.data.stretches import behind
from graphrt.data.transformations.take import Take
from graphrt.types.likes import TensorLike


class Behind:
    """Every element behind `first` others, and behind `between` others from there on; an error begins the counting anew."""

    __slots__ = ("_between", "_following", "_passed")

    def __init__(self, elements: Iterator[Element], first: int, between: int) -> None:
        self._following = elements.__next__
        self._between = between
        self._passed = first

    def __iter__(self) -> Behind:
        return self

    def __next__(self) -> Element:
        for _ in range(self._passed):
            self._following()
        self._passed = 0
        found = self._following()
        self._passed = self._between
        return found


class Skip(Take):
    """The elements after the first `size` (none, when negative)."""

    __slots__ = ()

    def stretches(self) -> Iterator[Element] | None:
        stretches = None if self.size < 0 else self.input.stretches()
        return None if stretches is None else behind(stretches, self.size)

    def open(self, run: Run) -> Iterator[Element]:
        if self.size < 0:
            return iter(())
        return Behind(self.input.open(run), self.size, 0)

    def count(self) -> int:
        n = self.input.count()
        if n < 0:
            return n
        return 0 if self.size < 0 else max(0, n - self.size)


SkipDataset = dataset_op("SkipDataset", "input_dataset: variant, count: int64", lambda x, n: Skip(x, int(n)))


@transformation
def skip(self: Dataset[T], count: TensorLike, name: str | None = None) -> Dataset[T]:
    """The elements after the first `count`; none, when it is -1.

    >>> import graphrt as tf
    >>> [x.item() for x in tf.data.Dataset.range(4).skip(2).as_numpy_iterator()]
    [2, 3]
    """
    return same_elements(self, SkipDataset, "_SkipDataset", as_long(count, "count"), name=name)
