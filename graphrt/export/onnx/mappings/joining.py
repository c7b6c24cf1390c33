"""Tensors joined, taken apart, padded, turned round."""

# names of another format: those of ONNX's ops

from __future__ import annotations

import numpy as np

from graphrt.export.onnx.builder import Ref
from graphrt.export.onnx.lowering import Rule, Use
from graphrt.types.dtype import bool_, int64, string

FAR = (1 << 63) - 1  # past the end of every axis


def _concat(c: Use) -> Ref:
    count = c.attr("N")
    axis = int(np.reshape(c.constant(count, "the axis"), ()))
    parts = [c[i] for i in range(count)]
    return parts[0] if count == 1 else c.emit("Concat", *parts, axis=axis)


def _older_concat(c: Use) -> Ref:
    axis = int(np.reshape(c.constant(0, "the axis"), ()))
    return c.emit("Concat", *[c[i] for i in range(1, len(c))], axis=axis)


def _pack(c: Use) -> Ref:
    axis = c.attr("axis")
    rows = [c.emit("Unsqueeze", x, c.ints([axis])) for x in c.inputs]
    if axis < 0 and len(rows) > 1:
        axis += c.rank() + 1
    return rows[0] if len(rows) == 1 else c.emit("Concat", *rows, axis=axis)


def _unpack(c: Use) -> list[Ref]:
    if c[0].dtype is string and c.attr("axis") not in (0, -1, c.rank() - 1):
        c.refuse("strings are taken along the first or last axis only: ONNX Runtime takes wrong ones along others")
    return [c.emit("Gather", c[0], c.ints(i), axis=c.attr("axis")) for i in range(c.attr("num"))]


def _split(c: Use) -> list[Ref]:
    axis = int(np.reshape(c.constant(0, "the axis"), ()))
    count = c.attr("num_split")
    if count == 1:
        return [c[1]]
    return c.emit_all("Split", [c[1]], [c.dtype()] * count, axis=axis, num_outputs=count)


def _split_at(c: Use) -> list[Ref]:
    axis = int(np.reshape(c.constant(2, "the axis"), ()))
    sizes = c.int64(1)
    known = c.const(1)
    if known is None or -1 in known.tolist():
        whole = c.emit("Gather", c.shape(c[0]), c.ints(axis), axis=0)
        given = c.emit("Max", sizes, c.ints(0))
        rest = c.emit("Sub", whole, c.emit("ReduceSum", given, keepdims=0))
        sizes = c.where(c.emit("Less", sizes, c.ints(0), dtype=bool_), rest, sizes)
    return c.emit_all("Split", [c[0], sizes], [c.dtype()] * c.attr("num_split"), axis=axis)


def _pads(c: Use, index: int) -> Ref:
    """The paddings of ONNX, all in front and then all behind."""
    known = c.const(index)
    if known is not None:
        return c.ints(np.reshape(np.transpose(known), -1).tolist())
    return c.emit("Reshape", c.emit("Transpose", c.int64(index), perm=[1, 0]), c.ints([-1]))


def _pad(c: Use) -> Ref:
    if c[0].dtype is string:
        c.refuse("strings cannot be padded")
    value = c[2] if len(c) > 2 else c.like(c[0], 0)
    return c.emit("Pad", c[0], _pads(c, 1), value, mode="constant")


def _mirror_pad(c: Use) -> Ref:
    if c[0].dtype is string:
        c.refuse("strings cannot be padded")
    if c.attr("mode") == "REFLECT":
        return c.emit("Pad", c[0], _pads(c, 1), mode="reflect")
    x = c[0]
    for axis, (before, after) in enumerate(c.constant(1, "the paddings").tolist()):
        size = c.emit("Gather", c.shape(x), c.ints([axis]), axis=0)
        parts = [x]
        if before:
            parts.insert(0, _backwards(c, c.emit("Slice", x, c.ints([0]), c.ints([before]), c.ints([axis])), [axis]))
        if after:
            start = c.emit("Sub", size, c.ints([after]))
            parts.append(_backwards(c, c.emit("Slice", x, start, size, c.ints([axis])), [axis]))
        x = c.emit("Concat", *parts, axis=axis) if len(parts) > 1 else x
    return x


def _backwards(c: Use, x: Ref, axes: list[int]) -> Ref:
    count = len(axes)
    return c.emit("Slice", x, c.ints([-1] * count), c.ints([-FAR] * count), c.ints(axes), c.ints([-1] * count))


def _reverse(c: Use) -> Ref:
    axes = [int(a) for a in np.atleast_1d(c.constant(1, "the axes"))]
    return _backwards(c, c[0], axes) if axes else c[0]


def _older_reverse(c: Use) -> Ref:
    axes = np.nonzero(c.constant(1, "the axes"))[0].tolist()
    return _backwards(c, c[0], axes) if axes else c[0]


def _reverse_sequence(c: Use) -> Ref:
    time, batch = c.attr("seq_dim"), c.attr("batch_dim")
    if sorted((time, batch)) != [0, 1]:
        c.refuse("its axes must be the first two")
    return c.emit("ReverseSequence", c[0], c.int64(1), time_axis=time, batch_axis=batch)


def _roll(c: Use) -> Ref:
    x = c[0]
    shifts = c.emit("Reshape", c.int64(1), c.ints([-1]))
    for i, axis in enumerate(np.atleast_1d(c.constant(2, "the axes")).tolist()):
        size = c.emit("Gather", c.shape(x), c.ints([axis]), axis=0)
        shift = c.emit("Slice", shifts, c.ints([i]), c.ints([i + 1]))
        at = c.emit("Mod", c.emit("Neg", shift), c.emit("Max", size, c.ints([1])))
        head = c.emit("Slice", x, c.ints([0]), at, c.ints([axis]))
        tail = c.emit("Slice", x, at, c.ints([FAR]), c.ints([axis]))
        x = c.emit("Concat", tail, head, axis=axis)
    return x


def _inverse_order(c: Use) -> Ref:
    x = c[0]
    size = c.shape(x)
    places = c.cast(c.emit("Range", c.ints(0), c.emit("Squeeze", size), c.ints(1), dtype=int64), x.dtype)
    zeros = c.emit("Expand", c.like(x, 0), size)
    return c.emit("ScatterElements", zeros, x, places, axis=0)


# names: the ops of this family
RULES: dict[str, Rule] = {
    "Concat": _older_concat,
    "ConcatV2": _concat,
    "InvertPermutation": _inverse_order,
    "MirrorPad": _mirror_pad,
    "Pack": _pack,
    "Pad": _pad,
    "PadV2": _pad,
    "Reverse": _older_reverse,
    "ReverseSequence": _reverse_sequence,
    "ReverseV2": _reverse,
    "Roll": _roll,
    "Split": _split,
    "SplitV": _split_at,
    "Unpack": _unpack,
}
