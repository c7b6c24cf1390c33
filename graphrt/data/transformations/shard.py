"""`Dataset.shard`: every n-th element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from graphrt.data.arguments import as_long
from graphrt.data.dataset import Dataset, same_elements
from graphrt.data.declaration import dataset_op, invalid
from graphrt.data.methods import T, transformation
from graphrt.data.pipeline import Element, Run, Source, Wrapping
from graphrt.data.transformations.skip import Behind
from graphrt.types.likes import Array, TensorLike

if TYPE_CHECKING:
    from graphrt.data.readers.range import Range


class Shard(Wrapping):
    """Every `shards`-th element, beginning with number `index`."""

    __slots__ = ("index", "shards")

    def __init__(self, input: Source, shards: int, index: int) -> None:
        super().__init__(input)
        self.shards = shards
        self.index = index

    def open(self, run: Run) -> Iterator[Element]:
        return Behind(self.input.open(run), self.index, self.shards - 1)

    def count(self) -> int:
        n = self.input.count()
        return n if n < 0 else n // self.shards + (1 if self.index < n % self.shards else 0)


def _shard(x: Range, shards: Array, index: Array) -> Source:
    if shards < 1:
        raise invalid(f"Number of shards must be greater than zero (currently num_shards = {shards}).")
    if index < 0 or index >= shards:
        raise invalid(f"Index must be between 0 and {shards - 1} (currently index = {index}).")
    return Shard(x, int(shards), int(index))


ShardDataset = dataset_op(
    "ShardDataset", "input_dataset: variant, num_shards: int64, index: int64", _shard, "require_non_empty: bool = False"
)


@transformation
def shard(self: Dataset[T], num_shards: TensorLike, index: TensorLike, name: str | None = None) -> Dataset[T]:
    """Every `num_shards`-th element, beginning with number `index`.

    >>> import graphrt as tf
    >>> [x.item() for x in tf.data.Dataset.range(7).shard(3, 1).as_numpy_iterator()]
    [1, 4]

    Raises:
      InvalidArgumentError: the index is not below the number of shards.
    """
    numbers = [as_long(num_shards, "num_shards"), as_long(index, "index")]
    return same_elements(self, ShardDataset, "_ShardDataset", *numbers, name=name)
