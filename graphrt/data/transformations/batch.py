"""`Dataset.batch`: elements stacked."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from graphrt.data import structure as st
from graphrt.data.arguments import as_flag, as_long, number_of, order_attr
from graphrt.data.dataset import Dataset, handle_of, transformed
from graphrt.data.declaration import PLANNED, dataset_op, positive_size
from graphrt.data.element_parts import Plan, batched_spec, parted, plan_from, plan_of
from graphrt.data.elements import stack_elements
from graphrt.data.encoded import has_encoders, through_codes
from graphrt.data.methods import T, transformation
from graphrt.data.pipeline import Element, Run, Source, Wrapping
from graphrt.data.stretches import regrouped
from graphrt.ir.op import INTERNAL, OPAQUE, define
from graphrt.types.likes import TensorLike


def batch_count(count: int, size: int, drop: bool) -> int:
    if count < 0:
        return count
    return count // size if drop else -(-count // size)


class Batch(Wrapping):
    """`size` elements each as one; the last batch may be smaller unless it is dropped."""

    __slots__ = ("drop", "size")

    def __init__(self, input: Source, size: int, drop: bool) -> None:
        super().__init__(input)
        self.size = size
        self.drop = drop

    def pass_over(self) -> None:
        source = self.input
        if source.starts_late:  # a parallel `map` and a batch form one step, which does not
            source = source.inputs()[0]
        source.pass_over()

    def open(self, run: Run) -> Iterator[Element]:
        stretches = self.input.stretches()
        if stretches is None:
            return Batched(self.input.open(run), self)
        size, batches = self.size, regrouped(stretches, self.size)
        return (batch for batch in batches if len(batch[0]) == size) if self.drop else batches

    def together(self, elements: list[Element]) -> Element:
        """Some elements as one."""
        return stack_elements(elements)

    def count(self) -> int:
        return batch_count(self.input.count(), self.size, self.drop)


class Batched:
    """Batches of an iterator: after an error in one element the next batch begins behind it."""

    __slots__ = ("_batch", "_elements")

    def __init__(self, elements: Iterator[Element], batch: Batch) -> None:
        self._elements = elements
        self._batch = batch

    def __iter__(self) -> Batched:
        return self

    def __next__(self) -> Element:
        batch = self._batch
        found = list(itertools.islice(self._elements, batch.size))
        if not found or (batch.drop and len(found) < batch.size):
            raise StopIteration
        return batch.together(found)


class PartsBatch(Batch):
    """Batches made by a plan."""

    __slots__ = ("plan",)

    def __init__(self, input: Source, size: int, drop: bool, plan: Plan) -> None:
        super().__init__(input, size, drop)
        self.plan = plan

    def open(self, run: Run) -> Iterator[Element]:
        return Batched(self.input.open(run), self)

    def together(self, elements: list[Element]) -> Element:
        columns = zip(*(parted(self.plan, e) for e in elements))
        return tuple(itertools.chain.from_iterable(
            leaf.batch(list(column)) for leaf, column in zip(self.plan, columns)
        ))  # fmt: skip


BatchDatasetV2 = dataset_op(
    "BatchDatasetV2", "input_dataset: variant, batch_size: int64, drop_remainder: bool",
    lambda x, size, drop: Batch(x, positive_size(size), bool(drop)), "parallel_copy: bool = False",
)  # fmt: skip
ParallelBatchDataset = dataset_op(
    "ParallelBatchDataset",
    "input_dataset: variant, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool",
    lambda x, size, calls, drop: Batch(x, positive_size(size), bool(drop)),
    "parallel_copy: bool = False; deterministic: string = 'default'",
)  # fmt: skip
BatchParts = define(
    "_BatchPartsDataset", "input_dataset: variant, batch_size: int64, drop_remainder: bool -> handle: variant",
    attrs=PLANNED, infer=lambda c: (), traits=(INTERNAL, OPAQUE),
    kernel=lambda x, size, drop, *, plan: PartsBatch(x, positive_size(size), bool(drop), plan_from(plan)),
)  # fmt: skip


@transformation
def batch(
    self: Dataset[T], batch_size: TensorLike, drop_remainder: bool = False, num_parallel_calls: Any = None,
    deterministic: bool | None = None, name: str | None = None,
) -> Dataset[T]:  # fmt: skip
    """`batch_size` elements each, stacked along a new first dimension; the last batch may be smaller.

    >>> import graphrt as tf
    >>> [x.tolist() for x in tf.data.Dataset.range(5).batch(2).as_numpy_iterator()]
    [[0, 1], [2, 3], [4]]

    Raises:
      InvalidArgumentError: the size is not positive; while iterating, the elements differ in shape.
    """
    size, drop = as_long(batch_size, "batch_size"), as_flag(drop_remainder, "drop_remainder")
    known = number_of(size) if number_of(drop) else None
    spec = st.map_leaves(lambda s: batched_spec(s, known), self.element_spec)
    if has_encoders(self.element_spec):
        return through_codes(
            self, lambda d: d.batch(size, drop_remainder, num_parallel_calls, deterministic, name), spec
        )
    described = st.output_attrs(spec)
    plan = plan_of(self.element_spec)
    if plan is not None:
        handle = BatchParts(handle_of(self), size, drop, plan=plan, name=name, **described)
        return transformed(self, handle, spec, "_BatchDataset")
    if num_parallel_calls is None:
        handle = BatchDatasetV2(handle_of(self), size, drop, parallel_copy=True, name=name, **described)
        return transformed(self, handle, spec, "_BatchDataset")
    calls = as_long(num_parallel_calls, "num_parallel_calls")
    handle = ParallelBatchDataset(
        handle_of(self), size, calls, drop, parallel_copy=True, deterministic=order_attr(deterministic), name=name,
        **described,
    )  # fmt: skip
    return transformed(self, handle, spec, "_ParallelBatchDataset")
