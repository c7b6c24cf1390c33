"""`tf.nn`: ops of neural networks."""

from __future__ import annotations

from graphrt.ops.activations import (
    elu,
    gelu,
    leaky_relu,
    log_softmax,
    relu,
    relu6,
    selu,
    silu,
    softmax,
    softplus,
    softsign,
    swish,
)
from graphrt.ops.convolution import (
    avg_pool,
    avg_pool2d,
    conv1d,
    conv2d,
    conv2d_transpose,
    convolution,
    depthwise_conv2d,
    max_pool,
    max_pool2d,
)
from graphrt.ops.elementwise import sigmoid, tanh
from graphrt.ops.nn import (
    batch_normalization,
    bias_add,
    dropout,
    embedding_lookup,
    l2_loss,
    l2_normalize,
    layer_normalization,
    moments,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from graphrt.ops.sorting import in_top_k, top_k

__all__ = [
    "avg_pool", "avg_pool2d", "batch_normalization", "bias_add", "conv1d", "conv2d", "conv2d_transpose", "convolution",
    "depthwise_conv2d", "dropout", "elu", "embedding_lookup", "gelu", "in_top_k", "l2_loss", "l2_normalize",
    "layer_normalization", "leaky_relu", "log_softmax", "max_pool", "max_pool2d", "moments", "relu", "relu6", "selu",
    "sigmoid", "sigmoid_cross_entropy_with_logits", "silu", "softmax", "softmax_cross_entropy_with_logits", "softplus",
    "softsign", "sparse_softmax_cross_entropy_with_logits", "swish", "tanh", "top_k",
    "weighted_cross_entropy_with_logits",
]  # fmt: skip
