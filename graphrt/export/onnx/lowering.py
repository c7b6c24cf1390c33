"""Graph -> ONNX graph: each node by the rule of its op, graphs that nodes run in place.

A rule takes a `Use`, which tells of one node what it needs to know, and returns what the outputs of the node are in ONNX:

    "Rsqrt": lambda c: c.emit("Reciprocal", c.emit("Sqrt", c[0]))

What has no counterpart is refused, `c.refuse(reason)`; the walk goes on, so that one error lists all such nodes.
"""

# names of another format: those of ONNX's ops

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from graphrt.export.onnx.builder import Attribute, OnnxGraph, Ref
from graphrt.ir.graph import Graph, Node, Value, static_value
from graphrt.ir.liveness import live_nodes
from graphrt.ir.op import CALL
from graphrt.types.dtype import DType, int64
from graphrt.types.likes import Array
from graphrt.types.shape import Dims


@dataclass(frozen=True, slots=True)
class ListRef:
    """A tensor list of a model.

    Attributes:
      ref: a tensor of all elements in a row, or a sequence.
      is_dense: whether it is the tensor.
      dtype: of the elements.
      dims: the static shape of an element.
      fresh: how many elements were reserved (int64), of a list that nobody has written to.
    """

    ref: Ref
    is_dense: bool
    dtype: DType
    dims: Dims
    fresh: Ref | None = None


@dataclass(frozen=True, slots=True)
class RowsRef:
    """A list to which each turn of a loop adds a row at the end: the rows are an output of the loop.

    Attributes:
      item: the row of this turn, once it is known.
    """

    item: Ref | None = None


@dataclass(frozen=True, slots=True)
class HandleRef:
    """What stands behind a handle that was captured: the storage of a variable, a table."""

    behind: object


Held: TypeAlias = Ref | ListRef | RowsRef | HandleRef
Rule: TypeAlias = "Callable[[Use], Held | Sequence[Held]]"


class Unmapped(NamedTuple):
    """A node that ONNX cannot express, and why."""

    node: Node
    reason: str


class Refused(Exception):
    """A rule cannot map its node."""


_UNKNOWN = Ref("unknown", int64)


class Use:
    """One node as a rule sees it."""

    __slots__ = ("env", "graph", "lowering", "node")

    def __init__(self, lowering: Lowering, node: Node, graph: OnnxGraph, env: dict[Value, Held]) -> None:
        self.lowering = lowering
        self.node = node
        self.graph = graph
        self.env = env

    # --- what the node has ---
    def held(self, index: int) -> Held:
        """An input, whatever it is."""
        return self.lowering.held(self.node.inputs[index], self.graph, self.env)

    def __getitem__(self, index: int) -> Ref:
        """An input that is a tensor."""
        found = self.held(index)
        if not isinstance(found, Ref):
            self.refuse(f"its input {index} is no tensor")
        return found

    def __len__(self) -> int:
        return len(self.node.inputs)

    @property
    def inputs(self) -> list[Ref]:
        """All inputs."""
        return [self[i] for i in range(len(self.node.inputs))]

    def attr(self, name: str) -> Any:
        """An attribute of the node; a string as text."""
        value = self.node.attrs[name]
        return value.decode() if isinstance(value, bytes) else value

    def const(self, index: int) -> Array | None:
        """The value of an input, when it is known."""
        return static_value(self.node.inputs[index])

    def constant(self, index: int, what: str) -> Array:
        """The value of an input, which must be known."""
        value = self.const(index)
        if value is None:
            self.refuse(f"{what} must be known when it is exported, and is computed when the model runs")
        return value

    def dims(self, index: int = 0) -> Dims:
        """The static shape of an input."""
        return self.node.inputs[index].dims

    def rank(self, index: int = 0) -> int:
        """The rank of an input, which must be known."""
        dims = self.node.inputs[index].dims
        if dims is None:
            self.refuse(f"the rank of its input {index} is not known: give the arguments of the function a shape")
        return len(dims)

    def dtype(self, index: int = 0) -> DType:
        """The element type of an output."""
        return self.node.outputs[index].dtype

    # --- what it becomes ---
    def emit(self, op: str, *inputs: Ref, dtype: DType | None = None, **attrs: Attribute) -> Ref:
        """An ONNX node with one output; see `OnnxGraph.emit`."""
        return self.graph.emit(op, *inputs, dtype=dtype, hint=self.node.name, **attrs)

    def emit_all(self, op: str, inputs: Sequence[Ref], dtypes: Sequence[DType], **attrs: Attribute) -> list[Ref]:
        """An ONNX node with several outputs."""
        return self.graph.emit_all(op, inputs, dtypes, self.node.name, attrs)

    def cast(self, ref: Ref, dtype: DType) -> Ref:
        """`ref` as `dtype`."""
        return self.graph.cast(ref, dtype)

    def int64(self, index: int) -> Ref:
        """An input as int64."""
        return self.graph.cast(self[index], int64)

    def ints(self, values: int | Sequence[int]) -> Ref:
        """A constant of int64."""
        return self.graph.ints(values)

    def like(self, ref: Ref, value: float) -> Ref:
        """The number `value` as a constant of the dtype of `ref`."""
        return self.graph.constant(value, ref.dtype)

    def shape(self, ref: Ref) -> Ref:
        """The shape of `ref`, int64."""
        return self.graph.emit("Shape", ref, dtype=int64)

    def where(self, condition: Ref, x: Ref, y: Ref) -> Ref:
        """`x` where `condition`, else `y`."""
        return self.emit("Where", condition, x, y, dtype=x.dtype)

    def refuse(self, reason: str) -> NoReturn:
        """Says that ONNX cannot express this node."""
        raise Refused(reason)


class Lowering:
    """One export.

    Attributes:
      rules: by the type of an op, its rule.
      unmapped: what could not be mapped, in order.
    """

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self.rules = rules
        self.unmapped: list[Unmapped] = []
        self.facts: dict[str, Any] = {}  # what families of rules find out about the whole graph, by their name
        self._calls: list[Graph] = []

    def held(self, value: Value, graph: OnnxGraph, env: dict[Value, Held]) -> Held:
        """What `value` is in `graph`."""
        found = env.get(value)
        if found is None:
            known = static_value(value)
            if known is None:
                raise Refused("it needs what cannot be mapped")
            found = env[value] = graph.constant(known, value.dtype, value.node.name)
        return found

    def body(
        self, graph: Graph, into: OnnxGraph, env: dict[Value, Held], outputs: Sequence[Value] | None = None
    ) -> list[Held]:
        """The nodes of `graph` that `outputs` (all, if not given) need; returns what these are.

        `env` says what the inputs are.
        """
        wanted = list(graph.outputs if outputs is None else outputs)
        for node in live_nodes(graph, wanted):
            if not node.is_parameter and not node.is_constant and not _is_known(node):
                self._node(node, into, env)
        return [self._result(v, into, env) for v in wanted]

    def _result(self, value: Value, into: OnnxGraph, env: dict[Value, Held]) -> Held:
        try:
            return self.held(value, into, env)
        except Refused:
            return _UNKNOWN._replace(dtype=value.dtype)

    def _node(self, node: Node, into: OnnxGraph, env: dict[Value, Held]) -> None:
        try:
            found = self._mapped(node, into, env)
        except Refused as refusal:
            self.refuse(node, str(refusal))
            found = [_UNKNOWN._replace(dtype=v.dtype) for v in node.outputs]
        env.update(zip(node.outputs, found, strict=True))

    def _mapped(self, node: Node, into: OnnxGraph, env: dict[Value, Held]) -> list[Held]:
        if node.op.structure == CALL:
            return self._call(node, into, env)
        rule = self.rules.get(node.type)
        strange = next((v.dtype for v in node.outputs if v.dtype.is_complex), None)
        if strange is not None:
            raise Refused(f"it gives numbers of dtype {strange.name}, which ONNX does not have")
        if rule is None:
            raise Refused("ONNX has no counterpart" if not node.stateful else "ONNX has no effects")
        found = rule(Use(self, node, into, env))
        return [found] if isinstance(found, (Ref, ListRef, RowsRef, HandleRef)) else list(found)

    def _call(self, node: Node, into: OnnxGraph, env: dict[Value, Held]) -> list[Held]:
        callee: Graph = node.attrs["f"]
        if any(graph is callee for graph in self._calls):
            raise Refused("it calls itself, which ONNX cannot express")
        self._calls.append(callee)
        try:
            return self.body(callee, into, {v: self.held(g, into, env) for v, g in zip(callee.inputs, node.inputs)})
        finally:
            self._calls.pop()

    def refuse(self, node: Node, reason: str) -> None:
        """Notes a node that cannot be mapped, once."""
        if not any(u.node is node for u in self.unmapped):
            self.unmapped.append(Unmapped(node, reason))

    def inside(
        self, graph: Graph, into: OnnxGraph, given: Sequence[Held], outputs: Sequence[int] | None = None
    ) -> list[Held]:
        """`graph` put into `into`, with `given` for its inputs; what the outputs at `outputs` (all) are."""
        wanted = graph.outputs if outputs is None else [graph.outputs[i] for i in outputs]
        return self.body(graph, into, dict(zip(graph.inputs, given, strict=True)), wanted)


def _is_known(node: Node) -> bool:
    return bool(node.outputs) and not node.stateful and all(_small(static_value(v)) for v in node.outputs)


def _small(value: Array | None) -> bool:
    return value is not None and np.size(value) <= 1024
