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
    from graphrt.ops.hashes import to_hash_bucket, to_hash_bucket_fast  # noqa: F401
    from graphrt.ops.unicode import (  # noqa: F401
        to_hash_bucket_strong,
        unicode_encode,
        unicode_transcode,
        unsorted_segment_join,
    )
    from graphrt.ops.unicode_decode import (  # noqa: F401
        ngrams,
        unicode_decode,
        unicode_decode_with_offsets,
        unicode_script,
        unicode_split,
        unicode_split_with_offsets,
    )

# imported when they are asked for
_ELSEWHERE = {
    "graphrt.ops.hashes": "to_hash_bucket to_hash_bucket_fast",
    "graphrt.ops.unicode_decode": (
        "ngrams unicode_decode unicode_decode_with_offsets unicode_script unicode_split unicode_split_with_offsets"
    ),
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
