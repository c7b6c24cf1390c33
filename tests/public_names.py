"""The public names of graphrt, and what stands behind each: the one place that says what is public.

Public is what a program can reach without an underscore from `import graphrt as tf`: in the namespaces that TensorFlow
has, the names that TensorFlow has there and those of `__all__`; and the names of the namespaces that only graphrt has.
"""

from __future__ import annotations

import functools
import json
import pathlib
import types
from typing import Any

import graphrt

GOLDEN = pathlib.Path(__file__).parent / "golden" / "public_names.json"
RECORDED: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))
OWN_NAMESPACES = ("array_api", "array_api.fft", "array_api.linalg")


def namespace(path: str) -> types.ModuleType | None:
    """The module at the dotted `path`; None where there is none."""
    found: Any = graphrt
    for part in path.split(".") if path else []:
        found = getattr(found, part, None)
    return found if isinstance(found, types.ModuleType) else None


@functools.cache
def public_names() -> dict[str, Any]:
    """By its dotted path, such as `nn.relu`, each public name's value (namespaces are left out)."""
    found: dict[str, Any] = {}
    for path in (*RECORDED["names"], *OWN_NAMESPACES):
        module = namespace(path)
        if module is None:
            continue
        names = {*getattr(module, "__all__", ()), *(n for n in RECORDED["names"].get(path, ()) if hasattr(module, n))}
        for name in sorted(names):
            value = getattr(module, name)
            if not isinstance(value, types.ModuleType):
                found[f"{path}.{name}".strip(".")] = value
    return found


def callables() -> dict[str, Any]:
    """The public names that can be called, one for each object: where one has several names, the shortest."""
    found: dict[int, str] = {}
    names = public_names()
    for path, value in names.items():
        if callable(value):
            best = found.get(id(value), path)
            found[id(value)] = min(best, path, key=lambda p: (p.count("."), len(p), p))
    return {path: names[path] for path in sorted(found.values())}
