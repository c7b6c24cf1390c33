"""`assert_cardinality`: a promise of the number of elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphrt import errors
from graphrt.data.arguments import as_long
from graphrt.data.dataset import Transformation, same_elements
from graphrt.data.declaration import dataset_op
from graphrt.data.failures import Failed, guarded, surviving
from graphrt.data.pipeline import INFINITE, Run, Source, Wrapping
from graphrt.types.likes import TensorLike


class AssertCardinality(Wrapping):
    """The input, with a number of elements that is promised, and checked."""

    __slots__ = ("promised",)

    def __init__(self, input: Source, promised: int) -> None:
        super().__init__(input)
        self.promised = promised

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        found = 0
        for element in guarded(self.input.open(run)):
            found += type(element) is not Failed
            if self.promised != INFINITE and self.promised < found:
                yield from self._failures("more")
            yield element
        if self.promised != found:
            yield from self._failures(f"only {_elements(found)}")

    def _failures(self, contained: str) -> Iterator[Failed]:
        wanted = "an infinite number of elements" if self.promised == INFINITE else _elements(self.promised)
        text = f"Input dataset was expected to contain {wanted} but contained {contained}."
        while True:  # whoever asks again is told again
            yield Failed(errors.FailedPreconditionError(None, None, text))

    def count(self) -> int:
        return self.promised


def _elements(count: int) -> str:
    return f"{count} element{'' if count == 1 else 's'}"


AssertCardinalityDataset = dataset_op(
    "AssertCardinalityDataset", "input_dataset: variant, cardinality: int64",
    lambda x, n: AssertCardinality(x, int(n)), metadata=False,
)  # fmt: skip


def assert_cardinality(expected_cardinality: TensorLike) -> Transformation:
    """A promise of the number of elements, which is checked while iterating.

    >>> import graphrt as tf
    >>> even = tf.data.Dataset.range(4).filter(lambda x: x % 2 == 0)
    >>> len(even.apply(tf.data.experimental.assert_cardinality(2)))
    2

    Raises:
      FailedPreconditionError: while iterating, there are more or fewer elements.
    """
    return lambda dataset: same_elements(
        dataset, AssertCardinalityDataset, "_AssertCardinalityDataset", as_long(expected_cardinality, "cardinality")
    )
