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
from graphrt.ops.array.shape import Reshape
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

    def _lists(self) -> list[TensorArray]:
        found = []
        for port in self.rows:
            dtype = schema.DTYPES.get(port.type.tensor_type.elem_type)
            if dtype is None:
                raise ValueError(f"the type of the row {port.name!r} is not told")
            shape = TensorShape(self.c.reader.dims(port))
            found.append(TensorArray(dtype, size=0, dynamic_size=True, element_shape=shape))
        return found

    def run(self, shapes: Any) -> list[Item]:
        """Records the loop; `shapes` are those of what it carries, None for those it starts with."""
        lists = self._lists()

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


READINGS: dict[str, Reading] = {
    "If": _if,
    "Loop": _loop,
}
