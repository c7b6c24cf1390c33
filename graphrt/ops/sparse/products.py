"""Products of sparse matrices."""

from __future__ import annotations

from graphrt.ops.array.gather_scatter import gather, whole
from graphrt.ops.array.shape import shape, transpose
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal
from graphrt.ops.math.elementwise import Conj
from graphrt.ops.math.reduction import reduce_sum
from graphrt.ops.math.segments import UnsortedSegmentSum
from graphrt.ops.sparse.functions import as_sparse, assert_holds
from graphrt.ops.sparse.tensor import SparseTensor
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import as_dtype, float32, int64
from graphrt.types.likes import DTypeLike, ShapeLike, TensorLike

__all__ = ["sampled_addmm", "sparse_dense_matmul"]


# --- products --------------------------------------------------------------------------------------------------------
def _adjoint(x: Tensor) -> Tensor:
    return transpose(x, conjugate=True) if x.dtype.is_complex else transpose(x)


def sparse_dense_matmul(
    sp_a: TensorLike, b: TensorLike, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The product of a sparse and a dense matrix (in either order), dense.

    >>> import graphrt as tf
    >>> tf.sparse.sparse_dense_matmul(tf.sparse.eye(2), tf.constant([[1.], [2.]])).numpy().tolist()
    [[1.0], [2.0]]

    Raises:
      InvalidArgumentError: the inner dimensions differ.
    """
    if not isinstance(sp_a, SparseTensor) and isinstance(b, SparseTensor):
        # (B' A')' with the roles exchanged
        dense = as_tensor(sp_a, b.dtype)
        return _adjoint(sparse_dense_matmul(b, dense, adjoint_a=not adjoint_b, adjoint_b=not adjoint_a))
    x = as_sparse(sp_a)
    y = as_tensor(b, x.dtype)
    if adjoint_b:
        y = _adjoint(y)
    values = x.values
    rows, columns, height, width = x.indices[:, 0], x.indices[:, 1], x.dense_shape[0], x.dense_shape[1]
    if adjoint_a:
        rows, columns, height, width = columns, rows, width, height
        values = Conj(values) if x.dtype.is_complex else values
    assert_holds(Equal(width, shape(y, out_type=int64)[0]),
           "Cannot multiply A and B because inner dimension does not match.  Did you forget a transpose?")  # fmt: skip
    return UnsortedSegmentSum(values[:, None] * gather(whole(y), columns), rows, height)


def sampled_addmm(
    indices: TensorLike, values: TensorLike, dense_shape: ShapeLike, mat1: TensorLike, mat2: TensorLike,
    beta: TensorLike = 1.0, alpha: TensorLike = 1.0, output_type: DTypeLike = float32
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """`alpha * (mat1 @ mat2)` at the places of a sparse matrix, plus `beta` times its values: indices, values, shape.

    Matrices may come in batches: `indices` is (..., count, 2) then, `values` (..., count), `dense_shape` that of one.

    >>> import graphrt as tf
    >>> _, found, _ = tf.sparse.sampled_addmm([[0, 1]], [1.], [2, 2], [[1., 2.]] * 2, [[3., 4.]] * 2)
    >>> found.numpy().tolist()
    [13.0]
    """
    at = as_tensor(indices)
    kind = as_dtype(output_type)
    one, two = cast(as_tensor(mat1), kind), cast(as_tensor(mat2), kind)
    batch = len(at.shape) - 2
    order = [*range(batch), batch + 1, batch]
    rows = gather(one, at[..., 0], batch_dims=batch)
    columns = gather(transpose(two, order), at[..., 1], batch_dims=batch)
    dots = reduce_sum(rows * columns, -1)
    found = dots * as_tensor(alpha, kind) + cast(as_tensor(values), kind) * as_tensor(beta, kind)
    return at, found, as_tensor(dense_shape)
