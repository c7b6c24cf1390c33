"""Images rearranged in blocks, pooled in one dimension, convolved in two steps, normalized over channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.op import ALIASES, define, ops, provide
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import TensorLike
from graphrt.types.dtype import FLOATING
from graphrt.types.shape import Dims

__all__ = ["depth_to_space", "local_response_normalization", "lrn", "space_to_depth"]


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _last(x: Any, form: Any) -> Any:
    return np.moveaxis(x, 1, 3) if _text(form) == "NCHW" else np.asarray(x)


def _back(x: Any, form: Any) -> Any:
    return np.ascontiguousarray(np.moveaxis(x, 3, 1) if _text(form) == "NCHW" else x)


# --- blocks ----------------------------------------------------------------------------------------------------------
def _check_block(block_size: int, fail: Any) -> None:
    if block_size < 2:
        raise fail(f"block_size must be at least 2, got {block_size}")


def _to_space(x: Any, *, block_size: int, data_format: Any) -> Any:
    _check_block(block_size, bad)
    image = _last(x, data_format)
    n, h, w, c = image.shape
    if c % block_size**2:
        raise bad(f"Input depth dimension {c} should be divisible by: {block_size**2}")
    parts = image.reshape(n, h, w, block_size, block_size, c // block_size**2)
    return _back(parts.transpose(0, 1, 3, 2, 4, 5).reshape(n, h * block_size, w * block_size, -1), data_format)


def _to_depth(x: Any, *, block_size: int, data_format: Any) -> Any:
    _check_block(block_size, bad)
    image = _last(x, data_format)
    n, h, w, c = image.shape
    if h % block_size or w % block_size:
        raise bad(f"Image width {w} and height {h} should be divisible by block_size: {block_size}")
    parts = image.reshape(n, h // block_size, block_size, w // block_size, block_size, c)
    return _back(parts.transpose(0, 1, 3, 2, 4, 5).reshape(n, h // block_size, w // block_size, -1), data_format)


def _block_dims(grow: bool) -> Any:
    def infer(c: Any) -> Dims:
        dims, block = c.dims(0), c.attrs["block_size"]
        _check_block(block, ShapeError)
        if dims is None:
            return (None,) * 4
        if len(dims) != 4:
            raise ShapeError(f"Shape must be rank 4 but is rank {len(dims)}")
        second = _text(c.attrs["data_format"]) == "NCHW"
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
    vjp=lambda call, g: [ops.SpaceToDepth(g, **_block_attrs(call))], traits=(ALIASES,),
)  # fmt: skip
SpaceToDepth = define(
    "SpaceToDepth", "input: T -> output: T", attrs=_BLOCK, infer=_block_dims(False), kernel=_to_depth,
    vjp=lambda call, g: [ops.DepthToSpace(g, **_block_attrs(call))], traits=(ALIASES,),
)  # fmt: skip


def depth_to_space(input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Any:
    """Channels moved into square blocks of pixels.

    >>> import graphrt as tf
    >>> tf.nn.depth_to_space(tf.ones([1, 1, 1, 4]), 2).shape
    TensorShape([1, 2, 2, 1])

    Raises:
      InvalidArgumentError: the channels do not fill the blocks.
    """
    return DepthToSpace(input, block_size=block_size, data_format=data_format, name=name)


def space_to_depth(input: TensorLike, block_size: int, data_format: str = "NHWC", name: str | None = None) -> Any:
    """Square blocks of pixels moved into channels.

    >>> import graphrt as tf
    >>> tf.nn.space_to_depth(tf.ones([1, 2, 2, 1]), 2).shape
    TensorShape([1, 1, 1, 4])

    Raises:
      InvalidArgumentError: the image is no multiple of the blocks.
    """
    return SpaceToDepth(input, block_size=block_size, data_format=data_format, name=name)


# --- normalization over channels -------------------------------------------------------------------------------------
def _around(x: Any, radius: int) -> Any:
    """For each channel the sum over those at most `radius` away."""
    wide = np.pad(x, [(0, 0)] * 3 + [(radius, radius)])
    sums = np.cumsum(np.pad(wide, [(0, 0)] * 3 + [(1, 0)]), axis=3, dtype=x.dtype)
    return sums[..., 2 * radius + 1 :] - sums[..., : x.shape[3]]


def _lrn_kernel(x: Any, *, depth_radius: int, bias: float, alpha: float, beta: float) -> Any:
    if np.ndim(x) != 4:
        raise bad(f"in must be 4-dimensional: {text_of(np.shape(x))}")
    t = x.dtype.type
    return x * (t(bias) + t(alpha) * _around(np.square(x), depth_radius)) ** t(-beta)


def _lrn_grad_kernel(g: Any, x: Any, y: Any, *, depth_radius: int, bias: float, alpha: float, beta: float) -> Any:
    t = x.dtype.type
    base = t(bias) + t(alpha) * _around(np.square(x), depth_radius)
    return g * base ** t(-beta) - t(2 * alpha * beta) * x * _around(g * y / base, depth_radius)


_LRN = "depth_radius: int = 5; bias: float = 1.0; alpha: float = 1.0; beta: float = 0.5; T: type = float32"
_HALF = tuple(t for t in FLOATING if t.name != "float64")


def _lrn_dims(c: Any) -> Dims:
    dims = c.dims(0)
    if dims is not None and len(dims) != 4:
        raise ShapeError(f"Shape must be rank 4 but is rank {len(dims)}")
    return (None,) * 4 if dims is None else dims


LRN = define(
    "LRN", "input: T -> output: T", attrs=_LRN, allowed={"T": _HALF}, infer=_lrn_dims, kernel=_lrn_kernel,
    vjp=lambda call, g: [
        ops.LRNGrad(g, call.inputs[0], call.outputs[0],
                    **{k: call.attrs[k] for k in ("depth_radius", "bias", "alpha", "beta")})
    ],
)  # fmt: skip
LRNGrad = define(
    "LRNGrad", "input_grads: T, input_image: T, output_image: T -> output: T", attrs=_LRN, allowed={"T": _HALF},
    infer=lambda c: c.dims(0), kernel=_lrn_grad_kernel,
)  # fmt: skip


def local_response_normalization(
    input: TensorLike, depth_radius: int = 5, bias: float = 1, alpha: float = 1, beta: float = 0.5,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Each pixel divided by a power of the sum of squares over the channels near it.

    >>> import graphrt as tf
    >>> tf.nn.lrn(tf.zeros([1, 1, 1, 3])).shape
    TensorShape([1, 1, 1, 3])
    """
    return LRN(input, depth_radius=depth_radius, bias=bias, alpha=alpha, beta=beta, name=name)


lrn = local_response_normalization


@provide
def one_wide(function: Any, input: Any, numbers: tuple[Any, Any], padding: Any, data_format: Any, name: Any) -> Any:
    """A pooling of sequences by one of images: a dimension of size 1 is put in, and taken out again."""
    if data_format not in ("NWC", "NCW"):
        raise ValueError(errors.at_user_line(f"data_format must be NWC or NCW, found {data_format!r}"))
    axis = 2 if data_format == "NCW" else 1
    size, step = (int(np.ravel(v)[len(np.ravel(v)) // 2]) for v in numbers)
    with scope(name, "pool1d"):
        wide = ops.expand_dims(as_tensor(input), axis)
        found = function(wide, [1, size], [1, step], padding, "NCHW" if axis == 2 else "NHWC")
        return ops.squeeze(found, [axis])
