"""Datasets on disk: what `save` and `snapshot` write, and `load` reads.

    path/dataset_spec.json              the spec of the elements
    path/snapshot.metadata              which run is valid: its name, the number of elements, the compression
    path/<run>/00000000.shard/*         the elements, one file a shard

A run is written under a name of its own, and becomes valid when it is whole: readers never see half of one.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import json
import os
import uuid
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np
from google.protobuf.message import DecodeError

from graphrt import errors
from graphrt.data.array_files import read_arrays, write_array
from graphrt.data.dataset import Dataset
from graphrt.data.pipeline import Element, Run, Source, explain, function_of, in_turn
from graphrt.data.readers.files import opened
from graphrt.data.structured_function import Traced, trace
from graphrt.graphdef.schema import message_class
from graphrt.ir.graph import Graph
from graphrt.ops.io.files import local_path, telling
from graphrt.ops.io.whole_files import alone, naming, regular, remove_tree, replaced
from graphrt.ops.math.casting import cast
from graphrt.types.dtype import DType, int64
from graphrt.types.likes import PathLike, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.spec import TensorSpec

SPEC_FILE = "dataset_spec.json"
METADATA_FILE = "snapshot.metadata"
_METADATA = {"run": str, "count": int, "shards": int, "compression": str}
_MOST_TOLD = 1 << 16  # bytes in which a run is told
_TRIES = 100  # of reading what others replace all the time
MOST_COMPRESSED = 1032  # bytes that a byte of DEFLATE may stand for
_Told = TypeVar("_Told")
COMPRESSIONS = ("", "NONE", "AUTO", "GZIP", "SNAPPY", "ZLIB")


def check_compression(word: str) -> str:
    """`word` as the name of a compression that is written; InvalidArgumentError when there is none of that name."""
    if word not in COMPRESSIONS:
        raise errors.InvalidArgumentError(
            None, None, f"Unsupported compression {word!r}: one of {', '.join(c for c in COMPRESSIONS if c)} is known"
        )
    return "" if word in ("NONE", "AUTO") else word


def _created(path: str, compression: str) -> Any:
    return gzip.open(path, "wb", compresslevel=6) if compression else open(path, "wb")


class Writer:
    """Writes elements into shards of a new run, which becomes valid with `finish`."""

    def __init__(self, path: str, spec: str, compression: str) -> None:
        self.path = path
        self.spec = spec
        self.compression = "GZIP" if compression else ""
        self.name = uuid.uuid4().hex
        self.count = 0
        self.shards: dict[int, Any] = {}
        os.makedirs(os.path.join(path, self.name))

    def write(self, element: Element, shard: int) -> None:
        if shard not in self.shards:
            directory = os.path.join(self.path, self.name, f"{len(self.shards):08d}.shard")
            os.makedirs(directory)
            self.shards[shard] = _created(os.path.join(directory, "00000000.snapshot"), self.compression)
        for value in element:
            write_array(self.shards[shard], value)
        self.count += 1

    def finish(self) -> None:
        """Makes the run the valid one; one that cannot become it is abandoned."""
        try:
            for file in self.shards.values():
                file.close()
            alone(self.path, self._put)  # of several that write at once the last one stays
        except BaseException:
            if valid_run(self.path) != self.name:
                self.abandon()
            raise

    def _put(self) -> None:
        before = valid_run(self.path)
        with replaced(os.path.join(self.path, SPEC_FILE)) as file:
            file.write(self.spec.encode())
        told = {"run": self.name, "count": self.count, "shards": len(self.shards), "compression": self.compression}
        with replaced(os.path.join(self.path, METADATA_FILE)) as file:
            file.write(json.dumps(told).encode())
        if before is not None:
            remove_tree(os.path.join(self.path, before))

    def abandon(self) -> None:
        naming(self.path)
        for file in self.shards.values():
            with contextlib.suppress(OSError):  # what is held back may find no room, and nobody will read it
                file.close()
        remove_tree(os.path.join(self.path, self.name))


def valid_run(path: str) -> str | None:
    """The run that is valid at `path`, whoever wrote it; None where there is none, or what tells it is damaged."""
    try:
        with open(os.path.join(path, METADATA_FILE), "rb", opener=regular) as file:
            data = file.read(_MOST_TOLD)
        if data[:1] == b"{":
            told = metadata(path)
            return None if told is None else str(told["run"])
        name = str(message_class("SnapshotMetadataRecord").FromString(data).run_id)  # type: ignore[attr-defined]
    except (OSError, DecodeError, errors.DataLossError):
        return None
    return name if name.isalnum() else None


def metadata(path: str) -> dict[str, Any] | None:
    try:
        with open(os.path.join(path, METADATA_FILE), encoding="utf-8", opener=regular) as file:
            found = json.load(file)
    except FileNotFoundError:
        return None
    except ValueError:
        raise errors.DataLossError(None, None, f"{os.path.join(path, METADATA_FILE)} cannot be read") from None
    whole = isinstance(found, dict) and {k: type(found.get(k)) for k in _METADATA} == _METADATA
    if not whole or min(found["count"], found["shards"]) < 0 or found["compression"] not in COMPRESSIONS:
        raise errors.DataLossError(None, None, f"{os.path.join(path, METADATA_FILE)} holds no {', '.join(_METADATA)}")
    if not found["run"].isalnum():  # it is a name, and nothing that leads elsewhere
        raise errors.DataLossError(None, None, f"{os.path.join(path, METADATA_FILE)} names no run of this directory")
    return dict(found)


def read_spec(path: str) -> str:
    """The description of the elements of the dataset saved at `path`; NotFoundError when there is none."""
    name = os.path.join(path, SPEC_FILE)
    try:
        with open(name, encoding="utf-8", opener=regular) as file:
            return file.read()
    except OSError:
        raise errors.NotFoundError(None, None, f"tf.data snapshot element_spec file not found: {name}.") from None


class Shard(Source):
    """One file of a saved dataset."""

    __slots__ = ("compression", "dtypes", "name")

    def __init__(self, name: str, dtypes: list[DType], compression: str) -> None:
        self.name = name
        self.dtypes = dtypes
        self.compression = compression

    def open(self, run: Run) -> Iterator[Element]:
        return self.elements(self.file())

    def file(self) -> Any:
        """The file, opened; DataLossError when it is not there."""
        try:
            return opened(self.name, "GZIP" if self.compression else "")
        except (errors.OpError, OSError) as error:
            raise self._damage(error) from None

    def elements(self, file: Any) -> Iterator[Element]:
        try:
            with file:
                while element := read_arrays(file, self.dtypes):
                    yield element
        except (errors.OpError, OSError, ValueError) as error:
            raise self._damage(error) from None

    def _damage(self, error: Exception) -> errors.OpError:
        return errors.DataLossError(None, None, f"{self.name} cannot be read: {error}")


class Shards(Source):
    """The shards of a saved dataset, as datasets; or their elements in turn."""

    __slots__ = ("apart", "dtypes", "path")

    def __init__(self, path: str, dtypes: list[DType], apart: bool) -> None:
        self.path = path
        self.dtypes = dtypes
        self.apart = apart

    def _files(self) -> tuple[dict[str, Any], list[Shard]]:
        told = metadata(self.path)
        if told is None:
            raise errors.NotFoundError(None, None, f"there is no saved dataset at {self.path}")
        run = os.path.join(self.path, told["run"])
        if told["shards"] > len(names_in(run)):
            raise errors.DataLossError(None, None, f"{run} holds fewer than the {told['shards']} shards of the dataset")
        names = [os.path.join(run, f"{i:08d}.shard", "00000000.snapshot") for i in range(told["shards"])]
        size = sum(map(size_of, names))
        if self.dtypes and told["count"] > size * (MOST_COMPRESSED if told["compression"] else 1):
            raise errors.DataLossError(
                None, None, f"{run} holds {size} bytes, too few for the {told['count']} elements of the dataset"
            )
        return told, [Shard(name, self.dtypes, told["compression"]) for name in names]

    def open(self, run: Run) -> Iterator[Element]:
        if self.apart:
            yield from ((s,) for s in self._files()[1])
            return
        _, opened = opened_together(self.path, lambda: (0, self._files()[1]))
        try:
            yield from in_turn([shard.elements(file) for shard, file in opened])
        finally:
            _close(opened)

    def count(self) -> int:
        return opened_together(self.path, lambda: (self._counted(), []))[0]

    def _counted(self) -> int:
        told, shards = self._files()
        return len(shards) if self.apart else int(told["count"])


def opened_together(path: str, listed: Callable[[], tuple[_Told, list[Any]]]) -> tuple[_Told, list[tuple[Any, Any]]]:
    """What is told of a run, and its shards with their files: open ones can be read when another takes its place.

    `listed` gives what is told, such as the number of elements, and the shards.
    """
    tries = _TRIES
    while True:
        run = valid_run(path)
        found: list[tuple[Any, Any]] = []
        failed: Exception | None = None
        try:
            told, shards = listed()
            for shard in shards:
                found.append((shard, shard.file()))
        except (errors.OpError, OSError) as error:
            failed = error
        tries -= 1
        if tries == 0 or valid_run(path) == run:  # nobody has put another in its place meanwhile
            if failed is None:
                return told, found
            _close(found)
            try:
                raise failed
            finally:
                del failed  # its traceback holds this frame
        _close(found)


def names_in(folder: str) -> list[str]:
    """What a folder holds; nothing where there is none, or none any more."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def size_of(name: str) -> int:
    """The bytes of a file; 0 where there is none, or none any more."""
    try:
        return os.path.getsize(name)
    except OSError:
        return 0


def _close(found: list[tuple[Any, Any]]) -> None:
    for _, file in found:
        file.close()


def written(
    elements: Iterator[Element], writer: Any, graph: Graph | None, captured: list[Any], path: str
) -> Iterator[Element]:
    """The elements, each after `writer` has written it below `path`."""
    shard_of = None if graph is None else function_of(graph, captured)
    for index, element in enumerate(elements):
        shard = 0
        if shard_of is not None:
            assert graph is not None
            try:
                shard = int(shard_of(*element)[0])
            except errors.OpError as error:
                raise explain(error, graph, index)  # noqa: B904  the same error
        telling(path, functools.partial(writer.write, element, shard), str)
        yield element


def fs_text(path: PathLike) -> Any:
    return local_path(path) if isinstance(path, (str, bytes, os.PathLike)) else path


def sharding(function: Callable[..., Any] | None, method: str, spec: TensorSpec) -> Traced | None:
    if function is None:
        return None
    traced = trace(function, method, [spec], finish=lambda shard: cast(shard, int64))
    if not isinstance(traced.spec, TensorSpec) or traced.spec.dims != ():
        raise TypeError(errors.at_user_line(f"shard_func must give an integer, not {shown(traced.spec)}"))
    return traced


def read_by(reader: Callable[[Any], Any], datasets: Dataset) -> Dataset:
    found = reader(datasets)
    if not isinstance(found, Dataset):
        raise TypeError(errors.at_user_line(f"reader_func must give a dataset, not {shown(found)}"))
    return found


def path_text(value: TensorLike) -> str:
    raw = value.item() if isinstance(value, np.ndarray) else value
    return local_path(raw if isinstance(raw, bytes) else str(raw))


def word_text(value: str) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
