"""Runs the pages of docs/guide: the Python blocks of a page are one program, a text block shows what the one above prints.

    python -m tests.guide_outputs            rewrites the text blocks

A Python block without a text block below it prints nothing.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys
import tempfile

from tests import ROOT

PAGES = sorted((ROOT / "docs" / "guide").glob("*.md"))
BLOCK = re.compile(r"^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?", re.M | re.S)
_MARK = "\x1e"


def outputs(page: pathlib.Path) -> list[str]:
    """What each Python block of `page` prints, errors of the program included."""
    blocks = [m["code"] for m in BLOCK.finditer(page.read_text())]
    program = "".join(f"{code}\nprint({_MARK!r}, end='', flush=True)\n" for code in blocks)
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / f"{page.stem}.py"
        script.write_text(program)
        done = subprocess.run(
            [sys.executable, "-u", "-W", "ignore", str(script)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, timeout=120,
            env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        )  # fmt: skip
    parts = done.stdout.replace(f"{folder}/", "").split(_MARK)
    assert done.returncode == 0, parts[-1]
    return parts[:-1]


def build(page: pathlib.Path) -> str:
    """The page with the outputs of its blocks."""
    found = iter(outputs(page))

    def written(match: re.Match[str]) -> str:
        output = next(found)
        shown = f"\n```text\n{output.rstrip()}\n```\n" if output.strip() else ""
        return f"```python\n{match['code']}```\n{shown}"

    return BLOCK.sub(written, page.read_text())


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(build(page))
