"""Functions of what a loop takes from a stack are computed of the whole stack before it.

    while ...:                                      %c = Cos(the stack)
        %v = TensorListPopBack(%stack)      ->      while ...:
        %c = Cos(%v)                                    %v = TensorListPopBack(%stack)
                                                        %c = TensorListPopBack(the stack of %c)

That is what the gradient of a loop over numbers does: one call of NumPy's loop makes many cosines in the time of a few.
Only functions that cannot fail are moved, so it does not matter whether the loop takes all of the stack.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from graphrt.ir.copy import substitute
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import nested, pinned
from graphrt.ir.op import LOOP, OpDef
from graphrt.native.lower import rule_of
from graphrt.native.rules.elementwise import OF_ONE_FLOAT
from graphrt.ops.lists.tensor_list import (
    EmptyTensorList,
    TensorListFromTensor,
    TensorListPopBack,
    TensorListPushBack,
)
from graphrt.ops.lists.whole_lists import TensorListStack
from graphrt.passes.rewrite import after_placeholders, constant_node
from graphrt.tensor.func_graph import Placeholder
from graphrt.types.shape import Dims


def compute_whole_stacks(graph: Graph) -> bool:
    """Rewrites the loops of `graph` that take numbers from a stack which another loop has filled."""
    changed = False
    for inner in nested(graph):
        for loop in [n for n in inner.nodes if n.op.structure == LOOP]:
            for position in range(len(loop.inputs)):
                changed |= _rewrite(inner, loop, position)
    return changed


def _rewrite(graph: Graph, loop: Node, position: int) -> bool:
    body, filled = loop.attrs["body"], loop.inputs[position]
    pop = _user(body, body.inputs[position], TensorListPopBack)
    if pop is None or pop.outputs[1].dims != () or not _is_filled_with_numbers(graph, filled):
        return False
    if loop in pinned(graph) or filled.dtype.name != "variant" or not (_compiles(loop) and _compiles(filled.node)):
        return False
    kept = pinned(body)
    moved = [
        n for n in body.nodes if n.op in OF_ONE_FLOAT and n.inputs[0] is pop.outputs[1] and n not in kept
    ]  # fmt: skip
    for node in moved:
        _move(graph, loop, filled, pop, node)
    return bool(moved)


def _user(graph: Graph, value: Value, op: OpDef) -> Node | None:
    """The node of `op` that is the only one to use `value`."""
    users = [n for n in graph.nodes if value in n.inputs]
    return users[0] if len(users) == 1 and users[0].op is op and value not in graph.outputs else None


def _is_filled_with_numbers(graph: Graph, stack: Value) -> bool:
    """Whether a loop has put one number after the other into what was an empty list."""
    loop = stack.node
    if loop.op.structure != LOOP or loop.graph is not graph or stack not in loop.outputs:
        return False
    at = loop.outputs.index(stack)
    body, start = loop.attrs["body"], loop.inputs[at].node
    push = _user(body, body.inputs[at], TensorListPushBack)
    if start.op is not EmptyTensorList or push is None or push.inputs[0] is not body.inputs[at]:
        return False
    return body.outputs[at] is push.outputs[0] and push.inputs[1].dims == ()


def _compiles(loop: Node) -> bool:
    """Whether there are rules for all that runs in a loop: lists of NumPy are better left as they are."""
    parts = [part for _, part in loop.subgraphs()]
    return all(
        n.is_parameter or n.is_constant or rule_of(n.op) is not None
        for part in parts
        for inner in nested(part)
        for n in inner.nodes
    )


def _move(graph: Graph, loop: Node, filled: Value, pop: Node, node: Node) -> None:
    body, dtype = loop.attrs["body"], node.outputs[0].dtype
    shape = constant_node(graph, np.zeros(0, np.int32), graph.unique_name(f"{node.name}/shape"), node)
    element = {"element_dtype": dtype}
    whole = _made(graph, TensorListStack, [filled, shape.outputs[0]], {**element, "num_elements": -1}, node, [(None,)])
    found = _made(graph, node.op, whole.outputs, node.attrs, node, [(None,)])
    attrs = {**element, "shape_type": shape.outputs[0].dtype}
    stack = _made(graph, TensorListFromTensor, [found.outputs[0], shape.outputs[0]], attrs, node, [()])
    stack.outputs[0].dtype = filled.dtype
    at = next(i for i, n in enumerate(graph.nodes) if n is loop)
    graph.nodes[at:at] = [shape, whole, found, stack]
    given = stack.outputs[0]
    for part in (loop.attrs["cond"], body):
        start = Node(part, Placeholder, part.unique_name("stack"), [], {"dtype": given.dtype, "shape": ()})
        start.outputs = [Value(start, 0, (), given.dtype)]
        part.nodes.insert(after_placeholders(part), start)
        part.inputs.append(start.outputs[0])
    inside = constant_node(body, np.zeros(0, np.int32), body.unique_name(f"{node.name}/shape"), node)
    taken = _made(body, TensorListPopBack, [body.inputs[-1], inside.outputs[0]], element, node, [(), ()])
    taken.outputs[0].dtype = given.dtype
    place = next(i for i, n in enumerate(body.nodes) if n is pop) + 1
    body.nodes[place:place] = [inside, taken]
    body.nodes = [n for n in body.nodes if n is not node]
    substitute(body, {node.outputs[0]: taken.outputs[1]})
    body.outputs.append(taken.outputs[0])
    loop.inputs.append(given)
    loop.outputs.append(Value(loop, len(loop.outputs), (), given.dtype))
    loop.attrs["T"] = [*loop.attrs["T"], given.dtype]
    if loop.attrs.get("output_shapes"):
        loop.attrs["output_shapes"] = [*loop.attrs["output_shapes"], ()]
    graph.version += 1


def _made(
    graph: Graph, op: OpDef, inputs: list[Value], attrs: Mapping[str, object], like: Node, dims: list[Dims]
) -> Node:
    node = Node(graph, op, graph.unique_name(f"{like.name}/whole"), list(inputs), dict(attrs))
    node.location, node.handle = like.location, like.handle
    node.outputs = [Value(node, i, d, like.outputs[0].dtype) for i, d in enumerate(dims)]
    return node
