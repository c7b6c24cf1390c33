"""Losses as functions: a number for each sample.

>>> import graphrt as tf
>>> tf.keras.losses.mean_absolute_error([[1.0, 2.0]], [[1.0, 4.0]]).numpy().tolist()
[1.0]
"""

from __future__ import annotations

from typing import Any

import graphrt as tf
from graphrt import errors
from graphrt.keras.config import epsilon, floatx
from graphrt.keras.logits import SIGMOID, SOFTMAX, keep_logits, logits_or_shares
from graphrt.keras.masks import set_mask
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import AxisLike, TensorLike


# --- shapes ----------------------------------------------------------------------------------------------------------
def same_rank(x: Any, y: Any) -> tuple[Any, Any]:
    """Both of one rank, where one has a last axis of size 1 that the other lacks."""
    x, y = tf.convert_to_tensor(x), tf.convert_to_tensor(y)
    a, b = x.shape.rank, y.shape.rank
    if a is None or b is None or a == b:
        return x, y
    if a == b + 1 and x.shape[-1] == 1:
        return (x, tf.expand_dims(y, -1)) if b == 1 else (tf.squeeze(x, -1), y)
    if b == a + 1 and y.shape[-1] == 1:
        return (tf.expand_dims(x, -1), y) if a == 1 else (x, tf.squeeze(y, -1))
    return x, y


def pair_of(y_true: TensorLike, y_pred: Any) -> tuple[Any, Any]:
    """Both as tensors of the dtype of the predictions, of one rank."""
    y_pred = tf.convert_to_tensor(y_pred)
    if not y_pred.dtype.is_floating:
        y_pred = tf.cast(y_pred, floatx())
    y_true = tf.cast(y_true, y_pred.dtype)
    return same_rank(y_true, y_pred)


def _checked(y_true: Any, y_pred: Any, name: str) -> None:
    a, b = y_true.shape, y_pred.shape
    if a.rank is not None and b.rank is not None and not a.is_compatible_with(b):
        raise ValueError(
            f"Arguments `y_true` and `y_pred` of {name} must have the same shape. "
            f"Received: y_true.shape={tuple(a)}, y_pred.shape={tuple(b)}"
        )


# --- functions -------------------------------------------------------------------------------------------------------
def mean_squared_error(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of squared differences, along the last axis.

    >>> import graphrt as tf
    >>> tf.keras.losses.MSE([[0.0, 1.0]], [[2.0, 1.0]]).numpy()
    array([2.], dtype=float32)
    """
    y_true, y_pred = pair_of(y_true, y_pred)
    return tf.reduce_mean(tf.square(y_true - y_pred), axis=-1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of the sizes of differences, along the last axis.

    >>> import graphrt as tf
    >>> tf.keras.losses.MAE([[0.0, 1.0]], [[2.0, 1.0]]).numpy()
    array([1.], dtype=float32)
    """
    y_true, y_pred = pair_of(y_true, y_pred)
    return tf.reduce_mean(tf.abs(y_true - y_pred), axis=-1)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of differences relative to the true values, in percent.

    >>> import graphrt as tf
    >>> tf.keras.losses.MAPE([[2.0, 1.0]], [[3.0, 1.0]]).numpy()
    array([25.], dtype=float32)
    """
    y_true, y_pred = pair_of(y_true, y_pred)
    share = tf.abs((y_true - y_pred) / tf.maximum(tf.abs(y_true), epsilon()))
    return 100.0 * tf.reduce_mean(share, axis=-1)


def mean_squared_logarithmic_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean of squared differences of log(1 + value).

    >>> import graphrt as tf
    >>> tf.keras.losses.MSLE([[0.0, 1.0]], [[2.0, 1.0]]).numpy().round(4)
    array([0.6035], dtype=float32)
    """
    y_true, y_pred = pair_of(y_true, y_pred)
    a = tf.math.log(tf.maximum(y_pred, epsilon()) + 1.0)
    b = tf.math.log(tf.maximum(y_true, epsilon()) + 1.0)
    return tf.reduce_mean(tf.square(a - b), axis=-1)


def cosine_similarity(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> Tensor:
    """The cosine of the angle between the vectors along `axis`, with the sign turned: -1 is best.

    >>> import graphrt as tf
    >>> tf.keras.losses.cosine_similarity([[0.0, 1.0]], [[3.0, 4.0]]).numpy().round(4)
    array([-0.8], dtype=float32)
    """
    y_true, y_pred = pair_of(y_true, y_pred)
    return -tf.reduce_sum(_unit(y_true, axis) * _unit(y_pred, axis), axis=axis)


def _unit(x: Any, axis: int) -> Tensor:
    return tf.nn.l2_normalize(x, axis=axis)


def huber(y_true: Any, y_pred: Any, delta: TensorLike = 1.0) -> Tensor:
    """Half the squared difference where it is at most `delta`, growing linearly beyond.

    >>> import graphrt as tf
    >>> tf.keras.losses.huber([[0.0, 1.0]], [[4.0, 1.5]], delta=1.0).numpy()
    array([1.8125], dtype=float32)
    """
    y_true, y_pred = pair_of(y_true, y_pred)
    delta = tf.cast(delta, y_pred.dtype)
    size = tf.abs(y_true - y_pred)
    half = tf.cast(0.5, y_pred.dtype)
    return tf.reduce_mean(tf.where(size <= delta, half * tf.square(size), delta * size - half * tf.square(delta)), -1)


def log_cosh(y_true: Any, y_pred: Any) -> Tensor:
    """The mean of the logarithms of the hyperbolic cosines of differences.

    >>> import graphrt as tf
    >>> tf.keras.losses.logcosh([[0.0, 1.0]], [[1.0, 1.0]]).numpy().round(4)
    array([0.2169], dtype=float32)
    """
    y_true, y_pred = pair_of(y_true, y_pred)
    x = y_pred - y_true
    log_of_2 = tf.cast(tf.math.log(2.0), x.dtype)
    return tf.reduce_mean(x + tf.math.softplus(-2.0 * x) - log_of_2, axis=-1)


def _signs(y_true: Any) -> Tensor:
    """Labels 0 and 1 as -1 and 1; others as they are."""
    binary = tf.reduce_all(tf.logical_or(tf.equal(y_true, 0), tf.equal(y_true, 1)))
    return tf.where(binary, 2.0 * y_true - 1.0, y_true)


def hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean of max(1 - y_true * y_pred, 0), for labels -1 and 1 (or 0 and 1).

    >>> import graphrt as tf
    >>> tf.keras.losses.hinge([[-1.0, 1.0]], [[0.5, 0.5]]).numpy()
    array([1.], dtype=float32)
    """
    y_true, y_pred = pair_of(y_true, y_pred)
    return tf.reduce_mean(tf.maximum(1.0 - _signs(y_true) * y_pred, 0.0), axis=-1)


def squared_hinge(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean of the squares of what `hinge` takes the mean of.

    >>> import graphrt as tf
    >>> tf.keras.losses.squared_hinge([[-1.0, 1.0]], [[0.5, 0.5]]).numpy()
    array([1.25], dtype=float32)
    """
    y_true, y_pred = pair_of(y_true, y_pred)
    return tf.reduce_mean(tf.square(tf.maximum(1.0 - _signs(y_true) * y_pred, 0.0)), axis=-1)


def categorical_hinge(y_true: Any, y_pred: Any) -> Tensor:
    """How far the greatest wrong score is above the right one, and 1 more; at least 0.

    >>> import graphrt as tf
    >>> tf.keras.losses.categorical_hinge([[0.0, 1.0]], [[0.25, 0.75]]).numpy()
    array([0.5], dtype=float32)
    """
    y_true, y_pred = pair_of(y_true, y_pred)
    right = tf.reduce_sum(y_true * y_pred, axis=-1)
    wrong = tf.reduce_max((1.0 - y_true) * y_pred, axis=-1)
    return tf.maximum(wrong - right + 1.0, 0.0)


def kl_divergence(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The sum of y_true * log(y_true / y_pred).

    >>> import graphrt as tf
    >>> tf.keras.losses.KLD([[0.25, 0.75]], [[0.5, 0.5]]).numpy().round(4)
    array([0.1308], dtype=float32)
    """
    y_true, y_pred = pair_of(y_true, y_pred)
    y_true, y_pred = tf.clip_by_value(y_true, epsilon(), 1.0), tf.clip_by_value(y_pred, epsilon(), 1.0)
    return tf.reduce_sum(y_true * tf.math.log(y_true / y_pred), axis=-1)


def poisson(y_true: Any, y_pred: Any) -> Any:
    """The mean of y_pred - y_true * log(y_pred).

    >>> import graphrt as tf
    >>> tf.keras.losses.poisson([[0.0, 1.0]], [[1.0, 1.0]]).numpy().round(4)
    array([1.], dtype=float32)
    """
    y_true, y_pred = pair_of(y_true, y_pred)
    return tf.reduce_mean(y_pred - y_true * tf.math.log(y_pred + epsilon()), axis=-1)


def _between(p: Any) -> Tensor:
    return tf.clip_by_value(p, epsilon(), 1.0 - epsilon())


def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Any:
    """The cross entropy of one-hot labels and predicted shares (or logits).

    >>> import graphrt as tf
    >>> tf.keras.losses.categorical_crossentropy([[0.0, 1.0]], [[0.25, 0.75]]).numpy().round(4)
    array([0.2877], dtype=float32)

    Raises:
      ValueError: the shapes differ.
    """
    _known_axis(axis)
    y_pred = tf.convert_to_tensor(y_pred)
    y_true = tf.cast(y_true, y_pred.dtype)
    _checked(y_true, y_pred, "categorical_crossentropy")
    _several_classes(y_pred, axis, "categorical_crossentropy")
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / tf.cast(tf.shape(y_true)[axis], y_pred.dtype)
    return _crossentropy(y_true, y_pred, from_logits, axis)


def _several_classes(y_pred: Tensor, axis: int, name: str) -> None:
    """Warns of one class alone, whose share is always 1: a mistake for two classes that one number tells apart."""
    if axis == -1 and y_pred.shape.rank and y_pred.shape[-1] == 1:
        errors.warn(
            f"In loss {name}, expected y_pred.shape to be (batch_size, num_classes) with num_classes > 1. Received: "
            f"y_pred.shape={tuple(y_pred.shape)}. Use 'binary_crossentropy' for two classes that one number tells apart.",
            SyntaxWarning,
        )


def _known_axis(axis: int) -> None:
    if isinstance(axis, bool):
        raise ValueError(f"`axis` must be of type `int`. Received: axis={axis} of type {type(axis)}")


def _crossentropy(target: Any, output: Tensor, from_logits: bool, axis: int) -> Tensor:
    output, from_logits = logits_or_shares(from_logits, output, SOFTMAX, axis)
    if from_logits:
        return tf.nn.softmax_cross_entropy_with_logits(target, output, axis=axis)
    output = _between(output / tf.reduce_sum(output, axis=axis, keepdims=True))
    return -tf.reduce_sum(target * tf.math.log(output), axis=axis)


def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, ignore_class: int | None = None, axis: int = -1
) -> Tensor:
    """The cross entropy of integer labels and predicted shares (or logits); `ignore_class` marks labels to pass over.

    >>> import graphrt as tf
    >>> tf.keras.losses.sparse_categorical_crossentropy([1], [[0.25, 0.75]]).numpy().round(4)
    array([0.2877], dtype=float32)

    Raises:
      ValueError: the shapes do not fit.
    """
    y_pred = tf.convert_to_tensor(y_pred)
    y_true = tf.convert_to_tensor(y_true)
    if y_true.shape.rank == y_pred.shape.rank and y_true.shape.rank and y_true.shape[-1] == 1:
        y_true = tf.squeeze(y_true, -1)
    y_true = tf.cast(y_true, tf.int64)
    y_pred, from_logits = logits_or_shares(from_logits, y_pred, SOFTMAX, axis)
    rank = y_pred.shape.rank
    if axis != -1 and rank is None:
        raise ValueError(
            f"sparse_categorical_crossentropy with axis={axis} needs predictions of known rank; use axis=-1"
        )
    if axis != -1 and axis != rank - 1:
        y_pred = tf.transpose(y_pred, [a for a in range(rank) if a != axis] + [axis])
    if not y_true.shape.is_compatible_with(y_pred.shape[:-1]):
        raise ValueError(
            "Arguments `y_true` and `y_pred` of sparse_categorical_crossentropy must have the same shape up until the "
            f"last dimension. Received: y_true.shape={tuple(y_true.shape)}, y_pred.shape={tuple(y_pred.shape)}"
        )
    if not from_logits:
        y_pred = tf.math.log(_between(y_pred))
    if ignore_class is None:
        return tf.nn.sparse_softmax_cross_entropy_with_logits(y_true, y_pred)
    valid = tf.not_equal(y_true, ignore_class)
    found = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.where(valid, y_true, tf.zeros_like(y_true)), y_pred)
    found = tf.where(valid, found, tf.zeros_like(found))
    set_mask(found, valid)
    return found


def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1
) -> Any:
    """The mean cross entropy of labels 0 and 1 and predicted probabilities (or logits).

    >>> import graphrt as tf
    >>> tf.keras.losses.binary_crossentropy([[0.0, 1.0]], [[0.5, 0.5]]).numpy().round(4).tolist()
    [0.6930999755859375]
    """
    y_true, y_pred = pair_of(y_true, y_pred)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    return tf.reduce_mean(binary_entropies(y_true, y_pred, from_logits), axis=axis)


def binary_entropies(target: Tensor, output: Any, from_logits: bool) -> Any:
    _checked(target, output, "binary_crossentropy")
    output, from_logits = logits_or_shares(from_logits, output, SIGMOID)
    if from_logits:
        return tf.nn.sigmoid_cross_entropy_with_logits(target, output)
    output = _between(output)
    return -(target * tf.math.log(output) + (1.0 - target) * tf.math.log(1.0 - output))


def binary_focal_crossentropy(
    y_true: Any, y_pred: Any, apply_class_balancing: bool = False, alpha: float = 0.25, gamma: float = 2.0,
    from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1,
) -> Tensor:  # fmt: skip
    """The binary cross entropy, times (1 - probability of the label) ** gamma.

    >>> import graphrt as tf
    >>> tf.keras.losses.binary_focal_crossentropy([[0.0, 1.0]], [[0.25, 0.5]]).numpy().round(4)
    array([0.0956], dtype=float32)
    """
    y_true, y_pred = pair_of(y_true, y_pred)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    y_pred = keep_logits(tf.sigmoid(y_pred), SIGMOID, y_pred) if from_logits else y_pred
    losses = binary_entropies(y_true, y_pred, False)
    right = y_true * y_pred + (1.0 - y_true) * (1.0 - y_pred)
    losses = tf.pow(1.0 - right, gamma) * losses
    if apply_class_balancing:
        losses = (y_true * alpha + (1.0 - y_true) * (1.0 - alpha)) * losses
    return tf.reduce_mean(losses, axis=axis)


def categorical_focal_crossentropy(
    y_true: Any, y_pred: Any, alpha: float = 0.25, gamma: float = 2.0, from_logits: bool = False,
    label_smoothing: float = 0.0, axis: int = -1,
) -> Any:  # fmt: skip
    """The categorical cross entropy, times alpha * (1 - share) ** gamma.

    >>> import graphrt as tf
    >>> tf.keras.losses.categorical_focal_crossentropy([[0.0, 1.0]], [[0.25, 0.75]]).numpy().round(4)
    array([0.0045], dtype=float32)
    """
    y_pred = tf.convert_to_tensor(y_pred)
    y_true = tf.cast(y_true, y_pred.dtype)
    _several_classes(y_pred, axis, "categorical_focal_crossentropy")
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / tf.cast(tf.shape(y_true)[axis], y_pred.dtype)
    y_pred = tf.nn.softmax(y_pred, axis=axis) if from_logits else y_pred
    y_pred = _between(y_pred / tf.reduce_sum(y_pred, axis=axis, keepdims=True))
    weight = tf.pow(1.0 - y_pred, gamma) * tf.cast(alpha, y_pred.dtype)
    return tf.reduce_sum(-weight * y_true * tf.math.log(y_pred), axis=axis)


def categorical_generalized_cross_entropy(y_true: Any, y_pred: TensorLike, q: float) -> Tensor:
    """(1 - share of the label ** q) / q: between cross entropy and absolute error, which noise in labels hurts less.

    >>> import graphrt as tf
    >>> tf.keras.losses.categorical_generalized_cross_entropy([1], [[0.25, 0.75]], q=0.5).numpy().round(4)
    array([0.2679], dtype=float32)
    """
    y_pred = tf.convert_to_tensor(y_pred)
    y_true = tf.cast(y_true, tf.int64)
    if y_true.shape.rank == y_pred.shape.rank and y_true.shape.rank and y_true.shape[-1] == 1:
        y_true = tf.squeeze(y_true, -1)
    right = tf.reduce_sum(y_pred * tf.one_hot(y_true, tf.shape(y_pred)[-1], dtype=y_pred.dtype), axis=-1)
    return (1.0 - tf.pow(right, q)) / q


def dice(y_true: Any, y_pred: Any, axis: AxisLike = None) -> Tensor:
    """1 less twice the overlap, relative to the sums.

    >>> import graphrt as tf
    >>> tf.keras.losses.dice([[0.0, 1.0]], [[0.25, 0.75]]).numpy().round(4)
    np.float32(0.25)
    """
    y_true, y_pred = _flat_pair(y_true, y_pred, axis)
    both = tf.reduce_sum(y_true * y_pred, axis=axis)
    total = tf.reduce_sum(y_true, axis=axis) + tf.reduce_sum(y_pred, axis=axis) + epsilon()
    return 1.0 - tf.math.divide_no_nan(2.0 * both, total)


def tversky(y_true: Any, y_pred: Any, alpha: float = 0.5, beta: float = 0.5, axis: AxisLike = None) -> Tensor:
    """1 less the overlap, relative to it and weighted false positives and false negatives.

    >>> import graphrt as tf
    >>> tf.keras.losses.tversky([[0.0, 1.0]], [[0.25, 0.75]]).numpy().round(4)
    np.float32(0.25)
    """
    y_true, y_pred = _flat_pair(y_true, y_pred, axis)
    both = tf.reduce_sum(y_true * y_pred, axis=axis)
    false_positive = tf.reduce_sum((1.0 - y_true) * y_pred, axis=axis)
    false_negative = tf.reduce_sum(y_true * (1.0 - y_pred), axis=axis)
    return 1.0 - tf.math.divide_no_nan(both, both + false_positive * alpha + false_negative * beta + epsilon())


def _flat_pair(y_true: Any, y_pred: Any, axis: Any) -> tuple[Any, Any]:
    y_pred = tf.convert_to_tensor(y_pred)
    y_true = tf.cast(y_true, y_pred.dtype)
    return (tf.reshape(y_true, [-1]), tf.reshape(y_pred, [-1])) if axis is None else (y_true, y_pred)
