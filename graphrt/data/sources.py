"""Sources that make elements, and those that pass single elements on: range, slices, map, filter, take, ..."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data.running import (
    INFINITE,
    UNKNOWN,
    Element,
    Run,
    Source,
    Wrapping,
    end_of,
    explain,
    function_of,
)
from graphrt.ir.graph import Graph

_MAX = 2**63 - 1


# --- makers ----------------------------------------------------------------------------------------------------------
class Range(Source):
    """The numbers of `range(start, stop, step)` as scalars of a NumPy type."""

    __slots__ = ("kind", "numbers")

    def __init__(self, start: int, stop: int, step: int, kind: type) -> None:
        self.numbers = range(start, stop, step)
        self.kind = kind

    def open(self, run: Run) -> Iterator[Element]:
        return zip(map(self.kind, self.numbers))

    def count(self) -> int:
        n = self.numbers
        return max(0, -(-(n.stop - n.start) // n.step) if n.step > 0 else -(-(n.start - n.stop) // -n.step))

    def slices(self, size: int) -> Iterator[Element]:
        """The elements in stretches of `size`, as arrays."""
        kind, n = self.kind, self.numbers
        for at in range(0, self.count(), size):
            part = n[at : at + size]
            yield (np.arange(part.start, part.stop, part.step, dtype=np.int64).astype(kind, copy=False),)


class Elements(Source):
    """Elements that are known: those of a window, a cache, `from_tensors`."""

    __slots__ = ("elements",)

    def __init__(self, elements: list[Element]) -> None:
        self.elements = elements

    def open(self, run: Run) -> Iterator[Element]:
        return iter(self.elements)

    def count(self) -> int:
        return len(self.elements)


def scalar(value: Any) -> Any:
    """A string as the 0-d array that stands for a scalar."""
    out = np.empty((), object)
    out[()] = value
    return out


def rows(array: Any) -> Any:
    """An iterable of the rows of `array` as raw values."""
    if array.ndim == 1 and array.dtype == object:
        return map(scalar, array)
    return array


class Slices(Source):
    """The rows of arrays, side by side."""

    __slots__ = ("arrays",)

    def __init__(self, arrays: list[Any]) -> None:
        self.arrays = arrays

    def open(self, run: Run) -> Iterator[Element]:
        return zip(*map(rows, self.arrays))

    def count(self) -> int:
        return len(self.arrays[0])

    def slices(self, size: int) -> Iterator[Element]:
        """The elements in stretches of `size`, as arrays."""
        for at in range(0, self.count(), size):
            yield tuple([a[at : at + size] for a in self.arrays])


# --- functions of the user -------------------------------------------------------------------------------------------
class _Applied:
    """Elements through a function: an element for which the function fails raises, and the next one goes on."""

    __slots__ = ("_function", "_graph", "_index", "_next")

    def __init__(self, upstream: Iterator[Element], function: Callable[..., Any], graph: Graph) -> None:
        self._next = upstream.__next__
        self._function = function
        self._graph = graph
        self._index = -1

    def __iter__(self) -> Any:
        return self


class _Mapped(_Applied):
    __slots__ = ()

    def __next__(self) -> Element:
        element = self._next()
        self._index += 1
        try:
            return self._function(*element)
        except errors.OutOfRangeError as error:
            raise explain(end_of(error), self._graph, self._index)  # noqa: B904  it is told whole
        except errors.OpError as error:
            raise explain(error, self._graph, self._index)  # noqa: B904  the same error


class Map(Wrapping):
    """Each element through a function."""

    __slots__ = ("captured", "graph")

    def __init__(self, input: Source, graph: Graph, captured: list[Any]) -> None:
        super().__init__(input)
        self.graph = graph
        self.captured = captured

    def open(self, run: Run) -> Iterator[Element]:
        return _Mapped(self.input.open(run), run.function_of(self.graph, self.captured), self.graph)


class _Filtered(_Applied):
    __slots__ = ()

    def __next__(self) -> Element:
        function, following = self._function, self._next
        try:
            while True:
                element = following()
                self._index += 1
                if function(*element)[0]:
                    return element
        except errors.OpError as error:
            raise explain(error, self._graph, self._index)  # noqa: B904  the same error


class Filter(Map):
    """The elements for which a predicate holds."""

    __slots__ = ()

    def open(self, run: Run) -> Iterator[Element]:
        return _Filtered(self.input.open(run), run.function_of(self.graph, self.captured), self.graph)

    def count(self) -> int:
        return UNKNOWN


class TakeWhile(Map):
    """The elements before the first one for which a predicate does not hold."""

    __slots__ = ()

    def open(self, run: Run) -> Iterator[Element]:
        function = run.function_of(self.graph, self.captured)
        for index, element in enumerate(self.input.open(run)):
            try:
                holds = function(*element)[0]
            except errors.OpError as error:
                raise explain(error, self.graph, index)  # noqa: B904  the same error
            if not holds:
                return
            yield element

    def count(self) -> int:
        return UNKNOWN


class Scan(Map):
    """Each element, with a state, through a function that gives the next state and an output.

    `stop` is the position, among the outputs, of a flag that says whether to go on after this element; None: always.
    """

    __slots__ = ("initial", "stop")

    def __init__(
        self, input: Source, initial: list[Any], graph: Graph, captured: list[Any], stop: int | None = None
    ) -> None:
        super().__init__(input, graph, captured)
        self.initial = tuple(initial)
        self.stop = stop

    def open(self, run: Run) -> Iterator[Element]:
        function = run.function_of(self.graph, self.captured)
        state, width, stop = self.initial, len(self.initial), self.stop
        for index, element in enumerate(self.input.open(run)):
            try:
                found = function(*state, *element)
            except errors.OpError as error:
                raise explain(error, self.graph, index)  # noqa: B904  the same error
            state = found[:width]
            output = found[width:]
            yield output
            if stop is not None and not output[stop]:
                return

    def count(self) -> int:
        return self.input.count() if self.stop is None else UNKNOWN


def reduce(
    elements: Iterator[Element], initial: list[Any], graph: Graph, captured: list[Any], stop: int | None = None
) -> tuple[Any, ...]:
    """The last state of `state = function(state, element)`.

    `stop` is the position of a flag in the state that says whether to go on after an element; None: always.
    """
    function = function_of(graph, captured)
    state = tuple(initial)
    for index, element in enumerate(elements):
        try:
            state = function(*state, *element)
        except errors.OpError as error:
            raise explain(error, graph, index)  # noqa: B904  the same error
        if stop is not None and not state[stop]:
            break
    return state


# --- parts of the input ----------------------------------------------------------------------------------------------
class Take(Wrapping):
    """The first `size` elements (all, when negative)."""

    __slots__ = ("size",)

    def __init__(self, input: Source, size: int) -> None:
        super().__init__(input)
        self.size = size

    def open(self, run: Run) -> Iterator[Element]:
        if self.size < 0:
            return self.input.open(run)
        if self.size == 0:
            return iter(())
        return itertools.islice(self.input.open(run), self.size)

    def count(self) -> int:
        n = self.input.count()
        if self.size < 0 or n == UNKNOWN:
            return n
        return self.size if n == INFINITE else min(n, self.size)


class Skip(Take):
    """The elements after the first `size` (none, when negative)."""

    __slots__ = ()

    def open(self, run: Run) -> Iterator[Element]:
        if self.size < 0:
            return iter(())
        return itertools.islice(self.input.open(run), self.size, None)

    def count(self) -> int:
        n = self.input.count()
        if n < 0:
            return n
        return 0 if self.size < 0 else max(0, n - self.size)


class Shard(Wrapping):
    """Every `shards`-th element, beginning with number `index`."""

    __slots__ = ("index", "shards")

    def __init__(self, input: Source, shards: int, index: int) -> None:
        super().__init__(input)
        self.shards = shards
        self.index = index

    def open(self, run: Run) -> Iterator[Element]:
        return itertools.islice(self.input.open(run), self.index, None, self.shards)

    def count(self) -> int:
        n = self.input.count()
        return n if n < 0 else n // self.shards + (1 if self.index < n % self.shards else 0)


def _key(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return tuple(value.ravel().tolist()), value.shape
        return value.tobytes(), value.shape
    return value.tobytes() if isinstance(value, np.generic) else value


class Unique(Wrapping):
    """The elements that have not been seen before."""

    __slots__ = ()

    def open(self, run: Run) -> Iterator[Element]:
        seen = set()
        for element in self.input.open(run):
            key = tuple(map(_key, element))
            if key not in seen:
                seen.add(key)
                yield element

    def count(self) -> int:
        return UNKNOWN


class IgnoreErrors(Wrapping):
    """The elements that can be had without an error."""

    __slots__ = ("log",)

    def __init__(self, input: Source, log: bool) -> None:
        super().__init__(input)
        self.log = log

    def open(self, run: Run) -> Iterator[Element]:
        elements = self.input.open(run)
        while True:
            try:
                element = next(elements)
            except StopIteration:
                return
            except Exception as error:
                if self.log:
                    import warnings

                    warnings.warn(f"Error raised with error message {error}", RuntimeWarning, stacklevel=2)
                continue
            yield element

    def count(self) -> int:
        return UNKNOWN


class AssertCardinality(Wrapping):
    """The input, with a number of elements that is promised, and checked."""

    __slots__ = ("promised",)

    def __init__(self, input: Source, promised: int) -> None:
        super().__init__(input)
        self.promised = promised

    def open(self, run: Run) -> Iterator[Element]:
        found = 0
        for element in self.input.open(run):
            found += 1
            if 0 <= self.promised < found:
                raise errors.FailedPreconditionError(
                    None, None, f"Input dataset was expected to contain {_elements(self.promised)} but contained more."
                )
            yield element
        if self.promised != found and self.promised != UNKNOWN:
            wanted = "an infinite number of elements" if self.promised == INFINITE else _elements(self.promised)
            raise errors.FailedPreconditionError(
                None, None, f"Input dataset was expected to contain {wanted} but contained only {_elements(found)}."
            )

    def count(self) -> int:
        return self.promised


def _elements(count: int) -> str:
    return f"{count} element{'' if count == 1 else 's'}"


class Optioned(Wrapping):
    """The input, with options set."""

    __slots__ = ("given",)

    def __init__(self, input: Source, given: dict[str, Any]) -> None:
        super().__init__(input)
        self.given = given

    def open(self, run: Run) -> Iterator[Element]:
        return self.input.open(run)

    def options(self) -> dict[str, Any]:
        return {**self.input.options(), **self.given}


# --- several inputs --------------------------------------------------------------------------------------------------
class _Zipped:
    __slots__ = ("_nexts", "_parts")

    def __init__(self, parts: list[Iterator[Element]]) -> None:
        self._nexts = [p.__next__ for p in parts]

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Element:
        element: Element = ()
        for following in self._nexts:
            element += following()
        return element


class Zip(Source):
    """Elements of several inputs side by side; as long as the shortest."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[Source]) -> None:
        self.parts = parts

    def inputs(self) -> tuple[Source, ...]:
        return tuple(self.parts)

    def open(self, run: Run) -> Iterator[Element]:
        return _Zipped([p.open(run) for p in self.parts])

    def count(self) -> int:
        counts = [p.count() for p in self.parts]
        if UNKNOWN in counts:
            return UNKNOWN
        finite = [c for c in counts if c != INFINITE]
        return min(finite) if finite else INFINITE


class Concatenate(Source):
    """The elements of one input, then those of another."""

    __slots__ = ("first", "second")

    def __init__(self, first: Source, second: Source) -> None:
        self.first = first
        self.second = second

    def inputs(self) -> tuple[Source, ...]:
        return self.first, self.second

    def pass_over(self) -> None:
        self.first.pass_over()  # the second is opened when the first has ended

    def open(self, run: Run) -> Iterator[Element]:
        yield from self.first.open(run)
        yield from self.second.open(run)

    def count(self) -> int:
        a, b = self.first.count(), self.second.count()
        if INFINITE in (a, b):
            return INFINITE
        return UNKNOWN if UNKNOWN in (a, b) else a + b


class Repeat(Wrapping):
    """The input several times over (without end, when `times` is negative)."""

    __slots__ = ("times",)

    def __init__(self, input: Source, times: int) -> None:
        super().__init__(input)
        self.times = times

    def open(self, run: Run) -> Iterator[Element]:
        rounds = itertools.repeat(None) if self.times < 0 else itertools.repeat(None, self.times)
        for _ in rounds:
            empty = True
            for element in self.input.open(run):
                empty = False
                yield element
            if empty and self.times < 0:
                return
        # TensorFlow opens the input once more before it counts, unless it is a shuffle, with which it forms one step
        if self.times > 0 and not self.input.repeats_itself:
            self.input.pass_over()

    def count(self) -> int:
        n = self.input.count()
        if self.times < 0:
            return 0 if n == 0 else INFINITE
        if self.times == 0:
            return 0
        return n if n < 0 else n * self.times


class Directed(Source):
    """Elements of several inputs, each time of the one that a selector names."""

    __slots__ = ("parts", "selector", "stop_on_empty")

    def __init__(self, selector: Source, parts: list[Source], stop_on_empty: bool) -> None:
        self.selector = selector
        self.parts = parts
        self.stop_on_empty = stop_on_empty

    def inputs(self) -> tuple[Source, ...]:
        return (self.selector, *self.parts)

    def open(self, run: Run) -> Iterator[Element]:
        open_parts: list[Any] = [p.open(run) for p in self.parts]
        left = len(open_parts)
        for (choice,) in self.selector.open(run):
            if not 0 <= choice < len(open_parts):
                raise errors.InvalidArgumentError(
                    None, None, f"Selector index out of range: {choice} >= {len(open_parts)}"
                )
            part = open_parts[choice]
            if part is None:
                continue
            try:
                element = next(part)
            except StopIteration:
                if self.stop_on_empty:
                    return
                open_parts[choice] = None
                left -= 1
                if left == 0:
                    return
                continue
            yield element

    def count(self) -> int:
        endless = [p.count() == INFINITE for p in self.parts]
        return INFINITE if (all if self.stop_on_empty else any)(endless) else UNKNOWN


# --- caches ----------------------------------------------------------------------------------------------------------
class MemoryCache:
    """Where the elements of a `cache()` are kept once they have all been seen."""

    __slots__ = ("__weakref__", "elements", "lock")

    traced_by_type = True

    def __init__(self) -> None:
        self.elements: list[Element] | None = None
        self.lock = threading.Lock()


class Cache(Wrapping):
    """The input, kept after it has been read to its end."""

    __slots__ = ("cache",)

    def __init__(self, input: Source, cache: MemoryCache) -> None:
        super().__init__(input)
        self.cache = cache

    def pass_over(self) -> None:
        if self.cache.elements is None:
            self.input.pass_over()

    def open(self, run: Run) -> Iterator[Element]:
        kept = self.cache.elements
        if kept is not None:
            yield from kept
            return
        seen: list[Element] = []
        for element in self.input.open(run):
            seen.append(element)
            yield element
        self.cache.elements = seen
