"""The layers and models that configurations name, and how one is made again.

Classes enter here when the module that shows them is imported, so that whatever is made of layers - wrappers, recurrent
layers, models, activations that are layers - can make them again without importing all of them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from typing import Any

from graphrt.keras.configurable import custom_object_scope, known_custom, made_of, parts_of

# state: registry, filled by imports
_KNOWN: dict[str, type] = {}


def add(names: Mapping[str, Any], base: type) -> None:
    """Makes the classes among `names` that are made of `base` known."""
    _KNOWN.update({n: v for n, v in names.items() if isinstance(v, type) and issubclass(v, base)})


def import_all(package: str, path: Iterable[str]) -> dict[str, Any]:
    """What the files of a folder say is public, by name; so that one file is all there is to add.

    Raises:
      ValueError: two files make the same name public.
    """
    found: dict[str, Any] = {}
    for name in sorted(module.name for module in pkgutil.iter_modules(path)):
        module = importlib.import_module(f"{package}.{name}")
        for public in getattr(module, "__all__", ()):
            if public in found:
                raise ValueError(f"{package}.{public} is made public twice, again by {module.__name__}")
            found[public] = getattr(module, public)
    return found


def is_own(name: str) -> bool:
    """Whether a class of that name, a layer or a model, is one of this library."""
    return name in _KNOWN and _KNOWN[name].__module__.startswith("graphrt.")


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


def deserialize(config: Any, custom_objects: Mapping[str, Any] | None = None) -> Any:
    """The layer, or model, of a configuration.

    >>> import graphrt as tf
    >>> config = tf.keras.layers.serialize(tf.keras.layers.Dense(2))
    >>> tf.keras.layers.deserialize(config).units
    2

    Raises:
      ValueError: the class is not known (`custom_objects` and `keras.utils.register_keras_serializable` make it so), or
        cannot be made of the configuration.
    """
    with custom_object_scope(custom_objects):
        name, inner = parts_of(config)
        return made_of(known(name), inner)


def shared_by_name(layers: Iterable[Any]) -> list[Any]:
    """Layers that were read: one that stands in several places was written at each, by one name."""
    known: dict[str, Any] = {}
    return [known.setdefault(layer.name, layer) for layer in layers]
