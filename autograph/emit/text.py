"""Prints converted trees: the text of `to_code`, which is TensorFlow's.

StagedIf(body, orelse, test, state)       functions, and a call of `ag__.if_stmt`: see `functional`
StagedBoolOp(And(), [a, b])               ag__.and_(lambda: a, lambda: b)
StagedChain(a < b < c)                    ag__.and_(lambda: a < b, lambda: b < c)       b a name or a constant
ConvertedCall(f, [x, *a], {k: 1})         ag__.converted_call(f, (x,) + tuple(a), dict(k=1), fscope)
"""

from __future__ import annotations

import ast

import gast

from autograph.converters.converter import Context
from autograph.converters.forms import PerhapsUnset, StagedIfExp, State, Unset
from autograph.emit import annotation_text, functional
from autograph.options import STANDARD_OPTIONS, ConversionOptions
from autograph.pyct.nodes import Node, Transformer, parameters
from autograph.pyct.origin import NOWHERE, Position, place, position_of
from autograph.pyct.quote import constant, name, quote, quote_expression
from autograph.pyct.trees import to_ast
from autograph.pyct.unparse import unparse_ast

_OPTIONS = "ag__.ConversionOptions(recursive=R, user_requested=U, optional_features=F, internal_convert_user_code=I)"
_SCOPE = """
with ag__.FunctionScope(title, label, options) as scope:
    body
"""


def text_of(tree: Node, context: Context) -> str:
    """The text of a converted tree, as `ast.unparse` lays it out; the tree is used up."""
    return unparse_ast(tree_of(tree, context))


def tree_of(tree: Node, context: Context) -> Node:
    """The `ast` tree of that text."""
    return to_ast(Printer(context).visit(tree), context.operators)


def lines_of(printed: Node, converted: Node, text: str) -> list[int | None]:
    """For each line of `text`, of which `printed` is the tree, the user's line, which `converted` knows."""
    found: list[int | None] = [None] * len(text.splitlines())
    pairs = [(printed, converted)]
    while pairs:
        one, other = pairs.pop()
        line = position_of(other).lineno
        if line > 0 and found[one.lineno - 1] is None:
            found[one.lineno - 1] = line
        for block in ("decorator_list", "body", "orelse", "handlers", "finalbody", "cases"):
            inner = getattr(one, block, None)
            if isinstance(inner, list):
                pairs += reversed([p for p in zip(inner, getattr(other, block)) if hasattr(p[0], "lineno")])
    return found


def spans_of(printed: Node, converted: Node) -> list[tuple[Position, Position]]:
    """For each part of the printed tree that stands for one of the user's: its place in the text, and the user's."""
    found: list[tuple[Position, Position]] = []
    pairs = [(printed, converted)]
    while pairs:
        one, other = pairs.pop()
        if type(one) is not type(other):  # printed in another form, such as a negative constant
            continue
        at, users = position_of(one), position_of(other)
        if at.lineno > 0 and users.lineno > 0 and users[:2] != users[2:]:
            found.append((at, users))
        for part in one._fields:
            inner, outer = getattr(one, part, None), getattr(other, part, None)
            inner, outer = (inner, outer) if isinstance(inner, list) else ([inner], [outer])
            if isinstance(outer, list) and len(inner) == len(outer):
                pairs += [p for p in zip(inner, outer) if isinstance(p[0], ast.AST)]
    return sorted(found, key=lambda pair: (*pair[0][:2], -pair[0][2], -pair[0][3]))


class Printer(Transformer):
    """Puts what is printed in the place of forms."""

    scope = ""  # of the function that we are in
    in_class = False

    def __init__(self, context: Context) -> None:
        self.context = context
        self.namer = context.namer
        self.naming = functional.Naming(context.namer.passing, context.namer.fixed)

    # Functions

    def visit_FunctionScope(self, node: Node) -> Node:
        return quote(
            _SCOPE,
            NOWHERE,
            title=constant(node.title, NOWHERE),
            label=constant(node.label, NOWHERE),
            options=_options(node.options, node.in_full),
            scope=node.label,
            body=self.visit_fields(node, "body", scope=node.label, in_class=False).body,
        )

    def visit_FunctionDef(self, node: Node) -> Node:
        if not self.context.in_place:
            for owner in parameters(node.args):
                if owner.annotation is not None:
                    owner.annotation = annotation_text.of_parameter(owner.annotation, self.context)
            if node.returns is not None:
                node.returns = annotation_text.of_parameter(node.returns, self.context)
        return self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: Node) -> Node:
        self.visit_fields(node, "decorator_list", "bases", "keywords")
        return self.visit_fields(node, "body", in_class=True)

    def visit_AnnAssign(self, node: Node) -> Node:
        if not self.context.in_place:
            node.annotation = annotation_text.of_variable(node.annotation, self.context, self.scope, self.in_class)
        return self.generic_visit(node)

    def visit_LambdaScope(self, node: Node) -> Node:
        return quote_expression(
            "ag__.with_function_scope(lambda scope: body, label, options)",
            position_of(node),
            scope=node.label,
            body=self.visit(node.body),
            label=constant(node.label, NOWHERE),
            options=_options(node.options, node.in_full),
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

    def visit_Holds(self, node: Node) -> Node:
        return constant(True, position_of(node))

    def visit_Mention(self, node: Node) -> Node:
        return quote("(variable,)", position_of(node), variable=node.value)

    def visit_Unset(self, node: Node) -> Node:
        at = position_of(node)
        return quote("variable = ag__.Undefined(text)", at, variable=node.name, text=constant(node.name, at))

    def visit_TogetherDeleted(self, node: Node) -> Node:
        return place(self.visit(node.shown), position_of(node))

    def visit_PerhapsUnset(self, node: Node) -> Node:
        at = position_of(node)
        text = constant(node.name, at)
        return quote("variable = ag__.ldu(lambda: source, text)", at, variable=node.name, source=node.name, text=text)

    def visit_StagedAssert(self, node: Node) -> Node:
        self.generic_visit(node)
        at = position_of(node)
        message = node.message or quote_expression("lambda: 'Assertion error'", at)
        return quote("ag__.assert_stmt(test, message)", at, test=node.test, message=message)

    # Branches and loops

    def visit_StagedIf(self, node: Node) -> list[Node]:
        self._show_shared(node.state)
        self.generic_visit(node)
        return self._again(functional.if_statement(node, node.test, self.naming))

    def visit_StagedWhile(self, node: Node) -> list[Node]:
        self._show_shared(node.state)
        self.generic_visit(node)
        return self._again(functional.while_statement(node, _unless_returned(node, node.test), self.naming))

    def visit_StagedFor(self, node: Node) -> list[Node]:
        self._show_shared(node.state)
        self.generic_visit(node)
        test = _unless_returned(node, node.extra_test)
        return self._again(functional.for_statement(node, self._text(node.shown), self.naming, node.iter, test))

    def _show_shared(self, state: State) -> None:
        """Leaves out what only code that runs shares, as what fails may be caught."""
        if not self.context.in_place:
            state.shared = [name for name in state.shared if name not in state.unshown]

    def _again(self, statements: list[Node]) -> list[Node]:
        """The statements with those printed that give variables without a value one."""
        result: list[Node] = []
        for statement in statements:
            result += self.visit(statement) if isinstance(statement, (Unset, PerhapsUnset)) else [statement]
        return result

    # Expressions

    def visit_StagedIfExp(self, node: Node) -> Node:
        if node.sets:
            return self.generic_visit(node)
        text = self._text(node.shown)
        negated = node.negated
        self.generic_visit(_negation(node) if negated else node)
        made = functional.if_expression(node, node.test, text)
        return quote_expression("ag__.not_(chosen)", position_of(node), chosen=made) if negated else made

    def _text(self, node: Node) -> str:
        return unparse_ast(to_ast(self.visit(node), self.context.operators)).strip()

    def visit_StagedBoolOp(self, node: Node) -> Node:
        self.generic_visit(node)
        return node if node.sets else functional.bool_op(node)

    def visit_StagedNot(self, node: Node) -> Node:
        return quote_expression("ag__.not_(operand)", position_of(node), operand=self.visit(node.operand))

    def visit_StagedChain(self, node: Node) -> Node:
        self.generic_visit(node)
        return node if node.sets else functional.chain(node, self.context.options, self.namer.new)


def _negation(node: Node) -> Node:
    """What a `not` is about, in which conditional expressions have taken it to their operands."""
    if not isinstance(node, StagedIfExp):
        return node.operand
    node.negated, node.body, node.orelse = False, _negation(node.body), _negation(node.orelse)
    return node


def _unless_returned(loop: Node, test: Node | None) -> Node | None:
    """The test of a loop, of a `for` perhaps none, and of the flag that the text tests besides."""
    if not loop.shown_flag:
        return test
    at = position_of(loop)
    unless = quote_expression("ag__.not_(flag)", at, flag=loop.shown_flag)
    return unless if test is None else functional.row("and_", [unless, test], at)


def _options(options: ConversionOptions, in_full: bool) -> Node:
    if options == STANDARD_OPTIONS and not in_full:
        return quote_expression("ag__.STD", NOWHERE)
    features = [quote_expression(f"ag__.Feature.{feature.name}", NOWHERE) for feature in options.optional_features]
    shown = features[0] if len(features) == 1 else quote_expression("(items,)", NOWHERE, items=tuple(features))
    made = quote_expression(
        _OPTIONS,
        NOWHERE,
        F=shown,
        R=constant(options.recursive, NOWHERE),
        U=constant(options.user_requested, NOWHERE),
        I=constant(options.internal_convert_user_code, NOWHERE),
    )
    if options.strictness is not None:
        made.keywords.append(gast.keyword("strictness", constant(options.strictness, NOWHERE)))
    return made


def _positional(args: list[Node], hidden: set[str], at: Position) -> Node:
    """`(a, b) + tuple(c) + (d,)`, or a display with stars where `tuple` is not the builtin."""
    pieces: list[Node] = []
    run: list[Node] = []
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


def _named(keywords: list[Node], hidden: set[str], at: Position) -> Node:
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
