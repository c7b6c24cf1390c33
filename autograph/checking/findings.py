"""What a check found: plain records, in the order of the source.

Finding(kind=SuspendingBlockFinding, filename='demo.py', line=4, column=5, function='rows', ...)
-> demo.py:4:5: AG410 the `for` stays a Python loop: it holds `yield` (collect the values in a list)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from autograph import errors


@dataclass(frozen=True)
class Finding:
    """One finding: its kind (a class of `autograph.errors`), its place, and what to do.

    Lines and columns count from 1, columns in characters.
    """

    kind: type[errors.Finding]
    filename: str
    line: int
    column: int
    end_line: int
    end_column: int
    function: str
    reason: str
    suggestion: str = ""

    @property
    def code(self) -> str:
        """`AGnnn`."""
        return self.kind.code

    @property
    def level(self) -> str:
        """`error`, `warning` or `note`."""
        return self.kind.level

    @property
    def message(self) -> str:
        """The reason, and the suggestion in parentheses."""
        return f"{self.reason} ({self.suggestion})" if self.suggestion else self.reason

    def __str__(self) -> str:
        return f"{self.filename}:{self.line}:{self.column}: {self.code} {self.message}"

    def as_dict(self) -> dict[str, Any]:
        """The record for JSON."""
        return {
            "code": self.code, "level": self.level, "file": self.filename, "line": self.line, "column": self.column,
            "end_line": self.end_line, "end_column": self.end_column, "function": self.function,
            "reason": self.reason, "suggestion": self.suggestion,
        }  # fmt: skip


@dataclass(frozen=True)
class Construct:
    """A statement or expression that chooses by a value.

    `meaning`: "staged" if conversion makes it work on staged values, "plain" if only plain values ever decide it,
    "python" if it has to stay Python's, for `reason`.
    """

    what: str
    line: int
    column: int
    meaning: str
    reason: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The record for JSON."""
        record: dict[str, Any] = {
            "what": self.what, "line": self.line, "column": self.column, "meaning": self.meaning,
        }  # fmt: skip
        if self.reason:
            record["reason"] = self.reason
        return record


@dataclass
class FunctionReport:
    """What conversion makes of one function; `decision` is "converted", or why it is called as it is."""

    name: str
    line: int
    decision: str = "converted"
    constructs: list[Construct] = field(default_factory=list)

    @property
    def staged(self) -> list[Construct]:
        """What works on staged values."""
        return [c for c in self.constructs if c.meaning == "staged"]

    @property
    def python(self) -> list[Construct]:
        """What keeps its Python meaning."""
        return [c for c in self.constructs if c.meaning != "staged"]

    def as_dict(self) -> dict[str, Any]:
        """The record for JSON."""
        return {
            "name": self.name, "line": self.line, "decision": self.decision,
            "staged": [c.as_dict() for c in self.staged], "python": [c.as_dict() for c in self.python],
        }  # fmt: skip


@dataclass
class Report:
    """What is known of one file, or of one function in it."""

    filename: str
    functions: list[FunctionReport] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The record for JSON."""
        return {
            "file": self.filename,
            "functions": [f.as_dict() for f in self.functions],
            "findings": [f.as_dict() for f in self.findings],
        }
