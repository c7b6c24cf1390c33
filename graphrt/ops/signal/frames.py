"""Signals in frames, and the short-time Fourier transform."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.ir.op import provide
from graphrt.ops.array.concat_split import Pack, concat
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.creation import zeros
from graphrt.ops.array.gather_scatter import gather, whole
from graphrt.ops.array.padding import PadV2, pad
from graphrt.ops.array.repetition import tile
from graphrt.ops.array.shape import ExpandDims, Rank, Reshape, Shape, reshape, transpose
from graphrt.ops.math.arithmetic import Maximum, Pow
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import ceil, log, square
from graphrt.ops.math.elementwise import round as round_
from graphrt.ops.math.reduction import reduce_sum
from graphrt.ops.math.segments import unsorted_segment_sum
from graphrt.ops.signal.fft import IRFFT, RFFT
from graphrt.ops.signal.windows import hann_window, int_or_tensor, size_of
from graphrt.ops.support.kernel_helpers import place_in
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import DType, as_dtype, complex64, complex128, float32, float64
from graphrt.types.likes import DTypeLike

__all__ = ["frame", "inverse_stft", "inverse_stft_window_fn", "overlap_and_add", "stft"]


# --- frames ----------------------------------------------------------------------------------------------------------
def _frame_count(size: int, length: int, step: int, pad_end: bool) -> int:
    if all(isinstance(v, int) for v in (size, length, step)):
        return max(0, -(-size // step) if pad_end else 1 + (size - length) // step)
    count = 0 - (0 - size) // step if pad_end else 1 + (size - length) // step
    return Maximum(count, 0)


@provide
def frame(
    signal: TensorLike, frame_length: TensorLike, frame_step: TensorLike, pad_end: bool = False,
    pad_value: TensorLike = 0, axis: int = -1, name: str | None = None
) -> Tensor:  # fmt: skip
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
        axis = place_in(int(axis), rank)
        length, step = int_or_tensor(frame_length), int_or_tensor(frame_step)
        if isinstance(step, int) and step < 1:
            raise errors.InvalidArgumentError(
                None, None, errors.at_user_line(f"frame_step must be at least 1, not {step}")
            )
        size = size_of(x, axis)
        count = _frame_count(size, length, step, pad_end)
        if pad_end:
            need = (count - 1) * step + length - size
            more = max(need, 0) if isinstance(need, int) else Maximum(need, 0)
            pads = Pack([[0, more if i == axis else 0] for i in range(rank)])
            x = PadV2(x, pads, as_tensor(pad_value, x.dtype))
        starts = ExpandDims(range_(count) * step, 1)
        places = starts + ExpandDims(range_(length), 0)
        return gather(whole(x), places, axis=axis)


def overlap_and_add(signal: TensorLike, frame_step: TensorLike, name: str | None = None) -> Tensor:
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
        step = int_or_tensor(frame_step)
        count, length = size_of(x, -2), size_of(x, -1)
        if isinstance(step, int) and step < 1 and not (isinstance(length, int) and length == 0):
            raise errors.InvalidArgumentError(
                None, None, errors.at_user_line(f"frame_step must be positive, found {step}")
            )
        total = (count - 1) * step + length
        starts = ExpandDims(range_(count) * step, 1)
        places = Reshape(starts + ExpandDims(range_(length), 0), [-1])
        static = x.dims is not None and None not in x.dims[:-2]
        outer: Any = list(x.dims[:-2]) if static else Shape(x)[:-2]  # type: ignore[index]
        flat = Reshape(x, [-1, count * length])
        summed = unsorted_segment_sum(transpose(flat), places, total)
        last = [total] if isinstance(total, int) else Reshape(total, [1])
        return reshape(transpose(summed), concat([outer, last], 0) if not static or not isinstance(
            total, int) else [*outer, total])  # fmt: skip


def _above(value: int) -> int:
    """The power of two that is not below."""
    if isinstance(value, int):
        return 1 << max(value - 1, 0).bit_length() if value > 0 else 0
    bits = ceil(log(cast(value, float32)) / math.log(2.0))
    return cast(round_(Pow(as_tensor(2.0), bits)), "int32")


def window_of(window_fn: Callable[..., Any], length: TensorLike, dtype: DTypeLike) -> Tensor:
    return window_fn(length, dtype=dtype)


def stft(
    signals: TensorLike, frame_length: TensorLike, frame_step: TensorLike, fft_length: TensorLike | None = None,
    window_fn: Callable[..., Any] | None = hann_window, pad_end: bool = False, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The Fourier transform of each frame of a real signal, weighted by a window.

    >>> import graphrt as tf
    >>> tf.signal.stft(tf.ones([64]), 16, 8).shape
    TensorShape([7, 9])
    """
    with scope(name, "stft"):
        x = as_tensor(signals)
        length = int_or_tensor(frame_length)
        size = _above(length) if fft_length is None else int_or_tensor(fft_length)
        frames = frame(x, length, frame_step, pad_end)
        if window_fn is not None:
            frames = frames * window_of(window_fn, length, x.dtype)
        return RFFT(frames, Pack([size]), Tcomplex=complex128 if x.dtype is float64 else complex64)


def inverse_stft(
    stfts: TensorLike, frame_length: TensorLike, frame_step: TensorLike, fft_length: Any = None,
    window_fn: Callable[..., Any] | None = hann_window, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The real signal whose `stft` is given; a window made by `inverse_stft_window_fn` makes the two inverse.

    >>> import graphrt as tf
    >>> tf.signal.inverse_stft(tf.signal.stft(tf.ones([64]), 16, 8), 16, 8).shape
    TensorShape([64])
    """
    with scope(name, "inverse_stft"):
        x = as_tensor(stfts)
        length = int_or_tensor(frame_length)
        size = _above(length) if fft_length is None else int_or_tensor(fft_length)
        real = float64 if x.dtype is complex128 else float32
        frames = IRFFT(x, Pack([size]), Treal=real)
        if isinstance(size, int) and isinstance(length, int):
            frames = resize_last(frames, size, length)
        else:
            frames = frames[..., :length]
            more = Maximum(length - Shape(frames)[-1], 0)
            frames = _pad_last(frames, more)
        if window_fn is not None:
            frames = frames * window_of(window_fn, length, real)
        return overlap_and_add(frames, frame_step)


def resize_last(x: Any, size: int, wanted: int) -> Any:
    """The last axis cut or filled with zeros."""
    if wanted < size:
        return x[..., :wanted]
    if wanted == size:
        return x
    return _pad_last(x, wanted - size)


def _pad_last(x: Any, count: Any) -> Tensor:
    if x.dims is not None:
        return pad(x, [[0, 0]] * (len(x.dims) - 1) + [[0, count]])
    return pad(x, concat([zeros([Rank(x) - 1, 2], "int32"), [[0, count]]], 0))


def inverse_stft_window_fn(
    frame_step: TensorLike, forward_window_fn: Callable[..., Any] = hann_window, name: str | None = None
) -> Callable[..., Any]:
    """A function that makes the window with which `inverse_stft` undoes `stft`.

    >>> import graphrt as tf
    >>> tf.signal.inverse_stft_window_fn(2)(4, tf.float32).shape
    TensorShape([4])
    """

    def window(frame_length: int, dtype: DType) -> Tensor:
        with scope(name, "inverse_stft_window_fn"):
            length, step = int_or_tensor(frame_length), int_or_tensor(frame_step)
            if isinstance(step, int) and step < 1:
                raise errors.InvalidArgumentError(
                    None, None, errors.at_user_line(f"frame_step must be positive, found {step}")
                )
            forward = window_of(forward_window_fn, length, dtype)
            overlaps = 0 - (0 - length) // step
            squared = pad(square(forward), [[0, overlaps * step - length]])
            sums = reduce_sum(reshape(squared, [overlaps, step]), 0, keepdims=True)
            full = reshape(tile(sums, [overlaps, 1]), [overlaps * step])
            return forward / full[:length]

    return window
