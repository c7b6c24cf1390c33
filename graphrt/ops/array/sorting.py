"""Order: sorting, the greatest few, searching sorted rows, distinct elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.code import NONE, Code, Template, identifier
from graphrt.ir.graph import InferContext, Node
from graphrt.ir.op import define, provide
from graphrt.ops.array.concat_split import stack
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.gather_scatter import scatter_nd
from graphrt.ops.array.shape import expand_dims, reshape, transpose
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.slicing import getitem
from graphrt.ops.math.casting import cast
from graphrt.ops.math.reduction import reduce_prod
from graphrt.ops.support.kernel_helpers import axis_in, bad, const_int, is_half, is_whole, least, text_of
from graphrt.ops.support.shape_rules import as_tensor, known, order_with_last, require_rank
from graphrt.tensor.context import scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import INDEX, REAL, DType, as_dtype, int32
from graphrt.types.likes import Array, AxisLike, DTypeLike
from graphrt.types.shape import Dims, merge

__all__ = [
    "argsort", "in_top_k", "searchsorted", "sort", "top_k", "unique", "unique_with_counts",
]  # fmt: skip

_INDEX16 = (as_dtype("int16"), *INDEX)


# --- TopKV2 ----------------------------------------------------------------------------------------------------------
def _top_dims(c: InferContext) -> list[Dims]:
    dims, k = c.dims(0), const_int(c, 1)
    if c.dims(1) not in (None, ()):
        raise ShapeError(f"k must be scalar, got shape {text_of(c.dims(1))}")
    if k is not None and k < 0:
        raise ShapeError(f"Need k >= 0, got {k}")
    if dims is None:
        return [None, None]
    if not dims:
        raise ShapeError("Shape must be at least rank 1 but is rank 0")
    if k is not None and dims[-1] is not None and k > dims[-1]:
        raise ShapeError(f"input must have last dimension >= k = {k} but is {dims[-1]}")
    return [(*dims[:-1], k)] * 2


def _descending(x: Array) -> Array:
    """Positions that sort the last dimension downwards; equal elements keep their order, NaN comes last."""
    if is_half(x.dtype):
        x = x.astype(np.float32)  # bfloat16 does not sort NaN
    if not is_whole(x.dtype):
        return np.argsort(-x, axis=-1, kind="stable")
    n = x.shape[-1]
    return n - 1 - np.argsort(x[..., ::-1], axis=-1, kind="stable")[..., ::-1]


def _is_special(x: Array) -> bool:
    """Whether there are elements that compare with none, or dtypes that NumPy does not know itself."""
    return x.dtype.isbuiltin != 1 or (x.dtype.kind == "f" and bool(np.isnan(x).any()))


def _greatest_first(x: Array, count: int) -> Array:
    """The positions of the `count` greatest elements of each row, the greatest first, of equal ones the first first."""
    n = x.shape[-1]
    if 4 * count >= n or _is_special(x):
        return _descending(x)[..., :count]
    # Elements of which there are `count` at least: what is not below the one at `count` of the greatest of groups.
    rows = x.reshape(-1, n)
    groups = min(8 * count, n)
    best = rows[:, : n - n % groups].reshape(len(rows), n // groups, groups).max(axis=1)
    bound = np.partition(best, groups - count, axis=-1)[:, groups - count, None]
    chosen = rows >= bound
    if np.count_nonzero(chosen) > 4 * count * len(rows):  # of those that equal it the first are enough
        equal = rows == bound
        chosen &= ~equal | (equal.cumsum(axis=-1) <= count)
    row, column = np.divmod(np.flatnonzero(chosen), n)
    sizes = np.bincount(row, minlength=len(rows))
    place = np.arange(row.size) - (sizes.cumsum() - sizes).repeat(sizes)
    shape = (len(rows), int(sizes.max(initial=0)))
    values, places = np.full(shape, least(x.dtype), x.dtype), np.zeros(shape, np.intp)
    values[row, place], places[row, place] = rows[row, column], column
    return np.take_along_axis(places, _descending(values)[:, :count], -1).reshape(*x.shape[:-1], count)


def _top_kernel(x: Array, k: Array, *, sorted: bool, index_type: DType) -> tuple[Array, Array]:
    if np.ndim(k):
        raise bad(f"k must be scalar, got shape {text_of(np.shape(k))}")
    count = int(k)
    if count < 0:
        raise bad(f"Need k >= 0, got {count}")
    if not np.ndim(x):
        raise bad("input must be >= 1-D, got shape []")
    if np.shape(x)[-1] < count:
        raise bad(f"input must have at least k columns. Had {np.shape(x)[-1]}, needed {count}")
    places = _greatest_first(x, count) if count else np.empty((*x.shape[:-1], 0), np.intp)
    return np.take_along_axis(x, places, -1), places.astype(index_type.as_numpy_dtype)


def _top_values(x: Array, k: Array, *, sorted: bool, index_type: DType) -> Array:
    """The values alone, which may be sorted themselves: where all are wanted, and 0 and -0 are not to be told apart."""
    if np.ndim(x) and not np.ndim(k) and int(k) == np.shape(x)[-1] and not _is_special(x):
        if x.dtype.kind != "f" or not np.signbit(x[x == 0]).any():
            return np.sort(x, axis=-1)[..., ::-1]
    return _top_kernel(x, k, sorted=sorted, index_type=index_type)[0]


_TOP_VALUES = Template("{}({}, {}, {}={}, {}={})")


def _emit_top(emitter: Any, node: Node, inputs: list[Code]) -> list[Code] | None:
    if emitter.is_used(node.outputs[1]):
        return None
    attrs = [p for a in ("sorted", "index_type") for p in (identifier(a), emitter.literal(node.attrs[a], a))]
    return [_TOP_VALUES(emitter.bind(_top_values, "top_values"), *inputs, *attrs), NONE]


def _top_vjp(call: Any, g: Any, _: object) -> list[Any]:
    if g is None:
        return [None, None]
    x, places = call.inputs[0], call.outputs[1]
    shape = shape_(x)
    size = getitem(shape, -1)
    rows = reshape(places, stack([-1, getitem(shape_(places), -1)]))
    if rows.dtype is not int32:
        rows = cast(rows, int32)
    offsets = expand_dims(range_(getitem(shape_(rows), 0)) * size, -1)
    flat = reshape(rows + offsets, [-1])
    total = scatter_nd(expand_dims(flat, -1), reshape(g, [-1]), stack([reduce_prod(shape)]))
    return [reshape(total, shape), None]


TopKV2 = define(
    "TopKV2", "input: T, k: Tk -> values: T, indices: index_type",
    attrs="sorted: bool = True; T: type; Tk: type = int32; index_type: type = int32",
    allowed={"T": REAL, "Tk": _INDEX16, "index_type": _INDEX16}, infer=_top_dims, kernel=_top_kernel, vjp=_top_vjp,
    emit=_emit_top,
)  # fmt: skip


class TopK(NamedTuple):
    """The result of `top_k`, named as in TensorFlow."""

    values: Tensor
    indices: Tensor


TopK.__name__ = TopKV2.type


@provide
def top_k(
    input: TensorLike, k: TensorLike = 1, sorted: bool = True, index_type: DTypeLike = int32, name: str | None = None
) -> TopK:
    """The `k` greatest elements of each row, and their positions; of equal ones the first comes first.

    >>> import graphrt as tf
    >>> [t.numpy().tolist() for t in tf.math.top_k([1, 5, 3], 2)]
    [[5, 3], [1, 2]]

    Raises:
      InvalidArgumentError: a row has fewer than `k` elements.
    """
    values, indices = TopKV2(input, k, sorted=sorted, index_type=index_type, name=name)
    return TopK(values, indices)


# --- sort ------------------------------------------------------------------------------------------------------------
def _static_axis(axis: int) -> int:
    return int(known(axis, "axis"))


def _sorted(values: TensorLike, axis: Any, direction: str, positions: bool, name: str) -> Tensor:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(errors.at_user_line(f"{direction} should be one of ASCENDING, DESCENDING"))
    x = as_tensor(values)
    at = _static_axis(axis)
    order: Any = None
    if x.dims is None:
        order = None if at == -1 else order_with_last(x, at)
    else:
        rank = len(x.dims)
        try:
            at = axis_in(at, rank)
        except IndexError:
            raise errors.ShapeError(
                errors.at_user_line(f"axis {at} is out of range for a tensor of rank {rank}")
            ) from None
        if at != rank - 1:
            order = list(range(rank))
            order[at], order[-1] = order[-1], order[at]
    turn = order is not None
    upwards = direction == "ASCENDING"
    keys = _negated(x) if upwards else x
    size = getitem(shape_(keys), at)
    keys = transpose(keys, order) if turn else keys
    found = TopKV2(keys, size)
    result = found[1] if positions else found[0]
    result = transpose(result, order) if turn else result
    return result if positions or not upwards else _negated(result)


def _negated(x: Any) -> Any:
    """`x` in opposite order: -x, or -x-1 for signed integers, or the greatest value minus x for unsigned ones."""
    if x.dtype.is_unsigned:
        return convert_to_tensor(x.dtype.max, x.dtype) - x
    if x.dtype.is_integer:
        return -x - 1
    return -x


@provide
def sort(values: TensorLike, axis: AxisLike = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """The elements along `axis` in order.

    >>> import graphrt as tf
    >>> tf.sort([3, 1, 2]).numpy().tolist(), tf.sort([3, 1, 2], direction="DESCENDING").numpy().tolist()
    ([1, 2, 3], [3, 2, 1])

    Raises:
      ValueError: `direction` is not valid.
      InvalidArgumentError: (a ValueError too) there is no such axis.
    """
    with scope(name, "sort"):
        return _sorted(values, axis, direction, False, "sort")


@provide
def argsort(
    values: TensorLike, axis: AxisLike = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The positions that put the elements along `axis` in order; equal elements keep theirs.

    >>> import graphrt as tf
    >>> tf.argsort([3, 1, 2]).numpy().tolist()
    [1, 2, 0]

    Raises:
      ValueError: `direction` is not valid.
      InvalidArgumentError: (a ValueError too) there is no such axis.
    """
    with scope(name, "argsort"):
        return _sorted(values, axis, direction, True, "argsort")


# --- searching -------------------------------------------------------------------------------------------------------
def _search_kernel(side: Any) -> Callable[..., Any]:
    def kernel(rows: Array, values: Any, *, out_type: DType) -> Array:
        if np.ndim(rows) != 2:
            raise bad("sorted input argument must be a matrix")
        if np.ndim(values) != 2 or len(values) != len(rows):
            raise bad("Leading dim_size of both tensors must match.")
        out = np.empty(values.shape, out_type.as_numpy_dtype)
        for i, row in enumerate(rows):
            out[i] = np.searchsorted(row, values[i], side)
        return out

    return kernel


_SEARCH = "sorted_inputs: T[2], values: T[2] -> output: out_type"
LowerBound = define(
    "LowerBound", _SEARCH, attrs="T: type; out_type: type = int32", allowed={"out_type": INDEX},
    infer=lambda c: c.dims(1), kernel=_search_kernel("left"), vjp=lambda call, g: [None, None],
)  # fmt: skip
UpperBound = define(
    "UpperBound", _SEARCH, attrs="T: type; out_type: type = int32", allowed={"out_type": INDEX},
    infer=lambda c: c.dims(1), kernel=_search_kernel("right"), vjp=lambda call, g: [None, None],
)  # fmt: skip


@provide
def searchsorted(
    sorted_sequence: TensorLike, values: TensorLike, side: str = "left", out_type: DTypeLike = int32,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """Where each of `values` would have to stand in the sorted rows: before (left) or behind (right) equal ones.

    >>> import graphrt as tf
    >>> tf.searchsorted([1, 3, 5], [3, 4]).numpy().tolist()
    [1, 2]

    Raises:
      ValueError: `side` is neither.
      InvalidArgumentError: the shapes do not fit.
    """
    if side not in ("left", "right"):
        raise ValueError(
            errors.at_user_line(f"Argument `side` must be either 'right' or 'left'. Received: side={side}.")
        )
    rows = as_tensor(sorted_sequence)
    wanted = as_tensor(values, None if isinstance(values, Tensor) else rows.dtype)
    shape = shape_(wanted)
    flat_rows = reshape(rows, stack([-1, getitem(shape_(rows), -1)]))
    flat = reshape(wanted, stack([-1, getitem(shape, -1)]))
    found = (LowerBound if side == "left" else UpperBound)(flat_rows, flat, out_type=as_dtype(out_type), name=name)
    return reshape(found, shape)


def _in_top_dims(c: InferContext) -> Dims:
    require_rank(c, 0, 2)
    require_rank(c, 1, 1)
    require_rank(c, 2, 0)
    rows = c.dims(0)
    return merge(c.dims(1) or (None,), None if rows is None else rows[:1])


def _in_top_kernel(predictions: Array, targets: Array, k: Array) -> Array:
    rows = np.arange(len(targets))
    classes = predictions.shape[1]
    if not classes:
        return np.zeros(len(targets), bool)
    inside = (targets >= 0) & (targets < classes)
    chosen = predictions[rows, np.where(inside, targets, 0)]
    better = (predictions > chosen[:, None]).sum(axis=1)
    return inside & np.isfinite(predictions).all(axis=1) & (better < k)


InTopKV2 = define(
    "InTopKV2", "predictions: float32, targets: T, k: T -> precision: bool", attrs="T: type = int32",
    allowed={"T": INDEX}, infer=_in_top_dims, kernel=_in_top_kernel, vjp=lambda call, g: [None] * 3,
)  # fmt: skip


def in_top_k(targets: TensorLike, predictions: TensorLike, k: TensorLike, name: str | None = None) -> Tensor:
    """Whether the target class of each row is among its `k` greatest predictions.

    >>> import graphrt as tf
    >>> tf.math.in_top_k([1, 0], [[0.1, 0.9], [0.2, 0.8]], 1).numpy().tolist()
    [True, False]
    """
    with scope(name, "in_top_k"):
        return InTopKV2(predictions, targets, k)


_SPARSE = 4  # places of a table for each element, up to which it costs less than sorting


# --- distinct elements -----------------------------------------------------------------------------------------------
def _distinct(x: Any) -> tuple[Any, Any, Any]:
    """The distinct elements in order of first appearance, for each element its place among them, and their counts."""
    if np.ndim(x) != 1:
        raise bad("unique expects a 1D vector.")
    if x.dtype == object:
        seen: dict[Any, int] = {}
        places = np.array([seen.setdefault(v, len(seen)) for v in x.tolist()], np.int64)
        values = np.empty(len(seen), object)
        values[:] = list(seen)
        return values, places, np.bincount(places, minlength=len(seen))
    if x.dtype.kind in "iub" and x.size:
        low = int(x.min())
        span = int(x.max()) - low + 1
        if span <= _SPARSE * x.size:
            return _distinct_of_few(x, low, span)
    values, first, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True,
                                               equal_nan=False)  # fmt: skip
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return values[order], rank[np.ravel(inverse)], counts[order]


def _distinct_of_few(x: Array, low: int, span: int) -> tuple[Any, Any, Any]:
    """The same of whole numbers within a range of `span`, without sorting: a table has a place for each."""
    at = (x - x.dtype.type(low)).astype(np.int64) if x.itemsize == 8 else x.astype(np.int64) - low
    steps = np.arange(x.size)
    table = np.empty(span, np.int64)
    table[at[::-1]] = steps[::-1]  # the last that is written is the first that appeared
    first = np.flatnonzero(table[at] == steps)
    table[at[first]] = np.arange(first.size)
    places = table[at]
    return x[first], places, np.bincount(places, minlength=first.size)


def _unique_kernel(x: Array, *, out_idx: DType) -> tuple[Array, Array]:
    values, places, _ = _distinct(x)
    return values, places.astype(out_idx.as_numpy_dtype)


def _unique_counts_kernel(x: Array, *, out_idx: DType) -> tuple[Array, Array, Array]:
    values, places, counts = _distinct(x)
    kind = out_idx.as_numpy_dtype
    return values, places.astype(kind), counts.astype(kind)


def _check_vector(c: Any) -> None:
    if c.dims(0) is not None and len(c.dims(0)) != 1:
        raise ShapeError(f"Shape must be rank 1 but is rank {len(c.dims(0))}")


def _unique_dims(count: int) -> Callable[..., Any]:
    def infer(c: Any) -> list[Dims]:
        _check_vector(c)
        return [(None,), c.dims(0) or (None,), (None,)][:count]

    return infer


Unique = define(
    "Unique", "x: T -> y: T, idx: out_idx", attrs="T: type; out_idx: type = int32", allowed={"out_idx": INDEX},
    infer=_unique_dims(2), kernel=_unique_kernel,
)  # fmt: skip
UniqueWithCounts = define(
    "UniqueWithCounts", "x: T -> y: T, idx: out_idx, count: out_idx", attrs="T: type; out_idx: type = int32",
    allowed={"out_idx": INDEX}, infer=_unique_dims(3), kernel=_unique_counts_kernel,
)  # fmt: skip


class UniqueResult(NamedTuple):
    """The result of `unique`."""

    y: Any
    idx: Any


UniqueResult.__name__ = Unique.type


class UniqueWithCountsResult(NamedTuple):
    """The result of `unique_with_counts`."""

    y: Any
    idx: Any
    count: Any


UniqueWithCountsResult.__name__ = UniqueWithCounts.type


def unique(x: TensorLike, out_idx: DTypeLike = int32, name: str | None = None) -> UniqueResult:
    """The distinct elements of a vector, in order of first appearance, and for each element its place among them.

    >>> import graphrt as tf
    >>> [t.numpy().tolist() for t in tf.unique([7, 5, 7])]
    [[7, 5], [0, 1, 0]]

    Raises:
      InvalidArgumentError: `x` is no vector.
    """
    return UniqueResult(*Unique(x, out_idx=as_dtype(out_idx), name=name))


def unique_with_counts(x: TensorLike, out_idx: DTypeLike = int32, name: str | None = None) -> UniqueWithCountsResult:
    """As `unique`, and how often each element appears.

    >>> import graphrt as tf
    >>> tf.unique_with_counts([7, 5, 7]).count.numpy().tolist()
    [2, 1]

    Raises:
      InvalidArgumentError: `x` is no vector.
    """
    return UniqueWithCountsResult(*UniqueWithCounts(x, out_idx=as_dtype(out_idx), name=name))
