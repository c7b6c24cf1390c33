"""Front doors: packages that show what stands in other modules, each imported when something of it is asked for.

    _NAMES = {"package.module": ". name other"}    `package.name` is `package.module.name`; `.` is the module itself
    __all__, __getattr__, __dir__ = door(__name__, _NAMES)

`tests/stubs.py` writes what type checkers read.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from importlib import import_module

Door = tuple[list[str], Callable[[str], object], Callable[[], list[str]]]


def door(package: str, names: Mapping[str, str], old: tuple[str, ...] = ()) -> Door:
    """`__all__`, `__getattr__` and `__dir__` of a front door.

    `old`: other front doors, whose names are found here too, for one release, with a `DeprecationWarning`.
    """
    homes: dict[str, tuple[str, str]] = {}
    for module, inner in names.items():
        for name in inner.split():
            homes[module.rpartition(".")[2] if name == "." else name] = module, name
    public = sorted(homes)

    def get(name: str) -> object:
        if name not in homes:
            return _moved(package, name, old)
        module, inner = homes[name]
        found = import_module(module)
        if inner != ".":
            found = getattr(found, inner)
        setattr(sys.modules[package], name, found)
        return found

    return public, get, lambda: sorted({*vars(sys.modules[package]), *public})


def _moved(package: str, name: str, old: tuple[str, ...]) -> object:
    for home in () if name.startswith("_") else old:
        module = import_module(home)
        if name in module.__all__:
            text = f"{package}.{name} is {home}.{name} now; the next release will not find it by its old name"
            warnings.warn(text, DeprecationWarning, stacklevel=3)
            return getattr(module, name)
    # With the name and the module Python finds the one that was meant.
    raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])
