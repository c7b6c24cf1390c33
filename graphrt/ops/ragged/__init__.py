"""Ragged tensors: rows of different lengths, kept as one tensor of values and one of splits for each ragged dimension.

Lowest first: `kernels` (the ops), `tensor` (the class and its spec), `slicing`, `broadcasting`, `functions` (what users
call), `dispatch` (what ops do when they are given a ragged tensor).
"""

from graphrt.ops.ragged import chosen_rows, dispatch, kernels, slicing, variants
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
from graphrt.ops.ragged.tensor import RaggedTensor, RaggedTensorSpec

__all__ = [
    "RaggedTensor", "RaggedTensorSpec", "boolean_mask", "chosen_rows", "constant", "cross", "cross_hashed", "dispatch",
    "kernels", "map_flat_values", "range", "row_splits_to_segment_ids", "segment_ids_to_row_splits", "slicing", "stack",
    "stack_dynamic_partitions", "variants",
]  # fmt: skip
