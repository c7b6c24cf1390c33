"""`IndexedSlices`: rows of a tensor that is zero elsewhere."""

from __future__ import annotations

from typing import Any

from graphrt import errors
from graphrt.ir.op import ops
from graphrt.tensor.convert import convert_to_tensor
from graphrt.types.dtype import DType, as_dtype
from graphrt.types.shape import TensorShape


class IndexedSlices:
    """Slices `values` of a tensor of shape `dense_shape`, at the positions `indices` of its first axis.

    Rows that occur several times count with their sum. Where a tensor is wanted it becomes the whole tensor. Gradients
    are whole tensors here; this class serves the `scatter` methods of variables, and as a gradient that users give.

    >>> import graphrt as tf
    >>> rows = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    >>> tf.convert_to_tensor(rows).numpy().tolist()
    [[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
    """

    __slots__ = ("_dense_shape", "_indices", "_values")

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = convert_to_tensor(values)
        self._indices = convert_to_tensor(indices)
        self._dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    @property
    def values(self) -> Any:
        """The slices, stacked."""
        return self._values

    @property
    def indices(self) -> Any:
        """Where the slices stand along the first axis."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole tensor, or None."""
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape of the whole tensor."""
        dims = self._values.dims
        return TensorShape(None if dims is None else (None, *dims[1:]))

    @property
    def name(self) -> str:
        """The name of the slices."""
        return self._values.name

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        if dtype is not None and as_dtype(dtype) is not self.dtype:
            raise ValueError(
                errors.at_user_line(
                    f"Tensor conversion requested dtype {as_dtype(dtype).name} for IndexedSlices with dtype "
                    f"{self.dtype.name}"
                )
            )
        if self._dense_shape is None:
            raise ValueError(
                errors.at_user_line(
                    "Tensor conversion requested for IndexedSlices without dense_shape: how many rows the whole has is "
                    f"not known: {self!r}"
                )
            )
        return ops.UnsortedSegmentSum(self._values, self._indices, self._dense_shape[0])

    def __repr__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"
