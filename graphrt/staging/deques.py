"""Deques that grow or shrink where control flow is staged: staged lists with two ends, perhaps with a bound."""

from __future__ import annotations

import collections
from typing import Any

from autograph.backends.state import Contents, Place
from graphrt import errors
from graphrt.ir.op import ops  # late: start-up, the backend is registered by `import graphrt`
from graphrt.staging.lists import StagedList
from graphrt.staging.nested_lists import Nest
from graphrt.staging.rows import StagedRows
from graphrt.tensor.convert import convert_to_tensor
from graphrt.types.dtype import DType
from graphrt.types.likes import TensorLike
from graphrt.types.shape import Dims


class DequeMethods(StagedList):
    """What deques do that lists do not, or in another way.

    Attributes:
      maxlen: how many elements it holds at most; None for any number.
    """

    __slots__ = ()
    python = collections.deque
    has_one_length = True
    maxlen: int | None

    def _over(self, rows: StagedList) -> StagedList:
        """A deque of this kind that holds what is in `rows`, known or not."""
        return as_deque(rows, self.maxlen)

    def filled(self, elements: list[Any]) -> StagedList:
        """A deque of this kind that holds the last ones of `elements`."""
        return self._over(super().filled([*collections.deque(elements, self.maxlen)]))

    def with_components(self, components: list[Any]) -> Any:
        """The same kind of deque over other handles; a Python deque when these are concrete."""
        found = super().with_components(components)
        return collections.deque(found, self.maxlen) if type(found) is list else found

    def _last(self) -> Any:
        """As many at the end as it may hold."""
        if self.maxlen is None:
            return self
        known = self.apart()
        kept = known[ops.Maximum(known.size() - self.maxlen, 0) :]
        kept.share_behind(self)
        return kept

    def append(self, element: TensorLike) -> None:
        """Adds `element` at the end."""
        self.become(self.pushed(element)._last())

    def extend(self, elements: Any) -> None:
        """Adds `elements` at the end."""
        self.become(self.extended(ops.all_of(elements))._last())

    def appendleft(self, element: TensorLike) -> None:
        """Adds `element` at the begin."""
        self._become_behind(super().filled([element]))

    def extendleft(self, elements: Any) -> None:
        """Adds `elements` at the begin, one after the other."""
        found = ops.all_of(elements)
        self._become_behind((found if isinstance(found, StagedList) else super().filled(found))[::-1])

    def _become_behind(self, front: Any) -> None:
        found: Any = front.extended(self.apart())
        joined = self._over(found if self.maxlen is None else found[: self.maxlen])
        joined.share_behind(self)
        self.become(joined)

    def insert(self, index: Any, element: Any) -> None:
        """Adds `element` before that at `index`; a graph whose deque is full raises when it runs."""
        if self.maxlen is not None:
            ops.Assert(self.size() < self.maxlen, [convert_to_tensor("deque already at its maximum size")])
        super().insert(index, element)

    def pop(self, index: Any = None) -> Any:
        """Takes the last element.

        Raises:
          TypeError: another one is asked for.
        """
        if index is not None:
            raise TypeError(errors.at_user_line("deque.pop() takes no arguments (1 given)"))
        return super().pop()

    def popleft(self) -> Any:
        """Takes the first element."""
        return super().pop(0)

    def rotate(self, n: Any = 1) -> None:
        """Moves `n` elements from the end to the begin."""
        size = self.size()
        at = size - ops.FloorMod(ops.cast(n, "int32"), ops.Maximum(size, 1))
        self.become(self[at:].extended(self[:at]))

    def __iadd__(self, other: Any) -> Any:
        self.extend(other)
        return self

    def __add__(self, other: Any) -> Any:
        return _kept(super().__add__(other))

    def __mul__(self, times: Any) -> Any:
        return _kept(super().__mul__(times))

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return super().__repr__().replace("list", "deque")


class StagedDeque(DequeMethods):
    """A deque of tensors whose length is known only when the graph runs."""

    __slots__ = ("maxlen",)

    def __init__(
        self, handle: TensorLike, dtype: DType, dims: Dims, maxlen: int | None, nest: Nest | None = None
    ) -> None:
        super().__init__(handle, dtype, dims, nest)
        self.maxlen = maxlen

    def _like(self, handle: TensorLike, dims: Dims) -> StagedDeque:
        return StagedDeque(handle, self.dtype, dims, self.maxlen, self.nest)

    def _over(self, rows: StagedList) -> StagedList:
        return _of(rows, self.dims if rows.dtype is self.dtype else rows.dims, self.maxlen)

    def listed(self) -> StagedList:
        """A list of the elements."""
        return StagedList(self.handle, self.dtype, self.dims, self.nest, self.void)


class DequeOfRows(DequeMethods, StagedRows):
    """A deque of tuples, or of other structures, whose length is known only when the graph runs."""

    __slots__ = ("maxlen",)

    def __init__(self, columns: list[StagedList], like: Any, maxlen: int | None) -> None:
        super().__init__(columns, like)
        self.maxlen = maxlen

    def _with(self, columns: list[StagedList]) -> DequeOfRows:
        return DequeOfRows(columns, self.like, self.maxlen)

    def listed(self) -> StagedList:
        """A list of the elements."""
        return StagedRows(self.columns, self.like)


def _kept(found: Any) -> Any:
    return found._last() if isinstance(found, DequeMethods) else found


def as_place(staged: StagedList, place: Place) -> StagedList | None:
    """A staged list as what can stand in for what is in a place; None where it cannot."""
    if not isinstance(place, Contents) or not isinstance(place.holder, collections.deque):
        return staged
    return as_deque(staged, place.holder.maxlen)


def as_deque(staged: StagedList, maxlen: int | None) -> StagedList:
    """A staged list as a deque."""
    if isinstance(staged, StagedRows):
        return DequeOfRows(staged.columns, staged.like, maxlen)
    return _of(staged, staged.dims, maxlen)


def _of(staged: StagedList, dims: Dims, maxlen: int | None) -> StagedDeque:
    """A deque of what a staged list holds, known or not."""
    found = StagedDeque(staged.apart().handle, staged.dtype, dims, maxlen, staged.nest)
    found.void = staged.void
    found.share_behind(staged)
    return found
