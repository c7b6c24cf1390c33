"""Convolutions and pooling of images, batch first, channels last (NHWC) or second (NCHW)."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.op import define, ops
from graphrt.ops.support.kernel_helpers import bad, ints, least, summed_in, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import TensorLike
from graphrt.types.dtype import FLOATING, REAL, int32
from graphrt.types.shape import Dims, merge

__all__ = [
    "atrous_conv2d", "avg_pool", "avg_pool1d", "avg_pool2d", "conv1d", "conv2d", "conv2d_transpose", "convolution",
    "depthwise_conv2d", "max_pool", "max_pool1d", "max_pool2d", "separable_conv2d",
]  # fmt: skip


# --- windows ---------------------------------------------------------------------------------------------------------
def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _first(data_format: Any) -> bool:
    """Whether the channels come second."""
    return _text(data_format) == "NCHW"


def _space(values: Any, data_format: Any) -> tuple[int, int]:
    """The two numbers of a list of four that are about height and width."""
    return (values[2], values[3]) if _first(data_format) else (values[1], values[2])


def _pads(padding: Any, explicit: Any, size: Any, window: Any, stride: Any, data_format: Any) -> list[tuple[int, int]]:
    """What is added before and after height and width."""
    kind = _text(padding)
    if kind == "VALID":
        return [(0, 0), (0, 0)]
    if kind == "EXPLICIT":
        at = 4 if _first(data_format) else 2
        return [(explicit[at], explicit[at + 1]), (explicit[at + 2], explicit[at + 3])]
    found = []
    for n, w, s in zip(size, window, stride):
        total = max((-(-n // s) - 1) * s + w - n, 0)
        found.append((total // 2, total - total // 2))
    return found


def _out_size(n: int | None, window: int | None, stride: int, padding: Any, before: int, after: int) -> int | None:
    if n is None:
        return None
    if _text(padding) == "SAME":
        return -(-n // stride)
    if window is None:
        return None
    size = (n + before + after - window) // stride + 1
    if n + before + after < window:
        raise ShapeError(
            f"Computed output size would be negative: {size} [input_size: {n}, effective_filter_size: {window}, "
            f"stride: {stride}]"
        )
    return size


def _out_dims(dims: Dims, window: Any, attrs: Any, channels: int | None) -> Dims:
    if dims is None:
        return (None,) * 4
    if len(dims) != 4:
        raise ShapeError(f"Shape must be rank 4 but is rank {len(dims)}")
    form = attrs["data_format"]
    explicit = attrs.get("explicit_paddings") or []
    height, width = _space(dims, form)
    stride = _space(attrs["strides"], form)
    outer = [(0, 0), (0, 0)]
    if _text(attrs["padding"]) == "EXPLICIT":
        outer = _pads("EXPLICIT", explicit, (0, 0), (0, 0), stride, form)
    sizes = [_out_size(n, w, s, attrs["padding"], *p) for n, w, s, p in zip((height, width), window, stride, outer)]
    return (dims[0], channels, *sizes) if _first(form) else (dims[0], *sizes, channels)


def _to_last(x: Any, form: Any) -> Any:
    return np.moveaxis(x, 1, 3) if _first(form) else x


def _from_last(x: Any, form: Any) -> Any:
    return np.ascontiguousarray(np.moveaxis(x, 3, 1)) if _first(form) else x


def _windows(x: Any, window: Any, stride: Any, dilation: Any) -> Any:
    """A view of `x` (NHWC, padded): batch, row, column, channel, row and column inside the window."""
    reach = [(w - 1) * d + 1 for w, d in zip(window, dilation)]
    view = np.lib.stride_tricks.sliding_window_view(x, tuple(reach), axis=(1, 2))
    return view[:, :: stride[0], :: stride[1], :, :: dilation[0], :: dilation[1]]


def _pad(x: Any, pads: Any, value: Any = 0) -> Any:
    return x if pads == [(0, 0), (0, 0)] else np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=value)


# --- Conv2D ----------------------------------------------------------------------------------------------------------
_CONV = (
    "strides: list(int); use_cudnn_on_gpu: bool = True; padding: {'SAME', 'VALID', 'EXPLICIT'}; "
    "explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]"
)


def _conv_dims(c: Any) -> Dims:
    dims, kernel = c.dims(0), c.dims(1)
    if kernel is not None and len(kernel) != 4:
        raise ShapeError(f"Shape must be rank 4 but is rank {len(kernel)}")
    dilation = _space(c.attrs["dilations"], c.attrs["data_format"])
    if kernel is None:
        window: list[int | None] = [None, None]
    else:
        window = [None if k is None else (k - 1) * d + 1 for k, d in zip(kernel[:2], dilation)]
        if dims is not None and len(dims) == 4:
            depth = dims[1] if _first(c.attrs["data_format"]) else dims[3]
            if depth is not None and kernel[2] is not None and (not kernel[2] or depth % kernel[2]):
                raise ShapeError(f"Depth of input ({depth}) is not a multiple of input depth of filter ({kernel[2]})")
    return _out_dims(dims, window, c.attrs, None if kernel is None else kernel[3])


def _setup(size: Any, kernel_dims: Any, strides: Any, padding: Any, explicit: Any, form: Any, dilations: Any) -> Any:
    stride, dilation = _space(strides, form), _space(dilations, form)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel_dims[:2], dilation)]
    return stride, dilation, reach, _pads(padding, explicit, size, reach, stride, form)


def _conv_kernel(
    x: Any, w: Any, *, strides: Any, padding: Any, explicit_paddings: Any, data_format: Any, dilations: Any
) -> Any:
    if np.ndim(x) != 4 or np.ndim(w) != 4:
        raise bad(f"input and filter must be 4-dimensional: {text_of(np.shape(x))} and {text_of(np.shape(w))}")
    image = _to_last(x, data_format)
    stride, dilation, reach, pads = _setup(
        image.shape[1:3], w.shape, strides, padding, explicit_paddings, data_format, dilations
    )
    if image.shape[3] % max(w.shape[2], 1) or not w.shape[2]:
        raise bad(f"input depth must be evenly divisible by filter depth: {image.shape[3]} vs {w.shape[2]}")
    padded = _pad(image, pads)
    if any(n < r for n, r in zip(padded.shape[1:3], reach)):
        raise bad(f"Computed output size would be negative: input {text_of(padded.shape)}, filter {text_of(w.shape)}")
    view = _windows(padded, w.shape[:2], stride, dilation)
    groups = image.shape[3] // w.shape[2]
    if groups == 1:
        out = np.tensordot(view, w, axes=((4, 5, 3), (0, 1, 2)))
    else:
        depth, each = w.shape[2], w.shape[3] // groups
        parts = [
            np.tensordot(view[:, :, :, g * depth : (g + 1) * depth], w[..., g * each : (g + 1) * each],
                         axes=((4, 5, 3), (0, 1, 2)))
            for g in range(groups)
        ]  # fmt: skip
        out = np.concatenate(parts, axis=3)
    return _from_last(out.astype(x.dtype, copy=False), data_format)


def _same_attrs(attrs: Any) -> dict[str, Any]:
    return {k: attrs[k] for k in ("strides", "padding", "explicit_paddings", "data_format", "dilations")}


def _conv_vjp(call: Any, g: Any) -> list[Any]:
    x, w = call.inputs
    attrs = _same_attrs(call.attrs)
    return [
        Conv2DBackpropInput(ops.shape(x), w, g, **attrs),
        Conv2DBackpropFilter(x, ops.shape(w), g, **attrs),
    ]


Conv2D = define(
    "Conv2D", "input: T, filter: T -> output: T", attrs=_CONV, allowed={"T": (*FLOATING, int32)},
    infer=_conv_dims, kernel=_conv_kernel, vjp=_conv_vjp,
)  # fmt: skip


def _spread(image: Any, parts: Any, stride: Any, dilation: Any) -> None:
    """Adds `parts` (batch, row, column, channel, and position in the window) to where the windows came from."""
    rows, columns = parts.shape[1:3]
    for i in range(parts.shape[4]):
        for j in range(parts.shape[5]):
            top, left = i * dilation[0], j * dilation[1]
            image[:, top : top + rows * stride[0] : stride[0], left : left + columns * stride[1] : stride[1]] += parts[
                ..., i, j
            ]


def _input_kernel(
    sizes: Any, w: Any, g: Any, *, strides: Any, padding: Any, explicit_paddings: Any, data_format: Any, dilations: Any
) -> Any:
    full = ints(sizes)
    if len(full) != 4:
        raise bad(f"input_sizes must have 4 elements, got {full}")
    n, (h, wd), depth = full[0], _space(full, data_format), full[1] if _first(data_format) else full[3]
    back = _to_last(g, data_format)
    stride, dilation, reach, pads = _setup(
        (h, wd), w.shape, strides, padding, explicit_paddings, data_format, dilations
    )
    wide = summed_in(g.dtype)
    w, back = w.astype(wide, copy=False), back.astype(wide, copy=False)
    image = np.zeros((n, h + sum(pads[0]), wd + sum(pads[1]), depth), wide)
    view = [(image.shape[i + 1] - reach[i]) // stride[i] + 1 for i in (0, 1)]
    if list(back.shape[1:3]) != view:
        raise bad(f"Size of out_backprop doesn't match computed: actual = {text_of(back.shape[1:3])}, "
                  f"computed = {text_of(view)}")  # fmt: skip
    groups = depth // w.shape[2]
    each = w.shape[3] // groups
    for k in range(groups):
        part = np.tensordot(back[..., k * each : (k + 1) * each], w[..., k * each : (k + 1) * each], axes=((3,), (3,)))
        _spread(image[..., k * w.shape[2] : (k + 1) * w.shape[2]], part.transpose(0, 1, 2, 5, 3, 4), stride, dilation)
    out = image[:, pads[0][0] : pads[0][0] + h, pads[1][0] : pads[1][0] + wd]
    return _from_last(np.ascontiguousarray(out, g.dtype), data_format)


def _input_vjp(call: Any, g: Any) -> list[Any]:
    _, w, back = call.inputs
    attrs = _same_attrs(call.attrs)
    return [None, Conv2DBackpropFilter(g, ops.shape(w), back, **attrs), Conv2D(g, w, **attrs)]


Conv2DBackpropInput = define(
    "Conv2DBackpropInput", "input_sizes: int32, filter: T, out_backprop: T -> output: T", attrs=_CONV,
    allowed={"T": (*FLOATING, int32)}, infer=lambda c: c.shape_from(0) or (None,) * 4, kernel=_input_kernel,
    vjp=_input_vjp,
)  # fmt: skip


def _filter_kernel(
    x: Any, sizes: Any, g: Any, *, strides: Any, padding: Any, explicit_paddings: Any, data_format: Any, dilations: Any
) -> Any:
    dims = ints(sizes)
    image, back = _to_last(x, data_format), _to_last(g, data_format)
    stride, dilation, _, pads = _setup(
        image.shape[1:3], dims, strides, padding, explicit_paddings, data_format, dilations
    )
    view = _windows(_pad(image, pads), dims[:2], stride, dilation)
    groups = image.shape[3] // dims[2]
    each = dims[3] // groups
    parts = []
    for k in range(groups):
        part = np.tensordot(view[:, :, :, k * dims[2] : (k + 1) * dims[2]], back[..., k * each : (k + 1) * each],
                            axes=((0, 1, 2), (0, 1, 2)))  # fmt: skip
        parts.append(part.transpose(1, 2, 0, 3))
    return np.concatenate(parts, axis=3).astype(x.dtype, copy=False)


def _filter_vjp(call: Any, g: Any) -> list[Any]:
    x, _, back = call.inputs
    attrs = _same_attrs(call.attrs)
    return [Conv2DBackpropInput(ops.shape(x), g, back, **attrs), None, Conv2D(x, g, **attrs)]


Conv2DBackpropFilter = define(
    "Conv2DBackpropFilter", "input: T, filter_sizes: int32, out_backprop: T -> output: T", attrs=_CONV,
    allowed={"T": FLOATING}, infer=lambda c: c.shape_from(1) or (None,) * 4, kernel=_filter_kernel, vjp=_filter_vjp,
)  # fmt: skip


# --- pooling ---------------------------------------------------------------------------------------------------------
_SIZES = "ksize: list(int) >= 4; strides: list(int) >= 4"
_POOL = f"{_SIZES}; padding: {{'SAME', 'VALID'}}; data_format: {{'NHWC', 'NCHW'}} = 'NHWC'"
_MAX_POOL = f"{_SIZES}; padding: {{'SAME', 'VALID', 'EXPLICIT'}}; explicit_paddings: list(int) = []"


def _pool_dims(c: Any) -> Dims:
    dims = c.dims(0)
    form = c.attrs["data_format"]
    depth = None if dims is None or len(dims) != 4 else dims[1] if _first(form) else dims[3]
    return _out_dims(dims, _space(c.attrs["ksize"], form), c.attrs, depth)


def _pool_view(x: Any, ksize: Any, strides: Any, padding: Any, explicit: Any, form: Any, value: Any) -> Any:
    if np.ndim(x) != 4:
        raise bad(f"tensor_in must be 4-dimensional: {text_of(np.shape(x))}")
    image = _to_last(x, form)
    window, stride = _space(ksize, form), _space(strides, form)
    pads = _pads(padding, explicit, image.shape[1:3], window, stride, form)
    padded = _pad(image, pads, value)
    if any(n < w for n, w in zip(padded.shape[1:3], window)):
        raise bad(f"Computed output size would be negative: input {text_of(padded.shape)}, window {text_of(window)}")
    return _windows(padded, window, stride, (1, 1)), pads, window, stride, image.shape


def _max_kernel(x: Any, *, ksize: Any, strides: Any, padding: Any, explicit_paddings: Any, data_format: Any) -> Any:
    view, *_ = _pool_view(x, ksize, strides, padding, explicit_paddings, data_format, least(x.dtype))
    return _from_last(view.max(axis=(4, 5)), data_format)


_POOL_ATTRS = ("ksize", "strides", "padding", "data_format")


def _max_vjp(call: Any, g: Any) -> list[Any]:
    attrs = {k: call.attrs[k] for k in (*_POOL_ATTRS, "explicit_paddings")}
    return [ops.MaxPoolGrad(call.inputs[0], call.outputs[0], g, **attrs)]


MaxPool = define(
    "MaxPool", "input: T -> output: T", allowed={"T": REAL},
    attrs=_MAX_POOL + "; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'; T: type = float32",
    infer=_pool_dims, kernel=_max_kernel, vjp=_max_vjp,
)  # fmt: skip


def _max_grad_kernel(
    x: Any, y: Any, g: Any, *, ksize: Any, strides: Any, padding: Any, explicit_paddings: Any, data_format: Any
) -> Any:
    view, pads, window, stride, shape = _pool_view(
        x, ksize, strides, padding, explicit_paddings, data_format, least(x.dtype)
    )
    flat = view.reshape(*view.shape[:4], -1)
    best = flat.argmax(axis=-1)
    back = _to_last(g, data_format)
    image = np.zeros((shape[0], shape[1] + sum(pads[0]), shape[2] + sum(pads[1]), shape[3]), g.dtype)
    n, i, j, c = np.ogrid[tuple(slice(d) for d in best.shape)]
    np.add.at(image, (n, i * stride[0] + best // window[1], j * stride[1] + best % window[1], c), back)
    out = image[:, pads[0][0] : pads[0][0] + shape[1], pads[1][0] : pads[1][0] + shape[2]]
    return _from_last(np.ascontiguousarray(out, g.dtype), data_format)


def _max_grad_vjp(call: Any, g: Any) -> list[Any]:
    x, y, _ = call.inputs
    attrs = {k: call.attrs[k] for k in _POOL_ATTRS}
    return [None, None, MaxPoolGradGrad(x, y, g, **attrs)]


MaxPoolGrad = define(
    "MaxPoolGrad", "orig_input: T, orig_output: T, grad: T -> output: T",
    attrs=_MAX_POOL + "; data_format: {'NHWC', 'NCHW'} = 'NHWC'; T: type = float32",
    allowed={"T": REAL}, infer=lambda c: c.dims(0), kernel=_max_grad_kernel, vjp=_max_grad_vjp,
)  # fmt: skip


def _max_grad_grad_kernel(x: Any, y: Any, g: Any, *, ksize: Any, strides: Any, padding: Any, data_format: Any) -> Any:
    view, *_ = _pool_view(x, ksize, strides, padding, [], data_format, least(x.dtype))
    best = view.reshape(*view.shape[:4], -1).argmax(axis=-1)
    other, *_ = _pool_view(g, ksize, strides, padding, [], data_format, 0)
    flat = other.reshape(*other.shape[:4], -1)
    return _from_last(np.take_along_axis(flat, best[..., None], -1)[..., 0], data_format)


MaxPoolGradGrad = define(
    "MaxPoolGradGrad", "orig_input: T, orig_output: T, grad: T -> output: T", attrs=_POOL, allowed={"T": REAL},
    infer=lambda c: c.dims(1), kernel=_max_grad_grad_kernel,
    vjp=lambda call, g: [
        None, None, ops.MaxPoolGrad(call.inputs[0], call.inputs[1], g, **{k: call.attrs[k] for k in _POOL_ATTRS}),
    ],
)  # fmt: skip


def _counts(shape: Any, pads: Any, window: Any, stride: Any) -> Any:
    """How many elements of the image each window covers."""
    ones = _pad(np.ones((1, shape[1], shape[2], 1), np.float32), pads)
    return _windows(ones, window, stride, (1, 1)).sum(axis=(4, 5))


def _avg_kernel(x: Any, *, ksize: Any, strides: Any, padding: Any, data_format: Any) -> Any:
    view, pads, window, stride, shape = _pool_view(x, ksize, strides, padding, [], data_format, 0)
    total = view.sum(axis=(4, 5), dtype=np.float32 if x.dtype == np.float16 else x.dtype)
    return _from_last((total / _counts(shape, pads, window, stride)).astype(x.dtype), data_format)


def _pool_attrs(call: Any) -> dict[str, Any]:
    return {k: call.attrs[k] for k in _POOL_ATTRS}


AvgPool = define(
    "AvgPool", "value: T -> output: T", attrs=_POOL, allowed={"T": FLOATING}, infer=_pool_dims, kernel=_avg_kernel,
    vjp=lambda call, g: [ops.AvgPoolGrad(ops.shape(call.inputs[0]), g, **_pool_attrs(call))],
)  # fmt: skip


def _avg_grad_kernel(sizes: Any, g: Any, *, ksize: Any, strides: Any, padding: Any, data_format: Any) -> Any:
    full = ints(sizes)
    h, w = _space(full, data_format)
    depth = full[1] if _first(data_format) else full[3]
    window, stride = _space(ksize, data_format), _space(strides, data_format)
    pads = _pads(padding, [], (h, w), window, stride, data_format)
    back = (_to_last(g, data_format) / _counts((1, h, w, 1), pads, window, stride)).astype(g.dtype)
    image = np.zeros((full[0], h + sum(pads[0]), w + sum(pads[1]), depth), g.dtype)
    _spread(image, np.broadcast_to(back[..., None, None], (*back.shape, *window)), stride, (1, 1))
    return _from_last(
        np.ascontiguousarray(image[:, pads[0][0] : pads[0][0] + h, pads[1][0] : pads[1][0] + w]), data_format
    )


AvgPoolGrad = define(
    "AvgPoolGrad", "orig_input_shape: int32, grad: T -> output: T", attrs=_POOL, allowed={"T": FLOATING},
    infer=lambda c: c.shape_from(0) or (None,) * 4, kernel=_avg_grad_kernel,
    vjp=lambda call, g: [None, AvgPool(g, **_pool_attrs(call))],
)  # fmt: skip


# --- public ----------------------------------------------------------------------------------------------------------
def _four(value: Any, data_format: str, what: str) -> list[int]:
    """One, two or four numbers as four, in the order of the data format."""
    found = [int(v) for v in np.ravel(value)] if value is not None else [1]
    if len(found) == 1:
        found = found * 2
    if len(found) == 2:
        return [1, 1, *found] if data_format == "NCHW" else [1, *found, 1]
    if len(found) == 4:
        return found
    raise ValueError(errors.at_user_line(f"{what} should be of length 1, 2 or 4 but was {len(found)}"))


def _form(data_format: Any) -> str:
    form = data_format or "NHWC"
    if form not in ("NHWC", "NCHW"):
        raise ValueError(errors.at_user_line(f"data_format must be NHWC or NCHW, found {form!r}"))
    return str(form)


def _padding(padding: Any, data_format: str) -> tuple[str, list[int]]:
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            raise ShapeError(
                errors.at_user_line(f"padding must be 'SAME', 'VALID' or a list of pairs, found {padding!r}")
            )
        return padding.upper(), []
    flat = [int(v) for pair in padding for v in pair]
    if len(flat) != 8:
        raise ValueError(errors.at_user_line("explicit padding needs a (before, after) pair for each of 4 dimensions"))
    return ("VALID", []) if not any(flat) else ("EXPLICIT", flat)


def conv2d(
    input: TensorLike, filters: TensorLike, strides: Any, padding: Any, data_format: str = "NHWC",
    dilations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The 2-D convolution of images with filters of shape `[height, width, channels in, channels out]`.

    >>> import graphrt as tf
    >>> tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), 1, "VALID").shape
    TensorShape([1, 2, 2, 1])

    Raises:
      ValueError: an option is not valid.
      InvalidArgumentError: the shapes do not fit.
    """
    form = _form(data_format)
    kind, explicit = _padding(padding, form)
    x = as_tensor(input)
    if x.dims is not None and len(x.dims) > 4:
        lead = x.dims[:-3]
        flat = ops.reshape(x, ops.concat([[-1], ops.getitem(ops.shape(x), slice(-3, None))], 0))
        found = conv2d(flat, filters, strides, padding, data_format, dilations, name)
        out = ops.reshape(found, ops.concat([ops.getitem(ops.shape(x), slice(None, -3)),
                                             ops.getitem(ops.shape(found), slice(1, None))], 0))  # fmt: skip
        if hasattr(out, "value"):
            out.set_shape((*lead, *found.dims[1:]))
        return out
    return Conv2D(
        x, filters, strides=_four(strides, form, "strides"), padding=kind, explicit_paddings=explicit,
        data_format=form, dilations=_four(dilations, form, "dilations"), name=name or "Conv2D",
    )  # fmt: skip


def conv1d(
    input: TensorLike, filters: TensorLike, stride: Any, padding: Any, data_format: str = "NWC", dilations: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
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
    with scope(name, "conv1d"):
        axis = 2 if second else 1
        step = int(np.ravel(stride)[len(np.ravel(stride)) // 2])
        wide = 1 if dilations is None else int(np.ravel(dilations)[len(np.ravel(dilations)) // 2])
        found = conv2d(
            ops.expand_dims(input, axis), ops.expand_dims(filters, 0), [1, step], padding,
            "NCHW" if second else "NHWC", [1, wide],
        )  # fmt: skip
        return ops.squeeze(found, [axis])


def convolution(
    input: TensorLike, filters: TensorLike, strides: Any = None, padding: Any = "VALID", data_format: Any = None,
    dilations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The convolution of sequences or images, by the rank of `filters`.

    >>> import graphrt as tf
    >>> tf.nn.convolution(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])).shape
    TensorShape([1, 2, 2, 1])

    Raises:
      ValueError: the rank is neither 3 nor 4.
    """
    w = as_tensor(filters)
    rank = None if w.dims is None else len(w.dims)
    if rank == 3:
        return conv1d(input, w, 1 if strides is None else strides, padding, data_format or "NWC", dilations, name)
    if rank == 4:
        return conv2d(input, w, 1 if strides is None else strides, padding, data_format or "NHWC", dilations, name)
    raise ValueError(errors.at_user_line(f"convolution takes filters of rank 3 or 4, found {rank}"))


def conv2d_transpose(
    input: TensorLike, filters: TensorLike, output_shape: Any, strides: Any, padding: Any = "SAME",
    data_format: str = "NHWC", dilations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The gradient of a convolution by its input, used as an op: images made larger.

    >>> import graphrt as tf
    >>> tf.nn.conv2d_transpose(tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1]), [1, 4, 4, 1], 2).shape
    TensorShape([1, 4, 4, 1])

    Raises:
      ValueError: an option is not valid.
      InvalidArgumentError: the shapes do not fit.
    """
    form = _form(data_format)
    kind, explicit = _padding(padding, form)
    return Conv2DBackpropInput(
        output_shape, filters, input, strides=_four(strides, form, "strides"), padding=kind,
        explicit_paddings=explicit, data_format=form, dilations=_four(dilations, form, "dilations"),
        name=name or "conv2d_transpose",
    )  # fmt: skip


def depthwise_conv2d(
    input: TensorLike, filter: TensorLike, strides: Any, padding: Any, data_format: Any = None, dilations: Any = None,
    name: str | None = None,
) -> Any:  # fmt: skip
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
            merge((x.dims[1 if _first(data_format or "NHWC") else 3],), (w.dims[2],))
        size = ops.shape(w)
        outer = ops.getitem(size, 2) * ops.getitem(size, 3)
        shape = ops.stack([ops.getitem(size, 0), ops.getitem(size, 1), 1, outer])
        return conv2d(x, ops.reshape(w, shape), strides, padding, data_format or "NHWC", dilations)


def max_pool2d(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC", name: str | None = None
) -> Any:
    """The greatest element of each window.

    >>> import graphrt as tf
    >>> tf.nn.max_pool2d(tf.ones([1, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 1])

    Raises:
      ValueError: an option is not valid.
    """
    form = _form(data_format)
    kind, explicit = _padding(padding, form)
    return MaxPool(
        input, ksize=_four(ksize, form, "ksize"), strides=_four(strides, form, "strides"), padding=kind,
        explicit_paddings=explicit, data_format=form, name=name or "MaxPool2d",
    )  # fmt: skip


def max_pool(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None
) -> Any:
    """The greatest element of each window of an image.

    >>> import graphrt as tf
    >>> tf.nn.max_pool(tf.ones([1, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 1])

    Raises:
      ValueError: an option is not valid.
    """
    x = as_tensor(input)
    if x.dims is not None and len(x.dims) == 3:
        return max_pool1d(x, ksize, strides, padding, data_format or "NWC", name or "max_pool")
    if x.dims is not None and len(x.dims) == 5:
        return ops.max_pool3d(x, ksize, strides, padding, data_format or "NDHWC", name or "max_pool")
    return max_pool2d(x, ksize, strides, padding, data_format or "NHWC", name or "max_pool")


def avg_pool2d(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str = "NHWC", name: str | None = None
) -> Any:
    """The mean of each window.

    >>> import graphrt as tf
    >>> tf.nn.avg_pool2d(tf.ones([1, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 1])

    Raises:
      ValueError: an option is not valid.
    """
    form = _form(data_format)
    kind, _ = _padding(padding, form)
    return AvgPool(
        input, ksize=_four(ksize, form, "ksize"), strides=_four(strides, form, "strides"), padding=kind,
        data_format=form, name=name or "AvgPool2D",
    )  # fmt: skip


def avg_pool(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: Any = None, name: str | None = None
) -> Any:
    """The mean of each window of an image.

    >>> import graphrt as tf
    >>> tf.nn.avg_pool(tf.ones([1, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 1])

    Raises:
      ValueError: an option is not valid.
    """
    x = as_tensor(input)
    if x.dims is not None and len(x.dims) == 3:
        return avg_pool1d(x, ksize, strides, padding, data_format or "NWC", name or "avg_pool")
    if x.dims is not None and len(x.dims) == 5:
        return ops.avg_pool3d(x, ksize, strides, padding, data_format or "NDHWC", name or "avg_pool")
    return avg_pool2d(x, ksize, strides, padding, data_format or "NHWC", name or "avg_pool")


def max_pool1d(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str = "NWC", name: str | None = None
) -> Any:
    """The greatest element of each window of a sequence.

    >>> import graphrt as tf
    >>> tf.nn.max_pool1d([[[1.], [3.], [2.]]], 2, 1, "VALID").numpy().ravel().tolist()
    [3.0, 3.0]

    Raises:
      ValueError: an option is not valid.
    """
    return ops.one_wide(max_pool2d, input, (ksize, strides), padding, data_format, name)


def avg_pool1d(
    input: TensorLike, ksize: Any, strides: Any, padding: Any, data_format: str = "NWC", name: str | None = None
) -> Any:
    """The mean of each window of a sequence.

    >>> import graphrt as tf
    >>> tf.nn.avg_pool1d([[[1.], [3.], [2.]]], 2, 1, "VALID").numpy().ravel().tolist()
    [2.0, 2.5]

    Raises:
      ValueError: an option is not valid.
    """
    return ops.one_wide(avg_pool2d, input, (ksize, strides), padding, data_format, name)


def separable_conv2d(
    input: TensorLike, depthwise_filter: TensorLike, pointwise_filter: TensorLike, strides: Any, padding: Any,
    data_format: Any = None, dilations: Any = None, name: str | None = None,
) -> Any:  # fmt: skip
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


def atrous_conv2d(value: TensorLike, filters: TensorLike, rate: int, padding: Any, name: str | None = None) -> Any:
    """A convolution whose filter is spread out: `rate - 1` pixels are left out between two of its elements.

    >>> import graphrt as tf
    >>> tf.nn.atrous_conv2d(tf.ones([1, 5, 5, 1]), tf.ones([3, 3, 1, 1]), 2, "VALID").shape
    TensorShape([1, 1, 1, 1])

    Raises:
      ValueError: an option is not valid.
    """
    return conv2d(value, filters, 1, padding, dilations=[rate, rate], name=name)
