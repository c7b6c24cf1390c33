"""Convolutions run backwards: transposed ones, and the gradients of depthwise ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.gather_scatter import GatherV2
from graphrt.ops.array.shape import ExpandDims, squeeze, transpose
from graphrt.ops.math.casting import cast
from graphrt.ops.nn.convolution import Conv2DBackpropInput
from graphrt.ops.nn.convolution_3d import Conv3DBackpropInputV2
from graphrt.ops.nn.windows import leads
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import int32
from graphrt.types.likes import PerAxis, ShapeLike

__all__ = [
    "atrous_conv2d_transpose", "conv1d_transpose", "conv_transpose",
]  # fmt: skip


# --- transposed convolutions -----------------------------------------------------------------------------------------
def _full(value: int | None, count: int, what: str) -> list[int]:
    """An option for each dimension, those of batch and channels included, channels last."""
    found = [int(v) for v in np.ravel(np.asarray(1 if value is None else value))]
    if len(found) == 1:
        found = found * count
    if len(found) == count:
        return [1, *found, 1]
    if len(found) != count + 2:
        raise ValueError(errors.at_user_line(f"{what} must have 1, {count} or {count + 2} entries, found {found}"))
    return found


def _options(value: Any, count: int, what: str, first: bool) -> list[int]:
    found = _full(value, count, what)
    if first and np.size(np.asarray(1 if value is None else value)) == count + 2:
        return [found[0], *found[2:], found[1]]
    return found


def conv1d_transpose(
    input: TensorLike, filters: TensorLike, output_shape: ShapeLike, strides: PerAxis, padding: str = "SAME",
    data_format: str = "NWC", dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The gradient of a 1-D convolution by its input, used as an op: sequences made longer.

    >>> import graphrt as tf
    >>> tf.nn.conv1d_transpose(tf.ones([1, 3, 1]), tf.ones([2, 1, 1]), [1, 6, 1], 2).shape
    TensorShape([1, 6, 1])

    Raises:
      ValueError: an option is not valid.
    """
    with scope(name, "conv1d_transpose"):
        first = data_format == "NCW"
        if data_format not in ("NWC", "NCW"):
            raise ValueError(
                errors.at_user_line(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")
            )
        x, w, shape = as_tensor(input), as_tensor(filters), cast(as_tensor(output_shape), int32)
        if first:
            x, shape = transpose(x, [0, 2, 1]), GatherV2(shape, [0, 2, 1], np.int32(0))
        steps, rates = _options(strides, 1, "strides", first), _options(dilations, 1, "dilations", first)
        wide = concat([shape[:1], np.array([1], np.int32), shape[1:]], 0)
        found = Conv2DBackpropInput(
            wide, ExpandDims(w, np.int32(0)), ExpandDims(x, np.int32(1)), strides=[1, *steps], padding=padding,
            dilations=[1, *rates],
        )  # fmt: skip
        found = squeeze(found, [1])
        return transpose(found, [0, 2, 1]) if first else found


def conv_transpose(
    input: TensorLike, filters: TensorLike, output_shape: ShapeLike, strides: PerAxis, padding: str = "SAME",
    data_format: str | None = None, dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The gradient of a convolution of 1, 2 or 3 dimensions by its input, used as an op.

    >>> import graphrt as tf
    >>> tf.nn.conv_transpose(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), [1, 6, 6, 1], 2).shape
    TensorShape([1, 6, 6, 1])

    Raises:
      ValueError: the rank or an option is not valid.
    """
    x = as_tensor(input)
    rank = len(x.dims) if x.dims is not None else len(as_tensor(filters).dims or ())
    count = rank - 2
    if count not in (1, 2, 3):
        raise ValueError(
            errors.at_user_line(f"`output_shape` must be of length 3, 4, or 5. Received an input of rank {rank}")
        )
    if count == 1:
        return conv1d_transpose(x, filters, output_shape, strides, padding, data_format or "NWC", dilations, name)
    with scope(name, "conv_transpose"):
        first = leads(data_format)
        shape, w = cast(as_tensor(output_shape), int32), as_tensor(filters)
        if first:
            order = [0, *range(2, 2 + count), 1]
            x, shape = transpose(x, order), GatherV2(shape, order, np.int32(0))
        steps, rates = _options(strides, count, "strides", first), _options(dilations, count, "dilations", first)
        op = Conv2DBackpropInput if count == 2 else Conv3DBackpropInputV2
        found = op(shape, w, x, strides=steps, padding=padding, dilations=rates)
        return transpose(found, [0, count + 1, *range(1, 1 + count)]) if first else found


def atrous_conv2d_transpose(
    value: TensorLike, filters: TensorLike, output_shape: ShapeLike, rate: int, padding: str, name: str | None = None
) -> Tensor:
    """The gradient of `atrous_conv2d` by its input, used as an op.

    >>> import graphrt as tf
    >>> x = tf.ones([1, 4, 4, 1])
    >>> tf.nn.atrous_conv2d_transpose(x, tf.ones([2, 2, 1, 1]), [1, 4, 4, 1], 2, "SAME").shape
    TensorShape([1, 4, 4, 1])

    Raises:
      ValueError: `rate` is not positive.
    """
    if rate < 1:
        raise ValueError(errors.at_user_line(f"`rate` cannot be less than one. Received: rate={rate}"))
    return Conv2DBackpropInput(
        cast(as_tensor(output_shape), int32), filters, value, strides=[1, 1, 1, 1], padding=padding,
        dilations=[1, rate, rate, 1], name=name or "atrous_conv2d_transpose",
    )  # fmt: skip
