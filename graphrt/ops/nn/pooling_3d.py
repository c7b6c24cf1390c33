"""Pooling in three dimensions, and its gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define, provide
from graphrt.ops.array.shape import Shape
from graphrt.ops.nn.windows import greatest
from graphrt.ops.nn.windows_3d import (
    first,
    five,
    from_last,
    last,
    padded,
    padding_of,
    pads_of,
    space_dims,
    spread,
    three,
    view_of,
)
from graphrt.ops.support.kernel_helpers import bad, ints, text_of
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.accumulate import combine_at
from graphrt.types.dtype import FLOATING, REAL, bfloat16, float16, float32
from graphrt.types.likes import Array, Padding, PerAxis
from graphrt.types.shape import Dims

__all__ = ["avg_pool3d", "max_pool3d"]


# --- pooling ---------------------------------------------------------------------------------------------------------
_POOL = (
    "ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; "
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'; T: type"
)


def _pool_dims(c: InferContext) -> Dims:
    dims, form = c.dims(0), c.attrs["data_format"]
    depth = None if dims is None or len(dims) != 5 else dims[1] if first(form) else dims[4]
    return space_dims(dims, three(c.attrs["ksize"], form), c.attrs, depth)


def _pool_view(
    x: Array, ksize: PerAxis, strides: PerAxis, padding: Padding, form: str, value: float
) -> tuple[Array, list[tuple[Any, ...]], list[int], list[int], tuple[int, ...]]:
    if np.ndim(x) != 5:
        raise bad(f"tensor_in must be 5-dimensional: {text_of(np.shape(x))}")
    v = last(x, form)
    window, stride = three(ksize, form), three(strides, form)
    if min(window) < 1:
        raise bad(f"a window must have a size of at least 1, found {text_of(window)}")
    pads = pads_of(v.shape[1:4], window, stride, padding)
    return view_of(padded(v, pads, value), window, stride, (1, 1, 1)), pads, window, stride, v.shape


def _counts(shape: tuple[int, ...], window: Any, stride: PerAxis, pads: Any, dtype: np.dtype[Any]) -> Array:
    """How many elements that are there each window holds."""
    ones = padded(np.ones((1, *shape[1:4], 1), dtype), pads)
    return view_of(ones, window, stride, (1, 1, 1)).sum((5, 6, 7))


def _avg(x: Array, *, ksize: PerAxis, strides: PerAxis, padding: Padding, data_format: str) -> Array:
    view, pads, window, stride, shape = _pool_view(x, ksize, strides, padding, data_format, 0)
    out = view.sum((5, 6, 7), dtype=x.dtype) / _counts(shape, window, stride, pads, x.dtype)
    return from_last(out.astype(x.dtype, copy=False), data_format)


def _avg_grad(sizes: Array, g: Array, *, ksize: PerAxis, strides: PerAxis, padding: Padding, data_format: str) -> Array:
    full = ints(sizes)
    space = three(full, data_format)
    window, stride = three(ksize, data_format), three(strides, data_format)
    pads = pads_of(space, window, stride, padding)
    back = last(g, data_format)
    share = back / _counts((1, *space, 1), window, stride, pads, g.dtype)
    parts = np.broadcast_to(share[..., None, None, None], (*share.shape, *window))
    shape = (back.shape[0], *(n + sum(p) for n, p in zip(space, pads)), back.shape[4])
    whole = spread(shape, parts, stride, (1, 1, 1))
    inner = tuple(slice(p[0], p[0] + n) for p, n in zip(pads, space))
    return from_last(whole[(slice(None), *inner)].astype(g.dtype, copy=False), data_format)


def _pool_attrs(call: Any) -> dict[str, Any]:
    return {k: call.attrs[k] for k in ("ksize", "strides", "padding", "data_format")}


AvgPool3D = define(
    "AvgPool3D", "input: T -> output: T", attrs=_POOL, allowed={"T": FLOATING}, infer=_pool_dims, kernel=_avg,
    vjp=lambda call, g: [AvgPool3DGrad(Shape(call.inputs[0]), g, **_pool_attrs(call))],
)  # fmt: skip
AvgPool3DGrad: OpDef = define(
    "AvgPool3DGrad", "orig_input_shape: int32, grad: T -> output: T", attrs=_POOL, allowed={"T": FLOATING},
    infer=lambda c: c.shape_from(0) or (None,) * 5, kernel=_avg_grad,
    vjp=lambda call, g: [None, AvgPool3D(g, **_pool_attrs(call))],
)  # fmt: skip

_MAXED = (float16, bfloat16, float32)


def _max(x: Array, *, ksize: PerAxis, strides: PerAxis, padding: Padding, data_format: str) -> Array:
    view, pads, window, stride, _ = _pool_view(x, ksize, strides, padding, data_format, -np.inf)
    if not view.size:
        return from_last(view.max((5, 6, 7), initial=-np.inf).astype(x.dtype, copy=False), data_format)
    out = padded(last(x, data_format), pads, -np.inf)
    for axis, (size, step, count) in enumerate(zip(window, stride, view.shape[1:4]), 1):  # along one after the other
        before = (slice(None),) * axis
        out = greatest([out[(*before, slice(at, at + (count - 1) * step + 1, step))] for at in range(size)])
    return from_last(out, data_format)


def _best(
    x: Array, ksize: PerAxis, strides: PerAxis, padding: Padding, form: str
) -> tuple[Array, list[tuple[Any, ...]], list[int], list[int], tuple[int, ...]]:
    view, pads, window, stride, shape = _pool_view(x, ksize, strides, padding, form, -np.inf)
    flat = view.reshape(*view.shape[:5], -1)
    return flat.argmax(-1), pads, window, stride, shape


def _max_grad(
    x: Array, y: Array, g: Array, *, ksize: PerAxis, strides: PerAxis, padding: Padding, data_format: str
) -> Array:
    if g.size == 0:
        return np.zeros(x.shape, g.dtype)
    best, pads, window, stride, shape = _best(x, ksize, strides, padding, data_format)
    whole = np.zeros((shape[0], *(n + sum(p) for n, p in zip(shape[1:4], pads)), shape[4]), g.dtype)
    n, i, j, k, c = np.ogrid[tuple(slice(d) for d in best.shape)]
    a, b, d = np.unravel_index(best, tuple(window))
    places = (n, i * stride[0] + a, j * stride[1] + b, k * stride[2] + d, c)
    combine_at(np.add, whole, places, last(g, data_format))
    inner = tuple(slice(p[0], p[0] + m) for p, m in zip(pads, shape[1:4]))
    return from_last(whole[(slice(None), *inner)], data_format)


def _max_grad_grad(
    x: Array, y: Array, g: Array, *, ksize: PerAxis, strides: PerAxis, padding: Padding, data_format: str
) -> Array:
    if np.shape(g) != x.shape:
        raise bad(f"Expected grad shape to be {text_of(x.shape)}, but got {text_of(np.shape(g))}")
    if y.size == 0:
        return np.zeros_like(y)
    best, pads, window, stride, _ = _best(x, ksize, strides, padding, data_format)
    view = view_of(padded(last(g, data_format), pads), window, stride, (1, 1, 1))
    flat = view.reshape(*view.shape[:5], -1)
    return from_last(np.take_along_axis(flat, best[..., None], -1)[..., 0], data_format)


MaxPool3D = define(
    "MaxPool3D", "input: T -> output: T", attrs=_POOL, allowed={"T": _MAXED}, infer=_pool_dims, kernel=_max,
    vjp=lambda call, g: [MaxPool3DGrad(call.inputs[0], call.outputs[0], g, **_pool_attrs(call))],
)  # fmt: skip
MaxPool3DGrad: OpDef = define(
    "MaxPool3DGrad", "orig_input: TInput, orig_output: TInput, grad: T -> output: T",
    attrs=_POOL + " = float32; TInput: type = float32", allowed={"T": _MAXED, "TInput": _MAXED},
    infer=lambda c: c.dims(0), kernel=_max_grad,
    vjp=lambda call, g: [None, None, MaxPool3DGradGrad(call.inputs[0], call.inputs[1], g, **_pool_attrs(call))],
)  # fmt: skip
MaxPool3DGradGrad: OpDef = define(
    "MaxPool3DGradGrad", "orig_input: T, orig_output: T, grad: T -> output: T", attrs=_POOL, allowed={"T": REAL},
    infer=lambda c: c.dims(1), kernel=_max_grad_grad,
    vjp=lambda call, g: [None, None, MaxPool3DGrad(call.inputs[0], call.inputs[1], g, **_pool_attrs(call))],
)  # fmt: skip


@provide
def max_pool3d(
    input: TensorLike, ksize: PerAxis, strides: PerAxis, padding: str, data_format: str = "NDHWC",
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The greatest element of each window of volumes.

    >>> import graphrt as tf
    >>> tf.nn.max_pool3d(tf.ones([1, 4, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 2, 1])

    Raises:
      ValueError: an option is not valid.
    """
    return MaxPool3D(
        input, ksize=five(ksize, data_format, "ksize"), strides=five(strides, data_format, "strides"),
        padding=padding_of(padding), data_format=data_format, name=name or "MaxPool3D",
    )  # fmt: skip


@provide
def avg_pool3d(
    input: TensorLike, ksize: PerAxis, strides: PerAxis, padding: str, data_format: str = "NDHWC",
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The mean of each window of volumes.

    >>> import graphrt as tf
    >>> tf.nn.avg_pool3d(tf.ones([1, 4, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 2, 1])

    Raises:
      ValueError: an option is not valid.
    """
    return AvgPool3D(
        input, ksize=five(ksize, data_format, "ksize"), strides=five(strides, data_format, "strides"),
        padding=padding_of(padding), data_format=data_format, name=name or "AvgPool3D",
    )  # fmt: skip
