"""Gradients on the graph being traced, without a tape: `gradients`, `hessians`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.autodiff.backprop import Call, backprop, calls_of, dense, zeros_of
from graphrt.autodiff.jacobians import Rows
from graphrt.autodiff.tape import UnconnectedGradients, seeds_of, source_of, unconnected
from graphrt.ops.array.creation import zeros
from graphrt.ops.array.identity import Identity
from graphrt.ops.array.shape import reshape
from graphrt.tensor.context import current_graph
from graphrt.tensor.tensor import Tensor
from graphrt.types import structure
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import shown

if TYPE_CHECKING:
    from graphrt.ops.array.indexed_slices import IndexedSlices
    from graphrt.tensor.func_graph import FuncGraph


class AggregationMethod:
    """How the gradients of one tensor are added up; accepted for compatibility, they are always added at once.

    >>> import graphrt as tf
    >>> tf.AggregationMethod.ADD_N, tf.AggregationMethod.DEFAULT
    (0, 0)
    """

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def gradients(
    ys: TensorLike,
    xs: TensorLike,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: TensorLike | None = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list[IndexedSlices | Tensor | None]:
    """The gradients of the sum of `ys` with respect to each of `xs`, in the graph being traced.

    `grad_ys` are gradients of the `ys` (ones by default), `stop_gradients` tensors to be taken as constants.

    >>> import graphrt as tf
    >>> @tf.function
    ... def f(x):
    ...     return tf.gradients(x * x, x)
    >>> f(tf.constant(3.0))[0].numpy()
    np.float32(6.0)

    Raises:
      RuntimeError: no graph is being traced.
      LookupError: an op on the way has no gradient.
    """
    graph = current_graph()
    if graph is None:
        raise RuntimeError(
            errors.at_user_line(
                "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead."
            )
        )
    policy = unconnected(unconnected_gradients)
    targets = list(ys) if isinstance(ys, (list, tuple)) else [ys]
    sources = structure.flatten(xs) if isinstance(xs, (list, tuple)) else [xs]
    flat = [source_of(v, f"[{i}]") for i, v in enumerate(sources)]
    given = grad_ys if isinstance(grad_ys, (list, tuple)) or grad_ys is None else [grad_ys]
    stops = [] if stop_gradients is None else structure.flatten(stop_gradients)
    stopped = frozenset(id(source_of(v, f"[{i}]")) for i, v in enumerate(stops))
    calls = _enclosing_calls(graph)
    old = graph.enter_scope(name or "gradients")
    try:
        seeds = seeds_of(targets, None) if given is None else _seeds_with_none(targets, given)
        found = backprop(calls, seeds, flat, stopped, slices=True)
        if policy is UnconnectedGradients.ZERO:
            found = [zeros_of(t) if g is None else g for g, t in zip(found, flat)]
    finally:
        graph.leave_scope(old)
    return found


def _seeds_with_none(targets: list[Any], given: Sequence[Any]) -> list[tuple[Any, Any]]:
    if len(given) != len(targets):
        raise ValueError(errors.at_user_line(f"Passed {len(given)} grad_ys for {len(targets)} ys"))
    return [pair for y, g in zip(targets, given) for pair in seeds_of([y], None if g is None else [g])]


def _enclosing_calls(graph: FuncGraph) -> list[Call]:
    """The calls of `graph` and the graphs around it, outermost first, with captures as steps between them."""
    chain = []
    while graph is not None:
        chain.append(graph)
        graph = graph.outer
    calls: list[Call] = []
    for inner in reversed(chain):
        calls += [Call(Identity, [outer], {}, [placeholder]) for outer, placeholder in inner.captures]
        calls += calls_of(inner.nodes)
    return calls


def hessians(
    ys: TensorLike, xs: TensorLike, gate_gradients: bool = False, aggregation_method: Any = None, name: str = "hessians"
) -> list[Tensor]:
    """The second derivatives of the sum of `ys` with respect to each of `xs`, in the graph being traced.

    For an x of shape S the result has shape S + S.

    >>> import graphrt as tf
    >>> tf.function(lambda x: tf.hessians(x ** 3.0, x))(tf.constant(2.0))[0].numpy()
    np.float32(12.0)

    Raises:
      RuntimeError: no graph is being traced.
    """
    graph = current_graph()
    if graph is None:
        raise RuntimeError(
            errors.at_user_line(
                "tf.hessians is not supported when eager execution is enabled. Use nested tf.GradientTapes instead."
            )
        )
    sources = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    found = []
    old = graph.enter_scope(name or "hessians")
    try:
        for x, slope in zip(sources, gradients(ys, sources)):
            tensor = source_of(x, "")
            like = zeros_of(tensor)
            if slope is None:
                raise ValueError(
                    errors.at_user_line(f"the ys do not depend on {shown(x)}, so there are no second derivatives")
                )
            slope = dense(slope)
            rows = Rows(slope)
            (column,) = rows.of(partial(_pulled, _enclosing_calls(graph), slope, tensor))
            shape = rows.shape_with(like)
            found.append(zeros(shape, like.dtype) if column is None else reshape(column, shape))
    finally:
        graph.leave_scope(old)
    return found


def _pulled(calls: list[Call], target: Any, source: Tensor, seed: Tensor) -> list[Any]:
    return backprop(calls, [(target, seed)], [source])
