"""Tensors made from scratch: filled ones, ranges, identity matrices, one-hot rows, masks."""

# long: one subject, each op with its kernel, shape rule and gradient
from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import FOLD_LIMIT, InferContext
from graphrt.ir.op import LINEAR_TIME, PER_ELEMENT, QUIET, define, ops, provide  # late: what it calls imports this file
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import broadcast_dynamic_shape, broadcast_to, expand_dims, reshape, transpose
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.shape import size as size_
from graphrt.ops.linalg.diagonals import diag, set_diag
from graphrt.ops.math.casting import Cast, cast
from graphrt.ops.math.comparison import Equal, Less
from graphrt.ops.support.kernel_helpers import bad, const_int, entries, single, text_of
from graphrt.ops.support.never_fails import always
from graphrt.ops.support.shape_rules import as_tensor, require_rank, runs_now, same_shape, static_sizes
from graphrt.tensor.context import current_graph, scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor, TensorLike, static_array
from graphrt.types.dtype import INDEX, DType, as_dtype, bfloat16, float16, float32, float64, int32, int64, uint8
from graphrt.types.dtype import bool_ as bool_type
from graphrt.types.float_warnings import silently
from graphrt.types.likes import Array, AxisLike, DTypeLike
from graphrt.types.limits import check_bytes, made
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims, TensorShape, num_elements
from graphrt.types.structure import Dispatching

if TYPE_CHECKING:
    from graphrt.ops.lists.list_value import TensorListValue

__all__ = [
    "eye", "fill", "linspace", "one_hot", "ones", "ones_like", "range", "sequence_mask", "zeros", "zeros_like",
]  # fmt: skip

_range = range
_slice = slice
_SMALL = 1000  # elements: larger constant tensors are recorded as Fill


# --- Fill, zeros, ones -----------------------------------------------------------------------------------------------
def _filled_dims(c: InferContext) -> Dims:
    require_rank(c, 0, 1)
    value = c.dims(1)
    if value is not None and value != ():
        raise ShapeError(f"value must represent a scalar, got shape {text_of(value)}")
    array = c.const(0)
    if array is not None and (np.asarray(array) < 0).any():
        raise ShapeError(f"Dimension {int(np.min(array))} must be >= 0")
    return c.shape_from(0)


def _fill_kernel(dims: Array, value: Array) -> Array:
    value = single(value, "value must represent a scalar, got shape")
    if np.ndim(dims) != 1:
        raise bad(f"dims must represent a vector, got shape {text_of(np.shape(dims))}")
    shape = dims.tolist()
    if not shape:
        return value
    if min(shape) < 0:
        raise bad(f"Dimension {min(shape)} must be >= 0")
    array = np.asarray(value)
    out = np.empty(shape, array.dtype)
    out[...] = array[()]
    return out


Fill = define(
    "Fill", "dims: index_type, value: T -> output: T", attrs="T: type; index_type: type = int32",
    allowed={"index_type": INDEX}, infer=_filled_dims, kernel=_fill_kernel,
    vjp=lambda call, g: [None, ops.reduce_sum(g)],
    partial=lambda c: _fill_entries(c), traits=(QUIET, LINEAR_TIME),
)  # fmt: skip


def _fill_entries(c: InferContext) -> Any:
    if c.dtype(1).kind not in "iu":
        return None
    shape, value = c.shape_from(0), entries(c.inputs[1])
    if shape is None or len(shape) > 1 or value is None or None in shape:
        return None
    if not shape:
        return value[0]
    return value * int(shape[0] or 0) if (shape[0] or 0) <= FOLD_LIMIT else None


def _like_kernel(one: bool) -> Callable[..., Any]:
    def kernel(x: Array | TensorListValue) -> Array | TensorListValue:
        if isinstance(x, np.ndarray):
            if x.dtype == object:
                out = np.empty(x.shape, object)
                out[...] = b""
                return out
            return np.ones(x.shape, x.dtype) if one else np.zeros(x.shape, x.dtype)
        if isinstance(x, np.generic):
            return type(x)(1 if one else 0)
        return x.zeros_like()  # a list of tensors behind a handle

    return kernel


def _like_entries(value: int) -> Callable[..., Any]:
    def partial(c: Any) -> Any:
        dims = c.dims(0)
        if dims is None or len(dims) > 1 or None in dims or c.dtype(0).kind not in "iu" or (dims and dims[0] > 64):
            return None
        return [value] * dims[0] if dims else value

    return partial


ZerosLike = define(
    "ZerosLike", "x: T -> y: T", infer=same_shape, kernel=_like_kernel(False), partial=_like_entries(0),
    vjp=lambda call, g: [None], never_fails=always, traits=(QUIET, PER_ELEMENT),
)  # fmt: skip
OnesLike = define(
    "OnesLike", "x: T -> y: T", infer=same_shape, kernel=_like_kernel(True), partial=_like_entries(1),
    vjp=lambda call, g: [None], never_fails=always, traits=(QUIET, PER_ELEMENT),
)  # fmt: skip


@provide
def fill(dims: object, value: TensorLike, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor of shape `dims` whose elements all are `value`.

    >>> import graphrt as tf
    >>> tf.fill([2, 2], 7).numpy().tolist()
    [[7, 7], [7, 7]]

    Raises:
      InvalidArgumentError: a dimension is negative, or `value` is no scalar.
    """
    if isinstance(dims, TensorShape):
        dims = dims.as_list()
    if runs_now() and (isinstance(dims, (int, np.integer)) or (isinstance(dims, EagerTensor) and dims.dims == ())):
        dims = [dims]  # a graph's shape is a vector
    index = int32 if isinstance(dims, (list, tuple)) and not dims else None
    return Fill(dims, value, name=name, **({"index_type": index} if index else {}))


def _element(dtype: DType, one: bool) -> Array:
    if dtype.kind == "S":
        return np.array(b"", object)
    return np.array(1 if one else 0, dtype.as_numpy_dtype)[()]


def _vector(sizes: Any) -> Any:
    """A tensor of sizes as a vector: a single one may come without an axis."""
    rank = sizes.ndim if isinstance(sizes, np.ndarray) else None if sizes.dims is None else len(sizes.dims)
    if rank in (None, 1):
        return sizes
    if rank:
        found = list(sizes.shape)
        raise ShapeError(errors.at_user_line(f"dims must represent a vector, got shape {found} [Op:Fill]"))
    return ops.Reshape(sizes, [1])


def _constant_tensor(shape: Any, dtype: Any, name: str | None, one: bool, default: str) -> Any:
    dtype = as_dtype(dtype)
    if dtype.kind == "O" or (one and dtype.kind == "S"):
        raise TypeError(errors.at_user_line(f"{default} cannot make tensors of dtype {dtype.name}"))
    value = _element(dtype, one)
    if isinstance(shape, (Tensor, np.ndarray)):
        shape = _vector(shape)
    if isinstance(shape, Dispatching):  # that of a ragged tensor
        return Fill(shape, value)
    static = static_sizes(shape)
    graph = current_graph()
    if static is not None:
        if static and min(static) < 0:
            raise ShapeError(errors.at_user_line(f"Dimension {min(static)} must be >= 0 [Op:Fill]"))
        if graph is None:
            check_bytes((num_elements(static) or 0) * max(dtype.size, 1), f"{default}: the result")
        if graph is None or (num_elements(static) or 0) < _SMALL:
            array = made(f"{default}: the result", _fill_kernel, np.array(static, np.int64), value)
            return EagerTensor(array) if graph is None else graph.constant(array, name or default)
    with scope(name, default) as own:
        if static is not None:
            small = max(static, default=0) <= int32.max
            dims = convert_to_tensor(np.array(static, np.int32 if small else np.int64), name="shape_as_tensor")
        else:
            dims = convert_to_tensor(shape, dtype_hint=int32, name="packed")
        return Fill(dims, convert_to_tensor(value, name="Const"), name=own, index_type=dims.dtype)


@provide
def zeros(shape: object, dtype: DTypeLike = float32, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor of shape `shape` of zeros (empty strings, False).

    >>> import graphrt as tf
    >>> tf.zeros([2], tf.int32).numpy().tolist()
    [0, 0]

    Raises:
      InvalidArgumentError: a dimension is negative.
    """
    return _constant_tensor(shape, dtype, name, False, "zeros")


@provide
def ones(shape: object, dtype: DTypeLike = float32, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor of shape `shape` of ones.

    >>> import graphrt as tf
    >>> tf.ones([2], tf.int32).numpy().tolist()
    [1, 1]

    Raises:
      InvalidArgumentError: a dimension is negative.
    """
    return _constant_tensor(shape, dtype, name, True, "ones")


def _constant_like(input: TensorLike, dtype: Any, name: str | None, one: bool) -> Any:
    tensor = as_tensor(input)
    default = "ones_like" if one else "zeros_like"
    wanted = tensor.dtype if dtype is None else as_dtype(dtype)
    if tensor.dtype.kind == "O":
        return ZerosLike(tensor, name=name or default)
    if isinstance(tensor, Dispatching):
        return (OnesLike if one else ZerosLike)(cast(tensor, wanted), name=name or default)
    dims = tensor.dims
    if dims is not None and None not in dims:
        return _constant_tensor(dims, wanted, name, one, default)
    if wanted is tensor.dtype:
        return (OnesLike if one else ZerosLike)(tensor, name=name or default)
    with scope(name, default) as own:
        shape = shape_(tensor)
        return Fill(shape, convert_to_tensor(_element(wanted, one), name="Const"), name=own)


@provide
def zeros_like(
    input: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, layout: Any = None
) -> Tensor:
    """Zeros of the shape (and, unless `dtype` says otherwise, the dtype) of `input`.

    >>> import graphrt as tf
    >>> tf.zeros_like([[1, 2]]).numpy().tolist()
    [[0, 0]]
    """
    return _constant_like(input, dtype, name, False)


@provide
def ones_like(input: TensorLike, dtype: DTypeLike | None = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Ones of the shape (and, unless `dtype` says otherwise, the dtype) of `input`.

    >>> import graphrt as tf
    >>> tf.ones_like([[1, 2]]).numpy().tolist()
    [[1, 1]]
    """
    return _constant_like(input, dtype, name, True)


# --- Range, LinSpace -------------------------------------------------------------------------------------------------
_RANGE_TYPES = (bfloat16, float16, float32, float64, as_dtype("int8"), as_dtype("int16"), int32, int64,
                as_dtype("uint16"), as_dtype("uint32"), as_dtype("uint64"))  # fmt: skip


def _range_size(start: Any, limit: Any, delta: Any, fail: Callable[..., Any] | type) -> int:
    """How many steps there are between integers of Python, or between scalars of one floating dtype, in its arithmetic."""
    if delta == 0:
        raise fail("Requires delta != 0: 0")
    if isinstance(start, int):
        return max(-((start - limit) // delta), 0)
    size = silently(lambda: np.ceil(float((limit - start) / delta)))  # what overflows is told of below
    if not np.isfinite(size):
        raise fail(f"Requires finite start, limit and delta: {start}, {limit}, {delta}")
    return max(int(size), 0)


def _range_dims(c: InferContext) -> Dims:
    values = []
    for i, what in enumerate(("start", "limit", "delta")):
        dims = c.dims(i)
        if dims is not None and dims != ():
            raise ShapeError(f"{what} must be a scalar, not shape {text_of(dims)}")
        found = c.const(i)
        whole = c.dtype(i).kind in "iu"
        values.append(None if found is None else np.asarray(found).item() if whole else np.asarray(found)[()])
    if values[2] == 0:
        raise ShapeError("Requires delta != 0: 0")
    if None in values:
        return (None,)
    return (_range_size(values[0], values[1], values[2], ShapeError),)


def _range_kernel(start: Any, limit: Any, delta: Any) -> Array:
    names = ("start", "limit", "delta")
    start, limit, delta = (single(v, f"{n} must be a scalar, not shape") for v, n in zip((start, limit, delta), names))
    dtype = np.asarray(start).dtype
    if dtype.kind in "iu":
        if delta == 0:
            raise bad("Requires delta != 0: 0")
        if 0 <= (int(limit) - int(start)) * (1 if delta > 0 else -1) <= np.iinfo(dtype).max:
            return np.arange(start, limit, delta, dtype=dtype)
        size = _range_size(int(start), int(limit), int(delta), bad)  # NumPy takes it from a difference of the dtype
        return start + np.arange(size).astype(dtype) * dtype.type(delta)
    size = _range_size(start, limit, delta, bad)
    return (start + np.arange(size).astype(dtype) * delta).astype(dtype, copy=False)


def _range_entries(c: InferContext) -> list[int] | None:
    values = [const_int(c, i) for i in (0, 1, 2)] if c.dtype(0).kind in "iu" else [None]
    if None in values or not values[2] or len(_range(*values)) > 64:  # type: ignore[arg-type]
        return None
    return list(_range(*values))  # type: ignore[arg-type]


Range = define(
    "Range", "start: Tidx, limit: Tidx, delta: Tidx -> output: Tidx", attrs="Tidx: type = int32",
    allowed={"Tidx": _RANGE_TYPES}, infer=_range_dims, kernel=_range_kernel, partial=_range_entries,
    vjp=lambda call, g: [None, None, None],
)  # fmt: skip


_RANGE_ORDER = (int32, int64, float32, float64)


@provide
def range(
    start: object, limit: Any = None, delta: Any = 1, dtype: DTypeLike | None = None, name: str = "range"
) -> Tensor:
    """The numbers from `start` (0 when only one bound is given) up to, and without, `limit` in steps of `delta`.

    >>> import graphrt as tf
    >>> tf.range(3).numpy().tolist(), tf.range(5, 1, -2).numpy().tolist(), tf.range(5, 1).numpy().tolist()
    ([0, 1, 2], [5, 3], [])

    Raises:
      InvalidArgumentError: `delta` is zero (ValueError too, where it is known while tracing).
    """
    if limit is None:
        start, limit = 0, start
    wanted = None if dtype is None else as_dtype(dtype)
    if (
        wanted is None
        and type(start) is int
        and type(limit) is int
        and type(delta) is int
        and (current_graph() is None and min(start, limit, delta) >= -(2**31) and max(start, limit, delta) < 2**31)
    ):
        if delta == 0:
            raise bad(errors.at_user_line("Requires delta != 0: 0 [Op:Range]"))
        check_bytes(4 * len(_range(start, limit, delta)), "range: the result")
        return EagerTensor(made("range: the result", np.arange, start, limit, delta, dtype=np.int32))
    with scope(name, "range") as own:
        values = [
            as_tensor(v, wanted if not isinstance(v, Tensor) and not hasattr(v, "__tf_tensor__") else None, name=n)
            for v, n in ((start, "start"), (limit, "limit"), (delta, "delta"))
        ]
        if wanted is None:
            wanted = _common(values)
        values = [cast(v, wanted) if v.dtype is not wanted else v for v in values]
        return Range(*values, name=own)


def _common(values: list[Any]) -> DType:
    found = [v.dtype for v in values]
    if all(t in _RANGE_ORDER for t in found):
        return max(found, key=_RANGE_ORDER.index)
    return next(t for t in found if t not in _RANGE_ORDER)


def _linspace_kernel(start: Array, stop: Array, num: Array) -> Array:
    count = int(num)
    if count < 1:
        raise bad(f"Requires num > 0: {count}")
    dtype = np.asarray(start).dtype
    if count == 1:
        return np.array([start], dtype)
    step = (stop - start) / dtype.type(count - 1)
    out = (start + np.arange(count).astype(dtype) * step).astype(dtype)
    out[0], out[-1] = start, stop
    return out


LinSpace = define(
    "LinSpace", "start: T[0], stop: T[0], num: Tidx[0] -> output: T", attrs="T: type; Tidx: type = int32",
    allowed={"T": (bfloat16, float16, float32, float64), "Tidx": INDEX},
    infer=lambda c: (const_int(c, 2),), kernel=_linspace_kernel, vjp=lambda call, g: [None, None, None],
)  # fmt: skip


def linspace(start: TensorLike, stop: TensorLike, num: TensorLike, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` numbers in equal steps from `start` to `stop`, both included; vectors give rows along `axis`.

    >>> import graphrt as tf
    >>> tf.linspace(0., 1., 3).numpy().tolist()
    [0.0, 0.5, 1.0]
    """
    with scope(name, "linspace"):
        first = as_tensor(start, name="start")
        if first.dtype.is_integer:
            first = cast(first, float64 if first.dtype.size >= 4 else float32)
        last = as_tensor(stop, name="stop")
        if last.dtype is not first.dtype:
            last = cast(last, first.dtype)
        count = as_tensor(num, int32 if isinstance(num, (np.ndarray, np.floating)) else None, name="num")
        if not count.dtype.is_integer:
            raise TypeError(errors.at_user_line(f"num must be an integer, got {shown(count)}"))
        if count.dims not in ((), (1,), None):
            raise ShapeError(errors.at_user_line(f"num must be a scalar, not shape {text_of(count.dims)}"))
        count = reshape(count, []) if count.dims == (1,) else count
        known = static_array(count)
        if known is not None and known > int32.max:
            raise ValueError(errors.at_user_line(f"num is {known}, more than the greatest int32"))
        if known is not None and known < 0:
            raise bad(errors.at_user_line(f"Requires num >= 0: {known}"))
        count = count if count.dtype is int32 else cast(count, int32)
        if first.dims == () and last.dims == () and axis in (0, -1):
            return _linspace_vector(first, last, count)
        shape = broadcast_dynamic_shape(shape_(first), shape_(last))
        first, last = broadcast_to(first, shape), broadcast_to(last, shape)
        if first.dims is None:
            return _linspace_of_any_rank(first, last, shape, count, axis)
        rank = len(first.dims)
        at = axis if axis >= 0 else axis + rank + 1
        steps = cast(range(0, count), first.dtype)
        steps = reshape(steps, [1] * at + [-1] + [1] * (rank - at))
        first, last = expand_dims(first, at), expand_dims(last, at)
        gaps = cast(ops.Maximum(count - 1, 1), first.dtype)
        out = first + steps * ((last - first) / gaps)
        out = where(Equal(steps, zeros([], first.dtype)), first, out)  # infinity, and -0.0, as they are
        is_last = Equal(steps, cast(ops.Maximum(count - 1, 1), first.dtype))
        return where(is_last, last, out)


def _linspace_of_any_rank(first: Tensor, last: Tensor, shape: Tensor, count: Tensor, axis: int) -> Tensor:
    """Rows of numbers along `axis`, from tensors whose rank is known when they are: made first, then turned."""
    flat = linspace(reshape(first, [-1]), reshape(last, [-1]), count)
    rows = reshape(flat, concat([shape_(flat)[:1], shape], 0))
    if axis == 0:
        return rows
    rank = size_(shape) + 1
    at = axis if axis > 0 else axis + rank
    return transpose(rows, concat([range(1, at + 1), [0], range(at + 1, rank)], 0))


def _linspace_vector(first: Tensor, last: Tensor, count: Tensor) -> Tensor:
    known = static_array(count)
    if known is not None and int(known) < 1:
        return zeros([0], first.dtype)
    steps = cast(range(0, count), first.dtype)
    gaps = cast(ops.Maximum(count - 1, 1), first.dtype)
    out = where(Equal(steps, zeros([], first.dtype)), first, first + steps * ((last - first) / gaps))
    return where(Equal(steps, gaps), last, out)


# --- identity matrices, one-hot rows, masks --------------------------------------------------------------------------
@provide
def eye(
    num_rows: TensorLike, num_columns: TensorLike | None = None, batch_shape: Any = None, dtype: DTypeLike = float32,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The identity matrix, or a batch of them; `num_columns` makes it rectangular.

    >>> import graphrt as tf
    >>> tf.eye(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]

    Raises:
      InvalidArgumentError: a dimension is negative.
    """
    dtype = as_dtype(dtype)
    columns = num_rows if num_columns is None else num_columns
    with scope(name, "eye"):
        if isinstance(num_rows, (int, np.integer)) and isinstance(columns, (int, np.integer)):
            size: Any = [min(int(num_rows), int(columns))]
        else:
            size = [ops.Minimum(num_rows, columns)]
        if batch_shape is None or len(_listed(batch_shape)) == 0:
            shape: Any = size
            if not isinstance(size[0], int):
                shape = concat([convert_to_tensor(np.zeros(0, np.int32), name="shape"), size], 0)
        elif static_sizes(batch_shape) is not None and isinstance(size[0], int):
            shape = [*(static_sizes(batch_shape) or ()), *size]
        else:
            shape = concat([convert_to_tensor(batch_shape, dtype_hint=int32), stack(size)], 0)
        diagonal = ones(shape, dtype, name="ones")
        if num_columns is None:
            return diag(diagonal, name="diag")
        lead = shape[:-1] if isinstance(shape, list) else ops.getitem(shape, _slice(None, -1))
        if isinstance(lead, list):
            whole: Any = [*lead, num_rows, columns]
        else:
            whole = concat([lead, stack([num_rows, columns])], 0)
        return set_diag(zeros(whole, dtype, name="zeros"), diagonal, name="set_diag")


def _listed(shape: Any) -> list[Any]:
    if isinstance(shape, Tensor):
        if shape.dims is not None and len(shape.dims) != 1:
            raise ValueError(errors.at_user_line(f"a shape is a list of numbers, found a tensor of shape {shape.dims}"))
        return [None] if shape.dims is None or shape.dims[0] is None else [None] * shape.dims[0]
    return list(shape)


def _one_hot_dims(c: InferContext) -> Dims:
    if c.dims(1) not in (None, ()):
        raise ShapeError(f"depth must be scalar, got shape {text_of(c.dims(1))}")
    dims, depth, axis = c.dims(0), const_int(c, 1), c.attrs["axis"]
    if depth is not None and depth < 0:
        raise ShapeError(f"depth must be non-negative, got: {depth}")
    if dims is None:
        return None
    if not -1 <= axis <= len(dims):
        raise ShapeError(f"Expected axis to be -1 or between [0, {len(dims) + 1}).  But received: {axis}")
    axis = len(dims) if axis == -1 else axis
    return dims[:axis] + (depth,) + dims[axis:]


def _one_hot_kernel(indices: Array, depth: Array, on: Array, off: Array, *, axis: int) -> Array:
    if np.ndim(depth):
        raise bad(f"depth must be scalar, got shape {text_of(np.shape(depth))}")
    if depth < 0:
        raise bad(f"depth must be non-negative, got: {int(depth)}")
    rank = np.ndim(indices)
    if not -1 <= axis <= rank:
        raise bad(f"Expected axis to be -1 or between [0, {rank + 1}).  But received: {axis}")
    axis = rank if axis == -1 else axis
    shape = np.shape(indices)
    places = np.ravel(indices).astype(np.int64)
    after = max(math.prod(shape[axis:]), 1)
    before, rest = np.divmod(np.arange(places.size), after)
    first = before * (after * int(depth)) + rest
    there = (places >= 0) & (places < depth)
    spots = first + places * after if there.all() else first[there] + places[there] * after
    out = np.full((*shape[:axis], int(depth), *shape[axis:]), off, np.asarray(on).dtype)
    out.reshape(-1)[spots] = on
    return out


OneHot = define(
    "OneHot", "indices: TI, depth: int32, on_value: T, off_value: T -> output: T",
    attrs="axis: int = -1; T: type; TI: type = int64",
    allowed={"TI": (uint8, as_dtype("int8"), int32, int64)}, infer=_one_hot_dims, kernel=_one_hot_kernel,
    vjp=lambda call, g: [None, None, None, None],
    traits=(PER_ELEMENT,),
)  # fmt: skip


def one_hot(
    indices: TensorLike, depth: TensorLike, on_value: TensorLike | None = None, off_value: TensorLike | None = None,
    axis: AxisLike = None, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """For each index a row of `depth` elements: `on_value` at that place, `off_value` elsewhere.

    >>> import graphrt as tf
    >>> tf.one_hot([0, 2], 3).numpy().tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]

    Raises:
      TypeError: the values' dtypes differ from each other or from `dtype`.
    """
    with scope(name, "one_hot") as own:
        given = [None if v is None else as_tensor(v, _wanted(v, dtype)) for v in (on_value, off_value)]
        found = [t.dtype for t in given if t is not None]
        if dtype is not None:
            kind = as_dtype(dtype)
            for t, which in zip(given, ("on_value", "off_value")):
                if t is not None and t.dtype is not kind:
                    raise TypeError(
                        errors.at_user_line(f"dtype {t.dtype!r} of {which} does not match dtype parameter {kind!r}")
                    )
        else:
            kind = found[0] if found else float32
            if len(found) == 2 and found[0] is not found[1]:
                raise TypeError(
                    errors.at_user_line(
                        f"dtype {shown(found[0])} of on_value does not match dtype {shown(found[1])} of off_value"
                    )
                )
        on = given[0] if given[0] is not None else convert_to_tensor(_element(kind, True), name="on_value")
        off = given[1] if given[1] is not None else convert_to_tensor(_element(kind, False), name="off_value")
        return OneHot(indices, depth, on, off, axis=-1 if axis is None else axis, name=own)


def _wanted(value: Any, dtype: Any) -> DType | None:
    return None if dtype is None or isinstance(value, Tensor) else as_dtype(dtype)


@provide
def sequence_mask(
    lengths: TensorLike, maxlen: TensorLike | None = None, dtype: DTypeLike = bool_type, name: str | None = None
) -> Tensor:
    """For each length n a row of `maxlen` elements: True for the first n, False for the rest.

    >>> import graphrt as tf
    >>> tf.sequence_mask([1, 3], 3).numpy().tolist()
    [[True, False, False], [True, True, True]]

    Raises:
      ValueError: `maxlen` is no scalar.
    """
    with scope(name, "SequenceMask"):
        counts = as_tensor(lengths)
        if maxlen is None:
            limit = ops.reduce_max(counts)
            limit = ops.Maximum(convert_to_tensor(counts.dtype.as_numpy_dtype(0), name="Const"), limit)
        else:
            limit = as_tensor(maxlen, name="Const")
        if limit.dims not in ((), None):
            raise ValueError(
                errors.at_user_line(f"Argument `maxlen` must be scalar for sequence_mask, received shape {limit.shape}")
            )
        kind = limit.dtype.as_numpy_dtype
        places = Range(
            convert_to_tensor(kind(0), name="Const"), limit, convert_to_tensor(kind(1), name="Const"), name="Range"
        )
        rows = expand_dims(counts, -1)
        if current_graph() is not None or rows.dtype is not limit.dtype:
            rows = Cast(rows, DstT=limit.dtype)
        mask = Less(places, rows)
        wanted = as_dtype(dtype)
        return mask if wanted is bool_type else cast(mask, wanted)
