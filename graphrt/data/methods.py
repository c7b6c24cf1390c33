"""How a file adds a method to `Dataset`: `transformation` for what a dataset becomes, `source` for what begins one.

    @transformation                                   class Dataset(Methods):
    def take(self: Dataset, count) -> Dataset:   ->       def take(self, count) -> Dataset: ...

Files in `transformations/` and `readers/` are imported with the room, so that one file is all there is to add. Type
checkers and editors read `methods.pyi`, which `tests/stubs.py` writes.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic

if TYPE_CHECKING:
    from typing_extensions import TypeVar  # with a default: `Dataset` alone is one of whatever there is

    T = TypeVar("T", covariant=True, default=Any)
else:
    from typing import TypeVar

    T = TypeVar("T", covariant=True)


class Methods(Generic[T]):
    """What files have added to `Dataset`."""

    __slots__ = ()


def transformation(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes `function` a method of datasets; an underscore at the end keeps it apart from a builtin."""
    function.__annotations__.pop("self", None)  # as of any method
    _add(function, function)
    return function


def source(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes `function`, which begins a pipeline, a static method of `Dataset`."""
    _add(function, staticmethod(function))
    return function


def _add(function: Callable[..., Any], member: object) -> None:
    name = function.__name__.removesuffix("_")
    function.__name__, function.__qualname__ = name, f"Dataset.{name}"
    before = getattr(Methods, name, None)
    if before is not None and before.__module__ != function.__module__:  # an import that was interrupted is repeated
        raise ValueError(f"Dataset.{name} is declared twice, again in {function.__module__}")
    setattr(Methods, name, member)


def import_all(package: str, path: Iterable[str]) -> None:
    """Imports the files of a folder, in the order of their names."""
    for module in sorted(found.name for found in pkgutil.iter_modules(path)):
        importlib.import_module(f"{package}.{module}")
