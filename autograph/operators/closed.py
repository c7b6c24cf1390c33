"""Functions that meet nothing staged as long as they are given numbers, texts, and containers of them.

These run as they were written:

    def power(x, n):                              reads its arguments, `range`, and functions of this kind, and no more:
        for _ in range(n):                        power(2, 100) runs as written, power(tensor, 100) converted
            x = x * 2
        return x

What such a function may read is found when it is converted; that it is so yet is asked when it is called.
"""

from __future__ import annotations

import ast
import builtins
import opcode
import sys
import weakref
from collections.abc import Collection, Iterator
from types import CodeType, FunctionType, MemberDescriptorType
from typing import Any

from autograph.backends.journal import open_journals
from autograph.backends.own_builtins import OWN
from autograph.backends.registry import is_always_staging
from autograph.backends.trace import current_trace, with_stand_ins
from autograph.operators.effects import MUTATING
from autograph.operators.frames import COMPREHENSIONS
from autograph.pyct.nodes import Node, walk

globals()["__builtins__"] = OWN

# They cannot change, and hold nothing.
_PLAIN_TYPES = (int, float, bool, str, bytes, complex, type(None))
_PLAIN = frozenset(map(id, _PLAIN_TYPES))
_CONTAINERS = frozenset(map(id, (list, tuple, dict, set, frozenset)))
_CANNOT_CHANGE = frozenset(map(id, (tuple, frozenset)))
_MOST_HELD = 1024  # more would take longer to look at than it is worth
_WRITING = frozenset(
    map(opcode.opmap.get, ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_ATTR", "DELETE_ATTR", "STORE_SLICE"))
)
_WRITERS = frozenset(name for names in MUTATING.values() for name in names if name[0] != "_")
_MAKE_PLAIN = (abs, bool, chr, float, hash, int, isinstance, len, ord, repr, round, str, sum)
_CALL_NOTHING_ELSE = (
    *(all, any, ascii, bin, bytearray, bytes, complex, dict, divmod, enumerate, filter, format, frozenset, hex, iter),
    *(list, map, max, min, next, oct, pow, print, range, reversed, set, slice, sorted, tuple, zip),
)
_NUMBER_MAKERS = frozenset(f.__name__ for f in _MAKE_PLAIN)
_FUNCTIONS: dict[str, object] = {f.__name__: f for f in (*_MAKE_PLAIN, *_CALL_NOTHING_ELSE)}
_FUNCTIONS.update((n, v) for n, v in vars(builtins).items() if isinstance(v, type) and issubclass(v, BaseException))
_FRAME_ATTRIBUTES = frozenset({"gi_frame", "f_back", "f_globals", "f_locals", "tb_frame", "gi_yieldfrom"})
_SUSPENDING = 0x20 | 0x80 | 0x200  # CO_GENERATOR, CO_COROUTINE, CO_ASYNC_GENERATOR
_VARIADIC = 0x4 | 0x8  # CO_VARARGS, CO_VARKEYWORDS
_REACHING = frozenset(map(opcode.opmap.get, ("STORE_GLOBAL", "DELETE_GLOBAL", "IMPORT_NAME", "LOAD_BUILD_CLASS")))
_MOST_PARTS = 30
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_OF_CLASSES = frozenset({"__dict__", "__weakref__", "__annotations__", "__slots__", "__static_attributes__"})
_MOST_REFUSED = 20
_MISSING = object()


class _Function:
    """A function, and what it reads of its module: built-in functions, plain values, functions and classes."""

    def __init__(self, code: CodeType) -> None:
        self._code = weakref.ref(code)
        self._builtins: dict[str, object] = {}
        self._values: list[str] = []
        self.parts: dict[str, _Function | _Class] = {}
        self.writes = _writes(code)

    def learn(self, f: FunctionType, known: _Known) -> bool:
        """Finds out what the function reads; whether it is nothing else."""
        code = f.__code__
        if code.co_flags & (_SUSPENDING | _VARIADIC) or code.co_freevars:
            return False
        for name in _names_of(code):
            if name is None:
                return False
            value = f.__globals__.get(name, _MISSING)
            if value is _MISSING:
                value = getattr(builtins, name, _MISSING)
                if value is not _MISSING and _FUNCTIONS.get(name) is not value:
                    return False
                if value is not _MISSING:  # else an attribute, or nothing
                    self._builtins[name] = value
            elif id(type(value)) in _PLAIN:
                self._values.append(name)
            elif (part := known.part(value)) is not None:
                self.parts[name] = part
            else:
                return False
        return True

    def is_still(self, value: object, seen: set[object]) -> bool:
        """Whether `value` is the function that it was, and all that it reads."""
        if type(value) is not FunctionType or value.__code__ is not self._code() or not _is_bare(value):
            return False
        return self in seen or self.reads_still(value.__globals__, seen)

    def reads_still(self, space: dict[str, object], seen: set[object]) -> bool:
        """Whether the function reads in `space` what it did."""
        seen.add(self)
        for name, value in self._builtins.items():
            if name in space or getattr(builtins, name, None) is not value:
                return False
        for name in self._values:
            if id(type(space.get(name, _MISSING))) not in _PLAIN:
                return False
        return all(part.is_still(space.get(name), seen) for name, part in self.parts.items())


class _Class:
    """A class of such functions and of plain values."""

    def __init__(self, kind: type) -> None:
        self._kind = weakref.ref(kind)
        self._values: list[str] = []
        self._parts: dict[str, _Function | _Class] = {}
        self._size = len(vars(kind))

    def learn(self, kind: type, known: _Known) -> bool:
        """Finds out what is in the class; whether it is nothing else."""
        if kind.__bases__ != (object,):
            return False
        for name, value in vars(kind).items():
            if name in _OF_CLASSES or type(value) is MemberDescriptorType:
                continue
            if id(type(value)) in _PLAIN:
                self._values.append(name)
            elif type(value) is FunctionType and (part := known.part(value)) is not None:
                self._parts[name] = part
            else:
                return False
        return True

    def is_still(self, value: object, seen: set[object]) -> bool:
        """Whether `value` is the class that it was, and all that is in it."""
        if type(value) is not type or value is not self._kind():
            return False
        if self in seen:
            return True
        seen.add(self)
        space = vars(value)
        if len(space) != self._size or any(id(type(space.get(name, _MISSING))) not in _PLAIN for name in self._values):
            return False
        return all(part.is_still(space.get(name), seen) for name, part in self._parts.items())


class _Known:
    """The functions and classes that one function may come upon."""

    def __init__(self) -> None:
        self._parts: dict[int, _Function | _Class | None] = {}

    def part(self, value: object) -> _Function | _Class | None:
        """What is known of a function without defaults or closure, or of a class; None if it may be anything."""
        if type(value) is FunctionType and _is_bare(value):
            return self.function(value)
        if type(value) is not type or not value.__flags__ & _HEAP_TYPE:
            return None
        if id(value) not in self._parts and len(self._parts) < _MOST_PARTS:
            found = self._parts[id(value)] = _Class(value)
            if not found.learn(value, self):
                self._parts[id(value)] = None
        return self._parts.get(id(value))

    def function(self, f: FunctionType) -> _Function | None:
        """What is known of a function."""
        key = id(f.__code__)
        if key not in self._parts and len(self._parts) < _MOST_PARTS:
            found = self._parts[key] = _Function(f.__code__)
            if not found.learn(f, self):
                self._parts[key] = None
        result = self._parts.get(key)
        return result if isinstance(result, _Function) else None

    def writes(self) -> bool:
        """Whether any of the functions may change what it was given."""
        return any(isinstance(part, _Function) and part.writes for part in self._parts.values())


def _is_bare(f: FunctionType) -> bool:
    return f.__defaults__ is None and f.__kwdefaults__ is None and f.__closure__ is None


def _names_of(code: CodeType) -> Iterator[str | None]:
    """The names of globals and attributes in a code; None for what may reach anything."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names_of(inner) if inner.co_name in COMPREHENSIONS else [None]
    if not _REACHING.isdisjoint(code.co_code[::2]):
        yield None
    for name in code.co_names:
        yield None if name.startswith("__") or name in _FRAME_ATTRIBUTES else name


def _writes(code: CodeType) -> bool:
    """Whether a code may change what it was given."""
    if not _WRITING.isdisjoint(code.co_code[::2]) or not _WRITERS.isdisjoint(code.co_names):
        return True
    return any(isinstance(inner, CodeType) and _writes(inner) for inner in code.co_consts)


def _holds_plain(value: Any, containers: frozenset[int]) -> bool:
    """Whether all that a container, and such `containers` in it, hold is plain, as far as that is quickly said."""
    todo, left, known = [value], _MOST_HELD, {id(value)}
    while todo:
        items = todo.pop()
        parts = tuple(items.values()) if type(items) is dict else items
        left -= len(parts)
        if left < 0 or (type(items) is dict and not _PLAIN.issuperset(map(id, map(type, items)))):
            return False
        if not _PLAIN.issuperset(map(id, map(type, parts))):
            inner = [part for part in tuple(parts) if id(type(part)) not in _PLAIN]  # another thread may change it
            if not containers.issuperset(map(id, map(type, inner))):
                return False
            todo += [part for part in inner if id(part) not in known]
            known.update(map(id, inner))
    return True


class Closed:
    """Says of a call whether it can meet nothing staged.

    `gives_plain`: whether what the function gives for plain values holds nothing either; `gives_new`: whether it does for
    containers of them, and changes none.

    Attributes:
      asks: False for a function that is mostly given other things: then that is no question.
    """

    __slots__ = ("_function", "_gives_new", "_gives_plain", "_refused", "asks")

    def __init__(self, function: _Function, gives_plain: bool, gives_new: bool) -> None:
        self.asks = True
        self._function = function
        self._gives_plain = gives_plain
        self._gives_new = gives_new
        self._refused = 0

    def __call__(self, *args: object) -> bool:
        """Whether a function that was called with `args` may run as it was written."""
        gives_plain = self._gives_plain
        for value in args:
            kind = id(type(value))
            if kind in _PLAIN:
                continue
            # What can change is looked at through what stands in for it, and its changes are told of.
            containers = _CANNOT_CHANGE if open_journals or with_stand_ins else _CONTAINERS
            if kind not in containers or not _holds_plain(value, containers):
                self._refused += 1
                self.asks = self._refused < _MOST_REFUSED
                return False
            gives_plain = self._gives_new
        if is_always_staging() or not (gives_plain or current_trace() is None):
            return False  # a trace is told of what is made in it
        return self._function.reads_still(sys._getframe(1).f_globals, set())


def closed(f: FunctionType, tree: Node) -> Closed | None:
    """For a function that runs for a while and reads nothing else that may be staged; `tree` is its definition."""
    if not isinstance(tree, ast.FunctionDef):
        return None
    known = _Known()
    found = known.function(f)
    if found is None:
        return None
    nodes = walk(tree)
    if not (found.parts or not _REPEATING.isdisjoint(map(type, nodes))):
        return None
    results = _Results(tree.name, nodes)
    gives_new = not known.writes() and results.are_plain(
        [arg.arg for arg in walk(tree.args) if isinstance(arg, ast.arg)]
    )
    return Closed(found, results.are_plain(), gives_new)


_REPEATING = frozenset((ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp))


class _Results:
    """The variables of a function, of these nodes, that only ever hold what is plain, as far as its text says."""

    def __init__(self, name: str, nodes: list[Any]) -> None:
        self._name = name
        self._returned: list[ast.expr] = []
        self._others: Collection[str] = ()
        self._values: dict[str, list[ast.expr | None]] = {}
        for node in nodes:
            if isinstance(node, ast.Return):
                if node.value is not None:
                    self._returned.append(node.value)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    self._bind(target, node.value)
            elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)):
                if node.value is not None:
                    self._bind(node.target, node.value)
            elif isinstance(node, (ast.For, ast.comprehension)):
                counts = isinstance(node.iter, ast.Call) and _called(node.iter) == "range"
                self._bind(node.target, ast.Constant(0) if counts else None)
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self._values.setdefault(node.id, [])
            elif isinstance(node, ast.ExceptHandler) and node.name is not None:
                self._values.setdefault(node.name, []).append(None)
        self._open: set[str] = set()

    def _bind(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Name):
            self._values.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for part, item in zip(target.elts, value.elts):
                self._bind(part, item)
        else:
            for node in walk(target):
                if isinstance(node, ast.Name):
                    self._values.setdefault(node.id, []).append(None)

    def are_plain(self, others: Collection[str] = ()) -> bool:
        """Whether the function returns plain values alone, where the variables `others` may hold anything."""
        self._others = others
        return all(map(self._is_plain, self._returned))

    def _is_plain(self, node: ast.expr | None) -> bool:
        if isinstance(node, ast.Name):
            if node.id in self._others:
                return False
            if node.id in self._open:
                return True  # by its other values
            self._open.add(node.id)
            plain = all(map(self._is_plain, self._values.get(node.id, [])))
            self._open.discard(node.id)
            return plain
        if isinstance(node, ast.Call):
            if _called(node) == "sum" and len(node.args) + len(node.keywords) > 1:
                return False  # it begins with what may be a list
            return _called(node) in _NUMBER_MAKERS or _called(node) == self._name
        if isinstance(node, ast.IfExp):
            return self._is_plain(node.body) and self._is_plain(node.orelse)
        if isinstance(node, (ast.BinOp, ast.BoolOp, ast.UnaryOp)):
            return all(self._is_plain(n) for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr))
        return isinstance(node, (ast.Constant, ast.Compare, ast.JoinedStr))


def _called(node: ast.Call) -> str | None:
    return node.func.id if isinstance(node.func, ast.Name) else None
