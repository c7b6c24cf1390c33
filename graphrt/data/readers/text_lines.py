"""`TextLineDataset`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphrt.data.arguments import as_long, as_text
from graphrt.data.declaration import READING, dataset_op
from graphrt.data.elements import scalar
from graphrt.data.pipeline import Element
from graphrt.data.readers.files import COMPRESSED, FileDataset, Files
from graphrt.data.streams import lines
from graphrt.ir.op import READS_FILES
from graphrt.types.likes import Filenames


class TextLines(Files):
    """The lines of text files, without their ends."""

    __slots__ = ()

    def read(self, file: Any, name: str) -> Iterator[Element]:
        for line in lines(file, f"a line of {name}"):
            yield (scalar(line.removesuffix(b"\r\n").removesuffix(b"\n")),)


ReadTextLines = dataset_op(
    "TextLineDataset", COMPRESSED, lambda names, compression, size: TextLines(names, compression, size), "", READING,
    described=False, file_access=READS_FILES, vectors=("filenames",),
)  # fmt: skip


class TextLineDataset(FileDataset):
    """The lines of text files, as strings without their ends.

    >>> import graphrt as tf, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "lines")
    >>> with open(path, "w") as file:
    ...     _ = file.write("one\\ntwo\\n")
    >>> list(tf.data.TextLineDataset(path).as_numpy_iterator())
    [b'one', b'two']

    Raises:
      TypeError: the names are no strings.
      NotFoundError: while iterating, a file does not exist.
    """

    __slots__ = ()

    def __init__(
        self, filenames: Filenames, compression_type: Any = None, buffer_size: Any = None, num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        compression, size = as_text(compression_type, "compression_type"), as_long(buffer_size or 262144, "buffer_size")
        super().__init__(
            filenames, lambda names: ReadTextLines(names, compression, size, name=name), num_parallel_reads,
            "TextLineDatasetV2",
        )  # fmt: skip
