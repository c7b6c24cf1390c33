"""State of modules that changes after the import: what it is, and what guards it.

    python -m tests.global_state      a line each: where, name, guard

A name at module level counts that holds something mutable and that a function changes, that a function rebinds with
`global`, or that is a cache without a bound. Its line, or the one above, says what guards it:

    # state: locked by NAME          every change stands in `with NAME`; this is checked
    # state: bounded ...             it cannot grow for ever, and a race costs time at most
    # state: context-local ...       each thread and task has its own
    # state: registry ...            written by declarations or by the user's registering calls, and meant to last
    # state: weak ...                it goes with the objects it is about
"""

from __future__ import annotations

import ast
import functools
import re

from tests import house

GUARD = re.compile(r"# state: (locked by (\w+)|bounded|context-local|registry|weak)\b")
MUTABLE = {
    "dict", "list", "set", "deque", "defaultdict", "Counter", "OrderedDict", "WeakSet", "WeakKeyDictionary",
    "WeakValueDictionary", "local", "ContextVar",
}  # fmt: skip
CHANGES = {
    "append", "extend", "insert", "pop", "popitem", "popleft", "appendleft", "remove", "discard", "add", "clear", "update",
    "setdefault", "move_to_end",
}  # fmt: skip


class Found:
    """One piece of state: its file, line, name, guard (None where nothing is said) and what changes it unguarded."""

    def __init__(self, file: house.File, line: int, name: str, changes: list[ast.AST]) -> None:
        self.where, self.line, self.name = file.where, line, name
        near = [file.lines[at - 1] for at in (line, line - 1) if at > 0]
        told = next((m for m in map(GUARD.search, near) if m), None)
        self.guard = told[1] if told else None
        lock = told[2] if told else None
        self.unguarded = [n for n in changes if lock and not _within(file, n, lock)]

    def __str__(self) -> str:
        return f"{self.where}:{self.line}: {self.name}: {self.guard or 'no guard is told'}"


def _within(file: house.File, node: ast.AST, lock: str) -> bool:
    return any(
        isinstance(outer, ast.With) and any(ast.unparse(item.context_expr) == lock for item in outer.items)
        for outer in file.around(node)
    )


def _holds_mutable(value: ast.AST | None) -> bool:
    if isinstance(value, (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)):
        return True
    return isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] in MUTABLE


def _changes(file: house.File) -> dict[str, list[ast.AST]]:
    """By name, where functions change what it holds, or what it stands for."""
    found: dict[str, list[ast.AST]] = {}
    for node in file.nodes:
        names: list[str] = []
        if isinstance(node, ast.Global):
            names = node.names
        elif isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names = [node.value.id] if isinstance(node.value, ast.Name) else []
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGES:
            names = [node.func.value.id] if isinstance(node.func.value, ast.Name) else []
        functions = [f for f in file.around(node) if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))]
        for name in names if functions else ():
            if not any(name in _own(f) for f in functions):
                found.setdefault(name, []).append(node)
    return found


@functools.cache
def _own(function: ast.AST) -> set[str]:
    """Parameters and local variables of a function."""
    arguments = function.args
    everyone = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    rebound = {n for g in ast.walk(function) if isinstance(g, ast.Global) for n in g.names}
    stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return ({a.arg for a in everyone if a is not None} | stored) - rebound


def _unbounded(function: ast.AST) -> bool:
    """Whether a function keeps all its results: decorated with `cache`, though it has parameters."""
    words = [ast.unparse(d) for d in getattr(function, "decorator_list", ())]
    arguments = getattr(function, "args", None)
    takes = arguments is not None and (arguments.args or arguments.posonlyargs or arguments.kwonlyargs)
    return bool(takes) and any(w in ("cache", "functools.cache") or "maxsize=None" in w for w in words)


def state(package: str = "graphrt") -> list[Found]:
    """All state of a package."""
    found = []
    for file in house.files(package):
        changes = _changes(file)
        for node in file.tree.body:
            if isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for name in [t.id for t in targets if isinstance(t, ast.Name) and t.id in changes]:
                    rebound = any(isinstance(c, ast.Global) for c in changes[name])
                    if rebound or _holds_mutable(node.value):
                        found.append(Found(file, node.lineno, name, changes[name]))
            elif _unbounded(node):
                found.append(Found(file, node.decorator_list[0].lineno, node.name, []))
    return found


if __name__ == "__main__":
    print(*state(), sep="\n")
