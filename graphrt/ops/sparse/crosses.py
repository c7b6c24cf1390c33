"""Crosses of features: every combination of a row's values."""

from __future__ import annotations

import builtins
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ops.math.casting import cast
from graphrt.ops.sparse.tensor import SparseTensor
from graphrt.ops.strings.hashing import fingerprint64, fingerprint_concat64
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.types.dtype import DType, int64, string
from graphrt.types.likes import TensorLike
from graphrt.types.limits import check_elements

__all__ = ["cross", "cross_hashed"]


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


def _crossed(inputs: Any, dtype: DType, glue: Callable[[Any], Any]) -> SparseTensor:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(errors.at_user_line("Inputs must be a list"))
    if not inputs:
        raise ValueError(errors.at_user_line("there is nothing to cross: the list of inputs is empty"))
    columns = [_feature_rows(v) for v in inputs]
    check_elements(sum(math.prod(map(len, row)) for row in zip(*columns)), "the combinations")
    places, values = [], []
    for i, row in enumerate(zip(*columns)):
        for j, combination in enumerate(itertools.product(*row)):
            places.append([i, j])
            values.append(glue(combination))
    widest = max((p[1] + 1 for p in places), default=0)
    made = np.empty(len(values), object if dtype is string else np.int64)
    made[:] = values
    return SparseTensor(np.array(places, np.int64).reshape(-1, 2), made, [len(columns[0]), widest])


def cross(inputs: TensorLike, name: str | None = None, separator: str | None = None) -> SparseTensor:
    """For each row all combinations of one element of each input, as strings joined with `_X_`.

    >>> import graphrt as tf
    >>> tf.sparse.cross([tf.constant([["a", "b"]]), tf.constant([["x"]])]).values.numpy().tolist()
    [b'a_X_x', b'b_X_x']
    """
    errors.expect(separator, (str, type(None)), "separator", "a text, or None")
    between = b"_X_" if separator is None else separator.encode()
    return _crossed(inputs, string, lambda c: between.join(v if isinstance(v, bytes) else str(v).encode() for v in c))


_CROSS_KEY = 0xDECAFCAFFE
_WORD = (1 << 64) - 1


def cross_hashed(
    inputs: TensorLike, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """For each row all combinations of one element of each input, as numbers below `num_buckets` (0: 63-bit ones).

    >>> import graphrt as tf
    >>> pairs = [tf.constant([["a", "b"]]), tf.constant([["x"]])]
    >>> tf.sparse.cross_hashed(pairs, num_buckets=100).values.numpy().tolist()
    [92, 4]
    """
    key = _CROSS_KEY if hash_key is None else hash_key

    def glue(combination: tuple[bytes | int, ...]) -> int:
        found = key
        for item in combination:
            number = fingerprint64(item) if isinstance(item, bytes) else int(item) & _WORD
            found = fingerprint_concat64(found, number)
        return int(found % (num_buckets if num_buckets > 0 else (1 << 63) - 1))

    return _crossed(inputs, int64, glue)
