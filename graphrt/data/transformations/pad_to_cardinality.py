"""`pad_to_cardinality`: elements with a flag, filled up with zeros."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.dataset import Dataset, Transformation
from graphrt.ops.array.creation import zeros as zeros_
from graphrt.tensor.convert import convert_to_tensor
from graphrt.types.dtype import bool_
from graphrt.types.nesting import shown


def pad_to_cardinality(cardinality: int, mask_key: str = "valid") -> Transformation:
    """Elements (dictionaries) with a flag under `mask_key`, filled up with zeros whose flag is False.

    >>> import graphrt as tf
    >>> dataset = tf.data.Dataset.from_tensor_slices({"a": [7]})
    >>> [(e["a"].item(), e["valid"].item())
    ...  for e in dataset.apply(tf.data.experimental.pad_to_cardinality(2)).as_numpy_iterator()]
    [(7, True), (0, False)]

    Raises:
      ValueError: the number of elements is not known, or larger; the elements are no dictionaries, or have that key.
    """

    def transformation(dataset: Dataset) -> Dataset:
        count = int(dataset.cardinality())
        if count < 0:
            raise ValueError(
                errors.at_user_line(
                    "The dataset passed into `pad_to_cardinality` must have a known and finite cardinality."
                )
            )
        spec = dataset.element_spec
        if not isinstance(spec, dict):
            raise ValueError(errors.at_user_line("`pad_to_cardinality` requires its input dataset to be a dictionary."))
        if mask_key in spec:
            raise ValueError(errors.at_user_line(f"the elements have the key {shown(mask_key)} already"))
        if count > cardinality:
            raise ValueError(
                errors.at_user_line(
                    f"The dataset has {count} elements, more than the cardinality asked for, {cardinality}"
                )
            )

        def flagged(flag: bool) -> Callable[[Any], Any]:
            return lambda element: {**element, mask_key: convert_to_tensor(flag, dtype=bool_)}

        zeros = st.map_leaves(lambda s: zeros_([0 if n is None else n for n in s.dims or ()], s.dtype), spec)
        filler = Dataset.from_tensors(zeros).map(flagged(False)).repeat(cardinality - count)
        return dataset.map(flagged(True)).concatenate(filler)

    return transformation
