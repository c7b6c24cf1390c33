"""`Dataset.reduce`: elements folded into a state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.autodiff.backprop import PREPARED
from graphrt.autodiff.backward_graphs import run_traced
from graphrt.data import structure as st
from graphrt.data.dataset import Dataset, handle_of
from graphrt.data.declaration import DESCRIBED, METADATA, as_declared, described_dims
from graphrt.data.folding import Fold, over_stretches
from graphrt.data.gradients import in_one_node, reduce_gradient, tell_of_variables
from graphrt.data.methods import transformation
from graphrt.data.pipeline import Element, Source, explain, function_of, iterate
from graphrt.data.stretches import Stretches, one_by_one
from graphrt.data.structured_function import trace_state
from graphrt.ir.graph import Graph
from graphrt.ir.op import GROWS, OPAQUE, STATEFUL, TAKES_NONE, define
from graphrt.tensor.context import current_graph, recorders
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike

if TYPE_CHECKING:
    from graphrt.tensor.func_graph import FuncGraph
    from graphrt.types.dtype import DType


def last_state(
    elements: Iterator[Element],
    initial: list[Any],
    graph: Graph,
    captured: list[Any],
    stop: int | None = None,
    first: int = 0,
) -> tuple[Any, ...]:
    """The last state of `state = function(state, element)`.

    `stop` is the position of a flag in the state that says whether to go on after an element; None: always. `first` is
    the number of the first element.
    """
    function = function_of(graph, captured)
    state = tuple(initial)
    for index, element in enumerate(elements, first):
        try:
            state = function(*state, *element)
        except errors.OpError as error:
            raise explain(error, graph, index)  # noqa: B904  the same error
        if stop is not None and not state[stop]:
            break
    return state


def _folded(
    stretches: Stretches, fold: Fold, state: list[Any], extra: list[Any], graph: FuncGraph, stop: int
) -> list[Any]:
    done = 0
    for stretch in stretches:
        count = len(stretch[0])
        try:
            found = list(fold(np.int32(count), *state, *stretch, *extra))
        except errors.OpError:  # again, one by one: that tells for which element
            elements = one_by_one(iter([stretch]))
            found = list(last_state(elements, state, graph, extra, None if stop < 0 else stop, done))
        state, done = found, done + count
        if stop >= 0 and not state[stop]:
            break
    return state


def _reduce(
    dataset: Source, state: list[Any], extra: list[Any], *, f: FuncGraph, output_types: list[DType], _stop: int
) -> list[Any]:
    fold = over_stretches(f, len(state), len(extra), _stop)
    stretches = None if fold is None else dataset.stretches()
    if fold is not None and stretches is not None:
        return as_declared(_folded(stretches, fold, state, extra, f, _stop), output_types)
    run, elements = iterate(dataset)
    try:
        return as_declared(last_state(elements, state, f, extra, None if _stop < 0 else _stop), output_types)
    finally:
        del elements
        run.close()


ReduceDataset = define(
    "ReduceDataset",
    "input_dataset: variant, initial_state: Tstate..., other_arguments: Targuments... -> components: output_types...",
    attrs=f"f: func; Tstate: list(type) >= 1; Targuments: list(type); {DESCRIBED}; use_inter_op_parallelism: bool = True; "
    f"{METADATA}; _stop: int = -1",
    infer=described_dims, kernel=_reduce, vjp=reduce_gradient,
    traits=(STATEFUL, OPAQUE, GROWS, TAKES_NONE),
)  # fmt: skip
PREPARED[ReduceDataset] = in_one_node


@transformation
def reduce(
    self: Dataset, initial_state: TensorLike, reduce_func: Callable[..., Any], name: str | None = None
) -> Tensor:
    """The last state of `state = reduce_func(state, element)`, from `initial_state` on.

    >>> import graphrt as tf
    >>> tf.data.Dataset.range(5).reduce(tf.constant(0, tf.int64), lambda total, x: total + x).numpy()
    np.int64(10)

    Raises:
      TypeError: the function gives another structure or other dtypes than those of the initial state.
    """
    spec, initial = st.to_element(initial_state)
    traced, spec = trace_state(reduce_func, "reduce", spec, self.element_spec, lambda s: s)
    tell_of_variables(traced.graph)
    attrs = {"f": traced.graph, "name": name, **st.output_attrs(spec)}
    watched = any(tape.is_watching(t) for tape in recorders() for t in (*initial, *traced.captured))
    if current_graph() is not None or not watched:
        found = ReduceDataset(handle_of(self), initial, traced.captured, **attrs)
        return st.from_components(spec, found)
    many = len(initial)

    def compute(tensors: list[Any]) -> list[Any]:
        return list(ReduceDataset(tensors[0], tensors[1 : 1 + many], tensors[1 + many :], **attrs))

    found = run_traced(compute, [handle_of(self), *initial, *traced.captured], "reduce")
    return st.from_components(spec, found)
