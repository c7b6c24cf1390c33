"""Writes what is found out about names: `python -m tests.stubs` (`--check` says which files are out of date instead).

- What type checkers and editors read of the public names, from `graphrt/api/exports.py`. A namespace is `graphrt/NAME.pyi`;
  one inside another, `graphrt/api/OUTER_NAME.pyi`.
- `graphrt/data/methods.pyi`: the methods that files add to `Dataset`.
- `graphrt/keras/layers/__init__.pyi`: what the files of that folder make public.
- The same of `autograph` and `autograph.backends`, from the table in their `__init__.py`.
- `graphrt/ir/homes.py`: which module declares which op and provides which function, found by importing all of them.
- `graphrt/ir/namespace.pyi`: what type checkers see behind `graphrt.ir.op.ops`, which finds those names late.
"""

import ast
import collections
import contextlib
import importlib
import pathlib
import runpy
import sys
import textwrap
import types

from tests import ROOT

TABLE = runpy.run_path(str(ROOT / "graphrt" / "api" / "exports.py"))
ROOMS, SUMMARIES = TABLE["ROOMS"], TABLE["SUMMARIES"]
OLDER = runpy.run_path(str(ROOT / "graphrt" / "api" / "exports_tensorflow1.py"))["TENSORFLOW1"]
EXPORTS = {**TABLE["EXPORTS"], **OLDER}

HEAD = "# Written by tests/stubs.py from graphrt/api/exports.py.\n"


def public_names(module: str) -> list[str] | None:
    """The names of `__all__`, read from the source; None where they are computed."""
    path = ROOT.joinpath(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            try:
                return sorted(ast.literal_eval(node.value)) or None
            except ValueError:
                return None
    return None


def imports(module: str, entries: list[str]) -> str:
    pairs = [(public, real or public) for public, _, real in (entry.partition("=") for entry in sorted(entries))]
    names = ", ".join(f"{real}~as~{public}" if public == real else f"{real}~as~_{public}" for public, real in pairs)
    lines = textwrap.fill(names, 118, initial_indent="    ", subsequent_indent="    ").replace("~", " ")
    renamed = "".join(f"{public} = _{public}\n" for public, real in pairs if public != real)
    return f"from {module} import (\n{lines}\n)\n{renamed}"


def stub_module(path: str) -> str:
    """The module whose stub stands for a namespace: `graphrt.nn`, `graphrt.api.nn_experimental`."""
    return f"graphrt.{path}" if "." not in path else f"graphrt.api.{path.replace('.', '_')}"


def inner(path: str) -> list[str]:
    """The import lines of the namespaces, and rooms, that stand directly in a namespace."""
    found = {}
    for other in EXPORTS:
        outer, _, name = other.rpartition(".")
        if other and outer == path:
            found[name] = stub_module(other)
    if not path:
        found.update(ROOMS)
    lines = []
    for name, module in sorted(found.items()):
        room, _, real = module.rpartition(".")
        again = "" if real == name else f"{name} = {real}\n"  # `as` makes no name public but the same one
        lines.append(f"from {room} import {real} as {real}\n{again}")
    return lines


NUMPYS = "graphrt.numpy_api.experimental"
# what functions of NumPy give that do not give one tensor
OTHERWISE = {"bool": "iscomplexobj isrealobj", "list[Tensor]": "broadcast_arrays dsplit hsplit meshgrid split vsplit",
             "tuple[Tensor, ...]": "divmod ix_ nonzero"}  # fmt: skip


def numpys_text() -> str:
    """`tf.experimental.numpy`: what is written there, and NumPy's functions, made when they are asked for."""
    module = importlib.import_module(NUMPYS)
    functions = sorted(module.NAMES.split())
    own = [name for name in module.__all__ if name in vars(module) and name not in functions]
    kinds = {name: kind for kind, names in OTHERWISE.items() for name in names.split()}
    made = "".join(
        f"def {name}(*args: object, **kwargs: object) -> {kinds.get(name, 'Tensor')}: ...\n" for name in functions
    )
    return f"{imports(NUMPYS, own)}from graphrt.tensor.tensor import Tensor\n{made}"


def text_of(path: str) -> str:
    parts = [HEAD]
    unknown = False
    for module, names in EXPORTS[path].items():
        entries = public_names(module) if names == "*" else names.split()
        if entries is None and module == NUMPYS:
            parts.append(numpys_text())
        elif entries is None:
            unknown = True
        else:
            parts.append(imports(module, entries))
    parts += inner(path)
    if not path:
        parts.append("from graphrt.version import __version__ as __version__\n")
    if unknown:
        parts += ["from typing import Any as _Any\n", "def __getattr__(name: str) -> _Any: ...\n"]
    if path in SUMMARIES:
        parts.insert(1, f'"""{SUMMARIES[path]}"""\n')
    return "".join(parts)


def door_text(path: pathlib.Path) -> str:
    """The stub of a front door of `autograph`."""
    tree = ast.parse(path.read_text())
    table = next(n.value for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "_NAMES")
    parts, public = [], []
    for module, names in ast.literal_eval(table).items():
        room, _, last = module.rpartition(".")
        for name in names.split():
            home, name = (room, last) if name == "." else (module, name)
            parts.append(f"from {home} import {name} as {name}\n")
            public.append(name)
    listed = "".join(f'    "{name}",\n' for name in sorted(public))
    return "".join(["# Written by tests/stubs.py.\n\n", *sorted(parts), f"\n__all__ = [\n{listed}]\n"])


# --- homes -----------------------------------------------------------------------------------------------------------
OF_EXTRAS = {
    "graphrt.native.loading",
    "graphrt.native.with_numba",
}  # modules that cannot be imported without the package of an extra


def declared() -> dict[str, list[str]]:
    """By module, the names that it gives to `define` and `provide`, itself or through a function of another module."""
    sys.modules["graphrt"] = types.ModuleType("graphrt")  # so that nothing is declared before the first line below
    sys.modules["graphrt"].__path__ = [str(ROOT / "graphrt")]
    from graphrt.ir import op

    del sys.modules["graphrt"]
    found: dict[str, list[str]] = collections.defaultdict(list)

    def noted(function, name_of):
        def call(*args, **kwargs):
            frame = sys._getframe(1)
            while frame.f_code.co_name != "<module>":
                frame = frame.f_back
            found[frame.f_globals["__name__"]].append(name_of(args[0]))
            return function(*args, **kwargs)

        return call

    op.define, op.provide = noted(op.define, str), noted(op.provide, lambda f: f.__name__)
    for path in sorted((ROOT / "graphrt").rglob("*.py")):
        if "keras" not in path.parts and path.stem != "__main__":
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            with contextlib.suppress(*([ModuleNotFoundError] if module in OF_EXTRAS else [])):
                importlib.import_module(module.removesuffix(".__init__"))
    return found


def namespace_text(homes: dict[str, list[str]]) -> str:
    """Each op is an `OpDef`, and each function the one that its module provides."""
    parts = ["# Written by tests/stubs.py: what `graphrt.ir.op.ops` finds, with the types of its declaration.\n"]
    declared_ops = []
    for module, names in sorted(homes.items()):
        declared_ops += [name for name in names if name.lstrip("_")[:1].isupper()]
        provided = sorted({*names} - {*declared_ops})
        if provided:
            parts.append(imports(module, provided))
    parts.append("from graphrt.ir.op import OpDef\n")
    return "".join([*parts, *(f"{name}: OpDef\n" for name in sorted(declared_ops))])


def homes_text(homes: dict[str, list[str]]) -> str:
    parts = [
        '"""Which module declares an op, or provides a function: imported when the name is looked up.\n\n'
        'Written by `tests/stubs.py`.\n"""\n\nHOMES = {\n'
    ]
    for module, names in sorted(homes.items()):
        text = " ".join(sorted(names))
        line = f'    "{module}": "{text}",\n'
        if len(line) > 121:
            text = textwrap.fill(text, 120, initial_indent="        ", subsequent_indent="        ")
            line = f'    "{module}": """\n{text}\n    """,\n'
        parts.append(line)
    return "".join([*parts, "}\n"])


# --- methods of datasets ---------------------------------------------------------------------------------------------
METHODS_HEAD = """from typing_extensions import TypeVar

T = TypeVar("T", covariant=True, default=Any)
_F = TypeVar("_F", bound=Callable[..., Any])

def transformation(function: _F) -> _F: ...
def source(function: _F) -> _F: ...
def import_all(package: str, path: Iterable[str]) -> None: ...

class Methods(Generic[T]):
"""


def methods_text() -> str:
    """The class that files decorated with `transformation` and `source` add to, as if it were written in one place."""
    needed = {
        ("collections.abc", "Callable"),
        ("collections.abc", "Iterable"),
        ("typing", "Any"),
        ("typing", "Generic"),
    }
    methods = {}
    for folder in ("readers", "transformations"):
        for path in sorted((ROOT / "graphrt" / "data" / folder).glob("*.py")):
            tree = ast.parse(path.read_text())
            known = {a.name: (n.module, a.name) for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names}
            overloads: list[str] = []
            for node in tree.body:
                kind = ast.unparse(node.decorator_list[0]) if getattr(node, "decorator_list", ()) else ""
                if kind not in ("source", "transformation", "overload"):
                    continue
                signature = [node.args, node.returns]
                used = {n.id for part in signature for n in ast.walk(part) if isinstance(n, ast.Name)} - {"T"}
                needed |= {known[name] for name in used if name in known}
                if kind == "transformation":
                    node.args.args[0].annotation = None
                if kind == "overload":
                    signature_text = f"def {node.name}({ast.unparse(node.args)}) -> {ast.unparse(node.returns)}: ..."
                    overloads.append(f"    @overload\n    @staticmethod\n    {signature_text}\n")
                    needed.add(("typing", "overload"))
                    continue
                doc = ast.get_docstring(node).replace("\\", "\\\\")
                text = textwrap.indent(f'"""{doc}\n"""' if "\n" in doc else f'"""{doc}"""', "        ")
                static = "    @staticmethod\n" if kind == "source" else ""
                name = node.name.removesuffix("_")
                head = "".join(overloads) + "    @overload\n" * bool(overloads)
                overloads = []
                methods[name] = (
                    f"{head}{static}    def {name}({ast.unparse(node.args)}) -> {ast.unparse(node.returns)}:\n{text}\n"
                )
    by_module = collections.defaultdict(list)
    for module, name in sorted(needed):
        by_module[module].append(name)
    return "".join([
        "# Written by tests/stubs.py from graphrt/data/readers and graphrt/data/transformations.\n",
        *(f"from {module} import {', '.join(names)}\n" for module, names in by_module.items()),
        METHODS_HEAD, *(methods[name] for name in sorted(methods)),
    ])  # fmt: skip


def layers_text() -> str:
    """The names that the files of `graphrt/keras/layers` make public, and those of its `__init__.py`."""
    parts = ["# Written by tests/stubs.py from the files of graphrt/keras/layers.\n"]
    public = {"deserialize", "serialize"}
    for path in sorted((ROOT / "graphrt" / "keras" / "layers").glob("[!_]*.py")):
        module = f"graphrt.keras.layers.{path.stem}"
        names = public_names(module)
        if names:
            parts.append(imports(module, names))
            public.update(names)
    parts.append("from graphrt.keras.layer_classes import deserialize as deserialize\n\n")
    parts.append("def serialize(layer: Layer) -> dict[str, object]: ...\n\n")
    listed = "".join(f'    "{name}",\n' for name in sorted(public))
    return "".join([*parts, f"__all__ = [\n{listed}]\n"])


def stubs() -> dict[pathlib.Path, str]:
    found = {ROOT / "graphrt" / "__init__.pyi": text_of("")}
    for path in filter(None, EXPORTS):
        found[ROOT.joinpath(*stub_module(path).split(".")).with_suffix(".pyi")] = text_of(path)
    for folder in ("autograph", "autograph/backends"):
        found[ROOT / folder / "__init__.pyi"] = door_text(ROOT / folder / "__init__.py")
    return found


def main() -> None:
    homes = declared()
    ir = ROOT / "graphrt" / "ir"
    wanted = {ir / "homes.py": homes_text(homes), ir / "namespace.pyi": namespace_text(homes), **stubs()}
    wanted[ROOT / "graphrt" / "data" / "methods.pyi"] = methods_text()
    wanted[ROOT / "graphrt" / "keras" / "layers" / "__init__.pyi"] = layers_text()
    there = {*ir.glob("*.pyi"), *(ROOT / "graphrt").glob("*.pyi"), *(ROOT / "graphrt" / "api").glob("*.pyi")}
    stale = [p for p in sorted(there | wanted.keys()) if not p.exists() or p.read_text() != wanted.get(p)]
    if "--check" in sys.argv:
        if stale:
            sys.exit(f"out of date, run python -m tests.stubs: {', '.join(str(p.relative_to(ROOT)) for p in stale)}")
        return
    for path in stale:
        if path in wanted:
            path.write_text(wanted[path])
        else:
            path.unlink()
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
