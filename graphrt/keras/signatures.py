"""Constructors that take what their base takes: said once, taken by position too, and shown to users in full.

@takes_what(Optimizer)
class SGD(Optimizer):
    def __init__(self, learning_rate=0.01, momentum=0.0, **options: Unpack[OptimizerOptions]): ...

inspect.signature(SGD)  ->  (learning_rate=0.01, momentum=0.0, weight_decay=None, clipnorm=None, ...)
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

_C = TypeVar("_C", bound=type)


class Shown:
    """What `inspect.signature` says of a class: the parameters of its constructor."""

    def __get__(self, instance: object, owner: type) -> inspect.Signature:
        if instance is not None:
            raise AttributeError("__signature__")
        whole = inspect.signature(owner.__init__)  # type: ignore[misc]
        return whole.replace(parameters=list(whole.parameters.values())[1:], return_annotation=whole.empty)


def takes_what(base: type, **defaults: object) -> Callable[[_C], _C]:
    """The constructor of a class also takes the parameters of that of `base`, after its own, where `**options` stands.

    `defaults` are shown in place of those of `base`, for which they stand for the same.

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
    """

    def decorate(cls: _C) -> _C:
        init = cls.__init__  # type: ignore[misc]
        own = [p for p in inspect.signature(init).parameters.values() if p.kind is not p.VAR_KEYWORD]
        names = {p.name for p in own}
        more = [p for p in inspect.signature(base.__init__).parameters.values() if p.name not in names]  # type: ignore[misc]
        shown = [p.replace(default=defaults.get(p.name, p.default)) for p in (*own, *more)]
        places = [p.name for p in shown if p.kind is p.POSITIONAL_OR_KEYWORD]

        @functools.wraps(init)
        def __init__(self: object, *args: Any, **options: object) -> None:
            for name, value in zip(places[len(own) :], args[len(own) - 1 :]):
                if name in options:
                    raise TypeError(f"{cls.__name__}.__init__() got multiple values for argument {name!r}")
                options[name] = value
            if len(args) >= len(places):
                raise TypeError(
                    f"{cls.__name__}.__init__() takes {len(places)} positional arguments but {len(args) + 1} were given"
                )
            init(self, *args[: len(own) - 1], **options)

        __init__.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        cls.__init__ = __init__  # type: ignore[misc]
        return cls

    return decorate
