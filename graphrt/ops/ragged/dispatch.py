"""What ops do when one of their arguments is a ragged tensor.

`ELEMENTS` has the rule of an op, or of all ops of a trait: element-wise ops have one rule together. A rule gets the
arguments of the op, its attributes, and a function that runs the op on tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import ELEMENTWISE, PER_ELEMENT, OpDef  # late: what it calls stands in rooms above
from graphrt.ops.array.concat_split import ConcatV2, Pack, stack
from graphrt.ops.array.concat_split import concat as concat_
from graphrt.ops.array.creation import ones_like
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.gather_scatter import GatherV2
from graphrt.ops.array.identity import stop_gradient
from graphrt.ops.array.repetition import Tile, repeat, tile
from graphrt.ops.array.selection import Select, SelectV2
from graphrt.ops.array.shape import ExpandDims, Rank, Reshape, Shape, Size, Squeeze, reshape, squeeze, transpose
from graphrt.ops.legacy.matrices import BatchMatMulV3
from graphrt.ops.linalg.matmul import BatchMatMulV2, MatMul
from graphrt.ops.math.arithmetic import AddN, Maximum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, Greater
from graphrt.ops.math.cumulative import Cumsum
from graphrt.ops.math.division import RealDiv
from graphrt.ops.math.elementwise import Exp, Sqrt, Square
from graphrt.ops.math.logical import LogicalNot
from graphrt.ops.math.reduction import All, Any_, EuclideanNorm, Max, Mean, Min, Prod, Sum, reduce_all
from graphrt.ops.math.segments import UnsortedSegmentMax, UnsortedSegmentMin, UnsortedSegmentProd, UnsortedSegmentSum
from graphrt.ops.nn.activations import LogSoftmax, Softmax
from graphrt.ops.ragged.broadcasting import aligned, one_splits_dtype
from graphrt.ops.ragged.kernels import RaggedRange
from graphrt.ops.ragged.rules import Rule, known_axes, known_axis, rule
from graphrt.ops.ragged.shapes import shape_of
from graphrt.ops.ragged.slicing import gather_rows
from graphrt.ops.ragged.tensor import (
    ELEMENTS,
    RaggedTensor,
    longest,
    merged_dims,
    positive_axis,
    ragged_of,
    require,
    splits_of_lengths,
    static_row_length,
)
from graphrt.ops.support.kernel_helpers import known_rank
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor, static_array
from graphrt.types.dtype import bool_, float64, int32, int64
from graphrt.types.likes import TensorLike

if TYPE_CHECKING:
    pass


# --- element by element ----------------------------------------------------------------------------------------------
def _as_values(args: list[Any] | tuple[Any, Any]) -> list[Any]:
    """Ragged tensors and tensors; Python values become tensors of the dtype of the others."""
    dtype = next((a.dtype for a in args if isinstance(a, (RaggedTensor, Tensor))), None)
    out = []
    for a in args:
        if isinstance(a, (RaggedTensor, Tensor)):
            out.append(a)
        else:
            try:
                out.append(as_tensor(a, dtype))
            except (TypeError, ValueError):
                out.append(as_tensor(a))
    return out


@rule(ELEMENTWISE, Select)
def _elementwise(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    if len(args) == 1:
        return args[0].with_flat_values(apply(args[0].flat_values))
    like, flats = aligned(_as_values(args))
    return like.with_flat_values(apply(*flats))


@rule(SelectV2)
def _select(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    condition, x, y = args
    chosen = _as_values([x, y])
    like, flats = aligned(
        [condition if isinstance(condition, (RaggedTensor, Tensor)) else as_tensor(condition), *chosen]
    )
    return like.with_flat_values(apply(*flats))


@rule(AddN)
def elementwise_list(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    like, flats = aligned(_as_values(args[0]))
    return like.with_flat_values(apply(flats))


@rule(PER_ELEMENT)
def _flat_values(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    x = args[0]
    if not isinstance(x, RaggedTensor):
        raise errors.CompositeGiven(next(a for a in args if isinstance(a, RaggedTensor)))
    return x.with_flat_values(apply(x.flat_values, *args[1:]))


# --- reductions ------------------------------------------------------------------------------------------------------
def by_segments(op: Callable[..., Any], data: Any, ids: Any, count: Any) -> Any:
    """An unsorted segment op on tensors and on ragged tensors."""
    if not isinstance(data, RaggedTensor):
        return op(data, ids, count)
    dtype = data.row_splits.dtype
    lengths = data.row_lengths()
    longest = Maximum(UnsortedSegmentMax(lengths, ids, count), as_tensor(0, dtype))
    splits = splits_of_lengths(longest)
    begin = GatherV2(splits[:-1], ids, np.int32(0))
    places = RaggedRange(begin, begin + lengths, as_tensor(1, dtype), Tsplits=dtype)[1]
    return ragged_of(by_segments(op, data.values, places, splits[-1]), splits)


def _segment_rule(op: OpDef) -> Rule:
    def found(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
        data, ids, count = args
        if isinstance(ids, RaggedTensor):
            if not isinstance(data, RaggedTensor):
                data = RaggedTensor.from_tensor(data, ragged_rank=ids.ragged_rank)
            return op(data.flat_values, ids.flat_values, count)
        return by_segments(op, data, as_tensor(ids), count)

    return found


_SEGMENTS = {Sum: UnsortedSegmentSum, Prod: UnsortedSegmentProd, Max: UnsortedSegmentMax, Min: UnsortedSegmentMin}
ELEMENTS.update({op: _segment_rule(op) for op in _SEGMENTS.values()})


def _columns(x: RaggedTensor) -> Tensor:
    """For each value its place in its row."""
    dtype = x.row_splits.dtype
    return RaggedRange(as_tensor(0, dtype), x.row_lengths(), as_tensor(1, dtype), Tsplits=dtype)[1]


def _over(
    x: TensorLike, axis: int, segment: Callable[[Any, Any, Any], Any], dense: Callable[[Any, int], Any]
) -> RaggedTensor | Tensor:
    """`x` without dimension `axis`: `segment` reduces rows of values, `dense` a dimension of a tensor."""
    if not isinstance(x, RaggedTensor):
        return dense(x, axis)
    if axis == 0:
        return segment(x.values, _columns(x), longest(x.row_lengths()))
    if axis == 1:
        return segment(x.values, x.value_rowids(), x.nrows())
    return x.with_values(_over(x.values, axis - 1, segment, dense))


def reduced(x: Any, axes: list[int], keep: bool, segment: Any, dense: Any) -> Any:
    for axis in sorted(axes, reverse=True):
        x = _over(x, axis, segment, dense)
        if keep:
            x = expand_dims(x, axis)
    return x


def _reduction(full: OpDef, segment: OpDef) -> Rule:
    def found(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
        x, keep = args[0], attrs.get("keep_dims", False)
        axes = known_axes(args[1], x)

        def dense(t: Tensor, axis: int) -> Any:
            return full(t, np.int32(axis))

        def rows(values: Any, ids: Any, count: Any) -> Any:
            return by_segments(segment, values, ids, count)

        if len(axes) == x.ndim:
            flat = x.flat_values
            total = full(flat, np.arange(len(flat.dims), dtype=np.int32))
            return reshape(total, [1] * x.ndim) if keep else total
        return reduced(x, axes, keep, rows, dense)

    return found


ELEMENTS.update({op: _reduction(op, segment) for op, segment in _SEGMENTS.items()})


@rule(Mean)
def _mean(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    x, axis = args[0], args[1]
    keep = attrs.get("keep_dims", False)
    total = Sum(x, axis, keep_dims=keep)
    count = Sum(ones_like(x), axis, keep_dims=keep)
    if x.dtype.is_integer:
        return RealDiv(cast(total, float64), cast(count, float64))
    return RealDiv(total, count)


def _truths(x: RaggedTensor) -> Any:
    """Numbers are true unless they are 0."""
    return x if x.dtype is bool_ else cast(x, bool_)


@rule(Any_)
def _any(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    count = Sum(cast(_truths(args[0]), int32), args[1], keep_dims=attrs.get("keep_dims", False))
    return Greater(count, as_tensor(0, int32))


@rule(All)
def _all(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    failing = Sum(cast(LogicalNot(_truths(args[0])), int32), args[1], keep_dims=attrs.get("keep_dims", False))
    return Equal(failing, as_tensor(0, int32))


@rule(EuclideanNorm)
def _norm(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    return Sqrt(Sum(Square(args[0]), args[1], keep_dims=attrs.get("keep_dims", False)))


@rule(Cumsum)
def _cumsum(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> RaggedTensor:
    x, axis = args
    if not isinstance(x, RaggedTensor):
        raise errors.CompositeGiven(axis)
    found = apply(x.to_tensor(), axis)  # zeros behind the rows change no sum
    return RaggedTensor.from_tensor(found, lengths=x.nested_row_lengths(), row_splits_dtype=x.row_splits.dtype)


@rule(Softmax, LogSoftmax)
def _softmax(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    x = args[0]
    if len(x.flat_values.dims) > 1:
        return x.with_flat_values(apply(x.flat_values))
    axis = np.int32(x.ndim - 1)
    exponents = Exp(x - stop_gradient(Max(x, axis, keep_dims=True)))
    return exponents / Sum(exponents, axis, keep_dims=True)


# --- joined ----------------------------------------------------------------------------------------------------------
def _ragged_like(values: list[Any]) -> list[Any]:
    """Tensors among ragged tensors as ragged tensors of the same ragged rank."""
    values = one_splits_dtype(values)
    wanted = max((v.ragged_rank for v in values if isinstance(v, RaggedTensor)), default=1)
    dtype = next((v.row_splits.dtype for v in values if isinstance(v, RaggedTensor)), int64)
    out = []
    for v in values:
        if not isinstance(v, RaggedTensor):
            v = RaggedTensor.from_tensor(v, ragged_rank=min(wanted, len(v.dims) - 1), row_splits_dtype=dtype)
        while v.ragged_rank < wanted:
            v = v.with_flat_values(RaggedTensor.from_tensor(v.flat_values, row_splits_dtype=dtype))
        out.append(v)
    return out


def concat(values: list[Any], axis: int) -> Any:
    """Ragged tensors and tensors, at least one of them ragged, joined along `axis`."""
    if not any(isinstance(v, RaggedTensor) for v in values):
        return concat_(values, axis)
    if len({v.ndim for v in values if v.ndim is not None}) > 1:
        raise ValueError(errors.at_user_line(f"Inputs must have the same rank, found {[v.ndim for v in values]}"))
    parts = _ragged_like(values)
    if axis == 0:
        return _concat_rows(parts)
    _check_rows(parts)
    if axis == 1:
        count = len(parts)
        rows = parts[0].nrows(int64)
        order = range_(rows * np.int64(count), dtype=int64)
        order = reshape(transpose(reshape(order, stack([np.int64(count), rows]))), [-1])
        mixed = gather_rows(_concat_rows(parts), order)
        return ragged_of(mixed.values, mixed.row_splits[::count])
    first = parts[0]
    for other in parts[1:]:
        same = reduce_all(Equal(first.row_splits, other.row_splits))
        require(same, errors.InvalidArgumentError, "Inputs must have identical ragged splits")
    return first.with_values(concat([p.values for p in parts], axis - 1))


def _check_rows(parts: list[Any]) -> None:
    first = parts[0]
    for i, other in enumerate(parts[1:]):
        same = Equal(first.nrows(), other.nrows())
        require(same, errors.InvalidArgumentError,
                f"Input tensors at index 0 (=x) and {i + 1} (=y) have incompatible shapes.")  # fmt: skip


def _concat_rows(parts: list[Any]) -> RaggedTensor:
    offset = as_tensor(0, parts[0].row_splits.dtype)
    splits = [parts[0].row_splits[:1]]
    for p in parts:
        splits.append(p.row_splits[1:] + offset)
        offset = offset + p.row_splits[-1]
    values = [p.values for p in parts]
    held = _concat_rows(values) if isinstance(values[0], RaggedTensor) else concat_(values, 0)
    lengths = {static_row_length(p) for p in parts}
    return ragged_of(held, concat_(splits, 0), lengths.pop() if len(lengths) == 1 else None)


@rule(ConcatV2)
def _concat(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    values = _as_values(args[0])
    first: Any = next(v for v in values if isinstance(v, RaggedTensor))
    return values[0] if len(values) == 1 else concat(values, known_axis(args[1], first))


@rule(Pack)
def _pack(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    values = _as_values(args[0])
    first: Any = next(v for v in values if isinstance(v, RaggedTensor))
    axis = positive_axis(attrs.get("axis", 0), known_rank(first, "tf.stack") + 1)
    return concat([expand_dims(v, axis) for v in values], axis) if len(values) > 1 else expand_dims(first, axis)


# --- dimensions ------------------------------------------------------------------------------------------------------
def expand_dims(x: Any, axis: int) -> Any:
    """`x` with a dimension of size 1 at `axis`."""
    if not isinstance(x, RaggedTensor):
        return ExpandDims(x, np.int32(axis))
    if axis == 0:
        known = x.dims[0] if x.dims else None
        return RaggedTensor.from_uniform_row_length(x, x.nrows() if known is None else known, 1)
    if axis == 1:
        return RaggedTensor.from_uniform_row_length(x, 1, x.nrows())
    return x.with_values(expand_dims(x.values, axis - 1))


@rule(ExpandDims)
def _expand_dims(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    return expand_dims(args[0], known_axis(args[1], args[0], 1))


def _without(x: Any, axis: int) -> Any:
    if not isinstance(x, RaggedTensor):
        return squeeze(x, [axis])
    if axis == 0:
        require(Equal(x.nrows(), as_tensor(1, x.row_splits.dtype)), errors.InvalidArgumentError,
                "Can not squeeze dim[0], expected a dimension of 1")  # fmt: skip
        return x.values
    if axis == 1:
        one = reduce_all(Equal(x.row_lengths(), as_tensor(1, x.row_splits.dtype)))
        require(one, errors.InvalidArgumentError, "Can not squeeze dim[1], expected a dimension of 1")
        return x.values
    return x.with_values(_without(x.values, axis - 1))


@rule(Squeeze)
def _squeeze(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    x = args[0]
    axes = attrs.get("squeeze_dims") or []
    if not axes:
        raise ValueError(errors.at_user_line("Ragged.squeeze must have an axis argument."))
    for axis in sorted({positive_axis(a, x.ndim) for a in axes}, reverse=True):
        x = _without(x, axis)
    return x


@rule(Size)
def _size(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    return apply(args[0].flat_values)


@rule(Rank)
def _rank(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    x = args[0]
    if x.ndim is None:
        return apply(x.flat_values) + np.int32(x.ragged_rank)
    return as_tensor(np.int32(x.ndim))


@rule(Shape)
def _shape(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    return shape_of(args[0], attrs.get("out_type"))


@rule(Tile)
def _tile(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    return _tiled(args[0], cast(as_tensor(args[1]), int64))


def _tiled(x: TensorLike, multiples: Tensor) -> Any:
    if not isinstance(x, RaggedTensor):
        return Tile(x, multiples)
    inner = _tiled(x.values, concat_([as_tensor([1], int64), multiples[2:]], 0))
    x = x.with_values(inner)
    rows = range_(x.nrows(int64), dtype=int64)
    known = static_array(multiples)
    if known is None or known[1] != 1:
        each = gather_rows(x, repeat(rows, multiples[1]))
        edges = range_(x.nrows(int64) + np.int64(1), dtype=int64) * multiples[1]
        x = ragged_of(each.values, GatherV2(each.row_splits, edges, np.int32(0)))
    if known is None or known[0] != 1:
        x = gather_rows(x, tile(rows, multiples[:1]))
    return x


@rule(Reshape)
def _reshape(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    x = args[0]
    known = static_array(as_tensor(args[1]))
    if known is None or known.tolist() != [-1]:
        raise ValueError(
            errors.at_user_line(
                "a ragged tensor can be reshaped to [-1] only: use merge_dims, expand_dims or to_tensor"
            )
        )
    return merged_dims(x, 0, x.ndim - 1)


@rule(BatchMatMulV2, MatMul, BatchMatMulV3)
def _matmul(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    a, b = args
    turned = attrs.get("adj_x") or attrs.get("transpose_a")
    left = a.to_tensor() if isinstance(a, RaggedTensor) else a
    right = b.to_tensor() if isinstance(b, RaggedTensor) else b
    product = apply(left, right)
    if not isinstance(a, RaggedTensor) or turned or a.ragged_rank > 1:
        return RaggedTensor.from_tensor(product)
    if a.ndim == 2:
        return product
    return RaggedTensor.from_tensor(product, lengths=a.row_lengths(), row_splits_dtype=a.row_splits.dtype)
