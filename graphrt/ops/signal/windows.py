"""Windows: weights for the samples of a frame."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import ones, ones_like
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.padding import reverse
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import Shape
from graphrt.ops.math.arithmetic import Maximum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal
from graphrt.ops.math.cumulative import cumsum
from graphrt.ops.math.division import divide_no_nan
from graphrt.ops.math.elementwise import abs as abs_
from graphrt.ops.math.elementwise import cos, exp, sin, sqrt
from graphrt.ops.math.special.bessel import BesselI0e
from graphrt.ops.support.kernel_helpers import place_in
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, static_array
from graphrt.types.dtype import DType, as_dtype, float32
from graphrt.types.likes import DTypeLike, TensorLike

__all__ = ["hamming_window", "hann_window", "kaiser_bessel_derived_window", "kaiser_window", "vorbis_window"]


def int_or_tensor(value: TensorLike) -> Any:
    """A whole number that is known as an int, else the tensor."""
    found = static_array(value) if hasattr(value, "dims") else np.asarray(value)
    return as_tensor(value) if found is None else int(found)


def size_of(x: Tensor, axis: int) -> Any:
    known = None if x.dims is None else x.dims[place_in(axis, len(x.dims))]
    return Shape(x)[axis] if known is None else known


# --- windows ---------------------------------------------------------------------------------------------------------
def places_in(length: TensorLike, dtype: DTypeLike) -> Tensor:
    return cast(range_(length), dtype)


def floating_type(dtype: DTypeLike) -> DType:
    found = as_dtype(dtype)
    if not found.is_floating:
        raise ValueError(errors.at_user_line(f"a window has a floating dtype, found {found.name}"))
    return found


def _raised_cosine(
    name: str | None, default: str, length: TensorLike, periodic: bool, dtype: Any, a: float, b: float
) -> Tensor:
    with scope(name, default):
        kind = floating_type(dtype)
        n = int_or_tensor(length)
        if isinstance(n, int):
            if n == 1:
                return ones([1], kind)
            span: Any = n + int(bool(periodic)) * (1 - n % 2) - 1
        else:
            even = 1 - n % 2
            span = n + cast(as_tensor(periodic), n.dtype) * even - 1
            span = where(Equal(n, 1), 1, span)
        turn = places_in(n, kind) * (2 * math.pi) / cast(span, kind)
        window = a - b * cos(turn)
        return window if isinstance(n, int) else where(Equal(n, 1), ones_like(window), window)


def hann_window(
    window_length: TensorLike, periodic: bool = True, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """A window that rises from 0 to 1 and falls again as a cosine does.

    >>> import graphrt as tf
    >>> tf.signal.hann_window(4).numpy().round(3).tolist()
    [0.0, 0.5, 1.0, 0.5]

    Raises:
      ValueError: `dtype` is not floating.
    """
    return _raised_cosine(name, "hann_window", window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(
    window_length: TensorLike, periodic: bool = True, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """A Hann window lifted so that it begins at 0.08.

    >>> import graphrt as tf
    >>> tf.signal.hamming_window(4).numpy().astype(float).round(2).tolist()
    [0.08, 0.54, 1.0, 0.54]

    Raises:
      ValueError: `dtype` is not floating.
    """
    return _raised_cosine(name, "hamming_window", window_length, periodic, dtype, 0.54, 0.46)


def kaiser_window(
    window_length: TensorLike, beta: TensorLike = 12.0, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """The Kaiser window, narrower with greater `beta`.

    >>> import graphrt as tf
    >>> tf.signal.kaiser_window(3, beta=0.).numpy().tolist()
    [1.0, 1.0, 1.0]

    Raises:
      ValueError: `dtype` is not floating.
    """
    with scope(name, "kaiser_window"):
        kind = floating_type(dtype)
        n = int_or_tensor(window_length)
        if isinstance(n, int) and n == 1:
            return ones([1], kind)
        half = (cast(n, kind) - 1) / 2
        at = divide_no_nan(places_in(n, kind) - half, half)  # a window of one element is its middle
        beta = as_tensor(beta, kind) if not hasattr(beta, "dtype") else cast(beta, kind)
        inside = Maximum(1 - at * at, as_tensor(0, kind))
        arg = beta * sqrt(inside)
        # exponentially scaled, so that a great beta does not overflow
        return exp(abs_(arg) - abs_(beta)) * BesselI0e(arg) / BesselI0e(beta)


def kaiser_bessel_derived_window(
    window_length: TensorLike, beta: TensorLike = 12.0, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """A window of even length made of the running sum of a Kaiser window: fit for `mdct`.

    >>> import graphrt as tf
    >>> tf.signal.kaiser_bessel_derived_window(4).shape
    TensorShape([4])

    Raises:
      ValueError: `dtype` is not floating.
    """
    with scope(name, "kaiser_bessel_derived_window"):
        half = int_or_tensor(window_length) // 2
        base = kaiser_window(half + 1, beta, dtype)
        sums = cumsum(base)
        rising = sqrt(sums[:-1] / sums[-1])
        return concat([rising, reverse(rising, [0])], 0)


def vorbis_window(window_length: TensorLike, dtype: DTypeLike = float32, name: str | None = None) -> Tensor:
    """The window of the Vorbis codec.

    >>> import graphrt as tf
    >>> tf.signal.vorbis_window(2).numpy().astype(float).round(4).tolist()
    [0.7071, 0.7071]

    Raises:
      ValueError: `dtype` is not floating.
    """
    with scope(name, "vorbis_window"):
        kind = floating_type(dtype)
        n = int_or_tensor(window_length)
        inner = sin((places_in(n, kind) + 0.5) * math.pi / cast(n, kind))
        return sin(inner * inner * (math.pi / 2))
