"""Earlier versions of joins and reversals, and updates in place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define
from graphrt.ops.array.concat_split import ConcatV2
from graphrt.ops.array.dynamic_partition import DynamicStitch
from graphrt.ops.array.gather_scatter import TensorScatterAdd, gather, gather_nd
from graphrt.ops.legacy.replacements import NO_GRADIENTS, forwarded
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.ops.support.shape_rules import require_rank
from graphrt.types import dtype as dtypes
from graphrt.types.accumulate import combine_at
from graphrt.types.dtype import (
    INDEX,
    NUMERIC,
)
from graphrt.types.likes import Array
from graphrt.types.shape import Dims

__all__: list[str] = []


# --- joined, turned round, overwritten -------------------------------------------------------------------------------
def _concat_dims(c: InferContext) -> Dims:
    return ConcatV2.infer(InferContext(ConcatV2, [*c.inputs[1:], c.inputs[0]], c.attrs))


Concat = define(
    "Concat", "concat_dim: int32[0], values: N * T -> output: T", attrs="N: int >= 2; T: type", infer=_concat_dims,
    kernel=lambda axis, values: ConcatV2.compute(values, axis),
    vjp=forwarded(ConcatV2, lambda x, a: ([*x[1:], x[0]], {}), lambda g: [None, *g[:-1]]),
)  # fmt: skip


def _offsets(axis: Array, shapes: list[Array]) -> list[Array]:
    at, rank = int(axis), len(shapes[0])
    if not -rank <= at < rank:
        raise bad(f"Concat dim is out of range: {at} vs. {rank}")
    at += rank if at < 0 else 0
    total, out = 0, []
    for i, shape in enumerate(shapes):
        if len(shape) != rank or any(shape[k] != shapes[0][k] for k in range(rank) if k != at):
            raise bad(f"All dimensions except {at} must match. Input {i} has shape {text_of(shape)} and doesn't match "
                      f"input 0 with shape {text_of(shapes[0])}.")  # fmt: skip
        offset = np.zeros_like(shape)
        offset[at] = total
        total += int(shape[at])
        out.append(offset)
    return out


ConcatOffset = define(
    "ConcatOffset", "concat_dim: int32, shape: N * shape_type -> offset: N * shape_type",
    attrs="N: int >= 2; shape_type: type = int32", allowed={"shape_type": INDEX},
    infer=lambda c: [c.dims(i) for i in range(1, len(c.inputs))], kernel=_offsets, vjp=NO_GRADIENTS,
)  # fmt: skip


def _reverse_kernel(x: Array, flags: Array) -> Array:
    if np.shape(flags) != (np.ndim(x),):
        raise bad(f"'dims' must have the same number of values as 'input' has dimensions. 'input' has {np.ndim(x)}"
                  f"'dims' has {np.size(flags)} values")  # fmt: skip
    return np.flip(x, tuple(i for i, f in enumerate(np.asarray(flags).tolist()) if f))


def _reverse_dims(c: InferContext) -> Dims:
    require_rank(c, 1, 1)
    dims, flags = c.dims(0), c.dims(1)
    if dims is not None and flags is not None and flags[0] not in (None, len(dims)):
        raise ShapeError(f"Shape must be rank {flags[0]} but is rank {len(dims)}")
    return dims


Reverse: OpDef = define(
    "Reverse", "tensor: T, dims: bool -> output: T", infer=_reverse_dims, kernel=_reverse_kernel,
    vjp=lambda call, g: [Reverse(g, call.inputs[1]), None],
)  # fmt: skip


def _inplace(change: Callable[[Any, Any, Any], None]) -> Callable[..., Any]:
    def kernel(x: Array, i: Array, v: Array) -> Array:
        if np.ndim(x) < 1 or np.shape(v)[1:] != np.shape(x)[1:] or len(np.atleast_1d(i)) != len(v):
            raise bad(f"i and x shape doesn't match: {text_of(np.shape(i))} and {text_of(np.shape(v))}")
        out = np.array(x)
        change(out, np.asarray(i) % len(out) if len(out) else i, v)
        return out

    return kernel


def _set_rows(x: Array, i: Array, v: Array) -> None:
    x[i] = v


for _name, _change in (
    ("InplaceUpdate", _set_rows),
    ("InplaceAdd", partial(combine_at, np.add)),
    ("InplaceSub", partial(combine_at, np.subtract)),
):
    define(_name, "x: T, i: int32, v: T -> y: T", infer=lambda c: c.dims(0), kernel=_inplace(_change), vjp=None)

ScatterNdNonAliasingAdd = define(
    "ScatterNdNonAliasingAdd", "input: T, indices: Tindices[1+], updates: T -> output: T",
    attrs="T: type; Tindices: type; bad_indices_policy: string = ''",
    allowed={"T": (*NUMERIC, dtypes.bool_), "Tindices": INDEX},
    infer=lambda c: c.dims(0), kernel=lambda x, i, u: TensorScatterAdd.compute(x, i, u, bad_indices_policy=""),
    vjp=lambda call, g: [g, None, gather_nd(g, call.inputs[1])],
)  # fmt: skip


ParallelDynamicStitch = define(
    "ParallelDynamicStitch", "indices: N * int32, data: N * T -> merged: T", attrs="N: int >= 1; T: type",
    infer=lambda c: DynamicStitch.infer(c), kernel=lambda indices, data: DynamicStitch.compute(indices, data),
    vjp=lambda call, g: [*[None] * call.attrs["N"], *[gather(g, i) for i in call.inputs[: call.attrs["N"]]]],
)  # fmt: skip
