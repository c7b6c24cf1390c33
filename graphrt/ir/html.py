"""Texts as a notebook shows them: a heading, and parts that fold."""

from __future__ import annotations

from typing import Any

import numpy as np


def folded(title: str, parts: dict[str, str]) -> str:
    """A heading above texts of fixed width; the first one is open.

    >>> folded("f", {"graph": "a < b"})
    '<div><b>f</b><details open><summary>graph</summary><pre>a &lt; b</pre></details></div>'
    """
    from html import escape  # lazy: only notebooks ask, and it reads a large table

    found = [
        f"<details{'' if number else ' open'}><summary>{escape(name)}</summary><pre>{escape(text)}</pre></details>"
        for number, (name, text) in enumerate(parts.items())
    ]
    return f"<div><b>{escape(title)}</b>{''.join(found)}</div>"


def summarized(text: str, value: Any) -> str | None:
    """The text of an array, below a line that says what is in it; None for a small one, whose text is enough.

    >>> summarized("[...]", np.ones(100))
    '<div><code>float64[100], 800 B: min 1, mean 1, max 1, histogram ...</code><pre>[...]</pre></div>'
    """
    from html import escape  # lazy: as above

    from graphrt.ir.summaries import line_of  # lazy: as above

    line = line_of(value) if isinstance(value, np.ndarray) else None
    return None if line is None else f"<div><code>{escape(line)}</code><pre>{escape(text)}</pre></div>"
