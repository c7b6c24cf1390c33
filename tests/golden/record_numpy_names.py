"""Records the names of the oldest NumPy that setup.cfg allows: `python -m tests.golden.record_numpy_names`, run with that NumPy."""

from __future__ import annotations

import pathlib
import types

import numpy as np

PATH = pathlib.Path(__file__).with_name("numpy_names.txt")


def names(module: types.ModuleType, prefix: str = "") -> list[str]:
    """Dotted names of a module, and of the modules of NumPy within it."""
    found = []
    for name in dir(module):
        value = getattr(module, name)
        if name.startswith("_"):
            continue
        found.append(prefix + name)
        if isinstance(value, types.ModuleType) and value.__name__ == f"{module.__name__}.{name}":
            found += names(value, f"{prefix}{name}.")
    return found


def main() -> None:
    PATH.write_text(f"# numpy {np.__version__}\n" + "\n".join(sorted(names(np))) + "\n")


if __name__ == "__main__":
    main()
