"""Joins policy and converter for `operators/calls.py`: from a called function to its converted twin."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable
from types import FunctionType

from autograph.conversion import policy
from autograph.errors import ConversionWarning, SourceNotFoundError, SourceNotFoundWarning
from autograph.operators import frames, recursion
from autograph.options import ConversionOptions

# Turns "runs as it is" after a failed conversion into the error itself.
STRICT = os.environ.get("AUTOGRAPH_STRICT_CONVERSION", "") not in ("", "0")

# Told of each conversion when the verbosity asks for it.
report: Callable[[str], None] | None = None


_converting = threading.local()


class ConversionResolver:
    """The resolver that converted calls use; see `operators.calls.Resolver`."""

    def busy(self) -> bool:
        """Whether this thread is converting: what the converter itself calls is called as it is."""
        return getattr(_converting, "depth", 0) > 0

    def decide(self, f: FunctionType, options: ConversionOptions) -> int:
        """CONVERT, AS_IS, LIBRARY, MACHINERY or BACKEND."""
        kind = policy.decide(f, options)
        if report is not None:
            report(f"{f.__module__}.{f.__qualname__} is called {policy.explain(f, options)}")
        return kind

    def twin_of(self, f: FunctionType, options: ConversionOptions, staged: bool) -> FunctionType | None:
        """The converted function; None, after a warning where the user has to know, if there is none."""
        try:
            return twin_of(f, options)
        except SourceNotFoundError as error:
            # Without its source a function still runs on plain values exactly as it should: nothing to warn of.
            if STRICT:
                raise
            if staged or options.user_requested:
                warn_unconverted(f, error, SourceNotFoundWarning)
        except Exception as error:
            if STRICT:
                raise
            warn_unconverted(f, error, ConversionWarning)
        return None


def twin_of(f: FunctionType, options: ConversionOptions) -> FunctionType:
    """The converted function, its parts under the user's names; raises `ConversionError`."""
    _converting.depth = getattr(_converting, "depth", 0) + 1
    try:
        with recursion.room_for_compiler():
            from autograph.conversion.convert import convert_function  # not at the top: saves start-up time

            twin = convert_function(f, options)
            twin.__code__ = frames.finished(twin.__code__, f.__code__)
        return twin
    finally:
        _converting.depth -= 1


def warn_unconverted(f: FunctionType, error: Exception, category: type[ConversionWarning]) -> None:
    """Says that a function runs as it is, and why, at the place of the function."""
    code = f.__code__
    reason = str(error) or type(error).__name__
    if not isinstance(error, SourceNotFoundError):
        reason = f"{type(error).__name__}: {reason}"
    text = f"{f.__qualname__!r} could not be converted and runs as it is: {reason}"
    warnings.warn_explicit(text, category, code.co_filename, code.co_firstlineno, module=f.__module__ or "<unknown>")
