"""Gradients through `reduce`, and so through loops over datasets.

The state is differentiated like the variables of any loop, the elements count as constants. The forward node gets
further state, which collects what the backward loop needs. A loop with an early exit is three nodes,

    ReduceDataset(TakeWhileDataset(ScanDataset(dataset)))    ->    ReduceDataset(dataset), with a flag that ends it

and becomes one before gradients flow through it: the state is then not hidden in a dataset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt.autodiff.backprop import Call
from graphrt.control_flow.gradients import LoopForm, gradient_of_loop, insert_before
from graphrt.data.transformations.scan import ScanDataset
from graphrt.data.transformations.take_while import TakeWhileDataset
from graphrt.ir.graph import Node, Value
from graphrt.ir.op import provide
from graphrt.ops.array.identity import Identity
from graphrt.ops.lists.tensor_list import EmptyTensorList, TensorListPushBack
from graphrt.ops.math.arithmetic import AddV2
from graphrt.tensor.context import building, recorders, stop_recording
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import SymbolicTensor, tensor_of

if TYPE_CHECKING:
    from graphrt.tensor.func_graph import FuncGraph


class _Reduce(LoopForm):
    """A `ReduceDataset` node: its state, then what its function captured."""

    def __init__(self, node: Node) -> None:
        body: Any = node.attrs["f"]
        width, extra = len(node.attrs["Tstate"]), len(node.attrs["Targuments"])
        captured = body.inputs[len(body.inputs) - extra :]
        super().__init__(node, body, [*body.inputs[:width], *captured], [*body.outputs, *captured])
        self.given = [tensor_of(v) for v in node.inputs[1:]]
        self.results = [*(tensor_of(v) for v in node.outputs), *self.given[width:]]

    def count(self) -> SymbolicTensor:
        known = self.body.collections
        if "count" not in known:
            (known["count"],) = _add_state(self.node, lambda: [convert_to_tensor(0)], lambda own: [AddV2(own[0], 1)])
        return tensor_of(self.node.outputs[known["count"]])

    def collected(self, value: Value) -> SymbolicTensor:
        known: dict[Value, int] = self.body.collections.setdefault("accumulators", {})
        if value not in known:
            dtype = value.dtype

            def starts() -> list[Any]:
                return [EmptyTensorList(np.int32(-1), np.int32(-1), element_dtype=dtype)]

            def longer(own: list[Any]) -> list[Any]:
                return [TensorListPushBack(own[0], tensor_of(value), element_dtype=dtype)]

            (known[value],) = _add_state(self.node, starts, longer)
        return tensor_of(self.node.outputs[known[value]])


def _add_state(node: Node, starts: Any, following: Any) -> list[int]:
    """Further state of a `ReduceDataset` node; returns its positions.

    `starts` gives the first values, and `following`, inside the function, the next ones from those before.
    """
    first = insert_before(node, starts)
    body: Any = node.attrs["f"]
    width = len(node.attrs["Tstate"])
    own = []
    for i, tensor in enumerate(first):
        own.append(body.placeholder(tensor.dtype, tensor.dims, "state"))
        body.inputs.insert(width + i, body.inputs.pop())
    with building(body), stop_recording():
        old = body.enter_scope("")
        results = [Identity(t) for t in following(own)]
        body.leave_scope(old)
    body.outputs[width:] = [t.value for t in results]
    body.version += 1
    node.inputs[1 + width : 1 + width] = [t.value for t in first]
    for tensor in first:
        node.outputs.append(Value(node, len(node.outputs), tensor.dims, tensor.dtype))
    for key in ("Tstate", "output_types"):
        node.attrs[key] = [*node.attrs[key], *(t.dtype for t in first)]
    node.attrs["output_shapes"] = [*node.attrs["output_shapes"], *(t.dims for t in first)]
    node.graph.version += 1
    return [width + i for i in range(len(first))]


def tell_of_variables(graph: FuncGraph) -> None:
    """Tells the tapes which variables `graph`, traced unseen by them, will read."""
    for tape in recorders():
        for variable in graph.variables_used:
            tape.variable_accessed(variable)


@provide
def reduce_gradient(call: Call, *grads: object) -> list[Any]:
    """The gradient rule of `ReduceDataset`."""
    node = call.node
    assert node is not None  # reductions that a tape looks on at run as a graph
    return [None, *gradient_of_loop(_Reduce(node), call, list(grads), call.wanted[1:])]


def in_one_node(call: Call, reached: set[int]) -> None:
    """Brings a loop over a dataset with an early exit into one node, and the call to the inputs of its node."""
    node = call.node
    if node is None:
        return
    _as_one_node(node)
    outside = {inner.value: outer for outer, inner in getattr(node.graph, "captures", ())}
    inputs = []
    for value in node.inputs:
        tensor = tensor_of(value)
        # a tape knows captured tensors as they are outside of the graph
        inputs.append(tensor if id(tensor) in reached else outside.get(value, tensor))
    call.inputs = inputs


def _as_one_node(node: Node) -> None:
    kept = node.inputs[0].node
    scan = kept.inputs[0].node if kept.op is TakeWhileDataset else kept
    if scan.op is not ScanDataset or scan.attrs.get("_stop", -1) < 0 or scan is kept:
        return
    body: Any = scan.attrs["f"]
    width = len(scan.attrs["Tstate"])
    flag = tensor_of(body.outputs[width + scan.attrs["_stop"]])
    body.outputs = body.outputs[:width]
    node.inputs = [scan.inputs[0], *node.inputs[1 : 1 + width], *scan.inputs[1 + width :]]
    node.attrs.update(f=body, Targuments=scan.attrs["Targuments"])
    graph = node.graph
    graph.nodes = [n for n in graph.nodes if n is not kept and n is not scan]
    (node.attrs["_stop"],) = _add_state(node, lambda: [convert_to_tensor(True)], lambda own: [flag])
