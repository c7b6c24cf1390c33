"""Pooling of images, and its gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import BY_IMAGE, FRESH, GIVES_TO_MAXIMA, TAKES_MAXIMA, OpDef, define
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.nn.convolution import SIZES, spread
from graphrt.ops.nn.pooling_3d import avg_pool3d, max_pool3d
from graphrt.ops.nn.pooling_alone import WORTH_THREADS, bits_of, given_alone
from graphrt.ops.nn.windows import (
    copy,
    first,
    format_of,
    four,
    from_last,
    greatest,
    in_pieces,
    one_wide,
    out_dims,
    padding_of,
    pads_of,
    seen,
    space,
    to_last,
    windows,
    with_pads,
)
from graphrt.ops.support import threads
from graphrt.ops.support.kernel_helpers import bad, ints, least, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import FLOATING, REAL
from graphrt.types.likes import Array, Padding, PerAxis
from graphrt.types.shape import Dims

__all__ = ["avg_pool", "avg_pool1d", "avg_pool2d", "max_pool", "max_pool1d", "max_pool2d"]


_POOL = f"{SIZES}; padding: {{'SAME', 'VALID'}}; data_format: {{'NHWC', 'NCHW'}} = 'NHWC'"
_MAX_POOL = f"{SIZES}; padding: {{'SAME', 'VALID', 'EXPLICIT'}}; explicit_paddings: list(int) = []"


def _pool_dims(c: InferContext) -> Dims:
    dims = c.dims(0)
    form = c.attrs["data_format"]
    depth = None if dims is None or len(dims) != 4 else dims[1] if first(form) else dims[3]
    return out_dims(dims, space(c.attrs["ksize"], form), c.attrs, depth)


def _pool_view(
    x: Array, ksize: PerAxis, strides: PerAxis, padding: Padding, explicit: list[Any], form: str, value: float
) -> tuple[Array, list[tuple[Any, ...]], tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    padded, pads, window, stride, shape = _padded(x, ksize, strides, padding, explicit, form, value)
    return windows(padded, window, stride, (1, 1)), pads, window, stride, shape


def _padded(
    x: Array, ksize: PerAxis, strides: PerAxis, padding: Padding, explicit: list[Any], form: str, value: float
) -> tuple[Array, list[tuple[Any, ...]], tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    if np.ndim(x) != 4:
        raise bad(f"tensor_in must be 4-dimensional: {text_of(np.shape(x))}")
    image = to_last(x, form)
    window, stride = space(ksize, form), space(strides, form)
    if min(window) < 1:
        raise bad(f"a window must have a size of at least 1, found {text_of(window)}")
    pads = pads_of(padding, explicit, image.shape[1:3], window, stride, form)
    padded = with_pads(image, pads, value)
    if any(n < w - s for n, w, s in zip(padded.shape[1:3], window, stride)):
        raise ShapeError(
            f"Computed output size would be negative: input {text_of(padded.shape)}, window {text_of(window)}"
        )
    return padded, pads, window, stride, image.shape


def _spots(padded: Array, window: tuple[int, ...], stride: tuple[int, ...]) -> tuple[int, ...]:
    """How many rows and columns of windows there are."""
    return tuple(max(n - w + s, 0) // s for n, w, s in zip(padded.shape[1:3], window, stride))


def _positions(padded: Array, window: tuple[int, ...], stride: tuple[int, ...]) -> Iterator[Array]:
    """What each position of the windows sees, row by row of the window."""
    out = _spots(padded, window, stride)
    return (seen(padded, out, at, stride, (1, 1)) for at in np.ndindex(*window))


def _max_kernel(
    x: Array, *, ksize: PerAxis, strides: PerAxis, padding: Padding, explicit_paddings: list[Any], data_format: str
) -> Array:
    padded, _, window, stride, _ = _padded(x, ksize, strides, padding, explicit_paddings, data_format, least(x.dtype))
    parts = threads.in_parts(
        lambda start, end: _maxima(padded[start:end], window, stride), len(padded), padded.size // WORTH_THREADS
    )
    return from_last(parts[0] if len(parts) == 1 else np.concatenate(parts), data_format)


def _maxima(padded: Array, window: tuple[int, ...], stride: tuple[int, ...]) -> Array:
    """The greatest element of each window."""
    rows, columns = _spots(padded, window, stride)
    high = greatest([padded[:, i : i + rows * stride[0] : stride[0]][:, :rows] for i in range(window[0])])
    if stride[1] == 2 <= window[1] and columns and high.flags.c_contiguous:
        return _every_second(high, window[1], columns)
    return greatest([high[:, :, j : j + columns * stride[1] : stride[1]][:, :, :columns] for j in range(window[1])])


def _every_second(high: Array, width: int, columns: int) -> Array:
    """The greatest of `width` columns, beginning at every second: faster to compute at all of them, in one long loop."""
    channels, flat = high.shape[3], high.reshape(-1)
    count = flat.size - (width - 1) * channels
    found = np.empty_like(high)
    there = np.maximum(flat[:count], flat[channels : channels + count], out=found.reshape(-1)[:count])
    for j in range(2, width):
        np.maximum(there, flat[j * channels : j * channels + count], out=there)
    some = found[:, :, : 2 * columns : 2]
    out = np.empty(some.shape, high.dtype)
    copy(some, out)
    return out


_POOL_ATTRS = ("ksize", "strides", "padding", "data_format")


def _max_vjp(call: Any, g: object) -> list[Any]:
    attrs = {k: call.attrs[k] for k in (*_POOL_ATTRS, "explicit_paddings")}
    return [MaxPoolGrad(call.inputs[0], call.outputs[0], g, **attrs)]


MaxPool = define(
    "MaxPool", "input: T -> output: T", allowed={"T": REAL},
    attrs=_MAX_POOL + "; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'; T: type = float32",
    infer=_pool_dims, kernel=_max_kernel, vjp=_max_vjp, traits=(FRESH, TAKES_MAXIMA, BY_IMAGE),
)  # fmt: skip


def _first_greatest(padded: Array, y: Array, window: tuple[int, ...], stride: tuple[int, ...]) -> Array:
    """Which position of each window holds its maximum `y`, the first of several; NaN is greater than all."""
    here, found = np.empty(y.shape, padded.dtype), np.empty(y.shape, bool)
    last = int(np.prod(window))
    left = np.zeros(y.shape, np.min_scalar_type(last))  # positions from there on to the last, 0 where it was not seen
    number = np.empty_like(left)
    for at, view in enumerate(_positions(padded, window, stride)):
        copy(view, here)  # side by side, where all of them are worked on at once
        np.equal(here, y, out=found)
        np.maximum(left, np.multiply(found.view(np.uint8), left.dtype.type(last - at), out=number), out=left)
    if left.all():
        return np.subtract(last, left, out=left)
    view = windows(padded, window, stride, (1, 1))
    return view.reshape(*view.shape[:4], -1).argmax(axis=-1)


def _max_grad_kernel(
    x: Array, y: Array, g: Array, *, ksize: PerAxis, strides: PerAxis, padding: Padding, explicit_paddings: list[Any],
    data_format: str
) -> Array:  # fmt: skip
    padded, pads, window, stride, shape = _padded(
        x, ksize, strides, padding, explicit_paddings, data_format, least(x.dtype)
    )
    back, high = to_last(g, data_format), to_last(y, data_format)
    out = (len(padded), *_spots(padded, window, stride), shape[3])
    if back.shape != out:
        raise bad(f"grad must have the shape {text_of(out)} of the pooled images, found {text_of(back.shape)}")
    if high.shape != out:
        raise bad(f"Expected orig_output shape to be {text_of(out)}, but got {text_of(high.shape)}")
    if not back.size:
        image = np.zeros(padded.shape, g.dtype)
    elif all(w <= s for w, s in zip(window, stride)):
        image = given_alone(padded, high, back, window, stride)
    else:
        image = np.zeros(padded.shape, g.dtype)
        for images, _ in in_pieces(out, out[2] * out[3], max(_PIECE, out[1] * out[2] * out[3])):
            best = _first_greatest(padded[images], high[images], window, stride)
            _give(image[images], back[images], best, window, stride)
    inner = image[:, pads[0][0] : pads[0][0] + shape[1], pads[1][0] : pads[1][0] + shape[2]]
    return from_last(np.ascontiguousarray(inner, g.dtype), data_format)


_PIECE = 1 << 17  # elements of pooled images that are worked on at a time


def _give(image: Array, back: Array, best: Array, window: tuple[int, ...], stride: tuple[int, ...]) -> None:
    """Adds `back` to `image` at those places of the windows that `best` says."""
    bits = bits_of(back)  # a product of bits picks, whatever they mean, and is fast
    found, chosen = np.empty(back.shape, bits.dtype), np.empty(back.shape, bool)
    # backwards, so that an element of the image that is in several windows gets their gradients in the windows' order
    for at in reversed(list(np.ndindex(*window))):
        there = seen(image, best.shape[1:3], at, stride, (1, 1))
        found[...] = np.equal(best, at[0] * window[1] + at[1], out=chosen)
        np.multiply(bits, found, out=found)
        there += found.view(back.dtype)


def _max_grad_vjp(call: Any, g: object) -> list[Any]:
    x, y, _ = call.inputs
    attrs = {k: call.attrs[k] for k in _POOL_ATTRS}
    return [None, None, MaxPoolGradGrad(x, y, g, **attrs)]


MaxPoolGrad = define(
    "MaxPoolGrad", "orig_input: T[4], orig_output: T, grad: T -> output: T",
    attrs=_MAX_POOL + "; data_format: {'NHWC', 'NCHW'} = 'NHWC'; T: type = float32",
    allowed={"T": REAL}, infer=lambda c: c.dims(0), kernel=_max_grad_kernel, vjp=_max_grad_vjp,
    traits=(FRESH, GIVES_TO_MAXIMA, BY_IMAGE),
)  # fmt: skip


def _max_grad_grad_kernel(
    x: Array, y: Array, g: Array, *, ksize: PerAxis, strides: PerAxis, padding: Padding, data_format: str
) -> Array:
    view, *_ = _pool_view(x, ksize, strides, padding, [], data_format, least(x.dtype))
    if np.shape(g) != x.shape:
        raise bad(f"Expected grad shape to be {text_of(x.shape)}, but got {text_of(np.shape(g))}")
    if y.size == 0:
        return np.zeros_like(y)
    best = view.reshape(*view.shape[:4], -1).argmax(axis=-1)
    other, *_ = _pool_view(g, ksize, strides, padding, [], data_format, 0)
    flat = other.reshape(*other.shape[:4], -1)
    return from_last(np.take_along_axis(flat, best[..., None], -1)[..., 0], data_format)


MaxPoolGradGrad = define(
    "MaxPoolGradGrad", "orig_input: T[4], orig_output: T[4], grad: T -> output: T", attrs=_POOL, allowed={"T": REAL},
    infer=lambda c: c.dims(1), kernel=_max_grad_grad_kernel,
    vjp=lambda call, g: [
        None, None, MaxPoolGrad(call.inputs[0], call.inputs[1], g, **{k: call.attrs[k] for k in _POOL_ATTRS}),
    ],
)  # fmt: skip


def _counts(shape: tuple[int, ...], pads: Any, window: tuple[int, ...], stride: tuple[int, ...]) -> Array:
    """How many elements of the image each window covers."""
    if pads == [(0, 0), (0, 0)]:
        return np.full((1, 1, 1, 1), window[0] * window[1], np.float32)
    ones = with_pads(np.ones((1, shape[1], shape[2], 1), np.float32), pads)
    return windows(ones, window, stride, (1, 1)).sum(axis=(4, 5))


def _avg_kernel(x: Array, *, ksize: PerAxis, strides: PerAxis, padding: Padding, data_format: str) -> Array:
    padded, pads, window, stride, shape = _padded(x, ksize, strides, padding, [], data_format, 0)
    views = _positions(padded, window, stride)
    total = next(views).astype(np.float32 if x.dtype == np.float16 else x.dtype)
    for view in views:
        total += view
    counts = _counts(shape, pads, window, stride)
    if isinstance(total, np.ndarray) and np.result_type(total, counts) == total.dtype:
        return from_last(np.divide(total, counts, out=total).astype(x.dtype, copy=False), data_format)
    return from_last((total / counts).astype(x.dtype), data_format)


def _pool_attrs(call: Any) -> dict[str, Any]:
    return {k: call.attrs[k] for k in _POOL_ATTRS}


AvgPool = define(
    "AvgPool", "value: T -> output: T", attrs=_POOL, allowed={"T": FLOATING}, infer=_pool_dims, kernel=_avg_kernel,
    vjp=lambda call, g: [AvgPoolGrad(shape_(call.inputs[0]), g, **_pool_attrs(call))], traits=(FRESH, BY_IMAGE),
)  # fmt: skip


def _avg_grad_kernel(
    sizes: Array, g: Array, *, ksize: PerAxis, strides: PerAxis, padding: Padding, data_format: str
) -> Array:
    full = ints(sizes)
    h, w = space(full, data_format)
    depth = full[1] if first(data_format) else full[3]
    window, stride = space(ksize, data_format), space(strides, data_format)
    pads = pads_of(padding, [], (h, w), window, stride, data_format)
    back = (to_last(g, data_format) / _counts((1, h, w, 1), pads, window, stride)).astype(g.dtype)
    image = np.zeros((full[0], h + sum(pads[0]), w + sum(pads[1]), depth), g.dtype)
    spread(image, np.broadcast_to(back[..., None, None], (*back.shape, *window)), stride, (1, 1))
    return from_last(
        np.ascontiguousarray(image[:, pads[0][0] : pads[0][0] + h, pads[1][0] : pads[1][0] + w]), data_format
    )


AvgPoolGrad: OpDef = define(
    "AvgPoolGrad", "orig_input_shape: int32[1], grad: T -> output: T", attrs=_POOL, allowed={"T": FLOATING},
    infer=lambda c: c.shape_from(0) or (None,) * 4, kernel=_avg_grad_kernel,
    vjp=lambda call, g: [None, AvgPool(g, **_pool_attrs(call))], traits=(FRESH, BY_IMAGE),
)  # fmt: skip


def max_pool2d(
    input: TensorLike, ksize: PerAxis, strides: PerAxis, padding: Padding, data_format: str = "NHWC",
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The greatest element of each window.

    >>> import graphrt as tf
    >>> tf.nn.max_pool2d(tf.ones([1, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 1])

    Raises:
      ValueError: an option is not valid.
    """
    form = format_of(data_format)
    kind, explicit = padding_of(padding, form)
    return MaxPool(
        input, ksize=four(ksize, form, "ksize"), strides=four(strides, form, "strides"), padding=kind,
        explicit_paddings=explicit, data_format=form, name=name or "MaxPool2d",
    )  # fmt: skip


def max_pool(
    input: TensorLike, ksize: PerAxis, strides: PerAxis, padding: str, data_format: Any = None, name: str | None = None
) -> Tensor:
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
        return max_pool3d(x, ksize, strides, padding, data_format or "NDHWC", name or "max_pool")
    return max_pool2d(input, ksize, strides, padding, data_format or "NHWC", name or "max_pool")


def avg_pool2d(
    input: TensorLike, ksize: PerAxis, strides: PerAxis, padding: Padding, data_format: str = "NHWC",
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The mean of each window.

    >>> import graphrt as tf
    >>> tf.nn.avg_pool2d(tf.ones([1, 4, 4, 1]), 2, 2, "VALID").shape
    TensorShape([1, 2, 2, 1])

    Raises:
      ValueError: an option is not valid.
    """
    form = format_of(data_format)
    kind, _ = padding_of(padding, form)
    return AvgPool(
        input, ksize=four(ksize, form, "ksize"), strides=four(strides, form, "strides"), padding=kind,
        data_format=form, name=name or "AvgPool2D",
    )  # fmt: skip


def avg_pool(
    input: TensorLike, ksize: PerAxis, strides: PerAxis, padding: str, data_format: Any = None, name: str | None = None
) -> Tensor:
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
        return avg_pool3d(x, ksize, strides, padding, data_format or "NDHWC", name or "avg_pool")
    return avg_pool2d(x, ksize, strides, padding, data_format or "NHWC", name or "avg_pool")


def max_pool1d(
    input: TensorLike, ksize: PerAxis, strides: PerAxis, padding: Padding, data_format: str = "NWC",
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The greatest element of each window of a sequence.

    >>> import graphrt as tf
    >>> tf.nn.max_pool1d([[[1.], [3.], [2.]]], 2, 1, "VALID").numpy().ravel().tolist()
    [3.0, 3.0]

    Raises:
      ValueError: an option is not valid.
    """
    return one_wide(max_pool2d, input, (ksize, strides), padding, data_format, name)


def avg_pool1d(
    input: TensorLike, ksize: PerAxis, strides: PerAxis, padding: Padding, data_format: str = "NWC",
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The mean of each window of a sequence.

    >>> import graphrt as tf
    >>> tf.nn.avg_pool1d([[[1.], [3.], [2.]]], 2, 1, "VALID").numpy().ravel().tolist()
    [2.0, 2.5]

    Raises:
      ValueError: an option is not valid.
    """
    return one_wide(avg_pool2d, input, (ksize, strides), padding, data_format, name)
