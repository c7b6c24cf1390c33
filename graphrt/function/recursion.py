"""Functions that call themselves with arguments of the same types: the call becomes a node that runs the same graph.

    @tf.function                                     graph fact(n):
    def fact(n):                                         If(n <= 1):
        if n <= 1:                            ->             1
            return 1                                     else:
        return n * fact(n - 1)                               n * PartitionedCall(n - 1, f=fact)

What the call returns is not known until the function has been traced. So it is traced for its types first: there a
branch that needs the unknown result is left out, and the other one says what the conditional gives. The rounds after
that assume these types (and captures), until a round ends with what it assumed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from graphrt import errors
from graphrt.function.call import PartitionedCall, StatefulPartitionedCall
from graphrt.tensor.tensor import Tensor
from graphrt.types import structure
from graphrt.types.dtype import DType
from graphrt.types.shape import Dims, relax

if TYPE_CHECKING:
    from graphrt.function.concrete import ConcreteFunction
    from graphrt.tensor.func_graph import FuncGraph

DEPTH = 16  # traces of one function in the making that differ in shapes only
ROUNDS = 8  # shapes may be relaxed a few times; dtypes are never
REMEDY = "Write a loop, or decorate the function with tf.function, which makes it a node that calls it."


class Assumed:
    """What a function in the making is taken to return, to capture and to do."""

    __slots__ = ("captures", "dims", "dtypes", "like", "stateful")

    def __init__(self, graph: FuncGraph) -> None:
        self.dims: list[Dims] = [v.dims for v in graph.outputs]
        self.dtypes: list[DType] = [v.dtype for v in graph.outputs]
        self.captures: list[Tensor] = [outer for outer, _ in graph.captures]
        self.stateful = any(n.stateful for n in graph.nodes)
        self.like = graph.structured_outputs


class Making:
    """A trace that is being made.

    Attributes:
      assumed: what its calls of itself give; None while it is traced for its types only.
      graph: the graph of the current round.
      calls_itself: whether a call of itself was met.
      is_transient: whether it holds a call of a function further out that is in the making: then it is not kept.
    """

    __slots__ = ("assumed", "calls_itself", "graph", "is_transient", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.assumed: Assumed | None = None
        self.graph: Any = None
        self.calls_itself = False
        self.is_transient = False

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
        if before.dtypes != found.dtypes or not _same_form(before.like, found.like):
            raise TypeError(
                errors.at_user_line(
                    f"{self.name} returns {_shown(before)} where it ends, but {_shown(found)} where it calls itself. "
                    "Make both agree, for instance with tf.cast."
                )
            )
        agreed = before.dims == found.dims
        found.dims = [relax(a, b) for a, b in zip(before.dims, found.dims)]
        if not agreed and found.dims == before.dims:
            agreed = True  # more is known now than was assumed
        same = len(before.captures) == len(found.captures) and all(
            a is b for a, b in zip(before.captures, found.captures)
        )
        return agreed and same and before.stateful == found.stateful


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

    def call_flat(self, leaves: list[Any]) -> Any:
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
