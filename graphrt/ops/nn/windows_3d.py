"""Windows in three dimensions: their sizes, paddings, and views of what they see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ops.nn.windows import whole
from graphrt.ops.support.kernel_helpers import text_of
from graphrt.types.likes import Array, Padding
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims

__all__: list[str] = []

_SPOTS = (1, 2, 3)


def first(form: Any) -> bool:
    return form == "NCDHW"


def three(values: Any, form: Any) -> list[int]:
    return list(values[2:5] if first(form) else values[1:4])


def last(x: Array, form: str) -> Array:
    return np.moveaxis(x, 1, 4) if first(form) else np.asarray(x)


def from_last(x: Array, form: str) -> Array:
    return np.ascontiguousarray(np.moveaxis(x, 4, 1) if first(form) else x)


def pads_of(size: Any, reach: Any, stride: Sequence[int], padding: Padding) -> list[tuple[int, int]]:
    if padding == "VALID":
        return [(0, 0)] * 3
    total = [max((-(-n // s) - 1) * s + r - n, 0) for n, r, s in zip(size, reach, stride)]
    return [(t // 2, t - t // 2) for t in total]


def view_of(x: Array, reach: Any, stride: Any, rate: Any) -> Array:
    """Batch, three places, channel, three places inside the window."""
    spots = [(n - r + s) // s for n, r, s in zip(x.shape[1:4], reach, stride)]
    if min(spots) < 0:
        raise ShapeError(f"Computed output size would be negative: input {text_of(x.shape)}, window {text_of(reach)}")
    if not all(spots):
        inside = [(r - 1) // d + 1 for r, d in zip(reach, rate)]
        return np.zeros((x.shape[0], *spots, x.shape[4], *inside), x.dtype)
    view = np.lib.stride_tricks.sliding_window_view(x, tuple(reach), axis=_SPOTS)
    steps = tuple(slice(None, None, s) for s in stride)
    rates = tuple(slice(None, None, r) for r in rate)
    return view[(slice(None), *steps, slice(None), *rates)]


def spread(shape: Any, parts: Array, stride: list[int], rate: Any) -> Array:
    """Adds up `parts`, laid out as `_view` lays them, where they came from."""
    out = np.zeros(shape, parts.dtype)
    counts = parts.shape[1:4]
    for at in np.ndindex(*parts.shape[5:8]):
        index = tuple(slice(i * r, i * r + n * s, s) for i, r, n, s in zip(at, rate, counts, stride))
        out[(slice(None), *index)] += parts[(..., *at)]
    return out


def space_dims(dims: Dims, window: Any, attrs: Any, channels: int | None) -> Dims:
    form = attrs["data_format"]
    if dims is None:
        return (None, None, None, None, channels) if form == "NDHWC" else (None, channels, None, None, None)
    if len(dims) != 5:
        raise ShapeError(f"Shape must be rank 5 but is rank {len(dims)}")
    same = attrs["padding"] == "SAME"
    sizes: list[int | None] = []
    for n, w, s in zip(three(dims, form), window, three(attrs["strides"], form)):
        if n is None or (w is None and not same):
            sizes.append(None)
        else:
            sizes.append(-(-n // s) if same else (n - w) // s + 1)
            if not same and n < w:
                raise ShapeError(f"Computed output size would be negative: {sizes[-1]}")
    return (dims[0], channels, *sizes) if first(form) else (dims[0], *sizes, channels)


def padded(x: Array, pads: Any, value: float = 0) -> Array:
    return np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=value) if any(map(any, pads)) else x


# --- public ----------------------------------------------------------------------------------------------------------
def five(value: Any, form: str, what: str) -> list[int]:
    found = whole(value, what)
    if len(found) == 5:
        return found
    if len(found) == 1:
        found = found * 3
    if len(found) != 3:
        raise ValueError(errors.at_user_line(f"{what} must have 1, 3 or 5 elements, found {shown(value)}"))
    return [1, 1, *found] if form == "NCDHW" else [1, *found, 1]


def padding_of(padding: Padding) -> str:
    if not isinstance(padding, str) or padding.upper() not in ("SAME", "VALID"):
        raise ValueError(errors.at_user_line(f"padding must be 'SAME' or 'VALID', found {shown(padding)}"))
    return padding.upper()
