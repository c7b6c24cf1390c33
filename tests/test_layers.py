"""Imports go one way: each room imports only rooms below it, and autograph never imports graphrt or NumPy."""

import ast
import functools
import importlib

import pytest

from tests import ROOT

# Lower rooms first; rooms on one line stand side by side and do not import each other.
AUTOGRAPH = [
    ["errors", "doors"],
    ["options"],
    ["pyct", "backends"],
    ["operators"],
    ["generated", "converters"],
    ["emit"],
    ["conversion"],
    ["checking"],
    ["api"],
    ["__init__"],
    ["cli"],
    ["__main__"],
]
GRAPHRT = [
    ["errors", "version"],
    ["types"],
    ["ir"],
    ["tensor"],
    ["ops"],
    ["state"],
    ["resources"],
    ["autodiff"],
    ["control_flow"],
    ["linear_operators"],
    ["passes", "executor"],
    ["graphdef", "native"],
    ["function"],
    ["data", "numpy_api", "saving"],
    ["export", "integrations", "summaries"],
    ["staging", "viewing"],
    ["api"],
    ["__init__"],
    ["keras"],
    ["cli", "as_tensorflow"],
    ["__main__"],
]
MAY_IMPORT_AUTOGRAPH = {
    "function",
    "native",
    "saving",
    "staging",
    "viewing",
    "api",
    "__init__",
    "keras",
    "cli",
    "errors",
    "types",
}


def rooms(package, order):
    known = {name: level for level, names in enumerate(order) for name in names}
    folder = ROOT / package
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        yield path, parts[0], known


def statements(node):
    """The statements below a node that run: none of those that type checkers alone see."""
    fields = ["orelse"] if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test) else node._fields
    for field in fields:
        value = getattr(node, field, None)
        for item in value if isinstance(value, list) else ():
            if isinstance(item, (ast.stmt, ast.excepthandler, ast.match_case)):
                yield item
                yield from statements(item)


@functools.cache
def imported(path):
    """The names that a file imports when it runs."""
    found = []
    for node in statements(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; write the full name"
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


@pytest.mark.parametrize(("package", "order"), [("autograph", AUTOGRAPH), ("graphrt", GRAPHRT)])
def test_rooms_import_only_rooms_below(package, order):
    wrong = []
    for path, room, known in rooms(package, order):
        if room not in known:
            wrong.append(f"{path}: the room of this file is not in the order of tests/test_layers.py")
            continue
        for name in imported(path):
            parts = name.split(".")
            if parts[0] != package or len(parts) == 1:
                continue
            other = parts[1]
            if other in known and other != room and known[other] >= known[room]:
                wrong.append(f"{path.relative_to(ROOT)} imports {name}: {other} does not stand below {room}")
    assert not wrong, "\n".join(sorted(set(wrong)))


@pytest.mark.parametrize(("package", "order"), [("autograph", AUTOGRAPH), ("graphrt", GRAPHRT)])
def test_rooms_of_the_order_are_there(package, order):
    there = {room for _, room, _ in rooms(package, order)}
    assert [name for names in order for name in names if name not in there] == []


def test_autograph_needs_neither_graphrt_nor_numpy():
    for path in (ROOT / "autograph").rglob("*.py"):
        for name in imported(path):
            assert name.split(".")[0] not in {"graphrt", "numpy"}, f"{path} imports {name}"


def test_graphrt_imports_only_the_front_doors_of_autograph():
    doors = {"autograph", "autograph.backends", "autograph.backends.state", "autograph.errors"}
    public = {name: importlib.import_module(name).__all__ for name in doors}
    for path in (ROOT / "graphrt").rglob("*.py"):
        for name in imported(path):
            home, _, last = name.rpartition(".")
            if name.split(".")[0] == "autograph" and name not in doors:
                assert last in public.get(home, ()), f"{path} imports {name}"


def test_only_function_and_staging_import_autograph():
    for path, room, _ in rooms("graphrt", GRAPHRT):
        if room in MAY_IMPORT_AUTOGRAPH:
            continue
        for name in imported(path):
            assert name.split(".")[0] != "autograph", f"{path} imports {name}"
