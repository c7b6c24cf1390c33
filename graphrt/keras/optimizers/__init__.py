"""`keras.optimizers`: how variables are changed with their gradients.

>>> import graphrt as tf
>>> w = tf.Variable([1.0, -1.0])
>>> tf.keras.optimizers.Adam(0.1).apply_gradients([(tf.constant([1.0, -2.0]), w)])
>>> w.numpy().round(3).tolist()
[0.8999999761581421, -0.8999999761581421]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphrt.keras.configurable import Registry as _Registry
from graphrt.keras.configurable import custom_object_scope
from graphrt.keras.configurable import serialize as _serialize
from graphrt.keras.optimizers import schedules
from graphrt.keras.optimizers.adafactor import Adafactor
from graphrt.keras.optimizers.adam import Adam, Adamax, AdamW, Lamb, Nadam
from graphrt.keras.optimizers.base import Optimizer
from graphrt.keras.optimizers.descent import SGD, Adadelta, Adagrad, Ftrl, Lion, RMSprop
from graphrt.types.missing import missing_names

if not TYPE_CHECKING:  # checkers of types know what is there
    __getattr__ = missing_names(__name__)

__all__ = [
    "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Ftrl", "Lamb", "Lion", "Nadam", "Optimizer",
    "RMSprop", "deserialize", "get", "schedules", "serialize",
]  # fmt: skip

_REGISTRY = _Registry("optimizer", Optimizer)
_REGISTRY.add(globals(), [n for n in __all__ if n[0].isupper() and n != "Optimizer"])


def get(identifier: Any) -> Any:
    """The optimizer of this name, configuration or class.

    >>> import graphrt as tf
    >>> type(tf.keras.optimizers.get("adam")).__name__
    'Adam'

    Raises:
      ValueError: the name is not known.
    """
    return _REGISTRY.get(identifier)


def serialize(optimizer: Any) -> Any:
    """The configuration from which `deserialize` makes it again.

    >>> import graphrt as tf
    >>> tf.keras.optimizers.serialize(tf.keras.optimizers.SGD(0.5))["config"]["learning_rate"]
    0.5
    """
    return _serialize(optimizer)


def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The optimizer of a configuration.

    >>> import graphrt as tf
    >>> config = {"class_name": "SGD", "config": {"learning_rate": 0.5}}
    >>> float(tf.keras.optimizers.deserialize(config).learning_rate)
    0.5
    """
    with custom_object_scope(custom_objects):
        return get(config)
