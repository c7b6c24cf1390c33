"""What several passes need: constants, pass-through chains, attributes as keys."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.op import LOOP
from graphrt.tensor.func_graph import Const, Placeholder
from graphrt.types.dtype import DType, from_numpy
from graphrt.types.shape import Dims, merge

SMALL_CONSTANT = 1024  # elements: larger constants are the same only when they are the same array


def is_pure(node: Node) -> bool:
    """Whether `node` gives the same outputs whenever it gets the same inputs, and has no effect."""
    op = node.op
    if not op.is_pure:
        return False
    if op.only_type is not None or op is Const:  # as of most nodes of a large graph
        return True
    for value in node.attrs.values():
        if isinstance(value, (Graph, list, tuple)):
            return next(node.subgraphs(), None) is None
    return True


def is_constant(value: Value) -> bool:
    """Whether `value` is a `Const`."""
    return value.node.op is Const


def constant_of(value: Value) -> Any:
    """The array of a `Const`, else None."""
    return value.node.attrs["value"] if value.node.op is Const else None


def constant_node(graph: Graph, array: Any, name: str, like: Node | None = None) -> Node:
    """A `Const` node of `graph`, not yet among its nodes."""
    if isinstance(array, np.ndarray) and array.ndim == 0 and array.dtype != object:
        array = array[()]
    dtype = from_numpy(array.dtype)
    node = Node(graph, Const, name, [], {"value": array, "dtype": dtype})
    node.outputs = [Value(node, 0, np.shape(array), dtype)]
    if like is not None:
        node.location, node.handle = like.location, like.handle
    return node


def after_placeholders(graph: Graph) -> int:
    """The position below the placeholders that `graph` begins with: nothing there can have been used yet."""
    at = 0
    while at < len(graph.nodes) and graph.nodes[at].op is Placeholder:
        at += 1
    return at


def refine(value: Value, other: Value) -> None:
    """Adds to `value`, which takes the place of `other`, what is known of the shape of `other`."""
    try:
        value.dims = merge(value.dims, other.dims)
    except ShapeError:  # the graph contradicts itself; the kernel will say so
        pass
    if value.info is None:
        value.info = other.info


def proves(known: Dims, wanted: Dims) -> bool:
    """Whether every shape that `known` allows is one that `wanted` allows."""
    if wanted is None:
        return True
    return known is not None and len(known) == len(wanted) and all(w is None or w == k for k, w in zip(known, wanted))


_OBJECT = "object"


def frozen(value: Any) -> Any:
    """An attribute as something hashable: equal keys mean the same attribute."""
    if type(value) is float:
        return struct.pack("d", value)
    if value is None or isinstance(value, (str, bytes)):
        return value
    if type(value) is DType:
        return DType, value.as_datatype_enum
    if isinstance(value, (bool, int)):
        return type(value).__name__, int(value)
    if isinstance(value, np.generic) and value.dtype != object:
        return type(value), value.tobytes()
    if isinstance(value, (list, tuple)):
        return type(value).__name__, *(frozen(v) for v in value)
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype != object and value.size <= SMALL_CONSTANT:
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, np.ndarray) and value.dtype == object and value.size <= SMALL_CONSTANT:
        return value.shape, *value.ravel().tolist()
    return _OBJECT, id(value)


def is_object(value: Any) -> bool:
    """Whether `frozen` of an attribute is no more than its identity, which says something while it is there."""
    if isinstance(value, (list, tuple)):
        return any(map(is_object, value))
    key = frozen(value)
    return type(key) is tuple and key[0] is _OBJECT


def users_of(graph: Graph, value: Value) -> list[Node]:
    """The nodes of `graph` that take `value`, in order."""
    return [n for n in graph.nodes if value in n.inputs]


def is_list_loop(graph: Graph, node: Node, handle: Value) -> bool:
    """Whether `node` is a loop that takes `handle`, passes it on unchanged, and whose outputs of it nobody uses."""
    if node.op.structure != LOOP:
        return False
    body = node.attrs["body"]
    for i, value in enumerate(node.inputs):
        if value is handle:
            if body.outputs[i].source is not body.inputs[i] or node.outputs[i] in graph.outputs:
                return False
            if users_of(graph, node.outputs[i]):
                return False
    return True
