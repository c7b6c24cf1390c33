"""`graphrt.freeze`: a function whose variables have become constants.

    ReadVariableOp(w)                           Const
    ResourceGather(w, i)               ->       GatherV2(Const, i, 0)
    While(i, w) [body reads w]                  While(i, Const) [body takes the value]

Handles go into branches, loops and calls as arguments; there the argument becomes one for the value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np

from graphrt import errors
from graphrt.control_flow.branches import Case, If, StatelessCase, StatelessIf
from graphrt.control_flow.while_loop import StatelessWhile, While
from graphrt.function.call import PartitionedCall, StatefulPartitionedCall
from graphrt.function.concrete import ConcreteFunction
from graphrt.function.recursion import repack
from graphrt.ir.copy import copy_nodes
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.op import BRANCH, CALL, FORWARDS, LOOP
from graphrt.ops.array.gather_scatter import GatherNd, GatherV2
from graphrt.ops.array.shape import Shape
from graphrt.state.resource_ops import (
    ReadVariableOp,
    ResourceGather,
    ResourceGatherNd,
    VariableShape,
    VarIsInitializedOp,
)
from graphrt.state.storage import Storage
from graphrt.tensor.context import init_scope
from graphrt.tensor.func_graph import Const, FuncGraph, Placeholder
from graphrt.tensor.tensor import EagerTensor, Tensor, behind, tensor_of
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import DType, from_numpy
from graphrt.types.nesting import shown

__all__ = ["freeze"]

_STATELESS = {
    If: StatelessIf, Case: StatelessCase, While: StatelessWhile, StatefulPartitionedCall: PartitionedCall,
}  # fmt: skip


def freeze(concrete: ConcreteFunction) -> ConcreteFunction:
    """`concrete` with the values that its variables have now as constants: a graph that needs nothing beside it.

    Tensors that it captured become constants, too; tables stay what they are.

    >>> import graphrt as tf
    >>> w = tf.Variable([1.0, 2.0])
    >>> scale = tf.function(lambda x: x * w).get_concrete_function(tf.TensorSpec([2]))
    >>> frozen = tf.freeze(scale)
    >>> _ = w.assign([0.0, 0.0])
    >>> frozen(tf.constant([3.0, 4.0])).numpy().tolist(), len(frozen.graph.captures)
    ([3.0, 8.0], 0)

    Raises:
      FailedPreconditionError: a variable has no value yet.
      TypeError: `concrete` is no concrete function.
      ValueError: the function writes to a variable, or does something else with it than read it.
    """
    if not isinstance(concrete, ConcreteFunction):
        raise TypeError(
            errors.at_user_line(
                f"freeze expects a concrete function (what function.get_concrete_function(...) returns), got "
                f"{shown(concrete)}"
            )
        )
    with init_scope():
        return _frozen(concrete)


def _frozen(concrete: ConcreteFunction) -> ConcreteFunction:
    old = concrete.graph
    graph = FuncGraph(old.name)
    values: dict[Value, Value] = {}
    kept: list[tuple[Tensor, Value]] = []
    held: dict[Value, np.ndarray[Any, Any]] = {}
    for outer, inner in old.captures:
        found = _value_of(concrete, outer)
        if found is None:
            kept.append((outer, inner.value))
        else:
            held[inner.value] = found
    for value in old.inputs:
        if value in held:
            node = graph.add(
                Const, [], {"value": held[value], "dtype": from_numpy(held[value].dtype)},
                graph.unique_name(value.node.name),
            )  # fmt: skip
            values[value] = node.outputs[0]
        else:
            copy_nodes([value.node], graph, values, prefix="")
            graph.inputs.append(values[value])
    folded = {v for v in held if v.dtype is dtypes.resource}
    _Freezer(concrete.function_name).fill(graph, old, values, folded)
    for outer, value in kept:
        graph.bind_capture(outer, tensor_of(values[value]))
    graph.structured_outputs = repack(old.structured_outputs, [tensor_of(v) for v in graph.outputs])
    graph.finished = True
    return ConcreteFunction(
        graph, concrete.argument_type, concrete.signature, concrete.function_name, concrete.skipped
    )  # fmt: skip


def _value_of(concrete: ConcreteFunction, outer: Tensor) -> np.ndarray[Any, Any] | None:
    """What becomes a constant for a captured tensor; None for what stays captured."""
    thing = behind(outer)
    if isinstance(thing, Storage):
        if not thing.initialized:
            raise errors.FailedPreconditionError(
                None,
                None,
                f"{shown(concrete.function_name)} cannot be frozen: variable {thing.name!r} has no value yet",
            )
        return np.array(thing.value)
    if isinstance(outer, EagerTensor) and outer.dtype.kind != "O":
        return np.asarray(outer)
    if isinstance(outer, EagerTensor):
        return None
    raise ValueError(
        errors.at_user_line(
            f"{shown(concrete.function_name)} cannot be frozen: it uses {outer!r} of the function in which it was traced"
        )
    )


class _Freezer:
    """Copies graphs, with values where there were handles of variables."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.called: dict[tuple[int, tuple[int, ...]], Graph] = {}
        self.open: set[int] = set()
        self.names: set[str] = set()

    def fresh_name(self, name: str) -> str:
        """`name`, with a number behind it when a copy has it already."""
        found, count = name, 1
        while found in self.names:
            found = f"{name}_{count}"
            count += 1
        self.names.add(found)
        return found

    def refuse(self, node: Node, why: str) -> NoReturn:
        place = f", made at {errors.shown_place(*node.location)}," if node.location is not None else ""
        raise ValueError(
            errors.at_user_line(f"{self.name!r} cannot be frozen: node {node.name!r} ({node.type}){place} {why}")
        )

    def fill(self, into: Graph, old: Graph, values: dict[Value, Value], folded: set[Value]) -> None:
        """Copies the nodes of `old` but its inputs; `folded` are the handles for which `values` has values."""
        into.is_foreign, into.is_atomic = old.is_foreign, old.is_atomic
        given = {v.node for v in old.inputs}
        for node in old.nodes:
            if node in given:
                continue
            at = [i for i, v in enumerate(node.inputs) if v in folded]
            if not at and (node.op.structure is None or not any(True for _ in node.subgraphs())):
                copy_nodes([node], into, values, prefix="")
            elif at and FORWARDS in node.op.traits:
                for value, outer in zip(node.outputs, node.inputs):
                    values[value] = values[outer]
                    if outer in folded:
                        folded.add(value)
            elif node.op.structure is not None:
                self.structure(into, node, values, folded, at)
            else:
                self.read(into, node, values, at)
        for value in old.outputs:
            if value in folded and old.inputs.count(value) == 0:
                self.refuse(value.node, "gives a variable away")
        into.outputs = [values[v] for v in old.outputs]

    def read(self, into: Graph, node: Node, values: dict[Value, Value], at: list[int]) -> None:
        rule = _READS.get(node.type)
        if rule is None or at != [0]:
            self.refuse(node, "writes to a variable, or keeps it: only reading can be frozen")
        scope = into.enter_scope("")
        try:
            made = rule(into, node, [values[v] for v in node.inputs])
        finally:
            into.leave_scope(scope)
        if made.node.location is None or made.node not in [values[v].node for v in node.inputs]:
            made.node.location = node.location
        values[node.outputs[0]] = made

    # --- branches, loops, calls ---
    def structure(self, into: Graph, node: Node, values: dict[Value, Value], folded: set[Value], at: list[int]) -> None:
        skipped = 1 if node.op.structure == BRANCH else 0
        places = tuple(i - skipped for i in at)
        given = {i - skipped: values[node.inputs[i]] for i in at}
        attrs = {
            key: self.part(node, value, given, places) if isinstance(value, Graph)
            else [self.part(node, v, given, places) if isinstance(v, Graph) else v for v in value]
            if isinstance(value, list) else value
            for key, value in node.attrs.items()
        }  # fmt: skip
        inputs = [values[v] for v in node.inputs]
        for key in ("Tin", "T"):
            if key in attrs:
                attrs[key] = [v.dtype for v in inputs[skipped:]]
        op = node.op
        if not any(n.stateful for _, g in _graphs(attrs) for n in g.nodes):
            op = _STATELESS.get(op, op)
        if node.op.structure == LOOP:
            self.check_loop(node, at)
            attrs["T"] = [v.dtype for v in inputs]
            if attrs.get("output_shapes"):
                attrs["output_shapes"] = [v.dims for v in inputs] if at else attrs["output_shapes"]
        made = Node(into, op, into.unique_name(node.name), inputs, attrs)
        made.location = node.location
        made.outputs = []
        for value in node.outputs:
            new = Value(made, value.index, value.dims, value.dtype)
            new.info = value.info
            if node.op.structure == LOOP and value.index in at:
                new.dtype, new.dims, new.info = inputs[value.index].dtype, inputs[value.index].dims, None
                folded.add(value)
            made.outputs.append(new)
            values[value] = new
        into.nodes.append(made)
        into.version += 1

    def check_loop(self, node: Node, at: list[int]) -> None:
        body = node.attrs["body"]
        for i in at:
            if body.outputs[i].source is not body.inputs[i]:
                self.refuse(node, "is a loop that passes on another variable in each iteration")

    def part(self, node: Node, graph: Graph, given: Mapping[int, Value], places: tuple[int, ...]) -> Graph:
        """A graph that `node` holds, with values for the arguments at `places`."""
        key = id(graph), places
        if node.op.structure == CALL and key in self.called:
            return self.called[key]
        if id(graph) in self.open:
            if places:
                self.refuse(node, "calls a function that calls itself with a variable")
            return graph
        self.open.add(id(graph))
        made = FuncGraph(self.fresh_name(graph.name))
        values: dict[Value, Value] = {}
        folded: set[Value] = set()
        for i, value in enumerate(graph.inputs):
            if i in given:
                dtype, dims = given[i].dtype, given[i].dims
                fresh = made.add(
                    Placeholder, [], {"dtype": dtype, "shape": dims}, made.unique_name(value.node.name)
                )  # fmt: skip
                values[value] = fresh.outputs[0]
                folded.add(value)
            else:
                copy_nodes([value.node], made, values, prefix="")
            made.inputs.append(values[value])
        self.fill(made, graph, values, folded)
        made.finished = True
        self.open.discard(id(graph))
        self.called[key] = made
        return made


def _graphs(attrs: Mapping[str, Any]) -> list[tuple[str, Graph]]:
    found = [(k, v) for k, v in attrs.items() if isinstance(v, Graph)]
    return found + [(k, g) for k, v in attrs.items() if isinstance(v, list) for g in v if isinstance(g, Graph)]


# --- reading ---------------------------------------------------------------------------------------------------------
def _number(into: Graph, value: Any, dtype: DType) -> Value:
    array = np.array(value, dtype.as_numpy_dtype)
    return into.add(Const, [], {"value": array, "dtype": dtype}).outputs[0]


def _gather(into: Graph, node: Node, inputs: list[Value]) -> Value:
    params, indices = inputs
    batch = node.attrs.get("batch_dims", 0)
    axis = _number(into, batch, dtypes.int32)
    attrs = {
        "batch_dims": batch, "Tparams": params.dtype, "Tindices": indices.dtype, "Taxis": dtypes.int32,
    }  # fmt: skip
    return into.add(GatherV2, [params, indices, axis], attrs, into.unique_name(node.name)).outputs[0]


def _gather_nd(into: Graph, node: Node, inputs: list[Value]) -> Value:
    attrs = {k: a.default for k, a in GatherNd.attrs.items()}
    attrs |= {"Tparams": inputs[0].dtype, "Tindices": inputs[1].dtype}
    return into.add(GatherNd, inputs, attrs, into.unique_name(node.name)).outputs[0]


def _shape(into: Graph, node: Node, inputs: list[Value]) -> Value:
    attrs = {"T": inputs[0].dtype, "out_type": node.attrs["out_type"]}
    return into.add(Shape, inputs, attrs, into.unique_name(node.name)).outputs[0]


_READS: dict[str, Callable[[Graph, Node, list[Value]], Value]] = {
    ReadVariableOp.type: lambda into, node, inputs: inputs[0],
    ResourceGather.type: _gather,
    ResourceGatherNd.type: _gather_nd,
    VariableShape.type: _shape,
    VarIsInitializedOp.type: lambda into, node, inputs: _number(into, True, dtypes.bool_),
}
