"""Golden cases of converters: `[case name]`, `[in]` and `[out]` parts in `<converter>.txt`.

The output is the tree as that converter leaves it. `python -m tests.autograph.converters.golden --update-golden` rewrites
the `[out]` parts; review the difference like code.
"""

from __future__ import annotations

import pathlib
import re
import sys

import gast

from autograph.converters import Context, run_pipeline
from autograph.emit.text import text_of
from autograph.options import ConversionOptions, Feature
from autograph.pyct.analysis.scopes import all_identifiers
from autograph.pyct.namer import Namer

FOLDER = pathlib.Path(__file__).parent
_CASE = re.compile(r"^\[case (\w+)\]\n\[in\]\n(.*?)^\[out\]\n(.*?)(?=^\[case |\Z)", re.MULTILINE | re.DOTALL)
FEATURES = {
    "lists": Feature.LISTS,
    "slices": Feature.LISTS,
    "staged_comprehensions": Feature.LISTS,
    "asserts": Feature.ASSERT_STATEMENTS,
}


def cases(path):
    """The `(name, input, output)` triples of a file."""
    text = path.read_text(encoding="utf-8")
    found = [(m[1], m[2], m[3].strip("\n") + "\n") for m in _CASE.finditer(text)]
    assert len(found) == text.count("[case "), f"{path.name} is malformed"
    return found


def all_cases():
    """Every case of every file, as `(file, name, input, output)`."""
    return [(path, *case) for path in sorted(FOLDER.glob("*.txt")) for case in cases(path)]


def converted(path, text):
    """What the pipeline makes of `text` up to the converter the file is named after."""
    function = gast.parse(text).body[0]
    if isinstance(function, gast.Expr):
        function = function.value
    features = (FEATURES[path.stem],) if path.stem in FEATURES else ()
    options = ConversionOptions(recursive=True, optional_features=features)
    context = Context(options, Namer(all_identifiers(function)), in_place=not isinstance(function, gast.Lambda))
    return text_of(run_pipeline(function, context, path.stem), context) + "\n"


def update(path):
    """Rewrites the outputs of a file."""
    parts = [f"[case {name}]\n[in]\n{given}[out]\n{converted(path, given)}" for name, given, _ in cases(path)]
    path.write_text("\n".join(parts), encoding="utf-8", newline="\n")


if __name__ == "__main__" and "--update-golden" in sys.argv:
    for file in sorted(FOLDER.glob("*.txt")):
        update(file)
