"""Sources that read files: lines, records of fixed length, TFRecords, comma-separated values, names of files."""

from __future__ import annotations

import bz2
import csv
import glob
import gzip
import io
import os
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data.running import UNKNOWN, Element, Run, Source, Wrapping
from graphrt.data.sources import scalar
from graphrt.types.dtype import DType

_CHUNK = 1 << 18


def names_of(filenames: Any) -> list[str]:
    """File names out of a string tensor of rank 0 or 1."""
    found = np.asarray(filenames, object).reshape(-1).tolist()
    return [n.decode("utf-8", "surrogateescape") if isinstance(n, bytes) else str(n) for n in found]


def opened(name: str, compression: str) -> Any:
    """The file `name` for reading bytes, uncompressed on the way.

    Raises:
      NotFoundError: there is no such file.
      InvalidArgumentError: the compression is not known.
    """
    try:
        if compression == "":
            return open(name, "rb", buffering=_CHUNK)
        if compression == "GZIP":
            return gzip.open(name, "rb")
        if compression == "ZLIB":
            with open(name, "rb") as file:
                return io.BytesIO(zlib.decompress(file.read()))
        if compression == "BZ2":
            return bz2.open(name, "rb")
    except FileNotFoundError:
        raise errors.NotFoundError(None, None, f"{name}; No such file or directory") from None
    except PermissionError:
        raise errors.PermissionDeniedError(None, None, f"{name}; Permission denied") from None
    except IsADirectoryError:
        raise errors.FailedPreconditionError(None, None, f"{name}; Is a directory") from None
    raise errors.InvalidArgumentError(None, None, f"Unsupported compression_type: {compression}.")


class Files(Source):
    """Base of the sources that read one file after the other."""

    __slots__ = ("compression", "names")

    def __init__(self, filenames: Any, compression: Any) -> None:
        self.names = names_of(filenames)
        (self.compression,) = names_of(compression)

    def open(self, run: Run) -> Iterator[Element]:
        for name in self.names:
            with opened(name, self.compression) as file:
                yield from self.read(file, name)

    def read(self, file: Any, name: str) -> Iterator[Element]:
        """The elements in one file."""
        raise errors.InternalError(None, None, f"{type(self).__name__} cannot read {name}")


class TextLines(Files):
    """The lines of text files, without their ends."""

    __slots__ = ()

    def read(self, file: Any, name: str) -> Iterator[Element]:
        for line in file:
            if line.endswith(b"\n"):
                line = line[:-2] if line.endswith(b"\r\n") else line[:-1]
            yield (scalar(line),)


class FixedRecords(Files):
    """Records of one length, between a header and a footer."""

    __slots__ = ("footer", "header", "length")

    def __init__(self, filenames: Any, compression: Any, header: int, length: int, footer: int) -> None:
        super().__init__(filenames, compression)
        self.header, self.length, self.footer = header, length, footer

    def read(self, file: Any, name: str) -> Iterator[Element]:
        data = file.read()
        body = len(data) - self.header - self.footer
        if body < 0 or body % self.length:
            raise errors.InvalidArgumentError(
                None, None,
                f"Excess data in input file {name}: its {len(data)} bytes are a header of {self.header}, a footer of "
                f"{self.footer}, and no whole number of records of {self.length} bytes.",
            )  # fmt: skip
        for at in range(self.header, self.header + body, self.length):
            yield (scalar(data[at : at + self.length]),)


# --- TFRecord --------------------------------------------------------------------------------------------------------
def _crc_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_CRC = _crc_table()


def masked_crc(data: bytes) -> int:
    """The checksum of TFRecord files: CRC-32C, rotated and moved."""
    crc, table = 0xFFFFFFFF, _CRC
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


class TFRecords(Files):
    """The records of TFRecord files."""

    __slots__ = ()

    def read(self, file: Any, name: str) -> Iterator[Element]:
        at = 0
        while head := file.read(12):
            if len(head) < 12:
                raise errors.DataLossError(None, None, f"truncated record at {at} in {name}")
            length, check = struct.unpack("<QI", head)
            if masked_crc(head[:8]) != check:
                raise errors.DataLossError(None, None, f"corrupted record at {at} in {name}")
            data, tail = file.read(length), file.read(4)
            if len(data) < length or len(tail) < 4:
                raise errors.DataLossError(None, None, f"truncated record at {at} in {name}")
            if masked_crc(data) != struct.unpack("<I", tail)[0]:
                raise errors.DataLossError(None, None, f"corrupted record at {at} in {name}")
            at += 16 + length
            yield (scalar(data),)


def record(data: bytes) -> bytes:
    """One record as it stands in a TFRecord file."""
    head = struct.pack("<Q", len(data))
    return head + struct.pack("<I", masked_crc(head)) + data + struct.pack("<I", masked_crc(data))


# --- CSV -------------------------------------------------------------------------------------------------------------
class Csv(Files):
    """Rows of comma-separated files, a scalar for each selected column."""

    __slots__ = ("columns", "defaults", "delimiter", "dtypes", "excluded", "header", "missing", "quotes")

    def __init__(
        self, filenames: Any, compression: Any, header: bool, delimiter: Any, quotes: bool, missing: Any,
        columns: list[int], defaults: list[Any], dtypes: list[DType], excluded: list[int],
    ) -> None:  # fmt: skip
        super().__init__(filenames, compression)
        self.header = bool(header)
        (self.delimiter,) = names_of(delimiter)
        self.quotes = bool(quotes)
        (self.missing,) = names_of(missing)
        self.columns, self.excluded = columns, set(excluded)
        self.defaults = [np.reshape(d, -1).tolist() for d in defaults]  # one value, or none: the column is required
        self.dtypes = dtypes

    def read(self, file: Any, name: str) -> Iterator[Element]:
        text = io.TextIOWrapper(file, "utf-8", "surrogateescape", newline="")
        quoting: Any = csv.QUOTE_MINIMAL if self.quotes else csv.QUOTE_NONE
        reader = csv.reader(text, delimiter=self.delimiter, quoting=quoting)
        if self.header:
            next(reader, None)
        for fields in reader:
            if fields:
                yield self._row(fields)

    def _row(self, fields: list[str]) -> Element:
        if self.columns:
            chosen = [fields[c] if c < len(fields) else None for c in self.columns]
            if None in chosen:
                raise errors.InvalidArgumentError(
                    None, None, f"Expect {max(self.columns) + 1} fields but have {len(fields)} in record"
                )
        else:
            chosen = [f for i, f in enumerate(fields) if i not in self.excluded]
        if len(chosen) != len(self.dtypes):
            raise errors.InvalidArgumentError(
                None, None, f"Expect {len(self.dtypes)} fields but have {len(chosen)} in record"
            )
        return tuple([
            field_value(f, d, t, i, self.missing)
            for i, (f, d, t) in enumerate(zip(chosen, self.defaults, self.dtypes))
        ])  # fmt: skip


def field_value(text: Any, default: list[Any], dtype: DType, position: int, missing: str) -> Any:
    """One field as a scalar of `dtype`; its default when it is empty.

    Raises:
      InvalidArgumentError: the field is no such value, or is empty and required.
    """
    if text == "" or text == missing:
        if not default:
            raise errors.InvalidArgumentError(None, None, f"Field {position} is required but missing in record!")
        if dtype.kind == "S":
            value = default[0]
            return scalar(value if isinstance(value, bytes) else str(value).encode())
        return dtype.as_numpy_dtype(default[0])
    if dtype.kind == "S":
        return scalar(text.encode("utf-8", "surrogateescape"))
    try:
        return dtype.as_numpy_dtype(float(text) if dtype.kind == "f" else int(text))
    except (ValueError, OverflowError):
        raise errors.InvalidArgumentError(
            None, None, f"Field {position} in record is not a valid {dtype.name}: {text}"
        ) from None


# --- names -----------------------------------------------------------------------------------------------------------
class Matching(Source):
    """The names of the files that match patterns, in order."""

    __slots__ = ("names",)

    def __init__(self, patterns: Any) -> None:
        self.names = matching(names_of(patterns))

    def open(self, run: Run) -> Iterator[Element]:
        for name in self.names:
            yield (scalar(name.encode("utf-8", "surrogateescape")),)

    def count(self) -> int:
        return UNKNOWN


def matching(patterns: list[str]) -> list[str]:
    """The files that match `patterns`, each once, sorted."""
    found: dict[str, None] = {}
    for pattern in patterns:
        if glob.has_magic(pattern):
            names = glob.glob(pattern, include_hidden=os.path.basename(pattern).startswith("."))
            found.update(dict.fromkeys(sorted(names)))
        elif os.path.exists(pattern):
            found[pattern] = None
    return sorted(found)


# --- caches ----------------------------------------------------------------------------------------------------------
class FileCache(Wrapping):
    """The input, kept in a file after it has been read to its end, for this process and those to come."""

    __slots__ = ("dtypes", "name")

    def __init__(self, input: Source, name: str, dtypes: list[DType]) -> None:
        super().__init__(input)
        self.name = name
        self.dtypes = dtypes

    def open(self, run: Run) -> Iterator[Element]:
        data = f"{self.name}.data-00000-of-00001"
        if os.path.exists(f"{self.name}.index"):
            with open(data, "rb") as file:
                while element := read_arrays(file, self.dtypes):
                    yield element
            return
        part = f"{data}.{os.getpid()}.part"
        try:
            with open(part, "wb") as file:
                count = 0
                for element in self.input.open(run):
                    for value in element:
                        write_array(file, value)
                    count += 1
                    yield element
            os.replace(part, data)
            with open(f"{self.name}.index", "w", encoding="ascii") as file:
                file.write(f"{count}\n")
        finally:
            if os.path.exists(part):  # it was not read to its end
                os.remove(part)


def read_arrays(file: Any, dtypes: list[DType]) -> Element:
    """The arrays of these dtypes that `write_array` wrote next; () at the end of the file."""
    found = []
    for dtype in dtypes:
        head = file.read(1)
        if not head:
            return ()
        dims = struct.unpack(f"<{head[0]}q", file.read(8 * head[0]))
        if dtype.kind == "S":
            count = int(np.prod(dims, dtype=np.int64))
            flat = [file.read(struct.unpack("<q", file.read(8))[0]) for _ in range(count)]
            array = np.empty(count, object)
            array[:] = flat
            array = array.reshape(dims)
        else:
            kind = np.dtype(dtype.as_numpy_dtype)
            count = int(np.prod(dims, dtype=np.int64))
            array = np.frombuffer(file.read(count * kind.itemsize), kind).reshape(dims)
        found.append(array if array.ndim or dtype.kind == "S" else array[()])
    return tuple(found)


def write_array(file: Any, value: Any) -> None:
    """Appends an array to a file; UnimplementedError when it holds something else than numbers and bytes."""
    array = np.asarray(value)
    file.write(struct.pack(f"<B{array.ndim}q", array.ndim, *array.shape))
    if array.dtype == object:
        for text in array.ravel().tolist():
            if not isinstance(text, bytes):
                raise errors.UnimplementedError(None, None, "a dataset of datasets cannot be cached in a file")
            file.write(struct.pack("<q", len(text)) + text)
    else:
        file.write(np.ascontiguousarray(array).tobytes())
