"""Gradients of max-pools whose windows do not overlap: each pixel gets what one window gives, or nothing."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt.ops.nn.windows import copy, in_pieces, seen
from graphrt.ops.support import threads
from graphrt.types.likes import Array

__all__: list[str] = []

WORTH_THREADS = 1 << 20  # elements that windows see: as many are worth another thread
_ALONE = 1 << 18  # elements that windows see at a time: more than this does not stay in the cache
_SHORT = 32  # bytes of a pixel: less is copied faster than it is taken by its number
_MANY = 1 << 8  # positions: so many are not counted in a byte


def bits_of(x: Array) -> Array:
    """The elements as whole numbers."""
    return np.ascontiguousarray(x).view(f"i{x.dtype.itemsize}")


def given_alone(padded: Array, high: Array, back: Array, window: tuple[int, ...], stride: tuple[int, ...]) -> Array:
    """The gradients `back` of windows, none of which sees what another does, at the place of their maxima `high`."""
    padded, bits, channels = np.ascontiguousarray(padded), bits_of(back), padded.shape[3]
    by_number = channels * padded.itemsize >= _SHORT and back.size > 0
    image = np.empty(padded.shape, bits.dtype) if by_number else np.zeros(padded.shape, bits.dtype)
    row = back.shape[2] * channels * math.prod(window)
    most = row * math.prod(back.shape[:2]) // WORTH_THREADS
    share = row * math.prod(back.shape[:2]) // threads.useful(most)
    parts = list(in_pieces(back.shape, row, min(_ALONE, share + row)))

    def give(start: int, end: int) -> None:
        works: dict[Any, _Alone] = {}
        for images, rows in parts[start:end]:
            # rows below the last window belong to the last part
            below = rows.stop * stride[0] if rows.stop < back.shape[1] else padded.shape[1]
            there = images, slice(rows.start * stride[0], below)
            some, maxima = padded[there], high[images, rows]
            sizes = some.shape, maxima.shape
            if sizes not in works:
                works[sizes] = _Alone(some, maxima.shape, window, stride, bits.dtype, by_number)
            works[sizes].give(some, maxima, bits[images, rows], image[there])

    threads.in_parts(give, len(parts), most)
    return image.view(back.dtype)


@functools.lru_cache(maxsize=8)
def _numbers(
    shape: tuple[int, ...], out: tuple[int, ...], window: tuple[int, ...], stride: tuple[int, ...]
) -> tuple[Array, Array]:
    """The pixels that each position of the windows sees, one position after the other; and where in that each pixel is.

    Pixels that no window sees are said to be behind the last.
    """
    pixels = np.arange(math.prod(shape)).reshape(*shape, 1)
    seen_at = np.stack([seen(pixels, out, at, stride, (1, 1)) for at in np.ndindex(*window)]).reshape(-1)
    taken_from = np.full(pixels.size, seen_at.size)
    taken_from[seen_at] = np.arange(seen_at.size)
    return seen_at, taken_from


class _Alone:
    """What is needed to give gradients to parts of images, used for all parts of a size.

    All positions of the windows are worked on at once: each call of NumPy's may have to wait for another thread.
    """

    def __init__(
        self, some: Array, out: tuple[int, ...], window: tuple[int, ...], stride: tuple[int, ...], word: Any,
        by_number: bool
    ) -> None:  # fmt: skip
        self.out, self.stride, self.at = out[1:3], stride, list(np.ndindex(*window))
        count, size, channels = len(self.at), math.prod(out), out[3]
        self.here = np.empty((count, *out), some.dtype)  # what the positions of the windows see
        self.found = np.empty((count, size), bool)
        self.left = np.empty(size, np.uint8)
        self.picked = np.empty((count * (size // channels) + 1, channels), word)
        self.picked[-1] = 0  # for pixels that no window sees
        self.numbers = _numbers(some.shape[:3], self.out, window, stride) if by_number else None

    def _views(self, image: Array) -> Iterator[Array]:
        return (seen(image, self.out, at, self.stride, (1, 1)) for at in self.at)

    def give(self, some: Array, maxima: Array, bits: Array, image: Array) -> None:
        """Sets `image` to `bits` where `some` first has the `maxima` of the windows, elsewhere to zero."""
        channels = some.shape[-1]
        if self.numbers is None:
            for view, there in zip(self._views(some), self.here):
                copy(view, there)  # side by side, where all of them are worked on at once
        else:
            pixels, here = some.reshape(-1, channels), self.here.reshape(-1, channels)
            np.take(pixels, self.numbers[0], axis=0, out=here, mode="clip")
        self._choose(maxima)
        picked = self.picked[:-1].reshape(self.found.shape)
        picked[...] = self.found
        np.multiply(picked, bits.reshape(-1), out=picked)  # picks, whatever the bits mean, and is fast
        if self.numbers is None:
            for view, part in zip(self._views(image), picked.reshape(-1, *maxima.shape)):
                copy(part, view)
        else:
            np.take(self.picked, self.numbers[1], axis=0, out=image.reshape(-1, channels), mode="clip")

    def _choose(self, maxima: Array) -> None:
        """Sets `found`, of each position of the windows: whether it holds the first maximum; NaN is greater than all."""
        here, left = self.here.reshape(self.found.shape), self.left
        np.equal(here, maxima.reshape(-1), out=self.found)
        many = self.found.view(np.uint8)
        if len(many) < _MANY:
            np.add.reduce(many, axis=0, out=left)
            if np.equal(left, 1, out=left.view(bool)).all():
                return
        left[...] = 1
        for chosen in many:
            np.bitwise_and(chosen, left, out=chosen)
            np.bitwise_xor(left, chosen, out=left)
        if left.any():  # NaN is not equal to itself
            first = here.argmax(axis=0) == np.arange(len(here))[:, None]
            np.logical_or(self.found, np.logical_and(first, left.view(bool), out=first), out=self.found)
