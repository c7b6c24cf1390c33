"""Activations, softmax, losses, and their gradients."""

# names of another format: those of ONNX's ops

from __future__ import annotations

import numpy as np

from graphrt.export.onnx.builder import Ref
from graphrt.export.onnx.lowering import Rule, Use
from graphrt.export.onnx.mappings.elementwise import expm1, log1p
from graphrt.types.dtype import bool_, float64

_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def _relu(c: Use) -> Ref:
    return c.emit("Relu", c[0]) if c[0].dtype.is_floating else c.emit("Max", c[0], c.like(c[0], 0))


def _relu6(c: Use) -> Ref:
    return c.emit("Min", c.emit("Max", c[0], c.like(c[0], 0)), c.like(c[0], 6))


def _positive(c: Use, x: Ref) -> Ref:
    return c.emit("Greater", x, c.like(x, 0), dtype=bool_)


def _elu(c: Use) -> Ref:
    x = c[0]
    if x.dtype is not float64:
        return c.emit("Elu", x, alpha=1.0)
    return c.where(_positive(c, x), x, expm1(c, x))


def _selu(c: Use) -> Ref:
    x = c[0]
    low = c.emit("Mul", c.like(x, _SELU_SCALE * _SELU_ALPHA), expm1(c, x))
    return c.where(_positive(c, x), c.emit("Mul", c.like(x, _SELU_SCALE), x), low)


def _leaky_relu(c: Use) -> Ref:
    x = c[0]
    return c.where(_positive(c, x), x, c.emit("Mul", x, c.like(x, float(np.float32(c.attr("alpha"))))))


def _softplus(c: Use) -> Ref:
    x = c[0]
    rest = log1p(c, c.emit("Exp", c.emit("Neg", c.emit("Abs", x))))
    return c.emit("Add", c.emit("Max", x, c.like(x, 0)), rest)


def _softsign(c: Use) -> Ref:
    return c.emit("Div", c[0], c.emit("Add", c.emit("Abs", c[0]), c.like(c[0], 1)))


def _along_last(op: str) -> Rule:
    return lambda c: c.emit(op, c[0], axis=-1)


# --- losses ----------------------------------------------------------------------------------------------------------
def _cross_entropy(c: Use) -> list[Ref]:
    logits, labels = c[0], c[1]
    if c.dims(0) != c.dims(1) or c.dims(0) is None:  # either may be repeated
        zero = c.like(logits, 0)
        logits, labels = (
            c.emit("Add", logits, c.emit("Mul", labels, zero)), c.emit("Add", labels, c.emit("Mul", logits, zero))
        )  # fmt: skip
    inside = c.emit("Mul", labels, c.emit("LogSoftmax", logits, axis=-1))
    loss = c.emit("Neg", c.emit("ReduceSum", inside, c.ints([-1]), keepdims=0))
    return [loss, c.emit("Sub", c.emit("Softmax", logits, axis=-1), labels)]


def _sparse_cross_entropy(c: Use) -> list[Ref]:
    logits, labels = c[0], c.int64(1)
    column = c.emit("Unsqueeze", labels, c.ints([-1]))
    logs = c.emit("LogSoftmax", logits, axis=-1)
    loss = c.emit("Neg", c.emit("Squeeze", c.emit("GatherElements", logs, column, axis=1), c.ints([1])))
    classes = c.emit("Squeeze", c.emit("Slice", c.shape(logits), c.ints([-1]), c.ints([1 << 40])), c.ints([0]))
    places = c.emit("Range", c.ints(0), classes, c.ints(1))
    hot = c.cast(c.emit("Equal", column, places, dtype=bool_), logits.dtype)
    return [loss, c.emit("Sub", c.emit("Softmax", logits, axis=-1), hot)]


# --- gradients -------------------------------------------------------------------------------------------------------
def _where_positive(c: Use) -> Ref:
    return c.where(_positive(c, c[1]), c[0], c.like(c[0], 0))


def _relu6_grad(c: Use) -> Ref:
    below = c.emit("Less", c[1], c.like(c[1], 6), dtype=bool_)
    return c.where(c.emit("And", _positive(c, c[1]), below), c[0], c.like(c[0], 0))


def _leaky_relu_grad(c: Use) -> Ref:
    return c.where(_positive(c, c[1]), c[0], c.emit("Mul", c[0], c.like(c[0], float(np.float32(c.attr("alpha"))))))


def _elu_grad(c: Use) -> Ref:
    low = c.emit("Mul", c[0], c.emit("Add", c[1], c.like(c[1], 1)))
    return c.where(c.emit("Less", c[1], c.like(c[1], 0), dtype=bool_), low, c[0])


def _selu_grad(c: Use) -> Ref:
    low = c.emit("Mul", c[0], c.emit("Add", c[1], c.like(c[1], _SELU_SCALE * _SELU_ALPHA)))
    high = c.emit("Mul", c[0], c.like(c[0], _SELU_SCALE))
    return c.where(c.emit("Less", c[1], c.like(c[1], 0), dtype=bool_), low, high)


def _softplus_grad(c: Use) -> Ref:
    return c.emit("Mul", c[0], c.emit("Sigmoid", c[1]))


def _softsign_grad(c: Use) -> Ref:
    below = c.emit("Add", c.emit("Abs", c[1]), c.like(c[1], 1))
    return c.emit("Div", c[0], c.emit("Mul", below, below))


def _tanh_grad(c: Use) -> Ref:
    return c.emit("Mul", c[1], c.emit("Sub", c.like(c[0], 1), c.emit("Mul", c[0], c[0])))


def _sigmoid_grad(c: Use) -> Ref:
    slope = c.emit("Mul", c[0], c.emit("Sub", c.like(c[0], 1), c[0]))
    return c.emit("Mul", c[1], slope)


def _where_asked(c: Use, found: Ref) -> Ref:
    zero = c.like(c[1], 0)
    return c.emit("Where", c.emit("Equal", c[1], zero), zero, found)


def _sqrt_grad(c: Use) -> Ref:
    return _where_asked(c, c.emit("Div", c.emit("Mul", c[1], c.like(c[1], 0.5)), c[0]))


def _rsqrt_grad(c: Use) -> Ref:
    cube = c.emit("Mul", c.emit("Mul", c[0], c[0]), c[0])
    return _where_asked(c, c.emit("Mul", c.emit("Mul", c[1], c.like(c[1], -0.5)), cube))


def _reciprocal_grad(c: Use) -> Ref:
    return c.emit("Mul", c.emit("Neg", c[1]), c.emit("Mul", c[0], c[0]))


def _bias_grad(c: Use) -> Ref:
    rank = c.rank()
    kept = 1 if c.attr("data_format") == "NCHW" and rank > 2 else rank - 1
    return c.emit("ReduceSum", c[0], c.ints([i for i in range(rank) if i != kept]), keepdims=0)


def bias_add(c: Use) -> Ref:
    """A bias for each channel."""
    if c.node.attrs.get("data_format", b"NHWC") in (b"NCHW", "NCHW") and c.rank() > 2:
        return c.emit("Add", c[0], c.emit("Unsqueeze", c[1], c.ints(range(1, c.rank() - 1))))
    return c.emit("Add", c[0], c[1])


# names: the ops of this family
RULES: dict[str, Rule] = {
    "BiasAdd": bias_add,
    "BiasAddGrad": _bias_grad,
    "Elu": _elu,
    "EluGrad": _elu_grad,
    "InvGrad": _reciprocal_grad,
    "LeakyRelu": _leaky_relu,
    "LeakyReluGrad": _leaky_relu_grad,
    "LogSoftmax": _along_last("LogSoftmax"),
    "Relu": _relu,
    "Relu6": _relu6,
    "Relu6Grad": _relu6_grad,
    "ReluGrad": _where_positive,
    "ReciprocalGrad": _reciprocal_grad,
    "RsqrtGrad": _rsqrt_grad,
    "Selu": _selu,
    "SeluGrad": _selu_grad,
    "SigmoidGrad": _sigmoid_grad,
    "Softmax": _along_last("Softmax"),
    "SoftmaxCrossEntropyWithLogits": _cross_entropy,
    "Softplus": _softplus,
    "SoftplusGrad": _softplus_grad,
    "Softsign": _softsign,
    "SoftsignGrad": _softsign_grad,
    "SparseSoftmaxCrossEntropyWithLogits": _sparse_cross_entropy,
    "SqrtGrad": _sqrt_grad,
    "TanhGrad": _tanh_grad,
}
