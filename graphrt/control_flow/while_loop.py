"""Loops: `While`, `StatelessWhile` and the public `while_loop`.

    tf.while_loop(lambda i: i < 10, lambda i: (i + 1,), (i,))

becomes a `StatelessWhile` node (a `While` when condition or body have effects). As in TensorFlow its first two inputs
are a loop counter and the maximum of iterations (-1: none), which the body passes on; then come the loop variables and
last what condition and body captured, the same for both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.control_flow.branches import (
    align_captures,
    as_predicate,
    body_graph,
    declared_dims,
    is_stateful,
    tell_tapes,
    truth,
)
from graphrt.control_flow.invariants import flat_invariants
from graphrt.ir.code import Code, Template
from graphrt.ir.graph import Graph, InferContext
from graphrt.ir.op import GROWS, LOOP, STATEFUL, TAKES_NONE, define, ops, provide  # late: start-up
from graphrt.ir.weak_type import WeakType
from graphrt.tensor.apply import record_node
from graphrt.tensor.context import building, current_graph, recorders
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph, Placeholder
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor, tensor_of
from graphrt.tensor.weak import copied_type, of_rank, settled, united, weak_tensor, weak_type
from graphrt.types import structure
from graphrt.types.advice import conversion
from graphrt.types.dtype import DType, int32
from graphrt.types.likes import TensorLike
from graphrt.types.shape import Dims, TensorShape, compatible, dims_of

if TYPE_CHECKING:
    from graphrt.ir.graph import Node

# --- the ops ---------------------------------------------------------------------------------------------------------


def _loop_dims(c: InferContext) -> list[Dims]:
    return list(declared_dims(c, len(c.inputs))) or [v.dims for v in c.inputs]


def carried(node: Node, is_used: Callable[[Any], bool]) -> tuple[list[int], list[int]]:
    """Which inputs of a loop node must be carried from one iteration to the next, and which never change.

    A variable is needed when the node's output is used, the condition or an effect of the body reads it, or a needed
    variable is computed from it.
    """
    cond, body = node.attrs["cond"], node.attrs["body"]
    positions = {id(v): i for i, v in enumerate(body.inputs)}
    constant = [i for i, v in enumerate(body.outputs) if v.source is body.inputs[i]]
    needed = {i for i, v in enumerate(node.outputs) if is_used(v)}
    reads = _reads(cond, list(cond.outputs) + _effect_inputs(cond))
    needed |= {i for i, v in enumerate(cond.inputs) if id(v) in reads}
    needed |= {positions[r] for r in _reads(body, _effect_inputs(body)) if r in positions}
    by_output = {i: {positions[r] for r in _reads(body, [v]) if r in positions} for i, v in enumerate(body.outputs)}
    frontier = list(needed)
    while frontier:
        for j in by_output[frontier.pop()]:
            if j not in needed:
                needed.add(j)
                frontier.append(j)
    return sorted(needed - set(constant)), constant


def _effect_inputs(graph: Graph) -> list[Any]:
    return [v for n in graph.nodes if n.stateful for v in n.inputs]


def _reads(graph: Graph, roots: list[Any]) -> set[int]:
    """The ids of all values of `graph` that `roots` are computed from."""
    seen: set[int] = set()
    stack = list(roots)
    while stack:
        value = stack.pop()
        if id(value) not in seen:
            seen.add(id(value))
            stack += value.node.inputs
    return seen


_LOOP = Template("while True:")()
_UNLESS = Template("if not {}:")
_BREAK = Template("break")()


def _emit_while(e: Any, node: Node, inputs: list[Code]) -> list[Code]:
    cond, body = node.attrs["cond"], node.attrs["body"]
    moving, constant = carried(node, e.is_used)
    names = list(inputs)
    own = [*moving, *(i for i in constant if not e.is_alike(body.inputs[i], node.inputs[i]))]
    for i in own:
        names[i] = e.fresh("v")
    e.assign([names[i] for i in own], [e.as_kind_of(body.inputs[i], node.inputs[i], inputs[i]) for i in own])
    e.release([inputs[i] for i in moving if inputs[i] not in names])
    counter = e.counter_of(node)
    if counter is not None:
        moving = [i for i in moving if i != counter.position]
    with e.block(_LOOP if counter is None else counter.header(names)):
        if counter is None:
            e.count_step()
            (test,) = e.graph(cond, names, [0])
            with e.block(_UNLESS(truth(e, cond.outputs[0], test))):
                e.line(_BREAK)
        found = e.graph(body, names, moving)
        results = [e.as_kind_of(body.inputs[i], body.outputs[i], code) for i, code in zip(moving, found, strict=True)]
        e.assign([names[i] for i in moving], results)
    given = zip(node.outputs, body.inputs, names, strict=True)
    return [e.as_kind_of(value, inner, name) if e.is_used(value) else name for value, inner, name in given]


_WHILE = "input: T... -> output: T..."
_WHILE_ATTRS = (
    "T: list(type); cond: func; body: func; output_shapes: list(shape) = []; parallel_iterations: int = 10; "
    "_num_original_outputs: int = 0"
)


def _vjp(call: Any, *grads: object) -> list[Any]:
    return ops.loop_gradient(call, *grads)


_RULES: Any = {"attrs": _WHILE_ATTRS, "infer": _loop_dims, "emit": _emit_while, "vjp": _vjp, "structure": LOOP}
StatelessWhile = define("StatelessWhile", _WHILE, traits=(GROWS, TAKES_NONE), **_RULES)
While = define("While", _WHILE, traits=(STATEFUL, GROWS, TAKES_NONE), **_RULES)


# --- building --------------------------------------------------------------------------------------------------------
def describe(dtype: Any, dims: Dims) -> str:
    """A tensor's static type for messages: `float32 (None, 3)`."""
    return f"{dtype.name} {TensorShape(dims)}"


def build_while(
    test: Callable[[list[SymbolicTensor]], Any],
    body: Callable[[list[SymbolicTensor]], Sequence[Any]],
    init: Sequence[Any],
    *,
    names: Sequence[str] | None = None,
    invariants: Sequence[Dims | None] | None = None,
    maximum_iterations: TensorLike | None = None,
    parallel_iterations: int = 10,
    name: str = "while",
    advice: str = "",
    checkpoint: bool = False,
    numbers: Sequence[bool] = (),
) -> list[SymbolicTensor]:
    """Records a loop over the flat tensors `init` in the graph being traced; returns their values after the loop.

    `test` and `body` receive the loop variables as symbolic tensors, inside the graphs being built for them.
    `names` are the user's names of the variables, `invariants` shapes that hold in all iterations (None: that of
    `init`), `advice` ends the message about a shape that changes. With `checkpoint` the gradient runs iterations again
    instead of keeping all. `numbers` says which of the first variables are Python numbers in the loop, whatever `init` is.

    Raises:
      LoopVariableError: a variable's dtype or shape after an iteration is not what it was before.
    """
    graph, start = current_graph(), list(init)
    while True:
        mark = graph.checkpoint()
        try:
            return _build_while(
                test, body, start, names, invariants, maximum_iterations, parallel_iterations, name, advice, checkpoint,
                numbers,
            )  # fmt: skip
        except _Retyped as found:
            graph.rollback(mark)
            start[found.index] = found.changed()


class _Retyped(Exception):
    """A variable that is a number before the loop is a tensor, or a number of another kind, after an iteration.

    The loop is traced again; the variable starts as one of that dtype, or kind.
    """

    def __init__(self, index: int, start: Tensor, dtype: DType | None, rank: int) -> None:
        super().__init__(index)
        self.index = index
        self.start = start
        self.dtype = dtype
        self.rank = rank

    def changed(self) -> Any:
        """The variable's start as the next attempt needs it."""
        return of_rank(self.start, self.rank) if self.dtype is None else settled(self.start, self.dtype)


def _build_while(
    test: Callable[[list[SymbolicTensor]], Any],
    body: Callable[[list[SymbolicTensor]], Sequence[Any]],
    init: list[Any],
    names: Sequence[str] | None,
    invariants: Sequence[Dims | None] | None,
    maximum_iterations: TensorLike | None,
    parallel_iterations: int,
    name: str,
    advice: str,
    checkpoint: bool,
    numbers: Sequence[bool],
) -> list[SymbolicTensor]:
    graph = current_graph()
    scope = graph.unique_name(name)
    limit_value = -1 if maximum_iterations is None else maximum_iterations
    old = graph.enter_scope(f"{scope}/")
    try:
        limit = convert_to_tensor(
            limit_value, dtype=None if isinstance(limit_value, Tensor) else int32, name="maximum_iterations"
        )
        if limit.dtype is not int32:
            limit = ops.cast(limit, int32)
        counter = convert_to_tensor(0, dtype=int32, name="loop_counter")
        init = [weak_tensor(v) for v in init]
    finally:
        graph.leave_scope(old)
    shapes: list[Dims] = [
        v.dims if invariants is None or invariants[i] is None else dims_of(invariants[i]) for i, v in enumerate(init)
    ]
    everything = [counter, limit, *init]
    dims_all: list[Dims] = [(), (), *shapes]
    infos = [_info(graph, t) for t in everything]
    weak = [None, None, *(copied_type(t, names[i] if names else "") for i, t in enumerate(init))]
    for i, tensor in enumerate(init[: len(numbers)]):
        if numbers[i]:
            weak[2 + i] = weak[2 + i] or WeakType(tensor.dtype, names[i] if names else "")

    cond_graph, cond_args = _loop_graph("cond", scope, everything, dims_all, infos, weak)
    with building(cond_graph):
        holds = as_predicate(test(cond_args[2:]))
        if maximum_iterations is not None:
            holds = ops.LogicalAnd(cond_args[0] < cond_args[1], convert_to_tensor(holds))
        cond_graph.outputs = [ops.Identity(convert_to_tensor(holds)).value]
    cond_graph.finish()

    body_graph_, body_args = _loop_graph("body", scope, everything, dims_all, infos, weak)
    for outer, _ in cond_graph.captures:  # first, as in TensorFlow: they come first among the inputs
        body_graph_.capture(outer, outer.value.node.name if isinstance(outer, SymbolicTensor) else None)
    with building(body_graph_):
        results = [weak_tensor(v) for v in body(body_args[2:])]
        if len(results) == len(init):
            results = [_carried(i, *pair) for i, pair in enumerate(zip(init, body_args[2:], results))]
            with building(graph):
                init = everything[2:] = _started(init, body_args[2:], results)
        check_variables(init, shapes, results, names, advice)
        counted = ops.AddV2(body_args[0], 1, name="add")
        outputs = [ops.Identity(t) for t in (counted, body_args[1], *results)]
        for out, before in zip(outputs, infos):
            out.value.info = before
        body_graph_.outputs = [t.value for t in outputs]
    body_graph_.finish()

    _fill_captures(cond_graph, body_graph_)
    captured = align_captures([cond_graph, body_graph_])
    body_graph_.outputs += body_graph_.inputs[len(everything) :]
    every_input = [*everything, *captured]
    op = While if is_stateful(cond_graph) or is_stateful(body_graph_) else StatelessWhile
    attrs = {
        "T": [t.dtype for t in every_input],
        "cond": cond_graph,
        "body": body_graph_,
        "output_shapes": [*dims_all, *[t.dims for t in captured]],
        "parallel_iterations": parallel_iterations,
        "_num_original_outputs": len(every_input),
    }
    if checkpoint:
        attrs["_checkpoint"] = True
    node = record_node(graph, op, every_input, attrs, scope)
    cond_graph.parent_node = body_graph_.parent_node = node
    for value, given in zip(node.outputs, node.inputs):
        value.info = given.info
    for value, info in zip(node.outputs, infos):
        value.info = info
    for value, after in zip(node.outputs, body_graph_.outputs):
        if (found := weak_type(tensor_of(after))) is not None:
            found.enter(value)
    tell_tapes(node, every_input)
    return [tensor_of(v) for v in node.outputs[2 : 2 + len(init)]]


def _carried(index: int, start: Tensor, argument: SymbolicTensor, result: Tensor) -> Tensor:
    """What the loop carries of a variable that an iteration makes `result`.

    Raises:
      _Retyped: it is no more what it was, but could have been so from the start.
    """
    before, after = weak_type(argument), weak_type(result)
    if before is None:
        return settled(result, start.dtype) if after is not None and after.fits(start.dtype) else result
    if after is not None:
        if after.rank > before.rank:
            raise _Retyped(index, start, None, after.rank)
        return united([argument, of_rank(result, before.rank)])[1]
    if before.fits(result.dtype) and (result.dtype is not before.dtype or before.casts):
        raise _Retyped(index, start, result.dtype, 0)
    before.final = True
    return result


def _started(starts: list[Any], arguments: list[SymbolicTensor], results: list[Any]) -> list[Any]:
    """What the loop starts with, when it carries `results`."""
    found = list(starts)
    for i, (start, argument, result) in enumerate(zip(starts, arguments, results)):
        weak = weak_type(start)
        if weak is not None and weak_type(result) is not None:
            found[i] = united([start, argument])[0]
        elif weak is not None and weak.fits(result.dtype):
            found[i] = convert_to_tensor(start, result.dtype)
    # only now all widths are known; what is a number in the loop alone gets that
    return [ops.cast(s, a.dtype) if weak_type(a) and not weak_type(s) else s for s, a in zip(found, arguments)]


def _info(graph: FuncGraph, tensor: Tensor) -> Any:
    return graph.capture(tensor).value.info if isinstance(tensor, SymbolicTensor) or tensor.dtype.kind == "O" else None


def _loop_graph(
    kind: str,
    scope: str,
    variables: list[Tensor],
    shapes: list[Dims],
    infos: list[Any],
    weak: list[WeakType | None],
) -> tuple[FuncGraph, list[SymbolicTensor]]:
    graph = body_graph(kind, scope)
    args = []
    for i, (tensor, dims) in enumerate(zip(variables, shapes)):
        name = tensor.value.node.name if i < 2 and isinstance(tensor, SymbolicTensor) else Placeholder.type
        found = None if (given := weak[i]) is None else given.representative()  # the condition may have changed it
        dtype = tensor.dtype if found is None or tensor.dtype.kind == "O" else found.dtype
        arg = graph.placeholder(dtype, dims, name)
        arg.value.info = infos[i]
        if found is not None:
            found.enter(arg.value)
        if i < 2:
            arg.value.node.attrs["_user_specified_name"] = name.encode()
        args.append(arg)
    return graph, args


def _fill_captures(cond_graph: FuncGraph, body: FuncGraph) -> None:
    """Gives the condition a placeholder for each capture that only the body uses."""
    known = {id(outer) for outer, _ in cond_graph.captures}
    missing = [outer for outer, _ in body.captures if id(outer) not in known]
    for i, outer in enumerate(missing):
        inner = cond_graph.capture(outer, f"{cond_graph.name}___redundant_placeholder{i}", unused=True)
        if inner.dtype.kind != "O":
            inner.value.dims = inner.value.node.attrs["shape"] = None


def check_variables(
    init: Sequence[Tensor], shapes: list[Dims], results: list[Tensor], names: Sequence[str] | None, advice: str
) -> None:
    """Refuses results of the body that cannot be the loop variables of the next iteration."""
    if len(results) != len(init):
        raise errors.LoopVariableError(
            errors.at_user_line(f"the loop has {len(init)} loop variables, but its body returned {len(results)} values")
        )
    for i, (before, dims, after) in enumerate(zip(init, shapes, results)):
        label = repr(names[i]) if names and names[i] else f"loop variable number {i}"
        if before.dtype is not after.dtype:
            call = conversion(after.dtype, before.dtype, "...")
            raise errors.LoopVariableError(
                errors.at_user_line(
                    f"{label} has dtype {before.dtype.name} before the loop, but dtype {after.dtype.name} after one "
                    f"iteration (found {describe(before.dtype, before.dims)} and {describe(after.dtype, after.dims)}). "
                    f"Give it its final dtype before the loop{call and f', or use {call} in the body'}."
                )
            )
        if not TensorShape(after.dims).is_subtype_of(TensorShape(dims)):
            general = TensorShape(dims).most_specific_compatible_shape(TensorShape(after.dims))
            remedy = advice.format(name=label.strip("'\""), shape=general)
            raise errors.LoopVariableError(
                errors.at_user_line(
                    f"{label} has shape {TensorShape(dims)} before the loop, but shape {TensorShape(after.dims)} after "
                    f"one iteration (dtype {before.dtype.name}). {remedy}"
                )
            )


_LOOP_ADVICE = (
    "To allow the shape to vary across iterations, use the `shape_invariants` argument of tf.while_loop to specify a "
    "less-specific shape."
)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: TensorLike | None = None,
    name: str | None = None,
    *,
    checkpoint: bool = False,
) -> Any:
    """Repeats `body` while `cond` holds.

    `loop_vars` is a nested structure of tensors (any shapes and dtypes); `cond(*loop_vars)` gives a bool scalar,
    `body(*loop_vars)` the next values, with the same structure, dtypes and (unless `shape_invariants` relaxes them)
    static shapes. Returns the final values; they are constants to gradients if `back_prop` is False. With `checkpoint`
    gradients need memory for the square root of the number of iterations, and run every iteration a second time.

    >>> import graphrt as tf
    >>> i, s = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), (tf.constant(0), tf.constant(0)))
    >>> s.numpy()
    np.int32(10)

    Raises:
      TypeError: `cond` or `body` is not callable.
      ValueError: there are no loop variables.
      LoopVariableError: a loop variable changes dtype, shape or structure.

    https://www.tensorflow.org/api_docs/python/tf/while_loop
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    single = not isinstance(loop_vars, (list, tuple))
    variables = (loop_vars,) if single else loop_vars
    graph = current_graph()
    if not structure.flatten(variables) and (graph is None or cond() is True):
        raise ValueError(errors.at_user_line("'loop_vars' must be provided: nothing could end a loop over nothing"))
    if graph is None and not (checkpoint and recorders()):
        return _maybe_stopped(_run_eagerly(cond, body, variables, maximum_iterations, single), back_prop)
    flat = [weak_tensor(v) for v in structure.flatten(variables, expand_composites=True)]
    invariants = (
        None
        if shape_invariants is None
        else flat_invariants((shape_invariants,) if single else shape_invariants, variables)
    )
    template = variables
    if invariants is not None:
        for tensor, dims in zip(flat, invariants):
            if dims is not None and not compatible(tensor.dims, dims_of(dims)):
                raise ValueError(
                    errors.at_user_line(
                        f"The shape invariant {TensorShape(dims)} is not compatible with the loop variable of shape "
                        f"{tensor.shape}"
                    )
                )

    def packed(leaves: Sequence[Any]) -> list[Tensor] | tuple[Any, ...]:
        return structure.pack_like(template, leaves, expand_composites=True)

    def flat_body(leaves: list[SymbolicTensor]) -> list[Any]:
        result = body(*packed(leaves))
        if not isinstance(result, (list, tuple)) or (single and len(variables) == 1 and not _fits(result, variables)):
            result = [result]
        try:
            structure.assert_same_structure(list(variables), list(result), check_types=False, expand_composites=True)
        except errors.StructureMismatchError as error:
            raise errors.LoopVariableError(
                errors.at_user_line(f"the body must return values structured like loop_vars. {error}")
            ) from None
        return structure.flatten(list(result), expand_composites=True)

    def record(init: list[Any]) -> list[Any]:
        return build_while(
            lambda leaves: cond(*packed(leaves)), flat_body, init,
            names=_leaf_names(flat), invariants=invariants, maximum_iterations=maximum_iterations,
            parallel_iterations=parallel_iterations, name=name or "while", advice=_LOOP_ADVICE, checkpoint=checkpoint,
        )  # fmt: skip

    # iterations that are to run again for a tape are run as a graph, also where ops run at once
    outputs = record(flat) if graph is not None else ops.run_traced(record, flat, "while_loop")
    result = packed(outputs)
    return _maybe_stopped(result[0] if single else result, back_prop)


def _maybe_stopped(result: Any, back_prop: bool) -> list[Tensor] | tuple[Any, ...]:
    """`result`, as a constant to gradients unless `back_prop`."""
    if back_prop:
        return result
    return structure.map_structure(
        lambda t: ops.stop_gradient(t) if isinstance(t, Tensor) and t.dtype.kind in "fc" else t,
        result,
        expand_composites=True,
    )


def _fits(result: Any, variables: Any) -> bool:
    try:
        structure.assert_same_structure(list(variables), list(result), check_types=False, expand_composites=True)
    except errors.StructureMismatchError:
        return False
    return True


def _leaf_names(flat: list[Any]) -> list[str]:
    return [t.name if isinstance(t, SymbolicTensor) else "" for t in flat]


def _run_eagerly(
    cond: Callable[..., Any], body: Callable[..., Any], variables: Any, maximum_iterations: TensorLike | None,
    single: bool
) -> tuple[Any, ...]:  # fmt: skip
    state = structure.map_structure(
        lambda v: v if isinstance(v, structure.Composite) else convert_to_tensor(v), variables
    )
    count = 0
    limit = None if maximum_iterations is None else int(np.asarray(maximum_iterations))
    while (limit is None or count < limit) and bool(convert_to_tensor(cond(*state))):
        result = body(*state)
        if not isinstance(result, (list, tuple)) or (single and len(state) == 1 and not _fits(result, state)):
            result = (result,)
        try:
            structure.assert_same_structure(list(state), list(result), check_types=False)
        except errors.StructureMismatchError as error:
            raise errors.LoopVariableError(
                errors.at_user_line(f"the body must return values structured like loop_vars. {error}")
            ) from None
        state = structure.pack_like(
            state,
            [
                v if isinstance(v, (EagerTensor, structure.Composite)) else convert_to_tensor(v)
                for v in structure.flatten(list(result))
            ],
        )
        count += 1
    return state[0] if single else state


provide(while_loop)
