"""The error function, the gamma function and their kin, as ops."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.ir.op import ELEMENTWISE, PRESERVES_ZERO, OpDef, define, provide
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.math.arithmetic import Xlog1py, Xlogy
from graphrt.ops.math.elementwise import Exp, Square
from graphrt.ops.math.reduction import reduce_sum
from graphrt.ops.math.special import gamma_kernels as kernels
from graphrt.ops.support.shape_rules import (
    as_tensor,
    broadcast_all,
    broadcast_two,
    same_shape,
    unbroadcast,
    unbroadcast_both,
)
from graphrt.tensor.context import scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import FLOATING, DType
from graphrt.types.likes import Array

__all__ = [
    "betainc", "digamma", "erf", "erfc", "erfcinv", "erfinv", "igamma", "igammac", "lbeta", "lgamma", "ndtri",
    "polygamma", "polyval", "zeta",
]  # fmt: skip

_DOUBLE = (dtypes.float32, dtypes.float64)


def _unary(type_: str, function: Any, vjp: Any, scalar: Any = None, traits: tuple[str, ...] = ()) -> Any:
    wide = kernels.in_double(function)

    def kernel(x: Array) -> Array:
        if scalar is not None and isinstance(x, np.generic):
            return x.dtype.type(scalar(float(x)))
        return wide(x)

    return define(
        type_, "x: T -> y: T", allowed={"T": FLOATING}, infer=same_shape, kernel=kernel,
        vjp=lambda c, g: [vjp(c.inputs[0], c.outputs[0], g)], traits=(ELEMENTWISE, *traits),
    )  # fmt: skip


def _constant(value: float, like: Any) -> Tensor:
    return as_tensor(value, like.dtype)


_TWO_OVER_ROOT_PI, _HALF_ROOT_PI, _ROOT_TWO_PI = 2 / math.sqrt(math.pi), math.sqrt(math.pi) / 2, math.sqrt(2 * math.pi)

Erf = _unary(
    "Erf",
    kernels.erf,
    lambda x, y, g: g * _constant(_TWO_OVER_ROOT_PI, x) * Exp(-Square(x)),
    math.erf,
    traits=(PRESERVES_ZERO,),
)
Erfc = _unary("Erfc", kernels.erfc, lambda x, y, g: g * _constant(-_TWO_OVER_ROOT_PI, x) * Exp(-Square(x)), math.erfc)
Erfinv = _unary("Erfinv", kernels.erfinv, lambda x, y, g: g * _constant(_HALF_ROOT_PI, x) * Exp(Square(y)))
Ndtri = _unary(
    "Ndtri", kernels.ndtri, lambda x, y, g: g * _constant(_ROOT_TWO_PI, x) * Exp(Square(y) * _constant(0.5, x))
)
Lgamma = _unary("Lgamma", kernels.lgamma, lambda x, y, g: g * Digamma(x))
Digamma: OpDef = _unary("Digamma", kernels.digamma, lambda x, y, g: g * Polygamma(_constant(1, x), x))


def _polygamma_vjp(c: Any, g: object) -> list[Any]:
    n, x = c.inputs
    return [None, unbroadcast(g * Polygamma(n + _constant(1, n), x), x, n)]


def _zeta_vjp(c: Any, g: object) -> list[Any]:
    s, q = c.inputs
    return [None, unbroadcast(g * -s * Zeta(s + _constant(1, s), q), q, s)]


def _gamma_density(a: Tensor, x: Tensor) -> Tensor:
    return Exp(-x + Xlogy(a - _constant(1, a), x) - Lgamma(a))


def _igamma_vjp(c: Any, g: Any) -> list[Any]:
    a, x = c.inputs
    return unbroadcast_both(c, g * IgammaGradA(a, x), g * _gamma_density(a, x))


def _igammac_vjp(c: Any, g: Any) -> list[Any]:
    a, x = c.inputs
    return unbroadcast_both(c, -g * IgammaGradA(a, x), -g * _gamma_density(a, x))


def _two(
    type_: str, schema: str, function: Callable[..., Any], vjp: Callable[..., Any] | None, allowed: tuple[DType, ...]
) -> OpDef:
    return define(
        type_, schema, allowed={"T": allowed}, infer=broadcast_two, kernel=kernels.in_double(function), vjp=vjp,
        traits=(ELEMENTWISE,),
    )  # fmt: skip


Polygamma: OpDef = _two("Polygamma", "a: T, x: T -> z: T", kernels.polygamma, _polygamma_vjp, _DOUBLE)
Zeta = _two("Zeta", "x: T, q: T -> z: T", kernels.zeta, _zeta_vjp, _DOUBLE)
Igamma = _two("Igamma", "a: T, x: T -> z: T", kernels.igamma, _igamma_vjp, FLOATING)
Igammac = _two("Igammac", "a: T, x: T -> z: T", kernels.igammac, _igammac_vjp, FLOATING)
IgammaGradA = _two("IgammaGradA", "a: T, x: T -> z: T", kernels.igamma_slope, None, _DOUBLE)


def _betainc_vjp(c: Any, g: object) -> list[Any]:
    a, b, x = c.inputs
    one = _constant(1, x)
    log_beta = Lgamma(a) + Lgamma(b) - Lgamma(a + b)
    density = Exp(Xlog1py(b - one, -x) + Xlogy(a - one, x) - log_beta)
    return [None, None, unbroadcast(g * density, x, g)]


Betainc = define(
    "Betainc", "a: T, b: T, x: T -> z: T", allowed={"T": _DOUBLE}, infer=broadcast_all,
    kernel=kernels.in_double(kernels.betainc), vjp=_betainc_vjp, traits=(ELEMENTWISE,),
)  # fmt: skip


# --- public functions ------------------------------------------------------------------------------------------------
@provide
def erf(x: TensorLike, name: str | None = None) -> Tensor:
    """The error function.

    >>> import graphrt as tf
    >>> tf.math.erf([0.0, 1.0]).numpy().round(4).tolist()
    [0.0, 0.8427000045776367]
    """
    return Erf(x, name=name)


@provide
def erfc(x: TensorLike, name: str | None = None) -> Tensor:
    """One minus the error function, precise also where that is tiny.

    >>> import graphrt as tf
    >>> tf.math.erfc([0.0]).numpy().tolist()
    [1.0]
    """
    return Erfc(x, name=name)


@provide
def erfinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The argument at which the error function is `x`; NaN outside of -1 to 1.

    >>> import graphrt as tf
    >>> tf.math.erfinv([0.0]).numpy().tolist()
    [0.0]
    """
    with scope(name, "erfinv"):
        return Erfinv(x)


@provide
def erfcinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The argument at which the complementary error function is `x`.

    >>> import graphrt as tf
    >>> round(float(tf.math.erfcinv(1.0)), 6) + 0.0
    0.0
    """
    with scope(name, "erfcinv"):
        x = as_tensor(x, name="x")
        return -ndtri(0.5 * x) * float(np.sqrt(0.5))


@provide
def ndtri(x: TensorLike, name: str | None = None) -> Tensor:
    """The argument at which the standard normal distribution function is `x`.

    >>> import graphrt as tf
    >>> tf.math.ndtri([0.5]).numpy().tolist()
    [0.0]
    """
    with scope(name, "ndtri"):
        return Ndtri(x)


@provide
def lgamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the magnitude of the gamma function.

    >>> import graphrt as tf
    >>> tf.math.lgamma([1.0, 3.0]).numpy().round(4).tolist()
    [0.0, 0.6930999755859375]
    """
    return Lgamma(x, name=name)


@provide
def digamma(x: TensorLike, name: str | None = None) -> Tensor:
    """The derivative of `lgamma`.

    >>> import graphrt as tf
    >>> tf.math.digamma([1.0]).numpy().round(4).tolist()
    [-0.5771999955177307]
    """
    return Digamma(x, name=name)


@provide
def polygamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The `a`-th derivative of `digamma` at `x`; NaN unless `a` is a whole number that is not negative.

    >>> import graphrt as tf
    >>> tf.math.polygamma([1.0], [1.0]).numpy().round(4).tolist()
    [1.6448999643325806]
    """
    return Polygamma(a, x, name=name)


@provide
def zeta(x: TensorLike, q: TensorLike, name: str | None = None) -> Tensor:
    """Hurwitz's zeta function: the sum of `(q + k) ** -x` over k = 0, 1, 2, ...

    >>> import graphrt as tf
    >>> tf.math.zeta([2.0], [1.0]).numpy().round(4).tolist()
    [1.6448999643325806]
    """
    return Zeta(x, q, name=name)


@provide
def igamma(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The lower regularised incomplete gamma function.

    >>> import graphrt as tf
    >>> tf.math.igamma([1.0], [1.0]).numpy().round(4).tolist()
    [0.632099986076355]
    """
    return Igamma(a, x, name=name)


@provide
def igammac(a: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The upper regularised incomplete gamma function.

    >>> import graphrt as tf
    >>> tf.math.igammac([1.0], [0.0]).numpy().tolist()
    [1.0]
    """
    return Igammac(a, x, name=name)


@provide
def betainc(a: TensorLike, b: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The regularised incomplete beta function.

    >>> import graphrt as tf
    >>> tf.math.betainc([1.0], [1.0], [0.25]).numpy().tolist()
    [0.25]
    """
    return Betainc(a, b, x, name=name)


@provide
def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the multivariate beta function over the last dimension.

    >>> import graphrt as tf
    >>> tf.math.lbeta([1.0, 1.0]).numpy().item()
    0.0
    """
    with scope(name, "lbeta"):
        x = as_tensor(x, name="x")
        parts = reduce_sum(Lgamma(x), axis=[-1])
        return parts - Lgamma(reduce_sum(x, axis=[-1]))


@provide
def polyval(coeffs: TensorLike, x: TensorLike, name: str | None = None) -> Tensor:
    """The polynomial with coefficients `coeffs`, highest power first, at `x`.

    >>> import graphrt as tf
    >>> tf.math.polyval([1.0, 2.0, 3.0], 2.0).numpy().item()
    11.0

    Raises:
      ValueError: `coeffs` is no list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type, found {type(coeffs)}.")
    with scope(name, "polyval"):
        x = as_tensor(x, name="x")
        if not coeffs:
            return zeros_like(x)
        given = [convert_to_tensor(c, name=f"coeff_{i}") for i, c in enumerate(coeffs)]
        total = given[0]
        for c in given[1:]:
            total = c + total * x
        return total
