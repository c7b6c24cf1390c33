"""What a staged `for` iterates over where it goes through lists that grew in staged code.

for v in rows:                Python looks into the list itself, by an index, so that the loop sees what becomes of it
    rows.append(v + 1)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.staging.iterators import SeenLists
from graphrt.staging.lists import StagedList
from graphrt.staging.raising import must_hold
from graphrt.staging.staged_iterable import StagedIterable
from graphrt.tensor.convert import convert_to_tensor
from graphrt.types.dtype import int32


class ListIterable(StagedIterable):
    """The elements of a staged list by their index, as Python goes through a list: it sees what becomes of it meanwhile.

    `now` gives the list where it is called: in a loop that changes the list, what an iteration begins with.
    """

    labels = ["the loop's index"]

    def __init__(self, now: Callable[[], StagedList], backwards: bool = False) -> None:
        self.now = now
        self.last: Any = now().size() - 1 if backwards else None  # Python asks for the length once then
        self.of = now().handles

    def begin(self) -> list[Any]:
        return [convert_to_tensor(0, dtype=int32) if self.last is None else self.last]

    def more(self, own: list[Any]) -> Any:
        inside: Any = own[0] < self.now().size()
        return inside if self.last is None else ops.LogicalAnd(own[0] >= 0, inside)

    def item(self, own: list[Any]) -> Any:
        return self.now().read(own[0])

    def following(self, own: list[Any]) -> list[Any]:
        return [ops.AddV2(own[0], 1 if self.last is None else -1, name="add")]

    def length(self) -> Any:
        size = self.now().size()
        return size if self.last is None else ops.SelectV2(self.last < size, self.last + 1, 0)

    def whole(self) -> Any:
        """All elements in their order."""
        rows = self.now()
        if self.last is None:
            return rows.stack()
        same = all(a is b for a, b in zip(self.of, rows.handles))
        return ops.ReverseV2(rows.stack() if same else rows.stack()[: self.length()], [0])


class DequeIterable(ListIterable):
    """The same of a deque, which must not change its length meanwhile."""

    may_fail = True

    def more(self, own: list[Any]) -> Any:
        rows = self.now()
        if not all(a is b for a, b in zip(self.of, rows.handles)):
            same = ops.Equal(rows.size(), ops.TensorListLength(*self.of))
            must_hold(same, RuntimeError, "deque mutated during iteration", "loop over a copy, `list(...)`")
        return super().more(own)


class UnchangedIterable(StagedIterable):
    """What was computed of lists ahead of a loop, where Python would go through the lists: they must stay as they are."""

    def __init__(self, inner: StagedIterable, lists: SeenLists) -> None:
        self.inner, self.lists = inner, lists
        self.labels, self.numbers = inner.labels, inner.numbers

    def begin(self) -> list[Any]:
        self.lists.check()
        return self.inner.begin()

    def more(self, own: list[Any]) -> Any:
        self.lists.check()
        return self.inner.more(own)

    def item(self, own: list[Any]) -> Any:
        return self.inner.item(own)

    def following(self, own: list[Any]) -> list[Any]:
        return self.inner.following(own)

    def length(self) -> Any:
        self.lists.check()
        return self.inner.length()

    def unrolled(self) -> Iterator[Any]:
        return self.inner.unrolled()
