"""`sorted`, `min` and `max` of what is staged: elements that are tensors or structures of such, by keys or by themselves.

    sorted(enumerate(x), key=lambda p: -p[1])      ->   the columns of the pairs, gathered in the order of the keys

Structures are in order as tuples are in Python: by what comes first in them, then by what comes next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from autograph.backends.state import seen
from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.ir.op import ops, provide  # late: start-up, the backend is registered by `import graphrt`
from graphrt.staging import iterables as it
from graphrt.staging.copies import as_copy
from graphrt.staging.if_stmt import choice
from graphrt.staging.items import taken
from graphrt.staging.list_iterables import ListIterable
from graphrt.staging.lists import StagedList
from graphrt.staging.nested_lists import columns as columns_of
from graphrt.staging.nested_lists import is_row, picked
from graphrt.staging.raising import must_hold
from graphrt.staging.rows import StagedRows, learned_list
from graphrt.staging.sequences import datasets, staged
from graphrt.staging.values import type_text
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.tensor.weak import balanced, is_number, like, weak_tensor, weakened
from graphrt.types import structure
from graphrt.types.dtype import bool_, from_numpy, int32
from graphrt.types.shape import TensorShape
from graphrt.types.structure import Stream

if TYPE_CHECKING:
    from graphrt.ir.op import OpDef

Key = Callable[[Any], Any] | None


class NoDefault:
    """Stands for the default of `min` and `max` where none is given."""


def stacked(iterable: Any) -> Tensor:
    """The elements as one tensor, along a new first dimension."""
    if isinstance(iterable, Tensor):
        return iterable
    if isinstance(iterable, Stream):
        return datasets().elements_of(iterable)
    return it.as_tensor(staged(iterable))


class _Elements(NamedTuple):
    """The elements, leaf by leaf.

    Attributes:
      columns: a tensor for each leaf.
      like: a structure like each element; None where they are tensors.
      rows: the staged list that they come from, if one of structures.
      ranks: what puts them in order, if not the columns: texts of Python's by their places among each other.
    """

    columns: list[Tensor]
    like: Any = None
    rows: StagedRows | None = None
    ranks: list[Tensor] | None = None

    def packed(self, leaves: list[Any]) -> Any:
        return leaves[0] if self.like is None else as_copy(structure.pack_like(self.like, leaves))

    def keys(self, function: str) -> list[Tensor]:
        """The columns, where the elements are in order by themselves."""
        return _scalars(self.ranks or self.columns, f"{function}() of structures that hold")


def _column(values: list[Any]) -> Tensor:
    try:
        return weak_tensor(values)
    except (TypeError, ValueError) as fault:
        kinds = ", ".join(sorted({type(v).__name__ for v in values}))
        text = f"what only a running graph can put in order is made of tensors and numbers of one kind, found: {kinds}"
        raise TypeError(errors.at_user_line(text)) from fault


def _ranks(values: list[Any], column: Tensor) -> Tensor:
    if not all(isinstance(v, str) for v in values):
        return column
    places = {text: place for place, text in enumerate(sorted(set(values)))}
    return weak_tensor([places[v] for v in values])


def _elements(iterable: Any) -> _Elements:
    if isinstance(iterable, (list, tuple)) and iterable and structure.is_nested(iterable[0]):
        for item in iterable:
            structure.assert_same_structure(iterable[0], item)
        leaves = [[*column] for column in zip(*map(structure.flatten, iterable))]
        columns = [*map(_column, leaves)]
        return _Elements(columns, iterable[0], None, [*map(_ranks, leaves, columns)])
    if isinstance(iterable, (list, tuple)):
        return _Elements([_column(list(iterable))])
    if isinstance(iterable, it.ZipIterable):
        iterable = it.comprehension(staged(iterable), lambda item: item, None)
    if isinstance(iterable, StagedRows):
        return _Elements([column.stack() for column in iterable.columns], iterable.like, iterable)
    return _Elements([iterable.stack() if isinstance(iterable, StagedList) else stacked(iterable)])


def _keys(iterable: Any, elements: _Elements, key: Callable[[Any], Any], function: str) -> list[Tensor]:
    """What `key` gives for the elements, leaf by leaf: what was computed for them is not computed again."""
    if isinstance(iterable, (list, tuple)):
        found: Any = [key(item) for item in iterable]
    else:
        rows = elements.rows
        parts = it.TensorIterable(elements.columns[0]) if rows is None else it.RowsIterable(lambda: rows)
        found = it.comprehension(parts, lambda item: key(item), None)
    given = _elements(found)
    return _scalars(given.ranks or given.columns, f"the key of {function}() gives")


def _scalars(columns: list[Tensor], what: str) -> list[Tensor]:
    """The columns, of which tensors can be put in order."""
    for column in columns:
        if column.dims is not None and len(column.dims) != 1:
            text = f"{what} tensors of shape {TensorShape(column.dims[1:])}, expected scalars"
            raise ValueError(errors.at_user_line(text))
    return columns


def _order(columns: list[Tensor], reverse: bool) -> Tensor:
    """The places of the elements in order, by the first of the columns, then by the next; equal ones stay as they are."""
    direction = "DESCENDING" if reverse else "ASCENDING"
    places: Tensor | None = None
    for column in reversed(columns):
        column = ops.cast(column, int32) if column.dtype is bool_ else column
        if places is not None:
            column = ops.gather(column, places)
        inner = ops.argsort(column, direction=direction, stable=True)
        places = inner if places is None else ops.gather(places, inner)
    assert places is not None
    return places


def sorted_(iterable: Any, key: Key, reverse: bool) -> Any:
    """`sorted(iterable, key=key, reverse=reverse)`: a list if its length is known, else a staged one or a tensor."""
    iterable = _as_one_list(taken(iterable))
    if isinstance(iterable, StagedList) and iterable.nest is not None:
        return picked(iterable.again(), _places_of_lists(iterable, key, reverse, "sorted"))
    elements = _elements(iterable)
    columns = elements.columns
    if key is None and elements.like is None:
        if type(iterable) is StagedList:
            return iterable.ordered(reverse)
        found = [like(ops.sort(columns[0], direction="DESCENDING" if reverse else "ASCENDING"), columns[0])]
    else:
        keys = elements.keys("sorted") if key is None else _keys(iterable, elements, key, "sorted")
        places = _order(keys, reverse)
        found = [like(ops.gather(column, places), column) for column in columns]
    if isinstance(iterable, (list, tuple)):
        return [*map(elements.packed, map(list, zip(*(ops.unstack(column, len(iterable)) for column in found))))]
    if elements.rows is not None:
        rows = elements.rows
        return StagedRows([old.of_rows(column) for old, column in zip(rows.columns, found)], rows.like)
    return iterable.listed().of_rows(found[0]) if isinstance(iterable, StagedList) else found[0]


def _as_one_list(iterable: Any) -> Any:
    """A list of lists, of some of which only the graph knows the length, as one that holds a tensor for each."""
    if type(iterable) is not list or not any(isinstance(seen(e), StagedList) for e in iterable):
        return iterable
    pattern = learned_list([], iterable) if all(map(is_row, map(seen, iterable))) else None
    return iterable if pattern is None or pattern.nest is None else pattern.filled(iterable)


def _places_of_lists(rows: StagedList, key: Key, reverse: bool, function: str) -> Tensor:
    """The places of lists in their order, or in that of what `key` gives for each."""
    if key is None:
        return _order(columns_of(rows), reverse)
    given = _elements(it.comprehension(ListIterable(lambda: rows), lambda row: key(row), None))
    return _order(_scalars(given.ranks or given.columns, f"the key of {function}() gives"), reverse)


def _must_have_elements(column: Tensor, name: str) -> None:
    """Has `min` and `max` of nothing raise what Python raises."""
    known = None if column.dims is None else column.dims[0]
    text = f"{name}() arg is an empty sequence"
    if known == 0:
        raise ValueError(errors.at_user_line(text))
    if known is None:
        must_hold(ops.Shape(column)[0] > 0, ValueError, text, f"write `{name}(..., default=...)`")


@provide
def sorted_list(rows: StagedList, key: Key, reverse: bool) -> Any:
    """The staged list of the elements of another one in order."""
    return sorted_(rows, key, reverse)


def extreme_list(name: str, values: Sequence[Any]) -> Any:
    """`min` or `max`, as `name` says, of several lists."""
    best = values[0]
    for value in values[1:]:
        replaces: Any = value > best if name == "max" else value < best
        now = best  # which the functions below are about
        best = seen(choice(replaces, lambda: value, lambda: now, (f"an argument of {name}()", f"another of {name}()")))
    return best


def extreme(name: str, iterable: Any, key: Key, default: Any = NoDefault) -> Any:
    """`min` or `max`, as `name` says, of the elements of one iterable."""
    iterable = _as_one_list(taken(iterable))
    if isinstance(iterable, StagedList) and iterable.nest is not None:
        _must_have_elements(ops.range(iterable.size()), name)
        return iterable[_places_of_lists(iterable, key, name == "max", name)[0]]
    elements = _elements(iterable)
    columns = elements.columns
    by_value = key is None and elements.like is None
    if by_value and default is NoDefault and columns[0].dims is not None and len(columns[0].dims) != 1:
        text = f"{name}() of one tensor needs a vector, found shape {columns[0].shape}: use tf.reduce_{name}"
        raise ValueError(errors.at_user_line(text))

    def best() -> Any:
        if by_value:
            return (ops.reduce_max if name == "max" else ops.reduce_min)(columns[0], 0)
        keys = elements.keys(name) if key is None else _keys(iterable, elements, key, name)
        if len(keys) == 1:
            place = ops.argmax(keys[0], 0) if name == "max" else ops.argmin(keys[0], 0)
        else:
            place = _order(keys, name == "max")[0]
        return elements.packed([like(ops.gather(column, place), column) for column in columns])

    if default is NoDefault:
        _must_have_elements(columns[0], name)
        return best()
    other = convert_to_tensor(default, dtype_hint=columns[0].dtype) if elements.like is None else default
    return cond(ops.Shape(columns[0])[0] > 0, best, lambda: other)


def first_addend(start: Any) -> Any:
    """What `sum` begins with.

    Raises:
      TypeError: it is a list, to which no elements are added.
    """
    if isinstance(start, (list, tuple, StagedList)):
        text = f"sum() adds elements to a {type(start).__name__}: write `rows.extend(...)` or `rows + ...`"
        raise TypeError(errors.at_user_line(text))
    return start


def sum_of(iterable: Any, start: Any, addend: Callable[[Any], Any]) -> Any:
    """`sum(iterable, start)`, of what `addend` makes of the elements."""
    if isinstance(iterable, StagedList) and iterable.nest is not None:
        return _sum_of_lists(iterable, start)
    values = stacked(iterable)
    total = ops.reduce_sum(addend(values), 0)
    if values.dtype is bool_:
        weakened(total)
    return total if isinstance(start, (int, float)) and start == 0 else total + first_addend(start)


def _sum_of_lists(rows: StagedList, start: Any) -> Any:
    """`sum(rows, start)` of lists.

    Raises:
      TypeError: `start` is no list.
    """
    if not isinstance(start, (list, StagedList)):
        kind = "int" if type(start) is int else type_text(start)
        raise TypeError(errors.at_user_line(f"unsupported operand type(s) for +: '{kind}' and 'list'"))
    inside, _ = rows.in_a_row()
    nest = None if rows.nest is None else rows.nest.inner
    return start + StagedList.slices_of(inside, nest, rows.void)


def extreme_of(pairwise: OpDef, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`min` or `max`, as `name` says, as they were called; `pairwise` is the op for two tensors."""
    key = kwargs.get("key")
    if len(args) == 1:
        return extreme(name, args[0], key, kwargs.get("default", NoDefault))
    if key is not None:
        return extreme(name, list(args), key)
    result = args[0]
    if any(isinstance(v, StagedList) for v in args):
        return extreme_list(name, args)
    for value in args[1:]:
        if is_number(result) and is_number(value):
            result = (min if name == "min" else max)(result, value)
            continue
        both: tuple[Any, ...] = balanced(result, value)
        result, value = both
        if all(isinstance(v, Tensor) for v in both) and result.dtype is not value.dtype:
            wide = np.result_type(*(v.dtype.as_numpy_dtype for v in both))  # Python compares numbers of all kinds
            both = tuple(ops.cast(v, from_numpy(wide)) for v in both)
        result = pairwise(*both)
    return result
