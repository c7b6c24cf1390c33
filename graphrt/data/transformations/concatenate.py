"""`Dataset.concatenate`: one dataset, then another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.dataset import Dataset, handle_of, transformed
from graphrt.data.declaration import dataset_op
from graphrt.data.failures import guarded, surviving
from graphrt.data.methods import T, transformation
from graphrt.data.pipeline import INFINITE, UNKNOWN, Run, Source
from graphrt.types.nesting import shown


class Concatenate(Source):
    """The elements of one input, then those of another."""

    __slots__ = ("first", "second")

    def __init__(self, first: Source, second: Source) -> None:
        self.first = first
        self.second = second

    def inputs(self) -> tuple[Source, ...]:
        return self.first, self.second

    def pass_over(self) -> None:
        self.first.pass_over()  # the second is opened when the first has ended

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        yield from guarded(self.first.open(run))
        yield from guarded(self.second.open(run))

    def count(self) -> int:
        a, b = self.first.count(), self.second.count()
        if INFINITE in (a, b):
            return INFINITE
        return UNKNOWN if UNKNOWN in (a, b) else a + b


ConcatenateDataset = dataset_op("ConcatenateDataset", "input_dataset: variant, another_dataset: variant", Concatenate)


@transformation
def concatenate(self: Dataset[T], dataset: Dataset[T], name: str | None = None) -> Dataset[T]:
    """The elements of this dataset, then those of another.

    >>> import graphrt as tf
    >>> [x.item() for x in tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(3)).as_numpy_iterator()]
    [0, 1, 0, 1, 2]

    Raises:
      TypeError: the elements differ in structure or dtype.
    """
    if not hasattr(dataset, "element_spec"):
        raise errors.unexpected(dataset, "dataset", "a tf.data.Dataset")
    spec = st.common_spec(self.element_spec, dataset.element_spec)
    if spec is None:
        raise TypeError(
            errors.at_user_line(
                f"Incompatible dataset elements:\n  {shown(self.element_spec)} vs.   {shown(dataset.element_spec)}"
            )
        )
    handle = ConcatenateDataset(handle_of(self), handle_of(dataset), name=name, **st.output_attrs(spec))
    return transformed(self, handle, spec, "_ConcatenateDataset")
