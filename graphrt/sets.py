"""`tf.sets`: sets as the rows of tensors."""

from __future__ import annotations

from graphrt.ops.sets import (
    difference,
    intersection,
    size,
    union,
)

__all__ = [
    "difference", "intersection", "size", "union",
]  # fmt: skip
