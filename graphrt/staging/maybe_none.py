"""Values that are None in some runs of the graph.

r = None
for x in xs:
    if x > 3:             r: a `MaybeNone`, of a tensor and a flag that says whether it is there; both are carried
        r = x             r is None      the negated flag
        break             r + 1          asserts the flag, unless it is known to hold, and adds to the tensor
return r                  the caller finds a tensor, or None
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from autograph.backends.state import current_trace
from graphrt import errors
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.staging.known import known_here
from graphrt.staging.values import is_leaf, mismatch, type_text, zeros_for
from graphrt.tensor.context import building, current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.types import structure
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.structure import Nullable


class MaybeNone(Nullable):
    """The value `value` where the bool `flag` holds, and None elsewhere.

    Attributes:
      name: what the program calls it.
      value: a tensor, a number, or a tuple of them.
    """

    __slots__ = ("flag", "name", "value")

    def __init__(self, name: str, value: Any, flag: TensorLike) -> None:
        trace = current_trace()
        if trace is not None:
            trace.may_be_none = True
            if trace.printed:
                raise refused(name)
        self.name = name
        self.value = value
        self.flag = flag

    def components(self) -> list[Any]:
        """The tensors of the value, and the flag."""
        return [*structure.flatten(self.value), self.flag]

    def with_components(self, components: list[Any]) -> Any:
        """The same with other tensors; outside of graphs the value, or None."""
        *leaves, flag = components
        value = structure.pack_like(self.value, leaves)
        if current_graph() is None and not isinstance(flag, SymbolicTensor):
            return value if flag else None
        return MaybeNone(self.name, value, flag)

    def settled(self) -> Any:
        """The value, or None, where that is known; else this."""
        known = known_here(self.flag)
        return self if known is None else self.value if known else None

    def fitting(self, value: object) -> MaybeNone:
        """`value` as such a one, to be carried where this is."""
        if value is None:
            return MaybeNone(self.name, structure.map_structure(zeros_for, self.value), False)
        return value if isinstance(value, MaybeNone) else MaybeNone(self.name, value, True)

    def is_none(self) -> Tensor:
        """Whether it is None, a bool tensor."""
        return ops.LogicalNot(convert_to_tensor(self.flag))

    def isinstance(self, kinds: Any) -> TensorLike:
        """Whether it is of one of some types."""
        there, none = isinstance(self.value, kinds), isinstance(None, kinds)
        return there if there == none else self.flag if there else self.is_none()

    def read(self) -> Any:
        """The value; asserts that there is one, where that is not known."""
        if not known_here(self.flag) and current_graph() is not None:
            ops.Assert(self.flag, [convert_to_tensor(f"{self.name} is None here: ask `is None` before it is used")])
        return self.value

    def __tf_tensor__(self, dtype: DTypeLike, name: str | None) -> Tensor:
        return convert_to_tensor(self.read(), dtype, name=name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.read(), name)

    def __repr__(self) -> str:
        return f"<{self.name}, which is None in some runs>"

    __hash__ = object.__hash__

    def equals(self, other: object) -> Tensor:
        """`self == other`, where None is equal to itself alone."""
        if other is None:
            return self.is_none()
        if isinstance(other, MaybeNone):
            both = ops.LogicalAnd(self.flag, other.flag)
            none = ops.LogicalAnd(self.is_none(), other.is_none())
            return ops.LogicalOr(none, ops.LogicalAnd(both, self.value == other.value))
        return ops.LogicalAnd(self.flag, self.value == other)

    def __eq__(self, other: object) -> Tensor:  # type: ignore[override]
        return self.equals(other)

    def __ne__(self, other: object) -> Tensor:  # type: ignore[override]
        return ops.LogicalNot(self.equals(other))


_BINARY = "add and floordiv lshift matmul mod mul or pow rshift sub truediv xor"
_OTHERS = """
    abs bool call ceil complex contains divmod float floor ge getitem gt index int invert iter le len lt neg pos round
    trunc
"""


def _forward(name: str) -> tuple[Callable[..., object], Callable[..., object]]:
    def call(self: MaybeNone, *args: object) -> object:
        return getattr(operator, f"__{name}__")(self.read(), *args)

    def reflected(self: MaybeNone, other: object) -> object:
        return getattr(operator, f"__{name}__")(other, self.read())

    return call, reflected


def _method(name: str) -> Callable[..., object]:
    return lambda self, *args: getattr(type(self.read()), name)(self.value, *args)


for _name in _BINARY.split():  # Python looks for these on the type
    _call, _reflected = _forward(_name)
    setattr(MaybeNone, f"__{_name}__", _call)
    setattr(MaybeNone, f"__r{_name}__", _reflected)
for _name in _OTHERS.split():
    setattr(MaybeNone, f"__{_name}__", _method(f"__{_name}__"))


def refused(name: str) -> Exception:
    """The error where converted code in its printed form has run, which does not ask whether this is None."""
    return errors.OperatorNotAllowedInGraphError(
        errors.at_user_line(
            f"{name!r} is None in some runs of the graph, and converted code in its printed form, where `x is None` is "
            "Python's own, is part of this trace. Call the original function, or give it a default"
        )
    )


def may_be_carried(value: object) -> bool:
    """Whether a `MaybeNone` can hold it: a tensor, a number or string, or a tuple of them."""
    if isinstance(value, tuple):
        return bool(value) and all(map(may_be_carried, value))
    return is_leaf(value)


def maybe_none(name: str, value: object) -> MaybeNone | None:
    """`value` as what may be None; None where that cannot be."""
    if isinstance(value, MaybeNone):
        return value
    trace = current_trace()
    if trace is None or trace.printed or not may_be_carried(value):
        return None
    return MaybeNone(name, value, True)


def both_maybe_none(name: str, a: object, b: object, graphs: tuple[FuncGraph, FuncGraph]) -> tuple[object, object]:
    """What two sides leave, one of which may be None and the other not, as two of a kind; as they are where that cannot be.

    Raises:
      BranchMismatchError: what is not None has two forms.
    """
    sides = a, b
    if a is b or not any(side is None or isinstance(side, MaybeNone) for side in sides):
        return a, b
    found = next((side for side in sides if side is not None), None)
    like = maybe_none(name, found)
    values = [side.value if isinstance(side, MaybeNone) else side for side in sides]
    if like is None or not all(v is None or may_be_carried(v) for v in values):
        return a, b
    try:
        first, other = (like.value if v is None else v for v in values)
        structure.assert_same_structure(first, other)
    except errors.StructureMismatchError:
        text = f"is {type_text(a)} in the main branch, but {type_text(b)} in the else branch"
        raise mismatch(name, text) from None
    made = []
    for side, graph in zip(sides, graphs):
        with building(graph):
            made.append(like.fitting(side))
    return made[0], made[1]
