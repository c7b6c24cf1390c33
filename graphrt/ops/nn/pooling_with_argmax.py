"""Pooling that tells where each maximum stood."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define
from graphrt.ops.nn.windows_3d import padded, padding_of, pads_of, view_of
from graphrt.ops.support.kernel_helpers import bad, least, text_of
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.accumulate import combine_at
from graphrt.types.dtype import INDEX, REAL, DType, int64
from graphrt.types.likes import Array, DTypeLike, Padding, PerAxis
from graphrt.types.shape import Dims

__all__ = ["max_pool_with_argmax"]


# --- pooling that tells where ----------------------------------------------------------------------------------------
def _argmax_dims(c: InferContext) -> list[Dims]:
    dims = c.dims(0)
    if dims is None:
        return [(None,) * 4] * 2
    if len(dims) != 4:
        raise ShapeError(f"Shape must be rank 4 but is rank {len(dims)}")
    same = c.attrs["padding"] == "SAME"
    space = [
        None if n is None else -(-n // s) if same else (n - w) // s + 1
        for n, w, s in zip(dims[1:3], c.attrs["ksize"][1:3], c.attrs["strides"][1:3])
    ]
    return [(dims[0], *space, dims[3])] * 2


def _with_argmax(
    x: Array, *, ksize: list[int], strides: list[int], padding: Padding, include_batch_in_index: bool, Targmax: DType
) -> tuple[Array, Array]:
    if np.ndim(x) != 4:
        raise bad(f"tensor_in must be 4-dimensional: {text_of(np.shape(x))}")
    volume = x[:, None]
    low = least(x.dtype)
    window, stride = (1, ksize[1], ksize[2]), (1, strides[1], strides[2])
    pads = pads_of(volume.shape[1:4], window, stride, padding)
    view = view_of(padded(volume, pads, low), window, stride, (1, 1, 1))
    flat = view.reshape(*view.shape[:5], -1)
    best = flat.argmax(-1)[:, 0]
    values = np.take_along_axis(flat, flat.argmax(-1)[..., None], -1)[:, 0, ..., 0]
    n, i, j, c = np.ogrid[tuple(slice(d) for d in best.shape)]
    row, column = i * stride[1] + best // window[2] - pads[1][0], j * stride[2] + best % window[2] - pads[2][0]
    at = (row * x.shape[2] + column) * x.shape[3] + c
    if include_batch_in_index:
        at = at + n * int(np.prod(x.shape[1:]))
    return np.ascontiguousarray(values), at.astype(Targmax.as_numpy_dtype)


def _argmax_grad(x: Array, g: Array, at: Array, *, include_batch_in_index: bool) -> Array:
    out = np.zeros(x.shape, g.dtype)
    size = int(np.prod(x.shape[1:]))
    places = at.astype(np.int64)
    if not include_batch_in_index:
        places = places + (np.arange(x.shape[0]) * size).reshape(-1, 1, 1, 1)
    combine_at(np.add, out.reshape(-1), places.reshape(-1), g.reshape(-1))
    return out


_PLACES = "ksize: list(int) >= 4; strides: list(int) >= 4; Targmax: type = int64; padding: {'SAME', 'VALID'}; "
MaxPoolWithArgmax = define(
    "MaxPoolWithArgmax", "input: T -> output: T, argmax: Targmax",
    attrs=_PLACES + "include_batch_in_index: bool = False; T: type", allowed={"T": REAL, "Targmax": INDEX},
    infer=_argmax_dims, kernel=_with_argmax,
    vjp=lambda call, g, _: [
        MaxPoolGradWithArgmax(
            call.inputs[0], g, call.outputs[1],
            **{k: call.attrs[k] for k in ("ksize", "strides", "padding", "include_batch_in_index")},
        )
    ],
)  # fmt: skip
MaxPoolGradWithArgmax: OpDef = define(
    "MaxPoolGradWithArgmax", "input: T[4], grad: T, argmax: Targmax -> output: T",
    attrs="ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID'}; "
    "include_batch_in_index: bool = False; "
    "Targmax: type; T: type", allowed={"T": REAL, "Targmax": INDEX}, infer=lambda c: c.dims(0), kernel=_argmax_grad,
)  # fmt: skip


class Pooled(NamedTuple):
    """The result of `max_pool_with_argmax`, named as in TensorFlow."""

    output: Tensor
    argmax: Tensor


Pooled.__name__ = MaxPoolWithArgmax.type


def max_pool_with_argmax(
    input: TensorLike, ksize: PerAxis, strides: PerAxis, padding: str, data_format: str = "NHWC",
    output_dtype: DTypeLike = int64, include_batch_in_index: bool = False, name: str | None = None
) -> Pooled:  # fmt: skip
    """The greatest element of each window of images, and where it stands in the flat image.

    >>> import graphrt as tf
    >>> y, at = tf.nn.max_pool_with_argmax([[[[1.], [3.]]]], [1, 2], 1, "VALID")
    >>> y.numpy().item(), at.numpy().item()
    (3.0, 1)

    Raises:
      ValueError: an option is not valid.
    """
    if data_format != "NHWC":
        raise ValueError(errors.at_user_line("data_format values other than 'NHWC' are not supported"))

    def four(value: Any) -> list[int]:
        found = [int(v) for v in np.ravel(value)]
        return found if len(found) == 4 else [1, *(found * 2 if len(found) == 1 else found), 1]

    found = MaxPoolWithArgmax(
        input, ksize=four(ksize), strides=four(strides), padding=padding_of(padding), Targmax=output_dtype,
        include_batch_in_index=include_batch_in_index, name=name,
    )  # fmt: skip
    return Pooled(*found)
