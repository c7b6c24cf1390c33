"""Parts of images cut out at random, which keep some of the boxes that are given."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphrt.ir.graph import InferContext
from graphrt.ir.op import DRAWS, OPAQUE, STATEFUL, define
from graphrt.ops.random.distributions import uniform
from graphrt.ops.random.philox import non_deterministic
from graphrt.ops.support.kernel_helpers import bad, ints, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import TensorLike
from graphrt.types.dtype import INDEX, as_dtype, float32, int32
from graphrt.types.likes import Array
from graphrt.types.limits import current as limits_now
from graphrt.types.limits import exhausted
from graphrt.types.shape import Dims

__all__ = ["sample_distorted_bounding_box", "stateless_sample_distorted_bounding_box"]

_SIZES = tuple(as_dtype(n) for n in ("uint8", "int8", "int16", "int32", "int64"))


class _Crop(NamedTuple):
    """Where to cut: for `tf.slice` (begin and size), and as a box for drawing."""

    begin: Any
    size: Any
    bboxes: Any


def _tries(chance: Any, count: int, height: int, width: int, areas: list[float], ratios: list[float]) -> Array:
    """Rectangles as rows (y, x, height, width), with areas in the range: as many as `count` tries give."""
    aspect = chance.uniform(min(ratios), max(ratios), count)
    low, high = areas[0] * height * width, areas[1] * height * width
    most = np.minimum(np.floor((width + 0.4999) / aspect), np.floor(np.sqrt(high / aspect) + 0.4999))
    most = np.minimum(most, height).astype(np.int64)
    aspect, most = aspect[most >= 1], most[most >= 1]
    least = np.clip(np.rint(np.sqrt(low / aspect)).astype(np.int64), 1, most)
    tall = chance.integers(least, most + 1)
    wide = np.clip(np.rint(tall * aspect).astype(np.int64), 1, width)
    longer = np.maximum(tall, wide)
    fits = (low <= tall * wide + 0.5 * longer) & (tall * wide <= high + longer)
    tall, wide = tall[fits], wide[fits]
    return np.stack([chance.integers(0, height - tall + 1), chance.integers(0, width - wide + 1), tall, wide], axis=-1)


def _covers(crops: Array, boxes: Array, height: int, width: int, share: float) -> Array:
    """Which crops keep enough of at least one box."""
    found = np.zeros(len(crops), bool)
    y, x, tall, wide = crops.T
    for top, left, bottom, right in boxes * np.array([height, width, height, width]):
        area = max(bottom - top, 0) * max(right - left, 0)
        high = np.maximum(np.minimum(y + tall, bottom) - np.maximum(y, top), 0)
        both = high * np.maximum(np.minimum(x + wide, right) - np.maximum(x, left), 0)
        found |= (area > 0) & (both >= share * area)
    return found


def _sample(
    chance: Any, size: Array, boxes: Array, share: Array, ratios: list[float], areas: list[float], attempts: int,
    whole_image: bool
) -> tuple[Any, Any, Any]:  # fmt: skip
    if np.shape(size) != (3,):
        raise bad(f"image_size must contain 3 elements{text_of(np.shape(size))}")
    if np.ndim(boxes) != 3 or np.shape(boxes)[-1] != 4:
        raise bad(f"input boxes must be 3-dimensional [batch, num_boxes, coords]: {text_of(np.shape(boxes))}")
    height, width = ints(size)[:2]
    if height <= 0 or width <= 0:
        raise bad(f"Image height and width must be positive: {height} by {width}")
    if float(share) < 0:
        raise bad(f"Min object covered must be non-negative: {float(share):g}")
    if len(ratios) != 2 or min(ratios) <= 0:
        raise bad(f"Aspect ratio range must be two positive numbers: {text_of(ratios)}")
    if len(areas) != 2 or min(areas) <= 0 or max(areas) > 1:
        raise bad(f"Area range must be two numbers in 0 to 1: {text_of(areas)}")
    if attempts <= 0:
        raise bad(f"Max attempts must be positive: {attempts}")
    rows = np.reshape(boxes, (-1, 4)).astype(np.float64)
    outside = rows[~((rows >= 0) & (rows <= 1))]
    if outside.size:
        raise bad(f"All bounding box coordinates must be in [0.0, 1.0]: {outside[0]:g}")
    if not len(rows):
        if not whole_image:
            raise bad("No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish "
                      "to not provide any bounding boxes.")  # fmt: skip
        rows = np.array([[0.0, 0.0, 1.0, 1.0]])
    crop: tuple[int, ...] = (0, 0, height, width)
    if attempts > limits_now().iterations:
        exhausted("iterations", f"max_attempts is {attempts}", attempts)
    done, together = 0, 16
    while done < attempts:
        found = _tries(chance, min(together, attempts - done), height, width, sorted(areas), ratios)
        kept = np.flatnonzero(_covers(found, rows, height, width, float(share)))
        if len(kept):
            crop = tuple(found[kept[0]].tolist())
            break
        done, together = done + together, min(2 * together, 1 << 16)
    y, x, tall, wide = crop
    box = np.array([[[y / height, x / width, (y + tall) / height, (x + wide) / width]]], np.float32)
    return np.array([y, x, 0], size.dtype), np.array([tall, wide, -1], size.dtype), box


def _infer(c: InferContext) -> list[Dims]:
    return [(3,), (3,), (1, 1, 4)]


_ATTRS = (
    "aspect_ratio_range: list(float) = [0.75, 1.33]; area_range: list(float) = [0.05, 1.0]; max_attempts: int = 100; "
    "use_image_if_no_bounding_boxes: bool = False"
)


def _stateful(
    size: Array, boxes: Array, share: Array, *, seed: int, seed2: int, aspect_ratio_range: list[float],
    area_range: list[float], max_attempts: int, use_image_if_no_bounding_boxes: bool
) -> tuple[Array, Array, Array]:  # fmt: skip
    if seed or seed2:
        key: Any = np.random.SeedSequence([seed & (2**64 - 1), seed2 & (2**64 - 1)])
    else:
        key = int(non_deterministic(1)[0]) & (2**64 - 1)
    chance = np.random.Generator(np.random.Philox(key))
    return _sample(
        chance, size, boxes, share, aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes
    )


SampleDistortedBoundingBoxV2 = define(
    "SampleDistortedBoundingBoxV2",
    "image_size: T[1], bounding_boxes: float32[3], min_object_covered: float32[0] -> begin: T, size: T, bboxes: float32",
    attrs="T: type; seed: int = 0; seed2: int = 0; " + _ATTRS, allowed={"T": _SIZES}, infer=_infer, kernel=_stateful,
    vjp=lambda call, *g: [None] * 3, traits=(STATEFUL, OPAQUE, DRAWS),
)  # fmt: skip


def _stateless(
    size: Any, boxes: Array, share: Array, seed: Array, *, aspect_ratio_range: list[float], area_range: list[float],
    max_attempts: int, use_image_if_no_bounding_boxes: bool
) -> tuple[Array, Array, Array]:  # fmt: skip
    if np.shape(seed) != (2,):
        raise bad(f"seed must have shape [2], not {text_of(np.shape(seed))}")
    chance = np.random.Generator(np.random.Philox(np.random.SeedSequence([v & (2**64 - 1) for v in ints(seed)])))
    return _sample(
        chance, size, boxes, share, aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes
    )


StatelessSampleDistortedBoundingBox = define(
    "StatelessSampleDistortedBoundingBox",
    "image_size: T[1], bounding_boxes: float32[3], min_object_covered: float32[0], seed: Tseed[1] -> begin: T, size: T, "
    "bboxes: float32",
    attrs="T: type; Tseed: type; " + _ATTRS, allowed={"T": _SIZES, "Tseed": INDEX}, infer=_infer, kernel=_stateless,
    vjp=lambda call, *g: [None] * 4,
)  # fmt: skip


def _options(ratios: Any, areas: Any, attempts: int | None, whole_image: bool | None) -> dict[str, Any]:
    return {
        "aspect_ratio_range": [0.75, 1.33] if ratios is None else list(ratios),
        "area_range": [0.05, 1.0] if areas is None else list(areas),
        "max_attempts": 100 if attempts is None else attempts,
        "use_image_if_no_bounding_boxes": bool(whole_image),
    }


def sample_distorted_bounding_box(
    image_size: TensorLike, bounding_boxes: TensorLike, seed: int = 0, min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Any = None, area_range: Any = None, max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None, name: str | None = None,
) -> _Crop:  # fmt: skip
    """A random rectangle of an image that keeps a share of at least one box: begin and size for `tf.slice`, and a box.

    >>> import graphrt as tf
    >>> crop = tf.image.sample_distorted_bounding_box([40, 60, 3], [[[0.1, 0.2, 0.8, 0.9]]])
    >>> crop.bboxes.shape
    TensorShape([1, 1, 4])

    Raises:
      InvalidArgumentError: there are no boxes, a coordinate is not in 0 to 1, or an option is out of range.
    """
    # the stream of random numbers goes on from call to call, as that of the other random functions does
    drawn = uniform([2], 0, 2**31 - 1, dtype=int32, seed=seed or None)
    return stateless_sample_distorted_bounding_box(
        image_size, bounding_boxes, drawn, min_object_covered, aspect_ratio_range, area_range, max_attempts,
        use_image_if_no_bounding_boxes, name,
    )  # fmt: skip


def stateless_sample_distorted_bounding_box(
    image_size: TensorLike, bounding_boxes: TensorLike, seed: TensorLike, min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: TensorLike | None = None, area_range: TensorLike | None = None, max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None, name: str | None = None,
) -> _Crop:  # fmt: skip
    """As `sample_distorted_bounding_box`, with a rectangle that follows from `seed` (not the one TensorFlow draws).

    >>> import graphrt as tf
    >>> f, boxes = tf.image.stateless_sample_distorted_bounding_box, [[[0.1, 0.2, 0.8, 0.9]]]
    >>> bool((f([40, 60, 3], boxes, (1, 2)).size == f([40, 60, 3], boxes, (1, 2)).size).all())
    True

    Raises:
      InvalidArgumentError: there are no boxes, a coordinate is not in 0 to 1, or an option is out of range.
    """
    options = _options(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    return _Crop(*StatelessSampleDistortedBoundingBox(
        image_size, as_tensor(bounding_boxes, float32), as_tensor(min_object_covered, float32), as_tensor(seed),
        name=name, **options,
    ))  # fmt: skip
