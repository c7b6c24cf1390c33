"""Dtypes, shapes and tensors of messages, checked."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from graphrt import errors
from graphrt.ir.attributes import MAX_RANK
from graphrt.types.dtype import BY_ENUM, DType
from graphrt.types.float_warnings import silently
from graphrt.types.likes import Array
from graphrt.types.limits import current, remedy
from graphrt.types.shape import Dims

_FILLED_LIMIT = 1 << 24  # elements: a larger array is not made from a handful of values


def refuse(why: str) -> NoReturn:
    raise errors.InvalidArgumentError(None, None, f"invalid GraphDef: {why}")


# --- values ----------------------------------------------------------------------------------------------------------
def read_dtype(number: int, what: str) -> DType:
    """The dtype with this number.

    Raises:
      InvalidArgumentError: there is none here.
    """
    found = BY_ENUM.get(number)
    if found is None:
        refuse(f"{what}: dtype number {number} is not supported")
    return found


def read_dims(message: Any, what: str) -> Dims:
    """A `TensorShapeProto` as a static shape.

    Raises:
      InvalidArgumentError: a dimension below -1, or too many of them.
    """
    if message.unknown_rank:
        if len(message.dim):
            refuse(f"{what}: a shape of unknown rank has dimensions")
        return None
    if len(message.dim) > MAX_RANK:
        refuse(f"{what}: a shape of {len(message.dim)} dimensions")
    if any(d.size < -1 for d in message.dim):
        refuse(f"{what}: a negative dimension")
    return tuple(None if d.size == -1 else d.size for d in message.dim)


_FIELDS = {
    "float32": "float_val", "float64": "double_val", "int32": "int_val", "int16": "int_val", "int8": "int_val",
    "uint8": "int_val", "uint16": "int_val", "int64": "int64_val", "uint32": "uint32_val", "uint64": "uint64_val",
    "bool": "bool_val", "string": "string_val", "complex64": "scomplex_val", "complex128": "dcomplex_val",
    "float16": "half_val", "bfloat16": "half_val", "qint8": "int_val", "quint8": "int_val", "qint16": "int_val",
    "quint16": "int_val", "qint32": "int_val",
}  # fmt: skip


def read_tensor(message: Any, what: str) -> Array:
    """A `TensorProto` as an array (a NumPy scalar when it has no dimensions).

    Fewer values than elements: the last one repeats; none: zeros.

    Raises:
      InvalidArgumentError: shape, size or values do not fit.
    """
    dtype = read_dtype(message.dtype, what)
    dims = read_dims(message.tensor_shape, what)
    if dims is None or None in dims:
        refuse(f"{what}: a tensor whose shape is not fully known")
    if dtype.kind == "O":
        raise errors.UnimplementedError(None, None, f"invalid GraphDef: {what}: a constant of dtype {dtype.name}")
    size = 1
    for d in dims:
        size *= int(d or 0)
    if size > current().elements:
        refuse(f"{what}: a tensor of shape {list(dims)} has {size} elements, {remedy('elements', size)}")
    if message.tensor_content and dtype.kind == "S":
        array = _strings_of(message.tensor_content, size, what)
    elif message.tensor_content:
        array = _from_content(message.tensor_content, dtype, size, what)
    else:
        array = _from_values(message, dtype, size, what)
    array = array.reshape([int(d or 0) for d in dims])
    return array if dims or dtype.kind == "S" else array[()]


def varint(value: int) -> bytes:
    """A number of 64 bits at most, seven bits to a byte, the lowest first."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that begins at `at` in seven bits a byte, lowest first, and where the next thing begins.

    Raises:
      IndexError: the bytes end in it.
      ValueError: it is longer than 64 bits.
    """
    found = shift = 0
    while True:
        byte = data[at]
        at += 1
        found |= (byte & 0x7F) << shift
        if byte < 0x80:
            return found, at
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than 64 bits")


def _strings_of(raw: bytes, size: int, what: str) -> Array:
    """The strings of a tensor's content: first all their lengths, then all their bytes."""
    at, lengths = 0, []
    if size > len(raw):
        refuse(f"{what}: {len(raw)} bytes cannot hold {size} strings")
    try:
        for _ in range(size):
            length, at = read_varint(raw, at)
            lengths.append(length)
    except (IndexError, ValueError):
        refuse(f"{what}: its content does not hold {size} strings")
    if at + sum(lengths) != len(raw):
        refuse(f"{what}: strings of {sum(lengths)} bytes in {len(raw) - at}")
    found = np.empty(size, object)
    for i, length in enumerate(lengths):
        found[i] = raw[at : at + length]
        at += length
    return found


def _from_content(raw: bytes, dtype: DType, size: int, what: str) -> Array:
    numpy_type = np.dtype(dtype.as_numpy_dtype)
    if len(raw) != size * numpy_type.itemsize:
        refuse(f"{what}: tensor_content of {len(raw)} bytes for {size} elements of {dtype.name}")
    if dtype.kind == "b":
        return np.frombuffer(raw, np.uint8) != 0
    return np.frombuffer(raw, numpy_type.newbyteorder("<")).astype(numpy_type)


def _from_values(message: object, dtype: DType, size: int, what: str) -> Array:
    values = getattr(message, _FIELDS[dtype.name])
    numpy_type = dtype.as_numpy_dtype
    if dtype.kind == "S":
        strings = list(values)[:size] or [b""]
        found = np.empty(len(strings), object)
        found[:] = strings
        return _filled(found, size, what)
    if dtype.kind == "c":
        parts = np.asarray(values, np.float32 if dtype.size == 8 else np.float64)
        if parts.size % 2:
            refuse(f"{what}: half a complex number")
        found = np.empty(parts.size // 2, numpy_type)
        found.real, found.imag = parts[0::2], parts[1::2]
    elif dtype.name in ("float16", "bfloat16"):
        bits = np.asarray(values, np.int64)
        if bits.size and (bits.min() < 0 or bits.max() > 0xFFFF):
            refuse(f"{what}: half_val out of range")
        found = bits.astype(np.uint16).view(numpy_type)
    else:
        wide = np.asarray(list(values), np.float64 if dtype.kind == "f" else np.int64 if dtype.name != "uint64" else
                          np.uint64)  # fmt: skip
        if dtype.kind in "iu" and wide.size and (int(wide.min()) < dtype.min or int(wide.max()) > dtype.max):
            refuse(f"{what}: a value out of the range of {dtype.name}")
        found = silently(wide.astype, numpy_type)
    return _filled(found, size, what)


def _filled(found: Array, size: int, what: str) -> Array:
    if found.size >= size:
        return found[:size]
    if found.size <= 1:  # one value for all takes no memory, so that a small file cannot ask for much
        return np.broadcast_to(found if found.size else np.zeros(1, found.dtype), (size,))
    if size > _FILLED_LIMIT:
        refuse(f"{what}: {found.size} values for {size} elements")
    array = np.empty(size, found.dtype)
    array[: found.size] = found
    array[found.size :] = found[-1]
    return array
