"""Sparse tensors element by element, and reduced."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import OpDef
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.gather_scatter import TensorScatterAdd, gather
from graphrt.ops.array.identity import stop_gradient
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import expand_dims, reshape
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.slicing import boolean_mask
from graphrt.ops.array.sorting import argsort
from graphrt.ops.math.arithmetic import Maximum, Minimum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, Greater, GreaterEqual, Less, NotEqual
from graphrt.ops.math.cumulative import Cumsum
from graphrt.ops.math.elementwise import Exp
from graphrt.ops.math.elementwise import abs as abs_
from graphrt.ops.math.logical import LogicalAnd, LogicalNot
from graphrt.ops.math.reduction import reduce_all, reduce_any, reduce_prod
from graphrt.ops.math.segments import UnsortedSegmentMax, UnsortedSegmentSum
from graphrt.ops.sparse.functions import as_sparse, assert_holds, rank_of, retain
from graphrt.ops.sparse.tensor import SparseTensor, linear
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor, static_array
from graphrt.types.dtype import int64
from graphrt.types.likes import AxisLike, ShapeLike, TensorLike

__all__ = ["add", "map_values", "maximum", "minimum", "reduce_max", "reduce_sum", "softmax"]


# --- element by element ----------------------------------------------------------------------------------------------
def map_values(op: Callable[..., Any], *args: TensorLike, **kwargs: Any) -> SparseTensor:
    """`op` applied to the values of the sparse tensors among the arguments, which have the same places.

    >>> import graphrt as tf
    >>> tf.sparse.map_values(tf.square, tf.sparse.from_dense([2, 0, 3])).values.numpy().tolist()
    [4, 9]

    Raises:
      ValueError: no argument is sparse.
    """
    found = [a for a in (*args, *kwargs.values()) if isinstance(a, SparseTensor)]
    if not found:
        raise ValueError(errors.at_user_line("No SparseTensor in argument list of map_values"))
    for other in found[1:]:
        assert_holds(reduce_all(Equal(found[0].indices, other.indices)), "SparseTensors have different indices")

    def plain(value: object) -> Any:
        return value.values if isinstance(value, SparseTensor) else value

    return found[0].with_values(op(*map(plain, args), **{k: plain(v) for k, v in kwargs.items()}))


def groups(indices: TensorLike, shape: ShapeLike) -> tuple[Any, Any]:
    """The different rows of coordinates, in order, and for each row which of them it is."""
    flat = linear(indices, shape)
    order = argsort(flat, stable=True)
    ordered = gather(flat, order)
    new = concat([as_tensor([True])[: shape_(ordered)[0]], NotEqual(ordered[1:], ordered[:-1])], 0)
    ids = Cumsum(cast(new, int64), np.int32(0)) - np.int64(1)
    places = gather(gather(indices, order), reshape(where(new), [-1]))
    back = argsort(order, stable=True)
    return places, gather(ids, back)


def _same_shape(a: SparseTensor, b: SparseTensor) -> None:
    one, two = a.dims, b.dims
    if one is not None and two is not None and None not in one and None not in two:
        if len(one) != len(two):
            assert_holds(False, f"Operands' shapes do not match: ranks {len(one)} and {len(two)}")
        for i, (m, n) in enumerate(zip(one, two)):
            assert_holds(m == n, f"Operands' shapes do not match: got {m} and {n} for dimension {i}")
    else:
        assert_holds(reduce_all(Equal(a.dense_shape, b.dense_shape)), "Operands' shapes do not match")


def add(a: Any, b: Any, threshold: TensorLike = 0) -> Any:
    """The sum of two sparse tensors; of a sparse and a dense one, dense. Sums below `threshold` are left out.

    >>> import graphrt as tf
    >>> tf.sparse.add(tf.sparse.from_dense([1, 0]), tf.sparse.from_dense([2, 3])).values.numpy().tolist()
    [3, 3]

    Raises:
      TypeError: neither is sparse.
      InvalidArgumentError: the shapes differ.
    """
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError(errors.at_user_line("At least one input should be SparseTensor; do you mean to use tf.add()?"))
    if not isinstance(a, SparseTensor) or not isinstance(b, SparseTensor):
        sparse, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
        return TensorScatterAdd(as_tensor(dense, sparse.dtype), sparse.indices, sparse.values)
    _same_shape(a, b)
    places, ids = groups(concat([a.indices, b.indices], 0), a.dense_shape)
    total = UnsortedSegmentSum(concat([a.values, b.values], 0), ids, shape_(places, out_type=int64)[0])
    made = SparseTensor(places, total, a.dense_shape)
    if isinstance(threshold, Tensor) or threshold:
        size = abs_(total)
        made = retain(made, GreaterEqual(size, as_tensor(threshold, size.dtype)))
    return made


def _extreme(a: Any, b: Any, op: OpDef) -> SparseTensor:
    x, y = as_sparse(a), as_sparse(b)
    _same_shape(x, y)
    places, ids = groups(concat([x.indices, y.indices], 0), x.dense_shape)
    count, size = shape_(places, out_type=int64)[0], shape_(x.values)[0]
    one = UnsortedSegmentSum(x.values, ids[:size], count)
    two = UnsortedSegmentSum(y.values, ids[size:], count)
    return SparseTensor(places, op(one, two), x.dense_shape)


def maximum(sp_a: TensorLike, sp_b: TensorLike, name: str | None = None) -> SparseTensor:
    """The greater of the elements of two sparse tensors of one shape; what is not there counts as 0.

    >>> import graphrt as tf
    >>> tf.sparse.maximum(tf.sparse.from_dense([1, 0]), tf.sparse.from_dense([2, -3])).values.numpy().tolist()
    [2, 0]
    """
    return _extreme(sp_a, sp_b, Maximum)


def minimum(sp_a: TensorLike, sp_b: TensorLike, name: str | None = None) -> SparseTensor:
    """The smaller of the elements of two sparse tensors of one shape; what is not there counts as 0.

    >>> import graphrt as tf
    >>> tf.sparse.minimum(tf.sparse.from_dense([1, 0]), tf.sparse.from_dense([2, -3])).values.numpy().tolist()
    [1, -3]
    """
    return _extreme(sp_a, sp_b, Minimum)


def softmax(sp_input: TensorLike, name: str | None = None) -> SparseTensor:
    """The softmax of the elements that are there, along the last dimension.

    >>> import graphrt as tf
    >>> tf.sparse.softmax(tf.sparse.from_dense([[2., 0., 2.]])).values.numpy().tolist()
    [0.5, 0.5]
    """
    x = as_sparse(sp_input)
    ids = linear(x.indices[:, :-1], x.dense_shape[:-1])
    count = reduce_prod(x.dense_shape[:-1])
    highest = stop_gradient(UnsortedSegmentMax(x.values, ids, count))
    exponents = Exp(x.values - gather(highest, ids))
    return x.with_values(exponents / gather(UnsortedSegmentSum(exponents, ids, count), ids))


# --- reductions ------------------------------------------------------------------------------------------------------
def _reduce(sp_input: Any, axis: Any, keepdims: Any, sparse: bool, op: OpDef) -> Any:
    x = as_sparse(sp_input)
    rank = rank_of(x)
    known = None
    if axis is not None:
        places_of_axes = static_array(as_tensor(axis))
        if places_of_axes is None:
            return _reduce_over(x, rank, as_tensor(axis), keepdims, sparse, op)
        known = np.ravel(places_of_axes)
    axes = list(builtins.range(rank)) if known is None else [int(a) for a in known]
    for a in axes:
        assert_holds(-rank <= a < rank, f"Invalid reduction dimension {a}, for input with {rank} dimensions.")
    gone = {a % rank for a in axes}
    kept = [i for i in builtins.range(rank) if i not in gone]
    shape = gather(x.dense_shape, np.array(kept, np.int32)) if kept else as_tensor(np.zeros(0, np.int64))
    places = gather(x.indices, np.array(kept, np.int32), axis=1)
    if sparse:
        at, ids = groups(places, shape) if kept else (places[:1], zeros_like(x.indices[:, 0]))
        values = op(x.values, ids, shape_(at, out_type=int64)[0])
        if keepdims:
            full = [as_tensor(1, int64) if i in gone else x.dense_shape[i] for i in builtins.range(rank)]
            zero = zeros_like(values)
            columns = {k: at[:, j] for j, k in enumerate(kept)}
            at = stack([columns.get(i, cast(zero, int64)) for i in builtins.range(rank)], axis=1)
            shape = stack(full)
        return SparseTensor(at, values, shape)
    ids = linear(places, shape) if kept else zeros_like(x.indices[:, 0])
    count = reduce_prod(shape) if kept else as_tensor(1, int64)
    dims = [
        as_tensor(1, int64) if i in gone else x.dense_shape[i] for i in builtins.range(rank) if keepdims or i in kept
    ]
    return reshape(_summed(op, x.values, ids, count), stack(dims) if dims else np.zeros(0, np.int32))


def _summed(op: OpDef, values: Tensor, ids: Tensor, count: Tensor) -> Tensor:
    flat = op(values, ids, count)
    if op is not UnsortedSegmentMax:
        return flat
    there = UnsortedSegmentSum(ones_like(ids), ids, count)  # where nothing stands there is 0
    return where(Greater(there, as_tensor(0, int64)), flat, zeros_like(flat))


def _reduce_over(x: SparseTensor, rank: int, axis: Any, keepdims: Any, sparse: bool, op: OpDef) -> Any:
    """The same over axes that only the graph knows: along them all positions are 0, and all sizes 1."""
    axes = cast(reshape(axis, [-1]), int64)
    inside = LogicalAnd(GreaterEqual(axes, as_tensor(-rank, int64)), Less(axes, as_tensor(rank, int64)))
    assert_holds(reduce_all(inside), f"Invalid reduction dimension, for input with {rank} dimensions.")
    every = as_tensor(np.arange(rank), int64)
    gone = reduce_any(Equal(expand_dims(every, 1), expand_dims(axes % rank, 0)), 1)
    whole = where(gone, ones_like(x.dense_shape), x.dense_shape)
    places = where(gone, zeros_like(x.indices), x.indices)
    kept = boolean_mask(every, LogicalNot(gone))
    shape = whole if keepdims else gather(whole, kept)
    if sparse:
        at, ids = groups(places, whole)
        values = op(x.values, ids, shape_(at, out_type=int64)[0])
        return SparseTensor(at if keepdims else gather(at, kept, axis=1), values, shape)
    return reshape(_summed(op, x.values, linear(places, whole), reduce_prod(whole)), shape)


def reduce_sum(
    sp_input: SparseTensor, axis: AxisLike = None, keepdims: bool | None = None, output_is_sparse: bool = False,
    name: str | None = None
) -> Any:  # fmt: skip
    """The sum over `axis` (all axes when None), dense, or sparse when asked for.

    >>> import graphrt as tf
    >>> tf.sparse.reduce_sum(tf.sparse.from_dense([[1, 0], [2, 3]]), 1).numpy().tolist()
    [1, 5]
    """
    return _reduce(sp_input, axis, keepdims, output_is_sparse, UnsortedSegmentSum)


def reduce_max(
    sp_input: TensorLike, axis: AxisLike = None, keepdims: Any = None, output_is_sparse: bool = False,
    name: str | None = None
) -> Any:  # fmt: skip
    """The greatest of the elements that are there over `axis` (all axes when None); 0 where there is none.

    >>> import graphrt as tf
    >>> tf.sparse.reduce_max(tf.sparse.from_dense([[-1, 0], [2, 3]]), 1).numpy().tolist()
    [-1, 3]
    """
    return _reduce(sp_input, axis, keepdims, output_is_sparse, UnsortedSegmentMax)
