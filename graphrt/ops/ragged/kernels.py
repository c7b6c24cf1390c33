"""The ops on values and splits that ragged tensors are made of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt.ir.graph import InferContext
from graphrt.ir.op import define
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import ones as ones_
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.gather_scatter import GatherV2, gather_nd
from graphrt.ops.array.repetition import repeat
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import reshape
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Less
from graphrt.ops.math.reduction import reduce_all, reduce_sum
from graphrt.ops.math.segments import UnsortedSegmentSum
from graphrt.ops.support.kernel_helpers import bad, ints, text_of
from graphrt.types.dtype import INDEX, DType, bfloat16, float16, float32, float64, int32, int64
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, is_static

if TYPE_CHECKING:
    from graphrt.ir.graph import InferContext


def lengths_to_splits(lengths: Array, numpy_type: np.dtype[Any] | type) -> Array:
    """Row splits of rows of these lengths."""
    out = np.zeros(len(lengths) + 1, numpy_type)
    np.cumsum(lengths, out=out[1:])
    return out


def spans(starts: Array, lengths: Array) -> Array:
    """The numbers `start, start + 1, ...`, as many as `length` says, for each row, one row after the other."""
    total = int(lengths.sum())
    if not total:
        return np.zeros(0, np.int64)
    ends = np.cumsum(lengths)
    return np.arange(total) - np.repeat(ends - lengths, lengths) + np.repeat(starts, lengths)


# --- ranges ----------------------------------------------------------------------------------------------------------
def _range_kernel(starts: Array, limits: Array, deltas: Array, *, Tsplits: DType) -> tuple[Array, Array]:
    sizes = {np.shape(v)[0] for v in (starts, limits, deltas) if np.ndim(v)}
    if any(np.ndim(v) > 1 for v in (starts, limits, deltas)):
        raise bad("starts, limits and deltas must be scalars or vectors")
    if len(sizes) > 1:
        raise bad("starts, limits, and deltas must have the same shape")
    count = sizes.pop() if sizes else 1
    a, b, d = (np.broadcast_to(v, (count,)) for v in (starts, limits, deltas))
    if (d == 0).any():
        raise bad("Requires delta != 0")
    dtype = np.asarray(starts).dtype
    if dtype.kind not in "iu":
        if any(np.isnan(np.asarray(v, np.float64)).any() for v in (a, b, d)):
            raise bad("starts, limits and deltas must not be NaN")
        with np.errstate(all="ignore"):
            counts = np.ceil(np.abs(((b - a) / d).astype(np.float64)))  # in the arithmetic of the dtype, as `tf.range`
    else:
        counts = -(-(b.astype(np.int64) - a) // d)
    counts = np.where(np.sign(b - a) == np.sign(d), counts, 0).astype(np.int64)
    steps = spans(np.zeros(count, np.int64), counts)
    values = np.repeat(a, counts) + (steps * np.repeat(d, counts)).astype(dtype)
    return lengths_to_splits(counts, Tsplits.as_numpy_dtype), values.astype(dtype)


def _range_dims(c: InferContext) -> list[Dims]:
    for i in range(3):
        dims = c.dims(i)
        if dims and dims[0] is not None:
            return [(dims[0] + 1,), (None,)]
    return [(2,) if all(c.dims(i) == () for i in range(3)) else (None,), (None,)]


RaggedRange = define(
    "RaggedRange", "starts: T[0..1], limits: T[0..1], deltas: T[0..1] -> rt_nested_splits: Tsplits, rt_dense_values: T",
    attrs="T: type = int32; Tsplits: type = int64",
    allowed={"T": (bfloat16, float16, float32, float64, int32, int64), "Tsplits": INDEX},
    infer=_range_dims, kernel=_range_kernel, vjp=lambda call, *g: [None] * 3,
)  # fmt: skip


# --- rows chosen by number -------------------------------------------------------------------------------------------
def _gather_plan(nested: list[Any], indices: Array) -> tuple[list[Any], Any]:
    """The splits of rows `indices` of a ragged tensor, and the numbers of the flat values they are made of."""
    chosen = np.ravel(indices).astype(np.int64)
    count = len(nested[0]) - 1
    wrong = np.flatnonzero((chosen < 0) | (chosen >= count))
    if len(wrong):
        at = "" if np.ndim(indices) == 0 else "[" + ",".join(
            str(int(i)) for i in np.unravel_index(wrong[0], np.shape(indices))) + "]"  # fmt: skip
        raise bad(f"indices{at} = {chosen[wrong[0]]} is not in [0, {count})")
    found = []
    for splits in nested:
        starts = splits[:-1][chosen]
        lengths = splits[1:][chosen] - starts
        found.append(lengths_to_splits(lengths, splits.dtype))
        chosen = spans(starts, lengths)
    return found, chosen


def _gather_kernel(nested: list[Any], values: Any, indices: Array, *, OUTPUT_RAGGED_RANK: int) -> list[Array]:
    found, chosen = _gather_plan(nested, indices)
    outer = []
    for axis in range(np.ndim(indices) - 1):
        rows = int(np.prod(np.shape(indices)[: axis + 1]))
        outer.append((np.arange(rows + 1) * np.shape(indices)[axis + 1]).astype(nested[0].dtype))
    return [*outer, *found, values[chosen]]


def _gather_dims(c: InferContext) -> list[Dims]:
    rank, count = c.attrs["PARAMS_RAGGED_RANK"], c.attrs["OUTPUT_RAGGED_RANK"]
    values, indices = c.dims(rank), c.dims(rank + 1)
    first = indices[0] + 1 if indices and indices[0] is not None else None
    return [*[(first if i == 0 else None,) for i in range(count)], None if values is None else (None, *values[1:])]


def _gather_vjp(call: Any, *grads: object) -> list[Any]:
    rank = call.attrs["PARAMS_RAGGED_RANK"]
    nested, values, indices = call.inputs[:rank], call.inputs[rank], call.inputs[rank + 1]
    if grads[-1] is None:
        return [None] * len(call.inputs)
    chosen = reshape(cast(indices, int64), [-1])
    for splits in nested:
        wide = cast(splits, int64)
        starts, limits = GatherV2(wide[:-1], chosen, 0), GatherV2(wide[1:], chosen, 0)
        chosen = RaggedRange(starts, limits, np.int64(1))[1]
    back = UnsortedSegmentSum(grads[-1], chosen, shape_(values)[0])
    return [*[None] * rank, back, None]


RaggedGather = define(
    "RaggedGather",
    "params_nested_splits: PARAMS_RAGGED_RANK * Tsplits[1], params_dense_values: Tvalues[1+], indices: Tindices "
    "-> output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits, output_dense_values: Tvalues",
    attrs="Tvalues: type; Tindices: type; Tsplits: type = int64; PARAMS_RAGGED_RANK: int >= 1; "
    "OUTPUT_RAGGED_RANK: int >= 0",
    allowed={"Tindices": INDEX, "Tsplits": INDEX}, infer=_gather_dims, kernel=_gather_kernel, vjp=_gather_vjp,
)  # fmt: skip


# --- from splits to coordinates --------------------------------------------------------------------------------------
def coordinates(nested: list[Any]) -> list[Any]:
    """For each ragged dimension where the flat values stand in it, the outermost first."""
    places: list[Any] = [np.arange(len(nested[0]) - 1)]
    for splits in nested:
        lengths = np.diff(splits).astype(np.int64)
        places = [np.repeat(p, lengths) for p in places]
        places.append(spans(np.zeros(len(lengths), np.int64), lengths))
    return places


def _bounds(nested: list[Any]) -> list[int]:
    return [len(nested[0]) - 1, *(int(np.diff(s).max(initial=0)) for s in nested)]


def _to_tensor_kernel(
    shape: Array, values: Array, default: Array, nested: list[Any], *, row_partition_types: list[str]
) -> Array:
    kinds = list(row_partition_types)
    if kinds[0] == "FIRST_DIM_SIZE" or "VALUE_ROWIDS" in kinds:
        nested = _splits_of(kinds, nested, values)
    wanted = [-1] * 99 if np.ndim(shape) == 0 else ints(shape)
    dims = [*_bounds(nested), *values.shape[1:]]
    if np.ndim(shape) and len(wanted) != len(dims):
        raise bad(f"rt_input.shape and shape have different ranks: {len(dims)} and {len(wanted)}")
    full = [d if w < 0 else w for d, w in zip(dims, wanted)]
    inner = len(nested) + 1
    if full[inner:] != dims[inner:]:
        raise bad(f"the inner dimensions of the values, {dims[inner:]}, are not those of the shape, {full[inner:]}")
    places = coordinates(nested)
    kept = np.ones(len(places[0]), bool)
    for place, size in zip(places, full):
        kept &= place < size
    out = np.empty(full, values.dtype)
    out[...] = default.item() if isinstance(default, np.ndarray) and default.ndim == 0 else default
    out[tuple(p[kept] for p in places)] = values[kept]
    return out


def _splits_of(kinds: list[str], partitions: list[Any], values: Any) -> list[Any]:
    """Row splits from partitions given as a number of rows and the rows of the values."""
    if kinds[0] == "ROW_SPLITS":
        return partitions
    rows, found = int(partitions[0]), []
    for ids in partitions[1:]:
        found.append(lengths_to_splits(np.bincount(ids, minlength=rows), np.int64))
        rows = len(ids)
    return found


def _to_tensor_dims(c: InferContext) -> Dims:
    values = c.dims(1)
    wanted = c.shape_from(0) if c.dims(0) != () else None
    splits = c.dims(3)
    known = c.attrs["row_partition_types"]
    rank = c.attrs["num_row_partition_tensors"] + (1 if str(known[0]).find("SPLITS") >= 0 else 0)
    if values is None:
        return wanted
    first = splits[0] - 1 if splits and splits[0] is not None and rank > c.attrs["num_row_partition_tensors"] else None
    dims = [first, *[None] * (rank - 1), *values[1:]]
    if wanted is not None and len(wanted) == len(dims):
        dims = [w if w is not None else d for w, d in zip(wanted, dims)]
    return tuple(dims)


def _to_tensor_vjp(call: Any, g: Any) -> list[Any]:
    default, nested = call.inputs[2], call.inputs[3:]
    rows = cast(nested[0], int64)
    indices = [range_(shape_(nested[0], out_type=int64)[0] - 1)]
    for splits in nested:
        rows = cast(splits, int64)
        lengths = rows[1:] - rows[:-1]
        within = RaggedRange(np.int64(0), lengths, np.int64(1))[1]
        indices = [repeat(i, lengths) for i in indices] + [within]
    at = stack(indices, axis=1)
    shape = shape_(g, out_type=int64)[: len(indices)]
    inside = reduce_all(Less(at, shape), axis=1)
    safe = where(inside[:, None], at, zeros_like(at))
    found = gather_nd(g, safe)
    lead = shape_(found)[:1]
    ones = ones_(concat([lead, ones_like(shape_(found)[1:])], 0), dtype=g.dtype)
    mask = reshape(cast(inside, g.dtype), shape_(ones))
    taken = found * mask
    rest = reduce_sum(g) - reduce_sum(taken)
    return [None, taken, rest if default.dims == () else zeros_like(default), *[None] * len(nested)]


RaggedTensorToTensor = define(
    "RaggedTensorToTensor",
    "shape: Tshape, values: T, default_value: T, row_partition_tensors: num_row_partition_tensors * Tindex "
    "-> result: T",
    attrs="T: type; Tindex: type; Tshape: type; num_row_partition_tensors: int >= 1; row_partition_types: list(string)",
    allowed={"Tindex": INDEX, "Tshape": INDEX}, infer=_to_tensor_dims, kernel=_to_tensor_kernel, vjp=_to_tensor_vjp,
)  # fmt: skip


def _to_sparse_kernel(nested: list[Any], values: Array) -> tuple[Array, Array, Array]:
    for splits, count in zip(nested, [*(len(s) - 1 for s in nested[1:]), len(values)]):
        if not len(splits) or splits[0] != 0 or splits[-1] != count or (np.diff(splits) < 0).any():
            raise bad(f"row splits must begin with 0, not fall, and end with {count}: found {text_of(splits)}")
    places = coordinates(nested)
    inner = values.shape[1:]
    dims = np.array([*_bounds(nested), *inner], np.int64)
    if inner:
        size = int(np.prod(inner))
        rest = np.stack([a.reshape(-1) for a in np.indices(inner)], 0)
        places = [np.repeat(p, size) for p in places] + [np.tile(r, len(values)) for r in rest]
    rows = np.stack(places, 1).astype(np.int64) if places else np.zeros((0, 1), np.int64)
    return rows, values.reshape(-1), dims


def _to_sparse_dims(c: InferContext) -> list[Dims]:
    values = c.dims(c.attrs["RAGGED_RANK"])
    if values is None:
        return [(None, None), (None,), (None,)]
    rank = c.attrs["RAGGED_RANK"] + len(values)
    count = math.prod(d for d in values if d is not None) if is_static(values) else None
    return [(count, rank), (count,), (rank,)]


RaggedTensorToSparse = define(
    "RaggedTensorToSparse",
    "rt_nested_splits: RAGGED_RANK * Tsplits[1], rt_dense_values: T[1+] "
    "-> sparse_indices: int64, sparse_values: T, sparse_dense_shape: int64",
    attrs="RAGGED_RANK: int >= 1; T: type; Tsplits: type = int64", allowed={"Tsplits": INDEX}, infer=_to_sparse_dims,
    kernel=_to_sparse_kernel,
    vjp=lambda call, i, v, s: [*[None] * call.attrs["RAGGED_RANK"], reshape(v, shape_(call.inputs[-1]))],
)  # fmt: skip
