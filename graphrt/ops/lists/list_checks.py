"""What the kernels of lists share: shapes that fit, and errors that say which does not."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ops.lists.list_value import TensorListValue, zeros_of
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.types.dtype import DType
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, compatible, is_static, merge


# --- what the kernels share ------------------------------------------------------------------------------------------
def dims_input(shape: Any) -> Dims:
    """The shape an `element_shape` input spells: -1 as a scalar is an unknown rank."""
    if np.ndim(shape) == 0:
        return None if shape < 0 else (int(shape),)
    return tuple(None if d < 0 else d for d in shape.tolist())


def shape_text(dims: Dims) -> str:
    return "<unknown>" if dims is None else text_of(dims)


def merged_shapes(a: Dims, b: Dims) -> Dims:
    try:
        return merge(a, b)
    except ShapeError:
        raise bad(
            f"PartialTensorShape: Incompatible shapes during merge: {shape_text(a)} vs. {shape_text(b)}"
        ) from None


def check_dtype(handle: TensorListValue, dtype: DType) -> None:
    if handle.dtype is not dtype:
        raise bad(f"Invalid data types; op elements {dtype.name} but list elements {cxx_name(handle.dtype)}")


def cxx_name(dtype: DType) -> str:
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)


def dims_in(value: Any) -> Dims:
    return () if isinstance(value, TensorListValue) else np.shape(value)


def filling(handle: TensorListValue, dims: Dims, trouble: str) -> Array:
    """The element that stands for one never set: zeros, if the shape of elements is known by any means."""
    dims = merged_shapes(dims, handle.dims)
    if not is_static(dims):
        for v in handle.items():
            if v is not None:
                dims = merged_shapes(dims, dims_in(v))
                break
    if not is_static(dims):
        raise bad(f"{trouble}: {shape_text(dims)}")
    return zeros_of(dims, handle.dtype.as_numpy_dtype)


def check_element(handle: TensorListValue, value: Array) -> None:
    if not compatible(handle.dims, dims_in(value)):
        raise bad(
            "Tried to set a tensor with incompatible shape at a list index. Item element shape: "
            f"{shape_text(dims_in(value))} list shape: {shape_text(handle.dims)}"
        )
