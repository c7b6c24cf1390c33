"""Golden cases of `autograph check`: `[case name]`, `[in]` and `[out]` parts in `findings.txt`.

`python -m tests.autograph.checking.golden_findings --update-golden` rewrites the `[out]` parts; review the difference
like code.
"""

from __future__ import annotations

import pathlib
import re
import sys

from autograph.checking import check_text

FILE = pathlib.Path(__file__).parent / "findings.txt"
_CASE = re.compile(r"^\[case (\w+)\]\n\[in\]\n(.*?)^\[out\]\n(.*?)(?=^\[case |\Z)", re.MULTILINE | re.DOTALL)


def cases():
    """The `(name, input, output)` triples of the file."""
    text = FILE.read_text(encoding="utf-8")
    found = [(m[1], m[2], m[3].strip("\n")) for m in _CASE.finditer(text)]
    assert len(found) == text.count("[case "), f"{FILE.name} is malformed"
    return found


def checked(text):
    """What a check prints of `text`."""
    return "\n".join(str(f) for f in check_text(text, "demo.py").findings)


if __name__ == "__main__" and "--update-golden" in sys.argv:
    parts = [f"[case {name}]\n[in]\n{given}[out]\n{checked(given)}\n" for name, given, _ in cases()]
    FILE.write_text("\n".join(parts), encoding="utf-8", newline="\n")
