"""`Dataset.prefetch`: elements made ahead by a thread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrt.data.arguments import as_long
from graphrt.data.dataset import AUTOTUNE, Dataset, same_elements
from graphrt.data.declaration import dataset_op, invalid
from graphrt.data.methods import T, transformation
from graphrt.data.parallel import AHEAD, Prefetcher
from graphrt.data.pipeline import Element, Run, Source, Wrapping
from graphrt.types.likes import Array, TensorLike

if TYPE_CHECKING:
    from graphrt.data.readers.range import Range
    from graphrt.data.transformations.map import Map


class Prefetch(Wrapping):
    """The input, read ahead by a thread."""

    __slots__ = ("size",)

    def __init__(self, input: Source, size: int) -> None:
        super().__init__(input)
        self.size = size

    def open(self, run: Run) -> Iterator[Element]:
        if self.size == 0:
            return self.input.open(run)
        return Prefetcher(self.input.open(run), self.size if self.size > 0 else AHEAD, run)


def _prefetch(x: Map | Range, size: Array) -> Source:
    if size < 0 and size != -1:
        raise invalid(f"buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning, found {size}")
    return Prefetch(x, int(size))


PrefetchDataset = dataset_op(
    "PrefetchDataset", "input_dataset: variant, buffer_size: int64", _prefetch,
    "slack_period: int = 0; legacy_autotune: bool = True; buffer_size_min: int = 0",
)  # fmt: skip


@transformation
def prefetch(self: Dataset[T], buffer_size: TensorLike, name: str | None = None) -> Dataset[T]:
    """The elements, up to `buffer_size` (AUTOTUNE: a few) of which are made ahead, on a thread.

    >>> import graphrt as tf
    >>> list(tf.data.Dataset.range(2).prefetch(tf.data.AUTOTUNE).as_numpy_iterator())
    [np.int64(0), np.int64(1)]

    Raises:
      InvalidArgumentError: the size is negative.
    """
    size = as_long(AUTOTUNE if buffer_size is None else buffer_size, "buffer_size")
    return same_elements(self, PrefetchDataset, "_PrefetchDataset", size, name=name)
