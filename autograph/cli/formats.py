"""How findings are written: for people, for programs, for code-scanning services."""

from __future__ import annotations

import json
import os
import pathlib
import urllib.parse
from collections.abc import Iterable
from typing import Any

from autograph import errors
from autograph.checking.findings import Finding, Report

DOCUMENTATION = "docs/errors.md"
_COLOURS = {"error": 31, "warning": 33, "note": 36}


def kinds() -> list[type[errors.Finding]]:
    """All kinds of findings, in the order of their codes."""
    found = [k for k in vars(errors).values() if isinstance(k, type) and issubclass(k, errors.Finding)]
    return sorted((k for k in found if k is not errors.Finding), key=lambda k: k.code)


def as_text(reports: list[Report], colour: bool = False, functions: bool = False) -> str:
    """`file:line:column: code reason (suggestion)`, one a line."""
    lines: list[str] = []
    for report in reports:
        if functions:
            for function in report.functions:
                lines.append(f"{report.filename}:{function.line}: {function.name}: {function.decision}")
                for construct in function.constructs:
                    reason = f": {construct.reason}" if construct.reason else ""
                    lines.append(
                        f"{report.filename}:{construct.line}:{construct.column}: {construct.meaning}: "
                        f"{construct.what}{reason}"
                    )
        lines.extend(_coloured(f) if colour else str(f) for f in report.findings)
    return "".join(line + "\n" for line in lines)


def _coloured(finding: Finding) -> str:
    place = f"{finding.filename}:{finding.line}:{finding.column}:"
    return f"\033[1m{place}\033[0m \033[{_COLOURS[finding.level]}m{finding.code}\033[0m {finding.message}"


def summary(reports: Iterable[Report]) -> dict[str, int]:
    """Counts of what was looked at and found."""
    reports = list(reports)
    functions = [f for r in reports for f in r.functions]
    return {
        "files": len(reports),
        "functions": len(functions),
        "staged": sum(len(f.staged) for f in functions),
        "findings": sum(len(r.findings) for r in reports),
    }


def as_json(reports: list[Report]) -> str:
    """One document: every function with its constructs, and the findings."""
    document = {"version": 1, "files": [r.as_dict() for r in reports], "summary": summary(reports)}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def as_sarif(reports: list[Report]) -> str:
    """SARIF 2.1.0, which code-scanning services take."""
    rules = kinds()
    index = {kind: position for position, kind in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "autograph",
                "rules": [
                    {
                        "id": kind.code,
                        "name": kind.__name__.removesuffix("Finding"),
                        "shortDescription": {"text": (kind.__doc__ or "").strip()},
                        "help": {"text": f"see {DOCUMENTATION}#{kind.code.lower()}"},  # a helpUri is absolute
                        "defaultConfiguration": {"level": kind.level},
                    }
                    for kind in rules
                ],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_sarif_result(f, index[f.kind]) for r in reports for f in r.findings],
    }
    document = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _sarif_result(finding: Finding, rule: int) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(finding.filename)},
            "region": {
                "startLine": finding.line, "startColumn": finding.column,
                "endLine": finding.end_line, "endColumn": finding.end_column,
            },
        }
    }  # fmt: skip
    if finding.function:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.function, "kind": "function"}]
    return {
        "ruleId": finding.code, "ruleIndex": rule, "level": finding.level,
        "message": {"text": finding.message}, "locations": [location],
    }  # fmt: skip


def _uri(filename: str) -> str:
    if filename.startswith("<"):
        return urllib.parse.quote(filename.strip("<>"))
    path = pathlib.Path(filename)
    if path.is_absolute():
        try:
            path = path.relative_to(os.getcwd())
        except ValueError:
            return path.as_uri()
    return urllib.parse.quote(path.as_posix())


_GITHUB_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def as_github(reports: list[Report]) -> str:
    """Workflow commands that GitHub shows beside the lines."""
    return "".join(
        f"::{_GITHUB_LEVELS[f.level]} file={_property(f.filename)},line={f.line},endLine={f.end_line},col={f.column},"
        f"endColumn={f.end_column},title={_property(f.code)}::{_data(f'{f.code} {f.message}')}\n"
        for r in reports
        for f in r.findings
    )


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
