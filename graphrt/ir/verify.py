"""What a valid graph is, as a check.

Every input is an output of a node that stands before; names are unique; numbers and dtypes of inputs and outputs are
those of the op's declaration; shapes do not contradict the op's shape rule; the graphs that a node holds take and give
what the node does. Passes are checked with it in tests, and everywhere under `GRAPHRT_VERIFY=1`.
"""

from __future__ import annotations

import os
from typing import NoReturn

import numpy as np

from graphrt.errors import InternalError, OpError
from graphrt.ir.graph import Graph, InferContext, Node, Value
from graphrt.ir.op import BRANCH, OPAQUE, REGISTRY
from graphrt.ir.printer import node_text, type_text
from graphrt.types.dtype import from_numpy
from graphrt.types.shape import compatible

ENABLED = os.environ.get("GRAPHRT_VERIFY", "") not in ("", "0")
"""Whether graphs are verified after each pass."""


def verify(graph: Graph) -> Graph:
    """Checks `graph` and all graphs inside it; returns it.

    Raises:
      InternalError: it is not valid; the message shows the node and says why.
    """
    checked: set[int] = set()
    waiting = [graph]
    while waiting:
        current = waiting.pop()
        if id(current) in checked:
            continue
        checked.add(id(current))
        _verify_graph(current)
        waiting += [inner for node in current.nodes for _, inner in node.subgraphs()]
    return graph


def _fail(graph: Graph, why: str, node: Node | None = None) -> NoReturn:
    where = ""
    if node is not None:
        try:
            where = f"\n  {node_text(node)}"
        except Exception:  # the node is too broken to be printed
            where = f"\n  {node.type} named {node.name!r}"
        if node.location is not None:
            where += "\n  made at {}:{}".format(*node.location)
    raise InternalError(None, None, f"graph {graph.name!r} is not valid: {why}{where}")


def _verify_graph(graph: Graph) -> None:
    names: set[str] = set()
    above: set[Value] = set()
    passed: set[Node] = set()
    for node in graph.nodes:
        if node.graph is not graph:
            _fail(graph, f"a node says that it belongs to {node.graph.name!r}", node)
        if node.name in names:
            _fail(graph, f"two nodes are named {node.name!r}", node)
        names.add(node.name)
        for index, value in enumerate(node.inputs):
            if value not in above:
                here = value.node is not None and value.node.graph is graph
                why = "is not made above it" if here else "belongs to another graph"
                _fail(graph, f"input {index} ({value.name}) {why}", node)
        for other in node.controls:
            if other not in passed:
                _fail(graph, f"control input {other.name!r} does not stand above", node)
        _verify_attrs(graph, node)
        _verify_inputs(graph, node)
        _verify_outputs(graph, node)
        _verify_held(graph, node)
        above.update(node.outputs)
        passed.add(node)
    _verify_interface(graph, above)


def _verify_interface(graph: Graph, made: set[Value]) -> None:
    if len(set(graph.inputs)) != len(graph.inputs):
        _fail(graph, "an input is listed twice")
    for value in graph.inputs:
        if value not in made:
            _fail(graph, f"input {value.name} is not made by a node of it")
        if not value.node.is_parameter:
            _fail(graph, f"input {value.name} is not a placeholder", value.node)
    for value in graph.outputs:
        if value not in made:
            _fail(graph, f"output {value.name} is not made by a node of it")
    listed = set(graph.inputs)
    for node in graph.nodes:
        if node.is_parameter and node.outputs[0] not in listed:
            _fail(graph, "a placeholder is not among the inputs", node)


def _verify_attrs(graph: Graph, node: Node) -> None:
    if REGISTRY.get(node.op.type) is not node.op:
        _fail(graph, f"op {node.op.type!r} is not declared", node)
    for key in node.op.attrs:
        if key not in node.attrs:
            _fail(graph, f"attribute {key!r} is missing", node)
    for key in node.attrs:
        if key not in node.op.attrs and not key.startswith("_"):
            _fail(graph, f"{node.type} has no attribute {key!r}", node)
    for key, attr in node.op.attrs.items():
        value = node.attrs[key]
        if attr.kind == "type" and attr.allowed is not None and value not in attr.allowed:
            _fail(graph, f"attribute {key!r} is {value!r}, which {node.type} does not take", node)


def _verify_inputs(graph: Graph, node: Node) -> None:
    wanted = []
    for arg in node.op.inputs:
        if arg.list_attr:
            wanted += list(node.attrs[arg.list_attr])
        else:
            one = arg.dtype if arg.dtype is not None else node.attrs[str(arg.type_attr)]
            wanted += [one] * (node.attrs[arg.number_attr] if arg.number_attr else 1)
    if len(wanted) != len(node.inputs):
        _fail(graph, f"{node.type} takes {len(wanted)} inputs here, {len(node.inputs)} are given", node)
    for index, (dtype, value) in enumerate(zip(wanted, node.inputs)):
        if value.dtype is not dtype:
            _fail(graph, f"input {index} is {value.dtype.name}, {node.type} takes {dtype.name} here", node)


def _verify_outputs(graph: Graph, node: Node) -> None:
    dtypes = node.op.output_dtypes(node.attrs)
    if len(dtypes) != len(node.outputs):
        _fail(graph, f"{node.type} gives {len(dtypes)} outputs here, the node has {len(node.outputs)}", node)
    for index, (dtype, value) in enumerate(zip(dtypes, node.outputs)):
        if value.node is not node or value.index != index:
            _fail(graph, f"output {index} says that it is {value.name}", node)
        if value.dtype is not dtype:
            _fail(graph, f"output {index} is {value.dtype.name}, {node.type} gives {dtype.name} here", node)
    if not dtypes or OPAQUE in node.op.traits:
        return
    if node.is_constant and from_numpy(np.asarray(node.attrs["value"]).dtype) is not dtypes[0]:
        _fail(graph, f"the value is {np.asarray(node.attrs['value']).dtype}, the output {dtypes[0].name}", node)
    try:
        shapes = node.op.infer(InferContext(node.op, node.inputs, node.attrs))
    except OpError as error:
        _fail(graph, f"the shape rule refuses the inputs: {error}", node)
    if len(dtypes) == 1 and not isinstance(shapes, list):
        shapes = [shapes]
    for index, (dims, value) in enumerate(zip(shapes, node.outputs)):
        if not compatible(dims, value.dims):
            known, inferred = type_text(value.dtype, value.dims), type_text(value.dtype, dims)
            _fail(graph, f"output {index} is {known}, the shape rule says {inferred}", node)


def _verify_held(graph: Graph, node: Node) -> None:
    if node.op.structure is None:
        return
    given = node.inputs[1:] if node.op.structure == BRANCH else node.inputs
    for key, held in node.subgraphs():
        if len(held.inputs) != len(given):
            _fail(graph, f"{key} {held.name!r} takes {len(held.inputs)} inputs, {len(given)} are given", node)
        for index, (inner, outer) in enumerate(zip(held.inputs, given)):
            if inner.dtype is not outer.dtype:
                _fail(graph, f"argument {index} of {key} {held.name!r} is {inner.dtype.name}, not {outer.dtype.name}",
                      node)  # fmt: skip
        if key == "cond":
            if len(held.outputs) != 1:
                _fail(graph, f"cond {held.name!r} gives {len(held.outputs)} values instead of one", node)
            continue
        if [v.dtype for v in held.outputs] != [v.dtype for v in node.outputs]:
            inner_types = ", ".join(type_text(v.dtype, v.dims) for v in held.outputs)
            _fail(graph, f"{key} {held.name!r} gives ({inner_types}), which is not what the node gives", node)
