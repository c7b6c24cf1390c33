"""`Dataset.sparse_batch`: batches as sparse tensors."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.arguments import as_long
from graphrt.data.dataset import Dataset, handle_of, transformed
from graphrt.data.declaration import positive_size
from graphrt.data.failures import Failed, guarded, surviving
from graphrt.data.methods import transformation
from graphrt.data.pipeline import Element, Run, Source, Wrapping
from graphrt.ir.op import OPAQUE, define
from graphrt.tensor.convert import convert_to_tensor
from graphrt.types.dtype import int64
from graphrt.types.likes import ShapeLike, TensorLike
from graphrt.types.shape import dims_of
from graphrt.types.spec import TensorSpec


class DenseToSparse(Wrapping):
    """Batches of tensors of different sizes as sparse tensors."""

    __slots__ = ("dims", "size")

    def __init__(self, input: Source, size: int, row_shape: Any) -> None:
        super().__init__(input)
        self.size = size
        self.dims = [int(d) for d in np.reshape(row_shape, -1)]

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        elements = guarded(self.input.open(run))
        while found := list(itertools.islice(elements, self.size)):
            failed = [e for e in found if type(e) is Failed]
            yield failed[0] if failed else self._together([np.asarray(e[0]) for e in found])

    def _together(self, arrays: list[Any]) -> Element:
        for array in arrays:
            if array.ndim != len(self.dims):
                raise errors.InvalidArgumentError(
                    None, None,
                    f"Input element had shape ({list(array.shape)}) that is incompatible with the row shape "
                    f"({self.dims}).",
                )  # fmt: skip
            if any(0 <= room < have for have, room in zip(array.shape, self.dims)):
                raise errors.DataLossError(
                    None, None,
                    f"Input element had shape ({list(array.shape)}) that is larger than the row shape ({self.dims}).",
                )  # fmt: skip
        shape = [max(a.shape[i] for a in arrays) if d < 0 else d for i, d in enumerate(self.dims)]
        indices = [np.insert(np.indices(a.shape).reshape(a.ndim, -1).T, 0, i, axis=1) for i, a in enumerate(arrays)]
        return (
            np.concatenate(indices).astype(np.int64), np.concatenate([a.reshape(-1) for a in arrays]),
            np.array([len(arrays), *shape], np.int64),
        )  # fmt: skip

    def count(self) -> int:
        n = self.input.count()
        return n if n < 0 else -(-n // self.size)


DenseToSparseBatchDataset = define(
    "DenseToSparseBatchDataset", "input_dataset: variant, batch_size: int64, row_shape: int64 -> handle: variant",
    attrs="output_types: list(type) >= 1; output_shapes: list(shape) >= 1", infer=lambda c: (), traits=(OPAQUE,),
    kernel=lambda x, size, shape: DenseToSparse(x, positive_size(size), shape),
)  # fmt: skip


@transformation
def sparse_batch(self: Dataset, batch_size: TensorLike, row_shape: ShapeLike, name: str | None = None) -> Dataset:
    """Batches of tensors of different sizes as sparse tensors of shape [batch, *row_shape] (None: the largest).

    >>> import graphrt as tf
    >>> dataset = tf.data.Dataset.range(1, 3).map(lambda n: tf.range(n))
    >>> [tf.sparse.to_dense(x).numpy().tolist() for x in dataset.sparse_batch(2, [3])]
    [[[0, 0, 0], [0, 1, 0]]]

    Raises:
      TypeError: elements are not single tensors.
      DataLossError: while iterating, an element is larger than the row shape.
    """
    inner = self.element_spec
    if not isinstance(inner, TensorSpec):
        found = st.map_leaves(lambda s: getattr(s, "dtype", s), inner)
        raise TypeError(
            errors.at_user_line(
                "`dense_to_sparse_batch` requires an input dataset whose elements have a single component, but the "
                f"given dataset has the following component types: {found}."
            )
        )
    from graphrt.ops.sparse.tensor import SparseTensorSpec  # lazy: few programs have sparse tensors

    dims = dims_of(row_shape) or ()
    spec = SparseTensorSpec((None, *dims), inner.dtype)
    shape = convert_to_tensor([-1 if n is None else n for n in dims], dtype=int64)
    handle = DenseToSparseBatchDataset(
        handle_of(self), as_long(batch_size, "batch_size"), shape, name=name, **st.output_attrs(spec)
    )
    return transformed(self, handle, spec, "_DenseToSparseBatchDataset")
