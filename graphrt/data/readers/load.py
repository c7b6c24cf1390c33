"""`Dataset.load`: what `save` wrote."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.data import spec_text, tensorflow_files
from graphrt.data import structure as st
from graphrt.data.arguments import as_text
from graphrt.data.dataset import Dataset, DatasetSpec
from graphrt.data.methods import source
from graphrt.data.pipeline import Source
from graphrt.data.saved_files import Shards, check_compression, fs_text, path_text, read_by, read_spec
from graphrt.ir.op import INTERNAL, OPAQUE, READS, READS_FILES, STATEFUL, define
from graphrt.ops.io.files import local_path
from graphrt.tensor.tensor import static_array
from graphrt.types.dtype import DType
from graphrt.types.nesting import shown

LoadDataset = define(
    "_LoadDataset", "path: string -> handle: variant",
    attrs="types: list(type); apart: bool = False; output_types: list(type); output_shapes: list(shape)",
    infer=lambda c: (), kernel=lambda path, *, types, apart: _saved_at(path_text(path), types, apart),
    traits=(INTERNAL, STATEFUL, READS, OPAQUE), file_access=READS_FILES,
)  # fmt: skip


def _saved_at(path: str, types: list[DType], apart: bool) -> Source:
    return tensorflow_files.SavedShards(path, apart) if tensorflow_files.is_there(path) else Shards(path, types, apart)


@source
def load(
    path: Any, element_spec: Any = None, compression: str | None = None,
    reader_func: Callable[[Any], Any] | None = None, wait: bool = False,
) -> Dataset:  # fmt: skip
    """The dataset that was saved at `path`.

    `reader_func` makes it of a dataset of datasets, one for each file; by default they are read in turn. What TensorFlow
    saved is read, too; its compression is told by the files.

    Raises:
      NotFoundError: there is no saved dataset.
      TypeError: its elements are not of `element_spec`.
    """
    if compression is not None:
        check_compression(compression)
    where = as_text(fs_text(path), "path")
    known = static_array(where)
    if known is not None:
        folder = local_path(known.item())
        theirs = tensorflow_files.is_there(folder)
        spec = tensorflow_files.read_spec(folder) if theirs else spec_text.from_text(read_spec(folder))
        if element_spec is not None and not st.compatible_spec(spec, element_spec):
            raise TypeError(
                errors.at_user_line(
                    f"the elements saved at {shown(path)} are of {shown(spec)}, not of {shown(element_spec)}"
                )
            )
    elif element_spec is None:
        raise ValueError(
            errors.at_user_line("a dataset whose path is not known while tracing can only be loaded with element_spec")
        )
    spec = spec if element_spec is None else element_spec
    dtypes = [s.dtype for s in st.component_specs(spec)]
    if reader_func is None:
        handle = LoadDataset(where, types=dtypes, **st.output_attrs(spec))
        return Dataset(handle, spec, "_LoadDataset")
    inner = DatasetSpec(spec)
    handle = LoadDataset(where, types=dtypes, apart=True, **st.output_attrs(inner))
    return read_by(reader_func, Dataset(handle, inner, "_LoadDataset"))
