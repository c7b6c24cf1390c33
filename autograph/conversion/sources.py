"""The text that a function is converted from, and what is told where it is in doubt."""

from __future__ import annotations

import os
from types import FunctionType
from typing import Any

from autograph.conversion.strictness import STARTED, give, level_for
from autograph.errors import InstrumentedCodeWarning, SourceChangedError
from autograph.options import ConversionOptions
from autograph.pyct.parse import find_source


def node_of(f: FunctionType, options: ConversionOptions) -> Any:
    """The `ast` tree of a function; raises `SourceNotFoundError`.

    Where the code of the function does more than the text says it warns that the text is what is converted; it raises
    where that is asked for, and if it may be the file that says less than it did.
    """
    source = find_source(f)
    if source.is_all:
        return source.node
    code = f.__code__
    place = code.co_filename, code.co_firstlineno
    level = level_for(f.__globals__.get("__name__"), options)
    if level == "strict" or _was_written_late(code.co_filename):
        what = f"no source text can be found for {code.co_qualname!r}: its code does more than the text at its line: "
        advice = "the file has changed since it was imported; import it again"
        raise SourceChangedError(what + advice, filename=place[0], lineno=place[1])
    advice = "see that nothing rewrites it, or import it again"
    warning = InstrumentedCodeWarning(f.__qualname__, *place, "its code does more than its text says", advice)
    give(warning, level == "silent", place, f.__module__)
    return source.node


def _was_written_late(filename: str) -> bool:
    try:
        return os.stat(filename).st_mtime > STARTED
    except (OSError, ValueError):
        return False  # what was registered under a name of its own
