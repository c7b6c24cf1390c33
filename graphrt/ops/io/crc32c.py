"""CRC-32C, the checksum of TFRecord files, checkpoints and event files, at the speed of memory.

A checksum is the remainder of the bytes, read as a polynomial over GF(2), by the polynomial of Castagnoli. Long data is
first shortened without changing that remainder (Russell, "Chorba: A novel CRC32 implementation", 2024): `x**5685` leaves
the same remainder as `x**1362 + x**426 + 1`, and so it stays when all exponents are multiplied by a power of two. A byte
may therefore be moved onto three later ones, and NumPy moves thousands at a time: straight from where they are, without
copying them, into a few that stay in the cache. Of what is left, each bit of the remainder is the parity of a mask.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Checksum", "crc32c", "masked", "masked_crc32c", "masked_crc32cs"]

_POLYNOMIAL = 0x82F63B78  # reflected: the lowest bit stands for x**31
_REACH, *_OTHERS = (5685, 1362, 426)  # see above, in bytes
_DELAYS = (_REACH, *(_REACH - n for n in _OTHERS))  # how many bytes later a byte is found again
_STEP = min(_DELAYS)  # as many bytes may move at once
_SCALES = (16, 4, 1)  # powers of two, of long data first
_WORTH = 4  # steps, from which on it takes less time
_LONG = 1 << 19  # bytes
_STEPS = 8  # between which what is still needed is moved to the front
_SHORT = 200  # bytes, for which plain Python is faster
_FEW, _WIDE = 8, 600  # as many texts, and no wider ones, go through tables side by side
_START = bytes.fromhex("54641f64")  # leave the remainder 0xFFFFFFFF, with which a checksum begins

_Bytes = NDArray[np.uint8]
_Words = NDArray[np.uint32]


def _times_byte(value: int) -> int:
    for _ in range(8):
        value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
    return value


_BYTE = [_times_byte(byte) for byte in range(256)]


@functools.cache
def _word_tables() -> _Words:
    """For each byte of a word of 32 bits, what its values leave after the word."""
    tables = [_BYTE]
    for _ in range(3):
        tables.append([_BYTE[v & 0xFF] ^ v >> 8 for v in tables[-1]])
    return np.array(tables[::-1], np.uint32)


def _through(tables: _Words, values: _Words) -> _Words:
    found: _Words = tables[0].take(values & 0xFF)
    for position in range(1, 4):
        found ^= tables[position].take(values >> np.uint32(8 * position) & np.uint32(0xFF))
    return found


@functools.cache
def _masks() -> NDArray[np.uint64]:
    """For each bit of a remainder, which bits of the last bytes of a text it is the parity of."""
    size = -(-_REACH // 8) * 8
    single = np.array([_BYTE[1 << bit] for bit in range(8)], np.uint32)  # what each bit of the last byte leaves
    for _ in range(3):  # and of those before
        single = np.concatenate([np.array([_BYTE[v & 0xFF] ^ v >> 8 for v in single[:8].tolist()], np.uint32), single])
    while len(single) < 8 * size:  # a remainder before n bytes leaves what it would leave in place of the first of them
        tables = np.zeros((4, 256), np.uint32)
        for bit, left in enumerate(single[:32].reshape(4, 8).T):
            tables[:, 1 << bit : 2 << bit] = tables[:, : 1 << bit] ^ left[:, None]
        single = np.concatenate([_through(tables, single), single])
    bits = single[-8 * size :] >> np.arange(32, dtype=np.uint32)[:, None] & np.uint32(1)
    return np.packbits(bits.astype(np.bool_), axis=1, bitorder="little").view(np.uint64)


def _remainder(data: _Bytes) -> int:
    """Of not more bytes than `_REACH`."""
    size = -(-len(data) // 8) * 8
    padded = np.zeros(size, np.uint8)
    padded[size - len(data) :] = data  # zeros in front change nothing
    found = np.bitwise_xor.reduce(_masks()[:, -(size // 8) :] & padded.view(np.uint64), axis=1)
    for shift in (32, 16, 8, 4, 2, 1):
        found ^= found >> np.uint64(shift)
    return int.from_bytes(np.packbits(found.astype(np.uint8) & 1, bitorder="little").tobytes(), "little")


class _Folded:
    """Bytes that are added at the end, and as few that have the same remainder."""

    def __init__(self, scale: int, steps: int = _STEPS) -> None:
        self._reach = scale * _REACH
        self._step = scale * _STEP
        self._delays = [scale * n for n in _DELAYS]
        self._held = np.empty(self._reach + steps * self._step, np.uint8)  # its last, each with what was moved onto it
        self.start()

    def start(self) -> None:
        """Forgets what was added."""
        self._held[: self._reach] = 0
        self._at = self._reach

    def add(self, data: _Bytes) -> None:
        """Adds bytes at the end."""
        held, reach, step, at, moved = self._held, self._reach, self._step, self._at, np.bitwise_xor
        first, second, third = self._delays
        for start in range(0, len(data), step):
            size = min(step, len(data) - start)
            if at + size > len(held):
                held[:reach] = held[at - reach : at].copy()
                at = reach
            target = held[at : at + size]
            moved(data[start : start + size], held[at - first : at - first + size], target)
            moved(target, held[at - second : at - second + size], target)
            moved(target, held[at - third : at - third + size], target)
            at += size
        self._at = at

    def rest(self) -> _Bytes:
        """The bytes that are left: what was moved onto the last from others among them is taken back."""
        last = self._held[self._at - self._reach : self._at]
        found = last.copy()
        for delay in self._delays:
            found[delay:] ^= last[: self._reach - delay]
        return found


def _shortened(data: _Bytes) -> _Bytes:
    for scale in _SCALES:
        if len(data) > (_REACH if scale == 1 else _WORTH * scale * _STEP):
            folded = _Folded(scale, min(_STEPS, -(-len(data) // (scale * _STEP))))
            folded.add(data)
            data = folded.rest()
    return data


class Checksum:
    """The CRC-32C of long data that comes one part after the other.

    >>> check = Checksum()
    >>> check.add(b"1234")
    >>> check.add(b"56789")
    >>> hex(check.value())
    '0xe3069283'
    """

    def __init__(self) -> None:
        self._folded = _Folded(_SCALES[0])
        self.start()

    def start(self) -> None:
        """Forgets what was added."""
        self._folded.start()
        self._folded.add(np.frombuffer(_START, np.uint8))

    def add(self, data: bytes | bytearray | memoryview) -> None:
        """Adds the next part."""
        self._folded.add(np.frombuffer(data, np.uint8))

    def value(self) -> int:
        """The checksum of what was added."""
        return _remainder(_shortened(self._folded.rest())) ^ 0xFFFFFFFF


def crc32c(data: bytes | bytearray | memoryview) -> int:
    """The CRC-32C of `data` (RFC 3720, appendix B.4).

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    view = memoryview(data).cast("B")
    if len(view) < _SHORT:
        crc, table = 0xFFFFFFFF, _BYTE
        for byte in view:
            crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
        return crc ^ 0xFFFFFFFF
    if len(view) < _LONG:
        return _remainder(_shortened(np.frombuffer(b"".join([_START, view]), np.uint8))) ^ 0xFFFFFFFF
    check = Checksum()  # no copy of it
    check.add(view)
    return check.value()


def masked(crc: int) -> int:
    """A checksum as files hold it: rotated and moved, so that checksums of checksums are sound.

    >>> hex(masked(0xE3069283))
    '0xc78ab0e5'
    """
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def masked_crc32cs(texts: Sequence[bytes]) -> list[int]:
    """`masked_crc32c` of each of many short texts, which go through the tables side by side.

    >>> [hex(n) for n in masked_crc32cs([b"123456789", b""])] == [hex(masked_crc32c(b"123456789")), hex(masked_crc32c(b""))]
    True
    """
    sizes = np.array([*map(len, texts)], np.int64)
    if len(texts) < _FEW or sizes.min() < 4 or sizes.max() > _WIDE:
        return [masked_crc32c(text) for text in texts]
    width = -(-int(sizes.max()) // 4) * 4
    starts = (
        np.arange(1, len(texts) + 1) * width - sizes
    )  # texts end where their rows end: zeros in front change nothing
    rows = np.zeros((len(texts), width), np.uint8)
    flat = rows.reshape(-1)
    data = np.frombuffer(b"".join(texts), np.uint8)
    if sizes.min() == sizes.max():
        rows[:, width - sizes[0] :] = data.reshape(len(texts), -1)
    else:
        flat[np.arange(len(data)) + (starts - sizes.cumsum() + sizes).repeat(sizes)] = data
    flat[starts[:, None] + np.arange(4)] ^= np.uint8(0xFF)
    tables = _word_tables()
    found: _Words = np.zeros(len(texts), np.uint32)
    for column in rows.view("<u4").T.astype(np.uint32):
        found = _through(tables, found ^ column)
    found ^= np.uint32(0xFFFFFFFF)
    turned = (found >> np.uint32(15)) | (found << np.uint32(17))
    return (turned + np.uint32(0xA282EAD8)).tolist()


def masked_crc32c(data: bytes | bytearray | memoryview) -> int:
    """The CRC-32C of `data` as files hold it, see `masked`.

    >>> hex(masked_crc32c(b"123456789"))
    '0xc78ab0e5'
    """
    return masked(crc32c(data))
