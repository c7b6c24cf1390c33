"""Reverse accumulation: from gradients of results to gradients of sources, over a list of recorded calls.

    y = sin(x)                      g_z = 1
    z = y * x             ->        g_y = g_z * x;  g_x = g_z * y
                                    g_x = g_x + g_y * cos(x)

A tape's calls, or the nodes of a graph, stand in the order in which they ran. Walked backwards, each call hands the
gradients of its outputs to the op's `vjp` rule, which computes those of its inputs in ops again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from graphrt import errors
from graphrt.ir.graph import Node, Value
from graphrt.ir.op import GROWS, REGISTRY, TAKES_NONE, TAKES_SLICES, OpDef
from graphrt.ops.array.creation import ZerosLike, ones, ones_like, zeros, zeros_like
from graphrt.ops.array.indexed_slices import IndexedSlices, added_slices
from graphrt.ops.math.arithmetic import AddN
from graphrt.state.resource_ops import VarHandleOp, VariableShape
from graphrt.tensor.context import current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor, raw_of, tensor_of
from graphrt.types import structure
from graphrt.types.dtype import DType
from graphrt.types.likes import TensorLike
from graphrt.types.shape import Dims, is_static

if TYPE_CHECKING:
    from graphrt.autodiff.backward_graphs import BackwardGraph
    from graphrt.tensor.func_graph import FuncGraph

# What brings a call into a form that has a gradient, by op; asked before gradients flow through the call, with the
# ids of the tensors that depend on the sources.
PREPARED: dict[OpDef, Callable[[Call, set[int]], None]] = {}

GRADIENT_NAME = "_gradient_op_type"  # the attribute that names a gradient rule other than the op's own


class GradientFunction:
    """A gradient rule kept under a name, as long as someone holds it."""

    __slots__ = ("__weakref__", "rule")

    def __init__(self, rule: Callable[..., Any]) -> None:
        self.rule = rule


named_rules: WeakValueDictionary[str, GradientFunction] = WeakValueDictionary()
# state: registry of the user's gradients, one a name
registered: dict[str, GradientFunction] = {}  # those of `RegisterGradient`, which live forever


class Call:
    """One use of an op: what a gradient rule is given.

    Attributes:
      op: its `type` and `vjp` are used.
      inputs, outputs: tensors, flat.
      attrs: the complete static attributes.
      wanted: for each input, whether its gradient is needed; set before the rule runs.
    """

    __slots__ = ("_outputs", "attrs", "inputs", "op", "wanted")

    def __init__(self, op: Any, inputs: Sequence[Any], attrs: dict[str, Any], outputs: Sequence[Any]) -> None:
        self.op = op
        self.inputs = list(inputs)
        self.attrs = attrs
        self._outputs = list(outputs)
        self.wanted = [True] * len(self.inputs)

    @classmethod
    def of_node(cls, node: Node) -> Call:
        """The call that a node stands for."""
        return cls(node.op, [tensor_of(v) for v in node.inputs], node.attrs, [tensor_of(v) for v in node.outputs])

    @property
    def node(self) -> Node | None:
        """The node recorded for this call; None when it ran at once."""
        first = self._outputs[0] if self._outputs else None
        return first.value.node if isinstance(first, SymbolicTensor) else None

    @property
    def outputs(self) -> list[Any]:
        """The results: those that were added to the node since, too."""
        if GROWS in self.op.traits:
            node = self.node
            if node is not None and len(node.outputs) > len(self._outputs):
                self._outputs += [tensor_of(v) for v in node.outputs[len(self._outputs) :]]
        return self._outputs

    @property
    def rule(self) -> Callable[..., Any] | None:
        """The gradient rule: one given by name goes before the op's own."""
        name = self.attrs.get(GRADIENT_NAME)
        if name is not None:
            text = name.decode() if isinstance(name, bytes) else str(name)
            found = named_rules.get(text) or registered.get(text)
            if found is None:
                raise LookupError(f"gradient registry has no entry for: {text}")
            return found.rule
        if self.op.vjp is None and self.op.type in registered:
            return registered[self.op.type].rule
        return self.op.vjp

    def describe(self) -> str:
        """The call for messages: its name and op type, and the line that made it."""
        node = self.node
        if node is None:
            return f"operation of type {self.op.type}"
        where = f", made at {errors.shown_place(*node.location)}" if node.location else ""
        return f"operation '{node.name}' (op type: {self.op.type}){where}"


def is_differentiable(dtype: DType) -> bool:
    """Whether tensors of `dtype` may carry gradients: real and complex numbers, variables, and lists."""
    return dtype.kind in "fcO"


def grad_type(value: Any) -> tuple[DType, Dims]:
    """Dtype and static shape of the gradient of `value`, a tensor or a graph's value; of a variable's content."""
    if isinstance(value, SymbolicTensor):
        value = value.value
    if value.dtype.name != "resource":
        return value.dtype, value.dims
    info = raw_of(value) if isinstance(value, EagerTensor) else value.info
    if info is None and isinstance(value, Value):
        info = _handle_of(value)
    if info is None:
        raise LookupError(f"the dtype of the variable behind {value!r} is not known, so it cannot be differentiated")
    return info.dtype, info.dims


class _Contents:
    """What the uses of a resource tell of the variable behind it."""

    def __init__(self, dtype: DType, dims: Dims) -> None:
        self.dtype = dtype
        self.dims = dims


def _handle_of(value: Value) -> Any:
    node = value.node
    if node.op is VarHandleOp:
        return _Contents(node.attrs["dtype"], node.attrs["shape"])
    passed = value.passed
    if passed is not None:
        return _handle_of(passed) if passed.info is None else passed.info
    for user in node.graph.nodes:
        for position, given in enumerate(user.inputs):
            if given is not value:
                continue
            if isinstance(user.attrs.get("dtype"), DType):
                return _Contents(user.attrs["dtype"], None)
            for _, inner in user.subgraphs():
                offset = len(user.inputs) - len(inner.inputs)
                inside = inner.inputs[position - offset] if position >= offset else None
                found = None if inside is None else inside.info or _handle_of(inside)
                if found is not None:
                    return found
    for _, inner in node.subgraphs():  # a loop that was read from a file gives the variables that it was given
        given = inner.outputs[value.index] if value.index < len(inner.outputs) else value
        if given.dtype is value.dtype and given is not value:
            found = given.info or _handle_of(given)
            if found is not None:
                return found
    return None


def zeros_of(tensor: Tensor) -> Tensor:
    """A gradient of zeros for `tensor`."""
    dtype, dims = grad_type(tensor)
    if dtype.kind == "O":
        return ZerosLike(tensor)
    if is_static(dims):
        return zeros(list(dims or ()), dtype)
    if tensor.dtype.name == "resource":
        return zeros(VariableShape(tensor), dtype)
    return zeros_like(tensor)


def ones_of(tensor: TensorLike) -> Tensor:
    """A gradient of ones for `tensor`."""
    dtype, dims = grad_type(tensor)
    if is_static(dims):
        return ones(list(dims or ()), dtype)
    return ones_like(tensor)


class _Gradients:
    """The gradients collected so far, by tensor."""

    __slots__ = ("_parts", "_tensors")

    def __init__(self) -> None:
        self._parts: dict[int, list[Any]] = {}
        self._tensors: list[Any] = []  # kept, so that their ids stay their own

    def add(self, tensor: Tensor, grad: TensorLike) -> None:
        found = self._parts.get(id(tensor))
        if found is None:
            self._parts[id(tensor)] = [grad]
            self._tensors.append(tensor)
        else:
            found.append(grad)

    def total(self, tensor: Tensor) -> Any:
        """The sum of what was added for `tensor`, or None."""
        found = self._parts.get(id(tensor))
        if found is None:
            return None
        if len(found) > 1:
            found[:] = [_sum(found)]
        return found[0]


def dense(grad: TensorLike | None) -> Any:
    """`grad` as a tensor, or None."""
    return convert_to_tensor(grad) if isinstance(grad, IndexedSlices) else grad


def _sum(parts: list[Any]) -> Any:
    if all(isinstance(p, IndexedSlices) for p in parts):
        return added_slices(parts[::-1])
    parts = [dense(p) for p in parts]
    dtypes = {p.dtype for p in parts}
    if len(dtypes) > 1:
        names = ", ".join(dict.fromkeys(p.dtype.name for p in parts))
        raise TypeError(
            errors.at_user_line(f"the gradients of one tensor have different dtypes ({names}) and cannot be added")
        )
    return AddN(parts)


def backprop(
    calls: Sequence[Call], seeds: Iterable[tuple[Any, Any]], sources: Sequence[Any],
    stops: frozenset[int] = frozenset(), slices: bool = False
) -> list[Any]:  # fmt: skip
    """The gradient of each of `sources`, or None where the seeded tensors do not depend on it.

    Args:
      calls: in the order in which they ran.
      seeds: `(tensor, its gradient)` pairs to begin with.
      stops: ids of tensors taken as constants, whatever they were computed from.
      slices: whether results may be `IndexedSlices`; they are made whole otherwise.

    Raises:
      LookupError: the way leads through an op without gradient.
    """
    reached = {id(s) for s in sources}
    path: list[tuple[Call, list[bool]]] = []
    for call in calls:
        wanted = [id(t) in reached for t in call.inputs]
        if True in wanted:
            if call.op in PREPARED:
                PREPARED[call.op](call, reached)
                wanted = [id(t) in reached for t in call.inputs]
            path.append((call, wanted))
            reached.update(id(t) for t in call.outputs if is_differentiable(t.dtype) and id(t) not in stops)
    grads = _Gradients()
    for tensor, grad in seeds:
        grads.add(tensor, grad)
    for call, wanted in reversed(path):
        outputs = call.outputs
        found = [None if id(t) in stops else grads.total(t) for t in outputs]
        if all(g is None for g in found):
            continue
        for tensor, grad, needed in zip(call.inputs, apply_rule(call, found, wanted), wanted):
            if grad is not None and needed:
                grads.add(tensor, grad)
    totals = [grads.total(s) for s in sources]
    return totals if slices else [dense(t) for t in totals]


def apply_rule(call: Call, grads: list[Any], wanted: list[bool]) -> list[Any]:
    """The gradients of the inputs of `call`, for those of its outputs (None: nothing depends on that output).

    Raises:
      LookupError: the op has no gradient.
    """
    rule = call.rule
    if rule is None:
        raise LookupError(
            errors.at_user_line(
                f"No gradient defined for {call.describe()}. Use tf.stop_gradient on its result if it should count as "
                "a constant, or tf.custom_gradient to give it one."
            )
        )
    if TAKES_NONE not in call.op.traits or GRADIENT_NAME in call.attrs:
        grads = [
            zeros_of(t) if g is None and t.dtype.kind in "fc" else g for g, t in zip(grads, call.outputs, strict=True)
        ]
    if TAKES_SLICES not in call.op.traits:
        grads = [dense(g) for g in grads]
    call.wanted = wanted
    graph = current_graph()
    node = call.node
    if graph is None or node is None:
        found = rule(call, *grads)
    else:
        old = graph.enter_scope(f"{_scope(graph)}{node.name}_grad")
        try:
            found = rule(call, *grads)
        finally:
            graph.leave_scope(old)
    found = [g if g is None or isinstance(g, (Tensor, IndexedSlices)) else convert_to_tensor(g) for g in found]
    if len(found) != len(call.inputs):
        raise ValueError(
            errors.at_user_line(
                f"the gradient of {call.describe()} must give {len(call.inputs)} gradients, one for each input, but "
                f"gave {len(found)}"
            )
        )
    return found


def _scope(graph: BackwardGraph | FuncGraph) -> str:
    return "" if graph.scope else "gradient_tape/"


def calls_of(nodes: Iterable[Node]) -> list[Call]:
    """The calls that gradients may flow through among `nodes`."""
    return [Call.of_node(n) for n in nodes if n.inputs and n.outputs]


# --- rules given by the user -----------------------------------------------------------------------------------------
class RegisterGradient:
    """Decorates a gradient rule for the op type `op_type`: `(op, *output_gradients) -> input gradients`.

    `op` has `inputs`, `outputs` and `get_attr`. A rule registered under a name that is no op's is chosen with
    `graph.gradient_override_map` in TensorFlow, and by the attribute `_gradient_op_type` of a node.

    >>> import graphrt as tf
    >>> @tf.RegisterGradient("MyRule")
    ... def rule(op, grad):
    ...     return 2 * grad

    Raises:
      TypeError: the name is no string.
      KeyError: the name has a rule already.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Registers `rule` and returns it."""
        _register(self._op_type, lambda call, *grads: _listed(rule(_Operation(call), *grads)))
        return rule


def _listed(found: Any) -> list[Any]:
    return list(found) if isinstance(found, (list, tuple)) else [found]


class _Operation:
    """A call as TensorFlow's gradient functions know it."""

    def __init__(self, call: Call) -> None:
        self.inputs = tuple(call.inputs)
        self.outputs = list(call.outputs)
        self.type = call.op.type
        self.name = call.node.name if call.node is not None else call.op.type
        self._attrs = call.attrs

    def get_attr(self, name: str) -> Any:
        """The value of attribute `name`; ValueError when there is none."""
        if name not in self._attrs:
            raise ValueError(f"Operation {self.name!r} has no attr named {name!r}.")
        return self._attrs[name]


def _register(op_type: str, rule: Callable[..., Any]) -> None:
    declared = REGISTRY.get(op_type)
    if op_type in registered or (declared is not None and declared.vjp is not None):
        raise KeyError(f"Registering two gradient with name '{op_type}'! (Previous registration was in graphrt)")
    registered[op_type] = GradientFunction(rule)


def no_gradient(op_type: str) -> None:
    """Says that ops of type `op_type` are not differentiable: gradients through them are None.

    >>> import graphrt as tf
    >>> tf.no_gradient("MyCount")

    Raises:
      TypeError: the name is no string.
      KeyError: the op has a gradient already.
    """
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    _register(op_type, lambda call, *grads: [None] * len(call.inputs))


def as_gradient(value: TensorLike, target: TensorLike) -> Any:
    """An output gradient that the user gave for `target`, as a tensor."""
    if isinstance(value, (Tensor, IndexedSlices)):
        return value
    return convert_to_tensor(value, dtype=grad_type(target)[0])


def flat_gradients(value: object) -> list[Any]:
    """The gradients in a structure of the user's; `IndexedSlices` are one each, other composites several.

    Of ragged tensors the values count.
    """
    found: list[Any] = []
    for leaf in structure.flatten(value):
        if isinstance(leaf, structure.Rows):
            leaf = leaf.flat_values
        found += [leaf] if isinstance(leaf, IndexedSlices) else structure.flatten(leaf, expand_composites=True)
    return found
