"""Lists in a list at an index that only the running graph knows: which one that is, what is in it, and what changes it.

buckets = [[], [], []]
for v in tensor:
    buckets[v % 3].append(v)      each of the three becomes what it is with `v` at its end, where its place is `v % 3`
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, Generic, TypeVar

import numpy as np

from autograph.backends.state import Contents, OneOfSeveral, made, register_container, seen, write_place
from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.ir.graph import Graph, Value, static_value
from graphrt.ir.op import ops  # late: start-up, the backend is registered by `import graphrt`
from graphrt.staging import aliases
from graphrt.staging.lists import StagedList
from graphrt.staging.nested_lists import Nest
from graphrt.staging.raising import must_hold
from graphrt.staging.rows import StagedRows, are_lists, learned_list
from graphrt.tensor.apply import refuse_leaked
from graphrt.tensor.context import current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.tensor.weak import weak_tensor, weakened
from graphrt.types import structure
from graphrt.types.dtype import DType, int32
from graphrt.types.likes import TensorLike
from graphrt.types.shape import Dims, relax

_T = TypeVar("_T")
_DEPTH = 12  # of what an index is computed of


class EmptyAsYetError(errors.OperatorNotAllowedInGraphError):
    """There is nothing in any of several lists; where a loop is traced again there may be."""


class Recorded(Generic[_T]):
    """What has been made of some objects, as long as the nodes that make it are there, which may be forgotten.

    Attributes:
      found: what has been made.
    """

    __slots__ = ("_graph", "_made_of", "_version", "found")

    def __init__(self, found: _T, tensor: object, *made_of: object) -> None:
        self.found, self._made_of = found, made_of
        self._graph: Graph | None = getattr(tensor, "graph", None)
        self._version = 0 if self._graph is None else self._graph.version

    def serves(self, *made_of: object) -> bool:
        """Whether it is what is to be made of these, and may be used in the graph that is being traced."""
        if len(made_of) != len(self._made_of) or any(a is not b for a, b in zip(made_of, self._made_of)):
            return False
        if self._graph is None:
            return True
        graph: Any = current_graph()
        while graph is not None and graph is not self._graph:
            graph = getattr(graph, "outer", None)
        return graph is not None and self._graph.version == self._version


class ChosenList(StagedList, OneOfSeveral):
    """One of several lists, which stay what they are: what changes it changes that one."""

    __slots__ = ("_at", "_lists", "_row", "_sliced_row")

    def __init__(self, lists: list[Any], at: Tensor) -> None:
        self._lists, self._at, self._begun = lists, at, None
        self._row: Recorded[Tensor] | None = None  # of the elements of all lists
        self._sliced_row: Recorded[StagedList] | None = None  # of a row

    def __copy__(self) -> StagedList:
        return self.kept()

    def __deepcopy__(self, memo: dict[int, object]) -> StagedList:
        return self.kept()

    @property
    def length(self) -> int | None:
        """The number of elements, where all lists are Python's, and have as many."""
        now = [seen(rows) for rows in self._lists]
        same = all(type(rows) is list for rows in now) and len({len(rows) for rows in now}) == 1
        return len(now[0]) if same else None

    @property
    def holds_lists(self) -> bool:
        """Whether lists are in all lists, of which there are as many in each."""
        return bool(self.length) and all(are_lists(*seen(rows)) for rows in self._lists)

    def row(self) -> Tensor | None:
        """The elements as one tensor, where all lists are Python's, of one length, and hold what is of one dtype."""
        if not self.length:
            return None
        now = [seen(rows) for rows in self._lists]
        elements = [e for rows in now for e in rows]
        if any(isinstance(e, (tuple, dict)) for e in elements):
            return None
        if self._row is not None and self._row.serves(*elements):
            return self._row.found
        try:
            row: Tensor = ops.getitem(weak_tensor(now), self._at)
        except (TypeError, ValueError):
            return None
        self._row = Recorded(row, row, *elements)
        return row

    @property
    def graph(self) -> Graph | None:
        """Where the index was computed."""
        return self._at.graph if isinstance(self._at, SymbolicTensor) else None

    @property
    def may_be(self) -> list[Any]:
        """The lists of which it is one."""
        return self._lists

    def at_end(self, value: Callable[[Any], Any]) -> StagedList:
        """A copy of what is in it where `value` gives what is in each of the lists."""
        return ChosenList([*map(value, self._lists)], self._at).kept()

    def kept(self) -> StagedList:
        """A copy of what is in it."""
        return self._chosen().kept()

    def is_item(self, target: list[Any], at: Tensor) -> bool:
        """Whether this is known to be the item of `target` at `at`, an index from the front."""
        same = len(target) == len(self._lists) and all(a is b for a, b in zip(target, self._lists))
        return same and _are_same(self._at, at)

    def _each(self, like: object = None) -> list[StagedList]:
        """The lists as they are now; `like` is an element of what they will hold."""
        found = [seen(rows) for rows in self._lists]
        staged = [rows for rows in found if isinstance(rows, StagedList)]
        others = [e for rows in found if not isinstance(rows, StagedList) for e in rows]
        pattern = staged[0] if staged else learned_list(others, [] if like is None else [like])
        if pattern is None or isinstance(pattern, StagedRows):
            text = (
                "a list at an index that only the running graph knows holds tensors of one dtype, found "
                + ("nothing in any of the lists as yet" if pattern is None and not others else "structures, or several")
                + ": go through the lists by `for k in range(...)` and compare `k` with the index"
            )
            if pattern is None and not others:
                raise EmptyAsYetError(errors.at_user_line(text))
            raise errors.OperatorNotAllowedInGraphError(errors.at_user_line(text))
        each = [rows if isinstance(rows, StagedList) else pattern.filled(rows) for rows in found]
        for one in each[1:]:
            one.meet(each[0])
            each[0].meet(one)
        return each

    def _chosen(self, like: object = None) -> StagedList:
        """What is in it now."""
        row = self.row()
        if row is not None:
            if self._sliced_row is None or not self._sliced_row.serves(row):
                slices = StagedList.slices_of(row)
                self._sliced_row = Recorded(slices, slices.handle, row)
            return self._sliced_row.found
        *before, last = self._each(like)
        handle, dims = last.handle, last.dims
        for place, rows in reversed([*enumerate(before)]):
            dims = relax(dims, rows.dims)
            handle = cond(ops.Equal(self._at, place), _always(rows.handle), _always(handle))
        if last.is_weak:
            weakened(handle, dtype=last.dtype)
        return StagedList(handle, last.dtype, dims, last.nest, last.void)

    def become(self, other: StagedList) -> None:
        """Has the list that it is hold what `other` holds."""
        new = other.handle
        for place, (rows, old) in enumerate(zip(self._lists, self._each_like(other))):
            handle = cond(ops.Equal(self._at, place), _always(new), _always(old.handle))
            if other.is_weak:
                weakened(handle, dtype=other.dtype)
            now = StagedList(handle, other.dtype, relax(old.dims, other.dims), other.nest, other.void)
            write_place(Contents(rows), now)

    def _each_like(self, other: StagedList) -> list[StagedList]:
        found = [seen(rows) for rows in self._lists]
        return [rows if isinstance(rows, StagedList) else other.filled(rows) for rows in found]

    def append(self, element: TensorLike) -> None:
        """Adds `element` at the end."""
        self.become(self._chosen(element).pushed(element))

    def extend(self, elements: Any) -> None:
        """Adds `elements` at the end."""
        new = ops.all_of(elements)
        if isinstance(new, StagedList):
            self.become(new if self._is_empty() else self._chosen().extended(new))
        elif new:
            self.become(self._chosen(new[0]).extended(new))

    def insert(self, index: Any, element: object) -> None:
        """Adds `element` before that at `index`."""
        now = self._chosen(element)
        now.insert(index, element)
        self.become(now)

    def __add__(self, other: Any) -> Any:
        return made([*other]) if type(other) is list and self._is_empty() else super().__add__(other)

    def __radd__(self, other: Any) -> Any:
        return made([*other]) if type(other) is list and self._is_empty() else super().__radd__(other)

    def _is_empty(self) -> bool:
        found = [seen(rows) for rows in self._lists]
        return not any(isinstance(rows, StagedList) or rows for rows in found)

    def size(self) -> Tensor:
        """The number of elements."""
        sizes, length = [seen(rows) for rows in self._lists], self.length
        if length is not None:
            return convert_to_tensor(length, int32)
        counts = [
            rows.size() if isinstance(rows, StagedList) else convert_to_tensor(len(rows), int32) for rows in sizes
        ]
        found: Tensor = ops.Pack(counts)[self._at]
        return found

    def count(self, element: object) -> Tensor:
        """How many elements are equal to `element`."""
        return convert_to_tensor(0, int32) if self._is_empty() else super().count(element)

    def __getitem__(self, index: Any) -> Any:
        inner = self._inner(index)
        if inner is not None:
            return ops.item_at(*inner)
        row = None if isinstance(index, slice) else self.row()
        return super().__getitem__(index) if row is None else ops.getitem(row, index)

    def _inner(self, index: Any) -> tuple[list[Any], Tensor] | None:
        """Lists, and which of them that at `index` is, where lists are in the lists."""
        if isinstance(index, (slice, tuple)) or not self.holds_lists:
            return None
        lists = [seen(rows) for rows in self._lists]
        if not isinstance(index, Tensor):
            return [rows[index] for rows in lists], self._at
        count = len(lists[0])
        return [e for rows in lists for e in rows], self._at * count + place_of(count, index)

    def __setitem__(self, index: Any, element: Any) -> None:
        inner = self._inner(index) if isinstance(element, ChosenList) else None
        if inner is None or not element.is_item(*inner):  # else it has been changed itself
            super().__setitem__(index, element)

    def read(self, index: Any) -> Any:
        """The element at `index`, an int32 that is not negative."""
        row = self.row()
        return self[index] if self.holds_lists else super().read(index) if row is None else ops.getitem(row, index)

    def stack(self) -> Tensor:
        """The elements as one tensor, along a new first dimension."""
        row = self.row()
        return super().stack() if row is None else row

    def iterated(self, frame: FrameType) -> Any:
        """What the code of `frame` iterates over."""
        length = self.length
        return super().iterated(frame) if length is None else iter([self[place] for place in range(length)])

    def copy(self) -> Any:
        """A list with the same elements: one of Python's where their number is known."""
        return self._chosen() if self.length is None else [self[place] for place in range(self.length)]

    def listed(self) -> StagedList:
        """The same, whose length only the graph knows."""
        return self._chosen()

    # --- what it has of the list that it is ---
    @property
    def _handle(self) -> TensorLike:
        return self._chosen().handle

    @_handle.setter
    def _handle(self, handle: TensorLike) -> None:
        raise AttributeError("_handle")

    @property
    def _dtype(self) -> DType:
        return self._each()[0].dtype

    @_dtype.setter
    def _dtype(self, dtype: DType) -> None:
        raise AttributeError("_dtype")

    @property
    def dims(self) -> Dims:
        """What is known of the shape of each element."""
        return self._chosen().dims

    @dims.setter
    def dims(self, dims: Dims) -> None:
        raise AttributeError("dims")

    @property
    def nest(self) -> Nest | None:
        """What is told of the elements where they are lists."""
        return self._chosen().nest

    @nest.setter
    def nest(self, nest: Nest | None) -> None:
        raise AttributeError("nest")

    @property
    def void(self) -> bool:
        """Whether nobody knows what it may hold."""
        return self._chosen().void

    @void.setter
    def void(self, void: bool) -> None:
        raise AttributeError("void")

    @property
    def behind(self) -> SymbolicTensor | None:
        """Nothing: what is in the lists is known, or they say so."""
        return None

    @behind.setter
    def behind(self, behind: SymbolicTensor | None) -> None:
        if behind is not None:
            refuse_leaked(behind)


def _always(value: TensorLike) -> Callable[[], TensorLike]:
    return lambda: value


register_container(ChosenList, None)


def _are_same(a: TensorLike, b: TensorLike) -> bool:
    """Whether two tensors are known to have one value: the same is computed of the same."""
    if a is b or not (isinstance(a, SymbolicTensor) and isinstance(b, SymbolicTensor)):
        return a is b
    return _is_same(a.value, b.value, _DEPTH)


def _is_same(a: Value, b: Value, depth: int) -> bool:
    if a is b:
        return True
    known, other = static_value(a), static_value(b)
    if known is not None or other is not None:
        return known is not None and other is not None and np.array_equal(known, other)
    one, two = a.node, b.node
    alike = one.op is two.op and a.index == b.index and not one.stateful and len(one.inputs) == len(two.inputs) > 0
    if not depth or not alike or one.attrs != two.attrs:
        return False
    return all(_is_same(x, y, depth - 1) for x, y in zip(one.inputs, two.inputs))


def place_of(count: int, key: Tensor) -> Tensor:
    """An index from the front, which is one of `count`."""
    at = ops.cast(key, int32)
    inside = ops.LogicalAnd(at >= -count, at < count)
    must_hold(inside, IndexError, "list index out of range", "ask before, whether it is inside")
    found: Tensor = ops.SelectV2(at < 0, at + count, at)
    return found


def without_choices(
    body: Callable[..., Any], names: Sequence[str], get_state: Callable[[], Any], set_state: Callable[[Any], object]
) -> Callable[..., None]:
    """`body` of a loop, which leaves copies in the variables where it has chosen lists by what it has computed itself."""

    def iteration(*item: Any) -> None:
        body(*item)
        before, joined = get_state(), aliases.Joined()
        after = tuple(_parted(name, value, joined) for name, value in zip(names, before))
        if any(a is not b for a, b in zip(after, before)):
            set_state(after)
            joined.guard()

    return iteration


def _parted(name: str, value: Any, joined: aliases.Joined) -> Any:
    if isinstance(value, tuple):
        parts = [_parted(name, part, joined) for part in value]
        return value if all(a is b for a, b in zip(parts, value)) else structure.rebuild(value, parts)
    if not isinstance(value, ChosenList) or value.graph is not current_graph():
        return value
    copy = value.kept()
    joined.note(name, copy, value)
    return copy
