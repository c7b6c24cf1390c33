"""Images resampled: each way of resizing is a list of source pixels and weights for every row and column."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.op import OpDef, define, provide
from graphrt.ops.array.concat_split import Pack
from graphrt.ops.array.creation import zeros
from graphrt.ops.array.shape import ExpandDims, Shape, Squeeze
from graphrt.ops.image.transforms import pad_to_bounding_box
from graphrt.ops.math.arithmetic import Maximum, Minimum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import floor
from graphrt.ops.math.elementwise import round as round_
from graphrt.ops.support import threads
from graphrt.ops.support.kernel_helpers import bad, ints, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, TensorLike, static_array
from graphrt.types.accumulate import combine_at
from graphrt.types.dtype import (
    DType,
    bfloat16,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
)
from graphrt.types.likes import Array
from graphrt.types.shape import Dims

__all__ = ["ResizeMethod", "resize", "resize_with_pad"]

_IMAGES = (int8, uint8, int16, uint16, int32, int64, float16, float32, float64, bfloat16)
_F = np.float32
Taps = tuple[Any, Any]  # source positions and weights, one row for each output position


# --- where each output pixel comes from ------------------------------------------------------------------------------
def _scale(size: int, wanted: int, align: bool) -> Any:
    return _F(size - 1) / _F(wanted - 1) if align and wanted > 1 else _F(size) / _F(max(wanted, 1))


def _centers(size: int, wanted: int, align: bool, half: bool) -> Array:
    at = np.arange(wanted, dtype=_F)
    scale = _scale(size, wanted, align)
    return (at + _F(0.5)) * scale - _F(0.5) if half else at * scale


def _nearest_taps(size: int, wanted: int, align: bool, half: bool) -> Taps:
    at, scale = np.arange(wanted, dtype=_F), _scale(size, wanted, align)
    if half:
        found = np.floor((at + _F(0.5)) * scale)
    else:
        found = np.floor(at * scale + _F(0.5)) if align else np.floor(at * scale)
    return np.clip(found.astype(np.int64), 0, size - 1)[:, None], np.ones((wanted, 1), _F)


@functools.lru_cache(maxsize=32)
def _linear_taps(size: int, wanted: int, align: bool, half: bool) -> Taps:
    at = _centers(size, wanted, align, half)
    low = np.floor(at)
    part = at - low
    places = np.stack([np.maximum(low, 0), np.minimum(np.ceil(at), size - 1)], 1).astype(np.int64)
    return np.clip(places, 0, size - 1), np.stack([1 - part, part], 1).astype(_F)


_STEPS = 1024  # cubic weights are taken at this many places between two pixels


def _cubic(distance: Array, a: float) -> Array:
    d = np.abs(distance).astype(np.float64)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def _cubic_taps(size: int, wanted: int, align: bool, half: bool) -> Taps:
    at = _centers(size, wanted, align, half)
    low = np.floor(at)
    part = np.rint((at - low) * _STEPS) / _STEPS
    offsets = np.arange(-1, 3)
    places = low.astype(np.int64)[:, None] + offsets
    weights = _cubic(offsets - part[:, None], -0.5 if half else -0.75)
    if half:
        weights = np.where((places >= 0) & (places < size), weights, 0)
        total = weights.sum(1, keepdims=True)
        weights = np.where(np.abs(total) > 1e-30, weights / np.where(total == 0, 1, total), 0)
    return np.clip(places, 0, size - 1), weights.astype(_F)


def _area_taps(size: int, wanted: int, align: bool) -> Taps:
    scale = _scale(size, wanted, align)
    start = np.arange(wanted, dtype=_F) * scale
    end = (np.arange(wanted, dtype=_F) + 1) * scale
    first = np.floor(start).astype(np.int64)
    count = int((np.ceil(end).astype(np.int64) - first).max(initial=1))
    places = first[:, None] + np.arange(count)
    weights = np.maximum(np.minimum(places + 1, end[:, None]) - np.maximum(places, start[:, None]), 0) / scale
    return np.clip(places, 0, size - 1), weights.astype(_F)


def _lanczos(radius: float) -> Callable[[Any], Any]:
    return lambda x: np.where(np.abs(x) > radius, 0, np.where(np.abs(x) <= 1e-3, 1, np.sinc(x) * np.sinc(x / radius)))


def _mitchell(x: Array) -> Array:
    d = np.abs(x)
    near = ((7 / 6) * d - 2) * d * d + 8 / 9
    far = ((-7 / 18 * d + 2) * d - 10 / 3) * d + 16 / 9
    return np.where(d >= 2, 0, np.where(d >= 1, far, near))


_KERNELS: dict[str, tuple[float, Callable[[Any], Any]]] = {
    "lanczos1": (1.0, _lanczos(1.0)), "lanczos3": (3.0, _lanczos(3.0)), "lanczos5": (5.0, _lanczos(5.0)),
    "gaussian": (1.5, lambda x: np.where(np.abs(x) >= 1.5, 0, np.exp(-2.0 * x * x))),
    "box": (1.0, lambda x: np.where(np.abs(x) < 0.5, 1.0, np.where(np.abs(x) == 0.5, 0.5, 0.0))),
    "triangle": (1.0, lambda x: np.maximum(1 - np.abs(x), 0)),
    "keyscubic": (2.0, lambda x: _cubic(x, -0.5)), "mitchellcubic": (2.0, _mitchell),
}  # fmt: skip


def _kernel_taps(size: int, wanted: int, scale: float, shift: float, kind: str, antialias: bool) -> Taps:
    radius, kernel = _KERNELS[kind]
    inverse = _F(1) / _F(scale)
    spread = max(inverse, _F(1)) if antialias else _F(1)
    center = (np.arange(wanted, dtype=_F) + _F(0.5)) * inverse - _F(shift) * inverse
    first = np.maximum(np.ceil(center - radius * spread - _F(0.5)), 0).astype(np.int64)
    last = np.minimum(np.floor(center + radius * spread - _F(0.5)), size - 1).astype(np.int64)
    count = int(max((last - first + 1).max(initial=1), 1))
    places = first[:, None] + np.arange(count)
    weights = kernel((places + 0.5 - center[:, None]) / spread)
    inside = (places <= last[:, None]) & ((center >= 0) & (center <= size))[:, None]
    weights = np.where(inside, weights, 0)
    total = weights.sum(1, keepdims=True)
    weights = np.where(np.abs(total) > 1e-30, weights / np.where(total == 0, 1, total), 0)
    return np.clip(places, 0, size - 1), weights.astype(_F)


_EACH = 1 << 15  # elements that take as long as it takes to hand work to a thread

# --- applying and spreading back -------------------------------------------------------------------------------------
_SHORT = 16  # elements: shorter runs are laid out one after the other, so that loops are long
_LONG = 512  # elements, which are worth a loop of their own


def _along(x: Array, taps: Taps, axis: int) -> Any:
    places: Array = taps[0].T
    weights: Any = taps[1].T.astype(x.dtype)
    lines: Array
    before, behind = x.shape[:axis], x.shape[axis + 1 :]
    run = math.prod(behind)
    if run < _SHORT:
        places = (places[:, :, None] * run + np.arange(run)).reshape(len(places), -1)
        weights, lines = np.repeat(weights, run, 1), x.reshape(math.prod(before), x.shape[axis] * run)
    else:
        weights, lines = weights[:, :, None], x.reshape(math.prod(before), x.shape[axis], run)
        if run < _LONG and len(lines) > 1:
            weights = np.repeat(weights, run, 2)  # used several times, and one loop goes over all of a line
    out = np.take(lines, places[0], 1, mode="clip")  # places are inside; asking is slow
    out *= weights[0]
    for where, weight in zip(places[1:], weights[1:]):
        part = np.take(lines, where, 1, mode="clip")
        part *= weight
        out += part
    return out.reshape(*before, taps[0].shape[0], *behind)


def _back_along(g: Array, taps: Taps, axis: int, size: int) -> Array:
    places, weights = taps
    shape = list(g.shape)
    shape[axis] = size
    out = np.moveaxis(np.zeros(shape, g.dtype), axis, 0)
    rows = np.moveaxis(g, axis, 0)
    for i in range(places.shape[1]):
        weighted = rows * weights[:, i].astype(g.dtype).reshape(-1, *[1] * (g.ndim - 1))
        combine_at(np.add, out, places[:, i], weighted)
    return np.ascontiguousarray(np.moveaxis(out, 0, axis))


def _sizes(images: Array, size: Array) -> tuple[int, int]:
    if np.ndim(images) != 4:
        raise bad(f"input must be 4-dimensional {text_of(np.shape(images))}")
    found = ints(size)
    if len(found) != 2:
        raise bad(f"shape_t must have two elements {text_of(np.shape(size))}")
    if min(found) <= 0:
        raise bad("output dimensions must be positive")
    if not images.shape[1] or not images.shape[2]:
        raise bad("input image must be of non-zero size")
    return found[0], found[1]


def _resampled(images: Array, height: Taps, width: Taps) -> Array:
    shape = len(images), len(height[0]), len(width[0]), images.shape[3]
    most = (images.size + math.prod(shape)) // _EACH
    if len(images) < 2 or threads.useful(most) < 2:
        return _of_images(images, height, width)
    out = np.empty(shape, _F)

    def share(start: int, end: int) -> None:
        out[start:end] = _of_images(images[start:end], height, width)

    threads.in_parts(share, len(images), most)
    return out


def _of_images(images: Array, height: Taps, width: Taps) -> Array:
    x = images if images.dtype == np.float64 else images.astype(_F, copy=False)
    # The fewer rows, the less work on each; of what no float holds more than two come out otherwise than in TensorFlow.
    if len(height[0]) > x.shape[1] and height[0].shape[1] <= 2:
        out = _along(_along(x, width, 2), height, 1)
    else:
        out = _along(_along(x, height, 1), width, 2)
    out += 0  # a sum of zeros is not negative
    return out.astype(_F, copy=False)


def _dims(c: Any) -> Dims:
    dims = c.dims(0)
    if dims is not None and len(dims) != 4:
        raise ShapeError(f"Shape must be rank 4 but is rank {len(dims)}")
    size = c.shape_from(1) or (None, None)
    if len(size) != 2:
        raise ShapeError(f"Dimension must be 2 but is {len(size)}")
    return (None, *size, None) if dims is None else (dims[0], *size, dims[3])


_PLACED = "T: type; align_corners: bool = False; half_pixel_centers: bool = False"


def _placed(call: Any) -> dict[str, Any]:
    return {k: call.attrs[k] for k in ("align_corners", "half_pixel_centers")}


def _exclusive(align: bool, half: bool) -> None:
    if align and half:
        raise bad("If half_pixel_centers is True, align_corners must be False.")


def _nearest(x: Array, size: Array, *, align_corners: bool, half_pixel_centers: bool) -> Array:
    wanted = _sizes(x, size)
    _exclusive(align_corners, half_pixel_centers)
    rows, columns = (_nearest_taps(x.shape[i + 1], wanted[i], align_corners, half_pixel_centers)[0] for i in (0, 1))
    return np.take(np.take(x, rows[:, 0], 1), columns[:, 0], 2)


def _nearest_grad(g: Array, size: Array, *, align_corners: bool, half_pixel_centers: bool) -> Array:
    height, width = ints(size)
    rows, columns = (
        _nearest_taps(n, w, align_corners, half_pixel_centers) for n, w in zip((height, width), g.shape[1:3])
    )
    return _back_along(_back_along(g, rows, 1, height), columns, 2, width)


ResizeNearestNeighbor = define(
    "ResizeNearestNeighbor", "images: T, size: int32[1] -> resized_images: T", attrs=_PLACED, allowed={"T": _IMAGES},
    infer=_dims, kernel=_nearest,
    vjp=lambda call, g: [ResizeNearestNeighborGrad(g, Shape(call.inputs[0])[1:3], **_placed(call)), None],
)  # fmt: skip
ResizeNearestNeighborGrad: OpDef = define(
    "ResizeNearestNeighborGrad", "grads: T, size: int32[1] -> output: T", attrs=_PLACED,
    allowed={"T": (uint8, int8, int32, float16, float32, float64, bfloat16)}, infer=_dims, kernel=_nearest_grad,
    vjp=lambda call, g: [ResizeNearestNeighbor(g, Shape(call.inputs[0])[1:3], **_placed(call)), None],
)  # fmt: skip


def _weighted_pair(name: str, taps: Callable[..., Taps], grad_types: tuple[DType, ...]) -> OpDef:
    """A resizing op and the op of its gradient."""

    def kernel(x: Array, size: Array, *, align_corners: bool, half_pixel_centers: bool) -> Array:
        wanted = _sizes(x, size)
        _exclusive(align_corners, half_pixel_centers)
        return _resampled(x, *(taps(x.shape[i + 1], wanted[i], align_corners, half_pixel_centers) for i in (0, 1)))

    def grad(g: Array, like: Array, *, align_corners: bool, half_pixel_centers: bool) -> Array:
        rows, columns = (taps(n, w, align_corners, half_pixel_centers) for n, w in zip(like.shape[1:3], g.shape[1:3]))
        out = _back_along(_back_along(g, rows, 1, like.shape[1]), columns, 2, like.shape[2])
        return out.astype(like.dtype, copy=False)

    def vjp(call: Any, g: object) -> list[Any]:
        x = call.inputs[0]
        if not x.dtype.is_floating:
            return [None, None]
        like = x if x.dtype in grad_types else cast(x, float32)
        return [cast(gradient(g, like, **_placed(call)), x.dtype), None]

    def second(call: Any, g: Any) -> list[Any]:
        return [forward(g, Shape(call.inputs[0])[1:3], **_placed(call)), None]

    forward = define(
        name, "images: T, size: int32[1] -> resized_images: float32", attrs=_PLACED, allowed={"T": _IMAGES}, infer=_dims,
        kernel=kernel, vjp=vjp,
    )  # fmt: skip
    gradient = define(
        f"{name}Grad", "grads: float32, original_image: T -> output: T", attrs=_PLACED, allowed={"T": grad_types},
        infer=lambda c: c.dims(1), kernel=grad, vjp=second,
    )  # fmt: skip
    return forward


ResizeBilinear = _weighted_pair("ResizeBilinear", _linear_taps, (float32, bfloat16, float16, float64))
ResizeBicubic = _weighted_pair("ResizeBicubic", _cubic_taps, (float32, float64))


def _area(x: Array, size: Array, *, align_corners: bool) -> Array:
    wanted = _sizes(x, size)
    return _resampled(x, *(_area_taps(x.shape[i + 1], wanted[i], align_corners) for i in (0, 1)))


ResizeArea = define(
    "ResizeArea", "images: T, size: int32[1] -> resized_images: float32",
    attrs="T: type; align_corners: bool = False", allowed={"T": _IMAGES}, infer=_dims, kernel=_area,
)  # fmt: skip


def _moved_taps(
    shape: tuple[int, ...], wanted: tuple[int, ...], scale: Array, shift: Array, kind: str, antialias: bool
) -> list[Taps]:
    name = kind.lower()
    if name not in _KERNELS:
        raise bad(f"Unrecognized kernel type: {kind}")
    if not (np.asarray(scale) > 0).all():
        raise bad("scale must be greater than zero.")
    return [_kernel_taps(shape[i + 1], wanted[i], float(scale[i]), float(shift[i]), name, antialias) for i in (0, 1)]


def _moved(x: Array, size: Array, scale: Array, translation: Array, *, kernel_type: str, antialias: bool) -> Array:
    return _resampled(x, *_moved_taps(x.shape, _sizes(x, size), scale, translation, kernel_type, antialias))


def _moved_grad(g: Array, like: Array, scale: Array, translation: Array, *, kernel_type: str, antialias: bool) -> Array:
    rows, columns = _moved_taps(like.shape, g.shape[1:3], scale, translation, kernel_type, antialias)
    return _back_along(_back_along(g, rows, 1, like.shape[1]), columns, 2, like.shape[2])


_KIND = "T: type; kernel_type: string = 'lanczos3'; antialias: bool = True"


def _moved_attrs(call: Any) -> dict[str, Any]:
    return {k: call.attrs[k] for k in ("kernel_type", "antialias")}


def _moved_vjp(call: Any, g: object) -> list[Any]:
    x, _, scale, shift = call.inputs
    if not x.dtype.is_floating:
        return [None] * 4
    found = ScaleAndTranslateGrad(g, cast(x, float32), scale, shift, **_moved_attrs(call))
    return [cast(found, x.dtype), None, None, None]


ScaleAndTranslate = define(
    "ScaleAndTranslate",
    "images: T, size: int32[1], scale: float32, translation: float32 -> resized_images: float32", attrs=_KIND,
    allowed={"T": _IMAGES}, infer=_dims, kernel=_moved, vjp=_moved_vjp,
)  # fmt: skip
ScaleAndTranslateGrad = define(
    "ScaleAndTranslateGrad", "grads: T, original_image: T, scale: float32, translation: float32 -> output: T",
    attrs=_KIND, allowed={"T": (float32,)}, infer=lambda c: c.dims(1), kernel=_moved_grad,
    vjp=lambda call, g: [
        ScaleAndTranslate(g, Shape(call.inputs[0])[1:3], *call.inputs[2:], **_moved_attrs(call)),
        None, None, None,
    ],
)  # fmt: skip


# --- public ----------------------------------------------------------------------------------------------------------
class ResizeMethod:
    """The ways of resizing that `tf.image.resize` knows.

    >>> import graphrt as tf
    >>> row = tf.reshape([1.0, 2.0], [1, 2, 1])
    >>> tf.image.resize(row, [1, 4], tf.image.ResizeMethod.NEAREST_NEIGHBOR)[0, :, 0].numpy().tolist()
    [1.0, 1.0, 2.0, 2.0]
    """

    AREA = "area"
    BICUBIC = "bicubic"
    BILINEAR = "bilinear"
    GAUSSIAN = "gaussian"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    MITCHELLCUBIC = "mitchellcubic"
    NEAREST_NEIGHBOR = "nearest"


def _by_kernel(images: Tensor, size: Tensor, kind: str, antialias: bool) -> Tensor:
    shape = cast(Shape(images)[1:3], float32)
    scale = cast(size, float32) / shape
    return ScaleAndTranslate(images, size, scale, zeros([2], float32), kernel_type=kind, antialias=antialias)


def _resized(images: Tensor, size: Tensor, method: str, antialias: bool) -> Tensor:
    if method == "bilinear":
        if antialias:
            return _by_kernel(images, size, "triangle", True)
        return ResizeBilinear(images, size, half_pixel_centers=True)
    if method == "nearest":
        return ResizeNearestNeighbor(images, size, half_pixel_centers=True)
    if method == "bicubic":
        if antialias:
            return _by_kernel(images, size, "keyscubic", True)
        return ResizeBicubic(images, size, half_pixel_centers=True)
    if method == "area":
        return ResizeArea(images, size)
    if method in ("lanczos3", "lanczos5", "gaussian", "mitchellcubic"):
        return _by_kernel(images, size, method, antialias)
    raise ValueError(errors.at_user_line(f"Resize method is not implemented: {method!r}"))


def _keeping_aspect(images: Tensor, size: Tensor) -> Tensor:
    height, width = (cast(Shape(images)[i], float32) for i in (1, 2))
    factor = Minimum(cast(size[0], float32) / height, cast(size[1], float32) / width)
    return Pack([cast(round_(factor * height), "int32"), cast(round_(factor * width), "int32")])


@provide
def resize(
    images: TensorLike, size: TensorLike, method: str = ResizeMethod.BILINEAR, preserve_aspect_ratio: bool = False,
    antialias: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """`images` (one, or a batch) of height and width `size`; float32, except for method "nearest".

    >>> import graphrt as tf
    >>> tf.image.resize([[[0.], [4.]]], [1, 4]).numpy().ravel().tolist()
    [0.0, 1.0, 3.0, 4.0]

    Raises:
      ValueError: the images have another rank, `size` is no pair, or `method` is unknown.
    """
    with scope(name, "resize"):
        x = as_tensor(images)
        if x.dims is None:
            raise ValueError(errors.at_user_line("'images' contains no shape."))
        if len(x.dims) not in (3, 4):
            raise ValueError(errors.at_user_line("'images' must have either 3 or 4 dimensions."))
        single = len(x.dims) == 3
        if single:
            x = ExpandDims(x, 0)
        wanted = convert_to_tensor(size, dtype_hint=int32)
        if wanted.dtype is not int32:
            raise ValueError(errors.at_user_line("'size' must be a 1-D int32 Tensor"))
        if wanted.dims is not None and wanted.dims != (2,) and wanted.dims != (None,):
            raise ValueError(errors.at_user_line("'size' must be a 1-D Tensor of 2 elements: new_height, new_width"))
        if preserve_aspect_ratio:
            wanted = _keeping_aspect(x, wanted)
        known = static_array(wanted)
        if known is not None and tuple((x.dims or ())[1:3]) == tuple(int(v) for v in known):
            out = x if method == ResizeMethod.NEAREST_NEIGHBOR else cast(x, float32)
        else:
            out = _resized(x, wanted, str(method), antialias)
        return Squeeze(out, squeeze_dims=[0]) if single else out


def resize_with_pad(
    image: TensorLike, target_height: TensorLike, target_width: TensorLike, method: str = ResizeMethod.BILINEAR,
    antialias: bool = False,
) -> Tensor:  # fmt: skip
    """`image` resized to fit into the target without distortion, and filled with zeros on both sides.

    >>> import graphrt as tf
    >>> tf.image.resize_with_pad(tf.ones([2, 4, 1]), 4, 4).numpy()[:, 0, 0].tolist()
    [0.0, 1.0, 1.0, 0.0]

    Raises:
      ValueError: the image has another rank, or `method` is unknown.
    """
    with scope(None, "resize_with_pad"):
        x = as_tensor(image)
        single = x.dims is not None and len(x.dims) == 3
        if single:
            x = ExpandDims(x, 0)
        height, width = Shape(x)[1], Shape(x)[2]
        f64 = [cast(v, float64) for v in (height, width, as_tensor(target_height), as_tensor(target_width))]
        ratio = Maximum(f64[0] / f64[2], f64[1] / f64[3])
        small = [cast(floor(v / ratio), "int32") for v in f64[:2]]
        resized = resize(x, Pack(small), method, antialias=antialias)
        tops = [Maximum(0, cast(floor((t - v / ratio) / 2), "int32")) for t, v in zip(f64[2:], f64[:2])]
        out = pad_to_bounding_box(resized, tops[0], tops[1], target_height, target_width)
        return Squeeze(out, squeeze_dims=[0]) if single else out
