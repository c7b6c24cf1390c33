"""Rows dealt out to several tensors, and collected from them; places counted in several dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.array.shape import reshape, size
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import INDEX
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, merge

__all__ = ["dynamic_partition", "dynamic_stitch", "unravel_index"]


def _partition_kernel(data: Array, partitions: Array, *, num_partitions: int) -> list[Any]:
    labels, values = np.asarray(partitions), np.asarray(data)
    if values.shape[: labels.ndim] != labels.shape:
        raise bad(
            f"data.shape must start with partitions.shape, got data.shape = {text_of(values.shape)}, "
            f"partitions.shape = {text_of(labels.shape)}"
        )
    wrong = (labels < 0) | (labels >= num_partitions)
    if wrong.any():
        where = np.argwhere(wrong)[0]
        raise bad(f"partitions{text_of(where)} = {labels[tuple(where)]} is not in [0, {num_partitions})")
    return [values[labels == i] for i in range(num_partitions)]


def _partition_dims(c: InferContext) -> list[Dims]:
    data, labels, count = c.dims(0), c.dims(1), c.attrs["num_partitions"]
    if count < 1:
        raise ShapeError(f"num_partitions must be at least 1, got {count}")
    if data is None or labels is None:
        return [None] * count
    merge(data[: len(labels)], labels)
    return [(None, *data[len(labels) :])] * count


def _partition_vjp(call: Any, *grads: object) -> list[Any]:
    data, labels = call.inputs
    shape = shape_(labels)
    places = reshape(range_(size(labels)), shape)
    found = [zeros_like(o) if g is None else g for o, g in zip(call.outputs, grads)]
    rows = dynamic_stitch(DynamicPartition(places, labels, num_partitions=call.attrs["num_partitions"]), found)
    return [reshape(rows, shape_(data)), None]


DynamicPartition = define(
    "DynamicPartition", "data: T, partitions: int32 -> outputs: num_partitions * T",
    attrs="num_partitions: int >= 1; T: type", infer=_partition_dims, kernel=_partition_kernel, vjp=_partition_vjp,
)  # fmt: skip


def dynamic_partition(
    data: TensorLike, partitions: TensorLike, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """The rows of `data` dealt out to `num_partitions` tensors, as `partitions` says.

    >>> import graphrt as tf
    >>> [t.numpy().tolist() for t in tf.dynamic_partition([1, 2, 3], [1, 0, 1], 2)]
    [[2], [1, 3]]

    Raises:
      InvalidArgumentError: a partition does not exist, or the shapes do not fit.
    """
    return DynamicPartition(data, partitions, num_partitions=num_partitions, name=name)


def _stitch_kernel(indices: list[Any], data: list[Any]) -> Array:
    inner = None
    count = 0
    for i, d in zip(indices, data):
        if np.shape(d)[: np.ndim(i)] != np.shape(i):
            raise bad(f"data.shape = {text_of(np.shape(d))} does not start with indices.shape = {text_of(np.shape(i))}")
        rest = np.shape(d)[np.ndim(i) :]
        if inner is not None and rest != inner:
            raise bad(f"data shapes must end alike: {text_of(rest)} and {text_of(inner)}")
        inner = rest
        if np.size(i):
            if np.min(i) < 0:
                raise bad(f"indices must not be negative, found {np.min(i)}")
            count = max(count, int(np.max(i)) + 1)
    kind = np.asarray(data[0]).dtype
    out = np.full((count, *(inner or ())), b"" if kind.hasobject else 0, kind)
    for i, d in zip(indices, data):
        out[np.asarray(i)] = d
    return out


def _stitch_dims(c: InferContext) -> Dims:
    count = c.attrs["N"]
    rest: Dims = None
    for k in range(count):
        i, d = c.dims(k), c.dims(count + k)
        if i is not None and d is not None:
            if len(d) < len(i):
                raise ShapeError(f"data of rank {len(d)} does not fit indices of rank {len(i)}")
            merge(i, d[: len(i)])
            rest = merge(rest, d[len(i) :])
    highest: int | None = 0
    for k in range(count):
        known = c.const(k)
        highest = None if known is None or highest is None else max(highest, int(np.max(known, initial=-1)) + 1)
    return None if rest is None else (highest, *rest)


DynamicStitch = define(
    "DynamicStitch", "indices: N * int32, data: N * T -> merged: T", attrs="N: int >= 1; T: type",
    infer=_stitch_dims, kernel=_stitch_kernel,
    vjp=lambda call, g: [
        *[None] * call.attrs["N"], *[gather(g, i) for i in call.inputs[: call.attrs["N"]]],
    ],
)  # fmt: skip


def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """One tensor whose row `indices[m][i]` is `data[m][i]`; where an index stands twice, the last counts.

    >>> import graphrt as tf
    >>> tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]]).numpy().tolist()
    [10, 20, 30]

    Raises:
      InvalidArgumentError: the shapes do not fit.
    """
    return DynamicStitch(list(indices), list(data), name=name)


def _unravel_kernel(indices: Array, dims: Array) -> Array:
    if np.ndim(indices) > 1:
        raise bad("The indices can only be scalar or vector.")
    total = int(np.prod(dims, dtype=np.int64))
    if np.any(np.asarray(indices) < 0) or np.any(np.asarray(indices) >= total):
        raise bad("index is out of bound as with dims")
    return np.array(np.unravel_index(indices, tuple(dims.tolist())), dims.dtype)


def _unravel_dims(c: InferContext) -> Dims:
    indices, dims = c.dims(0), c.dims(1)
    rank = None if dims is None else dims[0]
    return None if indices is None else (rank, *indices)


UnravelIndex = define(
    "UnravelIndex", "indices: Tidx, dims: Tidx[1] -> output: Tidx", attrs="Tidx: type = int32", allowed={"Tidx": INDEX},
    infer=_unravel_dims, kernel=_unravel_kernel, vjp=lambda call, g: [None, None],
)  # fmt: skip


def unravel_index(indices: TensorLike, dims: TensorLike, name: str | None = None) -> Tensor:
    """The coordinates, in a tensor of shape `dims`, of the elements with the flat numbers `indices`.

    >>> import graphrt as tf
    >>> tf.unravel_index([2, 5], [2, 3]).numpy().tolist()
    [[0, 1], [2, 2]]

    Raises:
      InvalidArgumentError: a number is out of range.
    """
    places = as_tensor(indices)
    return UnravelIndex(places, as_tensor(dims, places.dtype if places.dtype in INDEX else None), name=name)
