"""The graph of a concrete function, called with the captured tensors as arguments like the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from graphrt.function.call import call_graph
from graphrt.function.function_type import FunctionType
from graphrt.types import experimental

if TYPE_CHECKING:
    from graphrt.function.concrete import ConcreteFunction


class AtomicFunction:
    """What `ConcreteFunction.inference_fn` gives.

    >>> import graphrt as tf
    >>> v = tf.Variable(2.0)
    >>> f = tf.function(lambda x: x * v).get_concrete_function(tf.TensorSpec([], tf.float32)).inference_fn
    >>> other = tf.Variable(10.0)
    >>> f.call_with_captures((tf.constant(3.0),), {}, [other.handle]).numpy().item()
    30.0
    """

    __slots__ = ("_concrete",)

    def __init__(self, concrete: ConcreteFunction) -> None:
        self._concrete = concrete

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._concrete(*args, **kwargs)

    def call_with_captures(self, args: Sequence[Any], kwargs: dict[str, Any], captures: Sequence[Any]) -> Any:
        """The results, with `captures` in the place of the tensors that were captured.

        Raises:
          TypeError: the arguments do not fit the signature.
          ValueError: there are more or fewer captures.
        """
        concrete = self._concrete
        wanted = len(concrete.graph.captures)
        if len(captures) != wanted:
            raise ValueError(f"{concrete.function_name} captured {wanted} tensors, found {len(captures)} captures")
        return concrete.finish(call_graph(concrete.graph, [*concrete.leaves_of(tuple(args), dict(kwargs)), *captures]))

    def call_flat(self, *tensors: Any) -> list[Any]:
        """The flat results for all inputs of the graph: arguments, then captures."""
        return list(call_graph(self._concrete.graph, list(tensors)))

    @property
    def function_type(self) -> FunctionType:
        """The types of parameters, result and captures."""
        return self._concrete.function_type

    @property
    def name(self) -> bytes:
        """The function's unique name."""
        return self._concrete.name

    @property
    def graph(self) -> Any:
        """The graph."""
        return self._concrete.graph

    def __repr__(self) -> str:
        return f"<AtomicFunction> {self._concrete.function_name}{self.function_type}"


experimental.AtomicFunction.register(AtomicFunction)
