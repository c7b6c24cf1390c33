"""Python numbers that a staged loop starts with, in the dtype that the loop needs.

    total = 0.0
    for x in xs:            xs is float64
        total += x          total: float32, as Python's floats are elsewhere, would not fit

A number has no dtype before the loop; in it, it becomes float32 or int32. Where the loop cannot be traced with these it
is traced again with 64 bits. What fails with both is told of as it failed first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.staging import state as st
from graphrt.tensor.context import building, current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.types import dtype as dtypes

_WIDE: dict[type, Any] = {float: dtypes.float64, int: dtypes.int64}
_MOST_TRIED = 4
_TRIES: tuple[tuple[type, ...], ...] = ((float,), (float, int), (int,))


def with_wide_numbers(record: Callable[[], Any], get_state: Any, set_state: Any, names: tuple[str, ...]) -> Any:
    """Calls `record`, which records a loop over the state; again with wider Python numbers if dtypes do not agree.

    Raises:
      DTypeMismatchError, LoopVariableError: as the first attempt did, where none succeeds. The first of them names an
        integer that ought to have been a float.
    """
    graph = current_graph()
    mark = graph.checkpoint()
    before = get_state()
    try:
        return record()
    except (errors.DTypeMismatchError, errors.LoopVariableError) as error:
        first = error
    present = {type(v) for value in before if st.is_stageable(value) for v in st.leaves_of(value)}
    for kinds in _TRIES:
        if not present.issuperset(kinds):
            continue
        graph.rollback(mark)
        set_state(tuple(_wider(value, kinds) for value in before))
        try:
            return record()
        except (errors.DTypeMismatchError, errors.LoopVariableError):
            continue
    if type(first) is errors.DTypeMismatchError:
        first._message += _should_be_float(record, set_state, names, before)
    graph.rollback(mark)
    set_state(before)
    raise first


def _should_be_float(record: Callable[[], Any], set_state: Any, names: tuple[str, ...], before: tuple[Any, ...]) -> str:
    """A hint at the variable that starts as an integer, where the loop could be recorded if it were a float."""
    graph = current_graph()
    mark = graph.checkpoint()
    integers = [place for place, value in enumerate(before) if type(value) is int]
    for place in integers[:_MOST_TRIED]:
        for dtype in (dtypes.float32, dtypes.float64):
            with building(graph):
                changed = convert_to_tensor(float(before[place]), dtype)
            set_state((*before[:place], changed, *before[place + 1 :]))
            try:
                record()
            except (TypeError, ValueError):
                continue
            finally:
                graph.rollback(mark)
            start = before[place]
            return (
                f"\n  {names[place]!r} is {start} before the loop, so it is an integer (int32) in the loop, where it meets "
                f"{dtype.name}: let it start with {float(start)}."
            )
    return ""


def _wider(value: Any, kinds: tuple[type, ...]) -> Any:
    if not st.is_stageable(value):
        return value
    leaves = st.leaves_of(value)
    if not any(type(v) in kinds for v in leaves):
        return value
    with building(current_graph()):
        return st.rebuilt(value, [convert_to_tensor(v, _WIDE[type(v)]) if type(v) in kinds else v for v in leaves])
