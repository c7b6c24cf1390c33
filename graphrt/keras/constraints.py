"""`keras.constraints`: what weights are brought back to after each update.

>>> import graphrt as tf
>>> tf.keras.constraints.NonNeg()(tf.constant([-1.0, 2.0])).numpy().tolist()
[0.0, 2.0]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import graphrt as tf
from graphrt.keras.config import epsilon
from graphrt.keras.configurable import Configurable, Registry, custom_object_scope
from graphrt.keras.configurable import serialize as _serialize
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import AxisLike

__all__ = ["Constraint", "MaxNorm", "MinMaxNorm", "NonNeg", "UnitNorm", "deserialize", "get", "serialize"]


class Constraint(Configurable):
    """Base of constraints: callables from a weight to the weight that is allowed.

    >>> import graphrt as tf
    >>> class Whole(tf.keras.constraints.Constraint):
    ...     def __call__(self, w):
    ...         return tf.round(w)
    >>> Whole()(tf.constant([1.2])).numpy().round(1).tolist()
    [1.0]
    """

    def __call__(self, w: Any) -> Any:
        """The weight that is allowed: any, unless a subclass says otherwise."""
        return w


def _norms(w: Any, axis: Any) -> Tensor:
    return tf.sqrt(tf.reduce_sum(tf.square(w), axis=axis, keepdims=True))


class MaxNorm(Constraint):
    """Vectors along `axis` are at most `max_value` long.

    >>> import graphrt as tf
    >>> tf.keras.constraints.MaxNorm(1.0)(tf.constant([[3.0], [4.0]])).numpy().round(3).tolist()
    [[0.6000000238418579], [0.800000011920929]]
    """

    def __init__(self, max_value: float = 2, axis: AxisLike = 0) -> None:
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: Any) -> Any:
        """The weight that is allowed."""
        norms = _norms(w, self.axis)
        return w * (tf.clip_by_value(norms, 0.0, float(self.max_value)) / (epsilon() + norms))


class NonNeg(Constraint):
    """No weight is negative.

    >>> import graphrt as tf
    >>> tf.keras.constraints.NonNeg()(tf.constant([-1.0])).numpy().tolist()
    [0.0]
    """

    def __call__(self, w: Any) -> Any:
        """The weight that is allowed."""
        return tf.nn.relu(tf.convert_to_tensor(w))


class UnitNorm(Constraint):
    """Vectors along `axis` have length 1.

    >>> import graphrt as tf
    >>> tf.keras.constraints.UnitNorm()(tf.constant([[3.0], [4.0]])).numpy().round(3).tolist()
    [[0.6000000238418579], [0.800000011920929]]
    """

    def __init__(self, axis: AxisLike = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> Any:
        """The weight that is allowed."""
        return w / (epsilon() + _norms(w, self.axis))


class MinMaxNorm(Constraint):
    """Lengths along `axis` are brought between two values; `rate` says how far towards it.

    >>> import graphrt as tf
    >>> tf.keras.constraints.MinMaxNorm(0.0, 1.0)(tf.constant([[3.0], [4.0]])).numpy().round(3).tolist()
    [[0.6000000238418579], [0.800000011920929]]
    """

    def __init__(self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: AxisLike = 0) -> None:
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w: Any) -> Any:
        """The weight that is allowed."""
        norms = _norms(w, self.axis)
        clipped = tf.clip_by_value(norms, float(self.min_value), float(self.max_value))
        return w * ((self.rate * clipped + (1 - self.rate) * norms) / (epsilon() + norms))


max_norm, non_neg, unit_norm, min_max_norm = MaxNorm, NonNeg, UnitNorm, MinMaxNorm

_REGISTRY = Registry("constraint", Constraint, {"nonneg": "NonNeg"})
_REGISTRY.add(globals(), ["MaxNorm", "NonNeg", "UnitNorm", "MinMaxNorm"])


def get(identifier: Any) -> Any:
    """The constraint of this name, configuration or class; callables as they are, None for None.

    >>> import graphrt as tf
    >>> tf.keras.constraints.get("max_norm").max_value
    2

    Raises:
      ValueError: the name is not known.
    """
    return _REGISTRY.get(identifier)


def serialize(constraint: Any) -> Any:
    """The configuration from which `deserialize` makes it again.

    >>> import graphrt as tf
    >>> tf.keras.constraints.serialize(tf.keras.constraints.NonNeg())["class_name"]
    'NonNeg'
    """
    return _serialize(constraint)


def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The constraint of a configuration.

    >>> import graphrt as tf
    >>> config = {"class_name": "MaxNorm", "config": {"max_value": 3}}
    >>> tf.keras.constraints.deserialize(config).max_value
    3
    """
    with custom_object_scope(custom_objects):
        return get(config)
