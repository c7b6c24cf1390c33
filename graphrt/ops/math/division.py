"""Quotients and remainders.

Integers: `/` gives floats, `//` and `%` round towards minus infinity as Python's do, `truncatediv` and `truncatemod`
towards zero as C's do. An integer divided by zero is an error; a float divided by zero is infinite or NaN.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.code import Code, Template, sign
from graphrt.ir.graph import Node, static_value
from graphrt.ir.op import ELEMENTWISE, Neutral, ScalarEmit, define, infix, provide
from graphrt.ops.math.casting import cast
from graphrt.ops.support.never_fails import divides
from graphrt.ops.support.shape_rules import (
    as_tensor,
    broadcast_two,
    elementwise_partial,
    real_conj,
    runs_now,
    scalar_or_none,
    unbroadcast_both,
)
from graphrt.tensor.changes import SWITCH
from graphrt.tensor.context import scope
from graphrt.tensor.promotion import promoted
from graphrt.tensor.tensor import EagerTensor, Tensor, TensorLike, raw_of
from graphrt.tensor.weak import balanced, has_weak, is_flexible, is_number, weak_cast, weak_number
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import FLOATING, INEXACT, NUMERIC, REAL
from graphrt.types.float_warnings import silently
from graphrt.types.likes import Array

__all__ = [
    "divide", "divide_no_nan", "floordiv", "floormod", "mod", "realdiv", "reciprocal_no_nan", "truediv",
    "truncatediv", "truncatemod",
]  # fmt: skip


def _refuse_zero(x: Array, y: Array) -> None:
    if not y.all() and x.size:  # else there is nothing to divide
        raise errors.InvalidArgumentError(None, None, "Integer division by zero")


def _real_div(x: Array, y: Array) -> Array:
    if x.dtype.kind in "iu":
        return _truncate_div(x, y)
    return np.true_divide(x, y)


def _floor_div(x: Array, y: Array) -> Array:
    if x.dtype.kind in "iu":
        _refuse_zero(x, y)
        return np.floor_divide(x, y)
    if x.dtype.kind == "c":
        return np.true_divide(x, y)
    return np.floor(np.true_divide(x, y))


def _floor_mod(x: Array, y: Array) -> Array:
    if x.dtype.kind in "iu":
        _refuse_zero(x, y)
        return np.remainder(x, y)
    rest = np.fmod(x, y)
    return np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)[()]


def _truncate_div(x: Array, y: Array) -> Array:
    if x.dtype.kind in "iu":
        _refuse_zero(x, y)
        quotient = np.floor_divide(x, y)
        if x.dtype.kind == "u":
            return quotient
        return quotient + ((quotient < 0) & (quotient * y != x)).astype(x.dtype)
    if x.dtype.kind == "c":
        return np.true_divide(x, y)
    return np.trunc(np.true_divide(x, y))


def _truncate_mod(x: Array, y: Array) -> Array:
    if x.dtype.kind in "iu":
        _refuse_zero(x, y)
    return np.fmod(x, y)


def _safe_integer_infix(symbol: str) -> Callable[..., Any]:
    plain = infix(symbol)

    def emit(emitter: object, node: Node, inputs: list[Code]) -> list[Code] | None:
        if node.inputs[0].dtype.kind not in "iu":
            return None  # Python's float // and % treat signed zeros and infinities otherwise
        divisor = static_value(node.inputs[1])
        if divisor is None or not divisor.all():
            return None
        return _by_bits(symbol, emitter, divisor, inputs) or plain(emitter, node, inputs)

    return emit


def _by_bits(symbol: str, emitter: Any, divisor: Array, inputs: list[Code]) -> list[Code] | None:
    """What divides by a power of two, as NumPy does many times faster; None for another divisor."""
    number = int(divisor) if not divisor.ndim else 0
    if number < 1 or number & (number - 1):
        return None
    template, found = (_LOW_BITS, number - 1) if symbol == "%" else (_HIGH_BITS, number.bit_length() - 1)
    return [template(inputs[0], emitter.bind(divisor.dtype.type(found), "bits"))]


_LOW_BITS, _HIGH_BITS = Template("({} & {})"), Template("({} >> {})")


def _float_infix(symbol: str) -> Callable[..., Any]:
    plain = infix(symbol)

    def emit(emitter: object, node: Node, inputs: list[Code]) -> list[Code] | None:
        return plain(emitter, node, inputs) if node.inputs[0].dtype.kind == "f" else None

    return emit


def _div_vjp(c: Any, g: object) -> list[Any]:
    x, y = c.inputs
    x, y = real_conj(x), real_conj(y)
    return unbroadcast_both(c, RealDiv(g, y), g * RealDiv(RealDiv(-x, y), y))


RealDiv = define(
    "RealDiv", "x: T, y: T -> z: T", allowed={"T": NUMERIC},
    infer=broadcast_two, kernel=_real_div, vjp=_div_vjp, emit=_float_infix("/"), traits=(ELEMENTWISE,),
    never_fails=divides, ufunc=np.true_divide, neutral=Neutral(1, left=False),
)  # fmt: skip
Div = define(
    "Div", "x: T, y: T -> z: T", allowed={"T": NUMERIC},
    infer=broadcast_two, kernel=_real_div, vjp=_div_vjp, emit=_float_infix("/"), traits=(ELEMENTWISE,),
    never_fails=divides, ufunc=np.true_divide, neutral=Neutral(1, left=False),
)  # fmt: skip
_QUOTIENT = Template("{0} {2} {1} if {1} else {3}({0}, {1})")  # the kernel refuses what Python would


def _divided(symbol: str) -> ScalarEmit:
    divided = sign(symbol)

    def rule(emitter: Any, node: Node, inputs: list[Code]) -> Code | None:
        if node.inputs[0].dtype.kind not in "iu":
            return None
        a, b = inputs
        return _QUOTIENT(a, b, divided, emitter.bind(node.op.kernel, f"k_{node.type}"))

    return rule


FloorDiv = define(
    "FloorDiv", "x: T, y: T -> z: T", allowed={"T": NUMERIC},
    infer=broadcast_two, kernel=_floor_div, vjp=lambda c, g: [None, None],
    partial=elementwise_partial(operator.floordiv), emit=_safe_integer_infix("//"), traits=(ELEMENTWISE,),
    never_fails=divides, scalar_emit=_divided("//"), neutral=Neutral(1, "iu", left=False),
)  # fmt: skip


def _floor_mod_vjp(c: Any, g: object) -> list[Any]:
    x, y = c.inputs
    return unbroadcast_both(c, g, g * -FloorDiv(x, y))


FloorMod = define(
    "FloorMod", "x: T, y: T -> z: T", allowed={"T": REAL},
    infer=broadcast_two, kernel=_floor_mod, vjp=_floor_mod_vjp,
    partial=elementwise_partial(operator.mod), emit=_safe_integer_infix("%"), traits=(ELEMENTWISE,),
    never_fails=divides, scalar_emit=_divided("%"),
)  # fmt: skip
TruncateDiv = define(
    "TruncateDiv", "x: T, y: T -> z: T", allowed={"T": NUMERIC},
    infer=broadcast_two, kernel=_truncate_div, vjp=lambda c, g: [None, None], traits=(ELEMENTWISE,),
    never_fails=divides, neutral=Neutral(1, "iu", left=False),
)  # fmt: skip


def _truncate_mod_vjp(c: Any, g: object) -> list[Any]:
    x, y = c.inputs
    return unbroadcast_both(c, g, g * -TruncateDiv(x, y))


TruncateMod = define(
    "TruncateMod", "x: T, y: T -> z: T", allowed={"T": (dtypes.int32, dtypes.int64, *FLOATING)},
    infer=broadcast_two, kernel=_truncate_mod, vjp=_truncate_mod_vjp, traits=(ELEMENTWISE,),
    never_fails=divides,
)  # fmt: skip
Mod = define(
    "Mod", "x: T, y: T -> z: T", allowed={"T": (dtypes.int32, dtypes.int64, *FLOATING)},
    infer=broadcast_two, kernel=_truncate_mod, vjp=_truncate_mod_vjp, traits=(ELEMENTWISE,),
    never_fails=divides,
)  # fmt: skip


def _div_no_nan(x: Array, y: Array) -> Array:
    zero = y == 0
    return np.where(zero, x.dtype.type(0), np.true_divide(x, np.where(zero, x.dtype.type(1), y)))[()]


def _div_no_nan_vjp(c: Any, g: object) -> list[Any]:
    x, y = c.inputs
    x, y = real_conj(x), real_conj(y)
    return unbroadcast_both(c, DivNoNan(g, y), g * DivNoNan(DivNoNan(-x, y), y))


DivNoNan = define(
    "DivNoNan", "x: T, y: T -> z: T", allowed={"T": INEXACT},
    infer=broadcast_two, kernel=_div_no_nan, vjp=_div_no_nan_vjp, traits=(ELEMENTWISE,),
)  # fmt: skip


# --- public functions ------------------------------------------------------------------------------------------------
_QUOTIENT_TYPE = {
    dtypes.int8: dtypes.float32, dtypes.uint8: dtypes.float32, dtypes.int16: dtypes.float32,
    dtypes.uint16: dtypes.float32, dtypes.int32: dtypes.float64, dtypes.uint32: dtypes.float64,
    dtypes.int64: dtypes.float64, dtypes.uint64: dtypes.float64,
}  # fmt: skip


@provide
def true_divide(x: Any, y: Any, name: str | None = None) -> Any:
    """The quotient `x / y`; integers are converted to float64 (those of 8 and 16 bits to float32) first."""
    if SWITCH.promoting and (found := promoted(true_divide, x, y, name)) is not None:
        return found
    if type(x) is EagerTensor and runs_now() and (quotient := _QUOTIENT_TYPE.get(x.dtype)) is not None:
        fits = type(y) is EagerTensor and y.dtype is x.dtype
        if fits or type(y) is int:
            divisor = raw_of(y) if fits else scalar_or_none(y, x.dtype)
            if divisor is not None:
                try:
                    return EagerTensor(silently(np.true_divide, raw_of(x), divisor, dtype=quotient.as_numpy_dtype))
                except ValueError:  # the shapes do not fit: told below
                    pass
    with scope(name, "truediv") as full:
        if has_weak((x, y)):
            x, y = balanced(x, y)
            y = weak_number(y, x.dtype, "y") if is_number(y) else y
            x = weak_number(x, y.dtype, "x") if is_number(x) else x
        if hasattr(y, "__tf_tensor__") and not isinstance(x, Tensor):
            y = as_tensor(y, name="y")  # a variable says the dtype as a tensor does
        if isinstance(x, Tensor):
            y = as_tensor(y, x.dtype, name="y")
        elif isinstance(y, Tensor):
            x = as_tensor(x, y.dtype, name="x")
        else:
            x = as_tensor(x, name="x")
            y = as_tensor(y, x.dtype, name="y")
        if x.dtype is not y.dtype:
            raise errors.DTypeMismatchError(
                errors.at_user_line(
                    f"`x` and `y` must have the same dtype, got tf.{x.dtype.name} != tf.{y.dtype.name}."
                )
            )
        quotient = _QUOTIENT_TYPE.get(x.dtype)
        if quotient is not None:
            x, y = (weak_cast(v, quotient) if is_flexible(v) else cast(v, quotient) for v in (x, y))
        return RealDiv(x, y, name=full)


@provide
def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The quotient `x / y`; integers are divided as float64 (those of 8 and 16 bits as float32).

    >>> import graphrt as tf
    >>> tf.truediv([1, 3], 2).numpy().tolist()
    [0.5, 1.5]

    Raises:
      TypeError: `x` and `y` are tensors of different dtypes.
    """
    return true_divide(x, y, name)


@provide
def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The quotient `x / y`, as Python's `/` gives it.

    >>> import graphrt as tf
    >>> tf.divide([16, 12], [4, 8]).numpy().tolist()
    [4.0, 1.5]
    """
    if name is not None:
        return true_divide(x, y, name)
    return x / y if isinstance(x, Tensor) else true_divide(x, y)


@provide
def realdiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The quotient `x / y` of two tensors of one dtype, in that dtype.

    >>> import graphrt as tf
    >>> tf.realdiv([1.0, 3.0], 2.0).numpy().tolist()
    [0.5, 1.5]
    """
    return RealDiv(x, y, name=name)


@provide
def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The quotient `x / y` rounded towards minus infinity.

    >>> import graphrt as tf
    >>> tf.math.floordiv([7, -7], 2).numpy().tolist()
    [3, -4]

    Raises:
      InvalidArgumentError: an integer is divided by zero.
    """
    return FloorDiv(x, y, name=name or "floordiv")


@provide
def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The remainder of `x // y`; it has the sign of `y`.

    >>> import graphrt as tf
    >>> tf.math.floormod([7, -7], 3).numpy().tolist()
    [1, 2]

    Raises:
      InvalidArgumentError: an integer is divided by zero.
    """
    return FloorMod(x, y, name=name)


mod = floormod


@provide
def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The quotient `x / y` rounded towards zero.

    >>> import graphrt as tf
    >>> tf.truncatediv([7, -7], 2).numpy().tolist()
    [3, -3]
    """
    return TruncateDiv(x, y, name=name)


@provide
def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The remainder of `truncatediv`; it has the sign of `x`.

    >>> import graphrt as tf
    >>> tf.truncatemod([7, -7], 3).numpy().tolist()
    [1, -1]
    """
    return TruncateMod(x, y, name=name)


@provide
def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The quotient `x / y`, and 0 where `y` is 0.

    >>> import graphrt as tf
    >>> tf.math.divide_no_nan([1.0, 2.0], [0.0, 4.0]).numpy().tolist()
    [0.0, 0.5]
    """
    if SWITCH.promoting and (found := promoted(divide_no_nan, x, y, name)) is not None:
        return found
    with scope(name, "div_no_nan") as full:
        if not isinstance(y, Tensor):
            x = as_tensor(x, name="x") if not isinstance(x, Tensor) else x
            y = as_tensor(y, x.dtype, name="y")
        else:
            x = as_tensor(x, y.dtype, name="x")
        if x.dtype.is_integer and y.dtype is x.dtype:
            quotient = _QUOTIENT_TYPE[x.dtype]
            x, y = cast(x, quotient), cast(y, quotient)
        return DivNoNan(x, y, name=full)


@provide
def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """`1 / x`, and 0 where `x` is 0.

    >>> import graphrt as tf
    >>> tf.math.reciprocal_no_nan([2.0, 0.0]).numpy().tolist()
    [0.5, 0.0]
    """
    with scope(name, "reciprocal_no_nan") as full:
        x = as_tensor(x, name="x")
        return DivNoNan(as_tensor(1, x.dtype, name="one"), x, name=full)
