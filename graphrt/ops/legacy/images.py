"""Earlier versions of ops on images."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define
from graphrt.ops.image.boxes import DrawBoundingBoxesV2
from graphrt.ops.image.non_max_suppression import NonMaxSuppressionV3
from graphrt.ops.legacy.replacements import NO_GRADIENTS, i32
from graphrt.ops.nn.space_to_batch import BatchToSpaceND, SpaceToBatchND
from graphrt.ops.support.kernel_helpers import const_ints
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import (
    INDEX,
    float16,
    float32,
)
from graphrt.types.shape import Dims

__all__: list[str] = []


# --- images ----------------------------------------------------------------------------------------------------------
def _blocks_dims(c: InferContext) -> Dims:
    dims, pads, size = c.dims(0), const_ints(c, 1), c.attrs["block_size"]
    if dims is None or pads is None:
        return None if dims is None else (None if dims[0] is None else dims[0] * size * size, None, None, dims[-1])
    whole = [None if d is None else d + pads[2 * i] + pads[2 * i + 1] for i, d in enumerate(dims[1:3])]
    if any(d is not None and d % size for d in whole):
        raise ShapeError(f"Dimension size must be evenly divisible by {size} but is {whole}")
    height, width = (None if d is None else d // size for d in whole)
    return (None if dims[0] is None else dims[0] * size * size, height, width, dims[3])


def _unblocked_dims(c: InferContext) -> Dims:
    dims, crops, size = c.dims(0), const_ints(c, 1), c.attrs["block_size"]
    if dims is None:
        return None
    lead = None if dims[0] is None else dims[0] // (size * size)
    if crops is None:
        return (lead, None, None, dims[3])
    height, width = (None if d is None else d * size - crops[2 * i] - crops[2 * i + 1] for i, d in enumerate(dims[1:3]))
    return (lead, height, width, dims[3])


def _square(attrs: dict[Any, Any]) -> Tensor:
    return i32([attrs["block_size"]] * 2)


SpaceToBatch = define(
    "SpaceToBatch", "input: T[4], paddings: Tpaddings[2] -> output: T",
    attrs="T: type; Tpaddings: type = int32; block_size: int >= 2", allowed={"Tpaddings": INDEX}, infer=_blocks_dims,
    kernel=lambda x, pads, *, block_size: SpaceToBatchND.compute(x, np.array([block_size] * 2, np.int32), pads),
    vjp=lambda call, g: [BatchToSpaceND(g, _square(call.attrs), call.inputs[1]), None],
)  # fmt: skip
BatchToSpace = define(
    "BatchToSpace", "input: T[4], crops: Tidx[2] -> output: T", attrs="T: type; block_size: int >= 2; Tidx: type = int32",
    allowed={"Tidx": INDEX}, infer=_unblocked_dims,
    kernel=lambda x, crops, *, block_size: BatchToSpaceND.compute(x, np.array([block_size] * 2, np.int32), crops),
    vjp=lambda call, g: [SpaceToBatchND(g, _square(call.attrs), call.inputs[1]), None],
)  # fmt: skip
NonMaxSuppression = define(
    "NonMaxSuppression", "boxes: float32[2], scores: float32[1], max_output_size: int32[0] -> selected_indices: int32",
    attrs="iou_threshold: float = 0.5", infer=lambda c: (None,), vjp=NO_GRADIENTS,
    kernel=lambda boxes, scores, most, *, iou_threshold: NonMaxSuppressionV3.compute(
        boxes, scores, most, np.float32(iou_threshold), np.float32(-np.inf)
    ),
)  # fmt: skip
NonMaxSuppressionV2 = define(
    "NonMaxSuppressionV2",
    "boxes: T[2], scores: T[1], max_output_size: int32[0], iou_threshold: T_threshold[0] -> selected_indices: int32",
    attrs="T: type = float32; T_threshold: type = float32",
    allowed={"T": (float16, float32), "T_threshold": (float16, float32)}, infer=lambda c: (None,), vjp=NO_GRADIENTS,
    kernel=lambda boxes, scores, most, limit: NonMaxSuppressionV3.compute(
        boxes, scores, most, limit, np.float32(-np.inf)
    ),
)  # fmt: skip
_COLORS = np.array(
    [[1, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 0.5, 1], [0.5, 0.5, 0, 1], [0.5, 0, 0, 1],
     [0, 1, 1, 1], [0, 0, 1, 1], [1, 0, 1, 1]], np.float32,
)  # fmt: skip
DrawBoundingBoxes = define(
    "DrawBoundingBoxes", "images: T[4], boxes: float32[3] -> output: T", attrs="T: type = float32",
    allowed={"T": (float32, float16)}, infer=lambda c: c.dims(0), vjp=None,
    kernel=lambda images, boxes: DrawBoundingBoxesV2.compute(
        images, boxes, _COLORS if np.shape(images)[-1] > 1 else np.ones((1, 1), np.float32)
    ),
)  # fmt: skip
