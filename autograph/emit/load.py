"""From trees of `ast` to code objects that say they come from the user's file.

A function is compiled inside the scopes it was defined in, none of which is ever run:

    def outer(captured):             # what it captures, so that these names are free variables
        class A:                     # its class, for private names and `super()`
            def f(self): ...

Afterwards constants that no text can stand for take the place of their stand-ins, what the user defined has the qualified
name that the user gave it, and parts of a function bear its name.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from types import CodeType

from autograph.emit.two_bodies import with_parts_of, with_plain_body
from autograph.emit.unit import PLACEHOLDER, THUNK, Frame, Unit
from autograph.operators.frames import COMPREHENSIONS, OPTIMIZED, codes_within, mark_generated, mark_thunk
from autograph.operators.locations import ALL, EMPTY, HEADER, NOWHERE, without_generated_lines
from autograph.pyct import quiet
from autograph.pyct.names import is_own_name, own
from autograph.pyct.nodes import Node, children, parameters, walk
from autograph.pyct.quiet import DOUBTS
from autograph.pyct.same_code import FUTURE_FLAGS, surrounded
from autograph.pyct.shallow import make_shallow
from autograph.pyct.trees import copied

_REAL = frozenset({ast.ClassDef, ast.arg, ast.Lambda, ast.FunctionDef})  # what has a place whoever wrote it
_WHOLLY_GENERATED = frozenset(map(own, ("extra_test", "get_state", "set_state", "piece")))


def load_function(
    definition: Node, unit: Unit, original: CodeType, owner: str | None, plain: Node, test: Node
) -> CodeType:
    """The code object of a converted function, from what was compiled of it.

    With `plain`, the `ast` tree of the definition as the user wrote it, the code holds both bodies (see `two_bodies`), if
    the function was compiled from its text alone; `test` chooses.
    """
    # Evaluated where the function was defined, and kept on the function object.
    definition.returns = None
    for arg in parameters(definition.args):
        arg.annotation = None
    if hasattr(definition, "type_params"):
        definition.type_params = []
    if original.co_firstlineno != definition.lineno:  # a decorated function starts at its first decorator
        definition.lineno, definition.col_offset = original.co_firstlineno, 0
    parts = [c for c in original.co_consts if isinstance(c, CodeType)]
    captured = [name for name in original.co_freevars if owner is None or name != "__class__"]
    found = None
    if plain is not None:
        alone, as_read = with_plain_body(definition, plain, test, bool(parts))
        found = with_parts_of(_compiled(definition, unit, owner, captured, as_read), original)
        if found is None:
            definition.body = alone
    if found is None:
        found, parts = _compiled(definition, unit, owner, captured), []
    iterable = original.co_flags & inspect.CO_ITERABLE_COROUTINE
    loading = _Loading(unit, {id(part) for part in parts})
    if iterable:
        found = found.replace(co_flags=found.co_flags | iterable)
    code = loading.code(found, original.co_name, original.co_qualname)
    unit.loaded(loading.used)
    kept = {id(inner) for part in parts for inner in (part, *codes_within(part))}
    mark_generated(code, unit.places, kept)
    return code


def load_piece(
    unit: Unit, frame: Frame, body: list[Node], captured: Iterable[str], parameters: Iterable[str]
) -> CodeType:
    """The code object of a piece of a function, which shares the variables `captured` with it."""
    definition = quiet.parse("def f(): pass").body[0]
    definition.name, definition.body = own("piece"), body
    definition.args.args = [ast.arg(p) for p in parameters]
    ast.copy_location(definition, body[-1])
    found = _compiled(definition, unit, frame.owner, captured)
    loading = _Loading(unit, set())
    code = loading.code(found, frame.name, frame.qualname)
    unit.loaded(loading.used)
    mark_thunk(code)
    mark_generated(code, unit.places)
    return code


def _compiled(
    statement: Node, unit: Unit, owner: str | None, captured: Iterable[str], as_read: Iterable[Node] = ()
) -> CodeType:
    """The code object of one definition, as the compiler makes it; the parts `as_read` are complete."""
    name = statement.name
    outer = surrounded(statement, owner, captured)
    _complete(outer, set(as_read))
    flags = unit.code_flags & FUTURE_FLAGS
    try:
        code = compile(outer, unit.filename, "exec", flags, dont_inherit=True)
    except RecursionError:
        outer = copied(outer)  # some nodes stand in several places
        make_shallow(outer)
        code = compile(outer, unit.filename, "exec", flags, dont_inherit=True)
    return _inner(_inner(code, "outer"), name)


def _complete(tree: Node, seen: set[Node]) -> None:
    """Gives nodes without a position the one of no place, which the compiler knows; functions one of their own.

    Those that were `seen` are left alone.
    """
    stack = [(tree, 1)]
    while stack:
        node, around = stack.pop()
        if node in seen:
            continue
        seen.add(node)  # it may stand in several places
        kind = node.__class__
        if kind is ast.Try:
            _place_exits(node)
        if kind in DOUBTS:
            DOUBTS[kind](node, True)
        if kind._attributes:
            values = node.__dict__
            line = values.get("lineno")
            if line is None or line < 1:
                real = kind in _REAL
                nowhere = -1 if NOWHERE is None or not issubclass(kind, ast.expr) else NOWHERE
                values["lineno"] = values["end_lineno"] = around if real else nowhere
                values["col_offset"] = values["end_col_offset"] = 0 if real else -1
            else:
                around = line
        for child in children(node):
            stack.append((child, around))


def _place_exits(node: Node) -> None:
    """Has what passes an error on in a `try`, and nobody wrote, stand where the body does.

    A frame that was left there is asked for its line (by IPython, say), and None is no answer.
    """
    passing = [*(h.body[-1] for h in node.handlers if isinstance(h.body[-1], ast.Raise)), *node.finalbody[-1:]]
    parts = (n for statement in passing for n in walk(statement) if getattr(n, "lineno", 0) < 1)
    # Constants that stand for objects are shared.
    unplaced = [n for n in parts if not (isinstance(n, ast.Constant) and isinstance(n.value, tuple))]
    if not unplaced:
        return
    inside = (n for statement in reversed(node.body) for n in walk(statement))
    line = next((n.lineno for n in inside if getattr(n, "lineno", 0) > 0), 0)
    for part in unplaced if line else ():
        part.lineno = part.end_lineno = line
        part.col_offset = part.end_col_offset = 0


def _inner(code: CodeType, name: str) -> CodeType:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_name == name:
                return constant
            if not constant.co_flags & OPTIMIZED:
                return _inner(constant, name)
    raise LookupError(name)


class _Loading:
    """Makes the code objects of one function what they have to be; those in `kept` stay what they are."""

    def __init__(self, unit: Unit, kept: set[int]) -> None:
        self.constants = unit.constants
        self.kept = kept
        self.used: set[int] = set()  # places of constants in this code: other threads may load other pieces meanwhile

    def code(self, code: CodeType, name: str, qualname: str, lines: int = HEADER) -> CodeType:
        """A code object with this name, and all in it."""
        is_class = not code.co_flags & OPTIMIZED
        prefix = f"{qualname}." if is_class or name in COMPREHENSIONS else f"{qualname}.<locals>."
        constants = self._constants(code, name, qualname, prefix)
        return without_generated_lines(code, lines, co_name=name, co_qualname=qualname, co_consts=constants)

    def _constants(self, code: CodeType, name: str, qualname: str, prefix: str) -> tuple[object, ...]:
        """What a code object refers to: `name` and `qualname` are those of the function around what is defined in it."""
        is_class = not code.co_flags & OPTIMIZED
        constants: list[object] = []
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                constant = self._inner(constant, name, qualname, prefix)
            elif type(constant) is tuple and len(constant) == 2 and constant[0] == PLACEHOLDER:
                self.used.add(constant[1])
                constant = self.constants[constant[1]]
            elif is_class and type(constant) is str and constant == code.co_qualname:
                constant = qualname
            constants.append(constant)
        return tuple(constants)

    def _inner(self, code: CodeType, home: str, qualname: str, prefix: str) -> CodeType:
        if id(code) in self.kept:
            return code
        name = code.co_name
        if is_own_name(name) or THUNK in code.co_varnames:
            thunk = self.code(code, home, qualname, ALL if name in _WHOLLY_GENERATED else EMPTY)
            mark_thunk(thunk)
            return thunk
        if name.startswith("<generic parameters of ") or _computes_annotations(code):
            # Part of the function around: what is defined in it is defined there.
            # But what annotations define beside type parameters is named after those.
            named = prefix + (home + "." if home.startswith("<generic parameters of ") else "")
            constants = self._constants(code, name, qualname, named)
            return code.replace(co_qualname=prefix + name, co_consts=constants)
        declared_global = code.co_qualname == name
        return self.code(code, name, name if declared_global else prefix + name)


def _computes_annotations(code: CodeType) -> bool:
    """Whether this is what Python 3.14 makes of the annotations in a scope: the user can write no such function."""
    return code.co_name == "__annotate__" and code.co_posonlyargcount == 1 and code.co_varnames[0] == "format"
