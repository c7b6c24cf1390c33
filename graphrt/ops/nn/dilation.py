"""Dilation and erosion: the greatest, or least, of sums in a window."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define
from graphrt.ops.array.padding import ReverseV2
from graphrt.ops.math.elementwise import Neg
from graphrt.ops.support.kernel_helpers import bad, least
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.accumulate import combine_at
from graphrt.types.dtype import REAL
from graphrt.types.likes import Array, Padding, PerAxis
from graphrt.types.shape import Dims, merge

__all__ = ["dilation2d", "erosion2d"]


# --- dilation --------------------------------------------------------------------------------------------------------
def _reach(window: int, rate: int) -> int:
    return (window - 1) * rate + 1


def _extent(size: int, window: int, stride: int, rate: int, same: bool) -> tuple[int, int]:
    """Length of the output, and how much is padded in front."""
    reach = _reach(window, rate)
    if not same:
        return max((size - reach) // stride + 1, 0), 0
    out = -(-size // stride)
    return out, max((out - 1) * stride + reach - size, 0) // 2


def _sums(x: Array, w: Array, strides: Any, rates: Any, padding: Padding) -> tuple[Any, Any]:
    """For each place of the filter the shifted input plus its weight, and the geometry."""
    same = padding == "SAME"
    height, width, channels = w.shape
    if x.shape[3] != channels:
        raise bad(f"input and filter must have the same depth: {x.shape[3]} vs {channels}")
    rows, top = _extent(x.shape[1], height, strides[1], rates[1], same)
    cols, left = _extent(x.shape[2], width, strides[2], rates[2], same)
    tall, wide = (rows - 1) * strides[1] + _reach(height, rates[1]), (cols - 1) * strides[2] + _reach(width, rates[2])
    low = least(x.dtype)
    padded = np.full((x.shape[0], max(tall, top + x.shape[1]), max(wide, left + x.shape[2]), channels), low, x.dtype)
    padded[:, top : top + x.shape[1], left : left + x.shape[2]] = x
    found = np.empty((height * width, x.shape[0], rows, cols, channels), x.dtype)
    for i in range(height):
        for j in range(width):
            a, b = i * rates[1], j * rates[2]
            part = padded[:, a : a + tall : strides[1], b : b + wide : strides[2]][:, :rows, :cols]
            inside = part != low
            found[i * width + j] = np.where(inside, part + w[i, j], low)
    return found, (top, left, width)


def _dilate(x: Array, w: Array, *, strides: PerAxis, rates: PerAxis, padding: Padding) -> Array:
    return _sums(x, w, strides, rates, padding)[0].max(axis=0)


def _dilation_dims(c: InferContext) -> Dims:
    x, w = c.dims(0), c.dims(1)
    if x is None or w is None:
        return (None,) * 4
    if len(x) != 4 or len(w) != 3:
        raise ShapeError(
            f"Shape must be rank {4 if len(x) != 4 else 3} but is rank {len(x) if len(x) != 4 else len(w)}"
        )
    same = c.attrs["padding"] == "SAME"
    out: list[int | None] = []
    for axis in (1, 2):
        size, window = x[axis], w[axis - 1]
        if size is None or window is None:
            out.append(None)
        else:
            out.append(_extent(size, window, c.attrs["strides"][axis], c.attrs["rates"][axis], same)[0])
    return (x[0], *out, *merge(x[3:], w[2:]))  # type: ignore[misc]


def _winners(
    x: Array, w: Array, strides: Any, rates: Any, padding: Padding
) -> tuple[Array, tuple[Array, Array, Array, Array]]:
    """For each output which place of the filter won, and the coordinates of the input it took."""
    found, (top, left, width) = _sums(x, w, strides, rates, padding)
    best = found.argmax(axis=0)
    b, r, c, k = np.indices(best.shape)
    y = r * strides[1] - top + best // width * rates[1]
    z = c * strides[2] - left + best % width * rates[2]
    return best, (b, y, z, k)


def _dilate_input(x: Array, w: Array, g: Array, *, strides: PerAxis, rates: PerAxis, padding: Padding) -> Array:
    out = np.zeros_like(x)
    combine_at(np.add, out, _winners(x, w, strides, rates, padding)[1], g)
    return out


def _dilate_filter(x: Array, w: Array, g: Array, *, strides: PerAxis, rates: PerAxis, padding: Padding) -> Array:
    best, (_, _, _, k) = _winners(x, w, strides, rates, padding)
    out = np.zeros_like(w)
    combine_at(np.add, out, (best // w.shape[1], best % w.shape[1], k), g)
    return out


def _dilation_vjp(call: Any, g: object) -> list[Any]:
    attrs = {k: call.attrs[k] for k in ("strides", "rates", "padding")}
    x, w = call.inputs
    return [Dilation2DBackpropInput(x, w, g, **attrs), Dilation2DBackpropFilter(x, w, g, **attrs)]


_DILATION = "strides: list(int) >= 4; rates: list(int) >= 4; padding: {'SAME', 'VALID'}"
Dilation2D = define(
    "Dilation2D", "input: T[4], filter: T[3] -> output: T", attrs=_DILATION, allowed={"T": REAL}, infer=_dilation_dims,
    kernel=_dilate, vjp=_dilation_vjp,
)  # fmt: skip
Dilation2DBackpropInput = define(
    "Dilation2DBackpropInput", "input: T, filter: T, out_backprop: T -> in_backprop: T", attrs=_DILATION,
    allowed={"T": REAL}, infer=lambda c: c.dims(0), kernel=_dilate_input,
)  # fmt: skip
Dilation2DBackpropFilter = define(
    "Dilation2DBackpropFilter", "input: T, filter: T, out_backprop: T -> filter_backprop: T", attrs=_DILATION,
    allowed={"T": REAL}, infer=lambda c: c.dims(1), kernel=_dilate_filter,
)  # fmt: skip


def _check_format(data_format: str) -> None:
    if data_format != "NHWC":
        raise ValueError(
            errors.at_user_line(
                f"`data_format` values other  than 'NHWC' are not supported. Received: data_format={data_format}"
            )
        )


def dilation2d(
    input: TensorLike, filters: TensorLike, strides: PerAxis, padding: str, data_format: str, dilations: PerAxis,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The greatest sum of pixel and filter in each window, channel by channel.

    >>> import graphrt as tf
    >>> x = tf.reshape(tf.range(9.), [1, 3, 3, 1])
    >>> tf.nn.dilation2d(x, tf.zeros([2, 2, 1]), [1] * 4, "VALID", "NHWC", [1] * 4).numpy().ravel().tolist()
    [4.0, 5.0, 7.0, 8.0]

    Raises:
      ValueError: `data_format` is not "NHWC".
    """
    _check_format(data_format)
    return Dilation2D(input, filters, strides=strides, rates=dilations, padding=padding, name=name)


def erosion2d(
    value: TensorLike, filters: TensorLike, strides: PerAxis, padding: str, data_format: str, dilations: PerAxis,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The least difference of pixel and filter (turned about) in each window, channel by channel.

    >>> import graphrt as tf
    >>> x = tf.reshape(tf.range(9.), [1, 3, 3, 1])
    >>> tf.nn.erosion2d(x + 1., tf.zeros([2, 2, 1]), [1] * 4, "VALID", "NHWC", [1] * 4).numpy().ravel().tolist()
    [1.0, 2.0, 4.0, 5.0]

    Raises:
      ValueError: `data_format` is not "NHWC".
    """
    _check_format(data_format)
    with scope(name, "erosion2d") as own:
        turned = ReverseV2(as_tensor(filters), [0, 1])
        grown = Dilation2D(Neg(as_tensor(value)), turned, strides=strides, rates=dilations, padding=padding)
        return Neg(grown, name=own)
