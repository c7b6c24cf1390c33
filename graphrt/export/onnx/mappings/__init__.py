"""The counterparts of ops in ONNX: a file a family, each with a table `RULES` from the type of an op to its rule."""

from __future__ import annotations

from graphrt.export.onnx.lowering import Rule
from graphrt.export.onnx.mappings import (
    activations,
    control_flow,
    convolution,
    elementwise,
    indexing,
    joining,
    lists,
    products,
    random,
    reductions,
    shapes,
    strings,
    variables,
)

FAMILIES = (
    activations, control_flow, convolution, elementwise, indexing, joining, lists, products, random, reductions, shapes,
    strings, variables,
)  # fmt: skip


def all_rules() -> dict[str, Rule]:
    """The rules of all families."""
    return {type_: rule for family in FAMILIES for type_, rule in family.RULES.items()}


__all__ = ["FAMILIES", "all_rules"]
