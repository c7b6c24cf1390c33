"""`Dataset.rebatch`: batches cut anew."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt.data import structure as st
from graphrt.data.arguments import as_flag, as_long, number_of
from graphrt.data.dataset import Dataset, handle_of, transformed
from graphrt.data.declaration import PLANNED, dataset_op, positive_size, scalar_dims
from graphrt.data.element_parts import Plan, batched_spec, plan_from, plan_of, row_spec, whole_plan
from graphrt.data.elements import stack_elements
from graphrt.data.encoded import has_encoders, through_codes
from graphrt.data.failures import Failed, guarded, surviving
from graphrt.data.methods import T, transformation
from graphrt.data.pipeline import UNKNOWN, Element, Run, Source, Wrapping
from graphrt.data.transformations.batch import PartsBatch
from graphrt.data.transformations.unbatch import Unbatch
from graphrt.ir.op import INTERNAL, OPAQUE, define
from graphrt.types.likes import Array, TensorLike
from graphrt.types.spec import TensorSpec


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
        single = guarded(self._rows().open(run))
        for size in itertools.cycle(self.sizes):
            while type(found := _taken(single, size)) is Failed:
                yield found
            if not found or (self.drop and len(found) < size):
                return
            yield self._together(found)

    def _rows(self) -> Source:
        return Unbatch(self.input, None)

    def _together(self, elements: list[Element]) -> Element:
        return stack_elements(elements)

    def count(self) -> int:
        return UNKNOWN


class PartsRebatch(Rebatch):
    """Batches of rows, which are stacked by a plan."""

    __slots__ = ("_batch",)

    def __init__(self, input: Source, sizes: list[int], drop: bool, plan: Plan) -> None:
        super().__init__(input, sizes, drop)
        self._batch = PartsBatch(input, 1, drop, plan)

    def _rows(self) -> Source:
        return self.input

    def _together(self, elements: list[Element]) -> Element:
        return self._batch.together(elements)


def _sizes(sizes: Array) -> list[int]:
    return [positive_size(s) for s in np.reshape(sizes, -1).tolist()]


RebatchDatasetV2 = dataset_op(
    "RebatchDatasetV2", "input_dataset: variant, batch_sizes: int64, drop_remainder: bool",
    lambda x, sizes, drop: Rebatch(x, _sizes(sizes), bool(drop)), metadata=False, vectors=("batch_sizes",),
)  # fmt: skip
RebatchParts = define(
    "_RebatchPartsDataset", "input_dataset: variant, batch_sizes: int64, drop_remainder: bool -> handle: variant",
    attrs=PLANNED, infer=scalar_dims, traits=(INTERNAL, OPAQUE),
    kernel=lambda x, sizes, drop, *, plan: PartsRebatch(x, _sizes(sizes), bool(drop), plan_from(plan)),
)  # fmt: skip


def _known_size(spec: object, sizes: Any, drop: Any) -> int | None:
    """How many rows each batch has: as many as are asked for where none is left over, nor found to be."""
    size = number_of(sizes) if sizes.dims == () else None
    dims = getattr(spec, "dims", None)
    fits = number_of(drop) or (size and isinstance(spec, TensorSpec) and dims and dims[0] and not dims[0] % size)
    return size if fits else None


@transformation
def rebatch(
    self: Dataset[T], batch_size: TensorLike, drop_remainder: bool = False, name: str | None = None
) -> Dataset[T]:
    """Batches cut anew into `batch_size` elements, or into sizes that go round.

    >>> import graphrt as tf
    >>> [x.tolist() for x in tf.data.Dataset.range(5).batch(2).rebatch(3).as_numpy_iterator()]
    [[0, 1, 2], [3, 4]]

    Raises:
      InvalidArgumentError: a size is not positive, or `batch_size` has more than one dimension.
    """
    sizes, drop = as_long(batch_size, "batch_size"), as_flag(drop_remainder, "drop_remainder")
    spec = st.map_leaves(lambda s: batched_spec(row_spec(s), _known_size(s, sizes, drop)), self.element_spec)
    if has_encoders(self.element_spec):
        return through_codes(self, lambda d: d.rebatch(batch_size, drop_remainder, name), spec, minimum_rank=1)
    if plan_of(self.element_spec) is not None:
        single = self.unbatch()
        plan = whole_plan(single.element_spec)
        handle = RebatchParts(handle_of(single), sizes, drop, plan=plan, name=name, **st.output_attrs(spec))
        return transformed(self, handle, spec, "_RebatchDataset")
    handle = RebatchDatasetV2(handle_of(self), sizes, drop, name=name, **st.output_attrs(spec))
    return transformed(self, handle, spec, "_RebatchDataset")
