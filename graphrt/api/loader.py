"""The public namespaces, made from the table of `exports.py`: each name is imported when it is asked for.

`tf.math` is a module, registered as `graphrt.math`, so that `import graphrt.math` and `from graphrt.math import sin` work
as for a file. A name that was asked for once is an attribute like any other.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from graphrt.api.exports import EXPORTS as TENSORFLOW2
from graphrt.api.exports import ROOMS, SUMMARIES, VIEWS
from graphrt.api.exports_tensorflow1 import TENSORFLOW1
from graphrt.types.missing import missing_attribute

EXPORTS = {**TENSORFLOW2, **TENSORFLOW1}


class Exports:
    """The names of one namespace, and where each comes from.

    Args:
      modules: by module, the names that it has, with spaces between them (`public=real` for another name, `*` for all).
      rooms: by name, the module that the name itself stands for.
    """

    def __init__(self, modules: Mapping[str, str], rooms: Mapping[str, str]) -> None:
        self._rooms = rooms
        self._whole = [module for module, names in modules.items() if names == "*"]
        self._homes: dict[str, tuple[str, str]] = {}
        for module, names in modules.items():
            for entry in names.split() if names != "*" else ():
                public, _, real = entry.partition("=")
                self._homes[public] = module, real or public

    def find(self, name: str) -> Any:
        """What stands behind `name`.

        Raises:
          KeyError: there is no such name.
        """
        if name in self._homes:
            module, real = self._homes[name]
            return getattr(import_module(module), real)
        if name in self._rooms:
            return import_module(self._rooms[name])
        for whole in map(import_module, self._whole):
            if (name in whole.__all__ or not (name.startswith("_") or whole.__all__)) and hasattr(whole, name):
                return getattr(whole, name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        yield from self._homes
        yield from self._rooms
        for whole in map(import_module, self._whole):
            yield from whole.__all__ or (name for name in dir(whole) if not name.startswith("_"))


class Namespace(ModuleType):
    """A public namespace. Its names are those of the table; looking one up imports the module that has it."""

    def __init__(self, name: str, summary: str, exports: Exports) -> None:
        super().__init__(name, summary)
        self.__spec__ = ModuleSpec(name, None, is_package=True)
        self.__path__: list[str] = []  # other namespaces stand in it: `import graphrt.io.gfile`
        self._exports = exports

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return sorted(self._exports)
        try:
            value = self._exports.find(name)
        except KeyError:
            raise missing_attribute(self.__name__, name) from None
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *self._exports})


class View(ModuleType):
    """A public module that shows the names of something else, which is imported when one is asked for."""

    def __init__(self, name: str, target: str) -> None:
        super().__init__(name, f"What `{target.replace(':', '.')}` has.")
        self.__spec__ = ModuleSpec(name, None, is_package=True)
        self.__path__: list[str] = []
        self._target = target

    def _shown(self) -> object:
        module, _, name = self._target.partition(":")
        found = import_module(module)
        return getattr(found, name) if name else found

    def __getattr__(self, name: str) -> Any:
        if name == "__file__" or name.startswith("_pytest"):
            raise AttributeError(name)
        return getattr(self._shown(), name)

    def __dir__(self) -> list[str]:
        return dir(self._shown())


# state: registry, filled by declarations
NAMESPACES: list[str] = []
"""The public modules that stand in no file of their own."""


def make_namespaces(root: str) -> Exports:
    """Registers every namespace and view as a module below `root`; returns the names of `root` itself."""
    rooms: dict[str, dict[str, str]] = {path: {} for path in EXPORTS}
    rooms[""].update(ROOMS)
    for path in filter(None, EXPORTS):
        outer, _, name = path.rpartition(".")
        rooms[outer][name] = f"{root}.{path}"
    for path, names in EXPORTS.items():
        if path:
            summary = f"`tf.{path}`. {SUMMARIES.get(path, '')}".strip()
            sys.modules[f"{root}.{path}"] = Namespace(f"{root}.{path}", summary, Exports(names, rooms[path]))
    for path, target in VIEWS.items():
        sys.modules[f"{root}.{path}"] = View(f"{root}.{path}", target)
        outer, _, name = path.rpartition(".")
        if outer in rooms:
            rooms[outer].setdefault(name, f"{root}.{path}")
    NAMESPACES[:] = [*filter(None, EXPORTS), *VIEWS]
    return Exports(EXPORTS[""], rooms[""])
