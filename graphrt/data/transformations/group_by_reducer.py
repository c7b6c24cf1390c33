"""`group_by_reducer`: the elements of each key folded into one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.dataset import Dataset, Transformation, handle_of
from graphrt.data.declaration import READING, dataset_op
from graphrt.data.failures import Failed, answered, surviving
from graphrt.data.pipeline import UNKNOWN, Called, Element, Run, Source, Wrapping
from graphrt.data.structured_function import trace, trace_state
from graphrt.ir.graph import Graph
from graphrt.types.dtype import int64
from graphrt.types.spec import TensorSpec


class GroupByReducer(Wrapping):
    """Elements of one key folded into one state, which a last function turns into an element."""

    __slots__ = ("final", "initial", "key", "reduce")

    def __init__(
        self, input: Source, key: tuple[Graph, list[Any]], initial: tuple[Graph, list[Any]],
        reduce: tuple[Graph, list[Any]], final: tuple[Graph, list[Any]],
    ) -> None:  # fmt: skip
        super().__init__(input)
        self.key, self.initial, self.reduce, self.final = key, initial, reduce, final

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        key_of, begin = Called(run, *self.key), Called(run, *self.initial)
        step, finish = Called(run, *self.reduce), Called(run, *self.final)
        states: dict[int, Element] = {}

        def grouped(index: int, *element: Any) -> None:
            key = int(key_of(index, *element)[0])
            if key not in states:
                states[key] = begin(index, np.int64(key))
            states[key] = step(index, *states[key], *element)

        for answer in answered(self.input.open(run), grouped):
            if type(answer) is Failed:
                yield answer
        for answer in answered(iter([states[key] for key in sorted(states)]), finish):
            yield answer if type(answer) is Failed else answer[2]

    def count(self) -> int:
        return UNKNOWN


GroupByReducerDataset = dataset_op(
    "GroupByReducerDataset",
    "input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments..., init_func_other_arguments: "
    "Tinit_func_other_arguments..., reduce_func_other_arguments: Treduce_func_other_arguments..., "
    "finalize_func_other_arguments: Tfinalize_func_other_arguments...",
    lambda x, a, b, c, d, *, key_func, init_func, reduce_func, finalize_func: GroupByReducer(
        x, (key_func, a), (init_func, b), (reduce_func, c), (finalize_func, d)
    ),
    "key_func: func; init_func: func; reduce_func: func; finalize_func: func; Tkey_func_other_arguments: list(type); "
    "Tinit_func_other_arguments: list(type); Treduce_func_other_arguments: list(type); "
    "Tfinalize_func_other_arguments: list(type)",
    READING, metadata=False,
)  # fmt: skip


class Reducer:
    """Three functions for `group_by_reducer`: the first state of a key, a step, and what the last state becomes.

    >>> import graphrt as tf
    >>> count = tf.data.experimental.Reducer(
    ...     init_func=lambda key: tf.constant(0, tf.int64), reduce_func=lambda n, x: n + 1, finalize_func=lambda n: n)
    >>> ds = tf.data.Dataset.range(5).apply(tf.data.experimental.group_by_reducer(lambda x: x % 2, count))
    >>> list(ds.as_numpy_iterator())
    [np.int64(3), np.int64(2)]
    """

    def __init__(
        self, init_func: Callable[..., Any], reduce_func: Callable[..., Any], finalize_func: Callable[..., Any]
    ) -> None:
        self.init_func = init_func
        self.reduce_func = reduce_func
        self.finalize_func = finalize_func


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """Folds the elements of each key (an int64 scalar) into one.

    >>> import graphrt as tf
    >>> e = tf.data.experimental
    >>> reducer = e.Reducer(lambda key: tf.constant(0, tf.int64), lambda s, x: s + x, lambda s: s)
    >>> sums = tf.data.Dataset.range(5).apply(e.group_by_reducer(lambda x: x % 2, reducer))
    >>> list(sums.as_numpy_iterator())
    [np.int64(6), np.int64(4)]

    Raises:
      ValueError: the key is no int64 scalar.
      TypeError: the state changes its type.
    """

    def transformation(dataset: Dataset) -> Dataset:
        key = trace(key_func, "group_by_reducer", [dataset.element_spec])
        if key.spec != TensorSpec([], int64):
            raise ValueError(
                errors.at_user_line(
                    f"Invalid `key_func`. Expected it to return a scalar tf.int64 tensor, but it returns {key.spec!r}"
                )
            )
        initial = trace(reducer.init_func, "group_by_reducer", [TensorSpec([], int64)])
        step, state = trace_state(
            reducer.reduce_func, "group_by_reducer", initial.spec, dataset.element_spec, lambda s: s
        )
        last = trace(reducer.finalize_func, "group_by_reducer", [state])
        handle = GroupByReducerDataset(
            handle_of(dataset), key.captured, initial.captured, step.captured, last.captured, key_func=key.graph,
            init_func=initial.graph, reduce_func=step.graph, finalize_func=last.graph, **st.output_attrs(last.spec),
        )  # fmt: skip
        return Dataset(handle, last.spec, "_GroupByReducerDataset")

    return transformation
