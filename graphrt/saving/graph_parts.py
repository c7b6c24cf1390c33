"""Parts of a graph of TensorFlow 1 as functions: from tensors that are fed to tensors and operations that are fetched.

The variables and tables of the graph become objects, which the functions capture. All nodes that a fetch waits for run,
those that it only has control edges from too.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from graphrt import errors
from graphrt.graphdef.importer import Library, import_part
from graphrt.graphdef.references import VALUE, with_handles
from graphrt.graphdef.schema import message_class
from graphrt.ir.graph import InferContext
from graphrt.state.resource_ops import ReadVariableOp, VarHandleOp
from graphrt.tensor.func_graph import FuncGraph, Placeholder
from graphrt.tensor.tensor import Tensor, behind
from graphrt.types.dtype import resource, string
from graphrt.types.nesting import shown

__all__ = ["Feed", "GraphParts", "edge_of"]

_DIGITS = 9  # of a number of an output


def edge_of(name: object) -> tuple[str, str]:
    """The node of a tensor, and its edge: "x" for the first output, "x:1" for others.

    Raises:
      KeyError: the name is none of a tensor.
    """
    node, colon, index = str(name).partition(":")
    if colon and not (index.isascii() and index.isdigit() and len(index) <= _DIGITS):
        raise KeyError(errors.at_user_line(f"The name {name!r} refers to a Tensor which does not exist."))
    return node, node if not colon or int(index) == 0 else f"{node}:{int(index)}"


@dataclasses.dataclass
class Feed:
    """A tensor of the graph that is given from outside.

    Attributes:
      edge: which one.
      dtype: the number of its dtype.
      shape: a message, or None where nothing is known.
      asset: the file whose path it is, if it is one.
    """

    edge: str
    dtype: int
    shape: Any = None
    asset: Tensor | None = None


class GraphParts:
    """The nodes of a graph, and what stands for those that make handles.

    Attributes:
      nodes: by name, with handles for references.
      handles: what each handle is, by name of the node; filled by whoever makes the objects.
      same: nodes that give a handle which another node gives too, and that one.
    """

    def __init__(self, definition: Any, what: str) -> None:
        self.what = what
        self.definition = definition
        by_name = {n.name: n for n in definition.node}
        if len(by_name) < len(definition.node):
            raise errors.InvalidArgumentError(None, None, f"{what}: two nodes have one name")
        self.nodes: dict[str, Any] = with_handles(by_name)
        self.handles: dict[str, Tensor] = {}
        self.same: dict[str, str] = {}

    def part(self, what: str, feeds: list[Feed], fetches: list[str]) -> tuple[FuncGraph, list[Tensor]]:
        """The graph of what `fetches` (edges, or "^name" for operations) need, and what it captured.

        Its inputs are those of `feeds` that are no assets, and then the captured tensors.

        Raises:
          InvalidArgumentError: the nodes are malformed.
          KeyError: there is no such node.
          PermissionDeniedError: a node opens a file that is no asset.
          UnimplementedError: a node is of an op that does not exist here.
          ValueError: a placeholder is not fed.
        """
        chosen = _Part(self, what, feeds)
        outputs = chosen.run(fetches)
        nodes = chosen.nodes()
        library = Library(self.definition.library, self.definition.versions.producer, bool(chosen.assets))
        handles = {name: behind(t) for name, t in chosen.captured.items() if t.dtype is not string}
        inputs = [*(chosen.names[f.edge] for f in feeds if f.asset is None), *chosen.captured]
        graph = import_part(library, what, nodes, handles, inputs, outputs)
        if chosen.assets:
            _check_files(graph, chosen.assets, what)
        return graph, list(chosen.captured.values())

    def whole(self) -> FuncGraph:
        """All nodes but those that cannot run here, and those that need them."""
        library = Library(self.definition.library, self.definition.versions.producer, True)
        users: dict[str, list[str]] = {}
        for name, node in self.nodes.items():
            for edge in node.input:
                users.setdefault(edge.lstrip("^").partition(":")[0], []).append(name)
        absent = library.missing_among([("", self.nodes.values())])
        left = {name for names in absent.values() for name in names if name in self.nodes}
        waiting = list(left)
        for name in waiting:
            fresh = [n for n in users.get(name, ()) if n not in left]
            left.update(fresh)
            waiting += fresh
        return import_part(library, self.what, [n for k, n in self.nodes.items() if k not in left], {}, None, [])


def _check_files(graph: FuncGraph, assets: set[str], what: str) -> None:
    """PermissionDeniedError unless nothing is opened but assets."""
    for each in (graph, *graph.functions().values()):
        for node in each.nodes:
            if node.op.opens_files(InferContext(node.op, node.inputs, node.attrs)) is None:
                continue
            names = [v for v in node.inputs if v.dtype is string]
            if each is not graph or not all(v.node.op is Placeholder and v.node.name in assets for v in names):
                raise errors.PermissionDeniedError(
                    None, None, f"{what}: node {node.name!r} opens a file that is no asset of the SavedModel"
                )


class _Part:
    """The nodes that are needed, while they are looked for."""

    def __init__(self, whole: GraphParts, what: str, feeds: list[Feed]) -> None:
        self.whole = whole
        self.what = what
        self.feeds = {f.edge: f for f in feeds}
        self.needed: dict[str, Any] = {}
        self.reads: list[Any] = []
        self.captured: dict[str, Tensor] = {}
        self.names = {edge: edge.replace(":", "_output_") for edge in self.feeds}
        self.assets: set[str] = set()

    def run(self, fetches: list[str]) -> list[str]:
        """Finds the nodes, and gives the edges to return."""
        for edge in self.feeds:
            self.node_of(edge)
        fed = {edge.partition(":")[0] for edge in self.feeds}
        outputs = [self.fetched(f) for f in fetches]
        reads = {str(n.name) for n in self.reads}
        waiting = [o for o in outputs if o not in self.feeds and o not in reads]
        seen: set[str] = set()
        while waiting:
            name = waiting.pop().lstrip("^").partition(":")[0]
            name = self.whole.same.get(name, name)
            if name in seen or name in self.whole.handles:
                continue
            seen.add(name)
            node = self.node_of(name)
            if node.op == Placeholder.type:
                if name in fed:  # only waited for
                    continue
                raise ValueError(
                    errors.at_user_line(f"{self.what} needs the placeholder {name!r}, which is not among what is fed")
                )
            self.needed[name] = node
            waiting += [e for e in node.input if e.startswith("^") or edge_of(e)[1] not in self.feeds]
        self.choose_names()
        return [o if o.startswith("^") else self.edge(o) for o in outputs if not o.startswith("^")]

    def node_of(self, edge: str) -> Any:
        name = edge.partition(":")[0]
        if name not in self.whole.nodes:
            kind = "an Operation" if ":" not in edge else "a Tensor"
            raise KeyError(errors.at_user_line(f"The name {shown(edge)} refers to {kind} which does not exist."))
        return self.whole.nodes[name]

    def fetched(self, edge: str) -> str:
        """The edge to return for one that is asked for: a variable is read."""
        name = edge.partition(":")[0]
        if edge.startswith("^") or edge in self.feeds:
            return edge
        node = self.node_of(edge)
        value = f"{name}{VALUE}"
        if value in self.whole.nodes:
            return value
        if node.op == VarHandleOp.type:
            made = message_class("NodeDef")(name=f"{value}_{len(self.reads)}", op=ReadVariableOp.type)
            made.attr["dtype"].CopyFrom(node.attr["dtype"])
            made.input.append(name)
            self.reads.append(made)
            return str(made.name)
        return edge

    def choose_names(self) -> None:
        """Names for the placeholders of what is fed: those of the nodes, where these do not run themselves."""
        taken = set(self.needed) | set(self.whole.handles)
        for edge, name in self.names.items():
            while name in taken:
                name += "_fed"
            taken.add(name)
            self.names[edge] = name

    def edge(self, edge: str) -> str:
        """The edge in the part for one of the graph."""
        if edge.startswith("^"):
            return edge
        name, plain = edge_of(edge)
        if plain in self.feeds:
            return self.names[plain]
        name = self.whole.same.get(name, name)
        if name in self.whole.handles:
            self.captured.setdefault(name, self.whole.handles[name])
            return name
        return edge

    def nodes(self) -> list[Any]:
        """The nodes of the part, in the order of the file, and the placeholders."""
        chosen = [self.whole.nodes[n] for n in self.whole.nodes if n in self.needed]
        found = []
        for node in [*chosen, *self.reads]:
            copy = message_class("NodeDef")()
            copy.CopyFrom(node)
            del copy.input[:]
            for edge in node.input:
                name = edge[1:].partition(":")[0]
                if edge.startswith("^") and (
                    name not in self.needed or self.whole.same.get(name, name) in self.whole.handles
                ):
                    continue
                copy.input.append(self.edge(edge))
            found.append(copy)
        for edge, feed in self.feeds.items():
            found.append(self.placeholder(self.names[edge], feed.dtype, feed.shape))
            if feed.asset is not None:
                self.captured[self.names[edge]] = feed.asset
                self.assets.add(self.names[edge])
        found += [
            self.placeholder(name, resource.as_datatype_enum, None)
            for name, t in self.captured.items()
            if t.dtype is not string
        ]
        return found

    def placeholder(self, name: str, dtype: int, shape: Any) -> Any:
        made = message_class("NodeDef")(name=name, op=Placeholder.type)
        made.attr["dtype"].type = dtype
        if shape is not None:
            made.attr["shape"].shape.CopyFrom(shape)
        elif dtype == resource.as_datatype_enum:
            made.attr["shape"].shape.SetInParent()
        return made
