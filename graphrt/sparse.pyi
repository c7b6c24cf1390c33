# Written by tests/stubs.py from graphrt/api/exports.py.
"""Tensors given by their elements that are not zero."""
from graphrt.ops.sparse.crosses import (
    cross as cross, cross_hashed as cross_hashed
)
from graphrt.ops.sparse.elements import (
    add as add, map_values as map_values, maximum as maximum, minimum as minimum, reduce_max as reduce_max,
    reduce_sum as reduce_sum, softmax as softmax
)
from graphrt.ops.sparse.functions import (
    concat as concat, expand_dims as expand_dims, eye as eye, fill_empty_rows as fill_empty_rows,
    from_dense as from_dense, mask as mask, reorder as reorder, reset_shape as reset_shape, reshape as reshape,
    retain as retain, slice as slice, split as split, to_dense as to_dense, to_indicator as to_indicator,
    transpose as transpose
)
from graphrt.ops.sparse.products import (
    sampled_addmm as sampled_addmm, sparse_dense_matmul as sparse_dense_matmul
)
from graphrt.ops.sparse.segments import (
    bincount as bincount, segment_mean as segment_mean, segment_sqrt_n as segment_sqrt_n, segment_sum as segment_sum
)
from graphrt.ops.sparse.tensor import (
    SparseTensor as SparseTensor
)
