"""The staging backend: how code converted by AutoGraph runs on graphrt's symbolic tensors."""

from __future__ import annotations

import builtins as py
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from autograph.backends.state import Contents, State, begin_journal, end_journal, lasting, shown, write_place
from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.staging import iterables as it
from graphrt.staging import (
    number_functions,
    order,
    row_of_list,  # noqa: F401  it provides `row_of`
)
from graphrt.staging.asserted import assert_stmt
from graphrt.staging.chosen_items import item_at, set_at
from graphrt.staging.chosen_lists import ChosenList
from graphrt.staging.equality import contains, equal, unequal
from graphrt.staging.handled import HandledByGraphs
from graphrt.staging.if_stmt import choice, if_stmt
from graphrt.staging.items import StagedItems, lent
from graphrt.staging.lists import StagedList, as_python
from graphrt.staging.loop_places import LoopPlaces
from graphrt.staging.loop_stmt import first_of_for, first_of_while, for_stmt, skipped_if_empty, while_stmt
from graphrt.staging.maybe_none import AsksForNone, MaybeNone
from graphrt.staging.operands import either, negated
from graphrt.staging.raising import all_or_nothing
from graphrt.staging.returns import return_value
from graphrt.staging.rows import learned_list
from graphrt.staging.sequences import datasets, elements, is_of_unknown_length, staged
from graphrt.staging.staged_iterable import StagedIterable
from graphrt.staging.stand_ins import looking_at_stand_ins
from graphrt.staging.truths import Truth, condition
from graphrt.state.variable import Variable
from graphrt.tensor.context import current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.tensor.weak import is_flexible, weak_cast, weakened
from graphrt.types.dtype import bool_, int32
from graphrt.types.likes import ShapeLike, TensorLike
from graphrt.types.structure import Rows, Stream

if TYPE_CHECKING:
    from graphrt.ir.graph import Node
    from graphrt.staging.iterables import EnumerateIterable, MapIterable, ZipIterable
    from graphrt.tensor.func_graph import FuncGraph


@looking_at_stand_ins
class GraphBackend(HandledByGraphs, AsksForNone):
    """Stages control flow on tensors into the graph that is being traced; outside of a trace nothing is staged."""

    staged_types: tuple[type, ...] = (Tensor, Variable, StagedIterable, StagedList, Stream, Rows, Truth, MaybeNone)

    def is_active(self) -> py.bool:
        """Whether a graph is being traced: only then a function has to be run converted."""
        return current_graph() is not None

    def is_staged(self, value: object) -> py.bool:
        """Whether a graph is being traced: concrete tensors keep their Python meaning otherwise."""
        return current_graph() is not None

    def checkpoint(self) -> tuple[FuncGraph, tuple[Node | None, int, int]]:
        """A mark in the graph being traced."""
        return self.checkpoint_before(None)

    def checkpoint_before(self, test: Any) -> Any:
        """A mark in the graph being traced."""
        graph = current_graph()
        return None if graph is None else (graph, graph.checkpoint())

    def rollback(self, mark: tuple[FuncGraph, tuple[Node | None, int, int]]) -> None:
        """Forgets what was recorded since `mark`."""
        if mark is not None:
            graph, recorded = mark
            graph.rollback(recorded)

    def return_value(
        self, value: Tensor | dict[str, Tensor | list[Tensor]] | tuple[Tensor, Tensor], did_return: TensorLike
    ) -> Any:
        """What a converted function returns."""
        return return_value(value, did_return)

    # --- statements ---
    def if_stmt(
        self, cond: TensorLike, body: Callable[..., Any], orelse: Callable[..., Any], get_state: Callable[..., Any],
        set_state: Callable[..., Any], symbol_names: Any, nouts: int
    ) -> None:  # fmt: skip
        if_stmt(cond, body, orelse, get_state, set_state, symbol_names, nouts)

    @all_or_nothing
    def while_stmt(
        self, test: Callable[..., Any], body: Callable[..., Any], get_state: Callable[..., Any],
        set_state: Callable[..., Any], symbol_names: Any, opts: Mapping[str, Any]
    ) -> None:  # fmt: skip
        def record(
            test: Callable[..., Any], body: Callable[..., Any], get_state: Callable[..., Any],
            set_state: Callable[..., Any], names: tuple[str, ...], more: Mapping[str, Any]
        ) -> None:  # fmt: skip
            while_stmt(test, body, get_state, set_state, names, {**opts, **more})

        state = State(get_state, set_state, symbol_names)
        with skipped_if_empty(state.get, state.set, lambda: first_of_while(test)):
            LoopPlaces(state, body, test).record(record)

    @all_or_nothing
    def for_stmt(
        self,
        iter_: object,
        extra_test: Callable[..., Any] | None,
        body: Callable[..., Any],
        get_state: Callable[..., Any],
        set_state: Callable[..., Any],
        symbol_names: Any,
        opts: Mapping[str, Any],
    ) -> None:
        if isinstance(iter_, StagedItems):
            test, once = iter_.as_while(extra_test, body)
            self.while_stmt(test, once, get_state, set_state, symbol_names, opts)
            return
        loop = datasets().for_stmt if isinstance(iter_, Stream) else for_stmt
        iter_ = lasting(iter_)

        def record(
            extra: Callable[..., Any] | None, body: Callable[..., Any], get_state: Callable[..., Any],
            set_state: Callable[..., Any], names: tuple[str, ...], more: Mapping[str, Any]
        ) -> None:  # fmt: skip
            loop(iter_, extra, body, get_state, set_state, names, {**opts, **more})

        state = State(get_state, set_state, symbol_names)
        begins = (lambda: True) if isinstance(iter_, Stream) else lambda: first_of_for(iter_)
        with skipped_if_empty(state.get, state.set, begins):
            LoopPlaces(state, body, extra_test).record(record)

    def assert_stmt(self, test: Any, message_thunk: Callable[[], Any]) -> None:
        assert_stmt(test, message_thunk)

    # --- expressions ---
    def if_exp(
        self, cond: TensorLike, if_true: Callable[..., Any], if_false: Callable[..., Any], expr_repr: py.str
    ) -> Any:
        pred = condition(cond, "conditional expression")
        return choice(pred, if_true, if_false, ("the branch before `if`", "the branch after `else`"))

    def and_(self, a_value: TensorLike, b_thunk: Any) -> Tensor:
        return either(a_value, b_thunk, "and")

    def or_(self, a_value: TensorLike, b_thunk: Any) -> Tensor:
        return either(a_value, b_thunk, "or")

    def not_(self, a: TensorLike) -> Tensor:
        if isinstance(a, Tensor) and a.dtype is bool_:  # of any shape
            return ops.LogicalNot(a)
        return negated(a)

    def eq(self, a: TensorLike, b: TensorLike) -> Tensor:
        return equal(a, b)

    def not_eq(self, a: Any, b: Any) -> Any:
        return unequal(a, b)

    def contains(self, x: Any, container: object) -> Tensor:
        return contains(x, container)

    # --- builtins ---
    def abs_(self, x: Any) -> Any:
        return datasets().map_(lambda v: abs(v), (x,)) if isinstance(x, Stream) else abs(x)

    def all_(self, iterable: TensorLike) -> Tensor:
        if isinstance(iterable, StagedItems):
            return ops.LogicalNot(iterable.up_to_first(ops.LogicalNot(_truths(iterable.ahead()))))
        return ops.reduce_all(_truths(iterable), None)

    def any_(self, iterable: TensorLike) -> Tensor:
        if isinstance(iterable, StagedItems):
            return iterable.up_to_first(_truths(iterable.ahead()))
        return ops.reduce_any(_truths(iterable), None)

    def bool_(self, x: TensorLike) -> Tensor:
        return condition(x, "bool()")

    def enumerate_(self, iterable: Any, start: Any = 0) -> Any:
        if isinstance(iterable, Stream) and (numbered := datasets().enumerate_(iterable, start)) is not None:
            return numbered
        if it.stays_python(iterable) and not isinstance(iterable, Stream):
            return ((start + place, item) for place, item in enumerate(iterable))
        (part,) = _parts((iterable,), "enumerate(...)")
        return it.once(it.EnumerateIterable(part, start), "enumerate(...)")

    def filter_(self, function: Callable[..., Any], iterable: TensorLike) -> StagedIterable:
        if isinstance(iterable, Stream):
            return datasets().filter_(function, iterable)
        found = self._filtered(function, staged(*lent((iterable,))))
        return it.once(it.unchanged(found, "filter(...)", (iterable,)), "filter(...)")

    def _filtered(self, function: Callable[..., Any], rows: StagedIterable) -> StagedIterable:
        if isinstance(rows, it.ZipIterable):  # of structures, which make no tensor
            return it.staged_iterable(
                it.comprehension(rows, lambda v: v, lambda v: v if function is None else function(v))
            )
        keep = it.comprehension(rows, lambda v: v if function is None else function(v), None).stack()
        return it.TensorIterable(ops.boolean_mask(it.as_tensor(rows), ops.cast(keep, "bool")))

    def float_(self, x: TensorLike = 0.0) -> Tensor:
        return number_functions.float_(x)

    def int_(self, x: TensorLike = 0, *base: Any) -> Tensor:
        return number_functions.int_(x, *base)

    def isinstance_(self, x: Any, kinds: Any) -> Any:
        if isinstance(x, MaybeNone):
            return x.isinstance(kinds)
        return isinstance(x.python() if isinstance(x, StagedList) else x, kinds)

    def type_(self, x: Any) -> type:
        return type(x.read() if isinstance(x, MaybeNone) else x.python() if isinstance(x, StagedList) else x)

    def iter_(self, iterable: Tensor, *sentinel: Any) -> Any:
        if sentinel:
            raise TypeError(errors.at_user_line("iter(callable, sentinel) cannot be staged"))
        if isinstance(iterable, StagedItems):
            return iterable
        if isinstance(iterable, SymbolicTensor) and iterable.dims != ():
            return StagedItems.over_all(StagedList.slices_of(iterable), "iter(...)", (iterable.dims or [None])[0])
        if isinstance(iterable, StagedList):
            return StagedItems.over_all(iterable.again().listed(), "iter(...)", sources=(iterable,))
        return datasets().iter_(iterable) if isinstance(iterable, Stream) else iter(iterable)

    def len_(self, x: Tensor) -> Any:
        if isinstance(x, Stream):
            return datasets().len_(x)
        if isinstance(x, StagedIterable):
            return number_functions.length(x.length())
        if isinstance(x, StagedItems):
            raise TypeError(errors.at_user_line(f"{x.shown_as()} has no len(): make a list of it, `list(...)`"))
        if isinstance(x, ChosenList) and x.length is not None:
            return x.length
        if isinstance(x, StagedList):
            return number_functions.length(x.size())
        dims = x.dims
        if dims == () and x.dtype.kind == "S":
            return number_functions.length(ops.StringLength(x, unit="UTF8_CHAR"))
        if dims == ():
            raise ValueError(errors.at_user_line(f"len requires a non-scalar tensor, got one of shape {x.shape}"))
        if dims is not None and dims[0] is not None:
            return dims[0]
        shape = ops.Shape(x)
        return weakened(shape[0], shape)

    def map_(self, function: Callable[..., Any], *iterables: TensorLike) -> Any:
        streams = any(isinstance(i, Stream) for i in iterables)
        if streams and (mapped := datasets().map_(function, iterables)) is not None:
            return mapped
        if any(map(it.stays_python, iterables)):
            return map(function, *map(_for_python, iterables))
        return it.once(it.MapIterable(function, _parts(iterables, "map(...)")), "map(...)")

    def max_(self, *args: TensorLike, **kwargs: object) -> Tensor:
        return order.extreme_of(ops.Maximum, "max", args, kwargs)

    def min_(self, *args: TensorLike, **kwargs: object) -> Tensor:
        return order.extreme_of(ops.Minimum, "min", args, kwargs)

    def next_(self, iterator: Any, *default: Any) -> Any:
        if isinstance(iterator, StagedItems):
            return iterator.take(*default)
        if isinstance(iterator, StagedList):
            raise TypeError(errors.at_user_line("'list' object is not an iterator"))
        if isinstance(iterator, StagedIterable):
            text = "next() of what is staged takes from an iterator: write `items = iter(...)` first"
            raise errors.OperatorNotAllowedInGraphError(errors.at_user_line(text))
        return datasets().next_(iterator, *default) if isinstance(iterator, Stream) else next(iterator, *default)

    def print_(self, *objects: Any, **kwargs: object) -> Any:
        for i, found in enumerate(objects):
            if isinstance(found, MaybeNone):
                way = lambda v: lambda: self.print_(*objects[:i], v, *objects[i + 1 :], **kwargs)
                return cond(found.flag, way(found.value), way(None))
        options = {"sep": kwargs.get("sep", " "), "end": kwargs.get("end", "\n")}
        options = {k: (" " if k == "sep" else "\n") if v is None else v for k, v in options.items()}
        if kwargs.get("file") is not None:
            options["output_stream"] = kwargs["file"]
        else:
            options["output_stream"] = sys.stdout
        return ops.print(*objects, **options)

    def range_(self, *args: Any) -> Tensor:
        return weakened(ops.range(*args))

    def reversed_(self, sequence: TensorLike) -> StagedIterable:
        return it.once(it.backwards(sequence), "reversed(...)")

    def round_(self, x: TensorLike, *ndigits: int) -> Tensor:
        return number_functions.round_(x, *ndigits)

    def sorted_(self, iterable: TensorLike, *, key: Callable[..., Any] | None = None, reverse: bool = False) -> Any:
        return as_python(order.sorted_(iterable, key, reverse))

    def sum_(self, iterable: MapIterable | StagedList | Tensor, start: TensorLike = 0) -> Tensor:
        return order.sum_of(iterable, start, self.addend)

    def addend(self, value: TensorLike) -> TensorLike:
        return weak_cast(value, int32) if isinstance(value, Tensor) and value.dtype is bool_ else value

    def zip_(self, *iterables: TensorLike, strict: py.bool = False) -> Any:
        if any(isinstance(i, Stream) for i in iterables) and (zipped := datasets().zip_(iterables)) is not None:
            return zipped
        if any(map(it.stays_python, iterables)):
            return zip(*map(_for_python, iterables), strict=strict)
        parts = _parts(iterables, "zip(...)")
        if strict:
            self._check_lengths(parts)
        return it.once(it.ZipIterable(parts), "zip(...)")

    def _check_lengths(self, parts: list[Any]) -> None:
        """What `strict=True` asks of the arguments of `zip`."""
        known = parts[0].static_length()
        for place, part in enumerate(parts[1:], 2):
            found = part.static_length()
            if known is None or found is None:
                self.assert_stmt(parts[0].length() == part.length(), lambda: "the arguments of zip() differ in length")
            elif found != known:
                which = "shorter" if found < known else "longer"
                before = "argument 1" if place == 2 else f"arguments 1-{place - 1}"
                raise ValueError(errors.at_user_line(f"zip() argument {place} is {which} than {before}"))

    # --- containers ---
    def get_item(self, target: Any, key: object) -> Tensor | StagedList:
        if isinstance(target, (list, tuple)):
            return item_at(target, key)
        if isinstance(target, np.ndarray) and has_symbolic(key):
            return ops.getitem(convert_to_tensor(target), key)
        return target[key]

    def set_item(self, target: Any, key: Any, value: TensorLike) -> Any:
        if isinstance(target, StagedList):
            target[key] = value
            return target
        if isinstance(target, Tensor):
            return updated(target, key, value)
        if isinstance(target, list):
            return _list_with_slice(target, key, value) if type(key) is slice else _list_with_item(target, key, value)
        if isinstance(target, np.ndarray) and (has_symbolic(key) or has_symbolic(value)):
            return updated(convert_to_tensor(target), key, value)
        target[key] = value  # a dictionary, a variable, an object of the user's: it knows what to do with a tensor
        return target

    def list_comp(
        self, iterable: EnumerateIterable | Tensor | ZipIterable, plain: Callable[..., Any],
        element: Callable[..., Any], condition: Callable[..., Any] | None
    ) -> Any:  # fmt: skip
        dims = None if isinstance(iterable, StagedList) else getattr(iterable, "dims", None)  # those of its elements
        if condition is None and dims and dims[0] is not None:
            return plain(iterable)  # as many tensors as there are rows: a Python list
        graph, notes = current_graph(), begin_journal()
        mark = graph.checkpoint()
        try:
            return as_python(it.comprehension(staged(iterable), element, condition))
        except it.ChangingError:
            notes.undo()
            graph.rollback(mark)
            return NotImplemented
        finally:
            end_journal(notes)

    def generated(self, elements: Any, iterable: Any, text: str = "(... for ...)") -> Any:
        if not isinstance(elements, StagedList):
            return elements
        if isinstance(iterable, StagedItems):
            iterable.lent()
        return StagedItems.over_all(elements, text, sources=it.sources_of(iterable))

    def new_list(self, elements: Any) -> Any:
        if isinstance(elements, StagedList):
            return as_python(elements)
        return list(elements) if isinstance(elements, (list, tuple)) else staged(elements)

    def list_extend(self, target: list[Any], elements: Any) -> Any:
        if not isinstance(elements, (StagedList, StagedIterable)):
            return NotImplemented
        return _list_with_slice(target, slice(len(target), None), elements)

    def list_spread(self, before: Any, iterable: Any) -> Any:
        return before + elements(iterable)

    def list_item(self, target: list[Any], key: TensorLike) -> Tensor | StagedList:
        return item_at(target, key)

    def rest_of_list(self, target: list[Any], start: int) -> StagedIterable:
        return it.staged_iterable(target).after([convert_to_tensor(start, dtype=int32)])

    def list_append(self, target: StagedList, element: TensorLike) -> StagedList:
        target.append(element)
        return target

    def list_pop(self, target: Any, index: Any, *, element_dtype: Any, element_shape: ShapeLike) -> Any:
        return target, (target.pop() if index is None else target.pop(index))

    def list_stack(self, target: Any, *, element_dtype: Any, strict: py.bool) -> Any:
        return target.stack() if isinstance(target, StagedList) else convert_to_tensor(target)


def _parts(iterables: tuple[Any, ...], text: str) -> list[StagedIterable]:
    """What `text` goes through side by side."""
    parts = [staged(i) for i in lent(iterables)]
    copies = [
        isinstance(i, StagedItems) or (isinstance(i, list) and isinstance(p, it.SequenceIterable))
        for p, i in zip(parts, iterables)
    ]
    return [it.unchanged(p, text, (i,)) if is_copy else p for p, i, is_copy in zip(parts, iterables, copies)]


def has_symbolic(value: object) -> py.bool:
    """Whether a symbolic tensor is `value`, or inside it (a slice, a tuple or a list)."""
    if isinstance(value, slice):
        return any(isinstance(v, SymbolicTensor) for v in (value.start, value.stop, value.step))
    if isinstance(value, (list, tuple)):
        return any(has_symbolic(v) for v in value)
    return isinstance(value, SymbolicTensor)


def updated(tensor: Tensor, key: object, value: TensorLike) -> Tensor:
    """`tensor` with `tensor[key]` replaced by `value`, which is broadcast: what `tensor[key] = value` would mean."""
    shape = ops.Shape(tensor)
    places = ops.getitem(ops.Reshape(ops.Range(0, ops.Size(tensor), 1), shape), key)
    fill = convert_to_tensor(value, dtype_hint=tensor.dtype)
    if is_flexible(fill):
        fill = convert_to_tensor(fill, tensor.dtype)
    if fill.dtype is not tensor.dtype:
        wider = fill.dtype.kind in "fc" and tensor.dtype.size > fill.dtype.size  # digits are lost already
        if wider or not np.can_cast(fill.dtype.as_numpy_dtype, tensor.dtype.as_numpy_dtype, "same_kind"):
            convert_to_tensor(value, dtype=tensor.dtype)  # says what is wrong
            raise errors.DTypeMismatchError(
                errors.at_user_line(f"a {fill.dtype.name} value cannot be put into a tensor of {tensor.dtype.name}")
            )
        fill = ops.cast(fill, tensor.dtype)
    fill = ops.BroadcastTo(fill, ops.Shape(places))
    flat = ops.TensorScatterUpdate(ops.Reshape(tensor, [-1]), ops.Reshape(places, [-1, 1]), ops.Reshape(fill, [-1]))
    result = ops.Reshape(flat, shape)
    result.set_shape(tensor.shape)
    return result


def _list_with_slice(target: list[Any], key: slice, value: Any) -> list[Any]:
    value = (
        elements(value) if isinstance(value, (StagedIterable, StagedItems)) or is_of_unknown_length(value) else value
    )
    if any(isinstance(bound, SymbolicTensor) for bound in (key.start, key.stop, key.step)):
        inside = shown(target)
        rows = (value if isinstance(value, StagedList) else _pattern(inside, [*value])).filled(inside)
        rows[key] = value
        write_place(Contents(target), rows)
        return target
    if not isinstance(value, StagedList):
        target[key] = value
        return target
    if key.step not in (None, 1):
        raise ValueError(errors.at_user_line("a list that grew in a staged loop has no place in a slice with a step"))
    inside, start, stop = shown(target), *key.indices(len(target))[:2]
    write_place(Contents(target), value.filled(inside[:start]).extended(value).extended(inside[max(start, stop) :]))
    return target


def _list_with_item(target: Any, key: Any, value: Any) -> Any:
    if not isinstance(key, Tensor):
        target[key] = value
        return target
    if set_at(target, key, value):
        return target
    elements, value = shown(target), shown(value)
    write_place(Contents(target), _pattern(elements, [value]).filled(elements).with_item(key, value))
    return target


def _pattern(before: list[Any], after: list[Any]) -> StagedList:
    found = learned_list(before, after)
    if found is None:
        text = "an item of a list is set at a symbolic index: its elements must be tensors of one dtype"
        raise TypeError(errors.at_user_line(text))
    return found


def _for_python(iterable: Any) -> Any:
    return iterable if it.stays_python(iterable) or isinstance(iterable, (list, tuple)) else iter(staged(iterable))


def _truths(iterable: Any) -> Tensor:
    """The truth of each element."""
    found = order.stacked(iterable)
    if found.dtype is bool_:
        return found
    return ops.NotEqual(found, convert_to_tensor("" if found.dtype.kind == "S" else 0, found.dtype))


BACKEND = GraphBackend()
