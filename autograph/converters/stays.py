"""Decides which statements stay Python, because they cannot become functions without losing their meaning, and says why.

    for x in xs:
        if x < 0:
            return          the `yield` keeps the `for` a `for`; so its jumps stay jumps, and the `if` around
        yield x             the `return` stays an `if`

Nothing is rewritten here: the marks tell the converters of jumps what to leave alone. Branches and loops around what
was left alone stay native by themselves, see `control_flow`. `autograph check` and the errors of staged values that Python
asks for their truth tell the same reasons.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import gast

from autograph.converters.converter import Converter
from autograph.pyct.analysis.facts import Marks
from autograph.pyct.analysis.liveness import Dead
from autograph.pyct.analysis.reaching_defs import ReadUnset
from autograph.pyct.nodes import (
    BLOCK_NODES,
    COMPREHENSION_NODES,
    DEF_NODES,
    LOOP_NODES,
    Node,
    annotation_expressions,
    argument_expressions,
    children,
)

SUSPENDING = (gast.Yield, gast.YieldFrom, gast.Await, gast.AsyncFor, gast.AsyncWith)
# Reading any of these names may mean that the function looks at its own variables as a whole.
FRAME_READERS = frozenset(("locals", "vars", "dir", "eval", "exec"))
_READ_THEIR_ARGUMENT = frozenset(("vars", "dir"))  # where they are given one
# Nodes that may suspend the function that they are in, by the names of their classes, which `ast` and gast share.
_WORDS = {
    "Yield": "yield",
    "YieldFrom": "yield from",
    "Await": "await",
    "AsyncFor": "async for",
    "AsyncWith": "async with",
}


@dataclass(frozen=True)
class Stay:
    """Why a branch or loop stays Python: the `reason`, what can be done, and of which kind of reasons it is."""

    reason: str
    suggestion: str
    kind: Literal["suspends", "frame", "finally", "class"] = "suspends"


_COLLECT = "collect the values in a list and return it"
_ASYNC = "move what depends on staged values into a function without `async`"
_INSTEAD_OF = {
    "yield": f"{_COLLECT}, or choose the value ahead of the `yield`",
    "yield from": _COLLECT,
    "await": "await the value ahead of the statement",
    "async for": _ASYNC,
    "async with": _ASYNC,
}
OF_FINALLY = Stay("it holds a jump out of a `finally`", "move the jump behind the `try` statement", "finally")
OF_GENERATOR = Stay("it holds a `return` of an asynchronous generator", _INSTEAD_OF["yield"])
OF_JUMP = Stay("it holds a jump out of a statement that stays Python", "give that statement another form first")
OF_CLASS = Stay("it is in the body of a class", "choose the value before the class", "class")


def suspending(word: str) -> Stay:
    """The reason of what holds `yield` or the like."""
    return Stay(f"it holds `{word}`", _INSTEAD_OF[word])


def reading_frame(name: str) -> Stay:
    """The reason of what is in a function that uses `locals` or the like."""
    return Stay(
        f"its function uses `{name}`, which looks at the variables as a whole",
        "name the variables that are meant, or move the use into a function of its own",
        "frame",
    )


def suspending_rest(nodes: Iterable[Any]) -> Stay:
    """The reason of what returns, so that what follows is a part of it: `nodes` are those of the function."""
    word = next(filter(None, map(word_of, nodes)), "yield")
    return Stay(f"it returns, which makes what follows a part of it, and that holds `{word}`", _INSTEAD_OF[word])


def word_of(node: Node | ast.AST) -> str:
    """The word for what may suspend the function, if this very node does."""
    if getattr(node, "is_async", 0):  # a comprehension
        return "async for"
    return _WORDS.get(type(node).__name__, "")


def why_statements_stay(function: Node) -> dict[tuple[int, int], Stay]:
    """The branches and loops of a function that stay, by line and column, before conversion has rewritten anything."""
    survey = _Survey(function, Marks())
    survey.mark()
    return {(node.lineno, node.col_offset): stay for node, stay in survey.marks.native.items()}


class Native(Converter):
    """Marks what stays Python; also notes, before code is moved around, which variables are read unset."""

    def convert(self, root: Node) -> Node:
        """Looks at each function inside `root`, and leaves the tree as it is."""
        stack = [root]
        while stack:
            node = stack.pop()
            if isinstance(node, DEF_NODES):
                survey = _Survey(node, self.marks)
                survey.mark()
                if not survey.looks:
                    self.marks.never_suspends.add(node)
                self.marks.read_unset[node] = self.context.facts.get(ReadUnset, node)
                if gast.ExceptHandler in survey.kinds and _handlers_jump(node):
                    dead: dict[Any, set[str]] = self.context.facts.get(Dead, node)
                    self.marks.dead.update(dead)
            stack.extend(children(node))
        return root


def _handlers_jump(function: Node) -> bool:
    """Whether an exception handler of the function holds a jump: lowered, it would seem to go on after the `try`."""
    return any(
        isinstance(inner, (gast.Break, gast.Continue, gast.Return))
        for node in frame_nodes(function.body)
        if isinstance(node, gast.ExceptHandler)
        for inner in frame_nodes(node.body)
    )


def suspends(node: Node) -> bool:
    """Whether evaluating this very node may suspend the function it is in."""
    return isinstance(node, SUSPENDING) or (isinstance(node, gast.comprehension) and bool(node.is_async))


def reads_frame(function: Node, names: Container[str] = FRAME_READERS) -> bool:
    """Whether a function may look at its own variables as a whole, by `locals()`, `eval()` and the like.

    `names` are those that occur in it, as far as they are known.
    """
    return any(name in names for name in FRAME_READERS) and any(frame_readers(frame_nodes(function.body)))


def frame_readers(nodes: Iterable[Any]) -> Iterator[str]:
    """Which of the names that look at the variables as a whole are read by `nodes`, of `ast` or gast."""
    nodes = list(nodes)
    calls = [node for node in nodes if type(node).__name__ in ("Call", "ConvertedCall")]
    given = {id(call.func) for call in calls if call.args and type(call.args[0]).__name__ != "Starred"}
    for node in nodes:
        if type(node).__name__ != "Name" or node.id not in FRAME_READERS or type(node.ctx).__name__ != "Load":
            continue
        if not (node.id in _READ_THEIR_ARGUMENT and id(node) in given):
            yield node.id


_FRAMES = frozenset({*DEF_NODES, gast.Lambda, gast.ClassDef, *COMPREHENSION_NODES})


def frame_nodes(body: list[Any], parts: Callable[[Any], list[Any]] = children) -> list[Any]:
    """The nodes that belong to the frame of a function with this body; `parts` gives those of statements."""
    result = []
    stack = list(reversed(body))
    while stack:
        node = stack.pop()
        result.append(node)
        if node.__class__ not in _FRAMES:
            stack.extend(reversed(parts(node)))
            continue
        if isinstance(node, (*DEF_NODES, gast.Lambda)):
            stack.extend([*argument_expressions(node.args), *getattr(node, "decorator_list", ())])
            stack.extend(annotation_expressions(node))
            continue
        if isinstance(node, gast.ClassDef):
            stack.extend([*node.bases, *(k.value for k in node.keywords), *node.decorator_list])
            continue
        stack.extend(c for c in children(node) if not isinstance(c, gast.GeneratorExp))
    return result


class _Survey:
    """The branches, loops and jumps of one function."""

    def __init__(self, function: Node, marks: Any) -> None:
        self.marks = marks
        self.jumps: list[tuple[Any, list[Any], bool]] = []
        nodes = frame_nodes(function.body)
        self.kinds = {node.__class__ for node in nodes}
        self.looks = not self.kinds.isdisjoint((*SUSPENDING, gast.comprehension)) or any(frame_readers(nodes))
        # An asynchronous generator, in which `return` takes no value.
        self.every_return_native = isinstance(function, gast.AsyncFunctionDef) and gast.Yield in self.kinds
        self.everything_native: Stay | None = None
        self._block(function.body, [], 0)
        if self.everything_native:
            for jump, around, _ in self.jumps:
                marks.native_jumps.add(jump)
                self._native(around, self.everything_native)
            self._native([n for n in nodes if isinstance(n, BLOCK_NODES)], self.everything_native)

    def mark(self) -> None:
        """Spreads the marks: a native jump makes what it leaves native, and native loops make their jumps native."""
        changed = True
        while changed:
            changed = False
            for jump, around, in_finally in self.jumps:
                if jump in self.marks.native_jumps:
                    continue
                if isinstance(jump, gast.Return):
                    is_inside = any(s in self.marks.native for s in around)
                else:
                    is_inside = around[0] in self.marks.native
                in_generator = self.every_return_native and isinstance(jump, gast.Return)
                if in_finally or in_generator or is_inside:
                    self.marks.native_jumps.add(jump)
                    self._native(around, OF_FINALLY if in_finally else OF_GENERATOR if in_generator else OF_JUMP)
                    changed = True

    def _native(self, statements: list[Any], why: Stay) -> None:
        for statement in statements:
            self.marks.native.setdefault(statement, why)

    def _block(self, body: list[Any], around: list[Any], finally_depth: int) -> None:
        # `around`: branches and loops, outermost first; `finally_depth`: how many of them enclose a `finally` we are in
        for statement in body:
            self._statement(statement, around, finally_depth)

    def _statement(self, node: Node, around: list[Any], finally_depth: int) -> None:
        if isinstance(node, gast.Return):
            self.jumps.append((node, list(around), finally_depth > 0))
        elif isinstance(node, (gast.Break, gast.Continue)):
            start = max(i for i, s in enumerate(around) if isinstance(s, LOOP_NODES))
            self.jumps.append((node, around[start:], finally_depth > start + 1))
        if isinstance(node, (*DEF_NODES, gast.ClassDef)):
            self._expression(node, around)
            return
        inner = [*around, node] if isinstance(node, BLOCK_NODES) else around
        if isinstance(node, (gast.AsyncFor, gast.AsyncWith)):
            self._native(inner, suspending(word_of(node)))
        for field in node._fields:
            value = getattr(node, field, None)
            depth = len(around) + 1 if field == "finalbody" else finally_depth
            # The `else` of a loop is outside it: its jumps belong to the loop around.
            outside = field == "orelse" and isinstance(node, LOOP_NODES)
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, gast.stmt):
                    self._statement(child, around if outside else inner, depth)
                elif isinstance(child, (gast.ExceptHandler, gast.match_case)):
                    self._block(child.body, inner, depth)
                    self._expression(child, inner)
                elif isinstance(child, gast.AST):
                    self._expression(child, inner)

    def _expression(self, node: Node, around: list[Any]) -> None:
        if not self.looks:
            return
        items = [item for item in frame_nodes([node]) if not isinstance(item, gast.stmt)]
        for item in items:
            if suspends(item):
                self._native(around, suspending(word_of(item)))
        for name in frame_readers(items):
            self.everything_native = self.everything_native or reading_frame(name)
