"""Ops on strings: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/strings`).

Covers: graphrt/types/unicode_scripts.py.
"""

import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/strings")


def test_substr_names_the_string():
    with pytest.raises(tf.errors.InvalidArgumentError, match="pos 5 out of range for string b'ab' at index 1"):
        tf.strings.substr(["abcdef", "ab"], 5, 1)
