"""Fourier transforms: the extension `fft`."""

from __future__ import annotations

from typing import Any

import numpy

from graphrt.numpy_api.array_api.data_types import array_of, check_device, dtype_of, float32
from graphrt.tensor.convert import convert_to_tensor

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know


def fft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """The transform along `axis`."""
    return np.fft.fft(array_of(x), n, axis, norm)


def ifft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """The inverse transform along `axis`."""
    return np.fft.ifft(array_of(x), n, axis, norm)


def fftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Any:
    """The transform along several axes."""
    return np.fft.fftn(array_of(x), s, axes, norm)


def ifftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Any:
    """The inverse transform along several axes."""
    return np.fft.ifftn(array_of(x), s, axes, norm)


def rfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """The transform of real numbers: the half that says all."""
    return np.fft.rfft(array_of(x), n, axis, norm)


def irfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """The inverse of `rfft`, real."""
    return np.fft.irfft(array_of(x), n, axis, norm)


def rfftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Any:
    """The transform of real numbers along several axes."""
    return np.fft.rfftn(array_of(x), s, axes, norm)


def irfftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Any:
    """The inverse of `rfftn`, real."""
    return np.fft.irfftn(array_of(x), s, axes, norm)


def hfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """The transform of numbers that mirror their conjugates: real."""
    return np.fft.hfft(array_of(x), n, axis, norm)


def ihfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Any:
    """The inverse of `hfft`."""
    return np.fft.ihfft(array_of(x), n, axis, norm)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Any:
    """The frequencies of `fft`."""
    check_device(device)
    kind = float32 if dtype is None else dtype_of(dtype)
    return convert_to_tensor(np.fft.fftfreq(n, d).astype(kind.as_numpy_dtype))


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Any:
    """The frequencies of `rfft`."""
    check_device(device)
    kind = float32 if dtype is None else dtype_of(dtype)
    return convert_to_tensor(np.fft.rfftfreq(n, d).astype(kind.as_numpy_dtype))


def fftshift(x: Any, /, *, axes: Any = None) -> Any:
    """The zero frequency in the middle."""
    return np.fft.fftshift(array_of(x), axes)


def ifftshift(x: Any, /, *, axes: Any = None) -> Any:
    """The inverse of `fftshift`."""
    return np.fft.ifftshift(array_of(x), axes)


__all__ = [
    "fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn", "rfft",
    "rfftfreq", "rfftn",
]  # fmt: skip
