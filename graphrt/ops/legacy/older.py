"""Earlier versions of ops, which graphs from elsewhere may hold: each is told in terms of the op that replaced it."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.op import ALIASES, OPAQUE, STATEFUL, define, ops
from graphrt.ops.support.kernel_helpers import bad, const_int, const_ints, ints, text_of
from graphrt.ops.support.shape_rules import as_tensor, require_rank
from graphrt.types.dtype import (
    COMPLEX,
    FLOATING,
    INDEX,
    NUMERIC,
    REAL,
    as_dtype,
    float16,
    float32,
    float64,
    int32,
    int64,
)
from graphrt.types.shape import Dims, merge

__all__: list[str] = []

_NONE = lambda call, *g: [None] * len(call.inputs)  # nothing flows through


def _as(name: str, adapt: Callable[[list[Any], Any], tuple[list[Any], dict[str, Any]]], keep: Any = None) -> Any:
    """The gradient of the op `name`, whose inputs and attributes `adapt` makes of ours; `keep` picks our gradients."""

    def vjp(call: Any, *g: Any) -> list[Any]:
        inputs, attrs = adapt(list(call.inputs), call.attrs)
        newer = SimpleNamespace(inputs=inputs, outputs=call.outputs, attrs=attrs)
        found: list[Any] = getattr(ops, name).vjp(newer, *g)
        return found if keep is None else keep(found)

    return vjp


def _i32(value: Any) -> Any:
    return as_tensor(np.array(value, np.int32))


# --- elements picked out ---------------------------------------------------------------------------------------------
def _gather_dims(c: Any) -> Dims:
    params, indices = c.dims(0), c.dims(1)
    if params is not None and len(params) < 1:
        raise ShapeError("Shape must be at least rank 1 but is rank 0")
    return None if params is None or indices is None else (*indices, *params[1:])


Gather = define(
    "Gather", "params: Tparams, indices: Tindices -> output: Tparams",
    attrs="validate_indices: bool = True; Tparams: type; Tindices: type", allowed={"Tindices": INDEX},
    infer=_gather_dims, kernel=lambda p, i: ops.GatherV2.kernel(p, i, np.int32(0), batch_dims=0),
    vjp=_as("GatherV2", lambda x, a: ([*x, _i32(0)], {"batch_dims": 0}), lambda g: g[:2]),
)  # fmt: skip


def _top_dims(c: Any) -> list[Dims]:
    dims, k = c.dims(0), c.attrs["k"]
    if dims is None:
        return [None, None]
    if not dims:
        raise ShapeError("Shape must be at least rank 1 but is rank 0")
    if dims[-1] is not None and dims[-1] < k:
        raise ShapeError(f"input must have last dimension >= k = {k} but is {dims[-1]}")
    return [(*dims[:-1], k)] * 2


def _top_kernel(x: Any, *, k: int, sorted: bool) -> Any:
    newer = ops.TopKV2
    attrs = {"sorted": sorted, "index_type": int32}
    return newer.kernel(x, np.int32(k), **{a: v for a, v in attrs.items() if a in newer.kernel_attrs})


TopK = define(
    "TopK", "input: T -> values: T, indices: int32", attrs="k: int >= 0; sorted: bool = True; T: type", allowed={"T": REAL},
    infer=_top_dims, kernel=_top_kernel,
    vjp=_as("TopKV2", lambda x, a: ([*x, _i32(a["k"])], {"index_type": int32}), lambda g: g[:1]),
)  # fmt: skip


def _in_top_kernel(predictions: Any, targets: Any, *, k: int) -> Any:
    if np.ndim(predictions) != 2 or np.shape(targets) != np.shape(predictions)[:1]:
        raise bad(
            f"First dimension of predictions {np.shape(predictions)[0]} must match length of targets {np.size(targets)}"
        )
    return ops.InTopKV2.kernel(predictions, targets, np.int32(k))


def _in_top_dims(c: Any) -> Dims:
    require_rank(c, 0, 2)
    require_rank(c, 1, 1)
    lead = c.dims(0)
    return merge(None if lead is None else lead[:1], c.dims(1))


InTopK = define(
    "InTopK", "predictions: float32, targets: T -> precision: bool", attrs="k: int; T: type = int32",
    allowed={"T": INDEX}, infer=_in_top_dims, kernel=_in_top_kernel, vjp=_NONE,
)  # fmt: skip


def _nth_dims(c: Any) -> Dims:
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


def _nth_kernel(x: Any, n: Any, *, reverse: bool) -> Any:
    size, at = np.shape(x)[-1], int(n)
    if at < 0:
        raise bad(f"n must be non-negative, got {at}")
    if at >= size:
        raise bad(f"Input must have at least n+1 = {at + 1} columns, got {size}")
    return np.partition(x, size - 1 - at if reverse else at, -1)[..., size - 1 - at if reverse else at]


def _nth_vjp(call: Any, g: Any) -> list[Any]:
    x, y = call.inputs[0], call.outputs[0]
    hits = ops.cast(ops.Equal(ops.expand_dims(y, -1), x), g.dtype)
    return [hits / ops.reduce_sum(hits, -1, keepdims=True) * ops.expand_dims(g, -1), None]


NthElement = define(
    "NthElement", "input: T, n: int32 -> values: T", attrs="reverse: bool = False; T: type", allowed={"T": REAL},
    infer=_nth_dims, kernel=_nth_kernel, vjp=_nth_vjp,
)  # fmt: skip


def _difference(x: Any, y: Any, *, out_idx: Any) -> Any:
    for which, value in (("x", x), ("y", y)):
        if np.ndim(value) != 1:
            raise bad(f"{which} should be a 1D vector.")
    gone = set(np.asarray(y).tolist())
    keep = np.array([v not in gone for v in np.asarray(x).tolist()], np.bool_)
    return np.asarray(x)[keep], np.flatnonzero(keep).astype(out_idx.as_numpy_dtype)


def _two_vectors(c: Any) -> list[Dims]:
    require_rank(c, 0, 1)
    require_rank(c, 1, 1)
    return [(None,), (None,)]


ListDiff = define(
    "ListDiff", "x: T, y: T -> out: T, idx: out_idx", attrs="T: type; out_idx: type = int32",
    allowed={"out_idx": INDEX}, infer=_two_vectors, kernel=_difference, vjp=_NONE,
)  # fmt: skip


# --- unique along an axis --------------------------------------------------------------------------------------------
def _unique_rows(x: Any, axis: Any, index_type: Any) -> tuple[Any, Any, Any]:
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


def _unique_dims(count: int) -> Any:
    def infer(c: Any) -> list[Dims]:
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
    kernel=lambda x, axis, *, out_idx: _unique_rows(x, axis, out_idx)[:2], vjp=_NONE,
)  # fmt: skip
UniqueWithCountsV2 = define(
    "UniqueWithCountsV2", "x: T, axis: Taxis -> y: T, idx: out_idx, count: out_idx",
    attrs="T: type; Taxis: type = int64; out_idx: type = int32", allowed={"Taxis": INDEX, "out_idx": INDEX},
    infer=_unique_dims(3), kernel=lambda x, axis, *, out_idx: _unique_rows(x, axis, out_idx), vjp=_NONE,
)  # fmt: skip


# --- joined, turned round, overwritten -------------------------------------------------------------------------------
def _concat_dims(c: Any) -> Dims:
    return ops.ConcatV2.infer(_Turned(c, [*range(1, len(c.inputs)), 0]))


class _Turned:
    """What a shape rule asks of, with the inputs in another order."""

    def __init__(self, c: Any, order: list[int]) -> None:
        self._c, self._order = c, order
        self.inputs = [c.inputs[i] for i in order]
        self.attrs = c.attrs

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._c, name)
        return (lambda i, *more: found(self._order[i], *more)) if callable(found) else found


Concat = define(
    "Concat", "concat_dim: int32, values: N * T -> output: T", attrs="N: int >= 2; T: type", infer=_concat_dims,
    kernel=lambda axis, values: ops.ConcatV2.kernel(values, axis),
    vjp=_as("ConcatV2", lambda x, a: ([*x[1:], x[0]], {}), lambda g: [None, *g[:-1]]),
)  # fmt: skip


def _offsets(axis: Any, shapes: Any) -> Any:
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
    infer=lambda c: [c.dims(i) for i in range(1, len(c.inputs))], kernel=_offsets, vjp=_NONE,
)  # fmt: skip


def _reverse_kernel(x: Any, flags: Any) -> Any:
    if np.shape(flags) != (np.ndim(x),):
        raise bad(f"'dims' must have the same number of values as 'input' has dimensions. 'input' has {np.ndim(x)}"
                  f"'dims' has {np.size(flags)} values")  # fmt: skip
    return np.flip(x, tuple(i for i, f in enumerate(np.asarray(flags).tolist()) if f))


def _reverse_dims(c: Any) -> Dims:
    require_rank(c, 1, 1)
    dims, flags = c.dims(0), c.dims(1)
    if dims is not None and flags is not None and flags[0] not in (None, len(dims)):
        raise ShapeError(f"Shape must be rank {flags[0]} but is rank {len(dims)}")
    return dims


Reverse = define(
    "Reverse", "tensor: T, dims: bool -> output: T", infer=_reverse_dims, kernel=_reverse_kernel,
    vjp=lambda call, g: [ops.Reverse(g, call.inputs[1]), None],
)  # fmt: skip


def _inplace(change: Callable[[Any, Any, Any], None]) -> Any:
    def kernel(x: Any, i: Any, v: Any) -> Any:
        if np.ndim(x) < 1 or np.shape(v)[1:] != np.shape(x)[1:] or len(np.atleast_1d(i)) != len(v):
            raise bad(f"i and x shape doesn't match: {text_of(np.shape(i))} and {text_of(np.shape(v))}")
        out = np.array(x)
        change(out, np.asarray(i) % len(out) if len(out) else i, v)
        return out

    return kernel


def _set_rows(x: Any, i: Any, v: Any) -> None:
    x[i] = v


for _name, _change in (("InplaceUpdate", _set_rows), ("InplaceAdd", np.add.at), ("InplaceSub", np.subtract.at)):
    define(_name, "x: T, i: int32, v: T -> y: T", infer=lambda c: c.dims(0), kernel=_inplace(_change), vjp=None)

ScatterNdNonAliasingAdd = define(
    "ScatterNdNonAliasingAdd", "input: T, indices: Tindices, updates: T -> output: T",
    attrs="T: type; Tindices: type; bad_indices_policy: string = ''", allowed={"T": NUMERIC, "Tindices": INDEX},
    infer=lambda c: c.dims(0), kernel=lambda x, i, u: ops.TensorScatterAdd.kernel(x, i, u, bad_indices_policy=""),
    vjp=lambda call, g: [g, None, ops.gather_nd(g, call.inputs[1])],
)  # fmt: skip


ParallelDynamicStitch = define(
    "ParallelDynamicStitch", "indices: N * int32, data: N * T -> merged: T", attrs="N: int >= 1; T: type",
    infer=lambda c: ops.DynamicStitch.infer(c), kernel=lambda indices, data: ops.DynamicStitch.kernel(indices, data),
    vjp=lambda call, g: [*[None] * call.attrs["N"], *[ops.gather(g, i) for i in call.inputs[: call.attrs["N"]]]],
)  # fmt: skip


# --- values that are passed on ---------------------------------------------------------------------------------------
Snapshot = define(
    "Snapshot", "input: T -> output: T", infer=lambda c: c.dims(0), kernel=lambda x: x, vjp=lambda call, g: [g],
    traits=(ALIASES,),
)  # fmt: skip
DeepCopy = define(
    "DeepCopy", "x: T -> y: T", infer=lambda c: c.dims(0), kernel=lambda x: np.array(x)[()], vjp=lambda call, g: [g],
    traits=(STATEFUL, OPAQUE),
)  # fmt: skip
PlaceholderWithDefault = define(
    "PlaceholderWithDefault", "input: dtype -> output: dtype", attrs="dtype: type; shape: shape",
    infer=lambda c: c.attrs["shape"], kernel=lambda x: x, vjp=lambda call, g: [g], traits=(ALIASES, OPAQUE),
)  # fmt: skip


def _empty(shape: Any, *, dtype: Any) -> Any:
    if np.ndim(shape) != 1:
        raise bad(f"shape must be a vector of int32, got shape {text_of(np.shape(shape))}")
    found: Any = np.zeros(ints(shape), dtype.as_numpy_dtype)
    if dtype.name == "string":
        found[...] = b""
    return found


Empty = define(
    "Empty", "shape: int32 -> output: dtype", attrs="dtype: type; init: bool = False",
    infer=lambda c: c.shape_from(0), kernel=_empty, vjp=_NONE, traits=(STATEFUL, OPAQUE),
)  # fmt: skip


def _to_bool(x: Any) -> Any:
    if np.ndim(x):
        return np.bool_(np.size(x) > 0)
    return np.bool_(bool(x.item() if isinstance(x, np.ndarray) else x))


ToBool = define("ToBool", "input: T -> output: bool", infer=lambda c: (), kernel=_to_bool, vjp=_NONE)


def _bucket(x: Any, *, boundaries: Any) -> Any:
    edges = np.asarray(boundaries, np.float32)
    if (np.diff(edges) < 0).any():
        raise bad("Expected sorted boundaries")
    return np.searchsorted(edges.astype(np.float64), np.asarray(x, np.float64), "right").astype(np.int32)


Bucketize = define(
    "Bucketize", "input: T -> output: int32", attrs="T: type; boundaries: list(float)",
    allowed={"T": (int32, int64, float32, float64)}, infer=lambda c: c.dims(0), kernel=_bucket, vjp=_NONE,
)  # fmt: skip


def _tile_grad(g: Any, multiples: Any) -> Any:
    dims = [(int(m), n // int(m)) for n, m in zip(np.shape(g), multiples)]
    split = np.reshape(g, [d for pair in dims for d in pair])
    return split.sum(tuple(range(0, 2 * len(dims), 2)), dtype=g.dtype)


def _tile_grad_dims(c: Any) -> Dims:
    dims, times = c.dims(0), const_ints(c, 1)
    if dims is None or times is None:
        return None if dims is None else (None,) * len(dims)
    return tuple(None if n is None else n // m for n, m in zip(dims, times))


TileGrad = define(
    "TileGrad", "input: T, multiples: int32 -> output: T", allowed={"T": NUMERIC}, infer=_tile_grad_dims,
    kernel=_tile_grad, vjp=lambda call, g: [ops.tile(g, call.inputs[1]), None],
)  # fmt: skip


# --- layouts of images -----------------------------------------------------------------------------------------------
def _places(source: Any, target: Any) -> list[int]:
    one, two = (v.decode() if isinstance(v, bytes) else v for v in (source, target))
    if sorted(one) != sorted(two):
        raise bad(f"Destination format must be a permutation of the source: {one} and {two}")
    return [one.index(letter) for letter in two]


def _dim_map(x: Any, *, src_format: Any, dst_format: Any) -> Any:
    order = _places(dst_format, src_format)  # where each dimension of the source went
    if (np.asarray(x) < -len(order)).any() or (np.asarray(x) >= len(order)).any():
        raise bad(f"dimensions must be in [{-len(order)}, {len(order)})")
    return np.asarray(order, np.asarray(x).dtype)[np.asarray(x) % len(order)]


def _permuted(x: Any, *, src_format: Any, dst_format: Any) -> Any:
    order = _places(src_format, dst_format)
    rows = np.shape(x)[0] if np.ndim(x) in (1, 2) else -1
    if rows == len(order) - 2:  # the sizes of height and width alone
        one = src_format.decode() if isinstance(src_format, bytes) else src_format
        spatial = [i for i, letter in enumerate(one) if letter not in "NC"]
        order = [spatial.index(i) for i in order if i in spatial]
    if rows != len(order) or (np.ndim(x) == 2 and np.shape(x)[1] != 2):
        raise bad(
            f"x must be a vector of size {len(order)} or a matrix of so many rows of 2, got {text_of(np.shape(x))}"
        )
    return x[order]


_FORMATS = "T: type = int32; src_format: string = 'NHWC'; dst_format: string = 'NCHW'"
DataFormatDimMap = define(
    "DataFormatDimMap", "x: T -> y: T", attrs=_FORMATS, allowed={"T": INDEX}, infer=lambda c: c.dims(0),
    kernel=_dim_map, vjp=_NONE,
)  # fmt: skip
DataFormatVecPermute = define(
    "DataFormatVecPermute", "x: T -> y: T", attrs=_FORMATS, allowed={"T": INDEX}, infer=lambda c: c.dims(0),
    kernel=_permuted, vjp=_NONE,
)  # fmt: skip


# --- segments of a number that is given ------------------------------------------------------------------------------
def _segments(name: str, allowed: Any) -> None:
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
        vjp=_as(f"UnsortedSegment{name}", lambda x, a: (x, {})),
    )  # fmt: skip


for _name, _allowed in (("Sum", NUMERIC), ("Prod", NUMERIC), ("Max", REAL), ("Min", REAL)):
    _segments(_name, _allowed)


# --- matrices --------------------------------------------------------------------------------------------------------
def _plain_diag_dims(c: Any) -> Dims:
    dims = c.dims(0)
    if dims is not None and not dims:
        raise ShapeError("Shape must be at least rank 1 but is rank 0")
    return None if dims is None else (*dims, dims[-1])


def _plain_diag(x: Any) -> Any:
    fill = np.zeros((), x.dtype)[()]
    return ops.MatrixDiagV3.kernel(x, np.int32(0), np.int32(-1), np.int32(-1), fill, align="RIGHT_LEFT")


def _plain_part_dims(c: Any) -> Dims:
    dims = c.dims(0)
    if dims is None:
        return None
    if len(dims) < 2:
        raise ShapeError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    low = None if None in dims[-2:] else min(d for d in dims[-2:] if d is not None)
    return (*dims[:-2], low)


def _plain_part(x: Any) -> Any:
    return ops.MatrixDiagPartV3.kernel(x, np.int32(0), np.zeros((), x.dtype)[()], align="RIGHT_LEFT")


def _plain_set(x: Any, diagonal: Any) -> Any:
    return ops.MatrixSetDiagV3.kernel(x, diagonal, np.int32(0), align="RIGHT_LEFT")


def _plain_set_dims(c: Any) -> Dims:
    merge(_plain_part_dims(c), c.dims(1))
    return c.dims(0)


MatrixDiag = define(
    "MatrixDiag", "diagonal: T -> output: T", infer=_plain_diag_dims, kernel=_plain_diag,
    vjp=lambda call, g: [ops.MatrixDiagPart(g)],
)  # fmt: skip
MatrixDiagPart = define(
    "MatrixDiagPart", "input: T -> diagonal: T", infer=_plain_part_dims, kernel=_plain_part,
    vjp=lambda call, g: [ops.MatrixSetDiag(ops.zeros_like(call.inputs[0]), g)],
)  # fmt: skip
MatrixSetDiag = define(
    "MatrixSetDiag", "input: T, diagonal: T -> output: T", infer=_plain_set_dims, kernel=_plain_set,
    vjp=lambda call, g: [ops.MatrixSetDiag(g, ops.zeros_like(call.inputs[1])), ops.MatrixDiagPart(g)],
)  # fmt: skip

# diagonals that are too short begin at the left
_LEFT = {"align": "LEFT_LEFT"}


class _Aligned:
    """What a shape rule asks of, with the alignment that was the only one."""

    def __init__(self, c: Any) -> None:
        self._c = c
        self.attrs = {**c.attrs, **_LEFT}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._c, name)


MatrixDiagV2 = define(
    "MatrixDiagV2", "diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T -> output: T",
    infer=lambda c: ops.MatrixDiagV3.infer(_Aligned(c)),
    kernel=lambda x, k, rows, columns, fill: ops.MatrixDiagV3.kernel(x, k, rows, columns, fill, align="LEFT_LEFT"),
    vjp=_as("MatrixDiagV3", lambda x, a: (x, _LEFT)),
)  # fmt: skip
MatrixDiagPartV2 = define(
    "MatrixDiagPartV2", "input: T, k: int32, padding_value: T -> diagonal: T",
    infer=lambda c: ops.MatrixDiagPartV3.infer(_Aligned(c)),
    kernel=lambda x, k, fill: ops.MatrixDiagPartV3.kernel(x, k, fill, align="LEFT_LEFT"),
    vjp=_as("MatrixDiagPartV3", lambda x, a: (x, _LEFT)),
)  # fmt: skip
MatrixSetDiagV2 = define(
    "MatrixSetDiagV2", "input: T, diagonal: T, k: int32 -> output: T", infer=lambda c: c.dims(0),
    kernel=lambda x, d, k: ops.MatrixSetDiagV3.kernel(x, d, k, align="LEFT_LEFT"),
    vjp=_as("MatrixSetDiagV3", lambda x, a: (x, _LEFT)),
)  # fmt: skip


def _batch_product_dims(c: Any) -> Dims:
    return ops.BatchMatMulV2.infer(c)


def _equal_product_dims(c: Any) -> Dims:
    a, b = c.dims(0), c.dims(1)
    if a is not None and b is not None:
        merge(a[:-2], b[:-2])
    return _batch_product_dims(c)


_ADJ = "adj_x: bool = False; adj_y: bool = False; grad_x: bool = False; grad_y: bool = False"
BatchMatMul = define(
    "BatchMatMul", "x: T, y: T -> output: T", attrs="T: type; " + _ADJ,
    allowed={"T": (*FLOATING, int32, int64, *COMPLEX)}, infer=_equal_product_dims,
    kernel=lambda x, y, *, adj_x, adj_y: _equal_batches(x, y, adj_x, adj_y),
    vjp=_as("BatchMatMulV2", lambda x, a: (x, a)),
)  # fmt: skip


def _equal_batches(x: Any, y: Any, adj_x: bool, adj_y: bool) -> Any:
    if np.shape(x)[:-2] != np.shape(y)[:-2]:
        raise bad(f"In[0] and In[1] must have compatible batch dimensions: {text_of(x.shape)} vs. {text_of(y.shape)}")
    return ops.BatchMatMulV2.kernel(x, y, adj_x=adj_x, adj_y=adj_y)


_WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_PRODUCTS = (*FLOATING, *COMPLEX, *(as_dtype(n) for n in _WHOLE))
BatchMatMulV3 = define(
    "BatchMatMulV3", "x: Ta, y: Tb -> output: Tout", attrs="Ta: type; Tb: type; Tout: type; " + _ADJ,
    allowed={"Ta": _PRODUCTS, "Tb": _PRODUCTS, "Tout": _PRODUCTS}, infer=_batch_product_dims,
    kernel=lambda x, y, *, Tout, adj_x, adj_y: ops.BatchMatMulV2.kernel(
        x.astype(Tout.as_numpy_dtype), y.astype(Tout.as_numpy_dtype), adj_x=adj_x, adj_y=adj_y
    ),
    vjp=lambda call, g: [
        ops.cast(v, x.dtype)
        for v, x in zip(
            ops.BatchMatMulV2.vjp(
                SimpleNamespace(inputs=[ops.cast(x, g.dtype) for x in call.inputs], attrs=call.attrs, outputs=[]), g
            ),
            call.inputs,
        )
    ],
)  # fmt: skip


def _least_squares(matrix: Any, rhs: Any, ridge: Any, *, fast: bool) -> Any:
    if np.ndim(matrix) < 2 or np.ndim(rhs) != np.ndim(matrix) or matrix.shape[:-1] != rhs.shape[:-1]:
        raise bad(f"Input matrix and rhs must have the same number of rows, got {text_of(np.shape(matrix))} and "
                  f"{text_of(np.shape(rhs))}")  # fmt: skip
    turned = np.conj(np.swapaxes(matrix, -1, -2))
    wide = np.result_type(matrix.dtype, np.float64)
    a, t, b = (v.astype(wide) for v in (matrix, turned, rhs))
    m, n = matrix.shape[-2:]
    if not fast:
        found = np.linalg.pinv(a) @ b
    elif m >= n and float(ridge):
        found = np.linalg.solve(t @ a + float(ridge) * np.eye(n), t @ b)
    elif float(ridge):
        found = t @ np.linalg.solve(a @ t + float(ridge) * np.eye(m), b)
    else:
        found = np.linalg.pinv(a) @ b
    return found.astype(matrix.dtype)


def _least_squares_dims(c: Any) -> Dims:
    a, b = c.dims(0), c.dims(1)
    if a is None or b is None:
        return None
    if len(a) < 2 or len(b) < 2:
        raise ShapeError("Shape must be at least rank 2")
    return (*(merge(a[:-2], b[:-2]) or ()), a[-1], b[-1])


MatrixSolveLs = define(
    "MatrixSolveLs", "matrix: T, rhs: T, l2_regularizer: float64 -> output: T", attrs="T: type; fast: bool = True",
    allowed={"T": (float64, float32, float16, *COMPLEX)}, infer=_least_squares_dims, kernel=_least_squares,
)  # fmt: skip


# --- images ----------------------------------------------------------------------------------------------------------
def _blocks_dims(c: Any) -> Dims:
    dims, pads, size = c.dims(0), const_ints(c, 1), c.attrs["block_size"]
    if dims is None or pads is None:
        return None if dims is None else (None if dims[0] is None else dims[0] * size * size, None, None, dims[-1])
    whole = [None if d is None else d + pads[2 * i] + pads[2 * i + 1] for i, d in enumerate(dims[1:3])]
    if any(d is not None and d % size for d in whole):
        raise ShapeError(f"Dimension size must be evenly divisible by {size} but is {whole}")
    height, width = (None if d is None else d // size for d in whole)
    return (None if dims[0] is None else dims[0] * size * size, height, width, dims[3])


def _unblocked_dims(c: Any) -> Dims:
    dims, crops, size = c.dims(0), const_ints(c, 1), c.attrs["block_size"]
    if dims is None:
        return None
    lead = None if dims[0] is None else dims[0] // (size * size)
    if crops is None:
        return (lead, None, None, dims[3])
    height, width = (None if d is None else d * size - crops[2 * i] - crops[2 * i + 1] for i, d in enumerate(dims[1:3]))
    return (lead, height, width, dims[3])


def _square(attrs: Any) -> Any:
    return _i32([attrs["block_size"]] * 2)


SpaceToBatch = define(
    "SpaceToBatch", "input: T, paddings: Tpaddings -> output: T",
    attrs="T: type; Tpaddings: type = int32; block_size: int >= 2", allowed={"Tpaddings": INDEX}, infer=_blocks_dims,
    kernel=lambda x, pads, *, block_size: ops.SpaceToBatchND.kernel(x, np.array([block_size] * 2, np.int32), pads),
    vjp=lambda call, g: [ops.BatchToSpaceND(g, _square(call.attrs), call.inputs[1]), None],
)  # fmt: skip
BatchToSpace = define(
    "BatchToSpace", "input: T, crops: Tidx -> output: T", attrs="T: type; block_size: int >= 2; Tidx: type = int32",
    allowed={"Tidx": INDEX}, infer=_unblocked_dims,
    kernel=lambda x, crops, *, block_size: ops.BatchToSpaceND.kernel(x, np.array([block_size] * 2, np.int32), crops),
    vjp=lambda call, g: [ops.SpaceToBatchND(g, _square(call.attrs), call.inputs[1]), None],
)  # fmt: skip
NonMaxSuppression = define(
    "NonMaxSuppression", "boxes: float32, scores: float32, max_output_size: int32 -> selected_indices: int32",
    attrs="iou_threshold: float = 0.5", infer=lambda c: (None,), vjp=_NONE,
    kernel=lambda boxes, scores, most, *, iou_threshold: ops.NonMaxSuppressionV3.kernel(
        boxes, scores, most, np.float32(iou_threshold), np.float32(-np.inf)
    ),
)  # fmt: skip
NonMaxSuppressionV2 = define(
    "NonMaxSuppressionV2",
    "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold -> selected_indices: int32",
    attrs="T: type = float32; T_threshold: type = float32",
    allowed={"T": (float16, float32), "T_threshold": (float16, float32)}, infer=lambda c: (None,), vjp=_NONE,
    kernel=lambda boxes, scores, most, limit: ops.NonMaxSuppressionV3.kernel(
        boxes, scores, most, limit, np.float32(-np.inf)
    ),
)  # fmt: skip
_COLORS = np.array(
    [[1, 1, 0, 1], [0, 0, 1, 1], [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 0.5, 1], [0.5, 0.5, 0, 1], [0.5, 0, 0, 1],
     [0, 1, 1, 1], [0, 0, 1, 1], [1, 0, 1, 1]], np.float32,
)  # fmt: skip
DrawBoundingBoxes = define(
    "DrawBoundingBoxes", "images: T, boxes: float32 -> output: T", attrs="T: type = float32",
    allowed={"T": (float32, float16)}, infer=lambda c: c.dims(0), vjp=None,
    kernel=lambda images, boxes: ops.DrawBoundingBoxesV2.kernel(
        images, boxes, _COLORS if np.shape(images)[-1] > 1 else np.ones((1, 1), np.float32)
    ),
)  # fmt: skip


# --- names of files, words -------------------------------------------------------------------------------------------
def _filename(base: Any, shard: Any, count: Any) -> Any:
    return np.array(np.asarray(base, object).item() + f"-{int(shard):05d}-of-{int(count):05d}".encode(), object)


ShardedFilename = define(
    "ShardedFilename", "basename: string, shard: int32, num_shards: int32 -> filename: string", infer=lambda c: (),
    kernel=_filename, vjp=_NONE,
)  # fmt: skip
ShardedFilespec = define(
    "ShardedFilespec", "basename: string, num_shards: int32 -> filename: string", infer=lambda c: (), vjp=_NONE,
    kernel=lambda base, n: np.array(np.asarray(base, object).item() + f"-?????-of-{int(n):05d}".encode(), object),
)  # fmt: skip


def _words(texts: Any, delimiter: Any, *, skip_empty: bool) -> Any:
    marks = np.asarray(delimiter, object).item()
    rows = []
    for text in np.asarray(texts, object).tolist():
        parts = [bytes([b]) for b in text] if not marks else _cut(text, marks)
        rows.append([p for p in parts if p or not skip_empty] if text else [])
    places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    values: Any = np.empty(len(places), object)
    values[:] = [w for row in rows for w in row]
    shape = np.array([len(rows), max((len(r) for r in rows), default=0)], np.int64)
    return np.array(places, np.int64).reshape(-1, 2), values, shape


def _cut(text: bytes, marks: bytes) -> list[bytes]:
    """Text divided at each byte of `marks`."""
    parts, start = [], 0
    for i, byte in enumerate(text):
        if byte in marks:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]


def _words_dims(c: Any) -> list[Dims]:
    require_rank(c, 0, 1)
    require_rank(c, 1, 0)
    return [(None, 2), (None,), (2,)]


StringSplit = define(
    "StringSplit", "input: string, delimiter: string -> indices: int64, values: string, shape: int64",
    attrs="skip_empty: bool = True", infer=_words_dims, kernel=_words, vjp=_NONE,
)  # fmt: skip


def _near(points: Any, centers: Any, k: Any) -> Any:
    if np.ndim(points) != 2 or np.ndim(centers) != 2 or points.shape[1] != centers.shape[1]:
        raise bad(
            f"Points and centers must be matrices of one width: {text_of(points.shape)} and {text_of(centers.shape)}"
        )
    distances = ((points[:, None, :] - centers[None]) ** 2).sum(-1)
    order = np.argsort(distances, -1, kind="stable")[:, : min(int(k), len(centers))]
    return order.astype(np.int64), np.take_along_axis(distances, order, -1).astype(np.float32)


NearestNeighbors = define(
    "NearestNeighbors",
    "points: float32, centers: float32, k: int64 -> nearest_center_indices: int64, nearest_center_distances: float32",
    infer=lambda c: [(None, None), (None, None)], kernel=_near, vjp=_NONE,
)  # fmt: skip


def _bias_dims(c: Any) -> Dims:
    require_rank(c, 1, 1)
    dims, bias = c.dims(0), c.dims(1)
    return None if dims is None else (*dims[:-1], *(merge(dims[-1:], bias) or (None,)))


BiasAddV1 = define(
    "BiasAddV1", "value: T, bias: T -> output: T", allowed={"T": NUMERIC}, infer=_bias_dims,
    kernel=lambda x, bias: ops.BiasAdd.kernel(x, bias, data_format="NHWC"),
    vjp=_as("BiasAdd", lambda x, a: (x, {"data_format": "NHWC"})),
)  # fmt: skip
