"""What the ops of ONNX mean here: a file a family, each with a table `READINGS` from the op to the rule that reads it."""

from __future__ import annotations

from graphrt.export.onnx.reader import Reading
from graphrt.export.onnx.readings import (
    arrays,
    control_flow,
    elementwise,
    labels,
    networks,
    quantized,
    recurrent,
    reductions,
    resizing,
    sequences,
)  # fmt: skip

FAMILIES = (arrays, control_flow, elementwise, labels, networks, quantized, recurrent, reductions, resizing, sequences)


def all_readings() -> dict[str, Reading]:
    """The rules of all families."""
    return {op: rule for family in FAMILIES for op, rule in family.READINGS.items()}


__all__ = ["FAMILIES", "all_readings"]
