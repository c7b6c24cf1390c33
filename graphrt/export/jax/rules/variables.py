"""Variables, whose values are passed in and given back."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.export.jax.package import jnp
from graphrt.export.jax.replay import Handle, Rule, Use, as_array


def _number(c: Use, index: int = 0) -> int:
    held = c.held(index)
    if not isinstance(held, Handle):
        c.refuse("which variable it means is not known")
    return held.number


def _value(c: Use) -> Any:
    return c.env.state.values[_number(c)]


def _assign(c: Use) -> list[Any]:
    number, value = _number(c), as_array(c[1])
    old = c.env.state.values[number]
    if np.shape(old) != value.shape:
        c.refuse(f"a variable of shape {np.shape(old)} gets a value of shape {value.shape}")
    c.env.state.values[number] = value.astype(old.dtype)
    return []


def _update(sign: int) -> Rule:
    def rule(c: Use) -> list[Any]:
        number = _number(c)
        old = as_array(c.env.state.values[number])
        c.env.state.values[number] = old + as_array(c[1]) if sign > 0 else old - as_array(c[1])
        return []

    return rule


def _gather(c: Use) -> Any:
    if c.node.attrs.get("batch_dims"):
        c.refuse("batch_dims of a variable has no counterpart")
    return jnp.take(as_array(_value(c)), as_array(c[1]), 0, mode="clip")


def _gather_nd(c: Use) -> Any:
    return as_array(_value(c))[tuple(jnp.moveaxis(as_array(c[1]), -1, 0))]


def _scatter(how: str) -> Rule:
    def rule(c: Use) -> list[Any]:
        number = _number(c)
        at = as_array(c.env.state.values[number]).at[as_array(c[1])]
        c.env.state.values[number] = getattr(at, how)(as_array(c[2]))
        return []

    return rule


# names: the ops of this family
RULES: dict[str, Rule] = {
    "AssignAddVariableOp": _update(1),
    "AssignSubVariableOp": _update(-1),
    "AssignVariableOp": _assign,
    "ReadVariableOp": _value,
    "ResourceGather": _gather,
    "ResourceGatherNd": _gather_nd,
    "ResourceScatterAdd": _scatter("add"),
    "ResourceScatterSub": _scatter("subtract"),
    "ResourceScatterUpdate": _scatter("set"),
    "VariableShape": lambda c: np.asarray(np.shape(_value(c)), c.dtype()),
    "VarIsInitializedOp": lambda c: np.asarray(True),
}
