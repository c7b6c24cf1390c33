"""Products of matrices with what the windows over images see, laid out piece by piece: what convolutions are made of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphrt.ops.nn.windows import in_pieces, runs
from graphrt.ops.support import threads
from graphrt.types.likes import Array

__all__: list[str] = []

PIECE = 1 << 18  # elements that are laid out at a time: they stay in the cache until they are multiplied
_FEW = 256  # fewer patches at a time are not worth that the filters are read again
_SHORT = 128  # bytes
_NARROW = 32  # columns of windows: so few rows of a matrix are multiplied more slowly than many
_ONE_THREAD = (1 << 19) - 1  # multiplications that OpenBLAS does not divide between threads
_LEAST, _SUMMED = 12, 32  # rows of a matrix: with fewer, in products and in sums, it is no better than a large one
_WORTH_THREADS = 1 << 24  # multiplications that are worth another thread

Part = tuple[slice, slice]  # of the images, and of the rows of windows


def is_plain(*arrays: Array) -> bool:
    """Whether NumPy multiplies these into the same dtype: not so for bfloat16."""
    return all(a.dtype.isbuiltin == 1 and a.dtype == arrays[0].dtype for a in arrays)


def products(view: Array, w: Array) -> Array:
    """The windows of a view (see `windows`), each times the filters."""
    if not is_plain(view, w) or not view.size or not w.size:
        return np.tensordot(view, w, axes=((4, 5, 3), (0, 1, 2)))
    out = np.empty((*view.shape[:3], w.shape[3]), view.dtype)
    filters = w.reshape(-1, w.shape[3])
    strip = _overlap(view) and _LEAST <= view.shape[2] <= _ONE_THREAD // filters.size

    def multiply(parts: list[Part]) -> None:
        if strip:
            buffer = np.empty(0, view.dtype)
            for part, strips in _strips(view, parts, by_column=True):
                rows, there = _down(strips, view.shape[4]), out[part]
                if len(there) == 1 or view.shape[2] >= _NARROW:
                    _multiply(rows, filters, there)
                    continue
                # a row of all images is one matrix, whose products are put in order afterwards
                buffer, found = _room(buffer, there.swapaxes(0, 1))
                together = rows.swapaxes(0, 1).reshape(len(found), -1, len(filters))
                _multiply(together, filters, found.reshape(*together.shape[:2], -1))
                there[...] = found.swapaxes(0, 1)
        else:
            for part, patches in _patches(view, parts):
                _multiply(patches, filters, out[part].reshape(-1, w.shape[3]))

    _on_threads(multiply, view, strip, filters.size, filters.size * _LEAST)
    return out


def filter_products(view: Array, back: Array) -> Array:
    """What of the gradient `back` each position of the filters gets: the windows of a view, turned, times it."""
    depth, *window = view.shape[3:]
    if not is_plain(view, back) or not view.size or not back.size or view.dtype.itemsize < 4:
        return np.tensordot(view, back, axes=((0, 1, 2), (0, 1, 2))).transpose(1, 2, 0, 3)
    shape = *window, depth, back.shape[3]
    weights = math.prod(shape)
    overlap = _overlap(view)
    small = weights * _SUMMED // (window[0] if overlap else 1)
    strip = overlap and small <= _ONE_THREAD

    def total(parts: list[Part]) -> Array:
        out = np.zeros(shape, view.dtype)
        if strip:
            for part, strips in _strips(view, parts, by_column=False):
                some = back[part]
                out += _turned(_by_row(strips, window[0]), some.reshape(len(some), -1, shape[3])).reshape(shape)
        else:
            for part, patches in _patches(view, parts):
                out += _turned(patches, back[part].reshape(len(patches), -1)).reshape(shape)
        return out

    first, *others = _on_threads(total, view, strip, weights, small)
    return sum(others, first)


# --- what the windows see, laid out ----------------------------------------------------------------------------------
def _overlap(view: Array) -> bool:
    """Whether the windows are several rows high, each window begins a row below the last, and has no gaps."""
    _, _, _, depth, height, _ = view.shape
    _, row, _, *steps = view.strides
    return height > 1 and steps == [view.itemsize, row, depth * view.itemsize]


def _strips(view: Array, parts: list[Part], by_column: bool) -> Iterator[tuple[Part, Array]]:
    """Parts of a view of windows that overlap, and what a row of a window sees at each place of the image.

    Its shape is: image, column, row (rows before columns unless `by_column`), what is seen. It is there until the next one.
    """
    count, rows, columns, depth, height, width = view.shape
    image, row, column, *_ = view.strides
    step = view.itemsize
    seen = np.lib.stride_tricks.as_strided(
        view, (count, rows + height - 1, columns, width * depth), (image, row, column, step)
    )
    at_once = runs(seen)
    laid = seen if at_once is None else at_once
    buffer = np.empty(0, laid.dtype)
    for part in parts:
        images, there = part
        some = laid[images, there.start : min(there.stop, rows) + height - 1]
        if by_column:
            some = some.swapaxes(1, 2)
        buffer, strips = _room(buffer, some)
        strips[...] = some
        yield part, strips.view(view.dtype).reshape(*some.shape[:3], -1)


def _room(buffer: Array, like: Array) -> tuple[Array, Array]:
    """A buffer, the same if it is large enough, and an array of the shape of `like` in it."""
    if buffer.size < like.size:
        buffer = np.empty(like.size, like.dtype)
    return buffer, buffer[: like.size].reshape(like.shape)


def _down(strips: Array, height: int) -> Array:
    """Windows of some height down the columns of `strips`, as rows of matrices: image, row, column, what is seen."""
    count, columns, rows, run = strips.shape
    image, column, row, step = strips.strides
    return np.lib.stride_tricks.as_strided(
        strips, (count, rows - height + 1, columns, height * run), (image, row, column, step)
    )


def _by_row(strips: Array, height: int) -> Array:
    """What each row of windows of some height sees: row of a window, image, window, what is seen."""
    count, rows, columns, run = strips.shape
    image, row, column, step = strips.strides
    return np.lib.stride_tricks.as_strided(
        strips, (height, count, (rows - height + 1) * columns, run), (row, image, column, step)
    )


def _patches(view: Array, parts: list[Part]) -> Iterator[tuple[Part, Array]]:
    """Parts of a view of windows, and what each sees as the rows of a matrix, which is there until the next one."""
    depth, *window = view.shape[3:]
    taps = depth * window[0] * window[1]
    patches = view.transpose(0, 1, 2, 4, 5, 3)
    if window == [1, 1] and patches.flags.c_contiguous:  # pixels are the patches
        for part in parts:
            yield part, patches[part].reshape(-1, taps)
        return
    kind, by_row = view.dtype, False
    depth_step, row_step = patches.strides[-2:]
    if kind.isbuiltin == 1 and (depth_step, row_step) == (depth * kind.itemsize, kind.itemsize) and patches.size:
        # what a row of a window sees lies side by side, and is copied as one element
        run = window[1] * depth
        by_row = run * kind.itemsize < _SHORT
        joined = np.lib.stride_tricks.as_strided(patches, (*patches.shape[:4], run), (*patches.strides[:4], row_step))
        whole = runs(joined)
        patches = joined if whole is None else whole
    buffer = np.empty(0, patches.dtype)
    for part in parts:
        some = patches[part]
        buffer, there = _room(buffer, some)
        if by_row and some.ndim == 4:  # few long loops instead of many short ones
            for row in range(window[0]):
                there[..., row] = some[..., row]
        else:
            there[...] = some
        yield part, there.reshape(-1).view(kind).reshape(-1, taps)


# --- products, each on one thread ------------------------------------------------------------------------------------
def _stacks(rows: Array, weights: int, least: int) -> list[Array]:
    """The rows of matrices as stacks of small matrices, each to be multiplied with `weights` numbers for a row.

    One thread then multiplies what it has just laid out, in its own cache: two that share it wait for each other's
    caches longer than they work. Rows are not divided where fewer than `least` would be left to each matrix.
    """
    most, count = _ONE_THREAD // weights, rows.shape[-2]
    if most < least or count <= most:
        return [rows]
    each = next((k for k in range(most, most // 2, -1) if count % k == 0), most)
    whole = count // each * each
    stack = rows[..., :whole, :].reshape(*rows.shape[:-2], -1, each, rows.shape[-1])
    return [stack] if whole == count else [stack, rows[..., whole:, :]]


def _multiply(rows: Array, filters: Array, out: Array) -> None:
    """Sets `out` to the rows times the filters."""
    for some, results in zip(_stacks(rows, filters.size, _LEAST), _stacks(out, filters.size, _LEAST)):
        np.matmul(some, filters, out=results)


def _turned(rows: Array, gradients: Array) -> Array:
    """The rows of matrices, turned, times the gradients: the sum of all; one for each of the first of four dimensions."""
    weights = rows.shape[-1] * gradients.shape[-1]
    found = [
        np.matmul(some.swapaxes(-1, -2), others)
        for some, others in zip(_stacks(rows, weights, _SUMMED), _stacks(gradients, weights, _SUMMED))
    ]
    heights = rows.shape[:1] if rows.ndim == 4 else ()
    first, *rest = [f.reshape(*heights, -1, *f.shape[-2:]).sum(axis=-3) for f in found]
    return sum(rest, first)


def _on_threads(call: Callable[[list[Part]], Any], view: Array, strip: bool, weights: int, small: int) -> list[Any]:
    """`call(parts)` for some of the parts of a view on each thread, where BLAS does not use several by itself.

    What a window sees takes `weights` multiplications, and the least product `small` ones.
    """
    count, rows, columns = view.shape[:3]
    each = math.prod(view.shape[3:]) // (view.shape[4] if strip else 1)  # elements that are laid out for a window
    most = count * rows * columns * weights // _WORTH_THREADS if small <= _ONE_THREAD else 1
    share = count * rows * columns * each // threads.useful(most)
    parts = in_pieces(view.shape, columns * each, max(min(PIECE, share + columns * each), _FEW * each))
    found = list(parts)
    return threads.in_parts(lambda start, end: call(found[start:end]), len(found), most)
