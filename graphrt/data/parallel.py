"""Threads of a pipeline: `Prefetcher` runs an iterator on a thread, `Ahead` a function on several.

Threads start with the first element that is asked for. They end when the data ends, when the iterator is dropped or its
run closed (the end of a loop, an error, Ctrl-C); whoever ends them waits until they have.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import threading
import time
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any

from graphrt import errors
from graphrt.data.pipeline import Element, Run, end_of, explain
from graphrt.ir.graph import Graph
from graphrt.ir.op import CALLS_PYTHON

AHEAD = 8  # elements that AUTOTUNE reads ahead
_PATIENCE = 5.0  # seconds: how long a thread in the user's code is waited for
_WORTH_A_THREAD = 100e-6  # seconds: functions that take less run where they are
MOST = 256  # calls at a time, whatever is asked for
_TRIED = 4  # calls that are timed
_END = object()


class _Failure:
    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error


class _Crew:
    """Some threads that serve one iterator, and how they are stopped. The threads know it, but not the iterator."""

    __slots__ = ("__weakref__", "inbox", "outbox", "run", "stopped", "threads")

    def __init__(self, run: Run) -> None:
        self.inbox: SimpleQueue[Any] = SimpleQueue()
        self.outbox: SimpleQueue[Any] = SimpleQueue()
        self.threads: list[threading.Thread] = []
        self.stopped = False
        self.run = run
        run.add(self)

    def start(self, name: str, work: Callable[..., None], *args: Any) -> None:
        """Starts one more thread that runs `work(crew, *args)`; those that there are do, where no more can be had."""
        thread = threading.Thread(target=work, args=(self, *args), name=f"graphrt {name}", daemon=True)
        self.threads.append(thread)
        try:
            thread.start()
        except RuntimeError as error:
            self.threads.remove(thread)
            if not self.threads:
                raise errors.ResourceExhaustedError(None, None, f"no thread for {name}: {error}") from None

    def answer(self) -> Any:
        """What the threads have made next; waits for it.

        Raises:
          FailedPreconditionError: they are in another process, which this one was forked from.
        """
        if self.outbox.empty() and not any(thread.is_alive() for thread in self.threads) and self.outbox.empty():
            words = "the threads of this iterator stayed in the process that was forked: make a new iterator here"
            raise errors.FailedPreconditionError(None, None, words)
        return self.outbox.get()

    def signal(self) -> None:
        """Tells the threads to end, without waiting."""
        self.stopped = True
        for _ in self.threads:
            self.inbox.put(_END)
        self.outbox.put(_END)

    def stop(self) -> None:
        """Ends the threads and waits for them."""
        self.signal()
        if not sys.is_finalizing():
            for thread in self.threads:
                if thread is not threading.current_thread():
                    with contextlib.suppress(RuntimeError):  # its start was interrupted: it ends as it begins
                        thread.join(_PATIENCE)
        self.run.discard(self)


def _read_ahead(crew: _Crew, source: list[Iterator[Element]], size: int) -> None:
    (elements,) = source
    source.clear()  # the thread alone holds the iterator, so that it is dropped where it ran
    put, take = crew.outbox.put, crew.inbox.get
    for made in itertools.count():
        if (made >= size and take() is _END) or crew.stopped:  # one is taken for each that was asked for
            return
        try:
            element = next(elements)
        except StopIteration:
            put(_END)
            return
        except BaseException as error:
            put(_Failure(error.with_traceback(None)))
        else:
            put(element)


class Prefetcher:
    """The elements of an iterator, up to `size` of which are made ahead by a thread."""

    __slots__ = ("_crew", "_elements", "_size", "_state")

    def __init__(self, elements: Iterator[Element], size: int, run: Run) -> None:
        self._elements: Any = elements
        self._size = size
        self._state = 0  # 0: not begun, 1: running, 2: at the end
        self._crew = _Crew(run)

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Element:
        if self._state != 1:
            self._begin()
        crew = self._crew
        item = crew.answer()
        if item is _END:
            self._state = 2
            crew.stop()
            raise StopIteration
        crew.inbox.put(None)
        if type(item) is _Failure:
            raise item.error
        return item

    def _begin(self) -> None:
        if self._state == 2 or self._crew.stopped:
            raise StopIteration
        self._state = 1
        source, self._elements = [self._elements], None
        self._crew.start("prefetch", _read_ahead, source, self._size)

    def __del__(self) -> None:
        crew = getattr(self, "_crew", None)
        if crew is not None and not crew.stopped:
            crew.stop()


def _compute(crew: _Crew, function: Callable[..., Any]) -> None:
    take, put = crew.inbox.get, crew.outbox.put
    while True:
        task = take()
        if task is _END or crew.stopped:
            return
        index, element = task
        try:
            result: Any = function(*element)
        except BaseException as error:
            result = _Failure(error.with_traceback(None))
        put((index, result))
        del task, element, result


class Ahead:
    """Elements through a function that runs on several threads; in order, or as they are done."""

    __slots__ = (
        "_begun",
        "_crew",
        "_done",
        "_elements",
        "_function",
        "_graph",
        "_limit",
        "_ordered",
        "_taken",
        "_worth",
    )

    def __init__(
        self,
        elements: Iterator[Element],
        function: Callable[..., Any],
        graph: Graph,
        limit: int,
        ordered: bool,
        run: Run,
    ) -> None:
        self._elements: Any = elements
        self._function = function
        self._graph = graph
        self._limit = limit
        self._ordered = ordered
        self._begun = self._taken = 0
        self._done: dict[int, Any] = {}
        self._worth: float = float("inf") if calls_python(graph) else 0.0
        self._crew = _Crew(run)

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Element:
        if not self._crew.threads and self._worth < _WORTH_A_THREAD:
            return self._at_once()
        self._hand_out()
        if self._taken == self._begun:
            self._crew.stop()
            raise StopIteration
        index = self._wait()
        self._taken += 1
        result = self._done.pop(index)
        if type(result) is _Failure:
            raise _told(result.error, self._graph, index)
        return result

    def _at_once(self) -> Element:
        """Runs the function here, and watches how long it takes."""
        element = next(self._elements)
        index = self._begun
        self._begun += 1
        self._taken += 1
        try:
            if index >= _TRIED:
                return self._function(*element)
            start = time.perf_counter()
            result: Element = self._function(*element)
            took = time.perf_counter() - start
            self._worth = took if index == 1 else min(self._worth, took) if index > 1 else 0.0
            return result
        except Exception as error:
            raise _told(error, self._graph, index)  # noqa: B904  the same error

    def _hand_out(self) -> None:
        crew = self._crew
        while self._elements is not None and self._begun - self._taken < self._limit:
            if crew.stopped:
                raise StopIteration
            try:
                element = next(self._elements)
            except StopIteration:
                self._elements = None
                return
            except Exception as error:
                self._done[self._begun] = _Failure(error.with_traceback(None))
                self._begun += 1
                continue
            if len(crew.threads) < self._limit and len(crew.threads) <= self._begun - self._taken:
                crew.start("map", _compute, self._function)
            crew.inbox.put((self._begun, element))
            self._begun += 1

    def _wait(self) -> int:
        done = self._done
        if self._ordered:
            while self._taken not in done:
                self._receive()
            return self._taken
        if not done:
            self._receive()
        return next(iter(done))

    def _receive(self) -> None:
        item = self._crew.answer()
        if item is _END:
            raise StopIteration
        self._done[item[0]] = item[1]

    def __del__(self) -> None:
        crew = getattr(self, "_crew", None)
        if crew is not None and not crew.stopped:
            crew.stop()


def _told(error: BaseException, graph: Graph, index: int) -> BaseException:
    if isinstance(error, errors.OutOfRangeError):
        return explain(end_of(error), graph, index)
    return explain(error, graph, index) if isinstance(error, Exception) else error


def calls_python(graph: Graph) -> bool:
    """Whether `graph` runs Python functions, which may wait for something, or has other effects."""
    graphs = [graph, *graph.functions().values()]
    return any(n.op.has(CALLS_PYTHON) for g in graphs for n in g.nodes)
