"""What a staged `for` iterates over: symbolic tensors, ranges, and `enumerate`, `zip`, `map`, `reversed` of them.

Each says with tensors where an iteration stands: `begin()` gives the tensors of the first, `more(own)` whether there is
one at `own`, `item(own)` its element, `following(own)` the tensors of the next.
"""

from __future__ import annotations

import collections
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from autograph.backends.state import begin_journal, current_trace, end_journal, lasting, seen
from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.control_flow.while_loop import build_while
from graphrt.ir.graph import static_value
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.ops.lists.tensor_array import TensorArray
from graphrt.staging import journal
from graphrt.staging.copies import as_copy
from graphrt.staging.items import StagedItems
from graphrt.staging.iterators import SeenLists, Uses
from graphrt.staging.list_iterables import DequeIterable, ListIterable, UnchangedIterable
from graphrt.staging.lists import StagedList
from graphrt.staging.rows import StagedRows, pattern_of
from graphrt.staging.staged_iterable import StagedIterable
from graphrt.staging.truths import condition as truth
from graphrt.staging.values import stand_in
from graphrt.tensor.context import building, current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph, encloses
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.tensor.weak import like, weak_tensor, weak_type
from graphrt.types import structure
from graphrt.types.dtype import int32
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import shown
from graphrt.types.structure import Rows, Stream


class RangeIterable(StagedIterable):
    """`range(start, limit, delta)` with symbolic bounds; no array of its elements is made."""

    labels = ["the loop's index"]

    def __init__(self, start: Any, limit: Any, delta: Any, is_number: bool = False) -> None:
        self.start, self.limit, self.delta = start, limit, delta
        self.numbers = [is_number]
        self._length: Any = None

    def begin(self) -> list[Any]:
        return [self.start]

    def more(self, own: list[Any]) -> Any:
        step = static_value(self.delta.value) if isinstance(self.delta, SymbolicTensor) else None
        if step is None:
            up = ops.LogicalAnd(self.delta > 0, own[0] < self.limit)
            return ops.LogicalOr(up, ops.LogicalAnd(self.delta < 0, own[0] > self.limit))
        return own[0] < self.limit if step > 0 else own[0] > self.limit

    def item(self, own: list[Any]) -> Tensor:
        return own[0]

    def following(self, own: list[Any]) -> list[Any]:
        return [like(ops.AddV2(own[0], ops.cast(self.delta, own[0].dtype), name="add"), own[0])]

    def length(self) -> Tensor:
        if self._length is None:
            span = ops.Sub(self.limit, self.start, name="sub")
            if span.dtype.is_integer:
                whole = ops.FloorDiv(span, self.delta, name="floordiv")
                rest = ops.FloorMod(span, self.delta, name="mod")
                partly = ops.NotEqual(rest, _zero(rest))
                whole = ops.AddV2(whole, ops.Cast(partly, DstT=rest.dtype), name="add")
            else:
                whole = ops.Ceil(span / self.delta)
            self._length = ops.Maximum(whole, _zero(whole))
        return self._length


def _zero(like: Tensor) -> Tensor:
    return current_graph().constant(like.dtype.as_numpy_dtype(0), "zeros_like")


def _has_value_here(tensor: TensorLike | None) -> bool:
    """Whether what an iterable has recorded can be used in the graph being traced.

    It cannot when a trial trace recorded it in a graph of its own, or when a statement that is traced again took it back.
    """
    if not isinstance(tensor, SymbolicTensor):
        return True
    home, now = tensor.graph, current_graph()
    if home is not now and not encloses(now, home):
        return False
    return any(n is tensor.value.node for n in reversed(home.nodes))


class TensorIterable(StagedIterable):
    """The elements of a tensor along its first dimension."""

    labels = ["the loop's index"]

    def __init__(self, tensor: Any, backwards: bool = False) -> None:
        if tensor.dims == ():
            raise ValueError(errors.at_user_line(f"cannot iterate over a scalar tensor: {shown(tensor)}"))
        self.tensor = tensor
        self.backwards = backwards
        self._size: Any = None
        self._rows: Any = None

    def _forget_others(self) -> None:
        """Forgets what is of no use here."""
        if not _has_value_here(self._size):
            self._size = None
        if self._rows is not None and not all(map(_has_value_here, self._rows.components())):
            self._rows = None

    def length(self) -> Any:
        self._forget_others()
        if self._size is None:
            dims = self.tensor.dims
            if dims is not None and dims[0] is not None:
                self._size = dims[0]
            else:
                self._size = ops.Shape(self.tensor)[0]
        return self._size

    def unrolled(self) -> Iterator[Any]:
        rows = ops.unstack(self.tensor, self.static_length())
        return iter(rows[::-1] if self.backwards else rows)

    def rows(self) -> Any:
        """The elements as a TensorArray; as a staged list if they are numbers of Python."""
        self._forget_others()
        if self._rows is None:
            if weak_type(self.tensor) is not None:
                self._rows = StagedList.slices_of(self.tensor)
            else:
                self._rows = TensorArray(self.tensor.dtype, size=self.length()).unstack(self.tensor)
        return self._rows

    def whole(self) -> Any:
        """All elements in their order."""
        return ops.ReverseV2(self.tensor, [0]) if self.backwards else self.tensor

    def begin(self) -> list[Any]:
        self.rows()
        return [convert_to_tensor(0, dtype=int32)]

    def more(self, own: list[Any]) -> Tensor:
        return own[0] < self.length()

    def item(self, own: list[Any]) -> Tensor:
        return self.rows().read(self.length() - 1 - own[0] if self.backwards else own[0])

    def following(self, own: list[Any]) -> list[Any]:
        return [ops.AddV2(own[0], 1, name="add")]


class TensorArrayIterable(TensorIterable):
    """The elements of a TensorArray, in order of their indices."""

    def __init__(self, array: Any) -> None:
        self.tensor = None
        self.backwards = False
        self._size = array.size()
        self._rows = array


class RaggedIterable(TensorIterable):
    """The rows of a ragged tensor."""

    def __init__(self, rows: Any, backwards: bool = False) -> None:
        self.tensor = rows
        self.backwards = backwards
        self._size = self._rows = None

    def length(self) -> Any:
        self._forget_others()
        if self._size is None:
            known = self.tensor.dims[0] if self.tensor.dims else None
            self._size = ops.cast(self.tensor.nrows(), int32) if known is None else known
        return self._size

    def begin(self) -> list[Any]:
        return [convert_to_tensor(0, dtype=int32)]

    def item(self, own: list[Any]) -> Any:
        return self.tensor[self.length() - 1 - own[0] if self.backwards else own[0]]


class SequenceIterable(TensorIterable):
    """A Python sequence beside staged iterables in a `zip`: its elements become one tensor."""

    def __init__(self, sequence: Any) -> None:
        super().__init__(weak_tensor(list(sequence)))


class ZipIterable(StagedIterable):
    """Elements of several iterables side by side; as long as the shortest."""

    python = "zip"  # what Python calls such an iterator

    def __init__(self, parts: list[StagedIterable]) -> None:
        self.parts = parts
        self.labels = [label for p in parts for label in p.labels]
        self.numbers = [n for p in parts for n in (p.numbers or [False] * len(p.labels))]
        self.may_fail = any(p.may_fail for p in parts)

    def _split(self, own: list[Any]) -> list[list[Any]]:
        out, at = [], 0
        for p in self.parts:
            out.append(own[at : at + len(p.labels)])
            at += len(p.labels)
        return out

    def begin(self) -> list[Any]:
        return [t for p in self.parts for t in p.begin()]

    def more(self, own: list[Any]) -> Tensor:
        flags = [p.more(o) for p, o in zip(self.parts, self._split(own))]
        result = flags[0]
        for flag in flags[1:]:
            result = ops.LogicalAnd(result, flag)
        return result

    def item(self, own: list[Any]) -> tuple[Tensor | tuple[Tensor, Tensor], ...]:
        return tuple(p.item(o) for p, o in zip(self.parts, self._split(own)))

    def following(self, own: list[Any]) -> list[Any]:
        return [t for p, o in zip(self.parts, self._split(own)) for t in p.following(o)]

    def length(self) -> Any:
        lengths = [p.length() for p in self.parts]
        if all(isinstance(n, int) for n in lengths):
            return min(lengths)
        return functools.reduce(ops.Minimum, lengths)

    def unrolled(self) -> Iterator[Any]:
        yield from zip(*[p.unrolled() for p in self.parts])


class RowsIterable(ZipIterable):
    """The elements of a staged list of tuples or other structures."""

    def __init__(self, now: Callable[[], Any], backwards: bool = False) -> None:
        rows: StagedRows = now()
        columns = [functools.partial(_column, now, place) for place in range(len(rows.columns))]
        super().__init__([ListIterable(column, backwards) for column in columns])
        self.like = rows.like

    def item(self, own: list[Any]) -> Any:
        return as_copy(structure.pack_like(self.like, list(super().item(own))))

    def unrolled(self) -> Iterator[Any]:
        return (as_copy(structure.pack_like(self.like, list(row))) for row in super().unrolled())


def _column(now: Callable[[], Any], place: int) -> StagedList:
    found: StagedList = now().columns[place]
    return found


class CountIterable(StagedIterable):
    """`start, start + 1, ...` without end: the numbers that `enumerate` puts beside the elements."""

    labels = ["the counter of enumerate"]

    def __init__(self, start: TensorLike) -> None:
        self.start = start

    def begin(self) -> list[Any]:
        return [weak_tensor(self.start)]

    def more(self, own: list[Any]) -> Any:
        return convert_to_tensor(True)

    def item(self, own: list[Any]) -> Tensor:
        return own[0]

    def following(self, own: list[Any]) -> list[Any]:
        return [ops.AddV2(own[0], 1, name="add")]

    def unrolled(self) -> Iterator[Any]:
        return itertools.count(self.start)


class EnumerateIterable(ZipIterable):
    """`enumerate(iterable, start)`."""

    python = "enumerate"

    def __init__(self, part: StagedIterable, start: TensorLike) -> None:
        super().__init__([CountIterable(start), part])

    def length(self) -> Any:
        return self.parts[1].length()

    def more(self, own: list[Any]) -> Tensor:
        return self.parts[1].more(self._split(own)[1])


class MapIterable(ZipIterable):
    """`map(function, *iterables)`."""

    python = "map"

    def __init__(self, function: Callable[..., Any], parts: list[StagedIterable]) -> None:
        super().__init__(parts)
        self.function = function

    def item(self, own: list[Any]) -> Any:
        return self.function(*super().item(own))

    def unrolled(self) -> Iterator[Any]:
        return itertools.starmap(self.function, super().unrolled())


def _live(rows: Any, backwards: bool = False) -> StagedIterable | None:
    """What goes through a staged list, or a list of Python's that one stands in for, itself; None for anything else."""
    itself = lasting(rows)
    now: Callable[[], Any] = lambda: seen(itself)
    found = now()
    if not isinstance(found, StagedList):
        return None
    if isinstance(found, StagedRows):
        return RowsIterable(now, backwards)
    return (DequeIterable if found.has_one_length else ListIterable)(now, backwards)


def backwards(value: Any) -> StagedIterable:
    """`reversed(value)`.

    Raises:
      TypeError: Python does not go through it backwards.
    """
    if isinstance(value, Rows):
        return RaggedIterable(value, backwards=True)
    if isinstance(value, ZipIterable):
        raise TypeError(errors.at_user_line(f"{value.python!r} object is not reversible"))
    if isinstance(value, StagedList) and (found := _live(value, backwards=True)) is not None:
        return found
    return TensorIterable(as_tensor(staged_iterable(value)), backwards=True)


def sources_of(iterable: Any) -> list[Any]:
    """The lists that are gone through by what goes through `iterable`."""
    if isinstance(iterable, StagedItems):
        return iterable.uses.lists.of
    if isinstance(iterable, UnchangedIterable):
        return iterable.lists.of
    if isinstance(iterable, ZipIterable):
        return [v for part in iterable.parts for v in sources_of(part)]
    return [iterable.now()] if isinstance(iterable, ListIterable) else [iterable]


def staged_iterable(value: Any) -> StagedIterable:
    """`value` as something a staged `for` loops over.

    A symbolic `tf.range(...)` is iterated by its bounds.

    Raises:
      TypeError: it cannot be iterated.
    """
    if isinstance(value, StagedIterable):
        if value.uses is not None:
            value.uses.take()
        return value
    if isinstance(value, StagedItems):
        left = value.spent()
        value = value.rows[:0] if isinstance(left, list) and not left else left  # of a dtype
    if isinstance(value, Tensor):
        if isinstance(value, SymbolicTensor) and value.value.node.op is ops.Range:
            start, limit, delta = value.op.inputs
            found = RangeIterable(start, limit, delta, weak_type(value) is not None)
            found.length()  # TensorFlow's graphs hold these nodes; here they are pruned unless somebody asks
            return found
        return TensorIterable(value)
    if isinstance(value, TensorArray):
        return TensorArrayIterable(value)
    if isinstance(value, Rows):
        return RaggedIterable(value)
    if isinstance(value, (StagedList, list, collections.deque)) and (live := _live(value)) is not None:
        return live
    if hasattr(value, "__tf_tensor__"):  # a variable
        return TensorIterable(convert_to_tensor(value))
    if isinstance(value, (list, tuple, range)):
        return SequenceIterable(value)
    raise TypeError(errors.at_user_line(f"cannot loop over {shown(value)} in a graph"))


def once(iterable: StagedIterable, text: str) -> StagedIterable:
    """`iterable`, which is an iterator in Python, made by `text`."""
    iterable.uses = Uses(text)
    return iterable


def unchanged(iterable: StagedIterable, text: str, sources: Iterable[Any]) -> StagedIterable:
    """`iterable`, which `text` has made of what is in `sources`, as long as that stays so."""
    found = SeenLists(text, [v for s in sources for v in sources_of(s)])
    return UnchangedIterable(iterable, found) if found.of else iterable


def stays_python(value: TensorLike) -> bool:
    """Whether Python iterates over `value` whatever stands beside it in a `zip`: its elements make no tensor of numbers."""
    if isinstance(value, (list, tuple)):
        return not all(isinstance(v, _ELEMENTS) or hasattr(v, "__tf_tensor__") for v in value)
    known = (StagedIterable, Stream, Tensor, TensorArray, Rows, StagedRows, range, np.ndarray)
    return not (isinstance(value, known) or hasattr(value, "__tf_tensor__"))


_ELEMENTS = (bool, int, float, complex, list, tuple, np.generic, np.ndarray, Tensor)


def as_tensor(iterable: StagedIterable) -> Any:
    """All elements of a staged iterable as one tensor, along a new first dimension."""
    if isinstance(iterable, UnchangedIterable):
        iterable.lists.check()
        return as_tensor(iterable.inner)
    if isinstance(iterable, (TensorIterable, ListIterable)) and not isinstance(iterable, TensorArrayIterable):
        return iterable.whole()
    if isinstance(iterable, RangeIterable):
        return ops.Range(iterable.start, iterable.limit, iterable.delta)
    return comprehension(iterable, lambda item: item, None).stack()


class ChangingError(errors.OperatorNotAllowedInGraphError):
    """What is called for each element changes what is older."""


def comprehension(
    iterable: StagedIterable, element: Callable[..., Any], condition: Callable[..., Any] | None
) -> StagedList:
    """The `StagedList` of `element(item)` for the items that fulfil `condition`."""

    def call(function: Callable[..., Any], item: Tensor | tuple[Tensor, Tensor]) -> Tensor:
        count = getattr(getattr(function, "__code__", None), "co_argcount", 1)
        if count == 1:
            return function(item)
        return function(*(item if isinstance(item, tuple) else ops.unstack(item, count)))

    scratch, notes, trace = FuncGraph("scratch", is_part=True), begin_journal(), current_trace()
    since = 0 if trace is None else trace.clock
    own = iterable.begin()
    try:
        with building(scratch):
            item = iterable.item([stand_in(scratch, t, n) for t, n in zip(own, iterable.numbers or [False] * len(own))])
            if condition is not None:
                call(condition, item)
            example = pattern_of(call(element, item))
    finally:
        end_journal(notes)
    older = [c for c in notes.changes() if trace is None or not trace.is_own(c.place.owner, since)]
    if changes := journal.sort(journal.dropped(older)).carried:
        notes.undo()
        raise ChangingError(journal.in_each_call(changes[0]))
    start = example.filled([])
    width = len(own)

    def body(leaves: list[Any]) -> list[Any]:
        here, grown = leaves[:width], start.with_components(leaves[width:])
        item = iterable.item(here)
        if condition is None:
            handles = list(grown.pushed(call(element, item)).handles)
        else:
            handles = cond(
                truth(call(condition, item), "comprehension"), lambda: list(grown.pushed(call(element, item)).handles),
                lambda: list(grown.handles),
            )  # fmt: skip
        return [*iterable.following(here), *handles]

    outputs = build_while(
        lambda leaves: iterable.more(leaves[:width]), body, [*own, *start.handles], numbers=iterable.numbers
    )
    return start.with_components(outputs[width:])
