"""Functions of one tensor, element by element: signs, rounding, roots, exponentials, trigonometry, complex parts."""

# long: one family of ops, each a few lines
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.code import Code, Template
from graphrt.ir.graph import Node
from graphrt.ir.op import (  # late: nn.activations imports this file
    ELEMENTWISE,
    IDEMPOTENT,
    INVOLUTION,
    PRESERVES_ZERO,
    OpDef,
    define,
    infix,
    ops,
    provide,
)
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.selection import where
from graphrt.ops.math.casting import complex as complex_
from graphrt.ops.math.comparison import Less
from graphrt.ops.math.division import DivNoNan, TruncateDiv
from graphrt.ops.support.kernel_helpers import is_half, is_whole, summed_in
from graphrt.ops.support.never_fails import floats_only
from graphrt.ops.support.shape_rules import as_tensor, real_conj, same_shape
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import COMPLEX, FLOATING, INEXACT, NUMERIC
from graphrt.types.likes import Array

__all__ = [
    "abs", "acos", "acosh", "angle", "asin", "asinh", "atan", "atanh", "ceil", "conj", "cos", "cosh", "exp", "expm1",
    "floor", "imag", "is_finite", "is_inf", "is_nan", "log", "log1p", "log_sigmoid", "negative", "real", "reciprocal",
    "rint", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh",
]  # fmt: skip

_SIGNED = (*FLOATING, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64)


def _unary(
    type_: str, kernel: Any, vjp: Any = None, allowed: Any = INEXACT, emit: Any = None, traits: tuple[str, ...] = (),
    **facts: Any,
) -> OpDef:  # fmt: skip
    rule = None if vjp is None else lambda c, g: [vjp(c.inputs[0], c.outputs[0], g)]
    return define(
        type_, "x: T -> y: T", allowed={"T": allowed},
        infer=same_shape, kernel=kernel, vjp=rule, emit=emit, traits=(ELEMENTWISE, *traits), **facts,
    )  # fmt: skip


_PRODUCT = Template("{0} * {0}")


def _scalar_square(emitter: object, node: Node, inputs: list[Code]) -> Code | None:
    return _PRODUCT(inputs[0]) if node.inputs[0].dtype.kind in "fiu" else None


def _two(x: Any) -> Tensor:
    return as_tensor(2, x.dtype)


def _one(x: Any) -> Tensor:
    return as_tensor(1, x.dtype)


_ABS = Template("abs({})")


# --- signs and rounding ----------------------------------------------------------------------------------------------
Neg = _unary(
    "Neg",
    np.negative,
    lambda x, y, g: -g,
    (*_SIGNED, *COMPLEX),
    infix("-"),
    traits=(PRESERVES_ZERO, INVOLUTION),
)
Abs = _unary(
    "Abs",
    np.absolute,
    lambda x, y, g: g * Sign(x),
    _SIGNED,
    lambda e, n, i: [_ABS(i[0])],
    traits=(PRESERVES_ZERO, IDEMPOTENT),
)
Sign: OpDef = _unary(
    "Sign",
    np.sign,
    lambda x, y, g: zeros_like(g),
    (*_SIGNED, *COMPLEX),
    traits=(PRESERVES_ZERO,),
)
Floor = _unary(
    "Floor",
    np.floor,
    lambda x, y, g: None,
    FLOATING,
    traits=(PRESERVES_ZERO,),
)
Ceil = _unary(
    "Ceil",
    np.ceil,
    lambda x, y, g: None,
    FLOATING,
    traits=(PRESERVES_ZERO,),
)
Round = _unary(
    "Round",
    lambda x: x if is_whole(x.dtype) else np.rint(x),
    lambda x, y, g: None,
    (*_SIGNED, *COMPLEX),
    traits=(PRESERVES_ZERO,),
)
Rint = _unary(
    "Rint",
    np.rint,
    lambda x, y, g: None,
    FLOATING,
    traits=(PRESERVES_ZERO,),
)


# --- powers ----------------------------------------------------------------------------------------------------------
def _rsqrt(x: Array) -> Array:
    wide = x.astype(summed_in(x.dtype), copy=False)
    return _over(np.sqrt(wide)).astype(x.dtype, copy=False)


def _over(x: Array) -> Array:
    """1 / x; 0 for complex numbers of which a part is infinite."""
    found = x.dtype.type(1) / x
    return np.where(np.isinf(x), x.dtype.type(0), found) if x.dtype.kind == "c" else found


Square = _unary(
    "Square",
    np.square,
    lambda x, y, g: g * (_two(x) * real_conj(x)),
    NUMERIC,
    scalar_emit=_scalar_square,
    traits=(PRESERVES_ZERO,),
)
Sqrt = _unary(
    "Sqrt",
    np.sqrt,
    lambda x, y, g: SqrtGrad(y, g),
    traits=(PRESERVES_ZERO,),
)
Rsqrt = _unary("Rsqrt", _rsqrt, lambda x, y, g: RsqrtGrad(y, g))


def _reciprocal(x: Array) -> Array:
    if x.dtype.kind == "i":
        return TruncateDiv.compute(x.dtype.type(1), x)
    return x.dtype.type(1) / x


Reciprocal = _unary(
    "Reciprocal", _reciprocal, lambda x, y, g: ReciprocalGrad(y, g), (*_SIGNED, *COMPLEX), never_fails=floats_only
)
Inv = _unary("Inv", _reciprocal, lambda x, y, g: ReciprocalGrad(y, g), (*_SIGNED, *COMPLEX), never_fails=floats_only)

# --- exponentials ----------------------------------------------------------------------------------------------------
Exp = _unary("Exp", np.exp, lambda x, y, g: g * real_conj(y))
Expm1 = _unary(
    "Expm1",
    np.expm1,
    lambda x, y, g: g * real_conj(Exp(x)),
    traits=(PRESERVES_ZERO,),
)
Log = _unary("Log", np.log, lambda x, y, g: g * Reciprocal(real_conj(x)))
Log1p = _unary(
    "Log1p",
    np.log1p,
    lambda x, y, g: g * Reciprocal(_one(x) + real_conj(x)),
    traits=(PRESERVES_ZERO,),
)


def _sigmoid(x: Array) -> Array:
    one = x.dtype.type(1)
    if is_half(x.dtype):  # in TensorFlow's steps, each rounded
        e = np.exp(np.minimum(x, x.dtype.type(11)))
        return e / (one + e)
    if x.dtype.kind != "f" or not x.ndim:
        return _over(one + np.exp(-x))
    found = np.negative(x)  # one array for all steps
    np.exp(found, out=found)
    np.add(found, one, out=found)
    return np.divide(one, found, out=found)


Sigmoid = _unary("Sigmoid", _sigmoid, lambda x, y, g: SigmoidGrad(y, g))
Tanh = _unary(
    "Tanh",
    np.tanh,
    lambda x, y, g: TanhGrad(y, g),
    traits=(PRESERVES_ZERO,),
)

# --- trigonometry ----------------------------------------------------------------------------------------------------
Sin = _unary(
    "Sin",
    np.sin,
    lambda x, y, g: g * Cos(real_conj(x)),
    traits=(PRESERVES_ZERO,),
)
Cos: OpDef = _unary("Cos", np.cos, lambda x, y, g: -g * Sin(real_conj(x)))
Tan = _unary(
    "Tan",
    np.tan,
    lambda x, y, g: g * Square(Reciprocal(Cos(real_conj(x)))),
    traits=(PRESERVES_ZERO,),
)
Asin = _unary(
    "Asin",
    np.arcsin,
    lambda x, y, g: g * Rsqrt(_one(x) - Square(real_conj(x))),
    traits=(PRESERVES_ZERO,),
)
Acos = _unary("Acos", np.arccos, lambda x, y, g: -g * Rsqrt(_one(x) - Square(real_conj(x))))
Atan = _unary(
    "Atan",
    np.arctan,
    lambda x, y, g: g * Reciprocal(_one(x) + Square(real_conj(x))),
    traits=(PRESERVES_ZERO,),
)
Sinh = _unary(
    "Sinh",
    np.sinh,
    lambda x, y, g: g * Cosh(real_conj(x)),
    traits=(PRESERVES_ZERO,),
)
Cosh: OpDef = _unary("Cosh", np.cosh, lambda x, y, g: g * Sinh(real_conj(x)))
Asinh = _unary(
    "Asinh",
    np.arcsinh,
    lambda x, y, g: g / Cosh(real_conj(y)),
    traits=(PRESERVES_ZERO,),
)
Acosh = _unary("Acosh", np.arccosh, lambda x, y, g: g / Sinh(real_conj(y)))
Atanh = _unary(
    "Atanh",
    np.arctanh,
    lambda x, y, g: g * Reciprocal(_one(x) - Square(real_conj(x))),
    traits=(PRESERVES_ZERO,),
)


# --- gradients that are ops of their own (written in terms of the result, which is at hand) --------------------------
def _from_result(type_: str, kernel: Callable[..., Any], vjp: Callable[..., Any]) -> OpDef:
    return define(
        type_, "y: T, dy: T -> z: T", allowed={"T": INEXACT},
        infer=same_shape, kernel=kernel, vjp=vjp, traits=(ELEMENTWISE,),
    )  # fmt: skip


def _sqrt_grad_vjp(c: Any, g: Any) -> list[Any]:
    y, _ = c.inputs
    return [-real_conj(g) * c.outputs[0] / real_conj(y), as_tensor(0.5, y.dtype) * g / y]


def _rsqrt_grad_vjp(c: Any, g: object) -> list[Any]:
    y, dy = c.inputs
    cy = real_conj(y)
    gy = as_tensor(-1.5, y.dtype) * real_conj(g) * dy * Square(cy)
    return [gy, RsqrtGrad(cy, g)]


def _reciprocal_grad_vjp(c: Any, g: object) -> list[Any]:
    y, dy = c.inputs
    cy = real_conj(y)
    return [as_tensor(-2, y.dtype) * real_conj(g) * dy * cy, ReciprocalGrad(cy, g)]


def _sigmoid_grad_vjp(c: Any, g: object) -> list[Any]:
    y, dy = c.inputs
    cy, ga = real_conj(y), real_conj(g) * dy
    return [ga - _two(y) * ga * cy, SigmoidGrad(cy, g)]


def _tanh_grad_vjp(c: Any, g: object) -> list[Any]:
    y, dy = c.inputs
    cy = real_conj(y)
    return [as_tensor(-2, y.dtype) * real_conj(g) * dy * cy, TanhGrad(cy, g)]


def _where_asked(dy: Array, found: Array) -> Array:
    """A gradient which is 0 where none comes in: roots may stand in a branch of `where` that was not taken."""
    return np.where(dy == 0, dy.dtype.type(0), found)[()]


SqrtGrad: OpDef = _from_result(
    "SqrtGrad", lambda y, dy: _where_asked(dy, dy * y.dtype.type(0.5) / np.conj(y)), _sqrt_grad_vjp
)
RsqrtGrad: OpDef = _from_result(
    "RsqrtGrad", lambda y, dy: _where_asked(dy, dy * y.dtype.type(-0.5) * np.conj(y) ** 3), _rsqrt_grad_vjp
)
ReciprocalGrad: OpDef = _from_result("ReciprocalGrad", lambda y, dy: -dy * np.square(np.conj(y)), _reciprocal_grad_vjp)
InvGrad = _from_result("InvGrad", lambda y, dy: -dy * np.square(np.conj(y)), _reciprocal_grad_vjp)
SigmoidGrad: OpDef = _from_result(
    "SigmoidGrad", lambda y, dy: dy * np.conj(y) * (y.dtype.type(1) - np.conj(y)), _sigmoid_grad_vjp
)
TanhGrad: OpDef = _from_result("TanhGrad", lambda y, dy: dy * (y.dtype.type(1) - np.square(np.conj(y))), _tanh_grad_vjp)


# --- tests -----------------------------------------------------------------------------------------------------------
def _test(type_: str, kernel: np.ufunc) -> OpDef:
    return define(
        type_, "x: T -> y: bool", allowed={"T": FLOATING}, infer=same_shape, kernel=kernel,
        vjp=lambda c, g: [None], traits=(ELEMENTWISE,),
    )  # fmt: skip


IsNan = _test("IsNan", np.isnan)
IsInf = _test("IsInf", np.isinf)
IsFinite = _test("IsFinite", np.isfinite)


# --- complex numbers -------------------------------------------------------------------------------------------------
def _part(type_: str, schema: str, kernel: Any, vjp: Any, traits: tuple[str, ...] = ()) -> Any:
    return define(
        type_, schema, attrs="T: type = complex64; Tout: type = float32",
        allowed={"T": COMPLEX, "Tout": (dtypes.float32, dtypes.float64)},
        infer=same_shape, kernel=kernel, vjp=lambda c, g: [vjp(c.inputs[0], c.outputs[0], g)],
        traits=(ELEMENTWISE, *traits),
    )  # fmt: skip


def _angle_vjp(x: Any, y: object, g: Any) -> Tensor:
    re, im = real(x), imag(x)
    z = Reciprocal(complex_(im, re))
    zero = zeros_like(g)
    return -complex_(g, zero) * z


_PART = "input: T -> output: Tout"
ComplexAbs = _part(
    "ComplexAbs", "x: T -> y: Tout", lambda x, *, Tout: np.absolute(x).astype(Tout.as_numpy_dtype),
    lambda x, y, g: DivNoNan(complex_(g, zeros_like(g)) * x, complex_(y, zeros_like(y))),
)  # fmt: skip
Real = _part(
    "Real", _PART, lambda input, *, Tout: np.array(input.real, Tout.as_numpy_dtype)[()],
    lambda x, y, g: complex_(g, zeros_like(g)),
    traits=(PRESERVES_ZERO,),
)  # fmt: skip
Imag = _part(
    "Imag", _PART, lambda input, *, Tout: np.array(input.imag, Tout.as_numpy_dtype)[()],
    lambda x, y, g: complex_(zeros_like(g), g),
    traits=(PRESERVES_ZERO,),
)  # fmt: skip
Angle = _part("Angle", _PART, lambda input, *, Tout: np.angle(input).astype(Tout.as_numpy_dtype), _angle_vjp)
Conj: OpDef = define(
    "Conj", "input: T -> output: T", attrs="T: type = complex64", allowed={"T": (*COMPLEX, dtypes.variant)},
    infer=same_shape, kernel=np.conjugate, vjp=lambda c, g: [Conj(g)], traits=(ELEMENTWISE, PRESERVES_ZERO, INVOLUTION),
)  # fmt: skip


# --- public functions ------------------------------------------------------------------------------------------------
@provide
def abs(x: TensorLike, name: str | None = None) -> Tensor:
    """The absolute value; of complex numbers the magnitude, as a real tensor.

    >>> import graphrt as tf
    >>> tf.abs([-2, 3]).numpy().tolist()
    [2, 3]
    """
    x = as_tensor(x, name="x")
    if x.dtype.is_complex:
        return ComplexAbs(x, Tout=x.dtype.real_dtype, name=name or "Abs")
    return Abs(x, name=name)


@provide
def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """`-x`, element by element.

    >>> import graphrt as tf
    >>> tf.negative([1, -2]).numpy().tolist()
    [-1, 2]
    """
    return Neg(x, name=name)


@provide
def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """-1, 0 or 1 by the sign of `x`; `x / abs(x)` for complex numbers.

    >>> import graphrt as tf
    >>> tf.sign([-3.5, 0.0, 2.0]).numpy().tolist()
    [-1.0, 0.0, 1.0]
    """
    x = as_tensor(x)
    return Sign(x, name=name)


@provide
def floor(x: TensorLike, name: str | None = None) -> Tensor:
    """The greatest whole number that is not above `x`.

    >>> import graphrt as tf
    >>> tf.floor([-1.5, 1.5]).numpy().tolist()
    [-2.0, 1.0]
    """
    return Floor(x, name=name)


@provide
def ceil(x: TensorLike, name: str | None = None) -> Tensor:
    """The least whole number that is not below `x`.

    >>> import graphrt as tf
    >>> tf.math.ceil([-1.5, 1.5]).numpy().tolist()
    [-1.0, 2.0]
    """
    return Ceil(x, name=name)


@provide
def round(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number, the even one of two that are equally near; integers as they are.

    >>> import graphrt as tf
    >>> tf.round([0.5, 1.5, -2.5]).numpy().tolist()
    [0.0, 2.0, -2.0]
    """
    x = as_tensor(x, name="x")
    return x if x.dtype.is_integer else Round(x, name=name)


@provide
def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """The nearest whole number, the even one of two that are equally near.

    >>> import graphrt as tf
    >>> tf.math.rint([0.5, 1.5]).numpy().tolist()
    [0.0, 2.0]
    """
    return Rint(x, name=name)


@provide
def square(x: TensorLike, name: str | None = None) -> Tensor:
    """`x * x`, element by element.

    >>> import graphrt as tf
    >>> tf.square([-2, 3]).numpy().tolist()
    [4, 9]
    """
    return Square(x, name=name)


@provide
def sqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """The square root; NaN for negative numbers.

    >>> import graphrt as tf
    >>> tf.sqrt([4.0, 9.0]).numpy().tolist()
    [2.0, 3.0]
    """
    return Sqrt(x, name=name)


@provide
def rsqrt(x: TensorLike, name: str | None = None) -> Tensor:
    """`1 / sqrt(x)`, element by element.

    >>> import graphrt as tf
    >>> tf.math.rsqrt([4.0, 16.0]).numpy().tolist()
    [0.5, 0.25]
    """
    return Rsqrt(x, name=name)


@provide
def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """`1 / x`, element by element.

    >>> import graphrt as tf
    >>> tf.math.reciprocal([2.0, 4.0]).numpy().tolist()
    [0.5, 0.25]
    """
    return Reciprocal(x, name=name)


@provide
def exp(x: TensorLike, name: str | None = None) -> Tensor:
    """The exponential of `x`, element by element.

    >>> import graphrt as tf
    >>> tf.exp([0.0]).numpy().tolist()
    [1.0]
    """
    return Exp(x, name=name)


@provide
def expm1(x: TensorLike, name: str | None = None) -> Tensor:
    """`exp(x) - 1`, precise also near 0.

    >>> import graphrt as tf
    >>> tf.math.expm1([0.0]).numpy().tolist()
    [0.0]
    """
    return Expm1(x, name=name)


@provide
def log(x: TensorLike, name: str | None = None) -> Tensor:
    """The natural logarithm; NaN for negative numbers.

    >>> import graphrt as tf
    >>> tf.math.log([1.0]).numpy().tolist()
    [0.0]
    """
    return Log(x, name=name)


@provide
def log1p(x: TensorLike, name: str | None = None) -> Tensor:
    """`log(1 + x)`, precise also near 0.

    >>> import graphrt as tf
    >>> tf.math.log1p([0.0]).numpy().tolist()
    [0.0]
    """
    return Log1p(x, name=name)


@provide
def sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """`1 / (1 + exp(-x))`, element by element.

    >>> import graphrt as tf
    >>> tf.sigmoid([0.0]).numpy().tolist()
    [0.5]
    """
    return Sigmoid(x, name=name)


@provide
def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """`log(sigmoid(x))`, precise also for large negative numbers.

    >>> import graphrt as tf
    >>> float(tf.math.log_sigmoid(-100.0))
    -100.0
    """
    with scope(name, "LogSigmoid") as full:
        x = as_tensor(x, name="x")
        return Neg(ops.Softplus(Neg(x)), name=full)


@provide
def tanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic tangent.

    >>> import graphrt as tf
    >>> tf.tanh([0.0]).numpy().tolist()
    [0.0]
    """
    return Tanh(x, name=name)


@provide
def sin(x: TensorLike, name: str | None = None) -> Tensor:
    """The sine of an angle in radians.

    >>> import graphrt as tf
    >>> tf.sin([0.0]).numpy().tolist()
    [0.0]
    """
    return Sin(x, name=name)


@provide
def cos(x: TensorLike, name: str | None = None) -> Tensor:
    """The cosine of an angle in radians.

    >>> import graphrt as tf
    >>> tf.cos([0.0]).numpy().tolist()
    [1.0]
    """
    return Cos(x, name=name)


@provide
def tan(x: TensorLike, name: str | None = None) -> Tensor:
    """The tangent of an angle in radians.

    >>> import graphrt as tf
    >>> tf.tan([0.0]).numpy().tolist()
    [0.0]
    """
    return Tan(x, name=name)


@provide
def asin(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle, from -pi/2 to pi/2, whose sine is `x`.

    >>> import graphrt as tf
    >>> tf.asin([0.0]).numpy().tolist()
    [0.0]
    """
    return Asin(x, name=name)


@provide
def acos(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle, from 0 to pi, whose cosine is `x`.

    >>> import graphrt as tf
    >>> tf.acos([1.0]).numpy().tolist()
    [0.0]
    """
    return Acos(x, name=name)


@provide
def atan(x: TensorLike, name: str | None = None) -> Tensor:
    """The angle, from -pi/2 to pi/2, whose tangent is `x`.

    >>> import graphrt as tf
    >>> tf.atan([0.0]).numpy().tolist()
    [0.0]
    """
    return Atan(x, name=name)


@provide
def sinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic sine.

    >>> import graphrt as tf
    >>> tf.sinh([0.0]).numpy().tolist()
    [0.0]
    """
    return Sinh(x, name=name)


@provide
def cosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The hyperbolic cosine.

    >>> import graphrt as tf
    >>> tf.cosh([0.0]).numpy().tolist()
    [1.0]
    """
    return Cosh(x, name=name)


@provide
def asinh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse hyperbolic sine.

    >>> import graphrt as tf
    >>> tf.asinh([0.0]).numpy().tolist()
    [0.0]
    """
    return Asinh(x, name=name)


@provide
def acosh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse hyperbolic cosine; NaN below 1.

    >>> import graphrt as tf
    >>> tf.acosh([1.0]).numpy().tolist()
    [0.0]
    """
    return Acosh(x, name=name)


@provide
def atanh(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse hyperbolic tangent; NaN outside of -1 to 1.

    >>> import graphrt as tf
    >>> tf.atanh([0.0]).numpy().tolist()
    [0.0]
    """
    return Atanh(x, name=name)


@provide
def is_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """Which elements are NaN.

    >>> import graphrt as tf
    >>> tf.math.is_nan([1.0, float("nan")]).numpy().tolist()
    [False, True]
    """
    return IsNan(x, name=name)


@provide
def is_inf(x: TensorLike, name: str | None = None) -> Tensor:
    """Which elements are infinite.

    >>> import graphrt as tf
    >>> tf.math.is_inf([1.0, float("-inf")]).numpy().tolist()
    [False, True]
    """
    return IsInf(x, name=name)


@provide
def is_finite(x: TensorLike, name: str | None = None) -> Tensor:
    """Which elements are neither infinite nor NaN.

    >>> import graphrt as tf
    >>> tf.math.is_finite([1.0, float("nan")]).numpy().tolist()
    [True, False]
    """
    return IsFinite(x, name=name)


def _number(value: TensorLike) -> Any:
    x = as_tensor(value, name="input")
    if not x.dtype.is_numeric:
        raise TypeError(errors.at_user_line(f"input must be a numeric tensor, but got tensor with dtype {x.dtype!r}"))
    return x


@provide
def real(input: TensorLike, name: str | None = None) -> Tensor:
    """The real part; real tensors as they are.

    >>> import graphrt as tf
    >>> tf.math.real([1 + 2j]).numpy().tolist()
    [1.0]
    """
    x = _number(input)
    return Real(x, Tout=x.dtype.real_dtype, name=name) if x.dtype.is_complex else x


@provide
def imag(input: TensorLike, name: str | None = None) -> Tensor:
    """The imaginary part; zeros for real tensors.

    >>> import graphrt as tf
    >>> tf.math.imag([1 + 2j]).numpy().tolist()
    [2.0]
    """
    x = _number(input)
    if x.dtype.is_complex:
        return Imag(x, Tout=x.dtype.real_dtype, name=name)
    with scope(name, "Imag"):
        return zeros_like(x)


@provide
def conj(x: TensorLike, name: str | None = None) -> Tensor:
    """The complex conjugate; real tensors as they are.

    >>> import graphrt as tf
    >>> tf.math.conj([1 + 2j]).numpy().tolist()
    [(1-2j)]

    Raises:
      TypeError: `x` is not numeric.
    """
    if isinstance(x, Tensor) and x.dtype.kind == "O":
        return Conj(x, name=name)
    x = as_tensor(x, name="x")
    if x.dtype.is_complex:
        return Conj(x, name=name)
    if x.dtype.is_floating or x.dtype.is_integer:
        return x
    raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}.")


@provide
def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """The argument of complex numbers, in radians; 0 or pi for real numbers.

    >>> import graphrt as tf
    >>> tf.math.angle([1j, 2.0]).numpy().round(4).tolist()
    [1.5708, 0.0]
    """
    x = _number(input)
    if x.dtype.is_complex:
        return Angle(x, Tout=x.dtype.real_dtype, name=name or "Angle")
    with scope(name, "Angle"):
        ones = ones_like(x)
        return where(Less(x, as_tensor(0, x.dtype)), ones * as_tensor(math.pi, x.dtype), zeros_like(x))
