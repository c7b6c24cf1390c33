"""Sparse tensors as strings: `tf.io.serialize_sparse` and its relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.graphdef.tensors import ParseTensor, SerializeTensor
from graphrt.ir.op import define
from graphrt.ops.sparse.tensor import SparseTensor
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.ops.support.shape_rules import require_rank
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import DType, as_dtype, int64, string
from graphrt.types.likes import Array, DTypeLike
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims

__all__ = ["deserialize_many_sparse", "serialize_many_sparse", "serialize_sparse"]


def _written(*tensors: Array) -> list[bytes]:
    write: Any = SerializeTensor.kernel
    return [np.asarray(write(t), object).item() for t in tensors]


def _row(texts: list[bytes]) -> Array:
    out = np.empty(3, object)
    out[:] = texts
    return out


def _one(indices: Array, values: Array, shape: Array) -> Array:
    return _row(_written(np.asarray(indices), np.asarray(values), np.asarray(shape)))


def _many(indices: Array, values: Array, shape: Array) -> Array:
    if len(shape) < 2:
        raise bad(f"Rank of input SparseTensor should be > 1, but saw rank: {len(shape)}")
    wrong = (indices[:, 0] < 0) | (indices[:, 0] >= shape[0])
    if wrong.any():
        raise bad(f"Expected row index in [0, {shape[0]}), found {indices[wrong][0, 0]}")
    out = np.empty((int(shape[0]), 3), object)
    for i in range(len(out)):
        here = indices[:, 0] == i
        out[i] = _row(_written(np.ascontiguousarray(indices[here, 1:]), values[here], shape[1:]))
    return out


def _parts(c: Any) -> None:
    require_rank(c, 0, 2)
    require_rank(c, 1, 1)
    require_rank(c, 2, 1)


def _one_dims(c: Any) -> Dims:
    _parts(c)
    return (3,)


def _many_dims(c: Any) -> Dims:
    _parts(c)
    shape = c.const(2)
    return (None if shape is None else int(shape[0]), 3)


_INPUTS = "sparse_indices: int64, sparse_values: T, sparse_shape: int64 -> serialized_sparse: out_type"
SerializeSparse = define(
    "SerializeSparse", _INPUTS, attrs="T: type; out_type: type = string", allowed={"out_type": (string,)},
    infer=_one_dims, kernel=_one, vjp=lambda call, g: [None] * 3,
)  # fmt: skip
SerializeManySparse = define(
    "SerializeManySparse", _INPUTS, attrs="T: type; out_type: type = string", allowed={"out_type": (string,)},
    infer=_many_dims, kernel=_many, vjp=lambda call, g: [None] * 3,
)  # fmt: skip


def _read(rows: Array, *, dtype: DType) -> tuple[Array, Array, Array]:
    texts: Any = np.asarray(rows, object)
    if texts.ndim != 2 or texts.shape[1] != 3:
        raise bad(f"Serialized sparse should have 3 columns, found shape {text_of(texts.shape)}")
    read: Any = ParseTensor.kernel
    places: list[Any] = []
    values: list[Any] = []
    shapes: list[Any] = []
    for i, (where, what, shape) in enumerate(texts.tolist()):
        indices = np.asarray(read(np.array(where, object), out_type=int64))
        found = np.atleast_1d(read(np.array(what, object), out_type=dtype))
        dims = np.asarray(read(np.array(shape, object), out_type=int64))
        if indices.ndim != 2 or indices.shape != (len(found), len(dims)):
            text = f"places {text_of(indices.shape)} do not fit {len(found)} values of rank {len(dims)}"
            raise bad(f"Serialized sparse {i}: {text}")
        if shapes and len(dims) != len(shapes[0]):
            raise bad(f"Inconsistent rank across SparseTensors: rank prior to SparseTensor[{i}] was {len(shapes[0])} but "
                      f"rank of SparseTensor[{i}] is {len(dims)}")  # fmt: skip
        places.append(np.concatenate([np.full((len(found), 1), i, np.int64), indices], 1))
        values.append(found)
        shapes.append(dims)
    if not places:
        raise bad("Must have at least 1 serialized SparseTensor, found none")
    return np.concatenate(places), np.concatenate(values), np.array([len(shapes), *np.max(shapes, 0)], np.int64)


def _read_dims(c: Any) -> list[Dims]:
    dims = c.dims(0)
    if dims is not None and (len(dims) != 2 or dims[1] not in (None, 3)):
        raise ShapeError(f"Shape must be [?, 3] but is {dims}")
    return [(None, None), (None,), (None,)]


DeserializeManySparse = define(
    "DeserializeManySparse",
    "serialized_sparse: string -> sparse_indices: int64, sparse_values: dtype, sparse_shape: int64",
    attrs="dtype: type", infer=_read_dims, kernel=_read, vjp=lambda call, *g: [None],
)  # fmt: skip


def _sparse(value: SparseTensor) -> SparseTensor:
    if not isinstance(value, SparseTensor):
        raise TypeError(errors.at_user_line(f"Input must be a SparseTensor, found {shown(value)}"))
    return value


def serialize_sparse(sp_input: SparseTensor, out_type: DTypeLike = string, name: str | None = None) -> Tensor:
    """A sparse tensor as three strings: its indices, its values, its shape.

    >>> import graphrt as tf
    >>> tf.io.serialize_sparse(tf.SparseTensor([[0, 1]], [5.], [2, 2])).shape
    TensorShape([3])

    Raises:
      TypeError: the input is not sparse.
    """
    x = _sparse(sp_input)
    return SerializeSparse(x.indices, x.values, x.dense_shape, out_type=as_dtype(out_type), name=name)


def serialize_many_sparse(sp_input: SparseTensor, out_type: DTypeLike = string, name: str | None = None) -> Tensor:
    """Each part of a sparse tensor along its first axis as three strings, [parts, 3].

    >>> import graphrt as tf
    >>> tf.io.serialize_many_sparse(tf.SparseTensor([[0, 1]], [5.], [2, 2])).shape
    TensorShape([2, 3])

    Raises:
      InvalidArgumentError: the tensor has fewer than two dimensions.
      TypeError: the input is not sparse.
    """
    x = _sparse(sp_input)
    return SerializeManySparse(x.indices, x.values, x.dense_shape, out_type=as_dtype(out_type), name=name)


def deserialize_many_sparse(
    serialized_sparse: TensorLike, dtype: DTypeLike, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """Sparse tensors written by `serialize_many_sparse`, joined along a new first axis.

    >>> import graphrt as tf
    >>> data = tf.io.serialize_many_sparse(tf.SparseTensor([[0, 1]], [5.], [2, 2]))
    >>> tf.sparse.to_dense(tf.io.deserialize_many_sparse(data, tf.float32)).numpy().tolist()
    [[0.0, 5.0], [0.0, 0.0]]

    Raises:
      InvalidArgumentError: the strings are no such tensors, or differ in rank.
    """
    errors.expect(rank, (int, np.integer, type(None)), "rank", "a whole number, or None")
    places, values, shape = DeserializeManySparse(serialized_sparse, dtype=as_dtype(dtype), name=name)
    if rank is not None:
        for tensor, dims in ((places, [None, rank + 1]), (shape, [rank + 1])):
            if hasattr(tensor, "set_shape"):
                tensor.set_shape(dims)
    return SparseTensor(places, values, shape)
