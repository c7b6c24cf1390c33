"""What shape the elements of a list have: found out from everything that is put into it, in whatever graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graphrt.ir.graph import Graph, Node, Value, static_shape
from graphrt.ir.op import BRANCH, CALL, LOOP
from graphrt.types.shape import Dims, merge

_ITEM = {  # names: of each op, the input that is an element
    "TensorListPushBack": 1, "TensorListSetItem": 2,
}  # fmt: skip
_MADE = {"TensorListReserve", "EmptyTensorList"}  # names: ops that make a list for elements of a shape


class ListShapes:
    """The static shapes of the elements of all lists of a graph, and of those that its nodes run."""

    def __init__(self, graph: Graph) -> None:
        self._parents: dict[Value, Value] = {}
        self._dims: dict[Value, list[Dims]] = {}
        self._seen: set[int] = set()
        self._graph(graph)

    def of(self, value: Value) -> Dims:
        """The shape of the elements of the list `value`, as far as it is known; None if they differ."""
        found: Dims = None
        root = self._root(value)
        try:
            for list_, dims in self._dims.items():
                if self._root(list_) is root:
                    for one in dims:
                        found = merge(found, one)
        except ValueError:
            return None
        return found

    def _root(self, value: Value) -> Value:
        while value in self._parents:
            value = self._parents[value]
        return value

    def _join(self, values: Iterable[Value]) -> None:
        first, *rest = values
        for other in rest:
            if other.dtype.name == "variant" and self._root(other) is not self._root(first):
                self._parents[self._root(other)] = self._root(first)

    def _note(self, value: Value, dims: Dims) -> None:
        self._dims.setdefault(value, []).append(dims)

    def _graph(self, graph: Graph) -> None:
        if id(graph) in self._seen:
            return
        self._seen.add(id(graph))
        for node in graph.nodes:
            if node.op.structure in (BRANCH, LOOP, CALL):
                self._runs(node)
            elif any(v.dtype.name == "variant" for v in (*node.inputs, *node.outputs)):
                self._list_op(node)

    def _runs(self, node: Node) -> None:
        for _, inner in node.subgraphs():
            self._graph(inner)
            given = node.inputs[1:] if node.op.structure == BRANCH else node.inputs
            self._pairs(given, inner.inputs)
            if len(inner.outputs) == len(node.outputs):
                self._pairs(node.outputs, inner.outputs)
                if node.op.structure == LOOP:
                    self._pairs(node.outputs, inner.inputs)

    def _pairs(self, one: Sequence[Value], other: Sequence[Value]) -> None:
        for a, b in zip(one, other):
            if a.dtype.name == "variant":
                self._join([a, b])

    def _list_op(self, node: Node) -> None:
        lists = [v for v in (*node.inputs, *node.outputs) if v.dtype.name == "variant"]
        self._join(lists)
        if node.type in _ITEM:
            self._note(lists[0], node.inputs[_ITEM[node.type]].dims)
        elif node.type in _MADE:
            self._note(lists[0], static_shape(node.inputs[0]) if node.inputs[0].dims != () else None)
        elif node.type in ("TensorListFromTensor", "TensorListScatterV2"):  # names: of rows
            dims = node.inputs[0].dims
            self._note(lists[0], None if dims is None else dims[1:])
        elif node.type in ("TensorListGetItem", "TensorListStack"):  # names: what is read
            dims = node.outputs[0].dims
            self._note(lists[0], dims if node.type == "TensorListGetItem" or dims is None else dims[1:])  # names: so
        elif node.type == "TensorListPopBack":  # names: what is read
            self._note(lists[0], node.outputs[1].dims)
