"""Random numbers from counters: the Philox 4x32-10 generator and the distributions made of its bits.

A generator is a 64-bit key and a 128-bit counter; block `i` of four 32-bit words is a function of `counter + i` alone,
so that any part of the stream can be computed by itself. How bits become numbers follows TensorFlow, so that the same
seeds give the same values.
"""

from __future__ import annotations

import math
import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Generator
from contextvars import ContextVar
from typing import Any

import numpy as np

from graphrt.types.leaving import block, setting
from graphrt.types.likes import Array

__all__ = [
    "Stream", "Words", "bits", "key_and_counter", "non_deterministic", "normal", "reset_streams", "shuffled", "stream_for",
    "streams_of_their_own", "truncated_normal", "uniform", "uniform_full_int", "uniform_int",
]  # fmt: skip

_M0, _M1, _W0, _W1 = 0xD2511F53, 0xCD9E8D57, 0x9E3779B9, 0xBB67AE85
_WORD = 0xFFFFFFFF
_U32 = np.uint64(32)
_FEW = 8  # up to so many blocks plain integers are faster than arrays


# --- the generator ---------------------------------------------------------------------------------------------------
def one_block(key: int, counter: int) -> tuple[int, int, int, int]:
    """The four words of one block."""
    a, b, c, d = counter & _WORD, counter >> 32 & _WORD, counter >> 64 & _WORD, counter >> 96 & _WORD
    k, m = key & _WORD, key >> 32 & _WORD
    for _ in range(10):
        p, q = _M0 * a, _M1 * c
        a, b, c, d = (q >> 32) ^ b ^ k, q & _WORD, (p >> 32) ^ d ^ m, p & _WORD
        k, m = (k + _W0) & _WORD, (m + _W1) & _WORD
    return a, b, c, d


def _rounds(key: int, low: Array, high: Array) -> Array:
    """The blocks at the counters `high * 2**64 + low` (uint64 arrays), as an array of shape [..., 4]."""
    mask, m0, m1 = np.uint64(_WORD), np.uint64(_M0), np.uint64(_M1)
    a, b, c, d = low & mask, low >> _U32, high & mask, high >> _U32
    k, m = key & _WORD, key >> 32 & _WORD
    for _ in range(10):
        p, q = m0 * a, m1 * c
        a, b, c, d = (q >> _U32) ^ b ^ np.uint64(k), q & mask, (p >> _U32) ^ d ^ np.uint64(m), p & mask
        k, m = (k + _W0) & _WORD, (m + _W1) & _WORD
    return np.stack([a, b, c, d], -1).astype(np.uint32)


def _counters(counter: int, offsets: Array) -> tuple[Any, Any]:
    low, high = np.uint64(counter & (2**64 - 1)), np.uint64(counter >> 64 & (2**64 - 1))
    with np.errstate(over="ignore"):
        lows = low + offsets
        return lows, high + (lows < low).astype(np.uint64)


def blocks(key: int, counter: int, count: int) -> Array:
    """`count` successive blocks, as uint32 of shape [count, 4]."""
    if count <= _FEW:
        return np.array([one_block(key, counter + i) for i in range(count)], np.uint32).reshape(count, 4)
    return _rounds(key, *_counters(counter, np.arange(count, dtype=np.uint64)))


def bits(key: int, counter: int, count: int) -> Array:
    """`count` successive 32-bit words."""
    return blocks(key, counter, -(-count // 4)).reshape(-1)[:count]


def blocks_at(key: int, counter: int, offsets: Array) -> Array:
    """The blocks that stand `offsets` after `counter`, of shape [*offsets, 4]."""
    return _rounds(key, *_counters(counter, np.asarray(offsets, np.uint64)))


def key_and_counter(seed: Any) -> tuple[int, int]:
    """The generator that the two integers of a stateless seed stand for: scrambled, so that near seeds are unlike."""
    first, second = (int(s) % 2**64 for s in seed)
    a, b, c, d = one_block(0x02461E293EC8F720, first | second << 64)
    return a | b << 32, (c | d << 32) << 64


# --- from bits to numbers --------------------------------------------------------------------------------------------
def _unit32(words: Array) -> Array:
    return ((words & np.uint32(0x7FFFFF)) | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)


def unit64(high: Array, low: Array) -> Array:
    """Numbers in [0, 1) of pairs of words."""
    mantissa = ((high & np.uint32(0xFFFFF)).astype(np.uint64) << _U32) | low.astype(np.uint64)
    return (mantissa | np.uint64(1023 << 52)).view(np.float64) - 1.0


def _unit16(words: Array, dtype: np.dtype[Any]) -> Array:
    if dtype == np.float16:
        return ((words & np.uint32(0x3FF)) | np.uint32(0x3C00)).astype(np.uint16).view(np.float16) - np.float16(1)
    found = ((words & np.uint32(0x7F)) | np.uint32(0x3F80)).astype(np.uint16).view(dtype)
    return found - dtype.type(1)


def _per_block(dtype: np.dtype[Any]) -> int:
    return 2 if np.dtype(dtype).itemsize == 8 else 4


def uniform(key: int, counter: int, count: int, dtype: Any) -> Array:
    """`count` numbers from 0 (inclusive) to 1 (exclusive)."""
    dtype = np.dtype(dtype)
    if dtype == np.float64:
        words = bits(key, counter, 2 * count)
        return unit64(words[0::2], words[1::2])
    words = bits(key, counter, count)
    return _unit32(words) if dtype == np.float32 else _unit16(words, dtype)


def _gauss32(words: Array) -> Array:
    radius = np.sqrt(np.float32(-2) * np.log(np.maximum(_unit32(words[..., 0::2]), np.float32(1e-7))))
    angle = np.float32(2 * math.pi) * _unit32(words[..., 1::2])
    found = np.empty(words.shape, np.float32)
    found[..., 0::2] = np.sin(angle) * radius
    found[..., 1::2] = np.cos(angle) * radius
    return found


def gauss64(words: Array) -> Array:
    """Normal numbers, two of each four words."""
    radius = np.sqrt(-2.0 * np.log(np.maximum(unit64(words[..., 0::4], words[..., 1::4]), 1e-7)))
    angle = 2 * math.pi * unit64(words[..., 2::4], words[..., 3::4])
    found = np.empty((*words.shape[:-1], words.shape[-1] // 2), np.float64)
    found[..., 0::2] = np.sin(angle) * radius
    found[..., 1::2] = np.cos(angle) * radius
    return found


def normal(key: int, counter: int, count: int, dtype: Any) -> Array:
    """`count` numbers of the standard normal distribution."""
    dtype = np.dtype(dtype)
    words = blocks(key, counter, -(-count // _per_block(dtype))).reshape(-1)
    return (gauss64(words) if dtype == np.float64 else _gauss32(words))[:count].astype(dtype)


_DRAWN = 4  # blocks looked at for each group of a truncated distribution before more are asked for
_RESERVED = 256  # blocks that belong to each output of a distribution that may reject


def truncated_normal(key: int, counter: int, count: int, dtype: Any) -> Array:
    """`count` numbers of the standard normal distribution, those beyond two deviations drawn again."""
    dtype = np.dtype(dtype)
    size = _per_block(dtype)
    groups = -(-count // size)
    gauss = gauss64 if dtype == np.float64 else _gauss32
    out = np.empty((groups, size), np.float64 if dtype == np.float64 else np.float32)
    pending, drawn = np.arange(groups), _DRAWN
    while pending.size:
        offsets = pending[:, None] * (size * _RESERVED // 4) + np.arange(drawn)
        found = gauss(blocks_at(key, counter, offsets).reshape(len(pending), -1))
        good = np.abs(found) < 2.0
        enough = good.sum(1) >= size
        order = np.argsort(~good, axis=1, kind="stable")[:, :size]
        out[pending[enough]] = np.take_along_axis(found, order, 1)[enough]
        pending, drawn = pending[~enough], 2 * drawn
    return out.reshape(-1)[:count].astype(dtype)


def uniform_full_int(key: int, counter: int, count: int, dtype: Any) -> Array:
    """`count` integers, any value of `dtype` as likely as any other."""
    dtype = np.dtype(dtype)
    if dtype.itemsize == 8:
        words = bits(key, counter, 2 * count).astype(np.uint64)
        return (words[0::2] | words[1::2] << _U32).view(dtype)
    return bits(key, counter, count).view(dtype)


def uniform_int(key: int, counter: int, count: int, low: Array, high: Array, dtype: Any) -> Array:
    """`count` integers from `low` (inclusive) to `high` (exclusive), which broadcast to the shape of the result."""
    dtype = np.dtype(dtype)
    raw = uniform_full_int(key, counter, count, f"u{dtype.itemsize}")
    spread = (np.asarray(high).astype(raw.dtype) - np.asarray(low).astype(raw.dtype)).astype(raw.dtype)
    return (raw % spread + np.asarray(low).astype(raw.dtype)).astype(raw.dtype).view(dtype)


def shuffled(key: int, counter: int, count: int) -> Array:
    """A permutation of `range(count)`."""
    at = np.arange(max(count - 1, 0))
    return exchanged(at + bits(key, counter, at.size) % (count - at), count)


_FEW_SWAPS = 400  # of which a loop takes less time


def exchanged(others: Array, count: int) -> Array:
    """What `range(count)` becomes when place i = 0, 1, ... is exchanged in turn with place `others[i]`, from i on."""
    if count < _FEW_SWAPS:
        order = list(range(count))
        for i, j in enumerate(others.tolist()):
            order[i], order[j] = order[j], order[i]
        return np.array(order, np.int64)
    # step i leaves at place i what stood at the other place: what the step before that went to the same place brought there
    at = np.arange(count)
    others = np.append(others.astype(np.int64), count - 1)
    visits = np.sort(others << 32 | at)  # by place, then by step
    step, place = visits & 0xFFFFFFFF, visits >> 32
    again = place[1:] == place[:-1]
    before = np.full(count, -1)
    before[step[1:][again]] = step[:-1][again]
    # a step brings what stood at its own place: what the last step that came there brought, and so on
    source, moves = at.copy(), others > at
    source[others[moves]] = at[moves]
    while True:
        further = source[source]
        if np.array_equal(further, source):
            return np.where(before < 0, others, source[before])
        source = further


class Words:
    """32-bit words of a generator with two seeds, one after the other."""

    __slots__ = ("_at", "_counter", "_key", "_words")

    def __init__(self, seed: int, seed2: int) -> None:
        self._key = seed % 2**64
        self._counter = (seed2 % 2**64) << 64
        self._words: list[int] = []
        self._at = 0

    @classmethod
    def at(cls, key: int, counter: int) -> Words:
        """The words of a key from a counter on."""
        made = cls(key, 0)
        made._counter = counter
        return made

    def unit32(self) -> float:
        """A number from 0 to 1 of one word, as float32 has them."""
        return (self() & 0x7FFFFF) / 0x800000

    def unit(self) -> float:
        """A number from 0 to 1 of two words."""
        return ((self() & 0xFFFFF) << 32 | self()) / (1 << 52)

    def pass_over(self, count: int) -> None:
        """Does as if `count` words had been drawn from the beginning."""
        self._counter += count // 4
        for _ in range(count % 4):
            self()

    def __call__(self) -> int:
        if self._at == len(self._words):
            size = _DRAWN_AT_ONCE if self._words else 4
            self._words = bits(self._key, self._counter, size).tolist()
            self._counter += size // 4
            self._at = 0
        word = self._words[self._at]
        self._at += 1
        return word


_DRAWN_AT_ONCE = 256  # words


# --- streams: what a stateful op draws from --------------------------------------------------------------------------
class Stream:
    """A generator with a position; every draw moves it on. `(0, 0)` stands for a start nobody can foresee."""

    __slots__ = ("__weakref__", "_counter", "_key", "_lock", "_seeds")

    def __init__(self, seed: int, seed2: int) -> None:
        self._lock = threading.Lock()
        self._seeds = (seed, seed2)
        self._begin()
        with _streams_lock:
            _streams.add(self)

    def _begin(self) -> None:
        seed, seed2 = self._seeds
        if seed == 0 and seed2 == 0:
            self._key, seed2 = int.from_bytes(os.urandom(8), "little"), int.from_bytes(os.urandom(8), "little")
        else:
            self._key = seed % 2**64
        self._counter = (seed2 % 2**64) << 64

    def reserve(self, count: int) -> tuple[int, int]:
        """Key and counter of `count` blocks that nobody else gets."""
        with self._lock:
            counter = self._counter
            self._counter = (counter + count) % 2**128
            return self._key, counter

    def reset(self) -> None:
        """Goes back to the start."""
        with self._lock:
            self._begin()


_streams_lock = threading.Lock()
_streams: weakref.WeakSet[Stream] = weakref.WeakSet()  # state: locked by _streams_lock
_eager_lock = threading.Lock()
_eager: OrderedDict[Any, Stream] = OrderedDict()  # state: locked by _eager_lock
_KEPT = 100_000  # streams of eager ops; those that were not used for longest begin again


_own: ContextVar[dict[Any, Stream] | None] = ContextVar("streams of their own", default=None)


@block
def streams_of_their_own() -> Generator[None, None, None]:
    """Ops that run in here share streams with each other, and not with eager ops outside.

    TensorFlow computes each initial value of a variable that is made while tracing as a graph of its own.
    """
    with setting(_own, {}):
        yield from (None,)


def stream_for(key: Any, seed: int, seed2: int) -> Stream:
    """The stream that all eager uses of one op with these attributes share, as they share a kernel."""
    own = _own.get()
    if own is not None and (seed or seed2):
        return own.setdefault(key, Stream(seed, seed2))
    with _eager_lock:
        found = _eager.get(key)
        if found is None:
            found = _eager[key] = Stream(seed, seed2)
            if len(_eager) > _KEPT:
                _eager.popitem(last=False)
        else:
            _eager.move_to_end(key)
        return found


def reset_streams() -> None:
    """Lets every stream, of eager ops and of compiled functions, begin again."""
    with _eager_lock:
        _eager.clear()
    with _streams_lock:
        known = list(_streams)
    for stream in known:
        stream.reset()


def non_deterministic(count: int) -> Array:
    """`count` 64-bit integers from the operating system."""
    return np.frombuffer(os.urandom(8 * count), np.int64).copy()
