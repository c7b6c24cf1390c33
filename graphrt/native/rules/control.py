"""Loops and branches: `while` and `if` of the program, over numbers, arrays and lists.

%2, %3 = StatelessWhile([%0, %1])      ->      v = int32(0)
                                               w = x
                                               while True:
                                                   if not (v < n): break
                                                   ...
                                                   v, w = v_1, w_1
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphrt.control_flow.branches import Case, If, StatelessCase, StatelessIf
from graphrt.control_flow.while_loop import StatelessWhile, While, carried
from graphrt.ir.code import Code, Template, commas
from graphrt.ir.graph import Graph, Node, Value
from graphrt.native.lower import Builder, rule_for
from graphrt.native.rules.lists import handed_over, owned
from graphrt.native.terms import Call, Dim, ListTerm, Sizes, Term, Unsupported, machine_type
from graphrt.native.text import ASSIGNED, BREAK, ELSE, IF, WHILE, Text, overwritten
from graphrt.ops.math.logical import LogicalAnd, LogicalNot

_UNLESS = Template("if not {}:")
_IS = Template("{} == {}")
_COPY = Template("{}.copy()")
_ELIF = Template("elif {} == {}:")


def _refuse_effects(graph: Graph) -> None:
    for node in graph.nodes:
        if node.stateful and not node.op.in_place:
            error = Unsupported("it has an effect")
            error.node = node  # type: ignore[attr-defined]
            try:
                raise error
            finally:
                del error  # its traceback holds this frame


def _sizes_of(term: Term, dims: Sequence[int | None]) -> Sizes:
    return tuple(Dim(of=term, axis=i) if d is None else d for i, d in enumerate(dims))


def _variable(b: Builder, value: Value, dims: Sequence[int | None] | None, like: Term | None) -> Term:
    """A term for a variable of the program that takes several values."""
    if isinstance(like, ListTerm):
        made = ListTerm(like.dtype, like.element, like.is_marked)
        made.named(b.text.fresh("rows"), b.text.fresh("length"), b.text.fresh("marks") if like.is_marked else None)
        return made
    if value.dtype.kind == "O":
        raise Unsupported(f"its dtype is {value.dtype.name}")
    if dims is None:
        raise Unsupported("the rank of a variable is not known")
    term = Term(machine_type(value.dtype), (), b.text.fresh("v"))
    term.dims = _sizes_of(term, dims)
    return term


def _parts(text: Text, term: Term) -> list[Code]:
    return list(term.parts) if isinstance(term, ListTerm) else [text.array(term) if term.dims else text.number(term)]


def _assign(text: Text, names: Sequence[Code], codes: Sequence[Code]) -> None:
    pairs = [(n, c) for n, c in zip(names, codes, strict=True) if n != c]
    if len(pairs) == 1:
        text.line(ASSIGNED(*pairs[0]))
    elif pairs:
        text.line(ASSIGNED(commas([n for n, _ in pairs]), commas([c for _, c in pairs])))


def _merged(a: Value, b: Value) -> tuple[int | None, ...] | None:
    """What is known of the shape of a variable that holds the one and then the other."""
    if a.dims is None or b.dims is None or len(a.dims) != len(b.dims):
        return None
    return tuple(x if x == y else None for x, y in zip(a.dims, b.dims))


def _ending(value: Value) -> set[Value]:
    """What of its inputs says, if it is true, that a condition is false: what a `break` has set."""
    node = value.node
    if node.op is LogicalNot:
        return {node.inputs[0]}
    if node.op is LogicalAnd:
        return _ending(node.inputs[0]) | _ending(node.inputs[1])
    if node.op in (If, StatelessIf):  # of `and`
        otherwise = node.attrs["else_branch"]
        given = dict(zip(otherwise.inputs, node.inputs[1:]))
        if given.get(otherwise.outputs[value.index]) is node.inputs[0]:
            return _ending(node.inputs[0])
    return set()


@rule_for(While, StatelessWhile)
def _while(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    cond, body = node.attrs["cond"], node.attrs["body"]
    _refuse_effects(cond)
    _refuse_effects(body)
    moving, constant = carried(node, b.is_used)
    variables: dict[int, Term] = {}
    for i in moving:
        variables[i] = _variable(b, body.inputs[i], _merged(body.inputs[i], body.outputs[i]), args[i])
    inside = {i: variables.get(i, args[i]) for i in (*moving, *constant)}
    for i in constant:
        inside[i] = handed_over(args[i], False)
    starts = {i: handed_over(args[i], b.is_last(node, node.inputs[i])) for i in moving}

    tests, steps = b.inner(), b.inner()
    (test,) = tests.graph(cond, _given(cond, inside), cond.outputs[:1])
    if test.dims:
        raise Unsupported("its condition is no number")
    results = steps.graph(body, _given(body, inside), [body.outputs[i] for i in moving])
    for i, result in zip(moving, results):
        start = variables[i]
        if isinstance(start, ListTerm) != isinstance(result, ListTerm):
            raise Unsupported("a variable is a list and something else")
        if isinstance(start, ListTerm) and isinstance(result, ListTerm) and start.is_marked != result.is_marked:
            raise Unsupported("a variable is a list of a given length, and one that grows")

    ending = _ending(cond.outputs[0])
    last = [variables[i] for i in moving if cond.inputs[i] in ending and not variables[i].dims]

    def emit(text: Text) -> None:
        over = overwritten(steps.made, results, [variables[i] for i in moving])
        its_own = set(over.values())
        for i, start in zip(moving, owned(text, list(starts.values()))):
            parts = _parts(text, start)
            _assign(text, _parts(text, variables[i]), [_COPY(p) for p in parts] if variables[i] in its_own else parts)
        with text.block(WHILE):
            (code,) = text.steps(tests.made, [test])
            with text.block(_UNLESS(code)):
                text.line(BREAK)
            text.steps(steps.made, results, over)
            _assign(
                text,
                [p for i in moving for p in _parts(text, variables[i])],
                [p for r in owned(text, results) for p in _parts(text, r)],
            )
            for flag in last:  # the condition says so, too: but here LLVM sees what need not be computed before it
                with text.block(IF(text.number(flag))):
                    text.line(BREAK)

    outs = [inside.get(i, args[i]) for i in range(len(args))]
    b.made.append(Call(emit, args, [variables[i] for i in moving]))
    return outs


def _given(graph: Graph, inside: dict[int, Term]) -> dict[Value, Term]:
    return {graph.inputs[i]: term for i, term in inside.items()}


@rule_for(If, StatelessIf)
def _if(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    if args[0].dims or isinstance(args[0], ListTerm):
        raise Unsupported("its condition is no number")
    return _choose(b, node, args, [node.attrs["then_branch"], node.attrs["else_branch"]], _then_headers)


@rule_for(Case, StatelessCase)
def _case(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    return _choose(b, node, args, node.attrs["branches"], _case_headers)


def _then_headers(test: Code, count: int) -> list[Code]:
    return [IF(test), ELSE]


def _case_headers(index: Code, count: int) -> list[Code]:
    if count == 1:
        return [IF(Template("True")())]
    return [IF(_IS(index, 0)), *(_ELIF(index, i) for i in range(1, count - 1)), ELSE]


def _choose(
    b: Builder, node: Node, args: list[Term], graphs: list[Graph], headers: Callable[[Code, int], list[Code]]
) -> list[Term]:
    wanted = [i for i, v in enumerate(node.outputs) if b.is_used(v)]
    builders: list[Builder] = []
    found: list[list[Term]] = []
    for graph in graphs:
        _refuse_effects(graph)
        inner = b.inner()
        alone = [handed_over(a, b.is_last(node, v)) for a, v in zip(args[1:], node.inputs[1:])]
        found.append(inner.graph(graph, dict(zip(graph.inputs, alone)), [graph.outputs[i] for i in wanted]))
        builders.append(inner)
    outs: dict[int, Term] = {}
    for at, i in enumerate(wanted):
        terms = [f[at] for f in found]
        lists = [t for t in terms if isinstance(t, ListTerm)]
        if lists and (
            len(lists) != len(terms)
            or any(t.element != lists[0].element or t.is_marked != lists[0].is_marked for t in lists)
        ):
            raise Unsupported("its branches give lists of different elements")
        outs[i] = _variable(b, node.outputs[i], _common([g.outputs[i] for g in graphs]), lists[0] if lists else None)

    def emit(text: Text) -> None:
        for header, inner, terms in zip(headers(text.number(args[0]), len(graphs)), builders, found):
            with text.block(header):
                text.steps(inner.made, terms)
                given = owned(text, terms)
                _assign(
                    text,
                    [p for i in wanted for p in _parts(text, outs[i])],
                    [p for t in given for p in _parts(text, t)],
                )

    b.made.append(Call(emit, args, list(outs.values())))
    return [outs.get(i, Term("bool", (), Template("False")())) for i in range(len(node.outputs))]


def _common(values: Sequence[Value]) -> tuple[int | None, ...] | None:
    shapes = [v.dims for v in values if v.dims is not None]
    if len(shapes) < len(values) or len({len(s) for s in shapes}) > 1:
        return None
    return tuple(d if all(s[k] == d for s in shapes) else None for k, d in enumerate(shapes[0]))
