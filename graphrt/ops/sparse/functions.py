"""`tf.sparse`: functions of sparse tensors, put together from ops on their indices and values."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.ops.array.concat_split import concat as concat_
from graphrt.ops.array.concat_split import stack
from graphrt.ops.array.creation import fill, ones_like, zeros_like
from graphrt.ops.array.creation import ones as ones_
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.creation import zeros as zeros_
from graphrt.ops.array.gather_scatter import GatherNd, gather, scatter_nd, whole
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import reshape as reshape_
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.sorting import argsort
from graphrt.ops.io.printing import assert_that
from graphrt.ops.math.arithmetic import Maximum, Minimum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from graphrt.ops.math.cumulative import Cumprod
from graphrt.ops.math.division import FloorDiv, FloorMod
from graphrt.ops.math.elementwise import Abs
from graphrt.ops.math.logical import LogicalAnd, LogicalNot
from graphrt.ops.math.reduction import All, Any_, Max, reduce_all, reduce_prod
from graphrt.ops.math.segments import UnsortedSegmentSum
from graphrt.ops.sparse.sets import SparseToDense
from graphrt.ops.sparse.tensor import SparseTensor, linear
from graphrt.ops.support.shape_rules import as_tensor, known
from graphrt.tensor.tensor import EagerTensor, Tensor, static_array
from graphrt.types.dtype import as_dtype, bool_, float32, int32, int64, string
from graphrt.types.likes import DTypeLike, ShapeLike, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.shape import compatible

if TYPE_CHECKING:
    from graphrt.ops.array.indexed_slices import IndexedSlices

__all__ = [
    "concat", "expand_dims", "eye", "fill_empty_rows", "from_dense", "mask", "reorder", "reset_shape", "reshape",
    "retain", "slice", "split", "to_dense", "to_indicator", "transpose",
]  # fmt: skip


def as_sparse(value: Any) -> SparseTensor:
    if isinstance(value, SparseTensor):
        return value
    if all(hasattr(value, part) for part in ("indices", "values", "dense_shape")) and not isinstance(value, Tensor):
        return SparseTensor.from_value(value)
    raise TypeError(errors.at_user_line(f"Input must be a SparseTensor, found {shown(value)}"))


def assert_holds(condition: TensorLike, message: str) -> None:
    """InvalidArgumentError when the condition does not hold; a recorded assertion where that is not known yet."""
    if isinstance(condition, Tensor) and not isinstance(condition, EagerTensor):
        assert_that(condition, [message])
    elif not bool(condition):
        raise errors.InvalidArgumentError(None, None, errors.at_user_line(message))


# --- to and from tensors ---------------------------------------------------------------------------------------------
def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """The elements of a tensor that are not 0 (False, empty).

    >>> import graphrt as tf
    >>> tf.sparse.from_dense([[1, 0], [0, 2]]).indices.numpy().tolist()
    [[0, 0], [1, 1]]
    """
    x = as_tensor(tensor)
    zero = as_tensor(b"" if x.dtype is string else False if x.dtype.is_bool else 0, x.dtype)
    places = where(NotEqual(x, zero))
    if x.dims is not None and not isinstance(places, EagerTensor):
        places.set_shape([None, len(x.dims)])
    return SparseTensor(places, GatherNd(x, places), shape_(x, out_type=int64))


def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """The whole tensor, with `default_value` where nothing stands.

    >>> import graphrt as tf
    >>> tf.sparse.to_dense(tf.SparseTensor([[0, 1]], [5], [1, 3])).numpy().tolist()
    [[0, 5, 0]]

    Raises:
      InvalidArgumentError: an index is out of range; with `validate_indices`, or out of order.
    """
    x = as_sparse(sp_input)
    if default_value is None:
        default_value = b"" if x.dtype is string else False if x.dtype.is_bool else 0
    return SparseToDense(
        x.indices, x.dense_shape, x.values, as_tensor(default_value, x.dtype), validate_indices=validate_indices,
        name=name,
    )  # fmt: skip


def to_indicator(sp_input: TensorLike, vocab_size: int, name: str | None = None) -> Tensor:
    """Ids as booleans: the last dimension becomes one of `vocab_size`, True at the ids that occur.

    >>> import graphrt as tf
    >>> tf.sparse.to_indicator(tf.SparseTensor([[0, 0], [1, 0]], [2, 0], [2, 1]), 3).numpy().tolist()
    [[False, False, True], [True, False, False]]
    """
    x = as_sparse(sp_input)
    at = concat_([x.indices[:, :-1], cast(x.values, int64)[:, None]], 1)
    shape = concat_([x.dense_shape[:-1], as_tensor([vocab_size], int64)], 0)
    counts = scatter_nd(at, ones_(shape_(x.values), dtype=int32), shape)
    return Greater(counts, as_tensor(0, int32))


def eye(
    num_rows: int, num_columns: int | None = None, dtype: DTypeLike = float32, name: str | None = None
) -> SparseTensor:
    """The identity matrix.

    >>> import graphrt as tf
    >>> tf.sparse.to_dense(tf.sparse.eye(2)).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    width = num_rows if num_columns is None else num_columns
    for size in (num_rows, width):
        if isinstance(size, int) and size < 0:
            raise errors.ShapeError(errors.at_user_line(f"a matrix has no {size} rows or columns"))
    places = range_(Minimum(as_tensor(num_rows, int64), as_tensor(width, int64)), dtype=int64)
    ones = ones_(shape_(places), dtype=as_dtype(dtype))
    shape = stack([as_tensor(num_rows, int64), as_tensor(width, int64)])
    return SparseTensor(stack([places, places], axis=1), ones, shape)


# --- order and shape -------------------------------------------------------------------------------------------------
def reorder(sp_input: TensorLike, name: str | None = None) -> SparseTensor:
    """The same elements in the order of their places.

    >>> import graphrt as tf
    >>> tf.sparse.reorder(tf.SparseTensor([[1, 0], [0, 1]], [5, 6], [2, 2])).values.numpy().tolist()
    [6, 5]
    """
    x = as_sparse(sp_input)
    order = argsort(linear(x.indices, x.dense_shape), stable=True)
    return SparseTensor(gather(x.indices, order), gather(whole(x.values), order), x.dense_shape)


def expand_dims(sp_input: Any, axis: int | None = None, name: str | None = None) -> SparseTensor:
    """A dimension of size 1 more, at `axis` (at the end when None).

    >>> import graphrt as tf
    >>> tf.sparse.expand_dims(tf.SparseTensor([[1]], [5], [3]), 0).shape
    TensorShape([1, 3])
    """
    x = as_sparse(sp_input)
    rank = rank_of(x)
    at = -1 if axis is None else axis
    if not -rank - 1 <= at <= rank:
        raise ValueError(errors.at_user_line(f"axis {at} is out of range [{-rank - 1}, {rank}]"))
    at += rank + 1 if at < 0 else 0
    zeros = zeros_like(x.indices[:, :1])
    places = concat_([x.indices[:, :at], zeros, x.indices[:, at:]], 1)
    return SparseTensor(places, x.values, concat_([x.dense_shape[:at], [np.int64(1)], x.dense_shape[at:]], 0))


def rank_of(x: SparseTensor) -> int:
    dims = x.dims
    if dims is None:
        raise ValueError(errors.at_user_line("the rank of the sparse tensor must be known"))
    return len(dims)


def reshape(sp_input: Any, shape: ShapeLike, name: str | None = None) -> SparseTensor:
    """The same elements, in order, in another shape; one dimension may be -1.

    >>> import graphrt as tf
    >>> tf.sparse.reshape(tf.SparseTensor([[1, 0]], [5], [2, 3]), [3, -1]).indices.numpy().tolist()
    [[1, 1]]

    Raises:
      InvalidArgumentError: the shape has another number of elements.
    """
    x = as_sparse(sp_input)
    wanted = cast(as_tensor(shape), int64)
    total = reduce_prod(x.dense_shape)
    known = static_array(wanted)
    if known is None or (known == -1).any():
        rest = reduce_prod(Abs(wanted))
        missing = total // Maximum(rest, as_tensor(1, int64))
        wanted = where(Equal(wanted, as_tensor(-1, int64)), missing, wanted)
    message = "Input to reshape is a sparse tensor whose number of dense values is not that of the requested shape"
    assert_holds(Equal(reduce_prod(wanted), total), message)
    flat = linear(x.indices, x.dense_shape)
    strides = Cumprod(wanted, np.int32(0), exclusive=True, reverse=True)
    one = as_tensor(1, int64)  # of a size of 0 there are no places
    places = FloorMod(FloorDiv(flat[:, None], Maximum(strides, one)), Maximum(wanted, one))
    return SparseTensor(places, x.values, wanted)


def transpose(sp_input: Any, perm: TensorLike | None = None, name: str | None = None) -> SparseTensor:
    """The dimensions in another order (the reverse when None).

    >>> import graphrt as tf
    >>> tf.sparse.transpose(tf.SparseTensor([[0, 2]], [5], [2, 3])).indices.numpy().tolist()
    [[2, 0]]
    """
    x = as_sparse(sp_input)
    order = list(builtins.range(rank_of(x)))[::-1] if perm is None else perm
    places = gather(x.indices, order, axis=1)
    return reorder(SparseTensor(places, x.values, gather(x.dense_shape, order)))


def reset_shape(sp_input: TensorLike, new_shape: ShapeLike = None) -> SparseTensor:
    """The same elements in a larger shape, or in the smallest that holds them.

    >>> import graphrt as tf
    >>> tf.sparse.reset_shape(tf.SparseTensor([[0, 0]], [1], [3, 4])).shape
    TensorShape([1, 1])

    Raises:
      ValueError: the shape is smaller, or of another rank.
    """
    x = as_sparse(sp_input)
    if new_shape is None:
        highest = Max(concat_([x.indices, zeros_like(x.dense_shape)[None] - np.int64(1)], 0), np.int32(0))
        return SparseTensor(x.indices, x.values, highest + np.int64(1))
    wanted = cast(as_tensor(new_shape), int64)
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
        assert_holds(reduce_all(LessEqual(x.dense_shape, wanted)), "new_shape is smaller than the shape")
    return SparseTensor(x.indices, x.values, wanted)


# --- parts -----------------------------------------------------------------------------------------------------------
def retain(sp_input: TensorLike, to_retain: TensorLike) -> SparseTensor:
    """The elements for which `to_retain` is True.

    >>> import graphrt as tf
    >>> tf.sparse.retain(tf.SparseTensor([[0], [2]], [5, 6], [3]), [False, True]).values.numpy().tolist()
    [6]
    """
    x = as_sparse(sp_input)
    kept = as_tensor(to_retain, bool_)
    if kept.dims and x.values.dims and not compatible(kept.dims[:1], x.values.dims):
        raise errors.ShapeError(
            errors.at_user_line(f"to_retain has {kept.dims[0]} elements, the sparse tensor {x.values.dims[0]}")
        )
    chosen = reshape_(where(kept), [-1])
    return SparseTensor(gather(x.indices, chosen), gather(x.values, chosen), x.dense_shape)


def slice(sp_input: TensorLike, start: TensorLike, size: TensorLike, name: str | None = None) -> SparseTensor:
    """The part that begins at `start` and has `size`, or less at the end.

    >>> import graphrt as tf
    >>> tf.sparse.slice(tf.SparseTensor([[0, 2], [1, 0]], [5, 6], [2, 3]), [0, 1], [2, 2]).indices.numpy().tolist()
    [[0, 1]]
    """
    x = as_sparse(sp_input)
    begin = cast(as_tensor(start), int64)
    extent = Maximum(Minimum(cast(as_tensor(size), int64), x.dense_shape - begin), as_tensor(0, int64))
    places = x.indices - begin
    inside = LogicalAnd(GreaterEqual(places, as_tensor(0, int64)), Less(places, extent))
    return retain(SparseTensor(places, x.values, extent), All(inside, np.int32(1)))


def split(
    sp_input: TensorLike | None = None, num_split: int | None = None, axis: int | None = None, name: str | None = None
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
    x = as_sparse(sp_input)
    rank, count = rank_of(x), int(num_split or 0)
    place = int(known(as_tensor(axis), "axis"))
    if not -rank <= place < rank:
        raise errors.InvalidArgumentError(None, None, errors.at_user_line(f"axis {place} is not in [{-rank}, {rank})"))
    place %= rank
    length = x.dense_shape[place]
    assert_holds(GreaterEqual(length, as_tensor(max(count, 1), int64)) if count > 0 else False,
           f"Input num_split should be between 1 and the splitting dimension size, got {count}")  # fmt: skip
    each, more = length // np.int64(count), FloorMod(length, as_tensor(count, int64))
    out = []
    begin: Any = as_tensor(0, int64)
    for i in builtins.range(count):
        size = each + cast(Less(as_tensor(i, int64), more), int64)
        lead = zeros_like(x.dense_shape)
        starts = concat_([lead[:place], begin[None], lead[place + 1 :]], 0)
        sizes = concat_([x.dense_shape[:place], size[None], x.dense_shape[place + 1 :]], 0)
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
    parts = [as_sparse(s) for s in sp_inputs]
    if not parts:
        raise ValueError(errors.at_user_line("sparse.concat needs at least one sparse tensor"))
    if len(parts) == 1:
        return parts[0]
    rank = rank_of(parts[0])
    if not -rank <= axis < rank:
        raise errors.InvalidArgumentError(
            None, None, errors.at_user_line(f"Concat dimension must be in range [{-rank}, {rank}), got {axis}")
        )
    place = axis % rank
    shapes = stack([p.dense_shape for p in parts])
    widest = Max(shapes, np.int32(0))
    if not expand_nonconcat_dims:
        same = Equal(shapes, widest)
        others = concat_([same[:, :place], same[:, place + 1 :]], 1)
        assert_holds(reduce_all(others), "Input shapes must match in all dimensions but the one of concat")
    places, offset = [], as_tensor(0, int64)
    for p in parts:
        moved = p.indices[:, place : place + 1] + offset
        places.append(concat_([p.indices[:, :place], moved, p.indices[:, place + 1 :]], 1))
        offset = offset + p.dense_shape[place]
    shape = concat_([widest[:place], offset[None], widest[place + 1 :]], 0)
    return reorder(SparseTensor(concat_(places, 0), concat_([p.values for p in parts], 0), shape))


def fill_empty_rows(
    sp_input: TensorLike, default_value: TensorLike, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """A matrix without empty rows (they get `default_value` in column 0), and which rows were empty.

    >>> import graphrt as tf
    >>> filled, empty = tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 0]], [5], [2, 2]), 9)
    >>> filled.values.numpy().tolist(), empty.numpy().tolist()
    ([9, 5], [True, False])
    """
    x = as_sparse(sp_input)
    default = as_tensor(default_value, x.dtype)
    rows = x.dense_shape[0]
    counts = UnsortedSegmentSum(ones_like(x.indices[:, 0]), x.indices[:, 0], rows)
    empty = Equal(counts, as_tensor(0, int64))
    missing = where(empty)
    others = zeros_(stack([shape_(missing)[0], shape_(x.indices)[1] - 1]), dtype=int64)
    at = concat_([missing, others], 1)
    values = concat_([x.values, fill(shape_(missing)[:1], default)], 0)
    return reorder(SparseTensor(concat_([x.indices, at], 0), values, x.dense_shape)), empty


def mask(a: IndexedSlices, mask_indices: TensorLike, name: str | None = None) -> IndexedSlices:
    """`IndexedSlices` without the slices at `mask_indices`.

    >>> import graphrt as tf
    >>> rows = tf.IndexedSlices(tf.constant([[1.], [2.]]), tf.constant([3, 5]))
    >>> tf.sparse.mask(rows, [5]).indices.numpy().tolist()
    [3]
    """
    if not hasattr(a, "indices"):
        raise errors.unexpected(a, "a", "a tf.IndexedSlices")
    hidden = as_tensor(mask_indices, a.indices.dtype)
    kept = LogicalNot(Any_(Equal(a.indices[:, None], hidden[None, :]), np.int32(1)))
    chosen = reshape_(where(kept), [-1])
    return type(a)(gather(a.values, chosen), gather(a.indices, chosen), a.dense_shape)
