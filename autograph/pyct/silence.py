"""Keeps the compiler from saying again what it said of the user's text when it was imported.

if x is 1: ...        "is" with a literal: a warning for who compiles the file, not for who converts it
"""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Iterator
from typing import Any

_IGNORED: tuple[Any, ...] = (
    ("ignore", None, SyntaxWarning, None, 0),
    ("ignore", re.compile("invalid "), DeprecationWarning, None, 0),  # escapes and numbers, up to Python 3.11
)


@contextlib.contextmanager
def silent_compiler() -> Iterator[None]:
    """Ignores warnings about source text.

    Not by `warnings.catch_warnings`, which makes Python forget what it has shown: a program would be warned twice of
    its own doings.
    """
    filters: Any = getattr(warnings, "_get_filters", lambda: warnings.filters)()
    filters[:0] = _IGNORED
    try:
        yield
    finally:
        for item in _IGNORED:
            if item in filters:
                filters.remove(item)
