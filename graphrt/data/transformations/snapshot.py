"""`Dataset.snapshot`: elements written down when first read, and read from there later."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphrt.data import spec_text
from graphrt.data import structure as st
from graphrt.data.arguments import as_text
from graphrt.data.dataset import Dataset, DatasetSpec, handle_of, transformed
from graphrt.data.methods import T, transformation
from graphrt.data.pipeline import UNKNOWN, Element, Run, Source, Wrapping
from graphrt.data.saved_files import (
    Shards,
    Writer,
    check_compression,
    fs_text,
    metadata,
    path_text,
    read_by,
    sharding,
    word_text,
    written,
)
from graphrt.ir.graph import Graph
from graphrt.ir.op import INTERNAL, OPAQUE, READS, STATEFUL, WRITES_FILES, define
from graphrt.ops.io.files import telling
from graphrt.types.dtype import DType
from graphrt.types.likes import Array, PathLike


class Snapshot(Wrapping):
    """The input, written down when it is first read to its end, and read from there ever after."""

    __slots__ = ("captured", "compression", "dtypes", "path", "shard_of", "spec")

    def __init__(
        self, input: Source, path: str, spec: str, compression: str, dtypes: list[DType], graph: Graph | None,
        captured: list[Any],
    ) -> None:  # fmt: skip
        super().__init__(input)
        self.path = os.path.join(path, fingerprint(input))
        self.spec = spec
        self.compression = compression
        self.dtypes = dtypes
        self.shard_of = graph
        self.captured = captured

    def open(self, run: Run) -> Iterator[Element]:
        if metadata(self.path) is not None:
            yield from Shards(self.path, self.dtypes, False).open(run)
            return
        writer = telling(self.path, functools.partial(Writer, self.path, self.spec, self.compression), str)
        whole = False
        try:
            yield from written(self.input.open(run), writer, self.shard_of, self.captured, self.path)
            whole = True
        finally:
            telling(self.path, writer.finish, str) if whole else writer.abandon()

    def count(self) -> int:
        return self.input.count()


class SnapshotShards(Source):
    """The shards of a snapshot as datasets; the input is written down first."""

    __slots__ = ("snapshot",)

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    def inputs(self) -> tuple[Source, ...]:
        return (self.snapshot,)

    def open(self, run: Run) -> Iterator[Element]:
        if metadata(self.snapshot.path) is None:
            for _ in self.snapshot.open(run):
                pass
        return Shards(self.snapshot.path, self.snapshot.dtypes, True).open(run)

    def count(self) -> int:
        return UNKNOWN


def fingerprint(source: object) -> str:
    """A short text that differs between pipelines that do different things."""
    digest = hashlib.sha256()

    def visit(value: object) -> None:
        digest.update(type(value).__name__.encode())
        if isinstance(value, Source):
            for kind in type(value).__mro__:
                for slot in getattr(kind, "__slots__", ()):
                    if not slot.startswith("__"):
                        visit(getattr(value, slot, None))
        elif isinstance(value, Graph):
            places = {v: i for i, v in enumerate(v for n in value.nodes for v in n.outputs)}
            for node in value.nodes:
                digest.update(node.type.encode())
                visit([places[v] for v in node.inputs])
                visit({k: v for k, v in node.attrs.items() if not k.startswith("_")})
            visit([places[v] for v in value.outputs])
        elif isinstance(value, (list, tuple)):
            for part in value:
                visit(part)
        elif isinstance(value, dict):
            for key in sorted(value, key=str):
                digest.update(str(key).encode())
                visit(value[key])
        elif isinstance(value, (np.ndarray, np.generic)):
            digest.update(f"{value.dtype}{value.shape}".encode())
            digest.update(repr(value.tolist()).encode() if value.dtype == object else value.tobytes())
        elif value is None or isinstance(value, (bool, int, float, complex, str, bytes, range, DType)):
            digest.update(repr(value).encode())
        else:
            digest.update(getattr(value, "__qualname__", "").encode())

    visit(source)
    return digest.hexdigest()[:20]


def _snapshot(
    dataset: Source, path: Array, extra: list[Any], *, f: Any, spec: str, compression: str, apart: bool,
    types: list[DType]
) -> Source:  # fmt: skip
    made = Snapshot(dataset, path_text(path), word_text(spec), word_text(compression), types, f, extra)
    return SnapshotShards(made) if apart else made


SnapshotDataset = define(
    "_SnapshotDataset", "input_dataset: variant, path: string, other_arguments: Targuments... -> handle: variant",
    attrs="f: python; Targuments: list(type); spec: string; compression: string; apart: bool = False; "
    "types: list(type); output_types: list(type); output_shapes: list(shape)",
    infer=lambda c: (), kernel=_snapshot, traits=(INTERNAL, STATEFUL, READS, OPAQUE),
    file_access=WRITES_FILES,
)  # fmt: skip


@transformation
def snapshot(
    self: Dataset[T], path: PathLike, compression: str | None = "AUTO", reader_func: Callable[[Any], Any] | None = None,
    shard_func: Callable[..., Any] | None = None, name: str | None = None,
) -> Dataset[T]:  # fmt: skip
    """The elements, written below the directory `path` when they are first read to the end, and read from there later.

    Snapshots of different pipelines do not get in each other's way. `shard_func` and `reader_func` are those of
    `save` and `load`.

    >>> import graphrt as tf, tempfile
    >>> with tempfile.TemporaryDirectory() as path:
    ...     dataset = tf.data.Dataset.random(rerandomize_each_iteration=True).take(3).snapshot(path)
    ...     list(dataset.as_numpy_iterator()) == list(dataset.as_numpy_iterator())
    True
    """
    spec = self.element_spec
    traced = sharding(shard_func, "snapshot", spec)
    attrs = {
        "f": None if traced is None else traced.graph, "spec": spec_text.to_text(spec),
        "compression": check_compression(compression or ""),
        "types": [s.dtype for s in st.component_specs(spec)], "apart": reader_func is not None,
    }  # fmt: skip
    shown = spec if reader_func is None else DatasetSpec(spec)
    handle = SnapshotDataset(
        handle_of(self), as_text(fs_text(path), "path"), [] if traced is None else traced.captured, name=name,
        **attrs, **st.output_attrs(shown),
    )  # fmt: skip
    made = transformed(self, handle, shown, "_SnapshotDataset")
    return made if reader_func is None else read_by(reader_func, made)
