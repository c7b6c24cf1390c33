"""Sorted tables of keys and values, as LevelDB writes them: the index of a checkpoint.

    block                key tails and values, each key without what it shares with the one before;
                         every 16th key is whole, and listed at the end of the block
    footer               where the block is that lists the blocks

Format: https://github.com/google/leveldb/blob/main/doc/table_format.md. Blocks are not compressed, as in checkpoints.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from graphrt import errors
from graphrt.graphdef.read_values import varint
from graphrt.ops.io.crc32c import masked_crc32c
from graphrt.types.nesting import shown

__all__ = ["Cursor", "read_table", "write_table"]

_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48
_RESTART = 16  # keys from one whole key to the next
_BLOCK = 256 * 1024  # bytes after which a block ends
_TRAILER = 5  # bytes after a block: how it is compressed, and a checksum


class Cursor:
    """A place in bytes that nobody has checked."""

    def __init__(self, data: bytes | memoryview, at: int, file: str) -> None:
        self.data = data
        self.at = at
        self.file = file

    def refuse(self, why: str) -> errors.DataLossError:
        return errors.DataLossError(None, None, f"{self.file}: {why}, at byte {self.at}")

    def varint(self) -> int:
        """The number that begins here."""
        value = 0
        for shift in range(0, 70, 7):
            if self.at >= len(self.data):
                raise self.refuse("a number without an end")
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise self.refuse("a number of more than 64 bits")

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise self.refuse(f"{count} bytes wanted, {len(self.data) - self.at} there")
        found = bytes(self.data[self.at : self.at + count])
        self.at += count
        return found


class _Block:
    """Entries on their way into a block."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.restarts = [0]
        self.count = 0
        self.last = b""

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self.count % _RESTART:
            for a, b in zip(key, self.last):
                if a != b:
                    break
                shared += 1
        elif self.count:
            self.restarts.append(len(self.data))
        self.data += varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value
        self.count += 1
        self.last = key

    def finished(self) -> bytes:
        tail = struct.pack(f"<{len(self.restarts) + 1}I", *self.restarts, len(self.restarts))
        return bytes(self.data) + tail


def write_table(entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The bytes of a table of `(key, value)` pairs, which come sorted by key.

    >>> read_table(write_table([(b"a", b"1"), (b"ab", b"2")]), "index")
    {b'a': b'1', b'ab': b'2'}
    """
    out = bytearray()
    index = _Block()

    def put(block: _Block) -> bytes:
        data = block.finished()
        handle = varint(len(out)) + varint(len(data))
        out.extend(data + b"\0" + struct.pack("<I", masked_crc32c(data + b"\0")))
        return handle

    block = _Block()
    for key, value in entries:
        block.add(key, value)
        if len(block.data) >= _BLOCK:
            index.add(key, put(block))
            block = _Block()
    if block.count:
        index.add(block.last, put(block))
    handles = put(_Block()) + put(index)
    return bytes(out) + handles.ljust(_FOOTER - 8, b"\0") + struct.pack("<Q", _MAGIC)


def read_table(data: bytes, file: str) -> dict[bytes, bytes]:
    """The entries of a table, in order; `file` is named in errors.

    Raises:
      DataLossError: the bytes are no table, or damaged.
    """
    if len(data) < _FOOTER or struct.unpack("<Q", data[-8:])[0] != _MAGIC:
        raise errors.DataLossError(None, None, f"{file}: not a table of a checkpoint (bad magic number)")
    footer = Cursor(data[-_FOOTER:], 0, file)
    footer.varint(), footer.varint()  # the block that would describe the others: not used
    found: dict[bytes, bytes] = {}
    last = None
    for _, handle in _entries(_block(data, footer, file)):
        for key, value in _entries(_block(data, Cursor(handle, 0, file), file)):
            if last is not None and key <= last:
                raise errors.DataLossError(None, None, f"{file}: the keys are not in order, at {shown(key[:80])}")
            found[key] = value
            last = key
    return found


def _block(data: bytes, handle: Cursor, file: str) -> Cursor:
    offset, size = handle.varint(), handle.varint()
    if offset + size + _TRAILER > len(data):
        raise errors.DataLossError(None, None, f"{file}: a block of {size} bytes at {offset} ends behind the file")
    block = data[offset : offset + size]
    kind, check = struct.unpack("<BI", data[offset + size : offset + size + _TRAILER])
    if masked_crc32c(data[offset : offset + size + 1]) != check:
        raise errors.DataLossError(None, None, f"{file}: the checksum of the block at {offset} is wrong")
    if kind:
        raise errors.DataLossError(None, None, f"{file}: the block at {offset} is compressed, which none of these are")
    if size < 4:
        raise errors.DataLossError(None, None, f"{file}: the block at {offset} has no end")
    restarts = struct.unpack("<I", block[-4:])[0]
    end = size - 4 * (restarts + 1)
    if end < 0:
        raise errors.DataLossError(None, None, f"{file}: the block at {offset} claims {restarts} whole keys")
    return Cursor(block[:end], 0, file)


def _entries(cursor: Cursor) -> Iterable[tuple[bytes, bytes]]:
    key = b""
    while cursor.at < len(cursor.data):
        shared, own, size = cursor.varint(), cursor.varint(), cursor.varint()
        if shared > len(key):
            raise cursor.refuse(f"a key shares {shared} bytes with one of {len(key)}")
        key = key[:shared] + cursor.take(own)
        yield key, cursor.take(size)
