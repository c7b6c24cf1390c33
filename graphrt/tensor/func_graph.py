"""FuncGraph: the graph that a Python function becomes when it is traced.

A tensor from outside (a concrete one, or one of an enclosing graph) that the function uses becomes a *capture*: an
extra `Placeholder` at the end of `inputs`, and the outer tensor is remembered so that a caller can pass it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.errors import Place
from graphrt.ir.graph import Graph, InferContext, Value, awaited, set_static, static_value
from graphrt.ir.html import folded
from graphrt.ir.op import CONSTANT, OPAQUE, PARAMETER, QUIET, OpDef, define, ops  # late: ops stand above tensors
from graphrt.ir.printer import graph_text
from graphrt.ir.quick_node import QuickNode
from graphrt.ir.rows import LEAST, Given, Rows
from graphrt.tensor.apply import refuse_leaked
from graphrt.tensor.context import building, current_graph
from graphrt.tensor.tensor import EagerTensor, Operation, SymbolicTensor, Tensor, operation_of, raw_of, tensor_of
from graphrt.tensor.values import scalar_to_numpy
from graphrt.tensor.weak import followed
from graphrt.types.dtype import DType, from_numpy
from graphrt.types.likes import Array, TensorLike
from graphrt.types.shape import Dims

Placeholder = define(
    "Placeholder", "-> output: dtype", attrs="dtype: type; shape: shape = None",
    infer=lambda c: c.attrs["shape"], traits=(OPAQUE, PARAMETER, QUIET),
)  # fmt: skip
Const = define(
    "Const", "-> output: dtype", attrs="value: tensor; dtype: type",
    infer=lambda c: np.shape(c.attrs["value"]), kernel=lambda *, value: value,
    traits=(CONSTANT, QUIET),
)  # fmt: skip


class FuncGraph(Graph):
    """A graph under construction, or finished: the body of a function, a branch or a loop.

    >>> import graphrt as tf
    >>> graph = tf.FuncGraph("sums")
    >>> with graph.as_default():
    ...     total = tf.constant(1) + tf.constant(2)
    >>> [op.type for op in graph.operations], total
    (['Const', 'Const', 'AddV2'], <tf.Tensor 'add:0' shape=() dtype=int32>)

    Attributes:
      outer: the graph that was being traced when this one was begun, or None.
      captures: `(outer tensor, inner tensor)` pairs, in order of first use; the inner ones end `inputs`.
      structured_inputs, structured_outputs: what the Python function took and returned, with symbolic leaves.
      variables: variables read or written while tracing, in order of first use.
      flexible: which outputs were numbers of Python, or weak: calls of this graph in itself may ask for another dtype.
      is_part: whether it becomes a branch or loop body of a node of `outer`, which changes together with that.
      is_repeated: whether it is what a loop runs again and again.
      condition: the bool tensor, and its value, with which alone this branch runs; None where nothing is known.
    """

    def __init__(self, name: str | None = None, outer: Any = None, is_part: bool = False) -> None:
        super().__init__("graph" if name is None else name)
        self._is_of_function = name is not None
        self.outer = outer if outer is not None else current_graph()
        self.is_part = is_part
        self.is_repeated = False
        self.condition: tuple[Tensor, bool] | None = None
        self._captures: dict[int, tuple[Tensor, SymbolicTensor]] = {}
        self._simple = 0  # how many nodes `add_simple` has recorded one after the other
        self._after_simple = 0  # how many nodes there were after the last
        self._numbers: dict[tuple[Any, type, int], dict[str, Any]] = {}  # attributes of constants that hold numbers
        self.structured_inputs: Any = ((), {})
        self.structured_outputs: Any = None
        self.flexible: tuple[bool, ...] = ()
        self.variables_used: list[Any] = []
        self.collections: dict[str, Any] = {}
        self.parent_node: Any = None  # the node that holds this graph as a branch or body
        self.finished = False
        self.left_by: Callable[[], Exception] | None = None  # the error for who finishes it all the same
        self.assumed: Any = None  # what its calls of itself are taken to give, until it is finished
        self.base: FuncGraph | None = None  # the graph that was traced, for one of the same nodes with more outputs
        self.derived: dict[Any, Any] = {}  # what gradients have made of it

    def finish(self) -> None:
        """Says that all is recorded.

        Raises:
          OperatorNotAllowedInGraphError: an error that has left a statement of the graph was caught in it.
        """
        if self.left_by is not None:
            raise self.left_by()
        self.finished = True
        self.condition = None

    # --- building ---
    def constant(self, array: Array, name: str | None = None) -> SymbolicTensor:
        """A `Const` node that holds `array` (an ndarray or NumPy scalar)."""
        return tensor_of(self.constant_value(array, from_numpy(array.dtype), name or Const.type))

    def constant_value(self, array: Array, dtype: DType, name: str, place: Place | None = None) -> Value:
        """The output of a `Const` node that holds `array`, which is of `dtype`; `place` is as `add` takes it."""
        node = QuickNode(self, Const, self.unique_name(name), {"value": array, "dtype": dtype})
        found = node.give(Value(node, 0, array.shape, dtype))
        self.record(node, place or self.place(4))
        return found

    def number(self, value: float, dtype: DType) -> Value | None:
        """A constant that holds `value`, a number of Python, for `add_simple` to record; None where it does not fit."""
        attrs = self.number_attrs(value, dtype)
        if attrs is None:
            return None
        node = QuickNode(self, Const, "", attrs)
        return node.give(Value(node, 0, (), dtype))

    def number_attrs(self, value: float, dtype: DType) -> dict[str, Any] | None:
        """The attributes of such a constant: the same for all that hold it."""
        key = value if value else repr(value), value.__class__, id(dtype)  # -0.0 == 0.0
        attrs = self._numbers.get(key)
        if attrs is None:
            try:
                attrs = self._numbers[key] = {"value": scalar_to_numpy(value, dtype), "dtype": dtype}
            except (TypeError, ValueError):
                return None
        return attrs

    def add_simple(
        self, op: OpDef, inputs: list[Value], attrs: dict[str, Any], dtype: DType, name: str, depth: int
    ) -> Value:  # fmt: skip
        """Records a node of an op with one output, of `dtype`; gives that.

        Inputs whose nodes have no name yet are recorded first: they are named after the node, `mul/y`. The user's code
        stands `depth` frames further out, or more.

        Raises:
          ShapeError: the op's shape rule refuses the inputs; nothing is recorded.
        """
        dims: Dims = ()
        if not op.is_elementwise:
            dims = op.infer(InferContext(op, inputs, attrs))
        else:
            for value in inputs:
                if value.dims != ():
                    dims = op.infer(InferContext(op, inputs, attrs))
                    break
        name = self.unique_name(name)
        place = self.place(depth + 3)
        before = len(self.nodes)
        for at, value in enumerate(inputs):
            if not value.node.name:
                value.node.name = self._label(name, op, at)
                self.record(value.node, place)
        node = QuickNode(self, op, name, attrs, *inputs)
        found = node.give(Value(node, 0, dims, dtype))
        self.record(node, place)
        self._simple = self._simple + 1 if before == self._after_simple else 1
        self._after_simple = len(self.nodes)
        if self._simple >= LEAST and not awaited(self):
            self.rows = Rows(self, Const)
        return found

    def _label(self, name: str, op: OpDef, at: int) -> str:
        """What a constant is called that is an input of the node `name`."""
        scope = self.scope
        inside = not scope or name == scope or name.startswith(f"{scope}/")
        return self.unused_name(f"{'' if inside else scope + '/'}{name}/{op.inputs[at].name}")

    def add_row(
        self, rows: Rows, op: OpDef, taken: list[Given], attrs: dict[str, Any], dtype: DType, name: str, depth: int
    ) -> SymbolicTensor:  # fmt: skip
        """Records what `add_simple` does as one of `rows`, which are the graph's: all is scalar."""
        name = self.unique_name(name)
        place = self.place(depth + 3)
        label = next((self._label(name, op, at) for at, given in enumerate(taken) if type(given) is dict), None)
        second = taken[1] if len(taken) > 1 else None
        return SymbolicTensor.of_row(rows, rows.add(op, attrs, dtype, name, label, taken[0], second, place))

    def placeholder(self, dtype: DType, dims: Dims, name: str) -> SymbolicTensor:
        """A new input at the end of `inputs`."""
        node = self.add(Placeholder, [], {"dtype": dtype, "shape": dims}, self.unique_name(name))
        self.inputs.append(node.outputs[0])
        return tensor_of(node.outputs[0])

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return folded(repr(self), {"graph": graph_text(self)})

    def capture(self, tensor: Tensor, name: str | None = None, unused: bool = False) -> SymbolicTensor:
        """`tensor` as a tensor of this graph: itself, or the placeholder that stands for it.

        `unused` makes a placeholder that only fills a place, because another graph of the same node needs the tensor.

        Raises:
          InaccessibleTensorError: it belongs to a graph that does not enclose this one.
        """
        if type(tensor) is SymbolicTensor:
            if tensor.value.node.graph is self:
                return tensor
            found = self._captures.get(id(tensor))
            if found is not None:
                return found[1]
            if not encloses(self, tensor.value.node.graph):
                refuse_leaked(tensor)
            return self._capture(
                tensor, name, unused
            )  # graphs in between capture it when they record the node of this one
        found = self._captures.get(id(tensor))
        if found is not None:
            return found[1]
        return self._capture(tensor, name, unused)

    def _capture(self, outer: Tensor, name: str | None, unused: bool) -> SymbolicTensor:
        name = name or self._capture_name(outer)
        with building(self):
            inner = self.placeholder(outer.dtype, outer.dims, name)
        if not unused and not is_small_constant(outer):  # TensorFlow's mark of what a placeholder stands for
            given = outer.value.node.name if isinstance(outer, SymbolicTensor) else name.rsplit("/", 1)[-1]
            inner.value.node.attrs["_user_specified_name"] = given.encode()
        if isinstance(outer, SymbolicTensor):
            inner.value.info = outer.value.info
            followed(outer, inner, self.is_part)
            if outer.value.node.is_constant:
                set_static(inner.value, static_value(outer.value))
        elif isinstance(outer, EagerTensor) and outer.dtype.kind == "O":
            inner.value.info = raw_of(outer)
        self._captures[id(outer)] = (outer, inner)  # keeps `outer` alive, so its id stays its own
        return inner

    def fixed_inputs(self) -> frozenset[Value]:
        """The handles that it captured of things that were there: an argument may be another thing at each call."""
        return frozenset(
            inner.value for outer, inner in self._captures.values()
            if outer.dtype.kind == "O" and isinstance(outer, EagerTensor) and inner.value.info is raw_of(outer)
        )  # fmt: skip

    def rebind_captures(self, captures: list[tuple[Tensor, SymbolicTensor]]) -> None:
        """Says what each placeholder stands for, of all that it captured."""
        self._captures = {id(outer): (outer, inner) for outer, inner in captures}

    def bind_capture(self, outer: Tensor, inner: SymbolicTensor) -> None:
        """Says that the placeholder `inner`, which ends the inputs so far, stands for `outer`."""
        self._captures[id(outer)] = (outer, inner)

    def _capture_name(self, outer: Tensor) -> str:
        if isinstance(outer, SymbolicTensor):
            return outer.value.node.name.rsplit("/", 1)[-1].lower()
        name = getattr(raw_of(outer), "name", None) if isinstance(outer, EagerTensor) else None
        return f"{name}_resource" if isinstance(name, str) and name else "captured"

    def reorder_captures(self, order: list[Any]) -> None:
        """Puts the captures in the order of the outer tensors `order` (as `captures` names them)."""
        self._captures = {id(outer): self._captures[id(outer)] for outer in order}

    # --- what users ask ---
    @property
    def captures(self) -> list[tuple[Tensor, SymbolicTensor]]:
        """`(outer, inner)` tensors, in the order of the placeholders that end `inputs`."""
        return list(self._captures.values())

    @property
    def external_captures(self) -> list[Tensor]:
        """The outer tensors captured."""
        return [o for o, _ in self.captures]

    @property
    def internal_captures(self) -> list[SymbolicTensor]:
        """The placeholders that stand for captured tensors."""
        return [i for _, i in self.captures]

    @property
    def variables(self) -> tuple[Any, ...]:
        """The variables that tracing touched, in order of first use."""
        return tuple(self.variables_used)

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        """Those of `variables` that are trainable."""
        return tuple(v for v in self.variables_used if v.trainable)

    def watch_variable(self, variable: TensorLike) -> None:
        """Remembers that tracing touched `variable`."""
        if not any(v is variable for v in self.variables_used):
            self.variables_used.append(variable)
        if self.outer is not None:
            self.outer.watch_variable(variable)

    @property
    def input_tensors(self) -> list[SymbolicTensor]:
        """The inputs as tensors: arguments, then captures."""
        return [tensor_of(v) for v in self.inputs]

    @property
    def output_tensors(self) -> list[SymbolicTensor]:
        """The flat outputs as tensors."""
        return [tensor_of(v) for v in self.outputs]

    def get_operations(self) -> list[Operation]:
        """The operations, in order of recording."""
        return [operation_of(n) for n in self.nodes]

    @property
    def operations(self) -> list[Operation]:
        """The operations, in order of recording."""
        return self.get_operations()

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation called `name`; KeyError when there is none."""
        for node in self.nodes:
            if node.name == name:
                return operation_of(node)
        raise KeyError(f"The name '{name}' refers to an Operation not in the graph.")

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        """The tensor called `operation:index`; KeyError when there is none."""
        node_name, colon, index = name.rpartition(":")
        if not colon or not index.isdigit():
            raise ValueError(f"The name '{name}' looks like an operation's: a tensor is named '{name}:0'")
        outputs = self.get_operation_by_name(node_name).outputs
        if int(index) >= len(outputs):
            raise KeyError(f"The operation '{node_name}' has {len(outputs)} outputs, none is number {index}.")
        return outputs[int(index)]  # type: ignore[return-value]

    def as_graph_def(self, add_shapes: bool = False) -> Any:
        """The graph as a `GraphDef` message (with its function library)."""
        return ops.graph_def(self, add_shapes)

    def as_default(self) -> Any:
        """A context in which ops are recorded into this graph."""
        return building(self)

    def __str__(self) -> str:
        return graph_text(self)

    @property
    def building_function(self) -> bool:
        """Whether this graph is the body of a function: one without a name, as users make, is not."""
        return self._is_of_function


CAPTURE_LIMIT = 128


def is_small_constant(tensor: Any) -> bool:
    """Whether TensorFlow shows a captured `tensor` as a constant of the graph: concrete, with few elements."""
    return isinstance(tensor, EagerTensor) and tensor.dtype.kind != "O" and np.size(raw_of(tensor)) <= CAPTURE_LIMIT


def encloses(graph: FuncGraph, other: Any) -> bool:
    """Whether `graph` is traced inside of `other`, however deep."""
    outer = graph.outer
    while outer is not None and outer is not other:
        outer = outer.outer
    return outer is not None


def is_lost(value: object) -> bool:
    """Whether `value` is a symbolic tensor of a trace that has ended: nothing that the one of now could carry."""
    graph = current_graph()
    if not isinstance(value, SymbolicTensor) or graph is None or value.graph is graph:
        return False
    return _outermost(value.graph) is not _outermost(graph)


def _outermost(graph: Any) -> Any:
    while getattr(graph, "outer", None) is not None:
        graph = graph.outer
    return graph
