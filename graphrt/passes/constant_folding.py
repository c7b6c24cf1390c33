"""Computes once what follows from constants and static shapes.

    %a = Const(value=2.0)
    %b = Const(value=3.0)         ->    %c = Const(value=6.0)
    %c = Mul(%a, %b)

An `If` whose condition is known becomes the branch taken; constants that a branch or a loop gets from outside become
constants inside it. `dead_nodes` drops what is not used any more. A node whose kernel raises stays: it shall raise
when, and if, it runs.

What is large is computed within a budget of work for the whole graph, which is counted, not measured, so that the same
graph always becomes the same; and only where the result is not much larger than what it is made of.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graphrt.ir.copy import copy_nodes, replace_inputs, substitute
from graphrt.ir.graph import FOLD_LIMIT, Graph, Node, Value, evaluated, static_value
from graphrt.ir.liveness import pinned
from graphrt.ir.op import ALIASES, BRANCH, ELEMENTWISE, KEEPS_KIND, LINEAR_TIME, LOOP, MATRIX_PRODUCT
from graphrt.passes.rewrite import after_placeholders, constant_node, constant_of, is_constant, is_pure, refine
from graphrt.tensor.func_graph import Const

_LINEAR = frozenset({ELEMENTWISE, ALIASES, KEEPS_KIND, LINEAR_TIME})  # such ops look at each element once
_WORK = 1 << 24  # elements looked at: at most some tenths of a second
_BYTES = 1 << 26  # of the constants that are made
_GROWTH = 1 << 22  # bytes: what is larger must not be larger than what it is made of


class Budget:
    """What may still be spent on large constants of a graph, and of those it runs in place."""

    def __init__(self) -> None:
        self.work = _WORK
        self.bytes = _BYTES

    def pays_for(self, node: Node) -> bool:
        """Whether there is enough for the outputs of `node`, of whose inputs all elements are known; it is spent then."""
        sizes = [_size(v) for v in (*node.inputs, *node.outputs)]
        counts = [n for n in sizes if n is not None]
        if len(counts) < len(sizes):
            return False
        widths = [max(v.dtype.size, 1) for v in (*node.inputs, *node.outputs)]
        first = len(node.inputs)
        taken, made = (sum(n * w for n, w in zip(counts[s], widths[s])) for s in (slice(first), slice(first, None)))
        work = _work(node, counts)
        if work > self.work or made > self.bytes or made > max(taken, _GROWTH):
            return False
        self.work -= work
        self.bytes -= made
        return True


def _size(value: Value) -> int | None:
    """The number of elements of `value` if it is known."""
    dims = np.shape(value.node.attrs["value"]) if is_constant(value) else value.dims
    return None if dims is None or None in dims else math.prod(d for d in dims if d is not None)


def _work(node: Node, counts: list[int]) -> int:
    """About how long it takes to compute `node`, in elements looked at."""
    if node.op.traits & _LINEAR:
        return sum(counts)
    if MATRIX_PRODUCT in node.op.traits:
        return sum(counts) + math.isqrt(math.prod(counts)) // 4
    total = sum(counts)
    return total * math.isqrt(total)  # as a decomposition of a matrix: what takes longer takes small kernels


def fold_constants(graph: Graph, budget: Budget | None = None) -> bool:
    """Replaces nodes of `graph`, and of the graphs it runs in place, by constants; outer graphs first."""
    budget = budget or Budget()
    changed = False
    replaced: dict[Value, Value] = {}
    kept = pinned(graph)
    nodes, graph.nodes = graph.nodes, []
    waiting = list(reversed(nodes))
    while waiting:
        node = waiting.pop()
        if replaced:
            replace_inputs(node, replaced)
        if node.op.structure == BRANCH:
            taken = None if node in kept else _branch_taken(node)
            if taken is not None:
                waiting += reversed(_spliced(node, taken, graph, replaced))
                changed = True
                continue
            changed |= _sink_into_branches(node)
        elif node.op.structure == LOOP:
            changed |= _sink_into_loop(node, replaced)
        elif node not in kept and (folded := _folded(node, graph, budget)) is not None:
            for value, constant in zip(node.outputs, folded):
                replaced[value] = constant.outputs[0]
            graph.nodes += folded
            changed = True
            continue
        graph.nodes.append(node)
        if node.op.in_place:
            for _, inner in node.subgraphs():
                changed |= fold_constants(inner, budget)
    substitute(graph, replaced)
    return changed


def branches_of(node: Node) -> list[Graph]:
    """The graphs of an `If` or `Case`, the one taken for False (or 0) first."""
    if "branches" in node.attrs:
        return list(node.attrs["branches"])
    return [node.attrs["else_branch"], node.attrs["then_branch"]]


# --- nodes -----------------------------------------------------------------------------------------------------------
def _folded(node: Node, graph: Graph, budget: Budget) -> list[Node] | None:
    """Constants for all outputs of `node`, or None."""
    if not node.outputs or not node.inputs:
        return None
    given = True
    for value in node.inputs:
        if value.node.op is not Const:
            given = False
            break
    if (not given and not _may_be_known(node)) or not is_pure(node):
        return None
    arrays = [static_value(v) for v in node.outputs]
    if any(a is None or a.size > FOLD_LIMIT for a in arrays):
        arrays = _large(node, budget) if given else []
    if len(arrays) != len(node.outputs):
        return None
    found = []
    for value, array in zip(node.outputs, arrays):
        if array is None or array.dtype != value.dtype.as_numpy_dtype:
            return None
        name = node.name if value.index == 0 else graph.unique_name(f"{node.name}_{value.index}")
        constant = constant_node(graph, array, name, node)
        refine(constant.outputs[0], value)
        found.append(constant)
    return found


def _may_be_known(node: Node) -> bool:
    """Whether the elements of an output may follow from what is known of inputs that are no constants."""
    if node.op.partial is None:
        return False
    if ELEMENTWISE not in node.op.traits:
        return True
    for value in node.inputs:
        if value.dtype.kind != "f":
            return True
    return any(v.dtype.kind != "f" for v in node.outputs)


def _large(node: Node, budget: Budget) -> list[Any]:
    """The arrays of the outputs of a node of constants, if the budget pays for them."""
    if node.op.kernel is None or any(v.dtype.kind in "OS" for v in (*node.inputs, *node.outputs)):
        return []
    return (evaluated(node, [constant_of(v) for v in node.inputs]) or []) if budget.pays_for(node) else []


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
    fixed = [i for i, v in enumerate(body.outputs) if v.source is body.inputs[i]]
    for i in fixed:
        replaced[node.outputs[i]] = node.inputs[i]
    found = bool(_sink(cond, node.inputs, fixed))
    used = {v for n in body.nodes for v in n.inputs}
    found |= bool(_sink(body, node.inputs, [i for i in fixed if body.inputs[i] in used]))
    for i in fixed:
        body.outputs[i] = body.inputs[i]  # so that it is seen to be passed on
    return found
