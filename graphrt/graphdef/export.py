"""Graph -> GraphDef.

Graphs here have no control edges: the order of the nodes is the order of the program. A GraphDef has no order but its
edges, so they are derived here, from what each node reads and writes:

    v.assign_add(x)             AssignAddVariableOp
    tf.print(v)          ->     ReadVariableOp  ^AssignAddVariableOp;  PrintV2
    return y                    Identity y ^NoOp;  NoOp ^AssignAddVariableOp ^PrintV2 ^ReadVariableOp

as TensorFlow writes them, with two additions: a node that touches a variable *and* prints keeps its place among both,
and nothing that has an effect starts before an assertion standing above it has held.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.graphdef.effects import Effects, op_is_stateful
from graphrt.graphdef.schema import FULL_TYPE_OF, enum_number, message_class
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.op import CALL, LOOP, OpDef
from graphrt.ops.array.shape import Shape
from graphrt.ops.lists.tensor_list import (
    EmptyTensorList,
    TensorListFromTensor,
    TensorListPushBack,
    TensorListReserve,
    TensorListSetItem,
)
from graphrt.tensor.func_graph import Const, FuncGraph, is_small_constant
from graphrt.tensor.scopes import NoOp
from graphrt.tensor.tensor import raw_of
from graphrt.types.dtype import DType, as_dtype, from_numpy
from graphrt.types.likes import Array
from graphrt.types.shape import Dims

PRODUCER, MIN_CONSUMER = 2288, 12  # what TensorFlow 2.20 writes

_LIST_MAKERS = {TensorListReserve, EmptyTensorList, TensorListSetItem, TensorListPushBack, TensorListFromTensor}
_CONFIG_PROTO = b"\n\x07\n\x03CPU\x10\x01\n\x07\n\x03GPU\x10\x002\x02J\x008\x01\x82\x01\x00\x92\x01\x02J\x00"
MANUAL = "_has_manual_control_dependencies"  # marks what other nodes wait for at the user's wish
_FILLED = ("zeros", "ones")  # constants of these names are written as one repeated value, as TensorFlow does


def graph_def(graph: Graph, add_shapes: bool = False) -> Any:
    """`graph` as a `GraphDef` message; see `graphrt.graphdef.graph_def`."""
    return graph_def_with(graph, [], add_shapes)[0]


def graph_def_with(graph: Graph, functions: list[Graph], add_shapes: bool = False) -> tuple[Any, dict[int, str]]:
    """`graph` as a `GraphDef` whose library holds `functions`, too; and the names in the library, by `id` of the graph."""
    message = message_class("GraphDef")()
    names = _Names.of_graph(graph)
    effects = Effects()
    held = held_graphs([graph], effects.labels, functions)
    _write_nodes(message.node, graph, graph.nodes, names, effects, add_shapes)
    for function in sorted(held, key=lambda g: effects.labels[id(g)]):
        _write_function(message.library.function.add(), function, effects, add_shapes)
    message.versions.producer = PRODUCER
    if held:
        message.versions.min_consumer = MIN_CONSUMER
    return message, effects.labels


def function_def(graph: Graph, add_shapes: bool = False) -> Any:
    """`graph` as a `FunctionDef` message."""
    message = message_class("FunctionDef")()
    effects = Effects()
    held_graphs([graph], effects.labels)
    _write_function(message, graph, effects, add_shapes)
    return message


def held_graphs(roots: list[Graph], labels: dict[int, str], functions: Iterable[Graph] = ()) -> list[Graph]:
    """`functions`, and the graphs that nodes of these, of `roots`, and of such graphs hold.

    `labels` gets a unique name for each, by `id`.
    """
    found: list[Graph] = []
    taken: set[str] = set()

    def note(graph: Graph) -> None:
        if id(graph) in labels:
            return
        name, count = graph.name, 0
        while name in taken:
            count += 1
            name = f"{graph.name}_{count}"
        taken.add(name)
        labels[id(graph)] = name
        found.append(graph)

    for function in functions:
        note(function)
    waiting = [*roots, *found]
    seen = {id(graph) for graph in waiting}
    while waiting:
        for node in waiting.pop(0).nodes:
            for _, held in node.subgraphs():
                note(held)
                if id(held) not in seen:
                    seen.add(id(held))
                    waiting.append(held)
    return found


def node_def(node: Node) -> Any:
    """`node` as a `NodeDef` message, with the edges it has in the GraphDef of its graph."""
    graph = node.graph
    effects = Effects()
    message = message_class("NodeDef")()
    plan = effects.plan(graph)
    _write_node(message, node, _Names.of_graph(graph), effects, plan.controls(node), False)
    return message


# --- names -----------------------------------------------------------------------------------------------------------
class _Names:
    """How the edges of one graph are spelt: `node:1` in a main graph, `node:output:1` or an argument in a function."""

    def __init__(self, function: bool, arguments: dict[Value, str], constants: dict[Value, Any] | None = None) -> None:
        self.function = function
        self.arguments = arguments
        self.constants = constants or {}

    @classmethod
    def of_graph(cls, graph: Graph) -> _Names:
        return cls(False, {}, _captured_constants(graph))

    def edge(self, value: Value) -> str:
        name = self.arguments.get(value)
        if name is not None:
            return name
        node = value.node
        if not self.function:
            return f"{node.name}:{value.index}" if value.index else node.name
        arg, position = output_position(node.op, node.attrs, value.index)
        return f"{node.name}:{arg}:{position}"


def _captured_constants(graph: Graph) -> dict[Value, Any]:
    # small concrete tensors that a main graph closes over are written into it, so that it is complete
    captures: Any = graph.captures if isinstance(graph, FuncGraph) else ()
    return {inner.value: raw_of(outer) for outer, inner in captures if is_small_constant(outer)}


def output_position(op: OpDef, attrs: dict[str, Any], index: int) -> tuple[str, int]:
    """Name of the output argument that flat output `index` belongs to, and its position therein."""
    at = 0
    for arg in op.outputs:
        size = len(attrs[arg.list_attr]) if arg.list_attr else attrs[arg.number_attr] if arg.number_attr else 1
        if index < at + size:
            return arg.name, index - at
        at += size
    raise errors.InternalError(None, None, f"{op.type} has no output {index}")


def argument_name(name: str) -> str:
    """`name` as the argument of a function: lower case, words joined by underscores, a letter first."""
    text = "".join(c if c.isascii() and c.isalnum() else "_" for c in name.lower())
    start = next((i for i, c in enumerate(text) if c.isalpha()), None)
    return "unknown" if start is None else text[start:]


class _Unique:
    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = set(taken)

    def __call__(self, name: str) -> str:
        candidate, count = name, 0
        while candidate in self.taken:
            candidate = f"{name}_{count}"
            count += 1
        self.taken.add(candidate)
        return candidate


# --- messages --------------------------------------------------------------------------------------------------------
def _write_nodes(
    field: Any, graph: Graph, nodes: list[Node], names: _Names, effects: Effects, add_shapes: bool
) -> None:
    plan = effects.plan(graph)
    for node in nodes:
        _write_node(field.add(), node, names, effects, plan.controls(node), add_shapes)
    if plan.noop is not None:
        noop = field.add()
        noop.name, noop.op = plan.noop, NoOp.type
        noop.input.extend(f"^{n}" for n in plan.names)
        if add_shapes:
            noop.attr["_output_shapes"].list.SetInParent()


def _write_node(
    message: Any, node: Node, names: _Names, effects: Effects, controls: list[str], add_shapes: bool
) -> None:
    if names.constants and node.outputs and node.outputs[0] in names.constants:
        message.name, message.op = node.name, Const.type
        write_tensor(message.attr["value"].tensor, names.constants[node.outputs[0]])
        message.attr["dtype"].type = node.outputs[0].dtype.as_datatype_enum
        if add_shapes:
            _write_shapes(message.attr["_output_shapes"], [node.outputs[0].dims])
        return
    message.name, message.op = node.name, node.type
    message.input.extend(names.edge(v) for v in node.inputs)
    message.input.extend(f"^{n}" for n in controls)
    for key, value in node.attrs.items():
        declared = node.op.attrs.get(key)
        try:
            _write_attr(message.attr[key], value, declared.kind if declared else None, node, effects.labels)
        except (TypeError, ValueError, OverflowError) as error:
            raise errors.UnimplementedError(
                None, None,
                f"attribute {key!r} of node {node.name!r} ({node.type}) cannot be written into a GraphDef: {error}",
            ) from error  # fmt: skip
    if node in effects.plan(node.graph).awaited:
        message.attr[MANUAL].b = True
    _write_customary(message, node, effects)
    if add_shapes:
        _write_shapes(message.attr["_output_shapes"], [v.dims for v in node.outputs])
    _write_full_type(message, node)


def _write_customary(message: Any, node: Node, effects: Effects) -> None:
    # attributes that TensorFlow writes, and that say nothing the graph does not know by itself
    structure = node.op.structure
    if structure is None:
        return
    attr = message.attr
    if structure == CALL:
        for key, value in (("config", b""), ("executor_type", b""), ("config_proto", _CONFIG_PROTO)):
            if key not in attr or not attr[key].s:
                attr[key].s = value
        attr["_collective_manager_ids"].list.SetInParent()
    else:
        attr["_lower_using_switch_merge"].b = True
        _write_shapes(attr["output_shapes"], [v.dims for v in node.outputs])
    if structure == LOOP:
        if "parallel_iterations" not in attr:
            attr["parallel_iterations"].i = 10
        attr["_num_original_outputs"].i = len(node.outputs)
    found, _ = effects.of(node)
    read_only = attr["_read_only_resource_inputs"].list
    read_only.SetInParent()
    read_only.i.extend(i for i, v in enumerate(node.inputs) if found.get(v) is False)


def _write_full_type(message: Any, node: Node) -> None:
    # TensorFlow annotates these; readers do without
    if node.op is Shape:
        inner, element = "TFT_SHAPE_TENSOR", node.attrs.get("out_type")
    elif node.op in _LIST_MAKERS:
        inner, element = "TFT_ARRAY", node.attrs.get("element_dtype")
    else:
        return
    if not isinstance(element, DType) or element.kind == "O":
        return
    message.experimental_type.type_id = enum_number("FullTypeId", "TFT_PRODUCT")
    outer = message.experimental_type.args.add()
    outer.type_id = enum_number("FullTypeId", inner)
    leaf = outer.args.add()
    if inner == "TFT_ARRAY":
        leaf.type_id = enum_number("FullTypeId", "TFT_TENSOR")
        leaf = leaf.args.add()
    leaf.type_id = enum_number("FullTypeId", "TFT_" + FULL_TYPE_OF.get(element.name, element.name.upper()))


def _write_function(message: Any, graph: Graph, effects: Effects, add_shapes: bool) -> None:
    signature = message.signature
    signature.name = effects.labels.get(id(graph), graph.name)
    given = {v.node for v in graph.inputs}
    nodes = [n for n in graph.nodes if n not in given]
    unique = _Unique()
    returned = [(unique(argument_name(v.node.name)), v) for v in graph.outputs]
    unique.taken |= {n.name for n in nodes}
    arguments = {v: unique(argument_name(v.node.name)) for v in graph.inputs}
    names = _Names(True, arguments)
    for index, value in enumerate(graph.inputs):
        arg = signature.input_arg.add()
        arg.name, arg.type = arguments[value], value.dtype.as_datatype_enum
        _write_argument_attrs(message, index, value)
    for name, value in returned:
        arg = signature.output_arg.add()
        arg.name, arg.type = name, value.dtype.as_datatype_enum
        message.ret[name] = names.edge(value)
    signature.is_stateful = any(op_is_stateful(n.op) or any(_has_state(g) for _, g in n.subgraphs()) for n in nodes)
    _write_nodes(message.node_def, graph, nodes, names, effects, add_shapes)
    for name in effects.plan(graph).names:
        message.control_ret[name] = name
        signature.control_output.append(name)
    message.attr["_construction_context"].s = b"kEagerRuntime"
    if add_shapes:
        _write_shapes(message.attr["_input_shapes"], [v.dims for v in graph.inputs])


def _has_state(graph: Graph, seen: set[int] | None = None) -> bool:
    seen = set() if seen is None else seen
    if id(graph) in seen:
        return False
    seen.add(id(graph))
    return any(op_is_stateful(n.op) or any(_has_state(g, seen) for _, g in n.subgraphs()) for n in graph.nodes)


def _write_argument_attrs(message: Any, index: int, value: Value) -> None:
    given = value.node.attrs.get("_user_specified_name")
    if value.dtype.name != "resource":
        _write_shapes(message.arg_attr[index].attr["_output_shapes"], [value.dims])
    if given:
        message.arg_attr[index].attr["_user_specified_name"].s = _as_bytes(given)


# --- attributes ------------------------------------------------------------------------------------------------------
def _write_attr(message: Any, value: Any, kind: str | None, node: Node, labels: dict[int, str]) -> None:
    if kind is None:
        kind = _kind_of(value)
    if kind.startswith("list("):
        _write_list(message.list, list(value), kind[5:-1], labels)
    elif kind == "shape":
        write_shape(message.shape, value)
    elif kind == "tensor":
        write_tensor(message.tensor, value, fill=node.name.rsplit("/", 1)[-1].startswith(_FILLED))
    elif kind == "type":
        message.type = as_dtype(value).as_datatype_enum
    elif kind == "func":
        message.func.name = labels.get(id(value), value.name)
    elif kind == "bool":
        message.b = bool(value)
    elif kind == "int":
        message.i = int(value)
    elif kind == "float":
        message.f = float(value)
    elif kind == "string":
        message.s = _as_bytes(value)
    else:
        raise TypeError(f"a value of kind {kind!r}")


def _kind_of(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "bool"
    if isinstance(value, (int, np.integer)):
        return "int"
    if isinstance(value, (float, np.floating)):
        return "float"
    if isinstance(value, (str, bytes)):
        return "string"
    if isinstance(value, DType):
        return "type"
    if isinstance(value, Graph):
        return "func"
    if isinstance(value, np.ndarray):
        return "tensor"
    if isinstance(value, tuple) or value is None:
        return "shape"
    if isinstance(value, list):
        return f"list({_kind_of(value[0]) if value else 'int'})"
    raise TypeError(f"no GraphDef attribute holds a {type(value).__name__}")


def _write_list(message: Any, values: list[Any], kind: str, labels: dict[int, str]) -> None:
    message.SetInParent()
    if kind == "type":
        message.type.extend(as_dtype(v).as_datatype_enum for v in values)
    elif kind == "int":
        message.i.extend(int(v) for v in values)
    elif kind == "float":
        message.f.extend(float(v) for v in values)
    elif kind == "bool":
        message.b.extend(bool(v) for v in values)
    elif kind == "string":
        message.s.extend(_as_bytes(v) for v in values)
    elif kind == "shape":
        for v in values:
            write_shape(message.shape.add(), v)
    elif kind == "tensor":
        for v in values:
            write_tensor(message.tensor.add(), v)
    elif kind == "func":
        for v in values:
            message.func.add().name = labels.get(id(v), v.name)
    else:
        raise TypeError(f"a list of kind {kind!r}")


def _write_shapes(message: Any, shapes: list[Dims]) -> None:
    message.list.ClearField("shape")
    message.list.SetInParent()
    for dims in shapes:
        write_shape(message.list.shape.add(), dims)


def _as_bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")


def write_shape(message: Any, dims: Dims) -> None:
    """Writes a static shape into a `TensorShapeProto`."""
    message.SetInParent()
    if dims is None:
        message.unknown_rank = True
        return
    for size in dims:
        message.dim.add().size = -1 if size is None else size


_FIELDS = {
    "float32": "float_val", "float64": "double_val", "int32": "int_val", "int16": "int_val", "int8": "int_val",
    "uint8": "int_val", "uint16": "int_val", "int64": "int64_val", "uint32": "uint32_val", "uint64": "uint64_val",
    "bool": "bool_val", "string": "string_val", "complex64": "scomplex_val", "complex128": "dcomplex_val",
    "float16": "half_val", "bfloat16": "half_val",
}  # fmt: skip


def write_tensor(message: Any, value: Array, fill: bool = False) -> None:
    """Writes an array into a `TensorProto`, encoded as TensorFlow encodes constants.

    `fill` allows one value to stand for all where all are the same.
    """
    array = np.asarray(value)
    dtype = from_numpy(array.dtype)
    message.dtype = dtype.as_datatype_enum
    write_shape(message.tensor_shape, array.shape)
    if not array.size:
        return
    repeated = array.size > 1 and (not any(array.strides) or (fill and _all_same(array, dtype)))
    flat = array.reshape(-1)[:1] if repeated else array.reshape(-1)
    if flat.size > 1 and dtype.kind not in "bS":
        message.tensor_content = np.ascontiguousarray(flat, flat.dtype.newbyteorder("<")).tobytes()
        return
    target = getattr(message, _FIELDS[dtype.name])
    if dtype.kind == "S":
        target.extend(_as_bytes(v) for v in flat.tolist())
    elif dtype.kind == "c":
        for v in flat.tolist():
            target.extend((v.real, v.imag))
    elif dtype.name in ("float16", "bfloat16"):
        target.extend(flat.view(np.uint16).tolist())
    else:
        target.extend(flat.tolist())


def _all_same(array: np.ndarray[Any, Any], dtype: DType) -> bool:
    if dtype.kind == "S":
        return False
    raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(array.size, -1)
    return bool((raw == raw[0]).all())
