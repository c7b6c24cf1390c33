"""`tf.types.experimental`: what classes say of themselves so that functions can tell their objects apart.

An object with a method `__tf_tracing_type__(self, context)` chooses the trace type by which functions know it. Calls
whose arguments have equal trace types share a trace; a call whose types are subtypes of those of a trace may use it.

    class FruitType(tf.types.experimental.TraceType):
        def __init__(self, fruit):
            self.kind, self.example = type(fruit), fruit
        def is_subtype_of(self, other):
            return type(other) is FruitType and self.kind is other.kind
        def most_specific_common_supertype(self, others):
            return self if all(self == other for other in others) else None
        def placeholder_value(self, placeholder_context=None):
            return self.example
        def __eq__(self, other):
            return self.is_subtype_of(other)
        def __hash__(self):
            return hash(self.kind)
"""

from __future__ import annotations

import abc
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, Union, runtime_checkable

import numpy as np

from graphrt.types.spec import TypeSpec

if TYPE_CHECKING:
    from graphrt.tensor.tensor import Tensor

TensorLike: TypeAlias = Union["Tensor", int, float, bool, str, bytes, complex, tuple, list, np.ndarray, np.generic]


class TraceType(abc.ABC):
    """The type of an argument, as far as it matters for tracing. Must be hashable, and equal when interchangeable.

    >>> import graphrt as tf
    >>> isinstance(tf.TensorSpec([2]), tf.types.experimental.TraceType)
    True
    >>> tf.TensorSpec([2]).is_subtype_of(tf.TensorSpec([None]))
    True
    """

    @abc.abstractmethod
    def is_subtype_of(self, other: TraceType) -> bool:
        """Whether a trace made for `other` also serves values of this type."""

    @abc.abstractmethod
    def most_specific_common_supertype(self, others: Sequence[TraceType]) -> TraceType | None:
        """The narrowest type that includes this one and `others`; None when there is none."""

    @abc.abstractmethod
    def placeholder_value(self, placeholder_context: Any) -> Any:
        """What the function is traced with in place of a value of this type.

        Its tensors come from the specs of `flatten()`: `spec.placeholder_value(placeholder_context)` of each, in order.
        """

    def to_tensors(self, value: Any) -> list[Any]:
        """The tensors of `value`, one for each spec of `flatten()`."""
        return []

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """A value of this type over the next of `tensors`, as many as `flatten()` has specs."""
        return self.placeholder_value(PlaceholderContext(tensors))

    def flatten(self) -> list[Any]:
        """The specs of the tensors that values of this type are made of."""
        return []

    def cast(self, value: Any, cast_context: Any) -> Any:
        """`value` as one of this type.

        Raises:
          TypeError: it cannot be one.
        """
        return value

    @abc.abstractmethod
    def __hash__(self) -> int: ...

    @abc.abstractmethod
    def __eq__(self, other: object) -> bool: ...


TraceType.register(TypeSpec)


class TracingContext:
    """Given to `__tf_tracing_type__`.

    >>> import graphrt as tf
    >>> class Even:
    ...     def __init__(self, n):
    ...         self.n = n
    ...     def __tf_tracing_type__(self, context):
    ...         assert isinstance(context, tf.types.experimental.TracingContext)
    ...         return tf.TensorSpec([], tf.int32)
    >>> isinstance(Even(2), tf.types.experimental.SupportsTracingProtocol)
    True
    """


class PlaceholderContext:
    """Given to `placeholder_value`: hands out the tensors that stand for the arguments, one for each spec.

    >>> import graphrt as tf
    >>> supply = tf.types.experimental.PlaceholderContext(iter([tf.constant(1), tf.constant(2)]))
    >>> supply.next_tensor().numpy().item(), supply.next_tensor().numpy().item()
    (1, 2)
    """

    __slots__ = ("_supply",)

    def __init__(self, supply: Iterator[Any]) -> None:
        self._supply = supply

    def next_tensor(self) -> Tensor:
        """The next tensor."""
        return next(self._supply)


@runtime_checkable
class SupportsTracingProtocol(Protocol):
    """Objects that choose their trace type.

    >>> import graphrt as tf
    >>> class Named:
    ...     def __tf_tracing_type__(self, context):
    ...         return context.make_reference_type(self, id(self))
    >>> kind = tf.types.experimental.SupportsTracingProtocol
    >>> isinstance(Named(), kind), isinstance(3, kind)
    (True, False)
    """

    def __tf_tracing_type__(self, context: Any) -> TraceType:
        """The trace type of the object."""
        ...


class Callable(abc.ABC):
    """What can be called and has a function type: `tf.function`s and their concrete functions.

    >>> import graphrt as tf
    >>> isinstance(tf.function(lambda x: x), tf.types.experimental.Callable)
    True
    """

    @property
    @abc.abstractmethod
    def function_type(self) -> Any:
        """The types of parameters and result."""

    @abc.abstractmethod
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


class FunctionType(abc.ABC):
    """The parameters of a function with their types, and the type of its result.

    >>> import graphrt as tf
    >>> isinstance(tf.function(lambda x, y=1: x).function_type, tf.types.experimental.FunctionType)
    True
    """

    @abc.abstractmethod
    def bind(self, *args: Any, **kwargs: object) -> Any:
        """The arguments by parameter."""


class AtomicFunction(Callable):
    """The graph of a traced function, which is given its captures with each call.

    >>> import graphrt as tf
    >>> concrete = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], tf.int32))
    >>> isinstance(concrete.inference_fn, tf.types.experimental.AtomicFunction)
    True
    """

    @abc.abstractmethod
    def call_with_captures(self, args: Any, kwargs: Any, captures: Any) -> Any:
        """The results for `args`, `kwargs` and tensors to take the place of the captured ones."""


class ConcreteFunction(Callable):
    """A traced function.

    >>> import graphrt as tf
    >>> concrete = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], tf.int32))
    >>> isinstance(concrete, tf.types.experimental.ConcreteFunction)
    True
    """

    @property
    @abc.abstractmethod
    def inference_fn(self) -> AtomicFunction:
        """The graph that a call runs."""


class PolymorphicFunction(Callable):
    """A function that is traced for each type of arguments.

    >>> import graphrt as tf
    >>> isinstance(tf.function(lambda x: x), tf.types.experimental.GenericFunction)
    True
    """


GenericFunction = PolymorphicFunction


class PerReplica(abc.ABC):  # noqa: B024 (a name to ask isinstance with)
    """A value that differs from replica to replica; here there is one replica, and no such value."""


class Mirrored(PerReplica):
    """A value that is the same on all replicas; here there is one replica, and no such value."""


distributed = SimpleNamespace(Mirrored=Mirrored, PerReplica=PerReplica)

__all__ = [
    "AtomicFunction", "Callable", "ConcreteFunction", "FunctionType", "GenericFunction", "PlaceholderContext",
    "PolymorphicFunction", "SupportsTracingProtocol", "TensorLike", "TraceType", "TracingContext", "distributed",
]  # fmt: skip
