"""Queues: `tf.queue`. Their resource is a tensor whose element is a `_Store`; taking from an empty one waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OPAQUE, STATEFUL, OpDef, define
from graphrt.ops.random.philox import Words, non_deterministic
from graphrt.ops.random.sampling_ops import get_seed
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Operation, Tensor, raw_of
from graphrt.types.dtype import DType, as_dtype, int64, resource
from graphrt.types.likes import Array, DTypeLike, ShapeLike, TensorLike
from graphrt.types.shape import Dims, TensorShape, compatible, dims_of

__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue"]

_EFFECT = (STATEFUL, OPAQUE)


# --- what is behind a handle -----------------------------------------------------------------------------------------
class _Store:
    """Elements (tuples of arrays) that wait, first in first out."""

    def __init__(self, kind: str, types: Sequence[DType], shapes: list[Any], capacity: int, name: str = "") -> None:
        self.kind, self.types, self.shapes, self.name = kind, list(types), list(shapes), name
        self.capacity = capacity if capacity >= 0 else None
        self.least = 0  # how many stay behind while the queue is open
        self.items: list[Any] = []
        self.closed = False
        self.changed = threading.Condition()

    def _wait(self, ready: Callable[[], bool], timeout_ms: int) -> None:
        if not self.changed.wait_for(ready, None if timeout_ms < 0 else timeout_ms / 1000):
            raise errors.DeadlineExceededError(None, None, "Timed out waiting for notification")

    def _check(self, element: tuple[Any, ...]) -> tuple[Any, ...]:
        for value, dims in zip(element, self.shapes):
            if not compatible(np.shape(value), dims):
                raise bad(
                    f"Shape mismatch in tuple component. Expected {text_of(dims)}, got {text_of(np.shape(value))}"
                )
        return element

    def type_refusal(self, op: OpDef, attrs: Mapping[str, object]) -> str | None:
        """Why an op on components of other dtypes is refused."""
        asked = attrs.get("Tcomponents", attrs.get("component_types", self.types))
        if not isinstance(asked, list) or asked == self.types:
            return None
        own, found = (", ".join(t.name for t in types) for types in (self.types, asked))
        return f"{self.kind} '{self.name}' has components of dtypes {own}, the op has {found}"

    def put(self, elements: list[tuple[Any, ...]], timeout_ms: int) -> None:
        for element in elements:
            self._check(element)
        for element in elements:
            with self.changed:
                self._wait(lambda: self.closed or self.capacity is None or len(self.items) < self.capacity, timeout_ms)
                if self.closed:
                    raise errors.CancelledError(None, None, f"{self.kind} '{self.name}' is closed.")
                self.add(element)
                self.changed.notify_all()

    def add(self, element: tuple[Any, ...]) -> None:
        self.items.append(element)

    def pop(self) -> tuple[Any, ...]:
        return self.items.pop(0)

    def take(self, n: int, fewer: bool, timeout_ms: int) -> list[tuple[Any, ...]]:
        with self.changed:
            if self.capacity is not None and n > self.capacity:
                raise bad(
                    f"Requested {n} elements, more than the capacity {self.capacity} of {self.kind} '{self.name}'"
                )
            self._wait(lambda: self.closed or len(self.items) - self.least >= n, timeout_ms)
            if len(self.items) < n and not (fewer and self.items):
                raise errors.OutOfRangeError(
                    None, None,
                    f"{self.kind} '{self.name}' is closed and has insufficient elements (requested {n}, current size "
                    f"{len(self.items)})",
                )  # fmt: skip
            found = [self.pop() for _ in range(min(n, len(self.items)))]
            self.changed.notify_all()
            return found

    def close(self) -> None:
        with self.changed:
            self.closed = True
            self.changed.notify_all()

    def batch(self, elements: list[tuple[Any, ...]]) -> list[Any]:
        """Elements as one array for each component."""
        if any(dims is None or None in dims for dims in self.shapes):
            raise bad(f"{self.kind}'s DequeueMany and DequeueUpTo require the components to have specified shapes.")
        return [_stacked([e[i] for e in elements], t, s) for i, (t, s) in enumerate(zip(self.types, self.shapes))]


def _stacked(values: list[Any], dtype: DType, shape: tuple[int | None, ...]) -> Array:
    out: Any = np.empty((len(values), *shape), dtype.as_numpy_dtype)
    for i, value in enumerate(values):
        out[i] = value.item() if isinstance(value, np.ndarray) and value.dtype == object and not value.ndim else value
    return out


class _Padding(_Store):
    def batch(self, elements: list[tuple[Any, ...]]) -> list[Any]:
        out = []
        for i, (dtype, dims) in enumerate(zip(self.types, self.shapes)):
            values = [np.asarray(e[i], dtype.as_numpy_dtype) for e in elements]
            if dims == ():
                out.append(_stacked(values, dtype, ()))
                continue
            sizes = [max((v.shape[k] for v in values), default=0) if d is None else d for k, d in enumerate(dims)]
            whole: Any = np.full((len(values), *sizes), b"" if dtype.kind in "SO" else 0,
                                 dtype.as_numpy_dtype)  # fmt: skip
            for row, value in zip(whole, values):
                row[tuple(slice(0, d) for d in value.shape)] = value
            out.append(whole)
        return out


class _Shuffling(_Store):
    seed = (0, 0)

    def pop(self) -> tuple[Any, ...]:
        if not hasattr(self, "chance"):
            one, two = self.seed
            if not one and not two:
                one, two = non_deterministic(2).tolist()
            self.chance = Words(one, two)
        at = self.chance() % len(self.items)
        self.items[at], self.items[-1] = self.items[-1], self.items[at]
        return self.items.pop()


class _Ranked(_Store):
    def add(self, element: tuple[Any, ...]) -> None:
        rank = int(element[0])
        at = next((i for i, other in enumerate(self.items) if int(other[0]) > rank), len(self.items))
        self.items.insert(at, element)


# --- the ops ---------------------------------------------------------------------------------------------------------
def _made(kind: type[_Store], name: str, types: list[DType], shapes: Sequence[Dims], capacity: int) -> _Store:
    dims = list(shapes) or [None] * len(types)
    if len(dims) != len(types):
        raise bad(f"{name} of {len(types)} components was given {len(dims)} shapes: give one for each, or none")
    return kind(name, types, dims, capacity, name.lower())


_HOW = "shapes: list(shape) = []; capacity: int = -1; "
_WHERE = "container: string = ''; shared_name: string = ''"
FIFOQueueV2 = define(
    "FIFOQueueV2", "-> handle: resource", attrs="component_types: list(type) >= 1; " + _HOW + _WHERE, infer=lambda c: (),
    kernel=lambda *, component_types, shapes, capacity: _made(_Store, "FIFOQueue", component_types, shapes, capacity),
    traits=_EFFECT,
)  # fmt: skip
PaddingFIFOQueueV2 = define(
    "PaddingFIFOQueueV2", "-> handle: resource", attrs="component_types: list(type) >= 1; " + _HOW + _WHERE,
    infer=lambda c: (), traits=_EFFECT,
    kernel=lambda *, component_types, shapes, capacity: _made(
        _Padding, "PaddingFIFOQueue", component_types, shapes, capacity
    ),
)  # fmt: skip


def _shuffling(
    *, component_types: list[DType], shapes: list[tuple[int | None, ...]], capacity: int, min_after_dequeue: int, seed: int,
    seed2: int
) -> _Shuffling:  # fmt: skip
    made: Any = _made(_Shuffling, "RandomShuffleQueue", component_types, shapes, capacity)
    made.least, made.seed = min_after_dequeue, (seed, seed2)
    return made


RandomShuffleQueueV2 = define(
    "RandomShuffleQueueV2", "-> handle: resource",
    attrs="component_types: list(type) >= 1; " + _HOW + "min_after_dequeue: int = 0; seed: int = 0; seed2: int = 0; "
    "" + _WHERE,
    infer=lambda c: (), kernel=_shuffling, traits=_EFFECT,
)  # fmt: skip
PriorityQueueV2 = define(
    "PriorityQueueV2", "-> handle: resource",
    attrs="component_types: list(type) = []; shapes: list(shape); capacity: int = -1; " + _WHERE,
    infer=lambda c: (), traits=_EFFECT,
    kernel=lambda *, component_types, shapes, capacity: _made(
        _Ranked, "PriorityQueue", [int64, *component_types], [(), *(list(shapes) or [None] * len(component_types))],
        capacity,
    ),
)  # fmt: skip


def _enqueue(store: _Padding | _Ranked | _Store, components: list[Array], *, timeout_ms: int) -> None:
    if len(components) != len(store.types):
        raise bad(f"Signature mismatch: the queue has {len(store.types)} components, found {len(components)}")
    store.put([tuple(components)], timeout_ms)


def _enqueue_many(store: _Ranked | _Shuffling | _Store, components: list[Array], *, timeout_ms: int) -> None:
    if len({np.shape(c)[:1] for c in components}) > 1:
        raise bad("All components must have the same size along their first axis")
    store.put(list(zip(*map(_elements, components))), timeout_ms)


def _elements(component: Array) -> list[Any]:
    return [component[i, ...] for i in range(len(component))] if component.dtype == object else list(component)


QueueEnqueueV2 = define(
    "QueueEnqueueV2", "handle: resource, components: Tcomponents... ->",
    attrs="Tcomponents: list(type) >= 1; timeout_ms: int = -1", infer=lambda c: [], kernel=_enqueue, traits=_EFFECT,
)  # fmt: skip
QueueEnqueueManyV2 = define(
    "QueueEnqueueManyV2", "handle: resource, components: Tcomponents... ->",
    attrs="Tcomponents: list(type) >= 1; timeout_ms: int = -1", infer=lambda c: [], kernel=_enqueue_many, traits=_EFFECT,
)  # fmt: skip


def _shapes(c: InferContext, lead: Any) -> list[Dims]:
    store = c.inputs[0].info
    count = len(c.attrs["component_types"])
    dims = store.shapes if isinstance(store, _Store) else [None] * count
    return [None if d is None else (*lead, *d) for d in dims]


def _count_dims(c: Any, exact: bool) -> list[Dims]:
    known = c.const(1) if exact else None
    return _shapes(c, (None if known is None or int(known) < 0 else int(known),))


def _batch(store: Any, n: Array, fewer: bool, timeout_ms: int) -> list[Any]:
    if int(n) < 0:
        raise bad(f"DequeueManyOp requested {int(n)} < 0 elements")
    if any(d is None for d in store.shapes):
        store.batch([])
    return store.batch(store.take(int(n), fewer, timeout_ms) if int(n) else [])


QueueDequeueV2 = define(
    "QueueDequeueV2", "handle: resource -> components: component_types...",
    attrs="component_types: list(type) >= 1; timeout_ms: int = -1", infer=lambda c: _shapes(c, ()), traits=_EFFECT,
    kernel=lambda store, *, timeout_ms: list(store.take(1, False, timeout_ms)[0]),
)  # fmt: skip
QueueDequeueManyV2 = define(
    "QueueDequeueManyV2", "handle: resource, n: int32 -> components: component_types...",
    attrs="component_types: list(type) >= 1; timeout_ms: int = -1", infer=lambda c: _count_dims(c, True), traits=_EFFECT,
    kernel=lambda store, n, *, timeout_ms: _batch(store, n, False, timeout_ms),
)  # fmt: skip
QueueDequeueUpToV2 = define(
    "QueueDequeueUpToV2", "handle: resource, n: int32 -> components: component_types...",
    attrs="component_types: list(type) >= 1; timeout_ms: int = -1", infer=lambda c: _count_dims(c, False), traits=_EFFECT,
    kernel=lambda store, n, *, timeout_ms: _batch(store, n, True, timeout_ms),
)  # fmt: skip
QueueCloseV2 = define(
    "QueueCloseV2", "handle: resource ->", attrs="cancel_pending_enqueues: bool = False", infer=lambda c: [],
    kernel=lambda store: store.close(), traits=_EFFECT,
)  # fmt: skip
QueueSizeV2 = define(
    "QueueSizeV2", "handle: resource -> size: int32", infer=lambda c: (),
    kernel=lambda store: np.int32(len(store.items)), traits=_EFFECT,
)  # fmt: skip
QueueIsClosedV2 = define(
    "QueueIsClosedV2", "handle: resource -> is_closed: bool", infer=lambda c: (),
    kernel=lambda store: np.bool_(store.closed), traits=_EFFECT,
)  # fmt: skip


# --- what users hold -------------------------------------------------------------------------------------------------
def _uneven(what: str, given: Any, dtypes: list[DType]) -> ValueError:
    return ValueError(
        errors.at_user_line(
            f"Queue {what} must have the same length as dtypes, received {len(given)} {what}, {len(dtypes)} dtypes"
        )
    )


class QueueBase:
    """What all queues do. An element has one or more components; with `names` it is a dictionary of them.

    >>> import graphrt as tf
    >>> queue = tf.queue.FIFOQueue(10, [tf.int32], shapes=[[]])
    >>> queue.enqueue_many([[1, 2, 3]])
    >>> queue.dequeue_many(2).numpy().tolist()
    [1, 2]
    """

    def __init__(self, dtypes: DTypeLike | Sequence[DTypeLike], shapes: list[Any], names: Any, queue_ref: Any) -> None:
        self._dtypes: list[DType] = [as_dtype(d) for d in (dtypes if isinstance(dtypes, (list, tuple)) else [dtypes])]
        found = [None] * len(self._dtypes) if shapes is None else shapes
        if len(found) != len(self._dtypes):
            raise _uneven("shapes", found, self._dtypes)
        self._shapes = [TensorShape(s) for s in found]
        self._names = None if names is None else list(names)
        self._queue_ref = queue_ref

    @staticmethod
    def _parts(dtypes: DTypeLike | Sequence[DTypeLike], shapes: Any, names: Any) -> tuple[list[DType], list[Dims]]:
        kinds = [as_dtype(d) for d in (dtypes if isinstance(dtypes, (list, tuple)) else [dtypes])]
        given = shapes
        if given is not None and not (isinstance(given, (list, tuple)) and all(
            isinstance(s, (list, tuple, TensorShape)) for s in given)):  # fmt: skip
            given = [given]  # one shape for the one component
        if given is not None and len(given) != len(kinds):
            raise _uneven("shapes", given, kinds)
        if names is not None and len(names) != len(kinds):
            raise _uneven("names", names, kinds)
        return kinds, [None] * len(kinds) if given is None else [dims_of(s) for s in given]

    @staticmethod
    def from_list(index: TensorLike, queues: Sequence[FIFOQueue]) -> QueueBase:
        """The queue at a place in a list; the index must be known.

        Raises:
          TypeError: the list holds something else.
          InvalidArgumentError: there is no such place.
        """
        if not queues or not isinstance(queues, list) or not all(isinstance(q, QueueBase) for q in queues):
            raise TypeError(errors.at_user_line("A list of queues expected"))
        place = int(convert_to_tensor(index))
        if not 0 <= place < len(queues):
            raise errors.InvalidArgumentError(None, None, f"indices = {place} is not in [0, {len(queues)})")
        return queues[place]

    @property
    def queue_ref(self) -> Tensor:
        """The handle."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the queue."""
        return str(raw_of(self._queue_ref).name)

    @property
    def dtypes(self) -> list[DType]:
        """The dtypes of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, if they have any."""
        return self._names

    def _components(self, vals: object, many: bool) -> list[Any]:
        if isinstance(vals, dict):
            if self._names is None:
                raise ValueError(errors.at_user_line("Queue must have names to enqueue a dictionary"))
            if sorted(self._names, key=str) != sorted(vals, key=str):
                raise ValueError(
                    errors.at_user_line(
                        "Keys in dictionary to enqueue do not match names of Queue.  "
                        f"Dictionary: {sorted(vals)},Queue: {sorted(self._names)}"
                    )
                )
            vals = [vals[n] for n in self._names]
        else:
            if self._names is not None:
                raise ValueError(errors.at_user_line("You must enqueue a dictionary in a Queue with names"))
            vals = list(vals) if isinstance(vals, (list, tuple)) else [vals]
        if len(vals) != len(self._dtypes):
            if len(self._dtypes) != 1:
                raise bad(f"the queue has {len(self._dtypes)} components, found {len(vals)}")
            vals = [vals]
        tensors = [v if isinstance(v, Tensor) else convert_to_tensor(v, d) for v, d in zip(vals, self._dtypes)]
        for tensor, dims in zip(tensors, self._shapes):
            whole: Any = tensor.dims
            inner = whole[1:] if many and whole is not None else whole
            if not compatible(inner, tuple(dims) if dims.rank is not None else None):
                raise ValueError(errors.at_user_line(f"Shapes {TensorShape(inner)} and {dims} are incompatible"))
        if many and len({t.dims[0] for t in tensors if t.dims}) > 1:
            sizes = [t.shape[0] for t in tensors]
            raise ValueError(errors.at_user_line(f"Dimensions {sizes[0]} and {sizes[1]} are not compatible"))
        return tensors

    def _given(self, found: list[Tensor]) -> Tensor | dict[str, Tensor] | list[Tensor]:
        values = found if isinstance(found, list) else [found]
        if self._names is not None:
            return dict(zip(self._names, values))
        return values[0] if len(values) == 1 else values

    def enqueue(self, vals: object, name: str | None = None) -> Operation | None:
        """Adds an element; waits while the queue is full.

        Raises:
          CancelledError: the queue is closed.
          ValueError: the element does not fit.
        """
        return QueueEnqueueV2(self._queue_ref, self._components(vals, False), name=name)

    def enqueue_many(self, vals: TensorLike, name: str | None = None) -> None:
        """Adds elements that lie along the first axis.

        Raises:
          CancelledError: the queue is closed.
          ValueError: the elements do not fit.
        """
        return QueueEnqueueManyV2(self._queue_ref, self._components(vals, True), name=name)

    def dequeue(self, name: str | None = None) -> Any:
        """Takes an element; waits while there is none.

        Raises:
          OutOfRangeError: the queue is empty and closed.
        """
        return self._given(QueueDequeueV2(self._queue_ref, component_types=self._dtypes, name=name))

    def dequeue_many(self, n: TensorLike, name: str | None = None) -> Any:
        """Takes `n` elements, joined along a new first axis; waits while there are fewer.

        Raises:
          InvalidArgumentError: the shapes of the components are not known.
          OutOfRangeError: the queue is closed and has fewer elements.
        """
        return self._given(QueueDequeueManyV2(self._queue_ref, n, component_types=self._dtypes, name=name))

    def dequeue_up_to(self, n: TensorLike, name: str | None = None) -> Any:
        """Takes `n` elements, or those that are left in a closed queue.

        Raises:
          InvalidArgumentError: the shapes of the components are not known.
          OutOfRangeError: the queue is closed and empty.
        """
        return self._given(QueueDequeueUpToV2(self._queue_ref, n, component_types=self._dtypes, name=name))

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> None:
        """No more elements come in."""
        return QueueCloseV2(self._queue_ref, cancel_pending_enqueues=cancel_pending_enqueues, name=name)

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements."""
        return QueueSizeV2(self._queue_ref, name=name)

    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether `close` was called."""
        return QueueIsClosedV2(self._queue_ref, name=name)


def _handle(store: _Store) -> EagerTensor:
    return EagerTensor(store, resource)


class FIFOQueue(QueueBase):
    """A queue whose elements leave in the order in which they came.

    >>> import graphrt as tf
    >>> queue = tf.queue.FIFOQueue(2, tf.string)
    >>> queue.enqueue("first")
    >>> queue.dequeue().numpy()
    b'first'

    Raises:
      ValueError: there are more shapes than dtypes, or fewer.
    """

    def __init__(
        self, capacity: int, dtypes: DTypeLike | Sequence[DTypeLike], shapes: TensorLike | None = None,
        names: TensorLike | None = None, shared_name: str | None = None, name: str = "fifo_queue"
    ) -> None:  # fmt: skip
        kinds, dims = self._parts(dtypes, shapes, names)
        super().__init__(kinds, dims, names, _handle(_Store("FIFOQueue", kinds, dims, capacity, shared_name or name)))


class PaddingFIFOQueue(QueueBase):
    """A first-in-first-out queue whose elements may differ in shape: batches are filled up with zeros.

    >>> import graphrt as tf
    >>> queue = tf.queue.PaddingFIFOQueue(9, [tf.int32], shapes=[[None]])
    >>> queue.enqueue([[1]])
    >>> queue.enqueue([[2, 3]])
    >>> queue.dequeue_many(2).numpy().tolist()
    [[1, 0], [2, 3]]

    Raises:
      ValueError: there are more shapes than dtypes, or fewer, or one of unknown rank.
    """

    def __init__(
        self, capacity: int, dtypes: DTypeLike | Sequence[DTypeLike], shapes: Sequence[ShapeLike], names: Any = None,
        shared_name: str | None = None, name: str = "padding_fifo_queue"
    ) -> None:  # fmt: skip
        kinds, dims = self._parts(dtypes, shapes, names)
        if None in dims:
            raise ValueError(errors.at_user_line("PaddingFIFOQueue needs shapes of known rank"))
        store = _Padding("PaddingFIFOQueue", kinds, dims, capacity, shared_name or name)
        super().__init__(kinds, dims, names, _handle(store))


class RandomShuffleQueue(QueueBase):
    """A queue whose elements leave in random order, of which `min_after_dequeue` stay behind for a good mixture.

    >>> import graphrt as tf
    >>> queue = tf.queue.RandomShuffleQueue(9, 0, tf.int32, shapes=[[]])
    >>> queue.enqueue_many([[1, 2, 3]])
    >>> sorted(queue.dequeue_many(3).numpy().tolist())
    [1, 2, 3]

    Raises:
      ValueError: there are more shapes than dtypes, or fewer.
    """

    def __init__(
        self, capacity: int, min_after_dequeue: int, dtypes: DTypeLike | Sequence[DTypeLike],
        shapes: TensorLike | None = None, names: Any = None,
        seed: int | None = None, shared_name: str | None = None, name: str = "random_shuffle_queue",
    ) -> None:  # fmt: skip
        kinds, dims = self._parts(dtypes, shapes, names)
        store = _Shuffling("RandomShuffleQueue", kinds, dims, capacity, shared_name or name)
        store.least, store.seed = min_after_dequeue, get_seed(seed)
        super().__init__(kinds, dims, names, _handle(store))


class PriorityQueue(QueueBase):
    """A queue whose elements leave in the order of their first component, an int64.

    >>> import graphrt as tf
    >>> queue = tf.queue.PriorityQueue(9, [tf.string], shapes=[[]])
    >>> queue.enqueue((5, "later"))
    >>> queue.enqueue((1, "sooner"))
    >>> queue.dequeue()[1].numpy()
    b'sooner'

    Raises:
      ValueError: there are more shapes than types, or fewer.
    """

    def __init__(
        self, capacity: int, types: DTypeLike | Sequence[DTypeLike], shapes: TensorLike | None = None, names: Any = None,
        shared_name: str | None = None, name: str = "priority_queue"
    ) -> None:  # fmt: skip
        kinds, dims = self._parts(types, shapes, None)
        kinds, dims = [int64, *kinds], [(), *dims]
        if names is not None and len(names) != len(kinds):
            raise ValueError(
                errors.at_user_line(f"Queue names must have {len(kinds)} entries, the first for the priority")
            )
        super().__init__(
            kinds, dims, names, _handle(_Ranked("PriorityQueue", kinds, dims, capacity, shared_name or name))
        )
