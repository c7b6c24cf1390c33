"""Dense tables as TensorFlow's checkpoints hold them: as rows of buckets, of which most are empty.

A key stands in the bucket that its hash names, or in the next one that is free, 1, 3, 6, ... buckets on.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graphrt.ops.strings.hashing import hash64
from graphrt.resources.table_ops import Table
from graphrt.types.likes import Array

__all__ = ["buckets_of", "rows_in"]

_FEWEST = 16
_WORD = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7800


def buckets_of(table: Table) -> tuple[Array, Array]:
    """The keys and values of a dense table, in buckets."""
    empty = next(iter(table.forbidden))
    keys, values = table.export()
    count = _FEWEST
    while count < 2 * len(keys):
        count *= 2
    shown_keys: Any = np.empty((count, math.prod(table.key_dims)), keys.dtype)
    shown_keys[:] = np.reshape(np.array(empty, keys.dtype), -1)
    shown_values: Any = np.zeros((count, math.prod(table.value_dims)), values.dtype)
    if values.dtype == object:
        shown_values[:] = b""
    taken: set[int] = set()
    rows = keys.reshape(len(keys), shown_keys.shape[1]), values.reshape(len(keys), shown_values.shape[1])
    for key, value in zip(*rows):
        place, step = _hash(key.tolist()) & count - 1, 0
        while place in taken:
            step += 1
            place = place + step & count - 1
        taken.add(place)
        shown_keys[place], shown_values[place] = key, value
    return shown_keys, shown_values


def rows_in(table: Table, keys: Array, values: Array) -> tuple[Array, Array]:
    """The keys and values of a dense table that stand in buckets."""
    found = [
        i
        for i, key in enumerate(keys.tolist())
        if (key[0] if not table.key_dims else tuple(key)) not in table.forbidden
    ]
    return keys[found].reshape(-1, *table.key_dims), values[found].reshape(-1, *table.value_dims)


def _hash(parts: list[Any]) -> int:
    each = [hash64(p) if isinstance(p, bytes) else int(p) & _WORD for p in parts]
    if len(each) == 1:
        return each[0]
    found = 0
    for part in each:
        found ^= part + _STEP + (found << 10) + (found >> 4) & _WORD
    return found
