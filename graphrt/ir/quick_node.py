"""Nodes of operators of Python, of which large graphs are made: their lists are made when somebody asks for them.

What a first call of 100,000 operators takes is half the work of the garbage collector, which goes over all that is
there again and again. Such a graph runs as a table of calls, which asks for no list (see `executor.walk`); what rewrites
a graph works on copies, which have theirs.
"""

from __future__ import annotations

from typing import Any

from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.op import OpDef


class QuickNode(Node):
    """A node of one output, of an op whose attributes nobody changes; to everybody else a `Node` as others are.

    >>> import graphrt as tf
    >>> with tf.FuncGraph("sums").as_default():
    ...     total = tf.constant(1.0) + 2.0
    >>> node = total.value.node
    >>> node.taken() == tuple(node.inputs), node.given() == tuple(node.outputs)
    (True, True)
    """

    __slots__ = ("_first", "_inputs", "_output", "_outputs", "_second")

    def __init__(
        self, graph: Graph, op: OpDef, name: str, attrs: dict[str, Any], first: Value | None = None,
        second: Value | None = None, *more: Value,
    ) -> None:  # fmt: skip
        self.graph = graph
        self.op = op
        self.name = name
        self.attrs = attrs
        self.controls = ()
        self.location = None
        self.handle = None
        self._first = first
        self._second = second
        self._inputs: list[Value] | None = None
        self._output: Value | None = None
        self._outputs: list[Value] | None = None
        if more:
            self._inputs = [first, second, *more]  # type: ignore[list-item]  # there are both, then

    def give(self, output: Value) -> Value:
        """Says what the output is, once; gives it back."""
        self._output = output
        return output

    def take(self, first: Value | None = None, second: Value | None = None) -> None:
        """Says what it takes, once, if that was not told at first."""
        self._first, self._second = first, second

    @property
    def inputs(self) -> list[Value]:  # an attribute of others
        """The values that it takes, in a list that is the node's from now on."""
        found = self._inputs
        if found is None:
            found = self._inputs = list(self.taken())
        return found

    @inputs.setter
    def inputs(self, values: list[Value]) -> None:
        self._inputs = values

    @property
    def outputs(self) -> list[Value]:
        """The values that it gives, in a list that is the node's from now on."""
        found = self._outputs
        if found is None:
            found = self._outputs = list(self.given())
        return found

    @outputs.setter
    def outputs(self, values: list[Value]) -> None:
        self._outputs = values

    def taken(self) -> tuple[Value, ...]:
        """The values that it takes; no list of them is kept."""
        if self._inputs is not None:
            return tuple(self._inputs)
        first, second = self._first, self._second
        if first is None:
            return ()
        return (first,) if second is None else (first, second)

    def given(self) -> tuple[Value, ...]:
        """The values that it gives; no list of them is kept."""
        if self._outputs is not None:
            return tuple(self._outputs)
        return () if self._output is None else (self._output,)
