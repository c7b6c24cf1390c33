"""Iterators over what only a running graph counts: `iter(x)`, and generator expressions; each gives an element once.

    items = iter(x)               the elements of `x`, and how many of them have been taken
    first = next(items)
    for item in items:            takes the others one by one: after a `break` there are those left that it has not taken
        ...
    return list(items)            takes what is left

What `zip`, `map`, `filter`, `enumerate` and generator expressions take of them, and when, is not followed: these have the
iterator for themselves from then on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from autograph.backends.state import made, note_contents
from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.ir.graph import static_value
from graphrt.ir.op import ops  # late: start-up, the backend is registered by `import graphrt`
from graphrt.staging.if_stmt import choice
from graphrt.staging.iterators import Uses
from graphrt.staging.lists import StagedList
from graphrt.staging.nested_lists import Order
from graphrt.staging.raising import must_hold
from graphrt.staging.rows import StagedRows
from graphrt.staging.truths import condition_of
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor
from graphrt.types import structure
from graphrt.types.dtype import int32
from graphrt.types.shape import Dims

_METHODS_OF_LISTS = frozenset(
    ("append", "clear", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort")
)


class StagedItems(StagedList):
    """An iterator over the elements of a list whose length is known only when the graph runs.

    Attributes:
      rows: the list of all elements.
      at: how many of them have been taken, an int32 scalar.
      uses: tells who has it for itself.
      length: the number of all elements, where that is known while tracing.
    """

    __slots__ = ("at", "length", "rows", "uses")
    once = True

    def __init__(self, rows: StagedList, at: Tensor, uses: Uses, length: int | None = None) -> None:
        self.rows, self.at, self.uses, self.length = rows, at, uses, length
        self.nest, self.order, self.void = None, Order(), False
        made(self)

    @classmethod
    def over_all(
        cls, rows: StagedList, text: str, length: int | None = None, sources: Iterable[Any] = ()
    ) -> StagedItems:
        """An iterator over all elements of `rows`, made by `text` of what is in `sources`."""
        return cls(rows, convert_to_tensor(0, dtype=int32), Uses(text, sources), length)

    def _count(self) -> int | None:
        """The number of elements that are left, where that is known while tracing."""
        begun = _known(self.at)
        return None if begun is None or self.length is None else self.length - begun

    @property
    def shapes(self) -> list[Dims]:
        """None: an iterator gets no other elements."""
        return []

    def widened(self, shapes: Sequence[Dims]) -> StagedItems:
        """The same."""
        return self

    # --- what Python's iterators do ---
    def take(self, *default: Any) -> Any:
        """What `next` gives.

        Raises:
          StopIteration: it is known that none is left.
          BranchMismatchError: the default is None, and the items are lists or objects.
        """
        self.uses.check()
        left = self._count()
        if left == 0:
            return next(iter(()), *default)
        some = self.size() > 0
        if not default or left is not None:
            if left is None:
                must_hold(some, StopIteration, "next() of an iterator at its end", "write `next(items, default)`")
            item = self.rows[self.at]
            self._go_to(self.at + 1)
            return item
        if default[0] is None:
            item = choice(some, lambda: self.rows[self.at], lambda: None, ("the next item", "the default"))
            self._go_to(self.at + ops.Cast(some, DstT=int32))
            return item
        kinds = [column.dtype for column in self.parts()]
        other = [convert_to_tensor(v, dtype_hint=d) for v, d in zip(structure.flatten(default[0]), kinds)]
        found = cond(some, lambda: structure.flatten(self.rows[self.at]), lambda: other)
        self._go_to(self.at + ops.Cast(some, DstT=int32))
        return structure.pack_like(default[0], found)

    def spent(self) -> Any:
        """A list of the elements that are left, Python's where their number is known; none are left here."""
        self.uses.check()
        found = self.ahead()
        self._go_to(self.rows.size() if self.length is None else convert_to_tensor(self.length, dtype=int32))
        return found

    def lent(self) -> Any:
        """The same for what takes them at a time of its own, and has the iterator for itself."""
        self.uses.take()
        return self.ahead()

    def up_to_first(self, flags: Tensor) -> Tensor:
        """Whether one of `flags`, of which there is one for each element that is left, is set; takes all up to that."""
        self.uses.check()
        found: Tensor = ops.reduce_any(flags, None)
        first = ops.ArgMax(ops.Cast(flags, DstT=int32), 0, output_type=int32)
        self._go_to(cond(found, lambda: self.at + first + 1, self.rows.size))
        return found

    def as_while(
        self, extra_test: Callable[[], Any] | None, body: Callable[[Any], Any]
    ) -> tuple[Callable[[], Tensor], Callable[[], None]]:
        """Test and body of the `while` that does what `for` does with it."""

        def test() -> Tensor:
            self.uses.check()
            more = self.size() > 0
            if extra_test is None:
                return more
            return cond(more, lambda: condition_of(extra_test), lambda: convert_to_tensor(False))

        def once() -> None:
            item = self.rows[self.at]
            self._go_to(self.at + 1)
            body(item)

        return test, once

    def ahead(self) -> Any:
        """A list of the elements that are left, which stay here."""
        left = self._count()
        if left is not None and not isinstance(self.rows, StagedRows):
            return ops.unstack(self.rows.stack()[self.at :], left)
        return self.rows.kept() if _known(self.at) == 0 else self.rows[self.at :]

    def _go_to(self, at: Any) -> None:
        note_contents(self)
        known = _known(at)
        self.at = at if known is None else convert_to_tensor(known, dtype=int32)

    # --- what graphs carry of it ---
    def check_known(self) -> None:
        """The same of the list."""
        self.rows.check_known()

    @property
    def handles(self) -> tuple[Any, ...]:
        """The tensors of the list, and how many elements have been taken."""
        return (*self.rows.handles, self.at)

    def components(self) -> list[Any]:
        """The same in a list."""
        return [*self.rows.components(), self.at]

    def with_components(self, components: list[Any]) -> Any:
        """The same kind of iterator over other tensors; a Python list of what is left when they are concrete."""
        *inner, at = components
        rows = self.rows.with_components(inner)
        return rows[int(at) :] if isinstance(at, EagerTensor) else StagedItems(rows, at, self.uses, self.length)

    def filled(self, elements: list[Any]) -> StagedItems:
        """An iterator of this kind over `elements`."""
        return StagedItems(self.rows.filled(elements), convert_to_tensor(0, dtype=int32), self.uses, len(elements))

    def parts(self) -> list[StagedList]:
        """The lists of tensors in it."""
        return self.rows.parts()

    def meet(self, other: StagedList) -> None:
        """The same, list by list."""
        for own, others in zip(self.parts(), other.parts()):
            own.meet(others)

    def become(self, other: StagedList) -> None:
        """Stands where `other` stands from now on."""
        assert isinstance(other, StagedItems)
        note_contents(self)
        self.rows, self.at, self.uses, self.length = other.rows, other.at, other.uses, other.length

    def kept(self) -> StagedItems:
        """An iterator that stands where this one stands."""
        return StagedItems(self.rows, self.at, self.uses, self.length)

    def size(self) -> Tensor:
        """The number of elements that are left."""
        left: Tensor = self.rows.size() - self.at
        return left

    def stack(self) -> Tensor:
        """The elements that are left as one tensor."""
        return self.rows.stack()[self.at :]

    def truth(self) -> Tensor:
        """Iterators are true, whatever is left."""
        return convert_to_tensor(True)

    # --- what they do not do ---
    def __getitem__(self, index: Any) -> Any:
        raise TypeError(errors.at_user_line(f"{self.shown_as()} is not subscriptable: make a list of it, `list(...)`"))

    def __setitem__(self, index: Any, element: Any) -> None:
        raise TypeError(errors.at_user_line(f"{self.shown_as()} does not support item assignment"))

    def __eq__(self, other: object) -> Any:
        return self is other

    def __ne__(self, other: object) -> Any:
        return self is not other

    __hash__ = object.__hash__

    def _of_lists_alone(self, *_: object) -> Any:
        return NotImplemented

    __add__ = __radd__ = __iadd__ = __mul__ = __rmul__ = _of_lists_alone

    def __iter__(self) -> Iterator[Any]:
        return iter(self.spent()) if self._count() is not None else self.spent().iterated(sys._getframe(1))

    def __getattribute__(self, name: str) -> Any:
        if name in _METHODS_OF_LISTS:
            raise AttributeError(name)  # which __getattr__ is asked for then
        return super().__getattribute__(name)

    def __getattr__(self, name: str) -> Any:
        own = name in self.__slots__  # of one that is not made yet, which copying asks
        raise AttributeError(name if own else errors.at_user_line(f"{self.shown_as()} has no attribute '{name}'"))

    def shown_as(self) -> str:
        """Its text, for errors."""
        return f"what `{self.uses.text}` gives"

    def __repr__(self) -> str:
        return f"<staged iterator over {self.rows!r}>"


def _known(at: Tensor) -> int | None:
    """How many elements that is, where it is known while tracing."""
    found = static_value(at.value) if isinstance(at, SymbolicTensor) else at
    return None if found is None else int(found)


def taken(value: Any) -> Any:
    """`value`, or what is left where it is such an iterator: none is left there afterwards."""
    return value.spent() if isinstance(value, StagedItems) else value


def lent(iterables: tuple[Any, ...]) -> list[Any]:
    """What `zip` and `map` go through: what is left in these, which they have for themselves.

    Raises:
      OperatorNotAllowedInGraphError: one of several is given twice.
    """
    items = [i for i in iterables if isinstance(i, StagedItems)]
    if len(items) == len(iterables) > 1 and all(i is items[0] for i in items):  # pairs, triples, ...
        rest, step = items[0].lent(), len(items)
        return [rest[place::step] for place in range(step)]
    if len({id(i) for i in items}) < len(items):
        text = "an iterator of a length that is not known stands beside itself and others: make a list of it first"
        raise errors.OperatorNotAllowedInGraphError(errors.at_user_line(text))
    return [i.lent() if isinstance(i, StagedItems) else i for i in iterables]
