"""Programs as data: nodes in the order in which they were recorded, each output a value with a static type.

A graph is in SSA form: a value has one producer, a node's inputs stand before it in `Graph.nodes`. That order is the
order of the source, so that effects (prints, assignments) keep it without further bookkeeping. Nodes hold other
graphs as attributes (the branches of an `If`, the body of a `While`, a called function).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt.errors import Place, at_user_line, user_place
from graphrt.ir.called import check_functions
from graphrt.ir.handles import checked_handle
from graphrt.ir.op import CONSTANT, FORWARDS, OPAQUE, PARAMETER, STATEFUL, OpDef
from graphrt.types.dtype import DType
from graphrt.types.float_warnings import silently
from graphrt.types.shape import Dims, merge

if TYPE_CHECKING:
    from graphrt.ir.rows import Rows

FOLD_LIMIT = 1024  # elements: larger constants are not evaluated while tracing
_TEXT_LIMIT = 1 << 20  # bytes of strings that are kept in a constant that has been computed


class Value:
    """One output of a node: what flows along an edge. Compared and hashed by identity."""

    __slots__ = ("_partial", "_static", "dims", "dtype", "handle", "index", "info", "node", "weak")

    def __init__(self, node: Node, index: int, dims: Dims, dtype: DType) -> None:
        self.node = node
        self.index = index
        self.dims = dims
        self.dtype = dtype
        self.handle: Any = None  # the Tensor that shows this value to users, made on demand by graphrt.tensor
        self.info: Any = None  # for resources and variants: what is known of the thing behind the handle
        self.weak: Any = None  # the type it shares with others while its dtype may change, see graphrt.tensor.weak
        self._static: Any = _UNKNOWN
        self._partial: Any = None  # what the op's `partial` rule said when `_static` was looked for

    def change_dtype(self, dtype: DType) -> None:
        """Gives the value, and what is known of it, another dtype."""
        self.dtype = dtype
        if isinstance(self._static, np.ndarray):
            self._static = _UNKNOWN if self.node.is_constant else self._static.astype(dtype.as_numpy_dtype)

    @property
    def passed(self) -> Value | None:
        """The input that is passed on as this value, if its op only does that, as `Identity` does."""
        return self.node.inputs[self.index] if FORWARDS in self.node.op.traits else None

    @property
    def source(self) -> Value:
        """What it is, seen through all that only pass it on."""
        value = self
        while (passed := value.passed) is not None:
            value = passed
        return value

    @property
    def name(self) -> str:
        """`node:index`, as GraphDef names it."""
        return f"{self.node.name}:{self.index}"

    def __repr__(self) -> str:
        shape = "<unknown>" if self.dims is None else self.dims
        return f"<tf.Tensor {self.name!r} shape={shape} dtype={self.dtype.name}>"


_UNKNOWN = object()


class Node:
    """One use of an op: its inputs, its attributes and its outputs."""

    __slots__ = ("attrs", "controls", "graph", "handle", "inputs", "location", "name", "op", "outputs")

    def __init__(self, graph: Graph, op: OpDef, name: str, inputs: list[Value], attrs: dict[str, Any]) -> None:
        self.graph = graph
        self.op = op
        self.name = name
        self.inputs = inputs
        self.attrs = attrs
        self.outputs: list[Value] = []
        self.controls: Sequence[Node] = ()  # nodes that must run before, beyond what data and effects demand
        self.location: tuple[str, int] | None = None
        self.handle: Any = None  # the Operation that shows this node to users

    @property
    def type(self) -> str:
        """The op's type, such as 'AddV2'."""
        return self.op.type

    def taken(self) -> Sequence[Value]:
        """The values that it takes, for whoever only looks at them."""
        return self.inputs

    def given(self) -> Sequence[Value]:
        """The values that it gives, for whoever only looks at them."""
        return self.outputs

    @property
    def stateful(self) -> bool:
        """Whether the node has an effect: its own, or that of a graph it runs."""
        return STATEFUL in self.op.traits

    @property
    def is_constant(self) -> bool:
        """Whether its output is its attribute `value`."""
        return CONSTANT in self.op.traits

    @property
    def is_parameter(self) -> bool:
        """Whether its output is given from outside of the graph."""
        return PARAMETER in self.op.traits

    def subgraphs(self) -> Iterator[tuple[str, Graph]]:
        """The graphs this node holds, as `(attribute, graph)`."""
        for key, value in self.attrs.items():
            if isinstance(value, Graph):
                yield key, value
            elif isinstance(value, (list, tuple)):
                for item in value:
                    if isinstance(item, Graph):
                        yield key, item

    def __repr__(self) -> str:
        return f"<node {self.name} {self.type}({', '.join(v.name for v in self.inputs)})>"


class Graph:
    """A list of nodes and the names they use.

    Attributes:
      name: the name of the function this graph is the body of.
      nodes: in order of recording; every node stands after the producers of its inputs.
      rows: operators behind these that are no nodes yet, if there are.
      inputs: the values of its `Placeholder` nodes, in argument order (captures last).
      outputs: the values returned, in order.
    """

    def __init__(self, name: str = "graph") -> None:
        self.name = name
        self._nodes: list[Node] = []
        self.rows: Rows | None = None  # what stands behind the nodes and is none yet, see `rows.py`
        self.inputs: list[Value] = []
        self.outputs: list[Value] = []
        self._used: dict[str, int] = {}
        self._name_log: list[Any] = []  # what `rollback` undoes: in turn a name, and the count it had
        self._undone: list[Callable[[], None]] = []  # what `rollback` calls
        self._places: dict[tuple[int, int], Place] = {}  # those of its nodes, see `user_place`
        self._attrs: dict[tuple[str, int], dict[str, Any]] = {}  # those of nodes whose one attribute is a dtype
        self.no_inputs: list[Value] = []  # those of its constants: most objects of a large graph would be such lists
        self._scope = ""
        self._controls: list[Node] = []
        self._fixed: frozenset[Value] = frozenset()
        self.is_atomic = False  # whether a call that fails leaves all that it wrote to as it was
        self.is_foreign = False  # whether nodes of it come from a file: what such a graph spends is counted
        self.version = 0  # grows with every change: caches of compiled programs compare it
        self.compiled: tuple[int, object, Any] | None = None  # the version, how it was prepared, and its program

    @property
    def nodes(self) -> list[Node]:
        """All nodes; there are no rows behind them any more."""
        if self.rows is not None:
            self.settle()
        return self._nodes

    @nodes.setter
    def nodes(self, nodes: list[Node]) -> None:
        self.settle()
        self._nodes = nodes

    def settle(self) -> None:
        """Makes nodes of the rows."""
        rows = self.rows
        if rows is not None:
            rows.settle()

    def take_rows(self, nodes: list[Node]) -> None:
        """Takes what the rows have become."""
        self._nodes += nodes
        self.rows = None

    def before_rows(self) -> list[Node]:
        """The nodes that are there without asking rows for theirs."""
        return self._nodes

    def __getstate__(self) -> dict[str, Any]:
        self.settle()  # a copy has the same nodes
        return self.__dict__

    def fixed_inputs(self) -> frozenset[Value]:
        """Those of its inputs that certainly are handles of what they were handles of while tracing, at each call."""
        return self._fixed

    def fix_inputs(self, values: frozenset[Value]) -> None:
        """Says which inputs are fixed."""
        self._fixed = values

    # --- names ---
    def unique_name(self, name: str, mark: bool = True) -> str:
        """`name` inside the current scope, with `_1`, `_2`, ... appended while it is in use (case ignored).

        A trailing '/' takes the name as it is: so is the op named that a scope of the same name is about.
        """
        if not isinstance(name, str):
            raise TypeError(at_user_line(f"the name of an op must be a str, found {name!r}"))
        if name.endswith("/"):
            return name[:-1]
        return self.unused_name(f"{self._scope}/{name}" if self._scope else name, mark)

    def unused_name(self, full: str, mark: bool = True) -> str:
        """`full`, which says its scope, made unique as `unique_name` does."""
        key = full.lower()
        used = self._used
        before = count = used.get(key)
        if not count:
            if mark:
                self._name_log += key, before
                used[key] = 1
            return full
        while (other := f"{key}_{count}") in used:
            count += 1
        if mark:
            self._name_log += key, before, other, None
            used[key] = count + 1
            used[other] = 1
        return f"{full}_{count}"

    def checkpoint(self) -> tuple[Node | None, int, int]:
        """A mark to which `rollback` can return."""
        return self.nodes[-1] if self.nodes else None, len(self._name_log), len(self._undone)

    def when_undone(self, call: Callable[[], None]) -> None:
        """Has `call()` called where what is recorded now is forgotten."""
        self._undone.append(call)

    def rollback(self, mark: tuple[Node | None, int, int]) -> None:
        """Forgets the nodes recorded since `mark`, and their names; inputs that were added stay, and so do nodes that
        were put before older ones."""
        last, names, undone = mark
        while len(self._undone) > undone:
            self._undone.pop()()
        nodes = len(self.nodes)
        while nodes and self.nodes[nodes - 1] is not last:
            nodes -= 1
        added = {id(v.node) for v in self.inputs}
        self.nodes[nodes:] = [n for n in self.nodes[nodes:] if id(n) in added]
        kept = {n.name.lower() for n in self.nodes[nodes:]}
        while len(self._name_log) > names:
            old, key = self._name_log.pop(), self._name_log.pop()
            if key in kept:
                continue
            if old is None:
                del self._used[key]
            else:
                self._used[key] = old
        self.version += 1

    def enter_scope(self, name: str | None) -> str:
        """Makes `name` (made unique; a trailing '/' takes it as it is; '' is the root) the scope; returns the old one."""
        old = self._scope
        if not name:
            self._scope = ""
        elif name.endswith("/"):
            self._scope = name[:-1]
        else:
            self._scope = self.unique_name(name)
        return old

    def leave_scope(self, old: str) -> None:
        """Goes back to the scope that `enter_scope` returned."""
        self._scope = old

    @property
    def scope(self) -> str:
        """The current name scope, '' at the root."""
        return self._scope

    # --- building ---
    def place(self, depth: int = 3) -> Place | None:
        """Where the user's code stands now, as `location` of the nodes that it makes."""
        return user_place(depth, self._places)

    def add(
        self, op: OpDef, inputs: Sequence[Value], attrs: dict[str, Any], name: str | None = None,
        place: Place | None = None,
    ) -> Node:  # fmt: skip
        """Records a node; its outputs get the static types that the op's rules give.

        `attrs` must be complete (see `graphrt.tensor.apply.complete_attrs`); `name` must be unique already, or None;
        `place` is where the user's code stands, if that was found already.

        Raises:
          ShapeError: the op's shape rule refuses the inputs.
        """
        if op.stateful and inputs and inputs[0].info is not None:
            checked_handle(op, [inputs[0].info], attrs)
        if op.structure is not None:
            check_functions(op, [v.dtype for v in inputs], attrs)
        node = Node(self, op, name or self.unique_name(op.type), list(inputs), attrs)
        dtypes = op.output_dtypes(attrs)
        shapes = op.infer(InferContext(op, node.inputs, attrs))
        if not dtypes:
            shapes = []  # the rule has checked the inputs
        if len(dtypes) == 1 and not isinstance(shapes, list):
            node.outputs = [Value(node, 0, shapes, dtypes[0])]
        else:
            node.outputs = [Value(node, i, d, t) for i, (d, t) in enumerate(zip(shapes, dtypes, strict=True))]
        return self.record(node, place or user_place(3, self._places))

    def attrs_of(self, op: OpDef, name: str, dtype: DType) -> dict[str, Any]:
        """The attributes of nodes of `op` whose only one is `name`: the same for all of them, so nobody changes them."""
        key = op.type, id(dtype)  # there is one object of each dtype
        found = self._attrs.get(key)
        if found is None:
            found = self._attrs[key] = {name: dtype}
        return found

    def record(self, node: Node, place: Place | None) -> Node:
        """Adds a node that is complete."""
        node.location = place
        if self._controls:
            node.controls = list(self._controls)
        self.nodes.append(node)
        self.version += 1
        return node

    def insert_before(self, place: Node, op: OpDef, inputs: Sequence[Value], attrs: dict[str, Any]) -> Node:
        """Records a node that stands before `place`, under a name that a `rollback` does not give free."""
        log, self._name_log = self._name_log, []
        scope = self.enter_scope(f"{place.name}/")
        try:
            node = self.add(op, inputs, attrs)
        finally:
            self.leave_scope(scope)
            self._name_log = log
        self.nodes.insert(next(i for i, n in enumerate(self.nodes) if n is place), self.nodes.pop())
        node.location = place.location
        return node

    def effects(self) -> list[Node]:
        """The nodes with effects, in order; rows have none."""
        return [n for n in self._nodes if n.stateful]

    def functions(self) -> dict[str, Graph]:
        """Every graph reachable through attributes, by name, in order of first appearance."""
        found: dict[str, Graph] = {}

        def visit(graph: Graph) -> None:
            for node in graph.nodes:
                for _, inner in node.subgraphs():
                    if found.get(inner.name) is not inner:
                        found[inner.name] = inner
                        visit(inner)

        visit(self)
        return found

    def __repr__(self) -> str:
        return f"<graph {self.name}: {len(self.nodes)} nodes>"


class InferContext:
    """What a shape rule may ask about one use of an op.

    `inputs` are values (flat); `attrs` the complete attributes. Index arguments are flat input positions.
    """

    __slots__ = ("attrs", "inputs", "op")

    def __init__(self, op: OpDef, inputs: list[Value], attrs: dict[str, Any]) -> None:
        self.op = op
        self.inputs = inputs
        self.attrs = attrs

    def dims(self, index: int = 0) -> Dims:
        """Static shape of an input."""
        return self.inputs[index].dims

    def rank(self, index: int = 0) -> int | None:
        """Rank of an input, or None."""
        dims = self.inputs[index].dims
        return None if dims is None else len(dims)

    def dtype(self, index: int = 0) -> DType:
        """Element type of an input."""
        return self.inputs[index].dtype

    def const(self, index: int) -> np.ndarray[Any, Any] | None:
        """The value of an input when it is known while tracing, else None."""
        return static_value(self.inputs[index])

    def shape_from(self, index: int) -> Dims:
        """The shape that a 1-D integer input spells out: entries may be unknown; None when its length is.

        -1 in a constant stands for an unknown dimension.
        """
        return static_shape(self.inputs[index])

    def group(self, name: str) -> list[Value]:
        """The values of the list argument `name`."""
        grouped = self.op.group(self.inputs, self.attrs)
        for arg, values in zip(self.op.inputs, grouped):
            if arg.name == name:
                return values if isinstance(values, list) else [values]
        raise KeyError(name)


def take_names(graph: Graph, other: Graph) -> None:
    """Lets `graph` count names on from those of `other`."""
    graph._used = dict(other._used)


def awaited(graph: Graph) -> list[Node]:
    """The nodes after which those run that are recorded now."""
    return graph._controls


def set_awaited(graph: Graph, nodes: list[Node]) -> None:
    """Has the nodes that are recorded from now on run after `nodes`."""
    graph._controls = nodes


def set_static(value: Value, array: np.ndarray[Any, Any] | None) -> None:
    """Says which array `value` will hold; None if that cannot be told."""
    value._static = array


def copy_static(value: Value, copy: Value) -> None:
    """Tells a copy what is known of `value`; what was not known while tracing may be known of the copy."""
    if value._static is not None:
        copy._static = value._static


def given_value(array: Any, dtype: DType) -> Value:
    """A value of no node for an array, or the object behind a handle, so that a shape rule can be asked about it."""
    value = Value(None, 0, np.shape(array) if dtype.kind != "O" else (), dtype)  # type: ignore[arg-type]
    value._static = np.asarray(array) if dtype.kind != "O" else None
    return value


def static_value(value: Value) -> np.ndarray[Any, Any] | None:
    """The array that `value` will hold, when it follows from constants (and is not large), else None. Not a copy."""
    if value._static is _UNKNOWN:
        _evaluate_below(value)
    return value._static


def partial_value(value: Value) -> Any:
    """What the op's `partial` rule knows of the elements of `value`: an int, a list of `int | None`, or None."""
    static_value(value)
    return value._partial


def _evaluate_below(value: Value) -> None:
    """Evaluates `value` after all it depends on, without recursion: chains may be thousands of nodes long."""
    pending = [value]
    while pending:
        top = pending[-1]
        if top._static is not _UNKNOWN:
            pending.pop()
            continue
        below = [v for v in top.node.inputs if v._static is _UNKNOWN] if _looks_at_inputs(top) else []
        if below:
            pending += below
        else:
            top._static = None
            top._static = _evaluate(top)


def _looks_at_inputs(value: Value) -> bool:
    node = value.node
    if node.op.partial is not None:
        return True
    if node.is_constant or node.op.kernel is None or node.op.traits & {STATEFUL, OPAQUE}:
        return False
    return value.dtype.kind != "O" and _foldable(value.dims)


def _foldable(dims: Dims) -> bool:
    size = 1
    for d in dims if dims is not None else (FOLD_LIMIT + 1,):
        size *= FOLD_LIMIT + 1 if d is None else d
    return size <= FOLD_LIMIT


def _evaluate(value: Value) -> np.ndarray[Any, Any] | None:
    node = value.node
    if node.is_constant:
        return np.asarray(node.attrs["value"])
    if node.op.partial is not None:
        known = node.op.partial(InferContext(node.op, node.inputs, node.attrs))
        value._partial = known
        if isinstance(known, (int, np.integer)) or (known is not None and None not in known):
            try:
                return np.asarray(known, value.dtype.as_numpy_dtype)
            except OverflowError:  # a dimension of a file that an int32 does not hold
                return None
    op = node.op
    if op.kernel is None or op.traits & {STATEFUL, OPAQUE} or value.dtype.kind == "O" or not node.inputs:
        return None
    if not _foldable(value.dims):
        return None
    arrays = []
    for v in node.inputs:
        array = static_value(v)
        if array is None or array.size > FOLD_LIMIT:
            return None
        arrays.append(array)
    found = evaluated(node, arrays)
    return None if found is None else found[value.index]


def evaluated(node: Node, arrays: list[Any]) -> list[np.ndarray[Any, Any]] | None:
    """What the kernel of `node` makes of `arrays`; None if it fails, or makes texts that are too long to keep."""
    op = node.op
    assert op.kernel is not None
    try:
        result = silently(op.kernel, *op.group(arrays, node.attrs), **{k: node.attrs[k] for k in op.kernel_attrs})
    except Exception:  # the op will raise the same, with a better message, when and if it runs
        return None
    found = [np.asarray(v) for v in (result if isinstance(result, (list, tuple)) else (result,))]
    texts = (v for array in found if array.dtype == object for v in array.flat)
    return None if sum(len(v) for v in texts if isinstance(v, bytes)) > _TEXT_LIMIT else found


def static_shape(value: Value) -> Dims:
    """What is known of the shape that the 1-D integer tensor `value` spells out."""
    array = static_value(value)
    if array is not None:
        if array.ndim == 0:
            return None if array < 0 else (int(array),)
        return tuple(None if d < 0 else int(d) for d in array.tolist())
    known = value._partial
    if isinstance(known, (list, tuple)):
        return tuple(None if d is None or d < 0 else int(d) for d in known)
    if value.dims is not None and len(value.dims) == 1 and value.dims[0] is not None:
        return (None,) * value.dims[0]
    return None


def tell_elements(value: Value, elements: list[int | None]) -> None:
    """Notes what is known of the elements of an input of the graph, a vector of whole numbers."""
    value._static, value._partial = None, elements


def set_dims(value: Value, dims: Dims) -> None:
    """Adds what is known of `value`'s shape (ShapeError when it contradicts what was known)."""
    value.dims = merge(value.dims, dims)
