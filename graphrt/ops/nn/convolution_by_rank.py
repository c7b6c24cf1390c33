"""The convolution of sequences, images or volumes: which one, the ranks of input and filters say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphrt import errors
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.shape import reshape
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.slicing import getitem
from graphrt.ops.nn.convolution import conv1d, conv2d
from graphrt.ops.nn.convolution_3d import conv3d
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import SymbolicTensor, Tensor, TensorLike

__all__ = ["convolution"]

_BY_DIMENSIONS: dict[int, tuple[Callable[..., Any], str]] = {
    1: (conv1d, "NWC"),
    2: (conv2d, "NHWC"),
    3: (conv3d, "NDHWC"),
}


def _dimensions(x: Tensor, w: Tensor) -> int:
    """The number of dimensions that the filters move along."""
    if w.dims is None and x.dims is None:
        raise ValueError(errors.at_user_line("rank of input or filter must be known"))
    found = len(w.dims if w.dims is not None else x.dims or ()) - 2
    if found not in _BY_DIMENSIONS:
        raise ValueError(errors.at_user_line(
            f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={found}, from filters of shape {w.shape}."
        ))  # fmt: skip
    if x.dims is not None and len(x.dims) < found + 1:
        raise ValueError(errors.at_user_line(
            f"`input.shape.rank` must be at least {found + 1}: {found} dimensions of space and the channels. "
            f"Received: input.shape={x.shape}."
        ))  # fmt: skip
    return found


def convolution(
    input: TensorLike, filters: TensorLike, strides: Any = None, padding: Any = "VALID", data_format: Any = None,
    dilations: Any = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The convolution of sequences, images or volumes, by the rank of `filters`: that of one element, and one.

    What stands in `input` before the dimensions of one element is the batch, of any number of dimensions.

    >>> import graphrt as tf
    >>> tf.nn.convolution(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1])).shape
    TensorShape([1, 2, 2, 1])
    >>> tf.nn.convolution(tf.ones([5, 2, 4, 4, 4, 3]), tf.ones([2, 2, 2, 3, 1])).shape
    TensorShape([5, 2, 3, 3, 3, 1])

    Raises:
      ValueError: there are no one, two or three dimensions to move along.
      InvalidArgumentError: the shapes do not fit.
    """
    w, x = as_tensor(filters), as_tensor(input)
    n = _dimensions(x, w)
    kind, form = _BY_DIMENSIONS[n]
    steps = 1 if strides is None else strides

    def convolved(images: Tensor) -> Any:
        return kind(images, w, steps, padding, data_format or form, dilations, name)

    batch = 1 if x.dims is None else len(x.dims) - n - 1
    if batch == 1 or x.dims is None:
        return convolved(x)
    size = shape_(x)
    found = convolved(reshape(x, concat([[-1], getitem(size, slice(batch, None))], 0)))
    out = reshape(found, concat([getitem(size, slice(None, batch)), getitem(shape_(found), slice(1, None))], 0))
    if isinstance(out, SymbolicTensor):
        out.set_shape((*x.dims[:batch], *found.dims[1:]))
    return out
