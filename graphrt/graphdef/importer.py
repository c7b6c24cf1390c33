"""GraphDef -> FuncGraph.

A file may come from anywhere, so nothing in it is believed: every name, number, dtype and shape is checked before it is
used, sizes are bounded, and what does not fit raises an error that names the node.

    GraphDef edges                     nodes here
    y = Identity(v, ^print)      ->    print stands before y in `nodes`
"""

# long: a library builds bodies, and bodies ask it for functions
from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from graphrt import errors
from graphrt.control_flow.branches import next_number
from graphrt.graphdef.expansions import EXPANSIONS, Expanded
from graphrt.graphdef.export import MANUAL
from graphrt.graphdef.raising import OLD_CONTROL_FLOW, Raised, needs_raising, raised
from graphrt.graphdef.read_values import read_dims, read_dtype, read_tensor, refuse
from graphrt.graphdef.schema import message_class
from graphrt.graphdef.tensor_arrays import OF_ARRAYS, needs_lists, with_lists
from graphrt.ir.attributes import attribute_text, described, expected, fits
from graphrt.ir.graph import Graph, InferContext, Node, Value
from graphrt.ir.op import (  # late: what it calls stands in rooms above
    BRANCH,
    CALL,
    CALLS_PYTHON,
    INTERNAL,
    LOOP,
    REGISTRY,
    REQUIRED,
    AttrDef,
    OpDef,
    ops,
)
from graphrt.ops.array.identity import Identity
from graphrt.state.storage import Storage
from graphrt.tensor.context import building, init_scope
from graphrt.tensor.func_graph import Const, FuncGraph, Placeholder
from graphrt.tensor.scopes import NoOp
from graphrt.tensor.tensor import tensor_of
from graphrt.types.dtype import DType, from_numpy
from graphrt.types.limits import current, remedy
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims, compatible, merge

Handed = tuple[tuple[DType, Dims] | None, ...]  # of each argument: dtype and shape of the variable behind it
SMALL = 100  # nodes of a function that is copied for each node that runs it
_KNOWN_PRODUCER = 2288
_UNKNOWN_SCALARS = 24  # before this producer a Placeholder of shape [] meant an unknown shape
_PRIVATE = frozenset({INTERNAL, CALLS_PYTHON})  # of ops that only this process can have meant
_FIELD_OF = {
    "string": "s", "int": "i", "float": "f", "bool": "b", "type": "type", "shape": "shape", "tensor": "tensor",
    "func": "func",
}  # fmt: skip
_REWRITTEN = frozenset({NoOp.type, *OLD_CONTROL_FLOW, *OF_ARRAYS, *EXPANSIONS})  # before nodes are made
_NAMED = {field: kind for kind, field in _FIELD_OF.items()}


def parse(data: bytes) -> Any:
    """`data` (bytes, text, or a GraphDef message of any class) as a message of our class.

    Raises:
      InvalidArgumentError: it is no GraphDef.
    """
    message = message_class("GraphDef")()
    if isinstance(data, type(message)):
        return data
    if hasattr(data, "SerializeToString"):
        data = data.SerializeToString()
    if isinstance(data, str):
        from google.protobuf import text_format  # lazy: only files of text need it

        try:
            return text_format.Parse(data, message)
        except text_format.ParseError as error:
            refuse(f"the text cannot be read: {error}")
        except RecursionError:
            refuse("the text is nested too deep")
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"a GraphDef is a message, bytes or text, not {type(data).__name__}")
    try:
        message.ParseFromString(bytes(data))
    except Exception as error:  # the class of the error depends on the protobuf runtime
        refuse(f"the bytes cannot be read: {error}")
    return message


def import_graph_def(
    graph_def: Any, inputs: list[str] | None = None, outputs: list[str] | None = None, name: str = "imported",
    allow_files: bool = False, own: Mapping[str, str] | None = None, behind: Mapping[str, object] | None = None,
) -> FuncGraph:  # fmt: skip
    """See `graphrt.graphdef.import_graph_def`.

    `behind` says what stands behind the handles that placeholders bring.

    `own` is for graphs that this program has written itself: new tokens for those of the Python functions in it. Such
    graphs may also call themselves: what calls name is built after the graphs that call it.
    """
    message = parse(graph_def)
    if message.versions.min_consumer > _KNOWN_PRODUCER:
        refuse(f"it needs a reader of version {message.versions.min_consumer}, this one is {_KNOWN_PRODUCER}")
    library = Library(message.library, message.versions.producer, allow_files, own)
    try:
        with init_scope():
            graph = library.begun(name)
            body = _Body(graph, library, f"graph {name!r}", message.node)
            body.behind = behind or {}
            body.build()
            library.build_awaited()
            library.check_weight(graph)
            body.choose_inputs(inputs)
            graph.outputs = body.final_values() if outputs is None else [body.fetch(o) for o in outputs]
            graph.finished = True
    except RecursionError:
        refuse("functions or constants are nested too deep")
    except errors.UnimplementedError as error:
        absent = library.missing_among([("", message.node)])
        if sum(map(len, absent.values())) < 2:
            raise
        raise errors.UnimplementedError(
            None, None, f"{error}\nAll ops that do not exist here:\n{listed(absent)}"
        ) from None
    return graph


def import_part(
    library: Library, name: str, nodes: Iterable[Any], behind: Mapping[str, object], inputs: list[str] | None,
    outputs: list[str],
) -> FuncGraph:  # fmt: skip
    """Nodes of a main graph, all of which run, as a graph that takes what the placeholders `inputs` bring (None: all).

    `behind` says what stands behind the handles that placeholders bring.

    Raises:
      InvalidArgumentError, UnimplementedError, PermissionDeniedError: as `import_graph_def`.
    """
    nodes = list(nodes)
    try:
        with init_scope():
            graph = library.begun(name)
            body = _Body(graph, library, f"graph {name!r}", nodes)
            body.behind = behind
            body.build()
            library.check_weight(graph)
            body.choose_inputs(inputs)
            graph.outputs = [body.fetch(o) for o in outputs]
            graph.finished = True
    except RecursionError:
        refuse("functions or constants are nested too deep")
    except errors.UnimplementedError as error:
        absent = library.missing_among([("", nodes)])
        if not absent:
            raise
        text = f"{name}: it uses ops that do not exist here, in these nodes:\n{listed(absent)}"
        raise errors.UnimplementedError(None, None, text) from error
    return graph


def listed(absent: Mapping[str, list[str]]) -> str:
    """Ops with the nodes that use them, a line for each op."""
    lines = []
    for op, nodes in absent.items():
        python = (
            " (a Python function, which no file holds)" if op in REGISTRY and REGISTRY[op].has(CALLS_PYTHON) else ""
        )
        lines.append(f"  {op}{python}: {', '.join(nodes[:5])}{', ...' if len(nodes) > 5 else ''}")
    return "\n".join(lines)


def import_function(library: Any, name: str, producer: int = _KNOWN_PRODUCER, allow_files: bool = False) -> FuncGraph:
    """The function `name` of a `FunctionDefLibrary` as a graph whose inputs are its arguments.

    Raises:
      InvalidArgumentError, UnimplementedError, PermissionDeniedError: as `import_graph_def`.
    """
    try:
        with init_scope():
            return Library(library, producer, allow_files).function(name, "the caller")
    except RecursionError:
        refuse("functions or constants are nested too deep")


def _caller(graph: Graph) -> OpDef:
    """The op that calls `graph`."""
    return ops.StatefulPartitionedCall if any(n.stateful for n in graph.nodes) else ops.PartitionedCall


class Library:
    """The functions of a GraphDef, turned into graphs when first asked for."""

    def __init__(
        self, message: Any, producer: int, allow_files: bool = False, own: Mapping[str, str] | None = None
    ) -> None:
        self.producer = producer
        self.files_allowed = allow_files
        self.own = own
        self.awaited: list[_FunctionBody] = []
        self.defs: dict[str, Any] = {}
        for function in message.function:
            name = function.signature.name
            known = self.defs.get(name)
            if not name:
                refuse("a function of the library has no name")
            if known is not None and known != function:
                refuse(f"the library holds two different functions {name!r}")
            self.defs[name] = function
        self.raised: dict[str, Raised] = {}
        self.graphs: dict[tuple[str, Handed], FuncGraph] = {}
        self.behind: dict[str, list[object]] = {}  # by function: what stands behind the arguments that end its list
        self.open: list[str] = []
        self.held: set[FuncGraph] = set()  # functions that nodes run in place
        self.callers: dict[FuncGraph, FuncGraph] = {}
        self.apart = False  # whether each holder has a graph to itself: gradients add outputs to node and graph
        self.weight_held: dict[tuple[str, Handed], int] = {}  # where they are apart: of functions that have holders
        self.weights: dict[Graph, int] = {}
        self.count = 0
        self.more_attrs: Callable[[Any, FuncGraph], dict[str, Any]] | None = (
            None  # for a node of a graph, beside its op's
        )

    def handed(self, name: str, handed: Handed) -> Handed:
        """Dtypes and shapes of the variables behind the arguments of function `name`: those of its node, or as is known."""
        if handed or name not in self.behind:
            return handed
        held = _handed(self.behind[name])
        missing = len(self.defs[name].signature.input_arg) - len(held) if name in self.defs else 0
        return (None,) * missing + held if held else ()

    def function(self, name: str, asked_by: str, handed: Handed = ()) -> FuncGraph:
        """The graph of function `name`, for arguments behind which variables of the types `handed` stand."""
        handed = self.handed(name, handed)
        if (name, handed) in self.graphs:
            return self.graphs[name, handed]
        if name not in self.defs and name not in self.raised:
            refuse(f"{asked_by} uses the function {name!r}, which is not in the library")
        if name in self.open:
            circle = " -> ".join([*self.open[self.open.index(name) :], name])
            raise errors.UnimplementedError(None, None, f"the functions {circle} call each other in a circle")
        depth = len(self.open) + 1
        if depth > current().nesting:
            refuse(f"functions are nested {depth} deep, at {name!r}, {remedy('nesting', 2 * depth)}")
        self.open.append(name)
        try:
            graph = self.begun(name)
            if name in self.raised:
                _RaisedBody(graph, self, self.raised[name], handed).build_function()
            else:
                _FunctionBody(graph, self, self.defs[name], handed).build_function()
            graph.finished = True
            self.check_weight(graph)
        finally:
            self.open.pop()
        if self.own is None:
            self.graphs[name, handed] = graph
        else:  # as they were traced: each branch and each loop has graphs to itself
            graph.name = f"{name}_{next_number()}"
        return graph

    def begun(self, name: str) -> FuncGraph:
        """A new graph, of which it is known whether it is ours."""
        graph = FuncGraph(name)
        graph.is_foreign = self.own is None
        return graph

    def check_weight(self, graph: FuncGraph) -> None:
        """Compares what `graph` becomes in a program with the limit."""
        weight = self.weight(graph)
        if weight > current().nodes:
            what = f"function {graph.name!r}, with the functions that it runs in place,"
            refuse(f"{what} comes to {weight} nodes, {remedy('nodes', weight)}")

    def count_nodes(self, number: int, what: str) -> None:
        """Counts nodes and outputs of the whole file."""
        self.count += number
        if self.count > current().nodes:
            refuse(f"{what} brings the graph to {self.count} nodes, {remedy('nodes', 2 * self.count)}")

    def held_function(self, name: str, asked_by: str, handed: Handed = ()) -> FuncGraph:
        """The graph of function `name` for a node that runs it in place, as one of its branches, say.

        Such a graph becomes part of the program of the node, once for each holder. So only the first one holds a big
        graph itself, the others a small one that calls it: work stays in proportion to the file.
        """
        if self.apart:
            return self._own_function(name, asked_by, handed)
        graph = self.function(name, asked_by, handed)
        if self.own is not None or graph not in self.held:
            self.held.add(graph)
            return graph
        if self.weight(graph) <= SMALL:
            return graph
        if graph not in self.callers:
            self.callers[graph] = self.caller(graph)
        return self.callers[graph]

    def _own_function(self, name: str, asked_by: str, handed: Handed) -> FuncGraph:
        """As `held_function`, where no holder shares its graph with another one or with calls."""
        key = name, self.handed(name, handed)
        known = self.weight_held.get(key)
        if known is not None and known > SMALL:
            return self.caller(self.function(name, asked_by, handed))
        called = self.graphs.pop(key, None)
        graph = self.function(name, asked_by, handed)
        del self.graphs[key]
        if called is not None:
            self.graphs[key] = called
        if called is not None or known is not None:
            graph.name = f"{name}_{next_number()}"
        self.weight_held[key] = self.weight(graph)
        return graph

    def weight(self, graph: Graph) -> int:
        """The nodes of `graph`, with those of the graphs that it runs in place."""
        if graph not in self.weights:
            held = [inner for n in graph.nodes if n.op.in_place for _, inner in n.subgraphs()]
            self.weights[graph] = len(graph.nodes) + sum(map(self.weight, held))
        return self.weights[graph]

    def caller(self, graph: FuncGraph) -> FuncGraph:
        """A graph that calls `graph`."""
        name = f"call_{graph.name}"
        while name in self.defs:
            name += "_"
        made = self.begun(name)
        op = _caller(graph)
        inputs = [made.placeholder(v.dtype, v.dims, v.node.name).value for v in graph.inputs]
        attrs = {key: attr.default for key, attr in op.attrs.items()} | {
            "Tin": [v.dtype for v in graph.inputs], "Tout": [v.dtype for v in graph.outputs], "f": graph,
        }  # fmt: skip
        node = made.add(op, inputs, attrs, made.unique_name(graph.name))
        node.location = None
        made.outputs = list(node.outputs)
        made.finished = True
        return made

    def awaited_function(self, name: str, asked_by: str, handed: Handed) -> FuncGraph:
        """The graph of function `name`, which has no nodes yet but says what it takes and gives."""
        if (name, handed) in self.graphs or name not in self.defs:
            return self.function(name, asked_by, handed)
        graph = self.graphs[name, handed] = self.begun(name)
        body = _FunctionBody(graph, self, self.defs[name], handed)
        graph.assumed = _Announced(body)
        self.awaited.append(body)
        return graph

    def build_awaited(self) -> None:
        """Builds the functions that calls wait for."""
        while self.awaited:
            body = self.awaited.pop(0)
            body.build_function()
            body.graph.finished = True

    def missing_ops(self, name: str) -> dict[str, list[str]]:
        """The ops that do not exist here, with the nodes that use them, of function `name` and those that it names."""
        return self.missing_among([(f"{name}/", self.defs[name].node_def)] if name in self.defs else [])

    def missing_among(self, parts: list[tuple[str, Iterable[Any]]]) -> dict[str, list[str]]:
        """The same of nodes; `parts` are lists of them, with what their names begin with."""
        found: dict[str, list[str]] = {}
        waiting, seen = list(parts), {prefix.rstrip("/") for prefix, _ in parts}
        for prefix, nodes in waiting:
            for node in nodes:
                if (node.op not in REGISTRY and node.op not in self.defs and node.op not in _REWRITTEN) or (
                    node.op in REGISTRY and REGISTRY[node.op].traits & _PRIVATE
                ):
                    found.setdefault(node.op, []).append(f"{prefix}{node.name}")
                named = [a.func.name for a in node.attr.values() if a.WhichOneof("value") == "func"]
                named += [f.name for a in node.attr.values() for f in a.list.func]
                fresh = [n for n in (*named, node.op) if n in self.defs and n not in seen]
                waiting += [(f"{n}/", self.defs[n].node_def) for n in fresh]
                seen.update(fresh)
        return dict(sorted(found.items()))

    def is_function(self, name: str) -> bool:
        """Whether the library holds `name`."""
        return name in self.defs

    def raise_control_flow(self, nodes: dict[str, Any]) -> dict[str, Any]:
        """Nodes with the control flow of TensorFlow 1, with `If` and `While` instead, whose functions are kept here."""
        kept, functions = raised(nodes, lambda name: name in self.defs or name in self.raised, self.has_effects)
        self.raised.update((f.name, f) for f in functions)
        return kept

    def has_effects(self, node: Any) -> bool:
        """Whether a node must be kept for more than its results."""
        if node.op in self.defs:
            return bool(self.defs[node.op].signature.is_stateful)
        return node.op in REGISTRY and REGISTRY[node.op].stateful


class _Announced:
    """What a function that calls itself says that it returns, while it is being imported."""

    def __init__(self, body: _FunctionBody) -> None:
        signature = body.function.signature
        self.taken = [body.dtype(a.type, f"argument {a.name!r} of {body.what}") for a in signature.input_arg]
        self.dtypes = [body.dtype(a.type, f"result {a.name!r} of {body.what}") for a in signature.output_arg]
        self.dims: list[Dims] = [None] * len(self.dtypes)


class _Body:
    """The nodes of one graph while they are being imported."""

    def __init__(self, graph: FuncGraph, library: Library, what: str, node_defs: Iterable[Any]) -> None:
        self.graph = graph
        self.library = library
        self.what = what
        self.defs: dict[str, Any] = {}
        for node in node_defs:
            if not node.name:
                refuse(f"{what} holds a node without a name")
            if node.name.endswith("/"):  # that is a scope's
                refuse(f"{what} holds a node whose name ends with '/': {node.name!r}")
            if node.name in self.defs:
                refuse(f"{what} holds two nodes named {node.name!r}")
            self.defs[node.name] = node
        library.count_nodes(len(self.defs), what)
        self.nodes: dict[str, Node | Expanded | None] = {}
        self.handed: Handed = ()  # what is known of the variables that the node being added hands to its functions
        self.calling = self.holding = False  # whether the node being added calls functions, or runs them in place
        self.arguments: dict[str, Value] = {}
        self.behind: Mapping[str, object] = {}  # what stands behind the handles that placeholders bring

    # --- edges ---
    def producer_of(self, edge: str) -> str:
        return edge.partition(":")[0]

    def value(self, edge: str, user: str) -> Value:
        """The value that a data edge of a main graph names: `node` or `node:index`."""
        name, colon, index = edge.partition(":")
        node = self.nodes.get(name)
        if node is None:
            refuse(f"{user} takes {edge!r}, but no such output exists")
        if colon and not (index.isascii() and index.isdigit() and len(index) < 10):
            refuse(f"{user} takes {edge!r}, which names no output")
        number = int(index) if colon else 0
        if number >= len(node.outputs):
            refuse(f"{user} takes {edge!r}, but {name!r} has {len(node.outputs)} outputs")
        return node.outputs[number]

    # --- building ---
    def build(self) -> None:
        if needs_lists(self.defs):
            self.defs = with_lists(self.defs)
        if needs_raising(self.defs):
            self.defs = self.library.raise_control_flow(self.defs)
        for name in self.order():
            self.add(self.defs[name])

    def order(self) -> list[str]:
        """The nodes so that each stands after those it waits for, otherwise as in the file."""
        position = {name: i for i, name in enumerate(self.defs)}
        names = list(self.defs)
        waits: list[int] = []
        after: list[list[int]] = [[] for _ in names]
        for name, node in self.defs.items():
            before = set()
            controls = False
            for edge in node.input:
                if edge.startswith("^"):
                    controls = True
                    source = edge[1:]
                elif controls:
                    refuse(f"node {name!r} lists the input {edge!r} after a control input")
                else:
                    source = self.producer_of(edge)
                if source in position:
                    before.add(position[source])
                elif source not in self.arguments:
                    refuse(f"node {name!r} takes {edge!r}, which does not exist in {self.what}")
            waits.append(len(before))
            for source_index in before:
                after[source_index].append(position[name])
        ready = [i for i, n in enumerate(waits) if n == 0]
        heapq.heapify(ready)
        done: list[str] = []
        while ready:
            index = heapq.heappop(ready)
            done.append(names[index])
            for follower in after[index]:
                waits[follower] -= 1
                if not waits[follower]:
                    heapq.heappush(ready, follower)
        if len(done) != len(names):
            stuck = next(names[i] for i, n in enumerate(waits) if n)
            refuse(f"the nodes of {self.what} depend on each other in a circle, through {stuck!r}")
        return done

    def add(self, node: Any) -> None:
        what = f"node {node.name!r} ({node.op})"
        if node.op == NoOp.type:  # it only joins control edges, which the order of the nodes now says
            self.nodes[node.name] = None
            return
        if node.op == Placeholder.type:
            self.add_placeholder(node, what)
            return
        op_type = node.op
        called = None
        if self.library.is_function(op_type):  # a function used as if it were an op
            called = self.library.function(op_type, what, _handed([_behind(v) for v in self.taken(node, what)]))
            op_type = _caller(called).type
        op = REGISTRY.get(op_type)
        if op is None and op_type in EXPANSIONS:
            self.expand(node, what)
            return
        if op is None or (self.library.own is None and not op.traits.isdisjoint(_PRIVATE)):
            raise errors.UnimplementedError(None, None, f"invalid GraphDef: {what}: no op {shown(node.op)} exists here")
        inputs = self.taken(node, what)
        given = inputs[1:] if op.structure == BRANCH else inputs
        self.handed = _handed([_behind(v) for v in given]) if op.structure is not None else ()
        self.calling, self.holding = op.structure == CALL, op.in_place
        attrs = self.attrs(node, op, inputs, called, what)
        if self.library.own is not None and op.has(CALLS_PYTHON):
            if attrs["token"] not in self.library.own:
                refuse(f"{what}: attribute 'token' is {described(attrs['token'])}, which names no Python function")
            attrs["token"] = self.library.own[attrs["token"]]
        if MANUAL in node.attr and node.attr[MANUAL].b:
            attrs[MANUAL] = True
        if self.library.more_attrs is not None:
            attrs |= self.library.more_attrs(node, self.graph)
        if op_type == Const.type and from_numpy(attrs["value"].dtype) is not attrs["dtype"]:
            refuse(f"{what}: the value is {attrs['value'].dtype}, the attribute 'dtype' {attrs['dtype'].name}")
        self.check_inputs(op, inputs, attrs, what)
        self.check_held(op, inputs, attrs, what)
        if not self.library.files_allowed:
            self.refuse_files(op, inputs, attrs, what)
        try:
            made = self.graph.add(op, inputs, attrs, self.graph.unique_name(node.name))
        except errors.OpError as error:
            refuse(f"{what}: {error}")
        except Exception as error:  # a rule met something that no program of ours contains
            refuse(f"{what}: its attributes and inputs do not fit: {type(error).__name__}: {error}")
        made.location = None
        for edge in node.input:
            source = self.nodes.get(edge[1:]) if edge.startswith("^") else None
            if isinstance(source, Node) and MANUAL in self.defs[edge[1:]].attr:
                made.controls = [*made.controls, source]
        self.note_shapes(made, node)
        self.nodes[node.name] = made

    def taken(self, node: Any, what: str) -> list[Value]:
        """The values that a node takes."""
        return [self.value(e, what) for e in node.input if not e.startswith("^")]

    def expand(self, node: Any, what: str) -> None:
        """Adds what a node of an op that has no declaration here is made of."""
        inputs = self.taken(node, what)
        attrs = {key: self.any_attr(v, f"{what}: attribute {key!r}") for key, v in node.attr.items() if key[:1] != "_"}
        try:
            with building(self.graph):
                made = EXPANSIONS[node.op].expand(node.name, [tensor_of(v) for v in inputs], attrs)
        except errors.OpError as error:
            refuse(f"{what}: {error}")
        except Exception as error:  # functions for programs met something that no program contains
            refuse(f"{what}: its attributes and inputs do not fit: {type(error).__name__}: {error}")
        self.nodes[node.name] = made

    def any_attr(self, message: Any, what: str) -> Any:
        """The value of an attribute of which no declaration says what it is."""
        field = message.WhichOneof("value")
        if field == "list":
            name = next((f for f in _NAMED if len(getattr(message.list, f))), None)
            return [] if name is None else [self.plain(v, _NAMED[name], what) for v in getattr(message.list, name)]
        if field not in _NAMED:
            refuse(f"{what} is {_shown(message, field)}")
        return self.plain(getattr(message, field), _NAMED[field], what)

    def refuse_files(self, op: OpDef, inputs: list[Value], attrs: dict[str, Any], what: str) -> None:
        does = op.opens_files(InferContext(op, inputs, attrs))
        if does is not None:
            raise errors.PermissionDeniedError(
                None, None,
                f"{what} of the GraphDef {does}, and a GraphDef may come from anywhere. If you trust this one, say "
                "import_graph_def(..., allow_files=True).",
            )  # fmt: skip

    def note_shapes(self, made: Node, node: Any) -> None:
        # what the file knows of shapes beyond our rules is kept where it does not contradict them
        for key in ("_output_shapes", "output_shapes"):
            if key in node.attr and len(node.attr[key].list.shape) == len(made.outputs):
                for value, shape in zip(made.outputs, node.attr[key].list.shape):
                    dims = self.dims(shape, node.name)
                    if compatible(value.dims, dims):
                        value.dims = merge(value.dims, dims)

    def add_placeholder(self, node: Any, what: str) -> None:
        dtype = self.dtype(node.attr["dtype"].type, what) if "dtype" in node.attr else None
        if dtype is None:
            refuse(f"{what} has no attribute 'dtype'")
        dims: Dims = None
        if "shape" in node.attr and node.attr["shape"].WhichOneof("value") == "shape":
            dims = self.dims(node.attr["shape"].shape, what)
        if dims == () and self.library.producer < _UNKNOWN_SCALARS:
            dims = None
        given = node.attr["_user_specified_name"].s if "_user_specified_name" in node.attr else b""
        made = self.nodes[node.name] = self.placeholder(node.name, dtype, dims, given)
        made.outputs[0].info = self.behind.get(node.name)

    def placeholder(self, name: str, dtype: DType, dims: Dims, given: bytes) -> Node:
        made = self.graph.placeholder(dtype, dims, name).value.node
        if given:
            made.attrs["_user_specified_name"] = given
        made.location = None
        return made

    def check_inputs(self, op: OpDef, inputs: list[Value], attrs: dict[str, Any], what: str) -> None:
        wanted: list[tuple[str, DType]] = []
        for arg in op.inputs:
            if arg.list_attr:
                wanted += [(arg.name, t) for t in attrs[arg.list_attr]]
                continue
            one = arg.dtype if arg.dtype is not None else attrs[str(arg.type_attr)]
            count = attrs[arg.number_attr] if arg.number_attr else 1
            if not 0 <= count <= len(inputs):
                refuse(f"{what}: attribute {arg.number_attr!r} is {count}, {len(inputs)} inputs are given")
            wanted += [(arg.name, one)] * count
        if len(wanted) != len(inputs):
            refuse(f"{what} takes {len(wanted)} inputs, {len(inputs)} are given")
        for index, ((arg_name, dtype), value) in enumerate(zip(wanted, inputs)):
            if value.dtype is not dtype:
                refuse(f"{what}: input {index} ({arg_name}) must be {dtype.name}, {value.name} is {value.dtype.name}")
        count = sum(
            len(attrs[a.list_attr]) if a.list_attr else attrs[a.number_attr] if a.number_attr else 1 for a in op.outputs
        )
        if any(attrs[a.number_attr] < 0 for a in op.outputs if a.number_attr):
            refuse(f"{what}: {count} outputs")
        self.library.count_nodes(count, what)

    def check_held(self, op: OpDef, inputs: list[Value], attrs: dict[str, Any], what: str) -> None:
        """The graphs of a branch, loop or call must take and give what the node does."""
        if op.structure is None:
            return
        given = [v.dtype for v in (inputs[1:] if op.structure == BRANCH else inputs)]
        results = op.output_dtypes(attrs)
        for key, value in attrs.items():
            for held in value if isinstance(value, list) else [value]:
                if not isinstance(held, Graph):
                    continue
                takes, gives = _types_of(held)
                if takes != given:
                    refuse(f"{what}: the arguments of {key} {held.name!r} are not what the node passes")
                if op.structure == LOOP and key == "cond":
                    if len(held.outputs) != 1:
                        refuse(f"{what}: cond {held.name!r} gives {len(held.outputs)} values instead of one")
                elif gives != results:
                    refuse(f"{what}: the results of {key} {held.name!r} are not what the node gives")

    # --- attributes ---
    def attrs(self, node: Any, op: OpDef, inputs: list[Value], called: FuncGraph | None, what: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for attr in op.attrs.values():
            if called is not None and attr.name in ("f", "Tin", "Tout"):
                values = inputs if attr.name == "Tin" else called.outputs
                found[attr.name] = called if attr.name == "f" else [v.dtype for v in values]
            elif attr.name in node.attr:
                found[attr.name] = self.attr(node.attr[attr.name], attr, f"{what}: attribute {attr.name!r}")
            elif attr.default is not REQUIRED:
                found[attr.name] = list(attr.default) if isinstance(attr.default, (list, tuple)) else attr.default
            else:
                refuse(f"{what} has no attribute {attr.name!r}")
        return found

    def attr(self, message: Any, attr: AttrDef, what: str) -> Any:
        is_list = attr.kind.startswith("list(")
        kind = attr.kind[5:-1] if is_list else attr.kind
        field, given = _FIELD_OF.get(kind), message.WhichOneof("value")
        if given != ("list" if is_list else field):
            refuse(f"{what} is {_shown(message, given)}, expected {expected(attr)}")
        if is_list:
            others = [f for f in _FIELD_OF.values() if f != field and len(getattr(message.list, f))]
            if others:
                refuse(f"{what} is a list that holds {_NAMED[others[0]]}s, expected {expected(attr)}")
            value: Any = [self.plain(v, kind, what) for v in getattr(message.list, str(field))]
        else:
            value = self.plain(getattr(message, str(field)), kind, what)
        if not fits(attr, value):
            refuse(f"{what} is {described(value)}, expected {expected(attr)}")
        return value

    def plain(self, value: Any, kind: str, what: str) -> Any:
        if kind == "type":
            return self.dtype(value, what)
        if kind == "shape":
            return self.dims(value, what)
        if kind == "tensor":
            return read_tensor(value, what)
        if kind == "func":
            if self.calling and self.library.own is not None:
                return self.library.awaited_function(value.name, what, self.handed)
            if self.holding:
                return self.library.held_function(value.name, what, self.handed)
            return self.library.function(value.name, what, self.handed)
        if kind == "string":
            return attribute_text(value)
        return value

    def dtype(self, number: int, what: str) -> DType:
        return read_dtype(number, what)

    def dims(self, message: object, what: str) -> Dims:
        return read_dims(message, what)

    # --- what the graph takes and gives ---
    def choose_inputs(self, names: list[str] | None) -> None:
        if names is None:
            position = {self.nodes.get(name): i for i, name in enumerate(self.defs)}
            self.graph.inputs.sort(key=lambda v: position[v.node])
            return
        chosen = [self.fetch(n) for n in names]
        for name, value in zip(names, chosen):
            if value.node.op is not Placeholder:
                refuse(f"the input {name!r} is a {value.node.type}, not a Placeholder")
        missing = [v.node.name for v in self.graph.inputs if v not in chosen]
        if missing:
            refuse(f"the placeholders {', '.join(missing)} are not among the inputs")
        self.graph.inputs = chosen

    def fetch(self, edge: str) -> Value:
        return self.value(edge, "the caller")

    def final_values(self) -> list[Value]:
        """What the graph gives when nobody says: the `Identity` nodes that end it, or else all that nobody takes."""
        used = {v for n in self.graph.nodes for v in n.inputs}
        ending: list[Value] = []
        for name, node in reversed(self.defs.items()):
            made = self.nodes[name]
            if made is None:
                continue
            if node.op != Identity.type:
                break
            if "/" not in name and made.outputs[0] not in used:
                ending.append(made.outputs[0])
        if ending:
            return ending[::-1]
        position = {name: i for i, name in enumerate(self.defs)}
        found = [v for n in self.graph.nodes if n.op is not Placeholder for v in n.outputs if v not in used]
        return sorted(found, key=lambda v: (position.get(v.node.name, 0), v.index))


def _shown(message: Any, field: str | None) -> str:
    """The value of an `AttrValue` in words."""
    if field is None:
        return "without a value"
    return described(getattr(message, field)) if field in "sifb" else f"a {_NAMED.get(field, field)}"


def _behind(value: Value) -> Any:
    """What is known to stand behind a handle."""
    return value.source.info if value.info is None else value.info


def _handed(things: list[Any]) -> Handed:
    """The dtypes and shapes of variables among what stands behind arguments; () when there is none."""
    found = tuple([(t.dtype, t.dims) if isinstance(t, Storage) else None for t in things])
    return found if any(found) else ()


def _note_variables(arguments: list[Value], handed: Handed) -> None:
    """Says of the arguments of a function what is known of the variables that they bring."""
    for value, told in zip(arguments, handed):
        if told is not None and value.dtype.name == "resource":
            value.info = Storage(*told, value.node.name, False)


def _types_of(graph: Graph) -> tuple[list[DType], list[DType]]:
    """The dtypes that a function takes, and those that it gives."""
    announced = graph.assumed if isinstance(graph, FuncGraph) and not graph.finished else None
    if isinstance(announced, _Announced):
        return announced.taken, announced.dtypes
    return [v.dtype for v in graph.inputs], [v.dtype for v in graph.outputs]


class _FunctionBody(_Body):
    """The body of a `FunctionDef`, whose edges are arguments or `node:output:index`."""

    def __init__(self, graph: FuncGraph, library: Library, function: Any, handed: Handed) -> None:
        super().__init__(graph, library, f"function {graph.name!r}", function.node_def)
        self.function = function
        self.variables = handed

    def build_function(self) -> None:
        for index, arg in enumerate(self.function.signature.input_arg):
            what = f"argument {arg.name!r} of {self.what}"
            if arg.name in self.arguments or not arg.name:
                refuse(f"{what} stands twice or has no name")
            if arg.type_attr or arg.number_attr or arg.type_list_attr:
                raise errors.UnimplementedError(None, None, f"invalid GraphDef: {what} has a generic type")
            given = self.function.arg_attr[index].attr if index in self.function.arg_attr else {}
            dims: Dims = None
            if "_output_shapes" in given and len(given["_output_shapes"].list.shape) == 1:
                dims = self.dims(given["_output_shapes"].list.shape[0], what)
            elif arg.type == 20:  # a resource is one handle
                dims = ()
            name = given["_user_specified_name"].s if "_user_specified_name" in given else b""
            node = self.placeholder(self.plain_name(arg.name), self.dtype(arg.type, what), dims, name)
            self.arguments[arg.name] = node.outputs[0]
        _note_variables(self.graph.inputs, self.variables)
        held = self.library.behind.get(self.function.signature.name, [])
        known = _handed(held)
        if (
            known == self.variables[len(self.variables) - len(known) :]
        ):  # or else a node asks, with variables of its own
            for value, thing in zip(reversed(self.graph.inputs), reversed(held)):
                value.info = thing if value.dtype.kind == "O" else None
        self.build()
        for out in self.function.signature.output_arg:
            what = f"result {out.name!r} of {self.what}"
            if out.name not in self.function.ret:
                refuse(f"{what} has no value")
            value = self.value(self.function.ret[out.name], what)
            if value.dtype is not self.dtype(out.type, what):
                refuse(f"{what} is declared {self.dtype(out.type, what).name}, its value is {value.dtype.name}")
            self.graph.outputs.append(value)

    def plain_name(self, name: str) -> str:
        # an argument that is also a result was called `name_0`, because the result took `name`
        plain = name.removesuffix("_0")
        return plain if self.function.ret.get(plain) == name else name

    def add_placeholder(self, node: Any, what: str) -> None:
        refuse(f"{what} stands in {self.what}, where only arguments bring values")

    def value(self, edge: str, user: str) -> Value:
        name, _, rest = edge.partition(":")
        if name in self.arguments and rest in ("", "0"):
            return self.arguments[name]
        node = self.nodes.get(name)
        if node is None:
            refuse(f"{user} takes {edge!r}, but no such output exists")
        if isinstance(node, Expanded):
            return node.named(rest) or refuse(f"{user} takes {edge!r}, which names no output")
        arg, _, index = rest.partition(":")
        if self.library.is_function(self.defs[name].op):  # its outputs are called as the function calls them
            signature = self.library.defs[self.defs[name].op].signature
            named = next((v for v, out in zip(node.outputs, signature.output_arg) if out.name == arg), None)
            if named is not None:
                return named
        if index and not (index.isascii() and index.isdigit() and len(index) < 10):
            refuse(f"{user} takes {edge!r}, which names no output")
        at, number = 0, int(index or 0)
        for out in node.op.outputs:
            size = (
                len(node.attrs[out.list_attr])
                if out.list_attr
                else (node.attrs[out.number_attr] if out.number_attr else 1)
            )
            if out.name == arg:
                if number >= size:
                    break
                return node.outputs[at + number]
            at += size
        refuse(f"{user} takes {edge!r}, but {node.type} has no such output")


class _RaisedBody(_Body):
    """The body of a branch or loop that was raised."""

    def __init__(self, graph: FuncGraph, library: Library, function: Raised, handed: Handed) -> None:
        super().__init__(graph, library, f"function {graph.name!r}", function.nodes.values())
        self.function = function
        self.variables = handed

    def build_function(self) -> None:
        for name, number in self.function.arguments:
            node = self.placeholder(name, self.dtype(number, f"argument {name!r} of {self.what}"), None, b"")
            self.arguments[name] = node.outputs[0]
        _note_variables(self.graph.inputs, self.variables)
        self.build()
        self.graph.outputs = [self.value(r, f"{self.what} as its result") for r in self.function.results]

    def add_placeholder(self, node: Any, what: str) -> None:
        refuse(f"{what} stands in a branch or loop, where only arguments bring values")

    def value(self, edge: str, user: str) -> Value:
        return self.arguments[edge] if edge in self.arguments else super().value(edge, user)


__all__ = ["import_function", "import_graph_def", "parse"]
