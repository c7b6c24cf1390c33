"""`Dataset.window`: stretches of the input as datasets."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from graphrt.data import structure as st
from graphrt.data.arguments import as_flag, as_long
from graphrt.data.dataset import Dataset, DatasetSpec, handle_of, transformed
from graphrt.data.declaration import dataset_op, invalid
from graphrt.data.failures import Failed, guarded, surviving
from graphrt.data.methods import transformation
from graphrt.data.pipeline import Element, Elements, Run, Source, Wrapping
from graphrt.types.likes import Array, PerAxis, TensorLike

if TYPE_CHECKING:
    from graphrt.data.readers.range import Range


class Window(Wrapping):
    """Stretches of the input as datasets: one for each leaf of the elements."""

    __slots__ = ("drop", "shift", "size", "stride", "widths")

    def __init__(self, input: Source, size: int, shift: int, stride: int, drop: bool, widths: list[int]) -> None:
        super().__init__(input)
        self.widths = widths
        self.size, self.shift, self.stride, self.drop = size, shift, stride, drop

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        reach = (self.size - 1) * self.stride + 1
        elements = guarded(self.input.open(run))
        held: deque[Any] = deque(itertools.islice(elements, reach))
        while held and (len(held) == reach or not self.drop):
            window = list(itertools.islice(held, 0, None, self.stride))
            failed = [e for e in window if type(e) is Failed]
            yield failed[0] if failed else self.by_leaf(window)
            for _ in range(min(self.shift, len(held))):
                held.popleft()
            beyond = self.shift - reach
            if beyond > 0:
                next(itertools.islice(elements, beyond, beyond), None)
            held.extend(itertools.islice(elements, reach - len(held)))

    def by_leaf(self, window: list[Element]) -> Element:
        """A dataset for each leaf of the elements: one array of each, or the arrays that a ragged or sparse tensor has."""
        columns = zip(*window)
        widths = self.widths or itertools.repeat(1, len(window[0]))
        parts = [list(itertools.islice(columns, width)) for width in widths]
        return tuple([Elements(list(zip(*part)) if part else [()] * len(window)) for part in parts])

    def count(self) -> int:
        n = self.input.count()
        if n < 0:
            return n
        if not self.drop:
            return -(-n // self.shift)
        reach = (self.size - 1) * self.stride + 1
        return 0 if n < reach else (n - reach) // self.shift + 1


def _window(x: Range, size: Array, shift: Array, stride: Array, drop: Array, *, _widths: list[int]) -> Source:
    for name, value in (("size", size), ("shift", shift), ("stride", stride)):
        if value < 1:
            raise invalid(f"Window {name} must be greater than zero.")
    return Window(x, int(size), int(shift), int(stride), bool(drop), list(_widths))


WindowDataset = dataset_op(
    "WindowDataset",
    "input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool",
    _window,
    "_widths: list(int) = []",
)


@transformation
def window(
    self: Dataset, size: TensorLike, shift: TensorLike | None = None, stride: PerAxis = 1, drop_remainder: bool = False,
    name: str | None = None
) -> Dataset:  # fmt: skip
    """Windows of `size` elements as datasets, which begin `shift` (`size`) apart and take every `stride`-th one.

    >>> import graphrt as tf
    >>> windows = tf.data.Dataset.range(5).window(3, shift=2)
    >>> [[x.item() for x in w.as_numpy_iterator()] for w in windows]
    [[0, 1, 2], [2, 3, 4], [4]]

    Raises:
      InvalidArgumentError: a number is not positive.
    """
    numbers = [as_long(size, "size"), as_long(size if shift is None else shift, "shift"), as_long(stride, "stride")]
    spec = st.map_leaves(DatasetSpec, self.element_spec)
    widths = [len(st.component_specs(leaf)) for leaf in st.walk(self.element_spec)]
    handle = WindowDataset(
        handle_of(self),
        *numbers,
        as_flag(drop_remainder, "drop_remainder"),
        name=name,
        _widths=[] if set(widths) == {1} else widths,
        **st.output_attrs(spec),
    )
    return transformed(self, handle, spec, "_WindowDataset")
