"""Gradients of graphs: for a graph and gradients of its outputs, a second graph that computes those of its inputs.

    f(x) = sin(x) * x             forward(x)           -> f, sin(x)
                            ->    backward(g, x, sin)  -> g * sin + g * x * cos(x)

What the second graph needs from inside the first becomes further outputs of the first: *intermediates*. The nodes are
shared, so the graph that nobody differentiates stays what it was, and computes nothing for the sake of gradients.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

from graphrt import errors
from graphrt.autodiff.backprop import Call, backprop, calls_of, dense, grad_type, is_differentiable, zeros_of
from graphrt.ir.graph import Graph, Node, Value, static_value
from graphrt.ir.liveness import observable
from graphrt.ir.op import MEASURES, ops, provide  # late: what it calls stands in rooms above
from graphrt.ops.array.identity import Identity
from graphrt.ops.array.indexed_slices import IndexedSlices
from graphrt.tensor.context import CallWatcher, building, recorders, stop_recording
from graphrt.tensor.func_graph import Const, FuncGraph, Placeholder
from graphrt.tensor.tensor import SymbolicTensor, Tensor, raw_of, tensor_of
from graphrt.types.likes import Array, TensorLike

_numbers = itertools.count(1)
_lock = threading.RLock()
_ROUNDS = 8  # of making a forward graph complete; each adds values of the graph, so two or three do
SMALL = 64  # elements: known values up to this size are written into the backward graph


class BackwardGraph(FuncGraph):
    """A graph of gradient ops; tensors of the graph being differentiated are captures, but constants are copied."""

    def __init__(self, name: str, forward: BackwardGraph | FuncGraph) -> None:
        super().__init__(name, outer=forward)
        self._copies: dict[int, tuple[Any, SymbolicTensor]] = {}

    def capture(self, tensor: Tensor, name: str | None = None, unused: bool = False) -> SymbolicTensor:
        """As for any graph; a constant, or a small value known now, is copied."""
        if unused or type(tensor) is not SymbolicTensor or tensor.value.node.graph is self:
            return super().capture(tensor, name, unused)
        found = self._copies.get(id(tensor))
        if found is not None:
            return found[1]
        if tensor.value.node.graph is not self.outer:  # a rule kept it from where the forward graph was traced
            stand_in = getattr(self.outer, "_captures", {}).get(id(tensor))
            if stand_in is not None:
                return self.capture(stand_in[1], name)
            copy_of = getattr(self.outer, "collections", {}).get("copies", {}).get(tensor.value)
            if copy_of is not None:
                return self.capture(tensor_of(copy_of), name)
        array = _known(tensor.value)
        if array is None:
            return super().capture(tensor, name, unused)
        with building(self):
            copy = self.constant(array)
        self._copies[id(tensor)] = (tensor, copy)
        return copy


def _known(value: Value) -> Array | None:
    """The array to copy for `value`: a constant, or an integer that follows from constants."""
    if value.node.op is Const:
        return value.node.attrs["value"]
    if value.dtype.kind not in "iub" or value.node.op is Placeholder:
        return None
    array = static_value(value)
    return array if array is not None and array.size <= SMALL else None


class Backward:
    """A backward graph and how to call it.

    Attributes:
      graph: takes the gradients of `seeds`, then the tensors `captured`.
      seeds: the values of the forward graph whose gradients it takes.
      captured: tensors of the forward graph, or from outside of it.
      results: for each wanted input the gradient, as a tensor of `graph`, or None.
    """

    __slots__ = ("graph", "results", "seeds", "wanted")

    def __init__(self, graph: BackwardGraph, seeds: list[Value], wanted: list[int], results: list[Any]) -> None:
        self.graph = graph
        self.seeds = seeds
        self.wanted = wanted
        self.results = results

    @property
    def captured(self) -> list[Any]:
        """The tensors that stand for the inputs after the gradients."""
        return self.graph.external_captures

    def finish(self) -> None:
        """Makes the gradients that exist the outputs of the graph."""
        with building(self.graph), stop_recording():
            self.graph.outputs = [Identity(t).value for t in _parts(self.results)]
        self.graph.finished = True

    def packed(self, found: Any) -> list[Any]:
        """The gradients, or None, of what the graph's outputs became."""
        supply = iter(found)
        return [_rebuilt(r, supply) for r in self.results]


def _parts(results: list[Any]) -> list[Any]:
    """The tensors of gradients; slices are several."""
    return [t for r in results if r is not None for t in (r.components() if isinstance(r, IndexedSlices) else [r])]


def _rebuilt(like: TensorLike | None, supply: Iterator[Any]) -> Any:
    """A gradient like `like`, with tensors from `supply`."""
    if like is None:
        return None
    return (
        like.with_components([next(supply) for _ in like.components()])
        if isinstance(like, IndexedSlices)
        else next(supply)
    )


def build_backward(
    forward: BackwardGraph | FuncGraph, seeds: list[Value], wanted: list[int], kind: str = "backward",
    slices: bool = False
) -> Backward:  # fmt: skip
    """The backward graph of `forward` for gradients of its values `seeds`, with respect to its inputs `wanted`.

    With `slices` results may be `IndexedSlices`.
    """
    graph = BackwardGraph(f"__{kind}_{forward.name.strip('_')}_{next(_numbers)}", forward)
    with building(graph), stop_recording():
        grads = []
        for value in seeds:
            dtype, dims = grad_type(value)
            grads.append(graph.placeholder(dtype, dims, "grad"))
        sources = [tensor_of(forward.inputs[i]) for i in wanted]
        pairs = [(tensor_of(v), g) for v, g in zip(seeds, grads)]
        results = backprop(calls_of(list(forward.nodes)), pairs, sources, slices=slices)
        captured = iter([graph.capture(t) for t in _parts(results)])
        results = [_rebuilt(r, captured) for r in results]
        for result, position in zip(results, wanted):
            if isinstance(result, SymbolicTensor):
                _assume_shape(result, forward.inputs[position])
    _keep_measures_only(graph, forward, results)
    return Backward(graph, seeds, wanted, results)


def _assume_shape(result: SymbolicTensor, source: Value) -> None:
    """A gradient has the shape of its source."""
    dtype, dims = grad_type(source)
    if dtype.kind != "O":
        result.set_shape(dims)


def _keep_measures_only(graph: BackwardGraph, forward: BackwardGraph | FuncGraph, results: list[Any]) -> None:
    """Where a captured tensor is only measured, measures it in the forward graph, which need not keep it then."""
    returned = {t.value for t in _parts(results)}
    for outer, inner in graph.captures:
        if not isinstance(outer, SymbolicTensor) or outer.graph is not forward:
            continue
        users = [n for n in graph.nodes if inner.value in n.inputs]
        if inner.value in returned or not users or any(MEASURES not in n.op.traits for n in users):
            continue
        replaced: dict[Value, Value] = {}
        for user in users:
            measured = _measure(forward, outer, user)
            replaced[user.outputs[0]] = graph.capture(measured).value
        gone = {*users, inner.value.node}
        graph.nodes = [n for n in graph.nodes if n not in gone]
        graph.inputs = [v for v in graph.inputs if v is not inner.value]
        del graph._captures[id(outer)]
        for node in graph.nodes:
            node.inputs = [replaced.get(v, v) for v in node.inputs]
        _placeholders_first(graph)
        parts = iter([tensor_of(replaced.get(t.value, t.value)) for t in _parts(results)])
        results[:] = [_rebuilt(r, parts) for r in results]


def _placeholders_first(graph: Graph) -> None:
    """Puts placeholders, and constants, before what may use them."""
    graph.nodes.sort(key=lambda n: not (n.is_parameter or n.is_constant))


def _measure(forward: FuncGraph, tensor: SymbolicTensor, user: Node) -> SymbolicTensor:
    for node in forward.nodes:
        if node.type == user.type and node.inputs == [tensor.value] and node.attrs == user.attrs:
            return tensor_of(node.outputs[0])
    old = forward.enter_scope("")
    try:
        with building(forward), stop_recording():
            return user.op(tensor, **user.attrs)
    finally:
        forward.leave_scope(old)


# --- calls of functions ----------------------------------------------------------------------------------------------
def base_of(graph: object) -> Any:
    """The graph that was traced, for a forward graph made of it."""
    return getattr(graph, "base", None) or graph


def view(base: BackwardGraph | FuncGraph, outputs: list[Value]) -> FuncGraph:
    """A graph of the same nodes as `base` that gives `outputs`."""
    made = FuncGraph.__new__(FuncGraph)
    made.__dict__.update(base.__getstate__())
    made.compiled, made.derived, made.base = None, {}, base
    made.name = f"__forward_{base.name.strip('_')}_{next(_numbers)}"
    made.outputs = outputs
    return made


def backward_of(base: BackwardGraph | FuncGraph, seeds: list[Value], wanted: list[int]) -> Backward:
    """`build_backward`, finished and remembered."""
    cache = base.derived
    key = ("backward", tuple(seeds), tuple(wanted))
    found: Backward | None = cache.get(key)
    if found is None:
        found = cache[key] = build_backward(base, seeds, wanted, slices=True)
        found.finish()
    return found


def _needed(back: Backward, base: BackwardGraph | FuncGraph, outputs: list[Value]) -> list[Value]:
    """The values of `base` that `back` takes and that are neither inputs nor among `outputs`."""
    at_hand = set(base.inputs) | set(outputs) | {v.source for v in outputs}
    inner = [t.value for t in back.captured if isinstance(t, SymbolicTensor) and t.graph is base]
    return [v for v in inner if v not in at_hand]


def forward_of(graph: Any, wanted: list[int], complete: bool) -> Any:
    """`graph` with the intermediates as further outputs that gradients with respect to the inputs `wanted` need.

    With `complete` these suffice for gradients of any order.
    """
    base = base_of(graph)
    cache = base.derived
    key = ("forward", tuple(graph.outputs), tuple(wanted), complete)
    with _lock:
        found = cache.get(key)
        if found is not None:
            return found
        outputs = list(graph.outputs)
        seeds = [v for v in outputs if is_differentiable(v.dtype) and v.dtype.name != "resource"]
        for _ in range(_ROUNDS):
            new = _needed(backward_of(base, seeds, wanted), base, outputs)
            outputs += new
            if not new or not complete:
                break
            seeds = [v for v in outputs if is_differentiable(v.dtype) and v.dtype.name != "resource"]
        made = graph if len(outputs) == len(graph.outputs) else view(base, outputs)
        cache["kept for", tuple(outputs)] = seeds, wanted  # (see `call_gradient`)
        cache[key] = made
        return made


def is_stateful(graph: Graph) -> bool:
    """Whether calling `graph` may have effects, or depends on state."""
    cache = base_of(graph).derived
    found = cache.get("stateful")
    if found is None or found[0] != len(graph.nodes):
        found = cache["stateful"] = len(graph.nodes), any(n.stateful for n in graph.nodes)
    return bool(found[1])


def recorded_call(graph: Any, inputs: list[Any]) -> list[Any]:
    """Calls `graph` at once and tells the tapes; what gradients will need is computed along with the outputs."""
    tapes = recorders()
    for tape in tapes:
        if isinstance(tape, CallWatcher):
            tape.called(graph)
    watched = [
        i for i, t in enumerate(inputs) if is_differentiable(t.dtype) and any(tape.is_watching(t) for tape in tapes)
    ]
    stateful = is_stateful(graph)
    op = ops.StatefulPartitionedCall if stateful else ops.PartitionedCall
    forward = graph
    if watched and not calls_itself(graph):
        complete = len(tapes) > 1 or (stateful and any(tape.needs_higher_order for tape in tapes))
        try:
            forward = forward_of(graph, watched, complete)
        except LookupError:  # something has no gradient: said when one is asked for
            forward = graph
    outputs = ops.run_graph(forward, inputs)
    if watched:
        attrs = {"f": forward, "Tin": [t.dtype for t in inputs], "Tout": [v.dtype for v in forward.outputs]}
        for tape in tapes:
            tape.record(op, inputs, attrs, outputs)
    return outputs[: len(graph.outputs)]


@provide
def run_traced(compute: Callable[..., Any], tensors: list[Any], name: str = "traced") -> list[Any]:
    """`compute(tensors)`, a list of tensors, run at once as a graph: tapes are told of one call."""
    graph = FuncGraph(f"__inference_{name}_{next(_numbers)}")
    with building(graph), stop_recording():
        inside = []
        for tensor in tensors:
            inner = graph.placeholder(tensor.dtype, tensor.dims, "args")
            inner.value.info = raw_of(tensor) if tensor.dtype.kind == "O" else None
            inside.append(inner)
        graph.outputs = [Identity(t).value for t in compute(inside)]
    graph.finished = True
    for tape in recorders():
        for variable in graph.variables_used:
            tape.variable_accessed(variable)
    return recorded_call(graph, [*tensors, *graph.external_captures])


@provide
def call_gradient(call: Call, *grads: object) -> list[Any]:
    """The gradient rule of `PartitionedCall` and `StatefulPartitionedCall`."""
    graph = call.node.attrs["f"] if call.node is not None else call.attrs["f"]
    base = base_of(graph)
    if not getattr(base, "finished", True):
        raise LookupError(
            errors.at_user_line(
                f"{base.name!r} is still being traced: the gradient of its call of itself is not known yet. Take the "
                "gradient outside of the function."
            )
        )
    with _lock:
        seeds = [i for i, g in enumerate(grads) if g is not None and is_differentiable(graph.outputs[i].dtype)]
        wanted = [i for i, w in enumerate(call.wanted) if w and is_differentiable(call.inputs[i].dtype)]
        if calls_itself(base):
            return _through_recursion(call, graph, seeds, wanted, grads)
        back = backward_of(base, [graph.outputs[i] for i in seeds], wanted)
        missing = _needed(back, base, graph.outputs)
        unreached: set[int] = set()
        kept = base.derived.get(("kept for", tuple(graph.outputs))) if missing and call.node is None else None
        if kept is not None and set(wanted) <= set(kept[1]):
            # for gradients of fewer outputs other values matter, such as the shape of one that none reaches: the call
            # kept what those of all take
            unreached = {i for i, r in zip(wanted, back.results) if r is None}
            seeds, wanted = [graph.outputs.index(v) for v in kept[0]], kept[1]
            grads = tuple(
                zeros_of(o) if g is None and i in seeds else g for i, (g, o) in enumerate(zip(grads, call.outputs))
            )
            back = backward_of(base, *kept)
            missing = _needed(back, base, graph.outputs)
        if missing:
            outputs = _extended(call, graph, base, missing)
        else:
            outputs = call.outputs
        positions = {v: i for i, v in enumerate(base.inputs)}
        places = {v.source: i for i, v in enumerate(graph.outputs)}
        places.update({v: i for i, v in enumerate([*graph.outputs, *missing])})
        given = []
        for t in back.captured:
            if not isinstance(t, SymbolicTensor) or t.graph is not base:
                given.append(t)
            elif t.value in positions:
                given.append(call.inputs[positions[t.value]])
            else:
                given.append(outputs[places[t.value]])
    out: list[Any] = [None] * len(call.inputs)
    if back.graph.outputs:
        found = ops.call_graph(back.graph, [*(grads[i] for i in seeds), *given])
        for i, grad in zip(back.wanted, back.packed(found), strict=True):
            out[i] = grad if i not in unreached else None
    return out


# --- functions that call themselves ----------------------------------------------------------------------------------
def calls_itself(graph: object) -> bool:
    """Whether running `graph` may come back to it."""
    base = base_of(graph)
    cache = base.derived
    found = cache.get("recursive")
    if found is None:
        found = any(base_of(inner) is base for inner in base.functions().values())
        if getattr(base, "finished", True):
            cache["recursive"] = found
    return bool(found)


class _Promised:
    """What the gradient of a function will give, while it is made: its own body calls it."""

    def __init__(self, types: list[Any]) -> None:
        self.dims = [dims for _, dims in types]


def _through_recursion(call: Call, graph: Any, seeds: list[int], wanted: list[int], grads: Any) -> list[Any]:
    """Gradients by a function that runs the forward graph again: no list of outputs could hold what all levels need."""
    out: list[Any] = [None] * len(call.inputs)
    if not seeds or not wanted:
        return out
    base = base_of(graph)
    if _has_effects(base, set()):
        raise LookupError(
            errors.at_user_line(
                f"there is no gradient through {base.name!r}: it calls itself, so its gradient has to run it again, and"
                " it has effects, which must not happen twice. Write the recursion as a loop."
            )
        )
    gradient = _recomputing(base, [graph.outputs[i] for i in seeds], wanted)
    types = [grad_type(base.inputs[i]) for i in wanted]
    op = ops.StatefulPartitionedCall if is_stateful(base) else ops.PartitionedCall
    if gradient.finished:
        found = ops.call_graph(gradient, [*(grads[i] for i in seeds), *call.inputs])
    else:
        found = op([*(grads[i] for i in seeds), *call.inputs], f=gradient, Tout=[dtype for dtype, _ in types])
    for i, grad in zip(wanted, found, strict=True):
        out[i] = grad
    return out


def _has_effects(graph: Graph, seen: set[Graph]) -> bool:
    """Whether running `graph` does, or depends on, more than reading variables."""
    seen.add(graph)
    return any(has_effects(node, seen) for node in graph.nodes)


def has_effects(node: Node, seen: set[Graph] | None = None) -> bool:
    """Whether running `node` does, or depends on, more than reading variables; graphs in `seen` are not looked at."""
    seen = set() if seen is None else seen
    inner = [g for _, g in node.subgraphs()]
    if inner and node.op.structure is not None:
        return any(_has_effects(g, seen) for g in inner if g not in seen)
    return observable(node) or _is_random(node)


def _is_random(node: Node) -> bool:
    """Whether `node` draws numbers: it is stateful, but neither reads a resource nor makes one."""
    return node.stateful and all(v.dtype.kind != "O" for v in (*node.inputs, *node.outputs))


def _recomputing(base: Any, seeds: list[Value], wanted: list[int]) -> Any:
    """The graph that takes gradients of the values `seeds` and all inputs of `base`, and gives those of `wanted`."""
    cache = base.derived
    key = ("recomputing", tuple(seeds), tuple(wanted))
    if key in cache:
        return cache[key]
    graph = FuncGraph(f"__gradient_{base.name.strip('_')}_{next(_numbers)}")
    graph.outer = None
    graph.assumed = _Promised([grad_type(base.inputs[i]) for i in wanted])
    cache[key] = graph
    op = ops.StatefulPartitionedCall if is_stateful(base) else ops.PartitionedCall
    try:
        with building(graph), stop_recording():
            grads = [graph.placeholder(*grad_type(v), "grad") for v in seeds]
            inputs = []
            for value in base.inputs:
                stand_in = graph.placeholder(value.dtype, value.dims, value.node.name)
                stand_in.value.info = value.info
                inputs.append(stand_in)
            back = backward_of(base, seeds, wanted)
            missing = _needed(back, base, [])
            given: dict[Value, Any] = dict(zip(base.inputs, inputs))
            if missing:
                outputs = op(inputs, f=view(base, missing), Tout=[v.dtype for v in missing])
                given.update(zip(missing, outputs))
            captured = [
                given[t.value] if isinstance(t, SymbolicTensor) and t.graph is base else t for t in back.captured
            ]
            found = ops.call_graph(back.graph, [*grads, *captured]) if back.graph.outputs else ()
            results = [zeros_of(inputs[i]) if r is None else dense(r) for i, r in zip(wanted, back.packed(found))]
            graph.outputs = [Identity(t).value for t in results]
    except BaseException:
        del cache[key]
        raise
    graph.finished = True
    return graph


def _extended(
    call: Call, graph: BackwardGraph | FuncGraph, base: BackwardGraph | FuncGraph, missing: list[Value]
) -> list[Any]:
    """The outputs of the call together with the values `missing`."""
    node = call.node
    forward = view(base, [*graph.outputs, *missing])
    if node is not None:
        node.attrs["f"] = forward
        node.attrs["Tout"] = [v.dtype for v in forward.outputs]
        for value in missing:
            add_output(node, value)
        return call.outputs
    if is_stateful(graph):
        raise RuntimeError(
            f"the call of {base.name!r} did not keep what this gradient needs, and has effects, so cannot be repeated"
        )
    again = ops.run_graph(forward, call.inputs)
    return [*call.outputs, *again[len(call.outputs) :]]


def add_output(node: Node, inner: Value) -> Value:
    """A further output of `node`, which gives the value `inner` of a graph it holds."""
    value = Value(node, len(node.outputs), inner.dims, inner.dtype)
    value.info = inner.info
    node.outputs.append(value)
    node.graph.version += 1
    return value
