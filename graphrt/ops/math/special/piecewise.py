"""Functions of float64 arrays that are computed block by block, each range of the argument in its own way."""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from graphrt.types.likes import Array

__all__ = ["Function", "fitted", "in_blocks", "poly", "put", "split"]

Function = Callable[[Array], Array]

_BLOCK = 8192  # numbers, of which some arrays fit into the second cache


def poly(x: Array, *coefficients: float) -> Array:
    """Horner's scheme, highest power first."""
    total = np.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        np.multiply(total, x, out=total)
        total += c
    return total


def in_blocks(function: Function) -> Function:
    """A function of numbers one by one, block by block: what it makes on its way stays in the cache."""

    @functools.wraps(function)
    def blockwise(x: Array) -> Array:
        x = np.asarray(x, np.float64)
        if x.ndim != 1:  # `put` counts places in one dimension
            return blockwise(x.reshape(-1)).reshape(x.shape)
        if x.size <= _BLOCK:
            return function(x)
        found = np.empty_like(x)
        for at in range(0, x.size, _BLOCK):
            found[at : at + _BLOCK] = function(x[at : at + _BLOCK])
        return found

    return blockwise


def put(found: Array, where: Array, x: Array, function: Function) -> None:
    """Puts `function(x)` into `found` where it is asked for, and computes it nowhere else."""
    if where.all():
        found[...] = function(x)
        return
    at = np.flatnonzero(where)  # a mask would take a branch an element, which nobody can foretell
    if at.size:
        found[at] = function(x[at])


def split(x: Array, limit: float, near: Function, far: Function) -> Array:
    """`near` where `x`, which is not negative, is below `limit`, else `far`; NaN stays NaN."""
    found = np.full_like(x, np.nan)
    put(found, x < limit, x, near)
    put(found, x >= limit, x, far)
    return found


def fitted(function: Function, low: float, high: float, width: float = 0.0, degree: int = 12) -> Function:
    """`function` from `low` to `high` by polynomials, one for each piece of `width`, through values at Chebyshev's points.

    The pieces are to be so narrow that what a polynomial leaves out is below the rounding errors of its values: then its
    powers can be added up as they are, too.
    """
    pieces = max(round((high - low) / width), 1) if width else 1
    half = (high - low) / pieces / 2
    centers = low + half * (2 * np.arange(pieces) + 1)

    @functools.cache
    def table() -> Array:
        points = np.polynomial.chebyshev.chebpts1(4 * degree)  # the more there are, the less their rounding errors tell
        values = function((centers[:, None] + half * points).reshape(-1)).reshape(pieces, -1)
        weights = np.polynomial.chebyshev.chebvander(points, degree).T @ values.T * (0.5 / degree)
        weights[0] /= 2
        powers = np.stack(
            [
                np.pad(np.polynomial.chebyshev.cheb2poly(row), (0, degree - k))
                for k, row in enumerate(np.eye(degree + 1))
            ]
        )
        return powers.T @ weights / half ** np.arange(degree + 1)[:, None]

    def by_polynomials(v: Array) -> Array:
        rows = table()[::-1]
        if pieces == 1:
            return poly(v - centers[0], *rows[:, 0].tolist())
        piece = ((v - low) * (0.5 / half)).astype(np.intp)
        np.clip(piece, 0, pieces - 1, out=piece)
        t = v - centers.take(piece)
        found = rows[0].take(piece)
        for row in rows[1:]:
            np.multiply(found, t, out=found)
            found += row.take(piece)
        return found

    return by_polynomials
