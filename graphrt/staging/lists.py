"""Python lists that grow or shrink where control flow is staged.

    values = []
    for x in tensor:              values: a Python list before the loop, a StagedList in it and after it
        values.append(x * 2)
    return tf.stack(values)

A list whose length depends on a tensor cannot stay a Python list in the graph; it becomes a `StagedList`, a list of
tensors of one dtype held by TensorList ops. It answers to what lists are asked: `append`, `pop`, indexing, `len`, loops,
and wherever a tensor is expected it is the stack of its elements. Returned from a function it is a Python list again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from autograph.backends.state import made, note_contents, seen, shown
from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.ir.op import ops  # late: start-up, the backend is registered by `import graphrt`
from graphrt.tensor.apply import refuse_leaked
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import is_lost
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor, raw_of
from graphrt.tensor.weak import is_flexible, like, needed, united, weak_tensor, weak_type, weakened
from graphrt.types.dtype import DType
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.shape import Dims, TensorShape, relax
from graphrt.types.structure import Composite


def _shape_argument(dims: Dims) -> Any:
    return np.int32(-1) if dims is None else np.array([-1 if d is None else d for d in dims], np.int32)


def all_of(elements: Any) -> Any:
    """What a list takes of `elements`: a staged list, or one of Python's; an iterator has given all of them afterwards."""
    return elements.spent() if isinstance(elements, StagedList) else list(elements)


class StagedList(Composite):
    """A list of tensors whose length is known only when the graph runs."""

    __slots__ = ("_dtype", "_handle", "behind", "dims")
    once = False  # whether it is an iterator, which gives each element once

    def __init__(self, handle: TensorLike, dtype: DType, dims: Dims) -> None:
        self._handle = handle
        self._dtype = dtype
        self.dims = dims  # what is known of the shape of each element
        self.behind: SymbolicTensor | None = None  # what an ended trace left in it, which stands before the elements
        made(self)

    @property
    def handle(self) -> TensorLike:
        """The tensor that holds the elements; raises where they are lost (see `aliases.py`), or not all are known."""
        self.check_known()
        return self._added

    def check_known(self) -> None:
        """Raises InaccessibleTensorError where the list holds what an earlier trace has left in it."""
        if self.behind is not None:
            refuse_leaked(self.behind)

    def apart(self) -> Self:
        """The list without what an earlier trace has left in it."""
        found: Self = self._like(self._added, self.dims)
        return found

    @property
    def _added(self) -> TensorLike:
        """The same for those that add elements, which need not know the others."""
        seen(self)
        return self._handle

    @property
    def dtype(self) -> DType:
        """The dtype of the elements: where they are numbers of Python, as long as they do not meet another."""
        weak = weak_type(self._handle)
        return self._dtype if weak is None else weak.dtype

    @classmethod
    def of(cls, elements: list[Any], dtype: DType, dims: Dims, weak: bool = False) -> StagedList:
        """A staged list that holds `elements`; `weak` if they are numbers of Python."""
        handle = ops.EmptyTensorList(_shape_argument(dims), np.int32(-1), element_dtype=dtype)
        if weak:
            weakened(handle, dtype=dtype)
        result = cls(handle, dtype, dims)
        known, result.behind = still_known(elements)
        for element in known:
            result = result.pushed(element)
        return result

    def filled(self, elements: list[Any]) -> StagedList:
        """A list of this kind that holds `elements`."""
        return StagedList.of(elements, self.dtype, self.dims, weak_type(self._added) is not None)

    @property
    def handles(self) -> tuple[Any, ...]:
        """The tensors that hold the elements."""
        return (self._handle,)

    def components(self) -> list[Any]:
        """The handle of the list."""
        return [self._handle]

    def with_components(self, components: list[Any]) -> Any:
        """The same kind of list over another handle; a Python list of tensors when the handle is concrete."""
        (handle,) = components
        if isinstance(handle, EagerTensor):
            return [EagerTensor(item) for item in raw_of(handle).items()]
        return self.over(handle, self.dims)

    def over(self, handle: TensorLike, dims: Dims) -> Self:
        """The same kind of list over another handle, with elements of such a shape."""
        found = self._like(handle, dims)
        found.behind = self.behind
        return found

    def _like(self, handle: TensorLike, dims: Dims) -> Any:
        return StagedList(handle, self.dtype, dims)

    def pushed(self, element: TensorLike) -> StagedList:
        """The list with `element` at its end.

        Raises:
          LoopVariableError: the element's dtype or shape is not that of the others.
        """
        tensor = self._element(element)
        return self.over(ops.TensorListPushBack(self._added, tensor), self.dims)

    def _element(self, value: Any) -> Tensor:
        weak = weak_type(self._added)
        if is_flexible(value):
            return weak_tensor(value) if weak is not None else convert_to_tensor(value, self.dtype)
        tensor: Tensor = convert_to_tensor(value, dtype_hint=self.dtype)
        fits = tensor.dtype is self.dtype or (weak is not None and weak.holds(tensor.dtype))
        if not fits or not TensorShape(self.dims).is_compatible_with(tensor.shape):
            raise errors.LoopVariableError(
                errors.at_user_line(
                    f"the elements of a list that grows in a staged loop have one type: found {tensor.dtype.name} of "
                    f"shape {tensor.shape}, the others are {self.dtype.name} of shape {TensorShape(self.dims)}"
                )
            )
        return tensor

    def size(self) -> Tensor:
        """The number of elements, an int32 scalar."""
        return ops.TensorListLength(self.handle)

    def truth(self) -> Tensor:
        """Whether there are elements."""
        return self.size() > 0

    def _index(self, index: Any) -> Any:
        at = convert_to_tensor(index)
        if at.dtype.name != "int32":
            at = ops.cast(at, "int32")
        return ops.SelectV2(at < 0, at + self.size(), at)

    def _bound(self, index: Any, otherwise: Any) -> Any:
        """A bound of a slice, counted from the front: from 0 to the size."""
        if index is None:
            return otherwise
        return ops.Minimum(ops.Maximum(self._index(index), 0), self.size())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._sliced(index)
        if isinstance(index, tuple):
            return self.stack()[index]
        item = ops.TensorListGetItem(
            self.handle, self._index(index), _shape_argument(self.dims), element_dtype=self.dtype
        )
        item.set_shape(TensorShape(self.dims))
        return item

    @classmethod
    def slices_of(cls, tensor: Any) -> StagedList:
        """A list of the slices of `tensor` along its first dimension."""
        dims = None if tensor.dims is None else tensor.dims[1:]
        return cls(ops.TensorListFromTensor(tensor, _shape_argument(dims)), tensor.dtype, dims)

    def read(self, index: Any) -> Any:
        """The element at `index`, an int32 that is not negative."""
        return ops.TensorListGetItem(self.handle, index, _shape_argument(self.dims), element_dtype=self.dtype)

    def with_item(self, index: Any, element: Any) -> StagedList:
        """The list with another element at `index`."""
        handle = ops.TensorListSetItem(self.handle, self._index(index), self._element(element))
        return self.over(handle, self.dims)

    def popped(self, index: Any = None) -> tuple[StagedList, Any]:
        """The list without the element at `index` (the last one when None), and that element."""
        if index is None:
            handle, item = ops.TensorListPopBack(self.handle, _shape_argument(self.dims), element_dtype=self.dtype)
            item.set_shape(TensorShape(self.dims))
            return self.over(handle, self.dims), item
        at = self._index(index)
        return self[:at].extended(self[at + 1 :]), self[index]

    def of_rows(self, rows: Any, dims: Dims = None) -> StagedList:
        """A list of this kind that holds the slices of `rows`, which may be of other shapes, `dims`."""
        dims = dims or self.dims
        handle = ops.TensorListFromTensor(rows, _shape_argument(dims), element_dtype=rows.dtype)
        return self.over(handle, dims)

    def _sliced(self, index: slice) -> StagedList:
        return self.of_rows(self.stack()[index])

    def matches(self, element: Any) -> Tensor:
        """For each element whether it is equal to `element`."""
        found: Tensor = ops.tensor_equals(self.stack(), element)
        return found if len(found.dims or ()) == 1 else ops.reduce_all(found, list(range(1, len(self.dims or ()) + 1)))

    def extended(self, elements: Any) -> StagedList:
        """The list with `elements`, a Python list or tuple or another staged list, behind its own."""
        if isinstance(elements, StagedList):
            both = [self._stacked(self._added), elements.stack()]
            if all(weak_type(v) is not None for v in both):
                both = united(both)
            rows = like(ops.concat(both, 0), both[0])
            return self.of_rows(rows, relax(self.dims, elements.dims))
        result = self
        for element in elements:
            result = result.pushed(element)
        return result

    # --- as Python's lists are changed: by code that is no variable's own, such as `self.rows.append(x)` ---
    def become(self, other: StagedList) -> None:
        """Holds what `other` holds from now on."""
        note_contents(self)
        self._handle, self.dims, self.behind = other._added, other.dims, other.behind

    @property
    def is_weak(self) -> bool:
        """Whether the elements are numbers of Python so far."""
        return weak_type(self._handle) is not None

    def parts(self) -> list[StagedList]:
        """The lists of tensors in it: itself."""
        return [self]

    def meet(self, other: StagedList) -> None:
        """Takes the dtype of `other` for elements that are numbers of Python so far, where they lose nothing by it."""
        weak = weak_type(self._handle)
        if weak is None or weak.final or weak_type(other._handle) is not None or not weak.holds(other.dtype):
            return
        if weak.dtype is not other.dtype and needed(other.dtype, weak.dtype) is other.dtype:
            weak.change(other.dtype)

    def share_behind(self, other: StagedList) -> None:
        """Is as little known as `other`, which it may be in the graph."""
        for own, others in zip(self.parts(), other.parts()):
            own.behind = others.behind if own.behind is None else own.behind

    def spent(self) -> Any:
        """A list of all elements, which are gone afterwards where this is an iterator."""
        return self

    def append(self, element: TensorLike) -> None:
        """Adds `element` at the end."""
        self.become(self.pushed(element))

    def extend(self, elements: Any) -> None:
        """Adds `elements` at the end.

        Raises:
          TypeError: they are nothing that can be iterated over.
        """
        self.become(self.extended(all_of(elements)))

    def insert(self, index: Any, element: Any) -> None:
        """Adds `element` before that at `index`."""
        at = self._bound(index, 0)
        self.become(self[:at].pushed(element).extended(self[at:]))

    def pop(self, index: Any = None) -> Any:
        """Takes the element at `index`, the last one by default."""
        rest, item = self.popped(index)
        self.become(rest)
        return item

    def clear(self) -> None:
        """Takes all elements."""
        self.become(self.filled([]))

    def reverse(self) -> None:
        """Turns the order round."""
        self.become(self[::-1])

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        """Puts the elements in order.

        Raises:
          OperatorNotAllowedInGraphError: a `key` is given.
        """
        if key is not None:
            text = "sort(key=...) of a list that grew in a staged loop: write `xs = sorted(xs, key=...)`"
            raise errors.OperatorNotAllowedInGraphError(errors.at_user_line(text))
        self.become(self.ordered(reverse))

    def ordered(self, reverse: Any = False) -> StagedList:
        """A list of the elements in order."""
        rows = self.stack()
        return self.of_rows(like(ops.sort(rows, direction="DESCENDING" if reverse else "ASCENDING"), rows))

    def index(self, element: Any) -> Tensor:
        """The place of the first element that is equal to `element`; a graph that finds none raises when it runs."""
        found = self.matches(element)
        ops.Assert(ops.reduce_any(found, None), [convert_to_tensor("x is not in the list")])
        return weakened(ops.ArgMax(ops.Cast(found, DstT="int32"), 0, output_type="int32"))

    def count(self, element: Any) -> Tensor:
        """How many elements are equal to `element`."""
        return weakened(ops.reduce_sum(ops.Cast(self.matches(element), DstT="int32"), None))

    def remove(self, element: Any) -> None:
        """Takes the first element that is equal to `element`; a graph that finds none raises when it runs."""
        self.become(self.popped(self.index(element))[0])

    def copy(self) -> StagedList:
        """A list with the same elements."""
        return seen(self).kept()

    def kept(self) -> StagedList:
        """The same, also of one that is lost."""
        return self.over(self._handle, self.dims)

    def listed(self) -> StagedList:
        """The same as a list, where it is something else."""
        return self.copy()

    def __setitem__(self, index: Any, element: Any) -> None:
        sliced = isinstance(index, slice)
        self.become(self._with_slice(index, shown(element)) if sliced else self.with_item(index, element))

    def _with_slice(self, index: slice, elements: Any) -> StagedList:
        """The list with other elements in a slice, as many as there were if that has a step."""
        new = all_of(elements)
        if index.step is None:
            start = self._bound(index.start, 0)
            stop = ops.Maximum(self._bound(index.stop, self.size()), start)
            return self[:start].extended(new).extended(self[stop:])
        rows, places = self.stack(), ops.range(self.size())[index]
        new = new if isinstance(new, StagedList) else self.filled(new)
        return self.of_rows(ops.TensorScatterUpdate(rows, ops.ExpandDims(places, 1), new.stack()))

    def __delitem__(self, index: Any) -> None:
        if not isinstance(index, slice):
            self.become(self.popped(index)[0])
            return
        size = self.size()
        places = ops.ExpandDims(ops.range(size)[index], 1)
        flags = ops.TensorScatterUpdate(ops.fill([size], True), places, ops.fill([ops.Shape(places)[0]], False))
        self.become(self._kept(flags))

    def _kept(self, flags: Tensor) -> StagedList:
        """The list of the elements whose flag is set."""
        rows = self.stack()
        return self.of_rows(like(ops.boolean_mask(rows, flags), rows))

    def __eq__(self, other: object) -> Any:
        """Whether both are lists of equal elements."""
        if not isinstance(other, (list, StagedList)):
            return NotImplemented
        return self._equals(other if isinstance(other, StagedList) else self.filled(other))

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else ops.LogicalNot(equal)

    __hash__ = object.__hash__

    def _equals(self, other: StagedList) -> Tensor:
        return cond(
            ops.Equal(self.size(), other.size()),
            lambda: ops.reduce_all(ops.tensor_equals(self.stack(), other.stack()), None),
            lambda: convert_to_tensor(False),
        )

    def __mul__(self, times: Any) -> Any:
        rows = self.stack()
        repeated = ops.reshape(
            ops.tile(ops.ExpandDims(rows, 0), [times, *[1] * len(rows.shape)]), [-1, *rows.shape[1:]]
        )
        return self.of_rows(like(repeated, rows))

    __rmul__ = __mul__

    def __iadd__(self, other: Any) -> Any:
        if hasattr(other, "__tf_tensor__") and not isinstance(other, StagedList):  # a tensor, which adds to each
            return NotImplemented
        return self.extended(all_of(other))

    def __add__(self, other: Any) -> Any:
        taken = isinstance(other, list) or (isinstance(other, StagedList) and not other.once)
        return self.extended(other) if taken else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return self.filled(other).extended(self) if isinstance(other, list) else NotImplemented

    def stack(self) -> Tensor:
        """The elements as one tensor, along a new first dimension."""
        return self._stacked(self.handle)

    def _stacked(self, handle: TensorLike) -> Tensor:
        stacked: Tensor = ops.TensorListStack(handle, _shape_argument(self.dims), element_dtype=self.dtype)
        if self.dims is not None:
            stacked.set_shape(TensorShape((None, *self.dims)))
        return stacked

    def __tf_tensor__(self, dtype: DTypeLike | None, name: str | None) -> Tensor:
        return convert_to_tensor(self.stack(), dtype)

    def __len__(self) -> int:
        raise errors.OperatorNotAllowedInGraphError(
            errors.at_user_line(
                "the length of this list is not known while tracing: len() works in converted code only, "
                "and no pattern of `match`"
            )
        )

    def __iter__(self) -> Any:
        text = "this list grew in a staged loop: loop over it in converted code, or stack it first"
        raise errors.OperatorNotAllowedInGraphError(errors.at_user_line(text))

    def __getattr__(self, name: str) -> Any:
        if not hasattr(list, name) or name.startswith("__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        raise errors.OperatorNotAllowedInGraphError(
            errors.at_user_line(
                f"{name!r} of a list that grew in a staged loop: it may `append`, `extend`, `insert`, `pop`, `clear`, be "
                "indexed and be looped over; for anything else stack it first (tf.stack)"
            )
        )

    def __repr__(self) -> str:
        return f"<staged list of {self.dtype.name} {TensorShape(self.dims)}>"


Sequence.register(StagedList)  # for patterns of `match`, which ask for its length, and are told


def still_known(elements: list[Any]) -> tuple[list[Any], SymbolicTensor | None]:
    """Those that are not of a trace that has ended, and one that is, if any."""
    lost = next((e for e in elements if is_lost(e)), None)
    return elements if lost is None else [e for e in elements if not is_lost(e)], lost
