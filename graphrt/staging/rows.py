"""Lists that grow in staged code whose elements are tuples, dictionaries or other structures; which list fits elements.

rows = []
for i, v in enumerate(x):     rows: a StagedRows, a staged list for `i` and one for `v`
    rows.append((i, v))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from autograph.backends.state import made, note_contents, seen
from graphrt import errors
from graphrt.ir.op import ops, provide  # late: start-up, the backend is registered by `import graphrt`
from graphrt.staging.compared import Never
from graphrt.staging.copies import as_copy, copied, still_known
from graphrt.staging.lists import StagedList
from graphrt.staging.nested_lists import Nest, Order, Rows, common_rows, is_row, retyped
from graphrt.tensor.tensor import Tensor
from graphrt.tensor.weak import common_dtype, weak_tensor, weak_type
from graphrt.types import structure
from graphrt.types.dtype import DType
from graphrt.types.likes import TensorLike
from graphrt.types.shape import Dims, relax


class StagedRows(StagedList):
    """A list of tuples, or of other structures, whose length is known only when the graph runs: a list for each leaf."""

    __slots__ = ("_columns", "like")

    def __init__(self, columns: list[StagedList], like: Any) -> None:
        self._columns = columns
        self.like = like  # a structure with something for each leaf
        self.nest, self.order, self.void = None, Order(), False
        made(self)

    @property
    def dtype(self) -> DType:
        """The dtype of the elements as a tensor."""
        return self.columns[0].dtype

    def apart(self) -> Self:
        """The list without what an earlier trace has left in it."""
        found: Any = self._with([column.apart() for column in self.columns])
        rows: Self = found
        return rows

    @property
    def columns(self) -> list[StagedList]:
        """A list for each leaf; raises where they are lost."""
        return seen(self)._columns

    def check_known(self) -> None:
        """The same of each leaf."""
        for column in self._columns:
            column.check_known()

    def filled(self, elements: list[Any]) -> StagedList:
        """A list of this kind that holds `elements`."""
        known, lost = still_known(elements)
        leaves = [self._leaves(e) for e in known]
        found = self._with([c.filled([row[i] for row in leaves]) for i, c in enumerate(self._columns)])
        for column in found.parts():
            column.behind = lost
        return found

    def _with(self, columns: list[StagedList]) -> StagedRows:
        return StagedRows(columns, self.like)

    def _leaves(self, element: Any) -> list[Any]:
        copied(element)
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

    @property
    def shapes(self) -> list[Dims]:
        """What is known of the shapes of elements; of each leaf."""
        return [c.dims for c in self._columns]

    def widened(self, shapes: Sequence[Dims]) -> StagedRows:
        """The same, leaf by leaf."""
        return self._with([c.widened((dims,)) for c, dims in zip(self._columns, shapes)])

    def size(self) -> Tensor:
        """The number of elements, an int32 scalar."""
        return self.columns[0].size()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, tuple):
            return self.stack()[index]
        if isinstance(index, slice):
            return self._sliced(index)
        return as_copy(self._row([c[index] for c in self.columns]))

    def as_row(self) -> None:
        """Nothing: no tensor holds it."""

    def _sliced(self, index: slice) -> StagedRows:
        return self._with([c[index] for c in self.columns])

    def comparable(self, element: Any) -> Any:
        """The same of structures: of one like those of the list."""
        try:
            structure.assert_same_structure(self.like, element)
        except (TypeError, ValueError):
            return Never
        leaves = [c.comparable(leaf) for c, leaf in zip(self._columns, structure.flatten(element))]
        return Never if any(leaf is Never for leaf in leaves) else self._row(leaves)

    def _matches(self, element: Any) -> Tensor:
        found = [c.matches(leaf) for c, leaf in zip(self.columns, structure.flatten(element))]
        return ops.reduce_all(ops.Pack(found), 0)

    def _with_slice(self, index: slice, elements: Any) -> StagedRows:
        new = elements if isinstance(elements, StagedRows) else self.filled(list(elements))
        return self._with([c._with_slice(index, other) for c, other in zip(self.columns, new.columns)])

    def _kept(self, flags: Tensor) -> StagedRows:
        return self._with([c._kept(flags) for c in self.columns])

    def is_like(self, other: StagedList) -> bool:
        """Whether elements of both have one structure."""
        return isinstance(other, StagedRows) and self.comparable(other.like) is not Never

    def _repeated(self, times: Tensor) -> Any:
        return self._with([c._repeated(times) for c in self.columns])

    __hash__ = object.__hash__

    def ordered(self, reverse: Any = False) -> StagedRows:
        """A list of the elements in order, which is that of tuples: by their first leaves, then by the next."""
        found: StagedRows = ops.sorted_list(self, None, reverse)
        return found

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
        """The elements as one tensor, along a new first dimension; what is in them along the second, and so on."""
        stacked: Tensor = _side_by_side(self._row([c.stack() for c in self.columns]))
        return stacked

    def joined(self, axis: Any) -> Tensor:
        """The same of structures, each of which is a tensor of its leaves."""
        return StagedList.slices_of(self.stack()).joined(axis)

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


def _side_by_side(row: Any) -> Tensor:
    if isinstance(row, Tensor):
        return row
    parts = row.values() if isinstance(row, dict) else row
    found: Tensor = ops.stack([*map(_side_by_side, parts)], axis=1)
    return found


def learned_list(before: list[Any], after: list[Any], complete: bool = False) -> StagedList | None:
    """A pattern for a list that has changed its length in staged code; None when its elements cannot be carried.

    Elements that convert to tensors of one dtype are tensors; tuples and other structures keep their form. So do lists of
    one length where the elements are `complete`: no other ones come, which might have another length.
    """
    elements, _ = still_known([v.value if isinstance(v, structure.Nullable) else v for v in (*before, *after)])
    if not elements:
        return None
    first = elements[0]
    if all(map(is_row, elements)):
        common = common_rows(elements)
        if common is not None:
            nest, void = Nest(common.depth), common.holds_nothing()
            return StagedList.of([], common.dtype, common.dims, common.weak, nest, void)
    if structure.is_nested(first) and (complete or type(first) is not list):
        rows = _learned_rows(elements)
        if rows is not None or type(first) is not list:
            return rows
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


def _kind_of(rows: StagedList) -> Rows | None:
    return Rows(rows.depth, rows.dtype, rows.dims, rows.is_weak) if rows.depth else None


@provide
def told(rows: StagedList, other: Any, is_element: bool) -> StagedList:
    """`rows`, of which nobody knows what it may hold, as one that may hold `other`, or what is in that."""
    if rows.nest is None:
        pattern = learned_list([], [other]) if is_element else other
        return rows if pattern is None else pattern.filled([])
    kind = common_rows([other]) if is_element else _kind_of(other)
    if kind is None or kind.holds_nothing() or rows.dims is None or None in rows.dims[: rows.depth - 1]:
        return rows
    return retyped(rows, kind)


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
    found = learned_list([], [example], complete=True)
    if found is None:
        raise TypeError(errors.at_user_line(f"a list that a graph makes cannot hold {example!r}"))
    return found


def with_staged_lists(like: object, value: Any) -> Any:
    """`value` with its lists as staged ones where those of `like` are."""
    if isinstance(like, StagedList) and type(value) is list:
        return like.filled(value)
    if isinstance(like, StagedList) and isinstance(value, StagedList):
        return value.told_by(like)
    if type(like) is not type(value) or not isinstance(value, (list, tuple, dict)):
        return value
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    others: Any = like
    if len(others) != len(value) or (isinstance(value, dict) and others.keys() != value.keys()):
        return value
    found = [(part, with_staged_lists(others[key], part)) for key, part in parts]
    return value if all(a is b for a, b in found) else structure.rebuild(value, [new for _, new in found])


def are_lists(*values: object) -> bool:
    """Whether all are lists, of Python's or staged."""
    return all(type(value) is list or isinstance(value, StagedList) for value in values)
