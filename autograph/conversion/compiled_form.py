"""What is compiled in place of what is printed: the text is TensorFlow's, the meaning has to be Python's.

printed                                             compiled
ag__.converted_call(f, (x,) + tuple(a), ...)        a call with stars: see `exact_calls`
ag__.assert_stmt(c, lambda: 'Assertion error')      ag__.assert_stmt(c), which raises without a message
except E:                                           except E:
    ...                                                 ag__.handled()
                                                        ...
except f():                                         except ag__.handled() or f():
finally:                                            the same as in handlers
with m:                                             with m:
    ...                                                 try:
                                                            ...
                                                        except:
                                                            ag__.handled()      ahead of `m.__exit__`
                                                            raise
with m as o[ag__.ld(i)]:                            with m as ag__entered:
    ...                                                 try:
                                                            try:
                                                                o[ag__.ld(i)] = ag__entered
                                                            finally:
                                                                del ag__entered
                                                            ...
                                                        except: (as above)
with m(x) as y:                                     with ag__.callee(m, fscope)(x) as y:
"""

from __future__ import annotations

import ast
from typing import Any

from autograph.conversion.exact_calls import exact_calls
from autograph.pyct.nodes import walk

_ENTERED = "ag__entered"  # what a manager gave
_NO_MESSAGE = "Assertion error"  # what TensorFlow says where the user says nothing


def compiled_form(tree: Any, operators: str) -> Any:
    """Puts the compiled forms in the place of the printed ones, in the `ast` tree of a converted function."""
    exact_calls(tree)
    _convert_calls_of_items(tree, operators)
    walked = walk(tree)
    for node in walked:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "assert_stmt" and _says_nothing(node):
                del node.args[1:]
            if _is_operator(node.func, operators) and node.func.end_lineno != node.func.lineno:
                _set_line(node)
        # Own frames are taken out of tracebacks where functions are left: here one is looked at before that.
        elif isinstance(node, ast.ExceptHandler) and node.lineno > 0:
            node.body.insert(0, _handled(operators))
        elif isinstance(node, (ast.Try, ast.TryStar)) and node.lineno > 0:
            if _calls_something(node.finalbody):
                node.finalbody.insert(0, _handled(operators))
            asked = next((h for h in node.handlers if h.type is not None and _calls_something([h.type])), None)
            if asked is not None:
                asked.type = _after_handled(asked.type, operators)
        elif isinstance(node, (ast.With, ast.AsyncWith)) and node.lineno > 0:
            first, *others = node.items
            if others:  # `m` sees what fails in entering the managers after it, too: they get a statement of their own
                node.items, node.body = [first], [ast.copy_location(type(node)(others, node.body), node)]
                walked.append(node.body[0])
            if first.optional_vars is not None and _calls_something([first.optional_vars]):
                node.body.insert(0, _bound_within(first))
            leave = ast.copy_location(ast.Raise(None, None), node)  # a frame that was left has to be somewhere
            handler = ast.ExceptHandler(None, None, [_handled(operators), leave])
            node.body = [ast.Try(node.body, [handler], [], [])]
    return tree


def _after_handled(expression: Any, operators: str) -> Any:
    made: Any = ast.BoolOp(ast.Or(), [_call_of_handled(operators), expression])
    return ast.copy_location(made, expression)


def _call_of_handled(operators: str) -> Any:
    return ast.Call(ast.Attribute(_name(operators), "handled", ast.Load()), [], [])


def place_assertions(tree: Any, plain: Any) -> None:
    """Has an assertion of chained comparisons fail where CPython 3.11 says: at the comparisons, not at the statement."""
    chains = {
        (node.lineno, node.col_offset): node.test
        for node in walk(plain)
        if isinstance(node, ast.Assert) and isinstance(node.test, ast.Compare) and len(node.test.ops) > 1
    }
    if chains:
        for node in walk(tree):
            converted = isinstance(node, ast.Call) and getattr(node.func, "attr", None) == "assert_stmt"
            if (converted or isinstance(node, ast.Assert)) and (node.lineno, node.col_offset) in chains:
                ast.copy_location(node, chains[node.lineno, node.col_offset])


def _handled(operators: str) -> Any:
    call = ast.Expr(_call_of_handled(operators))
    too_deep = ast.ExceptHandler(ast.Attribute(_name(operators), "RecursionError", ast.Load()), None, [ast.Pass()])
    return ast.Try([call], [too_deep], [], [])  # there may be no room for a call where the handler itself needs none


def _bound_within(item: Any) -> Any:
    """What sets the target of an item of `with` in the body: `m.__exit__` sees what fails in that, too."""
    target = item.optional_vars
    entered = ast.copy_location(ast.Name(_ENTERED, ast.Load()), target)
    item.optional_vars = ast.copy_location(ast.Name(_ENTERED, ast.Store()), target)
    bound = ast.copy_location(ast.Assign([target], entered), target)
    return ast.Try([bound], [], [], [ast.Delete([ast.Name(_ENTERED, ast.Del())])])


def _calls_something(body: list[Any]) -> bool:
    return any(isinstance(node, ast.Call) for statement in body for node in walk(statement))


def _convert_calls_of_items(tree: Any, operators: str) -> None:
    """Has what `with` calls called converted, like all else."""
    scopes: dict[Any, str] = {}  # the name of the innermost scope around a `with`
    for node in walk(tree):
        if not isinstance(node, ast.With):
            continue
        item = node.items[0]
        opened = item.context_expr
        if (
            isinstance(opened, ast.Call)
            and isinstance(opened.func, ast.Attribute)
            and _is_operator(opened.func, operators)
        ):
            if opened.func.attr == "FunctionScope" and isinstance(item.optional_vars, ast.Name):
                scopes.update((n, item.optional_vars.id) for s in node.body for n in walk(s) if isinstance(n, ast.With))
            continue
        if node in scopes:
            for item in node.items:
                for call in walk(item.context_expr):
                    if isinstance(call, ast.Call) and not _is_generated(call.func, operators):
                        _ask_for_callee(call, operators, scopes[node])


_TAKEN_BY_HANDLERS = frozenset({"key", "func", "function", None})


def _is_generated(function: Any, operators: str) -> bool:
    return isinstance(function, ast.Attribute) and _is_operator(function, operators)


def _ask_for_callee(call: Any, operators: str, scope: str) -> None:
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    needs_all = starred or any(k.arg in _TAKEN_BY_HANDLERS for k in call.keywords)
    asked = ast.Attribute(_name(operators), "star_call" if needs_all else "callee", ast.Load())
    function = call.func
    call.func = ast.Call(asked, [function, _name(scope)], [])
    for node in (asked, asked.value, call.func, call.func.args[1]):
        ast.copy_location(node, function)


def _set_line(call: Any) -> None:
    """Python says of a method call that it is on the line on which the name of the method ends: the user's name."""
    function = call.func
    function.end_lineno, function.end_col_offset = function.lineno, function.col_offset
    if function.attr == "converted_call" and call.args and isinstance(call.args[0], ast.Attribute):
        method = call.args[0]
        if method.lineno > 0:
            function.end_lineno, function.end_col_offset = method.end_lineno, method.end_col_offset


def _name(text: str) -> Any:
    return ast.Name(text, ast.Load())


def _is_operator(function: Any, operators: str) -> bool:
    return isinstance(function.value, ast.Name) and function.value.id == operators


def _says_nothing(call: Any) -> bool:
    """Whether the message of an assertion is generated: then it stands where the assertion does."""
    if len(call.args) != 2 or not isinstance(call.args[1], ast.Lambda):
        return False
    message = call.args[1].body
    return (
        isinstance(message, ast.Constant)
        and message.value == _NO_MESSAGE
        and (message.lineno, message.col_offset) == (call.lineno, call.col_offset)
    )
