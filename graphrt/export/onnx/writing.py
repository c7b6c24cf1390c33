"""`to_onnx`: a concrete function as an ONNX file."""

# names of another format: those of ONNX's ops

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.export.onnx.builder import Attribute, OnnxGraph, Port, Ref, Step
from graphrt.export.onnx.list_shapes import ListShapes
from graphrt.export.onnx.lowering import HandleRef, Held, ListRef, Lowering, Unmapped
from graphrt.export.onnx.mappings import all_rules
from graphrt.function.concrete import ConcreteFunction
from graphrt.function.function import Function
from graphrt.ir.copy import copy_graph, substitute
from graphrt.ir.graph import Graph, InferContext, Value
from graphrt.ops.io.whole_files import replaced
from graphrt.passes.common_subexpressions import merge_common_subexpressions
from graphrt.passes.constant_folding import fold_constants
from graphrt.passes.dead_nodes import drop_dead_nodes
from graphrt.passes.hoist_invariants import hoist_invariants
from graphrt.passes.identities import remove_identities
from graphrt.passes.inline_calls import inline_calls
from graphrt.passes.rewrite import constant_node
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import EagerTensor, Tensor, behind
from graphrt.tensor.values import to_numpy
from graphrt.types.dtype import from_numpy, string
from graphrt.types.likes import Array, PathLike
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims, merge
from graphrt.types.structure import children, is_nested
from graphrt.version import __version__

PASSES = (
    inline_calls, remove_identities, drop_dead_nodes, fold_constants, hoist_invariants, merge_common_subexpressions,
    drop_dead_nodes,
)  # fmt: skip
_LARGEST = (1 << 31) - 1  # bytes of a message


def to_onnx(concrete: ConcreteFunction, path: PathLike) -> None:
    """Writes a concrete function as an ONNX file, which ONNX Runtime and others run without Python.

    Variables and captured tensors are written as they are now. Unknown dimensions of arguments stay open. Results are
    called `output_0`, `output_1`, ..., or by the keys of a returned dict. The file is whole or not there.

    >>> import graphrt as tf, os, tempfile
    >>> concrete = tf.function(lambda x: tf.nn.relu(x) + 1.0).get_concrete_function(tf.TensorSpec([None, 2], name="x"))
    >>> path = os.path.join(tempfile.mkdtemp(), "model.onnx")
    >>> tf.export.to_onnx(concrete, path)
    >>> print(tf.export.onnx_text(path), end="")
    graph lambda(x: float32[x_0,2]) -> (output_0: float32[?,2])
      add/y: float32[] = 1.0
      Relu = Relu(x)
      output_0 = Add(Relu, add/y)

    Raises:
      TypeError: `concrete` is no concrete function.
      UnimplementedError: there are nodes that ONNX cannot express; all of them are listed, and nothing is written.
    """
    data = onnx_bytes(concrete)
    with replaced(os.fsdecode(path)) as file:
        file.write(data)


def onnx_bytes(concrete: ConcreteFunction) -> bytes:
    """The bytes of the file that `to_onnx` writes."""
    message = to_message(onnx_graph(concrete))
    if message.ByteSize() > _LARGEST:
        raise errors.ResourceExhaustedError(
            None, None, f"the model has {message.ByteSize()} bytes; a file of ONNX holds {_LARGEST}"
        )
    return bytes(message.SerializeToString(deterministic=True))


# --- the graph -------------------------------------------------------------------------------------------------------
def onnx_graph(concrete: ConcreteFunction) -> OnnxGraph:
    """A concrete function as an ONNX graph."""
    if isinstance(concrete, Function) or not isinstance(concrete, ConcreteFunction):
        raise TypeError(
            f"to_onnx needs a concrete function, found {type(concrete).__name__}: "
            "call get_concrete_function on a tf.function, with the types of its arguments"
        )
    graph, captures = prepared(concrete.graph)
    into = OnnxGraph(_plain_name(concrete.function_name))
    lowering = Lowering(all_rules())
    lowering.facts["lists"] = ListShapes(graph)
    env = _arguments(graph, captures, into)
    found = lowering.body(graph, into, env)
    refused = [*lowering.unmapped]
    _check_ports(into.inputs, "argument")
    if refused:
        raise errors.UnimplementedError(None, None, unmapped_text(concrete.function_name, refused))
    renamed: dict[str, str] = {}
    for name, value, held in zip(_output_names(concrete), graph.outputs, found):
        _output(into, name, value, held, renamed)
    _check_ports(into.outputs, "result")
    drop_unused(into, set())
    return into


def prepared(graph: FuncGraph) -> tuple[Graph, list[Tensor]]:
    """A simplified copy of a graph in which captured tensors are constants, and the handles that it still takes."""
    copy = copy_graph(graph)
    outer = [o for o, _ in graph.captures]
    count = len(copy.inputs) - len(outer)
    handles: list[Tensor] = []
    replaced: dict[Value, Value] = {}
    for value, tensor in zip(copy.inputs[count:], outer):
        if not isinstance(tensor, EagerTensor):
            raise errors.InaccessibleTensorError(
                errors.at_user_line(f"{shown(tensor)} belongs to another function: pass it as an argument")
            )
        if value.dtype.kind == "O":
            handles.append(tensor)
        else:
            made = constant_node(copy, np.asarray(to_numpy(tensor)), value.node.name, value.node)
            copy.nodes[copy.nodes.index(value.node)] = made
            replaced[value] = made.outputs[0]
    copy.inputs = [v for v in copy.inputs if v not in replaced]
    if replaced:
        substitute(copy, replaced)
        copy.outputs = [replaced.get(v, v) for v in copy.outputs]
        _infer_again(copy)
    for pass_ in PASSES:
        pass_(copy)
    return copy, handles


def _infer_again(graph: Graph) -> None:
    """Finds out what else is known of shapes, now that captured tensors are constants."""
    for node in graph.nodes:
        if not node.inputs or node.op.structure is not None:
            continue
        try:
            shapes = node.op.infer(InferContext(node.op, node.inputs, node.attrs))
        except errors.ShapeError:  # it is refused when it runs
            continue
        if len(node.outputs) == 1 and not isinstance(shapes, list):
            shapes = [shapes]
        for value, dims in zip(node.outputs, shapes or ()):
            value.dims = merge(value.dims, dims)


def unmapped_text(name: str, refused: Iterable[Unmapped]) -> str:
    """What the error lists: each node with its op, the reason and the line that made it."""
    lines = []
    for node, reason in refused:
        place = f" ({node.location[0]}:{node.location[1]})" if node.location else ""
        lines.append(f"  {node.name}: {node.type}: {reason}{place}")
    count = f"{len(lines)} nodes" if len(lines) > 1 else "a node"
    return f"{name} has {count} that ONNX cannot express; nothing was written:\n" + "\n".join(lines)


def _plain_name(name: str) -> str:
    return "".join(c if c.isalnum() or c == "_" else "_" for c in name).strip("_") or "function"


def _arguments(graph: Graph, handles: Sequence[Tensor], into: OnnxGraph) -> dict[Value, Held]:
    count = len(graph.inputs) - len(handles)
    env: dict[Value, Held] = {}
    for value in graph.inputs[:count]:
        if value.dtype.kind == "O" or value.dtype.is_complex:
            raise errors.UnimplementedError(
                None, None, f"the argument {value.node.name!r} is of dtype {value.dtype.name}, which ONNX does not have"
            )
        env[value] = into.argument(value.node.name, value.dtype, value.dims)
    for value, outer in zip(graph.inputs[count:], handles):
        env[value] = HandleRef(behind(outer))
    return env


def _output_names(concrete: ConcreteFunction) -> list[str]:
    """Names of the results: the keys of a dict, or `output_0` and so on."""
    structured = concrete.graph.structured_outputs
    count = len(concrete.graph.outputs)
    if isinstance(structured, dict) and all(isinstance(v, Tensor) for v in structured.values()):
        return [str(key) for key, _ in children(structured)] if is_nested(structured) else []
    return [f"output_{i}" for i in range(count)]


def _output(into: OnnxGraph, name: str, value: Value, held: Held, renamed: dict[str, str]) -> None:
    dims = value.dims
    if value.dtype.is_complex:
        raise errors.UnimplementedError(
            None, None, f"the result {name!r} is of dtype {value.dtype.name}, which ONNX does not have"
        )
    if isinstance(held, ListRef) and held.is_dense and held.dims is not None:
        dims = (None, *held.dims)
        held = held.ref  # a list of tensors of one shape is given back as their rows
    if not isinstance(held, Ref):
        raise errors.UnimplementedError(None, None, f"the result {name!r} is no tensor, which ONNX cannot give back")
    free = into.fresh(name)
    source = renamed.get(held.name, held.name)
    if _rename(into, source, free):
        renamed[held.name] = free
    else:
        into.steps.append(_identity(source, free))
    into.outputs.append(Port(Ref(free, held.dtype), dims))


def _identity(source: str, target: str) -> Step:
    return Step("Identity", [source], [target], {})


def _rename(into: OnnxGraph, old: str, new: str) -> bool:
    """Gives the value called `old` another name, if a node of this graph makes it and nobody else has named it."""
    if any(p.ref.name == old for p in into.outputs) or all(old not in s.outputs for s in into.steps):
        return False
    for step in into.steps:
        step.outputs = [new if n == old else n for n in step.outputs]
    _rename_inputs(into, old, new)
    return True


def _rename_inputs(graph: OnnxGraph, old: str, new: str) -> None:
    for step in graph.steps:
        step.inputs = [new if n == old else n for n in step.inputs]
        for inner in graphs_of(step.attrs):
            _rename_inputs(inner, old, new)
    graph.outputs = [p._replace(ref=p.ref._replace(name=new)) if p.ref.name == old else p for p in graph.outputs]


def _check_ports(ports: Iterable[Port], what: str) -> None:
    for port in ports:
        if port.dims is None:
            raise errors.UnimplementedError(
                None, None,
                f"the {what} {port.ref.name!r} has no known rank, which ONNX asks for: give it a shape, "
                "with None for what is open (tf.TensorSpec, tf.ensure_shape)",
            )  # fmt: skip


def graphs_of(attrs: dict[str, Attribute]) -> list[OnnxGraph]:
    """The graphs that a node holds."""
    return [v for v in attrs.values() if isinstance(v, OnnxGraph)]


def drop_unused(graph: OnnxGraph, wanted: set[str]) -> set[str]:
    """Drops nodes that nobody needs; returns the names that the graph needs."""
    wanted = wanted | {p.ref.name for p in graph.outputs}
    kept = []
    for step in reversed(graph.steps):
        if wanted.isdisjoint(step.outputs):
            continue
        kept.append(step)
        wanted.update(step.inputs)
        for inner in graphs_of(step.attrs):
            wanted |= drop_unused(inner, set())
    graph.steps = kept[::-1]
    if graph.outer is None:
        for name in [n for n in graph.shared.arrays if n not in wanted]:
            del graph.shared.arrays[name]
    return wanted


# --- messages --------------------------------------------------------------------------------------------------------
def to_message(graph: OnnxGraph) -> Any:
    """An ONNX graph as a `ModelProto`."""
    from graphrt.export.onnx import schema  # lazy: protobuf

    model = schema.message_class("ModelProto")()
    model.ir_version = schema.IR_VERSION
    model.producer_name, model.producer_version = "graphrt", __version__
    domains = {s.domain for s in all_steps(graph)}
    model.opset_import.add(domain="", version=schema.OPSET)
    for domain in sorted(filter(None, domains)):
        model.opset_import.add(domain=domain, version=schema.ML_OPSET)
    _write_graph(model.graph, graph)
    for name, array in graph.shared.arrays.items():
        write_tensor(model.graph.initializer.add(), array, name)
    return model


def all_steps(graph: OnnxGraph) -> Iterable[Step]:
    """The nodes of a graph and of those inside of it."""
    for step in graph.steps:
        yield step
        for inner in graphs_of(step.attrs):
            yield from all_steps(inner)


def _write_graph(message: Any, graph: OnnxGraph) -> None:
    message.name = graph.name
    for port in graph.inputs:
        _write_port(message.input.add(), port, True)
    for port in graph.outputs:
        _write_port(message.output.add(), port, False)
    for step in graph.steps:
        node = message.node.add(op_type=step.op, name=step.outputs[0], domain=step.domain)
        node.input.extend(step.inputs)
        node.output.extend(step.outputs)
        for name in sorted(step.attrs):
            _write_attribute(node.attribute.add(name=name), step.attrs[name])


def _write_port(message: Any, port: Port, is_input: bool) -> None:
    from graphrt.export.onnx.schema import NUMBERS  # lazy: protobuf

    message.name = port.ref.name
    type_ = message.type.sequence_type.elem_type if port.is_sequence else message.type
    type_.tensor_type.elem_type = NUMBERS[port.ref.dtype]
    if port.dims is not None:
        _write_dims(type_.tensor_type.shape, port.dims, port.ref.name if is_input else "")


def _write_dims(message: Any, dims: Dims, name: str) -> None:
    message.SetInParent()
    for axis, size in enumerate(dims or ()):
        dim = message.dim.add()
        if size is not None:
            dim.dim_value = size
        elif name:
            dim.dim_param = f"{name}_{axis}"


def write_tensor(message: Any, array: Array, name: str = "") -> None:
    """Writes an array as a `TensorProto`."""
    from graphrt.export.onnx.schema import NUMBERS  # lazy: protobuf

    dtype = string if array.dtype == object else from_numpy(array.dtype)
    message.name, message.data_type = name, NUMBERS[dtype]
    message.dims.extend(array.shape)
    if dtype is string:
        message.string_data.extend(array.reshape(-1).tolist())
    else:
        message.raw_data = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()


def _write_attribute(message: Any, value: Attribute) -> None:
    from graphrt.export.onnx import schema  # lazy: protobuf

    if isinstance(value, OnnxGraph):
        message.type = schema.GRAPH
        _write_graph(message.g, value)
    elif isinstance(value, np.ndarray):
        message.type = schema.TENSOR
        write_tensor(message.t, value)
    elif isinstance(value, (str, bytes)):
        message.type, message.s = schema.STRING, value.encode() if isinstance(value, str) else value
    elif isinstance(value, int):
        message.type, message.i = schema.INT, value
    elif isinstance(value, float):
        message.type, message.f = schema.FLOAT, value
    else:
        _write_list(message, list(value))


def _write_list(message: Any, values: Sequence[Any]) -> None:
    from graphrt.export.onnx import schema  # lazy: protobuf

    if values and isinstance(values[0], float):
        message.type = schema.FLOATS
        message.floats.extend(values)
    elif values and isinstance(values[0], (str, bytes)):
        message.type = schema.STRINGS
        message.strings.extend(v.encode() if isinstance(v, str) else v for v in values)
    else:
        message.type = schema.INTS
        message.ints.extend(int(v) for v in values)
