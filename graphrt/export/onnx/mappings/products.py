"""Products of matrices and what is made of diagonals."""

# names of another format: those of ONNX's ops

from __future__ import annotations

import numpy as np

from graphrt.export.onnx.builder import Ref
from graphrt.export.onnx.lowering import Rule, Use
from graphrt.export.onnx.mappings.shapes import transpose
from graphrt.types.dtype import bool_, int64


def turned(c: Use, x: Ref, rank: int) -> Ref:
    """The last two axes changed places."""
    return transpose(c, x, [*range(rank - 2), rank - 1, rank - 2])


def _product(left: str, right: str) -> Rule:
    def rule(c: Use) -> Ref:
        x = turned(c, c[0], c.rank(0)) if c.attr(left) else c[0]
        y = turned(c, c[1], c.rank(1)) if c.attr(right) else c[1]
        if c.dtype() is not x.dtype:  # BatchMatMulV3 may ask for another type of result
            x, y = c.cast(x, c.dtype()), c.cast(y, c.dtype())
        return c.emit("MatMul", x, y)

    return rule


def _einsum(c: Use) -> Ref:
    return c.emit("Einsum", *c.inputs, equation=c.attr("equation"))


def _band(c: Use) -> Ref:
    x = c[0]
    lower, upper = (c.const(i) for i in (1, 2))
    if (lower is not None and int(lower) >= 0) or lower is None:
        x = c.emit("Trilu", x, c.emit("Neg", c.int64(1)), upper=1) if lower is not None else _maybe(c, x, 1, 1)
    if (upper is not None and int(upper) >= 0) or upper is None:
        x = c.emit("Trilu", x, c.int64(2), upper=0) if upper is not None else _maybe(c, x, 2, 0)
    return x


def _maybe(c: Use, x: Ref, index: int, upper: int) -> Ref:
    """`x` cut off at a diagonal that is found at run time; not at all if that is negative."""
    count = c.int64(index)
    far = c.graph.emit("ReduceMax", c.shape(x), keepdims=0)
    count = c.where(c.emit("Less", count, c.ints(0), dtype=bool_), far, count)
    return c.emit("Trilu", x, c.emit("Neg", count) if upper else count, upper=upper)


def eye_like(c: Use, x: Ref) -> Ref:
    """Flags of the diagonal of the matrices of `x`."""
    shape = c.shape(x)
    rows = c.emit("Squeeze", c.emit("Slice", shape, c.ints([-2]), c.ints([-1])), c.ints([0]))
    columns = c.emit("Squeeze", c.emit("Slice", shape, c.ints([-1]), c.ints([1 << 40])), c.ints([0]))
    down = c.emit("Unsqueeze", c.emit("Range", c.ints(0), rows, c.ints(1)), c.ints([1]))
    return c.emit("Equal", down, c.emit("Range", c.ints(0), columns, c.ints(1)), dtype=bool_)


def _diagonal_matrix(c: Use) -> Ref:
    x = c[0]
    if c.node.type == "Diag" and c.rank() != 1:  # names: only of vectors
        c.refuse("a diagonal of more than two axes has no counterpart")
    if c.node.type != "Diag":  # names: the newer ones choose a diagonal
        plain = [(1, 0), (2, -1), (3, -1), (4, 0)][: len(c) - 1]
        if any(c.const(i) is None or np.any(c.constant(i, "the diagonal") != v) for i, v in plain):
            c.refuse("only the main diagonal of square matrices has a counterpart")
    last = c.emit("Slice", c.shape(x), c.ints([-1]), c.ints([1 << 40]))
    wide = c.emit("Expand", c.emit("Unsqueeze", x, c.ints([-1])), c.emit("Concat", c.shape(x), last, axis=0))
    return c.where(eye_like(c, wide), wide, c.like(x, 0))


def _diagonal_part(c: Use) -> Ref:
    x = c[0]
    dims = c.dims()
    if dims is None or len(dims) < 2 or dims[-1] is None or dims[-2] is None:
        c.refuse("the diagonal of matrices of unknown size has no counterpart")
    if c.node.type == "DiagPart" and len(dims) != 2:  # names: only of matrices
        c.refuse("a diagonal of more than two axes has no counterpart")
    if len(c) > 1 and np.any(c.constant(1, "the diagonal") != 0):
        c.refuse("only the main diagonal has a counterpart")
    size = min(dims[-1], dims[-2])
    kept = c.emit("Slice", x, c.ints([0, 0]), c.ints([size, size]), c.ints([-2, -1]))
    flags = c.cast(c.graph.constant(np.eye(size, dtype=bool)), x.dtype)
    return c.emit("ReduceSum", c.where(c.cast(flags, bool_), kept, c.like(x, 0)), c.ints([-1]), keepdims=0)


def _determinant(c: Use) -> Ref:
    return c.emit("Det", c[0])


def _one_hot(c: Use) -> Ref:
    axis = c.attr("axis")
    rank = c.rank()
    at = rank if axis == -1 else axis
    places = c.emit("Range", c.ints(0), c.emit("Reshape", c.int64(1), c.ints([])), c.ints(1), dtype=int64)
    for _ in range(rank - at):
        places = c.emit("Unsqueeze", places, c.ints([-1]))
    wide = c.emit("Unsqueeze", c.int64(0), c.ints([at]))
    return c.where(c.emit("Equal", wide, places, dtype=bool_), c[2], c[3])


# names: the ops of this family
RULES: dict[str, Rule] = {
    "BatchMatMul": _product("adj_x", "adj_y"),
    "BatchMatMulV2": _product("adj_x", "adj_y"),
    "BatchMatMulV3": _product("adj_x", "adj_y"),
    "Diag": _diagonal_matrix,
    "DiagPart": _diagonal_part,
    "Einsum": _einsum,
    "MatMul": _product("transpose_a", "transpose_b"),
    "MatrixBandPart": _band,
    "MatrixDeterminant": _determinant,
    "MatrixDiag": _diagonal_matrix,
    "MatrixDiagPart": _diagonal_part,
    "MatrixDiagPartV3": _diagonal_part,
    "MatrixDiagV3": _diagonal_matrix,
    "OneHot": _one_hot,
}
