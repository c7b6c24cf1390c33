"""`Dataset.filter`: the elements for which a predicate holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from graphrt import errors
from graphrt.data.dataset import Dataset, same_elements
from graphrt.data.declaration import INPUT, PREDICATE, dataset_op
from graphrt.data.methods import T, transformation
from graphrt.data.pipeline import UNKNOWN, Applied, Element, Run, WithFunction, explain
from graphrt.data.stretches import one_by_one, through
from graphrt.data.structured_function import check_predicate, trace, truthful
from graphrt.ir.called import has_one_truth


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


def _kept(stretches: Iterator[Element], predicate: Callable[..., Any]) -> Iterator[Element]:
    for stretch in stretches:
        (wanted,) = predicate(*stretch)
        if wanted.any():
            yield tuple([c.compress(wanted, axis=0) for c in stretch])  # a mask would take a branch an element


class Filter(WithFunction):
    """The elements for which a predicate holds."""

    __slots__ = ()

    def stretches(self) -> Iterator[Element] | None:
        found = through(self.input, self.graph, self.captured) if has_one_truth(self.graph) else None
        return None if found is None else _kept(*found)

    def open(self, run: Run) -> Iterator[Element]:
        stretches = self.stretches()
        if stretches is not None:
            return one_by_one(stretches)
        return _Filtered(
            self.input.open(run), truthful(run.function_of(self.graph, self.captured), self.graph), self.graph
        )

    def count(self) -> int:
        return UNKNOWN


FilterDataset = dataset_op(
    "FilterDataset", INPUT, lambda x, extra, *, predicate: Filter(x, predicate, extra), PREDICATE
)


@transformation
def filter_(self: Dataset[T], predicate: Callable[..., Any], name: str | None = None) -> Dataset[T]:
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
