"""Lists as one tensor, and back: stacked, gathered, scattered, joined, split."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import ALIASES, OpDef, define
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.lists.list_checks import check_dtype, dims_input, filling, merged_shapes, shape_text
from graphrt.ops.lists.list_value import TensorListValue, unset, zeros_of
from graphrt.ops.lists.tensor_list import (
    LIST,
    SHAPES,
    TensorListFromTensor,
    TensorListLength,
    TensorListResize,
    list_element_shape,
    static_dims,
    tail_of,
)
from graphrt.ops.math.segments import UnsortedSegmentSum
from graphrt.ops.support.kernel_helpers import bad, ints, text_of, unwrapped
from graphrt.types.dtype import DType
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, compatible, is_static, merge


# --- all elements ----------------------------------------------------------------------------------------------------
def _stack(handle: TensorListValue, element_shape: Array, *, element_dtype: DType, num_elements: int) -> Array:
    check_dtype(handle, element_dtype)
    if 0 <= num_elements != handle.length:
        raise bad(
            f"Operation expected a list with {num_elements} elements but got a list with {handle.length} elements."
        )
    dims = merged_shapes(dims_input(element_shape), handle.dims)
    items = handle.items()
    if not items:
        if not is_static(dims):
            raise bad(
                f"Tried to stack elements of an empty list with non-fully-defined element_shape: {shape_text(dims)}"
            )
        return zeros_of((0, *dims), element_dtype.as_numpy_dtype)  # type: ignore[misc]
    if any(v is None for v in items):
        blank = filling(
            handle, dims,
            "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined element_shape",
        )  # fmt: skip
        items = [blank if v is None else v for v in items]
    for v in items:
        dims = merged_shapes(dims, np.shape(v))
    if isinstance(items[0], np.generic):
        return np.array(items, items[0].dtype)
    return np.stack(items)


def _stacked_dims(c: InferContext) -> Dims:
    dims, count = static_dims(c, 1), c.attrs["num_elements"]
    return None if dims is None else (None if count < 0 else count, *dims)


TensorListStack = define(
    "TensorListStack", "input_handle: variant, element_shape: int32 -> tensor: element_dtype",
    attrs="element_dtype: type; num_elements: int = -1", infer=_stacked_dims, kernel=_stack,
    vjp=lambda call, g: [TensorListFromTensor(g, list_element_shape(call.inputs[0])), None], traits=(ALIASES,),
)  # fmt: skip


def _gather(handle: TensorListValue, indices: Array, element_shape: Array, *, element_dtype: DType) -> Array:
    check_dtype(handle, element_dtype)
    dims = merged_shapes(dims_input(element_shape), handle.dims)
    items, places = handle.items(), ints(indices)
    for i in places:
        if not 0 <= i < len(items):
            raise bad(f"Index {i} out of range; list only has {len(items)} elements.")
    if not places:
        if not is_static(dims):
            raise bad("Tried to gather 0-elements from a list with non-fully-defined shape: " + shape_text(dims))
        return zeros_of((0, *dims), element_dtype.as_numpy_dtype)  # type: ignore[misc]
    found = [items[i] for i in places]
    if any(v is None for v in found):
        blank = filling(
            handle, dims, "Tried to gather uninitialized tensors from a list with non-fully-defined element_shape"
        )
        found = [blank if v is None else v for v in found]
    for v in found:
        dims = merged_shapes(dims, np.shape(v))
    return np.stack(found)


def _gathered_dims(c: InferContext) -> Dims:
    dims, count = static_dims(c, 2), c.dims(1)
    return None if dims is None else (None if count is None else count[0], *dims)


def _gather_vjp(call: Any, g: object) -> list[Any]:
    handle, indices, _ = call.inputs
    total = UnsortedSegmentSum(g, indices, TensorListLength(handle))
    return [TensorListFromTensor(total, list_element_shape(handle)), None, None]


TensorListGather = define(
    "TensorListGather", "input_handle: variant, indices: int32, element_shape: int32 -> values: element_dtype",
    attrs="element_dtype: type", infer=_gathered_dims, kernel=_gather, vjp=_gather_vjp, traits=(ALIASES,),
)  # fmt: skip


def _check_scatter(tensor: Array, indices: Array) -> list[int]:
    places = ints(indices)
    if np.ndim(tensor) < 1 or len(places) != len(tensor):
        raise bad(
            "Specified a list with different number of indices and rows: "
            f"{len(places)} indices, tensor shape {text_of(np.shape(tensor))}"
        )
    for i in places:
        if i < 0:
            raise bad(f"Indices in TensorListScatter must all be positive, but got {i}.")
    return places


def _scatter(
    tensor: Array, indices: Array, element_shape: Array, num_elements: Array, *, element_dtype: DType
) -> TensorListValue:
    places = _check_scatter(tensor, indices)
    count = int(num_elements)
    highest = max(places, default=-1) + 1
    if count < -1:
        raise bad(f"TensorListScatter expects num_elements >= -1, found: {count}")
    if 0 <= count < highest:
        raise bad(f"TensorListScatter: Trying to scatter at index {highest - 1} in list with size {count}")
    items = unset(highest if count == -1 else count)
    for i, v in zip(places, tensor):
        items[i] = unwrapped(v)
    return TensorListValue(items, element_dtype, merged_shapes(dims_input(element_shape), np.shape(tensor)[1:]))


TensorListScatterV2 = define(
    "TensorListScatterV2",
    "tensor: element_dtype, indices: int32, element_shape: shape_type, num_elements: int32 -> output_handle: variant",
    attrs=LIST, allowed=SHAPES, infer=lambda c: (), kernel=_scatter,
    vjp=lambda call, g: [
        TensorListGather(g, call.inputs[1], tail_of(call.inputs[0]), element_dtype=call.attrs["element_dtype"]),
        None, None, None,
    ], traits=(ALIASES,),
)  # fmt: skip


def _scatter_existing(
    handle: TensorListValue, tensor: Array, indices: Array, *, element_dtype: DType
) -> TensorListValue:
    check_dtype(handle, element_dtype)
    places = _check_scatter(tensor, indices)
    highest = max(places, default=-1) + 1
    result = handle.resize(highest) if highest > handle.length else handle
    if not compatible(handle.dims, np.shape(tensor)[1:]):
        raise bad(
            f"Specified a list with shape {shape_text(handle.dims)} from a tensor with shape "
            f"{text_of(np.shape(tensor)[1:])}"
        )
    for i, v in zip(places, tensor):
        result = result.set(i, unwrapped(v))
    return result


def _scatter_existing_vjp(call: Any, g: object) -> list[Any]:
    handle, tensor, indices = call.inputs
    part = TensorListGather(g, indices, tail_of(tensor), element_dtype=tensor.dtype)
    rest = TensorListScatterIntoExistingList(g, zeros_like(tensor), indices)
    return [TensorListResize(rest, TensorListLength(handle)), part, None]


TensorListScatterIntoExistingList = define(
    "TensorListScatterIntoExistingList",
    "input_handle: variant, tensor: element_dtype[1+], indices: int32[1] -> output_handle: variant",
    attrs="element_dtype: type", infer=lambda c: (), kernel=_scatter_existing, vjp=_scatter_existing_vjp,
    traits=(ALIASES,),
)  # fmt: skip


def _concat(
    handle: TensorListValue, element_shape: Array, leading_dims: Array, *, element_dtype: DType
) -> tuple[Array, Array]:
    check_dtype(handle, element_dtype)
    wanted = dims_input(element_shape)
    rest = None if wanted is None else wanted[1:]
    items = handle.items()
    sizes = ints(leading_dims)
    found = []
    for i, v in enumerate(items):
        if v is None:
            known = merged_shapes(wanted, handle.dims)
            lead = sizes[i] if i < len(sizes) else (known[0] if known else None)
            tail = rest if rest is not None else None if handle.dims is None else handle.dims[1:]
            if lead is None or not is_static(tail):
                raise bad(f"Concat requires list element {i}, which was never set, to have a known shape")
            v = zeros_of((lead, *tail), element_dtype.as_numpy_dtype)  # type: ignore[misc]
        if np.ndim(v) < 1:
            raise bad(f"Concat saw a scalar shape at index {i} but requires at least vectors.")
        rest = merged_shapes(rest, np.shape(v)[1:])
        found.append(v)
    lengths = np.array([len(v) for v in found], np.int64)
    if not found:
        if not is_static(rest):
            raise bad(
                "All except the first dimension must be fully defined when concating an empty tensor list. "
                f"element_shape: {shape_text(wanted)}"
            )
        return zeros_of((0, *rest), element_dtype.as_numpy_dtype), lengths  # type: ignore[misc]
    return np.concatenate(found), lengths


def _concat_dims(c: InferContext) -> list[Dims]:
    dims = static_dims(c, 1)
    if dims == ():
        raise ShapeError("Shape must be at least rank 1 but is rank 0: concat needs elements that are at least vectors")
    return [None if dims is None else (None, *dims[1:]), (None,)]


TensorListConcatV2 = define(
    "TensorListConcatV2",
    "input_handle: variant, element_shape: shape_type, leading_dims: int64 -> tensor: element_dtype, lengths: int64",
    attrs="element_dtype: type; shape_type: type = int32", allowed=SHAPES, infer=_concat_dims, kernel=_concat,
    vjp=lambda call, g, _: [
        TensorListSplit(g, list_element_shape(call.inputs[0]), call.outputs[1]), None, None,
    ],
)  # fmt: skip


def _split(tensor: Array, element_shape: Array, lengths: Array, *, element_dtype: DType) -> TensorListValue:
    if np.ndim(tensor) < 1:
        raise bad("Tensor must be at least a vector, but saw shape: []")
    sizes = ints(lengths)
    at, items = 0, []
    for i, n in enumerate(sizes):
        if n < 0:
            raise bad(f"Invalid value in lengths: {n}")
        if at + n > len(tensor):
            raise bad(f"Attempting to slice [{at}, {at + n}] from tensor with length {len(tensor)} (piece {i})")
        items.append(tensor[at : at + n])
        at += n
    if at != len(tensor):
        raise bad(f"Unused values in tensor. Length of tensor: {len(tensor)} Values used: {at}")
    wanted = dims_input(element_shape)
    for v in items:
        if not compatible(wanted, np.shape(v)):
            raise bad(
                f"tensor shape {text_of(np.shape(v))} is not compatible with the element shape {shape_text(wanted)}"
            )
    return TensorListValue(items, element_dtype, wanted)


TensorListSplit: OpDef = define(
    "TensorListSplit",
    "tensor: element_dtype[1+], element_shape: shape_type, lengths: int64[1] -> output_handle: variant",
    attrs=LIST, allowed=SHAPES, infer=lambda c: (), kernel=_split,
    vjp=lambda call, g: [
        TensorListConcatV2(
            g, concat([[-1], tail_of(call.inputs[0])], 0), call.inputs[2],
            element_dtype=call.attrs["element_dtype"],
        )[0],
        None, None,
    ], traits=(ALIASES,),
)  # fmt: skip
TensorListConcatLists = define(
    "TensorListConcatLists", "input_a: variant, input_b: variant -> output: variant", attrs="element_dtype: type",
    infer=lambda c: (),
    kernel=lambda a, b: TensorListValue([*a.items(), *b.items()], a.dtype, merge(a.dims, b.dims)), traits=(ALIASES,),
)  # fmt: skip
