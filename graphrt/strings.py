"""`tf.strings`: tensors of strings."""

from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from graphrt.lazy_names import lazy_names as _lazy_names
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
    "graphrt.ops.unicode": ("to_hash_bucket_strong unicode_encode unicode_transcode unsorted_segment_join "),
}
__getattr__, __dir__ = _lazy_names(__name__, _ELSEWHERE)


__all__ = [
    "as_string", "bytes_split", "format", "join", "length", "lower", "reduce_join", "regex_full_match", "regex_replace",
    "split", "strip", "substr", "to_number", "upper",
]  # fmt: skip
