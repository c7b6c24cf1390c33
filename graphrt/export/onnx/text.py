"""ONNX models as text that people read, and that tests compare.

    graph f(x: float32[x_0,2]) -> (output_0: float32[?,2])
      add/y: float32[] = 1.0
      Relu = Relu(x)
      output_0 = Add(Relu, add/y)

A graph that a node holds stands below it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt.export.onnx.schema import DTYPES, FLOAT, FLOATS, GRAPH, INT, INTS, STRING, STRINGS, TENSOR
from graphrt.export.onnx.tensors import read_model, read_tensor
from graphrt.types.likes import PathLike

_LISTED = 16  # elements: of larger constants the type is told


def onnx_text(path: PathLike) -> str:
    """An ONNX file as text: its arguments and results, its constants, its nodes.

    >>> import graphrt as tf, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "model.onnx")
    >>> tf.export.to_onnx(tf.function(lambda x: -x).get_concrete_function(tf.TensorSpec([2], name="x")), path)
    >>> print(tf.export.onnx_text(path), end="")
    graph lambda(x: float32[2]) -> (output_0: float32[2])
      output_0 = Neg(x)

    Raises:
      DataLossError: the file is damaged, or no ONNX model.
      NotFoundError: there is none.
    """
    return model_text(read_model(os.fsdecode(path)))


def model_text(model: Any) -> str:
    """A `ModelProto` as text."""
    return "".join(f"{line}\n" for line in _graph(model.graph, ""))


def _graph(graph: Any, indent: str) -> Iterator[str]:
    constants = {t.name for t in graph.initializer}
    inputs = ", ".join(_port(p) for p in graph.input if p.name not in constants)
    outputs = ", ".join(_port(p) for p in graph.output)
    yield f"{indent}graph {graph.name}({inputs}) -> ({outputs})"
    for tensor in graph.initializer:
        yield f"{indent}  {tensor.name}: {_tensor(tensor)}"
    for node in graph.node:
        attributes = [a for a in node.attribute if a.type != GRAPH]
        arguments = [*node.input, *(f"{a.name}={_attribute(a)}" for a in sorted(attributes, key=lambda a: a.name))]
        op = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
        yield f"{indent}  {', '.join(node.output)} = {op}({', '.join(arguments)})"
        for attribute in sorted(node.attribute, key=lambda a: a.name):
            if attribute.type == GRAPH:
                yield f"{indent}    {attribute.name}:"
                yield from _graph(attribute.g, indent + "    ")


def _port(port: Any) -> str:
    return f"{port.name}: {type_text(port.type)}" if port.HasField("type") else port.name


def type_text(type_: Any) -> str:
    """A `TypeProto` as text: `float32[?,3]`, `sequence(float32[...])`."""
    kind = type_.WhichOneof("value")
    if kind == "sequence_type":
        return f"sequence({type_text(type_.sequence_type.elem_type)})"
    if kind == "optional_type":
        return f"optional({type_text(type_.optional_type.elem_type)})"
    dims = [_dim(d) for d in type_.tensor_type.shape.dim] if type_.tensor_type.HasField("shape") else ["..."]
    return f"{_dtype(type_.tensor_type.elem_type)}[{','.join(dims)}]"


def _dim(dim: Any) -> str:
    return str(dim.dim_value) if dim.WhichOneof("value") == "dim_value" else dim.dim_param or "?"


def _dtype(number: int) -> str:
    return DTYPES[number].name if number in DTYPES else f"type {number}"


def _tensor(tensor: Any) -> str:
    head = f"{_dtype(tensor.data_type)}[{','.join(map(str, tensor.dims))}]"
    if np.prod(tensor.dims, dtype=np.float64) > _LISTED:
        return head
    return f"{head} = {read_tensor(tensor, tensor.name).tolist()}"


def _attribute(attribute: Any) -> str:
    shown = {
        FLOAT: lambda: f"{attribute.f:.6g}", INT: lambda: str(attribute.i), STRING: lambda: repr(attribute.s)[1:],
        FLOATS: lambda: str([float(f"{v:.6g}") for v in attribute.floats]), INTS: lambda: str(list(attribute.ints)),
        STRINGS: lambda: str(list(attribute.strings)), TENSOR: lambda: _tensor(attribute.t),
    }  # fmt: skip
    return shown[attribute.type]() if attribute.type in shown else f"kind {attribute.type}"
