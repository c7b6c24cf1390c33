"""Functions that are given a function to run as plain Python: it is handed over as it is, not converted."""

from __future__ import annotations

from autograph.backends import register_counterpart
from graphrt.ops.python.functions import numpy_function, py_function


def register() -> None:
    """Makes them known to converted code."""
    for function in (py_function, numpy_function):
        register_counterpart(function, function)
