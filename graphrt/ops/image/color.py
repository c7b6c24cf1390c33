"""Colours of images: spaces, brightness, contrast, hue, saturation, and conversions of their dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define, provide
from graphrt.ops.array.concat_split import Pack, concat
from graphrt.ops.array.creation import ones, ones_like, zeros_like
from graphrt.ops.array.identity import identity
from graphrt.ops.array.repetition import tile
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import ExpandDims
from graphrt.ops.array.shape import rank as rank_
from graphrt.ops.linalg.einsum import tensordot
from graphrt.ops.math.arithmetic import Minimum, Pow, clip_by_value
from graphrt.ops.math.casting import cast, saturate_cast
from graphrt.ops.math.comparison import Equal, Greater, GreaterEqual, Less, LessEqual
from graphrt.ops.math.division import FloorMod
from graphrt.ops.math.elementwise import Abs, Sign
from graphrt.ops.math.logical import LogicalAnd, LogicalNot, LogicalOr
from graphrt.ops.math.reduction import reduce_mean, reduce_sum
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike, static_array
from graphrt.types.dtype import FLOATING, as_dtype, float16, float32
from graphrt.types.likes import Array, DTypeLike
from graphrt.types.shape import Dims

__all__ = [
    "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation", "convert_image_dtype",
    "grayscale_to_rgb", "hsv_to_rgb", "rgb_to_grayscale", "rgb_to_hsv", "rgb_to_yiq", "rgb_to_yuv", "yiq_to_rgb",
    "yuv_to_rgb",
]  # fmt: skip

_ADJUSTED = (float16, float32)


# --- hue, saturation, value ------------------------------------------------------------------------------------------
def _rgb_dims(c: InferContext) -> Dims:
    dims = c.dims(0)
    if dims is not None:
        if not dims:
            raise ShapeError("Shape must be at least rank 1 but is rank 0")
        if dims[-1] not in (3, None):
            raise ShapeError(f"Dimension must be 3 but is {dims[-1]}")
        return (*dims[:-1], 3)
    return None


def _check_rgb(x: Array) -> Array:
    if not np.ndim(x) or x.shape[-1] != 3:
        text = f"input must have 3 channels but instead has shape {text_of(np.shape(x))}"
        raise errors.FailedPreconditionError(None, None, text)
    return x if x.dtype == np.float64 else x.astype(np.float32)


def _to_hsv(rgb: Array) -> Array:
    r, g, b = (rgb[..., i] for i in range(3))
    value = rgb.max(-1)
    span = value - rgb.min(-1)
    norm = 1 / (6 * np.where(span > 0, span, 1))
    third = rgb.dtype.type(2 / 6)
    hue = np.where(value == r, norm * (g - b), np.where(value == g, norm * (b - r) + third, norm * (r - g) + 2 * third))
    hue = np.where(span > 0, np.where(hue < 0, hue + 1, hue), 0)
    saturation = np.where(value > 0, span / np.where(value > 0, value, 1), 0)
    return np.stack([hue, saturation, value], -1).astype(rgb.dtype)


def _to_rgb(hsv: Array) -> Array:
    h, s, v = (hsv[..., i] for i in range(3))
    turn = h * 6
    parts = [np.clip(np.abs(turn - 3) - 1, 0, 1), np.clip(2 - np.abs(turn - 2), 0, 1),
             np.clip(2 - np.abs(turn - 4), 0, 1)]  # fmt: skip
    return np.stack([(1 - s + s * p) * v for p in parts], -1).astype(hsv.dtype)


def _hsv_vjp(call: Any, g: Any) -> list[Any]:
    """Where a channel is the greatest: v is it, s and h follow from it and the least; nothing moves for grey."""
    rgb = call.inputs[0]
    one, zero = ones_like(rgb[..., 0]), zeros_like(rgb[..., 0])
    r, green, b = (rgb[..., i] for i in range(3))
    _, s, v = (call.outputs[0][..., i] for i in range(3))
    low = Minimum(Minimum(r, green), b)
    span = v - low
    some = Greater(span, zero)
    safe, bright = where(some, span, one), where(Greater(v, zero), v, one)
    red_top = Equal(v, r)
    green_top = LogicalAnd(LogicalNot(red_top), Equal(v, green))
    red_low = Equal(low, r)
    green_low = LogicalAnd(LogicalNot(red_low), Equal(low, green))

    def chosen(first: Tensor, second: Tensor) -> list[Any]:
        picks = [first, second, LogicalNot(LogicalOr(first, second))]
        return [where(p, one, zero) for p in picks]

    tops, lows = chosen(red_top, green_top), chosen(red_low, green_low)
    distance = where(red_top, green - b, where(green_top, b - r, r - green))
    out = []
    for i in range(3):
        # the channel's part in the difference that the hue divides by the span
        sign = tops[(i + 2) % 3] - tops[(i + 1) % 3]
        hue = where(some, (sign - distance / safe * (tops[i] - lows[i])) / safe / 6, zero)
        saturation = where(Greater(v, zero), ((tops[i] - lows[i]) - s * tops[i]) / bright, zero)
        out.append(g[..., 0] * hue + g[..., 1] * saturation + g[..., 2] * tops[i])
    return [Pack(out, axis=-1)]


def _rgb_vjp(call: Any, g: Any) -> list[Any]:
    hsv = call.inputs[0]
    h, s, v = (hsv[..., i] for i in range(3))
    one, zero = ones_like(h), zeros_like(h)
    turn = h * 6
    shift = [(turn - 3, 1, -1.0), (turn - 2, -1, 2.0), (turn - 4, -1, 2.0)]
    dh, ds, dv = zero, zero, zero
    for i, (at, sign, base) in enumerate(shift):
        raw = sign * Abs(at) + base
        part = clip_by_value(raw, zero, one)
        inside = where(LogicalAnd(Greater(raw, zero), Less(raw, one)), one, zero)
        slope = Sign(at) * (6 * sign) * inside
        gi = g[..., i]
        dh = dh + gi * s * v * slope
        ds = ds + gi * (part - 1) * v
        dv = dv + gi * (1 - s + s * part)
    return [Pack([dh, ds, dv], axis=-1)]


RGBToHSV = define(
    "RGBToHSV", "images: T -> output: T", attrs="T: type = float32", allowed={"T": FLOATING}, infer=_rgb_dims,
    kernel=lambda x: _to_hsv(_check_rgb(x)).astype(x.dtype, copy=False), vjp=_hsv_vjp,
)  # fmt: skip
HSVToRGB = define(
    "HSVToRGB", "images: T -> output: T", attrs="T: type = float32", allowed={"T": FLOATING}, infer=_rgb_dims,
    kernel=lambda x: _to_rgb(_check_rgb(x)).astype(x.dtype, copy=False), vjp=_rgb_vjp,
)  # fmt: skip


# of the six parts of the circle of hues: the greatest, the middle and the least channel
_CHANNELS = np.array([[0, 1, 2], [1, 0, 2], [1, 2, 0], [2, 1, 0], [2, 0, 1], [0, 2, 1]])
_SEXTANTS = np.zeros((3, 3), np.intp)
_SEXTANTS[_CHANNELS[:, 0], _CHANNELS[:, 2]] = np.arange(6)


def _hue_kernel(x: Array, delta: Array) -> Array:
    """Turns the hue between the least and the greatest channel, which stay what they are to the last bit."""
    rgb = _check_rgb(x)
    order = np.argsort(rgb, axis=-1, kind="stable")
    low, middle, high = (np.take_along_axis(rgb, order[..., i : i + 1], -1)[..., 0] for i in range(3))
    span = high - low
    part = (middle - low) / np.where(span > 0, span, 1)
    sextant = _SEXTANTS[order[..., 2], order[..., 0]]  # by the greatest channel and the least
    turn = np.where(span > 0, sextant + np.where(sextant % 2 == 0, part, 1 - part), 0)
    turn = np.mod(turn + np.float32(delta) * 6, 6).astype(rgb.dtype)
    sextant = np.clip(np.where(np.isfinite(turn), turn, 0).astype(np.intp), 0, 5)
    part = turn - sextant
    middle = low + np.where(sextant % 2 == 0, part, 1 - part) * span
    places = _CHANNELS[sextant]
    turned = np.empty_like(rgb)
    for i, channel in enumerate((high, middle, low)):
        np.put_along_axis(turned, places[..., i : i + 1], channel[..., None], -1)
    return turned.astype(x.dtype, copy=False)


def _saturation_kernel(x: Array, scale: Array) -> Array:
    hsv = _to_hsv(_check_rgb(x))
    hsv[..., 1] = np.clip(hsv[..., 1] * np.float32(scale), 0, 1)
    grey = hsv * np.array([1, 0, 1], hsv.dtype)
    chroma = (hsv[..., 1] * hsv[..., 2])[..., None]
    pure = _to_rgb(np.stack([hsv[..., 0], np.ones_like(hsv[..., 0]), np.ones_like(hsv[..., 0])], -1))
    return (pure * chroma + (grey[..., 2:] - chroma)).astype(x.dtype, copy=False)  # the greatest channel stays


def _image_dims(c: InferContext) -> Dims:
    dims = c.dims(0)
    if dims is not None and len(dims) < 3:
        raise ShapeError(f"Shape must be at least rank 3 but is rank {len(dims)}")
    return dims


def _adjusting_vjp(adjust: Callable[..., Any]) -> Callable[..., Any]:
    """The gradient of an adjustment by way of the colour spaces that it passes through."""

    def vjp(call: Any, g: object) -> list[Any]:
        x = call.inputs[0]
        hsv = RGBToHSV(x)
        changed, keep = adjust(hsv, call.inputs[1])
        back = _rgb_vjp(_Call(changed), g)[0]
        back = Pack([back[..., 0] * keep[0], back[..., 1] * keep[1], back[..., 2]], axis=-1)
        return [_hsv_vjp(_Call(x, hsv), back)[0], None]

    return vjp


class _Call:
    """What a gradient rule reads of a call: its input and output."""

    def __init__(self, x: Tensor, y: Tensor | None = None) -> None:
        self.inputs, self.outputs = [x], [y]


def _turned_hue(hsv: Tensor, delta: Tensor) -> tuple[Tensor, tuple[float, ...]]:
    hue = FloorMod(hsv[..., 0] + cast(delta, hsv.dtype), ones_like(hsv[..., 0]))
    return Pack([hue, hsv[..., 1], hsv[..., 2]], axis=-1), (1.0, 1.0)


def _scaled_saturation(hsv: Tensor, scale: Tensor) -> tuple[Tensor, tuple[float, Tensor]]:
    s = hsv[..., 1] * cast(scale, hsv.dtype)
    one, zero = ones_like(s), zeros_like(s)
    keep = where(LogicalAnd(GreaterEqual(s, zero), LessEqual(s, one)), one, zero)
    whole = Pack([hsv[..., 0], clip_by_value(s, zero, one), hsv[..., 2]], axis=-1)
    return whole, (1.0, keep * cast(scale, hsv.dtype))


AdjustHue = define(
    "AdjustHue", "images: T, delta: float32 -> output: T", attrs="T: type = float32", allowed={"T": _ADJUSTED},
    infer=_image_dims, kernel=_hue_kernel, vjp=_adjusting_vjp(_turned_hue),
)  # fmt: skip
AdjustSaturation = define(
    "AdjustSaturation", "images: T, scale: float32 -> output: T", attrs="T: type = float32",
    allowed={"T": _ADJUSTED}, infer=_image_dims, kernel=_saturation_kernel, vjp=_adjusting_vjp(_scaled_saturation),
)  # fmt: skip


def _contrast_kernel(x: Array, factor: Array) -> Array:
    if np.ndim(x) < 3:
        raise bad(f"input must be at least 3-D, got shape{text_of(np.shape(x))}")
    wide = x.astype(np.float32)
    pixels = max(x.shape[-3] * x.shape[-2], 1)
    mean = wide.sum((-3, -2), keepdims=True) / np.float32(pixels)
    return ((wide - mean) * np.float32(factor) + mean).astype(x.dtype, copy=False)


def _contrast_vjp(call: Any, g: Any) -> list[Any]:
    x, factor = call.inputs
    scale = cast(factor, x.dtype)
    mean = reduce_mean(g, [-3, -2], keepdims=True)
    centered = x - reduce_mean(x, [-3, -2], keepdims=True)
    return [(g - mean) * scale + mean, reduce_sum(cast(g * centered, float32), None)]


AdjustContrastv2 = define(
    "AdjustContrastv2", "images: T, contrast_factor: float32[0] -> output: T", attrs="T: type = float32",
    allowed={"T": _ADJUSTED}, infer=_image_dims, kernel=_contrast_kernel, vjp=_contrast_vjp,
)  # fmt: skip


# --- dtypes ----------------------------------------------------------------------------------------------------------
@provide
def convert_image_dtype(image: TensorLike, dtype: DTypeLike, saturate: bool = False, name: str | None = None) -> Tensor:
    """`image` in another dtype, scaled: floats hold 0 to 1, integers 0 to their greatest value.

    >>> import graphrt as tf
    >>> tf.image.convert_image_dtype(tf.constant([0, 255], tf.uint8), tf.float32).numpy().tolist()
    [0.0, 1.0]

    Raises:
      TypeError: a dtype is neither floating nor an integer.
    """
    x = as_tensor(image)
    wanted = as_dtype(dtype)
    if not (wanted.is_floating or wanted.is_integer):
        raise TypeError(errors.at_user_line(f"dtype must be floating or integer, found {wanted.name}"))
    if x.dtype is wanted:
        return identity(x, name=name)
    with scope(name, "convert_image"):
        to = saturate_cast if saturate else cast
        if x.dtype.is_integer and wanted.is_integer:
            high, low = int(x.dtype.max), int(wanted.max)
            if high > low:
                return to(x // ((high + 1) // (low + 1)), wanted)
            return to(x, wanted) * ((low + 1) // (high + 1))
        if x.dtype.is_floating and wanted.is_floating:
            return cast(x, wanted)
        if x.dtype.is_integer:
            return cast(x, wanted) * (1.0 / int(x.dtype.max))
        return to(x * (int(wanted.max) + 0.5), wanted)


def _as_floats(x: Tensor) -> Tensor:
    return x if x.dtype in _ADJUSTED else convert_image_dtype(x, float32)


# --- public ----------------------------------------------------------------------------------------------------------
def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Red, green, blue (the last axis) as hue, saturation, value.

    >>> import graphrt as tf
    >>> tf.image.rgb_to_hsv([1., 0., 0.]).numpy().tolist()
    [0.0, 1.0, 1.0]

    Raises:
      InvalidArgumentError: the last axis has not three elements.
    """
    return RGBToHSV(images, name=name)


def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """Hue, saturation, value (the last axis) as red, green, blue.

    >>> import graphrt as tf
    >>> tf.image.hsv_to_rgb([0., 1., 1.]).numpy().tolist()
    [1.0, 0.0, 0.0]

    Raises:
      InvalidArgumentError: the last axis has not three elements.
    """
    return HSVToRGB(images, name=name)


def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """The brightness of red, green, blue, as one channel.

    >>> import graphrt as tf
    >>> tf.image.rgb_to_grayscale([[[1., 1., 1.]]]).numpy().round(3).tolist()
    [[[1.0]]]

    Raises:
      InvalidArgumentError: the last axis has not three elements.
    """
    with scope(name, "rgb_to_grayscale"):
        x = as_tensor(images)
        if x.dims is not None and (not x.dims or x.dims[-1] not in (3, None)):
            raise ShapeError(errors.at_user_line(f"images must have 3 channels, found shape {x.shape}"))
        real = convert_image_dtype(x, float32) if not x.dtype.is_floating else x
        gray = tensordot(real, as_tensor([0.2989, 0.587, 0.114], real.dtype), [[-1], [-1]])
        return convert_image_dtype(ExpandDims(gray, -1), x.dtype)


def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """One channel three times.

    >>> import graphrt as tf
    >>> tf.image.grayscale_to_rgb([[[2.]]]).numpy().tolist()
    [[[2.0, 2.0, 2.0]]]

    Raises:
      ValueError: the last axis has not one element.
    """
    with scope(name, "grayscale_to_rgb"):
        x = as_tensor(images)
        if x.dims is not None and (not x.dims or x.dims[-1] not in (1, None)):
            raise ValueError(errors.at_user_line(f"images must have one channel, found shape {x.shape}"))
        rank = rank_(x) - 1
        found = tile(x, concat([ones(ExpandDims(rank, 0), "int32"), [3]], 0))
        if found.dims is not None and found.dims[-1] is None:
            found.set_shape([*found.dims[:-1], 3])
        return found


_MATRICES = {
    "rgb_to_yiq": [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]],
    "yiq_to_rgb": [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]],
    "rgb_to_yuv": [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512],
                   [0.114, 0.43601035, -0.10001026]],
    "yuv_to_rgb": [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]],
}  # fmt: skip


def _linear(kind: str) -> Callable[..., Any]:
    def function(images: TensorLike) -> Tensor:
        x = as_tensor(images)
        return tensordot(x, as_tensor(_MATRICES[kind], x.dtype), [[-1], [0]])

    function.__name__ = function.__qualname__ = kind
    source, target = kind.upper().split("_TO_")
    function.__doc__ = f"""The last axis, {source}, as {target}.

    >>> import graphrt as tf
    >>> tf.image.{kind}([0., 0., 0.]).numpy().tolist()
    [0.0, 0.0, 0.0]
    """
    return function


rgb_to_yiq, yiq_to_rgb, rgb_to_yuv, yuv_to_rgb = (_linear(k) for k in _MATRICES)


@provide
def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """`delta` (of 0 to 1) added to every element.

    >>> import graphrt as tf
    >>> tf.image.adjust_brightness(tf.constant([[[10]]], tf.uint8), 0.1).numpy().tolist()
    [[[35]]]
    """
    with scope(None, "adjust_brightness"):
        x = as_tensor(image)
        real = _as_floats(x)
        return convert_image_dtype(real + cast(delta, real.dtype), x.dtype, saturate=True)


@provide
def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """The distance of each element from its channel's mean, times `contrast_factor`.

    >>> import graphrt as tf
    >>> tf.image.adjust_contrast([[[1.], [3.]]], 2.).numpy().tolist()
    [[[0.0], [4.0]]]

    Raises:
      InvalidArgumentError: the images have fewer than three axes.
    """
    with scope(None, "adjust_contrast"):
        x = as_tensor(images)
        return convert_image_dtype(AdjustContrastv2(_as_floats(x), contrast_factor), x.dtype, saturate=True)


@provide
def adjust_hue(image: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    """The hue of an RGB image turned by `delta` (of -1 to 1).

    >>> import graphrt as tf
    >>> tf.image.adjust_hue([[[1., 0., 0.]]], 1 / 3).numpy().round(3).tolist()
    [[[0.0, 1.0, 0.0]]]

    Raises:
      ValueError: `delta` is out of range.
      FailedPreconditionError: the image has not three channels.
    """
    with scope(name, "adjust_hue"):
        known = static_array(as_tensor(delta))
        if known is not None and not -1 <= float(known) <= 1:
            raise ValueError(errors.at_user_line(f"delta must be in the interval [-1, 1], found {known}"))
        x = as_tensor(image)
        return convert_image_dtype(AdjustHue(_as_floats(x), delta), x.dtype, saturate=True)


@provide
def adjust_saturation(image: TensorLike, saturation_factor: TensorLike, name: str | None = None) -> Tensor:
    """The saturation of an RGB image times a factor.

    >>> import graphrt as tf
    >>> tf.image.adjust_saturation([[[1., 0.5, 0.5]]], 0.).numpy().tolist()
    [[[1.0, 1.0, 1.0]]]

    Raises:
      InvalidArgumentError: the image has not three channels.
    """
    with scope(name, "adjust_saturation"):
        x = as_tensor(image)
        return convert_image_dtype(AdjustSaturation(_as_floats(x), saturation_factor), x.dtype, saturate=True)


def adjust_gamma(image: TensorLike, gamma: TensorLike = 1, gain: TensorLike = 1) -> Tensor:
    """`gain` times each element to the power `gamma`.

    >>> import graphrt as tf
    >>> tf.image.adjust_gamma([[[0.5]]], 2.).numpy().tolist()
    [[[0.25]]]

    Raises:
      ValueError: `gamma` is negative.
    """
    with scope(None, "adjust_gamma"):
        x = as_tensor(image)
        known = static_array(as_tensor(gamma))
        if known is not None and float(known) < 0:
            raise ValueError(errors.at_user_line("Gamma should be a non-negative real number."))
        real = _as_floats(x)
        return convert_image_dtype(gain * Pow(real, cast(gamma, real.dtype)), x.dtype, saturate=True)
