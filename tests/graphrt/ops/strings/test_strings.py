"""Ops on strings: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/strings`).

Covers: graphrt/types/unicode_scripts.py.
"""

from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/strings")
