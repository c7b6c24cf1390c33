"""From a tree to a code object that says it comes from the user's file.

The function is compiled inside the scopes it was defined in, none of which is ever run:

    def outer(ag__, captured):       # what it captures, so that these names are free variables
        class A:                     # its class, for private names and `super()`
            def f(self): ...
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any

from autograph.pyct.names import enclosing_class
from autograph.pyct.nodes import walk
from autograph.pyct.quiet import make_quiet
from autograph.pyct.same_code import FUTURE_FLAGS
from autograph.pyct.shallow import make_shallow
from autograph.pyct.trees import copied, to_ast
from autograph.pyct.two_bodies import with_parts_of, with_plain_body

_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
_SINGLE = frozenset({ast.Load, ast.Store, ast.Del})
_BOUND = ("operators of autograph",)  # stands for a module among the constants
_OPTIMIZED = 0x1  # set in the flags of functions, not of class bodies


def load_function(
    tree: Any,
    original: CodeType,
    generated: Iterable[str],
    operators: str = "ag__",
    plain: Any = None,
    adapt: Callable[[Any], Any] = lambda node: node,
    declared: Iterable[str] = (),
    bound: Any = None,
) -> CodeType:
    """The code object of a converted function (a gast `FunctionDef` or `Lambda`).

    It has the name of `original`, and so have the functions inside: those called as in `generated`, which stand for
    pieces of the user's functions, do not show in qualified names. `operators` is the name of `ag__` in the tree.
    With `plain`, the `ast` tree as the user wrote it, the code holds both bodies: see `two_bodies`. `adapt` may change
    the `ast` tree before it is compiled. A lambda gets the variables `declared`, which have no value. Where `bound` is
    given, it is what the name `operators` means, and no function needs a closure for it.
    """
    node = _as_definition(adapt(to_ast(tree, operators)), operators)
    node.body[:0] = [_declaration(name) for name in declared]
    if plain is not None:
        if isinstance(plain, ast.Lambda):
            plain = _as_definition(copied(plain))  # it is shared
        both = _load(with_plain_body(node, plain, operators), original, generated, operators, bound)
        found = with_parts_of(both, original)
        if found is not None:
            return found
        node = _as_definition(adapt(to_ast(tree, operators)), operators)
        node.body[:0] = [_declaration(name) for name in declared]
    return _load(node, original, generated, operators, bound)


def _as_definition(node: Any, operators: str | None = None) -> Any:
    """A lambda as the `def` that does the same: then all that the body does happens in its own frame.

    lambda x: ag__.with_function_scope(lambda lscope: x, ...)   ->   def <lambda>(x):
                                                                         with ag__.FunctionScope(...) as lscope:
                                                                             return x
    """
    if not isinstance(node, ast.Lambda):
        return node
    body: Any = node.body
    statement: Any = ast.Return(body)
    if operators is not None and _opens_scope(body, operators):
        thunk: Any = body.args[0]
        opened = ast.Call(
            ast.Attribute(body.func.value, "FunctionScope", ast.Load()), [ast.Constant("lambda_"), *body.args[1:]], []
        )
        scope = ast.Name(thunk.args.args[0].arg, ast.Store())
        statement = ast.With([ast.withitem(opened, scope)], [ast.Return(thunk.body)])
    definition: Any = ast.parse("def f(): pass").body[0]
    definition.name, definition.args, definition.body = "<lambda>", node.args, [statement]
    return ast.copy_location(definition, node)


def _declaration(name: str) -> Any:
    return ast.AnnAssign(ast.Name(name, ast.Store()), ast.Constant(None), None, 1)


def _opens_scope(node: Any, operators: str) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "with_function_scope"
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == operators
    )


def _load(node: Any, original: CodeType, generated: Iterable[str], operators: str, bound: Any) -> CodeType:
    # Evaluated where the function was defined, and kept on the function object.
    node.returns = None
    for arg in _arguments(node.args):
        arg.annotation = None
    if hasattr(node, "type_params"):
        node.type_params = []
    # A decorated function starts at its first decorator.
    _start_at(node, original.co_firstlineno)
    tree = _surrounded(node, original, operators)
    _complete(tree, None if bound is None else operators)
    code = _compiled(tree, original, operators)
    found = _inner(_inner(code, "outer"), node.name)
    renamed = _renamed(found, original.co_name, original.co_qualname, frozenset(generated), bound)
    return renamed.replace(co_flags=renamed.co_flags | original.co_flags & inspect.CO_ITERABLE_COROUTINE)


def _compiled(tree: Any, original: CodeType, operators: str) -> CodeType:
    flags = original.co_flags & FUTURE_FLAGS
    try:
        return compile(tree, original.co_filename, "exec", flags, dont_inherit=True)
    except RecursionError:
        tree = copied(tree)  # some nodes stand in several places
        make_shallow(tree, operators)
        return compile(tree, original.co_filename, "exec", flags, dont_inherit=True)


def _arguments(args: Any) -> list[Any]:
    found = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    return [arg for arg in found if arg is not None]


def _start_at(node: Any, line: int) -> None:
    if line != node.lineno:
        node.lineno, node.col_offset = line, 0


def _surrounded(statement: Any, original: CodeType, operators: str) -> Any:
    owner = enclosing_class(original.co_qualname)
    captured = [name for name in original.co_freevars if owner is None or name != "__class__"]
    if owner is not None:
        statement = ast.ClassDef(owner, [], [], [statement], [])
        if hasattr(ast.parse("class A: pass").body[0], "type_params"):
            statement.type_params = []
    outer: Any = ast.parse(f"def outer({operators}): pass")
    outer.body[0].args.args += [ast.arg(name) for name in captured]
    outer.body[0].body = [statement]
    if owner is not None and owner not in captured:
        outer.body[0].body.insert(0, ast.Global([owner]))  # its name means what it means in the module
    return outer


def _complete(tree: Any, operators: str | None) -> None:
    """Gives nodes without a position the one of no place, which the compiler knows; functions one of their own.

    Where the name `operators` is given, a constant takes its place.
    """
    placeholder: Any = _BOUND
    stack = [(tree, 1)]
    seen = set()  # a node may stand in several places
    while stack:
        node, around = stack.pop()
        kind = node.__class__
        if node in seen or kind in _SINGLE:
            continue
        seen.add(node)
        if kind is ast.Try:
            _place_exits(node)
        make_quiet(node)
        if kind._attributes:
            line = getattr(node, "lineno", None)
            if line is None or line < 1:
                real = isinstance(node, (ast.ClassDef, ast.arg, ast.Lambda, ast.FunctionDef))
                node.lineno = node.end_lineno = around if real else -1
                node.col_offset = node.end_col_offset = 0 if real else -1
            else:
                around = line
        if kind is ast.Attribute and node.value.__class__ is ast.Name and node.value.id == operators:
            node.value = ast.copy_location(ast.Constant(placeholder), node.value)
        for field in kind._fields:
            value = getattr(node, field, None)
            if value.__class__ is list:
                for item in value:
                    if isinstance(item, ast.AST):
                        stack.append((item, around))
            elif isinstance(value, ast.AST):
                stack.append((value, around))


def _place_exits(node: Any) -> None:
    """Has what passes an error on in a `try`, and nobody wrote, stand where the body does.

    A frame that was left there is asked for its line (by IPython, say), and None is no answer.
    """
    passing = [*(h.body[-1] for h in node.handlers if isinstance(h.body[-1], ast.Raise)), *node.finalbody[-1:]]
    unplaced: list[Any] = [n for statement in passing for n in walk(statement) if getattr(n, "lineno", 0) < 1]
    line = next((n.lineno for n in walk(node.body[-1]) if getattr(n, "lineno", 0) > 0), 0) if unplaced else 0
    for part in unplaced if line else ():
        part.lineno = part.end_lineno = line
        part.col_offset = part.end_col_offset = 0


def _inner(code: CodeType, name: str) -> CodeType:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_name == name:
                return constant
            if not constant.co_flags & _OPTIMIZED:
                return _inner(constant, name)
    raise LookupError(name)


def _renamed(code: CodeType, name: str, qualname: str, generated: frozenset[str], bound: Any) -> CodeType:
    is_class = not code.co_flags & _OPTIMIZED
    prefix = f"{qualname}." if is_class or name in _COMPREHENSIONS else f"{qualname}.<locals>."
    constants = tuple(_renamed_constant(c, prefix, generated, bound) for c in code.co_consts)
    if is_class:
        constants = tuple(qualname if c == code.co_qualname and type(c) is str else c for c in constants)
    return code.replace(co_name=name, co_qualname=qualname, co_consts=constants)


def _computes_annotations(code: CodeType) -> bool:
    """Whether this is what Python 3.14 makes of the annotations in a scope: the user can write no such function."""
    return code.co_name == "__annotate__" and code.co_posonlyargcount == 1 and code.co_varnames[0] == "format"


def _renamed_constant(constant: Any, prefix: str, generated: frozenset[str], bound: Any) -> Any:
    if not isinstance(constant, CodeType):
        return bound if type(constant) is tuple and constant == _BOUND else constant
    name = constant.co_name
    if name in generated or name.startswith("<generic parameters of ") or _computes_annotations(constant):
        # Part of the function around: what is defined in it is defined there.
        constants = tuple(_renamed_constant(c, prefix, generated, bound) for c in constant.co_consts)
        return constant.replace(co_qualname=prefix + name, co_consts=constants)
    declared_global = constant.co_qualname == name
    return _renamed(constant, name, name if declared_global else prefix + name, generated, bound)
