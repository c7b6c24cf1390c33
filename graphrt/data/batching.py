"""Sources that put elements together and take them apart: batches, windows, groups."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data.running import INFINITE, UNKNOWN, Element, Run, Source, Wrapping, explain
from graphrt.data.sources import Elements, rows
from graphrt.ir.graph import Graph


def _dims(value: Any) -> str:
    return "[" + ",".join(map(str, np.shape(value))) + "]"


def stacked(column: tuple[Any, ...], position: int = 0) -> Any:
    """Values of one shape as one array; InvalidArgumentError where a shape differs."""
    first = column[0]
    if isinstance(first, np.generic):
        if all(type(v) is type(first) for v in column):
            return np.array(column, first.dtype)
    elif not isinstance(first, np.ndarray):
        raise errors.InvalidArgumentError(
            None,
            None,
            "Batching of variants is not supported: a window, or another dataset, is no tensor. Use flat_map.",
        )
    shape = first.shape
    for index, value in enumerate(column):
        if value.shape != shape:
            raise errors.InvalidArgumentError(
                None, None,
                f"Cannot batch tensors with different shapes in component {position}. First element had shape "
                f"{_dims(first)} and element {index} had shape {_dims(value)}.",
            )  # fmt: skip
    out = np.empty((len(column), *shape), first.dtype)
    if first.dtype == object and not shape:
        out[:] = [v.item() for v in column]
    else:
        for index, value in enumerate(column):
            out[index] = value
    return out


def stack_elements(elements: list[Element]) -> Element:
    """Elements as one, whose components have a dimension more."""
    return tuple([stacked(column, i) for i, column in enumerate(zip(*elements))])


def _batches(count: int, size: int, drop: bool) -> int:
    if count < 0:
        return count
    return count // size if drop else -(-count // size)


class Batch(Wrapping):
    """`size` elements each as one; the last batch may be smaller unless it is dropped."""

    __slots__ = ("drop", "size")

    def __init__(self, input: Source, size: int, drop: bool) -> None:
        super().__init__(input)
        self.size = size
        self.drop = drop

    def pass_over(self) -> None:
        source = self.input
        if source.starts_late:  # a parallel `map` and a batch form one step, which does not
            source = source.inputs()[0]
        source.pass_over()

    def open(self, run: Run) -> Iterator[Element]:
        slices = getattr(self.input, "slices", None)
        if slices is not None:
            whole = self.input.count() // self.size
            return itertools.islice(slices(self.size), whole) if self.drop else slices(self.size)
        return _Batched(self.input.open(run), self)

    def together(self, elements: list[Element]) -> Element:
        """Some elements as one."""
        return stack_elements(elements)

    def count(self) -> int:
        return _batches(self.input.count(), self.size, self.drop)


class _Batched:
    """Batches of an iterator: after an error in one element the next batch begins behind it."""

    __slots__ = ("_batch", "_elements")

    def __init__(self, elements: Iterator[Element], batch: Batch) -> None:
        self._elements = elements
        self._batch = batch

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Element:
        batch = self._batch
        found = list(itertools.islice(self._elements, batch.size))
        if not found or (batch.drop and len(found) < batch.size):
            raise StopIteration
        return batch.together(found)


class PaddedBatch(Batch):
    """Batches of elements of different sizes, padded to the longest, or to given shapes."""

    __slots__ = ("shapes", "values")

    def __init__(self, input: Source, size: int, drop: bool, shapes: list[Any], values: list[Any]) -> None:
        super().__init__(input, size, drop)
        self.shapes = [np.reshape(s, -1).tolist() for s in shapes]
        self.values = values

    def open(self, run: Run) -> Iterator[Element]:
        return _Batched(self.input.open(run), self)

    def together(self, elements: list[Element]) -> Element:
        return tuple([
            padded(column, shape, value, i)
            for i, (column, shape, value) in enumerate(zip(zip(*elements), self.shapes, self.values))
        ])  # fmt: skip


def padded(column: tuple[Any, ...], shape: list[int], value: Any, position: int) -> Any:
    """Values as one array of `shape` (-1: as long as the longest), filled up with `value`."""
    rank = len(shape)
    for v in column:
        if np.ndim(v) != rank:
            raise errors.InvalidArgumentError(
                None, None,
                f"All elements in a batch must have the same rank as the padded shape for component{position}: "
                f"expected rank {rank} but got element with rank {np.ndim(v)}",
            )  # fmt: skip
    longest = [max(np.shape(v)[i] for v in column) for i in range(rank)]
    target = [m if s < 0 else s for s, m in zip(shape, longest)]
    for v in column:
        for i, (have, room) in enumerate(zip(np.shape(v), target)):
            if have > room:
                raise errors.DataLossError(
                    None, None,
                    f"Attempted to pad to a smaller size than the input element: component {position} has shape "
                    f"{_dims(v)}, dimension {i} of the padded shape is {room}.",
                )  # fmt: skip
    first = column[0]
    filler = value.item() if isinstance(value, np.ndarray) and value.dtype == object else value
    out = np.empty((len(column), *target), first.dtype)
    out[...] = filler
    for index, v in enumerate(column):
        part = v.item() if isinstance(v, np.ndarray) and not v.ndim else v
        where: Any = (index, *(slice(0, n) for n in np.shape(v)))
        out[where] = part
    return out


class Unbatch(Wrapping):
    """The rows of each element."""

    __slots__ = ("rows",)

    def __init__(self, input: Source, known: int | None) -> None:
        super().__init__(input)
        self.rows = known  # how many every element has, if that is known

    def open(self, run: Run) -> Iterator[Element]:
        for element in self.input.open(run):
            sizes = {len(c) for c in element if np.ndim(c)}
            if len(sizes) != 1 or any(np.ndim(c) == 0 for c in element):
                shapes = ", ".join(_dims(c) for c in element)
                raise errors.InvalidArgumentError(
                    None, None, f"Input element must have the same batch size in each component, found shapes {shapes}."
                )
            yield from zip(*map(rows, element))

    def count(self) -> int:
        n = self.input.count()
        if n < 0:
            return n
        return UNKNOWN if self.rows is None else n * self.rows


class Rebatch(Wrapping):
    """Batches cut anew, in sizes that go round."""

    __slots__ = ("drop", "sizes")

    def __init__(self, input: Source, sizes: list[int], drop: bool) -> None:
        super().__init__(input)
        self.sizes = sizes
        self.drop = drop

    def open(self, run: Run) -> Iterator[Element]:
        single = Unbatch(self.input, None).open(run)
        for size in itertools.cycle(self.sizes):
            found = list(itertools.islice(single, size))
            if not found or (self.drop and len(found) < size):
                return
            yield stack_elements(found)

    def count(self) -> int:
        return UNKNOWN


class Window(Wrapping):
    """Stretches of the input as datasets: one for each component."""

    __slots__ = ("drop", "shift", "size", "stride")

    def __init__(self, input: Source, size: int, shift: int, stride: int, drop: bool) -> None:
        super().__init__(input)
        self.size, self.shift, self.stride, self.drop = size, shift, stride, drop

    def open(self, run: Run) -> Iterator[Element]:
        reach = (self.size - 1) * self.stride + 1
        elements = self.input.open(run)
        held: deque[Element] = deque(itertools.islice(elements, reach))
        while held and (len(held) == reach or not self.drop):
            window = list(itertools.islice(held, 0, None, self.stride))
            yield tuple([Elements(list(zip(column))) for column in zip(*window)])
            for _ in range(min(self.shift, len(held))):
                held.popleft()
            beyond = self.shift - reach
            if beyond > 0:
                next(itertools.islice(elements, beyond, beyond), None)
            held.extend(itertools.islice(elements, reach - len(held)))

    def count(self) -> int:
        n = self.input.count()
        if n < 0:
            return n
        if not self.drop:
            return -(-n // self.shift)
        reach = (self.size - 1) * self.stride + 1
        return 0 if n < reach else (n - reach) // self.shift + 1


class _Called:
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


class GroupByWindow(Wrapping):
    """Elements of one key collected into windows; each full window goes through a function that gives a dataset."""

    __slots__ = ("key", "reduce", "size")

    def __init__(
        self,
        input: Source,
        key: tuple[Graph, list[Any]],
        reduce: tuple[Graph, list[Any]],
        size: tuple[Graph, list[Any]],
    ) -> None:
        super().__init__(input)
        self.key, self.reduce, self.size = key, reduce, size

    def open(self, run: Run) -> Iterator[Element]:
        key_of, reduced, size_of = _Called(run, *self.key), _Called(run, *self.reduce), _Called(run, *self.size)
        groups: dict[int, list[Element]] = {}
        sizes: dict[int, int] = {}
        index = -1
        for index, element in enumerate(self.input.open(run)):
            key = int(key_of(index, *element)[0])
            if key not in sizes:
                size = int(size_of(index, np.int64(key))[0])
                if size <= 0:
                    raise errors.InvalidArgumentError(
                        None, None, f"Window size must be greater than zero, but got {size}."
                    )
                sizes[key] = size
            group = groups.setdefault(key, [])
            group.append(element)
            if len(group) == sizes[key]:
                del groups[key], sizes[key]
                (inner,) = reduced(index, np.int64(key), Elements(group))
                yield from inner.open(run)
        for key in sorted(groups):
            (inner,) = reduced(index, np.int64(key), Elements(groups[key]))
            yield from inner.open(run)

    def count(self) -> int:
        n = self.input.count()
        return n if n == INFINITE else UNKNOWN


class GroupByReducer(Wrapping):
    """Elements of one key folded into one state, which a last function turns into an element."""

    __slots__ = ("final", "initial", "key", "reduce")

    def __init__(
        self, input: Source, key: tuple[Graph, list[Any]], initial: tuple[Graph, list[Any]],
        reduce: tuple[Graph, list[Any]], final: tuple[Graph, list[Any]],
    ) -> None:  # fmt: skip
        super().__init__(input)
        self.key, self.initial, self.reduce, self.final = key, initial, reduce, final

    def open(self, run: Run) -> Iterator[Element]:
        key_of, begin = _Called(run, *self.key), _Called(run, *self.initial)
        step, finish = _Called(run, *self.reduce), _Called(run, *self.final)
        states: dict[int, Element] = {}
        for index, element in enumerate(self.input.open(run)):
            key = int(key_of(index, *element)[0])
            if key not in states:
                states[key] = begin(index, np.int64(key))
            states[key] = step(index, *states[key], *element)
        for index, key in enumerate(sorted(states)):
            yield finish(index, *states[key])

    def count(self) -> int:
        return UNKNOWN
