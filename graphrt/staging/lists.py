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
from typing import Any

import numpy as np

from autograph.backends.state import made, note_contents, seen, shown
from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.ir.op import ops  # late: start-up, the backend is registered by `import graphrt`
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor, raw_of
from graphrt.tensor.weak import common_dtype, is_flexible, like, needed, united, weak_tensor, weak_type, weakened
from graphrt.types import structure
from graphrt.types.dtype import DType
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.shape import Dims, TensorShape, relax
from graphrt.types.structure import Composite


def _shape_argument(dims: Dims) -> Any:
    return np.int32(-1) if dims is None else np.array([-1 if d is None else d for d in dims], np.int32)


class StagedList(Composite):
    """A list of tensors whose length is known only when the graph runs."""

    __slots__ = ("_dtype", "_handle", "dims")

    def __init__(self, handle: TensorLike, dtype: DType, dims: Dims) -> None:
        self._handle = handle
        self._dtype = dtype
        self.dims = dims  # what is known of the shape of each element
        made(self)

    @property
    def handle(self) -> TensorLike:
        """The tensor that holds the elements; raises where they are lost (see `aliases.py`)."""
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
        for element in elements:
            result = result.pushed(element)
        return result

    def filled(self, elements: list[Any]) -> StagedList:
        """A list of this kind that holds `elements`."""
        return StagedList.of(elements, self.dtype, self.dims, weak_type(self.handle) is not None)

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

    def over(self, handle: TensorLike, dims: Dims) -> StagedList:
        """The same kind of list over another handle, with elements of such a shape."""
        return StagedList(handle, self.dtype, dims)

    def pushed(self, element: TensorLike) -> StagedList:
        """The list with `element` at its end.

        Raises:
          LoopVariableError: the element's dtype or shape is not that of the others.
        """
        tensor = self._element(element)
        return self.over(ops.TensorListPushBack(self.handle, tensor), self.dims)

    def _element(self, value: Any) -> Tensor:
        weak = weak_type(self.handle)
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

    def _matches(self, element: Any) -> Tensor:
        """For each element whether it is equal to `element`."""
        found: Tensor = ops.tensor_equals(self.stack(), element)
        return found if len(found.dims or ()) == 1 else ops.reduce_all(found, list(range(1, len(self.dims or ()) + 1)))

    def extended(self, elements: Any) -> StagedList:
        """The list with `elements`, a Python list or tuple or another staged list, behind its own."""
        if isinstance(elements, StagedList):
            both = [self.stack(), elements.stack()]
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
        self._handle, self.dims = other.handle, other.dims

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

    def append(self, element: TensorLike) -> None:
        """Adds `element` at the end."""
        self.become(self.pushed(element))

    def extend(self, elements: Any) -> None:
        """Adds `elements` at the end.

        Raises:
          TypeError: they are nothing that can be iterated over.
        """
        self.become(self.extended(elements if isinstance(elements, StagedList) else list(elements)))

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
        found = self._matches(element)
        ops.Assert(ops.reduce_any(found, None), [convert_to_tensor("x is not in the list")])
        return weakened(ops.ArgMax(ops.Cast(found, DstT="int32"), 0, output_type="int32"))

    def count(self, element: Any) -> Tensor:
        """How many elements are equal to `element`."""
        return weakened(ops.reduce_sum(ops.Cast(self._matches(element), DstT="int32"), None))

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
        new = elements if isinstance(elements, StagedList) else self.filled(list(elements))
        if index.step is None:
            start = self._bound(index.start, 0)
            stop = ops.Maximum(self._bound(index.stop, self.size()), start)
            return self[:start].extended(new).extended(self[stop:])
        rows, places = self.stack(), ops.range(self.size())[index]
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
        return self.extended(other)

    def __add__(self, other: Any) -> Any:
        return self.extended(other) if isinstance(other, (list, StagedList)) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return self.filled(other).extended(self) if isinstance(other, list) else NotImplemented

    def stack(self) -> Tensor:
        """The elements as one tensor, along a new first dimension."""
        stacked = ops.TensorListStack(self.handle, _shape_argument(self.dims), element_dtype=self.dtype)
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


class StagedRows(StagedList):
    """A list of tuples, or of other structures, whose length is known only when the graph runs: a list for each leaf."""

    __slots__ = ("_columns", "like")

    def __init__(self, columns: list[StagedList], like: Any) -> None:
        self._columns = columns
        self.like = like  # a structure with something for each leaf
        made(self)

    @property
    def columns(self) -> list[StagedList]:
        """A list for each leaf; raises where they are lost."""
        return seen(self)._columns

    def filled(self, elements: list[Any]) -> StagedRows:
        """A list of this kind that holds `elements`."""
        leaves = [self._leaves(e) for e in elements]
        return self._with([c.filled([row[i] for row in leaves]) for i, c in enumerate(self._columns)])

    def _with(self, columns: list[StagedList]) -> StagedRows:
        return StagedRows(columns, self.like)

    def _leaves(self, element: Any) -> list[Any]:
        try:
            structure.assert_same_structure(self.like, element)
        except (TypeError, ValueError):
            raise errors.LoopVariableError(
                errors.at_user_line(
                    f"the elements of a list that grows in a staged loop have one structure: found {element!r}, the "
                    f"others are like {self.like!r}"
                )
            ) from None
        return structure.flatten(element)

    def _row(self, leaves: list[Any]) -> Any:
        return structure.pack_like(self.like, leaves)

    @property
    def handles(self) -> tuple[Any, ...]:
        """The tensors that hold the leaves of the elements."""
        return tuple(handle for c in self._columns for handle in c.handles)

    def components(self) -> list[Any]:
        """The handles, one for each leaf."""
        return list(self.handles)

    def with_components(self, components: list[Any]) -> Any:
        """The same kind of list over other handles; a Python list when they are concrete."""
        columns = [c.with_components([h]) for c, h in zip(self._columns, components)]
        if all(type(c) is list for c in columns):
            return [self._row(list(row)) for row in zip(*columns)]
        return self._with(columns)

    def pushed(self, element: Any) -> StagedRows:
        """The list with `element` at its end."""
        return self._with([c.pushed(leaf) for c, leaf in zip(self.columns, self._leaves(element))])

    def size(self) -> Tensor:
        """The number of elements, an int32 scalar."""
        return self.columns[0].size()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, tuple):
            return self.stack()[index]
        if isinstance(index, slice):
            return self._with([c[index] for c in self.columns])
        return self._row([c[index] for c in self.columns])

    def _matches(self, element: Any) -> Tensor:
        found = [c._matches(leaf) for c, leaf in zip(self.columns, self._leaves(element))]
        return ops.reduce_all(ops.Pack(found), 0)

    def _with_slice(self, index: slice, elements: Any) -> StagedRows:
        new = elements if isinstance(elements, StagedRows) else self.filled(list(elements))
        return self._with([c._with_slice(index, other) for c, other in zip(self.columns, new.columns)])

    def _kept(self, flags: Tensor) -> StagedRows:
        return self._with([c._kept(flags) for c in self.columns])

    def _equals(self, other: StagedList) -> Tensor:
        assert isinstance(other, StagedRows)
        return ops.reduce_all(ops.Pack([a._equals(b) for a, b in zip(self.columns, other.columns)]), None)

    def __mul__(self, times: Any) -> Any:
        return self._with([c * times for c in self.columns])

    __rmul__ = __mul__
    __hash__ = object.__hash__

    def ordered(self, reverse: Any = False) -> StagedRows:
        """Raises OperatorNotAllowedInGraphError: structures have no order in a graph."""
        raise errors.OperatorNotAllowedInGraphError(
            errors.at_user_line("tuples in a list that grew in a staged loop have no order in a graph: sort by `key`")
        )

    def with_item(self, index: Any, element: Any) -> StagedRows:
        """The list with another element at `index`."""
        return self._with([c.with_item(index, leaf) for c, leaf in zip(self.columns, self._leaves(element))])

    def popped(self, index: Any = None) -> tuple[StagedRows, Any]:
        """The list without the element at `index` (the last one when None), and that element."""
        found = [c.popped(index) for c in self.columns]
        return self._with([rest for rest, _ in found]), self._row([item for _, item in found])

    def extended(self, elements: Any) -> StagedRows:
        """The list with `elements`, a Python list or tuple or another staged list, behind its own."""
        if isinstance(elements, StagedRows):
            return self._with([a.extended(b) for a, b in zip(self.columns, elements.columns)])
        result = self
        for element in elements:
            result = result.pushed(element)
        return result

    def stack(self) -> Tensor:
        """The elements as one tensor, along a new first dimension; their leaves along the second."""
        stacked: Tensor = ops.stack([c.stack() for c in self.columns], axis=1)
        return stacked

    def parts(self) -> list[StagedList]:
        """The lists of tensors in it: one for each leaf."""
        return self._columns

    def meet(self, other: StagedList) -> None:
        """The same, leaf by leaf."""
        for own, others in zip(self._columns, other.parts()):
            own.meet(others)

    def become(self, other: StagedList) -> None:
        """Holds what `other` holds from now on."""
        assert isinstance(other, StagedRows)
        note_contents(self)
        self._columns = other.columns

    def kept(self) -> StagedRows:
        """A list with the same elements."""
        return self._with(list(self._columns))

    def __repr__(self) -> str:
        return f"<staged list of rows {self._row([c.dtype.name for c in self._columns])}>"


def learned_list(before: list[Any], after: list[Any]) -> StagedList | None:
    """A pattern for a list that has changed its length in staged code; None when its elements cannot be carried.

    Elements that convert to tensors of one dtype are tensors; tuples and other structures keep their form.
    """
    elements = [*before, *after]
    if not elements:
        return None
    first = elements[0]
    if structure.is_nested(first) and type(first) is not list:
        return _learned_rows(elements)
    try:
        tensors = [weak_tensor(element) for element in elements]
    except (TypeError, ValueError):
        return _learned_rows(elements) if structure.is_nested(first) else None
    found = common_dtype(tensors)
    if found is None:
        return None
    dims = tensors[0].dims
    for tensor in tensors[1:]:
        dims = relax(dims, tensor.dims)
    return StagedList.of([], found, dims, all(weak_type(t) is not None for t in tensors))


def _learned_rows(elements: list[Any]) -> StagedRows | None:
    try:
        for element in elements[1:]:
            structure.assert_same_structure(elements[0], element)
    except (TypeError, ValueError):
        return None
    columns = [learned_list([], list(leaves)) for leaves in zip(*map(structure.flatten, elements))]
    found = [c for c in columns if c is not None]
    if not found or len(found) < len(columns):
        return None
    return StagedRows(found, structure.map_structure(lambda _: 0, elements[0]))


def pattern_of(example: TensorLike) -> StagedList:
    """An empty list whose elements are like `example`.

    Raises:
      TypeError: no graph can carry it.
    """
    found = learned_list([], [example])
    if found is None:
        raise TypeError(errors.at_user_line(f"a list that a graph makes cannot hold {example!r}"))
    return found
