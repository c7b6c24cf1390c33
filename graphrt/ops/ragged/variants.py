"""Ragged tensors behind handles: what TensorFlow's graphs put into lists, and give to datasets, row by row.

A row is a `RaggedValue`, a scalar variant; several are an array of objects.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import ALIASES, OpDef, define
from graphrt.ops.array.creation import zeros
from graphrt.ops.array.gather_scatter import gather
from graphrt.ops.array.shape import reshape
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.support.kernel_helpers import bad, ints, text_of, unwrapped
from graphrt.types.dtype import INDEX, DType, int64
from graphrt.types.likes import Array
from graphrt.types.limits import check_bytes
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims, merge


class RaggedValue:
    """A ragged tensor, or a dense one, as one value: the row splits of each level, outermost first, and the values."""

    __slots__ = ("splits", "values")

    def __init__(self, splits: list[Array], values: Array) -> None:
        self.splits = splits
        self.values = values

    def zeros_like(self) -> RaggedValue:
        """Zeros in rows of the same lengths."""
        return RaggedValue(self.splits, unwrapped(np.zeros(np.shape(self.values), self.values.dtype)))

    def __add__(self, other: object) -> RaggedValue:
        if _is_missing(other):
            return self
        if not isinstance(other, RaggedValue):
            return NotImplemented
        same = len(self.splits) == len(other.splits) and all(map(np.array_equal, self.splits, other.splits))
        if not same or np.shape(self.values) != np.shape(other.values):
            raise bad("Trying to add two ragged tensors with different row splits")
        return RaggedValue(self.splits, self.values + other.values)

    __radd__ = __add__

    def __repr__(self) -> str:
        return f"<ragged tensor of rank {len(self.splits)} over {text_of(np.shape(self.values))}>"


def _is_missing(value: object) -> bool:
    """Whether it is what lists, zeros and gradients of slices hold where nothing was put."""
    return isinstance(value, (bytes, int)) and not value


def _each(encoded: Any) -> list[Any]:
    """What is in a tensor of variants, one after the other."""
    return list(encoded.flat) if isinstance(encoded, np.ndarray) else [encoded]


# --- from parts to one value -----------------------------------------------------------------------------------------
def _check_splits(levels: list[Array], values: Array) -> None:
    if levels and np.ndim(values) < 1:
        raise bad(
            f"Requires flat_values to have rank>=1 when nested_row_splits is not empty, but is {np.ndim(values)}."
        )
    sizes = [*(len(s) - 1 for s in levels[1:]), len(values) if levels else 0]
    for splits, size in zip(levels, sizes):
        if np.ndim(splits) != 1:
            raise bad(f"Invalid ragged splits: ragged splits must be rank 1 but is rank {np.ndim(splits)}")
        if not len(splits):
            raise bad("Invalid ragged splits: ragged splits must have at least one splits, but is empty")
        if splits[0] != 0:
            raise bad(f"Invalid ragged splits: first element of ragged splits  must be 0 but is {splits[0]}")
        if (splits[1:] < splits[:-1]).any():
            at = int(np.argmax(splits[1:] < splits[:-1])) + 1
            raise bad(
                "Invalid ragged splits: ragged splits must be monotonically increasing, but "
                f"ragged_splits[{at}]={splits[at]} is smaller than row_splits[{at - 1}]={splits[at - 1]}"
            )
        if splits[-1] != size:
            raise bad(
                "Invalid ragged splits: last element of ragged splits must be the number of ragged "
                f"values({size}) but is {splits[-1]}"
            )


def _rows(levels: list[Array], values: Array) -> Iterator[RaggedValue]:
    outer, inner = levels[0], levels[1:]
    for begin, end in itertools.pairwise(outer.tolist()):
        parts = []
        for splits in inner:
            part = splits[begin : end + 1]
            begin, end = int(part[0]), int(part[-1])
            parts.append(part - part[0])
        yield RaggedValue(parts, values[begin:end])


def _objects(found: list[Any]) -> Array:
    array = np.empty(len(found), object)
    array[:] = found
    return array


def _to_variant(rt_nested_splits: list[Array], rt_dense_values: Array, *, batched_input: bool) -> Any:
    _check_splits(rt_nested_splits, rt_dense_values)
    if not batched_input:
        return RaggedValue(rt_nested_splits, rt_dense_values)
    if rt_nested_splits:
        return _objects(list(_rows(rt_nested_splits, rt_dense_values)))
    if np.ndim(rt_dense_values) < 1:
        raise bad("Can't unbatch rank-0 tensor.")
    return _objects([RaggedValue([], unwrapped(v)) for v in rt_dense_values])


def _variant_dims(c: InferContext) -> Dims:
    *levels, values = range(len(c.inputs))
    for i in levels:
        merge(c.dims(i), (None,))
    dims = c.dims(values)
    if levels and dims == ():
        raise ShapeError("Shape must be at least rank 1 but is rank 0")
    if not c.attrs["batched_input"]:
        return ()
    if levels:
        outer = c.dims(0)
        return (None if outer is None or outer[0] is None else outer[0] - 1,)
    if dims == ():
        raise ShapeError("Shape must be at least rank 1 but is rank 0")
    return None if dims is None else dims[:1]


def _to_variant_vjp(call: Any, g: object) -> list[Any]:
    *levels, values = call.inputs
    bounds: Any = zeros([], int64)  # of one piece, or of one a row
    if call.attrs["batched_input"] and levels:  # where the values of each row begin and end
        bounds = levels[0]
        for splits in levels[1:]:
            bounds = gather(splits, bounds)
    found = RaggedTensorToVariantGradient(g, bounds, shape_(values), Tvalues=values.dtype)
    return [*[None] * len(levels), found]


RaggedTensorToVariant: OpDef = define(
    "RaggedTensorToVariant", "rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: Tvalues -> encoded_ragged: variant",
    attrs="RAGGED_RANK: int >= 0; Tvalues: type; Tsplits: type = int64; batched_input: bool",
    allowed={"Tsplits": INDEX}, infer=_variant_dims, kernel=_to_variant, vjp=_to_variant_vjp, traits=(ALIASES,),
)  # fmt: skip


def _gradient(encoded_ragged_grad: Any, row_splits: Array, dense_values_shape: Array, *, Tvalues: DType) -> Array:
    dims = ints(dense_values_shape)
    pieces = _each(encoded_ragged_grad)
    bounds = ints(row_splits)
    if len(bounds) != len(pieces) + 1:  # a row each, or one piece that is all
        bounds = list(range(len(pieces) + 1)) if isinstance(encoded_ragged_grad, np.ndarray) else [0, *dims[:1]]
    tail = math.prod(dims[1:])
    found = []
    for piece, begin, end in zip(pieces, bounds, bounds[1:] or [1]):
        if _is_missing(piece):  # nothing depends on this row
            check_bytes(max(end - begin, 0) * tail * Tvalues.size, "the gradient of a row")
            found.append(np.zeros(max(end - begin, 0) * tail, Tvalues.as_numpy_dtype))
        else:
            found.append(np.ravel(_ragged(piece, Tvalues).values))
    flat = np.concatenate(found) if found else np.zeros(0, Tvalues.as_numpy_dtype)
    if len(flat) != math.prod(dims):
        raise bad(f"The gradients of the rows have {len(flat)} values, but the ragged tensor has {math.prod(dims)}")
    return unwrapped(flat.reshape(dims))


RaggedTensorToVariantGradient: OpDef = define(
    "RaggedTensorToVariantGradient",
    "encoded_ragged_grad: variant, row_splits: Tsplits, dense_values_shape: int32[1] -> dense_values_grad: Tvalues",
    attrs="Tvalues: type; Tsplits: type = int64", allowed={"Tsplits": INDEX}, infer=lambda c: c.shape_from(2),
    kernel=_gradient, vjp=lambda call, g: [_encoded_as(call, g), None, None], traits=(ALIASES,),
)  # fmt: skip


def _encoded_as(call: Any, g: object) -> object:
    """The gradient of a gradient: rows again, as those of the first input."""
    encoded, bounds, _ = call.inputs
    if encoded.dims == ():
        return RaggedTensorToVariant([], g, batched_input=False)
    return RaggedTensorToVariant([] if bounds.dims == () else [bounds], g, batched_input=True)


# --- from values to one ragged tensor --------------------------------------------------------------------------------
def _ragged(value: Any, dtype: DType, splits: DType | None = None) -> RaggedValue:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, RaggedValue):
        raise bad(f"Input Variant element doesn't hold a RaggedTensorVariant: {shown(value)}")
    if value.values.dtype != dtype.as_numpy_dtype:
        raise bad(f"Expected values Tensor dtype: {dtype.name}, found: {value.values.dtype}")
    for level in value.splits if splits is not None else ():
        if level.dtype != splits.as_numpy_dtype:  # type: ignore[union-attr]
            raise bad(f"Expected row_splits Tensor dtype: {splits.name}, found: {level.dtype}")  # type: ignore[union-attr]
    return value


def _from_variant(
    encoded_ragged: Any, *, input_ragged_rank: int, output_ragged_rank: int, Tvalues: DType, Tsplits: DType
) -> list[Array]:
    dims = np.shape(encoded_ragged)
    rank = _input_rank(len(dims), input_ragged_rank, output_ragged_rank)
    found = [_ragged(v, Tvalues, Tsplits) for v in _each(encoded_ragged)]
    for value in found:
        if len(value.splits) != max(rank, 0):
            raise bad(
                f"Encoded input RaggedTensorVariant has ragged_rank={len(value.splits)}.  Expected "
                f"ragged_rank={max(rank, 0)}."
            )
    if not dims:
        return [*found[0].splits, found[0].values]
    kind = Tsplits.as_numpy_dtype
    if rank < 0:
        return [_joined([v.values for v in found], Tvalues, True)]
    levels = [np.arange(math.prod(dims[:i]) + 1, dtype=kind) * kind(dims[i]) for i in range(1, len(dims))]
    for i, value in enumerate(found):
        if not value.splits and not np.ndim(value.values):
            raise bad(f"Ragged values must have rank >= 1; encoded scalar element at index {i} has a values scalar")
    levels.append(_ends([len(v.splits[0]) - 1 if v.splits else len(v.values) for v in found], kind))
    levels += [_end_to_end([v.splits[i] for v in found], kind) for i in range(rank)]
    return [*levels, _joined([v.values for v in found], Tvalues, False)]


def _input_rank(dims: int, given: int, wanted: int) -> int:
    if given == -1:
        if wanted < dims and (wanted, dims) != (0, 1):  # a vector of dense values is stacked
            raise bad(
                "Inferred input_ragged_rank (output_ragged_rank - encoded_variant.dims()) must be >= 0, found "
                f"output_ragged_rank: {wanted}, encoded_variant.dims(): {dims}, inferred input_ragged_rank: {wanted - dims}"
            )
        return wanted - dims
    if wanted != given + dims:
        raise bad(
            "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); "
            f"output_ragged_rank: {wanted}, input_ragged_rank: {given}, encoded_variant.dims(): {dims}."
        )
    return given


def _ends(lengths: list[int], kind: Any) -> Array:
    return np.cumsum([0, *lengths]).astype(kind)


def _end_to_end(levels: list[Array], kind: Any) -> Array:
    """Splits one after the other, as those of the rows of one ragged tensor."""
    offsets = _ends([s[-1] for s in levels], kind)
    return np.concatenate([np.zeros(1, kind), *(s[1:] + o for s, o in zip(levels, offsets))])


def _joined(values: list[Array], dtype: DType, stacked: bool) -> Array:
    if not values:
        return np.zeros(0, dtype.as_numpy_dtype)
    first = np.shape(values[0])
    for i, value in enumerate(values):
        dims = np.shape(value)
        if len(dims) != len(first):
            raise bad(
                f"Rank of values must match for all components; values shape at index 0: {text_of(first)}, "
                f"values shape at index {i}: {text_of(dims)}"
            )
        skipped = 0 if stacked else 1
        if dims[skipped:] != first[skipped:]:
            raise bad(
                f"All flat_values must have compatible shapes.  Shape at index 0: {text_of(first[skipped:])}.  "
                f"Shape at index {i}: {text_of(dims[skipped:])}"
            )
    return np.stack(values) if stacked else np.concatenate(values)


def _parts_dims(c: InferContext) -> list[Dims]:
    encoded, wanted, given = c.dims(0), c.attrs["output_ragged_rank"], c.attrs["input_ragged_rank"]
    if encoded is not None:
        fits = (
            wanted >= len(encoded) or (wanted, len(encoded)) == (0, 1)
            if given == -1
            else wanted == given + len(encoded)
        )
        if not fits:
            raise ShapeError(
                f"output_ragged_rank {wanted} does not fit input_ragged_rank {given} and variants of rank {len(encoded)}"
            )
    levels: list[Dims] = [(None,)] * wanted
    if wanted and encoded and encoded[0] is not None:
        levels[0] = (encoded[0] + 1,)
    return [*levels, None]


def _from_variant_vjp(call: Any, *grads: Any) -> list[Any]:
    (encoded,) = call.inputs
    *levels, _ = call.outputs
    rank = None if encoded.dims is None else len(encoded.dims)
    if rank == 0 or (rank is None and not levels):
        return [RaggedTensorToVariant(levels, grads[-1], batched_input=False)]
    if rank is None or rank == 1:
        return [RaggedTensorToVariant(levels, grads[-1], batched_input=True)]
    return [reshape(RaggedTensorToVariant(levels[rank - 1 :], grads[-1], batched_input=True), shape_(encoded))]


RaggedTensorFromVariant: OpDef = define(
    "RaggedTensorFromVariant",
    "encoded_ragged: variant -> output_nested_splits: output_ragged_rank * Tsplits, output_dense_values: Tvalues",
    attrs="input_ragged_rank: int >= -1; output_ragged_rank: int >= 0; Tvalues: type; Tsplits: type = int64",
    allowed={"Tsplits": INDEX}, infer=_parts_dims, kernel=_from_variant, vjp=_from_variant_vjp, traits=(ALIASES,),
)  # fmt: skip
