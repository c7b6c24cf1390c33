"""`Dataset.range` and `Dataset.counter`: numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.arguments import as_long, number_of
from graphrt.data.dataset import Dataset
from graphrt.data.declaration import READING, dataset_op, invalid
from graphrt.data.methods import source
from graphrt.data.pipeline import Element, Run, Source
from graphrt.data.readers.tensors import from_tensors
from graphrt.data.stretches import cuts
from graphrt.ops.math.casting import cast
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import DType, as_dtype, int64
from graphrt.types.likes import Array, TensorLike
from graphrt.types.spec import TensorSpec


class Range(Source):
    """The numbers of `range(start, stop, step)` as scalars of a NumPy type."""

    __slots__ = ("kind", "numbers")

    def __init__(self, start: int, stop: int, step: int, kind: type) -> None:
        self.numbers = range(start, stop, step)
        self.kind = kind

    def open(self, run: Run) -> Iterator[Element]:
        return zip(map(self.kind, self.numbers))

    def count(self) -> int:
        n = self.numbers
        return max(0, -(-(n.stop - n.start) // n.step) if n.step > 0 else -(-(n.start - n.stop) // -n.step))

    def stretches(self) -> Iterator[Element]:
        kind, n = self.kind, self.numbers
        for cut in cuts(self.count(), np.dtype(kind).itemsize):
            part = n[cut]
            yield (np.arange(part.start, part.stop, part.step, dtype=np.int64).astype(kind, copy=False),)


def _range(start: Array, stop: Array, step: Array, *, output_types: list[DType]) -> Source:
    if step == 0:
        raise invalid("step must be a non-zero integer.")
    return Range(int(start), int(stop), int(step), output_types[0].as_numpy_dtype)


RangeDataset = dataset_op(
    "RangeDataset", "start: int64, stop: int64, step: int64", _range, "replicate_on_split: bool = False", READING
)


@source
def range_(*args: TensorLike, **kwargs: Any) -> Dataset[Tensor]:
    """The numbers of `range(stop)`, `range(start, stop)` or `range(start, stop, step)`, as `output_type` (int64).

    >>> import graphrt as tf
    >>> list(tf.data.Dataset.range(1, 6, 2).as_numpy_iterator())
    [np.int64(1), np.int64(3), np.int64(5)]

    Raises:
      ValueError: there are not one to three numbers.
      InvalidArgumentError: the step is 0.
    """
    name = kwargs.pop("name", None)
    dtype = as_dtype(kwargs.pop("output_type", int64))
    if kwargs:
        raise TypeError(errors.at_user_line(f"range() got unexpected keyword arguments {', '.join(kwargs)}"))
    if not 1 <= len(args) <= 3:
        raise ValueError(
            errors.at_user_line(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        )
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1) if len(args) == 2 else args
    if not (dtype.is_integer or dtype.is_floating):
        raise TypeError(errors.at_user_line(f"output_type must be a type of numbers, found {dtype.name}"))
    spec = TensorSpec([], dtype)
    handle = RangeDataset(
        as_long(start, "start"), as_long(stop, "stop"), as_long(step, "step"), name=name, **st.output_attrs(spec)
    )
    return Dataset(handle, spec, "_RangeDataset")


@source
def counter(start: Any = 0, step: Any = 1, dtype: Any = int64, name: str | None = None) -> Dataset[Tensor]:
    """`start, start + step, ...` without end.

    >>> import graphrt as tf
    >>> list(tf.data.Dataset.counter(5, 10).take(3).as_numpy_iterator())
    [np.int64(5), np.int64(15), np.int64(25)]
    """
    step = np.asarray(step).item() if not isinstance(step, Tensor) else number_of(step)
    last = 2**63 - 1 if step is None or step >= 0 else -(2**63)
    still = step == 0
    numbers = from_tensors(as_long(start, "start")).repeat() if still else range_(start, last, step, name=name)
    wanted = as_dtype(dtype)
    if wanted is int64:
        return numbers
    return numbers.map(lambda x: cast(x, wanted))
