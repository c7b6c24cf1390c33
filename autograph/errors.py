"""Every exception and warning of `autograph`, each with its code.

The code (`AG102`) opens the message and names the section of `docs/errors.md` that explains it:

    AG102 demo.py:3: no source text can be found for 'f' (docs/errors.md#ag102)
"""

from __future__ import annotations


class AutoGraphError(Exception):
    """Base of all errors raised by `autograph` itself; errors of the user's program pass through unchanged.

    >>> str(AutoGraphError("something is wrong", filename="demo.py", lineno=3))
    'AG100 demo.py:3: something is wrong (docs/errors.md#ag100)'
    """

    code = "AG100"

    def __init__(self, message: str = "", *, filename: str | None = None, lineno: int | None = None) -> None:
        super().__init__(message)
        self.filename = filename
        self.lineno = lineno

    @property
    def message(self) -> str:
        """The message alone, with neither code nor place."""
        return str(self.args[0]) if self.args else ""

    @property
    def place(self) -> str:
        """`file:line` as far as it is known, or an empty text."""
        if self.filename is None:
            return ""
        return self.filename if self.lineno is None else f"{self.filename}:{self.lineno}"

    def __str__(self) -> str:
        head = f"{self.code} {self.place}".rstrip()
        first, newline, rest = self.message.partition("\n")
        return f"{head}: {first} (docs/errors.md#{self.code.lower()}){newline}{rest}"


class ConversionError(AutoGraphError):
    """The source of a function was found, but it cannot be converted."""

    code = "AG101"


class SourceNotFoundError(ConversionError):
    """A callable has no source text that could be converted: it is built in, or was made at run time."""

    code = "AG102"


class UsageError(AutoGraphError, ValueError):
    """A function of the public interface was called with something it cannot take."""

    code = "AG103"


class StagingError(AutoGraphError, TypeError):
    """A staged value met something that cannot be staged."""

    code = "AG201"


class UnsupportedByBackendError(StagingError):
    """The backend of a staged value does not stage this construct."""

    code = "AG202"


class PythonOnlyConstructError(StagingError):
    """A construct that has to stay Python (it holds `yield`, `await`, `locals()` ...) met a staged value."""

    code = "AG203"


class BranchMismatchError(StagingError):
    """The branches of a staged conditional leave different things behind."""

    code = "AG204"


class LoopMismatchError(StagingError):
    """A staged loop changes the kind of one of its variables, or needs it before it is set."""

    code = "AG205"


class UnrollLimitError(StagingError):
    """A Python loop whose end depends on a staged value has been unrolled too often."""

    code = "AG206"


class BackendError(AutoGraphError, TypeError):
    """A backend was registered that breaks the protocol."""

    code = "AG301"


class ConversionWarning(UserWarning):
    """A callable runs as it is, because it could not be converted."""


class SourceNotFoundWarning(ConversionWarning):
    """A callable runs as it is, because its source text cannot be found."""
