"""`keras.saving`: objects written as plain Python, in Keras's words, and made again; what names stand for; files of models.

>>> import graphrt as tf
>>> told = tf.keras.saving.serialize_keras_object(tf.keras.regularizers.L2(0.5))
>>> told["module"], told["class_name"], told["config"]
('keras.regularizers', 'L2', {'l2': 0.5})
>>> tf.keras.saving.deserialize_keras_object(told).l2
0.5
"""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any

import numpy as np

import graphrt as tf
from graphrt.keras import (
    activations,
    configurable,
    constraints,
    initializers,
    layer_classes,
    losses,
    metrics,
    optimizers,
    random,
    regularizers,
)
from graphrt.keras.config import standardize_dtype
from graphrt.keras.configurable import (
    custom_object_scope,
    get_custom_objects,
    get_registered_name,
    get_registered_object,
    register_keras_serializable,
)
from graphrt.keras.models import archives
from graphrt.keras.models.saving import load_model, load_weights, save_model, save_weights
from graphrt.keras.optimizers import schedules
from graphrt.types.nesting import shown

__all__ = [
    "CustomObjectScope", "custom_object_scope", "deserialize_keras_object", "get_custom_objects", "get_registered_name",
    "get_registered_object", "load_model", "load_weights", "register_keras_serializable", "save_model", "save_weights",
    "serialize_keras_object",
]  # fmt: skip

CustomObjectScope = custom_object_scope
_ROOMS: dict[str, Any] = {
    "initializers": initializers, "regularizers": regularizers, "constraints": constraints, "optimizers": optimizers,
    "optimizers.schedules": schedules, "losses": losses, "metrics": metrics, "random": random,
}  # fmt: skip


def serialize_keras_object(obj: Any) -> Any:
    """`obj` as plain Python: what JSON can hold, but for tuples.

    Plain values stay; lists, tuples and dictionaries are gone through; tensors, arrays, slices and bytes become
    dictionaries that say what they are; functions and objects with `get_config` are told by their names.

    >>> import graphrt as tf
    >>> tf.keras.saving.serialize_keras_object({"a": (1, None), "f": tf.keras.activations.relu})["f"]["config"]
    'relu'
    >>> tf.keras.saving.serialize_keras_object(tf.constant([1.0]))
    {'class_name': '__tensor__', 'config': {'value': [1.0], 'dtype': 'float32'}}

    Raises:
      TypeError: nothing says how it can be written.
      ValueError: it is a lambda: code is neither written nor executed.
    """
    if obj is None or (isinstance(obj, (bool, int, float, str)) and not isinstance(obj, np.generic)):
        return obj
    if isinstance(obj, (list, tuple)):
        found = [serialize_keras_object(v) for v in obj]
        return tuple(found) if isinstance(obj, tuple) else found
    if isinstance(obj, Mapping):
        return {k: serialize_keras_object(v) for k, v in obj.items()}
    if isinstance(obj, bytes):
        return {"class_name": "__bytes__", "config": {"value": obj.decode("latin-1")}}
    if isinstance(obj, slice):
        return {"class_name": "__slice__", "config": {"start": obj.start, "stop": obj.stop, "step": obj.step}}
    if isinstance(obj, type(...)):
        return {"class_name": "__ellipsis__", "config": {}}
    if isinstance(obj, tf.TensorShape):
        return None if obj.rank is None else obj.as_list()
    if isinstance(obj, tf.DType):
        return obj.name
    if isinstance(obj, (tf.Tensor, tf.Variable)):
        return _array("__tensor__", np.asarray(obj))
    if isinstance(obj, np.ndarray):
        return _array("__numpy__", obj)
    if isinstance(obj, np.generic):
        return obj.item()
    return _named(obj)


def _array(kind: str, array: Any) -> dict[str, Any]:
    return {"class_name": kind, "config": {"value": array.tolist(), "dtype": array.dtype.name}}


def _named(obj: Any) -> dict[str, Any]:
    """A function, or an object with a configuration."""
    if isinstance(obj, FunctionType) or (callable(obj) and not hasattr(obj, "get_config") and hasattr(obj, "__name__")):
        if obj.__name__ == "<lambda>":
            raise ValueError(
                "a lambda cannot be written down: code is neither written nor executed. Write a function, and register it "
                "with `@keras.saving.register_keras_serializable()`."
            )
        name = get_registered_name(obj)
        return {"module": "builtins", "class_name": "function", "config": name, "registered_name": "function"}
    if not hasattr(obj, "get_config"):
        raise TypeError(f"{shown(obj)} cannot be written down: a class needs a method `get_config` for that.")
    if type(obj).__name__ in ("Functional", "Sequential") and hasattr(obj, "to_json"):
        return archives.model_config(obj, obj.graph)
    found = configurable.described(obj)
    build = obj.get_build_config() if hasattr(obj, "get_build_config") and getattr(obj, "built", False) else None
    return {**found, "build_config": build} if build else found


def deserialize_keras_object(
    config: Any, custom_objects: Mapping[str, Any] | None = None, safe_mode: bool = True, **kwargs: Any
) -> Any:
    """What `serialize_keras_object` wrote, here or in Keras 3, as an object again; nothing in it is executed.

    >>> import graphrt as tf
    >>> told = tf.keras.saving.serialize_keras_object(slice(1, 2))
    >>> tf.keras.saving.deserialize_keras_object(told)
    slice(1, 2, None)

    Raises:
      ValueError: a class is not known (`custom_objects`, or `keras.saving.register_keras_serializable`, make it so), or
        cannot be made of its configuration; or it is a lambda.
    """
    with custom_object_scope(custom_objects):
        return _made(config)


def _made(config: Any) -> Any:
    if isinstance(config, (list, tuple)):
        return type(config)(map(_made, config))
    if not isinstance(config, Mapping):
        return config
    kind, inner = config.get("class_name"), config.get("config")
    if not isinstance(kind, str) or "config" not in config:
        return {k: _made(v) for k, v in config.items()}
    if kind.startswith("__"):
        return _marked(kind, inner)
    if kind == "function":
        return _function(inner)
    if kind == "DTypePolicy":
        return standardize_dtype(config)
    registered = config.get("registered_name")
    custom = configurable.known_custom(registered or kind) or configurable.known_custom(kind)
    cls = custom or _own(config.get("module"), kind)
    if cls is None:
        return archives.revived(config)
    made = configurable.made_of(cls, inner)
    build = config.get("build_config")
    if build and hasattr(made, "build") and not made.built and build.get("input_shape") is not None:
        archives.build(made, build["input_shape"])
    return made


def _marked(kind: str, inner: Any) -> Any:
    if kind == "__lambda__":
        raise ValueError("the configuration holds Python code (a lambda), which is not executed")
    if kind == "__ellipsis__":
        return ...
    if kind == "__tuple__":
        return tuple(map(_made, inner))
    if not isinstance(inner, Mapping):
        raise ValueError(f"{kind} needs a mapping, found {inner!r:.200}")
    try:
        if kind == "__slice__":
            return slice(inner["start"], inner["stop"], inner["step"])
        if kind == "__bytes__":
            return inner["value"].encode("latin-1")
        if kind == "__numpy__":
            return np.array(inner["value"], dtype=inner["dtype"])
        if kind == "__tensor__":
            return tf.constant(inner["value"], dtype=inner["dtype"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{kind} cannot be made of {inner!r:.200}: {type(error).__name__}: {error}") from error
    raise ValueError(f"{kind!r} is not known")


def _function(name: Any) -> Any:
    found = configurable.known_custom(name) if isinstance(name, str) else None
    for room in (activations, losses, metrics):
        if found is None and isinstance(name, str):
            found = getattr(room, name, None)
    if not callable(found):
        raise ValueError(
            f"Unknown function: {name!r}. Give it in `custom_objects`, or register it with "
            "`@keras.saving.register_keras_serializable()`."
        )
    return found


def _own(module: Any, kind: str) -> Any:
    """The class of a room other than layers and models; None where there is none."""
    room = str(module).removeprefix("keras.")
    if module is not None and room not in _ROOMS:
        return None
    if module is None and layer_classes.is_own(kind):
        return None
    for name in (room,) if module is not None else _ROOMS:
        found = getattr(_ROOMS[name], kind, None)
        if isinstance(found, type) and found.__module__.startswith("graphrt."):
            return found
    return None
