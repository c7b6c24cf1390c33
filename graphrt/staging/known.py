"""What is known of a flag without running anything, from how it was made and where it is looked at."""

from __future__ import annotations

import numpy as np

from graphrt.control_flow.branches import If, StatelessIf
from graphrt.ir.graph import Value, set_static, static_value
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.tensor.context import current_graph
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.types.dtype import bool_
from graphrt.types.likes import TensorLike

_MOST_STEPS = 40  # a test may be made of as many others as the program has statements
_BOOLS = {True: np.asarray(True), False: np.asarray(False)}


def known_flag(flag: TensorLike) -> bool | None:
    """The value of a bool, if it is known while tracing."""
    if not isinstance(flag, SymbolicTensor):
        return bool(flag)
    known = static_value(flag.value)
    return None if known is None else bool(known)


def note_certain_flags(pred: Tensor, then: FuncGraph, other: FuncGraph, outputs: list[SymbolicTensor]) -> None:
    """Finds outputs that are True whichever branch runs, such as `do_return` when all branches return.

    `if not do_return: ...; do_return = True` leaves do_return True in the branch that does not run, too: there
    `do_return` is the negated condition itself.
    """
    for i, output in enumerate(outputs):
        if output.dtype is not bool_ or then.outputs[i].dims != () or other.outputs[i].dims != ():
            continue
        a = _implied(then.outputs[i], pred, True)
        b = _implied(other.outputs[i], pred, False)
        if a is not None and a == b:
            set_static(output.value, _BOOLS[a])
            set_static(output.value.node.inputs[0], _BOOLS[a])


def note_exit(outputs: list[SymbolicTensor]) -> None:
    """A loop that only stops when a flag is set leaves it set: `while True` with a `return` inside always returns."""
    if not outputs:
        return
    cond_graph = outputs[0].value.node.attrs["cond"]
    test = cond_graph.outputs[0].source
    if test.node.op is ops.LogicalNot:
        flag = test.node.inputs[0].source
        for i, value in enumerate(cond_graph.inputs[2 : 2 + len(outputs)]):
            if value is flag:
                set_static(outputs[i].value, _BOOLS[True])


def known_here(flag: TensorLike) -> bool | None:
    """The same, by the conditions of the branches around the place that is being traced, too."""
    known, graph = known_flag(flag), current_graph()
    if known is not None or not isinstance(flag, SymbolicTensor):
        return known
    while known is None and isinstance(graph, FuncGraph):
        if graph.condition is not None:
            known = _implied(flag.value, *graph.condition)
        graph = graph.outer
    return known


def _implied(value: Value, pred: Tensor, holds: bool) -> bool | None:
    """What a bool must be where the condition is `holds`."""
    if not isinstance(pred, SymbolicTensor):
        known = static_value(value)
        return None if known is None else bool(known)
    return _where(value, pred.value, holds, [_MOST_STEPS])


def _where(value: Value, test: Value, holds: bool, left: list[int]) -> bool | None:
    """What a bool, which may be made of others, is where `test` is `holds`."""
    known = static_value(value)
    if known is not None:
        return bool(known)
    value = _origin(value)
    found = _follows(value, test, holds, left)
    if found is not None or left[0] < 0:
        return found
    node = value.node
    if node.op is ops.LogicalNot:
        found = _where(node.inputs[0], test, holds, left)
        return None if found is None else not found
    if node.op is not ops.LogicalAnd and node.op is not ops.LogicalOr:
        return None
    decides = node.op is ops.LogicalOr  # one that is this
    parts = [_where(part, test, holds, left) for part in node.inputs]
    return decides if decides in parts else None if None in parts else not decides


def _follows(value: Value, test: Value, holds: bool, left: list[int]) -> bool | None:
    """What `value` is where `test` is `holds`, if that follows from how the test was made, in as many steps as are left."""
    left[0] -= 1
    test = _origin(test)
    if test is value:
        return holds
    node = test.node
    if left[0] < 0:
        return None
    if node.op is ops.LogicalNot:
        return _follows(value, node.inputs[0], not holds, left)
    if node.op is (ops.LogicalAnd if holds else ops.LogicalOr):
        return next((f for v in node.inputs if (f := _follows(value, v, holds, left)) is not None), None)
    if node.op not in (If, StatelessIf):
        return None
    pred, index = node.inputs[0], node.outputs.index(test)
    ends = [(which, node.attrs[name].outputs[index]) for which, name in ((True, "then_branch"), (False, "else_branch"))]
    ways = [(which, end) for which, end in ends if _under(end, pred, which, left) is not (not holds)]
    if len(ways) != 1:
        return None
    found = _follows(value, pred, ways[0][0], left)
    return _follows(value, ways[0][1], holds, left) if found is None else found


def _under(value: Value, pred: Value, holds: bool, left: list[int]) -> bool | None:
    known = static_value(value)
    return _follows(_origin(value), pred, holds, left) if known is None else bool(known)


def _origin(value: Value) -> Value:
    """What a value is, seen through identities, and in the outermost graph that it comes from."""
    while True:
        value = value.source
        graph = value.node.graph
        if not value.node.is_parameter or not isinstance(graph, FuncGraph):
            return value
        outer = next((o for o, i in graph.captures if i.value is value), None)
        if not isinstance(outer, SymbolicTensor):
            return value
        value = outer.value
