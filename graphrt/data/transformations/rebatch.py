"""`Dataset.rebatch`: batches cut anew."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt.data import structure as st
from graphrt.data.arguments import as_flag, as_long, number_of
from graphrt.data.dataset import Dataset, handle_of, transformed
from graphrt.data.declaration import dataset_op, positive_size
from graphrt.data.element_parts import batched_spec, plan_of, row_spec
from graphrt.data.elements import stack_elements
from graphrt.data.encoded import has_encoders
from graphrt.data.failures import Failed, guarded, surviving
from graphrt.data.methods import T, transformation
from graphrt.data.pipeline import UNKNOWN, Element, Run, Source, Wrapping
from graphrt.data.transformations.unbatch import Unbatch
from graphrt.types.likes import TensorLike


def _taken(elements: Iterator[Any], size: int) -> Any:
    """Up to `size` elements, or the failure among them."""
    found: list[Element] = []
    for element in itertools.islice(elements, size):
        if type(element) is Failed:
            return element
        found.append(element)
    return found


class Rebatch(Wrapping):
    """Batches cut anew, in sizes that go round."""

    __slots__ = ("drop", "sizes")

    def __init__(self, input: Source, sizes: list[int], drop: bool) -> None:
        super().__init__(input)
        self.sizes = sizes
        self.drop = drop

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        single = guarded(Unbatch(self.input, None).open(run))
        for size in itertools.cycle(self.sizes):
            while type(found := _taken(single, size)) is Failed:
                yield found
            if not found or (self.drop and len(found) < size):
                return
            yield stack_elements(found)

    def count(self) -> int:
        return UNKNOWN


RebatchDatasetV2 = dataset_op(
    "RebatchDatasetV2", "input_dataset: variant, batch_sizes: int64, drop_remainder: bool",
    lambda x, sizes, drop: Rebatch(x, [positive_size(s) for s in np.reshape(sizes, -1).tolist()], bool(drop)),
    metadata=False,
)  # fmt: skip


@transformation
def rebatch(
    self: Dataset[T], batch_size: TensorLike, drop_remainder: bool = False, name: str | None = None
) -> Dataset[T]:
    """Batches cut anew into `batch_size` elements, or into sizes that go round.

    >>> import graphrt as tf
    >>> [x.tolist() for x in tf.data.Dataset.range(5).batch(2).rebatch(3).as_numpy_iterator()]
    [[0, 1, 2], [3, 4]]
    """
    if plan_of(self.element_spec) is not None or has_encoders(self.element_spec):
        return self.unbatch().batch(batch_size, drop_remainder, name=name)
    sizes, drop = as_long(batch_size, "batch_size"), as_flag(drop_remainder, "drop_remainder")
    known = number_of(sizes) if sizes.dims == () and number_of(drop) else None
    spec = st.map_leaves(lambda s: batched_spec(row_spec(s), known), self.element_spec)
    handle = RebatchDatasetV2(handle_of(self), sizes, drop, name=name, **st.output_attrs(spec))
    return transformed(self, handle, spec, "_RebatchDataset")
