"""Bessel functions, the exponential integral, and other functions of `tf.math.special`, on float64 arrays.

Where the argument is moderate they are integrals of smooth functions. Rules that converge exponentially (the trapezoid
rule over a period or the whole line, Gauss's rule over an interval) give them at Chebyshev's points of many short
intervals, once; polynomials through these give them everywhere. Where the argument is large, asymptotic series are exact
to the last bit, and polynomials of its inverse.
"""

from __future__ import annotations

import math

import numpy as np

from graphrt.ops.math.special.piecewise import Function, fitted, in_blocks, poly, put, split
from graphrt.types.likes import Array

__all__ = [
    "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "bessel_j0", "bessel_j1", "bessel_k0", "bessel_k0e",
    "bessel_k1", "bessel_k1e", "bessel_y0", "bessel_y1", "dawsn", "expint", "fresnel_cos", "fresnel_sin", "spence",
]  # fmt: skip

_EULER = 0.57721566490153286061


# --- modified Bessel functions of the first kind -----------------------------------------------------------------
_NODES = 200
_ANGLES = (np.arange(_NODES) + 0.5) * (math.pi / _NODES)
_COSINES, _SINES = np.cos(_ANGLES), np.sin(_ANGLES)


def _hankel_terms(order: int, x: Array, sign: float, count: int = 40) -> tuple[Array, Array]:
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


def _hankel(order: int, sign: float) -> Function:
    """The sum of the asymptotic series from 40 on, of the inverse of its argument."""
    return fitted(lambda inverse: np.add(*_hankel_terms(order, 1 / inverse, sign)), 0.0, 1 / 40)


def _i_over(order: int) -> Function:
    """The scaled function over the `order`-th power of its argument."""

    def quadrature(v: Array) -> Array:
        return (np.exp(v[:, None] * (_COSINES - 1)) * _SINES ** (2 * order)).mean(1)

    return fitted(quadrature, 0.0, 40.0, 0.5)


_I_OVER = (_i_over(0), _i_over(1))
_I_FAR = (_hankel(0, -1.0), _hankel(1, -1.0))


def _i_scaled(order: int, x: Array) -> Array:
    near, far = _I_OVER[order], _I_FAR[order]
    found = split(
        np.abs(x), 40.0, lambda v: near(v) * v if order else near(v), lambda v: far(1 / v) / np.sqrt(2 * math.pi * v)
    )
    return np.copysign(found, x) if order else found


@in_blocks
def bessel_i0e(x: Array) -> Array:
    """exp(-|x|) times the modified Bessel function of order 0."""
    return _i_scaled(0, x)


@in_blocks
def bessel_i1e(x: Array) -> Array:
    """exp(-|x|) times the modified Bessel function of order 1."""
    return _i_scaled(1, x)


def _unscaled(scaled: Array, x: Array, power: float) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where((scaled == 0) | (np.isinf(scaled) & (x <= 0)), scaled, scaled * np.exp(power * np.abs(x)))


_OVERFLOWS = 1000.0  # beyond, the functions that are not scaled


@in_blocks
def bessel_i0(x: Array) -> Array:
    """The modified Bessel function of order 0."""
    return np.where(np.abs(x) > _OVERFLOWS, np.inf, _unscaled(bessel_i0e(x), x, 1.0))


@in_blocks
def bessel_i1(x: Array) -> Array:
    """The modified Bessel function of order 1."""
    return np.where(np.abs(x) > _OVERFLOWS, np.copysign(np.inf, x), _unscaled(bessel_i1e(x), x, 1.0))


# --- modified Bessel functions of the second kind ----------------------------------------------------------------
_STEP = 1 / 8  # whose error is exp(-10 / step)
_LINE = np.arange(0, 27.0, _STEP)


def _k_times(order: int) -> Function:
    """The scaled function times the `order`-th power of its argument, whose logarithm is given."""

    def quadrature(log: Array) -> Array:
        v = np.exp(log)
        with np.errstate(over="ignore", under="ignore"):
            weights = np.exp(-v[:, None] * (np.cosh(_LINE) - 1)) * np.cosh(order * _LINE)
        return (weights.sum(1) - 0.5 * weights[:, 0]) * _STEP * v**order

    return fitted(quadrature, -21.0, 4.0, 0.25)


_K_TIMES = (_k_times(0), _k_times(1))
_K_FAR = (_hankel(0, 1.0), _hankel(1, 1.0))


def _k_scaled(order: int, x: Array) -> Array:
    def tiny(v: Array) -> Array:
        return (-np.log(v / 2) - _EULER if order == 0 else 1 / v) * np.exp(v)

    def near(v: Array) -> Array:
        found = _K_TIMES[order](np.log(v))
        return found / v if order else found

    def far(v: Array) -> Array:
        return _K_FAR[order](1 / v) * np.sqrt(math.pi / (2 * v))

    found = split(np.where(x > 1e-9, x, np.nan), 40.0, near, far)
    found[x <= 0] = np.inf
    put(found, (x > 0) & (x <= 1e-9), x, tiny)
    return found


@in_blocks
def bessel_k0e(x: Array) -> Array:
    """exp(x) times the modified Bessel function of the second kind of order 0; infinite at and below 0."""
    return _k_scaled(0, x)


@in_blocks
def bessel_k1e(x: Array) -> Array:
    """exp(x) times the modified Bessel function of the second kind of order 1; infinite at and below 0."""
    return _k_scaled(1, x)


@in_blocks
def bessel_k0(x: Array) -> Array:
    """The modified Bessel function of the second kind of order 0; infinite at and below 0."""
    return _unscaled(bessel_k0e(x), x, -1.0)


@in_blocks
def bessel_k1(x: Array) -> Array:
    """The modified Bessel function of the second kind of order 1; infinite at and below 0."""
    return _unscaled(bessel_k1e(x), x, -1.0)


# --- Bessel functions --------------------------------------------------------------------------------------------
def _j_over(order: int) -> Function:
    """The function over the `order`-th power of its argument."""

    def quadrature(v: Array) -> Array:
        return (np.cos(v[:, None] * _COSINES) * _SINES ** (2 * order)).mean(1)

    return fitted(quadrature, 0.0, 30.0, 1.0)


_J_OVER = (_j_over(0), _j_over(1))


def _j_near(order: int, v: Array) -> Array:
    found = _J_OVER[order](v)
    return found * v if order else found


def _phase_terms(order: int, v: Array) -> tuple[Array, Array]:
    """The two series of the asymptotic form for large arguments."""
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
    return p, q


def _phase_of(order: int, part: int) -> Function:
    """One of the two series from 30 on, of the inverse of the argument."""
    return fitted(lambda inverse: _phase_terms(order, 1 / inverse)[part], 0.0, 1 / 30)


_PHASE = [[_phase_of(order, part) for part in (0, 1)] for order in (0, 1)]


def _wave(order: int, v: Array, quarter: int) -> Array:
    """The asymptotic form of the function of the first (0) or second (1) kind."""
    p, q = (function(1 / v) for function in _PHASE[order])
    angle = v - (order / 2 + 0.25) * math.pi
    with np.errstate(invalid="ignore"):
        sine, cosine = np.sin(angle), np.cos(angle)
        wave = p * sine + q * cosine if quarter else p * cosine - q * sine
        return np.where(np.isinf(v), 0.0, np.sqrt(2 / (math.pi * v)) * wave)


def _bessel_j(order: int, x: Array) -> Array:
    found = split(np.abs(x), 30.0, lambda v: _j_near(order, v), lambda v: _wave(order, v, 0))
    return np.where(x < 0, -found, np.where(x == 0, x, found)) if order else found


@in_blocks
def bessel_j0(x: Array) -> Array:
    """The Bessel function of order 0."""
    return _bessel_j(0, x)


@in_blocks
def bessel_j1(x: Array) -> Array:
    """The Bessel function of order 1."""
    return _bessel_j(1, x)


def _y_rest(order: int) -> Function:
    """What Neumann's series of Bessel functions of the first kind adds to those of the lowest orders."""
    cosines, sines = np.zeros(_NODES), np.zeros(_NODES)
    for k in range(1, 30):
        weight = (-1) ** k * (2 / k if order == 0 else (2 * k + 1) / (k * (k + 1))) / _NODES
        cosines += weight * np.cos((2 * k + order) * _ANGLES)
        sines += weight * np.sin((2 * k + order) * _ANGLES)

    def series(v: Array) -> Array:
        turns = v[:, None] * _SINES
        return (np.cos(turns) @ cosines + np.sin(turns) @ sines) / v**order

    return fitted(series, 0.0, 30.0, 1.0)


_Y_REST = (_y_rest(0), _y_rest(1))


def _y_near(order: int, v: Array) -> Array:
    safe = np.maximum(v, 1e-300)
    log = np.log(safe / 2) + _EULER
    if order == 0:
        return 2 / math.pi * (log * _j_near(0, v) - _Y_REST[0](v))
    return 2 / math.pi * (-_j_near(0, v) / safe + (log - 1) * _j_near(1, v) - v * _Y_REST[1](v))


def _bessel_y(order: int, x: Array) -> Array:
    found = split(np.where(x > 0, x, np.nan), 30.0, lambda v: _y_near(order, v), lambda v: _wave(order, v, 1))
    return np.where(x <= 0, -np.inf, found)


@in_blocks
def bessel_y0(x: Array) -> Array:
    """The Bessel function of the second kind of order 0; infinite at and below 0."""
    return _bessel_y(0, x)


@in_blocks
def bessel_y1(x: Array) -> Array:
    """The Bessel function of the second kind of order 1; infinite at and below 0."""
    return _bessel_y(1, x)


# --- integrals ---------------------------------------------------------------------------------------------------
def _dawson_over(v: Array) -> Array:
    """Dawson's integral over its argument: by its series near 0, elsewhere by Rybicki's sum."""
    h = 0.2
    base = 2 * np.round(0.5 * v / h)
    rest = v - base * h
    odd = np.arange(1, 40, 2)
    up = np.exp(-((rest[:, None] - odd * h) ** 2)) / (odd + base[:, None])
    down = np.exp(-((rest[:, None] + odd * h) ** 2)) / (base[:, None] - odd)
    z = np.minimum(v, 1.0) ** 2
    term, total = np.ones_like(v), np.ones_like(v)
    for k in range(1, 40):
        term = term * (-2 * z) / (2 * k + 1)
        total += term
    return np.where(v < 0.75, total, (up + down).sum(1) / math.sqrt(math.pi) / v)


def _dawson_series(inverse: Array) -> Array:
    """Twice the integral times its argument, from 10 on, of the inverse of the argument's square."""
    total, term = np.ones_like(inverse), np.ones_like(inverse)
    for k in range(1, 20):
        term = term * (2 * k - 1) * inverse / 2
        total += term
    return total


_DAWSON, _DAWSON_FAR = fitted(_dawson_over, 0.0, 10.0, 0.25), fitted(_dawson_series, 0.0, 1 / 100)


@in_blocks
def dawsn(x: Array) -> Array:
    """Dawson's integral."""

    def far(v: Array) -> Array:
        inverse = 1 / v
        return _DAWSON_FAR(inverse * inverse) * (0.5 * inverse)

    return np.copysign(split(np.abs(x), 10.0, lambda v: _DAWSON(v) * v, far), x)


def _ei_middle(v: Array) -> Array:
    """Ei over its argument but for the logarithm, by a series."""
    term, total = np.ones_like(v), np.ones_like(v)
    for k in range(2, 180):
        term = term * v / k
        total += term / k
    return total


def _ei_scaled(v: Array) -> Array:
    """Ei times its argument over its exponential, from 2 on."""
    return (_EULER + np.log(v) + v * _ei_middle(v)) * v * np.exp(-v)


def _ei_far(inverse: Array) -> Array:
    """The same from 40 on, of the inverse of the argument."""
    term, total = np.ones_like(inverse), np.ones_like(inverse)
    for k in range(1, 40):
        term = term * k * inverse
        total += term
    return total


def _e1_scaled(log: Array) -> Array:
    """E1 times its argument and its exponential, from 1 on, of the argument's logarithm."""
    v, nodes = np.exp(log), np.exp(np.arange(-45.0, 7.0, _STEP))
    with np.errstate(under="ignore"):
        return (np.exp(-v[:, None] * nodes) * (nodes / (1 + nodes))).sum(1) * _STEP * v


_EI_MIDDLE, _EI_SCALED = fitted(_ei_middle, -1.0, 2.0, 0.5), fitted(_ei_scaled, 2.0, 40.0, 0.5)
_EI_FAR, _E1_SCALED = fitted(_ei_far, 0.0, 1 / 40, degree=18), fitted(_e1_scaled, 0.0, 7.0, 0.25)


@in_blocks
def expint(x: Array) -> Array:
    """The exponential integral Ei."""
    found = np.full_like(x, np.nan)
    found[x == 0], found[x == np.inf], found[x < -1000] = -np.inf, np.inf, -0.0
    with np.errstate(over="ignore", under="ignore"):
        put(found, (x >= -1000) & (x <= -1), x, lambda v: _E1_SCALED(np.log(-v)) * np.exp(v) / v)
        put(found, (x > -1) & (x < 2) & (x != 0), x, lambda v: _EULER + np.log(np.abs(v)) + v * _EI_MIDDLE(v))
        put(found, (x >= 2) & (x < 40), x, lambda v: _EI_SCALED(v) * np.exp(v) / v)
        put(found, (x >= 40) & (x < np.inf), x, lambda v: _EI_FAR(1 / v) * (np.exp(v) / v))
    return found


def _fresnel_near(wave: np.ufunc, power: int) -> Function:
    """The integral of `wave` over the power of its end with which it begins, of the square of its end."""

    def quadrature(square: Array) -> Array:
        nodes, weights = np.polynomial.legendre.leggauss(64)
        along = ((nodes + 1) / 2) ** 2
        turns = math.pi / 2 * square[:, None] * along
        return (wave(turns) * weights).sum(1) / 2 / square ** (power // 2)

    return fitted(quadrature, 0.0, 36.0, 0.5)


_FRESNEL = (_fresnel_near(np.cos, 1), _fresnel_near(np.sin, 3))


def _fresnel_series(part: int) -> Function:
    """One of the two asymptotic series from 6 on, of the square of the inverse of `pi v v`."""

    def series(inverse: Array) -> Array:
        total, term = np.ones_like(inverse), np.ones_like(inverse)
        for k in range(1, 10):
            factor = (4 * k + 1) * (4 * k - 1) if part else (4 * k - 1) * (4 * k - 3)
            term = term * -factor * inverse
            total = total + term
        return total

    return fitted(series, 0.0, (36 * math.pi) ** -2.0)


_FRESNEL_FAR = (_fresnel_series(0), _fresnel_series(1))


def _fresnel(x: Array, sine: bool) -> Array:
    def near(v: Array) -> Array:
        square = v * v
        return _FRESNEL[sine](square) * (square * v if sine else v)

    def far(v: Array) -> Array:
        inverse = 1 / (math.pi * v * v)
        square = inverse * inverse
        f, g = _FRESNEL_FAR[0](square) / (math.pi * v), _FRESNEL_FAR[1](square) * inverse / (math.pi * v)
        angle = math.pi / 2 * np.mod(v * v, 4.0)
        if sine:
            return 0.5 - f * np.cos(angle) - g * np.sin(angle)
        return 0.5 + f * np.sin(angle) - g * np.cos(angle)

    found = split(np.minimum(np.abs(x), 1e100), 6.0, near, far)
    return np.where(x < 0, -found, found)


@in_blocks
def fresnel_cos(x: Array) -> Array:
    """Fresnel's cosine integral."""
    return _fresnel(x, False)


@in_blocks
def fresnel_sin(x: Array) -> Array:
    """Fresnel's sine integral."""
    return _fresnel(x, True)


_DILOGARITHM = tuple(1 / (k * k) for k in range(59, 0, -1))


@in_blocks
def spence(x: Array) -> Array:
    """Spence's dilogarithm: the integral of log(t) / (1 - t) from 1 to x; NaN below 0."""
    safe = np.where((x > 0) & np.isfinite(x), x, 1.0)
    inverted = safe > 1.5
    v = np.where(inverted, 1 / safe, safe)
    folded = v < 0.5
    z = np.where(folded, v, 1 - v)
    total = z * _SPENCE(z)
    log = np.log(v)
    found = np.where(folded, math.pi**2 / 6 - log * np.log1p(-v * folded) - total, total)
    found = np.where(inverted, -0.5 * np.log(safe) ** 2 - found, found)
    found = np.where(np.isinf(x), -np.inf, np.where(x == 0, math.pi**2 / 6, found))
    return np.where((x < 0) | np.isnan(x), np.nan, found)


_SPENCE = fitted(lambda z: poly(z, *_DILOGARITHM), -0.5, 0.5, 0.25)
