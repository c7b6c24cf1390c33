"""Functions that are made rather than written have examples, which are true."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
import made_examples  # noqa: E402

from graphrt.ir import examples  # noqa: E402


@pytest.mark.parametrize("stem", made_examples.SHORT)
def test_examples_are_true(stem):
    recorded = (examples.FOLDER / f"{stem}.txt").read_text(encoding="utf-8")
    assert made_examples.text(stem) == recorded, "run tests/made_examples.py, and read the diff"


@pytest.mark.parametrize("stem", made_examples.SHORT)
def test_docstrings_hold_them(stem):
    _, path = made_examples.SHORT[stem]
    import graphrt as tf

    for name in made_examples.blocks(stem):
        value = tf
        for part in f"{path}.{name}".split("."):
            value = getattr(value, part)
        assert isinstance(value, type) or ">>>" in (value.__doc__ or ""), name
