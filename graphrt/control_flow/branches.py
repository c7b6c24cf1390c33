"""Conditionals: `If`, `StatelessIf`, `Case` and the public `cond`, `case`, `switch_case`.

    tf.cond(x > 0, lambda: x + 1, lambda: x - 1)

becomes a `StatelessIf` node (an `If` when a branch has effects) that holds each branch as a graph, and an `Identity`
for each of its outputs. Both branch graphs take the same inputs: what either of them captured.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.ir.code import NONE, Code, Template
from graphrt.ir.graph import Graph, InferContext, Value
from graphrt.ir.op import BRANCH, GROWS, STATEFUL, TAKES_NONE, define, ops, provide  # late: start-up
from graphrt.tensor.apply import record_node
from graphrt.tensor.context import building, current_graph, recorders
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph, Placeholder
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor, static_array, tensor_of
from graphrt.tensor.trace import identity, set_outputs
from graphrt.tensor.weak import join, matched, weak_type
from graphrt.types import structure
from graphrt.types.advice import conversion
from graphrt.types.dtype import bool_
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims, relax

if TYPE_CHECKING:
    from graphrt.ir.graph import Node

_numbers = itertools.count(1)


def next_number() -> int:
    """The number that ends the name of the next function graph."""
    return next(_numbers)


# --- the ops ---------------------------------------------------------------------------------------------------------
def declared_dims(c: InferContext, count: int) -> list[Dims]:
    """What the attribute `output_shapes` of a use with `count` outputs says: nothing, or a shape for each."""
    shapes: list[Dims] = c.attrs["output_shapes"]
    if shapes and len(shapes) != count:
        why = f"the attribute 'output_shapes' has {len(shapes)} shapes, the op has {count} outputs"
        raise errors.InvalidArgumentError(None, None, why)
    return shapes


def _branch_dims(c: InferContext) -> list[Dims]:
    declared_dims(c, len(c.attrs["Tout"]))
    graphs: list[Graph] = c.attrs.get("branches") or [c.attrs["then_branch"], c.attrs["else_branch"]]
    out = [v.dims for v in graphs[0].outputs]
    for graph in graphs[1:]:
        out = [relax(a, v.dims) for a, v in zip(out, graph.outputs)]
    return out


def holds(condition: Any) -> bool:
    """The truth of a condition of any rank: one that is no scalar holds where it has elements, whatever they are."""
    return bool(condition) if np.ndim(condition) == 0 else np.size(condition) > 0


_IF_LINE = Template("if {}:")
_HOLDS = Template("{}({})")
_ELSE_LINE = Template("else:")()
_CASE_LINE = Template("if {} == {}:")
_ELIF_LINE = Template("elif {} == {}:")
_ALWAYS_LINE = Template("if True:")()


def truth(e: Any, condition: Value, code: Code) -> Code:
    """What to write after `if` for a condition: Python asks a scalar itself."""
    return code if condition.dims == () else _HOLDS(e.bind(holds, "holds"), code)


def _assign(e: Any, node: Node, graph: Graph, names: dict[int, Code], found: list[Code]) -> None:
    kinds = zip(names, found, strict=True)
    e.assign(list(names.values()), [e.as_kind_of(node.outputs[i], graph.outputs[i], code) for i, code in kinds])


def _emit_if(e: Any, node: Node, inputs: list[Code]) -> list[Code]:
    wanted = [i for i, v in enumerate(node.outputs) if e.is_used(v)]
    names = {i: e.fresh("v") for i in wanted}
    asked = _IF_LINE(truth(e, node.inputs[0], inputs[0]))
    for header, graph in ((asked, node.attrs["then_branch"]), (_ELSE_LINE, node.attrs["else_branch"])):
        with e.block(header):
            _assign(e, node, graph, names, e.graph(graph, inputs[1:], wanted))
    return [names.get(i, NONE) for i in range(len(node.outputs))]


def _emit_case(e: Any, node: Node, inputs: list[Code]) -> list[Code]:
    wanted = [i for i, v in enumerate(node.outputs) if e.is_used(v)]
    names = {i: e.fresh("v") for i in wanted}
    branches = node.attrs["branches"]
    for number, graph in enumerate(branches):
        header = (_ELIF_LINE if number else _CASE_LINE)(inputs[0], number)
        if number == len(branches) - 1:
            header = _ELSE_LINE if number else _ALWAYS_LINE
        with e.block(header):
            _assign(e, node, graph, names, e.graph(graph, inputs[1:], wanted))
    return [names.get(i, NONE) for i in range(len(node.outputs))]


_IF = "cond: Tcond, input: Tin... -> output: Tout..."
_IF_ATTRS = (
    "then_branch: func; else_branch: func; Tcond: type; Tin: list(type); Tout: list(type); "
    "output_shapes: list(shape) = []"
)


def _vjp(call: Any, *grads: object) -> list[Any]:
    return ops.conditional_gradient(call, *grads)


_RULES: dict[str, Any] = {"infer": _branch_dims, "vjp": _vjp, "structure": BRANCH}
StatelessIf = define("StatelessIf", _IF, attrs=_IF_ATTRS, emit=_emit_if, traits=(GROWS, TAKES_NONE), **_RULES)
If = define("If", _IF, attrs=_IF_ATTRS, emit=_emit_if, traits=(STATEFUL, GROWS, TAKES_NONE), **_RULES)

_CASE = "branch_index: int32, input: Tin... -> output: Tout..."
_CASE_ATTRS = "branches: list(func) >= 1; Tin: list(type); Tout: list(type); output_shapes: list(shape) = []"
StatelessCase = define("StatelessCase", _CASE, attrs=_CASE_ATTRS, emit=_emit_case, traits=(GROWS, TAKES_NONE), **_RULES)
Case = define("Case", _CASE, attrs=_CASE_ATTRS, emit=_emit_case, traits=(STATEFUL, GROWS, TAKES_NONE), **_RULES)


# --- building --------------------------------------------------------------------------------------------------------
def is_stateful(graph: Graph) -> bool:
    """Whether running `graph` has effects."""
    return any(n.stateful for n in graph.nodes)


def body_graph(kind: str, scope: str, pred: Tensor | None = None) -> FuncGraph:
    """An empty graph for a branch or loop body whose node will be called `scope`; of a branch that `pred` decides."""
    name = f"{scope.replace('/', '_').replace('.', '_').lower()}_{kind}_{next_number()}"
    graph = FuncGraph(name, is_part=True)
    graph.is_repeated = kind in ("cond", "body")
    graph.condition = None if pred is None else (pred, kind == "true")
    graph.enter_scope(f"{scope}/")
    return graph


def align_captures(graphs: Sequence[FuncGraph]) -> list[Tensor]:
    """Gives all `graphs` the same captures, in order of first use, and returns the outer tensors to pass."""
    order: dict[int, Tensor] = {}
    for graph in graphs:
        for outer, _ in graph.captures:
            order.setdefault(id(outer), outer)
    for graph in graphs:
        own = {id(outer): inner for outer, inner in graph.captures}
        fixed = graph.inputs[: len(graph.inputs) - len(own)]
        for key, outer in order.items():
            if key not in own:
                own[key] = graph.capture(outer, Placeholder.type, unused=True)
        graph.inputs = fixed + [own[key].value for key in order]
        graph.reorder_captures(list(order.values()))
    return list(order.values())


def build_branches(
    op_pair: tuple[Any, Any],
    attr: Callable[[list[FuncGraph]], dict[str, Any]],
    selector: Tensor,
    graphs: list[FuncGraph],
    scope: str,
) -> list[SymbolicTensor]:
    """Records the conditional node for traced branch `graphs`; returns its outputs, each through an `Identity`."""
    captured = align_captures(graphs)
    weak = [join([g.outputs[i] for g in graphs]) for i in range(len(graphs[0].outputs))]
    op = op_pair[1] if any(is_stateful(g) for g in graphs) else op_pair[0]
    graph = current_graph()
    outputs = [relax_all([g.outputs[i].dims for g in graphs]) for i in range(len(graphs[0].outputs))]
    attrs = attr(graphs) | {
        "Tin": [t.dtype for t in captured],
        "Tout": [v.dtype for v in graphs[0].outputs],
        "output_shapes": outputs,
    }
    if "Tcond" in op.attrs:
        attrs["Tcond"] = selector.dtype
    node = record_node(graph, op, [selector, *captured], {k: attrs[k] for k in op.attrs}, scope)
    for inner in graphs:
        inner.parent_node = node
    for i, value in enumerate(node.outputs):
        value.info = next((g.outputs[i].info for g in graphs if g.outputs[i].info is not None), None)
        if (found := weak[i]) is not None:
            found.representative().enter(value)
    tell_tapes(node, [selector, *captured])
    return through_identities(graph, node, scope)


def tell_tapes(node: Node, inputs: list[Tensor]) -> None:
    """Tells the gradient tapes of a node that was recorded for the tensors `inputs`."""
    for tape in recorders():
        tape.record(node.op, inputs, node.attrs, [tensor_of(v) for v in node.outputs])


def through_identities(graph: FuncGraph, node: Node, scope: str) -> list[SymbolicTensor]:
    """The outputs of `node`, each through an `Identity` named in the node's scope."""
    from_ops = []
    old = graph.enter_scope(f"{scope}/")
    try:
        for value in node.outputs:
            out = identity_of(tensor_of(value))
            out.value.info = value.info
            from_ops.append(out)
    finally:
        graph.leave_scope(old)
    return from_ops


def identity_of(tensor: Tensor) -> SymbolicTensor:
    """`tensor` through an `Identity`."""
    return ops.Identity(tensor)


def relax_all(shapes: list[Dims]) -> Dims:
    """The most precise shape that includes all `shapes`."""
    out = shapes[0]
    for s in shapes[1:]:
        out = relax(out, s)
    return out


# --- the public functions --------------------------------------------------------------------------------------------
def as_predicate(pred: TensorLike) -> Any:
    """`pred` as a Python bool when its value is known now, else as a symbolic bool tensor.

    Raises:
      TypeError: it is not boolean.
    """
    if isinstance(pred, bool):
        return pred
    tensor = pred if isinstance(pred, Tensor) else convert_to_tensor(pred)
    if isinstance(tensor, EagerTensor) and current_graph() is None:
        return bool(tensor)
    if tensor.dtype is not bool_:
        raise TypeError(
            errors.at_user_line(
                f"the condition must be a bool, found {tensor!r}. Compare it with something, or use tf.cast(x, tf.bool)."
            )
        )
    if tensor.dims not in ((), None):
        raise ValueError(
            errors.at_user_line(
                f"the condition must be a scalar, found {shown(tensor)}. Use tf.reduce_any or tf.reduce_all."
            )
        )
    return ops.Reshape(tensor, []) if tensor.dims is None else tensor  # of one element, as the run tells


def cond(
    pred: TensorLike, true_fn: Callable[[], Any] | None = None, false_fn: Callable[[], Any] | None = None,
    name: str | None = None
) -> Any:  # fmt: skip
    """Returns `true_fn()` if `pred` holds, else `false_fn()`.

    While tracing with a symbolic `pred` (bool, shape []) both functions are traced and must return the same structure
    of tensors with the same dtypes; shapes may differ.

    >>> import graphrt as tf
    >>> tf.cond(tf.constant(2) > 1, lambda: tf.constant("yes"), lambda: tf.constant("no")).numpy()
    b'yes'

    Raises:
      TypeError: a function is not callable, `pred` is not boolean, or the results differ in dtype or structure.
    """
    if not callable(true_fn):
        raise TypeError("'true_fn' must be callable.")
    if not callable(false_fn):
        raise TypeError("'false_fn' must be callable.")
    pred = as_predicate(pred)
    if isinstance(pred, bool):
        return true_fn() if pred else false_fn()
    if current_graph() is None:
        return true_fn() if bool(pred) else false_fn()
    return staged_cond(pred, true_fn, false_fn, name, ("true_fn", "false_fn"))


def staged_cond(
    pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None, labels: tuple[str, str]
) -> Any:
    """Records `cond`; messages call the two functions by `labels`."""
    scope = current_graph().unique_name(name or "cond")
    graphs = []
    for kind, function, other in (("true", true_fn, false_fn), ("false", false_fn, true_fn)):
        graph = body_graph(kind, scope, pred)
        try:
            with building(graph):
                set_outputs(graph, function())
        except errors.UnknownResultError:  # this trace only asks for types: the other branch knows
            return other()
        graph.finish()
        graphs.append(graph)
    _match(graphs)
    _check_agreement(graphs, labels)
    outputs = build_branches(
        (StatelessIf, If), lambda g: {"then_branch": g[0], "else_branch": g[1]}, pred, graphs, scope
    )
    return _repack(graphs, outputs)


def _repack(graphs: list[FuncGraph], outputs: list[SymbolicTensor]) -> Any:
    leaves = structure.flatten(graphs[0].structured_outputs, expand_composites=True)
    supply = iter(outputs)
    filled = [None if leaf is None else next(supply) for leaf in leaves]
    return structure.pack_like(graphs[0].structured_outputs, filled, expand_composites=True)


def _match(graphs: list[FuncGraph]) -> None:
    """Gives the numbers among the outputs of branches the dtypes of the others."""
    if len({len(g.outputs) for g in graphs}) > 1:
        return
    for i, values in enumerate(zip(*(g.outputs for g in graphs))):
        before = [tensor_of(v) for v in values]
        for graph, old, new in zip(graphs, before, matched(before, graphs)):
            if new is not old:
                with building(graph):
                    new = identity(graph, new)
                graph.outputs[i] = new.value
                leaves = structure.flatten(graph.structured_outputs, expand_composites=True)
                leaves = [new if leaf is old else leaf for leaf in leaves]
                graph.structured_outputs = structure.pack_like(graph.structured_outputs, leaves, expand_composites=True)


def _check_agreement(graphs: list[FuncGraph], names: Sequence[str]) -> None:
    first = graphs[0].structured_outputs
    for graph, name in zip(graphs[1:], names[1:]):
        other = graph.structured_outputs
        try:
            structure.assert_same_structure(first, other, expand_composites=True)
        except errors.StructureMismatchError as error:
            raise errors.BranchMismatchError(
                errors.at_user_line(f"{names[0]} and {name} must return the same structure. {error}")
            ) from None
        path = structure.paths(first)
        for where, a, b in zip(path, structure.flatten(first), structure.flatten(other)):
            none = _none_text(a), _none_text(b)
            if none[0] != none[1]:
                raise errors.BranchMismatchError(
                    errors.at_user_line(
                        f"{names[0]} and {name} must both return a value{where}, one of them gives {none[0] or none[1]}"
                    )
                )
            if isinstance(a, Tensor) and a.dtype is not b.dtype and not (weak_type(a) and weak_type(b)):
                call = conversion(b.dtype, a.dtype, "...")
                raise errors.BranchMismatchError(
                    errors.at_user_line(
                        f"{names[0]} and {name} must return the same dtypes: the value{where} has dtype "
                        f"{a.dtype.name} in {names[0]}, but {b.dtype.name} in {name}."
                        + (call and f" Use {call} in {name}, for instance.")
                    )
                )
        if len(graphs[0].outputs) != len(graph.outputs):  # within what may be None
            raise errors.BranchMismatchError(
                errors.at_user_line(f"{names[0]} and {name} must return the same number of tensors")
            )


def _none_text(value: object) -> str:
    return "None" if value is None else "what may be None" if isinstance(value, structure.Nullable) else ""


def switch_case(
    branch_index: TensorLike, branch_fns: Any,
    default: Callable[[], Any] | None = None, name: str = "switch_case"
) -> Tensor:  # fmt: skip
    """Calls the function number `branch_index` (int32 scalar) of `branch_fns`; the last (or `default`) out of range.

    `branch_fns` is a list of callables, a dict from int to callable, or a list of `(int, callable)` pairs.

    >>> import graphrt as tf
    >>> tf.switch_case(tf.constant(1), [lambda: tf.constant(10), lambda: tf.constant(20)]).numpy()
    np.int32(20)

    Raises:
      TypeError, ValueError: the branches are not callable, or their keys not 0 ... n-1.
    """
    functions = _branch_list(branch_fns, default)
    index = convert_to_tensor(branch_index)
    known = static_array(index) if current_graph() is None or isinstance(branch_index, int) else None
    if known is not None:
        number = int(known)
        return functions[number if 0 <= number < len(functions) else -1]()
    if index.dtype.name != "int32":
        index = ops.cast(index, "int32")
    scope = f"{current_graph().unique_name(name)}/indexed_case"  # TensorFlow's name of the node
    graphs = []
    for number, function in enumerate(functions):
        graph = body_graph(f"branch{number}", scope)
        with building(graph):
            set_outputs(graph, function())
        graphs.append(graph)
    _match(graphs)
    _check_agreement(graphs, [f"branch {i}" for i in range(len(graphs))])
    outputs = build_branches((StatelessCase, Case), lambda g: {"branches": g}, index, graphs, scope)
    return _repack(graphs, outputs)


def _branch_list(branch_fns: Any, default: Callable[[], Any] | None) -> list[Callable[[], Any]]:
    if isinstance(branch_fns, dict):
        pairs = sorted(branch_fns.items())
    elif branch_fns and all(isinstance(b, (list, tuple)) for b in branch_fns):
        pairs = sorted(((k, f) for k, f in branch_fns), key=lambda p: p[0])
    else:
        pairs = list(enumerate(branch_fns))
    if not pairs:
        raise ValueError("Argument `branch_fns` must not be empty")
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError(f"branch indices must be unique, found {[k for k, _ in pairs]}")
    if not all(callable(f) for f in table.values()):
        raise TypeError("every branch must be callable")
    if default is None:
        if list(table) != list(range(len(table))):
            raise ValueError(f"branch indices must form contiguous range [0 to {len(table)}), found {list(table)}")
        return list(table.values())
    top = max(table)
    return [table.get(i, default) for i in range(top + 1)] + [default]


def case(
    pred_fn_pairs: Any,
    default: Callable[[], Any] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """Calls the function of the first pair whose predicate holds, else `default`.

    >>> import graphrt as tf
    >>> tf.case([(tf.constant(False), lambda: 1), (tf.constant(True), lambda: 2)], default=lambda: 3)
    2

    Raises:
      TypeError: the pairs are not `(predicate, callable)`.
      InvalidArgumentError: eagerly, when no predicate holds and there is no default, or `exclusive` is violated.
    """
    pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, dict) else list(pred_fn_pairs)
    if not all(isinstance(p, (list, tuple)) and len(p) == 2 and callable(p[1]) for p in pairs):
        raise TypeError("pred_fn_pairs must be a list of (predicate, callable) pairs")
    pairs = [(p.deref() if hasattr(p, "deref") else p, f) for p, f in pairs]
    if exclusive:
        count = ops.reduce_sum(ops.Pack([ops.cast(convert_to_tensor(p), "int32") for p, _ in pairs]), None)
        ops.Assert(
            count < 2, [convert_to_tensor("Input error: exclusive=True: more than 1 conditions evaluated as True")]
        )
    if default is None:
        *pairs, (last_pred, last_fn) = pairs

        def checked() -> Any:
            ops.Assert(convert_to_tensor(last_pred), [convert_to_tensor("None of the conditions evaluated as True.")])
            return last_fn()

        default = checked
    result = default
    for pred, function in reversed(pairs):
        result = _chain(pred, function, result, name)
    return result()


def _chain(pred: Tensor, function: Callable[[], Any], otherwise: Callable[[], Any], name: str) -> Callable[[], Any]:
    return lambda: cond(pred, function, otherwise, name=name)


provide(cond)
