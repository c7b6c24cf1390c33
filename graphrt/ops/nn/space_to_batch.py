"""Blocks of space moved into the batch, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define, provide
from graphrt.ops.array.concat_split import Pack
from graphrt.ops.array.creation import zeros
from graphrt.ops.support.kernel_helpers import bad, const_ints, ints, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike, static_array
from graphrt.types.dtype import INDEX, int32
from graphrt.types.likes import Array
from graphrt.types.shape import Dims

__all__ = ["batch_to_space", "required_space_to_batch_paddings", "space_to_batch", "space_to_batch_nd"]


# --- blocks of space in the batch ------------------------------------------------------------------------------------
def _to_batch(x: Array, block: Array, paddings: Array) -> Array:
    if np.ndim(block) != 1:
        raise bad(f"block_shape must have rank 1, got shape {text_of(np.shape(block))}")
    sizes = ints(block)
    m = len(sizes)
    if np.shape(paddings) != (m, 2):
        raise bad(f"paddings should have shape [{m}, 2] instead of {text_of(np.shape(paddings))}")
    if np.ndim(x) < 1 + m:
        raise bad(f"input rank should be >= {1 + m} instead of {np.ndim(x)}")
    if min(sizes, default=1) < 1:
        raise bad("block_shape must be positive")
    if np.size(paddings) and np.min(paddings) < 0:
        raise bad("paddings must be non-negative")
    rest = x.ndim - 1 - m
    fill = {"constant_values": b""} if x.dtype == object else {}
    wide = np.pad(x, [(0, 0), *[tuple(p) for p in np.asarray(paddings).tolist()], *[(0, 0)] * rest], **fill)  # type: ignore[call-overload]
    shape = [wide.shape[0]]
    for n, b in zip(wide.shape[1:], sizes):
        if n % b:
            raise bad(f"padded_shape={n} is not divisible by block_shape={b}")
        shape += [n // b, b]
    parts = wide.reshape(*shape, *wide.shape[1 + m :])
    order = [*range(2, 2 * m + 1, 2), 0, *range(1, 2 * m + 1, 2), *range(2 * m + 1, parts.ndim)]
    out = parts.transpose(order)
    return np.ascontiguousarray(out).reshape(-1 if out.size else int(np.prod(sizes)) * wide.shape[0],
                                             *out.shape[m + 1 :])  # fmt: skip


def _from_batch(x: Array, block: Array, crops: Array) -> Array:
    sizes = ints(block)
    m, count = len(sizes), int(np.prod(sizes))
    if np.shape(crops) != (m, 2):
        raise bad(f"crops should have shape [{m}, 2] instead of {text_of(np.shape(crops))}")
    if np.ndim(x) < 1 + m:
        raise bad(f"input rank should be >= {1 + m} instead of {np.ndim(x)}")
    if count < 1 or x.shape[0] % count:
        raise bad(f"Input batch dimension ({x.shape[0]}) is not divisible by product of block sizes ({count})")
    parts = x.reshape(*sizes, x.shape[0] // count, *x.shape[1:])
    order = [m]
    for i in range(m):
        order += [m + 1 + i, i]
    out = parts.transpose([*order, *range(2 * m + 1, parts.ndim)])
    whole = out.reshape(x.shape[0] // count, *(n * b for n, b in zip(x.shape[1:], sizes)), *x.shape[1 + m :])
    index = [slice(None)]
    for n, (low, high) in zip(whole.shape[1:], np.asarray(crops).tolist()):
        if low < 0 or high < 0 or low + high > n:
            raise bad(f"cropped_shape={n - low - high} must be non-negative")
        index.append(slice(low, n - high))
    return np.ascontiguousarray(whole[tuple(index)])


def _block_dims(grow: bool) -> Callable[..., Any]:
    def infer(c: InferContext) -> Dims:
        block = c.dims(1)
        if block is not None and len(block) != 1:
            raise ShapeError(f"block_shape must have rank 1, got shape {text_of(block)}")
        dims, sizes = c.dims(0), const_ints(c, 1)
        if dims is None:
            return None
        m = None if block is None else block[0]
        if sizes is None or m is None:
            return (None,) * len(dims)
        if len(dims) < m + 1:
            raise ShapeError(f"Shape must be at least rank {m + 1} but is rank {len(dims)}")
        edges = c.const(2)
        out: list[Any] = list(dims)
        count = int(np.prod(sizes))
        if dims[0] is not None:
            if not grow and dims[0] % count:
                raise ShapeError(f"Dimension size must be evenly divisible by {count} but is {dims[0]}")
            out[0] = dims[0] * count if grow else dims[0] // count
        for i, b in enumerate(sizes):
            n = dims[i + 1]
            if n is None or edges is None:
                out[i + 1] = None
                continue
            low, high = (int(v) for v in edges[i])
            if grow:
                if (n + low + high) % b:
                    raise ShapeError(f"Dimension size must be evenly divisible by {b} but is {n + low + high}")
                out[i + 1] = (n + low + high) // b
            else:
                out[i + 1] = n * b - low - high
        return tuple(out)

    return infer


SpaceToBatchND = define(
    "SpaceToBatchND", "input: T, block_shape: Tblock_shape, paddings: Tpaddings -> output: T",
    attrs="T: type; Tblock_shape: type = int32; Tpaddings: type = int32",
    allowed={"Tblock_shape": INDEX, "Tpaddings": INDEX}, infer=_block_dims(True), kernel=_to_batch,
    vjp=lambda call, g: [BatchToSpaceND(g, *call.inputs[1:]), None, None],
)  # fmt: skip
BatchToSpaceND: OpDef = define(
    "BatchToSpaceND", "input: T, block_shape: Tblock_shape, crops: Tcrops -> output: T",
    attrs="T: type; Tblock_shape: type = int32; Tcrops: type = int32",
    allowed={"Tblock_shape": INDEX, "Tcrops": INDEX}, infer=_block_dims(False), kernel=_from_batch,
    vjp=lambda call, g: [SpaceToBatchND(g, *call.inputs[1:]), None, None],
)  # fmt: skip


@provide
def space_to_batch_nd(
    input: TensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None
) -> Tensor:
    """Blocks of the axes after the first moved into the first, after padding.

    >>> import graphrt as tf
    >>> tf.space_to_batch_nd([[1, 2, 3, 4]], [2], [[0, 0]]).numpy().tolist()
    [[1, 3], [2, 4]]

    Raises:
      InvalidArgumentError: the blocks do not fit.
    """
    return SpaceToBatchND(input, block_shape, paddings, name=name)


def space_to_batch(input: TensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None) -> Tensor:
    """`space_to_batch_nd`.

    >>> import graphrt as tf
    >>> tf.space_to_batch([[1, 2, 3, 4]], [2], [[0, 0]]).numpy().tolist()
    [[1, 3], [2, 4]]

    Raises:
      InvalidArgumentError: the blocks do not fit.
    """
    return SpaceToBatchND(input, block_shape, paddings, name=name)


@provide
def batch_to_space(input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `space_to_batch`, cropped.

    >>> import graphrt as tf
    >>> tf.batch_to_space([[1, 3], [2, 4]], [2], [[0, 0]]).numpy().tolist()
    [[1, 2, 3, 4]]

    Raises:
      InvalidArgumentError: the blocks do not fit.
    """
    with scope(name, "batch_to_space"):
        sizes = np.repeat(block_shape, 2) if isinstance(block_shape, int) else block_shape
        return BatchToSpaceND(as_tensor(input), sizes, crops)


def required_space_to_batch_paddings(
    input_shape: TensorLike, block_shape: TensorLike, base_paddings: TensorLike | None = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The paddings `[n, 2]` that `tf.space_to_batch` needs, at least `base_paddings`, and the crops that take them off.

    >>> import graphrt as tf
    >>> [t.numpy().tolist() for t in tf.required_space_to_batch_paddings([5, 6], [2, 3])]
    [[[0, 1], [0, 0]], [[0, 1], [0, 0]]]

    Raises:
      ValueError: the shapes of the arguments do not fit.
    """
    with scope(name, "required_space_to_batch_paddings"):
        sizes, blocks = as_tensor(input_shape, int32), as_tensor(block_shape, int32)
        if blocks.dims is None or len(blocks.dims) != 1 or blocks.dims[0] is None:
            raise ValueError(errors.at_user_line(f"block_shape must be a vector of known length, found {blocks.shape}"))
        count = blocks.dims[0]
        if sizes.dims is not None and sizes.dims != (count,) and sizes.dims != (None,):
            raise ValueError(errors.at_user_line(f"Shapes {sizes.shape} and {blocks.shape} are incompatible"))
        if base_paddings is None:
            base = zeros([count, 2], int32)
        else:
            base = as_tensor(base_paddings, int32)
            if base.dims is not None and base.dims != (count, 2):
                raise ValueError(errors.at_user_line(f"base_paddings must have shape [{count}, 2], found {base.shape}"))
        known = static_array(blocks)
        if known is not None and (known <= 0).any():
            raise ValueError(errors.at_user_line(f"block_shape must be positive, found {known.tolist()}"))
        start, end = base[:, 0], base[:, 1]
        more = (blocks - (sizes + start + end) % blocks) % blocks
        paddings = Pack([start, end + more], axis=1)
        crops = Pack([zeros([count], int32), more], axis=1)
        return paddings, crops
