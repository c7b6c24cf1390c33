"""`Dataset.shuffle`: elements in random order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from graphrt.data.arguments import as_long
from graphrt.data.dataset import Dataset, same_elements
from graphrt.data.declaration import READING, dataset_op, invalid
from graphrt.data.failures import Failed, guarded, surviving
from graphrt.data.methods import T, transformation
from graphrt.data.pipeline import Run, Source, Wrapping
from graphrt.data.seeds import SEEDS, Seeds, seeds_of
from graphrt.ops.random.philox import Words
from graphrt.types.likes import Array, TensorLike

if TYPE_CHECKING:
    from graphrt.data.readers.range import Range


class Shuffle(Wrapping):
    """The elements in random order: each time one of a buffer that is filled up again."""

    __slots__ = ("seeds", "size")

    repeats_itself = True

    def __init__(self, input: Source, size: int, seeds: Seeds) -> None:
        super().__init__(input)
        self.size = size
        self.seeds = seeds

    def pass_over(self) -> None:
        self.seeds.following()
        self.input.pass_over()

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        return self._shuffled(Words(*self.seeds.following()), guarded(self.input.open(run)))

    def _shuffled(self, word: Words, elements: Iterator[Any]) -> Iterator[Any]:
        size = self.size if self.size > 0 else max(self.input.count(), 1)
        held: list[Any] = []
        for element in elements:
            if type(element) is Failed:
                yield element
                continue
            held.append(element)
            if len(held) == size:
                break
        first = 0  # `held` is a ring: the oldest stands here
        exhausted = len(held) < size
        while True:
            count = len(held)
            if exhausted:
                break
            at = (first + word() % count) % count
            held[first], held[at] = held[at], held[first]
            yield held[first]
            try:
                while type(element := next(elements)) is Failed:
                    yield element
                held[first] = element
            except StopIteration:
                held = held[first + 1 :] + held[:first]
                break
            first = (first + 1) % count
        for start in range(len(held)):
            at = start + word() % (len(held) - start)
            held[start], held[at] = held[at], held[start]
            found, held[start] = held[start], None
            yield found


def _shuffle(x: Range, size: Array, seed: Array, seed2: Array, seeds: Seeds | None) -> Source:
    if size < 1 and size != -2:
        raise invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
    return Shuffle(x, int(size), seeds or Seeds(int(seed), int(seed2), True))


ShuffleDatasetV3 = dataset_op(
    "ShuffleDatasetV3", f"input_dataset: variant, buffer_size: int64, {SEEDS}", _shuffle,
    "reshuffle_each_iteration: bool = True", READING,
)  # fmt: skip


@transformation
def shuffle(
    self: Dataset[T],
    buffer_size: TensorLike,
    seed: int | None = None,
    reshuffle_each_iteration: bool | None = True,
    name: str | None = None,
) -> Dataset[T]:
    """The elements in random order: each time one of `buffer_size` that wait.

    With a `seed` the order is always the same, iteration by iteration; each iteration has another one unless
    `reshuffle_each_iteration` is False.

    >>> import graphrt as tf
    >>> a, b = (list(tf.data.Dataset.range(9).shuffle(9, seed=1).as_numpy_iterator()) for _ in range(2))
    >>> a == b, sorted(a) == list(range(9))
    (True, True)

    Raises:
      InvalidArgumentError: the size is not positive.
    """
    again = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
    seeds, generator = seeds_of(seed, again)
    return same_elements(
        self, ShuffleDatasetV3, "_ShuffleDataset", as_long(buffer_size, "buffer_size"), *seeds, generator,
        reshuffle_each_iteration=again, name=name,
    )  # fmt: skip
