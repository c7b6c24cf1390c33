"""Functions that are made rather than written have examples, which are true.

Covers: graphrt/ir/examples.py.
"""

import pytest

from graphrt.ir import examples
from tests import made_examples, printed_numbers


@pytest.mark.parametrize("stem", made_examples.SHORT)
def test_examples_are_true(stem):
    recorded = (examples.FOLDER / f"{stem}.txt").read_text(encoding="utf-8")
    made = printed_numbers.with_digits_of(recorded, made_examples.text(stem))
    assert made == recorded, "run python -m tests.made_examples, and read the diff"


@pytest.mark.parametrize("stem", made_examples.SHORT)
def test_docstrings_hold_them(stem):
    _, path = made_examples.SHORT[stem]
    import graphrt as tf

    for name in made_examples.blocks(stem):
        value = tf
        for part in f"{path}.{name}".split("."):
            value = getattr(value, part)
        assert isinstance(value, type) or ">>>" in (value.__doc__ or ""), name
