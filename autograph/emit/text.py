"""Prints converted trees: the text of `to_code`, which is TensorFlow's.

StagedIf(body, orelse, test, state)       def get_state():
                                              return (x,)
                                          def set_state(vars_):
                                              nonlocal x
                                              x, = vars_
                                  ->      def if_body():
                                              nonlocal x
                                              x = 1
                                          def else_body():
                                              nonlocal x
                                              pass
                                          ag__.if_stmt(c, if_body, else_body, get_state, set_state, ('x',), 1)

StagedBoolOp(And(), [a, b])         ->    ag__.and_(lambda: a, lambda: b)
StagedChain(a < b < c)              ->    ag__.and_(lambda: a < b, lambda: b < c)       b a name or a constant
ConvertedCall(f, [x, *a], {k: 1})   ->    ag__.converted_call(f, (x,) + tuple(a), dict(k=1), fscope)
"""
# long: one method for each form

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gast

from autograph.converters.converter import Context
from autograph.converters.forms import State
from autograph.converters.logical_expressions import lowered_comparison
from autograph.pyct.names import QN
from autograph.pyct.nodes import Node, Operator, Transformer, children
from autograph.pyct.origin import NOWHERE, Position, place, position_of
from autograph.pyct.quote import constant, copy_tree, name, quote, quote_expression, set_context
from autograph.pyct.trees import to_ast
from autograph.pyct.unparse import unparse_ast

_LONGEST = 24  # chains of more operands are one call

_SCOPE = """
with ag__.FunctionScope(title, label, options) as scope:
    body
"""

_IF = """
def get_state():
    return state
setter
def if_body():
    declarations
    body
def else_body():
    declarations_again
    orelse
undefined
ag__.if_stmt(test, if_body, else_body, get_state, set_state, names, count)
"""

_WHILE = """
def get_state():
    return state
setter
def loop_body():
    declarations
    body
def loop_test():
    walrus
    return test
undefined
ag__.while_stmt(loop_test, loop_body, get_state, set_state, names, options)
"""

_FOR = """
def get_state():
    return state
setter
def loop_body(item):
    declarations
    target = item
    body
extra
undefined
ag__.for_stmt(iterated, extra_test, loop_body, get_state, set_state, names, options)
"""


def text_of(tree: Node, context: Context) -> str:
    """The text of a converted tree, as `ast.unparse` lays it out; the tree is used up."""
    return unparse_ast(tree_of(tree, context))


def tree_of(tree: Node, context: Context) -> Node:
    """The `ast` tree of that text."""
    return to_ast(Printer(context).visit(tree), context.operators)


class Printer(Transformer):
    """Puts what is printed in the place of forms."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.namer = context.namer

    # Functions

    def visit_FunctionScope(self, node: Node) -> Node:
        return quote(
            _SCOPE,
            NOWHERE,
            title=constant(node.title, NOWHERE),
            label=constant(node.label, NOWHERE),
            options=node.options,
            scope=node.label,
            body=self.visit_list(node.body),
        )

    def visit_LambdaScope(self, node: Node) -> Node:
        return quote_expression(
            "ag__.with_function_scope(lambda scope: body, label, options)",
            position_of(node),
            scope=node.label,
            body=self.visit(node.body),
            label=constant(node.label, NOWHERE),
            options=node.options,
        )

    def visit_Result(self, node: Node) -> Node:
        value, done = self.visit(node.value), self.visit(node.done)
        return quote_expression("scope.ret(value, done)", position_of(node), scope=node.scope, value=value, done=done)

    # Calls and variables

    def visit_ConvertedCall(self, node: Node) -> Node:
        self.generic_visit(node)
        at = position_of(node)
        return quote_expression(
            "ag__.converted_call(function, args, kwargs, scope)",
            at,
            function=node.func,
            args=_positional(node.args, node.hidden, at),
            kwargs=_named(node.keywords, node.hidden, at),
            scope=name(node.scope, at),
        )

    def visit_Read(self, node: Node) -> Node:
        return quote_expression("ag__.ld(variable)", position_of(node), variable=node.value)

    def visit_Reload(self, node: Node) -> Node:
        return quote("target = ag__.ld(source)", position_of(node), target=node.name, source=node.name)

    def visit_Mention(self, node: Node) -> Node:
        return quote("(variable,)", position_of(node), variable=node.value)

    def visit_Unset(self, node: Node) -> Node:
        return _undefined([node.name], position_of(node))

    def visit_PerhapsUnset(self, node: Node) -> Node:
        return _uncertain([node.name], position_of(node))

    def visit_StagedAssert(self, node: Node) -> Node:
        self.generic_visit(node)
        at = position_of(node)
        message = node.message or quote_expression("lambda: 'Assertion error'", at)
        return quote("ag__.assert_stmt(test, message)", at, test=node.test, message=message)

    # Branches and loops

    def visit_StagedIf(self, node: Node) -> Node:
        self.generic_visit(node)
        at = position_of(node)
        return self._filled(
            _IF,
            node.state,
            at,
            self._names("get_state", "set_state", "if_body", "else_body"),
            test=node.test,
            body=node.body or quote("pass", NOWHERE),
            orelse=node.orelse or quote("pass", NOWHERE),
            declarations_again=_declarations(node.state.shared, node.state),
            count=constant(node.state.outputs, at),
        )

    def visit_StagedWhile(self, node: Node) -> Node:
        self.generic_visit(node)
        at = position_of(node)
        walrus = [n for n in node.state.shared if n in node.set_by_test]
        return self._filled(
            _WHILE,
            node.state,
            at,
            self._names("get_state", "set_state", "loop_body", "loop_test"),
            test=node.test,
            body=node.body or quote("pass", NOWHERE),
            walrus=_declarations(walrus, node.state),
            options=_options(node, at),
        )

    def visit_StagedFor(self, node: Node) -> Node:
        self.generic_visit(node)
        at = position_of(node)
        names = self._names("get_state", "set_state", "loop_body", "itr")
        extra: list[Any] = []
        extra_test: Any = constant(None, at)
        if node.extra_test is not None:
            extra_name = self.namer.passing("extra_test")
            declarations = _declarations(node.state.shared, node.state)
            text = "def name():\n    declarations\n    return test"
            extra = quote(text, at, name=extra_name, declarations=declarations, test=node.extra_test)
            extra_test = name(extra_name, at)
        options = _options(node, at)
        options.keys.append(constant("iterate_names", at))
        options.values.append(constant(self._text(node.shown), at))
        return self._filled(
            _FOR,
            node.state,
            at,
            names,
            item=names.pop("itr"),
            target=node.target,
            body=node.body,
            extra=extra,
            extra_test=extra_test,
            iterated=node.iter,
            options=options,
        )

    def _names(self, *roots: str) -> dict[str, str]:
        return {root: self.namer.passing(root) for root in roots}

    def _filled(self, text: str, state: State, at: Position, names: dict[str, str], **parts: Any) -> list[Any]:
        return quote(
            text,
            at,
            **names,
            state=_values(state, at),
            setter=self._setter(names["set_state"], state, at),
            declarations=_declarations(state.shared, state),
            undefined=[*_undefined(state.undefined, at), *_uncertain(state.uncertain, at)],
            names=quote_expression("(items,)", at, items=tuple(constant(s.text, at) for s in state.symbols)),
            **parts,
        )

    def _setter(self, title: str, state: State, at: Position) -> list[Any]:
        if not state.symbols:
            empty = self.namer.fixed("block_vars")
            return quote("def name(parameter):\n    pass", at, name=title, parameter=empty)
        targets = tuple(
            set_context(_example(s, state, at), gast.Store) if s.is_composite else name(s.text, at, gast.Store())
            for s in state.symbols
        )
        return quote(
            "def name(parameter):\n    declarations\n    targets = parameter",
            at,
            name=title,
            parameter=self.namer.fixed("vars_"),
            declarations=_declarations(state.assigned, state),
            targets=place(gast.Tuple(list(targets), gast.Store()), at),
        )

    # Expressions

    def visit_StagedIfExp(self, node: Node) -> Node:
        text = self._text(node.shown)
        self.generic_visit(node)
        at = position_of(node)
        return quote_expression(
            "ag__.if_exp(test, lambda: body, lambda: orelse, text)",
            at,
            test=node.test,
            body=node.body,
            orelse=node.orelse,
            text=constant(text, at),
        )

    def _text(self, node: Node) -> str:
        return unparse_ast(to_ast(self.visit(node), self.context.operators)).strip()

    def visit_StagedBoolOp(self, node: Node) -> Node:
        self.generic_visit(node)
        operator = "and_" if isinstance(node.op, gast.And) else "or_"
        if len(node.values) > _LONGEST:
            return _row(operator, node.values, position_of(node))
        result = node.values[-1]
        for position, value in reversed(list(enumerate(node.values[:-1]))):
            result = _row(operator, [value, result], position_of(value if position else node))
        return result

    def visit_StagedNot(self, node: Node) -> Node:
        return quote_expression("ag__.not_(operand)", position_of(node), operand=self.visit(node.operand))

    def visit_StagedChain(self, node: Node) -> Node:
        self.generic_visit(node)
        operands = [node.left, *node.comparators]
        at = position_of(node)
        if not all(map(_is_cheap, node.comparators[:-1])):
            return self._chain(operands, node.ops, at)
        pairs = [
            self._comparison(left if i == 0 else copy_tree(left), op, right, at)
            for i, (left, op, right) in enumerate(zip(operands, node.ops, operands[1:]))
        ]
        if len(pairs) > _LONGEST:
            return _row("and_", pairs, at)
        result = pairs[0]
        for pair in pairs[1:]:
            result = _row("and_", [result, pair], at)
        return result

    def _chain(self, operands: list[Any], ops: list[Any], at: Position) -> Node:
        """A chain whose middle operands must be computed once: they become parameters."""
        left, right = self.namer.new("left"), self.namer.new("right")
        if len(ops) == 1:
            return self._comparison(operands[0], ops[0], operands[1], at)
        pair = self._comparison(name(left, at), ops[0], name(right, at), at)
        rest = self._chain([name(right, at), *operands[2:]], ops[1:], at)
        return quote_expression(
            "ag__.with_operands(lambda left, right: body, first, second)",
            at,
            left=left,
            right=right,
            body=_row("and_", [pair, rest], at),
            first=operands[0],
            second=operands[1],
        )

    def _comparison(self, left: Node, op: Node, right: Node, at: Position) -> Node:
        operator = lowered_comparison(op, self.context.options)
        if operator is not None:
            return place(Operator(operator, [left, right], []), at)
        return place(gast.Compare(left, [op], [right]), at)


def _row(operator: str, values: list[Any], at: Position) -> Node:
    """One call with all the operands: hundreds of calls would be nested too deeply."""
    thunks = [quote_expression("lambda: body", at, body=value) for value in values]
    return place(Operator(operator, thunks, []), at)


def _is_cheap(node: Node) -> bool:
    """Whether computing an operand twice is the same as computing it once."""
    if isinstance(node, Operator) and node.operator == "ld":
        return True
    return isinstance(node, (gast.Name, gast.Constant))


def _positional(args: list[Any], hidden: set[str], at: Position) -> Node:
    """`(a, b) + tuple(c) + (d,)`, or a display with stars where `tuple` is not the builtin."""
    pieces: list[Any] = []
    run: list[Any] = []
    for arg in args:
        if not isinstance(arg, gast.Starred) or "tuple" in hidden:
            run.append(arg)
            continue
        if run:
            pieces.append(quote_expression("(items,)", at, items=tuple(run)))
            run = []
        pieces.append(quote_expression("tuple(items)", position_of(arg), items=arg.value))
    if run or not pieces:
        pieces.append(quote_expression("(items,)", at, items=tuple(run)))
    result = pieces[0]
    for piece in pieces[1:]:
        result = quote_expression("left + right", at, left=result, right=piece)
    return result


def _named(keywords: list[Any], hidden: set[str], at: Position) -> Node:
    if not keywords:
        return constant(None, at)
    if "dict" in hidden:
        keys = [None if k.arg is None else constant(k.arg, at) for k in keywords]
        display = quote_expression("{}", at)
        display.keys, display.values = keys, [k.value for k in keywords]
        return display
    call = quote_expression("dict()", at)
    call.keywords = keywords
    return call


def _options(node: Node, at: Position) -> Node:
    options = quote_expression("{}", at)
    options.keys = [constant(keyword.arg, at) for keyword in node.options]
    options.values = [keyword.value for keyword in node.options]
    return options


def _values(state: State, at: Position) -> Node:
    """The tuple that `get_state` returns."""
    items = []
    for symbol in state.symbols:
        if symbol.is_composite:
            load = set_context(_example(symbol, state, at), gast.Load)
            text = constant(symbol.text, at)
            items.append(quote_expression("ag__.ldu(lambda: load, text)", at, load=load, text=text))
        else:
            items.append(name(symbol.text, at))
    return quote_expression("(items,)", at, items=tuple(items))


def _example(symbol: QN, state: State, at: Position) -> Node:
    node = copy_tree(state.examples[symbol.text])
    stack = [node]
    while stack:
        item = stack.pop()
        if "lineno" in item._attributes:
            place(item, at)
        stack.extend(children(item))
    return node


def _declarations(names: list[str], state: State) -> list[Any]:
    """`nonlocal a, b`, and `global c` for what the function declared so."""
    result: list[Any] = []
    module_level = [n for n in names if n in state.module_level]
    shared = [n for n in names if n not in state.module_level]
    if module_level:
        result.append(place(gast.Global(module_level), NOWHERE))
    if shared:
        result.append(place(gast.Nonlocal(shared), NOWHERE))
    return result


def _undefined(names: Iterable[str], at: Position) -> list[Any]:
    return [
        statement
        for text in names
        for statement in quote("variable = ag__.Undefined(text)", at, variable=text, text=constant(text, at))
    ]


def _uncertain(names: Iterable[str], at: Position) -> list[Any]:
    return [
        statement
        for text in names
        for statement in quote(
            "variable = ag__.ldu(lambda: source, text)", at, variable=text, source=text, text=constant(text, at)
        )
    ]
