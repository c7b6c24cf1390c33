"""Computes a symbolic tensor at once, while its graph is still being traced, where it depends on no argument.

A variable that is made while tracing needs its initial value before the graph runs.
"""

from __future__ import annotations

from typing import Any

from graphrt.ir.graph import Value
from graphrt.tensor.apply import run_kernel
from graphrt.tensor.context import init_scope
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor


class _DependsOnArgument(Exception):
    pass


def lift(tensor: SymbolicTensor) -> EagerTensor | None:
    """The concrete value of `tensor`, or None when it depends on an argument of the function being traced."""
    done: dict[Value, EagerTensor] = {}
    try:
        with init_scope():
            return _evaluate(tensor.value, done)
    except _DependsOnArgument:
        return None


def _evaluate(wanted: Value, done: dict[Value, EagerTensor]) -> EagerTensor:
    pending = [wanted]
    while pending:
        value = pending[-1]
        if value in done:
            pending.pop()
            continue
        node = value.node
        if node.is_parameter:
            done[value] = _captured(value, done)
            continue
        missing = [v for v in node.inputs if v not in done]
        if missing:
            pending += missing
            continue
        if node.op.kernel is None:
            raise _DependsOnArgument
        results = run_kernel(node.op, [done[v] for v in node.inputs], node.attrs)
        done.update(zip(node.outputs, results, strict=True))
    return done[wanted]


def _captured(value: Value, done: dict[Value, EagerTensor]) -> EagerTensor:
    graph: Any = value.node.graph
    for outer, inner in graph.captures:
        if inner.value is value:
            return outer if isinstance(outer, EagerTensor) else _evaluate(outer.value, done)
    raise _DependsOnArgument
