"""The packages with files more: what a page says that one has to write is written, and tried by processes of their own."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

from tests import ROOT


def blocks(page: str, language: str = "python") -> list[str]:
    """The blocks of a language in a page of docs."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


_NOT_SOURCE = shutil.ignore_patterns("__pycache__")


class Packages:
    """`autograph` and `graphrt` in a folder: links to the files of the tree, or copies, for who writes into them."""

    def __init__(self, folder: pathlib.Path, copied: bool = False) -> None:
        self.folder = folder
        for package in ("autograph", "graphrt"):
            copy = shutil.copyfile if copied else os.symlink
            shutil.copytree(ROOT / package, folder / package, copy_function=copy, ignore=_NOT_SOURCE)

    def write(self, path: str, text: str) -> None:
        """A new file.

        Raises:
          FileExistsError: it is there already.
        """
        with (self.folder / path).open("x", encoding="utf-8") as file:
            file.write(text)

    def edit(self, path: str, before: str, after: str) -> None:
        """Replaces a text that stands once in a file."""
        text = (self.folder / path).read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{path}: {before}"
        (self.folder / path).unlink()
        (self.folder / path).write_text(text.replace(before, after), encoding="utf-8")

    def run(self, program: str) -> str:
        """What a program prints that has these packages.

        Raises:
          AssertionError: it fails.
        """
        (self.folder / "program.py").write_text(program, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-B", "program.py"], cwd=self.folder, capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": str(self.folder)}, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout
