"""`ragged[...]`: rows and slices of ragged tensors."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import provide
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.gather_scatter import GatherV2
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import ExpandDims, shape
from graphrt.ops.math.arithmetic import Maximum, Minimum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import GreaterEqual, Less
from graphrt.ops.math.logical import LogicalAnd
from graphrt.ops.ragged.kernels import RaggedGather, RaggedRange
from graphrt.ops.ragged.tensor import RaggedTensor, ragged_of, require, splits_of_lengths, static_row_length
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor, static_array
from graphrt.types.dtype import int64
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import shown

_ALL = builtins.slice(None)


@provide
def ragged_getitem(x: RaggedTensor, key: object) -> Any:
    """What `x[key]` gives: rows, slices of rows, and whole slices of inner dimensions.

    Raises:
      ValueError: an inner ragged dimension is indexed with a number.
      IndexError: there is no such row.
      TypeError: the key is of another kind.
    """
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    rank = x.ndim
    given = [k for k in keys if k is not None and k is not Ellipsis]
    if any(k is Ellipsis for k in keys):
        at = next(i for i, k in enumerate(keys) if k is Ellipsis)
        if rank is None:
            raise ValueError(errors.at_user_line("Rank must be known for ellipsis"))
        filler = [_ALL] * max(rank - len(given), 0)
        keys = [*keys[:at], *filler, *[k for k in keys[at + 1 :] if k is not Ellipsis]]
    for one in keys:
        _check_key(one)
    return _item(x, keys)


def _check_key(key: object) -> None:
    scalar = isinstance(key, (int, np.integer)) and not isinstance(key, (bool, np.bool_))
    tensor = isinstance(key, Tensor) and key.dtype.is_integer and key.dims in ((), None)
    array = isinstance(key, np.ndarray) and key.ndim == 0 and key.dtype.kind in "iu"
    if not (key is None or isinstance(key, builtins.slice) or scalar or tensor or array):
        raise TypeError(
            errors.at_user_line(
                "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 "
                f"tensors are valid indices, got {shown(key)}"
            )
        )


def _item(x: RaggedTensor | Tensor, keys: list[Any]) -> Any:
    if not keys:
        return x
    if not isinstance(x, RaggedTensor):
        return x[tuple(keys)]
    first, rest = keys[0], keys[1:]
    if first is None:
        inner = _item(x, rest)
        return _new_axis(inner)
    if isinstance(first, builtins.slice):
        rows = _rows(x, first)
        return _inner(rows, rest)
    return _item(_row(x, first), rest)


def _new_axis(inner: Any) -> RaggedTensor:
    if not isinstance(inner, RaggedTensor):
        return ExpandDims(inner, np.int32(0))
    return RaggedTensor.from_uniform_row_length(inner, inner.nrows(), 1, validate=False) if static_array(
        inner.nrows()) is None else RaggedTensor.from_uniform_row_length(inner, inner.nrows(), 1)  # fmt: skip


def _row(x: RaggedTensor, key: Any) -> Any:
    splits = x.row_splits
    index = cast(as_tensor(key), splits.dtype)
    known, count = static_array(index), x.dims[0] if x.dims else None
    if known is not None and count is not None and not -count <= int(known) < count:
        text = errors.at_user_line(f"Row key {int(known)} out of bounds")
        raise IndexError(text) if int(known) >= 0 else errors.InvalidArgumentError(None, None, text)
    if known is None or int(known) < 0:
        rows = x.nrows()
        index = where(Less(index, as_tensor(0, index.dtype)), index + rows, index)
        if known is None:
            inside = LogicalAnd(GreaterEqual(index, as_tensor(0, index.dtype)), Less(index, rows))
            require(inside, IndexError, f"Row key {shown(key)} out of bounds")
    start, limit = splits[index], splits[index + as_tensor(1, index.dtype)]
    values = x.values
    return _rows(values, builtins.slice(start, limit)) if isinstance(values, RaggedTensor) else values[start:limit]


def _rows(x: Any, key: builtins.slice) -> RaggedTensor:
    """The rows that a slice names."""
    if not isinstance(x, RaggedTensor):
        return x[key]
    if key.start is None and key.stop is None and key.step is None:
        return x
    if key.step is None or (isinstance(key.step, int) and key.step == 1):
        starts, limits = x.row_splits[:-1][key.start : key.stop], x.row_splits[1:][key.start : key.stop]
        # no rows: splits of one 0 (the slice of values is empty then, too)
        first = concat([starts[:1], as_tensor([0], starts.dtype)], 0)[:1]
        whole = concat([first, limits], 0)
        return ragged_of(_sliced(x.values, whole[0], whole[-1]), whole - whole[0], static_row_length(x))
    chosen = range_(x.nrows(int64), dtype=int64)[key]
    return gather_rows(x, chosen)


def _sliced(values: Any, start: Any, limit: Any) -> Any:
    return _rows(values, builtins.slice(start, limit)) if isinstance(values, RaggedTensor) else values[start:limit]


def gather_rows(x: TensorLike, indices: TensorLike) -> Any:
    """Rows of a ragged tensor (or of a tensor) by their numbers, in the shape of `indices`."""
    if not isinstance(x, RaggedTensor):
        return GatherV2(x, indices, np.int32(0))
    nested = list(x.nested_row_splits)
    at: Any = as_tensor(indices)
    rank = len(at.dims)
    if rank == 0:
        return _row(x, _checked(at, x))
    found = RaggedGather(nested, x.flat_values, at, OUTPUT_RAGGED_RANK=len(nested) + rank - 1)
    splits, flat = found[:-1], found[-1]
    lengths = [*at.dims[1:], *_uniforms(x)]
    result = flat
    for one, length in zip(reversed(splits), reversed(lengths)):
        result = ragged_of(result, one, length)
    return result


def _checked(index: Tensor, x: RaggedTensor) -> Tensor:
    known, count = static_array(index), x.dims[0] if x.dims else None
    if known is not None and count is not None and not 0 <= int(known) < count:
        raise errors.InvalidArgumentError(
            None, None, errors.at_user_line(f"indices = {int(known)} is not in [0, {count}) [Op:RaggedGather]")
        )
    return index


def _uniforms(x: Any) -> list[int | None]:
    found = []
    while isinstance(x, RaggedTensor):
        found.append(static_row_length(x))
        x = x.values
    return found


def _inner(x: Any, keys: list[Any]) -> Any:
    """`x` with `keys` applied inside each of its rows."""
    if not keys:
        return x
    if not isinstance(x, RaggedTensor):
        return x[(_ALL, *keys)]
    first, rest = keys[0], keys[1:]
    if first is None:
        inner = _inner(x, rest)
        one = inner.nrows() if isinstance(inner, RaggedTensor) else shape(inner, out_type=int64)[0]
        return RaggedTensor.from_uniform_row_length(inner, 1, one)
    if isinstance(first, builtins.slice):
        return _inner_slice(x, first, rest)
    length = static_row_length(x)
    if length is None:
        raise ValueError(errors.at_user_line("Cannot index into an inner ragged dimension."))
    at = cast(as_tensor(first), x.row_splits.dtype)
    known = static_array(at)
    if known is not None and not -length <= int(known) < length:
        raise IndexError(errors.at_user_line(f"index {int(known)} is out of bounds for a dimension of length {length}"))
    at = where(Less(at, as_tensor(0, at.dtype)), at + as_tensor(length, at.dtype), at)
    return _inner_rest(gather_rows(x.values, x.row_splits[:-1] + at), rest)


def _inner_rest(x: RaggedTensor, keys: list[Any]) -> Any:
    return _inner(x, keys) if isinstance(x, RaggedTensor) or keys else x


def _inner_slice(x: RaggedTensor, key: builtins.slice, rest: list[Any]) -> RaggedTensor:
    plain = key.start is None and key.stop is None and key.step is None
    values = x.values
    if plain:
        return x.with_values(_inner(values, rest)) if rest else x
    step = 1 if key.step is None else key.step
    stepped = static_array(as_tensor(step))
    if stepped is None:
        raise ValueError(errors.at_user_line("the step of a slice of an inner ragged dimension must be known"))
    if int(stepped) == 0:
        raise ValueError(errors.at_user_line("slice step cannot be zero"))
    dtype = x.row_splits.dtype
    lengths = x.row_lengths()
    zero, by = as_tensor(0, dtype), as_tensor(int(stepped), dtype)
    low, high = (zero, lengths) if int(stepped) > 0 else (as_tensor(-1, dtype), lengths - as_tensor(1, dtype))

    def bound(given: int | None, default: Tensor) -> Tensor:
        if given is None:
            return default
        at = cast(as_tensor(given), dtype)
        at = where(Less(at, zero), at + lengths, at)
        return Minimum(Maximum(at, low), high)

    begin = bound(key.start, zero if int(stepped) > 0 else lengths - as_tensor(1, dtype))
    end = bound(key.stop, lengths if int(stepped) > 0 else as_tensor(-1, dtype))
    starts = x.row_splits[:-1]
    splits, chosen = RaggedRange(starts + begin, starts + end, by, Tsplits=dtype)
    uniform = static_row_length(x)
    if uniform is not None:
        plain = all(k is None or isinstance(k, int) for k in (key.start, key.stop))
        uniform = len(range(uniform)[key.start : key.stop : int(stepped)]) if plain else None
    return ragged_of(_inner_rest_of_values(gather_rows(values, chosen), rest), splits, uniform)


def _inner_rest_of_values(values: TensorLike, rest: list[Any]) -> Any:
    return _inner(values, rest) if rest else values


__all__ = ["gather_rows", "ragged_getitem", "splits_of_lengths"]
