"""`tf.sparse`: tensors given by their elements that are not zero."""

from __future__ import annotations

from graphrt.ops.sparse.functions import (
    add,
    bincount,
    concat,
    cross,
    cross_hashed,
    expand_dims,
    eye,
    fill_empty_rows,
    from_dense,
    map_values,
    mask,
    maximum,
    minimum,
    reduce_max,
    reduce_sum,
    reorder,
    reset_shape,
    reshape,
    retain,
    sampled_addmm,
    segment_mean,
    segment_sqrt_n,
    segment_sum,
    slice,
    softmax,
    sparse_dense_matmul,
    split,
    to_dense,
    to_indicator,
    transpose,
)
from graphrt.ops.sparse.tensor import SparseTensor

__all__ = [
    "SparseTensor", "add", "bincount", "concat", "cross", "cross_hashed", "expand_dims", "eye", "fill_empty_rows",
    "from_dense", "map_values", "mask", "maximum", "minimum", "reduce_max", "reduce_sum", "reorder", "reset_shape",
    "reshape", "retain", "sampled_addmm", "segment_mean", "segment_sqrt_n", "segment_sum", "slice", "softmax",
    "sparse_dense_matmul", "split", "to_dense", "to_indicator", "transpose",
]  # fmt: skip
