"""Arguments of users as tensors, and tensors as what is known of them now."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from graphrt import errors
from graphrt.data import structure as st
from graphrt.ops.math.casting import cast
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, static_array
from graphrt.types.dtype import bool_, int64, string
from graphrt.types.likes import Array, TensorLike
from graphrt.types.nesting import shown

Sliced: TypeAlias = Tensor | Array | list[Any]
"""What has slices along its first axis; not a tuple of several of them."""


def as_long(value: Any, name: str) -> Tensor:
    """A count as an int64 scalar tensor."""
    if isinstance(value, Tensor) and value.dtype.is_integer and value.dtype is not int64:
        return cast(value, int64)
    try:
        return convert_to_tensor(value, dtype=int64, name=name)
    except (TypeError, ValueError) as error:
        raise TypeError(errors.at_user_line(f"{name} must be an integer, found {shown(value)}: {error}")) from None


def as_flag(value: bool, name: str) -> Tensor:
    """A flag as a bool scalar tensor."""
    return convert_to_tensor(value, dtype=bool_, name=name)


def as_text(value: Any, name: str) -> Tensor:
    """A string scalar tensor; None is the empty string."""
    return convert_to_tensor("" if value is None else value, dtype=string, name=name)


def number_of(tensor: TensorLike) -> Any:
    """The value of a scalar tensor as a Python number, if it is known now."""
    array = static_array(tensor)
    return None if array is None else np.asarray(array).item()


def order_attr(deterministic: bool | None) -> str:
    """How nodes write whether parallel work keeps its order."""
    return "default" if deterministic is None else "true" if deterministic else "false"


def element_of(value: object) -> tuple[Any, list[Any]]:
    """The spec of `value` as an element, and its components as tensors; errors name the user's line."""
    try:
        return st.to_element(value)
    except (TypeError, ValueError) as error:
        if isinstance(error, errors.ConversionError):
            raise
        raise type(error)(errors.at_user_line(str(error))) from None
