"""Functions of the user as graphs: what `map`, `filter`, `reduce`, ... were given, traced once for all elements."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.control_flow.branches import next_number
from graphrt.data import structure as st
from graphrt.function.bodies import trace_body
from graphrt.function.tracing import identifier
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import Tensor
from graphrt.tensor.trace import identity


class Traced:
    """A function as a graph from the components of elements to the components of its result.

    Attributes:
      graph: its inputs are the components of the arguments, then what the function captured.
      spec: the spec of the result.
      captured: the captured tensors.
    """

    __slots__ = ("captured", "graph", "spec")

    def __init__(self, graph: FuncGraph, spec: Any) -> None:
        self.graph = graph
        self.spec = spec
        self.captured: list[Tensor] = graph.external_captures


def _name_of(function: Any) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    return getattr(function, "__name__", None) or type(function).__name__


def trace(
    function: Callable[..., Any],
    method: str,
    specs: list[Any],
    *,
    unpack: bool = True,
    finish: Callable[[Any], Any] | None = None,
) -> Traced:
    """Traces `function` for arguments of `specs`; one plain tuple is passed as several arguments if `unpack`.

    `finish` is applied to what the function returns, while tracing.

    Raises:
      TypeError: the function is not callable, or returns what cannot be part of an element.
    """
    if not callable(function):
        raise ValueError(
            errors.at_user_line(
                f"Dataset.{method} needs a function: Argument `func` must be a callable. Received func={function!r} "
                f"(of type {type(function)})"
            )
        )
    graph = FuncGraph(f"__inference_Dataset_{method}_{identifier(_name_of(function))}_{next_number()}")
    graph.collections["dataset_call"] = (f"Dataset.{method}", errors.user_location(2))
    args = tuple(placeholder_element(graph, spec) for spec in specs)
    if unpack and len(args) == 1 and st.unpacks(args[0]):
        args = args[0]

    def outputs(result: Any) -> Any:
        if finish is not None:
            result = finish(result)
        if isinstance(result, list):  # several tensors, as operations return them: not to be packed into one
            result = tuple(result)
        try:
            spec, tensors = st.to_element(result)
        except (TypeError, ValueError) as error:
            raise TypeError(
                errors.at_user_line(
                    f"Unsupported return value from function passed to Dataset.{method}(): {result!r}. {error}"
                )
            ) from error
        graph.outputs = [identity(graph, t).value for t in tensors]
        graph.structured_outputs = result
        return spec

    spec = trace_body(graph, function, args, outputs)
    graph.finished = True
    return Traced(graph, spec)


def placeholder_element(graph: FuncGraph, spec: Any) -> Any:
    """An element of `spec` made of new inputs of `graph`."""
    return st.from_components(
        spec, [graph.placeholder(s.dtype, s.dims, f"args_{len(graph.inputs)}") for s in st.component_specs(spec)]
    )
