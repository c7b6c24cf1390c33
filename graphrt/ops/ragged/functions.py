"""`tf.ragged`: functions that make ragged tensors, and a few that only make sense for them."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import provide
from graphrt.ops.array.concat_split import concat as concat_
from graphrt.ops.array.concat_split import stack as stack_
from graphrt.ops.array.creation import ones_like
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.array.repetition import repeat
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import ExpandDims, reshape
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.shape import size as size_
from graphrt.ops.array.slicing import boolean_mask as boolean_mask_
from graphrt.ops.array.sorting import argsort
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, GreaterEqual, Less
from graphrt.ops.math.logical import LogicalAnd
from graphrt.ops.math.reduction import reduce_all
from graphrt.ops.math.segments import UnsortedSegmentSum
from graphrt.ops.ragged.broadcasting import one_splits_dtype
from graphrt.ops.ragged.dispatch import concat, expand_dims
from graphrt.ops.ragged.kernels import RaggedRange
from graphrt.ops.ragged.tensor import RaggedTensor, positive_axis, ragged_of, require, splits_of_lengths
from graphrt.ops.sparse.crosses import CROSS_KEY, Combinations
from graphrt.ops.support.kernel_helpers import known_rank
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor, static_array
from graphrt.types import structure
from graphrt.types.dtype import DType, as_dtype, int32, int64, string
from graphrt.types.likes import Array, DTypeLike, TensorLike
from graphrt.types.nesting import bounded, shown, walkable

__all__ = [
    "boolean_mask", "constant", "cross", "cross_hashed", "map_flat_values", "range", "row_splits_to_segment_ids",
    "segment_ids_to_row_splits", "stack", "stack_dynamic_partitions",
]  # fmt: skip


# --- constants -------------------------------------------------------------------------------------------------------
def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _depths(value: Any) -> tuple[int | None, int]:
    """How deep the scalars stand (None: there are none), and how deep the deepest list is nested."""
    if not _is_list(value):
        return 0, 0
    scalar: int | None = None
    deepest = 1
    for item in value:
        inner, depth = _depths(item)
        if inner is not None:
            if scalar is not None and scalar != inner + 1:
                raise ValueError(errors.at_user_line("all scalar values must have the same nesting depth"))
            scalar = inner + 1
        deepest = max(deepest, depth + 1)
    return scalar, deepest


def _inner_shape(value: Any, depth: int) -> tuple[int, ...] | None:
    """The shape that all items at `depth` have; None when they differ."""
    found: set[tuple[int, ...]] = set()

    def walk(item: Any, level: int) -> None:
        if level == depth:
            found.add(np.shape(item) if not _is_list(item) or isinstance(item, np.ndarray) else _shape_of(item))
        else:
            for part in item:
                walk(part, level + 1)

    walk(value, 0)
    return found.pop() if len(found) == 1 else (() if not found else None)


def _shape_of(item: Any) -> tuple[int, ...]:
    if not _is_list(item):
        return ()
    inner = {_shape_of(v) for v in item}
    if len(inner) > 1:
        raise ValueError(errors.at_user_line("inner values have inconsistent shape"))
    return (len(item), *(inner.pop() if inner else ()))


@bounded
def constant(
    pylist: TensorLike, dtype: DTypeLike | None = None, ragged_rank: int | None = None,
    inner_shape: TensorLike | None = None, name: str | None = None, row_splits_dtype: DTypeLike = int64
) -> RaggedTensor | Any:  # fmt: skip
    """A ragged tensor of nested lists, which may have different lengths (a tensor of a list that is not nested).

    >>> import graphrt as tf
    >>> tf.ragged.constant([[1, 2], [], [3]])
    <tf.RaggedTensor [[1, 2], [], [3]]>

    Raises:
      ValueError: scalars stand at different depths, or the lists do not have `ragged_rank` or `inner_shape`.
    """
    kind = None if dtype is None else as_dtype(dtype)
    splits_kind = as_dtype(row_splits_dtype)
    ragged_rank = walkable(ragged_rank)
    if not _is_list(pylist):
        if ragged_rank:
            raise ValueError(
                errors.at_user_line(f"Invalid pylist={shown(pylist)}: incompatible with ragged_rank={ragged_rank}")
            )
        if inner_shape:
            raise ValueError(errors.at_user_line("Invalid pylist: incompatible with dim(inner_shape)"))
        return as_tensor(pylist, kind)
    scalars, depth = _depths(pylist)
    if scalars is not None and depth > scalars:
        raise ValueError(
            errors.at_user_line(f"Invalid pylist={pylist!r}: empty list nesting is greater than scalar value nesting")
        )
    if inner_shape is not None and ragged_rank is not None:
        wanted = ragged_rank + len(_dims_of(inner_shape)) + 1
        if wanted != (scalars if scalars is not None else depth) and scalars is not None:
            raise ValueError(
                errors.at_user_line(
                    f"Invalid pylist={shown(pylist)}: incompatible with ragged_rank={ragged_rank} and dim(inner_shape)="
                    f"{len(_dims_of(inner_shape))}"
                )
            )
    if inner_shape is None:
        if ragged_rank is None:
            inner: Any = ()
            ragged_rank = max(depth - 1, 0)
        else:
            if ragged_rank + 1 > depth:
                if scalars is not None:
                    raise ValueError(
                        errors.at_user_line(
                            f"Invalid pylist={pylist!r}: pylist has scalar values depth {scalars}, but ragged_rank="
                            f"{ragged_rank} requires scalar value depth greater than {ragged_rank}"
                        )
                    )
            inner = _inner_shape(pylist, ragged_rank + 1)
            if inner is None:
                raise ValueError(errors.at_user_line("inner values have inconsistent shape"))
    else:
        inner = _dims_of(inner_shape)
        if ragged_rank is None:
            ragged_rank = max(depth - 1 - len(inner), 0)
    nested: list[list[int]] = []
    values: Any = pylist
    for _ in builtins.range(ragged_rank):
        lengths = [len(v) for v in values]
        nested.append([0, *itertools.accumulate(lengths)])
        values = [item for row in values for item in row]
    flat: Any = as_tensor(list(values), kind) if len(values) else as_tensor(_empty(kind, (0, *inner)))
    if flat.dims[1:] != tuple(inner) and len(values):
        raise ValueError(errors.at_user_line(f"inner values have shape {flat.dims[1:]}, which is not {tuple(inner)}"))
    for edges in reversed(nested):
        flat = ragged_of(flat, as_tensor(np.array(edges, splits_kind.as_numpy_dtype)))
    return flat


def _dims_of(shape: Any) -> tuple[int, ...]:
    return tuple(int(d) for d in shape) if isinstance(shape, (list, tuple)) else (int(shape),)


def _empty(kind: DType | None, dims: tuple[int, ...]) -> Array:
    if kind is string:
        return np.empty(dims, object)
    return np.zeros(dims, np.float32 if kind is None else kind.as_numpy_dtype)


# --- ranges and stacks -----------------------------------------------------------------------------------------------
def range(
    starts: Any, limits: Any = None, deltas: Any = 1, dtype: DTypeLike | None = None, name: str | None = None,
    row_splits_dtype: DTypeLike = int64,
) -> RaggedTensor:  # fmt: skip
    """A row of numbers from `start` up to `limit`, in steps of `delta`, for each entry of the arguments.

    >>> import graphrt as tf
    >>> tf.ragged.range([3, 0, 2])
    <tf.RaggedTensor [[0, 1, 2], [], [0, 1]]>

    Raises:
      InvalidArgumentError: a step is 0, or the arguments have different lengths.
    """
    if limits is None:
        starts, limits = 0, starts
    parts = [as_tensor(v, None if dtype is None else as_dtype(dtype)) if not isinstance(v, Tensor) else v
             for v in (starts, limits, deltas)]  # fmt: skip
    if dtype is None:
        order = ["int32", "int64", "bfloat16", "float16", "float32", "float64"]
        common = max((p.dtype for p in parts), key=lambda t: order.index(t.name) if t.name in order else 0)
    else:
        common = as_dtype(dtype)
    parts = [cast(p, common) for p in parts]
    splits, values = RaggedRange(*parts, Tsplits=as_dtype(row_splits_dtype), name=name)
    return ragged_of(values, splits)


def stack(values: TensorLike, axis: int = 0, name: str | None = None) -> RaggedTensor | Any:
    """Tensors of one rank, which may have different shapes, as rows of a ragged tensor (or along another new axis).

    >>> import graphrt as tf
    >>> tf.ragged.stack([[1, 2], [3]])
    <tf.RaggedTensor [[1, 2], [3]]>

    Raises:
      ValueError: there are no values, or their ranks differ.
    """
    if isinstance(values, structure.Repeatable) and axis == 0:  # a list that grew in a staged loop
        return RaggedTensor.from_row_lengths(*values.in_a_row())
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise ValueError(errors.at_user_line("rt_inputs may not be empty."))
    parts = [_ragged_or_tensor(v) for v in values]
    one_splits_dtype(parts)
    ranks: set[Any] = {known_rank(p, "tf.ragged.stack") for p in parts}
    if len(ranks) > 1:
        raise ValueError(errors.at_user_line(f"all values must have the same rank, found {sorted(ranks)}"))
    rank = ranks.pop()
    place = positive_axis(axis, rank + 1)
    dense = not any(isinstance(p, RaggedTensor) for p in parts)
    if dense and (rank == 0 or (place == rank and rank == 1)):
        return stack_(parts, axis=place)
    if len(parts) == 1 and not dense:
        return expand_dims(parts[0], place)
    if dense:
        wide = [ExpandDims(p, np.int32(place)) for p in parts]
        kind = int32 if rank == 1 else int64
        parts = [RaggedTensor.from_tensor(w, ragged_rank=rank, row_splits_dtype=kind) for w in wide]
        return concat(parts, place)
    return concat([expand_dims(p, place) for p in parts], place)


def _ragged_or_tensor(value: TensorLike) -> RaggedTensor | Tensor:
    if isinstance(value, (RaggedTensor, Tensor)):
        return value
    if isinstance(value, (list, tuple)):
        return constant(value) if not any(isinstance(v, Tensor) for v in value) else as_tensor(value)
    return as_tensor(value)


# --- masks and maps --------------------------------------------------------------------------------------------------
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> RaggedTensor | Any:
    """The elements (rows, ...) for which `mask` is True; the outer dimensions stay, so the result is ragged.

    >>> import graphrt as tf
    >>> tf.ragged.boolean_mask([[1, 2, 3], [4, 5, 6]], [[True, False, True], [False, False, True]])
    <tf.RaggedTensor [[1, 3], [6]]>

    Raises:
      ValueError: `mask` is a scalar, or its rank is not known.
    """
    x = data if isinstance(data, RaggedTensor) else as_tensor(data)
    m = mask if isinstance(mask, RaggedTensor) else as_tensor(mask, "bool")
    if m.ndim is None:
        raise ValueError(errors.at_user_line("The rank of `mask` must be known statically."))
    if m.ndim == 0:
        raise ValueError(errors.at_user_line("mask cannot be scalar."))
    return _masked(x, m)


def _masked(x: Any, m: Any) -> RaggedTensor | Tensor:
    if m.ndim == 1 and not isinstance(m, RaggedTensor):
        if not isinstance(x, RaggedTensor):
            return boolean_mask_(x, m)
        return gather(x, reshape(where(m), [-1]))
    dtype = next((v.row_splits.dtype for v in (x, m) if isinstance(v, RaggedTensor)), int64)
    if not isinstance(m, RaggedTensor):
        m = RaggedTensor.from_tensor(m, row_splits_dtype=dtype)
    if not isinstance(x, RaggedTensor):
        x = RaggedTensor.from_tensor(x, row_splits_dtype=dtype)
    same = reduce_all(Equal(x.row_splits, m.row_splits)) if (x.row_splits.dims == m.row_splits.dims) else False
    require(same, errors.InvalidArgumentError, "Mask partition does not match data partition")
    kept = _masked(x.values, m.values)
    if m.ndim > 2:
        return x.with_values(kept)
    counts = UnsortedSegmentSum(cast(m.values, dtype), m.value_rowids(), m.nrows())
    return ragged_of(kept, splits_of_lengths(counts))


def map_flat_values(op: Callable[..., Any], *args: TensorLike, **kwargs: Any) -> RaggedTensor:
    """`op` applied to the flat values of the ragged tensors among the arguments, in the same partitions.

    >>> import graphrt as tf
    >>> tf.ragged.map_flat_values(tf.square, tf.ragged.constant([[1, 2], [3]]))
    <tf.RaggedTensor [[1, 4], [9]]>

    Raises:
      ValueError: `op` changes the number of values.
      InvalidArgumentError: the partitions differ.
    """
    found: list[RaggedTensor] = []

    def flat(value: RaggedTensor | int) -> Tensor | int:
        if isinstance(value, RaggedTensor):
            found.append(value)
            return value.flat_values
        return value

    plain = structure.map_structure(flat, list(args))
    named = {k: structure.map_structure(flat, v) for k, v in kwargs.items()}
    if not found:
        return op(*plain, **named)
    one_splits_dtype(list(found))
    first = found[0]
    for other in found[1:]:
        for a, b in zip(first.nested_row_splits, other.nested_row_splits):
            if a is not b:  # as many, and then the same: one would be compared with all
                require(
                    Equal(size_(a), size_(b)), errors.InvalidArgumentError, "partitions have incompatible row splits"
                )
                require(reduce_all(Equal(a, b)), errors.InvalidArgumentError, "partitions have incompatible row splits")
    result = op(*plain, **named)
    if not isinstance(result, RaggedTensor):
        result = as_tensor(result)
        before, after = first.flat_values.dims, result.dims
        if before and (after == () or (after and before[0] is not None and after[0] not in (None, before[0]))):
            raise ValueError(
                errors.at_user_line(
                    "tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension size as "
                    "flat_values of any ragged inputs."
                )
            )
    return first.with_flat_values(result)


# --- partitions ------------------------------------------------------------------------------------------------------
def row_splits_to_segment_ids(splits: TensorLike, name: str | None = None, out_type: DTypeLike | None = None) -> Tensor:
    """For each value of rows with these splits the number of its row.

    >>> import graphrt as tf
    >>> tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5]).numpy().tolist()
    [0, 0, 0, 2, 2]

    Raises:
      ValueError: the splits are empty, or no integers.
    """
    edges = as_tensor(splits, None if isinstance(splits, Tensor) else int64)
    if edges.dtype not in (int32, int64):
        raise ValueError(errors.at_user_line("splits must have dtype int32 or int64"))
    if edges.dims == (0,):
        raise ValueError(errors.at_user_line("Invalid row_splits: []"))
    ids = repeat(range_(shape_(edges, out_type=edges.dtype)[0] - 1, dtype=edges.dtype), edges[1:] - edges[:-1])
    return ids if out_type is None else cast(ids, as_dtype(out_type))


def segment_ids_to_row_splits(
    segment_ids: TensorLike, num_segments: Any = None, out_type: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Row splits of rows whose values have these row numbers, in order.

    >>> import graphrt as tf
    >>> tf.ragged.segment_ids_to_row_splits([0, 0, 0, 2, 2]).numpy().tolist()
    [0, 3, 3, 5]
    """
    given = isinstance(segment_ids, (Tensor, np.ndarray))
    ids = as_tensor(segment_ids, None if given else int64)
    if ids.dtype not in (int32, int64):
        raise ValueError(errors.at_user_line("segment_ids must have dtype int32 or int64"))
    made = RaggedTensor.from_value_rowids(ids, ids, num_segments, validate=False)
    return made.row_splits if out_type is None else cast(made.row_splits, as_dtype(out_type))


@provide
def stack_dynamic_partitions(
    data: TensorLike, partitions: TensorLike, num_partitions: TensorLike, name: str | None = None
) -> RaggedTensor:
    """The elements of `data` by the partition that each belongs to, as the rows of a ragged tensor.

    >>> import graphrt as tf
    >>> tf.ragged.stack_dynamic_partitions(["a", "b", "c"], [1, 0, 1], 2)
    <tf.RaggedTensor [[b'b'], [b'a', b'c']]>

    Raises:
      ValueError: `partitions` is a scalar, or has more ragged dimensions than `data`.
      InvalidArgumentError: a partition is out of range, or rows of `data` and `partitions` differ in length.
    """
    places: Any = partitions if isinstance(partitions, RaggedTensor) else as_tensor(partitions)
    x = data if isinstance(data, RaggedTensor) else as_tensor(data)
    if isinstance(places, RaggedTensor):
        if not isinstance(x, RaggedTensor):
            x = RaggedTensor.from_tensor(x, ragged_rank=places.ragged_rank)
        if places.ragged_rank > x.ragged_rank:
            raise ValueError(errors.at_user_line(f"Shapes {places.shape} and {x.shape} are incompatible"))
        while isinstance(places, RaggedTensor):  # rows of `data` that lie deeper stay together
            same = reduce_all(Equal(cast(x.row_splits, int64), cast(places.row_splits, int64)))
            require(same, errors.InvalidArgumentError, "data and partitions have incompatible ragged shapes")
            x, places = x.values, places.values
        return stack_dynamic_partitions(x, places, num_partitions)
    rank = len(places.dims)
    if rank == 0:
        raise ValueError(errors.at_user_line("partitions must have rank at least 1"))
    if rank > 1:
        return stack_dynamic_partitions(
            reshape(x, concat_([[-1], shape_(x)[rank:]], 0)), reshape(places, [-1]), num_partitions
        )
    count = cast(as_tensor(num_partitions), places.dtype)
    inside = LogicalAnd(GreaterEqual(places, as_tensor(0, places.dtype)), Less(places, count))
    require(reduce_all(inside), errors.InvalidArgumentError, "partitions must be in the range [0, num_partitions)")
    order = argsort(places, stable=True)
    return RaggedTensor.from_value_rowids(gather(x, order), gather(places, order), count, validate=False)


@provide
def bincount_splits(rows: TensorLike, count: TensorLike) -> Tensor:
    """Row splits of `count` rows, from the row of each value."""
    return splits_of_lengths(UnsortedSegmentSum(ones_like(rows), rows, count))


@provide
def ragged_rows(x: TensorLike, rows: Callable[..., Any]) -> Any:
    """What `rows` makes of each element of `x`: for a vector of elements it gives `(values, row splits)`.

    A scalar gives the values of its row, everything else a ragged tensor with one dimension more than `x`.

    Raises:
      ValueError: the rank is not known.
    """
    return ragged_rows_of_several(x, lambda flat: [rows(flat)])[0]


@provide
def ragged_rows_of_several(x: TensorLike, rows: Callable[..., Any]) -> list[Any]:
    """As `ragged_rows`, for functions that give several pairs of values and splits."""
    if isinstance(x, RaggedTensor):
        return [x.with_flat_values(r) for r in ragged_rows_of_several(x.flat_values, rows)]
    tensor: Any = as_tensor(x, string if not isinstance(x, Tensor) else None)
    if tensor.dims is None:
        raise ValueError(errors.at_user_line("the rank of the input must be known"))
    rank = len(tensor.dims)
    if rank == 0:
        return [values for values, _ in rows(ExpandDims(tensor, np.int32(0)))]
    if rank == 1:
        return [RaggedTensor.from_row_splits(values, splits, validate=False) for values, splits in rows(tensor)]
    outer = RaggedTensor.from_tensor(tensor, ragged_rank=rank - 1)
    return [outer.with_flat_values(r) for r in ragged_rows_of_several(outer.flat_values, rows)]


# --- crosses ---------------------------------------------------------------------------------------------------------
def _rows_of(value: Any) -> list[list[Any]]:
    if isinstance(value, RaggedTensor):
        if value.ragged_rank != 1 or value.ndim != 2:
            raise ValueError(errors.at_user_line("tf.ragged.cross only supports inputs with rank=2."))
        rows = value.to_list()
    elif hasattr(value, "dense_shape"):
        rows = [[] for _ in builtins.range(int(value.dense_shape.numpy()[0]))]
        for (row, _), item in zip(value.indices.numpy().tolist(), value.values.numpy().tolist()):
            rows[row].append(item)
    else:
        tensor: Any = as_tensor(value)
        if len(tensor.dims) != 2:
            raise ValueError(errors.at_user_line("tf.ragged.cross only supports inputs with rank=2."))
        rows = tensor.numpy().tolist()
    return rows


def _combinations(inputs: Any) -> Combinations:
    _check_known(inputs)
    return Combinations([_rows_of(v) for v in inputs])


def _crossed(found: Combinations, values: Array) -> RaggedTensor:
    return RaggedTensor.from_row_splits(values, np.append(0, found.counts.cumsum()), validate=False)


def _check_known(inputs: Any) -> None:
    for value in inputs:
        for part in value.components() if isinstance(value, structure.Composite) else (value,):
            if isinstance(part, Tensor) and not isinstance(part, EagerTensor) and static_array(part) is None:
                raise ValueError(
                    errors.at_user_line("tf.ragged.cross needs values that are known: call it outside of functions")
                )


def cross(inputs: TensorLike, name: str | None = None) -> RaggedTensor:
    """For each row all combinations of one element of each input, as strings joined with `_X_`.

    >>> import graphrt as tf
    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), tf.ragged.constant([["d"], ["e"]])])
    <tf.RaggedTensor [[b'a_X_d'], [b'b_X_e', b'c_X_e']]>

    Raises:
      ValueError: an input is no matrix.
      InvalidArgumentError: the inputs have different numbers of rows.
    """
    found = _combinations(inputs)
    return _crossed(found, found.texts(b"_X_"))


def cross_hashed(
    inputs: TensorLike, num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """For each row all combinations of one element of each input, as numbers below `num_buckets` (0: 64-bit ones).

    >>> import graphrt as tf
    >>> rows = [tf.ragged.constant([["a"], ["b", "c"]]), tf.ragged.constant([["d"], ["e"]])]
    >>> tf.ragged.cross_hashed(rows, num_buckets=10)
    <tf.RaggedTensor [[2], [1, 1]]>

    Raises:
      ValueError: an input is no matrix.
      InvalidArgumentError: the inputs have different numbers of rows.
    """
    found = _combinations(inputs)
    return _crossed(found, found.hashes(CROSS_KEY if hash_key is None else hash_key, num_buckets))
