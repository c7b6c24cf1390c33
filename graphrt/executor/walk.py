"""Runs a long graph of small values as a table of calls, for as long as compiling its text would take longer.

    %mul: Mul(x, half)                     multiply, 3, 1
    %add: AddV2(mul, one)        ->        add,      4, 2
    %Sum: Sum(add, axis)                   None,     0, 0     and beside it: (call of the kernel, places, how many)

Each value has a place in a list: constants first, then the inputs, then what the calls give, in order. Most of what a
first call of thousands of operators takes are passes over the graph and Python's own compiler, by far more than
computing a few thousand numbers once. The table is of the graph as it was traced: passes change no bit of a result.
It holds numbers, and functions that are there anyway, so that it is little work for the garbage collector.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from graphrt.executor.plan import may_be_large
from graphrt.ir import verify
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.growth import guard_of
from graphrt.ir.liveness import live_among
from graphrt.ir.op import CALLS_PYTHON, CONSTANT, DRAWS, FORWARDS, STATEFUL, TYPED, Infix, OpDef
from graphrt.ir.rows import Columns, Given, Rows
from graphrt.types import float_warnings

LEAST = 200  # calls in a table: a shorter program is compiled at once
CALLS = 32  # of a table, after which its text is compiled: they have taken about a third of what that takes, or less

_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "&": operator.and_, "|": operator.or_, "^": operator.xor, "<": operator.lt, "<=": operator.le,
    ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne, "**": operator.pow,
    "<<": operator.lshift, ">>": operator.rshift,
}  # fmt: skip
_UNARY: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "~": operator.invert}
_get_mode, _set_mode, _IGNORE = float_warnings.get_mode, float_warnings.set_mode, float_warnings.IGNORE


class Table:
    """The calls that compute a graph.

    Attributes:
      runs: numbers its runs, from 1 on.
    """

    __slots__ = (
        "_called", "_computes", "_firsts", "_nodes", "_others", "_outputs", "_rows", "_seconds", "_start", "runs",
    )  # fmt: skip

    def __init__(self, graph: Graph, live: list[Node], constants: list[Node], rows: _LiveRows | None = None) -> None:
        self.runs = itertools.count(1)
        self._nodes = live  # what is called, in order
        self._rows = None if rows is None else rows.rows
        self._called: list[int] = []  # and then these rows
        self._computes: list[Callable[..., Any] | None] = []
        self._firsts: list[int] = []  # the place of the first input; of what is no plain call, its place in `_others`
        self._seconds: list[int] = []  # the place of the second input; below zero there is none
        self._others: list[_Call] = []
        self._start: list[Any] = []  # the constants
        places: dict[Value, int] = {}
        same: dict[int, int] = {}  # constants of one number have the same attributes
        for node in constants:
            at = same.setdefault(id(node.attrs), len(self._start))
            if at == len(self._start):
                self._start.append(_constant(node.attrs["value"]))
            places[node.given()[0]] = at
        for attrs in () if rows is None else rows.constants():
            if same.setdefault(id(attrs), len(self._start)) == len(self._start):
                self._start.append(_constant(attrs["value"]))
        for at, value in enumerate(graph.inputs, len(self._start)):
            places[value] = at
        free = self._enter(places, len(self._start) + len(graph.inputs))
        if rows is not None:
            places.update(self._enter_rows(rows, places, same, free))
        self._outputs = [places[v] for v in graph.outputs]

    def _enter(self, places: dict[Value, int], free: int) -> int:
        """Enters the nodes, whose results have the places from `free` on; gives the first place that is left."""
        computes, firsts, seconds = self._computes.append, self._firsts.append, self._seconds.append
        forwarding = []
        for node in self._nodes:
            inputs, outputs = node.taken(), node.given()
            if FORWARDS in node.op.traits:
                for value, passed in zip(outputs, inputs):
                    places[value] = places[passed]
                forwarding.append(node)
                continue
            compute = _plain(node, inputs)
            computes(compute)
            if compute is None:
                firsts(len(self._others))
                seconds(-1)
                self._others.append(_Call(node, [places[v] for v in inputs]))
            else:
                firsts(places[inputs[0]])
                seconds(places[inputs[1]] if len(inputs) > 1 else -1)
            for value in outputs:
                places[value] = free
                free += 1
            if not outputs:
                free += 1  # what it gives is None
        if forwarding:
            gone = set(forwarding)
            self._nodes = [n for n in self._nodes if n not in gone]
        return free

    def _enter_rows(
        self, live: _LiveRows, places: dict[Value, int], constants: dict[int, int], free: int
    ) -> dict[Value, int]:  # fmt: skip
        """Enters the rows; gives the places of the graph's outputs among their results."""
        computes, firsts, seconds, called = (
            self._computes.append, self._firsts.append, self._seconds.append, self._called.append,
        )  # fmt: skip
        known: dict[OpDef, Callable[..., Any] | None] = {}
        found = [0] * len(live.ops)
        for at in live.numbers:
            op, first = live.ops[at], live.firsts[at]
            start = _place(first, found, places, constants)
            if op not in known:
                known[op] = None if FORWARDS in op.traits else _call_of(op, 1 if live.seconds[at] is None else 2)
            compute = known[op]
            if compute is None:
                found[at] = start
                continue
            second = live.seconds[at]
            computes(compute)
            firsts(start)
            seconds(-1 if second is None else _place(second, found, places, constants))
            called(at)
            found[at] = free
            free += 1
        return {value: found[at] for value, at in live.outputs.items()}

    def run(self, inputs: tuple[Any, ...], meant: Callable[[Exception, Node, list[Any]], Exception]) -> tuple[Any, ...]:
        """What the graph computes of raw `inputs`.

        Raises:
          Exception: what `meant` makes of an exception, the node that it came from, and the values of its inputs.
        """
        values = [*self._start, *inputs]
        append, others, given = values.append, self._others, len(values)
        mode = _get_mode()
        try:
            _set_mode(_IGNORE)
            for compute, first, second in zip(self._computes, self._firsts, self._seconds):
                if second >= 0:
                    append(compute(values[first], values[second]))  # type: ignore[misc]
                elif compute is not None:
                    append(compute(values[first]))
                else:
                    values += others[first](values)
        except Exception as error:
            node, places = self._at(len(values) - given)
            raise meant(error, node, [values[at] for at in places])  # noqa: B904 (it says what it comes from)
        finally:
            _set_mode(mode)
        return tuple([values[at] for at in self._outputs])

    def _at(self, made: int) -> tuple[Node, list[int]]:
        """The node that runs when so many results are there, and the places of its inputs."""
        at = 0
        while made and at < len(self._nodes):
            made -= len(self._nodes[at].given()) or 1
            at += 1
        at += made
        first, second = self._firsts[at], self._seconds[at]
        if at >= len(self._nodes):
            assert self._rows is not None
            node = self._rows.node(self._called[at - len(self._nodes)])
        else:
            node = self._nodes[at]
        if self._computes[at] is None:
            return node, self._others[first].places
        return node, [first] if second < 0 else [first, second]


def table_of(graph: Graph) -> Table | None:
    """The table of `graph`; None where the graph is short, or does more than to call kernels on small values."""
    if graph.is_foreign or graph.is_atomic or verify.ENABLED:
        return None
    nodes, rows = _parts(graph)
    if len(nodes) < LEAST and rows is None:
        return None
    if rows is not None and not all(map(_is_callable, set(rows.ops))):
        return None
    given = {v.node for v in graph.inputs}
    constants: list[Node] = []
    called: list[Node] = []
    known: set[OpDef] = set()
    for node in live_among(nodes, {v.node for v in graph.outputs} if rows is None else rows.wanted):
        op = node.op
        if CONSTANT in op.traits:
            constants.append(node)
            continue
        if op not in known:
            if node in given:
                continue
            if not _is_callable(op):
                return None
            known.add(op)
        outputs = node.given()
        if len(outputs) != 1 or outputs[0].dims != () or outputs[0].dtype.kind == "O":
            if any(may_be_large(v) for v in outputs) or guard_of(node, False) is not None:
                return None
        called.append(node)
    many = len(called) + (0 if rows is None else len(rows.numbers))
    return Table(graph, called, constants, rows) if many >= LEAST else None


def _parts(graph: Graph) -> tuple[list[Node], _LiveRows | None]:
    """The nodes of a graph, and the rows behind them, for as long as these are none."""
    rows = graph.rows
    columns = None if rows is None else rows.columns(graph.outputs)
    if rows is None or columns is None:
        return graph.nodes, None
    return columns.before, _LiveRows(graph, rows, columns)


class _LiveRows:
    """The rows of a graph that its outputs need.

    Attributes:
      rows: all of them.
      ops, firsts, seconds: of all of them.
      numbers: of those that are needed, in order.
      outputs: the outputs of the graph that are results of rows, and which.
      wanted: the nodes that are needed besides.
    """

    __slots__ = ("firsts", "numbers", "ops", "outputs", "rows", "seconds", "wanted")

    def __init__(self, graph: Graph, rows: Rows, columns: Columns) -> None:
        self.rows = rows
        _, self.ops, self.firsts, self.seconds, self.outputs = columns
        self.wanted = {v.node for v in graph.outputs if v not in self.outputs}
        needed = bytearray(len(self.ops))
        for at in self.outputs.values():
            needed[at] = 1
        for at in range(len(needed) - 1, -1, -1):
            if needed[at]:
                for taken in (self.firsts[at], self.seconds[at]):
                    if type(taken) is int:
                        needed[taken] = 1
                    elif type(taken) is Value:
                        self.wanted.add(taken.node)
        self.numbers = [at for at, is_needed in enumerate(needed) if is_needed]

    def constants(self) -> Iterator[dict[str, Any]]:
        """The attributes of the constants that they take, again and again."""
        for at in self.numbers:
            for taken in (self.firsts[at], self.seconds[at]):
                if type(taken) is dict:
                    yield taken


def _place(taken: Given, found: list[int], places: dict[Value, int], constants: dict[int, int]) -> int:
    if type(taken) is int:
        return found[taken]
    return constants[id(taken)] if type(taken) is dict else places[taken]  # type: ignore[index]  # a value


def _is_callable(op: OpDef) -> bool:
    """Whether a node of `op` does what its kernel does, and no more."""
    if op.kernel is None or op.structure is not None or not op.traits.isdisjoint((CALLS_PYTHON, DRAWS)):
        return False
    return STATEFUL not in op.traits or op.emit is None or TYPED in op.traits


class _Call:
    """What is called of a node that is no plain call of one or two values."""

    __slots__ = ("_kernel", "_node", "places")

    def __init__(self, node: Node, places: list[int]) -> None:
        op = node.op
        assert op.kernel is not None
        self._node = node
        self._kernel = (
            partial(op.kernel, **{k: node.attrs[k] for k in op.kernel_attrs}) if op.kernel_attrs else op.kernel
        )
        self.places = places

    def __call__(self, values: list[Any]) -> Any:
        """The results, one for each output; where there is none, None."""
        node = self._node
        op = node.op
        found = self._kernel(*op.group([values[at] for at in self.places], node.attrs))
        count = len(node.outputs)
        if count > 1:
            return found
        if count == 0:
            return (None,)
        is_packed = op.outputs[0].is_list or len(op.outputs) > 1
        return (found[0] if is_packed and isinstance(found, (list, tuple)) else found,)


def _plain(node: Node, inputs: Sequence[Value]) -> Callable[..., Any] | None:
    """What computes the one output of a node of one input or two; None where it takes more than to call that."""
    op = node.op
    if not op.simple or not 0 < len(inputs) < 3:
        return None
    return op.kernel if inputs[0].dtype.kind in "SO" or inputs[-1].dtype.kind in "SO" else _call_of(op, len(inputs))


def _call_of(op: OpDef, count: int) -> Callable[..., Any] | None:
    """What computes an op of `count` numbers."""
    if type(op.emit) is Infix:
        return _BINARY[op.emit.symbol] if count > 1 else _UNARY[op.emit.symbol]
    return op.kernel


def _constant(value: Any) -> Any:
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype != object else value
