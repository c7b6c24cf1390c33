"""Whether the text found for a function is what the function was compiled from.

The file may have changed since, in the body of the function only, or the code object may have been replaced. Converted
code has to do what the function does, not what the text says; so the text is compiled again, and compared.
"""

from __future__ import annotations

import ast
import dis
import sys
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any

from autograph.pyct import deep, quiet
from autograph.pyct.codes import OPTIMIZED, codes_in, does_all_of, equal, own_variables, read_as_globals
from autograph.pyct.names import enclosing_class, mangled
from autograph.pyct.nodes import Node, walk
from autograph.pyct.quiet import compile_tree
from autograph.pyct.trees import copied

FUTURE_FLAGS = 0x1FF0000  # the bits of co_flags that `from __future__` imports set
_METHOD_FLAG = 1 if sys.version_info >= (3, 12) else 0  # in the argument of LOAD_ATTR
_LOADS_BY_NAME = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_LOADS_OF_VARIABLES = frozenset(
    code
    for name, code in dis.opmap.items()
    if "LOAD_" in name and (code in dis.haslocal or code in dis.hasfree or name in _LOADS_BY_NAME)
)
_PLACE: dict[str, Any] = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}


def same_code(node: Node, function: FunctionType) -> bool:
    """Whether a definition or lambda, an `ast` tree, compiles to the code of `function`.

    The tree is not changed, but for `is_quiet`, which says that Python has no warning for any part of it, and `optimized`,
    see `as_compiled`.
    """
    code = function.__code__
    parts = walk(node)
    node.is_quiet = not quiet.is_doubtful(parts)
    imported = _imported_with(parts, code)
    try:
        # Code from a `.pyc` file may be of another level than the interpreter's own.
        levels = (-1, 0, 1, 2) if any(map(_depends_on_level, parts)) else (-1,)
        for level in levels:
            if _compiles_to(code, _surrounded(node, code), imported, level, node.is_quiet):
                node.optimized = level > 0 and not sys.flags.optimize
                return True
        mistaken = _perhaps_mistaken(node, code)
        return bool(mistaken) and _compiles_to(code, _surrounded(node, code, mistaken), imported)
    except SyntaxError:
        return True  # out of its place Python refuses it: there is nothing to compare
    except RecursionError:
        if not deep.is_deep():
            raise
        return True  # as a text Python has compiled it, as a tree it does not


def as_compiled(node: Node) -> Node:
    """A definition or lambda without its assertions, where it was compiled without them (`compile(..., optimize=1)`)."""
    return _Optimized().visit(copied(node)) if getattr(node, "optimized", False) else node


class _Optimized(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> ast.Pass:
        return ast.copy_location(ast.Pass(), node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.copy_location(ast.Constant(False), node) if node.id == "__debug__" else node


def _depends_on_level(node: Node) -> bool:
    if isinstance(node, (ast.Assert, ast.Name)):
        return not isinstance(node, ast.Name) or node.id == "__debug__"
    body = getattr(node, "body", None)
    return isinstance(body, list) and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)


def same_but_more(node: Node, function: FunctionType) -> bool:
    """Whether the code of `function` does all that a definition or lambda says, its assertions left aside, and more."""
    code = function.__code__
    return _compiles_to(
        code, _without_assertions(_surrounded(node, code)), _imported_with(walk(node), code), compare=does_all_of
    )


def _without_assertions(tree: ast.Module) -> ast.Module:
    tree = copied(tree)
    for node in walk(tree):
        for value in vars(node).values():
            if isinstance(value, list):
                value[:] = [ast.copy_location(ast.Pass(), v) if isinstance(v, ast.Assert) else v for v in value]
    return tree


def _compiles_to(
    code: CodeType,
    tree: ast.Module,
    imported: list[str],
    level: int = -1,
    is_quiet: bool = False,
    compare: Callable[[CodeType, CodeType], bool] = equal,
) -> bool:
    body = tree.body
    if imported:
        aliases = [ast.alias(name, **_PLACE) for name in imported]
        body = [ast.Import(aliases, **_PLACE), *body]
    module = ast.Module(body, [])
    compiled, is_other = compile_tree(module, code.co_filename, code.co_flags & FUTURE_FLAGS, level, is_quiet)
    found = _function_in(compiled)
    if found is None:
        return False
    return compare(found, code) or (is_other and does_all_of(found, code) and does_all_of(code, found))


# What the unit around decides


def _imported_with(parts: list[Any], code: CodeType) -> list[str]:
    """The names that the unit which `code` was compiled in knows to be imported, as far as this shows in `code`.

    `parts` are the nodes of its text.

    import x        in one unit with `x.m()`: an attribute that is called; else: a method. So it is with `super`, which
                    is not called like a method where the module speaks of it outside of functions (Python 3.12).

    What the unit was cannot be asked: a module, a statement of a notebook, the cell. The instructions tell.
    """
    asked = {name for part in parts if part.__class__ in _NAMING for name in _owner_of_called(part)}
    if not asked:
        return []
    owner = enclosing_class(code.co_qualname)
    methods_of = {name for c in (code, *codes_in(code)) for name in _owners_of_methods(c)}
    return sorted(name for name in asked if mangled(name, owner) not in methods_of)


_NAMING = (ast.Call, ast.Name)


def _owner_of_called(node: Node) -> Iterator[str]:
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        yield function.value.id
    elif isinstance(node, ast.Name) and node.id == "super":
        yield node.id


def _owners_of_methods(code: CodeType) -> Iterator[str]:
    """The variables whose attributes are called as methods; and "super"."""
    before = None
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        if name == "LOAD_METHOD" or (name == "LOAD_ATTR" and _METHOD_FLAG and (instruction.arg or 0) & _METHOD_FLAG):
            if before is not None:
                yield before
        elif name == "LOAD_SUPER_ATTR":
            yield "super"
        if name != "EXTENDED_ARG":
            before = _variable_loaded(instruction)


def _variable_loaded(instruction: dis.Instruction) -> str | None:
    if instruction.opcode in _LOADS_OF_VARIABLES:
        last = instruction.argval[-1] if isinstance(instruction.argval, tuple) else instruction.argval
        return str(last)
    return None


def _perhaps_mistaken(node: Node, code: CodeType) -> list[str]:
    """What CPython may have taken for variables of the function: see `converters/comprehensions.py`."""
    if sys.version_info < (3, 12):
        return []
    read = read_as_globals(code, node)
    found = dict.fromkeys(n for c in (code, *codes_in(code)) for n in own_variables(c) if n not in read)
    return [name for name in found if name not in code.co_freevars]


def _surrounded(node: Node, code: CodeType, more: Iterable[str] = ()) -> ast.Module:
    """The function inside the scopes that give its names their meaning; without what is evaluated outside of it."""
    args = node.args
    bare = ast.arguments(
        posonlyargs=_bare(args.posonlyargs),
        args=_bare(args.args),
        vararg=_bare_arg(args.vararg),
        kwonlyargs=_bare(args.kwonlyargs),
        kw_defaults=[None] * len(args.kwonlyargs),
        kwarg=_bare_arg(args.kwarg),
        defaults=[],
    )
    statement: Any
    if isinstance(node, ast.Lambda):
        statement = ast.copy_location(ast.Expr(ast.copy_location(ast.Lambda(bare, node.body), node)), node)
    else:
        statement = ast.copy_location(type(node)("<function>", bare, node.body, []), node)
        if "type_params" in statement._fields:
            statement.type_params = []
    owner = enclosing_class(code.co_qualname)
    captured = [name for name in code.co_freevars if owner is None or name != "__class__"]
    return surrounded(statement, owner, [*captured, *more])


def surrounded(statement: Node, owner: str | None, captured: Iterable[str]) -> ast.Module:
    """A definition in a function that has the variables `captured`, and in the class `owner` in that."""
    captured = list(captured)
    body = [statement]
    if owner is not None:
        body = [ast.ClassDef(owner, [], [], [statement], [], **_PLACE)]
        if "type_params" in body[0]._fields:
            body[0].type_params = []
        if owner not in captured:
            body.insert(0, ast.Global([owner], **_PLACE))  # its name means what it means in the module
    args = ast.arguments([], [ast.arg(name, **_PLACE) for name in captured], None, [], [], None, [])
    outer: Any = ast.FunctionDef("outer", args, body, [], **_PLACE)
    if "type_params" in outer._fields:
        outer.type_params = []
    return ast.Module([outer], [])


def _bare(args: list[Any]) -> list[Any]:
    return [_bare_arg(arg) for arg in args]


def _bare_arg(arg: Node) -> Node:
    return None if arg is None else ast.copy_location(ast.arg(arg.arg), arg)


def _function_in(module: CodeType) -> CodeType | None:
    scope = _first_code(module)  # `outer`
    found = _first_code(scope) if scope is not None else None
    if found is not None and not found.co_flags & OPTIMIZED:
        found = _first_code(found)
    return found


def _first_code(code: CodeType) -> CodeType | None:
    return next((constant for constant in code.co_consts if isinstance(constant, CodeType)), None)
