"""`Dataset.list_files`: the names of files."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator

from graphrt import errors
from graphrt.data.dataset import Dataset
from graphrt.data.declaration import READING, dataset_op
from graphrt.data.elements import scalar
from graphrt.data.methods import source
from graphrt.data.pipeline import UNKNOWN, Element, Run, Source
from graphrt.data.readers.files import names_of
from graphrt.data.readers.tensor_slices import from_tensor_slices
from graphrt.ir.op import READS_FILES
from graphrt.ops.io.files import local_path, matches
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor, raw_of
from graphrt.types.dtype import string
from graphrt.types.likes import TensorLike
from graphrt.types.spec import TensorSpec


class Matching(Source):
    """The names of the files that match patterns, in order; an error where there are none."""

    __slots__ = ("names", "patterns")

    def __init__(self, patterns: TensorLike) -> None:
        self.patterns = names_of(patterns)
        self.names = [name for name in matching(self.patterns) if not os.path.isdir(name)]

    def open(self, run: Run) -> Iterator[Element]:
        if not self.names:
            raise errors.NotFoundError(None, None, f"No files matched pattern: {', '.join(self.patterns)}")
        for name in self.names:
            yield (scalar(name.encode("utf-8", "surrogateescape")),)

    def count(self) -> int:
        return UNKNOWN


def matching(patterns: list[str]) -> list[str]:
    """The files that match `patterns`, each once, sorted."""
    found: dict[str, None] = {}
    for pattern in patterns:
        if glob.has_magic(pattern):
            names = matches(pattern, include_hidden=os.path.basename(pattern).startswith("."))
            found.update(dict.fromkeys(sorted(names)))
        elif os.path.exists(local_path(pattern)):
            found[pattern] = None
    return sorted(found)


MatchingFilesDataset = dataset_op(
    "MatchingFilesDataset",
    "patterns: string",
    Matching,
    "",
    READING,
    described=False,
    metadata=False,
    file_access=READS_FILES,
    vectors=("patterns",),
)


@source
def list_files(
    file_pattern: TensorLike, shuffle: bool | None = None, seed: int | None = None, name: str | None = None
) -> Dataset[Tensor]:
    """The names of the files that match a pattern (or several), shuffled unless `shuffle` is False.

    >>> import graphrt as tf
    >>> tf.data.Dataset.list_files("/", shuffle=False).element_spec
    TensorSpec(shape=(), dtype=tf.string, name=None)

    Raises:
      InvalidArgumentError: no file matches.
    """
    patterns = convert_to_tensor(file_pattern, dtype=string, name="file_pattern")
    size = 10000  # of the buffer to shuffle in, where the number of files is known when the function runs
    if isinstance(patterns, EagerTensor):
        wanted = names_of(raw_of(patterns))
        names = matching(wanted)
        if not names:
            raise errors.InvalidArgumentError(
                None, None, errors.at_user_line(f"No files matched pattern: {', '.join(wanted)}")
            )
        size = len(names)
        found = from_tensor_slices(names, name=name)
    else:
        found = Dataset(MatchingFilesDataset(patterns, name=name), TensorSpec([], string), "_MatchingFilesDataset")
    return found.shuffle(size, seed) if shuffle is None or shuffle else found
