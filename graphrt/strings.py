"""`tf.strings`: tensors of strings."""

from __future__ import annotations

from graphrt.ops.strings import (
    as_string,
    bytes_split,
    join,
    length,
    lower,
    reduce_join,
    regex_full_match,
    regex_replace,
    split,
    strip,
    substr,
    to_number,
    upper,
)
from graphrt.ops.text_io import format

__all__ = [
    "as_string", "bytes_split", "format", "join", "length", "lower", "reduce_join", "regex_full_match", "regex_replace",
    "split", "strip", "substr", "to_number", "upper",
]  # fmt: skip
