"""Writes into one array where a list is filled by a loop only to be stacked.

    %l = TensorListReserve(%n)                          %b = _TensorListReserve(%n)
    while ...:                                          while ...:
        %l = TensorListSetItem(%l, %i, %v)      ->          %b = _TensorListSetItem(%b, %i, %v)
    %x = TensorListStack(%l)                            %x = _TensorListStack(%b)

That is what `ta = ta.write(i, v)` in a loop and `ta.stack()` become. The array is shared by all versions of the list,
which is right because each version is used once: by the next write.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.errors import InvalidArgumentError
from graphrt.ir.code import Code, Template
from graphrt.ir.graph import Graph, Node, Value, static_shape
from graphrt.ir.liveness import nested, pinned
from graphrt.ir.op import INDEXES, INTERNAL, LOOP, STATEFUL, OpDef, define
from graphrt.ops.lists.tensor_list import TensorListReserve, TensorListSetItem
from graphrt.ops.lists.whole_lists import TensorListStack
from graphrt.passes.rewrite import constant_of, users_of
from graphrt.types.shape import compatible, is_static


# --- the ops: state in all but name, so that no pass merges or moves them ---------------------------------------------
def _reserve(count: Any, *, element_dtype: Any, dims: Any) -> Any:
    if count < 0:
        raise InvalidArgumentError(
            None, None, f"The num_elements to reserve must be a non negative number, but got {count}"
        )
    return np.zeros((int(count), *dims), element_dtype.as_numpy_dtype)


def _set(buffer: Any, index: Any, item: Any) -> Any:
    if not 0 <= index < len(buffer):
        raise InvalidArgumentError(
            None, None, f"Trying to modify element {index} in a list with {len(buffer)} elements."
        )
    buffer[index] = item
    return buffer


_OUTSIDE = Template("if not 0 <= {} < len({}):")
_REFUSED = Template("{}({}, {}, {})")
_WRITTEN = Template("{}[{}] = {}")


def _emit_set(emitter: Any, node: Node, inputs: list[Code]) -> list[Code]:
    buffer, index, item = inputs
    with emitter.block(_OUTSIDE(index, buffer)):
        emitter.line(_REFUSED(emitter.bind(_set, "k_TensorListSetItem"), buffer, index, item))
    emitter.line(_WRITTEN(buffer, index, item))
    return [buffer]


RESERVE = define(
    "_TensorListReserve", "num_elements: int32 -> handle: variant", attrs="element_dtype: type; dims: shape",
    infer=lambda c: (), kernel=_reserve, traits=(INTERNAL, STATEFUL),
)  # fmt: skip
SET = define(
    "_TensorListSetItem", "handle: variant, index: int32, item: element_dtype -> output: variant",
    infer=lambda c: (), kernel=_set, emit=_emit_set, traits=(INTERNAL, STATEFUL, INDEXES),
)  # fmt: skip
STACK = define(
    "_TensorListStack", "handle: variant -> tensor: element_dtype", attrs="element_dtype: type; shape: shape",
    infer=lambda c: c.attrs["shape"], kernel=lambda handle: handle, emit=lambda e, node, inputs: [inputs[0]],
    traits=(INTERNAL, STATEFUL),
)  # fmt: skip


# --- the pass --------------------------------------------------------------------------------------------------------
def write_rows_directly(graph: Graph) -> bool:
    """Replaces lists that one loop fills and `TensorListStack` reads by arrays."""
    changed = False
    for inner in nested(graph):
        for node in [n for n in inner.nodes if n.op is TensorListReserve]:
            found = _way_of(inner, node)
            if found is not None:
                _rewrite(inner, node, *found)
                changed = True
    return changed


def _only_user(graph: Graph, value: Value) -> Node | None:
    users = users_of(graph, value)
    if len(users) != 1 or users[0].inputs.count(value) != 1:
        return None
    return users[0]


def _way_of(graph: Graph, reserve: Node) -> tuple[Node, int, Node, Node] | None:
    """The loop that fills the list, its position there, the write and the stacking; None when it is used otherwise."""
    handle = reserve.outputs[0]
    loop = _only_user(graph, handle)
    if loop is None or loop.op.structure != LOOP or handle in graph.outputs:
        return None
    position = loop.inputs.index(handle)
    cond, body = loop.attrs["cond"], loop.attrs["body"]
    result, parameter = loop.outputs[position], body.inputs[position]
    stack, write = _only_user(graph, result), _only_user(body, parameter)
    if stack is None or write is None or result in graph.outputs or parameter in body.outputs:
        return None
    if stack.op is not TensorListStack or write.op is not TensorListSetItem or write.inputs[0] is not parameter:
        return None
    written = write.outputs[0]
    if body.outputs[position] is not written or body.outputs.count(written) != 1 or users_of(body, written):
        return None
    if users_of(cond, cond.inputs[position]) or cond.inputs[position] in cond.outputs:
        return None
    if {reserve, loop, stack} & pinned(graph) or write in pinned(body) or not _fits(reserve, write, stack):
        return None
    return loop, position, write, stack


def _fits(reserve: Node, write: Node, stack: Node) -> bool:
    """Whether every element certainly has one known shape, and nothing else can go wrong than an index."""
    item = write.inputs[2]
    dtype = reserve.attrs["element_dtype"]
    if item.dtype is not dtype or stack.attrs["element_dtype"] is not dtype or dtype.kind in "SO":
        return False
    if not is_static(item.dims) or write.attrs["resize_if_index_out_of_bounds"]:
        return False
    if stack.attrs["num_elements"] not in (-1, constant_of(reserve.inputs[1])):
        return False
    if constant_of(reserve.inputs[0]) is None or not compatible(static_shape(reserve.inputs[0]), item.dims):
        return False
    return constant_of(stack.inputs[1]) is not None and _shape_of(stack.inputs[1]) == item.dims


def _shape_of(value: Value) -> Any:
    array = constant_of(value)
    return tuple(int(d) for d in array) if np.ndim(array) == 1 else None


def _rewrite(graph: Graph, reserve: Node, loop: Node, position: int, write: Node, stack: Node) -> None:
    dims, dtype = write.inputs[2].dims, reserve.attrs["element_dtype"]
    body = loop.attrs["body"]
    _exchange(graph, reserve, RESERVE, [reserve.inputs[1]], {"element_dtype": dtype, "dims": dims})
    _exchange(body, write, SET, list(write.inputs), {"element_dtype": dtype})
    _exchange(graph, stack, STACK, [stack.inputs[0]], {"element_dtype": dtype, "shape": stack.outputs[0].dims})


def _exchange(graph: Graph, node: Node, op: OpDef, inputs: list[Value], attrs: dict[str, Any]) -> None:
    new = Node(graph, op, node.name, inputs, attrs)
    new.location, new.handle, new.outputs = node.location, node.handle, node.outputs
    for value in new.outputs:
        value.node = new
    graph.nodes[graph.nodes.index(node)] = new
