"""Loops over whole numbers and float64 compute with Python's numbers, which are many times faster than NumPy's scalars.

    while True:                             n = int(x)
        stop = n < int32_10                 while True:
        if not stop:                            stop = n < 10
            break                     ->        if not stop:
        n = n * int32_3                             break
                                                n = n * 3
                                                if not -2147483648 <= n <= 2147483647:
                                                    n = wrapped(n)
                                            n_1 = int32(n)

A loop that does nothing but count is Python's `for` over a `range`. What leaves its dtype is wrapped around, as NumPy's
numbers are. Python's floats are float64, computed with the same instructions; quotients by zero, which Python refuses, go
to NumPy. A value is a number of Python only where all that is computed of it, and of what it is computed with, is; what
else a loop does is as ever. The writer of programs converts wherever a value of one kind meets one of the other, so this
only says where it pays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from graphrt.ir.code import Code, Template, identifier, sign
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.op import BRANCH, FORWARDS, INDEXES, LOOP, READS_ROWS, OpDef
from graphrt.ops.array.selection import SelectV2
from graphrt.ops.math.arithmetic import AddV2, Maximum, Minimum, Mul, Sub
from graphrt.ops.math.casting import Cast
from graphrt.ops.math.comparison import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from graphrt.ops.math.division import FloorDiv, FloorMod, RealDiv
from graphrt.ops.math.elementwise import Abs, Neg, Square
from graphrt.ops.math.logical import LogicalAnd, LogicalNot, LogicalOr
from graphrt.types.dtype import DType, float32, float64

_INFIX = Template("{1} {0} {2}")
_NEGATIVE, _SQUARE = Template("-{}"), Template("{0} * {0}")
_NOT, _AND, _OR = Template("not {}"), Template("{} and {}"), Template("{} or {}")
_HANDED = Template("{}({})")
_CHOICE = Template("{1} if {0} else {2}")
_GREATER = Template("{0} if {0} >= {1} else {1}")
_SMALLER = Template("{0} if {0} <= {1} else {1}")
_COUNT, _COUNT_BY = Template("for {0} in range({0}, {1}):"), Template("for {0} in range({0}, {1}, {2}):")
_EACH = Template("for {} in {}:")
_BELOW, _ABOVE = Template("if {} < {}:"), Template("if {} > {}:")
_OUTSIDE = Template("if not {1} <= {0} <= {2}:")

_Rule: TypeAlias = "Callable[..., Code]"


def _infix(symbol: str) -> _Rule:
    return functools.partial(_INFIX, sign(symbol))


def _handed_to(name: str) -> _Rule:
    return functools.partial(_HANDED, identifier(name))


_FLOAT = _handed_to("float")


_COMPARISONS: dict[OpDef, _Rule] = {
    Less: _infix("<"), LessEqual: _infix("<="), Greater: _infix(">"), GreaterEqual: _infix(">="),
    Equal: _infix("=="), NotEqual: _infix("!="),
}  # fmt: skip
_RULES: dict[OpDef, _Rule] = {
    AddV2: _infix("+"), Sub: _infix("-"), Mul: _infix("*"), FloorDiv: _infix("//"), FloorMod: _infix("%"),
    LogicalAnd: _AND, LogicalOr: _OR, LogicalNot: _NOT, Neg: _NEGATIVE, SelectV2: _CHOICE,
    Maximum: _GREATER, Minimum: _SMALLER, Abs: _handed_to("abs"), Square: _SQUARE, **_COMPARISONS,
}  # fmt: skip
_FLOAT_RULES: dict[OpDef, _Rule] = {
    op: _RULES[op] for op in (AddV2, Sub, Mul, Neg, Abs, Square, SelectV2, *_COMPARISONS)
} | {RealDiv: _infix("/")}  # fmt: skip
_WRAPS = frozenset([AddV2, Sub, Mul, Neg, FloorDiv, Abs, Square])


# --- which ------------------------------------------------------------------------------------------------------------
def _may_be(value: Value) -> bool:
    """Whether Python has such numbers."""
    return value.dims == () and (value.dtype.kind in "iub" or value.dtype is float64)


def rule_of(node: Node) -> _Rule | None:
    """What writes `node` on numbers of Python, from their names; None if nothing does."""
    values = (*node.inputs, *node.outputs)
    if not all(map(_may_be, values)):
        return None
    if node.op is Cast:
        is_number = node.inputs[0].dtype is not float64 and node.outputs[0].dtype is float64
        return _FLOAT if is_number else None
    rule = (_FLOAT_RULES if any(v.dtype is float64 for v in values) else _RULES).get(node.op)
    if node.op in (FloorDiv, FloorMod) and known(node.inputs[1]) == 0:
        return None  # the kernel refuses it
    return rule


def is_comparison(node: Node) -> bool:
    """Whether the result is of another kind than what it is computed of."""
    return node.op in _COMPARISONS or node.op is Cast


def may_divide_by_zero(node: Node) -> bool:
    """Whether `node` is a quotient that Python may refuse."""
    return node.op is RealDiv and not known(node.inputs[1])


def divided(x: float, y: float) -> float:
    """The quotient of two floats, which may be infinite, or no number."""
    return float(np.true_divide(x, y))


def known(value: Value) -> float | None:
    """The number that a constant holds."""
    return value.node.attrs["value"].item() if value.node.is_constant else None


def numbers_of(loop: Node) -> set[Value]:
    """The values in the graphs of `loop`, and in those that they run in place, that are best numbers of Python."""
    groups = _Groups()
    for graph in _graphs(loop):
        _look(graph, groups)
    _join_state(loop, groups)
    return groups.good()


def _graphs(node: Node) -> Iterator[Graph]:
    for _, graph in node.subgraphs():
        yield graph


class _Groups:
    """Values that are numbers of Python all together, or not at all."""

    def __init__(self) -> None:
        self._parents: dict[Value, Value] = {}
        self._refused: list[Value] = []
        self._computed: list[Value] = []

    def _root(self, value: Value) -> Value:
        while (parent := self._parents.setdefault(value, value)) is not value:
            self._parents[value] = value = self._parents[parent]
        return value

    def join(self, *values: Value) -> None:
        """Says that these are of one kind; constants are of any."""
        first: Value | None = None
        for value in values:
            if not _may_be(value):
                self.refuse(*values)
            if not value.node.is_constant:
                if first is not None:
                    self.follow(value, first)
                first = value

    def follow(self, value: Value, other: Value) -> None:
        """Says that `value` is of the kind of `other`, and nothing of what it is."""
        self._parents[self._root(value)] = self._root(other)

    def refuse(self, *values: Value) -> None:
        """Says that these are NumPy's."""
        self._refused += values

    def compute(self, *values: Value) -> None:
        """Says that these are computed, and not only passed on."""
        self._computed += values

    def good(self) -> set[Value]:
        """Those that nothing speaks against."""
        refused = {self._root(v) for v in self._refused}
        wanted = {self._root(v) for v in self._computed} - refused
        return {v for v in list(self._parents) if self._root(v) in wanted and not v.node.is_constant}


def _look(graph: Graph, groups: _Groups) -> None:
    for node in graph.nodes:
        if node.is_constant or node.is_parameter:
            continue
        if node.op.structure == BRANCH:
            for inner in _graphs(node):
                _look(inner, groups)
                for outer, parameter in zip(node.inputs[1:], inner.inputs, strict=True):
                    groups.join(outer, parameter)
                    if outer.node.is_constant:
                        groups.refuse(parameter)
                for result, found in zip(node.outputs, inner.outputs, strict=True):
                    groups.join(result, found)
            if node.inputs[0].dims != ():
                groups.refuse(node.inputs[0])
        elif node.op.structure == LOOP:
            for inner in _graphs(node):
                _look(inner, groups)
            _join_state(node, groups)
        elif rule_of(node) is not None:
            _join_computed(node, groups)
        elif FORWARDS in node.op.traits and len(node.outputs) == 1:
            groups.join(node.outputs[0], node.inputs[0])
            if node.inputs[0].node.is_constant:
                groups.refuse(node.outputs[0])
        else:
            groups.refuse(*(v for v in node.inputs if not _serves(v, node)), *node.outputs)


def _serves(value: Value, node: Node) -> bool:
    """Whether a number of Python is as good as one of NumPy to `node`, which is no arithmetic, and makes the same of it."""
    if value.dims != () or value.dtype.kind not in "iu":
        return False
    if node.op is Cast:  # by way of a float64, which holds it
        return value.dtype.size <= 4 and node.outputs[0].dtype in (float32, float64)
    return INDEXES in node.op.traits


def _join_computed(node: Node, groups: _Groups) -> None:
    x, *others = node.inputs
    if is_comparison(node):
        groups.join(x, *others)
        groups.join(node.outputs[0])
    elif node.op is SelectV2:
        groups.join(x)
        groups.join(*others, node.outputs[0])
    else:
        groups.join(x, *others, node.outputs[0])
    groups.compute(*node.inputs, *node.outputs)


def _join_state(loop: Node, groups: _Groups) -> None:
    cond, body = loop.attrs["cond"], loop.attrs["body"]
    read = {v for node in cond.nodes for v in node.inputs}.union(cond.outputs)
    for tested, given, found in zip(cond.inputs, body.inputs, body.outputs, strict=True):
        groups.join(given, found)
        if tested in read:
            groups.join(tested, given)
        else:  # its shape may not be known
            groups.follow(tested, given)


def _whole(value: Value) -> int | None:
    number = known(value)
    return number if isinstance(number, int) else None


# --- loops that count ------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Counter:
    """Says that a loop goes on while one of its variables is less than a number that stays the same, in equal steps.

    Attributes:
      position: which of the variables.
      limit: which of them holds the number; None if it is a constant, `stop`.
      step: what each iteration adds.
      rows: which of the variables has as many rows as there are iterations, each of which takes the next; None if none has.
      row: what that row is called.
    """

    position: int
    limit: int | None
    stop: int
    step: int
    rows: int | None = None
    row: Code | None = None

    def header(self, names: list[Code]) -> Code:
        """The line that begins the loop, whose variables have `names`."""
        if self.rows is not None and self.row is not None:
            return _EACH(self.row, names[self.rows])
        count, stop = names[self.position], self.stop if self.limit is None else names[self.limit]
        return _COUNT(count, stop) if self.step == 1 else _COUNT_BY(count, stop, self.step)


def counter_of(loop: Node) -> Counter | None:
    """What `loop` counts with; None where it does something else, or could leave the dtype of the counter."""
    cond, body = loop.attrs["cond"], loop.attrs["body"]
    test = cond.outputs[0].source.node
    if test.op is not Less or any(n is not test and not (n.is_constant or n.is_parameter) for n in cond.nodes):
        return None
    first, second = test.inputs
    if first not in cond.inputs or first.dims != () or second.dims != () or first.dtype.kind not in "iu":
        return None
    position = cond.inputs.index(first)
    limit = cond.inputs.index(second) if second in cond.inputs else None
    if limit is not None and body.outputs[limit].source is not body.inputs[limit]:
        return None
    stop = _whole(second)
    added = body.outputs[position].source.node
    if added.op is not AddV2 or body.inputs[position] not in (v.source for v in added.inputs):
        return None
    step = _whole(added.inputs[1] if added.inputs[0].source is body.inputs[position] else added.inputs[0])
    if step is None or step < 1 or (limit is None) != (stop is not None):
        return None
    if step > 1 and (stop is None or stop + step > limits(first.dtype)[1]):
        return None
    return Counter(position, limit, stop or 0, step)


def read_of(loop: Node, counter: Counter) -> tuple[Node, int] | None:
    """The node that takes one row after the other of a variable that stays the same, and which variable that is.

    None where there is no such node, where it does not take all rows, or where something else takes the count.
    """
    body = loop.attrs["body"]
    counted = body.inputs[counter.position]
    if counter.step != 1 or counter.limit is not None or known(loop.inputs[counter.position].source) != 0:
        return None
    added = body.outputs[counter.position].source.node
    if any(v.source in (counted, added.outputs[0]) for i, v in enumerate(body.outputs) if i != counter.position):
        return None
    counts = {counted, added.outputs[0]}
    takers = [n for n in body.nodes if n is not added and not counts.isdisjoint(v.source for v in n.inputs)]
    takers = [n for n in takers if FORWARDS not in n.op.traits]  # what takes those takes the count
    if len(takers) != 1 or READS_ROWS not in takers[0].op.traits or takers[0].inputs[1] is not counted:
        return None
    tensor = takers[0].inputs[0]
    if tensor not in body.inputs or tensor.dtype.kind in "SO" or not tensor.dims or tensor.dims[0] != counter.stop:
        return None
    rows = body.inputs.index(tensor)
    return (takers[0], rows) if body.outputs[rows].source is tensor else None


# --- how --------------------------------------------------------------------------------------------------------------
def limits(dtype: DType) -> tuple[int, int]:
    """The least and the greatest number of a dtype of whole numbers."""
    info = np.iinfo(dtype.as_numpy_dtype)
    return int(info.min), int(info.max)


def check_of(node: Node, name: Code) -> Code | None:
    """The line that asks whether the result of `node`, called `name`, has left its dtype; None if it cannot."""
    if node.op not in _WRAPS or node.outputs[0].dtype.kind not in "iu":
        return None
    least, most = limits(node.outputs[0].dtype)
    numbers = [_whole(v) for v in node.inputs]
    if node.op in (AddV2, Sub):
        step = numbers[1] if numbers[1] is not None or node.op is Sub else numbers[0]
        if step is not None:
            return _ABOVE(name, most) if (step > 0) == (node.op is AddV2) else _BELOW(name, least)
    if node.op is FloorDiv and (numbers[1] not in (None, -1) or least == 0):
        return None
    return _OUTSIDE(name, least, most)


# state: bounded by the dtypes of whole numbers
@functools.cache
def wrapping(dtype: DType) -> Callable[[int], int]:
    """What wraps a number around, as arithmetic of the dtype does."""
    least, most = limits(dtype)
    return lambda number: ((number - least) & (most - least)) + least
