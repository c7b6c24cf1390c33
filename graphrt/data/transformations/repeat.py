"""`Dataset.repeat`: the elements several times over."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from graphrt.data.arguments import as_long
from graphrt.data.dataset import Dataset, same_elements
from graphrt.data.declaration import dataset_op
from graphrt.data.failures import guarded, surviving
from graphrt.data.methods import T, transformation
from graphrt.data.pipeline import INFINITE, Element, Run, Source, Wrapping
from graphrt.types.likes import TensorLike


class Repeat(Wrapping):
    """The input several times over (without end, when `times` is negative)."""

    __slots__ = ("times",)

    def __init__(self, input: Source, times: int) -> None:
        super().__init__(input)
        self.times = times

    def stretches(self) -> Iterator[Element] | None:
        first = self.input.stretches()
        return None if first is None else self._again(first)

    def _again(self, first: Iterator[Element]) -> Iterator[Element]:
        """The stretches of all rounds; those of the first are `first`."""
        following: Iterator[Element] | None = first
        for _ in itertools.repeat(None) if self.times < 0 else itertools.repeat(None, self.times):
            empty = True
            for stretch in following or ():
                empty = False
                yield stretch
            if empty:
                return
            following = self.input.stretches()

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        rounds = itertools.repeat(None) if self.times < 0 else itertools.repeat(None, self.times)
        for _ in rounds:
            empty = True
            for element in guarded(self.input.open(run)):
                empty = False
                yield element
            if empty and self.times < 0:
                return
        # TensorFlow opens the input once more before it counts, unless it is a shuffle, with which it forms one step
        if self.times > 0 and not self.input.repeats_itself:
            self.input.pass_over()

    def count(self) -> int:
        n = self.input.count()
        if self.times < 0:
            return 0 if n == 0 else INFINITE
        if self.times == 0:
            return 0
        return n if n < 0 else n * self.times


RepeatDataset = dataset_op("RepeatDataset", "input_dataset: variant, count: int64", lambda x, n: Repeat(x, int(n)))


@transformation
def repeat(self: Dataset[T], count: TensorLike | None = None, name: str | None = None) -> Dataset[T]:
    """The elements `count` times over; without end when it is None or -1.

    >>> import graphrt as tf
    >>> [x.item() for x in tf.data.Dataset.range(2).repeat(2).as_numpy_iterator()]
    [0, 1, 0, 1]
    """
    return same_elements(
        self, RepeatDataset, "_RepeatDataset", as_long(-1 if count is None else count, "count"), name=name
    )
