"""Names of TensorFlow that graphrt has not, and why: what the AttributeError for such a name says.

The list is `missing.txt`, which `tests/missing_page.py` writes, and `docs/missing.md` with it. Names that only TensorFlow 1
had stand in `tensorflow1.txt`, with what took their place; `tests/golden/record_tensorflow1_names.py` writes it.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import NoReturn

REASONS = {
    "hardware": "it is about hardware, or clusters, that graphrt does not run on: it runs on one CPU",
    "TF1": "it belongs to TensorFlow 1",
    "private": "it is private to TensorFlow",
    "out of scope": "it is out of graphrt's scope",
    "not yet": "graphrt does not have it yet",
}


@functools.cache
def _reasons() -> dict[str, str]:
    """The reason by dotted path; a path that ends in `.` stands for all in a namespace."""
    found: dict[str, str] = {}
    with open(f"{os.path.splitext(__file__)[0]}.txt", encoding="utf-8") as file:  # at start, where `pathlib` costs much
        text = file.read()
    for line in text.splitlines():
        reason, _, rest = line.partition(": ")
        space, *names = rest.split()
        prefix = "" if space == "tf" else f"{space}."
        found.update({f"{prefix}{name}": reason for name in names})
        while prefix:  # a namespace of which all is missing has the reason of what is in it
            prefix = prefix.rstrip(".")
            found.setdefault(prefix, reason)
            prefix = prefix.rpartition(".")[0]
    return found


@functools.cache
def _places() -> dict[str, str]:
    """What took the place of a name of TensorFlow 1, by dotted path; '' where nothing did."""
    with open(os.path.join(os.path.dirname(__file__), "tensorflow1.txt"), encoding="utf-8") as file:
        text = file.read()
    found: dict[str, str] = {}
    for line in text.splitlines():
        space, *names = line.split()
        for name, _, place in (n.partition("=") for n in names):
            found[name if space == "tf" else f"{space}.{name}"] = place
    return found


def why_missing(module: str, name: str) -> str:
    """What to add to the message that the module `graphrt.X` has no attribute `name`; '' where TensorFlow has none."""
    path = f"{module}.{name}".split(".", 1)[-1]
    if path.startswith("compat.v1."):
        return ". Of TensorFlow 1 graphrt has the inert part, which programs of TensorFlow 2 use (docs/missing.md)"
    reason = _reasons().get(path)
    if reason is not None:
        return f". TensorFlow has it; {REASONS[reason]} (docs/missing.md)"
    place = _places().get(path.removeprefix("keras."))  # TensorFlow 2 has `losses` and `metrics` from there
    if place is None:
        return ""
    return f". It is of TensorFlow 1; in TensorFlow 2 {f'tf.{place}' if place else 'nothing'} takes its place"


def missing_attribute(module: str, name: str) -> AttributeError:
    """The error for a name that a public module does not have; Python says which one may have been meant."""
    why = why_missing(module, name)
    said = f"module {module!r} has no attribute {name!r}{why}"
    return AttributeError(said, name=name, obj=None if why else sys.modules.get(module))


def missing_names(module: str) -> Callable[[str], NoReturn]:
    """A `__getattr__` for a public module that is a file: it tells why a name of TensorFlow's is not there."""

    def tell(name: str) -> NoReturn:
        raise missing_attribute(module, name)

    return tell
