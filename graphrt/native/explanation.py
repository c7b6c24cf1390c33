"""What of a function became machine code, and what did not, for people."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrt.ir.graph import Node

if TYPE_CHECKING:
    from graphrt.native import NativeProgram


@dataclass(frozen=True)
class Left:
    """A node that stays in NumPy.

    Attributes:
      op: the type of its op.
      node: its name in the graph.
      reason: why it stays.
      location: file and line of the user's code that made it; None if that is not known.
    """

    op: str
    node: str
    reason: str
    location: tuple[str, int] | None

    def __str__(self) -> str:
        where = f"{self.location[0]}:{self.location[1]}: " if self.location is not None else ""
        return f"{where}{self.op} ({self.node}): {self.reason}"


class NativeExplanation:
    """What `Function.explain_native` gives; `str` of it is meant to be read.

    Attributes:
      name: of the function.
      compiled: how many nodes are in native functions, those of loops and branches counted.
      regions: how many native functions there are.
      left: the nodes that stay in NumPy, in order.

    >>> import graphrt as tf
    >>> f = tf.function(lambda x: tf.strings.as_string(x * 2.0 + 1.0))
    >>> print(f.explain_native(tf.zeros([3])))  # doctest: +ELLIPSIS
    lambda: 2 nodes are compiled, in 1 native function; 1 node stays in NumPy:
      ...: AsString (AsString): there is no rule for it
    """

    def __init__(self, name: str, program: NativeProgram) -> None:
        self.name = name
        self.compiled = program.cut.compiled
        self.regions = len(program.regions)
        self.left = tuple(_left(r.node, r.reason) for r in program.cut.refused)

    def __str__(self) -> str:
        if not self.left and not self.regions:
            return (
                f"{self.name}: all of it could be compiled, but it stays in NumPy: a few numbers are not worth a call."
            )
        if not self.left:
            return f"{self.name}: all of it is compiled, in {_count(self.regions, 'native function')}."
        verb = "is" if self.compiled == 1 else "are"
        stay = "stays" if len(self.left) == 1 else "stay"
        head = (
            f"{self.name}: {_count(self.compiled, 'node')} {verb} compiled, in {_count(self.regions, 'native function')}; "
            f"{_count(len(self.left), 'node')} {stay} in NumPy:"
        )
        lines = Counter(map(str, self.left))
        return "\n".join([head, *(f"  {line}" + (f" ({n} times)" if n > 1 else "") for line, n in lines.items())])

    __repr__ = __str__


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _left(node: Node, reason: str) -> Left:
    return Left(node.type.lstrip("_"), node.name, reason, node.location)


def explained(name: str, program: NativeProgram) -> NativeExplanation:
    """What became of the function `name`."""
    return NativeExplanation("lambda" if name == "<lambda>" else name, program)
