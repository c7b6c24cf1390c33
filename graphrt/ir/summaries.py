"""A value in a few words and numbers: small ones whole, large ones by what is in them."""

from __future__ import annotations

from typing import Any, TypedDict

import numpy as np

_WHOLE = 16  # elements: so many are shown
_BINS = 12
_TOLD = (("min", "low"), ("mean", "mean"), ("max", "high"))
_BARS = " ▁▂▃▄▅▆▇█"


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
    if _has_numbers(value) and value.size:
        _numbers(np.asarray(value), found)
    return found


def line_of(value: np.ndarray[Any, Any] | np.generic) -> str | None:
    """What is in a large array, in a line; None for a small one, which is shown whole.

    >>> line_of(np.arange(1000.0))
    'float64[1000], 8.0 kB: min 0, mean 499.5, max 999, histogram ████████████'
    """
    found = summary_of(value) if value.size > _WHOLE and _has_numbers(value) else {}
    if not found:
        return None
    size = found["bytes"]
    told = f"{size} B" if size < 1000 else f"{size / 1e3:.1f} kB" if size < 1e6 else f"{size / 1e6:.1f} MB"
    parts = [f"{name} {found[key]:.5g}" for name, key in _TOLD if key in found]  # type: ignore[literal-required]
    parts += [f"{found['nan']} NaN"] if found.get("nan") else []
    bins = found.get("bins", [])
    parts += [f"histogram {''.join(_BARS[-(-8 * n // max(1, *bins))] for n in bins)}"] if bins else []
    return f"{found['type']}, {told}: {', '.join(parts)}"


def has_nan(value: Any) -> bool:
    """Whether an element of a value is NaN."""
    return isinstance(value, (np.ndarray, np.generic)) and _may_be_nan(value) and bool(np.isnan(value).any())


def _has_numbers(value: np.ndarray[Any, Any] | np.generic) -> bool:
    return value.dtype.kind in "iufb" or (_may_be_nan(value) and value.dtype.kind != "c")


def _may_be_nan(value: np.ndarray[Any, Any] | np.generic) -> bool:
    return value.dtype.kind in "fc" or "float" in value.dtype.name  # bfloat16 and its like, of another package


def _numbers(array: np.ndarray[Any, Any], found: Summary) -> None:
    numbers = array.astype(np.float64).reshape(-1)
    finite = numbers[np.isfinite(numbers)]
    found["nan"] = int(np.isnan(numbers).sum())
    if not finite.size:
        return
    found["low"], found["mean"], found["high"] = (float(f(finite)) for f in (np.min, np.mean, np.max))
    if array.size > _WHOLE:
        if np.isfinite(found["high"] - found["low"]):  # the range of huge numbers may overflow
            found["bins"] = np.histogram(finite, _BINS)[0].tolist()
