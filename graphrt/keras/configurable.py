"""Objects that say how to make them again: `get_config`, `from_config`, and lookup by name.

The arguments of the constructor are kept, so a class gets its configuration without a line of its own.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, Self, TypeAlias

import numpy as np

import graphrt as tf
from graphrt import errors
from graphrt.keras.names import snake_case
from graphrt.keras.signatures import Shown
from graphrt.types.leaving import Leaving
from graphrt.types.nesting import shown, tell_of_depth

# state: registry of the user's classes, one a name
_CUSTOM: dict[str, Any] = {}  # registered for good
_SCOPE: ContextVar[Mapping[str, Any]] = ContextVar(
    "custom objects", default=MappingProxyType({})
)  # of the blocks around

Identifier: TypeAlias = str | Mapping[str, Any] | Callable[..., Any] | None
"""What `get` looks up: a name, a configuration, or the function or object itself; None stands for none."""


class Configurable:
    """Base of classes that are made again from the arguments they were made of."""

    __signature__ = Shown()
    _told_if_other: frozenset[str] = (
        frozenset()
    )  # arguments that Keras never tells: here, where they are not the default
    _given: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        tell_of_depth(cls)

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        made = super().__new__(cls)
        made.__dict__["_given"] = (args, kwargs)
        return made

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor that make an equal object, as plain values."""
        config: dict[str, Any] = {}
        args, kwargs = self._given
        parameters = _parameters(type(self))  # type: ignore[arg-type]
        ours = type(self).__module__.startswith("graphrt.")
        recorded = {**{name: p.default for name, p in parameters.items() if p.default is not p.empty},
                    **dict(zip(parameters, args)), **kwargs}  # fmt: skip
        for name, value in recorded.items():
            config[name] = serialize(getattr(self, name, value) if ours else value)
        return {k: v for k, v in config.items() if k not in self._told_if_other or v != parameters[k].default}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """The object that `get_config` described."""
        return cls(**config)


@functools.lru_cache(maxsize=256)  # classes of the user's may go
def _parameters(cls: Any) -> dict[str, inspect.Parameter]:
    found = list(inspect.signature(cls.__init__).parameters.values())[1:]
    return {p.name: p for p in found if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)}


def described(value: Any, config: Any = None) -> dict[str, Any]:
    """An object with a configuration in Keras's words: where its class is, its name, the configuration.

    >>> import graphrt as tf
    >>> tf.keras.constraints.serialize(tf.keras.constraints.NonNeg())
    {'module': 'keras.constraints', 'class_name': 'NonNeg', 'config': {}, 'registered_name': None}
    """
    cls = type(value)
    module, registered = _home(cls)
    if config is None and not hasattr(value, "get_config"):
        raise TypeError(f"only an object with a configuration (`get_config`) can be serialized, found a {cls.__name__}")
    config = value.get_config() if config is None else config
    found = {"module": module, "class_name": cls.__name__, "config": config, "registered_name": registered}
    build = value.get_build_config() if getattr(value, "built", False) and hasattr(value, "get_build_config") else None
    return {**found, "build_config": serialize(build)} if build else found


def _home(cls: type) -> tuple[str | None, str | None]:
    """The module that Keras has a class in, and the name under which the class is registered there."""
    rooms = cls.__module__.split(".")
    if rooms[0] != "graphrt":
        return None if cls.__module__ in ("__main__", "builtins") else cls.__module__, get_registered_name(cls)
    if cls.__name__ == "Functional":
        return "keras.src.models.functional", "Functional"
    if rooms[2] == "models":
        return "keras", None
    return ".".join(["keras", *rooms[2 : 4 if rooms[2:4] == ["optimizers", "schedules"] else 3]]), None


def policy(dtype: str) -> dict[str, Any]:
    """The dtype of a layer in Keras's words."""
    return {"module": "keras", "class_name": "DTypePolicy", "config": {"name": dtype}, "registered_name": None}


def serialize(value: Any) -> Any:
    """`value` as plain Python: an object with a configuration as `described` gives it."""
    if isinstance(value, Configurable):
        return described(value)
    if isinstance(value, tf.DType):
        return value.name
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return np.asarray(value).tolist()
    if isinstance(value, Mapping):
        return {k: serialize(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(serialize, value)) if type(value) in (list, tuple) else list(map(serialize, value))
    if callable(value) and hasattr(value, "__name__"):
        return value.__name__
    return value


def described_function(function: Any) -> Any:
    """A function in the words that Keras has for one among arguments; its name where it is a lambda, which none finds."""
    name = getattr(function, "__name__", "")
    if not name.isidentifier():
        return serialize(function)
    return {"module": "builtins", "class_name": "function", "config": name, "registered_name": "function"}


def function_of(description: Any, known: Callable[[str], Any], owner: str) -> Any:
    """The function that a configuration tells of by its name, or in Keras's words; what is called is it already.

    Raises:
      ValueError: no function is known by that name, or the configuration holds code.
    """
    if callable(description):
        return description
    if isinstance(description, Mapping) and description.get("class_name") == "function":
        description = description.get("config")
    if isinstance(description, Mapping) and description.get("class_name") == "__lambda__":
        raise ValueError(
            f"{shown(owner)} cannot be made of a configuration that holds Python code, which is not executed."
        )
    if not isinstance(description, str):
        raise ValueError(f"The function of {shown(owner)} is told by its name, found {description!r:.200}.")
    found = known_custom(description)
    if found is None:
        try:
            found = known(description)
        except ValueError:
            found = None
    if not callable(found):
        raise ValueError(
            f"The function {shown(description)} of {shown(owner)} is not known. Register it (keras.saving."
            "register_keras_serializable), or give it in `custom_objects`."
        )
    return found


def array_of(description: Any) -> Any:
    """The array that Keras wrote into a configuration; anything else as it is."""
    if not isinstance(description, Mapping) or description.get("class_name") not in ("__numpy__", "__tensor__"):
        return description
    told = description.get("config")
    if not isinstance(told, Mapping) or not {"value", "dtype"} <= set(told):
        raise ValueError(f"An array is described by its `value` and `dtype`, found {description!r:.200}.")
    return np.array(told["value"], tf.as_dtype(told["dtype"]).as_numpy_dtype)


class Registry:
    """What a namespace finds by name: `keras.losses.get("mse")`."""

    def __init__(self, kind: str, base: type | tuple[type, ...], aliases: Mapping[str, str] | None = None) -> None:
        self.kind = kind
        self.base = base
        self.aliases = dict(aliases or {})
        self.found: dict[str, Any] = {}
        self.shown: list[str] = []

    def add(self, namespace: Mapping[str, Any], names: list[str]) -> None:
        """Makes `names` of the namespace known, classes also in snake case."""
        for name in names:
            value = namespace[name]
            self.found[name] = value
            self.shown.append(snake_case(name) if isinstance(value, type) else name)
            if isinstance(value, type):
                self.found.setdefault(snake_case(name), value)
                self.found.setdefault(name.lower(), value)

    def look_up(self, name: str) -> Any:
        """What the name stands for.

        Raises:
          ValueError: nothing is known under that name.
        """
        for candidate in (name, self.aliases.get(name, name), name.rpartition(">")[2]):
            custom = known_custom(candidate)
            if custom is not None:
                return custom
            if candidate in self.found:
                return self.found[candidate]
        known = ", ".join(sorted(set(self.shown)))
        raise ValueError(f"Could not interpret {self.kind} identifier: {name}. Known are: {known}.")

    def get(self, identifier: Any) -> Any:
        """The object that a name, a configuration, a class or the object itself stands for; None for None."""
        if identifier is None or isinstance(identifier, self.base):
            return identifier
        if isinstance(identifier, Mapping) and "class_name" in identifier:
            name, config = parts_of(identifier)
            cls: Any = self.look_up(name)
            return made_of(cls, config) if hasattr(cls, "from_config") else cls
        found = self.look_up(identifier) if isinstance(identifier, str) else identifier
        if isinstance(found, type):
            return found()
        if callable(found):
            return found
        raise ValueError(f"Could not interpret {self.kind} identifier: {shown(identifier)}")


def parts_of(description: Any) -> tuple[str, Any]:
    """The name of the class and the configuration of which a description consists.

    Raises:
      ValueError: it is no description of an object.
    """
    if not isinstance(description, Mapping) or not isinstance(description.get("class_name"), str):
        raise ValueError(
            f"An object is described by a mapping with the keys 'class_name' and 'config', found {description!r:.200}."
        )
    return description["class_name"], description.get("config", {})


def made_of(cls: Any, config: Any) -> Any:
    """The object of a class that a configuration describes.

    Raises:
      ValueError: the class cannot be made of it.
    """
    if not isinstance(config, Mapping):
        raise ValueError(f"The configuration of {cls.__name__!r} must be a mapping, found {config!r:.200}.")
    try:
        return cls.from_config({k: array_of(v) for k, v in config.items()})
    except (TypeError, LookupError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ValueError(
            f"{cls.__name__!r} cannot be made of the configuration {config!r:.300}: {type(error).__name__}: {error}"
        ) from error


def register_keras_serializable(package: str = "Custom", name: str | None = None) -> Callable[[Any], Any]:
    """Decorates a class or function so that it is found by its name, or `package>name`.

    >>> import graphrt as tf
    >>> @tf.keras.utils.register_keras_serializable()
    ... def double(x):
    ...     return 2 * x
    >>> tf.keras.activations.get("double")(3)
    6
    """

    def register(entity: Callable[..., Any]) -> Callable[..., Any]:
        _CUSTOM[name or entity.__name__] = entity
        _CUSTOM[f"{package}>{name or entity.__name__}"] = entity
        return entity

    return register


def get_registered_name(obj: Any) -> str:
    """The name under which a class or function was registered, `package>name`; else its own.

    >>> import graphrt as tf
    >>> @tf.keras.saving.register_keras_serializable("pack")
    ... def thrice(x):
    ...     return 3 * x
    >>> tf.keras.saving.get_registered_name(thrice), tf.keras.saving.get_registered_name(len)
    ('pack>thrice', 'len')
    """
    if not callable(obj):
        raise errors.unexpected(obj, "obj", "a class or a function")
    return next((k for k, v in _CUSTOM.items() if v is obj and ">" in k), obj.__name__)


def get_registered_object(
    name: str, custom_objects: Mapping[str, Any] | None = None, module_objects: Mapping[str, Any] | None = None
) -> Any:
    """The class or function that was registered under a name, or that one of the mappings has; else None.

    >>> import graphrt as tf
    >>> tf.keras.saving.get_registered_object("pack>thrice2", {"pack>thrice2": len}) is len
    True
    """
    found = known_custom(name)
    for table in (custom_objects, module_objects):
        errors.expect(table, (Mapping, type(None)), "custom_objects", "a dictionary from names to objects, or None")
        if found is None and table:
            found = table.get(name)
    return found


class custom_object_scope:
    """Within the block, names of `objects` are found by every `get` and `from_config`.

    >>> import graphrt as tf
    >>> with tf.keras.utils.custom_object_scope({"triple": lambda x: 3 * x}):
    ...     tf.keras.activations.get("triple")(2)
    6
    """

    def __init__(self, *objects: Mapping[str, Any] | None) -> None:
        for table in objects:
            errors.expect(table, (Mapping, type(None)), "custom_objects", "a dictionary from names to objects")
        self._objects = {k: v for table in objects for k, v in (table or {}).items()}
        self._before: list[Mapping[str, Any]] = []

    def __enter__(self) -> custom_object_scope:
        before = _SCOPE.get()
        self._before.append(before)
        _SCOPE.set({**before, **self._objects})
        return self

    def entered(self) -> int:
        """How many blocks are open."""
        return len(self._before)

    def leave(self) -> None:
        """Goes back to the names that were known before."""
        _SCOPE.set(self._before[-1])
        del self._before[-1]

    __exit__ = Leaving()


def known_custom(name: str) -> Callable[..., Any] | None:
    """What the blocks around, or else the registered objects, have under `name`; None where there is none."""
    found = _SCOPE.get().get(name)
    return _CUSTOM.get(name) if found is None else found


def get_custom_objects() -> dict[str, Any]:
    """The table of registered objects, which may be changed: what is put there is found by every `get`.

    >>> import graphrt as tf
    >>> tf.keras.utils.get_custom_objects()["halve"] = lambda x: x / 2
    >>> tf.keras.activations.get("halve")(3)
    1.5
    >>> del tf.keras.utils.get_custom_objects()["halve"]
    """
    return _CUSTOM
