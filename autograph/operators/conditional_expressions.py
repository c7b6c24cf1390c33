"""The expression `b if a else c` of converted code.

1 if x > 0 else 2    ->   ag__.if_exp(x > 0, lambda: 1, lambda: 2, 'x > 0')
"""

from __future__ import annotations

from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.protocol import Thunk
from autograph.backends.registry import backend_of
from autograph.operators.logical import value_of

globals()["__builtins__"] = OWN


def if_exp(cond: object, if_true: Thunk, if_false: Thunk, expr_repr: str) -> Any:
    """`if_true() if cond else if_false()`; `expr_repr` is the text of the condition, for errors."""
    if cond is True:
        return if_true()
    if cond is False:
        return if_false()
    backend = backend_of(cond)
    if backend is not None:
        return backend.if_exp(cond, if_true, if_false, expr_repr)
    return if_true() if cond else if_false()


def if_exp_inside(cond: object, if_true: Thunk, if_false: Thunk, expr_repr: str) -> Any:
    """`if_exp` as an operand of a row, which a row in a branch may have settled; see `logical.py`."""
    backend = backend_of(cond)
    if backend is not None:
        return backend.if_exp(cond, value_of(if_true), value_of(if_false), expr_repr)
    return if_true() if cond else if_false()
