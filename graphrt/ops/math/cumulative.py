"""Running sums and products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define, provide
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.selection import where
from graphrt.ops.math.arithmetic import Maximum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, Greater, Less
from graphrt.ops.math.division import RealDiv
from graphrt.ops.math.elementwise import Exp, Log
from graphrt.ops.math.logical import LogicalAnd
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import FLOATING, INDEX, NUMERIC, DType
from graphrt.types.likes import Array, AxisLike
from graphrt.types.shape import Dims

__all__ = ["cumprod", "cumsum", "cumulative_logsumexp"]


# --- running sums ----------------------------------------------------------------------------------------------------
def _running_dims(c: InferContext) -> Dims:
    dims, axis = c.dims(0), c.const(1)
    if axis is not None and axis.ndim:
        raise ShapeError(f"Shape must be rank 0 but is rank {axis.ndim}")
    if dims is not None and axis is not None and not -len(dims) <= int(axis) < len(dims):
        raise ShapeError(f"Expected scan axis in the range [{-len(dims)}, {len(dims)}), but got {int(axis)}")
    return dims


def _running(accumulate: Callable[..., Any], start: Callable[..., Any]) -> Callable[..., Any]:
    def kernel(x: Array, axis: Array, *, exclusive: bool, reverse: bool) -> Array:
        place, rank = int(axis), x.ndim
        if not -rank <= place < rank:
            raise errors.InvalidArgumentError(
                None, None, f"Expected scan axis in the range [{-rank}, {rank}), but got {place}"
            )
        if x.size == 0:
            return x
        work = np.flip(x, place) if reverse else x
        total = accumulate(work, place)
        if exclusive:
            first = np.full((*x.shape[: place % rank], 1, *x.shape[place % rank + 1 :]), start(x), x.dtype)
            kept = total[(slice(None),) * (place % rank) + (slice(0, -1),)]
            total = np.concatenate([first, kept], place)
        return np.flip(total, place) if reverse else total

    return kernel


def _running_op(type_: str, kernel: Callable[..., Any], vjp: Callable[..., Any], allowed: tuple[DType, ...]) -> OpDef:
    return define(
        type_, "x: T, axis: Tidx -> out: T",
        attrs="exclusive: bool = False; reverse: bool = False; Tidx: type = int32",
        allowed={"T": allowed, "Tidx": INDEX}, infer=_running_dims, kernel=kernel, vjp=vjp,
    )  # fmt: skip


def _cumsum_vjp(c: Any, g: object) -> list[Any]:
    axis = c.inputs[1]
    return [Cumsum(g, axis, exclusive=c.attrs["exclusive"], reverse=not c.attrs["reverse"]), None]


def _cumprod_vjp(c: Any, g: object) -> list[Any]:
    """What all products that an element is in change by: they are divided by it, or made without it, where it is 0.

    That is the first 0 alone: the products behind it hold a 0, whatever the others are.
    """
    x, axis = c.inputs
    flags = {"exclusive": c.attrs["exclusive"], "reverse": c.attrs["reverse"]}
    zero, one = Equal(x, zeros_like(x)), ones_like(x)
    zeros = Cumsum(cast(zero, dtypes.int32), axis, reverse=flags["reverse"])
    first = LogicalAnd(zero, Equal(zeros, as_tensor(1, dtypes.int32)))

    def total(factors: Any) -> Any:
        products = Cumprod(factors, axis, **flags) * g
        return Cumsum(products, axis, exclusive=flags["exclusive"], reverse=not flags["reverse"])

    before = where(Equal(zeros, as_tensor(0, dtypes.int32)), RealDiv(total(x), where(zero, one, x)), zeros_like(x))
    return [where(first, total(where(first, one, x)), before), None]


def _cumulative_logsumexp_vjp(c: Any, g: Any) -> list[Any]:
    x, axis = c.inputs
    y = c.outputs[0]
    flags = {"exclusive": c.attrs["exclusive"], "reverse": not c.attrs["reverse"]}
    low = as_tensor(x.dtype.min, x.dtype)
    zero = as_tensor(0, x.dtype)
    positive = where(Greater(g, zero), Log(Maximum(g, zero)), low)
    negative = where(Less(g, zero), Log(Maximum(-g, zero)), low)
    up = Exp(CumulativeLogsumexp(positive - y, axis, **flags) + x)
    down = Exp(CumulativeLogsumexp(negative - y, axis, **flags) + x)
    return [up - down, None]


def _from_zero(accumulate: Callable[..., Any]) -> Callable[..., Any]:
    """`accumulate` where the first is added to 0, too: -0.0 becomes 0.0."""

    def accumulated(x: Array, axis: int) -> Array:
        total = accumulate(x, axis, dtype=x.dtype)
        return total if x.dtype.kind in "iu" else np.add(total, x.dtype.type(0), out=total)

    return accumulated


Cumsum = _running_op("Cumsum", _running(_from_zero(np.add.accumulate), lambda x: 0), _cumsum_vjp, NUMERIC)
Cumprod = _running_op(
    "Cumprod", _running(lambda x, axis: np.multiply.accumulate(x, axis, dtype=x.dtype), lambda x: 1), _cumprod_vjp,
    NUMERIC,
)  # fmt: skip
CumulativeLogsumexp = _running_op(
    "CumulativeLogsumexp",
    _running(_from_zero(np.logaddexp.accumulate), lambda x: -np.inf),
    _cumulative_logsumexp_vjp, FLOATING,
)  # fmt: skip


@provide
def cumsum(
    x: TensorLike, axis: AxisLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """The running sum along `axis`: with `exclusive` without the element itself, with `reverse` from the end.

    >>> import graphrt as tf
    >>> tf.cumsum([1, 2, 3]).numpy().tolist(), tf.cumsum([1, 2, 3], exclusive=True, reverse=True).numpy().tolist()
    ([1, 3, 6], [5, 3, 0])
    """
    return Cumsum(as_tensor(x, name="x"), axis, exclusive=exclusive, reverse=reverse, name=name)


@provide
def cumprod(
    x: TensorLike, axis: AxisLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """The running product along `axis`: with `exclusive` without the element itself, with `reverse` from the end.

    >>> import graphrt as tf
    >>> tf.math.cumprod([1, 2, 3]).numpy().tolist()
    [1, 2, 6]
    """
    return Cumprod(as_tensor(x, name="x"), axis, exclusive=exclusive, reverse=reverse, name=name)


@provide
def cumulative_logsumexp(
    x: TensorLike, axis: AxisLike = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """The running `log(sum(exp(x)))` along `axis`.

    >>> import graphrt as tf
    >>> tf.math.cumulative_logsumexp([0.0, 0.0]).numpy().round(4)
    array([0.    , 0.6931], dtype=float32)
    """
    return CumulativeLogsumexp(as_tensor(x, name="x"), axis, exclusive=exclusive, reverse=reverse, name=name)
