"""`tf.ragged`: tensors whose rows have different lengths."""

from __future__ import annotations

from graphrt.ops.ragged.functions import (
    boolean_mask,
    constant,
    cross,
    cross_hashed,
    map_flat_values,
    range,
    row_splits_to_segment_ids,
    segment_ids_to_row_splits,
    stack,
    stack_dynamic_partitions,
)

__all__ = [
    "boolean_mask", "constant", "cross", "cross_hashed", "map_flat_values", "range", "row_splits_to_segment_ids",
    "segment_ids_to_row_splits", "stack", "stack_dynamic_partitions",
]  # fmt: skip
