"""How ops look on NumPy scalars, where a call of the kernel would cost ten times the work.

    while_mod = k_FloorMod(a, b)        ->        while_mod = a % b if b else k_FloorMod(a, b)

Each rule gives what the kernel gives, to the last bit; where the kernel refuses (a zero divisor), it is the kernel
that is called. The rules hold for values of static rank 0 only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from graphrt.ir.code import Code, Template, sign
from graphrt.ir.graph import Node

if TYPE_CHECKING:
    from graphrt.executor.emit import Emitter

Rule: TypeAlias = "Callable[[Emitter, Node, list[Code]], Code | None]"

_CHOICE = Template("{} if {} else {}")
_PRODUCT = Template("{0} * {0}")
_BETTER = Template("{0} if {0} {2} {1} else {1}")
_BETTER_OR_NAN = Template("{0} if {0} {2} {1} or {0} != {0} else {1}")
_QUOTIENT = Template("{0} {2} {1} if {1} else {3}({0}, {1})")


def scalar_rule(node: Node) -> Rule | None:
    """The rule for `node`, when all that it takes and gives are scalars of one dtype."""
    rule = _RULES.get(node.type)
    if rule is None or any(v.dims != () for v in node.inputs) or node.outputs[0].dims != ():
        return None
    return rule


def _not(emitter: Emitter, node: Node, inputs: list[Code]) -> Code:
    yes, no = emitter.bind(np.True_, "v_True"), emitter.bind(np.False_, "v_False")
    return _CHOICE(no, inputs[0], yes)


def _square(emitter: Emitter, node: Node, inputs: list[Code]) -> Code | None:
    return _PRODUCT(inputs[0]) if node.inputs[0].dtype.kind in "fiu" else None


def _larger(symbol: str) -> Rule:
    above = sign(symbol)

    def rule(emitter: Emitter, node: Node, inputs: list[Code]) -> Code | None:
        a, b = inputs
        kind = node.inputs[0].dtype.kind
        if kind in "iu":
            return _BETTER(a, b, above)
        return _BETTER_OR_NAN(a, b, above) if kind == "f" else None  # NaN wins

    return rule


def _divided(symbol: str) -> Rule:
    divided = sign(symbol)

    def rule(emitter: Emitter, node: Node, inputs: list[Code]) -> Code | None:
        if node.inputs[0].dtype.kind not in "iu":
            return None
        a, b = inputs
        kernel = emitter.bind(node.op.kernel, f"k_{node.type}")
        return _QUOTIENT(a, b, divided, kernel)

    return rule


_RULES: dict[str, Rule] = {
    "LogicalNot": _not,
    "Square": _square,
    "Maximum": _larger(">"),
    "Minimum": _larger("<"),
    "FloorDiv": _divided("//"),
    "FloorMod": _divided("%"),
}
