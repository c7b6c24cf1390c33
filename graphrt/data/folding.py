"""A function of state and element as one loop over many elements, instead of a call for each.

    state = f(state, element)           ->         while i < n and go_on: state = f(state, elements[i]); i += 1

That is what a `for` over a dataset becomes where its elements come in stretches (`graphrt.data.stretches`).
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.control_flow.branches import is_stateful
from graphrt.control_flow.while_loop import StatelessWhile
from graphrt.executor.program import program_of
from graphrt.ir.copy import copy_nodes
from graphrt.ir.graph import Graph, Value
from graphrt.ir.liveness import draws
from graphrt.ops.math.arithmetic import AddV2
from graphrt.ops.math.comparison import Less
from graphrt.ops.math.logical import LogicalAnd
from graphrt.passes import run_passes
from graphrt.passes.list_reads import ROW
from graphrt.tensor.func_graph import Const, Placeholder
from graphrt.types.dtype import DType, bool_, int32
from graphrt.types.shape import Dims

Fold = Callable[..., tuple[Any, ...]]

# state: weak, under its lock: loops of users' functions; None where elements must come one by one
_LOOPS: weakref.WeakKeyDictionary[Graph, dict[tuple[int, int, int, int], Graph | None]] = weakref.WeakKeyDictionary()
_LOCK = threading.Lock()


def over_stretches(graph: Graph, states: int, captured: int, stop: int) -> Fold | None:
    """A program of `(state..., stretch..., captured...)` that gives the state after the stretch.

    `graph` takes the state, an element and what it captured; where the state at `stop` (if not negative) is false
    after an element, that was the last one. None where somebody could tell that elements do not come one by one.
    """
    key = graph.version, states, captured, stop
    with _LOCK:
        known = _LOOPS.setdefault(graph, {})
        found = known.get(key, graph)
    if found is graph:
        found = _loop(graph, states, captured, stop)
        with _LOCK:
            known[key] = found
    return None if found is None else program_of(found, run_passes).function


def _loop(graph: Graph, states: int, captured: int, stop: int) -> Graph | None:
    if graph.is_foreign or graph.is_atomic or is_stateful(graph) or draws(graph):
        return None
    elements = graph.inputs[states : len(graph.inputs) - captured]
    if not elements or any(v.dtype.kind == "O" or v.dims is None for v in elements):
        return None
    if any(v.dtype.kind == "S" for v in elements):
        return None
    given = graph.inputs
    loop = Graph(f"{graph.name}_many")
    begin = _constant(loop, np.int32(0))
    inputs = [
        _input(loop, v.dtype, v.dims if not _is_element(i, states, elements) else (None, *(v.dims or ())))
        for i, v in enumerate(given)
    ]
    count = _input(loop, int32, ())
    loop.inputs = [count, *inputs]
    variables = [begin, count, *inputs]
    if stop >= 0:
        variables.append(_constant(loop, np.bool_(True)))
    attrs = {
        "T": [v.dtype for v in variables],
        "cond": _condition(variables, stop >= 0),
        "body": _body(graph, variables, states, len(elements), stop),
        "output_shapes": [v.dims for v in variables],
        "parallel_iterations": 10,
        "_num_original_outputs": len(variables),
    }
    node = loop.add(StatelessWhile, variables, attrs)
    loop.outputs = node.outputs[2 : 2 + states]
    return loop


def _is_element(position: int, states: int, elements: list[Value]) -> bool:
    return states <= position < states + len(elements)


def _input(graph: Graph, dtype: DType, dims: Dims) -> Value:
    return graph.add(Placeholder, [], {"dtype": dtype, "shape": dims}).outputs[0]


def _constant(graph: Graph, value: Any) -> Value:
    dtype = bool_ if isinstance(value, np.bool_) else int32
    return graph.add(Const, [], {"value": value, "dtype": dtype}).outputs[0]


def _part(name: str, variables: list[Value]) -> Graph:
    part = Graph(name)
    part.inputs = [_input(part, v.dtype, v.dims) for v in variables]
    return part


def _condition(variables: list[Value], may_stop: bool) -> Graph:
    part = _part("cond", variables)
    holds = part.add(Less, part.inputs[:2], {"T": int32}).outputs
    if may_stop:
        holds = part.add(LogicalAnd, [*holds, part.inputs[-1]], {}).outputs
    part.outputs = holds
    return part


def _body(graph: Graph, variables: list[Value], states: int, elements: int, stop: int) -> Graph:
    part = _part("body", variables)
    index, given = part.inputs[0], part.inputs[2 : 2 + len(graph.inputs)]
    values = dict(zip(graph.inputs, given))
    for value in graph.inputs[states : states + elements]:
        row = part.add(ROW, [values[value], index], {"T": value.dtype}).outputs[0]
        row.dims = value.dims
        values[value] = row
    copy_nodes([n for n in graph.nodes if not n.is_parameter], part, values, prefix="")
    following = part.add(AddV2, [index, _constant(part, np.int32(1))], {"T": int32}).outputs
    results = [values[v] for v in graph.outputs]
    part.outputs = [*following, part.inputs[1], *results, *given[states:]]
    if stop >= 0:
        part.outputs.append(results[stop])
    return part
