"""Datasets on disk: `save`, `load` and `snapshot`.

    path/dataset_spec.json              the spec of the elements
    path/snapshot.metadata              which run is valid: its name, the number of elements, the compression
    path/<run>/00000000.shard/*         the elements, one file a shard

A run is written under a name of its own, and becomes valid when it is whole: readers never see half of one.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import shutil
import struct
import uuid
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data.files import read_arrays, write_array
from graphrt.data.running import UNKNOWN, Element, Run, Source, Wrapping, explain, function_of, iterate
from graphrt.ir.graph import Graph
from graphrt.ir.op import INTERNAL, OPAQUE, READS, READS_FILES, STATEFUL, WRITES_FILES, define
from graphrt.types.dtype import DType

SPEC_FILE = "dataset_spec.json"
METADATA = "snapshot.metadata"
COMPRESSIONS = ("", "NONE", "AUTO", "GZIP", "SNAPPY", "ZLIB")


def check_compression(word: str) -> str:
    """`word` as the name of a compression that is written; InvalidArgumentError when there is none of that name."""
    if word not in COMPRESSIONS:
        raise errors.InvalidArgumentError(
            None, None, f"Unsupported compression {word!r}: one of {', '.join(c for c in COMPRESSIONS if c)} is known"
        )
    return "GZIP" if word in ("GZIP", "ZLIB", "SNAPPY") else ""


def _opened(path: str, mode: str, compression: str) -> Any:
    return gzip.open(path, mode, compresslevel=6) if compression else open(path, mode)


class _Writer:
    """Writes elements into shards of a new run, which becomes valid with `finish`."""

    def __init__(self, path: str, spec: str, compression: str) -> None:
        self.path = path
        self.spec = spec
        self.compression = compression
        self.name = uuid.uuid4().hex
        self.count = 0
        self.shards: dict[int, Any] = {}
        os.makedirs(os.path.join(path, self.name))

    def write(self, element: Element, shard: int) -> None:
        if shard not in self.shards:
            directory = os.path.join(self.path, self.name, f"{len(self.shards):08d}.shard")
            os.makedirs(directory)
            self.shards[shard] = _opened(os.path.join(directory, "00000000.snapshot"), "wb", self.compression)
        for value in element:
            write_array(self.shards[shard], value)
        self.count += 1

    def close(self) -> None:
        for file in self.shards.values():
            file.close()

    def finish(self, keep_others: bool) -> None:
        """Makes the run the valid one."""
        self.close()
        before = _metadata(self.path)
        _replace(os.path.join(self.path, SPEC_FILE), self.spec)
        told = {"run": self.name, "count": self.count, "shards": len(self.shards), "compression": self.compression}
        _replace(os.path.join(self.path, METADATA), json.dumps(told))
        if before is not None and not keep_others:
            shutil.rmtree(os.path.join(self.path, before["run"]), ignore_errors=True)

    def abandon(self) -> None:
        self.close()
        shutil.rmtree(os.path.join(self.path, self.name), ignore_errors=True)


def _replace(path: str, text: str) -> None:
    part = f"{path}.{os.getpid()}.part"
    with open(part, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(part, path)


def _metadata(path: str) -> dict[str, Any] | None:
    try:
        with open(os.path.join(path, METADATA), encoding="utf-8") as file:
            found = json.load(file)
    except FileNotFoundError:
        return None
    except ValueError:
        raise errors.DataLossError(None, None, f"{os.path.join(path, METADATA)} cannot be read") from None
    name = str(found.get("run"))
    if not name.isalnum():  # it is a name, and nothing that leads elsewhere
        raise errors.DataLossError(None, None, f"{os.path.join(path, METADATA)} names no run of this directory")
    return dict(found)


def read_spec(path: str) -> str:
    """The description of the elements of the dataset saved at `path`; NotFoundError when there is none."""
    name = os.path.join(path, SPEC_FILE)
    try:
        with open(name, encoding="utf-8") as file:
            return file.read()
    except OSError:
        raise errors.NotFoundError(None, None, f"tf.data snapshot element_spec file not found: {name}.") from None


# --- sources ---------------------------------------------------------------------------------------------------------
class Shard(Source):
    """One file of a saved dataset."""

    __slots__ = ("compression", "dtypes", "name")

    def __init__(self, name: str, dtypes: list[DType], compression: str) -> None:
        self.name = name
        self.dtypes = dtypes
        self.compression = compression

    def open(self, run: Run) -> Iterator[Element]:
        try:
            with _opened(self.name, "rb", self.compression) as file:
                while element := read_arrays(file, self.dtypes):
                    yield element
        except (EOFError, zlib.error, gzip.BadGzipFile, struct.error, ValueError) as error:
            raise errors.DataLossError(None, None, f"{self.name} cannot be read: {error}") from None


class Shards(Source):
    """The shards of a saved dataset, as datasets; or their elements in turn."""

    __slots__ = ("apart", "dtypes", "path")

    def __init__(self, path: str, dtypes: list[DType], apart: bool) -> None:
        self.path = path
        self.dtypes = dtypes
        self.apart = apart

    def _files(self) -> tuple[dict[str, Any], list[Shard]]:
        told = _metadata(self.path)
        if told is None:
            raise errors.NotFoundError(None, None, f"there is no saved dataset at {self.path}")
        run = os.path.join(self.path, told["run"])
        names = [os.path.join(run, f"{i:08d}.shard", "00000000.snapshot") for i in range(told["shards"])]
        return told, [Shard(name, self.dtypes, told["compression"]) for name in names]

    def open(self, run: Run) -> Iterator[Element]:
        _, shards = self._files()
        if self.apart:
            yield from ((s,) for s in shards)
            return
        waiting = [s.open(run) for s in shards]
        while waiting:
            for elements in list(waiting):
                element = next(elements, None)
                if element is None:
                    waiting.remove(elements)
                else:
                    yield element

    def count(self) -> int:
        told, shards = self._files()
        return len(shards) if self.apart else int(told["count"])


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
        if _metadata(self.path) is not None:
            yield from Shards(self.path, self.dtypes, False).open(run)
            return
        writer = _Writer(self.path, self.spec, self.compression)
        whole = False
        try:
            yield from _written(self.input.open(run), writer, self.shard_of, self.captured)
            whole = True
        finally:
            writer.finish(False) if whole else writer.abandon()

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
        if _metadata(self.snapshot.path) is None:
            for _ in self.snapshot.open(run):
                pass
        return Shards(self.snapshot.path, self.snapshot.dtypes, True).open(run)

    def count(self) -> int:
        return UNKNOWN


def _written(
    elements: Iterator[Element], writer: _Writer, graph: Graph | None, captured: list[Any]
) -> Iterator[Element]:
    shard_of = None if graph is None else function_of(graph, captured)
    for index, element in enumerate(elements):
        shard = 0
        if shard_of is not None:
            assert graph is not None
            try:
                shard = int(shard_of(*element)[0])
            except errors.OpError as error:
                raise explain(error, graph, index)  # noqa: B904  the same error
        writer.write(element, shard)
        yield element


def fingerprint(source: Any) -> str:
    """A short text that differs between pipelines that do different things."""
    digest = hashlib.sha256()

    def visit(value: Any) -> None:
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


# --- ops -------------------------------------------------------------------------------------------------------------
def _path(value: Any) -> str:
    raw = value.item() if isinstance(value, np.ndarray) else value
    return os.fsdecode(raw) if isinstance(raw, bytes) else str(raw)


def _save(dataset: Source, path: Any, extra: list[Any], *, spec: Any, compression: Any, f: Any) -> None:
    writer = _Writer(_path(path), _word(spec), _word(compression))
    run, elements = iterate(dataset)
    with contextlib.closing(run):
        try:
            for _ in _written(elements, writer, f, extra):
                pass
        except BaseException:
            writer.abandon()
            raise
        finally:
            del elements
    writer.finish(False)


def _word(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


SaveDataset = define(
    "_SaveDataset", "input_dataset: variant, path: string, other_arguments: Targuments... ->",
    attrs="f: python; Targuments: list(type); spec: string; compression: string", infer=lambda c: [], kernel=_save,
    traits=(INTERNAL, STATEFUL, OPAQUE), file_access=WRITES_FILES,
)  # fmt: skip
LoadDataset = define(
    "_LoadDataset", "path: string -> handle: variant",
    attrs="types: list(type); apart: bool = False; output_types: list(type); output_shapes: list(shape)",
    infer=lambda c: (), kernel=lambda path, *, types, apart: Shards(_path(path), types, apart),
    traits=(INTERNAL, STATEFUL, READS, OPAQUE), file_access=READS_FILES,
)  # fmt: skip


def _snapshot(
    dataset: Source, path: Any, extra: list[Any], *, f: Any, spec: Any, compression: Any, apart: bool, types: list[DType],
) -> Source:  # fmt: skip
    made = Snapshot(dataset, _path(path), _word(spec), _word(compression), types, f, extra)
    return SnapshotShards(made) if apart else made


SnapshotDataset = define(
    "_SnapshotDataset", "input_dataset: variant, path: string, other_arguments: Targuments... -> handle: variant",
    attrs="f: python; Targuments: list(type); spec: string; compression: string; apart: bool = False; "
    "types: list(type); output_types: list(type); output_shapes: list(shape)",
    infer=lambda c: (), kernel=_snapshot, traits=(INTERNAL, STATEFUL, READS, OPAQUE),
    file_access=WRITES_FILES,
)  # fmt: skip
