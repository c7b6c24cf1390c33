"""Bytes that come from outside: as many as there are, however many a file claims, and damage that is told."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterable
from typing import IO, Protocol

from graphrt import errors
from graphrt.ops.io.files import read_line
from graphrt.types.limits import check_bytes

CHUNK = 1 << 20  # bytes


class Readable(Protocol):
    """What bytes can be read from."""

    def read(self, count: int, /) -> bytes:
        """At most `count` bytes; none at the end."""
        ...


def exactly(file: Readable, count: int, where: str) -> bytes:
    """The next `count` bytes; memory is taken as they come.

    Raises:
      DataLossError: there are fewer.
      ResourceExhaustedError: they are more than the limit.
    """
    parts, left = [], count
    if 0 < count <= CHUNK:
        found = file.read(count)
        check_bytes(len(found), where)
        if len(found) == count:  # as nearly always
            return found
        parts, left = [found], count - len(found)
    while left > 0 and (part := file.read(min(left, CHUNK))):
        parts.append(part)
        left -= len(part)
        check_bytes(count - left, where)
    if left:
        raise errors.DataLossError(None, None, f"{where}: {count} bytes are expected, {max(count, 0) - left} are there")
    return b"".join(parts)


def length_of(file: IO[bytes]) -> int | None:
    """How many bytes an open file has; None of what is compressed, of pipes and devices."""
    if isinstance(getattr(file, "raw", file), Decompressed):
        return None
    found = os.fstat(file.fileno())
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def lines(file: IO[bytes], where: str) -> Iterable[bytes]:
    """The lines of a file, with their ends; ResourceExhaustedError when one is longer than the limit.

    A line of a file that has a length is no longer than that.
    """
    return file if length_of(file) is not None else iter(lambda: read_line(file, where), b"")


def text_lines(file: IO[bytes], where: str) -> Iterable[str]:
    """The lines of a file, ended by any of the three ends, as text that keeps bytes which are no UTF-8."""
    if length_of(file) is not None:
        return io.TextIOWrapper(file, "utf-8", "surrogateescape", newline="")
    texts = (line.decode("utf-8", "surrogateescape") for line in lines(file, where))
    return (line for text in texts for line in io.StringIO(text, newline=""))


class _Source(Protocol):
    def read(self, count: int, /) -> bytes: ...
    def close(self) -> None: ...


class _Inflating:
    """A file of zlib's, read on the way."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._inflate = zlib.decompressobj()

    def read(self, count: int) -> bytes:
        while not self._inflate.eof:
            given = self._inflate.unconsumed_tail or self._file.read(CHUNK)
            if not given:
                raise EOFError("the file ends before its data do")
            if found := self._inflate.decompress(given, count):
                return found
        return b""

    def close(self) -> None:
        self._file.close()


def _gunzip(file: IO[bytes]) -> gzip.GzipFile:
    return gzip.GzipFile(fileobj=file, mode="rb")


_SOURCES: dict[str, Callable[[IO[bytes]], _Source]] = {"GZIP": _gunzip, "BZ2": bz2.BZ2File, "ZLIB": _Inflating}


class Decompressed(io.RawIOBase):
    """A compressed file, read as what it holds.

    Raises:
      DataLossError: while reading, the file is damaged; the message says near which byte.
    """

    def __init__(self, name: str, compression: str) -> None:
        self._name = name
        self._compression = compression
        self._file = open(name, "rb", buffering=CHUNK)  # noqa: SIM115  closed with this
        self._source = _SOURCES[compression](self._file)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            found = self._source.read(len(buffer))
        except (OSError, EOFError, ValueError, zlib.error) as error:
            raise errors.DataLossError(
                None, None, f"{self._name}; damaged {self._compression} data near byte {self._file.tell()}: {error}"
            ) from None
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        if not self.closed:
            self._source.close()
            self._file.close()
        super().close()
