"""Variables that a loop or a branch reads and assigns become values that it carries.

    while i < n:                          w = v.value
        v.assign(v * 2.0)        ->       while i < n:
                                              w = w * 2.0
                                          v.assign(w)

Loops and branches whose only effects are on variables of known shapes have none then, and are compiled whole. Where
something else can be told from outside, as a print that stands between two assignments, all stays as it is. Other
threads see the value that a variable has in the end, and none in between; integers that are only counted up and down are
counted by all threads.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphrt.ir.copy import substitute
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import nested
from graphrt.ir.op import BRANCH, LOOP, OpDef
from graphrt.ops.math.arithmetic import AddV2, Sub
from graphrt.passes.dead_nodes import drop_dead_nodes
from graphrt.passes.rewrite import after_placeholders, constant_node
from graphrt.state.resource_ops import (
    AssignAddVariableOp,
    AssignSubVariableOp,
    AssignVariableOp,
    ReadVariableOp,
    storage_of,
)
from graphrt.state.storage import Storage
from graphrt.tensor.func_graph import Placeholder
from graphrt.types.shape import is_static

_UPDATES: dict[OpDef, OpDef] = {AssignAddVariableOp: AddV2, AssignSubVariableOp: Sub}
_ASSIGNS = (AssignVariableOp, *_UPDATES)


def carry_variables(graph: Graph) -> bool:
    """Rewrites the loops and branches of `graph`, innermost first."""
    found = False
    while _carried_once(graph):
        drop_dead_nodes(graph)  # of their handles, so that what holds them may follow
        found = True
    return found


def _carried_once(graph: Graph) -> bool:
    changed = False
    for inner in nested(graph):
        for node in [n for n in inner.nodes if n.op.structure in (LOOP, BRANCH)]:
            changed |= _carry(inner, node)
    return changed


def _carry(graph: Graph, node: Node) -> bool:
    parts = list(dict.fromkeys(part for _, part in node.subgraphs()))
    found: dict[Storage, set[OpDef]] = {}  # in order of first use; the ops that use it
    for part in parts:
        if not _find(part, found):
            return False
    handles = {s: v for v in node.inputs if (s := storage_of(v)) is not None}
    if not found or any(s not in handles for s in found):
        return False
    if node.op.structure == LOOP and any(_writes(node.attrs["cond"], s) for s in found):
        return False
    at = next(i for i, n in enumerate(graph.nodes) if n is node)
    before, after = [], []
    for storage, uses in found.items():
        handle, dtype = handles[storage], storage.dtype
        counts = uses <= _UPDATES.keys() and dtype.kind in "iu"  # threads may count with one variable
        if counts:
            zero = np.zeros([n or 0 for n in storage.dims or ()], dtype.as_numpy_dtype)
            start = constant_node(graph, zero, graph.unique_name(f"{node.name}/zero"), node)
        else:
            start = _made(graph, ReadVariableOp, [handle], {"dtype": dtype}, node, "value")
            start.outputs = [Value(start, 0, storage.dims, dtype)]
        before.append(start)
        result = _carry_one(node, parts, storage, start.outputs[0], uses != {ReadVariableOp})
        if result is not None:
            op = AssignAddVariableOp if counts else AssignVariableOp
            attrs: dict[str, object] = {"dtype": dtype} if counts else {"validate_shape": False, "dtype": dtype}
            after.append(_made(graph, op, [handle, result], attrs, node, "assign"))
    graph.nodes[at : at + 1] = [*before, node, *after]
    graph.version += 1
    return True


def _made(graph: Graph, op: OpDef, inputs: list[Value], attrs: dict[str, object], like: Node, name: str) -> Node:
    node = Node(graph, op, graph.unique_name(f"{like.name}/{name}"), inputs, attrs)
    node.location = like.location
    return node


def _find(part: Graph, found: dict[Storage, set[OpDef]]) -> bool:
    """Takes note of the variables that are used in `part`; False where it has another effect."""
    for node in part.nodes:
        if not node.stateful:
            if any(storage_of(v) is not None for v in node.inputs) and node.op.structure is None:
                return False  # a handle that goes elsewhere, as into a list
            continue
        if node.op.structure in (LOOP, BRANCH) and not any(storage_of(v) is not None for v in node.inputs):
            if all(_find(inner, {}) for _, inner in node.subgraphs()):
                continue
            return False
        storage = storage_of(node.inputs[0]) if node.inputs else None
        if storage is None or node.op not in (ReadVariableOp, *_ASSIGNS) or not _is_plain(storage, node):
            return False
        found.setdefault(storage, set()).add(node.op)
    return not any(storage_of(v) is not None for v in part.outputs if v.source not in part.inputs)


def _is_plain(storage: Storage, node: Node) -> bool:
    """Whether a variable has one shape, and the dtype of the node, and what is assigned has that shape."""
    if not is_static(storage.dims) or storage.dtype.kind in "SO" or node.attrs["dtype"] is not storage.dtype:
        return False
    return storage.initialized and all(v.dims == storage.dims for v in node.inputs[1:])


def _writes(part: Graph, storage: Storage) -> bool:
    return any(n.op in _ASSIGNS and storage_of(n.inputs[0]) is storage for n in part.nodes)


def _carry_one(node: Node, parts: Sequence[Graph], storage: Storage, given: Value, is_assigned: bool) -> Value | None:
    """Gives one variable to all graphs of `node`; its value after them, if it is assigned there."""
    is_loop = node.op.structure == LOOP
    node.inputs.append(given)
    ends = {part: _inside(part, storage, given) for part in parts}
    name = "T" if is_loop else "Tin"
    if node.attrs.get(name):
        node.attrs[name] = [*node.attrs[name], given.dtype]
    if not is_loop and not is_assigned:
        return None
    for part, end in ends.items():
        if not (is_loop and part is node.attrs["cond"]):
            part.outputs.append(end)
    if not is_loop and node.attrs.get("Tout"):
        node.attrs["Tout"] = [*node.attrs["Tout"], given.dtype]
    if node.attrs.get("output_shapes"):
        node.attrs["output_shapes"] = [*node.attrs["output_shapes"], given.dims]
    node.outputs.append(Value(node, len(node.outputs), given.dims, given.dtype))
    return node.outputs[-1] if is_assigned else None


def _inside(part: Graph, storage: Storage, given: Value) -> Value:
    """A new input of `part` in place of the variable; what it has become in the end."""
    attrs = {"dtype": given.dtype, "shape": given.dims}
    start = Node(part, Placeholder, part.unique_name(f"{given.node.name.rpartition('/')[2]}/carried"), [], attrs)
    start.outputs = [Value(start, 0, given.dims, given.dtype)]
    part.nodes.insert(after_placeholders(part), start)
    part.inputs.append(start.outputs[0])
    now = start.outputs[0]
    replaced: dict[Value, Value] = {}
    gone: set[Node] = set()
    kept: list[Node] = []
    for node in part.nodes:
        if not node.stateful or not node.inputs or storage_of(node.inputs[0]) is not storage:
            kept.append(node)
        elif node.op is ReadVariableOp:
            gone.add(node)
            replaced[node.outputs[0]] = now
        elif node.op is AssignVariableOp:
            gone.add(node)
            now = node.inputs[1]
        elif node.op in _UPDATES:
            gone.add(node)
            sum_ = _made(part, _UPDATES[node.op], [now, node.inputs[1]], {"T": given.dtype}, node, "updated")
            sum_.outputs = [Value(sum_, 0, given.dims, given.dtype)]
            kept.append(sum_)
            now = sum_.outputs[0]
        else:
            kept.append(node)
    part.nodes = kept
    for node in part.nodes:
        if node.controls:
            node.controls = [c for c in node.controls if c not in gone]
    substitute(part, replaced)
    while now in replaced:
        now = replaced[now]
    return now
