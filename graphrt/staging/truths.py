"""The tests of staged statements, and what is known about a flag without running anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from autograph.backends.state import seen
from graphrt import errors
from graphrt.ir.graph import set_static, static_value
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.staging.lists import StagedList
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.types.dtype import bool_
from graphrt.types.likes import DTypeLike, TensorLike

if TYPE_CHECKING:
    from graphrt.ir.graph import Value

_BOOLS = {True: np.asarray(True), False: np.asarray(False)}


class Truth:
    """What `a and b` or `a or b` gives when the operands have different dtypes: nothing but its truth is known.

    Attributes:
      flag: whether it is true, a bool tensor.
      text: what the operands are.
      refusal: the error for using the value.
    """

    __slots__ = ("flag", "refusal", "text")

    def __init__(self, flag: Any, text: str) -> None:
        self.flag = flag
        self.text = text
        self.refusal = errors.ConditionError(
            errors.at_user_line(
                f"{text}: a graph cannot carry the value, which is one or the other; only its truth can be used. "
                "Compare the operands with something, or give them one dtype with tf.cast."
            )
        )

    def __tf_tensor__(self, dtype: DTypeLike, name: str | None) -> Any:
        raise self.refusal

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self.refusal

    def __repr__(self) -> str:
        return f"<{self.text}>"

    __hash__ = object.__hash__


def _refuse(self: Truth, *_: object) -> NoReturn:
    raise self.refusal


_OPERATORS = """
    abs add and bool call ceil complex contains divmod enter eq float floor floordiv format ge getitem gt index int
    invert iter le len lshift lt matmul mod mul ne neg or pos pow radd rand rdivmod rfloordiv rlshift rmatmul rmod rmul
    ror round rpow rrshift rshift rsub rtruediv rxor str sub truediv trunc xor
"""
for _name in _OPERATORS.split():  # Python looks for these on the type
    setattr(Truth, f"__{_name}__", _refuse)


def condition(value: TensorLike, statement: str) -> Tensor:
    """The truth of `value`, which a statement tests, as a bool scalar.

    Numbers are true unless they are 0, strings unless they are empty, as tensors without dimensions or of one element;
    a staged list is true when it has elements.

    Raises:
      ConditionError: it is a tensor of several elements, or a handle.
    """
    value = seen(value)
    if isinstance(value, StagedList):
        return value.truth()
    if type(value) is Truth:
        return value.flag
    tensor = convert_to_tensor(value)
    dims = tensor.dims
    if tensor.dtype.kind == "O" or (dims and any(d not in (1, None) for d in dims)):
        raise errors.ConditionError(
            errors.at_user_line(
                f"condition of {statement} expected to be `tf.bool` scalar, got {tensor}; to use as boolean Tensor, use "
                "`tf.cast` or compare it with a value (tf.reduce_any or tf.reduce_all for a whole tensor); to check "
                "for None, use `is not None`"
            )
        )
    if dims != ():  # of one element, as the run tells where nothing is known while tracing
        tensor = ops.Reshape(tensor, [])
    if tensor.dtype is bool_:
        return tensor
    return ops.NotEqual(tensor, convert_to_tensor("" if tensor.dtype.kind == "S" else 0, tensor.dtype))


def condition_of(extra_test: Callable[[], Any]) -> Tensor:
    """The value of a loop's extra test as a bool tensor."""
    return condition(extra_test(), "for loop")


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


def _implied(value: Value, pred: Tensor, holds: bool) -> bool | None:
    """What a bool output of a branch must be, knowing that the condition is `holds` there."""
    known = static_value(value)
    if known is not None:
        return bool(known)
    value = _origin(value)
    if not isinstance(pred, SymbolicTensor):
        return None
    test, wanted = _origin(pred.value), holds
    while test is not value:
        if test.node.op is not ops.LogicalNot:
            return None
        test, wanted = _origin(test.node.inputs[0]), not wanted
    return wanted


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
