"""Reductions. Along rows the program calls NumPy's own loops, so that sums are made in the same order; along other axes
rows are added one after the other, as NumPy does it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from graphrt.ir.code import Code, Template, commas
from graphrt.ir.graph import Node, Value, static_value
from graphrt.native.lower import Builder, Rule, rule_for
from graphrt.native.rules.elementwise import combined, greater, less, number
from graphrt.native.terms import Sizes, Term, Unsupported
from graphrt.native.text import ASSIGNED, CALLED, FOR, ITEM, NUMBER, STORED, Text, flat_view, literal, type_name
from graphrt.ops.math.reduction import All, Any_, Max, Mean, Min, Prod, Sum
from graphrt.ops.nn.activations import LogSoftmax, Softmax

_SUM = Template("({} + {})")
_PRODUCT = Template("({} * {})")
_DIFFERENCE = Template("({} - {})")
_QUOTIENT = Template("({} / {})")
_AND = Template("({} and {})")
_OR = Template("({} or {})")
_PLACE = Template("{} * {}")
_GROUPED = Template("({} * {} + {})")
_PLUS = Template("{} + {}")
_ALONE = Template("({} if {} == 1 else {})")

_FLOAT = Template("{}({})")


class Fold:
    """A reduction: its neutral element, and what is made of two elements.

    Attributes:
      ufunc: NumPy's function, whose loop folds rows of numbers; None where a loop of the program does.
      is_empty_allowed: whether there is a result where there are no elements.
    """

    def __init__(
        self, ufunc: str | None, join: Callable[[str, Code, Code], Code], start: Callable[[str], Code]
    ) -> None:
        self.ufunc = ufunc
        self.join = join
        self.start = start


def _least(dtype: str) -> Code:
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return literal(kind.type(-np.inf))
    return literal(kind.type(np.iinfo(kind).min))


def _greatest(dtype: str) -> Code:
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return literal(kind.type(np.inf))
    return literal(kind.type(np.iinfo(kind).max))


SUM = Fold("add", lambda t, x, y: combined(t, _SUM, x, y), lambda t: number(t, 0))
PROD = Fold("multiply", lambda t, x, y: combined(t, _PRODUCT, x, y), lambda t: number(t, 1))
MAX = Fold("maximum", greater, _least)
MIN = Fold("minimum", less, _greatest)
ALL = Fold(None, lambda t, x, y: _AND(x, y), lambda t: NUMBER(True))
ANY = Fold(None, lambda t, x, y: _OR(x, y), lambda t: NUMBER(False))


def folded(b: Builder, fold: Fold, x: Term, axes: list[int], keep: bool) -> Term:
    """`x` reduced over `axes`, in the order in which NumPy walks through an array: row by row."""
    if not x.dims or not axes:
        return x
    long = [i for i, d in enumerate(x.dims) if not isinstance(d, int) or d != 1]
    narrow = reshaped(b, x, tuple(x.dims[i] for i in long)) if long else x
    total = _folded(b, fold, narrow, [long.index(a) for a in axes if a in long] if long else [0])
    if keep:
        return reshaped(b, total, tuple(1 if i in axes else d for i, d in enumerate(x.dims)))
    return reshaped(b, total, tuple(d for i, d in enumerate(x.dims) if i not in axes))


def _folded(b: Builder, fold: Fold, x: Term, axes: list[int]) -> Term:
    rank, t = len(x.dims), x.dtype
    if not axes:
        return x
    kept = [i for i in range(rank) if i not in axes]
    left = tuple(x.dims[i] for i in kept)
    end = rank
    while end and end - 1 in axes:
        end -= 1
    rows = x.dims[end:]  # rows are folded as wholes

    def emit(text: Text) -> Code:
        source = text.array(x)
        indices = [text.fresh("i") for _ in range(end)]
        place = commas([indices[i] for i in kept])
        flat = text.assign(text.flat(source, x.dims), "flat") if rows else source
        count = text.assign(text.count(rows), "n") if rows else NUMBER(1)
        first = fold.start(t)
        if fold is SUM and t.startswith("float"):  # 0 added to a -0.0 that is alone would be 0
            first = _ALONE(number(t, -0.0), text.count(tuple(x.dims[i] for i in axes)), first)
        first = text.assign(first, "start")
        out = text.empty(left, t, "total") if left else text.assign(first, "total")
        if left:
            filled = text.assign(text.flat(out, left), "flat") if len(left) > 1 else out
            with text.block(FOR(i := text.fresh("i"), text.count(left))):
                text.line(STORED(filled, i, first))

        def innermost() -> None:
            before = ITEM(out, place) if left else out
            if rows:
                start = _start(text, indices, x.dims, count)
                after = _row(text, fold, t, before, flat, start, count)
            else:
                after = fold.join(t, before, ITEM(source, commas(indices)))
            text.line(STORED(out, place, after) if left else ASSIGNED(out, after))

        nest(text, indices, x.dims[:end], innermost)
        return out

    return b.call(left, t, emit, [x], "total")


def nest(text: Text, indices: Sequence[Code], dims: Sizes, innermost: Callable[[], None]) -> None:
    """A loop within a loop for each index."""
    if not indices:
        innermost()
        return
    with text.block(FOR(indices[0], text.size(dims[0]))):
        nest(text, indices[1:], dims[1:], innermost)


def _start(text: Text, indices: list[Code], dims: Sizes, count: Code) -> Code:
    """Where a row begins in the flat array."""
    if not indices:
        return NUMBER(0)
    place = indices[0]
    for index, size in zip(indices[1:], dims[1:]):
        place = _GROUPED(place, text.size(size), index)
    return text.assign(_PLACE(place, count), "k")


def _row(text: Text, fold: Fold, t: str, before: Code, flat: Code, start: Code, count: Code) -> Code:
    """What a row of the flat array makes of what was there before."""
    if fold.ufunc is not None and t.startswith("float"):
        return CALLED(text.use("fold", fold.ufunc, t), commas([before, flat, start, count]))
    total = text.assign(before, "total")
    with text.block(FOR(r := text.fresh("i"), count)):
        text.line(ASSIGNED(total, fold.join(t, total, ITEM(flat, _PLUS(start, r)))))
    return total


def reshaped(b: Builder, x: Term, dims: Sizes) -> Term:
    """The same elements in another shape of the same size."""
    if len(dims) == len(x.dims) and all(a is d or a == d for a, d in zip(x.dims, dims)):
        return x
    if x.uniform is not None or not x.dims:
        return b.spread(x.uniform or x, dims)
    if not dims:
        return b.call((), x.dtype, lambda text: ITEM(flat_view(text.array(x)), NUMBER(0)), [x], "x")
    return b.call(dims, x.dtype, lambda text: _RESHAPED(text.array(x), _shape(text, dims)), [x], "r")


_RESHAPED = Template("{}.reshape({})")


def _shape(text: Text, dims: Sizes) -> Code:
    return Template("({},)")(commas([text.size(d) for d in dims]))


def axes_of(value: Value, rank: int) -> list[int]:
    """The axes that a constant names.

    Raises:
      Unsupported: it is none, or there are no such axes.
    """
    known = static_value(value)
    if known is None:
        raise Unsupported("its axes are computed")
    found = [int(a) for a in known.reshape(-1)]
    if any(not -rank <= a < rank for a in found) or len({a % rank for a in found}) != len(found):
        raise Unsupported("its axes are wrong")
    return [a % rank for a in found]


def _reduction(fold: Fold, kinds: str) -> Rule:
    def rule(b: Builder, node: Node, args: list[Term]) -> list[Term]:
        x = args[0]
        if x.kind not in kinds:
            raise Unsupported(f"its dtype is {x.dtype}")
        return [folded(b, fold, x, axes_of(node.inputs[1], len(x.dims)), bool(node.attrs["keep_dims"]))]

    return rule


rule_for(Sum)(_reduction(SUM, "fiu"))
rule_for(Prod)(_reduction(PROD, "fiu"))
rule_for(Max)(_reduction(MAX, "fiu"))
rule_for(Min)(_reduction(MIN, "fiu"))
rule_for(All)(_reduction(ALL, "b"))
rule_for(Any_)(_reduction(ANY, "b"))


def _count(b: Builder, x: Term, axes: list[int]) -> Term:
    """How many elements go into each result, as a number of the dtype of `x`."""
    sizes = tuple(x.dims[a] for a in axes)
    if all(isinstance(s, int) for s in sizes):
        count = 1
        for s in sizes:
            assert isinstance(s, int)
            count *= s
        return Term(x.dtype, (), number(x.dtype, count))
    return b.call((), x.dtype, lambda text: _FLOAT(type_name(x.dtype), text.count(sizes)), [x], "n")


@rule_for(Mean)
def _mean(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    x = args[0]
    if x.kind != "f":
        raise Unsupported(f"its dtype is {x.dtype}")
    if any(isinstance(d, int) and d == 0 for d in x.dims):
        raise Unsupported("there are no elements")
    axes = axes_of(node.inputs[1], len(x.dims))
    total = folded(b, SUM, x, axes, bool(node.attrs["keep_dims"]))
    return [b.point(x.dtype, _QUOTIENT, total, _count(b, x, axes))]


@rule_for(Softmax)
def _softmax(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    t, e = args[0].dtype, _exponentials(b, args[0])
    total = folded(b, SUM, e, [len(e.dims) - 1], True)
    return [b.point(t, _QUOTIENT, e, total)]


def _shifted(b: Builder, x: Term) -> Term:
    if x.kind != "f" or not x.dims:
        raise Unsupported(f"its dtype is {x.dtype}")
    return b.point(x.dtype, _DIFFERENCE, x, folded(b, MAX, x, [len(x.dims) - 1], True))


def _exponentials(b: Builder, x: Term) -> Term:
    return b.ufunc("exp", _shifted(b, x))


@rule_for(LogSoftmax)
def _log_softmax(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    return [log_softmax(b, args[0])]


def log_softmax(b: Builder, x: Term) -> Term:
    """The logarithm of the softmax of each row."""
    shifted = _shifted(b, x)
    total = folded(b, SUM, b.ufunc("exp", shifted), [len(x.dims) - 1], True)
    return b.point(x.dtype, _DIFFERENCE, shifted, b.ufunc("log", total))
