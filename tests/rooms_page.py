"""Writes the tables of rooms in docs/architecture.md, from the order of the rooms and from what they say of themselves.

    python -m tests.rooms_page

The order is that of `tests/test_layers.py`; what a room holds is the first paragraph of its docstring.
"""

from __future__ import annotations

import ast
import re

from tests import ROOT
from tests.test_layers import AUTOGRAPH, GRAPHRT

PAGE = ROOT / "docs" / "architecture.md"
ORDERS = {"autograph": AUTOGRAPH, "graphrt": GRAPHRT}
TABLE = re.compile(r"(^## Rooms of `(\w+)`, lowest first\n\n)(?:\|.*\n|Written by .*\n|\n(?=\|))*", re.MULTILINE)


def holds(package: str, room: str) -> str:
    """What a room says of itself.

    Raises:
      AssertionError: it says nothing.
    """
    path = ROOT / package / room
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert told, f"{path.relative_to(ROOT)} does not say what it holds"
    return " ".join(told.partition("\n\n")[0].split()).replace("|", "\\|")


def table(package: str) -> str:
    lines = ["Written by `python -m tests.rooms_page`.\n", "\n", "| room | holds |\n", "|---|---|\n"]
    for rooms in ORDERS[package]:
        for room in rooms:
            if not room.startswith("__"):
                slash = "/" if (ROOT / package / room).is_dir() else ""
                lines.append(f"| `{room}{slash}` | {holds(package, room)} |\n")
    return "".join(lines)


def page() -> str:
    """The page as it should be."""
    return TABLE.sub(lambda found: found[1] + table(found[2]), PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
