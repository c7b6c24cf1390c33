"""Files in Snappy's format, as TensorFlow writes them: blocks, each behind its length in four bytes, big end first.

Format: google/snappy, format_description.txt.
"""

from __future__ import annotations

from typing import Any

from graphrt.data.streams import exactly
from graphrt.graphdef.read_values import read_varint, varint
from graphrt.types.limits import check_bytes

__all__ = ["Blocks", "compressed", "uncompressed"]

_REACH = 1 << 16  # bytes: a copy begins less than that before


def uncompressed(data: bytes) -> bytes:
    """What a block of Snappy holds.

    Raises:
      IndexError: the bytes end too early.
      ResourceExhaustedError: it would be more than the limit.
      ValueError: they are no such block.
    """
    size, at = read_varint(data, 0)
    check_bytes(size, "a Snappy block")
    out = bytearray()
    while at < len(data):
        tag = data[at]
        kind, at = tag & 3, at + 1
        if kind == 0:  # bytes as they are
            length = (tag >> 2) + 1
            if length > 60:
                wide = length - 60
                length = int.from_bytes(data[at : at + wide], "little") + 1
                at += wide
            out += data[at : at + length]
            at += length
        else:  # a copy of what came before
            wide = (1, 2, 4)[kind - 1]
            length = (tag >> 2 & 7) + 4 if kind == 1 else (tag >> 2) + 1
            back = int.from_bytes(data[at : at + wide], "little") | ((tag >> 5) << 8 if kind == 1 else 0)
            at += wide
            if not 0 < back <= len(out):
                raise ValueError("a Snappy block copies from before its begin")
            begin = len(out) - back
            part = out[begin : begin + length]
            out += (part * (length // back + 1))[:length]
        if len(out) > size:
            break
    if len(out) != size or at != len(data):
        raise ValueError(f"a Snappy block of {size} bytes has others")
    return bytes(out)


def compressed(data: bytes) -> bytes:
    """`data`, which is no longer than copies reach, as a block of Snappy.

    >>> uncompressed(compressed(b"abcabcabcabcd")), len(compressed(b"a" * 1000)) < 60
    (b'abcabcabcabcd', True)
    """
    assert len(data) <= _REACH
    out = bytearray(varint(len(data)))
    places: dict[bytes, int] = {}
    at = kept = 0
    step = 32  # where nothing repeats, ever fewer places are tried
    while at + 4 <= len(data):
        key = data[at : at + 4]
        before = places.get(key)
        places[key] = at
        if before is None:
            at, step = at + (step >> 5), step + 1
            continue
        _as_it_is(out, data[kept:at])
        length = _common(data, before, at)
        for begin in range(0, length, 64):
            out.append(min(64, length - begin) - 1 << 2 | 2)
            out += (at - before).to_bytes(2, "little")
        at += length
        kept, step = at, 32
    _as_it_is(out, data[kept:])
    return bytes(out)


def _common(data: bytes, before: int, at: int) -> int:
    """How many bytes from `at` on are those from `before` on."""
    length, most = 4, len(data) - at
    while length < most:
        size = min(64, most - length)
        if data[before + length : before + length + size] != data[at + length : at + length + size]:
            while data[before + length] == data[at + length]:
                length += 1
            break
        length += size
    return length


def _as_it_is(out: bytearray, part: bytes) -> None:
    if not part:
        return
    size = len(part) - 1
    if size < 60:
        out.append(size << 2)
    else:
        out.append(61 << 2)
        out += size.to_bytes(2, "little")
    out += part


class Blocks:
    """A file of Snappy's blocks, read as what they hold."""

    def __init__(self, file: Any) -> None:
        self._file, self._held = file, b""

    def __enter__(self) -> Blocks:
        return self

    def __exit__(self, *raised: object) -> None:
        self._file.close()

    def read(self, count: int) -> bytes:
        """The next `count` bytes, fewer at the end.

        Raises:
          DataLossError: a block ends too early.
        """
        parts = [self._held]
        have = len(self._held)
        while have < count and (head := self._file.read(4)):
            length = int.from_bytes(head, "big")
            parts.append(uncompressed(exactly(self._file, length, "a Snappy block")))
            have += len(parts[-1])
        held = b"".join(parts)
        self._held = held[count:]
        return held[:count]
