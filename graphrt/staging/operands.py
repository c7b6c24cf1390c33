"""`a and b`, `a or b` and `not a` of staged values: the truth of one operand decides, and the value is an operand.

    n or 5      ->      tf.cond(n != 0, lambda: n, lambda: 5)

Operands of one dtype give that operand. Where they differ nothing but the truth of the whole is known (`Truth`), which is
what a condition asks for: `if n and x > 3`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.backends.state import lasting, seen
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.staging.if_stmt import choice
from graphrt.staging.lists import StagedList
from graphrt.staging.maybe_none import MaybeNone
from graphrt.staging.truths import Truth, condition
from graphrt.staging.values import is_leaf, is_variable, type_text
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.tensor.weak import agree, weak_tensor
from graphrt.types.dtype import bool_
from graphrt.types.likes import TensorLike


class _Operand:
    """One operand: its value, where a graph can carry it, and its truth.

    `mixed` says what the operands are when the value of the whole cannot be carried; `object` is what has no value in a
    graph, such as a list.
    """

    __slots__ = ("mixed", "object", "text", "truth", "value")

    def __init__(self, value: TensorLike, operator: str) -> None:
        self.mixed = ""
        self.value: Any = None
        self.object: Any = None
        self.text = f"({value.text})" if isinstance(value, Truth) else type_text(value)
        now: Any = seen(value)  # a list in whose stead another one stands has no elements itself
        if isinstance(now, (Truth, StagedList)) or not (is_leaf(now) or is_variable(now)):
            self.object = lasting(value)  # which has the program's names
            plain = not isinstance(now, (Truth, StagedList)) and not hasattr(now, "__tf_tensor__")
            self.truth = convert_to_tensor(bool(value)) if plain else condition(value, f"`{operator}`")
            return
        self.value = weak_tensor(value)
        self.truth = condition(self.value, f"`{operator}`")


def either(first: TensorLike, second: Callable[[], Any], operator: str) -> Any:
    """`first and second()`, `first or second()`, whose second operand is evaluated if the first does not decide.

    Raises:
      ConditionError: an operand is a tensor of several elements.
    """
    if isinstance(first, MaybeNone):
        truth, labels = condition(first, f"`{operator}`"), (f"`{operator}`", f"`{operator}`")
        there, other = (lambda: first.value, second) if operator == "or" else (second, lambda: first)
        return choice(truth, there, other, labels)
    left = _Operand(first, operator)
    is_bool = left.value is not None and left.value.dtype is bool_
    known = _constant_thunk(second) if is_bool else None
    if known is not None:  # the test that `while True` with a `return` inside becomes
        if operator == "and":
            return left.value if known else convert_to_tensor(False)
        return convert_to_tensor(True) if known else left.value

    def right() -> Any:
        other = second()
        if (other is None or isinstance(other, MaybeNone)) and left.value is not None:
            return other
        found = _Operand(other, operator)
        if left.value is not None and found.value is not None and agree(left.value, found.value):
            return found.value
        if _are_lists(left.object, found.object):
            return found.object
        left.mixed = f"`{operator}` of {left.text} and {found.text}"
        return found.truth

    def kept() -> Tensor:
        return left.truth if left.mixed else left.object if left.value is None else left.value

    labels = (f"`{operator}`", f"`{operator}`")
    if is_bool:  # its own truth, whatever the other is
        chosen = (
            choice(left.truth, right, kept, labels) if operator == "and" else choice(left.truth, kept, right, labels)
        )
    elif operator == "and":
        chosen = choice(left.truth, right, kept, labels)
    else:
        chosen = choice(ops.LogicalNot(left.truth), right, kept, labels)
    return Truth(chosen, left.mixed) if left.mixed else chosen


def _are_lists(first: Any, second: Any) -> bool:
    """Whether these are lists, one of which the graph has: a statement can choose between them."""
    both = (first, second)
    return any(isinstance(seen(v), StagedList) for v in both) and all(isinstance(v, (list, StagedList)) for v in both)


def negated(value: Any) -> Any:
    """`not value`."""
    if isinstance(value, StagedList):
        return ops.LogicalNot(value.truth())
    return ops.LogicalNot(condition(value, "`not`"))


def _constant_thunk(thunk: Any) -> bool | None:
    """The value of `lambda: True` or `lambda: False`."""
    code = getattr(thunk, "__code__", None)
    if code is None or code.co_names or code.co_freevars or code.co_argcount or any(map(callable, code.co_consts)):
        return None
    value = thunk()
    return value if isinstance(value, bool) else None
