"""The functions that a staged statement or expression hands to its operator, as trees of `gast` with forms inside.

    StagedIf(body, orelse, test, state)   ->   get_state, set_state, if_body, else_body, and
                                               ag__.if_stmt(c, if_body, else_body, get_state, set_state, ('x',), 1)

This is what `text` prints; `code` compiles it for when a value turns out to be staged.
"""

# long: the functions of each statement and expression stand beside the texts that they fill

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable
from typing import Any, NamedTuple

import gast

from autograph.converters import forms
from autograph.converters.logical_expressions import lowered_comparison
from autograph.options import ConversionOptions
from autograph.pyct.names import QN, own
from autograph.pyct.nodes import Node, Operator, walk
from autograph.pyct.origin import NOWHERE, Position, place, position_of
from autograph.pyct.quote import constant, name, quote, quote_expression, set_context
from autograph.pyct.trees import copied

# Of `(a and b) or c` as a value, CPython 3.12 and 3.13 ask `a` once for each of both where it is false.
ASKS_ONCE = not (3, 12) <= sys.version_info < (3, 14)
LONGEST = 24  # chains of more operands are one call

_STATE = """
def get_state():
    return state
setter
"""
_IF = f"""{_STATE}
def if_body():
    declarations
    body
def else_body():
    declarations
    orelse
undefined
ag__.if_stmt(test, if_body, else_body, get_state, set_state, names, count)
"""

_WHILE = f"""{_STATE}
def loop_body():
    declarations
    body
def loop_test():
    walrus
    return test
undefined
"""

_FOR = f"""{_STATE}
def loop_body(item):
    declarations
    target = item
    body
extra
undefined
ag__.for_stmt(iterated, extra_test, loop_body, get_state, set_state, names, options)
"""

_WHILE_STMT = "ag__.while_stmt(loop_test, loop_body, get_state, set_state, names, options)"
_WHILE_STMT_FROM = "ag__.while_stmt_from(cond, trial, loop_test, loop_body, get_state, set_state, names, options)"


class Naming(NamedTuple):
    """Names for generated functions and their parameters: new ones, and ones for all places."""

    passing: Callable[[str], str]
    fixed: Callable[[str], str]

    def __call__(self, *roots: str) -> dict[str, str]:
        return {root: self.passing(root) for root in roots}


OWN = Naming(own, own)  # in compiled code


def if_statement(node: forms.StagedIf, test: Node, naming: Naming, undefined: list[Node] | None = None) -> list[Node]:
    """The functions of a branch, and the call of its operator with `test`."""
    names = naming("get_state", "set_state", "if_body", "else_body")
    orelse = node.orelse or quote("pass", NOWHERE)
    count = constant(node.state.outputs, position_of(node))
    return _filled(_IF, node, naming, names, undefined, test=test, orelse=orelse, count=count)


def while_statement(
    node: forms.StagedWhile,
    test: Node,
    naming: Naming,
    begun: tuple[Node, Node] | None = None,
    undefined: list[Node] | None = None,
) -> list[Node]:
    """The functions of a loop with `test`, and the call; `begun` are the first value of the test and what undoes that."""
    at = position_of(node)
    names = naming("get_state", "set_state", "loop_body", "loop_test")
    walrus = _declarations([n for n in node.state.shared if n in node.set_by_test], node.state)
    functions = _filled(_WHILE, node, naming, names, undefined, test=test, walrus=walrus)
    parts = {"names": _symbol_names(node.state, at), "options": _options(node, at), **names}
    if begun is not None:
        cond, trial = begun
        return [*functions, *quote(_WHILE_STMT_FROM, at, cond=cond, trial=trial, **parts)]
    return [*functions, *quote(_WHILE_STMT, at, **parts)]


def for_statement(
    node: forms.StagedFor,
    shown: str,
    naming: Naming,
    iterated: Node,
    test: Node | None = None,
    undefined: list[Node] | None = None,
) -> list[Node]:
    """The functions of a loop over `iterated` while `test`, and the call; `shown` is the text of the target."""
    at = position_of(node)
    names = naming("get_state", "set_state", "loop_body", "itr")
    parts: dict[str, Any] = {"item": names.pop("itr"), "target": node.target, "iterated": iterated}
    parts.update(extra=[], extra_test=constant(None, at), options=_options(node, at))
    if test is not None:
        extra_name = naming.passing("extra_test")
        declarations = _declarations(node.state.shared, node.state)
        text = "def name():\n    declarations\n    return test"
        parts["extra"] = quote(text, at, name=extra_name, declarations=declarations, test=test)
        parts["extra_test"] = name(extra_name, at)
    parts["options"].keys.append(constant("iterate_names", at))
    parts["options"].values.append(constant(shown, at))
    return _filled(_FOR, node, naming, names, undefined, **parts)


def without_value(state: forms.State, at: Position, perhaps_set: Collection[str] = ()) -> list[Node]:
    """The statements ahead of the call: variables without a value get one that says so.

    `perhaps_set` are those that what is evaluated ahead of these statements may have set.
    """
    unset = [n for n in state.undefined if n not in perhaps_set]
    uncertain = [n for n in state.undefined if n in perhaps_set] + state.uncertain
    return [*(place(forms.Unset(n, False), at) for n in unset), *(place(forms.PerhapsUnset(n), at) for n in uncertain)]


def word_of(op: Node) -> str:
    """`and` or `or`."""
    return "and" if isinstance(op, gast.And) else "or"


def bool_op(node: forms.StagedBoolOp, values: list[Node] | None = None) -> Node:
    """`ag__.and_(lambda: a, lambda: ag__.and_(lambda: b, lambda: c))`; `values` are the operands, where they are others."""
    operator = word_of(node.op) + "_"
    if len(node.values) > LONGEST:
        return row(operator, node.values, position_of(node))
    values = node.values if values is None else values
    result = values[-1]
    for position, value in reversed(list(enumerate(values[:-1]))):
        result = row(operator, [value, result], position_of(value if position else node))
    return result


def as_test(node: Node, options: ConversionOptions, new_name: Callable[[str], str], alone: bool = True) -> Node:
    """An expression of which the truth matters (`alone`): what is found false, or true, on the way is not asked again."""
    if getattr(node, "sets", ()):
        return node
    if isinstance(node, forms.StagedNot):
        if not alone:  # where no jump depends on it, Python makes the operand a value
            return node
        return place(Operator("not_", [as_test(node.operand, options, new_name)], []), position_of(node))
    if isinstance(node, forms.StagedBoolOp):
        values = [as_test(value, options, new_name, alone) for value in node.values]
        return row(word_of(node.op) + "_test", values, position_of(node))
    if isinstance(node, forms.StagedChain):
        return chain(node, options, new_name, "and_test" if alone else "and_")
    if isinstance(node, forms.StagedIfExp) and (alone or (ASKS_ONCE and holds_row(node))):
        body, orelse = node.body, as_test(node.orelse, options, new_name, alone)
        if alone:  # staged branches have one dtype then, whatever their values have
            body, orelse = truth_of(as_test(body, options, new_name)), truth_of(orelse)
        return _with_branches(node, body, orelse)
    if alone and isinstance(node, (gast.Name, gast.Attribute, forms.Read, forms.ConvertedCall)):
        return place(Operator(TRUTH, [node], []), position_of(node))
    return node


def if_expression(node: forms.StagedIfExp, test: Node, text: str) -> Node:
    """`ag__.if_exp(test, lambda: body, lambda: orelse, text)`."""
    at = position_of(node)
    return quote_expression(
        f"ag__.{node.operator}(test, lambda: body, lambda: orelse, text)",
        at,
        test=test,
        body=node.body,
        orelse=node.orelse,
        text=constant(text, at),
    )


def truth_of(value: Node) -> Node:
    """What of a value only the truth is, staged or not: `not not value`."""
    at = position_of(value)
    return place(Operator("not_", [place(Operator("not_", [value], []), at)], []), at)


TRUTH = "truth of a value"  # an operator of compiled code alone: its site


def as_value(node: forms.StagedBoolOp, options: ConversionOptions, new_name: Callable[[str], str]) -> Node:
    """`a and b` as the call of its operator; of an operand that is a row itself the truth is asked as Python asks it."""
    if len(node.values) > LONGEST:
        return bool_op(node)
    values = _flat(node)
    if ASKS_ONCE and any(map(holds_row, values[:-1])):
        return _row_around(values, node, options, new_name, "_around")
    return bool_op(node, values)


def holds_row(node: Node) -> bool:
    """Whether an operand may end with what a row of its own came to: CPython jumps on from there, but not from `body`."""
    while isinstance(node, forms.StagedIfExp) and not node.sets:
        node = node.orelse
    return isinstance(node, forms.StagedBoolOp)


def _with_branches(node: forms.StagedIfExp, body: Node, orelse: Node, operator: str = "if_exp") -> forms.StagedIfExp:
    """`body if c else orelse` of the test of `node`."""
    found = gast.copy_location(forms.StagedIfExp(node.test, body, orelse), node)
    found.shown, found.operator = node.shown, operator
    return found


def _flat(node: forms.StagedBoolOp) -> list[Node]:
    """The operands of a row, and of the rows of its operator among them."""
    if not ASKS_ONCE:
        return list(node.values)
    values: list[Node] = []
    todo = node.values[::-1]
    while todo:
        value = todo.pop()
        if isinstance(value, forms.StagedBoolOp) and isinstance(value.op, type(node.op)):
            todo += value.values[::-1]
        else:
            values.append(value)
    return values


def _row_around(
    values: list[Node], node: forms.StagedBoolOp, options: ConversionOptions, new_name: Callable[[str], str], name: str
) -> Node:
    """A row of values in which rows of the other operator stand, of whose operands each is asked once.

    (a or b) and c            ag__.and_around(lambda: ag__.or_test(lambda: a, lambda: b), lambda: c)
    (a or b and c) and d      ag__.and_around(lambda: ag__.or_before(lambda: a, lambda: ag__.and_inside(...)), lambda: d)
    """
    made = [_inside(value, node.op, options, new_name) for value in values[:-1]]
    last = values[-1] if name == "_around" else _inside(values[-1], node.op, options, new_name)
    return row(word_of(node.op) + name, [*made, last], position_of(node))


def _inside(node: Node, around: Node, options: ConversionOptions, new_name: Callable[[str], str]) -> Node:
    """An operand of a row of `around`, which decides about the whole: only what is last in it can be its value."""
    if isinstance(node, forms.StagedIfExp) and holds_row(node):
        orelse = _inside(node.orelse, around, options, new_name)
        return _with_branches(node, node.body, orelse, "if_exp_inside")
    if not isinstance(node, forms.StagedBoolOp) or node.sets:
        return node
    if isinstance(node.op, type(around)):
        return _row_around(_flat(node), node, options, new_name, "_inside")
    *firsts, last = _flat(node)
    made = [as_test(value, options, new_name, alone=False) for value in firsts]
    operator = word_of(node.op)
    if isinstance(last, forms.StagedBoolOp) and not last.sets:
        last = _row_around(_flat(last), last, options, new_name, "_inside")
        return row(operator + "_before", [*made, last], position_of(node))
    return row(operator + "_test", [*made, last], position_of(node))


def choice(
    test: Node, body: Node, orelse: Node, sets: list[str], used: int, module_level: set[str], at: Position
) -> list[Node]:
    """Statements for compiled code that return the value of `body if test else orelse`, which set variables with `:=`.

    The first ones of them are `used` afterwards.
    """
    value = own("value of the expression")
    names = [value, *sets]
    symbols = [QN(n, (n,)) for n in names]
    state = forms.State(symbols, 1 + used, names, names, [value], module_level=frozenset(module_level))
    blocks = (quote("value = found", at, value=value, found=found) for found in (body, orelse))
    staged = place(forms.StagedIf(*blocks, test, state), at)
    return [*if_statement(staged, test, OWN), *quote("return value", at, value=value)]


def row(operator: str, values: Iterable[Node], at: Position) -> Node:
    """`ag__.and_(lambda: a, lambda: b, ...)`."""
    thunks = [quote_expression("lambda: body", at, body=value) for value in values]
    return place(Operator(operator, thunks, []), at)


def chain(
    node: forms.StagedChain, options: ConversionOptions, new_name: Callable[[str], str], operator: str = "and_"
) -> Node:
    """A comparison of several operands: pairs, and operands that must be computed once as parameters."""
    operands = [node.left, *node.comparators]
    at = position_of(node)
    if not all(map(_is_cheap, node.comparators[:-1])):
        return _chain(operands, node.ops, at, options, new_name, operator)
    pairs = [
        comparison(left if i == 0 else copied(left), op, right, at, options)
        for i, (left, op, right) in enumerate(zip(operands, node.ops, operands[1:]))
    ]
    if len(pairs) > LONGEST:
        return row(operator, pairs, at)
    result = pairs[0]
    for pair in pairs[1:]:
        result = row(operator, [result, pair], at)
    return result


def _chain(
    operands: list[Node],
    ops: list[Node],
    at: Position,
    options: ConversionOptions,
    new_name: Callable[[str], str],
    operator: str,
) -> Node:
    left, right = new_name("left"), new_name("right")
    if len(ops) == 1:
        return comparison(operands[0], ops[0], operands[1], at, options)
    pair = comparison(name(left, at), ops[0], name(right, at), at, options)
    rest = _chain([name(right, at), *operands[2:]], ops[1:], at, options, new_name, operator)
    return quote_expression(
        "ag__.with_operands(lambda left, right: body, first, second)",
        at,
        left=left,
        right=right,
        body=row(operator, [pair, rest], at),
        first=operands[0],
        second=operands[1],
    )


def comparison(left: Node, op: Node, right: Node, at: Position, options: ConversionOptions) -> Node:
    """A comparison of two operands, by its operator if there is one."""
    operator = lowered_comparison(op, options)
    if operator is not None:
        return place(Operator(operator, [left, right], []), at)
    return place(gast.Compare(left, [op], [right]), at)


def _is_cheap(node: Node) -> bool:
    """Whether computing an operand twice is the same as computing it once."""
    if isinstance(node, Operator):
        return str(node.operator) == "ld"
    return isinstance(node, (gast.Name, gast.Constant, forms.Read))


def _state_values(state: forms.State, at: Position) -> Node:
    """The tuple that `get_state` returns."""
    items = []
    for symbol in state.symbols:
        if symbol.is_composite:
            load, text = set_context(_example(symbol, state, at), gast.Load), constant(symbol.text, at)
            items.append(quote_expression("ag__.ldu(lambda: load, text)", at, load=load, text=text))
        else:
            items.append(name(symbol.text, at))
    return _tuple(items, at)


def own_values(state: forms.State, at: Position, others: Collection[str]) -> Node:
    """The tuple of the variables that belong to the function, but for `others`."""
    names = [symbol.text for symbol in state.symbols if not symbol.is_composite and symbol.text not in others]
    return _tuple([name(n, at) for n in names], at)


def _tuple(items: list[Node], at: Position) -> Node:
    return quote_expression("(items,)", at, items=tuple(items))


def _filled(
    text: str, node: Node, naming: Naming, names: dict[str, str], undefined: list[Node] | None, **parts: object
) -> list[Node]:
    state, at = node.state, position_of(node)
    return quote(
        text,
        at,
        **names,
        state=_state_values(state, at),
        setter=_setter(names["set_state"], state, at, naming),
        declarations=_declarations(state.shared, state),
        body=node.body or quote("pass", NOWHERE),
        undefined=without_value(state, at) if undefined is None else undefined,
        names=_symbol_names(state, at),
        **parts,
    )


def _symbol_names(state: forms.State, at: Position) -> Node:
    return _tuple([constant(s.text, at) for s in state.symbols], at)


def _setter(title: str, state: forms.State, at: Position, naming: Naming) -> list[Node]:
    if not state.symbols:
        empty = naming.fixed("block_vars")
        return quote("def name(parameter):\n    pass", at, name=title, parameter=empty)
    targets = tuple(
        set_context(_example(s, state, at), gast.Store) if s.is_composite else name(s.text, at, gast.Store())
        for s in state.symbols
    )
    return quote(
        "def name(parameter):\n    declarations\n    targets = parameter",
        at,
        name=title,
        parameter=naming.fixed("vars_"),
        declarations=_declarations(state.assigned, state),
        targets=place(gast.Tuple(list(targets), gast.Store()), at),
    )


def _example(symbol: QN, state: forms.State, at: Position) -> Node:
    node = copied(state.examples[symbol.text])
    for item in walk(node):
        if "lineno" in item._attributes:
            place(item, at)
    return node


def _declarations(names: Iterable[str], state: forms.State) -> list[Node]:
    """`nonlocal a, b`, and `global c` for what the function declared so."""
    module_level = [n for n in names if n in state.module_level]
    shared = [n for n in names if n not in state.module_level]
    declared = [kind(found) for kind, found in ((gast.Global, module_level), (gast.Nonlocal, shared)) if found]
    return [place(statement, NOWHERE) for statement in declared]


def _options(node: Node, at: Position) -> Node:
    options = quote_expression("{}", at)
    options.keys = [constant(keyword.arg, at) for keyword in node.options]
    options.values = [keyword.value for keyword in node.options]
    return options
