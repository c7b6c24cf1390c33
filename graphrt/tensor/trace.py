"""Runs a Python function once, on symbolic tensors, to record it as a graph."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.ir.op import ops  # late: ops stand above tensors
from graphrt.tensor.context import building, shown
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph, encloses
from graphrt.tensor.tensor import Operation, SymbolicTensor, Tensor
from graphrt.tensor.weak import is_flexible, weak_tensor
from graphrt.types import structure


def trace_into(
    graph: FuncGraph, function: Callable[..., Any], args: tuple[Any, ...] = (), kwargs: dict[Any, Any] | None = None
) -> FuncGraph:
    """Runs `function(*args, **kwargs)` while recording into `graph`, and makes what it returns the graph's outputs.

    Arguments that are symbolic tensors of `graph` must be among its placeholders already. Everything returned that
    can be a tensor becomes one; None, and operations, stay as they are in `structured_outputs`.

    Raises:
      TypeError: a returned value cannot be a tensor.
    """
    with building(graph):
        result = function(*args, **(kwargs or {}))
        set_outputs(graph, result)
    graph.finish()
    return graph


def set_outputs(graph: FuncGraph, result: object) -> None:
    """Makes the structure `result` what `graph` returns; must run while `graph` is being built."""
    result = shown(result)
    leaves = structure.flatten(result, expand_composites=True)
    leaves = [convert_to_tensor(v) if hasattr(v, "__tf_tensor__") else v for v in leaves]  # variables are read first
    tensors = [output_tensor(graph, leaf, result) for leaf in leaves]
    graph.outputs = [t.value for t in tensors if isinstance(t, SymbolicTensor)]
    graph.flexible = tuple([is_flexible(v) for v, t in zip(leaves, tensors) if isinstance(t, SymbolicTensor)])
    graph.structured_outputs = structure.pack_like(result, tensors, expand_composites=True)


def output_tensor(graph: FuncGraph, leaf: Operation | Tensor | int | None, whole: object) -> Tensor | None:
    """A returned leaf as an `Identity` of `graph` (None and operations as None)."""
    if leaf is None or isinstance(leaf, Operation):
        return None
    try:
        tensor = weak_tensor(leaf) if graph.is_part else convert_to_tensor(leaf)
    except (TypeError, ValueError) as error:
        why, at, place = str(error).partition("\n  at ")
        raise TypeError(
            "To be compatible with tf.function, Python functions must return zero or more Tensors or ExtensionTypes "
            f"or None values; in {graph.name!r}, found return value of type {type(leaf).__name__}, which is not a "
            f"Tensor or ExtensionType: {leaf!r} ({why}){_instead(leaf)}{at}{place}"
        ) from error
    return identity(graph, tensor)


def _instead(leaf: object) -> str:
    """What to return in place of what is no tensor, but has some, or makes them."""
    if isinstance(leaf, (types.GeneratorType, types.AsyncGeneratorType, types.CoroutineType)):
        code = getattr(leaf, "gi_code", None) or getattr(leaf, "ag_code", None) or getattr(leaf, "cr_code", None)
        made = f" of {errors.shown_place(code.co_filename, code.co_firstlineno)}" if code is not None else ""
        if isinstance(leaf, types.CoroutineType):
            return f"\n  The body{made} runs when it is awaited, which is after the trace: leave `async` away."
        return (
            f"\n  The body{made} runs when it is gone through, which is after the trace. Return a list of all values."
        )
    if isinstance(leaf, (set, frozenset)) or hasattr(leaf, "__next__"):
        return "\n  Return a list of its elements."
    return ""


def identity(graph: FuncGraph, tensor: Tensor) -> SymbolicTensor:
    """`tensor` through an `Identity` node of `graph`: outputs never are inputs or captures themselves."""
    if isinstance(tensor, SymbolicTensor) and not encloses(graph, tensor.graph) and tensor.graph is not graph:
        graph.capture(tensor)  # raises, and says where the tensor was made
    result: SymbolicTensor = ops.Identity(tensor)
    result.value.info = getattr(graph.capture(tensor).value, "info", None)
    return result
