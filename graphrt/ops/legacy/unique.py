"""Distinct rows along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define
from graphrt.ops.legacy.replacements import NO_GRADIENTS
from graphrt.ops.support.kernel_helpers import bad, const_ints, ints
from graphrt.types.dtype import (
    INDEX,
    DType,
)
from graphrt.types.likes import Array
from graphrt.types.shape import Dims

__all__: list[str] = []


# --- unique along an axis --------------------------------------------------------------------------------------------
def _unique_rows(x: Array, axis: Array, index_type: DType) -> tuple[Any, Any, Any]:
    where = ints(np.ravel(axis))
    if len(where) > 1:
        raise bad("axis should have at most one element")
    if not where and np.ndim(x) != 1:
        raise bad("unique expects a 1D vector when no axis is given.")
    at = where[0] if where else 0
    if not -np.ndim(x) <= at < np.ndim(x):
        raise bad(f"axis expected to be in the range [{-np.ndim(x)}, {np.ndim(x)}) but got {at}")
    rows = np.moveaxis(np.asarray(x), at, 0)
    first: dict[Any, int] = {}
    counts: list[int] = []
    kept: list[int] = []
    places = np.empty(len(rows), index_type.as_numpy_dtype)
    for i, row in enumerate(rows):
        key = tuple(row.reshape(-1).tolist()) if rows.ndim > 1 else row
        n = first.setdefault(key, len(first))
        if n == len(kept):
            kept.append(i)
            counts.append(0)
        counts[n] += 1
        places[i] = n
    y = np.moveaxis(rows[kept], 0, at)
    return np.ascontiguousarray(y), places, np.array(counts, index_type.as_numpy_dtype)


def _unique_dims(count: int) -> Callable[..., Any]:
    def infer(c: InferContext) -> list[Dims]:
        dims, axis = c.dims(0), const_ints(c, 1)
        whole: Any = None if dims is None else (None,) * len(dims)
        if dims is None or axis is None:
            return [whole, (None,), (None,)][:count]
        if not axis and len(dims) != 1:
            raise ShapeError("unique expects a 1D vector when no axis is given.")
        at = axis[0] if axis else 0
        if not -len(dims) <= at < len(dims):
            raise ShapeError(f"axis expected to be in the range [{-len(dims)}, {len(dims)}) but got {at}")
        found: Any = list(dims)
        found[at] = None
        shapes: list[Dims] = [tuple(found), (dims[at],), (None,)]
        return shapes[:count]

    return infer


UniqueV2 = define(
    "UniqueV2", "x: T, axis: Taxis -> y: T, idx: out_idx", attrs="T: type; Taxis: type = int64; out_idx: type = int32",
    allowed={"Taxis": INDEX, "out_idx": INDEX}, infer=_unique_dims(2),
    kernel=lambda x, axis, *, out_idx: _unique_rows(x, axis, out_idx)[:2], vjp=NO_GRADIENTS,
)  # fmt: skip
UniqueWithCountsV2 = define(
    "UniqueWithCountsV2", "x: T, axis: Taxis -> y: T, idx: out_idx, count: out_idx",
    attrs="T: type; Taxis: type = int64; out_idx: type = int32", allowed={"Taxis": INDEX, "out_idx": INDEX},
    infer=_unique_dims(3), kernel=lambda x, axis, *, out_idx: _unique_rows(x, axis, out_idx), vjp=NO_GRADIENTS,
)  # fmt: skip
