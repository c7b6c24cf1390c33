"""Reductions over groups of rows: which row belongs to which group is said by a vector of ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define, provide
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import fill, ones_like, zeros_like
from graphrt.ops.array.creation import ones as ones_
from graphrt.ops.array.gather_scatter import GatherV2
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import Rank, Reshape, Shape, reshape
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.math.arithmetic import Maximum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, GreaterEqual
from graphrt.ops.math.division import DivNoNan, TruncateDiv
from graphrt.ops.math.elementwise import Sqrt
from graphrt.ops.math.logical import LogicalAnd
from graphrt.ops.support.kernel_helpers import finite_greatest, finite_least, greatest, least
from graphrt.ops.support.shape_rules import as_tensor, require_rank
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types import dtype as dtypes
from graphrt.types.accumulate import combine_at
from graphrt.types.dtype import INDEX, NUMERIC, REAL, DType
from graphrt.types.likes import Array
from graphrt.types.shape import Dims
from graphrt.types.structure import Dispatching

__all__ = [
    "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum", "unsorted_segment_max",
    "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n",
    "unsorted_segment_sum",
]  # fmt: skip


# --- kernels ---------------------------------------------------------------------------------------------------------
def _gathered(combine: np.ufunc, start: Array | int, rows: Array, ids: Array, count: int) -> Array:
    """`combine` over the rows of each id, into `count` rows that begin as `start`."""
    out = np.full((count, *rows.shape[1:]), start, rows.dtype)
    if ids.size:
        combine_at(combine, out, ids, rows)
    return out


def _check_sorted(data: Array, ids: Array) -> int:
    """How many segments `ids`, which must not decrease, makes."""
    if np.ndim(ids) != 1:
        raise errors.InvalidArgumentError(None, None, "segment_ids should be a vector.")
    if np.ndim(data) == 0 or data.shape[0] != ids.size:
        raise errors.InvalidArgumentError(
            None, None,
            f"segment_ids should be the same size as dimension 0 of input, {ids.size} vs. {np.shape(data)[:1]}",
        )  # fmt: skip
    if ids.size and (ids[0] < 0 or np.any(np.diff(ids) < 0)):
        raise errors.InvalidArgumentError(None, None, "segment ids are not increasing" if ids[0] >= 0 else
                                          "segment ids must be >= 0")  # fmt: skip
    return int(ids[-1]) + 1 if ids.size else 0


def _sorted_kernel(combine: np.ufunc, start: Callable[..., Any]) -> Callable[..., Any]:
    def kernel(data: Array, segment_ids: Array) -> Array:
        count = _check_sorted(data, segment_ids)
        out = _gathered(combine, start(data.dtype), data, segment_ids, count)
        present = np.bincount(segment_ids, minlength=count) > 0 if count else np.zeros(0, bool)
        out[~present] = 1 if combine is np.multiply else 0
        return out

    return kernel


def _summed(data: Array, ids: Array, count: int) -> tuple[Array, Array]:
    """The sum of the rows of each of `count` segments, a row that is alone in its own as it is, and how many each has."""
    total, sizes = _gathered(np.add, 0, data, ids, count), np.bincount(ids, minlength=count)
    if data.dtype.kind not in "iu":
        alone = sizes == 1  # 0 added to -0.0 would be 0
        total[alone] = data[alone[ids]]
    return total, sizes.reshape(-1, *[1] * (total.ndim - 1))


def _sorted_sum(data: Array, segment_ids: Array) -> Array:
    return _summed(data, segment_ids, _check_sorted(data, segment_ids))[0]


def _sorted_mean(data: Array, segment_ids: Array) -> Array:
    total, sizes = _summed(data, segment_ids, _check_sorted(data, segment_ids))
    sizes = np.maximum(sizes, 1)
    if data.dtype.kind in "iu":
        return TruncateDiv.compute(total, sizes.astype(data.dtype))
    return (total / sizes.astype(data.dtype)).astype(data.dtype)


def _unsorted_kernel(combine: np.ufunc, start: Callable[..., Any]) -> Callable[..., Any]:
    def kernel(data: Array, segment_ids: Array, num_segments: Array) -> Array:
        count, ids = int(num_segments), np.asarray(segment_ids)
        if count < 0:
            raise errors.InvalidArgumentError(None, None, f"num_segments must be >= 0, found {count}")
        if np.shape(data)[: ids.ndim] != ids.shape:
            raise errors.InvalidArgumentError(
                None, None,
                f"data.shape = {list(np.shape(data))} does not start with segment_ids.shape = {list(ids.shape)}",
            )  # fmt: skip
        rows = np.reshape(data, (ids.size, *np.shape(data)[ids.ndim :]))
        ids = ids.reshape(-1)
        if ids.size and ids.max() >= count:
            place = int(np.argmax(ids >= count))
            raise errors.InvalidArgumentError(
                None, None, f"segment_ids[{place}] = {ids[place]} is out of range [0, {count})"
            )
        kept = ids >= 0  # rows with a negative id belong to no segment
        return _gathered(combine, start(rows.dtype), rows[kept], ids[kept], count)

    return kernel


# --- declarations ----------------------------------------------------------------------------------------------------
def _sorted_dims(c: InferContext) -> Dims:
    dims = c.dims(0)
    ids = c.dims(1)
    if ids is not None and len(ids) != 1:
        raise ShapeError(f"Shape must be rank 1 but is rank {len(ids)}")
    if dims is None:
        return None
    if not dims:
        raise ShapeError("Shape must be at least rank 1 but is rank 0")
    known = c.const(1)
    return (None if known is None else int(known[-1]) + 1 if known.size else 0, *dims[1:])


def _unsorted_dims(c: InferContext) -> Dims:
    require_rank(c, 2, 0)
    dims, ids, count = c.dims(0), c.dims(1), c.const(2)
    if dims is None or ids is None:
        return None
    for m, n in zip(dims, ids):
        if m is not None and n is not None and m != n:
            raise ShapeError(f"Shapes must be equal rank and dims: data {list(dims)} must start with {list(ids)}")
    if len(ids) > len(dims):
        raise ShapeError(f"Shape must be at least rank {len(ids)} but is rank {len(dims)}")
    return (None if count is None else int(count), *dims[len(ids) :])


def _sorted(type_: str, kernel: Any, allowed: tuple[DType, ...], vjp: Callable[..., Any]) -> OpDef:
    return define(
        type_, "data: T, segment_ids: Tindices -> output: T", allowed={"T": allowed, "Tindices": INDEX},
        infer=_sorted_dims, kernel=kernel, vjp=vjp,
    )  # fmt: skip


def _unsorted(type_: str, kernel: Callable[..., Any], allowed: tuple[DType, ...], vjp: Callable[..., Any]) -> OpDef:
    return define(
        type_, "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T",
        attrs="Tnumsegments: type = int32",
        allowed={"T": allowed, "Tindices": (dtypes.int16, *INDEX), "Tnumsegments": INDEX},
        infer=_unsorted_dims, kernel=kernel, vjp=vjp,
    )  # fmt: skip


def _rows(values: Any, ids: Any) -> Tensor:
    """The row of `values` that each id names; zeros where the id is negative."""
    inside = GreaterEqual(ids, as_tensor(0, ids.dtype))
    found = GatherV2(values, Maximum(ids, as_tensor(0, ids.dtype)), 0)
    extra = Rank(found) - Rank(inside)
    shape = concat([Shape(inside), fill(reshape(extra, [1]), 1)], 0)
    return where(Reshape(inside, shape), found, zeros_like(found))


def _sum_vjp(c: Any, g: object) -> list[Any]:
    return [_rows(g, c.inputs[1]), *[None] * (len(c.inputs) - 1)]


def _mean_vjp(c: Any, g: object) -> list[Any]:
    data, ids = c.inputs
    ones = ones_like(data)
    sizes = SegmentSum(ones, ids)
    return [GatherV2(DivNoNan(g, sizes), ids, 0), None]


def _extremum_vjp(type_: str) -> Callable[..., Any]:
    def vjp(c: Any, g: object) -> list[Any]:
        data, ids = c.inputs[0], c.inputs[1]
        best = cast(Equal(data, _rows(c.outputs[0], ids)), data.dtype)
        rest = [None] * (len(c.inputs) - 1)
        if type_ == "sorted":
            ties = SegmentSum(best, ids)
        else:
            ties = UnsortedSegmentSum(best, ids, c.inputs[2])
        return [best * _rows(DivNoNan(g, ties), ids), *rest]

    return vjp


def _prod_vjp(c: Any, g: object) -> list[Any]:
    """The product of the others of the segment; a single zero of a segment takes that of the elements that are not."""
    data, ids = c.inputs[0], c.inputs[1]
    count = c.inputs[2] if len(c.inputs) == 3 else Shape(c.outputs[0])[0]
    zero = Equal(data, zeros_like(data))
    zeros = UnsortedSegmentSum(cast(zero, dtypes.int32), ids, count)
    product = UnsortedSegmentProd(where(zero, ones_like(data), data), ids, count)
    rest, how_many = _rows(product, ids), _rows(zeros, ids)
    alone = LogicalAnd(zero, Equal(how_many, as_tensor(1, how_many.dtype)))
    none = Equal(how_many, as_tensor(0, how_many.dtype))
    others = where(alone, rest, where(none, DivNoNan(rest, data), zeros_like(rest)))
    return [_rows(g, ids) * others, *[None] * (len(c.inputs) - 1)]


SegmentSum = _sorted("SegmentSum", _sorted_sum, NUMERIC, _sum_vjp)
SegmentProd = _sorted("SegmentProd", _sorted_kernel(np.multiply, lambda t: 1), NUMERIC, _prod_vjp)
SegmentMax = _sorted("SegmentMax", _sorted_kernel(np.maximum, least), REAL, _extremum_vjp("sorted"))
SegmentMin = _sorted("SegmentMin", _sorted_kernel(np.minimum, greatest), REAL, _extremum_vjp("sorted"))
SegmentMean = _sorted("SegmentMean", _sorted_mean, NUMERIC, _mean_vjp)
UnsortedSegmentSum = _unsorted("UnsortedSegmentSum", _unsorted_kernel(np.add, lambda t: 0), NUMERIC, _sum_vjp)
UnsortedSegmentProd = _unsorted("UnsortedSegmentProd", _unsorted_kernel(np.multiply, lambda t: 1), NUMERIC, _prod_vjp)
UnsortedSegmentMax = _unsorted(
    "UnsortedSegmentMax", _unsorted_kernel(np.maximum, finite_least), REAL, _extremum_vjp("unsorted")
)
UnsortedSegmentMin = _unsorted(
    "UnsortedSegmentMin", _unsorted_kernel(np.minimum, finite_greatest), REAL, _extremum_vjp("unsorted")
)


# --- public functions ------------------------------------------------------------------------------------------------
@provide
def segment_sum(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the rows of each segment; `segment_ids`, one a row, must not decrease.

    >>> import graphrt as tf
    >>> tf.math.segment_sum([1, 2, 3, 4], [0, 0, 1, 1]).numpy().tolist()
    [3, 7]

    Raises:
      InvalidArgumentError: the ids decrease, are negative, or are not one a row.
    """
    return SegmentSum(data, segment_ids, name=name)


@provide
def segment_prod(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The product of the rows of each segment; `segment_ids`, one a row, must not decrease.

    >>> import graphrt as tf
    >>> tf.math.segment_prod([1, 2, 3, 4], [0, 0, 1, 1]).numpy().tolist()
    [2, 12]
    """
    return SegmentProd(data, segment_ids, name=name)


@provide
def segment_max(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The greatest of the rows of each segment (0 where there is none); `segment_ids` must not decrease.

    >>> import graphrt as tf
    >>> tf.math.segment_max([1, 2, 3, 4], [0, 0, 1, 1]).numpy().tolist()
    [2, 4]
    """
    return SegmentMax(data, segment_ids, name=name)


@provide
def segment_min(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The least of the rows of each segment (0 where there is none); `segment_ids` must not decrease.

    >>> import graphrt as tf
    >>> tf.math.segment_min([1, 2, 3, 4], [0, 0, 1, 1]).numpy().tolist()
    [1, 3]
    """
    return SegmentMin(data, segment_ids, name=name)


@provide
def segment_mean(data: TensorLike, segment_ids: TensorLike, name: str | None = None) -> Tensor:
    """The mean of the rows of each segment (0 where there is none); `segment_ids` must not decrease.

    >>> import graphrt as tf
    >>> tf.math.segment_mean([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1]).numpy().tolist()
    [1.5, 3.5]
    """
    return SegmentMean(data, segment_ids, name=name)


@provide
def unsorted_segment_sum(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The sum of the rows of each of `num_segments` segments; rows with a negative id belong to none.

    >>> import graphrt as tf
    >>> tf.math.unsorted_segment_sum([1, 2, 3, 4], [1, 0, 1, -1], 3).numpy().tolist()
    [2, 4, 0]

    Raises:
      InvalidArgumentError: an id is not below `num_segments`.
    """
    return UnsortedSegmentSum(data, segment_ids, num_segments, name=name)


@provide
def unsorted_segment_prod(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The product of the rows of each of `num_segments` segments, 1 where there is none.

    >>> import graphrt as tf
    >>> tf.math.unsorted_segment_prod([2, 3, 4], [1, 0, 1], 3).numpy().tolist()
    [3, 8, 1]
    """
    return UnsortedSegmentProd(data, segment_ids, num_segments, name=name)


@provide
def unsorted_segment_max(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The greatest of the rows of each of `num_segments` segments; the least value of the type where there is none.

    >>> import graphrt as tf
    >>> tf.math.unsorted_segment_max([2, 3, 4], [1, 0, 1], 2).numpy().tolist()
    [3, 4]
    """
    return UnsortedSegmentMax(data, segment_ids, num_segments, name=name)


@provide
def unsorted_segment_min(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The least of the rows of each of `num_segments` segments; the greatest value of the type where there is none.

    >>> import graphrt as tf
    >>> tf.math.unsorted_segment_min([2, 3, 4], [1, 0, 1], 2).numpy().tolist()
    [3, 2]
    """
    return UnsortedSegmentMin(data, segment_ids, num_segments, name=name)


def _segment_sizes(data: Tensor, ids: Tensor, count: Tensor) -> Tensor:
    ones = ones_(shape_(ids), data.dtype)
    sizes = Maximum(UnsortedSegmentSum(ones, ids, count), as_tensor(1, data.dtype))
    extra = fill(reshape(Rank(data) - Rank(ids), [1]), 1)
    return Reshape(sizes, concat([Shape(sizes), extra], 0))


@provide
def unsorted_segment_mean(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The mean of the rows of each of `num_segments` segments, 0 where there is none.

    >>> import graphrt as tf
    >>> tf.math.unsorted_segment_mean([2.0, 3.0, 4.0], [1, 0, 1], 2).numpy().tolist()
    [3.0, 3.0]
    """
    with scope(name, "UnsortedSegmentMean"):
        data, ids, count = as_tensor(data), as_tensor(segment_ids), as_tensor(num_segments)
        if isinstance(data, Dispatching):  # rows of a ragged tensor: each place has a number of its own
            return UnsortedSegmentSum(data, ids, count) / UnsortedSegmentSum(ones_like(data), ids, count)
        return UnsortedSegmentSum(data, ids, count) / _segment_sizes(data, ids, count)


@provide
def unsorted_segment_sqrt_n(
    data: TensorLike, segment_ids: TensorLike, num_segments: TensorLike, name: str | None = None
) -> Tensor:
    """The sum of the rows of each of `num_segments` segments over the square root of their number.

    >>> import graphrt as tf
    >>> tf.math.unsorted_segment_sqrt_n([2.0, 3.0, 2.0, 2.0, 2.0], [1, 0, 1, 1, 1], 2).numpy().tolist()
    [3.0, 4.0]
    """
    with scope(name, "UnsortedSegmentSqrtN"):
        data, ids, count = as_tensor(data), as_tensor(segment_ids), as_tensor(num_segments)
        if isinstance(data, Dispatching):
            sizes = UnsortedSegmentSum(ones_like(data), ids, count)
            return UnsortedSegmentSum(data, ids, count) / Sqrt(sizes)
        return UnsortedSegmentSum(data, ids, count) / Sqrt(_segment_sizes(data, ids, count))
