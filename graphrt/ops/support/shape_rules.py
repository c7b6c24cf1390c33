"""The small vocabulary of the op families: named type rules, and what gradient rules share.

A type rule takes an `InferContext` and gives dims. `known_value` and `elementwise_partial` follow values (mostly
shapes) through arithmetic while a graph is being built.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import CompositeGiven, ConversionError, ShapeError, at_user_line
from graphrt.ir.graph import InferContext, Value, partial_value, static_value
from graphrt.ir.op import ops  # late: what it calls imports this file
from graphrt.tensor.changes import SWITCH
from graphrt.tensor.context import current_graph, recorders
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.promotion import is_plain, weakened, weakly
from graphrt.tensor.tensor import EagerTensor, Tensor, raw_of, static_array
from graphrt.tensor.values import partially_known, scalar_to_numpy
from graphrt.types.dtype import as_dtype
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims, TensorShape, broadcast, is_static, merge

__all__ = [
    "as_tensor",
    "broadcast_all",
    "broadcast_two",
    "elementwise_partial",
    "is_eager",
    "known_value",
    "merged",
    "real_conj",
    "require_equal",
    "require_rank",
    "require_size",
    "runs_now",
    "same_shape",
    "scalar",
    "shape_tensor",
    "size_list",
    "static_axes",
    "static_dims",
    "static_sizes",
    "unbroadcast",
    "unbroadcast_both",
    "unbroadcast_to",
    "vector",
]  # fmt: skip


# --- type rules ------------------------------------------------------------------------------------------------------
def same_shape(c: InferContext) -> Dims:
    """The output has the shape of the first input."""
    return c.dims(0)


def broadcast_two(c: InferContext) -> Dims:
    """The output has the broadcast shape of the first two inputs."""
    return broadcast(c.dims(0), c.dims(1))


def broadcast_all(c: InferContext) -> Dims:
    """The output has the broadcast shape of all inputs."""
    dims = c.dims(0)
    for i in range(1, len(c.inputs)):
        dims = broadcast(dims, c.dims(i))
    return dims


def merged(c: InferContext) -> Dims:
    """All inputs have one shape, and so has the output."""
    dims = c.dims(0)
    for i in range(1, len(c.inputs)):
        dims = merge(dims, c.dims(i))
    return dims


def scalar(c: InferContext) -> Dims:
    """The output is 0-d."""
    return ()


def vector(c: InferContext) -> Dims:
    """The output is 1-d, of unknown length."""
    return (None,)


def require_rank(c: InferContext, index: int, rank: int) -> None:
    """Raises ShapeError when the rank of an input is known and another one."""
    dims = c.dims(index)
    if dims is not None and len(dims) != rank:
        raise ShapeError(f"Shape must be rank {rank} but is rank {len(dims)}")


def require_size(c: InferContext, index: int, axis: int, size: int) -> None:
    """Raises ShapeError when an input's size along an axis is known and another one."""
    dims = c.dims(index)
    found = dims[axis] if dims else None
    if found is not None and found != size:
        raise ShapeError(f"Dimension must be {size} but is {found}")


def require_equal(c: InferContext, first: int, second: int) -> None:
    """Raises ShapeError when the first sizes of two inputs are known and differ."""
    one, other = c.dims(first), c.dims(second)
    sizes = {dims[0] for dims in (one, other) if dims and dims[0] is not None}
    if len(sizes) > 1:
        raise ShapeError(f"Dimensions must be equal, but are {one[0]} and {other[0]}")  # type: ignore[index]


def size_list(shape: Any) -> Any:
    """A shape as NumPy takes it, where a single size stands for a list of one; ops take vectors alone."""
    one = isinstance(shape, (int, np.integer)) or (isinstance(shape, Tensor) and shape.dims == ())
    return [shape] if one else shape


# --- what is known of values while tracing ---------------------------------------------------------------------------
_MAX_KNOWN = 64  # a vector longer than this is no shape; following it would only cost time


def known_value(value: Value) -> Any:
    """What is known of an integer scalar or vector: an int, a list of `int | None`, or None."""
    if value.dtype.kind not in "iu" or value.dims is None or len(value.dims) > 1:
        return None
    if value.dims and (value.dims[0] is None or value.dims[0] > _MAX_KNOWN):
        return None
    whole = static_value(value)
    if whole is not None:
        return whole.tolist()
    found = partial_value(value)
    if found is None:
        return [None] * int(value.dims[0] or 0) if value.dims else None
    if isinstance(found, (np.ndarray, np.integer)):
        return found.tolist()
    return list(found) if isinstance(found, tuple) else found


def elementwise_partial(function: Callable[..., Any]) -> Callable[..., Any]:
    """A `partial` rule for integer arithmetic: applies `function` entry by entry, None where an operand is unknown."""

    def partial(c: InferContext) -> int | list[int | None] | None:
        if c.dtype(0).kind not in "iu":
            return None
        values = [known_value(v) for v in c.inputs]
        lengths = {len(v) for v in values if isinstance(v, list) and len(v) != 1}
        if len(lengths) > 1 or all(v is None for v in values):
            return None
        if not any(isinstance(v, list) for v in values):
            return _fold(function, values, c)
        if any(v is None and x.dims != () for v, x in zip(values, c.inputs)):
            return None
        length = lengths.pop() if lengths else 1
        columns = [v if isinstance(v, list) else [v] for v in values]
        columns = [v * length if len(v) == 1 else v for v in columns]
        return [_fold(function, row, c) for row in zip(*columns)]

    return partial


def _fold(
    function: Callable[..., Any], row: list[int | None] | tuple[int | None, int | None], c: InferContext
) -> int | None:
    if any(v is None for v in row):
        return None
    try:
        found = int(function(*row))
    except (ZeroDivisionError, ValueError, OverflowError):
        return None
    low, high = c.dtype(0).min, c.dtype(0).max
    return found if low <= found <= high else None


# --- gradients -------------------------------------------------------------------------------------------------------
def known(value: Any, what: str) -> Any:
    """The elements of an argument that must be known while tracing, as an array.

    Raises:
      ValueError: only the graph knows them; the error names the user's line.
    """
    found = static_array(value) if isinstance(value, Tensor) else value
    if found is None:
        raise ValueError(
            errors.at_user_line(f"{what} must be a constant, and only the graph knows what {shown(value)} is")
        )
    return found


def as_tensor(value: Any, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """`value` as a Tensor (a Tensor as it is). Ragged and sparse tensors stay what they are: the ops know them."""
    try:
        if isinstance(value, Tensor):
            return value
        tensor = convert_to_tensor(value, dtype, name=name)
        return (
            weakened(tensor, is_plain(value)) if SWITCH.promoting and dtype is None and weakly() is not None else tensor
        )
    except CompositeGiven as given:
        if given.value is not value:
            raise
        if dtype is None or value.dtype == dtype:
            return value
        wanted = as_dtype(dtype).name
        text = (
            f"a {type(value).__name__} of dtype {value.dtype.name} is given where {wanted} is needed: tf.cast it first"
        )
        raise ConversionError(at_user_line(text)) from None


def static_dims(x: Any) -> Dims:
    """The static shape of a tensor."""
    return x.dims


def shape_tensor(x: Tensor) -> Tensor:
    """The shape of `x` as an int32 tensor: a constant when it is known."""
    dims = x.dims
    if is_static(dims):
        return convert_to_tensor(np.array(dims, np.int32), name="Shape")
    return ops.Shape(x)


def real_conj(x: Any) -> Any:
    """The complex conjugate; `x` itself when it is real (gradients multiply by the conjugate)."""
    return ops.Conj(x) if x.dtype.is_complex else x


def unbroadcast(grad: Any, x: Any, y: Any) -> Any:
    """`grad`, of the broadcast shape of `x` and `y`, summed down to the shape of `x`."""
    if x.dims == y.dims and is_static(x.dims):
        return grad
    if grad.dims is not None and grad.dims == x.dims and is_static(x.dims):
        return grad
    if is_static(x.dims) and y.dims is not None and (is_static(y.dims) or is_static(grad.dims)):
        full = grad.dims if is_static(grad.dims) else broadcast(x.dims, y.dims)
        return _sum_to(grad, x.dims, full)  # type: ignore[arg-type]
    shape = shape_tensor(x)
    axes = ops.BroadcastGradientArgs(shape, shape_tensor(y))[0]
    return ops.Reshape(ops.Sum(grad, axes), shape)


def _sum_to(grad: Tensor, dims: tuple[int, ...], full: tuple[int, ...]) -> Tensor:
    lead = len(full) - len(dims)
    axes = [*range(lead), *(i + lead for i, d in enumerate(dims) if d == 1 and full[i + lead] != 1)]
    if axes:
        grad = ops.Sum(grad, np.array(axes, np.int32))
    return grad if grad.dims == dims else ops.Reshape(grad, np.array(dims, np.int32))


def unbroadcast_both(call: Any, grad_x: Any, grad_y: TensorLike) -> list[Any]:
    """The gradients of the two broadcast inputs of `call`, each summed down to the shape of its input."""
    x, y = call.inputs
    return [unbroadcast(grad_x, x, y), unbroadcast(grad_y, y, x)]


def unbroadcast_to(grad: object, x: object) -> Tensor:
    """`grad` summed down to the shape of `x`, which broadcasts to the shape of `grad`."""
    return unbroadcast(grad, x, grad)


def static_axes(tensor: Any, rank: int) -> list[int] | None:
    """The axes an index tensor names, as non-negative ints in order; None while unknown."""
    array = static_array(tensor) if isinstance(tensor, Tensor) else np.asarray(tensor)
    if array is None:
        return None
    return [int(a) % rank if rank else int(a) for a in array.reshape(-1).tolist()]


def order_with_last(x: TensorLike, axis: int) -> Tensor:
    """The permutation that swaps `axis` with the last dimension, for a tensor whose rank is known when it is."""
    last = ops.rank(x) - 1
    at = axis if axis >= 0 else last + 1 + axis
    places = ops.range(last + 1)
    return ops.where(ops.Equal(places, at), last, ops.where(ops.Equal(places, last), at, places))


def runs_now() -> bool:
    """Whether ops run at once and nobody looks at them: then a kernel may be called without further ado."""
    return current_graph() is None and not recorders() and not (SWITCH.promoting and weakly() is not None)


def scalar_or_none(value: Any, dtype: Any) -> Any:
    """A Python number as a NumPy scalar of `dtype`, or None where it does not fit."""
    try:
        return scalar_to_numpy(value, dtype)
    except (TypeError, ValueError):
        return None


def is_eager(*tensors: Any) -> bool:
    """Whether all of `tensors` hold their elements."""
    return all(isinstance(t, EagerTensor) for t in tensors)


def static_sizes(shape: Any) -> tuple[int, ...] | None:
    """`shape` as a tuple of ints when every entry is a plain number."""
    if isinstance(shape, (int, np.integer)):
        return (int(shape),)
    if isinstance(shape, TensorShape):
        if not shape.is_fully_defined():
            raise ValueError(at_user_line(partially_known(shape)))
        return tuple(shape.as_list())  # type: ignore[arg-type]
    if isinstance(shape, (list, tuple)) and all(isinstance(d, (int, np.integer)) for d in shape):
        return tuple(int(d) for d in shape)
    if isinstance(shape, np.ndarray) and shape.dtype.kind in "iu":
        return tuple(np.ravel(shape).tolist())
    if isinstance(shape, EagerTensor):
        return tuple(np.ravel(raw_of(shape)).tolist()) if shape.dtype.is_integer else None
    if isinstance(shape, (list, tuple)) and all(isinstance(d, (int, np.integer, EagerTensor)) for d in shape):
        return tuple(int(d) for d in shape)
    return None
