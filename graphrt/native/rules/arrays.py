"""Ops that make, cut, join and rearrange arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphrt.ir.code import Code, Template, commas, identifier
from graphrt.ir.graph import Node, static_value
from graphrt.native.lower import Builder, rule_for
from graphrt.native.rules.elementwise import CHOSEN, number
from graphrt.native.rules.reductions import log_softmax, nest, reshaped
from graphrt.native.terms import Dim, Size, Sizes, Term, Unsupported, machine_type, same_sizes
from graphrt.native.text import FOR, ITEM, NUMBER, STORED, Text, flat_view, type_name
from graphrt.ops.array.concat_split import ConcatV2, Pack
from graphrt.ops.array.creation import Fill, OneHot, OnesLike, Range, ZerosLike
from graphrt.ops.array.gather_scatter import GatherV2
from graphrt.ops.array.shape import BroadcastTo, ExpandDims, Reshape, Shape, Squeeze, Transpose
from graphrt.ops.nn.losses import SparseSoftmaxCrossEntropyWithLogits
from graphrt.passes.index_directly import INDEX, form_parts
from graphrt.passes.list_reads import ROW

_OUT_OF_RANGE = Template("{0} < 0 or {0} >= {1}")
_TOO_FAR = Template("{0} < -{1} or {0} >= {1}")
_WRAPPED = Template("({0} + {1} if {0} < 0 else {0})")
_AT = Template("{} * {} + {}")
_EQUAL = Template("({} == {})")
_ROW = Template("{}[{}, {}]")
_NEGATIVE = Template("(-{})")
_LESS_ONE = Template("({} - {})")


# --- shapes ----------------------------------------------------------------------------------------------------------
@rule_for(Reshape)
def _reshape(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    return [reshaped(b, args[0], _static_or_kept(b, node, args[0]))]


def _static_or_kept(b: Builder, node: Node, x: Term) -> Sizes:
    dims = node.outputs[0].dims
    if dims is not None and None not in dims:
        return b.out_sizes(node.outputs[0])
    raise Unsupported("the shape of its result is not known")


@rule_for(ExpandDims)
def _expand(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    axis = static_value(node.inputs[1])
    if axis is None or axis.size != 1 or not -len(args[0].dims) - 1 <= int(axis.reshape(-1)[0]) <= len(args[0].dims):
        raise Unsupported("its axis is computed")
    at = int(axis.reshape(-1)[0])
    at += len(args[0].dims) + 1 if at < 0 else 0
    return [_viewed(b, args[0], (*args[0].dims[:at], 1, *args[0].dims[at:]))]


def _viewed(b: Builder, x: Term, dims: Sizes) -> Term:
    if x.dims or not dims:
        return reshaped(b, x, dims)
    return b.spread(x, dims)


@rule_for(Squeeze)
def _squeeze(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    rank = len(args[0].dims)
    wanted = [a % rank for a in node.attrs["squeeze_dims"]] if rank else []
    gone = wanted or [i for i, d in enumerate(args[0].dims) if isinstance(d, int) and d == 1]
    if any(not isinstance(d, int) for d in args[0].dims) and not wanted:
        raise Unsupported("the shape of its result is not known")
    if any(args[0].dims[i] != 1 for i in gone):
        raise Unsupported("an axis that it squeezes is not 1")
    dims = tuple(d for i, d in enumerate(args[0].dims) if i not in gone)
    if not dims and args[0].dims:
        x = args[0]
        if x.uniform is not None:
            return [x.uniform]
        return [b.call((), x.dtype, lambda text: ITEM(flat_view(text.array(x)), NUMBER(0)), [x], "x")]
    return [reshaped(b, args[0], dims)]


@rule_for(Transpose)
def _transpose(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    order = static_value(node.inputs[1])
    x = args[0]
    if order is None or sorted(int(a) for a in order) != list(range(len(x.dims))):
        raise Unsupported("its order is computed")
    axes = [int(a) for a in order]
    dims = tuple(x.dims[a] for a in axes)
    if x.uniform is not None or axes == sorted(axes):
        return [b.spread(x.uniform, dims) if x.uniform is not None else x]

    def emit(text: Text) -> Code:
        source, out = text.array(x), text.empty(dims, x.dtype, "turned")
        indices = [text.fresh("i") for _ in dims]
        inside = [indices[axes.index(k)] for k in range(len(axes))]
        nest(text, indices, dims, lambda: text.line(STORED(out, commas(indices), ITEM(source, commas(inside)))))
        return out

    return [b.call(dims, x.dtype, emit, [x], "turned")]


@rule_for(BroadcastTo)
def _broadcast_to(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    dims = b.out_sizes(node.outputs[0])
    x = args[0]
    if any(not isinstance(d, int) for d in x.dims):
        raise Unsupported("the shape of its input is not known")
    if x.uniform is not None or not x.dims:
        return [b.spread(x.uniform or x, dims)]
    return [b.widened(x, dims)]


@rule_for(Shape)
def _shape(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    x, dtype = args[0], machine_type(node.outputs[0].dtype)
    if not x.dims:
        raise Unsupported("the shape of a number")

    def emit(text: Text) -> Code:
        out = text.empty((len(x.dims),), dtype, "shape")
        for i, d in enumerate(x.dims):
            text.line(STORED(out, NUMBER(i), text.size(d)))
        return out

    return [b.call((len(x.dims),), dtype, emit, [x], "shape")]


# --- new arrays ------------------------------------------------------------------------------------------------------
@rule_for(Fill)
def _fill(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    return [b.spread(args[1], b.out_sizes(node.outputs[0]))]


@rule_for(ZerosLike)
def _zeros_like(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    return [_like(b, args[0], 0)]


@rule_for(OnesLike)
def _ones_like(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    return [_like(b, args[0], 1)]


def _like(b: Builder, x: Term, value: int) -> Term:
    machine = NUMBER(bool(value)) if x.dtype == "bool" else number(x.dtype, value)
    if x.dtype == "list":
        raise Unsupported("a list of zeros")
    return b.spread(Term(x.dtype, (), machine), x.dims)


@rule_for(Range)
def _range(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    start, limit, delta = (static_value(v) for v in node.inputs)
    if start is None or limit is None or delta is None:
        if args[0].kind != "i" or start is None or delta is None or int(delta) != 1:
            raise Unsupported("its limits are computed")
        return [_counted(b, args, int(start))]
    found = node.op.compute(start[()], limit[()], delta[()])
    return [b.constant(found)]


_DISTANCE = Template("{}({} - {}, 0)")
_STEP = Template("{}({} + {})")


def _counted(b: Builder, args: list[Term], start: int) -> Term:
    t, limit = args[0].dtype, args[1]
    size = Dim(made=lambda text: _DISTANCE(identifier("max"), text.number(limit), NUMBER(start)))

    def emit(text: Text) -> Code:
        out = text.empty((size,), t, "counted")
        with text.block(FOR(i := text.fresh("i"), text.size(size))):
            text.line(STORED(out, i, _STEP(type_name(t), i, NUMBER(start))))
        return out

    out = b.call((), t, emit, args, "counted")
    out.dims = (Dim(of=out, axis=0),)
    return out


@rule_for(OneHot)
def _one_hot(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    x, on, off = args[0], args[2], args[3]
    depth = static_value(node.inputs[1])
    if depth is None or node.attrs["axis"] not in (-1, len(x.dims)):
        raise Unsupported("its depth is computed, or its axis is not the last one")
    dims = (*x.dims, int(depth))
    places = b.constant(np.arange(int(depth)).astype(x.dtype), "places")
    if x.dims:
        x = _viewed(b, x, (*x.dims, 1))
    same = b.point("bool", _EQUAL, x, places, dims=dims)
    return [b.point(on.dtype, CHOSEN, same, on, off)]


# --- parts -----------------------------------------------------------------------------------------------------------
def _taken(b: Builder, x: Term, index: Term, dims: Sizes, wraps: bool) -> Term:
    """`x[index]` along the first axis."""

    def emit(text: Text) -> Code:
        size = text.size(x.dims[0])
        at = text.number(index)
        text.fail_if((_TOO_FAR if wraps else _OUT_OF_RANGE)(at, size))
        if wraps:
            at = text.assign(_WRAPPED(at, size), "k")
        if x.uniform is not None:
            return text.number(x.uniform) if not dims else ITEM(text.array(x), at)
        return ITEM(text.array(x), at)

    return b.call(dims, x.dtype, emit, [x, index], "row" if dims else "x")


@rule_for(ROW)
def _row(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    x, index = args
    return [_taken(b, x, index, x.dims[1:], False)]


@rule_for(INDEX)
def _index(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    x, given = args[0], args[1:]
    parts = form_parts(node.attrs["form"], len(given))
    current, axis = x, 0
    single = [p for p in parts if isinstance(p, (int, str))]
    if len(single) == len(parts):
        for place in single:
            index = Term("int64", (), number("int64", place)) if isinstance(place, int) else given[int(place)]
            current = _taken(b, current, index, current.dims[1:], True)
        return [current]
    known: list[tuple[int, int, int] | int | None] = []
    sizes: list[Size] = []
    for part in parts:
        if part is None:
            known.append(None)
            sizes.append(1)
            continue
        size = x.dims[axis]
        axis += 1
        if isinstance(part, str):
            raise Unsupported("its slices are computed")
        if isinstance(part, int):
            if not isinstance(size, int) or not -size <= part < size:
                raise Unsupported("a size of its input is not known")
            known.append(part % size)
            continue
        if any(isinstance(p, str) for p in part) or not isinstance(size, int):
            raise Unsupported("its slices are computed, or a size of its input is not known")
        low, high, step = slice(*part).indices(size)
        known.append((low, high, step))
        sizes.append(len(range(low, high, step)))
    dims = (*sizes, *x.dims[axis:])
    return [_sliced(b, x, known, dims)]


def _sliced(b: Builder, x: Term, parts: Sequence[tuple[int, int, int] | int | None], dims: Sizes) -> Term:
    if x.uniform is not None:
        return b.spread(x.uniform, dims)

    def emit(text: Text) -> Code:
        source = text.array(x)
        indices = [text.fresh("i") for _ in dims]
        supply = iter(indices)
        inside: list[Code] = []
        for part in parts:
            if part is None:
                next(supply)
            elif isinstance(part, int):
                inside.append(NUMBER(part))
            else:
                inside.append(_STEPPED(part[0], next(supply), part[2]))
        inside += list(supply)
        if not dims:
            return ITEM(source, commas(inside))
        out = text.empty(dims, x.dtype, "part")
        nest(text, indices, dims, lambda: text.line(STORED(out, commas(indices), ITEM(source, commas(inside)))))
        return out

    return b.call(dims, x.dtype, emit, [x], "part" if dims else "x")


_STEPPED = Template("{} + {} * {}")


@rule_for(GatherV2)
def _gather(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    x, indices = args[0], args[1]
    axis = static_value(node.inputs[2])
    if axis is None or not -len(x.dims) <= int(axis) < len(x.dims) or node.attrs["batch_dims"]:
        raise Unsupported("its axis is computed, or it has batch dimensions")
    if int(axis) % len(x.dims):
        return [_gathered_along(b, x, indices, int(axis) % len(x.dims))]
    if not indices.dims:
        return [_taken(b, x, indices, x.dims[1:], False)]
    dims = (*indices.dims, *x.dims[1:])

    def emit(text: Text) -> Code:
        source, size = text.array(x), text.size(x.dims[0])
        places = text.assign(text.flat(text.array(indices), indices.dims), "flat")
        out = text.empty(dims, x.dtype, "gathered")
        into = text.assign(text.flat(out, dims), "flat") if len(dims) > 1 else out
        items = text.assign(text.flat(source, x.dims), "flat") if len(x.dims) > 1 else source
        count = text.assign(text.count(x.dims[1:]), "n")
        with text.block(FOR(i := text.fresh("i"), text.count(indices.dims))):
            at = text.assign(ITEM(places, i), "k")
            text.fail_if(_OUT_OF_RANGE(at, size))
            with text.block(FOR(j := text.fresh("i"), count)):
                text.line(STORED(into, _AT(i, count, j), ITEM(items, _AT(at, count, j))))
        return out

    return [b.call(dims, x.dtype, emit, [x, indices], "gathered")]


def _gathered_along(b: Builder, x: Term, indices: Term, axis: int) -> Term:
    """What `indices` name along an axis that is not the first."""
    dims = (*x.dims[:axis], *indices.dims, *x.dims[axis + 1 :])

    def emit(text: Text) -> Code:
        size = text.size(x.dims[axis])
        out = text.empty(dims, x.dtype, "gathered")
        into, items = (text.assign(flat_view(name), "flat") for name in (out, text.array(x)))
        places = text.assign(text.flat(text.array(indices), indices.dims), "flat") if indices.dims else None
        rows, width = (text.assign(text.count(d), "n") for d in (x.dims[:axis], x.dims[axis + 1 :]))
        number_ = text.assign(text.count(indices.dims), "n")
        with text.block(FOR(i := text.fresh("i"), number_)):
            at = text.assign(ITEM(places, i) if places is not None else text.number(indices), "k")
            text.fail_if(_OUT_OF_RANGE(at, size))
            with text.block(FOR(row := text.fresh("i"), rows)):
                target = text.assign(_PLACE(row, number_, i, width), "k")
                source = text.assign(_PLACE(row, size, at, width), "k")
                with text.block(FOR(j := text.fresh("j"), width)):
                    text.line(STORED(into, _PLUS(target, j), ITEM(items, _PLUS(source, j))))
        return out

    return b.call(dims, x.dtype, emit, [x, indices], "gathered")


_PLACE = Template("({} * {} + {}) * {}")
_PLUS = Template("{} + {}")


# --- joined ----------------------------------------------------------------------------------------------------------
@rule_for(Pack)
def _pack(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    axis, inner = int(node.attrs["axis"]), args[0].dims
    if any(not same_sizes(a.dims, inner) for a in args):
        raise Unsupported("the shapes of its inputs are not known to be equal")
    axis += len(inner) + 1 if axis < 0 else 0
    if not inner:
        return [_vector(b, args)]
    return [_joined(b, [_viewed(b, a, (*inner[:axis], 1, *inner[axis:])) for a in args], axis)]


def _vector(b: Builder, args: list[Term]) -> Term:
    def emit(text: Text) -> Code:
        out = text.empty((len(args),), args[0].dtype, "packed")
        for i, a in enumerate(args):
            text.line(STORED(out, NUMBER(i), text.number(a)))
        return out

    return b.call((len(args),), args[0].dtype, emit, args, "packed")


@rule_for(ConcatV2)
def _concat(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    axis = static_value(node.inputs[-1])
    parts = args[:-1]
    if axis is None or not parts[0].dims or any(len(p.dims) != len(parts[0].dims) for p in parts):
        raise Unsupported("its axis is computed, or the ranks of its inputs differ")
    return [_joined(b, parts, int(axis) % len(parts[0].dims))]


def _joined(b: Builder, parts: list[Term], axis: int) -> Term:
    first = parts[0].dims
    for p in parts:
        rest = [(x, y) for i, (x, y) in enumerate(zip(p.dims, first)) if i != axis]
        if not isinstance(p.dims[axis], int) or any(x is not y and x != y for x, y in rest):
            raise Unsupported("the shapes of its inputs are not known to fit")
    sizes = [p.dims[axis] for p in parts]
    total = sum(s for s in sizes if isinstance(s, int))
    dims = (*first[:axis], total, *first[axis + 1 :])

    def emit(text: Text) -> Code:
        out = text.empty(dims, parts[0].dtype, "joined")
        begin = 0
        for part in parts:
            source = None if part.uniform is not None else text.array(part)
            indices = [text.fresh("i") for _ in dims]
            place = [*indices[:axis], Template("{} + {}")(begin, indices[axis]), *indices[axis + 1 :]]

            def store(source: Code | None = source, part: Term = part, indices: list[Code] = indices) -> None:
                item = ITEM(source, commas(indices)) if source is not None else text.number(part.uniform or part)
                text.line(STORED(out, commas(place), item))

            nest(text, indices, part.dims, store)
            size = part.dims[axis]
            assert isinstance(size, int)
            begin += size
        return out

    return b.call(dims, parts[0].dtype, emit, parts, "joined")


# --- losses ----------------------------------------------------------------------------------------------------------
@rule_for(SparseSoftmaxCrossEntropyWithLogits)
def _sparse_entropy(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    x, labels = args
    if len(x.dims) != 2 or len(labels.dims) != 1:
        raise Unsupported("its operands are no matrix and vector")
    logs, t = log_softmax(b, x), x.dtype

    def losses(text: Text) -> Code:
        text.require(x.dims[0], labels.dims[0])
        source, places = text.array(logs), text.array(labels)
        out = text.empty(x.dims[:1], t, "loss")
        with text.block(FOR(i := text.fresh("i"), text.size(x.dims[0]))):
            at = text.assign(ITEM(places, i), "k")
            text.fail_if(_OUT_OF_RANGE(at, text.size(x.dims[1])))
            text.line(STORED(out, i, _NEGATIVE(_ROW(source, i, at))))
        return out

    loss = b.call(x.dims[:1], t, losses, [logs, labels], "loss")
    if not b.is_used(node.outputs[1]):
        return [loss, Term(t, x.dims)]
    whole = b.ufunc("exp", logs)

    def slopes(text: Text) -> Code:
        source, places = text.array(whole), text.array(labels)
        out = text.assign(Template("{}.copy()")(source), "slope")
        with text.block(FOR(i := text.fresh("i"), text.size(x.dims[0]))):
            at = text.assign(ITEM(places, i), "k")
            text.line(STORED(out, Template("{}, {}")(i, at), _LESS_ONE(_ROW(out, i, at), number(t, 1))))
        return out

    return [loss, b.call(x.dims, t, slopes, [whole, labels, loss], "slope")]
