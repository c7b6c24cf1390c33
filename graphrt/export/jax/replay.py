"""Graph -> values of JAX: each node by the rule of its op, in the order of the graph.

A rule takes a `Use`, which tells of one node what it needs to know, and returns what the outputs of the node are:

    "Rsqrt": lambda c: lax.rsqrt(c[0])

What follows from constants and shapes alone stays a NumPy array, computed by the op's own kernel: axes, shapes and
limits are so known to JAX. What a rule cannot express it refuses, `c.refuse(reason)`; the walk goes on, so that one error
lists all such nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from graphrt import errors
from graphrt.export.jax.package import Absent, jax, jnp
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import live_nodes
from graphrt.ir.op import CALL
from graphrt.types.dtype import DType
from graphrt.types.float_warnings import silently
from graphrt.types.likes import Array

FOLDED = 1 << 20  # elements that are computed by NumPy at most


@dataclass(frozen=True, slots=True)
class Handle:
    """A variable: which of those that were captured."""

    number: int


@dataclass(frozen=True, slots=True)
class Rows:
    """A tensor list: its elements in one array, or how many were reserved while nobody has written to it.

    Attributes:
      values: the array; None for an empty or reserved list whose elements have no shape yet.
      size: the number of elements.
    """

    values: Any
    size: int


if not isinstance(jax, Absent):
    jax.tree_util.register_dataclass(Rows, ["values"], ["size"])
Held: TypeAlias = Any  # an array of NumPy (known) or of JAX, a Handle, or Rows
Rule: TypeAlias = "Callable[[Use], Any]"


class Unmapped(NamedTuple):
    """A node that JAX cannot express, and why."""

    node: Node
    reason: str


class Refused(Exception):
    """A rule cannot map its node."""


class _Unknown:
    """The output of a node that was refused."""


UNKNOWN = _Unknown()


@dataclass(slots=True)
class State:
    """What the variables hold at this point of the program."""

    values: list[Any]

    def copy(self) -> State:
        """Another one, for a branch."""
        return State(list(self.values))


@dataclass(slots=True)
class Env:
    """What the values of one graph are."""

    state: State
    held: dict[Value, Held] = field(default_factory=dict)


def is_known(value: Held) -> bool:
    """Whether it is an array of NumPy."""
    return isinstance(value, (np.ndarray, np.generic))


class Use:
    """One node as a rule sees it."""

    __slots__ = ("env", "node", "replay")

    def __init__(self, replay: Replay, node: Node, env: Env) -> None:
        self.replay = replay
        self.node = node
        self.env = env

    def held(self, index: int) -> Held:
        """An input, whatever it is."""
        return self.env.held[self.node.inputs[index]]

    def __getitem__(self, index: int) -> Any:
        """An input that is a tensor."""
        found = self.held(index)
        if isinstance(found, (Handle, Rows)):
            self.refuse(f"its input {index} is no tensor")
        return found

    def __len__(self) -> int:
        return len(self.node.inputs)

    @property
    def inputs(self) -> list[Any]:
        """All inputs."""
        return [self[i] for i in range(len(self.node.inputs))]

    def attr(self, name: str) -> Any:
        """An attribute of the node; a string as text."""
        value = self.node.attrs[name]
        return value.decode() if isinstance(value, bytes) else value

    def known(self, index: int, what: str) -> Array:
        """An input that must follow from constants and shapes."""
        found = self[index]
        if not is_known(found):
            self.refuse(f"{what} must follow from constants and shapes: XLA knows all shapes before it runs")
        return np.asarray(found)

    def ints(self, index: int, what: str) -> tuple[int, ...]:
        """The same as a tuple of integers."""
        return tuple(int(v) for v in self.known(index, what).reshape(-1))

    def dtype(self, index: int = 0) -> Any:
        """The dtype of an output, as NumPy has it."""
        return self.node.outputs[index].dtype.as_numpy_dtype

    def rows(self, index: int) -> Rows:
        """An input that is a list."""
        found = self.held(index)
        if not isinstance(found, Rows):
            self.refuse(f"its input {index} is no tensor list")
        return found

    def refuse(self, reason: str) -> NoReturn:
        """Says that JAX cannot express this node."""
        raise Refused(reason)


class Replay:
    """One walk over a graph.

    Attributes:
      rules: by the type of an op, its rule.
      unmapped: what could not be mapped, in order.
    """

    def __init__(self, rules: Mapping[str, Rule]) -> None:
        self.rules = rules
        self.unmapped: list[Unmapped] = []
        self._calls: list[Graph] = []

    def run(
        self, graph: Graph, given: Sequence[Held], state: State, outputs: Sequence[Value] | None = None
    ) -> list[Held]:
        """What `graph` gives for `given`; `state` is changed as its variables are."""
        env = Env(state, dict(zip(graph.inputs, given, strict=True)))
        wanted = list(graph.outputs if outputs is None else outputs)
        for node in live_nodes(graph, wanted):
            if not node.is_parameter:
                self._node(node, env)
        return [env.held[v] for v in wanted]

    def _node(self, node: Node, env: Env) -> None:
        if any(env.held.get(v) is UNKNOWN for v in node.inputs):
            found: Sequence[Any] = [UNKNOWN] * len(node.outputs)
        else:
            try:
                found = [self._typed(v, o.dtype) for v, o in zip(self._mapped(node, env), node.outputs, strict=True)]
            except Refused as refusal:
                self._note(node, str(refusal))
                found = [UNKNOWN] * len(node.outputs)
            except (TypeError, ValueError, NotImplementedError) as error:  # of JAX, about shapes and dtypes
                if isinstance(error, errors.OpError):
                    raise
                self._note(node, f"{type(error).__name__}: {str(error).splitlines()[0]}")
                found = [UNKNOWN] * len(node.outputs)
        env.held.update(zip(node.outputs, found))

    def _note(self, node: Node, reason: str) -> None:
        if not any(u.node is node for u in self.unmapped):
            self.unmapped.append(Unmapped(node, reason))

    def _typed(self, value: Held, dtype: DType) -> Held:
        if isinstance(value, (Handle, Rows)) or value is UNKNOWN or dtype.kind == "O":
            return value
        wanted = dtype.as_numpy_dtype
        if is_known(value):
            return value if value.dtype == wanted else np.asarray(value, wanted)
        wanted = jax.dtypes.canonicalize_dtype(wanted)  # of 32 bits, where JAX has no others
        return value if value.dtype == wanted else value.astype(wanted)

    def _mapped(self, node: Node, env: Env) -> Sequence[Held]:
        if node.is_constant:
            return [node.attrs["value"]]
        if node.op.structure == CALL:
            return self._call(node, env)
        inputs = [env.held[v] for v in node.inputs]
        if self._folds(node, inputs):
            return self.fold(node, inputs)
        rule = self.rules.get(node.type)
        if rule is None:
            raise Refused("JAX has no counterpart" if not node.stateful else "JAX has no effects")
        found = rule(Use(self, node, env))
        return found if len(node.outputs) != 1 else [found[0] if isinstance(found, (list, tuple)) else found]

    def _folds(self, node: Node, inputs: Sequence[Held]) -> bool:
        return (
            not node.stateful and node.op.kernel is not None and not any(True for _ in node.subgraphs())
            and all(map(is_known, inputs)) and sum(v.size for v in inputs) <= FOLDED
            and all(v.dtype.kind != "O" for v in node.outputs)
        )  # fmt: skip

    def fold(self, node: Node, inputs: Sequence[Held]) -> list[Held]:
        """What the kernel of the op makes of known arrays."""
        op = node.op
        kernel: Any = op.kernel
        made = silently(kernel, *op.group(inputs, node.attrs), **{k: node.attrs[k] for k in op.kernel_attrs})
        if len(op.outputs) == 1 and not op.outputs[0].is_list:
            return [np.asarray(made)]
        return [np.asarray(v) for v in made]

    def _call(self, node: Node, env: Env) -> list[Held]:
        callee: Graph = node.attrs["f"]
        if any(graph is callee for graph in self._calls):
            raise Refused("it calls itself, which XLA cannot express")
        self._calls.append(callee)
        try:
            return self.run(callee, [env.held[v] for v in node.inputs], env.state)
        finally:
            self._calls.pop()


def as_array(value: Held, dtype: Any = None) -> Any:
    """A tensor as an array of JAX."""
    return jnp.asarray(value, dtype)


def missing(graph: Graph, rules: Mapping[str, Rule]) -> list[Unmapped]:
    """The nodes for whose ops there are no rules, in this graph and those that its nodes run."""
    found: list[Unmapped] = []
    seen: set[Graph] = set()
    waiting = [graph]
    while waiting:
        part = waiting.pop(0)
        if part in seen:
            continue
        seen.add(part)
        for node in live_nodes(part):
            waiting += [inner for _, inner in node.subgraphs()]
            free = node.is_parameter or node.is_constant or node.op.structure == CALL
            if not free and node.type not in rules and (node.stateful or node.op.kernel is None or not _may_fold(node)):
                found.append(Unmapped(node, "JAX has no effects" if node.stateful else "JAX has no counterpart"))
    return found


def _may_fold(node: Node) -> bool:
    """Whether the inputs may follow from constants and shapes: the walk will tell."""
    return all(v.dtype.kind not in "OS" for v in (*node.inputs, *node.outputs))


def refuse(unmapped: Iterable[Unmapped], name: str) -> NoReturn:
    """Raises the error that lists nodes.

    Raises:
      UnimplementedError: always.
    """
    lines = []
    for node, reason in unmapped:
        place = f" ({node.location[0]}:{node.location[1]})" if node.location else ""
        lines.append(f"  {node.name}: {node.type}{place}: {reason}")
    raise errors.UnimplementedError(
        None, None,
        f"{name} cannot run on XLA: {len(lines)} nodes have no counterpart\n" + "\n".join(lines),
    )  # fmt: skip
