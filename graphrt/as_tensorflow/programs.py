"""Programs as modules: what `python -m graphrt.as_tensorflow` runs, and what processes that it spawns find again.

A spawned process begins with the module that `__main__.__spec__` names, as it does after `python -m`. So a program is run
as a module of this one, whose name holds its path: whoever looks for it gives graphrt the name `tensorflow` first. Files,
packages and arguments are those that Python gives a program.
"""

from __future__ import annotations

import importlib.util
import io
import os
import sys
from collections.abc import Sequence
from importlib.abc import InspectLoader, Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from urllib.parse import quote, unquote

import graphrt.as_tensorflow as tensorflow

__path__: list[str] = []  # programs are found by their names alone
_SCRIPT, _MODULE = "script:", "module:"


def script_name(path: str) -> str:
    """The module that a script is."""
    return _named(_SCRIPT + os.path.abspath(path))


def module_name(name: str) -> str:
    """The module that `-m name` is."""
    return _named(_MODULE + name)


def _named(what: str) -> str:
    return f"{__name__}.{quote(what, safe='/: ').replace('.', '%2E')}"


def run(name: str) -> None:
    """Runs the module of that name as `__main__`.

    Raises:
      ModuleNotFoundError: `-m` names none, or one that is not written in Python.
    """
    tensorflow.activate()
    spec = importlib.util.find_spec(name)
    if spec is None or not isinstance(spec.loader, InspectLoader):
        wanted = unquote(name[len(__name__) + 1 :]).removeprefix(_MODULE)
        raise ModuleNotFoundError(f"No module named {wanted!r} that could be run", name=wanted)
    module = ModuleType("__main__")
    module.__spec__, module.__loader__, module.__package__ = spec, spec.loader, spec.parent
    if spec.has_location and spec.origin is not None:
        module.__file__ = spec.origin
    sys.modules["__main__"] = module  # to the end of the process, as Python keeps it
    code = spec.loader.get_code(name)
    if code is not None:
        exec(code, module.__dict__)


class _Program(ModuleSpec):
    """Where a program is; its package is what it is under its own name."""

    package: str | None = None

    @property
    def parent(self) -> str | None:
        return self.package


class _Script(InspectLoader):
    """Reads a file, whatever its name ends with."""

    def __init__(self, path: str) -> None:
        self.path = path

    def get_source(self, fullname: str) -> str:
        with io.open_code(self.path) as file:
            return importlib.util.decode_source(file.read())

    def get_code(self, fullname: str) -> CodeType:
        with io.open_code(self.path) as file:
            return compile(file.read(), self.path, "exec", dont_inherit=True)


class _Module(InspectLoader):
    """Another module, of which only code and source are asked."""

    def __init__(self, spec: ModuleSpec, loader: InspectLoader) -> None:
        self.name, self.loader = spec.name, loader

    def get_source(self, fullname: str) -> str | None:
        return self.loader.get_source(self.name)

    def get_code(self, fullname: str) -> CodeType | None:
        return self.loader.get_code(self.name)


class _Finder(MetaPathFinder):
    """Finds a program by its name, once this module is imported: so it gives the name `tensorflow` first."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(f"{__name__}."):
            return None
        tensorflow.activate()
        what = unquote(fullname[len(__name__) + 1 :])
        if what.startswith(_SCRIPT):
            place = what.removeprefix(_SCRIPT)
            return _program(fullname, _Script(place), place, "")
        name = what.removeprefix(_MODULE)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{name}.__main__")
        if spec is None or not isinstance(spec.loader, InspectLoader):
            return None
        return _program(fullname, _Module(spec, spec.loader), spec.origin, spec.parent)


def _program(name: str, loader: Loader, origin: str | None, package: str | None) -> ModuleSpec:
    spec = _Program(name, loader, origin=origin)
    spec.package, spec.has_location = package, origin is not None
    return spec


sys.meta_path.insert(0, _Finder())
