"""Elements taken out of tensors, and put into them."""

# names of another format: those of ONNX's ops

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from graphrt.export.onnx.builder import Ref
from graphrt.export.onnx.lowering import Rule, Use
from graphrt.export.onnx.mappings.joining import FAR
from graphrt.types.dtype import DType, bool_, float32, int64, string
from graphrt.types.likes import Array


# --- slices ----------------------------------------------------------------------------------------------------------
def _slice(c: Use) -> Ref:
    begin, size = c.int64(1), c.int64(2)
    known = c.const(2)
    end = c.emit("Add", begin, size)
    if known is None or np.any(known < 0):
        end = c.where(c.emit("Less", size, c.ints(0), dtype=bool_), c.ints(FAR), end)
    return c.emit("Slice", c[0], begin, end, c.emit("Range", c.ints(0), c.emit("Size", begin), c.ints(1)))


class _Axes:
    """What a strided slice does, axis by axis: parts `(axis, entry)` that are cut, and that are taken by one index."""

    def __init__(self, c: Use, count: int) -> None:
        bits = {n: c.attr(f"{n}_mask") for n in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
        self.cut: list[tuple[int, int]] = []
        self.single: list[tuple[int, int]] = []
        self.new: list[int] = []  # positions in the result, once single axes are gone
        self.open_begin, self.open_end = bits["begin"], bits["end"]
        axis = place = 0
        used = sum(not (bits["new_axis"] | bits["ellipsis"]) >> i & 1 for i in range(count))
        for i in range(count):
            if bits["ellipsis"] >> i & 1:
                skipped = c.rank() - used
                axis += skipped
                place += skipped
            elif bits["new_axis"] >> i & 1:
                self.new.append(place)
                place += 1
            else:
                if bits["shrink_axis"] >> i & 1:
                    self.single.append((axis, i))
                else:
                    self.cut.append((axis, i))
                    place += 1
                axis += 1


def _entry(c: Use, index: int, at: int) -> Ref:
    """One number of an input that holds several, a vector of one."""
    known = c.const(index)
    if known is not None:
        return c.ints([int(known[at])])
    packed = c.node.inputs[index].node
    held = c.held(index)
    assert isinstance(held, Ref)
    if packed.type == "Pack" and at < len(packed.inputs):  # names: indices are usually packed of scalars
        single = c.lowering.held(packed.inputs[at], c.graph, c.env)
        if isinstance(single, Ref):
            return c.emit("Reshape", c.cast(single, int64), c.ints([1]))
    return c.emit("Slice", c.cast(held, int64), c.ints([at]), c.ints([at + 1]))


def _joined(c: Use, parts: list[Ref]) -> Ref:
    values = [c.graph.known(p) for p in parts]
    if all(v is not None for v in values):
        return c.ints([int(n) for v in values if v is not None for n in v])
    return parts[0] if len(parts) == 1 else c.emit("Concat", *parts, axis=0)


def _strided_slice(c: Use) -> Ref:
    strides = c.constant(3, "the strides")
    axes = _Axes(c, len(strides))
    x = c[0]
    cut = [(a, i) for a, i in axes.cut if not _is_whole(axes, i, strides)]
    if cut:
        steps = [int(strides[i]) for _, i in cut]
        begins, ends = [], []
        for (_, i), step in zip(cut, steps):
            begins.append(c.ints([0 if step > 0 else FAR]) if axes.open_begin >> i & 1 else _entry(c, 1, i))
            ends.append(c.ints([FAR if step > 0 else -FAR]) if axes.open_end >> i & 1 else _entry(c, 2, i))
        x = c.emit("Slice", x, _joined(c, begins), _joined(c, ends), c.ints([a for a, _ in cut]), c.ints(steps))
    for axis, i in reversed(axes.single):
        _refuse_inner_strings(c, axis)
        place = (
            c.emit("Squeeze", _entry(c, 1, i), c.ints([0])) if c.const(1) is None else c.ints(int(c.constant(1, "")[i]))
        )
        x = c.emit("Gather", x, place, axis=axis)
    return c.emit("Unsqueeze", x, c.ints(axes.new)) if axes.new else x


def _is_whole(axes: _Axes, i: int, strides: Array) -> bool:
    return bool(axes.open_begin >> i & 1 and axes.open_end >> i & 1 and strides[i] == 1)


# --- gathers ---------------------------------------------------------------------------------------------------------
def gather(c: Use) -> Ref:
    """Rows, or parts along an axis, by their indices."""
    axis = int(np.reshape(c.constant(2, "the axis"), ())) if len(c) > 2 else 0
    batch = c.node.attrs.get("batch_dims", 0)
    if batch < 0:
        batch += c.rank(1)
    if not batch:
        _refuse_inner_strings(c, axis)
        return c.emit("Gather", c[0], _indices(c, 1), axis=axis)
    axis = axis + c.rank() if axis < 0 else axis
    if axis != batch:
        c.refuse("batch_dims with another axis than the one behind them has no counterpart")
    return c.emit("GatherND", c[0], c.emit("Unsqueeze", c.int64(1), c.ints([-1])), batch_dims=batch)


def _refuse_inner_strings(c: Use, axis: int) -> None:
    if c[0].dtype is string and axis not in (0, -1, c.rank() - 1):
        c.refuse("strings are taken along the first or last axis only: ONNX Runtime takes wrong ones along others")


def _indices(c: Use, index: int) -> Ref:
    ref = c[index]
    return ref if ref.dtype.name in ("int32", "int64") else c.cast(ref, int64)


def _gather_nd(c: Use) -> Ref:
    return c.emit("GatherND", c[0], c.int64(1))


# --- scatters --------------------------------------------------------------------------------------------------------
def _scatter_nd(c: Use) -> Ref:
    zeros = c.emit("Expand", c.like(c[1], 0), c.int64(2))
    return _scattered(c, zeros, c.int64(0), c[1], "add")


def _scattered(c: Use, x: Ref, indices: Ref, updates: Ref, reduction: str) -> Ref:
    if reduction == "none":
        return c.emit("ScatterND", x, indices, updates)
    if x.dtype.name in ("bool", "string"):
        c.refuse(f"{x.dtype.name} cannot be added up")
    if x.dtype.name in ("float16", "bfloat16"):  # ONNX Runtime moves them, but does not reckon with them
        wide = c.emit("ScatterND", c.cast(x, float32), indices, c.cast(updates, float32), reduction=reduction)
        return c.cast(wide, x.dtype)
    return c.emit("ScatterND", x, indices, updates, reduction=reduction)


def _scatter(reduction: str) -> Rule:
    return lambda c: _scattered(c, c[0], c.int64(1), c[2], reduction)


def _scatter_sub(c: Use) -> Ref:
    return _scattered(c, c[0], c.int64(1), c.emit("Neg", c[2]), "add")


def _segments(reduction: str, start: str, empty: float | None = None) -> Rule:
    """Rows combined by the segment that each belongs to; `empty` is what a segment without rows holds, if not `start`."""

    def rule(c: Use) -> Ref:
        data, ids = c[0], c.int64(1)
        if c.rank(1) != 1:
            c.refuse("segments of more than one axis have no counterpart")
        if len(c) > 2:
            count = c.emit("Reshape", c.int64(2), c.ints([1]))
        else:
            count = c.emit("Add", c.emit("ReduceMax", c.emit("Concat", ids, c.ints([-1]), axis=0)), c.ints([1]))
        places = c.where(c.emit("Less", ids, c.ints(0), dtype=bool_), count, ids)  # rows of no segment go behind all
        more = c.emit("Add", count, c.ints([1]))
        rest = c.emit("Slice", c.shape(data), c.ints([1]), c.ints([FAR]))
        column = c.emit("Unsqueeze", places, c.ints([1]))
        begin = c.emit("Expand", c.like(data, _STARTS[start](data.dtype)), c.emit("Concat", more, rest, axis=0))
        found = _scattered(c, begin, column, data, reduction)
        if empty is not None:
            ones = c.emit("Expand", c.ints(1), c.shape(ids))
            sizes = _scattered(c, c.emit("Expand", c.ints(0), more), column, ones, "add")
            for _ in range(c.rank(0) - 1):
                sizes = c.emit("Unsqueeze", sizes, c.ints([-1]))
            found = c.where(c.emit("Equal", sizes, c.ints(0), dtype=bool_), c.like(data, empty), found)
        return c.emit("Slice", found, c.ints([0]), count, c.ints([0]))

    return rule


def _segment_mean(c: Use) -> Ref:
    total = _segments("add", "zero")(c)
    assert isinstance(total, Ref)
    ids = c.int64(1)
    ones = c.emit("Expand", c.ints(1), c.shape(ids))
    start = c.emit("Expand", c.ints(0), c.emit("Slice", c.shape(total), c.ints([0]), c.ints([1])))
    sizes = _scattered(c, start, c.emit("Unsqueeze", ids, c.ints([1])), ones, "add")
    for _ in range(c.rank(0) - 1):
        sizes = c.emit("Unsqueeze", sizes, c.ints([-1]))
    return c.emit("Div", total, c.cast(c.emit("Max", sizes, c.ints(1)), total.dtype))


_STARTS: dict[str, Callable[[DType], float]] = {
    "zero": lambda t: 0,
    "one": lambda t: 1,
    "least": lambda t: float(t.min) if t.is_floating else int(t.min),
    "greatest": lambda t: float(t.max) if t.is_floating else int(t.max),
}


# --- where, unique ---------------------------------------------------------------------------------------------------
def _places(c: Use) -> Ref:
    x = c[0]
    flags = x if x.dtype is bool_ else c.emit("Not", c.emit("Equal", x, c.like(x, 0), dtype=bool_))
    return c.emit("Transpose", c.emit("NonZero", flags, dtype=int64), perm=[1, 0])


def _unique(c: Use) -> list[Ref]:
    x = c[0]
    counts = len(c.node.outputs) > 2
    wide = x.dtype if x.dtype.name in ("float32", "float64", "int64", "string") else int64
    if x.dtype.name in ("bfloat16", "float16"):
        wide = float32
    found = c.emit_all("Unique", [c.cast(x, wide)], [wide, int64, int64, int64], sorted=0)
    kept = [c.cast(found[0], x.dtype), c.cast(found[2], c.dtype(1))]
    return [*kept, c.cast(found[3], c.dtype(2))] if counts else kept


# names: the ops of this family
RULES: dict[str, Rule] = {
    "Gather": gather,
    "GatherNd": _gather_nd,
    "GatherV2": gather,
    "ScatterNd": _scatter_nd,
    "SegmentMax": _segments("max", "least", 0),
    "SegmentMean": _segment_mean,
    "SegmentMin": _segments("min", "greatest", 0),
    "SegmentProd": _segments("mul", "one"),
    "SegmentSum": _segments("add", "zero"),
    "Slice": _slice,
    "StridedSlice": _strided_slice,
    "TensorScatterAdd": _scatter("add"),
    "TensorScatterMax": _scatter("max"),
    "TensorScatterMin": _scatter("min"),
    "TensorScatterSub": _scatter_sub,
    "TensorScatterUpdate": _scatter("none"),
    "Unique": _unique,
    "UniqueWithCounts": _unique,
    "UnsortedSegmentMax": _segments("max", "least"),
    "UnsortedSegmentMin": _segments("min", "greatest"),
    "UnsortedSegmentProd": _segments("mul", "one"),
    "UnsortedSegmentSum": _segments("add", "zero"),
    "Where": _places,
}
