"""Sequences, whose elements have one dtype and any shapes: lists of tensors here."""

# names of another format: those of ONNX's ops

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.control_flow.while_loop import while_loop
from graphrt.export.onnx import schema
from graphrt.export.onnx.reader import Reading, Use
from graphrt.export.onnx.readings.arrays import shape64
from graphrt.export.onnx.readings.elementwise import vector
from graphrt.ops.array.concat_split import ConcatV2
from graphrt.ops.array.creation import Fill, Range
from graphrt.ops.array.selection import SelectV2
from graphrt.ops.array.shape import ExpandDims, Rank, Reshape, Transpose
from graphrt.ops.array.slicing import Slice
from graphrt.ops.lists.tensor_array import TensorArray
from graphrt.ops.lists.tensor_list import (
    TensorListGetItem,
    TensorListLength,
    TensorListPopBack,
    TensorListPushBack,
    TensorListReserve,
    TensorListResize,
    TensorListSetItem,
)
from graphrt.ops.lists.whole_lists import TensorListScatterIntoExistingList, TensorListStack
from graphrt.ops.math.arithmetic import Minimum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.cumulative import Cumsum
from graphrt.ops.math.division import FloorDiv
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import DType, float32, int32, int64
from graphrt.types.shape import TensorShape

ANY = np.int32(-1)  # any shape, as the ops of lists are told it


def sequence(dtype: DType, flow: Any) -> TensorArray:
    """A list as a value of a model: of one dtype, of any shapes, of any length."""
    return TensorArray(dtype, flow=flow, infer_shape=False, dynamic_size=True)


def reserved(dtype: DType, count: Any) -> Tensor:
    """A list of so many elements that nobody has written."""
    return TensorListReserve(ANY, cast(convert_to_tensor(count), int32), element_dtype=dtype)


def _scalar(x: Tensor) -> Tensor:
    return Reshape(cast(x, int32), np.zeros(0, np.int32))


def _position(c: Use, index: int, size: Tensor) -> Tensor:
    """The place that an input tells; one below zero counts from the end."""
    place = _scalar(c[index])
    return SelectV2(place < 0, place + size, place)


def _element(flow: Tensor, place: Any, dtype: DType) -> Tensor:
    return TensorListGetItem(flow, place, ANY, element_dtype=dtype)


def _each(start: Any, stop: Tensor, flow: Tensor, turn: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """A list after a turn for each place from `start` to before `stop`."""

    def step(i: Tensor, made: Tensor) -> Any:
        return i + 1, turn(i, made)

    return while_loop(lambda i, made: i < stop, step, (convert_to_tensor(start, int32), flow))[1]


# --- making them -----------------------------------------------------------------------------------------------------
def _empty(c: Use) -> TensorArray:
    number = c.whole("dtype", schema.NUMBERS[float32])
    if number not in schema.DTYPES:
        raise ValueError(f"its element type {number} is not known")
    return sequence(schema.DTYPES[number], reserved(schema.DTYPES[number], 0))


def _constructed(c: Use) -> TensorArray:
    flow = reserved(c.dtype, len(c.inputs))
    for i in range(len(c.inputs)):
        flow = TensorListSetItem(flow, np.int32(i), c[i], element_dtype=c.dtype)
    return sequence(c.dtype, flow)


def _split(c: Use) -> TensorArray:
    rank = c.rank()
    axis = c.whole("axis", 0)
    if not -rank <= axis < rank:
        raise ValueError(f"the axis {axis} of a tensor of rank {rank}")
    axis %= rank
    size = shape64(c[0])[axis]
    if c.given(1) is None:
        return _slices(c, axis, rank, size)
    pieces = c[1]
    if pieces.shape.rank == 0:
        width = cast(pieces, int64)
        count = FloorDiv(size + width - 1, width)
        lengths = Minimum(
            Fill(Reshape(count, vector([1])), width), size - Range(np.int64(0), count, np.int64(1)) * width
        )
    else:
        lengths = cast(pieces, int64)
    ends = Cumsum(lengths, np.int32(0))
    whole = shape64(c[0])

    def cut(i: Tensor, made: Tensor) -> Tensor:
        first = ConcatV2(
            [vector([0] * axis), Reshape(ends[i] - lengths[i], vector([1])), vector([0] * (rank - axis - 1))], 0
        )
        sizes = ConcatV2([whole[:axis], Reshape(lengths[i], vector([1])), whole[axis + 1 :]], np.int32(0))
        return TensorListSetItem(made, i, Slice(c[0], first, sizes), element_dtype=c.dtype)

    count32 = cast(shape64(lengths)[0], int32)
    return sequence(c.dtype, _each(0, count32, reserved(c.dtype, count32), cut))


def _slices(c: Use, axis: int, rank: int, size: Tensor) -> TensorArray:
    """The pieces of size one; their axis is dropped when the model says so."""
    rows = Transpose(c[0], np.array([axis, *(i for i in range(rank) if i != axis)], np.int32)) if axis else c[0]
    if c.whole("keepdims", 1):
        rows = ExpandDims(rows, np.int32(axis + 1))
    places = Range(np.int32(0), cast(size, int32), np.int32(1))
    # a list made of the tensor at once would take no elements of other shapes later
    return sequence(c.dtype, TensorListScatterIntoExistingList(reserved(c.dtype, size), rows, places))


# --- changing them ---------------------------------------------------------------------------------------------------
def _erased(c: Use) -> TensorArray:
    held = c.sequence(0)
    flow, dtype = held.flow, held.dtype
    if c.given(1) is None:
        return sequence(dtype, TensorListPopBack(flow, ANY, element_dtype=dtype)[0])
    size = TensorListLength(flow)
    place = _position(c, 1, size)
    start = TensorListSetItem(flow, place, _element(flow, place, dtype), element_dtype=dtype)  # fails for no such place
    moved = _each(
        place, size - 1, start,
        lambda i, made: TensorListSetItem(made, i, _element(flow, i + 1, dtype), element_dtype=dtype),
    )  # fmt: skip
    found = sequence(dtype, TensorListResize(moved, size - 1))
    c.reader.erased[id(found)] = (found, held, c[1])
    return found


def _inserted(c: Use) -> TensorArray:
    held, item = c.sequence(0), c[1]
    flow, dtype = held.flow, held.dtype
    if item.dtype is not dtype:
        raise ValueError(f"an element of {item.dtype.name} for a sequence of {dtype.name}")
    if c.given(2) is None:
        return sequence(dtype, TensorListPushBack(flow, item))
    _, before, erased = c.reader.erased.get(id(held), (None, held, None))
    if erased is c[2]:  # an element is replaced: what was erased needs not be moved
        place = _position(c, 2, TensorListLength(before.flow))
        return sequence(dtype, TensorListSetItem(before.flow, place, item, element_dtype=dtype))
    size = TensorListLength(flow)
    place = _position(c, 2, size)
    moved = _each(
        place, size, TensorListPushBack(flow, item),
        lambda i, made: TensorListSetItem(made, i + 1, _element(flow, i, dtype), element_dtype=dtype),
    )  # fmt: skip
    return sequence(dtype, TensorListSetItem(moved, place, item, element_dtype=dtype))


# --- reading them ----------------------------------------------------------------------------------------------------
def _at(c: Use) -> Tensor:
    held = c.sequence(0)
    return _element(held.flow, _position(c, 1, TensorListLength(held.flow)), held.dtype)


def _joined(c: Use) -> Tensor:
    held = c.sequence(0)
    axis = c.whole("axis")
    if c.whole("new_axis", 0):
        return _stacked(TensorListStack(held.flow, ANY, element_dtype=held.dtype), axis)

    def add(i: Tensor, whole: Tensor) -> Any:
        return i + 1, ConcatV2([whole, _element(held.flow, i, held.dtype)], np.int32(axis))

    size = TensorListLength(held.flow)
    start = (convert_to_tensor(np.int32(1)), _element(held.flow, np.int32(0), held.dtype))
    open_ = [TensorShape([]), TensorShape(None)]
    return while_loop(lambda i, whole: i < size, add, start, open_)[1]


def _stacked(rows: Tensor, axis: int) -> Tensor:
    """Elements in a row, with their axis put in its place; of what rank they are is only known when it is run."""
    if axis == 0:
        return rows
    rank = Rank(rows)
    place = axis + rank if axis < 0 else convert_to_tensor(np.int32(axis))
    others = Range(np.int32(1), rank, np.int32(1))
    one = Range(np.int32(0), np.int32(1), np.int32(1))
    return Transpose(rows, ConcatV2([others[:place], one, others[place:]], np.int32(0)))


def _length(c: Use) -> Tensor:
    return cast(TensorListLength(c.sequence(0).flow), int64)


READINGS: dict[str, Reading] = {
    "ConcatFromSequence": _joined,
    "SequenceAt": _at,
    "SequenceConstruct": _constructed,
    "SequenceEmpty": _empty,
    "SequenceErase": _erased,
    "SequenceInsert": _inserted,
    "SequenceLength": _length,
    "SplitToSequence": _split,
}
