"""Segments of a number that is given."""

from __future__ import annotations

from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define
from graphrt.ops.legacy.replacements import forwarded
from graphrt.ops.math.segments import UnsortedSegmentMax, UnsortedSegmentMin, UnsortedSegmentProd, UnsortedSegmentSum
from graphrt.ops.support.kernel_helpers import const_int
from graphrt.ops.support.shape_rules import require_rank
from graphrt.types.dtype import (
    INDEX,
    NUMERIC,
    REAL,
    DType,
)
from graphrt.types.shape import Dims

__all__: list[str] = []


# --- segments of a number that is given ------------------------------------------------------------------------------
def segments(newer: OpDef, allowed: tuple[DType, ...]) -> None:
    def infer(c: InferContext) -> Dims:
        require_rank(c, 1, 1)
        dims, count = c.dims(0), const_int(c, 2)
        return None if dims is None else (count, *dims[1:])

    define(
        newer.type.removeprefix("Unsorted") + "V2",
        "data: T, segment_ids: Tindices, num_segments: Tnumsegments[0] -> output: T",
        attrs="T: type; Tindices: type; Tnumsegments: type = int32",
        allowed={"T": allowed, "Tindices": INDEX, "Tnumsegments": INDEX}, infer=infer, kernel=newer.kernel,
        vjp=forwarded(newer, lambda x, a: (x, {})),
    )  # fmt: skip


segments(UnsortedSegmentSum, NUMERIC)
segments(UnsortedSegmentProd, NUMERIC)
segments(UnsortedSegmentMax, REAL)
segments(UnsortedSegmentMin, REAL)
