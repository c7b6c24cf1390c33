"""`keras.metrics`.

>>> import graphrt as tf
>>> m = tf.keras.metrics.Mean()
>>> m.update_state([1.0, 3.0])
>>> m.result().numpy().item()
2.0
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any

from graphrt.keras.configurable import Registry as _Registry
from graphrt.keras.configurable import custom_object_scope
from graphrt.keras.configurable import serialize as _serialize
from graphrt.keras.losses import (
    KLD,
    MAE,
    MAPE,
    MSE,
    MSLE,
    binary_crossentropy,
    binary_focal_crossentropy,
    categorical_crossentropy,
    categorical_focal_crossentropy,
    categorical_hinge,
    cosine_similarity,
    hinge,
    huber,
    kld,
    kullback_leibler_divergence,
    logcosh,
    mae,
    mape,
    mse,
    msle,
    poisson,
    sparse_categorical_crossentropy,
    squared_hinge,
)
from graphrt.keras.metrics.base import Mean, MeanMetricWrapper, Metric, Sum
from graphrt.keras.metrics.confusion import (
    AUC,
    F1Score,
    FalseNegatives,
    FalsePositives,
    FBetaScore,
    Precision,
    PrecisionAtRecall,
    Recall,
    RecallAtPrecision,
    SensitivityAtSpecificity,
    SpecificityAtSensitivity,
    TrueNegatives,
    TruePositives,
)
from graphrt.keras.metrics.means import (
    Accuracy,
    BinaryAccuracy,
    BinaryCrossentropy,
    CategoricalAccuracy,
    CategoricalCrossentropy,
    CategoricalHinge,
    ConcordanceCorrelation,
    CosineSimilarity,
    Hinge,
    KLDivergence,
    LogCoshError,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredError,
    MeanSquaredLogarithmicError,
    PearsonCorrelation,
    Poisson,
    R2Score,
    RootMeanSquaredError,
    SparseCategoricalAccuracy,
    SparseCategoricalCrossentropy,
    SparseTopKCategoricalAccuracy,
    SquaredHinge,
    TopKCategoricalAccuracy,
    accuracy,
    binary_accuracy,
    categorical_accuracy,
    concordance_correlation,
    pearson_correlation,
    sparse_categorical_accuracy,
    sparse_top_k_categorical_accuracy,
    top_k_categorical_accuracy,
)
from graphrt.keras.metrics.overlaps import BinaryIoU, IoU, MeanIoU, OneHotIoU, OneHotMeanIoU
from graphrt.types.missing import missing_names as _missing_names

if not _TYPE_CHECKING:  # checkers of types know what is there
    __getattr__ = _missing_names(__name__)

__all__ = [
    "AUC", "KLD", "MAE", "MAPE", "MSE", "MSLE", "Accuracy", "BinaryAccuracy", "BinaryCrossentropy", "BinaryIoU",
    "CategoricalAccuracy", "CategoricalCrossentropy", "CategoricalHinge", "ConcordanceCorrelation", "CosineSimilarity",
    "F1Score", "FBetaScore", "FalseNegatives", "FalsePositives", "Hinge", "IoU", "KLDivergence", "LogCoshError", "Mean",
    "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanIoU", "MeanMetricWrapper", "MeanSquaredError",
    "MeanSquaredLogarithmicError", "Metric", "OneHotIoU", "OneHotMeanIoU", "PearsonCorrelation", "Poisson", "Precision",
    "PrecisionAtRecall", "R2Score", "Recall", "RecallAtPrecision", "RootMeanSquaredError", "SensitivityAtSpecificity",
    "SparseCategoricalAccuracy", "SparseCategoricalCrossentropy", "SparseTopKCategoricalAccuracy",
    "SpecificityAtSensitivity", "SquaredHinge", "Sum", "TopKCategoricalAccuracy", "TrueNegatives", "TruePositives",
    "accuracy", "binary_accuracy", "binary_crossentropy", "binary_focal_crossentropy", "categorical_accuracy",
    "categorical_crossentropy", "categorical_focal_crossentropy", "categorical_hinge", "concordance_correlation",
    "cosine_similarity", "deserialize", "get", "hinge", "huber", "kld", "kullback_leibler_divergence", "logcosh", "mae",
    "mape", "mse", "msle", "pearson_correlation", "poisson", "serialize", "sparse_categorical_accuracy",
    "sparse_categorical_crossentropy", "sparse_top_k_categorical_accuracy", "squared_hinge",
    "top_k_categorical_accuracy",
]  # fmt: skip

_REGISTRY = _Registry(
    "metric", Metric,
    {
        "mse": "MeanSquaredError", "MSE": "MeanSquaredError", "mae": "MeanAbsoluteError", "MAE": "MeanAbsoluteError",
        "mape": "MeanAbsolutePercentageError", "MAPE": "MeanAbsolutePercentageError",
        "msle": "MeanSquaredLogarithmicError", "MSLE": "MeanSquaredLogarithmicError", "rmse": "RootMeanSquaredError",
        "RMSE": "RootMeanSquaredError", "kld": "KLDivergence", "KLD": "KLDivergence", "logcosh": "LogCoshError",
        "bce": "BinaryCrossentropy", "BCE": "BinaryCrossentropy", "auc": "AUC",
    },
)  # fmt: skip
_REGISTRY.add(globals(), [n for n in __all__ if n[0].isupper() and n.upper() != n and n != "Metric"] + ["AUC"])


def get(identifier: Any) -> Any:
    """The metric of this name, configuration or class; functions as they are.

    >>> import graphrt as tf
    >>> type(tf.keras.metrics.get("mse")).__name__
    'MeanSquaredError'

    Raises:
      ValueError: the name is not known.
    """
    return _REGISTRY.get(identifier)


def serialize(metric: Any) -> Any:
    """The configuration from which `deserialize` makes it again.

    >>> import graphrt as tf
    >>> tf.keras.metrics.serialize(tf.keras.metrics.Mean(name="m"))["class_name"]
    'Mean'
    """
    return _serialize(metric)


def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The metric of a configuration.

    >>> import graphrt as tf
    >>> config = {"class_name": "Mean", "config": {"name": "m", "dtype": "float32"}}
    >>> tf.keras.metrics.deserialize(config).name
    'm'
    """
    with custom_object_scope(custom_objects):
        return get(config)
