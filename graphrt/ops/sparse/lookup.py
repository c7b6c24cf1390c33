"""Embeddings by sparse or ragged ids."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import fill, ones_like, zeros_like
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import expand_dims, reshape
from graphrt.ops.array.shape import rank as rank_
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.math.casting import cast
from graphrt.ops.math.clip import clip_by_norm
from graphrt.ops.math.comparison import Greater, GreaterEqual
from graphrt.ops.math.cumulative import Cumprod
from graphrt.ops.math.division import DivNoNan
from graphrt.ops.math.elementwise import Sqrt
from graphrt.ops.math.logical import LogicalAnd
from graphrt.ops.math.reduction import reduce_prod, reduce_sum
from graphrt.ops.math.segments import UnsortedSegmentSum
from graphrt.ops.nn.embedding import embedding_lookup
from graphrt.ops.sparse.functions import fill_empty_rows, retain
from graphrt.ops.sparse.tensor import SparseTensor
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import int64
from graphrt.types.likes import TensorLike

__all__ = ["embedding_lookup_sparse", "safe_embedding_lookup_sparse"]


def _values_and_rows(ids: Any, what: str) -> tuple[Any, Any, Any]:
    if isinstance(ids, SparseTensor):
        return ids.values, ids.indices[:, 0], ids.dense_shape[0]
    if hasattr(ids, "value_rowids"):
        return ids.values, ids.value_rowids(), ids.nrows()
    raise TypeError(errors.at_user_line(f"{what} must be SparseTensor or RaggedTensor, got {type(ids).__name__}"))


def _clipped(rows: Tensor, max_norm: Any) -> Tensor:
    if max_norm is None:
        return rows
    axes: Any = range_(1, rank_(rows)) if rows.dims is None else list(range(1, len(rows.dims)))
    return clip_by_norm(rows, max_norm, axes=axes)


def _as_column(vector: Tensor, like: Tensor) -> Tensor:
    """`vector` along the first dimension, with as many dimensions as `like`."""
    if like.dims is not None:
        return reshape(vector, [-1, *[1] * (len(like.dims) - 1)])
    return reshape(vector, concat([[-1], fill(expand_dims(rank_(like) - 1, 0), 1)], 0))


def embedding_lookup_sparse(
    params: TensorLike, sp_ids: TensorLike, sp_weights: TensorLike | None, combiner: str | None = None,
    max_norm: TensorLike | None = None, name: str | None = None, allow_fast_lookup: bool = False
) -> Tensor:  # fmt: skip
    """For each row of ids the mean (or sum, or sum over the square root of squared weights) of their embeddings.

    >>> import graphrt as tf
    >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 0, 1], [2, 2])
    >>> tf.nn.embedding_lookup_sparse(tf.constant([[1., 2.], [3., 4.]]), ids, None).numpy().tolist()
    [[2.0, 3.0], [3.0, 4.0]]

    Raises:
      ValueError: `combiner` is none of "mean", "sqrtn" and "sum".
      TypeError: the ids are neither sparse nor ragged, or the weights are not what they are.
    """
    combiner = combiner or "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(errors.at_user_line(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}"))
    ids, rows, count = _values_and_rows(sp_ids, "sp_ids")
    weights = None
    if sp_weights is not None:
        if type(sp_weights) is not type(sp_ids):
            raise TypeError(
                errors.at_user_line(
                    f"sp_ids and sp_weights must be of one kind, got {type(sp_ids).__name__} and "
                    f"{type(sp_weights).__name__}"
                )
            )
        weights = _values_and_rows(sp_weights, "sp_weights")[0]
    if isinstance(params, (list, tuple)) and len(params) == 1 and isinstance(params[0], Tensor):
        params = params[0]
    found = _clipped(embedding_lookup(params, ids), max_norm)
    if weights is None:
        weights = ones_like(cast(ids, found.dtype))
    weights = cast(weights, found.dtype)
    broad = _as_column(weights, found)
    total = UnsortedSegmentSum(found * broad, rows, count)
    if combiner == "sum":
        return total
    sizes = UnsortedSegmentSum(broad if combiner == "mean" else broad * broad, rows, count)
    if combiner == "sqrtn":
        sizes = Sqrt(sizes)
    # rows without ids give 0, not 0 / 0
    return DivNoNan(total, sizes)


def safe_embedding_lookup_sparse(
    embedding_weights: TensorLike, sparse_ids: Any, sparse_weights: Any = None, combiner: str = "mean",
    default_id: TensorLike | None = None, max_norm: Any = None, name: str | None = None, allow_fast_lookup: bool = False
) -> Tensor:  # fmt: skip
    """Like `embedding_lookup_sparse`, but rows without valid ids have 0 (or the embedding of `default_id`).

    Negative ids, and ids without positive weight, are not valid. Ids may have more than two dimensions: the last one is
    combined.

    >>> import graphrt as tf
    >>> ids = tf.SparseTensor([[0, 0], [1, 0]], [1, -1], [2, 1])
    >>> tf.nn.safe_embedding_lookup_sparse(tf.constant([[1., 2.], [3., 4.]]), ids).numpy().tolist()
    [[3.0, 4.0], [0.0, 0.0]]

    Raises:
      ValueError: there are no embeddings.
    """
    if embedding_weights is None or (isinstance(embedding_weights, (list, tuple)) and not len(embedding_weights)):
        raise ValueError(errors.at_user_line(f"Missing embedding_weights {embedding_weights}."))
    ids = sparse_ids.to_sparse() if hasattr(sparse_ids, "to_sparse") else sparse_ids
    weights = sparse_weights.to_sparse() if hasattr(sparse_weights, "to_sparse") else sparse_weights
    errors.expect(ids, SparseTensor, "sparse_ids", "a sparse or ragged tensor")
    errors.expect(weights, (SparseTensor, type(None)), "sparse_weights", "a sparse or ragged tensor, or None")
    shape, rank = ids.dense_shape, len(ids.dims)
    if rank != 2:
        lead = reduce_prod(shape[:-1])
        flat = stack([lead, shape[-1]])
        strides = Cumprod(shape[:-1], np.int32(0), exclusive=True, reverse=True)
        rows = reduce_sum(ids.indices[:, :-1] * strides, 1)
        at = stack([rows, ids.indices[:, -1]], axis=1)
        ids = SparseTensor(at, ids.values, flat)
        weights = None if weights is None else SparseTensor(at, weights.values, flat)
    valid = GreaterEqual(ids.values, as_tensor(0, ids.dtype))
    if weights is not None and combiner != "sum":
        valid = LogicalAnd(valid, Greater(weights.values, as_tensor(0, weights.dtype)))
    ids = retain(ids, valid)
    weights = None if weights is None else retain(weights, valid)
    filled, empty = fill_empty_rows(ids, default_id or 0)
    if weights is not None:
        weights = fill_empty_rows(weights, 1.0)[0]
    result = embedding_lookup_sparse(embedding_weights, filled, weights, combiner, max_norm)
    if default_id is None:
        hidden = _as_column(empty, result)
        result = where(hidden, zeros_like(result), result)
    if rank != 2:
        result = reshape(result, concat([shape[:-1], cast(shape_(result)[1:], int64)], 0))
    return result
