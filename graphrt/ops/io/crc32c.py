"""CRC-32C, the checksum of TFRecord files, checkpoints and event files, at the speed of memory.

A checksum is the remainder of the bytes, read as a polynomial over GF(2), by the polynomial of Castagnoli. Long data is
first shortened without changing that remainder (Russell, "Chorba: A novel CRC32 implementation", 2024): `x**(64*5685)`
leaves the same remainder as `x**(64*1362) + x**(64*426) + 1`, so a word may be moved onto three later ones, and NumPy
moves thousands at a time. What is left goes through tables, 64 bytes in each of many lanes at once.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["crc32c", "masked_crc32c", "masked_crc32cs"]

_POLYNOMIAL = 0x82F63B78  # reflected: the lowest bit stands for x**31
_FOLD = (5685, 1362, 426)  # words of 64 bits, see above
_STEP = _FOLD[0] - _FOLD[1]  # as many words may move at once
_LANE = 64  # bytes
_SHORT = 600  # bytes, for which plain Python is faster
_FEW = 8  # texts, for which plain Python is faster

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


# state: bounded by the doublings of a lane that make a folded rest
@functools.cache
def _doubled(level: int) -> _Words:
    """The tables that move a remainder over `_LANE * 2**level` bytes."""
    if level == 0:
        found = _word_tables()
        for _ in range(_LANE // 4 - 1):
            found = _through(_word_tables(), found.reshape(-1)).reshape(4, 256)
        return found
    inner = _doubled(level - 1)
    return _through(inner, inner.reshape(-1)).reshape(4, 256)


def _folded(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Shorter bytes of the same remainder."""
    words = np.zeros(-(-len(data) // 8), np.uint64)
    words.view(np.uint8)[-len(data) :] = data  # zeros in front change nothing
    reach, *others = _FOLD
    at, end = 0, len(words) - reach
    while at < end:
        count = min(_STEP, end - at)
        moved = words[at : at + count]
        for other in (*others, 0):
            target = at + reach - other
            words[target : target + count] ^= moved
        at += count
    return words[max(end, 0) :].view(np.uint8)


def _remainder(data: NDArray[np.uint8]) -> int:
    if len(data) > 4 * 8 * _FOLD[0]:
        data = _folded(data)
    levels = max(0, (-(-len(data) // _LANE) - 1).bit_length())
    lanes = np.zeros(_LANE << levels, np.uint8)
    lanes[len(lanes) - len(data) :] = data
    columns = lanes.view("<u4").reshape(-1, _LANE // 4).T.astype(np.uint32)
    tables = _word_tables()
    found: _Words = np.zeros(1 << levels, np.uint32)
    for column in columns:
        found = _through(tables, found ^ column)
    for level in range(levels):
        found = _through(_doubled(level), found[::2]) ^ found[1::2]
    return int(found[0])


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
    array = np.frombuffer(view, np.uint8)
    head = array[:4] ^ np.uint8(0xFF)
    if len(array) > 1 << 20:  # copied once only, while it is folded
        return _remainder_of_long(array, head) ^ 0xFFFFFFFF
    return _remainder(np.concatenate([head, array[4:]])) ^ 0xFFFFFFFF


def _remainder_of_long(array: NDArray[np.uint8], head: NDArray[np.uint8]) -> int:
    """Folds blocks of 1 MiB, each with the rest of those before in front of it, so that memory stays small."""
    block = 1 << 20
    rest = head
    for start in range(0, len(array), block):
        part = array[start or 4 : start + block]
        rest = _folded(np.concatenate([rest, part]))
    return _remainder(rest)


def masked_crc32cs(texts: Sequence[bytes]) -> list[int]:
    """`masked_crc32c` of each of many short texts, which go through the tables side by side.

    >>> [hex(n) for n in masked_crc32cs([b"123456789", b""])] == [hex(masked_crc32c(b"123456789")), hex(masked_crc32c(b""))]
    True
    """
    sizes = np.array([*map(len, texts)], np.int64)
    if len(texts) < _FEW or sizes.min() < 4 or sizes.max() >= _SHORT:
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
    """The CRC-32C of `data` as files hold it: rotated and moved, so that checksums of checksums are sound.

    >>> hex(masked_crc32c(b"123456789"))
    '0xc78ab0e5'
    """
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
