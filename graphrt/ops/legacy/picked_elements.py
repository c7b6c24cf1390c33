"""Earlier versions of ops that pick elements out."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define
from graphrt.ops.array.gather_scatter import GatherV2
from graphrt.ops.array.shape import expand_dims
from graphrt.ops.array.sorting import InTopKV2, TopKV2
from graphrt.ops.legacy.replacements import NO_GRADIENTS, forwarded, i32
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal
from graphrt.ops.math.reduction import reduce_sum
from graphrt.ops.support.kernel_helpers import bad, const_int
from graphrt.ops.support.shape_rules import require_rank
from graphrt.types.dtype import (
    INDEX,
    REAL,
    DType,
    int32,
)
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, merge

__all__: list[str] = []


# --- elements picked out ---------------------------------------------------------------------------------------------
def _gather_dims(c: InferContext) -> Dims:
    params, indices = c.dims(0), c.dims(1)
    if params is not None and len(params) < 1:
        raise ShapeError("Shape must be at least rank 1 but is rank 0")
    return None if params is None or indices is None else (*indices, *params[1:])


Gather = define(
    "Gather", "params: Tparams, indices: Tindices -> output: Tparams",
    attrs="validate_indices: bool = True; Tparams: type; Tindices: type", allowed={"Tindices": INDEX},
    infer=_gather_dims, kernel=lambda p, i: GatherV2.compute(p, i, np.int32(0), batch_dims=0),
    vjp=forwarded(GatherV2, lambda x, a: ([*x, i32(0)], {"batch_dims": 0}), lambda g: g[:2]),
)  # fmt: skip


def _top_dims(c: InferContext) -> list[Dims]:
    dims, k = c.dims(0), c.attrs["k"]
    if dims is None:
        return [None, None]
    if not dims:
        raise ShapeError("Shape must be at least rank 1 but is rank 0")
    if dims[-1] is not None and dims[-1] < k:
        raise ShapeError(f"input must have last dimension >= k = {k} but is {dims[-1]}")
    return [(*dims[:-1], k)] * 2


def _top_kernel(x: Array, *, k: int, sorted: bool) -> tuple[Array, Array]:
    newer = TopKV2
    attrs = {"sorted": sorted, "index_type": int32}
    return newer.compute(x, np.int32(k), **{a: v for a, v in attrs.items() if a in newer.kernel_attrs})


TopK = define(
    "TopK", "input: T -> values: T, indices: int32", attrs="k: int >= 0; sorted: bool = True; T: type", allowed={"T": REAL},
    infer=_top_dims, kernel=_top_kernel,
    vjp=forwarded(TopKV2, lambda x, a: ([*x, i32(a["k"])], {"index_type": int32}), lambda g: g[:1]),
)  # fmt: skip


def _in_top_kernel(predictions: Array, targets: Array, *, k: int) -> Array:
    if np.ndim(predictions) != 2 or np.shape(targets) != np.shape(predictions)[:1]:
        raise bad(
            f"First dimension of predictions {np.shape(predictions)[0]} must match length of targets {np.size(targets)}"
        )
    return InTopKV2.compute(predictions, targets, np.int32(k))


def _in_top_dims(c: InferContext) -> Dims:
    require_rank(c, 0, 2)
    require_rank(c, 1, 1)
    lead = c.dims(0)
    return merge(None if lead is None else lead[:1], c.dims(1))


InTopK = define(
    "InTopK", "predictions: float32, targets: T -> precision: bool", attrs="k: int; T: type = int32",
    allowed={"T": INDEX}, infer=_in_top_dims, kernel=_in_top_kernel, vjp=NO_GRADIENTS,
)  # fmt: skip


def _nth_dims(c: InferContext) -> Dims:
    require_rank(c, 1, 0)
    dims = c.dims(0)
    if dims is not None and not dims:
        raise ShapeError("Shape must be at least rank 1 but is rank 0")
    n = const_int(c, 1)
    if n is not None and n < 0:
        raise ShapeError(f"Input n must be non-negative but is {n}")
    if dims and n is not None and dims[-1] is not None and dims[-1] <= n:
        raise ShapeError(f"Input must have last dimension > n = {n} but is {dims[-1]}")
    return None if dims is None else dims[:-1]


def _nth_kernel(x: Array, n: Array, *, reverse: bool) -> Array:
    size, at = np.shape(x)[-1], int(n)
    if at < 0:
        raise bad(f"n must be non-negative, got {at}")
    if at >= size:
        raise bad(f"Input must have at least n+1 = {at + 1} columns, got {size}")
    return np.partition(x, size - 1 - at if reverse else at, -1)[..., size - 1 - at if reverse else at]


def _nth_vjp(call: Any, g: Any) -> list[Any]:
    x, y = call.inputs[0], call.outputs[0]
    hits = cast(Equal(expand_dims(y, -1), x), g.dtype)
    return [hits / reduce_sum(hits, -1, keepdims=True) * expand_dims(g, -1), None]


NthElement = define(
    "NthElement", "input: T, n: int32 -> values: T", attrs="reverse: bool = False; T: type", allowed={"T": REAL},
    infer=_nth_dims, kernel=_nth_kernel, vjp=_nth_vjp,
)  # fmt: skip


def _difference(x: Array, y: Array, *, out_idx: DType) -> tuple[Array, Array]:
    for which, value in (("x", x), ("y", y)):
        if np.ndim(value) != 1:
            raise bad(f"{which} should be a 1D vector.")
    gone = set(np.asarray(y).tolist())
    keep = np.array([v not in gone for v in np.asarray(x).tolist()], np.bool_)
    return np.asarray(x)[keep], np.flatnonzero(keep).astype(out_idx.as_numpy_dtype)


def _two_vectors(c: InferContext) -> list[Dims]:
    require_rank(c, 0, 1)
    require_rank(c, 1, 1)
    return [(None,), (None,)]


ListDiff = define(
    "ListDiff", "x: T, y: T -> out: T, idx: out_idx", attrs="T: type; out_idx: type = int32",
    allowed={"out_idx": INDEX}, infer=_two_vectors, kernel=_difference, vjp=NO_GRADIENTS,
)  # fmt: skip
