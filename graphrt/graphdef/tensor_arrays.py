"""The `TensorArray` of TensorFlow 1 as lists of tensors: what it calls flow carries the list.

handle, flow = TensorArrayV3(n)             list = TensorListReserve(shape, n)
flow = TensorArrayWriteV3(handle, i, v, flow) -> list = TensorListSetItem(list, i, v)
v = TensorArrayReadV3(handle, i, flow)            v = TensorListGetItem(list, i, shape)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphrt.graphdef.read_values import refuse
from graphrt.graphdef.schema import message_class
from graphrt.ops.array.identity import Identity, PreventGradient
from graphrt.ops.lists.tensor_list import TensorListGetItem, TensorListLength, TensorListReserve, TensorListSetItem
from graphrt.ops.lists.whole_lists import TensorListConcatV2, TensorListGather, TensorListScatterIntoExistingList
from graphrt.tensor.func_graph import Const
from graphrt.tensor.scopes import NoOp
from graphrt.types.dtype import int32, variant

_MAKES = "TensorArrayV3"
_JOINS = "Merge"
_CARRY = {"Enter", _JOINS, "Switch", "Exit", "NextIteration", "RefIdentity", PreventGradient.type, Identity.type}

Nodes = dict[str, Any]


def needs_lists(nodes: Nodes) -> bool:
    """Whether there are arrays of TensorFlow 1."""
    return any(n.op == _MAKES for n in nodes.values())


def with_lists(nodes: Nodes) -> Nodes:
    """The nodes with lists for such arrays.

    Raises:
      InvalidArgumentError: an array is used for something that lists cannot do, or its nodes are damaged.
    """
    return _Rewriting(nodes).run()


def _source(edge: str) -> tuple[str, str]:
    name, _, index = edge.partition(":")
    return name, index or "0"


class _Rewriting:
    def __init__(self, nodes: Nodes) -> None:
        self.nodes = dict(nodes)

    def run(self) -> Nodes:
        made = {name for name, node in self.nodes.items() if node.op == _MAKES}
        carries, handles = self.carriers(made, "1"), self.carriers(made, "0")
        result: Nodes = {}
        for name, node in self.nodes.items():
            if name in handles:
                continue
            if name in made:
                self.reserve(node, result)
            elif node.op in _REWRITES:
                _REWRITES[node.op](self, node, result)
            elif name in carries:
                copy = _copy(node)
                copy.attr["T"].type = variant.as_datatype_enum
                result[name] = copy
            else:
                result[name] = node
        for (
            name,
            node,
        ) in result.items():  # flow was the second output of what made an array; its handle has no use left
            edges = [e[:-2] if e.endswith(":1") and e[:-2] in made else e for e in node.input]
            if edges != list(node.input):
                result[name] = copy = _copy(node)
                del copy.input[:]
                copy.input.extend(edges)
        return result

    def carriers(self, made: set[str], output: str) -> set[str]:
        """The nodes that only hand on the handle of an array ("0"), or flow ("1")."""
        users: dict[str, list[str]] = {}
        for name, node in self.nodes.items():
            for edge in node.input:
                users.setdefault(_source(edge)[0], []).append(name)
        found: set[str] = set()
        waiting = [n for n, v in self.nodes.items() if n in made or (output == "1" and v.op in _GIVES_FLOW)]
        while waiting:
            name = waiting.pop()
            for user in users.get(name, ()):
                node = self.nodes[user]
                taken = [_source(e) for e in node.input if not e.startswith("^")]
                flows = [s for s, index in taken if s == name and (name not in made or index == output)]
                first = node.op == _JOINS or taken[0][0] == name  # a condition is no flow
                if flows and first and node.op in _CARRY and user not in found:
                    found.add(user)
                    waiting.append(user)
        return found

    def list_node(self, node: Any, op: str, inputs: list[str], result: Nodes, **types: Any) -> Any:
        made = message_class("NodeDef")()
        made.name, made.op = node.name, op
        made.input.extend([*inputs, *(e for e in node.input if e.startswith("^"))])
        for key, value in types.items():
            made.attr[key].type = value
        result[node.name] = made
        return made

    def shape(self, node: Any, key: str, after: str, result: Nodes) -> str:
        """A constant with the shape of elements, -1 for what is not known."""
        made = message_class("NodeDef")()
        made.name, made.op = f"{node.name}/element_shape", Const.type
        while made.name in self.nodes or made.name in result:
            made.name += "_"
        if after:
            made.input.append(f"^{_source(after)[0]}")
        made.attr["dtype"].type = int32.as_datatype_enum
        tensor = made.attr["value"].tensor
        tensor.dtype = int32.as_datatype_enum
        known = node.attr[key].shape if key in node.attr else None
        if known is None or known.unknown_rank:
            tensor.int_val.append(-1)
        else:
            tensor.tensor_shape.dim.add().size = len(known.dim)
            tensor.int_val.extend([d.size for d in known.dim])
            if not len(known.dim):
                tensor.tensor_content = b""
        result[made.name] = made
        return str(made.name)

    def inputs(self, node: Any, count: int) -> list[str]:
        found = [e for e in node.input if not e.startswith("^")]
        if len(found) != count:
            refuse(f"node {node.name!r} ({node.op}) takes {count} inputs, {len(found)} are given")
        return found

    def dtype(self, node: Any, key: str = "dtype") -> int:
        return int(node.attr[key].type) if key in node.attr else 0

    def reserve(self, node: Any, result: Nodes) -> None:
        (size,) = self.inputs(node, 1)
        shape = self.shape(node, "element_shape", size, result)
        made = self.list_node(node, TensorListReserve.type, [shape, size], result, element_dtype=self.dtype(node))
        made.attr["shape_type"].type = int32.as_datatype_enum

    def write(self, node: Any, result: Nodes) -> None:
        _, index, value, flow = self.inputs(node, 4)
        dtype = self.dtype(node, "T")
        made = self.list_node(node, TensorListSetItem.type, [flow, index, value], result, element_dtype=dtype)
        made.attr["resize_if_index_out_of_bounds"].b = True

    def read(self, node: Any, result: Nodes) -> None:
        _, index, flow = self.inputs(node, 3)
        shape = self.shape(node, "", flow, result)
        self.list_node(node, TensorListGetItem.type, [flow, index, shape], result, element_dtype=self.dtype(node))

    def gather(self, node: Any, result: Nodes) -> None:
        _, indices, flow = self.inputs(node, 3)
        shape = self.shape(node, "element_shape", flow, result)
        self.list_node(node, TensorListGather.type, [flow, indices, shape], result, element_dtype=self.dtype(node))

    def scatter(self, node: Any, result: Nodes) -> None:
        _, indices, value, flow = self.inputs(node, 4)
        op = TensorListScatterIntoExistingList.type
        self.list_node(node, op, [flow, value, indices], result, element_dtype=self.dtype(node, "T"))

    def concat(self, node: Any, result: Nodes) -> None:
        _, flow = self.inputs(node, 2)
        shape = self.shape(node, "", flow, result)
        lengths = message_class("NodeDef")()
        lengths.name, lengths.op = f"{node.name}/leading_dims", Const.type
        lengths.input.append(f"^{_source(flow)[0]}")
        lengths.attr["dtype"].type = lengths.attr["value"].tensor.dtype = 9
        lengths.attr["value"].tensor.tensor_shape.dim.add().size = 0
        result[lengths.name] = lengths
        made = self.list_node(
            node,
            TensorListConcatV2.type,
            [flow, shape, lengths.name],
            result,
            element_dtype=self.dtype(node),
        )
        made.attr["shape_type"].type = int32.as_datatype_enum

    def size(self, node: Any, result: Nodes) -> None:
        _, flow = self.inputs(node, 2)
        self.list_node(node, TensorListLength.type, [flow], result)

    def close(self, node: Any, result: Nodes) -> None:
        made = message_class("NodeDef")()
        made.name, made.op = node.name, NoOp.type
        result[node.name] = made


def _copy(node: Any) -> Any:
    made = message_class("NodeDef")()
    made.CopyFrom(node)
    return made


_REWRITES: dict[str, Callable[[_Rewriting, Any, Nodes], None]] = {
    "TensorArrayWriteV3": _Rewriting.write, "TensorArrayReadV3": _Rewriting.read, "TensorArrayGatherV3": _Rewriting.gather,
    "TensorArrayScatterV3": _Rewriting.scatter, "TensorArrayConcatV3": _Rewriting.concat,
    "TensorArraySizeV3": _Rewriting.size, "TensorArrayCloseV3": _Rewriting.close,
}  # fmt: skip
_GIVES_FLOW = {"TensorArrayWriteV3", "TensorArrayScatterV3"}
OF_ARRAYS = frozenset({_MAKES, *_REWRITES})
