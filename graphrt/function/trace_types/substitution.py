"""Arguments with their tensors replaced, and whether two structures hold the very same."""

from __future__ import annotations

import collections.abc
from types import MethodType
from typing import Any

import numpy as np

from graphrt.function.trace_types.arguments import SCALARS, has_components
from graphrt.state.variable import Variable
from graphrt.tensor.promotion import weakened
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor
from graphrt.types.spec import CompositeSpec, TensorSpec, told
from graphrt.types.structure import Composite, children, is_nested, rebuild


def substitute(value: Any, supply: Any) -> Any:
    """`value` with its tensors (and arrays, specs) replaced by those that `supply` yields, in walking order."""
    kind = type(value)
    if kind is EagerTensor or kind is SymbolicTensor:
        return weakened(next(supply), value.weak)
    if kind is Variable:
        return supply.variable(value)
    if kind in SCALARS or kind is float or kind is complex or isinstance(value, Variable):
        return value
    if isinstance(value, (np.ndarray, np.generic, Tensor, TensorSpec)):
        return next(supply)
    if hasattr(kind, "__tf_tracing_type__"):
        return supply.placeholder()
    if isinstance(value, Composite) or has_components(value):
        fixed = supply.fixed()
        if isinstance(value, Composite):
            made = value.with_components([substitute(v, supply) for v in value.components()])
        else:
            made = value.from_components([substitute(s, supply) for s in value.component_specs])
        return told(fixed, made) if isinstance(fixed, CompositeSpec) else made
    if is_nested(value):
        return rebuild(value, [substitute(v, supply) for _, v in children(value)])
    if kind is MethodType:
        return MethodType(value.__func__, substitute(value.__self__, supply))
    if kind is slice:
        return slice(*(substitute(v, supply) for v in (value.start, value.stop, value.step)))
    return value


def same(a: Any, b: Any) -> bool:
    """Whether two structures have the same form and the very same leaves."""
    if a is b:
        return True
    if type(a) is Variable and type(b) is Variable:  # a handle is passed, and what stands for it is made anew
        return a.storage is b.storage
    if type(a) is not type(b) or not is_nested(a):
        return not is_nested(a) and not isinstance(a, (Tensor, Variable, list, tuple, dict))
    if isinstance(a, collections.abc.Mapping) and set(a) != set(b):
        return False
    parts, others = children(a), children(b)
    return len(parts) == len(others) and all(same(x, y) for (_, x), (_, y) in zip(parts, others))
