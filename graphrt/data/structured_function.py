"""Functions of the user as graphs: what `map`, `filter`, `reduce`, ... were given, traced once for all elements."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.control_flow.branches import next_number
from graphrt.data import structure as st
from graphrt.data.dataset import DatasetSpec
from graphrt.data.pipeline import Source
from graphrt.function.bodies import trace_body
from graphrt.function.tracing import identifier
from graphrt.ir.called import has_one_truth
from graphrt.ir.graph import Graph
from graphrt.ir.tracebacks import shorten
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import Tensor
from graphrt.tensor.trace import identity
from graphrt.types.dtype import bool_, int64
from graphrt.types.nesting import shown
from graphrt.types.shape import compatible
from graphrt.types.spec import CompositeSpec, TensorSpec, any_element


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


def _name_of(function: Callable[..., Any]) -> str:
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

    def outputs(result: object) -> Any:
        if finish is not None:
            result = finish(result)
        if isinstance(result, list):  # several tensors, as operations return them: not to be packed into one
            result = tuple(result)
        try:
            spec, tensors = st.to_element(result)
        except (TypeError, ValueError) as error:
            raise TypeError(
                errors.at_user_line(
                    f"Unsupported return value from function passed to Dataset.{method}(): {shown(result)}. {error}"
                )
            ) from error
        if result is None:  # there would be nothing to iterate over
            raise errors.ConversionError(
                errors.at_user_line(
                    f"The function passed to Dataset.{method} returns None, where an element has at least one tensor: "
                    "a return statement is missing, perhaps"
                )
            )
        graph.outputs = [identity(graph, t).value for t in tensors]
        graph.structured_outputs = result
        return spec

    try:
        spec = trace_body(graph, function, args, outputs)
    except BaseException as error:
        shorten(error)
        raise
    graph.finish()
    return Traced(graph, spec)


def placeholder_element(graph: FuncGraph, spec: object) -> Any:
    """An element of `spec` made of new inputs of `graph`."""

    def leaf(part: Any) -> Any:
        found: list[Any] = [
            graph.placeholder(s.dtype, s.dims, f"args_{len(graph.inputs)}") for s in st.component_specs(part)
        ]
        return any_element(part, found) if isinstance(part, CompositeSpec) else st.from_components(part, found)

    return st.map_leaves(leaf, spec)


def trace_state(
    function: Callable[..., Any],
    method: str,
    state: Any,
    element: Any,
    finish: Callable[[Any], Any],
    paired: bool = False,
) -> tuple[Traced, Any]:
    """Traces `function(state, element)`, again with more general shapes until the state keeps its type."""
    while True:
        traced = trace(function, method, [state, element], unpack=False, finish=finish)
        found = traced.spec[0] if paired else traced.spec
        if not st.same_structure(state, found):
            raise TypeError(
                errors.at_user_line(
                    "The element structure for the new state must match the initial state. Expected "
                    f"{shown(state)}; got {shown(found)}."
                )
            )
        general = st.common_spec(state, found)
        if general is None:
            raise TypeError(
                errors.at_user_line(
                    f"The element types for the new state must match the initial state. Expected "
                    f"{[getattr(s, 'dtype', s) for s in st.walk(state)]}; got "
                    f"{[getattr(s, 'dtype', s) for s in st.walk(found)]}."
                )
            )
        if st.is_subtype(found, state):
            return traced, state
        state = general


def inner_spec(traced: Traced, method: str) -> Any:
    if not isinstance(traced.spec, DatasetSpec):
        raise TypeError(
            errors.at_user_line(
                f"The `map_func` argument of {method} must return a `Dataset` object. Got {shown(traced.spec)}."
            )
        )
    return traced.spec.element_spec


def check_predicate(traced: Traced) -> None:
    if not (isinstance(traced.spec, TensorSpec) and traced.spec.dtype is bool_ and compatible(traced.spec.dims, ())):
        raise ValueError(
            errors.at_user_line(
                "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is "
                f"{shown(traced.spec)}."
            )
        )


def truthful(function: Callable[..., Any], graph: Graph) -> Callable[..., Any]:
    """The predicate; one that is not known to give one boolean scalar is looked at each time it has answered."""
    if has_one_truth(graph):
        return function

    def asked(*arguments: Any) -> Any:
        found = function(*arguments)
        if len(found) != 1 or np.size(found[0]) != 1 or np.asarray(found[0]).dtype != bool:
            raise errors.InvalidArgumentError(None, None, "`predicate` must return a scalar bool tensor.")
        return [np.reshape(found[0], ())]

    return asked


def inner_source(found: Any) -> Source:
    """The dataset that a function gave.

    Raises:
      InvalidArgumentError: it gave something else.
    """
    if len(found) != 1 or not isinstance(found[0], Source):
        raise errors.InvalidArgumentError(
            None, None, "The function must return a single scalar of dtype variant: a dataset."
        )
    return found[0]


def check_key(traced: Traced, name: str) -> None:
    if not (isinstance(traced.spec, TensorSpec) and traced.spec.dtype is int64 and compatible(traced.spec.dims, ())):
        raise ValueError(
            errors.at_user_line(
                f"Invalid `{name}`. `{name}` must return a single `tf.int64` scalar tensor, but its return type is "
                f"{shown(traced.spec)}."
            )
        )
