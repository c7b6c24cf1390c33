"""`ufunc.at` as fast as NumPy can: one flat index of machine words, and values of the array's own dtype.

NumPy has a quick path for that alone; several indices, rows, or a Python number for a value take ten to sixty times as
long. The order of the elements is kept, so that sums are the same to the last bit.
"""

from __future__ import annotations

import math

import numpy as np

from graphrt.types.likes import Array

_FEW = 64  # elements, below which finding the flat index costs more than it saves
_WIDE = 512  # elements of a row, from which on rows are combined one by one
_PART = 2**18  # elements whose flat indices are held at a time


def combine_at(combine: np.ufunc, out: Array, places: Array | tuple[Array, ...], values: Array | float) -> None:
    """`combine.at(out, places, values)` for places that are not negative: one array of them for each leading dimension.

    >>> import numpy as np
    >>> sums = np.zeros(3)
    >>> combine_at(np.add, sums, np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0]))
    >>> sums.tolist()
    [1.0, 0.0, 5.0]
    """
    places = places if isinstance(places, tuple) else (places,)
    shape = places[0].shape if len(places) == 1 else np.broadcast_shapes(*(p.shape for p in places))
    inner = math.prod(out.shape[len(places) :])
    count = math.prod(shape)
    if count * inner <= _FEW or not out.flags.c_contiguous or out.dtype == object:
        combine.at(out, places, values)
        return
    flat: Array = np.asarray(places[0], np.intp)
    for place, size in zip(places[1:], out.shape[1:]):
        flat = flat * size + place
    flat = np.broadcast_to(flat, shape).reshape(-1)
    rows = np.broadcast_to(np.asarray(values, out.dtype), shape + out.shape[len(places) :]).reshape(count, inner)
    if inner == 1:
        combine.at(out.reshape(-1), flat, rows.reshape(-1))
    elif inner >= _WIDE:
        whole = out.reshape(-1, inner)
        for at, row in zip(flat.tolist(), rows):
            combine(whole[at], row, out=whole[at])
    else:
        step = max(1, _PART // inner)
        for start in range(0, count, step):
            part = (flat[start : start + step, None] * inner + np.arange(inner)).reshape(-1)
            combine.at(out.reshape(-1), part, rows[start : start + step].reshape(-1))
