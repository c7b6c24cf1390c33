"""Iterators over datasets, and optionals: an element, or none.

>>> import graphrt as tf
>>> it = iter(tf.data.Dataset.range(2))
>>> it.get_next().numpy(), next(it).numpy(), next(it, "end")
(np.int64(0), np.int64(1), 'end')
"""

from __future__ import annotations

from typing import Any

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.declarations import (
    AnonymousIteratorV3,
    IteratorGetNext,
    IteratorGetNextAsOptional,
    IteratorState,
    MakeIterator,
    OptionalFromValue,
    OptionalGetValue,
    OptionalHasValue,
    OptionalNone,
)
from graphrt.tensor.context import current_graph
from graphrt.tensor.tensor import EagerTensor, Tensor
from graphrt.types.dtype import resource
from graphrt.types.spec import TensorSpec
from graphrt.types.structure import Composite, Stream


# --- optionals -------------------------------------------------------------------------------------------------------
class OptionalSpec(st.HandleSpec):
    """The static type of an optional whose value, if there is one, has `element_spec`.

    >>> import graphrt as tf
    >>> tf.OptionalSpec(tf.TensorSpec([], tf.int64))
    OptionalSpec(TensorSpec(shape=(), dtype=tf.int64, name=None))
    """

    __slots__ = ()

    @property
    def value_type(self) -> type:
        """Optional."""
        return Optional

    def from_components(self, components: list[Any]) -> Optional:
        """The optional behind a handle."""
        return Optional(components[0], self._element_spec)

    def __repr__(self) -> str:
        return f"OptionalSpec({self._element_spec!r})"


class Optional(Composite):
    """An element of a dataset, or none.

    >>> import graphrt as tf
    >>> some = tf.experimental.Optional.from_value(tf.constant(3))
    >>> some.has_value().numpy(), some.get_value().numpy()
    (np.True_, np.int32(3))
    """

    __slots__ = ("_element_spec", "_variant")

    def __init__(self, variant_tensor: Any, element_spec: Any) -> None:
        self._variant = variant_tensor
        self._element_spec = element_spec

    @staticmethod
    def from_value(value: Any) -> Optional:
        """An optional that has a value, any nested structure of tensors."""
        spec, tensors = st.to_element(value)
        return Optional(OptionalFromValue(tensors), spec)

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """An optional without a value, of the type of those that have one of `element_spec`."""
        return Optional(OptionalNone(), element_spec)

    def has_value(self, name: str | None = None) -> Any:
        """Whether there is a value: a bool tensor."""
        return OptionalHasValue(self._variant, name=name)

    def get_value(self, name: str | None = None) -> Any:
        """The value.

        Raises:
          InvalidArgumentError: there is none.
        """
        found = OptionalGetValue(self._variant, name=name, **st.output_attrs(self._element_spec))
        return st.from_components(self._element_spec, found)

    @property
    def element_spec(self) -> Any:
        """The spec of the value."""
        return self._element_spec

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._element_spec)

    def components(self) -> list[Any]:
        """The handle."""
        return [self._variant]

    def with_components(self, components: list[Any]) -> Optional:
        """The optional behind another handle."""
        return Optional(components[0], self._element_spec)

    def __repr__(self) -> str:
        return f"<Optional element_spec={self._element_spec!r}>"


_STEPS = 1000  # `next` on one line of a function, while it is traced once


# --- iterators -------------------------------------------------------------------------------------------------------
class IteratorSpec(st.HandleSpec):
    """The static type of an iterator over elements of `element_spec`.

    >>> import graphrt as tf
    >>> tf.data.IteratorSpec(tf.TensorSpec([], tf.int64)).element_spec
    TensorSpec(shape=(), dtype=tf.int64, name=None)
    """

    __slots__ = ()

    @property
    def value_type(self) -> type:
        """Iterator."""
        return Iterator

    @property
    def component_specs(self) -> list[TensorSpec]:
        """The handle."""
        return [TensorSpec([], resource)]

    def from_components(self, components: list[Any]) -> Iterator:
        """The iterator behind a handle."""
        return Iterator(components[0], self._element_spec)

    def __repr__(self) -> str:
        return f"IteratorSpec({self._element_spec!r}, TensorShape([]))"


class Iterator(Stream):
    """What `iter(dataset)` gives: its elements one by one. Also a value in traced functions, and an argument of them.

    >>> import graphrt as tf
    >>> [x.numpy().item() for x in tf.data.Dataset.range(3)]
    [0, 1, 2]
    """

    __slots__ = ("__weakref__", "_element_spec", "_following", "_handle", "_pack")

    def __init__(self, handle: Any, element_spec: Any) -> None:
        self._handle = handle
        self._element_spec = element_spec
        self._pack = st.packer(element_spec)
        self._following = handle._value.following if isinstance(handle, EagerTensor) else None

    @property
    def element_spec(self) -> Any:
        """The spec of the elements."""
        return self._element_spec

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self._element_spec)

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        if self._following is None or current_graph() is not None:
            return self._record() if current_graph() is None else self._step()
        try:
            return self._pack(self._following())
        except errors.OpError as error:
            raise _at_user_line(error)  # noqa: B904  the same error

    def _step(self) -> Any:
        """What `next` gives while a graph is traced: one more node, and an end to loops that would record for ever."""
        table = current_graph().collections.setdefault("iterator_steps", {})
        where = (id(self), errors.user_location(2))
        table[where] = table.get(where, 0) + 1
        if table[where] > _STEPS:
            raise errors.OperatorNotAllowedInGraphError(
                errors.at_user_line(
                    "a Python loop (a comprehension, list(), or code that was not converted by AutoGraph) runs over a "
                    "dataset while a graph is traced: it has no end there. Write a `for` statement in a converted "
                    "function, or use Dataset.map and Dataset.reduce."
                )
            )
        return self._record()

    def _record(self) -> Any:
        found = IteratorGetNext(self._handle, **st.output_attrs(self._element_spec))
        return st.from_components(self._element_spec, found)

    def get_next(self) -> Any:
        """The next element.

        Raises:
          OutOfRangeError: there is none left.
        """
        return self._record()

    def get_next_as_optional(self) -> Optional:
        """The next element as an `Optional`, which has no value at the end."""
        found = IteratorGetNextAsOptional(self._handle, **st.output_attrs(self._element_spec))
        return Optional(found, self._element_spec)

    def components(self) -> list[Any]:
        """The handle."""
        return [self._handle]

    def with_components(self, components: list[Any]) -> Iterator:
        """The iterator behind another handle."""
        return Iterator(components[0], self._element_spec)

    def __repr__(self) -> str:
        return f"<Iterator element_spec={self._element_spec!r}>"


def make_iterator(variant_tensor: Tensor, element_spec: Any) -> Iterator:
    """A new iterator over the dataset behind a handle, made now or, while a graph is traced, when it runs."""
    if current_graph() is None and isinstance(variant_tensor, EagerTensor):
        state = IteratorState()
        state.begin(variant_tensor._value)
        return Iterator(EagerTensor(state, resource), element_spec)
    handle = AnonymousIteratorV3(**st.output_attrs(element_spec))
    MakeIterator(variant_tensor, handle)
    return Iterator(handle, element_spec)


def _at_user_line(error: errors.OpError) -> errors.OpError:
    """`error`, with the user's line unless it names one."""
    if not getattr(error, "_located", False):
        error._message = errors.at_user_line(str(error))
        error.args = (error._message,)
    return error


class NumpyIterator:
    """The elements of a dataset as NumPy arrays, scalars and bytes.

    >>> import graphrt as tf
    >>> it = tf.data.Dataset.range(2).as_numpy_iterator()
    >>> next(it), next(it)
    (np.int64(0), np.int64(1))
    """

    __slots__ = ("_pack", "_state")

    def __init__(self, dataset: Any) -> None:
        spec = dataset.element_spec
        self._pack = st.numpy_packer(spec)
        self._state = make_iterator(dataset._variant_tensor, spec)._handle._value

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        try:
            return self._pack(self._state.following())
        except errors.OpError as error:
            raise _at_user_line(error)  # noqa: B904  the same error

    def next(self) -> Any:
        """The next element; StopIteration at the end."""
        return next(self)


def get_next_as_optional(iterator: Any) -> Optional:
    """The next element of `iterator` as an `Optional`.

    >>> import graphrt as tf
    >>> tf.data.experimental.get_next_as_optional(iter(tf.data.Dataset.range(0))).has_value().numpy()
    np.False_

    Raises:
      TypeError: it is no iterator over a dataset.
    """
    if not isinstance(iterator, Iterator):
        raise TypeError(errors.at_user_line(f"expected a tf.data.Iterator, found {iterator!r}"))
    return iterator.get_next_as_optional()
