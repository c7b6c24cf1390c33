"""Python lists that grow or shrink where control flow is staged.

    values = []
    for x in tensor:              values: a Python list before the loop, a StagedList in it and after it
        values.append(x * 2)
    return tf.stack(values)

A list whose length depends on a tensor cannot stay a Python list in the graph; it becomes a `StagedList`, a list of
tensors of one dtype held by TensorList ops. It answers to what lists are asked: `append`, `pop`, indexing, `len`, loops,
and wherever a tensor is expected it is the stack of its elements. Returned from a function it is a Python list again.
"""

# long: one class, with the methods and operators that Python's lists have

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Sequence
from opcode import opmap
from types import FrameType
from typing import Any, Self

import numpy as np

from autograph.backends.state import Contents, current_trace, made, note_contents, seen, shown
from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.ir.op import ops  # late: start-up, the backend is registered by `import graphrt`
from graphrt.staging import nested_lists as nested
from graphrt.staging.compared import Never, as_element, in_order
from graphrt.staging.copies import copied, still_known
from graphrt.staging.raising import must_hold
from graphrt.staging.stacking import concatenated, in_a_row, joined_rows, shape_argument, stacked
from graphrt.tensor.apply import refuse_leaked
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor, raw_of, unpacked_count
from graphrt.tensor.weak import is_flexible, like, needed, weak_tensor, weak_type, weakened
from graphrt.types.dtype import DType, bool_
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.nesting import shown as shown_value
from graphrt.types.shape import Dims, TensorShape, covers, relax
from graphrt.types.structure import Repeatable

_INSTEAD = {
    opmap["UNPACK_EX"]: "write `a, r = rows[0], rows[1:]` for `a, *r = rows`",
    opmap["LIST_EXTEND"]: "write `rows + [x]` or `rows[:]` for `[*rows, x]` and `[*rows]`",
    opmap["CALL_FUNCTION_EX"]: "give the list itself to the function, `f(rows)` for `f(*rows)`",
}  # by what the user's code does with it


def as_python(value: Any) -> Any:
    """A list of Python's, in whose stead the program finds `value`, if that is a staged one; all else as it is."""
    if not isinstance(value, StagedList) or value.once or value.has_one_length or current_trace() is None:
        return value
    rows: list[Any] = made([])
    Contents(rows).write(value)
    return rows


class StagedList(Repeatable):
    """A list of tensors whose length is known only when the graph runs."""

    __slots__ = ("_begun", "_dtype", "_handle", "behind", "dims", "nest", "order", "void")
    python: type = list  # what it is to the program
    once = False  # whether it is an iterator, which gives each element once
    has_one_length = False  # whether that must not change while a loop goes through it

    def __init__(
        self, handle: TensorLike, dtype: DType, dims: Dims, nest: nested.Nest | None = None, void: bool = False
    ) -> None:
        self._handle = handle
        self._dtype = dtype
        self.dims = dims  # what is known of the shape of each element
        self.nest = nest  # what is told of the elements where they are lists to the program: rows[0] + [1] joins two
        self.void = void  # whether it holds nothing, or empty lists, in any run: nobody knows what may be put there
        self.order = nested.Order()  # which of its elements are where: another one where that may have changed
        self._begun: tuple[Any, list[Any]] | None = None  # a handle, and the elements that it was made of
        self.behind: SymbolicTensor | None = None  # what an ended trace left in it, which stands before the elements
        made(self)

    @property
    def depth(self) -> int:
        """How many dimensions of an element are lists to the program."""
        return 0 if self.nest is None else self.nest.depth

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
    def of(
        cls, elements: list[Any], dtype: DType, dims: Dims, weak: bool = False, nest: nested.Nest | None = None,
        void: bool = False,
    ) -> StagedList:  # fmt: skip
        """A staged list that holds `elements`; `weak` if they are numbers of Python, `void` if nobody knows them."""
        handle = ops.EmptyTensorList(shape_argument(dims), np.int32(-1), element_dtype=dtype)
        if weak:
            weakened(handle, dtype=dtype)
        result = cls(handle, dtype, dims, nest, void)
        known, result.behind = still_known(elements)
        for element in known:
            result = result.pushed(element)
        result._begun = result._handle, known
        return result

    def filled(self, elements: list[Any]) -> StagedList:
        """A list of this kind that holds `elements`."""
        return StagedList.of(elements, self.dtype, self.dims, weak_type(self._added) is not None, self.nest, self.void)

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
            items = [EagerTensor(item) for item in raw_of(handle).items()]
            return items if self.nest is None else [nested.as_python(item, self.nest.depth) for item in items]
        return self.over(handle, self.dims)

    def over(self, handle: TensorLike, dims: Dims) -> Self:
        """The same kind of list over another handle, with elements of such a shape."""
        found = self._like(handle, dims)
        found.behind, found._begun, found.void = self.behind, self._begun, self.void
        return found

    def of_kind(self, handle: TensorLike, kind: nested.Rows) -> Self:
        """The same over another handle, with lists of that kind as elements."""
        found = self.over(handle, kind.dims)
        found._dtype, found.order, found.void = kind.dtype, self.order, False
        found.nest = None if self.nest is None else self.nest.deepened(kind.depth)
        return found

    def _like(self, handle: TensorLike, dims: Dims) -> Any:
        return StagedList(handle, self.dtype, dims, self.nest)

    def pushed(self, element: TensorLike) -> StagedList:
        """The list with `element` at its end.

        Raises:
          LoopVariableError: the element's dtype or shape is not that of the others.
        """
        rows = ops.told(self, element, True) if self.void else self
        if rows is not self:
            return rows.pushed(element)
        tensor = self._element(element)
        wide = self.widened((tensor.dims,))
        return wide.over(ops.TensorListPushBack(wide._added, tensor), wide.dims)

    @property
    def shapes(self) -> list[Dims]:
        """What is known of the shapes of elements; of each leaf."""
        return [self.dims]

    def is_at(self, rows: StagedList, key: object) -> bool:
        """Whether it is known to be the element of `rows` at the index `key`."""
        return False

    def as_row(self) -> nested.Rows | None:
        """What is known of it as an element of a list of lists, without a look into it; None of one of structures."""
        dims = None if self.dims is None else (getattr(self, "length", None), *self.dims)
        return nested.Rows(1 + self.depth, self.dtype, dims, self.is_weak)

    def told_by(self, other: StagedList) -> StagedList:
        """The list; where nobody knows what it, or the lists in it, may hold, one that holds what `other` does."""
        return ops.told(self, other, False) if self.void and not other.void else self

    def covers(self, other: StagedList) -> bool:
        """Whether the elements of `other` are of the kind that is known of these."""
        return self.told_by(other) is self and all(map(covers, self.shapes, other.shapes))

    def beside(self, other: StagedList) -> StagedList:
        """The list as one that may hold what is in `other`, too."""
        return self.told_by(other).widened(other.shapes)

    def widened(self, shapes: Sequence[Dims]) -> StagedList:
        """The list, made anew where an element may be of such a shape, of which less is known."""
        found = relax(self.dims, shapes[0])
        if found == self.dims:
            return self
        wide = self._widened(found)
        wide.order = self.order
        return wide

    def _widened(self, dims: Dims) -> StagedList:
        if self._begun is not None and self._begun[0] is self._handle:
            made_again = StagedList.of(self._begun[1], self.dtype, dims, self.is_weak, self.nest, self.void)
            found = self.over(made_again._added, dims)
            found.behind, found._begun = made_again.behind, made_again._begun
            return found
        rows = self._rows(self._added)  # which are of one shape
        wide = ops.TensorListReserve(shape_argument(dims), ops.Shape(rows)[0], element_dtype=rows.dtype)
        wide = ops.TensorListScatterIntoExistingList(wide, rows, ops.range(ops.Shape(rows)[0]))
        return self.over(like(wide, self._added) if self.is_weak else wide, dims)

    def _element(self, value: Any) -> Tensor:
        weak = weak_type(self._added)
        copied(value)
        if is_flexible(value):
            return weak_tensor(value) if weak is not None else convert_to_tensor(value, self.dtype)
        if self.nest is not None:
            self.nest.put(value)
            value = nested.row_tensor(value, self)
        tensor: Tensor = convert_to_tensor(value, dtype_hint=self.dtype)
        fits = tensor.dtype is self.dtype or (weak is not None and weak.holds(tensor.dtype))
        if not fits or not TensorShape(nested.inner(self.dims, self)).is_compatible_with(
            nested.inner(tensor.dims, self)
        ):
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
        if not (at.dtype.is_integer or at.dtype is bool_) or at.dims not in ((), None):
            raise TypeError(errors.at_user_line(f"list indices must be integers or slices, found {shown_value(index)}"))
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
            return self.again()._sliced(index)
        if isinstance(index, tuple):
            return self.stack()[index]
        at = self._index(index)
        return self._given(self.tensor_at(at), at, index)

    def _given(self, tensor: Tensor, at: Tensor | None = None, key: object = None) -> Tensor | StagedList:
        """What the program is given for the tensor of an element, which stays in the list if it is `at` some index.

        That is called `key` by the program.
        """
        if self.nest is None:
            return tensor
        like(tensor, self._added)
        if at is not None:
            return ops.row_of(self, tensor, at, key)
        apart = StagedList.slices_of(
            ops.ExpandDims(tensor, 0), self.nest.apart(), self.void
        )  # a list that nobody else has
        return ops.row_of(apart, tensor, 0)

    def tensor_at(self, at: Tensor | int) -> Tensor:
        """The tensor of the element at `at`, an index from the front."""
        item: Any = ops.TensorListGetItem(self.handle, at, shape_argument(self.dims), element_dtype=self.dtype)
        item.set_shape(TensorShape(self.dims))
        found: Tensor = item
        return found

    @classmethod
    def slices_of(cls, tensor: Tensor, nest: nested.Nest | None = None, void: bool = False) -> StagedList:
        """A list of the slices of `tensor` along its first dimension; `void` if there are none, and nobody knows them."""
        dims = None if tensor.dims is None else tensor.dims[1:]
        return cls(ops.TensorListFromTensor(tensor, shape_argument(dims)), tensor.dtype, dims, nest, void)

    def read(self, index: Any) -> Any:
        """The element at `index`, an int32 that is not negative."""
        return self._given(self.tensor_at(index), index)

    def with_item(self, index: Any, element: Any) -> StagedList:
        """The list with another element at `index`."""
        if isinstance(element, StagedList) and element.is_at(self, index):
            return self.kept()  # `rows[i] += [x]`, which has changed that
        rows = ops.told(self, element, True) if self.void else self
        if rows is not self:
            return rows.with_item(index, element)
        return self.with_tensor(self._index(index), self._element(element))

    def with_tensor(self, at: Tensor | int, tensor: Tensor) -> StagedList:
        """The list with another tensor at `at`, an index from the front."""
        wide = self.widened((tensor.dims,))
        return wide.over(ops.TensorListSetItem(wide.handle, at, tensor), wide.dims)

    def popped(self, index: Any = None) -> tuple[StagedList, Any]:
        """The list without the element at `index` (the last one when None), and that element."""
        if index is None:
            handle, item = ops.TensorListPopBack(self.handle, shape_argument(self.dims), element_dtype=self.dtype)
            item.set_shape(TensorShape(self.dims))
            return self.over(handle, self.dims), self._given(item)
        at = self._index(index)
        item = self.tensor_at(at)
        rest = ops.TensorListSetItem(self.handle, at, item)  # it needs the item, which fails where there is none
        return self.over(rest, self.dims)._without(at), self._given(item)

    def _without(self, at: Any) -> Self:
        found: Any = self._sliced(slice(None, at)).extended(self._sliced(slice(at + 1, None)))
        rest: Self = found
        return rest

    def of_rows(self, rows: Any, dims: Dims = None) -> StagedList:
        """A list of this kind that holds the slices of `rows`, which may be of other shapes, `dims`."""
        dims = dims or self.dims
        handle = ops.TensorListFromTensor(rows, shape_argument(dims), element_dtype=rows.dtype)
        return self.over(handle, dims)

    def _sliced(self, index: slice) -> StagedList:
        if nested.is_uneven(self):
            return nested.picked(self, ops.range(self.size())[index])
        return self.of_rows(self._rows()[index])

    def comparable(self, element: Any) -> Any:
        """`element` as what elements of this list are compared with, or `Never` where none can be equal to it."""
        if self.nest is not None:
            element = nested.comparable(element, self)
            if element is None:
                return Never
        return as_element(element, self.dtype, self.dims)

    def matches(self, element: Any) -> Tensor:
        """For each element whether it is equal to `element`."""
        element = self.comparable(element)
        if element is Never:
            return ops.fill(ops.Reshape(self.size(), [1]), False)
        return self._matches(element)

    def _matches(self, element: Any) -> Tensor:
        if nested.is_uneven(self):
            return nested.flags(self.size(), lambda at: nested.are_equal(self.tensor_at(at), element))
        found: Tensor = ops.tensor_equals(self._rows(), element)
        return found if len(found.dims or ()) == 1 else ops.reduce_all(found, list(range(1, len(self.dims or ()) + 1)))

    def extended(self, elements: Any) -> StagedList:
        """The list with `elements`, a Python list or tuple or another staged list, behind its own."""
        if isinstance(elements, StagedList):
            if elements.nest is not self.nest and self.nest is not None and elements.nest is not None:
                self.nest.share()
                elements.nest.share()
            told, elements = self.told_by(elements), elements.told_by(self)
            if told is not self:
                return told.extended(elements)
            if nested.is_uneven(self) or nested.is_uneven(elements):
                return nested.joined(self, elements)
            rows = concatenated(self._rows(self._added), elements._rows())
            return self.of_rows(rows, relax(self.dims, elements.dims))
        result = self
        for element in elements:
            result = result.pushed(element)
        return result

    # --- as Python's lists are changed: by code that is no variable's own, such as `self.rows.append(x)` ---
    def become(self, other: StagedList) -> None:
        """Holds what `other` holds from now on."""
        note_contents(self)
        self._handle, self.dims, self.behind, self._begun = other._added, other.dims, other.behind, other._begun
        self.nest, self.order, self.void, self._dtype = other.nest, other.order, other.void, other._dtype

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
        self.become(self.extended(ops.all_of(elements)))

    def insert(self, index: Any, element: Any) -> None:
        """Adds `element` before that at `index`."""
        at = self._bound(index, 0)
        self.become(self._sliced(slice(None, at)).pushed(element).extended(self._sliced(slice(at, None))))

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
        self.become(self._sliced(slice(None, None, -1)))

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        """Puts the elements in order."""
        self.become(ops.sorted_list(self, key, reverse))

    def ordered(self, reverse: Any = False) -> StagedList:
        """A list of the elements in order."""
        rows = self._rows()
        return self.of_rows(like(ops.sort(rows, direction="DESCENDING" if reverse else "ASCENDING"), rows))

    def index(self, element: Any, start: Any = None, stop: Any = None) -> Tensor:
        """The place of the first element that is equal to `element`; a graph that finds none raises when it runs."""
        found = self.matches(element)
        if start is not None:
            places, size = ops.range(self.size()), self.size()
            found = ops.LogicalAnd(found, places >= self._bound(start, 0))
            found = ops.LogicalAnd(found, places < self._bound(stop, size))
        must_hold(ops.reduce_any(found, None), ValueError, "x is not in list", "ask whether it is, `if x in rows:`")
        return weakened(ops.ArgMax(ops.Cast(found, DstT="int32"), 0, output_type="int32"))

    def count(self, element: Any) -> Tensor:
        """How many elements are equal to `element`."""
        return weakened(ops.reduce_sum(ops.Cast(self.matches(element), DstT="int32"), None))

    def remove(self, element: Any) -> None:
        """Takes the first element that is equal to `element`; a graph that finds none raises when it runs."""
        self.become(self._without(self.index(element)))

    def copy(self) -> StagedList:
        """A list with the same elements."""
        return seen(self).again().kept()

    def again(self) -> Self:
        """The list itself, whose elements come to be in another one, too."""
        if self.nest is not None:
            self.nest.share()
        return self

    def kept(self) -> StagedList:
        """The same, also of one that is lost."""
        found = self.over(self._handle, self.dims)
        found.order = self.order
        return found

    @property
    def may_be(self) -> list[Any]:
        """The lists that this may be: itself."""
        return [self]

    def at_end(self, value: Callable[[Any], Any]) -> StagedList:
        """The list where others are what `value` gives for them: itself, unless it is one of them."""
        return self

    def listed(self) -> StagedList:
        """The same as a list, where it is something else."""
        return seen(self).kept()

    def __setitem__(self, index: Any, element: Any) -> None:
        sliced = isinstance(index, slice)
        self.become(self._with_slice(index, shown(element)) if sliced else self.with_item(index, element))

    def _with_slice(self, index: slice, elements: Any) -> StagedList:
        """The list with other elements in a slice, as many as there were if that has a step."""
        new = ops.all_of(elements)
        if index.step is None:
            start = self._bound(index.start, 0)
            stop = ops.Maximum(self._bound(index.stop, self.size()), start)
            return self._sliced(slice(None, start)).extended(new).extended(self._sliced(slice(stop, None)))
        rows, places = self._rows(), ops.range(self.size())[index]
        new = new if isinstance(new, StagedList) else self.filled(new)
        return self.of_rows(ops.TensorScatterUpdate(rows, ops.ExpandDims(places, 1), new._rows()))

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
        if nested.is_uneven(self):
            return nested.picked(self, ops.boolean_mask(ops.range(self.size()), flags))
        rows = self._rows()
        return self.of_rows(like(ops.boolean_mask(rows, flags), rows))

    def _beside(self, other: Any) -> Any:
        """Another list as one of this kind; `Never` where an element of it is equal to none of such."""
        if isinstance(other, StagedList):
            return other
        elements = [self.comparable(e) for e in other]
        return Never if any(e is Never for e in elements) else self.filled(elements)

    def __eq__(self, other: object) -> Any:
        """Whether both are lists of equal elements."""
        if not isinstance(other, (list, StagedList)):
            return NotImplemented
        beside = self._beside(other)
        return convert_to_tensor(False) if beside is Never else self._equals(beside)

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else ops.LogicalNot(equal)

    __hash__ = object.__hash__

    def _equals(self, other: StagedList) -> Tensor:
        def by_elements() -> Tensor:
            pairs = zip(self.parts(), other.parts())
            flags = [ops.reduce_all(a._same(b), None) for a, b in pairs]
            found: Tensor = ops.reduce_all(ops.Pack(flags), None)
            return found

        same = ops.Equal(self.size(), other.size())
        if not self.is_like(other):
            return ops.LogicalAnd(same, ops.Equal(self.size(), 0))
        return cond(same, by_elements, lambda: convert_to_tensor(False))

    def _same(self, other: StagedList) -> Tensor:
        """Which elements are equal to those of another list of as many."""
        if nested.is_uneven(self) or nested.is_uneven(other):
            return nested.flags(self.size(), lambda at: nested.are_equal(self.tensor_at(at), other.tensor_at(at)))
        found: Tensor = ops.tensor_equals(self._rows(), other._rows())
        return found

    def is_like(self, other: StagedList) -> bool:
        """Whether elements of both have one structure."""
        return len(self.parts()) == len(other.parts()) == 1

    def _compared(self, other: object, compare: Callable[[Any, Any], Any]) -> Any:
        if not isinstance(other, (list, StagedList)) or self.once:
            return NotImplemented
        beside = self._beside(other)
        if beside is Never or not self.is_like(beside):
            kinds = f"{self!r} and {shown_value(other)}"
            raise TypeError(errors.at_user_line(f"lists of elements that have no order among each other: {kinds}"))
        columns = [[part.stack() for part in rows.parts()] for rows in (self, beside)]
        return in_order(columns[0], columns[1], (self.size(), beside.size()), compare)

    def __lt__(self, other: object) -> Any:
        return self._compared(other, operator.lt)

    def __le__(self, other: object) -> Any:
        return self._compared(other, operator.le)

    def __gt__(self, other: object) -> Any:
        return self._compared(other, operator.gt)

    def __ge__(self, other: object) -> Any:
        return self._compared(other, operator.ge)

    def __mul__(self, times: Any) -> Any:
        """The list as often as the number `times` says; in either order. A tensor multiplies each element."""
        if isinstance(times, Tensor) and weak_type(times) is None:
            return ops.multiply(self.stack(), times)
        self.again()
        count = convert_to_tensor(times)
        if count.dims not in ((), None) or not (count.dtype.is_integer or count.dtype is bool_):
            text = f"a list is repeated by an integer, found {shown_value(times)}"
            raise TypeError(errors.at_user_line(text))
        return self._repeated(ops.Maximum(ops.cast(count, "int32"), 0))

    def _repeated(self, times: Tensor) -> Any:
        if nested.is_uneven(self):
            return nested.picked(self, ops.tile(ops.range(self.size()), [times]))
        rows = self._rows()
        return self.of_rows(like(ops.tile(rows, [times, *[1] * (len(rows.shape) - 1)]), rows))

    __rmul__ = __mul__

    def __iadd__(self, other: Any) -> Any:
        if isinstance(other, Tensor) or (hasattr(other, "__tf_tensor__") and not isinstance(other, StagedList)):
            return NotImplemented  # a tensor adds to each element
        self.extend(other)
        return self

    def __add__(self, other: Any) -> Any:
        taken = isinstance(other, list) or (isinstance(other, StagedList) and not other.once)
        return self.again().extended(other) if taken else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return self.filled(other).extended(self.again()) if isinstance(other, list) else NotImplemented

    def stack(self) -> Tensor:
        """The elements as one tensor, along a new first dimension."""
        return stacked(self.handle, self.dtype, self.dims)

    def joined(self, axis: Any) -> Tensor:
        """The elements one behind the other along their dimension `axis`; if it is the first, they may differ in it.

        Raises:
          ValueError: the axis is out of range, or not known while tracing.
        """
        return joined_rows(self.handle, self.dtype, self.dims, axis)

    def in_a_row(self) -> tuple[Tensor, Tensor]:
        """The same along their first dimension, and the size of each in that."""
        return in_a_row(self.handle, self.dtype, self.dims)

    def whole(self) -> Tensor:
        """The elements as one tensor, which has no rows where there are none."""
        return like(self._rows(), self.handle)

    def _rows(self, handle: TensorLike | None = None) -> Tensor:
        """The same, also where there are none, and their shape is not known."""
        return stacked(self.handle if handle is None else handle, self.dtype, self.dims, none=True)

    def __tf_tensor__(self, dtype: DTypeLike | None, name: str | None) -> Tensor:
        return convert_to_tensor(self.stack(), dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **kwargs: object) -> Any:
        return ops.array_ufunc(ufunc, method, _as_tensors(inputs), kwargs)

    def __array_function__(
        self, func: Callable[..., Any], types: Sequence[type], args: tuple[object, ...], kwargs: dict[str, object]
    ) -> Any:
        return ops.array_function(func, types, _as_tensors(args), _as_tensors(kwargs))

    def __len__(self) -> int:
        raise errors.OperatorNotAllowedInGraphError(
            errors.at_user_line(
                "the length of this list is not known while tracing: len() works in converted code only, "
                "and no pattern of `match`"
            )
        )

    def __iter__(self) -> Any:
        return self.iterated(sys._getframe(1))

    def iterated(self, frame: FrameType) -> Any:
        """What the code of `frame` iterates over: as many elements as it unpacks; a graph that has others raises.

        Raises:
          OperatorNotAllowedInGraphError: it does something else.
        """
        of_user = not errors.is_own_frame(frame)
        count = unpacked_count(frame) if of_user else None
        if count is None:
            known = _INSTEAD.get(frame.f_code.co_code[frame.f_lasti]) if of_user else None
            instead = known or "loop over it in converted code, or stack it first"
            text = f"this list grew in a staged loop, so that its length is not known while tracing: {instead}"
            raise errors.OperatorNotAllowedInGraphError(errors.at_user_line(text))
        for holds, what in ((self.size() >= count, "not enough"), (self.size() <= count, "too many")):
            text = f"{what} values to unpack (expected {count})"
            must_hold(holds, ValueError, text, f"ask before, `if len(rows) == {count}:`")
        return iter([self[place] for place in range(count)])

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


def _as_tensors(value: Any) -> Any:
    """What NumPy's functions are given for staged lists, wherever these are among the arguments."""
    if isinstance(value, StagedList):
        return value.stack()
    if type(value) in (list, tuple):
        return type(value)(map(_as_tensors, value))
    return {k: _as_tensors(v) for k, v in value.items()} if type(value) is dict else value


Sequence.register(StagedList)  # for patterns of `match`, which ask for its length, and are told
