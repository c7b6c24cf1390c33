"""NumPy's sine and cosine of one float32, step by step: its own loop takes twice as long for a single number.

NumPy takes away multiples of a quarter turn in three steps, and computes two polynomials, of which the quarter chooses one.
A product that is added to is not rounded before. Where a NumPy, or a processor, has other steps, these are not used.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.types.likes import Array

_F = np.float32
_QUARTERS, _ROUNDING = _F(float.fromhex("0x1.45f306p-1")), _F(1.5 * 2.0**23)  # of a radian; whose sum is a whole number
_QUARTER = tuple(map(_F, (-1.57079601287841796875, -3.1391647326017846e-07, -5.390302529957765e-15)))
_SINE = tuple(
    _F(float.fromhex(c)) for c in ("0x1.7d3bbcp-19", "-0x1.a06bbap-13", "0x1.11119ap-07", "-0x1.555556p-03", "0")
)
_COSINE = tuple(
    _F(float.fromhex(c)) for c in ("0x1.98e616p-16", "-0x1.6c06dcp-10", "0x1.55553cp-05", "-0x1p-01", "0x1p+00")
)
_ZERO = _F(0)
LARGEST = {"sin": _F(117435.992), "cos": _F(71476.0625)}  # beyond, NumPy asks the C library


def steps(fused: Callable[[Any, Any, Any], Any], chosen: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The sine of x, for 0, or cosine, for 1, made with `fused(a, b, c)` = `a * b + c` and `chosen(condition, a, b)`."""
    q1, q2, q3 = _QUARTER
    s1, s2, s3, s4, s5 = _SINE
    c1, c2, c3, c4, c5 = _COSINE

    def sine(x: Any, quarter: Any) -> Any:
        quarters = fused(x, _QUARTERS, _ROUNDING) - _ROUNDING
        rest = fused(quarters, q3, fused(quarters, q2, fused(quarters, q1, x)))
        square = rest * rest
        odd = fused(fused(fused(fused(s1, square, s2), square, s3), square, s4), square, s5)
        even = fused(fused(fused(fused(c1, square, c2), square, c3), square, c4), square, c5)
        at = np.int32(quarters) + quarter
        found = chosen(at & 1 == 0, fused(odd, rest, rest), even)
        return chosen(at & 2 == 0, found, _ZERO - found)

    return sine


# state: bounded by the two functions
@functools.cache
def as_numpy(ufunc: str) -> bool:
    """Whether NumPy takes these steps, for all of some thousand numbers: other steps would round many of them otherwise.

    Half of the numbers are halfway between two multiples of a quarter turn, where it matters how these are found.
    """
    halves = (np.arange(-4096, 4096) + 0.5) * (np.pi / 2)
    x = np.concatenate([halves, *(np.linspace(-most, most, 2048) for most in (1e-3, 3.0, 100.0, 3e4))]).astype(_F)
    found = steps(_fused, np.where)(x, np.int32(ufunc == "cos"))
    return bool(np.array_equal(found.view(np.int32), getattr(np, ufunc)(x).view(np.int32)))


def _fused(a: Array, b: Array, c: Array) -> Array:
    """Products are exact in 64 bits. Sums are rounded twice, which makes no difference for the numbers above."""
    return (np.multiply(a, b, dtype=np.float64) + c).astype(_F)
