"""Resizing, along each dimension by itself: by the nearest element, or by a matrix of weights.

What TensorFlow's ops for images do the same way is left to them, which are faster.
"""

# names of another format: those of ONNX's ops

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from graphrt.export.onnx.reader import Reading, Use
from graphrt.export.onnx.readings.arrays import shape64, whole
from graphrt.export.onnx.readings.networks import to_back, to_front
from graphrt.ops.array.concat_split import Pack
from graphrt.ops.array.creation import Range
from graphrt.ops.array.gather_scatter import GatherV2
from graphrt.ops.array.selection import SelectV2
from graphrt.ops.array.shape import ExpandDims, Reshape, Transpose
from graphrt.ops.image.resize import ResizeBicubic, ResizeBilinear, ResizeNearestNeighbor
from graphrt.ops.linalg.matmul import matmul
from graphrt.ops.math.arithmetic import Maximum, Minimum, clip_by_value
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import Abs, Ceil, Floor
from graphrt.ops.math.reduction import Max, Min, Sum
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import float32, float64, int32, int64
from graphrt.types.nesting import shown

_WAYS = {"half_pixel": (False, True), "align_corners": (True, False), "asymmetric": (False, False)}
_ROUNDED: dict[str, Callable[[Tensor], Tensor]] = {
    "floor": lambda x: Floor(x), "ceil": lambda x: Ceil(x), "round_prefer_floor": lambda x: Ceil(x - 0.5),
    "round_prefer_ceil": lambda x: Floor(x + 0.5),
}  # fmt: skip


class Axis(NamedTuple):
    """One dimension: where it is, how long it was (float32, as runtimes reckon) and becomes (int64), the scale, and
    what is cut out of it."""

    place: int
    before: Tensor
    after: Tensor
    scale: Tensor
    start: Tensor
    end: Tensor


def _resize(c: Use) -> Tensor:
    mode, way = c.text("mode", "nearest"), c.text("coordinate_transformation_mode", "half_pixel")
    if mode not in ("nearest", "linear", "cubic"):
        raise ValueError(f"resizing by {mode!r} cannot be read")
    if _is_of_images(c, mode, way):
        return _of_images(c, mode, way)
    found = c[0]
    outside: list[tuple[Axis, Tensor]] = []
    for axis in _axes(c):
        if mode == "nearest":
            found = GatherV2(found, _nearest(c, axis, way), np.int32(axis.place))
            continue
        at = _places(axis, way)
        if way == "tf_crop_and_resize":
            outside.append((axis, (at < 0.0) | (at > axis.before - 1.0)))
        found = _weighted(found, axis.place, c.rank(), _weights(c, axis, at, mode))
    for axis, flags in outside:
        shape = whole([-1 if i == axis.place else 1 for i in range(c.rank())])
        other = cast(convert_to_tensor(c.number("extrapolation_value", 0.0)), found.dtype)
        found = SelectV2(Reshape(flags, shape), other, found)
    return cast(found, c.dtype)


# --- what the ops for images do --------------------------------------------------------------------------------------
def _is_of_images(c: Use, mode: str, way: str) -> bool:
    """Whether it is what TensorFlow's ops do, with images whose batch and channels stay."""
    if c.rank() != 4 or way not in _WAYS or c.whole("antialias", 0) or c.has("axes"):
        return False
    if c.has("keep_aspect_ratio_policy") and c.text("keep_aspect_ratio_policy", "stretch") != "stretch":
        return False
    if not _stays_whole(c):
        return False
    if mode == "nearest":
        return c.text("nearest_mode", "round_prefer_floor") == ("floor" if way == "asymmetric" else "round_prefer_ceil")
    if mode == "linear":
        return not c.whole("exclude_outside", 0)
    ours = (-0.5, 1) if way == "half_pixel" else (-0.75, 0)
    return (c.number("cubic_coeff_a", -0.75), c.whole("exclude_outside", 0)) == ours


def _stays_whole(c: Use) -> bool:
    """Whether the sizes tell the scales, and batch and channels stay as they are, as far as it is known."""
    dims = c.dims()
    if c.given(3) is not None:
        sizes = c.const(3)
        return sizes is None or all(d is None or d == int(s) for d, s in zip(dims[:2], sizes.tolist()))
    scales = c.const(2)
    if scales is None or len(scales) != 4 or scales[:2].tolist() != [1.0, 1.0]:
        return False
    return all(
        float(s).is_integer() or (d is not None and float(d * float(s)).is_integer()) for d, s in zip(dims, scales)
    )


def _of_images(c: Use, mode: str, way: str) -> Tensor:
    if c.given(3) is not None:
        size = cast(c[3], int32)[2:]
    else:
        size = cast(Floor(cast(shape64(c[0]), float32) * c[2]), int32)[2:]
    aligned, centred = _WAYS[way]
    op = {"nearest": ResizeNearestNeighbor, "linear": ResizeBilinear, "cubic": ResizeBicubic}[mode]
    found = op(to_back(c[0], 4), size, align_corners=aligned, half_pixel_centers=centred)
    return to_front(cast(found, c.dtype), 4)


# --- sizes and scales ------------------------------------------------------------------------------------------------
def _axes(c: Use) -> list[Axis]:
    """The dimensions that change, as far as it is known."""
    rank = c.rank()
    chosen = [a + rank if a < 0 else a for a in c.ints("axes", range(rank))]
    if any(not 0 <= a < rank for a in chosen):
        raise ValueError(f"its axes {c.ints('axes')} of a tensor of rank {rank}")
    shape = shape64(c[0])
    lengths = [cast(shape[a], float32) for a in chosen]
    if c.given(3) is not None:
        sizes = [cast(c[3], int64)[i] for i in range(len(chosen))]
        scales = [cast(s, float32) / n for s, n in zip(sizes, lengths)]
        sizes, scales = _with_ratio(c, sizes, scales, lengths)
    else:
        scales = [cast(c[2][i], float32) for i in range(len(chosen))]
        sizes = [cast(Floor(c[2][i] * n), int64) for i, n in enumerate(lengths)]
    parts = c.given(1) if c.text("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize" else None
    zero = convert_to_tensor(np.float32(0))
    found = []
    for i, place in enumerate(chosen):
        start, end = (zero, zero) if parts is None else (cast(parts[i], float32), cast(parts[i + len(chosen)], float32))
        if parts is not None or not _is_unchanged(c, i, place):
            found.append(Axis(place, lengths[i], sizes[i], scales[i], start, end))
    return found


def _is_unchanged(c: Use, i: int, place: int) -> bool:
    known = c.const(3) if c.given(3) is not None else c.const(2)
    if known is None:
        return False
    return bool(known[i] == (c.dims()[place] if c.given(3) is not None else 1.0))


def _with_ratio(
    c: Use, sizes: Sequence[Tensor], scales: Sequence[Tensor], lengths: Sequence[Tensor]
) -> tuple[list[Tensor], list[Tensor]]:
    """Sizes that keep the ratio of the dimensions, when they are asked to."""
    policy = c.text("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        return list(sizes), list(scales)
    if policy not in ("not_larger", "not_smaller"):
        raise ValueError(f"its policy {shown(policy)} is not known")
    one = (Min if policy == "not_larger" else Max)(Pack(list(scales)), np.array([0], np.int32))
    return [cast(Floor(one * n + 0.5), int64) for n in lengths], [one for _ in scales]


# --- places and weights ----------------------------------------------------------------------------------------------
def _places(axis: Axis, way: str) -> Tensor:
    """Where the elements of the result are among those before (float32)."""
    i = cast(Range(np.int64(0), axis.after, np.int64(1)), float32)
    one = convert_to_tensor(np.float32(1))
    if way == "half_pixel":
        return (i + 0.5) / axis.scale - 0.5
    if way == "pytorch_half_pixel":
        return SelectV2(axis.after > 1, (i + 0.5) / axis.scale - 0.5, i * 0.0)
    if way == "half_pixel_symmetric":
        offset = axis.before / 2.0 * (1.0 - cast(axis.after, float32) / (axis.scale * axis.before))
        return offset + (i + 0.5) / axis.scale - 0.5
    if way == "tf_half_pixel_for_nn":
        return (i + 0.5) / axis.scale
    if way == "asymmetric":
        return i / axis.scale
    if way == "align_corners":
        count = cast(axis.after, float32) - 1.0
        return i * SelectV2(count > 0.0, (axis.before - 1.0) / Maximum(count, one), count * 0.0)
    if way == "tf_crop_and_resize":
        last = axis.before - 1.0
        count = cast(axis.after, float32) - 1.0
        step = (axis.end - axis.start) * last / Maximum(count, one)
        return SelectV2(count > 0.0, axis.start * last + i * step, i * 0.0 + 0.5 * (axis.start + axis.end) * last)
    raise ValueError(f"the coordinates of {shown(way)} are not known")


def _nearest(c: Use, axis: Axis, way: str) -> Tensor:
    rounding = c.text("nearest_mode", "round_prefer_floor")
    if rounding not in _ROUNDED:
        raise ValueError(f"the nearest by {shown(rounding)} is not known")
    found = cast(_ROUNDED[rounding](_places(axis, way)), int64)
    return clip_by_value(found, whole(0), cast(axis.before, int64) - 1)


def _linear(x: Tensor) -> Tensor:
    return Maximum(1.0 - Abs(x), convert_to_tensor(np.float32(0)))


def _cubic(a: float) -> Callable[[Tensor], Tensor]:
    def weight(x: Tensor) -> Tensor:
        x = Minimum(Abs(x), convert_to_tensor(np.float32(2)))
        near = ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0
        return SelectV2(x <= 1.0, near, ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a)

    return weight


def _weights(c: Use, axis: Axis, at: Tensor, mode: str) -> Tensor:
    """How much each element counts for each of the result: a matrix (float32). What is outside counts as the edge."""
    reach, kernel = (1.0, _linear) if mode == "linear" else (2.0, _cubic(c.number("cubic_coeff_a", -0.75)))
    one = convert_to_tensor(np.float32(1))
    narrow = Minimum(axis.scale, one) if c.whole("antialias", 0) else one
    margin = Ceil(reach / narrow) + 1.0
    at = clip_by_value(at, -margin, axis.before - 1.0 + margin)
    count = cast(axis.before, int64)
    around = cast(2.0 * margin, int64)
    places = Range(-around, count + around, np.int64(1))
    found = kernel((cast(places, float32) - ExpandDims(at, np.int32(1))) * narrow)
    inside = found[:, around : around + count]
    if c.whole("exclude_outside", 0):
        return inside / Sum(inside, np.array([1], np.int32), keep_dims=True)
    low = Sum(found[:, :around], np.array([1], np.int32), keep_dims=True)
    high = Sum(found[:, around + count :], np.array([1], np.int32), keep_dims=True)
    index = ExpandDims(Range(np.int64(0), count, np.int64(1)), np.int32(0))
    none = convert_to_tensor(np.float32(0))
    whole_ = inside + SelectV2(index < 1, low, none) + SelectV2(index > count - 2, high, none)
    return whole_ / Sum(whole_, np.array([1], np.int32), keep_dims=True)


def _weighted(x: Tensor, place: int, rank: int, weights: Tensor) -> Tensor:
    dtype = x.dtype if x.dtype in (float32, float64) else float32
    order = [i for i in range(rank) if i != place] + [place]
    rows = matmul(_turned(cast(x, dtype), order), cast(weights, dtype), transpose_b=True)
    return _turned(rows, [int(i) for i in np.argsort(order)])


def _turned(x: Tensor, order: list[int]) -> Tensor:
    return x if order == list(range(len(order))) else Transpose(x, np.array(order, np.int32))


READINGS: dict[str, Reading] = {
    "Resize": _resize,
}
