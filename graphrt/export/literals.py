"""Arrays as Python expressions, exact to the last bit."""

from __future__ import annotations

import math

import numpy as np

from graphrt.types.likes import Array

__all__ = ["array_text"]

LONGEST = 200  # elements of an array that is written out


def array_text(array: Array | np.generic) -> str | None:
    """The expression that makes `array` (or NumPy scalar); None when it is too large to be read.

    >>> array_text(np.array([1.5, -np.inf], np.float32))
    'np.array([1.5, -np.inf], np.float32)'
    >>> array_text(np.int64(3)), array_text(np.array(b"x", object))
    ('np.int64(3)', "np.array(b'x', object)")
    """
    kind = array.dtype.kind
    if kind not in "biufcO" or (kind == "O" and not all(type(v) is bytes for v in np.ravel(array).tolist())):
        return None
    if array.dtype.name == "bfloat16" or array.size > LONGEST * (5 if kind == "O" else 1):
        return None
    if kind in "fc" and not _usual_nans(np.asarray(array)):
        return None
    name = "object" if kind == "O" else f"np.{array.dtype.name if kind != 'b' else 'bool_'}"
    if isinstance(array, np.generic):
        return f"{name}({_text(array.item())})"
    if array.size == 0 or (array.ndim > 1 and kind == "O"):
        flat = f"np.array({_text(array.reshape(-1).tolist())}, {name})"
        return f"{flat}.reshape({array.shape!r})"
    return f"np.array({_text(array.tolist())}, {name})"


def _usual_nans(array: Array) -> bool:
    """Whether its NaNs, if there are any, are those that `np.nan` makes."""
    parts = np.asarray(array).reshape(-1)
    parts = parts.view(parts.real.dtype) if parts.dtype.kind == "c" else parts
    return all(v.tobytes() == parts.dtype.type(np.nan).tobytes() for v in parts[np.isnan(parts)])


def _text(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_text(v) for v in value)}]"
    if isinstance(value, complex):
        return f"complex({_text(value.real)}, {_text(value.imag)})"
    if isinstance(value, float) and not math.isfinite(value):
        return "np.nan" if math.isnan(value) else "np.inf" if value > 0 else "-np.inf"
    return repr(value)
