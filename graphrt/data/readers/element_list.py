"""`from_list`: the elements of a list."""

from __future__ import annotations

from typing import Any

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.dataset import Dataset
from graphrt.data.pipeline import Element, Elements
from graphrt.tensor.tensor import EagerTensor, raw_of
from graphrt.types.dtype import variant
from graphrt.types.nesting import shown


def from_list(elements: Any, name: str | None = None) -> Dataset:
    """A dataset of the elements of a list, which must have one structure and dtype, and shapes that agree.

    >>> import graphrt as tf
    >>> list(tf.data.experimental.from_list([(1, "a"), (2, "b")]).as_numpy_iterator())
    [(np.int32(1), b'a'), (np.int32(2), b'b')]

    Raises:
      ValueError: the list is empty, or its elements differ in structure.
    """
    if not elements:
        raise ValueError(errors.at_user_line("Invalid `elements`. `elements` should not be empty."))
    spec: Any = None
    found: list[Element] = []
    for element in elements:
        own, tensors = st.to_element(element)
        spec = own if spec is None else st.common_spec(spec, own)
        if spec is None:
            raise ValueError(
                errors.at_user_line(f"Elements must have the same structure and dtypes, found {shown(element)}")
            )
        found.append(tuple(raw_of(t) for t in tensors))
    return Dataset(EagerTensor(Elements(found), variant), spec, "_ListDataset")
