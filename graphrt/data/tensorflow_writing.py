"""What `Dataset.save` writes: directories as TensorFlow's, which `tensorflow_files` describes and reads."""

from __future__ import annotations

import contextlib
import functools
import gzip
import itertools
import os
import struct
import sys
import time
import uuid
import zlib
from typing import Any

import numpy as np

from graphrt.data import structure as st
from graphrt.data.pipeline import Element
from graphrt.data.readers.tfrecords import framed_many
from graphrt.data.saved_files import METADATA_FILE, SPEC_FILE, valid_run
from graphrt.data.snappy import compressed
from graphrt.data.tensorflow_files import SPEC_MESSAGE, VERSION
from graphrt.graphdef.export import write_shape
from graphrt.graphdef.read_values import varint
from graphrt.graphdef.schema import message_class
from graphrt.graphdef.structured_values import UnwritableValue, encoded
from graphrt.ops.io.whole_files import alone, naming, remove_tree, replaced
from graphrt.types.dtype import DType, variant
from graphrt.types.likes import Array
from graphrt.types.spec import TensorSpec

_MANY = 512  # records, or
_AHEAD = 1 << 16  # bytes, that are written at once
_RUNS = 1 << 63
_CONTENT = b"\x22"  # the tag of `tensor_content`, which ends a tensor's message


class SavedWriter:
    """Writes elements into shards of a new run, which becomes valid with `finish`."""

    def __init__(self, path: str, spec: Any, compression: str) -> None:
        self._path, self._spec, self._compression = (
            path,
            encoded(spec).SerializeToString(deterministic=True),
            compression,
        )
        self._leaves = [(leaf, _parts_of(leaf)) for leaf in st.walk(spec) if not isinstance(leaf, st.NoneTensorSpec)]
        if not self._leaves:
            raise UnwritableValue("elements without tensors")
        self._name = str(uuid.uuid4().int % _RUNS)
        self._run = os.path.join(path, self._name)
        self._count = 0
        self._shards: dict[int, _Shard] = {}
        os.makedirs(self._run)

    def write(self, element: Element, shard: int) -> None:
        """Adds an element to the shard of this number."""
        if shard not in self._shards:
            folder = os.path.join(self._run, f"{shard % (1 << 64):08d}.shard")
            os.makedirs(folder)
            self._shards[shard] = _Shard(os.path.join(folder, "00000000.snapshot"), self._compression)
        parts = iter(element)
        self._shards[shard].add([_record(leaf, [next(parts) for _ in range(count)]) for leaf, count in self._leaves])
        self._count += 1

    def finish(self) -> None:
        """Makes the run the valid one; one that cannot become it is abandoned."""
        try:
            for shard in self._shards.values():
                shard.close()
            with open(os.path.join(self._run, SPEC_MESSAGE), "wb") as file:  # what is read is one run, whatever comes
                file.write(self._spec)
            alone(self._path, self._put)  # of several that write at once the last one stays
        except BaseException:
            if valid_run(self._path) != self._name:
                self.abandon()
            raise

    def _put(self) -> None:
        before = valid_run(self._path)
        with replaced(os.path.join(self._path, SPEC_MESSAGE)) as file:
            file.write(self._spec)
        told = message_class("SnapshotMetadataRecord")(
            run_id=self._name, creation_timestamp=time.time_ns() // 1000, version=VERSION, num_elements=self._count,
            dtype=[_dtype_of(leaf).as_datatype_enum for leaf, _ in self._leaves], finalized=True,
        )  # fmt: skip
        with replaced(os.path.join(self._path, METADATA_FILE)) as file:
            file.write(told.SerializeToString())
        older = os.path.join(self._path, SPEC_FILE)
        if os.path.exists(older):
            os.unlink(older)
        if before is not None:
            remove_tree(os.path.join(self._path, before))

    def abandon(self) -> None:
        """Leaves the directory as it was."""
        naming(self._path)
        for shard in self._shards.values():
            shard.abandon()
        remove_tree(self._run)


class _Shard:
    """A file of records, which are written many at a time."""

    def __init__(self, name: str, compression: str) -> None:
        self._file: Any = {"GZIP": _Gzip, "ZLIB": _Zlib, "SNAPPY": _Snappy, "": _Plain}[compression](name)
        self._waiting: list[bytes] = []
        self._size = 0

    def add(self, records: list[bytes]) -> None:
        self._waiting += records
        self._size += sum(map(len, records))
        if self._size > _AHEAD or len(self._waiting) > _MANY:
            self._write()

    def _write(self) -> None:
        waiting, self._waiting, self._size = self._waiting, [], 0
        self._file.write(framed_many(waiting))

    def close(self) -> None:
        if self._waiting:
            self._write()
        self._file.close()

    def abandon(self) -> None:
        """Closes the file, which nobody will read: what it lacks is not written, and may find no room."""
        with contextlib.suppress(OSError):
            self._file.close()


class _Plain:
    """A file of bytes as they are."""

    def __init__(self, name: str) -> None:
        self._file = open(name, "wb")  # noqa: SIM115  closed by `close`

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def close(self) -> None:
        self._file.close()


class _Gzip(_Plain):
    def __init__(self, name: str) -> None:
        self._file = gzip.open(name, "wb", compresslevel=6)  # type: ignore[assignment]  # noqa: SIM115  as above


class _Zlib(_Plain):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._stream = zlib.compressobj()

    def write(self, data: bytes) -> None:
        super().write(self._stream.compress(data))

    def close(self) -> None:
        try:
            if not self._file.closed:
                super().write(self._stream.flush())
        finally:
            super().close()


class _Snappy(_Plain):
    def write(self, data: bytes) -> None:
        for begin in range(0, len(data), _AHEAD):
            block = compressed(data[begin : begin + _AHEAD])
            super().write(struct.pack(">I", len(block)) + block)


# --- parts of elements as messages -----------------------------------------------------------------------------------
def _parts_of(leaf: Any) -> int:
    return 1 if isinstance(leaf, TensorSpec) else len(leaf.component_specs)


def _dtype_of(leaf: Any) -> DType:
    return leaf.dtype if isinstance(leaf, TensorSpec) else variant


def _record(leaf: Any, parts: list[Any]) -> bytes:
    """One part of an element, as its spec tells, as a `TensorProto`."""
    if isinstance(leaf, TensorSpec):
        return _tensor(np.asarray(parts[0]), leaf.dtype)
    specs = leaf.component_specs
    written = [_tensor(np.asarray(p), s.dtype) for p, s in zip(parts, specs, strict=True)]
    if getattr(leaf, "ragged_rank", None) is not None:
        flat, *splits = written
        return _variants([], [_variant("RaggedTensorVariant", [*splits, flat])])
    return _variants([len(written)], [_variant("tensorflow::Tensor", [part]) for part in written])


def _tensor(array: Array, dtype: DType) -> bytes:
    if array.dtype == object:
        texts = [bytes(t) for t in array.flat]
        content = b"".join(itertools.chain(map(varint, map(len, texts)), texts))
    else:
        content = (array if sys.byteorder == "little" else array.byteswap()).tobytes()
    return _message(dtype, array.shape, content)


def _variant(name: str, tensors: list[bytes]) -> bytes:
    told = message_class("VariantTensorDataProto")(type_name=name)
    return told.SerializeToString() + b"".join(b"\x1a" + varint(len(t)) + t for t in tensors)


def _variants(dims: list[int], found: list[bytes]) -> bytes:
    content = b"".join(itertools.chain((varint(len(f)) for f in found), found))
    return _message(variant, tuple(dims), content)


def _message(dtype: DType, dims: tuple[int, ...], content: bytes) -> bytes:
    """A `TensorProto` with its elements in `tensor_content`."""
    begin = _begin(dtype.as_datatype_enum, dims)
    return begin + _CONTENT + varint(len(content)) + content if content else begin


# state: a pure function of few arguments
@functools.lru_cache(maxsize=256)
def _begin(dtype: int, dims: tuple[int, ...]) -> bytes:
    head = message_class("TensorProto")(dtype=dtype)
    write_shape(head.tensor_shape, dims)
    return bytes(head.SerializeToString())
