"""Bessel functions, the exponential integral, and other functions of `tf.math.special`, on float64 arrays.

Where the argument is moderate they are integrals of smooth functions. Rules that converge exponentially (the trapezoid
rule over a period or the whole line, Gauss's rule over an interval) give them at Chebyshev's points of a few intervals,
once; polynomials through these give them everywhere. Where the argument is large, asymptotic series are exact to the
last bit.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from graphrt.types.likes import Array

__all__ = [
    "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "bessel_j0", "bessel_j1", "bessel_k0", "bessel_k0e",
    "bessel_k1", "bessel_k1e", "bessel_y0", "bessel_y1", "dawsn", "expint", "fresnel_cos", "fresnel_sin", "spence",
]  # fmt: skip

_EULER = 0.57721566490153286061
_CHUNK = 16384


def _by_parts(function: Callable[..., Any], x: Array) -> Array:
    """`function` over parts of `x` that stay in the processor's cache."""
    out = np.empty_like(x)
    for start in range(0, x.size, _CHUNK):
        out[start : start + _CHUNK] = function(x[start : start + _CHUNK])
    return out


def _split(x: Array, limit: float, near: Callable[..., Any], far: Callable[..., Any]) -> Array:
    """`near` where |x| is below `limit`, else `far`; NaN stays NaN."""
    out = np.full_like(x, np.nan)
    small = np.abs(x) < limit
    large = ~small & ~np.isnan(x)
    if small.any():
        out[small] = _by_parts(near, x[small])
    if large.any():
        out[large] = far(x[large])
    return out


def _fitted(function: Callable[[Array], Array], *edges: float, degree: int = 32) -> Callable[[Array], Array]:
    """`function` on the intervals between `edges`, by the polynomials through its values at Chebyshev's points."""

    @functools.cache
    def fit() -> tuple[Array, Array, Array]:
        low, high = np.array(edges[:-1])[:, None], np.array(edges[1:])[:, None]
        points = chebyshev.chebpts1(degree + 1)
        values = function(((high - low) / 2 * points + (high + low) / 2).reshape(-1)).reshape(len(low), -1)
        table = chebyshev.chebvander(points, degree).T @ values.T * 2 / (degree + 1)
        table[0] /= 2
        return table, 2 / (high - low)[:, 0], ((high + low) / (high - low))[:, 0]

    def by_polynomials(v: Array) -> Array:
        table, scale, shift = fit()
        piece = np.clip(np.searchsorted(edges, v, "right") - 1, 0, len(edges) - 2)
        t = 2 * (v * scale[piece] - shift[piece])
        last, found = np.zeros_like(v), table[-1][piece]
        for row in table[-2:0:-1]:  # Clenshaw's recurrence
            last, found = found, row[piece] + t * found - last
        return table[0][piece] + t / 2 * found - last

    return by_polynomials


# --- modified Bessel functions of the first kind -----------------------------------------------------------------
_NODES = 200
_ANGLES = (np.arange(_NODES) + 0.5) * (math.pi / _NODES)
_COSINES = np.cos(_ANGLES)


def _hankel_terms(order: int, x: Any, sign: float, count: int = 40) -> tuple[Any, Any]:
    """The even and the odd part of the asymptotic series in 1 / (8 x); terms are added until they stop falling."""
    mu = 4.0 * order * order
    term = np.ones_like(x)
    even, odd = np.ones_like(x), np.zeros_like(x)
    alive = np.ones(x.shape, bool)
    for k in range(1, count):
        following = term * sign * (mu - (2 * k - 1) ** 2) / (k * 8 * x)
        alive &= np.abs(following) < np.abs(term)
        term = np.where(alive, following, 0.0)
        if k % 2:
            odd = odd + term
        else:
            even = even + term
    return even, odd


def _i_over(order: int) -> Callable[[Array], Array]:
    """The scaled function over the `order`-th power of its argument."""

    def quadrature(v: Array) -> Array:
        weights = np.exp(v[:, None] * (_COSINES - 1))
        return (weights * np.cos(order * _ANGLES)).mean(1) / v**order

    return _fitted(quadrature, 0.0, 4.0, 12.0, 40.0)


_I_OVER = (_i_over(0), _i_over(1))


def _i_scaled(order: int, x: Array) -> Array:
    a = np.abs(x)

    def near(v: Array) -> Array:
        return _I_OVER[order](v) * v**order

    def far(v: Any) -> Any:
        even, odd = _hankel_terms(order, np.minimum(v, 1e300), -1.0)
        return (even + odd) / np.sqrt(2 * math.pi * v)

    found = _split(a, 40.0, near, far)
    if not order:
        return found
    tiny = x / 2 * (1 + x * x / 8) * np.exp(-a)
    return np.where(a < 1e-3, np.where(np.isnan(x), x, tiny), np.where(x < 0, -found, found))


def bessel_i0e(x: Array) -> Array:
    """exp(-|x|) times the modified Bessel function of order 0."""
    return _i_scaled(0, x)


def bessel_i1e(x: Array) -> Array:
    """exp(-|x|) times the modified Bessel function of order 1."""
    return _i_scaled(1, x)


def _unscaled(scaled: Array, x: Array, power: float) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where((scaled == 0) | (np.isinf(scaled) & (x <= 0)), scaled, scaled * np.exp(power * np.abs(x)))


_OVERFLOWS = 1000.0  # beyond, the functions that are not scaled


def bessel_i0(x: Array) -> Array:
    """The modified Bessel function of order 0."""
    return np.where(np.abs(x) > _OVERFLOWS, np.inf, _unscaled(bessel_i0e(x), x, 1.0))


def bessel_i1(x: Array) -> Array:
    """The modified Bessel function of order 1."""
    return np.where(np.abs(x) > _OVERFLOWS, np.copysign(np.inf, x), _unscaled(bessel_i1e(x), x, 1.0))


# --- modified Bessel functions of the second kind ----------------------------------------------------------------
_STEP = 1 / 32
_LINE = np.arange(0, 27.0, _STEP)


def _k_times(order: int) -> Callable[[Array], Array]:
    """The scaled function times the `order`-th power of its argument, whose logarithm is given."""

    def quadrature(log: Array) -> Array:
        v = np.exp(log)
        with np.errstate(over="ignore", under="ignore"):
            weights = np.exp(-v[:, None] * (np.cosh(_LINE) - 1)) * np.cosh(order * _LINE)
        return (weights.sum(1) - 0.5 * weights[:, 0]) * _STEP * v**order

    return _fitted(quadrature, -21.0, -10.0, -4.0, -1.0, 1.0, 2.5, 4.0)


_K_TIMES = (_k_times(0), _k_times(1))


def _k_scaled(order: int, x: Array) -> Array:
    def near(v: Array) -> Array:
        return _K_TIMES[order](np.log(v)) / v**order

    def far(v: Any) -> Any:
        even, odd = _hankel_terms(order, v, 1.0)
        return (even + odd) * np.sqrt(math.pi / (2 * v))

    positive = np.where(x > 0, x, np.nan)
    tiny = (x > 0) & (x < 1e-9)
    small = np.where(tiny, x, 1.0)
    limit = (-np.log(small / 2) - _EULER if order == 0 else 1 / small) * np.exp(small)
    found = np.where(tiny, limit, _split(np.where(tiny, np.nan, positive), 40.0, near, far))
    return np.where(x <= 0, np.inf, found)


def bessel_k0e(x: Array) -> Array:
    """exp(x) times the modified Bessel function of the second kind of order 0; infinite at and below 0."""
    return _k_scaled(0, x)


def bessel_k1e(x: Array) -> Array:
    """exp(x) times the modified Bessel function of the second kind of order 1; infinite at and below 0."""
    return _k_scaled(1, x)


def bessel_k0(x: Array) -> Array:
    """The modified Bessel function of the second kind of order 0; infinite at and below 0."""
    return _unscaled(bessel_k0e(x), x, -1.0)


def bessel_k1(x: Array) -> Array:
    """The modified Bessel function of the second kind of order 1; infinite at and below 0."""
    return _unscaled(bessel_k1e(x), x, -1.0)


# --- Bessel functions --------------------------------------------------------------------------------------------
_SINES = np.sin(_ANGLES)


_TO_30 = tuple(float(v) for v in range(0, 31, 5))


def _j_quadrature(order: int, v: Array) -> Array:
    return np.cos(order * _ANGLES - v[:, None] * _SINES).mean(1)


def _j_over(order: int) -> Callable[[Array], Array]:
    """The function over the `order`-th power of its argument."""

    def quotient(v: Array) -> Array:
        return _j_quadrature(order, v) / v**order

    return _fitted(quotient, *_TO_30)


_J_OVER = (_j_over(0), _j_over(1))


def _j_near(order: int, v: Array) -> Array:
    return _J_OVER[order](v) * v**order


def _phase(order: int, v: Any) -> tuple[Any, Any, Any]:
    """Amplitude and the two series of the asymptotic form for large arguments."""
    mu = 4.0 * order * order
    term = np.ones_like(v)
    p, q = np.ones_like(v), np.zeros_like(v)
    alive = np.ones(v.shape, bool)
    for k in range(1, 40):
        following = term * (mu - (2 * k - 1) ** 2) / (k * 8 * v)
        alive &= np.abs(following) < np.abs(term)
        term = np.where(alive, following, 0.0)
        signed = term * (-1.0 if (k // 2) % 2 else 1.0)
        if k % 2:
            q = q + signed
        else:
            p = p + signed
    return np.sqrt(2 / (math.pi * v)), p, q


def _bessel_j(order: int, x: Array) -> Array:
    def far(v: Any) -> Any:
        amplitude, p, q = _phase(order, v)
        angle = v - (order / 2 + 0.25) * math.pi
        return np.where(np.isinf(v), 0.0, amplitude * (p * np.cos(angle) - q * np.sin(angle)))

    with np.errstate(invalid="ignore"):
        found = _split(np.abs(x), 30.0, lambda v: _j_near(order, v), far)
    if not order:
        return found
    return np.where(np.abs(x) < 1e-3, x / 2 * (1 - x * x / 8), np.where(x < 0, -found, found))


def bessel_j0(x: Array) -> Array:
    """The Bessel function of order 0."""
    return _bessel_j(0, x)


def bessel_j1(x: Array) -> Array:
    """The Bessel function of order 1."""
    return _bessel_j(1, x)


def _y_rest(order: int) -> Callable[[Array], Array]:
    """What Neumann's series of Bessel functions of the first kind adds to those of the lowest orders."""

    def series(v: Array) -> Array:
        total = np.zeros_like(v)
        for k in range(1, 30):
            weight = 2 / k if order == 0 else (2 * k + 1) / (k * (k + 1))
            total += (-1) ** k * weight * _j_quadrature(2 * k + order, v)
        return total / v**order

    return _fitted(series, *_TO_30)


_Y_REST = (_y_rest(0), _y_rest(1))


def _y_near(order: int, v: Array) -> Array:
    safe = np.maximum(v, 1e-300)
    log = np.log(safe / 2) + _EULER
    if order == 0:
        return 2 / math.pi * (log * _j_near(0, v) - _Y_REST[0](v))
    return 2 / math.pi * (-_j_near(0, v) / safe + (log - 1) * _j_near(1, v) - v * _Y_REST[1](v))


def _bessel_y(order: int, x: Array) -> Array:
    def far(v: Any) -> Any:
        amplitude, p, q = _phase(order, v)
        angle = v - (order / 2 + 0.25) * math.pi
        return np.where(np.isinf(v), 0.0, amplitude * (p * np.sin(angle) + q * np.cos(angle)))

    with np.errstate(invalid="ignore"):
        found = _split(np.where(x > 0, x, np.nan), 30.0, lambda v: _y_near(order, v), far)
    return np.where(x <= 0, -np.inf, found)


def bessel_y0(x: Array) -> Array:
    """The Bessel function of the second kind of order 0; infinite at and below 0."""
    return _bessel_y(0, x)


def bessel_y1(x: Array) -> Array:
    """The Bessel function of the second kind of order 1; infinite at and below 0."""
    return _bessel_y(1, x)


# --- integrals ---------------------------------------------------------------------------------------------------
def dawsn(x: Array) -> Array:
    """Dawson's integral, by Rybicki's sum."""
    h = 0.2

    def near(v: Array) -> Array:
        a = np.abs(v)
        base = 2 * np.round(0.5 * a / h)
        rest = a - base * h
        odd = np.arange(1, 40, 2)
        up = np.exp(-((rest[:, None] - odd * h) ** 2)) / (odd + base[:, None])
        down = np.exp(-((rest[:, None] + odd * h) ** 2)) / (base[:, None] - odd)
        return np.sign(v) * (up + down).sum(1) / math.sqrt(math.pi)

    def series(v: Array) -> Array:
        z = v * v
        term, total = v.copy(), v.copy()
        for k in range(1, 30):
            term = term * (-2 * z) / (2 * k + 1)
            total += term
        return total

    def far(v: Any) -> Any:
        inverse = 1 / (2 * v * v)
        total, term = np.ones_like(v), np.ones_like(v)
        for k in range(1, 12):
            term = term * (2 * k - 1) * inverse
            total += term
        return total / (2 * v)

    middle = _split(x, 25.0, near, far)
    return np.where(np.abs(x) < 0.3, series(np.where(np.abs(x) < 0.3, x, 0.0)), middle)


def expint(x: Array) -> Array:
    """The exponential integral Ei."""
    out = np.full_like(x, np.nan)
    out[x == 0], out[x == np.inf], out[x == -np.inf] = -np.inf, np.inf, -0.0
    series = (x > -1) & (x < 40) & (x != 0)
    if series.any():
        v = x[series]
        term, total = np.ones_like(v), np.zeros_like(v)
        for k in range(1, 180):
            term = term * v / k
            total += term / k
        out[series] = _EULER + np.log(np.abs(v)) + total
    large = (x >= 40) & np.isfinite(x)
    if large.any():
        v = x[large]
        term, total = np.ones_like(v), np.ones_like(v)
        for k in range(1, 40):
            term = term * k / v
            total += term
        with np.errstate(over="ignore"):
            out[large] = np.exp(v) / v * total
    negative = (x <= -1) & np.isfinite(x)
    if negative.any():
        out[negative] = -_e1(-x[negative])
    return out


def _e1(v: Any) -> Any:
    """E1 for arguments of at least 1, by Lentz's continued fraction."""
    b = v + 1
    c, d = np.full_like(v, 1e300), 1 / b
    h = d.copy()
    for i in range(1, 200):
        a = -float(i * i)
        b = b + 2
        d = 1 / (a * d + b)
        c = b + a / c
        h = h * c * d
    return h * np.exp(-v)


def _fresnel_near(wave: np.ufunc, power: int) -> Callable[[Array], Array]:
    """The integral of `wave` over a power of its end, which begins with that power."""

    def quadrature(v: Array) -> Array:
        nodes, weights = np.polynomial.legendre.leggauss(100)
        turns = math.pi / 2 * (v[:, None] * (nodes + 1) / 2) ** 2
        return (wave(turns) * weights).sum(1) / 2 / v ** (power - 1)

    return _fitted(quadrature, *(0.5 * k for k in range(13)), degree=28)


_FRESNEL = (_fresnel_near(np.cos, 1), _fresnel_near(np.sin, 3))


def _fresnel(x: Array, sine: bool) -> Array:
    def near(v: Array) -> Array:
        return _FRESNEL[sine](v) * (v * v * v if sine else v)

    def far(v: Any) -> Any:
        z = math.pi * v * v
        f, g, term = np.ones_like(v), np.ones_like(v), np.ones_like(v)
        second = np.ones_like(v)
        for k in range(1, 10):
            term = term * -((4 * k - 1) * (4 * k - 3)) / (z * z)
            second = second * -((4 * k + 1) * (4 * k - 1)) / (z * z)
            f, g = f + term, g + second
        f, g = f / (math.pi * v), g / (math.pi * v * z)
        angle = math.pi / 2 * np.mod(v * v, 4.0)
        if sine:
            return 0.5 - f * np.cos(angle) - g * np.sin(angle)
        return 0.5 + f * np.sin(angle) - g * np.cos(angle)

    with np.errstate(invalid="ignore", over="ignore"):
        found = np.where(np.abs(x) > 1e100, 0.5, _split(np.minimum(np.abs(x), 1e100), 6.0, near, far))
    return np.where(np.isnan(x), x, np.sign(x) * found)


def fresnel_cos(x: Array) -> Array:
    """Fresnel's cosine integral."""
    return _fresnel(x, False)


def fresnel_sin(x: Array) -> Array:
    """Fresnel's sine integral."""
    return _fresnel(x, True)


def spence(x: Array) -> Array:
    """Spence's dilogarithm: the integral of log(t) / (1 - t) from 1 to x; NaN below 0."""
    safe = np.where((x > 0) & np.isfinite(x), x, 1.0)
    inverted = safe > 1.5
    v = np.where(inverted, 1 / safe, safe)
    folded = v < 0.5
    z = np.where(folded, v, 1 - v)
    term, total = z.copy(), z.copy()
    for k in range(2, 60):
        term = term * z
        total += term / (k * k)
    log = np.log(v)
    found = np.where(folded, math.pi**2 / 6 - log * np.log1p(-v * folded) - total, total)
    found = np.where(inverted, -0.5 * np.log(safe) ** 2 - found, found)
    found = np.where(np.isinf(x), -np.inf, np.where(x == 0, math.pi**2 / 6, found))
    return np.where((x < 0) | np.isnan(x), np.nan, found)
