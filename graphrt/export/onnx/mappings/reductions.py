"""Ops that make one element of many: sums, extrema, cumulative sums, the greatest few."""

# names of another format: those of ONNX's ops

from __future__ import annotations

import numpy as np

from graphrt.export.onnx.builder import Ref
from graphrt.export.onnx.lowering import Rule, Use
from graphrt.types.dtype import bool_, float32, int32, int64


def reduced(c: Use, op: str, x: Ref, axes: Ref, keep: bool) -> Ref:
    """`x` reduced along `axes` (int64); no axes are none, not all."""
    return c.emit(op, x, axes, keepdims=int(keep), noop_with_empty_axes=1)


def _axes(c: Use) -> Ref:
    known = c.const(1)
    if known is not None:
        return c.ints(np.atleast_1d(known).tolist())
    axes = c.int64(1)
    return c.emit("Reshape", axes, c.ints([-1])) if c.rank(1) == 0 else axes


def _no_axes(c: Use) -> bool:
    known = c.const(1)
    return known is not None and np.size(known) == 0


def reduction(op: str) -> Rule:
    """A reduction that ONNX calls `op`."""

    def rule(c: Use) -> Ref:
        if _no_axes(c):
            return c[0]
        return reduced(c, op, c[0], _axes(c), c.attr("keep_dims"))

    return rule


def _may_be_of_nothing(c: Use) -> bool:
    """Whether an axis along which is reduced may be empty."""
    known, dims = c.const(1), c.dims()
    if dims is None:
        return True
    chosen = dims if known is None else [dims[int(axis)] for axis in np.ravel(known)]
    return any(not size for size in chosen)


def _mean(c: Use) -> Ref:
    x = c[0]
    if _no_axes(c) or (x.dtype.is_floating and not _may_be_of_nothing(c)):
        return reduction("ReduceMean")(c)  # type: ignore[return-value]
    axes = _axes(c)
    sizes = c.emit("Gather", c.shape(x), axes, dtype=int64)
    count = c.emit("ReduceProd", sizes, keepdims=0)
    if x.dtype.is_floating:  # a mean of nothing, which ONNX leaves open, and of which runtimes make 0: 0/0 makes it NaN
        number = c.cast(count, x.dtype if x.dtype.size > 2 else float32)
        one = c.cast(c.emit("Div", number, number), x.dtype)
        return c.emit("Mul", reduced(c, "ReduceMean", x, axes, c.attr("keep_dims")), one)
    return c.emit("Div", reduced(c, "ReduceSum", x, axes, c.attr("keep_dims")), c.cast(count, x.dtype))


def _of_flags(op: str) -> Rule:
    def rule(c: Use) -> Ref:
        if _no_axes(c):
            return c[0]
        numbers = c.cast(c[0], int32)
        return c.cast(reduced(c, op, numbers, _axes(c), c.attr("keep_dims")), bool_)

    return rule


def _all(c: Use) -> Ref:
    if _no_axes(c):
        return c[0]
    wrong = c.cast(c.emit("Not", c[0]), int32)
    found = c.cast(reduced(c, "ReduceSum", wrong, _axes(c), c.attr("keep_dims")), bool_)
    return c.emit("Not", found)


def _extreme_place(op: str) -> Rule:
    def rule(c: Use) -> Ref:
        axis = int(np.reshape(c.constant(1, "the axis"), ()))
        found = c.emit(op, c[0], axis=axis, keepdims=0, select_last_index=0, dtype=int64)
        return c.cast(found, c.dtype())

    return rule


def _cumsum(c: Use) -> Ref:
    axis = c.emit("Reshape", c.int64(1), c.ints([])) if c.const(1) is None else c.ints(int(c.constant(1, "axis")))
    return c.emit("CumSum", c[0], axis, exclusive=int(c.attr("exclusive")), reverse=int(c.attr("reverse")))


def _top_k(c: Use) -> list[Ref]:
    count = c.emit("Reshape", c.int64(1), c.ints([1])) if len(c) > 1 else c.ints([c.attr("k")])
    found = c.emit_all("TopK", [c[0], count], [c.dtype(0), int64], axis=-1, sorted=int(c.attr("sorted")))
    return [found[0], c.cast(found[1], c.dtype(1))]


def _l2_loss(c: Use) -> Ref:
    squares = c.emit("ReduceSumSquare", c[0], keepdims=0)
    return c.emit("Mul", squares, c.like(squares, 0.5))


def _in_top_k(c: Use) -> Ref:
    predictions, targets = c[0], c.int64(1)
    column = c.emit("Unsqueeze", targets, c.ints([1]))
    own = c.emit("GatherElements", predictions, column, axis=1)
    better = c.cast(c.emit("Greater", predictions, own, dtype=bool_), int64)
    ahead = c.emit("ReduceSum", better, c.ints([1]), keepdims=0)
    k = c.int64(2) if len(c) > 2 else c.ints(c.attr("k"))
    return c.emit("Less", ahead, k, dtype=bool_)


def _sorted_places(compare: str) -> Rule:
    """Where values belong in rows that are sorted: how many of a row stand before."""

    def rule(c: Use) -> Ref:
        row, values = c.emit("Unsqueeze", c[0], c.ints([1])), c.emit("Unsqueeze", c[1], c.ints([2]))
        before = c.cast(c.emit(compare, row, values, dtype=bool_), int32)
        return c.cast(c.emit("ReduceSum", before, c.ints([2]), keepdims=0), c.dtype())

    return rule


def _buckets(c: Use) -> Ref:
    bounds = c.graph.constant(np.asarray(c.attr("boundaries"), np.float32))
    wide = c.emit("Unsqueeze", c.cast(c[0], float32), c.ints([-1]))
    before = c.cast(c.emit("LessOrEqual", bounds, wide, dtype=bool_), int32)
    return c.emit("ReduceSum", before, c.ints([-1]), keepdims=0)


def _nth(c: Use) -> Ref:
    count = c.emit("Add", c.emit("Reshape", c.int64(1), c.ints([1])), c.ints([1]))
    dtypes = [c[0].dtype, int64]
    found = c.emit_all("TopK", [c[0], count], dtypes, axis=-1, largest=int(c.attr("reverse")))
    return c.emit("Gather", found[0], c.ints(-1), axis=-1)


# names: the ops of this family
RULES: dict[str, Rule] = {
    "All": _all,
    "Any": _of_flags("ReduceSum"),
    "ArgMax": _extreme_place("ArgMax"),
    "ArgMin": _extreme_place("ArgMin"),
    "Bucketize": _buckets,
    "Cumsum": _cumsum,
    "EuclideanNorm": lambda c: c.emit("Abs", c[0]) if _no_axes(c) else reduction("ReduceL2")(c),
    "InTopKV2": _in_top_k,
    "L2Loss": _l2_loss,
    "LowerBound": _sorted_places("Less"),
    "Max": reduction("ReduceMax"),
    "Mean": _mean,
    "Min": reduction("ReduceMin"),
    "NthElement": _nth,
    "Prod": reduction("ReduceProd"),
    "Sum": reduction("ReduceSum"),
    "TopKV2": _top_k,
    "UpperBound": _sorted_places("LessOrEqual"),
}
