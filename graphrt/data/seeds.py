"""Random numbers of a pipeline: words of a generator, and the seeds of its iterations."""

from __future__ import annotations

import os
import threading
from typing import Any

from graphrt import errors
from graphrt.data.arguments import as_flag, as_long, number_of
from graphrt.ir.op import OPAQUE, STATEFUL, define
from graphrt.ops.random.philox import Words
from graphrt.ops.random.sampling_ops import get_seed
from graphrt.tensor.tensor import Tensor
from graphrt.types.shape import compatible

SEEDS = "seed: int64, seed2: int64, seed_generator: resource"


def _fresh() -> int:
    return int.from_bytes(os.urandom(8), "little")


class Seeds:
    """Gives each iteration its two seeds: always the same, or each time others."""

    __slots__ = ("__weakref__", "_lock", "_words", "iterations", "reshuffle", "seeds")

    traced_by_type = True

    def __init__(self, seed: int, seed2: int, reshuffle: bool) -> None:
        if seed == 0 and seed2 == 0:
            seed, seed2 = _fresh(), _fresh()
        self.reshuffle = reshuffle
        self._lock = threading.Lock()
        self.set(seed, seed2, 0)

    def set(self, seed: int, seed2: int, iterations: int) -> None:
        """Goes on as one with these seeds does after some iterations."""
        self.seeds = (seed, seed2)
        self.iterations = iterations
        self._words = Words(seed, seed2)
        self._words.pass_over(2 * iterations)

    def following(self) -> tuple[int, int]:
        """The seeds of the next iteration."""
        if not self.reshuffle:
            return self.seeds
        with self._lock:
            self.iterations += 1
            return self._words(), self._words()


AnonymousSeedGenerator = define(
    "AnonymousSeedGenerator", "seed: int64, seed2: int64, reshuffle: bool -> handle: resource, deleter: variant",
    infer=lambda c: [(), ()], traits=(STATEFUL, OPAQUE),
    kernel=lambda seed, seed2, reshuffle: [Seeds(int(seed), int(seed2), bool(reshuffle)), None],
)  # fmt: skip

DummySeedGenerator = define(
    "DummySeedGenerator", "-> handle: resource", infer=lambda c: (), traits=(STATEFUL, OPAQUE), kernel=lambda: None,
)  # fmt: skip
"""What stands in graphs that have no generator beside their seeds."""


def seeds_of(seed: Any, again: bool) -> tuple[list[Any], Any]:
    """The two seeds of a random transformation as tensors, and the generator of the seeds of its iterations."""
    if isinstance(seed, Tensor):
        given = as_long(seed, "seed")
        if not compatible(given.dims, ()):
            raise ValueError(errors.at_user_line(f"seed must be one number, found a tensor of shape {seed.shape}"))
        seed = number_of(given)
        if seed is None:
            pair: list[Any] = [as_long(0, "seed"), given]
            return pair, AnonymousSeedGenerator(*pair, as_flag(again, "reshuffle"))[0]
    first, second = get_seed(None if seed is None else int(seed))
    pair = [as_long(first, "seed"), as_long(second, "seed2")]
    return pair, AnonymousSeedGenerator(*pair, as_flag(again, "reshuffle"))[0]
