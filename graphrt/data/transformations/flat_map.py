"""`Dataset.flat_map`: the elements of datasets, one dataset after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from graphrt.data import structure as st
from graphrt.data.dataset import Dataset, handle_of, transformed
from graphrt.data.declaration import INPUT, dataset_op
from graphrt.data.failures import answered, each, guarded, surviving
from graphrt.data.methods import transformation
from graphrt.data.pipeline import UNKNOWN, Called, Run, WithFunction
from graphrt.data.structured_function import inner_source, inner_spec, trace


class FlatMap(WithFunction):
    """The elements of the datasets that a function gives for each element, one dataset after the other."""

    __slots__ = ()

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        function = Called(run, self.graph, self.captured)
        inner = answered(self.input.open(run), lambda *given: inner_source(function(*given)))
        return each(inner, lambda answer: guarded(answer[2].open(run)))

    def count(self) -> int:
        return UNKNOWN


FlatMapDataset = dataset_op(
    "FlatMapDataset", INPUT, lambda x, extra, *, f: FlatMap(x, f, extra), "f: func; Targuments: list(type)"
)


@transformation
def flat_map(self: Dataset, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
    """The elements of the datasets that `map_func` gives, one dataset after the other.

    >>> import graphrt as tf
    >>> nested = tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]])
    >>> list(nested.flat_map(tf.data.Dataset.from_tensor_slices).as_numpy_iterator())
    [np.int32(1), np.int32(2), np.int32(3), np.int32(4)]

    Raises:
      TypeError: the function does not give a dataset.
    """
    traced = trace(map_func, "flat_map", [self.element_spec])
    spec = inner_spec(traced, "flat_map")
    handle = FlatMapDataset(handle_of(self), traced.captured, f=traced.graph, name=name, **st.output_attrs(spec))
    return transformed(self, handle, spec, "_FlatMapDataset")
