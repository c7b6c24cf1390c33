"""The tests of staged statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from autograph.backends.state import seen
from graphrt import errors
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.staging.closing import is_object
from graphrt.staging.lists import StagedList
from graphrt.staging.maybe_none import MaybeNone
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import bool_
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.structure import is_nested


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
    if isinstance(value, MaybeNone):
        return ops.LogicalAnd(value.flag, _truth_within(value.value, statement))
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


def _truth_within(value: Any, statement: str) -> Tensor:
    if isinstance(seen(value), StagedList) or not (is_nested(value) or is_object(value)):
        return condition(value, statement)
    truth = bool(value)  # of its own, for an object with such a method
    return convert_to_tensor(truth)


def condition_of(extra_test: Callable[[], Any]) -> Tensor:
    """The value of a loop's extra test as a bool tensor."""
    return condition(extra_test(), "for loop")
