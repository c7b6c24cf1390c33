"""Bessel functions, and integrals that have names of their own, as ops."""

from __future__ import annotations

import math
from typing import Any

from graphrt.ir.op import ELEMENTWISE, PRESERVES_ZERO, OpDef, define, provide
from graphrt.ops.array.creation import ones_like, zeros_like
from graphrt.ops.array.selection import where
from graphrt.ops.math.comparison import Equal
from graphrt.ops.math.elementwise import Cos, Exp, Log, Sign, Sin, Square
from graphrt.ops.math.special import bessel_kernels as series
from graphrt.ops.math.special.gamma_kernels import in_double
from graphrt.ops.support.shape_rules import as_tensor, same_shape
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import FLOATING

__all__ = [
    "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "bessel_j0", "bessel_j1", "bessel_k0", "bessel_k0e",
    "bessel_k1", "bessel_k1e", "bessel_y0", "bessel_y1", "dawsn", "expint", "fresnel_cos", "fresnel_sin", "spence",
]  # fmt: skip


def _unary(type_: str, function: Any, vjp: Any, traits: tuple[str, ...] = ()) -> Any:
    return define(
        type_, "x: T -> y: T", allowed={"T": FLOATING}, infer=same_shape, kernel=in_double(function),
        vjp=lambda c, g: [vjp(c.inputs[0], c.outputs[0], g)], traits=(ELEMENTWISE, *traits),
    )  # fmt: skip


def _one(x: Any) -> Tensor:
    return as_tensor(1, x.dtype)


def _over(y: Tensor, x: Tensor, at_zero: float) -> Tensor:
    """`y / x`, and its limit where `x` is 0."""
    zero = Equal(x, zeros_like(x))
    return where(zero, as_tensor(at_zero, x.dtype), y / where(zero, ones_like(x), x))


def _quarter(x: Any) -> Tensor:
    return Square(x) * as_tensor(math.pi / 2, x.dtype)


def _spence_slope(x: Any) -> Tensor:
    one = Equal(x, ones_like(x))
    safe = where(one, ones_like(x) + ones_like(x), x)
    return where(one, as_tensor(-1, x.dtype), Log(safe) / (_one(x) - safe))


BesselI0 = _unary("BesselI0", series.bessel_i0, lambda x, y, g: g * BesselI1(x))
BesselI0e = _unary(
    "BesselI0e",
    series.bessel_i0e,
    lambda x, y, g: g * (BesselI1e(x) - Sign(x) * y),
    traits=(PRESERVES_ZERO,),
)
BesselI1: OpDef = _unary("BesselI1", series.bessel_i1, lambda x, y, g: g * (BesselI0(x) - _over(y, x, 0.5)))
BesselI1e: OpDef = _unary(
    "BesselI1e",
    series.bessel_i1e,
    lambda x, y, g: g * (BesselI0e(x) - Sign(x) * y - _over(y, x, 0.5)),
    traits=(PRESERVES_ZERO,),
)
BesselJ0 = _unary("BesselJ0", series.bessel_j0, lambda x, y, g: -g * BesselJ1(x))
BesselJ1: OpDef = _unary("BesselJ1", series.bessel_j1, lambda x, y, g: g * (BesselJ0(x) - _over(y, x, 0.5)))
BesselK0 = _unary("BesselK0", series.bessel_k0, lambda x, y, g: -g * BesselK1(x))
BesselK0e = _unary("BesselK0e", series.bessel_k0e, lambda x, y, g: g * (y - BesselK1e(x)))
BesselK1: OpDef = _unary("BesselK1", series.bessel_k1, lambda x, y, g: -g * (BesselK0(x) + y / x))
BesselK1e: OpDef = _unary("BesselK1e", series.bessel_k1e, lambda x, y, g: g * (y - y / x - BesselK0e(x)))
BesselY0 = _unary("BesselY0", series.bessel_y0, lambda x, y, g: -g * BesselY1(x))
BesselY1: OpDef = _unary("BesselY1", series.bessel_y1, lambda x, y, g: g * (BesselY0(x) - y / x))
Dawsn = _unary("Dawsn", series.dawsn, lambda x, y, g: g * (_one(x) - as_tensor(2, x.dtype) * (x * y)))
Expint = _unary("Expint", series.expint, lambda x, y, g: g * Exp(x) / x)
FresnelCos = _unary("FresnelCos", series.fresnel_cos, lambda x, y, g: g * Cos(_quarter(x)))
FresnelSin = _unary("FresnelSin", series.fresnel_sin, lambda x, y, g: g * Sin(_quarter(x)))
Spence = _unary("Spence", series.spence, lambda x, y, g: g * _spence_slope(x))


@provide
def bessel_i0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 0.

    >>> import graphrt as tf
    >>> round(tf.math.special.bessel_i0(0.0).numpy().item(), 3)
    1.0
    """
    with scope(name, "bessel_i0"):
        return BesselI0(x)


@provide
def bessel_i0e(x: TensorLike, name: str | None = None) -> Tensor:
    """`exp(-abs(x))` times the modified Bessel function of the first kind of order 0.

    >>> import graphrt as tf
    >>> round(tf.math.special.bessel_i0e(0.0).numpy().item(), 3)
    1.0
    """
    with scope(name, "bessel_i0e"):
        return BesselI0e(x)


@provide
def bessel_i1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind of order 1.

    >>> import graphrt as tf
    >>> round(tf.math.special.bessel_i1(0.0).numpy().item(), 3)
    0.0
    """
    with scope(name, "bessel_i1"):
        return BesselI1(x)


@provide
def bessel_i1e(x: TensorLike, name: str | None = None) -> Tensor:
    """`exp(-abs(x))` times the modified Bessel function of the first kind of order 1.

    >>> import graphrt as tf
    >>> round(tf.math.special.bessel_i1e(0.0).numpy().item(), 3)
    0.0
    """
    with scope(name, "bessel_i1e"):
        return BesselI1e(x)


@provide
def bessel_j0(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind of order 0.

    >>> import graphrt as tf
    >>> round(tf.math.special.bessel_j0(0.0).numpy().item(), 3)
    1.0
    """
    with scope(name, "bessel_j0"):
        return BesselJ0(x)


@provide
def bessel_j1(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the first kind of order 1.

    >>> import graphrt as tf
    >>> round(tf.math.special.bessel_j1(0.0).numpy().item(), 3)
    0.0
    """
    with scope(name, "bessel_j1"):
        return BesselJ1(x)


@provide
def bessel_k0(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind of order 0.

    >>> import graphrt as tf
    >>> round(tf.math.special.bessel_k0(1.0).numpy().item(), 3)
    0.421
    """
    with scope(name, "bessel_k0"):
        return BesselK0(x)


@provide
def bessel_k0e(x: TensorLike, name: str | None = None) -> Tensor:
    """`exp(x)` times the modified Bessel function of the second kind of order 0.

    >>> import graphrt as tf
    >>> round(tf.math.special.bessel_k0e(1.0).numpy().item(), 3)
    1.144
    """
    with scope(name, "bessel_k0e"):
        return BesselK0e(x)


@provide
def bessel_k1(x: TensorLike, name: str | None = None) -> Tensor:
    """The modified Bessel function of the second kind of order 1.

    >>> import graphrt as tf
    >>> round(tf.math.special.bessel_k1(1.0).numpy().item(), 3)
    0.602
    """
    with scope(name, "bessel_k1"):
        return BesselK1(x)


@provide
def bessel_k1e(x: TensorLike, name: str | None = None) -> Tensor:
    """`exp(x)` times the modified Bessel function of the second kind of order 1.

    >>> import graphrt as tf
    >>> round(tf.math.special.bessel_k1e(1.0).numpy().item(), 3)
    1.636
    """
    with scope(name, "bessel_k1e"):
        return BesselK1e(x)


@provide
def bessel_y0(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind of order 0.

    >>> import graphrt as tf
    >>> round(tf.math.special.bessel_y0(1.0).numpy().item(), 3)
    0.088
    """
    with scope(name, "bessel_y0"):
        return BesselY0(x)


@provide
def bessel_y1(x: TensorLike, name: str | None = None) -> Tensor:
    """The Bessel function of the second kind of order 1.

    >>> import graphrt as tf
    >>> round(tf.math.special.bessel_y1(1.0).numpy().item(), 3)
    -0.781
    """
    with scope(name, "bessel_y1"):
        return BesselY1(x)


@provide
def dawsn(x: TensorLike, name: str | None = None) -> Tensor:
    """Dawson's integral: `exp(-x * x)` times the integral of `exp(t * t)` from 0 to `x`.

    >>> import graphrt as tf
    >>> round(tf.math.special.dawsn(1.0).numpy().item(), 3)
    0.538
    """
    with scope(name, "dawsn"):
        return Dawsn(x)


@provide
def expint(x: TensorLike, name: str | None = None) -> Tensor:
    """The exponential integral Ei: the integral of `exp(t) / t` from minus infinity to `x`.

    >>> import graphrt as tf
    >>> round(tf.math.special.expint(1.0).numpy().item(), 3)
    1.895
    """
    with scope(name, "expint"):
        return Expint(x)


@provide
def fresnel_cos(x: TensorLike, name: str | None = None) -> Tensor:
    """Fresnel's cosine integral: the integral of `cos(pi * t * t / 2)` from 0 to `x`.

    >>> import graphrt as tf
    >>> round(tf.math.special.fresnel_cos(1.0).numpy().item(), 3)
    0.78
    """
    with scope(name, "fresnel_cos"):
        return FresnelCos(x)


@provide
def fresnel_sin(x: TensorLike, name: str | None = None) -> Tensor:
    """Fresnel's sine integral: the integral of `sin(pi * t * t / 2)` from 0 to `x`.

    >>> import graphrt as tf
    >>> round(tf.math.special.fresnel_sin(1.0).numpy().item(), 3)
    0.438
    """
    with scope(name, "fresnel_sin"):
        return FresnelSin(x)


@provide
def spence(x: TensorLike, name: str | None = None) -> Tensor:
    """Spence's dilogarithm: the integral of `log(t) / (1 - t)` from 1 to `x`; NaN below 0.

    >>> import graphrt as tf
    >>> round(tf.math.special.spence(2.0).numpy().item(), 3)
    -0.822
    """
    with scope(name, "spence"):
        return Spence(x)
