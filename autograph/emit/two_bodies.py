"""One function with two bodies: the converted one, and the user's own for when nothing can be staged.

    def f(x):                   def f(x):
        "..."                       "..."
        global n                    global n
        ...             ->          if ag__.staging():
                                        ...                 converted
                                    else:
                                        ...                 as the user wrote it

There is no frame in between, and the functions defined in the user's body are the user's, to the very code object.
"""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any

from autograph.converters.comprehensions import INLINES_COMPREHENSIONS
from autograph.pyct.nodes import Node

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_DECLARATIONS = (ast.Global, ast.Nonlocal)


def with_plain_body(converted: Node, plain: Node, test: Node, defines: bool) -> tuple[list[Node], list[Node]]:
    """Puts the body of `plain` beside the one of the converted function, to run where `test` does not hold.

    Returns the body that the converted function would have without it, and the statements that are as Python has read
    them. `defines`: there are functions or classes in it.
    """
    described = _has_docstring(converted)
    declared: list[Any] = []
    body = _without_declarations(converted.body[described:], [])
    plain_body = _without_declarations(plain.body[_has_docstring(plain) :], declared)
    if defines:
        _make_unlike(plain_body)
    choice = ast.If(test, body, plain_body or [_nothing()])
    first = [*converted.body[:described], *declared]
    converted.body = [*first, choice]
    as_read = [] if defines or declared or not getattr(plain, "is_quiet", False) else plain_body
    return [*first, *body], as_read


def _make_unlike(body: list[Any]) -> None:
    """Makes the functions and classes of a plain body unlike any in the converted one.

    The compiler would make one code object of equal ones. What is changed here is replaced afterwards, and changes
    nothing of what the function around sees of it.
    """
    todo: list[Any] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Lambda):
            todo.append(node.args)
            node.body = _marked(node.body)
        elif isinstance(node, ast.ClassDef):
            todo += [*node.decorator_list, *node.bases, *node.keywords]
            node.body = [*node.body, ast.Assign([ast.Name("unlike", ast.Store())], ast.Constant(_MARK))]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            todo += [*node.decorator_list, node.args]
        elif isinstance(node, ast.GeneratorExp) or (isinstance(node, _DISPLAYS) and not INLINES_COMPREHENSIONS):
            todo.append(node.generators[0].iter)
            if isinstance(node, ast.DictComp):
                node.key = _marked(node.key)
            else:
                node.elt = _marked(node.elt)
        else:
            todo += ast.iter_child_nodes(node)


def _marked(node: Any) -> Any:
    """The node in a list, of which no constant is made, so that all positions are kept."""
    made: Any = ast.List([node, ast.copy_location(ast.Constant(_MARK), node)], ast.Load())
    return ast.copy_location(made, node)


_MARK = "ag.unlike"  # a constant of what is to be replaced
_DISPLAYS = (ast.ListComp, ast.SetComp, ast.DictComp)


def _nothing() -> Any:
    return ast.Pass(lineno=-1, end_lineno=-1, col_offset=-1, end_col_offset=-1)


def _has_docstring(function: Any) -> bool:
    first = function.body[0]
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)


def _without_declarations(body: list[Any], found: list[Any]) -> list[Any]:
    """The statements without `global` and `nonlocal`, which are put into `found`: Python wants them before all uses."""
    result: list[Any] = []
    for statement in body:
        if isinstance(statement, _DECLARATIONS):
            found.append(statement)
            continue
        if not isinstance(statement, _SCOPES):
            _strip(statement, found)
        result.append(statement)
    return result


def _strip(node: Any, found: list[Any]) -> None:
    for field in node._fields:
        value = getattr(node, field, None)
        if not isinstance(value, list) or not value:
            continue
        if isinstance(value[0], ast.stmt):
            setattr(node, field, _without_declarations(value, found) or [_nothing()])
        elif isinstance(value[0], (ast.ExceptHandler, ast.match_case)):
            for part in value:
                _strip(part, found)


def with_parts_of(code: CodeType, original: CodeType) -> CodeType | None:
    """`code` with the functions and classes of its plain body replaced by those of `original`, which they equal.

    None when they are not the same, because the original was not compiled from its text alone.
    """
    parts = [c for c in original.co_consts if isinstance(c, CodeType)]
    places = [i for i, c in enumerate(code.co_consts) if isinstance(c, CodeType)]
    constants = list(code.co_consts)
    for part in reversed(parts):
        place = next((i for i in reversed(places) if _fits(constants[i], part)), None)  # the plain body comes last
        if place is None:
            return None
        constants[place] = part
        places.remove(place)
    if any(_MARK in constants[i].co_consts for i in places):
        return None
    return code.replace(co_consts=tuple(constants)) if parts else code


_TELLING = ("co_name", "co_firstlineno", "co_freevars", "co_argcount", "co_kwonlyargcount", "co_posonlyargcount")


def _fits(candidate: CodeType, part: CodeType) -> bool:
    """Whether a code may be the copy of `part`, which does a little more at the same places of the source."""
    if not all(getattr(candidate, name) == getattr(part, name) for name in _TELLING):
        return False
    return set(part.co_positions()) <= set(candidate.co_positions())
