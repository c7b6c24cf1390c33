"""Metrics that are means of a function: accuracies, errors, losses.

>>> import graphrt as tf
>>> m = tf.keras.metrics.SparseCategoricalAccuracy()
>>> m.update_state([1, 0], [[0.2, 0.8], [0.3, 0.7]])
>>> m.result().numpy().item()
0.5
"""

from __future__ import annotations

from typing import Any

import graphrt as tf
from graphrt.keras import losses
from graphrt.keras.loss_functions import pair_of, same_rank
from graphrt.keras.metrics.base import Mean, MeanMetricWrapper, Metric
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import DTypeLike, TensorLike


# --- functions -------------------------------------------------------------------------------------------------------
def accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Where the predictions are the true values, as 0 and 1.

    >>> import graphrt as tf
    >>> tf.keras.metrics.accuracy([[1.0], [2.0]], [[1.0], [3.0]]).numpy()
    array([[1.],
           [0.]], dtype=float32)
    """
    y_pred = tf.convert_to_tensor(y_pred)
    y_true = tf.cast(y_true, y_pred.dtype)
    y_true, y_pred = same_rank(y_true, y_pred)
    return tf.cast(tf.equal(y_true, y_pred), tf.float32)


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Tensor:
    """Where predictions over `threshold` are the labels, as 0 and 1.

    >>> import graphrt as tf
    >>> tf.keras.metrics.binary_accuracy([[1.0], [0.0]], [[0.75], [0.75]]).numpy()
    array([[1.],
           [0.]], dtype=float32)
    """
    y_pred = tf.convert_to_tensor(y_pred)
    y_pred = tf.cast(y_pred, tf.float32) if y_pred.dtype.is_bool else y_pred
    y_true = tf.convert_to_tensor(y_true)
    y_true, y_pred = same_rank(y_true, y_pred)
    found = tf.cast(y_pred > tf.cast(threshold, y_pred.dtype), y_true.dtype)
    return tf.cast(tf.equal(y_true, found), tf.float32)


def categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Where the greatest prediction is that of the one-hot label, as 0 and 1.

    >>> import graphrt as tf
    >>> tf.keras.metrics.categorical_accuracy([[0, 1], [1, 0]], [[0.25, 0.75], [0.25, 0.75]]).numpy()
    array([1., 0.], dtype=float32)
    """
    return _same_class(tf.argmax(tf.convert_to_tensor(y_true), axis=-1), tf.convert_to_tensor(y_pred))


def _same_class(labels: Tensor, y_pred: Tensor) -> Tensor:
    found = tf.argmax(y_pred, axis=-1)
    return tf.cast(tf.equal(tf.cast(labels, found.dtype), found), tf.float32)


def _labels(y_true: TensorLike, y_pred: Tensor) -> Tensor:
    y_true = tf.convert_to_tensor(y_true)
    if y_true.shape.rank == y_pred.shape.rank and y_true.shape.rank and y_true.shape[-1] == 1:
        return tf.squeeze(y_true, -1)
    return y_true


def sparse_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """Where the greatest prediction is that of the integer label, as 0 and 1.

    >>> import graphrt as tf
    >>> tf.keras.metrics.sparse_categorical_accuracy([1, 0], [[0.25, 0.75], [0.25, 0.75]]).numpy()
    array([1., 0.], dtype=float32)
    """
    y_pred = tf.convert_to_tensor(y_pred)
    return _same_class(_labels(y_true, y_pred), y_pred)


def top_k_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike, k: int = 5) -> Tensor:
    """Where the one-hot label is among the `k` greatest predictions, as 0 and 1.

    >>> import graphrt as tf
    >>> tf.keras.metrics.top_k_categorical_accuracy([[0, 0, 1], [1, 0, 0]], [[0.1, 0.7, 0.2], [0.1, 0.7, 0.2]], k=2).numpy()
    array([1., 0.], dtype=float32)
    """
    return sparse_top_k_categorical_accuracy(tf.argmax(tf.convert_to_tensor(y_true), axis=-1), y_pred, k)


def sparse_top_k_categorical_accuracy(
    y_true: TensorLike, y_pred: TensorLike, k: int = 5, from_sorted_ids: bool = False
) -> Tensor:
    """Where the integer label is among the `k` greatest predictions, as 0 and 1.

    >>> import graphrt as tf
    >>> tf.keras.metrics.sparse_top_k_categorical_accuracy([2, 0], [[0.1, 0.7, 0.2], [0.1, 0.7, 0.2]], k=2).numpy()
    array([1., 0.], dtype=float32)
    """
    y_pred = tf.convert_to_tensor(y_pred)
    if y_pred.shape.rank == 0:
        raise ValueError("y_pred must have classes in its last dimension, found a scalar")
    labels = _labels(y_true, y_pred)
    shape = tf.shape(labels)
    labels = tf.reshape(tf.cast(labels, tf.int32), [-1])
    flat = tf.reshape(y_pred, [-1, y_pred.shape[-1]])
    if from_sorted_ids:
        found = tf.reduce_any(tf.equal(tf.expand_dims(tf.cast(labels, flat.dtype), -1), flat[:, :k]), axis=-1)
    else:
        found = tf.nn.in_top_k(labels, flat, k)
    return tf.reshape(tf.cast(found, tf.float32), shape)


def pearson_correlation(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> Tensor:
    """The correlation of true and predicted values along `axis`.

    >>> import graphrt as tf
    >>> tf.keras.metrics.pearson_correlation([[0.0, 1.0, 2.0]], [[0.0, 2.0, 5.0]]).numpy().round(4)
    array([0.9934], dtype=float32)
    """
    y_true, y_pred = pair_of(y_true, y_pred)
    a = y_true - tf.reduce_mean(y_true, axis=axis, keepdims=True)
    b = y_pred - tf.reduce_mean(y_pred, axis=axis, keepdims=True)
    a, b = a / _spread(a, axis), b / _spread(b, axis)
    return tf.reduce_mean(a * b, axis=axis)


def _spread(x: Tensor, axis: int) -> Tensor:
    return tf.sqrt(tf.reduce_mean(tf.square(x), axis=axis, keepdims=True)) + 1e-7


def concordance_correlation(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> Tensor:
    """The correlation, less where means or spreads differ.

    >>> import graphrt as tf
    >>> tf.keras.metrics.concordance_correlation([[0.0, 1.0, 2.0]], [[0.0, 2.0, 4.0]]).numpy().round(4)
    array([0.6154], dtype=float32)
    """
    y_true, y_pred = pair_of(y_true, y_pred)
    mean_t = tf.reduce_mean(y_true, axis=axis, keepdims=True)
    mean_p = tf.reduce_mean(y_pred, axis=axis, keepdims=True)
    var_t = tf.reduce_mean(tf.square(y_true - mean_t), axis=axis)
    var_p = tf.reduce_mean(tf.square(y_pred - mean_p), axis=axis)
    cov = tf.reduce_mean((y_true - mean_t) * (y_pred - mean_p), axis=axis)
    apart = tf.square(tf.squeeze(mean_t - mean_p, axis))
    return 2.0 * cov / (var_t + var_p + apart + 1e-7)


def cosine_similarity(y_true: TensorLike, y_pred: TensorLike, axis: int = -1) -> Tensor:
    """The cosine of the angle between the vectors along `axis`."""
    return -losses.cosine_similarity(y_true, y_pred, axis=axis)


# --- classes ---------------------------------------------------------------------------------------------------------
class Accuracy(MeanMetricWrapper):
    """How often the predictions are the true values.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.Accuracy()
    >>> m.update_state([1, 2], [1, 3])
    >>> m.result().numpy().item()
    0.5
    """

    def __init__(self, name: str | None = "accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(accuracy, name, dtype)


class BinaryAccuracy(MeanMetricWrapper):
    """How often predictions over `threshold` are the labels 0 and 1.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.BinaryAccuracy()
    >>> m.update_state([1, 0], [0.9, 0.8])
    >>> m.result().numpy().item()
    0.5
    """

    def __init__(
        self, name: str | None = "binary_accuracy", dtype: DTypeLike | None = None, threshold: float = 0.5
    ) -> None:
        super().__init__(binary_accuracy, name, dtype, threshold=threshold)
        self.threshold = threshold


class CategoricalAccuracy(MeanMetricWrapper):
    """How often the greatest prediction is that of the one-hot label.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.CategoricalAccuracy()
    >>> m.update_state([[0, 1]], [[0.1, 0.9]])
    >>> m.result().numpy().item()
    1.0
    """

    def __init__(self, name: str | None = "categorical_accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(categorical_accuracy, name, dtype)


class SparseCategoricalAccuracy(MeanMetricWrapper):
    """How often the greatest prediction is that of the integer label.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.SparseCategoricalAccuracy()
    >>> m.update_state([1], [[0.1, 0.9]])
    >>> m.result().numpy().item()
    1.0
    """

    def __init__(self, name: str | None = "sparse_categorical_accuracy", dtype: DTypeLike | None = None) -> None:
        super().__init__(sparse_categorical_accuracy, name, dtype)


class TopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the one-hot label is among the `k` greatest predictions.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.TopKCategoricalAccuracy()
    >>> m.update_state([[0, 1]], [[0.1, 0.9]])
    >>> m.result().numpy().item()
    1.0
    """

    def __init__(
        self, k: int = 5, name: str | None = "top_k_categorical_accuracy", dtype: DTypeLike | None = None
    ) -> None:
        super().__init__(top_k_categorical_accuracy, name, dtype, k=k)
        self.k = k


class SparseTopKCategoricalAccuracy(MeanMetricWrapper):
    """How often the integer label is among the `k` greatest predictions.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.SparseTopKCategoricalAccuracy()
    >>> m.update_state([1], [[0.1, 0.9]])
    >>> m.result().numpy().item()
    1.0
    """

    _told_if_other = frozenset({"from_sorted_ids"})

    def __init__(
        self, k: int = 5, name: str | None = "sparse_top_k_categorical_accuracy", dtype: DTypeLike | None = None,
        from_sorted_ids: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(sparse_top_k_categorical_accuracy, name, dtype, k=k, from_sorted_ids=from_sorted_ids)
        self.k, self.from_sorted_ids = k, from_sorted_ids


class MeanSquaredError(MeanMetricWrapper):
    """The mean of squared differences.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.MeanSquaredError()
    >>> m.update_state([[1.0]], [[3.0]])
    >>> m.result().numpy().item()
    4.0
    """

    def __init__(self, name: str | None = "mean_squared_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(losses.mean_squared_error, name, dtype)


class MeanAbsoluteError(MeanMetricWrapper):
    """The mean of the sizes of differences.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.MeanAbsoluteError()
    >>> m.update_state([[1.0]], [[3.0]])
    >>> m.result().numpy().item()
    2.0
    """

    def __init__(self, name: str | None = "mean_absolute_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(losses.mean_absolute_error, name, dtype)


class MeanAbsolutePercentageError(MeanMetricWrapper):
    """The mean of differences relative to the true values, in percent.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.MeanAbsolutePercentageError()
    >>> m.update_state([[1.0]], [[3.0]])
    >>> m.result().numpy().item()
    200.0
    """

    def __init__(self, name: str | None = "mean_absolute_percentage_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(losses.mean_absolute_percentage_error, name, dtype)


class MeanSquaredLogarithmicError(MeanMetricWrapper):
    """The mean of squared differences of log(1 + value).

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.MeanSquaredLogarithmicError()
    >>> m.update_state([[1.0]], [[1.0]])
    >>> m.result().numpy().item()
    0.0
    """

    def __init__(self, name: str | None = "mean_squared_logarithmic_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(losses.mean_squared_logarithmic_error, name, dtype)


class CosineSimilarity(MeanMetricWrapper):
    """The cosine of the angle between true and predicted vectors.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.CosineSimilarity()
    >>> m.update_state([[1.0, 0.0]], [[2.0, 0.0]])
    >>> m.result().numpy().item()
    1.0
    """

    _told_if_other = frozenset({"axis"})

    def __init__(self, name: str | None = "cosine_similarity", dtype: DTypeLike | None = None, axis: int = -1) -> None:
        super().__init__(cosine_similarity, name, dtype, axis=axis)
        self.axis = axis


class LogCoshError(MeanMetricWrapper):
    """The mean of the logarithms of the hyperbolic cosines of differences.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.LogCoshError()
    >>> m.update_state([[1.0]], [[1.0]])
    >>> m.result().numpy().item()
    0.0
    """

    def __init__(self, name: str | None = "logcosh", dtype: DTypeLike | None = None) -> None:
        super().__init__(losses.log_cosh, name, dtype)


class Hinge(MeanMetricWrapper):
    """The mean of max(1 - y_true * y_pred, 0).

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.Hinge()
    >>> m.update_state([[1.0]], [[0.5]])
    >>> m.result().numpy().item()
    0.5
    """

    def __init__(self, name: str | None = "hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(losses.hinge, name, dtype)


class SquaredHinge(MeanMetricWrapper):
    """The mean of max(1 - y_true * y_pred, 0) ** 2.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.SquaredHinge()
    >>> m.update_state([[1.0]], [[0.5]])
    >>> m.result().numpy().item()
    0.25
    """

    def __init__(self, name: str | None = "squared_hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(losses.squared_hinge, name, dtype)


class CategoricalHinge(MeanMetricWrapper):
    """The mean of the categorical hinge loss.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.CategoricalHinge()
    >>> m.update_state([[0.0, 1.0]], [[0.5, 1.0]])
    >>> m.result().numpy().item()
    0.5
    """

    def __init__(self, name: str | None = "categorical_hinge", dtype: DTypeLike | None = None) -> None:
        super().__init__(losses.categorical_hinge, name, dtype)


class KLDivergence(MeanMetricWrapper):
    """The mean of the sums of y_true * log(y_true / y_pred).

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.KLDivergence()
    >>> m.update_state([[0.5, 0.5]], [[0.5, 0.5]])
    >>> m.result().numpy().item()
    0.0
    """

    def __init__(self, name: str | None = "kl_divergence", dtype: DTypeLike | None = None) -> None:
        super().__init__(losses.kl_divergence, name, dtype)


class Poisson(MeanMetricWrapper):
    """The mean of y_pred - y_true * log(y_pred).

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.Poisson()
    >>> m.update_state([[0.0]], [[2.0]])
    >>> m.result().numpy().item()
    2.0
    """

    def __init__(self, name: str | None = "poisson", dtype: DTypeLike | None = None) -> None:
        super().__init__(losses.poisson, name, dtype)


class BinaryCrossentropy(MeanMetricWrapper):
    """The mean cross entropy of labels 0 and 1 and predicted probabilities.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.BinaryCrossentropy()
    >>> m.update_state([[1.0]], [[0.5]])
    >>> round(float(m.result()), 4)
    0.6931
    """

    def __init__(
        self, name: str | None = "binary_crossentropy", dtype: DTypeLike | None = None, from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:  # fmt: skip
        super().__init__(
            losses.binary_crossentropy, name, dtype, from_logits=from_logits, label_smoothing=label_smoothing,
        )  # fmt: skip
        self.from_logits, self.label_smoothing = from_logits, label_smoothing


class CategoricalCrossentropy(MeanMetricWrapper):
    """The mean cross entropy of one-hot labels and predicted shares.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.CategoricalCrossentropy()
    >>> m.update_state([[0.0, 1.0]], [[0.5, 0.5]])
    >>> round(float(m.result()), 4)
    0.6931
    """

    def __init__(
        self, name: str | None = "categorical_crossentropy", dtype: DTypeLike | None = None, from_logits: bool = False,
        label_smoothing: float = 0, axis: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(
            losses.categorical_crossentropy, name, dtype, from_logits=from_logits, label_smoothing=label_smoothing,
            axis=axis,
        )  # fmt: skip
        self.from_logits, self.label_smoothing, self.axis = from_logits, label_smoothing, axis


class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """The mean cross entropy of integer labels and predicted shares.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.SparseCategoricalCrossentropy()
    >>> m.update_state([1], [[0.5, 0.5]])
    >>> round(float(m.result()), 4)
    0.6931
    """

    def __init__(
        self, name: str | None = "sparse_categorical_crossentropy", dtype: DTypeLike | None = None,
        from_logits: bool = False, ignore_class: int | None = None, axis: int = -1
    ) -> None:  # fmt: skip
        super().__init__(
            losses.sparse_categorical_crossentropy, name, dtype, from_logits=from_logits, ignore_class=ignore_class,
            axis=axis,
        )  # fmt: skip
        self.from_logits, self.ignore_class, self.axis = from_logits, ignore_class, axis


class PearsonCorrelation(MeanMetricWrapper):
    """The correlation of true and predicted values.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.PearsonCorrelation()
    >>> m.update_state([[0.0, 1.0]], [[0.0, 2.0]])
    >>> round(float(m.result()), 3)
    1.0
    """

    def __init__(
        self, name: str | None = "pearson_correlation", dtype: DTypeLike | None = None, axis: int = -1
    ) -> None:
        super().__init__(pearson_correlation, name, dtype, axis=axis)
        self.axis = axis


class ConcordanceCorrelation(MeanMetricWrapper):
    """The correlation, less where means or spreads differ.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.ConcordanceCorrelation()
    >>> m.update_state([[0.0, 1.0]], [[0.0, 1.0]])
    >>> round(float(m.result()), 3)
    1.0
    """

    def __init__(
        self, name: str | None = "concordance_correlation", dtype: DTypeLike | None = None, axis: int = -1
    ) -> None:
        super().__init__(concordance_correlation, name, dtype, axis=axis)
        self.axis = axis


class RootMeanSquaredError(Mean):
    """The root of the mean of squared differences.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.RootMeanSquaredError()
    >>> m.update_state([[1.0]], [[3.0]])
    >>> m.result().numpy().item()
    2.0
    """

    def __init__(self, name: str | None = "root_mean_squared_error", dtype: DTypeLike | None = None) -> None:
        super().__init__(name, dtype)

    def update_state(  # type: ignore[override]
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Takes a batch into account."""
        y_true, y_pred = pair_of(y_true, y_pred)
        super().update_state(tf.math.squared_difference(y_pred, y_true), sample_weight)

    def result(self) -> Tensor:
        """The root of the mean so far."""
        return tf.sqrt(super().result())


class R2Score(Metric):
    """The share of the variance of the true values that the predictions explain, for (batch, outputs).

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.R2Score()
    >>> m.update_state([[1.0], [4.0], [3.0]], [[2.0], [4.0], [4.0]])
    >>> round(float(m.result()), 4)
    0.5714

    Raises:
      ValueError: `class_aggregation` is not known.
    """

    def __init__(
        self, class_aggregation: str | None = "uniform_average", num_regressors: int = 0,
        name: str | None = "r2_score", dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        if class_aggregation not in (None, "uniform_average", "variance_weighted_average"):
            raise ValueError(
                "Invalid value for argument `class_aggregation`. Expected one of (None, 'uniform_average', "
                f"'variance_weighted_average'). Received: class_aggregation={class_aggregation}"
            )
        if num_regressors < 0:
            raise ValueError(
                "Invalid value for argument `num_regressors`. Expected a value >= 0. "
                f"Received: num_regressors={num_regressors}"
            )
        self.class_aggregation, self.num_regressors = class_aggregation, num_regressors
        self.num_samples = self.add_weight(name="num_samples", dtype="int32")
        self._gathered: list[Any] | None = None

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes a batch into account."""
        y_true, y_pred = pair_of(tf.cast(y_true, self.dtype), tf.cast(y_pred, self.dtype))
        if y_pred.shape.rank != 2:
            raise ValueError(
                f"R2Score expects 2D inputs with shape (batch_size, output_dim). Received input shapes: "
                f"y_pred.shape={y_pred.shape} and y_true.shape={y_true.shape}."
            )
        weight = tf.ones_like(y_true) if sample_weight is None else tf.cast(sample_weight, y_true.dtype)
        if weight.shape.rank == 1:
            weight = tf.expand_dims(weight, -1)
        weighted = y_true * weight
        parts = (y_true * weighted, weighted, tf.square(y_true - y_pred) * weight, weight)
        sums = [tf.reduce_sum(tf.broadcast_to(value, tf.shape(y_true)), axis=0) for value in parts]
        sums = [tf.ensure_shape(value, (y_pred.shape[1],)) for value in sums]
        if self._gathered is None:  # once the batch is known to fit
            names = ("squared_sum", "sum", "residual", "count")
            self._gathered = [self.add_weight((y_pred.shape[1],), name=n) for n in names]
        for variable, value in zip(self._gathered, sums):
            variable.assign_add(value)
        self.num_samples.assign_add(tf.shape(y_true)[0])

    def result(self) -> Tensor:
        """The share so far."""
        if self._gathered is None:
            return tf.constant(0.0)
        squared, total, residual, count = self._gathered
        mean = tf.math.divide_no_nan(tf.convert_to_tensor(total), count)
        spread = squared - total * mean
        scores = 1.0 - residual / spread
        scores = tf.where(tf.math.is_inf(scores), tf.zeros_like(scores), scores)
        if self.class_aggregation == "uniform_average":
            scores = tf.reduce_mean(scores)
        elif self.class_aggregation == "variance_weighted_average":
            scores = tf.reduce_sum(scores * spread / tf.reduce_sum(spread))
        if self.num_regressors:
            n, p = tf.cast(self.num_samples, scores.dtype), float(self.num_regressors)
            free = n - p - 1.0  # none is left where there are fewer samples than regressors
            return tf.where(free > 0, 1.0 - (1.0 - scores) * tf.math.divide_no_nan(n - 1.0, free), scores)
        return scores
