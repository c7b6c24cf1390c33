"""Datasets in the files of TensorFlow's `Dataset.save`, which that of here writes, too (`tensorflow_writing`).

    path/dataset_spec.pb                the spec of the elements
    path/snapshot.metadata              the name of the run, and the number of its elements
    path/<run>/00000000.shard/*         TFRecords: a `TensorProto` for each part of an element

    path/<run>/dataset_spec.pb          the spec once more, where it was written here: of this run, and no other

Parts that are ragged or sparse are one tensor of variants each. Which compression it was is told by the first bytes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.pipeline import Element, Run, Source, in_turn
from graphrt.data.readers.files import opened
from graphrt.data.readers.tfrecords import checked_records
from graphrt.data.saved_files import METADATA_FILE, MOST_COMPRESSED, names_in, opened_together, size_of, valid_run
from graphrt.data.snappy import Blocks
from graphrt.function import extension_type as _extension_type  # noqa: F401  specs in files name such types
from graphrt.graphdef.read_values import read_tensor, read_varint
from graphrt.graphdef.schema import message_class
from graphrt.graphdef.structured_values import read_value
from graphrt.ops.io.crc32c import masked_crc32c
from graphrt.ops.io.whole_files import regular
from graphrt.ops.ragged.tensor import RaggedTensorSpec
from graphrt.ops.sparse.tensor import SparseTensorSpec
from graphrt.types.likes import Array
from graphrt.types.limits import check_bytes
from graphrt.types.nesting import shown
from graphrt.types.spec import NoneTensorSpec, TensorSpec

SPEC_MESSAGE = "dataset_spec.pb"
VERSION = 2  # of files of TFRecords
_SHARD = re.compile(r"\d+\.shard")
_FILE = re.compile(r"\d+\.snapshot")
_DAMAGE = (errors.OpError, OSError, ValueError, TypeError, IndexError, KeyError, DecodeError)


def is_there(path: str) -> bool:
    """Whether TensorFlow saved a dataset at `path`, and none of here was saved over it."""
    if not os.path.isfile(os.path.join(path, SPEC_MESSAGE)):
        return False
    try:
        with open(os.path.join(path, METADATA_FILE), "rb", opener=regular) as file:
            return file.read(1) != b"{"  # of here, it is JSON
    except OSError:
        return True


def _message(path: str, name: str, kind: str) -> Any:
    file = os.path.join(path, name)
    try:
        check_bytes(os.path.getsize(file), file)
        with open(file, "rb", opener=regular) as data:
            return message_class(kind).FromString(data.read())  # type: ignore[attr-defined]
    except FileNotFoundError:
        raise errors.NotFoundError(None, None, f"there is no saved dataset at {path}: {name} is missing") from None
    except (OSError, DecodeError) as error:
        raise errors.DataLossError(None, None, f"{file} cannot be read: {error}") from None


def read_spec(path: str) -> Any:
    """The spec of the elements of the dataset that is saved at `path` in TensorFlow's files.

    Raises:
      DataLossError: the file is damaged.
      UnimplementedError: they are of a kind that is not known here.
    """
    return opened_together(path, lambda: (_spec_in(_spec_folder(path)), []))[0]


def _spec_folder(path: str) -> str:
    """The run that is valid, if it has a spec of its own, or the directory of all runs."""
    run = valid_run(path)
    own = run is not None and os.path.isfile(os.path.join(path, run, SPEC_MESSAGE))
    return os.path.join(path, run) if run is not None and own else path


def _spec_in(folder: str) -> Any:
    file = os.path.join(folder, SPEC_MESSAGE)
    try:
        spec = read_value(_message(folder, SPEC_MESSAGE, "StructuredValue"), file)
        leaves = list(st.walk(spec))
    except errors.InvalidArgumentError as error:
        raise errors.DataLossError(None, None, f"{file} cannot be read: {error.message}") from None
    for leaf in leaves:
        if not isinstance(leaf, (TensorSpec, RaggedTensorSpec, SparseTensorSpec, NoneTensorSpec)):
            raise errors.UnimplementedError(None, None, f"{file}: elements with {shown(leaf)} cannot be read")
    return spec


class SavedShard(Source):
    """One shard of a saved dataset."""

    __slots__ = ("leaves", "names")

    def __init__(self, names: list[str], leaves: list[Any]) -> None:
        self.names, self.leaves = names, leaves

    def open(self, run: Run) -> Iterator[Element]:
        return self.elements(self.file())

    def file(self) -> Any:
        """The files, the first of them opened; DataLossError when one cannot be."""
        found = _Opened(self.names)
        found.begin()
        return found

    def elements(self, opened: Any) -> Iterator[Element]:
        """The elements of the files that `file` gave."""
        with opened:
            while (name := opened.name) is not None:
                try:
                    yield from self._elements(opened.file, name)
                except _DAMAGE as error:
                    raise errors.DataLossError(None, None, f"{name} cannot be read: {error}") from None
                opened.begin()

    def _elements(self, file: Any, name: str) -> Iterator[Element]:
        records = checked_records(file, name)
        parts = [_Part(leaf, name) for leaf in self.leaves if not isinstance(leaf, NoneTensorSpec)]
        while parts:
            element: list[Any] = []
            for place, part in enumerate(parts):
                record = next(records, None)
                if record is None:
                    if place:
                        raise ValueError("it ends in the middle of an element")
                    return
                part.read(record, element)
            yield tuple(element)


class _Opened:
    """Files that are read one after the other."""

    def __init__(self, names: list[str]) -> None:
        self._left = list(names)
        self.name: str | None = None
        self.file: Any = None

    def begin(self) -> None:
        """Opens the next one; its name is None when there is none left."""
        self.close()
        self.name = self._left.pop(0) if self._left else None
        if self.name is not None:
            try:
                self.file = _uncompressed(self.name)
            except _DAMAGE as error:
                raise errors.DataLossError(None, None, f"{self.name} cannot be read: {error}") from None

    def __enter__(self) -> _Opened:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the one that is open."""
        if self.file is not None:
            self.file.__exit__(None, None, None)
            self.file = None


class SavedShards(Source):
    """The shards of a saved dataset, as datasets; or their elements in turn."""

    __slots__ = ("apart", "path")

    def __init__(self, path: str, apart: bool) -> None:
        self.path, self.apart = path, apart

    def _told(self) -> Any:
        told = _message(self.path, METADATA_FILE, "SnapshotMetadataRecord")
        file = os.path.join(self.path, METADATA_FILE)
        if not told.run_id.isalnum():  # it is a name, and nothing that leads elsewhere
            raise errors.DataLossError(None, None, f"{file} names no run of this directory")
        if told.version != VERSION:
            raise errors.UnimplementedError(None, None, f"{file}: files of version {told.version} cannot be read")
        if not told.finalized:
            raise errors.FailedPreconditionError(None, None, f"{file}: the dataset was not saved to its end")
        return told

    def _shards(self) -> list[SavedShard]:
        run = os.path.join(self.path, self._told().run_id)
        own = os.path.isfile(os.path.join(run, SPEC_MESSAGE))
        leaves = list(st.walk(_spec_in(run if own else self.path)))
        found = sorted(n for n in names_in(run) if _SHARD.fullmatch(n))
        shards = [os.path.join(run, name) for name in found]
        return [
            SavedShard([os.path.join(s, n) for n in sorted(names_in(s)) if _FILE.fullmatch(n)], leaves) for s in shards
        ]

    def open(self, run: Run) -> Iterator[Element]:
        if self.apart:
            yield from ((s,) for s in self._shards())
            return
        count = 0
        wanted, opened = opened_together(self.path, lambda: (self._counted(), self._shards()))
        try:
            for element in in_turn([shard.elements(file) for shard, file in opened]):
                count += 1
                yield element
        finally:
            for _, file in opened:
                file.close()
        if count < wanted:
            raise errors.DataLossError(
                None, None, f"{self.path} holds {count} elements, not the {wanted} that were saved"
            )

    def count(self) -> int:
        return opened_together(self.path, lambda: (self._counted(), []))[0]

    def _counted(self) -> int:
        shards = self._shards()
        if self.apart:
            return len(shards)
        count = max(int(self._told().num_elements), 0)
        size = sum(size_of(name) for shard in shards for name in shard.names)
        if count > size * MOST_COMPRESSED:
            raise errors.DataLossError(
                None, None, f"{self.path} holds {size} bytes, too few for the {count} elements of the dataset"
            )
        return count


def _uncompressed(name: str) -> Any:
    with open(name, "rb", opener=regular) as file:
        begin = file.read(12)
    if begin[:2] == b"\x1f\x8b":
        return opened(name, "GZIP")
    if len(begin) > 1 and begin[0] == 0x78 and not int.from_bytes(begin[:2], "big") % 31:
        return opened(name, "ZLIB")
    if not begin or masked_crc32c(begin[:8]) == int.from_bytes(begin[8:], "little"):
        return opened(name, "")
    return Blocks(opened(name, ""))


# --- parts of elements -----------------------------------------------------------------------------------------------
class _Part:
    """Reads one part of each element, as its spec tells."""

    def __init__(self, leaf: Any, name: str) -> None:
        self._leaf, self._name = leaf, name
        self._specs = [leaf] if isinstance(leaf, TensorSpec) else leaf.component_specs
        self._kind = message_class("TensorProto")
        self._begin: bytes | None = None  # of records like the last one, which are read without a look at the rest
        self._size = 0
        self._dims: tuple[int, ...] = ()
        self._numpy = np.dtype(leaf.dtype.as_numpy_dtype)

    def read(self, record: bytes, element: list[Any]) -> None:
        """Adds the arrays of this part to `element`."""
        begin = self._begin
        if begin is not None and len(record) == self._size and record.startswith(begin):
            array = np.frombuffer(record, self._numpy.newbyteorder("<"), offset=len(begin)).astype(self._numpy)
            element.append(array.reshape(self._dims) if self._dims else array[0])
            return
        leaf, message = self._leaf, self._kind.FromString(record)  # type: ignore[attr-defined]
        if isinstance(leaf, TensorSpec):
            found = [read_tensor(message, self._name)]
        else:
            found = _of_variants(_variants(message), leaf, self._name)
        for array, spec in zip(found, self._specs, strict=True):
            dims, dtype = np.shape(array), np.asarray(array).dtype
            if dtype != spec.dtype.as_numpy_dtype or not spec.shape.is_compatible_with(dims):
                raise ValueError(f"a tensor of shape {list(dims)} and dtype {dtype} where {shown(spec)} is told")
        content = message.tensor_content
        if isinstance(leaf, TensorSpec) and content and leaf.dtype.kind in "fiuc" and record.endswith(content):
            self._begin, self._size = record[: len(record) - len(content)], len(record)
            self._dims = np.shape(found[0])
        element += found


def _variants(message: Any) -> list[Any]:
    if not message.tensor_content:
        return list(message.variant_val)
    data, at, sizes = message.tensor_content, 0, []
    count = 1
    for dim in message.tensor_shape.dim:
        count *= dim.size
    for _ in range(count):
        size, at = read_varint(data, at)
        sizes.append(size)
    found = []
    for size in sizes:
        found.append(message_class("VariantTensorDataProto").FromString(data[at : at + size]))  # type: ignore[attr-defined]
        at += size
    return found


def _of_variants(variants: list[Any], leaf: Any, name: str) -> list[Array]:
    if isinstance(leaf, SparseTensorSpec):
        (places,), (values,), (shape,) = ([read_tensor(t, name) for t in v.tensors] for v in variants)
        return [places, values, shape]
    (variant,) = variants
    *splits, flat = [read_tensor(t, name) for t in variant.tensors]
    return [flat, *splits]
