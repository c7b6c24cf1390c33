"""Samples of the distributions that take a search or a rejection: categorical, gamma, Poisson, binomial, bounded.

Each output has 256 blocks of the stream for itself, so that outputs do not depend on how many others were drawn.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ops.math.special import gamma_kernels as special
from graphrt.ops.random import philox as rb
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.types.likes import Array

__all__ = [
    "binomial", "bounded_normal", "categorical", "check_categorical", "gamma", "gamma_slope", "poisson",
    "shuffled_index",
]  # fmt: skip


# --- one of several --------------------------------------------------------------------------------------------------
def check_categorical(logits: Array, num_samples: Array) -> None:
    """Raises InvalidArgumentError unless `logits` has rows of classes and `num_samples` is no negative number."""
    if np.ndim(logits) != 2:
        raise errors.InvalidArgumentError(None, None, f"logits should be a matrix, got shape {list(np.shape(logits))}")
    if int(num_samples) < 0:
        raise errors.InvalidArgumentError(None, None, f"num_samples should be nonnegative, got {int(num_samples)}")
    if logits.shape[1] == 0:
        raise errors.InvalidArgumentError(None, None, "num_classes should be positive, got 0")


def categorical(key: int, counter: int, logits: Array, count: int) -> Array:
    """`count` classes for each row of `logits`, each as likely as the exponential of its logit says."""
    rows = logits.shape[0]
    out = np.empty((rows, count), np.int64)
    if not out.size:
        return out
    weights = logits.astype(np.float64)
    usable = np.isfinite(weights)
    top = np.max(np.where(usable, weights, -np.inf), axis=1, keepdims=True)
    sums = np.cumsum(np.where(usable, np.exp(weights - top), 0.0), axis=1)
    draws = rb.uniform(key, counter, rows * count, np.float64).reshape(rows, count)
    for row in range(rows):
        out[row] = np.searchsorted(sums[row], draws[row] * sums[row, -1], side="right")
    return out


# --- rejection -------------------------------------------------------------------------------------------------------
class _Draws:
    """For each of many outputs its own part of the stream; numbers come two from a block, the second one first."""

    def __init__(self, key: int, counter: int, count: int) -> None:
        self._key, self._counter = key, counter
        self._next = np.zeros(count, np.int64)  # the next block of each output, within its own
        self._left = {kind: np.zeros(count, np.int64) for kind in "un"}
        self._pair = {kind: np.zeros((count, 2)) for kind in "un"}

    def take(self, kind: str, which: Array) -> Array:
        """The next uniform ("u") or normal ("n") number of the outputs `which`."""
        left, pair = self._left[kind], self._pair[kind]
        empty = which[left[which] == 0]
        if empty.size:
            words = rb.blocks_at(self._key, self._counter, empty * 256 + self._next[empty])
            self._next[empty] += 1
            if kind == "n":
                pair[empty] = rb.gauss64(words)
            else:
                pair[empty] = rb.unit64(words[:, 0::2], words[:, 1::2])
            left[empty] = 2
        left[which] -= 1
        return pair[which, left[which]]


def gamma(key: int, counter: int, shape: tuple[int, ...], alpha: Array, dtype: Any) -> Array:
    """Gamma samples of scale 1, of shape `[*shape, *alpha.shape]`, by the method of Marsaglia and Tsang."""
    shapes = _parameter_major(alpha, shape)
    out = np.full(shapes.size, np.nan)
    draws = _Draws(key, counter, shapes.size)
    small = shapes < 1
    single = np.flatnonzero(shapes == 1)
    if single.size:
        out[single] = -np.log1p(-draws.take("u", single))
    d = shapes + small - 1.0 / 3
    has_density = shapes >= 0  # neither negative nor NaN
    c = 1.0 / 3 / np.sqrt(np.where(has_density, d, 1.0))
    pending = np.flatnonzero(has_density & (shapes != 1))
    while pending.size:
        x = draws.take("n", pending)
        v = 1 + c[pending] * x
        inside = v > 0
        pending_in, x, v = pending[inside], x[inside], v[inside] ** 3
        u = draws.take("u", pending_in)
        scale = d[pending_in]
        with np.errstate(divide="ignore"):
            taken = (u < 1 - 0.0331 * x**4) | (np.log(u) < 0.5 * x * x + scale * (1 - v + np.log(v)))
        done = pending_in[taken]
        result = scale[taken] * v[taken]
        boosted = small[done]
        if boosted.any():
            again = draws.take("u", done[boosted])
            result[boosted] *= again ** (1 / shapes[done[boosted]])
        out[done] = result
        rejected = np.ones(shapes.size, bool)
        rejected[done] = False
        pending = pending[rejected[pending]]
    return _sample_major(out.astype(dtype), shape, alpha.shape)


def _parameter_major(parameter: Array, shape: tuple[int, ...]) -> Array:
    """`parameter` once for each sample, flat; all samples of one parameter stand together."""
    return np.repeat(parameter.astype(np.float64).reshape(-1), math.prod(shape))


def _sample_major(flat: Array, shape: tuple[int, ...], tail: tuple[int, ...]) -> Array:
    """Samples in the order of `_parameter_major`, as an array of shape `[*shape, *tail]`."""
    return np.ascontiguousarray(flat.reshape(math.prod(tail), -1).T if flat.size else flat).reshape((*shape, *tail))


def gamma_slope(alpha: Array, sample: Array) -> Array:
    """How a gamma sample moves with `alpha` when its quantile stays: minus dF/d alpha over the density."""
    a, x = np.asarray(alpha, np.float64), np.asarray(sample, np.float64)
    step = 1e-4 * np.maximum(np.abs(a), 1e-2)

    def quantile(delta: float) -> Array:
        return special.igamma(a + delta * step, x)

    slope = (quantile(-2) - 8 * quantile(-1) + 8 * quantile(1) - quantile(2)) / (12 * step)
    density = np.exp((a - 1) * np.log(x) - x - special.lgamma(a))
    return np.asarray(-slope / density).astype(alpha.dtype)[()]


_SMALL_RATE = 10.0


def poisson(key: int, counter: int, shape: tuple[int, ...], rate: Array, dtype: Any) -> Array:
    """Poisson samples of shape `[*shape, *rate.shape]`: products of uniforms for small rates, else Hoermann's PTRS."""
    rates = _parameter_major(rate, shape)
    out = np.zeros(rates.size)
    draws = _Draws(key, counter, rates.size)
    valid = np.isfinite(rates) & (rates >= 0)
    out[~valid] = np.nan if np.dtype(dtype).kind == "f" else 0
    small = np.flatnonzero(valid & (rates < _SMALL_RATE))
    limit, product = np.exp(-rates), np.ones(rates.size)
    while small.size:
        product[small] *= draws.take("u", small)
        small = small[product[small] > limit[small]]
        out[small] += 1
    _poisson_large(draws, rates, np.flatnonzero(valid & (rates >= _SMALL_RATE)), out)
    with np.errstate(invalid="ignore"):
        return _sample_major(out.astype(dtype), shape, rate.shape)


def _poisson_large(draws: _Draws, rates: Array, pending: Array, out: Array) -> None:
    log_rate = np.log(np.where(rates > 0, rates, 1.0))
    b = 0.931 + 2.53 * np.sqrt(rates)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    while pending.size:
        u = draws.take("u", pending) - 0.5
        v = draws.take("u", pending)
        us = 0.5 - np.abs(u)
        k = np.floor((2 * a[pending] / us + b[pending]) * u + rates[pending] + 0.43)
        v_r = 0.9227 - 3.6224 / (b[pending] - 2)
        quick = (us >= 0.07) & (v <= v_r)
        possible = (k >= 0) & ~((us < 0.013) & (v > us))
        s = np.log(v * inverse_alpha[pending] / (a[pending] / (us * us) + b[pending]))
        t = -rates[pending] + k * log_rate[pending] - special.lgamma(np.maximum(k, 0) + 1)
        taken = quick | (possible & (s <= t))
        out[pending[taken]] = k[taken]
        pending = pending[~taken]


def binomial(key: int, counter: int, counts: Array, probs: Array, dtype: Any) -> Array:
    """Binomial samples: how many of `counts` trials succeed, each with probability `probs`."""
    n = np.floor(counts.astype(np.float64)).reshape(-1)
    p = probs.astype(np.float64).reshape(-1)
    flipped = p > 0.5
    q = np.where(flipped, 1 - p, p)
    out = np.zeros(n.size)
    draws = _Draws(key, counter, n.size)
    valid = np.isfinite(n) & (n >= 0) & (p >= 0) & (p <= 1)
    small = valid & (n * q < _SMALL_RATE)
    _binomial_small(draws, n, q, np.flatnonzero(small & (q > 0)), out)
    _binomial_large(draws, n, q, np.flatnonzero(valid & ~small), out)
    out = np.where(flipped, n - out, out)
    if np.dtype(dtype).kind == "f":
        out[~valid] = np.nan
    else:
        out[~valid] = 0
    return out.astype(dtype).reshape(counts.shape)


def _binomial_small(draws: _Draws, n: Array, q: Array, pending: Array, out: Array) -> None:
    """Adds up the geometric gaps between successes until they exceed the number of trials."""
    gaps = np.zeros(n.size)
    log_fail = np.log1p(-q)
    while pending.size:
        gaps[pending] += np.ceil(np.log(np.maximum(draws.take("u", pending), 1e-300)) / log_fail[pending])
        pending = pending[gaps[pending] <= n[pending]]
        out[pending] += 1


def _binomial_large(draws: _Draws, n: Array, q: Array, pending: Array, out: Array) -> None:
    """Hoermann's transformed rejection (BTRS)."""
    spread = np.sqrt(n * q * (1 - q))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * q
    center = n * q + 0.5
    alpha = (2.83 + 5.1 / np.where(b > 0, b, 1)) * spread
    odds = q / (1 - q)
    mode = np.floor((n + 1) * q)
    while pending.size:
        i = pending
        u = draws.take("u", i) - 0.5
        v = draws.take("u", i)
        us = 0.5 - np.abs(u)
        k = np.floor((2 * a[i] / us + b[i]) * u + center[i])
        quick = (us >= 0.07) & (v <= 0.92 - 4.2 / b[i])
        possible = (k >= 0) & (k <= n[i])
        kk, m = np.clip(k, 0, n[i]), mode[i]
        left = np.log(v * alpha[i] / (a[i] / (us * us) + b[i]))
        lg = special.lgamma
        right = lg(m + 1) + lg(n[i] - m + 1) - lg(kk + 1) - lg(n[i] - kk + 1) + (kk - m) * np.log(odds[i])
        taken = possible & (quick | (left <= right))
        out[i[taken]] = k[taken]
        pending = pending[~taken]


def bounded_normal(
    key: int, counter: int, shape: tuple[int, ...], means: Array, stddevs: Array, minvals: Array, maxvals: Array
) -> Array:
    """Normal samples of shape `shape` between two bounds, by the inverse of the distribution function."""
    dtype = np.asarray(means).dtype
    try:
        mean, deviation, low, high = (
            np.broadcast_to(v, shape).astype(np.float64) for v in (means, stddevs, minvals, maxvals)
        )
    except ValueError:
        raise errors.InvalidArgumentError(
            None, None, f"The parameters must broadcast to the shape {list(shape)}"
        ) from None
    if np.any(deviation <= 0) or np.any(low >= high):
        raise errors.InvalidArgumentError(None, None, "Invalid parameters: need stddev > 0 and minval < maxval")
    a, b = (low - mean) / deviation, (high - mean) / deviation
    mirrored = a > 0  # the upper tail is computed as the lower one, where the small numbers are precise
    a, b = np.where(mirrored, -b, a), np.where(mirrored, -a, b)
    lower, upper = 0.5 * special.erfc(-a / math.sqrt(2)), 0.5 * special.erfc(-b / math.sqrt(2))
    u = rb.uniform(key, counter, mean.size, np.float64).reshape(shape)
    z = special.ndtri(lower + u * (upper - lower))
    z = np.clip(np.where(mirrored, -z, z), (low - mean) / deviation, (high - mean) / deviation)
    return np.clip(mean + deviation * z, low, high).astype(dtype)


# --- a permutation given point by point ------------------------------------------------------------------------------
_MOST_ROUNDS = 1024  # each takes a microsecond or two; no more than some dozens make the permutation any better


def shuffled_index(index: Array, seed: Array, max_index: Array, rounds: int) -> Array:
    """Where a permutation of `0 ... max_index`, chosen by `seed`, sends `index`."""
    if np.shape(seed)[-1:] != (3,):
        raise bad(f"seed must be three integers, found the shape {text_of(np.shape(seed))}")
    if rounds > _MOST_ROUNDS:
        raise bad(f"rounds must be at most {_MOST_ROUNDS}, found {rounds}")
    shape = np.broadcast_shapes(np.shape(index), np.shape(seed)[:-1], np.shape(max_index))
    indices, tops = np.broadcast_to(index, shape).reshape(-1), np.broadcast_to(max_index, shape).reshape(-1)
    seeds = np.broadcast_to(seed, (*shape, 3)).reshape(-1, 3)
    found = [_walk(int(i), s.tolist(), int(m), rounds) for i, s, m in zip(indices, seeds, tops)]
    return np.array(found, np.asarray(index).dtype).reshape(shape)[()]


def _walk(index: int, seed: list[int], top: int, rounds: int) -> int:
    if not 0 <= index <= top:
        raise errors.InvalidArgumentError(None, None, f"index must be from 0 to max_index {top}, found {index}")
    half = max((top.bit_length() + 1) // 2, 1)
    mask = (1 << half) - 1
    key = (seed[0] & 0xFFFFFFFF) | (seed[1] & 0xFFFFFFFF) << 32
    while True:  # a Feistel network permutes the next power of two; what falls outside is sent on
        left, right = index >> half, index & mask
        for turn in range(max(rounds, 4)):
            word = rb.one_block(key, right | (seed[2] & 0xFFFFFFFF) << 64 | turn << 96)[0]
            left, right = right, left ^ (word & mask)
        index = left << half | right
        if index <= top:
            return index
