"""Reads rows from the tensor itself where a list was made of it only to be read.

    %l = TensorListFromTensor(%x)
    while ...:                                              while ...:
        %v = TensorListGetItem(%l, %i)          ->              %v = _TensorListGetItem(%x, %i)

That is what `for v in x` becomes. The list may be handed into loops that pass it on unchanged, and into branches.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.errors import InvalidArgumentError
from graphrt.ir.code import Code, Template
from graphrt.ir.graph import Graph, Node, Value, static_shape
from graphrt.ir.liveness import nested, pinned
from graphrt.ir.op import ALIASES, BRANCH, INDEXES, INTERNAL, READS_ROWS, define
from graphrt.ops.lists.tensor_list import TensorListFromTensor, TensorListGetItem
from graphrt.passes.rewrite import constant_of, is_list_loop, proves, users_of
from graphrt.tensor.func_graph import Placeholder


# --- the op ----------------------------------------------------------------------------------------------------------
def _kernel(tensor: Any, index: Any) -> Any:
    if not 0 <= index < len(tensor):
        raise InvalidArgumentError(
            None, None, f"Trying to access element {index} in a list with {len(tensor)} elements."
        )
    row = tensor[index]
    return row if isinstance(row, (np.ndarray, np.generic)) else np.array(row, object)


_TAKEN = Template("{}[{}]")
_ITEM = Template("({0}[{1}] if {1} >= 0 else {2}({0}, {1}))")


def _emit(emitter: Any, node: Node, inputs: list[Code]) -> list[Code] | None:
    if node.inputs[0].dtype.kind == "S":
        return None  # a string is wrapped into a 0-d array
    row = emitter.row_of(node)
    if row is not None:
        return [row]
    x, i = inputs
    if emitter.is_index(node.inputs[1]):
        return [_TAKEN(x, i)]
    return [_ITEM(x, i, emitter.bind(_kernel, "k_TensorListGetItem"))]


ROW = define(
    "_TensorListGetItem", "tensor: T, index: int32 -> row: T",
    infer=lambda c: (c.dims(0) or ())[1:], kernel=_kernel, emit=_emit, traits=(INTERNAL, ALIASES, INDEXES, READS_ROWS),
)  # fmt: skip


# --- the pass --------------------------------------------------------------------------------------------------------
def read_rows_directly(graph: Graph) -> bool:
    """Replaces lists that are only read by the tensors they were made of."""
    changed = False
    for inner in nested(graph):
        for node in [n for n in inner.nodes if n.op is TensorListFromTensor]:
            changed |= _unmake(inner, node)
    return changed


def _unmake(graph: Graph, made: Node) -> bool:
    tensor, handle = made.inputs[0], made.outputs[0]
    if not tensor.dims or made in pinned(graph) or constant_of(made.inputs[1]) is None:
        return False
    if not proves(tensor.dims[1:], static_shape(made.inputs[1])):
        return False  # making the list may fail
    reads: list[tuple[Graph, Node]] = []
    ways: list[tuple[Node, int]] = []
    if not _only_read(graph, handle, tensor, reads, ways) or not reads:
        return False
    for node, position in ways:
        _retype(node, position, handle, tensor)
    for holder, node in reads:
        given = tensor if node.inputs[0] is handle else node.inputs[0]
        row = Node(holder, ROW, node.name, [given, node.inputs[1]], {"T": tensor.dtype})
        row.location, row.handle, row.outputs = node.location, node.handle, node.outputs
        row.outputs[0].node = row
        holder.nodes[holder.nodes.index(node)] = row
    return True


def _only_read(
    graph: Graph, handle: Value, tensor: Value, reads: list[tuple[Graph, Node]], ways: list[tuple[Node, int]]
) -> bool:
    """Whether elements of `handle` are read and nothing else; collects the reads, and the ways into other graphs."""
    if handle in graph.outputs:
        return False
    kept = pinned(graph)
    for node in users_of(graph, handle):
        if node in kept:
            return False
        if node.op is TensorListGetItem and node.attrs["element_dtype"] is tensor.dtype:
            reads.append((graph, node))
            continue
        if not is_list_loop(graph, node, handle) and node.op.structure != BRANCH:
            return False
        for position in [i for i, v in enumerate(node.inputs) if v is handle]:
            ways.append((node, position))
            for inner, parameter, outputs in _entered(node, position):
                saved, inner.outputs = inner.outputs, outputs
                found = _only_read(inner, parameter, tensor, reads, ways)
                inner.outputs = saved
                if not found:
                    return False
    return True


def _entered(node: Node, position: int) -> list[tuple[Graph, Value, list[Value]]]:
    """The graphs of `node`, what input number `position` is in each, and the outputs that must not be it."""
    if node.op.structure == BRANCH:
        return [(g, g.inputs[position - 1], g.outputs) for _, g in node.subgraphs()]
    cond, body = node.attrs["cond"], node.attrs["body"]
    others = [v for i, v in enumerate(body.outputs) if i != position]
    return [(cond, cond.inputs[position], cond.outputs), (body, body.inputs[position], others)]


def _retype(node: Node, position: int, handle: Value, tensor: Value) -> None:
    """Makes input number `position` of `node` the tensor instead of the list."""
    if node.inputs[position] is handle:
        node.inputs[position] = tensor
    loop = node.op.structure != BRANCH
    types = "T" if loop else "Tin"
    at = position if loop else position - 1
    node.attrs[types] = [*node.attrs[types][:at], tensor.dtype, *node.attrs[types][at + 1 :]]
    values = [g.inputs[at] for _, g in node.subgraphs()]
    if loop:
        values.append(node.outputs[at])
        shapes = node.attrs.get("output_shapes")
        if shapes:
            node.attrs["output_shapes"] = [*shapes[:at], tensor.dims, *shapes[at + 1 :]]
    for value in values:
        value.dtype, value.dims, value.info = tensor.dtype, tensor.dims, None
        if value.node.op is Placeholder:
            value.node.attrs = {**value.node.attrs, "dtype": tensor.dtype, "shape": tensor.dims}
