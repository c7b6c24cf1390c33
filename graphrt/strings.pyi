# Written by tests/stubs.py from graphrt/api/exports.py.
"""Tensors of strings."""
from graphrt.ops.io.printing import (
    format as format
)
from graphrt.ops.strings.hashing import (
    to_hash_bucket as to_hash_bucket, to_hash_bucket_fast as to_hash_bucket_fast
)
from graphrt.ops.strings.joining import (
    bytes_split as bytes_split, join as join, reduce_join as reduce_join, split as split
)
from graphrt.ops.strings.numbers import (
    as_string as as_string, to_number as to_number
)
from graphrt.ops.strings.regex import (
    regex_full_match as regex_full_match, regex_replace as regex_replace
)
from graphrt.ops.strings.text import (
    length as length, lower as lower, strip as strip, substr as substr, upper as upper
)
from graphrt.ops.strings.unicode import (
    to_hash_bucket_strong as to_hash_bucket_strong, unicode_encode as unicode_encode,
    unicode_transcode as unicode_transcode, unsorted_segment_join as unsorted_segment_join
)
from graphrt.ops.strings.unicode_decode import (
    ngrams as ngrams, unicode_decode as unicode_decode, unicode_decode_with_offsets as unicode_decode_with_offsets,
    unicode_script as unicode_script, unicode_split as unicode_split,
    unicode_split_with_offsets as unicode_split_with_offsets
)
