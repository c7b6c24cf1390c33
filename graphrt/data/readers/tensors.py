"""`Dataset.from_tensors`: one element."""

from __future__ import annotations

from graphrt.data.arguments import element_of
from graphrt.data.dataset import Dataset
from graphrt.data.declaration import METADATA, READING, scalar_dims
from graphrt.data.methods import source
from graphrt.data.pipeline import Elements
from graphrt.ir.op import define

TensorDataset = define(
    "TensorDataset", "components: Toutput_types... -> handle: variant",
    attrs=f"Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; {METADATA}", infer=scalar_dims,
    kernel=lambda components: Elements([tuple(components)]), traits=READING,
)  # fmt: skip


@source
def from_tensors(tensors: object, name: str | None = None) -> Dataset:
    """A dataset of one element.

    >>> import graphrt as tf
    >>> list(tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
    [array([1, 2], dtype=int32)]
    """
    spec, found = element_of(tensors)
    handle = TensorDataset(found, output_shapes=[t.dims for t in found], name=name)
    return Dataset(handle, spec, "_TensorDataset")
