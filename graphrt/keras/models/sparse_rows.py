"""Samples of sparse data, of which batches are cut without making them dense."""

from __future__ import annotations

import sys
from typing import Any, Self

import numpy as np

import graphrt as tf
from graphrt.keras.config import floatx
from graphrt.types.likes import Array

__all__ = ["SparseRows", "is_sparse", "rows_of"]


class SparseRows:
    """The entries of a sparse tensor in the order of its rows; `len()` rows, of which `[...]` takes some."""

    def __init__(self, indices: Array, values: Array, shape: tuple[int, ...]) -> None:
        if len(indices) and np.any(np.diff(indices[:, 0]) < 0):
            order = np.lexsort(indices.T[::-1])
            indices, values = indices[order], values[order]
        self.indices, self.values, self.shape = indices, values, shape
        self._starts = np.searchsorted(indices[:, 0], np.arange(shape[0] + 1))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice | Array) -> Self:
        """The rows of a slice, or of these numbers, in their order."""
        wanted = np.arange(len(self))[rows]
        counts = self._starts[wanted + 1] - self._starts[wanted]
        ends = np.cumsum(counts)
        entries = np.repeat(self._starts[wanted] - ends + counts, counts) + np.arange(ends[-1] if len(ends) else 0)
        indices = self.indices[entries]
        indices[:, 0] = np.repeat(np.arange(len(wanted)), counts)
        return type(self)(indices, self.values[entries], (len(wanted), *self.shape[1:]))

    def tensor(self) -> tf.SparseTensor:
        """The rows as a sparse tensor."""
        return tf.SparseTensor(self.indices, self.values, self.shape)


def is_sparse(value: Any) -> bool:
    """Whether the value is a sparse tensor, or a matrix of scipy.sparse."""
    scipy_sparse = sys.modules.get("scipy.sparse")  # where nobody has imported it, there are none
    return isinstance(value, tf.SparseTensor) or bool(scipy_sparse is not None and scipy_sparse.issparse(value))


def rows_of(value: Any) -> SparseRows:
    """The rows of a sparse value; floats in the default precision."""
    if isinstance(value, tf.SparseTensor):
        indices, values = np.array(value.indices), np.asarray(value.values)
        shape = tuple(np.asarray(value.dense_shape).tolist())
    else:
        if not value.tocsr().has_canonical_format:
            value = value.tocsr(copy=True)
            value.sum_duplicates()
        entries = value.tocsr().tocoo()
        indices = np.stack([entries.row, entries.col], axis=1).astype(np.int64)
        values, shape = entries.data, tuple(map(int, entries.shape))
    if values.dtype.kind == "f" and values.dtype.name != floatx():
        values = values.astype(floatx())
    return SparseRows(indices, values, shape)
