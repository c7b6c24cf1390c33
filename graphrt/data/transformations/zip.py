"""`Dataset.zip`: elements of several datasets side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.dataset import Dataset, handle_of, put_together
from graphrt.data.declaration import dataset_op
from graphrt.data.methods import source
from graphrt.data.pipeline import INFINITE, UNKNOWN, Element, Run, Source
from graphrt.data.stretches import side_by_side


class _Zipped:
    __slots__ = ("_nexts", "_parts")

    def __init__(self, parts: list[Iterator[Element]]) -> None:
        self._nexts = [p.__next__ for p in parts]

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Element:
        element: Element = ()
        failed: Exception | None = None
        for following in self._nexts:
            try:
                element += following()
            except StopIteration:
                raise
            except Exception as error:  # the others go on, too: what belongs together stays together
                failed = failed or error
        if failed is not None:
            try:
                raise failed
            finally:
                del failed  # its traceback holds this frame
        return element


class Zip(Source):
    """Elements of several inputs side by side; as long as the shortest."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[Source]) -> None:
        self.parts = parts

    def inputs(self) -> tuple[Source, ...]:
        return tuple(self.parts)

    def stretches(self) -> Iterator[Element] | None:
        parts = [p.stretches() for p in self.parts]
        known = [p for p in parts if p is not None]
        return side_by_side(known) if len(known) == len(parts) else None

    def open(self, run: Run) -> Iterator[Element]:
        return _Zipped([p.open(run) for p in self.parts])

    def count(self) -> int:
        counts = [p.count() for p in self.parts]
        if UNKNOWN in counts:
            return UNKNOWN
        finite = [c for c in counts if c != INFINITE]
        return min(finite) if finite else INFINITE


ZipDataset = dataset_op("ZipDataset", "input_datasets: N * variant", Zip, "N: int >= 1")


@source
def zip_(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
    """Elements of several datasets side by side, as long as the shortest: `zip(a, b)`, or `zip({"x": a, "y": b})`.

    >>> import graphrt as tf
    >>> a, b = tf.data.Dataset.range(2), tf.data.Dataset.range(5, 9)
    >>> [(x.item(), y.item()) for x, y in tf.data.Dataset.zip(a, b).as_numpy_iterator()]
    [(0, 5), (1, 6)]

    Raises:
      TypeError: something is no dataset.
    """
    if not args and datasets is None:
        raise TypeError(errors.at_user_line("Must pass at least one dataset to `zip`."))
    if args and datasets is not None:
        raise TypeError(errors.at_user_line("Both `*args` and `datasets` cannot be set."))
    given = datasets if datasets is not None else args[0] if len(args) == 1 else args
    parts = list(st.walk(given))
    for part in parts:
        if not isinstance(part, Dataset):
            listed = " Nested lists are not supported. Try using a tuple instead." if isinstance(part, list) else ""
            raise TypeError(
                errors.at_user_line(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` "
                    f"objects but encountered object of type {type(part)}.{listed}"
                )
            )
    spec = st.map_leaves(lambda part: part.element_spec, given)
    handle = ZipDataset([handle_of(p) for p in parts], name=name, **st.output_attrs(spec))
    return put_together(parts, handle, spec, "_ZipDataset")
