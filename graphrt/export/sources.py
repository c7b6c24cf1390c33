"""Python objects as source text that needs nothing but NumPy: functions with all that they use.

    k_Sum = <function _sum>     ->      def k_Sum(x, axis, *, keep_dims):
                                            return unwrapped(np.sum(x, tuple(axis), keepdims=keep_dims))

A function is taken from the file it stands in, without annotations, and what it names is taken after it; names of other
modules become names of the text. Modules of Python's library are not there: few things of theirs have a stand-in.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import inspect
import os
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.export.literals import array_text
from graphrt.export.standins import STANDINS
from graphrt.ir.graph import Graph
from graphrt.ir.op import OpDef
from graphrt.state.storage import Storage
from graphrt.types.dtype import DType, bfloat16
from graphrt.types.nesting import shown

__all__ = ["NotPlain", "Sources"]

_NUMPY = (np, np.lib.stride_tricks, np.lib.array_utils, np.char, np.strings, np.random, np.dtypes)
_GRIDS = ("ogrid", "mgrid", "r_", "c_", "s_")
_PLAIN = (bool, int, str, bytes, type(None), type(Ellipsis))
_METHODS = frozenset(["classmethod", "property", "staticmethod"])
_ABSENT = object()
_LOCK = threading.Lock()


class NotPlain(Exception):
    """Something that has no text of its own."""


class Sources:
    """Collects definitions. `names` are taken; `store` is asked for the text of an array that is too large to print."""

    def __init__(self, names: set[str], store: Callable[[str, Any], str]) -> None:
        self.text: list[str] = []
        self._names = names | set(dir(builtins)) | {"np"}
        self._store = store
        self._known: dict[int, tuple[str, object]] = {}
        self._files: dict[str, _Source] = {}

    # --- names ---
    def fresh(self, hint: str) -> str:
        """A name that nothing has."""
        base = "".join(c if c.isalnum() or c == "_" else "_" for c in hint).lstrip("_") or "v"
        base = f"v{base}" if base[0].isdigit() else base
        name, count = base, 1
        while name in self._names:
            name, count = f"{base}_{count}", count + 1
        self._names.add(name)
        return name

    def define(self, name: str, thing: object) -> None:
        """Lets the text say what `name` is.

        Raises:
          NotPlain: `thing` has no text of its own.
        """
        known = self._known.get(id(thing))
        if known is None and self._is_defined(thing):
            self._known[id(thing)] = name, thing
            self._define(name, thing)
        else:
            self._assign(name, self.expression(thing, name))

    def expression(self, thing: object, hint: str = "v") -> str:
        """What stands for `thing` in the text, which defines it if need be.

        Raises:
          NotPlain: it has no text of its own.
        """
        known = self._known.get(id(thing))
        if known is not None:
            return known[0]
        if type(thing) in _PLAIN:
            return repr(thing)
        if isinstance(thing, float) and type(thing) is float:
            return repr(thing) if np.isfinite(thing) else f"float({str(thing)!r})"
        found = _of_builtins(thing) or _of_numpy(thing)
        if found is not None:
            return found
        standin = _standin(thing)
        if standin is not _ABSENT:
            return self.expression(standin, hint)
        if type(thing) in (tuple, list, set, frozenset, dict, slice):
            return self._container(thing, hint)
        if isinstance(thing, (types.MethodType, types.BuiltinMethodType)) and not isinstance(
            thing.__self__, (types.ModuleType, type(None))
        ):
            return f"{self.expression(thing.__self__, hint)}.{thing.__name__}"
        name = self.fresh(getattr(thing, "__name__", hint) if isinstance(thing, (type, types.FunctionType)) else hint)
        self._known[id(thing)] = name, thing
        self._define(name, thing)
        return name

    def _is_defined(self, thing: object) -> bool:
        """Whether `thing` gets a definition of its own."""
        if type(thing) in (*_PLAIN, float, tuple, list, set, frozenset, dict, slice):
            return False
        return _of_builtins(thing) is None and _of_numpy(thing) is None

    def _container(self, thing: Any, hint: str) -> str:
        if isinstance(thing, slice):
            return f"slice({', '.join(self.expression(v) for v in (thing.start, thing.stop, thing.step))})"
        if isinstance(thing, dict):
            pairs = ", ".join(f"{self.expression(k)}: {self.expression(v)}" for k, v in thing.items())
            return f"{{{pairs}}}"
        inner = ", ".join(self.expression(v, hint) for v in thing)
        if isinstance(thing, tuple):
            return f"({inner}{',' if len(thing) == 1 else ''})"
        return f"[{inner}]" if isinstance(thing, list) else f"{type(thing).__name__}([{inner}])"

    def _assign(self, name: str, text: str) -> None:
        if text != name:
            self.text.append(f"{name} = {text}")

    # --- definitions ---
    def _define(self, name: str, thing: Any) -> None:
        standin = _standin(thing)
        if standin is not _ABSENT:
            self._assign(name, self.expression(standin, name))
        elif isinstance(thing, (np.ndarray, np.generic)):
            self._assign(name, array_text(thing) or self._store(name, thing))
        elif isinstance(thing, type(_LOCK)):
            self._assign(name, f"{self.expression(type(_LOCK))}()")
        elif isinstance(thing, DType):
            made = self.expression(STANDINS[DType], "ElementType")
            numpy_type = "None" if thing is bfloat16 else self.expression(thing.as_numpy_dtype)
            told = f"{thing.name!r}, {numpy_type}, {thing.kind!r}, {thing.size}, {thing.as_datatype_enum}"
            self._assign(name, f"{made}({told})")
        elif isinstance(thing, Storage):
            made = self.expression(STANDINS[Storage], "Variable")
            value = [self.expression(thing.value, f"{name}_value")] if thing.initialized else []
            parts = [repr(thing.name), self.expression(thing.dtype, thing.dtype.name), repr(thing.dims), *value]
            self._assign(name, f"{made}({', '.join(parts)})")
        elif isinstance(thing, type) and issubclass(thing, Exception) and thing.__module__ == errors.__name__:
            self._error(name, thing)
        elif isinstance(thing, types.FunctionType):
            if (thing.__module__ or "").split(".")[0] in sys.stdlib_module_names:
                raise NotPlain(f"it needs {_called(thing)}")
            self._function(name, thing)
        elif hasattr(thing, "__wrapped__") and isinstance(thing.__wrapped__, types.FunctionType):
            self._assign(name, self.expression(thing.__wrapped__, name))  # a cache
        elif isinstance(thing, functools.partial):
            parts = [self.expression(v) for v in (thing.func, *thing.args)]
            parts += [f"{k}={self.expression(v)}" for k, v in thing.keywords.items()]
            self._assign(name, f"{self.expression(functools.partial)}({', '.join(parts)})")
        elif isinstance(thing, type) and thing.__module__.split(".")[0] == "graphrt":
            self._class(name, thing)
        elif isinstance(thing, Graph):
            raise NotPlain(f"it runs the graph {thing.name!r} by itself")
        else:
            raise NotPlain(f"it needs {_called(thing)}")

    def _error(self, name: str, kind: type) -> None:
        bases = [
            self.expression(b) for b in kind.__bases__ if b.__module__ in (errors.__name__, "builtins")
        ]  # fmt: skip
        self.text.append(f"class {name}({', '.join(bases)}):\n    pass\n")

    # --- source ---
    def _source(self, filename: str) -> _Source:
        if filename not in self._files:
            try:
                self._files[filename] = _read(filename, os.stat(filename).st_mtime_ns)
            except (OSError, SyntaxError) as error:
                raise NotPlain(f"its source cannot be read: {error}") from None
        return self._files[filename]

    def _function(self, name: str, function: types.FunctionType) -> None:
        code = function.__code__
        node = _node_of(self._source(code.co_filename), code)
        cells = inspect.getclosurevars(function).nonlocals
        scope = {**function.__globals__, **cells}
        writer = _Rewriter(self, scope)
        if isinstance(node, ast.Lambda):
            self._assign(name, ast.unparse(writer.visit(_copied(node))))
            return
        made = writer.visit(_copied(node))
        made.name, made.decorator_list = name, []
        self.text.append(ast.unparse(ast.fix_missing_locations(made)) + "\n")

    def _class(self, name: str, kind: type) -> None:
        filename = inspect.getsourcefile(kind) or ""
        node = self._source(filename).classes.get(kind.__name__)
        if node is None or kind.__name__ != kind.__qualname__:
            raise NotPlain(f"it needs the class {kind.__qualname__}")
        if node.decorator_list or node.keywords:
            raise NotPlain(f"it needs the class {kind.__qualname__}")
        module = sys.modules[kind.__module__]
        made = _Rewriter(self, {**vars(module), kind.__name__: kind}).visit(_copied(node))
        made.name = name
        self.text.append(ast.unparse(ast.fix_missing_locations(made)) + "\n")


def _standin(thing: object) -> Any:
    try:
        return STANDINS.get(thing, _ABSENT)
    except TypeError:  # what cannot be hashed has none
        return _ABSENT


def _called(thing: object) -> str:
    if isinstance(thing, types.ModuleType):
        return f"the module {thing.__name__}"
    name = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", None)
    module = getattr(thing, "__module__", None)
    return f"{module}.{name}" if name and module else f"an object of type {type(thing).__qualname__}"


# state: bounded: made once of what is built in
_BUILTINS = {id(v): k for k, v in vars(builtins).items() if not k.startswith("_") or k == "__import__"}


def _of_builtins(thing: object) -> str | None:
    name = _BUILTINS.get(id(thing))
    if name is not None and getattr(builtins, name) is thing:
        return name
    if isinstance(thing, (types.MethodDescriptorType, types.WrapperDescriptorType)):
        owner = _BUILTINS.get(id(thing.__objclass__))
        return f"{owner}.{thing.__name__}" if owner else None
    return None


def _of_numpy(thing: Any) -> str | None:
    """`thing` as NumPy names it, if it is of NumPy."""
    if thing is np:
        return "np"
    if isinstance(thing, np.dtype) and thing.names is None:
        return f"np.dtype({thing.str!r})"
    if isinstance(thing, types.ModuleType):
        return f"np{thing.__name__[5:]}" if thing.__name__.startswith("numpy.") else None
    name = getattr(thing, "__name__", None)
    if not isinstance(name, str):
        return next((f"np.{n}" for n in _GRIDS if getattr(np, n) is thing), None)
    for module in _NUMPY:
        if getattr(module, name, None) is thing:
            return f"np{module.__name__[5:]}.{name}"
    home = str(getattr(thing, "__module__", None))
    if home.startswith("numpy.") and "._" not in home and getattr(sys.modules.get(home), name, None) is thing:
        return f"np{home[5:]}.{name}"
    owner: Any = getattr(thing, "__self__", None)
    ufunc = getattr(owner, "__name__", "") if isinstance(owner, np.ufunc) else ""
    return f"np.{ufunc}.{name}" if ufunc and getattr(np, ufunc, None) is owner else None


def _copied(node: Any) -> Any:
    return ast.parse(ast.unparse(node), mode="eval" if isinstance(node, ast.Lambda) else "exec").body \
        if isinstance(node, ast.Lambda) else ast.parse(ast.unparse(node)).body[0]  # fmt: skip


class _Source:
    """A file: its functions by their first lines, and its classes by their names."""

    def __init__(self, text: str) -> None:
        self.functions: dict[int, list[ast.FunctionDef | ast.Lambda]] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.Lambda)):
                first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
                self.functions.setdefault(first, []).append(node)
            elif isinstance(node, ast.ClassDef):
                self.classes.setdefault(node.name, node)


# state: bounded: the files that programs were last made of
@functools.lru_cache(128)
def _read(filename: str, changed: int) -> _Source:
    with open(filename, encoding="utf-8") as file:
        return _Source(file.read())


def _node_of(source: _Source, code: types.CodeType) -> Any:
    """The function that `code` was compiled from."""
    found: list[Any] = []
    for node in source.functions.get(code.co_firstlineno, ()):
        if isinstance(node, ast.Lambda) and code.co_name == "<lambda>":
            inside = [p for p in code.co_positions() if p[0] is not None and p[2]]
            if _takes(node, code) and (_around(node, inside) if inside else _is_constant(node, code)):
                found.append(node)
        elif isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            found.append(node)
    if not found:
        raise NotPlain(f"the source of {code.co_qualname} is not there")
    return min(found, key=lambda n: (n.end_lineno - n.lineno, n.end_col_offset - n.col_offset))


def _around(node: ast.expr, places: list[Any]) -> bool:
    start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return all(start <= (p[0], p[2] or 0) and (p[1] or p[0], p[3] or 0) <= end for p in places)


def _is_constant(node: ast.Lambda, code: types.CodeType) -> bool:
    """Whether a lambda gives the constant that `code` gives: Python 3.12 and later say no place for one that gives such."""
    made = compile(ast.Expression(ast.parse(ast.unparse(node), mode="eval").body), "", "eval").co_consts[0]
    return (made.co_code, made.co_consts, made.co_names) == (code.co_code, code.co_consts, code.co_names)


def _takes(node: ast.Lambda, code: types.CodeType) -> bool:
    args = node.args
    names = [a.arg for a in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    names += [a.arg for a in (args.vararg, args.kwarg) if a is not None]
    return names == list(code.co_varnames[: len(names)])


# --- names in source -------------------------------------------------------------------------------------------------
class _Bound(ast.NodeVisitor):
    """The names that a scope binds itself."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, (ast.Store, ast.Del)):
            self.names.add(node.id)

    def visit_FunctionDef(self, node: Any) -> None:
        self.names.add(node.name)
        for part in (*node.decorator_list, *node.args.defaults, *(d for d in node.args.kw_defaults if d)):
            self.visit(part)

    visit_ClassDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        pass

    def _comprehension(self, node: Any) -> None:
        for walrus in ast.walk(node):
            if isinstance(walrus, ast.NamedExpr):
                self.visit(walrus.target)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.names.add(node.name)
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self.names.add(node.name)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        raise NotPlain("it keeps something between calls")


def _bound_by(node: Any) -> set[str]:
    found = _Bound()
    arguments = getattr(node, "args", None)
    if isinstance(arguments, ast.arguments):
        found.names |= {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        found.names |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}
    for part in node.body if isinstance(node.body, list) else [node.body]:
        found.visit(part)
    return found.names


class _Rewriter(ast.NodeTransformer):
    """Lets every global name say what it means in the text; annotations and examples are left out."""

    def __init__(self, sources: Sources, scope: dict[str, Any]) -> None:
        self.sources = sources
        self.scope = scope
        self.inner: list[set[str]] = []
        self.imported: dict[str, Any] = {}

    # --- what a name means ---
    def meaning(self, node: ast.expr) -> Any:
        """The object that a global name, or an attribute of a module, is; `_ABSENT` for anything else."""
        if isinstance(node, ast.Name):
            if any(node.id in names for names in self.inner):
                return _ABSENT
            if node.id in self.imported:
                return self.imported[node.id]
            if node.id in self.scope:
                return self.scope[node.id]
            found = getattr(builtins, node.id, _ABSENT)
            if found is _ABSENT:
                raise NotPlain(f"it uses the name {shown(node.id)}, which means nothing")
            return found
        if isinstance(node, ast.Attribute):
            owner = self.meaning(node.value)
            if isinstance(owner, OpDef) and node.attr in ("kernel", "compute"):
                return owner.kernel
            if isinstance(owner, (types.ModuleType, type)) or type(owner).__name__ == "_Ops":
                if isinstance(owner, type) and owner.__module__.split(".")[0] == "graphrt":
                    return _ABSENT  # the class is part of the text
                return getattr(owner, node.attr, _ABSENT)
        return _ABSENT

    def replaced(self, node: ast.Name | ast.Attribute) -> ast.expr | None:
        thing = self.meaning(node)
        if thing is _ABSENT:
            return None
        if isinstance(thing, types.ModuleType) and _of_numpy(thing) is None:
            raise NotPlain(f"it needs the module {thing.__name__}")
        hint = node.id if isinstance(node, ast.Name) else node.attr
        text = self.sources.expression(thing, hint)
        if thing is None:  # that it is called, say, in a branch that never runs is nothing to warn of
            text = self.sources.fresh(hint)
            self.sources.text.append(f"{text} = None")
        tree = ast.parse(text, mode="eval").body
        used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        if any(not used.isdisjoint(names) for names in self.inner):  # they mean something else here
            alias = self.sources.fresh(f"{text if text.isidentifier() else hint}_itself")
            self.sources.text.append(f"{alias} = {text}")
            tree = ast.Name(alias, ast.Load())
        return tree

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not isinstance(node.ctx, ast.Load):
            return node
        return self.replaced(node) or node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.ctx, ast.Load):
            found = self.replaced(node)
            if found is not None:
                return found
        return self.generic_visit(node)

    # --- scopes ---
    def scoped(self, node: Any, names: set[str]) -> Any:
        self.inner.append(names)
        try:
            return self.generic_visit(node)
        finally:
            self.inner.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        arguments = node.args
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
            argument.annotation = None
        for rest in (arguments.vararg, arguments.kwarg):
            if rest is not None:
                rest.annotation = None
        if not self.inner:  # what makes a method another kind of attribute stays
            node.decorator_list = [d for d in node.decorator_list if isinstance(d, ast.Name) and d.id in _METHODS]
        arguments.defaults = [self.visit(d) for d in arguments.defaults]
        arguments.kw_defaults = [d if d is None else self.visit(d) for d in arguments.kw_defaults]
        decorators = [self.visit(d) for d in node.decorator_list]
        defaults, kw_defaults = arguments.defaults, arguments.kw_defaults
        node.decorator_list, arguments.defaults, arguments.kw_defaults = [], [], []
        node.body = _without_examples(node.body)
        self.scoped(node, _bound_by(node))
        node.decorator_list, arguments.defaults, arguments.kw_defaults = decorators, defaults, kw_defaults
        node.body = node.body or [ast.Pass()]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        arguments = node.args
        defaults = [self.visit(d) for d in arguments.defaults]
        kw_defaults = [d if d is None else self.visit(d) for d in arguments.kw_defaults]
        arguments.defaults, arguments.kw_defaults = [], []
        self.scoped(node, _bound_by(node))
        arguments.defaults, arguments.kw_defaults = defaults, kw_defaults
        return node

    def comprehension(self, node: Any) -> Any:
        names = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        return self.scoped(node, names)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = comprehension

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.body = _without_examples(node.body) or [ast.Pass()]
        node.bases = [self.visit(b) for b in node.bases]
        bases, node.bases = node.bases, []
        own = _bound_by(node)
        node.body = [
            self.visit(p) if isinstance(p, ast.FunctionDef) else self.scoped(ast.Module([p], []), own).body[0]
            for p in node.body if not (isinstance(p, ast.AnnAssign) and p.value is None)
        ]  # fmt: skip
        node.body = [part for part in node.body if part is not None] or [ast.Pass()]
        node.bases = bases
        return node

    # --- statements ---
    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is None:
            return None
        return self.visit(ast.Assign(targets=[node.target], value=node.value, lineno=node.lineno))

    def visit_Import(self, node: ast.Import) -> ast.stmt:
        if [a.name for a in node.names] == ["ml_dtypes"]:  # of bfloat16, which programs do not have
            self.inner[-1].add("ml_dtypes")
            return ast.parse("raise ImportError('ml_dtypes')").body[0]
        raise NotPlain(f"it imports {', '.join(a.name for a in node.names)}")

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:
        if (node.module or "").split(".")[0] not in ("graphrt", "numpy"):
            raise NotPlain(f"it imports {node.module}")
        module = importlib.import_module(str(node.module))
        for alias in node.names:
            self.imported[alias.asname or alias.name] = getattr(module, alias.name)
        return ast.Pass()

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.stmt:
        if not any(set(node.names) <= names for names in self.inner[:-1]):
            raise NotPlain("it keeps something between calls")
        return node


def _without_examples(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements, with nothing but the first paragraph of the docstring."""
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        text = inspect.cleandoc(first.value.value).partition("\n\n")[0]
        return [ast.Expr(ast.Constant(text)), *body[1:]]
    return body
