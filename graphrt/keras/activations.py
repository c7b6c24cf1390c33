"""`keras.activations`: functions that layers apply to their outputs.

>>> import graphrt as tf
>>> tf.keras.activations.relu(tf.constant([-1.0, 2.0])).numpy().tolist()
[0.0, 2.0]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import graphrt as tf
from graphrt.keras.configurable import Configurable, Registry
from graphrt.keras.symbolic import works_on_symbols

__all__ = [
    "celu", "deserialize", "elu", "exponential", "gelu", "get", "glu", "hard_shrink", "hard_sigmoid", "hard_silu",
    "hard_swish", "hard_tanh", "leaky_relu", "linear", "log_sigmoid", "log_softmax", "mish", "relu", "relu6", "selu",
    "serialize", "sigmoid", "silu", "soft_shrink", "softmax", "softplus", "softsign", "sparse_plus", "sparse_sigmoid",
    "sparsemax", "squareplus", "swish", "tanh", "tanh_shrink", "threshold",
]  # fmt: skip


@works_on_symbols
def linear(x: Any) -> Any:
    """`x` itself."""
    return x


@works_on_symbols
def relu(x: Any, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Any:
    """`x` where it is over `threshold`, `negative_slope` times what it lies below it elsewhere; at most `max_value`.

    >>> import graphrt as tf
    >>> tf.keras.activations.relu(tf.constant([-2.0, 0.5, 9.0]), negative_slope=0.5, max_value=6.0).numpy().tolist()
    [-1.0, 0.5, 6.0]
    """
    x = tf.convert_to_tensor(x)
    if threshold == 0 and max_value is None and not negative_slope:
        return tf.nn.relu(x)
    kept = tf.where(x > threshold, x, tf.zeros_like(x))
    if max_value is not None:
        kept = tf.minimum(kept, tf.cast(max_value, x.dtype))
    if negative_slope:
        kept -= negative_slope * tf.nn.relu(threshold - x)
    return kept


@works_on_symbols
def leaky_relu(x: Any, negative_slope: float = 0.2) -> Any:
    """`x` where positive, `negative_slope * x` elsewhere."""
    return tf.nn.leaky_relu(x, alpha=negative_slope)


@works_on_symbols
def relu6(x: Any) -> Any:
    """`x` between 0 and 6."""
    return tf.nn.relu6(x)


@works_on_symbols
def softmax(x: Any, axis: int | list[int] = -1) -> Any:
    """Positive numbers that sum to 1 along `axis`."""
    if isinstance(axis, (list, tuple)):
        shifted = tf.exp(x - tf.reduce_max(x, axis=axis, keepdims=True))
        return shifted / tf.reduce_sum(shifted, axis=axis, keepdims=True)
    return tf.nn.softmax(x, axis=axis)


@works_on_symbols
def log_softmax(x: Any, axis: int = -1) -> Any:
    """The logarithm of `softmax`."""
    return tf.nn.log_softmax(x, axis=axis)


@works_on_symbols
def elu(x: Any, alpha: float = 1.0) -> Any:
    """`x` where positive, `alpha * (exp(x) - 1)` elsewhere."""
    found = tf.nn.elu(x)
    return found if alpha == 1 else tf.where(tf.convert_to_tensor(x) > 0, found, alpha * found)


@works_on_symbols
def celu(x: Any, alpha: float = 1.0) -> Any:
    """max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)."""
    return tf.maximum(x, 0.0) + alpha * tf.math.expm1(tf.minimum(x, 0.0) / alpha)


@works_on_symbols
def selu(x: Any) -> Any:
    """The scaled exponential unit, which keeps mean and variance."""
    return tf.nn.selu(x)


@works_on_symbols
def gelu(x: Any, approximate: bool = False) -> Any:
    """`x` times the share of a normal distribution below it."""
    return tf.nn.gelu(x, approximate=approximate)


@works_on_symbols
def glu(x: Any, axis: int = -1) -> Any:
    """The first half along `axis`, times the sigmoid of the second."""
    a, b = tf.split(x, 2, axis=axis)
    return a * tf.sigmoid(b)


@works_on_symbols
def sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x))."""
    return tf.sigmoid(x)


@works_on_symbols
def log_sigmoid(x: Any) -> Any:
    """The logarithm of `sigmoid`."""
    return tf.math.log_sigmoid(x)


@works_on_symbols
def hard_sigmoid(x: Any) -> Any:
    """relu6(x + 3) / 6."""
    return tf.nn.relu6(x + 3.0) / 6.0


@works_on_symbols
def silu(x: Any) -> Any:
    """x * sigmoid(x), also called swish."""
    return tf.nn.silu(x)


@works_on_symbols
def hard_silu(x: Any) -> Any:
    """x * hard_sigmoid(x)."""
    return x * tf.nn.relu6(x + 3.0) / 6.0


swish = silu
hard_swish = hard_silu


@works_on_symbols
def tanh(x: Any) -> Any:
    """The hyperbolic tangent."""
    return tf.tanh(x)


@works_on_symbols
def hard_tanh(x: Any) -> Any:
    """`x` between -1 and 1."""
    return tf.clip_by_value(x, -1.0, 1.0)


@works_on_symbols
def tanh_shrink(x: Any) -> Any:
    """x - tanh(x)."""
    return x - tf.tanh(x)


@works_on_symbols
def hard_shrink(x: Any, threshold: float = 0.5) -> Any:
    """`x` where its size is over `threshold`, 0 elsewhere."""
    return tf.where(tf.abs(x) > threshold, x, tf.zeros_like(x))


@works_on_symbols
def soft_shrink(x: Any, threshold: float = 0.5) -> Any:
    """`x` moved towards 0 by `threshold`."""
    return tf.sign(x) * tf.nn.relu(tf.abs(x) - threshold)


@works_on_symbols
def softplus(x: Any) -> Any:
    """log(1 + exp(x))."""
    return tf.math.softplus(x)


@works_on_symbols
def softsign(x: Any) -> Any:
    """x / (1 + |x|)."""
    return tf.math.softsign(x)


@works_on_symbols
def squareplus(x: Any, b: float = 4) -> Any:
    """(x + sqrt(x² + b)) / 2."""
    return (x + tf.sqrt(tf.square(x) + float(b))) / 2.0


@works_on_symbols
def exponential(x: Any) -> Any:
    """exp(x)."""
    return tf.exp(x)


@works_on_symbols
def mish(x: Any) -> Any:
    """x * tanh(softplus(x))."""
    return x * tf.tanh(tf.math.softplus(x))


@works_on_symbols
def threshold(x: Any, threshold: float, default_value: float) -> Any:
    """`x` where it is over `threshold`, `default_value` elsewhere."""
    x = tf.convert_to_tensor(x)
    return tf.where(x > threshold, x, tf.fill(tf.shape(x), tf.cast(default_value, x.dtype)))


@works_on_symbols
def sparse_plus(x: Any) -> Any:
    """0 up to -1, `x` from 1 on, and (x + 1)² / 4 between."""
    x = tf.convert_to_tensor(x)
    return tf.where(x <= -1.0, tf.zeros_like(x), tf.where(x < 1.0, tf.square(x + 1.0) / 4.0, x))


@works_on_symbols
def sparse_sigmoid(x: Any) -> Any:
    """0 up to -1, 1 from 1 on, and (x + 1) / 2 between."""
    return tf.clip_by_value((x + 1.0) / 2.0, 0.0, 1.0)


@works_on_symbols
def sparsemax(x: Any, axis: int = -1) -> Any:
    """The nearest point to `x` among the non-negative vectors that sum to 1: most entries are exactly 0.

    >>> import graphrt as tf
    >>> tf.keras.activations.sparsemax(tf.constant([[1.0, 1.5, -1.0]])).numpy().tolist()
    [[0.25, 0.75, 0.0]]
    """
    x = tf.convert_to_tensor(x)
    ordered = tf.sort(x, axis=axis, direction="DESCENDING")
    rank = len(x.shape)
    place = tf.reshape(tf.range(1, tf.shape(x)[axis] + 1), [-1 if a == axis % rank else 1 for a in range(rank)])
    sums = tf.cumsum(ordered, axis=axis)
    place = tf.cast(place, x.dtype)
    used = tf.cast(1.0 + place * ordered > sums, x.dtype)
    count = tf.reduce_sum(used, axis=axis, keepdims=True)
    tau = (tf.reduce_sum(used * ordered, axis=axis, keepdims=True) - 1.0) / count
    return tf.maximum(x - tau, tf.cast(0.0, x.dtype))


_REGISTRY = Registry("activation function", ())
_REGISTRY.add(globals(), [n for n in __all__ if n not in ("get", "serialize", "deserialize")])


def get(identifier: Any) -> Callable[..., Any]:
    """The function of this name; `linear` for None, and callables as they are.

    >>> import graphrt as tf
    >>> tf.keras.activations.get("relu") is tf.keras.activations.relu
    True

    Raises:
      ValueError: the name is not known.
    """
    if identifier is None:
        return linear
    if callable(identifier):
        return identifier
    if isinstance(identifier, dict) and "class_name" in identifier:
        from graphrt.keras import layers  # a layer may stand for an activation; layers import this module

        return layers.deserialize(identifier)
    if not isinstance(identifier, str):
        raise ValueError(f"Could not interpret activation function identifier: {identifier!r}")
    return _REGISTRY.look_up(identifier)


def serialize(activation: Any) -> Any:
    """The name of an activation, or the configuration of a layer."""
    if isinstance(activation, Configurable):
        return {"class_name": type(activation).__name__, "config": activation.get_config()}
    return getattr(activation, "__name__", activation)


def deserialize(config: Any, custom_objects: Any = None) -> Callable[..., Any]:
    """The function that `serialize` named."""
    return get(config)
