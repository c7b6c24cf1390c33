"""Turns the nodes of a graph into the steps of a native program, by the rules of their ops."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from graphrt.executor.plan import make_plan
from graphrt.ir.code import Code, commas
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.op import FORWARDS, OpDef
from graphrt.native.terms import Call, Dim, Point, Sizes, Step, Term, Unsupported, broadcast, machine_type
from graphrt.native.text import CALLED, Text, literal

Rule: TypeAlias = "Callable[[Builder, Node, list[Term]], list[Term]]"

# state: registry
RULES: dict[OpDef, Rule] = {}  # how each op becomes steps; what is not imported yet is missing: see `rule_of`
COMPLEX: set[OpDef] = set()  # those whose rules take complex numbers
_LARGEST_UNIFORM = 1 << 20
_MODULES = ("reductions", "products", "arrays", "control", "places", "lists")  # of rules, beside those always there


class Builder:
    """Collects the steps of one block: of the program, of a branch, or of the body of a loop."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.made: list[Step] = []
        self.terms: dict[Value, Term] = {}
        self.uses: dict[Value, int] = {}
        self._last: dict[Value, Node | None] = {}  # who uses a value last; None where the block gives it back

    # --- what rules use ---
    def point(self, dtype: str, rule: Callable[..., Code], *args: Term, dims: Sizes | None = None) -> Term:
        """A term whose elements `rule` computes from those of `args`, which broadcast."""
        sizes = broadcast([a.dims for a in args]) if dims is None else dims
        uniform = [a.uniform or a for a in args]
        if sizes and all(not a.dims for a in uniform):
            return self.spread(self.point(dtype, rule, *uniform, dims=()), sizes)
        out = Term(dtype, sizes, hint="e" if sizes else "x")
        self.made.append(Point(rule, list(args), out))
        return out

    def spread(self, number: Term, sizes: Sizes) -> Term:
        """An array whose elements are all `number`."""
        if not sizes:
            return number
        out = Term(number.dtype, sizes)
        out.uniform = number
        return out

    def call(
        self, dims: Sizes, dtype: str, emit: Callable[[Text], Code], args: Sequence[Term], hint: str = "a"
    ) -> Term:
        """A term that `emit` writes as an expression or, adding lines, as a name."""
        out = Term(dtype, dims, hint=hint)

        def write(text: Text) -> None:
            code = emit(text)
            out.code = code if code.isidentifier() else text.assign(code, out.hint)

        self.made.append(Call(write, list(args), [out]))
        return out

    def ufunc(self, name: str, *args: Term) -> Term:
        """One of NumPy's functions of floats, element by element, by its own loop: equal to the last bit."""
        dtype = args[0].dtype
        if dtype not in ("float32", "float64", "complex64", "complex128"):
            raise Unsupported(f"{name} of {dtype}")
        sizes = broadcast([a.dims for a in args])
        uniform = [a.uniform or a for a in args]
        if sizes and all(not a.dims for a in uniform):
            return self.spread(self.ufunc(name, *uniform), sizes)
        if not sizes:
            return self.point(dtype, lambda *codes: _calling(self.text, name, dtype, codes), *args)
        # one call of the loop takes whole arrays of the same shape, or numbers
        whole = [a if not u.dims else self.widened(a, sizes) for a, u in zip(args, uniform)]

        def emit(text: Text) -> Code:
            out = text.empty(sizes, dtype, "a")
            given = [text.array(a) if a.uniform is None else text.number(a.uniform) for a in whole]
            text.line(CALLED(text.use("vector", name, dtype), commas([*given, out])))
            return out

        return self.call(sizes, dtype, emit, whole)

    def widened(self, term: Term, sizes: Sizes) -> Term:
        """`term` with the shape that it broadcasts to."""
        if len(term.dims) == len(sizes) and all(a is b or a == b for a, b in zip(term.dims, sizes)):
            return term
        return self.point(term.dtype, _itself, term, dims=sizes)

    def constant(self, array: np.ndarray[Any, Any], hint: str = "c") -> Term:
        """An array (or number) that is known now."""
        dtype = array.dtype.name
        if not array.ndim:
            return Term(dtype, (), literal(array[()]))
        out = Term(dtype, array.shape, hint=hint)
        if array.size <= _LARGEST_UNIFORM and _is_uniform(array):  # or without elements
            out.uniform = Term(dtype, (), literal(array.reshape(-1)[0] if array.size else array.dtype.type(0)))
            return out
        text = self.text
        for name, known in text.constants:
            if known is array:
                out.code = name
                return out
        out.code = text.fresh(hint)
        text.constants.append((out.code, array))
        return out

    def out_sizes(self, value: Value, args: Sequence[Term] = ()) -> Sizes:
        """The static shape of `value`, where all of it is known.

        Raises:
          Unsupported: it is not.
        """
        if value.dims is None or None in value.dims:
            raise Unsupported("the shape of its result is not known")
        return tuple(d for d in value.dims if d is not None)

    def is_used(self, value: Value) -> bool:
        """Whether anything needs `value`."""
        return self.uses.get(value, 0) > 0

    def is_last(self, node: Node, value: Value) -> bool:
        """Whether nothing needs `value`, an input of `node`, after that: a list may then be changed in place."""
        root = _root(value)
        return self._last.get(root) is node and sum(_root(v) is root for v in node.inputs) == 1

    def inner(self) -> Builder:
        """A builder for a block within this one."""
        return Builder(self.text)

    # --- graphs ---
    def graph(self, graph: Graph, given: Mapping[Value, Term], wanted: Sequence[Value]) -> list[Term]:
        """Adds the steps of `graph` that `wanted` needs."""
        plan = make_plan(graph, wanted)
        self.terms.update(given)
        self.uses = plan.uses
        self._last = {_root(v): n for n in plan.nodes if FORWARDS not in n.op.traits for v in n.inputs}
        self._last.update({_root(v): None for v in wanted})
        for node in plan.nodes:
            if node.outputs and node.outputs[0] in given:
                continue
            self.node(node)
        return [self.terms[v] for v in wanted]

    def node(self, node: Node) -> None:
        """Adds the steps of one node.

        Raises:
          Unsupported: there are none; the text says why, and the exception which node it was.
        """
        try:
            self._node(node)
        except Unsupported as error:
            if not hasattr(error, "node"):
                error.node = node  # type: ignore[attr-defined]
            raise

    def _node(self, node: Node) -> None:
        if node.is_constant:
            machine_type(node.outputs[0].dtype)
            self.terms[node.outputs[0]] = self.constant(np.asarray(node.attrs["value"]))
            return
        missing = [v for v in node.inputs if v not in self.terms]
        if missing:
            raise Unsupported(_why_missing(missing[0]))
        args = [self.terms[v] for v in node.inputs]
        if FORWARDS in node.op.traits:
            self.terms.update(zip(node.outputs, args))
            return
        rule = rule_of(node.op)
        if rule is None:
            raise Unsupported("there is no rule for it")
        if node.op not in COMPLEX and node.op.structure is None:
            for value in (*node.inputs, *node.outputs):
                if value.dtype.kind == "c":
                    raise Unsupported(f"its dtype is {value.dtype.name}")
        found = rule(self, node, args)
        for value, term in zip(node.outputs, found, strict=True):
            term.hint = node.name.rpartition("/")[2] or term.hint
            self.terms[value] = term


def parameter(value: Value, code: Code) -> Term:
    """A term for what is given from outside: `value`, called `code`."""
    if value.dims is None:
        raise Unsupported("the rank of an input of it is not known")
    term = Term(machine_type(value.dtype), (), code)
    term.dims = tuple(Dim(of=term, axis=i) if d is None else d for i, d in enumerate(value.dims))
    return term


def _why_missing(value: Value) -> str:
    try:
        machine_type(value.dtype)
    except Unsupported:
        return f"an input of it is of dtype {value.dtype.name}"
    return "the rank of an input of it is not known" if value.dims is None else "an input of it is not there"


def rule_for(*ops: OpDef) -> Callable[[Rule], Rule]:
    """Declares how these ops become steps."""

    def declare(rule: Rule) -> Rule:
        for op in ops:
            RULES[op] = rule
        return rule

    return declare


def rule_of(op: OpDef) -> Rule | None:
    """How an op becomes steps; what most programs have no op of is imported with the first, as that takes milliseconds."""
    for name in _MODULES:
        if op in RULES:
            break
        importlib.import_module(f"graphrt.native.rules.{name}")
    return RULES.get(op)


def _root(value: Value) -> Value:
    while FORWARDS in value.node.op.traits:
        value = value.node.inputs[value.index]
    return value


def _itself(code: Code) -> Code:
    return code


def _calling(text: Text, name: str, dtype: str, codes: Sequence[Code]) -> Code:
    return CALLED(text.use("scalar", name, dtype), commas(codes))


def _is_uniform(array: Any) -> bool:
    first = array.reshape(-1)[:1]
    flat = array.reshape(-1)
    if array.dtype.kind == "c":
        return bool(flat.tobytes() == first.tobytes() * flat.size)
    if array.dtype.kind == "f":
        flat, first = flat.view(f"u{array.itemsize}"), first.view(f"u{array.itemsize}")  # -0.0 is not 0.0
    return bool((flat == first).all())


__all__ = ["COMPLEX", "RULES", "Builder", "Rule", "parameter", "rule_for", "rule_of"]
