"""What there is to show of a function, as data: its source, its converted text, its graph after each pass, its program.

What belongs together is found by two keys: a line of source is `file:line`, where the file is a number, and a node is the
path of the graph that holds it and its name, `while>body/add`. Nodes keep their names through all passes.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import TYPE_CHECKING, Any, TypedDict

import autograph
from graphrt.executor.program import Program, compile_graph
from graphrt.ir.copy import copy_graph
from graphrt.ir.graph import Graph, Node
from graphrt.ir.printer import node_texts, type_text
from graphrt.passes import PIPELINE

if TYPE_CHECKING:
    from graphrt.function.concrete import ConcreteFunction

_LONGEST = 400  # characters of the text of a node


class NodeFact(TypedDict):
    """A node as the page knows it."""

    id: str
    name: str
    op: str
    home: str  # path of the graph that holds it
    ins: list[list[str]]  # for each input the id of its node and its type
    out: list[str]
    line: str | None
    kind: str
    text: str
    graphs: list[list[str]]  # the graphs it holds: path and what it calls them


class Stage(TypedDict):
    """What one pass changed; the first stage has all nodes."""

    name: str
    gone: list[str]
    set: list[NodeFact]
    order: list[str] | None  # of all nodes, where it changed
    outputs: list[str]


class Block(TypedDict):
    """Lines of one function of the user's."""

    title: str
    file: int
    first: int
    lines: list[str]


class Converted(TypedDict):
    """The converted text, and the line of source that each line stands for."""

    lines: list[str]
    source: list[str | None]


class ProgramText(TypedDict):
    """The generated program, and the node that each line runs."""

    lines: list[str]
    nodes: list[str | None]


@dataclass
class Story:
    """All of it. `program` is what runs; its lines are those of `text`."""

    title: str
    signature: str
    blocks: list[Block]
    converted: Converted
    stages: list[Stage]
    text: ProgramText
    traces: list[str]
    program: Program
    run: dict[str, Any] | None = field(default=None)

    def as_json(self) -> dict[str, Any]:
        """What the page is given."""
        shown = ("title", "signature", "blocks", "converted", "stages", "text", "traces", "run")
        return {name: getattr(self, name) for name in shown}


def story_of(concrete: ConcreteFunction, function: Any, traces: list[str]) -> Story:
    """The story of one trace of `function`; `traces` says in a line each what was traced before and why."""
    code = _code_of(function)
    files = [] if code is None else [code.co_filename]
    stages, last = _stages(concrete.graph, files)
    program = compile_graph(last)
    ids = {id(node): key for key, node, _ in _nodes(last, "")}
    shown = [None if node is None else ids.get(id(node)) for node in program.nodes_of_lines()]
    converted = _converted(function, files)
    return Story(
        title=concrete.function_name,
        signature=concrete.pretty_printed_signature(False),
        blocks=_blocks(function, stages, files),
        converted=converted,
        stages=stages,
        text={"lines": program.source.splitlines(), "nodes": shown},
        traces=traces,
        program=program,
    )


# --- graphs ----------------------------------------------------------------------------------------------------------
def _stages(graph: Graph, files: list[str]) -> tuple[list[Stage], Graph]:
    copy = copy_graph(graph)
    known: dict[str, NodeFact] = {}
    stages = [_stage("traced", copy, known, files)]
    for run in PIPELINE:
        if run(copy):
            stages.append(_stage(run.__name__, copy, known, files))
    return stages, copy


def _stage(name: str, graph: Graph, known: dict[str, NodeFact], files: list[str]) -> Stage:
    """What differs from `known`, which learns it."""
    found = {key: _fact(key, node, text, files) for key, node, text in _nodes(graph, "")}
    changed = [fact for key, fact in found.items() if known.get(key) != fact]
    gone = [key for key in known if key not in found]
    order = list(found) if list(found) != list(known) else None
    known.clear()
    known.update(found)
    return {
        "name": name, "gone": gone, "set": changed, "order": order,
        "outputs": [f"/{v.node.name}" for v in graph.outputs],
    }  # fmt: skip


def _nodes(graph: Graph, path: str) -> Iterator[tuple[str, Node, str]]:
    """The key of each node, the node, and its text; those of the graphs that a node holds come behind it."""
    for node, text in zip(graph.nodes, node_texts(graph)):
        yield f"{path}/{node.name}", node, text
        if node.op.in_place:
            for label, held in node.subgraphs():
                yield from _nodes(held, f"{path}/{node.name}>{label}")


def _fact(key: str, node: Node, text: str, files: list[str]) -> NodeFact:
    home = key[: len(key) - len(node.name) - 1]
    held = node.subgraphs() if node.op.in_place else ()
    return {
        "id": key,
        "name": node.name,
        "op": node.type,
        "home": home,
        "ins": [[f"{home}/{v.node.name}", type_text(v.dtype, v.dims)] for v in node.inputs],
        "out": [type_text(v.dtype, v.dims) for v in node.outputs],
        "line": _line(node.location, files),
        "kind": _kind(node),
        "text": text[:_LONGEST],
        "graphs": [[f"{key}>{label}", label] for label, _ in held],
    }


def _kind(node: Node) -> str:
    if node.is_parameter:
        return "parameter"
    if node.is_constant:
        return "constant"
    if node.stateful:
        return "effect"
    return "holder" if node.op.in_place else "plain"


# --- source ----------------------------------------------------------------------------------------------------------
def _line(location: tuple[str, int] | None, files: list[str]) -> str | None:
    if location is None:
        return None
    file, line = location
    if file not in files:
        files.append(file)
    return f"{files.index(file)}:{line}"


def _blocks(function: Any, stages: list[Stage], files: list[str]) -> list[Block]:
    """The functions of the user in which nodes were made; the one that was traced comes first."""
    code = _code_of(function)
    start = None if code is None else _line((code.co_filename, code.co_firstlineno), files)
    wanted: dict[str, None] = {} if start is None else {start: None}
    facts = [fact for stage in stages for fact in stage["set"]]
    asked = {fact["line"] for fact in facts if fact["kind"] == "parameter" and not fact["home"]}  # where a trace was
    wanted.update(dict.fromkeys(f["line"] for f in facts if f["line"] is not None and f["line"] not in asked))
    blocks: dict[tuple[int, int], Block] = {}
    spans = {number: _functions(file) for number, file in enumerate(files)}
    for key in wanted:
        number, line = (int(part) for part in key.split(":"))
        inside = [s for s in spans[number] if s[0] <= line <= s[1]]
        if not inside:  # where the trace was asked for
            continue
        first, last, name = max(inside)
        for outer in inside:  # the whole of the function that was traced, with those that stand in it
            if code is not None and outer[0] == code.co_firstlineno and files[number] == code.co_filename:
                first, last, name = outer
        if (number, first) not in blocks:
            lines = [linecache.getline(files[number], at).rstrip("\n") for at in range(first, last + 1)]
            blocks[number, first] = {
                "title": f"{name}, {files[number]}",
                "file": number,
                "first": first,
                "lines": lines,
            }
    return list(blocks.values())


def _functions(file: str) -> list[tuple[int, int, str]]:
    """First line, last line and name of each function in a file."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(d.lineno for d in decorators)])
            found.append((first, node.end_lineno or first, getattr(node, "name", "lambda")))
    return found


def _converted(function: Any, files: list[str]) -> Converted:
    if function is None:
        return {"lines": ["# which function this was traced from is not known: give the tf.function"], "source": [None]}
    try:
        text, lines = autograph.to_code(function), autograph.backends.to_lines(function)
    except autograph.errors.AutoGraphError as error:
        return {"lines": [f"# not converted: {error}"], "source": [None]}
    code = _code_of(function)
    file = "" if code is None else code.co_filename
    return {
        "lines": text.splitlines(),
        "source": [None if line is None else _line((file, line), files) for line in lines],
    }


def _code_of(function: Any) -> CodeType | None:
    code = getattr(inspect.unwrap(getattr(function, "__func__", function)), "__code__", None)
    return code if isinstance(code, CodeType) else None
