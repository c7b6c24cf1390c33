"""Computes once what follows from constants and static shapes.

    %a = Const(value=2.0)
    %b = Const(value=3.0)         ->    %c = Const(value=6.0)
    %c = Mul(%a, %b)

An `If` whose condition is known becomes the branch taken; constants that a branch or a loop gets from outside become
constants inside it. `dead_nodes` drops what is not used any more. A node whose kernel raises stays: it shall raise
when, and if, it runs.
"""

from __future__ import annotations

import numpy as np

from graphrt.ir.copy import copy_nodes, substitute
from graphrt.ir.graph import FOLD_LIMIT, Graph, Node, Value, static_value
from graphrt.ir.liveness import IN_PLACE, pinned
from graphrt.passes.rewrite import after_placeholders, constant_node, constant_of, is_constant, is_pure, refine, source

_BRANCHING = frozenset({"If", "StatelessIf", "Case", "StatelessCase"})
_LOOPS = frozenset({"While", "StatelessWhile"})


def fold_constants(graph: Graph) -> bool:
    """Replaces nodes of `graph`, and of the graphs it runs in place, by constants; outer graphs first."""
    changed = False
    replaced: dict[Value, Value] = {}
    kept = pinned(graph)
    nodes, graph.nodes = graph.nodes, []
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        if replaced and any(v in replaced for v in node.inputs):
            node.inputs = [_final(v, replaced) for v in node.inputs]
        if node.type in _BRANCHING:
            taken = None if node in kept else _branch_taken(node)
            if taken is not None:
                waiting += reversed(_spliced(node, taken, graph, replaced))
                changed = True
                continue
            changed |= _sink_into_branches(node)
        elif node.type in _LOOPS:
            changed |= _sink_into_loop(node, replaced)
        elif node not in kept and (folded := _folded(node, graph)) is not None:
            for value, constant in zip(node.outputs, folded):
                replaced[value] = constant.outputs[0]
            graph.nodes += folded
            changed = True
            continue
        graph.nodes.append(node)
        if node.type in IN_PLACE:
            for _, inner in node.subgraphs():
                changed |= fold_constants(inner)
    substitute(graph, replaced)
    return changed


def branches_of(node: Node) -> list[Graph]:
    """The graphs of an `If` or `Case`, the one taken for False (or 0) first."""
    if "branches" in node.attrs:
        return list(node.attrs["branches"])
    return [node.attrs["else_branch"], node.attrs["then_branch"]]


def _final(value: Value, replaced: dict[Value, Value]) -> Value:
    while value in replaced:
        value = replaced[value]
    return value


# --- nodes -----------------------------------------------------------------------------------------------------------
def _folded(node: Node, graph: Graph) -> list[Node] | None:
    """Constants for all outputs of `node`, or None."""
    if not node.outputs or not node.inputs or not is_pure(node) or node.type == "Const":
        return None
    if node.op.partial is None and not all(is_constant(v) for v in node.inputs):
        return None
    found = []
    for value in node.outputs:
        array = static_value(value)
        if array is None or array.size > FOLD_LIMIT or array.dtype != value.dtype.as_numpy_dtype:
            return None
        name = node.name if value.index == 0 else graph.unique_name(f"{node.name}_{value.index}")
        constant = constant_node(graph, array, name, node)
        refine(constant.outputs[0], value)
        found.append(constant)
    return found


# --- branches --------------------------------------------------------------------------------------------------------
def _branch_taken(node: Node) -> Graph | None:
    selector = constant_of(node.inputs[0])
    if selector is None or np.ndim(selector) or not isinstance(selector, (np.ndarray, np.generic)):
        return None
    if selector.dtype == object:
        return None
    branches = branches_of(node)
    if "branches" not in node.attrs:
        return branches[int(bool(selector))]
    index = int(selector)
    return branches[index if 0 <= index < len(branches) else -1]


def _spliced(node: Node, taken: Graph, graph: Graph, replaced: dict[Value, Value]) -> list[Node]:
    """The nodes of the branch `taken`, in place of `node`."""
    values = dict(zip(taken.inputs, node.inputs[1:], strict=True))
    parameters = {v.node for v in taken.inputs}
    nodes = copy_nodes([n for n in taken.nodes if n not in parameters], graph, values, prefix="")
    del graph.nodes[len(graph.nodes) - len(nodes) :]  # they wait with the others
    for value, inner in zip(node.outputs, taken.outputs, strict=True):
        replaced[value] = values[inner]
        refine(values[inner], value)
    return nodes


# --- constants into the graphs of a node -----------------------------------------------------------------------------
def _sink(graph: Graph, given: list[Value], positions: list[int]) -> dict[Value, Value]:
    """Makes the inputs of `graph` that are given constants (looked for at `positions`) constants of its own."""
    used = {v for n in graph.nodes for v in n.inputs} | set(graph.outputs)
    inside: dict[Value, Value] = {}
    for i in positions:
        parameter = graph.inputs[i]
        if parameter in used and is_constant(given[i]):
            outer = given[i].node
            name = graph.unique_name(f"{parameter.node.name}/const")
            constant = constant_node(graph, outer.attrs["value"], name, outer)
            inside[parameter] = constant.outputs[0]
    if inside:
        at = after_placeholders(graph)
        graph.nodes[at:at] = [v.node for v in inside.values()]
        substitute(graph, inside)
    return inside


def _sink_into_branches(node: Node) -> bool:
    given = node.inputs[1:]
    found = [bool(_sink(g, given, list(range(len(given))))) for g in branches_of(node)]
    return any(found)


def _sink_into_loop(node: Node, replaced: dict[Value, Value]) -> bool:
    cond, body = node.attrs["cond"], node.attrs["body"]
    fixed = [i for i, v in enumerate(body.outputs) if source(v) is body.inputs[i]]
    for i in fixed:
        replaced[node.outputs[i]] = node.inputs[i]
    found = bool(_sink(cond, node.inputs, fixed))
    used = {v for n in body.nodes for v in n.inputs}
    found |= bool(_sink(body, node.inputs, [i for i in fixed if body.inputs[i] in used]))
    for i in fixed:
        body.outputs[i] = body.inputs[i]  # so that it is seen to be passed on
    return found
