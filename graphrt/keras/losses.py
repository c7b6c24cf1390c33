"""`keras.losses`: how far predictions are from what they should be.

A function gives one number for each sample, a class one for the batch.

>>> import graphrt as tf
>>> y, p = tf.constant([[1.0], [2.0]]), tf.constant([[1.0], [4.0]])
>>> tf.keras.losses.mean_squared_error(y, p).numpy().tolist()
[0.0, 4.0]
>>> tf.keras.losses.MeanSquaredError()(y, p).numpy().item()
2.0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import graphrt as tf
from graphrt.ir.tracebacks import shorten
from graphrt.keras.calling import call_users
from graphrt.keras.config import epsilon, floatx
from graphrt.keras.configurable import Configurable, Registry, custom_object_scope
from graphrt.keras.configurable import serialize as _serialize
from graphrt.keras.loss_functions import (
    binary_crossentropy,
    binary_focal_crossentropy,
    categorical_crossentropy,
    categorical_focal_crossentropy,
    categorical_generalized_cross_entropy,
    categorical_hinge,
    cosine_similarity,
    dice,
    hinge,
    huber,
    kl_divergence,
    log_cosh,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
    poisson,
    same_rank,
    sparse_categorical_crossentropy,
    squared_hinge,
    tversky,
)
from graphrt.keras.masks import mask_of
from graphrt.keras.names import auto_name, snake_case
from graphrt.tensor.tensor import Tensor
from graphrt.types import structure
from graphrt.types.likes import AxisLike, DTypeLike, TensorLike
from graphrt.types.missing import missing_names
from graphrt.types.nesting import said

if not TYPE_CHECKING:  # checkers of types know what is there
    __getattr__ = missing_names(__name__)

__all__ = [
    "BinaryCrossentropy", "BinaryFocalCrossentropy", "CategoricalCrossentropy", "CategoricalFocalCrossentropy",
    "CategoricalGeneralizedCrossEntropy", "CategoricalHinge", "CosineSimilarity", "Dice", "Hinge", "Huber",
    "KLDivergence", "LogCosh", "Loss", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredError",
    "MeanSquaredLogarithmicError", "Poisson", "SparseCategoricalCrossentropy", "SquaredHinge", "Tversky",
    "binary_crossentropy", "binary_focal_crossentropy", "categorical_crossentropy", "categorical_focal_crossentropy",
    "categorical_generalized_cross_entropy", "categorical_hinge", "cosine_similarity", "deserialize", "dice", "get",
    "hinge", "huber", "kl_divergence", "log_cosh", "mean_absolute_error", "mean_absolute_percentage_error",
    "mean_squared_error", "mean_squared_logarithmic_error", "poisson", "serialize", "sparse_categorical_crossentropy",
    "squared_hinge", "tversky",
]  # fmt: skip


# --- reduction -------------------------------------------------------------------------------------------------------
_REDUCTIONS = ("sum_over_batch_size", "sum", "mean", "mean_with_sample_weight", "none", None)


def reduce_weighted(values: Tensor, sample_weight: Any, mask: Any, reduction: str | None) -> Any:
    """One number for the batch, of one number a sample, weights and a mask; as `reduction` says."""
    sample_weight = _masked_weight(sample_weight, mask, values.dtype, reduction)
    if sample_weight is not None:
        sample_weight = tf.cast(sample_weight, values.dtype)
        values, sample_weight = same_rank(values, sample_weight)
        values *= sample_weight
    if reduction in (None, "none") or values.shape.rank == 0:
        return values
    total = tf.reduce_sum(values)
    if reduction == "sum":
        return total
    if reduction == "mean_with_sample_weight" and sample_weight is not None:
        weights = tf.reduce_sum(tf.broadcast_to(sample_weight, tf.shape(values)))
        return tf.math.divide_no_nan(total, weights)
    return tf.math.divide_no_nan(total, tf.cast(tf.size(values), values.dtype))


def _masked_weight(sample_weight: Any, mask: Any, dtype: DTypeLike, reduction: str | None) -> list[float] | None:
    """The weights with the mask in them; means are then over what is not masked."""
    if mask is None:
        return sample_weight
    mask = tf.cast(mask, dtype)
    if reduction in ("mean", "sum_over_batch_size"):
        mask *= tf.cast(tf.size(mask), dtype) / (tf.reduce_sum(mask) + epsilon())
    if sample_weight is None:
        return mask
    weight, mask = same_rank(tf.cast(sample_weight, dtype), mask)
    while len(weight.shape) < len(mask.shape):
        weight = tf.expand_dims(weight, -1)
    return weight * mask


class Loss(Configurable):
    """Base of losses: `call(y_true, y_pred)` gives a number for each sample, calling the loss one for the batch.

    `reduction` is 'sum_over_batch_size', 'sum', 'mean', 'mean_with_sample_weight' or 'none'.

    >>> import graphrt as tf
    >>> class Distance(tf.keras.losses.Loss):
    ...     def call(self, y_true, y_pred):
    ...         return tf.abs(y_true - y_pred)
    >>> Distance()(tf.constant([1.0, 2.0]), tf.constant([1.0, 4.0]), sample_weight=[1.0, 3.0]).numpy().item()
    3.0

    Raises:
      ValueError: the reduction is not known.
    """

    _labels_are_numbers = True  # which classes of integers are not: a float may not hold them

    def __init__(
        self, name: str | None = None, reduction: str | None = "sum_over_batch_size", dtype: DTypeLike | None = None
    ) -> None:
        is_name = reduction is None or isinstance(reduction, str)
        if is_name and reduction == Reduction.AUTO:
            reduction = Reduction.SUM_OVER_BATCH_SIZE
        if not is_name or reduction not in _REDUCTIONS:
            raise ValueError(
                "Invalid value for argument `reduction`. Expected one of "
                f"{[r for r in _REDUCTIONS if r is not None]}. Received: reduction={said(reduction)}"
            )
        self.name = name or auto_name(snake_case(type(self).__name__))
        self.reduction = reduction
        self.dtype = tf.as_dtype(dtype or floatx()).name

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor; the dtype only where it is not that of all losses."""
        config = super().get_config()
        if config.get("dtype") in (None, floatx()):
            config.pop("dtype", None)
        return config

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """A number for each sample."""
        raise NotImplementedError(f"{type(self).__name__} must define `call(self, y_true, y_pred)`")

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Tensor:
        """The loss of a batch."""
        mask = mask_of(y_pred) if not isinstance(y_pred, (list, tuple, dict)) else None
        try:
            return self._reduced(y_true, y_pred, sample_weight, mask)
        except BaseException as error:
            shorten(error)
            raise

    def _reduced(self, y_true: Any, y_pred: Any, sample_weight: Any, mask: Tensor | None) -> Tensor:
        if y_pred is None:
            raise ValueError(f"Loss {self.name!r} is given None as `y_pred`: has the model's `call` no `return`?")
        y_pred = structure.map_structure(lambda v: _as_loss_input(v, self.dtype), y_pred)
        y_true = structure.map_structure(lambda v: _as_loss_input(v, self.dtype, self._labels_are_numbers), y_true)
        with tf.name_scope(self.name):
            values = tf.convert_to_tensor(call_users(self.call, y_true, y_pred))
            ignored = mask_of(values)
            if ignored is not None:
                mask = ignored if mask is None else tf.logical_and(mask, ignored)
            return reduce_weighted(values, sample_weight, mask, self.reduction)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


def _as_loss_input(value: TensorLike, dtype: str, numbers: bool = True) -> Tensor:
    """A tensor in the dtype of the loss; strings and complex numbers as they are, and integers that are no `numbers`."""
    if value is None:
        return None
    tensor = tf.convert_to_tensor(value)
    kind = tensor.dtype
    cast = kind.is_floating or (numbers and (kind.is_integer or kind.is_bool))
    return tf.cast(tensor, dtype) if cast and kind.name != dtype else tensor


class LossFunctionWrapper(Loss):
    """A loss of a function `fn(y_true, y_pred, **kwargs)`.

    >>> import graphrt as tf
    >>> from graphrt.keras.losses import LossFunctionWrapper
    >>> LossFunctionWrapper(tf.keras.losses.mean_squared_error)([[1.0]], [[3.0]]).numpy().item()
    4.0
    """

    def __init__(
        self, fn: Callable[..., Any], reduction: str | None = "sum_over_batch_size", name: str | None = None,
        dtype: DTypeLike | None = None, **kwargs: TensorLike | None,
    ) -> None:  # fmt: skip
        super().__init__(name, reduction, dtype)
        self.fn, self._fn_kwargs = fn, kwargs
        self._labels_are_numbers = fn not in (sparse_categorical_crossentropy, categorical_generalized_cross_entropy)

    def call(self, y_true: Any, y_pred: Any) -> Tensor:
        """A number for each sample."""
        if not isinstance(y_pred, (list, tuple, dict)) and not isinstance(y_true, (list, tuple, dict)):
            y_true, y_pred = same_rank(y_true, y_pred)
        return call_users(self.fn, y_true, y_pred, **self._fn_kwargs)


class MeanSquaredError(LossFunctionWrapper):
    """The mean of squared differences.

    >>> import graphrt as tf
    >>> tf.keras.losses.MeanSquaredError()([[1.0, 3.0]], [[1.0, 1.0]]).numpy().round(4).item()
    2.0
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str | None = "mean_squared_error",
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(mean_squared_error, reduction, name, dtype)


class MeanAbsoluteError(LossFunctionWrapper):
    """The mean of the sizes of differences.

    >>> import graphrt as tf
    >>> tf.keras.losses.MeanAbsoluteError()([[1.0, 3.0]], [[1.0, 1.0]]).numpy().round(4).item()
    1.0
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str | None = "mean_absolute_error",
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(mean_absolute_error, reduction, name, dtype)


class MeanAbsolutePercentageError(LossFunctionWrapper):
    """The mean of differences relative to the true values, in percent.

    >>> import graphrt as tf
    >>> tf.keras.losses.MeanAbsolutePercentageError()([[1.0, 4.0]], [[1.0, 1.0]]).numpy().round(4).item()
    37.5
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str | None = "mean_absolute_percentage_error",
        dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(mean_absolute_percentage_error, reduction, name, dtype)


class MeanSquaredLogarithmicError(LossFunctionWrapper):
    """The mean of squared differences of log(1 + value).

    >>> import graphrt as tf
    >>> tf.keras.losses.MeanSquaredLogarithmicError()([[1.0, 3.0]], [[1.0, 3.0]]).numpy().round(4).item()
    0.0
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str | None = "mean_squared_logarithmic_error",
        dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(mean_squared_logarithmic_error, reduction, name, dtype)


class CosineSimilarity(LossFunctionWrapper):
    """The cosine of the angle between the vectors along `axis`, with the sign turned: -1 is best.

    >>> import graphrt as tf
    >>> tf.keras.losses.CosineSimilarity()([[1.0, 0.0]], [[2.0, 0.0]]).numpy().round(4).item()
    -1.0
    """

    _told_if_other = frozenset({"axis"})

    def __init__(
        self, axis: int = -1, reduction: str | None = "sum_over_batch_size", name: str | None =
        "cosine_similarity", dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(cosine_similarity, reduction, name, dtype, axis=axis)
        self.axis = axis


class Huber(LossFunctionWrapper):
    """Half the squared difference where it is at most `delta`, growing linearly beyond.

    >>> import graphrt as tf
    >>> tf.keras.losses.Huber()([[0.0]], [[3.0]]).numpy().round(4).item()
    2.5
    """

    _told_if_other = frozenset({"delta"})

    def __init__(
        self, delta: float = 1.0, reduction: str | None = "sum_over_batch_size", name: str | None = "huber_loss",
        dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(huber, reduction, name, dtype, delta=delta)
        self.delta = delta


class LogCosh(LossFunctionWrapper):
    """The mean of the logarithms of the hyperbolic cosines of differences.

    >>> import graphrt as tf
    >>> tf.keras.losses.LogCosh()([[1.0]], [[1.0]]).numpy().round(4).item()
    0.0
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str | None = "log_cosh",
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(log_cosh, reduction, name, dtype)


class Hinge(LossFunctionWrapper):
    """The mean of max(1 - y_true * y_pred, 0), for labels -1 and 1 (or 0 and 1).

    >>> import graphrt as tf
    >>> tf.keras.losses.Hinge()([[1.0, 0.0]], [[0.5, -2.0]]).numpy().round(4).item()
    0.25
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str | None = "hinge", dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(hinge, reduction, name, dtype)


class SquaredHinge(LossFunctionWrapper):
    """The mean of max(1 - y_true * y_pred, 0) ** 2.

    >>> import graphrt as tf
    >>> tf.keras.losses.SquaredHinge()([[1.0, 0.0]], [[0.0, -2.0]]).numpy().round(4).item()
    0.5
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str | None = "squared_hinge",
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(squared_hinge, reduction, name, dtype)


class CategoricalHinge(LossFunctionWrapper):
    """How far the greatest wrong score is above the right one, and 1 more; at least 0.

    >>> import graphrt as tf
    >>> tf.keras.losses.CategoricalHinge()([[0.0, 1.0]], [[0.5, 1.0]]).numpy().round(4).item()
    0.5
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str | None = "categorical_hinge",
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(categorical_hinge, reduction, name, dtype)


class KLDivergence(LossFunctionWrapper):
    """The sum of y_true * log(y_true / y_pred).

    >>> import graphrt as tf
    >>> tf.keras.losses.KLDivergence()([[0.5, 0.5]], [[0.5, 0.5]]).numpy().round(4).item()
    0.0
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str | None = "kl_divergence",
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(kl_divergence, reduction, name, dtype)


class Poisson(LossFunctionWrapper):
    """The mean of y_pred - y_true * log(y_pred).

    >>> import graphrt as tf
    >>> tf.keras.losses.Poisson()([[0.0]], [[2.0]]).numpy().round(4).item()
    2.0
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str | None = "poisson",
        dtype: DTypeLike | None = None
    ) -> None:  # fmt: skip
        super().__init__(poisson, reduction, name, dtype)


class BinaryCrossentropy(LossFunctionWrapper):
    """The mean cross entropy of labels 0 and 1 and predicted probabilities (or logits).

    >>> import graphrt as tf
    >>> bool(tf.keras.losses.BinaryCrossentropy()([[1.0, 1.0]], [[0.5, 0.5]]) > 0)
    True
    """

    def __init__(
        self, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1, reduction: str | None =
        "sum_over_batch_size", name: str | None = "binary_crossentropy", dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            binary_crossentropy, reduction, name, dtype, from_logits=from_logits, label_smoothing=label_smoothing,
            axis=axis,
        )  # fmt: skip
        self.from_logits, self.label_smoothing, self.axis = from_logits, label_smoothing, axis


class BinaryFocalCrossentropy(LossFunctionWrapper):
    """The binary cross entropy, times (1 - probability of the label) ** gamma.

    >>> import graphrt as tf
    >>> bool(tf.keras.losses.BinaryFocalCrossentropy()([[1.0, 1.0]], [[0.5, 0.5]]) > 0)
    True
    """

    def __init__(
        self, apply_class_balancing: bool = False, alpha: float = 0.25, gamma: float = 2.0, from_logits: bool =
        False, label_smoothing: float = 0.0, axis: int = -1, reduction: str | None = "sum_over_batch_size",
        name: str | None = "binary_focal_crossentropy", dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            binary_focal_crossentropy, reduction, name, dtype, apply_class_balancing=apply_class_balancing,
            alpha=alpha, gamma=gamma, from_logits=from_logits, label_smoothing=label_smoothing, axis=axis,
        )  # fmt: skip
        self.apply_class_balancing = apply_class_balancing
        self.alpha = alpha
        self.gamma = gamma
        self.from_logits = from_logits
        self.label_smoothing = label_smoothing
        self.axis = axis


class CategoricalCrossentropy(LossFunctionWrapper):
    """The cross entropy of one-hot labels and predicted shares (or logits).

    >>> import graphrt as tf
    >>> bool(tf.keras.losses.CategoricalCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]]) > 0)
    True
    """

    def __init__(
        self, from_logits: bool = False, label_smoothing: float = 0.0, axis: int = -1, reduction: str | None =
        "sum_over_batch_size", name: str | None = "categorical_crossentropy", dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            categorical_crossentropy, reduction, name, dtype, from_logits=from_logits,
            label_smoothing=label_smoothing, axis=axis,
        )  # fmt: skip
        self.from_logits, self.label_smoothing, self.axis = from_logits, label_smoothing, axis


class CategoricalFocalCrossentropy(LossFunctionWrapper):
    """The categorical cross entropy, times alpha * (1 - share) ** gamma.

    >>> import graphrt as tf
    >>> bool(tf.keras.losses.CategoricalFocalCrossentropy()([[0.0, 1.0]], [[0.5, 0.5]]) > 0)
    True
    """

    def __init__(
        self, alpha: TensorLike = 0.25, gamma: float = 2.0, from_logits: bool = False, label_smoothing: float = 0.0,
        axis: int = -1, reduction: str | None = "sum_over_batch_size", name: str | None =
        "categorical_focal_crossentropy", dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            categorical_focal_crossentropy, reduction, name, dtype, alpha=alpha, gamma=gamma, from_logits=from_logits,
            label_smoothing=label_smoothing, axis=axis,
        )  # fmt: skip
        self.alpha = alpha
        self.gamma = gamma
        self.from_logits = from_logits
        self.label_smoothing = label_smoothing
        self.axis = axis


class SparseCategoricalCrossentropy(LossFunctionWrapper):
    """The cross entropy of integer labels and predicted shares (or logits).

    >>> import graphrt as tf
    >>> bool(tf.keras.losses.SparseCategoricalCrossentropy()([1], [[0.5, 0.5]]) > 0)
    True
    """

    _told_if_other = frozenset({"axis"})

    def __init__(
        self, from_logits: bool = False, ignore_class: int | None = None, reduction: str | None =
        "sum_over_batch_size", axis: int = -1, name: str | None = "sparse_categorical_crossentropy", dtype:
        DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            sparse_categorical_crossentropy, reduction, name, dtype, from_logits=from_logits,
            ignore_class=ignore_class, axis=axis,
        )  # fmt: skip
        self.from_logits, self.ignore_class, self.axis = from_logits, ignore_class, axis


class CategoricalGeneralizedCrossEntropy(LossFunctionWrapper):
    """(1 - share of the label ** q) / q, which noise in labels hurts less.

    >>> import graphrt as tf
    >>> tf.keras.losses.CategoricalGeneralizedCrossEntropy()([1], [[0.75, 0.25]]).numpy().round(4).item()
    1.0
    """

    def __init__(
        self, q: float = 0.5, reduction: str | None = "sum_over_batch_size", name: str | None =
        "categorical_generalized_cross_entropy", dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(categorical_generalized_cross_entropy, reduction, name, dtype, q=q)
        self.q = q


class Dice(LossFunctionWrapper):
    """1 less twice the overlap, relative to the sums.

    >>> import graphrt as tf
    >>> tf.keras.losses.Dice()([[1.0, 0.0]], [[0.0, 1.0]]).numpy().round(4).item()
    1.0
    """

    def __init__(
        self, reduction: str | None = "sum_over_batch_size", name: str | None = "dice", axis: AxisLike = None, dtype:
        DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(dice, reduction, name, dtype, axis=axis)
        self.axis = axis


class Tversky(LossFunctionWrapper):
    """1 less the overlap, relative to it and weighted false positives and false negatives.

    >>> import graphrt as tf
    >>> tf.keras.losses.Tversky()([[1.0, 0.0]], [[0.0, 1.0]]).numpy().round(4).item()
    1.0
    """

    def __init__(
        self, alpha: float = 0.5, beta: float = 0.5, reduction: str | None = "sum_over_batch_size", name: str |
        None = "tversky", axis: AxisLike = None, dtype: DTypeLike | None = None,
    ) -> None:  # fmt: skip
        super().__init__(tversky, reduction, name, dtype, alpha=alpha, beta=beta, axis=axis)
        self.alpha, self.beta, self.axis = alpha, beta, axis


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
kld = KLD = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh


class Reduction:
    """What older programs name the reductions of losses with.

    >>> import graphrt as tf
    >>> tf.keras.losses.Reduction.SUM
    'sum'
    """

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """The names of all reductions.

        >>> import graphrt as tf
        >>> tf.keras.losses.Reduction.all()
        ('auto', 'none', 'sum', 'sum_over_batch_size')
        """
        return cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE

    @classmethod
    def validate(cls, key: str) -> None:
        """Refuses what is no reduction.

        >>> import graphrt as tf
        >>> tf.keras.losses.Reduction.validate("none")

        Raises:
          ValueError: there is no reduction `key`.
        """
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key: {key}. Expected keys are {cls.all()}")


_REGISTRY = Registry(
    "loss", Loss,
    {
        "mse": "mean_squared_error", "MSE": "mean_squared_error", "mae": "mean_absolute_error",
        "MAE": "mean_absolute_error", "mape": "mean_absolute_percentage_error",
        "MAPE": "mean_absolute_percentage_error", "msle": "mean_squared_logarithmic_error",
        "MSLE": "mean_squared_logarithmic_error", "kld": "kl_divergence", "KLD": "kl_divergence",
        "bce": "binary_crossentropy", "BCE": "binary_crossentropy", "logcosh": "log_cosh",
        "kullback_leibler_divergence": "kl_divergence", "huber_loss": "huber",
    },
)  # fmt: skip
_REGISTRY.add(globals(), [n for n in __all__ if n not in ("Loss", "get", "serialize", "deserialize")])


def get(identifier: Any) -> Any:
    """The loss, or the function, of this name, configuration or class.

    >>> import graphrt as tf
    >>> tf.keras.losses.get("mse") is tf.keras.losses.mean_squared_error
    True

    Raises:
      ValueError: the name is not known.
    """
    return _REGISTRY.get(identifier)


def serialize(loss: Any) -> Any:
    """The configuration from which `deserialize` makes it again.

    >>> import graphrt as tf
    >>> tf.keras.losses.serialize(tf.keras.losses.Huber(delta=2.0))["class_name"]
    'Huber'
    """
    return _serialize(loss)


def deserialize(name: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The loss of a configuration.

    >>> import graphrt as tf
    >>> config = {"class_name": "Huber", "config": {"delta": 2.0}}
    >>> tf.keras.losses.deserialize(config)([0.0], [4.0]).numpy().item()
    6.0
    """
    with custom_object_scope(custom_objects):
        return get(name)
