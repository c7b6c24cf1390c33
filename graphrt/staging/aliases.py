"""Other names of a list that became a staged list.

    ys = xs
    for x in tensor:
        xs.append(x)          `xs` is a staged list now, and so has to be `ys`: both are names of one list

A Python list cannot become a staged list in place. So, when the outermost staged statement is done, the names in the
user's functions that run, and the lists, dictionaries and attributes that these hold, get what stands for the list. When
an inner one is done, the functions that run inside the outer one get it, and what the outer one watches.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from graphrt import errors
from graphrt.staging.lists import StagedList

_MOST = 400
_DEEPEST = 5


class _Statements(threading.local):
    """The staged statements that this thread is tracing.

    Attributes:
      open: for each its frame and what it watches, outermost first.
      grown: lists, each with what stands for it now; some of these may have been traced for nothing.
      final: values that are left behind by the outermost statement.
    """

    open: list[list[Any]] = []
    grown: list[tuple[list[Any], StagedList]] = []
    final: tuple[Any, ...] = ()


_statements = _Statements()


def stands_for(old: list[Any], staged: StagedList) -> StagedList:
    """Remembers that `staged` is what the very list `old` has become; returns it."""
    _statements.grown = [*_statements.grown, (old, staged)]
    return staged


def became(old: list[Any], staged: StagedList) -> StagedList:
    """Has all names of the very list `old` name `staged` from now on; returns it."""
    with statement(lambda: (staged,)):
        return stands_for(old, staged)


def leave_behind(values: tuple[Any, ...]) -> None:
    """Called with what a statement leaves in places that are no variables of it."""
    _statements.final = (*_statements.final, *values)


def watching(ledger: Any) -> Any:
    """Called with what the innermost statement watches from now on; returns it."""
    if _statements.open:
        _statements.open[-1][1] = ledger
    return ledger


@contextmanager
def statement(get_state: Any) -> Iterator[None]:
    """Around the tracing of one staged statement."""
    outer = _statements.open
    outer_grown, outer_final = _statements.grown, _statements.final
    here = sys._getframe(2)
    _statements.open, _statements.grown, _statements.final = [*outer, [here, None]], [], ()
    try:
        yield
        grown, values = _statements.grown, (*get_state(), *_statements.final)
    finally:
        _statements.open, _statements.grown, _statements.final = outer, outer_grown, outer_final
    become = {id(old): new for old, new in grown if any(v is new for v in values)}
    if become:
        _replace(become, here, outer[-1][0] if outer else None)
        if outer and outer[-1][1] is not None:
            outer[-1][1].replace(become)


def _replace(become: dict[int, StagedList], innermost: FrameType | None, outermost: FrameType | None) -> None:
    frame = innermost
    seen: set[int] = set()
    while frame is not None and frame is not outermost:
        if not errors.is_own_frame(frame):
            found = {}
            for name, value in list(frame.f_locals.items()):
                if id(value) in become and type(value) is list:
                    found[name] = become[id(value)]
                elif outermost is None:
                    _replace_within(value, become, seen, 0)
            if found:
                _set_locals(frame, found)
        frame = frame.f_back


def _replace_within(value: Any, become: dict[int, StagedList], seen: set[int], depth: int) -> None:
    if id(value) in seen or len(seen) > _MOST or depth > _DEEPEST:
        return
    kind = type(value)
    held: Any = value
    if kind is not list and kind is not dict:
        held = getattr(value, "__dict__", None)
        ours = kind.__module__.partition(".")[0] in ("graphrt", "builtins")
        if ours or isinstance(value, type) or type(held) is not dict:
            return
    seen.add(id(value))
    for key, item in list(enumerate(held) if kind is list else held.items()):
        if type(item) is list and id(item) in become:
            held[key] = become[id(item)]
        else:
            _replace_within(item, become, seen, depth + 1)


def _set_locals(frame: FrameType, values: dict[str, Any]) -> None:
    frame.f_locals.update(values)
    if sys.version_info < (3, 13):  # there `f_locals` writes through
        import ctypes

        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
