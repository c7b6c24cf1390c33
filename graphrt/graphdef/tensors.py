"""Tensors as messages and bytes: `TensorProto`s made and read, in Python and by ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.graphdef.schema import message_class
from graphrt.ir.op import define
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.tensor.values import to_numpy
from graphrt.types.dtype import DType, as_dtype, from_numpy, plain
from graphrt.types.likes import Array, DTypeLike, ShapeLike
from graphrt.types.limits import check_bytes, made
from graphrt.types.shape import TensorShape

__all__ = ["make_ndarray", "make_tensor_proto", "parse_tensor", "serialize_tensor"]


def make_tensor_proto(
    values: TensorLike, dtype: DTypeLike | None = None, shape: ShapeLike = None, verify_shape: bool = False,
    allow_broadcast: bool = False
) -> Any:  # fmt: skip
    """A `TensorProto` of `values`, which fill `shape` (the last one repeated) where one is given.

    >>> import graphrt as tf
    >>> tf.make_ndarray(tf.make_tensor_proto([1, 2])).tolist()
    [1, 2]

    Raises:
      TypeError: the values are not of the shape that is to be verified.
      ValueError: they do not fit.
    """
    from graphrt.graphdef.export import write_tensor  # lazy: reads op tables, which parsing does without

    array = np.asarray(to_numpy(values, None if dtype is None else as_dtype(dtype)))
    if shape is not None:
        wanted = tuple(int(d or 0) for d in TensorShape(shape).as_list())
        size = int(np.prod(wanted, dtype=np.int64))
        if verify_shape and array.shape != wanted:
            raise TypeError(errors.at_user_line(f"Expected {wanted}, got {array.shape}."))
        if array.shape != wanted and not (array.size == 1 and allow_broadcast) and array.size != size:
            if array.size > size or not array.size:
                raise ValueError(errors.at_user_line(f"{array.size} values do not fill a tensor of shape {wanted}"))
            check_bytes(size * array.itemsize, "the values")
            array = made("the values", np.pad, array.reshape(-1), (0, size - array.size), "edge")
        array = np.broadcast_to(array, wanted) if array.size == 1 else array.reshape(wanted)
    message = message_class("TensorProto")()
    write_tensor(message, array)
    return message


def make_ndarray(tensor: object) -> Array:
    """The array in a `TensorProto`.

    >>> import graphrt as tf
    >>> tf.make_ndarray(tf.make_tensor_proto(1.5)).item()
    1.5

    Raises:
      InvalidArgumentError: the message is no whole tensor.
    """
    from graphrt.graphdef.read_values import read_tensor  # lazy: as above

    if not hasattr(tensor, "tensor_shape"):
        what = f"found a value of type {type(tensor).__name__}"
        raise TypeError(
            errors.at_user_line(f"`tensor` must be a TensorProto, as tf.make_tensor_proto makes it, {what}")
        )
    return np.asarray(plain(read_tensor(tensor, "tensor")))


def _serialize(tensor: Array) -> Array:
    array = np.asarray(tensor)
    if array.dtype == object or not array.size:
        return np.array(make_tensor_proto(tensor).SerializeToString(deterministic=True), object)
    message = message_class("TensorProto")()  # the op writes numbers as bytes, however few there are
    message.dtype = from_numpy(array.dtype).as_datatype_enum
    message.tensor_shape.SetInParent()
    for size in array.shape:
        message.tensor_shape.dim.add().size = size
    message.tensor_content = array.astype(array.dtype.newbyteorder("<")).tobytes()
    return np.array(message.SerializeToString(deterministic=True), object)


def _parse(serialized: Array, *, out_type: DType) -> Array:
    message = message_class("TensorProto")()
    try:
        message.ParseFromString(np.asarray(serialized, object).item())
    except Exception:
        raise errors.InvalidArgumentError(None, None, "Could not parse `serialized` as TensorProto") from None
    from graphrt.graphdef.read_values import read_tensor  # lazy: as above

    if message.dtype != out_type.as_datatype_enum:
        raise errors.InvalidArgumentError(
            None, None, f"Type mismatch between parsed tensor (number {message.dtype}) and dtype ({out_type.name})"
        )
    return read_tensor(message, "serialized")


SerializeTensor = define(
    "SerializeTensor", "tensor: T -> serialized: string", infer=lambda c: (), kernel=_serialize,
    vjp=lambda call, g: [None],
)  # fmt: skip
ParseTensor = define(
    "ParseTensor", "serialized: string -> output: out_type", attrs="out_type: type", infer=lambda c: None,
    kernel=_parse, vjp=lambda call, g: [None],
)  # fmt: skip


def serialize_tensor(tensor: TensorLike, name: str | None = None) -> Tensor:
    """A tensor as the bytes of a `TensorProto`.

    >>> import graphrt as tf
    >>> tf.io.parse_tensor(tf.io.serialize_tensor([1, 2]), tf.int32).numpy().tolist()
    [1, 2]
    """
    return SerializeTensor(tensor, name=name)


def parse_tensor(serialized: TensorLike, out_type: DTypeLike, name: str | None = None) -> Tensor:
    """The tensor in the bytes of a `TensorProto`.

    >>> import graphrt as tf
    >>> tf.io.parse_tensor(tf.io.serialize_tensor(1.5), tf.float32).numpy().item()
    1.5

    Raises:
      InvalidArgumentError: the bytes are no tensor of dtype `out_type`.
    """
    return ParseTensor(serialized, out_type=as_dtype(out_type), name=name)
