"""Writes docs/reference/autograph.md from the docstrings of the public names.

python -m tests.reference_page
"""

from __future__ import annotations

import enum
import inspect
import re
import sys
import types
from typing import Any

import autograph
from autograph import errors
from autograph.options import STANDARD_OPTIONS
from tests import ROOT

PAGE = ROOT / "docs" / "reference" / "autograph.md"

INTRO = """\
# Reference of `autograph`

Written by `python -m tests.reference_page` from the docstrings. Names without a prefix stand in `autograph` itself, the
errors and warnings in `autograph.errors`. (All of them stood in `autograph` once; the old names give a
`DeprecationWarning` and go with the next release.) Explanations: [policy](../policy.md), [errors](../errors.md),
[backends](../adding_a_backend.md), [what the code becomes](../generated_code.md).
"""

# Title, remark, names.
SECTIONS = [
    ("Conversion", "", ["convert", "to_graph", "to_code", "do_not_convert", "set_loop_options"]),
    ("Options", "", ["Feature"]),
    ("Which callables are converted", "", ["explain"]),
    ("Policy", "In `autograph.policy`.", ["policy.include", "policy.exclude", "policy.rules", "policy.reset",
                                          "policy.Rule", "policy.Decision"]),
    ("When a callable cannot be converted", "", ["strictness", "set_strictness"]),
    ("What is told", "", ["set_verbosity", "trace"]),
    ("Checking", "`autograph check` on the command line.", ["check"]),
    ("Backends", "In `autograph.backends`: for those who write one.",
     ["backends." + name for name in (
         "StagingBackend", "Handles", "register_backend", "unregister_backend", "registered_backends", "backend_of",
         "Undefined", "UndefinedReturnValue", "Popped", "ConversionOptions", "converted_call", "equal", "register_counterpart",
         "register_mutating", "Progress", "remember_source", "source_text", "lines_of", "to_lines", "to_spans", "parse",
         "annotate", "recursion_error", "calls_of", "is_called_otherwise", "truth_error", "why_python",
         "block", "setting", "ending", "of_its_thread")]),
]  # fmt: skip


def lookup(name: str) -> Any:
    """The object behind a name of the page."""
    found: Any = autograph
    for part in name.split("."):
        found = getattr(found, part)
    return found


def signature(name: str, entity: Any) -> str:
    """A call of it, one parameter a line where that gets long; without annotations, which the docstring explains."""
    if isinstance(entity, type) and issubclass(entity, enum.Enum):
        return ""
    parameters = list(inspect.signature(entity).parameters.values())
    shown = [_shown(p) for p in parameters]
    kinds = [p.kind for p in parameters]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        shown.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    line = f"{name}({', '.join(shown)})"
    return line if len(line) <= 100 else f"{name}(\n    " + ",\n    ".join(shown) + ",\n)"


def _shown(parameter: inspect.Parameter) -> str:
    text = str(parameter.replace(annotation=parameter.empty))
    text = text.replace(repr(STANDARD_OPTIONS), "STANDARD_OPTIONS")
    return re.sub(r"<[\w.]+ object at 0x\w+>", "...", text)  # stands for "not given"


def body(entity: Any) -> str:
    """The docstring as markdown: examples become code blocks."""
    text = inspect.getdoc(entity) or ""
    parts = re.split(r"\n\n(?=>>> )", text)
    prose = parts[0].strip()
    examples = "\n\n".join(part.rstrip() for part in parts[1:])
    if prose.startswith(">>> "):
        prose, examples = "", text
    return prose + (f"\n\n```pycon\n{examples}\n```" if examples else "")


def members(entity: Any) -> list[str]:
    """The public methods and values of a class, in the order of their definition."""
    if not isinstance(entity, type):
        return []
    if issubclass(entity, autograph.Feature):
        return [f"- `{member.name}`" for member in entity]
    lines = []
    for name, value in vars(entity).items():
        function = getattr(value, "__func__", value)
        if name.startswith("_") or not isinstance(function, (types.FunctionType, property)):
            continue
        first = (inspect.getdoc(value) or "").partition("\n")[0]
        if isinstance(function, property):
            lines.append(f"- `{name}`: {first}")
        else:
            parameters = list(inspect.signature(function).parameters.values())[1:]
            call = ", ".join(str(p.replace(annotation=p.empty)) for p in parameters)
            lines.append(f"- `{name}({call})`: {first}")
    return lines


def errors_and_warnings() -> str:
    """A table of the public exceptions and warnings."""
    rows = []
    for name in errors.__all__:
        entity = getattr(errors, name)
        if issubclass(entity, (Exception, Warning)):
            bases = ", ".join(f"`{base.__name__}`" for base in entity.__bases__)
            first = (inspect.getdoc(entity) or "").partition("\n")[0]
            rows.append(
                (entity.code, f"| [{entity.code}](../errors.md#{entity.code.lower()}) | `{name}` | {bases} | {first} |")
            )
    table = "\n".join(row for _, row in sorted(rows))
    return f"\n## Errors and warnings\n\n| code | class | derives from | |\n|---|---|---|---|\n{table}\n"


def named() -> set[str]:
    """The public names that the page describes, besides those of errors and warnings."""
    return {name for _, _, names in SECTIONS for name in names}


def build() -> str:
    """The text of the page."""
    parts = [INTRO]
    for title, remark, names in SECTIONS:
        parts.append(f"\n## {title}\n")
        if remark:
            parts.append(f"\n{remark}\n")
        for name in names:
            entity = lookup(name)
            parts.append(f"\n### `{name}`\n")
            call = signature(name, entity)
            if call:
                parts.append(f"\n```text\n{call}\n```\n")
            parts.append(f"\n{body(entity)}\n")
            listed = members(entity)
            if listed:
                parts.append("\n" + "\n".join(listed) + "\n")
    parts.append(errors_and_warnings())
    return "".join(parts)


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(build(), encoding="utf-8")
    sys.exit(0)
