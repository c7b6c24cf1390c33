"""Draws the pictures of `docs/gallery`, and writes its page: run `python -m tests.gallery_page` after a change there."""

from __future__ import annotations

import ast
import pathlib
import re
import runpy
import sys

from tests import ROOT

FOLDER = ROOT / "docs" / "gallery"
COLUMNS = 4
_HEAD = """\
# Gallery

Programs that run, each a page of code. Its picture is drawn by what it computes, and a test runs it and compares. A program
looks best in `graphrt view`: `graphrt view docs/gallery/collatz.py:collatz --input 'int32[]' --run -o collatz.html` makes the
page on top, see [viewing.md](../viewing.md).

![The page of collatz.py: its source, its converted code, its graph and its program, side by side](view.webp)

"""


def programs() -> list[pathlib.Path]:
    """The programs, in alphabetical order."""
    return sorted(path for path in FOLDER.glob("*.py") if path.stem != "drawing")


def run(path: pathlib.Path) -> dict[str, object]:
    """The names of a program after it has run as a script does, with its folder on the path."""
    sys.path.insert(0, str(FOLDER))
    try:
        return runpy.run_path(str(path))
    finally:
        sys.path.remove(str(FOLDER))


def drawn(path: pathlib.Path) -> str:
    """The picture that a program draws."""
    main = run(path)["main"]
    assert callable(main)
    return str(main())


def same(one: str, other: str, least: float = 0.97) -> bool:
    """Whether two pictures show the same: equal but for a few numbers, which differ by little."""
    number = re.compile(r"-?\d+(?:\.\d+)?")
    if "base64," in one:  # an image: its frame
        one, other = (re.sub(r"base64,[^\"]*", "", text) for text in (one, other))
    a, b = ([float(n) for n in number.findall(text)] for text in (one, other))
    if number.sub("", one) != number.sub("", other) or len(a) != len(b):
        return False
    return sum(abs(x - y) <= 2 for x, y in zip(a, b)) >= least * len(a)


def page() -> str:
    """The text of the page: a table of pictures."""
    cells = []
    for path in programs():
        told = (ast.get_docstring(ast.parse(path.read_text())) or "").replace("\n", " ")
        cells.append(f"![{path.stem}]({path.stem}.svg)<br>[{path.stem}]({path.name})<br>{told}")
    rows = [cells[i : i + COLUMNS] for i in range(0, len(cells), COLUMNS)]
    rows[-1] += [""] * (COLUMNS - len(rows[-1]))
    lines = ["| | | | |", "|---|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)]
    return _HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    for program in programs():
        program.with_suffix(".svg").write_text(drawn(program))
    (FOLDER / "README.md").write_text(page())
