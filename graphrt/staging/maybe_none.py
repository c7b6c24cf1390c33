"""Values that are None in some runs of the graph.

r = None
for x in xs:
    if x > 3:             r: a `MaybeNone`, of a tensor and a flag that says whether it is there; both are carried
        r = x             r is None      the negated flag
        break             r + 1          asserts the flag, unless it is known to hold, and adds to the tensor
return r                  the caller finds a tensor, or None
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from autograph.backends import StagingBackend, Undefined, UndefinedReturnValue, equal
from autograph.backends.state import current_trace, shown
from graphrt import errors
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.staging import chosen_functions
from graphrt.staging.closing import Instance, Kept, closed, has_closed, is_object, opened
from graphrt.staging.ends import NOTHING, End
from graphrt.staging.known import known_here
from graphrt.staging.lists import StagedList
from graphrt.staging.rows import learned_list
from graphrt.staging.values import (
    has_mutable,
    is_empty,
    is_stageable,
    leaves_of,
    mismatch,
    rebuilt,
    type_text,
    zeros_for,
)
from graphrt.tensor.context import building, current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.types import structure
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.shape import covers
from graphrt.types.structure import Nullable


class MaybeNone(Nullable):
    """The value `value` where the bool `flag` holds, and None elsewhere.

    Attributes:
      name: what the program calls it.
      value: a tensor, a number, a container or object, or a tuple of them.
    """

    __slots__ = ("_closed", "_object", "flag", "name")

    def __init__(self, name: str, value: Any, flag: TensorLike) -> None:
        trace = current_trace()
        if trace is not None:
            trace.may_be_none = True
            if trace.printed:
                raise refused(name)
        self.name = name
        self.flag = flag
        self._closed = value
        self._object: Any = None

    @property
    def value(self) -> Any:
        """The value, whether it is there or not; the same object each time."""
        if self._object is None:
            self._object = opened(self._closed)
        return self._object

    @value.setter
    def value(self, found: Any) -> None:
        self._object = found

    def closed(self, end: End = NOTHING) -> MaybeNone:
        """Another one, of what is in the value at an `end`."""
        is_open = self._object is not None or isinstance(self._closed, Kept)
        inner = carried(self.value, self.name, end) if is_open else self._closed
        return MaybeNone(self.name, inner, self.flag)

    @property
    def inner(self) -> Any:
        """The value with its objects as their attributes."""
        return self._closed if self._object is None else carried(self._object, self.name)

    @property
    def is_mutable(self) -> bool:
        """Whether the value is, or holds, what can be changed in place."""
        return has_closed(self._closed) or has_mutable(self._closed)

    def components(self) -> list[Any]:
        """The tensors of the value, and the flag."""
        return [*leaves_of(self.inner), self.flag]

    def with_components(self, components: list[Any]) -> Any:
        """The same with other tensors; outside of graphs the value, or None."""
        *leaves, flag = components
        value = rebuilt(self.inner, leaves)
        if current_graph() is None and not isinstance(flag, SymbolicTensor):
            return opened(value) if flag else None
        return MaybeNone(self.name, value, flag)

    def settled(self) -> Any:
        """The value, or None, where that is known; else this."""
        known = known_here(self.flag)
        return self if known is None else self.value if known else None

    def fitting(self, value: object) -> MaybeNone:
        """`value` as such a one, to be carried where this is."""
        if value is None:
            return MaybeNone(self.name, _zeros(self.inner), False)
        if isinstance(value, MaybeNone):
            return value
        found = MaybeNone(self.name, carried(value, self.name), True)
        found.value = value
        return found

    def is_none(self) -> Tensor:
        """Whether it is None, a bool tensor."""
        return ops.LogicalNot(convert_to_tensor(self.flag))

    def isinstance(self, kinds: Any) -> TensorLike:
        """Whether it is of one of some types."""
        there, none = isinstance(self.value, kinds), isinstance(None, kinds)
        return there if there == none else self.flag if there else self.is_none()

    def read(self) -> Any:
        """The value; asserts that there is one, where that is not known."""
        trace = current_trace()
        if trace is not None and trace.peeks:
            return self.value
        if not known_here(self.flag) and current_graph() is not None:
            ops.Assert(self.flag, [convert_to_tensor(f"{self.name} is None here: ask `is None` before it is used")])
        return self.value

    def __tf_tensor__(self, dtype: DTypeLike, name: str | None) -> Tensor:
        return convert_to_tensor(self.read(), dtype, name=name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.read(), name)

    def __call__(self, /, *args: object, **kwargs: object) -> Any:
        return self.read()(*args, **kwargs)

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
            return ops.LogicalOr(none, ops.LogicalAnd(both, equal(self.value, other.value)))
        return ops.LogicalAnd(self.flag, equal(self.value, other))

    def __eq__(self, other: object) -> Tensor:  # type: ignore[override]
        return self.equals(other)

    def __ne__(self, other: object) -> Tensor:  # type: ignore[override]
        return ops.LogicalNot(self.equals(other))


_BINARY = "add and floordiv lshift matmul mod mul or pow rshift sub truediv xor"
_OPERATORS = ["abs", "contains", "ge", "getitem", "gt", "index", "invert", "le", "lt", "neg", "pos"]
_OTHERS: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in _OPERATORS},
    "bool": bool, "ceil": math.ceil, "complex": complex, "divmod": divmod, "float": float, "floor": math.floor,
    "int": int, "iter": iter, "len": len, "round": round, "trunc": math.trunc,
}  # fmt: skip


def _forward(name: str) -> tuple[Callable[..., object], Callable[..., object]]:
    def call(self: MaybeNone, *args: object) -> object:
        return getattr(operator, f"__{name}__")(self.read(), *args)

    def reflected(self: MaybeNone, other: object) -> object:
        return getattr(operator, f"__{name}__")(other, self.read())

    return call, reflected


def _method(function: Callable[..., object]) -> Callable[..., object]:
    return lambda self, *args: function(self.read(), *args)


for _name in _BINARY.split():  # Python looks for these on the type
    _call, _reflected = _forward(_name)
    setattr(MaybeNone, f"__{_name}__", _call)
    setattr(MaybeNone, f"__r{_name}__", _reflected)
for _name, _function in _OTHERS.items():
    setattr(MaybeNone, f"__{_name}__", _method(_function))


class AsksForNone(StagingBackend):
    """The part of the backend that says what may be None."""

    def is_none(self, value: Any) -> TensorLike:
        return value.is_none() if isinstance(value, MaybeNone) else False

    def settled(self, value: object) -> object:
        return value.settled() if isinstance(value, MaybeNone) else value

    def there(self, value: Any) -> object:
        return value.read() if isinstance(value, MaybeNone) else value


def refused(name: str) -> Exception:
    """The error where converted code in its printed form has run, which does not ask whether this is None."""
    return errors.OperatorNotAllowedInGraphError(
        errors.at_user_line(
            f"{name!r} is None in some runs of the graph, and converted code in its printed form, where `x is None` is "
            "Python's own, is part of this trace. Call the original function, or give it a default"
        )
    )


def carried(value: object, name: str, end: End = NOTHING) -> Any:
    """`value` as a `MaybeNone` holds it: an object that has nothing for a graph is itself."""
    found = closed(chosen_functions.lone(value), name, end)
    return Kept(value) if isinstance(found, Instance) and not found.components() else _kept_apart(found)


def _kept_apart(value: Any) -> Any:
    """The same container with `Kept` for what in it no graph carries."""
    if not isinstance(value, (list, tuple, dict)) or is_empty(value) or is_stageable(value):
        return value
    parts = [_kept_apart(part) for _, part in structure.children(value)]
    return structure.rebuild(value, [p if is_stageable(p) or is_empty(p) else Kept(p) for p in parts])


def may_be_carried(value: object) -> bool:
    """Whether a `MaybeNone` can hold it: tensors, numbers and strings, structures of them, and objects; see `carried`."""
    if not is_stageable(value) and not is_empty(value):
        return False
    return not any(
        isinstance(part, (structure.Stream, Undefined, UndefinedReturnValue)) for part in structure.flatten(value)
    )


def maybe_none(name: str, value: object) -> MaybeNone | None:
    """`value` as what may be None; None where that cannot be."""
    if isinstance(value, MaybeNone):
        return value
    trace = current_trace()
    if trace is None or trace.printed:
        return None
    found = carried(value, name)
    return MaybeNone(name, found, True) if may_be_carried(found) else None


def both_maybe_none(
    name: str,
    a: object,
    b: object,
    paired: Callable[[str, Any, Any], tuple[Any, Any]],
    graphs: tuple[FuncGraph, FuncGraph],
    ends: tuple[End, End],
    since: int,
) -> tuple[object, object]:
    """What two sides leave, one of which may be None and the other not, as two of a kind; as they are where that cannot be.

    `paired` joins two values that are there; `since` is what the trace's clock showed before the statement.

    Raises:
      BranchMismatchError: what is not None has two forms.
    """
    sides = a, b
    trace = current_trace()
    if (
        a is b
        or not any(side is None or isinstance(side, MaybeNone) for side in sides)
        or trace is None
        or trace.printed
    ):
        return a, b
    a_value, b_value = (side.value if isinstance(side, MaybeNone) else side for side in sides)
    values = chosen_functions.paired(a_value, b_value, graphs)
    there = [(v, end) for v, end in zip(values, ends) if v is not None]
    if len({id(v) for v, _ in there}) == 1:
        value, end = there[0]
        is_older = not trace.is_own(value, since) and not _is_made_in(value, graphs)
        inner = Kept(value) if is_older and (is_object(value) or has_mutable(value)) else carried(value, name, end)
        both = (inner, inner)
    else:
        both = paired(name, *(end.value(v) for v, end in zip(values, ends)))
    if not all(map(may_be_carried, both)):
        return a, b
    try:
        structure.assert_same_structure(*both, expand_composites=True)
    except errors.StructureMismatchError:
        text = f"is {type_text(a)} in the main branch, but {type_text(b)} in the else branch"
        raise mismatch(name, text) from None
    made = []
    for side, inner, graph in zip(sides, both, graphs):
        with building(graph):
            flag = side.flag if isinstance(side, MaybeNone) else side is not None
            made.append(MaybeNone(name, _zeros(inner) if side is None else inner, flag))
    return made[0], made[1]


def outgrows(like: MaybeNone, value: Any) -> bool:
    """Whether the list in `value` is one that `like` cannot hold: staged, or of another length."""
    rows, there = like.inner, shown(value.value if isinstance(value, MaybeNone) else value)
    if isinstance(rows, StagedList):
        return isinstance(there, StagedList) and not all(map(covers, rows.shapes, there.shapes))
    return type(rows) is list and (isinstance(there, StagedList) or (type(there) is list and len(rows) != len(there)))


def with_growing(like: MaybeNone, value: Any) -> MaybeNone | None:
    """`like` with a list that may grow to that in `value`; None where that cannot be."""
    rows, there = like.inner, shown(value.value if isinstance(value, MaybeNone) else value)
    if isinstance(rows, StagedList):
        return MaybeNone(like.name, rows.widened(there.shapes), like.flag)
    pattern = there if isinstance(there, StagedList) else learned_list(rows, there)
    return None if pattern is None else MaybeNone(like.name, pattern.filled(rows), like.flag)


def _is_made_in(value: object, graphs: tuple[FuncGraph, FuncGraph]) -> bool:
    """Whether there is anything in it that a branch has made; what that has changed in it has been undone."""
    return any(getattr(leaf, "graph", None) in graphs for leaf in structure.flatten(closed(value, ""), True))


def _zeros(value: Any) -> Any:
    """What stands for a value which will never be read."""
    return rebuilt(value, [zeros_for(leaf) for leaf in leaves_of(value)])
