"""Branches and loops, whose graphs see the values around them."""

# names of another format: those of ONNX's ops

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.control_flow.while_loop import while_loop
from graphrt.export.onnx import schema
from graphrt.export.onnx.reader import Item, Reading, Use, renamed, tensor_of
from graphrt.export.onnx.readings.arrays import shape64
from graphrt.ops.array.padding import ReverseV2
from graphrt.ops.array.shape import Reshape, Transpose
from graphrt.ops.lists.tensor_array import TensorArray
from graphrt.ops.math.casting import cast
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import bool_, int32, int64
from graphrt.types.shape import TensorShape


def _flag(x: Tensor) -> Tensor:
    return Reshape(cast(x, bool_), np.zeros(0, np.int32))


def _if(c: Use) -> list[Item]:
    def branch(name: str) -> Any:
        graph = c.graph(name)
        return lambda: [renamed(t) for t in c.reader.body(graph, dict(c.env))]

    found = cond(_flag(c[0]), branch("then_branch"), branch("else_branch"))
    return list(found) if isinstance(found, (list, tuple)) else [found]


def _lists(c: Use, ports: list[Any]) -> list[TensorArray]:
    """A list for each output of a body that is a row of a result."""
    found = []
    for port in ports:
        dtype = schema.DTYPES.get(port.type.tensor_type.elem_type)
        if dtype is None:
            raise ValueError(f"the type of the row {port.name!r} is not told")
        found.append(TensorArray(dtype, size=0, dynamic_size=True, element_shape=TensorShape(c.reader.dims(port))))
    return found


class _Loop:
    """One loop: what it carries, and the rows that it adds up."""

    def __init__(self, c: Use) -> None:
        self.c = c
        self.graph = c.graph("body")
        self.carried = [c.item(i) for i in range(2, len(c.inputs))]
        self.rows = list(self.graph.output)[1 + len(self.carried) :]
        self.most = c.given(0)
        self.go_on = _flag(c[1]) if c.given(1) is not None else convert_to_tensor(True)
        if len(self.graph.input) != 2 + len(self.carried) or len(self.graph.output) < 1 + len(self.carried):
            raise ValueError("its body takes or gives another number of values than it does")

    def run(self, shapes: Any) -> list[Item]:
        """Records the loop; `shapes` are those of what it carries, None for those it starts with."""
        lists = _lists(self.c, self.rows)

        def test(i: Tensor, go_on: Tensor, *_: Any) -> Tensor:
            if self.most is None:
                return go_on
            return go_on & (i < Reshape(cast(self.most, int64), np.zeros(0, np.int32)))

        def turn(i: Tensor, go_on: Tensor, carried: list[Item], lists: list[TensorArray]) -> Any:
            names = [p.name for p in self.graph.input]
            env = {**self.c.env, **dict(zip(names, [i, go_on, *carried]))}
            found = self.c.reader.body(self.graph, env)
            count = 1 + len(carried)
            written = [a.write(cast(i, int32), tensor_of(row)) for a, row in zip(lists, found[count:])]
            kept = [renamed(t) for t in found[1:count]]
            return i + convert_to_tensor(np.int64(1)), _flag(tensor_of(found[0])), kept, written

        start = (convert_to_tensor(np.int64(0)), self.go_on, self.carried, lists)
        scalar = TensorShape([])
        invariants = None
        if shapes is not None:
            invariants = (scalar, scalar, shapes, [TensorShape(None) for _ in lists])
        _, _, carried, lists = while_loop(test, turn, start, invariants)
        return [*carried, *(a.stack() for a in lists)]


def _open(item: Item) -> TensorShape:
    rank = None if isinstance(item, TensorArray) else item.shape.rank
    return TensorShape(None if rank is None else [None] * rank)


def _loop(c: Use) -> list[Item]:
    """The loop with the shapes it starts with; if the body changes them, with open ones."""
    loop = _Loop(c)
    ranks = [_open(t) for t in loop.carried]
    for shapes in (None, ranks):
        try:
            return loop.run(shapes)
        except (errors.ShapeError, errors.LoopVariableError):
            continue
    return loop.run([TensorShape(None) for _ in loop.carried])


def _moved(x: Tensor, start: int, end: int) -> Tensor:
    """`x` with the axis `start` at the place `end`, one of them being 0."""
    rank = x.shape.rank
    axis = start or end
    if rank is None or not -rank <= axis < rank:
        raise ValueError(f"the axis {axis} of a tensor of rank {rank}")
    order = list(range(rank))
    order.insert(end % rank, order.pop(start % rank))
    return x if axis == 0 else Transpose(x, np.asarray(order, np.int32))


def _scan(c: Use) -> list[Item]:
    """A loop over the slices of its last inputs: states go from turn to turn, rows add up."""
    graph, count = c.graph("body"), c.whole("num_scan_inputs")
    states = len(c.inputs) - count
    ports = list(graph.output)[states:]
    if count < 1 or states < 0 or len(graph.input) != len(c.inputs) or len(graph.output) < states:
        raise ValueError("its body takes or gives another number of values than it does")
    axes, directions = c.ints("scan_input_axes", [0] * count), c.ints("scan_input_directions", [0] * count)
    out_axes = c.ints("scan_output_axes", [0] * len(ports))
    out_directions = c.ints("scan_output_directions", [0] * len(ports))
    if (len(axes), len(directions), len(out_axes), len(out_directions)) != (count, count, len(ports), len(ports)):
        raise ValueError("it has another number of axes or directions than of inputs or outputs")
    first = np.zeros(1, np.int32)
    given = [_moved(c[states + i], axis, 0) for i, axis in enumerate(axes)]
    given = [ReverseV2(x, first) if backward else x for x, backward in zip(given, directions)]
    turns = cast(shape64(given[0])[0], int32)

    def turn(i: Tensor, carried: list[Item], lists: list[TensorArray]) -> Any:
        values = [*carried, *(x[i] for x in given)]
        found = c.reader.body(graph, {**c.env, **dict(zip([p.name for p in graph.input], values))})
        written = [a.write(i, tensor_of(row)) for a, row in zip(lists, found[states:])]
        return i + convert_to_tensor(np.int32(1)), [renamed(t) for t in found[:states]], written

    start = (convert_to_tensor(np.int32(0)), [c[i] for i in range(states)], _lists(c, ports))
    _, carried, lists = while_loop(lambda i, *_: i < turns, turn, start)
    rows = [a.stack() for a in lists]
    rows = [ReverseV2(x, first) if backward else x for x, backward in zip(rows, out_directions)]
    return [*carried, *(_moved(x, 0, axis) for x, axis in zip(rows, out_axes))]


READINGS: dict[str, Reading] = {
    "If": _if,
    "Loop": _loop,
    "Scan": _scan,
}
