"""`Dataset.group_by_window`: elements of one key collected into windows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.arguments import as_long
from graphrt.data.dataset import Dataset, DatasetSpec, handle_of, transformed
from graphrt.data.declaration import dataset_op
from graphrt.data.failures import Failed, each, guarded, surviving
from graphrt.data.methods import transformation
from graphrt.data.pipeline import INFINITE, UNKNOWN, Called, Element, Elements, Run, Source, Wrapping
from graphrt.data.structured_function import check_key, inner_spec, trace
from graphrt.ir.graph import Graph
from graphrt.types.dtype import int64
from graphrt.types.likes import TensorLike
from graphrt.types.spec import TensorSpec


def _positive(size: int) -> int:
    if size <= 0:
        raise errors.InvalidArgumentError(None, None, f"Window size must be greater than zero, but got {size}.")
    return size


def _of_group(reduced: Called, index: int, key: int, group: list[Element], run: Run) -> Iterator[Any]:
    try:
        (inner,) = reduced(index, np.int64(key), Elements(group))
    except errors.OpError as error:
        yield Failed(error)
        return
    yield from guarded(inner.open(run))


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

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        key_of, reduced, size_of = Called(run, *self.key), Called(run, *self.reduce), Called(run, *self.size)
        groups: dict[int, list[Element]] = {}
        sizes: dict[int, int] = {}
        index = -1

        def full(element: Element) -> Iterator[Any]:
            nonlocal index
            index += 1
            try:
                key = int(key_of(index, *element)[0])
                if key not in sizes:
                    sizes[key] = _positive(int(size_of(index, np.int64(key))[0]))
            except errors.OpError as error:
                yield Failed(error)
                return
            group = groups.setdefault(key, [])
            group.append(element)
            if len(group) == sizes[key]:
                del groups[key], sizes[key]
                yield from _of_group(reduced, index, key, group, run)

        yield from each(guarded(self.input.open(run)), full)
        for key in sorted(groups):
            yield from _of_group(reduced, index, key, groups[key], run)

    def count(self) -> int:
        n = self.input.count()
        return n if n == INFINITE else UNKNOWN


_GROUP = (
    "key_func_other_arguments: Tkey_func_other_arguments..., reduce_func_other_arguments: "
    "Treduce_func_other_arguments..., window_size_func_other_arguments: Twindow_size_func_other_arguments..."
)
GroupByWindowDataset = dataset_op(
    "GroupByWindowDataset", f"input_dataset: variant, {_GROUP}",
    lambda x, a, b, c, *, key_func, reduce_func, window_size_func: GroupByWindow(
        x, (key_func, a), (reduce_func, b), (window_size_func, c)
    ),
    "key_func: func; reduce_func: func; window_size_func: func; Tkey_func_other_arguments: list(type); "
    "Treduce_func_other_arguments: list(type); Twindow_size_func_other_arguments: list(type)",
)  # fmt: skip


@transformation
def group_by_window(
    self: Dataset, key_func: Callable[..., Any], reduce_func: Callable[..., Any], window_size: TensorLike | None = None,
    window_size_func: Callable[..., Any] | None = None, name: str | None = None,
) -> Dataset:  # fmt: skip
    """Collects elements of the same key (an int64 scalar); each window goes through `reduce_func(key, dataset)`.

    >>> import graphrt as tf
    >>> odd_even = tf.data.Dataset.range(6).group_by_window(
    ...     lambda x: x % 2, lambda key, window: window.batch(3), window_size=3)
    >>> [x.tolist() for x in odd_even.as_numpy_iterator()]
    [[0, 2, 4], [1, 3, 5]]

    Raises:
      ValueError: not exactly one of `window_size` and `window_size_func` is given, or the key is no int64 scalar.
    """
    if (window_size is None) == (window_size_func is None):
        raise ValueError(
            errors.at_user_line(
                "Either the `window_size` argument or the `window_size_func` argument must be specified."
            )
        )
    key_spec = TensorSpec([], int64)
    key = trace(key_func, "group_by_window", [self.element_spec])
    check_key(key, "key_func")
    reduce = trace(reduce_func, "group_by_window", [key_spec, DatasetSpec(self.element_spec)])
    spec = inner_spec(reduce, "group_by_window")
    size_func = window_size_func or (lambda _: as_long(window_size, "window_size"))
    size = trace(size_func, "group_by_window", [key_spec], finish=lambda v: as_long(v, "window_size"))
    handle = GroupByWindowDataset(
        handle_of(self), key.captured, reduce.captured, size.captured, key_func=key.graph,
        reduce_func=reduce.graph, window_size_func=size.graph, name=name, **st.output_attrs(spec),
    )  # fmt: skip
    return transformed(self, handle, spec, "_GroupByWindowDataset")
