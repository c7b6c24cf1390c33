"""Rows of ragged tensors that ops choose: gather, reverse, split, unstack, where."""

from __future__ import annotations

import builtins
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import ops  # late: what it calls stands in rooms above
from graphrt.ops.array.concat_split import Split, SplitV, Unpack
from graphrt.ops.array.concat_split import concat as concat_
from graphrt.ops.array.creation import ones
from graphrt.ops.array.dynamic_partition import DynamicPartition
from graphrt.ops.array.gather_scatter import GatherNd, GatherV2
from graphrt.ops.array.padding import ReverseV2
from graphrt.ops.array.repetition import tile
from graphrt.ops.array.selection import Where
from graphrt.ops.array.shape import expand_dims as expand_dims_
from graphrt.ops.array.shape import reshape
from graphrt.ops.array.slicing import boolean_mask
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import GreaterEqual, Less
from graphrt.ops.math.logical import LogicalAnd
from graphrt.ops.math.reduction import reduce_all
from graphrt.ops.ragged.kernels import RaggedTensorToSparse
from graphrt.ops.ragged.rules import known_axes, known_axis, rule
from graphrt.ops.ragged.slicing import gather_rows
from graphrt.ops.ragged.tensor import (
    RaggedTensor,
    require,
)
from graphrt.ops.support.shape_rules import as_tensor, known
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import int64
from graphrt.types.likes import TensorLike

if TYPE_CHECKING:
    pass


# --- rows chosen -----------------------------------------------------------------------------------------------------
def gather(params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    """Slices of `params` along `axis`; both may be ragged."""
    if batch_dims < 0:
        batch_dims += len(indices.dims)
    if isinstance(indices, RaggedTensor) and batch_dims == 0 and axis == 0:
        return indices.with_values(gather(params, indices.values, 0, 0))
    if axis == 0 or not isinstance(params, (RaggedTensor, Tensor)):
        return gather_rows(params, indices)
    if batch_dims == 0:
        if not isinstance(params, RaggedTensor):
            return GatherV2(params, indices, np.int32(axis))
        if axis > 1:
            return params.with_values(gather(params.values, indices, axis - 1, 0))
        rows = params.nrows(int64)
        wide = tile(expand_dims_(indices, 0), concat_([rows[None], ones([indices.ndim], dtype=int64)], 0))
        return gather(params, wide, 1, 1)
    if not isinstance(params, RaggedTensor):
        params = RaggedTensor.from_tensor(params)
    if batch_dims == 1 and axis == 1:
        return _gather_in_rows(params, indices)
    if not isinstance(indices, RaggedTensor):
        indices = RaggedTensor.from_tensor(indices)
    return indices.with_values(gather(params.values, indices.values, axis - 1, batch_dims - 1))


def _gather_in_rows(params: RaggedTensor, indices: TensorLike) -> RaggedTensor | Tensor:
    dtype = params.row_splits.dtype
    starts, lengths = params.row_splits[:-1], params.row_lengths()
    if isinstance(indices, RaggedTensor):
        inner = cast(indices.values, dtype)
        ids = indices.value_rowids()
        begin, size = GatherV2(starts, ids, np.int32(0)), GatherV2(lengths, ids, np.int32(0))
        rank = len(inner.shape)
        if isinstance(inner, RaggedTensor) or rank > 1:
            begin, size = (reshape(v, [-1, *[1] * (rank - 1)]) for v in (begin, size))
        _check_indices(inner, size)
        return indices.with_values(gather(params.values, inner + begin, 0, 0))
    inner = cast(indices, dtype)
    begin, size = (reshape(v, [-1, *[1] * (len(inner.shape) - 1)]) for v in (starts, lengths))
    _check_indices(inner, size)
    return gather_rows(params.values, inner + begin)


def _check_indices(inner: Tensor, size: Tensor) -> None:
    inside = LogicalAnd(GreaterEqual(inner, as_tensor(0, inner.dtype)), Less(inner, size))
    flat = inside.flat_values if isinstance(inside, RaggedTensor) else inside
    require(reduce_all(flat), errors.InvalidArgumentError, "an index is not in the range of its row")


@rule(GatherV2)
def _gather(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    params, indices = [v if isinstance(v, (RaggedTensor, Tensor)) else as_tensor(v) for v in args[:2]]
    return gather(params, indices, known_axis(args[2], params), attrs.get("batch_dims", 0))


@rule(GatherNd)
def _gather_nd(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    params, indices = args
    if isinstance(indices, RaggedTensor):
        if indices.flat_values.shape.rank == 1:
            raise ValueError(errors.at_user_line("The innermost dimension of indices may not be ragged"))
        return indices.with_flat_values(GatherNd(params, indices.flat_values))
    at: Any = as_tensor(indices)
    depth = at.dims[-1]
    while isinstance(params, RaggedTensor) and depth and depth > 1:
        splits = params.row_splits
        outer, inner = cast(at[..., 0], splits.dtype), cast(at[..., 1], splits.dtype)
        start, limit = GatherV2(splits, outer, np.int32(0)), GatherV2(splits, outer + 1, np.int32(0))
        _check_indices(inner, limit - start)
        rest = cast(at[..., 2:], splits.dtype)
        at = concat_([(start + inner)[..., None], rest], -1)
        params, depth = params.values, depth - 1
    if not isinstance(params, RaggedTensor):
        return GatherNd(params, at)
    return gather_rows(params, at[..., 0]) if depth == 1 else params


@rule(ops.ResourceGather)
def _resource_gather(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    return args[1].with_flat_values(apply(args[0], args[1].flat_values))


@rule(DynamicPartition)
def _dynamic_partition(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> list[Any]:
    count = attrs["num_partitions"]
    parts = ops.stack_dynamic_partitions(args[0], args[1], count)
    return [parts[i] for i in builtins.range(count)]


@rule(ReverseV2)
def _reverse(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    x = args[0]
    for axis in known_axes(args[1], x):
        x = x[(*[builtins.slice(None)] * axis, builtins.slice(None, None, -1))]
    return x


@rule(SplitV)
def _split(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    x, sizes, axis = args
    if known_axis(axis, x) != 0:
        raise ValueError(errors.at_user_line("ragged tensors are split along dimension 0 only"))
    lengths = [int(v) for v in np.ravel(known(as_tensor(sizes), "the sizes"))]
    edges = np.cumsum([0, *lengths]).tolist()
    return [x[a:b] for a, b in itertools.pairwise(edges)]


@rule(Split)
def _split_evenly(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    axis, x = args
    count = attrs["num_split"]
    if known_axis(axis, x) != 0:
        raise ValueError(errors.at_user_line("ragged tensors are split along dimension 0 only"))
    rows = x.dims[0] if x.dims else None
    if count < 1:
        raise ValueError(errors.at_user_line(f"a tensor cannot be split into {count} parts"))
    if rows is not None and rows % count:
        raise errors.InvalidArgumentError(
            None, None, errors.at_user_line(f"Cannot exactly split the RaggedTensor of {rows} rows into {count} parts")
        )
    size = x.nrows(int64) // np.int64(count)
    return [x[size * np.int64(i) : size * np.int64(i + 1)] for i in builtins.range(count)]


@rule(Unpack)
def _unpack(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    return [args[0][i] for i in builtins.range(attrs["num"])]


@rule(Where)
def _where(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    x = args[0]
    indices, values, _ = RaggedTensorToSparse(list(x.nested_row_splits), x.flat_values)
    return boolean_mask(indices, cast(values, "bool"))
