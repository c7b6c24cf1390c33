"""Concrete functions as bytes: the graph as a GraphDef, the variables it uses as copies, captured tensors as arrays.

A copy in another process computes the same without the Python source; variables are not shared with the original.
Python functions that the graph calls are pickled as functions are, by reference.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.function.concrete import ArgumentType, ConcreteFunction
from graphrt.function.signature import Signature
from graphrt.function.trace_types.base import TraceType
from graphrt.function.trace_types.leaves import Weak
from graphrt.graphdef import graph_def
from graphrt.graphdef.importer import import_graph_def
from graphrt.ir.graph import Value
from graphrt.ir.op import CALLS_PYTHON, provide
from graphrt.ops.python.functions import FUNCTIONS, register_python
from graphrt.state.variable import handle_of
from graphrt.tensor.func_graph import Placeholder
from graphrt.tensor.tensor import EagerTensor, Tensor, raw_of, tensor_of
from graphrt.types.shape import merge
from graphrt.types.spec import CompositeSpec
from graphrt.types.structure import Composite, children, is_nested, rebuild


class _Leaf:
    """A tensor in the structure of a result."""


class _Living:
    """An object that a trace belongs to, which the copy keeps alive."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing


@provide
def reduced_concrete(concrete: ConcreteFunction) -> Any:
    """What `pickle` needs to make a copy of `concrete`.

    Raises:
      PicklingError: it holds something that no GraphDef can hold, or a tensor of a function being traced.
    """
    graph = concrete.graph
    python = {}
    for node in _python_nodes(graph):
        called = FUNCTIONS.get(node.attrs["token"])
        if called is not None:
            python[str(called)] = called.function, called.tensors
        else:
            _refuse(concrete, f"node {node.name!r} calls a Python function of another process")
    try:
        message = graph_def(graph)
    except errors.UnimplementedError as error:
        _refuse(concrete, str(error))
    arguments = {
        node.name for node in message.node if node.op == Placeholder.type
    }  # small captured tensors are constants
    handles = {id(handle_of(v)): i for i, v in enumerate(graph.variables_used)}
    captured: list[Any] = []
    for outer, inner in graph.captures:
        if inner.value.node.name not in arguments:
            continue
        if id(outer) in handles:
            captured.append(handles[id(outer)])
        elif isinstance(outer, EagerTensor) and outer.dtype.kind != "O":
            captured.append(np.asarray(raw_of(outer)))
        else:
            _refuse(concrete, f"it captured {outer!r}")
    a = concrete.argument_type
    state = {
        "graph": message.SerializeToString(deterministic=True),
        "name": graph.name,
        "inputs": [v.node.name for v in graph.inputs if v.node.name in arguments],
        "outputs": [(v.name, v.dims) for v in graph.outputs],
        "result": _encoded(concrete, graph.structured_outputs),
        "variables": list(graph.variables_used),
        "captured": captured,
        "static": _with_things((a.positional, a.keywords, a.trees)),
        "dims": a.dims,
        "given_names": a.given_names,
        "parameters": [p.replace(annotation=p.empty) for p in concrete.signature.parameters],
        "borrowed": concrete.signature.is_borrowed,
        "function_name": concrete.function_name,
        "skipped": concrete.skipped,
        "python": python,  # by reference, as functions are: pickle says so when one has none
    }
    return _restore, (state,)


def _python_nodes(graph: Any) -> Iterator[Any]:
    """The nodes that call Python functions, in `graph` and in what it calls."""
    for part in (graph, *graph.functions().values()):
        yield from (node for node in part.nodes if node.op.has(CALLS_PYTHON))


def _refuse(concrete: ConcreteFunction, why: str) -> Any:
    raise pickle.PicklingError(f"the concrete function {concrete.function_name!r} cannot be pickled: {why}")


def _with_things(tree: Any) -> Any:
    if isinstance(tree, Weak):
        return _Living(tree())
    if isinstance(tree, TraceType):
        return type(tree)(*map(_with_things, tree[1:]))
    return tuple(map(_with_things, tree)) if type(tree) is tuple else tree


def _with_references(tree: Any, kept: list[Any]) -> Any:
    if isinstance(tree, _Living):
        kept.append(tree.thing)
        return Weak(tree.thing)
    if isinstance(tree, TraceType):
        return type(tree)(*(_with_references(t, kept) for t in tree[1:]))
    return tuple(_with_references(t, kept) for t in tree) if type(tree) is tuple else tree


def _encoded(concrete: ConcreteFunction, value: Any) -> Any:
    if isinstance(value, Tensor):
        return _Leaf()
    spec = getattr(value, "_type_spec", None) if isinstance(value, Composite) else None
    if isinstance(spec, CompositeSpec):
        return spec
    if isinstance(value, Composite):
        _refuse(concrete, f"it returns a {type(value).__name__}")
    return rebuild(value, [_encoded(concrete, v) for _, v in children(value)]) if is_nested(value) else value


def _decoded(value: Any, supply: Any) -> Any:
    if isinstance(value, _Leaf):
        return next(supply)
    if isinstance(value, CompositeSpec):
        return value.from_components([next(supply) for _ in value.component_specs])
    return rebuild(value, [_decoded(v, supply) for _, v in children(value)]) if is_nested(value) else value


def _restore(state: dict[str, Any]) -> ConcreteFunction:
    names = [name for name, _ in state["outputs"]]
    tokens = {token: register_python(*what) for token, what in state["python"].items()}
    inputs = state["inputs"]
    behind = {
        name.partition(":")[0]: raw_of(handle_of(state["variables"][what]))
        for name, what in zip(inputs[len(state["dims"]) :], state["captured"]) if isinstance(what, int)
    }  # fmt: skip
    graph = import_graph_def(
        state["graph"], inputs, names, state["name"], allow_files=True, own=tokens, behind=behind
    )  # fmt: skip
    for value, (_, dims) in zip(graph.outputs, state["outputs"]):
        value.dims = merge(value.dims, dims)
    graph.variables_used = state["variables"]
    inner: list[Value] = graph.inputs[len(state["dims"]) :]
    for value, what in zip(inner, state["captured"]):
        if isinstance(what, int):
            outer: Tensor = handle_of(state["variables"][what])
            value.info = raw_of(outer)
        else:
            outer = EagerTensor(what if what.ndim else what[()], value.dtype)
        graph.bind_capture(outer, tensor_of(value))
    graph.structured_outputs = _decoded(state["result"], iter([tensor_of(v) for v in graph.outputs]))
    kept: list[Any] = []
    positional, keywords, trees = _with_references(state["static"], kept)
    argument_type = ArgumentType(positional, keywords, trees, state["dims"])
    argument_type.given_names = state["given_names"]
    signature = Signature.of(state["parameters"], state["function_name"], state["borrowed"])
    concrete = ConcreteFunction(graph, argument_type, signature, state["function_name"], state["skipped"])
    concrete.__dict__["_kept"] = kept
    return concrete
