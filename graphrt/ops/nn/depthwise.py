"""Depthwise convolutions: each channel has filters of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.op import BY_IMAGE, FRESH, OVER_IMAGES, define
from graphrt.ops.array.concat_split import stack
from graphrt.ops.array.shape import reshape
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.math.casting import cast
from graphrt.ops.nn.convolution import conv2d
from graphrt.ops.nn.windows import (
    first,
    format_of,
    four,
    from_last,
    in_pieces,
    out_dims,
    padding_of,
    pads_of,
    seen,
    space,
    to_last,
    whole,
    windows,
    with_pads,
)
from graphrt.ops.support import threads
from graphrt.ops.support.kernel_helpers import bad, ints, summed_in, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import FLOATING, int32
from graphrt.types.likes import Padding, PerAxis
from graphrt.types.shape import Dims, merge

__all__ = [
    "depthwise_conv2d", "depthwise_conv2d_backprop_filter", "depthwise_conv2d_backprop_input", "separable_conv2d",
]  # fmt: skip

_ATTRS = (
    "strides: list(int); padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []; "
    "data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]"
)


def _dims(c: Any) -> Dims:
    dims, kernel = c.dims(0), c.dims(1)
    if kernel is not None and len(kernel) != 4:
        raise ShapeError(f"Shape must be rank 4 but is rank {len(kernel)}")
    window: list[int | None] = [None, None]
    channels = None
    if kernel is not None:
        dilation = space(c.attrs["dilations"], c.attrs["data_format"])
        window = [None if k is None else (k - 1) * d + 1 for k, d in zip(kernel[:2], dilation)]
        channels = None if kernel[2] is None or kernel[3] is None else kernel[2] * kernel[3]
        if dims is not None and len(dims) == 4:
            depth = dims[1] if first(c.attrs["data_format"]) else dims[3]
            if depth is not None and kernel[2] is not None and depth != kernel[2]:
                raise ShapeError(f"Dimensions must be equal, but are {depth} and {kernel[2]}")
    return out_dims(dims, window, c.attrs, channels)


_PIECE = 1 << 17  # elements of an image that are worked on at a time
_WIDE = 256  # channels: as many are worth loops of their own
_EACH = 1 << 18  # multiplications that take as long as it takes to hand work to a thread
_LONG = 32  # channels: as many make the sum over a window worth to be one, pixel by pixel


class _Plan:
    """Where the windows of one convolution lie."""

    def __init__(
        self, size: Any, window: Any, strides: Any, padding: Any, explicit: Any, form: Any, dilations: Any
    ) -> None:
        self.stride, self.dilation = space(strides, form), space(dilations, form)
        self.reach = [(k - 1) * d + 1 for k, d in zip(window, self.dilation)]
        self.pads = pads_of(padding, explicit, size, self.reach, self.stride, form)
        self.out = [(n + sum(p) - r) // s + 1 for n, p, r, s in zip(size, self.pads, self.reach, self.stride)]

    def pieces(self, padded: Any, channels: int) -> Iterator[tuple[tuple[slice, slice], Any, int]]:
        """Parts of the windows that stay in the cache: images and rows, what they see of `padded`, how many rows."""
        rows, columns = self.out
        for images, some in in_pieces((len(padded), rows), max(columns * channels, 1), _PIECE):
            count = min(some.stop, rows) - some.start
            yield (images, some), padded[images, some.start * self.stride[0] :], count

    def seen(self, part: Any, rows: int, i: int, j: int) -> Any:
        """What position `i`, `j` of the first rows of windows sees of a part."""
        return seen(part, (rows, self.out[1]), (i, j), self.stride, self.dilation)


def _kernel(
    x: Any, w: Any, *, strides: Any, padding: Any, explicit_paddings: Any, data_format: Any, dilations: Any
) -> Any:
    if np.ndim(x) != 4 or np.ndim(w) != 4:
        raise bad(f"input and filter must be 4-dimensional: {text_of(np.shape(x))} and {text_of(np.shape(w))}")
    image = to_last(x, data_format)
    if image.shape[3] != w.shape[2]:
        raise bad(f"input and filter must have the same depth: {image.shape[3]} vs {w.shape[2]}")
    plan = _Plan(image.shape[1:3], w.shape[:2], strides, padding, explicit_paddings, data_format, dilations)
    if min(plan.out) < 0:
        raise ShapeError(
            f"Computed output size would be negative: input {text_of(image.shape)}, filter {text_of(w.shape)}"
        )
    wide = summed_in(x.dtype)
    padded = with_pads(image.astype(wide, copy=False), plan.pads)
    filters = w.astype(wide, copy=False)
    channels, each = w.shape[2:]
    out = np.empty((image.shape[0], *plan.out, channels, each), wide)
    if plan.stride[1] == 1 and _lie_in_rows(padded, w.shape, plan.out[1]):
        _by_row(padded, filters[..., 0], plan.stride[0], plan.dilation, out[..., 0])
    elif channels >= _LONG or out.size < _LONG * channels:
        view = windows(padded, w.shape[:2], plan.stride, plan.dilation)
        for k in range(each):
            _windows_times(view, filters[..., k], out[..., k], "nrcdij,ijd->nrcd")
    else:
        out[...] = 0
        _by_position(plan, padded, filters, out)
    flat = out.reshape(*out.shape[:3], channels * each)
    return from_last(flat.astype(x.dtype, copy=False), data_format)


def _lie_in_rows(padded: Any, dims: Any, columns: int) -> bool:
    """Whether `_by_row` is the fastest: filters, repeated for a row of pixels, stay in the cache."""
    taps, (channels, each) = dims[0] * dims[1], dims[2:]
    return bool(padded.flags.c_contiguous and each == 1 < channels < _WIDE and 0 < channels * columns * taps <= _PIECE)


def _by_row(padded: Any, filters: Any, step: int, dilation: Any, out: Any) -> None:
    """Sets `out` row by row of pixels: what a position of the windows sees of a row lies side by side."""
    count, rows, columns, channels = out.shape
    column = channels * padded.itemsize
    row = padded.shape[2] * column
    steps = padded.shape[1] * row, row * step, padded.itemsize, row * dilation[0], column * dilation[1]
    shape = count, rows, columns * channels, *filters.shape[:2]
    view = np.lib.stride_tricks.as_strided(padded, shape, steps, writeable=False)
    _windows_times(view, np.tile(filters, columns), out.reshape(shape[:3]), "nrxij,ijx->nrx")


def _windows_times(view: Any, filters: Any, out: Any, how: str) -> None:
    """Sets `out` to `np.einsum(how, view, filters)`: some of the images, or of the rows of one, on each thread."""
    most = view.size // _EACH
    if len(view) > 1:
        threads.in_parts(lambda a, b: np.einsum(how, view[a:b], filters, out=out[a:b]), len(view), most)
    else:
        threads.in_parts(lambda a, b: np.einsum(how, view[:, a:b], filters, out=out[:, a:b]), view.shape[1], most)


def _by_position(plan: _Plan, padded: Any, filters: Any, out: Any) -> None:
    """Adds to `out` what each position of the windows gives, for all pixels at once."""
    channels, each = filters.shape[2:]
    # filters are repeated for a whole row of pixels, so that NumPy's loops are long
    repeated = np.empty((*filters.shape[:2], each, plan.out[1], channels), out.dtype)
    repeated[...] = filters.transpose(0, 1, 3, 2)[:, :, :, None, :]
    for place, part, rows in plan.pieces(padded, channels):
        for k in range(each):
            there = out[(*place, ..., k)]
            total = there if each == 1 else np.zeros(there.shape, out.dtype)
            product = np.empty(there.shape, out.dtype)
            for i, j in np.ndindex(*filters.shape[:2]):
                np.multiply(plan.seen(part, rows, i, j), repeated[i, j, k], out=product)
                np.add(total, product, out=total)
            if each != 1:
                there[...] = total


def _input_kernel(
    sizes: Any, w: Any, g: Any, *, strides: Any, padding: Any, explicit_paddings: Any, data_format: Any, dilations: Any
) -> Any:
    full, form = ints(sizes), data_format
    if len(full) != 4:
        raise bad(f"input_sizes must have 4 elements, got {full}")
    size = space(full, form)
    plan = _Plan(size, w.shape[:2], strides, padding, explicit_paddings, data_format, dilations)
    wide = summed_in(g.dtype)
    back = to_last(g, form).astype(wide, copy=False)
    channels, each = w.shape[2:]
    if list(back.shape[1:]) != [*plan.out, channels * each]:
        raise bad(f"out_backprop has the shape {text_of(back.shape)}, computed is {text_of((full[0], *plan.out))}")
    image = np.zeros((full[0], *(n + sum(p) for n, p in zip(size, plan.pads)), channels), wide)
    filters = w.astype(wide, copy=False)
    if plan.stride == plan.dilation == (1, 1) and channels >= _LONG:
        # each element of the image sees the windows that saw it, through the filters turned around
        around, turned = with_pads(back, [(k - 1, k - 1) for k in w.shape[:2]]), filters[::-1, ::-1]
        if _lie_in_rows(around, w.shape, image.shape[2]):
            _by_row(around, turned[..., 0], 1, (1, 1), image)
        else:
            for k in range(each):
                view = windows(around[..., k::each], w.shape[:2], (1, 1), (1, 1))
                image += np.einsum("nrcdij,ijd->nrcd", view, turned[..., k])
    else:
        _give_back(plan, image, back.reshape(*back.shape[:3], channels, each), filters)
    (top, _), (left, _) = plan.pads
    out = image[:, top : top + size[0], left : left + size[1]]
    return from_last(np.ascontiguousarray(out, g.dtype), form)


def _give_back(plan: _Plan, image: Any, back: Any, filters: Any) -> None:
    """Adds what comes back through the filters to where the windows came from, position by position."""
    channels, each = filters.shape[2:]
    for place, part, rows in plan.pieces(image, channels):
        for i, j in np.ndindex(*filters.shape[:2]):
            there = plan.seen(part, rows, i, j)
            total = back[(*place, ..., 0)] * filters[i, j, :, 0] if each else 0
            for k in range(1, each):
                total += back[(*place, ..., k)] * filters[i, j, :, k]
            there += total


def _filter_kernel(
    x: Any, sizes: Any, g: Any, *, strides: Any, padding: Any, explicit_paddings: Any, data_format: Any, dilations: Any
) -> Any:
    dims, form = ints(sizes), data_format
    image, wide = to_last(x, form), summed_in(x.dtype)
    plan = _Plan(image.shape[1:3], dims[:2], strides, padding, explicit_paddings, data_format, dilations)
    padded = with_pads(image.astype(wide, copy=False), plan.pads)
    back = to_last(g, form).astype(wide, copy=False)
    if list(back.shape[1:]) != [*plan.out, dims[2] * dims[3]]:
        raise bad(f"out_backprop has the shape {text_of(back.shape)}, computed is {text_of((len(x), *plan.out))}")
    back = back.reshape(*back.shape[:3], dims[2], dims[3])
    out = np.zeros(dims, wide)
    for place, part, rows in plan.pieces(padded, dims[2]):
        for k in range(dims[3]):
            here = np.ascontiguousarray(back[(*place, ..., k)])
            for i, j in np.ndindex(*dims[:2]):
                out[i, j, :, k] += np.einsum("nrcd,nrcd->d", plan.seen(part, rows, i, j), here)
    return out.astype(x.dtype, copy=False)


def _vjp(call: Any, g: Any) -> list[Any]:
    x, w = call.inputs
    return [
        DepthwiseConv2dNativeBackpropInput(shape_(x), w, g, **_same(call.attrs)),
        DepthwiseConv2dNativeBackpropFilter(x, shape_(w), g, **_same(call.attrs)),
    ]


def _input_vjp(call: Any, g: Any) -> list[Any]:
    _, w, back = call.inputs
    attrs = _same(call.attrs)
    return [
        None, DepthwiseConv2dNativeBackpropFilter(g, shape_(w), back, **attrs), DepthwiseConv2dNative(g, w, **attrs),
    ]  # fmt: skip


def _filter_vjp(call: Any, g: Any) -> list[Any]:
    x, _, back = call.inputs
    attrs = _same(call.attrs)
    return [
        DepthwiseConv2dNativeBackpropInput(shape_(x), g, back, **attrs), None, DepthwiseConv2dNative(x, g, **attrs),
    ]  # fmt: skip


def _same(attrs: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in attrs.items() if k != "T"}


DepthwiseConv2dNative = define(
    "DepthwiseConv2dNative", "input: T, filter: T -> output: T", attrs=_ATTRS, allowed={"T": FLOATING}, infer=_dims,
    kernel=_kernel, vjp=_vjp, traits=(FRESH, BY_IMAGE),
)  # fmt: skip
DepthwiseConv2dNativeBackpropInput = define(
    "DepthwiseConv2dNativeBackpropInput", "input_sizes: int32[1], filter: T, out_backprop: T -> output: T", attrs=_ATTRS,
    allowed={"T": FLOATING}, infer=lambda c: c.shape_from(0) or (None,) * 4, kernel=_input_kernel, vjp=_input_vjp,
    traits=(FRESH, BY_IMAGE),
)  # fmt: skip
DepthwiseConv2dNativeBackpropFilter = define(
    "DepthwiseConv2dNativeBackpropFilter", "input: T, filter_sizes: int32[1], out_backprop: T -> output: T", attrs=_ATTRS,
    allowed={"T": FLOATING}, infer=lambda c: c.shape_from(1) or (None,) * 4, kernel=_filter_kernel, vjp=_filter_vjp,
    traits=(FRESH, OVER_IMAGES),
)  # fmt: skip


# --- public ----------------------------------------------------------------------------------------------------------
def depthwise_conv2d(
    input: TensorLike, filter: TensorLike, strides: PerAxis, padding: Padding,
    data_format: Any = None, dilations: PerAxis | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The convolution of each channel with filters of its own, of shape `[height, width, channels, multiplier]`.

    >>> import graphrt as tf
    >>> tf.nn.depthwise_conv2d(tf.ones([1, 3, 3, 2]), tf.ones([2, 2, 2, 1]), [1, 1, 1, 1], "VALID").shape
    TensorShape([1, 2, 2, 2])

    Raises:
      ValueError: an option is not valid.
      InvalidArgumentError: the shapes do not fit.
    """
    with scope(name, "depthwise"):
        w, x = as_tensor(filter), as_tensor(input)
        if x.dims is not None and w.dims is not None and len(x.dims) == len(w.dims) == 4:
            merge((x.dims[1 if first(data_format or "NHWC") else 3],), (w.dims[2],))
        form = format_of(data_format)
        rate = four(dilations, form, "dilations")
        if rate != [1, 1, 1, 1]:  # TensorFlow's kernel has none: a convolution in groups is the same
            return conv2d(x, _grouped(w), strides, padding, form, dilations)
        kind, explicit = padding_of(padding, form)
        return DepthwiseConv2dNative(
            x, w, strides=four(strides, form, "strides"), padding=kind, explicit_paddings=explicit, data_format=form,
            dilations=rate,
        )  # fmt: skip


def separable_conv2d(
    input: TensorLike, depthwise_filter: TensorLike, pointwise_filter: TensorLike, strides: PerAxis, padding: Padding,
    data_format: Any = None, dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """A convolution of each channel by itself, then one across channels only.

    >>> import graphrt as tf
    >>> x = tf.ones([1, 3, 3, 2])
    >>> tf.nn.separable_conv2d(x, tf.ones([2, 2, 2, 1]), tf.ones([1, 1, 2, 3]), [1, 1, 1, 1], "SAME").shape
    TensorShape([1, 3, 3, 3])

    Raises:
      ValueError: an option is not valid.
      InvalidArgumentError: the shapes do not fit.
    """
    with scope(name, "separable_conv2d"):
        each = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
        return conv2d(each, pointwise_filter, 1, "VALID", data_format or "NHWC")


def _grouped(w: Any) -> Any:
    """A depthwise filter as the grouped filter that convolves the same way."""
    size = shape_(w)
    return reshape(w, stack([size[0], size[1], 1, size[2] * size[3]]))


def _both(value: Any) -> list[int]:
    found = [1, 1] if value is None else whole(value, "dilations")
    return [1, *(found * 2 if len(found) == 1 else found), 1] if len(found) < 4 else found


def depthwise_conv2d_backprop_input(
    input_sizes: Any, filter: TensorLike, out_backprop: TensorLike, strides: Any, padding: Any,
    data_format: str = "NHWC", dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The gradient of `depthwise_conv2d` by its input, of shape `input_sizes`.

    >>> import graphrt as tf
    >>> g = tf.ones([1, 3, 3, 2])
    >>> tf.nn.depthwise_conv2d_backprop_input([1, 3, 3, 2], tf.ones([2, 2, 2, 1]), g, [1] * 4, "SAME").shape
    TensorShape([1, 3, 3, 2])
    """
    return DepthwiseConv2dNativeBackpropInput(
        cast(as_tensor(input_sizes), int32), filter, out_backprop, strides=strides, padding=padding,
        data_format=data_format, dilations=_both(dilations), name=name,
    )  # fmt: skip


def depthwise_conv2d_backprop_filter(
    input: TensorLike, filter_sizes: Any, out_backprop: TensorLike, strides: Any, padding: Any,
    data_format: str = "NHWC", dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The gradient of `depthwise_conv2d` by its filter, of shape `filter_sizes`.

    >>> import graphrt as tf
    >>> x = tf.ones([1, 3, 3, 2])
    >>> tf.nn.depthwise_conv2d_backprop_filter(x, [2, 2, 2, 1], tf.ones([1, 3, 3, 2]), [1] * 4, "SAME").shape
    TensorShape([2, 2, 2, 1])
    """
    return DepthwiseConv2dNativeBackpropFilter(
        input, cast(as_tensor(filter_sizes), int32), out_backprop, strides=strides, padding=padding,
        data_format=data_format, dilations=_both(dilations), name=name,
    )  # fmt: skip
