"""Tensors by name in files: the format of TensorFlow's checkpoints ("tensor bundle").

    prefix.index                  a sorted table: name -> dtype, shape, place and checksum of the tensor; "" -> a header
    prefix.data-00000-of-00001    the tensors, one after the other

    with Bundle("/tmp/ckpt") as bundle: bundle.read("w")

Format: tensorflow/core/protobuf/tensor_bundle.proto. Every length that a file claims is compared with the file before
memory is taken, and every checksum is verified when a tensor is read.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.typing import NDArray

from autograph.backends import Progress
from graphrt import errors
from graphrt.graphdef.export import write_shape
from graphrt.graphdef.read_values import read_dims, read_dtype, varint
from graphrt.graphdef.schema import message_class
from graphrt.ops.io.crc32c import Checksum, masked, masked_crc32c
from graphrt.ops.io.files import told
from graphrt.ops.io.whole_files import alone, naming, regular, replaced, stands
from graphrt.saving.sorted_table import Cursor, read_table, write_table
from graphrt.saving.tensor_slices import Slice, key_of_slice, places, read_slice, sliced
from graphrt.types.dtype import DType, from_numpy, variant
from graphrt.types.shape import Dims

__all__ = ["Bundle", "write_bundle"]

_LIMIT = 1 << 31  # bytes of an index, which is held in memory
_TRIES = 100  # of reading what others replace all the time
_BLOCK = 1 << 20  # bytes that are read or written, and checked, while the processor has them near
_LARGE_PAGE = 2 << 20  # bytes
_OPENED = 2  # files of data that are opened together with the index: those that `write_bundle` makes


def _shard(prefix: str, number: int, count: int) -> str:
    return f"{prefix}.data-{number:05d}-of-{count:05d}"


# --- writing ---------------------------------------------------------------------------------------------------------
def _string_bytes(values: NDArray[Any]) -> tuple[bytes, int]:
    """Strings as a file holds them: lengths, their checksum, the bytes; and the checksum of it all."""
    items = [v if isinstance(v, bytes) else str(v).encode() for v in values.reshape(-1).tolist()]
    # the checksum is of the lengths as whole numbers, which a file holds as varints
    lengths = np.array([len(i) for i in items], "<u4").tobytes()
    check = masked_crc32c(lengths).to_bytes(4, "little")
    body = b"".join(items)
    return b"".join(varint(len(i)) for i in items) + check + body, masked_crc32c(lengths + check + body)


def _append(file: BinaryIO, array: NDArray[Any], check: Checksum) -> tuple[int, int]:
    """Writes a tensor; how many bytes it takes, and their checksum."""
    if array.dtype == object:
        data, found = _string_bytes(array)
        file.write(data)
        return len(data), found
    plain = np.ascontiguousarray(array)
    if plain.dtype.byteorder == ">":
        plain = plain.astype(plain.dtype.newbyteorder("<"))
    view = plain.reshape(-1).view(np.uint8).data
    if len(view) <= _BLOCK:
        file.write(view)
        return len(view), masked_crc32c(view)
    check.start()
    for start in range(0, len(view), _BLOCK):
        block = view[start : start + _BLOCK]
        check.add(block)
        file.write(block)
    return len(view), masked(check.value())


def write_bundle(prefix: str, tensors: Mapping[str, NDArray[Any]]) -> None:
    """Writes `tensors` under `prefix`, so that there is, at any moment, what stood there before or the new ones.

    The data goes to a file of a name that no index mentions yet; replacing the index makes it count. Several may write
    at once: each writes its data, and then one after the other puts it in its place.

    Raises:
      OSError: the files cannot be written; what stood there before is unchanged.
    """
    os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
    part = f"{prefix}.data.part{uuid.uuid4().hex}"
    try:
        with open(part, "wb") as file:
            entries = _written(file, tensors)
            file.flush()
            os.fsync(file.fileno())
        alone(os.path.dirname(prefix), lambda: _put(prefix, part, entries))
    finally:
        naming(prefix)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


def _reserve(file: BinaryIO, size: int) -> None:
    """Takes the room of `size` bytes at once, where the system can: it is cheaper than block by block."""
    if size > _BLOCK and hasattr(os, "posix_fallocate"):
        with contextlib.suppress(OSError):  # some file systems cannot; a full one says so when it is written to
            os.posix_fallocate(file.fileno(), 0, size)


def _written(file: BinaryIO, tensors: Mapping[str, NDArray[Any]]) -> list[tuple[bytes, Any]]:
    """Writes the data, and gives what the index says of it, but for the number of the file."""
    entries: list[tuple[bytes, Any]] = []
    at = 0
    check = Checksum()
    total = sum(array.nbytes for array in tensors.values())
    _reserve(file, sum(array.nbytes for array in tensors.values() if array.dtype != object))
    with Progress("saving", total, "B", after=1.0) as progress:
        for name in sorted(tensors, key=str.encode):
            array = np.asarray(tensors[name])
            size, found = _append(file, array, check)
            entry = message_class("BundleEntryProto")(offset=at, size=size, crc32c=found)
            entry.dtype = from_numpy(array.dtype).as_datatype_enum
            write_shape(entry.shape, array.shape)
            entries.append((name.encode(), entry))
            at += size
            progress.step(name, array.nbytes)
    return entries


def _put(prefix: str, part: str, entries: list[tuple[bytes, Any]]) -> None:
    """Puts a file of data in its place, and then an index of it."""
    old = _existing_shards(prefix)
    number, count = (1, 2) if _shards_now(prefix) == 1 else (0, 1)  # a killed process may have left the other one
    header = message_class("BundleHeaderProto")(num_shards=count)
    header.version.producer = 1
    for _, entry in entries:
        entry.shard_id = number
    data = _shard(prefix, number, count)
    with replaced(f"{prefix}.index") as index:
        index.write(write_table([(b"", header.SerializeToString()), *((k, e.SerializeToString()) for k, e in entries)]))
        os.replace(part, data)
    for path in old - {data}:
        os.unlink(path)


def _shards_now(prefix: str) -> int:
    """How many files of data the index that stands there names; 0 without one that can be read."""
    try:
        with Bundle(prefix) as bundle:
            return bundle.shards
    except errors.OpError:
        return 0


def _existing_shards(prefix: str) -> set[str]:
    folder, name = os.path.split(prefix)
    return {
        os.path.join(folder, f) for f in os.listdir(folder or ".")
        if f.startswith(f"{name}.data-") and ".part" not in f
    }  # fmt: skip


# --- reading ---------------------------------------------------------------------------------------------------------
def _room(size: int) -> NDArray[np.uint8]:
    """Bytes to be read into; many of them begin where a large page does, so that the system gives them in large ones."""
    if size < 2 * _LARGE_PAGE:
        return np.empty(size, np.uint8)
    whole = np.empty(size + _LARGE_PAGE, np.uint8)
    start = -whole.ctypes.data % _LARGE_PAGE
    return whole[start : start + size]


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


class Entry:
    """What an index says of a tensor."""

    __slots__ = ("check", "dims", "dtype", "offset", "shard", "size", "slices")

    def __init__(
        self, dtype: DType, dims: tuple[int, ...], shard: int, offset: int, size: int, check: int, slices: list[Slice]
    ) -> None:
        self.dtype = dtype
        self.dims = dims
        self.shard = shard
        self.offset = offset
        self.size = size
        self.check = check
        self.slices = slices


class Bundle:
    """A checkpoint opened for reading: a context manager that closes its files.

    Raises:
      NotFoundError: there is no such checkpoint.
      DataLossError: its index is damaged.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._files: dict[int, BinaryIO] = {}
        self._check = Checksum()
        self._progress: Progress | None = None
        index = f"{prefix}.index"
        try:
            for _ in range(_TRIES):
                with open(index, "rb", opener=regular) as file:
                    self._read(file, index)
                    if stands(file.fileno(), index):
                        return
                self.close()  # it was replaced meanwhile, and its data may be gone
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            raise errors.NotFoundError(None, None, f"no checkpoint {prefix!r}: there is no file {index!r}") from None
        except OSError as error:
            raise told(error, index) from None

    def _read(self, file: BinaryIO, index: str) -> None:
        if os.fstat(file.fileno()).st_size > _LIMIT:
            raise errors.ResourceExhaustedError(None, None, f"{index}: more than {_LIMIT} bytes")
        table = read_table(file.read(), index)
        header = self._message("BundleHeaderProto", table.pop(b"", b""), "its header")
        self.shards = header.num_shards
        if not 1 <= self.shards < 100_000:
            self._refuse(f"its header claims {self.shards} files of data")
        if header.endianness:
            raise errors.UnimplementedError(None, None, f"{index}: a checkpoint of big-endian numbers")
        self._raw = {self._text(k): v for k, v in table.items() if k[:1] != b"\0"}
        self._of_slices = {k: v for k, v in table.items() if k[:1] == b"\0"}
        for number in range(self.shards if self.shards <= _OPENED else 0):
            with contextlib.suppress(errors.NotFoundError):  # who needs it is told
                self._open(number)

    def _refuse(self, why: str) -> Any:
        raise errors.DataLossError(None, None, f"{self.prefix}.index: {why}")

    def _text(self, key: bytes) -> str:
        try:
            return key.decode()
        except UnicodeDecodeError:
            return str(self._refuse(f"the name {key[:80]!r} is no text"))

    def _message(self, kind: str, data: bytes, what: str) -> Any:
        message = message_class(kind)()
        try:
            message.ParseFromString(data)
        except Exception as error:  # the class of the error depends on the protobuf runtime
            self._refuse(f"{what} cannot be read: {error}")
        return message

    def __enter__(self) -> Bundle:
        self._progress = Progress("loading", sum(map(_size, self._files.values())), "B", after=1.0)
        self._progress.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.__exit__(kind, error, trace)
            self._progress = None
        self.close()

    def close(self) -> None:
        """Closes the files of data."""
        for file in self._files.values():
            file.close()
        self._files.clear()

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __contains__(self, name: object) -> bool:
        return name in self._raw

    def entry(self, name: str) -> Entry:
        """What the index says of `name`; NotFoundError when it has no such tensor."""
        if name not in self._raw:
            raise errors.NotFoundError(None, None, f"Key {name} not found in checkpoint {self.prefix}")
        return self._entry(self._raw[name], name)

    def _entry(self, data: bytes, name: str) -> Entry:
        message = self._message("BundleEntryProto", data, f"the entry {name!r}")
        what = f"{self.prefix}.index: tensor {name!r}"
        dims: Dims = read_dims(message.shape, what)
        if dims is None or any(d is None for d in dims):
            self._refuse(f"tensor {name!r} has no whole shape")
        whole = tuple(int(d or 0) for d in dims or ())
        dtype = read_dtype(message.dtype, what)
        if dtype is variant:
            raise errors.UnimplementedError(
                None, None,
                f"{what} holds the inside of an object of TensorFlow (of an iterator, say), which only TensorFlow reads: "
                "leave that object out of the checkpoint, or out of what is restored",
            )  # fmt: skip
        if dtype.kind == "O":
            self._refuse(f"tensor {name!r} has the dtype {dtype.name}")
        if message.size < 0 or message.offset < 0 or not 0 <= message.shard_id < self.shards:
            self._refuse(f"tensor {name!r} stands at an impossible place")
        slices = [read_slice(s, whole, what) for s in message.slices]
        return Entry(dtype, whole, message.shard_id, message.offset, message.size, message.crc32c, slices)

    def _bytes(self, entry: Entry, name: str) -> tuple[NDArray[np.uint8], int]:
        """The bytes of a tensor, and their checksum."""
        if entry.shard not in self._files:
            self._open(entry.shard)
        file = self._files[entry.shard]
        if entry.offset + entry.size > _size(file):  # before memory is taken
            self._ends_early(entry, name)
        found = _room(entry.size)
        view = found.data
        self._check.start()
        try:
            file.seek(entry.offset)
            for start in range(0, len(view), _BLOCK):
                block = view[start : start + _BLOCK]
                if file.readinto(block) < len(block):  # type: ignore[attr-defined]
                    self._ends_early(entry, name)
                if len(view) > _BLOCK:
                    self._check.add(block)
        except OSError as error:
            raise told(error, file.name) from None
        return found, masked(self._check.value()) if len(view) > _BLOCK else masked_crc32c(view)

    def _ends_early(self, entry: Entry, name: str) -> NoReturn:
        path, held = _shard(self.prefix, entry.shard, self.shards), _size(self._files[entry.shard])
        text = f"{path}: tensor {name!r} of {entry.size} bytes at {entry.offset} ends behind the file ({held} bytes)"
        raise errors.DataLossError(None, None, text)

    def _open(self, number: int) -> None:
        path = _shard(self.prefix, number, self.shards)
        try:
            self._files[number] = open(path, "rb", opener=regular)  # noqa: SIM115
        except (OSError, ValueError) as error:
            raise errors.NotFoundError(None, None, f"{path}: {error}") from None

    def read(self, name: str) -> NDArray[Any]:
        """The tensor `name`.

        Raises:
          NotFoundError: there is none, or its file is missing.
          DataLossError: it is damaged.
        """
        entry = self.entry(name)
        return self._joined(entry, name) if entry.slices else self._array(entry, name)

    def read_part(self, name: str, part: str) -> NDArray[Any]:
        """The part of the tensor `name` that an op which restores asks for, "4 3 0,2:-"; "" for all of it.

        Raises:
          NotFoundError, DataLossError: as `read`.
        """
        return np.array(sliced(self.read(name), part, f"{self.prefix}: tensor {name!r}"))

    def _joined(self, entry: Entry, name: str) -> NDArray[Any]:
        """A tensor that is stored in parts."""
        what = f"{self.prefix}.index: tensor {name!r}"
        parts = []
        for part in entry.slices:
            key = key_of_slice(name, part)
            if key not in self._of_slices:
                self._refuse(f"tensor {name!r} lacks the part {part}")
            held = self._entry(self._of_slices[key], name)
            at = places(part, entry.dims, what)
            if held.slices or held.dtype is not entry.dtype or held.dims != tuple(s.stop - s.start for s in at):
                self._refuse(f"tensor {name!r} has the part {part} of another shape or dtype")
            parts.append((at, self._array(held, name)))
        size = 1
        for d in entry.dims:
            size *= d
        if sum(array.size for _, array in parts) != size:  # before memory is taken
            self._refuse(f"the parts of tensor {name!r} are not all of it")
        found = np.empty(entry.dims, entry.dtype.as_numpy_dtype)
        missing = np.ones(entry.dims, np.bool_)
        for at, array in parts:
            found[at] = array
            missing[at] = False
        if missing.any():
            self._refuse(f"the parts of tensor {name!r} are not all of it")
        return found

    def _array(self, entry: Entry, name: str) -> NDArray[Any]:
        if self._progress is not None:
            self._progress.step(name, entry.size)
        size = 1
        for d in entry.dims:
            size *= d
        if entry.dtype.kind == "S":
            data, _ = self._bytes(entry, name)
            return _read_strings(data.data, size, entry, f"{self.prefix}: tensor {name!r}").reshape(entry.dims)
        numpy_type = np.dtype(entry.dtype.as_numpy_dtype)
        if size * numpy_type.itemsize != entry.size:
            self._refuse(f"tensor {name!r} of shape {list(entry.dims)} takes {entry.size} bytes")
        data, check = self._bytes(entry, name)
        if check != entry.check:
            raise errors.DataLossError(None, None, f"{self.prefix}: the checksum of tensor {name!r} is wrong")
        found: NDArray[Any] = data != 0 if entry.dtype.kind == "b" else data.view(numpy_type)
        return found.reshape(entry.dims)


def _read_strings(view: memoryview, count: int, entry: Entry, what: str) -> NDArray[Any]:
    if count > len(view):
        raise errors.DataLossError(None, None, f"{what}: {count} strings in {len(view)} bytes")
    cursor = Cursor(view, 0, what)
    lengths = [cursor.varint() for _ in range(count)]
    at = cursor.at
    if at + 4 + sum(lengths) != len(view):
        raise errors.DataLossError(None, None, f"{what}: {sum(lengths)} bytes of strings in {len(view)}")
    widths = [4 if n < 1 << 32 else 8 for n in lengths]
    told = b"".join(n.to_bytes(w, "little") for n, w in zip(lengths, widths))
    if masked_crc32c(told + bytes(view[at:])) != entry.check or masked_crc32c(told) != int.from_bytes(
        view[at : at + 4], "little"
    ):
        raise errors.DataLossError(None, None, f"{what}: the checksum of its strings is wrong")
    at += 4
    found = np.empty(count, object)
    for i, length in enumerate(lengths):
        found[i] = bytes(view[at : at + length])
        at += length
    return found
