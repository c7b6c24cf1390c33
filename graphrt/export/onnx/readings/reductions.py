"""Ops that make one element of many."""

# names of another format: those of ONNX's ops

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from graphrt.export.onnx.reader import Reading, Use
from graphrt.export.onnx.readings.elementwise import number
from graphrt.ir.op import OpDef  # late: each op's module is imported when a model uses it
from graphrt.ops.array.concat_split import ConcatV2
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.padding import ReverseV2
from graphrt.ops.array.selection import SelectV2
from graphrt.ops.array.shape import ExpandDims, Rank, Reshape, Shape, Size, Transpose
from graphrt.ops.array.sorting import TopKV2
from graphrt.ops.math.arg_extrema import ArgMax, ArgMin
from graphrt.ops.math.bitwise import Invert
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal
from graphrt.ops.math.cumulative import Cumsum
from graphrt.ops.math.elementwise import Abs, Exp, IsFinite, Log, Neg, Sqrt, Square
from graphrt.ops.math.reduction import All, Any_, Max, Mean, Min, Prod, Sum
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import bool_, int32, int64


def axes_of(c: Use) -> Tensor | None:
    """Along which axes it reduces; None when it leaves all as it is."""
    if c.has("axes"):
        return convert_to_tensor(np.asarray(c.ints("axes"), np.int32))
    given = c.given(1)
    known = c.const(1)
    stays = bool(c.whole("noop_with_empty_axes", 0))
    if given is not None and (known is None or known.size):
        axes = cast(given, int32)
        if stays or given.shape.num_elements():
            return axes
        # no axes are all of them, and how many there are is only known when it is run
        return ConcatV2([axes, range_(SelectV2(Equal(Size(axes), 0), Rank(c[0]), 0))], np.int32(0))
    return None if stays else range_(Rank(c[0]))


def reduction(op: Callable[[], OpDef], before: Callable[[Tensor], Tensor] | None = None) -> Reading:
    """A reduction, of what `before` makes of the elements."""

    def rule(c: Use) -> Tensor:
        axes = axes_of(c)
        x = c[0] if before is None else before(c[0])
        if axes is None:
            return x
        keep = bool(c.whole("keepdims", 1))
        if x.dtype is bool_:
            op_ = Any_ if op() is Max else All
            return op_(x, axes, keep_dims=keep)
        return op()(x, axes, keep_dims=keep)

    return rule


def _after(reading: Reading, then: Callable[[Tensor], Tensor]) -> Reading:
    return lambda c: then(reading(c))


def _log_sum_exp(c: Use) -> Tensor:
    axes = axes_of(c)
    if axes is None:
        return c[0]
    high = Max(c[0], axes, keep_dims=True)
    high = SelectV2(IsFinite(high), high, number(c, 0))
    total = Log(Sum(Exp(c[0] - high), axes, keep_dims=True)) + high
    return total if c.whole("keepdims", 1) else Reshape(total, Shape(Sum(c[0], axes, keep_dims=False)))


def _extreme_place(op: Callable[[], OpDef]) -> Reading:
    def rule(c: Use) -> Tensor:
        axis = c.whole("axis", 0)
        is_last = c.whole("select_last_index", 0)
        x = ReverseV2(c[0], np.array([axis], np.int32)) if is_last else c[0]
        found = op()(x, np.int32(axis), output_type=int64)
        if is_last:
            found = Shape(c[0], out_type=int64)[axis] - 1 - found
        return ExpandDims(found, np.int32(axis)) if c.whole("keepdims", 1) else found

    return rule


def _cumsum(c: Use) -> Tensor:
    axis = Reshape(cast(c[1], int32), np.zeros(0, np.int32))
    return Cumsum(c[0], axis, exclusive=bool(c.whole("exclusive", 0)), reverse=bool(c.whole("reverse", 0)))


def _top_k(c: Use) -> list[Tensor]:
    axis, rank = c.whole("axis", -1), c.rank()
    axis = axis + rank if axis < 0 else axis
    order = [i for i in range(rank) if i != axis] + [axis]
    back = list(np.argsort(order))
    x = Transpose(c[0], np.asarray(order, np.int32)) if axis != rank - 1 else c[0]
    count = Reshape(cast(c[1], int32), np.zeros(0, np.int32))
    if c.whole("largest", 1):
        values, places = TopKV2(x, count, sorted=True)
    else:
        flipped = Invert(x) if x.dtype.is_integer else Neg(x)
        values, places = TopKV2(flipped, count, sorted=True)
        values = Invert(values) if x.dtype.is_integer else Neg(values)
    if axis != rank - 1:
        values, places = (Transpose(t, np.asarray(back, np.int32)) for t in (values, places))
    return [values, cast(places, int64)]


READINGS: dict[str, Reading] = {
    "ArgMax": _extreme_place(lambda: ArgMax),
    "ArgMin": _extreme_place(lambda: ArgMin),
    "CumSum": _cumsum,
    "ReduceL1": reduction(lambda: Sum, lambda x: Abs(x)),
    "ReduceL2": _after(reduction(lambda: Sum, lambda x: Square(x)), lambda x: Sqrt(x)),
    "ReduceLogSum": _after(reduction(lambda: Sum), lambda x: Log(x)),
    "ReduceLogSumExp": _log_sum_exp,
    "ReduceMax": reduction(lambda: Max),
    "ReduceMean": reduction(lambda: Mean),
    "ReduceMin": reduction(lambda: Min),
    "ReduceProd": reduction(lambda: Prod),
    "ReduceSum": reduction(lambda: Sum),
    "ReduceSumSquare": reduction(lambda: Sum, lambda x: Square(x)),
    "TopK": _top_k,
}
