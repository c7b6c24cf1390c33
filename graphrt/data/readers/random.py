"""`Dataset.random`: random numbers without end."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from graphrt.data import structure as st
from graphrt.data.dataset import Dataset
from graphrt.data.declaration import READING, dataset_op
from graphrt.data.methods import source
from graphrt.data.pipeline import INFINITE, Element, Run, Source
from graphrt.data.seeds import SEEDS, Seeds, seeds_of
from graphrt.ops.random.philox import Words
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import int64
from graphrt.types.spec import TensorSpec


class Random(Source):
    """Random 32-bit numbers as int64 scalars, without end."""

    __slots__ = ("seeds",)

    def __init__(self, seeds: Seeds) -> None:
        self.seeds = seeds

    def pass_over(self) -> None:
        self.seeds.following()

    def open(self, run: Run) -> Iterator[Element]:
        return self._numbers(Words(*self.seeds.following()))

    @staticmethod
    def _numbers(word: Words) -> Iterator[Element]:
        while True:
            yield (np.int64(word()),)

    def count(self) -> int:
        return INFINITE


RandomDatasetV2 = dataset_op(
    "RandomDatasetV2", SEEDS, lambda seed, seed2, seeds, *, rerandomize_each_iteration: Random(
        seeds or Seeds(int(seed), int(seed2), rerandomize_each_iteration)
    ),
    "rerandomize_each_iteration: bool = False", READING,
)  # fmt: skip


@source
def random(
    seed: int | None = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
) -> Dataset[Tensor]:
    """Random numbers from 0 to 2**32 - 1, as int64 scalars, without end.

    >>> import graphrt as tf
    >>> a, b = (list(tf.data.Dataset.random(seed=4).take(3).as_numpy_iterator()) for _ in range(2))
    >>> a == b
    True
    """
    again = bool(rerandomize_each_iteration)
    seeds, generator = seeds_of(seed, again)
    spec = TensorSpec([], int64)
    handle = RandomDatasetV2(*seeds, generator, rerandomize_each_iteration=again, name=name, **st.output_attrs(spec))
    return Dataset(handle, spec, "_RandomDataset")
