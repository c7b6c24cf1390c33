"""What is going on now: which graph is being traced, and who records ops for gradients.

Both are context variables, so threads and asyncio tasks trace independently of each other.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import Any

from graphrt.types.leaving import block, of_its_thread, setting

_graph: ContextVar[Any] = ContextVar("graphrt_graph", default=None)
_recorders: ContextVar[tuple[Any, ...]] = ContextVar("graphrt_recorders", default=())


current_graph: Callable[[], Any] = of_its_thread(_graph, None)
"""The graph being traced, or None when ops run at once."""

recorders: Callable[[], tuple[Any, ...]] = of_its_thread(_recorders, ())
"""The gradient tapes that are recording, outermost first."""


def executing_eagerly() -> bool:
    """Whether ops run at once (True) or are recorded into a graph (False).

    >>> import graphrt as tf
    >>> tf.executing_eagerly(), tf.function(lambda: tf.executing_eagerly())().numpy().item()
    (True, False)
    """
    return current_graph() is None


# What is around each outermost trace; and what of a value its graph takes, where Python holds something else.
_around: Callable[[], AbstractContextManager[Any]] = nullcontext  # state: registry
_shown: Callable[[Any], Any] | None = None  # state: registry


def watch_traces(around: Callable[[], AbstractContextManager[Any]], shown: Callable[[Any], Any]) -> None:
    """Has each outermost trace run inside `around()`, and `shown(value)` taken for a value that leaves a trace."""
    global _around, _shown
    _around, _shown = around, shown


def around_a_trace() -> AbstractContextManager[Any]:
    """What an outermost trace runs inside of."""
    return _around()


def shown(value: object) -> Any:
    """What a graph takes for a value of the program's."""
    return value if _shown is None else _shown(value)


@block
def building(graph: object) -> Generator[Any, None, None]:
    """Records the ops of the `with` block into `graph` (None: runs them at once)."""
    outermost = graph is not None and current_graph() is None
    with setting(_graph, graph):
        if outermost:
            with _around():
                yield from (graph,)
        else:
            yield from (graph,)


@block
def init_scope() -> Generator[None, None, None]:
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
    current_graph()  # what another thread left here goes before it is set
    with setting(_graph, None), setting(_recorders, ()):
        yield from (None,)


class CallWatcher:
    """A recorder that takes no gradients: it is told which graphs are called, and nothing else."""

    def called(self, graph: Any) -> None:
        """Told of a graph before it runs."""

    def is_watching(self, tensor: object) -> bool:
        """No tensor is watched."""
        return False

    def record(self, op: object, inputs: object, attrs: object, results: object) -> None:
        """Told of each op; of no use here."""

    def variable_accessed(self, variable: object) -> None:
        """Told of each variable that is read; of no use here."""


@block
def recording(tape: object) -> Generator[None, None, None]:
    """Lets `tape` see the ops of the `with` block."""
    with setting(_recorders, (*recorders(), tape)):
        yield from (None,)


def push_recorder(tape: object) -> None:
    """Starts showing ops to `tape`."""
    _recorders.set((*recorders(), tape))


def pop_recorder(tape: object) -> None:
    """Stops showing ops to `tape`."""
    _recorders.set(tuple(r for r in recorders() if r is not tape))


@block
def recording_only(tapes: Iterable[object]) -> Generator[None, None, None]:
    """Shows the ops of the `with` block to `tapes` alone."""
    recorders()
    with setting(_recorders, tuple(tapes)):
        yield from (None,)


@block
def stop_recording() -> Generator[None, None, None]:
    """Hides the `with` block from all tapes."""
    recorders()
    with setting(_recorders, ()):
        yield from (None,)


@block
def scope(name: str | None, default: str) -> Generator[str | None, None, None]:
    """Names the ops of the `with` block `name/...`; gives the name, with its '/', for the one op that the block is about.

    Gives `name` itself when ops run at once.
    """
    graph = current_graph()
    if graph is None:
        yield from (name,)
        return
    old = graph.scope
    try:
        graph.enter_scope(name or default)
        yield from (f"{graph.scope}/",)
    finally:
        try:
            graph.leave_scope(old)
        except KeyboardInterrupt:  # where it begins
            graph.leave_scope(old)
            raise
