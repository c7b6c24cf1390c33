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
from graphrt.data.elements import rows, stack_elements
from graphrt.data.pipeline import Element
from graphrt.types.dtype import DType, as_dtype
from graphrt.types.likes import Array
from graphrt.types.nesting import shown
from graphrt.types.spec import CompositeSpec, TensorSpec, element_of, stack_of


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
    """The flat values and the splits, outermost first, of a ragged tensor of that ragged rank."""

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
        outer = [len(c[1]) - 1 if self.rank else len(c[0]) for c in column]
        return (flat, self._ending(outer), *levels)

    def _ending(self, lengths: Any) -> Array:
        return np.concatenate([[0], np.cumsum(lengths)]).astype(self.splits)

    def rows(self, arrays: Element) -> Iterator[Element]:
        if not self.rank:
            yield from zip(rows(arrays[0]))
            return
        flat, outer, *inner = arrays
        for a, b in itertools.pairwise(outer.tolist()):
            found = []
            for splits in inner:
                found.append(splits[a : b + 1] - splits[a])
                a, b = int(splits[a]), int(splits[b])
            yield (flat[a:b], *found)


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

    def _as_ragged(self, array: Array) -> Element:
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
        return (flat, *levels)


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


def plan_text(plan: Plan) -> str:
    """`plan` as the attribute of a node."""
    return ",".join(leaf.word for leaf in plan)


def plan_from(words: str) -> Plan:
    """The plan that `_written` wrote."""
    found: list[Dense] = []
    for word in words.split(","):
        kind, *rest = word.split(":")
        if kind == "dense":
            found.append(Dense(int(rest[0])))
        elif kind == "sparse":
            found.append(Sparse())
        else:
            found.append({"ragged": Ragged, "ragging": Ragging}[kind](int(rest[0]), as_dtype(rest[1])))
    return tuple(found)


def leaf_plan(spec: TensorSpec) -> Dense:
    rank = getattr(spec, "ragged_rank", None)
    if isinstance(spec, CompositeSpec) and rank is not None:
        return Ragged(rank, spec.row_splits_dtype)  # type: ignore[attr-defined]
    if is_sparse(spec):
        return Sparse()
    return Dense(len(st.component_specs(spec)))


def is_sparse(spec: object) -> bool:
    """Whether `spec` describes sparse tensors."""
    return type(spec).__name__ == "SparseTensorSpec"


def plan_of(spec: TensorSpec | dict[str, TensorSpec] | tuple[TensorSpec, TensorSpec]) -> str | None:
    """How elements of `spec` are taken apart, as nodes write it; None where all is plain tensors."""
    return whole_plan(spec) if any(type(leaf_plan(leaf)) is not Dense for leaf in st.walk(spec)) else None


def whole_plan(spec: Any) -> str:
    """How elements of `spec` are taken apart, as nodes write it, also where all is plain tensors."""
    return plan_text(tuple(leaf_plan(leaf) for leaf in st.walk(spec)))


def parted(plan: Plan, element: Element) -> list[Element]:
    supply = iter(element)
    return [tuple(itertools.islice(supply, leaf.count)) for leaf in plan]


def rows_of(plan: Plan, element: Element) -> Iterator[Element]:
    for row in zip(*(leaf.rows(part) for leaf, part in zip(plan, parted(plan, element))), strict=True):
        yield tuple(itertools.chain.from_iterable(row))


def row_spec(spec: TensorSpec) -> Any:
    """The spec of one row of a component; TypeError and ValueError when it has none."""
    if isinstance(spec, st.NoneTensorSpec):
        return spec
    if isinstance(spec, CompositeSpec):
        return element_of(spec)
    if not isinstance(spec, TensorSpec):
        raise TypeError(errors.at_user_line(f"{shown(spec)} has no slices"))
    if spec.dims == ():
        raise ValueError(errors.at_user_line("Unbatching a tensor is only supported for rank >= 1"))
    return TensorSpec(None if spec.dims is None else spec.dims[1:], spec.dtype)


def batched_spec(spec: TensorSpec, size: int | None) -> Any:
    """The spec of a batch of `size` components of `spec`."""
    if isinstance(spec, st.NoneTensorSpec):
        return spec
    if isinstance(spec, CompositeSpec):
        return stack_of(spec, size)
    if not isinstance(spec, TensorSpec):
        raise TypeError(errors.at_user_line(f"a {spec.value_type.__name__} cannot be batched: use flat_map"))
    return TensorSpec(None if spec.dims is None else (size, *spec.dims), spec.dtype)
