"""`keras.regularizers`: penalties on weights that are added to the loss.

>>> import graphrt as tf
>>> tf.keras.regularizers.L2(0.5)(tf.constant([1.0, 2.0])).numpy().item()
2.5
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import graphrt as tf
from graphrt.keras.configurable import Configurable, Registry, custom_object_scope
from graphrt.keras.configurable import serialize as _serialize
from graphrt.types.nesting import said

__all__ = ["L1", "L1L2", "L2", "OrthogonalRegularizer", "Regularizer", "deserialize", "get", "serialize"]


class Regularizer(Configurable):
    """Base of regularizers: callables that give a scalar for a weight.

    >>> import graphrt as tf
    >>> class Sum(tf.keras.regularizers.Regularizer):
    ...     def __call__(self, x):
    ...         return tf.reduce_sum(x)
    >>> Sum()(tf.constant([1.0, 2.0])).numpy().item()
    3.0
    """

    def __call__(self, x: Any) -> float:
        """The penalty on `x`: none, unless a subclass says otherwise."""
        return 0.0


def _factor(value: float, name: str) -> float:
    value = 0.0 if value is None else value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < float("inf"):
        raise ValueError(
            f"Invalid value for argument {name}: expected a non-negative float. Received: {name}={said(value)}"
        )
    return float(value)


class L1L2(Regularizer):
    """`l1` times the sum of sizes, plus `l2` times the sum of squares.

    >>> import graphrt as tf
    >>> tf.keras.regularizers.L1L2(l1=1.0, l2=0.5)(tf.constant([1.0, -2.0])).numpy().item()
    5.5

    Raises:
      ValueError: a factor is negative or not finite.
    """

    def __init__(self, l1: float = 0.0, l2: float = 0.0) -> None:
        self.l1, self.l2 = _factor(l1, "l1"), _factor(l2, "l2")

    def __call__(self, x: Any) -> Any:
        """The penalty on `x`."""
        total = tf.zeros([], x.dtype)
        if self.l1:
            total += self.l1 * tf.reduce_sum(tf.abs(x))
        if self.l2:
            total += self.l2 * tf.reduce_sum(tf.square(x))
        return total


class L1(Regularizer):
    """`l1` times the sum of sizes.

    >>> import graphrt as tf
    >>> tf.keras.regularizers.L1(0.5)(tf.constant([1.0, -2.0])).numpy().item()
    1.5
    """

    def __init__(self, l1: float = 0.01) -> None:
        self.l1 = _factor(0.01 if l1 is None else l1, "l1")

    def __call__(self, x: Any) -> Any:
        """The penalty on `x`."""
        return self.l1 * tf.reduce_sum(tf.abs(x))


class L2(Regularizer):
    """`l2` times the sum of squares.

    >>> import graphrt as tf
    >>> tf.keras.regularizers.L2(0.5)(tf.constant([1.0, -2.0])).numpy().item()
    2.5
    """

    def __init__(self, l2: float = 0.01) -> None:
        self.l2 = _factor(0.01 if l2 is None else l2, "l2")

    def __call__(self, x: Any) -> Any:
        """The penalty on `x`."""
        return self.l2 * tf.reduce_sum(tf.square(x))


class OrthogonalRegularizer(Regularizer):
    """`factor` times how far rows (or columns) of a matrix are from being orthogonal.

    >>> import graphrt as tf
    >>> tf.keras.regularizers.OrthogonalRegularizer(1.0)(tf.eye(2)).numpy().item()
    0.0

    Raises:
      ValueError: `mode` is neither 'rows' nor 'columns', or (when called) the weight is no matrix.
    """

    def __init__(self, factor: float = 0.01, mode: str = "rows") -> None:
        self.factor = _factor(factor, "factor")
        if mode not in ("rows", "columns"):
            raise ValueError(f"Invalid value for argument `mode`: expected one of 'rows', 'columns'. Received: {mode}")
        self.mode = mode

    def __call__(self, x: Any) -> Any:
        """The penalty on `x`."""
        if len(x.shape) != 2:
            raise ValueError(f"Inputs to OrthogonalRegularizer must have rank 2. Received: inputs.shape={x.shape}")
        axis = 1 if self.mode == "rows" else 0
        x = tf.nn.l2_normalize(x, axis=axis, epsilon=1e-12)
        product = tf.matmul(x, x, transpose_b=True) if self.mode == "rows" else tf.matmul(x, x, transpose_a=True)
        size = x.shape[0 if self.mode == "rows" else 1]
        off = tf.abs(product * (1.0 - tf.eye(size, dtype=x.dtype)))
        return self.factor * 0.5 * tf.reduce_sum(off) / max(1.0, size * (size - 1.0) / 2.0)


l1, l2, l1_l2, orthogonal_regularizer = L1, L2, L1L2, OrthogonalRegularizer

_REGISTRY = Registry("regularizer", Regularizer, {"l1_l2": "L1L2"})
_REGISTRY.add(globals(), ["L1", "L2", "L1L2", "OrthogonalRegularizer", "l1_l2"])


def get(identifier: Any) -> Any:
    """The regularizer of this name, configuration or class; callables as they are, None for None.

    >>> import graphrt as tf
    >>> tf.keras.regularizers.get("l2").l2
    0.01

    Raises:
      ValueError: the name is not known.
    """
    return _REGISTRY.get(identifier)


def serialize(regularizer: Any) -> Any:
    """The configuration from which `deserialize` makes it again.

    >>> import graphrt as tf
    >>> tf.keras.regularizers.serialize(tf.keras.regularizers.L2(0.5))["config"]
    {'l2': 0.5}
    """
    return _serialize(regularizer)


def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The regularizer of a configuration.

    >>> import graphrt as tf
    >>> config = {"class_name": "L2", "config": {"l2": 0.5}}
    >>> float(tf.keras.regularizers.deserialize(config)(tf.constant([2.0])))
    2.0
    """
    with custom_object_scope(custom_objects):
        return get(config)
