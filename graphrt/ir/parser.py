"""Reads the text that `printer` writes: `parse_graph(graph_text(g))` is a graph with the same text.

Hand-written texts may leave out what can be filled in: names of nodes, attributes that have defaults.
"""

from __future__ import annotations

import ast
import base64
import json
import re
from typing import Any

import numpy as np

from graphrt.errors import InternalError, InvalidArgumentError
from graphrt.ir.attributes import faults
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.op import CALLS_PYTHON, CONSTANT, REGISTRY, REQUIRED, OpDef
from graphrt.ir.printer import SHORT
from graphrt.ir.verify import verify
from graphrt.types.dtype import DType, as_dtype
from graphrt.types.float_warnings import silently
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims, num_elements

_LONG = {short: as_dtype(name) for name, short in SHORT.items()}
_TOKEN = re.compile(
    r"""(?P<space>[ \t]+)
      | (?P<value>%\d+)
      | (?P<bytes>b'(?:[^'\\]|\\.)*'|b"(?:[^"\\]|\\.)*")
      | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<object><[^<>]*>)
      | (?P<arrow>->)
      | (?P<dots>\.\.\.)
      | (?P<word>[A-Za-z0-9_.+\-][A-Za-z0-9_.+/\\>-]*)
      | (?P<sign>[()\[\],:=@~?])""",
    re.VERBOSE,
)


def parse_graph(text: str, make: Any = None) -> Graph:
    """The graph that `text` shows. `make(name)` makes the graphs (`Graph` if not given).

    >>> import graphrt as tf
    >>> parse_graph("graph g() -> (%0)\\n  %0: f32[2] = Const(value=[1.0, 2.0])")
    <graph g: 1 nodes>

    Raises:
      InvalidArgumentError: the text is malformed, or names something that does not exist; with the line's number.
    """
    return _Parser(text, make or Graph).parse()


class _Line:
    """The tokens of one line, and the place reached in them."""

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self.text = text
        self.indent = len(text) - len(text.lstrip(" "))
        self.tokens: list[tuple[str, str]] = []
        self.at = 0
        position = 0
        stripped = text.strip()
        while position < len(stripped):
            match = _TOKEN.match(stripped, position)
            if match is None:
                raise self.error(f"unexpected character {shown(stripped[position])}")
            if match.lastgroup != "space":
                self.tokens.append((str(match.lastgroup), match.group()))
            position = match.end()

    def error(self, why: str) -> InvalidArgumentError:
        return InvalidArgumentError(None, None, f"line {self.number}: {why}, in: {self.text.strip()[:200]}")

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "the end of the line")

    def take(self) -> tuple[str, str]:
        token = self.peek()
        self.at += 1
        return token

    def accept(self, text: str) -> bool:
        if self.peek()[1] == text and self.peek()[0] in ("sign", "arrow", "word", "dots"):
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise self.error(f"expected {text!r}, found {shown(self.peek()[1])}")

    def sequence(self, end: str, item: Any) -> list[Any]:
        found: list[Any] = []
        while not self.accept(end):
            if found:
                self.expect(",")
            found.append(item())
        return found

    def name(self) -> str:
        kind, text = self.take()
        if kind == "word":
            return text
        if kind == "string":
            return str(json.loads(text))
        raise self.error(f"expected a name, found {text!r}")


class _Reference:
    """A graph named before it was read."""

    def __init__(self, label: str) -> None:
        self.label = label


class _Parser:
    def __init__(self, text: str, make: Any) -> None:
        self.make = make
        self.lines = [_Line(i, t) for i, t in enumerate(text.splitlines(), 1) if t.strip()]
        self.at = 0
        self.graphs: dict[str, Graph] = {}
        self.holders: list[tuple[Node, _Line]] = []

    def parse(self) -> Graph:
        try:
            return self.whole()
        except RecursionError:
            raise InvalidArgumentError(None, None, "the text of the graph is nested too deep") from None
        except ValueError as error:  # a bad escape in a name
            raise InvalidArgumentError(None, None, f"the text of the graph cannot be read ({error})") from error

    def whole(self) -> Graph:
        if not self.lines:
            raise InvalidArgumentError(None, None, "the text of a graph is empty")
        graph = self.graph()
        if self.at < len(self.lines):
            raise self.lines[self.at].error("expected the end of the text")
        for node, line in self.holders:
            for key, value in node.attrs.items():
                node.attrs[key] = self.resolve(value, line)
            wrong = faults(node.op, node.attrs)
            if wrong is not None:
                raise line.error(f"node {node.name!r} ({node.type}): {wrong}")
        try:
            return verify(graph)
        except InternalError as error:
            raise InvalidArgumentError(None, None, str(error)) from None

    def resolve(self, value: Any, line: _Line) -> Any:
        if isinstance(value, _Reference):
            if value.label not in self.graphs:
                raise line.error(f"no graph {shown(value.label)} stands in the text")
            return self.graphs[value.label]
        if isinstance(value, list) and any(isinstance(v, _Reference) for v in value):
            return [self.resolve(v, line) for v in value]
        return value

    def label(self, line: _Line) -> tuple[str, str]:
        name = line.name()
        if line.accept("~"):
            return name, f"{name}~{line.name()}"
        return name, name

    def graph(self) -> Graph:
        head = self.lines[self.at]
        self.at += 1
        head.expect("graph")
        name, label = self.label(head)
        if label in self.graphs:
            raise head.error(f"graph {label!r} stands in the text twice")
        graph: Graph = self.make(name)
        self.graphs[label] = graph
        head.expect("(")
        inputs = head.sequence(")", lambda: self.typed(head))
        head.expect("->")
        head.expect("(")
        outputs = head.sequence(")", head.take)
        values: dict[str, Value] = {}
        nodes: dict[str, Node] = {}
        while self.at < len(self.lines) and self.lines[self.at].indent > head.indent:
            line = self.lines[self.at]
            if line.peek() == ("word", "graph"):
                self.graph()
            else:
                self.at += 1
                try:
                    self.node(graph, line, values, nodes)
                except (ValueError, TypeError, OverflowError, SyntaxError, MemoryError) as error:
                    raise line.error(f"cannot be read ({error})") from error  # a bad escape, bad base64, ...
        for text, dtype, dims in inputs:
            value = self.value(values, text, head)
            if (value.dtype, value.dims) != (dtype, dims):
                raise head.error(f"{text} has another type below")
            graph.inputs.append(value)
        graph.outputs = [self.value(values, text, head) for _, text in outputs]
        return graph

    def typed(self, line: _Line) -> tuple[str, DType, Dims]:
        kind, text = line.take()
        if kind != "value":
            raise line.error(f"expected a value such as %0, found {text!r}")
        line.expect(":")
        return text, self.dtype(line), self.dims(line)

    def dtype(self, line: _Line) -> DType:
        _, text = line.take()
        if text not in _LONG:
            raise line.error(f"{text!r} is no dtype")
        return _LONG[text]

    def dims(self, line: _Line) -> Dims:
        line.expect("[")
        if line.accept("..."):
            line.expect("]")
            return None
        return tuple(line.sequence("]", lambda: None if line.accept("?") else self.integer(line)))

    def integer(self, line: _Line) -> int:
        _, text = line.take()
        try:
            return int(text)
        except ValueError:
            raise line.error(f"expected an integer, found {text!r}") from None

    def value(self, values: dict[str, Value], text: str, line: _Line) -> Value:
        if text not in values:
            raise line.error(f"{text} is not defined above" if text.startswith("%") else f"{text!r} is no value")
        return values[text]

    def node(self, graph: Graph, line: _Line, values: dict[str, Value], nodes: dict[str, Node]) -> None:
        outputs: list[tuple[str, DType, Dims]] = []
        while line.peek()[0] == "value":
            outputs.append(self.typed(line))
            if not line.accept(","):
                line.expect("=")
        type_ = line.name()
        op = REGISTRY.get(type_)
        if op is None:
            raise line.error(f"no op {shown(type_)} is declared")
        if op.has(CALLS_PYTHON):
            raise line.error(f"{type_} calls a Python function, which has no text to be read from")
        line.expect("(")
        inputs: list[Any] = []
        attrs: dict[str, Any] = {}

        def item() -> None:
            if line.peek()[0] == "value":
                inputs.append(self.value(values, line.take()[1], line))
            elif line.accept("["):
                inputs.append(line.sequence("]", lambda: self.value(values, line.take()[1], line)))
            else:
                key = line.name()
                line.expect("=")
                declared = op.attrs.get(key)
                attrs[key] = self.attr(line, op, key, declared.kind if declared else None, outputs)

        line.sequence(")", item)
        name = graph.unique_name(op.type) if not line.accept("as") else self.fresh(graph, line)
        controls = []
        if line.accept("after"):
            line.expect("(")
            for other in line.sequence(")", line.name):
                if other not in nodes:
                    raise line.error(f"no node {shown(other)} stands above")
                controls.append(nodes[other])
        if line.peek()[0] != "end":
            raise line.error(f"unexpected {shown(line.peek()[1])}")
        node = self.make_node(graph, line, op, name, inputs, attrs, outputs)
        node.controls = controls
        nodes[name] = node
        for (text, _, _), value in zip(outputs, node.outputs):
            if text in values:
                raise line.error(f"{text} is defined twice")
            values[text] = value

    def fresh(self, graph: Graph, line: _Line) -> str:
        name = line.name()
        if graph.unique_name(name) != name:
            raise line.error(f"the name {name!r} is taken")
        return name

    def make_node(
        self, graph: Graph, line: _Line, op: OpDef, name: str, inputs: list[Any], attrs: dict[str, Any],
        outputs: list[tuple[str, DType, Dims]],
    ) -> Node:  # fmt: skip
        if len(inputs) != len(op.inputs) or any(isinstance(v, list) != a.is_list for v, a in zip(inputs, op.inputs)):
            wanted = ", ".join(f"[{a.name}]" if a.is_list else a.name for a in op.inputs)
            raise line.error(f"{op.type} takes ({wanted})")
        flat = [v for item in inputs for v in (item if isinstance(item, list) else [item])]
        node = Node(graph, op, name, flat, _complete(op, inputs, attrs, outputs, line))
        node.outputs = [Value(node, i, dims, dtype) for i, (_, dtype, dims) in enumerate(outputs)]
        graph.nodes.append(node)
        graph.version += 1
        self.holders.append((node, line))
        return node

    # --- attributes ---
    def attr(self, line: _Line, op: OpDef, key: str, kind: str | None, outputs: list[tuple[str, DType, Dims]]) -> Any:
        if kind == "tensor":
            if op.has(CONSTANT):
                if len(outputs) != 1:
                    raise line.error(f"{op.type} has one output")
                return self.array(line, outputs[0][1], outputs[0][2])
            return self.array(line, self.dtype(line), self.dims(line))
        return self.scalar(line, kind)

    def scalar(self, line: _Line, kind: str | None) -> Any:
        if kind == "shape":
            return self.dims(line)
        if line.accept("["):
            inner = kind[5:-1] if kind is not None and kind.startswith("list(") else None
            return line.sequence("]", lambda: self.scalar(line, inner))
        if line.accept("@"):
            return _Reference(self.label(line)[1])
        sort, text = line.take()
        if sort == "string":
            return json.loads(text)
        if sort == "bytes":
            return ast.literal_eval(text)
        if sort == "object":
            raise line.error(f"the attribute {text} is a Python object: it has no text to be read from")
        if text in ("true", "false"):
            return text == "true"
        if text == "none":
            return None
        if text in _LONG:
            return _LONG[text]
        try:
            return float(text) if kind == "float" else int(text)
        except ValueError:
            pass
        try:
            return float(text)
        except ValueError:
            raise line.error(f"{text!r} is no attribute value") from None

    def array(self, line: _Line, dtype: DType, dims: Dims) -> Any:
        size = num_elements(dims)
        if dims is None or size is None:
            raise line.error("an array has a fully known shape")
        numpy_type = dtype.as_numpy_dtype
        if line.accept("all"):
            return np.full(dims, self.element(line, dtype), numpy_type)
        if line.accept("bytes"):
            raw = base64.b64decode(json.loads(line.take()[1]))
            return np.frombuffer(raw, np.dtype(numpy_type).newbyteorder("<")).astype(numpy_type).reshape(dims)
        found: list[Any] = []
        self.elements(line, dtype, found)
        if len(found) != size:
            raise line.error(f"{len(found)} elements for the shape {list(dims)}")
        array = np.empty(size, numpy_type)
        for i, v in enumerate(found):
            array[i] = v
        array = array.reshape(dims)
        return array if dims or dtype.kind == "S" else array[()]

    def elements(self, line: _Line, dtype: DType, found: list[Any]) -> None:
        if line.accept("["):
            line.sequence("]", lambda: self.elements(line, dtype, found))
        else:
            found.append(self.element(line, dtype))

    def element(self, line: _Line, dtype: DType) -> Any:
        if dtype.kind == "c":
            line.expect("(")
            part = np.float32 if dtype.size == 8 else np.float64
            real = self.real(line, part)
            line.expect(",")
            number = np.empty((), dtype.as_numpy_dtype)
            number.real, number.imag = real, self.real(line, part)
            line.expect(")")
            return number[()]
        if dtype.kind == "f":
            return self.real(line, dtype.as_numpy_dtype)
        sort, text = line.take()
        try:
            if dtype.kind == "S" and sort == "bytes":
                return ast.literal_eval(text)
            if dtype.kind == "b" and text in ("true", "false"):
                return text == "true"
            if dtype.kind in "iu":
                return dtype.as_numpy_dtype(int(text))
        except (ValueError, OverflowError):
            pass
        raise line.error(f"{text!r} is no {dtype.name}")

    def real(self, line: _Line, numpy_type: Any) -> Any:
        _, text = line.take()
        if text == "nan" and line.peek()[0] == "string":
            raw = bytes.fromhex(json.loads(line.take()[1]))[::-1]
            if len(raw) == np.dtype(numpy_type).itemsize:
                return np.frombuffer(raw, numpy_type)[0]
        try:
            if numpy_type in (np.float32, np.float64, np.float16):
                return silently(numpy_type, text)
            return silently(numpy_type, float(text))
        except ValueError:
            raise line.error(f"{text!r} is no number") from None


def _complete(
    op: OpDef, inputs: list[Any], given: dict[str, Any], outputs: list[tuple[str, DType, Dims]], line: _Line
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for arg, item in zip(op.inputs, inputs):
        if arg.number_attr:
            found.setdefault(arg.number_attr, len(item))
            if arg.type_attr and item:
                found.setdefault(arg.type_attr, item[0].dtype)
        elif arg.list_attr:
            found.setdefault(arg.list_attr, [v.dtype for v in item])
        elif arg.type_attr:
            found.setdefault(arg.type_attr, item.dtype)
    if len(op.outputs) == 1 and op.outputs[0].list_attr:
        found.setdefault(op.outputs[0].list_attr, [dtype for _, dtype, _ in outputs])
    elif not any(a.is_list for a in op.outputs):
        for arg, (_, dtype, _) in zip(op.outputs, outputs):
            if arg.type_attr:
                found.setdefault(arg.type_attr, dtype)
    complete: dict[str, Any] = {}
    for attr in op.attrs.values():
        if attr.name in given:
            complete[attr.name] = given[attr.name]
        elif attr.name in found:
            complete[attr.name] = found[attr.name]
        elif attr.default is not REQUIRED:
            complete[attr.name] = list(attr.default) if isinstance(attr.default, (list, tuple)) else attr.default
        else:
            raise line.error(f"{op.type} needs the attribute {attr.name!r}")
    return complete | {k: v for k, v in given.items() if k not in complete}
