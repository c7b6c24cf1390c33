"""Reductions: many elements to one, over some or all axes, and the running sums and products."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.code import Code, Template
from graphrt.ir.graph import InferContext, Node, static_value
from graphrt.ir.op import KEEPS_KIND, OpDef, define, ops, provide  # late: a circle
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.identity import identity, stop_gradient
from graphrt.ops.array.selection import SelectV2, where
from graphrt.ops.array.shape import BroadcastTo, ExpandDims, InvertPermutation, Reshape, Shape, Size, Transpose
from graphrt.ops.array.shape import rank as rank_
from graphrt.ops.array.shape import size as size_
from graphrt.ops.math.arithmetic import AddV2, Maximum, Sub
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, NotEqual
from graphrt.ops.math.cumulative import cumprod
from graphrt.ops.math.division import DivNoNan, FloorDiv, FloorMod, RealDiv, TruncateDiv
from graphrt.ops.math.elementwise import Exp, IsFinite, Log, Sqrt, Square, conj, real
from graphrt.ops.math.logical import LogicalNot
from graphrt.ops.support.kernel_helpers import greatest, is_half, least, summed_in
from graphrt.ops.support.never_fails import constant_tail
from graphrt.ops.support.shape_rules import as_tensor, real_conj, runs_now, shape_tensor
from graphrt.tensor.call import Call
from graphrt.tensor.context import current_graph, scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor, TensorLike, raw_of, static_array
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import INDEX, NUMERIC, REAL, DType, as_dtype
from graphrt.types.float_warnings import silently
from graphrt.types.likes import Array, AxisLike, DTypeLike
from graphrt.types.shape import Dims, is_static
from graphrt.types.structure import Composite, Dispatching

if TYPE_CHECKING:
    from graphrt.ops.ragged.tensor import RaggedTensor
    from graphrt.ops.sparse.tensor import SparseTensor

__all__ = [
    "count_nonzero", "reduce_all", "reduce_any", "reduce_euclidean_norm", "reduce_logsumexp", "reduce_max",
    "reduce_mean", "reduce_min", "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "zero_fraction",
]  # fmt: skip


# --- which axes ------------------------------------------------------------------------------------------------------
def _reduced_dims(c: InferContext) -> Dims:
    dims, keep = c.dims(0), c.attrs["keep_dims"]
    axes_dims = c.dims(1)
    if axes_dims is not None and len(axes_dims) > 1:
        raise ShapeError(f"Reduction axes must be a scalar or a vector, found shape {list(axes_dims)}")
    if dims is None:
        return None
    axes = c.const(1)
    if axes is None:
        return (None,) * len(dims) if keep else None
    gone = set()
    for axis in axes.reshape(-1).tolist():
        if not -len(dims) <= axis < len(dims):
            raise ShapeError(f"Invalid reduction dimension {axis} for input with {len(dims)} dimensions.")
        if axis % len(dims) in gone:
            raise ShapeError(f"Invalid reduction arguments: Axes contains duplicate dimension: {axis}")
        gone.add(axis % len(dims))
    if keep:
        return tuple(1 if i in gone else d for i, d in enumerate(dims))
    return tuple(d for i, d in enumerate(dims) if i not in gone)


def axes_of(x: Array, reduction_indices: Array) -> tuple[int, ...] | None:
    """The axes as NumPy wants them: None for all."""
    rank = x.ndim
    axes = reduction_indices.reshape(-1).tolist()
    for axis in axes:
        if not -rank <= axis < rank:
            raise errors.InvalidArgumentError(
                None, None, f"Invalid reduction dimension ({axis} for input with {rank} dimension(s)"
            )
    found = tuple(a % rank for a in axes)
    if len(set(found)) != len(found):
        twice = next(a for i, a in enumerate(found) if a in found[:i])
        raise errors.InvalidArgumentError(
            None, None, f"Invalid reduction arguments: Axes contains duplicate dimension: {twice}"
        )
    return None if len(found) == rank else found


_REDUCED = Template("{}({}, {}, {})")
# state: registry, filled by declarations
_REDUCERS: dict[str, tuple[Any, frozenset[Any]]] = {}


def _reduction(
    type_: str, reduce: Callable[..., Any], allowed: tuple[DType, ...] | None, vjp: Callable[..., Any], *traits: str
) -> OpDef:
    """Declares a reduction. `reduce(x, axis, keepdims)` takes NumPy's axes."""

    def kernel(input: Array, reduction_indices: Array, *, keep_dims: bool) -> Array:
        return reduce(input, axes_of(input, reduction_indices), keep_dims)

    def emit(emitter: Any, node: Node, inputs: list[Code]) -> list[Code] | None:
        axes, dims = static_value(node.inputs[1]), node.inputs[0].dims
        if axes is None or dims is None:
            return None  # the axes are checked once here, not at each run
        found = sorted({int(a) % len(dims) if dims else 0 for a in axes.reshape(-1).tolist()})
        axis = None if len(found) == len(dims) else tuple(found)
        function = emitter.bind(reduce, f"reduce_{type_.lower()}")
        return [_REDUCED(function, inputs[0], emitter.literal(axis), emitter.literal(node.attrs["keep_dims"]))]

    _REDUCERS[type_] = (reduce, frozenset(allowed or (dtypes.bool_,)))
    schema = "input: T, reduction_indices: Tidx -> output: T"
    if allowed is None:
        schema = "input: bool, reduction_indices: Tidx -> output: bool"
    return define(
        type_, schema, attrs="keep_dims: bool = False; Tidx: type = int32",
        allowed={"T": allowed, "Tidx": INDEX} if allowed else {"Tidx": INDEX},
        infer=_reduced_dims, kernel=kernel, vjp=vjp, emit=emit, never_fails=constant_tail, traits=traits,
    )  # fmt: skip


# --- gradients -------------------------------------------------------------------------------------------------------
def _kept_shape(x: Any, axes: Tensor) -> Tensor:
    """The shape of `x` with 1 for each reduced axis, as a tensor."""
    known = static_array(axes)
    if known is not None and is_static(x.dims):
        dims = list(x.dims)
        for axis in known.reshape(-1).tolist():
            dims[axis] = 1
        return convert_to_tensor(np.array(dims, np.int32))
    shape = Shape(x)
    rank = Size(shape)
    flat = cast(Reshape(axes, [-1]), dtypes.int32)
    places = FloorMod(flat + rank, rank)
    reduced = reduce_any(Equal(ExpandDims(range_(rank), 1), ExpandDims(places, 0)), axis=1)
    return where(reduced, ones_like(shape), shape)


def _restore_axes(c: Any, value: Any) -> Tensor:
    """`value`, of the shape of the output, with the reduced axes put back as 1."""
    x, axes = c.inputs
    if c.attrs["keep_dims"]:
        return value
    known = static_array(axes)
    if known is not None and x.dims is not None and not is_static(x.dims):
        for axis in sorted(a % len(x.dims) for a in known.reshape(-1).tolist()):
            value = ExpandDims(value, axis)
        return value
    return Reshape(value, _kept_shape(x, axes))


def _spread(c: Any, g: Any) -> Tensor:
    x = c.inputs[0]
    if g.dims == x.dims == ():
        return g
    return BroadcastTo(_restore_axes(c, g), shape_tensor(x))


def _sum_vjp(c: Call, g: Tensor) -> list[Any]:
    return [_spread(c, g), None]


def _mean_vjp(c: Any, g: object) -> list[Any]:
    x, y = c.inputs[0], c.outputs[0]
    if is_static(x.dims) and is_static(y.dims):
        count = as_tensor(max(size_of(x.dims) // max(size_of(y.dims), 1), 1), x.dtype)
    else:
        whole = cast(Size(x), dtypes.int64)
        part = Maximum(cast(Size(y), dtypes.int64), as_tensor(1, dtypes.int64))
        count = cast(FloorDiv(whole, part), x.dtype)
    return [RealDiv(_spread(c, g), count), None]


def size_of(dims: Any) -> int:
    return int(np.prod(dims, dtype=np.int64))


def _extremum_vjp(c: Any, g: Any) -> list[Any]:
    x, axes = c.inputs
    best = cast(Equal(_restore_axes(c, c.outputs[0]), x), g.dtype)
    ties = Sum(best, axes, keep_dims=True)
    return [RealDiv(best, ties) * _restore_axes(c, g), None]


def _prod_vjp(c: Any, g: object) -> list[Any]:
    """The product of all the others, without dividing (elements may be 0): those before times those after."""
    x, axes = c.inputs
    shape = shape_tensor(x)
    rank = Size(shape)
    flat = FloorMod(cast(Reshape(axes, [-1]), dtypes.int32) + rank, Maximum(rank, 1))
    every = range_(rank)
    reduced = reduce_any(Equal(ExpandDims(every, 1), ExpandDims(flat, 0)), axis=1)
    others = ops.boolean_mask(every, LogicalNot(reduced))
    order = concat([flat, others], 0)
    count = Prod(ops.GatherV2(shape, flat, 0), [0])
    moved = Transpose(x, order)
    rows = Reshape(moved, stack([count, -1]) if x.dims is None or 0 not in x.dims else stack([count, 0]))
    before = cumprod(rows, axis=0, exclusive=True)
    after = cumprod(rows, axis=0, exclusive=True, reverse=True)
    rest = Reshape(real_conj(before) * real_conj(after), Shape(moved))
    result = Transpose(rest, InvertPermutation(order)) * _restore_axes(c, g)
    return [Reshape(result, shape), None]


def _norm_vjp(c: Any, g: object) -> list[Any]:
    return [c.inputs[0] * DivNoNan(_restore_axes(c, g), _restore_axes(c, c.outputs[0])), None]


_add: Any = np.add.reduce
_multiply: Any = np.multiply.reduce
_maximum: Any = np.maximum.reduce
_minimum: Any = np.minimum.reduce


# --- the ops ---------------------------------------------------------------------------------------------------------
def _sum(x: Array, axis: int | tuple[int, ...] | None, keepdims: bool) -> Array:
    wide = summed_in(x.dtype)
    total = _add(x, axis=axis, dtype=wide, keepdims=keepdims)
    if total.size == x.size:  # each sum is of one element: 0 added to -0.0 would be 0
        return x.reshape(total.shape).copy()
    return total if wide == x.dtype else total.astype(x.dtype)


def _prod(x: Array, axis: int | tuple[int, ...] | None, keepdims: bool) -> Array:
    if is_half(x.dtype):
        return _multiply(x, axis=axis, dtype=np.float32, keepdims=keepdims).astype(x.dtype)
    return _multiply(x, axis=axis, dtype=x.dtype, keepdims=keepdims)


def _mean(x: Any, axis: int | tuple[int, ...] | None, keepdims: bool) -> Array:
    kind = x.dtype.kind
    wide = np.dtype(np.int64 if kind == "i" else np.uint64) if kind in "iu" else np.dtype(summed_in(x.dtype))
    total = _add(x, axis=axis, dtype=wide, keepdims=keepdims)
    if total.size == x.size:
        return x.reshape(total.shape).copy()
    if kind in "iu":
        count = x.size // total.size if total.size else 1  # the mean of no integers is 0
        return TruncateDiv.compute(total, wide.type(max(count, 1))).astype(x.dtype)
    return np.true_divide(total, wide.type(x.size / total.size if total.size else 1.0)).astype(x.dtype)


def _least(x: Array) -> Array:
    return x.dtype.type(least(x.dtype))


def _greatest(x: Array) -> Array:
    return x.dtype.type(greatest(x.dtype))


def _max(x: Array, axis: int | tuple[int, ...] | None, keepdims: bool) -> Array:
    if x.size:
        return _maximum(x, axis=axis, keepdims=keepdims)
    return _maximum(x, axis=axis, keepdims=keepdims, initial=_least(x))


def _min(x: Array, axis: int | tuple[int, ...] | None, keepdims: bool) -> Array:
    if x.size:
        return _minimum(x, axis=axis, keepdims=keepdims)
    return _minimum(x, axis=axis, keepdims=keepdims, initial=_greatest(x))


def _norm(x: Array, axis: int | tuple[int, ...] | None, keepdims: bool) -> Array:
    wide = np.absolute(x).astype(np.float64) if x.dtype.kind in "iuc" else x
    total = _add(wide * wide, axis=axis, dtype=summed_in(wide.dtype), keepdims=keepdims)
    norm = np.sqrt(total)
    if x.dtype.kind not in "iu":
        return norm.astype(x.dtype)
    greatest_ = np.iinfo(x.dtype).max  # in int8 the norm of [100, 100] is 127
    too_large = norm >= float(greatest_)
    return np.where(too_large, greatest_, np.where(too_large, 0.0, norm).astype(x.dtype)).astype(x.dtype)[()]


Sum = _reduction("Sum", _sum, NUMERIC, _sum_vjp, KEEPS_KIND)
Mean = _reduction("Mean", _mean, NUMERIC, _mean_vjp)
Prod = _reduction(
    "Prod", _prod, NUMERIC, _prod_vjp, KEEPS_KIND,
)  # fmt: skip
Max = _reduction("Max", _max, REAL, _extremum_vjp, KEEPS_KIND)
Min = _reduction("Min", _min, REAL, _extremum_vjp, KEEPS_KIND)
Any_ = _reduction(
    "Any", lambda x, axis, keepdims: np.logical_or.reduce(x, axis=axis, keepdims=keepdims), None,
    lambda c, g: [None, None],
)  # fmt: skip
All = _reduction(
    "All", lambda x, axis, keepdims: np.logical_and.reduce(x, axis=axis, keepdims=keepdims), None,
    lambda c, g: [None, None],
)  # fmt: skip
EuclideanNorm = _reduction("EuclideanNorm", _norm, NUMERIC, _norm_vjp)


# --- public reductions -----------------------------------------------------------------------------------------------
_ALL_AXES = [np.arange(rank, dtype=np.int32) for rank in range(9)]


def _all_axes(x: RaggedTensor | SparseTensor | Tensor) -> Tensor:
    """Every axis of `x`, as a tensor."""
    dims, graph = x.dims, current_graph()
    if dims or (dims == () and graph is None):
        axes = _ALL_AXES[len(dims)] if len(dims) < len(_ALL_AXES) else np.arange(len(dims), dtype=np.int32)
        return EagerTensor(axes) if graph is None else graph.constant(axes)
    return range_(0, rank_(x))


def _at_once(op: Any, x: Any, axis: int | None, keepdims: bool) -> Tensor | None:
    """The reduction of a concrete tensor that nobody records; None leaves it to the long way."""
    array = raw_of(x)
    reduce, allowed = _REDUCERS[op.type]
    if x.dtype not in allowed:
        return None
    if axis is not None:
        if not -array.ndim <= axis < array.ndim:
            return None
        axis = None if array.ndim == 1 else axis
    return EagerTensor(silently(reduce, array, axis, keepdims))


def _reduce(op: Any, x: Any, axis: Any, keepdims: Any, name: str | None) -> Any:
    x = as_tensor(x)
    if type(x) is EagerTensor and runs_now() and (axis is None or type(axis) is int):
        found = _at_once(op, x, axis, bool(keepdims))
        if found is not None:
            return found
    if axis is None:
        result = op(x, _all_axes(x), keep_dims=bool(keepdims), name=name)
        if not keepdims and isinstance(result, SymbolicTensor) and result.dims is None:
            result.set_shape(())
        return result
    return op(x, axis, keep_dims=bool(keepdims), name=name)


@provide
def reduce_sum(
    input_tensor: TensorLike, axis: AxisLike = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The sum over `axis` (all axes when None), in the dtype of the input.

    >>> import graphrt as tf
    >>> tf.reduce_sum([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [3, 7]

    Raises:
      InvalidArgumentError: there is no such axis, or it is given twice.
    """
    return _reduce(Sum, input_tensor, axis, keepdims, name)


@provide
def reduce_mean(
    input_tensor: TensorLike, axis: AxisLike = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The mean over `axis` (all axes when None), in the dtype of the input: of integers it is rounded towards 0.

    >>> import graphrt as tf
    >>> tf.reduce_mean([[1.0, 2.0], [3.0, 6.0]]).numpy().item()
    3.0
    """
    return _reduce(Mean, input_tensor, axis, keepdims, name)


@provide
def reduce_prod(
    input_tensor: TensorLike, axis: AxisLike = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The product over `axis` (all axes when None).

    >>> import graphrt as tf
    >>> tf.reduce_prod([[1, 2], [3, 4]], axis=0).numpy().tolist()
    [3, 8]
    """
    return _reduce(Prod, input_tensor, axis, keepdims, name)


@provide
def reduce_max(
    input_tensor: TensorLike, axis: AxisLike = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The greatest element over `axis` (all axes when None); -inf, or the least integer, where there is none.

    >>> import graphrt as tf
    >>> tf.reduce_max([[1, 5], [3, 4]], axis=0).numpy().tolist()
    [3, 5]
    """
    return _reduce(Max, input_tensor, axis, keepdims, name)


@provide
def reduce_min(
    input_tensor: TensorLike, axis: AxisLike = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The least element over `axis` (all axes when None); inf, or the greatest integer, where there is none.

    >>> import graphrt as tf
    >>> tf.reduce_min([[1, 5], [3, 4]], axis=0).numpy().tolist()
    [1, 4]
    """
    return _reduce(Min, input_tensor, axis, keepdims, name)


@provide
def reduce_any(
    input_tensor: TensorLike, axis: AxisLike = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Whether any element over `axis` (all axes when None) is True.

    >>> import graphrt as tf
    >>> tf.reduce_any([[True, False], [False, False]], axis=1).numpy().tolist()
    [True, False]
    """
    x = as_tensor(input_tensor, None if isinstance(input_tensor, (Tensor, Dispatching)) else dtypes.bool_)
    return _reduce(Any_, x, axis, keepdims, name)


@provide
def reduce_all(
    input_tensor: TensorLike, axis: AxisLike = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """Whether all elements over `axis` (all axes when None) are True.

    >>> import graphrt as tf
    >>> tf.reduce_all([[True, False], [True, True]], axis=1).numpy().tolist()
    [False, True]
    """
    x = as_tensor(input_tensor, None if isinstance(input_tensor, (Tensor, Dispatching)) else dtypes.bool_)
    return _reduce(All, x, axis, keepdims, name)


@provide
def reduce_euclidean_norm(
    input_tensor: TensorLike, axis: AxisLike = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of the sum of squares over `axis` (all axes when None).

    >>> import graphrt as tf
    >>> tf.math.reduce_euclidean_norm([3.0, 4.0]).numpy().item()
    5.0
    """
    return _reduce(EuclideanNorm, input_tensor, axis, keepdims, name)


@provide
def reduce_logsumexp(
    input_tensor: TensorLike, axis: AxisLike = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """`log(sum(exp(x)))` over `axis` (all axes when None), without overflow for large numbers.

    >>> import graphrt as tf
    >>> round(tf.reduce_logsumexp([1000.0, 1000.0]).numpy().item(), 3)
    1000.693
    """
    with scope(name, "ReduceLogSumExp") as full:
        x = as_tensor(input_tensor)
        greatest = reduce_max(x, axis, True)
        shift = SelectV2(IsFinite(greatest), greatest, 0)
        shift = stop_gradient(shift)
        total = reduce_sum(Exp(Sub(x, shift)), axis, keepdims)
        result = Log(total)
        if not keepdims:
            shift = Reshape(shift, Shape(result))
        return AddV2(result, shift, name=full)


@provide
def reduce_variance(
    input_tensor: TensorLike, axis: AxisLike = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The mean squared distance from the mean over `axis` (all axes when None).

    >>> import graphrt as tf
    >>> tf.math.reduce_variance([1.0, 2.0, 3.0, 4.0]).numpy().item()
    1.25

    Raises:
      TypeError: the input is of integers or booleans, and not ragged.
    """
    with scope(name or "reduce_variance", "reduce_variance"):
        x = as_tensor(input_tensor)
        if isinstance(x, Composite):
            x = x if x.dtype.is_floating or x.dtype.is_complex else cast(x, dtypes.float64)
            if axis is not None and not _is_innermost(axis, len(x.shape)):
                return _variance_of_rows(x, axis, keepdims)
        mean = reduce_mean(x, axis, True)
        if mean.dtype.is_integer or mean.dtype.is_bool:
            raise TypeError(
                errors.at_user_line(f"Input must be either real or complex. Received integer type {mean.dtype!r}.")
            )
        distance = x - mean
        if distance.dtype.is_complex:
            squares = real(distance * conj(distance))
            return reduce_mean(squares, axis, keepdims)
        return reduce_mean(Square(distance), axis, keepdims)


def _is_innermost(axis: AxisLike, rank: int) -> bool:
    known = static_array(as_tensor(axis))
    return known is not None and set(np.ravel(known).tolist()) <= {-1, rank - 1}


def _variance_of_rows(x: Any, axis: AxisLike, keepdims: bool) -> Any:
    """The variance of a ragged tensor over an axis along which rows differ in length, so that no mean can be subtracted.

    All is moved by one number, which changes nothing but that squares stay small.
    """
    middle = stop_gradient(reduce_mean(x))
    apart = x - SelectV2(IsFinite(real(middle)), middle, zeros_like(middle))
    mean, squares = reduce_mean(apart, axis, keepdims), reduce_mean(real(apart * conj(apart)), axis, keepdims)
    return Maximum(squares - real(mean * conj(mean)), as_tensor(0, squares.dtype))


@provide
def reduce_std(
    input_tensor: TensorLike, axis: AxisLike = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The standard deviation over `axis` (all axes when None): the square root of `reduce_variance`.

    >>> import graphrt as tf
    >>> tf.math.reduce_std([1.0, 3.0]).numpy().item()
    1.0

    Raises:
      TypeError: the input is of integers or booleans.
    """
    with scope(name or "reduce_std", "reduce_std"):
        return Sqrt(reduce_variance(as_tensor(input_tensor), axis, keepdims))


@provide
def count_nonzero(
    input: TensorLike, axis: AxisLike = None, keepdims: bool | None = None, dtype: DTypeLike = dtypes.int64,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """How many elements over `axis` (all axes when None) are not 0, not False, or not the empty string.

    >>> import graphrt as tf
    >>> tf.math.count_nonzero([[0, 1], [2, 3]], axis=1).numpy().tolist()
    [1, 2]
    """
    with scope(name, "count_nonzero"):
        x = as_tensor(input, name="input")
        zero = convert_to_tensor(b"" if x.dtype.kind == "S" else False if x.dtype.is_bool else 0, x.dtype, name="zeros")
        return reduce_sum(cast(NotEqual(x, zero), as_dtype(dtype)), axis, bool(keepdims))


@provide
def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """The fraction of elements that are 0, as a float32 scalar; NaN of an empty tensor.

    >>> import graphrt as tf
    >>> tf.math.zero_fraction([0, 0, 1, 3]).numpy().item()
    0.5
    """
    with scope(name, "zero_fraction"):
        x = as_tensor(value, name="value")
        size = size_(x, out_type=dtypes.int64)
        zeros = size - count_nonzero(x)
        return identity(RealDiv(cast(zeros, dtypes.float32), cast(size, dtypes.float32)), name="fraction")
