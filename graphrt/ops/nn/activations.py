"""Activation functions of neural networks, element by element, and softmax, row by row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import ELEMENTWISE, IDEMPOTENT, LINEAR_TIME, MASKS, PRESERVES_ZERO, RISING, OpDef, define, provide
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.shape import transpose
from graphrt.ops.math.arithmetic import pow as pow_
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import abs as abs_
from graphrt.ops.math.elementwise import exp, sigmoid, sign, tanh
from graphrt.ops.math.reduction import reduce_sum
from graphrt.ops.support.kernel_helpers import (
    bad,
    between,
    is_half,
    limited,
    log_softmax_rows,
    rows_on_threads,
    select,
    summed_in,
    text_of,
)
from graphrt.ops.support.shape_rules import as_tensor, known, order_with_last, same_shape
from graphrt.tensor.context import scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import FLOATING, REAL, float32
from graphrt.types.likes import Array, AxisLike
from graphrt.types.shape import Dims, merge

__all__ = [
    "crelu", "elu", "gelu", "leaky_relu", "log_softmax", "relu", "relu6", "selu", "silu", "softmax", "softplus",
    "softsign", "swish",
]  # fmt: skip


# --- activations -----------------------------------------------------------------------------------------------------
def _activation(
    type_: str,
    kernel: Any,
    vjp: Any,
    allowed: Any = FLOATING,
    attrs: str = "",
    traits: tuple[str, ...] = (),
    over: Callable[..., Any] | None = None,
) -> Any:
    return define(
        type_, "features: T -> activations: T", allowed={"T": allowed}, attrs=attrs, infer=same_shape, kernel=kernel,
        vjp=vjp, traits=(ELEMENTWISE, *traits), over=over,
    )  # fmt: skip


def _gradient(
    type_: str, second: str, kernel: Callable[..., Any], vjp: Callable[..., Any], attrs: str = "",
    first: str = "gradients", over: Callable[..., Any] | None = None, traits: tuple[str, ...] = (),
) -> OpDef:  # fmt: skip
    return define(
        type_, f"{first}: T, {second}: T -> backprops: T", allowed={"T": REAL}, attrs=attrs,
        infer=lambda c: merge(c.dims(0), c.dims(1)), kernel=kernel, vjp=vjp, traits=(ELEMENTWISE, *traits), over=over,
    )  # fmt: skip


def _relu(x: Array, out: Array | None = None) -> Array:
    return limited(np.maximum, x, x.dtype.type(0), out)


def _relu6(x: Array, out: Array | None = None) -> Array:
    return between(x, x.dtype.type(0), x.dtype.type(6), out)


Relu = _activation(
    "Relu",
    _relu,
    lambda call, g: [ReluGrad(g, call.outputs[0])],
    REAL,
    traits=(PRESERVES_ZERO, IDEMPOTENT, RISING),
    over=_relu,
)
ReluGrad: OpDef = _gradient(
    "ReluGrad", "features", lambda g, x: g * (x > 0),
    lambda call, g: [ReluGrad(g, call.inputs[1]), zeros_like(call.inputs[1])],
    over=lambda g, x, out: np.multiply(g, x > 0, out=out), traits=(MASKS,),
)  # fmt: skip
Relu6 = _activation(
    "Relu6",
    _relu6,
    lambda call, g: [Relu6Grad(g, call.outputs[0])],
    REAL,
    traits=(PRESERVES_ZERO, RISING),
    over=_relu6,
)
Relu6Grad: OpDef = _gradient(
    "Relu6Grad", "features", lambda g, x: g * ((x > 0) & (x < 6)),
    lambda call, g: [Relu6Grad(g, call.inputs[1]), zeros_like(call.inputs[1])],
    over=lambda g, x, out: np.multiply(g, (x > 0) & (x < 6), out=out), traits=(MASKS,),
)  # fmt: skip


def _one(x: Array) -> Array:
    return x.dtype.type(1)


def _exp_less_1(x: Array) -> Array:
    """For x <= 0; 16 bits are rounded at each step, as in TensorFlow."""
    return np.exp(x) - _one(x) if is_half(x.dtype) else np.expm1(x)


def _elu(x: Array) -> Array:
    return select(x < 0, _exp_less_1(np.minimum(x, x.dtype.type(0))), x).astype(x.dtype, copy=False)[()]


Elu = _activation("Elu", _elu, lambda call, g: [EluGrad(g, call.outputs[0])])


def _elu_grad_vjp(call: Any, g: Any) -> list[Any]:
    gradients, outputs = call.inputs
    negative = cast(outputs < 0, g.dtype)
    return [EluGrad(g, outputs), g * gradients * negative]


EluGrad: OpDef = _gradient(
    "EluGrad", "outputs", lambda g, y: select(y < 0, g * (y + _one(y)), g).astype(y.dtype, copy=False)[()],
    _elu_grad_vjp,
)  # fmt: skip

_SCALE, _ALPHA = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717


def _selu(x: Array) -> Array:
    t = x.dtype.type
    low = t(_SCALE * _ALPHA) * _exp_less_1(np.minimum(x, t(0)))
    return select(x < 0, low, t(_SCALE) * x).astype(x.dtype, copy=False)[()]


Selu = _activation("Selu", _selu, lambda call, g: [SeluGrad(g, call.outputs[0])])


def _selu_grad(g: Array, y: Array) -> Array:
    t = y.dtype.type
    return select(y < 0, g * (y + t(_SCALE * _ALPHA)), g * t(_SCALE)).astype(y.dtype, copy=False)[()]


SeluGrad: OpDef = _gradient(
    "SeluGrad", "outputs", _selu_grad,
    lambda call, g: [
        SeluGrad(g, call.inputs[1]), g * call.inputs[0] * cast(call.inputs[1] < 0, g.dtype),
    ],
)  # fmt: skip


def _leaky(x: Array, *, alpha: float) -> Array:
    low = x * x.dtype.type(np.float32(alpha))
    if 0 < alpha <= 1 and isinstance(low, np.ndarray):
        return np.maximum(x, low, out=low)
    return select(x > 0, x, low).astype(x.dtype, copy=False)[()]


def _leaky_grad(g: Array, x: Array, *, alpha: float) -> Array:
    return select(x > 0, g, g * x.dtype.type(np.float32(alpha))).astype(x.dtype, copy=False)[()]


LeakyRelu = _activation(
    "LeakyRelu", _leaky, lambda call, g: [LeakyReluGrad(g, call.inputs[0], alpha=call.attrs["alpha"])],
    attrs="alpha: float = 0.2; T: type = float32",
)  # fmt: skip
LeakyReluGrad: OpDef = _gradient(
    "LeakyReluGrad", "features", _leaky_grad,
    lambda call, g: [LeakyReluGrad(g, call.inputs[1], alpha=call.attrs["alpha"]), zeros_like(call.inputs[1])],
    attrs="alpha: float = 0.2; T: type = float32",
)  # fmt: skip


def _sigmoid(x: Array) -> Array:
    t = x.dtype.type
    if is_half(x.dtype):  # rounded at each step, as in TensorFlow
        e = np.exp(np.minimum(x, t(11)))
        return (e / (t(1) + e)).astype(x.dtype, copy=False)[()]
    e = np.exp(-np.abs(x))
    return (select(x >= 0, t(1), e) / (t(1) + e)).astype(x.dtype, copy=False)[()]


def _softplus(x: Array) -> Array:
    if is_half(x.dtype):  # rounded at each step, as in TensorFlow
        return np.where(x > 11, x, np.log1p(np.exp(np.minimum(x, x.dtype.type(11))))).astype(x.dtype, copy=False)[()]
    return (np.maximum(x, x.dtype.type(0)) + np.log1p(np.exp(-np.abs(x)))).astype(x.dtype, copy=False)


Softplus = _activation("Softplus", _softplus, lambda call, g: [SoftplusGrad(g, call.inputs[0])])


def _softplus_grad_vjp(call: Any, g: object) -> list[Any]:
    dy, x = call.inputs
    s = sigmoid(x)
    return [SoftplusGrad(g, x), g * dy * s * (cast(1, s.dtype) - s)]


SoftplusGrad: OpDef = _gradient("SoftplusGrad", "features", lambda g, x: g * _sigmoid(x), _softplus_grad_vjp)
Softsign = _activation(
    "Softsign", lambda x: x / (_one(x) + np.abs(x)), lambda call, g: [SoftsignGrad(g, call.inputs[0])]
)


def _softsign_grad_vjp(call: Any, g: Any) -> list[Any]:
    dy, x = call.inputs
    base = cast(1, x.dtype) + abs_(x)
    return [SoftsignGrad(g, x), cast(-2, x.dtype) * g * dy * sign(x) / (base * base * base)]


SoftsignGrad: OpDef = _gradient(
    "SoftsignGrad", "features", lambda g, x: g / np.square(_one(x) + np.abs(x)), _softsign_grad_vjp
)


@provide
def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """`max(x, 0)` of each element.

    >>> import graphrt as tf
    >>> tf.nn.relu([-1., 2.]).numpy().tolist()
    [0.0, 2.0]
    """
    return Relu(features, name=name)


def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """`min(max(x, 0), 6)` of each element.

    >>> import graphrt as tf
    >>> tf.nn.relu6([-1., 8.]).numpy().tolist()
    [0.0, 6.0]
    """
    return Relu6(features, name=name)


def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """`x` where it is positive, `exp(x) - 1` elsewhere.

    >>> import graphrt as tf
    >>> tf.nn.elu([0., 2.]).numpy().tolist()
    [0.0, 2.0]
    """
    return Elu(features, name=name)


def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """The scaled exponential linear unit of each element.

    >>> import graphrt as tf
    >>> tf.nn.selu([0.]).numpy().tolist()
    [0.0]
    """
    return Selu(features, name=name)


def leaky_relu(features: TensorLike, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """`x` where it is positive, `alpha * x` elsewhere.

    >>> import graphrt as tf
    >>> tf.nn.leaky_relu([-2., 2.], alpha=0.5).numpy().tolist()
    [-1.0, 2.0]
    """
    with scope(name, "LeakyRelu") as own:
        x = as_tensor(features, name="features")
        if x.dtype.is_integer:
            x = cast(x, float32)
        return LeakyRelu(x, alpha=alpha, name=own)


@provide
def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """`log(exp(x) + 1)` of each element.

    >>> import graphrt as tf
    >>> round(tf.nn.softplus(0.).numpy().item(), 4)
    0.6931
    """
    return Softplus(features, name=name)


@provide
def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """`x / (abs(x) + 1)` of each element.

    >>> import graphrt as tf
    >>> tf.nn.softsign([1., -1.]).numpy().tolist()
    [0.5, -0.5]
    """
    return Softsign(features, name=name)


def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Tensor:
    """The Gaussian error linear unit of each element: exactly, or approximated by a tanh.

    >>> import graphrt as tf
    >>> round(tf.nn.gelu(1.).numpy().item(), 4)
    0.8413

    Raises:
      ValueError: the elements are not floating-point numbers.
    """
    with scope(name, "Gelu"):
        x = as_tensor(features, name="features")
        if not x.dtype.is_floating:
            raise ValueError(
                errors.at_user_line(
                    f"`features.dtype` must be a floating point tensor.Received:features.dtype={x.dtype!r}"
                )
            )
        if approximate:
            inner = 0.7978845608028654 * (x + 0.044715 * pow_(x, 3))
            return 0.5 * x * (1.0 + tanh(inner))
        from graphrt.ops.math.special.gamma import erfc  # lazy: only this needs it, and native code imports this file

        return 0.5 * x * erfc(-x * cast(0.7071067811865476, x.dtype))


@provide
def silu(features: TensorLike, beta: TensorLike = 1.0) -> Tensor:
    """`x * sigmoid(beta * x)` of each element; also called swish.

    >>> import graphrt as tf
    >>> round(tf.nn.silu(1.).numpy().item(), 4)
    0.7311
    """
    x = as_tensor(features)
    return x * sigmoid(convert_to_tensor(beta, x.dtype, name="beta") * x)


swish = silu


# --- softmax ---------------------------------------------------------------------------------------------------------
def _softmax(x: Array) -> Array:
    if not np.ndim(x):
        raise bad(f"logits must have >= 1 dimension, got {text_of(np.shape(x))}")
    if not x.size:
        return x
    return rows_on_threads(_softmax_of, x)


def _softmax_of(x: Array, out: Array) -> None:
    wide = x.astype(summed_in(x.dtype), copy=False)
    e = np.subtract(wide, wide.max(axis=-1, keepdims=True), out=out if out.dtype == wide.dtype else None)
    np.exp(e, out=e)
    np.divide(e, e.sum(axis=-1, keepdims=True), out=e)
    if e is not out:
        out[...] = e


def _row_dims(c: InferContext) -> Dims:
    dims = c.dims(0)
    if dims == ():
        raise ShapeError("Shape must be at least rank 1 but is rank 0")
    return dims


def _softmax_vjp(call: Any, g: Any) -> list[Any]:
    y = call.outputs[0]
    return [(g - reduce_sum(g * y, -1, keepdims=True)) * y]


Softmax = define(
    "Softmax", "logits: T -> softmax: T", allowed={"T": FLOATING}, infer=_row_dims, kernel=_softmax, vjp=_softmax_vjp,
    traits=(LINEAR_TIME,),
)  # fmt: skip
LogSoftmax = define(
    "LogSoftmax", "logits: T -> logsoftmax: T", allowed={"T": FLOATING}, infer=_row_dims, kernel=log_softmax_rows,
    vjp=lambda call, g: [g - reduce_sum(g, -1, keepdims=True) * exp(call.outputs[0])], traits=(LINEAR_TIME,),
)  # fmt: skip


def _along(op: OpDef, logits: TensorLike, axis: Any, name: str | None) -> Any:
    x = as_tensor(logits)
    rank = None if x.dims is None else len(x.dims)
    at = -1 if axis is None else int(known(axis, "axis"))
    if rank is None:
        if at == -1:
            return op(x, name=name)
        swapped = order_with_last(x, at)
        return transpose(op(transpose(x, swapped), name=name), swapped)
    if at != -1 and not -rank <= at < rank:
        raise errors.InvalidArgumentError(
            None, None, errors.at_user_line(f"`dim` must be in the range [{-rank}, {rank}); got {at} [Op:{op.type}]")
        )
    if at in (-1, rank - 1):
        return op(x, name=name)
    order = list(range(rank))
    order[at % rank], order[-1] = order[-1], order[at % rank]
    return transpose(op(transpose(x, order), name=name), order)


@provide
def softmax(logits: TensorLike, axis: AxisLike = None, name: str | None = None) -> Tensor:
    """`exp(x)` divided by its sum along `axis`.

    >>> import graphrt as tf
    >>> tf.nn.softmax([1., 1.]).numpy().tolist()
    [0.5, 0.5]

    Raises:
      InvalidArgumentError: there is no such axis.
    """
    return _along(Softmax, logits, axis, name)


@provide
def log_softmax(logits: TensorLike, axis: AxisLike = None, name: str | None = None) -> Tensor:
    """The logarithm of the softmax along `axis`.

    >>> import graphrt as tf
    >>> tf.nn.log_softmax([0., 0.]).numpy().round(2)
    array([-0.69, -0.69], dtype=float32)

    Raises:
      InvalidArgumentError: there is no such axis.
    """
    return _along(LogSoftmax, logits, axis, name)


def crelu(features: TensorLike, axis: int = -1, name: str | None = None) -> Tensor:
    """The positive parts of `features`, and behind them along `axis` those of its negation.

    >>> import graphrt as tf
    >>> tf.nn.crelu([-1., 2.]).numpy().tolist()
    [0.0, 2.0, 1.0, 0.0]
    """
    with scope(name, "CRelu") as own:
        x = as_tensor(features, name="features")
        return Relu(concat([x, -x], axis), name=own)
