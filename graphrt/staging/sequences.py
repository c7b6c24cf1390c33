"""`list`, `tuple` and `functools.reduce` of what a graph iterates over.

list(map(f, x))     tuple(x)      ->      a Python list or tuple when the length is known, else a staged list
reduce(f, x, y)                   ->      `for v in x: y = f(y, v)`
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from autograph.backends import converted_call, register_counterpart
from graphrt import errors
from graphrt.ir.op import ops, provide  # late: start-up, the backend is registered by `import graphrt`
from graphrt.staging.chosen_lists import ChosenList
from graphrt.staging.items import taken
from graphrt.staging.iterables import comprehension, staged_iterable
from graphrt.staging.lists import StagedList, as_python
from graphrt.staging.loop_stmt import for_stmt
from graphrt.staging.raising import must_hold
from graphrt.staging.rows import learned_list
from graphrt.staging.staged_iterable import StagedIterable
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.tensor.weak import weak_type
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import shown
from graphrt.types.structure import Stream


def datasets() -> Any:
    """`graphrt.staging.dataset_loops`, imported with the first dataset: most programs have none."""
    from graphrt.staging import dataset_loops as found  # lazy: see above

    return found


def staged(iterable: object) -> StagedIterable:
    """`iterable`, which may be a dataset, as something that a staged `for` loops over."""
    return datasets().iterable_of(iterable) if isinstance(iterable, Stream) else staged_iterable(iterable)


def elements(iterable: object) -> Any:
    """The elements in a Python list if their number is known, else in a staged list."""
    iterable = taken(iterable)
    if isinstance(iterable, StagedList):
        return iterable.copy() if isinstance(iterable, ChosenList) else iterable.again().listed()
    if isinstance(iterable, (list, tuple, dict, set, frozenset)):  # Python's own, whatever their elements
        return list(iterable)
    if isinstance(iterable, SymbolicTensor) and (iterable.dims == () or (iterable.dims or [None])[0] is not None):
        return list(iterable)
    found = staged(iterable)
    return comprehension(found, lambda item: item, None) if found.static_length() is None else list(found)


@provide
def all_of(iterable: Any) -> Any:
    """What a list takes of `iterable`: a staged list, or one of Python's; an iterator has given all of them afterwards."""
    if isinstance(iterable, StagedList):
        return iterable.spent()
    return elements(iterable) if isinstance(iterable, (SymbolicTensor, StagedIterable)) else list(iterable)


def _list(iterable: object) -> Any:
    return as_python(elements(iterable))


def _tuple(iterable: TensorLike) -> tuple[Tensor, ...]:
    found = elements(iterable)
    return tuple(found) if isinstance(found, list) else found


def _reduced(function: Callable[[Any, Any], Any], iterable: Any, *start: Any) -> Any:
    """`functools.reduce` over what is staged; a graph that finds nothing raises where there is nothing to start with."""
    call = lambda a, b: converted_call(function, (a, b), None)
    found = taken(iterable)
    if isinstance(found, (list, tuple, dict, set, frozenset)):
        return functools.reduce(call, found, *start)
    items = staged(found)
    if items.static_length() is not None:
        return functools.reduce(call, items.unrolled(), *start)
    begin = items.begin()
    if not start:
        text = "reduce() of empty iterable with no initial value"
        must_hold(items.more(begin), TypeError, text, "give it one, `reduce(f, x, start)`")
        start, begin = (items.item(begin),), items.following(begin)
    state = [*start]

    def body(item: Any) -> None:
        state[0] = call(state[0], item)

    def set_state(values: tuple[Any, ...]) -> None:
        state[:] = values

    for_stmt(items.after(begin), None, body, lambda: (*state,), set_state, ("what reduce() has so far",), {})
    return state[0]


def is_of_unknown_length(value: object) -> bool:
    """Whether this is a tensor that has rows, nobody knows how many."""
    return isinstance(value, SymbolicTensor) and value.dims != () and (value.dims or [None])[0] is None


@provide
def repeated_sequence(elements: list[Any] | tuple[Any, ...], times: Tensor) -> Any:
    """`elements * times`, where `times` is a number to the user, such as `len` gives; None where it is a tensor.

    Raises:
      TypeError: no list whose length only the graph knows can hold the elements.
    """
    if not isinstance(times, SymbolicTensor) or weak_type(times) is None or times.dims != () or times.dtype.kind != "i":
        return None
    if not elements:
        return type(elements)()
    try:
        pattern = learned_list([], list(elements), complete=True)
    except (TypeError, ValueError):
        pattern = None
    if pattern is None:
        text = (
            f"a list whose length only the running graph knows holds tensors of one dtype, found {shown(elements)}: begin "
            "with numbers of the dtype that it will have, `[0] * n`, or with `[]`, and append"
        )
        raise TypeError(errors.at_user_line(text))
    return pattern.filled(list(elements)) * ops.Maximum(times, 0)


def register() -> None:
    """Makes the counterparts known to converted code."""
    register_counterpart(list, _list)
    register_counterpart(tuple, _tuple)
    register_counterpart(functools.reduce, _reduced)
