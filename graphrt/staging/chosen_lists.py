"""Lists in a list at an index that only the running graph knows: which one that is, what is in it, and what changes it.

buckets = [[], [], []]
for v in tensor:
    buckets[v % 3].append(v)      each of the three becomes what it is with `v` at its end, where its place is `v % 3`
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.backends.state import Contents, register_container, seen, write_place
from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.ir.op import ops  # late: start-up, the backend is registered by `import graphrt`
from graphrt.staging.lists import StagedList, all_of
from graphrt.staging.raising import must_hold
from graphrt.staging.rows import StagedRows, learned_list
from graphrt.tensor.apply import refuse_leaked
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.tensor.weak import weakened
from graphrt.types.dtype import DType, int32
from graphrt.types.likes import TensorLike
from graphrt.types.shape import Dims, relax


class EmptyAsYetError(errors.OperatorNotAllowedInGraphError):
    """There is nothing in any of several lists; where a loop is traced again there may be."""


class ChosenList(StagedList):
    """One of several lists, which stay what they are: what changes it changes that one."""

    __slots__ = ("_at", "_lists")

    def __init__(self, lists: list[Any], at: Tensor) -> None:
        self._lists, self._at, self._begun = lists, at, None

    def is_item(self, target: list[Any]) -> bool:
        """Whether this is an item of `target`."""
        return len(target) == len(self._lists) and all(a is b for a, b in zip(target, self._lists))

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
        *before, last = self._each(like)
        handle, dims = last.handle, last.dims
        for place, rows in reversed([*enumerate(before)]):
            dims = relax(dims, rows.dims)
            handle = cond(ops.Equal(self._at, place), _always(rows.handle), _always(handle))
        if last.is_weak:
            weakened(handle, dtype=last.dtype)
        return StagedList(handle, last.dtype, dims)

    def become(self, other: StagedList) -> None:
        """Has the list that it is hold what `other` holds."""
        new = other.handle
        for place, (rows, old) in enumerate(zip(self._lists, self._each_like(other))):
            handle = cond(ops.Equal(self._at, place), _always(new), _always(old.handle))
            if other.is_weak:
                weakened(handle, dtype=other.dtype)
            write_place(Contents(rows), StagedList(handle, other.dtype, relax(old.dims, other.dims)))

    def _each_like(self, other: StagedList) -> list[StagedList]:
        found = [seen(rows) for rows in self._lists]
        return [rows if isinstance(rows, StagedList) else other.filled(rows) for rows in found]

    def append(self, element: TensorLike) -> None:
        """Adds `element` at the end."""
        self.become(self._chosen(element).pushed(element))

    def extend(self, elements: Any) -> None:
        """Adds `elements` at the end."""
        new = all_of(elements)
        if isinstance(new, StagedList):
            self.become(new if self._is_empty() else self._chosen().extended(new))
        elif new:
            self.become(self._chosen(new[0]).extended(new))

    def __iadd__(self, elements: Any) -> ChosenList:
        self.extend(elements)
        return self

    def insert(self, index: Any, element: object) -> None:
        """Adds `element` before that at `index`."""
        now = self._chosen(element)
        now.insert(index, element)
        self.become(now)

    def _is_empty(self) -> bool:
        found = [seen(rows) for rows in self._lists]
        return not any(isinstance(rows, StagedList) or rows for rows in found)

    def size(self) -> Tensor:
        """The number of elements."""
        sizes = [seen(rows) for rows in self._lists]
        counts = [
            rows.size() if isinstance(rows, StagedList) else convert_to_tensor(len(rows), int32) for rows in sizes
        ]
        found: Tensor = ops.Pack(counts)[self._at]
        return found

    def count(self, element: object) -> Tensor:
        """How many elements are equal to `element`."""
        return convert_to_tensor(0, int32) if self._is_empty() else super().count(element)

    def copy(self) -> StagedList:
        """A list with the same elements."""
        return self._chosen()

    def kept(self) -> StagedList:
        """The same."""
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


def chosen(target: object, key: object, changes: bool = False) -> ChosenList | None:
    """`target[key]` where that is one of several lists that are to be changed one by one; None for all else.

    Lists of one length, none of which has grown, are rows of one tensor, unless it is said that one of them `changes`.
    """
    if (
        not isinstance(target, (list, tuple))
        or not isinstance(key, Tensor)
        or key.dims != ()
        or not key.dtype.is_integer
    ):
        return None
    now = [seen(rows) for rows in target]
    if not now or not all(type(rows) in (list, StagedList) for rows in now):
        return None
    if not changes and all(type(rows) is list for rows in now) and now[0] and len({len(rows) for rows in now}) == 1:
        return None
    count, at = len(now), ops.cast(key, int32)
    must_hold(
        ops.LogicalAnd(at >= -count, at < count),
        IndexError,
        "list index out of range",
        "ask before, whether it is inside",
    )
    return ChosenList([*target], ops.SelectV2(at < 0, at + count, at))
