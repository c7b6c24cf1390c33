"""Biases added along the channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.code import Code, Template
from graphrt.ir.graph import InferContext, Node
from graphrt.ir.op import BY_IMAGE, FRESH, OVER_IMAGES, OpDef, define, infix
from graphrt.ops.array.shape import broadcast_to, reshape, shape
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, merge

__all__ = ["bias_add"]


# --- bias, loss, normalization ---------------------------------------------------------------------------------------


def _bias_kernel(value: Array, bias: Array, *, data_format: str) -> Array:
    if np.ndim(value) < 2:
        raise bad(f"Input tensor must be at least 2D: {text_of(np.shape(value))}")
    if np.ndim(bias) != 1:
        raise bad(f"Biases must be 1D: {text_of(np.shape(bias))}")
    axis = 1 if data_format == "NCHW" else value.ndim - 1
    if value.shape[axis] != len(bias):
        raise bad(
            "Must provide as many biases as the last dimension of the input tensor: "
            f"{text_of(bias.shape)} vs. {text_of(value.shape)}"
        )
    return value + bias.reshape((-1,) + (1,) * (value.ndim - 1 - axis))


def _bias_dims(c: Any) -> Dims:
    dims, bias = c.dims(0), c.dims(1)
    if dims is not None and len(dims) < 2:
        raise ShapeError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    if bias is not None and len(bias) != 1:
        raise ShapeError(f"Shape must be rank 1 but is rank {len(bias)}")
    if dims is None or bias is None:
        return dims
    axis = 1 if c.attrs["data_format"] == "NCHW" else len(dims) - 1
    size = merge(dims[axis : axis + 1], bias)
    return dims[:axis] + size + dims[axis + 1 :]


_SUM = infix("+")
_ADDED_OVER = Template("{0}({1}, {2}, out={1})")


def _emit_bias(emitter: Any, node: Node, inputs: list[Code]) -> list[Code] | None:
    """A sum, where the shapes say that it is one along the last axis."""
    value, bias = (v.dims for v in node.inputs)
    if value is None or bias is None or len(value) < 2 or node.attrs["data_format"] != "NHWC":
        return None
    if bias[0] is None or bias[0] != value[-1]:
        return None
    if emitter.may_write_over(node.inputs[0]):
        return [_ADDED_OVER(emitter.bind(np.add, "np_add"), *inputs)]
    return _SUM(emitter, node, inputs)


BiasAdd = define(
    "BiasAdd", "value: T, bias: T -> output: T", attrs="T: type; data_format: {'NHWC', 'NCHW'} = 'NHWC'",
    infer=_bias_dims, kernel=_bias_kernel, emit=_emit_bias,
    vjp=lambda call, g: [g, BiasAddGrad(g, data_format=call.attrs["data_format"])], traits=(FRESH, BY_IMAGE),
)  # fmt: skip


def _bias_grad_kernel(g: Array, *, data_format: str) -> Array:
    if np.ndim(g) < 2:
        raise bad(f"Input tensor must be at least 2D: {text_of(np.shape(g))}")
    axis = 1 if data_format == "NCHW" else g.ndim - 1
    return g.sum(axis=tuple(i for i in range(g.ndim) if i != axis), dtype=g.dtype)


def _bias_grad_dims(c: InferContext) -> Dims:
    dims = c.dims(0)
    return (None if dims is None else dims[1 if c.attrs["data_format"] == "NCHW" else -1],)


def _bias_grad_vjp(call: Any, g: Any) -> list[Any]:
    x = call.inputs[0]
    if call.attrs["data_format"] == "NCHW":
        g = reshape(g, [1, -1] + [1] * (len(x.dims) - 2))
    return [broadcast_to(g, shape(x))]


BiasAddGrad: OpDef = define(
    "BiasAddGrad", "out_backprop: T[2+] -> output: T", attrs="T: type; data_format: {'NHWC', 'NCHW'} = 'NHWC'",
    infer=_bias_grad_dims,
    kernel=_bias_grad_kernel, vjp=_bias_grad_vjp, traits=(OVER_IMAGES,),
)  # fmt: skip


def bias_add(value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None) -> Tensor:
    """`value` plus the vector `bias`, along the channels (the last dimension, or the second for "NC...").

    >>> import graphrt as tf
    >>> tf.nn.bias_add([[1., 2.]], [10., 20.]).numpy().tolist()
    [[11.0, 22.0]]

    Raises:
      ValueError: the data format is not known.
      InvalidArgumentError: the shapes do not fit.
    """
    errors.expect(data_format, (str, type(None)), "data_format", "a text such as 'NHWC', or None")
    if data_format is None or (data_format.startswith("N") and data_format.endswith("C")):
        kind = "NHWC"
    elif data_format.startswith("NC"):
        kind = "NCHW"
    else:
        raise ValueError(
            errors.at_user_line(f"`data_format` must be of the form `N...C` or `NC...`. Received: {data_format}")
        )
    return BiasAdd(value, bias, data_format=kind, name=name or "BiasAdd")
