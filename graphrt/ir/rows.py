"""Operators of Python on scalars as rows of a table, until somebody asks for the nodes that they are.

    %mul: Mul(x, half)  %add: AddV2(mul, one)        ->        Mul, "mul", x, 0.5; AddV2, "add", row 0, 1.0

A third of what a first call of 100,000 operators took was the garbage collector's, which goes over all objects that are
there again and again. A row is texts and numbers in a list, and the tensor that shows it lives for as long as the user has
it. Such a graph runs as a table of calls (`executor.walk`), which takes rows as they are; to everybody else `Graph.nodes`
makes nodes of all rows.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from graphrt.errors import Place
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.op import OpDef
from graphrt.ir.quick_node import QuickNode
from graphrt.types.dtype import DType

LEAST = 200  # operators one after the other, before those that follow become rows: most graphs never have one
# What an operator takes: the result of a row, a value of a node, the attributes of a constant; nothing.
Given: TypeAlias = "int | Value | dict[str, Any] | None"
_WIDTH = 8  # cells of a row
_OP, _ATTRS, _DTYPE, _NAME, _LABEL, _FIRST, _SECOND, _PLACE = range(_WIDTH)
_lock = threading.RLock()  # for what makes nodes: a finished graph is anybody's


class Shows(Protocol):
    """A tensor that shows the result of a row.

    Attributes:
      value: the result, once there is a node.
      row: the table and the number of the row; None once there is a value.
    """

    value: Value
    row: tuple[Rows, int] | None


class Columns(NamedTuple):
    """What those see who ask rows for no nodes.

    Attributes:
      before: the nodes of the graph before its rows.
      ops, firsts, seconds: the op of each row, and what it takes.
      numbers: the rows of the values that were asked for, of those that are results of rows.
    """

    before: list[Node]
    ops: Sequence[OpDef]
    firsts: Sequence[Given]
    seconds: Sequence[Given]
    numbers: dict[Value, int]


class Rows:
    """What stands behind the nodes of a graph; one output each, which is a scalar.

    Attributes:
      graph: that graph.
    """

    __slots__ = ("_cells", "_constant", "_made", "_numbers", "_settled", "_shown", "_swept", "graph")

    def __init__(self, graph: Graph, constant: OpDef) -> None:
        self.graph = graph
        self._constant = constant  # the op of constants
        self._cells: list[Any] = []
        self._made: dict[int, QuickNode] = {}  # nodes that somebody has asked for
        self._numbers: dict[Node, int] = {}  # which these are
        self._settled: list[Node] | None = None  # those of all rows, once they are the graph's
        self._shown: dict[int, weakref.ref[Any]] = {}  # the tensors of rows
        self._swept = 1024  # how many of these there are when those that are gone are taken out

    def __len__(self) -> int:
        return len(self._cells) // _WIDTH

    def add(
        self, op: OpDef, attrs: dict[str, Any], dtype: DType, name: str, label: str | None, first: Given, second: Given,
        place: Place | None,
    ) -> int:  # fmt: skip
        """Adds a row; gives its number. `label` is the name of the constant among what it takes."""
        at = len(self._cells) // _WIDTH
        if self._numbers:  # among what it takes may be what was a row
            first, second = self._as_row(first), self._as_row(second)
        self._cells += op, attrs, dtype, name, label, first, second, place
        self.graph.version += 1
        return at

    def show(self, at: int, tensor: Shows) -> None:
        """Says which tensor shows a row; it is not kept."""
        tensor.row = self, at
        shown = self._shown
        shown[at] = weakref.ref(tensor)
        if len(shown) > self._swept:
            self._shown = {k: ref for k, ref in shown.items() if ref() is not None}
            self._swept = 2 * len(self._shown) + 1024

    def dtype(self, at: int) -> DType:
        """The dtype of a row."""
        found: DType = self._cells[at * _WIDTH + _DTYPE]
        return found

    def columns(self, values: Sequence[Value]) -> Columns | None:
        """What the rows are now; None once there are nodes of them. `values` are those whose rows are asked for."""
        with _lock:
            if self._settled is not None:
                return None
            cells, numbers = self._cells, self._numbers
            known = {v: numbers[v.node] for v in values if v.node in numbers}
            before = list(self.graph.before_rows())
            return Columns(before, cells[_OP::_WIDTH], cells[_FIRST::_WIDTH], cells[_SECOND::_WIDTH], known)

    def _as_row(self, given: Given) -> Given:
        at = self._numbers.get(given.node) if type(given) is Value else None
        return given if at is None else at

    # --- nodes ---
    def tell(self, tensor: Shows) -> None:
        """Gives a tensor its value."""
        with _lock:
            if tensor.row is not None:  # nobody has done it meanwhile
                self._node(tensor.row[1])

    def node(self, at: int) -> Node:
        """The node of a row."""
        with _lock:
            return self._node(at) if self._settled is None else self._settled[at]

    def settle(self) -> None:
        """Makes nodes of all rows, and of the constants that they take; they are the graph's from now on."""
        with _lock:
            if self._settled is not None:
                return
            nodes, values = self._all_nodes()
            for at, ref in self._shown.items():
                tensor = ref()
                if tensor is not None:
                    tensor.value, values[at].handle, tensor.row = values[at], tensor, None
            self._settled = [value.node for value in values]
            for known in (self._made, self._numbers, self._shown, self._cells):
                known.clear()
            self.graph.take_rows(nodes)

    def _all_nodes(self) -> tuple[list[Node], list[Value]]:
        """The nodes of all rows and their constants, in order, and the results of the rows."""
        graph, constant = self.graph, self._constant
        nodes: list[Node] = []
        values: list[Value] = []
        rows = zip(*[iter(self._cells)] * _WIDTH)
        for at, (op, attrs, dtype, name, label, first, second, place) in enumerate(rows):
            taken = [first, second]
            for which, given in enumerate(taken):
                if type(given) is int:
                    taken[which] = values[given]
                elif type(given) is dict:
                    number = QuickNode(graph, constant, label, given)
                    number.location = place
                    taken[which] = number.give(Value(number, 0, (), given["dtype"]))
                    nodes.append(number)
            node = self._made.get(at)
            if node is None:
                node = QuickNode(graph, op, name, attrs, *taken)
                node.location = place
                values.append(node.give(Value(node, 0, (), dtype)))
            else:
                node.take(*taken)
                values += node.given()
            nodes.append(node)
        return nodes, values

    def _node(self, at: int) -> QuickNode:
        node = self._made.get(at)
        if node is None:
            cells = self._cells[at * _WIDTH : (at + 1) * _WIDTH]
            node = self._made[at] = RowNode(self.graph, cells[_OP], cells[_NAME], cells[_ATTRS])
            self._numbers[node] = at
            node.location = cells[_PLACE]
            value = node.give(Value(node, 0, (), cells[_DTYPE]))
            ref = self._shown.pop(at, None)
            tensor = None if ref is None else ref()
            if tensor is not None:
                tensor.value, value.handle, tensor.row = value, tensor, None
        return node


class RowNode(QuickNode):
    """The node of a row that is asked for before all others are made: who wants to know what it takes asks for all."""

    __slots__ = ()

    def take(self, first: Value | None = None, second: Value | None = None) -> None:
        """Says what it takes: it is a node as others are from now on."""
        self.__class__ = QuickNode  # type: ignore[assignment]  # of the same slots
        QuickNode.take(self, first, second)

    def taken(self) -> tuple[Value, ...]:
        """The values that it takes."""
        self.graph.settle()
        return QuickNode.taken(self)
