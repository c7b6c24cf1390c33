"""`tf.sparse`: functions of sparse tensors, put together from ops on their indices and values."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import ops
from graphrt.ops.sparse.tensor import SparseTensor, linear
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor, static_array
from graphrt.types.dtype import as_dtype, bool_, float32, int32, int64, string

__all__ = [
    "add", "bincount", "concat", "cross", "cross_hashed", "expand_dims", "eye", "fill_empty_rows", "from_dense",
    "map_values", "mask", "maximum", "minimum", "reduce_max", "reduce_sum", "reorder", "reset_shape", "reshape",
    "retain", "sampled_addmm", "segment_mean", "segment_sqrt_n", "segment_sum", "slice", "softmax",
    "sparse_dense_matmul", "split", "to_dense", "to_indicator", "transpose",
]  # fmt: skip


def _sparse(value: Any) -> SparseTensor:
    if isinstance(value, SparseTensor):
        return value
    if all(hasattr(value, part) for part in ("indices", "values", "dense_shape")) and not isinstance(value, Tensor):
        return SparseTensor.from_value(value)
    raise TypeError(errors.at_user_line(f"Input must be a SparseTensor, found {value!r}"))


def _check(condition: Any, message: str) -> None:
    """InvalidArgumentError when the condition does not hold; a recorded assertion where that is not known yet."""
    if isinstance(condition, Tensor) and not isinstance(condition, EagerTensor):
        ops.assert_that(condition, [message])
    elif not bool(condition):
        raise errors.InvalidArgumentError(None, None, errors.at_user_line(message))


# --- to and from tensors ---------------------------------------------------------------------------------------------
def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The elements of a tensor that are not 0 (False, empty).

    >>> import graphrt as tf
    >>> tf.sparse.from_dense([[1, 0], [0, 2]]).indices.numpy().tolist()
    [[0, 0], [1, 1]]
    """
    x = as_tensor(tensor)
    zero = as_tensor(b"" if x.dtype is string else False if x.dtype.is_bool else 0, x.dtype)
    places = ops.where(ops.NotEqual(x, zero))
    if x.dims is not None and not isinstance(places, EagerTensor):
        places.set_shape([None, len(x.dims)])
    return SparseTensor(places, ops.GatherNd(x, places), ops.shape(x, out_type=int64))


def to_dense(sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None) -> Any:
    """The whole tensor, with `default_value` where nothing stands.

    >>> import graphrt as tf
    >>> tf.sparse.to_dense(tf.SparseTensor([[0, 1]], [5], [1, 3])).numpy().tolist()
    [[0, 5, 0]]

    Raises:
      InvalidArgumentError: an index is out of range; with `validate_indices`, or out of order.
    """
    x = _sparse(sp_input)
    if default_value is None:
        default_value = b"" if x.dtype is string else False if x.dtype.is_bool else 0
    return ops.SparseToDense(
        x.indices, x.dense_shape, x.values, as_tensor(default_value, x.dtype), validate_indices=validate_indices,
        name=name,
    )  # fmt: skip


def to_indicator(sp_input: Any, vocab_size: int, name: str | None = None) -> Any:
    """Ids as booleans: the last dimension becomes one of `vocab_size`, True at the ids that occur.

    >>> import graphrt as tf
    >>> tf.sparse.to_indicator(tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1]), 3).numpy().tolist()
    [[False, False, True], [True, False, False]]
    """
    x = _sparse(sp_input)
    at = ops.concat([x.indices[:, :-1], ops.cast(x.values, int64)[:, None]], 1)
    shape = ops.concat([x.dense_shape[:-1], as_tensor([vocab_size], int64)], 0)
    counts = ops.scatter_nd(at, ops.ones(ops.shape(x.values), dtype=int32), shape)
    return ops.Greater(counts, as_tensor(0, int32))


def eye(num_rows: int, num_columns: int | None = None, dtype: Any = float32, name: str | None = None) -> SparseTensor:
    """The identity matrix.

    >>> import graphrt as tf
    >>> tf.sparse.to_dense(tf.sparse.eye(2)).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    width = num_rows if num_columns is None else num_columns
    places = ops.range(ops.Minimum(as_tensor(num_rows, int64), as_tensor(width, int64)), dtype=int64)
    ones = ops.ones(ops.shape(places), dtype=as_dtype(dtype))
    shape = ops.stack([as_tensor(num_rows, int64), as_tensor(width, int64)])
    return SparseTensor(ops.stack([places, places], axis=1), ones, shape)


# --- order and shape -------------------------------------------------------------------------------------------------
def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The same elements in the order of their places.

    >>> import graphrt as tf
    >>> tf.sparse.reorder(tf.SparseTensor([[1, 0], [0, 1]], [5, 6], [2, 2])).values.numpy().tolist()
    [6, 5]
    """
    x = _sparse(sp_input)
    order = ops.argsort(linear(x.indices, x.dense_shape), stable=True)
    return SparseTensor(ops.gather(x.indices, order), ops.gather(x.values, order), x.dense_shape)


def expand_dims(sp_input: Any, axis: int | None = None, name: str | None = None) -> SparseTensor:
    """A dimension of size 1 more, at `axis` (at the end when None).

    >>> import graphrt as tf
    >>> tf.sparse.expand_dims(tf.SparseTensor([[1]], [5], [3]), 0).shape
    TensorShape([1, 3])
    """
    x = _sparse(sp_input)
    rank = _rank(x)
    at = -1 if axis is None else axis
    if not -rank - 1 <= at <= rank:
        raise ValueError(errors.at_user_line(f"axis {at} is out of range [{-rank - 1}, {rank}]"))
    at += rank + 1 if at < 0 else 0
    zeros = ops.zeros_like(x.indices[:, :1])
    places = ops.concat([x.indices[:, :at], zeros, x.indices[:, at:]], 1)
    return SparseTensor(places, x.values, ops.concat([x.dense_shape[:at], [np.int64(1)], x.dense_shape[at:]], 0))


def _rank(x: SparseTensor) -> int:
    dims = x.dims
    if dims is None:
        raise ValueError(errors.at_user_line("the rank of the sparse tensor must be known"))
    return len(dims)


def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The same elements, in order, in another shape; one dimension may be -1.

    >>> import graphrt as tf
    >>> tf.sparse.reshape(tf.SparseTensor([[1, 0]], [5], [2, 3]), [3, -1]).indices.numpy().tolist()
    [[1, 1]]

    Raises:
      InvalidArgumentError: the shape has another number of elements.
    """
    x = _sparse(sp_input)
    wanted = ops.cast(as_tensor(shape), int64)
    total = ops.reduce_prod(x.dense_shape)
    known = static_array(wanted)
    if known is None or (known == -1).any():
        rest = ops.reduce_prod(ops.Abs(wanted))
        missing = total // ops.Maximum(rest, as_tensor(1, int64))
        wanted = ops.where(ops.Equal(wanted, as_tensor(-1, int64)), missing, wanted)
    message = "Input to reshape is a sparse tensor whose number of dense values is not that of the requested shape"
    _check(ops.Equal(ops.reduce_prod(wanted), total), message)
    flat = linear(x.indices, x.dense_shape)
    strides = ops.Cumprod(wanted, np.int32(0), exclusive=True, reverse=True)
    places = ops.FloorMod(ops.FloorDiv(flat[:, None], strides), wanted)
    return SparseTensor(places, x.values, wanted)


def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """The dimensions in another order (the reverse when None).

    >>> import graphrt as tf
    >>> tf.sparse.transpose(tf.SparseTensor([[0, 2]], [5], [2, 3])).indices.numpy().tolist()
    [[2, 0]]
    """
    x = _sparse(sp_input)
    order = list(builtins.range(_rank(x)))[::-1] if perm is None else perm
    places = ops.gather(x.indices, order, axis=1)
    return reorder(SparseTensor(places, x.values, ops.gather(x.dense_shape, order)))


def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """The same elements in a larger shape, or in the smallest that holds them.

    >>> import graphrt as tf
    >>> tf.sparse.reset_shape(tf.SparseTensor([[0, 0]], [1], [3, 4])).shape
    TensorShape([1, 1])

    Raises:
      ValueError: the shape is smaller, or of another rank.
    """
    x = _sparse(sp_input)
    if new_shape is None:
        highest = ops.Max(ops.concat([x.indices, ops.zeros_like(x.dense_shape)[None] - np.int64(1)], 0), np.int32(0))
        return SparseTensor(x.indices, x.values, highest + np.int64(1))
    wanted = ops.cast(as_tensor(new_shape), int64)
    old, new = static_array(x.dense_shape), static_array(wanted)
    if old is not None and new is not None:
        if len(old) != len(new):
            raise ValueError(errors.at_user_line(f"Shape ranks differ: {old.tolist()} and {new.tolist()}"))
        if (new < old).any():
            raise ValueError(
                errors.at_user_line(
                    "Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape "
                    f"({new.tolist()}), sp_input.shape ({old.tolist()})."
                )
            )
    else:
        _check(ops.reduce_all(ops.LessEqual(x.dense_shape, wanted)), "new_shape is smaller than the shape")
    return SparseTensor(x.indices, x.values, wanted)


# --- parts -----------------------------------------------------------------------------------------------------------
def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The elements for which `to_retain` is True.

    >>> import graphrt as tf
    >>> tf.sparse.retain(tf.SparseTensor([[0], [2]], [5, 6], [3]), [False, True]).values.numpy().tolist()
    [6]
    """
    x = _sparse(sp_input)
    chosen = ops.reshape(ops.where(as_tensor(to_retain, bool_)), [-1])
    return SparseTensor(ops.gather(x.indices, chosen), ops.gather(x.values, chosen), x.dense_shape)


def slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """The part that begins at `start` and has `size`, or less at the end.

    >>> import graphrt as tf
    >>> tf.sparse.slice(tf.SparseTensor([[0, 2], [1, 0]], [5, 6], [2, 3]), [0, 1], [2, 2]).indices.numpy().tolist()
    [[0, 1]]
    """
    x = _sparse(sp_input)
    begin = ops.cast(as_tensor(start), int64)
    extent = ops.Maximum(ops.Minimum(ops.cast(as_tensor(size), int64), x.dense_shape - begin), as_tensor(0, int64))
    places = x.indices - begin
    inside = ops.LogicalAnd(ops.GreaterEqual(places, as_tensor(0, int64)), ops.Less(places, extent))
    return retain(SparseTensor(places, x.values, extent), ops.All(inside, np.int32(1)))


def split(
    sp_input: Any = None, num_split: int | None = None, axis: Any = None, name: str | None = None
) -> list[SparseTensor]:
    """`num_split` parts along `axis`; the first ones are larger by one where it does not divide evenly.

    >>> import graphrt as tf
    >>> [s.shape for s in tf.sparse.split(sp_input=tf.sparse.eye(3), num_split=2, axis=1)]
    [TensorShape([3, 2]), TensorShape([3, 1])]

    Raises:
      ValueError: an argument is missing.
    """
    for value, what in ((num_split, "num_split"), (axis, "axis"), (sp_input, "sp_input")):
        if value is None:
            raise ValueError(errors.at_user_line(f"{what} is required"))
    x = _sparse(sp_input)
    rank, count = _rank(x), int(num_split or 0)
    place = int(static_array(as_tensor(axis)))
    if not -rank <= place < rank:
        raise errors.InvalidArgumentError(None, None, errors.at_user_line(f"axis {place} is not in [{-rank}, {rank})"))
    place %= rank
    length = x.dense_shape[place]
    _check(ops.GreaterEqual(length, as_tensor(max(count, 1), int64)) if count > 0 else False,
           f"Input num_split should be between 1 and the splitting dimension size, got {count}")  # fmt: skip
    each, more = length // np.int64(count), ops.FloorMod(length, as_tensor(count, int64))
    out = []
    begin: Any = as_tensor(0, int64)
    for i in builtins.range(count):
        size = each + ops.cast(ops.Less(as_tensor(i, int64), more), int64)
        lead = ops.zeros_like(x.dense_shape)
        starts = ops.concat([lead[:place], begin[None], lead[place + 1 :]], 0)
        sizes = ops.concat([x.dense_shape[:place], size[None], x.dense_shape[place + 1 :]], 0)
        out.append(slice(x, starts, sizes))
        begin = begin + size
    return out


def concat(axis: int, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None) -> SparseTensor:
    """Sparse tensors joined along `axis`.

    >>> import graphrt as tf
    >>> tf.sparse.concat(1, [tf.sparse.eye(2), tf.sparse.eye(2)]).indices.numpy().tolist()
    [[0, 0], [0, 2], [1, 1], [1, 3]]

    Raises:
      InvalidArgumentError: the other dimensions differ (they may with `expand_nonconcat_dims`).
    """
    parts = [_sparse(s) for s in sp_inputs]
    if len(parts) == 1:
        return parts[0]
    rank = _rank(parts[0])
    if not -rank <= axis < rank:
        raise errors.InvalidArgumentError(
            None, None, errors.at_user_line(f"Concat dimension must be in range [{-rank}, {rank}), got {axis}")
        )
    place = axis % rank
    shapes = ops.stack([p.dense_shape for p in parts])
    widest = ops.Max(shapes, np.int32(0))
    if not expand_nonconcat_dims:
        same = ops.Equal(shapes, widest)
        others = ops.concat([same[:, :place], same[:, place + 1 :]], 1)
        _check(ops.reduce_all(others), "Input shapes must match in all dimensions but the one of concat")
    places, offset = [], as_tensor(0, int64)
    for p in parts:
        moved = p.indices[:, place : place + 1] + offset
        places.append(ops.concat([p.indices[:, :place], moved, p.indices[:, place + 1 :]], 1))
        offset = offset + p.dense_shape[place]
    shape = ops.concat([widest[:place], offset[None], widest[place + 1 :]], 0)
    return reorder(SparseTensor(ops.concat(places, 0), ops.concat([p.values for p in parts], 0), shape))


def fill_empty_rows(sp_input: Any, default_value: Any, name: str | None = None) -> tuple[SparseTensor, Any]:
    """A matrix without empty rows (they get `default_value` in column 0), and which rows were empty.

    >>> import graphrt as tf
    >>> filled, empty = tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 0]], [5], [2, 2]), 9)
    >>> filled.values.numpy().tolist(), empty.numpy().tolist()
    ([9, 5], [True, False])
    """
    x = _sparse(sp_input)
    default = as_tensor(default_value, x.dtype)
    rows = x.dense_shape[0]
    counts = ops.UnsortedSegmentSum(ops.ones_like(x.indices[:, 0]), x.indices[:, 0], rows)
    empty = ops.Equal(counts, as_tensor(0, int64))
    missing = ops.where(empty)
    others = ops.zeros(ops.stack([ops.shape(missing)[0], ops.shape(x.indices)[1] - 1]), dtype=int64)
    at = ops.concat([missing, others], 1)
    values = ops.concat([x.values, ops.fill(ops.shape(missing)[:1], default)], 0)
    return reorder(SparseTensor(ops.concat([x.indices, at], 0), values, x.dense_shape)), empty


def mask(a: Any, mask_indices: Any, name: str | None = None) -> Any:
    """`IndexedSlices` without the slices at `mask_indices`.

    >>> import graphrt as tf
    >>> rows = tf.IndexedSlices(tf.constant([[1.], [2.]]), tf.constant([3, 5]))
    >>> tf.sparse.mask(rows, [5]).indices.numpy().tolist()
    [3]
    """
    hidden = as_tensor(mask_indices, a.indices.dtype)
    kept = ops.LogicalNot(ops.Any(ops.Equal(a.indices[:, None], hidden[None, :]), np.int32(1)))
    chosen = ops.reshape(ops.where(kept), [-1])
    return type(a)(ops.gather(a.values, chosen), ops.gather(a.indices, chosen), a.dense_shape)


# --- element by element ----------------------------------------------------------------------------------------------
def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
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
        _check(ops.reduce_all(ops.Equal(found[0].indices, other.indices)), "SparseTensors have different indices")

    def plain(value: Any) -> Any:
        return value.values if isinstance(value, SparseTensor) else value

    return found[0].with_values(op(*map(plain, args), **{k: plain(v) for k, v in kwargs.items()}))


def _groups(indices: Any, shape: Any) -> tuple[Any, Any]:
    """The different rows of coordinates, in order, and for each row which of them it is."""
    flat = linear(indices, shape)
    order = ops.argsort(flat, stable=True)
    ordered = ops.gather(flat, order)
    new = ops.concat([as_tensor([True])[: ops.shape(ordered)[0]], ops.NotEqual(ordered[1:], ordered[:-1])], 0)
    ids = ops.Cumsum(ops.cast(new, int64), np.int32(0)) - np.int64(1)
    places = ops.gather(ops.gather(indices, order), ops.reshape(ops.where(new), [-1]))
    back = ops.argsort(order, stable=True)
    return places, ops.gather(ids, back)


def _same_shape(a: SparseTensor, b: SparseTensor) -> None:
    one, two = a.dims, b.dims
    if one is not None and two is not None and None not in one and None not in two:
        if len(one) != len(two):
            _check(False, f"Operands' shapes do not match: ranks {len(one)} and {len(two)}")
        for i, (m, n) in enumerate(zip(one, two)):
            _check(m == n, f"Operands' shapes do not match: got {m} and {n} for dimension {i}")
    else:
        _check(ops.reduce_all(ops.Equal(a.dense_shape, b.dense_shape)), "Operands' shapes do not match")


def add(a: Any, b: Any, threshold: Any = 0) -> Any:
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
        return ops.TensorScatterAdd(as_tensor(dense, sparse.dtype), sparse.indices, sparse.values)
    _same_shape(a, b)
    places, ids = _groups(ops.concat([a.indices, b.indices], 0), a.dense_shape)
    total = ops.UnsortedSegmentSum(ops.concat([a.values, b.values], 0), ids, ops.shape(places, out_type=int64)[0])
    made = SparseTensor(places, total, a.dense_shape)
    if isinstance(threshold, Tensor) or threshold:
        size = ops.abs(total)
        made = retain(made, ops.GreaterEqual(size, as_tensor(threshold, size.dtype)))
    return made


def _extreme(a: Any, b: Any, op: str) -> SparseTensor:
    x, y = _sparse(a), _sparse(b)
    _same_shape(x, y)
    places, ids = _groups(ops.concat([x.indices, y.indices], 0), x.dense_shape)
    count, size = ops.shape(places, out_type=int64)[0], ops.shape(x.values)[0]
    one = ops.UnsortedSegmentSum(x.values, ids[:size], count)
    two = ops.UnsortedSegmentSum(y.values, ids[size:], count)
    return SparseTensor(places, getattr(ops, op)(one, two), x.dense_shape)


def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The greater of the elements of two sparse tensors of one shape; what is not there counts as 0.

    >>> import graphrt as tf
    >>> tf.sparse.maximum(tf.sparse.from_dense([1, 0]), tf.sparse.from_dense([2, -3])).values.numpy().tolist()
    [2, 0]
    """
    return _extreme(sp_a, sp_b, "Maximum")


def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The smaller of the elements of two sparse tensors of one shape; what is not there counts as 0.

    >>> import graphrt as tf
    >>> tf.sparse.minimum(tf.sparse.from_dense([1, 0]), tf.sparse.from_dense([2, -3])).values.numpy().tolist()
    [1, -3]
    """
    return _extreme(sp_a, sp_b, "Minimum")


def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The softmax of the elements that are there, along the last dimension.

    >>> import graphrt as tf
    >>> tf.sparse.softmax(tf.sparse.from_dense([[2., 0., 2.]])).values.numpy().tolist()
    [0.5, 0.5]
    """
    x = _sparse(sp_input)
    ids = linear(x.indices[:, :-1], x.dense_shape[:-1])
    count = ops.reduce_prod(x.dense_shape[:-1])
    highest = ops.stop_gradient(ops.UnsortedSegmentMax(x.values, ids, count))
    exponents = ops.Exp(x.values - ops.gather(highest, ids))
    return x.with_values(exponents / ops.gather(ops.UnsortedSegmentSum(exponents, ids, count), ids))


# --- reductions ------------------------------------------------------------------------------------------------------
def _reduce(sp_input: Any, axis: Any, keepdims: Any, sparse: bool, op: str) -> Any:
    x = _sparse(sp_input)
    rank = _rank(x)
    known = None if axis is None else np.ravel(static_array(as_tensor(axis)))
    axes = list(builtins.range(rank)) if known is None else [int(a) for a in known]
    for a in axes:
        _check(-rank <= a < rank, f"Invalid reduction dimension {a}, for input with {rank} dimensions.")
    gone = {a % rank for a in axes}
    kept = [i for i in builtins.range(rank) if i not in gone]
    shape = ops.gather(x.dense_shape, np.array(kept, np.int32)) if kept else as_tensor(np.zeros(0, np.int64))
    places = ops.gather(x.indices, np.array(kept, np.int32), axis=1)
    if sparse:
        at, ids = _groups(places, shape) if kept else (places[:1], ops.zeros_like(x.indices[:, 0]))
        values = getattr(ops, op)(x.values, ids, ops.shape(at, out_type=int64)[0])
        if keepdims:
            full = [as_tensor(1, int64) if i in gone else x.dense_shape[i] for i in builtins.range(rank)]
            zero = ops.zeros_like(values)
            columns = {k: at[:, j] for j, k in enumerate(kept)}
            at = ops.stack([columns.get(i, ops.cast(zero, int64)) for i in builtins.range(rank)], axis=1)
            shape = ops.stack(full)
        return SparseTensor(at, values, shape)
    ids = linear(places, shape) if kept else ops.zeros_like(x.indices[:, 0])
    count = ops.reduce_prod(shape) if kept else as_tensor(1, int64)
    flat = getattr(ops, op)(x.values, ids, count)
    if op == "UnsortedSegmentMax":  # where nothing stands there is 0
        there = ops.UnsortedSegmentSum(ops.ones_like(ids), ids, count)
        flat = ops.where(ops.Greater(there, as_tensor(0, int64)), flat, ops.zeros_like(flat))
    dims = [
        as_tensor(1, int64) if i in gone else x.dense_shape[i] for i in builtins.range(rank) if keepdims or i in kept
    ]
    return ops.reshape(flat, ops.stack(dims) if dims else np.zeros(0, np.int32))


def reduce_sum(
    sp_input: Any, axis: Any = None, keepdims: Any = None, output_is_sparse: bool = False, name: str | None = None
) -> Any:
    """The sum over `axis` (all axes when None), dense, or sparse when asked for.

    >>> import graphrt as tf
    >>> tf.sparse.reduce_sum(tf.sparse.from_dense([[1, 0], [2, 3]]), 1).numpy().tolist()
    [1, 5]
    """
    return _reduce(sp_input, axis, keepdims, output_is_sparse, "UnsortedSegmentSum")


def reduce_max(
    sp_input: Any, axis: Any = None, keepdims: Any = None, output_is_sparse: bool = False, name: str | None = None
) -> Any:
    """The greatest of the elements that are there over `axis` (all axes when None); 0 where there is none.

    >>> import graphrt as tf
    >>> tf.sparse.reduce_max(tf.sparse.from_dense([[-1, 0], [2, 3]]), 1).numpy().tolist()
    [-1, 3]
    """
    return _reduce(sp_input, axis, keepdims, output_is_sparse, "UnsortedSegmentMax")


# --- products --------------------------------------------------------------------------------------------------------
def _adjoint(x: Any) -> Any:
    return ops.transpose(x, conjugate=True) if x.dtype.is_complex else ops.transpose(x)


def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Any:
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
    x = _sparse(sp_a)
    y = as_tensor(b, x.dtype)
    if adjoint_b:
        y = _adjoint(y)
    values = x.values
    rows, columns, height, width = x.indices[:, 0], x.indices[:, 1], x.dense_shape[0], x.dense_shape[1]
    if adjoint_a:
        rows, columns, height, width = columns, rows, width, height
        values = ops.Conj(values) if x.dtype.is_complex else values
    _check(ops.Equal(width, ops.shape(y, out_type=int64)[0]),
           "Cannot multiply A and B because inner dimension does not match.  Did you forget a transpose?")  # fmt: skip
    return ops.UnsortedSegmentSum(values[:, None] * ops.gather(y, columns), rows, height)


def sampled_addmm(
    indices: Any, values: Any, dense_shape: Any, mat1: Any, mat2: Any, beta: Any = 1.0, alpha: Any = 1.0,
    output_type: Any = float32,
) -> Any:  # fmt: skip
    """`alpha * (mat1 @ mat2)` at the places of a sparse matrix, plus `beta` times its values: indices, values, shape.

    >>> import graphrt as tf
    >>> _, found, _ = tf.sparse.sampled_addmm([[0, 1]], [1.], [2, 2], [[1., 2.]] * 2, [[3., 4.]] * 2)
    >>> found.numpy().tolist()
    [13.0]
    """
    at = as_tensor(indices)
    kind = as_dtype(output_type)
    one, two = ops.cast(as_tensor(mat1), kind), ops.cast(as_tensor(mat2), kind)
    rows = ops.gather(one, at[:, 0])
    columns = ops.gather(ops.transpose(two), at[:, 1])
    dots = ops.reduce_sum(rows * columns, 1)
    found = dots * as_tensor(alpha, kind) + ops.cast(as_tensor(values), kind) * as_tensor(beta, kind)
    return at, found, as_tensor(dense_shape)


# --- segments --------------------------------------------------------------------------------------------------------
def _segments(data: Any, indices: Any, segment_ids: Any, num_segments: Any, sparse_gradient: bool, op: str) -> Any:
    x: Any = as_tensor(data)
    at, ids = as_tensor(indices), as_tensor(segment_ids)
    rows = ops.shape(x, out_type=at.dtype)[0]
    inside = ops.LogicalAnd(ops.GreaterEqual(at, as_tensor(0, at.dtype)), ops.Less(at, rows))
    _check(ops.reduce_all(inside), "Bad: an index is out of range of the rows of data")
    _check(ops.reduce_all(ops.LessEqual(ids[:-1], ids[1:])), "segment ids are not increasing")
    if num_segments is None:
        count: Any = ops.concat([as_tensor([-1], ids.dtype), ids], 0)[-1] + as_tensor(1, ids.dtype)
    else:
        count = ops.cast(as_tensor(num_segments), ids.dtype)
        _check(ops.reduce_all(ops.Less(ids, count)), "segment ids must be < num_segments")
    total = ops.UnsortedSegmentSum(ops.gather(x, at), ids, count)
    if op == "sum":
        return total
    sizes = ops.UnsortedSegmentSum(ops.ones_like(ops.cast(ids, x.dtype)), ids, count)
    sizes = ops.Maximum(sizes, as_tensor(1, x.dtype))
    if op == "sqrt":
        sizes = ops.Sqrt(sizes)
    return total / ops.reshape(sizes, [-1, *[1] * (len(x.dims) - 1)])


def segment_sum(
    data: Any, indices: Any, segment_ids: Any, num_segments: Any = None, name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:  # fmt: skip
    """The sum of the rows `indices` of `data`, for each segment.

    >>> import graphrt as tf
    >>> tf.sparse.segment_sum([[1.], [2.], [3.]], [0, 2, 1], [0, 0, 1]).numpy().tolist()
    [[4.0], [2.0]]

    Raises:
      InvalidArgumentError: an index is out of range, or the segments are out of order.
    """
    return _segments(data, indices, segment_ids, num_segments, sparse_gradient, "sum")


def segment_mean(
    data: Any, indices: Any, segment_ids: Any, num_segments: Any = None, name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:  # fmt: skip
    """The mean of the rows `indices` of `data`, for each segment.

    >>> import graphrt as tf
    >>> tf.sparse.segment_mean([[1.], [2.], [3.]], [0, 2, 1], [0, 0, 1]).numpy().tolist()
    [[2.0], [2.0]]
    """
    return _segments(data, indices, segment_ids, num_segments, sparse_gradient, "mean")


def segment_sqrt_n(
    data: Any, indices: Any, segment_ids: Any, num_segments: Any = None, name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:  # fmt: skip
    """The sum of the rows `indices` of `data` over the square root of their number, for each segment.

    >>> import graphrt as tf
    >>> tf.sparse.segment_sqrt_n([[1.], [2.], [4.]], [0, 2, 1], [0, 1, 2]).numpy().tolist()
    [[1.0], [4.0], [2.0]]
    """
    return _segments(data, indices, segment_ids, num_segments, sparse_gradient, "sqrt")


def bincount(
    values: Any, weights: Any = None, axis: int | None = 0, minlength: int | None = None, maxlength: int | None = None,
    binary_output: bool = False, name: str | None = None,
) -> SparseTensor:  # fmt: skip
    """How often each integer occurs: in all of `values`, or (axis -1) in each row.

    >>> import graphrt as tf
    >>> tf.sparse.bincount([1, 1, 5]).values.numpy().tolist()
    [2, 1]

    Raises:
      ValueError: `axis` is neither 0 nor -1.
    """
    if axis not in (0, -1, None):
        raise ValueError(errors.at_user_line(f"Unsupported axis value {axis}. Only 0 and -1 are currently supported."))
    if isinstance(values, SparseTensor):
        flat, rows = values.values, values.indices[:, 0]
        height: Any = values.dense_shape[0]
        by_row = axis == -1
    elif hasattr(values, "value_rowids"):
        flat, rows, height = values.flat_values, values.value_rowids(), values.nrows()
        by_row = axis == -1
    else:
        x: Any = as_tensor(values)
        by_row = axis == -1 and len(x.dims) == 2
        flat = ops.reshape(x, [-1])
        height = ops.shape(x, out_type=int64)[0]
        rows = ops.repeat(ops.range(height, dtype=int64), ops.shape(x)[1]) if by_row else None
    flat = ops.cast(flat, int64)
    if weights is None:
        count: Any = ops.ones(ops.shape(flat), dtype=int32)
    else:
        given = getattr(weights, "flat_values", None)
        given = getattr(weights, "values", None) if given is None and not isinstance(weights, Tensor) else given
        count = ops.reshape(as_tensor(weights if given is None else given), [-1])
    if maxlength is not None:
        kept = ops.reshape(ops.where(ops.Less(flat, as_tensor(maxlength, int64))), [-1])
        flat, count = ops.gather(flat, kept), ops.gather(count, kept)
        rows = None if rows is None else ops.gather(rows, kept)
    least = 0 if isinstance(values, SparseTensor) else -1  # what is not there counts as 0
    width = ops.Max(ops.concat([as_tensor([least], int64), flat], 0), np.int32(0)) + np.int64(1)
    if minlength is not None:
        width = ops.Maximum(width, as_tensor(minlength, int64))
    if maxlength is not None:
        width = ops.Minimum(width, as_tensor(maxlength, int64))
    at = flat[:, None] if not by_row else ops.stack([ops.cast(rows, int64), flat], axis=1)
    shape = width[None] if not by_row else ops.stack([ops.cast(height, int64), width])
    places, ids = _groups(at, shape)
    total = ops.UnsortedSegmentSum(count, ids, ops.shape(places, out_type=int64)[0])
    return SparseTensor(places, ops.ones_like(total) if binary_output else total, shape)


# --- crosses ---------------------------------------------------------------------------------------------------------
def _feature_rows(value: Any) -> list[list[Any]]:
    if isinstance(value, SparseTensor):
        rows: list[list[Any]] = [[] for _ in builtins.range(int(value.dense_shape.numpy()[0]))]
        for (row, _), item in zip(value.indices.numpy().tolist(), value.values.numpy().tolist()):
            rows[row].append(item)
        return rows
    dense: Any = as_tensor(value)
    return list(dense.numpy().tolist())


def _crossed(inputs: Any, dtype: Any, glue: Callable[[Any], Any]) -> SparseTensor:
    if not isinstance(inputs, (list, tuple)):
        raise TypeError(errors.at_user_line("Inputs must be a list"))
    columns = [_feature_rows(v) for v in inputs]
    places, values = [], []
    for i, row in enumerate(zip(*columns)):
        for j, combination in enumerate(itertools.product(*row)):
            places.append([i, j])
            values.append(glue(combination))
    widest = max((p[1] + 1 for p in places), default=0)
    made = np.empty(len(values), object if dtype is string else np.int64)
    made[:] = values
    return SparseTensor(np.array(places, np.int64).reshape(-1, 2), made, [len(columns[0]), widest])


def cross(inputs: Any, name: str | None = None, separator: str | None = None) -> SparseTensor:
    """For each row all combinations of one element of each input, as strings joined with `_X_`.

    >>> import graphrt as tf
    >>> tf.sparse.cross([tf.constant([["a", "b"]]), tf.constant([["x"]])]).values.numpy().tolist()
    [b'a_X_x', b'b_X_x']
    """
    between = b"_X_" if separator is None else separator.encode()
    return _crossed(inputs, string, lambda c: between.join(v if isinstance(v, bytes) else str(v).encode() for v in c))


_CROSS_KEY = 0xDECAFCAFFE
_WORD = (1 << 64) - 1


def cross_hashed(
    inputs: Any, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """For each row all combinations of one element of each input, as numbers below `num_buckets` (0: 63-bit ones).

    >>> import graphrt as tf
    >>> pairs = [tf.constant([["a", "b"]]), tf.constant([["x"]])]
    >>> tf.sparse.cross_hashed(pairs, num_buckets=100).values.numpy().tolist()
    [92, 4]
    """
    key = _CROSS_KEY if hash_key is None else hash_key

    def glue(combination: Any) -> int:
        found = key
        for item in combination:
            number = ops.fingerprint64(item) if isinstance(item, bytes) else int(item) & _WORD
            found = ops.fingerprint_concat64(found, number)
        return int(found % (num_buckets if num_buckets > 0 else (1 << 63) - 1))

    return _crossed(inputs, int64, glue)
