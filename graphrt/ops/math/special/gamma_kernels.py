"""Special functions on float64 arrays: error function, gamma function and their kin.

Each function takes and gives float64 (arrays or scalars); `in_double` makes a kernel for narrower types of one. The
methods are the classical ones: rational approximations, series, continued fractions, and recurrences that carry the
argument to where an asymptotic series is exact to the last bit.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.ops.math.special.piecewise import fitted, in_blocks, poly, put
from graphrt.types.likes import Array

__all__ = [
    "betainc", "digamma", "erf", "erfc", "erfinv", "igamma", "igammac", "in_double", "lgamma", "ndtri", "polygamma",
    "zeta",
]  # fmt: skip

_SQRT2 = math.sqrt(2.0)


def in_double(function: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that computes in float64 and gives the dtype of its first input, broadcasting its inputs."""

    @functools.wraps(function)
    def kernel(*inputs: Array) -> Array:
        arrays = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in inputs))
        shape = arrays[0].shape
        result = function(*(np.ascontiguousarray(a).reshape(-1) for a in arrays))
        return result.reshape(shape).astype(inputs[0].dtype)[()]

    return kernel


# --- the error function ----------------------------------------------------------------------------------------------
@in_blocks
def erf(x: Array) -> Array:
    """The error function."""
    found = np.array(x, np.float64)
    size = np.abs(found)
    put(found, size > 1, x, lambda v: np.sign(v) * (1 - _erfc_positive(np.abs(v))))
    put(found, size <= 1, x, _erf_near)
    return found


def _erf_near(x: Array) -> Array:
    """The error function from -1 to 1."""
    z = x * x
    return x * poly(
        z, 9.60497373987051638749e0, 9.00260197203842689217e1, 2.23200534594684319226e3, 7.00332514112805075473e3,
        5.55923013010394962768e4,
    ) / poly(
        z, 1.0, 3.35617141647503099647e1, 5.21357949780152679795e2, 4.59432382970980127987e3,
        2.26290000613890934246e4, 4.92673942608635921086e4,
    )  # fmt: skip


def _erfc_positive(a: Array) -> Array:
    """erfc for arguments of at least 1."""
    found = _erfcx(a)
    with np.errstate(under="ignore", over="ignore"):
        found *= np.exp(-a * a)
    return found


def _erfcx(a: Array) -> Array:
    """What erfc is times `exp(a * a)`, from 1."""
    found = np.empty_like(a)
    put(found, a < 8, a, _erfc_middle)
    put(found, ~(a < 8), a, _erfc_far)
    return found


def _erfc_middle(a: Array) -> Array:
    """What erfc is times `exp(a * a)`, below 8."""
    p = poly(
        a, 2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
        4.86371970985681366614e1, 1.96520832956077098242e2, 5.26445194995477358631e2, 9.34528527171957607540e2,
        1.02755188689515710272e3, 5.57535335369399327526e2,
    )  # fmt: skip
    q = poly(
        a, 1.0, 1.32281951154744992508e1, 8.67072140885989742329e1, 3.54937778887819891062e2,
        9.75708501743205489753e2, 1.82390916687909736289e3, 2.24633760818710981792e3, 1.65666309194161350182e3,
        5.57535340817727675546e2,
    )  # fmt: skip
    return p / q


def _erfc_far(a: Array) -> Array:
    """What erfc is times `exp(a * a)`, from 8."""
    far = np.minimum(a, 1e3)
    r = poly(
        far, 5.64189583547755073984e-1, 1.27536670759978104416e0, 5.01905042251180477414e0,
        6.16021097993053585195e0, 7.40974269950448939160e0, 2.97886665372100240670e0,
    )  # fmt: skip
    s = poly(
        far, 1.0, 2.26052863220117276590e0, 9.39603524938001434673e0, 1.20489539808096656605e1,
        1.70814450747565897222e1, 9.60896809063285878198e0, 3.36907645100081516050e0,
    )  # fmt: skip
    return r / s


@in_blocks
def erfc(x: Array) -> Array:
    """One minus the error function, precise also where it is tiny."""
    found = np.array(x, np.float64)
    size = np.abs(found)
    put(found, size > 1, x, _erfc_tails)
    put(found, size <= 1, x, lambda v: 1 - _erf_near(v))
    return found


def _erfc_tails(x: Array) -> Array:
    tail = _erfc_positive(np.abs(x))
    return np.where(x > 0, tail, 2 - tail)


def _root_of_erf(w: Array) -> Array:
    """The argument at which the error function is `x`, over `x`, where `w` is `-log(1 - x * x)`: by Newton's method."""
    x = np.sqrt(-np.expm1(-w))
    low = np.minimum(w, 0.3)  # there erf tells more than its logarithm
    wanted = np.sqrt(-np.expm1(-low))
    small, large = wanted, np.sqrt(w)
    for _ in range(60):
        small = small - (erf(small) - wanted) * (math.sqrt(math.pi) / 2) * np.exp(small * small)
        scaled = np.where(large < 1, np.exp(large * large) * (1 - _erf_near(large)), _erfcx(np.maximum(large, 1.0)))
        error = np.log(scaled) - large * large + w + np.log1p(x)  # of the logarithm of erfc
        large = large + error * scaled * (math.sqrt(math.pi) / 2)
    return np.where(w < 0.3, small, large) / x


_ROOT_OF_ERF = fitted(_root_of_erf, 0.0, 37.0, 0.5)
_FAR_ROOT_OF_ERF = fitted(lambda log: _root_of_erf(np.exp(log)), math.log(37.0), math.log(750.0), 0.25)


def _root_near(w: Array) -> Array:
    found = np.full_like(w, np.inf)
    put(found, w < 37, w, _ROOT_OF_ERF)
    put(found, (w >= 37) & (w < 750), w, lambda v: _FAR_ROOT_OF_ERF(np.log(v)))
    return found


@in_blocks
def ndtri(p: Array) -> Array:
    """The argument at which the normal distribution function is `p`."""
    q = np.where(p > 0.5, 1 - p, p)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = _root_near(-np.log(4 * q * (1 - q))) * (1 - 2 * q) * _SQRT2
    return np.where((p >= 0) & (p <= 1), np.where(p > 0.5, found, 0.0 - found), np.nan)


@in_blocks
def erfinv(x: Array) -> Array:
    """The argument at which the error function is `x`."""
    size = np.abs(x)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        w = -np.log((1 - size) * (1 + size))
    return np.where(size > 1, np.nan, _root_near(w) * x + 0.0)


# --- the gamma function ----------------------------------------------------------------------------------------------
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400)


def _lgamma_positive(x: Array) -> Array:
    product = np.ones_like(x)
    shifted = x
    for _ in range(10):
        low = shifted < 10
        product = np.where(low, product * shifted, product)
        shifted = np.where(low, shifted + 1, shifted)
    inverse = 1 / (shifted * shifted)
    series = poly(inverse, *reversed(_STIRLING)) / shifted
    return (shifted - 0.5) * np.log(shifted) - shifted + 0.5 * math.log(2 * math.pi) + series - np.log(product)


def lgamma(x: Array) -> Array:
    """The logarithm of the magnitude of the gamma function."""
    x = np.asarray(x, np.float64)
    finite = np.isfinite(x)
    safe = np.where(finite, x, 1.0)
    positive = _lgamma_positive(np.where(safe > 0, safe, 1.0))
    result = positive
    if np.any(safe <= 0):
        folded = safe - np.rint(safe)  # from the nearest integer: exact, however near that is
        with np.errstate(divide="ignore"):
            rest = np.log(np.abs(folded)) + np.log(np.sinc(folded))
        reflected = -rest - _lgamma_positive(np.where(safe > 0, 1.0, 1 - safe))
        result = np.where(safe > 0, positive, np.where(folded == 0, np.inf, reflected))
    result = np.where((safe == 1) | (safe == 2), 0.0, result)
    return np.where(finite, result, np.where(np.isnan(x), np.nan, np.inf))


_DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)


def digamma(x: Array) -> Array:
    """The derivative of the logarithm of the gamma function; NaN at its poles."""
    x = np.asarray(x, np.float64)
    pole = (x <= 0) & (x == np.floor(x))
    infinite = np.isposinf(x)
    safe = np.where(pole | ~np.isfinite(x), 1.0, x)
    negative = safe < 0
    at = np.where(negative, 1 - safe, safe)
    total = np.zeros_like(at)
    for _ in range(10):
        low = at < 10
        total = np.where(low, total - 1 / at, total)
        at = np.where(low, at + 1, at)
    inverse = 1 / (at * at)
    value = total + np.log(at) - 0.5 / at - inverse * poly(inverse, *reversed(_DIGAMMA))
    folded = safe - np.rint(safe)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value = np.where(negative, value - math.pi / np.tan(math.pi * folded), value)
    return np.where(infinite, np.inf, np.where(pole | ~np.isfinite(x), np.nan, value))


_BERNOULLI = (
    1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600,
    -3617 / 10670622842880000, 43867 / 5109094217170944000,
)  # fmt: skip


def zeta(s: Array, q: Array) -> Array:
    """Hurwitz's zeta function: the sum of `(q + k) ** -s` over all k from 0 on, for s > 1."""
    s, q = np.asarray(s, np.float64), np.asarray(q, np.float64)
    usable = (s > 1) & ~((q <= 0) & (q != np.floor(q)) & (s != np.floor(s))) & ~((q <= 0) & (q == np.floor(q)))
    a, b = np.where(usable, s, 2.0), np.where(usable, q, 1.0)
    total = np.zeros_like(a)
    steps = int(max(12, 12 - np.floor(b.min()))) if b.size else 12
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for k in range(min(steps, 100000)):
            total += np.power(b + k, -a)
        end = b + min(steps, 100000)
        tail = np.power(end, 1 - a) / (a - 1) + 0.5 * np.power(end, -a)
        factor, power = a, np.power(end, -a - 1)
        for i, bernoulli in enumerate(_BERNOULLI):
            tail += bernoulli * factor * power
            factor = factor * (a + 2 * i + 1) * (a + 2 * i + 2)
            power = power / (end * end)
    far = usable & (s > 1e5) & (q > 0)  # nothing is left but the first term
    total, tail = (
        np.where(far, part, v)
        for part, v in ((np.where(q > 1, 0.0, np.where(q == 1, 1.0, np.inf)), total), (0.0, tail))
    )
    pole = (s == 1) | (
        (q <= 0) & (q == np.floor(q)) & (s > 1) & ((s % 2 == 0) | np.isinf(s))
    )  # odd ones have two signs
    return np.where(usable, total + tail, np.where(pole, np.inf, np.nan))


def polygamma(n: Array, x: Array) -> Array:
    """The `n`-th derivative of `digamma`."""
    n, x = np.asarray(n, np.float64), np.asarray(x, np.float64)
    valid = (n >= 0) & (n == np.floor(n))
    order = np.where(valid, n, 0.0)
    sign = np.where(order % 2 == 0, -1.0, 1.0)
    high = sign * np.exp(lgamma(order + 1)) * zeta(np.maximum(order, 1.0) + 1, x)
    return np.where(valid, np.where(order == 0, digamma(x), high), np.nan)


def _gamma_prefix(a: Array, x: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.exp(a * np.log(x) - x - lgamma(a))


_TINY = 1e-300  # stands for 0 in the denominators of continued fractions
_STILL = 4e-16  # a factor that differs from 1 by no more changes nothing any longer
_SWEEPS = 5000


def _not_zero(v: Array) -> Array:
    return np.where(np.abs(v) < _TINY, _TINY, v)


def _iterated(step: Callable[..., tuple[Array, tuple[Array, ...]]], *state: Array) -> Array:
    """The first array of `state` when `step` no longer changes it.

    A step gives where it changed nothing, and the state that follows. Elements leave when they are done: few need many.
    """
    found, left = np.empty_like(state[0]), np.arange(state[0].size)
    for i in range(1, _SWEEPS):
        still, state = step(i, *state)
        if i % 8 and not still.all():
            continue
        found[left[still]] = state[0][still]
        left = left[~still]
        if not left.size:
            return found
        state = tuple(v[~still] for v in state)
    found[left] = state[0]
    return found


def _igamma_series(a: Array, x: Array) -> Array:
    def step(i: int, total: Array, term: Array, at: Array, x: Array) -> tuple[Array, tuple[Array, ...]]:
        term = term * x / (at + i)
        total = total + term
        return np.abs(term) <= np.abs(total) * 1e-17, (total, term, at, x)

    return _iterated(step, 1 / a, 1 / a, a, x) * _gamma_prefix(a, x)


def _igammac_fraction(a: Array, x: Array) -> Array:
    def step(i: int, h: Array, c: Array, d: Array, a: Array, b: Array) -> tuple[Array, tuple[Array, ...]]:
        an, b = -i * (i - a), b + 2
        d = 1 / _not_zero(an * d + b)
        c = _not_zero(b + an / c)
        delta = d * c
        return np.abs(delta - 1) < _STILL, (h * delta, c, d, a, b)

    b = x + 1 - a
    d = 1 / np.where(b == 0, _TINY, b)
    return _iterated(step, d, np.full_like(x, 1 / _TINY), d, a, b) * _gamma_prefix(a, x)


def _igamma_both(a: Array, x: Array) -> tuple[Any, Any]:
    a, x = (np.array(v, np.float64) for v in np.broadcast_arrays(a, x))
    shape = a.shape
    a, x = a.reshape(-1), x.reshape(-1)
    lower, upper = np.full(a.shape, np.nan), np.full(a.shape, np.nan)
    valid = (a > 0) & (x >= 0)
    end = valid & np.isinf(x) & ~np.isinf(a)
    lower[end], upper[end] = 1.0, 0.0
    begin = valid & ((x == 0) | (np.isinf(a) & ~np.isinf(x)))
    lower[begin], upper[begin] = 0.0, 1.0
    inner = valid & ~end & ~begin & np.isfinite(a) & np.isfinite(x)
    series = inner & (x < a + 1)
    if series.any():
        lower[series] = _igamma_series(a[series], x[series])
        upper[series] = 1 - lower[series]
    fraction = inner & ~series
    if fraction.any():
        upper[fraction] = _igammac_fraction(a[fraction], x[fraction])
        lower[fraction] = 1 - upper[fraction]
    return lower.reshape(shape), upper.reshape(shape)


def igamma(a: Array, x: Array) -> Array:
    """The lower regularised incomplete gamma function."""
    return _igamma_both(a, x)[0]


def igammac(a: Array, x: Array) -> Array:
    """The upper regularised incomplete gamma function."""
    return _igamma_both(a, x)[1]


def igamma_slope(a: Array, x: Array) -> Array:
    """The derivative of `igamma` by its first argument, by a central difference of sixth order."""
    step = 2e-3 * np.maximum(a, 1e-3) ** 0.5 * np.minimum(1.0, a) ** 0.5
    total = np.zeros_like(a)
    for k, weight in ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60)):
        total += weight * (igamma(a + k * step, x) - igamma(a - k * step, x))
    return total / step


# --- the beta function -----------------------------------------------------------------------------------------------
def _beta_fraction(a: Array, b: Array, x: Array) -> Array:
    def step(m: int, h: Array, c: Array, d: Array, a: Array, b: Array, x: Array) -> tuple[Array, tuple[Array, ...]]:
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for part in (even, odd):
            d = 1 / _not_zero(1 + part * d)
            c = _not_zero(1 + part / c)
            h = h * d * c
        return np.abs(d * c - 1) < _STILL, (h, c, d, a, b, x)

    d = 1 / _not_zero(1 - (a + b) * x / (a + 1))
    return _iterated(step, d, np.ones_like(x), d, a, b, x)


def betainc(a: Array, b: Array, x: Array) -> Array:
    """The regularised incomplete beta function."""
    a, b, x = (np.asarray(v, np.float64) for v in (a, b, x))
    valid = (a > 0) & (b > 0) & (x >= 0) & (x <= 1)
    inner = valid & (x > 0) & (x < 1) & np.isfinite(a) & np.isfinite(b)
    result = np.where(valid, np.where(x >= 1, 1.0, 0.0), np.nan)
    if not inner.any():
        return result
    p, q, z = a[inner], b[inner], x[inner]
    swap = z > (p + 1) / (p + q + 2)
    p, q, z = np.where(swap, q, p), np.where(swap, p, q), np.where(swap, 1 - z, z)
    with np.errstate(under="ignore"):
        front = np.exp(lgamma(p + q) - lgamma(p) - lgamma(q) + p * np.log(z) + q * np.log1p(-z)) / p
    value = front * _beta_fraction(p, q, z)
    result[inner] = np.where(swap, 1 - value, value)
    return result
