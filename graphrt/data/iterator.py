"""Iterators over datasets.

>>> import graphrt as tf
>>> it = iter(tf.data.Dataset.range(2))
>>> it.get_next().numpy(), next(it).numpy(), next(it, "end")
(np.int64(0), np.int64(1), 'end')
"""

from __future__ import annotations

import contextlib
import threading
from typing import Any, Generic

import numpy as np

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.declaration import DESCRIBED, as_declared, described_dims, scalar_dims
from graphrt.data.methods import T
from graphrt.data.optional import Optional, OptionalValue
from graphrt.data.pipeline import Element, Run, Source, iterate
from graphrt.data.seeds import Seeds
from graphrt.ir.op import OPAQUE, STATEFUL, define
from graphrt.ir.tracebacks import shorten
from graphrt.tensor.context import current_graph
from graphrt.tensor.tensor import EagerTensor, Tensor, raw_of
from graphrt.types.dtype import DType, resource
from graphrt.types.likes import Array, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims
from graphrt.types.spec import TensorSpec
from graphrt.types.structure import Stream

_STEPS = 1000  # `next` on one line of a function, while it is traced once


_POSITIONS = 1  # the form of what `position` gives


def _seeds_in(source: Source) -> list[Seeds]:
    """The seeds of a pipeline, in its order."""
    found: list[Seeds] = []
    waiting = [source]
    while waiting:
        one = waiting.pop()
        seeds = getattr(one, "seeds", None)
        if isinstance(seeds, Seeds) and not any(s is seeds for s in found):
            found.append(seeds)
        waiting += one.inputs()
    return found


class IteratorState:
    """What stands behind the handle of an iterator: a run, and the elements that are left."""

    __slots__ = ("__weakref__", "_begun", "_elements", "_given", "_interrupted", "_lock", "_source", "run")

    traced_by_type = True

    def __init__(self) -> None:
        self.run: Run | None = None
        self._elements: Any = None
        self._source: Source | None = None
        self._begun: list[int] = []  # what the seeds were when it began
        self._given = 0
        self._interrupted: str | None = None  # by what, on the way to an element
        self._lock = threading.Lock()

    def begin(self, source: Source) -> None:
        """Starts anew, on the elements of `source`."""
        self.close()
        self._source, self._given, self._interrupted = source, 0, None
        self._begun = [n for s in _seeds_in(source) for n in (*s.seeds, s.iterations)]
        self.run, self._elements = iterate(source)

    def position(self) -> Array:
        """Where it stands, as numbers: how many elements it has given, and what the seeds were when it began.

        Raises:
          FailedPreconditionError: the iterator has no dataset yet.
        """
        if self._source is None:
            raise errors.FailedPreconditionError(
                None, None, "the iterator has not been initialized: it has no position"
            )
        numbers = [_POSITIONS, self._given, *self._begun]
        return np.array([n % 2**64 for n in numbers], np.uint64).view(np.int64)

    def check_position(self, numbers: Array) -> None:
        """InvalidArgumentError unless these numbers are a position in a dataset like this one."""
        wanted = 2 + len(self._begun)
        if numbers.shape != (wanted,) or numbers.dtype != np.int64 or numbers[0] != _POSITIONS or numbers[1] < 0:
            raise errors.InvalidArgumentError(
                None, None,
                f"the position of an iterator over another dataset: {numbers.shape} numbers, expected ({wanted},). Make "
                "the iterator over a dataset of the same transformations.",
            )  # fmt: skip

    def go_to(self, numbers: Array) -> None:
        """Begins anew as it was then, and passes over the elements that had been given."""
        if self._source is None:
            raise errors.FailedPreconditionError(None, None, "the iterator has not been initialized")
        source, given = self._source, int(numbers[1])
        told = numbers[2:].view(np.uint64).tolist()
        for i, seeds in enumerate(_seeds_in(source)):
            seeds.set(*told[3 * i : 3 * i + 3])
        self.begin(source)
        with contextlib.suppress(StopIteration):
            for _ in range(given):
                self.following()
        self._given = given

    def following(self) -> Element:
        """The next element; StopIteration at the end.

        Raises:
          AbortedError: an interrupt has ended it, on the way to an element.
          FailedPreconditionError: the iterator has no dataset yet.
        """
        elements = self._elements
        if elements is None:
            if self._interrupted is not None:
                text = (
                    f"{self._interrupted} ended this iterator on the way to its element {self._given}: what is left is "
                    "not known to it. Make another one of the dataset, with iter()."
                )
                raise errors.AbortedError(None, None, text)
            if self.run is not None:
                raise StopIteration
            raise errors.FailedPreconditionError(
                None, None, "GetNext() failed because the iterator has not been initialized."
            )
        with self._lock:
            try:
                found: Element = next(elements)
                self._given += 1
                return found
            except StopIteration:
                pass
            except errors.OpError as error:
                # frames of the pipeline in its traceback would keep the iterators and their threads alive
                raise error.with_traceback(None)  # noqa: B904
            except MemoryError as error:
                text = f"The next element takes more memory than there is: {error}"
                raise errors.ResourceExhaustedError(None, None, text) from None
            except Exception:
                raise
            except BaseException as interrupt:  # Ctrl-C, as a rule: what it left half done does not go on
                del elements
                self._interrupted = type(interrupt).__name__
                self.close()
                raise
        del elements
        self.close()
        raise StopIteration

    def close(self) -> None:
        """Ends the run: drops the elements, stops the threads."""
        self._elements = None
        if self.run is not None:
            self.run.close()

    def __del__(self) -> None:
        if hasattr(self, "run"):  # what an interrupt kept from being made has nothing to close
            self.close()

    def __repr__(self) -> str:
        return "<iterator>"


AnonymousIteratorV3 = define(
    "AnonymousIteratorV3", "-> handle: resource", attrs=DESCRIBED, infer=scalar_dims, kernel=IteratorState,
    traits=(STATEFUL, OPAQUE),
)  # fmt: skip
MakeIterator = define(
    "MakeIterator", "dataset: variant, iterator: resource ->", infer=lambda c: [], traits=(STATEFUL, OPAQUE),
    kernel=lambda dataset, iterator: iterator.begin(dataset),
)  # fmt: skip


def _next(iterator: IteratorState, *, output_types: list[DType], output_shapes: list[Dims]) -> list[Any]:
    try:
        return as_declared(iterator.following(), output_types, output_shapes)
    except StopIteration:
        raise errors.OutOfRangeError(None, None, "End of sequence") from None


def _next_optional(iterator: IteratorState) -> OptionalValue:
    try:
        return OptionalValue(iterator.following())
    except StopIteration:
        return OptionalValue(None)


IteratorGetNext = define(
    "IteratorGetNext", "iterator: resource -> components: output_types...", attrs=DESCRIBED, infer=described_dims,
    kernel=_next, traits=(STATEFUL, OPAQUE),
)  # fmt: skip
IteratorGetNextAsOptional = define(
    "IteratorGetNextAsOptional", "iterator: resource -> optional: variant", attrs=DESCRIBED, infer=scalar_dims,
    kernel=_next_optional, traits=(STATEFUL, OPAQUE),
)  # fmt: skip


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


class Iterator(Stream, Generic[T]):
    """What `iter(dataset)` gives: its elements one by one. Also a value in traced functions, and an argument of them.

    >>> import graphrt as tf
    >>> [x.numpy().item() for x in tf.data.Dataset.range(3)]
    [0, 1, 2]
    """

    __slots__ = ("__weakref__", "_element_spec", "_following", "_handle", "_pack")

    def __init__(self, handle: TensorLike, element_spec: object) -> None:
        self._handle = handle
        self._element_spec = element_spec
        self._pack = st.packer(element_spec)
        self._following = raw_of(handle).following if isinstance(handle, EagerTensor) else None

    @property
    def element_spec(self) -> Any:
        """The spec of the elements."""
        return self._element_spec

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self._element_spec)

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        if self._following is None or current_graph() is not None:
            return self._record() if current_graph() is None else self._step()
        try:
            return self._pack(self._following())
        except StopIteration:
            raise
        except BaseException as error:
            shorten(_at_user_line(error) if isinstance(error, errors.OpError) else error)
            raise

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

    def get_next(self) -> T:
        """The next element.

        Raises:
          OutOfRangeError: there is none left.
        """
        return self._record()

    def next(self) -> Any:
        """The next element, as `next(iterator)` gives it.

        Raises:
          StopIteration: there is none left.
        """
        return self.__next__()

    def get_next_as_optional(self) -> Optional:
        """The next element as an `Optional`, which has no value at the end."""
        found = IteratorGetNextAsOptional(self._handle, **st.output_attrs(self._element_spec))
        return Optional(found, self._element_spec)

    def _state(self) -> IteratorState:
        if not isinstance(self._handle, EagerTensor):
            raise ValueError(errors.at_user_line("an iterator of a function that is traced has no position"))
        found: IteratorState = raw_of(self._handle)
        return found

    def _saved_children(self) -> dict[str, object]:
        return {}

    def _saved_state(self) -> tuple[str, Array]:
        return "ITERATOR", self._state().position()

    def _check_state(self, state: Array) -> None:
        self._state().check_position(state)

    def _restore_state(self, state: Array) -> None:
        self._state().go_to(state)

    def components(self) -> list[Any]:
        """The handle."""
        return [self._handle]

    def with_components(self, components: list[Any]) -> Iterator:
        """The iterator behind another handle."""
        return Iterator(components[0], self._element_spec)

    def __repr__(self) -> str:
        return f"<Iterator element_spec={self._element_spec!r}>"


def make_iterator(variant_tensor: Tensor, element_spec: object) -> Iterator:
    """A new iterator over the dataset behind a handle, made now or, while a graph is traced, when it runs."""
    if current_graph() is None and isinstance(variant_tensor, EagerTensor):
        state = IteratorState()
        state.begin(raw_of(variant_tensor))
        return Iterator(EagerTensor(state, resource), element_spec)
    handle = AnonymousIteratorV3(**st.output_attrs(element_spec))
    MakeIterator(variant_tensor, handle)
    return Iterator(handle, element_spec)


def _at_user_line(error: errors.OpError) -> errors.OpError:
    """`error`, with the user's line unless it names one."""
    if not errors.is_located(error):
        errors.retell(error, errors.at_user_line(str(error)))
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
        if not hasattr(dataset, "element_spec"):
            raise errors.unexpected(dataset, "dataset", "a tf.data.Dataset or an iterator")
        spec = dataset.element_spec
        self._pack = st.numpy_packer(spec)
        self._state = raw_of(iter(dataset)._handle)

    def __iter__(self) -> NumpyIterator:
        return self

    def __next__(self) -> Any:
        try:
            return self._pack(self._state.following())
        except StopIteration:
            raise
        except BaseException as error:
            shorten(_at_user_line(error) if isinstance(error, errors.OpError) else error)
            raise

    def next(self) -> Array:
        """The next element; StopIteration at the end."""
        return next(self)


def get_next_as_optional(iterator: object) -> Optional:
    """The next element of `iterator` as an `Optional`.

    >>> import graphrt as tf
    >>> tf.data.experimental.get_next_as_optional(iter(tf.data.Dataset.range(0))).has_value().numpy()
    np.False_

    Raises:
      TypeError: it is no iterator over a dataset.
    """
    if not isinstance(iterator, Iterator):
        raise TypeError(errors.at_user_line(f"expected a tf.data.Iterator, found {shown(iterator)}"))
    return iterator.get_next_as_optional()
