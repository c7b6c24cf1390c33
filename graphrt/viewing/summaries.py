"""A value in a few words and numbers: small ones whole, large ones by what is in them."""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np

_WHOLE = 16  # elements: so many are shown
_BINS = 12


class Summary(TypedDict, total=False):
    """What is told of a value. `low`, `mean`, `high` and `bins` are those of the finite elements."""

    type: str
    text: str
    low: float
    mean: float
    high: float
    nan: int
    bins: list[int]
    bytes: int


def summary_of(value: object) -> Summary:
    """What the page says of a raw value.

    >>> summary_of(np.float32([1, 2, np.nan]))["text"], summary_of(np.float32([1, 2, np.nan]))["nan"]
    ('[ 1.  2. nan]', 1)
    """
    if not isinstance(value, (np.ndarray, np.generic)):
        return {"type": type(value).__name__, "text": repr(value)[:200], "bytes": 0}
    found: Summary = {"type": f"{value.dtype.name}{list(value.shape)}", "bytes": int(value.nbytes)}
    if value.size <= _WHOLE or value.dtype == object:
        found["text"] = np.array2string(np.asarray(value), threshold=_WHOLE, precision=6)[:400]
    if value.dtype.kind in "iufb" and value.size:
        _numbers(np.asarray(value), found)
    return found


def has_nan(value: Any) -> bool:
    """Whether an element of a value is NaN."""
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "fc" and bool(np.isnan(value).any())


def _numbers(array: np.ndarray[Any, Any], found: Summary) -> None:
    numbers = array.astype(np.float64).reshape(-1)
    finite = numbers[np.isfinite(numbers)]
    found["nan"] = int(np.isnan(numbers).sum())
    if not finite.size:
        return
    found["low"], found["mean"], found["high"] = (float(f(finite)) for f in (np.min, np.mean, np.max))
    if array.size > _WHOLE:
        with np.errstate(all="ignore"):  # the range of huge numbers may overflow
            spread = found["high"] - found["low"]
        if np.isfinite(spread):
            found["bins"] = np.histogram(finite, _BINS)[0].tolist()
