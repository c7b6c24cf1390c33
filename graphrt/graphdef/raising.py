"""Control flow of TensorFlow 1 raised to `If`, `Case` and `While`.

TensorFlow 1, and functions of TensorFlow 2 that were frozen, say branches and loops in single nodes between which values
die and frames are entered:

    Switch(x, p) -> ... -> Merge                                    If(p, x)       { then_branch, else_branch }
    Enter -> Merge -> Switch(_, LoopCond) -> NextIteration, Exit -> While(inputs)  { cond, body }

Loops are raised from the innermost outwards, then the branches of what is left, the innermost first. All is done on
`NodeDef` messages; the functions that come of it are `Raised`, whose edges are those of a main graph.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from graphrt.control_flow.branches import Case, If, StatelessCase, StatelessIf
from graphrt.control_flow.while_loop import StatelessWhile, While
from graphrt.graphdef.read_values import refuse
from graphrt.graphdef.schema import message_class
from graphrt.ops.array.identity import Identity
from graphrt.types.dtype import bool_

_MANY = "_SwitchN"
_SWITCHES = {"Switch", "RefSwitch", _MANY}
_MERGES = {"Merge", "RefMerge"}
_ENTERS = {"Enter", "RefEnter"}
_EXITS = {"Exit", "RefExit"}
_NEXTS = {"NextIteration", "RefNextIteration"}
_CONDITION = "LoopCond"
OLD_CONTROL_FLOW = frozenset(_SWITCHES | _MERGES | _ENTERS | _EXITS | _NEXTS | {_CONDITION})

_MAX_BRANCHES = 10_000
_MAX_NESTING = 100

Frame = tuple[str, ...]  # names of the loops around a node, the outermost first
Pair = tuple[str, int]  # a condition, and which of its branches
Nodes = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Raised:
    """A function that was made of a branch or loop: its arguments are named as nodes of it are."""

    name: str
    arguments: list[tuple[str, int]]  # with the numbers of dtypes
    nodes: Nodes
    results: list[str]
    stateful: bool


def needs_raising(nodes: Nodes) -> bool:
    """Whether there is control flow of TensorFlow 1."""
    return any(n.op in OLD_CONTROL_FLOW for n in nodes.values())


def raised(nodes: Nodes, known: Callable[[str], bool], stateful: Callable[[Any], bool]) -> tuple[Nodes, list[Raised]]:
    """The nodes with functional control flow, and the functions that it uses.

    `known` says which names of functions are taken, `stateful` whether a node has effects.

    Raises:
      InvalidArgumentError: the nodes do not stand as branches and loops do.
    """
    return _Raising(nodes, known, stateful).run()


def _split(edge: str) -> tuple[str, int]:
    """The node and the output that an edge names; -1 for a control edge."""
    if edge.startswith("^"):
        return edge[1:], -1
    name, colon, index = edge.partition(":")
    if colon and not (index.isascii() and index.isdigit() and len(index) < 10):
        refuse(f"the edge {edge!r} names no output")
    return name, int(index) if colon else 0


def _edge(name: str, index: int) -> str:
    return f"^{name}" if index < 0 else name if index == 0 else f"{name}:{index}"


def _dtype_of(node: Any) -> int:
    if "T" not in node.attr or node.attr["T"].type == 0:
        refuse(f"node {node.name!r} ({node.op}) has no attribute 'T'")
    number: int = node.attr["T"].type
    return number % 100  # those of references are the dtypes, plus 100


def _identity(node: Any, source: str) -> Any:
    """The node that stands in the place of one of the old kind, and hands on: its name may be asked for."""
    made = message_class("NodeDef")()
    made.name, made.op = node.name, Identity.type
    made.input.append(source)
    made.attr["T"].type = _dtype_of(node)
    return made


class _Raising:
    def __init__(self, nodes: Nodes, known: Callable[[str], bool], stateful: Callable[[Any], bool]) -> None:
        self.nodes = dict(nodes)
        self.taken = known
        self.has_effects = stateful
        self.functions: dict[str, Raised] = {}
        self.frames: dict[str, Frame] = {}
        self.data: dict[str, list[tuple[str, int]]] = {n.name: [_split(e) for e in n.input] for n in nodes.values()}
        self.users: dict[str, set[str]] = {}
        for name, inputs in self.data.items():
            for source, _ in inputs:
                if source not in self.nodes:
                    refuse(f"node {name!r} takes {source!r}, which does not exist")
                self.users.setdefault(source, set()).add(name)

    def run(self) -> tuple[Nodes, list[Raised]]:
        self.find_frames()
        members: dict[Frame, list[str]] = {}
        for name, frame in self.frames.items():
            members.setdefault(frame, []).append(name)
        for frame in sorted((f for f in members if f), key=lambda f: (-len(f), f)):
            self.raise_loop(frame, members[frame], members)
        rest = self.branches_raised({n: self.nodes[n] for n in self.nodes if self.frames[n] == ()})
        left = next((n for n in rest.values() if n.op in OLD_CONTROL_FLOW), None)
        if left is not None:
            refuse(f"node {left.name!r} ({left.op}) belongs to no branch or loop that is whole")
        return rest, list(self.functions.values())

    # --- frames ---
    def find_frames(self) -> None:
        """Which loops each node stands in: `Enter` goes into one, `Exit` out of it."""
        waiting = [n for n, inputs in self.data.items() if not inputs]
        for name in waiting:
            self.frames[name] = ()
        steps, limit = 0, 64 * (len(self.nodes) + 1)
        while waiting:
            steps += 1
            if steps > limit:
                refuse("its loops are not nested as loops are")
            name = waiting.pop()
            frame = self.frames[name]
            for user in self.users.get(name, ()):
                other = self.nodes[user]
                to = frame
                if other.op in _ENTERS:
                    to = (*frame, other.attr["frame_name"].s.decode("utf-8", "replace"))
                    if len(to) > _MAX_NESTING:
                        refuse(f"its loops are nested {len(to)} deep, at {user!r}")
                elif other.op in _EXITS:
                    to = frame[:-1]
                before = self.frames.get(user)
                if before is None or len(to) > len(before):
                    self.frames[user] = to
                    waiting.append(user)
        for name in self.nodes:
            if name not in self.frames:
                refuse(f"the nodes depend on each other in a circle, through {name!r}")

    # --- loops ---
    def raise_loop(self, frame: Frame, names: list[str], members: dict[Frame, list[str]]) -> None:
        inside = {n: self.nodes[n] for n in names if n in self.nodes}
        conditions = [n for n in inside.values() if n.op == _CONDITION]
        if len(conditions) != 1:
            refuse(f"the loop {frame[-1]!r} has {len(conditions)} conditions")
        condition = conditions[0]
        enters = [n for n in inside.values() if n.op in _ENTERS]
        heads: list[tuple[Any, Any, Any]] = []  # Enter, Merge and NextIteration of each variable
        heading: dict[str, Any] = {}
        for node in inside.values():
            if node.op in _MERGES:
                sources = [self.nodes[_split(e)[0]] for e in node.input if not e.startswith("^")]
                entering = [s for s in sources if s.op in _ENTERS]
                nexts = [s for s in sources if s.op in _NEXTS]
                if len(sources) == 2 and len(entering) == len(nexts) == 1:
                    heads.append((entering[0], node, nexts[0]))
                    heading[entering[0].name] = node
        constant = [n for n in enters if n.name not in heading]
        switches = {
            n.name: _split(n.input[0])[0] for n in inside.values()
            if n.op in _SWITCHES and len(n.input) > 1 and _split(n.input[1])[0] == condition.name
        }  # fmt: skip
        of_merge = {merge: name for name, merge in switches.items()}
        machinery = {condition.name, *switches, *(n.name for n in enters)}
        for _, merge, following in heads:
            machinery |= {merge.name, following.name}
        taken = [(c.name, _dtype_of(c)) for c in constant]
        at_start = [(m.name, _dtype_of(m)) for _, m, _ in heads]
        in_body = [(of_merge.get(m.name, m.name), _dtype_of(m)) for _, m, _ in heads]
        plain = {n: v for n, v in inside.items() if n not in machinery}
        asked = self.needed([_split(condition.input[0])], plain)
        stays = {n: v for n, v in plain.items() if n not in asked}
        wanted = [_split(f.input[0]) for _, _, f in heads]
        stays |= {n: plain[n] for n in self.needed(wanted, plain)}
        base = frame[-1]
        cond = self.function(f"{base}_cond", [*at_start, *taken], {n: plain[n] for n in asked}, [condition.input[0]])
        results = [*(f.input[0] for _, _, f in heads), *(c for c, _ in taken)]
        body = self.function(f"{base}_body", [*in_body, *taken], stays, results)
        node = message_class("NodeDef")()
        node.name = self.fresh(f"{base}/{While.type}")
        node.op = (While if cond.stateful or body.stateful else StatelessWhile).type
        node.input.extend([*(e.input[0] for e, _, _ in heads), *(c.input[0] for c in constant)])
        node.input.extend(sorted({e for n in enters for e in n.input if e.startswith("^")}))
        node.attr["T"].list.type.extend([t for _, t in (*at_start, *taken)])
        node.attr["cond"].func.name, node.attr["body"].func.name = cond.name, body.name
        self.put(node, frame[:-1], members)
        number = {merge.name: i for i, (_, merge, _) in enumerate(heads)}
        for name in members[frame[:-1]]:
            other = self.nodes.get(name)
            if other is not None and other.op in _EXITS and _split(other.input[0])[0] in switches:
                merge = switches[_split(other.input[0])[0]]
                if merge not in number:
                    refuse(f"node {name!r} ({other.op}) ends no variable of the loop {base!r}")
                self.nodes[name] = _identity(other, _edge(node.name, number[merge]))
        for name in inside:
            del self.nodes[name]

    def needed(self, wanted: Iterable[tuple[str, int]], among: Nodes) -> dict[str, None]:
        """The nodes among some that edges come from, in the order of the file."""
        found: set[str] = set()
        waiting = [s for s, _ in wanted]
        while waiting:
            name = waiting.pop()
            if name in among and name not in found:
                found.add(name)
                waiting += [s for s, _ in self.edges(among[name])]
        return {n: None for n in among if n in found}

    def edges(self, node: Any) -> list[tuple[str, int]]:
        return [_split(e) for e in node.input]

    # --- pieces ---
    def fresh(self, name: str) -> str:
        made, number = name, 0
        while made in self.nodes or self.taken(made) or made in self.functions:
            number += 1
            made = f"{name}_{number}"
        return made

    def put(self, node: Any, frame: Frame, members: dict[Frame, list[str]] | None = None) -> None:
        self.nodes[node.name] = node
        self.frames[node.name] = frame
        if members is not None:
            members.setdefault(frame, []).append(node.name)

    def function(self, name: str, arguments: list[tuple[str, int]], nodes: Nodes, results: list[str]) -> Raised:
        """A function of `nodes`, in which edges to arguments and to what stands outside are put right."""
        given = {a for a, _ in arguments}
        inner: Nodes = {}
        for key, node in nodes.items():
            copy = message_class("NodeDef")()
            copy.CopyFrom(node)
            del copy.input[:]
            copy.input.extend(self.inner_edges(node, nodes, given))
            inner[key] = copy
        kept = [self.inner_edge(r, nodes, given, name) for r in results]
        inner = self.branches_raised(inner)
        effects = any(n.op in (While.type, If.type, Case.type) or self.has_effects(n) for n in inner.values())
        made = Raised(self.fresh(name), arguments, inner, kept, effects)
        self.functions[made.name] = made
        return made

    def inner_edges(self, node: Any, nodes: Nodes, given: set[str]) -> list[str]:
        return [
            self.inner_edge(e, nodes, given, node.name) for e in node.input
            if not e.startswith("^") or e[1:] in nodes
        ]  # fmt: skip

    def inner_edge(self, edge: str, nodes: Nodes, given: set[str], user: str) -> str:
        source, index = _split(edge)
        if source in nodes:
            return _edge(source, index)
        if source in given:
            return source
        refuse(f"{user!r} takes {edge!r} across the border of a branch or loop")

    # --- branches ---
    def branches_raised(self, region: Nodes) -> Nodes:
        """The nodes of one level, with `If` and `Case` for `Switch` and `Merge`."""
        if not any(n.op in _SWITCHES or n.op in _MERGES for n in region.values()):
            return region
        return _Branches(self, region).run()


class _Branches:
    """One level of nodes without loops, while its branches are raised."""

    def __init__(self, raising: _Raising, region: Nodes) -> None:
        self.raising = raising
        self.region = dict(region)
        self.place = {name: i for i, name in enumerate(region)}
        self.users: dict[str, list[str]] = {}
        for name, node in region.items():
            for source, _ in raising.edges(node):
                self.users.setdefault(source, []).append(name)
        self.contexts: dict[str, frozenset[Pair]] = {}
        self.of_pair: dict[Pair, set[str]] = {}
        self.groups: dict[tuple[frozenset[Pair], str], tuple[list[str], list[str]]] = {}
        self.canonical: dict[str, str] = {}

    def run(self) -> Nodes:
        for name in self.order():
            self.look(name)
        for outer, condition in sorted(self.groups, key=lambda k: (-len(k[0]), k[1])):
            self.raise_group(outer, condition, *self.groups[outer, condition])
        return self.region

    def order(self) -> list[str]:
        waits = {n: {s for s, _ in self.raising.edges(v) if s in self.region} for n, v in self.region.items()}
        after: dict[str, list[str]] = {}
        for name, sources in waits.items():
            for source in sources:
                after.setdefault(source, []).append(name)
        left = {n: len(s) for n, s in waits.items()}
        ready = [n for n in reversed(self.region) if not left[n]]
        done: list[str] = []
        while ready:
            name = ready.pop()
            done.append(name)
            for user in after.get(name, ()):
                left[user] -= 1
                if not left[user]:
                    ready.append(user)
        if len(done) != len(self.region):
            refuse(f"the nodes depend on each other in a circle, through {next(n for n in left if left[n])!r}")
        return done

    def condition(self, edge: str) -> str:
        """What a condition is, through the `Identity` nodes that hand it on."""
        source, index = _split(edge)
        node = self.region.get(source)
        if node is not None and node.op == Identity.type:
            return self.canonical.get(source, source)
        return _edge(source, index)

    def context(self, edge: tuple[str, int]) -> frozenset[Pair]:
        source, index = edge
        found = self.contexts.get(source, frozenset())
        node = self.region.get(source)
        if index >= 0 and node is not None and node.op in _SWITCHES:
            return found | {(self.condition(node.input[1]), index)}
        return found

    def look(self, name: str) -> None:
        node = self.region[name]
        edges = self.raising.edges(node)
        if node.op == Identity.type and edges:
            self.canonical[name] = self.condition(node.input[0])
        if node.op in _MERGES:
            self.look_at_merge(name, [self.context(e) for e in edges if e[1] >= 0])
            return
        context = frozenset().union(*map(self.context, edges))
        if node.op in _SWITCHES:
            if len(edges) < 2:
                refuse(f"node {name!r} ({node.op}) has {len(edges)} inputs")
            self.groups.setdefault((context, self.condition(node.input[1])), ([], []))[0].append(name)
        self.note(name, context)

    def note(self, name: str, context: frozenset[Pair]) -> None:
        self.contexts[name] = context
        for pair in context:
            self.of_pair.setdefault(pair, set()).add(name)

    def look_at_merge(self, name: str, contexts: list[frozenset[Pair]]) -> None:
        ports = [dict(c) for c in contexts]
        shared = [
            p for p in (ports[0] if ports else ())
            if all(p in c for c in ports) and len({c[p] for c in ports}) == len(ports) > 1
        ]  # fmt: skip
        if not shared:
            refuse(f"node {name!r} joins values that are not of the branches of one condition")
        outers = {p: frozenset.intersection(*[c - {(p, d[p])} for c, d in zip(contexts, ports)]) for p in shared}
        chosen = max(shared, key=lambda p: (len(outers[p]), (outers[p], p) in self.groups, p))
        self.groups.setdefault((outers[chosen], chosen), ([], []))[1].append(name)
        self.note(name, outers[chosen])

    def raise_group(self, outer: frozenset[Pair], condition: str, switches: list[str], merges: list[str]) -> None:
        entering = {s: self.region[s] for s in switches}
        arguments = [(s, _dtype_of(n)) for s, n in entering.items()]
        count = max([n.attr["num_outs"].i for n in entering.values() if n.op == _MANY] or [2])
        if not 1 <= count <= _MAX_BRANCHES:
            refuse(f"the nodes of the condition {condition!r} have {count} branches")
        base = (merges or switches)[0]
        inside: list[Nodes] = []
        graphs = []
        for port, results in enumerate(self.results(condition, count, merges)):
            members = sorted(self.of_pair.get((condition, port), ()), key=self.place.__getitem__)
            inside.append({n: self.region[n] for n in members if outer <= self.contexts[n]})
            graphs.append(self.raising.function(f"{base}_branch_{port}", arguments, inside[port], results))
        gone = {*entering, *(n for nodes in inside for n in nodes)}
        node = self.choice(condition, graphs, any(n.op == _MANY for n in entering.values()))
        node.name = self.raising.fresh(f"{base}/{If.type}")
        node.input.extend([condition, *(n.input[0] for n in entering.values())])
        leaving = [e for n in (*entering.values(), *(n for nodes in inside for n in nodes.values())) for e in n.input]
        node.input.extend(
            sorted({e for e in leaving if e.startswith("^") and e[1:] not in gone and e[1:] in self.region})
        )
        node.attr["Tin"].list.type.extend([t for _, t in arguments])
        node.attr["Tout"].list.type.extend([_dtype_of(self.region[m]) for m in merges])
        for at, merge in enumerate(merges):
            self.region[merge] = _identity(self.region[merge], _edge(node.name, at))
        for name in gone:
            del self.region[name]
            for pair in self.contexts[name]:
                self.of_pair[pair].discard(name)
        for name in {u for g in gone for u in self.users.get(g, ()) if u in self.region}:
            self.region[name] = self.waiting_for(self.region[name], gone, node.name)
        self.region[node.name] = node
        self.place[node.name] = len(self.place)
        for edge in node.input:
            self.users.setdefault(_split(edge)[0], []).append(node.name)
        self.note(node.name, outer)

    def results(self, condition: str, count: int, merges: list[str]) -> list[list[str]]:
        """For each branch the edges that go into the `Merge` nodes."""
        found: list[list[str]] = [[""] * len(merges) for _ in range(count)]
        for at, merge in enumerate(merges):
            for edge in self.region[merge].input:
                if not edge.startswith("^"):
                    port = dict(self.context(_split(edge)))[condition]
                    if port >= count:
                        refuse(f"node {merge!r} takes the branch {port} of {count}")
                    found[port][at] = edge
        for results in found:
            if "" in results:
                refuse(f"node {merges[results.index('')]!r} gets no value of a branch of {condition!r}")
        return found

    def choice(self, condition: str, graphs: list[Raised], many: bool) -> Any:
        """The node that runs one of `graphs`."""
        node = message_class("NodeDef")()
        effects = any(g.stateful for g in graphs)
        if many:
            node.op = (Case if effects else StatelessCase).type
            for graph in graphs:
                node.attr["branches"].list.func.add().name = graph.name
            return node
        node.op = (If if effects else StatelessIf).type
        node.attr["Tcond"].type = bool_.as_datatype_enum
        node.attr["else_branch"].func.name, node.attr["then_branch"].func.name = graphs[0].name, graphs[1].name
        return node

    def waiting_for(self, node: Any, gone: set[str], name: str) -> Any:
        """A copy of a node that waited for something in a branch, and now waits for what runs the branch."""
        kept: list[str] = []
        for edge in node.input:
            source, index = _split(edge)
            if source in gone:
                if index >= 0:
                    refuse(f"{node.name!r} takes {edge!r} out of a branch, past its Merge")
                edge = f"^{name}"
            if not edge.startswith("^") or edge not in kept:
                kept.append(edge)
        copy = message_class("NodeDef")()
        copy.CopyFrom(node)
        del copy.input[:]
        copy.input.extend(kept)
        return copy
