"""ONNX files opened, and the tensors in them: nothing in a file is believed.

A file holds data of its own, or names files beside it that do. Such a file must stand in the directory of the model, or
below it, and is read no further than it is asked for.
"""

from __future__ import annotations

import math
import os
from typing import Any, NoReturn

import numpy as np

from graphrt import errors
from graphrt.export.onnx.schema import DTYPES, message_class
from graphrt.ops.io.whole_files import regular
from graphrt.types import limits
from graphrt.types.dtype import DType, bfloat16, bool_, float16, float32, float64, int32, int64, string
from graphrt.types.likes import Array

_EXTERNAL = 1  # data_location of tensors in other files
_LARGEST = (1 << 31) - 1
_FIELDS = {float32: "float_data", float64: "double_data", int64: "int64_data"}
_FIELDS_BY_NAME = {"uint32": "uint64_data", "uint64": "uint64_data"}


def damaged(where: str, what: str) -> NoReturn:
    """Raises DataLossError: at `where` the file is not what it should be."""
    raise errors.DataLossError(None, None, f"{where}: {what}")


def read_model(path: str) -> Any:
    """The `ModelProto` of a file.

    Raises:
      DataLossError: it is no model.
      NotFoundError: there is no such file.
      ResourceExhaustedError: it is larger than a message, or the limit `bytes`.
    """
    try:
        size = os.path.getsize(path)
        if size > min(_LARGEST, limits.current().bytes):
            limits.exhausted("bytes", f"{path}: the file has {size} bytes", size)
        with open(path, "rb", opener=regular) as file:
            data = file.read(size + 1)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise errors.NotFoundError(None, None, f"there is no ONNX file {path!r}") from None
    return parse_model(data, path)


def parse_model(data: bytes, where: str) -> Any:
    """Bytes as a `ModelProto`; DataLossError when they are none."""
    model: Any = message_class("ModelProto")()
    try:
        model.ParseFromString(data)
    except Exception:  # protobuf has several classes for it
        damaged(where, "these bytes are no ONNX model")
    if not model.HasField("graph") or not model.opset_import:
        damaged(where, "there is no graph, or no version of its ops, in this model")
    return model


def read_tensor(message: Any, where: str, folder: str | None = None) -> Array:
    """The array of a `TensorProto`. `folder` is where data outside of the file may be.

    Raises:
      DataLossError: it is not whole.
      PermissionDeniedError: its data is outside of the directory of the model.
      ResourceExhaustedError: it is larger than the limits allow.
    """
    dtype = DTYPES.get(message.data_type)
    if dtype is None:
        raise errors.UnimplementedError(
            None, None, f"{where}: tensors of ONNX's type {message.data_type} are not known"
        )
    dims = tuple(message.dims)
    if any(d < 0 for d in dims):
        damaged(where, f"a tensor of the shape {list(dims)}")
    count = math.prod(dims)
    if count > limits.current().elements:
        limits.exhausted("elements", f"{where}: a constant of {count} elements", count)
    limits.check_bytes(count * (dtype.size or 1), where)
    if dtype is string:
        return _strings(message, dims, count, where)
    if message.data_location == _EXTERNAL:
        return _from_bytes(_outside(message, count * dtype.size, where, folder), dtype, dims, where)
    if message.HasField("raw_data"):
        return _from_bytes(message.raw_data, dtype, dims, where)
    return _from_numbers(message, dtype, dims, count, where)


def _strings(message: Any, dims: tuple[int, ...], count: int, where: str) -> Array:
    if len(message.string_data) != count:
        damaged(where, f"{len(message.string_data)} strings in a tensor of {count}")
    found = np.empty(count, object)
    found[:] = list(message.string_data)
    return found.reshape(dims)


def _from_bytes(data: bytes, dtype: DType, dims: tuple[int, ...], where: str) -> Array:
    plain = np.dtype(dtype.as_numpy_dtype)
    if len(data) != math.prod(dims) * plain.itemsize:
        damaged(where, f"{len(data)} bytes in a tensor of {math.prod(dims) * plain.itemsize}")
    if dtype is bool_:
        return np.frombuffer(data, np.uint8).reshape(dims) != 0
    if dtype is bfloat16:
        return np.frombuffer(data, "<u2").astype(np.uint16).view(plain).reshape(dims)
    return np.frombuffer(data, plain.newbyteorder("<")).astype(plain).reshape(dims)


def _from_numbers(message: Any, dtype: DType, dims: tuple[int, ...], count: int, where: str) -> Array:
    field = _FIELDS.get(dtype) or _FIELDS_BY_NAME.get(dtype.name, "int32_data")
    values = getattr(message, field)
    if len(values) != count:
        damaged(where, f"{len(values)} numbers in a tensor of {count}")
    plain = np.dtype(dtype.as_numpy_dtype)
    if dtype in (float16, bfloat16):  # as bit patterns
        return np.array(values, np.int64).astype(np.uint16).view(plain).reshape(dims)
    if field == "int32_data" and dtype is not int32:
        return np.array(values, np.int64).astype(plain).reshape(dims)
    return np.array(values, plain).reshape(dims)


def _outside(message: Any, size: int, where: str, folder: str | None) -> bytes:
    """The bytes of a tensor that stands in another file."""
    told = {e.key: e.value for e in message.external_data}
    name = told.get("location", "")
    try:
        offset, length = int(told.get("offset") or 0), int(told.get("length") or size)
    except ValueError:
        damaged(where, "its place in another file is no number")
    if folder is None or not name:
        damaged(where, "its data is in another file, which is not named")
    root = os.path.realpath(folder)
    path = os.path.realpath(os.path.join(root, name))
    if os.path.isabs(name) or os.path.commonpath([root, path]) != root:
        raise errors.PermissionDeniedError(
            None, None, f"{where}: its data is in {name!r}, outside of the directory of the model"
        )
    if length != size or offset < 0:
        damaged(where, f"{length} bytes at {offset} in a tensor of {size}")
    try:
        if not os.path.isfile(path):
            damaged(where, f"its data is in {name!r}, which is not there")
        with open(path, "rb", opener=regular) as file:
            file.seek(offset)
            return file.read(size)
    except OSError as error:
        damaged(where, f"its data is in {name!r}, which cannot be read: {error.strerror}")
