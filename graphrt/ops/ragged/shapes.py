"""`RowPartition`, how values are cut into rows, and `DynamicRaggedShape`, the shape of a ragged tensor."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import OpDef
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import Fill
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.gather_scatter import GatherV2
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import BroadcastTo, Reshape, shape
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal
from graphrt.ops.math.reduction import reduce_sum
from graphrt.ops.ragged.tensor import RaggedTensor, positive_axis, ragged_of, static_row_length
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor, raw_of, static_array
from graphrt.types.dtype import DType, as_dtype, int32, int64
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.shape import TensorShape
from graphrt.types.structure import Composite, Dispatching


class RowPartition(Composite):
    """How a vector of values is cut into rows.

    >>> import graphrt as tf
    >>> tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
    tf.RowPartition(row_splits=[0 2 2 3])
    """

    __slots__ = ("_rows",)

    def __init__(self, rows: RaggedTensor) -> None:
        self._rows = rows  # over the numbers of the values

    @classmethod
    def _of(cls, make: Callable[..., Any], count: TensorLike, *args: TensorLike | None, **kwargs: bool) -> RowPartition:
        return cls(make(range_(cast(as_tensor(count), int64), dtype=int64), *args, **kwargs))

    @classmethod
    def from_row_splits(
        cls, row_splits: TensorLike, validate: bool = True, dtype: DTypeLike | None = None
    ) -> RowPartition:
        """Rows that begin and end at these places."""
        splits = as_tensor(row_splits, None if isinstance(row_splits, Tensor) else int64)
        return cls._of(RaggedTensor.from_row_splits, splits[-1], splits, validate=validate)

    @classmethod
    def from_row_lengths(
        cls, row_lengths: TensorLike, validate: bool = True, dtype: DTypeLike | None = None
    ) -> RowPartition:
        """Rows of these lengths."""
        sizes = as_tensor(row_lengths, None if isinstance(row_lengths, Tensor) else int64)
        return cls._of(RaggedTensor.from_row_lengths, reduce_sum(sizes), sizes, validate=validate)

    @classmethod
    def from_row_starts(
        cls, row_starts: TensorLike, nvals: TensorLike, validate: bool = True, dtype: DTypeLike | None = None
    ) -> RowPartition:
        """Rows that begin at these places, `nvals` values in all."""
        return cls._of(RaggedTensor.from_row_starts, nvals, row_starts, validate=validate)

    @classmethod
    def from_row_limits(
        cls, row_limits: TensorLike, validate: bool = True, dtype: DTypeLike | None = None
    ) -> RowPartition:
        """Rows that end before these places."""
        limits = as_tensor(row_limits, None if isinstance(row_limits, Tensor) else int64)
        count = concat([as_tensor([0], limits.dtype), limits], 0)[-1]
        return cls._of(RaggedTensor.from_row_limits, count, limits, validate=validate)

    @classmethod
    def from_value_rowids(
        cls, value_rowids: TensorLike, nrows: TensorLike | None = None, validate: bool = True,
        dtype: DTypeLike | None = None
    ) -> RowPartition:  # fmt: skip
        """Each value in the row of this number."""
        ids = as_tensor(value_rowids, None if isinstance(value_rowids, Tensor) else int64)
        return cls._of(RaggedTensor.from_value_rowids, shape(ids)[0], ids, nrows, validate=validate)

    @classmethod
    def from_uniform_row_length(
        cls, uniform_row_length: TensorLike, nvals: TensorLike | None = None, nrows: Any = None, validate: bool = True,
        dtype: DTypeLike | None = None
    ) -> RowPartition:  # fmt: skip
        """Rows of one length; how many follows from `nvals`, or is `nrows`."""
        if nvals is None:
            if nrows is None:
                raise ValueError(errors.at_user_line("Either (or both) of nvals and nrows must be specified"))
            nvals = cast(as_tensor(nrows), int64) * cast(as_tensor(uniform_row_length), int64)
        return cls._of(RaggedTensor.from_uniform_row_length, nvals, uniform_row_length, nrows, validate=validate)

    @property
    def dtype(self) -> DType:
        """The dtype of the splits."""
        return self._rows.row_splits.dtype

    def row_splits(self) -> Tensor:
        """Where the rows begin, and where the last one ends."""
        return self._rows.row_splits

    def row_lengths(self) -> Tensor:
        """The length of each row."""
        return self._rows.row_lengths()

    def row_starts(self) -> Tensor:
        """Where each row begins."""
        return self._rows.row_starts()

    def row_limits(self) -> Tensor:
        """Where each row ends."""
        return self._rows.row_limits()

    def value_rowids(self) -> Tensor:
        """For each value the row it stands in."""
        return self._rows.value_rowids()

    def offsets_in_rows(self) -> Tensor:
        """For each value its place in its row."""
        return self._rows.values - cast(GatherV2(self.row_starts(), self.value_rowids(), np.int32(0)), int64)

    def nrows(self) -> Tensor:
        """The number of rows."""
        return self._rows.nrows()

    def nvals(self) -> Tensor:
        """The number of values."""
        return self._rows.row_splits[-1]

    def uniform_row_length(self) -> Any:
        """The length of all rows, where they are known to have one, else None."""
        return self._rows.uniform_row_length

    def is_uniform(self) -> bool:
        """Whether all rows are known to have one length."""
        return static_row_length(self._rows) is not None

    @property
    def static_nrows(self) -> int | None:
        """The number of rows, where it is known."""
        return self._rows.dims[0] if self._rows.dims else None

    @property
    def static_nvals(self) -> int | None:
        """The number of values, where it is known."""
        known = static_array(self.nvals())
        return None if known is None else int(known)

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of all rows, where it is known."""
        return static_row_length(self._rows)

    def with_dtype(self, dtype: DTypeLike) -> RowPartition:
        """The same with splits of another dtype."""
        return RowPartition(self._rows.with_row_splits_dtype(dtype))

    def components(self) -> list[Any]:
        """The tensors it is made of."""
        return self._rows.components()

    def with_components(self, components: list[Any]) -> RowPartition:
        """A partition like this one, made of other tensors."""
        return RowPartition(self._rows.with_components(components))

    def __repr__(self) -> str:
        splits = self.row_splits()
        shown = raw_of(splits) if isinstance(splits, EagerTensor) else splits
        if self.is_uniform():
            return f"tf.RowPartition(nrows={self.static_nrows}, uniform_row_length={static_row_length(self._rows)})"
        return f"tf.RowPartition(row_splits={shown})"


class DynamicRaggedShape(Dispatching):
    """The shape of a ragged tensor: a partition for each ragged dimension, and the shape of the innermost values.

    >>> import graphrt as tf
    >>> shape = tf.shape(tf.ragged.constant([[1, 2], [3]]))
    >>> shape
    <DynamicRaggedShape lengths=[2, (2, 1)] num_row_partitions=1>
    >>> shape[0].numpy(), tf.reshape([7, 8, 9], shape)
    (np.int32(2), <tf.RaggedTensor [[7, 8], [9]]>)
    """

    __slots__ = ("_dtype", "_inner", "_partitions")

    def __init__(
        self, row_partitions: Any, inner_shape: TensorLike, dtype: DTypeLike | None = None, validate: bool = False,
        static_inner_shape: Any = None,
    ) -> None:  # fmt: skip
        given = tuple(row_partitions)
        for partition in given:
            errors.expect(partition, RowPartition, "row_partitions", "a list of tf.experimental.RowPartition")
        self._inner = as_tensor(inner_shape, None if isinstance(inner_shape, Tensor) else int64)
        self._dtype = as_dtype(dtype) if dtype is not None else given[0].dtype if given else self._inner.dtype
        self._partitions = tuple(p.with_dtype(self._dtype) for p in given)
        self._inner = cast(self._inner, self._dtype)

    @classmethod
    def from_tensor(cls, t: TensorLike, dtype: DTypeLike | None = None) -> DynamicRaggedShape:
        """The shape of a ragged tensor, or of a tensor."""
        if not isinstance(t, RaggedTensor):
            return cls((), shape(as_tensor(t), out_type=int64), dtype)
        parts, at = [], t
        while isinstance(at, RaggedTensor):
            values = at.values
            count = values.nrows(int64) if isinstance(values, RaggedTensor) else shape(values, out_type=int64)[0]
            parts.append(RowPartition(ragged_of(range_(count, dtype=int64), at.row_splits, static_row_length(at))))
            at = values
        return cls(parts, shape(t.flat_values, out_type=int64), dtype)

    @classmethod
    def from_lengths(
        cls, lengths: Any, num_row_partitions: int | None = None, dtype: DTypeLike = int64
    ) -> DynamicRaggedShape:
        """A shape of sizes (numbers) and row lengths (sequences of numbers), dimension by dimension."""
        given = list(lengths)
        ragged = [i for i, v in enumerate(given) if not isinstance(v, int)]
        count = num_row_partitions if num_row_partitions is not None else (max(ragged) if ragged else 0)
        if ragged and (min(ragged) == 0 or count < max(ragged)):
            raise ValueError(errors.at_user_line(f"the lengths {shown(lengths)} do not have {count} row partitions"))
        rows = int(given[0]) if given else 0
        parts = []
        for length in given[1 : count + 1]:
            if isinstance(length, int):
                parts.append(RowPartition.from_uniform_row_length(length, nrows=rows))
                rows *= length
            else:
                parts.append(RowPartition.from_row_lengths(list(length)))
                if len(length) != rows:
                    raise ValueError(errors.at_user_line(f"expected {rows} row lengths, found {len(length)}"))
                rows = sum(length)
        return cls(parts, [rows, *given[count + 1 :]] if given else [], dtype)

    @property
    def dtype(self) -> DType:
        """The dtype of sizes."""
        return self._dtype

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """The partitions, the outermost first."""
        return self._partitions

    @property
    def num_row_partitions(self) -> int:
        """How many partitions there are."""
        return len(self._partitions)

    @property
    def inner_shape(self) -> Tensor:
        """The shape of the innermost values."""
        return self._inner

    @property
    def inner_rank(self) -> int | None:
        """The rank of the innermost values."""
        return self._inner.dims[0] if self._inner.dims else None

    @property
    def rank(self) -> int | None:
        """The number of dimensions."""
        return None if self.inner_rank is None else self.inner_rank + len(self._partitions)

    @property
    def dims(self) -> tuple[int | None]:
        """As a vector of sizes it would have this shape."""
        return (self.rank,)

    @property
    def static_inner_shape(self) -> TensorShape:
        """What is known of the shape of the innermost values."""
        known = static_array(self._inner)
        return TensorShape(None if known is None else known.tolist())

    def is_uniform(self, axis: int) -> bool:
        """Whether all rows of a dimension have one length."""
        place = positive_axis(axis, self.rank)
        return not 0 < place <= len(self._partitions) or self._partitions[place - 1].is_uniform()

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """What is known of each dimension: a number, the lengths of its rows, or None."""
        if not self._partitions:
            return list(self.static_inner_shape.as_list()) if self.static_inner_shape.rank is not None else [Ellipsis]
        found: list[Any] = [self._partitions[0].static_nrows]
        for part in self._partitions:
            lengths = static_array(part.row_lengths())
            if part.is_uniform():
                found.append(part.static_uniform_row_length)
            else:
                found.append(tuple(lengths.tolist()) if lengths is not None and ragged_lengths else None)
        inner = static_array(self._inner)
        return [*found, *([None] * ((self.inner_rank or 1) - 1) if inner is None else inner.tolist()[1:])]

    def with_dtype(self, dtype: DTypeLike) -> DynamicRaggedShape:
        """The same with sizes of another dtype."""
        return DynamicRaggedShape(self._partitions, self._inner, dtype)

    def _add_row_partitions(self, flat_values: Tensor, validate: bool = False) -> Any:
        result = flat_values
        for part in reversed(self._partitions):
            result = ragged_of(result, part.row_splits(), part.static_uniform_row_length)
        return result

    def __getitem__(self, index: int) -> Tensor:
        if isinstance(index, builtins.slice):
            count = self.rank or 0
            start, stop, step = index.indices(count)
            if step != 1:
                raise IndexError("Cannot stride through a shape")
            return self._sliced(start, max(start, stop))
        place = positive_axis(int(index), self.rank)
        if not self._partitions:
            return self._inner[place]
        if place == 0:
            return cast(self._partitions[0].nrows(), self._dtype)
        if place <= len(self._partitions):
            part = self._partitions[place - 1]
            if not part.is_uniform():
                raise ValueError(errors.at_user_line(f"Index {index} is not uniform: its rows have different lengths"))
            return cast(part.uniform_row_length(), self._dtype)
        return self._inner[place - len(self._partitions)]

    def _sliced(self, start: int, stop: int) -> DynamicRaggedShape:
        lead = len(self._partitions)
        if start == 0 and stop > lead:
            return DynamicRaggedShape(self._partitions, self._inner[: stop - lead], self._dtype)
        if start == 0 and stop > 1:
            parts = self._partitions[: stop - 1]
            return DynamicRaggedShape(parts, stack([cast(parts[-1].nvals(), self._dtype)]), self._dtype)
        if start > lead or not lead:
            return DynamicRaggedShape((), self._inner[max(start - lead, 0) : stop - lead], self._dtype)
        if any(not part.is_uniform() for part in self._partitions[: stop - 1][max(start - 1, 0) :]):
            raise ValueError(errors.at_user_line(
                f"cannot take the dimensions {start} to {stop} of {self!r}: all relevant dimensions must be uniform"
            ))  # fmt: skip
        ahead = [self[place] for place in builtins.range(start, min(stop, lead + 1))]
        inner = concat([stack(ahead), self._inner[1 : stop - lead]], 0) if stop > lead + 1 else stack(ahead)
        return DynamicRaggedShape((), inner, self._dtype)

    # --- as a value made of tensors ---
    def components(self) -> list[Any]:
        """The tensors it is made of."""
        return [self._inner, *(t for p in self._partitions for t in p.components())]

    def with_components(self, components: list[Any]) -> DynamicRaggedShape:
        """A shape like this one, made of other tensors."""
        at, parts = 1, []
        for part in self._partitions:
            size = len(part.components())
            parts.append(part.with_components(components[at : at + size]))
            at += size
        return DynamicRaggedShape(parts, components[0], self._dtype)

    def dispatch(self, op: OpDef, args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
        """What `op` gives where this is the shape it wants."""
        if op is Reshape and args[1] is self:
            x = args[0]
            values = x.flat_values if isinstance(x, RaggedTensor) else x
            return self._add_row_partitions(Reshape(values, self._inner))
        if op is Fill and args[0] is self:
            return self._add_row_partitions(Fill(self._inner, args[1]))
        if op is BroadcastTo and args[1] is self:
            x = as_tensor(args[0])
            like = self._add_row_partitions(Fill(self._inner, cast(0, "int8")))
            zeros = cast(like, x.dtype) if x.dtype.name != "string" else None
            if zeros is None:
                raise errors.CompositeGiven(self)
            return where(Equal(zeros, zeros), x, zeros)
        raise errors.CompositeGiven(self)

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.static_lengths()))
        return f"<DynamicRaggedShape lengths=[{shown}] num_row_partitions={len(self._partitions)}>"


def shape_of(x: RaggedTensor, out_type: Any) -> DynamicRaggedShape:
    """The shape of a ragged tensor, with sizes of this dtype."""
    return DynamicRaggedShape.from_tensor(x, out_type or int32)


__all__ = ["DynamicRaggedShape", "RowPartition", "shape_of"]
