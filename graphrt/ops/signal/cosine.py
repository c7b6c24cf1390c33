"""Cosine transforms."""

from __future__ import annotations

import math
from typing import Any

from graphrt import errors
from graphrt.ops.array.concat_split import Pack, concat
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.creation import zeros, zeros_like
from graphrt.ops.array.padding import pad, reverse
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import Rank, Shape, transpose
from graphrt.ops.math.casting import cast
from graphrt.ops.math.casting import complex as complex_
from graphrt.ops.math.comparison import Equal
from graphrt.ops.math.elementwise import cos, real, rsqrt, sin, sqrt
from graphrt.ops.signal.fft import FFT, IRFFT, RFFT, filled_up
from graphrt.ops.signal.frames import resize_last
from graphrt.ops.signal.windows import size_of
from graphrt.ops.support.kernel_helpers import known_rank, place_in
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import DType, complex64, complex128, float32, float64, int32
from graphrt.types.nesting import shown

__all__ = ["dct", "idct"]


# --- cosine transforms -----------------------------------------------------------------------------------------------
def _check_dct(x: Tensor, type: int, n: Any, norm: str | None) -> None:
    if x.dtype not in (float32, float64):
        raise TypeError(errors.at_user_line(f"a cosine transform takes float32 or float64, found {x.dtype.name}"))
    if norm not in (None, "ortho"):
        raise ValueError(errors.at_user_line(f"norm must be None or 'ortho', found {shown(norm)}"))
    if type not in (1, 2, 3, 4):
        raise ValueError(errors.at_user_line(f"type must be 1, 2, 3 or 4, found {shown(type)}"))
    if n is not None and int(n) < 1:
        raise ValueError(errors.at_user_line(f"n must be positive, found {n}"))
    if type == 1 and norm == "ortho":
        raise ValueError(errors.at_user_line("a cosine transform of type 1 has no orthogonal form"))
    if x.dims == ():
        raise ValueError(errors.at_user_line("a cosine transform is of the last dimension, and a scalar has none"))
    if type == 1 and x.dims is not None and x.dims[-1] is not None and x.dims[-1] < 2:
        raise ValueError(errors.at_user_line("a cosine transform of type 1 needs at least two elements"))


def dct(
    input: TensorLike, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None,
    name: str | None = None
) -> Tensor:  # fmt: skip
    """The discrete cosine transform of type 1, 2, 3 or 4 along `axis`, of `n` elements (cut or filled with zeros).

    >>> import graphrt as tf
    >>> tf.signal.dct([1., 1.], norm="ortho").numpy().astype(float).round(4).tolist()
    [1.4142, 0.0]

    Raises:
      TypeError: the input is not float32 or float64.
      ValueError: an option is not valid.
    """
    with scope(name, "dct"):
        x = as_tensor(input, None if hasattr(input, "dtype") else float32)
        _check_dct(x, type, n, norm)
        rank = 0 if axis == -1 else known_rank(x, "a transform along another dimension than the last")
        if axis != -1 and (place := place_in(axis, rank)) != rank - 1:
            order = list(range(rank))
            order[place], order[-1] = order[-1], order[place]
            return transpose(dct(transpose(x, order), type, n, -1, norm), order)
        if n is not None:
            size = size_of(x, -1)
            x = resize_last(x, size, int(n)) if isinstance(size, int) else _fit_last(x, int(n))
        return (_dct1, _dct2, _dct3, _dct4)[type - 1](x, norm)


def _fit_last(x: Any, n: int) -> Any:
    cut = x[..., :n]
    if x.dims is None:
        out = pad(cut, concat([zeros([Rank(x) - 1, 2], int32), [[0, n - Shape(cut)[-1]]]], 0))
    else:
        out = pad(cut, [[0, 0]] * (len(x.dims) - 1) + [[0, n - Shape(cut)[-1]]])
        out.set_shape([*x.dims[:-1], n])
    return out


def _wide(x: Tensor) -> DType:
    return complex128 if x.dtype is float64 else complex64


def _turn(x: Tensor, angle: Tensor) -> Tensor:
    """`exp(i angle)`"""
    return complex_(cos(angle), sin(angle))


def _dct1(x: Any, norm: str | None) -> Tensor:
    mirrored = concat([x, reverse(x, [-1])[..., 1:-1]], -1)
    return real(RFFT(mirrored, Pack([2 * (size_of(x, -1) - 1)]), Tcomplex=_wide(x)))


def _dct2(x: Tensor, norm: str | None) -> Tensor:
    n = size_of(x, -1)
    at = cast(range_(n), x.dtype)
    sizes = Pack([2 * n])
    half = RFFT(filled_up(x, sizes, 1, False), sizes, Tcomplex=_wide(x))[..., :n]
    out = 2 * real(half * _turn(x, at * -math.pi / (2 * cast(n, x.dtype))))
    return out if norm is None else out * _ortho(x, n)


def _ortho(x: Tensor, n: int) -> Tensor:
    """The factor of each coefficient of type 2 that makes the transform orthogonal."""
    size = cast(n, x.dtype)
    first = Equal(range_(n), 0)
    return where(first, 0.5 * rsqrt(size), sqrt(0.5 / size))


def _dct3(x: Tensor, norm: str | None) -> Tensor:
    n = size_of(x, -1)
    size = cast(n, x.dtype)
    if norm is not None:
        x = x * where(Equal(range_(n), 0), rsqrt(size), sqrt(0.5 / size))
    at = cast(range_(n), x.dtype)
    turned = complex_(x, zeros_like(x)) * _turn(x, at * math.pi / (2 * size))
    sizes = Pack([2 * n])
    return 2 * size * IRFFT(filled_up(turned, sizes, 1, True), sizes, Treal=x.dtype)[..., :n]


def _dct4(x: Tensor, norm: str | None) -> Tensor:
    n = size_of(x, -1)
    size = cast(n, x.dtype)
    at = cast(range_(n), x.dtype)
    turned = complex_(x, zeros_like(x)) * _turn(x, at * -math.pi / (2 * size))
    filled = concat([turned, zeros_like(turned)], -1)
    out = 2 * real(FFT(filled)[..., :n] * _turn(x, (2 * at + 1) * -math.pi / (4 * size)))
    return out if norm is None else out * sqrt(0.5 / size)


def idct(
    input: TensorLike, type: int = 2, n: Any = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `dct` of the same type, up to a factor of `2 n` where `norm` is None.

    >>> import graphrt as tf
    >>> tf.signal.idct(tf.signal.dct([1., 2., 3.], norm="ortho"), norm="ortho").numpy().round(4).tolist()
    [1.0, 2.0, 3.0]

    Raises:
      TypeError: the input is not float32 or float64.
      ValueError: an option is not valid.
    """
    x = as_tensor(input, None if hasattr(input, "dtype") else float32)
    _check_dct(x, type, n, norm)
    return dct(x, {1: 1, 2: 3, 3: 2, 4: 4}[type], n, axis, norm, name or "idct")
