"""Numbers as text: what TensorFlow reads in CSV and in `tf.strings.to_number`.

Python takes more (`1_0`, digits of other scripts) and less (hexadecimal floats, `nan(...)`).
"""

from __future__ import annotations

import math

_SPACE = b" \t\n\v\f\r"


def _unsigned(text: bytes) -> bytes:
    return (text[1:] if text[:1] in (b"+", b"-") else text).lower()


def _is_nan(text: bytes) -> bool:
    """Whether it is `nan(...)` around letters, digits and underscores."""
    plain = _unsigned(text)
    inside = plain[4:-1].replace(b"_", b"")
    return plain[:4] == b"nan(" and plain[4:][-1:] == b")" and (not inside or inside.isalnum())


def _clean(text: bytes) -> bytes:
    if b"_" in text and not _is_nan(text.strip(_SPACE)):
        raise ValueError("no number has an underscore")
    return text.strip(_SPACE)


def whole_number(text: bytes) -> int:
    """The whole number that `text` writes in decimal digits, with space around it.

    >>> whole_number(b" -12 ")
    -12

    Raises:
      ValueError: it is none.
    """
    return int(_clean(text))


def real_number(text: bytes) -> float:
    """The float that `text` writes, decimal or hexadecimal, with space around it; infinity if it is too large.

    >>> real_number(b"0x1p3"), real_number(b"-1e400")
    (8.0, -inf)

    Raises:
      ValueError: it is none.
    """
    clean = _clean(text)
    if _unsigned(clean)[:2] == b"0x":
        try:
            return float.fromhex(clean.decode("ascii"))
        except OverflowError:
            return -math.inf if clean[:1] == b"-" else math.inf
    return math.nan if _is_nan(clean) else float(clean)
