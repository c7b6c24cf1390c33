"""Datasets of files: lines, records of one length, TFRecords."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.data import declarations as d
from graphrt.data import structure as st
from graphrt.data.base import as_long, as_text
from graphrt.data.dataset import Dataset
from graphrt.ir.op import ops
from graphrt.tensor.convert import convert_to_tensor
from graphrt.types.dtype import string
from graphrt.types.spec import TensorSpec


def file_names(filenames: Any) -> Any:
    """File names as a string tensor of rank 0 or 1, or as the dataset of names that was given.

    Raises:
      TypeError: they are no strings.
    """
    if isinstance(filenames, Dataset):
        if not st.compatible_spec(filenames._element_spec, TensorSpec([], string)):
            raise TypeError(
                errors.at_user_line(
                    "The `filenames` argument must contain `tf.string` elements. Got a dataset of "
                    f"{filenames._element_spec!r} elements."
                )
            )
        return filenames
    if isinstance(filenames, os.PathLike):
        filenames = os.fspath(filenames)
    elif isinstance(filenames, (list, tuple)):
        filenames = [os.fspath(n) if isinstance(n, os.PathLike) else n for n in filenames]
    try:
        return convert_to_tensor(filenames, dtype=string, name="filenames")
    except (TypeError, ValueError):
        raise TypeError(
            errors.at_user_line(f"The `filenames` argument must contain `tf.string` elements. Got {filenames!r}.")
        ) from None


class _FileDataset(Dataset):
    """Base of the datasets that read files."""

    __slots__ = ()

    def _read(self, filenames: Any, reads: Callable[[Any], Any], parallel: Any, label: str) -> None:
        names = file_names(filenames)
        spec = TensorSpec([], string)
        if isinstance(names, Dataset) or parallel is not None:
            listed = names if isinstance(names, Dataset) else Dataset.from_tensor_slices(ops.reshape(names, [-1]))
            cycle = 1 if parallel is None else parallel
            found = listed.interleave(
                lambda name: Dataset(reads(name), spec, label), cycle_length=cycle, num_parallel_calls=parallel
            )
            handle = found._variant_tensor
        else:
            handle = reads(names)
        super().__init__(handle, spec, label)


class TextLineDataset(_FileDataset):
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
        self, filenames: Any, compression_type: Any = None, buffer_size: Any = None, num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        compression, size = as_text(compression_type, "compression_type"), as_long(buffer_size or 262144, "buffer_size")
        self._read(
            filenames, lambda names: d.TextLineDataset(names, compression, size, name=name), num_parallel_reads,
            "TextLineDatasetV2",
        )  # fmt: skip


class FixedLengthRecordDataset(_FileDataset):
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
        self, filenames: Any, record_bytes: Any, header_bytes: Any = None, footer_bytes: Any = None,
        buffer_size: Any = None, compression_type: Any = None, num_parallel_reads: Any = None, name: str | None = None,
    ) -> None:  # fmt: skip
        given = {"header_bytes": header_bytes or 0, "record_bytes": record_bytes, "footer_bytes": footer_bytes or 0}
        numbers = [as_long(value, key) for key, value in given.items()]
        size, compression = as_long(buffer_size or 262144, "buffer_size"), as_text(compression_type, "compression_type")
        self._read(
            filenames, lambda names: d.FixedLengthRecordDatasetV2(names, *numbers, size, compression, name=name),
            num_parallel_reads, "FixedLengthRecordDatasetV2",
        )  # fmt: skip


class TFRecordDataset(_FileDataset):
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
        self, filenames: Any, compression_type: Any = None, buffer_size: Any = None, num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        compression, size = as_text(compression_type, "compression_type"), as_long(buffer_size or 262144, "buffer_size")
        self._read(
            filenames, lambda names: d.TFRecordDataset(names, compression, size, name=name), num_parallel_reads,
            "TFRecordDatasetV2",
        )  # fmt: skip
