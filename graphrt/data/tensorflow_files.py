"""Datasets that TensorFlow's `Dataset.save` wrote.

    path/dataset_spec.pb                the spec of the elements
    path/snapshot.metadata              the name of the run, and the number of its elements
    path/<run>/00000000.shard/*         TFRecords: a `TensorProto` for each part of an element

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
from graphrt.data.snappy import Blocks
from graphrt.graphdef.read_values import read_tensor, read_varint
from graphrt.graphdef.schema import message_class
from graphrt.graphdef.structured_values import read_value
from graphrt.ops.io.crc32c import masked_crc32c
from graphrt.ops.ragged.tensor import RaggedTensorSpec
from graphrt.ops.sparse.tensor import SparseTensorSpec
from graphrt.types.likes import Array
from graphrt.types.limits import check_bytes
from graphrt.types.spec import TensorSpec

_SPEC_FILE = "dataset_spec.pb"
_METADATA_FILE = "snapshot.metadata"
_VERSION = 2  # of files of TFRecords
_SHARD = re.compile(r"\d+\.shard")
_FILE = re.compile(r"\d+\.snapshot")
_DAMAGE = (errors.OpError, OSError, ValueError, TypeError, IndexError, KeyError, DecodeError)


def is_there(path: str) -> bool:
    """Whether TensorFlow saved a dataset at `path`, and none of here was saved over it."""
    if not os.path.isfile(os.path.join(path, _SPEC_FILE)):
        return False
    try:
        with open(os.path.join(path, _METADATA_FILE), "rb") as file:
            return file.read(1) != b"{"  # of here, it is JSON
    except OSError:
        return True


def _message(path: str, name: str, kind: str) -> Any:
    file = os.path.join(path, name)
    try:
        check_bytes(os.path.getsize(file), file)
        with open(file, "rb") as data:
            return message_class(kind).FromString(data.read())  # type: ignore[attr-defined]
    except FileNotFoundError:
        raise errors.NotFoundError(None, None, f"there is no saved dataset at {path}: {name} is missing") from None
    except (OSError, DecodeError) as error:
        raise errors.DataLossError(None, None, f"{file} cannot be read: {error}") from None


def read_spec(path: str) -> Any:
    """The spec of the elements of the dataset that TensorFlow saved at `path`.

    Raises:
      DataLossError: the file is damaged.
      UnimplementedError: they are of a kind that is not known here.
    """
    file = os.path.join(path, _SPEC_FILE)
    try:
        spec = read_value(_message(path, _SPEC_FILE, "StructuredValue"), file)
        leaves = list(st.walk(spec))
    except errors.InvalidArgumentError as error:
        raise errors.DataLossError(None, None, f"{file} cannot be read: {error.message}") from None
    for leaf in leaves:
        if not isinstance(leaf, (TensorSpec, RaggedTensorSpec, SparseTensorSpec)):
            raise errors.UnimplementedError(None, None, f"{file}: elements with {leaf!r} cannot be read")
    return spec


class SavedShard(Source):
    """One shard of a dataset that TensorFlow saved."""

    __slots__ = ("leaves", "names")

    def __init__(self, names: list[str], leaves: list[Any]) -> None:
        self.names, self.leaves = names, leaves

    def open(self, run: Run) -> Iterator[Element]:
        for name in self.names:
            try:
                yield from self._elements(name)
            except _DAMAGE as error:
                raise errors.DataLossError(None, None, f"{name} cannot be read: {error}") from None

    def _elements(self, name: str) -> Iterator[Element]:
        kind = message_class("TensorProto")
        with _uncompressed(name) as file:
            records = checked_records(file, name)
            while True:
                element: list[Any] = []
                for place, leaf in enumerate(self.leaves):
                    record = next(records, None)
                    if record is None:
                        if place:
                            raise ValueError("it ends in the middle of an element")
                        return
                    element += _parts(kind.FromString(record), leaf, name)  # type: ignore[attr-defined]
                yield tuple(element)
                if not self.leaves:
                    return


class SavedShards(Source):
    """The shards of a dataset that TensorFlow saved, as datasets; or their elements in turn."""

    __slots__ = ("apart", "path")

    def __init__(self, path: str, apart: bool) -> None:
        self.path, self.apart = path, apart

    def _told(self) -> Any:
        told = _message(self.path, _METADATA_FILE, "SnapshotMetadataRecord")
        file = os.path.join(self.path, _METADATA_FILE)
        if not told.run_id.isalnum():  # it is a name, and nothing that leads elsewhere
            raise errors.DataLossError(None, None, f"{file} names no run of this directory")
        if told.version != _VERSION:
            raise errors.UnimplementedError(None, None, f"{file}: files of version {told.version} cannot be read")
        if not told.finalized:
            raise errors.FailedPreconditionError(None, None, f"{file}: the dataset was not saved to its end")
        return told

    def _shards(self) -> list[SavedShard]:
        leaves = list(st.walk(read_spec(self.path)))
        run = os.path.join(self.path, self._told().run_id)
        found = sorted(n for n in _listed(run) if _SHARD.fullmatch(n))
        shards = [os.path.join(run, name) for name in found]
        return [
            SavedShard([os.path.join(s, n) for n in sorted(_listed(s)) if _FILE.fullmatch(n)], leaves) for s in shards
        ]

    def open(self, run: Run) -> Iterator[Element]:
        shards = self._shards()
        if self.apart:
            yield from ((s,) for s in shards)
            return
        yield from in_turn([s.open(run) for s in shards])

    def count(self) -> int:
        return len(self._shards()) if self.apart else max(int(self._told().num_elements), 0)


def _listed(folder: str) -> list[str]:
    return os.listdir(folder) if os.path.isdir(folder) else []


def _uncompressed(name: str) -> Any:
    with open(name, "rb") as file:
        begin = file.read(12)
    if begin[:2] == b"\x1f\x8b":
        return opened(name, "GZIP")
    if not begin or masked_crc32c(begin[:8]) == int.from_bytes(begin[8:], "little"):
        return opened(name, "")
    return Blocks(opened(name, ""))


# --- parts of elements -----------------------------------------------------------------------------------------------
def _parts(message: Any, leaf: Any, name: str) -> list[Array]:
    """The arrays of one part of an element, which its spec says how to read."""
    if isinstance(leaf, TensorSpec):
        found = [read_tensor(message, name)]
    else:
        found = _of_variants(_variants(message), leaf, name)
    wanted = [leaf] if isinstance(leaf, TensorSpec) else leaf.component_specs
    for array, spec in zip(found, wanted, strict=True):
        shape, dtype = np.shape(array), np.asarray(array).dtype
        if dtype != spec.dtype.as_numpy_dtype or not spec.shape.is_compatible_with(shape):
            raise ValueError(f"a tensor of shape {list(shape)} and dtype {dtype} where {spec!r} is told")
    return found


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
