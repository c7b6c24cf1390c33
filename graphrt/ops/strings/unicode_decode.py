"""Strings as the code points, characters and n-grams they are made of."""

from __future__ import annotations

import codecs
import itertools
from typing import Any

import numpy as np

from graphrt import errors as _errors
from graphrt.ir.graph import InferContext
from graphrt.ir.op import PER_ELEMENT, define
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.shape import ExpandDims, shape, squeeze
from graphrt.ops.ragged import RaggedTensor
from graphrt.ops.ragged.functions import ragged_rows, ragged_rows_of_several
from graphrt.ops.strings.text import lossless_bytes
from graphrt.ops.strings.unicode import UnicodeEncode, check_replacement
from graphrt.ops.support.kernel_helpers import bad, known_rank
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import INDEX, DType, int32, string
from graphrt.types.likes import Array
from graphrt.types.nesting import shown
from graphrt.types.unicode_scripts import script_of

__all__ = [
    "ngrams", "unicode_decode", "unicode_decode_with_offsets", "unicode_script", "unicode_split",
    "unicode_split_with_offsets",
]  # fmt: skip


# --- code points -----------------------------------------------------------------------------------------------------
# Bytes that are decoded at once: Python copies them all into each error that it finds, so that a long text of errors would
# take the square of its length. Only where a character does not depend on those before it.
_WINDOW = 256
_WITHOUT_STATE = frozenset(("utf-8", "utf-16-be", "utf-16-le", "utf-32-be", "utf-32-le", "ascii", "iso8859-1"))


def _characters(data: bytes, codec: str, mistakes: str, replacement: int) -> tuple[list[int], list[int]]:
    """The code points of a text, and where each begins."""
    codes: list[int] = []
    starts: list[int] = []
    at = 0
    window = _WINDOW if codec in _WITHOUT_STATE else len(data)

    def take(part: str, place: int) -> None:
        for character in part:
            codes.append(ord(character))
            starts.append(place)
            place += len(character.encode(codec))

    while at < len(data):
        rest = data[at : at + window]
        try:
            take(rest.decode(codec), at)
            at += len(rest)
        except UnicodeDecodeError as error:
            take(rest[: error.start].decode(codec), at)
            if error.start and error.end == len(rest) < len(data) - at:  # it may go on behind the window
                at += error.start
                continue
            if mistakes == "strict":
                raise bad("Invalid formatting on input string") from None
            if mistakes == "replace":
                codes.append(replacement)
                starts.append(at + error.start)
            at += max(error.end, error.start + 1)
    return codes, starts


def _decode_all(
    x: Array, encoding: str, mistakes: str, replacement: int, control: bool, dtype: DType
) -> tuple[Array, Array, Array]:
    name = encoding
    try:
        codec = codecs.lookup(name).name
    except LookupError:
        raise bad(f"Could not create converter for input encoding: {name}") from None
    edges, codes, starts = [0], [], []
    for text in np.ravel(np.asarray(x, object)).tolist():
        try:
            found, places = _characters(text, codec, mistakes, replacement)
        except LookupError:  # one of bytes to bytes
            raise bad(f"Could not create converter for input encoding: {name}") from None
        codes += found
        starts += places
        edges.append(len(codes))
    points = np.array(codes, np.int32)
    if control:
        points[points < 32] = replacement
    return np.array(edges, dtype.as_numpy_dtype), points, np.array(starts, np.int64)


def _decode(
    x: Array, *, input_encoding: str, errors: str, replacement_char: int, replace_control_characters: bool,
    Tsplits: DType
) -> tuple[Array, Array]:  # fmt: skip
    return _decode_all(x, input_encoding, errors, replacement_char, replace_control_characters, Tsplits)[:2]


def _decode_with_offsets(
    x: Array, *, input_encoding: str, errors: str, replacement_char: int, replace_control_characters: bool,
    Tsplits: DType
) -> tuple[Array, Array, Array]:  # fmt: skip
    return _decode_all(x, input_encoding, errors, replacement_char, replace_control_characters, Tsplits)


def _splits_dims(c: InferContext) -> tuple[int, ...]:
    dims = c.dims(0)
    count = 1
    for d in dims if dims is not None else (None,):
        count = None if d is None or count is None else count * d  # type: ignore[assignment]
    return (None if count is None else count + 1,)


_ATTRS = (
    "input_encoding: string; errors: {'strict', 'replace', 'ignore'} = 'replace'; replacement_char: int = 65533; "
    "replace_control_characters: bool = False; Tsplits: type = int64"
)
UnicodeDecode = define(
    "UnicodeDecode", "input: string -> row_splits: Tsplits, char_values: int32", attrs=_ATTRS,
    allowed={"Tsplits": INDEX}, infer=lambda c: [_splits_dims(c), (None,)], kernel=_decode,
    vjp=lambda call, *g: [None],
)  # fmt: skip
UnicodeDecodeWithOffsets = define(
    "UnicodeDecodeWithOffsets",
    "input: string -> row_splits: Tsplits, char_values: int32, char_to_byte_starts: int64", attrs=_ATTRS,
    allowed={"Tsplits": INDEX}, infer=lambda c: [_splits_dims(c), (None,), (None,)], kernel=_decode_with_offsets,
    vjp=lambda call, *g: [None],
)  # fmt: skip


def _options(encoding: str, mistakes: str, replacement: int, control: bool, name: str | None) -> dict[str, Any]:
    check_replacement(replacement)
    if mistakes not in ("strict", "replace", "ignore"):
        raise _errors.InvalidArgumentError(
            None, None, _errors.at_user_line(f"errors must be strict, replace or ignore, found {shown(mistakes)}")
        )
    return {
        "input_encoding": encoding, "errors": mistakes, "replacement_char": replacement,
        "replace_control_characters": control, "name": name,
    }  # fmt: skip


def unicode_decode(
    input: TensorLike, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False, name: str | None = None,
) -> RaggedTensor | Any:  # fmt: skip
    """The code points of each string: a vector for a scalar string, else rows of a ragged tensor.

    >>> import graphrt as tf
    >>> tf.strings.unicode_decode(["Hi", "é"], "UTF-8")
    <tf.RaggedTensor [[72, 105], [233]]>

    Raises:
      InvalidArgumentError: the encoding is unknown, or the text is malformed and `errors` is "strict".
    """
    options = _options(input_encoding, errors, replacement_char, replace_control_characters, name)

    def rows(x: Tensor) -> tuple[Tensor, Tensor]:
        splits, codes = UnicodeDecode(x, **options)
        return codes, splits

    return ragged_rows(input, rows)


def unicode_decode_with_offsets(
    input: TensorLike, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False, name: str | None = None,
) -> tuple[RaggedTensor | Any, RaggedTensor | Any]:  # fmt: skip
    """The code points of each string, and the byte at which each begins.

    >>> import graphrt as tf
    >>> codes, offsets = tf.strings.unicode_decode_with_offsets("éa", "UTF-8")
    >>> codes.numpy().tolist(), offsets.numpy().tolist()
    ([233, 97], [0, 2])

    Raises:
      InvalidArgumentError: the encoding is unknown, or the text is malformed and `errors` is "strict".
    """
    options = _options(input_encoding, errors, replacement_char, replace_control_characters, name)

    def rows(x: Tensor) -> list[tuple[Tensor, Tensor]]:
        splits, codes, starts = UnicodeDecodeWithOffsets(x, **options)
        return [(codes, splits), (starts, splits)]

    return tuple(ragged_rows_of_several(input, rows))


def _as_characters(codes: TensorLike, encoding: str, mistakes: str, replacement: int) -> Any:
    values = codes.flat_values if isinstance(codes, RaggedTensor) else codes
    count = shape(values)[0]
    texts = UnicodeEncode(
        values, range_(count + 1), output_encoding=encoding, errors=mistakes, replacement_char=replacement
    )
    return codes.with_flat_values(texts) if isinstance(codes, RaggedTensor) else texts


def unicode_split(
    input: TensorLike, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> RaggedTensor | Any:  # fmt: skip
    """The characters of each string, as strings of the same encoding.

    >>> import graphrt as tf
    >>> tf.strings.unicode_split(["aé", "b"], "UTF-8")
    <tf.RaggedTensor [[b'a', b'\\xc3\\xa9'], [b'b']]>

    Raises:
      InvalidArgumentError: the encoding is unknown, or the text is malformed and `errors` is "strict".
    """
    codes = unicode_decode(input, input_encoding, errors, replacement_char)
    return _as_characters(codes, input_encoding, "replace", replacement_char)


def unicode_split_with_offsets(
    input: TensorLike, input_encoding: str, errors: str = "replace", replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> tuple[RaggedTensor | Any, RaggedTensor | Any]:  # fmt: skip
    """The characters of each string, and the byte at which each begins.

    >>> import graphrt as tf
    >>> texts, offsets = tf.strings.unicode_split_with_offsets("éa", "UTF-8")
    >>> texts.numpy().tolist(), offsets.numpy().tolist()
    ([b'\\xc3\\xa9', b'a'], [0, 2])

    Raises:
      InvalidArgumentError: the encoding is unknown, or the text is malformed and `errors` is "strict".
    """
    codes, starts = unicode_decode_with_offsets(input, input_encoding, errors, replacement_char)
    return _as_characters(codes, input_encoding, "replace", replacement_char), starts


# --- scripts ---------------------------------------------------------------------------------------------------------
UnicodeScript = define(
    "UnicodeScript", "input: int32 -> output: int32", infer=lambda c: c.dims(0),
    kernel=lambda x: script_of(x)[()], vjp=lambda call, g: [None],
    traits=(PER_ELEMENT,),
)  # fmt: skip


def unicode_script(input: TensorLike, name: str | None = None) -> Tensor | Any:
    """The script of each code point, as ICU numbers them: 0 is common, 25 Latin, 17 Han; -1 for what is no code point.

    >>> import graphrt as tf
    >>> tf.strings.unicode_script([97, 32, 0x4E00]).numpy().tolist()
    [25, 0, 17]
    """
    return UnicodeScript(input if isinstance(input, RaggedTensor) else as_tensor(input, int32), name=name)


# --- n-grams ---------------------------------------------------------------------------------------------------------
def _ngrams_of(
    row: list[bytes], widths: list[int], glue: bytes, left: bytes, right: bytes, pad: int, short: bool
) -> list[bytes]:
    found = []
    for width in widths:
        edge = width - 1 if pad < 0 else min(pad, width - 1)
        padded = [left] * edge + row + [right] * edge
        found += [glue.join(padded[i : i + width]) for i in range(len(padded) - width + 1)]
    if short and not found and row:
        edge = max(pad, 0)
        found.append(glue.join([left] * edge + row + [right] * edge))
    return found


def _ngrams_kernel(
    data: Array, splits: Array, *, separator: str, ngram_widths: list[int], left_pad: str, right_pad: str,
    pad_width: int, preserve_short_sequences: bool
) -> tuple[Array, Array]:  # fmt: skip
    texts, edges = np.ravel(np.asarray(data, object)).tolist(), np.ravel(splits).tolist()
    if edges and (edges[0] != 0 or edges[-1] != len(texts)):
        raise bad(f"Invalid split: the first must be 0 and the last {len(texts)}, found {edges}")
    glue, left, right = map(lossless_bytes, (separator, left_pad, right_pad))
    found: list[bytes] = []
    out = [0]
    for a, b in itertools.pairwise(edges):
        found += _ngrams_of(texts[a:b], ngram_widths, glue, left, right, pad_width, preserve_short_sequences)
        out.append(len(found))
    values = np.empty(len(found), object)
    values[:] = found
    return values, np.array(out if edges else [], np.asarray(splits).dtype)


StringNGrams = define(
    "StringNGrams", "data: string[1], data_splits: Tsplits[1] -> ngrams: string, ngrams_splits: Tsplits",
    attrs="separator: string; ngram_widths: list(int) = []; left_pad: string; right_pad: string; pad_width: int; "
    "preserve_short_sequences: bool; Tsplits: type = int64",
    allowed={"Tsplits": INDEX}, infer=lambda c: [(None,), c.dims(1)], kernel=_ngrams_kernel,
    vjp=lambda call, *g: [None, None],
)  # fmt: skip


def ngrams(
    data: TensorLike, ngram_width: TensorLike, separator: str = " ", pad_values: TensorLike | None = None,
    padding_width: int | None = None, preserve_short_sequences: bool = False, name: str | None = None
) -> RaggedTensor | Any:  # fmt: skip
    """Runs of `ngram_width` strings (of each of several widths) along the last dimension, joined.

    >>> import graphrt as tf
    >>> tf.strings.ngrams(["A", "B", "C"], 2).numpy().tolist()
    [b'A B', b'B C']

    Raises:
      TypeError: `pad_values` is neither a string nor a pair of them.
      ValueError: a width is not positive, or `data` is a scalar.
    """
    if pad_values is None:
        left: Any = ""
        right: Any = ""
    elif isinstance(pad_values, (list, tuple)):
        if len(pad_values) != 2 or not all(isinstance(v, (str, bytes)) for v in pad_values):
            raise TypeError(_errors.at_user_line("pad_values must be a string, tuple of strings, or None."))
        left, right = pad_values
    elif isinstance(pad_values, (str, bytes)):
        left = right = pad_values
    else:
        raise TypeError(_errors.at_user_line("pad_values must be a string, tuple of strings, or None."))
    if padding_width is not None and padding_width < 1:
        raise ValueError(_errors.at_user_line(f"padding_width must be greater than 0. Got {padding_width}"))
    if padding_width is not None and pad_values is None:
        raise ValueError(
            _errors.at_user_line(f"pad_values must be provided if padding_width is set. Got {padding_width}")
        )
    widths = list(ngram_width) if isinstance(ngram_width, (list, tuple)) else [ngram_width]
    for width in widths:
        if not isinstance(width, int):
            raise TypeError(_errors.at_user_line(f"ngram_width must be an integer or list of integers. Got {width!r}"))
        if width < 1:
            raise ValueError(_errors.at_user_line(f"All ngram_widths must be greater than 0. Got {ngram_width!s}"))
    x: Any = data if isinstance(data, RaggedTensor) else as_tensor(data, None if isinstance(data, Tensor) else string)
    if x.dims is not None and not len(x.dims):
        raise ValueError(_errors.at_user_line("Data must have rank>0"))
    rank = known_rank(x, "tf.strings.ngrams")
    ragged = x
    if not isinstance(x, RaggedTensor):
        ragged = RaggedTensor.from_tensor(ExpandDims(x, np.int32(0)) if rank == 1 else x, ragged_rank=max(rank - 1, 1))
    elif (inner := known_rank(x.flat_values, "tf.strings.ngrams")) > 1:
        ragged = x.with_flat_values(RaggedTensor.from_tensor(x.flat_values, ragged_rank=inner - 1))
    pad = -1 if padding_width is None and pad_values is not None else padding_width or 0
    flat, splits = ragged.flat_values, ragged.nested_row_splits[-1]
    found, edges = StringNGrams(
        flat, splits, separator=separator, ngram_widths=widths, left_pad=left, right_pad=right, pad_width=pad,
        preserve_short_sequences=preserve_short_sequences, name=name,
    )  # fmt: skip
    result = RaggedTensor.from_row_splits(found, edges, validate=False)
    for outer in reversed(ragged.nested_row_splits[:-1]):
        result = RaggedTensor.from_row_splits(result, outer, validate=False)
    if isinstance(x, RaggedTensor):
        return result
    return squeeze(result.to_tensor(), [0]) if rank == 1 else result.to_tensor()
