"""Calls of traced functions as nodes: `PartitionedCall`, and `StatefulPartitionedCall` for functions with effects."""

from __future__ import annotations

from typing import Any

from graphrt.autodiff.backward_graphs import call_gradient, recorded_call
from graphrt.control_flow import checkpoints, gradients  # noqa: F401  declare the gradients of conditionals and loops
from graphrt.executor.program import program_of
from graphrt.function.numeric_probe import preparation
from graphrt.ir.code import Code
from graphrt.ir.graph import Graph
from graphrt.ir.op import CALL, GROWS, OPAQUE, STATEFUL, TAKES_NONE, define, provide
from graphrt.tensor.context import current_graph, recorders
from graphrt.tensor.tensor import EagerTensor, raw_of


def _call_infer(c: Any) -> Any:
    called = c.attrs["f"]
    assumed = getattr(called, "assumed", None)
    if assumed is not None and not called.finished:  # a function that calls itself while it is being traced
        return list(assumed.dims)
    return [v.dims for v in called.outputs]


def _call_kernel(args: list[Any], *, f: Graph) -> list[Any]:
    return list(program_of(f, preparation())(*args))


def _call_emit(e: Any, node: Any, inputs: list[Code]) -> list[Code]:
    return e.call(node.attrs["f"], inputs)


def _call_vjp(call: Any, *grads: Any) -> list[Any]:
    return call_gradient(call, *grads)


_SCHEMA = "args: Tin... -> output: Tout..."
_ATTRS = (
    "Tin: list(type); Tout: list(type); f: func; config: string = ''; config_proto: string = ''; "
    "executor_type: string = ''"
)

PartitionedCall = define(
    "PartitionedCall", _SCHEMA, attrs=_ATTRS, infer=_call_infer, kernel=_call_kernel, emit=_call_emit, vjp=_call_vjp,
    traits=(OPAQUE, GROWS, TAKES_NONE),
    structure=CALL,
)  # fmt: skip
StatefulPartitionedCall = define(
    "StatefulPartitionedCall", _SCHEMA, attrs=_ATTRS, infer=_call_infer, kernel=_call_kernel, emit=_call_emit,
    vjp=_call_vjp, traits=(STATEFUL, OPAQUE, GROWS, TAKES_NONE),
    structure=CALL,
)  # fmt: skip


@provide
def run_graph(graph: Graph, inputs: list[Any]) -> list[Any]:
    """The outputs of `graph` for concrete tensors, now; no tape is told."""
    for tensor in inputs:
        if type(tensor) is not EagerTensor:
            return list(PartitionedCall(inputs, f=graph, Tout=[v.dtype for v in graph.outputs]))  # refuses it
    results = program_of(graph, preparation()).function(*[raw_of(t) for t in inputs])
    return [EagerTensor(r, v.dtype) for r, v in zip(results, graph.outputs)]


@provide
def call_graph(graph: Graph, inputs: list[Any], name: str | None = None) -> list[Any]:
    """The outputs of `graph` for `inputs` (tensors: arguments, then captures), now or as a node."""
    if current_graph() is None and recorders():
        return recorded_call(graph, inputs)
    if current_graph() is None:
        return run_graph(graph, inputs)
    op = StatefulPartitionedCall if any(n.stateful for n in graph.nodes) else PartitionedCall
    result = op(inputs, f=graph, Tout=[v.dtype for v in graph.outputs], name=name)
    if not graph.outputs:
        return []
    outputs = list(result) if isinstance(result, (list, tuple)) else [result]
    for value, output in zip(graph.outputs, outputs):
        symbolic = getattr(output, "value", None)
        if value.info is not None and symbolic is not None and hasattr(symbolic, "info"):
            symbolic.info = value.info
    return outputs
