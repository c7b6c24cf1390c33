"""Moves out of loops what is the same in every iteration.

    while %n > 0:                         %s = Neg(%k)
        %s = Neg(%k)                ->    while %n > 0:
        %n = AddV2(%n, %s)                    %n = AddV2(%n, %s)

Only what cannot fail is moved, as the loop may not run at all: nodes without state, whose kernel accepts every value
of the static types at hand. What was moved is a new input of the loop, passed on unchanged.
"""

from __future__ import annotations

from graphrt.ir.copy import substitute
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import nested, pinned
from graphrt.ir.op import FORWARDS, LOOP
from graphrt.ops.support.never_fails import cannot_fail
from graphrt.passes.rewrite import after_placeholders, is_pure
from graphrt.tensor.func_graph import Const, Placeholder


def hoist_invariants(graph: Graph) -> bool:
    """Moves invariant nodes before the loops that hold them, from the innermost loop outwards."""
    changed = False
    for inner in nested(graph):
        nodes: list[Node] = []
        for node in inner.nodes:
            if node.op.structure == LOOP:
                changed |= _hoist(node, inner, nodes)
            nodes.append(node)
        inner.nodes = nodes
    return changed


def _hoist(loop: Node, graph: Graph, before: list[Node]) -> bool:
    """Appends to `before` copies of the invariant nodes of `loop`, and gives them to it as inputs."""
    body = loop.attrs["body"]
    fixed = [i for i, v in enumerate(body.outputs) if v.source is body.inputs[i]]
    moved = False
    for part in (loop.attrs["cond"], body):
        outside = {part.inputs[i]: loop.inputs[i] for i in fixed}
        chosen = _invariant_nodes(part, outside)
        if not chosen:
            continue
        moved = True
        _move(loop, part, chosen, outside, graph, before)
    return moved


def _invariant_nodes(part: Graph, outside: dict[Value, Value]) -> list[Node]:
    known = set(outside)
    chosen: list[Node] = []
    kept = pinned(part)
    for node in part.nodes:
        if node in kept:
            continue
        if is_constant_node(node):
            known.update(node.outputs)
        elif node.inputs and all(v in known for v in node.inputs) and is_pure(node) and cannot_fail(node):
            known.update(node.outputs)
            if FORWARDS not in node.op.traits:
                chosen.append(node)
    useful = {v for n in part.nodes for v in n.inputs} | set(part.outputs)
    return [n for n in chosen if any(v in useful for v in n.outputs)]


def is_constant_node(node: Node) -> bool:
    """Whether `node` is a `Const`."""
    return node.op is Const


def _move(
    loop: Node, part: Graph, chosen: list[Node], outside: dict[Value, Value], graph: Graph, before: list[Node]
) -> None:
    constants: dict[Value, Value] = {}

    def outer(value: Value) -> Value:
        value = value.source
        if value in outside:
            return outside[value]
        if value not in constants:  # a constant of the loop, which the moved node needs outside
            node = value.node
            copy = Node(graph, node.op, graph.unique_name(node.name), [], dict(node.attrs))
            copy.outputs = [Value(copy, 0, value.dims, value.dtype)]
            copy.location, copy.handle = node.location, node.handle
            before.append(copy)
            constants[value] = copy.outputs[0]
        return constants[value]

    inside: dict[Value, Value] = {}
    gone = set(chosen)
    needed = {v for n in part.nodes if n not in gone for v in n.inputs} | set(part.outputs)
    for node in chosen:
        copy = Node(graph, node.op, graph.unique_name(node.name), [outer(v) for v in node.inputs], dict(node.attrs))
        copy.location, copy.handle = node.location, node.handle
        copy.outputs = [Value(copy, v.index, v.dims, v.dtype) for v in node.outputs]
        before.append(copy)
        for value, result in zip(node.outputs, copy.outputs):
            outside[value] = result
            if value in needed:
                inside[value] = _add_input(loop, part, result, node.name)
    part.nodes = [n for n in part.nodes if n not in gone]
    substitute(part, inside)


def _add_input(loop: Node, part: Graph, given: Value, name: str) -> Value:
    """A new invariant variable of `loop`, given as `given`; its value inside `part`."""
    found: dict[Graph, Value] = {}
    for graph in (loop.attrs["cond"], loop.attrs["body"]):
        attrs = {"dtype": given.dtype, "shape": given.dims}
        node = Node(graph, Placeholder, graph.unique_name(f"{name}/hoisted"), [], attrs)
        node.outputs = [Value(node, 0, given.dims, given.dtype)]
        graph.nodes.insert(after_placeholders(graph), node)
        graph.inputs.append(node.outputs[0])
        found[graph] = node.outputs[0]
    loop.attrs["body"].outputs.append(found[loop.attrs["body"]])
    loop.inputs.append(given)
    loop.outputs.append(Value(loop, len(loop.outputs), given.dims, given.dtype))
    loop.attrs["T"] = [*loop.attrs["T"], given.dtype]
    if loop.attrs.get("output_shapes"):
        loop.attrs["output_shapes"] = [*loop.attrs["output_shapes"], given.dims]
    return found[part]
