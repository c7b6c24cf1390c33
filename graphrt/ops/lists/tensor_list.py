"""Lists of tensors as values: what a `TensorArray` is made of in a graph.

A list behaves as if immutable: each op gives a new list. All versions of one list share one Python list, held by the
newest; an older version only remembers how it differs, and makes itself a copy if someone reads or writes it after
all. So loops that write element after element cost O(1) a step.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.op import ALIASES, define, ops, provide
from graphrt.ops.support.kernel_helpers import bad, ints, text_of, unwrapped
from graphrt.types.dtype import INDEX, DType, int32
from graphrt.types.shape import Dims, compatible, is_static, merge

_lock = threading.Lock()


class TensorListValue:
    """One version of a list of arrays; None stands for an element that was never set."""

    __slots__ = ("_change", "_items", "dims", "dtype", "length", "limit")

    def __init__(self, items: list[Any], dtype: DType, dims: Dims, limit: int = -1) -> None:
        self._items: list[Any] | None = items
        self._change: Any = None  # (newer version, function that undoes its change on the list)
        self.length = len(items)
        self.dtype = dtype
        self.dims = dims  # what is known of the shape of each element
        self.limit = limit  # most elements allowed, -1 for any number

    def _rebuild(self) -> list[Any]:
        changes = []
        version: Any = self
        while version._items is None:
            newer, undo, args = version._change
            changes.append((undo, args))
            version = newer
        items = list(version._items)
        for undo, args in reversed(changes):
            undo(items, *args)
        self._items, self._change = items, None
        return items

    def items(self) -> list[Any]:
        """The elements; not to be changed."""
        found = self._items
        if found is None:
            with _lock:
                found = self._items if self._items is not None else self._rebuild()
        return found

    def _successor(self, items: list[Any], undo: Any, args: tuple[Any, ...]) -> TensorListValue:
        newer = TensorListValue(items, self.dtype, self.dims, self.limit)
        self._items, self._change = None, (newer, undo, args)
        return newer

    def set(self, index: int, value: Any) -> TensorListValue:
        """The list with another element at `index`."""
        with _lock:
            items = self._items if self._items is not None else self._rebuild()
            old = items[index]
            items[index] = value
            return self._successor(items, list.__setitem__, (index, old))

    def push(self, value: Any) -> TensorListValue:
        """The list with one element more."""
        with _lock:
            items = self._items if self._items is not None else self._rebuild()
            items.append(value)
            return self._successor(items, _drop, (1,))

    def pop(self) -> tuple[TensorListValue, Any]:
        """The list without its last element, and that element."""
        with _lock:
            items = self._items if self._items is not None else self._rebuild()
            last = items.pop()
            return self._successor(items, list.append, (last,)), last

    def resize(self, size: int) -> TensorListValue:
        """The list with `size` elements: cut off, or filled up with unset ones."""
        if size == self.length:
            return self
        if size < self.length:
            return TensorListValue(self.items()[:size], self.dtype, self.dims, self.limit)
        with _lock:
            items = self._items if self._items is not None else self._rebuild()
            items.extend([None] * (size - self.length))
            return self._successor(items, _drop, (size - self.length,))

    def zeros_like(self) -> TensorListValue:
        """A list of zeros of the same shapes."""
        zeros = [None if v is None else _zero_of(v) for v in self.items()]
        return TensorListValue(zeros, self.dtype, self.dims, self.limit)

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, TensorListValue):
            return NotImplemented
        if self.length != other.length:
            raise bad(f"Trying to add two lists of tensors of different lengths: {self.length} and {other.length}")
        total = [b if a is None else a if b is None else _plus(a, b) for a, b in zip(self.items(), other.items())]
        return TensorListValue(total, self.dtype, merge(self.dims, other.dims), self.limit)

    def __repr__(self) -> str:
        return f"<list of {self.length} {self.dtype.name} tensors>"


def _drop(items: list[Any], count: int) -> None:
    del items[-count:]


def _plus(a: Any, b: Any) -> Any:
    return a + b


def _zero_of(value: Any) -> Any:
    if isinstance(value, TensorListValue):
        return value.zeros_like()
    if isinstance(value, np.generic):
        return type(value)(0)
    return _zeros(np.shape(value), value.dtype)


def _zeros(dims: Any, numpy_type: Any) -> Any:
    if np.dtype(numpy_type) == object:
        out = np.empty(dims, object)
        out[...] = b""
        return out
    return unwrapped(np.zeros(dims, numpy_type))


# --- what the kernels share ------------------------------------------------------------------------------------------
def _dims_input(shape: Any) -> Dims:
    """The shape an `element_shape` input spells: -1 as a scalar is an unknown rank."""
    if np.ndim(shape) == 0:
        return None if shape < 0 else (int(shape),)
    return tuple(None if d < 0 else d for d in shape.tolist())


def _shown(dims: Dims) -> str:
    return "<unknown>" if dims is None else text_of(dims)


def _merged(a: Dims, b: Dims) -> Dims:
    try:
        return merge(a, b)
    except ShapeError:
        raise bad(f"PartialTensorShape: Incompatible shapes during merge: {_shown(a)} vs. {_shown(b)}") from None


def _check_dtype(handle: Any, dtype: DType) -> None:
    if handle.dtype is not dtype:
        raise bad(f"Invalid data types; op elements {dtype.name} but list elements {_cxx(handle.dtype)}")


def _cxx(dtype: DType) -> str:
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)


def _dims_of(value: Any) -> Dims:
    return () if isinstance(value, TensorListValue) else np.shape(value)


def _fill(handle: Any, dims: Dims, trouble: str) -> Any:
    """The element that stands for one never set: zeros, if the shape of elements is known by any means."""
    dims = _merged(dims, handle.dims)
    if not is_static(dims):
        for v in handle.items():
            if v is not None:
                dims = _merged(dims, _dims_of(v))
                break
    if not is_static(dims):
        raise bad(f"{trouble}: {_shown(dims)}")
    return _zeros(dims, handle.dtype.as_numpy_dtype)


def _check_element(handle: Any, value: Any) -> None:
    if not compatible(handle.dims, _dims_of(value)):
        raise bad(
            "Tried to set a tensor with incompatible shape at a list index. Item element shape: "
            f"{_shown(_dims_of(value))} list shape: {_shown(handle.dims)}"
        )


# --- making lists ----------------------------------------------------------------------------------------------------
def _reserve(element_shape: Any, num_elements: Any, *, element_dtype: DType) -> Any:
    count = int(num_elements)
    if count < 0:
        raise bad(f"The num_elements to reserve must be a non negative number, but got {count}")
    return TensorListValue([None] * count, element_dtype, _dims_input(element_shape))


_LIST = "element_dtype: type; shape_type: type = int32"
_SHAPES: dict[str, tuple[DType, ...]] = {"shape_type": INDEX}


def _no_gradient(count: int) -> Any:
    return lambda call, *grads: [None] * count


TensorListReserve = define(
    "TensorListReserve", "element_shape: shape_type, num_elements: int32 -> handle: variant", attrs=_LIST,
    allowed=_SHAPES, infer=lambda c: (), kernel=_reserve, vjp=_no_gradient(2),
)  # fmt: skip


def _empty(element_shape: Any, max_num_elements: Any, *, element_dtype: DType) -> Any:
    return TensorListValue([], element_dtype, _dims_input(element_shape), int(max_num_elements))


EmptyTensorList = define(
    "EmptyTensorList", "element_shape: shape_type, max_num_elements: int32 -> handle: variant", attrs=_LIST,
    allowed=_SHAPES, infer=lambda c: (), kernel=_empty, vjp=_no_gradient(2),
)  # fmt: skip


def _from_tensor(tensor: Any, element_shape: Any, *, element_dtype: DType) -> Any:
    if np.ndim(tensor) < 1:
        raise bad(f"Tensor must be at least a vector, but saw shape: {text_of(np.shape(tensor))}")
    wanted = _dims_input(element_shape)
    if not compatible(wanted, np.shape(tensor)[1:]):
        raise bad(
            f"Specified a list with shape {_shown(wanted)} from a tensor with shape {text_of(np.shape(tensor)[1:])}"
        )
    return TensorListValue([unwrapped(v) for v in tensor], element_dtype, _merged(wanted, np.shape(tensor)[1:]))


TensorListFromTensor = define(
    "TensorListFromTensor", "tensor: element_dtype, element_shape: shape_type -> output_handle: variant", attrs=_LIST,
    allowed=_SHAPES, infer=lambda c: (), kernel=_from_tensor,
    vjp=lambda call, g: [
        ops.TensorListStack(g, _tail(call.inputs[0]), element_dtype=call.inputs[0].dtype,
                        num_elements=_count(call.inputs[0])),
        None,
    ], traits=(ALIASES,),
)  # fmt: skip


def _tail(tensor: Any) -> Any:
    """The shape of the slices of `tensor`, as a tensor."""
    dims = tensor.dims
    if is_static(dims):
        return np.array(dims[1:], np.int32)
    return ops.getitem(ops.shape(tensor), slice(1, None))


def _count(tensor: Any) -> int:
    return tensor.dims[0] if tensor.dims and tensor.dims[0] is not None else -1


# --- single elements -------------------------------------------------------------------------------------------------
def _get(handle: Any, index: Any, element_shape: Any, *, element_dtype: DType) -> Any:
    at = int(index)
    if not 0 <= at < handle.length:
        raise bad(f"Trying to access element {at} in a list with {handle.length} elements.")
    if handle.dtype is not element_dtype:
        _check_dtype(handle, element_dtype)
    found = (handle._items or handle.items())[at]
    if found is not None:
        return found
    return _fill(
        handle, _dims_input(element_shape),
        f"Trying to read an uninitialized tensor at index {at} but element_shape is not fully defined and no list "
        "element is set",
    )  # fmt: skip


def _element_dims(index: int) -> Any:
    return lambda c: _static_dims(c, index)


def _static_dims(c: Any, index: int) -> Dims:
    dims = c.dims(index)
    if dims == ():
        array = c.const(index)
        return None if array is None or array < 0 else (int(array),)
    return c.shape_from(index)


def _get_vjp(call: Any, g: Any) -> list[Any]:
    handle, index, _ = call.inputs
    dtype = call.attrs["element_dtype"]
    zeros = TensorListReserve(list_element_shape(handle), TensorListLength(handle), element_dtype=dtype)
    return [TensorListSetItem(zeros, index, g), None, None]


TensorListGetItem = define(
    "TensorListGetItem", "input_handle: variant, index: int32, element_shape: int32 -> item: element_dtype",
    attrs="element_dtype: type", infer=_element_dims(2), kernel=_get, vjp=_get_vjp, traits=(ALIASES,),
)  # fmt: skip


def _set(handle: Any, index: Any, item: Any, *, element_dtype: DType, resize_if_index_out_of_bounds: bool) -> Any:
    at = int(index)
    if handle.dtype is not element_dtype:
        _check_dtype(handle, element_dtype)
    if not 0 <= at < handle.length:
        if at < 0 or not resize_if_index_out_of_bounds:
            raise bad(f"Trying to modify element {at} in a list with {handle.length} elements.")
        handle = handle.resize(at + 1)
    if handle.dims is not None:
        _check_element(handle, item)
    return handle.set(at, item)


def _set_vjp(call: Any, g: Any) -> list[Any]:
    handle, index, item = call.inputs
    rest = TensorListSetItem(g, index, ops.zeros_like(item))
    if call.attrs["resize_if_index_out_of_bounds"]:
        rest = ops.TensorListResize(rest, TensorListLength(handle))
    return [rest, None, TensorListGetItem(g, index, ops.shape(item), element_dtype=item.dtype)]


TensorListSetItem = define(
    "TensorListSetItem", "input_handle: variant, index: int32, item: element_dtype -> output_handle: variant",
    attrs="element_dtype: type; resize_if_index_out_of_bounds: bool = False",
    infer=lambda c: (), kernel=_set, vjp=_set_vjp, traits=(ALIASES,),
)  # fmt: skip


def _push(handle: Any, tensor: Any, *, element_dtype: DType) -> Any:
    _check_dtype(handle, element_dtype)
    if handle.dims is not None and not compatible(handle.dims, _dims_of(tensor)):
        raise bad(
            f"Tried to append a tensor with incompatible shape to a list. Op element shape: {_shown(_dims_of(tensor))} "
            f"list shape: {_shown(handle.dims)}"
        )
    if 0 <= handle.limit <= handle.length:
        raise bad(f"Tried to push item into a full list list size: {handle.length} max_num_elements: {handle.limit}")
    return handle.push(tensor)


TensorListPushBack = define(
    "TensorListPushBack", "input_handle: variant, tensor: element_dtype -> output_handle: variant",
    attrs="element_dtype: type", infer=lambda c: (), kernel=_push,
    vjp=lambda call, g: list(
        ops.TensorListPopBack(g, ops.shape(call.inputs[1]), element_dtype=call.attrs["element_dtype"])
    ), traits=(ALIASES,),
)  # fmt: skip


def _pop(handle: Any, element_shape: Any, *, element_dtype: DType) -> Any:
    _check_dtype(handle, element_dtype)
    if not handle.length:
        raise bad("Trying to pop from an empty list.")
    if handle.items()[-1] is None:
        found = _fill(
            handle, _dims_input(element_shape),
            "Trying to read an uninitialized tensor but element_shape is not fully defined",
        )  # fmt: skip
        return handle.pop()[0], found
    return handle.pop()


def _pop_vjp(call: Any, g_list: Any, g_tensor: Any) -> list[Any]:
    handle = call.inputs[0]
    dtype = call.attrs["element_dtype"]
    if g_tensor is None:
        g_tensor = ops.zeros_like(call.outputs[1])
    if g_list is None:
        g_list = TensorListReserve(list_element_shape(handle), TensorListLength(call.outputs[0]), element_dtype=dtype)
    return [TensorListPushBack(g_list, g_tensor), None]


TensorListPopBack = define(
    "TensorListPopBack",
    "input_handle: variant, element_shape: int32 -> output_handle: variant, tensor: element_dtype",
    attrs="element_dtype: type", infer=lambda c: [(), _static_dims(c, 1)], kernel=_pop, vjp=_pop_vjp, traits=(ALIASES,),
)  # fmt: skip


# --- questions -------------------------------------------------------------------------------------------------------
TensorListLength = define(
    "TensorListLength", "input_handle: variant -> length: int32",
    infer=lambda c: (), kernel=lambda handle: np.int32(handle.length), vjp=_no_gradient(1),
)  # fmt: skip


def _shape_kernel(handle: Any, *, shape_type: DType) -> Any:
    kind = shape_type.as_numpy_dtype
    if handle.dims is None:
        return kind(-1)
    return np.array([-1 if d is None else d for d in handle.dims], kind)


TensorListElementShape = define(
    "TensorListElementShape", "input_handle: variant -> element_shape: shape_type", attrs="shape_type: type",
    allowed=_SHAPES, infer=lambda c: None, kernel=_shape_kernel, vjp=_no_gradient(1),
)  # fmt: skip


def list_element_shape(handle: Any) -> Any:
    """The shape of the elements of a list, as an int32 tensor (the scalar -1 when unknown)."""
    return TensorListElementShape(handle, shape_type=int32)


TensorListResize = define(
    "TensorListResize", "input_handle: variant, size: int32 -> output_handle: variant",
    infer=lambda c: (), kernel=lambda handle, size: _resize(handle, int(size)),
    vjp=lambda call, g: [ops.TensorListResize(g, TensorListLength(call.inputs[0])), None], traits=(ALIASES,),
)  # fmt: skip


def _resize(handle: Any, size: int) -> Any:
    if size < 0:
        raise bad(f"TensorListSlice expects size to be non-negative. Got: {size}")
    return handle.resize(size)


# --- all elements ----------------------------------------------------------------------------------------------------
def _stack(handle: Any, element_shape: Any, *, element_dtype: DType, num_elements: int) -> Any:
    _check_dtype(handle, element_dtype)
    if 0 <= num_elements != handle.length:
        raise bad(
            f"Operation expected a list with {num_elements} elements but got a list with {handle.length} elements."
        )
    dims = _merged(_dims_input(element_shape), handle.dims)
    items = handle.items()
    if not items:
        if not is_static(dims):
            raise bad(f"Tried to stack elements of an empty list with non-fully-defined element_shape: {_shown(dims)}")
        return _zeros((0, *dims), element_dtype.as_numpy_dtype)  # type: ignore[misc]
    if any(v is None for v in items):
        blank = _fill(
            handle, dims,
            "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined element_shape",
        )  # fmt: skip
        items = [blank if v is None else v for v in items]
    for v in items:
        dims = _merged(dims, np.shape(v))
    if isinstance(items[0], np.generic):
        return np.array(items, items[0].dtype)
    return np.stack(items)


def _stacked_dims(c: Any) -> Dims:
    dims, count = _static_dims(c, 1), c.attrs["num_elements"]
    return None if dims is None else (None if count < 0 else count, *dims)


TensorListStack = define(
    "TensorListStack", "input_handle: variant, element_shape: int32 -> tensor: element_dtype",
    attrs="element_dtype: type; num_elements: int = -1", infer=_stacked_dims, kernel=_stack,
    vjp=lambda call, g: [TensorListFromTensor(g, list_element_shape(call.inputs[0])), None], traits=(ALIASES,),
)  # fmt: skip


def _gather(handle: Any, indices: Any, element_shape: Any, *, element_dtype: DType) -> Any:
    _check_dtype(handle, element_dtype)
    dims = _merged(_dims_input(element_shape), handle.dims)
    items, places = handle.items(), ints(indices)
    for i in places:
        if not 0 <= i < len(items):
            raise bad(f"Index {i} out of range; list only has {len(items)} elements.")
    if not places:
        if not is_static(dims):
            raise bad("Tried to gather 0-elements from a list with non-fully-defined shape: " + _shown(dims))
        return _zeros((0, *dims), element_dtype.as_numpy_dtype)  # type: ignore[misc]
    found = [items[i] for i in places]
    if any(v is None for v in found):
        blank = _fill(
            handle, dims, "Tried to gather uninitialized tensors from a list with non-fully-defined element_shape"
        )
        found = [blank if v is None else v for v in found]
    for v in found:
        dims = _merged(dims, np.shape(v))
    return np.stack(found)


def _gathered_dims(c: Any) -> Dims:
    dims, count = _static_dims(c, 2), c.dims(1)
    return None if dims is None else (None if count is None else count[0], *dims)


def _gather_vjp(call: Any, g: Any) -> list[Any]:
    handle, indices, _ = call.inputs
    total = ops.UnsortedSegmentSum(g, indices, TensorListLength(handle))
    return [TensorListFromTensor(total, list_element_shape(handle)), None, None]


TensorListGather = define(
    "TensorListGather", "input_handle: variant, indices: int32, element_shape: int32 -> values: element_dtype",
    attrs="element_dtype: type", infer=_gathered_dims, kernel=_gather, vjp=_gather_vjp, traits=(ALIASES,),
)  # fmt: skip


def _check_scatter(tensor: Any, indices: Any) -> list[int]:
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


def _scatter(tensor: Any, indices: Any, element_shape: Any, num_elements: Any, *, element_dtype: DType) -> Any:
    places = _check_scatter(tensor, indices)
    count = int(num_elements)
    highest = max(places, default=-1) + 1
    if count < -1:
        raise bad(f"TensorListScatter expects num_elements >= -1, found: {count}")
    if 0 <= count < highest:
        raise bad(f"TensorListScatter: Trying to scatter at index {highest - 1} in list with size {count}")
    items: list[Any] = [None] * (highest if count == -1 else count)
    for i, v in zip(places, tensor):
        items[i] = unwrapped(v)
    return TensorListValue(items, element_dtype, _merged(_dims_input(element_shape), np.shape(tensor)[1:]))


TensorListScatterV2 = define(
    "TensorListScatterV2",
    "tensor: element_dtype, indices: int32, element_shape: shape_type, num_elements: int32 -> output_handle: variant",
    attrs=_LIST, allowed=_SHAPES, infer=lambda c: (), kernel=_scatter,
    vjp=lambda call, g: [
        TensorListGather(g, call.inputs[1], _tail(call.inputs[0]), element_dtype=call.attrs["element_dtype"]),
        None, None, None,
    ], traits=(ALIASES,),
)  # fmt: skip


def _scatter_existing(handle: Any, tensor: Any, indices: Any, *, element_dtype: DType) -> Any:
    _check_dtype(handle, element_dtype)
    places = _check_scatter(tensor, indices)
    highest = max(places, default=-1) + 1
    result = handle.resize(highest) if highest > handle.length else handle
    if not compatible(handle.dims, np.shape(tensor)[1:]):
        raise bad(
            f"Specified a list with shape {_shown(handle.dims)} from a tensor with shape "
            f"{text_of(np.shape(tensor)[1:])}"
        )
    for i, v in zip(places, tensor):
        result = result.set(i, unwrapped(v))
    return result


def _scatter_existing_vjp(call: Any, g: Any) -> list[Any]:
    handle, tensor, indices = call.inputs
    part = TensorListGather(g, indices, _tail(tensor), element_dtype=tensor.dtype)
    rest = TensorListScatterIntoExistingList(g, ops.zeros_like(tensor), indices)
    return [ops.TensorListResize(rest, TensorListLength(handle)), part, None]


TensorListScatterIntoExistingList = define(
    "TensorListScatterIntoExistingList",
    "input_handle: variant, tensor: element_dtype, indices: int32 -> output_handle: variant",
    attrs="element_dtype: type", infer=lambda c: (), kernel=_scatter_existing, vjp=_scatter_existing_vjp,
    traits=(ALIASES,),
)  # fmt: skip


def _concat(handle: Any, element_shape: Any, leading_dims: Any, *, element_dtype: DType) -> Any:
    _check_dtype(handle, element_dtype)
    wanted = _dims_input(element_shape)
    rest = None if wanted is None else wanted[1:]
    items = handle.items()
    sizes = ints(leading_dims)
    found = []
    for i, v in enumerate(items):
        if v is None:
            known = _merged(wanted, handle.dims)
            lead = sizes[i] if i < len(sizes) else (known[0] if known else None)
            tail = rest if rest is not None else None if handle.dims is None else handle.dims[1:]
            if lead is None or not is_static(tail):
                raise bad(f"Concat requires list element {i}, which was never set, to have a known shape")
            v = _zeros((lead, *tail), element_dtype.as_numpy_dtype)  # type: ignore[misc]
        if np.ndim(v) < 1:
            raise bad(f"Concat saw a scalar shape at index {i} but requires at least vectors.")
        rest = _merged(rest, np.shape(v)[1:])
        found.append(v)
    lengths = np.array([len(v) for v in found], np.int64)
    if not found:
        if not is_static(rest):
            raise bad(
                "All except the first dimension must be fully defined when concating an empty tensor list. "
                f"element_shape: {_shown(wanted)}"
            )
        return _zeros((0, *rest), element_dtype.as_numpy_dtype), lengths  # type: ignore[misc]
    return np.concatenate(found), lengths


def _concat_dims(c: Any) -> list[Dims]:
    dims = _static_dims(c, 1)
    if dims == ():
        raise ShapeError("Shape must be at least rank 1 but is rank 0: concat needs elements that are at least vectors")
    return [None if dims is None else (None, *dims[1:]), (None,)]


TensorListConcatV2 = define(
    "TensorListConcatV2",
    "input_handle: variant, element_shape: shape_type, leading_dims: int64 -> tensor: element_dtype, lengths: int64",
    attrs="element_dtype: type; shape_type: type = int32", allowed=_SHAPES, infer=_concat_dims, kernel=_concat,
    vjp=lambda call, g, _: [
        ops.TensorListSplit(g, list_element_shape(call.inputs[0]), call.outputs[1]), None, None,
    ],
)  # fmt: skip


def _split(tensor: Any, element_shape: Any, lengths: Any, *, element_dtype: DType) -> Any:
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
    wanted = _dims_input(element_shape)
    for v in items:
        if not compatible(wanted, np.shape(v)):
            raise bad(f"tensor shape {text_of(np.shape(v))} is not compatible with the element shape {_shown(wanted)}")
    return TensorListValue(items, element_dtype, wanted)


TensorListSplit = define(
    "TensorListSplit",
    "tensor: element_dtype, element_shape: shape_type, lengths: int64 -> output_handle: variant",
    attrs=_LIST, allowed=_SHAPES, infer=lambda c: (), kernel=_split,
    vjp=lambda call, g: [
        TensorListConcatV2(
            g, ops.concat([[-1], _tail(call.inputs[0])], 0), call.inputs[2],
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


@provide
def tensor_list_of(items: list[Any], dtype: DType, dims: Dims) -> TensorListValue:
    """The value behind the handle of a list with these arrays (None: never set) as elements."""
    return TensorListValue(list(items), dtype, dims)
