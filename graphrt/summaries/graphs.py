"""Graphs for TensorBoard: one that is given, or those of the functions that run while a trace is on."""

from __future__ import annotations

import threading
from typing import Any

from graphrt import errors
from graphrt.graphdef import graph_def
from graphrt.ir.graph import Graph
from graphrt.summaries.events import event_class
from graphrt.summaries.writers import WriteGraphSummary, recorded, write
from graphrt.tensor.context import CallWatcher, current_graph, pop_recorder, push_recorder
from graphrt.tensor.tensor import EagerTensor, Tensor
from graphrt.types.likes import PathLike, TensorLike
from graphrt.types.nesting import shown

__all__ = ["graph", "trace_export", "trace_off", "trace_on"]

_PLUGIN = "graph_run_metadata_graph"


def graph(graph_data: object) -> Tensor:
    """Writes a graph (a `tf.Graph`, or a `GraphDef` message) to the default writer; whether it was written.

    >>> import graphrt as tf, tempfile
    >>> concrete = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], tf.int32))
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.graph(concrete.graph))
    True

    Raises:
      RuntimeError: a graph is being traced.
      ValueError: it is no graph.
    """
    if current_graph() is not None:
        raise RuntimeError(errors.at_user_line("summary.graph() must be called eagerly, not in a tf.function"))
    if isinstance(graph_data, Graph):
        data = bytes(graph_def(graph_data, True).SerializeToString(deterministic=True))
    elif hasattr(graph_data, "SerializeToString") and hasattr(graph_data, "library"):
        message: Any = graph_data
        data = bytes(message.SerializeToString())
    else:
        raise ValueError(
            errors.at_user_line(
                "Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received graph_data="
                f"{shown(graph_data)} of type {type(graph_data).__name__}."
            )
        )

    def act(writer: EagerTensor, step: Tensor) -> None:
        WriteGraphSummary(writer, step, data)

    return recorded(0, act)


# --- traces ----------------------------------------------------------------------------------------------------------
class _Trace(CallWatcher):
    """The graphs of functions that are called, in order of their first call."""

    def __init__(self, graphs: bool) -> None:
        self.graphs: list[Graph] | None = [] if graphs else None

    def called(self, graph: Graph) -> None:
        if self.graphs is not None and not any(g is graph for g in self.graphs):
            self.graphs.append(graph)


class _Current:
    """The trace that is on. There is one in a process, as in TensorFlow."""

    def __init__(self) -> None:
        self.trace: _Trace | None = None
        self.lock = threading.Lock()


_current = _Current()  # state: one trace at a time, guarded by its lock


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: PathLike | None = None) -> None:
    """Begins to note the graphs of the functions that this context calls, for `trace_export`.

    There is no profiler here: `profiler=True` is refused.

    >>> import graphrt as tf, tempfile
    >>> double = tf.function(lambda x: x * 2)
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.trace_on()
    ...     double(tf.constant(2)).numpy()
    ...     tf.summary.trace_export("double", step=0)
    np.int32(4)

    Raises:
      UnimplementedError: a profile is asked for.
    """
    if profiler:
        raise errors.UnimplementedError(
            None, None, "there is no profiler of TensorFlow's: use Python's (cProfile, perf), which sees generated code"
        )
    if current_graph() is not None:
        raise RuntimeError(errors.at_user_line("trace_on must be called eagerly, not in a tf.function"))
    with _current.lock:
        if _current.trace is not None:
            return
        _current.trace = _Trace(graph)
        push_recorder(_current.trace)


def trace_off() -> None:
    """Ends the trace, and forgets what it noted.

    >>> import graphrt as tf
    >>> tf.summary.trace_on()
    >>> tf.summary.trace_off()
    """
    with _current.lock:
        if _current.trace is not None:
            pop_recorder(_current.trace)
        _current.trace = None


def trace_export(name: str, step: TensorLike | None = None, profiler_outdir: PathLike | None = None) -> None:
    """Writes the graphs noted since `trace_on` to the default writer, and ends the trace.

    >>> import graphrt as tf
    >>> try:
    ...     tf.summary.trace_export("nothing")
    ... except ValueError as error:
    ...     print(error)
    Must enable trace before export through tf.summary.trace_on.

    Raises:
      ValueError: no trace is on, or there is no step.
    """
    trace = _current.trace
    if trace is None:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    try:
        if trace.graphs is not None:
            write(name, _run_metadata(trace.graphs), step, _metadata())
    finally:
        trace_off()


def _run_metadata(graphs: list[Graph]) -> bytes:
    message = event_class("RunMetadata")()
    for one in graphs:
        data = graph_def(one, True).SerializeToString(deterministic=True)
        both = message.function_graphs.add()
        both.pre_optimization_graph.ParseFromString(data)
        both.post_optimization_graph.ParseFromString(data)
        both.partition_graphs.add().ParseFromString(data)
        message.partition_graphs.add().ParseFromString(data)
    return bytes(message.SerializeToString(deterministic=True))


def _metadata() -> bytes:
    metadata = event_class("SummaryMetadata")()
    metadata.plugin_data.plugin_name = _PLUGIN
    metadata.plugin_data.content = b"1"
    return bytes(metadata.SerializeToString(deterministic=True))
