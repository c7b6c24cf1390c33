"""Lists of tensors as values: what a `TensorArray` is made of in a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.ir.graph import InferContext
from graphrt.ir.op import ALIASES, MEASURES, TAKES_NONE, OpDef, define, ops, provide  # late: a circle
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.shape import shape
from graphrt.ops.array.slicing import getitem
from graphrt.ops.lists.list_checks import (
    check_dtype,
    check_element,
    dims_in,
    dims_input,
    filling,
    merged_shapes,
    shape_text,
)
from graphrt.ops.lists.list_value import TensorListValue, reserved
from graphrt.ops.support.kernel_helpers import bad, text_of, unwrapped
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import INDEX, DType, int32
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, compatible, is_static


# --- making lists ----------------------------------------------------------------------------------------------------
def _reserve(element_shape: Array, num_elements: Array, *, element_dtype: DType) -> TensorListValue:
    count = int(num_elements)
    if count < 0:
        raise bad(f"The num_elements to reserve must be a non negative number, but got {count}")
    return reserved(count, element_dtype, dims_input(element_shape))


LIST = "element_dtype: type; shape_type: type = int32"
SHAPES: dict[str, tuple[DType, ...]] = {"shape_type": INDEX}


def _no_gradient(count: int) -> Callable[..., Any]:
    return lambda call, *grads: [None] * count


TensorListReserve = define(
    "TensorListReserve", "element_shape: shape_type, num_elements: int32 -> handle: variant", attrs=LIST,
    allowed=SHAPES, infer=lambda c: (), kernel=_reserve, vjp=_no_gradient(2),
)  # fmt: skip


def _empty(element_shape: Array, max_num_elements: Array, *, element_dtype: DType) -> TensorListValue:
    return TensorListValue([], element_dtype, dims_input(element_shape), int(max_num_elements))


EmptyTensorList = define(
    "EmptyTensorList", "element_shape: shape_type, max_num_elements: int32 -> handle: variant", attrs=LIST,
    allowed=SHAPES, infer=lambda c: (), kernel=_empty, vjp=_no_gradient(2),
)  # fmt: skip


def _from_tensor(tensor: Array, element_shape: Array, *, element_dtype: DType) -> TensorListValue:
    if np.ndim(tensor) < 1:
        raise bad(f"Tensor must be at least a vector, but saw shape: {text_of(np.shape(tensor))}")
    wanted = dims_input(element_shape)
    if not compatible(wanted, np.shape(tensor)[1:]):
        raise bad(
            f"Specified a list with shape {shape_text(wanted)} from a tensor with shape {text_of(np.shape(tensor)[1:])}"
        )
    return TensorListValue([unwrapped(v) for v in tensor], element_dtype, merged_shapes(wanted, np.shape(tensor)[1:]))


TensorListFromTensor = define(
    "TensorListFromTensor", "tensor: element_dtype, element_shape: shape_type -> output_handle: variant", attrs=LIST,
    allowed=SHAPES, infer=lambda c: (), kernel=_from_tensor,
    vjp=lambda call, g: [
        ops.TensorListStack(g, tail_of(call.inputs[0]), element_dtype=call.inputs[0].dtype,
                        num_elements=_count(call.inputs[0])),
        None,
    ], traits=(ALIASES,),
)  # fmt: skip


def tail_of(tensor: Any) -> Any:
    """The shape of the slices of `tensor`, as a tensor."""
    dims = tensor.dims
    if is_static(dims):
        return np.array(dims[1:], np.int32)
    return getitem(shape(tensor), slice(1, None))


def _count(tensor: Any) -> int:
    return tensor.dims[0] if tensor.dims and tensor.dims[0] is not None else -1


# --- single elements -------------------------------------------------------------------------------------------------
def _get(handle: TensorListValue, index: Array, element_shape: Array, *, element_dtype: DType) -> Array:
    at = int(index)
    if not 0 <= at < handle.length:
        raise bad(f"Trying to access element {at} in a list with {handle.length} elements.")
    if handle.dtype is not element_dtype:
        check_dtype(handle, element_dtype)
    found = handle.items()[at]
    if found is not None:
        return found
    return filling(
        handle, dims_input(element_shape),
        f"Trying to read an uninitialized tensor at index {at} but element_shape is not fully defined and no list "
        "element is set",
    )  # fmt: skip


def _element_dims(index: int) -> Callable[..., Any]:
    return lambda c: static_dims(c, index)


def static_dims(c: InferContext, index: int) -> Dims:
    dims = c.dims(index)
    if dims == ():
        array = c.const(index)
        return None if array is None or array < 0 else (int(array),)
    return c.shape_from(index)


def _get_vjp(call: Any, g: object) -> list[Any]:
    handle, index, _ = call.inputs
    dtype = call.attrs["element_dtype"]
    zeros = TensorListReserve(list_element_shape(handle), TensorListLength(handle), element_dtype=dtype)
    return [TensorListSetItem(zeros, index, g), None, None]


TensorListGetItem = define(
    "TensorListGetItem", "input_handle: variant, index: int32, element_shape: int32 -> item: element_dtype",
    attrs="element_dtype: type", infer=_element_dims(2), kernel=_get, vjp=_get_vjp, traits=(ALIASES,),
)  # fmt: skip


def _set(
    handle: TensorListValue, index: Array, item: Array, *, element_dtype: DType, resize_if_index_out_of_bounds: bool
) -> TensorListValue:
    at = int(index)
    if handle.dtype is not element_dtype:
        check_dtype(handle, element_dtype)
    if not 0 <= at < handle.length:
        if at < 0 or not resize_if_index_out_of_bounds:
            raise bad(f"Trying to modify element {at} in a list with {handle.length} elements.")
        handle = handle.resize(at + 1)
    if handle.dims is not None:
        check_element(handle, item)
    return handle.set(at, item)


def _set_vjp(call: Any, g: object) -> list[Any]:
    handle, index, item = call.inputs
    rest = TensorListSetItem(g, index, zeros_like(item))
    if call.attrs["resize_if_index_out_of_bounds"]:
        rest = TensorListResize(rest, TensorListLength(handle))
    return [rest, None, TensorListGetItem(g, index, shape(item), element_dtype=item.dtype)]


TensorListSetItem = define(
    "TensorListSetItem", "input_handle: variant, index: int32, item: element_dtype -> output_handle: variant",
    attrs="element_dtype: type; resize_if_index_out_of_bounds: bool = False",
    infer=lambda c: (), kernel=_set, vjp=_set_vjp, traits=(ALIASES,),
)  # fmt: skip


def _push(handle: TensorListValue, tensor: Array | TensorListValue, *, element_dtype: DType) -> TensorListValue:
    check_dtype(handle, element_dtype)
    if handle.dims is not None and not compatible(handle.dims, dims_in(tensor)):
        raise bad(
            f"Tried to append a tensor with incompatible shape to a list. Op element shape: {shape_text(dims_in(tensor))} "
            f"list shape: {shape_text(handle.dims)}"
        )
    if 0 <= handle.limit <= handle.length:
        raise bad(f"Tried to push item into a full list list size: {handle.length} max_num_elements: {handle.limit}")
    return handle.push(tensor)


TensorListPushBack = define(
    "TensorListPushBack", "input_handle: variant, tensor: element_dtype -> output_handle: variant",
    attrs="element_dtype: type", infer=lambda c: (), kernel=_push,
    vjp=lambda call, g: list(
        TensorListPopBack(g, shape(call.inputs[1]), element_dtype=call.attrs["element_dtype"])
    ), traits=(ALIASES,),
)  # fmt: skip


def _pop(
    handle: TensorListValue, element_shape: Array, *, element_dtype: DType
) -> tuple[TensorListValue, Array | TensorListValue]:
    check_dtype(handle, element_dtype)
    if not handle.length:
        raise bad("Trying to pop from an empty list.")
    if handle.items()[-1] is None:
        found = filling(
            handle, dims_input(element_shape),
            "Trying to read an uninitialized tensor but element_shape is not fully defined",
        )  # fmt: skip
        return handle.pop()[0], found
    return handle.pop()


def _pop_vjp(call: Any, g_list: object, g_tensor: object) -> list[Any]:
    handle = call.inputs[0]
    dtype = call.attrs["element_dtype"]
    if g_tensor is None:
        g_tensor = zeros_like(call.outputs[1])
    if g_list is None:
        g_list = TensorListReserve(list_element_shape(handle), TensorListLength(call.outputs[0]), element_dtype=dtype)
    return [TensorListPushBack(g_list, g_tensor), None]


TensorListPopBack: OpDef = define(
    "TensorListPopBack",
    "input_handle: variant, element_shape: int32 -> output_handle: variant, tensor: element_dtype",
    attrs="element_dtype: type", infer=lambda c: [(), static_dims(c, 1)], kernel=_pop, vjp=_pop_vjp,
    traits=(ALIASES, TAKES_NONE),
)  # fmt: skip


# --- questions -------------------------------------------------------------------------------------------------------
TensorListLength = define(
    "TensorListLength", "input_handle: variant -> length: int32",
    infer=lambda c: (), kernel=lambda handle: np.int32(handle.length), vjp=_no_gradient(1), traits=(MEASURES,),
)  # fmt: skip


def _shape_kernel(handle: TensorListValue, *, shape_type: DType) -> Array:
    kind = shape_type.as_numpy_dtype
    if handle.dims is None:
        return kind(-1)
    return np.array([-1 if d is None else d for d in handle.dims], kind)


TensorListElementShape = define(
    "TensorListElementShape", "input_handle: variant -> element_shape: shape_type", attrs="shape_type: type",
    allowed=SHAPES, infer=lambda c: None, kernel=_shape_kernel, vjp=_no_gradient(1), traits=(MEASURES,),
)  # fmt: skip


def list_element_shape(handle: object) -> Tensor:
    """The shape of the elements of a list, as an int32 tensor (the scalar -1 when unknown)."""
    return TensorListElementShape(handle, shape_type=int32)


TensorListResize: OpDef = define(
    "TensorListResize", "input_handle: variant, size: int32[0] -> output_handle: variant",
    infer=lambda c: (), kernel=lambda handle, size: _resize(handle, int(size)),
    vjp=lambda call, g: [TensorListResize(g, TensorListLength(call.inputs[0])), None], traits=(ALIASES,),
)  # fmt: skip


def _resize(handle: TensorListValue, size: int) -> TensorListValue:
    if size < 0:
        raise bad(f"TensorListSlice expects size to be non-negative. Got: {size}")
    return handle.resize(size)


@provide
def tensor_list_of(items: list[Any], dtype: DType, dims: Dims) -> TensorListValue:
    """The value behind the handle of a list with these arrays (None: never set) as elements."""
    return TensorListValue(list(items), dtype, dims)
