"""`tf.raw_ops`: every op by the name it has in graphs, called with keywords only.

>>> import graphrt as tf
>>> tf.raw_ops.AddV2(x=1, y=2).numpy().item()
3
"""

from __future__ import annotations

import functools as _functools
from collections.abc import Callable as _Callable
from typing import Any as _Any  # there is an op of this name

from graphrt.errors import at_user_line as _at_user_line
from graphrt.function.concrete import ConcreteFunction as _ConcreteFunction
from graphrt.function.function import function as _function
from graphrt.ir.op import REGISTRY as _REGISTRY
from graphrt.ops.raw import raw_op, raw_op_names
from graphrt.tensor.context import current_graph as _current_graph

__all__: list[str] = []


def _graph_of(op: str, value: _Any) -> _Any:
    """The graph of a function, or each of them."""
    if isinstance(value, (list, tuple)):
        return [_graph_of(op, v) for v in value]
    if not isinstance(value, _ConcreteFunction):
        return value
    if value.captured_inputs:
        raise ValueError(
            _at_user_line(
                f"{op}: the function {value.name!r} uses {len(value.captured_inputs)} tensors of outside, which no "
                "argument passes: make them parameters of the function, and pass them as the op's inputs"
            )
        )
    return value.graph


def _taking_functions(name: str, call: _Callable[..., _Any]) -> _Callable[..., _Any]:
    """An op some of whose attributes are functions: those that `get_concrete_function` gives."""
    op = _REGISTRY[name]
    functions = [a.name for a in op.attrs.values() if "func" in a.kind]
    if not functions:
        return call

    @_functools.wraps(call)
    def with_graphs(**kwargs: _Any) -> _Any:
        kwargs |= {n: _graph_of(name, kwargs[n]) for n in functions if n in kwargs}
        if op.kernel is None and _current_graph() is None:  # it has a meaning within a program only
            return _function(_functools.partial(call, **kwargs), autograph=False)()
        return call(**kwargs)

    return with_graphs


def __getattr__(name: str) -> _Callable[..., _Any]:
    found = raw_op(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: no such op is declared")
    globals()[name] = found = _taking_functions(name, found)
    return found


def __dir__() -> list[str]:
    return raw_op_names()
