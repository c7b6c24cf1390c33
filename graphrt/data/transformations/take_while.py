"""`Dataset.take_while`: the elements before the first one for which a predicate does not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from graphrt.data.dataset import Dataset, same_elements
from graphrt.data.declaration import INPUT, PREDICATE, dataset_op
from graphrt.data.failures import Failed, answered, surviving
from graphrt.data.methods import T, transformation
from graphrt.data.pipeline import UNKNOWN, Called, Run, WithFunction
from graphrt.data.structured_function import check_predicate, trace, truthful


class TakeWhile(WithFunction):
    """The elements before the first one for which a predicate does not hold."""

    __slots__ = ()

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        for answer in answered(self.input.open(run), truthful(Called(run, self.graph, self.captured), self.graph)):
            if type(answer) is Failed:
                yield answer
                continue
            _, element, (holds,) = answer
            if not holds:
                return
            yield element

    def count(self) -> int:
        return UNKNOWN


TakeWhileDataset = dataset_op(
    "TakeWhileDataset", INPUT, lambda x, extra, *, predicate: TakeWhile(x, predicate, extra), PREDICATE
)


@transformation
def take_while(self: Dataset[T], predicate: Callable[..., Any], name: str | None = None) -> Dataset[T]:
    """The elements before the first one for which `predicate` gives False.

    >>> import graphrt as tf
    >>> list(tf.data.Dataset.range(9).take_while(lambda x: x < 2).as_numpy_iterator())
    [np.int64(0), np.int64(1)]

    Raises:
      ValueError: the predicate does not give a bool scalar.
    """
    traced = trace(predicate, "take_while", [self.element_spec])
    check_predicate(traced)
    return same_elements(
        self, TakeWhileDataset, "_TakeWhileDataset", traced.captured, predicate=traced.graph, name=name
    )
