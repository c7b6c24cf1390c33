"""Variables and tables of TensorFlow 1, which are references, by handles as they are today.

    v = VariableV2()              v = VarHandleOp()
    a = Assign(v, x)              a = AssignVariableOp(v, x)
    y = Neg(a)                    r = ReadVariableOp(v)  after a;  y = Neg(r)

What takes a reference where the op changes it takes the handle; whatever else takes one reads, after what the reference
came through. All is done on `NodeDef` messages of a main graph: functions have no references.
"""

from __future__ import annotations

from typing import Any

from graphrt.graphdef.read_values import refuse
from graphrt.graphdef.schema import message_class
from graphrt.ir.op import REGISTRY
from graphrt.ops.array.identity import Identity
from graphrt.state.resource_ops import (
    AssignAddVariableOp,
    AssignSubVariableOp,
    AssignVariableOp,
    ReadVariableOp,
    VarHandleOp,
    VarIsInitializedOp,
)
from graphrt.types.dtype import resource

__all__ = ["VALUE", "with_handles"]

VALUE = "/value_of_reference"  # ends the name of a node that reads what a node, of the name before it, refers to

Nodes = dict[str, Any]

_VARIABLES = frozenset({"Variable", "VariableV2"})
_CHANGES = {
    "Assign": AssignVariableOp.type, "AssignAdd": AssignAddVariableOp.type, "AssignSub": AssignSubVariableOp.type,
    "IsVariableInitialized": VarIsInitializedOp.type,
}  # fmt: skip
_PASSES = {
    "RefIdentity": Identity.type, "RefEnter": "Enter", "RefExit": "Exit", "RefMerge": "Merge", "RefSwitch": "Switch",
    "RefNextIteration": "NextIteration",
}  # fmt: skip
_TABLES = frozenset({"HashTable", "MutableHashTable", "MutableHashTableOfTensors", "MutableDenseHashTable"})
_OF_TABLES = frozenset({
    "LookupTableFind", "LookupTableInsert", "LookupTableSize", "LookupTableExport", "LookupTableImport", "InitializeTable",
    "InitializeTableFromTextFile",
})  # fmt: skip
_COUNTS = "CountUpTo"
_PREFIXES = ("Apply", "SparseApply", "Scatter", "StridedSliceAssign", _COUNTS)


_VALUES = frozenset({_COUNTS, "IsVariableInitialized"})  # they give values, all other changes the reference


def _changing(op: str) -> str | None:
    """The op on handles for one that changes variables; those that are declared here take no references."""
    if op in _CHANGES:
        return _CHANGES[op]
    return f"Resource{op}" if op.startswith(_PREFIXES) and op not in REGISTRY else None


def _gives_its_reference(op: str) -> bool:
    return _changing(op) is not None and op not in _VALUES


def with_handles(nodes: Nodes) -> Nodes:
    """The nodes of a main graph, with handles for references.

    Raises:
      InvalidArgumentError: references go where none can.
    """
    if not any(n.op in _VARIABLES or n.op in _TABLES for n in nodes.values()):
        return nodes
    return _Rewriting(nodes).run()


def _split(edge: str) -> tuple[str, str]:
    name, _, index = edge.partition(":")
    return name, index or "0"


class _Rewriting:
    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self.result: Nodes = {}
        self.handles: dict[str, str | None] = {}

    def run(self) -> Nodes:
        for node in self.nodes.values():
            copy = message_class("NodeDef")()
            copy.CopyFrom(node)
            self.rewrite(node, copy)
            self.result[copy.name] = copy
        for name in self.nodes:  # so that it can be asked for
            handle = self.handle(name)
            if handle is not None:
                self.read(name, handle, f"{name}{VALUE}", [])
        return self.result

    # --- what is a reference ---
    def handle(self, edge: str) -> str | None:
        """The edge of the handle, for a data edge that brings a reference; None for one that brings a value."""
        path: list[str] = []
        while edge not in self.handles:
            path.append(edge)
            if len(path) > len(self.nodes):
                refuse(f"the references of {edge!r} go in a circle")
            name, index = _split(edge)
            node = self.nodes.get(name)
            op = node.op if node is not None else ""
            if node is not None and index == "0" and node.input and _gives_its_reference(op):
                edge = node.input[0]
                continue
            found = (op in _VARIABLES or op in _PASSES) and (index == "0" or op == "RefSwitch")
            self.handles[edge] = (name if index == "0" else f"{name}:{index}") if found else None
        for one in path:
            self.handles[one] = self.handles[edge]
        return self.handles[edge]

    def after(self, edge: str) -> list[str]:
        """What must have happened before what an edge refers to is used: the change that the reference came through."""
        name, _ = _split(edge)
        return [f"^{name}"] if _gives_its_reference(self.nodes[name].op) else []

    def dtype(self, name: str) -> int:
        """The dtype of what a reference refers to."""
        attr = self.nodes[name].attr
        key = "dtype" if "dtype" in attr else "T"
        if key not in attr:
            refuse(f"node {name!r} ({self.nodes[name].op}) has no attribute {key!r}")
        return int(attr[key].type) % 100  # those of references are the dtypes, plus 100

    # --- what becomes of nodes ---
    def rewrite(self, node: Any, copy: Any) -> None:
        op = node.op
        if op in _VARIABLES:
            copy.op = VarHandleOp.type
            return
        if op in _TABLES or op in _OF_TABLES:
            copy.op = f"{op}V2"
            return
        data = [e for e in node.input if not e.startswith("^")]
        controls = [e for e in node.input if e.startswith("^")]
        taking = 0  # how many inputs take references
        if op in _PASSES:
            copy.op = _PASSES[op]
            copy.attr["T"].type = resource.as_datatype_enum
            taking = 1 if op == "RefSwitch" else len(data)
        elif _changing(op) is not None and data and self.handle(data[0]) is not None:
            taking = self.change(copy, str(_changing(op)))
        through: list[str] = []
        for position, edge in enumerate(data):
            handle = self.handle(edge)
            if handle is not None and position < taking:
                data[position] = handle
                through += self.after(edge)
            elif handle is not None:
                data[position] = self.read(edge, handle, f"{node.name}/read_of_input_{position}", controls)
        del copy.input[:]
        copy.input.extend([*data, *dict.fromkeys([*controls, *through])])

    def change(self, copy: Any, to: str) -> int:
        """Makes a node one of the op `to`, and gives how many handles that takes."""
        op = REGISTRY.get(to)
        copy.op = to
        if op is None:
            return 1
        if "dtype" in op.attrs and "dtype" not in copy.attr and "T" in copy.attr:
            copy.attr["dtype"].type = copy.attr["T"].type
        for key in [k for k in copy.attr if k not in op.attrs and k[:1] != "_"]:
            del copy.attr[key]
        return sum(a.dtype is resource for a in op.inputs)

    def read(self, edge: str, handle: str, name: str, controls: list[str]) -> str:
        """The name of a new node that reads what an edge refers to."""
        while name in self.nodes or name in self.result:
            name += "_"
        made = self.result[name] = message_class("NodeDef")(name=name, op=ReadVariableOp.type)
        made.attr["dtype"].type = self.dtype(_split(edge)[0])
        made.input.extend([handle, *dict.fromkeys([*controls, *self.after(edge)])])
        return name
