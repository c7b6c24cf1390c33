"""`RaggedTensor`: a tensor whose rows have different lengths, and `RaggedTensorSpec`, its static type."""

# long: one class, with the methods and operators that TensorFlow's has, and its spec, which makes it
from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from graphrt import errors
from graphrt.ir.op import ELEMENTWISE, PER_ELEMENT, OpDef, ops  # late: what it calls imports this file
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import fill, ones_like, sequence_mask
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.gather_scatter import GatherV2, gather
from graphrt.ops.array.repetition import repeat
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import reshape
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.slicing import boolean_mask
from graphrt.ops.math.arithmetic import Maximum, Minimum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from graphrt.ops.math.cumulative import Cumsum
from graphrt.ops.math.logical import LogicalAnd
from graphrt.ops.math.reduction import reduce_all, reduce_any, reduce_max, reduce_prod, reduce_sum
from graphrt.ops.math.segments import UnsortedSegmentSum
from graphrt.ops.ragged.kernels import RaggedRange, RaggedTensorToSparse, RaggedTensorToTensor
from graphrt.ops.sparse.tensor import sparse_tensor
from graphrt.ops.strings.numbers import AsString
from graphrt.ops.strings.unicode import UnsortedSegmentJoin
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import REFLECTED, EagerTensor, Tensor, raw_of, static_array
from graphrt.types.dtype import DType, as_dtype, float32, int32, int64, string
from graphrt.types.likes import Array, AxisLike, DTypeLike, ShapeLike, TensorLike
from graphrt.types.shape import Dims, TensorShape, compatible, dims_of, relax
from graphrt.types.spec import CompositeSpec, Shaped, TensorSpec
from graphrt.types.structure import Rows

if TYPE_CHECKING:
    from graphrt.ops.sparse.tensor import SparseTensor

ELEMENTS: dict[OpDef | str, Callable[..., Any]] = {}  # filled by `dispatch`: what ops, or those of a trait, do
_HIDDEN = object()


def require(condition: TensorLike, error: type[Exception], message: str) -> None:
    """Raises `error` when `condition` (a bool, or a boolean tensor that holds its value) is False.

    Of a tensor that will only have a value when the graph runs, an assertion is recorded.
    """
    if isinstance(condition, Tensor) and not isinstance(condition, EagerTensor):
        ops.assert_that(condition, [message])
    elif not bool(condition):
        text = errors.at_user_line(message)
        raise error(None, None, text) if issubclass(error, errors.OpError) else error(text)


def _invalid(condition: Tensor, message: str) -> None:
    require(condition, errors.InvalidArgumentError, message)


class RaggedTensor(Rows):
    """A tensor with one or more ragged dimensions: the rows along them may have different lengths.

    It is kept as `values`, all rows one after the other, and `row_splits`, where each row begins and ends. The values
    may be ragged themselves. Ragged tensors pass through functions and control flow, and most ops take them.

    >>> import graphrt as tf
    >>> rt = tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2]])
    >>> rt.shape, rt.row_lengths().numpy().tolist()
    (TensorShape([3, None]), [4, 0, 3])
    >>> tf.reduce_sum(rt, axis=1).numpy().tolist()
    [9, 0, 16]

    Raises:
      ValueError: the class is called: use `from_row_splits` and its like.
    """

    __slots__ = ("__weakref__", "_splits", "_uniform", "_values")
    __array_ufunc__ = None  # NumPy leaves operators to this class

    def __hash__(self) -> int:
        raise TypeError(errors.at_user_line("RaggedTensor is unhashable."))

    def __init__(self, values: Any, row_splits: Tensor, uniform: int | None = None, internal: object = None) -> None:
        if internal is not _HIDDEN:
            raise ValueError(
                errors.at_user_line(
                    "RaggedTensor constructor is private; please use one of the factory methods instead (e.g., "
                    "RaggedTensor.from_row_lengths())"
                )
            )
        self._values = values
        self._splits = row_splits
        self._uniform = uniform

    # --- made of values and a partition ------------------------------------------------------------------------------
    @classmethod
    def from_row_splits(
        cls, values: TensorLike, row_splits: TensorLike, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows `values[row_splits[i]:row_splits[i + 1]]`.

        Raises:
          ValueError: the splits are empty, or no vector of integers.
          InvalidArgumentError: they do not begin with 0, decrease, or do not end with the number of values.
        """
        splits = _partition(row_splits, "row_splits")
        if splits.dims == (0,):
            raise errors.ShapeError(errors.at_user_line("row_splits tensor may not be empty."))
        held, splits = _matching(values, splits)
        if validate:
            what = "Arguments to from_row_splits do not form a valid RaggedTensor"
            _invalid(Equal(splits[0], as_tensor(0, splits.dtype)), f"{what}:zero")
            _invalid(reduce_all(LessEqual(splits[:-1], splits[1:])), f"{what}:monotonic")
            _check_count(held, splits[-1], splits.dtype)
        return ragged_of(held, splits)

    @classmethod
    def from_row_lengths(
        cls, values: TensorLike, row_lengths: TensorLike, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows of these lengths.

        Raises:
          InvalidArgumentError: a length is negative, or they do not add up to the number of values.
        """
        lengths = _partition(row_lengths, "row_lengths")
        held, lengths = _matching(values, lengths)
        if validate:
            what = "Arguments to from_row_lengths do not form a valid RowPartition"
            _invalid(reduce_all(GreaterEqual(lengths, as_tensor(0, lengths.dtype))), what)
        splits = splits_of_lengths(lengths)
        if validate:
            _check_count(held, splits[-1], splits.dtype)
        return ragged_of(held, splits)

    @classmethod
    def from_row_starts(
        cls, values: TensorLike, row_starts: TensorLike, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows that begin at these positions, the first at 0."""
        starts = _partition(row_starts, "row_starts")
        held, starts = _matching(values, starts)
        splits = concat([starts, cast(_count(held), starts.dtype)[None]], 0)
        if validate:
            what = "Arguments to from_row_starts do not form a valid RaggedTensor"
            _invalid(Equal(splits[0], as_tensor(0, splits.dtype)), f"{what}:zero")
            _invalid(reduce_all(LessEqual(splits[:-1], splits[1:])), what)
        return ragged_of(held, splits)

    @classmethod
    def from_row_limits(
        cls, values: TensorLike, row_limits: TensorLike, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows that end before these positions."""
        limits = _partition(row_limits, "row_limits")
        held, limits = _matching(values, limits)
        splits = concat([as_tensor([0], limits.dtype), limits], 0)
        if validate:
            what = "Arguments to from_row_limits do not form a valid RaggedTensor"
            _invalid(reduce_all(LessEqual(splits[:-1], splits[1:])), what)
            _check_count(held, splits[-1], splits.dtype)
        return ragged_of(held, splits)

    @classmethod
    def from_value_rowids(
        cls, values: TensorLike, value_rowids: TensorLike, nrows: TensorLike | None = None, name: str | None = None,
        validate: bool = True
    ) -> RaggedTensor:  # fmt: skip
        """Each value in the row of this number; `nrows` rows, or as many as are named.

        Raises:
          ValueError: there are not as many row ids as values, or too few rows.
          InvalidArgumentError: the row ids decrease, or are negative.
        """
        ids = _partition(value_rowids, "value_rowids")
        held, ids = _matching(values, ids)
        lead = _dims(held)
        if ids.dims and lead and not compatible(ids.dims[:1], lead[:1]):
            raise ValueError(
                errors.at_user_line(f"Shapes {TensorShape(lead[:1])} and {TensorShape(ids.dims)} are incompatible")
            )
        known = static_array(ids)
        if nrows is None:
            last = concat([as_tensor([-1], ids.dtype), ids], 0)[-1]
            rows = last + as_tensor(1, ids.dtype)
        else:
            rows = cast(as_tensor(nrows), ids.dtype)
            count = static_array(rows)
            if count is not None and count < 0:
                raise ValueError(errors.at_user_line(f"Expected nrows >= 0; got {int(count)}"))
            if count is not None and known is not None and len(known) and int(count) < int(known[-1]) + 1:
                raise ValueError(
                    errors.at_user_line(
                        f"Expected nrows >= value_rowids[-1] + 1; got nrows={int(count)}, value_rowids[-1]={known[-1]}"
                    )
                )
        if validate:
            what = "Arguments to from_value_rowids do not form a valid RowPartition"
            zero = as_tensor(0, ids.dtype)
            _invalid(reduce_all(LessEqual(ids[:-1], ids[1:])), what)
            _invalid(reduce_all(LogicalAnd(GreaterEqual(ids, zero), Less(ids, rows))), what)
        lengths = UnsortedSegmentSum(ones_like(ids), ids, rows)
        return ragged_of(held, splits_of_lengths(lengths))

    @classmethod
    def from_uniform_row_length(
        cls, values: Any, uniform_row_length: TensorLike, nrows: TensorLike | None = None, name: str | None = None,
        validate: bool = True
    ) -> RaggedTensor:  # fmt: skip
        """Rows that all have one length; `nrows` says how many where the length is 0.

        Raises:
          ValueError, InvalidArgumentError: the length does not divide the number of values, or is negative.
        """
        held = _held(values)
        dtype = int64
        inner = held._splits.dtype if isinstance(held, RaggedTensor) else None
        for given in (uniform_row_length, nrows):
            if isinstance(given, Tensor) and given.dtype in (int32, int64):
                dtype = given.dtype
        dtype = inner or dtype
        length = cast(as_tensor(uniform_row_length), dtype)
        known = static_array(length)
        if known is not None and known < 0:
            raise ValueError(errors.at_user_line(f"uniform_row_length must be non-negative; got {int(known)}."))
        count = cast(_count(held), dtype)
        if nrows is not None:
            rows = cast(as_tensor(nrows), dtype)
        else:
            one = as_tensor(1, dtype)
            rows = where(Equal(length, as_tensor(0, dtype)), as_tensor(0, dtype), count // Maximum(length, one))
        parts = [static_array(v) for v in (length, rows, count)]
        if all(p is not None for p in parts):
            sizes = [int(p) for p in parts if p is not None]
            if sizes[0] * sizes[1] != sizes[2]:
                raise ValueError(
                    errors.at_user_line(
                        f"uniform_row_length={sizes[0]} times nrows={sizes[1]} must equal nvals={sizes[2]}"
                    )
                )
        elif validate:
            _invalid(Equal(length * rows, count), "uniform_row_length times nrows must equal nvals")
        splits = range_(rows + as_tensor(1, dtype), dtype=dtype) * length
        return ragged_of(held, splits, None if known is None else int(known))

    @classmethod
    def from_nested_row_splits(
        cls, flat_values: TensorLike, nested_row_splits: TensorLike, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """A ragged tensor of several ragged dimensions, the splits of the outermost first."""
        return _nested(cls.from_row_splits, flat_values, nested_row_splits, "nested_row_splits", validate)

    @classmethod
    def from_nested_row_lengths(
        cls, flat_values: TensorLike, nested_row_lengths: TensorLike, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """A ragged tensor of several ragged dimensions, the row lengths of the outermost first."""
        return _nested(cls.from_row_lengths, flat_values, nested_row_lengths, "nested_row_lengths", validate)

    @classmethod
    def from_nested_value_rowids(
        cls, flat_values: TensorLike, nested_value_rowids: Any, nested_nrows: Any = None, name: str | None = None,
        validate: bool = True,
    ) -> Any:  # fmt: skip
        """A ragged tensor of several ragged dimensions, the row ids of the outermost first."""
        if isinstance(nested_value_rowids, Tensor):
            raise TypeError(errors.at_user_line("Argument `nested_value_rowids` must be a list of Tensors."))
        rows = list(nested_nrows) if nested_nrows is not None else [None] * len(nested_value_rowids)
        if len(rows) != len(nested_value_rowids):
            raise ValueError(errors.at_user_line("nested_nrows must have the same length as nested_value_rowids"))
        result = flat_values
        for ids, count in zip(reversed(list(nested_value_rowids)), reversed(rows)):
            result = cls.from_value_rowids(result, ids, count, validate=validate)
        return result

    @classmethod
    def from_tensor(
        cls, tensor: TensorLike, lengths: TensorLike | None = None, padding: TensorLike | None = None,
        ragged_rank: int = 1, name: str | None = None, row_splits_dtype: DTypeLike = int64
    ) -> Any:  # fmt: skip
        """The rows of a tensor: whole, the first `lengths` elements of each, or without trailing `padding`.

        Raises:
          ValueError: both `lengths` and `padding` are given, or the rank does not allow it.
        """
        kind = as_dtype(row_splits_dtype)
        x: Any = as_tensor(tensor)
        if lengths is not None and padding is not None:
            raise ValueError(errors.at_user_line("Specify argument `lengths` or `padding`, but not both."))
        if not isinstance(ragged_rank, int):
            raise TypeError(errors.at_user_line(f"Argument `ragged_rank` must be an int. Received {ragged_rank}."))
        if ragged_rank <= 0:
            raise ValueError(
                errors.at_user_line(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
            )
        rank = None if x.dims is None else len(x.dims)
        if rank is None:
            raise ValueError(errors.at_user_line("from_tensor needs a tensor of known rank"))
        if rank <= 1:
            raise ValueError(
                errors.at_user_line(
                    "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have ragged "
                    f"dimensions. Received argument `tensor` with rank {rank}."
                )
            )
        if ragged_rank >= rank:
            raise ValueError(
                errors.at_user_line(
                    f"Argument `ragged_rank` must be less than the rank of `tensor`, {rank}. Received {ragged_rank}."
                )
            )
        if isinstance(lengths, (list, tuple)) and lengths and not isinstance(lengths[0], (int, np.integer)):
            return cls.from_nested_row_lengths(_trimmed(x, lengths), lengths)
        dims = shape_(x, out_type=kind)
        if ragged_rank > 1:
            flat = reshape(x, concat([reduce_prod(dims[:ragged_rank])[None], dims[ragged_rank:]], 0))
            flat.set_shape([None, *x.dims[ragged_rank:]]) if not isinstance(flat, EagerTensor) else None
            inner = cls.from_tensor(flat, lengths, padding, 1, row_splits_dtype=kind)
            for axis in range(ragged_rank - 1, 0, -1):
                inner = cls.from_uniform_row_length(inner, _static_or(x.dims[axis], dims[axis]), dims[axis - 1]
                                                    if axis == 1 else reduce_prod(dims[:axis]))  # fmt: skip
            return inner
        if padding is not None:
            lengths = _lengths_without(x, as_tensor(padding, x.dtype), kind)
        if lengths is None:
            values = reshape(x, concat([[reduce_prod(dims[:2])], dims[2:]], 0))
            return cls.from_uniform_row_length(_known(values, x.dims[2:]), _static_or(x.dims[1], dims[1]), dims[0])
        sizes = cast(as_tensor(lengths), kind)
        _check_vector(sizes, "lengths")
        sizes = Minimum(sizes, dims[1]) if static_array(sizes) is None else sizes
        mask = sequence_mask(sizes, dims[1])
        return cls.from_row_lengths(boolean_mask(x, mask), sizes, validate=False)

    @classmethod
    def from_sparse(
        cls, st_input: SparseTensor, name: str | None = None, row_splits_dtype: DTypeLike = int64
    ) -> RaggedTensor:
        """The rows of a sparse matrix, whose elements stand at the front of them.

        Raises:
          TypeError: the argument is not sparse.
          ValueError: it is no matrix.
          InvalidArgumentError: a row has a gap.
        """
        if not hasattr(st_input, "dense_shape") or not hasattr(st_input, "indices"):
            raise TypeError(
                errors.at_user_line(
                    f"Argument `st_input` must be of type SparseTensor, but is of type {type(st_input).__name__}."
                )
            )
        indices, shape = as_tensor(st_input.indices, int64), as_tensor(st_input.dense_shape, int64)
        if (shape.dims and shape.dims[0] not in (None, 2)) or (indices.dims and indices.dims[-1] not in (None, 2)):
            raise ValueError(errors.at_user_line("rank(st_input) must be 2."))
        ids, columns = indices[:, 0], indices[:, 1]
        made = cls.from_value_rowids(st_input.values, ids, shape[0])
        made = made.with_row_splits_dtype(as_dtype(row_splits_dtype))
        wanted = RaggedRange(np.int64(0), cast(made.row_lengths(), int64), np.int64(1))[1]
        _invalid(reduce_all(Equal(columns, wanted)), "SparseTensor is not right-ragged")
        return made

    # --- what it is made of ------------------------------------------------------------------------------------------
    @property
    def values(self) -> Any:
        """The rows one after the other: a tensor, or a ragged tensor when there are more ragged dimensions."""
        return self._values

    @property
    def row_splits(self) -> Tensor:
        """Where the rows begin, and where the last one ends."""
        return self._splits

    @property
    def flat_values(self) -> Tensor:
        """The innermost values, a tensor."""
        found = self._values
        while isinstance(found, RaggedTensor):
            found = found._values
        return found

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The splits of all ragged dimensions, the outermost first."""
        found = [self._splits]
        inner = self._values
        while isinstance(inner, RaggedTensor):
            found.append(inner._splits)
            inner = inner._values
        return tuple(found)

    @property
    def uniform_row_length(self) -> Tensor | None:
        """The length of all rows, where they are known to have one, else None."""
        return None if self._uniform is None else as_tensor(self._uniform, self._splits.dtype)

    @property
    def ragged_rank(self) -> int:
        """How many partitions there are."""
        return 1 + (self._values.ragged_rank if isinstance(self._values, RaggedTensor) else 0)

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self.flat_values.dtype

    @property
    def dims(self) -> Dims:
        """The static shape as a tuple, None along ragged dimensions."""
        inner = _dims(self._values)
        count = self._splits.dims
        first = count[0] - 1 if count and count[0] is not None else None
        return None if inner is None else (first, self._uniform, *inner[1:])

    @property
    def shape(self) -> TensorShape:
        """The static shape, None along ragged dimensions."""
        return TensorShape(self.dims)

    def get_shape(self) -> TensorShape:
        """The static shape, None along ragged dimensions."""
        return TensorShape(self.dims)

    @property
    def ndim(self) -> int | None:
        """The rank."""
        return None if self.dims is None else len(self.dims)

    # --- about the rows ----------------------------------------------------------------------------------------------
    def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
        """The number of rows."""
        kind = self._splits.dtype if out_type is None else as_dtype(out_type)
        return shape_(self._splits, out_type=kind)[0] - as_tensor(1, kind)

    def row_starts(self, name: str | None = None) -> Tensor:
        """Where each row begins."""
        return self._splits[:-1]

    def row_limits(self, name: str | None = None) -> Tensor:
        """Where each row ends."""
        return self._splits[1:]

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Tensor | Any:
        """The length of each row along dimension `axis`.

        Raises:
          ValueError: `axis` is out of range.
        """
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return self._splits[1:] - self._splits[:-1]
        if axis < 0:
            axis = positive_axis(axis, self.ndim)
            return self.row_lengths(axis)
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(axis - 1))
        dims = shape_(self._values, out_type=self._splits.dtype)
        if self._values.dims is not None and axis > len(self._values.dims):
            raise ValueError(errors.at_user_line(f"axis={axis} out of bounds: expected 0<=axis<{self.ndim}"))
        return self.with_values(fill(dims[: axis - 1], dims[axis - 1]))

    def value_rowids(self, name: str | None = None) -> Tensor:
        """For each value the row it stands in."""
        kind = self._splits.dtype
        return repeat(range_(self.nrows(), dtype=kind), self.row_lengths())

    def nested_row_lengths(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row lengths of all ragged dimensions."""
        return tuple(s[1:] - s[:-1] for s in self.nested_row_splits)

    def nested_value_rowids(self, name: str | None = None) -> tuple[Tensor, ...]:
        """The row ids of all ragged dimensions."""
        found, part = [], self
        while isinstance(part, RaggedTensor):
            found.append(part.value_rowids())
            part = part._values
        return tuple(found)

    def bounding_shape(
        self, axis: AxisLike = None, name: str | None = None, out_type: DTypeLike | None = None
    ) -> Tensor:
        """The shape of the smallest box that holds it; with `axis`, its size along these dimensions."""
        kind = self._splits.dtype if out_type is None else as_dtype(out_type)
        if isinstance(axis, int):
            if axis == 0:
                return self.nrows(kind)
            if axis == 1:
                return cast(longest(self.row_lengths()), kind)
        sizes = [self.nrows()]
        sizes += [longest(s[1:] - s[:-1]) for s in self.nested_row_splits]
        whole = concat([stack(sizes), shape_(self.flat_values, out_type=self._splits.dtype)[1:]], 0)
        whole = cast(whole, kind)
        return whole if axis is None else gather(whole, axis)

    # --- others like it ----------------------------------------------------------------------------------------------
    def with_values(self, new_values: Any) -> RaggedTensor:
        """The same rows over other values, of which there must be as many."""
        held = _held(new_values)
        mine, theirs = _dims(self._values), _dims(held)
        if mine and theirs and not compatible(mine[:1], theirs[:1]):
            raise ValueError(
                errors.at_user_line(f"Shapes {TensorShape(theirs)} and {TensorShape(mine)} are incompatible")
            )
        if isinstance(held, RaggedTensor) and held._splits.dtype is not self._splits.dtype:
            return ragged_of(held.with_row_splits_dtype(int64), cast(self._splits, int64), self._uniform)
        return ragged_of(held, self._splits, self._uniform)

    def with_flat_values(self, new_values: TensorLike) -> RaggedTensor:
        """The same partitions over other innermost values."""
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: DTypeLike) -> RaggedTensor:
        """The same with splits of another dtype, int32 or int64.

        Raises:
          ValueError: `dtype` is neither.
        """
        kind = as_dtype(dtype)
        if kind not in (int32, int64):
            raise ValueError(
                errors.at_user_line(f"Argument `row_splits` dtype must be int32 or int64. Received {kind}.")
            )
        if self._splits.dtype is kind:
            return self
        inner = self._values
        held = inner.with_row_splits_dtype(kind) if isinstance(inner, RaggedTensor) else inner
        return ragged_of(held, cast(self._splits, kind), self._uniform)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """Dimensions `outer_axis` to `inner_axis` as one.

        Raises:
          ValueError: they are out of range, or in the wrong order.
        """
        outer, inner = positive_axis(outer_axis, self.ndim), positive_axis(inner_axis, self.ndim)
        if not outer <= inner:
            raise ValueError(
                errors.at_user_line(
                    f"Expected outer_axis ({outer_axis}) to be less than or equal to inner_axis ({inner_axis})"
                )
            )
        return merged_dims(self, outer, inner)

    # --- as other things ---------------------------------------------------------------------------------------------
    def to_tensor(self, default_value: TensorLike | None = None, name: str | None = None, shape: Any = None) -> Tensor:
        """A tensor that holds the rows, filled up with `default_value`; cut and filled to `shape` where it says so."""
        values = self.flat_values
        if default_value is None:
            default_value = b"" if values.dtype is string else False if values.dtype.is_bool else 0
        default = as_tensor(default_value, values.dtype)
        dims: Any = np.array(-1, np.int64)
        if shape is not None:
            if isinstance(shape, Tensor):
                dims = shape
            else:
                known = shape.as_list() if isinstance(shape, TensorShape) else list(shape)
                dims = stack([-1 if d is None else d for d in known]) if any(
                    isinstance(d, Tensor) for d in known
                ) else np.array([-1 if d is None else int(d) for d in known], np.int64)  # fmt: skip
        nested = list(self.nested_row_splits)
        result = RaggedTensorToTensor(
            dims, values, default, nested, row_partition_types=["ROW_SPLITS"] * len(nested), name=name
        )
        if shape is None and not isinstance(result, EagerTensor) and self.dims is not None:
            result.set_shape(self.dims)
        return result

    def to_sparse(self, name: str | None = None) -> SparseTensor:
        """A `SparseTensor` of the same elements."""
        return sparse_tensor(*RaggedTensorToSparse(list(self.nested_row_splits), self.flat_values, name=name))

    def to_list(self) -> list[Any]:
        """Nested Python lists.

        Raises:
          ValueError: the values are not known yet.
        """
        if not isinstance(self.flat_values, EagerTensor):
            raise ValueError(errors.at_user_line("to_list can only be used in eager mode."))
        found = self.flat_values.numpy().tolist()
        for splits in reversed(self.nested_row_splits):
            edges = splits.numpy().tolist()
            found = [found[a:b] for a, b in itertools.pairwise(edges)]
        return list(found)

    def numpy(self) -> Any:
        """A NumPy array when all rows are of one length, else an array of arrays."""
        if not isinstance(self.flat_values, EagerTensor):
            raise ValueError(errors.at_user_line("RaggedTensor.numpy() is only supported in eager mode."))
        values = self._values.numpy()
        splits = self._splits.numpy()
        lengths = np.diff(splits)
        if not lengths.size:
            return np.zeros((0, 0) + values.shape[1:], values.dtype)
        if (lengths == lengths[0]).all():
            return values[splits[0] : splits[-1]].reshape(lengths.size, int(lengths[0]), *values.shape[1:]).copy()
        return _rows(values, itertools.pairwise(splits.tolist()), lengths.size)

    def consumers(self) -> list[Any]:
        """The operations that take it; always empty here."""
        return []

    # --- as a value made of tensors ----------------------------------------------------------------------------------
    def components(self) -> list[Any]:
        """The innermost values, and the splits from the outermost on."""
        return [self.flat_values, *self.nested_row_splits]

    def of_shape(self, shape: TensorShape) -> RaggedTensorSpec:
        """The spec of ragged tensors of this ragged rank."""
        return RaggedTensorSpec(shape, self.dtype, self.ragged_rank, self.row_splits.dtype)

    def with_components(self, components: list[Any]) -> RaggedTensor:
        """A value like this one, made of other tensors."""
        lengths, part = [], self
        while isinstance(part, RaggedTensor):
            lengths.append(part._uniform)
            part = part._values
        result = components[0]
        for splits, length in zip(components[:0:-1], reversed(lengths)):
            result = ragged_of(result, splits, length)
        return result

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec(self.shape, self.dtype, self.ragged_rank, self._splits.dtype)

    def dispatch(self, op: OpDef, args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
        """What `op` gives of ragged tensors."""
        rule = ELEMENTS.get(op) or next((ELEMENTS[t] for t in (PER_ELEMENT, ELEMENTWISE) if t in op.traits), None)
        if rule is None:
            raise errors.CompositeGiven(self)
        return rule(args, attrs, apply)

    def printed(self, summarize: int) -> Tensor:
        """The text that `print` writes."""
        return _printed(self, summarize)

    # --- operators ---------------------------------------------------------------------------------------------------
    def __getitem__(self, key: object) -> Any:
        return ops.ragged_getitem(self, key)

    def __iter__(self) -> Any:
        if not isinstance(self._splits, EagerTensor):
            count = self.dims[0] if self.dims else None
            if count is None:
                raise TypeError("iterating over a RaggedTensor of an unknown number of rows needs a traced `for`")
            return iter([self[i] for i in range(count)])
        return iter([self[i] for i in range(len(raw_of(self._splits)) - 1)])

    def __bool__(self) -> NoReturn:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __eq__(self, other: Any) -> Any:
        return _equality(Equal, self, other, False)

    def __ne__(self, other: Any) -> Any:
        return _equality(NotEqual, self, other, True)

    def __repr__(self) -> str:
        if isinstance(self.flat_values, EagerTensor):
            return f"<tf.RaggedTensor {_summary(self)}>"
        return f"tf.RaggedTensor(values={self._values!r}, row_splits={self._splits!r})"

    def __reduce__(self) -> Any:
        return _restore, ([c.numpy() for c in self.components()], self._type_spec)

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self


def _restore(components: list[Any], spec: RaggedTensorSpec) -> Any:
    return spec._build([as_tensor(c) for c in components])


def _operator(name: str, turned: bool) -> Callable[..., Any]:
    method = getattr(Tensor, name)

    def operate(self: RaggedTensor, *others: TensorLike) -> RaggedTensor:
        return method(self, *others)

    operate.__name__ = name
    return operate


for _name in REFLECTED:  # the operators of tensors do it: the ops they call know ragged tensors
    for _full in (f"__{_name}__", f"__r{_name}__"):
        if hasattr(Tensor, _full):
            setattr(RaggedTensor, _full, _operator(_full, False))
for _name in ("lt", "le", "gt", "ge", "neg", "pos", "abs", "invert", "round", "divmod"):
    setattr(RaggedTensor, f"__{_name}__", _operator(f"__{_name}__", False))


def _equality(op: OpDef, a: Any, b: Any, otherwise: bool) -> Any:
    if b is None:
        return otherwise
    try:
        return op(a, b)
    except (errors.InvalidArgumentError, TypeError, ValueError):
        return otherwise


def _rows(values: Array, edges: Iterable[tuple[int, int]], count: int) -> Array:
    """The parts of `values` between `count` pairs of edges, as an array of arrays."""
    out = np.empty(count, object)
    for i, (a, b) in enumerate(edges):
        out[i] = values[a:b]
    return out


def _text(array: object, threshold: int | None = None) -> str:
    if not isinstance(array, np.ndarray):
        return str(array)
    if not array.size:
        return repr(array.tolist())
    return np.array2string(array, formatter={"all": _text}, separator=", ", threshold=threshold)


def _summary(x: RaggedTensor) -> str:
    """`x` as text. Of rows of different lengths that NumPy would not print, only those at both ends are made."""
    splits = x.row_splits.numpy()
    lengths, shown = np.diff(splits), np.get_printoptions()
    edge = shown["edgeitems"]
    if lengths.size <= max(shown["threshold"], 2 * edge + 1) or (lengths == lengths[0]).all():
        return _text(x.numpy())
    picked = [*range(edge + 1), *range(lengths.size - edge, lengths.size)]
    pairs = [(int(splits[i]), int(splits[i + 1])) for i in picked]
    return _text(_rows(x.values.numpy(), pairs, len(picked)), threshold=0)


def _printed(x: RaggedTensor, summarize: int) -> Tensor:
    """`x` as text: the innermost values as they are, then one level of brackets after the other."""
    flat: Any = x.flat_values
    if flat.dtype is string:
        texts = ops.StringJoin(["'", flat, "'"])
    else:
        texts = AsString(flat)
    for _ in range(len(flat.dims) - 1):
        texts = _bracketed(RaggedTensor.from_tensor(merged_dims(texts, 0, len(texts.dims) - 2)), summarize)
    for splits in reversed(x.nested_row_splits):
        texts = _bracketed(ragged_of(texts, splits), summarize)
    count = shape_(texts, out_type=int64)[:1]
    return _bracketed(ragged_of(texts, concat([as_tensor([0], int64), count], 0)), summarize)[0]


def _bracketed(rows: RaggedTensor, summarize: int) -> Tensor:
    """The texts of each row between brackets; only the ends of long rows when `summarize` is not negative."""
    if summarize is not None and summarize >= 0:
        lengths = rows.row_lengths()
        few = as_tensor(2 * summarize, lengths.dtype)
        more = cast(Greater(lengths, few), lengths.dtype)
        dots = ragged_of(fill(reduce_sum(more)[None], "..."), splits_of_lengths(more))
        head = Minimum(lengths, as_tensor(summarize, lengths.dtype))
        tail = Minimum(lengths - head, as_tensor(summarize, lengths.dtype))
        starts = rows._splits[:-1]
        first = _chosen(rows, starts, starts + head, head)
        last = _chosen(rows, rows._splits[1:] - tail, rows._splits[1:], tail)
        joined: Any = concat([first, dots, last], 1)
        rows = joined
    return ops.StringJoin(["[", UnsortedSegmentJoin(
        rows._values, rows.value_rowids(), cast(rows.nrows(), int32), separator=", "), "]"])  # fmt: skip


def _chosen(rows: RaggedTensor, starts: Any, limits: Any, lengths: Tensor) -> RaggedTensor:
    places = RaggedRange(starts, limits, as_tensor(1, starts.dtype), Tsplits=starts.dtype)[1]
    return ragged_of(GatherV2(rows._values, places, np.int32(0)), splits_of_lengths(lengths))


# --- helpers ---------------------------------------------------------------------------------------------------------
def ragged_of(values: TensorLike, splits: Any, uniform: int | None = None) -> Any:
    return RaggedTensor(values, splits, uniform, internal=_HIDDEN)


def _held(values: Any) -> Any:
    return values if isinstance(values, RaggedTensor) else as_tensor(values)


def _dims(x: Any) -> Dims:
    return x.dims


def _count(held: Any) -> Tensor:
    return held.nrows(int64) if isinstance(held, RaggedTensor) else shape_(held, out_type=int64)[0]


def _check_count(held: TensorLike, last: Tensor, dtype: DType) -> None:
    _invalid(
        Equal(last, cast(_count(held), dtype)),
        "Arguments to _from_row_partition do not form a valid RaggedTensor: the splits do not end with the number of "
        "values",
    )


def _partition(value: TensorLike, what: str) -> Tensor:
    if not isinstance(value, Tensor) and isinstance(value, (list, tuple, np.ndarray)) and not len(value):
        found = as_tensor(np.zeros(np.shape(value), np.int64))
    else:
        kept = isinstance(value, Tensor) or (isinstance(value, np.ndarray) and value.dtype in (np.int32, np.int64))
        found = as_tensor(value) if kept else _integers(value)
    if found.dtype not in (int32, int64):
        raise ValueError(errors.at_user_line(f"{what} must have dtype int32 or int64"))
    _check_vector(found, what)
    if found.dims is None:
        found.set_shape([None])
    return found


def _integers(value: Any) -> Tensor:
    try:
        return as_tensor(value, int64)
    except (TypeError, ValueError):
        return as_tensor(value)


def _check_vector(x: Tensor, what: str) -> None:
    if x.dims is not None and len(x.dims) != 1:
        raise ValueError(errors.at_user_line(f"Shape {TensorShape(x.dims)} must have rank 1"))


def _matching(values: Any, partition: Tensor) -> tuple[Any, Any]:
    """Values and partition, with one dtype of splits."""
    held = _held(values)
    if not isinstance(held, RaggedTensor) and held.dims == ():
        raise errors.ShapeError(errors.at_user_line("Shape () must have rank at least 1"))
    if isinstance(held, RaggedTensor) and held._splits.dtype is not partition.dtype:
        return held.with_row_splits_dtype(int64), cast(partition, int64)
    return held, partition


def _nested(make: Callable[..., Any], flat_values: TensorLike, parts: Any, what: str, validate: bool) -> Any:
    if isinstance(parts, Tensor):
        raise TypeError(errors.at_user_line(f"Argument `{what}` must be a list of Tensors. Received {parts}."))
    result = flat_values
    for part in reversed(list(parts)):
        result = make(result, part, validate=validate)
    return result


def splits_of_lengths(lengths: Tensor) -> Tensor:
    """Row splits of rows of these lengths."""
    return concat([as_tensor([0], lengths.dtype), Cumsum(lengths, np.int32(0))], 0)


def static_row_length(x: RaggedTensor) -> int | None:
    """The length that all rows are known to have, if they are."""
    return x._uniform


def longest(lengths: Tensor) -> Tensor:
    """The greatest length; 0 of no lengths."""
    return Maximum(reduce_max(concat([as_tensor([0], lengths.dtype), lengths], 0)), as_tensor(0, lengths.dtype))


def _static_or(known: int | None, tensor: Tensor) -> Tensor:
    return tensor if known is None else as_tensor(known, tensor.dtype)


def _known(values: Tensor, inner: tuple[int | None, ...]) -> Tensor:
    if not isinstance(values, EagerTensor) and inner is not None:
        values.set_shape([None, *inner])
    return values


def _lengths_without(x: Any, padding: Tensor, kind: DType) -> Tensor:
    """For each row how many elements there are up to the last one that is not `padding`."""
    differs = NotEqual(x, padding)
    for axis in range(len(x.dims) - 1, 1, -1):
        differs = reduce_any(differs, axis)
    places = range_(1, shape_(x, out_type=kind)[1] + 1, dtype=kind)
    return reduce_max(cast(differs, kind) * places, axis=1) if x.dims[1] != 0 else reduce_sum(
        cast(differs, kind), axis=1)  # fmt: skip


def _trimmed(x: Any, lengths: Any) -> Any:
    """The elements of `x` that stand within nested row lengths."""
    for sizes in lengths:
        x = boolean_mask(x, sequence_mask(as_tensor(sizes), shape_(x)[1]))
    return x


def positive_axis(axis: int, rank: int | None) -> int:
    """`axis` counted from the front.

    Raises:
      ValueError: it is out of range, or negative while the rank is not known.
    """
    if rank is None:
        if axis < 0:
            raise ValueError(errors.at_user_line(f"axis={axis} may only be negative if rank is statically known."))
        return axis
    if not -rank <= axis < rank:
        raise ValueError(errors.at_user_line(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}"))
    return axis % rank


def merged_dims(x: Any, outer: int, inner: int) -> Any:
    """`x`, ragged or not, with dimensions `outer` to `inner` (counted from the front) as one."""
    if outer == inner:
        return x
    if not isinstance(x, RaggedTensor):
        dims = shape_(x)
        size = reduce_prod(dims[outer : inner + 1])
        known = x.dims
        result = reshape(x, concat([dims[:outer], size[None], dims[inner + 1 :]], 0))
        if known is not None and not isinstance(result, EagerTensor):
            result.set_shape([*known[:outer], None, *known[inner + 1 :]])
        return result
    if outer > 1:
        return x.with_values(merged_dims(x._values, outer - 1, inner - 1))
    if outer == 0:
        return merged_dims(x._values, 0, inner - 1)
    values = x._values
    if not isinstance(values, RaggedTensor):  # the ragged dimension and inner ones that are not
        dims = shape_(values, out_type=x._splits.dtype)
        factor = reduce_prod(dims[1:inner])
        return ragged_of(merged_dims(values, 0, inner - 1), x._splits * factor)
    splits = GatherV2(values._splits, x._splits, 0)
    merged = ragged_of(values._values, splits)
    return merged if inner == 2 else merged_dims(merged, 1, inner - 1)


# --- the spec --------------------------------------------------------------------------------------------------------
class RaggedTensorSpec(Shaped, CompositeSpec):
    """The static type of a ragged tensor: shape (None along ragged dimensions), dtype, ragged rank, dtype of splits.

    >>> import graphrt as tf
    >>> tf.RaggedTensorSpec([None, None], tf.int32)
    RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64)

    Raises:
      ValueError: neither the rank nor `ragged_rank` is known, or they contradict each other.
    """

    __slots__ = ("_dims", "_dtype", "_rank", "_splits")

    def __init__(
        self, shape: ShapeLike = None, dtype: DTypeLike = float32, ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = int64, flat_values_spec: Any = None
    ) -> None:  # fmt: skip
        self._dims = dims_of(shape)
        if flat_values_spec is not None and not hasattr(flat_values_spec, "dtype"):
            raise errors.unexpected(flat_values_spec, "flat_values_spec", "a tf.TypeSpec")
        self._dtype = as_dtype(dtype) if flat_values_spec is None else flat_values_spec.dtype
        self._splits = as_dtype(row_splits_dtype)
        if ragged_rank is None:
            if self._dims is None:
                raise ValueError(errors.at_user_line("Must specify ragged_rank or a shape with a known rank."))
            ragged_rank = len(self._dims) - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(errors.at_user_line(f"Argument `ragged_rank` must be an int. Received {ragged_rank}."))
        if self._dims is not None and ragged_rank >= len(self._dims):
            raise ValueError(
                errors.at_user_line(
                    f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({len(self._dims)})."
                )
            )
        self._rank = ragged_rank
        if self._dims is None and ragged_rank == 0:
            self._dims = None

    @classmethod
    def from_value(cls, value: RaggedTensor) -> RaggedTensorSpec:
        """The spec that describes `value`."""
        if isinstance(value, RaggedTensor):
            return value._type_spec
        if not hasattr(value, "dtype"):
            raise errors.unexpected(value, "value", "a RaggedTensor or a tensor")
        return cls(value.shape, value.dtype, 0)

    @property
    def value_type(self) -> type:
        """RaggedTensor (Tensor when nothing is ragged)."""
        return RaggedTensor if self._rank else Tensor

    @property
    def ragged_rank(self) -> int:
        """How many partitions there are."""
        return self._rank

    @property
    def row_splits_dtype(self) -> DType:
        """The dtype of the splits."""
        return self._splits

    @property
    def flat_values_spec(self) -> None:
        """None: the flat values are plain tensors."""
        return None

    # --- as a value made of tensors ---
    def _uniform(self) -> list[int | None]:
        return [None] * self._rank if self._dims is None else list(self._dims[1 : self._rank + 1])

    def _components(self) -> list[TensorSpec]:
        if not self._rank:
            return [TensorSpec(self._dims, self._dtype)]
        dims = self._dims
        counts: list[int | None] = [None if dims is None else dims[0]]  # rows at each level
        for length in self._uniform():
            last = counts[-1]
            counts.append(None if last is None or length is None else last * length)
        inner = None if dims is None else (counts[-1], *dims[self._rank + 1 :])
        splits = [TensorSpec((None if c is None else c + 1,), self._splits) for c in counts[:-1]]
        return [TensorSpec(inner, self._dtype), *splits]

    def _with_specs(self, specs: list[Any]) -> RaggedTensorSpec:
        flat = dims_of(specs[0].shape)
        if not self._rank:
            return RaggedTensorSpec(flat, self._dtype, 0, self._splits)
        outer = dims_of(specs[1].shape)
        first = outer[0] - 1 if outer and outer[0] is not None else None
        dims = None if flat is None else (first, *self._uniform(), *flat[1:])
        return RaggedTensorSpec(dims, self._dtype, self._rank, self._splits)

    def _build(self, components: list[Any]) -> RaggedTensor:
        result = components[0]
        for splits, length in zip(components[:0:-1], reversed(self._uniform())):
            result = ragged_of(result, splits, length)
        return result

    def _static(self) -> RaggedTensorSpec:
        inner = () if self._dims is None else self._dims[self._rank + 1 :]
        if self._dims is None:
            return RaggedTensorSpec(None, self._dtype, self._rank, self._splits)
        return RaggedTensorSpec((None, *self._uniform(), *[None for _ in inner]), self._dtype, self._rank, self._splits)

    def _row(self) -> RaggedTensorSpec | TensorSpec:
        if self._dims == ():
            raise ValueError(errors.at_user_line("Unbatching a tensor is only supported for rank >= 1"))
        dims = None if self._dims is None else self._dims[1:]
        if dims == ():
            return TensorSpec((), self._dtype)
        return RaggedTensorSpec(dims, self._dtype, max(self._rank - 1, 0), self._splits)

    def _batched(self, size: int | None) -> RaggedTensorSpec:
        dims = None if self._dims is None else (size, *self._dims)
        return RaggedTensorSpec(dims, self._dtype, self._rank + 1, self._splits)

    def _covers(self, other: Any) -> bool:
        return isinstance(other, RaggedTensorSpec) and other.is_subtype_of(self)

    def _same_kind(self, other: object) -> bool:
        return isinstance(other, RaggedTensorSpec) and (self._dtype, self._rank, self._splits) == (
            other._dtype,
            other._rank,
            other._splits,
        )

    def is_compatible_with(self, spec_or_value: RaggedTensor) -> bool:
        """Whether a value (or any value of a spec) may be of this type."""
        if isinstance(spec_or_value, Tensor) and not self._rank:
            return self._dtype is spec_or_value.dtype and compatible(self._dims, spec_or_value.dims)
        other = spec_or_value._type_spec if isinstance(spec_or_value, RaggedTensor) else spec_or_value
        return self._same_kind(other) and compatible(self._dims, other._dims)

    def is_subtype_of(self, other: RaggedTensorSpec) -> bool:
        """Whether every value of this type is also of type `other`."""
        return self._same_kind(other) and self.shape.is_subtype_of(other.shape)

    def most_specific_common_supertype(self, others: list[RaggedTensorSpec]) -> RaggedTensorSpec | None:
        """The narrowest spec that includes this one and `others`, or None."""
        dims = self._dims
        for other in others:
            if not self._same_kind(other):
                return None
            dims = relax(dims, other._dims)
        return RaggedTensorSpec(dims, self._dtype, self._rank, self._splits)

    def __eq__(self, other: Any) -> bool:
        return self._same_kind(other) and self._dims == other._dims

    def __hash__(self) -> int:
        return hash((self._dims, self._dtype, self._rank, self._splits))

    def __repr__(self) -> str:
        return f"RaggedTensorSpec({self.shape!r}, {self._dtype!r}, {self._rank}, {self._splits!r})"

    def __reduce__(self) -> Any:
        return RaggedTensorSpec, (self._dims, self._dtype, self._rank, self._splits)
