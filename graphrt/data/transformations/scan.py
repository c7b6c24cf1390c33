"""`Dataset.scan`: elements with a state through a function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.dataset import Dataset, handle_of, transformed
from graphrt.data.declaration import dataset_op
from graphrt.data.failures import Failed, answered, surviving
from graphrt.data.methods import transformation
from graphrt.data.pipeline import UNKNOWN, Called, Run, Source, WithFunction
from graphrt.data.structured_function import trace_state
from graphrt.ir.graph import Graph
from graphrt.tensor.tensor import Tensor
from graphrt.types.nesting import shown


class Scan(WithFunction):
    """Each element, with a state, through a function that gives the next state and an output.

    `stop` is the position, among the outputs, of a flag that says whether to go on after this element; None: always.
    """

    __slots__ = ("counted", "initial", "stop")

    def __init__(
        self,
        input: Source,
        initial: list[Any],
        graph: Graph,
        captured: list[Any],
        stop: int | None = None,
        counted: bool = True,
    ) -> None:
        super().__init__(input, graph, captured)
        self.initial = tuple(initial)
        self.stop = stop
        self.counted = counted

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        function = Called(run, self.graph, self.captured)
        state, width, stop = self.initial, len(self.initial), self.stop
        for answer in answered(self.input.open(run), lambda index, *element: function(index, *state, *element)):
            if type(answer) is Failed:
                yield answer
                continue
            found = answer[2]
            state = found[:width]
            output = found[width:]
            yield output
            if stop is not None and not output[stop]:
                return

    def count(self) -> int:
        return self.input.count() if self.counted and self.stop is None else UNKNOWN


ScanDataset = dataset_op(
    "ScanDataset", "input_dataset: variant, initial_state: Tstate..., other_arguments: Targuments...",
    lambda x, state, extra, *, f, _stop, preserve_cardinality: Scan(
        x, state, f, extra, None if _stop < 0 else _stop, preserve_cardinality
    ),
    "f: func; Tstate: list(type) >= 1; Targuments: list(type); preserve_cardinality: bool = False; "
    "use_default_device: bool = True; _stop: int = -1",
)  # fmt: skip


@transformation
def scan(self: Dataset, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None) -> Dataset:
    """The outputs of `state, output = scan_func(state, element)`, from `initial_state` on.

    >>> import graphrt as tf
    >>> sums = tf.data.Dataset.range(4).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))
    >>> list(sums.as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(3), np.int64(6)]

    Raises:
      TypeError: the function does not give a pair, or a state of another type than the initial one.
    """
    spec, initial = st.to_element(initial_state)

    def pair(result: tuple[Tensor, Tensor]) -> Any:
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise TypeError(
                errors.at_user_line(
                    "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output "
                    f"value but its return type is {type(result).__name__}: {shown(result)}"
                )
            )
        return tuple(result)

    traced, _ = trace_state(scan_func, "scan", spec, self.element_spec, pair, True)
    output = traced.spec[1]
    handle = ScanDataset(
        handle_of(self), initial, traced.captured, f=traced.graph, preserve_cardinality=True, name=name,
        **st.output_attrs(output),
    )  # fmt: skip
    return transformed(self, handle, output, "_ScanDataset")
