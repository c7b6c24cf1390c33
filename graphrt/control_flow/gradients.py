"""Gradients of conditionals and loops.

The gradient of a conditional is a conditional on the same predicate; what its branches need from inside the forward
branches becomes further outputs of the forward node, empty where the other branch ran. The gradient of a loop is a
loop that runs as often, backwards; what it needs from inside an iteration the forward loop pushes on a list:

    while i < n: x = sin(x)     ->    while i < n: push(xs, x); x = sin(x)
                                      while k < i: g = g * cos(pop(xs))

The additions go into the recorded nodes. A program in which nobody asks for the additional outputs is compiled without
them, as without any output that is not used.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.autodiff.backprop import Call, dense, grad_type, is_differentiable, zeros_of
from graphrt.autodiff.backward_graphs import Backward, add_output, build_backward
from graphrt.control_flow.branches import Case, If, StatelessCase, StatelessIf, build_branches
from graphrt.control_flow.while_loop import build_while
from graphrt.ir.graph import Node, Value, static_value
from graphrt.ir.op import OPAQUE, define, ops, provide  # late: checkpoints imports this file
from graphrt.ir.weak_type import make_final
from graphrt.ops.array.creation import zeros as zeros_
from graphrt.ops.array.identity import Identity, StopGradient
from graphrt.ops.array.indexed_slices import IndexedSlices
from graphrt.ops.lists.tensor_list import EmptyTensorList, TensorListPopBack, TensorListPushBack, tensor_list_of
from graphrt.ops.math.arithmetic import Add, AddV2
from graphrt.tensor.context import building, current_graph, stop_recording
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph, Placeholder
from graphrt.tensor.tensor import SymbolicTensor, tensor_of
from graphrt.types.dtype import DType, float32, int32, variant
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, TensorShape, is_static, relax

_PAIRS = {op: pair for pair in ((StatelessIf, If), (StatelessCase, Case)) for op in pair}


@functools.lru_cache(maxsize=1024)
def _filler(dtype: DType, dims: Dims) -> Array:
    zero = np.array(b"", object) if dtype.kind == "S" else dtype.as_numpy_dtype(0)
    return np.broadcast_to(zero, [d or 0 for d in dims]) if dims else zero  # one element, whatever the shape


def _nothing(*, dtype: DType, shape: Dims) -> Any:
    return tensor_list_of([], float32, None) if dtype.kind == "O" else _filler(dtype, shape)


FakeParam = define(
    "FakeParam", "-> output: dtype", attrs="dtype: type; shape: shape", infer=lambda c: c.attrs["shape"],
    kernel=_nothing, traits=(OPAQUE,),
)  # fmt: skip


# --- conditionals ----------------------------------------------------------------------------------------------------
def _graphs_of(node: Node) -> list[Any]:
    attrs = node.attrs
    return attrs["branches"] if "branches" in attrs else [attrs["then_branch"], attrs["else_branch"]]


@provide
def conditional_gradient(call: Call, *grads: object) -> list[Any]:
    """The gradient rule of `If`, `StatelessIf`, `Case` and `StatelessCase`."""
    node = call.node
    assert node is not None  # conditionals that run at once are Python's
    forwards = _graphs_of(node)
    for graph in forwards:
        make_final(graph)
    seeds = [i for i, g in enumerate(grads) if g is not None and is_differentiable(node.outputs[i].dtype)]
    wanted = [
        i for i, value in enumerate(forwards[0].inputs)
        if i + 1 < len(call.wanted) and call.wanted[i + 1] and is_differentiable(value.dtype)
    ]  # fmt: skip
    backs = [build_backward(g, [g.outputs[i] for i in seeds], wanted, "grad", slices=True) for g in forwards]
    connected = [k for k in range(len(wanted)) if any(b.results[k] is not None for b in backs)]
    out: list[Any] = [None] * len(call.inputs)
    if not connected:
        return out
    given = _distinct([grads[i] for i in seeds])
    for k in connected:
        _unify(backs, forwards, k, wanted[k])
    for number, back in enumerate(backs):
        back.results = [back.results[k] for k in connected]
        back.finish()
        _connect_branch(node, number, back, given)
    scope = current_graph().unique_name(f"{node.name.rsplit('/', 1)[-1]}_grad")
    outputs = build_branches(
        _PAIRS[node.op], _branch_attrs(node), tensor_of(node.inputs[0]), [b.graph for b in backs], scope
    )
    for k, grad in zip(connected, backs[0].packed(outputs)):
        out[wanted[k] + 1] = grad
    return out


def _unify(backs: list[Backward], forwards: list[Any], k: int, position: int) -> None:
    """Makes gradient `k`, of input `position`, the same kind of value in all branches."""
    found = [b.results[k] for b in backs]
    kinds = {(r.indices.dtype, r.dense_shape.dtype) if isinstance(r, IndexedSlices) and r.dense_shape is not None
             else None for r in found if r is not None}  # fmt: skip
    source = forwards[0].inputs[position]
    dims = grad_type(source)[1]
    as_slices = len(kinds) == 1 and None not in kinds and dims is not None and len(dims) > 0 and is_static(dims)
    for back, forward in zip(backs, forwards):
        with building(back.graph), stop_recording():
            if not as_slices:
                zeros = back.results[k] is None
                back.results[k] = zeros_of(tensor_of(forward.inputs[position])) if zeros else dense(back.results[k])
            elif back.results[k] is None and dims is not None:
                ((indices, shape),) = kinds  # type: ignore[misc]
                back.results[k] = IndexedSlices(
                    zeros_([0, *dims[1:]], grad_type(source)[0]), zeros_([0], indices),
                    convert_to_tensor(np.array(dims, shape.as_numpy_dtype)),
                )  # fmt: skip


def _branch_attrs(node: Node) -> Callable[..., Any]:
    if "branches" in node.attrs:
        return lambda graphs: {"branches": graphs}
    return lambda graphs: {"then_branch": graphs[0], "else_branch": graphs[1]}


def _distinct(tensors: list[Any]) -> list[Any]:
    """`tensors`, so that none occurs twice: captures go by identity."""
    seen: set[int] = set()
    out = []
    for t in tensors:
        if id(t) in seen:
            t = Identity(t)
        seen.add(id(t))
        out.append(t)
    return out


def _connect_branch(node: Node, number: int, back: Backward, given: list[Any]) -> None:
    """Lets the inputs of a backward branch stand for tensors beside the conditional, not inside its forward branch."""
    forward = _graphs_of(node)[number]
    graph = back.graph
    positions = {v: i for i, v in enumerate(forward.inputs)}
    captures = list(zip(given, (tensor_of(v) for v in graph.inputs[: len(given)])))
    for outer, inner in graph.captures:
        if isinstance(outer, SymbolicTensor) and outer.graph is forward:
            if outer.value in positions:
                outer = tensor_of(node.inputs[1 + positions[outer.value]])
            else:
                outer = tensor_of(_branch_output(node, number, outer.value))
        captures.append((outer, inner))
    graph.rebind_captures(captures)
    graph.inputs = [inner.value for _, inner in captures]
    graph.outer = current_graph()


def _branch_output(node: Node, number: int, value: Value) -> Value:
    """The output of the conditional that gives `value` of branch `number`, added if there is none."""
    graphs = _graphs_of(node)
    if value in graphs[number].outputs:
        return node.outputs[graphs[number].outputs.index(value)]
    for i, graph in enumerate(graphs):
        if i == number:
            graph.outputs.append(value)
            continue
        with building(graph), stop_recording():
            filler = FakeParam(dtype=value.dtype, shape=value.dims)
        graph.outputs.append(filler.value)
    for graph in graphs:
        graph.version += 1
    node.attrs["Tout"] = [*node.attrs["Tout"], value.dtype]
    if node.attrs.get("output_shapes"):
        node.attrs["output_shapes"] = [*node.attrs["output_shapes"], value.dims]
    return add_output(node, value)


# --- loops -----------------------------------------------------------------------------------------------------------
class LoopForm:
    """A loop node as its gradient sees it: values of the body, and what stands for them beside the node.

    Attributes:
      node: the node; its name is that of the backward loop.
      body: the graph of one iteration.
      inputs, outputs: the loop variables in the body, at its begin and at its end; constants are their own outputs.
      given, results: tensors beside the node: the variables before the loop, and after it.
    """

    def __init__(self, node: Node, body: FuncGraph, inputs: list[Value], outputs: list[Value]) -> None:
        self.node = node
        self.body = body
        self.inputs = inputs
        self.outputs = outputs
        self.given: list[SymbolicTensor] = []
        self.results: list[SymbolicTensor] = []

    def count(self) -> SymbolicTensor:
        """How often the loop ran."""
        raise TypeError(f"{type(self).__name__} does not count")

    def collected(self, value: Value) -> SymbolicTensor:
        """A list of what `value` was in each iteration."""
        raise TypeError(f"{type(self).__name__} does not collect")


class _While(LoopForm):
    def __init__(self, node: Node) -> None:
        body: Any = node.attrs["body"]
        super().__init__(node, body, list(body.inputs), list(body.outputs))
        self.given = [tensor_of(v) for v in node.inputs]
        self.results = [tensor_of(v) for v in node.outputs]

    def count(self) -> SymbolicTensor:
        return tensor_of(self.node.outputs[counter_of(self.node)])

    def collected(self, value: Value) -> SymbolicTensor:
        return tensor_of(self.node.outputs[accumulator(self.node, value)])


@provide
def loop_gradient(call: Call, *grads: object) -> list[Any]:
    """The gradient rule of `While` and `StatelessWhile`."""
    assert call.node is not None  # loops that run at once are Python's
    for _, graph in call.node.subgraphs():
        make_final(graph)
    found = gradient_of_loop(_While(call.node), call, list(grads), call.wanted)
    return found[: len(call.inputs)]  # the node may have got further variables since the call was recorded


def gradient_of_loop(form: LoopForm, call: Call, grads: list[Any], is_wanted: list[bool]) -> list[Any]:
    """The gradients of the variables of a loop before it, from those after it; None where there is none."""
    reads = dependencies(form)
    seeds = {i for i, g in enumerate(grads) if g is not None and is_differentiable(form.inputs[i].dtype)}
    flowing = _closure(seeds, lambda i: reads[i])
    wanted = {i for i, w in enumerate(is_wanted) if w and is_differentiable(form.inputs[i].dtype)}
    varying = _closure(wanted, lambda j: {i for i, r in enumerate(reads) if j in r})
    carried = sorted(flowing & varying)
    out: list[Any] = [None] * len(form.inputs)
    if not any(i in wanted for i in carried):
        return out
    results = None
    if form.node.attrs.get("_checkpoint"):
        results = ops.checkpointed_loop_gradient(call, carried, grads)
    for i, grad in zip(carried, _whole_loop(form, carried, grads) if results is None else results):
        if i in wanted:
            out[i] = grad
    return out


def _whole_loop(form: LoopForm, carried: list[int], grads: list[Any]) -> list[Any]:
    """The gradients of the variables `carried` by a loop that pops what the loop pushed in every iteration."""
    places = {v: i for i, v in enumerate(form.body.inputs)}
    wanted = [places[form.inputs[i]] for i in carried]
    back = build_backward(form.body, [form.outputs[i] for i in carried], wanted, "grad")
    back.finish()
    count = form.count()
    kept = _Kept(form, back)
    starts = [grads[i] if i < len(grads) and grads[i] is not None else zeros_of(form.results[i]) for i in carried]

    def step(leaves: list[SymbolicTensor]) -> list[Any]:
        return kept.replay(leaves[: len(carried)], leaves[len(carried) :])

    shapes: list[Any] = [TensorShape(relax(grad_dims(form.inputs[i]), t.dims)) for i, t in zip(carried, starts)]
    shapes += [None] * len(kept.lists)
    results = build_while(
        lambda _: True, step, [*starts, *kept.lists], invariants=shapes,
        maximum_iterations=count, name=f"{form.node.name.rsplit('/', 1)[-1]}_grad",
    )  # fmt: skip
    return results[: len(carried)]


def grad_dims(value: Value) -> Any:
    """The static shape that the gradient of a loop variable, `value` in the body, has in every iteration."""
    if value.dtype.name != "resource":
        return value.dims
    return getattr(value.info, "dims", None)


def _closure(start: set[int], following: Callable[..., Any]) -> set[int]:
    found = set(start)
    waiting = list(start)
    while waiting:
        for i in following(waiting.pop()):
            if i not in found:
                found.add(i)
                waiting.append(i)
    return found


def dependencies(form: LoopForm) -> list[set[int]]:
    """For each variable after an iteration the positions of those before that it depends on in a differentiable way."""
    known: dict[Value, set[int]] = {v: {i} for i, v in enumerate(form.inputs)}
    for node in form.body.nodes:
        if node.op is Placeholder:
            continue
        found: set[int] = set()
        for value in node.inputs:
            if is_differentiable(value.dtype):
                found |= known.get(value, set())
        for value in node.outputs:
            known[value] = found if is_differentiable(value.dtype) and node.op is not StopGradient else set()
    return [known.get(v, set()) for v in form.outputs]


def counter_of(node: Node) -> int:
    """Which output of the loop tells how often it ran; adds one if there is none."""
    body = node.attrs["body"]
    for i, value in enumerate(body.outputs):
        step = value.source.node
        if step.op in (AddV2, Add) and value.dtype is int32 and body.inputs[i].dims == ():
            a, b = step.inputs
            if _is(a if b.source is body.inputs[i] else b, 1) and body.inputs[i] in (a.source, b.source):
                if _is(node.inputs[i], 0):
                    return i
    return add_variables(node, lambda: [convert_to_tensor(0)], lambda own: [AddV2(own[0], 1)])[0]


def _is(value: Value, number: int) -> bool:
    array = static_value(value)
    return array is not None and array.shape == () and int(array) == number


def insert_before(node: Node, make: Callable[..., Any]) -> list[SymbolicTensor]:
    """The tensor (or list of tensors) of `make`, recorded in the graph of `node` so that it comes before `node`."""
    graph: Any = node.graph
    mark = len(graph.nodes)
    with building(graph), stop_recording():
        made = make()
        made = [graph.capture(t) for t in made] if isinstance(made, list) else graph.capture(made)
    added, graph.nodes[mark:] = graph.nodes[mark:], []
    at = next(i for i, n in enumerate(graph.nodes) if n is node)
    graph.nodes[at:at] = added
    graph.version += 1
    return made


def add_variables(node: Node, starts: Any, following: Any) -> list[int]:
    """Further variables of a loop; returns their positions.

    `starts` gives their first values, and `following`, inside the body, the next ones from those before.
    """
    first = insert_before(node, starts)
    cond, body = node.attrs["cond"], node.attrs["body"]
    for tensor in first:
        for part in (cond, body):
            part.placeholder(tensor.dtype, tensor.dims, "accumulator" if tensor.dtype is variant else "counter")
    with building(body), stop_recording():
        old = body.enter_scope("")
        own = [tensor_of(v) for v in body.inputs[len(body.inputs) - len(first) :]]
        results = following(own)
        body.leave_scope(old)
    body.outputs += [t.value for t in results]
    for part in (cond, body):
        part.version += 1
    positions = []
    for tensor in first:
        node.inputs.append(tensor.value)
        value = Value(node, len(node.outputs), tensor.dims, tensor.dtype)
        node.outputs.append(value)
        positions.append(value.index)
    node.attrs["T"] = [*node.attrs["T"], *[t.dtype for t in first]]
    if node.attrs.get("output_shapes"):
        node.attrs["output_shapes"] = [*node.attrs["output_shapes"], *[t.dims for t in first]]
    node.graph.version += 1
    return positions


def accumulator(node: Node, value: Value) -> int:
    """The position of the loop variable that collects `value`, a value of the body, of each iteration."""
    known: dict[Value, int] = node.attrs["body"].collections.setdefault("accumulators", {})
    if value not in known:
        dtype = value.dtype

        def starts() -> list[Any]:
            return [EmptyTensorList(np.int32(-1), np.int32(-1), element_dtype=dtype)]

        def longer(own: list[Any]) -> list[Any]:
            return [TensorListPushBack(own[0], tensor_of(value), element_dtype=dtype)]

        (known[value],) = add_variables(node, starts, longer)
    return known[value]


class _Kept:
    """What the backward loop gets from the forward loop: lists to pop from, and what never changes."""

    def __init__(self, form: LoopForm, back: Backward) -> None:
        self.back = back
        self.lists: list[SymbolicTensor] = []
        self.popped: list[SymbolicTensor] = []  # the captures, inside the backward body, that stand for list elements
        self.fixed: list[tuple[Any, SymbolicTensor]] = []
        constant = {v for v, o in zip(form.inputs, form.outputs) if o.source is v}
        positions = {v: i for i, v in enumerate(form.inputs)}
        for outer, inner in back.graph.captures:
            if not isinstance(outer, SymbolicTensor) or outer.graph is not form.body:
                self.fixed.append((outer, inner))
            elif outer.value.source in constant:
                self.fixed.append((form.given[positions[outer.value.source]], inner))
            else:
                self.lists.append(form.collected(outer.value))
                self.popped.append(inner)

    def replay(self, grads: list[Any], lists: list[Any]) -> list[Any]:
        """One iteration backwards, recorded in the graph being traced: moves the backward graph of the body there."""
        here: Any = current_graph()
        graph = self.back.graph
        values: dict[Value, Value] = {}
        for placeholder, grad in zip(graph.inputs, grads):
            values[placeholder] = grad.value
        rest = []
        for handle, inner in zip(lists, self.popped):
            shorter, element = TensorListPopBack(handle, np.int32(-1), element_dtype=inner.dtype)
            element.value.dims = inner.dims
            element.value.info = inner.value.info
            values[inner.value] = element.value
            rest.append(shorter)
        for outer, inner in self.fixed:
            values[inner.value] = here.capture(outer).value
        move_nodes(graph, here, values)
        supply = iter(graph.outputs)
        after = []
        for result, grad in zip(self.back.results, grads):
            if result is None:
                made = zeros_of(grad)
            else:
                value = next(supply)
                made = tensor_of(values.get(value, value))
            if made.dtype.kind != "O" and grad.dims is not None:
                made.set_shape(grad.dims)
            after.append(made)
        return [*after, *rest]


def move_nodes(graph: FuncGraph, here: FuncGraph, values: dict[Value, Value]) -> None:
    """Moves the nodes of `graph`, but its inputs, to the end of `here`; `values` says what stands for the inputs."""
    inputs = {v.node for v in graph.inputs}
    for node in graph.nodes:
        if node in inputs:
            continue
        node.graph = here
        node.name = here.unique_name(node.name.rsplit("/", 1)[-1])
        node.inputs = [values.get(v, v) for v in node.inputs]
        for _, inner in node.subgraphs():
            if getattr(inner, "outer", None) is graph:
                inner.outer = here  # type: ignore[attr-defined]
        here.nodes.append(node)
    for key, kept in graph.collections.items():
        if isinstance(kept, list):
            here.collections.setdefault(key, []).extend(kept)
    for variable in graph.variables_used:
        here.watch_variable(variable)
    here.version += 1
