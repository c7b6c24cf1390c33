"""Sources that change the order of elements or open others on the way: shuffle, random, flat_map, interleave."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data.running import INFINITE, UNKNOWN, Element, Run, Source, Wrapping, explain
from graphrt.data.sources import Map
from graphrt.data.threads import Prefetcher
from graphrt.ir.graph import Graph
from graphrt.ops.random.philox import bits

_BLOCK = 256  # random words drawn at once


class Words:
    """32-bit words of a Philox generator with two seeds, one after the other."""

    __slots__ = ("_at", "_counter", "_key", "_words")

    def __init__(self, seed: int, seed2: int) -> None:
        self._key = seed % 2**64
        self._counter = (seed2 % 2**64) << 64
        self._words: list[int] = []
        self._at = 0

    def __call__(self) -> int:
        if self._at == len(self._words):
            size = _BLOCK if self._words else 4
            self._words = bits(self._key, self._counter, size).tolist()
            self._counter += size // 4
            self._at = 0
        word = self._words[self._at]
        self._at += 1
        return word


def _fresh() -> int:
    return int.from_bytes(os.urandom(8), "little")


class Seeds:
    """Gives each iteration its two seeds: always the same, or each time others."""

    __slots__ = ("__weakref__", "_lock", "_words", "reshuffle", "seeds")

    traced_by_type = True

    def __init__(self, seed: int, seed2: int, reshuffle: bool) -> None:
        if seed == 0 and seed2 == 0:
            seed, seed2 = _fresh(), _fresh()
        self.seeds = (seed, seed2)
        self.reshuffle = reshuffle
        self._words = Words(seed, seed2)
        self._lock = threading.Lock()

    def following(self) -> tuple[int, int]:
        """The seeds of the next iteration."""
        if not self.reshuffle:
            return self.seeds
        with self._lock:
            return self._words(), self._words()


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

    def open(self, run: Run) -> Iterator[Element]:
        return self._shuffled(Words(*self.seeds.following()), self.input.open(run))

    def _shuffled(self, word: Words, elements: Iterator[Element]) -> Iterator[Element]:
        size = self.size if self.size > 0 else max(self.input.count(), 1)
        held: list[Any] = []
        for element in elements:
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
                held[first] = next(elements)
            except StopIteration:
                held = held[first + 1 :] + held[:first]
                break
            first = (first + 1) % count
        for start in range(len(held)):
            at = start + word() % (len(held) - start)
            held[start], held[at] = held[at], held[start]
            found, held[start] = held[start], None
            yield found


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


# --- datasets of datasets --------------------------------------------------------------------------------------------
class FlatMap(Map):
    """The elements of the datasets that a function gives for each element, one dataset after the other."""

    __slots__ = ()

    def open(self, run: Run) -> Iterator[Element]:
        function = run.function_of(self.graph, self.captured)
        for index, element in enumerate(self.input.open(run)):
            try:
                (inner,) = function(*element)
            except errors.OpError as error:
                raise explain(error, self.graph, index)  # noqa: B904  the same error
            yield from inner.open(run)

    def count(self) -> int:
        return UNKNOWN


class Interleave(Map):
    """The elements of the datasets that a function gives: `block` of each in turn, `cycle` datasets at a time."""

    __slots__ = ("ahead", "block", "cycle")

    def __init__(
        self, input: Source, graph: Graph, captured: list[Any], cycle: int, block: int, ahead: bool = False
    ) -> None:
        super().__init__(input, graph, captured)
        self.cycle = cycle if cycle > 0 else os.cpu_count() or 1
        self.block = block
        self.ahead = ahead  # whether the datasets are read by threads

    def open(self, run: Run) -> Iterator[Element]:
        function = run.function_of(self.graph, self.captured)
        elements = enumerate(self.input.open(run))
        places: list[Any] = [None] * self.cycle
        at = block = open_places = 0
        more = True
        while more or open_places:
            current = places[at]
            if current is None and more:
                try:
                    index, element = next(elements)
                except StopIteration:
                    more = False
                    continue
                current = places[at] = self._opened(function, index, element, run)
                open_places += 1
            if current is None:
                at = (at + 1) % self.cycle
                continue
            try:
                found = next(current)
            except StopIteration:
                places[at] = None
                open_places -= 1
                block = 0
                at = (at + 1) % self.cycle
                continue
            yield found
            block += 1
            if block == self.block:
                block = 0
                at = (at + 1) % self.cycle

    def _opened(self, function: Any, index: int, element: Element, run: Run) -> Iterator[Element]:
        try:
            (inner,) = function(*element)
        except errors.OpError as error:
            raise explain(error, self.graph, index)  # noqa: B904  the same error
        elements: Iterator[Element] = inner.open(run)
        return Prefetcher(elements, max(self.block, 2), run) if self.ahead else elements

    def count(self) -> int:
        return UNKNOWN
