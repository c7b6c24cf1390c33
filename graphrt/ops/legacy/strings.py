"""Names of shards, and strings cut into words."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.ir.graph import InferContext
from graphrt.ir.op import define
from graphrt.ops.legacy.replacements import NO_GRADIENTS
from graphrt.ops.support.shape_rules import require_rank
from graphrt.types.likes import Array
from graphrt.types.shape import Dims

__all__: list[str] = []


# --- names of files, words -------------------------------------------------------------------------------------------
def _filename(base: Array, shard: Array, count: Array) -> Array:
    return np.array(np.asarray(base, object).item() + f"-{int(shard):05d}-of-{int(count):05d}".encode(), object)


ShardedFilename = define(
    "ShardedFilename", "basename: string[0], shard: int32[0], num_shards: int32[0] -> filename: string", infer=lambda c: (),
    kernel=_filename, vjp=NO_GRADIENTS,
)  # fmt: skip
ShardedFilespec = define(
    "ShardedFilespec",
    "basename: string[0], num_shards: int32[0] -> filename: string", infer=lambda c: (), vjp=NO_GRADIENTS,
    kernel=lambda base, n: np.array(np.asarray(base, object).item() + f"-?????-of-{int(n):05d}".encode(), object),
)  # fmt: skip


def _words(texts: Array, delimiter: Array, *, skip_empty: bool) -> tuple[Array, Array, Array]:
    marks = np.asarray(delimiter, object).item()
    rows = []
    for text in np.asarray(texts, object).tolist():
        parts = [bytes([b]) for b in text] if not marks else _cut(text, marks)
        rows.append([p for p in parts if p or not skip_empty] if text else [])
    places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    values: Any = np.empty(len(places), object)
    values[:] = [w for row in rows for w in row]
    shape = np.array([len(rows), max((len(r) for r in rows), default=0)], np.int64)
    return np.array(places, np.int64).reshape(-1, 2), values, shape


def _cut(text: bytes, marks: bytes) -> list[bytes]:
    """Text divided at each byte of `marks`."""
    parts, start = [], 0
    for i, byte in enumerate(text):
        if byte in marks:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]


def _words_dims(c: InferContext) -> list[Dims]:
    require_rank(c, 0, 1)
    require_rank(c, 1, 0)
    return [(None, 2), (None,), (2,)]


StringSplit = define(
    "StringSplit", "input: string, delimiter: string -> indices: int64, values: string, shape: int64",
    attrs="skip_empty: bool = True", infer=_words_dims, kernel=_words, vjp=NO_GRADIENTS,
)  # fmt: skip
