"""Graphs as text that people read and `parser` reads back exactly.

    graph f(%0: i32[], %1: f32[?,3]) -> (%5)
      %0: i32[] = Placeholder(shape=[]) as x
      %1: f32[?,3] = Placeholder(shape=[?,3]) as y
      %2: i32[] = Const(value=0) as Greater/y
      %3: bool[] = Greater(%0, %2)
      %4: i32[] = StatelessIf(%3, [%0], then_branch=@yes, else_branch=@no) as cond
        graph yes(%0: i32[]) -> (%1)
          ...
      %5: i32[] = Identity(%4)

Values are numbered within their graph. Attributes that follow from inputs and outputs, or have their default, are left
out, and so are names that a node would get by itself. `after (a, b)` at the end of a line names control inputs. A
graph that several nodes hold is printed below the first of them.
"""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import numpy as np

from graphrt.ir.graph import Graph, Node, Value
from graphrt.types.dtype import DType, as_dtype, from_numpy
from graphrt.types.shape import Dims

SHORT = {
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "int8": "i8", "int16": "i16",
    "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "complex64": "c64", "complex128": "c128", "bool": "bool", "string": "str", "resource": "resource",
    "variant": "variant",
}  # fmt: skip
_PLAIN_NAME = re.compile(r"[A-Za-z0-9._/>\\-]+\Z")
_LISTED = 64  # elements: larger arrays are written as bytes


def graph_text(graph: Graph, names: bool = True) -> str:
    """`graph` and the graphs its nodes hold as text.

    Without `names` the nodes' names are left out, which is better to read and no longer exact.

    >>> import graphrt as tf
    >>> concrete = tf.function(lambda x: -x).get_concrete_function(tf.TensorSpec([None]))
    >>> print(graph_text(concrete.graph, names=False).splitlines()[2])
      %1: f32[?] = Neg(%0)
    """
    lines: list[str] = []
    _Printer(names, lines).graph(graph, "")
    return "".join(f"{line}\n" for line in lines)


def node_text(node: Node) -> str:
    """One node as a line, its values numbered as in the text of its graph."""
    printer = _Printer(True, [])
    return printer.line(node, printer.numbers(node.graph), True)


def attributes_text(node: Node) -> str:
    """The attributes of a node as they stand in its line.

    >>> from graphrt.ir.parser import parse_graph
    >>> attributes_text(parse_graph("graph f() -> (%0)\\n  %0: i32[] = Const(value=3)\\n").nodes[0])
    'value=3'
    """
    printer = _Printer(True, [])
    return ", ".join(f"{k}={printer.attr(node, k, v)}" for k, v in node.attrs.items() if not implied(node, k))


class _Printer:
    def __init__(self, names: bool, lines: list[str]) -> None:
        self.names = names
        self.lines = lines
        self.labels: dict[int, str] = {}
        self.taken: dict[str, int] = {}
        self.printed: set[int] = set()

    def graph(self, graph: Graph, indent: str) -> None:
        self.printed.add(id(graph))
        numbers = self.numbers(graph)
        taken = ", ".join(f"{numbers[v]}: {type_text(v.dtype, v.dims)}" for v in graph.inputs)
        given = ", ".join(numbers[v] for v in graph.outputs)
        self.lines.append(f"{indent}graph {self.label(graph)}({taken}) -> ({given})")
        inner = indent + "  "
        scratch = Graph()
        for node in graph.nodes:
            if _might_be_default(node) and scratch.unique_name(node.type, mark=False) == node.name:
                scratch.unique_name(node.type)
                named = False
            else:
                scratch.unique_name(node.name)
                named = True
            self.lines.append(inner + self.line(node, numbers, named))
            for _, held in node.subgraphs():
                if id(held) not in self.printed:
                    self.graph(held, inner + "  ")

    def numbers(self, graph: Graph) -> dict[Value, str]:
        found: dict[Value, str] = {}
        for node in graph.nodes:
            for value in node.outputs:
                found[value] = f"%{len(found)}"
        return _Numbers(found)

    def label(self, graph: Graph) -> str:
        known = self.labels.get(id(graph))
        if known is None:
            count = self.taken.get(graph.name, 0)
            self.taken[graph.name] = count + 1
            name = name_text(graph.name)
            known = self.labels[id(graph)] = f"{name}~{count}" if count else name
        return known

    def line(self, node: Node, numbers: dict[Value, str], named: bool) -> str:
        outputs = ", ".join(f"{numbers[v]}: {type_text(v.dtype, v.dims)}" for v in node.outputs)
        parts = []
        for item in node.op.group(node.inputs, node.attrs):
            if isinstance(item, list):
                parts.append("[" + ", ".join(numbers[v] for v in item) + "]")
            else:
                parts.append(numbers[item])
        for key, value in node.attrs.items():
            if not implied(node, key):
                parts.append(f"{key}={self.attr(node, key, value)}")
        text = f"{node.type}({', '.join(parts)})"
        if outputs:
            text = f"{outputs} = {text}"
        if named and self.names:
            text += f" as {name_text(node.name)}"
        if node.controls:
            text += f" after ({', '.join(name_text(n.name) for n in node.controls)})"
        return text

    def attr(self, node: Node, key: str, value: Any) -> str:
        declared = node.op.attrs.get(key)
        kind = declared.kind if declared is not None else None
        if kind == "tensor":
            return array_text(value, not node.is_constant)
        return self.value(value, kind)

    def value(self, value: Any, kind: str | None) -> str:
        if kind == "shape" or (kind is None and isinstance(value, tuple)):
            return dims_text(value)
        if isinstance(value, Graph):
            return f"@{self.label(value)}"
        if isinstance(value, (list, tuple)):
            inner = kind[5:-1] if kind is not None and kind.startswith("list(") else None
            return "[" + ", ".join(self.value(v, inner) for v in value) + "]"
        if value is None:
            return "none"
        if isinstance(value, DType):
            return SHORT[value.name]
        if kind == "type":
            return SHORT[as_dtype(value).name]
        if isinstance(value, (bool, np.bool_)):
            return "true" if value else "false"
        if isinstance(value, (int, np.integer)):
            return str(int(value))
        if isinstance(value, (float, np.floating)):
            return repr(float(value))
        if isinstance(value, str):
            return json.dumps(value)
        if isinstance(value, bytes):
            return repr(value)
        if isinstance(value, np.ndarray):
            return array_text(value, True)
        return f"<{getattr(value, '__qualname__', None) or type(value).__qualname__}>"


class _Numbers(dict[Value, str]):
    """Numbers of values; one that is not of this graph prints as what is wrong with it."""

    def __missing__(self, value: Value) -> str:
        return f"%?{value.name}"


def _might_be_default(node: Node) -> bool:
    rest = node.name.removeprefix(node.type)
    return not rest or (rest != node.name and rest[0] == "_" and rest[1:].isdecimal())


def implied(node: Node, key: str) -> bool:
    """Whether attribute `key` follows from the inputs, the outputs or the declaration of the op."""
    op, value = node.op, node.attrs[key]
    declared = op.attrs.get(key)
    if declared is None:
        return False
    for arg in op.inputs:
        if key in (arg.number_attr, arg.list_attr):
            return True
        if key == arg.type_attr and (not arg.number_attr or node.attrs.get(arg.number_attr)):
            return True
    for arg in op.outputs:
        if key == arg.list_attr and len(op.outputs) == 1:
            return True
        if key == arg.type_attr and not arg.is_list:
            return True
    return (
        type(value) is type(declared.default)
        and bool(value == declared.default)
        and repr(value) == repr(declared.default)
    )


def name_text(name: str) -> str:
    """A name, in quotes where it has unusual characters."""
    return name if _PLAIN_NAME.match(name) else json.dumps(name)


def type_text(dtype: DType, dims: Dims) -> str:
    """`f32[2,?]`; `f32[...]` when the rank is unknown."""
    return SHORT[dtype.name] + dims_text(dims)


def dims_text(dims: Dims) -> str:
    """`[2,?]`, or `[...]` when the rank is unknown."""
    return "[...]" if dims is None else "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"


def array_text(value: Any, typed: bool) -> str:
    """An array, exactly: a scalar, nested lists, `all x` for one repeated value, `bytes "..."` for a large one."""
    array = np.asarray(value)
    dtype = from_numpy(array.dtype)
    prefix = f"{type_text(dtype, array.shape)} " if typed else ""
    if array.ndim == 0:
        return prefix + _element(array[()], dtype)
    if array.size > _LISTED and dtype.kind != "S":
        raw = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(-1)
        rows = raw.view(np.uint8).reshape(raw.size, -1)
        if bool((rows == rows[0]).all()):
            return f"{prefix}all {_element(raw[0], dtype)}"
        return f'{prefix}bytes "{base64.b64encode(raw.tobytes()).decode()}"'
    return prefix + _nested(array, dtype)


def _nested(array: Any, dtype: DType) -> str:
    if array.ndim == 0:
        return _element(array[()], dtype)
    return "[" + ", ".join(_nested(array[i, ...], dtype) for i in range(array.shape[0])) + "]"


def _element(value: Any, dtype: DType) -> str:
    if dtype.kind == "b":
        return "true" if value else "false"
    if dtype.kind in "iu":
        return str(int(value))
    if dtype.kind == "S":
        return repr(value if isinstance(value, bytes) else bytes(np.asarray(value).item()))
    if dtype.kind == "c":
        return f"({_real(value.real)}, {_real(value.imag)})"
    return _real(value)


def _real(value: Any) -> str:
    if np.isnan(value):
        bits = np.asarray(value).tobytes()
        plain = np.asarray(np.nan, np.asarray(value).dtype).tobytes()
        return "nan" if bits == plain else f'nan"{bits[::-1].hex()}"'
    if type(value).__name__ == "bfloat16":
        return repr(float(value))
    text = str(value)
    return text if any(c in text for c in ".einf") else text + ".0"
