"""Convolutions of images, batch first, channels last (NHWC) or second (NCHW)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import BY_IMAGE, FRESH, OVER_IMAGES, define
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.shape import expand_dims, reshape, squeeze
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.slicing import getitem
from graphrt.ops.nn.window_products import PIECE, filter_products, is_plain, products
from graphrt.ops.nn.windows import (
    first,
    format_of,
    four,
    from_last,
    in_pieces,
    out_dims,
    padding_of,
    pads_of,
    space,
    to_last,
    windows,
    with_pads,
)
from graphrt.ops.support.kernel_helpers import bad, ints, summed_in, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import FLOATING, int32
from graphrt.types.likes import Array, Padding, PerAxis, ShapeLike
from graphrt.types.shape import Dims

__all__ = [
    "atrous_conv2d", "conv1d", "conv2d", "conv2d_transpose",
]  # fmt: skip


# --- Conv2D ----------------------------------------------------------------------------------------------------------
_CONV = (
    "strides: list(int); use_cudnn_on_gpu: bool = True; padding: {'SAME', 'VALID', 'EXPLICIT'}; "
    "explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]"
)


def _conv_dims(c: InferContext) -> Dims:
    dims, kernel = c.dims(0), c.dims(1)
    if kernel is not None and len(kernel) != 4:
        raise ShapeError(f"Shape must be rank 4 but is rank {len(kernel)}")
    dilation = space(c.attrs["dilations"], c.attrs["data_format"])
    if kernel is None:
        window: list[int | None] = [None, None]
    else:
        window = [None if k is None else (k - 1) * d + 1 for k, d in zip(kernel[:2], dilation)]
        if dims is not None and len(dims) == 4:
            depth = dims[1] if first(c.attrs["data_format"]) else dims[3]
            if depth is not None and kernel[2] is not None and (not kernel[2] or not depth or depth % kernel[2]):
                raise ShapeError(f"Depth of input ({depth}) is not a multiple of input depth of filter ({kernel[2]})")
            if depth and kernel[2] and kernel[3] is not None and kernel[3] % (depth // kernel[2]):
                raise ShapeError(
                    f"Depth of output ({kernel[3]}) is not a multiple of the number of groups ({depth // kernel[2]})"
                )
    return out_dims(dims, window, c.attrs, None if kernel is None else kernel[3])


def _setup(
    size: tuple[int, ...], kernel_dims: Sequence[int], strides: PerAxis, padding: Padding, explicit: list[int],
    form: str, dilations: PerAxis
) -> tuple[tuple[int, ...], tuple[int, ...], list[int], list[tuple[Any, ...]]]:  # fmt: skip
    stride, dilation = space(strides, form), space(dilations, form)
    if min(dilation) < 1:
        raise bad(f"Dilated rates should be larger than 0, got {text_of(dilation)}")
    reach = [(k - 1) * d + 1 for k, d in zip(kernel_dims[:2], dilation)]
    return stride, dilation, reach, pads_of(padding, explicit, size, reach, stride, form)


def _conv_kernel(
    x: Array, w: Array, *, strides: PerAxis, padding: Padding, explicit_paddings: list[int], data_format: str,
    dilations: PerAxis
) -> Array:  # fmt: skip
    if np.ndim(x) != 4 or np.ndim(w) != 4:
        raise bad(f"input and filter must be 4-dimensional: {text_of(np.shape(x))} and {text_of(np.shape(w))}")
    if w.shape[:2] == (1, 1) and w.shape[2] == x.shape[3] and strides == [1, 1, 1, 1] and padding != "EXPLICIT":
        if data_format == "NHWC" and x.size and w.size and is_plain(x, w) and x.dtype.kind == "f":
            return products(x[..., None, None], w)  # of each pixel
    image = to_last(x, data_format)
    stride, dilation, reach, pads = _setup(
        image.shape[1:3], w.shape, strides, padding, explicit_paddings, data_format, dilations
    )
    if image.shape[3] % max(w.shape[2], 1) or not w.shape[2] or not image.shape[3]:
        raise bad(f"input depth must be evenly divisible by filter depth: {image.shape[3]} vs {w.shape[2]}")
    padded = with_pads(image, pads)
    if any(n < r - s for n, r, s in zip(padded.shape[1:3], reach, stride)):
        raise ShapeError(
            f"Computed output size would be negative: input {text_of(padded.shape)}, filter {text_of(w.shape)}"
        )
    view = windows(padded, w.shape[:2], stride, dilation)
    groups = image.shape[3] // w.shape[2]
    if w.shape[3] % groups:
        raise bad(f"output depth must be evenly divisible by number of groups: {w.shape[3]} vs {groups}")
    if groups == 1:
        out = products(view, w)
    else:
        depth, each = w.shape[2], w.shape[3] // groups
        parts = [
            products(view[:, :, :, g * depth : (g + 1) * depth], w[..., g * each : (g + 1) * each])
            for g in range(groups)
        ]
        out = np.concatenate(parts, axis=3)
    return from_last(out.astype(x.dtype, copy=False), data_format)


def _same_attrs(attrs: dict[str, bool | list[int] | str]) -> dict[str, Any]:
    return {k: attrs[k] for k in ("strides", "padding", "explicit_paddings", "data_format", "dilations")}


def _conv_vjp(call: Any, g: object) -> list[Any]:
    x, w = call.inputs
    attrs = _same_attrs(call.attrs)
    return [
        Conv2DBackpropInput(shape_(x), w, g, **attrs),
        Conv2DBackpropFilter(x, shape_(w), g, **attrs),
    ]


Conv2D = define(
    "Conv2D", "input: T, filter: T -> output: T", attrs=_CONV, allowed={"T": (*FLOATING, int32)},
    infer=_conv_dims, kernel=_conv_kernel, vjp=_conv_vjp, traits=(FRESH, BY_IMAGE),
)  # fmt: skip


def spread(image: Array, parts: Array, stride: tuple[int, ...], dilation: tuple[int, ...]) -> None:
    """Adds `parts` (batch, row, column, channel, and position in the window) to where the windows came from."""
    rows, columns = parts.shape[1:3]
    for i in range(parts.shape[4]):
        for j in range(parts.shape[5]):
            top, left = i * dilation[0], j * dilation[1]
            image[:, top : top + rows * stride[0] : stride[0], left : left + columns * stride[1] : stride[1]] += parts[
                ..., i, j
            ]


def _spread_products(image: Array, back: Array, w: Array, stride: tuple[int, ...], dilation: tuple[int, ...]) -> None:
    """Adds what comes back through the filters to where the windows came from, part by part."""
    filters = np.ascontiguousarray(w.reshape(-1, w.shape[3]).T)
    row = back.shape[2] * filters.shape[1]
    for images, rows in in_pieces(back.shape, row, PIECE):
        some = back[images, rows]
        parts = np.matmul(some.reshape(-1, w.shape[3]), filters).reshape(*some.shape[:3], *w.shape[:3])
        top = rows.start * stride[0]
        spread(image[images, top:], parts.transpose(0, 1, 2, 5, 3, 4), stride, dilation)


def _turned_products(back: Array, w: Array, pads: list[tuple[Any, ...]], groups: int) -> Array:
    """What comes back through the filters to each element of the images: each sees the windows that saw it."""
    around = with_pads(back, [(k - 1 - before, k - 1 - after) for k, (before, after) in zip(w.shape[:2], pads)])
    turned = np.ascontiguousarray(w[::-1, ::-1].transpose(0, 1, 3, 2))
    view, each = windows(around, w.shape[:2], (1, 1), (1, 1)), w.shape[3] // groups
    if groups == 1:
        return products(view, turned)
    parts = [slice(k * each, (k + 1) * each) for k in range(groups)]
    return np.concatenate([products(view[:, :, :, p], turned[:, :, p]) for p in parts], axis=3)


def _input_kernel(
    sizes: Array, w: Array, g: Array, *, strides: PerAxis, padding: Padding, explicit_paddings: list[Any],
    data_format: str, dilations: PerAxis
) -> Array:  # fmt: skip
    full = ints(sizes)
    if len(full) != 4:
        raise bad(f"input_sizes must have 4 elements, got {full}")
    n, (h, wd), depth = full[0], space(full, data_format), full[1] if first(data_format) else full[3]
    back = to_last(g, data_format)
    stride, dilation, reach, pads = _setup(
        (h, wd), w.shape, strides, padding, explicit_paddings, data_format, dilations
    )
    wide = summed_in(g.dtype)
    w, back = w.astype(wide, copy=False), back.astype(wide, copy=False)
    dims = n, h + sum(pads[0]), wd + sum(pads[1]), depth
    view = [(dims[i + 1] - reach[i]) // stride[i] + 1 for i in (0, 1)]
    if list(back.shape[1:3]) != view:
        raise bad(f"Size of out_backprop doesn't match computed: actual = {text_of(back.shape[1:3])}, "
                  f"computed = {text_of(view)}")  # fmt: skip
    if len(back) != n:
        raise bad(f"input_sizes has a batch of {n}, out_backprop one of {len(back)}")
    if depth % w.shape[2] or back.shape[3] != w.shape[3]:
        raise bad(f"filters of shape {text_of(w.shape)} give {w.shape[3]} channels from a multiple of {w.shape[2]}: "
                  f"input_sizes has {depth}, out_backprop {back.shape[3]}")  # fmt: skip
    groups = depth // w.shape[2]
    each = w.shape[3] // groups
    if stride == dilation == (1, 1) and 0 not in w.shape and all(max(p) < k for p, k in zip(pads, w.shape)):
        return from_last(_turned_products(back, w, pads, groups).astype(g.dtype, copy=False), data_format)
    image = np.zeros(dims, wide)
    for k in range(groups):
        _spread_products(
            image[..., k * w.shape[2] : (k + 1) * w.shape[2]], back[..., k * each : (k + 1) * each],
            w[..., k * each : (k + 1) * each], stride, dilation,
        )  # fmt: skip
    out = image[:, pads[0][0] : pads[0][0] + h, pads[1][0] : pads[1][0] + wd]
    return from_last(np.ascontiguousarray(out, g.dtype), data_format)


def _input_vjp(call: Any, g: object) -> list[Any]:
    _, w, back = call.inputs
    attrs = _same_attrs(call.attrs)
    return [None, Conv2DBackpropFilter(g, shape_(w), back, **attrs), Conv2D(g, w, **attrs)]


Conv2DBackpropInput = define(
    "Conv2DBackpropInput", "input_sizes: int32[1], filter: T[4], out_backprop: T[4] -> output: T", attrs=_CONV,
    allowed={"T": (*FLOATING, int32)}, infer=lambda c: c.shape_from(0) or (None,) * 4, kernel=_input_kernel,
    vjp=_input_vjp, traits=(FRESH, BY_IMAGE),
)  # fmt: skip


def _filter_kernel(
    x: Array, sizes: Array, g: Array, *, strides: PerAxis, padding: Padding, explicit_paddings: list[Any],
    data_format: str, dilations: PerAxis
) -> Array:  # fmt: skip
    dims = ints(sizes)
    image, back = to_last(x, data_format), to_last(g, data_format)
    stride, dilation, _, pads = _setup(
        image.shape[1:3], dims, strides, padding, explicit_paddings, data_format, dilations
    )
    view = windows(with_pads(image, pads), dims[:2], stride, dilation)
    groups = image.shape[3] // dims[2]
    each = dims[3] // groups
    parts = []
    for k in range(groups):
        parts.append(
            filter_products(view[:, :, :, k * dims[2] : (k + 1) * dims[2]], back[..., k * each : (k + 1) * each])
        )
    return np.concatenate(parts, axis=3).astype(x.dtype, copy=False)


def _filter_vjp(call: Any, g: object) -> list[Any]:
    x, _, back = call.inputs
    attrs = _same_attrs(call.attrs)
    return [Conv2DBackpropInput(shape_(x), g, back, **attrs), None, Conv2D(x, g, **attrs)]


Conv2DBackpropFilter = define(
    "Conv2DBackpropFilter", "input: T, filter_sizes: int32[1], out_backprop: T -> output: T", attrs=_CONV,
    allowed={"T": FLOATING}, infer=lambda c: c.shape_from(1) or (None,) * 4, kernel=_filter_kernel, vjp=_filter_vjp,
    traits=(FRESH, OVER_IMAGES),
)  # fmt: skip


# --- pooling ---------------------------------------------------------------------------------------------------------
SIZES = "ksize: list(int) >= 4; strides: list(int) >= 4"


def conv2d(
    input: TensorLike, filters: TensorLike, strides: PerAxis, padding: Padding, data_format: str = "NHWC",
    dilations: PerAxis | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The 2-D convolution of images with filters of shape `[height, width, channels in, channels out]`.

    >>> import graphrt as tf
    >>> tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), 1, "VALID").shape
    TensorShape([1, 2, 2, 1])

    Raises:
      ValueError: an option is not valid.
      InvalidArgumentError: the shapes do not fit.
    """
    form = format_of(data_format)
    kind, explicit = padding_of(padding, form)
    x = as_tensor(input)
    if x.dims is not None and len(x.dims) > 4:
        lead = x.dims[:-3]
        flat = reshape(x, concat([[-1], getitem(shape_(x), slice(-3, None))], 0))
        found = conv2d(flat, filters, strides, padding, data_format, dilations, name)
        out = reshape(found, concat([getitem(shape_(x), slice(None, -3)),
                                             getitem(shape_(found), slice(1, None))], 0))  # fmt: skip
        if hasattr(out, "value"):
            out.set_shape([*lead, *found.shape[1:]])
        return out
    return Conv2D(
        x, filters, strides=four(strides, form, "strides"), padding=kind, explicit_paddings=explicit,
        data_format=form, dilations=four(dilations, form, "dilations"), name=name or "Conv2D",
    )  # fmt: skip


def conv1d(
    input: TensorLike, filters: TensorLike, stride: PerAxis, padding: Padding, data_format: str = "NWC",
    dilations: PerAxis | None = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """The 1-D convolution of sequences with filters of shape `[width, channels in, channels out]`.

    >>> import graphrt as tf
    >>> tf.nn.conv1d(tf.ones([1, 4, 1]), tf.ones([2, 1, 1]), 1, "VALID").shape
    TensorShape([1, 3, 1])

    Raises:
      ValueError: an option is not valid.
      InvalidArgumentError: the shapes do not fit.
    """
    if data_format not in ("NWC", "NCW", None, "NHWC", "NCHW"):
        raise ValueError(errors.at_user_line("`data_format` must be 'NWC' or 'NCW'"))
    second = data_format in ("NCW", "NCHW")
    if np.size(stride) == 0 or (dilations is not None and np.size(dilations) == 0):
        raise ValueError(
            errors.at_user_line("stride and dilations must be numbers, or lists of them; found an empty list")
        )
    with scope(name, "conv1d"):
        axis = 2 if second else 1
        step = int(np.ravel(stride)[len(np.ravel(stride)) // 2])
        wide = 1 if dilations is None else int(np.ravel(dilations)[len(np.ravel(dilations)) // 2])
        found = conv2d(
            expand_dims(input, axis), expand_dims(filters, 0), [1, step], padding,
            "NCHW" if second else "NHWC", [1, wide],
        )  # fmt: skip
        return squeeze(found, [axis])


def conv2d_transpose(
    input: TensorLike, filters: TensorLike, output_shape: ShapeLike, strides: PerAxis, padding: Padding = "SAME",
    data_format: str = "NHWC", dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The gradient of a convolution by its input, used as an op: images made larger.

    >>> import graphrt as tf
    >>> tf.nn.conv2d_transpose(tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1]), [1, 4, 4, 1], 2).shape
    TensorShape([1, 4, 4, 1])

    Raises:
      ValueError: an option is not valid.
      InvalidArgumentError: the shapes do not fit.
    """
    form = format_of(data_format)
    kind, explicit = padding_of(padding, form)
    return Conv2DBackpropInput(
        output_shape, filters, input, strides=four(strides, form, "strides"), padding=kind,
        explicit_paddings=explicit, data_format=form, dilations=four(dilations, form, "dilations"),
        name=name or "conv2d_transpose",
    )  # fmt: skip


def atrous_conv2d(
    value: TensorLike, filters: TensorLike, rate: int, padding: Padding, name: str | None = None
) -> Tensor:
    """A convolution whose filter is spread out: `rate - 1` pixels are left out between two of its elements.

    >>> import graphrt as tf
    >>> tf.nn.atrous_conv2d(tf.ones([1, 5, 5, 1]), tf.ones([3, 3, 1, 1]), 2, "VALID").shape
    TensorShape([1, 1, 1, 1])

    Raises:
      ValueError: an option is not valid.
    """
    return conv2d(value, filters, 1, padding, dilations=[rate, rate], name=name)
