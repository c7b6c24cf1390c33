"""Ragged tensors, tensors and numbers of different shapes brought to one: what element-wise ops begin with."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import ones_like, zeros
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.gather_scatter import GatherV2, gather_nd
from graphrt.ops.array.shape import ExpandDims, reshape, shape, squeeze
from graphrt.ops.math.arithmetic import Minimum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal
from graphrt.ops.math.logical import LogicalOr
from graphrt.ops.math.reduction import reduce_all
from graphrt.ops.ragged.slicing import gather_rows
from graphrt.ops.ragged.tensor import RaggedTensor, ragged_of, require, static_row_length
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import int64


def one_splits_dtype(values: list[Any]) -> list[Any]:
    """`values` with the splits of the ragged ones in one dtype.

    Raises:
      ValueError: they differ.
    """
    kinds = {v.row_splits.dtype for v in values if isinstance(v, RaggedTensor)}
    if len(kinds) > 1:
        raise ValueError(
            errors.at_user_line(
                "Input RaggedTensors have mismatched row_splits dtypes; use RaggedTensor.with_row_splits_dtype() to "
                "convert them to compatible dtypes."
            )
        )
    return values


def aligned(values: list[Any]) -> tuple[Any, list[Any]]:
    """A ragged tensor that has the partitions of all, and the flat values of each, which broadcast as tensors do.

    Raises:
      InvalidArgumentError: the shapes do not broadcast (where it is not known yet, an assertion is recorded).
    """
    one_splits_dtype(values)
    scalars = {i for i, v in enumerate(values) if not isinstance(v, RaggedTensor) and v.dims == ()}
    parts = [v for i, v in enumerate(values) if i not in scalars]
    first = next(v for v in parts if isinstance(v, RaggedTensor))
    if all(isinstance(v, RaggedTensor) and _same_partition(first, v) for v in parts):
        flats = [v.flat_values for v in parts]
        like = first
    else:
        rank = max(len(v.dims) for v in parts)
        like, flats = _align([_lifted(v, rank) for v in parts])
    supply = iter(flats)
    return like, [v if i in scalars else next(supply) for i, v in enumerate(values)]


def _same_partition(a: RaggedTensor, b: RaggedTensor) -> bool:
    return (
        a.ragged_rank == b.ragged_rank
        and all(x is y for x, y in zip(a.nested_row_splits, b.nested_row_splits))
        and (_inner_rank(a) == _inner_rank(b))
    )


def _inner_rank(x: RaggedTensor) -> int | None:
    dims = x.flat_values.dims
    return None if dims is None else len(dims)


def _lifted(x: Any, rank: int) -> Any:
    """`x` with leading dimensions of size 1, so that it has `rank` dimensions."""
    while len(x.dims) < rank:
        if isinstance(x, RaggedTensor):
            x = RaggedTensor.from_uniform_row_length(x, x.nrows(), 1)
        else:
            x = ExpandDims(x, np.int32(0))
    return x


def _size(x: RaggedTensor) -> Tensor:
    return x.nrows() if isinstance(x, RaggedTensor) else shape(x, out_type=int64)[0]


def _lead(x: Any) -> int | None:
    return x.dims[0]


def _align(parts: list[Any]) -> tuple[Any, list[Any]]:
    """Aligns values of one rank, of which at least one is ragged, from the outermost dimension inwards."""
    parts = _align_first(parts)
    return _align_inside(parts)


def _align_first(parts: list[Any]) -> list[Any]:
    """`parts` with one number of rows: single rows repeated."""
    sizes = [_lead(p) for p in parts]
    known = [s for s in sizes if s is not None and s != 1]
    if len(set(known)) > 1:
        _refuse(0, known)
    if all(s == 1 for s in sizes):
        return parts
    driver = next((p for p, s in zip(parts, sizes) if s != 1), parts[0])
    target = cast(_size(driver), int64)
    out = []
    for p, s in zip(parts, sizes):
        if s == 1:
            out.append(gather_rows(p, zeros(target[None], dtype=int64)))
        else:
            if s is None or _lead(driver) is None:
                own = cast(_size(p), int64)
                require(Equal(own, target), errors.InvalidArgumentError, "the numbers of rows differ")
            out.append(p)
    return out


def _refuse(axis: int, sizes: Any) -> None:
    raise errors.InvalidArgumentError(
        None,
        None,
        errors.at_user_line(
            f"Unable to broadcast: dimension size mismatch in dimension {axis}: lengths {sorted(set(sizes))}"
        ),
    )


def _align_inside(parts: list[Any]) -> tuple[Any, list[Any]]:
    """Aligns the dimensions below the first, in which all agree already."""
    ragged = [p for p in parts if isinstance(p, RaggedTensor)]
    if not ragged:
        return None, parts
    # the dimension is as long as the ragged ones say; those of length 1 throughout follow
    driver = next((p for p in ragged if static_row_length(p) != 1), None)
    if driver is None:
        wide = next((p for p in parts if not isinstance(p, RaggedTensor) and p.dims[1] != 1), None)
        driver = _as_ragged(wide) if wide is not None else ragged[0]
    splits = driver.row_splits
    uniform = static_row_length(driver)
    lengths = driver.row_lengths()
    inner: list[Any] = []
    for p in parts:
        if isinstance(p, RaggedTensor):
            if p is driver or p.row_splits is splits:
                inner.append(p.values)
            elif static_row_length(p) == 1:
                inner.append(gather_rows(p.values, driver.value_rowids()))
            else:
                same = reduce_all(Equal(p.row_lengths(), lengths))
                require(same, errors.InvalidArgumentError,
                        "Condition x == y did not hold: the rows of ragged tensors have different lengths")  # fmt: skip
                inner.append(p.values)
        else:
            inner.append(_dense_inside(p, driver, lengths))
    like, flats = _align_inside(inner)
    return ragged_of(flats[0] if like is None else like, splits, uniform), flats


def _as_ragged(x: Any) -> RaggedTensor:
    return RaggedTensor.from_tensor(x)


def _dense_inside(p: Any, driver: RaggedTensor, lengths: Tensor) -> Tensor:
    """The rows of a tensor as values beside those of `driver`."""
    size = p.dims[1]
    if size == 1:
        return GatherV2(squeeze(p, [1]), driver.value_rowids(), np.int32(0))
    width = shape(p, out_type=driver.row_splits.dtype)[1]
    fits = reduce_all(Equal(lengths, width))
    if size is None:  # one or as many as the rows have
        fits = LogicalOr(fits, Equal(width, cast(as_one(width), width.dtype)))
    message = "Condition x == y did not hold: the rows of a ragged tensor and of a tensor have different lengths"
    require(fits, errors.InvalidArgumentError, message)
    if size is not None:
        dims = shape(p)
        return reshape(p, concat([dims[0:1] * dims[1:2], dims[2:]], 0))
    rows = cast(driver.value_rowids(), int64)
    within = cast(range_(shape(rows, out_type=int64)[0]), int64) - cast(
        GatherV2(driver.row_splits[:-1], driver.value_rowids(), np.int32(0)), int64)  # fmt: skip
    column = Minimum(within, cast(width, int64) - np.int64(1))
    return gather_nd(p, stack([rows, column], axis=1))


def as_one(like: Any) -> Any:
    """1 in the dtype of `like`."""
    return ones_like(like)


__all__ = ["aligned", "one_splits_dtype"]
