"""`Dataset.get_single_element`."""

from __future__ import annotations

from typing import Any

from graphrt.data import structure as st
from graphrt.data.dataset import Dataset, handle_of
from graphrt.data.declaration import DESCRIBED, METADATA, described_dims, invalid
from graphrt.data.methods import transformation
from graphrt.data.pipeline import Source, iterate
from graphrt.ir.op import OPAQUE, STATEFUL, define
from graphrt.tensor.tensor import Tensor


def _single(dataset: Source) -> list[Any]:
    run, elements = iterate(dataset)
    try:
        found = next(elements, None)
        if found is None:
            raise invalid("Dataset was empty.")
        if next(elements, None) is not None:
            raise invalid("Dataset had more than one element.")
        return list(found)
    finally:
        del elements
        run.close()


DatasetToSingleElement = define(
    "DatasetToSingleElement", "dataset: variant -> components: output_types...", attrs=f"{DESCRIBED}; {METADATA}",
    infer=described_dims, kernel=_single, traits=(STATEFUL, OPAQUE),
)  # fmt: skip


@transformation
def get_single_element(self: Dataset, name: str | None = None) -> Tensor:
    """The only element.

    >>> import graphrt as tf
    >>> tf.data.Dataset.range(4).batch(4).get_single_element().numpy().tolist()
    [0, 1, 2, 3]

    Raises:
      InvalidArgumentError: there is none, or more than one.
    """
    found = DatasetToSingleElement(handle_of(self), name=name, **st.output_attrs(self.element_spec))
    return st.from_components(self.element_spec, found)
