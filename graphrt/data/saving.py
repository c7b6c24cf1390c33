"""Datasets written to disk, and read from there."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.data import saved, spec_text
from graphrt.data import structure as st
from graphrt.data.base import DatasetBase, DatasetSpec, as_text, new_dataset
from graphrt.data.traced import Traced, trace
from graphrt.ir.op import ops
from graphrt.tensor.tensor import static_array
from graphrt.types.dtype import int64
from graphrt.types.spec import TensorSpec

if TYPE_CHECKING:
    from graphrt.data.dataset import Dataset


class Saving(DatasetBase):
    """The methods that write datasets down, and read them."""

    __slots__ = ()

    def save(
        self, path: Any, compression: str | None = None, shard_func: Callable[..., Any] | None = None,
        checkpoint_args: Any = None,
    ) -> None:  # fmt: skip
        """Writes the elements into files below the directory `path`, which may hold an older version.

        `shard_func` gives each element the number of the file it goes to; `compression` is None or "GZIP".

        >>> import graphrt as tf, tempfile
        >>> with tempfile.TemporaryDirectory() as path:
        ...     tf.data.Dataset.range(3).save(path)
        ...     list(tf.data.Dataset.load(path).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(2)]

        Raises:
          TypeError: the elements are more than tensors and structures of them.
          ValueError: checkpoints are asked for, which do not exist here.
        """
        if checkpoint_args is not None:
            raise ValueError(errors.at_user_line("save writes the whole dataset: there are no checkpoint_args here"))
        traced = _sharding(shard_func, "save", self._element_spec)
        saved.SaveDataset(
            self._variant_tensor, as_text(_fs(path), "path"), [] if traced is None else traced.captured,
            f=None if traced is None else traced.graph, spec=spec_text.to_text(self._element_spec),
            compression=saved.check_compression(compression or ""),
        )  # fmt: skip

    @staticmethod
    def load(
        path: Any, element_spec: Any = None, compression: str | None = None,
        reader_func: Callable[[Any], Any] | None = None, wait: bool = False,
    ) -> Dataset:  # fmt: skip
        """The dataset that was saved at `path`.

        `reader_func` makes it of a dataset of datasets, one for each file; by default they are read in turn.

        Raises:
          NotFoundError: there is no saved dataset.
          TypeError: its elements are not of `element_spec`.
        """
        if compression is not None:
            saved.check_compression(compression)
        where = as_text(_fs(path), "path")
        known = static_array(where)
        if known is not None:
            spec = spec_text.from_text(saved.read_spec(os.fsdecode(known.item())))
            if element_spec is not None and not st.compatible_spec(spec, element_spec):
                raise TypeError(
                    errors.at_user_line(f"the elements saved at {path!r} are of {spec!r}, not of {element_spec!r}")
                )
        elif element_spec is None:
            raise ValueError(
                errors.at_user_line(
                    "a dataset whose path is not known while tracing can only be loaded with element_spec"
                )
            )
        spec = spec if element_spec is None else element_spec
        dtypes = [s.dtype for s in st.component_specs(spec)]
        if reader_func is None:
            handle = saved.LoadDataset(where, types=dtypes, **st.output_attrs(spec))
            return new_dataset(handle, spec, "_LoadDataset")
        inner = DatasetSpec(spec)
        handle = saved.LoadDataset(where, types=dtypes, apart=True, **st.output_attrs(inner))
        return _read(reader_func, new_dataset(handle, inner, "_LoadDataset"))

    def snapshot(
        self, path: Any, compression: str | None = "AUTO", reader_func: Callable[[Any], Any] | None = None,
        shard_func: Callable[..., Any] | None = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """The elements, written below the directory `path` when they are first read to the end, and read from there later.

        Snapshots of different pipelines do not get in each other's way. `shard_func` and `reader_func` are those of
        `save` and `load`.

        >>> import graphrt as tf, tempfile
        >>> with tempfile.TemporaryDirectory() as path:
        ...     dataset = tf.data.Dataset.random(rerandomize_each_iteration=True).take(3).snapshot(path)
        ...     list(dataset.as_numpy_iterator()) == list(dataset.as_numpy_iterator())
        True
        """
        spec = self._element_spec
        traced = _sharding(shard_func, "snapshot", spec)
        attrs = {
            "f": None if traced is None else traced.graph, "spec": spec_text.to_text(spec),
            "compression": saved.check_compression(compression or ""),
            "types": [s.dtype for s in st.component_specs(spec)], "apart": reader_func is not None,
        }  # fmt: skip
        shown = spec if reader_func is None else DatasetSpec(spec)
        handle = saved.SnapshotDataset(
            self._variant_tensor, as_text(_fs(path), "path"), [] if traced is None else traced.captured, name=name,
            **attrs, **st.output_attrs(shown),
        )  # fmt: skip
        made = self._made(handle, shown, "_SnapshotDataset")
        return made if reader_func is None else _read(reader_func, made)


def _fs(path: Any) -> Any:
    return os.fspath(path) if hasattr(path, "__fspath__") else path


def _sharding(function: Callable[..., Any] | None, method: str, spec: Any) -> Traced | None:
    if function is None:
        return None
    traced = trace(function, method, [spec], finish=lambda shard: ops.cast(shard, int64))
    if not isinstance(traced.spec, TensorSpec) or traced.spec.dims != ():
        raise TypeError(errors.at_user_line(f"shard_func must give an integer, not {traced.spec!r}"))
    return traced


def _read(reader: Callable[[Any], Any], datasets: Dataset) -> Dataset:
    found = reader(datasets)
    if not isinstance(found, DatasetBase):
        raise TypeError(errors.at_user_line(f"reader_func must give a dataset, not {found!r}"))
    return found  # type: ignore[return-value]
