"""What converted code does to a `ContextVar` in a staged statement, which has it set on some paths alone.

token = v.set(x)         told to the journals; `v` is what it was where the statement is traced again
v.reset(token)           sets `v` to what it was before: a token can be used once, and code is traced several times
"""

from __future__ import annotations

from contextvars import ContextVar, Token
from typing import Any

from autograph.backends.journal import is_told, note_place, open_journals
from autograph.backends.own_builtins import OWN
from autograph.backends.places import ABSENT, ContextValue
from autograph.operators.decisions import Scope

globals()["__builtins__"] = OWN

Args = tuple[Any, ...]


def set_variable(f: Any, args: Args, kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    """`v.set(value)`, of which `f` is the method."""
    if not open_journals or not is_told() or kwargs or len(args) != 1:
        return f(*args, **(kwargs or {}))
    place = ContextValue(f.__self__)
    note_place(place)
    token = f(*args)
    place.was_set(token)
    return token


def reset_variable(f: Any, args: Args, kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    """`v.reset(token)`."""
    variable: ContextVar[Any] = f.__self__
    if not open_journals or not is_told() or kwargs or len(args) != 1 or getattr(args[0], "var", None) is not variable:
        return f(*args, **(kwargs or {}))
    place, before = ContextValue(variable), args[0].old_value
    note_place(place)
    place.was_set(args[0], again=False)
    place.write(ABSENT if before is Token.MISSING else before)
    return None
