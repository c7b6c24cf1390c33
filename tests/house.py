"""What `test_house.py` holds down: figures of the two packages that say how well the tree can be read.

    python -m tests.house                 all figures
    python -m tests.house long_files      what one figure counts, a line each

Everything is read from the source; nothing is imported.
"""

from __future__ import annotations

import ast
import functools
import gc
import pathlib
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator

from tests import ROOT

LONGEST = {"autograph": 400, "graphrt": 500}
REASON = {
    "long": re.compile(r"^# long: \S", re.MULTILINE),
    "lazy": re.compile(r"# lazy: \S"),
    "names": re.compile(r"# names: \S"),
    "other names": re.compile(r"^# names of another format: \S", re.MULTILINE),
    "late": re.compile(r"^from graphrt\.ir\.op import .*  # late: \S", re.MULTILINE),
}


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes right below another, without what says whether names are read or written, which all of them share."""
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, list):
            yield from (item for item in value if isinstance(item, ast.AST))
        elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
            yield value


class File:
    """One module of a package: its text, its tree, and who stands around each node."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.where = str(path.relative_to(ROOT))
        self.text = path.read_text()
        self.lines = self.text.splitlines()
        self.tree = ast.parse(self.text)
        parts = path.relative_to(ROOT).with_suffix("").parts
        self.module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        self.package = parts[0]
        self.room = parts[1] if len(parts) > 1 else parts[0]
        self.nodes: list[ast.AST] = [self.tree]
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in self.nodes:  # which grows
            children = list(_children(node))
            self.parents.update(dict.fromkeys(children, node))
            self.nodes += children

    @functools.cached_property
    def size(self) -> int:
        """Lines outside docstrings, which hold the examples that every public name has."""
        owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        bodies = [node.body for node in self.nodes if isinstance(node, owners) and ast.get_docstring(node) is not None]
        return len(self.lines) - sum((body[0].end_lineno or 0) - body[0].lineno + 1 for body in bodies)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        while (node := self.parents.get(node)) is not None:
            yield node

    @functools.cached_property
    def imports(self) -> list[tuple[ast.Import | ast.ImportFrom, list[str], bool, bool]]:
        """`(statement, full names, for type checkers only, inside a function)`."""
        found = []
        for node in self.nodes:
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            else:
                continue
            around = list(self.around(node))
            checking = any(isinstance(n, ast.If) and "TYPE_CHECKING" in ast.unparse(n.test) for n in around)
            inside = any(isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)) for n in around)
            found.append((node, names, checking, inside))
        return found


@functools.cache
def files(package: str) -> list[File]:
    collecting = gc.isenabled()
    gc.disable()  # trees are all there is to look at, and stay
    try:
        return [File(path) for path in sorted((ROOT / package).rglob("*.py"))]
    finally:
        if collecting:
            gc.enable()


def _by_module(package: str) -> dict[str, File]:
    return {file.module: file for file in files(package)}


def _circles(package: str, checking_too: bool) -> list[list[str]]:
    """Groups of modules that reach each other by imports, imports inside functions counted."""
    modules = {file.module: file for file in files(package)}
    edges: dict[str, set[str]] = {name: set() for name in modules}
    for file in modules.values():
        for _, names, checking, _ in file.imports:
            if checking and not checking_too:
                continue
            for name in names:
                while name and name not in modules:
                    name = name.rpartition(".")[0]
                if name and name != file.module:
                    edges[file.module].add(name)
    return [sorted(group) for group in _components(edges) if len(group) > 1]


def _components(edges: dict[str, set[str]]) -> list[list[str]]:
    """Tarjan's strongly connected components, without recursion."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    open_: list[str] = []
    found: list[list[str]] = []
    for start in edges:
        if start in index:
            continue
        work = [(start, iter(sorted(edges[start])))]
        index[start] = low[start] = len(index)
        open_.append(start)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    open_.append(other)
                    work.append((other, iter(sorted(edges[other]))))
                    break
                if other in open_:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = open_.index(node)
                    found.append(open_[at:])
                    del open_[at:]
    return found


def circles(package: str) -> list[str]:
    """Files that stand in a circle of imports."""
    return [f"{' <-> '.join(group)}"[:40] + f" ...: {name}" for group in _circles(package, False) for name in group]


def type_circles_between_rooms(package: str) -> list[str]:
    """Files in circles of several rooms that imports for type checkers close."""
    rooms = {file.module: file.room for file in files(package)}
    wide = [group for group in _circles(package, True) if len({rooms[name] for name in group}) > 1]
    return [name for group in wide for name in group]


def long_files(package: str) -> list[str]:
    """Files that are too long and do not say why (`# long: reason`)."""
    limit = LONGEST[package]
    return [
        f"{file.where}: {file.size}"
        for file in files(package)
        if file.size > limit and not REASON["long"].search(file.text)
    ]


def lazy_imports(package: str) -> list[str]:
    """Imports inside functions without `# lazy: reason` on their line or the one above."""
    found = []
    for file in files(package):
        for node, names, _, inside in file.imports:
            if inside:
                near = file.lines[max(node.lineno - 2, 0) : node.end_lineno]
                if not any(REASON["lazy"].search(line) for line in near):
                    found.append(f"{file.where}:{node.lineno}: {', '.join(names)}")
    return found


def private_reaches(package: str) -> list[str]:
    """`x._name` and `from m import _name` where no class, function or statement of the same file makes `_name`."""
    found = []
    for file in files(package):
        made = set(_made(file))
        for node in file.nodes:
            if isinstance(node, ast.Attribute) and _is_private(node.attr) and node.attr not in made:
                found.append(f"{file.where}:{node.lineno}: {ast.unparse(node)}")
            elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == package:
                for alias in node.names:
                    if _is_private(alias.name):
                        found.append(f"{file.where}:{node.lineno}: from {node.module} import {alias.name}")
    return found


_OF_PYTHON = {"_fields", "_attributes", "_replace", "_asdict", "_make", "_getframe"}  # public whatever they look like


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name.strip("_") != "" and name not in _OF_PYTHON


def _made(file: File) -> Iterator[str]:
    for node in file.nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
                yield node.attr
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            yield node.value  # __slots__, setattr
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).split(".")[0]


def any_shares(package: str) -> dict[str, tuple[int, int]]:
    """By room: `(annotations of parameters and returns that say nothing but Any, all of them)`."""
    nothing: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for file in files(package):
        room = "*top" if file.path.parent == ROOT / package else file.room
        if (package, room) == ("graphrt", "ops") and "legacy" in file.path.parts:
            room = "ops/legacy"
        for node in file.nodes:
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            arguments = node.args
            everyone = [
                *arguments.posonlyargs,
                *arguments.args,
                *arguments.kwonlyargs,
                arguments.vararg,
                arguments.kwarg,
            ]
            annotations = [a.annotation for a in everyone if a is not None and a.annotation is not None]
            if node.returns is not None:
                annotations.append(node.returns)
            total[room] += len(annotations)
            nothing[room] += sum(isinstance(a, ast.Name) and a.id == "Any" for a in annotations)
    return {room: (nothing[room], total[room]) for room in sorted(total)}


def any_percent(package: str) -> dict[str, float]:
    """By room, the share of annotations that say nothing but Any, in percent."""
    return {room: round(100 * part / whole, 1) for room, (part, whole) in any_shares(package).items() if whole}


def op_names(package: str = "graphrt") -> set[str]:
    """The types of all ops. The one figure that needs the package itself: ops are declared in loops, too."""
    from graphrt.raw_ops import raw_op_names

    return set(raw_op_names())


def op_name_strings(package: str) -> list[str]:
    """Strings that name an op where none is declared. Left out are the names that nodes get (`name=`, `name or "Add"`,
    `scope(name, "Add")`), tables of other formats (`# names: reason`), and files that are written in the words of another
    format (`# names of another format: which`)."""
    if package != "graphrt":
        return []
    known = op_names()
    found = []
    for file in files(package):
        if file.module in ("graphrt.ir.homes", "graphrt.api.exports", "graphrt.api.exports_tensorflow1"):
            continue
        if REASON["other names"].search(file.text):
            continue
        declaring = _declaring(file)
        for node in file.nodes:
            if not (isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value):
                continue
            words = node.value.split()
            if not words or not known.issuperset(words) or node in declaring:
                continue
            around = list(file.around(node))
            if isinstance(around[0], (ast.Expr, ast.JoinedStr, ast.FormattedValue)) or _names_node(node, around):
                continue
            first = next(n for n in (node, *around) if isinstance(n, ast.stmt)).lineno
            if any(REASON["names"].search(file.lines[at - 1]) for at in {first - 1, first, node.lineno} if at):
                continue
            found.append(f"{file.where}:{node.lineno}: {node.value[:60]!r}")
    return found


def _names_node(node: ast.AST, around: list[ast.AST]) -> bool:
    """Whether a string is the name of a node: `name="Add"`, `name or "Add"`, `name: str = "Add"`, `scope(name, "Add")`."""
    for inner, outer in zip([node, *around], around):
        if isinstance(outer, ast.BoolOp) and isinstance(outer.values[0], ast.Name) and outer.values[0].id == "name":
            return True
        if isinstance(outer, ast.keyword):
            return outer.arg == "name"
        if isinstance(outer, ast.Call):
            return _called(outer) in ("scope", "name_scope") and outer.args[0] is not inner
        if isinstance(outer, ast.arguments):
            named = dict(zip(outer.args[::-1], outer.defaults[::-1])) | dict(zip(outer.kwonlyargs, outer.kw_defaults))
            return any(default is inner and argument.arg == "name" for argument, default in named.items())
    return False


def _declaring(file: File) -> set[ast.AST]:
    """The nodes inside calls of `define`, of functions that call it, and of tables for such calls."""
    makers = _makers(file)
    others = _by_module(file.package)
    for _, given, _, _ in file.imports:
        for module, _, name in (n.rpartition(".") for n in given):
            if module in others and others[module] is not file and name in _makers(others[module]):
                makers |= {name}
    found: set[ast.AST] = set()
    tables: set[str] = set()
    for node in file.nodes:
        if _called(node) in makers:
            found.update(ast.walk(node))
        elif isinstance(node, ast.For) and any(_called(n) in makers for n in ast.walk(node)):
            found.update(ast.walk(node))
            tables.update(n.id for n in ast.walk(node.iter) if isinstance(n, ast.Name))
    for node in file.nodes:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id in tables | {"__all__"}:
                found.update(ast.walk(node))
    return found


@functools.cache
def _makers(file: File) -> frozenset[str]:
    """`define`, and the functions of a file that call it."""
    makers = {"define", "declare_later"}
    functions = [n for n in file.nodes if isinstance(n, ast.FunctionDef)]
    calls = {f.name: {_called(n) for n in ast.walk(f)} for f in functions}
    grown = True
    while grown:
        new = {name for name, called in calls.items() if called & makers} - makers
        makers |= new
        grown = bool(new)
    return frozenset(makers)


def _called(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def late_names(package: str) -> list[str]:
    """Uses of names that `graphrt.ir.op.ops` finds late, in files that do not say why they cannot import them: because
    an import would close a circle, or slow the start (`from graphrt.ir.op import ops  # late: reason`)."""
    return [
        f"{file.where}:{node.lineno}: {node.attr}"
        for file in files(package)
        if any("graphrt.ir.op.ops" in names for _, names, _, _ in file.imports) and not REASON["late"].search(file.text)
        for node in file.nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "ops"
    ]


def top_files(package: str) -> list[str]:
    """Files on the top floor."""
    return [file.where for file in files(package) if file.path.parent == ROOT / package]


# Folders of tests that are about more than one module: whole programs, pages, what strangers send, what editors see.
PROGRAMS = {"benchmarks", "docs", "hostile", "isolation", "notebooks", "programs", "typing"}
COVERS = re.compile(r"^Covers: (.+(?:\n.+)*)", re.MULTILINE)


def _names(test: str, names: Iterable[str]) -> bool:
    """Whether a file of tests has the name of one of `names`, with or without more words behind it."""
    return any(test == f"test_{name}" or test.startswith(f"test_{name}_") for name in names)


def covered() -> set[str]:
    """The modules and folders that tests say they cover: `Covers: graphrt/resources/queues.py, ...` in their docstrings."""
    found: set[str] = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        text = path.read_text()
        match = COVERS.search(ast.get_docstring(ast.parse(text)) or "") if "Covers:" in text else None
        found.update(re.findall(r"[\w/]+(?:\.py|/)", match[1]) if match else ())
    return found


def modules_without_test(package: str) -> list[str]:
    """Modules that have no test of their name, nor has their folder, nor does a test say that it covers them."""
    found = []
    covers = covered()
    for file in files(package):
        tests = ROOT / "tests" / file.path.parent.relative_to(ROOT)
        there = [path.stem for path in tests.glob("test_*.py")]
        names = [file.path.stem, file.path.parent.name]
        if not file.path.stem.startswith("__") and not any(_names(test, names) for test in there):
            if file.where not in covers and f"{file.path.parent.relative_to(ROOT)}/" not in covers:
                found.append(file.where)
    return found


def tests_of_no_module(package: str) -> list[str]:
    """Files of tests whose names are not of a module in the folder that they mirror, nor of the folder."""
    found = []
    for path in sorted((ROOT / "tests" / package).rglob("test_*.py")):
        folder = ROOT / path.parent.relative_to(ROOT / "tests")
        if PROGRAMS.isdisjoint(folder.parts) and not _names(
            path.stem, [folder.name, *(p.stem for p in folder.glob("*.py"))]
        ):
            found.append(str(path.relative_to(ROOT)))
    return found


def raw_values(package: str) -> list[str]:
    """Values in what is raised, as `{value!r}`, that errors do not show with `shown`, which knows of those too deep for
    `repr`. Names, dtypes and shapes are left out."""
    known = {"name", "__name__", "__qualname__", "dtype", "shape"}
    return [
        f"{file.where}:{node.lineno}: {ast.unparse(node.value)}"
        for file in files(package)
        for node in file.nodes
        if isinstance(node, ast.FormattedValue) and node.conversion == ord("r")
        if not (isinstance(node.value, ast.Attribute) and node.value.attr in known)
        if any(isinstance(around, ast.Raise) for around in file.around(node))
    ]


def kept_errors(package: str) -> list[str]:
    """Errors raised by a name that their frame keeps: the traceback holds the frame, and both, with all that the user's
    frames above hold, stay until the collector comes. `except E as name` drops its name, `finally: del name` does, too."""
    found = []
    for file in files(package):
        for function in file.nodes:
            if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            inside = list(ast.walk(function))
            dropped = {node.name for node in inside if isinstance(node, ast.ExceptHandler)}
            for node in inside:
                for last in node.finalbody if isinstance(node, ast.Try) else ():
                    if isinstance(last, ast.Delete):
                        dropped |= {target.id for target in last.targets if isinstance(target, ast.Name)}
            for node in inside:
                error = node.exc if isinstance(node, ast.Raise) else None
                if isinstance(error, ast.Name) and error.id not in dropped and error.id[0].islower():
                    found.append(f"{file.where}:{node.lineno}: {error.id}")
    return found


def error_states(package: str) -> list[str]:
    """Uses of `np.errstate`, which an interrupt may leave entered: `float_warnings.silently` is there for what is no kernel."""
    return [
        f"{file.where}:{node.lineno}"
        for file in files(package)
        for node in file.nodes
        if isinstance(node, ast.Attribute) and node.attr == "errstate"
    ]


def lines(package: str) -> int:
    """Lines of the package outside docstrings."""
    return sum(file.size for file in files(package))


COUNTED = {
    function.__name__: function
    for function in (
        circles, type_circles_between_rooms, long_files, lazy_imports, private_reaches, op_name_strings, late_names,
        top_files, modules_without_test, tests_of_no_module, raw_values, kept_errors, error_states,
    )
}  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) > 1:
        for package_ in sys.argv[2:] or LONGEST:
            print(*COUNTED[sys.argv[1]](package_), sep="\n")
    else:
        for package_ in LONGEST:
            for name_, count in COUNTED.items():
                print(f"{package_:10} {name_:28} {len(count(package_))}")
            print(f"{package_:10} {'lines':28} {lines(package_)}")
            for room_, percent in any_percent(package_).items():
                print(f"{package_:10} any {room_:24} {percent}")
