"""Metrics of right and wrong decisions: precision, recall, areas under curves, scores."""

from __future__ import annotations

from typing import Any

import numpy as np

import graphrt as tf
from graphrt.keras.loss_functions import same_rank
from graphrt.keras.metrics.base import Metric
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.limits import check_bytes

_NEGATIVE_INFINITY = -1e10


def _inputs(y_true: TensorLike, y_pred: Any, sample_weight: Any, dtype: str) -> tuple[Any, Any, Any]:
    y_pred = tf.cast(y_pred, dtype)
    y_true = tf.cast(y_true, dtype)
    y_true, y_pred = same_rank(y_true, y_pred)
    if sample_weight is None:
        return y_true, y_pred, tf.ones_like(y_pred)
    weight = tf.cast(sample_weight, dtype)
    weight, _ = same_rank(weight, y_pred)
    while 0 < len(weight.shape) < len(y_pred.shape):
        weight = tf.expand_dims(weight, -1)
    return y_true, y_pred, tf.broadcast_to(weight, tf.shape(y_pred))


def _are_even(thresholds: Any) -> bool:
    """Whether thresholds divide [0, 1] evenly: for such Keras takes predictions beyond 1 for 1."""
    found = np.asarray(thresholds, np.float64)
    return len(found) >= 3 and np.allclose(found, np.arange(len(found)) / (len(found) - 1), atol=1e-7)


def counts_at(
    thresholds: Any, y_true: Any, y_pred: Any, sample_weight: Any, dtype: str, labels: bool = False
) -> dict[str, Any]:
    """Weights of true and false positives and negatives, for each threshold (and label)."""
    y_true, y_pred, weight = _inputs(y_true, y_pred, sample_weight, dtype)
    if not labels:
        y_true, y_pred, weight = (tf.reshape(v, [-1]) for v in (y_true, y_pred, weight))
    if _are_even(thresholds):
        y_pred = tf.clip_by_value(y_pred, 0.0, 1.0)
    limits = tf.reshape(tf.constant(np.asarray(thresholds, np.float64), dtype), [-1] + [1] * len(y_pred.shape))
    positive = tf.cast(tf.expand_dims(y_pred, 0) > limits, dtype)
    true = tf.expand_dims(tf.cast(tf.not_equal(y_true, 0), dtype), 0)
    weight = tf.expand_dims(weight, 0)
    found = {
        "tp": true * positive, "fp": (1.0 - true) * positive, "fn": true * (1.0 - positive),
        "tn": (1.0 - true) * (1.0 - positive),
    }  # fmt: skip
    return {name: tf.reduce_sum(value * weight, axis=1) for name, value in found.items()}


def _limits(thresholds: Any, default: float) -> list[float]:
    found = [default] if thresholds is None else np.atleast_1d(thresholds).tolist()
    wrong = [t for t in found if t is None or (t < 0 and t != _NEGATIVE_INFINITY) or t > 1]
    if wrong:
        raise ValueError(f"Threshold values must be in [0, 1]. Received: {wrong}")
    return [float(t) for t in found]


class _Counts(Metric):
    """One kind of decisions, counted at thresholds."""

    _kind = "tp"

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: DTypeLike | None = None) -> None:
        super().__init__(dtype, name)
        self.thresholds = thresholds
        self._limits = _limits(thresholds, 0.5)
        self.accumulator = self.add_weight((len(self._limits),), name="accumulator")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes a batch into account."""
        self.accumulator.assign_add(counts_at(self._limits, y_true, y_pred, sample_weight, self.dtype)[self._kind])

    def result(self) -> Tensor:
        """The count, or the counts at each threshold."""
        return self.accumulator[0] if len(self._limits) == 1 else tf.identity(self.accumulator)


class TruePositives(_Counts):
    """How many labels 1 were predicted.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.TruePositives()
    >>> m.update_state([0, 1, 1, 1], [1, 0, 1, 1])
    >>> m.result().numpy().item()
    2.0
    """

    _kind = "tp"


class TrueNegatives(_Counts):
    """How many labels 0 were predicted.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.TrueNegatives()
    >>> m.update_state([0, 1, 0, 0], [1, 1, 0, 0])
    >>> m.result().numpy().item()
    2.0
    """

    _kind = "tn"


class FalsePositives(_Counts):
    """How many labels 0 were taken for 1.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.FalsePositives()
    >>> m.update_state([0, 1, 0, 0], [0, 0, 1, 1])
    >>> m.result().numpy().item()
    2.0
    """

    _kind = "fp"


class FalseNegatives(_Counts):
    """How many labels 1 were taken for 0.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.FalseNegatives()
    >>> m.update_state([0, 1, 1, 1], [0, 1, 0, 0])
    >>> m.result().numpy().item()
    2.0
    """

    _kind = "fn"


class _Ratio(Metric):
    """A share of true positives, among those that `_other` counts too."""

    _other = "fp"
    _other_name = "false_positives"

    def __init__(
        self, thresholds: Any = None, top_k: int | None = None, class_id: int | None = None, name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        self.thresholds, self.top_k, self.class_id = thresholds, top_k, class_id
        self._limits = _limits(thresholds, 0.5 if top_k is None else _NEGATIVE_INFINITY)
        self.true_positives = self.add_weight((len(self._limits),), name="true_positives")
        other = self.add_weight((len(self._limits),), name=self._other_name)
        setattr(self, self._other_name, other)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes a batch into account."""
        y_pred = tf.cast(y_pred, self.dtype)
        y_true = tf.cast(y_true, self.dtype)
        if self.top_k is not None:
            places = tf.nn.top_k(y_pred, self.top_k)[1]
            taken = tf.reduce_max(tf.one_hot(places, tf.shape(y_pred)[-1], dtype=y_pred.dtype), axis=-2)
            y_pred = tf.where(
                taken > 0, y_pred, tf.fill(tf.shape(y_pred), tf.cast(2 * _NEGATIVE_INFINITY, y_pred.dtype))
            )
        if self.class_id is not None:
            if y_pred.shape.rank == 1:
                raise ValueError(
                    "With `class_id`, y_pred must have classes on its last axis, (batch, classes), found shape "
                    f"{tuple(y_pred.shape)}"
                )
            y_true, y_pred = (v[..., self.class_id, tf.newaxis] for v in (y_true, y_pred))
        found = counts_at(self._limits, y_true, y_pred, sample_weight, self.dtype)
        self.true_positives.assign_add(found["tp"])
        getattr(self, self._other_name).assign_add(found[self._other])

    def result(self) -> Tensor:
        """The share, or the shares at each threshold."""
        right = tf.convert_to_tensor(self.true_positives)
        share = tf.math.divide_no_nan(right, right + getattr(self, self._other_name))
        return share[0] if len(self._limits) == 1 else share


class Precision(_Ratio):
    """The share of labels 1 among what is predicted as 1.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.Precision()
    >>> m.update_state([0, 1, 1, 1], [1, 0, 1, 1])
    >>> round(float(m.result()), 4)
    0.6667

    Raises:
      ValueError: a threshold is not between 0 and 1.
    """


class Recall(_Ratio):
    """The share of what is predicted as 1 among the labels 1.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.Recall()
    >>> m.update_state([0, 1, 1, 1], [1, 0, 1, 1])
    >>> round(float(m.result()), 4)
    0.6667

    Raises:
      ValueError: a threshold is not between 0 and 1.
    """

    _other = "fn"
    _other_name = "false_negatives"


def _even_thresholds(count: int) -> list[float]:
    check_bytes(32 * count, "the thresholds")
    return [-1e-7] + [(i + 1) / (count - 1) for i in range(count - 2)] + [1.0 + 1e-7]


class _Curve(Metric):
    """Counts of all four kinds, at many thresholds."""

    def _make(self, thresholds: list[float], labels: int | None = None) -> None:
        self._limits = thresholds
        shape = (len(thresholds),) if labels is None else (len(thresholds), labels)
        self.true_positives = self.add_weight(shape, name="true_positives")
        self.false_positives = self.add_weight(shape, name="false_positives")
        self.true_negatives = self.add_weight(shape, name="true_negatives")
        self.false_negatives = self.add_weight(shape, name="false_negatives")

    def _gather(self, y_true: TensorLike, y_pred: Any, sample_weight: Any, labels: bool = False) -> None:
        found = counts_at(self._limits, y_true, y_pred, sample_weight, self.dtype, labels)
        self.true_positives.assign_add(found["tp"])
        self.false_positives.assign_add(found["fp"])
        self.true_negatives.assign_add(found["tn"])
        self.false_negatives.assign_add(found["fn"])

    def _shares(self) -> tuple[Any, Any, Any]:
        """Sensitivity (recall), specificity and precision at each threshold."""
        tp, fp = tf.convert_to_tensor(self.true_positives), tf.convert_to_tensor(self.false_positives)
        tn, fn = tf.convert_to_tensor(self.true_negatives), tf.convert_to_tensor(self.false_negatives)
        divide = tf.math.divide_no_nan
        return divide(tp, tp + fn), divide(tn, tn + fp), divide(tp, tp + fp)


def _known(option: str, value: str, *values: str) -> None:
    if value not in values:
        raise ValueError(f'Invalid AUC {option} value: "{value}". Expected values are {list(values)}')


class AUC(_Curve):
    """The area under the ROC curve, or under that of precision over recall (`curve="PR"`) or of their gains.

    `curve="PRGAIN"` takes the gains of Flach and Kull, "Precision-Recall-Gain curves: PR analysis done right", 2015.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.AUC(num_thresholds=3)
    >>> m.update_state([0, 0, 1, 1], [0, 0.5, 0.3, 0.9])
    >>> round(float(m.result()), 4)
    0.75

    Raises:
      ValueError: an option is not known.
    """

    _told_if_other = frozenset({"thresholds"})

    def __init__(
        self, num_thresholds: int = 200, curve: str = "ROC", summation_method: str = "interpolation",
        name: str | None = None, dtype: DTypeLike | None = None, thresholds: Any = None, multi_label: bool = False,
        num_labels: int | None = None, label_weights: Any = None, from_logits: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        curve = curve.upper() if curve in ("roc", "pr", "prgain") else curve
        _known("curve", curve, "ROC", "PR", "PRGAIN")
        _known("summation method", summation_method, "interpolation", "minoring", "majoring")
        if thresholds is None and num_thresholds <= 1:
            raise ValueError(f"Argument `num_thresholds` must be an integer > 1. Received: {num_thresholds}")
        self.curve, self.summation_method, self.multi_label = curve, summation_method, multi_label
        self.num_labels, self.from_logits = num_labels, from_logits
        self.label_weights = None if label_weights is None else tf.constant(label_weights, tf.float32)
        self._own_thresholds = thresholds is not None
        if thresholds is None:
            self._points = _even_thresholds(num_thresholds)
        else:
            self._points = [-1e-7, *sorted(float(t) for t in thresholds), 1.0 + 1e-7]
        self.num_thresholds = len(self._points)
        if not multi_label or num_labels is not None:
            self._make(self._points, num_labels if multi_label else None)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal metric."""
        config = super().get_config()
        if self._own_thresholds:
            config["thresholds"] = self._points[1:-1]
        else:
            config.pop("thresholds", None)
        return config

    @property
    def thresholds(self) -> list[float]:
        """The thresholds at which decisions are counted."""
        return list(self._points)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes a batch into account."""
        y_pred = tf.cast(y_pred, self.dtype)
        y_pred = tf.sigmoid(y_pred) if self.from_logits else y_pred
        if self.multi_label and not self.variables:
            self._make(self._points, y_pred.shape[-1])
        if self.label_weights is not None and not self.multi_label:  # they count for the decisions, not for the areas
            _, _, weight = _inputs(y_true, y_pred, sample_weight, self.dtype)
            sample_weight = weight * tf.cast(self.label_weights, self.dtype)
        self._gather(y_true, y_pred, sample_weight, self.multi_label)

    def result(self) -> Tensor:
        """The area so far."""
        if self.curve == "PR" and self.summation_method == "interpolation":
            return self._precision_recall()
        recall, specificity, precision = self._shares()
        x, y = {
            "ROC": lambda: (1.0 - specificity, recall),
            "PR": lambda: (recall, precision),
            "PRGAIN": self._gains,
        }[self.curve]()
        first, second = y[:-1], y[1:]
        heights = {
            "interpolation": lambda: (first + second) / 2.0,
            "minoring": lambda: tf.minimum(first, second),
            "majoring": lambda: tf.maximum(first, second),
        }[self.summation_method]()
        return self._over_labels(tf.reduce_sum((x[:-1] - x[1:]) * heights, axis=0))

    def _gains(self) -> tuple[Tensor, Tensor]:
        """Gains of recall, none where it is below the share of ones or nothing is right, and of precision."""
        tp, fp = tf.convert_to_tensor(self.true_positives), tf.convert_to_tensor(self.false_positives)
        tn, fn = tf.convert_to_tensor(self.true_negatives), tf.convert_to_tensor(self.false_negatives)
        divide = tf.math.divide_no_nan
        odds = divide(tp + fn, tn + fp)
        recall = tf.where(tp > 0, tf.maximum(1.0 - odds * divide(fn, tp), 0.0), tf.zeros_like(tp))
        return recall, 1.0 - odds * divide(fp, tp)

    def _precision_recall(self) -> Any:
        """The area with true positives interpolated between thresholds, rather than precision."""
        tp, fp = tf.convert_to_tensor(self.true_positives), tf.convert_to_tensor(self.false_positives)
        fn = tf.convert_to_tensor(self.false_negatives)
        p = tp + fp
        step, taken = tp[:-1] - tp[1:], p[:-1] - p[1:]
        slope = tf.math.divide_no_nan(step, tf.maximum(taken, 0.0))
        intercept = tp[1:] - slope * p[1:]
        both = tf.logical_and(p[:-1] > 0, p[1:] > 0)
        ratio = tf.where(both, tf.math.divide_no_nan(p[:-1], tf.maximum(p[1:], 0.0)), tf.ones_like(p[1:]))
        area = tf.math.divide_no_nan(slope * (step + intercept * tf.math.log(ratio)), tf.maximum(tp[1:] + fn[1:], 0.0))
        return self._over_labels(tf.reduce_sum(area, axis=0))

    def _over_labels(self, areas: Tensor) -> Tensor:
        if not self.multi_label:
            return areas
        if self.label_weights is None:
            return tf.reduce_mean(areas)
        return tf.math.divide_no_nan(tf.reduce_sum(areas * self.label_weights), tf.reduce_sum(self.label_weights))


class _AtShare(_Curve):
    """The best of one share where another is at least a value."""

    def __init__(
        self, value: float, num_thresholds: int, class_id: int | None, name: str | None, dtype: DTypeLike | None,
        label: str
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        if not 0 <= value <= 1:
            raise ValueError(f"Argument `{label}` must be in the range [0, 1]. Received: {label}={value}")
        if num_thresholds <= 0:
            raise ValueError(f"Argument `num_thresholds` must be an integer > 0. Received: {num_thresholds}")
        self._least, self.num_thresholds, self.class_id = value, num_thresholds, class_id
        setattr(self, label, value)
        self._make([0.5] if num_thresholds == 1 else [0.0, *_even_thresholds(num_thresholds)[1:-1], 1.0])

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes a batch into account."""
        y_true, y_pred = tf.convert_to_tensor(y_true), tf.convert_to_tensor(y_pred)
        if self.class_id is not None:
            y_true, y_pred = (v[..., self.class_id, tf.newaxis] for v in (y_true, y_pred))
        self._gather(y_true, y_pred, sample_weight)

    def _pick(self, condition: Tensor, dependent: Tensor) -> Tensor:
        return tf.reduce_max(tf.where(condition >= self._least, dependent, tf.zeros_like(dependent)))


class SensitivityAtSpecificity(_AtShare):
    """The best sensitivity among the thresholds whose specificity is at least that given.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.SensitivityAtSpecificity(0.5)
    >>> m.update_state([0, 0, 0, 1, 1], [0, 0.3, 0.8, 0.3, 0.8])
    >>> m.result().numpy().item()
    0.5

    Raises:
      ValueError: the specificity is not between 0 and 1.
    """

    def __init__(
        self, specificity: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(specificity, num_thresholds, class_id, name, dtype, "specificity")

    def result(self) -> Tensor:
        """The best so far."""
        sensitivity, specificity, _ = self._shares()
        return self._pick(specificity, sensitivity)


class SpecificityAtSensitivity(_AtShare):
    """The best specificity among the thresholds whose sensitivity is at least that given.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.SpecificityAtSensitivity(0.5)
    >>> m.update_state([0, 0, 0, 1, 1], [0, 0.3, 0.8, 0.3, 0.8])
    >>> round(float(m.result()), 4)
    0.6667

    Raises:
      ValueError: the sensitivity is not between 0 and 1.
    """

    def __init__(
        self, sensitivity: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(sensitivity, num_thresholds, class_id, name, dtype, "sensitivity")

    def result(self) -> Tensor:
        """The best so far."""
        sensitivity, specificity, _ = self._shares()
        return self._pick(sensitivity, specificity)


class PrecisionAtRecall(_AtShare):
    """The best precision among the thresholds whose recall is at least that given.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.PrecisionAtRecall(0.5)
    >>> m.update_state([0, 0, 0, 1, 1], [0, 0.3, 0.8, 0.3, 0.8])
    >>> m.result().numpy().item()
    0.5

    Raises:
      ValueError: the recall is not between 0 and 1.
    """

    def __init__(
        self, recall: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(recall, num_thresholds, class_id, name, dtype, "recall")

    def result(self) -> Tensor:
        """The best so far."""
        recall, _, precision = self._shares()
        return self._pick(recall, precision)


class RecallAtPrecision(_AtShare):
    """The best recall among the thresholds whose precision is at least that given.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.RecallAtPrecision(0.8)
    >>> m.update_state([0, 0, 1, 1], [0, 0.5, 0.3, 0.9])
    >>> m.result().numpy().item()
    0.5

    Raises:
      ValueError: the precision is not between 0 and 1.
    """

    def __init__(
        self, precision: float, num_thresholds: int = 200, class_id: int | None = None, name: str | None = None,
        dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(precision, num_thresholds, class_id, name, dtype, "precision")

    def result(self) -> Tensor:
        """The best so far."""
        recall, _, precision = self._shares()
        return self._pick(precision, recall)


class FBetaScore(Metric):
    """The harmonic mean of precision and recall, in which recall counts `beta` times; for (batch, classes).

    `average` is None for a score for each class, 'micro', 'macro' or 'weighted'.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.FBetaScore(beta=2.0, threshold=0.5)
    >>> m.update_state([[1, 1, 1], [1, 0, 0], [1, 1, 0]], [[0.2, 0.6, 0.7], [0.2, 0.6, 0.6], [0.6, 0.8, 0.0]])
    >>> m.result().numpy().round(4).tolist()
    [0.3846000134944916, 0.9090999960899353, 0.833299994468689]

    Raises:
      ValueError: an option is not known.
    """

    def __init__(
        self, average: str | None = None, beta: float = 1.0, threshold: float | None = None,
        name: str | None = "fbeta_score", dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(dtype, name)
        if average not in (None, "micro", "macro", "weighted"):
            raise ValueError(
                "Invalid `average` argument value. Expected one of: {None, 'micro', 'macro', 'weighted'}. "
                f"Received: average={average}"
            )
        if not isinstance(beta, float):
            raise ValueError(
                f"Invalid `beta` argument value. It should be a Python float. Received: beta={beta} of type '{type(beta)}'"
            )
        if beta <= 0:
            raise ValueError(f"Invalid `beta` argument value. It should be > 0. Received: beta={beta}")
        if threshold is not None and not isinstance(threshold, float):
            raise ValueError(
                "Invalid `threshold` argument value. It should be a Python float. "
                f"Received: threshold={threshold} of type '{type(threshold)}'"
            )
        if threshold is not None and not 0 < threshold <= 1:
            raise ValueError(
                f"Invalid `threshold` argument value. It should verify 0 < threshold <= 1. Received: threshold={threshold}"
            )
        self.average, self.beta, self.threshold = average, beta, threshold
        self._gathered: list[Any] | None = None

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Takes a batch into account."""
        y_true, y_pred = tf.cast(y_true, self.dtype), tf.cast(y_pred, self.dtype)
        if y_pred.shape.rank != 2:
            raise ValueError(
                "FBetaScore expects 2D inputs with shape (batch_size, output_dim). Received input shapes: "
                f"y_pred.shape={y_pred.shape} and y_true.shape={y_true.shape}."
            )
        shape = () if self.average == "micro" else (y_pred.shape[1],)
        if self.threshold is None:
            best = tf.reduce_max(y_pred, axis=-1, keepdims=True)
            y_pred = tf.logical_and(y_pred >= best, tf.abs(y_pred) > 1e-9)
        else:
            y_pred = y_pred > self.threshold
        y_pred = tf.cast(y_pred, self.dtype)
        weight = None if sample_weight is None else tf.cast(sample_weight, self.dtype)
        if weight is not None and weight.shape.rank == 1:
            weight = tf.expand_dims(weight, 1)
        axis = None if self.average == "micro" else 0
        parts = (y_pred * y_true, y_pred * (1 - y_true), (1 - y_pred) * y_true, y_true)
        sums = [tf.reduce_sum(value if weight is None else value * weight, axis=axis) for value in parts]
        sums = [tf.ensure_shape(value, shape) for value in sums]
        if self._gathered is None:  # once the batch is known to fit
            names = ("true_positives", "false_positives", "false_negatives", "intermediate_weights")
            self._gathered = [self.add_weight(shape, name=n) for n in names]
        for variable, value in zip(self._gathered, sums):
            variable.assign_add(value)

    def result(self) -> Tensor:
        """The score so far, or the scores."""
        if self._gathered is None:
            return tf.constant(0.0)
        tp, fp, fn, weights = (tf.convert_to_tensor(v) for v in self._gathered)
        precision = tf.math.divide_no_nan(tp, tp + fp)
        recall = tf.math.divide_no_nan(tp, tp + fn)
        both = precision * recall * (1.0 + self.beta**2)
        score = tf.math.divide_no_nan(both, self.beta**2 * precision + recall)
        if self.average == "weighted":
            return tf.reduce_sum(score * tf.math.divide_no_nan(weights, tf.reduce_sum(weights)))
        return score if self.average is None else tf.reduce_mean(score)


class F1Score(FBetaScore):
    """The harmonic mean of precision and recall.

    >>> import graphrt as tf
    >>> m = tf.keras.metrics.F1Score(threshold=0.5)
    >>> m.update_state([[1, 0], [1, 1]], [[0.9, 0.1], [0.2, 0.8]])
    >>> m.result().numpy().round(4).tolist()
    [0.666700005531311, 1.0]

    Raises:
      ValueError: an option is not known.
    """

    def __init__(
        self, average: str | None = None, threshold: float | None = None, name: str | None = "f1_score",
        dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(average, 1.0, threshold, name, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal metric."""
        config = super().get_config()
        config.pop("beta", None)
        return config
