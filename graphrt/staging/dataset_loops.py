"""Loops over datasets and iterators, and the builtins on them, in traced functions.

    for x in dataset:            state = ReduceDataset(dataset, state, f=body)
        s += x              ->

A loop that may end early becomes `ScanDataset`, `TakeWhileDataset` and `ReduceDataset`, as in TensorFlow: the scan runs
the body while the loop's test holds, the others keep the last state. Whatever the number of elements, the body is
traced once. A loop over an iterator becomes a `While`, as it may be one of several that share it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.control_flow.branches import cond, next_number
from graphrt.control_flow.while_loop import check_variables
from graphrt.data import structure as ds_structure
from graphrt.data.dataset import Dataset, variant_of
from graphrt.data.gradients import tell_of_variables
from graphrt.data.iterator import Iterator, make_iterator
from graphrt.data.optional import Optional, OptionalHasValue, OptionalNone
from graphrt.data.structured_function import placeholder_element
from graphrt.data.transformations.reduce import ReduceDataset
from graphrt.data.transformations.scan import ScanDataset
from graphrt.data.transformations.take_while import TakeWhileDataset
from graphrt.ops.io.printing import AssertOp
from graphrt.ops.lists.tensor_array import TensorArray
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import GreaterEqual
from graphrt.ops.math.logical import LogicalOr
from graphrt.staging import loop_stmt
from graphrt.staging.if_stmt import if_stmt
from graphrt.staging.loop_state import ADVICE, Frame, learn
from graphrt.staging.loops_again import Begin, GetState, Options, SetState, traced_again
from graphrt.staging.staged_iterable import StagedIterable
from graphrt.staging.truths import condition_of
from graphrt.tensor.context import building, current_graph, stop_recording
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.func_graph import FuncGraph, encloses
from graphrt.tensor.trace import identity
from graphrt.types.dtype import bool_
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims, dims_of, relax
from graphrt.types.spec import TensorSpec

Names = tuple[str, ...]


class IteratorIterable(StagedIterable):
    """The elements that an iterator still has; one is read ahead, and none after the loop has been left."""

    labels = ["the loop's next element"]

    def __init__(self, iterator: Iterator, go_on: Callable[[], Any] | None = None) -> None:
        self.iterator = iterator
        self.go_on = go_on
        self._first: Any = None
        self._home: Any = None  # the graph in which `_first` was recorded

    def _read(self) -> Any:
        if self.go_on is None:
            return self.iterator.get_next_as_optional().components()[0]
        return cond(
            condition_of(self.go_on), lambda: self.iterator.get_next_as_optional().components()[0],
            lambda: OptionalNone(),
        )  # fmt: skip

    def begin(self) -> list[Any]:
        home, now = self._home, current_graph()
        if home is None or (home is not now and not encloses(now, home)):  # what a trial trace read counts for nothing
            self._first, self._home = self._read(), now
        return [self._first]

    def more(self, own: list[Any]) -> Any:
        return OptionalHasValue(own[0])

    def item(self, own: list[Any]) -> Any:
        return Optional(own[0], self.iterator.element_spec).get_value()

    def following(self, own: list[Any]) -> list[Any]:
        return [self._read()]


def iterable_of(stream: Any) -> StagedIterable:
    """A dataset or an iterator as something that loops and `zip` can walk along with tensors."""
    if isinstance(stream, Dataset):
        stream = make_iterator(variant_of(stream), stream.element_spec)
    return IteratorIterable(stream)


def for_stmt(
    stream: Any, extra_test: Callable[[], Any] | None, body: Callable[[Any], Any], get_state: GetState, set_state: SetState,
    names: Names, opts: Options,
) -> None:  # fmt: skip
    """Records the loop over a dataset or an iterator."""
    if isinstance(stream, Iterator):
        loop = IteratorIterable(stream, extra_test)
        loop_stmt.for_stmt(loop, extra_test, body, get_state, set_state, names, opts)
        return
    before = get_state()

    def once() -> None:
        body(placeholder_element(current_graph(), stream.element_spec))

    learned = learn(once, before, get_state, set_state)
    if any(before[i] is None for i in learned):  # the first iteration is one of its own, so an iterator is needed
        iterator = make_iterator(variant_of(stream), stream.element_spec)
        for_stmt(iterator, extra_test, body, get_state, set_state, names, opts)
        return
    known: list[dict[int, Any]] = [learned]

    def record(rebound: frozenset[int], begin: Begin) -> None:
        learned = known.pop() if known else learn(once, get_state(), get_state, set_state)
        # a node has at least one output: a loop that has nothing but effects carries its flag
        frame = Frame(names, get_state, set_state, opts, learned, rebound, begin, at_least_one=True)
        _Loop(stream, body, frame).record(extra_test)

    traced_again(record, get_state, set_state, names, opts)


class _Relaxed(Exception):
    """An iteration leaves shapes that the loop did not begin with."""

    def __init__(self, shapes: list[Dims]) -> None:
        super().__init__()
        self.shapes = shapes


class _Loop:
    """One loop over a dataset: its state as tensors, and the graphs that change it."""

    def __init__(self, dataset: Dataset, body: Callable[[Any], Any], frame: Frame) -> None:
        self.dataset = dataset
        self.body = body
        self.frame = frame
        self.is_given = [g is not None for g in frame.invariants]
        self._assume([t.dims if g is None else dims_of(g) for t, g in zip(frame.initial, frame.invariants)])

    def _assume(self, shapes: list[Dims]) -> None:
        self.shapes = shapes
        self.specs = [TensorSpec(dims, t.dtype) for dims, t in zip(shapes, self.frame.initial)]

    def record(self, extra_test: Callable[[], Any] | None) -> None:
        """Records the nodes; afterwards the state holds the values after the loop."""
        frame = self.frame
        try:
            found = self._reduce() if extra_test is None else self._scan(extra_test)
        except _Relaxed as relaxed:  # as Dataset.reduce does: a shape that varies is an unknown one
            frame.set_state(frame.before)
            self._assume(relaxed.shapes)
            self.record(extra_test)
            return
        except BaseException:
            frame.set_state(frame.before)
            raise
        frame.leave(found)

    # --- graphs ---
    def _graph(self, method: str) -> FuncGraph:
        graph = FuncGraph(f"__inference_Dataset_{method}_body_{next_number()}")
        graph.collections["dataset_call"] = ("the loop over a dataset", errors.user_location(2))
        return graph

    def _arguments(self, graph: FuncGraph) -> list[Any]:
        """The state as inputs of `graph`."""
        found = []
        for tensor, spec in zip(self.frame.initial, self.specs):
            argument = graph.placeholder(spec.dtype, spec.dims, f"args_{len(graph.inputs)}")
            value = getattr(tensor, "value", None)
            argument.value.info = value.info if value is not None else None
            found.append(argument)
        return found

    def _iteration(self, body: Callable[[], None]) -> list[Any]:
        """The state at the end of an iteration as tensors, checked."""
        found = self.frame.iteration(body)
        shapes = [d if g else relax(d, t.dims) for d, g, t in zip(self.shapes, self.is_given, found)]
        if shapes != self.shapes and len(found) == len(self.frame.initial):
            raise _Relaxed(shapes)
        check_variables(self.frame.initial, self.shapes, found, self.frame.labels, ADVICE)
        return found

    def _finish(self, graph: FuncGraph, tensors: list[Any]) -> None:
        graph.outputs = [identity(graph, convert_to_tensor(t)).value for t in tensors]
        graph.structured_outputs = tuple(tensors)
        graph.finished = True

    # --- the two forms ---
    def _reduce(self) -> list[Any]:
        graph = self._graph("reduce")
        own = self._arguments(graph)
        element = placeholder_element(graph, self.dataset.element_spec)
        with building(graph), stop_recording():
            self.frame.enter(own)
            self._finish(graph, self._iteration(lambda: self.body(element)))
        return self._last_state(variant_of(self.dataset), graph)

    def _last_state(self, handle: Any, graph: FuncGraph) -> list[Any]:
        tell_of_variables(graph)
        found = ReduceDataset(
            handle, self.frame.initial, graph.external_captures, f=graph, output_types=[s.dtype for s in self.specs],
            output_shapes=self.shapes,
        )  # fmt: skip
        for tensor, start in zip(found, self.frame.initial):
            value = getattr(start, "value", None)
            tensor.value.info = value.info if value is not None else None
        return list(found)

    def _scan(self, extra_test: Callable[[], Any]) -> list[Any]:
        graph = self._graph("scan")
        own = self._arguments(graph)
        element = placeholder_element(graph, self.dataset.element_spec)
        with building(graph), stop_recording():
            frame = self.frame
            frame.enter(own)
            holds = condition_of(extra_test)
            after = self._iteration(
                lambda: if_stmt(
                    holds, lambda: self.body(element), lambda: None, frame.get_state, frame.set_state, frame.names,
                    len(frame.names),
                )
            )  # fmt: skip
            if frame.flags:
                after[0] = LogicalOr(own[0], holds)
            again = condition_of(extra_test)
            self._finish(graph, [*after, *after, holds, again])
        specs = [*self.specs, TensorSpec([], bool_), TensorSpec([], bool_)]
        described: dict[str, Any] = {"output_types": [s.dtype for s in specs], "output_shapes": [s.dims for s in specs]}
        tell_of_variables(graph)
        scanned = ScanDataset(
            variant_of(self.dataset), self.frame.initial, graph.external_captures, f=graph, preserve_cardinality=True,
            use_default_device=False, _stop=len(specs) - 1, **described,
        )  # fmt: skip
        kept = TakeWhileDataset(scanned, [], predicate=self._test_graph(specs), **described)
        return self._last_state(kept, self._last_graph(specs))

    def _test_graph(self, specs: list[TensorSpec]) -> FuncGraph:
        """The test of the loop, out of what the scan gives."""
        graph = self._graph("take_while")
        inputs = placeholder_element(graph, tuple(specs))
        with building(graph), stop_recording():
            self._finish(graph, [inputs[-2]])
        return graph

    def _last_graph(self, specs: list[TensorSpec]) -> FuncGraph:
        """The new state, out of the old one and what the scan gives."""
        graph = self._graph("reduce")
        self._arguments(graph)
        inputs = placeholder_element(graph, tuple(specs))
        with building(graph), stop_recording():
            self._finish(graph, list(inputs[: len(self.specs)]))
        return graph


# --- builtins --------------------------------------------------------------------------------------------------------
def enumerate_(stream: Any, start: Any) -> Any:
    """`enumerate` of a dataset; None when it is no dataset."""
    return stream.enumerate(start) if isinstance(stream, Dataset) else None


def zip_(streams: tuple[Any, ...]) -> Any:
    """`zip` of datasets, and of tensors beside them; None when there is an iterator among them."""
    if any(isinstance(s, (Iterator, StagedIterable)) for s in streams):
        return None
    return Dataset.zip(tuple(s if isinstance(s, Dataset) else Dataset.from_tensor_slices(s) for s in streams))


def len_(dataset: Any) -> Any:
    """`len` of a dataset: its cardinality, which must be known when the function runs."""
    if not isinstance(dataset, Dataset):
        raise TypeError(errors.at_user_line("an iterator has no len()"))
    count = dataset.cardinality()
    text = "len requires a dataset whose number of elements is known and finite, found cardinality"
    AssertOp(GreaterEqual(count, 0), [convert_to_tensor(text), count])
    return count


def next_(iterator: Any, *default: Any) -> Any:
    """`next(iterator)`, and with a default that which takes the place of a missing element."""
    if not isinstance(iterator, Iterator):
        raise TypeError(errors.at_user_line(f"{shown(iterator)} is not an iterator: call iter() of it first"))
    if not default:
        return next(iterator)
    found = iterator.get_next_as_optional()
    (otherwise,) = default
    spec, _ = ds_structure.to_element(otherwise) if otherwise is not None else (None, None)
    if spec is None or ds_structure.common_spec(spec, iterator.element_spec) is None:
        raise TypeError(
            errors.at_user_line(
                f"next(iterator, default) in a graph needs a default of the type of the elements, "
                f"{shown(iterator.element_spec)}, found {shown(otherwise)}"
            )
        )
    return cond(found.has_value(), found.get_value, lambda: otherwise)


def elements_of(stream: Any) -> Any:
    """All elements as one tensor.

    Raises:
      TypeError: the elements are structures.
    """
    dataset = stream
    spec = stream.element_spec
    if not isinstance(spec, TensorSpec) or not isinstance(stream, Dataset):
        raise TypeError(errors.at_user_line(f"needs a dataset of single tensors, found {shown(stream)}"))
    array = TensorArray(spec.dtype, size=0, dynamic_size=True, element_shape=spec.shape)
    at = convert_to_tensor(0)
    filled, _ = dataset.reduce((array, at), lambda state, x: (state[0].write(state[1], x), state[1] + 1))
    return filled.stack()


def map_(function: Callable[..., Any], streams: tuple[Any, ...]) -> Any:
    """`map` of a function over datasets; None when there is an iterator among them."""
    zipped = streams[0] if len(streams) == 1 and isinstance(streams[0], Dataset) else zip_(streams)
    return None if zipped is None else zipped.map(function)


def filter_(function: Callable[..., Any] | None, stream: Any) -> Any:
    """`filter` of a dataset."""
    if not isinstance(stream, Dataset):
        raise TypeError(errors.at_user_line("filter() of an iterator cannot be staged: filter the dataset"))
    keep = function if function is not None else lambda x: x
    single = lambda *element: cast(keep(element[0] if len(element) == 1 else element), bool_)
    return stream.filter(single)


def iter_(stream: Any) -> Any:
    """`iter` of a dataset, or of an iterator."""
    return stream if isinstance(stream, Iterator) else make_iterator(variant_of(stream), stream.element_spec)
