"""What is going on now: which graph is being traced, and who records ops for gradients.

Both are context variables, so threads and asyncio tasks trace independently of each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_graph: ContextVar[Any] = ContextVar("graphrt_graph", default=None)
_recorders: ContextVar[tuple[Any, ...]] = ContextVar("graphrt_recorders", default=())

current_graph: Callable[[], Any] = _graph.get
"""The graph being traced, or None when ops run at once."""

recorders: Callable[[], tuple[Any, ...]] = _recorders.get
"""The gradient tapes that are recording, outermost first."""


def executing_eagerly() -> bool:
    """Whether ops run at once (True) or are recorded into a graph (False).

    >>> import graphrt as tf
    >>> tf.executing_eagerly(), tf.function(lambda: tf.executing_eagerly())().numpy().item()
    (True, False)
    """
    return _graph.get() is None


@contextmanager
def building(graph: Any) -> Iterator[Any]:
    """Records the ops of the `with` block into `graph` (None: runs them at once)."""
    token = _graph.set(graph)
    try:
        yield graph
    finally:
        _graph.reset(token)


@contextmanager
def init_scope() -> Iterator[None]:
    """Lifts the `with` block out of all graphs being traced: its ops run at once, when tracing.

    Tapes do not see what happens inside.

    >>> import graphrt as tf
    >>> @tf.function
    ... def f():
    ...     with tf.init_scope():
    ...         inside = tf.executing_eagerly()
    ...     return tf.constant([inside, tf.executing_eagerly()])
    >>> f().numpy().tolist()
    [True, False]
    """
    graph_token, recorder_token = _graph.set(None), _recorders.set(())
    try:
        yield
    finally:
        _recorders.reset(recorder_token)
        _graph.reset(graph_token)


@contextmanager
def recording(tape: Any) -> Iterator[None]:
    """Lets `tape` see the ops of the `with` block."""
    token = _recorders.set((*_recorders.get(), tape))
    try:
        yield
    finally:
        _recorders.reset(token)


def push_recorder(tape: Any) -> None:
    """Starts showing ops to `tape`."""
    _recorders.set((*_recorders.get(), tape))


def pop_recorder(tape: Any) -> None:
    """Stops showing ops to `tape`."""
    _recorders.set(tuple(r for r in _recorders.get() if r is not tape))


@contextmanager
def stop_recording() -> Iterator[None]:
    """Hides the `with` block from all tapes."""
    token = _recorders.set(())
    try:
        yield
    finally:
        _recorders.reset(token)


@contextmanager
def scope(name: str | None, default: str) -> Iterator[str | None]:
    """Names the ops of the `with` block `name/...`; gives the name, with its '/', for the one op that the block is about.

    Gives `name` itself when ops run at once.
    """
    graph = _graph.get()
    if graph is None:
        yield name
        return
    old = graph.enter_scope(name or default)
    try:
        yield f"{graph.scope}/"
    finally:
        graph.leave_scope(old)
