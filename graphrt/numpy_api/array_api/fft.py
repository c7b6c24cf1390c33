"""Fourier transforms: the extension `fft`."""

from __future__ import annotations

from typing import Any

import numpy

from graphrt.numpy_api.array_api.data_types import array_of, check_device, dtype_of, float32
from graphrt.numpy_api.operands import check_numbers
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import AxisLike, DTypeLike, ShapeLike, TensorLike

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


def fft(x: TensorLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The transform along `axis`."""
    return np.fft.fft(array_of(x), n, axis, norm)


def ifft(x: TensorLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The inverse transform along `axis`."""
    return np.fft.ifft(array_of(x), n, axis, norm)


def fftn(x: TensorLike, /, *, s: ShapeLike = None, axes: AxisLike = None, norm: str = "backward") -> Tensor:
    """The transform along several axes."""
    return np.fft.fftn(array_of(x), s, axes, norm)


def ifftn(x: TensorLike, /, *, s: ShapeLike = None, axes: AxisLike = None, norm: str = "backward") -> Tensor:
    """The inverse transform along several axes."""
    return np.fft.ifftn(array_of(x), s, axes, norm)


def rfft(x: TensorLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The transform of real numbers: the half that says all."""
    return np.fft.rfft(array_of(x), n, axis, norm)


def irfft(x: TensorLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The inverse of `rfft`, real."""
    return np.fft.irfft(array_of(x), n, axis, norm)


def rfftn(x: TensorLike, /, *, s: ShapeLike = None, axes: AxisLike = None, norm: str = "backward") -> Tensor:
    """The transform of real numbers along several axes."""
    return np.fft.rfftn(array_of(x), s, axes, norm)


def irfftn(x: TensorLike, /, *, s: ShapeLike = None, axes: AxisLike = None, norm: str = "backward") -> Tensor:
    """The inverse of `rfftn`, real."""
    return np.fft.irfftn(array_of(x), s, axes, norm)


def hfft(x: TensorLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The transform of numbers that mirror their conjugates: real."""
    return np.fft.hfft(array_of(x), n, axis, norm)


def ihfft(x: TensorLike, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The inverse of `hfft`."""
    return np.fft.ihfft(array_of(x), n, axis, norm)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: str | None = None) -> Tensor:
    """The frequencies of `fft`."""
    check_device(device)
    kind = float32 if dtype is None else dtype_of(dtype)
    check_numbers("fftfreq", n, d)
    return convert_to_tensor(np.fft.fftfreq(n, d).astype(kind.as_numpy_dtype))


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: DTypeLike | None = None, device: str | None = None) -> Tensor:
    """The frequencies of `rfft`."""
    check_device(device)
    kind = float32 if dtype is None else dtype_of(dtype)
    check_numbers("rfftfreq", n, d)
    return convert_to_tensor(np.fft.rfftfreq(n, d).astype(kind.as_numpy_dtype))


def fftshift(x: TensorLike, /, *, axes: AxisLike = None) -> Tensor:
    """The zero frequency in the middle."""
    return np.fft.fftshift(array_of(x), axes)


def ifftshift(x: TensorLike, /, *, axes: AxisLike = None) -> Tensor:
    """The inverse of `fftshift`."""
    return np.fft.ifftshift(array_of(x), axes)


__all__ = [
    "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn", "rfft",
    "rfftfreq", "rfftn",
]  # fmt: skip
