"""`progress`: how far a loop has come, told on standard error."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from autograph.backends import Progress
from graphrt.types.nesting import shown

_Item = TypeVar("_Item")


class Told(Generic[_Item]):
    """What `progress` gives: the same items, in a loop that is told."""

    def __init__(self, items: Iterable[_Item], description: str, total: int | None) -> None:
        self._items = items
        self.description = description
        self.total = total

    def __iter__(self) -> Iterator[_Item]:
        with Progress(self.description, self.total, "items", after=0.5) as progress:
            for item in self._items:
                yield item
                progress.step()

    def __len__(self) -> int:
        if self.total is None:
            raise TypeError("how many items there are is not known")
        return self.total


def progress(items: Iterable[_Item], description: str = "going on", total: int | None = None) -> Told[_Item]:
    """The items of a dataset, or of another iterable, with a word on standard error of how many are done, how fast, and how
    long the rest takes.

    Nothing is said where standard error is no terminal, or with `GRAPHRT_PROGRESS=0`. With the extra `graphrt[progress]`
    tqdm draws the bar. For loops of Python: a dataset that is gone over in a traced function is one node of a graph.

    >>> import graphrt as tf
    >>> [n.numpy().item() for n in tf.progress(tf.data.Dataset.range(3), "reading")]
    [0, 1, 2]
    >>> len(tf.progress([1, 2]))
    2

    Args:
      items: what is gone over.
      description: what is done with them, such as "reading".
      total: how many there are, where `items` does not know: neither by `len` nor by `cardinality`.

    Raises:
      TypeError: `items` cannot be gone over, or `total` is no number.
      ValueError: `total` is negative.
    """
    if not hasattr(items, "__iter__") and not hasattr(items, "__getitem__"):
        raise TypeError(f"expected a dataset or another iterable, found {shown(items)}")
    if total is not None and operator.index(total) < 0:
        raise ValueError(f"expected how many items there are, found total={total}")
    return Told(items, description, _count(items) if total is None else total)


def _count(items: object) -> int | None:
    """How many items there are; None where nobody knows."""
    cardinality = getattr(items, "cardinality", None)
    if callable(cardinality):
        found = int(cardinality())
        return found if found >= 0 else None
    try:
        return len(items)  # type: ignore[arg-type]  # what has none says so
    except TypeError:
        return None
