"""Encodings of strings, strong hashes, and strings joined by segments."""

from __future__ import annotations

import codecs
import itertools
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.graph import InferContext
from graphrt.ir.op import PER_ELEMENT, define
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.shape import Shape, reshape
from graphrt.ops.math.reduction import reduce_prod
from graphrt.ops.strings.text import lossless_bytes, sizes_of
from graphrt.ops.support.kernel_helpers import bad
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import INDEX
from graphrt.types.likes import Array
from graphrt.types.shape import Dims

__all__ = ["to_hash_bucket_strong", "unicode_encode", "unicode_transcode", "unsorted_segment_join"]

_CODECS = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}


def check_replacement(code: int) -> None:
    """Refuses what no character has for its code point."""
    if not 0 <= code < 0x110000:
        raise bad(f"replacement_char out of unicode codepoint range: {code}")


def _check_encoding(name: str) -> None:
    try:
        codecs.lookup(name)
    except LookupError:
        raise bad(f"Could not create converter for input encoding: {name}") from None


def _decoded(data: bytes, encoding: str, mistakes: str, replacement: int) -> str:
    try:
        return data.decode(encoding, "strict")
    except LookupError:
        raise bad(f"Could not create converter for input encoding: {encoding}") from None
    except UnicodeDecodeError:
        if mistakes == "strict":
            raise bad("Invalid formatting on input string") from None
    if mistakes == "ignore":
        return data.decode(encoding, "ignore")
    marked = data.decode(encoding, "replace")
    return marked if replacement == 0xFFFD else marked.replace("\ufffd", chr(replacement))


def _transcode(
    x: Array, *, input_encoding: str, output_encoding: str, errors: str, replacement_char: int,
    replace_control_characters: bool,
) -> Array:  # fmt: skip
    codec = _CODECS.get(output_encoding)
    if codec is None:
        raise bad(f"output_encoding must be one of {', '.join(_CODECS)}, found {output_encoding}")
    check_replacement(replacement_char)
    _check_encoding(input_encoding)
    texts: Any = np.asarray(x, object)
    out = np.empty(texts.shape, object)
    for at in np.ndindex(*texts.shape):
        found = _decoded(texts[at], input_encoding, errors, replacement_char)
        if replace_control_characters:
            instead = "" if errors == "ignore" else chr(replacement_char)
            found = "".join(instead if ord(c) < 32 or 127 <= ord(c) < 160 else c for c in found)
        out[at] = found.encode(codec, "surrogatepass")  # what takes the place of mistakes may be one
    return out


UnicodeTranscode = define(
    "UnicodeTranscode", "input: string -> output: string",
    attrs="input_encoding: string; output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}; "
    "errors: {'strict', 'replace', 'ignore'} = 'replace'; "
    "replacement_char: int = 65533; replace_control_characters: bool = False",
    infer=lambda c: c.dims(0), kernel=_transcode, vjp=lambda call, g: [None],
    traits=(PER_ELEMENT,),
)  # fmt: skip


def unicode_transcode(
    input: TensorLike, input_encoding: str, output_encoding: str, errors: str = "replace",
    replacement_char: int = 65533, replace_control_characters: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Strings in another encoding: UTF-8, UTF-16-BE or UTF-32-BE.

    >>> import graphrt as tf
    >>> tf.strings.unicode_transcode(b"a", "UTF-8", "UTF-16-BE").numpy()
    b'\\x00a'

    Raises:
      InvalidArgumentError: an encoding is unknown, or the text is malformed and `errors` is "strict".
    """
    return UnicodeTranscode(
        input, input_encoding=input_encoding, output_encoding=output_encoding, errors=errors,
        replacement_char=replacement_char, replace_control_characters=replace_control_characters, name=name,
    )  # fmt: skip


def _encode(values: Array, splits: Array, *, errors: str, output_encoding: str, replacement_char: int) -> Array:
    check_replacement(replacement_char)
    edges, codes = np.ravel(splits).tolist(), np.ravel(values).tolist()
    codec = _CODECS.get(output_encoding)
    if codec is None:
        raise bad(f"output_encoding must be one of {', '.join(_CODECS)}, found {output_encoding}")
    out = np.empty(max(len(edges) - 1, 0), object)
    for i, (low, high) in enumerate(itertools.pairwise(edges)):
        text = []
        for code in codes[low:high]:
            if 0 <= code < 0x110000 and not 0xD800 <= code < 0xE000:
                text.append(chr(code))
            elif errors == "strict":
                raise bad(f"Code point is out of range for Unicode, or is a surrogate: {code}")
            elif errors == "replace":
                text.append(chr(replacement_char))
        out[i] = "".join(text).encode(codec, "surrogatepass")
    return out


def _encoded_dims(c: InferContext) -> Dims:
    dims = c.dims(1)
    return (dims[0] - 1,) if dims and dims[0] is not None else (None,)


UnicodeEncode = define(
    "UnicodeEncode", "input_values: int32[1], input_splits: Tsplits[1] -> output: string",
    attrs="errors: {'ignore', 'replace', 'strict'} = 'replace'; "
    "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}; replacement_char: int = 65533; "
    "Tsplits: type = int64", allowed={"Tsplits": INDEX},
    infer=_encoded_dims, kernel=_encode,
    vjp=lambda call, g: [None, None],
)  # fmt: skip


def unicode_encode(
    input: TensorLike, output_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Code points (the last axis) as strings.

    >>> import graphrt as tf
    >>> tf.strings.unicode_encode([[72, 105]], "UTF-8").numpy().tolist()
    [b'Hi']

    Raises:
      InvalidArgumentError: a code point is not valid and `errors` is "strict".
      ValueError: `input` is a scalar.
    """
    if hasattr(input, "value_rowids"):  # ragged: the innermost dimension are the code points
        return _encode_ragged(input, output_encoding, errors, replacement_char)
    with scope(name, "UnicodeEncode"):
        x = as_tensor(input)
        if x.dims == ():
            raise ValueError(
                "unicode_encode takes code points of one dimension or more, found a scalar: write `[point]`"
            )
        shape = Shape(x)
        count = reduce_prod(shape[:-1])
        splits = range_(count + 1) * shape[-1]
        flat = UnicodeEncode(
            reshape(x, [-1]), splits, output_encoding=output_encoding, errors=errors,
            replacement_char=replacement_char,
        )  # fmt: skip
        return reshape(flat, shape[:-1])


def _encode_ragged(x: Any, encoding: str, mistakes: str, replacement: int) -> Any:
    values = x.values
    if hasattr(values, "value_rowids") or len(values.dims) > 1:
        return x.with_values(unicode_encode(values, encoding, mistakes, replacement))
    return UnicodeEncode(values, x.row_splits, output_encoding=encoding, errors=mistakes, replacement_char=replacement)


# --- hashes ----------------------------------------------------------------------------------------------------------
_WORD = (1 << 64) - 1


def _turn(values: Array, by: int) -> Array:
    return values << np.uint64(by) | values >> np.uint64(64 - by)


def _siphash(words: Array, key: tuple[int, int]) -> Array:
    """SipHash-2-4 of texts, each a row of words."""
    starts = 0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573
    a, b, c, d = (np.full(len(words), start ^ key[i % 2], np.uint64) for i, start in enumerate(starts))
    for i in range(words.shape[1] + 2):
        if i < words.shape[1]:
            d ^= words[:, i]
        elif i == words.shape[1]:
            c ^= np.uint64(255)
        for _ in range(2):
            a, c = a + b, c + d
            b, d = _turn(b, 13) ^ a, _turn(d, 16) ^ c
            a, c = _turn(a, 32) + d, c + b
            b, d = _turn(b, 17) ^ c, _turn(d, 21) ^ a
            c = _turn(c, 32)
        if i < words.shape[1]:
            a ^= words[:, i]
    return a ^ b ^ c ^ d


def _siphashes(texts: list[bytes], key: tuple[int, int]) -> Array:
    """SipHash-2-4 of each text: of all that have as many words at once."""
    lengths = sizes_of(texts, np.int64)
    counts = lengths // 8 + 1
    found = np.empty(len(texts), np.uint64)
    for count in np.unique(counts).tolist():
        at = np.flatnonzero(counts == count)
        padded = b"".join(texts[i].ljust(8 * count, b"\0") for i in at.tolist())
        words = np.frombuffer(padded, "<u8").astype(np.uint64).reshape(at.size, count)
        words[:, -1] |= (lengths[at] & 255).astype(np.uint64) << np.uint64(56)
        found[at] = _siphash(words, key)
    return found


def _strong(x: Array, *, num_buckets: int, key: list[int]) -> Array:
    if len(key) != 2:
        raise bad(f"Key must have 2 elements, found {len(key)}")
    if num_buckets < 1:
        raise bad(f"num_buckets must be at least 1, found {num_buckets}")
    texts = np.asarray(x, object)
    words = (key[0] & _WORD, key[1] & _WORD)
    found = _siphashes(texts.reshape(-1).tolist(), words) % np.uint64(num_buckets)
    return found.astype(np.int64).reshape(texts.shape)[()]


StringToHashBucketStrong = define(
    "StringToHashBucketStrong", "input: string -> output: int64", attrs="num_buckets: int >= 1; key: list(int)",
    infer=lambda c: c.dims(0), kernel=_strong, vjp=lambda call, g: [None],
    traits=(PER_ELEMENT,),
)  # fmt: skip


def to_hash_bucket_strong(input: TensorLike, num_buckets: int, key: Any, name: str | None = None) -> Tensor:
    """A number below `num_buckets` for each string, which nobody can aim at who does not know `key`, two integers.

    >>> import graphrt as tf
    >>> tf.strings.to_hash_bucket_strong(["Hello", "TF"], 3, [1, 2]).numpy().tolist()
    [2, 0]

    Raises:
      InvalidArgumentError: `key` is no pair.
    """
    words = list(key)
    for word in words:
        errors.expect(word, (int, np.integer), "key", "two integers")
    return StringToHashBucketStrong(input, num_buckets=num_buckets, key=words, name=name)


# --- joined by segments ----------------------------------------------------------------------------------------------
def _join(inputs: Array, ids: Array, count: Array, *, separator: str) -> Array:
    texts, segments = np.asarray(inputs, object), np.asarray(ids)
    if texts.shape[: segments.ndim] != segments.shape:
        raise bad("segment_ids must be a prefix of the shape of inputs")
    rest = texts.shape[segments.ndim :]
    rows = texts.reshape(-1, *rest)
    parts: list[list[Any]] = [[] for _ in range(int(count))]
    for row, segment in zip(rows, segments.reshape(-1).tolist()):
        if segment >= int(count):
            raise bad(f"Segment id {segment} is out of range [0, {int(count)})")
        if segment >= 0:
            parts[segment].append(row)
    glue = lossless_bytes(separator)
    out = np.empty((int(count), *rest), object)
    for i, found in enumerate(parts):
        for at in np.ndindex(*rest):
            text = b""  # nothing stands between what is empty so far and what comes
            for row in found:
                piece = row[at] if rest else row
                text = text + glue + piece if text else piece
            out[(i, *at)] = text
    return out


def _join_dims(c: InferContext) -> Dims:
    dims, ids = c.dims(0), c.dims(1)
    if dims is None or ids is None:
        return None
    known = c.const(2)
    return (None if known is None else int(known), *dims[len(ids) :])


UnsortedSegmentJoin = define(
    "UnsortedSegmentJoin",
    "inputs: string, segment_ids: Tindices, num_segments: Tnumsegments[0] -> output: string",
    attrs="separator: string = ''; Tindices: type; Tnumsegments: type = int32",
    allowed={"Tindices": INDEX, "Tnumsegments": INDEX}, infer=_join_dims, kernel=_join,
    vjp=lambda call, g: [None] * 3,
)  # fmt: skip


def unsorted_segment_join(
    inputs: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, separator: str = "", name: str | None = None
) -> Tensor:
    """The strings of each segment, joined.

    >>> import graphrt as tf
    >>> tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 2, "-").numpy().tolist()
    [b'b', b'a-c']

    Raises:
      InvalidArgumentError: a segment is out of range.
    """
    return UnsortedSegmentJoin(inputs, segment_ids, num_segments, separator=separator, name=name)
