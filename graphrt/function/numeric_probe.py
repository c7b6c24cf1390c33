"""Programs that show each value they compute: what numeric checks and verification look through.

A probed program is the traced graph, without passes, with a probe behind each op whose result is used; also in
branches, loop bodies and called functions. A probe hands the value to whoever listens in this thread.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator
from contextvars import ContextVar
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.copy import copy_graph
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import live_nodes, nested
from graphrt.ir.op import CALL, INTERNAL, OPAQUE, STATEFUL, define
from graphrt.passes import run_passes
from graphrt.tensor.context import pop_recorder, push_recorder
from graphrt.tensor.tensor import EagerTensor, raw_of
from graphrt.types.leaving import block, setting

_listener: ContextVar[Callable[[Site, Any], None] | None] = ContextVar("graphrt_probe", default=None)

checking: Callable[[], Any] = _listener.get
"""Who listens to probes in this thread, or None."""


@dataclasses.dataclass(frozen=True, slots=True)
class Site:
    """An output of a node: which op, where the user wrote it."""

    type: str
    name: str
    index: int
    count: int
    location: tuple[str, int] | None
    inputs: tuple[str, ...]


def _probe_kernel(x: Any, *, site: Site) -> Any:
    listen = _listener.get()
    if listen is not None:
        listen(site, x)
    return x


Probe = define(
    "_Probe", "input: T -> output: T", attrs="site: any", infer=lambda c: c.dims(0), kernel=_probe_kernel,
    traits=(INTERNAL, STATEFUL, OPAQUE),
)  # fmt: skip


def probed(graph: Graph) -> Graph:
    """A copy of `graph` with probes."""
    copy = copy_graph(graph)
    for inner in list(nested(copy)):
        _insert(inner)
    return copy


def preparation() -> Callable[[Graph], Graph]:
    """What is done to a graph before it is compiled: the passes, or probes while somebody listens."""
    return run_passes if _listener.get() is None else probed


def _insert(graph: Graph) -> None:
    live = set(live_nodes(graph))
    shown: dict[Value, Value] = {}
    nodes: list[Node] = []
    for node in graph.nodes:
        names = tuple(v.name for v in node.inputs)
        node.inputs = [shown.get(v, v) for v in node.inputs]
        nodes.append(node)
        if node not in live or node.is_parameter or node.is_constant:
            continue
        for value in node.outputs:
            if value.dtype.kind != "O":
                probe = _probe_of(graph, node, value, names)
                nodes.append(probe)
                shown[value] = probe.outputs[0]
    graph.nodes = nodes
    graph.outputs = [shown.get(v, v) for v in graph.outputs]
    graph.version += 1


def _probe_of(graph: Graph, node: Node, value: Value, inputs: tuple[str, ...]) -> Node:
    site = Site(node.type, node.name, value.index, len(node.outputs), node.location, inputs)
    name = graph.unique_name(f"{node.name}/probe")
    probe = Node(graph, Probe, name, [value], {"T": value.dtype, "site": site})
    probe.location = node.location
    out = Value(probe, 0, value.dims, value.dtype)
    out.info = value.info
    probe.outputs = [out]
    return probe


@block
def listening(listener: Callable[[Site, Any], None]) -> Generator[None, None, None]:
    """Lets `listener(site, value)` see what programs compute in the `with` block."""
    with setting(_listener, listener):
        yield from (None,)


class Recorder:
    """A recorder of eager ops that is no gradient tape: it watches nothing."""

    needs_higher_order = False

    def is_watching(self, tensor: Any) -> bool:
        """Never: it asks for no gradients."""
        return False

    def variable_accessed(self, variable: Any) -> None:
        """Of no interest."""

    def record(self, op: Any, inputs: list[Any], attrs: dict[str, Any], results: list[Any]) -> None:
        """Sees one op that ran."""


# --- numeric checks --------------------------------------------------------------------------------------------------
class _NumericsRecorder(Recorder):
    def record(self, op: Any, inputs: list[Any], attrs: dict[str, Any], results: list[Any]) -> None:
        """Refuses results that are not finite."""
        if op.structure == CALL:
            return  # its ops have been looked at
        for i, result in enumerate(results):
            if isinstance(result, EagerTensor) and _is_bad(raw_of(result)):
                inside = "\n".join(f"  Input tensor {k}: {t!s}" for k, t in enumerate(inputs))
                text = _message(raw_of(result), "eagerly-executing", op.type, i, len(results), inside)
                raise errors.InvalidArgumentError(None, None, errors.at_user_line(text))


_RECORDER = _NumericsRecorder()


def _listen_for_numerics(site: Site, value: Any) -> None:
    if not _is_bad(value):
        return
    inside = f"  Node {site.name!r}, inputs: {', '.join(site.inputs) or 'none'}"
    text = _message(value, "graph", site.type, site.index, site.count, inside)
    if site.location is not None:
        text += f"\n  at {errors.shown_place(*site.location)}"
    error = errors.InvalidArgumentError(None, None, text)
    errors.retell(error, text, located=True)
    try:
        raise error
    finally:
        del error  # its traceback holds this frame


def _is_bad(value: Any) -> bool:
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype.kind not in "fcV":
        return False
    try:
        return not np.isfinite(value).all()
    except TypeError:
        return False


def _message(value: Any, how: str, op: str, index: int, count: int, inside: str) -> str:
    array = np.asarray(value)
    real = array.real if array.dtype.kind == "c" else array
    counts = {
        "NaN": int(np.isnan(array).sum()),
        "-Inf": int(np.isneginf(real).sum()) if array.dtype.kind in "fc" else 0,
        "+Inf": int(np.isposinf(real).sum()) if array.dtype.kind in "fc" else 0,
    }
    lines = [
        f'!!! Detected Infinity or NaN in output {index} of {how} op "{op}" (# of outputs: {count}) !!!',
        f"  dtype: {array.dtype.name}",
        f"  shape: {array.shape}",
        *(f"  # of {kind} elements: {n}" for kind, n in counts.items() if n),
        inside,
    ]
    return "\n".join(lines)


def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """Makes each op of this thread fail that gives a NaN or an infinity, eagerly and in traced functions.

    The error names the op, file and line, and says how many elements are bad. Costs time: programs run without
    passes, and every value is looked at. The limits are accepted, and have no effect.

    >>> import graphrt as tf
    >>> tf.debugging.enable_check_numerics()
    >>> try:
    ...     tf.math.log(tf.constant(0.0))
    ... except tf.errors.InvalidArgumentError as error:
    ...     print(error.message.splitlines()[0])
    !!! Detected Infinity or NaN in output 0 of eagerly-executing op "Log" (# of outputs: 1) !!!
    >>> tf.debugging.disable_check_numerics()

    Raises:
      InvalidArgumentError: later, by the op.
    """
    disable_check_numerics()
    push_recorder(_RECORDER)
    _listener.set(_listen_for_numerics)


def disable_check_numerics() -> None:
    """Ends what `enable_check_numerics` began; does nothing when that was not called in this thread.

    >>> import graphrt as tf
    >>> tf.debugging.enable_check_numerics()
    >>> tf.debugging.disable_check_numerics()
    >>> (tf.constant(1.0) / 0.0).numpy().item()
    inf
    """
    pop_recorder(_RECORDER)
    if _listener.get() is _listen_for_numerics:
        _listener.set(None)
