"""The dtype that values share while it may change, and what changing it means for the nodes recorded so far.

    %2: i32[] = StatelessIf(%1, then_branch={4}, else_branch={5})          %2: i64[] = StatelessIf(...)
    %3: i32[] = Mul(%2, 10)                                         ->     %3: i64[] = Mul(%2, 10)
    %4: f32[] = AddV2(%3 cast to f32, %0)                                  %4: the same

Which values have such a type, and when it changes, `graphrt.tensor.weak` says: those made of numbers of Python.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.op import ELEMENTWISE, SHOWS, ArgDef, ops  # late: ops stand above graphs
from graphrt.types.dtype import DType, bool_, complex128, float32, float64, int32, int64

RANKS = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}  # the kinds of Python: each holds the numbers of those before
NATURAL = (bool_, int32, float32, complex128)  # what numbers of each kind become where nothing says more
WIDER = {int32: int64, float32: float64}
ELEMENT = "element_dtype"  # the attribute by which ops on lists know what is in them


class WeakType:
    """The dtype that a family of values shares, as long as it may change.

    Attributes:
      dtype: bool, int32, int64, float32, float64 or complex128.
      name: what the user calls one of them, for messages; '' when nothing is known.
      final: whether the dtype stays as it is.
      casts: how often one of them has been cast to the dtype of a tensor that it met.
      members: the values; handles of lists are members when the elements are such values.
      numbers: the constants among them, and the numbers (or lists of numbers) that they were made of.
    """

    __slots__ = ("_joined", "casts", "dtype", "final", "members", "name", "numbers")

    def __init__(self, dtype: DType, name: str = "") -> None:
        self.dtype = dtype
        self.name = name
        self.final = False
        self.casts = 0
        self.members: list[Value] = []
        self.numbers: dict[Value, Any] = {}
        self._joined: WeakType | None = None  # the type that this one has become part of

    @property
    def rank(self) -> int:
        """The place of its kind in bool, int, float, complex."""
        return RANKS[self.dtype.kind]

    @property
    def kind(self) -> str:
        """What Python calls such numbers."""
        return ("bool", "int", "float", "complex")[self.rank]

    def fits(self, dtype: DType) -> bool:
        """Whether tensors of `dtype` can hold such numbers: those of its kind, and of the kinds above."""
        return RANKS.get(dtype.kind, -1) >= self.rank

    def holds(self, dtype: DType) -> bool:
        """Whether a list of such numbers can take elements of `dtype`."""
        return RANKS.get(dtype.kind, len(RANKS)) <= self.rank

    def enter(self, value: Value, number: Any = None) -> None:
        """Makes `value` a member; a constant made of `number` if that is given."""
        assert value.dtype is self.dtype or value.dtype.kind == "O", (value, self.dtype)
        value.weak = self
        self.members.append(value)
        if number is not None:
            self.numbers[value] = number

    def representative(self) -> WeakType:
        """The type that this one is part of by now."""
        found = self
        while found._joined is not None:
            if found._joined._joined is not None:
                found._joined = found._joined._joined  # so that the way does not get longer with each type that joins
            found = found._joined
        return found

    def absorb(self, other: WeakType) -> None:
        """Makes `other`, of the same dtype, part of this type."""
        other._joined = self
        if len(self.members) < len(other.members):  # the smaller one moves
            self.members, other.members = other.members, self.members
            self.numbers, other.numbers = other.numbers, self.numbers
        self.members += other.members
        self.numbers.update(other.numbers)
        self.name = self.name or other.name
        self.final = self.final or other.final
        self.casts += other.casts

    def change(self, dtype: DType) -> None:
        """Gives all members another dtype of their kind, and with them the nodes that they are outputs of.

        A node that made something of a member for which the dtype matters gets the member cast to what it was.
        """
        members = set(self.members)
        old, self.dtype = self.dtype, dtype
        for value in self.members:
            if value.dtype.kind != "O":
                value.change_dtype(dtype)
        for graph in dict.fromkeys(v.node.graph for v in self.members):
            for node in list(graph.nodes):
                if not (members.isdisjoint(node.outputs) and members.isdisjoint(node.inputs)):
                    self._change_node(node, members, old)
            graph.version += 1

    def _change_node(self, node: Node, members: set[Value], old: DType) -> None:
        attrs = node.attrs = dict(node.attrs)  # which may be those of other nodes, too
        if node.op is ops.Const:
            number = self.numbers[node.outputs[0]]
            attrs.update(value=np.array(number, self.dtype.as_numpy_dtype)[()], dtype=self.dtype)
            return
        if node.op is ops.Placeholder:
            attrs["dtype"] = node.outputs[0].dtype
            return
        lists = ELEMENT in attrs and any(v.dtype.kind == "O" and v in members for v in (*node.inputs, *node.outputs))
        changed = [ELEMENT] if lists else []
        changed += [a for a in _type_attrs(node) if a not in changed and self._follows(node, a, members)]
        at = 0
        for arg in node.op.inputs:
            places = range(at, at + count_of(node, arg))
            for place in places:
                follows = _follows_in_list(node, place, members) if arg.list_attr else arg.type_attr in changed
                value = node.inputs[place]
                if (value in members) is not follows and value.dtype in (old, self.dtype):
                    _cast_input(node, place, self.dtype if follows else old)
            if arg.list_attr:
                attrs[arg.list_attr] = [node.inputs[p].dtype for p in places]
            at = places.stop
        for attr in changed:
            attrs[attr] = self.dtype
        for arg, value in zip(node.op.outputs, node.outputs):
            if arg.list_attr:  # such ops have one output, a list
                attrs[arg.list_attr] = [v.dtype for v in node.outputs]
            elif arg.type_attr and value in members and value.dtype.kind != "O":  # also where no input is of that dtype
                attrs[arg.type_attr] = self.dtype

    def _follows(self, node: Node, attr: str, members: set[Value]) -> bool:
        """Whether a node takes its inputs of type `attr` in the new dtype: it makes members, or only looks at them."""
        outputs = outputs_of(node, attr)
        if outputs:
            return any(v in members and v.dtype.kind != "O" for v in outputs)
        allowed = node.op.attrs[attr].allowed
        at = 0
        for arg in node.op.inputs:
            count = count_of(node, arg)
            if arg.type_attr == attr and not members.issuperset(node.inputs[at : at + count]):
                return False
            at += count
        return ELEMENTWISE in node.op.traits and (allowed is None or self.dtype in allowed)


def weak_type_of(value: Value) -> WeakType | None:
    """The type that `value` shares with others; None if it has a dtype of its own."""
    found: WeakType | None = value.weak
    if found is not None and found._joined is not None:
        found = value.weak = found.representative()
    return found


def leave(value: Value) -> None:
    """Gives a value, which nobody has used yet, a dtype of its own: the one it has."""
    weak = weak_type_of(value)
    if weak is not None:
        if value.dtype.kind == "O":  # the elements of a list are as they are
            weak.final = True
        weak.members.remove(value)
        value.weak = None


def make_final(graph: Graph) -> None:
    """Fixes all dtypes in `graph`, which somebody relies on from now on."""
    for node in graph.nodes:
        for value in node.outputs:
            weak = weak_type_of(value)
            if weak is not None:
                weak.final = True


def count_of(node: Node, arg: ArgDef) -> int:
    """How many tensors an argument of a node is."""
    if arg.list_attr:
        return len(node.attrs[arg.list_attr])
    return int(node.attrs[arg.number_attr]) if arg.number_attr else 1


def outputs_of(node: Node, attr: str) -> list[Value]:
    """The outputs whose dtype the attribute `attr` is."""
    found: list[Value] = []
    at = 0
    for arg in node.op.outputs:
        count = count_of(node, arg)
        if arg.type_attr == attr:
            found += node.outputs[at : at + count]
        at += count
    return found


def _type_attrs(node: Node) -> dict[str, None]:
    return dict.fromkeys(arg.type_attr for arg in node.op.inputs if arg.type_attr)


def _follows_in_list(node: Node, place: int, members: set[Value]) -> bool:
    """Whether an input among many of all dtypes is to change: the graphs of the node take it as a member."""
    graphs = [g for _, g in node.subgraphs()]
    if not graphs:
        return SHOWS in node.op.traits and node.inputs[place] in members
    first = len(node.inputs) - len(graphs[0].inputs)  # what selects a branch is no input of the branches
    if place < first or any(len(g.inputs) != len(graphs[0].inputs) for g in graphs):
        return False
    return all(g.inputs[place - first] in members for g in graphs)


def _cast_input(node: Node, place: int, dtype: DType) -> None:
    """Gives a node one of its inputs in another dtype."""
    source = node.inputs[place]
    attrs = {"SrcT": source.dtype, "DstT": dtype, "Truncate": False}
    made = node.graph.insert_before(node, ops.Cast, [source], {name: attrs[name] for name in ops.Cast.attrs})
    node.inputs[place] = made.outputs[0]
