"""Which expressions surely give plain Python values, so that nothing that chooses by them is ever staged.

if x is None:              plain: `is` looks at identity
if isinstance(x, str):     plain
n = 3; while n > 2: ...    plain: `n` is only ever set to plain values
if x > 0:                  may be staged: `x` is a parameter
"""

from __future__ import annotations

import sys
from typing import Any

import gast

from autograph.converters.stays import frame_nodes
from autograph.pyct import quiet
from autograph.pyct.analysis.scopes import names_bound_by
from autograph.pyct.names import qualified_name
from autograph.pyct.nodes import COMPREHENSION_NODES, DEF_NODES, Node, children

_DISPLAYS = (gast.List, gast.Tuple, gast.Dict, gast.Set)
_DECLARATIONS = (gast.Global, gast.Nonlocal)
# Results that are plain whatever the arguments.
_PLAIN_CALLS = frozenset((
    "ascii", "bytes", "bytearray", "callable", "chr", "dict", "dir", "format", "frozenset", "getattr_static",
    "globals", "hasattr", "id", "input", "isinstance", "issubclass", "list", "locals", "memoryview", "object", "open",
    "repr", "set", "str", "super", "tuple", "type", "vars",
))  # fmt: skip
# Plain if the arguments are.
_TRANSPARENT_CALLS = frozenset((
    "abs", "all", "any", "bin", "bool", "complex", "divmod", "enumerate", "filter", "float", "hash", "hex", "int",
    "iter", "len", "map", "max", "min", "next", "oct", "ord", "pow", "range", "reversed", "round", "slice", "sorted",
    "sum", "zip",
))  # fmt: skip
_CONTAINERS = frozenset(("dict", "frozenset", "list", "set", "tuple"))
_ITERATORS = frozenset(("enumerate", "filter", "iter", "map", "reversed", "sorted", "zip"))
_PYTHON_ITERABLES = frozenset(("items", "keys", "split", "splitlines", "values"))
# Annotations of parameters that are settings, names and containers rather than numbers.
_PLAIN_ANNOTATIONS = frozenset(
    ("str", "bytes", "bool", "dict", "Dict", "Callable", "Path", "type", "Type", "Mapping", "None", "Literal",
     "set", "frozenset", "LiteralString", "Enum")
)  # fmt: skip
_PLAIN_ATTRIBUTES = frozenset(("__class__", "__doc__", "__module__", "__name__", "__qualname__", "dtype", "ndim"))
# Modules of the standard library that compute with the numbers they are given.
_NUMERIC = frozenset(
    ("array", "bisect", "cmath", "collections", "contextlib", "contextvars", "copy", "dataclasses", "decimal",
     "fractions", "functools", "heapq", "itertools", "math", "numbers", "operator", "queue", "random", "statistics",
     "types", "weakref")
)  # fmt: skip


def plain_globals(module: Any) -> dict[str, str]:
    """The module-level names that are surely plain: "module" for imported ones, "value" for constants."""
    found: dict[str, str] = {}
    unsure: set[str] = set()
    stack = list(module.body)
    while stack:
        node = stack.pop()
        if isinstance(node, gast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                plain = top in sys.stdlib_module_names and top not in _NUMERIC
                found[alias.asname or top] = "library" if plain else "module"
        elif isinstance(node, gast.ImportFrom):
            top = (node.module or "").partition(".")[0]
            if not node.level and top in sys.stdlib_module_names and top not in _NUMERIC:
                found.update((alias.asname or alias.name, "library") for alias in node.names)
        elif isinstance(node, gast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], gast.Name):
            name = node.targets[0].id
            if name in found or name in unsure or not _is_literal(node.value):
                unsure.add(name)
            else:
                found[name] = "value"
        elif isinstance(node, (gast.AugAssign, gast.For)):
            unsure.update(n.id for n in frame_nodes([node.target]) if isinstance(n, gast.Name))
        elif isinstance(node, DEF_NODES):
            for inner in frame_nodes(node.body):
                if isinstance(inner, gast.Global):
                    unsure.update(inner.names)
        if not isinstance(node, (*DEF_NODES, gast.ClassDef)):
            stack.extend(c for c in children(node) if isinstance(c, (gast.stmt, gast.ExceptHandler)))
    return {name: kind for name, kind in found.items() if name not in unsure}


def _is_literal(node: Node) -> bool:
    return all(isinstance(n, (*_DISPLAYS, gast.Constant, gast.UnaryOp, gast.BinOp)) for n in frame_nodes([node]))


class Plainness:
    """Judges the expressions of one function."""

    def __init__(self, function: Node, module_names: dict[str, str], outer: Plainness | None) -> None:
        self.module_names = module_names
        self.outer = outer
        self.local: dict[str, list[Any]] = {}  # name -> what it is set to; an unknown value is None
        self.trusted: set[str] = set()
        self.containers: set[str] = set()
        self._pending: set[str] = set()
        self._known: dict[str, bool] = {}
        args = function.args
        for parameter in (*args.posonlyargs, *args.args, *args.kwonlyargs):
            self.local[parameter.id] = [None]
            if _is_plain_annotation(parameter.annotation):
                self.trusted.add(parameter.id)
        for parameter in (args.vararg, args.kwarg):
            if parameter is not None:  # a tuple or dict: its truth and length are plain, what it holds need not be
                self.local[parameter.id] = [None]
                self.containers.add(parameter.id)
        body = function.body if isinstance(function.body, list) else [function.body]
        self._collect(body)

    def _collect(self, body: list[Any]) -> None:
        for node in frame_nodes(body):
            if isinstance(node, gast.Assign):
                for target in node.targets:
                    self._set(target, node.value)
            elif isinstance(node, gast.AnnAssign) and isinstance(node.target, gast.Name):
                if _is_plain_annotation(node.annotation):
                    self.trusted.add(node.target.id)
                self._set(node.target, node.value)
            elif isinstance(node, (gast.NamedExpr, gast.AugAssign)):
                self._set(node.target, node.value)
            elif isinstance(node, (gast.For, gast.AsyncFor, gast.comprehension)):
                self._set(node.target, node.iter)
            elif isinstance(node, gast.withitem) and node.optional_vars is not None:
                self._set(node.optional_vars, None)
            elif isinstance(node, gast.ExceptHandler) and node.name is not None:
                self._set(node.name, gast.Constant(0, None))
            elif not isinstance(node, gast.Name):
                is_unknown = isinstance(node, (*_DECLARATIONS, gast.pattern))
                for name in node.names if isinstance(node, _DECLARATIONS) else names_bound_by(node):
                    self.local.setdefault(name, []).append(None if is_unknown else gast.Constant(0, None))

    def _set(self, target: Node, value: Node) -> None:
        if isinstance(target, gast.Name):
            self.local.setdefault(target.id, []).append(value)
        elif isinstance(target, (gast.Tuple, gast.List, gast.Starred)):
            inner = [target.value] if isinstance(target, gast.Starred) else target.elts
            fits = isinstance(value, (gast.Tuple, gast.List)) and len(value.elts) == len(inner)
            values = value.elts if fits else None
            for position, item in enumerate(inner):
                self._set(item, values[position] if values is not None else value)

    def name(self, text: str) -> bool:
        """Whether a name only ever holds plain values."""
        if text in self.trusted:
            return True
        if text not in self.local:
            if self.outer is not None:
                return self.outer.name(text)
            return self.module_names.get(text) in ("value", "library")
        if text in self._known:
            return self._known[text]
        if text in self._pending:  # set from itself: as plain as its other values
            return True
        self._pending.add(text)
        result = all(value is not None and self.is_plain(value) for value in self.local[text])
        self._pending.discard(text)
        if not self._pending:
            self._known[text] = result
        return result

    def is_plain(self, node: Node) -> bool:
        """Whether the value of an expression, or each element of it as an iterable, is surely plain."""
        judge = getattr(self, f"_{type(node).__name__}", None)
        return judge is not None and judge(node)

    def chooses_plainly(self, node: Node) -> bool:
        """Whether the truth of an expression is surely decided by Python: displays have a length of their own."""
        if self._is_python(node) or isinstance(node, gast.Lambda):
            return True
        if isinstance(node, gast.BoolOp):
            return all(map(self.chooses_plainly, node.values))
        if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
            return self.chooses_plainly(node.operand)
        return self.is_plain(node)

    def iterates_plainly(self, node: Node) -> bool:
        """Whether a loop over an expression is surely a Python loop."""
        if self._is_python(node):
            return True
        if isinstance(node, gast.Call):
            function = qualified_name(node.func)
            text = "" if function is None else function.text
            if isinstance(node.func, gast.Attribute) and node.func.attr in _PYTHON_ITERABLES:
                return True
            if text in _ITERATORS and self._is_builtin(text):
                inner = node.args[1:] if text in ("filter", "map") else node.args
                return bool(inner) and all(map(self.iterates_plainly, inner))
            if text in _PLAIN_CALLS - _CONTAINERS and self._is_builtin(text):
                return True
        return self.is_plain(node)

    def _is_python(self, node: Node) -> bool:
        """Whether an expression is surely a container of Python's, or of a plain value."""
        if isinstance(node, gast.Name):
            return node.id in self.trusted or self.is_container(node)
        return isinstance(node, (*_DISPLAYS, *COMPREHENSION_NODES))

    def _home(self, name: str) -> Plainness | None:
        """The function, of this one and those around it, that has a variable."""
        scope: Plainness | None = self
        while scope is not None and name not in scope.local:
            scope = scope.outer
        return scope

    def is_container(self, node: Node) -> bool:
        """Whether an expression names the `*args` or `**kwargs` of a function."""
        if not isinstance(node, gast.Name):
            return False
        scope = self._home(node.id)
        return scope is not None and node.id in scope.containers and len(scope.local[node.id]) == 1

    def _is_builtin(self, text: str) -> bool:
        return text not in self.local and text not in self.module_names

    # One method for each kind of expression; what has none may be staged.

    def _Constant(self, node: Node) -> bool:
        return True

    _JoinedStr = _Lambda = _Constant

    def _Name(self, node: Node) -> bool:
        return self.name(node.id)

    def _Attribute(self, node: Node) -> bool:
        return node.attr in _PLAIN_ATTRIBUTES or self.is_plain(node.value)

    def _parts(self, node: Node) -> bool:
        return all(map(self.is_plain, children(node)))

    _Subscript = _Slice = _Tuple = _List = _Set = _Dict = _Starred = _BoolOp = _UnaryOp = _IfExp = _parts

    def _BinOp(self, node: Node) -> bool:
        if isinstance(node.left, gast.Constant) and isinstance(node.left.value, (str, bytes)):
            return True  # formatted text
        return self.is_plain(node.left) and self.is_plain(node.right)

    def _Compare(self, node: Node) -> bool:
        if all(isinstance(op, (gast.Is, gast.IsNot)) for op in node.ops):
            return True
        operands = (node.left, *node.comparators)
        texts = [isinstance(o, gast.Constant) and isinstance(o.value, (str, bytes)) for o in operands]
        if any(texts) and len(node.ops) == 1:
            return True
        if isinstance(node.ops[-1], (gast.In, gast.NotIn)) and self.is_container(operands[-1]):
            operands = operands[:-1]
        return all(map(self.is_plain, operands))

    def _NamedExpr(self, node: Node) -> bool:
        return self.is_plain(node.value)

    def _Call(self, node: Node) -> bool:
        arguments = (*node.args, *(keyword.value for keyword in node.keywords))
        if isinstance(node.func, gast.Name) and self._is_builtin(node.func.id):
            if node.func.id == "len" and all(map(self.is_container, arguments)):
                return True
            if node.func.id in _PLAIN_CALLS:
                return node.func.id not in _CONTAINERS or all(map(self.is_plain, arguments))
            return node.func.id in _TRANSPARENT_CALLS and all(map(self.is_plain, arguments))
        symbol = qualified_name(node.func)
        if symbol is not None and self._is_library(symbol.text.partition(".")[0]):
            return True
        if isinstance(node.func, gast.Attribute):  # a method of a plain value
            return self.is_plain(node.func.value) and all(map(self.is_plain, arguments))
        return False

    def _is_library(self, name: str) -> bool:
        return self._home(name) is None and self.module_names.get(name) == "library"


def _is_plain_annotation(node: Node) -> bool:
    if node is None:
        return False
    if isinstance(node, gast.Constant):
        if node.value is None:
            return True
        if not isinstance(node.value, str):
            return False
        try:
            node = gast.ast_to_gast(quiet.parse(node.value, mode="eval")).body
        except SyntaxError:
            return False
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.BitOr):
        return _is_plain_annotation(node.left) and _is_plain_annotation(node.right)
    if isinstance(node, gast.Subscript):
        base = _last(node.value)
        if base == "Optional":
            return _is_plain_annotation(node.slice)
        return base in _PLAIN_ANNOTATIONS
    return _last(node) in _PLAIN_ANNOTATIONS


def _last(node: Node) -> str:
    return node.attr if isinstance(node, gast.Attribute) else node.id if isinstance(node, gast.Name) else ""
