"""Branches and loops, whose graphs see the values around them.

    %y = StatelessIf(%c, [%x], then_branch=@a, else_branch=@b)      ->      y = If(c, then_branch=..., else_branch=...)

Of a loop only what changes is carried; its condition is computed once before and again at the end of the body.
"""

# names of another format: those of ONNX's ops

from __future__ import annotations

from collections.abc import Sequence

from graphrt.control_flow.while_loop import carried
from graphrt.export.onnx.builder import NO_REF, Attribute, OnnxGraph, Port, Ref
from graphrt.export.onnx.lowering import Held, ListRef, RowsRef, Rule, Use
from graphrt.export.onnx.mappings import lists
from graphrt.ir.graph import Graph, Value
from graphrt.types.dtype import bool_, int64
from graphrt.types.shape import Dims


def _tensor(c: Use, held: Held | None) -> Ref:
    if isinstance(held, ListRef):
        return held.ref
    if not isinstance(held, Ref):
        c.refuse("a handle of a variable or table is given on by a branch or a loop")
    return held


def _finish(c: Use, graph: OnnxGraph, found: Sequence[Held], dims: Sequence[Dims]) -> None:
    """Makes `found` the outputs of a graph inside of another one: each must be made there, and by a name of its own."""
    for held, shape in zip(found, dims):
        ref = _tensor(c, held)
        is_sequence = isinstance(held, ListRef) and not held.is_dense
        step = graph.emit_all("Identity", [ref], [ref.dtype], "out", {})
        last = graph.steps[-1]
        if last.outputs != [step[0].name] or any(p.ref.name == step[0].name for p in graph.outputs):
            name = graph.fresh("out")
            graph.steps.append(type(last)("Identity", [ref.name], [name], {}))
            step = [Ref(name, ref.dtype)]
        graph.outputs.append(Port(step[0], None if isinstance(held, ListRef) else shape, is_sequence))


def _like(held: Held, ref: Ref) -> Held:
    return ListRef(ref, held.is_dense, held.dtype, held.dims) if isinstance(held, ListRef) else ref


# --- branches --------------------------------------------------------------------------------------------------------
def _branch(c: Use, callee: Graph, name: str, given: list[Held], into: OnnxGraph) -> tuple[OnnxGraph, list[Held]]:
    graph = OnnxGraph(name, into)
    found = c.lowering.inside(callee, graph, given)
    _finish(c, graph, found, [v.dims for v in callee.outputs])
    return graph, found


def _two_ways(
    c: Use, condition: Ref, then: OnnxGraph, other: OnnxGraph, held: list[Held], into: OnnxGraph
) -> list[Held]:
    dtypes = [_tensor(c, h).dtype for h in held]
    found = into.emit_all("If", [condition], dtypes, c.node.name, {"then_branch": then, "else_branch": other})
    return [_like(h, r) for h, r in zip(held, found)]


def _agree(c: Use, held: list[Held], others: list[Held]) -> None:
    for a, b in zip(held, others):
        if isinstance(a, ListRef) and isinstance(b, ListRef) and a.is_dense != b.is_dense:
            c.refuse("its branches give lists of different forms")
        if isinstance(a, ListRef) and isinstance(b, ListRef) and a.dtype is not b.dtype:
            c.refuse(f"its branches give lists of {a.dtype.name} and of {b.dtype.name}")


def _if(c: Use) -> list[Held]:
    given = [c.held(i) for i in range(1, len(c))]
    then, held = _branch(c, c.node.attrs["then_branch"], "then", given, c.graph)
    other, others = _branch(c, c.node.attrs["else_branch"], "else", given, c.graph)
    _agree(c, held, others)
    condition = _truth(c)
    return _two_ways(c, condition, then, other, held, c.graph) if held else []


def _truth(c: Use) -> Ref:
    ref = c[0]
    return ref if ref.dtype is bool_ else c.cast(ref, bool_)


def _case(c: Use) -> list[Held]:
    given = [c.held(i) for i in range(1, len(c))]
    branches: Sequence[Graph] = c.node.attrs["branches"]
    index = c.int64(0)
    last = len(branches) - 1

    def rest(at: int, into: OnnxGraph) -> tuple[OnnxGraph, list[Held]]:
        if at == last:
            return _branch(c, branches[at], f"branch_{at}", given, into)
        graph = OnnxGraph(f"from_{at}", into)
        held = choose(at, graph)
        _finish(c, graph, held, [v.dims for v in branches[at].outputs])
        return graph, held

    def choose(at: int, into: OnnxGraph) -> list[Held]:
        then, held = _branch(c, branches[at], f"branch_{at}", given, into)
        other, others = rest(at + 1, into)
        _agree(c, held, others)
        return _two_ways(c, into.emit("Equal", index, into.ints(at), dtype=bool_), then, other, held, into)

    if not c.node.outputs:
        return []
    if last == 0:
        return c.lowering.inside(branches[0], c.graph, given)
    return choose(0, c.graph)


# --- loops -----------------------------------------------------------------------------------------------------------
def _while(c: Use) -> list[Held]:
    cond, body = c.node.attrs["cond"], c.node.attrs["body"]
    moving, _ = carried(c.node, lambda v: True)
    given = [c.held(i) for i in range(len(c))]
    scanned = lists.rows_written(c.node, moving, given)
    kept = [i for i in moving if i not in scanned]
    first = _truth_of(c, c.lowering.inside(cond, c.graph, given)[0], c.graph)
    graph = OnnxGraph("body", c.graph)
    graph.argument("i", int64, ())
    graph.argument("go_on", bool_, ())
    inner = list(given)
    for i in kept:
        inner[i] = _carried_in(c, graph, given[i], body.inputs[i])
    for i in scanned:
        inner[i] = RowsRef()
    after = list(inner)
    for i, held in zip(moving, c.lowering.inside(body, graph, inner, moving)):
        after[i] = held
    again = _truth_of(c, c.lowering.inside(cond, graph, after)[0], graph)
    outs: list[Held] = [again, *[after[i] for i in kept]]
    outs += [_row(c, after[i]) for i in scanned]
    _finish(c, graph, outs, [(), *[body.outputs[i].dims for i in kept], *[None for _ in scanned]])
    return _loop(c, given, kept, scanned, first, graph)


def _truth_of(c: Use, held: Held, graph: OnnxGraph) -> Ref:
    if not isinstance(held, Ref):
        c.refuse("its condition is no tensor")
    return graph.cast(held, bool_)


def _carried_in(c: Use, graph: OnnxGraph, given: Held, value: Value) -> Held:
    name = value.node.name.rsplit("/", 1)[-1]
    if isinstance(given, ListRef):
        return _like(given, graph.argument(name, given.ref.dtype, None, not given.is_dense))
    if not isinstance(given, Ref):
        c.refuse("a handle changes in a loop")
    return graph.argument(name, given.dtype, value.dims)


def _loop(
    c: Use, given: list[Held], kept: list[int], scanned: list[int], first: Ref, graph: OnnxGraph
) -> list[Held]:  # fmt: skip
    starts = [_tensor(c, given[i]) for i in kept]
    dtypes = [r.dtype for r in starts] + [p.ref.dtype for p in graph.outputs[1 + len(kept) :]]
    attrs: dict[str, Attribute] = {"body": graph}
    outs = c.graph.emit_all("Loop", [NO_REF, first, *starts], dtypes, c.node.name, attrs)
    result = list(given)
    for i, ref in zip(kept, outs):
        result[i] = _like(given[i], ref)
    for i, ref in zip(scanned, outs[len(kept) :]):
        result[i] = lists.after_loop(c, given[i], ref)
    return result


def _row(c: Use, held: Held) -> Ref:
    if not isinstance(held, RowsRef) or held.item is None:
        c.refuse("a turn of the loop adds no row to its list")
    return held.item


# names: the ops of this family
RULES: dict[str, Rule] = {
    "Case": _case,
    "If": _if,
    "NoOp": lambda c: [],  # it waits for others, which whoever runs the graph does
    "StatelessCase": _case,
    "StatelessIf": _if,
    "StatelessWhile": _while,
    "While": _while,
}
