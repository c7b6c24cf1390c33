"""The tests of staged statements, and what is known about a flag without running anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.graph import static_value
from graphrt.staging.lists import StagedList
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.types.dtype import bool_

_BOOLS = {True: np.asarray(True), False: np.asarray(False)}


def condition(value: Any, statement: str) -> Any:
    """`value` as the bool scalar that a statement tests; a staged list is true when it has elements.

    Raises:
      ConditionError: it is no bool, or no scalar.
    """
    if isinstance(value, StagedList):
        return value.size() > 0
    tensor = convert_to_tensor(value)
    if tensor.dtype is not bool_ or (tensor.dims is not None and tensor.dims != ()):
        raise errors.ConditionError(
            errors.at_user_line(
                f"condition of {statement} expected to be `tf.bool` scalar, got {tensor}; to use as boolean Tensor, use "
                "`tf.cast` or compare it with a value (tf.reduce_any or tf.reduce_all for a whole tensor); to check "
                "for None, use `is not None`"
            )
        )
    return tensor


def condition_of(extra_test: Callable[[], Any]) -> Any:
    """The value of a loop's extra test as a bool tensor."""
    return condition(extra_test(), "for loop")


def known_flag(flag: Any) -> bool | None:
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
        if output.dtype is not bool_:
            continue
        a = _implied(then.outputs[i], then, pred, True)
        b = _implied(other.outputs[i], other, pred, False)
        if a is not None and a == b:
            output.value._static = _BOOLS[a]
            output.value.node.inputs[0]._static = _BOOLS[a]


def note_exit(outputs: list[SymbolicTensor]) -> None:
    """A loop that only stops when a flag is set leaves it set: `while True` with a `return` inside always returns."""
    if not outputs:
        return
    cond_graph = outputs[0].value.node.attrs["cond"]
    test = _root(cond_graph.outputs[0])
    if test.node.type == "LogicalNot":
        flag = _root(test.node.inputs[0])
        for i, value in enumerate(cond_graph.inputs[2 : 2 + len(outputs)]):
            if value is flag:
                outputs[i].value._static = _BOOLS[True]


def _implied(value: Any, graph: FuncGraph, pred: Tensor, holds: bool) -> bool | None:
    """What a bool output of a branch must be, knowing that the condition is `holds` there."""
    known = static_value(value)
    if known is not None:
        return bool(known)
    value = _root(value)
    outer = next((o for o, i in graph.captures if i.value is value), None)
    if not isinstance(outer, SymbolicTensor) or not isinstance(pred, SymbolicTensor):
        return None
    test, wanted = pred.value, holds
    while True:
        if _root(test) is _root(outer.value):
            return wanted
        if test.node.type == "LogicalNot":
            test, wanted = test.node.inputs[0], not wanted
        elif test.node.type == "Identity":
            test = test.node.inputs[0]
        else:
            return None


def _root(value: Any) -> Any:
    while value.node.type == "Identity":
        value = value.node.inputs[0]
    return value
