"""`tf.strings`: tensors of strings."""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

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

if _TYPE_CHECKING:
    from graphrt.ops.unicode import (  # noqa: F401
        to_hash_bucket_strong,
        unicode_encode,
        unicode_transcode,
        unsorted_segment_join,
    )

# imported when they are asked for
_ELSEWHERE = {
    "graphrt.ops.unicode": (
        "to_hash_bucket_strong unicode_encode unicode_transcode unsorted_segment_join "
    ),
}
_HOMES = {name: module for module, names in _ELSEWHERE.items() for name in names.split()}


def __getattr__(name: str) -> _Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(_import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


__all__ = [
    "as_string", "bytes_split", "format", "join", "length", "lower", "reduce_join", "regex_full_match", "regex_replace",
    "split", "strip", "substr", "to_number", "upper",
]  # fmt: skip
