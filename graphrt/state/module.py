"""Module: an object that owns variables and other modules, and finds them again.

>>> import graphrt as tf
>>> class Dense(tf.Module):
...     def __init__(self, n):
...         super().__init__()
...         self.w = tf.Variable([1.0] * n, name="w")
>>> class Net(tf.Module):
...     def __init__(self):
...         super().__init__(name="net")
...         self.layers = [Dense(2), Dense(3)]
>>> net = Net()
>>> [v.shape.as_list() for v in net.trainable_variables], len(net.submodules)
([[2], [3]], 2)
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from graphrt.state.awaited_values import look_for_arrived
from graphrt.state.variable import Variable
from graphrt.tensor.scopes import name_scope
from graphrt.types.nesting import shown, told
from graphrt.types.structure import is_nested

_F = TypeVar("_F", bound=Callable[..., Any])
_WORD_START = re.compile(r"((?<=[a-z0-9])[A-Z]|(?!^)[A-Z](?=[a-z]))")


class Restorer(Protocol):
    """Something that has a value for an attribute that an object does not have yet."""

    turn: int  # the greatest has the last word

    def child_arrived(self, node: int, name: str, child: object) -> None:
        """The attribute has come."""

    def look_again(self) -> None:
        """Something has come into being inside of the object."""

    def replaces(self, other: Restorer, node: int, others: int) -> bool:
        """Whether nobody needs `other`, which waits with number `others`, when this waits with number `node`."""


class Awaited:
    """Who waits for attributes of an object."""

    def __init__(self) -> None:
        self.by: list[tuple[Restorer, int]] = []

    def arrived(self, name: str, child: object) -> None:
        """Tells them that an attribute has come."""
        look_for_arrived()  # earlier restorations first
        for restorer, node in self.by:
            restorer.child_arrived(node, name, child)


def await_attributes(thing: object, restorer: Restorer, node: int) -> None:
    """Has `restorer` told of the attributes that `thing` gets."""
    held = getattr(thing, "__dict__", None)
    if held is not None:
        by = held.setdefault("_awaited", Awaited()).by
        if any(r is not restorer and r.replaces(restorer, n, node) for r, n in by):
            return
        by[:] = [(r, n) for r, n in by if not restorer.replaces(r, node, n)]
        by.append((restorer, node))
        by.sort(key=lambda entry: entry[0].turn)


def children_arrived(thing: object) -> None:
    """Tells those who wait that there are new objects inside of `thing`, in its lists say."""
    awaited = getattr(thing, "__dict__", {}).get("_awaited")
    if isinstance(awaited, Awaited):
        for restorer in {id(r): r for r, _ in awaited.by}.values():
            restorer.look_again()


def child_arrived(thing: object, name: str, child: object) -> None:
    """Tells those who wait that `thing` has got an attribute."""
    awaited = getattr(thing, "__dict__", {}).get("_awaited")
    if isinstance(awaited, Awaited):
        awaited.arrived(name, child)


def camel_to_snake(name: str) -> str:
    """`MyLayer2D` as `my_layer2_d`."""
    return _WORD_START.sub(r"_\1", name).lower()


class Module:
    """Base class of objects that hold variables and modules as attributes, also inside lists, tuples and dictionaries.

    `name` is a Python identifier; by default the class's name in snake case.

    >>> import graphrt as tf
    >>> class Scale(tf.Module):
    ...     def __init__(self):
    ...         super().__init__(name="scale")
    ...         with self.name_scope:
    ...             self.factor = tf.Variable(2.0, name="factor")
    ...     def __call__(self, x):
    ...         return x * self.factor
    >>> scale = Scale()
    >>> scale(3.0).numpy().item(), [v.name for v in scale.trainable_variables]
    (6.0, ['scale/factor:0'])

    Raises:
      ValueError: the name is no identifier.
    """

    __saved_names__: Mapping[str, str] = MappingProxyType({})  # attributes that go by other names in checkpoints
    __saved_before__: Mapping[str, str] = MappingProxyType({})  # names in older checkpoints -> names in those of today
    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset(
        ("_self_unconditional_checkpoint_dependencies", "_awaited")
    )

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = camel_to_snake(type(self).__name__)
        elif not isinstance(name, str) or not name.isidentifier():
            raise ValueError(
                f"{shown(name)} is not a valid module name. Module names must be valid Python identifiers (e.g. a valid "
                "class name)."
            )
        self._name = name
        with name_scope(name) as scope:  # which has a number where a graph has one of this name
            self._scope_name = scope.removesuffix("/")

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if "_awaited" in self.__dict__:
            self.__dict__["_awaited"].arrived(self.__saved_names__.get(name, name), value)

    @property
    def name(self) -> str:
        """The name given to `__init__`, or made of the class's name."""
        return self._name

    def __own_attributes__(self) -> dict[str, Any]:
        """Its attributes, without those that are no parts of it."""
        return {k: v for k, v in dict(vars(self)).items() if k not in self._TF_MODULE_IGNORED_PROPERTIES}

    @property
    def name_scope(self) -> name_scope:
        """The name scope of the module, to be entered with `with`."""
        return name_scope(f"{self._scope_name}/")

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All variables of the module and its submodules: own ones first, by name of the attribute."""
        return tuple(self._flatten(predicate=_is_variable, expand_composites=True))

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        """Those of `variables` that are trainable."""
        return tuple(v for v in self._flatten(predicate=_is_variable, expand_composites=True) if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple[Variable, ...]:
        """Those of `variables` that are not trainable."""
        return tuple(v for v in self._flatten(predicate=_is_variable, expand_composites=True) if not v.trainable)

    @property
    def submodules(self) -> tuple[Module, ...]:
        """All modules reachable from this one, without itself."""
        return tuple(self._flatten(predicate=_is_module))

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable[[str], Any] | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """The attribute values (leaves of nested containers) that satisfy `predicate`, each once."""
        wanted = predicate if predicate is not None else (lambda _: True)
        try:
            yield from _walk(self, recursive, wanted, attribute_traversal_key, with_path, (), {id(self): self})
        except RecursionError as error:
            raise told(vars(self).values(), error) from None

    @classmethod
    def with_name_scope(cls, method: _F) -> _F:
        """Decorates a method so that it runs in the module's name scope.

        >>> import graphrt as tf
        >>> class M(tf.Module):
        ...     @tf.Module.with_name_scope
        ...     def build(self):
        ...         return tf.Variable(1.0, name="w").name
        >>> M().build()
        'm/w:0'
        """

        @functools.wraps(method)
        def in_scope(self: Any, *args: Any, **kwargs: Any) -> str | None:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return in_scope  # type: ignore[return-value]


def _is_variable(value: object) -> bool:
    return isinstance(value, Variable)


def _is_module(value: object) -> bool:
    return isinstance(value, Module)


def _leaves(value: Any, path: tuple[Any, ...], seen: dict[int, Any]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if not is_nested(value):
        yield path, value
        return
    if id(value) in seen:  # a list that holds itself
        return
    seen = {**seen, id(value): value}
    if isinstance(value, Mapping):
        try:
            keys = sorted(value)
        except TypeError:
            keys = list(value)
        for key in keys:
            yield from _leaves(value[key], (*path, key), seen)
        return
    items = enumerate(value) if isinstance(value, (list, tuple)) else enumerate(vars(value).values())
    for position, item in items:
        yield from _leaves(item, (*path, position), seen)


def _walk(
    module: object, recursive: bool, wanted: Callable[[Any], bool], order: Any, with_path: bool, path: tuple[Any, ...],
    seen: dict[int, Any],
) -> Iterator[Any]:  # fmt: skip
    ignored: frozenset[str] = getattr(module, "_TF_MODULE_IGNORED_PROPERTIES", frozenset())
    submodules: list[tuple[tuple[Any, ...], Any]] = []
    attributes = getattr(module, "__dict__", {})
    for key in sorted(attributes, key=order):
        if key in ignored:
            continue
        for inner, leaf in _leaves(attributes[key], (*path, key), {}):
            if id(leaf) in seen:
                continue
            interesting, is_module = wanted(leaf), isinstance(leaf, Module)
            if interesting or is_module:
                seen[id(leaf)] = leaf
            if interesting:
                yield (inner, leaf) if with_path else leaf
            if is_module and recursive:
                submodules.append((inner, leaf))
    for inner, submodule in submodules:
        yield from _walk(submodule, recursive, wanted, order, with_path, inner, seen)
