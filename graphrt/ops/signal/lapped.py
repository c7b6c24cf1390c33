"""Lapped transforms: cosine transforms of frames that overlap."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.ops.array.concat_split import concat, split
from graphrt.ops.array.creation import ones
from graphrt.ops.array.padding import reverse
from graphrt.ops.math.casting import cast
from graphrt.ops.signal.cosine import dct
from graphrt.ops.signal.frames import frame, overlap_and_add, window_of
from graphrt.ops.signal.windows import size_of, vorbis_window
from graphrt.ops.support.shape_rules import as_tensor, known
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike

__all__ = ["inverse_mdct", "mdct"]


# --- lapped transforms -----------------------------------------------------------------------------------------------
def mdct(
    signals: TensorLike, frame_length: int, window_fn: Callable[..., Any] | None = vorbis_window,
    pad_end: bool = False, norm: str | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The modified cosine transform of frames that overlap by half; `frame_length` must be a multiple of 4.

    >>> import graphrt as tf
    >>> tf.signal.mdct(tf.ones([16]), 8).shape
    TensorShape([3, 4])

    Raises:
      ValueError: `frame_length` is no multiple of 4.
    """
    with scope(name, "mdct"):
        x = as_tensor(signals)
        length = int(known(as_tensor(frame_length), "frame_length"))
        if length % 4:
            raise ValueError(errors.at_user_line(f"frame_length must be a multiple of 4, found {length}"))
        frames = frame(x, length, length // 2, pad_end)
        if window_fn is not None:
            window = window_of(window_fn, length, x.dtype)
        else:
            window = ones([length], x.dtype) / math.sqrt(2)
        a, b, c, d = split(frames * window, 4, -1)
        last = [len(frames.shape) - 1]
        folded = concat([-reverse(c, last) - d, a - reverse(b, last)], -1)
        return dct(folded, type=4, norm=norm)


def inverse_mdct(
    mdcts: TensorLike, window_fn: Callable[..., Any] | None = vorbis_window, norm: str | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The signal whose `mdct` is given (its first and last half frame excepted).

    >>> import graphrt as tf
    >>> tf.signal.inverse_mdct(tf.signal.mdct(tf.ones([16]), 8)).numpy()[4:12].round(4).tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    with scope(name, "inverse_mdct"):
        x = as_tensor(mdcts)
        half = size_of(x, -1)
        if window_fn is not None:
            window = window_of(window_fn, half * 2, x.dtype)
        else:
            window = ones([half * 2], x.dtype) / math.sqrt(2)
        first, second = split(dct(x, type=4, norm=norm), 2, -1)
        last = [len(x.dims or ()) - 1]
        frames = concat([second, -reverse(second, last), -reverse(first, last), -first], -1)
        if norm is None:
            frames = frames * (0.5 / cast(half, x.dtype))
        return overlap_and_add(frames * window, half)
