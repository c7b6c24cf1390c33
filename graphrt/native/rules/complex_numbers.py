"""Ops on complex numbers: sums are written out, products and functions are NumPy's own loops.

NumPy rounds a product of arrays once where a sum of products rounds twice, so that only its own loop gives its bits.
What is not listed here stays in NumPy where it meets a complex number.
"""

from __future__ import annotations

from graphrt.ir.code import Template, identifier
from graphrt.ir.graph import Node
from graphrt.native.lower import COMPLEX, RULES, Builder, Rule, rule_for
from graphrt.native.rules import elementwise
from graphrt.native.terms import Term, machine_type
from graphrt.native.text import CALLED, type_name
from graphrt.ops.array.concat_split import ConcatV2, Pack
from graphrt.ops.array.creation import Fill, OnesLike, ZerosLike
from graphrt.ops.array.gather_scatter import GatherV2
from graphrt.ops.array.selection import SelectV2
from graphrt.ops.array.shape import BroadcastTo, ExpandDims, Reshape, Shape, Squeeze, Transpose
from graphrt.ops.math.arithmetic import Add, AddN, AddV2, Mul, Pow, Sub
from graphrt.ops.math.casting import Complex
from graphrt.ops.math.comparison import Equal, NotEqual
from graphrt.ops.math.division import Div, RealDiv
from graphrt.ops.math.elementwise import Conj, Cos, Exp, Imag, Log, Neg, Real, Sin, Sqrt, Square, Tan, Tanh
from graphrt.passes.index_directly import INDEX
from graphrt.passes.list_reads import ROW

assert elementwise  # whose rules are built upon here
_PART = {Real: Template("{}.real"), Imag: Template("{}.imag")}
_CONJUGATE = Template("{}.conjugate()")
_PRODUCT = Template("({} * {})")
_OF_PARTS = Template("{}({}, {})")

COMPLEX.update([  # their rules do not ask what elements are
    ConcatV2, Pack, Fill, OnesLike, ZerosLike, GatherV2, SelectV2, BroadcastTo, ExpandDims, Reshape, Shape, Squeeze,
    Transpose, INDEX, ROW, Add, AddN, AddV2, Sub, Neg, Equal, NotEqual,
])  # fmt: skip


def _loop(name: str, rule: Rule) -> Rule:
    """NumPy's loop for complex numbers; what `rule` gives for others."""

    def chosen(b: Builder, node: Node, args: list[Term]) -> list[Term]:
        return [b.ufunc(name, *args)] if args[0].kind == "c" else rule(b, node, args)

    return chosen


for _op, _name in (
    (Exp, "exp"), (Log, "log"), (Sqrt, "sqrt"), (Sin, "sin"), (Cos, "cos"), (Tan, "tan"), (Tanh, "tanh"), (Pow, "power"),
    (RealDiv, "true_divide"), (Div, "true_divide"),
):  # fmt: skip
    RULES[_op] = _loop(_name, RULES[_op])
    COMPLEX.add(_op)


@rule_for(Complex)
def _complex(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    dtype = machine_type(node.outputs[0].dtype)
    made = identifier("complex")
    return [b.point(dtype, lambda x, y: CALLED(type_name(dtype), _OF_PARTS(made, x, y)), *args)]


@rule_for(Real, Imag)
def _part(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    return [b.point(machine_type(node.outputs[0].dtype), _PART[node.op], args[0])]


@rule_for(Conj)
def _conjugate(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    return [b.point(args[0].dtype, _CONJUGATE, args[0])]


def _multiplied(name: str, rule: Rule) -> Rule:
    """A product of arrays by NumPy's loop `name`, one of numbers as NumPy computes numbers of its own."""

    def chosen(b: Builder, node: Node, args: list[Term]) -> list[Term]:
        if args[0].kind != "c":
            return rule(b, node, args)
        if any(a.dims for a in args):
            return [b.ufunc(name, *args)]
        return [b.point(args[0].dtype, lambda *codes: _PRODUCT(codes[0], codes[-1]), *args)]

    return chosen


for _op, _name in ((Mul, "multiply"), (Square, "square")):
    RULES[_op] = _multiplied(_name, RULES[_op])
    COMPLEX.add(_op)
COMPLEX.update([Complex, Real, Imag, Conj])
