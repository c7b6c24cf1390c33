"""`Dataset.cache`: elements kept in memory or in a file."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from graphrt.data.arguments import as_text
from graphrt.data.array_files import read_arrays, write_array
from graphrt.data.dataset import Dataset, same_elements
from graphrt.data.declaration import READING, dataset_op
from graphrt.data.failures import Failed, guarded, surviving
from graphrt.data.methods import T, transformation
from graphrt.data.pipeline import Element, Run, Source, Wrapping
from graphrt.data.readers.files import names_of
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OPAQUE, STATEFUL, FileAccess, define
from graphrt.ops.io.files import local_path, told
from graphrt.ops.io.whole_files import regular, replaced
from graphrt.types.dtype import DType
from graphrt.types.likes import Array, PathLike

if TYPE_CHECKING:
    from graphrt.data.readers.range import Range
    from graphrt.data.transformations.take import Take


class MemoryCache:
    """Where the elements of a `cache()` are kept once they have all been seen."""

    __slots__ = ("__weakref__", "elements", "lock")

    traced_by_type = True

    def __init__(self) -> None:
        self.elements: list[Element] | None = None
        self.lock = threading.Lock()


class Cache(Wrapping):
    """The input, kept after it has been read to its end."""

    __slots__ = ("cache",)

    def __init__(self, input: Source, cache: MemoryCache) -> None:
        super().__init__(input)
        self.cache = cache

    def pass_over(self) -> None:
        if self.cache.elements is None:
            self.input.pass_over()

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        kept = self.cache.elements
        if kept is not None:
            yield from kept
            return
        seen: list[Element] = []
        for element in guarded(self.input.open(run)):
            if type(element) is not Failed:
                seen.append(element)
            yield element
        self.cache.elements = seen


class FileCache(Wrapping):
    """The input, kept in a file after it has been read to its end, for this process and those to come."""

    __slots__ = ("dtypes", "name")

    def __init__(self, input: Source, name: str, dtypes: list[DType]) -> None:
        super().__init__(input)
        self.name = name
        self.dtypes = dtypes

    @surviving
    def open(self, run: Run) -> Iterator[Any]:
        data = f"{self.name}.data-00000-of-00001"
        if os.path.exists(f"{self.name}.index"):
            with open(data, "rb", opener=regular) as file:
                while element := read_arrays(file, self.dtypes):
                    yield element
            return
        try:  # the input's own errors are elements
            yield from self._written(run, data)
        except OSError as error:
            raise told(error, data) from None

    def _written(self, run: Run, data: str) -> Iterator[Any]:
        count = 0
        with replaced(data) as made:  # nothing is kept of an input that is not read to its end
            for element in guarded(self.input.open(run)):
                if type(element) is not Failed:
                    for value in element:
                        write_array(made, value)
                    count += 1
                yield element
        with replaced(f"{self.name}.index") as index:
            index.write(f"{count}\n".encode())


AnonymousMemoryCache = define(
    "AnonymousMemoryCache", "-> handle: resource, deleter: variant", infer=lambda c: [(), ()],
    kernel=lambda: [MemoryCache(), None], traits=(STATEFUL, OPAQUE),
)  # fmt: skip


def _cache(x: Range | Take, filename: Array, cache: MemoryCache, *, output_types: list[DType]) -> Source:
    (name,) = names_of(filename)
    return FileCache(x, local_path(name), output_types) if name else Cache(x, cache)


def _names_a_file(c: InferContext) -> bool:
    name = c.const(1)
    return name is None or any(names_of(name))


CacheDatasetV2 = dataset_op(
    "CacheDatasetV2", "input_dataset: variant, filename: string, cache: resource", _cache, "", READING,
    file_access=FileAccess("keeps elements in a file", _names_a_file),
)  # fmt: skip


@transformation
def cache(self: Dataset[T], filename: PathLike = "", name: str | None = None) -> Dataset[T]:
    """The elements, kept in memory (or in files that begin with `filename`) once they have all been read.

    >>> import graphrt as tf
    >>> dataset = tf.data.Dataset.random(seed=1, rerandomize_each_iteration=True).take(3).cache()
    >>> list(dataset.as_numpy_iterator()) == list(dataset.as_numpy_iterator())
    True
    """
    handle, _ = AnonymousMemoryCache()
    return same_elements(self, CacheDatasetV2, "CacheDataset", as_text(filename, "filename"), handle, name=name)
