"""Boxes chosen among overlapping ones. A box is [y1, x1, y2, x2]."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from graphrt.ir.graph import InferContext
from graphrt.ir.op import define
from graphrt.ops.image.boxes import HALVES
from graphrt.ops.support.kernel_helpers import bad, const_int, text_of
from graphrt.ops.support.shape_rules import as_tensor, require_equal, require_size
from graphrt.tensor.context import scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import float32
from graphrt.types.likes import Array
from graphrt.types.shape import Dims

__all__ = [
    "combined_non_max_suppression", "non_max_suppression", "non_max_suppression_overlaps", "non_max_suppression_padded",
    "non_max_suppression_with_scores",
]  # fmt: skip


# --- non-maximum suppression -----------------------------------------------------------------------------------------
# How much boxes overlap: given the indices of some, and of others, which broadcast.
_Near: TypeAlias = "Callable[[Any, Any], Array]"
_TOGETHER = 64  # boxes that are compared at once with all that are kept


def _near(boxes: Array) -> _Near:
    y1, y2 = np.minimum(boxes[:, 0], boxes[:, 2]), np.maximum(boxes[:, 0], boxes[:, 2])
    x1, x2 = np.minimum(boxes[:, 1], boxes[:, 3]), np.maximum(boxes[:, 1], boxes[:, 3])
    area = (y2 - y1) * (x2 - x1)

    def near(i: Any, j: Any) -> Array:
        height = np.minimum(y2[i], y2[j]) - np.maximum(y1[i], y1[j])
        found = np.zeros(height.shape, np.float32)
        some = ~(height <= 0)  # the others do not overlap: most, as a rule
        i, j = np.broadcast_to(i, height.shape)[some], np.broadcast_to(j, height.shape)[some]
        both = height[some] * np.maximum(np.minimum(x2[i], x2[j]) - np.maximum(x1[i], x1[j]), 0)
        found[some] = np.where(~((area[i] <= 0) | (area[j] <= 0)), both / (area[i] + area[j] - both), np.float32(0))
        return found

    return near


def _chosen(
    scores: Any, near: _Near, limit: int, threshold: float, least: float, sigma: float = 0.0
) -> tuple[list[int], list[float]]:
    """The boxes kept, best first, and their scores: those near a better one lose some (`sigma`) or all of it."""
    values = scores.astype(np.float64)
    if sigma > 0:  # the threshold does not count: what is near loses some of its score
        return _chosen_softly(values, near, limit, least, -0.5 / sigma)
    order = np.flatnonzero(values > least)
    order = order[np.argsort(-values[order], kind="stable")]
    kept = np.zeros(max(min(limit, len(order)), 0), np.int64)
    count = 0
    for start in range(0, len(order), _TOGETHER):
        block = order[start : start + _TOGETHER]
        block = block[~(near(block[:, None], kept[None, :count]) > threshold).any(axis=1)]
        hard = near(block[:, None], block[None, :]) > threshold
        left = np.ones(len(block), bool)
        for i, index in enumerate(block):
            if count == len(kept):
                break
            if left[i]:
                kept[count] = index
                count += 1
                left &= ~hard[:, i]
        if count == len(kept):
            break
    return kept[:count].tolist(), values[kept[:count]].tolist()


def _chosen_softly(values: Array, near: _Near, limit: int, least: float, scale: float) -> tuple[list[int], list[float]]:
    queue = [(-s, i, 0) for i, s in enumerate(values.tolist()) if s > least]
    heapq.heapify(queue)
    kept = np.zeros(max(min(limit, len(queue)), 0), np.int64)
    found: list[float] = []
    while queue and len(found) < len(kept):
        minus, index, begin = heapq.heappop(queue)
        close = near(index, kept[begin : len(found)][::-1]).astype(np.float64)
        score = float(np.multiply.accumulate([-minus, *np.exp(scale * close * close)])[-1])
        if score == -minus:
            kept[len(found)] = index
            found.append(score)
        elif score > least:
            heapq.heappush(queue, (-score, index, len(found)))
    return kept[: len(found)].tolist(), found


def _check_nms(boxes: Array, scores: Array, threshold: Array) -> None:
    if np.ndim(boxes) != 2 or boxes.shape[1] != 4:
        raise bad(f"boxes must be 2-D with 4 columns: {text_of(np.shape(boxes))}")
    if np.shape(scores) != (boxes.shape[0],):
        raise bad("scores has incompatible shape")
    if not 0 <= float(threshold) <= 1:
        raise bad("iou_threshold must be in [0, 1]")


def _nms(
    boxes: Array, scores: Array, limit: Array, threshold: Array, least: Array, sigma: Array | float = 0.0
) -> tuple[Any, Any]:
    _check_nms(boxes, scores, threshold)
    if int(limit) < 0:
        raise bad("output size must be non-negative")
    rows = boxes.astype(np.float32)
    kept, found = _chosen(scores, _near(rows), int(limit), float(threshold), float(least),
                          float(sigma))  # fmt: skip
    return np.array(kept, np.int32), np.array(found, scores.dtype)


def _v4(
    boxes: Array, scores: Array, limit: Array, threshold: Array, least: Array, *, pad_to_max_output_size: bool
) -> Any:
    kept, _ = _nms(boxes, scores, limit, threshold, least)
    count = np.int32(len(kept))
    return (np.pad(kept, (0, int(limit) - len(kept))) if pad_to_max_output_size else kept), count


def _v5(
    boxes: Array, scores: Array, limit: Array, threshold: Array, least: Array, sigma: Array, *,
    pad_to_max_output_size: bool
) -> Any:  # fmt: skip
    kept, found = _nms(boxes, scores, limit, threshold, least, sigma)
    count = np.int32(len(kept))
    if pad_to_max_output_size:
        kept, found = (np.pad(v, (0, int(limit) - len(v))) for v in (kept, found))
    return kept, found, count


def _selected_dims(c: InferContext) -> tuple[int | None]:
    require_size(c, 0, 1, 4)
    require_equal(c, 0, 1)
    return (None,)


def _padded_dims(c: InferContext) -> tuple[int | None]:
    _selected_dims(c)
    if c.attrs["pad_to_max_output_size"]:
        return (const_int(c, 2),)
    return (None,)


NonMaxSuppressionV3 = define(
    "NonMaxSuppressionV3",
    "boxes: T[2], scores: T[1], max_output_size: int32[0], iou_threshold: T_threshold[0], score_threshold: T_threshold[0] "
    "-> selected_indices: int32",
    attrs="T: type = float32; T_threshold: type = float32", allowed={"T": HALVES, "T_threshold": HALVES},
    infer=_selected_dims, kernel=lambda *args: _nms(*args)[0], vjp=lambda call, g: [None] * 5,
)  # fmt: skip
NonMaxSuppressionV4 = define(
    "NonMaxSuppressionV4",
    "boxes: T[2], scores: T[1], max_output_size: int32[0], iou_threshold: T_threshold[0], score_threshold: T_threshold[0] "
    "-> selected_indices: int32, valid_outputs: int32",
    attrs="T: type = float32; T_threshold: type = float32; pad_to_max_output_size: bool = False",
    allowed={"T": HALVES, "T_threshold": HALVES}, infer=lambda c: [_padded_dims(c), ()], kernel=_v4,
    vjp=lambda call, *g: [None] * 5,
)  # fmt: skip
NonMaxSuppressionV5 = define(
    "NonMaxSuppressionV5",
    "boxes: T[2], scores: T[1], max_output_size: int32[0], iou_threshold: T[0], score_threshold: T[0], "
    "soft_nms_sigma: T[0] "
    "-> selected_indices: int32, selected_scores: T, valid_outputs: int32",
    attrs="T: type = float32; pad_to_max_output_size: bool = False", allowed={"T": HALVES},
    infer=lambda c: [_padded_dims(c), _padded_dims(c), ()], kernel=_v5, vjp=lambda call, *g: [None] * 6,
)  # fmt: skip


def _by_matrix(overlaps: Array, scores: Array, limit: Array, threshold: Array, least: Array) -> Array:
    if np.ndim(overlaps) != 2 or overlaps.shape[0] != overlaps.shape[1]:
        raise bad(f"overlaps must be square: {text_of(np.shape(overlaps))}")
    kept, _ = _chosen(scores, lambda i, j: overlaps[i, j], int(limit), float(threshold), float(least))
    return np.array(kept, np.int32)


NonMaxSuppressionWithOverlaps = define(
    "NonMaxSuppressionWithOverlaps",
    "overlaps: float32[2], scores: float32[1], max_output_size: int32[0], overlap_threshold: float32[0], "
    "score_threshold: float32[0] -> selected_indices: int32",
    infer=lambda c: (None,), kernel=_by_matrix, vjp=lambda call, g: [None] * 5,
)  # fmt: skip


def _combined(
    boxes: Array, scores: Array, per_class: Array, total: Array, threshold: Array, least: Array, *, pad_per_class: bool,
    clip_boxes: bool,
) -> Any:  # fmt: skip
    batch, _, kinds = scores.shape
    size = int(total)
    if pad_per_class:
        size = min(size, int(per_class) * kinds)
    out = [np.zeros((batch, size, 4), np.float32), np.zeros((batch, size), np.float32),
           np.zeros((batch, size), np.float32), np.zeros(batch, np.int32)]  # fmt: skip
    for b in range(batch):
        found = []
        for k in range(kinds):
            rows = boxes[b, :, k if boxes.shape[2] > 1 else 0]
            kept, values = _nms(rows, scores[b, :, k], per_class, threshold, least)
            found += [(-float(v), k, int(i), rows[i]) for i, v in zip(kept, values)]
        best = sorted(found, key=lambda f: (f[0], f[1], f[2]))[:size]
        for n, (minus, k, _, row) in enumerate(best):
            out[0][b, n] = np.clip(row, 0, 1) if clip_boxes else row
            out[1][b, n], out[2][b, n] = -minus, k
        out[3][b] = len(best)
    return tuple(out)


def _combined_dims(c: Any) -> list[Dims]:
    dims = c.dims(1)
    batch, size = (dims[0] if dims else None), const_int(c, 3)
    if c.attrs["pad_per_class"]:
        each = const_int(c, 2)
        known = None not in (size, each) and dims is not None and dims[2] is not None
        size = min(size, each * dims[2]) if known else None
    return [(batch, size, 4), (batch, size), (batch, size), (batch,)]


CombinedNonMaxSuppression = define(
    "CombinedNonMaxSuppression",
    "boxes: float32[4], scores: float32[3], max_output_size_per_class: int32[0], max_total_size: int32[0], "
    "iou_threshold: float32[0], score_threshold: float32[0] "
    "-> nmsed_boxes: float32, nmsed_scores: float32, nmsed_classes: float32, valid_detections: int32",
    attrs="pad_per_class: bool = False; clip_boxes: bool = True", infer=_combined_dims, kernel=_combined,
    vjp=lambda call, *g: [None] * 6,
)  # fmt: skip


def non_max_suppression(
    boxes: TensorLike, scores: TensorLike, max_output_size: TensorLike, iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"), name: str | None = None,
) -> Tensor:  # fmt: skip
    """The indices of the best boxes, of those that overlap too much only the one with the highest score.

    >>> import graphrt as tf
    >>> tf.image.non_max_suppression([[0., 0., 1., 1.], [0., 0., 1., .9]], [.5, .6], 2).numpy().tolist()
    [1]

    Raises:
      InvalidArgumentError: a shape does not fit, or the threshold is out of range.
    """
    x = convert_to_tensor(boxes, dtype_hint=float32)
    kind = x.dtype
    with scope(name, "non_max_suppression"):
        return NonMaxSuppressionV3(
            x, scores, max_output_size, as_tensor(iou_threshold, kind), as_tensor(score_threshold, kind)
        )


def non_max_suppression_with_scores(
    boxes: TensorLike, scores: TensorLike, max_output_size: TensorLike, iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"), soft_nms_sigma: TensorLike = 0.0, name: str | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """`non_max_suppression` with the scores; with `soft_nms_sigma` overlapping boxes only lose some of theirs.

    >>> import graphrt as tf
    >>> i, s = tf.image.non_max_suppression_with_scores([[0., 0., 1., 1.]], [.5], 2)
    >>> i.numpy().tolist(), s.numpy().tolist()
    ([0], [0.5])

    Raises:
      InvalidArgumentError: a shape does not fit, or the threshold is out of range.
    """
    x = convert_to_tensor(boxes, dtype_hint=float32)
    with scope(name, "non_max_suppression_with_scores"):
        more = [as_tensor(v, x.dtype) for v in (iou_threshold, score_threshold, soft_nms_sigma)]
        kept, values, _ = NonMaxSuppressionV5(x, scores, max_output_size, *more, pad_to_max_output_size=False)
        return kept, values


def non_max_suppression_padded(
    boxes: TensorLike, scores: TensorLike, max_output_size: TensorLike, iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"), pad_to_max_output_size: bool = False, name: str | None = None,
    sorted_input: bool = False, canonicalized_coordinates: bool = False, tile_size: int = 512,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """`non_max_suppression` with the number of boxes kept; the indices may be filled up with zeros.

    `sorted_input`, `canonicalized_coordinates` and `tile_size` promise what is not relied on here.

    >>> import graphrt as tf
    >>> i, n = tf.image.non_max_suppression_padded([[0., 0., 1., 1.]], [.5], 2, pad_to_max_output_size=True)
    >>> i.numpy().tolist(), n.numpy().item()
    ([0, 0], 1)

    Raises:
      InvalidArgumentError: a shape does not fit, or the threshold is out of range.
    """
    x = convert_to_tensor(boxes, dtype_hint=float32)
    with scope(name, "non_max_suppression_padded"):
        more = [as_tensor(v, x.dtype) for v in (iou_threshold, score_threshold)]
        kept, count = NonMaxSuppressionV4(
            x, scores, max_output_size, *more, pad_to_max_output_size=pad_to_max_output_size
        )
        return kept, count


def non_max_suppression_overlaps(
    overlaps: TensorLike, scores: TensorLike, max_output_size: TensorLike, overlap_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = float("-inf"), name: str | None = None,
) -> Tensor:  # fmt: skip
    """`non_max_suppression` of boxes whose overlaps are given as a matrix.

    >>> import graphrt as tf
    >>> tf.image.non_max_suppression_overlaps([[1., .9], [.9, 1.]], [.5, .6], 2).numpy().tolist()
    [1]

    Raises:
      InvalidArgumentError: the matrix is not square.
    """
    with scope(name, "non_max_suppression_overlaps"):
        return NonMaxSuppressionWithOverlaps(overlaps, scores, max_output_size, overlap_threshold, score_threshold)


class Combined(NamedTuple):
    """The result of `combined_non_max_suppression`, named as in TensorFlow."""

    nmsed_boxes: Any
    nmsed_scores: Any
    nmsed_classes: Any
    valid_detections: Any


Combined.__name__ = CombinedNonMaxSuppression.type


def combined_non_max_suppression(
    boxes: TensorLike, scores: TensorLike, max_output_size_per_class: TensorLike, max_total_size: TensorLike,
    iou_threshold: TensorLike = 0.5, score_threshold: TensorLike = float("-inf"), pad_per_class: bool = False,
    clip_boxes: bool = True, name: str | None = None,
) -> Combined:  # fmt: skip
    """`non_max_suppression` for each image of a batch and each class: boxes, scores, classes, and how many.

    >>> import graphrt as tf
    >>> found = tf.image.combined_non_max_suppression(tf.zeros([1, 2, 1, 4]), tf.ones([1, 2, 3]), 1, 4)
    >>> found[0].shape, found[3].numpy().tolist()
    (TensorShape([1, 4, 4]), [3])
    """
    with scope(name, "combined_non_max_suppression"):
        return Combined(
            *CombinedNonMaxSuppression(
                boxes,
                scores,
                max_output_size_per_class,
                max_total_size,
                iou_threshold,
                score_threshold,
                pad_per_class=pad_per_class,
                clip_boxes=clip_boxes,
            )
        )
