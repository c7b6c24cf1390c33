"""Hashes of strings: the fingerprint that never changes (FarmHash), the old one (Murmur), and buckets by them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.graph import InferContext
from graphrt.ir.op import PER_ELEMENT, define, provide
from graphrt.ops.strings.text import sizes_of
from graphrt.ops.support.kernel_helpers import bad
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.likes import Array
from graphrt.types.shape import Dims

__all__ = ["fingerprint", "to_hash_bucket", "to_hash_bucket_fast"]

_WORD = (1 << 64) - 1
_FEW = 12  # texts of one size up to which each is hashed by itself
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


# --- one text, or many at once ---------------------------------------------------------------------------------------
class _Texts:
    """Texts of one size. The functions below make one number of a text, and of these an array of numbers.

    Attributes:
      size: how many bytes each has.
      starts: where each begins.
      words: the eight bytes that begin at each place.
    """

    __slots__ = ("size", "starts", "words")

    def __init__(self, size: int, starts: Array, words: Array) -> None:
        self.size = size
        self.starts = starts
        self.words = words

    def __len__(self) -> int:
        return self.size


def _at(data: bytes | _Texts, place: int, width: int = 8) -> Any:
    """The number in the bytes from `place` on."""
    if isinstance(data, bytes):
        return int.from_bytes(data[place : place + width], "little")
    found = data.words[data.starts + place]
    return found if width == 8 else found & (1 << 8 * width) - 1


def hashes(hash_of: Callable[[Any], Any], texts: list[bytes]) -> Array:
    """`fingerprint64` or `hash64` of each text: of all that have the same size at once."""
    count = len(texts)
    if count <= _FEW:
        return np.array([hash_of(t) for t in texts], np.uint64)
    sizes = sizes_of(texts, np.int64)
    buffer = b"".join([*texts, bytes(8)])
    words = np.ndarray((len(buffer) - 7,), "<u8", buffer, 0, (1,))
    starts = np.cumsum(sizes) - sizes
    found = np.empty(count, np.uint64)
    order = np.argsort(sizes, kind="stable")
    for at in np.split(order, np.flatnonzero(np.diff(sizes[order])) + 1):
        if len(at) <= _FEW:
            found[at] = [hash_of(texts[i]) for i in at.tolist()]
        else:
            found[at] = hash_of(_Texts(len(texts[at[0]]), starts[at], words))
    return found


# --- FarmHash: Fingerprint64 -----------------------------------------------------------------------------------------
def _turn(value: Any, by: int) -> Any:
    value = value & _WORD
    return (value >> by | value << (64 - by)) & _WORD


def _shift_mix(value: Any) -> Any:
    return value ^ value >> 47


def _mix(u: Any, v: Any, by: Any) -> Any:
    a = ((u ^ v) & _WORD) * by & _WORD
    a = _shift_mix(a)
    b = ((v ^ a) & _WORD) * by & _WORD
    return _shift_mix(b) * by & _WORD


def _short(data: bytes | _Texts) -> Any:
    """Up to 16 bytes."""
    size = len(data)
    if size >= 8:
        by = _K2 + size * 2
        a, b = _at(data, 0) + _K2 & _WORD, _at(data, size - 8)
        return _mix(_turn(b, 37) * by + a & _WORD, (_turn(a, 25) + b) * by & _WORD, by)
    if size >= 4:
        return _mix(size + (_at(data, 0, 4) << 3), _at(data, size - 4, 4), _K2 + size * 2)
    if size:
        y = _at(data, 0, 1) + (_at(data, size >> 1, 1) << 8)
        z = size + (_at(data, size - 1, 1) << 2)
        return _shift_mix((y * _K2 ^ z * _K0) & _WORD) * _K2 & _WORD
    return _K2


def _halves(data: bytes | _Texts) -> tuple[Any, Any, int]:
    """What texts of 17 to 64 bytes begin with."""
    size = len(data)
    by = _K2 + size * 2
    a = _at(data, 0) * (_K1 if size <= 32 else _K2) & _WORD
    b = _at(data, 8)
    c, d = _at(data, size - 8) * by & _WORD, _at(data, size - 16) * _K2 & _WORD
    y = _turn(a + b, 43) + _turn(c, 30) + d & _WORD
    return y, _mix(y, a + _turn(b + _K2, 18) + c & _WORD, by), by


def _medium(data: bytes | _Texts) -> Any:
    """33 to 64 bytes."""
    size = len(data)
    y, z, by = _halves(data)
    e, f = _at(data, 16) * by & _WORD, _at(data, 24)
    g, h = (y + _at(data, size - 32)) * by & _WORD, (z + _at(data, size - 24)) * by & _WORD
    return _mix(_turn(e + f, 43) + _turn(g, 30) + h & _WORD, e + _turn(f + _at(data, 0) * _K2, 18) + g & _WORD, by)


def _weak(data: bytes | _Texts, place: int, a: Any, b: Any) -> tuple[Any, Any]:
    w, x, y, z = (_at(data, place + i) for i in (0, 8, 16, 24))
    a = a + w & _WORD
    b = _turn(b + a + z, 21)
    c = a
    a = a + x + y & _WORD
    return a + z & _WORD, b + _turn(a, 44) + c & _WORD


def _long(data: bytes | _Texts) -> Any:
    """More than 64 bytes."""
    size = len(data)
    y: Any = 81 * _K1 + 113 & _WORD
    z: Any = _shift_mix(y * _K2 + 113 & _WORD) * _K2 & _WORD
    v: tuple[Any, Any] = (0, 0)
    w: tuple[Any, Any] = (0, 0)
    x = (81 * _K2 & _WORD) + _at(data, 0) & _WORD
    last = (size - 1) // 64 * 64
    for at in range(0, last, 64):
        x = _turn(x + y + v[0] + _at(data, at + 8), 37) * _K1 & _WORD
        y = _turn(y + v[1] + _at(data, at + 48), 42) * _K1 & _WORD
        x ^= w[1]
        y = y + v[0] + _at(data, at + 40) & _WORD
        z = _turn(z + w[0], 33) * _K1 & _WORD
        v = _weak(data, at, v[1] * _K1 & _WORD, x + w[0] & _WORD)
        w = _weak(data, at + 32, z + w[1] & _WORD, y + _at(data, at + 16) & _WORD)
        z, x = x, z
    by = _K1 + ((z & 255) << 1)
    at = size - 64
    rest = size - 1 & 63
    w = (w[0] + rest & _WORD, w[1])
    v = (v[0] + w[0] & _WORD, v[1])
    w = (w[0] + v[0] & _WORD, w[1])
    x = _turn(x + y + v[0] + _at(data, at + 8), 37) * by & _WORD
    y = _turn(y + v[1] + _at(data, at + 48), 42) * by & _WORD
    x ^= w[1] * 9 & _WORD
    y = y + v[0] * 9 + _at(data, at + 40) & _WORD
    z = _turn(z + w[0], 33) * by & _WORD
    v = _weak(data, at, v[1] * by & _WORD, x + w[0] & _WORD)
    w = _weak(data, at + 32, z + w[1] & _WORD, y + _at(data, at + 16) & _WORD)
    z, x = x, z
    first = _mix(v[0], w[0], by) + _shift_mix(y) * _K0 + z & _WORD
    return _mix(first, _mix(v[1], w[1], by) + x & _WORD, by)


@provide
def fingerprint64(data: bytes | _Texts) -> Any:
    """FarmHash's Fingerprint64, which stays the same for ever."""
    size = len(data)
    if size <= 16:
        return _short(data)
    if size <= 32:
        _, z, _ = _halves(data)
        return z
    return _medium(data) if size <= 64 else _long(data)


@provide
def fingerprint_concat64(a: Any, b: Any) -> Any:
    """The fingerprint of two fingerprints, or of each pair in two arrays."""
    by = 0xC6A4A7935BD1E995
    found = a ^ by ^ _shift_mix(b * by & _WORD) * by & _WORD
    found = _shift_mix(found * by & _WORD) * by & _WORD
    return _shift_mix(found)


# --- Murmur ----------------------------------------------------------------------------------------------------------
def hash64(data: bytes | _Texts) -> Any:
    by = 0xC6A4A7935BD1E995
    size = len(data)
    found: Any = 0xDECAFCAFFE ^ size * by & _WORD
    whole = size // 8 * 8
    for at in range(0, whole, 8):
        word = _at(data, at) * by & _WORD
        word = (word ^ word >> 47) * by & _WORD
        found = (found ^ word) * by & _WORD
    if size > whole:
        found = (found ^ _at(data, whole, size - whole)) * by & _WORD
    found = (found ^ found >> 47) * by & _WORD
    return found ^ found >> 47


# --- buckets ---------------------------------------------------------------------------------------------------------
def _buckets(hash_of: Callable[..., Any]) -> Callable[..., Any]:
    def kernel(x: Array, *, num_buckets: int) -> Array:
        if num_buckets < 1:
            raise bad(f"Value for attr 'num_buckets' of {num_buckets} must be at least minimum 1")
        texts = np.asarray(x, object)
        found = hashes(hash_of, texts.reshape(-1).tolist()) % np.uint64(num_buckets)
        return found.astype(np.int64).reshape(texts.shape)[()]

    return kernel


StringToHashBucketFast = define(
    "StringToHashBucketFast", "input: string -> output: int64", attrs="num_buckets: int >= 1", infer=lambda c: c.dims(0),
    kernel=_buckets(fingerprint64), vjp=lambda call, g: [None],
    traits=(PER_ELEMENT,),
)  # fmt: skip
StringToHashBucket = define(
    "StringToHashBucket", "string_tensor: string -> output: int64", attrs="num_buckets: int >= 1",
    infer=lambda c: c.dims(0), kernel=_buckets(hash64), vjp=lambda call, g: [None],
    traits=(PER_ELEMENT,),
)  # fmt: skip


def to_hash_bucket_fast(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """A number below `num_buckets` for each string, from a fingerprint that never changes.

    >>> import graphrt as tf
    >>> tf.strings.to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3).numpy().tolist()
    [0, 2, 2]

    Raises:
      InvalidArgumentError: `num_buckets` is not positive.
    """
    return StringToHashBucketFast(input, num_buckets=num_buckets, name=name)


def to_hash_bucket(input: TensorLike, num_buckets: int, name: str | None = None) -> Tensor:
    """A number below `num_buckets` for each string, by the older hash: prefer `to_hash_bucket_fast`.

    >>> import graphrt as tf
    >>> tf.strings.to_hash_bucket(["a", "b"], 10).numpy().tolist()
    [8, 0]

    Raises:
      InvalidArgumentError: `num_buckets` is not positive.
    """
    return StringToHashBucket(input, num_buckets=num_buckets, name=name)


# --- fingerprints ----------------------------------------------------------------------------------------------------
def _fingerprint_kernel(data: Array, method: Array) -> Array:
    word = np.asarray(method).item()
    if word != b"farmhash64":
        raise bad(f"Unsupported data fingerprint method: {word.decode()}")
    array = np.asarray(data)
    if not array.ndim:
        raise bad("`data` must have a rank >= 1")
    rows = array.reshape(len(array), int(np.prod(array.shape[1:])))
    if array.dtype == object:
        each = hashes(fingerprint64, rows.reshape(-1).tolist()).reshape(rows.shape)
        rows = each.astype("<u8")
    else:
        each = rows[:, :0]
    if each.shape[1] == 1:
        found = each[:, 0]
    else:
        found = hashes(fingerprint64, [row.tobytes() for row in np.ascontiguousarray(rows)])
    return found.astype("<u8").view(np.uint8).reshape(len(array), 8)


def _fingerprint_dims(c: InferContext) -> Dims:
    dims = c.dims(0)
    if dims == ():
        raise errors.ShapeError("Shape must be at least rank 1 but is rank 0")
    return (dims[0] if dims else None, 8)


Fingerprint = define(
    "Fingerprint", "data: T, method: string[0] -> fingerprint: uint8", infer=_fingerprint_dims,
    kernel=_fingerprint_kernel, vjp=lambda call, g: [None, None],
    traits=(PER_ELEMENT,),
)  # fmt: skip


def fingerprint(data: TensorLike, method: str = "farmhash64", name: str | None = None) -> Tensor:
    """Eight bytes for each row of `data`, which depend on its contents only.

    >>> import graphrt as tf
    >>> tf.fingerprint(["abc"]).numpy().tolist()
    [[105, 243, 231, 116, 160, 179, 165, 36]]

    Raises:
      InvalidArgumentError: `data` is a scalar, or the method is not known.
    """
    return Fingerprint(as_tensor(data), method, name=name)
