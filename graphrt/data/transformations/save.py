"""`Dataset.save`: elements written into files."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.data import spec_text
from graphrt.data.arguments import as_text
from graphrt.data.dataset import Dataset, handle_of
from graphrt.data.methods import transformation
from graphrt.data.pipeline import Source, iterate
from graphrt.data.saved_files import Writer, check_compression, fs_text, path_text, sharding, word_text, written
from graphrt.data.tensorflow_writing import SavedWriter
from graphrt.graphdef.structured_values import UnwritableValue
from graphrt.ir.op import INTERNAL, OPAQUE, STATEFUL, WRITES_FILES, define
from graphrt.ops.io.files import telling
from graphrt.types.likes import Array, PathLike


def _save(dataset: Source, path: Array, extra: list[Any], *, spec: str, compression: str, f: Any) -> None:
    where = path_text(path)
    writer = telling(where, functools.partial(_writer, where, word_text(spec), word_text(compression)), str)
    run, elements = iterate(dataset)
    with contextlib.closing(run):
        try:
            for _ in written(elements, writer, f, extra, where):
                pass
        except BaseException:
            writer.abandon()
            raise
        finally:
            del elements
    telling(where, writer.finish, str)


def _writer(path: str, spec: str, compression: str) -> Any:
    """What writes TensorFlow's files; files of our own, where theirs have no place for such elements."""
    try:
        return SavedWriter(path, spec_text.from_text(spec), compression)
    except UnwritableValue:
        return Writer(path, spec, compression)


SaveDataset = define(
    "_SaveDataset", "input_dataset: variant, path: string, other_arguments: Targuments... ->",
    attrs="f: python; Targuments: list(type); spec: string; compression: string", infer=lambda c: [], kernel=_save,
    traits=(INTERNAL, STATEFUL, OPAQUE), file_access=WRITES_FILES,
)  # fmt: skip


@transformation
def save(
    self: Dataset, path: PathLike, compression: str | None = None, shard_func: Callable[..., Any] | None = None,
    checkpoint_args: Any = None,
) -> None:  # fmt: skip
    """Writes the elements into files below the directory `path`, which may hold an older version.

    `shard_func` gives each element the number of the file it goes to; `compression` is None, "GZIP", "ZLIB" or
    "SNAPPY". The files are TensorFlow's: its `Dataset.load` reads them.

    >>> import graphrt as tf, tempfile
    >>> with tempfile.TemporaryDirectory() as path:
    ...     tf.data.Dataset.range(3).save(path)
    ...     list(tf.data.Dataset.load(path).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2)]

    Raises:
      ResourceExhaustedError: the disk is full.
      TypeError: the elements are more than tensors and structures of them.
      ValueError: checkpoints are asked for, which do not exist here.
    """
    if checkpoint_args is not None:
        raise ValueError(errors.at_user_line("save writes the whole dataset: there are no checkpoint_args here"))
    traced = sharding(shard_func, "save", self.element_spec)
    SaveDataset(
        handle_of(self), as_text(fs_text(path), "path"), [] if traced is None else traced.captured,
        f=None if traced is None else traced.graph, spec=spec_text.to_text(self.element_spec),
        compression=check_compression(compression or ""),
    )  # fmt: skip
