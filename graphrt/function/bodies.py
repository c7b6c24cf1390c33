"""Functions that are traced into a graph of somebody else's making: those given to transformations of datasets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import autograph
from graphrt.function.function import Function, converted_body
from graphrt.function.options import Options
from graphrt.function.tracing import refuse
from graphrt.state.variable import on_creation
from graphrt.tensor.context import building, stop_recording
from graphrt.tensor.func_graph import FuncGraph

_T = TypeVar("_T")


def trace_body(
    graph: FuncGraph, function: Callable[..., Any], args: tuple[Any, ...], finish: Callable[[Any], _T]
) -> _T:
    """Runs `function(*args)`, converted by AutoGraph, while recording into `graph`; returns `finish(result)`.

    Raises:
      ValueError: the function makes a variable.
    """
    converted = function if isinstance(function, Function) else converted_body(Function(function, Options()))
    token = on_creation.set(
        refuse("a function that is given to a transformation of a dataset cannot make tf.Variables: make them outside")
    )
    try:
        with building(graph), stop_recording():
            return finish(converted(*args))
    except Exception as error:
        autograph.backends.annotate(error)
        raise
    finally:
        on_creation.reset(token)
