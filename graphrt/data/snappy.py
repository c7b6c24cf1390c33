"""Files in Snappy's format, as TensorFlow writes them: blocks, each behind its length in four bytes, big end first.

Format: google/snappy, format_description.txt.
"""

from __future__ import annotations

from typing import Any

from graphrt.data.streams import exactly
from graphrt.graphdef.read_values import read_varint
from graphrt.types.limits import check_bytes

__all__ = ["Blocks", "uncompressed"]


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
