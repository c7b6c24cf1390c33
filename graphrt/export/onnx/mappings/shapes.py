"""Shapes: asked for, changed, filled."""

# names of another format: those of ONNX's ops

from __future__ import annotations

import numpy as np

from graphrt.export.onnx.builder import Ref
from graphrt.export.onnx.lowering import Rule, Use
from graphrt.types.dtype import bool_, int64, string


def _shape(c: Use) -> Ref:
    return c.cast(c.shape(c[0]), c.dtype())


def _shape_n(c: Use) -> list[Ref]:
    return [c.cast(c.shape(x), c.dtype()) for x in c.inputs]


def _size(c: Use) -> Ref:
    return c.cast(c.graph.emit("Size", c[0], dtype=int64), c.dtype())


def _rank(c: Use) -> Ref:
    return c.cast(c.graph.emit("Size", c.shape(c[0]), dtype=int64), c.dtype())


def reshape(c: Use, x: Ref, shape: Ref) -> Ref:
    """`x` in `shape` (int64), in which 0 means no elements."""
    known = c.graph.known(shape)
    if known is not None and 0 in known and -1 in known:
        c.refuse("a shape with both 0 and -1 has no counterpart")
    if known is not None and 0 not in known:
        return c.emit("Reshape", x, shape)
    return c.emit("Reshape", x, shape, allowzero=1)


def _expand_dims(c: Use) -> Ref:
    axis = c.emit("Reshape", c.int64(1), c.ints([1]))
    known = c.const(1)
    if known is not None:
        at = int(np.reshape(known, ()))
        axis = c.ints([at])
    return c.emit("Unsqueeze", c[0], axis)


def _squeeze(c: Use) -> Ref:
    axes = c.attr("squeeze_dims")
    if axes:
        return c.emit("Squeeze", c[0], c.ints(list(axes)))
    dims = c.dims()
    if dims is not None and None not in dims:
        ones = [i for i, d in enumerate(dims) if d == 1]
        return c.emit("Squeeze", c[0], c.ints(ones)) if ones else c[0]
    return c.emit("Squeeze", c[0])


def transpose(c: Use, x: Ref, order: list[int]) -> Ref:
    """`x` with its axes in another order."""
    if order == sorted(order):
        return x
    value = c.graph.known(x)
    if value is not None:  # weights, which need not be turned at each call
        return c.graph.constant(np.ascontiguousarray(np.transpose(value, order)), x.dtype, x.name)
    return c.emit("Transpose", x, perm=order)


def _transpose(c: Use) -> Ref:
    known = c.const(1)
    if known is None:
        reverse = c.node.inputs[1].node
        if reverse.type == "Sub" and c.dims() is not None:  # names: `transpose(x)` of a rank found at run time
            return transpose(c, c[0], list(range(c.rank()))[::-1])
        c.refuse("the order of the axes must be known when it is exported")
    order = [int(i) % max(len(known), 1) for i in known]
    return transpose(c, c[0], order)


def _broadcast_to(c: Use) -> Ref:
    return c.emit("Expand", c[0], c.int64(1))


def _fill(c: Use) -> Ref:
    return c.emit("Expand", c[1], c.int64(0))


def filled(c: Use, shape: Ref, value: Ref) -> Ref:
    """A tensor of the shape `shape` (int64) that holds `value` everywhere."""
    return c.emit("Expand", value, shape)


def _filled_like(number: float) -> Rule:
    def rule(c: Use) -> Ref:
        held = c.held(0)
        if not isinstance(held, Ref):
            c.refuse("zeros like a list have no counterpart")
        if held.dtype is string:
            return filled(c, c.shape(held), c.graph.constant(np.array(b"", object), string))
        return filled(c, c.shape(held), c.like(held, number))

    return rule


def _range(c: Use) -> Ref:
    return c.emit("Range", c[0], c[1], c[2])


def _lin_space(c: Use) -> Ref:
    start, stop = c[0], c[1]
    count = c.int64(2)
    places = c.cast(c.emit("Range", c.ints(0), count, c.ints(1), dtype=int64), start.dtype)
    steps = c.cast(c.emit("Max", c.emit("Sub", count, c.ints(1)), c.ints(1)), start.dtype)
    width = c.emit("Div", c.emit("Sub", stop, start), steps)
    line = c.emit("Add", start, c.emit("Mul", places, width))
    last = c.emit("Equal", places, c.emit("Max", steps, c.like(start, 1)), dtype=bool_)
    return c.where(last, stop, line)


def _broadcast_args(c: Use) -> Ref:
    x, y = c.int64(0), c.int64(1)
    one = c.graph.constant(np.float32(1))
    both = c.emit("Add", c.emit("Expand", one, x), c.emit("Expand", one, y))
    return c.cast(c.shape(both), c.dtype())


def _gradient_axes(c: Use) -> list[Ref]:
    """Of two shapes, the axes along which each is repeated when they are broadcast."""
    x, y = c.int64(0), c.int64(1)
    rank = c.emit("Max", c.shape(x), c.shape(y), dtype=int64)
    found = []
    for one in (x, y):
        pad = c.emit("Concat", c.emit("Sub", rank, c.shape(one), dtype=int64), c.ints([0]), axis=0, dtype=int64)
        found.append(c.emit("Pad", one, pad, c.ints(1), dtype=int64))
    differs = c.cast(c.emit("Not", c.emit("Equal", *found, dtype=bool_)), int64)
    any_differs = c.cast(c.emit("ReduceSum", differs, keepdims=0), bool_)
    ones = [c.emit("Equal", own, c.ints(1), dtype=bool_) for own in found]
    return [c.cast(_places(c, c.emit("And", flags, any_differs, dtype=bool_)), c.dtype()) for flags in ones]


def _places(c: Use, flags: Ref) -> Ref:
    return c.emit("Squeeze", c.emit("NonZero", flags, dtype=int64), c.ints([0]))


def _tile(c: Use) -> Ref:
    return c.emit("Tile", c[0], c.int64(1))


def _bitcast(c: Use) -> Ref:
    if c[0].dtype is c.dtype():
        return c[0]
    sizes = {c[0].dtype.size, c.dtype().size}
    if len(sizes) == 1 and c[0].dtype.is_integer and c.dtype().is_integer:
        return c.cast(c[0], c.dtype())
    c.refuse("bits taken for another type have no counterpart")


# names: the ops of this family
RULES: dict[str, Rule] = {
    "Bitcast": _bitcast,
    "BroadcastArgs": _broadcast_args,
    "BroadcastGradientArgs": _gradient_axes,
    "BroadcastTo": _broadcast_to,
    "ConjugateTranspose": _transpose,
    "ExpandDims": _expand_dims,
    "Fill": _fill,
    "LinSpace": _lin_space,
    "OnesLike": _filled_like(1),
    "Range": _range,
    "Rank": _rank,
    "Reshape": lambda c: reshape(c, c[0], c.int64(1)),
    "Shape": _shape,
    "ShapeN": _shape_n,
    "Size": _size,
    "Squeeze": _squeeze,
    "Tile": _tile,
    "Transpose": _transpose,
    "ZerosLike": _filled_like(0),
}
