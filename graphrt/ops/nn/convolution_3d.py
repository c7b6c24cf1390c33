"""Convolutions in three dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define
from graphrt.ops.array.shape import Shape
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
from graphrt.tensor.call import Call
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import FLOATING, INDEX
from graphrt.types.likes import Array, Padding, PerAxis, ShapeLike
from graphrt.types.shape import Dims

__all__ = ["conv3d", "conv3d_transpose"]


# --- convolution -----------------------------------------------------------------------------------------------------
_CONV = (
    "strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'; "
    "dilations: list(int) = [1, 1, 1, 1, 1]"
)


def _conv_dims(c: InferContext) -> Dims:
    w = c.dims(1)
    rate = three(c.attrs["dilations"], c.attrs["data_format"])
    if w is None:
        return space_dims(c.dims(0), [None] * 3, c.attrs, None)
    if len(w) != 5:
        raise ShapeError(f"Shape must be rank 5 but is rank {len(w)}")
    window = [None if k is None else (k - 1) * r + 1 for k, r in zip(w[:3], rate)]
    return space_dims(c.dims(0), window, c.attrs, w[4])


def _geometry(
    size: Sequence[int], kernel: Sequence[int], strides: PerAxis, padding: Padding, form: str, dilations: PerAxis
) -> tuple[list[int], list[int], list[int], list[tuple[Any, ...]]]:
    stride, rate = three(strides, form), three(dilations, form)
    reach = [(k - 1) * r + 1 for k, r in zip(kernel, rate)]
    return stride, rate, reach, pads_of(size, reach, stride, padding)


def _conv(x: Array, w: Array, *, strides: PerAxis, padding: Padding, data_format: str, dilations: PerAxis) -> Array:
    if np.ndim(x) != 5 or np.ndim(w) != 5:
        raise bad(f"input and filter must be 5-dimensional: {text_of(np.shape(x))} and {text_of(np.shape(w))}")
    v = last(x, data_format)
    if v.shape[4] != w.shape[3]:
        raise bad(f"input depth must be evenly divisible by filter depth: {v.shape[4]} vs {w.shape[3]}")
    stride, rate, reach, pads = _geometry(v.shape[1:4], w.shape[:3], strides, padding, data_format, dilations)
    out = np.tensordot(view_of(padded(v, pads), reach, stride, rate), w, axes=((5, 6, 7, 4), (0, 1, 2, 3)))
    return from_last(out.astype(x.dtype, copy=False), data_format)


def _conv_input(
    sizes: Array, w: Array, g: Array, *, strides: PerAxis, padding: Padding, data_format: str, dilations: PerAxis
) -> Array:
    full = ints(sizes)
    space, depth = three(full, data_format), full[1] if first(data_format) else full[4]
    stride, rate, _, pads = _geometry(space, w.shape[:3], strides, padding, data_format, dilations)
    back = last(g, data_format)
    shape = (full[0], *(n + sum(p) for n, p in zip(space, pads)), depth)
    parts = np.tensordot(back, w, axes=((4,), (4,))).transpose(0, 1, 2, 3, 7, 4, 5, 6)
    whole = spread(shape, parts, stride, rate)
    inner = tuple(slice(p[0], p[0] + n) for p, n in zip(pads, space))
    return from_last(whole[(slice(None), *inner)].astype(g.dtype, copy=False), data_format)


def _conv_filter(
    x: Array, sizes: Array, g: Array, *, strides: PerAxis, padding: Padding, data_format: str, dilations: PerAxis
) -> Array:
    dims, v = ints(sizes), last(x, data_format)
    stride, rate, reach, pads = _geometry(v.shape[1:4], dims[:3], strides, padding, data_format, dilations)
    view = view_of(padded(v, pads), reach, stride, rate)
    out = np.tensordot(view, last(g, data_format), axes=((0, 1, 2, 3), (0, 1, 2, 3)))
    return out.transpose(1, 2, 3, 0, 4).astype(x.dtype, copy=False)


def _attrs(call: Call) -> dict[str, Any]:
    return {k: call.attrs[k] for k in ("strides", "padding", "data_format", "dilations")}


Conv3D = define(
    "Conv3D", "input: T, filter: T -> output: T", attrs="T: type; " + _CONV, allowed={"T": FLOATING},
    infer=_conv_dims, kernel=_conv,
    vjp=lambda call, g: [
        Conv3DBackpropInputV2(Shape(call.inputs[0]), call.inputs[1], g, **_attrs(call)),
        Conv3DBackpropFilterV2(call.inputs[0], Shape(call.inputs[1]), g, **_attrs(call)),
    ],
)  # fmt: skip
Conv3DBackpropInputV2: OpDef = define(
    "Conv3DBackpropInputV2", "input_sizes: Tshape, filter: T, out_backprop: T -> output: T",
    attrs="T: type; " + _CONV + "; Tshape: type = int32", allowed={"T": FLOATING, "Tshape": INDEX},
    infer=lambda c: c.shape_from(0) or (None,) * 5, kernel=_conv_input,
    vjp=lambda call, g: [
        None,
        Conv3DBackpropFilterV2(g, Shape(call.inputs[1]), call.inputs[2], **_attrs(call)),
        Conv3D(g, call.inputs[1], **_attrs(call)),
    ],
)  # fmt: skip
Conv3DBackpropFilterV2: OpDef = define(
    "Conv3DBackpropFilterV2", "input: T, filter_sizes: int32, out_backprop: T -> output: T",
    attrs="T: type; " + _CONV, allowed={"T": FLOATING}, infer=lambda c: c.shape_from(1) or (None,) * 5,
    kernel=_conv_filter,
    vjp=lambda call, g: [
        Conv3DBackpropInputV2(Shape(call.inputs[0]), g, call.inputs[2], **_attrs(call)), None,
        Conv3D(call.inputs[0], g, **_attrs(call)),
    ],
)  # fmt: skip


def conv3d(
    input: TensorLike, filters: TensorLike, strides: PerAxis, padding: str, data_format: str = "NDHWC",
    dilations: PerAxis | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The convolution of volumes.

    >>> import graphrt as tf
    >>> tf.nn.conv3d(tf.ones([1, 3, 3, 3, 2]), tf.ones([2, 2, 2, 2, 4]), [1, 1, 1, 1, 1], "VALID").shape
    TensorShape([1, 2, 2, 2, 4])

    Raises:
      ValueError: an option is not valid.
      InvalidArgumentError: the shapes do not fit.
    """
    rate = five(1 if dilations is None else dilations, data_format, "dilations")
    return Conv3D(
        input, filters, strides=five(strides, data_format, "strides"), padding=padding_of(padding),
        data_format=data_format, dilations=rate, name=name,
    )  # fmt: skip


def conv3d_transpose(
    input: TensorLike, filters: TensorLike, output_shape: ShapeLike, strides: PerAxis, padding: str = "SAME",
    data_format: str = "NDHWC", dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The transpose (gradient) of `conv3d`: volumes of `output_shape`.

    >>> import graphrt as tf
    >>> x, w = tf.ones([1, 2, 2, 2, 3]), tf.ones([2, 2, 2, 1, 3])
    >>> tf.nn.conv3d_transpose(x, w, [1, 4, 4, 4, 1], 2).shape
    TensorShape([1, 4, 4, 4, 1])

    Raises:
      ValueError: an option is not valid.
    """
    rate = five(1 if dilations is None else dilations, data_format, "dilations")
    return Conv3DBackpropInputV2(
        output_shape, filters, input, strides=five(strides, data_format, "strides"), padding=padding_of(padding),
        data_format=data_format, dilations=rate, name=name or "conv3d_transpose",
    )  # fmt: skip
