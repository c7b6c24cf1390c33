"""Integers of quantized dtypes, and the numbers of a range for which they stand: what kernels compute with."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import DType, qint32, quint8
from graphrt.types.likes import Array


def axis_of(x: Tensor, axis: int | None) -> int:
    """The axis whose elements have a range each, as ops take it: -1 is none."""
    if axis is None:
        return -1
    if axis < 0:
        if x.dims is None:
            raise ValueError(errors.at_user_line("input should have known rank to use negative axis."))
        if not x.dims:
            raise ValueError(errors.at_user_line(f"axis {axis} is out of range: the input is a scalar"))
        return int(axis) % len(x.dims)
    return axis


def ends_of(dtype: DType) -> tuple[int, int]:
    """The least and the greatest integer of a quantized dtype."""
    limits = np.iinfo(dtype.as_numpy_dtype[0])
    return int(limits.min), int(limits.max)


def away(x: Array | np.floating[Any]) -> Array:
    """Halves are rounded away from zero."""
    return np.copysign(np.floor(np.abs(x) + x.dtype.type(0.5)), x)


def made(numbers: Array, dtype: DType) -> Array:
    """Whole numbers as elements of a quantized dtype, which holds them."""
    return np.asarray(numbers).astype(dtype.as_numpy_dtype[0]).view(dtype.as_numpy_dtype)[()]


def whole(numbers: Array, dtype: DType) -> Array:
    """Whole numbers as elements of a quantized dtype; those beyond its ends become its ends."""
    return made(np.clip(numbers, *ends_of(dtype)), dtype)


def width_of(dtype: DType) -> int:
    return int(2 ** (8 * dtype.size))


def step_of(low: float, high: float, dtype: DType) -> float:
    """How far apart the numbers are for which neighbouring integers stand."""
    steps = width_of(dtype)
    return (float(high) - float(low)) * (steps / (steps - 1.0)) / steps


def meant(integers: Array, low: Any, high: Any, dtype: DType) -> Array:
    """The numbers for which integers stand, such that 0.0 is among them."""
    if low == high:
        return np.full(np.shape(integers), low, np.float32)
    step = step_of(low, high, dtype)
    start = away(np.float64(low) / np.float32(step)) * np.float64(np.float32(step))
    return (start + (np.asarray(integers, np.float64) - ends_of(dtype)[0]) * step).astype(np.float32)


def standing(numbers: Any, low: Any, high: Any, dtype: DType) -> Array:
    """The whole numbers that stand for numbers, and may lie beyond the ends of the dtype."""
    if low == high:
        return np.zeros(np.shape(numbers))
    step = 1 / step_of(low, high, dtype)
    start = away(np.float64(low) * step)
    return away(np.asarray(numbers, np.float64) * step) - start + ends_of(dtype)[0]


def used_range(integers: Array, low: Array, high: Array, dtype: DType) -> tuple[Any, Any]:
    """The range of the numbers that are there, zero among them."""
    if not integers.size:
        return np.float32(0), np.float32(0)
    ends = meant(np.array([integers.min(), integers.max()]), low, high, dtype)
    return np.minimum(ends[0], np.float32(0)), ends[1]


def requantized(integers: Array, source: DType, low: Array, high: Array, target: DType, new: tuple[Any, Any]) -> Array:
    if (source, target) == (qint32, quint8):
        return shortened(integers, low, high, *new)
    return whole(standing(meant(integers, low, high, source), *new, target), target)


def shortened(integers: Array, low: Array, high: Array, new_low: Array, new_high: Array) -> Array:
    """32-bit integers as bytes for another range, in numbers with 16 binary digits after the point."""
    if new_low == new_high:
        return made(np.zeros(np.shape(integers)), quint8)
    one, wide = 1 << 16, float(new_high) - float(new_low)
    scale = int(255.0 * one * (float(high) - float(low)) / wide)
    middle = int((float(low) + float(high)) / 2 * 255.0 / wide * one)
    start = int(away(np.float64(one * float(new_low) * 255.0 / wide)))
    found = (np.asarray(integers, np.int64) * scale >> 32) + (middle - start + one // 2)
    return whole(found >> 16, quint8)
