"""Names of a namespace whose modules are imported when the names are asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    namespace: str, elsewhere: Mapping[str, str], modules: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The functions `__getattr__` and `__dir__` of the module `namespace`.

    Args:
      elsewhere: by module, the names that it defines, with spaces between them.
      modules: by name, the module that the name itself stands for.
    """
    homes = {name: module for module, names in elsewhere.items() for name in names.split()}
    modules = modules or {}
    scope = vars(sys.modules[namespace])

    def __getattr__(name: str) -> Any:
        if name in homes:
            value = getattr(import_module(homes[name]), name)
        elif name in modules:
            value = import_module(modules[name])
        else:
            raise AttributeError(f"module {namespace!r} has no attribute {name!r}")
        scope[name] = value
        return value

    def __dir__() -> list[str]:
        return sorted({*scope, *homes, *modules})

    return __getattr__, __dir__
