"""`Dataset.cardinality`: the number of elements."""

from __future__ import annotations

import numpy as np

from graphrt.data.dataset import Dataset, handle_of
from graphrt.data.declaration import PURE, scalar_dims
from graphrt.data.methods import transformation
from graphrt.ir.op import define
from graphrt.tensor.tensor import Tensor

DatasetCardinality = define(
    "DatasetCardinality", "input_dataset: variant -> cardinality: int64", attrs="cardinality_options: string = ''",
    infer=scalar_dims, kernel=lambda x: np.int64(x.count()), traits=PURE,
)  # fmt: skip


@transformation
def cardinality(self: Dataset) -> Tensor:
    """The number of elements as an int64 scalar: INFINITE_CARDINALITY and UNKNOWN_CARDINALITY are negative.

    >>> import graphrt as tf
    >>> tf.data.Dataset.range(10).batch(3).cardinality().numpy()
    np.int64(4)
    """
    return DatasetCardinality(handle_of(self))
