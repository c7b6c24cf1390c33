"""Functions that call themselves with arguments of the same types: the call becomes a node that runs the same graph.

    @tf.function                                     graph fact(n):
    def fact(n):                                         If(n <= 1):
        if n <= 1:                            ->             1
            return 1                                     else:
        return n * fact(n - 1)                               n * PartitionedCall(n - 1, f=fact)

What the call returns is not known until the function has been traced. So it is traced for its types first: there a
branch that needs the unknown result is left out, and the other one says what the conditional gives. The rounds after
that assume these types (and captures), until a round ends with what it assumed. Where it ends with a number of Python,
as above, the number takes the dtype of what it meets in the next round.

Functions without the decorator are run by the trace, and never end where they call themselves under a staged condition.
When that has happened, the trace is made again, with nodes for the calls of such functions.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

from autograph.backends.state import Change, State
from graphrt import errors
from graphrt.function.call import PartitionedCall, StatefulPartitionedCall
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.tensor.weak import numbers_among
from graphrt.types import structure
from graphrt.types.dtype import DType
from graphrt.types.shape import Dims, relax

if TYPE_CHECKING:
    from graphrt.function.concrete import ConcreteFunction
    from graphrt.function.function import Function
    from graphrt.tensor.func_graph import FuncGraph

DEPTH = 16  # traces of one function in the making that differ in shapes only
_NUMBERS = (int, float, complex)
ROUNDS = 8  # shapes may be relaxed a few times; dtypes are never
MOST_NODES = 8  # functions of one trace that call themselves
REMEDY = "Write a loop, or decorate the function with tf.function, which makes it a node that calls it."


class Assumed:
    """What a function in the making is taken to return, to capture and to do.

    Attributes:
      flexible: which of the results are numbers of Python, whose dtype is that of the tensors which they meet.
    """

    __slots__ = ("captures", "dims", "dtypes", "flexible", "like", "stateful")

    def __init__(self, graph: FuncGraph) -> None:
        self.dims: list[Dims] = [v.dims for v in graph.outputs]
        self.dtypes: list[DType] = [v.dtype for v in graph.outputs]
        self.flexible = graph.flexible
        self.captures: list[Tensor] = [outer for outer, _ in graph.captures]
        self.stateful = any(n.stateful for n in graph.nodes)
        self.like = graph.structured_outputs

    def may_become(self, other: Assumed) -> bool:
        """Whether the dtypes are those of `other`, where these do not follow from what numbers of Python meet."""
        return all(a is b or number for a, b, number in zip(self.dtypes, other.dtypes, self.flexible))


class Making:
    """A trace that is being made.

    Attributes:
      assumed: what its calls of itself give; None while it is traced for its types only.
      graph: the graph of the current round.
      calls_itself: whether a call of itself was met.
      is_transient: whether it holds a call of a function further out that is in the making: then it is not kept.
      recurs: whether another trace of the same function was begun while it was made.
      given: the arguments, by position or name.
      general: for the outermost trace of a function whose calls of itself differ without end, which of their arguments
        become tensors; None as long as each gets a trace of its own.
    """

    __slots__ = ("assumed", "calls_itself", "general", "given", "graph", "is_transient", "name", "recurs")

    def __init__(self, name: str, given: dict[int | str, Any]) -> None:
        self.name = name
        self.given = given
        self.recurs = False
        self.general: set[int | str] | None = None
        self.assumed: Assumed | None = None
        self.graph: Any = None
        self.calls_itself = False
        self.is_transient = False

    def generalized(
        self, positional: tuple[Any, ...], keywords: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a call within, with tensors for numbers that change, or stand in the place of a tensor."""
        if self.general is None:
            return positional, keywords
        args = tuple([self._general_or_not(at, value) for at, value in enumerate(positional)])
        return args, {name: self._general_or_not(name, value) for name, value in keywords.items()}

    def _general_or_not(self, at: int | str, value: Any) -> Any:
        if self.general is None or type(value) not in _NUMBERS:
            return value
        before = self.given.get(at, value)
        if isinstance(before, Tensor):
            try:
                return convert_to_tensor(value, before.dtype)
            except errors.ConversionError:
                return convert_to_tensor(value)
        if at not in self.general and (type(before) not in _NUMBERS or before == value):
            return value
        self.general.add(at)
        return convert_to_tensor(value)

    def begin(self, graph: FuncGraph) -> None:
        """Starts a round: captures what the last one captured, so that calls can pass it."""
        self.graph = graph
        graph.assumed = self.assumed
        if self.assumed is not None:
            for outer in self.assumed.captures:
                graph.capture(outer)

    def learn(self, concrete: ConcreteFunction) -> bool:
        """Takes note of how a round ended; whether that is what was assumed.

        Raises:
          TypeError: it returns other dtypes, or another structure, where it calls itself.
        """
        before, found = self.assumed, Assumed(concrete.graph)
        self.assumed = found
        if before is None:
            return False
        if not (_same_form(before.like, found.like) and before.may_become(found)):
            raise TypeError(
                errors.at_user_line(
                    f"{self.name} returns {_shown(before)} where it ends, but {_shown(found)} where it calls itself. "
                    "Make both agree, for instance with tf.cast."
                )
            )
        agreed = before.dims == found.dims and before.dtypes == found.dtypes
        found.dims = [relax(a, b) for a, b in zip(before.dims, found.dims)]
        if not agreed and found.dims == before.dims and before.dtypes == found.dtypes:
            agreed = True  # more is known now than was assumed
        same = len(before.captures) == len(found.captures) and all(
            a is b for a, b in zip(before.captures, found.captures)
        )
        return agreed and same and before.stateful == found.stateful


class Nodes:
    """Calls functions that call themselves as if they were decorated: `make(f)` does that, once in a trace."""

    __slots__ = ("_functions", "_make")

    def __init__(self, make: Callable[[FunctionType], Function[..., Any]]) -> None:
        self._make = make
        self._functions: dict[FunctionType, CallOfNode] = {}

    def __call__(self, f: FunctionType) -> CallOfNode:
        if f not in self._functions:
            self._functions[f] = CallOfNode(self._make(f))
        return self._functions[f]


class CallOfNode:
    """Calls a function as a node, which must not change what is older than the call: the node would do so once."""

    __slots__ = ("function",)

    def __init__(self, function: Function[..., Any]) -> None:
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        run = State(lambda: (), lambda values: None, ()).run(lambda: self.function(*args, **kwargs))
        _refuse_changes(self.function, run.changes)
        return run.result


def _refuse_changes(function: Function[..., Any], changes: list[Change]) -> None:
    for change in changes:
        what = f"{function!r} changes {change.place.label}, which a node does once"
        raise errors.SideEffectError(errors.at_user_line(what))


class CallOfItself:
    """Stands for the concrete function while it is being made."""

    __slots__ = ("_cycle", "_making", "called")

    def __init__(self, making: Making, stack: list[Making]) -> None:
        self._making = making
        above = stack[stack.index(making) :] if making in stack else [making]
        for other in above[1:]:
            other.is_transient = True
        self._cycle = " -> ".join([*(m.name for m in above), making.name])
        self.called = True

    def call_flat(self, leaves: list[Any], by_itself: bool = True) -> Any:
        making = self._making
        making.calls_itself = True
        assumed = making.assumed
        if assumed is None:
            self._refuse()
        op = StatefulPartitionedCall if assumed.stateful else PartitionedCall
        result = op([*leaves, *assumed.captures], f=making.graph, Tout=list(assumed.dtypes))
        if not assumed.dtypes:
            outputs: list[Any] = []
        else:
            outputs = list(result) if isinstance(result, (list, tuple)) else [result]
            outputs = numbers_among(outputs, assumed.flexible)
        return repack(assumed.like, outputs)

    def _refuse(self) -> NoReturn:
        raise errors.UnknownResultError(
            errors.at_user_line(
                f"{self._making.name} calls itself with arguments of the same types while it is being traced "
                f"({self._cycle}), which would never end. Let a condition on a tensor decide between the call and a "
                "result, use a loop, or pass a Python argument that changes from call to call."
            )
        )


def repack(like: Any, outputs: list[Any]) -> Any:
    """Flat outputs in the structure `like`, whose leaves are tensors or None."""
    if isinstance(like, Tensor):
        return outputs[0]
    if like is None:
        return None
    supply = iter(outputs)
    leaves = structure.flatten(like, expand_composites=True)
    filled = [None if leaf is None else next(supply) for leaf in leaves]
    return structure.pack_like(like, filled, expand_composites=True)


def _same_form(a: Any, b: Any) -> bool:
    try:
        structure.assert_same_structure(a, b, expand_composites=True)
    except (TypeError, ValueError):
        return False
    leaves, others = structure.flatten(a, expand_composites=True), structure.flatten(b, expand_composites=True)
    return all((x is None) == (y is None) for x, y in zip(leaves, others))


def _shown(assumed: Assumed) -> str:
    return ", ".join(t.name for t in assumed.dtypes) or "nothing"
