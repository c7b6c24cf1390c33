"""Ragged and sparse tensors in elements: how they are put together and taken apart, rows and all.

An element holds such a tensor as several arrays, which do not batch one by one. A *plan* says, leaf by leaf, what the
arrays of an element are; transformations that change the first dimension follow it.

    {"a": tensor, "b": ragged}     plan: (Dense(), Ragged(1))      arrays: a | flat values, splits
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.batching import Batch, Unbatch, stack_elements
from graphrt.data.running import Element, Run, Source, Wrapping
from graphrt.data.sources import rows
from graphrt.ir.op import INTERNAL, OPAQUE, READS, STATEFUL, define
from graphrt.types.dtype import DType, as_dtype
from graphrt.types.shape import is_static
from graphrt.types.spec import CompositeSpec, TensorSpec, TypeSpec


class Dense:
    """`count` arrays that are batched one by one."""

    def __init__(self, count: int = 1) -> None:
        self.count = count

    @property
    def word(self) -> str:
        """How a node writes it."""
        return f"dense:{self.count}"

    def batch(self, column: list[Element]) -> Element:
        """The arrays of several elements as those of one batch."""
        return stack_elements(column)

    def rows(self, arrays: Element) -> Iterator[Element]:
        """The arrays of each row of a batch."""
        return zip(*map(rows, arrays))


class Ragged(Dense):
    """The flat values and the splits, innermost first, of a ragged tensor of that ragged rank."""

    def __init__(self, rank: int, splits: DType) -> None:
        super().__init__(rank + 1)
        self.rank = rank
        self.splits = splits.as_numpy_dtype
        self.named = splits.name

    @property
    def word(self) -> str:
        return f"ragged:{self.rank}:{self.named}"

    def batch(self, column: list[Element]) -> Element:
        flat = np.concatenate([np.asarray(c[0]) for c in column])
        levels = []
        for level in range(1, self.rank + 1):
            lengths = np.concatenate([np.diff(c[level]) for c in column])
            levels.append(self._ending(lengths))
        outer = [len(c[-1]) - 1 if self.rank else len(c[0]) for c in column]
        return (flat, *levels, self._ending(outer))

    def _ending(self, lengths: Any) -> Any:
        return np.concatenate([[0], np.cumsum(lengths)]).astype(self.splits)

    def rows(self, arrays: Element) -> Iterator[Element]:
        if not self.rank:
            yield from zip(rows(arrays[0]))
            return
        *inner, outer = arrays
        for a, b in itertools.pairwise(outer.tolist()):
            found = []
            for splits in reversed(inner[1:]):
                found.append(splits[a : b + 1] - splits[a])
                a, b = int(splits[a]), int(splits[b])
            yield (inner[0][a:b], *reversed(found))


class Ragging(Ragged):
    """One array with dimensions that differ between elements, which a batch holds as a ragged tensor."""

    def __init__(self, rank: int, splits: DType) -> None:
        super().__init__(rank, splits)
        self.count = 1

    @property
    def word(self) -> str:
        return f"ragging:{self.rank}:{self.named}"

    def batch(self, column: list[Element]) -> Element:
        return super().batch([self._as_ragged(np.asarray(c[0])) for c in column])

    def _as_ragged(self, array: Any) -> Element:
        levels = []
        for axis in range(1, self.rank + 1):
            many = int(np.prod(array.shape[:axis], dtype=np.int64))
            levels.append(np.arange(many + 1) * array.shape[axis])
        flat = (
            array.reshape((-1, *array.shape[self.rank + 1 :]))
            if array.size
            else array.reshape(
                (int(np.prod(array.shape[: self.rank + 1], dtype=np.int64)), *array.shape[self.rank + 1 :])
            )
        )
        return (flat, *reversed(levels))


class Sparse(Dense):
    """Indices, values and shape of a sparse tensor."""

    def __init__(self) -> None:
        super().__init__(3)

    @property
    def word(self) -> str:
        return "sparse"

    def batch(self, column: list[Element]) -> Element:
        shapes = {tuple(np.asarray(c[2]).tolist()) for c in column}
        if len({len(s) for s in shapes}) > 1:
            raise errors.InvalidArgumentError(
                None, None, f"cannot batch sparse tensors of different ranks: found the shapes {sorted(shapes)}"
            )
        indices = [np.insert(c[0], 0, i, axis=1) for i, c in enumerate(column)]
        largest = np.max([c[2] for c in column], axis=0)
        return (
            np.concatenate(indices), np.concatenate([np.asarray(c[1]) for c in column]),
            np.concatenate([[len(column)], largest]).astype(np.int64),
        )  # fmt: skip

    def rows(self, arrays: Element) -> Iterator[Element]:
        indices, values, shape = arrays
        for row in range(int(shape[0])):
            here = indices[:, 0] == row
            yield indices[here][:, 1:], values[here], shape[1:]


Plan = tuple[Dense, ...]


def _written(plan: Plan) -> str:
    """`plan` as the attribute of a node."""
    return ",".join(leaf.word for leaf in plan)


def _plan(words: Any) -> Plan:
    """The plan that `_written` wrote."""
    text = words.decode() if isinstance(words, bytes) else words
    found: list[Dense] = []
    for word in text.split(","):
        kind, *rest = word.split(":")
        if kind == "dense":
            found.append(Dense(int(rest[0])))
        elif kind == "sparse":
            found.append(Sparse())
        else:
            found.append({"ragged": Ragged, "ragging": Ragging}[kind](int(rest[0]), as_dtype(rest[1])))
    return tuple(found)


def _leaf_plan(spec: Any) -> Dense:
    rank = getattr(spec, "ragged_rank", None)
    if isinstance(spec, CompositeSpec) and rank is not None:
        return Ragged(rank, spec.row_splits_dtype)  # type: ignore[attr-defined]
    if is_sparse(spec):
        return Sparse()
    return Dense(len(st.component_specs(spec)))


def is_sparse(spec: Any) -> bool:
    """Whether `spec` describes sparse tensors."""
    return type(spec).__name__ == "SparseTensorSpec"


def plan_of(spec: Any) -> str | None:
    """How elements of `spec` are taken apart, as nodes write it; None where all is plain tensors."""
    found = tuple(_leaf_plan(leaf) for leaf in st.walk(spec))
    return _written(found) if any(type(leaf) is not Dense for leaf in found) else None


def ragging_plan(spec: Any, splits: DType) -> str:
    """The plan of batches in which dimensions that are not known become ragged."""
    return _written(tuple(
        Ragging(_ragged_dims(leaf), splits) if _becomes_ragged(leaf) else _leaf_plan(leaf) for leaf in st.walk(spec)
    ))  # fmt: skip


def _becomes_ragged(spec: Any) -> bool:
    return isinstance(spec, TensorSpec) and not is_static(spec.dims)


def _ragged_dims(spec: TensorSpec) -> int:
    if spec.dims is None:
        raise ValueError(errors.at_user_line("ragged_batch needs elements whose rank is known: use set_shape"))
    return max(i for i, d in enumerate(spec.dims) if d is None)


def ragged_spec(spec: Any, size: int | None, splits: DType, otherwise: Any) -> Any:
    """The spec of a batch of `spec` in which unknown dimensions become ragged."""
    if not _becomes_ragged(spec):
        return otherwise(spec, size)
    from graphrt.ops.ragged.tensor import RaggedTensorSpec  # few programs have ragged tensors

    rank = _ragged_dims(spec)
    return RaggedTensorSpec((size, *spec.dims), spec.dtype, rank + 1, splits)


def spec_of_row(spec: Any) -> TypeSpec | None:
    """The spec of a row of a ragged or sparse tensor; None for other specs."""
    plan = _leaf_plan(spec)
    if isinstance(plan, Ragged):
        if spec.dims == ():
            raise ValueError(errors.at_user_line("Unbatching a tensor is only supported for rank >= 1"))
        dims = None if spec.dims is None else spec.dims[1:]
        if dims == ():
            return TensorSpec((), spec.dtype)
        return type(spec)(dims, spec.dtype, max(spec.ragged_rank - 1, 0), spec.row_splits_dtype)
    if isinstance(plan, Sparse):
        return type(spec)(None if spec.dims is None else spec.dims[1:], spec.dtype)
    return None


def spec_of_batch(spec: Any, size: int | None) -> TypeSpec | None:
    """The spec of a batch of ragged or sparse tensors; None for other specs."""
    plan = _leaf_plan(spec)
    dims = None if getattr(spec, "dims", None) is None else (size, *spec.dims)
    if isinstance(plan, Ragged):
        return type(spec)(dims, spec.dtype, spec.ragged_rank + 1, spec.row_splits_dtype)
    if isinstance(plan, Sparse):
        return type(spec)(dims, spec.dtype)
    return None


# --- sources ---------------------------------------------------------------------------------------------------------
def _parted(plan: Plan, element: Element) -> list[Element]:
    supply = iter(element)
    return [tuple(itertools.islice(supply, leaf.count)) for leaf in plan]


def _rows_of(plan: Plan, element: Element) -> Iterator[Element]:
    for row in zip(*(leaf.rows(part) for leaf, part in zip(plan, _parted(plan, element))), strict=True):
        yield tuple(itertools.chain.from_iterable(row))


class PartsBatch(Batch):
    """Batches made by a plan."""

    __slots__ = ("plan",)

    def __init__(self, input: Source, size: int, drop: bool, plan: Plan) -> None:
        super().__init__(input, size, drop)
        self.plan = plan

    def open(self, run: Run) -> Iterator[Element]:
        elements = self.input.open(run)
        while True:
            found = list(itertools.islice(elements, self.size))
            if not found or (self.drop and len(found) < self.size):
                return
            yield self.together(found)

    def together(self, elements: list[Element]) -> Element:
        columns = zip(*(_parted(self.plan, e) for e in elements))
        return tuple(itertools.chain.from_iterable(
            leaf.batch(list(column)) for leaf, column in zip(self.plan, columns)
        ))  # fmt: skip


class PartsSlices(Source):
    """The rows of one element, by a plan."""

    __slots__ = ("element", "plan")

    def __init__(self, element: Element, plan: Plan) -> None:
        self.element = element
        self.plan = plan

    def open(self, run: Run) -> Iterator[Element]:
        return _rows_of(self.plan, self.element)

    def count(self) -> int:
        first, part = self.plan[0], _parted(self.plan, self.element)[0]
        if isinstance(first, Sparse):
            return int(part[2][0])
        return len(part[-1]) - 1 if isinstance(first, Ragged) and first.rank else len(part[0])


class PartsUnbatch(Unbatch):
    """The rows of each element, by a plan."""

    __slots__ = ("plan",)

    def __init__(self, input: Source, known: int | None, plan: Plan) -> None:
        super().__init__(input, known)
        self.plan = plan

    def open(self, run: Run) -> Iterator[Element]:
        for element in self.input.open(run):
            yield from _rows_of(self.plan, element)


class DenseToSparse(Wrapping):
    """Batches of tensors of different sizes as sparse tensors."""

    __slots__ = ("dims", "size")

    def __init__(self, input: Source, size: int, row_shape: Any) -> None:
        super().__init__(input)
        self.size = size
        self.dims = [int(d) for d in np.reshape(row_shape, -1)]

    def open(self, run: Run) -> Iterator[Element]:
        elements = self.input.open(run)
        while found := list(itertools.islice(elements, self.size)):
            yield self._together([np.asarray(e[0]) for e in found])

    def _together(self, arrays: list[Any]) -> Element:
        for array in arrays:
            if array.ndim != len(self.dims):
                raise errors.InvalidArgumentError(
                    None, None,
                    f"Input element had shape ({list(array.shape)}) that is incompatible with the row shape "
                    f"({self.dims}).",
                )  # fmt: skip
            if any(0 <= room < have for have, room in zip(array.shape, self.dims)):
                raise errors.DataLossError(
                    None, None,
                    f"Input element had shape ({list(array.shape)}) that is larger than the row shape ({self.dims}).",
                )  # fmt: skip
        shape = [max(a.shape[i] for a in arrays) if d < 0 else d for i, d in enumerate(self.dims)]
        indices = [np.insert(np.indices(a.shape).reshape(a.ndim, -1).T, 0, i, axis=1) for i, a in enumerate(arrays)]
        return (
            np.concatenate(indices).astype(np.int64), np.concatenate([a.reshape(-1) for a in arrays]),
            np.array([len(arrays), *shape], np.int64),
        )  # fmt: skip

    def count(self) -> int:
        n = self.input.count()
        return n if n < 0 else -(-n // self.size)


# --- ops -------------------------------------------------------------------------------------------------------------
_DESCRIBED = "plan: string; output_types: list(type); output_shapes: list(shape)"
BatchParts = define(
    "_BatchPartsDataset", "input_dataset: variant, batch_size: int64, drop_remainder: bool -> handle: variant",
    attrs=_DESCRIBED, infer=lambda c: (), traits=(INTERNAL, OPAQUE),
    kernel=lambda x, size, drop, *, plan: PartsBatch(x, _positive(size), bool(drop), _plan(plan)),
)  # fmt: skip
SliceParts = define(
    "_SlicePartsDataset", "components: Toutput_types... -> handle: variant",
    attrs="plan: string; Toutput_types: list(type); output_shapes: list(shape)", infer=lambda c: (),
    kernel=lambda components, *, plan: PartsSlices(tuple(components), _plan(plan)),
    traits=(INTERNAL, STATEFUL, READS, OPAQUE),
)  # fmt: skip
UnbatchParts = define(
    "_UnbatchPartsDataset", "input_dataset: variant -> handle: variant", attrs=f"{_DESCRIBED}; rows: int = -1",
    infer=lambda c: (), traits=(INTERNAL, OPAQUE),
    kernel=lambda x, *, plan, rows: PartsUnbatch(x, None if rows < 0 else rows, _plan(plan)),
)  # fmt: skip
DenseToSparseBatchDataset = define(
    "DenseToSparseBatchDataset", "input_dataset: variant, batch_size: int64, row_shape: int64 -> handle: variant",
    attrs="output_types: list(type) >= 1; output_shapes: list(shape) >= 1", infer=lambda c: (), traits=(OPAQUE,),
    kernel=lambda x, size, shape: DenseToSparse(x, _positive(size), shape),
)  # fmt: skip


def _positive(size: Any) -> int:
    if size < 1:
        raise errors.InvalidArgumentError(None, None, "Batch size must be greater than zero.")
    return int(size)


__all__ = [
    "BatchParts", "DenseToSparseBatchDataset", "SliceParts", "UnbatchParts", "is_sparse", "plan_of",
    "ragged_spec", "ragging_plan", "spec_of_batch", "spec_of_row",
]  # fmt: skip
