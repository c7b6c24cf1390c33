"""Every exception and warning of `autograph`, each with its code.

The code (`AG102`) opens the message and names the section of `docs/errors.md` that explains it:

    AG102 demo.py:3: no source text can be found for 'f' (docs/errors.md#ag102)
"""

from __future__ import annotations

import reprlib
import sys
import typing
from types import CodeType


def shown(value: object) -> str:
    """`repr(value)`, shortened where it is too deep for that: what errors show values with."""
    try:
        return repr(value)
    except RecursionError:
        return reprlib.repr(value)


def ipython_session() -> typing.Any:
    """The IPython session that runs, or None."""
    ask = getattr(sys.modules.get("IPython"), "get_ipython", None)  # not there while IPython is being imported
    return None if ask is None else ask()


def shown_file(filename: str) -> str:
    """What messages call a file: a cell of a notebook by its number, as IPython does."""
    known = getattr(getattr(ipython_session(), "compile", None), "format_code_name", None)  # not in old versions
    found = None if known is None else known(filename)
    return filename if found is None else " ".join(found)


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
        file = shown_file(self.filename)
        return file if self.lineno is None else f"{file}:{self.lineno}"

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


class SourceChangedError(SourceNotFoundError):
    """The file of a function has changed since it was imported, so that its lines hold something else."""

    code = "AG104"


class AmbiguousSourceError(ConversionError):
    """Several lambdas stand where a function was defined, and nothing tells which it is."""

    code = "AG105"


class UsageError(AutoGraphError, ValueError):
    """A function of the public interface was called with something it cannot take."""

    code = "AG103"


class StagingError(AutoGraphError, TypeError):
    """A staged value met something that cannot be staged.

    Python would have gone on there: so a handler of converted code that is meant for Python's errors (`except Exception:`,
    `except TypeError:`) does not catch it while a trace is made. One that names this class, or one made of it, does.

    Attributes:
      passes_handlers: whether that is so; not for errors that Python would raise, too.
    """

    code = "AG201"
    passes_handlers = True


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


class StagedRecursionError(StagingError, RecursionError):
    """A function calls itself under a staged condition, so that staging it never ends.

    `repeated`: the code of the function, or of its converted form, where that is known.
    """

    code = "AG207"
    repeated: CodeType | None = None


class SideEffectError(StagingError):
    """A staged branch or loop changes something that its backend cannot carry: it would change once, while staging."""

    code = "AG208"


class BackendError(AutoGraphError, TypeError):
    """A backend was registered that breaks the protocol."""

    code = "AG301"


class ConversionWarning(UserWarning):
    """A callable runs as it is, because it could not be converted; there is one class for each cause.

    `function`: its qualified name; `file` and `line`: where it is defined; `reason` and `suggestion`: why it could not
    be converted, and what to do about it.
    """

    code = "AG500"
    outcome = "could not be converted and runs as it is"

    def __init__(
        self, function: str = "", file: str = "", line: int = 0, reason: str = "", suggestion: str = ""
    ) -> None:
        super().__init__(function, file, line, reason, suggestion)
        self.function = function
        self.file = file
        self.line = line
        self.reason = reason
        self.suggestion = suggestion

    def __str__(self) -> str:
        if not self.reason:
            return self.function
        advice = f"; {self.suggestion}" if self.suggestion else ""
        return (
            f"{self.code} {self.file}:{self.line}: {self.function!r} {self.outcome}: "
            f"{self.reason}{advice} (docs/errors.md#{self.code.lower()})"
        )


class SourceNotFoundWarning(ConversionWarning):
    """A callable runs as it is, because its source text cannot be found."""

    code = "AG501"


class SourceChangedWarning(SourceNotFoundWarning):
    """A callable runs as it is, because its file has changed since it was imported."""

    code = "AG502"


class AmbiguousSourceWarning(ConversionWarning):
    """A callable runs as it is, because several lambdas stand where it was defined."""

    code = "AG503"


class UnsupportedCodeWarning(ConversionWarning):
    """A callable runs as it is, because the converter refuses its code."""

    code = "AG504"


class ConverterFailureWarning(ConversionWarning):
    """A callable runs as it is, because the converter failed: a mistake in `autograph`, please report it."""

    code = "AG505"


class InstrumentedCodeWarning(ConversionWarning):
    """A callable is converted from its text, though its code does more: something has rewritten it, or the text is new."""

    code = "AG506"
    outcome = "is converted from its text alone"


class Finding:
    """Base of what `autograph check` finds; each kind is a class with a code, which `docs/errors.md` explains.

    `level`: "error" for what cannot be converted at all, "warning" for what fails on staged values, "note" for what
    keeps its Python meaning and so works on plain values only.
    """

    code = "AG400"
    level = "note"


class UnparsableFileFinding(Finding):
    """Python itself refuses the file."""

    code = "AG401"
    level = "error"


class UnconvertibleFinding(Finding):
    """The converter refuses the function."""

    code = "AG402"
    level = "error"


class SuspendingBlockFinding(Finding):
    """A branch or loop that holds `yield`, `await` or `async` stays a Python statement."""

    code = "AG410"


class JumpOutOfFinallyFinding(Finding):
    """A jump out of `finally` keeps the statements it leaves Python statements."""

    code = "AG411"


class FrameReaderFinding(Finding):
    """`locals()`, `eval()` and the like keep the branches and loops of their function Python statements."""

    code = "AG412"


class ClassBodyFinding(Finding):
    """A branch or loop in the body of a class stays a Python statement."""

    code = "AG413"


class ComprehensionConditionFinding(Finding):
    """The conditions of comprehensions are tested by Python."""

    code = "AG414"


class AssertionFinding(Finding):
    """An `assert` is tested by Python unless `Feature.ASSERT_STATEMENTS` is on."""

    code = "AG415"


class PatternFinding(Finding):
    """A pattern that takes its subject apart is matched by Python."""

    code = "AG416"


class ExceptionHandlerFinding(Finding):
    """A handler catches what is raised while staging, not what goes wrong when the staged program runs."""

    code = "AG417"
    level = "warning"


class AssignmentInOperandFinding(Finding):
    """An operand that suspends keeps its `and`, `or` or conditional expression Python's."""

    code = "AG418"


class MembershipFinding(Finding):
    """`in` a Python container compares with each element, and Python asks for the truth of each comparison."""

    code = "AG419"


class RaiseInBranchFinding(Finding):
    """A `raise` in a staged branch or loop happens while staging, whatever the condition."""

    code = "AG420"
    level = "warning"


class OneBranchVariableFinding(Finding):
    """A variable that is used after a staged branch is set by only one side of it."""

    code = "AG421"
    level = "warning"


class OneBranchReturnFinding(Finding):
    """A function returns a value from within a staged branch or loop, and None on another path."""

    code = "AG422"
    level = "warning"


class NoneInStateFinding(Finding):
    """A variable is None on one side of a staged branch or before a staged loop, and a value on the other."""

    code = "AG423"
    level = "warning"


class TypeChangeFinding(Finding):
    """A variable has one type on one side of a staged branch or before a staged loop, and another on the other."""

    code = "AG424"
    level = "warning"


class MutationInBranchFinding(Finding):
    """A Python container is changed in a staged branch or loop: this happens once, while staging."""

    code = "AG425"
    level = "warning"


class RecursionFinding(Finding):
    """A function calls itself until a staged condition holds: staging it never ends."""

    code = "AG426"
    level = "warning"


__all__ = sorted(name for name, value in globals().items() if isinstance(value, type))
