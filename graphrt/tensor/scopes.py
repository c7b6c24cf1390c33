"""Names and order of what is recorded: `name_scope`, `control_dependencies`, `group`, `no_op`.

>>> import graphrt as tf
>>> with tf.name_scope("layer") as name:
...     print(name)
layer/
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from graphrt.ir.graph import awaited, set_awaited
from graphrt.ir.op import QUIET, STATEFUL, UNORDERED, define, provide
from graphrt.tensor.context import current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Operation, SymbolicTensor
from graphrt.types.leaving import Leaving
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import shown

if TYPE_CHECKING:
    from graphrt.tensor.func_graph import FuncGraph

NoOp = define(
    "NoOp",
    "->",
    infer=lambda c: [],
    kernel=lambda: None,
    traits=(STATEFUL, UNORDERED, QUIET),
    emit=lambda e, node, inputs: [],
)

_eager_scope: ContextVar[str] = ContextVar("graphrt_eager_scope", default="")


def current_scope() -> str:
    """The name scope in force, without its last '/': that of the graph being traced, or the eager one."""
    graph = current_graph()
    return _eager_scope.get() if graph is None else graph.scope


class name_scope:
    """Puts the names of the ops and variables made in its block under `name/`.

    A scope that was used before gets a number while a graph is traced; a trailing '/' takes the name as it is; an
    empty name returns to the root.

    >>> import graphrt as tf
    >>> with tf.name_scope("outer"), tf.name_scope("inner") as full:
    ...     print(full, tf.Variable(1.0, name="w").name)
    outer/inner/ outer/inner/w:0

    Raises:
      ValueError: the name is no string.
    """

    __slots__ = ("_entered", "_name")

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError(
                f"name for name_scope must be a string, found {shown(name)} of type {type(name).__name__}."
            )
        self._name = name
        self._entered: list[tuple[FuncGraph | None, str]] = []

    @property
    def name(self) -> str:
        """The name as it was given."""
        return self._name

    def __enter__(self) -> str:
        graph = current_graph()
        if graph is not None:
            self._entered.append((graph, graph.scope))
            graph.enter_scope(self._name)
            return f"{graph.scope}/" if graph.scope else ""
        outer = _eager_scope.get()
        if not self._name or self._name.endswith("/"):
            full = self._name[:-1]
        else:
            full = f"{outer}/{self._name}" if outer else self._name
        self._entered.append((None, outer))
        _eager_scope.set(full)
        return f"{full}/" if self._name else ""

    def entered(self) -> int:
        """How many blocks are open."""
        return len(self._entered)

    def leave(self) -> None:
        """Goes back to the scope around."""
        graph, outer = self._entered[-1]
        if graph is None:
            _eager_scope.set(outer)
        else:
            graph.leave_scope(outer)
        del self._entered[-1]

    __exit__ = Leaving()


class _ControlDependencies:
    """Makes the ops recorded in its block run after others."""

    def __init__(self, graph: FuncGraph | None, nodes: list[Any] | None) -> None:
        self._graph = graph
        self._nodes = nodes
        self._outer: list[Any] = []

    def __enter__(self) -> None:
        if self._graph is None:
            return
        known = awaited(self._graph)
        self._outer.append(known)
        new = None if self._nodes is None else [n for n in self._nodes if all(n is not k for k in known)]
        set_awaited(self._graph, [] if new is None else known + new)

    def entered(self) -> int:
        """How many blocks are open."""
        return len(self._outer)

    def leave(self) -> None:
        """Goes back to the nodes that were waited for before."""
        assert self._graph is not None
        set_awaited(self._graph, self._outer[-1])
        del self._outer[-1]

    __exit__ = Leaving()


def _producers(inputs: Any) -> list[Any]:
    """The nodes of the current graph that `inputs` (tensors, operations, variables, nested lists) come from."""
    graph = current_graph()
    found: list[Any] = []
    for item in inputs:
        if item is None:
            continue
        if isinstance(item, (list, tuple)):
            found += _producers(item)
            continue
        if isinstance(item, Operation):
            found.append(item.node)
            continue
        assignment = getattr(item, "_assignment", None)  # what `Variable.assign` returns while tracing
        if assignment is not None:
            found.append(assignment)
            continue
        tensor = convert_to_tensor(item)
        if isinstance(tensor, SymbolicTensor):
            found.append(tensor.value.node)
    unique: list[Any] = []
    for node in found:
        if node.graph is graph and all(node is not n for n in unique):
            unique.append(node)
    return unique


def control_dependencies(control_inputs: Any) -> _ControlDependencies:
    """A context whose ops run after `control_inputs`; None forgets those of the contexts around it.

    Effects keep the order of the program without it. Eagerly nothing needs to be done: callables among the inputs are
    called.

    >>> import graphrt as tf
    >>> with tf.control_dependencies([tf.constant(1)]):
    ...     y = tf.constant(2)
    """
    graph = current_graph()
    if graph is None:
        for item in control_inputs or ():
            if callable(item):
                item()
        return _ControlDependencies(None, None)
    return _ControlDependencies(graph, None if control_inputs is None else _producers(control_inputs))


@provide
def group(*inputs: TensorLike, name: str | None = None) -> None:
    """One operation that is done when all `inputs` are; None when ops run at once.

    >>> import graphrt as tf
    >>> tf.group(tf.constant(1), tf.constant(2)) is None
    True

    Raises:
      TypeError, ValueError: an input is neither tensor nor operation.
    """
    if current_graph() is None:
        return None
    with control_dependencies(list(inputs)):
        return NoOp(name=name or "group_deps")


@provide
def no_op(name: str | None = None) -> Operation | None:
    """An operation that does nothing: a place to hang control dependencies on. None when ops run at once.

    >>> import graphrt as tf
    >>> tf.no_op() is None
    True
    """
    return None if current_graph() is None else NoOp(name=name)


def get_current_name_scope() -> str:
    """The name scope in force, "" outside of all.

    >>> import graphrt as tf
    >>> with tf.name_scope("a"), tf.name_scope("b"):
    ...     print(tf.get_current_name_scope())
    a/b
    """
    return (current_scope() or "").rstrip("/")
