"""`Dataset.interleave`: the elements of several datasets in turn."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.arguments import as_long, order_attr
from graphrt.data.dataset import AUTOTUNE, Dataset, handle_of, transformed
from graphrt.data.declaration import INPUT, at_least_one, dataset_op, invalid, order_of
from graphrt.data.failures import Failed, guarded, surviving
from graphrt.data.methods import transformation
from graphrt.data.parallel import Prefetcher
from graphrt.data.pipeline import UNKNOWN, Element, Run, Source, WithFunction, explain
from graphrt.data.structured_function import inner_source, inner_spec, trace
from graphrt.ir.graph import Graph
from graphrt.types.likes import Array, TensorLike

if TYPE_CHECKING:
    from graphrt.data.readers.range import Range
    from graphrt.data.readers.tensor_slices import Slices
    from graphrt.tensor.func_graph import FuncGraph


class Interleave(WithFunction):
    """The elements of the datasets that a function gives: `block` of each in turn, `cycle` datasets at a time."""

    __slots__ = ("ahead", "block", "cycle")

    def __init__(
        self, input: Source, graph: Graph, captured: list[Any], cycle: int, block: int, ahead: bool = False
    ) -> None:
        super().__init__(input, graph, captured)
        self.cycle = cycle if cycle > 0 else os.cpu_count() or 1
        self.block = block
        self.ahead = ahead  # whether the datasets are read by threads

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        function = run.function_of(self.graph, self.captured)
        elements, index = guarded(self.input.open(run)), -1
        places: list[Any] = []  # made when they are reached: there may be fewer datasets than places
        at = block = 0
        more = True
        while True:
            if at == len(places):
                if more and at < self.cycle:
                    places.append(None)
                elif places:
                    at = 0
                else:
                    return
            current = places[at]
            if current is None:
                try:
                    element = next(elements)
                except StopIteration:
                    more = False
                    at = sum(place is not None for place in places[:at])
                    places = [place for place in places if place is not None]
                    continue
                if type(element) is not Failed:
                    index += 1
                    element = self._opened(function, index, element, run)
                if type(element) is Failed:
                    yield element
                    continue
                current = places[at] = element
            try:
                found = next(current)
            except StopIteration:
                block = 0
                if more:
                    places[at] = None
                    at += 1
                else:
                    del places[at]
                continue
            yield found
            if type(found) is Failed:
                continue
            block += 1
            if block == self.block:
                block = 0
                at += 1

    def _opened(self, function: Callable[..., Any], index: int, element: Element, run: Run) -> Iterator[Any] | Failed:
        try:
            inner = inner_source(function(*element))
        except errors.OpError as error:
            return Failed(explain(error, self.graph, index))
        elements: Iterator[Element] = inner.open(run)
        return guarded(Prefetcher(elements, max(self.block, 2), run) if self.ahead else elements)

    def count(self) -> int:
        return UNKNOWN


def _interleave(
    x: Range | Slices, extra: list[Any], cycle: Array, block: Array, f: FuncGraph, ahead: bool = False
) -> Source:
    if cycle != -1 and cycle < 1:
        raise invalid("`cycle_length` must be > 0")
    if block < 1:
        raise invalid("`block_length` must be > 0")
    return Interleave(x, f, extra, int(cycle), int(block), ahead)


InterleaveDataset = dataset_op(
    "InterleaveDataset", f"{INPUT}, cycle_length: int64, block_length: int64",
    lambda x, extra, cycle, block, *, f: _interleave(x, extra, cycle, block, f), "f: func; Targuments: list(type)",
)  # fmt: skip


def _parallel_interleave(
    x: Range, extra: list[Any], cycle: Array, block: Array, buffered: Array, fetched: Array, calls: Array, *,
    f: FuncGraph, deterministic: str,
) -> Source:  # fmt: skip
    order_of(deterministic)
    at_least_one(calls, "`num_parallel_calls`")
    for name, size, least in (("buffer_output_elements", buffered, 1), ("prefetch_input_elements", fetched, 0)):
        if size < least and size != -1:
            raise invalid(f"`{name}` must be `tf.data.AUTOTUNE` or at least {least} but is {size}")
    if 0 < cycle < calls:
        raise invalid(
            "`num_parallel_calls` must be `tf.data.AUTOTUNE` or a value less than or equal to `cycle_length`. However, "
            f"`num_parallel_calls` is {calls} and `cycle_length` is {cycle}"
        )
    return _interleave(x, extra, cycle, block, f, ahead=True)


ParallelInterleaveDatasetV4 = dataset_op(
    "ParallelInterleaveDatasetV4",
    f"{INPUT}, cycle_length: int64, block_length: int64, buffer_output_elements: int64, "
    "prefetch_input_elements: int64, num_parallel_calls: int64",
    _parallel_interleave, "f: func; deterministic: string = 'default'; Targuments: list(type)",
)  # fmt: skip


@transformation
def interleave(
    self: Dataset, map_func: Callable[..., Any], cycle_length: TensorLike | None = None,
    block_length: TensorLike | None = None, num_parallel_calls: TensorLike | None = None,
    deterministic: bool | None = None, name: str | None = None
) -> Dataset:  # fmt: skip
    """The elements of the datasets that `map_func` gives: `block_length` of each, `cycle_length` at a time.

    >>> import graphrt as tf
    >>> dataset = tf.data.Dataset.range(1, 4).interleave(
    ...     lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2)
    >>> [x.item() for x in dataset.as_numpy_iterator()]
    [1, 1, 2, 2, 1, 2, 3, 3, 3]

    Raises:
      TypeError: the function does not give a dataset.
    """
    traced = trace(map_func, "interleave", [self.element_spec])
    spec = inner_spec(traced, "interleave")
    cycle = AUTOTUNE if cycle_length is None else cycle_length
    block = 1 if block_length is None else block_length
    shared = (handle_of(self), traced.captured, as_long(cycle, "cycle_length"), as_long(block, "block_length"))
    if num_parallel_calls is None:
        handle = InterleaveDataset(*shared, f=traced.graph, name=name, **st.output_attrs(spec))
        return transformed(self, handle, spec, "_InterleaveDataset")
    auto = as_long(AUTOTUNE, "buffer_output_elements")
    handle = ParallelInterleaveDatasetV4(
        *shared, auto, auto, as_long(num_parallel_calls, "num_parallel_calls"), f=traced.graph,
        deterministic=order_attr(deterministic), name=name, **st.output_attrs(spec),
    )  # fmt: skip
    return transformed(self, handle, spec, "_ParallelInterleaveDataset")
