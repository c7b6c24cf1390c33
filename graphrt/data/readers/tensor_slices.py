"""`Dataset.from_tensor_slices`: the rows of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, overload

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.arguments import Sliced, element_of
from graphrt.data.dataset import Dataset
from graphrt.data.declaration import METADATA, READING, invalid, scalar_dims
from graphrt.data.element_parts import Plan, Ragged, Sparse, parted, plan_from, plan_of, row_spec, rows_of
from graphrt.data.elements import rows
from graphrt.data.encoded import decode, encoded, has_encoders
from graphrt.data.methods import source
from graphrt.data.pipeline import Element, Run, Source
from graphrt.data.stretches import cuts
from graphrt.ir.op import INTERNAL, OPAQUE, READS, STATEFUL, define
from graphrt.tensor.tensor import Tensor


class Slices(Source):
    """The rows of arrays, side by side."""

    __slots__ = ("arrays",)

    def __init__(self, arrays: list[Any]) -> None:
        self.arrays = arrays

    def open(self, run: Run) -> Iterator[Element]:
        return zip(*map(rows, self.arrays))

    def count(self) -> int:
        return len(self.arrays[0])

    def stretches(self) -> Iterator[Element]:
        largest = max(a.nbytes for a in self.arrays) // max(self.count(), 1)
        for cut in cuts(self.count(), largest):
            yield tuple([a[cut] for a in self.arrays])


class PartsSlices(Source):
    """The rows of one element, by a plan."""

    __slots__ = ("element", "plan")

    def __init__(self, element: Element, plan: Plan) -> None:
        self.element = element
        self.plan = plan

    def open(self, run: Run) -> Iterator[Element]:
        return rows_of(self.plan, self.element)

    def count(self) -> int:
        first, part = self.plan[0], parted(self.plan, self.element)[0]
        if isinstance(first, Sparse):
            return int(part[2][0])
        return len(part[-1]) - 1 if isinstance(first, Ragged) and first.rank else len(part[0])


def _slices(components: list[Any]) -> Source:
    sizes = {len(c) for c in components}
    if len(sizes) > 1:
        raise invalid(f"All components must have the same size in the 0th dimension, found {sorted(sizes)}")
    return Slices(components)


TensorSliceDataset = define(
    "TensorSliceDataset", "components: Toutput_types... -> handle: variant",
    attrs=f"Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; is_files: bool = False; {METADATA}; "
    "replicate_on_split: bool = False",
    infer=scalar_dims, kernel=_slices, traits=READING,
)  # fmt: skip
SliceParts = define(
    "_SlicePartsDataset", "components: Toutput_types... -> handle: variant",
    attrs="plan: string; Toutput_types: list(type); output_shapes: list(shape)", infer=lambda c: (),
    kernel=lambda components, *, plan: PartsSlices(tuple(components), plan_from(plan)),
    traits=(INTERNAL, STATEFUL, READS, OPAQUE),
)  # fmt: skip


@overload
def from_tensor_slices(tensors: tuple[Sliced, Sliced], name: str | None = None) -> Dataset[tuple[Tensor, Tensor]]: ...
@overload
def from_tensor_slices(
    tensors: tuple[Sliced, Sliced, Sliced], name: str | None = None
) -> Dataset[tuple[Tensor, Tensor, Tensor]]: ...
@overload
def from_tensor_slices(tensors: Mapping[str, Sliced], name: str | None = None) -> Dataset[dict[str, Tensor]]: ...
@overload
def from_tensor_slices(tensors: Sliced, name: str | None = None) -> Dataset[Tensor]: ...


@source
def from_tensor_slices(tensors: object, name: str | None = None) -> Dataset:
    """The slices of tensors along their first dimension, side by side.

    >>> import graphrt as tf
    >>> list(tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"])).as_numpy_iterator())
    [(np.int32(1), b'a'), (np.int32(2), b'b')]

    Raises:
      ValueError: a tensor is a scalar, or the first dimensions differ.
    """
    spec, found = element_of(tensors)
    if not found:
        raise ValueError(errors.at_user_line("Invalid `element`. `element` should not be empty."))
    if has_encoders(spec):
        codes = encoded(spec, st.from_components(spec, found), minimum_rank=1)
        return decode(from_tensor_slices(codes, name), st.map_leaves(row_spec, spec))
    plan = plan_of(spec)
    if plan is not None:
        spec = st.map_leaves(row_spec, spec)
        shapes = [s.dims for s in st.component_specs(spec)]
        handle = SliceParts(found, plan=plan, output_shapes=shapes, name=name)
        return Dataset(handle, spec, "_TensorSliceDataset")
    size: int | None = None
    for tensor in found:
        if tensor.dims == ():
            raise ValueError(errors.at_user_line("Unbatching a tensor is only supported for rank >= 1"))
        rows = None if tensor.dims is None else tensor.dims[0]
        if rows is not None and size is not None and rows != size:
            raise ValueError(errors.at_user_line(f"Dimensions {size} and {rows} are not compatible"))
        size = size if rows is None else rows
    spec = st.map_leaves(row_spec, spec)
    handle = TensorSliceDataset(found, output_shapes=[s.dims for s in st.component_specs(spec)], name=name)
    return Dataset(handle, spec, "_TensorSliceDataset")
