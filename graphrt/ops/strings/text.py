"""Strings as bytes: letters, lengths, parts. `encoding="utf-8"` counts characters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphrt.ir.op import PER_ELEMENT, OpDef, define
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.ops.support.shape_rules import broadcast_all, same_shape
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import INDEX
from graphrt.types.likes import Array

__all__ = ["length", "lower", "strip", "substr", "upper"]


def lossless_text(value: bytes | str) -> str:
    """Bytes as text, which `lossless_bytes` makes the same bytes of, be they UTF-8 or not."""
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


def lossless_bytes(value: bytes | str) -> bytes:
    """Text as bytes; those that are no UTF-8 stand in it as lone surrogates."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")


def each_element(function: Callable[[bytes], Any], x: Array, numpy_type: Any = object) -> Array:
    """`function` of each string."""
    array = np.asarray(x)
    if not array.ndim:
        found = function(array.item())
        return np.array(found, object) if numpy_type is object else numpy_type(found)
    found = map(function, array.reshape(-1).tolist())
    return np.fromiter(found, numpy_type, array.size).reshape(array.shape)


def sizes_of(texts: Sequence[bytes | str], numpy_type: Any) -> Array:
    """The length of each text."""
    try:
        short = bytearray(map(len, texts))  # makes no numbers of NumPy's out of Python's, one after the other
    except ValueError:  # one has more than 255
        return np.fromiter(map(len, texts), numpy_type, len(texts))
    return np.frombuffer(short, np.uint8).astype(numpy_type)


def no_gradient(call: Any, *grads: object) -> list[Any]:
    return [None] * len(call.inputs)


# --- letters and lengths ---------------------------------------------------------------------------------------------
def _is_utf8(encoding: str) -> bool:
    found = lossless_text(encoding).lower()
    if found not in ("", "utf-8"):
        raise bad(f"only utf-8 or '' (no encoding) is supported for op StringLower/StringUpper, got {found}")
    return found == "utf-8"


def _case(type_: str, raw: Callable[[bytes], bytes], full: Callable[[str], str]) -> OpDef:
    def kernel(x: Array, *, encoding: str) -> Array:
        if _is_utf8(encoding):
            return each_element(lambda v: full(v.decode("utf-8", "replace")).encode(), x)
        return each_element(raw, x)

    return define(
        type_, "input: string -> output: string", attrs="encoding: string = ''", infer=same_shape, kernel=kernel,
        vjp=no_gradient, traits=(PER_ELEMENT,),
    )  # fmt: skip


StringLower = _case("StringLower", bytes.lower, str.lower)
StringUpper = _case("StringUpper", bytes.upper, str.upper)


def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Each string in lower case: ASCII letters only, unless `encoding` is "utf-8".

    >>> import graphrt as tf
    >>> tf.strings.lower("AbC").numpy()
    b'abc'
    """
    return StringLower(input, encoding=encoding, name=name)


def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Each string in upper case: ASCII letters only, unless `encoding` is "utf-8".

    >>> import graphrt as tf
    >>> tf.strings.upper("AbC").numpy()
    b'ABC'
    """
    return StringUpper(input, encoding=encoding, name=name)


StringStrip = define(
    "StringStrip", "input: string -> output: string", infer=same_shape,
    kernel=lambda x: each_element(lambda v: v.strip(b" \t\n\v\f\r"), x), vjp=no_gradient,
    traits=(PER_ELEMENT,),
)  # fmt: skip


def strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Each string without blanks at its ends.

    >>> import graphrt as tf
    >>> tf.strings.strip("  a b ").numpy()
    b'a b'
    """
    return StringStrip(input, name=name)


def is_unit(unit: str) -> bool:
    """Whether lengths count characters."""
    found = lossless_text(unit)
    if found not in ("BYTE", "UTF8_CHAR"):
        raise bad(f"unit must be BYTE or UTF8_CHAR, got {found}")
    return found == "UTF8_CHAR"


def _length_kernel(x: Array, *, unit: str) -> Array:
    texts = np.reshape(x, -1).tolist()
    sizes = sizes_of(texts, np.int32).reshape(np.shape(x))[()]
    if not is_unit(unit) or (joined := b"".join(texts)).isascii():
        return sizes
    begun = np.zeros(len(joined) + 1, np.int64)  # characters before each byte
    np.cumsum(np.frombuffer(joined, np.uint8) & 0xC0 != 0x80, out=begun[1:])
    ends = np.cumsum(sizes).reshape(np.shape(sizes))
    return (begun[ends] - begun[ends - sizes]).astype(np.int32)


StringLength = define(
    "StringLength", "input: string -> output: int32", attrs="unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'", infer=same_shape,
    kernel=_length_kernel, vjp=no_gradient,
    traits=(PER_ELEMENT,),
)  # fmt: skip


def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The length of each string, in bytes or in characters (`unit="UTF8_CHAR"`).

    >>> import graphrt as tf
    >>> tf.strings.length(["a", "bcd"]).numpy().tolist()
    [1, 3]
    """
    return StringLength(input, unit=unit, name=name)


def _cut(at: int, text: bytes, pos: int, size: int, characters: bool) -> bytes:
    whole: Any = text.decode("utf-8", "surrogateescape") if characters else text
    if not -len(whole) <= pos <= len(whole):
        raise bad(f"pos {pos} out of range for string b'{lossless_text(text)}' at index {at}")
    start = pos + len(whole) if pos < 0 else pos
    part = whole[start:] if size < 0 else whole[start : start + size]
    return part.encode("utf-8", "surrogateescape") if characters else part


def _substr_kernel(x: Array, pos: Array, size: Array, *, unit: str) -> Array:
    characters = is_unit(unit)
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
    all_texts, all_starts, all_sizes = (v.reshape(-1).tolist() for v in (texts, starts, sizes))
    if not characters and not np.ndim(pos) and pos >= 0 and size >= 0 and min(map(len, all_texts), default=0) >= pos:
        part = slice(int(pos), int(pos) + int(size))  # the same of each
        flat[:] = [t[part] for t in all_texts]
        return out
    for i, (t, p, n) in enumerate(zip(all_texts, all_starts, all_sizes)):
        flat[i] = _cut(i, t, p, n, characters)
    return out


Substr = define(
    "Substr", "input: string, pos: T, len: T -> output: string", attrs="T: type; unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",
    allowed={"T": INDEX}, infer=broadcast_all, kernel=_substr_kernel, vjp=no_gradient,
    traits=(PER_ELEMENT,),
)  # fmt: skip


def substr(input: TensorLike, pos: TensorLike, len: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """`len` bytes (characters) of each string from `pos` on; all that follow, if `len` is negative.

    >>> import graphrt as tf
    >>> tf.strings.substr("hello", 1, 3).numpy()
    b'ell'

    Raises:
      InvalidArgumentError: `pos` lies outside of a string.
    """
    return Substr(input, pos, len, unit=unit, name=name)
