"""Segments of a number that is given."""

from __future__ import annotations

from typing import Any

from graphrt.ir.op import define, ops
from graphrt.ops.legacy.replacements import forwarded
from graphrt.ops.support.kernel_helpers import const_int
from graphrt.ops.support.shape_rules import require_rank
from graphrt.types.dtype import (
    INDEX,
    NUMERIC,
    REAL,
)
from graphrt.types.shape import Dims

__all__: list[str] = []


# --- segments of a number that is given ------------------------------------------------------------------------------
def segments(name: str, allowed: Any) -> None:
    def kernel(data: Any, ids: Any, count: Any) -> Any:
        return getattr(ops, f"UnsortedSegment{name}").kernel(data, ids, count)

    def infer(c: Any) -> Dims:
        require_rank(c, 1, 1)
        dims, count = c.dims(0), const_int(c, 2)
        return None if dims is None else (count, *dims[1:])

    define(
        f"Segment{name}V2", "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T",
        attrs="T: type; Tindices: type; Tnumsegments: type = int32",
        allowed={"T": allowed, "Tindices": INDEX, "Tnumsegments": INDEX}, infer=infer, kernel=kernel,
        vjp=forwarded(f"UnsortedSegment{name}", lambda x, a: (x, {})),
    )  # fmt: skip


for _name, _allowed in (("Sum", NUMERIC), ("Prod", NUMERIC), ("Max", REAL), ("Min", REAL)):
    segments(_name, _allowed)
