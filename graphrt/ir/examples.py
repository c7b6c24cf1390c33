"""Examples of functions that are made rather than written: those of `tf.raw_ops`, `tf.experimental.numpy` and the like.

They stand in `graphrt/examples`, a file for each namespace, which `tests/made_examples.py` writes.

>>> of_name("experimental_numpy", "negative").splitlines()[1].strip()
'>>> tf.experimental.numpy.negative([1, -2])'
"""

from __future__ import annotations

import functools
import pathlib
import re
import textwrap
from collections.abc import Mapping
from typing import Any

FOLDER = pathlib.Path(__file__).parents[1] / "examples"


# state: bounded by the files there are
@functools.cache
def _of_namespace(namespace: str) -> dict[str, str]:
    text = (FOLDER / f"{namespace}.txt").read_text(encoding="utf-8")
    _, *parts = re.split(r"\n\n\[([\w.]+)\]\n", text)
    return dict(zip(parts[::2], map(str.rstrip, parts[1::2])))


def of_name(namespace: str, name: str) -> str:
    """The example of a name as it stands in a docstring, indented; empty where there is none."""
    text = _of_namespace(namespace).get(name, "")
    return textwrap.indent(text, "    ")


def add_to(namespace: str, values: Mapping[str, object]) -> None:
    """Gives the functions of a namespace that have no example in their docstring the one that stands in its file."""
    for name in _of_namespace(namespace):
        value: Any = values.get(name)
        if callable(value) and ">>>" not in (value.__doc__ or ""):
            value.__doc__ = f"{(value.__doc__ or '').rstrip()}\n\n{of_name(namespace, name)}\n"
