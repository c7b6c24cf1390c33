"""Constructors that take what their base takes: said once, taken by position too, and shown to users in full.

@takes_what(Optimizer)
class SGD(Optimizer):
    def __init__(self, learning_rate=0.01, momentum=0.0, **options: Unpack[OptimizerOptions]): ...

inspect.signature(SGD)  ->  (learning_rate=0.01, momentum=0.0, weight_decay=None, clipnorm=None, ...)
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

_C = TypeVar("_C", bound=type)


class Shown:
    """What `inspect.signature` says of a class: the parameters of its constructor."""

    def __get__(self, instance: object, owner: type) -> inspect.Signature:
        if instance is not None:
            raise AttributeError("__signature__")
        whole = inspect.signature(owner.__init__)  # type: ignore[misc]
        return whole.replace(parameters=list(whole.parameters.values())[1:], return_annotation=whole.empty)


def takes_what(
    base: type, after: Mapping[str, str] | None = None, without: Collection[str] = (), **defaults: object
) -> Callable[[_C], _C]:
    """The constructor of a class also takes the parameters of that of `base`, after its own, where `**options` stands.

    With `after`, they keep their order: an own one of the same name stands where that of `base` does, and after the name of
    each key come the names (with spaces between them) that are its value. What is told nowhere comes first. Parameters in
    `without` are not taken. `defaults` are shown in place of those of `base`, for which they stand for the same.

    >>> class Shape:
    ...     def __init__(self, name=None, closed=True):
    ...         self.name, self.closed = name, closed
    >>> @takes_what(Shape)
    ... class Circle(Shape):
    ...     def __init__(self, radius=1, **options):
    ...         super().__init__(**options)
    ...         self.radius = radius
    >>> Circle(2, "wheel").name, str(inspect.signature(Circle.__init__))
    ('wheel', '(self, radius=1, name=None, closed=True)')
    >>> @takes_what(Circle, {"name": "width"}, without=["closed"])
    ... class Ring(Circle):
    ...     def __init__(self, *, width=1, **options):
    ...         super().__init__(**options)
    ...         self.width = width
    >>> Ring(2, width=3).radius, str(inspect.signature(Ring.__init__))
    (2, '(self, radius=1, name=None, width=1)')
    """

    def decorate(cls: _C) -> _C:
        init = cls.__init__  # type: ignore[misc]
        own = {p.name: p for p in inspect.signature(init).parameters.values() if p.kind is not p.VAR_KEYWORD}
        theirs = {n: p for n, p in inspect.signature(base.__init__).parameters.items() if n not in without}  # type: ignore[misc]
        own = {n: p for n, p in own.items() if n not in without}
        shown = [
            p
            if p.kind is p.VAR_KEYWORD
            else p.replace(default=defaults.get(n, p.default), kind=p.POSITIONAL_OR_KEYWORD)
            for n in _ordered(list(own), list(theirs), after)
            for p in [own.get(n) or theirs[n]]
        ]
        places = [p.name for p in shown if p.kind is p.POSITIONAL_OR_KEYWORD]
        needed = [p.name for p in shown[1:] if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]

        @functools.wraps(init)
        def __init__(self: object, *args: Any, **options: object) -> None:
            for name, value in zip(places[1:], args):
                if name in options:
                    raise TypeError(f"{cls.__name__}.__init__() got multiple values for argument {name!r}")
                options[name] = value
            if len(args) >= len(places):
                raise TypeError(
                    f"{cls.__name__}.__init__() takes {len(places)} positional arguments but {len(args) + 1} were given"
                )
            missing = [repr(name) for name in needed if name not in options]
            if missing:
                plural = "s" if len(missing) > 1 else ""
                raise TypeError(
                    f"{cls.__name__}.__init__() missing {len(missing)} required positional argument{plural}: "
                    f"{' and '.join(missing)}"
                )
            for name in without:
                if name in options:
                    raise TypeError(f"{cls.__name__}.__init__() got an unexpected keyword argument {name!r}")
            init(self, **options)

        __init__.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        cls.__init__ = __init__  # type: ignore[misc]
        return cls

    return decorate


def _ordered(own: list[str], theirs: list[str], after: Mapping[str, str] | None) -> list[str]:
    """The names of the parameters in the order in which a class takes them: `self` first, as in both."""
    if after is None:
        return [*own, *(n for n in theirs if n not in own)]
    placed = [n for names in after.values() for n in names.split()]
    found = [n for n in theirs if n not in placed]
    found[1:1] = [n for n in own if n not in found and n not in placed]
    for name, names in after.items():
        at = found.index(name) + 1
        found[at:at] = names.split()
    return found
