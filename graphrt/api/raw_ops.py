"""`tf.raw_ops`: every op by the name it has in graphs, called with keywords only.

>>> import graphrt as tf
>>> tf.raw_ops.AddV2(x=1, y=2).numpy().item()
3
"""

from __future__ import annotations

from collections.abc import Callable as _Callable
from typing import Any as _Any  # there is an op of this name

from graphrt.ops.raw import raw_op, raw_op_names

__all__: list[str] = []


def __getattr__(name: str) -> _Callable[..., _Any]:
    found = raw_op(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: no such op is declared")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return raw_op_names()
