"""What convolutions and pooling share: sizes, strides, paddings, and where the channels are."""

from __future__ import annotations

from typing import Any

import numpy as np

import graphrt as tf
from graphrt.tensor.tensor import Tensor
from graphrt.types.nesting import said, shown


def whole(value: Any) -> Any:
    """Integers of NumPy, alone or in a list, as Python's, which configurations hold; anything else as it is."""
    if isinstance(value, np.integer):
        return int(value)
    return type(value)(map(whole, value)) if type(value) in (list, tuple) else value


def sizes(value: Any, rank: int, name: str, allow_zero: bool = False) -> tuple[int, ...]:
    """`value` as a tuple of `rank` integers.

    Raises:
      ValueError: it is something else, or one is not positive.
    """
    value = whole(value)
    found = (
        (value,) * rank if isinstance(value, int) else tuple(map(whole, value)) if hasattr(value, "__iter__") else ()
    )
    if len(found) != rank or not all(isinstance(v, int) for v in found):
        raise ValueError(f"The `{name}` argument must be a tuple of {rank} integers. Received: {name}={said(value)}")
    if any(v < (0 if allow_zero else 1) for v in found):
        raise ValueError(
            f"The `{name}` argument must be a tuple of {rank} {'non-negative' if allow_zero else 'positive'} integers. "
            f"Received: {name}={said(value)}, including values {sorted(v for v in found if v < 1)} that are out of range"
        )
    return found


def padding_of(value: str, layer: str, causal: bool = False) -> str:
    """'valid', 'same' or (where it is allowed) 'causal'."""
    allowed = ("valid", "same", "causal") if causal else ("valid", "same")
    if str(value).lower() not in allowed:
        raise ValueError(
            f"The `padding` argument of layer {shown(layer)} must be one of {allowed}. Received: padding={value}"
        )
    return str(value).lower()


def channels_last(x: Tensor, data_format: str) -> Any:
    """`x` with its channels at the end."""
    if data_format == "channels_last":
        return x
    rank = len(x.shape)
    return tf.transpose(x, [0, *range(2, rank), 1])


def as_before(x: Tensor, data_format: str) -> Any:
    """What `channels_last` took, from what it gave."""
    if data_format == "channels_last":
        return x
    rank = len(x.shape)
    return tf.transpose(x, [0, rank - 1, *range(1, rank - 1)])


def channel_axis(data_format: str) -> int:
    """The axis of the channels."""
    return -1 if data_format == "channels_last" else 1
