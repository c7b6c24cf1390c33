"""NumPy's warnings of floating-point numbers, switched off while something runs.

`np.errstate` costs more than a microsecond, and leaves them off when Ctrl-C comes as it ends: its end is a function of
Python's, and an interrupt comes when one begins. Here they are switched on again by a call of C: by what switching them
off gave, and where an interrupt came before that had a name, by the mode that was asked before, which costs more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

_Result = TypeVar("_Result")


def error_mode() -> tuple[Callable[[], Any], Callable[[Any], Any], Callable[[Any], Any], Any]:
    """How to switch the warnings off and on again: get, set, undo what a set gave, what to set.

    NumPy 2 keeps its state in a context variable. Where it cannot be found the public way serves.
    """
    try:
        from numpy._core import umath  # lazy: NumPy 2 has it

        variable = umath._extobj_contextvar
        variable.get()
        return variable.get, variable.set, variable.reset, umath._make_extobj(all="ignore")
    except (ImportError, AttributeError, LookupError):
        return np.geterr, _set_publicly, _set_publicly, {"all": "ignore"}


def _set_publicly(mode: Any) -> Any:
    return np.seterr(**mode)


get_mode, set_mode, reset_mode, IGNORE = error_mode()


def silently(call: Callable[..., _Result], /, *args: Any, **kwargs: Any) -> _Result:
    """`call(*args, **kwargs)`, of which NumPy says nothing."""
    mode = get_mode()
    token = None
    try:
        token = set_mode(IGNORE)
        return call(*args, **kwargs)
    finally:
        reset_mode(token) if token else set_mode(mode)
