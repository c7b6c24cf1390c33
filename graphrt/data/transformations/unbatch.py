"""`Dataset.unbatch`: the rows of each element."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.dataset import Dataset, handle_of, transformed
from graphrt.data.declaration import PLANNED, dataset_op
from graphrt.data.element_parts import Plan, plan_from, plan_of, row_spec, rows_of
from graphrt.data.elements import dims_text, rows
from graphrt.data.encoded import has_encoders, through_codes
from graphrt.data.failures import Failed, each, guarded, surviving
from graphrt.data.methods import transformation
from graphrt.data.pipeline import UNKNOWN, Element, Run, Source, Wrapping
from graphrt.ir.op import INTERNAL, OPAQUE, define


class Unbatch(Wrapping):
    """The rows of each element."""

    __slots__ = ("rows",)

    def __init__(self, input: Source, known: int | None) -> None:
        super().__init__(input)
        self.rows = known  # how many every element has, if that is known

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        return each(guarded(self.input.open(run)), self._rows_of)

    def _rows_of(self, element: Element) -> Iterable[Any]:
        sizes = {len(c) for c in element if np.ndim(c)}
        if len(sizes) != 1 or any(np.ndim(c) == 0 for c in element):
            shapes = ", ".join(dims_text(c) for c in element)
            text = f"Input element must have the same batch size in each component, found shapes {shapes}."
            return [Failed(errors.InvalidArgumentError(None, None, text))]
        return zip(*map(rows, element))

    def count(self) -> int:
        n = self.input.count()
        if n < 0:
            return n
        return UNKNOWN if self.rows is None else n * self.rows


class PartsUnbatch(Unbatch):
    """The rows of each element, by a plan."""

    __slots__ = ("plan",)

    def __init__(self, input: Source, known: int | None, plan: Plan) -> None:
        super().__init__(input, known)
        self.plan = plan

    def _rows_of(self, element: Element) -> Iterable[Any]:
        return rows_of(self.plan, element)


UnbatchDataset = dataset_op(
    "UnbatchDataset",
    "input_dataset: variant",
    lambda x, *, _rows: Unbatch(x, None if _rows < 0 else _rows),
    "_rows: int = -1",
)
UnbatchParts = define(
    "_UnbatchPartsDataset", "input_dataset: variant -> handle: variant", attrs=f"{PLANNED}; rows: int = -1",
    infer=lambda c: (), traits=(INTERNAL, OPAQUE),
    kernel=lambda x, *, plan, rows: PartsUnbatch(x, None if rows < 0 else rows, plan_from(plan)),
)  # fmt: skip


@transformation
def unbatch(self: Dataset, name: str | None = None) -> Dataset:
    """The slices of each element along its first dimension.

    >>> import graphrt as tf
    >>> list(tf.data.Dataset.from_tensors([1, 2]).unbatch().as_numpy_iterator())
    [np.int32(1), np.int32(2)]

    Raises:
      ValueError: an element is a scalar, or its components have different numbers of rows.
    """
    if has_encoders(self.element_spec):
        spec = st.map_leaves(row_spec, self.element_spec)
        return through_codes(self, lambda d: d.unbatch(name), spec, minimum_rank=1)
    shapes = [leaf.shape for leaf in st.walk(self.element_spec) if hasattr(leaf, "shape")]
    known = {shape[0] for shape in shapes if shape.rank} - {None}
    spec = st.map_leaves(row_spec, self.element_spec)
    if len(known) > 1:
        raise ValueError(
            errors.at_user_line(
                f"unbatch() takes components with one number of rows, found {sorted(known)} of {self.element_spec}"
            )
        )
    rows = known.pop() if known else -1
    plan = plan_of(self.element_spec)
    if plan is not None:
        handle = UnbatchParts(handle_of(self), plan=plan, rows=rows, name=name, **st.output_attrs(spec))
    else:
        handle = UnbatchDataset(handle_of(self), _rows=rows, name=name, **st.output_attrs(spec))
    return transformed(self, handle, spec, "_UnbatchDataset")
