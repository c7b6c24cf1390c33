"""Lists and arrays that have come to hold what only the graph knows.

    values = []
    for x in tensor:              `values` stays the very list, under all its names; while the function is traced a
        values.append(x)          `StagedList` stands in for it, which converted code is given whenever it looks into it

When the trace ends, a list holds the symbolic tensors that the staged list was made of: nobody can compute with these,
and whoever tries is told so. So do objects and containers of which nobody knows what is in them. Arrays
hold what they held.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable
from typing import Any, TypeVar

from autograph.backends import StagingBackend
from autograph.backends.state import current_trace, fields_of, fill_instance, seen, shown, tracing
from graphrt.staging.closing import is_object
from graphrt.staging.lists import StagedList
from graphrt.staging.maybe_none import MaybeNone
from graphrt.tensor.context import watch_traces
from graphrt.tensor.func_graph import FuncGraph
from graphrt.types import structure
from graphrt.types.dtype import float32

_Backend = TypeVar("_Backend", bound=type)
_ASKED_OFTEN = frozenset({"is_staged", "is_active", "checkpoint", "rollback", "unsupported", "isinstance_"})
_TAKE_NONE = """
    is_none settled there if_stmt if_exp while_stmt assert_stmt and_ or_ not_ bool_ eq not_eq contains print_ return_value
    list_append list_extend set_item
"""


def leave_behind(value: Any, stand_in: StagedList | None) -> None:
    """Called at the end of a trace for what has a stand-in, or, with None, is lost."""
    if stand_in is None:
        _leave_lost(value)
    elif isinstance(value, list) and isinstance(stand_in, StagedList):
        value[:] = stand_in.handles
    elif isinstance(value, collections.deque) and isinstance(stand_in, StagedList):
        value.clear()
        value.extend(stand_in.handles)


def _leave_lost(value: Any) -> None:
    unknown = FuncGraph("one_of_two").placeholder(float32, (), "one_of_two")
    if isinstance(value, list):
        value[:] = [unknown]
    elif isinstance(value, collections.deque):
        value.clear()
        value.append(unknown)
    elif isinstance(value, dict):
        value.update(dict.fromkeys(value, unknown))
    elif is_object(value):
        fill_instance(value, dict.fromkeys(fields_of(value) or (), unknown))


def looking_at_stand_ins(backend: _Backend) -> _Backend:
    """Has the methods of a backend given what stands in for lists and arrays, and the values of what may be None.

    What they return is lists and arrays again.
    """
    for name, method in list(vars(backend).items()):
        if hasattr(StagingBackend, name) and callable(method) and name not in _ASKED_OFTEN:
            setattr(
                backend, name, _looking(method, _set if name == "set_item" else shown, name not in _TAKE_NONE.split())
            )
    return backend


def _set(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is written is the very container, not one like it with stand-ins inside."""
    target, key, value = args
    return seen(target), shown(key), value


def _looking(method: Callable[..., Any], given: Callable[[Any], Any], reads: bool) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        trace = current_trace()
        if reads and trace is not None and trace.may_be_none:
            args = tuple(v.read() if isinstance(v, MaybeNone) else v for v in args)
        if trace is None or not trace.has_stand_ins:
            return method(self, *args, **kwargs)
        result = method(self, *given(args), **kwargs)
        if isinstance(result, tuple):
            return structure.rebuild(result, [trace.stood_for(v, v) for v in result])
        return trace.stood_for(result, result)

    return call


def watch() -> None:
    """Has each outermost trace run with a journal of its own."""
    watch_traces(lambda: tracing(leave_behind), _leaving)


def _leaving(value: object) -> Any:
    value = shown(value)
    for part in structure.flatten(value):
        if isinstance(part, StagedList):
            part.check_known()
    return value
