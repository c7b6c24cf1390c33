"""Gradients of the user's own in SavedModels: functions of the gradients of results, named by nodes.

f(x) { y, x_ = IdentityN(exp, x) {_gradient_op_type: "CustomGradient-7"} }
library.registered_gradients: "CustomGradient-7" -> "grad_fn"      grad_fn(dy, dx) bound to the tensor exp of f
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from graphrt.autodiff.backprop import GRADIENT_NAME, Call
from graphrt.function.call import call_graph
from graphrt.ir.graph import Graph, Node
from graphrt.ops.array.creation import zeros_like
from graphrt.tensor.context import building, init_scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import Tensor
from graphrt.types.spec import TensorSpec

__all__ = ["GradientOfFile", "named_nodes", "traced_rule"]


class GradientOfFile:
    """The gradient rule that a function of a file is.

    `graph` gives the function when it is needed, `captured` the tensors that it was bound to, and `given` says for each
    input of the node whether there is a gradient.
    """

    def __init__(
        self, graph: Callable[[], FuncGraph], captured: Callable[[], list[Tensor]], given: list[object]
    ) -> None:
        self._graph = graph
        self._captured = captured
        self._given = given

    def __call__(self, call: Call, *grads: Any) -> list[Any]:
        """The gradients of the inputs of a call."""
        whole = [zeros_like(out) if grad is None else convert_to_tensor(grad) for grad, out in zip(grads, call.outputs)]
        results = iter(call_graph(self._graph(), [*whole, *self._captured()]))
        return [None if told is None else next(results) for told in self._given]


def named_nodes(graphs: list[Graph]) -> Iterator[tuple[str, Node]]:
    """The nodes of graphs that name a gradient, each name once."""
    seen: set[str] = set()
    for graph in graphs:
        for node in graph.nodes:
            name = node.attrs.get(GRADIENT_NAME)
            text = name.decode() if isinstance(name, bytes) else name
            if text is not None and text not in seen:
                seen.add(text)
                yield text, node


def traced_rule(node: Node, name: str) -> tuple[FuncGraph, list[TensorSpec | None]]:
    """The gradient rule of a node as a graph, and what it gives for each input of the node.

    Raises:
      LookupError: there is no such rule any more.
    """
    call = Call.of_node(node)
    rule = call.rule
    home: Any = node.graph
    made = FuncGraph(name, outer=home)
    with init_scope(), building(made):
        grads = [made.placeholder(v.dtype, v.dims, f"result_grads_{i}") for i, v in enumerate(node.outputs)]
        found = [
            None if g is None else made.capture(convert_to_tensor(g)) for g in (rule(call, *grads) if rule else [])
        ]
    made.outputs = [g.value for g in found if g is not None]
    made.finished = True
    return made, [None if g is None else TensorSpec(g.dims, g.dtype) for g in found]
