"""What a running pipeline is made of: sources, the iterators they open, and the run that owns the threads.

A *source* is what stands behind the handle of a dataset: an immutable description. `source.open(run)` gives an iterator
of elements, each a tuple of raw arrays. A *run* belongs to one iteration; closing it stops all its threads.
"""

from __future__ import annotations

import atexit
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from graphrt import errors
from graphrt.executor.program import compile_graph, program_of
from graphrt.ir.graph import Graph
from graphrt.ir.liveness import draws
from graphrt.passes import run_passes

Element = tuple[Any, ...]
INFINITE = -1
UNKNOWN = -2


class Run:
    """One iteration over a dataset. `close` stops the threads that work for it, and waits for them.

    Attributes:
      deterministic: whether parallel work must give its results in order.
      threads: how many threads a parallel transformation may use at most; None leaves it to the transformation.
    """

    __slots__ = ("__weakref__", "_own", "_workers", "closed", "deterministic", "threads")

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        options = options or {}
        self._workers: dict[int, Any] = {}
        self._own: dict[Graph, Callable[..., tuple[Any, ...]] | None] = {}
        self.closed = False
        self.deterministic = options.get("deterministic") is not False
        self.threads: int | None = options.get("threads")

    def function_of(self, graph: Graph, captured: list[Any]) -> Callable[..., tuple[Any, ...]]:
        """The compiled function of the user as a callable of elements only.

        One that draws random numbers is compiled for this run: its streams start anew with each iteration, and go on
        where a part of the pipeline is opened again (`repeat`).
        """
        if graph not in self._own:
            self._own[graph] = compile_graph(graph, prepare=run_passes).function if draws(graph) else None
        return with_captured(self._own[graph] or program_of(graph, run_passes).function, captured)

    def add(self, worker: object) -> None:
        """Makes `worker` (anything with `stop`) a part of the run; CancelledError when the run is over."""
        if self.closed:
            raise errors.CancelledError(None, None, "the iteration is over")
        self._workers[id(worker)] = worker
        _RUNNING.add(self)

    def discard(self, worker: object) -> None:
        """Forgets a worker that has stopped."""
        self._workers.pop(id(worker), None)

    def close(self) -> None:
        """Stops all workers and waits until their threads have ended."""
        self.closed = True
        workers = list(self._workers.values())
        for worker in workers:
            worker.signal()
        for worker in workers:
            worker.stop()
        self._workers.clear()

    def __del__(self) -> None:
        if getattr(self, "_workers", None):  # None: an interrupt came before there was one
            self.close()


# state: weak: runs that go on are closed at exit
_RUNNING: weakref.WeakSet[Run] = weakref.WeakSet()


def _close_all() -> None:
    for run in list(_RUNNING):
        run.close()


atexit.register(_close_all)


class Source:
    """Base of all sources."""

    __slots__ = ("__weakref__",)

    traced_by_type = True
    starts_late = False  # whether its input is opened only when the first element is asked for, as TensorFlow does it
    repeats_itself = False  # whether a `repeat` is part of this source, as TensorFlow runs it

    def open(self, run: Run) -> Iterator[Element]:
        """A new iterator over the elements."""
        raise errors.InternalError(None, None, f"{type(self).__name__} cannot be iterated")

    def stretches(self) -> Iterator[Element] | None:
        """The elements many at a time (`graphrt.data.stretches`); None where they come one by one."""
        return None

    def count(self) -> int:
        """The number of elements, or INFINITE, or UNKNOWN."""
        return UNKNOWN

    def inputs(self) -> tuple[Source, ...]:
        """The sources this one reads."""
        return ()

    def pass_over(self) -> None:
        """What opening this source does to the seeds of those to come, without reading it."""
        for source in self.inputs():
            source.pass_over()

    def options(self) -> dict[str, Any]:
        """The options set in this pipeline; those set last win."""
        found: dict[str, Any] = {}
        for source in self.inputs():
            for key, value in source.options().items():
                found.setdefault(key, value)
        return found

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class Wrapping(Source):
    """Base of the sources that read one other source, and give as many elements unless they say otherwise."""

    __slots__ = ("input",)

    def __init__(self, input: Source) -> None:
        self.input = input

    def inputs(self) -> tuple[Source, ...]:
        return (self.input,)

    def count(self) -> int:
        return self.input.count()


class WithFunction(Wrapping):
    """Base of the sources that give the elements of one other source to a function of the user."""

    __slots__ = ("captured", "graph")

    def __init__(self, input: Source, graph: Graph, captured: list[Any]) -> None:
        super().__init__(input)
        self.graph = graph
        self.captured = captured


class Elements(Source):
    """Elements that are known: those of a window, a cache, `from_tensors`."""

    __slots__ = ("elements",)

    def __init__(self, elements: list[Element]) -> None:
        self.elements = elements

    def open(self, run: Run) -> Iterator[Element]:
        return iter(self.elements)

    def count(self) -> int:
        return len(self.elements)


def iterate(source: Source) -> tuple[Run, Iterator[Element]]:
    """A run over `source`, and its elements."""
    run = Run(source.options())
    return run, source.open(run)


def function_of(graph: Graph, captured: list[Any]) -> Callable[..., tuple[Any, ...]]:
    """The compiled function of the user as a callable of elements only, for what is no part of an iteration."""
    return with_captured(program_of(graph, run_passes).function, captured)


def with_captured(program: Callable[..., tuple[Any, ...]], captured: list[Any]) -> Callable[..., tuple[Any, ...]]:
    """The program of a user's function as a callable of elements only."""
    if not captured:
        return program
    extra = tuple(captured)
    if len(extra) == 1:
        (only,) = extra
        return lambda *element: program(*element, only)
    return lambda *element: program(*element, *extra)


def explain(error: Exception, graph: Graph, index: int) -> Exception:
    """`error`, raised by the user's function for element number `index`, told with both."""
    where = getattr(graph, "collections", {}).get("dataset_call")
    if where is None or not isinstance(error, errors.OpError):
        return error
    method, place = where
    at = "" if place is None else f" at {errors.shown_place(*place)}"
    errors.retell(error, f"{error}\n  in the function passed to {method}{at}, for element number {index}")
    return error


def end_of(error: errors.OutOfRangeError) -> Exception:
    """What a function of the user that ran out of something means: an error, not the end of the data."""
    return errors.InvalidArgumentError(None, None, f"Function invocation produced OutOfRangeError: {error}")


class Applied:
    """Elements through a function: an element for which the function fails raises, and the next one goes on."""

    __slots__ = ("following", "function", "graph", "index")

    def __init__(self, upstream: Iterator[Element], function: Callable[..., Any], graph: Graph) -> None:
        self.following = upstream.__next__
        self.function = function
        self.graph = graph
        self.index = -1

    def __iter__(self) -> Any:
        return self


def in_turn(iterators: list[Iterator[Element]]) -> Iterator[Element]:
    """An element of each, round after round; those that have ended are left out."""
    waiting = list(iterators)
    while waiting:
        for elements in list(waiting):
            element = next(elements, None)
            if element is None:
                waiting.remove(elements)
            else:
                yield element


class Called:
    """One of several functions of a transformation."""

    __slots__ = ("call", "graph")

    def __init__(self, run: Run, graph: Graph, captured: list[Any]) -> None:
        self.graph = graph
        self.call = run.function_of(graph, captured)

    def __call__(self, index: int, *inputs: Any) -> Element:
        try:
            return self.call(*inputs)
        except errors.OpError as error:
            raise explain(error, self.graph, index)  # noqa: B904  the same error
