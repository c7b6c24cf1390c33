"""What `padded_batch` pads to, and with what: from the arguments of users to tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data import structure as st
from graphrt.ir.op import ops
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, static_array
from graphrt.types import structure
from graphrt.types.dtype import bool_, int64, string
from graphrt.types.shape import Dims, TensorShape
from graphrt.types.spec import TensorSpec


def as_shapes(shapes: Any, spec: Any) -> Any:
    """`shapes` in the structure of `spec`, where lists and tuples of numbers are shapes, not structure."""
    if not st.is_structure(spec):
        return (
            shapes
            if isinstance(shapes, (Tensor, TensorShape))
            else TensorShape(
                [None if d is None or (isinstance(d, int) and d < 0) else d for d in shapes]
                if isinstance(shapes, (list, tuple))
                else shapes
            )
        )
    parts, others = structure.children(spec), structure.children(shapes)
    if len(parts) != len(others):
        raise ValueError(
            errors.at_user_line(f"padded_shapes {shapes!r} does not have the structure of the elements, {spec!r}")
        )
    return structure.rebuild(spec, [as_shapes(s, p) for (_, p), (_, s) in zip(parts, others)])


def padded_shapes(shapes: Any, spec: Any) -> list[tuple[Any, Any]]:
    """For each component the target shape as an int64 tensor (-1: the longest), and what is known of it."""
    if shapes is None:
        for leaf in st.walk(spec):
            if not isinstance(leaf, TensorSpec) or leaf.dims is None:
                raise ValueError(
                    errors.at_user_line(
                        "You must provide `padded_shapes` if an element has a component of unknown rank, or one is "
                        f"no tensor: {leaf!r}"
                    )
                )
        given = st.map_leaves(lambda s: TensorShape(s.dims), spec)
    else:
        given = as_shapes(shapes, spec)
    found = []
    for target, leaf in zip(st.walk(given), st.walk(spec)):
        if isinstance(target, Tensor):
            known: Dims = _static_shape(target)
            found.append((ops.cast(target, int64), known))
            if known is None:
                found[-1] = (found[-1][0], (None,) * len(leaf.dims or ()))
            continue
        dims = target._dims
        if dims is None:
            dims = leaf.dims
        fits = leaf.dims is None or (
            dims is not None
            and len(dims) == len(leaf.dims)
            and all(p is None or n is None or n <= p for p, n in zip(dims, leaf.dims))
        )
        if not fits:
            raise ValueError(
                errors.at_user_line(
                    f"The padded shape {TensorShape(dims)} is not compatible with the shape {leaf.shape} of the "
                    "corresponding input component."
                )
            )
        found.append((convert_to_tensor([-1 if n is None else n for n in dims or ()], dtype=int64), dims))
    return found


def _static_shape(tensor: Any) -> Dims:
    """What is known now of a shape given as a tensor."""
    array = static_array(tensor)
    if array is None:
        return None if not tensor.dims or tensor.dims[0] is None else (None,) * tensor.dims[0]
    return tuple(None if n < 0 else int(n) for n in np.reshape(array, -1).tolist())


def filled_shape(dims: Dims, room: Any) -> Any:
    """`dims` as an int64 tensor, with `room` for what is unknown."""
    parts = [room if n is None else convert_to_tensor(n, dtype=int64) for n in dims or ()]
    return ops.Pack(parts) if parts else convert_to_tensor([], dtype=int64)


def padding_values(values: Any, spec: Any) -> list[Any]:
    leaves = list(st.walk(spec))
    if values is None:
        given: list[Any] = [None] * len(leaves)
    elif not st.is_structure(values):
        given = [values] * len(leaves)
    else:
        given = list(st.walk(values))
        if len(given) != len(leaves):
            raise TypeError(
                errors.at_user_line(f"padding_values {values!r} does not have the structure of the elements, {spec!r}")
            )
    return [_padding_value(value, leaf.dtype) for value, leaf in zip(given, leaves)]


def _padding_value(value: Any, dtype: Any) -> Any:
    if value is None:
        value = "" if dtype is string else False if dtype is bool_ else 0
    elif isinstance(value, Tensor) and value.dtype is not dtype:
        raise TypeError(
            errors.at_user_line(f"The padding value should have type {dtype.name}, but its type is {value.dtype.name}.")
        )
    try:
        tensor = convert_to_tensor(value, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(
            errors.at_user_line(f"The padding value {value!r} does not fit {dtype.name}: {error}")
        ) from None
    if tensor.dims != ():
        raise ValueError(errors.at_user_line(f"The padding value should be a scalar, but its shape is {tensor.shape}."))
    return tensor
