"""Normalization over neighbouring channels."""

from __future__ import annotations

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OpDef, define
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import FLOATING
from graphrt.types.likes import Array
from graphrt.types.shape import Dims

__all__ = ["local_response_normalization", "lrn"]


# --- normalization over channels -------------------------------------------------------------------------------------
def _around(x: Array, radius: int) -> Array:
    """For each channel the sum over those at most `radius` away."""
    radius = min(radius, x.shape[3])  # further away nothing stands
    wide = np.pad(x, [(0, 0)] * 3 + [(radius, radius)])
    sums = np.cumsum(np.pad(wide, [(0, 0)] * 3 + [(1, 0)]), axis=3, dtype=x.dtype)
    return sums[..., 2 * radius + 1 :] - sums[..., : x.shape[3]]


def _lrn_kernel(x: Array, *, depth_radius: int, bias: float, alpha: float, beta: float) -> Array:
    if np.ndim(x) != 4:
        raise bad(f"in must be 4-dimensional: {text_of(np.shape(x))}")
    t = x.dtype.type
    return x * (t(bias) + t(alpha) * _around(np.square(x), depth_radius)) ** t(-beta)


def _lrn_grad_kernel(
    g: Array, x: Array, y: Array, *, depth_radius: int, bias: float, alpha: float, beta: float
) -> Array:
    t = x.dtype.type
    base = t(bias) + t(alpha) * _around(np.square(x), depth_radius)
    return g * base ** t(-beta) - t(2 * alpha * beta) * x * _around(g * y / base, depth_radius)


_LRN = "depth_radius: int = 5; bias: float = 1.0; alpha: float = 1.0; beta: float = 0.5; T: type = float32"
_HALF = tuple(t for t in FLOATING if t.name != "float64")


def _lrn_dims(c: InferContext) -> Dims:
    dims = c.dims(0)
    if dims is not None and len(dims) != 4:
        raise ShapeError(f"Shape must be rank 4 but is rank {len(dims)}")
    return (None,) * 4 if dims is None else dims


LRN = define(
    "LRN", "input: T -> output: T", attrs=_LRN, allowed={"T": _HALF}, infer=_lrn_dims, kernel=_lrn_kernel,
    vjp=lambda call, g: [
        LRNGrad(g, call.inputs[0], call.outputs[0],
                    **{k: call.attrs[k] for k in ("depth_radius", "bias", "alpha", "beta")})
    ],
)  # fmt: skip
LRNGrad: OpDef = define(
    "LRNGrad", "input_grads: T, input_image: T[4], output_image: T[4] -> output: T", attrs=_LRN, allowed={"T": _HALF},
    infer=_lrn_dims, kernel=_lrn_grad_kernel,
)  # fmt: skip


def local_response_normalization(
    input: TensorLike, depth_radius: int = 5, bias: float = 1, alpha: float = 1, beta: float = 0.5,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Each pixel divided by a power of the sum of squares over the channels near it.

    >>> import graphrt as tf
    >>> tf.nn.lrn(tf.zeros([1, 1, 1, 3])).shape
    TensorShape([1, 1, 1, 3])
    """
    return LRN(input, depth_radius=depth_radius, bias=bias, alpha=alpha, beta=beta, name=name)


lrn = local_response_normalization
