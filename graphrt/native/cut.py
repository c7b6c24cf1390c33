"""Cuts a graph into regions that become native functions, and the rest, which stays in NumPy.

    a = MatMul(x, w)                       r = _Native(x, w)        # MatMul, AddV2, Tanh
    b = AddV2(a, c)              ->        PyFunc(r)
    t = Tanh(b); PyFunc(t)                 ...

Nodes keep their order as far as anybody can tell: effects happen in the order of the source, and a node that may fail
does not move across an effect. Loops and branches that cannot be compiled whole are cut inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphrt.executor.plan import make_plan
from graphrt.ir.code import Code, Template, commas
from graphrt.ir.copy import copy_nodes
from graphrt.ir.graph import Graph, Node, Value, copy_static
from graphrt.ir.liveness import observable, pinned
from graphrt.ir.op import ALIASES, FORWARDS, INTERNAL, LOOP, OPAQUE, QUIET, READS, define
from graphrt.native.lower import Builder, parameter
from graphrt.native.terms import ListTerm, Unsupported, machine_type
from graphrt.native.text import Text
from graphrt.ops.support.never_fails import cannot_fail
from graphrt.tensor.func_graph import Placeholder

_FEWEST = 6  # numbers that are computed one by one: fewer are not worth a call

_RESULTS = Template("{} = {}({})")
_TUPLE_OF_ONE = Template("({},)")


def _emit(emitter: Any, node: Node, inputs: list[Code]) -> list[Code]:
    names = [emitter.fresh(v.node.name) for v in node.attrs["body"].outputs]
    target = _TUPLE_OF_ONE(names[0]) if len(names) == 1 else commas(names)
    emitter.line(_RESULTS(target, emitter.bind(node.attrs["run"], f"native_{node.name}"), commas(inputs)))
    return names


NATIVE = define(
    "_Native", "input: Tin... -> output: Tout...", attrs="body: func",
    infer=lambda c: [v.dims for v in c.attrs["body"].outputs], emit=_emit, traits=(INTERNAL, OPAQUE, QUIET),
)  # fmt: skip


class Refusal:
    """A node that stays in NumPy.

    Attributes:
      node: of the graph; or inside of the loop or branch that stays for its sake.
      reason: why.
    """

    __slots__ = ("node", "reason")

    def __init__(self, node: Node, reason: str) -> None:
        self.node = node
        self.reason = reason


class Cut:
    """What became of a graph.

    Attributes:
      regions: each as a graph of its own.
      refused: the nodes that stay in NumPy.
      compiled: how many nodes are in regions, those inside of loops and branches counted.
    """

    __slots__ = ("compiled", "refused", "regions")

    def __init__(self) -> None:
        self.regions: list[Graph] = []
        self.refused: list[Refusal] = []
        self.compiled = 0


def cut(graph: Graph, make: Callable[[Graph], Callable[..., Any]], found: Cut | None = None) -> Cut:
    """Replaces the regions of `graph`, which is changed, by nodes that run what `make` makes of each."""
    found = Cut() if found is None else found
    if graph.is_foreign:
        found.refused += [Refusal(n, "the graph comes from a file: what it spends is counted") for n in graph.nodes[:1]]
        return found
    nodes = make_plan(graph).nodes
    known: dict[Node, Unsupported] = {}
    while True:
        reasons = _refused(graph, nodes, known)
        parts = _regions(graph, nodes, set(reasons))
        crossing = _crossing_lists(graph, [region for region, _ in parts if region and _is_worth_it(region)])
        if not crossing:
            break
        known = reasons | crossing
    for node in nodes:
        if node in reasons:
            _refuse(node, reasons[node], make, found)
    order: list[Node] = []
    for region, rest in parts:
        if region and _is_worth_it(region):
            order.append(_replaced(graph, region, make, found))
        else:
            order += region
        order += rest
    kept = set(order)
    inside = {n for n in nodes if n not in kept}
    constants = [n for n in graph.nodes if n.is_constant or n.is_parameter]
    moved = set(constants)
    graph.nodes = [*constants, *(n for n in order if n not in moved and n not in inside)]
    graph.version += 1
    return found


def _refuse(node: Node, error: Unsupported, make: Callable[[Graph], Callable[..., Any]], found: Cut) -> None:
    inner: Node = getattr(error, "node", node)
    found.refused.append(Refusal(inner, str(error)))
    if node.op.in_place:
        for _, part in node.subgraphs():
            cut(part, make, found)


# --- which nodes -----------------------------------------------------------------------------------------------------
def _refused(graph: Graph, nodes: Sequence[Node], known: dict[Node, Unsupported]) -> dict[Node, Unsupported]:
    """The nodes that cannot be part of a region, with the reasons; those in `known` are."""
    refused = {**known}
    fixed = pinned(graph)
    while True:
        builder = Builder(Text())
        builder.uses = make_plan(graph).uses
        for value in graph.inputs:
            _give(builder, value)
        for node in nodes:
            if node.is_parameter:
                continue
            reason = None if node.is_constant else _stays(node, fixed)
            if node not in refused and reason is not None:
                refused[node] = Unsupported(reason)
            if node not in refused:
                try:
                    builder.node(node)
                    continue
                except Unsupported as error:
                    if node.is_constant:
                        continue
                    refused[node] = error
            for value in node.outputs:
                _give(builder, value)
        leaving = _leaving_lists(graph, nodes, refused, builder)
        if not leaving:
            return refused
        refused.update(leaving)


def _stays(node: Node, fixed: set[Node]) -> str | None:
    """Why a node has to stay in NumPy, whatever rules there are."""
    if node.stateful and not node.op.in_place:
        return "it reads or changes state" if READS in node.op.traits else "it has an effect"
    return "it must run before or after an effect" if node in fixed else None


def _give(builder: Builder, value: Value) -> None:
    try:
        builder.terms[value] = parameter(value, builder.text.fresh("v"))
    except Unsupported:
        builder.terms.pop(value, None)


def _leaving_lists(
    graph: Graph, nodes: Sequence[Node], refused: dict[Node, Unsupported], builder: Builder
) -> dict[Node, Unsupported]:
    """The nodes that make lists of which NumPy knows nothing, though a node that stays in NumPy takes them."""
    takers = [*(v for n in nodes if n in refused for v in n.inputs), *graph.outputs]
    return {
        v.node: Unsupported("it makes a list that is used outside of compiled code")
        for v in takers
        if isinstance(builder.terms.get(v), ListTerm) and v.node not in refused
    }


def _crossing_lists(graph: Graph, regions: Sequence[list[Node]]) -> dict[Node, Unsupported]:
    """The nodes that make lists which another region or NumPy takes, or take such."""
    found: dict[Node, Unsupported] = {}
    places = {node: at for at, region in enumerate(regions) for node in region}
    takers = [(node, v) for node in graph.nodes for v in node.inputs] + [(None, v) for v in graph.outputs]
    for taker, v in takers:
        one, other = places.get(v.node), None if taker is None else places.get(taker)
        if one != other and not _is_for_machines(v):
            for node, place in ((v.node, one), (taker, other)):
                if node is not None and place is not None:
                    found[node] = Unsupported("a list is used in several parts of the compiled code")
    return found


def _is_for_machines(value: Value) -> bool:
    try:
        machine_type(value.dtype)
    except Unsupported:
        return False
    return True


def _is_worth_it(region: Sequence[Node]) -> bool:
    work = [n for n in region if FORWARDS not in n.op.traits]
    if any(n.op.structure == LOOP for n in work):
        return True
    real = [n for n in work if ALIASES not in n.op.traits]
    arrays = any(v.dims != () and not v.node.is_constant for n in real for v in (*n.inputs, *n.outputs))
    return bool(work) and (arrays or len(work) >= _FEWEST)


# --- which region ----------------------------------------------------------------------------------------------------
def _regions(graph: Graph, nodes: Sequence[Node], refused: set[Node]) -> list[tuple[list[Node], list[Node]]]:
    """Pairs of a region and the nodes that run after it, in an order that nobody can tell from that of the graph."""
    found: list[tuple[list[Node], list[Node]]] = []
    region: list[Node] = []
    after: list[Node] = []
    inside: set[Node] = set()
    behind: set[Node] = set()

    def close() -> None:
        nonlocal region, after
        if region or after:
            found.append((region, after))
        region, after = [], []
        inside.clear()
        behind.clear()

    for node in nodes:
        if node.is_constant or node.is_parameter:
            continue
        sources = {v.node for v in node.inputs} | set(node.controls)
        if node in refused:
            effect = observable(node) or (READS in node.op.traits and any(observable(n) for n in after))
            if region and (sources & inside or sources & behind or effect):
                after.append(node)
                behind.add(node)
            elif region:
                # it needs nothing of the region: it runs before it
                found.append(([], [node]))
            else:
                close()
                found.append(([], [node]))
            continue
        if after and (sources & behind or not cannot_fail(node)):
            close()
        region.append(node)
        inside.add(node)
    close()
    return found


def _replaced(graph: Graph, region: list[Node], make: Callable[[Graph], Callable[..., Any]], found: Cut) -> Node:
    """The node that stands for `region`."""
    inside = set(region)
    users: dict[Value, int] = {}
    for node in graph.nodes:
        if node not in inside:
            for v in node.inputs:
                users[v] = 1
    for v in graph.outputs:
        users[v] = 1
    outputs = [v for n in region for v in n.outputs if v in users]
    given = list(dict.fromkeys(v for n in region for v in n.inputs if v.node not in inside and not v.node.is_constant))
    place = {v: at for at, v in enumerate(graph.inputs)}
    given.sort(key=lambda v: place.get(v, len(place)))
    body = Graph(f"{graph.name}_region_{len(found.regions)}")
    values: dict[Value, Value] = {}
    for value in given:
        values[value] = _placeholder(body, value)
    constants = list(dict.fromkeys(v.node for n in region for v in n.inputs if v.node.is_constant))
    copy_nodes([*constants, *region], body, values)
    for node in body.nodes:
        node.controls = []
    body.inputs = [values[v] for v in given]
    body.outputs = [values[v] for v in outputs]
    found.regions.append(body)
    found.compiled += sum(1 + sum(len(g.nodes) for _, g in n.subgraphs()) for n in region)
    made = Node(graph, NATIVE, f"region_{len(found.regions) - 1}", given, {"body": body, "run": make(body)})
    made.location = region[0].location
    made.outputs = outputs
    for at, value in enumerate(outputs):
        value.node, value.index = made, at
    return made


def _placeholder(body: Graph, value: Value) -> Value:
    node = Node(body, Placeholder, body.unique_name(value.node.name), [], {"dtype": value.dtype, "shape": value.dims})
    copy = Value(node, 0, value.dims, value.dtype)
    copy.info = value.info
    copy_static(value, copy)
    node.outputs = [copy]
    body.nodes.append(node)
    return copy
