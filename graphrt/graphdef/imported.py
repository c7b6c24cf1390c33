"""`tf.import_graph_def`: the nodes of a GraphDef brought into the graph that is being traced."""

from __future__ import annotations

from typing import Any

from graphrt import errors
from graphrt.control_flow.copies import build_on
from graphrt.graphdef.importer import import_graph_def as read
from graphrt.ir.copy import copy_nodes, substitute
from graphrt.ir.graph import Node, Value
from graphrt.tensor.context import current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import Placeholder
from graphrt.tensor.tensor import Operation, Tensor, tensor_of
from graphrt.types.nesting import shown

__all__ = ["import_graph_def"]


def _split(name: str) -> tuple[str, int | None]:
    """A name such as "a:1" as node and output; None for the node itself."""
    text = name.decode() if isinstance(name, bytes) else str(name)
    node, colon, index = text.partition(":")
    if colon and not index.isdigit():
        raise ValueError(errors.at_user_line(f"{shown(name)} is no name of an operation or tensor"))
    return node, int(index) if colon else None


def _output(nodes: dict[str, Node], name: str, what: str) -> Value:
    node, index = _split(name)
    if node not in nodes or (index or 0) >= len(nodes[node].outputs):
        raise ValueError(errors.at_user_line(f"{what} name {shown(name)}, which the GraphDef does not have"))
    return nodes[node].outputs[index or 0]


def import_graph_def(
    graph_def: Any, input_map: dict[Any, Any] | None = None, return_elements: Any = None, name: str | None = None,
    op_dict: Any = None, producer_op_list: Any = None,
) -> list[Any] | None:  # fmt: skip
    """Brings the nodes of a `GraphDef` into the graph that is being traced, under the name scope `name` ("import").

    `input_map` says which tensors stand for tensors of the GraphDef; in a function all its placeholders that are needed
    must be among them, while a `tf.Graph` that the user made takes the whole, placeholders too. The result is a list
    of what `return_elements` names: tensors ("a:0") or operations ("a").

    >>> import graphrt as tf
    >>> concrete = tf.function(lambda x: x * 2.0).get_concrete_function(tf.TensorSpec([], name="x"))
    >>> data, (result,) = concrete.graph.as_graph_def(), concrete.graph.outputs
    >>> @tf.function
    ... def again(y):
    ...     return tf.graph_util.import_graph_def(data, {"x:0": y}, ["Identity:0"])[0]
    >>> again(tf.constant(4.0)).numpy()
    np.float32(8.0)

    Raises:
      RuntimeError: no graph is being traced.
      ValueError: a name is not one of the GraphDef's, or a placeholder stands for nothing.
    """
    into: Any = current_graph()
    if into is None:
        raise RuntimeError(
            errors.at_user_line("import_graph_def needs a graph to bring the nodes into: call it in a tf.function")
        )
    graph = read(graph_def, None, [])
    nodes = {n.name: n for n in graph.nodes}
    wanted = [_split(e) for e in return_elements or []]
    for element, (node, _) in zip(return_elements or [], wanted):
        if node not in nodes:
            raise ValueError(errors.at_user_line(f"return_elements name {element!r}, which the GraphDef does not have"))
    values: dict[Value, Value] = {}
    replaced: dict[Value, Value] = {}
    for key, given in (input_map or {}).items():
        old = _output(nodes, key, "The keys of input_map")
        tensor = into.capture(convert_to_tensor(given, old.dtype))
        stand_in = (
            old if old.node in {v.node for v in graph.inputs} else graph.placeholder(old.dtype, old.dims, "given").value
        )
        values[stand_in] = tensor.value
        if stand_in is not old:
            replaced[old] = stand_in
    if replaced:
        substitute(graph, replaced)
    prefix = "import" if name is None else name
    whole = not into.building_function  # a graph that the user made takes all, and is no function with arguments
    asked = [nodes[n] for n, _ in wanted]
    needed = _needed(graph.nodes if whole else asked + _with_effects(graph, values), values)
    open_ones = [v.node.name for v in graph.inputs if v not in values and v.node in needed and v.node]
    if whole:
        for value in graph.inputs:
            if value not in values and value.node is not None:
                label = f"{prefix}/{value.node.name}" if prefix else value.node.name
                values[value] = into.placeholder(value.dtype, value.dims, label).value
    elif open_ones:
        raise ValueError(
            errors.at_user_line(f"the GraphDef's placeholders {open_ones} stand for nothing: name them in input_map")
        )
    skipped = {v.node for v in graph.inputs}
    body = [n for n in graph.nodes if n not in skipped and n in needed]
    copies = dict(zip(body, copy_nodes(body, into, values, prefix=f"{prefix}/" if prefix else "")))
    build_on(list(copies.values()), into)
    if return_elements is None:
        return None
    return [_element(nodes[n], index, values, copies) for n, index in wanted]


def _with_effects(graph: Any, values: dict[Value, Value]) -> list[Node]:
    """The nodes that a function runs for what they do, but for those that wait for placeholders which nobody gives."""
    open_ones: set[Value] = set()
    found = []
    for node in graph.nodes:
        if (node.op is Placeholder and node.outputs[0] not in values) or not open_ones.isdisjoint(node.inputs):
            open_ones.update(v for v in node.outputs if v not in values)
        elif node.op.stateful and node.op is not Placeholder:
            found.append(node)
    return found


def _needed(roots: list[Node], values: dict[Value, Value]) -> set[Node]:
    """The nodes that `roots` are made of, up to the values that are given."""
    found: set[Node] = set()
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        found.add(node)
        waiting += [v.node for v in node.inputs if v not in values and v.node is not None]
    return found


def _element(node: Node, index: int | None, values: dict[Value, Value], copies: dict[Node, Node]) -> Operation | Tensor:
    if index is not None:
        return tensor_of(values[node.outputs[index]])
    return Operation(copies[node]) if node in copies else tensor_of(values[node.outputs[0]]).op
