# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt import (
    as_string as as_string
)
from graphrt.strings import (
    bytes_split as bytes_split, format as format, join as join, lower as lower, ngrams as ngrams,
    regex_full_match as regex_full_match, regex_replace as regex_replace, strip as strip,
    to_hash_bucket_fast as to_hash_bucket_fast, to_hash_bucket_strong as to_hash_bucket_strong,
    unicode_decode as unicode_decode, unicode_decode_with_offsets as unicode_decode_with_offsets,
    unicode_encode as unicode_encode, unicode_script as unicode_script, unicode_split as unicode_split,
    unicode_split_with_offsets as unicode_split_with_offsets, unicode_transcode as unicode_transcode,
    unsorted_segment_join as unsorted_segment_join, upper as upper
)
