"""Strings: tensors of bytes, by default understood byte by byte; `encoding="utf-8"` counts characters."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.op import define, ops
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.ops.support.shape_rules import as_tensor, broadcast_all, same_shape
from graphrt.tensor.tensor import TensorLike
from graphrt.types.dtype import COMPLEX, INDEX, REAL, DType, as_dtype, bool_, float32, string
from graphrt.types.shape import Dims, merge

__all__ = [
    "as_string", "bytes_split", "decode_base64", "encode_base64", "join", "length", "lower", "reduce_join",
    "regex_full_match", "regex_replace", "split", "strip", "substr", "to_number", "upper",
]  # fmt: skip


def _text(value: Any) -> str:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


def _each(function: Callable[[bytes], Any], x: Any, numpy_type: Any = object) -> Any:
    """`function` of each string."""
    array = np.asarray(x)
    if not array.ndim:
        found = function(array.item())
        return np.array(found, object) if numpy_type is object else numpy_type(found)
    out = np.empty(array.shape, numpy_type)
    flat, source = out.reshape(-1), array.reshape(-1)
    for i in range(flat.size):
        flat[i] = function(source[i])
    return out


def _no_gradient(call: Any, *grads: Any) -> list[Any]:
    return [None] * len(call.inputs)


# --- joining ---------------------------------------------------------------------------------------------------------
def _join_dims(c: Any) -> Dims:
    dims: Dims = ()
    for v in c.inputs:
        if v.dims != ():
            dims = v.dims if dims == () else merge(dims, v.dims)
    return dims


def _join_kernel(inputs: list[Any], *, separator: Any) -> Any:
    sep = separator if isinstance(separator, bytes) else str(separator).encode("utf-8", "surrogateescape")
    arrays = [np.asarray(v) for v in inputs]
    shapes = [a.shape for a in arrays if a.ndim]
    if any(s != shapes[0] for s in shapes):
        raise bad(
            f"Input shapes do not match: {text_of(shapes[0])} vs. {text_of(next(s for s in shapes if s != shapes[0]))}"
        )
    if not shapes:
        return np.array(sep.join(a.item() for a in arrays), object)
    out = np.empty(shapes[0], object)
    columns = [a.reshape(-1) if a.ndim else None for a in arrays]
    flat = out.reshape(-1)
    for i in range(flat.size):
        flat[i] = sep.join(a.item() if c is None else c[i] for a, c in zip(arrays, columns))
    return out


StringJoin = define(
    "StringJoin", "inputs: N * string -> output: string", attrs="N: int >= 0; separator: string = ''",
    infer=_join_dims, kernel=_join_kernel, vjp=_no_gradient,
)  # fmt: skip


def join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """The strings of several tensors of one shape (scalars fit any), joined element by element.

    >>> import graphrt as tf
    >>> tf.strings.join(["a", ["b", "c"]], "-").numpy().tolist()
    [b'a-b', b'a-c']

    Raises:
      InvalidArgumentError: the shapes differ.
    """
    return StringJoin(list(inputs), separator=separator, name=name)


def _reduce_join_kernel(x: Any, axes: Any, *, keep_dims: bool, separator: Any) -> Any:
    sep = _text(separator).encode("utf-8", "surrogateescape")
    array = np.asarray(x)
    found = []
    for a in np.ravel(axes).tolist():
        if not -array.ndim <= a < array.ndim:
            raise bad(f"Invalid reduction dimension {a} for input with {array.ndim} dimension(s)")
        found.append(a % array.ndim)
    if len(set(found)) != len(found):
        raise bad(f"Duplicate reduction dimension {found[-1]}")
    kept = [i for i in range(array.ndim) if i not in found]
    rows = array.transpose(kept + found[::-1]).reshape(-1, int(np.prod([array.shape[i] for i in found], dtype=int)))
    out = np.empty(len(rows), object)
    for i, row in enumerate(rows.tolist()):
        out[i] = sep.join(row)
    dims = [1 if i in found else d for i, d in enumerate(array.shape)] if keep_dims else [array.shape[i] for i in kept]
    return out.reshape(dims)


def _reduce_join_dims(c: Any) -> Dims:
    dims, axes = c.dims(0), c.const(1)
    if dims is None or axes is None:
        return None if not (dims is not None and c.attrs["keep_dims"]) else (None,) * len(dims)
    gone = set()
    for a in np.ravel(axes).tolist():
        if not -len(dims) <= a < len(dims):
            raise ShapeError(f"Invalid reduction dimension {a} for input with {len(dims)} dimensions.")
        gone.add(a % len(dims))
    if c.attrs["keep_dims"]:
        return tuple(1 if i in gone else d for i, d in enumerate(dims))
    return tuple(d for i, d in enumerate(dims) if i not in gone)


ReduceJoin = define(
    "ReduceJoin", "inputs: string, reduction_indices: int32 -> output: string",
    attrs="keep_dims: bool = False; separator: string = ''", infer=_reduce_join_dims, kernel=_reduce_join_kernel,
    vjp=_no_gradient,
)  # fmt: skip


def reduce_join(
    inputs: TensorLike, axis: Any = None, keepdims: bool = False, separator: str = "", name: str | None = None
) -> Any:
    """The strings joined along `axis` (all of them when None).

    >>> import graphrt as tf
    >>> tf.strings.reduce_join(["a", "b"], separator="+").numpy()
    b'a+b'

    Raises:
      InvalidArgumentError: there is no such axis.
    """
    x = as_tensor(inputs)
    if axis is None:
        axis = np.arange(len(x.dims or ()), dtype=np.int32) if x.dims is not None else ops.range(ops.rank(x))
    return ReduceJoin(x, axis, keep_dims=keepdims, separator=separator, name=name or "ReduceJoin")


# --- numbers as strings and back -------------------------------------------------------------------------------------
def _number_text(dtype: DType, precision: int, scientific: bool, shortest: bool) -> Callable[[Any], bytes]:
    if dtype.kind in "iu":
        return lambda v: b"%d" % int(v)
    if dtype.kind == "b":
        return lambda v: b"true" if v else b"false"
    style = "e" if scientific else "g" if shortest else "f"
    spec = f".{precision}{style}" if precision >= 0 else style

    def one(v: Any) -> str:
        number = float(v)
        if number != number:
            return "nan"
        if number in (float("inf"), float("-inf")):
            return "inf" if number > 0 else "-inf"
        return format(number, spec if precision >= 0 or style != "g" else ".6g")

    if dtype.kind == "c":
        return lambda v: f"({one(v.real)},{one(v.imag)})".encode()
    return lambda v: one(v).encode()


def _as_string_kernel(
    x: Any, *, T: DType, precision: int, scientific: bool, shortest: bool, width: int, fill: Any
) -> Any:
    if T.kind == "S":
        return x
    pad = _text(fill)
    if len(pad) > 1:
        raise bad(f"Fill string must be one or fewer characters: {pad}")
    if scientific and shortest:
        raise bad("Cannot select both scientific and shortest notation")
    if precision >= 0 and T.kind not in "fc":
        raise bad(f"precision not supported for datatype {T.name}")
    write = _number_text(T, precision, scientific, shortest)
    array = np.asarray(x)
    out = np.empty(array.shape, object)
    flat = out.reshape(-1)
    for i, v in enumerate(array.reshape(-1)):
        flat[i] = _padded(write(v), width, pad)
    return out


def _padded(text: bytes, width: int, fill: str) -> bytes:
    if width <= len(text):
        return text
    if fill == "-":
        return text.ljust(width)
    if fill == "0":
        sign = text[:1] if text[:1] in (b"-", b"+") else b""
        return sign + text[len(sign) :].rjust(width - len(sign), b"0")
    return text.rjust(width)


AsString = define(
    "AsString", "input: T -> output: string",
    attrs="T: type; precision: int = -1; scientific: bool = False; shortest: bool = False; width: int = -1; "
    "fill: string = ''",
    allowed={"T": (*REAL, *COMPLEX, bool_, string)}, infer=same_shape, kernel=_as_string_kernel, vjp=_no_gradient,
)  # fmt: skip


def as_string(
    input: TensorLike, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = -1,
    fill: str = "", name: str | None = None,
) -> Any:  # fmt: skip
    """Each element as a string, as C's `printf` writes it.

    >>> import graphrt as tf
    >>> tf.strings.as_string([3, 2]).numpy().tolist(), tf.strings.as_string(1.5).numpy()
    ([b'3', b'2'], b'1.500000')

    Raises:
      InvalidArgumentError: the options do not fit each other or the dtype.
    """
    return AsString(
        input, precision=precision, scientific=scientific, shortest=shortest, width=width, fill=fill, name=name
    )


def _to_number_kernel(x: Any, *, out_type: DType) -> Any:
    kind = out_type.as_numpy_dtype

    def parse(text: bytes) -> Any:
        clean = text.strip()
        try:
            if b"_" in clean:
                raise ValueError
            if out_type.is_integer:
                number = int(clean)
                if not out_type.min <= number <= out_type.max:
                    raise ValueError
                return kind(number)
            return kind(float(clean))
        except ValueError:
            raise bad(f"StringToNumberOp could not correctly convert string: {_text(text)}") from None

    return _each(parse, x, kind)


StringToNumber = define(
    "StringToNumber", "string_tensor: string -> output: out_type", attrs="out_type: type = float32",
    allowed={"out_type": (float32, as_dtype("float64"), *INDEX, as_dtype("uint32"), as_dtype("uint64"))},
    infer=same_shape, kernel=_to_number_kernel, vjp=_no_gradient,
)  # fmt: skip


def to_number(input: TensorLike, out_type: Any = float32, name: str | None = None) -> Any:
    """Each string as a number of dtype `out_type`.

    >>> import graphrt as tf
    >>> tf.strings.to_number(["1.5", "2"]).numpy().tolist()
    [1.5, 2.0]

    Raises:
      InvalidArgumentError: a string is no number.
    """
    return StringToNumber(input, out_type=as_dtype(out_type), name=name)


# --- letters and lengths ---------------------------------------------------------------------------------------------
def _is_utf8(encoding: Any) -> bool:
    found = _text(encoding).lower()
    if found not in ("", "utf-8"):
        raise bad(f"only utf-8 or '' (no encoding) is supported for op StringLower/StringUpper, got {found}")
    return found == "utf-8"


def _case(type_: str, raw: Callable[[bytes], bytes], full: Callable[[str], str]) -> Any:
    def kernel(x: Any, *, encoding: Any) -> Any:
        if _is_utf8(encoding):
            return _each(lambda v: full(v.decode("utf-8", "replace")).encode(), x)
        return _each(raw, x)

    return define(
        type_, "input: string -> output: string", attrs="encoding: string = ''", infer=same_shape, kernel=kernel,
        vjp=_no_gradient,
    )  # fmt: skip


StringLower = _case("StringLower", bytes.lower, str.lower)
StringUpper = _case("StringUpper", bytes.upper, str.upper)


def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Any:
    """Each string in lower case: ASCII letters only, unless `encoding` is "utf-8".

    >>> import graphrt as tf
    >>> tf.strings.lower("AbC").numpy()
    b'abc'
    """
    return StringLower(input, encoding=encoding, name=name)


def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Any:
    """Each string in upper case: ASCII letters only, unless `encoding` is "utf-8".

    >>> import graphrt as tf
    >>> tf.strings.upper("AbC").numpy()
    b'ABC'
    """
    return StringUpper(input, encoding=encoding, name=name)


StringStrip = define(
    "StringStrip", "input: string -> output: string", infer=same_shape,
    kernel=lambda x: _each(lambda v: v.strip(b" \t\n\v\f\r"), x), vjp=_no_gradient,
)  # fmt: skip


def strip(input: TensorLike, name: str | None = None) -> Any:
    """Each string without blanks at its ends.

    >>> import graphrt as tf
    >>> tf.strings.strip("  a b ").numpy()
    b'a b'
    """
    return StringStrip(input, name=name)


def _unit(unit: Any) -> bool:
    """Whether lengths count characters."""
    found = _text(unit)
    if found not in ("BYTE", "UTF8_CHAR"):
        raise bad(f"unit must be BYTE or UTF8_CHAR, got {found}")
    return found == "UTF8_CHAR"


def _length_kernel(x: Any, *, unit: Any) -> Any:
    if _unit(unit):
        return _each(lambda v: sum(1 for b in v if b & 0xC0 != 0x80), x, np.int32)
    return _each(len, x, np.int32)


StringLength = define(
    "StringLength", "input: string -> output: int32", attrs="unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'", infer=same_shape,
    kernel=_length_kernel, vjp=_no_gradient,
)  # fmt: skip


def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Any:
    """The length of each string, in bytes or in characters (`unit="UTF8_CHAR"`).

    >>> import graphrt as tf
    >>> tf.strings.length(["a", "bcd"]).numpy().tolist()
    [1, 3]
    """
    return StringLength(input, unit=unit, name=name)


def _cut(text: bytes, pos: int, size: int, characters: bool) -> bytes:
    whole: Any = text.decode("utf-8", "surrogateescape") if characters else text
    if not -len(whole) <= pos <= len(whole):
        raise bad(f"pos {pos} out of range for string b'{_text(text)}' at index 0")
    start = pos + len(whole) if pos < 0 else pos
    part = whole[start : start + max(size, 0)]
    return part.encode("utf-8", "surrogateescape") if characters else part


def _substr_kernel(x: Any, pos: Any, size: Any, *, unit: Any) -> Any:
    characters = _unit(unit)
    if np.shape(pos) != np.shape(size):
        raise bad(
            f"pos and len should have the same shape, got: {text_of(np.shape(pos))} vs. {text_of(np.shape(size))}"
        )
    try:
        texts, starts, sizes = np.broadcast_arrays(np.asarray(x), pos, size)
    except ValueError:
        raise bad(f"Incompatible shapes: {text_of(np.shape(x))} vs. {text_of(np.shape(pos))}") from None
    out = np.empty(texts.shape, object)
    flat = out.reshape(-1)
    columns = (v.reshape(-1).tolist() for v in (texts, starts, sizes))
    for i, (t, p, n) in enumerate(zip(*columns)):
        flat[i] = _cut(t, p, n, characters)
    return out


Substr = define(
    "Substr", "input: string, pos: T, len: T -> output: string", attrs="T: type; unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",
    allowed={"T": INDEX}, infer=broadcast_all, kernel=_substr_kernel, vjp=_no_gradient,
)  # fmt: skip


def substr(input: TensorLike, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> Any:
    """`len` bytes (characters) of each string from `pos` on.

    >>> import graphrt as tf
    >>> tf.strings.substr("hello", 1, 3).numpy()
    b'ell'

    Raises:
      InvalidArgumentError: `pos` lies outside of a string.
    """
    return Substr(input, pos, len, unit=unit, name=name)


# --- regular expressions ---------------------------------------------------------------------------------------------
def _compiled(pattern: Any) -> re.Pattern[bytes]:
    raw = pattern if isinstance(pattern, bytes) else str(pattern).encode("utf-8", "surrogateescape")
    try:
        return re.compile(raw)
    except re.error as error:
        raise bad(f"Invalid pattern: {_text(raw)}, error: {error}") from None


def _rewrite(rewrite: Any) -> Callable[[re.Match[bytes]], bytes]:
    """A replacement in which \\1 is a group and \\0 the whole match."""
    raw = rewrite if isinstance(rewrite, bytes) else str(rewrite).encode("utf-8", "surrogateescape")
    parts = re.split(rb"\\(\d|\\)", raw)

    def replace(match: re.Match[bytes]) -> bytes:
        out = [parts[0]]
        for code, rest in zip(parts[1::2], parts[2::2]):
            out.append(b"\\" if code == b"\\" else match.group(int(code)) or b"")
            out.append(rest)
        return b"".join(out)

    return replace


def _replace_kernel(x: Any, pattern: Any, rewrite: Any, replace_global: bool) -> Any:
    compiled, replace = _compiled(pattern), _rewrite(rewrite)
    return _each(lambda v: compiled.sub(replace, v, count=0 if replace_global else 1), x)


StaticRegexReplace = define(
    "StaticRegexReplace", "input: string -> output: string",
    attrs="pattern: string; rewrite: string; replace_global: bool = True", infer=same_shape, vjp=_no_gradient,
    kernel=lambda x, *, pattern, rewrite, replace_global: _replace_kernel(x, pattern, rewrite, replace_global),
)  # fmt: skip
RegexReplace = define(
    "RegexReplace", "input: string, pattern: string, rewrite: string -> output: string",
    attrs="replace_global: bool = True", infer=same_shape, vjp=_no_gradient,
    kernel=lambda x, pattern, rewrite, *, replace_global: _replace_kernel(
        x, np.asarray(pattern).item(), np.asarray(rewrite).item(), replace_global
    ),
)  # fmt: skip


def regex_replace(
    input: TensorLike, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Any:
    """Each string with what matches `pattern` replaced by `rewrite`, in which \\1 to \\9 stand for groups.

    >>> import graphrt as tf
    >>> tf.strings.regex_replace("a1b2", "[0-9]", "-").numpy()
    b'a-b-'

    Raises:
      InvalidArgumentError: `pattern` is no regular expression.
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return StaticRegexReplace(input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name)
    return RegexReplace(input, pattern, rewrite, replace_global=replace_global, name=name)


def _full_match_kernel(x: Any, pattern: Any) -> Any:
    compiled = _compiled(pattern)
    return _each(lambda v: compiled.fullmatch(v) is not None, x, np.bool_)


StaticRegexFullMatch = define(
    "StaticRegexFullMatch", "input: string -> output: bool", attrs="pattern: string", infer=same_shape,
    kernel=lambda x, *, pattern: _full_match_kernel(x, pattern), vjp=_no_gradient,
)  # fmt: skip
RegexFullMatch = define(
    "RegexFullMatch", "input: string, pattern: string -> output: bool", infer=same_shape,
    kernel=lambda x, pattern: _full_match_kernel(x, np.asarray(pattern).item()), vjp=_no_gradient,
)  # fmt: skip


def regex_full_match(input: TensorLike, pattern: Any, name: str | None = None) -> Any:
    """Whether each string matches `pattern` as a whole.

    >>> import graphrt as tf
    >>> tf.strings.regex_full_match(["ab", "abc"], "[ab]+").numpy().tolist()
    [True, False]

    Raises:
      InvalidArgumentError: `pattern` is no regular expression.
    """
    if isinstance(pattern, (str, bytes)):
        return StaticRegexFullMatch(input, pattern=pattern, name=name)
    return RegexFullMatch(input, pattern, name=name)


# --- splitting -------------------------------------------------------------------------------------------------------
def _pieces(text: bytes, sep: bytes, maxsplit: int) -> list[bytes]:
    if sep:
        return text.split(sep, maxsplit) if maxsplit > 0 else text.split(sep)
    return text.split(None, maxsplit) if maxsplit > 0 else text.split()


def _split_kernel(x: Any, sep: Any, *, maxsplit: int) -> Any:
    if np.ndim(x) != 1:
        raise bad(f"input must be a vector, got shape: {text_of(np.shape(x))}")
    rows = [_pieces(v, np.asarray(sep).item(), maxsplit) for v in x.tolist()]
    values = np.empty(sum(map(len, rows)), object)
    values[:] = [p for row in rows for p in row]
    places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    shape = np.array([len(rows), max(map(len, rows), default=0)], np.int64)
    return np.array(places, np.int64).reshape(-1, 2), values, shape


StringSplitV2 = define(
    "StringSplitV2", "input: string, sep: string -> indices: int64, values: string, shape: int64",
    attrs="maxsplit: int = -1", infer=lambda c: [(None, 2), (None,), (2,)], kernel=_split_kernel, vjp=_no_gradient,
)  # fmt: skip


def split(input: TensorLike, sep: Any = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """The pieces of each string between separators (blanks when None), as rows of a ragged tensor.

    The pieces of a scalar string are a vector.

    >>> import graphrt as tf
    >>> tf.strings.split("a b c").numpy().tolist()
    [b'a', b'b', b'c']
    >>> tf.strings.split(["a b", "c"])
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>

    Raises:
      ValueError: the rank of `input` is not known.
    """

    def rows(x: Any) -> Any:
        places, values, shape = StringSplitV2(x, "" if sep is None else sep, maxsplit=maxsplit, name=name)
        return values, ops.bincount_splits(places[:, 0], shape[0])

    return ops.ragged_rows(input, rows)


def bytes_split(input: TensorLike, name: str | None = None) -> Any:
    """The bytes of each string, as strings of length 1: a vector for a scalar string, else rows of a ragged tensor.

    >>> import graphrt as tf
    >>> tf.strings.bytes_split("abc").numpy().tolist()
    [b'a', b'b', b'c']
    >>> tf.strings.bytes_split(["ab", "c"])
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>

    Raises:
      ValueError: the rank of `input` is not known.
    """

    def rows(x: Any) -> Any:
        sizes = length(x)
        splits = ops.concat([[0], ops.Cumsum(ops.cast(sizes, "int64"), np.int32(0))], 0)
        each = ops.repeat(x, sizes)
        places = ops.cast(ops.range(ops.shape(each, out_type="int64")[0]) - ops.repeat(splits[:-1], sizes), "int32")
        return substr(each, places, ops.ones_like(places), name=name), splits

    return ops.ragged_rows(input, rows)


# --- encodings -------------------------------------------------------------------------------------------------------
EncodeBase64 = define(
    "EncodeBase64", "input: string -> output: string", attrs="pad: bool = False", infer=same_shape, vjp=_no_gradient,
    kernel=lambda x, *, pad: _each(
        lambda v: base64.urlsafe_b64encode(v) if pad else base64.urlsafe_b64encode(v).rstrip(b"="), x
    ),
)  # fmt: skip


def _decode_base64(text: bytes) -> bytes:
    try:
        return base64.b64decode(text + b"=" * (-len(text) % 4), b"-_", validate=True)
    except ValueError:
        raise bad("Invalid character found in base64.") from None


DecodeBase64 = define(
    "DecodeBase64", "input: string -> output: string", infer=same_shape, kernel=lambda x: _each(_decode_base64, x),
    vjp=_no_gradient,
)  # fmt: skip


def encode_base64(input: TensorLike, pad: bool = False, name: str | None = None) -> Any:
    """Each string in web-safe base64.

    >>> from graphrt import io
    >>> io.encode_base64("a").numpy()
    b'YQ'
    """
    return EncodeBase64(input, pad=pad, name=name)


def decode_base64(input: TensorLike, name: str | None = None) -> Any:
    """Each string decoded from web-safe base64.

    >>> from graphrt import io
    >>> io.decode_base64("YQ").numpy()
    b'a'

    Raises:
      InvalidArgumentError: a string is no base64.
    """
    return DecodeBase64(input, name=name)
