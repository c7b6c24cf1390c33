"""A model of ONNX being read: each node by the rule of its op, which records what it means into the graph being traced.

    "Gemm": lambda c: ops.AddV2(ops.MatMul(c[0], c[1]), c[2])

Nothing in the file is believed, and nothing of it is executed but ops.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphrt import errors
from graphrt.export.onnx import schema
from graphrt.export.onnx.tensors import damaged, read_tensor
from graphrt.function.concrete import ConcreteFunction
from graphrt.function.function import function
from graphrt.ir.graph import Graph
from graphrt.ops.array.identity import identity
from graphrt.ops.lists.tensor_array import TensorArray
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.queries import get_static_value
from graphrt.tensor.tensor import Tensor
from graphrt.types import limits
from graphrt.types.dtype import DType
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, TensorShape
from graphrt.types.spec import TensorSpec

OLDEST, NEWEST = 13, 21
ML = "ai.onnx.ml"  # the ops for classical models; their rules have it before their names
Item: TypeAlias = Tensor | TensorArray  # what a name of a model stands for: a sequence is a list of tensors
# what shape rules, and the functions that readings call, make of what a file says
_OF_RULES = (errors.OpError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
_PASSED_ON = (errors.ResourceExhaustedError, errors.PermissionDeniedError, errors.DataLossError)


class Use:
    """One node of a model, as a rule sees it."""

    __slots__ = ("attrs", "env", "inputs", "node", "reader")

    def __init__(self, reader: Reader, node: Any, env: dict[str, Item]) -> None:
        self.reader = reader
        self.node = node
        self.env = env
        self.attrs = {a.name: a for a in node.attribute}
        self.inputs = [reader.value(n, env) if n else None for n in node.input]

    def __getitem__(self, index: int) -> Tensor:
        """An input that must be there."""
        found = self.given(index)
        if found is None:
            raise ValueError(f"its input {index} is missing")
        return found

    def given(self, index: int) -> Tensor | None:
        """An input that may be left out."""
        found = self.inputs[index] if index < len(self.inputs) else None
        if isinstance(found, TensorArray):
            raise ValueError(f"its input {index} is a sequence, expected a tensor")
        return found

    def item(self, index: int) -> Item:
        """An input that must be there, be it a tensor or a sequence."""
        return self.sequence(index) if isinstance(self.inputs[index], TensorArray) else self[index]

    def sequence(self, index: int) -> TensorArray:
        """An input that must be a sequence."""
        found = self.inputs[index] if index < len(self.inputs) else None
        if not isinstance(found, TensorArray):
            raise ValueError(f"its input {index} is {'missing' if found is None else 'a tensor'}, expected a sequence")
        return found

    @property
    def opset(self) -> int:
        """The version of the ops."""
        return self.reader.opset

    @property
    def dtype(self) -> DType:
        """The element type of the first input."""
        return self[0].dtype

    def rank(self, index: int = 0) -> int:
        """The rank of an input, which must be known."""
        found = self[index].shape.rank
        if found is None:
            raise errors.UnimplementedError(None, None, f"the rank of its input {index} is not known")
        return found

    def dims(self, index: int = 0) -> list[int | None]:
        """The static shape of an input."""
        self.rank(index)
        return list(self[index].shape.as_list())

    def const(self, index: int) -> Array | None:
        """The value of an input, if it is known; None if it is not, or is left out."""
        tensor = self.given(index)
        found = None if tensor is None else get_static_value(tensor)
        return None if found is None else np.asarray(found)

    def constant(self, index: int, what: str) -> Array:
        """The value of an input, which must be known."""
        found = self.const(index)
        if found is None:
            raise errors.UnimplementedError(None, None, f"{what} must be a constant of the model")
        return found

    # --- attributes ---
    def whole(self, name: str, default: int | None = None) -> int:
        """An attribute that is a whole number."""
        return int(self._attr(name, schema.INT, default, lambda a: a.i))

    def number(self, name: str, default: float) -> float:
        """An attribute that is a number."""
        return float(self._attr(name, schema.FLOAT, default, lambda a: a.f))

    def text(self, name: str, default: str) -> str:
        """An attribute that is a text."""
        return str(self._attr(name, schema.STRING, default, lambda a: a.s.decode(errors="replace")))

    def ints(self, name: str, default: Sequence[int] | None = None) -> list[int]:
        """An attribute of whole numbers."""
        return [int(i) for i in self._attr(name, schema.INTS, default, lambda a: list(a.ints))]

    def items(self, name: str) -> list[Any]:
        """An attribute of numbers or texts."""
        found = self.attrs.get(name)
        fields = {schema.FLOATS: "floats", schema.INTS: "ints", schema.STRINGS: "strings"}
        if found is None or found.type not in fields:
            raise ValueError(f"its attribute {name!r} is {'missing' if found is None else 'no list'}")
        return [*getattr(found, fields[found.type])]

    def has(self, name: str) -> bool:
        """Whether an attribute is given."""
        return name in self.attrs

    def tensor(self, name: str) -> Array:
        """An attribute that is a tensor."""
        found = self._attr(name, schema.TENSOR, None, lambda a: self.reader.array(a.t))
        return np.asarray(found)

    def graph(self, name: str) -> Any:
        """An attribute that is a graph."""
        return self._attr(name, schema.GRAPH, None, lambda a: a.g)

    def _attr(self, name: str, kind: int, default: Any, read: Callable[[Any], Any]) -> Any:
        found = self.attrs.get(name)
        if found is None:
            if default is None:
                raise ValueError(f"its attribute {name!r} is missing")
            return default
        if found.type not in (0, kind):
            raise ValueError(f"its attribute {name!r} is of kind {found.type}, expected {kind}")
        return read(found)


Reading: TypeAlias = "Callable[[Use], Any]"


class Reader:
    """One file being read. `rules` are those of the ops."""

    def __init__(self, model: Any, where: str, rules: Mapping[str, Reading]) -> None:
        self.model = model
        self.where = where
        self.opset = self._version(model.opset_import)
        self.rules = rules
        self.functions = {(f.domain, f.name): f for f in model.functions}
        self.counted = 0
        self.depth = 0
        self.erased: dict[int, tuple[TensorArray, TensorArray, Tensor]] = {}  # by id: itself, before, and which element

    def _version(self, imports: Iterable[Any]) -> int:
        found = [o.version for o in imports if o.domain in ("", "ai.onnx")]
        version = int(found[0]) if found else 0
        if not OLDEST <= version <= NEWEST:
            raise errors.UnimplementedError(
                None, None, f"{self.where}: opset {version}; from {OLDEST} to {NEWEST} can be read"
            )
        return version

    # --- the function ---
    def concrete(self) -> ConcreteFunction:
        """The model as a concrete function."""
        graph = self.model.graph
        self._check_ops(graph)
        constants = {t.name for t in graph.initializer}
        ports = [p for p in graph.input if p.name not in constants]
        specs = [self._spec(p) for p in ports]
        names = [p.name for p in graph.output]

        def run(*arguments: Tensor) -> Any:
            env: dict[str, Item] = {p.name: t for p, t in zip(ports, arguments)}
            found = [renamed(t) for t in self.body(graph, env)]
            if any(isinstance(t, TensorArray) for t in found):
                raise errors.UnimplementedError(None, None, f"{self.where}: a result is a sequence")
            if len(found) == 1:
                return found[0]
            return tuple(found) if names == [f"output_{i}" for i in range(len(names))] else dict(zip(names, found))

        made: ConcreteFunction = function(run, autograph=False).get_concrete_function(*specs)
        _mark(made.graph)
        return made

    def _spec(self, port: Any) -> TensorSpec:
        kind = port.type.WhichOneof("value")
        dtype = schema.DTYPES.get(port.type.tensor_type.elem_type) if kind == "tensor_type" else None
        if dtype is None:
            raise errors.UnimplementedError(
                None, None, f"{self.where}: the input {port.name!r} is no tensor that is known"
            )
        return TensorSpec(TensorShape(self.dims(port)), dtype, _plain(port.name))

    def dims(self, port: Any) -> Dims:
        """The static shape that a port tells."""
        if port.type.WhichOneof("value") != "tensor_type" or not port.type.tensor_type.HasField("shape"):
            return None
        sizes = [d.dim_value if d.WhichOneof("value") == "dim_value" else None for d in port.type.tensor_type.shape.dim]
        if any(s is not None and s < 0 for s in sizes):
            damaged(self.where, f"{port.name!r} has a dimension below zero")
        return tuple(sizes)

    def _check_ops(self, graph: Any) -> None:
        missing: list[str] = []
        self._missing(graph.node, missing, 0)
        for made in self.functions.values():
            self._missing(made.node, missing, 0)
        if missing:
            listed = "\n".join(f"  {m}" for m in dict.fromkeys(missing))
            raise errors.UnimplementedError(None, None, f"{self.where} uses ops that cannot be read:\n{listed}")

    def _missing(self, nodes: Any, found: list[str], depth: int) -> None:
        if depth > limits.current().nesting:
            limits.exhausted("nesting", f"{self.where}: graphs inside of each other, {depth} deep", depth)
        for node in nodes:
            self.count()
            if (node.domain, node.op_type) not in self.functions and _rule_name(node) not in self.rules:
                name = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
                found.append(f"{name}: node {_name(node)}")
            for attribute in node.attribute:
                for inner in [attribute.g] if attribute.type == schema.GRAPH else attribute.graphs:
                    self._missing(inner.node, found, depth + 1)

    def count(self) -> None:
        """Counts a node.

        Raises:
          ResourceExhaustedError: there are more than the limit allows.
        """
        self.counted += 1
        if self.counted > limits.current().nodes:
            limits.exhausted("nodes", f"{self.where}: {self.counted} nodes", self.counted)

    # --- graphs ---
    def array(self, message: Any) -> Array:
        """The array of a tensor of the file."""
        return read_tensor(message, f"{self.where}: {message.name or 'a constant'}", os.path.dirname(self.where) or ".")

    def value(self, name: str, env: Mapping[str, Item]) -> Item:
        """A value by its name."""
        if name not in env:
            raise ValueError(f"there is no value {name!r} before it")
        return env[name]

    def body(self, graph: Any, env: dict[str, Item]) -> list[Item]:
        """The outputs of a graph; `env` holds what it sees, and its inputs."""
        if graph.sparse_initializer:
            raise errors.UnimplementedError(None, None, f"{self.where}: sparse constants cannot be read")
        for message in graph.initializer:
            if message.name not in env:  # an input of that name has another value
                env[message.name] = convert_to_tensor(self.array(message))
        self._run(graph.node, env)
        return [self._output(p.name, env) for p in graph.output]

    def _output(self, name: str, env: Mapping[str, Item]) -> Item:
        try:
            return self.value(name, env)
        except ValueError as error:
            damaged(self.where, f"an output of a graph: {error}")

    def _run(self, nodes: Any, env: dict[str, Item]) -> None:
        for node in nodes:
            self.count()
            try:
                found = self._node(node, env)
                results = list(found) if isinstance(found, (list, tuple)) else [found]
                if len([n for n in node.output if n]) > len(results):
                    raise ValueError(f"it has {len(node.output)} outputs, its op {len(results)}")
            except _PASSED_ON:
                raise
            except errors.UnimplementedError as error:
                raise errors.UnimplementedError(None, None, self._told(node, error)) from None
            except _OF_RULES as error:
                raise errors.DataLossError(None, None, self._told(node, error)) from error
            for name, value in zip(node.output, results):
                if name:
                    env[name] = value

    def _told(self, node: Any, error: Exception) -> str:
        text = str(error).splitlines()[0] if str(error) else type(error).__name__
        told = f"{self.where}: node {_name(node)} ({node.op_type}): {text}"
        return text if text.startswith(f"{self.where}: node ") else told

    def _node(self, node: Any, env: dict[str, Item]) -> Any:
        made = self.functions.get((node.domain, node.op_type))
        if made is not None:
            return self._called(made, node, env)
        return self.rules[_rule_name(node)](Use(self, node, env))

    def _called(self, made: Any, node: Any, env: dict[str, Item]) -> list[Item]:
        """A function of the model, put in place of its call."""
        self.depth += 1
        if self.depth > limits.current().nesting:
            limits.exhausted("nesting", f"{self.where}: functions that use each other, {self.depth} deep", self.depth)
        given = {a.name: a for a in node.attribute}
        given.update({a.name: a for a in made.attribute_proto if a.name not in given})
        inside = {inner: self.value(name, env) for inner, name in zip(made.input, node.input) if name}
        outer, self.opset = self.opset, self._version(made.opset_import) if made.opset_import else self.opset
        try:
            self._run([_with_attributes(n, given) for n in made.node], inside)
        finally:
            self.opset = outer
            self.depth -= 1
        return [self.value(name, inside) for name in made.output]


def tensor_of(item: Item) -> Tensor:
    """A value that must be a tensor."""
    if isinstance(item, TensorArray):
        raise ValueError("a sequence stands where a tensor is expected")
    return item


def renamed(item: Item) -> Item:
    """A value by another name."""
    return item if isinstance(item, TensorArray) else identity(item)


def _rule_name(node: Any) -> str:
    """By what name the rule of a node is known: that of its op, with the domain unless it is ONNX's own."""
    return f"{node.domain}.{node.op_type}" if node.domain not in ("", "ai.onnx") else str(node.op_type)


def _with_attributes(node: Any, given: Mapping[str, Any]) -> Any:
    """A node of a function with the attributes of the call in place of references to them."""
    if not any(a.ref_attr_name for a in node.attribute):
        return node
    made = type(node)()
    made.CopyFrom(node)
    del made.attribute[:]
    for attribute in node.attribute:
        if not attribute.ref_attr_name:
            made.attribute.add().CopyFrom(attribute)
        elif attribute.ref_attr_name in given:
            made.attribute.add().CopyFrom(given[attribute.ref_attr_name])
            made.attribute[-1].name = attribute.name
    return made


def _mark(graph: Graph) -> None:
    """Says of a graph, and of those that it holds, that it comes from a file."""
    graph.is_foreign = True
    for inner in graph.functions().values():
        inner.is_foreign = True


def _name(node: Any) -> str:
    return repr(node.name or next(iter(node.output), "?"))


def _plain(name: str) -> str:
    found = "".join(c if c.isascii() and (c.isalnum() or c in "_./-") else "_" for c in name).strip("_/.-")
    return found or "input"
