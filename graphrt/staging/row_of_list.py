"""An element of a list of lists whose length only the graph knows: what changes it changes what is in that list.

row = rows[i]         `row` is the tensor that `rows` holds at `i`, and a list to the program
row.append(v)         `rows` holds another tensor there
rows.pop(0)           from here on `row` may stand elsewhere, or nowhere: it may be read until an element is written to
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.backends.state import Contents, current_trace, lasting, made, register_container, seen, write_place
from graphrt import errors
from graphrt.ir.op import ops, provide  # late: an import of sorted_list would close a circle
from graphrt.staging.chosen_lists import ChosenList, Recorded
from graphrt.staging.copies import as_copy
from graphrt.staging.lists import StagedList
from graphrt.staging.nested_lists import WRITTEN, Nest, Rows, retyped
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.tensor.weak import weak_type
from graphrt.types.dtype import int32

_ELSEWHERE = (
    "an element of a list that grew in staged code is written to where the list has changed since it was taken out: nobody "
    "knows where it is now. Write to it before, or where it is, `rows[i].append(...)` or `rows[i][j] = ...`"
)
_CHANGED = (
    "what was taken out of a list that grew in staged code is used where an element of that, which it may be, has been "
    "written to, and the list itself has changed: take it out again, `row = rows[i]`"
)
_STRUCTURES = (
    "tuples or dictionaries are put into a list in a list that grows in staged code, which holds tensors there: have a "
    "list of lists for each of their parts, `ends[i].append(j)` and `costs[i].append(c)` for `edges[i].append((j, c))`"
)


class RowOfList(ChosenList):
    """An element of a staged list, which is a list."""

    __slots__ = ("_depth", "_key", "_of", "_order", "_place", "_seen", "_since", "_tensor_then", "_was_void")

    def __init__(self, rows: StagedList, tensor: Tensor, at: Tensor | int, key: object = None) -> None:
        super().__init__([], at if isinstance(at, Tensor) else convert_to_tensor(at, int32))
        self._of, self._place, self._order = lasting(rows), at, rows.order
        self._order.taken, self._depth, self._key = True, rows.depth, key
        self._tensor_then, self._was_void = tensor, rows.void
        self._seen: Recorded[Tensor] = Recorded(tensor, tensor, rows.handle)
        trace = current_trace()
        self._since = 0 if trace is None else trace.clock
        made(self)

    @property
    def graph(self) -> Any:
        """Where it was taken out."""
        return getattr(self._tensor_then, "graph", None)

    @property
    def may_be(self) -> list[Any]:
        """Itself, and the list in which it is: what changes one changes that."""
        return [self, self._of]

    @property
    def nests(self) -> list[Nest]:
        """What is told of the list in which it is."""
        nest = self._within().nest
        return [] if nest is None else [nest]

    def _within(self) -> StagedList:
        found: StagedList = seen(self._of)
        return found

    def is_item(self, target: list[Any], at: Tensor) -> bool:
        """Whether this is an item of `target`."""
        return False

    def is_at(self, rows: StagedList, key: object) -> bool:
        """Whether it is known to be the element of `rows` at the index `key`."""
        same = key is self._key or (type(key) is int and type(self._key) is int and key == self._key)
        return same and key is not None and rows.order is self._order

    @property
    def is_there(self) -> bool:
        """Whether it is still where it was taken out."""
        within = self._within()
        return isinstance(within, StagedList) and within.order is self._order

    def row(self) -> Tensor:
        """The elements as one tensor."""
        if self.is_there:
            within = self._within()
            handle = within.handle
            if not self._seen.serves(handle):
                tensor = within.tensor_at(self._place)
                self._seen = Recorded(tensor, tensor, handle)
            return self._seen.found
        trace = current_trace()
        if trace is not None and trace.notes.get(WRITTEN, 0) > self._since:
            raise errors.SideEffectError(errors.at_user_line(_CHANGED))
        return self._tensor_then

    def as_row(self) -> Rows:
        """What is known of it, without a look into it."""
        within, tensor = self._within(), self._tensor_then
        if self.is_there:
            return Rows(within.depth, within.dtype, within.dims, within.is_weak)
        return Rows(self._depth, tensor.dtype, tensor.dims, weak_type(tensor) is not None)

    @property
    def length(self) -> int | None:
        """The number of elements, where it is known."""
        dims = self.row().dims
        return dims[0] if dims else None

    @property
    def holds_lists(self) -> bool:
        """Whether the elements are lists."""
        return False

    def _chosen(self, like: object = None) -> StagedList:
        """What is in it now."""
        row = self.row()
        if self._sliced_row is None or not self._sliced_row.serves(row):
            nest = self._within().nest if self.is_there else None
            void = self._within().void if self.is_there else self._was_void
            slices = StagedList.slices_of(row, None if nest is None else nest.inner, void)
            self._sliced_row = Recorded(slices, slices.handle, row)
        return self._sliced_row.found

    def at_end(self, value: Callable[[Any], Any]) -> StagedList:
        """A copy of what is in it where `value` gives what is in the list."""
        rows = value(self._of)
        if isinstance(rows, StagedList) and rows.order is self._order and rows.nest is not None:
            return StagedList.slices_of(rows.tensor_at(self._place), rows.nest.inner, rows.void)
        return self.kept()

    def become(self, other: StagedList, same: bool = False) -> None:
        """Has the list hold what `other` holds in its place; the `same` number of elements, as far as that is known."""
        within = self._within()
        if not self.is_there or within.nest is None:
            raise errors.SideEffectError(errors.at_user_line(_ELSEWHERE))
        if other.depth == 0 and len(other.parts()) > 1:
            raise errors.LoopVariableError(errors.at_user_line(_STRUCTURES))
        within.nest.written()
        if within.void and not other.void:
            within = retyped(within, Rows(1 + other.depth, other.dtype, (None, *(other.dims or ())), other.is_weak))
        tensor = other.whole()
        if same:
            tensor.set_shape(self.row().shape)
        new = within.with_tensor(self._place, tensor)
        new.order = self._order
        write_place(Contents(self._of), new)

    def _each(self, like: object = None) -> list[StagedList]:
        return [self._chosen()]

    def filled(self, elements: list[Any]) -> StagedList:
        """A list of this kind that holds `elements`."""
        return self._chosen().filled(elements)

    def extend(self, elements: Any) -> None:
        """Adds `elements` at the end."""
        self.become(self._chosen().extended(ops.all_of(elements)))

    def _is_empty(self) -> bool:
        return self.length == 0

    def size(self) -> Tensor:
        """The number of elements."""
        length = self.length
        return self._chosen().size() if length is None else convert_to_tensor(length, int32)

    def __getitem__(self, index: Any) -> Any:
        if self._chosen().nest is None:
            return self._known()[index] if _is_plain(index) and self.length is not None else super().__getitem__(index)
        return as_copy(self._chosen()[index])

    def __setitem__(self, index: Any, element: Any) -> None:
        now = self._chosen().kept()
        now[index] = element
        self.become(now, same=not isinstance(index, slice))

    def reverse(self) -> None:
        """Turns the order round."""
        self.become(self._chosen()[::-1], same=True)

    def sort(self, *, key: Any = None, reverse: Any = False) -> None:
        """Puts the elements in order."""
        self.become(ops.sorted_list(self._chosen(), key, reverse), same=True)

    def _known(self) -> list[Any]:
        return [self._chosen()[place] for place in range(self.length or 0)]

    def read(self, index: Any) -> Any:
        """The element at `index`, an int32 that is not negative."""
        return as_copy(self._chosen().read(index))

    def __add__(self, other: Any) -> Any:
        if self.length is not None and type(other) is list:
            return made(self._known() + other)
        if self.length is not None and isinstance(other, RowOfList) and other.length is not None:
            return made(self._known() + other._known())
        return self._chosen() + other

    def __radd__(self, other: Any) -> Any:
        if self.length is not None and type(other) is list:
            return made(other + self._known())
        return self._chosen().__radd__(other)

    def copy(self) -> Any:
        """A list with the same elements: one of Python's where their number is known."""
        return self._chosen().kept() if self.length is None else made(self._known())


def _is_plain(index: object) -> bool:
    if isinstance(index, slice):
        return all(v is None or isinstance(v, int) for v in (index.start, index.stop, index.step))
    return isinstance(index, int)


register_container(RowOfList, None)


@provide
def row_of(rows: StagedList, tensor: Tensor, at: Tensor | int, key: object = None) -> StagedList:
    """The element of `rows` at `at`, an index from the front, as a list; `tensor` is what is there now.

    The program calls the index `key`.
    """
    return RowOfList(rows, tensor, at, key)
