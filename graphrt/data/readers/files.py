"""What all datasets of files have in common: names, compression, one file after the other."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.dataset import Dataset, handle_of
from graphrt.data.declaration import invalid
from graphrt.data.pipeline import Element, Run, Source
from graphrt.data.streams import CHUNK, Decompressed
from graphrt.ops.array.shape import reshape
from graphrt.ops.io.files import local_path, told
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import string
from graphrt.types.likes import Filenames, PathLike, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.spec import TensorSpec

COMPRESSED = "filenames: string, compression_type: string, buffer_size: int64"


def names_of(filenames: TensorLike) -> list[str]:
    """File names out of a string tensor of rank 0 or 1."""
    found = np.asarray(filenames, object).reshape(-1).tolist()
    return [n.decode("utf-8", "surrogateescape") if isinstance(n, bytes) else str(n) for n in found]


def opened(name: str, compression: str) -> Any:
    """The file `name` for reading bytes, uncompressed on the way.

    Raises:
      NotFoundError: there is no such file.
      InvalidArgumentError: the compression is not known.
    """
    path = local_path(name)
    try:
        if compression == "":
            return open(path, "rb", buffering=CHUNK)
        if compression in ("GZIP", "ZLIB", "BZ2"):
            return io.BufferedReader(Decompressed(path, compression), CHUNK)
    except OSError as error:
        raise told(error, name) from None
    raise errors.InvalidArgumentError(None, None, f"Unsupported compression_type: {compression}.")


class Files(Source):
    """Base of the sources that read one file after the other.

    Raises:
      InvalidArgumentError: the compression is not known, or the size of the buffer is negative.
    """

    __slots__ = ("compression", "names")

    def __init__(self, filenames: TensorLike, compression: TensorLike, size: TensorLike = 0) -> None:
        self.names = names_of(filenames)
        (self.compression,) = names_of(compression)
        if self.compression not in ("", "GZIP", "ZLIB", "BZ2"):
            raise invalid(f"Unsupported compression_type: {self.compression}.")
        if np.asarray(size) < 0:
            raise invalid(f"`buffer_size` must be >= 0 (0 == default), got {int(np.asarray(size))}.")

    def open(self, run: Run) -> Iterator[Element]:
        # a file that cannot be read to its end is told, and the next one follows
        return chain.from_iterable(map(self.of_one, self.names))

    def of_one(self, name: str) -> Iterator[Element]:
        """The elements of one file, which is closed behind them."""
        with opened(name, self.compression) as file:
            yield from self.read(file, name)

    def read(self, file: PathLike, name: str) -> Iterator[Element]:
        """The elements in one file."""
        raise errors.InternalError(None, None, f"{type(self).__name__} cannot read {name}")


def file_names(filenames: Filenames) -> Tensor:
    """File names as a string tensor of rank 0 or 1, or as the dataset of names that was given.

    Raises:
      TypeError: they are no strings.
    """
    if isinstance(filenames, Dataset):
        if not st.compatible_spec(filenames.element_spec, TensorSpec([], string)):
            raise TypeError(
                errors.at_user_line(
                    "The `filenames` argument must contain `tf.string` elements. Got a dataset of "
                    f"{shown(filenames.element_spec)} elements."
                )
            )
        return filenames
    names: Any = filenames
    if isinstance(names, os.PathLike):
        names = os.fspath(names)
    elif isinstance(names, (list, tuple)):
        names = [os.fspath(n) if isinstance(n, os.PathLike) else n for n in names]
    try:
        return convert_to_tensor(names, dtype=string, name="filenames")
    except (TypeError, ValueError):
        raise TypeError(
            errors.at_user_line(f"The `filenames` argument must contain `tf.string` elements. Got {shown(filenames)}.")
        ) from None


class FileDataset(Dataset):
    """Base of the datasets that read files."""

    __slots__ = ()

    def __init__(self, filenames: Filenames, reads: Callable[[Any], Any], parallel: Any, label: str) -> None:
        names = file_names(filenames)
        spec = TensorSpec([], string)
        if isinstance(names, Dataset) or parallel is not None:
            listed = names if isinstance(names, Dataset) else Dataset.from_tensor_slices(reshape(names, [-1]))
            cycle = 1 if parallel is None else parallel
            found = listed.interleave(
                lambda name: Dataset(reads(name), spec, label), cycle_length=cycle, num_parallel_calls=parallel
            )
            handle = handle_of(found)
        else:
            handle = reads(names)
        super().__init__(handle, spec, label)
