"""One trace in the making: what is traced, with which inputs, and which variables it makes."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Generator
from typing import Any, NoReturn

from graphrt import errors
from graphrt.executor.program import compile_graph
from graphrt.function.cache import TraceSet
from graphrt.function.concrete import ArgumentType, ConcreteFunction
from graphrt.function.signature import Signature
from graphrt.function.trace_types.arguments import Arguments
from graphrt.function.trace_types.composites import Supply, chosen_types
from graphrt.function.trace_types.substitution import substitute
from graphrt.ir.graph import Graph
from graphrt.state.storage import Storage
from graphrt.state.variable import Variable
from graphrt.tensor.func_graph import FuncGraph
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, raw_of
from graphrt.types.leaving import block
from graphrt.types.nesting import shown

SINGLETON = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is only "
    "created once or created outside tf.function."
)
LATE = "Creating variables on a non-first call to a function decorated with tf.function."


# state: context-local: one trace at a time runs in a thread
_held = threading.local()


@block
def exclusively(lock: Any) -> Generator[None, None, None]:
    """Holds `lock`, so that two threads do not make the same trace.

    A thread that traces already waits for another function's lock a second at most: two functions that call each other,
    traced by two threads, would wait for ever. Then both make the trace, and one of them is kept.
    """
    depth = getattr(_held, "depth", 0)
    taken: list[bool] = []
    try:
        taken.extend(
            map(lock.acquire, (True,), (1.0 if depth else -1,))
        )  # no Ctrl-C between the lock and this note of it
        _held.depth = depth + 1
        yield from (None,)
    finally:
        _held.depth = depth
        if taken and taken[0]:
            lock.release()


def makings() -> list[Any]:
    """The traces that this thread is making, outermost first."""
    return list(getattr(_held, "makings", ()))


@block
def begun(making: Any) -> Generator[None, None, None]:
    """Counts `making` among the traces in the making."""
    before = getattr(_held, "makings", ())
    try:
        _held.makings = (*before, making)
        yield from (None,)
    finally:
        _held.makings = before


class Request:
    """A call that needs a trace: its bound arguments, their types, and its tensors (declared specs have none)."""

    __slots__ = ("found", "keywords", "leaves", "positional", "signature", "wanted")

    def __init__(
        self,
        wanted: ArgumentType,
        signature: Signature,
        positional: tuple[Any, ...],
        keywords: dict[str, Any],
        found: Arguments,
        leaves: list[Any],
    ) -> None:
        self.wanted = wanted
        self.signature = signature
        self.positional = positional
        self.keywords = keywords
        self.found = found
        self.leaves = leaves


class Made:
    """The variables that are made during a trace: remembered if it is the first one, refused else."""

    __slots__ = ("_pending", "_references", "_traces", "note")

    def __init__(self, traces: TraceSet) -> None:
        self._traces = traces
        self._references: list[Any] = []
        self._pending: list[Variable] = []
        known = traces.created
        self.note = self._remember if known is None else refuse(SINGLETON if known else LATE)

    def _remember(self, variable: Variable) -> None:
        self._references.append(weakref.ref(variable))
        if variable._pending is not None:
            self._pending.append(variable)

    def are_new(self, concrete: ConcreteFunction, leaves: list[Any]) -> bool:
        """Whether the trace, now finished, made variables; gives them their initial values."""
        if self._traces.created is None:
            self._traces.created = self._references
        if self._references:
            _initialize(self._pending, concrete, leaves)
        return bool(self._references)


def placeholders_for(graph: FuncGraph, request: Request, skipped: int) -> list[Any]:
    """The inputs of `graph`, named as the arguments."""
    wanted = request.wanted
    wanted.given_names = request.found.names()
    names = wanted.names(request.signature, skipped)
    placeholders = []
    # what is known of the variables that are passed; their values are for nobody to see
    known = [v.storage for v in request.found.variables]
    stand_ins = {id(s): Storage(s.dtype, s.dims, s.name, s.trainable) for s in known}
    for leaf, (base, _), own, dims in zip(request.found.leaves, names, wanted.given_names, wanted.dims, strict=True):
        given = own or base
        placeholder = graph.placeholder(leaf.dtype, dims, identifier(given))
        placeholder.value.node.attrs["_user_specified_name"] = given.encode()
        is_handle = isinstance(leaf, EagerTensor) and leaf.dtype.name == "resource"
        if is_handle and not hasattr(raw_of(leaf), "traced_by_type"):
            placeholder.value.info = stand_ins.get(id(raw_of(leaf)), raw_of(leaf))
        elif isinstance(leaf, SymbolicTensor) and leaf.dtype.name == "resource":
            placeholder.value.info = stand_ins.get(id(leaf.value.info), leaf.value.info)
        placeholders.append(placeholder)
    return placeholders


def refuse(message: str) -> Callable[[Any], NoReturn]:
    def refuse(variable: Variable) -> NoReturn:
        raise ValueError(errors.at_user_line(message))

    return refuse


def _initialize(pending: list[Variable], concrete: ConcreteFunction, leaves: list[Any]) -> None:
    """Gives variables whose initial value depends on the arguments of the first call that value."""
    for variable in pending:
        tensor = variable._pending
        graph = concrete.graph
        if tensor is None:
            continue
        value = tensor.value
        if value.node.graph is not graph or not all(isinstance(v, EagerTensor) for v in leaves):
            raise ValueError(
                f"the initial value of {variable.name!r}, {shown(tensor)}, depends on arguments without a value yet: "
                "call the function once with tensors first, or give the variable an initial value that needs none."
            )
        part = Graph(f"{graph.name}_initial")
        needed = _ancestors(value)
        part.nodes = [n for n in graph.nodes if n in needed]
        part.inputs, part.outputs = graph.inputs, [value]
        (result,) = compile_graph(part)(*(raw_of(v) for v in leaves), *concrete.captured_raw())
        variable.storage.assign(result)
        variable._pending = None


def substituted(request: Request, placeholders: list[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    supply = Supply(placeholders, chosen_types(request.wanted.static))
    args = tuple([substitute(v, supply) for v in request.positional])
    return args, {k: substitute(v, supply) for k, v in request.keywords.items()}


def _ancestors(value: Any) -> set[Any]:
    found: set[Any] = set()
    work = [value.node]
    while work:
        node = work.pop()
        if node not in found:
            found.add(node)
            work += [v.node for v in node.inputs]
    return found


def identifier(name: str) -> str:
    """`name` with the characters that names of nodes cannot have replaced; `<lambda>` is `lambda`."""
    cleaned = "".join(c if c.isalnum() or (c in "_.-/\\>" and c != ">") else "_" for c in name)
    if not cleaned or not (cleaned[0].isalnum() or cleaned[0] == "."):
        return "lambda" if name == "<lambda>" else f"arg{cleaned}" if cleaned.strip("_") else "arg"
    return cleaned
