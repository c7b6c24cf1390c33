"""Counting: histograms, confusion matrices, and whether a sequence is in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define, provide
from graphrt.ops.array.concat_split import stack
from graphrt.ops.array.creation import ones_like
from graphrt.ops.array.gather_scatter import scatter_nd
from graphrt.ops.array.shape import Reshape, Squeeze
from graphrt.ops.array.shape import size as size_
from graphrt.ops.io.printing import AssertOp
from graphrt.ops.math.arithmetic import Maximum, Minimum, clip_by_value
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Greater, GreaterEqual, Less
from graphrt.ops.math.elementwise import Floor
from graphrt.ops.math.logical import LogicalNot
from graphrt.ops.math.reduction import reduce_all, reduce_any, reduce_max
from graphrt.ops.support.shape_rules import as_tensor, require_size
from graphrt.tensor.context import scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types import dtype as dtypes
from graphrt.types.accumulate import combine_at
from graphrt.types.dtype import INDEX, DType, as_dtype
from graphrt.types.likes import Array, AxisLike, DTypeLike
from graphrt.types.shape import Dims
from graphrt.types.structure import Composite

__all__ = [
    "bincount", "confusion_matrix", "histogram_fixed_width", "histogram_fixed_width_bins", "is_non_decreasing",
    "is_strictly_increasing",
]  # fmt: skip

_COUNTED = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


# --- bincount --------------------------------------------------------------------------------------------------------
def _dense_bincount_dims(c: InferContext) -> Dims:
    dims, size = c.dims(0), c.const(1)
    if dims is None:
        return None
    if len(dims) > 2:
        raise ShapeError(f"Shape must be at most rank 2 but is rank {len(dims)}")
    last = None if size is None else int(size)
    return (last,) if len(dims) < 2 else (dims[0], last)


def _dense_bincount(input: Array, size: Array, weights: Array, *, binary_output: bool) -> Array:
    count, values = int(size), np.asarray(input)
    if count < 0:
        raise errors.InvalidArgumentError(None, None, f"size ({count}) must be non-negative")
    if np.size(weights) and np.shape(weights) != values.shape:
        raise errors.InvalidArgumentError(
            None,
            None,
            "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as "
            f"all weights equal to 1. Received {list(np.shape(weights))}",
        )
    if values.size and values.min() < 0:
        raise errors.InvalidArgumentError(None, None, "Input arr must be non-negative!")
    rows = values.reshape(1, -1) if values.ndim < 2 else values
    given = np.reshape(weights, rows.shape) if np.size(weights) and not binary_output else None
    out = np.zeros((rows.shape[0], count), weights.dtype)
    kept = rows < count
    places = np.broadcast_to(np.arange(rows.shape[0])[:, None], rows.shape)[kept]
    if binary_output:
        out[places, rows[kept]] = 1
    else:
        combine_at(np.add, out, (places, rows[kept]), 1 if given is None else given[kept])
    return out[0] if values.ndim < 2 else out


def _length(size: Any) -> Dims:
    return (None if size is None else int(size),)


DenseBincount = define(
    "DenseBincount", "input: Tidx, size: Tidx[0], weights: T -> output: T", attrs="binary_output: bool = False",
    allowed={"Tidx": INDEX, "T": _COUNTED}, infer=_dense_bincount_dims, kernel=_dense_bincount,
    vjp=lambda c, g: [None, None, None],
)  # fmt: skip
Bincount = define(
    "Bincount", "arr: int32, size: int32[0], weights: T -> bins: T", allowed={"T": _COUNTED},
    infer=lambda c: _length(c.const(1)),
    kernel=lambda arr, size, weights: _dense_bincount(
        np.reshape(arr, -1), size, np.reshape(weights, -1), binary_output=False
    ),
    vjp=lambda c, g: [None, None, None],
)  # fmt: skip


def _counted_in_rows(rows: Array, count: int, values: Array, size: Array, weights: Array, binary: bool) -> Array:
    """Of each of `count` rows how often each integer below `size` occurs; `rows` says in which row a value stands."""
    wanted = int(size)
    if wanted < 0:
        raise errors.InvalidArgumentError(None, None, f"size ({wanted}) must be non-negative")
    if np.size(weights) and np.size(weights) != np.size(values):
        raise errors.InvalidArgumentError(
            None, None, f"there are {np.size(weights)} weights for {np.size(values)} values; expected none, or one each"
        )
    values = np.reshape(values, -1)
    if values.size and values.min() < 0:
        raise errors.InvalidArgumentError(None, None, "Input must be non-negative")
    out = np.zeros((count, wanted), weights.dtype)
    kept = values < wanted
    if binary:
        out[rows[kept], values[kept]] = 1
    else:
        combine_at(np.add, out, (rows[kept], values[kept]), np.reshape(weights, -1)[kept] if np.size(weights) else 1)
    return out


def _ragged_bincount(splits: Array, values: Array, size: Array, weights: Array, *, binary_output: bool) -> Array:
    ends = np.reshape(splits, -1)
    if not ends.size:
        raise errors.InvalidArgumentError(None, None, "Splits must be non-empty")
    if ends[0] != 0:
        raise errors.InvalidArgumentError(None, None, f"Splits must start with 0, not with {ends[0]}")
    if ends[-1] != np.size(values):
        raise errors.InvalidArgumentError(
            None, None, f"Splits must end with the number of values, got {ends[-1]} instead of {np.size(values)}"
        )
    lengths = np.diff(ends)
    if (lengths < 0).any():
        raise errors.InvalidArgumentError(None, None, f"Splits must not decrease, got {ends.tolist()}")
    rows = np.repeat(np.arange(lengths.size), lengths)
    return _counted_in_rows(rows, lengths.size, values, size, weights, binary_output)


def _sparse_bincount(
    indices: Array, values: Array, dense_shape: Array, size: Array, weights: Array, *, binary_output: bool
) -> Array:
    rank = np.size(dense_shape)
    if len(indices) != np.size(values):
        raise errors.InvalidArgumentError(
            None, None, f"Number of elements in indices ({len(indices)}) and values ({np.size(values)}) do not match"
        )
    if indices.shape[1] != rank:
        raise errors.InvalidArgumentError(
            None, None, f"Index rank ({indices.shape[1]}) and shape rank ({rank}) do not match"
        )
    outside = ((indices < 0) | (indices >= dense_shape)).any(1)
    if outside.any():
        at = int(outside.argmax())
        raise errors.InvalidArgumentError(
            None, None, f"Sparse index tuple indices[{at}, :] = {indices[at].tolist()} is out of bounds"
        )
    is_flat = rank < 2
    rows = np.zeros(len(indices), np.int64) if is_flat else indices[:, 0]
    found = _counted_in_rows(rows, 1 if is_flat else int(dense_shape[0]), values, size, weights, binary_output)
    return found[0] if is_flat else found


def _sparse_bincount_dims(c: InferContext) -> Dims:
    shape, size = c.const(2), c.const(3)
    rank = c.dims(2)
    if shape is None and (rank is None or rank[0] is None):
        return None
    last = None if size is None else int(size)
    if rank is not None and rank[0] == 1:
        return (last,)
    return (None if shape is None else int(shape[0]), last)


def _ragged_bincount_dims(c: InferContext) -> Dims:
    splits, size = c.dims(0), c.const(2)
    count = None if not splits or splits[0] is None else max(splits[0] - 1, 0)
    return (count, None if size is None else int(size))


RaggedBincount = define(
    "RaggedBincount", "splits: int64, values: Tidx, size: Tidx, weights: T -> output: T",
    attrs="binary_output: bool = False", allowed={"Tidx": INDEX, "T": _COUNTED}, infer=_ragged_bincount_dims,
    kernel=_ragged_bincount, vjp=lambda c, g: [None, None, None, None],
)  # fmt: skip
SparseBincount = define(
    "SparseBincount", "indices: int64, values: Tidx, dense_shape: int64[1], size: Tidx, weights: T -> output: T",
    attrs="binary_output: bool = False", allowed={"Tidx": INDEX, "T": _COUNTED}, infer=_sparse_bincount_dims,
    kernel=_sparse_bincount, vjp=lambda c, g: [None, None, None, None, None],
)  # fmt: skip


@provide
def bincount(
    arr: TensorLike, weights: TensorLike | None = None, minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None, dtype: DTypeLike | None = dtypes.int32, name: str | None = None,
    axis: AxisLike = None, binary_output: bool = False
) -> Tensor:  # fmt: skip
    """How often each integer from 0 on occurs in `arr`, or the sum of its `weights`; by rows with `axis=-1`.

    `arr` may be ragged or sparse; its weights are so, too, then. Only what is there counts.

    >>> import graphrt as tf
    >>> tf.math.bincount([1, 1, 3]).numpy().tolist()
    [0, 2, 0, 1]

    Raises:
      InvalidArgumentError: an element is negative, or the shapes of `arr` and `weights` differ.
      ValueError: `axis` is neither None, 0 nor -1, or `weights` are not of the kind of `arr`.
    """
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    with scope(name, "bincount"):
        rows: Any = arr if axis == -1 and isinstance(arr, Composite) else None
        if isinstance(arr, Composite):
            arr, weights = _values(arr, weights, rows is not None)
        x = as_tensor(arr)
        if x.dtype not in INDEX:
            x = cast(x, dtypes.int32 if x.dtype.size < 4 else dtypes.int64)
        filled = cast(Greater(size_(x), 0), x.dtype)
        size = filled * (reduce_max(x) + 1)
        if minlength is not None:
            size = Maximum(convert_to_tensor(minlength, x.dtype, name="minlength"), size)
        if maxlength is not None:
            size = Minimum(convert_to_tensor(maxlength, x.dtype, name="maxlength"), size)
        if weights is not None:
            weights = as_tensor(weights)
            if axis != -1:
                weights = Reshape(weights, [-1])
        if axis != -1:
            x = Reshape(x, [-1])
        if weights is None:
            weights = convert_to_tensor([], dtypes.int32 if dtype is None else as_dtype(dtype))
        if hasattr(rows, "row_splits"):
            splits = cast(rows.row_splits, dtypes.int64)
            return RaggedBincount(splits, x, size, weights, binary_output=bool(binary_output))
        if rows is not None:
            return SparseBincount(rows.indices, x, rows.dense_shape, size, weights, binary_output=bool(binary_output))
        return DenseBincount(x, size, weights, binary_output=bool(binary_output))


def _values(x: Any, weights: Any, by_row: bool) -> tuple[Any, Any]:
    """What a ragged or sparse tensor holds, and the weights of that."""
    if weights is not None and not isinstance(weights, type(x)):
        raise ValueError(errors.at_user_line(f"`weights` must be a {type(x).__name__}, as what is counted is"))
    if not hasattr(x, "ragged_rank"):
        return x.values, None if weights is None else weights.values
    if by_row and x.ragged_rank > 1:
        raise ValueError(errors.at_user_line(f"rows of a matrix are counted, found shape {x.shape}"))
    return x.flat_values, None if weights is None else weights.flat_values


# --- histograms ------------------------------------------------------------------------------------------------------
def _bins(values: Array, value_range: Array, count: int) -> Array:
    if count <= 0:
        raise errors.InvalidArgumentError(None, None, f"nbins should be a positive number, but got '{count}'")
    low, high = (float(v) for v in np.reshape(value_range, -1))
    if not low < high:
        raise errors.InvalidArgumentError(
            None, None, f"value_range should satisfy value_range[0] < value_range[1], but got '[{low}, {high}]'"
        )
    if np.isnan(values).any():
        raise errors.InvalidArgumentError(None, None, "values must not contain NaN")
    step = (high - low) / count
    places = np.clip((np.asarray(values, np.float64) - low) / step, 0, count - 1)
    return np.nan_to_num(places).astype(np.int64)


def _histogram(values: Array, value_range: Array, nbins: Array, *, dtype: DType) -> Array:
    count = int(nbins)
    return np.bincount(_bins(values, value_range, count).reshape(-1), minlength=count).astype(dtype.as_numpy_dtype)


def _histogram_dims(c: InferContext) -> Dims:
    require_size(c, 1, 0, 2)
    return _length(c.const(2))


HistogramFixedWidth = define(
    "HistogramFixedWidth", "values: T, value_range: T[1], nbins: int32[0] -> out: dtype", attrs="dtype: type = int32",
    allowed={"T": _COUNTED, "dtype": INDEX},
    infer=_histogram_dims, kernel=_histogram,
    vjp=lambda c, g: [None, None, None],
)  # fmt: skip


@provide
def histogram_fixed_width(
    values: TensorLike, value_range: TensorLike, nbins: TensorLike = 100, dtype: DTypeLike = dtypes.int32,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """How many of `values` fall into each of `nbins` equal parts of `value_range`; those outside go to the ends.

    >>> import graphrt as tf
    >>> tf.histogram_fixed_width([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy().tolist()
    [2, 1, 1, 0, 2]

    Raises:
      InvalidArgumentError: `nbins` is not positive, or the range is empty.
    """
    with scope(name, "histogram_fixed_width") as full:
        x = as_tensor(values, name="values")
        span = as_tensor(value_range, None if isinstance(value_range, Tensor) else x.dtype, name="value_range")
        count = as_tensor(nbins, dtypes.int32, name="nbins")
        return HistogramFixedWidth(x, span, count, dtype=as_dtype(dtype), name=full)


@provide
def histogram_fixed_width_bins(
    values: TensorLike, value_range: TensorLike, nbins: TensorLike = 100, dtype: DTypeLike = dtypes.int32,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The part of `value_range`, cut into `nbins` equal ones, in which each of `values` falls.

    >>> import graphrt as tf
    >>> tf.histogram_fixed_width_bins([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5).numpy().tolist()
    [0, 0, 1, 2, 4, 4]
    """
    with scope(name, "histogram_fixed_width_bins"):
        x = as_tensor(values, name="values")
        kind = as_dtype(dtype)
        span = cast(as_tensor(value_range, name="value_range"), x.dtype)
        wide = x if x.dtype.is_floating else cast(x, dtypes.float64)
        span = cast(span, wide.dtype)
        count = cast(as_tensor(nbins, name="nbins"), wide.dtype)
        scaled = (wide - span[0]) / (span[1] - span[0])
        places = Floor(scaled * count)
        return cast(clip_by_value(places, as_tensor(0, wide.dtype), count - as_tensor(1, wide.dtype)), kind)


@provide
def confusion_matrix(
    labels: TensorLike, predictions: TensorLike, num_classes: TensorLike | None = None,
    weights: TensorLike | None = None, dtype: DTypeLike = dtypes.int32, name: str | None = None
) -> Tensor:  # fmt: skip
    """A matrix of how often each class (row) was predicted as each class (column).

    >>> import graphrt as tf
    >>> tf.math.confusion_matrix([1, 2, 1], [1, 2, 2]).numpy().tolist()
    [[0, 0, 0], [0, 1, 1], [0, 0, 1]]

    Raises:
      InvalidArgumentError: a class is negative or not below `num_classes`.
    """
    with scope(name, "confusion_matrix"):
        target = as_dtype(dtype)
        truth, guess = (_squeezed(cast(as_tensor(v), dtypes.int64)) for v in (labels, predictions))
        if num_classes is None:
            count = Maximum(reduce_max(guess), reduce_max(truth)) + as_tensor(1, dtypes.int64)
        else:
            count = cast(as_tensor(num_classes), dtypes.int64)
        truth, guess = _checked(truth, guess, count, num_classes is not None)
        values = ones_like(guess, target) if weights is None else cast(as_tensor(weights), target)
        shape = stack([count, count])
        return scatter_nd(stack([truth, guess], axis=1), values, shape)


def _squeezed(x: Tensor) -> Tensor:
    return Squeeze(x, squeeze_dims=[-1]) if x.dims is not None and len(x.dims) == 2 and x.dims[1] == 1 else x


def _checked(truth: Tensor, guess: Tensor, count: Tensor, bounded: bool) -> tuple[Any, Any]:
    zero = as_tensor(0, dtypes.int64)
    wrong = [
        (Less(truth, zero), "`labels` contains negative values."),
        (Less(guess, zero), "`predictions` contains negative values."),
    ]
    if bounded:
        wrong += [
            (GreaterEqual(truth, count), "`labels` out of bound."),
            (GreaterEqual(guess, count), "`predictions` out of bound."),
        ]
    for where, message in wrong:
        AssertOp(LogicalNot(reduce_any(where)), [message])
    return truth, guess


# --- order -----------------------------------------------------------------------------------------------------------
def _steps(x: Tensor) -> tuple[Any, Any]:
    flat = Reshape(x, [-1])
    return flat[1:], flat[:-1]


@provide
def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether no element is less than the one before it.

    >>> import graphrt as tf
    >>> bool(tf.math.is_non_decreasing([1, 1, 2])), bool(tf.math.is_non_decreasing([2, 1]))
    (True, False)
    """
    with scope(name, "is_non_decreasing"):
        after, before = _steps(as_tensor(x))
        return reduce_all(GreaterEqual(after, before))


@provide
def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether every element is greater than the one before it.

    >>> import graphrt as tf
    >>> bool(tf.math.is_strictly_increasing([1, 2])), bool(tf.math.is_strictly_increasing([1, 1]))
    (True, False)
    """
    with scope(name, "is_strictly_increasing"):
        after, before = _steps(as_tensor(x))
        return reduce_all(Greater(after, before))
