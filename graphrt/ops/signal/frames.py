"""Signals in frames: windows, short-time Fourier, cosine and lapped transforms, mel scales."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import ops, provide
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import TensorLike, static_array
from graphrt.types.dtype import as_dtype, complex64, complex128, float32, float64

__all__ = [
    "dct", "frame", "hamming_window", "hann_window", "idct", "inverse_mdct", "inverse_stft", "inverse_stft_window_fn",
    "kaiser_bessel_derived_window", "kaiser_window", "linear_to_mel_weight_matrix", "mdct",
    "mfccs_from_log_mel_spectrograms", "overlap_and_add", "stft", "vorbis_window",
]  # fmt: skip


def _int_or_tensor(value: Any) -> Any:
    """A whole number that is known as an int, else the tensor."""
    found = static_array(value) if hasattr(value, "dims") else np.asarray(value)
    return as_tensor(value) if found is None else int(found)


def _size(x: Any, axis: int) -> Any:
    if x.dims is not None and x.dims[axis] is not None:
        return x.dims[axis]
    return ops.Shape(x)[axis]


# --- windows ---------------------------------------------------------------------------------------------------------
def _places(length: Any, dtype: Any) -> Any:
    return ops.cast(ops.range(length), dtype)


def _floating_type(dtype: Any) -> Any:
    found = as_dtype(dtype)
    if not found.is_floating:
        raise ValueError(errors.at_user_line(f"a window has a floating dtype, found {found.name}"))
    return found


def _raised_cosine(name: str | None, default: str, length: Any, periodic: Any, dtype: Any, a: float, b: float) -> Any:
    with scope(name, default):
        kind = _floating_type(dtype)
        n = _int_or_tensor(length)
        if isinstance(n, int):
            if n == 1:
                return ops.ones([1], kind)
            span: Any = n + int(bool(periodic)) * (1 - n % 2) - 1
        else:
            even = 1 - n % 2
            span = n + ops.cast(as_tensor(periodic), n.dtype) * even - 1
            span = ops.where(ops.Equal(n, 1), 1, span)
        turn = _places(n, kind) * (2 * math.pi) / ops.cast(span, kind)
        window = a - b * ops.cos(turn)
        return window if isinstance(n, int) else ops.where(ops.Equal(n, 1), ops.ones_like(window), window)


def hann_window(window_length: Any, periodic: Any = True, dtype: Any = float32, name: str | None = None) -> Any:
    """A window that rises from 0 to 1 and falls again as a cosine does.

    >>> import graphrt as tf
    >>> tf.signal.hann_window(4).numpy().round(3).tolist()
    [0.0, 0.5, 1.0, 0.5]

    Raises:
      ValueError: `dtype` is not floating.
    """
    return _raised_cosine(name, "hann_window", window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(window_length: Any, periodic: Any = True, dtype: Any = float32, name: str | None = None) -> Any:
    """A Hann window lifted so that it begins at 0.08.

    >>> import graphrt as tf
    >>> tf.signal.hamming_window(4).numpy().astype(float).round(2).tolist()
    [0.08, 0.54, 1.0, 0.54]

    Raises:
      ValueError: `dtype` is not floating.
    """
    return _raised_cosine(name, "hamming_window", window_length, periodic, dtype, 0.54, 0.46)


def kaiser_window(window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None) -> Any:
    """The Kaiser window, narrower with greater `beta`.

    >>> import graphrt as tf
    >>> tf.signal.kaiser_window(3, beta=0.).numpy().tolist()
    [1.0, 1.0, 1.0]

    Raises:
      ValueError: `dtype` is not floating.
    """
    with scope(name, "kaiser_window"):
        kind = _floating_type(dtype)
        n = _int_or_tensor(window_length)
        if isinstance(n, int) and n == 1:
            return ops.ones([1], kind)
        half = (ops.cast(n, kind) - 1) / 2
        at = (_places(n, kind) - half) / half
        beta = as_tensor(beta, kind) if not hasattr(beta, "dtype") else ops.cast(beta, kind)
        inside = ops.Maximum(1 - at * at, as_tensor(0, kind))
        arg = beta * ops.sqrt(inside)
        # exponentially scaled, so that a great beta does not overflow
        return ops.exp(ops.abs(arg) - ops.abs(beta)) * ops.BesselI0e(arg) / ops.BesselI0e(beta)


def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None
) -> Any:
    """A window of even length made of the running sum of a Kaiser window: fit for `mdct`.

    >>> import graphrt as tf
    >>> tf.signal.kaiser_bessel_derived_window(4).shape
    TensorShape([4])

    Raises:
      ValueError: `dtype` is not floating.
    """
    with scope(name, "kaiser_bessel_derived_window"):
        half = _int_or_tensor(window_length) // 2
        base = kaiser_window(half + 1, beta, dtype)
        sums = ops.cumsum(base)
        rising = ops.sqrt(sums[:-1] / sums[-1])
        return ops.concat([rising, ops.reverse(rising, [0])], 0)


def vorbis_window(window_length: Any, dtype: Any = float32, name: str | None = None) -> Any:
    """The window of the Vorbis codec.

    >>> import graphrt as tf
    >>> tf.signal.vorbis_window(2).numpy().astype(float).round(4).tolist()
    [0.7071, 0.7071]

    Raises:
      ValueError: `dtype` is not floating.
    """
    with scope(name, "vorbis_window"):
        kind = _floating_type(dtype)
        n = _int_or_tensor(window_length)
        inner = ops.sin((_places(n, kind) + 0.5) * math.pi / ops.cast(n, kind))
        return ops.sin(inner * inner * (math.pi / 2))


# --- frames ----------------------------------------------------------------------------------------------------------
def _frame_count(size: Any, length: Any, step: Any, pad_end: bool) -> Any:
    if all(isinstance(v, int) for v in (size, length, step)):
        return max(0, -(-size // step) if pad_end else 1 + (size - length) // step)
    count = 0 - (0 - size) // step if pad_end else 1 + (size - length) // step
    return ops.Maximum(count, 0)


@provide
def frame(
    signal: TensorLike, frame_length: Any, frame_step: Any, pad_end: bool = False, pad_value: Any = 0, axis: int = -1,
    name: str | None = None,
) -> Any:  # fmt: skip
    """Windows of `frame_length` elements, `frame_step` apart, along `axis`, which becomes two axes.

    With `pad_end` the last windows are filled with `pad_value`.

    >>> import graphrt as tf
    >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 2).numpy().tolist()
    [[1, 2, 3], [3, 4, 5]]

    Raises:
      ValueError: the rank is not known.
    """
    with scope(name, "frame"):
        x = as_tensor(signal)
        if x.dims is None:
            raise ValueError(errors.at_user_line("frame needs a signal of known rank"))
        rank = len(x.dims)
        axis = int(axis) % rank if rank else 0
        length, step = _int_or_tensor(frame_length), _int_or_tensor(frame_step)
        size = _size(x, axis)
        count = _frame_count(size, length, step, pad_end)
        if pad_end:
            need = (count - 1) * step + length - size
            more = max(need, 0) if isinstance(need, int) else ops.Maximum(need, 0)
            pads = ops.Pack([[0, more if i == axis else 0] for i in range(rank)])
            x = ops.PadV2(x, pads, as_tensor(pad_value, x.dtype))
        starts = ops.ExpandDims(ops.range(count) * step, 1)
        places = starts + ops.ExpandDims(ops.range(length), 0)
        return ops.gather(x, places, axis=axis)


def overlap_and_add(signal: TensorLike, frame_step: Any, name: str | None = None) -> Any:
    """Frames (the last two axes: which one, place in it) put back `frame_step` apart, and added where they overlap.

    >>> import graphrt as tf
    >>> tf.signal.overlap_and_add([[1, 2], [3, 4]], 1).numpy().tolist()
    [1, 5, 4]

    Raises:
      ValueError: the signal has fewer than two axes, or `frame_step` is no integer.
    """
    with scope(name, "overlap_and_add"):
        x = as_tensor(signal)
        if x.dims is not None and len(x.dims) < 2:
            raise ValueError(errors.at_user_line(f"overlap_and_add needs at least two axes, found shape {x.shape}"))
        if hasattr(frame_step, "dtype") and not as_dtype(frame_step.dtype).is_integer:
            raise ValueError(errors.at_user_line(f"frame_step must be an integer, found {frame_step}"))
        step = _int_or_tensor(frame_step)
        count, length = _size(x, -2), _size(x, -1)
        total = (count - 1) * step + length
        starts = ops.ExpandDims(ops.range(count) * step, 1)
        places = ops.Reshape(starts + ops.ExpandDims(ops.range(length), 0), [-1])
        static = x.dims is not None and None not in x.dims[:-2]
        outer: Any = list(x.dims[:-2]) if static else ops.Shape(x)[:-2]  # type: ignore[index]
        flat = ops.Reshape(x, [-1, count * length])
        summed = ops.unsorted_segment_sum(ops.transpose(flat), places, total)
        last = [total] if isinstance(total, int) else ops.Reshape(total, [1])
        return ops.reshape(ops.transpose(summed), ops.concat([outer, last], 0) if not static or not isinstance(
            total, int) else [*outer, total])  # fmt: skip


def _above(value: Any) -> Any:
    """The power of two that is not below."""
    if isinstance(value, int):
        return 1 << max(value - 1, 0).bit_length() if value > 0 else 0
    bits = ops.ceil(ops.log(ops.cast(value, float32)) / math.log(2.0))
    return ops.cast(ops.round(ops.Pow(as_tensor(2.0), bits)), "int32")


def _window(window_fn: Any, length: Any, dtype: Any) -> Any:
    return window_fn(length, dtype=dtype)


def stft(
    signals: TensorLike, frame_length: Any, frame_step: Any, fft_length: Any = None,
    window_fn: Callable[..., Any] | None = hann_window, pad_end: bool = False, name: str | None = None,
) -> Any:  # fmt: skip
    """The Fourier transform of each frame of a real signal, weighted by a window.

    >>> import graphrt as tf
    >>> tf.signal.stft(tf.ones([64]), 16, 8).shape
    TensorShape([7, 9])
    """
    with scope(name, "stft"):
        x = as_tensor(signals)
        length = _int_or_tensor(frame_length)
        size = _above(length) if fft_length is None else _int_or_tensor(fft_length)
        frames = frame(x, length, frame_step, pad_end)
        if window_fn is not None:
            frames = frames * _window(window_fn, length, x.dtype)
        return ops.RFFT(frames, ops.Pack([size]), Tcomplex=complex128 if x.dtype is float64 else complex64)


def inverse_stft(
    stfts: TensorLike, frame_length: Any, frame_step: Any, fft_length: Any = None,
    window_fn: Callable[..., Any] | None = hann_window, name: str | None = None,
) -> Any:  # fmt: skip
    """The real signal whose `stft` is given; a window made by `inverse_stft_window_fn` makes the two inverse.

    >>> import graphrt as tf
    >>> tf.signal.inverse_stft(tf.signal.stft(tf.ones([64]), 16, 8), 16, 8).shape
    TensorShape([64])
    """
    with scope(name, "inverse_stft"):
        x = as_tensor(stfts)
        length = _int_or_tensor(frame_length)
        size = _above(length) if fft_length is None else _int_or_tensor(fft_length)
        real = float64 if x.dtype is complex128 else float32
        frames = ops.IRFFT(x, ops.Pack([size]), Treal=real)
        if isinstance(size, int) and isinstance(length, int):
            frames = _resize_last(frames, size, length)
        else:
            frames = frames[..., :length]
            more = ops.Maximum(length - ops.Shape(frames)[-1], 0)
            frames = ops.pad(frames, [[0, 0]] * (len(frames.dims) - 1) + [[0, more]])
        if window_fn is not None:
            frames = frames * _window(window_fn, length, real)
        return overlap_and_add(frames, frame_step)


def _resize_last(x: Any, size: int, wanted: int) -> Any:
    """The last axis cut or filled with zeros."""
    if wanted < size:
        return x[..., :wanted]
    if wanted == size:
        return x
    return ops.pad(x, [[0, 0]] * (len(x.dims) - 1) + [[0, wanted - size]])


def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Callable[..., Any] = hann_window, name: str | None = None
) -> Callable[..., Any]:
    """A function that makes the window with which `inverse_stft` undoes `stft`.

    >>> import graphrt as tf
    >>> tf.signal.inverse_stft_window_fn(2)(4, tf.float32).shape
    TensorShape([4])
    """

    def window(frame_length: Any, dtype: Any) -> Any:
        with scope(name, "inverse_stft_window_fn"):
            length, step = _int_or_tensor(frame_length), _int_or_tensor(frame_step)
            forward = _window(forward_window_fn, length, dtype)
            overlaps = 0 - (0 - length) // step
            squared = ops.pad(ops.square(forward), [[0, overlaps * step - length]])
            sums = ops.reduce_sum(ops.reshape(squared, [overlaps, step]), 0, keepdims=True)
            full = ops.reshape(ops.tile(sums, [overlaps, 1]), [overlaps * step])
            return forward / full[:length]

    return window


# --- cosine transforms -----------------------------------------------------------------------------------------------
def _check_dct(x: Any, type: int, n: Any, norm: Any) -> None:
    if x.dtype not in (float32, float64):
        raise TypeError(errors.at_user_line(f"a cosine transform takes float32 or float64, found {x.dtype.name}"))
    if norm not in (None, "ortho"):
        raise ValueError(errors.at_user_line(f"norm must be None or 'ortho', found {norm!r}"))
    if type not in (1, 2, 3, 4):
        raise ValueError(errors.at_user_line(f"type must be 1, 2, 3 or 4, found {type!r}"))
    if n is not None and int(n) < 1:
        raise ValueError(errors.at_user_line(f"n must be positive, found {n}"))
    if type == 1 and norm == "ortho":
        raise ValueError(errors.at_user_line("a cosine transform of type 1 has no orthogonal form"))
    if type == 1 and x.dims is not None and x.dims[-1] is not None and x.dims[-1] < 2:
        raise ValueError(errors.at_user_line("a cosine transform of type 1 needs at least two elements"))


def dct(
    input: TensorLike, type: int = 2, n: Any = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Any:
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
        if axis != -1 and x.dims is not None and axis != len(x.dims) - 1:
            order = list(range(len(x.dims)))
            order[axis], order[-1] = order[-1], order[axis]
            return ops.transpose(dct(ops.transpose(x, order), type, n, -1, norm), order)
        if n is not None:
            size = _size(x, -1)
            x = _resize_last(x, size, int(n)) if isinstance(size, int) else _fit_last(x, int(n))
        return (_dct1, _dct2, _dct3, _dct4)[type - 1](x, norm)


def _fit_last(x: Any, n: int) -> Any:
    cut = x[..., :n]
    out = ops.pad(cut, [[0, 0]] * (len(x.dims) - 1) + [[0, n - ops.Shape(cut)[-1]]])
    out.set_shape([*x.dims[:-1], n])
    return out


def _wide(x: Any) -> Any:
    return complex128 if x.dtype is float64 else complex64


def _turn(x: Any, angle: Any) -> Any:
    """`exp(i angle)`"""
    return ops.complex(ops.cos(angle), ops.sin(angle))


def _dct1(x: Any, norm: Any) -> Any:
    mirrored = ops.concat([x, ops.reverse(x, [len(x.dims) - 1])[..., 1:-1]], -1)
    return ops.real(ops.RFFT(mirrored, ops.Pack([2 * (_size(x, -1) - 1)]), Tcomplex=_wide(x)))


def _dct2(x: Any, norm: Any) -> Any:
    n = _size(x, -1)
    at = ops.cast(ops.range(n), x.dtype)
    half = ops.RFFT(x, ops.Pack([2 * n]), Tcomplex=_wide(x))[..., :n]
    out = 2 * ops.real(half * _turn(x, at * -math.pi / (2 * ops.cast(n, x.dtype))))
    return out if norm is None else out * _ortho(x, n)


def _ortho(x: Any, n: Any) -> Any:
    """The factor of each coefficient of type 2 that makes the transform orthogonal."""
    size = ops.cast(n, x.dtype)
    first = ops.Equal(ops.range(n), 0)
    return ops.where(first, 0.5 * ops.rsqrt(size), ops.sqrt(0.5 / size))


def _dct3(x: Any, norm: Any) -> Any:
    n = _size(x, -1)
    size = ops.cast(n, x.dtype)
    if norm is not None:
        x = x * ops.where(ops.Equal(ops.range(n), 0), ops.rsqrt(size), ops.sqrt(0.5 / size))
    at = ops.cast(ops.range(n), x.dtype)
    turned = ops.complex(x, ops.zeros_like(x)) * _turn(x, at * math.pi / (2 * size))
    return 2 * size * ops.IRFFT(turned, ops.Pack([2 * n]), Treal=x.dtype)[..., :n]


def _dct4(x: Any, norm: Any) -> Any:
    n = _size(x, -1)
    size = ops.cast(n, x.dtype)
    at = ops.cast(ops.range(n), x.dtype)
    turned = ops.complex(x, ops.zeros_like(x)) * _turn(x, at * -math.pi / (2 * size))
    filled = ops.concat([turned, ops.zeros_like(turned)], -1)
    out = 2 * ops.real(ops.FFT(filled)[..., :n] * _turn(x, (2 * at + 1) * -math.pi / (4 * size)))
    return out if norm is None else out * ops.sqrt(0.5 / size)


def idct(
    input: TensorLike, type: int = 2, n: Any = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Any:
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


# --- lapped transforms -----------------------------------------------------------------------------------------------
def mdct(
    signals: TensorLike, frame_length: Any, window_fn: Callable[..., Any] | None = vorbis_window,
    pad_end: bool = False, norm: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """The modified cosine transform of frames that overlap by half; `frame_length` must be a multiple of 4.

    >>> import graphrt as tf
    >>> tf.signal.mdct(tf.ones([16]), 8).shape
    TensorShape([3, 4])

    Raises:
      ValueError: `frame_length` is no multiple of 4.
    """
    with scope(name, "mdct"):
        x = as_tensor(signals)
        length = int(static_array(as_tensor(frame_length)))
        if length % 4:
            raise ValueError(errors.at_user_line(f"frame_length must be a multiple of 4, found {length}"))
        frames = frame(x, length, length // 2, pad_end)
        if window_fn is not None:
            window = _window(window_fn, length, x.dtype)
        else:
            window = ops.ones([length], x.dtype) / math.sqrt(2)
        a, b, c, d = ops.split(frames * window, 4, -1)
        last = [len(frames.dims) - 1]
        folded = ops.concat([-ops.reverse(c, last) - d, a - ops.reverse(b, last)], -1)
        return dct(folded, type=4, norm=norm)


def inverse_mdct(
    mdcts: TensorLike, window_fn: Callable[..., Any] | None = vorbis_window, norm: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The signal whose `mdct` is given (its first and last half frame excepted).

    >>> import graphrt as tf
    >>> tf.signal.inverse_mdct(tf.signal.mdct(tf.ones([16]), 8)).numpy()[4:12].round(4).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    with scope(name, "inverse_mdct"):
        x = as_tensor(mdcts)
        half = _size(x, -1)
        if window_fn is not None:
            window = _window(window_fn, half * 2, x.dtype)
        else:
            window = ops.ones([half * 2], x.dtype) / math.sqrt(2)
        first, second = ops.split(dct(x, type=4, norm=norm), 2, -1)
        last = [len(x.dims or ()) - 1]
        frames = ops.concat([second, -ops.reverse(second, last), -ops.reverse(first, last), -first], -1)
        if norm is None:
            frames = frames * (0.5 / ops.cast(half, x.dtype))
        return overlap_and_add(frames * window, half)


# --- mel scales ------------------------------------------------------------------------------------------------------
def _mel(hertz: Any) -> Any:
    return 1127.0 * ops.log(1.0 + hertz / 700.0)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20, num_spectrogram_bins: Any = 129, sample_rate: Any = 8000, lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0, dtype: Any = float32, name: str | None = None,
) -> Any:  # fmt: skip
    """A matrix that turns a linear spectrogram into one over mel bands: one triangle a band.

    >>> import graphrt as tf
    >>> tf.signal.linear_to_mel_weight_matrix().shape
    TensorShape([129, 20])

    Raises:
      ValueError: the edges or numbers make no bands.
    """
    with scope(name, "linear_to_mel_weight_matrix"):
        kind = _floating_type(dtype)
        if num_mel_bins <= 0:
            raise ValueError(errors.at_user_line(f"num_mel_bins must be positive, found {num_mel_bins}"))
        if lower_edge_hertz < 0.0:
            raise ValueError(errors.at_user_line(f"lower_edge_hertz must not be negative, found {lower_edge_hertz}"))
        if lower_edge_hertz >= upper_edge_hertz:
            raise ValueError(
                errors.at_user_line(f"lower_edge_hertz {lower_edge_hertz} >= upper_edge_hertz {upper_edge_hertz}")
            )
        rate = static_array(sample_rate) if hasattr(sample_rate, "dims") else sample_rate
        if rate is not None and (rate <= 0 or upper_edge_hertz > rate / 2):
            raise ValueError(errors.at_user_line("upper_edge_hertz must not be above half of a positive sample_rate"))
        nyquist = ops.cast(as_tensor(sample_rate), kind) / 2.0
        lines = ops.LinSpace(as_tensor(0.0, kind), nyquist, num_spectrogram_bins)[1:]
        bins = ops.ExpandDims(_mel(lines), 1)
        low, high = _mel(as_tensor(lower_edge_hertz, kind)), _mel(as_tensor(upper_edge_hertz, kind))
        edges = frame(ops.LinSpace(low, high, num_mel_bins + 2), 3, 1)
        lower, center, upper = (ops.reshape(v, [1, num_mel_bins]) for v in ops.split(edges, 3, 1))
        rising, falling = (bins - lower) / (center - lower), (upper - bins) / (upper - center)
        weights = ops.Maximum(as_tensor(0.0, kind), ops.Minimum(rising, falling))
        return ops.pad(weights, [[1, 0], [0, 0]])


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: TensorLike, name: str | None = None) -> Any:
    """Cepstral coefficients of log mel spectrograms: their scaled cosine transforms.

    >>> import graphrt as tf
    >>> tf.signal.mfccs_from_log_mel_spectrograms(tf.zeros([3, 20])).shape
    TensorShape([3, 20])

    Raises:
      ValueError: there are no mel bands.
    """
    with scope(name, "mfccs_from_log_mel_spectrograms"):
        x = as_tensor(log_mel_spectrograms)
        n = _size(x, -1)
        if n == 0 and isinstance(n, int):
            raise ValueError(errors.at_user_line("there must be at least one mel band"))
        return dct(x, type=2) * ops.rsqrt(ops.cast(n, x.dtype) * 2.0)
