"""Crosses of features: every combination of a row's values."""

from __future__ import annotations

import builtins
import itertools
import math
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ops.math.casting import cast
from graphrt.ops.sparse.tensor import SparseTensor
from graphrt.ops.strings.hashing import fingerprint64, fingerprint_concat64, hashes
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.types.dtype import int64, string
from graphrt.types.likes import Array, TensorLike
from graphrt.types.limits import check_elements

__all__ = ["cross", "cross_hashed"]


CROSS_KEY = 0xDECAFCAFFE
_WORD = (1 << 64) - 1


# --- crosses ---------------------------------------------------------------------------------------------------------
def _feature_rows(value: TensorLike) -> list[list[Any]]:
    if isinstance(value, SparseTensor):
        rows: list[list[Any]] = [[] for _ in builtins.range(int(value.dense_shape.numpy()[0]))]
        for (row, _), item in zip(value.indices.numpy().tolist(), _named(value.values).numpy().tolist()):
            rows[row].append(item)
        return rows
    tensor = as_tensor(value)
    if tensor.dims is not None and len(tensor.dims) != 2:
        raise ValueError(errors.at_user_line(f"what is crossed has 2 dimensions, found shape {tensor.dims}"))
    return list(_named(tensor).numpy().tolist())


def _named(values: Any) -> Any:
    """Strings as they are, and numbers as whole ones."""
    return values if values.dtype is string else cast(values, int64)


class Combinations:
    """Of each row all combinations of one element of each column; those of the last column follow each other.

    Attributes:
      counts: how many combinations each row has.
      rows: the row of each combination.
      within: its number in the row.

    Raises:
      InvalidArgumentError: the columns have different numbers of rows.
    """

    def __init__(self, columns: list[list[list[Any]]]) -> None:
        if len({*map(len, columns)}) > 1:
            why = "inputs must all have the same batch dimension size."
            raise errors.InvalidArgumentError(None, None, errors.at_user_line(why))
        check_elements(sum(math.prod(map(len, row)) for row in zip(*columns)), "the combinations")
        count = len(columns[0]) if columns else 0
        sizes = np.array([[*map(len, c)] for c in columns], np.int64).reshape(len(columns), count)
        self.counts: Array = sizes.prod(axis=0)
        self.rows: Array = np.arange(count).repeat(self.counts)
        self.within: Array = np.arange(len(self.rows)) - (self.counts.cumsum() - self.counts)[self.rows]
        self._columns = []
        behind = self.counts
        for column, size in zip(columns, sizes):
            behind = behind // np.maximum(size, 1)
            places = self.within // behind[self.rows] % size[self.rows] + (size.cumsum() - size)[self.rows]
            self._columns.append(([*itertools.chain.from_iterable(column)], places))

    def texts(self, between: bytes) -> Array:
        """Each combination as a text, with `between` in between."""
        parts = [
            np.fromiter((v if isinstance(v, bytes) else str(v).encode() for v in items), object, len(items))[places]
            for items, places in self._columns
        ]
        return np.fromiter(map(between.join, zip(*parts)), object, len(self.rows))

    def hashes(self, key: int, num_buckets: int) -> Array:
        """The hash of each combination, below `num_buckets` (0: of 63 bits)."""
        for name, number in (("hash_key", key), ("num_buckets", num_buckets)):
            errors.expect(number, (int, np.integer), name, "a whole number")
        found = np.full(len(self.rows), key & _WORD, np.uint64)
        for items, places in self._columns:
            if items and isinstance(items[0], bytes):
                numbers = hashes(fingerprint64, items)
            else:
                numbers = np.array([int(v) & _WORD for v in items], np.uint64)
            found = fingerprint_concat64(found, numbers[places])
        return (found % np.uint64(num_buckets if num_buckets > 0 else (1 << 63) - 1)).astype(np.int64)


def _combinations(inputs: Any) -> Combinations:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(errors.at_user_line("Inputs must be a list"))
    if not inputs:
        raise ValueError(errors.at_user_line("there is nothing to cross: the list of inputs is empty"))
    return Combinations([_feature_rows(v) for v in inputs])


def _crossed(found: Combinations, values: Array) -> SparseTensor:
    places = np.stack([found.rows, found.within], axis=1)
    return SparseTensor(places, values, [len(found.counts), found.counts.max(initial=0)])


def cross(inputs: TensorLike, name: str | None = None, separator: str | None = None) -> SparseTensor:
    """For each row all combinations of one element of each input, as strings joined with `_X_`.

    >>> import graphrt as tf
    >>> tf.sparse.cross([tf.constant([["a", "b"]]), tf.constant([["x"]])]).values.numpy().tolist()
    [b'a_X_x', b'b_X_x']
    """
    errors.expect(separator, (str, type(None)), "separator", "a text, or None")
    between = b"_X_" if separator is None else separator.encode()
    found = _combinations(inputs)
    return _crossed(found, found.texts(between))


def cross_hashed(
    inputs: TensorLike, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """For each row all combinations of one element of each input, as numbers below `num_buckets` (0: 63-bit ones).

    >>> import graphrt as tf
    >>> pairs = [tf.constant([["a", "b"]]), tf.constant([["x"]])]
    >>> tf.sparse.cross_hashed(pairs, num_buckets=100).values.numpy().tolist()
    [92, 4]
    """
    found = _combinations(inputs)
    return _crossed(found, found.hashes(CROSS_KEY if hash_key is None else hash_key, num_buckets))
