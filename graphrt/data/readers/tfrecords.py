"""TFRecord files: `TFRecordDataset` reads them, `tf.io.TFRecordWriter` writes them."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from typing import Any, ClassVar

from graphrt import errors
from graphrt.data.arguments import as_long, as_text
from graphrt.data.declaration import READING, dataset_op
from graphrt.data.elements import scalar
from graphrt.data.pipeline import Element
from graphrt.data.readers.files import COMPRESSED, FileDataset, Files
from graphrt.data.streams import CHUNK, exactly
from graphrt.ir.op import READS_FILES
from graphrt.ops.io.crc32c import masked_crc32c, masked_crc32cs
from graphrt.ops.io.files import local_path, telling
from graphrt.types.likes import Filenames, PathLike
from graphrt.types.limits import check_bytes
from graphrt.types.nesting import said, shown


class TFRecords(Files):
    """The records of TFRecord files."""

    __slots__ = ()

    def read(self, file: Any, name: str) -> Iterator[Element]:
        for record in checked_records(file, name):
            yield (scalar(record),)


_MANY = 512  # records, and
_AHEAD = 1 << 16  # bytes that are read ahead at most


class _Rest:
    """A file of which some bytes have been read already."""

    def __init__(self, begin: bytes, file: Any) -> None:
        self._begin, self._file = begin, file

    def read(self, count: int) -> bytes:
        """At most `count` bytes; none at the end."""
        found, self._begin = self._begin[:count], self._begin[count:]
        return found or self._file.read(count)


def _records(file: Any, name: str) -> Iterator[tuple[bytes, int, int]]:
    """Each record, where it begins, and what its checksum should be."""
    at, known = 0, b""
    while head := file.read(12):
        if head != known:  # records of one length begin alike
            if len(head) < 12:
                raise errors.DataLossError(None, None, f"truncated record at {at} in {name}")
            length, check = struct.unpack("<QI", head)
            if masked_crc32c(head[:8]) != check:
                raise errors.DataLossError(None, None, f"corrupted record at {at} in {name}")
            known = head
        where = f"truncated record at {at} in {name}"
        both = file.read(length + 4) if length < CHUNK else b""
        if len(both) == length + 4:  # as nearly always
            check_bytes(length, where)
            data, tail = both[:-4], both[-4:]
        else:
            rest = _Rest(both, file)
            data, tail = exactly(rest, length, where), exactly(rest, 4, where)
        yield data, at, int.from_bytes(tail, "little")
        at += 16 + length


def checked_records(file: Any, name: str) -> Iterator[bytes]:
    """Each record of an open file, in order.

    Raises:
      DataLossError: one is damaged, or ends too early.
    """
    records = _records(file, name)
    size = 1  # the first one is there at once, and later ones are checked many at a time
    while True:
        texts: list[bytes] = []
        found: list[tuple[int, int]] = []  # where each record begins, and its checksum
        failure, taken = None, 0
        try:
            while len(texts) < size and taken < _AHEAD and (record := next(records, None)) is not None:
                texts.append(record[0])
                found.append(record[1:])
                taken += len(record[0])
        except errors.OpError as error:  # comes after the records before it
            failure = error
        for text, check, (at, wanted) in zip(texts, masked_crc32cs(texts) if texts else (), found):
            if check != wanted:
                raise errors.DataLossError(None, None, f"corrupted record at {at} in {name}")
            yield text
        if failure is not None:
            try:
                raise failure
            finally:
                del failure  # its traceback holds this frame
        if not texts:
            return
        size = min(2 * size, _MANY)


def framed_many(records: list[bytes]) -> bytes:
    """Records one after the other, as they stand in a TFRecord file."""
    heads: dict[int, bytes] = {}
    out: list[bytes] = []
    for data, check in zip(records, masked_crc32cs(records)):
        size = len(data)
        if size not in heads:
            head = struct.pack("<Q", size)
            heads[size] = head + struct.pack("<I", masked_crc32c(head))
        out += (heads[size], data, struct.pack("<I", check))
    return b"".join(out)


def framed(data: bytes) -> bytes:
    """One record as it stands in a TFRecord file."""
    head = struct.pack("<Q", len(data))
    return head + struct.pack("<I", masked_crc32c(head)) + data + struct.pack("<I", masked_crc32c(data))


ReadTFRecords = dataset_op(
    "TFRecordDataset", COMPRESSED, lambda names, compression, size: TFRecords(names, compression, size), "", READING,
    described=False, file_access=READS_FILES, vectors=("filenames",),
)  # fmt: skip


class TFRecordDataset(FileDataset):
    """The records of TFRecord files, as strings.

    >>> import graphrt as tf
    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "records")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    ...     writer.write(b"two")
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'one', b'two']

    Raises:
      DataLossError: while iterating, a record is damaged.
    """

    __slots__ = ()

    def __init__(
        self, filenames: Filenames, compression_type: str | None = None, buffer_size: Any = None,
        num_parallel_reads: Any = None, name: str | None = None
    ) -> None:  # fmt: skip
        compression, size = as_text(compression_type, "compression_type"), as_long(buffer_size or 262144, "buffer_size")
        super().__init__(
            filenames, lambda names: ReadTFRecords(names, compression, size, name=name), num_parallel_reads,
            "TFRecordDatasetV2",
        )  # fmt: skip


class TFRecordOptions:
    """How records are compressed: "GZIP", "ZLIB", or not at all, at a level of 0 to 9.

    >>> import graphrt as tf
    >>> tf.io.TFRecordOptions("GZIP", compression_level=9).compression_type
    'GZIP'

    Raises:
      ValueError: there is no such compression.
    """

    compression_type_map: ClassVar[dict[int, str]] = {0: "", 1: "ZLIB", 2: "GZIP"}

    def __init__(
        self, compression_type: str | None = None, flush_mode: int | None = None, input_buffer_size: int | None = None,
        output_buffer_size: int | None = None, window_bits: int | None = None, compression_level: int | None = None,
        compression_method: int | None = None, mem_level: int | None = None, compression_strategy: int | None = None,
    ) -> None:  # fmt: skip
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: object) -> str:
        """The word for a compression: of options, of a word, or of None.

        Raises:
          ValueError: there is no such compression.
        """
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if not options:
            return ""
        if options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if options in cls.compression_type_map.values():
            return str(options)
        raise ValueError(errors.at_user_line(f'Not a valid compression_type: "{said(options)}"'))


class TFRecordWriter:
    """Writes records into a TFRecord file.

    >>> import graphrt as tf, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "records")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    >>> list(tf.data.TFRecordDataset(path).as_numpy_iterator())
    [b'one']

    Raises:
      NotFoundError: the folder of the file is missing.
      ValueError: there is no such compression.
    """

    def __init__(self, path: PathLike, options: TFRecordOptions | str | None = None) -> None:
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=options)
        kind = TFRecordOptions.get_compression_type_string(options)
        level = -1 if options.compression_level is None else options.compression_level
        file = telling(path, lambda: open(local_path(path), "wb"))  # noqa: SIM115  closed by `close`
        self._path = path
        self._raw: Any = file
        self._packed: Any = None
        self._file: Any = file
        if kind == "GZIP":
            self._file = gzip.GzipFile(fileobj=file, mode="wb", compresslevel=9 if level < 0 else level, mtime=0)
        elif kind == "ZLIB":
            self._packed = zlib.compressobj(level)

    def write(self, record: bytes | str) -> None:
        """Adds one record.

        Raises:
          FailedPreconditionError: the writer is closed.
          ResourceExhaustedError: the disk is full; so say `flush` and `close` of what was held back.
          TypeError: the record is neither bytes nor text.
        """
        if self._raw is None:
            raise errors.FailedPreconditionError(None, None, errors.at_user_line("Writer is closed."))
        if not isinstance(record, (bytes, str)):
            raise TypeError(errors.at_user_line(f"write() takes bytes or text, found {shown(record)}"))
        data = framed(record.encode("utf-8") if isinstance(record, str) else record)
        out = data if self._packed is None else self._packed.compress(data)
        telling(self._path, lambda: self._file.write(out))

    def flush(self) -> None:
        """Writes what is held back."""
        if self._raw is None:
            raise errors.FailedPreconditionError(None, None, errors.at_user_line("Writer is closed."))
        telling(self._path, self._flush)

    def _flush(self) -> None:
        if self._packed is not None:
            self._raw.write(self._packed.flush(zlib.Z_SYNC_FLUSH))
        self._file.flush()

    def close(self) -> None:
        """Writes what is held back, and closes the file."""
        if self._raw is not None:
            telling(self._path, self._close)

    def _close(self) -> None:
        raw, self._raw = self._raw, None
        try:
            if self._packed is not None:
                raw.write(self._packed.flush())
            if self._file is not raw:
                self._file.close()
        finally:
            raw.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
