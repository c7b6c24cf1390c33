"""Rules by op, a file for each family: what JAX has in the place of the ops of a graph."""

from __future__ import annotations

from graphrt.export.jax.replay import Rule
from graphrt.export.jax.rules import (
    arrays,
    checks,
    control_flow,
    elementwise,
    lists,
    networks,
    products,
    reductions,
    variables,
)

__all__ = ["RULES"]

RULES: dict[str, Rule] = {
    op: rule
    for family in (arrays, checks, control_flow, elementwise, lists, networks, products, reductions, variables)
    for op, rule in family.RULES.items()
}
