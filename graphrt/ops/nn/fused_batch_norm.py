"""Batch normalization as one op: `FusedBatchNorm`, its later versions and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.code import NONE, Code, Template, commas
from graphrt.ir.graph import InferContext, Node
from graphrt.ir.op import FRESH, OpDef, define
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.types.dtype import bfloat16, float16, float32
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, merge

__all__: list[str] = []


def _channels(rank: int, data_format: str) -> int:
    return 1 if data_format.startswith("NC") else rank - 1


def _along(vector: Array, x: Array, data_format: Any) -> Any:
    """A vector of channels in the shape that broadcasts against `x`."""
    shape = [1] * np.ndim(x)
    shape[_channels(np.ndim(x), data_format)] = -1
    return np.reshape(vector, shape)


def _others(x: Array, data_format: str) -> tuple[int, ...]:
    channel = _channels(np.ndim(x), data_format)
    return tuple(i for i in range(np.ndim(x)) if i != channel)


def _normalized(
    x: Any, scale: Any, offset: Array, mean: Array, variance: Array, *, epsilon: float, exponential_avg_factor: float,
    data_format: Any, is_training: bool,
) -> tuple[Any, ...]:  # fmt: skip
    """y, mean and variance to keep, and mean and variance for the gradient."""
    if np.ndim(x) not in (4, 5):
        raise bad(f"input must be 4 or 5-dimensional{text_of(np.shape(x))}")
    depth = x.shape[_channels(x.ndim, data_format)]
    for name, value in (("scale", scale), ("offset", offset)):
        if np.shape(value) != (depth,):
            raise bad(f"{name} must have an element for each of the {depth} channels of x, got {np.size(value)}")
    kind = scale.dtype
    wide = x.astype(np.float32, copy=False)
    least = np.float32(epsilon)
    if is_training:
        axes, count = _others(x, data_format), x.size // max(depth, 1)
        if count:
            center = wide.mean(axes, dtype=np.float32)
            spread = np.square(wide - _along(center, x, data_format)).mean(axes, dtype=np.float32)
        else:
            center = spread = np.full(depth, np.nan, np.float32)
        keep_mean, keep_variance = center, spread * np.float32(count / max(count - 1, 1))
        factor = np.float32(exponential_avg_factor)
        if exponential_avg_factor != 1.0:
            keep_mean = (np.float32(1) - factor) * mean + factor * keep_mean
            keep_variance = (np.float32(1) - factor) * variance + factor * keep_variance
    else:
        for name, value in (("mean", mean), ("variance", variance)):
            if np.shape(value) != (depth,):
                raise bad(f"{name} must have the same number of elements as the channels of x")
        center, spread = mean.astype(np.float32), variance.astype(np.float32)
        keep_mean, keep_variance = mean.copy(), variance.copy()
    factor = scale.astype(np.float32) / np.sqrt(spread + least)
    y = _scaled(wide, center, factor, offset.astype(np.float32), data_format)
    found = (keep_mean, keep_variance, center, spread)
    return (y.astype(x.dtype, copy=False), *(np.asarray(v, kind) for v in found))


_PIECE = 1 << 17  # elements that are worked on at a time


def _scaled(
    x: Array, center: Array, factor: Array, offset: Array, data_format: str, out: Array | None = None
) -> Array:  # fmt: skip
    """`(x - center) * factor + offset`, each a vector of channels; `out` may be `x`."""
    if _channels(x.ndim, data_format) != x.ndim - 1 or not x.size:
        y = np.subtract(x, _along(center, x, data_format), out=out)
        y *= _along(factor, x, data_format)
        y += _along(offset, x, data_format)
        return y
    # Vectors of channels may be short: they are repeated for a whole row of pixels, so that NumPy's loops are long.
    vectors = [v[None].repeat(x.shape[-2], axis=0).reshape(-1) for v in (center, factor, offset)]
    flat = np.ascontiguousarray(x).reshape(-1, len(vectors[0]))
    there_all = np.empty_like(flat) if out is None or not out.flags.c_contiguous else out.reshape(flat.shape)
    step = max(1, _PIECE // len(vectors[0]))
    for at in range(0, len(flat), step):
        there = there_all[at : at + step]
        np.subtract(flat[at : at + step], vectors[0], out=there)
        np.multiply(there, vectors[1], out=there)
        np.add(there, vectors[2], out=there)
    return there_all.reshape(x.shape)


def _inferred(
    x: Array, scale: Array, offset: Array, mean: Array, variance: Array, *, epsilon: float, data_format: str,
    out: Array | None = None
) -> Array:  # fmt: skip
    """y alone, with the mean and the variance that are given; `out` may be `x`."""
    depth = x.shape[_channels(x.ndim, data_format)] if x.ndim in (4, 5) else None
    fits = all(np.shape(v) == (depth,) for v in (scale, offset, mean, variance))
    if out is None or x.dtype != np.float32 or not fits:
        found = _normalized(
            x, scale, offset, mean, variance, epsilon=epsilon, exponential_avg_factor=1.0, data_format=data_format,
            is_training=False,
        )  # fmt: skip
        return found[0]
    factor = scale.astype(np.float32) / np.sqrt(variance.astype(np.float32) + np.float32(epsilon))
    return _scaled(x, mean.astype(np.float32), factor, offset.astype(np.float32), data_format, out)


_Y_ALONE = Template("{}({}, epsilon={}, data_format={}, out={})")


def _emit_inference(e: Any, node: Node, inputs: list[Code]) -> list[Code] | None:
    """A call that makes nothing but y, where that is all that is needed."""
    if node.attrs["is_training"] or any(e.is_used(v) for v in node.outputs[1:]):
        return None
    over = inputs[0] if e.may_write_over(node.inputs[0]) else NONE
    epsilon, form = e.literal(node.attrs["epsilon"], "epsilon"), e.literal(node.attrs["data_format"], "form")
    y = _Y_ALONE(e.bind(_inferred, "k_batch_norm"), commas(inputs), epsilon, form, over)
    return [y, *[NONE] * (len(node.outputs) - 1)]


def _infer(count: int) -> Callable[..., Any]:
    def infer(c: InferContext) -> list[Dims]:
        dims = c.dims(0)
        if dims is not None and len(dims) not in (4, 5):
            raise ShapeError(f"Shape must be rank 4 or 5 but is rank {len(dims)}")
        depth: Dims = (None,) if dims is None else (dims[_channels(len(dims), c.attrs["data_format"])],)
        for i in range(1, 5 if not c.attrs["is_training"] else 3):
            depth = merge(depth, c.dims(i))
        return [dims, depth, depth, depth, depth, (None,)][:count]

    return infer


def _vjp(gradient: Callable[[], OpDef], reserved: int = 0) -> Any:
    def vjp(call: Any, *gradients: Any) -> list[Any]:
        g = gradients[0]
        if g is None:
            return [None] * 5
        x, scale, _, mean, variance = call.inputs
        training = call.attrs["is_training"]
        kept = call.outputs[3:5] if training else (mean, variance)
        more = call.outputs[5 : 5 + reserved]
        attrs = {k: call.attrs[k] for k in ("epsilon", "data_format", "is_training")}
        found = gradient()(g, x, scale, *kept, *more, **attrs)
        return [*found[:3], None, None]

    return vjp


_ATTRS = (
    "epsilon: float = 0.0001; exponential_avg_factor: float = 1.0; data_format: {'NHWC', 'NCHW'} = 'NHWC'; "
    "is_training: bool = True"
)


def _of_volumes(attrs: str) -> str:
    return attrs.replace("'NCHW'", "'NCHW', 'NDHWC', 'NCDHW'")


_OUTPUTS = "y: T, batch_mean: {0}, batch_variance: {0}, reserve_space_1: {0}, reserve_space_2: {0}"
_SMALL = (float16, bfloat16, float32)
FusedBatchNorm = define(
    "FusedBatchNorm", "x: T[4], scale: T, offset: T, mean: T, variance: T -> " + _OUTPUTS.format("T"),
    attrs="T: type; " + _ATTRS, allowed={"T": (float32,)}, infer=_infer(5), kernel=_normalized,
    emit=_emit_inference,
    vjp=_vjp(lambda: FusedBatchNormGrad), traits=(FRESH,),
)  # fmt: skip
FusedBatchNormV2 = define(
    "FusedBatchNormV2", "x: T[4], scale: U, offset: U, mean: U, variance: U -> " + _OUTPUTS.format("U"),
    attrs="T: type; U: type; " + _ATTRS, allowed={"T": _SMALL, "U": (float32,)}, infer=_infer(5), kernel=_normalized,
    emit=_emit_inference,
    vjp=_vjp(lambda: FusedBatchNormGradV2), traits=(FRESH,),
)  # fmt: skip


def _with_nothing(
    x: Array, scale: Array, offset: Array, mean: Array, variance: Array, *, epsilon: float,
    exponential_avg_factor: float, data_format: str, is_training: bool
) -> tuple[Any, ...]:  # fmt: skip
    found = _normalized(
        x, scale, offset, mean, variance, epsilon=epsilon, exponential_avg_factor=exponential_avg_factor,
        data_format=data_format, is_training=is_training,
    )  # fmt: skip
    return (*found, np.zeros(0, scale.dtype))


FusedBatchNormV3 = define(
    "FusedBatchNormV3",
    "x: T[4], scale: U, offset: U, mean: U, variance: U -> " + _OUTPUTS.format("U") + ", reserve_space_3: U",
    attrs="T: type; U: type; " + _of_volumes(_ATTRS), allowed={"T": _SMALL, "U": (bfloat16, float32)}, infer=_infer(6),
    kernel=_with_nothing, emit=_emit_inference,
    vjp=_vjp(lambda: FusedBatchNormGradV3, 1), traits=(FRESH,),
)  # fmt: skip


# --- gradients -------------------------------------------------------------------------------------------------------
def _backward(
    g: Array, x: Array, scale: Array, mean: Array, variance: Array, epsilon: float, data_format: str, is_training: bool
) -> tuple[Any, ...]:  # fmt: skip
    axes = _others(x, data_format)
    wide, slope = x.astype(np.float32), g.astype(np.float32)
    inverse = 1 / np.sqrt(variance.astype(np.float32) + np.float32(epsilon))
    centered = (wide - _along(mean, x, data_format)) * _along(inverse, x, data_format)
    offset_slope = slope.sum(axes, dtype=np.float32)
    scale_slope = (slope * centered).sum(axes, dtype=np.float32)
    factor = _along(scale.astype(np.float32) * inverse, x, data_format)
    if is_training:
        count = np.float32(x.size // max(np.size(mean), 1))
        shared = _along(offset_slope, x, data_format) + centered * _along(scale_slope, x, data_format)
        back = factor * (slope - shared / count)
    else:
        back = factor * slope
    empty = np.zeros(0, np.float32)
    return back.astype(x.dtype), scale_slope, offset_slope, empty, empty


def _back_infer(c: InferContext) -> list[Dims]:
    dims = merge(c.dims(1), (None,) * len(c.attrs["data_format"]))
    depth: Dims = (None,) if dims is None else (dims[_channels(len(dims), c.attrs["data_format"])],)
    return [merge(c.dims(0), dims), depth, depth, (0,), (0,)]


_BACK = "epsilon: float = 0.0001; data_format: {'NHWC', 'NCHW'} = 'NHWC'; is_training: bool = True"
_GRADS = "x_backprop: T, scale_backprop: {0}, offset_backprop: {0}, reserve_space_{1}: {0}, reserve_space_{2}: {0}"
FusedBatchNormGrad: OpDef = define(
    "FusedBatchNormGrad",
    "y_backprop: T, x: T, scale: T[1], reserve_space_1: T[1], reserve_space_2: T[1] -> " + _GRADS.format("T", 3, 4),
    attrs="T: type; " + _BACK, allowed={"T": (float32,)}, infer=_back_infer,
    kernel=lambda g, x, scale, mean, variance, *, epsilon, data_format, is_training: _backward(
        g, x, scale, mean, variance, epsilon, data_format, is_training
    ),
)  # fmt: skip
FusedBatchNormGradV2: OpDef = define(
    "FusedBatchNormGradV2",
    "y_backprop: T, x: T, scale: float32[1], reserve_space_1: U[1], reserve_space_2: U[1] -> " + _GRADS.format("U", 3, 4),
    attrs="T: type; U: type; " + _BACK, allowed={"T": _SMALL, "U": (float32,)}, infer=_back_infer,
    kernel=lambda g, x, scale, mean, variance, *, epsilon, data_format, is_training: _backward(
        g, x, scale, mean, variance, epsilon, data_format, is_training
    ),
)  # fmt: skip
FusedBatchNormGradV3: OpDef = define(
    "FusedBatchNormGradV3",
    "y_backprop: T, x: T, scale: float32[1], reserve_space_1: U[1], reserve_space_2: U[1], reserve_space_3: U -> "
    + _GRADS.format("U", 4, 5),
    attrs="T: type; U: type; " + _of_volumes(_BACK), allowed={"T": _SMALL, "U": (float32,)}, infer=_back_infer,
    kernel=lambda g, x, scale, mean, variance, rest, *, epsilon, data_format, is_training: _backward(
        g, x, scale, mean, variance, epsilon, data_format, is_training
    ),
)  # fmt: skip
