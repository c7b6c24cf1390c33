"""Images moved, cut, padded, turned, measured and drawn upon. One image is [height, width, channels]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define, provide
from graphrt.ops.array.concat_split import Pack, concat
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.array.identity import ensure_shape
from graphrt.ops.array.padding import MirrorPad, Pad, pad, reverse
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import ExpandDims, Reshape, Shape, Squeeze
from graphrt.ops.array.shape import transpose as transpose_
from graphrt.ops.array.slicing import Slice
from graphrt.ops.image.color import convert_image_dtype
from graphrt.ops.math.arithmetic import Maximum, Minimum, Pow, squared_difference
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal
from graphrt.ops.math.division import FloorDiv, FloorMod
from graphrt.ops.math.elementwise import abs as abs_
from graphrt.ops.math.elementwise import log, rsqrt, square
from graphrt.ops.math.reduction import reduce_mean, reduce_prod, reduce_std, reduce_sum
from graphrt.ops.math.segments import unsorted_segment_sum
from graphrt.ops.nn.activations import relu
from graphrt.ops.nn.convolution import Conv2D
from graphrt.ops.nn.pooling import AvgPool
from graphrt.ops.support.kernel_helpers import bad
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike, static_array
from graphrt.types.dtype import COMPLEX, FLOATING, INTEGER, bool_, float32
from graphrt.types.likes import Array, Padding, PerAxis
from graphrt.types.shape import Dims

__all__ = [
    "central_crop", "crop_to_bounding_box", "extract_patches", "flip_left_right", "flip_up_down", "image_gradients",
    "pad_to_bounding_box", "per_image_standardization", "psnr", "resize_with_crop_or_pad", "rot90", "sobel_edges",
    "ssim", "ssim_multiscale", "total_variation", "transpose",
]  # fmt: skip


# --- patches ---------------------------------------------------------------------------------------------------------


def _reach(sizes: Any, rates: list[int]) -> list[int]:
    return [(k - 1) * r + 1 for k, r in zip(sizes, rates)]


def _pads(shape: tuple[int, ...], reach: list[int], strides: list[int], padding: Padding) -> list[tuple[int, int]]:
    if padding == "VALID":
        return [(0, 0)] * len(reach)
    total = [max((-(-n // s) - 1) * s + r - n, 0) for n, r, s in zip(shape, reach, strides)]
    return [(t // 2, t - t // 2) for t in total]


def _patch_kernel(axes: int) -> Callable[..., Any]:
    def patches(x: Array, ksizes: PerAxis, strides: list[int], rates: list[int], padding: Padding) -> Array:
        if np.ndim(x) != axes + 2:
            raise bad(f"input must be {axes + 2}-dimensional, found {np.ndim(x)} dimensions")
        if np.min([ksizes, strides, rates]) < 1:
            raise bad(f"sizes, strides and rates must be positive, found {ksizes}, {strides} and {rates}")
        reach = _reach(ksizes, rates)
        pads = _pads(x.shape[1:-1], reach, strides, padding)
        wide = np.pad(x, [(0, 0), *pads, (0, 0)])
        counts = [max((n - r) // s + 1, 0) for n, r, s in zip(wide.shape[1:-1], reach, strides)]
        if not all(counts) or not x.size:
            return np.zeros((x.shape[0], *counts, int(np.prod(ksizes)) * x.shape[-1]), x.dtype)
        spots = tuple(range(1, axes + 1))
        view = np.lib.stride_tricks.sliding_window_view(wide, tuple(reach), axis=spots)
        index = (slice(None), *(slice(None, None, s) for s in strides), slice(None),
                 *(slice(None, None, r) for r in rates))  # fmt: skip
        found = np.moveaxis(view[index], axes + 1, -1)
        return np.ascontiguousarray(found.reshape(*found.shape[: axes + 1], -1))

    return patches


_patches2, _patches3 = _patch_kernel(2), _patch_kernel(3)


def _patch_dims(axes: int) -> Callable[..., Any]:
    def infer(c: InferContext) -> Dims:
        dims = c.dims(0)
        if dims is None:
            return (None,) * (axes + 2)
        if len(dims) != axes + 2:
            raise ShapeError(f"Shape must be rank {axes + 2} but is rank {len(dims)}")
        sizes, strides = c.attrs["ksizes"][1:-1], c.attrs["strides"][1:-1]
        rates = c.attrs["rates"][1:-1] if "rates" in c.attrs else [1] * axes
        if min(*sizes, *strides, *rates) < 1:
            raise ShapeError(f"sizes, strides and rates must be positive, found {sizes}, {strides} and {rates}")
        reach = _reach(sizes, rates)
        same = c.attrs["padding"] == "SAME"
        space = [
            None if n is None else -(-n // s) if same else max((n - r) // s + 1, 0)
            for n, r, s in zip(dims[1:-1], reach, strides)
        ]
        depth = None if dims[-1] is None else dims[-1] * int(np.prod(sizes))
        return (dims[0], *space, depth)

    return infer


def _patch_vjp(call: Any, g: object) -> list[Any]:
    """Each patch element goes back to the pixel it was read from: found by taking the patches of the pixel numbers."""
    x = call.inputs[0]
    shape = Shape(x)
    numbers = Reshape(range_(1, reduce_prod(shape[1:]) + 1), concat([[1], shape[1:]], 0))
    attrs = {k: v for k, v in call.attrs.items() if k in ("ksizes", "strides", "rates", "padding")}
    from_ = Reshape(call.op(numbers, **attrs), [-1])
    flat = transpose_(Reshape(g, Pack([shape[0], -1])))
    sums = unsorted_segment_sum(flat, from_, reduce_prod(shape[1:]) + 1)[1:]
    return [Reshape(transpose_(sums), shape)]


ExtractImagePatches = define(
    "ExtractImagePatches", "images: T -> patches: T",
    attrs="ksizes: list(int) >= 4; strides: list(int) >= 4; rates: list(int) >= 4; T: type; padding: {'SAME', 'VALID'}",
    allowed={"T": (*FLOATING, *INTEGER, *COMPLEX, bool_)}, infer=_patch_dims(2), vjp=_patch_vjp,
    kernel=lambda x, *, ksizes, strides, rates, padding: _patches2(
        x, ksizes[1:3], strides[1:3], rates[1:3], padding
    ),
)  # fmt: skip
ExtractVolumePatches = define(
    "ExtractVolumePatches", "input: T -> patches: T",
    attrs="ksizes: list(int) >= 5; strides: list(int) >= 5; T: type; padding: {'SAME', 'VALID'}",
    allowed={"T": (*FLOATING, *INTEGER)},
    infer=_patch_dims(3), vjp=_patch_vjp,
    kernel=lambda x, *, ksizes, strides, padding: _patches3(x, ksizes[1:4], strides[1:4], [1] * 3, padding),
)  # fmt: skip


def extract_patches(
    images: TensorLike, sizes: TensorLike, strides: PerAxis, rates: PerAxis, padding: str, name: str | None = None
) -> Tensor:
    """Windows of a batch of images, the elements of each as one channel vector.

    >>> import graphrt as tf
    >>> tf.image.extract_patches(tf.ones([1, 4, 4, 3]), [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID").shape
    TensorShape([1, 2, 2, 12])

    Raises:
      InvalidArgumentError: the images have another rank.
    """
    return ExtractImagePatches(images, ksizes=sizes, strides=strides, rates=rates, padding=padding, name=name)


def extract_volume_patches(
    input: TensorLike, ksizes: PerAxis, strides: PerAxis, padding: str, name: str | None = None
) -> Tensor:
    """Windows of a batch of volumes, the elements of each as one channel vector.

    >>> import graphrt as tf
    >>> tf.extract_volume_patches(tf.ones([1, 2, 2, 2, 1]), [1, 2, 2, 2, 1], [1, 1, 1, 1, 1], "VALID").shape
    TensorShape([1, 1, 1, 1, 8])
    """
    return ExtractVolumePatches(input, ksizes=ksizes, strides=strides, padding=padding, name=name)


# --- one image or a batch --------------------------------------------------------------------------------------------
@provide
def image_and_top(image: TensorLike, what: str = "image") -> tuple[Any, int]:
    """The tensor, and which axis is the height."""
    x = as_tensor(image)
    if x.dims is None:  # one image: it is looked at when it runs
        return ensure_shape(x, [None] * 3), 0
    if len(x.dims) not in (3, 4):
        raise ValueError(errors.at_user_line(f"'{what}' (shape {x.shape}) must have either 3 or 4 dimensions."))
    return x, len(x.dims) - 3


def _image(image: TensorLike) -> Any:
    """One image or a batch, of which axes are counted from the end: its rank need not be known."""
    x = as_tensor(image)
    return x if x.dims is None else image_and_top(x)[0]


def _extent(x: Any, axis: int) -> Any:
    return x.dims[axis] if x.dims[axis] is not None else Shape(x)[axis]


def flip_left_right(image: TensorLike) -> Tensor:
    """Columns in reverse order.

    >>> import graphrt as tf
    >>> tf.image.flip_left_right([[[1], [2]]]).numpy().ravel().tolist()
    [2, 1]

    Raises:
      ValueError: the image has another rank.
    """
    x = _image(image)
    with scope(None, "flip_left_right"):
        return reverse(x, [-2])


def flip_up_down(image: TensorLike) -> Tensor:
    """Rows in reverse order.

    >>> import graphrt as tf
    >>> tf.image.flip_up_down([[[1]], [[2]]]).numpy().ravel().tolist()
    [2, 1]

    Raises:
      ValueError: the image has another rank.
    """
    x = _image(image)
    with scope(None, "flip_up_down"):
        return reverse(x, [-3])


def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """Rows as columns.

    >>> import graphrt as tf
    >>> tf.image.transpose([[[1], [2]]]).shape
    TensorShape([2, 1, 1])

    Raises:
      ValueError: the image has another rank.
    """
    x, top = image_and_top(image)
    with scope(name, "transpose"):
        return transpose_(x, [1, 0, 2] if not top else [0, 2, 1, 3])


def rot90(image: TensorLike, k: TensorLike = 1, name: str | None = None) -> Tensor:
    """Turned by `k` quarters, against the clock.

    >>> import graphrt as tf
    >>> tf.image.rot90([[[1], [2]]]).numpy().ravel().tolist()
    [2, 1]

    Raises:
      ValueError: the image has another rank.
    """
    x, top = image_and_top(image)
    with scope(name, "rot90"):
        swap = [1, 0, 2] if not top else [0, 2, 1, 3]
        turns = [
            lambda: x,
            lambda: transpose_(reverse(x, [top + 1]), swap),
            lambda: reverse(x, [top, top + 1]),
            lambda: reverse(transpose_(x, swap), [top + 1]),
        ]
        known = static_array(as_tensor(k))
        if known is not None:
            return turns[int(known) % 4]()
        turn = FloorMod(cast(k, "int32"), 4)
        from_ = [turns[i]() for i in range(4)]
        if any(f.dims != from_[0].dims or None in (f.dims or (None,)) for f in from_):
            return _dynamic_turn(x, turn, top, swap)
        return gather(Pack(from_), turn)


def _dynamic_turn(x: Any, turn: Any, top: int, swap: list[int]) -> Any:
    """Turns whose number is not known, of an image that is no square: by pixel numbers."""
    shape = Shape(x)
    h, w = shape[top], shape[top + 1]
    odd = Equal(FloorMod(turn, 2), 1)
    rows, columns = where(odd, w, h), where(odd, h, w)
    i, j = ExpandDims(range_(rows), 1), ExpandDims(range_(columns), 0)
    i, j = i + 0 * j, j + 0 * i
    cases = [(i, j), (j, w - 1 - i), (h - 1 - i, w - 1 - j), (h - 1 - j, i)]
    source = [gather(Pack([c[p] for c in cases]), turn) for p in (0, 1)]
    flat = Reshape(x, concat([shape[:top], [-1], shape[-1:]], 0))
    found = gather(flat, source[0] * w + source[1], axis=top)
    found.set_shape([*x.dims[:top], None, None, x.dims[-1]])
    return found


@provide
def crop_to_bounding_box(
    image: TensorLike, offset_height: TensorLike, offset_width: TensorLike, target_height: TensorLike,
    target_width: TensorLike
) -> Tensor:  # fmt: skip
    """A part of an image.

    >>> import graphrt as tf
    >>> tf.image.crop_to_bounding_box(tf.ones([4, 4, 3]), 1, 1, 2, 3).shape
    TensorShape([2, 3, 3])

    Raises:
      ValueError: the image has another rank, or the box is not inside.
    """
    x, top = image_and_top(image)
    with scope(None, "crop_to_bounding_box"):
        box = [_known(v) for v in (offset_height, offset_width, target_height, target_width)]
        for start, size, axis, what in ((0, 2, top, "height"), (1, 3, top + 1, "width")):
            if isinstance(box[start], int) and box[start] < 0:
                raise ValueError(errors.at_user_line(f"offset_{what} must be >= 0."))
            if isinstance(box[size], int) and box[size] <= 0:
                raise ValueError(errors.at_user_line(f"target_{what} must be > 0."))
            extent = x.dims[axis]
            if all(isinstance(v, int) for v in (box[start], box[size], extent)) and box[start] + box[size] > extent:
                raise ValueError(errors.at_user_line(f"{what} must be >= target + offset."))
        begin, sizes = [*[0] * top, box[0], box[1], 0], [*[-1] * top, box[2], box[3], -1]
        return Slice(x, Pack(begin), Pack(sizes))


def _known(value: TensorLike) -> Tensor | int:
    if isinstance(value, (int, np.integer)):
        return int(value)
    tensor = as_tensor(value)
    found = static_array(tensor)
    return int(found) if found is not None else cast(tensor, "int32")


@provide
def pad_to_bounding_box(
    image: TensorLike, offset_height: TensorLike, offset_width: TensorLike, target_height: TensorLike,
    target_width: TensorLike
) -> Tensor:  # fmt: skip
    """An image with zeros around it.

    >>> import graphrt as tf
    >>> tf.image.pad_to_bounding_box(tf.ones([2, 2, 1]), 1, 0, 4, 2).numpy()[:, 0, 0].tolist()
    [0.0, 1.0, 1.0, 0.0]

    Raises:
      ValueError: the image has another rank, or does not fit.
    """
    x, top = image_and_top(image)
    with scope(None, "pad_to_bounding_box"):
        before = [_known(offset_height), _known(offset_width)]
        target = [_known(target_height), _known(target_width)]
        pads: list[list[Any]] = [[0, 0] for _ in range(top)]
        for i, what in enumerate(("height", "width")):
            after = target[i] - before[i] - _extent(x, top + i)
            if isinstance(before[i], int) and before[i] < 0:
                raise ValueError(errors.at_user_line(f"offset_{what} must be >= 0"))
            if isinstance(after, int) and after < 0:
                raise ValueError(errors.at_user_line(f"{what} must be <= target - offset"))
            pads.append([before[i], after])
        out = Pad(x, Pack([*pads, [0, 0]]))
        dims = list(x.dims)
        for i in (0, 1):
            dims[top + i] = target[i] if isinstance(target[i], int) else None
        out.set_shape(dims)
        return out


def resize_with_crop_or_pad(image: TensorLike, target_height: TensorLike, target_width: TensorLike) -> Tensor:
    """The middle of an image, with zeros around it where the image is smaller.

    >>> import graphrt as tf
    >>> tf.image.resize_with_crop_or_pad(tf.ones([4, 2, 1]), 2, 4).shape
    TensorShape([2, 4, 1])

    Raises:
      ValueError: the image has another rank, or a target is not positive.
    """
    x, top = image_and_top(image)
    with scope(None, "resize_with_crop_or_pad"):
        target = [_known(target_height), _known(target_width)]
        for value, what in zip(target, ("height", "width")):
            if isinstance(value, int) and value <= 0:
                raise ValueError(errors.at_user_line(f"target_{what} must be > 0."))
        extent = [_extent(x, top), _extent(x, top + 1)]
        static = all(isinstance(v, int) for v in target + extent)
        least, most = (min, max) if static else (Minimum, Maximum)
        # halves are cut towards zero
        off = [most(_half(-(t - e)), 0) for t, e in zip(target, extent)]
        add = [most(_half(t - e), 0) for t, e in zip(target, extent)]
        cut = crop_to_bounding_box(x, *off, *(least(t, e) for t, e in zip(target, extent)))
        return pad_to_bounding_box(cut, *add, *target)


def _half(value: TensorLike) -> Tensor | int:
    if isinstance(value, int):
        return value // 2
    return FloorDiv(value, 2)


def central_crop(image: TensorLike, central_fraction: TensorLike) -> Tensor:
    """The middle of an image, a fraction of its height and width.

    >>> import graphrt as tf
    >>> tf.image.central_crop(tf.ones([4, 4, 3]), 0.5).shape
    TensorShape([2, 2, 3])

    Raises:
      ValueError: the image has another rank, or the fraction is not within (0, 1].
    """
    with scope(None, "central_crop"):
        x, top = image_and_top(image)
        known = static_array(as_tensor(central_fraction))
        if known is not None:
            if not 0 < float(known) <= 1:
                raise ValueError(errors.at_user_line("central_fraction must be within (0, 1]"))
            if float(known) == 1:
                return x
        fraction: Any = central_fraction if isinstance(central_fraction, float) else None
        if fraction is None:
            fraction = float(known) if known is not None else cast(central_fraction, "float64")
        starts, sizes = [], []
        for axis in (top, top + 1):
            n = _extent(x, axis)
            if isinstance(n, int) and known is not None:
                start: Any = int((n - n * fraction) / 2)
            else:
                wide = cast(n, "float64")
                start = cast((wide - wide * fraction) / 2, "int32")
            starts.append(start)
            sizes.append(n - start * 2)
        return Slice(x, Pack([*[0] * top, *starts, 0]), Pack([*[-1] * top, *sizes, -1]))


# --- measures --------------------------------------------------------------------------------------------------------
def per_image_standardization(image: TensorLike) -> Tensor:
    """Each image with mean 0 and variance 1 (at least: a flat one stays 0).

    >>> import graphrt as tf
    >>> tf.image.per_image_standardization([[[1.], [3.]]]).numpy().ravel().tolist()
    [-1.0, 1.0]
    """
    with scope(None, "per_image_standardization"):
        x = as_tensor(image)
        if x.dtype is not float32:
            x = cast(x, float32)
        axes = [-1, -2, -3]
        count = cast(reduce_prod(Shape(x)[-3:]), x.dtype)
        mean = reduce_mean(x, axes, keepdims=True)
        spread = reduce_std(x, axes, keepdims=True)
        return (x - mean) / Maximum(spread, rsqrt(count))


def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the differences of neighbouring pixels.

    >>> import graphrt as tf
    >>> tf.image.total_variation([[[1.], [3.]]]).numpy().item()
    2.0

    Raises:
      ValueError: the images have another rank.
    """
    with scope(name, "total_variation"):
        x, top = image_and_top(images, "images")
        if top:
            down, right = x[:, 1:] - x[:, :-1], x[:, :, 1:] - x[:, :, :-1]
        else:
            down, right = x[1:] - x[:-1], x[:, 1:] - x[:, :-1]
        axes = [1, 2, 3] if top else None
        return reduce_sum(abs_(down), axes) + reduce_sum(abs_(right), axes)


def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """The differences downwards and to the right of a batch of images, with zeros at the last row and column.

    >>> import graphrt as tf
    >>> dy, dx = tf.image.image_gradients([[[[1.], [3.]]]])
    >>> dx.numpy().ravel().tolist()
    [2.0, 0.0]

    Raises:
      ValueError: the images have another rank.
    """
    x = as_tensor(image)
    if x.dims is None or len(x.dims) != 4:
        raise ValueError(errors.at_user_line(f"image_gradients takes a 4-D batch of images, found shape {x.shape}"))
    down = pad(x[:, 1:] - x[:, :-1], [[0, 0], [0, 1], [0, 0], [0, 0]])
    right = pad(x[:, :, 1:] - x[:, :, :-1], [[0, 0], [0, 0], [0, 1], [0, 0]])
    return down, right


def sobel_edges(image: TensorLike) -> Tensor:
    """The Sobel filters' answers, downwards and to the right, as a last axis of two.

    >>> import graphrt as tf
    >>> tf.image.sobel_edges(tf.ones([1, 4, 4, 3])).shape
    TensorShape([1, 4, 4, 3, 2])

    Raises:
      ValueError: the image has another rank.
    """
    x, _ = image_and_top(image)
    wide = pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    top, mid, low = wide[:, :-2], wide[:, 1:-1], wide[:, 2:]

    def across(rows: Tensor, weights: tuple[int, int, int]) -> Any:
        parts = (rows[:, :, :-2], rows[:, :, 1:-1], rows[:, :, 2:])
        return sum(p * w for p, w in zip(parts, weights) if w)

    down = across(low, (1, 2, 1)) - across(top, (1, 2, 1))
    right = across(top, (-1, 0, 1)) + 2 * across(mid, (-1, 0, 1)) + across(low, (-1, 0, 1))
    return Pack([down, right], axis=-1)


def _scaled_range(a: Any, b: Any, max_val: Any) -> tuple[Any, Any, Any]:
    a, b = as_tensor(a), as_tensor(b)
    peak = convert_image_dtype(cast(max_val, a.dtype), float32)
    return convert_image_dtype(a, float32), convert_image_dtype(b, float32), peak


def psnr(a: TensorLike, b: TensorLike, max_val: TensorLike, name: str | None = None) -> Tensor:
    """The ratio of the greatest possible value to the difference of two images, in decibels.

    >>> import graphrt as tf
    >>> tf.image.psnr(tf.zeros([1, 2, 1]), tf.ones([1, 2, 1]), 10.).numpy().round(3).item()
    20.0

    Raises:
      ValueError: the shapes differ.
    """
    with scope(name, "PSNR"):
        x, y, peak = _scaled_range(a, b, max_val)
        _same_images(x, y)
        error = reduce_mean(squared_difference(x, y), [-3, -2, -1])
        log10 = float(np.log(10.0))
        return 20 * log(peak) / log10 - cast(10 / log10, float32) * log(error)


def _same_images(x: Tensor, y: Tensor) -> None:
    for one in (x, y):
        if one.dims is not None and len(one.dims) < 3:
            raise ValueError(errors.at_user_line(f"images have at least 3 dimensions, found shape {one.shape}"))
    if (
        x.dims is not None
        and y.dims is not None
        and any(p != q for p, q in zip(reversed(x.dims), reversed(y.dims)) if None not in (p, q))
    ):
        raise ValueError(errors.at_user_line(f"the images differ in shape: {x.shape} and {y.shape}"))


def _gauss(size: int, sigma: float) -> Array:
    at = np.arange(size, dtype=np.float32) - (size - 1) / 2
    weights = -0.5 * np.square(at / np.float32(sigma))
    both = np.exp((weights[:, None] + weights[None, :]).ravel())
    return (both / both.sum()).reshape(size, size, 1, 1).astype(np.float32)


def _ssim_maps(x: Tensor, y: Tensor, peak: Tensor, size: int, sigma: float, k1: float, k2: float) -> tuple[Any, Any]:
    """Luminance times contrast, and contrast alone, averaged per channel."""
    lead = Shape(x)[:-3]
    kernel = as_tensor(_gauss(size, sigma))

    def blurred(v: Tensor) -> Tensor:
        shape = Shape(v)
        flat = Reshape(transpose_(Reshape(v, concat([[-1], shape[-3:]], 0)), [0, 3, 1, 2]),
                           concat([[-1], shape[-3:-1], [1]], 0))  # fmt: skip
        out = Conv2D(flat, kernel, strides=[1, 1, 1, 1], padding="VALID")
        rows = Shape(out)[1:3]
        split = Reshape(out, concat([[-1], shape[-1:], rows], 0))
        return Reshape(transpose_(split, [0, 2, 3, 1]), concat([lead, rows, shape[-1:]], 0))

    c1, c2 = (k1 * peak) ** 2, (k2 * peak) ** 2
    mean0, mean1 = blurred(x), blurred(y)
    cross, squares = mean0 * mean1 * 2, square(mean0) + square(mean1)
    luminance = (cross + c1) / (squares + c1)
    both = blurred(x * y) * 2
    each = blurred(square(x) + square(y))
    contrast = (both - cross + c2) / (each - squares + c2)
    return luminance * contrast, contrast


def _check_window(x: Tensor, size: int) -> None:
    if x.dims is not None and any(n is not None and n < size for n in x.dims[-3:-1]):
        text = f"images of shape {x.shape} are smaller than the window of {size}"
        raise ShapeError(errors.at_user_line(text))


def ssim(
    img1: TensorLike, img2: TensorLike, max_val: TensorLike, filter_size: int = 11, filter_sigma: float = 1.5,
    k1: float = 0.01, k2: float = 0.03, return_index_map: bool = False,
) -> Tensor:  # fmt: skip
    """The structural similarity of two images: 1 for equal ones.

    >>> import graphrt as tf
    >>> tf.image.ssim(tf.ones([12, 12, 1]), tf.ones([12, 12, 1]), 1.).numpy().item()
    1.0

    Raises:
      ValueError: the shapes differ, or the images are smaller than the window.
    """
    with scope(None, "SSIM"):
        x, y, peak = _scaled_range(img1, img2, max_val)
        _same_images(x, y)
        _check_window(x, filter_size)
        values, _ = _ssim_maps(x, y, peak, filter_size, filter_sigma, k1, k2)
        if return_index_map:
            return reduce_mean(values, [-1])
        return reduce_mean(reduce_mean(values, [-3, -2]), [-1])


_POWERS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def ssim_multiscale(
    img1: TensorLike, img2: TensorLike, max_val: TensorLike, power_factors: Any = _POWERS, filter_size: int = 11,
    filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03,
) -> Tensor:  # fmt: skip
    """The structural similarity of two images at several scales, each half of the one before.

    >>> import graphrt as tf
    >>> x = tf.ones([24, 24, 1])
    >>> tf.image.ssim_multiscale(x, x, 1., power_factors=(0.5, 0.5)).numpy().item()
    1.0

    Raises:
      ValueError: the shapes differ, or the images are smaller than the window at some scale.
    """
    with scope(None, "MS-SSIM"):
        x, y, peak = _scaled_range(img1, img2, max_val)
        _same_images(x, y)
        single = len(x.dims) == 3
        if single:
            x, y = ExpandDims(x, 0), ExpandDims(y, 0)
        parts: list[Any] = []
        for level, power in enumerate(power_factors):
            if level:
                x, y = _halved(x), _halved(y)
            _check_window(x, filter_size)
            whole, contrast = _ssim_maps(x, y, peak, filter_size, filter_sigma, k1, k2)
            map_ = whole if level == len(power_factors) - 1 else contrast
            parts.append(Pow(relu(reduce_mean(map_, [-3, -2])), as_tensor(power, float32)))
        found = reduce_mean(reduce_prod(Pack(parts, axis=-1), [-1]), [-1])
        return Squeeze(found, squeeze_dims=[0]) if single else found


def _halved(x: Any) -> Tensor:
    """Half the size; an odd row or column is repeated first."""
    shape = Shape(x)
    odd = FloorMod(shape[1:3], 2)
    pads = Pack([[0, 0], [0, odd[0]], [0, odd[1]], [0, 0]])
    dims = [None if n is None else -(-n // 2) for n in x.dims[1:3]]
    out = AvgPool(MirrorPad(x, pads, mode="SYMMETRIC"), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1],
                      padding="VALID")  # fmt: skip
    out.set_shape([x.dims[0], *dims, x.dims[3]])
    return out
