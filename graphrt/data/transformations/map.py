"""`Dataset.map`: each element through a function, here or on threads."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from typing import Any

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.arguments import as_long, order_attr
from graphrt.data.dataset import Dataset, handle_of, transformed
from graphrt.data.declaration import INPUT, at_least_one, dataset_op, order_of
from graphrt.data.methods import transformation
from graphrt.data.parallel import MOST, Ahead
from graphrt.data.pipeline import UNKNOWN, Applied, Element, Run, Source, WithFunction, end_of, explain
from graphrt.data.stretches import one_by_one, through
from graphrt.data.structured_function import trace
from graphrt.ir.graph import Graph


class _Mapped(Applied):
    __slots__ = ()

    def __next__(self) -> Element:
        element = self.following()
        self.index += 1
        try:
            return self.function(*element)
        except errors.OutOfRangeError as error:
            raise explain(end_of(error), self.graph, self.index)  # noqa: B904  it is told whole
        except errors.OpError as error:
            raise explain(error, self.graph, self.index)  # noqa: B904  the same error


class Map(WithFunction):
    """Each element through a function; `counted` says whether there are as many as before."""

    __slots__ = ("counted",)

    def __init__(self, input: Source, graph: Graph, captured: list[Any], counted: bool = True) -> None:
        super().__init__(input, graph, captured)
        self.counted = counted

    def count(self) -> int:
        return self.input.count() if self.counted else UNKNOWN

    def stretches(self) -> Iterator[Element] | None:
        found = through(self.input, self.graph, self.captured)
        return None if found is None else itertools.starmap(found[1], found[0])

    def open(self, run: Run) -> Iterator[Element]:
        stretches = self.stretches()
        if stretches is not None:
            return one_by_one(stretches)
        return _Mapped(self.input.open(run), run.function_of(self.graph, self.captured), self.graph)


class ParallelMap(Map):
    """Each element through a function, on up to `calls` threads."""

    __slots__ = ("calls", "deterministic")

    starts_late = True

    def pass_over(self) -> None:
        """Nothing happens before the first element."""

    def __init__(
        self, input: Source, graph: Graph, captured: list[Any], calls: int, deterministic: bool | None, counted: bool
    ) -> None:
        super().__init__(input, graph, captured, counted)
        self.calls = calls
        self.deterministic = deterministic

    def stretches(self) -> None:
        """None: what its threads do side by side stays there."""

    def open(self, run: Run) -> Iterator[Element]:
        limit = min(self.calls, MOST) if self.calls > 0 else max(os.cpu_count() or 1, 4)
        if run.threads:
            limit = min(limit, run.threads)
        ordered = run.deterministic if self.deterministic is None else self.deterministic
        function = run.function_of(self.graph, self.captured)
        return Ahead(self.input.open(run), function, self.graph, limit, ordered, run)


MapDataset = dataset_op(
    "MapDataset", INPUT, lambda x, extra, *, f, preserve_cardinality: Map(x, f, extra, preserve_cardinality),
    "f: func; Targuments: list(type); use_inter_op_parallelism: bool = True; preserve_cardinality: bool = False; "
    "force_synchronous: bool = False",
)  # fmt: skip
ParallelMapDatasetV2 = dataset_op(
    "ParallelMapDatasetV2", f"{INPUT}, num_parallel_calls: int64",
    lambda x, extra, calls, *, f, deterministic, preserve_cardinality: ParallelMap(
        x, f, extra, at_least_one(calls, "num_parallel_calls"), order_of(deterministic), preserve_cardinality
    ),
    "f: func; Targuments: list(type); use_inter_op_parallelism: bool = True; deterministic: string = 'default'; "
    "preserve_cardinality: bool = False; use_unbounded_threadpool: bool = False",
)  # fmt: skip


@transformation
def map_(
    self: Dataset, map_func: Callable[..., Any], num_parallel_calls: Any = None, deterministic: bool | None = None,
    synchronous: bool | None = None, use_unbounded_threadpool: bool = False, name: str | None = None,
) -> Dataset:  # fmt: skip
    """Each element through `map_func`, which is traced once; on `num_parallel_calls` threads if given.

    >>> import graphrt as tf
    >>> list(tf.data.Dataset.range(3).map(lambda x: x * 10).as_numpy_iterator())
    [np.int64(0), np.int64(10), np.int64(20)]

    Raises:
      ValueError: `map_func` is not callable.
      TypeError: it returns what cannot be part of an element.
    """
    traced = trace(map_func, "map", [self.element_spec])
    described = st.output_attrs(traced.spec)
    if num_parallel_calls is None:
        handle = MapDataset(
            handle_of(self), traced.captured, f=traced.graph, preserve_cardinality=True,
            force_synchronous=bool(synchronous), name=name, **described,
        )  # fmt: skip
        return transformed(self, handle, traced.spec, "_MapDataset")
    handle = ParallelMapDatasetV2(
        handle_of(self), traced.captured, as_long(num_parallel_calls, "num_parallel_calls"), f=traced.graph,
        deterministic=order_attr(deterministic), preserve_cardinality=True, name=name,
        use_unbounded_threadpool=use_unbounded_threadpool, **described,
    )  # fmt: skip
    return transformed(self, handle, traced.spec, "_ParallelMapDataset")
