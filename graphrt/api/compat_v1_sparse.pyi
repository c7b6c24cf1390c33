# Written by tests/stubs.py from graphrt/api/exports.py.
from graphrt import (
    SparseTensor as SparseTensor
)
from graphrt.sparse import (
    bincount as bincount, cross as cross, cross_hashed as cross_hashed, expand_dims as expand_dims, eye as eye,
    fill_empty_rows as fill_empty_rows, from_dense as from_dense, mask as mask, sparse_dense_matmul as _matmul,
    maximum as maximum, minimum as minimum, reorder as reorder, reset_shape as reset_shape, reshape as reshape,
    retain as retain, slice as slice, softmax as softmax, sparse_dense_matmul as sparse_dense_matmul,
    to_dense as to_dense, to_indicator as to_indicator, transpose as transpose
)
matmul = _matmul
