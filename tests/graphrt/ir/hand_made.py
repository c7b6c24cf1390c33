"""Graphs built by hand, for the tests of this room."""

import numpy as np

import graphrt as tf  # noqa: F401  # declares the ops
from graphrt.ir.op import ops
from graphrt.tensor.context import building
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.trace import set_outputs
from graphrt.types import dtype as dtypes


def trace(function, *specs, name="f"):
    """The graph of `function`, called with placeholders x0, x1, ... of the `(dtype, dims)` in `specs`."""
    graph = FuncGraph(name)
    inputs = [graph.placeholder(getattr(dtypes, t), d, f"x{i}") for i, (t, d) in enumerate(specs)]
    with building(graph):
        set_outputs(graph, function(*inputs))
    return graph


def branches():
    """A conditional in a conditional, with captures."""
    return trace(
        lambda x, y: ops.cond(x > 0.0, lambda: ops.cond(y > 0.0, lambda: x + y, lambda: x - y), lambda: y),
        ("float32", ()), ("float32", ()), name="branches",
    )  # fmt: skip


def loop():
    """A loop that captures an argument and a constant."""

    def body(n, x):
        c = ops.AddV2(x, 1.0)
        return ops.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s * c), (np.int32(0), x))

    return trace(body, ("int32", ()), ("float32", (3,)), name="loop")


def constants(arrays):
    """A graph that returns `arrays`."""
    graph = FuncGraph("constants")
    with building(graph):
        set_outputs(graph, [graph.constant(a) for a in arrays])
    return graph
