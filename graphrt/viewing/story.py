"""What there is to show of a function, as data: its source, its converted text, its graph after each pass, its program.

What belongs together is found by keys. A line of source is `file:line`, an expression is the number of its place in
`Story.spans`, and a node is the path of the graph that holds it and its name, `while>body/add`. Nodes keep their names
through all passes.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import TYPE_CHECKING, Any, TypedDict

import autograph
from graphrt.errors import Place
from graphrt.executor.program import Program, compile_graph
from graphrt.ir.copy import copy_graph
from graphrt.ir.graph import Graph, Node
from graphrt.ir.op import BRANCH, LOOP
from graphrt.ir.printer import attributes_text, type_text
from graphrt.passes import PIPELINE
from graphrt.viewing.history import Trace
from graphrt.viewing.places import Block, Places, blocks_of, code_of
from graphrt.viewing.statements import Made, Note, notes_of

if TYPE_CHECKING:
    from graphrt.function.concrete import ConcreteFunction

_LONGEST = 200  # characters of the attributes of a node


class NodeFact(TypedDict):
    """A node as the page knows it."""

    id: str  # the path of the graph that holds it, and its name
    name: str
    op: str
    ins: list[list[Any]]  # for each input the id of its node, and which of its outputs it is
    out: list[str]  # types
    line: str | None
    at: int | None  # the expression that made it, in `Story.spans`
    kind: str
    attrs: str
    graphs: list[list[str]]  # the graphs it holds: path and what it calls them


class Stage(TypedDict):
    """What one pass changed; the first stage has all nodes."""

    name: str
    about: str  # what the pass does, in a line
    gone: list[str]
    by: dict[str, str]  # of those that are gone: what stands in their place where they were used
    set: list[NodeFact]
    order: list[str] | None  # of all nodes, where it changed
    outputs: list[str]


class Converted(TypedDict):
    """The converted text, and the line of source that each line stands for."""

    lines: list[str]
    source: list[str | None]
    parts: list[list[int]]  # line, first and last column, and the expression in `Story.spans` that it stands for


class ProgramText(TypedDict):
    """The generated program, and the node that each line runs."""

    lines: list[str]
    nodes: list[str | None]


class NativeText(TypedDict):
    """The text that is compiled, the native function that each line belongs to, and the nodes that each has."""

    lines: list[str]
    regions: list[int | None]
    nodes: list[list[str]]
    left: str  # what stays in NumPy, and why


@dataclass
class Story:
    """All of it. `program` is what runs; its lines are those of `text`."""

    title: str
    signature: str
    blocks: list[Block]
    converted: Converted
    stages: list[Stage]
    text: ProgramText
    traces: list[Trace]
    notes: list[Note]
    spans: list[list[int]]  # file, line, column, last line, the column behind
    program: Program
    run: dict[str, Any] | None = field(default=None)
    findings: list[dict[str, Any]] = field(default_factory=list)
    native: NativeText | None = field(default=None)

    def as_json(self) -> dict[str, Any]:
        """What the page is given."""
        return {name: value for name, value in vars(self).items() if name != "program"}


def story_of(concrete: ConcreteFunction, function: Any, traces: list[Trace]) -> Story:
    """The story of one trace of `function`; `traces` says what was traced, when and why."""
    code = code_of(function)
    places = Places([] if code is None else [code.co_filename], _text_of(function, code))
    stages, last = _stages(concrete.graph, places)
    program = compile_graph(last)
    ids = {id(node): key for key, node in _nodes(last)}
    shown = [None if node is None else ids.get(id(node)) for node in program.nodes_of_lines()]
    made = [_made(key, node, places) for key, node in _nodes(concrete.graph)]
    asked = {m.line for m in made if m.kind == "parameter" and not m.home}  # where a trace was asked for
    asked.add(places.line(concrete.traced_at))
    lines = dict.fromkeys(f["line"] for stage in stages for f in stage["set"] if f["line"] is not None)
    return Story(
        title=concrete.function_name,
        signature=concrete.pretty_printed_signature(False),
        blocks=blocks_of(code, [line for line in lines if line not in asked], places),
        converted=_converted(function, places),
        stages=stages,
        text={"lines": program.source.splitlines(), "nodes": shown},
        traces=traces,
        notes=notes_of(function, [m for m in made if m.line not in asked], places),
        spans=places.spans,
        program=program,
        native=_native(concrete, stages) if concrete.jit_compile is True else None,
    )


def _text_of(function: Any, code: CodeType | None) -> dict[str, list[str]]:
    """The text of a function whose file is none, but `python -c` or a magic: by the name it has instead."""
    if code is None or not code.co_filename.startswith("<"):  # Python 3.13 registers what `-c` was given, whoever asks
        return {}
    try:
        return {code.co_filename: io.StringIO(autograph.backends.source_text(function)).readlines()}
    except autograph.errors.AutoGraphError:
        return {}


def _native(concrete: ConcreteFunction, stages: list[Stage]) -> NativeText:
    """The text of native functions. Their loops compute several nodes at once, so a line belongs to all of its function."""
    from graphrt.native import program_for  # lazy: for functions that are compiled
    from graphrt.native.explanation import explained  # lazy: the same

    by_name: dict[str, list[str]] = {}
    gone = {key for stage in stages for key in stage["gone"]}
    for key in {fact["id"]: None for stage in stages for fact in stage["set"] if fact["id"] not in gone}:
        by_name.setdefault(key.rpartition(">")[2].partition("/")[2], []).append(key)
    program = program_for(concrete)
    found: NativeText = {
        "lines": [],
        "regions": [],
        "nodes": [],
        "left": str(explained(concrete.function_name, program)),
    }
    for number, region in enumerate(program.regions):
        text = [f"# native function {number}", *region.source.text.splitlines(), ""]
        found["lines"] += text
        found["regions"] += [number] * (len(text) - 1) + [None]
        inside = [node for _, node in _nodes(region.graph) if not node.is_parameter and not node.is_constant]
        found["nodes"].append([key for node in inside if len(keys := by_name.get(node.name, [])) == 1 for key in keys])
    around = ["# the program around them", *program.program.source.splitlines()]
    found["lines"] += around
    found["regions"] += [None] * len(around)
    return found


# --- graphs ----------------------------------------------------------------------------------------------------------
def _stages(graph: Graph, places: Places) -> tuple[list[Stage], Graph]:
    copy = copy_graph(graph)
    known: dict[str, NodeFact] = {}
    stages = [_stage("traced", "as it was recorded while tracing", copy, known, places)]
    for run in PIPELINE:
        before = [v.node for v in copy.outputs]
        if run(copy):
            about = (run.__doc__ or "").strip().partition("\n")[0]
            stage = _stage(run.__name__, about, copy, known, places)
            stages.append(stage)
            gone = set(stage["gone"])
            for old, new in zip(before, stage["outputs"]):
                if f"/{old.name}" in gone:
                    stage["by"].setdefault(f"/{old.name}", new)
    return stages, copy


def _stage(name: str, about: str, graph: Graph, known: dict[str, NodeFact], places: Places) -> Stage:
    """What differs from `known`, which learns it."""
    found = {key: _fact(key, node, shown, places) for key, node, shown in _walk(graph, "", set())}
    changed = [fact for key, fact in found.items() if known.get(key) != fact]
    gone = [key for key in known if key not in found]
    missing = set(gone)
    by = {key: copy for key in gone if (copy := _inlined(key, found)) in found}
    for fact in changed:
        before = known.get(fact["id"])
        if before is not None and len(before["ins"]) == len(fact["ins"]):
            for (old, _), (new, _) in zip(before["ins"], fact["ins"]):
                if old in missing:
                    by.setdefault(old, new)
    order = list(found) if list(found) != list(known) else None
    known.clear()
    known.update(found)
    return {
        "name": name, "about": about, "gone": gone, "by": by, "set": changed, "order": order,
        "outputs": [f"/{v.node.name}" for v in graph.outputs],
    }  # fmt: skip


def _inlined(key: str, found: Container[str]) -> str:
    """The key that a node of a function has once the calls around it are inlined, which are not `found` any more."""
    outer, *inner = key.split(">")
    for part in inner:
        outer = f"{outer}>{part}" if outer in found else f"{outer}/{part.partition('/')[2]}"
    return outer


def _nodes(graph: Graph) -> Iterator[tuple[str, Node]]:
    """The key of each node, and the node; those of the graphs that a node holds come behind it."""
    return ((key, node) for key, node, _ in _walk(graph, "", set()))


_Held = list[tuple[str, Graph]]


def _walk(graph: Graph, path: str, functions: set[int]) -> Iterator[tuple[str, Node, _Held]]:
    """Each node with its key and the graphs that are shown in it. Functions that are called at several places, or that
    call themselves, are shown at the first; `functions` are those that were."""
    for node in graph.nodes:
        key = f"{path}/{node.name}"
        held = _held(node)
        if not node.op.in_place:
            held = [(label, inner) for label, inner in held if id(inner) not in functions]
            functions.update(id(inner) for _, inner in held)
        yield key, node, held
        for label, inner in held:
            yield from _walk(inner, f"{key}>{label}", functions)


def _held(node: Node) -> _Held:
    """The graphs of a node, each with a label of its own."""
    held = list(node.subgraphs())
    often = Counter(label for label, _ in held)
    count: Counter[str] = Counter()
    found = []
    for label, inner in held:
        found.append((f"{label}[{count[label]}]" if often[label] > 1 else label, inner))
        count[label] += 1
    return found


def _fact(key: str, node: Node, held: _Held, places: Places) -> NodeFact:
    home = key[: len(key) - len(node.name) - 1]
    return {
        "id": key,
        "name": node.name,
        "op": node.type,
        "ins": [[f"{home}/{v.node.name}", v.index] for v in node.inputs],
        "out": [type_text(v.dtype, v.dims) for v in node.outputs],
        "line": places.line(node.location),
        "at": places.span(node.location),
        "kind": "holder" if held and not node.stateful else _kind(node),
        "attrs": attributes_text(node)[:_LONGEST],
        "graphs": [[f"{key}>{label}", label] for label, _ in held],
    }


def _made(key: str, node: Node, places: Places) -> Made:
    place = node.location
    return Made(
        home=key[: len(key) - len(node.name) - 1],
        op=node.type,
        line=places.line(place),
        span=places.span(place),
        kind=_kind(node),
        structure="loop" if node.op.structure == LOOP else "branch" if node.op.structure == BRANCH else "",
        holds=any(True for _ in node.subgraphs()),
        code=getattr(place, "code", None) if isinstance(place, Place) else None,
    )


def _kind(node: Node) -> str:
    if node.is_parameter:
        return "parameter"
    if node.is_constant:
        return "constant"
    if node.stateful:
        return "effect"
    return "holder" if node.op.in_place else "plain"


# --- converted code --------------------------------------------------------------------------------------------------
def _converted(function: Any, places: Places) -> Converted:
    if function is None:
        text = "# which function this was traced from is not known: it was loaded from a file"
        return {"lines": [text], "source": [None], "parts": []}
    try:
        text, lines = autograph.to_code(function), autograph.backends.to_lines(function)
        spans = autograph.backends.to_spans(function)
    except autograph.errors.AutoGraphError as error:
        told = [f"# {line}" for line in f"not converted: {error}".splitlines()]
        return {"lines": told, "source": [None] * len(told), "parts": []}
    code = code_of(function)
    file = "" if code is None else code.co_filename
    shown = text.splitlines()
    return {
        "lines": shown,
        "source": [None if line is None else places.line((file, line)) for line in lines],
        "parts": _parts(shown, spans, file, places),
    }


def _parts(lines: list[str], spans: list[Any], file: str, places: Places) -> list[list[int]]:
    """The pieces of the text that stand for expressions of which nodes were made; of those within others the outermost."""
    found: list[list[int]] = []
    around: dict[int, tuple[int, int]] = {}  # for each expression the last piece that was taken: line, column behind it
    for i, (at, source) in enumerate(spans):
        key = places.known_span(file, source)
        if key is None or at.lineno != at.end_lineno or not _stands_for(i, spans, lines):
            continue
        text = lines[at.lineno - 1].encode()
        first, last = (len(text[:n].decode(errors="replace")) for n in (at.col_offset, at.end_col_offset))
        line, end = around.get(key, (0, 0))
        if line == at.lineno and last <= end:
            continue
        around[key] = at.lineno, last
        found.append([at.lineno, first, last, key])
    return found


def _stands_for(i: int, spans: list[Any], lines: list[str]) -> bool:
    """Whether a piece is the expression itself, and not of the functions that a statement is printed with: whether a part
    of it stands for a part of the expression."""
    at, source = spans[i]
    for inner, part in spans[i + 1 :]:
        if inner.lineno > at.end_lineno or inner[:2] >= at[2:]:
            break
        if part != source and part[:2] >= source[:2] and part[2:] <= source[2:]:
            return True
    text = lines[at.lineno - 1].encode()[at.col_offset : at.end_col_offset]
    return text.startswith(b"ag__.ld(") or (text.isalnum() and source[3] - source[1] == len(text))
