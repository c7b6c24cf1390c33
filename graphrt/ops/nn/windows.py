"""Windows that move over images: their sizes, paddings, and views of what they see."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.op import provide
from graphrt.ops.array.shape import expand_dims, squeeze
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import Array, Padding, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims

__all__: list[str] = []


# --- windows ---------------------------------------------------------------------------------------------------------


def first(data_format: Any) -> bool:
    """Whether the channels come second."""
    return data_format == "NCHW"


def leads(data_format: str | None) -> bool:
    """Whether the channels come before the others, for any number of these."""
    errors.expect(data_format, (str, type(None)), "data_format", "a text such as 'NHWC', or None")
    return data_format is not None and data_format.startswith("NC")


def space(values: Any, data_format: Any) -> tuple[int, int]:
    """The two numbers of a list of four that are about height and width."""
    return (values[2], values[3]) if first(data_format) else (values[1], values[2])


def pads_of(
    padding: Padding, explicit: Any, size: Any, window: Any, stride: tuple[int, ...], data_format: str
) -> list[tuple[int, int]]:
    """What is added before and after height and width."""
    kind = padding
    if kind == "VALID":
        return [(0, 0), (0, 0)]
    if kind == "EXPLICIT":
        at = 4 if first(data_format) else 2
        return [(explicit[at], explicit[at + 1]), (explicit[at + 2], explicit[at + 3])]
    found = []
    for n, w, s in zip(size, window, stride):
        total = max((-(-n // s) - 1) * s + w - n, 0)
        found.append((total // 2, total - total // 2))
    return found


def _out_size(n: int | None, window: int | None, stride: int, padding: Padding, before: int, after: int) -> int | None:
    if n is None:
        return None
    if padding == "SAME":
        return -(-n // stride)
    if window is None:
        return None
    size = max((n + before + after - window) // stride + 1, 0)
    if n + before + after < window - stride:
        raise ShapeError(
            f"Computed output size would be negative: {size} [input_size: {n}, effective_filter_size: {window}, "
            f"stride: {stride}]"
        )
    return size


def out_dims(
    dims: Dims, window: list[int | None] | tuple[int, ...], attrs: dict[str, Any], channels: int | None
) -> Dims:
    form = attrs["data_format"]
    if dims is None:
        return (None, channels, None, None) if first(form) else (None, None, None, channels)
    if len(dims) != 4:
        raise ShapeError(f"Shape must be rank 4 but is rank {len(dims)}")
    explicit = attrs.get("explicit_paddings") or []
    height, width = space(dims, form)
    stride = space(attrs["strides"], form)
    outer = [(0, 0), (0, 0)]
    if attrs["padding"] == "EXPLICIT":
        outer = pads_of("EXPLICIT", explicit, (0, 0), (0, 0), stride, form)
    sizes = [_out_size(n, w, s, attrs["padding"], *p) for n, w, s, p in zip((height, width), window, stride, outer)]
    return (dims[0], channels, *sizes) if first(form) else (dims[0], *sizes, channels)


def to_last(x: Array, form: str) -> Array:
    return np.moveaxis(x, 1, 3) if first(form) else x


def from_last(x: Array, form: str) -> Array:
    return np.ascontiguousarray(np.moveaxis(x, 3, 1)) if first(form) else x


def windows(x: Array, window: Any, stride: tuple[int, ...], dilation: tuple[int, ...]) -> Array:
    """A view of `x` (NHWC, padded): batch, row, column, channel, row and column inside the window."""
    reach = [(w - 1) * d + 1 for w, d in zip(window, dilation)]
    spots = [max(n - r + s, 0) // s for n, r, s in zip(x.shape[1:3], reach, stride)]
    shape = (x.shape[0], *spots, x.shape[3], *window)
    if 0 in spots:  # there is none
        return np.zeros(shape, x.dtype)
    image, row, column, channel = x.strides
    strides = (
        image, row * stride[0], column * stride[1], channel, row * dilation[0], column * dilation[1]
    )  # fmt: skip
    if x.flags.c_contiguous and x.dtype.isbuiltin == 1:  # a tenth of the time
        return np.ndarray(shape, x.dtype, x, strides=strides)
    return np.lib.stride_tricks.as_strided(x, shape, strides, writeable=False)


def with_pads(x: Array, pads: Any, value: float = 0) -> Array:
    """`x` (NHWC) with `pads` more rows and columns before and after, of `value`."""
    if pads == [(0, 0), (0, 0)]:
        return x
    (top, bottom), (left, right) = pads
    n, h, w, c = x.shape
    shape = n, h + top + bottom, w + left + right, c
    out = np.zeros(shape, x.dtype) if not value else np.full(shape, value, x.dtype)
    out[:, top : top + h, left : left + w] = x
    return out


def seen(
    x: Array, out: Sequence[int], at: tuple[int, int], stride: tuple[int, ...], dilation: tuple[int, ...]
) -> Array:
    """What position `at` of all windows sees of `x` (NHWC, padded), where there are `out` rows and columns of windows."""
    top, left = at[0] * dilation[0], at[1] * dilation[1]
    rows, columns = (slice(a, a + n * s, s) for a, n, s in zip((top, left), out, stride))
    return x[:, rows, columns]


def runs(x: Array) -> Array | None:
    """A view of `x` whose elements are what was its last axis, which NumPy copies at once; None where there is none."""
    if x.dtype.isbuiltin != 1 or x.shape[-1] < 2 or x.strides[-1] != x.itemsize:
        return None
    return x.view(np.dtype((np.void, x.shape[-1] * x.itemsize)))[..., 0]


def copy(x: Array, there: Array) -> None:
    """Copies `x` to an array of its shape and dtype: several times as fast as NumPy where the last axis is short."""
    source, target = runs(x), runs(there)
    if source is None or target is None:
        there[...] = x
    else:
        target[...] = source


def greatest(views: list[Array]) -> Array:
    """The greatest of the elements at the same place; an array of its own."""
    out = np.empty(views[0].shape, views[0].dtype)
    if 1 < out.shape[-1] < _LONG and views[0].strides[-2:-1] != out.strides[-2:-1]:
        # short runs with gaps between them are laid side by side, so that NumPy's loops are long
        there = np.empty_like(out)
        copy(views[0], out)
        for view in views[1:]:
            copy(view, there)
            np.maximum(out, there, out=out)
        return out
    if len(views) == 1:
        return views[0].copy()
    np.maximum(views[0], views[1], out=out)
    for view in views[2:]:
        np.maximum(out, view, out=out)
    return out


_LONG = 64  # elements


def in_pieces(shape: tuple[int, ...], row: int, most: int) -> Iterator[tuple[slice, slice]]:
    """Images and rows of windows, as parts of `shape` (images, rows, ...), that together stay below `most` elements.

    A part is whole images, or some rows of one; `row` is the number of elements that a row of one image needs.
    """
    count, rows = shape[:2]
    if row * rows <= most:
        step = max(1, most // max(row * rows, 1))
        for at in range(0, count, step):
            yield slice(at, at + step), slice(0, rows)
        return
    step = max(1, most // row)
    for image in range(count):
        for at in range(0, rows, step):
            yield slice(image, image + 1), slice(at, at + step)


# --- public ----------------------------------------------------------------------------------------------------------
def whole(value: Any, what: str) -> list[int]:
    """The numbers of `value` as integers."""
    try:
        return [int(v) for v in np.ravel(value)]
    except (OverflowError, ValueError, TypeError):
        raise ValueError(errors.at_user_line(f"{what} should be integers, found {shown(value)}")) from None


def four(value: Any, data_format: str, what: str) -> list[int]:
    """One, two or four numbers as four, in the order of the data format."""
    found = whole(value, what) if value is not None else [1]
    if len(found) == 1:
        found = found * 2
    if len(found) == 2:
        return [1, 1, *found] if data_format == "NCHW" else [1, *found, 1]
    if len(found) == 4:
        return found
    raise ValueError(errors.at_user_line(f"{what} should be of length 1, 2 or 4 but was {len(found)}"))


def format_of(data_format: str) -> str:
    form = data_format or "NHWC"
    if form not in ("NHWC", "NCHW"):
        raise ValueError(errors.at_user_line(f"data_format must be NHWC or NCHW, found {shown(form)}"))
    return str(form)


def padding_of(padding: Padding, data_format: str) -> tuple[str, list[int]]:
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            raise ShapeError(
                errors.at_user_line(f"padding must be 'SAME', 'VALID' or a list of pairs, found {shown(padding)}")
            )
        return padding.upper(), []
    flat = [int(v) for pair in padding for v in pair]
    if len(flat) != 8:
        raise ValueError(errors.at_user_line("explicit padding needs a (before, after) pair for each of 4 dimensions"))
    return ("VALID", []) if not any(flat) else ("EXPLICIT", flat)


@provide
def one_wide(
    function: Callable[..., Any], input: TensorLike, numbers: tuple[Any, Any], padding: Padding, data_format: str,
    name: str | None
) -> Tensor:  # fmt: skip
    """A pooling of sequences by one of images: a dimension of size 1 is put in, and taken out again."""
    if data_format not in ("NWC", "NCW"):
        raise ValueError(errors.at_user_line(f"data_format must be NWC or NCW, found {shown(data_format)}"))
    axis = 2 if data_format == "NCW" else 1
    if any(np.size(v) == 0 for v in numbers):
        raise ValueError(
            errors.at_user_line("ksize and strides must be numbers, or lists of them; found an empty list")
        )
    size, step = (int(np.ravel(v)[len(np.ravel(v)) // 2]) for v in numbers)
    with scope(name, "pool1d"):
        wide = expand_dims(as_tensor(input), axis)
        found = function(wide, [1, size], [1, step], padding, "NCHW" if axis == 2 else "NHWC")
        return squeeze(found, [axis])
