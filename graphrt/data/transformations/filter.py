"""`Dataset.filter`: the elements for which a predicate holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from graphrt import errors
from graphrt.data.dataset import Dataset, same_elements
from graphrt.data.declaration import INPUT, PREDICATE, dataset_op
from graphrt.data.methods import transformation
from graphrt.data.pipeline import UNKNOWN, Applied, Element, Run, explain
from graphrt.data.structured_function import check_predicate, trace
from graphrt.data.transformations.map import Map


class _Filtered(Applied):
    __slots__ = ()

    def __next__(self) -> Element:
        function, following = self.function, self.following
        try:
            while True:
                element = following()
                self.index += 1
                if function(*element)[0]:
                    return element
        except errors.OpError as error:
            raise explain(error, self.graph, self.index)  # noqa: B904  the same error


class Filter(Map):
    """The elements for which a predicate holds."""

    __slots__ = ()

    def open(self, run: Run) -> Iterator[Element]:
        return _Filtered(self.input.open(run), run.function_of(self.graph, self.captured), self.graph)

    def count(self) -> int:
        return UNKNOWN


FilterDataset = dataset_op(
    "FilterDataset", INPUT, lambda x, extra, *, predicate: Filter(x, predicate, extra), PREDICATE
)


@transformation
def filter_(self: Dataset, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
    """The elements for which `predicate` gives True.

    >>> import graphrt as tf
    >>> list(tf.data.Dataset.range(5).filter(lambda x: x > 2).as_numpy_iterator())
    [np.int64(3), np.int64(4)]

    Raises:
      ValueError: the predicate does not give a bool scalar.
    """
    traced = trace(predicate, "filter", [self.element_spec])
    check_predicate(traced)
    return same_elements(self, FilterDataset, "_FilterDataset", traced.captured, predicate=traced.graph, name=name)
