"""Functions that are given a function to run as plain Python: it is handed over as it is, not converted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.backends import register_counterpart


def _plainly(name: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        from graphrt.ops.python import functions  # lazy: most programs call none

        return getattr(functions, name)(*args, **kwargs)

    return call


def register() -> None:
    """Makes them known to converted code."""
    for name in ("py_function", "numpy_function"):
        register_counterpart(f"graphrt.ops.python.functions:{name}", _plainly(name))
