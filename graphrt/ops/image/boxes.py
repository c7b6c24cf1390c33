"""Boxes in images: cut out and resized, drawn, glimpsed. A box is [y1, x1, y2, x2]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define
from graphrt.ops.array.shape import Shape
from graphrt.ops.support.kernel_helpers import bad, ints, text_of
from graphrt.ops.support.shape_rules import require_equal, require_size
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.accumulate import combine_at
from graphrt.types.dtype import DType, float16, float32, float64, int8, int16, int32, int64, uint8, uint16
from graphrt.types.likes import Array
from graphrt.types.shape import Dims

__all__ = ["crop_and_resize", "draw_bounding_boxes", "extract_glimpse"]

_IMAGES = (uint8, uint16, int8, int16, int32, int64, float16, float32, float64)
HALVES = (float16, float32)


# --- crop and resize -------------------------------------------------------------------------------------------------
def _lines(low: Array, high: Array, size: int, wanted: int) -> Array:
    """For each box, where its rows (columns) lie in the image."""
    top = np.float32(size - 1)
    if wanted > 1:
        step = (high - low) * top / np.float32(wanted - 1)
        return low[:, None] * top + np.arange(wanted, dtype=np.float32) * step[:, None]
    return (np.float32(0.5) * (low + high) * top)[:, None]


def _corner(at: Array, size: int) -> tuple[Any, Any, Any]:
    low = np.clip(np.floor(at), 0, size - 1).astype(np.int64)
    return low, np.clip(np.ceil(at), 0, size - 1).astype(np.int64), (at - np.floor(at)).astype(np.float32)


def _check_boxes(image_rank: int, boxes: Array, owner: Array, batch: int) -> None:
    if image_rank != 4:
        raise bad(f"input image must be 4-D, found {image_rank} dimensions")
    if np.ndim(boxes) != 2 or boxes.shape[1] != 4:
        raise bad(f"boxes must be 2-D with 4 columns: {text_of(np.shape(boxes))}")
    if np.shape(owner) != (boxes.shape[0],):
        raise bad("box_index has incompatible shape")
    if np.size(owner) and not (np.min(owner) >= 0 and np.max(owner) < batch):
        raise errors.OutOfRangeError(None, None, "box_index has values outside [0, batch_size)")


def _grid(boxes: Array, shape: Sequence[int], wanted: Sequence[int]) -> tuple[Any, Any, Any]:
    rows = _lines(boxes[:, 0], boxes[:, 2], shape[1], wanted[0])
    columns = _lines(boxes[:, 1], boxes[:, 3], shape[2], wanted[1])
    inside = ((rows >= 0) & (rows <= shape[1] - 1))[:, :, None] & ((columns >= 0) & (columns <= shape[2] - 1))[:, None]
    return rows, columns, inside


def _crop_kernel(
    image: Array, boxes: Array, owner: Array, size: Array, *, method: str, extrapolation_value: float
) -> Array:
    _check_boxes(np.ndim(image), boxes, owner, image.shape[0])
    wanted = ints(size)
    if min(wanted) <= 0:
        raise bad("crop dimensions must be positive")
    rows, columns, inside = _grid(boxes, image.shape, wanted)
    own = np.asarray(owner)[:, None, None]
    if method == "nearest":
        y = np.clip(np.floor(rows + np.float32(0.5)), 0, image.shape[1] - 1).astype(np.int64)[:, :, None]
        x = np.clip(np.floor(columns + np.float32(0.5)), 0, image.shape[2] - 1).astype(np.int64)[:, None]
        found = image[own, y, x].astype(np.float32)
    else:
        found = 0
        for y, x, weight in four_numbers(rows, columns, image.shape):
            found = found + image[own, y, x].astype(np.float32) * weight[..., None]
    return np.where(inside[..., None], found, np.float32(extrapolation_value)).astype(np.float32)


def four_numbers(rows: Array, columns: Array, shape: Any) -> Any:
    top, bottom, down = _corner(rows, shape[1])
    left, right, across = _corner(columns, shape[2])
    for y, wy in ((top, 1 - down), (bottom, down)):
        for x, wx in ((left, 1 - across), (right, across)):
            yield y[:, :, None], x[:, None], wy[:, :, None] * wx[:, None]


def _crop_image_grad(g: Array, boxes: Array, owner: Array, size: Array, *, method: str, T: DType) -> Array:
    shape = ints(size)
    _check_boxes(len(shape), boxes, owner, shape[0])
    out = np.zeros(shape, np.float32)
    rows, columns, inside = _grid(boxes, shape, g.shape[1:3])
    g = np.where(inside[..., None], g, 0)
    own = np.asarray(owner)[:, None, None]
    if method == "nearest":
        y = np.clip(np.floor(rows + np.float32(0.5)), 0, shape[1] - 1).astype(np.int64)[:, :, None]
        x = np.clip(np.floor(columns + np.float32(0.5)), 0, shape[2] - 1).astype(np.int64)[:, None]
        combine_at(np.add, out, (own, y, x), g)
    else:
        for y, x, weight in four_numbers(rows, columns, shape):
            combine_at(np.add, out, (own, y, x), g * weight[..., None])
    return out.astype(T.as_numpy_dtype)


def _crop_boxes_grad(g: Array, image: Array, boxes: Array, owner: Array) -> Array:
    _check_boxes(np.ndim(image), boxes, owner, len(image))
    wanted = g.shape[1:3]
    rows, columns, inside = _grid(boxes, image.shape, wanted)
    top, bottom, down = _corner(rows, image.shape[1])
    left, right, across = _corner(columns, image.shape[2])
    own = np.asarray(owner)[:, None, None]

    def pixel(y: Array, x: Array) -> Array:
        return image[own, y[:, :, None], x[:, None]].astype(np.float32)

    tl, tr, bl, br = pixel(top, left), pixel(top, right), pixel(bottom, left), pixel(bottom, right)
    ax, dy = across[:, None, :, None], down[:, :, None, None]
    by_row = (1 - ax) * (bl - tl) + ax * (br - tr)
    by_column = (1 - dy) * (tr - tl) + dy * (br - bl)
    g = np.where(inside[..., None], g, 0)
    rows_g, columns_g = (g * by_row).sum((2, 3)), (g * by_column).sum((1, 3))
    out = np.zeros(boxes.shape, np.float32)
    for (grad, low, high), size, n in zip(((rows_g, 0, 2), (columns_g, 1, 3)), image.shape[1:3], wanted):
        scale = np.float32(size - 1)
        share = np.arange(n, dtype=np.float32) / np.float32(n - 1) if n > 1 else np.array([0.5], np.float32)
        out[:, low] = (grad * scale * (1 - share)).sum(1)
        out[:, high] = (grad * scale * share).sum(1)
    return out


def _crop_dims(c: InferContext) -> Dims:
    image, boxes = c.dims(0), c.dims(1)
    for dims, rank in ((image, 4), (boxes, 2)):
        if dims is not None and len(dims) != rank:
            raise ShapeError(f"Shape must be rank {rank} but is rank {len(dims)}")
    require_size(c, 1, 1, 4)
    require_size(c, 3, 0, 2)
    require_equal(c, 1, 2)
    size = c.shape_from(3) or (None, None)
    return (boxes[0] if boxes else None, *size, image[3] if image else None)


def _crop_vjp(call: Any, g: object) -> list[Any]:
    image, boxes, owner, _ = call.inputs
    method = call.attrs["method"]
    kind = image.dtype if image.dtype.is_floating else None
    back = CropAndResizeGradImage(g, boxes, owner, Shape(image), T=kind, method=method) if kind else None
    if method == "nearest":
        return [back, None, None, None]
    return [back, CropAndResizeGradBoxes(g, image, boxes, owner), None, None]


CropAndResize = define(
    "CropAndResize", "image: T, boxes: float32, box_ind: int32[1], crop_size: int32[1] -> crops: float32",
    attrs="T: type; method: {'bilinear', 'nearest'} = 'bilinear'; extrapolation_value: float = 0.0", allowed={"T": _IMAGES},
    infer=_crop_dims, kernel=_crop_kernel, vjp=_crop_vjp,
)  # fmt: skip
CropAndResizeGradImage = define(
    "CropAndResizeGradImage", "grads: float32, boxes: float32, box_ind: int32, image_size: int32[1] -> output: T",
    attrs="T: type; method: {'bilinear', 'nearest'} = 'bilinear'", allowed={"T": (float32, float16, float64)},
    infer=lambda c: c.shape_from(3) or (None,) * 4, kernel=_crop_image_grad,
)  # fmt: skip
CropAndResizeGradBoxes = define(
    "CropAndResizeGradBoxes", "grads: float32, image: T, boxes: float32, box_ind: int32 -> output: float32",
    attrs="T: type; method: {'bilinear'} = 'bilinear'", allowed={"T": _IMAGES}, infer=lambda c: c.dims(2),
    kernel=_crop_boxes_grad,
)  # fmt: skip


def crop_and_resize(
    image: TensorLike, boxes: TensorLike, box_indices: TensorLike, crop_size: TensorLike, method: str = "bilinear",
    extrapolation_value: float = 0.0, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Parts of a batch of images, each resized to `crop_size`; boxes are given in parts of the image's size.

    >>> import graphrt as tf
    >>> tf.image.crop_and_resize(tf.ones([1, 4, 4, 3]), [[0., 0., 0.5, 0.5]], [0], [2, 2]).shape
    TensorShape([1, 2, 2, 3])

    Raises:
      InvalidArgumentError: a shape does not fit.
      OutOfRangeError: a box belongs to no image.
    """
    return CropAndResize(
        image, boxes, box_indices, crop_size, method=method, extrapolation_value=extrapolation_value, name=name
    )


# --- drawing and glimpses --------------------------------------------------------------------------------------------
_DEFAULT_COLORS = np.array(
    [[1, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0.5, 0, 0.5, 1], [0.5, 0.5, 0, 1], [0.5, 0, 0, 1],
     [0, 0, 0.5, 1], [0, 1, 1, 1], [1, 0, 1, 1]], np.float32,
)  # fmt: skip


def _draw(images: Array, boxes: Array, colors: Array) -> Array:
    if np.ndim(images) != 4:
        raise bad("The rank of the images should be 4")
    if np.ndim(boxes) != 3 or boxes.shape[2] != 4:
        raise bad("The rank of the boxes tensor should be 3, its last axis 4")
    out = images.copy()
    _, height, width, depth = images.shape
    table = colors if np.size(colors) else _DEFAULT_COLORS
    if depth == 1:
        table = np.ones_like(table)
    for b in range(images.shape[0]):
        for n in range(boxes.shape[1]):
            color = table[n % len(table)][:depth]
            y1, x1, y2, x2 = (float(v) for v in boxes[b, n])
            top, left = int(y1 * (height - 1)), int(x1 * (width - 1))
            bottom, right = int(y2 * (height - 1)), int(x2 * (width - 1))
            if top > bottom or left > right or top >= height or left >= width or bottom < 0 or right < 0:
                continue
            rows = slice(max(top, 0), min(bottom, height - 1) + 1)
            columns = slice(max(left, 0), min(right, width - 1) + 1)
            for row in (top, bottom):
                if 0 <= row < height:
                    out[b, row, columns] = color
            for column in (left, right):
                if 0 <= column < width:
                    out[b, rows, column] = color
    return out


DrawBoundingBoxesV2 = define(
    "DrawBoundingBoxesV2", "images: T[3+], boxes: float32, colors: float32 -> output: T", attrs="T: type = float32",
    allowed={"T": HALVES}, infer=lambda c: c.dims(0), kernel=_draw, vjp=lambda call, g: [None] * 3,
)  # fmt: skip


def draw_bounding_boxes(images: TensorLike, boxes: TensorLike, colors: TensorLike, name: str | None = None) -> Tensor:
    """A batch of images with the outlines of boxes, which are given in parts of the image's size.

    >>> import graphrt as tf
    >>> tf.image.draw_bounding_boxes(tf.zeros([1, 3, 3, 3]), [[[0., 0., 1., 1.]]], [[1., 0., 0.]]).shape
    TensorShape([1, 3, 3, 3])

    Raises:
      InvalidArgumentError: a shape does not fit.
    """
    table = np.zeros((0, 4), np.float32) if colors is None else colors
    return DrawBoundingBoxesV2(images, boxes, table, name=name)


def _glimpse(x: Array, size: Array, offsets: Array, *, centered: bool, normalized: bool, noise: str) -> Array:
    if np.ndim(x) != 4:
        raise bad("input must be 4-D")
    wanted = ints(size)
    batch, height, width, depth = x.shape
    kind = noise
    out = np.zeros((batch, *wanted, depth), np.float32)
    generator = np.random.default_rng(0)
    for b in range(batch):
        y, x_ = (float(v) for v in offsets[b])
        if normalized:
            y, x_ = y * height, x_ * width
        if centered:
            if normalized:
                y, x_ = (y + height - wanted[0]) / 2, (x_ + width - wanted[1]) / 2
            else:
                y, x_ = y + height / 2, x_ + width / 2
        top, left = int(y), int(x_)
        if kind == "uniform":
            image = x[b]
            out[b] = generator.uniform(image.min(), image.max(), out[b].shape)
        elif kind == "gaussian":
            image = x[b]
            out[b] = generator.normal(image.mean(), image.std(), out[b].shape)
        y0, y1 = max(top, 0), min(top + wanted[0], height)
        x0, x1 = max(left, 0), min(left + wanted[1], width)
        if y0 < y1 and x0 < x1:
            out[b, y0 - top : y1 - top, x0 - left : x1 - left] = x[b, y0:y1, x0:x1]
    return out


def _glimpse_dims(c: InferContext) -> Dims:
    dims, size = c.dims(0), c.shape_from(1) or (None, None)
    offsets = c.dims(2)
    batch = dims[0] if dims else None
    return (offsets[0] if batch is None and offsets else batch, *size, dims[3] if dims else None)


ExtractGlimpseV2 = define(
    "ExtractGlimpseV2", "input: float32[4], size: int32[1], offsets: float32[2] -> glimpse: float32",
    attrs="centered: bool = True; normalized: bool = True; uniform_noise: bool = True; noise: string = 'uniform'",
    infer=_glimpse_dims, kernel=_glimpse, vjp=lambda call, g: [None] * 3,
)  # fmt: skip


def extract_glimpse(
    input: TensorLike, size: TensorLike, offsets: TensorLike, centered: bool = True, normalized: bool = True,
    noise: str = "uniform", name: str | None = None,
) -> Tensor:  # fmt: skip
    """A window of each image around (or from) a point; what lies outside is noise, or "zero".

    >>> import graphrt as tf
    >>> tf.image.extract_glimpse(tf.ones([1, 4, 4, 1]), [2, 2], [[0., 0.]]).numpy().ravel().tolist()
    [1.0, 1.0, 1.0, 1.0]

    Raises:
      InvalidArgumentError: a shape does not fit.
    """
    return ExtractGlimpseV2(
        input, size, offsets, centered=centered, normalized=normalized, uniform_noise=False, noise=noise, name=name
    )
