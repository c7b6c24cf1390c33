"""Ops that find places and use them: where extrema are, running sums, what is gathered and scattered by index vectors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from graphrt.ir.code import Code, Template, commas
from graphrt.ir.graph import Node, static_value
from graphrt.native.lower import Builder, Rule, rule_for
from graphrt.native.rules.elementwise import combined, number
from graphrt.native.rules.reductions import nest
from graphrt.native.terms import Size, Sizes, Term, Unsupported, machine_type, same_sizes
from graphrt.native.text import ASSIGNED, CALLED, FOR, IF, ITEM, NUMBER, STORED, Text, literal, type_name
from graphrt.ops.array.gather_scatter import GatherNd, TensorScatterUpdate
from graphrt.ops.array.padding import Roll
from graphrt.ops.math.arg_extrema import ArgMax, ArgMin
from graphrt.ops.math.cumulative import Cumprod, Cumsum

_NO_ELEMENTS = Template("{} == 0")
_NAN = Template("{0} != {0}")
_GREATER = Template("{} > {}")
_LESS = Template("{} < {}")
_NEXT = Template("{} + 1")
_BEFORE = Template("{} - 2 - {}")
_LAST = Template("{} - 1")
_SUM = Template("({} + {})")
_PRODUCT = Template("({} * {})")
_AROUND = Template("({} + {}) % {}")
_OUT_OF_RANGE = Template("{0} < 0 or {0} >= {1}")
_AT = Template("({} * {} + {})")
_COPY = Template("{}.copy()")


def _axis(node: Node, position: int, rank: int) -> int:
    """The axis that a constant input names, counted from 0.

    Raises:
      Unsupported: it is computed, or there is no such axis.
    """
    known = static_value(node.inputs[position])
    if known is None or known.size != 1 or not -rank <= int(known.reshape(-1)[0]) < rank:
        raise Unsupported("its axis is computed, or there is no such axis")
    return int(known.reshape(-1)[0]) % rank


def _others(items: list[Code], axis: int, here: Code) -> Code:
    """A subscript: `here` along `axis`, `items` along the others."""
    return commas([*items[:axis], here, *items[axis:]])


# --- extrema ---------------------------------------------------------------------------------------------------------
def _place_of(better: Template, worst: int) -> Rule:
    """The first of the best elements; NaN is never the best."""

    def rule(b: Builder, node: Node, args: list[Term]) -> list[Term]:
        x, t = args[0], machine_type(node.outputs[0].dtype)
        axis = _axis(node, 1, len(x.dims))
        left = tuple(d for i, d in enumerate(x.dims) if i != axis)

        def emit(text: Text) -> Code:
            source, size = text.array(x), text.size(x.dims[axis])
            text.fail_if(_NO_ELEMENTS(size))
            out = text.empty(left, t, "places") if left else text.fresh("place")
            indices = [text.fresh("i") for _ in left]

            def innermost() -> None:
                best = text.assign(ITEM(source, _others(indices, axis, NUMBER(0))), "best")
                if x.kind == "f":
                    with text.block(IF(_NAN(best))):
                        text.line(ASSIGNED(best, literal(np.dtype(x.dtype).type(worst * np.inf))))
                place = text.assign(NUMBER(0), "place")
                with text.block(FOR(j := text.fresh("j"), size)):
                    item = text.assign(ITEM(source, _others(indices, axis, j)), "e")
                    with text.block(IF(better(item, best))):
                        text.line(ASSIGNED(best, item))
                        text.line(ASSIGNED(place, j))
                found = CALLED(type_name(t), place)
                text.line(STORED(out, commas(indices), found) if left else ASSIGNED(out, found))

            nest(text, indices, left, innermost)
            return out

        return [b.call(left, t, emit, [x], "place")]

    return rule


rule_for(ArgMax)(_place_of(_GREATER, -1))
rule_for(ArgMin)(_place_of(_LESS, 1))


# --- running sums ----------------------------------------------------------------------------------------------------
def _running(join: Template, start: int) -> Rule:
    def rule(b: Builder, node: Node, args: list[Term]) -> list[Term]:
        x, t = args[0], args[0].dtype
        axis = _axis(node, 1, len(x.dims))
        is_exclusive, is_reverse = bool(node.attrs["exclusive"]), bool(node.attrs["reverse"])
        outer = tuple(d for i, d in enumerate(x.dims) if i != axis)

        def emit(text: Text) -> Code:
            source, size = text.array(x), text.size(x.dims[axis])
            out = text.empty(x.dims, t, "running")
            indices = [text.fresh("i") for _ in outer]

            def innermost() -> None:
                first = _others(indices, axis, _LAST(size) if is_reverse else NUMBER(0))
                total = text.assign(combined(t, join, number(t, start), ITEM(source, first)), "total")
                text.line(STORED(out, first, number(t, start) if is_exclusive else total))
                with text.block(FOR(j := text.fresh("j"), _LAST(size))):
                    place = _others(indices, axis, _BEFORE(size, j) if is_reverse else _NEXT(j))
                    if is_exclusive:
                        text.line(STORED(out, place, total))
                    text.line(ASSIGNED(total, combined(t, join, total, ITEM(source, place))))
                    if not is_exclusive:
                        text.line(STORED(out, place, total))

            with text.block(IF(_GREATER(size, NUMBER(0)))):
                nest(text, indices, outer, innermost)
            return out

        return [b.call(x.dims, t, emit, [x], "running")]

    return rule


rule_for(Cumsum)(_running(_SUM, 0))
rule_for(Cumprod)(_running(_PRODUCT, 1))


# --- moved -----------------------------------------------------------------------------------------------------------
@rule_for(Roll)
def _roll(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    x, rank = args[0], len(args[0].dims)
    shifts, axes = (static_value(v) for v in node.inputs[1:])
    if shifts is None or axes is None or shifts.shape != axes.shape or any(not -rank <= a < rank for a in axes.flat):
        raise Unsupported("its shifts or axes are computed")
    by = [0] * rank
    for shift, axis in zip(shifts.reshape(-1).tolist(), axes.reshape(-1).tolist()):
        by[axis] += shift
    if x.uniform is not None:
        return [x]

    def emit(text: Text) -> Code:
        source, out = text.array(x), text.empty(x.dims, x.dtype, "rolled")
        indices = [text.fresh("i") for _ in by]
        places = [_AROUND(i, n, text.size(d)) if n else i for i, n, d in zip(indices, by, x.dims)]
        nest(text, indices, x.dims, lambda: text.line(STORED(out, commas(places), ITEM(source, commas(indices)))))
        return out

    return [b.call(x.dims, x.dtype, emit, [x], "rolled")]


# --- index vectors ---------------------------------------------------------------------------------------------------
def _depth(x: Term, indices: Term) -> int:
    """How many axes of `x` the vectors in `indices` name.

    Raises:
      Unsupported: that is not known, or none.
    """
    depth = indices.dims[-1] if indices.dims else 0
    if not isinstance(depth, int) or not 0 < depth <= len(x.dims):
        raise Unsupported("the length of its index vectors is not known")
    return depth


def _each_vector(
    text: Text, x: Term, indices: Term, depth: int, inner: Callable[[Code, Code, Code], None]
) -> None:  # fmt: skip
    """Writes `inner(i, j, at)` for element j of what vector i names, which is element `at` of the flat array."""
    sizes = [text.size(d) for d in x.dims[:depth]]
    vectors = text.assign(text.flat(text.array(indices), indices.dims), "vectors")
    count = text.assign(text.count(x.dims[depth:]), "n")
    with text.block(FOR(i := text.fresh("i"), text.count(indices.dims[:-1]))):
        place: Code | None = None
        for axis, size in enumerate(sizes):
            at = text.assign(CALLED(type_name("int64"), ITEM(vectors, _AT(i, NUMBER(depth), NUMBER(axis)))), "k")
            text.fail_if(_OUT_OF_RANGE(at, size))
            place = at if place is None else _AT(place, size, at)
        assert place is not None
        place = text.assign(place, "k")
        with text.block(FOR(j := text.fresh("j"), count)):
            inner(_AT(i, count, j), j, _AT(place, count, j))


def _refuse_policy(node: Node) -> None:
    if node.attrs["bad_indices_policy"] not in ("", "DEFAULT", "ERROR", b"", b"DEFAULT", b"ERROR"):
        raise Unsupported("it passes over indices that are out of range")


@rule_for(GatherNd)
def _gather_nd(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    x, indices = args
    _refuse_policy(node)
    depth = _depth(x, indices)
    dims = (*indices.dims[:-1], *x.dims[depth:])
    if not dims:
        return [_one(b, x, indices, depth)]

    def emit(text: Text) -> Code:
        items = text.assign(text.flat(text.array(x), x.dims), "flat")
        out = text.empty(dims, x.dtype, "gathered")
        into = text.assign(text.flat(out, dims), "flat")
        _each_vector(text, x, indices, depth, lambda i, j, at: text.line(STORED(into, i, ITEM(items, at))))
        return out

    return [b.call(dims, x.dtype, emit, [x, indices], "gathered")]


def _one(b: Builder, x: Term, indices: Term, depth: int) -> Term:
    """The element that one index vector names."""

    def emit(text: Text) -> Code:
        source, vector = text.array(x), text.array(indices)
        places = [text.assign(ITEM(vector, NUMBER(axis)), "k") for axis in range(depth)]
        for place, size in zip(places, x.dims):
            text.fail_if(_OUT_OF_RANGE(place, text.size(size)))
        return ITEM(source, commas(places))

    return b.call((), x.dtype, emit, [x, indices], "x")


@rule_for(TensorScatterUpdate)
def _scatter(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    x, indices, updates = args
    _refuse_policy(node)
    depth = _depth(x, indices)
    wanted: Sizes = (*indices.dims[:-1], *x.dims[depth:])
    if not same_sizes(updates.dims, wanted) or any(_is_empty(d) for d in indices.dims):
        raise Unsupported("the shape of its updates is not known to fit")

    def emit(text: Text) -> Code:
        out = text.assign(_COPY(text.array(x)), "scattered")
        into = text.assign(text.flat(out, x.dims), "flat")
        if not updates.dims:
            given = text.number(updates.uniform or updates)
            _each_vector(text, x, indices, depth, lambda i, j, at: text.line(STORED(into, at, given)))
        else:
            values = text.assign(text.flat(text.array(updates), updates.dims), "flat")
            _each_vector(text, x, indices, depth, lambda i, j, at: text.line(STORED(into, at, ITEM(values, i))))
        return out

    return [b.call(x.dims, x.dtype, emit, [x, indices, updates], "scattered")]


def _is_empty(size: Size) -> bool:
    return isinstance(size, int) and size == 0
