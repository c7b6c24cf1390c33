"""Blocks of space moved into the channels, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import ALIASES, OpDef, define
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.likes import Array
from graphrt.types.shape import Dims

__all__ = ["depth_to_space", "space_to_depth"]


def _last(x: Array, form: str) -> Array:
    return np.moveaxis(x, 1, 3) if form == "NCHW" else np.asarray(x)


def _back(x: Array, form: str) -> Array:
    return np.ascontiguousarray(np.moveaxis(x, 3, 1) if form == "NCHW" else x)


# --- blocks ----------------------------------------------------------------------------------------------------------
def _check_block(block_size: int, fail: Callable[..., Any] | type) -> None:
    if block_size < 2:
        raise fail(f"block_size must be at least 2, got {block_size}")


def _to_space(x: Array, *, block_size: int, data_format: str) -> Array:
    _check_block(block_size, bad)
    image = _last(x, data_format)
    n, h, w, c = image.shape
    if c % block_size**2:
        raise bad(f"Input depth dimension {c} should be divisible by: {block_size**2}")
    parts = image.reshape(n, h, w, block_size, block_size, c // block_size**2)
    shape = n, h * block_size, w * block_size, c // block_size**2
    return _back(parts.transpose(0, 1, 3, 2, 4, 5).reshape(shape), data_format)


def _to_depth(x: Array, *, block_size: int, data_format: str) -> Array:
    _check_block(block_size, bad)
    image = _last(x, data_format)
    n, h, w, c = image.shape
    if h % block_size or w % block_size:
        raise bad(f"Image width {w} and height {h} should be divisible by block_size: {block_size}")
    parts = image.reshape(n, h // block_size, block_size, w // block_size, block_size, c)
    shape = n, h // block_size, w // block_size, c * block_size**2
    return _back(parts.transpose(0, 1, 3, 2, 4, 5).reshape(shape), data_format)


def _block_dims(grow: bool) -> Callable[..., Any]:
    def infer(c: InferContext) -> Dims:
        dims, block = c.dims(0), c.attrs["block_size"]
        _check_block(block, ShapeError)
        if dims is None:
            return (None,) * 4
        if len(dims) != 4:
            raise ShapeError(f"Shape must be rank 4 but is rank {len(dims)}")
        second = c.attrs["data_format"] == "NCHW"
        n, depth, h, w = dims if second else (dims[0], dims[3], dims[1], dims[2])
        down = [depth] if grow else [h, w]
        by = block * block if grow else block
        for d in down:
            if d is not None and d % by:
                raise ShapeError(f"Dimension size must be evenly divisible by {by} but is {d}: {text_of(dims)}")
        if grow:
            depth, h, w = (None if depth is None else depth // by, *(None if d is None else d * block for d in (h, w)))
        else:
            h, w = (None if d is None else d // block for d in (h, w))
            depth = None if depth is None else depth * block * block
        return (n, depth, h, w) if second else (n, h, w, depth)

    return infer


_BLOCK = "T: type; block_size: int >= 2; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"


def _block_attrs(call: Any) -> dict[str, Any]:
    return {k: call.attrs[k] for k in ("block_size", "data_format")}


DepthToSpace = define(
    "DepthToSpace", "input: T -> output: T", attrs=_BLOCK, infer=_block_dims(True), kernel=_to_space,
    vjp=lambda call, g: [SpaceToDepth(g, **_block_attrs(call))], traits=(ALIASES,),
)  # fmt: skip
SpaceToDepth: OpDef = define(
    "SpaceToDepth", "input: T -> output: T", attrs=_BLOCK, infer=_block_dims(False), kernel=_to_depth,
    vjp=lambda call, g: [DepthToSpace(g, **_block_attrs(call))], traits=(ALIASES,),
)  # fmt: skip


def depth_to_space(input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Channels moved into square blocks of pixels.

    >>> import graphrt as tf
    >>> tf.nn.depth_to_space(tf.ones([1, 1, 1, 4]), 2).shape
    TensorShape([1, 2, 2, 1])

    Raises:
      InvalidArgumentError: the channels do not fill the blocks.
    """
    return DepthToSpace(input, block_size=block_size, data_format=data_format, name=name)


def space_to_depth(input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Tensor:
    """Square blocks of pixels moved into channels.

    >>> import graphrt as tf
    >>> tf.nn.space_to_depth(tf.ones([1, 2, 2, 1]), 2).shape
    TensorShape([1, 1, 1, 4])

    Raises:
      InvalidArgumentError: the image is no multiple of the blocks.
    """
    return SpaceToDepth(input, block_size=block_size, data_format=data_format, name=name)
