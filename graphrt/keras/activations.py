"""`keras.activations`: functions that layers apply to their outputs.

>>> import graphrt as tf
>>> tf.keras.activations.relu(tf.constant([-1.0, 2.0])).numpy().tolist()
[0.0, 2.0]
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import graphrt as tf
from graphrt.keras import layer_classes
from graphrt.keras.config import floatx
from graphrt.keras.configurable import Configurable, Registry, custom_object_scope, described
from graphrt.keras.logits import SIGMOID, SOFTMAX, keep_logits
from graphrt.keras.symbolic import works_on_symbols
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import AxisLike, TensorLike
from graphrt.types.nesting import shown

_F = TypeVar("_F", bound=Callable[..., Any])

__all__ = [
    "celu", "deserialize", "elu", "exponential", "gelu", "get", "glu", "hard_shrink", "hard_sigmoid", "hard_silu",
    "hard_swish", "hard_tanh", "leaky_relu", "linear", "log_sigmoid", "log_softmax", "mish", "relu", "relu6", "selu",
    "serialize", "sigmoid", "silu", "soft_shrink", "softmax", "softplus", "softsign", "sparse_plus", "sparse_sigmoid",
    "sparsemax", "squareplus", "swish", "tanh", "tanh_shrink", "threshold",
]  # fmt: skip


def _activation(function: _F) -> _F:
    """A function of a tensor that takes what converts to one, and symbolic tensors, too."""

    @works_on_symbols
    @functools.wraps(function)
    def converted(x: TensorLike, *args: float | None, **kwargs: float) -> Tensor:
        return function(tf.convert_to_tensor(x), *args, **kwargs)

    return converted  # type: ignore[return-value]


def _as_float(x: Any) -> Tensor:
    return tf.cast(x, floatx()) if x.dtype.is_integer or x.dtype.is_bool else x


@works_on_symbols
def linear(x: TensorLike) -> Any:
    """`x` itself.

    >>> import graphrt as tf
    >>> tf.keras.activations.linear(tf.constant([-1.0, 2.0])).numpy()
    array([-1.,  2.], dtype=float32)
    """
    return x


@_activation
def relu(x: Tensor, negative_slope: float = 0.0, max_value: float | None = None, threshold: float = 0.0) -> Tensor:
    """`x` where it is over `threshold`, `negative_slope` times what it lies below it elsewhere; at most `max_value`.

    >>> import graphrt as tf
    >>> tf.keras.activations.relu(tf.constant([-2.0, 0.5, 9.0]), negative_slope=0.5, max_value=6.0).numpy().tolist()
    [-1.0, 0.5, 6.0]
    """
    if threshold == 0 and max_value is None and not negative_slope:
        return tf.nn.relu(x)
    kept = tf.where(x > threshold, x, tf.zeros_like(x))
    if max_value is not None:
        kept = tf.minimum(kept, tf.cast(max_value, x.dtype))
    if negative_slope:
        kept -= negative_slope * tf.nn.relu(threshold - x)
    return kept


@_activation
def leaky_relu(x: TensorLike, negative_slope: float = 0.2) -> Tensor:
    """`x` where positive, `negative_slope * x` elsewhere.

    >>> import graphrt as tf
    >>> tf.keras.activations.leaky_relu(tf.constant([-1.0, 2.0]), negative_slope=0.5).numpy()
    array([-0.5,  2. ], dtype=float32)
    """
    return tf.nn.leaky_relu(x, alpha=negative_slope)


@_activation
def relu6(x: TensorLike) -> Tensor:
    """`x` between 0 and 6.

    >>> import graphrt as tf
    >>> tf.keras.activations.relu6(tf.constant([-1.0, 2.0, 9.0])).numpy()
    array([0., 2., 6.], dtype=float32)
    """
    return tf.nn.relu6(x)


@_activation
def softmax(x: Tensor, axis: AxisLike = -1) -> Tensor:
    """Positive numbers that sum to 1 along `axis`.

    >>> import graphrt as tf
    >>> tf.keras.activations.softmax(tf.constant([[0.0, 0.0], [1.0, 3.0]])).numpy().round(4)
    array([[0.5   , 0.5   ],
           [0.1192, 0.8808]], dtype=float32)
    """
    if axis is None or isinstance(axis, (list, tuple)):
        shifted = tf.exp(x - tf.reduce_max(x, axis=axis, keepdims=True))
        return shifted / tf.reduce_sum(shifted, axis=axis, keepdims=True)
    return keep_logits(tf.nn.softmax(x, axis=axis), SOFTMAX, x, axis)


@_activation
def log_softmax(x: TensorLike, axis: AxisLike = -1) -> Tensor:
    """The logarithm of `softmax`.

    >>> import graphrt as tf
    >>> tf.keras.activations.log_softmax(tf.constant([[0.0, 0.0], [1.0, 3.0]])).numpy().round(4)
    array([[-0.6931, -0.6931],
           [-2.1269, -0.1269]], dtype=float32)
    """
    if axis is None or isinstance(axis, (list, tuple)):
        return x - tf.reduce_logsumexp(x, axis=axis, keepdims=True)
    return tf.nn.log_softmax(x, axis=axis)


@_activation
def elu(x: Tensor, alpha: float = 1.0) -> Tensor:
    """`x` where positive, `alpha * (exp(x) - 1)` elsewhere.

    >>> import graphrt as tf
    >>> tf.keras.activations.elu(tf.constant([-1.0, 2.0]), alpha=2.0).numpy().round(4)
    array([-1.2642,  2.    ], dtype=float32)
    """
    found = tf.nn.elu(x)
    return found if alpha == 1 else tf.where(x > 0, found, alpha * found)


@_activation
def celu(x: TensorLike, alpha: float = 1.0) -> Tensor:
    """max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0).

    >>> import graphrt as tf
    >>> tf.keras.activations.celu(tf.constant([-1.0, 2.0]), alpha=2.0).numpy().round(4)
    array([-0.7869,  2.    ], dtype=float32)
    """
    return tf.maximum(x, 0.0) + alpha * tf.math.expm1(tf.minimum(x, 0.0) / alpha)


@_activation
def selu(x: TensorLike) -> Tensor:
    """The scaled exponential unit, which keeps mean and variance.

    >>> import graphrt as tf
    >>> tf.keras.activations.selu(tf.constant([-1.0, 2.0])).numpy().round(4)
    array([-1.1113,  2.1014], dtype=float32)
    """
    return tf.nn.selu(x)


@_activation
def gelu(x: TensorLike, approximate: bool = False) -> Tensor:
    """`x` times the share of a normal distribution below it.

    >>> import graphrt as tf
    >>> tf.keras.activations.gelu(tf.constant([-1.0, 2.0])).numpy().round(4)
    array([-0.1587,  1.9545], dtype=float32)
    >>> tf.keras.activations.gelu(tf.constant([-1.0, 2.0]), approximate=True).numpy().round(4)
    array([-0.1588,  1.9546], dtype=float32)
    """
    return tf.nn.gelu(x, approximate=approximate)


@_activation
def glu(x: TensorLike, axis: int = -1) -> Tensor:
    """The first half along `axis`, times the sigmoid of the second.

    >>> import graphrt as tf
    >>> tf.keras.activations.glu(tf.constant([1.0, 2.0, 0.0, 100.0])).numpy()
    array([0.5, 2. ], dtype=float32)
    """
    a, b = tf.split(x, 2, axis=axis)
    return a * tf.sigmoid(b)


@_activation
def sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + exp(-x)).

    >>> import graphrt as tf
    >>> tf.keras.activations.sigmoid(tf.constant([-1.0, 0.0, 100.0])).numpy().round(4)
    array([0.2689, 0.5   , 1.    ], dtype=float32)
    """
    return keep_logits(tf.sigmoid(x), SIGMOID, x)


@_activation
def log_sigmoid(x: TensorLike) -> Tensor:
    """The logarithm of `sigmoid`.

    >>> import graphrt as tf
    >>> tf.keras.activations.log_sigmoid(tf.constant([-1.0, 100.0])).numpy().round(4)
    array([-1.3133, -0.    ], dtype=float32)
    """
    return tf.math.log_sigmoid(x)


@_activation
def hard_sigmoid(x: Tensor) -> Tensor:
    """relu6(x + 3) / 6.

    >>> import graphrt as tf
    >>> tf.keras.activations.hard_sigmoid(tf.constant([-4.0, 0.0, 1.5])).numpy()
    array([0.  , 0.5 , 0.75], dtype=float32)
    """
    return tf.nn.relu6(x + 3.0) / 6.0


@_activation
def silu(x: TensorLike) -> Tensor:
    """x * sigmoid(x), also called swish.

    >>> import graphrt as tf
    >>> tf.keras.activations.silu(tf.constant([-1.0, 2.0])).numpy().round(4)
    array([-0.2689,  1.7616], dtype=float32)
    """
    return tf.nn.silu(x)


@_activation
def hard_silu(x: Tensor) -> Tensor:
    """x * hard_sigmoid(x).

    >>> import graphrt as tf
    >>> tf.keras.activations.hard_silu(tf.constant([-4.0, 1.5])).numpy().round(4)
    array([-0.   ,  1.125], dtype=float32)
    """
    return x * tf.nn.relu6(x + 3.0) / 6.0


swish = silu
hard_swish = hard_silu


@_activation
def tanh(x: TensorLike) -> Tensor:
    """The hyperbolic tangent.

    >>> import graphrt as tf
    >>> tf.keras.activations.tanh(tf.constant([-1.0, 0.0, 2.0])).numpy().round(4)
    array([-0.7616,  0.    ,  0.964 ], dtype=float32)
    """
    return tf.tanh(_as_float(x))


@_activation
def hard_tanh(x: TensorLike) -> Tensor:
    """`x` between -1 and 1.

    >>> import graphrt as tf
    >>> tf.keras.activations.hard_tanh(tf.constant([-3.0, 0.5, 2.0])).numpy()
    array([-1. ,  0.5,  1. ], dtype=float32)
    """
    return tf.clip_by_value(x, -1.0, 1.0)


@_activation
def tanh_shrink(x: TensorLike) -> Tensor:
    """x - tanh(x).

    >>> import graphrt as tf
    >>> tf.keras.activations.tanh_shrink(tf.constant([-3.0, 0.5])).numpy().round(4)
    array([-2.0049,  0.0379], dtype=float32)
    """
    return x - tf.tanh(x)


@_activation
def hard_shrink(x: TensorLike, threshold: float = 0.5) -> Tensor:
    """`x` where its size is over `threshold`, 0 elsewhere.

    >>> import graphrt as tf
    >>> tf.keras.activations.hard_shrink(tf.constant([-3.0, 0.5, 0.75])).numpy()
    array([-3.  ,  0.  ,  0.75], dtype=float32)
    """
    return tf.where(tf.abs(x) > threshold, x, tf.zeros_like(x))


@_activation
def soft_shrink(x: TensorLike, threshold: float = 0.5) -> Tensor:
    """`x` moved towards 0 by `threshold`.

    >>> import graphrt as tf
    >>> tf.keras.activations.soft_shrink(tf.constant([-3.0, 0.5, 0.75])).numpy()
    array([-2.5 ,  0.  ,  0.25], dtype=float32)
    """
    return tf.sign(x) * tf.nn.relu(tf.abs(x) - threshold)


@_activation
def softplus(x: TensorLike) -> Tensor:
    """log(1 + exp(x)).

    >>> import graphrt as tf
    >>> tf.keras.activations.softplus(tf.constant([-1.0, 100.0])).numpy().round(4)
    array([  0.3133, 100.    ], dtype=float32)
    """
    return tf.math.softplus(x)


@_activation
def softsign(x: TensorLike) -> Tensor:
    """x / (1 + |x|).

    >>> import graphrt as tf
    >>> tf.keras.activations.softsign(tf.constant([-1.0, 3.0])).numpy()
    array([-0.5 ,  0.75], dtype=float32)
    """
    return tf.math.softsign(x)


@_activation
def squareplus(x: TensorLike, b: float = 4) -> Tensor:
    """(x + sqrt(x² + b)) / 2.

    >>> import graphrt as tf
    >>> tf.keras.activations.squareplus(tf.constant([0.0, 1.5])).numpy()
    array([1., 2.], dtype=float32)
    """
    return (x + tf.sqrt(tf.square(x) + float(b))) / 2.0


@_activation
def exponential(x: TensorLike) -> Tensor:
    """exp(x).

    >>> import graphrt as tf
    >>> tf.keras.activations.exponential(tf.constant([0.0, 1.0])).numpy().round(4)
    array([1.    , 2.7183], dtype=float32)
    """
    return tf.exp(_as_float(x))


@_activation
def mish(x: TensorLike) -> Any:
    """x * tanh(softplus(x)).

    >>> import graphrt as tf
    >>> tf.keras.activations.mish(tf.constant([-1.0, 2.0])).numpy().round(4)
    array([-0.3034,  1.944 ], dtype=float32)
    """
    return x * tf.tanh(tf.math.softplus(x))


@_activation
def threshold(x: Tensor, threshold: float, default_value: float) -> Any:
    """`x` where it is over `threshold`, `default_value` elsewhere.

    >>> import graphrt as tf
    >>> tf.keras.activations.threshold(tf.constant([-1.0, 2.0]), threshold=1.0, default_value=-7.0).numpy()
    array([-7.,  2.], dtype=float32)
    """
    return tf.where(x > threshold, x, tf.cast(default_value, x.dtype))


@_activation
def sparse_plus(x: Tensor) -> Tensor:
    """0 up to -1, `x` from 1 on, and (x + 1)² / 4 between.

    >>> import graphrt as tf
    >>> tf.keras.activations.sparse_plus(tf.constant([-2.0, 0.0, 3.0])).numpy()
    array([0.  , 0.25, 3.  ], dtype=float32)
    """
    return tf.where(x <= -1.0, tf.zeros_like(x), tf.where(x < 1.0, tf.square(x + 1.0) / 4.0, x))


@_activation
def sparse_sigmoid(x: Tensor) -> Tensor:
    """0 up to -1, 1 from 1 on, and (x + 1) / 2 between.

    >>> import graphrt as tf
    >>> tf.keras.activations.sparse_sigmoid(tf.constant([-2.0, 0.0, 3.0])).numpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    return tf.clip_by_value((x + 1.0) / 2.0, 0.0, 1.0)


@_activation
def sparsemax(x: Tensor, axis: int = -1) -> Tensor:
    """The nearest point to `x` among the non-negative vectors that sum to 1: most entries are exactly 0.

    >>> import graphrt as tf
    >>> tf.keras.activations.sparsemax(tf.constant([[1.0, 1.5, -1.0]])).numpy().tolist()
    [[0.25, 0.75, 0.0]]
    """
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
        return layer_classes.deserialize(identifier)  # a layer may stand for an activation
    if not isinstance(identifier, str):
        raise ValueError(f"Could not interpret activation function identifier: {shown(identifier)}")
    return _REGISTRY.look_up(identifier)


def serialize(activation: Any) -> Any:
    """The name of an activation, or the configuration of a layer.

    >>> import graphrt as tf
    >>> tf.keras.activations.serialize(tf.keras.activations.relu)
    'relu'

    Raises:
      TypeError: it is neither.
    """
    if isinstance(activation, Configurable):
        return described(activation)
    if not callable(activation) or not hasattr(activation, "__name__"):
        raise TypeError(f"An activation is a function or a layer, found {shown(activation)}")
    return activation.__name__


def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Callable[..., Any]:
    """The function that `serialize` named.

    >>> import graphrt as tf
    >>> tf.keras.activations.deserialize("relu") is tf.keras.activations.relu
    True
    """
    with custom_object_scope(custom_objects):
        return get(config)
