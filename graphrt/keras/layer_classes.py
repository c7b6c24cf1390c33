"""The layers and models that configurations name, and how one is made again.

Classes enter here when the module that shows them is imported, so that whatever is made of layers - wrappers, recurrent
layers, models, activations that are layers - can make them again without importing all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphrt.keras.configurable import custom_object_scope, known_custom

# state: registry, filled by imports
_KNOWN: dict[str, type] = {}


def add(names: Mapping[str, Any], base: type) -> None:
    """Makes the classes among `names` that are made of `base` known."""
    _KNOWN.update({n: v for n, v in names.items() if isinstance(v, type) and issubclass(v, base)})


def known(name: str) -> Any:
    """The class of that name.

    Raises:
      ValueError: there is none.
    """
    cls = known_custom(name) or _KNOWN.get(name)
    if cls is None:
        raise ValueError(
            f"Unknown layer: {name!r}. Give it in `custom_objects`, or register the class with "
            "`@keras.utils.register_keras_serializable()`."
        )
    return cls


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """The layer, or model, of a configuration.

    >>> import graphrt as tf
    >>> config = tf.keras.layers.serialize(tf.keras.layers.Dense(2))
    >>> tf.keras.layers.deserialize(config).units
    2

    Raises:
      ValueError: the class is not known; `custom_objects` and `keras.utils.register_keras_serializable` make it so.
    """
    with custom_object_scope(custom_objects):
        return known(config["class_name"]).from_config(config["config"])
