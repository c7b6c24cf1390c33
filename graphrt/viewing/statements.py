"""What became of each loop and each `if`: one node, or as many copies as Python made while tracing.

for i in range(3):      unrolled: went over a Python value, so its body stands 3 times in the graph
    x = x * 2
if x > 0: ...           staged: both branches are in the graph
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass
from types import CodeType
from typing import Any, TypedDict

import autograph
from graphrt.viewing.places import Places, code_of

_Statement = ast.For | ast.While | ast.If | ast.IfExp


@dataclass(frozen=True, slots=True)
class Made:
    """What is asked of a node: where it is, and which place of the source it was made at."""

    home: str
    op: str
    line: str | None
    span: int | None
    kind: str
    structure: str  # "loop", "branch" or ""
    holds: bool  # graphs
    code: CodeType | None


class Note(TypedDict):
    """What became of one statement."""

    line: str
    kind: str  # "staged", "unrolled", "chosen": the last two happened in Python
    what: str  # "for", "while", "if"
    times: int
    text: str


def notes_of(function: Any, made: list[Made], places: Places) -> list[Note]:
    """A note for each loop and each `if` of which nodes were made."""
    by_file: dict[int, dict[int, list[Made]]] = {}
    for one in made:
        if one.line is not None:
            file, line = (int(part) for part in one.line.split(":"))
            by_file.setdefault(file, {}).setdefault(line, []).append(one)
    found: list[Note] = []
    for file, lines in sorted(by_file.items()):
        tree = places.tree(places.files[file])
        for node in () if tree is None else ast.walk(tree):
            if isinstance(node, _Statement):
                note = _note(node, lines, function, places.files[file])
                if note is not None:
                    found.append({**note, "line": f"{file}:{node.lineno}"})
    return sorted(found, key=lambda note: [int(part) for part in note["line"].split(":")])


def _note(node: _Statement, lines: dict[int, list[Made]], function: Any, file: str) -> Note | None:
    header = node.iter if isinstance(node, ast.For) else node.test
    asked = _between(lines, node.lineno, header.end_lineno or node.lineno)
    inner = node.body if isinstance(node, ast.IfExp) else node.body[-1]
    body = _between(lines, _first(node.body), inner.end_lineno or 0)
    loop = isinstance(node, (ast.For, ast.While))
    wanted = "loop" if loop else "branch"
    if any(m.structure == wanted or (loop and m.holds and m.structure == "") for m in asked):
        text = "one loop in the graph" if loop else "both branches are in the graph; the condition is a tensor"
        return {"line": "", "kind": "staged", "what": _word(node), "times": 1, "text": text}
    if isinstance(node, ast.IfExp):
        return None  # which of two expressions on one line made a node is told by its columns
    if not loop:
        other = _between(lines, _first(node.orelse), node.orelse[-1].end_lineno or 0) if node.orelse else []
        if not body and not other:
            return None
        took = "both at different times" if body and other else "its body" if body else "not its body"
        text = f"decided in Python while tracing, since {ast.unparse(header)} is no tensor there: {took}"
        return {"line": "", "kind": "chosen", "what": "if", "times": 1, "text": text}
    times = _times(body)
    if not times:
        return None
    reason, remedy = _why(node, header, function, file, asked + body)
    text = f"{reason} Its body stands {times} {'time' if times == 1 else 'times'} in the graph. {remedy}".rstrip()
    return {"line": "", "kind": "unrolled", "what": _word(node), "times": times, "text": text}


def _why(node: _Statement, header: ast.expr, function: Any, file: str, made: list[Made]) -> tuple[str, str]:
    codes = (code_of(function), getattr(function, "__code__", None))  # `do_not_convert` makes a copy
    if any(m.code is not None and m.code in codes for m in made):
        told = str(autograph.policy.explain(function)).rstrip(".")
        why = f": {told.removeprefix('as it is: ')}" if told.startswith("as it is") else ": autograph is off"
        return f"Python ran this loop while tracing, because the function is not converted{why}.", ""
    shown = ast.unparse(header)
    if isinstance(node, ast.While):
        return f"Python ran this loop while tracing, because {shown} is a Python value, no tensor.", (
            "Make what it tests a tensor, with tf.constant, and it is one loop in the graph."
        )
    remedy = "Go over a tensor, and it is one loop in the graph"
    if isinstance(header, ast.Call) and isinstance(header.func, ast.Name) and header.func.id == "range":
        remedy = f"Write tf.{shown}, and it is one loop in the graph"
    return f"Python ran this loop while tracing, because {shown} is a Python value, no tensor.", remedy + "."


def _times(body: list[Made]) -> int:
    """How often the body stands in the graph: how often the op is there that its places made most often."""
    counts: dict[tuple[str, object], Counter[str]] = {}
    for m in body:
        if m.kind not in ("constant", "parameter"):
            counts.setdefault((m.home, m.span if m.span is not None else m.line), Counter())[m.op] += 1
    return max((min(ops.values()) for ops in counts.values()), default=0)


def _between(lines: dict[int, list[Made]], first: int, last: int) -> list[Made]:
    return [m for line in range(first, last + 1) for m in lines.get(line, ())]


def _first(body: Any) -> int:
    one = body[0] if isinstance(body, list) else body
    return int(one.lineno)


def _word(node: _Statement) -> str:
    return "for" if isinstance(node, ast.For) else "while" if isinstance(node, ast.While) else "if"
