"""`FixedLengthRecordDataset`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphrt import errors
from graphrt.data.arguments import as_long, as_text
from graphrt.data.declaration import READING, dataset_op, invalid
from graphrt.data.elements import scalar
from graphrt.data.pipeline import Element
from graphrt.data.readers.files import FileDataset, Files
from graphrt.data.streams import CHUNK, length_of
from graphrt.ir.op import READS_FILES
from graphrt.ops.io.files import check_held
from graphrt.types.likes import Filenames, TensorLike


class FixedRecords(Files):
    """Records of one length, between a header and a footer."""

    __slots__ = ("footer", "header", "length")

    def __init__(
        self, filenames: TensorLike, compression: TensorLike, header: int, length: int, footer: int, size: int = 0
    ) -> None:
        super().__init__(filenames, compression, size)
        for name, number, least in (("header", header, 0), ("record", length, 1), ("footer", footer, 0)):
            if number < least:
                raise invalid(f"`{name}_bytes` must be >= {least}, got {number}.")
        self.header, self.length, self.footer = header, length, footer

    def read(self, file: Any, name: str) -> Iterator[Element]:
        size = length_of(file)
        if size is not None:
            self._expect(size, name)
        total, skipped, held = 0, 0, bytearray()
        while part := file.read(CHUNK):
            total += len(part)
            held += part
            begin = min(self.header - skipped, len(held))
            skipped += begin
            ready = max(len(held) - begin - self.footer, 0) // self.length * self.length
            data = bytes(held[begin : begin + ready])
            del held[: begin + ready]
            check_held(file, len(held), name)
            for at in range(0, ready, self.length):
                yield (scalar(data[at : at + self.length]),)
        self._expect(total, name)

    def _expect(self, size: int, name: str) -> None:
        body = size - self.header - self.footer
        if body < 0 or body % self.length:
            raise (errors.DataLossError if self.compression else errors.InvalidArgumentError)(
                None, None,
                f"Excess data in input file {name}: its {size} bytes are a header of {self.header}, a footer of "
                f"{self.footer}, and no whole number of records of {self.length} bytes.",
            )  # fmt: skip


FixedLengthRecordDatasetV2 = dataset_op(
    "FixedLengthRecordDatasetV2",
    "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, buffer_size: int64, "
    "compression_type: string",
    lambda names, header, length, footer, size, compression: FixedRecords(
        names, compression, int(header), int(length), int(footer), int(size)
    ),
    "", READING, described=False, file_access=READS_FILES, vectors=("filenames",),
)  # fmt: skip


class FixedLengthRecordDataset(FileDataset):
    """Records of `record_bytes` bytes each, as strings.

    >>> import graphrt as tf
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "records")
    >>> _ = path.write_bytes(b"abcdef")
    >>> list(tf.data.FixedLengthRecordDataset(str(path), 2).as_numpy_iterator())
    [b'ab', b'cd', b'ef']
    """

    __slots__ = ()

    def __init__(
        self, filenames: Filenames, record_bytes: TensorLike, header_bytes: Any = None, footer_bytes: Any = None,
        buffer_size: Any = None, compression_type: Any = None, num_parallel_reads: Any = None, name: str | None = None,
    ) -> None:  # fmt: skip
        given = {"header_bytes": header_bytes or 0, "record_bytes": record_bytes, "footer_bytes": footer_bytes or 0}
        numbers = [as_long(value, key) for key, value in given.items()]
        size, compression = as_long(buffer_size or 262144, "buffer_size"), as_text(compression_type, "compression_type")
        super().__init__(
            filenames, lambda names: FixedLengthRecordDatasetV2(names, *numbers, size, compression, name=name),
            num_parallel_reads, FixedLengthRecordDatasetV2.type,
        )  # fmt: skip
